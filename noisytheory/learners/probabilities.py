"""Probabilities from scores: a softmax of their powers, seen through label noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from noisytheory.learners.tiles import Floats
from noisytheory.vocabulary.threads import in_order

__all__ = ["fit_slope", "powers", "softmax"]

PENALTY = 0.5
"""Of the squared slope, of scores of unit size, in examples: where they part the classes, or noise
is large, the likeliest slope is an infinity, or far too steep."""
POWERS = (1.0, 0.5, 0.25, 0.125)
"""Of scores, that are tried: with narrow kernels they spread over many orders of magnitude."""
ALONE = 1 << 16
"""Scores that are not worth another thread: of fewer, threads wait for the interpreter's lock
between short sums, up to ten times longer than one thread takes for all."""


def powers(scores: Floats, power: float) -> Floats:
    """Powers of the sizes of scores, their signs and order kept.

    Examples
    --------
    >>> powers(np.array([-4.0, 0.0, 9.0]), 0.5).tolist()
    [-2.0, 0.0, 3.0]
    """
    return np.asarray(np.sign(scores) * np.abs(scores) ** power)


def softmax(scores: Floats) -> Floats:
    """Probabilities, shape (n, k).

    Examples
    --------
    >>> softmax(np.log([[1.0, 3.0]])).round(12).tolist()
    [[0.25, 0.75]]
    """
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def fit_slope(
    scores: Floats, codes: NDArray[np.intp], weights: Floats, confusion: Floats | None = None,
    workers: int = 1,
) -> tuple[float, float]:
    """Slope and power of scores, for the labels to be likeliest, or those behind them.

    A little below: the squared slope, of scores of unit size, costs as much as half an example.

    Parameters
    ----------
    scores : array, shape (n, k)
    codes : array, shape (n,)
        Labels.
    weights : array, shape (n,)
        Of sum 1.
    confusion : array, shape (k, k), optional
        Of the labels seen, true classes in columns.
    workers : int
        Threads that share the work.

    Examples
    --------
    >>> scores = np.array([[-0.5, 0.5]] * 400)
    >>> slope, power = fit_slope(scores, (np.arange(400) % 4 > 0) + 0, np.full(400, 1 / 400))
    >>> softmax(slope * powers(scores[:1], power)).round(2).tolist()
    [[0.25, 0.75]]
    """
    from scipy.optimize import minimize_scalar

    # A class in each row: sums over few columns are slow.
    columns = np.ascontiguousarray(scores.T)
    seen = np.take(np.eye(len(columns)) if confusion is None else confusion.T, codes, axis=1)
    penalty = PENALTY * float(weights @ weights)

    def best_slope(power: float) -> tuple[float, float, float]:
        raised = powers(columns, power)
        size = float(np.sqrt(weights @ raised.var(axis=0))) or 1.0
        below = (raised - raised.max(axis=0)) / size

        def loss(log_slope: float) -> float:
            slope = np.exp(log_slope)
            shares = np.exp(slope * below)
            likely = (seen * shares).sum(axis=0) / shares.sum(axis=0)
            return float(penalty * slope**2 - weights @ np.log(np.maximum(likely, 1e-300)))

        found = minimize_scalar(loss, bounds=(-5, 5), method="bounded", options={"xatol": 1e-3})
        return float(found.fun), float(np.exp(found.x) / size), power

    workers = min(workers, columns.size // ALONE)
    return min((np.inf, 0.0, 1.0), *in_order(best_slope, POWERS, workers))[1:]
