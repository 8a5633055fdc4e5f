"""Sums over a tile of kernel values and of its powers: compiled, and other threads go on."""

from __future__ import annotations

from typing import Any

from numba import njit

__all__ = ["add_powers"]


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract", "nsz"})
def add_powers(
    block: Any, squarings: Any, right: Any, ends: Any, left: Any, classes: Any, across: Any,
    down: Any, power: int, part: int, column: int,
) -> None:
    """Sums over columns, by their classes, and over rows, by theirs, of a block and its powers.

    The block is squared as often as ``squarings`` says before each sum, and is changed.

    Parameters
    ----------
    block : array, shape (rows, columns)
    squarings : array of int, shape (powers,)
    right : array, shape (columns,)
        Weights; columns stand in the order of their classes, which end at ``ends``.
    left : array, shape (rows,)
        Weights; rows are of these ``classes``.
    across : array, shape (all powers, all classes, rows)
    down : array, shape (all powers, number of row classes, all columns)
        What is added to, from this ``power``, this ``part`` (class) and this ``column`` on.
    """
    for i in range(block.shape[0]):
        row, weight = block[i], left[i]
        for step in range(len(squarings)):
            for _ in range(squarings[step]):
                for j in range(len(row)):
                    row[j] *= row[j]
            sums = down[power + step, classes[i], column : column + len(row)]
            start = 0
            for place in range(len(ends)):
                # Views: a range that begins elsewhere than at 0 is not vectorised.
                some, beside, below = (
                    row[start : ends[place]], right[start : ends[place]], sums[start : ends[place]]
                )
                total = 0.0
                for j in range(len(some)):
                    total += some[j] * beside[j]
                    below[j] += weight * some[j]
                across[power + step, part + place, i] += total
                start = ends[place]
