r"""Populations under the average top-k loss: which $\nu$ lets the minimiser see the labels.

$\min_{f,\lambda\ge0}E[\ell(yf(x))-\lambda]_++\nu\lambda$ over all functions on few points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.topics.top_k.individual import CLASSIFICATION, individual
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
    level, value : float
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

    Examples
    --------
    >>> round(calibration_threshold([0.5, 0.5], [0.9, 0.2]), 12)
    0.3
    """
    return 2 * bayes_risk(masses, eta)


def _of_margin(loss: str) -> Callable[[Any], Any]:
    r"""$\psi$ of a loss of the margin, or a ValueError."""
    if not (isinstance(loss, str) and loss in CLASSIFICATION):
        raise ValueError(
            f"loss must be one of the margin, {', '.join(CLASSIFICATION)}, got {loss!r}")
    return individual(loss).psi


def optimal_risk(masses: ArrayLike, eta: ArrayLike, loss: str) -> float:
    r"""$E^*_\ell=\inf_fE\,\ell(yf(x))$.

    Parameters
    ----------
    masses, eta : array_like, shape (m,)
    loss : str

    Returns
    -------
    float

    Examples
    --------
    >>> round(optimal_risk([0.5, 0.5], [0.9, 0.2], "logistic"), 6)
    0.595462
    """
    p, e = _population(masses, eta)
    psi = _of_margin(loss)
    scores = _pointwise(psi, e, 0.0)
    return float(p @ (e * psi(scores) + (1 - e) * psi(-scores)))


REACH = 40.0
"""Scores are sought in [-REACH, REACH]: beyond it no loss of these populations moves."""
GOLDEN = (np.sqrt(5) - 1) / 2


def _pointwise(psi: Callable[[Any], Any], eta: Floats, level: Any) -> Floats:
    r"""Minimisers in $t$ of the conditional risk of $(\ell-\lambda)_+$; nearest 0 among ties."""
    flipped = np.maximum(eta, 1 - eta)
    chances = np.stack([flipped, 1 - flipped])
    both = np.empty_like(chances)

    def value(t: Floats) -> Any:
        # Both labels at once, in place: of few atoms the calls take the time.
        both[0] = t
        np.negative(t, out=both[1])
        found = psi(both) - level
        np.maximum(found, 0, out=found)
        found *= chances
        return found[0] + found[1]

    low, high = np.zeros_like(eta), np.full_like(eta, REACH)
    span = GOLDEN * (high - low)
    left, right = high - span, low + span
    at_left, at_right = value(left), value(right)
    for _ in range(44):
        # Ties go to the left, so that a flat stretch gives its end nearest 0.
        smaller = at_left <= at_right
        low, high = np.where(smaller, low, left), np.where(smaller, right, high)
        span = GOLDEN * (high - low)
        fresh = np.where(smaller, high - span, low + span)
        there = value(fresh)
        left, right = np.where(smaller, fresh, right), np.where(smaller, left, fresh)
        at_left, at_right = (np.where(smaller, there, at_right), np.where(smaller, at_left, there))
    found = np.where(value(np.zeros_like(eta)) <= value(low), 0.0, (low + high) / 2)
    return np.where(eta >= 0.5, found, -found)


def minimisers(
    masses: Floats, eta: Floats, nu: Floats, psi: Callable[[Any], Any]
) -> tuple[Floats, Floats, Floats]:
    r"""Scores, thresholds and values of many populations at once.

    Parameters
    ----------
    masses, eta : array, shape (size, m)
    nu : array, shape (size,)
    psi : callable

    Returns
    -------
    scores : array, shape (size, m)
    level, value : array, shape (size,)

    Examples
    --------
    >>> one = np.ones((1, 1))
    >>> minimisers(one, 0.75 * one, np.array([0.25]), individual("hinge").psi)[2].tolist()
    [0.25]
    """
    top = float(psi(np.array(0.0)))

    def inner(level: Floats) -> tuple[Floats, Floats]:
        t = _pointwise(psi, eta, level[:, None])
        risk = eta * np.maximum(psi(t) - level[:, None], 0)
        risk += (1 - eta) * np.maximum(psi(-t) - level[:, None], 0)
        return (masses * risk).sum(axis=1) + nu * level, t

    low, high = np.zeros_like(nu), np.full_like(nu, top)
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = inner(left)[0], inner(right)[0]
    for _ in range(34):
        smaller = at_left <= at_right
        low, high = np.where(smaller, low, left), np.where(smaller, right, high)
        fresh = np.where(smaller, high - GOLDEN * (high - low), low + GOLDEN * (high - low))
        there = inner(fresh)[0]
        left, right = np.where(smaller, fresh, right), np.where(smaller, left, fresh)
        at_left, at_right = (np.where(smaller, there, at_right), np.where(smaller, at_left, there))
    middle = (low + high) / 2
    (at_middle, scores), (at_zero, zero) = inner(middle), inner(np.zeros_like(nu))
    use = at_zero <= at_middle * (1 + 1e-13)
    level, value = np.where(use, 0.0, middle), np.where(use, at_zero, at_middle)
    scores = np.where(use[:, None], zero, scores)
    # A value that is not below that of f = 0 by more than rounding is that of f = 0.
    flat = value >= nu * top * (1 - 1e-12)
    return (np.where(flat[:, None], 0.0, scores), np.where(flat, top, level),
            np.where(flat, nu * top, value))


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

    Notes
    -----
    For given $\lambda$ the points part; the outer problem is convex in one variable. Near
    $2R^*$ the value falls by less than $10^{-4}\nu$, so calibration is read off the scores.

    Examples
    --------
    >>> found = population_minimiser([0.5, 0.5], [0.9, 0.2], 0.31, "logistic")
    >>> found.calibrated, round(found.value, 6), round(found.level, 4)
    (True, 0.309767, 0.9542)
    """
    p, e = _population(masses, eta)
    nu = SHARE.number("nu", nu)
    psi = loss if callable(loss) else _of_margin(loss)
    found, levels, values = minimisers(p[None], e[None], np.array([nu]), psi)
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
