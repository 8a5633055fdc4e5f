"""What UMA keeps between updates: scores, regions, and sums of points by region and label.

An update changes few score columns by one product of the sample with a vector; only points that
change their region move between sums.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bytes", "Dense", "Kept", "Spread", "kept"]

Floats: TypeAlias = NDArray[np.float64]
Whole: TypeAlias = NDArray[np.int64]

FEW = 1 << 12
"""Coordinates of moved points up to which they are added one by one."""

SPARSE_FEW = 1 << 15
"""Entries of sparse moved points up to which they are."""

COMPILED = 1 << 22
"""Entries of an 8-bit sample from which a compiled pass pays for its compilation."""


class Kept(Protocol):
    """Sums of points by region and label, that follow the weights."""

    def sums(self, regions: NDArray[Any]) -> Floats:
        """Masses times points, by these regions and by label."""

    def update(self, tau: Floats, vector: Floats) -> NDArray[Any]:
        """Add ``tau[r] * vector`` to weights r; returns the regions that changed."""


class Dense:
    """A sample of floats, dense or sparse: scores are kept, and points move between sums."""

    def __init__(
        self, points: Any, labels: Whole, classes: int, weights: Floats, alpha: float
    ) -> None:
        self.points, self.labels, self.classes, self.alpha = points, labels, classes, alpha
        n = points.shape[0]
        self.mass = 1.0 / n
        # Classes first: an update adds to whole rows.
        self.scores = np.ascontiguousarray(np.asarray(points @ weights.T).T)
        self.region = self._regions()
        self._raw = np.zeros((classes + 1, classes, points.shape[1]))
        self._move(np.arange(n), None, self.region)

    def sums(self, regions: NDArray[Any]) -> Floats:
        """Masses times points, by these regions and by label."""
        return np.asarray(self._raw[regions] * self.mass)

    def _regions(self) -> Whole:
        """Region of each point: the lowest of the best classes, or Q where none wins by alpha."""
        region = np.argmax(self.scores, axis=0)
        if self.alpha > 0 and self.classes > 1:
            top = np.partition(self.scores, -2, axis=0)
            region[top[-1] - top[-2] < self.alpha] = self.classes
        return np.asarray(region)

    def _move(self, moved: Whole, before: Whole | None, after: Whole) -> None:
        labels, q = self.labels[moved], self.classes
        dense = isinstance(self.points, np.ndarray)
        if dense and moved.size * self.points.shape[1] <= FEW:
            points: Any = self.points[moved]
            flat: Any = self._raw.reshape(-1, self.points.shape[1])
            np.add.at(flat, after * q + labels, points)
            if before is not None:
                np.subtract.at(flat, before * q + labels, points)
            return
        if not dense:
            first = self.points.indptr[moved]
            lengths = self.points.indptr[moved + 1] - first
            total = int(lengths.sum())
            if total <= SPARSE_FEW:
                ends = np.cumsum(lengths)
                entries = np.repeat(first - ends + lengths, lengths) + np.arange(total)
                columns, values = self.points.indices[entries], self.points.data[entries]
                flat, width = self._raw.reshape(-1), self.points.shape[1]
                np.add.at(flat, np.repeat((after * q + labels) * width, lengths) + columns, values)
                if before is not None:
                    left = np.repeat((before * q + labels) * width, lengths) + columns
                    np.subtract.at(flat, left, values)
                return
        from scipy.sparse import csr_matrix

        rows, columns, signs = [after * q + labels], [moved], [np.ones(len(moved))]
        if before is not None:
            rows.append(before * q + labels)
            columns.append(moved)
            signs.append(-np.ones(len(moved)))
        shape = ((q + 1) * q, self.points.shape[0])
        row, column = np.concatenate(rows), np.concatenate(columns)
        # Sorted here: SciPy's own way there costs more than the product.
        order = np.lexsort((column, row))
        starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=shape[0]))])
        picked = csr_matrix((np.concatenate(signs)[order], column[order], starts), shape)
        change = picked @ self.points
        change = change.toarray() if hasattr(change, "toarray") else np.asarray(change)
        self._raw += change.reshape(self._raw.shape)

    def update(self, tau: Floats, vector: Floats) -> NDArray[Any]:
        """Add ``tau[r] * vector`` to weights r; returns the regions that changed."""
        product = np.asarray(self.points @ vector)
        for row in np.flatnonzero(tau):
            self.scores[row] += product * tau[row]
        region = self._regions()
        moved = np.flatnonzero(region != self.region)
        if not moved.size:
            return moved
        before, after = self.region[moved], region[moved]
        self._move(moved, before, after)
        self.region = region
        seen = np.zeros(self.classes + 1, bool)
        seen[before] = seen[after] = True
        changed = np.flatnonzero(seen[:-1])
        counts = np.bincount(region, minlength=self.classes + 1)
        self._raw[:-1][counts[:-1] == 0] = 0.0  # what is left there is rounding
        return changed


class Spread:
    """Few atoms with a mass for every label: a whole population, or a sample's counts on it."""

    def __init__(
        self, points: Floats, masses: Floats, weights: Floats, alpha: float, shared: bool
    ) -> None:
        self.points, self.masses, self.alpha, self.shared = points, masses, alpha, shared
        self.scores = points @ weights.T
        classes = masses.shape[1]
        self.inside = np.zeros((classes, len(points)), bool)
        self._sums = np.zeros((classes, classes, points.shape[1]))
        self._refresh()

    def _refresh(self) -> NDArray[Any]:
        scores, classes = self.scores, self.masses.shape[1]
        if self.alpha == 0 and self.shared:
            # Ties lie in several regions.
            inside = (scores >= scores.max(axis=1, keepdims=True)).T
        else:
            winner = np.argmax(scores, axis=1)
            inside = winner == np.arange(classes)[:, None]
            if self.alpha > 0:
                top = np.partition(scores, -2, axis=1)
                inside &= top[:, -1] - top[:, -2] >= self.alpha
        changed = np.flatnonzero((inside != self.inside).any(axis=1))
        for p in changed:
            at = inside[p]
            self._sums[p] = self.masses[at].T @ self.points[at]
        self.inside = inside
        return changed

    def sums(self, regions: NDArray[Any]) -> Floats:
        """Masses times points, by these regions and by label."""
        return np.asarray(self._sums[regions])

    def update(self, tau: Floats, vector: Floats) -> NDArray[Any]:
        """Add ``tau[r] * vector`` to weights r; returns the regions that changed."""
        self.scores += (self.points @ vector)[:, None] * tau
        return self._refresh()


