r"""Samples of unit vectors with rational coordinates, and what their claims measure of them.

Atoms are signed features $y\phi(x)$ on the unit circle.
"""

from __future__ import annotations

import functools
import itertools
import operator
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from noisytheory.vocabulary.exact import enclosed_root, lattice

__all__ = [
    "BALL", "CIRCLE", "HERDED", "LARGER", "PLANE", "RATIONAL", "SAMPLES", "TRIPLES", "UNEVEN",
    "UNIT", "Vector",
    "combined", "dot", "has_length", "length", "mean_of", "show", "steps_of", "times",
]

UNIT = "features of norm 1"
Vector: TypeAlias = tuple[Fraction, ...]


def _circle(whole: int) -> list[Vector]:
    """Points of the unit circle whose coordinates are multiples of a part of 1."""
    side = range(-whole, whole + 1)
    return [(Fraction(a, whole), Fraction(b, whole))
            for a in side for b in side if a * a + b * b == whole**2]


CIRCLE = _circle(5)
TRIPLES: list[tuple[Vector, ...]] = list(itertools.combinations_with_replacement(CIRCLE, 3))
"""Every sample of three of the twelve points."""

BALL: list[Vector] = [
    (u, v) for u in lattice(-1, 1, 5) for v in lattice(-1, 1, 5) if u * u + v * v <= 1
]
PLANE: list[Vector] = [(u, v) for u in lattice(-3, 3, 2) for v in lattice(-3, 3, 2)]
HERDED: tuple[Vector, ...] = (
    (Fraction(3, 5), Fraction(4, 5)), (Fraction(1), Fraction(0)),
    (Fraction(7, 25), Fraction(24, 25)), (Fraction(3, 5), Fraction(-4, 5)),
    (Fraction(4, 5), Fraction(-3, 5)),
)
"""A sample whose mean is not the direction of its support vector machine."""


def dot(u: Sequence[Fraction], v: Sequence[Fraction]) -> Fraction:
    """Inner product."""
    total: Fraction = functools.reduce(operator.add, map(operator.mul, u, v))
    return total


def times(c: Fraction, v: Vector) -> Vector:
    """A multiple."""
    return tuple(c * value for value in v)


def combined(weights: Sequence[Fraction], atoms: Sequence[Vector]) -> Vector:
    """Their weighted sum."""
    return tuple(dot(weights, along) for along in zip(*atoms, strict=True))


def mean_of(sample: Sequence[Vector]) -> Vector:
    """The mean."""
    sums = (functools.reduce(operator.add, along) for along in zip(*sample, strict=True))
    return tuple(total / len(sample) for total in sums)


def length(v: Vector) -> Fraction:
    """Norm of a vector of `RATIONAL`, or 0."""
    low, high = enclosed_root(dot(v, v))
    if low != high:
        raise ValueError(f"v must have a rational norm, got {show([v])}")
    return low


def has_length(v: Vector) -> bool:
    """Whether the norm is rational."""
    low, high = enclosed_root(dot(v, v))
    return low == high


def show(sample: Sequence[Vector]) -> str:
    """For a reader."""
    return ", ".join(f"({', '.join(map(str, a))})" for a in sample)


def steps_of(sample: Sequence[Vector], mean: Vector) -> list[tuple[str, object]]:
    """What a reader follows, whatever the classifier."""
    return [("signed features", show(sample)), ("mean", show([mean]))]


def _alike(sample: Sequence[Vector]) -> Iterator[tuple[Vector, ...]]:
    """The sample under the eight symmetries of a square."""
    for first, second, swap in itertools.product((1, -1), (1, -1), (False, True)):
        moved = [(first * u, second * v) for u, v in sample]
        yield tuple(sorted((v, u) if swap else (u, v) for u, v in moved))


SAMPLES: list[tuple[Vector, ...]] = sorted({min(_alike(sample)) for sample in TRIPLES})
"""Every one of `TRIPLES` but for the symmetries of a square, which change no length."""


def _drawn(sites: Sequence[Vector], size: int, count: int) -> list[tuple[Vector, ...]]:
    """Random samples of six of these points at most, some of them often: weights are uneven."""
    draws = random.Random(size)
    return [
        tuple(sorted(draws.choices(draws.sample(list(sites), 6), (6, 4, 3, 2, 1, 1), k=size)))
        for _ in range(count)
    ]


LARGER: list[tuple[Vector, ...]] = _drawn(_circle(65), 9, 6)
"""Six random samples of nine of the thirty-six points of the circle that are 65ths."""


def _rational(sample: Sequence[Vector]) -> bool:
    mean = mean_of(sample)
    return any(mean) and has_length(mean)


RATIONAL: list[tuple[Vector, ...]] = [sample for sample in SAMPLES if _rational(sample)]
"""Those of `SAMPLES` whose mean has a rational norm, above 0: its unit vector is rational."""
UNEVEN: list[tuple[Vector, ...]] = [*filter(_rational, _drawn(CIRCLE, 7, 30))]
"""Of thirty random samples of seven of the twelve points those whose mean has a rational norm."""
