"""What UMA keeps between updates: scores, regions, and sums of points by region and label.

An update changes few score columns by one product of the sample with a vector; only points that
change their region move between sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bytes", "Dense", "Kept", "Rows", "Scaled", "Spread", "divisors", "kept", "row_norms",
           "scaled"]

Floats: TypeAlias = NDArray[np.float64]
Whole: TypeAlias = NDArray[np.int64]

FEW = 1 << 12
"""Coordinates of moved points up to which they are added one by one."""

SPARSE_FEW = 1 << 15
"""Entries of sparse moved points up to which they are."""

MANY = 1 << 15
"""Scores from which they are compared class by class."""

COMPILED = 1 << 22
"""Entries of a dense sample from which a compiled pass pays for its compilation."""


BLOCK = 1 << 10
"""Rows whose norms or products are computed at a time."""


class Kept(Protocol):
    """Sums of points by region and label that follow the weights, of one run or of several."""

    def sums(self, runs: Whole, regions: Whole) -> Floats:
        """Masses times points by label, of these regions of these runs, shape (m, Q, d)."""

    def update(self, tau: Floats, vector: Floats) -> tuple[Whole, Whole]:
        """Add ``tau[s, r] * vector[s]`` to weights r of run s; returns runs and regions changed."""


class Dense:
    """Samples of floats, dense or sparse: scores are kept, and points move between sums."""

    def __init__(
        self, points: Any, labels: Whole, classes: int, weights: Floats, alpha: Any
    ) -> None:
        self.points, self.classes, self.alpha = points, classes, alpha
        self.runs, self.n = labels.shape
        self.dense = isinstance(points, np.ndarray)
        width = points.shape[-1]
        self._rows = points.reshape(-1, width) if self.dense else points
        if self.dense:
            scores = weights @ points.swapaxes(1, 2)
        else:
            self.points = _side_by_side(points, self.runs)
            scores = np.asarray(self.points @ weights.swapaxes(1, 2).reshape(-1, classes))
            scores = scores.reshape(self.runs, self.n, classes).swapaxes(1, 2)
        # Classes first: an update adds to whole rows.
        self.scores = np.ascontiguousarray(scores)
        self.region = self._regions()
        self._raw = np.zeros((self.runs, classes + 1, classes, width))
        # Where a point's sum lies while it is in the first region.
        each = np.arange(self.runs)[:, None]
        self._first = (each * (classes + 1) * classes + labels).ravel()
        self._place = each * (classes + 1)
        self._move(np.arange(labels.size), None, self.region.ravel())

    def sums(self, runs: Whole, regions: Whole) -> Floats:
        """Masses times points by label, of these regions of these runs."""
        found = self._raw[runs, regions]
        found /= self.n
        return found

    def _regions(self) -> Whole:
        """Region of each point: the lowest of the best classes, or Q where none wins by alpha."""
        region = _lowest_best(self.scores)
        if self.alpha > 0 and self.classes > 1:
            top = np.partition(self.scores, -2, axis=1)
            region[top[:, -1] - top[:, -2] < self.alpha] = self.classes
        return np.asarray(region)

    def _move(self, moved: Whole, before: Whole | None, after: Whole) -> None:
        first = self._first[moved]
        to = first + after * self.classes
        out = None if before is None else first + before * self.classes
        at = moved % len(self._rows) if self.dense else moved
        width, flat = self._raw.shape[-1], self._raw.reshape(-1)
        if self.dense and moved.size * width <= FEW:
            points, sums = self._rows[at], self._raw.reshape(-1, width)
            np.add.at(sums, to, points)
            if out is not None:
                np.subtract.at(sums, out, points)
            return
        if not self.dense:
            begin = self._rows.indptr[moved]
            lengths = self._rows.indptr[moved + 1] - begin
            total = int(lengths.sum())
            if total <= SPARSE_FEW:
                ends = np.cumsum(lengths)
                entries = np.repeat(begin - ends + lengths, lengths) + np.arange(total)
                columns, values = self._rows.indices[entries], self._rows.data[entries]
                np.add.at(flat, np.repeat(to * width, lengths) + columns, values)
                if out is not None:
                    np.subtract.at(flat, np.repeat(out * width, lengths) + columns, values)
                return
        from scipy.sparse import csr_matrix

        rows, signs = to, np.ones(len(to))
        if out is not None:
            rows, at = np.concatenate([to, out]), np.concatenate([at, at])
            signs = np.concatenate([signs, -signs])
        shape = (self.runs * (self.classes + 1) * self.classes, self._rows.shape[0])
        # Sorted here: SciPy's own way there costs more than the product.
        order = np.lexsort((at, rows))
        starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=shape[0]))])
        picked = csr_matrix((signs[order], at[order], starts), shape)
        change = picked @ self._rows
        if self.dense:
            self._raw += np.asarray(change).reshape(self._raw.shape)
        else:
            at = np.repeat(np.arange(shape[0]) * width, np.diff(change.indptr)) + change.indices
            flat[at] += change.data

    def update(self, tau: Floats, vector: Floats) -> tuple[Whole, Whole]:
        """Add ``tau[s, r] * vector[s]`` to weights r of run s; returns runs and regions changed."""
        product = (
            np.matmul(self.points, vector[:, :, None])[..., 0] if self.dense
            else np.asarray(self.points @ vector.ravel()).reshape(self.runs, self.n)
        )
        run, row = np.nonzero(tau)
        self.scores[run, row] += product[run] * tau[run, row][:, None]
        region = self._regions()
        moved = np.flatnonzero(region != self.region)
        if not moved.size:
            return moved, moved
        before, after = self.region.ravel()[moved], region.ravel()[moved]
        self._move(moved, before, after)
        self.region = region
        run, shape = moved // self.n, (self.runs, self.classes + 1)
        seen = np.zeros(shape, bool)
        seen[run, before] = seen[run, after] = True
        counts = np.bincount((self._place + region).ravel(), minlength=seen.size).reshape(shape)
        self._raw[seen & (counts == 0)] = 0.0  # what is left there is rounding
        run, changed = np.nonzero(seen[:, :-1])
        return run, changed


def _side_by_side(points: Any, runs: int) -> Any:
    """Sparse samples below each other, as one matrix with columns of its own for each run."""
    from scipy.sparse import csr_matrix

    if runs == 1:
        return points
    rows, width = points.shape
    shift = np.repeat(np.arange(runs) * width, np.diff(points.indptr[:: rows // runs]))
    return csr_matrix((points.data, points.indices + shift, points.indptr), (rows, runs * width))


def _lowest_best(scores: Floats) -> Whole:
    """The lowest of the best classes, which lie on axis 1; NumPy's own way is slow across rows."""
    if scores.size < MANY:
        return np.asarray(np.argmax(scores, axis=1))
    best = scores.max(axis=1)
    below = np.ones(best.shape, bool)
    region = np.zeros(best.shape, np.int32)
    for q in range(scores.shape[1] - 1):
        below &= scores[:, q] < best
        region += below
    return region.astype(np.int64)


