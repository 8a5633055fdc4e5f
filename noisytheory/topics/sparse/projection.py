r"""Best weights on given atoms: projection on their span or hull, and herding that uses it."""

from __future__ import annotations

import os
import tempfile

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.topics.sparse.approximation import (
    Approximation,
    Ints,
    Target,
    checked_count,
    checked_threshold,
)
from noisytheory.topics.sparse.farthest_first import traverse
from noisytheory.vocabulary.kernels import Kernel
from noisytheory.vocabulary.threads import on_one_thread

__all__ = [
    "convex_projection",
    "fully_corrective",
    "nearest_centre",
    "projection",
    "simplex_weights",
]

Doubles = NDArray[np.float64]
# Bytes of Gram rows that are kept in memory, before a file takes them.
KEPT = 1 << 26


@on_one_thread
def projection(
    kernel: Kernel, points: ArrayLike, alpha: ArrayLike, k: int, *, start: int = 0
) -> Approximation:
    r"""Project the target on the span of ``k`` farthest-first centres (Cruz Cortés, Scott).

    A centre nearer to the span of those before than $10^{-6}$ of its own norm counts as within it:
    its weight would be made of rounding errors alone.

    Parameters
    ----------
    kernel : Kernel
    points : array-like, shape (n, d)
    alpha : array-like, shape (n,)
        Target weights, of any sign.
    k : int
        Number of centres; there are fewer where fewer points are distinct.
    start : int
        First centre, counted among the points of non-zero weight.

    Returns
    -------
    Approximation
        Errors after every centre; weights may have either sign.

    Examples
    --------
    >>> from noisytheory.vocabulary.kernels import Linear
    >>> round(projection(Linear(), [[1.0], [2.0]], [0.5, 0.5], 1).error, 12)
    0.0
    """
    target = Target(kernel, points, alpha)
    centres = traverse(target, k, start=start).centres
    gram = target.gram(centres)
    solved = np.linalg.lstsq(gram, target.scores_at(centres), rcond=1e-12)[0]
    return target.approximation(
        centres, solved, before=lambda: _span_errors(target, centres[:-1], gram[:-1, :-1])
    )


def _span_errors(target: Target, centres: Ints, gram: Doubles) -> Doubles:
    """Distance from the span of the first 1, 2, ... centres, as the Cholesky factor grows."""
    k, scores = len(centres), target.scores_at(centres)
    factor, along = np.zeros((k, k)), np.zeros(k)
    for j in range(k):
        row = factor[j]
        for i in range(j):
            if factor[i, i]:
                row[i] = (gram[j, i] - factor[i, :i] @ row[:i]) / factor[i, i]
        pivot = float(gram[j, j] - row[:j] @ row[:j])
        # A centre within the span of those before, but for rounding, adds nothing to it.
        if pivot > 1e-12 * float(gram[j, j]):
            row[j] = np.sqrt(pivot)
            along[j] = (scores[j] - row[:j] @ along[:j]) / row[j]
    squares = target.square - np.cumsum(along**2)
    return np.asarray(target.total * np.sqrt(np.maximum(squares, 0.0)))


@on_one_thread
def convex_projection(
    kernel: Kernel, points: ArrayLike, alpha: ArrayLike, k: int, *, start: int = 0
) -> Approximation:
    """Project the target on the convex hull of ``k`` farthest-first centres.

    Parameters
    ----------
    kernel, points, alpha, k, start
        As in `projection`.

    Returns
    -------
    Approximation
        Errors after every centre, a quadratic programme each; weights have the target's signs and
        its total.
    """
    target = Target(kernel, points, alpha)
    centres = traverse(target, k, start=start).centres
    gram = target.gram(centres)
    shares = simplex_weights(gram, target.scores_at(centres))
    return target.approximation(
        centres, shares, before=lambda: _hull_errors(target, centres[:-1], gram)
    )


