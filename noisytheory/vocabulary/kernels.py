r"""Kernels $K(x,x')=\langle\phi(x),\phi(x')\rangle$: Gram blocks, and distances in the RKHS.

Every kernel here is a function of inner products, so a block of the Gram matrix is one matrix
product followed by a transformation in place, done in tiles that stay in the second-level cache.
"""

from __future__ import annotations

import math
import numbers
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.vocabulary.domains import checked_floats, checked_reals
from noisytheory.vocabulary.threads import Done, in_order, one_thread_each

__all__ = [
    "Gaussian",
    "Kernel",
    "Laplace",
    "Linear",
    "Normalised",
    "Plan",
    "Polynomial",
    "blocks",
    "expansion",
    "rkhs_distance",
    "rkhs_norm",
]

Floats = NDArray[np.floating[Any]]
Index = slice | NDArray[np.integer[Any]]
Finish = Callable[[Floats, Index, Index], None]
Part = TypeVar("Part")

# A tile of 192 x 384 doubles is 0.56 MiB: with its factors within a common second-level cache.
TILE_ROWS = 192
TILE_COLUMNS = 384
# Entries of a Gram matrix, times sixteenths of their coordinates, that are worth a thread: some
# milliseconds.
SHARE = 1 << 20
# Entries that are worth compiled loops, which take a third of a second to load.
COMPILED = 1 << 23
# Stripes, at least, that threads share then.
STRIPES = 32
# Rows of those in the end, and what share of what is left is one before.
LAST, FALLING = 48, 8
# Exponents of 2 whose powers, in scaled plans, stay finite beside weights up to 1.
EXPONENT = {np.dtype("float64"): 1000.0, np.dtype("float32"): 120.0}
# Whole numbers up to it are those of single precision, too.
LARGEST_DEGREE = 1 << 20
# NumPy's exp2 is faster than its exp where it is vectorised: 1.2 times in doubles, 2.1 in singles.
LOG2_E = 1.0 / math.log(2.0)
# Squares of coordinates within this, and sums of very many of them, stay finite.
LARGEST = {np.dtype("float64"): 1e150, np.dtype("float32"): 1e15}
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
        If the array is not two-dimensional, is sparse, or holds what is no real number, NaN, an
        infinity, or a coordinate beyond $10^{150}$ (in single precision $10^{15}$), whose square
        would overflow.
    """
    if hasattr(points, "toarray"):
        raise ValueError(f"{name} must be dense rows, got a sparse matrix: see its toarray()")
    array = checked_reals(name, points)
    if array.ndim != 2:
        raise ValueError(
            f"{name} must have shape (n, d), one row an instance, got shape {array.shape}"
        )
    if array.dtype != np.float32:
        array = checked_floats(name, array)
    check_range(array, name)
    return np.ascontiguousarray(array)


def check_range(array: Floats, name: str = "x") -> None:
    """Refuse coordinates that are NaN, infinite, or have squares that overflow.

    Parameters
    ----------
    array : array of float32 or float64, shape (n, d) or (n,)
    name : str
        The argument's name, for the message.

    Raises
    ------
    ValueError
        Naming the argument and what is allowed.

    Examples
    --------
    >>> check_range(np.array([[1e200]]))
    Traceback (most recent call last):
    ...
    ValueError: x must have coordinates within +-1e+150, their squares overflow; got 1e+200 in row 0
    """
    limit = LARGEST[array.dtype]
    # Extremes carry NaN along, and need no array of truth values.
    if not array.size or -limit <= array.min() <= array.max() <= limit:
        return
    sizes = np.abs(array.reshape(len(array), -1)).max(axis=1)
    row = int(np.argmin(sizes <= limit))
    if not np.isfinite(sizes).all():
        row = int(np.argmin(np.isfinite(sizes)))
        raise ValueError(f"{name} must be finite, got NaN or infinity in row {row}")
    raise ValueError(
        f"{name} must have coordinates within +-{limit:g}, their squares overflow; "
        f"got {float(sizes[row]):g} in row {row}"
    )


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
    return math.sqrt(max(float(weights @ expansion(kernel, points, weights)), 0.0))


def expansion(kernel: Kernel, x: ArrayLike, alpha: ArrayLike) -> NDArray[np.float64]:
    r"""Values of $\sum_j\alpha_jK(x_j,\cdot)$ at every $x_i$, from half of the Gram matrix.

    Never holds more than one tile of it.

    Parameters
    ----------
    kernel : Kernel
    x : array-like, shape (n, d)
    alpha : array-like, shape (n,)
        Weights, of any sign.

    Returns
    -------
    array, shape (n,)

    Raises
    ------
    ValueError
        On NaN, or if the shapes do not fit.

    Examples
    --------
    >>> expansion(Linear(), [[3.0, 0.0], [0.0, 4.0]], [1.0, 2.0]).tolist()
    [9.0, 32.0]
    """
    points = checked_points(x)
    weights = _checked_weights(alpha, len(points), "alpha")
    return kernel.plan(points, points, scaled=True).sums(weights)


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
    plan = kernel.plan(left, right)
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
        self.plan(left, right).fill(out, 0)
        if z is None:
            np.fill_diagonal(out, self.diagonal(left))
        return out

    @abstractmethod
    def diagonal(self, x: ArrayLike) -> Floats:
        """$K(x_i,x_i)$ at each row of ``x``, shape (n,)."""

    @abstractmethod
    def plan(self, x: Floats, z: Floats, *, scaled: bool = False) -> Plan:
        """How to compute any block of the Gram matrix of ``x`` and ``z``.

        Parameters
        ----------
        x : array, shape (n, d)
            Finite, C-ordered floats; they are not checked again.
        z : array, shape (m, d)
        scaled : bool
            Whether factors of whole rows and columns may be left to `Plan.row_scale` and
            `Plan.column_scale`: cheaper where they can go into weights.

        Returns
        -------
        Plan
        """


@dataclass(frozen=True)
class Form:
    """A function of inner products that compiled loops know.

    Parameters
    ----------
    name : {"twos", "roots", "products"}
        As in `noisytheory.vocabulary.compiled`, in capitals.
    numbers : tuple of float
        What it needs beside, there.
    x, z : array, shape (n, d) and (m, d)
        The points, of which it needs some.
    """

    name: str
    numbers: tuple[float, ...]
    x: Floats
    z: Floats

    def compiled(self, dtype: Any) -> tuple[int, Floats]:
        """The name and the numbers as compiled loops take them."""
        from noisytheory.vocabulary import compiled

        return getattr(compiled, self.name.upper()), np.array(self.numbers, dtype)


@dataclass(frozen=True)
class Plan:
    r"""How to compute Gram blocks: $K(x_i,z_j)=a_ib_jf(\langle l_i,r_j\rangle)$.

    Parameters
    ----------
    left : array, shape (n, e)
        Rows $l_i$.
    right : array, shape (e, m)
        Columns $r_j$.
    finish : callable, optional
        ``finish(tile, rows, columns)`` applies $f$ in place to the inner products of these rows and
        columns, slices or integer arrays; the identity if missing.
    row_scale : array, shape (n,), optional
        $a$, ones if missing.
    column_scale : array, shape (m,), optional
        $b$.
    increasing : bool
        Whether $f$ is an increasing function of a number: then it need not be computed to compare.
    form : Form, optional
        What compiled loops make of inner products, where they know $f$.

    Examples
    --------
    >>> points = np.array([[0.0], [2.0]])
    >>> plan = Gaussian(2.0).plan(points, points, scaled=True)
    >>> plan.block(slice(0, 1), slice(0, 2), np.empty((1, 2))).round(6).tolist()
    [[1.0, 0.606531]]
    """

    left: Floats
    right: Floats
    finish: Finish | None = None
    row_scale: Floats | None = None
    column_scale: Floats | None = None
    increasing: bool = False
    form: Form | None = None

    @property
    def worked(self) -> Form | None:
        """The form, if there are values enough to load compiled loops for them."""
        large = len(self.left) * self.right.shape[1] // 2 >= COMPILED
        return self.form if large else None

    def inner(self, rows: Index, columns: Index, out: Floats) -> Floats:
        """The inner products of some rows and columns, slices or integer arrays, into ``out``."""
        return np.matmul(self.left[rows], self.right[:, columns], out=out)

    def raw(self, rows: Index, columns: Index, out: Floats) -> Floats:
        """The block without its scales, written into ``out``."""
        self.inner(rows, columns, out)
        if self.finish is not None:
            self.finish(out, rows, columns)
        return out

    def block(self, rows: Index, columns: Index, out: Floats) -> Floats:
        """Kernel values of some rows and columns, slices or integer arrays, into ``out``."""
        self.raw(rows, columns, out)
        if self.row_scale is not None:
            np.multiply(out, self.row_scale[rows, None], out=out)
        if self.column_scale is not None:
            np.multiply(out, self.column_scale[columns], out=out)
        return out

    def fill(self, out: Floats, start: int) -> None:
        """Kernel values of the rows from ``start`` on and of all columns, tile by tile."""
        if self.finish is None and self.row_scale is None and self.column_scale is None:
            np.matmul(self.left[start : start + len(out)], self.right, out=out)
            return

        same = self.left.dtype == self.right.dtype == out.dtype and out.flags.c_contiguous
        form = self.form if same and out.size >= COMPILED else None
        if form:
            from noisytheory.vocabulary.compiled import fill_values

            laid, (kind, numbers) = _laid(self.right), form.compiled(out.dtype)

        def stripe(within: slice) -> None:
            rows = slice(start + within.start, start + within.stop)
            if form:
                fill_values(
                    self.left[rows], laid, kind, numbers, form.x[rows], form.z, out[within]
                )
                if self.row_scale is not None:
                    out[within] *= self.row_scale[rows, None]
                if self.column_scale is not None:
                    out[within] *= self.column_scale
                return
            for first in range(0, out.shape[1], TILE_COLUMNS):
                columns = slice(first, min(first + TILE_COLUMNS, out.shape[1]))
                self.block(rows, columns, out[within, columns])

        stripes = _stripes(len(out), LAST if form else TILE_ROWS)
        for _ in _shared(stripe, stripes, out.size, len(self.right)):
            pass

    def times(self, rows: Floats, columns: Floats) -> Plan:
        """The plan of $K(x_i,z_j)$ times ``rows[i] * columns[j]``, in the type of the factors."""
        same = rows is columns and self.row_scale is self.column_scale
        dtype = np.result_type(self.left, self.right)
        row_scale = (rows if self.row_scale is None else rows * self.row_scale).astype(dtype)
        column_scale = row_scale if same else (
            columns if self.column_scale is None else columns * self.column_scale
        ).astype(dtype)
        return replace(self, row_scale=row_scale, column_scale=column_scale)

    def at(self, columns: NDArray[np.integer[Any]]) -> Plan:
        """The plan of these columns only, their factors laid out anew."""
        inner, scale = self.finish, self.column_scale

        def finish(tile: Floats, rows: Index, which: Index) -> None:
            if inner is not None:
                inner(tile, rows, columns[which])

        return Plan(
            self.left, np.ascontiguousarray(self.right[:, columns]),
            None if inner is None else finish,
            self.row_scale, None if scale is None else scale[columns], self.increasing,
        )

    def add_sums(self, weights: Floats, out: Floats) -> None:
        r"""Add $\sum_jK(x_i,z_j)w_j$ for several columns of weights, of a plan that has a form.

        In compiled loops, which take no lock from other threads.
        """
        from noisytheory.vocabulary.compiled import add_values

        assert self.form is not None
        kind, numbers = self.form.compiled(out.dtype)
        if self.column_scale is not None:
            weights = weights * self.column_scale[:, None]
        found = out if self.row_scale is None else np.zeros_like(out)
        add_values(
            self.left, np.ascontiguousarray(self.right), kind, numbers, self.form.x, self.form.z,
            weights, found,
        )
        if self.row_scale is not None:
            out += self.row_scale[:, None] * found

    def sums(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        r"""$\sum_jK(x_i,x_j)w_j$ at every $i$ of a plan of ``x`` with itself, from half of it."""
        largest = float(np.abs(weights).max(initial=0.0))
        n, dtype = len(weights), np.result_type(self.left, self.right)
        sums = np.zeros(n)
        if not largest:
            return sums
        # Weights of a size that single precision holds, too.
        right = left = weights / largest
        if self.column_scale is not None:
            right = right * self.column_scale
        if self.row_scale is not None:
            left = left * self.row_scale
        # Sums over a tile's columns wait for the row's scale, those over its rows for the column's.
        mirrored = sums if self.row_scale is self.column_scale else np.zeros(n)
        right, left = right.astype(dtype, copy=False), left.astype(dtype, copy=False)

        high, compiled = TILE_ROWS, None
        if self.worked:
            compiled = _compiled_stripe(self, self.worked, left, right)
            high *= max(1, n // (STRIPES * TILE_ROWS))

        def stripe(top: int) -> list[tuple[slice, Floats, slice, Floats]]:
            """Of a stripe's tiles the sums over columns and over rows, and where they go."""
            if compiled:
                return [compiled(slice(top, min(top + high, n)))]
            rows = slice(top, min(top + TILE_ROWS, n))
            found: list[tuple[slice, Floats, slice, Floats]] = []
            tile = np.empty(TILE_ROWS * TILE_COLUMNS, dtype=dtype)
            for first in range(top, n, TILE_COLUMNS):
                columns = slice(first, min(first + TILE_COLUMNS, n))
                shape = (rows.stop - rows.start, columns.stop - columns.start)
                block = self.raw(rows, columns, tile[: shape[0] * shape[1]].reshape(shape))
                # What lies on and below the diagonal has been seen whole; the rest has a mirror.
                seen = max(0, min(rows.stop, columns.stop) - first)
                beyond = slice(first + seen, columns.stop)
                found.append((rows, block @ right[columns], beyond, left[rows] @ block[:, seen:]))
            return found

        for found in _shared(stripe, range(0, n, high), n * n // 2, len(self.right)):
            for rows, across, beyond, down in found:
                sums[rows] += across
                mirrored[beyond] += down
        if self.row_scale is not None:
            sums *= self.row_scale
        if mirrored is not sums:
            if self.column_scale is not None:
                mirrored *= self.column_scale
            sums += mirrored
        sums *= largest
        return sums


def _laid(right: Floats) -> Floats:
    """The columns of a plan as compiled loops take them, tile by tile."""
    from noisytheory.vocabulary.compiled import WIDE

    laid = np.zeros((-(-right.shape[1] // WIDE), len(right), WIDE), right.dtype)
    for number, tile in enumerate(laid):
        some = right[:, number * WIDE : (number + 1) * WIDE]
        tile[:, : some.shape[1]] = some
    return laid


def _compiled_stripe(
    plan: Plan, form: Form, below: Floats, beside: Floats
) -> Callable[[slice], tuple[slice, Floats, slice, Floats]]:
    """What takes both sums of rows of kernel values, without a lock that threads wait for."""
    from noisytheory.vocabulary import compiled

    left, laid, n = plan.left, _laid(plan.right), plan.right.shape[1]
    kind, numbers = form.compiled(left.dtype)

    def stripe(rows: slice) -> tuple[slice, Floats, slice, Floats]:
        across, down = np.zeros(rows.stop - rows.start), np.zeros(n - rows.start)
        compiled.stripe_sums(
            left[rows], rows.start, laid, kind, numbers, form.x[rows], form.z,
            beside, below[rows], across, down,
        )
        return rows, across, slice(rows.start, None), down

    return stripe


def _stripes(total: int, least: int) -> list[slice]:
    """Rows that a thread takes at a time, fewer in the end, so that threads end together."""
    found: list[slice] = []
    top = 0
    while top < total:
        rows = max(least, min(TILE_ROWS, (total - top) // FALLING // least * least))
        found.append(slice(top, min(top + rows, total)))
        top += rows
    return found


def _shared(
    work: Callable[[Part], Done], parts: Sequence[Part], entries: int, dimension: int
) -> Iterator[Done]:
    """Work on stripes of tiles, in their order: by threads where there is enough for them."""
    if entries <= TILE_ROWS * TILE_COLUMNS:
        yield from map(work, parts)
        return
    with one_thread_each() as workers:
        worth = entries * (1 + dimension // 16) // SHARE
        yield from in_order(work, parts, min(workers, worth))


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

    def plan(self, x: Floats, z: Floats, *, scaled: bool = False) -> Plan:
        """Inner products alone, see `Kernel.plan`."""
        return Plan(x, z.T, increasing=True)


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

    def plan(self, x: Floats, z: Floats, *, scaled: bool = False) -> Plan:
        r"""Powers of 2, see `Kernel.plan`.

        Scaled, $a_i=e^{-|x_i|^2/2}$ in bandwidths from the mean of ``z``, and $f$ is the
        exponential of the inner product: two coordinates and a clip less.
        """
        scale = 1.0 / float(self.bandwidth)
        if scaled:
            factors = _inner_factors(x, z, scale)
            if factors is not None:
                return factors
        left, right = _distance_factors(x, z, scale, -0.5 * LOG2_E)
        zeros = np.zeros(TILE_COLUMNS, dtype=left.dtype)

        def finish(tile: Floats, rows: Index, columns: Index) -> None:
            # No distance is below 0, whatever rounding says; twice as fast beside an array of
            # zeros as beside the number.
            width = tile.shape[1]
            np.minimum(tile, zeros[:width] if width <= TILE_COLUMNS else 0.0, out=tile)
            np.exp2(tile, out=tile)

        return Plan(left, right, finish, increasing=True, form=Form("twos", (0.0,), x, z))


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

    def plan(self, x: Floats, z: Floats, *, scaled: bool = False) -> Plan:
        """Roots of squared distances, see `Kernel.plan`."""
        scale = 1.0 / float(self.bandwidth)
        left, right = _distance_factors(x, z, scale, 1.0)
        # The root of a difference of large numbers loses half the digits: where the squared
        # distance is this small beside the norms, it is computed again from the coordinates.
        largest = float(np.abs(left[:, -2]).max(initial=0) + np.abs(right[-1]).max(initial=0))
        doubtful = math.sqrt(float(np.finfo(left.dtype).eps)) * largest

        def finish(tile: Floats, rows: Index, columns: Index) -> None:
            np.maximum(tile, 0.0, out=tile)
            i, j = np.nonzero(tile < doubtful)
            if i.size:
                difference = (x[rows][i] - z[columns][j]) * scale
                tile[i, j] = np.einsum("kd,kd->k", difference, difference)
            np.sqrt(tile, out=tile)
            np.multiply(tile, -LOG2_E, out=tile)
            np.exp2(tile, out=tile)

        form = Form("roots", (doubtful, scale, -LOG2_E), x, z)
        return Plan(left, right, finish, form=form)


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
        offset = self.offset
        if not _is_number(offset) or not 0 <= offset <= sys.float_info.max:
            raise ValueError(f"offset must be a finite number >= 0, got {self.offset!r}")

    def diagonal(self, x: ArrayLike) -> Floats:
        """$(|x_i|^2+\\mathrm{offset})^{\\mathrm{degree}}$ at each row of ``x``, shape (n,)."""
        values = _squared_norms(checked_points(x))
        self._finish(values)
        return values

    def plan(self, x: Floats, z: Floats, *, scaled: bool = False) -> Plan:
        """Inner products and their powers, see `Kernel.plan`."""
        few = self.degree <= LARGEST_DEGREE
        form = Form("products", (float(self.offset), float(self.degree)), x, z) if few else None
        return Plan(x, z.T, lambda tile, rows, columns: self._finish(tile), form=form)

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
        The kernel to normalise. The feature of a row of zeros with $K(x,x)=0$ stays 0.

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
        """Ones, and 0 where the feature is 0, shape (n,)."""
        points = checked_points(x)
        return np.asarray(self._scale(points) > 0).astype(points.dtype)

    def _scale(self, points: Floats) -> Floats:
        diagonal = self.kernel.diagonal(points)
        zero = diagonal <= 0
        if zero.any():
            lost = np.flatnonzero(zero)[points[zero].any(axis=1)]
            if lost.size:
                raise ValueError(f"K(x, x) must be positive to normalise, got 0 in row {lost[0]}")
        scale: Floats = np.where(zero, diagonal.dtype.type(0), 1 / np.sqrt(diagonal + zero))
        return scale

    def plan(self, x: Floats, z: Floats, *, scaled: bool = False) -> Plan:
        """That of the other kernel with other scales, see `Kernel.plan`."""
        left = self._scale(x)
        right = left if z is x else self._scale(z)
        return self.kernel.plan(x, z, scaled=scaled).times(left, right)


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _positive(name: str, value: float) -> None:
    # Compared as it is: a whole number may be larger than any float.
    if not _is_number(value) or not 0 < value < math.inf:
        raise ValueError(f"{name} must be a finite number > 0, got {value!r}")
    if not 1e-150 <= value <= 1e150:
        raise ValueError(f"{name} must lie in [1e-150, 1e+150], got {value!r}: its square is lost")


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
    array = checked_floats(name, weights)
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
    with np.errstate(over="ignore", invalid="ignore"):
        left[:, :-2] = _moved(x, centre, scale)
        # Of a difference the square is up to four times as large as those of its parts.
        left[:, -2] = 4 * factor * _squared_norms(left[:, :-2])
        moved = left[:, :-2] if z is x else _moved(z, centre, scale).astype(dtype, copy=False)
        right[-1] = left[:, -2] if z is x else 4 * factor * _squared_norms(moved)
    _check_spread(left[:, -2], right[-1])
    left[:, -2] /= 4
    right[-1] /= 4
    left[:, -1] = 1.0
    right[-2] = 1.0
    np.multiply(moved.T, dtype.type(-2.0 * factor), out=right[:-2])
    return left, right


def _moved(x: Floats, centre: Floats, scale: float) -> Floats:
    moved: Floats = x - centre
    # Squares that overflow are refused where they are added up.
    with np.errstate(over="ignore"):
        moved *= scale
    return moved


def _check_spread(*squares: Floats) -> None:
    """Refuse points whose distances in bandwidths cannot be squared."""
    if not all(np.isfinite(part).all() for part in squares):
        raise ValueError(
            "bandwidth must be larger beside these coordinates: squared distances in bandwidths "
            "overflow"
        )


def _inner_factors(x: Floats, z: Floats, scale: float) -> Plan | None:
    """The scaled plan of the Gaussian kernel, or None where its exponentials would overflow."""
    dtype = np.result_type(x, z)
    centre = z.mean(axis=0, dtype=np.float64) if len(z) else np.zeros(z.shape[1])
    with np.errstate(over="ignore"):
        left = _moved(x, centre, scale).astype(dtype, copy=False)
        moved = left if z is x else _moved(z, centre, scale).astype(dtype, copy=False)
    right = moved.T.copy(order="C")
    squares = np.einsum("nd,nd->n", left, left, dtype=np.float64)
    others = squares if z is x else np.einsum("nd,nd->n", moved, moved, dtype=np.float64)
    largest = max(squares.max(initial=0.0), others.max(initial=0.0))
    if not largest < 0.9 * math.log(float(np.finfo(dtype).max)):
        return None
    row_scale = np.exp(-0.5 * squares).astype(dtype)
    column_scale = row_scale if z is x else np.exp(-0.5 * others).astype(dtype)
    left *= LOG2_E

    def finish(tile: Floats, rows: Index, columns: Index) -> None:
        np.exp2(tile, out=tile)

    form = Form("twos", (EXPONENT[dtype],), x, z)
    return Plan(left, right, finish, row_scale, column_scale, increasing=True, form=form)
