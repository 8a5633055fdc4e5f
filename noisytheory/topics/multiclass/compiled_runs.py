"""Several short runs of UMA, compiled: of small samples NumPy's calls take most of the time.

Written out in loops, as `compiled` is. Every sum has one order, so no machine rounds it otherwise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.multiclass.compiled import winners
from noisytheory.vocabulary.compiling import njit

__all__ = ["learn", "learned"]

STEPS = ("worst", "predicted", "forced")
"""Whom a step takes from, by the number that `learn` knows it by."""

STOPPED = ("max_iter", "small", "no error set")
"""Why a run stopped, by number."""


def learned(
    points: Any, labels: NDArray[Any], inverses: NDArray[Any], weights: NDArray[Any],
    shares: NDArray[Any], usable: NDArray[Any], *, strategy: str, step: str, normalise: bool,
    tolerance: Any, error_alpha: Any, max_iter: int,
) -> list[tuple[Any, ...]]:
    """Runs by `learn`, from arguments of `nt.multiclass.uma_runs`: a `Run`'s fields."""
    runs, classes = shares.shape
    rows, starts, where, values = np.zeros((1, 0, 0)), *np.zeros((2, 0), np.int64), np.zeros(0)
    if isinstance(points, np.ndarray):
        rows = points if points.ndim == 3 else points[None]
    else:
        starts, where = (part.astype(np.int64) for part in (points.indptr, points.indices))
        values = points.data
    pairs, lengths = np.zeros((runs, max_iter, 2), np.int64), np.zeros((runs, max_iter))
    norms, counts = np.zeros((runs, classes, classes)), np.zeros((runs, 4), np.int64)
    learn(
        rows, starts, where, values, labels, np.array(inverses, order="C"), weights, shares,
        usable, strategy == "confusion", STEPS.index(step), bool(normalise), float(tolerance),
        float(error_alpha), pairs, lengths, norms, counts,
    )
    off = ~np.eye(classes, dtype=bool)
    return [
        (weights[s], updates, draws, pairs[s, :updates], lengths[s, :updates], norms[s] * off,
         skipped, STOPPED[stopped], shares[s])
        for s, (updates, draws, skipped, stopped) in enumerate(counts.tolist())
    ]


@njit(cache=True)
def _add_scores(scores: NDArray[Any], weights: NDArray[Any], columns: NDArray[Any]) -> None:
    for i in range(scores.shape[0]):
        scores[i] = 0.0
    for j in range(columns.shape[0]):
        if weights[j] != 0:
            for i in range(scores.shape[0]):
                scores[i] += weights[j] * columns[j, i]


@njit(cache=True)
def _sparse_scores(
    scores: NDArray[Any], weights: NDArray[Any], starts: NDArray[Any], where: NDArray[Any],
    values: NDArray[Any],
) -> None:
    # Most runs start from weights 0.
    for i in range(scores.shape[0]):
        scores[i] = 0.0
    for i in range(scores.shape[0] if weights.any() else 0):
        score = 0.0
        for e in range(starts[i], starts[i + 1]):
            score += weights[where[e]] * values[e]
        scores[i] = score


@njit(cache=True)
def _norms(vectors: NDArray[Any], found: NDArray[Any]) -> None:
    # Four at a time: sums that do not wait for each other.
    q = 0
    while q + 4 <= vectors.shape[0]:
        one, two, three, four = vectors[q], vectors[q + 1], vectors[q + 2], vectors[q + 3]
        a, b, c, e = 0.0, 0.0, 0.0, 0.0
        for j in range(vectors.shape[1]):
            a += one[j] * one[j]
            b += two[j] * two[j]
            c += three[j] * three[j]
            e += four[j] * four[j]
        found[q], found[q + 1] = np.sqrt(a), np.sqrt(b)
        found[q + 2], found[q + 3] = np.sqrt(c), np.sqrt(e)
        q += 4
    for r in range(q, vectors.shape[0]):
        square = 0.0
        for j in range(vectors.shape[1]):
            square += vectors[r, j] * vectors[r, j]
        found[r] = np.sqrt(square)


