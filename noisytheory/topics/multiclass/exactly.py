"""Words for populations in fractions: products, roots, regions and their means, margins, errors.

Everything is a list of fractions, or an array of them; the algorithms that work on them are the
public ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from noisytheory.vocabulary.exact import fractions, over, whole
from noisytheory.vocabulary.joint_masses import error, labelled, least_margin

__all__ = [
    "Exact", "dot", "error_of", "fractions", "gap_of", "means", "regions", "root", "scores",
    "squared", "transposed", "unit",
]

Vector: TypeAlias = list[Fraction]
Matrix: TypeAlias = list[Vector]
Exact: TypeAlias = Any

DIGITS = 10**40


def dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    """Inner product."""
    # In whole numbers over one denominator, brought to lowest terms once: fractions are slow.
    top, bottom = 0, 1
    for x, y in zip(a, b, strict=True):
        if x and y:
            over = x.denominator * y.denominator
            common = math.lcm(bottom, over)
            top *= common // bottom
            top += x.numerator * y.numerator * (common // over)
            bottom = common
    return Fraction(top, bottom)


def squared(a: Vector) -> Fraction:
    """Squared norm."""
    return dot(a, a)


def root(square: Fraction) -> Fraction:
    """Square root: exact where it is rational, else to 40 digits from below."""
    top, bottom = math.isqrt(square.numerator), math.isqrt(square.denominator)
    if top * top == square.numerator and bottom * bottom == square.denominator:
        return Fraction(top, bottom)
    return Fraction(math.isqrt(square.numerator * DIGITS**2 // square.denominator), DIGITS)


def unit(classes: int) -> Matrix:
    """The identity."""
    return [[Fraction(i == j) for j in range(classes)] for i in range(classes)]


def transposed(matrix: Matrix) -> Matrix:
    """Rows as columns."""
    return [list(row) for row in zip(*matrix, strict=True)]


def regions(
    points: Matrix, weights: Matrix, alpha: Fraction = Fraction(0), *, shared: bool = True
) -> list[list[bool]]:
    """Whether each point (inner) lies in each class's region (outer)."""
    found, unit_of_scores = _whole_scores(points, weights)
    each = found.tolist()
    if not shared and alpha == 0:
        return [[s.index(max(s)) == p for s in each] for p in range(len(weights))]
    lead = math.ceil(alpha * unit_of_scores)
    return [
        [all(s[p] - s[k] >= lead for k in range(len(s)) if k != p) for s in each]
        for p in range(len(weights))
    ]


def means(points: Matrix, masses: Vector, labels: Sequence[int], inside: list[bool],
          true: int) -> Vector:
    """Sum of mass times point over those of a true class within a region."""
    there = [i for i, within in enumerate(inside) if within and labels[i] == true]
    return [dot([masses[i] for i in there], [points[i][j] for i in there])
            for j in range(len(points[0]))]


def gap_of(weights: Matrix, points: Matrix, labels: Sequence[int]) -> Fraction:
    """Least difference of scores, not divided by any norm."""
    found, unit_of_scores = _whole_scores(points, weights)
    return Fraction(int(least_margin(found, labels)), unit_of_scores)


def _whole_scores(points: Matrix, weights: Matrix) -> tuple[NDArray[Any], int]:
    """Scores of points (rows) by class as whole numbers, and what 1 is in them."""
    (x, per_point), (w, per_weight) = whole(points), whole(weights)
    return x @ w.T, per_point * per_weight


def scores(points: Matrix, weights: Matrix) -> NDArray[Any]:
    """Of points (rows) by class."""
    return over(*_whole_scores(points, weights))


def error_of(
    points: Matrix, masses: Vector, labels: Sequence[int], weights: Exact
) -> Fraction:
    """Mass of wrong predictions, the lowest of tied classes predicted."""
    clean = labelled(np.array(masses), labels, len(weights))
    return Fraction(error(clean, _whole_scores(points, weights)[0].argmax(axis=1)))
