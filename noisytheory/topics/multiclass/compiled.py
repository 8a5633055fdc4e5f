"""Compiled passes over large samples: imported only where a sample is large enough to gain.

Written out in loops: what numba has to compile of an assignment between arrays, of `where` or of
`minimum`, takes three times as long as all the rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["extents", "sum_bytes", "sum_rows", "update_bytes", "update_rows"]

FULL = 128
"""Bytes that a 16-bit sum holds, added or taken away."""

LOOK = 64
"""One row in so many is looked at before a pass, to plan it."""

BLOCK = 512
"""Rows at a time: they and their scores stay in the second cache."""

NEAR = 32
"""Rows of numbers at a time: they stay in the second cache, a quarter of a megabyte of doubles."""

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


@njit(cache=True, fastmath={"reassoc", "contract"})
def _products(
    points: NDArray[Any], first: NDArray[Any], last: NDArray[Any], vector: NDArray[Any],
    start: int, stride: int, found: NDArray[Any],
) -> None:
    """Products of a vector with rows from a start on, one in a stride."""
    for k in range(found.shape[0]):
        i = start + k * stride
        point, along = points[i, first[i] : last[i]], vector[first[i] : last[i]]
        total = 0.0
        for j in range(point.shape[0]):
            total += point[j] * along[j]
        found[k] = total


@njit(cache=True)
def _winners(
    scores: NDArray[Any], start: int, top: NDArray[Any], best: NDArray[Any]
) -> None:
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
    _winners(tried, 0, top, best)
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
    for p in range(classes):
        for k in range(classes if plan[p] == REBUILT else 0):
            for j in range(sums.shape[2]):
                sums[p, k, j] = 0
    # Sums of 16 bits take half of the time, and are emptied before they can overflow.
    small = np.zeros(sums.shape, np.int16)
    held = np.zeros((classes, classes), np.int64)
    products, top, winners = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK, np.int64)
    for start in range(0, n, BLOCK):
        stop = min(n, start + BLOCK)
        product, best = products[: stop - start], winners[: stop - start]
        _products(points, first, last, vector, start, 1, product)
        for q in range(classes):
            if tau[q] != 0:
                row = scores[q, start:stop]
                for k in range(row.shape[0]):
                    row[k] += tau[q] * product[k]
        _winners(scores, start, top[: stop - start], best)
        for k in range(stop - start):
            i, to, old = start + k, best[k], region[start + k]
            if to != old:
                changed[old] = True
                changed[to] = True
                region[i] = to
                if plan[old] == MOVED:
                    _added(points, i, -1, small, sums, held, first[i], last[i], old, labels[i])
            if plan[to] == REBUILT or (to != old and plan[to] == MOVED):
                _added(points, i, 1, small, sums, held, first[i], last[i], to, labels[i])
    for p in range(classes):
        for k in range(classes):
            if held[p, k]:
                _flush(small[p, k], sums[p, k])
    derived = 0
    while plan[derived] != DERIVED:
        derived += 1
    return derived


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
    classes, n = scores.shape
    width = points.shape[1]
    shift = constant * float(vector[width]) if vector.shape[0] > width else 0.0
    product = np.empty(n // LOOK)
    _scaled(points, first, last, scale, shift, vector, 0, LOOK, product)
    plan = _plan(product, tau, scores, region)
    for p in range(classes):
        for k in range(classes if plan[p] == REBUILT else 0):
            for j in range(sums.shape[2]):
                sums[p, k, j] = 0
    products, top, winners = np.empty(NEAR), np.empty(NEAR), np.empty(NEAR, np.int64)
    for start in range(0, n, NEAR):
        stop = min(n, start + NEAR)
        product, best = products[: stop - start], winners[: stop - start]
        _scaled(points, first, last, scale, shift, vector, start, 1, product)
        for q in range(classes):
            if tau[q] != 0:
                row = scores[q, start:stop]
                for k in range(row.shape[0]):
                    row[k] += tau[q] * product[k]
        _winners(scores, start, top[: stop - start], best)
        for k in range(stop - start):
            i, to, old = start + k, best[k], region[start + k]
            if to != old:
                changed[old] = True
                changed[to] = True
                region[i] = to
                if plan[old] == MOVED:
                    _add(points[i], -scale[i], constant, sums[old, labels[i]])
            if plan[to] == REBUILT or (to != old and plan[to] == MOVED):
                _add(points[i], scale[i], constant, sums[to, labels[i]])
    derived = 0
    while plan[derived] != DERIVED:
        derived += 1
    return derived
