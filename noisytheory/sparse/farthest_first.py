r"""Farthest-first traversal (Gonzalez 1985): centres, cells, and the radius after every centre."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.kernels import Kernel, checked_points
from noisytheory.sparse.approximation import (
    Ints,
    Target,
    checked_count,
    checked_start,
    checked_threshold,
)

__all__ = ["Traversal", "farthest_first", "printed_loop", "traverse"]

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Traversal:
    """Centres in the order found, and the cells around them.

    Parameters
    ----------
    centres : int array, shape (m,)
        Positions of the centres.
    cells : int array, shape (n,)
        Which centre is nearest; ties go to the earlier one.
    radii : array, shape (m,)
        Largest distance to the nearest of the first 1, 2, ..., m centres.
    """

    centres: Ints
    cells: Ints
    radii: Doubles


def farthest_first(
    kernel: Kernel,
    points: ArrayLike,
    k: int,
    *,
    alpha: ArrayLike | None = None,
    start: int = 0,
    tolerance: float = 0.0,
) -> Traversal:
    r"""At most ``k`` centres, each the point farthest from those before it.

    This is Algorithm 1 of the paper on the kernel mean, mended: print loops while there are at
    most $m$ centres, which ends with $m+1$, or never if there are not so many distinct points.
    It costs $n$ kernel evaluations a centre. The radius is at most, and the diameter of the
    cells at most twice, the least diameter of a partition into ``k`` cells.

    Parameters
    ----------
    kernel : Kernel
    points : array-like, shape (n, d)
    k : int
        Largest number of centres.
    alpha : array-like, shape (n,), optional
        Weights none of which is zero; their signs are those of the features.
    start : int
        The first centre.
    tolerance : float
        Stop when the radius is at most this (RKHS norm); 0 stops when every point is a centre.

    Returns
    -------
    Traversal

    Raises
    ------
    ValueError
        If ``k``, ``start`` or ``tolerance`` is out of range, or a weight is zero.

    Examples
    --------
    >>> from noisytheory.kernels import Linear
    >>> found = farthest_first(Linear(), [[0.0], [1.0], [5.0], [6.0]], 2)
    >>> found.centres.tolist(), found.cells.tolist(), found.radii.tolist()
    ([0, 3], [0, 0, 1, 1], [6.0, 1.0])
    """
    array = checked_points(points, "points")
    weights = np.ones(len(array)) if alpha is None else np.asarray(alpha, dtype=np.float64)
    if np.any(weights == 0):
        raise ValueError("alpha must not be zero anywhere: leave such points out")
    return traverse(Target(kernel, array, weights), k, start=start, tolerance=tolerance)


def traverse(target: Target, k: int, *, start: int = 0, tolerance: float = 0.0) -> Traversal:
    """`farthest_first` on a target whose kernel factors are there already.

    Parameters
    ----------
    target : Target
    k, start, tolerance
        As in `farthest_first`.

    Returns
    -------
    Traversal
    """
    n = len(target)
    checked_count("k", k)
    checked_start(start, n)
    checked_threshold("tolerance", tolerance)
    buffer = target.buffer()
    nearest: NDArray[Any] = np.full(n, np.inf, dtype=buffer.dtype)
    cells = np.zeros(n, dtype=np.int64)
    closer = np.empty(n, dtype=bool)
    diagonal = target.diagonal.astype(buffer.dtype)
    # Squared distances smaller than this are rounding of K(x, x) - 2 K(x, x') + K(x', x').
    least = 16 * float(np.finfo(buffer.dtype).eps) * float(target.diagonal.max())
    centres: list[int] = []
    radii: list[float] = []
    centre = start
    while True:
        row = target.row(centre, buffer)
        row *= -2.0
        row += diagonal
        row += diagonal[centre]
        np.less(row, nearest, out=closer)
        np.copyto(cells, len(centres), where=closer)
        np.minimum(row, nearest, out=nearest)
        centres.append(centre)
        centre = int(nearest.argmax())
        square = float(nearest[centre])
        radii.append(math.sqrt(square) if square > least else 0.0)
        if len(centres) == k or radii[-1] <= tolerance:
            return Traversal(np.array(centres, dtype=np.int64), cells, np.array(radii))


def printed_loop(squares: ArrayLike, m: int, *, start: int = 0) -> tuple[list[int], bool]:
    r"""The loop of Algorithm 1 as printed: ``while |centres| <= m``, centres a set.

    Parameters
    ----------
    squares : array-like, shape (n, n)
        Squared distances.
    m : int
        As in print.
    start : int
        The first centre.

    Returns
    -------
    centres : list of int
        In the order found.
    stuck : bool
        Whether the farthest point is in the set already: nothing will ever change again.

    Examples
    --------
    >>> printed_loop([[0, 1], [1, 0]], 1)
    ([0, 1], False)
    >>> printed_loop([[0, 1], [1, 0]], 2)
    ([0, 1], True)
    """
    table = np.asarray(squares)
    centres = [start]
    while len(centres) <= m:
        distances = table[centres].min(axis=0)
        farthest = int(distances.argmax())
        if distances[farthest] == 0:
            return centres, True
        centres.append(farthest)
    return centres, False
