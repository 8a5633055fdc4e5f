r"""UMA (Algorithm 2): ultraconservative steps along update vectors from which noise is taken out.

For a region $A_p$ of points that the current weights give to class $p$,
$z_{pq}=\frac1n\sum_iB_{q,y_i}1\{x_i\in A_p\}x_i$ with $B=C^{-1}$ is an unbiased estimate of the
sum of the points of true class $q$ there: they are wrongly predicted, and $z_{pq}$ corrects them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.topics.multiclass.kept import kept
from noisytheory.topics.multiclass.steps import STEPS, error_set, steps
from noisytheory.vocabulary.confusion import Orientation, columns, inverse_of
from noisytheory.vocabulary.domains import COUNT, NONNEGATIVE, checked_floats

__all__ = ["STRATEGIES", "Run", "class_shares", "uma", "update_vectors"]

Floats: TypeAlias = NDArray[np.float64]

STRATEGIES = ("error", "confusion", "random")
"""How a pair is selected: largest norm (19), largest norm by class share (20), or any."""


@dataclass(frozen=True)
class Run:
    """What a run of `uma` left behind.

    Parameters
    ----------
    weights : array, shape (Q, d)
        A weight vector a class.
    updates, draws : int
        Updates, and pairs that were looked at.
    pairs : array of int, shape (updates, 2)
        Predicted and true class of each update.
    norms : array, shape (updates,)
        Norm of each update vector before any normalisation.
    residual : array, shape (Q, Q)
        Norms of the update vectors at the end, 0 on the diagonal; predictions in rows.
    skipped : int
        Pairs passed over because their error set was empty.
    stopped : str
        "small", every pair's vector is within the tolerance; "no error set", those that are not
        have none; "max_iter".
    shares : array, shape (Q,)
        Estimated shares of the true classes; noise can make them negative.
    """

    weights: Floats
    updates: int
    draws: int
    pairs: NDArray[np.int64]
    norms: Floats
    residual: Floats
    skipped: int
    stopped: str
    shares: Floats


def class_shares(label_shares: ArrayLike, inverse: ArrayLike) -> Floats:
    r"""$\hat\pi=B\hat y/n$: unbiased shares of the true classes; they sum to 1.

    Parameters
    ----------
    label_shares : array-like, shape (..., Q)
        Shares of the noisy labels.
    inverse : array-like, shape (Q, Q)
        $B=C^{-1}$, true classes in rows.

    Returns
    -------
    array, shape (..., Q)
        Not always positive.

    Examples
    --------
    >>> class_shares([0.6, 0.4], [[1.5, -0.5], [-0.5, 1.5]]).round(12).tolist()
    [0.7, 0.3]
    """
    return np.asarray(checked_floats("label_shares", label_shares)
                      @ checked_floats("inverse", inverse).T)


def _checked_sample(points: Any, labels: Any, classes: int) -> tuple[Any, NDArray[Any]]:
    if not hasattr(points, "tocsr"):
        points = np.asarray(points)
        if points.dtype != np.uint8:
            points = checked_floats("points", points)
        if points.ndim != 2 or not len(points):
            raise ValueError(f"points must have shape (n, d) with n >= 1, got {points.shape}")
    else:
        points = points.tocsr()
    given = np.asarray(labels)
    if given.ndim == 2:
        masses = checked_floats("labels", given)
        if masses.shape != (points.shape[0], classes) or masses.min() < 0 or masses.sum() <= 0:
            raise ValueError(
                f"labels as masses must be >= 0 and have shape {(points.shape[0], classes)}, got "
                f"{masses.shape}"
            )
        return points, masses
    if given.shape != (points.shape[0],):
        raise ValueError(
            f"labels must be one a point, {points.shape[0]} of them, got shape {given.shape}"
        )
    if given.dtype.kind not in "iu" or given.min() < 0 or given.max() >= classes:
        raise ValueError(
            f"labels must be classes 0 to {classes - 1}, the confusion has {classes} of them"
        )
    return points, given.astype(np.int64)


def update_vectors(
    points: ArrayLike, labels: ArrayLike, weights: ArrayLike, confusion: ArrayLike, *,
    alpha: float = 0.0, ties: str = "all",
) -> Floats:
    r"""All $z_{pq}$ at once, shape (Q, Q, d), predicted class first.

    Parameters
    ----------
    points : array-like, shape (n, d)
    labels : array-like
        Noisy classes, shape (n,), or masses of (point, noisy label), shape (n, Q).
    weights : array-like, shape (Q, d)
    confusion : array-like, shape (Q, Q)
        Column-stochastic.
    alpha : float
        Functional margin of the regions.
    ties : {"all", "lowest"}
        Whether tied points belong to the regions of all tied classes, as (8) says, or of the
        lowest, as a prediction does.

    Returns
    -------
    array, shape (Q, Q, d)
        With the diagonal, which UMA does not use.

    Examples
    --------
    >>> update_vectors([[1.0, 0.0]], [1], [[1, 0], [0, 0]], [[0.75, 0.25], [0.25, 0.75]])[0, 1]
    array([1.5, 0. ])
    """
    inverse = inverse_of(columns(confusion, "column"))
    start = checked_floats("weights", weights)
    x, y = _checked_sample(points, labels, len(inverse))
    held = kept(x, y, len(inverse), start, alpha=alpha, shared=ties == "all")
    return np.asarray(inverse @ held.sums(np.arange(len(inverse))))


def uma(
    points: Any,
    labels: ArrayLike,
    confusion: ArrayLike,
    *,
    orientation: Orientation | None = None,
    strategy: str = "error",
    step: str = "predicted",
    normalise: bool = False,
    stop: str = "all_pairs",
    tolerance: float = 1e-9,
    max_iter: int = 1000,
    alpha: float = 0.0,
    error_alpha: float = 0.0,
    ties: str = "lowest",
    least_share: float = 0.0,
    start: ArrayLike | None = None,
    rng: np.random.Generator | None = None,
    watch: Callable[[int, Floats], None] | None = None,
) -> Run:
    r"""Learn a linear classifier from confused labels and their confusion matrix.

    Parameters
    ----------
    points : array-like or sparse matrix, shape (n, d)
        The theory asks for norm 1. Large arrays of bytes are taken as they are.
    labels : array-like
        Noisy classes 0 to Q - 1, shape (n,), or masses of (point, noisy label), shape (n, Q): a
        population, or counts.
    confusion : array-like, shape (Q, Q)
        True classes in columns, or as `orientation` says; the identity makes it a batch Perceptron.
    orientation : {"column", "row"}, optional
        As for `noisytheory.vocabulary.confusion.columns`.
    strategy : {"error", "confusion", "random"}
        Which pair next: of the largest $\|z_{pq}\|$, of the largest $\|z_{pq}\|/\hat\pi_q$, or any.
    step : str
        A rule of `noisytheory.multiclass.STEPS`. "predicted" is ultraconservative: down by one for
        the predicted class if it errs on $z$, else for the worst that does. "forced" is always down
        by one for the predicted class: it has a convergence theorem (`uma/prop4-forced`) and
        collapses with an estimated confusion.
    normalise : bool
        Divide $z$ by its norm; mistake bounds need it.
    stop : {"all_pairs", "printed"}
        When no pair is left with $\|z\|$ above the tolerance, or when the one selected is not.
    tolerance : float
        $s\ge0$, in units of the points' norm.
    max_iter : int
        Updates at most; with the printed stop, pairs looked at.
    alpha, error_alpha : float
        Functional margins of regions and error sets. Print has one $\alpha>0$ in both, with which
        nothing ever moves from W = 0.
    ties : {"lowest", "all"}
        Region of tied points: that of the lowest class, or of every tied one.
    least_share : float
        The confusion strategy passes over classes of an estimated share up to this.
    start : array-like, shape (Q, d), optional
        Weights to start from; 0 by default.
    rng : Generator, optional
        For random pairs and steps.
    watch : callable, optional
        Called as ``watch(updates, weights)`` after every update.

    Returns
    -------
    Run

    Raises
    ------
    ValueError
        On shapes that do not fit, labels outside of the confusion, one that cannot be inverted, or
        an unknown choice.

    Notes
    -----
    Scores and sums by (region, label) are kept: an update costs one product of the sample with a
    vector, O(nd), and not O(ndQ).

    Examples
    --------
    >>> x = np.array([[1.0, 0.0], [-1.0, 0.0]])
    >>> masses = np.array([[0.4, 0.1], [0.1, 0.4]])
    >>> run = uma(x, masses, [[0.8, 0.2], [0.2, 0.8]])
    >>> run.updates, np.argmax(x @ run.weights.T, axis=1).tolist()
    (1, [0, 1])
    """
    matrix = columns(confusion, orientation)
    inverse, classes = inverse_of(matrix), len(matrix)
    x, y = _checked_sample(points, labels, classes)
    for name, value in (("tolerance", tolerance), ("alpha", alpha), ("error_alpha", error_alpha),
                        ("least_share", least_share)):
        NONNEGATIVE.check(name, value)
    COUNT.check("max_iter", max_iter)
    for name, chosen, allowed in (
        ("strategy", strategy, STRATEGIES), ("step", step, STEPS),
        ("stop", stop, ("all_pairs", "printed")), ("ties", ties, ("lowest", "all")),
    ):
        if chosen not in allowed:
            raise ValueError(f"{name} must be one of {', '.join(allowed)}, got {chosen!r}")
    if rng is None and "random" in (strategy, step):
        raise ValueError("rng must be given for random pairs or steps")
    weights = np.zeros((classes, x.shape[1]))
    if start is not None:
        weights += checked_floats("start", start)
    held = kept(x, y, classes, weights, alpha=alpha, shared=ties == "all")
    seen = y.sum(axis=0) / y.sum() if y.ndim == 2 else np.bincount(y, minlength=classes) / len(y)
    shares = class_shares(seen, inverse)
    vectors = inverse @ held.sums(np.arange(classes))
    norms = np.sqrt(np.einsum("pqd,pqd->pq", vectors, vectors))
    off = ~np.eye(classes, dtype=bool)
    usable = shares > least_share
    pairs: list[tuple[int, int]] = []
    lengths: list[float] = []
    skipped, stopped, draws, passed = 0, "max_iter", 0, False
    among = off & (norms > tolerance) if stop == "all_pairs" else off
    # The printed stop may look at a pair without an error set for ever.
    while len(pairs) < max_iter and (stop == "all_pairs" or draws < max_iter):
        if stop == "all_pairs" and not among.any():
            stopped = "no error set" if passed else "small"
            break
        p, q = _select(norms, among, strategy, shares, usable, rng)
        draws += 1
        vector, norm = vectors[p, q], float(norms[p, q])
        scores = weights @ vector
        erring = error_set(scores, q, error_alpha)
        if step == "forced" or erring.any():
            tau = steps(scores, q, erring, step, predicted=p, rng=rng)
            if normalise and norm > 0:
                vector = vector / norm
            weights += tau[:, None] * vector
            pairs.append((p, q))
            lengths.append(norm)
            changed = held.update(tau, vector)
            if len(changed):
                vectors[changed] = found = inverse @ held.sums(changed)
                norms[changed] = np.sqrt(np.einsum("pqd,pqd->pq", found, found))
            if stop == "all_pairs":
                among, passed = off & (norms > tolerance), False
            if watch is not None:
                watch(len(pairs), weights)
        else:
            skipped += 1
            if stop == "all_pairs":
                among[p, q], passed = False, True
        if stop == "printed" and norm <= tolerance:
            stopped = "small"
            break
    return Run(
        weights, len(pairs), draws, np.array(pairs, np.int64).reshape(-1, 2), np.array(lengths),
        np.where(off, norms, 0.0), skipped, stopped, shares,
    )


def _select(
    norms: Floats, among: NDArray[np.bool_], strategy: str, shares: Floats,
    usable: NDArray[np.bool_], rng: np.random.Generator | None,
) -> tuple[int, int]:
    """The pair that the strategy takes."""
    if strategy == "random":
        assert rng is not None
        choices = np.flatnonzero(among)
        chosen = int(choices[rng.integers(len(choices))])
    else:
        value = norms
        if strategy == "confusion" and (among & usable).any():
            among = among & usable
            value = norms / np.where(usable, shares, 1.0)
        chosen = int(np.argmax(np.where(among, value, -1.0)))
    return divmod(chosen, len(norms))
