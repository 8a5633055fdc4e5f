r"""Populations under the average top-k loss: which $\nu$ lets the minimiser see the labels.

$\min_{f,\lambda\ge0}E[\ell(yf(x))-\lambda]_++\nu\lambda$ over all functions on few points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.topics.top_k.individual import CLASSIFICATION, Individual, individual
from noisytheory.vocabulary import joint_masses
from noisytheory.vocabulary.domains import UNIT_INTERVAL, Domain, checked_floats

__all__ = [
    "PopulationMinimiser", "bayes_risk", "calibration_threshold", "clipped_logit",
    "optimal_risk", "population_minimiser",
]

Floats = NDArray[np.float64]

SHARE = Domain(0, 1, include_high=True)


@dataclass(frozen=True)
class PopulationMinimiser:
    r"""Scores, threshold, value $\nu\,\mathrm{CVaR}_\nu$, and whether all labels are right.

    Parameters
    ----------
    scores : array, shape (m,)
        Of several minimisers the nearest 0; infinite where there is none.
    level, value : float
        Of several thresholds the largest.
    calibrated : bool
        Whether the score has the sign of $\eta-\frac12$ wherever that is not 0.
    """

    scores: Floats
    level: float
    value: float
    calibrated: bool


def _population(masses: ArrayLike, eta: ArrayLike) -> tuple[Floats, Floats]:
    p, e = checked_floats("masses", masses), checked_floats("eta", eta)
    # Of a NaN nothing is true.
    if p.ndim != 1 or not p.size or not (p.min() >= 0 and abs(p.sum() - 1) <= 1e-9):
        raise ValueError(f"masses must be numbers >= 0 of sum 1, got shape {p.shape} and sum "
                         f"{p.sum():g}")
    if e.shape != p.shape:
        raise ValueError(f"eta must be {len(p)} numbers, one for each of masses, got shape "
                         f"{e.shape}")
    UNIT_INTERVAL.check("eta", e)
    return p, e


def bayes_risk(masses: ArrayLike, eta: ArrayLike) -> float:
    r"""$R^*=E\min(\eta,1-\eta)$.

    Parameters
    ----------
    masses, eta : array_like, shape (m,)

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If masses and posteriors are not of one length, a mass is below 0 or their sum is not 1, or
        a posterior is outside [0, 1].

    Examples
    --------
    >>> round(bayes_risk([0.5, 0.5], [0.9, 0.2]), 12)
    0.15
    """
    p, e = _population(masses, eta)
    return float(joint_masses.bayes_risk(joint_masses.joint(p, e)))


def calibration_threshold(masses: ArrayLike, eta: ArrayLike) -> float:
    r"""$2R^*$: above it $AT_k$ is calibrated, below it the minimiser is 0 under noise.

    The same for every convex loss with $\ell'(0)<0$; the paper's conditions are $\nu>E^*_\ell$
    (sufficient) and $\nu\ge R^*$ (necessary), with a gap between.

    Parameters
    ----------
    masses, eta : array_like, shape (m,)

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If masses and posteriors are not of one length, a mass is below 0 or their sum is not 1, or
        a posterior is outside [0, 1].

    Examples
    --------
    >>> round(calibration_threshold([0.5, 0.5], [0.9, 0.2]), 12)
    0.3
    """
    return 2 * bayes_risk(masses, eta)


def _of_margin(loss: str) -> Individual:
    """A loss of the margin, or a ValueError."""
    if not (isinstance(loss, str) and loss in CLASSIFICATION):
        raise ValueError(
            f"loss must be one of the margin, {', '.join(CLASSIFICATION)}, got {loss!r}")
    return individual(loss)


def optimal_risk(masses: ArrayLike, eta: ArrayLike, loss: str) -> float:
    r"""$E^*_\ell=\inf_fE\,\ell(yf(x))$.

    Parameters
    ----------
    masses, eta : array_like, shape (m,)
    loss : str

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If masses and posteriors are not of one length, a mass is below 0 or their sum is not 1, or
        a posterior is outside [0, 1], or the loss is none of the margin.

    Examples
    --------
    >>> round(optimal_risk([0.5, 0.5], [0.9, 0.2], "logistic"), 6)
    0.595462
    """
    p, e = _population(masses, eta)
    return float(minimisers(p[None], e[None], np.ones(1), _of_margin(loss))[2][0])


REACH = 40.0
"""Scores of a callable are sought up to it."""
GOLDEN = (np.sqrt(5) - 1) / 2


def _least(psi: Callable[[Any], Any], odds: Floats) -> Floats:
    r"""Least $t\ge0$ with least $\psi(t)+\psi(-t)/r$, by values of $\psi$ alone."""

    def value(t: Floats) -> Any:
        return psi(t) + psi(-t) / odds

    low, high = np.zeros_like(odds), np.full_like(odds, REACH)
    for _ in range(80):
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        # Ties go to the left, so that a flat stretch gives its end nearest 0.
        smaller = value(left) <= value(right)
        low, high = np.where(smaller, low, left), np.where(smaller, right, high)
    return np.where(value(np.zeros_like(odds)) <= value(low), 0.0, low)


def _scores(loss: Individual | Callable[[Any], Any], odds: Floats) -> Floats:
    r"""Scores whose slopes are balanced where the better label has $r\ge1$ times the weight."""
    more = odds > 1
    if not isinstance(loss, Individual):
        return np.where(more, _least(loss, np.where(more, odds, 2.0)), 0.0)
    assert loss.balance is not None
    # Losses that reach 0 do so at 1, the others nowhere.
    last = 1.0 if float(loss.psi(np.array(1.0))) == 0 else np.inf
    found = np.where(np.isinf(odds), last, loss.balance(np.where(np.isinf(odds), 2.0, odds)))
    return np.where(more, found, 0.0)


def minimisers(
    masses: Floats, eta: Floats, nu: Floats, loss: Individual | Callable[[Any], Any]
) -> tuple[Floats, Floats, Floats]:
    r"""Scores, thresholds and values of many populations at once.

    Parameters
    ----------
    masses, eta : array, shape (size, m)
    nu : array, shape (size,)
    loss : Individual or callable
        Of the margin.

    Returns
    -------
    scores : array, shape (size, m)
    level, value : array, shape (size,)

    Examples
    --------
    >>> one = np.ones((1, 1))
    >>> minimisers(one, 0.75 * one, np.array([0.25]), individual("hinge"))[2].tolist()
    [0.25]
    """
    psi = loss.psi if isinstance(loss, Individual) else loss
    few = np.minimum(eta, 1 - eta)
    with np.errstate(divide="ignore", over="ignore"):
        # Those of a posterior of 1e-310 overflow, but it is noise.
        odds = np.where(few > 0, np.minimum((1 - few) / few, np.finfo(float).max), np.inf)
    wrong, noisy = masses * few, np.isfinite(odds) & (masses > 0)
    # Points in the order of their odds; those that do not count, and those without noise, last.
    at = np.where(noisy, odds, np.inf)
    order = np.argsort(at, axis=1)
    at, mass, less = (np.take_along_axis(part, order, 1) for part in (
        at, np.where(noisy, masses, 0.0), np.where(noisy, wrong, 0.0)))
    whole = mass.sum(axis=1)
    before, rest = np.cumsum(mass, axis=1) - mass, np.cumsum(less[:, ::-1], axis=1)[:, ::-1]
    # The weight there is with the odds cut off at each point's: what is nu but for rounding is nu.
    slack = 4 * eta.shape[1] * np.finfo(float).eps * whole
    some = np.isfinite(at)
    reached = before + rest * (1 + np.where(some, at, 0.0))
    enough = some & (reached >= (nu - slack)[:, None])
    place = enough.argmax(axis=1)
    begun, left, end = (np.take_along_axis(part, place[:, None], 1)[:, 0]
                        for part in (before, rest, at))
    with np.errstate(over="ignore"):
        cut = np.minimum((nu - begun - left) / np.where(left > 0, left, 1.0), end)
    cut[(place == 0) & (nu <= 2 * left + slack)] = 1.0
    # More weight than the noise has: what is left goes to points without, if there are any.
    clean = np.where(~noisy, masses, 0.0).sum(axis=1) > 0
    most = np.where(some, at, 1.0).max(axis=1)
    cut = np.where(enough.any(axis=1), cut, np.where(clean, np.inf, most))
    t = _scores(loss, np.minimum(cut[:, None], odds))
    level = np.asarray(psi(_scores(loss, cut)), float)
    with np.errstate(over="ignore"):
        worse = np.where(few > 0, psi(-t), 0.0)
    over = (1 - few) * np.maximum(psi(t) - level[:, None], 0)
    over += few * np.maximum(worse - level[:, None], 0)
    value = nu * level + np.where(masses > 0, masses * over, 0.0).sum(axis=1)
    return np.where(eta >= 0.5, t, -t), level, value


def population_minimiser(
    masses: ArrayLike, eta: ArrayLike, nu: float, loss: str | Callable[[Any], Any] = "logistic"
) -> PopulationMinimiser:
    r"""The population's minimiser at tail mass $\nu$.

    Parameters
    ----------
    masses, eta : array_like, shape (m,)
    nu : float
        In (0, 1].
    loss : str or callable
        A loss of the margin, or $\psi$ itself, convex and 1 at 0.

    Returns
    -------
    PopulationMinimiser

    Raises
    ------
    ValueError
        If masses and posteriors are not of one length, a mass is below 0 or their sum is not 1, or
        a posterior is outside [0, 1], nu is outside (0, 1], or the loss is none of the margin.

    Notes
    -----
    In closed form. Of a point with posterior $e=\max(\eta,1-\eta)$ let the worse label have the
    weight $m(1-e)$ and the better one $m(1-e)\min\{Q,\frac e{1-e}\}$, with the Q by which all
    weights have sum $\nu$; up to $2R^*$ both have the same, less. None is above the label's mass.
    The scores that minimise the weighted losses, and $\lambda^*=\ell$ at the odds Q, have as value
    what these weights have: they are solutions of the programme and of its dual.

    Scores are infinite where no minimiser exists, but a limit of scores has the least value: of the
    logistic and the exponential loss where $\nu$ is more than the mass of the points with noise.
    Of a callable $\psi$ only values are asked: scores are sought in [-40, 40], to about $10^{-7}$.

    Examples
    --------
    >>> found = population_minimiser([0.5, 0.5], [0.9, 0.2], 0.31, "logistic")
    >>> found.calibrated, round(found.value, 6), round(found.level, 4)
    (True, 0.309767, 0.9542)
    >>> float(abs(found.scores - np.log([1.6 / 1.5, 1.5 / 1.6])).max()) < 1e-15
    True
    """
    p, e = _population(masses, eta)
    share = SHARE.number("nu", nu)
    one = loss if callable(loss) else _of_margin(loss)
    found, levels, values = minimisers(p[None], e[None], np.array([share]), one)
    scores, level, value = found[0], levels[0], values[0]
    noisy = (e != 0.5) & (p > 0)
    right = np.sign(scores[noisy]) == np.sign(e[noisy] - 0.5)
    return PopulationMinimiser(scores, float(level), float(value), bool(right.all()))


def clipped_logit(eta: ArrayLike, level: float) -> Floats:
    r"""$\mathrm{sign}(\eta-\frac12)\min\{|\log\frac\eta{1-\eta}|,T\}$ with $T=\ell^{-1}(\lambda)$.

    What the population minimiser with logistic loss looks like: probabilities beyond $\sigma(T)$
    are lost.

    Parameters
    ----------
    eta : array_like
    level : float
        $\lambda^*$ in (0, 1], for the logistic loss in base 2.

    Returns
    -------
    array

    Raises
    ------
    ValueError
        If a posterior is outside [0, 1], or the level outside (0, 1].

    Examples
    --------
    >>> clipped_logit([0.9, 0.2], 0.95).round(4).tolist()
    [0.0706, -0.0706]
    """
    e = checked_floats("eta", eta)
    UNIT_INTERVAL.check("eta", e)
    level = SHARE.number("level", level)
    with np.errstate(divide="ignore"):
        logit = np.log(e) - np.log1p(-e)
    largest = -float(np.log(np.expm1(level * np.log(2))))
    return np.asarray(np.clip(logit, -largest, largest))