@njit(cache=True)
def learn(
    points: NDArray[Any], starts: NDArray[Any], where: NDArray[Any], values: NDArray[Any],
    labels: NDArray[Any], inverses: NDArray[Any], weights: NDArray[Any],
    shares: NDArray[Any], usable: NDArray[Any], by_share: bool, down_first: int,
    normalise: bool, tolerance: float, error_alpha: float,
    pairs: NDArray[Any], lengths: NDArray[Any], norms: NDArray[Any], counts: NDArray[Any],
) -> None:
    """One run after the other, up to as many updates as `pairs` has room for.

    Parameters
    ----------
    points : array, shape (R, n, d), or (1, n, d) for all runs
        Of dense points; else empty, as the next three are for these.
    starts, where, values : array
        Of sparse points, those of one run below those of another: where each row's entries begin,
        their columns, and the entries.
    labels : array of int, shape (R, n)
    inverses : array, shape (R, Q, Q)
    weights : array, shape (R, Q, d)
        Those to start from; holds the last ones afterwards.
    shares, usable : array, shape (R, Q)
        Of the true classes, and which of them the confusion strategy may take.
    by_share : bool
        Whether norms are divided by shares.
    down_first : int
        0 for the worst class of the error set, 1 for the predicted one if it is there, 2 for the
        predicted one always.
    normalise : bool
    tolerance, error_alpha : float
        As for `nt.multiclass.uma`.
    pairs, lengths : array, shape (R, max_iter, 2) and (R, max_iter)
        Filled with the pair of every update and the norm of its vector.
    norms : array, shape (R, Q, Q)
        Filled with those at the end.
    counts : array of int, shape (R, 4)
        Filled with updates, draws, pairs that were skipped, and why the run stopped: 0 for the
        last update, 1 for small norms, 2 for no error set.
    """
    runs, classes, d = weights.shape
    n, most = labels.shape[1], pairs.shape[1]
    sparse = starts.size > 0
    columns, scores = np.empty((0 if sparse else d, n)), np.empty((classes, n))
    best, product = np.empty(n), np.empty(n)
    region, old = np.empty(n, np.int64), np.empty(n, np.int64)
    vectors = np.empty((classes, classes, d))
    sums = np.empty((classes, classes, d))
    along, at = np.empty(d), np.empty(classes)
    inside = np.empty(classes, np.int64)
    changed = np.empty(classes, np.bool_)
    among = np.empty((classes, classes), np.bool_)
    for s in range(runs):
        x, y, w = points[min(s, points.shape[0] - 1)], labels[s], weights[s]
        first = starts[s * n :]
        for i in range(0 if sparse else n):
            for j in range(d):
                columns[j, i] = x[i, j]
        for p in range(classes):
            inside[p], changed[p] = 0, True
            if sparse:
                _sparse_scores(scores[p], w[p], first, where, values)
            else:
                _add_scores(scores[p], w[p], columns)
            for k in range(classes):
                for j in range(d):
                    sums[p, k, j] = 0.0
        winners(scores, 0, best, region)
        for i in range(n):
            inside[region[i]] += 1
            if sparse:
                for e in range(first[i], first[i + 1]):
                    sums[region[i], y[i], where[e]] += values[e]
            else:
                for j in range(d):
                    sums[region[i], y[i], j] += x[i, j]
        updates, draws, skipped, stopped = 0, 0, 0, 0
        while True:
            for p in range(classes):
                if not changed[p]:
                    continue
                changed[p] = False
                for q in range(classes):
                    for j in range(d):
                        vectors[p, q, j] = 0.0
                    # Of no points nothing is left but rounding.
                    for k in range(classes if inside[p] else 0):
                        share = inverses[s, q, k] / n
                        for j in range(d if share != 0 else 0):
                            vectors[p, q, j] += share * sums[p, k, j]
                _norms(vectors[p], norms[s, p])
                for k in range(0 if inside[p] else classes):
                    for j in range(d):
                        sums[p, k, j] = 0.0
            if updates == most:
                break
            for p in range(classes):
                for q in range(classes):
                    among[p, q] = p != q and norms[s, p, q] > tolerance
            down, chosen, passed = -1, 0, False
            while down < 0:
                limited = False
                for c in range(classes * classes if by_share else 0):
                    limited |= among[c // classes, c % classes] and usable[s, c % classes]
                chosen, largest = -1, -1.0
                for c in range(classes * classes):
                    p, q = c // classes, c % classes
                    if among[p, q] and (usable[s, q] or not limited):
                        value = norms[s, p, q] / shares[s, q] if limited else norms[s, p, q]
                        if value > largest:
                            chosen, largest = c, value
                if chosen < 0:
                    break
                p, q = chosen // classes, chosen % classes
                draws += 1
                at[:] = 0.0
                for j in range(d):
                    for r in range(classes):
                        at[r] += w[r, j] * vectors[p, q, j]
                for r in range(classes):
                    if r != q and at[r] - at[q] >= error_alpha and (down < 0 or at[r] > at[down]):
                        down = r
                if down_first == 2 or (
                    down_first == 1 and down >= 0 and at[p] - at[q] >= error_alpha
                ):
                    down = p
                if down < 0:
                    among[p, q], passed = False, True
                    skipped += 1
            if chosen < 0:
                stopped = 2 if passed else 1
                break
            p, q = chosen // classes, chosen % classes
            pairs[s, updates, 0], pairs[s, updates, 1] = p, q
            lengths[s, updates] = norms[s, p, q]
            updates += 1
            length = norms[s, p, q] if normalise and norms[s, p, q] > 0 else 1.0
            for j in range(d):
                along[j] = vectors[p, q, j] / length
                w[q, j] += along[j]
                w[down, j] -= along[j]
            if sparse:
                _sparse_scores(product, along, first, where, values)
            else:
                _add_scores(product, along, columns)
            for i in range(n):
                scores[q, i] += product[i]
                scores[down, i] -= product[i]
                old[i] = region[i]
            winners(scores, 0, best, region)
            for i in range(n):
                if region[i] != old[i]:
                    to, out = region[i], old[i]
                    changed[to], changed[out] = True, True
                    inside[to] += 1
                    inside[out] -= 1
                    if sparse:
                        for e in range(first[i], first[i + 1]):
                            sums[to, y[i], where[e]] += values[e]
                            sums[out, y[i], where[e]] -= values[e]
                    else:
                        for j in range(d):
                            sums[to, y[i], j] += x[i, j]
                            sums[out, y[i], j] -= x[i, j]
        counts[s, 0], counts[s, 1], counts[s, 2], counts[s, 3] = updates, draws, skipped, stopped
