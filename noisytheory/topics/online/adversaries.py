r"""Exact accounts of one-dimensional descent with a linear loss, and the adversaries that follow.

Linear kernel and loss, $x_t=1$ without noise, $B_w=1$: the gradient estimate is $\pm v$ with
probability $1/v$, else 0, $v=p^3/(p-1)^2$. A step has the length $\eta v/\sqrt T$, and few
predictors are ever reached; with $T=vm^2$ and Theorem 4's $\eta$ the multiples of $1/m$.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.topics.online.degrees import ABOVE_1
from noisytheory.vocabulary.domains import COUNT, Domain

__all__ = [
    "adaptive_value", "adversary", "expected_regret", "hardest_labels", "lattice", "regret_law",
]

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
ABOVE_0 = Domain(0)
NEAR = 1e-9
"""Predictors nearer to each other are one."""


def lattice(p: float | None, T: int, square: float = 1.0) -> tuple[int, float]:
    """The number m of steps from 0 to the ball's edge, and the second moment v.

    Parameters
    ----------
    p : float or None
        None: gradients at a copy.
    T : int
        Rounds, v times a square.
    square : float
        Mean square of a copy, by which v grows: copies are 0 or this.

    Returns
    -------
    m : int
    v : float

    Raises
    ------
    ValueError
        If T is not v times the square of a whole number.

    Examples
    --------
    >>> lattice(2.0, 128)
    (4, 8.0)
    """
    v = second(p) * square
    m = round(math.sqrt(T / v))
    if m < 1 or not math.isclose(v * m * m, T, rel_tol=1e-12):
        raise ValueError(f"T must be {v:g} times the square of a whole number, got {T}")
    return m, v


def second(p: float | None) -> float:
    """The second moment v of a gradient's estimate, without noise."""
    return 1.0 if p is None else p**3 / (ABOVE_1.number("p", p) - 1) ** 2


@lru_cache(maxsize=16)
def hardest_labels(T: int, eta: float, *, shorter: bool = False) -> Floats:
    r"""Labels fixed in advance that are worst for steps $\eta/\sqrt t$ on [-1, 1], by recursion.

    Linear kernel and loss, $x_t=1$ without noise. Whichever end the comparator is at, by symmetry
    1, a round costs $y(1-w)$; the best continuation is tabulated over w, and then followed.

    Parameters
    ----------
    T : int
    eta : float
    shorter : bool
        An instance may be $x_t=\sqrt{t/(t+1)}$, too: a step that the next one takes back whole.

    Returns
    -------
    ndarray, shape (T,)
        Label times instance.

    Examples
    --------
    >>> y = hardest_labels(100, 1.0)
    >>> w, loss = 0.0, 0.0
    >>> for t, label in enumerate(y, 1):
    ...     loss -= label * w
    ...     w = max(-1.0, min(1.0, w + label / t**0.5))
    >>> round(float(loss + abs(y.sum())) / (3 * 100**0.5), 2)
    0.78
    """
    COUNT.number("T", T)
    ABOVE_0.number("eta", eta)
    w = np.linspace(-1, 1, 1001)
    value, values = np.zeros_like(w), []

    def choices(t: int) -> Floats:
        sizes = (1.0, math.sqrt(t / (t + 1))) if shorter else (1.0,)
        return np.array([sign * size for size in sizes for sign in (1, -1)])

    def options(points: Floats, t: int, after: Floats) -> Floats:
        y = choices(t)[:, None]
        moved = np.clip(points + y * eta / math.sqrt(t), -1, 1)
        return np.asarray(y * (1 - points) + np.interp(moved, w, after))

    for t in range(T, 0, -1):
        values.append(value)
        value = options(w, t, value).max(axis=0)
    labels, at = np.empty(T), np.zeros(1)
    for t, after in enumerate(reversed(values), 1):
        labels[t - 1] = y = choices(t)[options(at, t, after)[:, 0].argmax()]
        at = np.clip(at + y * eta / math.sqrt(t), -1, 1)
    return labels


def expected_regret(y: ArrayLike, m: int, v: float) -> float:
    """Expected regret on labels fixed in advance, with the law of the predictor carried along.

    Parameters
    ----------
    y : array of 1 and -1
    m : int
        Steps from 0 to the edge.
    v : float
        A step is taken with probability 1/v.

    Returns
    -------
    float

    Examples
    --------
    >>> from noisytheory.vocabulary.sequences import hard_labels
    >>> round(expected_regret(hard_labels(128, 0.35, 25).y, 4, 8.0) / (8 * 128) ** 0.5, 4)
    0.8392
    """
    labels = np.asarray(y, float)
    w = np.arange(-m, m + 1) / m
    law = np.zeros(2 * m + 1)
    law[m] = 1.0
    loss = 0.0
    for label in labels:
        loss -= label * float(law @ w)
        law = after_round(law, v, float(label > 0))
    return float(loss) + abs(float(labels.sum()))


def after_round(law: Floats, v: float, up: float) -> Floats:
    """The law after a round whose label is 1 with this probability; mass at the edges is kept."""
    out = law * (1 - 1 / v)
    below, above = slice(None, -1), slice(1, None)
    for share, source, target, edge in ((up, below, above, -1), (1 - up, above, below, 0)):
        if share:
            part = law * (share / v)
            out[target] += part[source]
            out[edge] += part[edge]
    return out


def start(m: int) -> Floats:
    """The law before the first round: of the predictor's index, and of a total that is 0 there."""
    law = np.zeros((2 * m + 1, 1))
    law[m] = 1.0
    return law


