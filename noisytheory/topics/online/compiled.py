"""Rounds of descent, one run after the other, compiled: NumPy's calls cost more than short games.

Written out in loops. Every sum has one order, so no machine rounds it otherwise.
"""

from __future__ import annotations

import math
from typing import Any

from numpy.typing import NDArray

from noisytheory.vocabulary.compiling import njit

__all__ = ["play", "play_few"]


@njit(cache=True)
def _shortened(length: float, square: float, clip: float) -> float:
    """A factor of a vector with this squared norm, so that the product is no longer than `clip`."""
    if length * length * square > clip * clip:
        return length * clip / math.sqrt(length * length * square)
    return length


@njit(cache=True)
def play(
    w: NDArray[Any], state: NDArray[Any], total: NDArray[Any], places: NDArray[Any],
    vectors: NDArray[Any], slopes: NDArray[Any], first: NDArray[Any],
    inner_places: NDArray[Any], inner_vectors: NDArray[Any], labels: NDArray[Any],
    features: NDArray[Any], linear: int, steps: NDArray[Any], seen: NDArray[Any], Bw: float,
    clip: float, adaptive: bool, regression: bool, printed: bool, uneven: bool,
) -> None:
    """Some rounds of Algorithm 1, of every run.

    Parameters
    ----------
    w : array, shape (size, width)
        The predictors, changed.
    state : array, shape (3, size)
        Squared norms, sums of the gradients' squared norms, and the largest squared norms so far.
    total : array, shape (size, d)
        What the linear parts of the predictors add up to, added to.
    places, vectors : array, shape (rounds * size,) and (rounds * size, L)
        The estimates, run by run within a round: which coordinates they have, and of which on.
    slopes : array, shape (rounds * size,)
        What stands before the product of a gradient length.
    first : array, shape (rounds * size + 1,)
        Estimate i has the inner ones first[i] to first[i + 1].
    inner_places, inner_vectors : array, shape (k,) and (k, L)
    labels : array, shape (rounds, size)
    features : array, shape (rounds, width), or (1, width) for all rounds
    linear : int
        The first coordinate of the linear part.
    steps : array, shape (rounds,)
        Unless they are adaptive.
    seen : array, shape (rounds, size)
        Filled with the scores that were played.
    Bw, clip, adaptive
        As in `Rule`.
    regression : bool
        Of the loss.
    printed, uneven : bool
        The projection of the print, which moves predictors that nothing moved, and its gradient.
    """
    rounds, size = labels.shape
    width, long, d = w.shape[1], vectors.shape[1], total.shape[1]
    for i in range(size):
        row, square = w[i], state[0, i]
        for t in range(rounds):
            feature, score, e = features[min(t, features.shape[0] - 1)], 0.0, t * size + i
            for j in range(width):
                score += row[j] * feature[j]
            seen[t, i] = score
            for j in range(d):
                total[i, j] += row[linear + j]
            own, place, length = 0.0, places[e], slopes[e]
            if length != 0:
                for j in range(long):
                    own += vectors[e, j] ** 2
            if own != 0:
                shift = labels[t, i] if regression else 0.0
                for k in range(first[e], first[e + 1]):
                    product = 0.0
                    for j in range(long):
                        product += row[inner_places[k] + j] * inner_vectors[k, j]
                    length *= product - shift
                # A label stands before the product and in each factor, and its square is 1.
                if not regression and (uneven or (first[e + 1] - first[e]) % 2 == 0):
                    length *= labels[t, i]
                length = _shortened(length, own, clip)
                step = steps[t]
                if adaptive:
                    state[1, i] += length * length * own
                    step = math.sqrt(2 * Bw / max(state[1, i], 1e-300))
                change, along = -step * length, 0.0
                for j in range(long):
                    along += row[place + j] * vectors[e, j]
                    row[place + j] += change * vectors[e, j]
                square += 2 * change * along + change * change * own
            # What is in the ball stays there; the printed factor may leave it and is due again.
            if square > Bw and (printed or own != 0):
                shrunk = Bw / square**2 if printed else Bw / square
                for j in range(width):
                    row[j] *= math.sqrt(shrunk)
                square *= shrunk
            state[2, i] = max(state[2, i], square)
        state[0, i] = square


@njit(cache=True)
def play_few(
    w: NDArray[Any], state: NDArray[Any], total: NDArray[Any], x: NDArray[Any],
    drawn: NDArray[Any], labels: NDArray[Any], gamma: NDArray[Any], steps: NDArray[Any],
    seen: NDArray[Any], Bw: float, clip: float, adaptive: bool, regression: bool, known: float,
    together: bool,
) -> None:
    """Some rounds with the linear kernel and few copies, of every run.

    Parameters
    ----------
    w, state, total, labels, steps, seen, Bw, clip, adaptive, regression
        As in `play`.
    x : array, shape (rounds, d)
        Clean instances.
    drawn : array, shape (rounds, size, copies, d)
        Noise.
    gamma : array, shape (2,)
        Of the loss, whose derivative is affine.
    known, together
        As in `few_copies`.
    """
    rounds, size, copies, d = drawn.shape
    for i in range(size):
        row = w[i]
        for t in range(rounds):
            score, product, y = 0.0, 0.0, labels[t, i]
            for j in range(d):
                score += row[j] * x[t, j]
                total[i, j] += row[j]
            seen[t, i] = score
            # The noise of the copy that is scored, and of the one that gives the direction.
            at, along = drawn[t, i, 0], drawn[t, i, copies - 1]
            if together:
                for j in range(d):
                    for k in range(1, copies):
                        at[j] += drawn[t, i, k, j]
                    at[j] /= copies
                along = at
            for j in range(d):
                product += row[j] * (x[t, j] + at[j])
            if regression:
                slope = gamma[0] + gamma[1] * (product - y)
            else:
                slope = y * (gamma[0] + gamma[1] * y * product)
            own = 0.0
            for j in range(d):
                own += (slope * (x[t, j] + along[j]) - 2 * known * row[j]) ** 2
            factor, step, square = _shortened(1.0, own, clip), steps[t], 0.0
            if adaptive:
                state[1, i] += factor * factor * own
                step = math.sqrt(2 * Bw / max(state[1, i], 1e-300))
            for j in range(d):
                row[j] -= step * factor * (slope * (x[t, j] + along[j]) - 2 * known * row[j])
                square += row[j] ** 2
            if square > Bw:
                for j in range(d):
                    row[j] *= math.sqrt(Bw / square)
            state[2, i] = max(state[2, i], min(square, Bw))
