"""Compiled passes over samples of bytes: imported only where a sample is large enough to gain."""

from __future__ import annotations

from typing import Any

from numba import njit
from numpy.typing import NDArray

__all__ = ["sum_bytes", "update_bytes"]


@njit(cache=True)
def sum_bytes(points: NDArray[Any], labels: NDArray[Any], sums: NDArray[Any]) -> None:
    """Add every point to the sum of its label."""
    for i in range(points.shape[0]):
        row = sums[labels[i]]
        for j in range(points.shape[1]):
            row[j] += points[i, j]


@njit(cache=True, fastmath={"reassoc", "contract"})
def update_bytes(
    points: NDArray[Any], labels: NDArray[Any], vector: NDArray[Any], rows: NDArray[Any],
    tau: NDArray[Any], scores: NDArray[Any], region: NDArray[Any], sums: NDArray[Any],
    changed: NDArray[Any],
) -> None:
    """Scores, regions and sums after ``tau * vector`` was added to some weights: one pass."""
    classes = scores.shape[1]
    for i in range(points.shape[0]):
        point = points[i]
        product = 0.0
        for j in range(point.shape[0]):
            product += point[j] * vector[j]
        for r in range(rows.shape[0]):
            scores[i, rows[r]] += tau[r] * product
        best = 0
        for q in range(1, classes):
            if scores[i, q] > scores[i, best]:
                best = q
        old = region[i]
        if best != old:
            left, joined = sums[old, labels[i]], sums[best, labels[i]]
            for j in range(point.shape[0]):
                left[j] -= point[j]
                joined[j] += point[j]
            changed[old] = True
            changed[best] = True
            region[i] = best