class Spread:
    """Few atoms with a mass for every label: a whole population, or samples' counts on it.

    Samples are arrays of floats or of whole numbers, or one sparse matrix; one of them or all.
    """

    def __init__(
        self, points: Any, masses: Floats, weights: Floats, alpha: Any, shared: bool
    ) -> None:
        self.points, self.alpha, self.shared = points, alpha, shared
        self.masses = np.ascontiguousarray(masses.swapaxes(1, 2))
        self.scores = self._products(weights)
        runs, classes, atoms = self.masses.shape
        self.inside = np.zeros((runs, classes, atoms), bool)
        self._sums = np.zeros((runs, classes, classes, points[0].shape[-1]), weights.dtype)
        self._refresh()

    def _products(self, weights: Floats) -> Floats:
        """Rows of weights, shape (R, m, d), times the points of the runs."""
        if isinstance(self.points, np.ndarray):
            return np.asarray(np.matmul(weights, self.points.swapaxes(1, 2)))
        (one,) = self.points
        flat = np.asarray(one @ weights.reshape(-1, one.shape[1]).T)
        return flat.T.reshape(*weights.shape[:2], -1)

    def _refresh(self) -> tuple[Whole, Whole]:
        scores = self.scores
        if self.alpha == 0 and self.shared:
            # Ties lie in several regions.
            inside = scores >= scores.max(axis=1, keepdims=True)
        else:
            inside = np.argmax(scores, axis=1)[:, None] == np.arange(scores.shape[1])[:, None]
            if self.alpha > 0:
                top = np.partition(scores, -2, axis=1)
                inside &= (top[:, -1] - top[:, -2] >= self.alpha)[:, None]
        runs, changed = np.nonzero((inside != self.inside).any(axis=2))
        if runs.size:
            within = self.masses[runs] * inside[runs, changed][:, None]
            if isinstance(self.points, np.ndarray):
                at = self.points if len(self.points) == 1 else self.points[runs]
                self._sums[runs, changed] = within @ at
            else:
                flat = within.reshape(-1, within.shape[-1]) @ self.points[0]
                self._sums[runs, changed] = flat.reshape(*within.shape[:2], -1)
        self.inside = inside
        return runs, changed

    def sums(self, runs: Whole, regions: Whole) -> Floats:
        """Masses times points by label, of these regions of these runs."""
        return np.asarray(self._sums[runs, regions])

    def update(self, tau: Floats, vector: Floats) -> tuple[Whole, Whole]:
        """Add ``tau[s, r] * vector[s]`` to weights r of run s; returns runs and regions changed."""
        self.scores += tau[:, :, None] * self._products(vector[:, None])
        return self._refresh()

    def grow(self, by: int) -> None:
        """Take the weights times this number, and the margin as well."""
        self.scores, self.alpha = self.scores * by, self.alpha * by


