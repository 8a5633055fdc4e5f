"""What the mean classifier computes with: Gram tiles, norms and bandwidths, dense or sparse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from noisytheory.vocabulary.compiled import add_products, powers_of_two
from noisytheory.vocabulary.kernels import (
    LOG2_E,
    Gaussian,
    Kernel,
    Laplace,
    Linear,
    Normalised,
    check_range,
)

__all__ = [
    "check_coordinates",
    "column_factors",
    "default_bandwidth",
    "diagonal",
    "exponent_factor",
    "exponents",
    "is_linear",
    "row_factors",
    "slices",
    "squared_norms",
    "takes_sparse",
    "tile",
    "unit_rows",
]

Floats: TypeAlias = NDArray[np.floating[Any]]
Points: TypeAlias = Any  # dense or sparse rows, as scikit-learn validated them


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
        return squared_norms(unit_rows(points, kernel))
    if isinstance(kernel, Gaussian):
        return np.ones(points.shape[0])
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


def tile(kernel: Any, x: Points, z: Points, x_squares: Floats, z_squares: Floats) -> Floats:
    """A small Gram block; Gaussian ones, dense or sparse, without another check of the points."""
    if not isinstance(kernel, Gaussian):
        return np.asarray(kernel(x, z)) if isinstance(kernel, Kernel) else _called(kernel, x, z)
    left, right = row_factors(kernel, x, x_squares), column_factors(kernel, z, z_squares)
    block = exponents(left, right, np.empty((x.shape[0], z.shape[0]), x.dtype))
    powers_of_two(block)
    return block


def exponents(left: Any, right: Any, out: Floats) -> Floats:
    """Logarithms to base 2 of Gaussian values, from their factors, above 0 by rounding only."""
    if isinstance(right, tuple):
        (data, indices, starts, mine), (others, columns, places, theirs) = left, right
        np.add(mine[:, None], theirs, out=out)
        add_products(data, indices, starts, others, columns, places, out)
        return out
    return np.asarray(np.matmul(left, right.T, out=out))


def row_factors(kernel: Gaussian, x: Points, squares: Floats, rows: slice = slice(None)) -> Any:
    """What beside `column_factors` makes logarithms; of dense rows squares are two coordinates."""
    x_squares = squares[rows]
    factor = exponent_factor(kernel, x_squares, x.dtype)
    if sparse.issparse(x):
        start, stop, _ = rows.indices(x.shape[0])
        return x.data, x.indices, x.indptr[start : stop + 1], factor * x_squares
    left = np.empty((len(x_squares), x.shape[1] + 2), x.dtype)
    np.multiply(x[rows], -2 * factor, out=left[:, :-2])
    np.multiply(x_squares, factor, out=left[:, -2])
    left[:, -1] = 1
    return left


def column_factors(kernel: Gaussian, z: Points, squares: Floats) -> Any:
    """Of the other points: dense ones in rows, too, sparse ones laid out by coordinates."""
    factor = exponent_factor(kernel, squares, z.dtype)
    if sparse.issparse(z):
        columns = z.T.tocsr()
        return -2 * factor * columns.data, columns.indices, columns.indptr, factor * squares
    right = np.empty((z.shape[0], z.shape[1] + 2), z.dtype)
    right[:, :-2] = z
    right[:, -2] = 1
    np.multiply(squares, factor, out=right[:, -1])
    return right


def exponent_factor(kernel: Gaussian | Laplace, squares: Floats, dtype: Any) -> Any:
    """What a squared distance is times in the logarithm to base 2, where none overflows.

    Of Laplace's kernel in the square of the logarithm to base e.
    """
    factor = (-0.5 * LOG2_E if isinstance(kernel, Gaussian) else 1) / float(kernel.bandwidth) ** 2
    largest = float(squares.max(initial=1.0))
    if not abs(factor) < float(np.finfo(dtype).max) / (16 * largest):
        raise ValueError(
            f"bandwidth must be larger beside rows of norm {largest**0.5:g}, got "
            f"{float(kernel.bandwidth):g}: squared distances in bandwidths overflow"
        )
    return np.dtype(dtype).type(factor)


def _called(kernel: Any, x: Points, z: Points) -> Floats:
    """A Gram block from a callable of the user's, which may return anything."""
    block, shape = np.asarray(kernel(x, z), dtype=np.float64), (x.shape[0], z.shape[0])
    if block.shape != shape or not np.isfinite(block).all():
        got = "NaN or infinity" if block.shape == shape else f"shape {block.shape}"
        raise ValueError(f"kernel must return finite numbers of shape {shape}, got {got}")
    return block
