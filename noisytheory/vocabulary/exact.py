"""Numbers that are exact: lattices and whole points, fractions, and the intervals around roots."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Enclosed", "Undecided", "around", "compositions", "eliminated", "enclosed_root", "ends",
    "fractions", "lattice", "over", "root", "simplex", "sphere", "whole",
]

Ints: TypeAlias = NDArray[np.int64]
Numbers: TypeAlias = Any
"""An array of floats, or of fractions."""


def lattice(low: int, high: int, step: int) -> list[Fraction]:
    """All multiples of ``1/step`` from ``low`` to ``high``.

    Examples
    --------
    >>> [str(v) for v in lattice(-1, 0, 2)]
    ['-1', '-1/2', '0']
    """
    return [Fraction(k, step) for k in range(low * step, high * step + 1)]


def compositions(total: int, parts: int) -> Ints:
    """All ways to write ``total`` as an ordered sum of ``parts`` whole numbers >= 0.

    Parameters
    ----------
    total, parts : int

    Returns
    -------
    int array, shape (number of ways, parts)
        In lexicographic order.

    Examples
    --------
    >>> compositions(2, 2).tolist()
    [[0, 2], [1, 1], [2, 0]]
    """
    rows = np.zeros((1, 0), dtype=np.int64)
    left = np.array([total], dtype=np.int64)
    for _ in range(parts - 1):
        repeat = left + 1
        source = np.repeat(np.arange(len(rows)), repeat)
        start = np.repeat(np.cumsum(repeat) - repeat, repeat)
        value = np.arange(len(source)) - start
        rows = np.column_stack([rows[source], value])
        left = left[source] - value
    return np.column_stack([rows, left])


def simplex(parts: int, total: int) -> list[tuple[Fraction, ...]]:
    """All probability vectors of this length whose entries are multiples of ``1/total``.

    Examples
    --------
    >>> len(simplex(4, 5))
    56
    """
    return [tuple(Fraction(k, total) for k in row) for row in compositions(total, parts).tolist()]


@functools.cache
def sphere(dimension: int, radius: int, inside: bool = False) -> Ints:
    """Whole-number points on the sphere of this radius, or in the ball, in lexicographic order.

    Parameters
    ----------
    dimension, radius : int
    inside : bool
        The ball instead.

    Returns
    -------
    int array, shape (number of points, dimension)
        Read-only.

    Examples
    --------
    >>> len(sphere(2, 5)), len(sphere(5, 4))
    (12, 730)
    """
    axis = np.arange(-radius, radius + 1)
    points = np.stack(np.meshgrid(*[axis] * dimension, indexing="ij"), axis=-1)
    points = points.reshape(-1, dimension)
    squares = np.sum(points**2, axis=1)
    found = points[squares <= radius**2 if inside else squares == radius**2]
    found.flags.writeable = False
    return np.asarray(found)


def fractions(values: Any) -> Any:
    """Nested lists of fractions, of numbers in nested sequences or an array.

    Examples
    --------
    >>> fractions(np.array([0.5, 2])), fractions(Fraction(1, 3))
    ([Fraction(1, 2), Fraction(2, 1)], Fraction(1, 3))
    """
    if hasattr(values, "tolist"):
        values = values.tolist()
    if isinstance(values, list | tuple):
        return [fractions(value) for value in values]
    return Fraction(values)


def whole(values: Any) -> tuple[NDArray[Any], int]:
    """Fractions as whole numbers, and the denominator of them all: sums and products are quicker.

    Examples
    --------
    >>> found, denominator = whole([Fraction(1, 2), Fraction(2, 3)])
    >>> found.tolist(), denominator
    ([3, 4], 6)
    """
    array = np.asarray(values, dtype=object)
    held = array.ravel().tolist()
    denominator = math.lcm(*[value.denominator for value in held])
    out = np.empty(array.shape, dtype=object)
    out.ravel()[:] = [value.numerator * (denominator // value.denominator) for value in held]
    return out, denominator


def over(values: Any, denominator: int) -> NDArray[Any]:
    """Whole numbers, or fractions, over a denominator: back from `whole`.

    Examples
    --------
    >>> over([3, 4], 6).tolist()
    [Fraction(1, 2), Fraction(2, 3)]
    """
    array = np.asarray(values, dtype=object)
    out = np.empty(array.shape, dtype=object)
    none = Fraction(0)
    out.ravel()[:] = [
        Fraction(value, denominator) if value else none for value in array.ravel().tolist()
    ]
    return out


def eliminated(
    rows: list[list[int]], columns: int
) -> tuple[list[list[int]], list[int], int]:
    """Gauss and Jordan in whole numbers (Bareiss), whose divisions are exact.

    Parameters
    ----------
    rows : list of lists of int
    columns : int
        The first of them, in which pivots are looked for.

    Returns
    -------
    rows : list of lists of int
        Those with a pivot first, all other entries of whose column are 0.
    pivots : list of int
        Their columns.
    pivot : int
        What stands at every one of them.

    Examples
    --------
    >>> eliminated([[2, 1, 1], [4, 3, 0]], 2)
    ([[2, 0, 3], [0, 2, -4]], [0, 1], 2)
    """
    rows, last = list(rows), 1
    pivots: list[int] = []
    for column in range(columns):
        at = len(pivots)
        place = next((i for i in range(at, len(rows)) if rows[i][column]), None)
        if place is None:
            continue
        rows[at], rows[place] = rows[place], rows[at]
        own, head = rows[at], rows[at][column]
        for i, row in enumerate(rows):
            if i != at:
                rows[i] = [(head * a - row[column] * b) // last
                           for a, b in zip(row, own, strict=True)]
        pivots.append(column)
        last = head
    return rows, pivots, last


def root(square: Any) -> Any:
    """Square roots: floats of floats; of fractions the ends of intervals that hold them.

    Parameters
    ----------
    square : array of numbers >= 0

    Returns
    -------
    array, or pair of arrays
        Low and high, equal where the root is rational.

    Examples
    --------
    >>> root(np.array([4.0])).tolist()
    [2.0]
    >>> low, high = root(np.array([Fraction(9, 16), Fraction(2)]))
    >>> low[0], high[0], bool(low[1] ** 2 < 2 < high[1] ** 2)
    (Fraction(3, 4), Fraction(3, 4), True)
    """
    squares = np.asarray(square)
    if squares.dtype != object:
        return np.sqrt(squares)
    low, high = np.frompyfunc(enclosed_root, 1, 2)(squares)
    return low, high


def enclosed_root(
    square: Fraction | int, places: int = 10**12
) -> tuple[Fraction, Fraction]:
    """A rational interval that holds the square root, ``1/places`` wide; a point where it is one.

    Examples
    --------
    >>> enclosed_root(Fraction(4, 9))
    (Fraction(2, 3), Fraction(2, 3))
    """
    square = Fraction(square)
    exactly = Fraction(isqrt(square.numerator), isqrt(square.denominator))
    if exactly**2 == square:
        return exactly, exactly
    low = isqrt(square.numerator * places**2 // square.denominator)
    return Fraction(low, places), Fraction(low + 1, places)


def around(value: float) -> tuple[Fraction, Fraction]:
    """A rational interval around a correctly computed float, wider than its rounding.

    Examples
    --------
    >>> low, high = around(1.0)
    >>> low < 1 < high
    True
    """
    middle = Fraction(value)
    slack = Fraction(1, 10**13) * max(Fraction(1), abs(middle))
    return middle - slack, middle + slack


PRECISION = 2**512
"""An `Enclosed` number's ends are multiples of its inverse."""