@dataclass(frozen=True)
class Scaled:
    """Large dense rows as they came, each times a number of its own, with a constant behind them.

    They stand for rows of norm 1 with an intercept, which need not be made.
    """

    points: NDArray[Any]
    scale: Floats
    constant: float = 0.0

    dtype = np.dtype(np.float64)
    ndim = 2

    @property
    def shape(self) -> tuple[int, int]:
        """Of the rows that they stand for."""
        return len(self.points), self.points.shape[1] + (self.constant != 0)

    def __getitem__(self, rows: Any) -> Scaled:
        """Some of the rows."""
        return Scaled(self.points[rows], self.scale[rows], self.constant)

    def __matmul__(self, columns: Floats) -> Floats:
        """Products with columns of weights."""
        found = np.empty((len(self.points), columns.shape[1]))
        width = self.points.shape[1]
        for start in range(0, len(found), BLOCK):
            rows = slice(start, start + BLOCK)
            found[rows] = self.points[rows] @ columns[:width]
        if self.constant:
            found += self.constant * columns[width]
        return found * self.scale[:, None]

    def dense(self) -> Floats:
        """These rows."""
        rows = np.full(self.shape, self.constant)
        rows[:, : self.points.shape[1]] = self.points
        rows *= self.scale[:, None]
        return rows


SHORT, ZERO = 1e-150, 1e-300
"""Norms below the first have squares that are no floats, or few digits of them; those below the
other count as 0."""


def row_norms(points: Any) -> Floats:
    """Norms of the rows of an array or a sparse matrix, infinite where squares are."""
    with np.errstate(over="ignore"):
        if hasattr(points, "tocsr"):
            return np.asarray(np.sqrt(np.asarray(points.multiply(points).sum(axis=1)).ravel()))
        return np.asarray(np.linalg.norm(points, axis=1))


