r"""Farthest-first traversal (Gonzalez 1985): centres, cells, and the radius after every centre."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.topics.sparse.approximation import (
    Ints,
    Target,
    checked_count,
    checked_start,
    checked_threshold,
)
from noisytheory.vocabulary.domains import checked_floats
from noisytheory.vocabulary.kernels import TILE_COLUMNS, TILE_ROWS, Kernel, Plan, checked_points
from noisytheory.vocabulary.threads import on_one_thread

__all__ = ["Traversal", "farthest_first", "farthest_first_printed", "printed_loop", "traverse"]

Doubles = NDArray[np.float64]

# Points that a new centre is compared with at once: the farthest, this share of all or so many.
FARTHEST_SHARE = 16
FARTHEST_LEAST = 2048
# Centres that other points are compared with at once.
TOGETHER = 48


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


@on_one_thread
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
    It costs $n$ kernel evaluations a centre, beyond 4096 points $\max(2048,n/16)$ more, and $2n$
    at most, where points tie. New centres come from the farthest so many only, until none of these
    is as far as the others were; all then catch up with the new centres, tile by tile. The radius
    is at most, and the diameter of the cells at most twice, the least diameter of a partition into
    ``k`` cells.

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
        Centres and cells, not an `Approximation`: what `nearest_centre`, `projection` and
        `clustered` make of them is one.

    Raises
    ------
    ValueError
        If ``k``, ``start`` or ``tolerance`` is out of range, or a weight is zero.

    Examples
    --------
    >>> from noisytheory.vocabulary.kernels import Linear
    >>> found = farthest_first(Linear(), [[0.0], [1.0], [5.0], [6.0]], 2)
    >>> found.centres.tolist(), found.cells.tolist(), found.radii.tolist()
    ([0, 3], [0, 0, 1, 1], [6.0, 1.0])
    """
    array = checked_points(points, "points")
    weights = np.ones(len(array)) if alpha is None else checked_floats("alpha", alpha)
    if np.any(weights == 0):
        raise ValueError("alpha must not be zero anywhere: leave such points out")
    return traverse(Target(kernel, array, weights), k, start=start, tolerance=tolerance)


@on_one_thread
def farthest_first_printed(
    kernel: Kernel,
    points: ArrayLike,
    k: int,
    *,
    alpha: ArrayLike | None = None,
    start: int = 0,
) -> Traversal:
    r"""The traversal of Algorithm 1 as printed: it ends with $k+1$ centres, or never.

    Print loops while $|\tilde S|\le m$, and $\tilde S$ is a set: where no more than ``k`` points
    are distinct, the farthest is a centre already, and nothing changes any more. `printed_loop` is
    the loop itself, on a table of distances.

    Parameters
    ----------
    kernel, points, k, alpha, start
        As in `farthest_first`; ``k`` is the paper's $m$.

    Returns
    -------
    Traversal
        With ``k + 1`` centres.

    Raises
    ------
    ValueError
        Where the printed loop never ends.

    Examples
    --------
    >>> from noisytheory.vocabulary.kernels import Linear
    >>> farthest_first_printed(Linear(), [[0.0], [1.0], [5.0], [6.0]], 2).centres.tolist()
    [0, 3, 1]
    >>> farthest_first_printed(Linear(), [[1.0], [1.0], [0.0], [0.0]], 2)
    Traceback (most recent call last):
    ...
    ValueError: k must be below the number of distinct points, 2, or the printed loop never ends
    """
    found = farthest_first(kernel, points, checked_count("k", k) + 1, alpha=alpha, start=start)
    return ended(found, k)


def ended(found: Traversal, k: int) -> Traversal:
    """A traversal asked for ``k + 1`` centres, or a ValueError where print loops for ever.

    Parameters
    ----------
    found : Traversal
    k : int

    Returns
    -------
    Traversal
    """
    if len(found.centres) <= k:
        raise ValueError(
            f"k must be below the number of distinct points, {len(found.centres)}, or the printed "
            "loop never ends"
        )
    return found


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
    tolerance = checked_threshold("tolerance", tolerance)
    cover = _Cover(target)
    centres, radii = [start], list[float]()
    cover.catch_up(centres)
    while True:
        few = cover.farthest()
        known = len(centres)
        while True:
            i = int(few.near.argmax())
            if few.near[i] < few.threshold:
                break
            radii.append(cover.radius(float(few.near[i])))
            if len(centres) == k or radii[-1] <= tolerance:
                cover.catch_up(centres[known:], few, known)
                return Traversal(np.array(centres, dtype=np.int64), cover.cells, np.array(radii))
            few.add(int(few.points[i]), i, len(centres))
            centres.append(int(few.points[i]))
        cover.catch_up(centres[known:], few, known)


