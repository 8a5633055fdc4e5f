r"""Populations under the average top-k loss: which $\nu$ lets the minimiser see the labels.

$\min_{f,\lambda\ge0}E[\ell(yf(x))-\lambda]_++\nu\lambda$ over all functions on few points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.topics.top_k.individual import individual
from noisytheory.vocabulary.domains import UNIT_INTERVAL, checked_floats

__all__ = [
    "PopulationMinimiser", "bayes_risk", "calibration_threshold", "clipped_logit",
    "optimal_risk", "population_minimiser",
]

Floats = NDArray[np.float64]


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
    if p.ndim != 1 or p.shape != e.shape or p.min() < 0 or abs(p.sum() - 1) > 1e-9:
        raise ValueError("masses must be numbers >= 0 with sum 1, one for each eta")
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
    return float(p @ np.minimum(e, 1 - e))


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
    psi = individual(loss).psi
    scores = _pointwise(psi, e, 0.0)
    return float(p @ (e * psi(scores) + (1 - e) * psi(-scores)))


REACH = 40.0
"""Scores are sought in [-REACH, REACH]: beyond it no loss of these populations moves."""


def _pointwise(psi: Callable[[Any], Any], eta: Floats, level: float) -> Floats:
    r"""Minimisers in $t$ of the conditional risk of $(\ell-\lambda)_+$; nearest 0 among ties."""
    flipped = np.maximum(eta, 1 - eta)

    def value(t: Floats) -> Any:
        return (flipped * np.maximum(psi(t) - level, 0)
                + (1 - flipped) * np.maximum(psi(-t) - level, 0))

    low, high = np.zeros_like(eta), np.full_like(eta, REACH)
    golden = (np.sqrt(5) - 1) / 2
    for _ in range(90):
        left, right = high - golden * (high - low), low + golden * (high - low)
        # Ties go to the left, so that a flat stretch gives its end nearest 0.
        smaller = value(left) <= value(right)
        low, high = np.where(smaller, low, left), np.where(smaller, right, high)
    return np.where(eta >= 0.5, low, -low)


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
    if not 0 < nu <= 1:
        raise ValueError(f"nu must lie in (0, 1], got {nu}")
    psi = individual(loss).psi if isinstance(loss, str) else loss
    top = float(psi(np.array(0.0)))

    def inner(level: float) -> tuple[float, Floats]:
        t = _pointwise(psi, e, level)
        value = p @ (e * np.maximum(psi(t) - level, 0) + (1 - e) * np.maximum(psi(-t) - level, 0))
        return float(value) + nu * level, t

    low, high = 0.0, top
    golden = (np.sqrt(5) - 1) / 2
    for _ in range(80):
        left, right = high - golden * (high - low), low + golden * (high - low)
        if inner(left)[0] <= inner(right)[0]:
            high = right
        else:
            low = left
    best = min(((inner(at)[0], at) for at in (0.0, (low + high) / 2, top)),
               key=lambda pair: (pair[0] - 1e-15 * (pair[1] == 0), pair[1]))
    value, level = best
    scores = inner(level)[1]
    # A value that is not below that of f = 0 by more than rounding is that of f = 0.
    if value >= nu * top * (1 - 1e-12):
        scores, level, value = np.zeros_like(scores), top, nu * top
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
    if not 0 < level <= 1:
        raise ValueError(f"level must lie in (0, 1], got {level}")
    with np.errstate(divide="ignore"):
        logit = np.log(e) - np.log1p(-e)
    largest = -float(np.log(np.expm1(level * np.log(2))))
    return np.asarray(np.clip(logit, -largest, largest))