def divisors(norms: Floats, points: Any) -> Floats:
    """What rows of these norms are divided by to have norm 1, 1 for those that count as 0.

    Parameters
    ----------
    norms : array, shape (n,)
        As `row_norms` has them. One that is infinite is refused.
    points : array or sparse matrix, shape (n, d)

    Returns
    -------
    array, shape (n,)

    Examples
    --------
    >>> points = np.array([[2.0], [0.0], [1e-200]])
    >>> divisors(row_norms(points), points).tolist()
    [2.0, 1.0, 1e-200]
    """
    if not np.isfinite(norms).all():
        raise ValueError(
            "X must have rows whose norm is a float, got numbers up to "
            f"{abs(points).max():.3g}: scale it"
        )
    short = np.flatnonzero(norms < SHORT)
    if short.size:
        norms = norms.copy()
        norms[short] = row_norms(points[short] * 2.0**500) / 2.0**500
    return np.where(norms > ZERO, norms, 1.0)


def scaled(points: NDArray[Any], *, intercept: bool, unit: bool) -> Scaled:
    """Rows with a constant 1 behind them if asked for, and of norm 1 if asked for; 0 stays 0."""
    scale = np.ones(len(points))
    for start in range(0, len(points) if unit else 0, BLOCK):
        block = points[start : start + BLOCK].astype(np.float64)
        norms = np.sqrt(np.einsum("ij,ij->i", block, block) + intercept)
        scale[start : start + BLOCK] /= divisors(norms, block)
    return Scaled(np.ascontiguousarray(points), scale, float(intercept))


class Rows:
    """A large dense sample of any numbers, read once an update."""

    def __init__(self, rows: Scaled, labels: Whole, classes: int, weights: Floats) -> None:
        from noisytheory.topics.multiclass import compiled

        self.points, self.scale, self.constant = rows.points, rows.scale, rows.constant
        self.labels, self.classes, (n, width) = labels, classes, rows.shape
        self._pass, self._empty_to_zero = compiled.update_rows, compiled.empty_to_zero
        self._first, self._last = np.zeros(n, np.int64), np.full(n, self.points.shape[1])
        if self.points.dtype == np.uint8:
            compiled.extents(self.points, self._first, self._last)
        self.scores, self.region = np.zeros((classes, n)), np.zeros(n, np.int64)
        self._raw = np.zeros((classes, classes, width))
        compiled.sum_rows(self.points, self.scale, self.constant, labels, self._raw[0])
        self._total = self._raw[0].copy()
        for row in np.flatnonzero(weights.any(axis=1)):
            self.update(np.eye(classes)[[row]], weights[[row]])

    def sums(self, runs: Whole, regions: Whole) -> Floats:
        """Masses times points by label, of these regions of the one run."""
        return np.asarray(self._raw[regions] / len(self.points))

    def update(self, tau: Floats, vector: Floats) -> tuple[Whole, Whole]:
        """Add ``tau[0, r] * vector[0]`` to weights r; returns the run and regions changed."""
        changed = np.zeros(self.classes, np.bool_)
        rest = self._pass(
            self.points, self._first, self._last, self.scale, self.constant, self.labels,
            np.ascontiguousarray(vector[0]), tau[0], self.scores, self.region, self._raw, changed,
        )
        if changed[rest]:
            self._raw[rest] = 0
            self._raw[rest] = self._total - self._raw.sum(axis=0)
        self._empty_to_zero(self.region, self.labels, self._raw)
        regions = np.flatnonzero(changed)
        return np.zeros_like(regions), regions