def _hull_errors(target: Target, centres: Ints, gram: Doubles) -> Doubles:
    """Distance from the hull of the first 1, 2, ... centres, each from where the last ended."""
    scores, shares = target.scores_at(centres), np.zeros(0)
    squares = np.empty(len(centres))
    for j in range(len(centres)):
        first = slice(j + 1)
        start = np.append(shares, 0.0) if j else np.ones(1)
        shares = simplex_weights(gram[first, first], scores[first], start)
        squares[j] = shares @ gram[first, first] @ shares - 2 * shares @ scores[first]
    return np.asarray(target.total * np.sqrt(np.maximum(target.square + squares, 0.0)))


@on_one_thread
def nearest_centre(
    kernel: Kernel, points: ArrayLike, alpha: ArrayLike, k: int, *, start: int = 0
) -> Approximation:
    r"""Replace every point by the nearest of ``k`` centres.

    The error is at most $(1-\alpha(\tilde S))r_k$: the centres stay where they are.

    Parameters
    ----------
    kernel, points, alpha, k, start
        As in `projection`.

    Returns
    -------
    Approximation
        Errors after every centre; all but the last take another row of the Gram matrix each, when
        they are asked for.
    """
    target = Target(kernel, points, alpha)
    found = traverse(target, k, start=start)
    shares = np.zeros(len(found.centres))
    np.add.at(shares, found.cells, target.masses)
    return target.approximation(
        found.centres, shares, before=lambda: _centre_errors(target, found.centres[:-1])
    )


def _centre_errors(target: Target, centres: Ints) -> Doubles:
    """Error of the nearest of the first 1, 2, ... centres, which take their cells in turn."""
    gram, scores = target.gram(centres), target.scores_at(centres)
    own = target.diagonal / 2
    near, cells = np.full(len(target), np.inf), np.zeros(len(target), dtype=np.int64)
    row, squares = target.buffer(), np.empty(len(centres))
    for j, centre in enumerate(centres):
        distances = own + own[centre] - target.row(int(centre), row)
        closer = distances < near
        cells[closer], near[closer] = j, distances[closer]
        shares = np.bincount(cells, weights=target.masses, minlength=j + 1)
        squares[j] = shares @ gram[: j + 1, : j + 1] @ shares - 2 * shares @ scores[: j + 1]
    return np.asarray(target.total * np.sqrt(np.maximum(target.square + squares, 0.0)))


def simplex_weights(
    gram: ArrayLike, scores: ArrayLike, start: ArrayLike | None = None
) -> Doubles:
    r"""Minimise $\frac12q^\top Gq-f^\top q$ over the probability simplex, by an active set.

    Parameters
    ----------
    gram : array-like, shape (k, k)
        Positive semi-definite.
    scores : array-like, shape (k,)
        $f$.
    start : array-like, shape (k,), optional
        Where to start, in the simplex.

    Returns
    -------
    array, shape (k,)

    Examples
    --------
    >>> simplex_weights([[1.0, 0.0], [0.0, 1.0]], [0.5, 0.5]).tolist()
    [0.5, 0.5]
    """
    matrix, linear = np.asarray(gram, dtype=np.float64), np.asarray(scores, dtype=np.float64)
    k = len(linear)
    if start is None:
        shares = np.zeros(k)
        shares[int(np.argmin(np.diag(matrix) / 2 - linear))] = 1.0
    else:
        shares = np.asarray(start, dtype=np.float64).copy()
    active = shares > 0
    slack = 1e-13 * max(1.0, float(np.abs(matrix).max()))
    for _ in range(20 * k + 20):
        while True:
            best = _on_the_plane(matrix[np.ix_(active, active)], linear[active])
            if np.all(best > 0):
                shares[active] = best
                break
            # Move until the first weight reaches zero, and leave it out.
            current = shares[active]
            falling = best <= 0
            ratio = current[falling] / np.maximum(current[falling] - best[falling], 1e-300)
            reach = float(ratio.min())
            moved = np.maximum(current + reach * (best - current), 0.0)
            moved[np.flatnonzero(falling)[int(ratio.argmin())]] = 0.0
            shares[active] = moved / moved.sum()
            active = shares > 0
        gradient = matrix @ shares - linear
        level = float(gradient @ shares)
        entering = int(np.where(active, np.inf, gradient).argmin())
        if active[entering] or gradient[entering] >= level - slack:
            break
        active[entering] = True
    return shares


