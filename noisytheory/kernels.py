r"""Kernels $K(x,x')=\langle\phi(x),\phi(x')\rangle$: Gram blocks, and distances in the RKHS.

Every kernel here is a function of inner products, so a block of the Gram matrix is one matrix
product followed by a transformation in place, done in tiles that stay in the second-level cache.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Gaussian",
    "Kernel",
    "Laplace",
    "Linear",
    "Normalised",
    "Polynomial",
    "blocks",
    "rkhs_distance",
    "rkhs_norm",
]

Floats = NDArray[np.floating[Any]]
Finish = Callable[[Floats, slice, slice], None]

# A tile of 256 x 512 doubles is 1 MiB: half of a common second-level cache.
TILE_ROWS = 256
TILE_COLUMNS = 512
# Entries of one block from `blocks` when the caller names no number of rows (8 MiB of doubles).
BLOCK_ENTRIES = 1 << 20


def checked_points(points: ArrayLike, name: str = "x") -> Floats:
    """Return ``points`` as a finite two-dimensional array of floats, C-ordered.

    Parameters
    ----------
    points : array-like, shape (n, d)
        One row an instance. ``float32`` stays ``float32``, everything else becomes ``float64``.
    name : str
        The argument's name, for the message.

    Returns
    -------
    array, shape (n, d)

    Raises
    ------
    ValueError
        If the array is not two-dimensional, or holds NaN or an infinity.
    """
    array = np.asarray(points)
    if array.ndim != 2:
        raise ValueError(
            f"{name} must have shape (n, d), one row an instance, got shape {array.shape}"
        )
    if array.dtype != np.float32:
        try:
            array = array.astype(np.float64, copy=False)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name} must hold real numbers, got {array.dtype}") from error
    if not np.isfinite(array).all():
        row = int(np.argmin(np.isfinite(array).all(axis=1)))
        raise ValueError(f"{name} must be finite, got NaN or infinity in row {row}")
    return np.ascontiguousarray(array)


def rkhs_norm(kernel: Kernel, x: ArrayLike, alpha: ArrayLike) -> float:
    r"""RKHS norm of a weighted sample, $\|\sum_i\alpha_i\phi(x_i)\|$.

    Parameters
    ----------
    kernel : Kernel
    x : array-like, shape (n, d)
    alpha : array-like, shape (n,)
        Weights, of any sign.

    Returns
    -------
    float
        RKHS norm, at least 0.

    Raises
    ------
    ValueError
        On NaN, or if the shapes do not fit.

    Examples
    --------
    >>> rkhs_norm(Linear(), [[3.0, 0.0], [0.0, 4.0]], [1.0, 1.0])
    5.0
    """
    points = checked_points(x)
    weights = _checked_weights(alpha, len(points), "alpha")
    if isinstance(kernel, Linear):
        return float(np.linalg.norm(weights @ points.astype(np.float64, copy=False)))
    total = 0.0
    for rows, block in blocks(kernel, points):
        total += float(weights[rows] @ (block @ weights))
    return math.sqrt(max(total, 0.0))


def rkhs_distance(
    kernel: Kernel, x: ArrayLike, alpha: ArrayLike, z: ArrayLike, beta: ArrayLike
) -> float:
    r"""Distance in the RKHS of two weighted samples,
    $\|\sum_i\alpha_i\phi(x_i)-\sum_j\beta_j\phi(z_j)\|$.

    Never holds more than one block of the Gram matrix. Distances below about
    $10^{-8}(\|\alpha\|_1+\|\beta\|_1)$ drown in rounding, except for the linear kernel.

    Parameters
    ----------
    kernel : Kernel
    x : array-like, shape (n, d)
    alpha : array-like, shape (n,)
        Weights of the first sample, of any sign.
    z : array-like, shape (m, d)
    beta : array-like, shape (m,)
        Weights of the second sample.

    Returns
    -------
    float
        RKHS norm of the difference.

    Raises
    ------
    ValueError
        On NaN, or if the shapes do not fit.

    Examples
    --------
    >>> round(rkhs_distance(Gaussian(1.0), [[0.0]], [1.0], [[1.0]], [1.0]), 6)
    0.887096
    """
    left, right = checked_points(x, "x"), checked_points(z, "z")
    _same_dimension(left, right)
    weights = np.concatenate(
        [_checked_weights(alpha, len(left), "alpha"), -_checked_weights(beta, len(right), "beta")]
    )
    return rkhs_norm(kernel, np.concatenate([left, right]), weights)


def blocks(
    kernel: Kernel, x: ArrayLike, z: ArrayLike | None = None, rows: int | None = None
) -> Iterator[tuple[slice, Floats]]:
    """Walk over the Gram matrix of ``x`` and ``z`` in blocks of whole rows.

    Parameters
    ----------
    kernel : Kernel
    x : array-like, shape (n, d)
    z : array-like, shape (m, d), optional
        ``x`` itself if missing.
    rows : int, optional
        Rows of a block; by default as many as keep a block at 8 MiB of doubles.

    Yields
    ------
    rows : slice
        Which rows of ``x``.
    block : array, shape (rows, m)
        Their kernel values. The buffer is reused: copy what is to outlive the iteration.

    Raises
    ------
    ValueError
        On NaN, if the dimensions differ, or if ``rows`` is not a positive integer.

    Examples
    --------
    >>> [block.tolist() for _, block in blocks(Linear(), [[1.0], [2.0], [3.0]], [[2.0]], rows=2)]
    [[[2.0], [4.0]], [[6.0]]]
    """
    left, right = _checked_pair(x, z)
    if rows is None:
        rows = max(1, BLOCK_ENTRIES // max(1, len(right)))
    if not isinstance(rows, int | np.integer) or isinstance(rows, bool) or rows < 1:
        raise ValueError(f"rows must be a whole number >= 1, got {rows!r}")
    plan = kernel._plan(left, right)
    diagonal = kernel.diagonal(left) if z is None else None
    buffer = np.empty((min(rows, len(left)), len(right)), dtype=np.result_type(left, right))
    for start in range(0, len(left), rows):
        stop = min(start + rows, len(left))
        block = buffer[: stop - start]
        plan.fill(block, start)
        if diagonal is not None:
            block[np.arange(stop - start), np.arange(start, stop)] = diagonal[start:stop]
        yield slice(start, stop), block


class Kernel(ABC):
    """A positive semi-definite kernel: ``kernel(x, z)`` is a block of its Gram matrix.

    Attributes
    ----------
    bounded_by_one : bool
        Whether $K(x,x)\\le1$ for every instance, so that features have norm at most 1.
    """

    bounded_by_one: ClassVar[bool] = False

    def __call__(
        self, x: ArrayLike, z: ArrayLike | None = None, *, out: Floats | None = None
    ) -> Floats:
        """Gram block $K(x_i, z_j)$.

        Parameters
        ----------
        x : array-like, shape (n, d)
        z : array-like, shape (m, d), optional
            ``x`` itself if missing; the diagonal is then exact.
        out : array, shape (n, m), optional
            Where to write.

        Returns
        -------
        array, shape (n, m)
            ``float32`` if both inputs are, else ``float64``.

        Raises
        ------
        ValueError
            On NaN, or if the shapes do not fit.
        """
        left, right = _checked_pair(x, z)
        shape, dtype = (len(left), len(right)), np.result_type(left, right)
        if out is None:
            out = np.empty(shape, dtype=dtype)
        elif out.shape != shape or out.dtype != dtype:
            raise ValueError(
                f"out must be an array of shape {shape} and type {dtype}, "
                f"got shape {out.shape} and type {out.dtype}"
            )
        self._plan(left, right).fill(out, 0)
        if z is None:
            np.fill_diagonal(out, self.diagonal(left))
        return out

    @abstractmethod
    def diagonal(self, x: ArrayLike) -> Floats:
        """$K(x_i,x_i)$ at each row of ``x``, shape (n,)."""

    @abstractmethod
    def _plan(self, x: Floats, z: Floats) -> _Plan:
        """How to fill a block: factors of a matrix product, and what is done to it in place."""


@dataclass(frozen=True)
class _Plan:
    """``finish(left @ right)``; ``finish`` works in place on a tile of given rows and columns."""

    left: Floats
    right: Floats
    finish: Finish | None = None

    def fill(self, out: Floats, start: int) -> None:
        if self.finish is None:
            np.matmul(self.left[start : start + len(out)], self.right, out=out)
            return
        for top in range(0, out.shape[0], TILE_ROWS):
            bottom = min(top + TILE_ROWS, out.shape[0])
            rows = slice(start + top, start + bottom)
            for first in range(0, out.shape[1], TILE_COLUMNS):
                columns = slice(first, min(first + TILE_COLUMNS, out.shape[1]))
                tile = out[top:bottom, columns]
                np.matmul(self.left[rows], self.right[:, columns], out=tile)
                self.finish(tile, rows, columns)


@dataclass(frozen=True)
class Linear(Kernel):
    r"""$K(x,x')=\langle x,x'\rangle$.

    Examples
    --------
    >>> Linear()([[1.0, 2.0]], [[3.0, 4.0]]).tolist()
    [[11.0]]
    """

    def diagonal(self, x: ArrayLike) -> Floats:
        """$|x_i|^2$ at each row of ``x``, shape (n,)."""
        return _squared_norms(checked_points(x))

    def _plan(self, x: Floats, z: Floats) -> _Plan:
        return _Plan(x, z.T)


@dataclass(frozen=True)
class Gaussian(Kernel):
    r"""$K(x,x')=\exp(-|x-x'|^2/(2\,\mathrm{bandwidth}^2))$.

    Parameters
    ----------
    bandwidth : float
        Length scale, positive, in the unit of the instances.

    Raises
    ------
    ValueError
        If ``bandwidth`` is not positive and finite.

    Examples
    --------
    >>> round(float(Gaussian(2.0)([[0.0]], [[2.0]])[0, 0]), 6)
    0.606531
    """

    bandwidth: float
    bounded_by_one: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _positive("bandwidth", self.bandwidth)

    def diagonal(self, x: ArrayLike) -> Floats:
        """Ones, shape (n,)."""
        points = checked_points(x)
        return np.ones(len(points), dtype=points.dtype)

    def _plan(self, x: Floats, z: Floats) -> _Plan:
        left, right = _distance_factors(x, z, 1.0 / float(self.bandwidth), -0.5)

        def finish(tile: Floats, rows: slice, columns: slice) -> None:
            np.minimum(tile, 0.0, out=tile)
            np.exp(tile, out=tile)

        return _Plan(left, right, finish)


@dataclass(frozen=True)
class Laplace(Kernel):
    r"""$K(x,x')=\exp(-|x-x'|/\mathrm{bandwidth})$, with the Euclidean distance.

    Parameters
    ----------
    bandwidth : float
        Length scale, positive, in the unit of the instances.

    Raises
    ------
    ValueError
        If ``bandwidth`` is not positive and finite.

    Examples
    --------
    >>> round(float(Laplace(2.0)([[0.0, 0.0]], [[3.0, 4.0]])[0, 0]), 6)
    0.082085
    """

    bandwidth: float
    bounded_by_one: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _positive("bandwidth", self.bandwidth)

    def diagonal(self, x: ArrayLike) -> Floats:
        """Ones, shape (n,)."""
        points = checked_points(x)
        return np.ones(len(points), dtype=points.dtype)

    def _plan(self, x: Floats, z: Floats) -> _Plan:
        scale = 1.0 / float(self.bandwidth)
        left, right = _distance_factors(x, z, scale, 1.0)
        # The root of a difference of large numbers loses half the digits: where the squared
        # distance is this small beside the norms, it is computed again from the coordinates.
        largest = float(np.abs(left[:, -2]).max(initial=0) + np.abs(right[-1]).max(initial=0))
        doubtful = math.sqrt(float(np.finfo(left.dtype).eps)) * largest

        def finish(tile: Floats, rows: slice, columns: slice) -> None:
            np.maximum(tile, 0.0, out=tile)
            i, j = np.nonzero(tile < doubtful)
            if i.size:
                difference = (x[rows][i] - z[columns][j]) * scale
                tile[i, j] = np.einsum("kd,kd->k", difference, difference)
            np.sqrt(tile, out=tile)
            np.negative(tile, out=tile)
            np.exp(tile, out=tile)

        return _Plan(left, right, finish)


@dataclass(frozen=True)
class Polynomial(Kernel):
    r"""$K(x,x')=(\langle x,x'\rangle+\mathrm{offset})^{\mathrm{degree}}$.

    Parameters
    ----------
    degree : int
        At least 1.
    offset : float
        At least 0, else the kernel is not positive semi-definite.

    Raises
    ------
    ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> Polynomial(degree=3, offset=1.0)([[1.0]], [[2.0]]).tolist()
    [[27.0]]
    """

    degree: int
    offset: float = 0.0

    def __post_init__(self) -> None:
        degree = self.degree
        if isinstance(degree, bool) or not isinstance(degree, int | np.integer) or degree < 1:
            raise ValueError(f"degree must be a whole number >= 1, got {degree!r}")
        if not math.isfinite(self.offset) or self.offset < 0:
            raise ValueError(f"offset must be a finite number >= 0, got {self.offset!r}")

    def diagonal(self, x: ArrayLike) -> Floats:
        """$(|x_i|^2+\\mathrm{offset})^{\\mathrm{degree}}$ at each row of ``x``, shape (n,)."""
        values = _squared_norms(checked_points(x))
        self._finish(values)
        return values

    def _plan(self, x: Floats, z: Floats) -> _Plan:
        return _Plan(x, z.T, lambda tile, rows, columns: self._finish(tile))

    def _finish(self, tile: Floats) -> None:
        if self.offset:
            np.add(tile, self.offset, out=tile)
        if self.degree == 1:
            return
        # Products are some ten times faster than np.power.
        base = tile.copy()
        for bit in bin(self.degree)[3:]:
            np.multiply(tile, tile, out=tile)
            if bit == "1":
                np.multiply(tile, base, out=tile)


@dataclass(frozen=True)
class Normalised(Kernel):
    r"""$K(x,x')/\sqrt{K(x,x)K(x',x')}$: the features of another kernel on the unit sphere.

    Parameters
    ----------
    kernel : Kernel
        The kernel to normalise; evaluating it at an instance with $K(x,x)=0$ raises.

    Examples
    --------
    >>> round(float(Normalised(Linear())([[1.0, 0.0]], [[3.0, 4.0]])[0, 0]), 12)
    0.6
    """

    kernel: Kernel
    bounded_by_one: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, Kernel):
            raise ValueError(f"kernel must be a Kernel, got {self.kernel!r}")

    def diagonal(self, x: ArrayLike) -> Floats:
        """Ones, shape (n,)."""
        points = checked_points(x)
        self._scale(points)
        return np.ones(len(points), dtype=points.dtype)

    def _scale(self, points: Floats) -> Floats:
        diagonal = self.kernel.diagonal(points)
        if np.any(diagonal <= 0):
            row = int(np.argmax(diagonal <= 0))
            raise ValueError(f"K(x, x) must be positive to normalise, got 0 in row {row}")
        scale: Floats = 1.0 / np.sqrt(diagonal)
        return scale

    def _plan(self, x: Floats, z: Floats) -> _Plan:
        inner = self.kernel._plan(x, z)
        left, right = self._scale(x), self._scale(z)

        def finish(tile: Floats, rows: slice, columns: slice) -> None:
            if inner.finish is not None:
                inner.finish(tile, rows, columns)
            np.multiply(tile, left[rows, None], out=tile)
            np.multiply(tile, right[columns], out=tile)

        return _Plan(inner.left, inner.right, finish)


def _positive(name: str, value: float) -> None:
    if isinstance(value, bool) or not math.isfinite(value) or value <= 0:
        raise ValueError(f"{name} must be a finite number > 0, got {value!r}")


def _same_dimension(x: Floats, z: Floats) -> None:
    if x.shape[1] != z.shape[1]:
        raise ValueError(
            f"x and z must have as many columns, got {x.shape[1]} and {z.shape[1]}"
        )


def _checked_pair(x: ArrayLike, z: ArrayLike | None) -> tuple[Floats, Floats]:
    left = checked_points(x, "x")
    right = left if z is None else checked_points(z, "z")
    _same_dimension(left, right)
    return left, right


def _checked_weights(weights: ArrayLike, length: int, name: str) -> NDArray[np.float64]:
    array = np.asarray(weights, dtype=np.float64)
    if array.shape != (length,):
        raise ValueError(f"{name} must have shape ({length},), got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got {array[~np.isfinite(array)][0]}")
    return array


def _squared_norms(points: Floats) -> Floats:
    norms: Floats = np.einsum("nd,nd->n", points, points)
    return norms


def _distance_factors(
    x: Floats, z: Floats, scale: float, factor: float
) -> tuple[Floats, Floats]:
    """Factors whose product is ``factor * scale**2 * |x - z|^2``: norms ride in two more columns.

    Both are first moved by the mean of ``z``, which leaves distances alone and keeps the norms,
    and with them the cancellation, small.
    """
    dtype = np.result_type(x, z)
    centre = z.mean(axis=0, dtype=np.float64) if len(z) else np.zeros(z.shape[1])
    left = np.empty((len(x), x.shape[1] + 2), dtype=dtype)
    right = np.empty((z.shape[1] + 2, len(z)), dtype=dtype)
    np.multiply(x - centre, scale, out=left[:, :-2], casting="same_kind")
    np.multiply((z - centre).T, scale, out=right[:-2], casting="same_kind")
    left[:, -2] = factor * _squared_norms(left[:, :-2])
    left[:, -1] = 1.0
    right[-1] = factor * np.einsum("dn,dn->n", right[:-2], right[:-2])
    right[-2] = 1.0
    right[:-2] *= -2.0 * factor
    return left, right
