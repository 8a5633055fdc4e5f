r"""Where a smooth potential's risk on the three points is least: inside a triangle, for certain.

At any $q$ a convex risk's minimisers lie in the half-plane $\langle g(q),\omega-q\rangle\le0$, with
$g$ its gradient. Three such cuts around a guess leave a triangle, however good the guess.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.surrogates.long_servedio.three_points import MASSES, points
from noisytheory.vocabulary import enclosures
from noisytheory.vocabulary.exact import Enclosed, Undecided

__all__ = ["enclosed_scores"]

Floats = NDArray[np.float64]
REACH = 1e-6
"""How far from the guess the cuts are made: there the risk rises by half the square of this."""


def _exp(v: Fraction) -> Enclosed:
    low, high = enclosures.exp(np.array([v], dtype=object))
    return Enclosed.of(low[0], high[0])


SLOPES: dict[str, Callable[[Fraction], Any]] = {
    "logistic": lambda v: -(1 / (1 + _exp(v))),
    "exponential": lambda v: -_exp(-v),
    "squared hinge": lambda v: -2 * max(1 - v, Fraction(0)),
}
"""Derivatives of the potentials."""


def _slope(potential: str, sigma: Fraction, v: Fraction) -> Any:
    r"""Derivative of $(1-\sigma)\psi(v)+\sigma\psi(-v)$."""
    slope = SLOPES[potential]
    return (1 - sigma) * slope(v) + sigma * -slope(-v)


def _around(potential: str, R: Fraction, sigma: Fraction, guess: Floats) -> Floats:
    """Three points around a guess, equally far in the metric of the risk's curvature."""
    places, bend = np.array(points(R), float), []
    for score in (places @ guess).tolist():
        ahead, behind = (
            Enclosed.of(_slope(potential, sigma, Fraction(score + h))) for h in (1e-4, -1e-4)
        )
        bend.append(float((ahead - behind).low) / 2e-4)
    second = places.T @ ((np.array(MASSES, float) * bend)[:, None] * places)
    turns = 2 * math.pi * np.arange(3) / 3
    unit = np.stack([np.cos(turns), np.sin(turns)])
    return np.asarray(guess + REACH * np.linalg.solve(np.linalg.cholesky(second).T, unit).T)


def enclosed_scores(
    potential: str, R: Fraction, sigma: Fraction, guess: Floats
) -> list[tuple[Fraction, Fraction]]:
    r"""Least and largest score of each point over a triangle that holds all minimisers.

    Parameters
    ----------
    potential : str
        One of `SLOPES`.
    R, sigma : Fraction
        How far out the third point lies, and the noise rate.
    guess : array, shape (2,)
        Where the risk on $P_\sigma$ is thought to be least.

    Returns
    -------
    list of pairs of Fraction

    Raises
    ------
    Undecided
        If the cuts leave no triangle: the guess was bad.
    """
    cuts = []
    for place in _around(potential, R, sigma, guess).tolist():
        x, y = (Fraction(v) for v in place)
        a = b = Enclosed.of(0)
        for mass, (p, q) in zip(MASSES, points(R), strict=True):
            slope = mass * _slope(potential, sigma, x * p + y * q)
            a, b = a + slope * p, b + slope * q
        cuts.append((a, b, a * x + b * y))
    corners = []
    for (a, b, c), (d, e, f) in zip(cuts, cuts[1:] + cuts[:1], strict=True):
        turn = a * e - b * d
        if not turn > 0:
            raise Undecided("the cuts leave no triangle")
        corners.append(((c * e - f * b) / turn, (a * f - d * c) / turn))
    scores = [[u * p + v * q for u, v in corners] for p, q in points(R)]
    return [(min(s.low for s in row), max(s.high for s in row)) for row in scores]