def moved_on(law: Floats, sign: int) -> Floats:
    """The law with this times the predictor's index added to the total: m more on either side."""
    count, width = law.shape
    out = np.zeros((count, width + count - 1))
    for i, row in enumerate(law):
        at = i if sign > 0 else count - 1 - i
        out[i, at : at + width] = row
    return out


def regret_law(y: ArrayLike, m: int, v: float) -> tuple[Floats, Floats]:
    """The exact law of the regret of one run on labels fixed in advance.

    Parameters
    ----------
    y : array of 1 and -1
    m : int
    v : float

    Returns
    -------
    values, probabilities : array

    Examples
    --------
    >>> values, chances = regret_law([1, 1], 1, 8.0)
    >>> values.tolist(), chances.tolist()
    ([1.0, 2.0], [0.125, 0.875])
    """
    labels = np.asarray(y, int)
    T = len(labels)
    law = start(m)
    for label in labels:
        # The loss in units of 1/m: minus the label times the lattice index.
        law = after_round(moved_on(law, -int(label)), v, float(label > 0))
    mass = law.sum(axis=0)
    at = np.flatnonzero(mass)
    return (at - m * T) / m + abs(int(labels.sum())), mass[at]


def reached(step: float) -> tuple[Floats, Whole, Whole]:
    """The predictors that such steps reach from 0 within [-1, 1], and where each goes, up and down.

    They are whole numbers of steps away from 0 or from an edge: finitely many for every step.

    Parameters
    ----------
    step : float

    Returns
    -------
    w, up, down : array

    Examples
    --------
    >>> w, up, down = reached(0.75)
    >>> w.tolist()
    [-1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0]
    >>> w[up].tolist()
    [-0.25, 0.0, 0.25, 0.5, 0.75, 1.0, 1.0, 1.0, 1.0]
    """
    ABOVE_0.number("step", step)
    away = np.arange(int(2 / step) + 1) * step
    w = np.unique(np.concatenate([away, -away, away - 1, 1 - away]))
    w = w[np.abs(w) <= 1]
    # One of each that only rounding tells apart.
    w = w[np.append(True, np.diff(w) > NEAR)] + 0.0  # a zero may have any sign
    up, down = (_nearest(w, np.clip(w + sign * step, -1, 1)) for sign in (1, -1))
    return w, up, down


def _nearest(w: Floats, points: Floats) -> Whole:
    """The index of the nearest of these predictors, in order."""
    return np.searchsorted((w[1:] + w[:-1]) / 2, points)


def _programme(
    p: float | None, T: int, eta: float | None, fixed: bool
) -> Iterator[tuple[Floats, Floats, Floats]]:
    """The predictors, and what is still to be gained with either label; from the last round on.

    A row is a predictor, a column a sum of the labels so far, from -t to t by twos.
    """
    v, T = second(p), int(COUNT.number("T", T))
    rate = v**-0.5 if eta is None else ABOVE_0.number("eta", eta)
    w, up, down = reached(rate * v / math.sqrt(T))
    sums = np.arange(-T, T + 1.0, 2)
    value = np.tile(sums if fixed else np.abs(sums), (len(w), 1))
    for _ in range(T):
        above, below = value[:, 1:], value[:, :-1]
        rise = (1 - 1 / v) * above + above[up] / v - w[:, None]
        fall = (1 - 1 / v) * below + below[down] / v + w[:, None]
        yield w, rise, fall
        value = np.maximum(rise, fall)


def adaptive_value(
    p: float | None, T: int, *, eta: float | None = None, fixed: bool = False
) -> float:
    r"""Largest expected regret that an adversary can force who sees the predictor: exact.

    Parameters
    ----------
    p : float or None
        Of Theorem 1's estimators; None is exact gradients.
    T : int
        Any number of rounds.
    eta : float, optional
        The step is $\eta/\sqrt T$; that of Theorem 4 if not given.
    fixed : bool
        Against a comparator fixed in advance: the pseudo-regret.

    Returns
    -------
    float

    Notes
    -----
    By dynamic programming over the predictor and the sum of labels: in time like $T^{5/2}$.

    Examples
    --------
    >>> [round(adaptive_value(2.0, T) / (8 * T) ** 0.5, 4) for T in (9, 10, 32)]
    [0.9943, 1.0306, 1.4247]
    >>> round(adaptive_value(2.0, 128, fixed=True) / (8 * 128) ** 0.5, 4)
    0.9844
    >>> round(adaptive_value(None, 100), 9)
    10.0
    """
    for w, rise, fall in _programme(p, T, eta, fixed):  # noqa: B007
        pass
    return float(np.maximum(rise, fall)[_nearest(w, np.zeros(1)), 0][0])


class adversary:
    """The best adaptive adversary, as the labels that `replicate` asks for.

    Parameters
    ----------
    p, T, eta, fixed
        As in `adaptive_value`.

    Examples
    --------
    >>> adversary(2.0, 32)(31, np.array([0.5]), np.array([-1.0])).tolist()
    [-1.0]
    """

    def __init__(
        self, p: float | None, T: int, *, eta: float | None = None, fixed: bool = False
    ) -> None:
        up = []
        for self._w, rise, fall in _programme(p, T, eta, fixed):
            up.append(rise >= fall)
        self._up = up[::-1]

    def __call__(self, t: int, scores: Floats, sums: Floats) -> Floats:
        """Labels of round t."""
        column = np.rint((sums + t) / 2).astype(int)
        return np.where(self._up[t][_nearest(self._w, scores), column], 1.0, -1.0)
