r"""Random sub-sampling: plain, without replacement, and clustered (Theorem 21)."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.topics.sparse.approximation import (
    Approximation,
    Ints,
    Target,
    checked_count,
    checked_rng,
    checked_start,
    checked_threshold,
)
from noisytheory.topics.sparse.farthest_first import Traversal, ended, traverse
from noisytheory.vocabulary.domains import LEVEL, checked_floats
from noisytheory.vocabulary.kernels import Kernel, Linear
from noisytheory.vocabulary.threads import on_one_thread

__all__ = [
    "cells_to_tolerance",
    "cells_to_tolerance_printed",
    "clustered",
    "clustered_printed",
    "clustered_to_tolerance",
    "clustered_to_tolerance_printed",
    "draws_per_cell",
    "with_replacement",
    "without_replacement",
]

Doubles = NDArray[np.float64]
# Rows of a block of the Gram matrix of what was drawn.
ROWS = 256
# Coordinates, or weights, that are few: to compare them costs less than to look at them anew.
FEW = 4096


def _target(kernel: Kernel, points: ArrayLike, alpha: ArrayLike) -> Target:
    """The target; of a few numbers that of an earlier call with the same.

    Who draws again and again finds its factors, and its cells, there already.
    """
    given = [array for array in (points, alpha) if type(array) is np.ndarray
             and array.dtype.kind in "iuf" and array.size <= FEW]
    if type(kernel) is not Linear or len(given) < 2:
        return Target(kernel, points, alpha)
    return _kept(*((array.dtype.str, array.shape, array.tobytes()) for array in given))


@functools.lru_cache(maxsize=16)
def _kept(*given: tuple[str, tuple[int, ...], bytes]) -> Target:
    points, alpha = (np.frombuffer(data, kind).reshape(shape) for kind, shape, data in given)
    return Target(Linear(), points, alpha)


def _traversed(target: Target, k: int, start: int) -> Traversal:
    """Its traversal, once."""
    known: dict[Any, Traversal] = target.traversals
    where = checked_count("k", k), checked_start(start, len(target))
    if where not in known:
        known[where] = traverse(target, k, start=start)
    return known[where]


@on_one_thread
def with_replacement(
    kernel: Kernel, points: ArrayLike, alpha: ArrayLike, k: int, *, rng: np.random.Generator
) -> Approximation:
    r"""The mean of ``k`` independent draws from $|\alpha|/W$, times $W$.

    Its mean square error is $\frac1k\big(\sum p_i\|\omega_i\|^2-\|\pi^*\|^2\big)W^2$ exactly.

    Parameters
    ----------
    kernel : Kernel
    points : array-like, shape (n, d)
    alpha : array-like, shape (n,)
        Target weights, of any sign.
    k : int
        Number of draws.
    rng : numpy.random.Generator

    Returns
    -------
    Approximation
        Errors after 1, 2, ..., k draws.

    Examples
    --------
    >>> from noisytheory.vocabulary.kernels import Linear
    >>> with_replacement(Linear(), [[2.0]], [1.0], 3, rng=np.random.default_rng(0)).errors.tolist()
    [0.0, 0.0, 0.0]
    """
    target = _target(kernel, points, alpha)
    count = checked_count("k", k)
    return _mean_of(target, checked_rng(rng).choice(len(target), size=count, p=target.masses))


@on_one_thread
def without_replacement(
    kernel: Kernel, points: ArrayLike, alpha: ArrayLike, k: int, *, rng: np.random.Generator
) -> Approximation:
    r"""The mean of ``k`` different points, for a target whose weights have one size.

    The mean square error is that of `with_replacement` times $\frac{n-k}{n-1}$:
    `nt.sparse.without_replacement_mean_square`.

    Parameters
    ----------
    kernel, points, alpha, k, rng
        As in `with_replacement`; ``k`` at most the number of points.

    Returns
    -------
    Approximation
        Errors after 1, 2, ..., k draws.

    Raises
    ------
    ValueError
        If the weights differ in size, or there are not so many points.
    """
    target = _target(kernel, points, alpha)
    if np.ptp(target.masses) > 1e-12 * target.masses[0]:
        raise ValueError("alpha must have one absolute value to sample without replacement")
    count = checked_count("k", k, len(target))
    return _mean_of(target, checked_rng(rng).choice(len(target), size=count, replace=False))


def _mean_of(target: Target, drawn: NDArray[np.int64]) -> Approximation:
    merged = target.approximation(drawn, np.full(len(drawn), 1 / len(drawn)))
    return dataclasses.replace(merged, measure=lambda: _prefix_errors(target, drawn))


def _prefix_errors(target: Target, drawn: NDArray[np.int64]) -> Doubles:
    """Error of the mean of the first 1, 2, ... draws, from running sums of their Gram matrix."""
    k = len(drawn)
    steps = np.arange(1, k + 1)
    own = np.empty(k)
    points, signs = target.doubles[drawn], target.signs[drawn]
    for top in range(0, k, ROWS):
        rows = slice(top, min(top + ROWS, k))
        block = target.kernel(points[rows], points[: rows.stop])
        block *= signs[rows, None] * signs[: rows.stop]
        own[rows] = 2 * np.tril(block, k=top - 1).sum(axis=1) + target.diagonal[drawn[rows]]
    square = (
        target.square
        - 2 * np.cumsum(target.scores_at(drawn)) / steps
        + np.cumsum(own) / steps.astype(float) ** 2
    )
    return target.unless_hidden(
        target.total * np.sqrt(np.maximum(square, 0.0)), drawn, 1 / steps
    )


def draws_per_cell(shares: ArrayLike, m: int) -> Ints:
    r"""$n_i=\lceil\alpha(S_i)m\rceil$, robust against rounding; fewer than $2m$ in all.

    Parameters
    ----------
    shares : array-like, shape (cells,)
        Masses of the cells, summing to 1.
    m : int
        As in Theorem 21.

    Returns
    -------
    int array, shape (cells,)

    Examples
    --------
    >>> draws_per_cell([0.1 + 0.2, 0.7], 10).tolist()
    [3, 7]
    """
    masses = checked_floats("shares", shares)
    # However light a cell is, it gives a draw; an empty one gives none.
    return np.maximum(np.ceil(masses * m - 1e-9), masses > 0).astype(np.int64)


@on_one_thread
def clustered(
    kernel: Kernel,
    points: ArrayLike,
    alpha: ArrayLike,
    k: int,
    *,
    rng: np.random.Generator,
    start: int = 0,
    cells: ArrayLike | None = None,
) -> Approximation:
    r"""Clustered sub-sampling (Theorem 21) on farthest-first cells (Algorithm 1), or on others.

    Cell $S_i$ gives the mean of $\lceil\alpha(S_i)k\rceil$ draws from it, with weight
    $\alpha(S_i)$; an empty cell, or one without weight, gives nothing. At most $2k-1$ atoms.
    The mean square error on these points is `nt.sparse.clustered_mean_square`.

    Parameters
    ----------
    kernel, points, alpha, rng
        As in `with_replacement`.
    k : int
        Number of cells, the paper's $m$; there are fewer where fewer points are distinct.
    start : int
        First centre, counted among the points of non-zero weight.
    cells : int array-like, shape (n,), optional
        Cell of every point, from 0 to ``k - 1``, in place of the traversal's.

    Returns
    -------
    Approximation
        One error.

    Raises
    ------
    ValueError
        If ``k``, ``start`` or ``cells`` is out of range.

    Examples
    --------
    >>> from noisytheory.vocabulary.kernels import Linear
    >>> found = clustered(Linear(), [[1.0], [1.0], [0.0], [0.0]], [0.25] * 4, 2,
    ...                   rng=np.random.default_rng(0))
    >>> found.error
    0.0
    """
    target = _target(kernel, points, alpha)
    if cells is None:
        return _sample_cells(target, _traversed(target, k, start).cells, k, rng)
    given, count = np.asarray(cells), checked_count("k", k)
    whole = given.dtype.kind in "iu" and given.shape == (target.given,)
    if not whole or given.min() < 0 or given.max() >= count:
        raise ValueError(f"cells must hold {target.given} whole numbers in [0, {count - 1}]")
    return _sample_cells(target, given[target.kept], count, rng)


def clustered_printed(
    kernel: Kernel,
    points: ArrayLike,
    alpha: ArrayLike,
    k: int,
    *,
    rng: np.random.Generator,
    start: int = 0,
) -> Approximation:
    r"""Algorithm 1 as printed: `clustered` on the $k+1$ cells that the printed loop ends with.

    Cell $S_i$ gives $\lceil\alpha(S_i)k\rceil$ draws, so there are up to $2k$ atoms.

    Parameters
    ----------
    kernel, points, alpha, k, rng, start
        As in `clustered`; ``k`` is the paper's $m$.

    Returns
    -------
    Approximation
        One error.

    Raises
    ------
    ValueError
        Where the printed loop never ends: if no more than ``k`` points are distinct.

    Examples
    --------
    >>> from noisytheory.vocabulary.kernels import Linear
    >>> found = clustered_printed(Linear(), [[0.0], [1.0], [5.0], [6.0]], [0.25] * 4, 2,
    ...                           rng=np.random.default_rng(0))
    >>> len(found.indices)
    3
    """
    target = _target(kernel, points, alpha)
    cells = ended(_traversed(target, checked_count("k", k) + 1, start), k).cells
    return _sample_cells(target, cells, k, rng)


@on_one_thread
def clustered_to_tolerance(
    kernel: Kernel,
    points: ArrayLike,
    alpha: ArrayLike,
    tolerance: float,
    delta: float,
    *,
    rng: np.random.Generator,
    start: int = 0,
) -> Approximation:
    r"""Algorithm 2, mended: as many cells as the tolerance asks for.

    Centres are added until $\sqrt2r_k(1+\sqrt{\log(1/\delta)})/\sqrt k\le\epsilon$, with $r_k$
    the radius of the first $k$ centres; the error is then at most $\epsilon$ with probability
    $1-\delta$.

    Parameters
    ----------
    kernel, points, alpha, rng, start
        As in `clustered`.
    tolerance : float
        $\epsilon$, RKHS norm, for the normalised target times $W$.
    delta : float
        Probability of failure, in (0, 1).

    Returns
    -------
    Approximation
        One error.

    Raises
    ------
    ValueError
        If ``tolerance`` is not positive or ``delta`` not in (0, 1).
    """
    tolerance = checked_threshold("tolerance", tolerance)
    if tolerance == 0:
        raise ValueError(f"tolerance must be > 0, got {tolerance!r}")
    delta = LEVEL.number("delta", delta)
    target = Target(kernel, points, alpha)
    found = cells_to_tolerance(target, tolerance, delta, start=start)
    return _sample_cells(target, found.cells, len(found.centres), rng)


def cells_to_tolerance(
    target: Target, tolerance: float, delta: float, *, start: int = 0
) -> Traversal:
    """The cells of `clustered_to_tolerance`.

    Parameters
    ----------
    target : Target
    tolerance, delta, start
        As there.

    Returns
    -------
    Traversal
    """
    factor = math.sqrt(2) * (1 + math.sqrt(math.log(1 / delta))) * target.total
    size = 1
    while True:
        # Doubling costs at most twice the last traversal and needs no other stopping rule there.
        found = traverse(target, size, start=start)
        promised = factor * found.radii / np.sqrt(np.arange(1, len(found.radii) + 1))
        enough = np.flatnonzero(promised <= tolerance)
        if enough.size:
            return traverse(target, int(enough[0]) + 1, start=start)
        size *= 2


def clustered_to_tolerance_printed(
    kernel: Kernel,
    points: ArrayLike,
    alpha: ArrayLike,
    tolerance: float,
    delta: float,
    *,
    rng: np.random.Generator,
    start: int = 0,
    radius: float = 0.0,
    cells: int = 1,
) -> Approximation:
    r"""Algorithm 2 as printed: a centre more while $2d(1+\sqrt{\log(1/\delta)})/\sqrt k>\epsilon$.

    Print sets neither $d$ nor $k$. With $d=0$, as here, the loop is never entered, one random point
    comes back, and nothing is promised. With a large $d$ the loop is sound: $d$ is the distance at
    which the last centre was found, the radius *before* it, so that the test lags by one centre.

    Parameters
    ----------
    kernel, points, alpha, tolerance, delta, rng, start
        As in `clustered_to_tolerance`.
    radius : float
        $d$ before the loop, RKHS norm; at least 0, `math.inf` is allowed.
    cells : int
        $k$ before the loop, while there is one centre.

    Returns
    -------
    Approximation
        One error.

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Examples
    --------
    >>> from noisytheory.vocabulary.kernels import Linear
    >>> halves = Linear(), [[0.0], [1.0]], [0.5, 0.5], 0.1, 0.1
    >>> rng = np.random.default_rng(0)
    >>> clustered_to_tolerance_printed(*halves, rng=rng).error
    0.5
    >>> clustered_to_tolerance_printed(*halves, rng=rng, radius=math.inf).error
    0.0
    """
    tolerance = checked_threshold("tolerance", tolerance)
    if tolerance == 0:
        raise ValueError(f"tolerance must be > 0, got {tolerance!r}")
    delta = LEVEL.number("delta", delta)
    d, k = checked_threshold("radius", radius), checked_count("cells", cells)
    target = Target(kernel, points, alpha)
    found = cells_to_tolerance_printed(target, tolerance, delta, start=start, radius=d, cells=k)
    return _sample_cells(target, found.cells, len(found.centres), rng)


def cells_to_tolerance_printed(
    target: Target, tolerance: float, delta: float, *, start: int = 0, radius: float, cells: int
) -> Traversal:
    """The cells of `clustered_to_tolerance_printed`.

    Parameters
    ----------
    target : Target
    tolerance, delta, start, radius, cells
        As there.

    Returns
    -------
    Traversal
    """
    d, k = radius, cells
    factor = 2 * (1 + math.sqrt(math.log(1 / delta))) * target.total
    # All radii: of distinct points there are no more, and the last is 0.
    radii = traverse(target, len(target), start=start).radii
    centres = 1
    while factor * d / math.sqrt(k) > tolerance:
        d = float(radii[centres - 1])
        if d:
            centres += 1
        k += 1
    return traverse(target, centres, start=start)


def _sample_cells(
    target: Target, cells: Ints, m: int, rng: np.random.Generator
) -> Approximation:
    checked_rng(rng)
    return target.approximation(*draws_from_cells(target.masses[None], cells[None], m, rng))


def draws_from_cells(
    masses: Doubles, cells: Ints, m: int, rng: np.random.Generator
) -> tuple[Ints, Doubles]:
    """The draws of `clustered` for several targets on the same points at once.

    Parameters
    ----------
    masses : array, shape (targets, n)
        Shares of the points, a row summing to 1.
    cells : int array, shape (targets, n)
        From 0; a point without mass may be in any cell that has some.
    m : int
        As in `draws_per_cell`.
    rng : numpy.random.Generator

    Returns
    -------
    drawn : int array, shape (draws,)
        Places in the flattened ``masses``.
    shares : array, shape (draws,)
        What each draw weighs.
    """
    flat = (cells + (cells.max() + 1) * np.arange(len(cells))[:, None]).ravel()
    shares = np.bincount(flat, weights=masses.ravel())
    counts = draws_per_cell(shares, m)
    # Cell after cell on one line, each of length 1: a draw is a place in its cell.
    order = np.argsort(flat, kind="stable")
    ends = np.cumsum((masses.ravel() / shares[flat])[order])
    last = np.cumsum(np.bincount(flat)) - 1
    first = np.append(0, last[:-1] + 1)
    cell = np.repeat(np.arange(len(shares)), counts)
    start = np.append(0.0, ends)[first]
    place = start[cell] + (ends[last] - start)[cell] * rng.random(len(cell))
    # Rounding does not leave the cell.
    found = np.clip(np.searchsorted(ends, place, side="right"), first[cell], last[cell])
    return order[found], (shares / np.maximum(counts, 1))[cell]
