r"""The best fixed predictor of a ball in hindsight, with a certificate of how near it is."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.vocabulary.analytic import AnalyticLoss
from noisytheory.vocabulary.domains import POSITIVE, checked_floats
from noisytheory.vocabulary.dot_products import DotProduct

__all__ = ["Comparator", "best_in_ball", "regret_of"]

Floats = NDArray[np.float64]
DROPPED = 1e-12
"""Squares of what is left of a feature, relative to the largest feature, that count as none."""
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
    minimum, for every convex loss. A step takes one product with the matrix, $O(T^2)$; how many
    steps there are does not grow with T.

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
        If the matrix is not square, of the number of labels, or has a negative number on its
        diagonal, or a label of a classification loss is neither 1 nor -1.

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
    if (least := float(np.diag(gram).min(initial=0.0))) < 0:
        raise ValueError(f"gram must have squared norms on its diagonal, got {least:g}")
    return _best(gram.__matmul__, y, loss, Bw, tolerance, steps)


def _coordinates(x: Floats, kernel: DotProduct) -> Floats | None:
    """Coordinates of T instances by pivots, in O(T r^2); None where they are not few."""
    T = len(x)
    left = np.concatenate([
        np.diagonal(kernel.gram(part, part)) for part in np.array_split(x, max(1, T // 128))
    ])
    most, found = DROPPED * left.max(), np.empty((0, T))
    for r in range(min(COORDINATES, T // 16) + 1):
        pivot = int(np.argmax(left))
        if left[pivot] <= most:
            return np.ascontiguousarray(found[:r].T)
        if r == len(found):
            found = np.concatenate([found, np.empty((max(r, 16), T))])
        row = kernel.gram(x[pivot : pivot + 1], x)[0] - found[:r, pivot] @ found[:r]
        found[r] = row / math.sqrt(left[pivot])
        left = left - np.square(found[r])
        left[pivot] = 0.0
    return None


def _best(
    gram: Callable[[Floats], Floats], y: Floats, loss: AnalyticLoss, Bw: float,
    tolerance: float = 1e-9, steps: int = 20_000,
) -> Comparator:
    """As `best_in_ball`, where `gram` multiplies by the matrix: the only work above O(T) a step.

    A predictor is its coefficients on the instances and its scores, which are linear in them; the
    coefficients of the gradient are the loss's derivatives.
    """
    radius = math.sqrt(Bw)

    def inside(v: Floats) -> Floats:
        square = float(v[0] @ v[1])
        return v if square <= Bw else v * (radius / math.sqrt(square))

    v = np.zeros((2, len(y)))
    ahead, momentum, curvature = v, 1.0, 1.0
    best, best_gap, scores = math.inf, math.inf, v[1]
    for _ in range(steps):
        value, slope = float(np.sum(loss.value(y, ahead[1]))), loss.derivative(y, ahead[1])
        along = np.stack([slope, gram(slope)])
        gap = float(slope @ ahead[1]) + radius * math.sqrt(max(float(slope @ along[1]), 0.0))
        if float(ahead[0] @ ahead[1]) <= Bw * (1 + 1e-12) and gap < best_gap:
            best, best_gap, scores = value, gap, ahead[1]
        if best_gap <= tolerance * max(1.0, abs(best)):
            break
        while True:
            new = inside(ahead - along / curvature)
            move = new - ahead
            reached = float(np.sum(loss.value(y, new[1])))
            model = value + float(slope @ move[1]) + curvature / 2 * float(move[0] @ move[1])
            if reached <= model + 1e-14 * (1 + abs(value)):
                break
            curvature *= 2
        after = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        # A step uphill ends the momentum.
        if float(slope @ (new - v)[1]) > 0:
            ahead, momentum = new, 1.0
        else:
            ahead, momentum = inside(new + (momentum - 1) / after * (new - v)), after
        v = new
        curvature *= 0.95
    return Comparator(best, max(best_gap, 0.0), scores)


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

    Notes
    -----
    $O(Tr(r+d))$ and memory for T r numbers where the features of the instances span r dimensions,
    at most 1,000 and T/16; else $O(T^2)$ a step of the search, and the T x T matrix.

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
    features = _coordinates(x, kernel)
    if features is None:
        found = _best(kernel.gram(x, x).__matmul__, y, loss, Bw)
    else:
        found = _best(lambda slope: features @ (slope @ features), y, loss, Bw)
    return float(np.sum(loss.value(y, checked_floats("scores", scores)))) - found.value, found.gap
