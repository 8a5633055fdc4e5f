"""Steps of the proof of Proposition 3, worked in fractions."""

from __future__ import annotations

import functools
import itertools
import math
import random
from collections.abc import Iterator
from fractions import Fraction
from operator import mul
from typing import Any

from noisytheory.topics.multiclass.exactly import Vector, dot
from noisytheory.trial.claim import Certificate

ZERO, ONE = Fraction(0), Fraction(1)


def shattered(classes: int, dimension: int) -> Iterator[Certificate]:
    """Points of a circle at a height, all of whose subsets some region is: in three dimensions."""
    corners = [(1, 0), (4, 3), (3, 4), (0, 1), (-3, 4), (-4, 3), (-1, 0), (0, -1)][: classes - 2]
    # In whole numbers: 25 times points of norm 1 at the height .6.
    circle = [(20 * a // size, 20 * b // size, 15)
              for a, b in corners for size in [math.isqrt(a * a + b * b)]]
    alone = []
    for x in circle:
        others = max(x[0] * y[0] + x[1] * y[1] for y in circle if y is not x)
        alone.append((30 * x[0], 30 * x[1], -(others + x[0] ** 2 + x[1] ** 2)))
    realised = 0
    for subset in itertools.product((False, True), repeat=len(circle)):
        # Class 0 is p; class k + 2 cuts off point k alone, or nothing.
        weights = [(0, 0, 0), (0, 0, -1)]
        weights += [(0, 0, -1) if kept else cut for cut, kept in zip(alone, subset, strict=True)]
        # Region 0: the product with its own weights, which are 0, is at least all others.
        inside = tuple(all(sum(map(mul, w, x)) <= 0 for w in weights[1:]) for x in circle)
        realised += inside == subset
    count = len(circle) if realised == 2 ** len(circle) else 0
    yield Certificate(count, dimension + 1, [("subsets", realised)])


def losses(most: str) -> Iterator[Certificate]:
    """Values 2 - <w_q - w_p, x> of the appendix's loss for weights and points in the unit ball."""
    corners: list[Vector] = [[ONE, ZERO], [-ONE, ZERO], [Fraction(3, 5), Fraction(4, 5)]]
    for first, second, x in itertools.product(corners, repeat=3):
        yield Certificate(2 - (dot(first, x) - dot(second, x)), Fraction(most))


def least_bound(epsilon: float, dimension: int, sign: int) -> Iterator[Certificate]:
    """The least value of (21)'s right side over sample sizes up to 2^13, against 1."""
    least = min(
        (8 / epsilon) ** (dimension + 1) * math.exp(sign * 2**k * epsilon**2 / 512)
        for k in range(14)
    )
    rounding = Fraction(1, 10**12)
    yield Certificate((Fraction(least) * (1 - rounding), Fraction(least) * (1 + rounding)), 1)


def ghosts(least: int) -> Iterator[Certificate]:
    """Chance that a mean of m losses 0 or 4 is off by more than epsilon/2, m epsilon^2 given."""
    for m in range(1, 17):
        for p in range(1, 9):
            # |4 k/m - 4 p/16| > epsilon/2, squared and times 16 m^2; chances in 16ths to the m.
            off = sum(
                math.comb(m, k) * p**k * (16 - p) ** (m - k)
                for k in range(m + 1) if (16 * k - m * p) ** 2 > 4 * least * m
            )
            yield Certificate(Fraction(off, 16**m), ONE / 2, [
                ("examples", m), ("chance of a loss", Fraction(p, 16)),
            ])


FUNCTIONS = ((0, 4, 1), (3, 1, 0))
"""Losses of two functions at three points."""


def swapped(number: str) -> Iterator[Certificate]:
    """Chance that two samples differ by epsilon/2 on some function, and its mean over the swaps."""
    for m in (1, 2, 3):
        each, samples = _all_swaps(m), sum(LAW) ** (2 * m)
        for half in (m, 2 * m, 3 * m):
            chance = sum(mass for mass, gaps in each if gaps[0] >= half)
            total = sum(mass * sum(gap >= half for gap in gaps) for mass, gaps in each)
            over = 2**m if number == "of swaps" else 2 * m
            yield Certificate(
                Fraction(chance, samples), Fraction(total, samples * over), [("examples", m)]
            )


LAW = (3, 2, 1)
"""Chances of the three points, in sixths."""


@functools.cache
def _all_swaps(m: int) -> list[tuple[int, list[int]]]:
    """Of each two samples their chance, and what they differ by in every swap, first in none."""

    def apart(pairs: Any) -> int:
        """By how much the sums of the two samples differ."""
        return max(abs(sum(f[a] - f[b] for a, b in pairs)) for f in FUNCTIONS)

    return [
        (math.prod(LAW[a] * LAW[b] for a, b in pairs), [
            apart([(b, a) if turn else (a, b)
                   for turn, (a, b) in zip(signs, pairs, strict=True)])
            for signs in itertools.product((False, True), repeat=m)
        ]) for pairs in itertools.product(itertools.product(range(3), repeat=2), repeat=m)
    ]


def covered(times: int) -> Iterator[Certificate]:
    """What two samples differ by on a function more than on its neighbour in a cover."""
    rng = random.Random(7)
    for case in range(40):
        m, eighth = rng.randint(1, 4), Fraction(rng.randint(1, 4), 8)
        losses = [[Fraction(rng.randint(0, 16), 4) for _ in range(m)] for _ in range(2)]
        # The neighbour is within epsilon/8 at every point of both samples: at first as far as it
        # may be, the one way on one sample and the other way on the other.
        off = [
            [eighth * (sign if not case % 2 else Fraction(rng.randint(-4, 4), 4)) for _ in range(m)]
            for sign in (1, -1)
        ]
        ours, near = (
            abs(sum(a, ZERO) - sum(b, ZERO)) / m
            for a, b in (losses, [[v - d for v, d in zip(*rows, strict=True)]
                                  for rows in zip(losses, off, strict=True)])
        )
        yield Certificate(ours - near, times * eighth, [("function", ours), ("neighbour", near)])


def swaps(m: int, epsilon: float, constant: int) -> Iterator[Certificate]:
    """Exact chance that swaps of losses 0 and 4 move the mean by epsilon/4 or more."""
    # (1/m) |sum of m signs times 4| >= epsilon/4: so many more signs of the one kind, or the other.
    m = int(m)
    least = (m + math.ceil(Fraction(epsilon) * m / 16) + 1) // 2
    ways, chance = math.comb(m, least), 0
    for k in range(least, m + 1):
        chance += 2 * ways
        ways = ways * (m - k) // (k + 1)
    bound, rounding = Fraction(2 * math.exp(-m * epsilon**2 / constant)), Fraction(1, 10**12)
    yield Certificate(
        Fraction(chance, 2**m), (bound * (1 - rounding), bound * (1 + rounding)),
        [("m", m), ("epsilon", Fraction(epsilon))],
    )