class Bytes:
    """A large sample of bytes: read once an update, at an eighth of the traffic of floats.

    The sums are whole numbers and exact; scores are in double precision.
    """

    def __init__(
        self, points: NDArray[np.uint8], labels: Whole, classes: int, weights: Floats
    ) -> None:
        from noisytheory.topics.multiclass import compiled

        self.points, self.labels, self.classes = points, labels, classes
        self._pass = compiled.update_bytes
        self._first, self._last = np.empty((2, len(points)), np.int64)
        compiled.extents(points, self._first, self._last)
        self.scores = np.zeros((classes, len(points)))
        self.region = np.zeros(len(points), np.int64)
        # A class sum of bytes fits 32 bits up to eight million points: half of the traffic.
        size = np.int32 if len(points) < 2**23 else np.int64
        whole = np.zeros((classes, classes, points.shape[1]), size)
        compiled.sum_bytes(points, labels, whole[0])
        self._whole, self._total = whole, whole[0].copy()
        for row in np.flatnonzero(weights.any(axis=1)):
            self.update(np.eye(classes)[[row]], weights[[row]])

    def sums(self, runs: Whole, regions: Whole) -> Floats:
        """Masses times points by label, of these regions of the one run."""
        return np.asarray(self._whole[regions] / len(self.points))

    def update(self, tau: Floats, vector: Floats) -> tuple[Whole, Whole]:
        """Add ``tau[0, r] * vector[0]`` to weights r; returns the run and regions changed."""
        changed = np.zeros(self.classes, np.bool_)
        # Most points come to one class, or leave it: its sums follow from the totals.
        rest = self._pass(
            self.points, self._first, self._last, self.labels, np.ascontiguousarray(vector[0]),
            tau[0], self.scores, self.region, self._whole, changed,
        )
        if changed[rest]:
            self._whole[rest] = 0
            self._whole[rest] = self._total - self._whole.sum(axis=0, dtype=self._whole.dtype)
        regions = np.flatnonzero(changed)
        return np.zeros_like(regions), regions


def kept(
    points: Any, labels: NDArray[Any], classes: int, weights: Floats, *, alpha: Any, shared: bool
) -> Kept:
    """The form that fits the samples.

    Parameters
    ----------
    points : array of shape (n, d) or (R, n, d), `Scaled`, or sparse matrix of shape (R n, d)
        A sample that all runs share, or one for each; sparse ones below each other.
    labels : array
        Classes, shape (R, n), or masses of (point, label), shape (R, n, Q).
    classes : int
    weights : array, shape (R, Q, d)
    alpha : float
        Functional margin of the regions.
    shared : bool
        Whether tied points lie in several regions.
    """
    large = (
        not shared and alpha == 0 and labels.ndim == 2 and len(labels) == 1
        and len(points.shape) == 2 and points.shape[0] * points.shape[1] >= COMPILED
    )
    if isinstance(points, Scaled):
        if large:
            return Rows(points, labels[0], classes, weights[0])
        points = points.dense()
    dense = isinstance(points, np.ndarray)
    exact = dense and points.dtype == object
    small = dense and points.shape[-2] * points.shape[-1] * classes < 4096
    if labels.ndim == 3 or shared or small or exact:
        masses = labels
        if labels.ndim == 2:
            masses = (labels[..., None] == np.arange(classes)) * (1 / labels.shape[1])
        if not dense and len(labels) > 1:
            raise ValueError('several runs with ties="all" or masses need dense points')
        if dense and not exact:
            points = np.asarray(points, float)
        if not dense or points.ndim == 2:
            points = [points]
        return Spread(points, masses, weights, alpha, shared)
    if dense and large:
        points = np.ascontiguousarray(points)
        if points.dtype == np.uint8:
            return Bytes(points, labels[0], classes, weights[0])
        return Rows(Scaled(points, np.ones(len(points))), labels[0], classes, weights[0])
    if dense and points.dtype == np.uint8:
        points = points.astype(float)
    if dense and points.ndim == 2:
        points = points[None]
    return Dense(points, labels, classes, weights, alpha)