class _Farthest:
    """The points that the next centres are among, and what is known of them."""

    def __init__(self, cover: _Cover, points: Ints, threshold: float) -> None:
        everything = len(points) == len(cover.near)
        self.points = points
        self.threshold = threshold
        self.near = cover.near[points]
        self.cells = cover.cells[points]
        self.own = cover.own[points]
        self.shift = cover.shift
        self.plan = cover.plan if everything else cover.plan.at(points)
        self.row = np.empty_like(self.near)
        self.closer = np.empty(len(points), dtype=bool)

    def add(self, centre: int, place: int, cell: int) -> None:
        """Compare all with a new centre, which stands at ``place`` here."""
        row = self.row
        self.plan.block(slice(centre, centre + 1), slice(0, len(row)), row[None, :])
        if self.shift is not None:
            row -= self.shift[centre]
        np.subtract(self.own, row, out=row)
        row[place] = 0.0
        np.less(row, self.near, out=self.closer)
        np.copyto(self.cells, cell, where=self.closer)
        np.minimum(row, self.near, out=self.near)


class _Cover:
    r"""Halves of the squared distances to the nearest centre, $\frac12(K_{ii}+K_{cc})-K_{ic}$."""

    def __init__(self, target: Target) -> None:
        n, dtype = len(target), target.points.dtype
        diagonal = target.diagonal.astype(dtype)
        self.plan: Plan = target.kernel.plan(target.points, target.points)
        if target.two_signs:
            self.plan = self.plan.times(target.signs, target.signs)
        self.near: NDArray[Any] = np.full(n, np.inf, dtype=dtype)
        self.cells: Ints = np.zeros(n, dtype=np.int64)
        # What stands beside -K: the point's part, and the centre's unless all are alike.
        alike = bool(np.all(diagonal == diagonal[0]))
        self.own: NDArray[Any] = diagonal if alike else diagonal / 2
        self.shift: NDArray[Any] | None = None if alike else self.own
        # Squared distances smaller than this are rounding of K(x, x) - 2 K(x, x') + K(x', x').
        self.least = 16 * float(np.finfo(dtype).eps) * float(target.diagonal.max())

    def radius(self, half: float) -> float:
        """The distance of which this is half the square."""
        return math.sqrt(2 * half) if 2 * half > self.least else 0.0

    def farthest(self) -> _Farthest:
        """The points farthest from their centres, in the order of all."""
        n = len(self.near)
        few = max(FARTHEST_LEAST, n // FARTHEST_SHARE)
        if n <= 2 * few:
            return _Farthest(self, np.arange(n), -math.inf)
        threshold = float(np.partition(self.near, n - few)[n - few])
        points = np.flatnonzero(self.near >= threshold)
        return _Farthest(self, points, threshold)

    def catch_up(
        self, centres: list[int], few: _Farthest | None = None, first: int = 0
    ) -> None:
        """Compare all points with these centres, but for those that have been."""
        n = len(self.near)
        if few is None or len(few.points) < n:
            for group in range(0, len(centres), TOGETHER):
                rows = np.array(centres[group : group + TOGETHER], dtype=np.int64)
                step = min(n, TILE_ROWS * TILE_COLUMNS // len(rows))
                tile = np.empty((len(rows), step), dtype=self.near.dtype)
                for start in range(0, n, step):
                    columns = slice(start, min(start + step, n))
                    part = tile[:, : columns.stop - start]
                    self._compare(rows, columns, part, first + group)
        if few is None:
            self.near[centres] = 0.0
        else:
            self.near[few.points] = few.near
            self.cells[few.points] = few.cells

    def _compare(self, rows: Ints, columns: slice, tile: NDArray[Any], first: int) -> None:
        plan = self.plan
        if plan.increasing and plan.row_scale is None and self.shift is None:
            # The kernel is computed of the largest inner products only.
            largest = plan.inner(rows, columns, tile).max(axis=0)
            if plan.finish is not None:
                plan.finish(largest[None, :], rows[:1], columns)
        else:
            plan.block(rows, columns, tile)
            if self.shift is not None:
                tile -= self.shift[rows, None]
            largest = tile.max(axis=0)
        near = self.own[columns] - largest
        closer = np.flatnonzero(near < self.near[columns])
        self.near[columns][closer] = near[closer]
        self.cells[columns][closer] = first + tile[:, closer].argmax(axis=0)


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