class Undecided(ArithmeticError):
    """Two intervals overlap, so that no comparison is certain."""


@dataclass(frozen=True, eq=False)
class Enclosed:
    """A number known to lie in a rational interval: for sequences whose fractions outgrow memory.

    Every operation rounds outwards, and a comparison that the intervals leave open raises
    `Undecided`: what comes out is certain.

    Parameters
    ----------
    low, high : Fraction

    Examples
    --------
    >>> third = Enclosed.of(Fraction(1, 3))
    >>> (third * 3).low < 1 < (third * 3).high, third + third > third, str(third)
    (True, True, 'about 0.333333333333')
    >>> third > Fraction(1, 3)
    Traceback (most recent call last):
    noisytheory.vocabulary.exact.Undecided: the intervals overlap
    """

    low: Fraction
    high: Fraction

    @classmethod
    def of(cls, value: Any, high: Any = None) -> Enclosed:
        """The least interval of this precision around a number, or around an interval."""
        if isinstance(value, Enclosed):
            return value
        low, high = Fraction(value), Fraction(value if high is None else high)
        below = low.numerator * PRECISION // low.denominator
        above = -(-high.numerator * PRECISION // high.denominator)
        return cls(Fraction(below, PRECISION), Fraction(above, PRECISION))

    def _products(self, other: Any) -> Enclosed:
        other = Enclosed.of(other)
        found = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Enclosed.of(min(found), max(found))

    def __add__(self, other: Any) -> Enclosed:
        other = Enclosed.of(other)
        return Enclosed(self.low + other.low, self.high + other.high)

    def __neg__(self) -> Enclosed:
        return Enclosed(-self.high, -self.low)

    def __sub__(self, other: Any) -> Enclosed:
        return self + -Enclosed.of(other)

    def __rsub__(self, other: Any) -> Enclosed:
        return (-self).__add__(other)

    def __mul__(self, other: Any) -> Enclosed:
        return self._products(other)

    def __radd__(self, other: Any) -> Enclosed:
        return self.__add__(other)

    def __rmul__(self, other: Any) -> Enclosed:
        return self.__mul__(other)

    def __truediv__(self, other: Any) -> Enclosed:
        other = Enclosed.of(other)
        if not other > 0:
            raise ValueError(f"a divisor must be above 0, got {other}")
        return self * Enclosed.of(1 / other.high, 1 / other.low)

    def __rtruediv__(self, other: Any) -> Enclosed:
        return Enclosed.of(other).__truediv__(self)

    def __pow__(self, power: int) -> Enclosed:
        if power != 2:
            raise ValueError(f"power must be 2, got {power}")
        square = self * self
        return Enclosed(max(square.low, Fraction(0)), square.high)

    def __abs__(self) -> Enclosed:
        return self if self > 0 else -self

    def _above(self, other: Any, *, ties: bool) -> bool:
        low, high = (other.low, other.high) if isinstance(other, Enclosed) else (other, other)
        if self.low > high or (ties and self.low == high):
            return True
        if self.high < low or (not ties and self.high == low):
            return False
        raise Undecided("the intervals overlap")

    def __gt__(self, other: Any) -> bool:
        return self._above(other, ties=False)

    def __ge__(self, other: Any) -> bool:
        return self._above(other, ties=True)

    def __lt__(self, other: Any) -> bool:
        return not self >= other

    def __le__(self, other: Any) -> bool:
        return not self > other

    def __str__(self) -> str:
        return f"about {float(self.low):.12g}"


def ends(values: Numbers) -> Any:
    """Both ends of numbers some of which are `Enclosed`; other numbers as they are.

    Examples
    --------
    >>> low, high = ends(np.array([Fraction(1, 2), Enclosed(Fraction(1), Fraction(2))]))
    >>> low.tolist(), high.tolist()
    ([Fraction(1, 2), Fraction(1, 1)], [Fraction(1, 2), Fraction(2, 1)])
    """
    array = np.asarray(values)
    if array.dtype != object or not any(isinstance(v, Enclosed) for v in array.ravel()):
        return values
    low, high = array.copy(), array.copy()
    for at, value in np.ndenumerate(array):
        if isinstance(value, Enclosed):
            low[at], high[at] = value.low, value.high
    return low, high
