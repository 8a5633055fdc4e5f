r"""Individual losses as functions of the score: value, slope, curvature and convex conjugate.

Losses of a margin are normalised to 1 at 0, as the paper's theorems need: logistic loss is in base
2. ``"logistic-natural"`` is the usual one, with 0.693 at 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from noisytheory.vocabulary.domains import one_of

__all__ = [
    "CLASSIFICATION", "INDIVIDUAL", "REGRESSION", "Individual", "best_constants",
    "best_intercept", "individual", "largest", "least_constant", "reached",
]

Floats = NDArray[np.float64]
Values = NDArray[Any]
Shape = Callable[[Values], Any]
LN2 = float(np.log(2))
LEAST = 1e-15
"""Of two classes, what the smaller one counts at least."""
HALVINGS = 50
"""Of what lies below a number, until it is as far from both ends as its pulls ask."""


@dataclass(frozen=True)
class Individual:
    r"""A loss $\ell(y,f)=\psi(t)$ of the margin $t=yf$ or of the residual $t=y-f$.

    Parameters
    ----------
    name : str
    margin : bool
        Whether it reads the margin, for classification, or the residual.
    psi, slope, curvature, conjugate : callable
        $\psi$, $\psi'$ (at a kink one subgradient), $\psi''$, and $\psi^*(s)=\sup_t st-\psi(t)$.
    at_zero, slope_at_zero : float
        $\psi(0)$ and $\psi'(0)$.
    smooth : bool
        Whether $\psi'$ is continuous: else the problem is a quadratic programme.
    balance : callable, optional
        Of a margin: the least $t$ with $\psi'(-t)=r\psi'(t)$ for $r>1$, or the least $t\ge0$ with
        $\psi'(t)=0$.
    """

    name: str
    margin: bool
    psi: Shape
    slope: Shape
    curvature: Shape
    conjugate: Shape
    at_zero: float
    slope_at_zero: float
    smooth: bool = True
    balance: Shape | None = None

    @property
    def falls(self) -> bool:
        """Whether a larger margin never loses more."""
        return self.margin and float(self.slope(np.array(2.0))) <= 0

    def values(self, y: Values, f: Values) -> Any:
        """Losses of scores.

        Parameters
        ----------
        y, f : array

        Returns
        -------
        array

        Examples
        --------
        >>> individual("hinge").values(np.array([1.0, -1.0]), np.array([0.5, 0.5])).tolist()
        [0.5, 1.5]
        """
        return self.psi(y * f if self.margin else y - f)

    def slopes(self, y: Values, f: Values) -> Any:
        """Derivatives in the score."""
        return y * self.slope(y * f) if self.margin else -self.slope(y - f)

    def curvatures(self, y: Values, f: Values) -> Any:
        """Second derivatives in the score; labels are 1 or -1."""
        return self.curvature(y * f if self.margin else y - f)

    def conjugates(self, y: Values, s: Values) -> Any:
        r"""$\sup_f sf-\ell(y,f)$."""
        return self.conjugate(y * s) if self.margin else s * y + self.conjugate(-s)


def _logistic(scale: float) -> dict[str, Any]:
    def psi(t: Values) -> Any:
        # log(1 + e) by a logarithm that is vectorised: e (log u) / (u - 1), u = 1 + e rounded.
        e = np.exp(-np.abs(t))
        u = 1 + e
        with np.errstate(divide="ignore", invalid="ignore"):
            small = np.where(u == 1, e, np.log(u) * (e / (u - 1)))
        return (small + np.maximum(-t, 0)) * scale

    def slope(t: Values) -> Any:
        return -special.expit(-t) * scale

    def curvature(t: Values) -> Any:
        p = special.expit(-t)
        return p * (1 - p) * scale

    def conjugate(s: Values) -> Any:
        q = -s / scale
        with np.errstate(invalid="ignore"):
            # Of a q below rounding 1 - q is 1, but the second term is -q.
            inside = special.xlogy(q, q) + special.xlog1py(1 - q, -q)
        return np.where((q < 0) | (q > 1), np.inf, inside * scale)

    return dict(psi=psi, slope=slope, curvature=curvature, conjugate=conjugate,
                at_zero=LN2 * scale, slope_at_zero=-scale / 2, balance=np.log)


def _hinge(t: Values) -> Any:
    return np.maximum(1 - t, 0)


def _hinge_slope(t: Values) -> Any:
    return np.where(t < 1, -1.0, 0.0)


def _hinge_balance(r: Values) -> Any:
    return np.ones(np.shape(r))


def _hinge_conjugate(s: Values) -> Any:
    return np.where((s < -1) | (s > 0), np.inf, s)


def _zero(t: Values) -> Any:
    return np.zeros(np.shape(t))


def _squared_hinge(t: Values) -> Any:
    return np.maximum(1 - t, 0) ** 2


def _squared_hinge_slope(t: Values) -> Any:
    return -2 * np.maximum(1 - t, 0)


def _squared_hinge_curvature(t: Values) -> Any:
    return np.where(t < 1, 2.0, 0.0)


def _square_balance(r: Values) -> Any:
    return (r - 1) / (r + 1)


def _squared_hinge_conjugate(s: Values) -> Any:
    return np.where(s > 0, np.inf, s + s**2 / 4)


def _margin_square(t: Values) -> Any:
    return (1 - t) ** 2


def _margin_square_slope(t: Values) -> Any:
    return -2 * (1 - t)


def _two(t: Values) -> Any:
    return np.full(np.shape(t), 2.0)


def _margin_square_conjugate(s: Values) -> Any:
    return s + s**2 / 4


def _square(t: Values) -> Any:
    return t**2


def _square_slope(t: Values) -> Any:
    return 2 * t


def _square_conjugate(s: Values) -> Any:
    return s**2 / 4


def _absolute_conjugate(s: Values) -> Any:
    return np.where(np.abs(s) > 1, np.inf, 0.0)


def _minus_exponential(t: Values) -> Any:
    return -_exponential(t)


def _exponential(t: Values) -> Any:
    # Who asks for the loss sees an infinity.
    with np.errstate(over="ignore"):
        return np.exp(-t)


def _exponential_balance(r: Values) -> Any:
    return np.log(r) / 2


def _exponential_conjugate(s: Values) -> Any:
    return np.where(s > 0, np.inf, special.xlogy(-s, -s) + s)


INDIVIDUAL: dict[str, Individual] = {
    loss.name: loss for loss in (
        Individual("logistic", True, **_logistic(1 / LN2)),
        Individual("logistic-natural", True, **_logistic(1.0)),
        Individual("hinge", True, _hinge, _hinge_slope, _zero, _hinge_conjugate, 1.0, -1.0, False,
                   _hinge_balance),
        Individual("squared-hinge", True, _squared_hinge, _squared_hinge_slope,
                   _squared_hinge_curvature, _squared_hinge_conjugate, 1.0, -2.0,
                   balance=_square_balance),
        Individual("margin-square", True, _margin_square, _margin_square_slope, _two,
                   _margin_square_conjugate, 1.0, -2.0, balance=_square_balance),
        Individual("exponential", True, _exponential, _minus_exponential, _exponential,
                   _exponential_conjugate, 1.0, -1.0, balance=_exponential_balance),
        Individual("square", False, _square, _square_slope, _two, _square_conjugate, 0.0, 0.0),
        Individual("absolute", False, np.abs, np.sign, _zero, _absolute_conjugate, 0.0, 0.0, False),
    )
}
"""Every individual loss by its name."""

CLASSIFICATION = tuple(name for name, loss in INDIVIDUAL.items() if loss.margin)
"""Losses of a margin."""

REGRESSION = tuple(name for name, loss in INDIVIDUAL.items() if not loss.margin)
"""Losses of a residual."""


def individual(name: str) -> Individual:
    """The individual loss of this name.

    Parameters
    ----------
    name : str
        One of `INDIVIDUAL`.

    Returns
    -------
    Individual

    Raises
    ------
    ValueError
        If there is none.

    Examples
    --------
    >>> float(individual("logistic").psi(np.array(0.0)))
    1.0
    """
    one_of("loss", name, tuple(INDIVIDUAL))
    return INDIVIDUAL[name]


def least_constant(
    kind: Individual, targets: Floats, masses: Floats | None, nu: float
) -> float:
    r"""Least $\nu\,AT_k$ of the losses of one score for all; without masses each counts alike.

    Parameters
    ----------
    kind : Individual
    targets : array, shape (n,)
    masses : array, shape (n,), or None
    nu : float

    Returns
    -------
    float

    Examples
    --------
    >>> round(least_constant(individual("square"), np.array([0.0, 2.0, 5.0]), None, 2 / 3), 6)
    4.166667
    """
    return float(best_constants(kind, targets, masses, np.array([nu]))[1][0])


def best_constants(
    kind: Individual, targets: Floats, masses: Floats | None, nus: Floats
) -> tuple[Floats, Floats]:
    r"""The one score for all with the least $\nu\,AT_k$, and that value, at tail masses.

    Parameters
    ----------
    kind : Individual
    targets : array, shape (n,)
    masses : array, shape (n,), or None
    nus : array, shape (m,)

    Returns
    -------
    scores, values : array, shape (m,)

    Examples
    --------
    >>> y = np.array([1.0, 1.0, 1.0, -1.0])
    >>> scores, values = best_constants(individual("hinge"), y, None, np.array([0.5, 1]))
    >>> scores.tolist(), values.tolist()
    ([0.0, 1.0], [0.5, 0.5])
    """
    if kind.margin:
        share = float(np.mean(targets > 0) if masses is None else masses[targets > 0].sum())
        few, sign = min(share, 1 - share), 1.0 if share >= 0.5 else -1.0
        # Up to twice the smaller class it can have as much weight as the other.
        more = nus > 2 * few * (1 + 1e-15)
        assert kind.balance is not None
        b = np.where(more, kind.balance(np.where(more, nus - few, 2.0) / max(few, LEAST)), 0.0)
        values = np.where(more, few * kind.psi(-b) + (nus - few) * kind.psi(b), nus * kind.at_zero)
        return sign * b, values
    order = np.argsort(targets)
    middle = float(targets.mean())
    y = targets[order] - middle
    weights = np.full(len(y), 1 / len(y)) if masses is None else masses[order]
    reached, first, second = (
        np.concatenate([[0.0], np.cumsum(weights * power)]) for power in (1 + 0 * y, y, y**2))
    last = len(y) - 1

    def between(low: Floats) -> Floats:
        """Amid where so much from below, and the rest from above, end."""
        above = np.searchsorted(reached, reached[-1] - (nus - low), side="right") - 1
        ends = np.array([np.searchsorted(reached, low) - 1, above])
        return np.asarray(y[np.clip(ends, 0, last)].mean(axis=0))

    def sums(low: Floats, of: Floats) -> Floats:
        above = np.interp(reached[-1] - (nus - low), reached, of)
        return np.asarray(np.interp(low, reached, of) + of[-1] - above)

    # The largest losses are of both ends, which are equally far: more of the lower one, a higher b.
    low, high = np.zeros(len(nus)), nus.copy()
    for _ in range(HALVINGS):
        some = (low + high) / 2
        rises = (between(some) * nus > sums(some, first)) if kind.smooth else 2 * some > nus
        low, high = np.where(rises, low, some), np.where(rises, some, high)
    b, some = (between(low) + between(high)) / 2, (low + high) / 2
    if not kind.smooth:
        pulled = np.interp(some, reached, first)
        rest = sums(some, first) - pulled
        return b + middle, rest - pulled + b * (2 * some - nus)
    b = np.clip(sums(some, first) / nus, between(low), between(high))
    values = sums(some, second) - b * (2 * sums(some, first) - b * nus)
    return b + middle, np.maximum(values, 0.0)


def best_intercept(labels: Floats, masses: Floats | None, scores: Floats, nu: Any) -> Any:
    r"""What is best added to scores for $\nu\,AT_k$ of the hinge loss.

    The largest losses hold as much of both classes. Where one is exhausted, or the other's reach 0,
    all that are above 0 count, and these do.

    Parameters
    ----------
    labels : array, shape (n,)
        1 and -1.
    masses : array, shape (n,), or None
    scores : array, shape (..., n)
    nu : array, shape (...)

    Returns
    -------
    array, shape (...)

    Examples
    --------
    >>> y, scores = np.array([1.0, 1.0, 1.0, -1.0]), np.array([[0.5, 0.0, 1.0, 0.5]] * 2)
    >>> best_intercept(y, None, scores, np.array([0.5, 1.0])).tolist()
    [-0.25, 0.5]
    """
    # Each brings a margin to 1: of one class intercepts below lose, of the other those above.
    ends, some = labels - scores, labels > 0
    n, half = len(labels), np.asarray(nu) / 2
    of = (None, None) if masses is None else (masses[some], masses[~some])
    above = np.count_nonzero(some) / n if of[0] is None else float(of[0].sum())
    high = -reached(-ends[..., some], of[0], half, n)
    low = reached(ends[..., ~some], of[1], half, n)
    both = (half <= min(above, 1 - above) * (1 + 1e-12)) & (high >= low)
    if both.all():
        return (high + low) / 2
    return np.where(both, (high + low) / 2, reached(ends, masses, above + 0 * half, n))


def reached(values: Floats, masses: Floats | None, mass: Floats, n: int) -> Floats:
    """The value at which the least ones, of shape (..., n), have so much mass."""
    last = values.shape[-1] - 1
    if masses is None:
        place = np.maximum(np.minimum(np.ceil(mass * n - 1e-9).astype(int) - 1, last), 0)
        first = int(place.flat[0])
        ordered = np.partition(values, first) if (place == first).all() else np.sort(values)
    else:
        order = np.argsort(values, axis=-1)
        ordered = np.take_along_axis(values, order, axis=-1)
        spent = np.cumsum(masses[order], axis=-1)
        place = np.minimum((spent < mass[..., None] - 1e-12).sum(axis=-1), last)
    if ordered.ndim == 1:
        return np.asarray(ordered[place])
    return np.asarray(np.take_along_axis(ordered, place[..., None], axis=-1)[..., 0])


def largest(losses: Floats, masses: Floats, nu: Floats, even: bool) -> Floats:
    r"""$\nu\,AT_k$ of losses, shape (m, n), at m tail masses; infinite where it is no number."""
    level = -reached(-losses, None if even else masses, nu, len(masses))
    found = nu * level + np.maximum(losses - level[:, None], 0) @ masses
    return np.where(np.isfinite(found), found, np.inf)