def _on_the_plane(matrix: Doubles, linear: Doubles) -> Doubles:
    """The minimiser on the plane of weights that sum to 1."""
    size = len(linear)
    system = np.ones((size + 1, size + 1))
    system[:size, :size] = matrix
    system[size, size] = 0.0
    right = np.append(linear, 1.0)
    try:
        return np.asarray(np.linalg.solve(system, right)[:size])
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(system, right, rcond=None)[0][:size])


@on_one_thread
def fully_corrective(
    kernel: Kernel, points: ArrayLike, alpha: ArrayLike, k: int, *, gap: float = 0.0
) -> Approximation:
    r"""Herding with the best convex weights on all atoms after every step.

    A step moves every weight, and so needs the rows of the Gram matrix of all atoms. They are kept,
    in memory up to 64 MiB and from there on in a temporary file: $O(nk)$ kernel values, and
    $O(n+k^2)$ memory beside those 64 MiB.

    Parameters
    ----------
    kernel, points, alpha
        As in `projection`.
    k : int
        Largest number of iterations.
    gap : float
        Stop when the duality gap of the normalised problem is at most this.

    Returns
    -------
    Approximation
        Errors after every step.

    Raises
    ------
    ValueError
        If ``k`` or ``gap`` is out of range.
    OSError
        If the temporary file has no room.

    Examples
    --------
    >>> from noisytheory.vocabulary.kernels import Linear
    >>> found = fully_corrective(Linear(), [[0.0], [1.0], [3.0]], [0.5, 0.25, 0.25], 3)
    >>> len(found.indices), round(found.error, 7)
    (2, 0.0)
    """
    checked_count("k", k)
    gap = checked_threshold("gap", gap, -np.inf)
    target = Target(kernel, points, alpha)
    row = target.buffer()
    product, scaled = np.empty(len(target)), np.empty(len(target))
    # Of every atom so far, with or without weight now: their rows lie in this order.
    atoms = [int(target.scores.argmax())]
    gram, shares = np.full((1, 1), target.diagonal[atoms[0]]), np.ones(1)
    scores = target.scores_at(np.array(atoms))
    errors = [target.distance(np.array(atoms), shares, gram)]
    with tempfile.SpooledTemporaryFile(max_size=KEPT) as rows:
        rows.write(target.row(atoms[0], row).data)
        for _ in range(1, k):
            product.fill(0.0)
            for place in np.flatnonzero(shares):
                rows.seek(int(place) * row.nbytes)
                rows.readinto(row.data)
                product += np.multiply(row, shares[place], out=scaled)
            residual = np.subtract(target.scores, product, out=product)
            errors[-1] = target.from_differences(errors[-1], residual, atoms, shares)
            if target.linear:
                errors[-1] = target.unless_cancelled(errors[-1], np.array(atoms), shares)
            z = int(residual.argmax())
            here = float(shares @ residual[atoms])
            if residual[z] - here <= max(gap, 1e-15) or shares[np.equal(atoms, z)].any():
                break
            if z not in atoms:
                rows.seek(0, os.SEEK_END)
                rows.write(target.row(z, row).data)
                atoms.append(z)
                gram = _bordered(gram, target, np.array(atoms))
                scores = np.append(scores, target.scores_at(np.array([z])))
                shares = np.append(shares, 0.0)
            chosen = (shares > 0) | np.equal(atoms, z)
            shares[chosen] = simplex_weights(
                gram[np.ix_(chosen, chosen)], scores[chosen], shares[chosen]
            )
            errors.append(target.distance(np.array(atoms), shares, gram))
    return target.approximation(atoms, shares, errors)


def _bordered(gram: Doubles, target: Target, atoms: Ints) -> Doubles:
    """The Gram matrix of all atoms from that of all but the last."""
    wider = np.empty((len(atoms), len(atoms)))
    last = target.kernel(target.doubles[atoms[-1:]], target.doubles[atoms])[0]
    wider[:-1, :-1] = gram
    wider[-1] = wider[:, -1] = last * target.signs[atoms] * target.signs[atoms[-1]]
    wider[-1, -1] = target.diagonal[atoms[-1]]
    return wider
