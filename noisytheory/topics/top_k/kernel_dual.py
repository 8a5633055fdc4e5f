r"""Support vector machines and regression with the average top-k loss, through the dual.

$$\min_\beta\ \tfrac12\beta^\top K\beta-\langle c,\alpha\rangle,\qquad
0\le\alpha_i\le Cq_i,\quad\sum\alpha_i\le C\nu,$$

Appendix B of the paper. The constraint's slack is one more variable, so that every step moves
weight from one variable to another, and the regime is found on the way: slack left means the
average loss.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import LinAlgError, cholesky
from scipy.linalg.lapack import dpstrf

from noisytheory.topics.top_k.aggregate import average_top_k, level
from noisytheory.topics.top_k.central_path import follow
from noisytheory.topics.top_k.collapse import balanced_weights
from noisytheory.topics.top_k.design import Design
from noisytheory.topics.top_k.minimise import NotCertified, checked_C, checked_size, moderate
from noisytheory.topics.top_k.problem import ROUNDING, positive_level
from noisytheory.vocabulary.domains import (
    COUNT,
    POSITIVE,
    Domain,
    check_truth,
    checked_floats,
)
from noisytheory.vocabulary.kernels import Kernel
from noisytheory.vocabulary.threads import on_one_thread

__all__ = [
    "UNGAINED", "KernelSolution", "checked_classes", "checked_gram", "checked_problem",
    "checked_targets", "descended", "kernel_fit", "no_scores", "none_proven",
]

Floats = NDArray[np.float64]

WORKING = 8192
"""Examples whose Gram matrix is held at once (512 MiB of doubles); beyond it by working sets."""
TAIL = Domain(0, 1, include_high=True)
ROUNDED = 1e-9
"""Of an objective, by which a bound may be above it for rounding."""
LEAST = 1e-15
"""Share of the objective at zero that a gap is relative to at least."""
FULL = 1e-12
"""Share of the tail mass that is rounding."""
UNEVEN = 1e-5
"""Of the largest K(x, x), what an entry and the one across the diagonal may differ by."""
SET = 1024
"""Examples of a working set."""
PART, SINGLE = 512, 1e-7
"""Examples of the part of a Gram matrix that is factored to see if it is one, and how far below 0
an eigenvalue may be for each of them, of the largest K(x, x): rounding of single precision.
"""
PATIENCE = 10
"""Steps an example after which few features are looked for."""
SOME = 1.5
"""Examples by which it is told whether they are few, for each of as many as may be."""
SQUARE = 0.5
"""Steps, times the square of the features, that take about as long as the features' central path.
"""
RANK = 1e-14
"""Of the largest K(x, x), what features may leave of any: rounding."""
NEAR, AIM = 0.01, 1e-8
"""Of the gap allowed, from where on points of the central path of features are judged beside the
Gram matrix itself; and what ends it, by when all weights that will are next to their ends.
"""
LOOKED, ENTRIES = 3000, 100_000
"""Examples, and numbers in their features, up to which a linear programme is asked whether no
scores are best.
"""
LOOKS, FOLLOWED = 20, 100
"""Points judged, and steps, at most."""
AGAIN = 16
"""Times the steps until then, that two weights at a time are moved at most where the path left too
large a gap.
"""
THIN = 0.01
"""Share of the gap allowed that weights next to their ends may leave when they are put there."""
CANCELLED = 1e-16
"""Of the largest K(x, x) times the square of all weights, what rounding may hide of theirs."""
UNGAINED = 1e-8
"""Of the objective, the gap from which on more is asked for: of no scores, and of others where
rounding may hide as much.
"""
FIRM = 1e7
"""Times that the largest score which C, k and the kernel allow may be the targets', for most of its
digits to last.
"""
RUNG = 1e3
"""Between two values of C whose solutions are compared where rounding decides."""
TINY = 1e-6
"""Largest score, if it cannot be above this, that the optimality conditions do not see."""


@dataclass(frozen=True)
class KernelSolution:
    r"""Dual weights and what they make.

    Parameters
    ----------
    dual_coef : array, shape (n,)
        $\beta$: the score is $\sum_i\beta_iK(x_i,x)$.
    scores : array, shape (n,)
        On the sample.
    level : float
        $\lambda$; $\rho=1-\lambda$ for the hinge.
    objective, dual : float
        Of (5) in the paper; their difference is the gap.
    relative_gap : float
        Relative to the objective, or to what the scores may gain over none if that is less and the
        regime is not ``"zero"``.
    regime : str
        ``"nu"`` or ``"C"``, or ``"zero"`` where all scores vanish to the tolerance, beside the
        largest that C, k and the kernel allow, or no scores gain more than rounding.
    steps : int
    """

    dual_coef: Floats
    scores: Floats
    level: float
    objective: float
    dual: float
    regime: str
    steps: int
    relative_gap: float

    @property
    def gap(self) -> float:
        """Objective minus dual value."""
        return self.objective - self.dual

    @property
    def support(self) -> NDArray[np.intp]:
        """Examples with a weight."""
        return np.flatnonzero(self.dual_coef)


@on_one_thread
def kernel_fit(
    gram: Floats | Callable[[Any, Any], Any], y: ArrayLike, *, nu: float, C: float,
    points: Any = None, masses: ArrayLike | None = None, regression: bool = False,
    tol: float = 1e-3, start: Floats | None = None, steps: int = 10_000_000, enough: float = 0.0,
) -> KernelSolution:
    """Solve the dual for hinge loss, or for absolute loss.

    Parameters
    ----------
    gram : array, shape (n, n), or callable
        The Gram matrix, or a kernel of two arrays of points. An eigenvalue below 0 by more than
        rounding of single precision, $10^{-5}$ of the largest K(x, x) or $10^{-7}$ for each point,
        is refused, of a part of 512 points if there are more; by less, what is proven is true of a
        matrix so near.
    y : array_like, shape (n,)
        1 or -1, or numbers.
    nu : float
        Tail mass in (0, 1].
    C : float
        Above 0.
    points : array, shape (n, d), optional
        Needed with a kernel.
    masses : array_like, shape (n,), optional
        With sum 1; uniform by default.
    regression : bool
        Absolute in place of hinge loss.
    tol : float
        Largest violation of the optimality conditions, in the unit of a score; less where that
        leaves a relative gap above ten times this. Of a linear problem in few features, see the
        notes, only the gap is asked for; and of a gap that is $10^{-12}$ of the objective, or
        $10^{-8}$ of no scores or where rounding may hide as much, nothing. Less than $10^{-12}$
        counts as so much.
    start : array, shape (n,), optional
        Dual coefficients to begin with, where the Gram matrix is held at once.
    steps : int
        Of two weights each, at most.
    enough : float
        Gap that is not made smaller, whatever the tolerance asks.

    Returns
    -------
    KernelSolution

    Raises
    ------
    ValueError
        If an argument leaves its range, labels are of one class, or the matrix is no Gram matrix of
        as many points.

    Warns
    -----
    NotCertified
        If conditions or gap were not met within the steps.

    Notes
    -----
    A smooth kernel's Gram matrix is that of few features, but for rounding, and at a huge C moving
    two weights at a time takes millions of steps. After 10 steps an example, of which it mostly
    takes some tens, the linear problem in these features is solved by interior point, as soon as
    the steps taken are half the square of their number. What is returned is measured beside the
    Gram matrix itself, and never worse than no scores. Of a C so huge that rounding leaves nothing
    certified the solutions at smaller ones are compared, each at a thousand times the last C, from
    one whose digits last until one is no better.

    Examples
    --------
    >>> X = np.array([[1.0], [2.0], [-1.0]])
    >>> found = kernel_fit(X @ X.T, [1, 1, -1], nu=1.0, C=1.0, tol=1e-9)
    >>> round(found.objective, 6), (X.T @ found.dual_coef).round(6).tolist()
    (0.444444, [0.666667])
    """
    nu, tol = TAIL.number("nu", nu), max(POSITIVE.number("tol", tol), ROUNDING)
    COUNT.number("steps", steps)
    if not (isinstance(enough, int | float | np.number) and enough >= 0):
        raise ValueError(f"enough must be a number >= 0, got {enough!r}")
    matrix, labels = checked_problem(gram, points, y, C, regression, WORKING)
    C, n = float(C), len(labels)
    weights = None if masses is None else checked_floats("masses", masses)
    if weights is not None:
        with np.errstate(over="ignore", invalid="ignore"):
            total = float(weights.sum())
        # Of a NaN nothing is true.
        if weights.shape != (n,) or not (weights.min() >= 0 and abs(total - 1) <= 1e-9):
            raise ValueError(f"masses must be {n} numbers >= 0 of sum 1, got shape "
                             f"{weights.shape} and sum {total:g}")
    checked_classes(labels, regression, weights)
    if start is not None:
        start = checked_floats("start", start)
        if start.shape != (n,) or not np.isfinite(start).all():
            raise ValueError(f"start must be {n} finite numbers, got shape {start.shape}"
                             f"{' with others' * (start.shape == (n,))}")
    found, violation = descended(
        gram if matrix is None else matrix, points, labels, weights, nu=nu, C=C,
        regression=regression, tol=tol, start=None if matrix is None else start, steps=steps,
        allowed=lambda unit, *_: max(10 * tol * unit, enough))
    if matrix is not None and found.relative_gap > 10 * tol and (
            found.gap > enough and found.steps < steps):
        largest = nu * float(np.diagonal(matrix).max())
        firm = FIRM * float(np.abs(labels).max()) / largest if largest > 0 else np.inf
        found = _climbed(
            found, lambda C: descended(
                matrix, points, labels, weights, nu=nu, C=C, regression=regression, tol=tol,
                start=None, steps=steps, allowed=lambda unit, *_: 10 * tol * unit)[0],
            min(firm, C / RUNG), labels, weights, nu, C, regression)
    found = _no_worse_than_none(found, labels, weights, nu, regression)
    if not found.dual_coef.any() and found.relative_gap > tol and matrix is not None:
        dual = min(none_proven(matrix, labels, weights, nu, C, regression), found.objective)
        if found.objective - dual <= UNGAINED * found.objective:
            return replace(found, dual=dual, relative_gap=1 - dual / found.objective)
    # What rounding may hide is not asked for, where it is next to nothing.
    hidden = 0.0 if matrix is None else 2 * _square(
        0.0, found.dual_coef, float(np.diagonal(matrix).max())) / (2 * C)
    if found.gap <= max(ROUNDING * found.objective, min(hidden, UNGAINED * found.objective)):
        return found
    if violation > tol:
        warnings.warn(f"optimality is violated by {violation:.1e} in place of {tol:.0e}",
                      NotCertified, stacklevel=3)
    elif found.relative_gap > 10 * tol and found.gap > enough:
        warnings.warn(f"relative duality gap {found.relative_gap:.1e} in place of {10 * tol:.0e} "
                      f"(k/n={nu:g}, C={C:g})", NotCertified, stacklevel=3)
    return found


@np.errstate(over="ignore", invalid="ignore")
def none_proven(
    matrix: Floats, labels: Floats, masses: Floats | None, nu: float, C: float, regression: bool
) -> float:
    """What weights prove that balance the points: where no scores are best, as much as these lose.

    Of the hinge no scores are best at every tail mass up to this. 0 where there are too many points
    to ask.
    """
    if len(labels) > LOOKED:
        return 0.0
    rows, n = _features(matrix), len(labels)
    if rows.size > ENTRIES:
        return 0.0
    q = np.full(n, 1 / n) if masses is None else masses
    z = labels[:, None] * rows
    worth = np.ones(n)
    if regression:
        z, q = np.vstack([rows, -rows]), np.tile(q, 2)
        worth = np.concatenate([labels, -labels]) / max(float(np.abs(labels).max()), 1e-300)
    try:
        p, _ = balanced_weights(z, q, nu, worth)
    except RuntimeError:
        return 0.0  # not solved: of points of very different sizes
    p *= min(nu / max(float(p.sum()), 1e-300), 1.0)
    beta = p[:n] - p[n:] if regression else labels * p
    # Points that are alike cancel exactly.
    _, first, which = np.unique(matrix, axis=0, return_index=True, return_inverse=True)
    apart = np.asarray(np.bincount(which.ravel(), beta), float)
    inner = matrix[np.ix_(first, first)]
    return float(labels @ beta - 0.5 * C * _square(
        float(apart @ inner @ apart), apart, float(inner.diagonal().max())))


def _square(norm: float, beta: Floats, largest: float) -> float:
    """At most the square of what these weights make: large numbers may cancel in what it was found
    to be.
    """
    size = np.square(np.abs(beta).sum())
    return float(max(norm, 0.0) + CANCELLED * largest * size)


@np.errstate(over="ignore", invalid="ignore")
def _climbed(
    found: KernelSolution, solved: Callable[[float], KernelSolution], firm: float, labels: Floats,
    masses: Floats | None, nu: float, C: float, regression: bool,
) -> KernelSolution:
    """This one or, at a C so huge that rounding decides, the best of those at smaller C, each a
    thousand times the last, until one is no better.
    """
    best, least = None, np.inf
    while 0 < firm < C:
        other = solved(firm)
        losses = np.abs(labels - other.scores) if regression else np.maximum(
            1 - labels * other.scores, 0)
        value = nu * float(average_top_k(losses, float(nu), masses)) + float(
            other.dual_coef @ other.scores) / (2 * C)
        if not value < (1 - ROUNDED) * least:
            break
        best, least, firm = other, value, RUNG * firm
    none = no_scores(found, labels, masses, nu, regression).objective
    if best is None or not least < min(found.objective, (1 - ROUNDED) * none):
        return found
    unit = max(min(least, none - found.dual), LEAST * none, 1e-300)
    dual = min(found.dual, least)
    return replace(
        found, dual_coef=best.dual_coef, scores=best.scores, level=best.level, objective=least,
        dual=dual, regime=best.regime, relative_gap=(least - dual) / unit)


def no_scores(
    found: KernelSolution, labels: Floats, masses: Floats | None, nu: float, regression: bool
) -> KernelSolution:
    """No scores at all, in place of those that were found, beside what they prove."""
    losses = np.abs(labels) if regression else np.ones(len(labels))
    size, zero = nu * float(average_top_k(losses, float(nu), masses)), np.zeros(len(labels))
    gap = max(size - found.dual, 0.0)
    flat = found.regime == "zero" or gap <= ROUNDING * size
    end = 0.0 if nu >= 1 - FULL else level(losses, float(nu), masses)[1]
    return replace(
        found, dual_coef=zero, scores=zero, level=float(end), objective=size,
        dual=min(found.dual, size),
        regime=found.regime if regression else "zero", relative_gap=gap / max(
            size if flat else gap, 1e-300))


def _no_worse_than_none(
    found: KernelSolution, labels: Floats, masses: Floats | None, nu: float, regression: bool
) -> KernelSolution:
    """No scores at all, where those that were found are worse."""
    none = no_scores(found, labels, masses, nu, regression)
    # Rounding alone does not make a model worse.
    most = none.objective * (1 if found.regime == "zero" else 1 + ROUNDING)
    return found if found.objective <= most else none


# At a C so huge that numbers overflow nothing is proven, which is told.
@np.errstate(over="ignore", invalid="ignore")
def descended(
    gram: Any, points: Any, labels: Floats, masses: Floats | None, *, nu: float, C: float,
    regression: bool, tol: float, start: Floats | None, steps: int,
    allowed: Callable[[float, float, float], float], scores: Floats | None = None,
    fall: float = 0.1,
) -> tuple[KernelSolution, float]:
    """The solution of what is checked, and how much it violates optimality.

    The gap allowed is told from what gaps are relative to, the objective and the gain; the
    violation falls by a factor until it is kept. Weights that come with their scores are feasible.
    """
    n, matrix = len(labels), None if callable(gram) else gram
    diagonal = None if matrix is None else np.ascontiguousarray(np.diagonal(matrix)).astype(float)
    largest = _own(gram, points) if diagonal is None else float(diagonal.max())
    times = 0.0 if regression else C * nu * largest
    if 0 < times < TINY:
        # No margin reaches 1 even at C / times, so all that is found grows in proportion to C.
        one, violation = descended(
            gram, points, labels, masses, nu=nu, C=C / times, regression=False, tol=tol,
            start=None if start is None else start / times, steps=steps, fall=fall,
            allowed=lambda unit, value, gain: allowed(
                times * unit, nu - times * (nu - value), times * gain) / times)
        return replace(
            one, dual_coef=times * one.dual_coef, scores=times * one.scores,
            level=1 - times * (1 - one.level), objective=nu - times * (nu - one.objective),
            dual=nu - times * (nu - one.dual)), violation
    q = np.full(n, 1 / n) if masses is None else masses
    if regression:
        index = np.tile(np.arange(n), 2)
        signs, upper = np.repeat([1.0, -1.0], n), np.tile(q, 2)
        c = np.concatenate([labels, -labels])
    else:
        index, signs, c, upper = np.arange(n), labels, np.ones(n), q
    upper = C * upper
    cap = C * nu
    alpha, slack = np.zeros(len(c)), cap
    if not np.isfinite(largest):
        raise ValueError("gram must be finite, got an infinity or NaN")

    def feasible(beta: Floats) -> tuple[Floats, float]:
        """Weights of dual coefficients, and what they leave of the tail mass."""
        wanted = np.concatenate([beta, -beta]) if regression else signs * beta
        alpha = np.clip(wanted, 0.0, upper)
        # Of weights that fill it all but for rounding each would move by next to nothing.
        if float(alpha.sum()) > cap * (1 + FULL):
            alpha *= cap / float(alpha.sum())
        slack = cap - float(alpha.sum())
        return alpha, slack if slack > FULL * cap else 0.0

    if start is not None and matrix is not None:
        alpha, slack = feasible(start)
        scores = matrix @ np.bincount(index, signs * alpha, n) if scores is None else scores.copy()
    else:
        scores = np.zeros(n)
    none = np.abs(labels) if regression else np.ones(n)

    def aggregate(losses: Floats) -> float:
        return nu * float(average_top_k(losses, float(nu), masses))

    size, taken, within = max(aggregate(none), 1e-300), 0, tol

    def measured(alpha: Floats, scores: Floats | None) -> _Measured:
        """What these weights make and prove."""
        beta = np.asarray(np.bincount(index, signs * alpha, n), float)
        scores = matrix @ beta if scores is None else scores
        norm = float(beta @ scores)
        objective = aggregate(np.abs(labels - scores) if regression else np.maximum(
            1 - labels * scores, 0)) + norm / (2 * C)
        if not (np.isfinite(objective) and norm >= -ROUNDED * objective * C):
            objective = np.inf
        dual = float(c @ alpha) / C - _square(norm, beta, largest) / (2 * C)
        if not dual <= min(objective, size) * (1 + ROUNDED):
            # At a C so huge that squares are rounding nothing is proven.
            dual = 0.0
        dual = max(dual, 0.0)  # no loss is less
        # A small C or k makes small scores that are not 0: at most C nu times the largest K(x, x).
        none_better = size - dual <= ROUNDING * size
        flat = not regression and (none_better or float(
            np.abs(scores).max(initial=0.0)) <= tol * min(1.0, cap * max(largest, 1e-300)))
        unit = max(objective if flat or none_better else min(objective, size - dual), LEAST * size)
        share = (objective - dual) / max(allowed(unit, objective, size - dual), 1e-300)
        return _Measured(alpha, beta, scores, objective, dual, flat, unit, share)

    turn = PATIENCE * n if matrix is not None else steps
    features, other, end = None, None, np.nan
    while True:
        most = min(steps, turn) - taken
        if matrix is not None:
            slack, more, violation = _descend()(
                matrix, diagonal, signs, c, upper, alpha, slack, scores, within, most)
        else:
            slack, more, violation = _by_sets(
                gram, points, index, signs, c, upper, alpha, slack, scores, within, most)
        taken += int(more)
        # What every step adds is rounded, much at a huge C.
        found = measured(alpha, None if matrix is not None and taken else scores)
        scores = found.scores
        if taken >= steps or within < 1e-13 or (found.share <= 1 and violation <= tol):
            break
        if taken >= turn:
            if features is None and matrix is not None:
                count = min(n, int(SOME * np.sqrt(taken / SQUARE)))
                some = np.linspace(0, n - 1, count).astype(int)
                few = _features(matrix[np.ix_(some, some)])
                turn = int(SQUARE * few.shape[1] ** 2)
                if taken >= turn:
                    features = few if count == n else _features(matrix)
                    turn = int(SQUARE * features.shape[1] ** 2)
            if features is not None and taken >= turn:
                beta, end, more = _followed(
                    features, labels, q, nu, C, regression, size,
                    lambda beta: measured(feasible(beta)[0], None).share, allowed)
                other = measured(feasible(beta)[0], None)
                taken += more
                if other.share <= 1:
                    break
                # At the end of the arithmetic of features steps may still mend something.
                turn = steps = min(steps, AGAIN * taken)
                if other.share < found.share:
                    (alpha, slack), scores = feasible(other.beta), other.scores.copy()
        elif violation > within:
            break
        else:
            within *= fall
    lam = np.nan
    if other is not None and other.share < max(found.share, 1.0):
        found, slack, violation = other, feasible(other.beta)[1], 0.0
        lam = float(positive_level(end, slack / C, nu, found.objective))
        slack = 0.0 if lam else slack
    alpha, scores = found.alpha, found.scores
    gradient = signs * scores[index] - c
    lower = gradient[alpha > 0].max(initial=-np.inf)
    higher = gradient[alpha < upper].min(initial=np.inf)
    if slack > 1e-9 * cap:
        lam = 0.0
    elif np.isnan(lam):
        ends = [x for x in (-lower, -higher) if np.isfinite(x)]
        lam = max(0.0, float(np.mean(ends))) if ends else 0.0
    regime = "zero" if found.flat else ("nu" if slack <= 1e-9 * cap else "C")
    # No objective is below what is proven, but for rounding.
    dual = min(found.dual, found.objective)
    return KernelSolution(
        found.beta, scores, lam, found.objective, dual, regime, taken,
        (found.objective - dual) / found.unit,
    ), float(violation)


@dataclass(frozen=True)
class _Measured:
    """Weights, what they make and prove, and the gap as a share of what is allowed."""

    alpha: Floats
    beta: Floats
    scores: Floats
    objective: float
    dual: float
    flat: bool
    unit: float
    share: float


def _features(matrix: Any) -> Floats:
    """Rows whose inner products are the Gram matrix, by a pivoted Cholesky factor."""
    matrix = np.asarray(matrix, float)
    factor, order, rank, _ = dpstrf(
        matrix.T, tol=RANK * float(np.diagonal(matrix).max()), lower=1)
    rows = np.empty((len(matrix), rank))
    rows[order - 1] = np.tril(factor[:, :rank])
    return rows


def _followed(
    features: Floats, labels: Floats, q: Floats, nu: float, C: float, regression: bool,
    size: float, share: Callable[[Floats], float],
    allowed: Callable[[float, float, float], float],
) -> tuple[Floats, float, int]:
    """Dual coefficients of the linear problem in these features, the level, and steps.

    Points are judged by the share that their gap is of what is allowed beside the Gram matrix.
    """
    kept = np.flatnonzero(q > 0)
    rows, y, u = features[kept], labels[kept], q[kept]
    if regression:
        design, c, u = Design(rows, doubled=True), np.concatenate([y, -y]), np.tile(u, 2)
    else:
        design, c = Design(rows, y), np.ones(len(y))
    best, least, looks = np.zeros(len(q)), np.inf, 0

    def enough(w: Floats, alpha: Floats, primal: float, dual: float) -> bool:
        nonlocal best, least, looks
        gain = size - dual
        unit = max(min(primal, gain), LEAST * size)
        if primal - dual > NEAR * allowed(unit, primal, gain) and gain > ROUNDING * size:
            return False
        beta = np.zeros(len(q))
        beta[kept] = C * design.folded(alpha)
        looks += 1
        new = share(beta)
        if new < least:
            best, least = beta, new
        return least <= AIM or looks >= LOOKS

    # Where residuals all count there is no threshold.
    start = (np.zeros(rows.shape[1]), None, size) if regression and nu >= 1 - FULL else None
    _, alpha, lam, steps = follow(
        design, lambda f: (c - design.signed(f), design, None), u, nu,
        np.full(rows.shape[1], 1 / C), enough, most=FOLLOWED, start=start)
    if not looks:
        best[kept] = C * design.folded(alpha)
        least = share(best)
    ends = C * q
    for near in 10.0 ** np.arange(-2, -10, -1):
        size_of = np.abs(best)
        thin = np.where(size_of <= near * ends, 0.0, best)
        thin = np.where(size_of >= (1 - near) * ends, np.sign(best) * ends, thin)
        if share(thin) <= max(THIN, least):
            return thin, lam, steps
    return best, lam, steps


def _own(gram: Any, points: Any) -> float:
    """The largest kernel value of a point with itself."""
    if not callable(gram):
        return float(np.diagonal(gram).max())
    return max(float(gram(point[None], point[None])[0, 0]) for point in points)


def checked_problem(
    gram: Any, points: Any, y: ArrayLike, C: float, regression: bool, working: float = np.inf
) -> tuple[Any, Floats]:
    """The Gram matrix, if of so many examples at most, and the labels, or a ValueError."""
    check_truth("regression", regression)
    labels = checked_targets(y, regression)
    n = len(labels)
    checked_C(C)
    if not callable(gram):
        return checked_gram(gram, n), labels
    if np.ndim(points) != 2 or len(points) != n:
        raise ValueError(f"points must be {n} rows, one for each label, got shape "
                         f"{np.shape(points)}")
    matrix = np.ascontiguousarray(gram(points, points), float) if n <= working else None
    # Our kernels are semidefinite, and no entry of theirs is beyond the diagonal.
    if matrix is not None and not isinstance(gram, Kernel):
        checked_gram(matrix, n)
    return matrix, labels


def checked_gram(gram: Any, n: int) -> Floats:
    """The Gram matrix of n points, or a ValueError where it can be none."""
    matrix = np.ascontiguousarray(checked_floats("gram", gram))
    if matrix.shape != (n, n):
        raise ValueError(f"gram must have shape ({n}, {n}), got {matrix.shape}")
    low, high = moderate("gram", matrix)
    largest, own = max(high, -low), np.diagonal(matrix)
    if own.min() < 0 or largest > (1 + 1e-9) * own.max():
        raise ValueError("gram must be positive semidefinite, got an entry beyond the diagonal's")
    for first in range(0, n, SET):
        some = slice(first, first + SET)
        apart = np.abs(matrix[some] - matrix[:, some].T).max(axis=1)
        if apart.max() > UNEVEN * own.max():
            i = int(apart.argmax())
            j = int(np.abs(matrix[first + i] - matrix[:, first + i]).argmax())
            raise ValueError(f"gram must be symmetric, got {matrix[first + i, j]:g} and "
                             f"{matrix[j, first + i]:g} at {first + i}, {j}")
    # A part of a Gram matrix is one, too.
    chosen = np.linspace(0, n - 1, min(n, PART)).astype(int)
    part = matrix[np.ix_(chosen, chosen)]
    least = max(UNEVEN, SINGLE * len(part)) * max(own.max(), 1e-300)
    try:
        cholesky(part + least * np.eye(len(part)), check_finite=False)
    except LinAlgError as error:
        raise ValueError(f"gram must be positive semidefinite, got an eigenvalue of "
                         f"{np.linalg.eigvalsh(part)[0]:.2g}") from error
    return matrix


def checked_targets(y: Any, regression: bool) -> Floats:
    """Labels that the hinge or the absolute loss can take, or a ValueError."""
    labels = checked_floats("y", y)
    if labels.ndim != 1 or not labels.size:
        raise ValueError(f"y must be a list of numbers, got shape {labels.shape}")
    checked_size("y", *moderate("y", labels))
    wrong = labels[np.abs(labels) != 1]
    if not regression and wrong.size:
        raise ValueError(f"y must be 1 or -1 for the hinge loss, got {wrong[0]:g}")
    checked_classes(labels, regression)
    return labels


def checked_classes(
    labels: Floats, regression: bool, masses: Floats | None = None
) -> None:
    """A ValueError where labels are of one class, or all that have weight."""
    if regression:
        return
    if np.ptp(labels) == 0:
        raise ValueError(f"y must hold both classes, got only {labels[0]:g}")
    if masses is not None and np.ptp(labels[masses > 0]) == 0:
        raise ValueError("y must hold both classes with weight, got one class only")


def _by_sets(
    kernel: Any, points: Any, index: Any, signs: Floats, c: Floats, upper: Floats, alpha: Floats,
    slack: float, scores: Floats, tol: float, steps: int,
) -> tuple[float, int, float]:
    """Solve on the examples that violate most, again and again; memory is that of their rows."""
    taken, violation = 0, np.inf
    for _ in range(1000):
        gradient = signs * scores[index] - c
        up = np.where(alpha < upper, gradient, np.inf)
        down = np.where(alpha > 0, gradient, -np.inf)
        low, high = min(up.min(), 0.0 if slack < np.inf else np.inf), down.max()
        high = max(high, 0.0 if slack > 0 else -np.inf)
        violation = high - low
        if violation <= tol or taken >= steps:
            break
        half = SET // 2
        chosen = np.unique(index[np.concatenate(
            [np.argpartition(up, half)[:half], np.argpartition(-down, half)[:half]])])
        rows = np.ascontiguousarray(kernel(points[chosen], points))
        inner = np.ascontiguousarray(rows[:, chosen])
        where = np.flatnonzero(np.isin(index, chosen))
        position = np.searchsorted(chosen, index[where])
        before = alpha[where].copy()
        part, local = before.copy(), scores[chosen].copy()
        slack, more, _ = _descend()(
            inner, np.ascontiguousarray(np.diagonal(inner)), signs[where], c[where],
            upper[where], part, slack, local, max(0.1 * violation, 0.5 * tol), steps)
        alpha[where] = part
        change = np.bincount(position, signs[where] * (part - before), len(chosen))
        scores += change @ rows
        taken += int(more)
    return slack, taken, float(violation)


def _descend() -> Any:
    """The compiled loop; loaded here, as a compiler is slow to import."""
    from noisytheory.topics.top_k.kernel_steps import descend

    return descend
