"""Loops over tiles of kernel values, compiled: they ask for no lock, and other threads go on."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from noisytheory.vocabulary.arithmetic import inner_product, multiply_add
from noisytheory.vocabulary.compiling import njit

__all__ = [
    "PRODUCTS", "ROOTS", "TWOS", "add_of_distances", "add_powers", "add_products", "add_values",
    "fill_values", "powers_of_two", "room", "stripe_powers", "stripe_sums",
]

TWOS, ROOTS, PRODUCTS = range(3)
"""How values come of inner products, see `_values`."""
LOG2_E = 1 / math.log(2)

TAYLOR = tuple(math.log(2) ** k / math.factorial(k) for k in range(12, -1, -1))
"""Of $2^r$ with $|r|\\le1/2$, the highest power first: what is left out is below rounding."""
NEAREST = 1.5 * 2.0**52
"""A double that has the whole numbers beside it for neighbours."""
LEAST = -1022.0
"""Below it powers of 2 are 0 here: numbers that are not normal are slow."""
SINGLE = (*map(np.float32, np.polynomial.Chebyshev.interpolate(
    lambda r: np.expm1(r * math.log(2)) / r, 5, domain=[-0.5, 0.5]
).convert(kind=np.polynomial.Polynomial).coef[::-1]), np.float32(1))
NEAREST_SINGLE = np.float32(1.5 * 2.0**23)
LEAST_SINGLE = np.float32(-126)
"""The same of single precision."""
LINE = 64
"""Bytes of the cache that are one."""
BYTES = 1 << 20
"""Of a tile, which should stay in the second-level cache."""
HIGH, WIDE = 192, 384
"""Rows and columns of a tile of which both sums are taken."""
LOW, BROAD = 64, 1024
"""Rows and columns of a tile of which sums of several powers are taken."""
PIECE = 256
"""Columns whose sums over rows stay in the first-level cache, with those of their powers."""


@njit(nogil=True, cache=True)
def _power_of_two(x: float, most: float = 0.0) -> float:
    """$2^x$ to the last digit or two, of a number up to ``most``; of a larger one that of it."""
    inside = min(max(x, LEAST), most)
    shifted = inside + NEAREST
    rest = inside - (shifted - NEAREST)
    value = TAYLOR[0]
    for factor in TAYLOR[1:]:
        value = multiply_add(value, rest, factor)
    # The last bits of the shifted number are the whole part: they become the exponent.
    scale = np.int64((np.float64(shifted).view(np.int64) + 1023) << 52).view(np.float64)
    return value * scale if x > LEAST else 0.0


@njit(nogil=True, cache=True)
def _single_power(x: Any, most: Any) -> Any:
    """The same in single precision, at twice the speed."""
    inside = min(max(x, LEAST_SINGLE), np.float32(most))
    shifted = inside + NEAREST_SINGLE
    rest = inside - (shifted - NEAREST_SINGLE)
    value = SINGLE[0]
    for factor in SINGLE[1:]:
        value = multiply_add(value, rest, factor)
    scale = np.int32((np.float32(shifted).view(np.int32) + 127) << 23).view(np.float32)
    return value * scale if x > LEAST_SINGLE else np.float32(0)


def _power(x: float, most: float) -> float:
    """$2^x$ in the precision of the number."""
    raise NotImplementedError


@overload(_power, strict=False)
def _power_in_type(x: Any, most: Any) -> Any:
    if x == types.float32:
        return lambda x, most: _single_power(x, most)
    return lambda x, most: _power_of_two(x, most)


@njit(nogil=True, cache=True)
def room(size: int, like: Any) -> Any:
    """Numbers to be written, of the type of others, from the start of a line of the cache on.

    Loops over what begins amid a line take up to half as long again.
    """
    some = np.empty(size + LINE // like.itemsize, like.dtype)
    skipped = -some.ctypes.data % LINE // like.itemsize
    return some[skipped : skipped + size]


@njit(nogil=True, cache=True)
def _values(
    kind: int, numbers: Any, given: Any, row: Any, points: Any, place: int, others: Any
) -> None:
    """Kernel values of one point with others, from inner products, which are overwritten.

    Parameters
    ----------
    kind : int
        `TWOS` are powers of 2; `ROOTS` such powers of roots of squared distances, times
        $-\\log_2e$; `PRODUCTS` whole powers.
    numbers : array, shape (2,)
        Of `TWOS` the largest exponent, one above it counts as it; of `ROOTS` the squared distance
        below which it is computed anew, and the unit of distances, inverted; of `PRODUCTS` what is
        added, and the power.
    given : array, shape (columns,)
    row : array, shape (columns,)
        The values.
    points : array, shape (rows, d)
    place : int
        Which of them it is.
    others : array, shape (columns, d)
    """
    if kind == TWOS:
        most = numbers[0]
        for j in range(len(row)):
            row[j] = _power(given[j], most)
    elif kind == ROOTS:
        doubtful, unit, factor = numbers[0], numbers[1], numbers[2]
        near = False
        for j in range(len(row)):
            near |= given[j] < doubtful
        if near:
            for j in range(len(row)):
                if given[j] < doubtful:
                    square = 0.0
                    for k in range(points.shape[1]):
                        mine, other = np.float64(points[place, k]), np.float64(others[j, k])
                        difference = unit * (mine - other)
                        square = multiply_add(difference, difference, square)
                    given[j] = square
        for j in range(len(row)):
            given[j] = math.sqrt(given[j])
        zero = doubtful - doubtful
        for j in range(len(row)):
            row[j] = _power(given[j] * factor, zero)
    else:
        added, degree = numbers[0], int(numbers[1])
        for j in range(len(row)):
            given[j] += added
            row[j] = given[j]
        bit = 1
        while 2 * bit <= degree:
            bit *= 2
        while bit > 1:
            bit //= 2
            for j in range(len(row)):
                row[j] *= row[j]
            if degree & bit:
                for j in range(len(row)):
                    row[j] *= given[j]


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


@njit(nogil=True, cache=True)
def add_of_distances(
    kind: int, unit: float, points: Any, origin: Any, seen: Any, factor: float, others: Any,
    shift: Any, weights: Any, out: Any,
) -> None:
    """Add sums of kernel values of distances, a tile of them at a time, to what is in ``out``.

    Parameters
    ----------
    kind : int
        `TWOS` are powers of 2; `ROOTS` such powers of distances times $-\\log_2e$.
    unit : float
        What distances are times, of `ROOTS`.
    points : array, shape (rows, d)
    origin : array, shape (d,)
        What is taken from each.
    seen : array of int, shape (e,)
        The coordinates that the others have: their other ones are 0.
    factor : float
        What a squared distance is times: a number to raise 2 to, or `unit` squared.
    others : array, shape (columns, d)
        Other points, in whose type values are computed.
    shift : array, shape (d,)
        What is to be taken from those, for both to be seen from one place.
    weights : array, shape (columns, k)
    out : array, shape (rows, k)
    """
    columns, some = len(others), len(seen)
    right = np.empty((columns, some + 2), others.dtype)
    furthest = 0.0
    for j in range(columns):
        other, theirs = others[j], right[j]
        if some == len(other):
            for k in range(some):
                theirs[k] = np.float64(other[k]) - np.float64(shift[k])
        else:
            for k in range(some):
                theirs[k] = np.float64(other[seen[k]]) - np.float64(shift[seen[k]])
        theirs[some] = 1
        theirs[some + 1] = factor * inner_product(theirs[:some], theirs[:some])
        furthest = max(furthest, theirs[some + 1])
    twos = kind == TWOS
    height = max(1, BYTES // max(1, (1 if twos else 2) * columns * right.itemsize))
    left = np.empty((height, some + 2), right.dtype)
    tile = room(height * columns, right).reshape(height, columns)
    values = tile if twos else room(height * columns, right).reshape(height, columns)
    # A product with rows takes up to a tenth longer, but to lay them out takes time, too.
    laid = np.ascontiguousarray(right[: 0 if twos else columns].T)
    sums = np.empty((height, weights.shape[1]), right.dtype)
    numbers = np.empty(3, right.dtype)
    numbers[1], numbers[2] = unit, -LOG2_E
    # Of small squares, differences of large ones, half the digits are lost.
    doubt = math.sqrt(2.0**-52 if right.itemsize == 8 else 2.0**-23)
    for start in range(0, len(points), height):
        rows, most = min(height, len(points) - start), furthest
        for i in range(rows):
            point, mine = points[start + i], left[i]
            square = 0.0
            if some == len(point):
                for j in range(len(point)):
                    moved = np.float64(point[j]) - np.float64(origin[j])
                    square = multiply_add(moved, moved, square)
                    mine[j] = -2 * factor * moved
            else:
                for j in range(len(point)):
                    moved = np.float64(point[j]) - np.float64(origin[j])
                    square = multiply_add(moved, moved, square)
                for j in range(some):
                    k = seen[j]
                    mine[j] = -2 * factor * (np.float64(point[k]) - np.float64(origin[k]))
            mine[some] = factor * square
            mine[some + 1] = 1
            most = max(most, furthest + factor * square)
        block, found = tile[:rows], sums[:rows]
        if twos:
            np.dot(left[:rows], right.T, block)
            powers_of_two(block)
        else:
            np.dot(left[:rows], laid, block)
            numbers[0] = doubt * most
            for i in range(rows):
                _values(kind, numbers, block[i], values[i], points, start + i, others)
        np.dot(values[:rows], weights, found)
        # An expression of arrays takes seconds to compile.
        for i in range(rows):
            for c in range(weights.shape[1]):
                out[start + i, c] += found[i, c]


@njit(nogil=True, cache=True)
def add_values(
    left: Any, right: Any, kind: int, numbers: Any, points: Any, others: Any, weights: Any, out: Any
) -> None:
    """Add weighted sums of kernel values, a tile of them at a time, to what stands in ``out``.

    Parameters
    ----------
    left : array, shape (rows, e)
    right : array, shape (e, columns)
    kind, numbers : int, array
        How values come of inner products, see `_values`.
    points : array, shape (rows, d)
        The points, where they are needed.
    others : array, shape (columns, d)
    weights : array, shape (columns, k)
    out : array, shape (rows, k)
    """
    columns = right.shape[1]
    height = max(1, BYTES // max(1, 2 * columns * right.itemsize))
    tile = room(height * columns, left).reshape(height, columns)
    values = room(height * columns, left).reshape(height, columns)
    sums = np.empty((height, weights.shape[1]), left.dtype)
    for start in range(0, len(left), height):
        rows = min(height, len(left) - start)
        np.dot(left[start : start + rows], right, tile[:rows])
        for i in range(rows):
            _values(kind, numbers, tile[i], values[i], points, start + i, others)
        np.dot(values[:rows], weights, sums[:rows])
        for i in range(rows):
            for c in range(weights.shape[1]):
                out[start + i, c] += sums[i, c]


@njit(nogil=True, cache=True)
def fill_values(
    left: Any, right: Any, kind: int, numbers: Any, points: Any, others: Any, out: Any
) -> None:
    """Kernel values, a tile of inner products at a time.

    Parameters
    ----------
    left : array, shape (rows, e)
    right : array, shape (tiles, e, `WIDE`)
    kind, numbers : int, array
        How values come of inner products, see `_values`.
    points : array, shape (rows, d)
        The points, where they are needed.
    others : array, shape (columns, d)
    out : array, shape (rows, columns)
    """
    tile = room(HIGH * WIDE, left)
    for top in range(0, len(left), HIGH):
        rows = left[top : top + HIGH]
        block = tile[: len(rows) * WIDE].reshape(len(rows), WIDE)
        for number in range(len(right)):
            np.dot(rows, right[number], block)
            first = number * WIDE
            columns = others[first : first + WIDE]
            for i in range(len(rows)):
                row = out[top + i, first : first + WIDE]
                _values(kind, numbers, block[i, : len(row)], row, points, top + i, columns)


@njit(nogil=True, cache=True)
def stripe_sums(
    left: Any, start: int, right: Any, kind: int, numbers: Any, points: Any, others: Any,
    beside: Any, below: Any, across: Any, down: Any,
) -> None:
    """Sums over columns, and over rows, of kernel values, a tile at a time.

    Parameters
    ----------
    left : array, shape (rows, e)
    start : int
        Where the first of these rows stands among the columns: what stands before it is left out,
        and a pair of what follows is met once or twice.
    right : array, shape (tiles, e, `WIDE`)
        The columns. In their type inner products and values are computed.
    kind, numbers : int, array
        How values come of inner products, see `_values`.
    points : array, shape (rows, d)
        The points, where they are needed.
    others : array, shape (columns, d)
    beside : array, shape (columns,)
        Weights of columns.
    below : array, shape (rows,)
        Weights of rows.
    across : array, shape (rows,)
        The sums over columns, which are added to.
    down : array, shape (columns - start,)
        Those over rows that have not met the column's own row yet, which are added to.
    """
    tile = room(HIGH * WIDE, left)
    values, gathered = room(WIDE, left), room(WIDE, left)
    for top in range(0, len(left), HIGH):
        rows, place = left[top : top + HIGH], start + top
        block = tile[: len(rows) * WIDE].reshape(len(rows), WIDE)
        for number in range(place // WIDE, len(right)):
            np.dot(rows, right[number], block)
            first = max(place, number * WIDE)
            last = min(len(beside), (number + 1) * WIDE)
            # On and below the diagonal.
            whole = max(0, min(place + len(rows), last) - first)
            row, beyond = values[: last - first], values[whole : last - first]
            columns = others[first:last]
            near, far = beside[first : first + whole], beside[first + whole : last]
            sums = gathered[: len(beyond)]
            sums[:] = 0
            for i in range(len(rows)):
                given = block[i, first - number * WIDE : last - number * WIDE]
                _values(kind, numbers, given, row, points, top + i, columns)
                weight = below[top + i]
                for j in range(len(beyond)):
                    sums[j] = multiply_add(weight, beyond[j], sums[j])
                across[top + i] += inner_product(far, beyond)
                if len(near):
                    across[top + i] += inner_product(near, row)
            under = down[first + whole - start : last - start]
            for j in range(len(sums)):
                under[j] += sums[j]


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


@njit(nogil=True, cache=True)
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
                for j in range(len(row)):
                    sums[j] = multiply_add(weight, row[j], sums[j])
                start = 0
                for place in range(len(ends)):
                    end = min(ends[place] - first, len(row))
                    if end <= start:
                        continue
                    some, beside = row[start:end], right[first + start :]
                    across[power + step, part + place, i] += inner_product(some, beside)
                    start = end


@njit(nogil=True, cache=True)
def stripe_powers(
    left: Any, start: int, right: Any, ratios: Any, counts: Any, squarings: Any, weights: Any,
    codes: Any, across: Any, down: Any,
) -> None:
    """`add_powers` of a stripe of Gaussians, a tile at a time, from what their logarithms are of.

    Parameters
    ----------
    left : array, shape (rows, e)
    start : int
        Where the first of these rows stands among the columns, which are met from there on.
    right : array, shape (columns, e)
        Inner products are logarithms of the widest Gaussian.
    ratios : array, shape (chains,)
        What they are times at the head of a chain, the values of which are then squared.
    counts : array of int, shape (chains,)
        Kernels of each chain.
    squarings : array of int, shape (powers,)
        Of all chains, one after another.
    weights, codes : array, shape (columns,)
        Of which those from ``start`` on are the rows' as well; codes ascend.
    across : array, shape (powers, classes, rows)
    down : array, shape (powers, number of row classes, columns - start)
        What is added to.
    """
    tile = room(LOW * BROAD, left)
    for top in range(0, len(left), LOW):
        rows, place = left[top : top + LOW], start + top
        own = codes[place : place + len(rows)] - codes[start]
        for first in range(start, len(right), BROAD):
            some = right[first : first + BROAD]
            theirs = codes[first : first + len(some)]
            block = tile[: len(rows) * len(some)].reshape(len(rows), len(some))
            np.dot(rows, some.T, block)
            for i in range(max(0, first - place), min(len(rows), first + len(some) - place)):
                # An example without itself: of no value, whose logarithm that is.
                block[i, place + i - first] = -np.inf
            ends = np.empty(theirs[-1] - theirs[0] + 1, np.int64)
            for j in range(len(theirs)):
                ends[theirs[j] - theirs[0]] = j + 1
            power = 0
            for chain in range(len(ratios)):
                add_powers(
                    block, ratios[chain], squarings[power : power + counts[chain]],
                    weights[first : first + len(some)], ends, weights[place : place + len(rows)],
                    own, across[:, :, top : top + len(rows)], down, power, theirs[0],
                    first - start,
                )
                power += counts[chain]
