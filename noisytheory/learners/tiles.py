"""What the mean classifier computes with: Gram tiles, norms and bandwidths, dense or sparse."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from itertools import islice
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from threadpoolctl import ThreadpoolController

from noisytheory.vocabulary.kernels import LOG2_E, Gaussian, Kernel, Linear, Normalised, check_range

__all__ = [
    "check_coordinates",
    "default_bandwidth",
    "diagonal",
    "exponents",
    "in_order",
    "is_linear",
    "one_thread",
    "slices",
    "squared_norms",
    "takes_sparse",
    "threads",
    "tile",
    "unit_rows",
]

Floats: TypeAlias = NDArray[np.floating[Any]]
Points: TypeAlias = Any  # dense or sparse rows, as scikit-learn validated them
Item = TypeVar("Item")
Done = TypeVar("Done")


@cache
def _controller() -> ThreadpoolController:
    """Of the linear algebra that is loaded, which takes milliseconds to find."""
    return ThreadpoolController()


def threads() -> int:
    """As many as the linear algebra would take now, and the process may run on."""
    allowed = [
        library["num_threads"] for library in _controller().info() if library["user_api"] == "blas"
    ]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(max(allowed, default=1), cores or 1))


def one_thread() -> Any:
    """A context in which linear algebra takes one thread: of short sums many wait for each other.

    Examples
    --------
    >>> with one_thread():
    ...     threads()
    1
    """
    return _controller().limit(limits=1, user_api="blas")


def in_order(work: Callable[[Item], Done], items: Iterable[Item], workers: int) -> Iterator[Done]:
    """``work`` of every item, in their order, with linear algebra on one thread in each worker.

    Few results wait: work begins on no more items than there are workers, and one.
    """
    with one_thread():
        if workers == 1:
            yield from map(work, items)
            return
        rest = iter(items)
        with ThreadPoolExecutor(workers) as pool:
            begun: deque[Future[Done]] = deque(
                pool.submit(work, item) for item in islice(rest, workers + 1)
            )
            while begun:
                done = begun.popleft().result()
                begun.extend(pool.submit(work, item) for item in islice(rest, 1))
                yield done


def is_linear(kernel: Any) -> bool:
    """Whether a weight vector can stand for the sample."""
    return isinstance(kernel, Linear) or (
        isinstance(kernel, Normalised) and isinstance(kernel.kernel, Linear)
    )


def takes_sparse(kernel: Any) -> bool:
    """Whether sparse rows are taken: by kernels that are one function of an inner product."""
    return is_linear(kernel) or isinstance(kernel, Gaussian)


def check_coordinates(points: Points) -> None:
    """Refuse coordinates whose squares overflow, dense or sparse."""
    check_range(points.data if sparse.issparse(points) else points, "X")


def unit_rows(points: Points, kernel: Any) -> Points:
    """Rows as features of a linear kernel: divided by their norms if it is normalised.

    A row of zeros stays one.
    """
    if isinstance(kernel, Linear):
        return points
    norms = np.sqrt(squared_norms(points))
    zero = norms == 0
    if zero.any() and abs(points[zero]).max() > 0:
        raise ValueError("X must have rows of zeros, or rows whose squares do not underflow")
    inverse = np.where(zero, 0, 1 / (norms + zero)).astype(points.dtype)
    return sparse.diags(inverse) @ points if sparse.issparse(points) else points * inverse[:, None]


def squared_norms(points: Points) -> Floats:
    """$|x_i|^2$ of every row."""
    if sparse.issparse(points):
        return np.asarray(points.multiply(points).sum(axis=1)).ravel()
    return np.asarray(np.einsum("nd,nd->n", points, points))


def diagonal(kernel: Any, points: Points) -> Floats:
    """$K(x_i,x_i)$ of every row, of a kernel or a callable."""
    if is_linear(kernel):
        return squared_norms(points)
    if isinstance(kernel, Kernel):
        return kernel.diagonal(points)
    return np.array([float(_called(kernel, row[None], row[None])[0, 0]) for row in points])


def default_bandwidth(points: Points, weights: Floats) -> float:
    r"""$\sqrt{dv/2}$ with $v$ the variance over all coordinates; 1 where that is 0."""
    mean = float(np.mean(np.asarray(weights @ points)))
    square = float(weights @ squared_norms(points).astype(np.float64)) / points.shape[1]
    variance = square - mean**2
    degenerate = variance <= 1e-12 * max(square, 1e-300)
    return 1.0 if degenerate else float(np.sqrt(points.shape[1] * variance / 2))


def slices(total: int, step: int) -> Iterator[slice]:
    """Consecutive ranges of at most ``step``."""
    return (slice(start, min(start + step, total)) for start in range(0, total, step))


def tile(
    kernel: Any, x: Points, z: Points, x_squares: Floats, z_squares: Floats,
    columns: Points | None = None,
) -> Floats:
    """A small Gram block; Gaussian ones, dense or sparse, without another copy of the points.

    ``columns`` is ``z.T`` laid out by rows, for who has it already.
    """
    if not isinstance(kernel, Gaussian):
        return np.asarray(kernel(x, z)) if isinstance(kernel, Kernel) else _called(kernel, x, z)
    block = exponents(kernel, x, z, x_squares, z_squares, columns)
    return np.asarray(np.exp2(block, out=block))


def exponents(
    kernel: Gaussian, x: Points, z: Points, x_squares: Floats, z_squares: Floats,
    columns: Points | None = None,
) -> Floats:
    """Logarithms of the values of a small Gaussian block, to base 2 as in `noisytheory.kernels`."""
    factor = -0.5 * LOG2_E / float(kernel.bandwidth) ** 2
    dtype = np.result_type(x, z)
    largest = max(float(x_squares.max(initial=1.0)), float(z_squares.max(initial=1.0)))
    if not -factor < float(np.finfo(dtype).max) / (16 * largest):
        raise ValueError(
            f"bandwidth must be larger beside rows of norm {largest**0.5:g}, got "
            f"{float(kernel.bandwidth):g}: squared distances in bandwidths overflow"
        )
    factor = dtype.type(factor)
    if sparse.issparse(x) or sparse.issparse(z):
        product = x @ (z.T if columns is None else columns)
        block = product.toarray() if sparse.issparse(product) else np.asarray(product)
        block *= -2 * factor
        block += (factor * x_squares)[:, None]
        block += factor * z_squares
    else:
        # Squares ride in two more coordinates, which costs less than two more passes.
        left = np.column_stack([-2 * factor * x, factor * x_squares, np.ones(len(x), dtype)])
        right = np.column_stack([z, np.ones(len(z), dtype), factor * z_squares])
        block = left @ right.T
    return np.asarray(np.minimum(block, np.zeros(block.shape[1], block.dtype), out=block))


def _called(kernel: Any, x: Points, z: Points) -> Floats:
    """A Gram block from a callable of the user's, which may return anything."""
    block, shape = np.asarray(kernel(x, z), dtype=np.float64), (x.shape[0], z.shape[0])
    if block.shape != shape or not np.isfinite(block).all():
        got = "NaN or infinity" if block.shape == shape else f"shape {block.shape}"
        raise ValueError(f"kernel must return finite numbers of shape {shape}, got {got}")
    return block
