r"""The best fixed predictor of a ball in hindsight, with a certificate of how near it is."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.vocabulary.analytic import AnalyticLoss
from noisytheory.vocabulary.domains import POSITIVE, checked_floats
from noisytheory.vocabulary.dot_products import DotProduct

__all__ = ["Comparator", "best_in_ball", "regret_of"]

Floats = NDArray[np.float64]
DROPPED = 1e-12
"""Eigenvalues of the Gram matrix, relative to the largest, that count as none."""
COORDINATES = 1000
"""More are not looked for one by one."""


@dataclass(frozen=True)
class Comparator:
    r"""The smallest cumulative loss over $\|w\|^2\le B_w$.

    Parameters
    ----------
    value : float
        Cumulative loss of the predictor found.
    gap : float
        The smallest one lies within this below it.
    scores : array, shape (T,)
        Its scores.
    """

    value: float
    gap: float
    scores: Floats


def best_in_ball(
    gram: ArrayLike, y: ArrayLike, loss: AnalyticLoss, Bw: float, *, tolerance: float = 1e-9,
    steps: int = 20_000,
) -> Comparator:
    r"""Minimise $\sum_t\ell(w;x_t,y_t)$ over the ball by accelerated projected gradient.

    The gap $\langle\nabla\Phi(v),v\rangle+\sqrt{B_w}\|\nabla\Phi(v)\|$ bounds the distance from the
    minimum, for every convex loss.

    Parameters
    ----------
    gram : array, shape (T, T)
        Of the clean instances.
    y : array, shape (T,)
    loss : AnalyticLoss
    Bw : float
    tolerance : float
        Gap, relative to the loss, at which the search ends.
    steps : int
        At most.

    Returns
    -------
    Comparator

    Raises
    ------
    ValueError
        If the matrix is not square, of the number of labels, or a label of a classification loss
        is neither 1 nor -1.

    Examples
    --------
    >>> from noisytheory.vocabulary.analytic import AffineLoss
    >>> best = best_in_ball(np.ones((4, 4)), [1, 1, 1, -1], AffineLoss(), 4.0)
    >>> round(best.value, 9), best.gap < 1e-6
    (-4.0, True)
    """
    y = checked_floats("y", y)
    POSITIVE.number("Bw", Bw)
    loss.check_labels(y)
    gram = checked_floats("gram", gram)
    if y.ndim != 1 or gram.shape != (len(y), len(y)):
        raise ValueError(
            f"gram must be square, with a row for each of the labels y of shape {y.shape}, "
            f"got shape {gram.shape}"
        )
    return _best(_spectral(gram), y, loss, Bw, tolerance, steps)


def _spectral(gram: Floats) -> Floats:
    """Coordinates of the instances, along eigenvectors of their Gram matrix."""
    values, vectors = np.linalg.eigh(gram)
    keep = values > DROPPED * max(values[-1], 1e-300)
    return np.asarray(vectors[:, keep] * np.sqrt(values[keep]))


def _coordinates(x: Floats, kernel: DotProduct) -> Floats:
    """The same by pivots, without the matrix, where there are few: of T instances in O(T r^2)."""
    T = len(x)
    left = np.concatenate([
        np.diagonal(kernel.gram(part, part)) for part in np.array_split(x, max(1, T // 128))
    ])
    most, found = DROPPED * left.max(), np.empty((0, T))
    for r in range(min(COORDINATES, T // 4)):
        pivot = int(np.argmax(left))
        if left[pivot] <= most:
            return np.ascontiguousarray(found[:r].T)
        if r == len(found):
            found = np.concatenate([found, np.empty((max(r, 16), T))])
        row = kernel.gram(x[pivot : pivot + 1], x)[0] - found[:r, pivot] @ found[:r]
        found[r] = row / math.sqrt(left[pivot])
        left = left - np.square(found[r])
        left[pivot] = 0.0
    return _spectral(kernel.gram(x, x))


def _best(
    features: Floats, y: Floats, loss: AnalyticLoss, Bw: float, tolerance: float = 1e-9,
    steps: int = 20_000,
) -> Comparator:
    """As `best_in_ball`, for a linear predictor of these coordinates."""
    radius = math.sqrt(Bw)

    def at(v: Floats) -> tuple[float, Floats]:
        scores = features @ v
        return float(np.sum(loss.value(y, scores))), features.T @ loss.derivative(y, scores)

    def inside(v: Floats) -> Floats:
        norm = math.sqrt(float(v @ v))
        return v if norm <= radius else v * (radius / norm)

    v = np.zeros(features.shape[1])
    ahead, momentum, curvature = v, 1.0, 1.0
    best, best_gap, best_v = math.inf, math.inf, v
    for _ in range(steps):
        value, slope = at(ahead)
        gap = float(slope @ ahead) + radius * math.sqrt(float(slope @ slope))
        if float(ahead @ ahead) <= Bw * (1 + 1e-12) and gap < best_gap:
            best, best_gap, best_v = value, gap, ahead
        if best_gap <= tolerance * max(1.0, abs(best)):
            break
        while True:
            new = inside(ahead - slope / curvature)
            move = new - ahead
            reached = at(new)[0]
            model = value + float(slope @ move) + curvature / 2 * float(move @ move)
            if reached <= model + 1e-14 * (1 + abs(value)):
                break
            curvature *= 2
        after = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        # A step uphill ends the momentum.
        if float(slope @ (new - v)) > 0:
            ahead, momentum = new, 1.0
        else:
            ahead, momentum = inside(new + (momentum - 1) / after * (new - v)), after
        v = new
        curvature *= 0.95
    return Comparator(best, max(best_gap, 0.0), features @ best_v)


def regret_of(
    scores: ArrayLike, x: ArrayLike, y: ArrayLike, kernel: DotProduct, loss: AnalyticLoss, Bw: float
) -> tuple[float, float]:
    """Regret of the scores that were given round by round, and the comparator's gap.

    Parameters
    ----------
    scores : array, shape (T,)
    x : array, shape (T, d)
        Clean instances.
    y : array, shape (T,)
    kernel, loss
    Bw : float

    Returns
    -------
    regret, gap : float
        The regret is too small by at most the gap.

    Examples
    --------
    >>> from noisytheory.vocabulary.analytic import AffineLoss
    >>> from noisytheory.vocabulary.dot_products import LinearProduct
    >>> x, y = [[1.0], [1.0]], [1, 1]
    >>> round(regret_of([0.0, 0.0], x, y, LinearProduct(), AffineLoss(), 1.0)[0], 9)
    2.0
    """
    x, y = checked_floats("x", x), checked_floats("y", y)
    POSITIVE.number("Bw", Bw)
    loss.check_labels(y)
    if x.ndim != 2 or y.shape != (len(x),):
        raise ValueError(f"x must have a row for each of the labels y, got shape {x.shape}")
    found = _best(_coordinates(x, kernel), y, loss, Bw)
    return float(np.sum(loss.value(y, checked_floats("scores", scores)))) - found.value, found.gap
