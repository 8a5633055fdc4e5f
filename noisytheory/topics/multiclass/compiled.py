"""Compiled passes over large samples: imported only where a sample is large enough to gain.

Written out in loops: what numba has to compile of an assignment between arrays, of `where` or of
`minimum`, takes three times as long as all the rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.vocabulary.arithmetic import ask_for, inner_product
from noisytheory.vocabulary.compiling import njit

__all__ = [
    "empty_to_zero", "extents", "sum_bytes", "sum_rows", "update_bytes", "update_rows", "winners",
]

FULL = 128
"""Bytes that a 16-bit sum holds, added or taken away."""

LOOK = 64
"""One row in so many is looked at before a pass, to plan it."""

BLOCK = 512
"""Rows at a time: they and their scores stay in the second cache."""

NEAR = 1 << 18
"""Memory of the rows of numbers that are taken at a time: they stay in the second cache."""

AHEAD = 4096
"""Bytes ahead that are asked for: the processor itself looks but one or two rows ahead."""

LINE = 64
"""Bytes that come at a time."""

MOVED, REBUILT, DERIVED = 0, 1, 2
"""How a region's sums follow: by the rows that move, by all that are in it, or from the totals."""


@njit(cache=True)
def _any(row: NDArray[Any]) -> bool:
    found = np.uint8(0)
    for j in range(row.shape[0]):
        found |= row[j]
    return bool(found != 0)


@njit(cache=True)
def extents(points: NDArray[Any], first: NDArray[Any], last: NDArray[Any]) -> None:
    """Where the bytes of each row that are not zero lie: images have dark edges."""
    width = points.shape[1]
    for i in range(points.shape[0]):
        row = points[i]
        begin, end = 0, width
        while begin + 16 <= end and not _any(row[begin : begin + 16]):
            begin += 16
        while end - 16 >= begin and not _any(row[end - 16 : end]):
            end -= 16
        first[i], last[i] = begin, end


@njit(cache=True)
def sum_bytes(points: NDArray[Any], labels: NDArray[Any], sums: NDArray[Any]) -> None:
    """Add every point to the sum of its label."""
    for i in range(points.shape[0]):
        row = sums[labels[i]]
        for j in range(points.shape[1]):
            row[j] += np.int32(points[i, j])


@njit(cache=True)
def _flush(small: NDArray[Any], large: NDArray[Any]) -> None:
    for j in range(small.shape[0]):
        large[j] += np.int32(small[j])
        small[j] = 0


