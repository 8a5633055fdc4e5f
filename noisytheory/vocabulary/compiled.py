"""Loops over tiles of kernel values, compiled: they ask for no lock, and other threads go on."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

__all__ = [
    "add_gaussians", "add_powers", "add_products", "moved_towards", "powers_of_two", "stripe_sums",
]

TAYLOR = tuple(math.log(2) ** k / math.factorial(k) for k in range(12, -1, -1))
"""Of $2^r$ with $|r|\\le1/2$, the highest power first: what is left out is below rounding."""
NEAREST = 1.5 * 2.0**52
"""A double that has the whole numbers beside it for neighbours."""
LEAST = -1022.0
"""Below it powers of 2 are 0 here: numbers that are not normal are slow."""
BYTES = 1 << 20
"""Of a tile, which should stay in the second-level cache."""
HIGH, WIDE = 192, 384
"""Rows and columns of a tile of which both sums are taken."""
PIECE = 256
"""Columns whose sums over rows stay in the first-level cache, with those of their powers."""


@njit(nogil=True, cache=True, fastmath={"contract", "nsz"})
def _power_of_two(x: float, most: float = 0.0) -> float:
    """$2^x$ to the last digit or two, of a number up to ``most``; of a larger one that of it."""
    inside = min(max(x, LEAST), most)
    shifted = inside + NEAREST
    rest = inside - (shifted - NEAREST)
    value = 0.0
    for factor in TAYLOR:
        value = value * rest + factor
    # The last bits of the shifted number are the whole part: they become the exponent.
    scale = np.int64((np.float64(shifted).view(np.int64) + 1023) << 52).view(np.float64)
    return value * scale if x > LEAST else 0.0


@njit(nogil=True, cache=True)
def powers_of_two(block: Any) -> None:
    """$2^x$ in place of every $x$, of which what is above 0 counts as 0.

    Parameters
    ----------
    block : array, shape (rows, columns)
        Computed in doubles, whatever its type.

    Examples
    --------
    >>> block = np.array([[0.0, -1.0, 1e-9, -2000.0]])
    >>> powers_of_two(block)
    >>> block.tolist()
    [[1.0, 0.5, 1.0, 0.0]]
    """
    for i in range(block.shape[0]):
        row = block[i]
        for j in range(len(row)):
            row[j] = _power_of_two(row[j])


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract", "nsz"})
def add_gaussians(
    points: Any, origin: Any, seen: Any, factor: float, right: Any, weights: Any, out: Any
) -> None:
    """Add sums of Gaussian kernel values, a tile of them at a time, to what stands in ``out``.

    Parameters
    ----------
    points : array, shape (rows, d)
    origin : array, shape (d,)
        What is taken from each.
    seen : array of int, shape (e,)
        The coordinates that ``right`` has.
    factor : float
        What a squared distance is times in the logarithm of a value, to base 2.
    right : array, shape (columns, e + 2)
        Other points seen from there, 1, and ``factor`` times their squared norms.
    weights : array, shape (columns, k)
    out : array, shape (rows, k)
    """
    height = max(1, BYTES // max(1, len(right) * right.itemsize))
    left = np.empty((height, right.shape[1]), right.dtype)
    tile = np.empty((height, len(right)), right.dtype)
    sums = np.empty((height, weights.shape[1]), right.dtype)
    for start in range(0, len(points), height):
        rows = min(height, len(points) - start)
        for i in range(rows):
            point, mine = points[start + i], left[i]
            square = 0.0
            if len(seen) == len(point):
                for j in range(len(point)):
                    moved = np.float64(point[j]) - np.float64(origin[j])
                    square += moved * moved
                    mine[j] = -2 * factor * moved
            else:
                for j in range(len(point)):
                    moved = np.float64(point[j]) - np.float64(origin[j])
                    square += moved * moved
                for j in range(len(seen)):
                    k = seen[j]
                    mine[j] = -2 * factor * (np.float64(point[k]) - np.float64(origin[k]))
            mine[len(seen)] = factor * square
            mine[len(seen) + 1] = 1
        block, some = tile[:rows], sums[:rows]
        np.dot(left[:rows], right.T, block)
        powers_of_two(block)
        np.dot(block, weights, some)
        # An expression of arrays takes seconds to compile.
        for i in range(rows):
            for c in range(weights.shape[1]):
                out[start + i, c] += some[i, c]


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract", "nsz"})
def stripe_sums(
    left: Any, right: Any, most: float, beside: Any, below: Any, across: Any, down: Any
) -> None:
    """Sums over columns, and over rows, of powers of 2 of inner products, a tile at a time.

    Parameters
    ----------
    left : array, shape (rows, e)
    right : array, shape (columns, e)
        Of which the first are those of the rows: a pair of these is met once or twice.
    most : float
        The largest exponent; one above it counts as it.
    beside : array, shape (columns,)
        Weights of columns.
    below : array, shape (rows,)
        Weights of rows.
    across : array, shape (rows,)
        The sums over columns, which are added to.
    down : array, shape (columns,)
        Those over rows that have not met the column's own row yet, which are added to.
    """
    tile, values = np.empty(HIGH * WIDE, left.dtype), np.empty(WIDE)
    for top in range(0, len(left), HIGH):
        rows = left[top : top + HIGH]
        for first in range(top, len(right), WIDE):
            some = right[first : first + WIDE]
            block = tile[: len(rows) * len(some)].reshape(len(rows), len(some))
            np.dot(rows, some.T, block)
            # On and below the diagonal.
            whole = max(0, min(top + len(rows) - first, len(some)))
            row, beyond = values[: len(some)], values[whole : len(some)]
            weights, others, sums = beside[first:], beside[first + whole :], down[first + whole :]
            for i in range(len(rows)):
                given, weight, total = block[i], below[top + i], 0.0
                for j in range(len(row)):
                    row[j] = _power_of_two(given[j], most)
                for j in range(whole):
                    total += row[j] * weights[j]
                for j in range(len(beyond)):
                    total += beyond[j] * others[j]
                    sums[j] += weight * beyond[j]
                across[top + i] += total


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract", "nsz"})
def moved_towards(
    point: Any, right: Any, most: float, scales: Any, scores: Any, rate: float, residual: Any
) -> None:
    """A step of herding: the residual of every point, of which the new atom's value is taken.

    Parameters
    ----------
    point : array, shape (e,)
    right : array, shape (e, n)
    most : float
        The largest exponent; one above it counts as it.
    scales : array, shape (n,)
        What powers of 2 of the inner products are times.
    scores : array, shape (n,)
    rate : float
        Share of the new atom.
    residual : array, shape (n,)
        What stays of it, and the new atom's share of scores less values, in place.
    """
    values = np.empty(PIECE)
    for first in range(0, len(residual), PIECE):
        left, target = residual[first : first + PIECE], scores[first : first + PIECE]
        row, scale = values[: len(left)], scales[first : first + PIECE]
        row[:] = 0
        for k in range(len(point)):
            coordinate, some = point[k], right[k, first : first + PIECE]
            for j in range(len(row)):
                row[j] += coordinate * some[j]
        for j in range(len(row)):
            value = _power_of_two(row[j], most) * scale[j]
            left[j] = (1 - rate) * left[j] + rate * (target[j] - value)


@njit(nogil=True, cache=True)
def add_products(
    data: Any, indices: Any, starts: Any, others: Any, columns: Any, places: Any, out: Any
) -> None:
    """Add inner products of sparse rows, those of the left in compressed rows.

    Parameters
    ----------
    data, indices, starts : array
        Of the left side, as SciPy holds it.
    others, columns, places : array
        Of the right side, a row a coordinate.
    out : array, shape (rows, columns)
    """
    for i in range(out.shape[0]):
        row = out[i]
        for p in range(starts[i], starts[i + 1]):
            value, coordinate = data[p], indices[p]
            for q in range(places[coordinate], places[coordinate + 1]):
                row[columns[q]] += value * others[q]


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract", "nsz"})
def add_powers(
    block: Any, ratio: float, squarings: Any, right: Any, ends: Any, left: Any, classes: Any,
    across: Any, down: Any, power: int, part: int, column: int,
) -> None:
    """Sums over columns, by their classes, and over rows, by theirs, of a block and its powers.

    The values are squared as often as ``squarings`` says before each sum.

    Parameters
    ----------
    block : array, shape (rows, columns)
        Logarithms to base 2 of the values to the power 1 / ``ratio``.
    ratio : float
        0 if the block holds the values themselves.
    squarings : array of int, shape (powers,)
    right : array, shape (columns,)
        Weights; columns stand in the order of their classes, which end at ``ends``.
    left : array, shape (rows,)
        Weights; rows are of these ``classes``.
    across : array, shape (all powers, all classes, rows)
    down : array, shape (all powers, number of row classes, all columns)
        What is added to, from this ``power``, this ``part`` (class) and this ``column`` on.
    """
    values = np.empty(PIECE)
    for first in range(0, block.shape[1], PIECE):
        for i in range(block.shape[0]):
            given, weight = block[i, first : first + PIECE], left[i]
            row = values[: len(given)]
            for j in range(len(given)):
                row[j] = given[j] if ratio == 0 else _power_of_two(ratio * given[j])
            for step in range(len(squarings)):
                for _ in range(squarings[step]):
                    for j in range(len(row)):
                        row[j] *= row[j]
                sums = down[power + step, classes[i], column + first :]
                start = 0
                for place in range(len(ends)):
                    end = min(ends[place] - first, len(row))
                    if end <= start:
                        continue
                    # Views: a range that begins elsewhere than at 0 is not vectorised.
                    some, beside, below = row[start:end], right[first + start :], sums[start:end]
                    total = 0.0
                    for j in range(len(some)):
                        total += some[j] * beside[j]
                        below[j] += weight * some[j]
                    across[power + step, part + place, i] += total
                    start = end
