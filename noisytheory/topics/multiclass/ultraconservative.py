"""Ultraconservative additive algorithms (Algorithm 1): the multiclass Perceptron family."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.topics.multiclass.steps import STEPS, error_set, refuse_large, steps
from noisytheory.topics.multiclass.units import in_arithmetic_of
from noisytheory.vocabulary.domains import (
    COUNT,
    check_generator,
    checked_numbers,
    checked_reals,
    one_of,
)
from noisytheory.vocabulary.exact import Numbers, over, whole
from noisytheory.vocabulary.threads import on_one_thread

__all__ = ["OnlineRun", "ultraconservative"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class OnlineRun:
    r"""What a run left behind.

    Parameters
    ----------
    weights : array, shape (Q, d)
        A weight vector a class; they sum to 0 if they did at the start.
    updates : int
        Number of mistakes, ties among them.
    largest_step : float
        $T=\max(1+\sum_{r\in E}\tau_r^2)\le2$ over the updates; 0 without one.
    clean : bool
        Whether the last pass made no mistake.

    Examples
    --------
    >>> run = ultraconservative(np.eye(3), [0, 1, 2], 3, step="uniform", passes=2)
    >>> run.updates, run.largest_step, run.clean
    (3, 1.5, True)
    >>> run.weights.sum(axis=0).tolist()
    [0.0, 0.0, 0.0]
    """

    weights: Floats
    updates: int
    largest_step: float
    clean: bool


@on_one_thread
def ultraconservative(
    points: Numbers,
    labels: ArrayLike,
    classes: int,
    *,
    step: str = "worst",
    passes: int = 1,
    start: Numbers | None = None,
    order: Iterable[int] | None = None,
    rng: np.random.Generator | None = None,
) -> OnlineRun:
    r"""Run over the examples, and learn from those whose class does not win outright.

    Parameters
    ----------
    points : array-like or sparse matrix, shape (n, d)
        Of fractions the run is exact.
    labels : array-like of int, shape (n,)
        Classes, 0 to Q - 1.
    classes : int
        Number of classes, Q.
    step : str
        A rule of `nt.multiclass.STEPS`; "predicted" is the class of largest score, and
        "forced" the same, as that class is in the error set.
    passes : int
        Number of passes at most; stops after one without a mistake.
    start : array-like, shape (Q, d), optional
        Weights to start from, 0 by default.
    order : iterable of int, optional
        Examples of each pass, in turn; as they came by default.
    rng : Generator, optional
        For ``step="random"``.

    Returns
    -------
    OnlineRun

    Raises
    ------
    ValueError
        On shapes that do not fit, a label that is no class, or an order of examples that are none.

    Notes
    -----
    Algorithm 1; print updates by $x_q$ where $x_t$ is meant. A tie counts as a mistake.

    Examples
    --------
    >>> ultraconservative(np.eye(4), [0, 1, 0, 1], 2).updates
    4
    """
    COUNT.check("classes", classes)
    COUNT.check("passes", passes)
    sparse = hasattr(points, "tocsr")
    x: Any = points.tocsr() if sparse else checked_numbers("points", points)
    if sparse:
        checked_reals("points", x.data)
        if not x.has_canonical_format:
            # An index that a row holds twice would be counted once in an update.
            x = x.copy()
            x.sum_duplicates()
    y = np.asarray(labels)
    if x.ndim != 2 or y.shape != (x.shape[0],):
        raise ValueError(f"points and labels must fit, got shapes {x.shape} and {y.shape}")
    if y.dtype.kind not in "iu" or (y.size and not (y.min() >= 0 and y.max() < classes)):
        raise ValueError(f"labels must be classes 0 to {classes - 1}")
    one_of("step", step, STEPS)
    if rng is not None:
        check_generator(rng)
    turn = np.arange(x.shape[0]) if order is None else np.array([*order])
    if turn.size and (
        turn.ndim != 1 or turn.dtype.kind not in "iu" or not 0 <= turn.min() <= turn.max() < len(y)
    ):
        raise ValueError(f"order must hold examples 0 to {len(y) - 1}, got {turn}")
    exact = x.dtype == object
    if not exact and x.size:
        refuse_large(float(abs(x.data if sparse else x).max(initial=0.0)))
    weights: Any = np.zeros((classes, x.shape[1]), object if exact else float)
    if start is not None:
        first = in_arithmetic_of(x, checked_numbers("start", start))
        if first.shape != weights.shape or not np.all(abs(first) < np.inf):
            raise ValueError(
                f"start must be finite and of shape {weights.shape}, got {first} of {first.shape}"
            )
        weights += first
    unit = parts = 1
    if exact:
        # In whole numbers: only which score is larger matters.
        (x, of_points), (weights, of_weights) = whole(x), whole(weights)
        unit = math.lcm(of_points, of_weights)
        x, weights = x * (unit // of_points), weights * (unit // of_weights)
    truth = y.astype(int).tolist()
    updates, clean = 0, False
    largest: Any = 0
    at: Any
    point: Any
    every = slice(None)
    for _ in range(passes):
        clean = True
        for i in turn.tolist():
            if sparse:
                row = slice(x.indptr[i], x.indptr[i + 1])
                at, point = x.indices[row], x.data[row]
            else:
                at, point = every, x[i]
            scores = weights[:, at] @ point
            # Most examples err in none but their own class.
            if np.count_nonzero(scores >= scores[truth[i]]) == 1:
                continue
            erring = error_set(scores, truth[i])
            winner = int(np.argmax(np.where(erring, scores, -math.inf)))
            tau = in_arithmetic_of(
                x, steps(scores, truth[i], erring, step, predicted=winner, rng=rng)
            )
            updates += 1
            largest = max(largest, tau @ tau)
            if exact:
                # Weights stay whole numbers, of a finer unit where a step asks for one.
                finer = math.lcm(parts, *[taken.denominator for taken in tau])
                if finer > parts:
                    parts, weights = finer, weights * (finer // parts)
                tau = np.array([int(taken * parts) for taken in tau], dtype=object)
            weights[:, at] += tau[:, None] * point
            clean = False
        if clean:
            break
    if exact:
        return OnlineRun(over(weights, unit * parts), updates, largest, clean)
    return OnlineRun(weights, updates, float(largest), clean)