@njit(cache=True)
def _products(
    points: NDArray[Any], first: NDArray[Any], last: NDArray[Any], vector: NDArray[Any],
    start: int, stride: int, found: NDArray[Any],
) -> None:
    """Products of a vector with rows from a start on, one in a stride."""
    width = points.shape[1] * points.itemsize
    # Of longer rows it sees in time what comes.
    ahead = stride * (1 + AHEAD // width) if width < AHEAD else points.shape[0]
    for k in range(found.shape[0]):
        i = start + k * stride
        then = i + ahead
        if then < points.shape[0]:
            for j in range(first[then], last[then], LINE // points.itemsize):
                ask_for(points[then], j)
        point, along = points[i, first[i] : last[i]], vector[first[i] : last[i]]
        found[k] = inner_product(point, along)


@njit(cache=True)
def winners(scores: NDArray[Any], start: int, top: NDArray[Any], best: NDArray[Any]) -> None:
    """The lowest of the best classes of some columns."""
    first, stop = scores[0], start + best.shape[0]
    for k in range(best.shape[0]):
        top[k], best[k] = first[start + k], 0
    for q in range(1, scores.shape[0]):
        row = scores[q, start:stop]
        for k in range(best.shape[0]):
            score, most, at = row[k], top[k], best[k]
            top[k] = score if score > most else most
            best[k] = q if score > most else at


@njit(cache=True)
def _plan(
    product: NDArray[Any], tau: NDArray[Any], scores: NDArray[Any], region: NDArray[Any]
) -> NDArray[Any]:
    """What would be cheapest for each region, by the products of one row in `LOOK`.

    A poor plan costs time alone.
    """
    classes = scores.shape[0]
    tried = np.empty((classes, len(product)))
    for q in range(classes):
        for k in range(len(product)):
            tried[q, k] = scores[q, k * LOOK] + tau[q] * product[k]
    top, best = np.empty(len(product)), np.empty(len(product), np.int64)
    winners(tried, 0, top, best)
    moves, sizes = np.zeros(classes, np.int64), np.zeros(classes, np.int64)
    for k in range(len(product)):
        old = region[k * LOOK]
        sizes[best[k]] += 1
        if best[k] != old:
            moves[best[k]] += 1
            moves[old] += 1
    plan, dearest = np.empty(classes, np.int64), 0
    for q in range(classes):
        plan[q] = REBUILT if sizes[q] < moves[q] else MOVED
        if min(sizes[q], moves[q]) > min(sizes[dearest], moves[dearest]):
            dearest = q
    plan[dearest] = DERIVED
    return plan


@njit(cache=True)
def _emptied(plan: NDArray[Any], sums: NDArray[Any]) -> None:
    for p in range(sums.shape[0]):
        for k in range(sums.shape[1] if plan[p] == REBUILT else 0):
            for j in range(sums.shape[2]):
                sums[p, k, j] = 0


@njit(cache=True)
def _moves(
    product: NDArray[Any], tau: NDArray[Any], plan: NDArray[Any], start: int, scores: NDArray[Any],
    region: NDArray[Any], changed: NDArray[Any], top: NDArray[Any], away: NDArray[Any],
    into: NDArray[Any],
) -> None:
    """Scores and regions of a block, and which sums each of its rows leaves and joins; -1 is none.
    """
    size = product.shape[0]
    for q in range(scores.shape[0]):
        if tau[q] != 0:
            row = scores[q, start : start + size]
            for k in range(size):
                row[k] += tau[q] * product[k]
    winners(scores, start, top[:size], into[:size])
    for k in range(size):
        to, old = into[k], region[start + k]
        away[k] = -1
        if to != old:
            changed[old] = True
            changed[to] = True
            region[start + k] = to
            if plan[old] == MOVED:
                away[k] = old
        if not (plan[to] == REBUILT or (to != old and plan[to] == MOVED)):
            into[k] = -1


@njit(cache=True)
def _derived(plan: NDArray[Any]) -> int:
    p = 0
    while plan[p] != DERIVED:
        p += 1
    return p


@njit(cache=True)
def _added(
    points: NDArray[Any], i: int, sign: int, small: NDArray[Any], large: NDArray[Any],
    held: NDArray[Any], begin: int, end: int, p: int, k: int,
) -> None:
    point, at = points[i, begin:end], small[p, k, begin:end]
    if sign > 0:
        for j in range(point.shape[0]):
            at[j] += np.int16(point[j])
    else:
        for j in range(point.shape[0]):
            at[j] -= np.int16(point[j])
    held[p, k] += 1
    if held[p, k] == FULL:
        _flush(small[p, k], large[p, k])
        held[p, k] = 0


@njit(cache=True)
def update_bytes(
    points: NDArray[Any], first: NDArray[Any], last: NDArray[Any], labels: NDArray[Any],
    vector: NDArray[Any], tau: NDArray[Any], scores: NDArray[Any], region: NDArray[Any],
    sums: NDArray[Any], changed: NDArray[Any],
) -> int:
    """Scores (classes first), regions and sums after ``tau * vector`` was added to the weights.

    The sums of one region, which is returned, are left to the caller, who has the totals.
    """
    classes, n = scores.shape
    product = np.empty(n // LOOK)
    _products(points, first, last, vector, 0, LOOK, product)
    plan = _plan(product, tau, scores, region)
    _emptied(plan, sums)
    # Sums of 16 bits take half of the time, and are emptied before they can overflow.
    small = np.zeros(sums.shape, np.int16)
    held = np.zeros((classes, classes), np.int64)
    products, top = np.empty(BLOCK), np.empty(BLOCK)
    away, into = np.empty(BLOCK, np.int64), np.empty(BLOCK, np.int64)
    for start in range(0, n, BLOCK):
        product = products[: min(BLOCK, n - start)]
        _products(points, first, last, vector, start, 1, product)
        _moves(product, tau, plan, start, scores, region, changed, top, away, into)
        for k in range(product.shape[0]):
            i = start + k
            if away[k] >= 0:
                _added(points, i, -1, small, sums, held, first[i], last[i], away[k], labels[i])
            if into[k] >= 0:
                _added(points, i, 1, small, sums, held, first[i], last[i], into[k], labels[i])
    for p in range(classes):
        for k in range(classes):
            if held[p, k]:
                _flush(small[p, k], sums[p, k])
    return _derived(plan)


@njit(cache=True)
def sum_rows(
    points: NDArray[Any], scale: NDArray[Any], constant: float, labels: NDArray[Any],
    sums: NDArray[Any],
) -> None:
    """Add every point, with the constant behind it and times its scale, to the sum of its label."""
    for i in range(points.shape[0]):
        _add(points[i], scale[i], constant, sums[labels[i]])


@njit(cache=True)
def _add(point: NDArray[Any], times: float, constant: float, row: NDArray[Any]) -> None:
    width = point.shape[0]
    for j in range(width):
        row[j] += times * point[j]
    if row.shape[0] > width:
        row[width] += times * constant


@njit(cache=True)
def _scaled(
    points: NDArray[Any], first: NDArray[Any], last: NDArray[Any], scale: NDArray[Any],
    shift: float, vector: NDArray[Any], start: int, stride: int, found: NDArray[Any],
) -> None:
    _products(points, first, last, vector, start, stride, found)
    for k in range(found.shape[0]):
        found[k] = scale[start + k * stride] * (found[k] + shift)


@njit(cache=True)
def update_rows(
    points: NDArray[Any], first: NDArray[Any], last: NDArray[Any], scale: NDArray[Any],
    constant: float, labels: NDArray[Any], vector: NDArray[Any], tau: NDArray[Any],
    scores: NDArray[Any], region: NDArray[Any], sums: NDArray[Any], changed: NDArray[Any],
) -> int:
    """`update_bytes` for rows of any numbers times a scale, with a constant behind them.

    A row is read once: while it is near, its score is updated and it moves between sums.
    """
    n, width = scores.shape[1], points.shape[1]
    shift = constant * float(vector[width]) if vector.shape[0] > width else 0.0
    product = np.empty(n // LOOK)
    _scaled(points, first, last, scale, shift, vector, 0, LOOK, product)
    plan = _plan(product, tau, scores, region)
    _emptied(plan, sums)
    near = 1 + NEAR // (width * points.itemsize)
    products, top = np.empty(near), np.empty(near)
    away, into = np.empty(near, np.int64), np.empty(near, np.int64)
    for start in range(0, n, near):
        product = products[: min(near, n - start)]
        _scaled(points, first, last, scale, shift, vector, start, 1, product)
        _moves(product, tau, plan, start, scores, region, changed, top, away, into)
        for k in range(product.shape[0]):
            i = start + k
            if away[k] >= 0:
                _add(points[i], -scale[i], constant, sums[away[k], labels[i]])
            if into[k] >= 0:
                _add(points[i], scale[i], constant, sums[into[k], labels[i]])
    return _derived(plan)


@njit(cache=True)
def empty_to_zero(region: NDArray[Any], labels: NDArray[Any], sums: NDArray[Any]) -> None:
    """Of no points nothing is left but rounding."""
    held = np.zeros((sums.shape[0], sums.shape[1]), np.int64)
    for i in range(region.shape[0]):
        held[region[i], labels[i]] += 1
    for p in range(sums.shape[0]):
        for k in range(sums.shape[1]):
            for j in range(0 if held[p, k] else sums.shape[2]):
                sums[p, k, j] = 0