class Bytes(Dense):
    """A large sample of bytes: read once an update, at an eighth of the traffic of floats.

    The sums are whole numbers and exact; scores are in double precision.
    """

    def __init__(
        self, points: NDArray[np.uint8], labels: Whole, classes: int, weights: Floats
    ) -> None:
        from noisytheory.topics.multiclass import compiled

        self.points, self.labels, self.classes, self.alpha = points, labels, classes, 0.0
        self.mass = 1.0 / len(points)
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
            self.update(np.eye(classes)[row], weights[row])

    def sums(self, regions: NDArray[Any]) -> Floats:
        """Masses times points, by these regions and by label."""
        return np.asarray(self._whole[regions] * self.mass)

    def update(self, tau: Floats, vector: Floats) -> NDArray[Any]:
        """Add ``tau[r] * vector`` to weights r; returns the regions that changed."""
        changed = np.zeros(self.classes, np.bool_)
        # Most points come to one class, or leave it: its sums follow from the totals.
        rest = self._pass(
            self.points, self._first, self._last, self.labels, np.ascontiguousarray(vector), tau,
            self.scores, self.region, self._whole, changed,
        )
        if changed[rest]:
            self._whole[rest] = 0
            self._whole[rest] = self._total - self._whole.sum(axis=0, dtype=self._whole.dtype)
        return np.flatnonzero(changed)


def kept(
    points: Any, labels: NDArray[Any], classes: int, weights: Floats, *, alpha: float, shared: bool
) -> Kept:
    """The form that fits the sample.

    Parameters
    ----------
    points : array or sparse matrix, shape (n, d)
    labels : array
        Classes, shape (n,), or masses of (point, label), shape (n, Q).
    classes : int
    weights : array, shape (Q, d)
    alpha : float
        Functional margin of the regions.
    shared : bool
        Whether tied points lie in several regions.
    """
    dense = isinstance(points, np.ndarray)
    if labels.ndim == 2:
        return Spread(np.asarray(points, float), labels, weights, alpha, shared)
    if shared or (dense and points.size * classes < 4096):
        if not dense:
            raise ValueError('ties="all" needs dense points')
        masses = np.zeros((len(labels), classes))
        masses[np.arange(len(labels)), labels] = 1.0 / len(labels)
        return Spread(np.asarray(points, float), masses, weights, alpha, shared)
    if dense and points.dtype == np.uint8:
        if points.size >= COMPILED and alpha == 0:
            return Bytes(np.ascontiguousarray(points), labels, classes, weights)
        points = points.astype(float)
    return Dense(points, labels, classes, weights, alpha)
