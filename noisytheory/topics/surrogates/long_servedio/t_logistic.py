r"""Minimisers of t-logistic risk on the three points, many sets of six masses at a time.

With $h=\sqrt{1+u^2/4}$ and $w=h-u/2$ the loss is $\log(1+w)$, and $w(-u)=1/w(u)$: one square root
gives value, slope and curvature of both labels of a point.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.topics.surrogates.long_servedio.three_points import points

__all__ = ["t_logistic_minimiser"]

Floats: TypeAlias = NDArray[np.float64]

POINTS = np.array([[float(v) for v in p] for p in points(Fraction(30))])
# Distinct entries of the outer product of every point with itself.
SQUARES = np.stack([POINTS[:, 0] ** 2, POINTS[:, 0] * POINTS[:, 1], POINTS[:, 1] ** 2], axis=1)
STARTS = ((0.0, 0.0), (2.0, 0.1))
STEPS, HALVINGS = 200, 40
ROUNDING = 1e-14
SEPARATED = 1e-6
TOGETHER = 4096
"""Rows whose arrays stay in the second-level cache."""


def t_logistic_minimiser(weights: ArrayLike) -> Floats:
    r"""The better of the stationary points reached from 0 and from a perfect classifier, by row.

    Newton's method with the sizes of the eigenvalues in place of the eigenvalues, as the loss is
    not convex; steps are halved until the risk falls. Without noise there is no minimiser: the
    risk falls to 0 along rays, and one millionth is enough.

    Parameters
    ----------
    weights : array-like, shape (m, 6)
        Masses of each point with label 1 and with label -1, in turns.

    Returns
    -------
    array, shape (m, 2)

    Examples
    --------
    >>> omega = t_logistic_minimiser([[0.5, 0.0, 0.25, 0.0, 0.25, 0.0]])
    >>> bool(np.all(omega @ POINTS.T > 1))
    True
    """
    masses = np.asarray(weights, dtype=np.float64)
    return np.concatenate([
        _of_some(masses[start : start + TOGETHER])
        for start in range(0, max(1, len(masses)), TOGETHER)
    ])


def _of_some(masses: Floats) -> Floats:
    m = len(masses)
    twice = np.concatenate([masses] * len(STARTS))
    omega = np.repeat(np.array(STARTS), m, axis=0)
    active = np.arange(len(omega))
    for _ in range(STEPS):
        active = _newton_step(omega, active, twice)
        if not active.size:
            break
    risks = _risk(omega, twice).reshape(len(STARTS), m)
    best = np.argmin(risks, axis=0)
    return np.asarray(omega.reshape(len(STARTS), m, 2)[best, np.arange(m)])


def _newton_step(omega: Floats, active: NDArray[np.intp], masses: Floats) -> NDArray[np.intp]:
    """Move the active rows of ``omega`` in place; which of them could be improved."""
    here, mass = omega[active], masses[active]
    value, gradient, (xx, xy, yy) = _derivatives(here, mass)
    middle, radius = (xx + yy) / 2, np.hypot((xx - yy) / 2, xy)
    largest = np.abs(middle) + radius
    least = np.maximum(1e-10 * largest, 1e-300)
    upper = 1 / np.maximum(np.abs(middle + radius), least)
    lower = 1 / np.maximum(np.abs(middle - radius), least)
    # A function of the matrix is a multiple of the identity plus one of the matrix.
    slope = (upper - lower) / (2 * np.maximum(radius, 1e-300))
    offset = (upper + lower) / 2 - slope * middle
    step = np.empty_like(gradient)
    step[:, 0] = -(offset + slope * xx) * gradient[:, 0] - slope * xy * gradient[:, 1]
    step[:, 1] = -slope * xy * gradient[:, 0] - (offset + slope * yy) * gradient[:, 1]
    decrease = gradient[:, 0] * step[:, 0] + gradient[:, 1] * step[:, 1]
    # So near that rounding hides the gain, the step is taken whole, and is the last.
    last = -decrease <= ROUNDING * np.maximum(1.0, value)
    omega[active[last]] += step[last]
    left, moved, length = np.flatnonzero(~last & (value > SEPARATED)), [], 1.0
    for _ in range(HALVINGS):
        if not left.size:
            break
        trial = here[left] + length * step[left]
        new = _risk(trial, mass[left])
        better = (new <= value[left] + 1e-4 * length * decrease[left]) & (new < value[left])
        omega[active[left[better]]] = trial[better]
        moved.append(left[better])
        left, length = left[~better], length / 2
    return active[np.concatenate(moved)] if moved else active[:0]


def _folded(omega: Floats, masses: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Margins, their sizes, and the masses of labels that agree and disagree with their signs."""
    scores = omega @ POINTS.T
    positive = scores >= 0
    agree = np.where(positive, masses[:, ::2], masses[:, 1::2])
    return scores, np.abs(scores), agree, masses[:, ::2] + masses[:, 1::2] - agree


def _risk(omega: Floats, masses: Floats) -> Floats:
    _, size, agree, other = _folded(omega, masses)
    weight = 1 / (np.sqrt(1 + size * size / 4) + size / 2)
    return np.asarray(np.sum((agree + other) * np.log1p(weight) - other * np.log(weight), axis=1))


def _derivatives(
    omega: Floats, masses: Floats
) -> tuple[Floats, Floats, tuple[Floats, Floats, Floats]]:
    """Risk, gradient and the entries of the matrix of second derivatives, by row."""
    scores, size, agree, other = _folded(omega, masses)
    root = np.sqrt(1 + size * size / 4)
    weight = 1 / (root + size / 2)
    value = np.sum((agree + other) * np.log1p(weight) - other * np.log(weight), axis=1)
    # Slopes at +|u| and at -|u| are -share * weight and -share.
    share = 1 / (2 * root * (1 + weight))
    slope = share * (other - agree * weight)
    bend = size / (4 * root * root)
    curvature = share * (
        agree * weight * ((0.5 / root + bend) - share * weight)
        + other * ((0.5 / root - bend) - share)
    )
    gradient = np.where(scores < 0, -slope, slope)
    second = curvature @ SQUARES
    return value, gradient @ POINTS, (second[:, 0], second[:, 1], second[:, 2])
