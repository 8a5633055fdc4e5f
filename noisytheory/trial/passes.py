"""What is said of more draws than memory holds: they are gone through again, part by part.

Draws come from a function that begins anew at every call, in parts of whatever lengths. Of a single
part everything is as NumPy has it, to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from itertools import islice
from operator import add
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["AT_ONCE", "Parts", "mean", "on_points", "ordered"]

Floats = NDArray[np.float64]

Parts = Callable[[], Iterator[NDArray[Any]]]
"""Arrays of shape (..., draws), the draws of a sample in turn."""

AT_ONCE = 2**20
"""Draws of a cell that are held at once, at most, unless a block has more."""

_GUIDES = 2**14
"""Draws between which the others are counted at first."""

_POINTS = 2**12
"""Points onto which draws are moved, one more or less."""


def mean(parts: Parts) -> NDArray[np.float64]:
    """Mean over all draws.

    Parameters
    ----------
    parts : callable
        The draws.

    Returns
    -------
    ndarray, shape (...)

    Examples
    --------
    >>> float(mean(lambda: iter([np.ones(3), np.zeros(2)])))
    0.6
    """
    counts, sums = zip(*((part.shape[-1], part.sum(axis=-1)) for part in parts()), strict=True)
    return np.asarray(reduce(add, sums) / sum(counts))


def ordered(parts: Parts, ranks: ArrayLike) -> NDArray[Any]:
    """Order statistics of a sample, exact however many passes they take; NaN is largest.

    Some draws of the first part guide the search: all draws are counted between them, then those
    next to the wanted ranks become the guides, until each rank falls on one. Three passes do where
    the first part is like the others.

    Parameters
    ----------
    parts : callable
        The draws.
    ranks : array_like of int, shape (..., r)
        From 0; they broadcast against the draws.

    Returns
    -------
    ndarray, shape (..., r)

    Examples
    --------
    >>> ordered(lambda: iter([np.array([3.0, 1.0]), np.array([2.0])]), [0, 1, 2]).tolist()
    [1.0, 2.0, 3.0]
    """
    first, *more = islice(parts(), 2)
    wanted = np.broadcast_to(ranks, (*first.shape[:-1], np.shape(ranks)[-1]))
    if not more:
        return np.take_along_axis(np.sort(first, axis=-1), wanted, axis=-1)
    searches = [_Search(*of) for of in zip(_rows(first), _rows(wanted), strict=True)]
    left = list(enumerate(searches))
    while left:
        for part in parts():
            for i, search in left:
                search.count(np.sort(_rows(part)[i]))
        left = [(i, search) for i, search in left if search.settle()]
        for part in parts() if left else ():
            for i, search in left:
                search.gather(np.sort(_rows(part)[i]))
        for _, search in left:
            search.aim()
    return np.array([search.found for search in searches]).reshape(wanted.shape)


def _rows(array: NDArray[Any]) -> NDArray[Any]:
    return array.reshape(-1, array.shape[-1])


class _Search:
    """Where the wanted ranks of one sample are: on guides, or in the gaps between them."""

    def __init__(self, first: NDArray[Any], ranks: NDArray[np.int64]) -> None:
        self._ranks, self._open = ranks, np.arange(ranks.size)
        self.found = np.full(ranks.shape, np.nan)
        self._near = [first[:: max(1, first.size // _GUIDES)]]
        self.aim()

    def aim(self) -> None:
        """Let what is near the ranks be the guides."""
        self._guides = np.unique(np.concatenate(self._near))
        self._below, self._upto = np.zeros((2, self._guides.size), np.int64)
        self._parts = 0

    def count(self, part: NDArray[Any]) -> None:
        """Count the draws of a sorted part below each guide, and up to it."""
        self._below += np.searchsorted(part, self._guides, "left")
        self._upto += np.searchsorted(part, self._guides, "right")
        self._parts += 1

    def settle(self) -> bool:
        """Take what all draws, counted, have shown; returns whether a rank is still in a gap."""
        ranks, last = self._ranks[self._open], self._guides.size - 1
        after = np.searchsorted(self._upto, ranks, "right")
        on = (after <= last) & (self._below[np.minimum(after, last)] <= ranks)
        self.found[self._open[on]] = self._guides[after[on]]
        self._open = self._open[~on]
        self._gaps = np.unique(after[~on])  # Gap g lies before guide g.
        self._near = [self._guides[np.unique(np.clip([self._gaps - 1, self._gaps], 0, last))]]
        return bool(self._gaps.size)

    def gather(self, part: NDArray[Any]) -> None:
        """Take the draws of a sorted part that lie in those gaps, or some where there are many."""
        starts = np.append(0, np.searchsorted(part, self._guides, "right"))[self._gaps]
        stops = np.append(np.searchsorted(part, self._guides, "left"), part.size)[self._gaps]
        most = max(1, AT_ONCE // (self._gaps.size * self._parts))
        at = []
        for start, stop in zip(starts, stops, strict=True):
            few = min(stop - start, most)
            at.append(start + (2 * np.arange(few) + 1) * (stop - start) // (2 * few))
        self._near.append(part[np.concatenate(at)])


def on_points(parts: Parts) -> tuple[Floats, Floats | None, float]:
    """Draws moved onto a few thousand points, each in shares onto both its neighbours.

    Which keeps every mean: the sum of a concave function becomes no larger.

    Parameters
    ----------
    parts : callable
        Numbers, in parts of shape (draws,).

    Returns
    -------
    points : ndarray
        The draws themselves, if they are one part.
    weights : ndarray or None
        How many draws are on each point; None for one each.
    moved : float
        Sum over the draws of the products of their distances from both neighbours.

    Examples
    --------
    >>> points, weights, _ = on_points(lambda: iter([np.array([0.0, 2.0]), np.array([1.5])]))
    >>> points.tolist(), weights.tolist()
    ([0.0, 2.0], [1.25, 1.75])
    """
    first, *more = islice(parts(), 2)
    if not more:
        return first, None, 0.0
    ends = np.array([(part.min(), part.max()) for part in parts()])
    some = np.sort(first)[:: max(1, first.size // _POINTS)]
    points = np.unique([ends[:, 0].min(), *some, ends[:, 1].max()])
    if points.size == 1:
        return points, np.array([float(sum(part.size for part in parts()))]), 0.0
    weights, moved = np.zeros(points.size), 0.0
    for part in parts():
        at = np.clip(np.searchsorted(points, part, "right") - 1, 0, points.size - 2)
        before, after = part - points[at], points[at + 1] - part
        share = before / (before + after)
        weights += np.bincount(at, 1 - share, points.size)
        weights += np.bincount(at + 1, share, points.size)
        moved += float(before @ after)
    return points, weights, moved
