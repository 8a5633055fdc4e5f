"""Steps of the proof of Proposition 3, worked in fractions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

from noisytheory.topics.multiclass.exactly import Matrix, Vector, dot
from noisytheory.trial.claim import Certificate

ZERO, ONE = Fraction(0), Fraction(1)


def shattered(classes: int, dimension: int) -> Iterator[Certificate]:
    """Points of a circle at a height, all of whose subsets some region is: in three dimensions."""
    corners = [(1, 0), (4, 3), (3, 4), (0, 1), (-3, 4), (-4, 3), (-1, 0), (0, -1)][: classes - 2]
    circle = []
    for a, b in corners:
        size = Fraction(math.isqrt(a * a + b * b))
        circle.append([Fraction(4, 5) * a / size, Fraction(4, 5) * b / size, Fraction(3, 5)])
    realised = 0
    for subset in itertools.product((False, True), repeat=len(circle)):
        # Class 0 is p; class k + 2 cuts off point k alone, or nothing.
        weights: Matrix = [[ZERO, ZERO, ZERO], [ZERO, ZERO, -ONE]]
        for x, kept in zip(circle, subset, strict=True):
            if kept:
                weights.append([ZERO, ZERO, -ONE])
            else:
                others = max(x[0] * y[0] + x[1] * y[1] for y in circle if y is not x)
                own = x[0] ** 2 + x[1] ** 2
                weights.append([x[0], x[1], -(others + own) / 2 / Fraction(3, 5)])
        # Region 0: the product with its own weights, which are 0, is at least all others.
        inside = tuple(all(dot(w, x) <= 0 for w in weights[1:]) for x in circle)
        realised += inside == subset
    count = len(circle) if realised == 2 ** len(circle) else 0
    yield Certificate(count, dimension + 1, [("subsets", realised)])


def losses(most: str) -> Iterator[Certificate]:
    """Values 2 - <w_q - w_p, x> of the appendix's loss for weights and points in the unit ball."""
    corners: list[Vector] = [[ONE, ZERO], [-ONE, ZERO], [Fraction(3, 5), Fraction(4, 5)]]
    for first, second, x in itertools.product(corners, repeat=3):
        yield Certificate(2 - (dot(first, x) - dot(second, x)), Fraction(most))


def swaps(m: int, epsilon: float, constant: int) -> Iterator[Certificate]:
    """Exact chance that swaps of losses 0 and 4 move the mean by epsilon/4 or more."""
    # (1/m) |sum of m signs times 4| >= epsilon/4.
    m = int(m)
    least = math.ceil(Fraction(epsilon) * m / 16)
    chance = sum(math.comb(m, k) for k in range(m + 1) if abs(2 * k - m) >= least)
    bound, rounding = Fraction(2 * math.exp(-m * epsilon**2 / constant)), Fraction(1, 10**12)
    yield Certificate(
        Fraction(chance, 2**m), (bound * (1 - rounding), bound * (1 + rounding)),
        [("m", m), ("epsilon", Fraction(epsilon))],
    )
