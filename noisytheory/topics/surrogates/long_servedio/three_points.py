r"""The three points of `long_servedio` in fractions, and minimisers of noisy risks on them.

The noisy risk of a piecewise linear potential is convex and piecewise linear in the plane, so its
least value is taken at an intersection of two lines on which a margin sits at a kink; all of them
are tried, in fractions.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TypeAlias

import numpy as np

from noisytheory.vocabulary import exact, joint_masses
from noisytheory.vocabulary.populations import long_servedio

__all__ = ["BENT", "FLOATS", "HINGE", "MASSES", "POPULATION", "PiecewiseLinear", "margins",
           "minimisers", "points", "risk", "risk01", "two_slopes"]

Vector: TypeAlias = tuple[Fraction, Fraction]

POPULATION = long_servedio().joint
"""Masses of the points and both labels."""
FLOATS = np.array(POPULATION, float)
MASSES: tuple[Fraction, ...] = tuple(POPULATION[:, 0])
"""All are of the positive label."""


@dataclass(frozen=True)
class PiecewiseLinear:
    """A convex piecewise linear potential.

    Parameters
    ----------
    name : str
    value : callable
        From a margin to its value, in fractions.
    kinks : tuple of Fraction
        Margins where the slope changes.
    """

    name: str
    value: Callable[[Fraction], Fraction]
    kinks: tuple[Fraction, ...]

    @property
    def lines(self) -> list[tuple[Fraction, Fraction]]:
        """Slope and intercept of each piece."""
        ends = [self.kinks[0] - 1, *self.kinks, self.kinks[-1] + 1]
        found = []
        for left, right in itertools.pairwise(ends):
            low, high = self.value(left), self.value(right)
            slope = (high - low) / (right - left)
            found.append((slope, low - slope * left))
        return found


HINGE = PiecewiseLinear("hinge", lambda v: max(Fraction(0), 1 - v), (Fraction(1),))


def two_slopes(R: Fraction, q: Fraction) -> PiecewiseLinear:
    r"""$\max\{0,\;q(T-v),\;q(T-1)+1-v\}$ with $T=2R$: slope $-1$ to 1, $-q$ to $T$, then 0.

    Examples
    --------
    >>> potential = two_slopes(Fraction(30), Fraction(3, 10))
    >>> [str(potential.value(Fraction(v))) for v in (0, 1, 60)]
    ['187/10', '177/10', '0']
    """
    end = 2 * R
    return PiecewiseLinear(
        f"slopes -1 and -{q}",
        lambda v: max(Fraction(0), q * (end - v), q * (end - 1) + 1 - v),
        (Fraction(1), end),
    )


BENT = PiecewiseLinear(
    "slopes -3, -1 and 0", lambda v: max(Fraction(0), 1 - v, -3 * v - 1),
    (Fraction(-1), Fraction(1)),
)
"""Steeper than the hinge where the margin is below -1."""


@cache
def points(R: Fraction) -> tuple[Vector, ...]:
    """The three points."""
    return tuple((a, b) for a, b in exact.fractions(long_servedio(R).points))


def margins(R: Fraction, omega: Vector) -> tuple[Fraction, ...]:
    """Scores of the three points."""
    return tuple(omega[0] * a + omega[1] * b for a, b in points(R))


def risk(R: Fraction, omega: Vector, sigma: Fraction, potential: PiecewiseLinear) -> Fraction:
    r"""Risk on $P_\sigma$."""
    return sum(
        (m * ((1 - sigma) * potential.value(u) + sigma * potential.value(-u))
         for m, u in zip(MASSES, margins(R, omega), strict=True)),
        Fraction(0),
    )


def risk01(R: Fraction, omega: Sequence[Fraction]) -> Fraction:
    """Misclassification risk on the clean population, zero scores counted as errors."""
    scores = np.array(margins(R, (Fraction(omega[0]), Fraction(omega[1]))))
    return Fraction(joint_masses.risk(POPULATION, scores))


@cache
def vertices(R: Fraction, kinks: tuple[Fraction, ...]) -> tuple[Vector, ...]:
    """Where two margins sit at kinks, of either sign."""
    lines = [(p, sign * k) for p in points(R) for k in kinks for sign in (1, -1)]
    found = set()
    for (p, a), (q, b) in itertools.combinations(lines, 2):
        determinant = p[0] * q[1] - p[1] * q[0]
        if determinant:
            found.add(((a * q[1] - b * p[1]) / determinant, (p[0] * b - q[0] * a) / determinant))
    return tuple(sorted(found))


def minimisers(
    R: Fraction, sigma: Fraction, potential: PiecewiseLinear
) -> tuple[Fraction, list[Vector]]:
    r"""The least risk on $P_\sigma$ and the vertices that attain it.

    Parameters
    ----------
    R : Fraction
        How far out the third point lies.
    sigma : Fraction
        Noise rate.
    potential : PiecewiseLinear

    Returns
    -------
    value : Fraction
    omegas : list of pairs of Fraction
        All minimisers are mixtures of these, for a positive noise rate.

    Examples
    --------
    >>> value, omegas = minimisers(Fraction(30), Fraction(15, 100), HINGE)
    >>> str(value), [[str(w) for w in omega] for omega in omegas]
    ('169/225', [['1/30', '29/90']])
    """
    corners = vertices(R, potential.kinks)
    losses = _losses_at(R, sigma, potential)
    risks = [losses(w) for w in corners]
    least = min(risks)
    return least, [w for value, w in zip(risks, corners, strict=True) if value == least]


def _losses_at(
    R: Fraction, sigma: Fraction, potential: PiecewiseLinear
) -> Callable[[Vector], Fraction]:
    """`risk` of a classifier, in whole numbers: a convex potential is the largest of its lines."""
    lines = potential.lines
    low = math.lcm(*(value.denominator for line in lines for value in line))
    slopes = [(int(slope * low), int(level * low)) for slope, level in lines]
    places = points(R)
    far = math.lcm(*(value.denominator for place in places for value in place))
    shares = [(m * (1 - sigma), m * sigma) for m in MASSES]
    of = math.lcm(*(share.denominator for pair in shares for share in pair))
    atoms = [
        (int(a * far), int(b * far), int(right * of), int(wrong * of))
        for (a, b), (right, wrong) in zip(places, shares, strict=True)
    ]

    def lost(omega: Vector) -> Fraction:
        own = math.lcm(omega[0].denominator, omega[1].denominator)
        first, second = int(omega[0] * own), int(omega[1] * own)
        one, total = own * far, 0
        for a, b, right, wrong in atoms:
            margin = first * a + second * b
            total += right * max([slope * margin + level * one for slope, level in slopes])
            total += wrong * max([level * one - slope * margin for slope, level in slopes])
        return Fraction(total, one * low * of)

    return lost
