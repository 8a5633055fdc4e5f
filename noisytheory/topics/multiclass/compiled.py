"""Compiled passes over samples of bytes: imported only where a sample is large enough to gain."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["sum_bytes", "update_bytes"]


@njit(cache=True)
def sum_bytes(points: NDArray[Any], labels: NDArray[Any], sums: NDArray[Any]) -> None:
    """Add every point to the sum of its label."""
    for i in range(points.shape[0]):
        row = sums[labels[i]]
        for j in range(points.shape[1]):
            row[j] += np.int32(points[i, j])


@njit(cache=True, fastmath={"reassoc", "contract"})
def update_bytes(
    points: NDArray[Any], labels: NDArray[Any], vector: NDArray[Any], rows: NDArray[Any],
    tau: NDArray[Any], scores: NDArray[Any], region: NDArray[Any], sums: NDArray[Any],
    changed: NDArray[Any], derived: int,
) -> None:
    """Scores, regions and sums after ``tau * vector`` was added to some weights: one pass.

    The sums of the region ``derived`` are left to the caller, who has the totals.
    """
    classes = scores.shape[1]
    for i in range(points.shape[0]):
        point = points[i]
        product = 0.0
        for j in range(point.shape[0]):
            product += point[j] * vector[j]
        for r in range(rows.shape[0]):
            scores[i, rows[r]] += tau[r] * product
        old = region[i]
        fell = False
        for r in range(rows.shape[0]):
            if rows[r] == old and tau[r] * product < 0:
                fell = True
        if fell:
            best = 0
            for q in range(1, classes):
                if scores[i, q] > scores[i, best]:
                    best = q
        else:
            # Only those that changed can have overtaken it; the lowest of tied classes wins.
            best = old
            for r in range(rows.shape[0]):
                row = rows[r]
                lead = scores[i, row] - scores[i, best]
                if lead > 0 or (lead == 0 and row < best):
                    best = row
        if best != old:
            if old != derived:
                left = sums[old, labels[i]]
                for j in range(point.shape[0]):
                    left[j] -= np.int32(point[j])
            if best != derived:
                joined = sums[best, labels[i]]
                for j in range(point.shape[0]):
                    joined[j] += np.int32(point[j])
            changed[old] = True
            changed[best] = True
            region[i] = best
