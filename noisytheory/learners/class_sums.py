"""Sums of kernel values over the classes of a sample, each example without itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from noisytheory.learners.tiles import (
    Floats,
    Points,
    column_factors,
    exponents,
    is_linear,
    row_factors,
    slices,
    squared_norms,
    tile,
    unit_rows,
)
from noisytheory.vocabulary.compiled import add_powers, stripe_powers
from noisytheory.vocabulary.kernels import Gaussian, Kernel, Laplace
from noisytheory.vocabulary.threads import in_order

__all__ = ["class_sums"]

SIDE, WIDE = 256, 1024
"""Rows and columns of a tile: two MiB of doubles."""
ALONE = 100
"""Pairs of stripes of tiles that are not worth another thread."""


def class_sums(
    kernels: Sequence[Any], points: Points, codes: NDArray[np.intp], weights: Floats,
    workers: int = 1,
) -> Floats:
    r"""$\sum_{j\ne i,\,y_j=c}w_jK(x_i,x_j)$ of every kernel, example and class, in doubles.

    Each pair of examples is met once, each tile of distances once for all Gaussians. The same
    numbers whatever the number of threads.

    Parameters
    ----------
    kernels : sequence of kernels or callables
    points : array or sparse array, shape (n, d)
    codes : array, shape (n,)
        Classes, $0,\dots,k-1$.
    weights : array, shape (n,)
    workers : int
        Threads that share the work.

    Returns
    -------
    array, shape (kernels, n, k)

    Examples
    --------
    >>> from noisytheory.vocabulary.kernels import Linear
    >>> points = np.array([[1.0], [2.0], [3.0]])
    >>> class_sums([Linear()], points, np.array([0, 1, 1]), np.ones(3))[0].tolist()
    [[0.0, 5.0], [2.0, 6.0], [3.0, 6.0]]
    """
    classes = int(codes.max()) + 1
    found = np.empty((len(kernels), points.shape[0], classes))
    curved = [place for place, kernel in enumerate(kernels) if not is_linear(kernel)]
    for place, kernel in enumerate(kernels):
        if place not in curved:
            found[place] = _linear(unit_rows(points, kernel), codes, weights, classes)
    if curved:
        # The widest Gaussian first: narrower ones are its powers.
        curved.sort(key=lambda place: -_width(kernels[place]))
        order = np.argsort(codes, kind="stable")
        summed = _tiled([kernels[place] for place in curved], points[order], codes[order],
                        weights[order], classes, workers)
        found[np.array(curved)[:, None], order] = summed
    return found


def _width(kernel: Any) -> float:
    return float(kernel.bandwidth) if isinstance(kernel, Gaussian) else 0.0


def _linear(points: Points, codes: NDArray[np.intp], weights: Floats, classes: int) -> Floats:
    points = points.astype(np.float64)
    own = codes[:, None] == np.arange(classes)
    sums = np.asarray(points @ (points.T @ (weights[:, None] * own)))
    return np.asarray(sums - own * (weights * squared_norms(points))[:, None])


def _tiled(
    kernels: Sequence[Any], points: Points, codes: NDArray[np.intp], weights: Floats,
    classes: int, workers: int,
) -> Floats:
    """The same of examples in the order of their classes, few of which a tile then has."""
    points = points.astype(np.float64, copy=False)
    thin, n = sparse.issparse(points), points.shape[0]
    if not thin and all(isinstance(kernel, Gaussian | Laplace) for kernel in kernels):
        points = points - weights @ points / weights.sum()
    squares = squared_norms(points)
    stripes, blocks = list(slices(n, SIDE)), list(slices(n, WIDE))
    chains = _chains(kernels)
    widest = next((kernel for kernel, _ in chains if isinstance(kernel, Gaussian)), None)

    # Of these alone a stripe is one call, in which no thread waits for a lock.
    plain = widest is not None and not thin and len(chains) == sum(
        isinstance(kernel, Gaussian) for kernel, _ in chains
    )
    ratios = np.array([_ratio(widest, kernel) for kernel, _ in chains])
    counts = np.array([len(squarings) for _, squarings in chains])
    squared = np.concatenate([squarings for _, squarings in chains])

    def columns_of(columns: slice) -> Any:
        return widest and column_factors(widest, points[columns], squares[columns])

    # Laid out once: what a product needs of its right side.
    whole = columns_of(slice(0, n)) if plain else None
    right = [columns_of(columns) for columns in blocks] if not plain else []

    def stripe(place: int) -> tuple[Floats, Floats]:
        rows = stripes[place]
        height = rows.stop - rows.start
        own = codes[rows] - codes[rows.start]
        left = widest and row_factors(widest, points, squares, rows)
        across = np.zeros((len(kernels), classes, height))
        down = np.zeros((len(kernels), own[-1] + 1, n - rows.start))
        if plain:
            stripe_powers(
                left, rows.start, whole, ratios, counts, squared, weights, codes, across, down
            )
            return across, down[:, :, height:]
        logs = np.empty(height * WIDE)
        for every, laid in zip(blocks, right, strict=True):
            # From the rows themselves on.
            columns = slice(max(every.start, rows.start), every.stop)
            if columns.start >= columns.stop:
                continue
            if columns != every:
                laid = columns_of(columns) if thin else widest and laid[columns.start - every.stop:]
            if widest:
                width = columns.stop - columns.start
                exponents(left, laid, seen := logs[: height * width].reshape(height, width))
            theirs = np.arange(codes[columns.start], codes[columns.stop - 1] + 1)
            ends = np.searchsorted(codes[columns], theirs, side="right")
            done = 0
            for (kernel, squarings), ratio in zip(chains, ratios, strict=True):
                if ratio:
                    block = seen
                else:
                    block = tile(
                        kernel, points[rows], points[columns], squares[rows], squares[columns]
                    )
                if columns.start == rows.start:
                    # Of no value, or of one whose logarithm that is.
                    np.fill_diagonal(block, -np.inf if ratio else 0.0)
                add_powers(
                    block, float(ratio), squarings, weights[columns], ends, weights[rows], own,
                    across, down, done, theirs[0], columns.start - rows.start,
                )
                done += len(squarings)
        # The first columns are the rows themselves: both halves of it are there.
        return across, down[:, :, height:]

    sums = np.zeros((len(kernels), classes, n))
    # What a user's function does to other threads nobody knows.
    ours = all(isinstance(kernel, Kernel) for kernel in kernels)
    workers = min(workers, len(stripes) ** 2 // ALONE) if ours else 1
    for place, (across, down) in enumerate(in_order(stripe, range(len(stripes)), workers)):
        rows = stripes[place]
        sums[:, :, rows] += across
        sums[:, codes[rows.start] : codes[rows.stop - 1] + 1, rows.stop :] += down
    return sums.transpose(0, 2, 1)


def _ratio(widest: Gaussian | None, kernel: Any) -> float:
    """What logarithms of the widest Gaussian are times to be a kernel's; 0 of other kernels."""
    if widest is None or not isinstance(kernel, Gaussian):
        return 0.0
    # More would overflow, and has no values but 0 and 1 either.
    return min(float(widest.bandwidth) / float(kernel.bandwidth), 1e150) ** 2


def _chains(kernels: Sequence[Any]) -> list[tuple[Any, NDArray[np.intp]]]:
    """Kernels, and how often each value is squared to be one of it and of those that follow.

    From a Gaussian, the one of half the squared bandwidth is its square.
    """
    chains: list[tuple[Any, list[int]]] = []
    last: Any = None
    for kernel in kernels:
        times = 0.0
        if isinstance(kernel, Gaussian) and isinstance(last, Gaussian):
            times = 2 * np.log2(float(last.bandwidth) / float(kernel.bandwidth))
        if times < 9 and round(times) >= 1 and abs(times - round(times)) < 1e-12:
            chains[-1][1].append(round(times))
        else:
            chains.append((kernel, [0]))
        last = kernel
    return [(kernel, np.array(squarings)) for kernel, squarings in chains]
