r"""Support vector machines and regression with the average top-k loss, through the dual.

$$\min_\beta\ \tfrac12\beta^\top K\beta-\langle c,\alpha\rangle,\qquad
0\le\alpha_i\le Cq_i,\quad\sum\alpha_i\le C\nu,$$

Appendix B of the paper. The constraint's slack is one more variable, so that every step moves
weight from one variable to another, and the regime is found on the way: slack left means the
average loss.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.topics.top_k.minimise import NotCertified

__all__ = ["KernelSolution", "kernel_fit"]

Floats = NDArray[np.float64]

WORKING = 8192
"""Examples whose Gram matrix is held at once (512 MiB of doubles); beyond it by working sets."""
SET = 1024
"""Examples of a working set."""
LANES = 32
"""Extremes that are followed side by side."""
LEAST = 1e-12
"""Curvature along a pair at least."""
FAR = 1e200
"""What keeps a variable out of the choice."""


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
    regime : str
        ``"nu"`` or ``"C"``, or ``"zero"`` where all scores vanish to the tolerance.
    steps : int
    """

    dual_coef: Floats
    scores: Floats
    level: float
    objective: float
    dual: float
    regime: str
    steps: int

    @property
    def gap(self) -> float:
        """Objective minus dual value."""
        return self.objective - self.dual

    @property
    def support(self) -> NDArray[np.intp]:
        """Examples with a weight."""
        return np.flatnonzero(self.dual_coef)


def kernel_fit(
    gram: Floats | Callable[[Any, Any], Any], y: ArrayLike, *, nu: float, C: float,
    points: Any = None, masses: ArrayLike | None = None, regression: bool = False,
    tol: float = 1e-3, steps: int = 10_000_000,
) -> KernelSolution:
    """Solve the dual for hinge loss, or for absolute loss.

    Parameters
    ----------
    gram : array, shape (n, n), or callable
        The Gram matrix, or a kernel of two arrays of points.
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
        Largest violation of the optimality conditions, in the unit of a score.
    steps : int
        At most.

    Returns
    -------
    KernelSolution

    Warns
    -----
    NotCertified
        If the conditions were not met within the steps.

    Examples
    --------
    >>> X = np.array([[1.0], [2.0], [-1.0]])
    >>> found = kernel_fit(X @ X.T, [1, 1, -1], nu=1.0, C=1.0, tol=1e-9)
    >>> round(found.objective, 6), (X.T @ found.dual_coef).round(6).tolist()
    (0.444444, [0.666667])
    """
    labels = np.asarray(y, float)
    n = len(labels)
    q = np.full(n, 1 / n) if masses is None else np.asarray(masses, float)
    if regression:
        index = np.tile(np.arange(n), 2)
        signs, upper = np.repeat([1.0, -1.0], n), np.tile(q, 2)
        c = np.concatenate([labels, -labels])
    else:
        index, signs, c, upper = np.arange(n), labels, np.ones(n), q
    upper = C * upper
    cap = C * nu
    alpha, slack = np.zeros(len(c)), cap
    scores = np.zeros(n)
    matrix = None if callable(gram) else gram
    if callable(gram) and n <= WORKING:
        matrix = np.ascontiguousarray(gram(points, points))
    taken = 0
    if matrix is not None:
        diagonal = np.ascontiguousarray(np.diagonal(matrix)).astype(float)
        slack, taken, violation = _descend()(
            matrix, diagonal, signs, c, upper, alpha, slack, scores, tol, steps)
    else:
        slack, taken, violation = _by_sets(
            gram, points, index, signs, c, upper, alpha, slack, scores, tol, steps)
    beta = np.asarray(np.bincount(index, signs * alpha, n), float)
    gradient = signs * scores[index] - c
    lower = gradient[alpha > 0].max(initial=-np.inf)
    higher = gradient[alpha < upper].min(initial=np.inf)
    if slack > 1e-9 * cap:
        lam = 0.0
    else:
        ends = [x for x in (-lower, -higher) if np.isfinite(x)]
        lam = max(0.0, float(np.mean(ends))) if ends else 0.0
    norm = float(beta @ scores)
    margins = labels * scores
    losses = np.abs(labels - scores) if regression else np.maximum(1 - margins, 0)
    from noisytheory.topics.top_k.aggregate import average_top_k

    objective = nu * float(average_top_k(losses, float(nu), None if masses is None else q))
    objective += norm / (2 * C)
    dual = float(c @ alpha) / C - norm / (2 * C)
    if violation > tol:
        warnings.warn(f"optimality is violated by {violation:.1e} in place of {tol:.0e}",
                      NotCertified, stacklevel=2)
    flat = float(np.abs(scores).max(initial=0.0)) <= tol and not regression
    regime = "zero" if flat else ("nu" if slack <= 1e-9 * cap else "C")
    return KernelSolution(beta, scores, lam, objective, dual, regime, int(taken))


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


@functools.cache
def _descend() -> Any:
    """The compiled loop: pairs of variables by second-order choice."""
    from numba import njit

    # An extreme of an array is a chain of comparisons; one for each of many lanes is vectorised.
    vectorised = njit(cache=True, fastmath={"nnan", "nsz", "reassoc", "contract", "arcp"})

    @vectorised
    def move(
        gradient: Any, signs: Any, closed: Any, row: Any, second: Any, up: float, down: float,
        lanes: Any,
    ) -> tuple[int, float]:
        """Update the gradient; where it is least among variables that may grow."""
        n = len(row)
        full = n // LANES * LANES
        lanes[:] = FAR
        for start in range(0, full, LANES):
            for lane in range(LANES):
                i = start + lane
                g = gradient[i] + signs[i] * (up * row[i] - down * second[i])
                gradient[i] = g
                g += closed[i]
                lanes[lane] = g if g < lanes[lane] else lanes[lane]
        for i in range(full, n):
            gradient[i] += signs[i] * (up * row[i] - down * second[i])
            lanes[i - full] = min(lanes[i - full], gradient[i] + closed[i])
        place = np.argmin(lanes)
        low = lanes[place]
        for i in range(place, n, LANES):
            if gradient[i] + closed[i] == low:
                return i, low
        return -1, FAR

    @vectorised
    def partner(
        gradient: Any, signs: Any, empty: Any, row: Any, diagonal: Any, low: float, own: float,
        sign: float, lanes: Any, peaks: Any,
    ) -> tuple[int, float, float]:
        """Which variable to shrink for the largest descent, that descent, the largest gradient."""
        n = len(row)
        full = n // LANES * LANES
        lanes[:] = 0.0
        peaks[:] = -FAR
        for start in range(0, full, LANES):
            for lane in range(LANES):
                i = start + lane
                g = gradient[i] - empty[i]
                peaks[lane] = g if g > peaks[lane] else peaks[lane]
                g = g - low if g > low else 0.0
                bend = own + diagonal[i] - sign * signs[i] * row[i]
                bend = bend if bend > LEAST else LEAST
                worth = g * g / bend
                lanes[lane] = worth if worth > lanes[lane] else lanes[lane]
        for i in range(full, n):
            g = gradient[i] - empty[i]
            peaks[i - full] = max(peaks[i - full], g)
            bend = max(own + diagonal[i] - sign * signs[i] * row[i], LEAST)
            lanes[i - full] = max(lanes[i - full], max(g - low, 0.0) ** 2 / bend)
        place = np.argmax(lanes)
        gain, high = lanes[place], peaks.max()
        if gain > 0:
            for i in range(place, n, LANES):
                bend = max(own + diagonal[i] - sign * signs[i] * row[i], LEAST)
                ahead = max(gradient[i] - empty[i] - low, 0.0)
                # The arithmetic may differ in the last digits.
                if ahead * ahead / bend >= gain * (1 - 1e-9):
                    return i, gain, high
        return -2, 0.0, high

    @njit(cache=True)
    def descend(
        gram: Any, diagonal: Any, signs: Any, c: Any, upper: Any, alpha: Any, slack: float,
        scores: Any, tol: float, steps: int,
    ) -> tuple[float, int, float]:
        # Variables are one an example, or two: the second n belong to the examples again.
        m, n = len(alpha), len(scores)
        copies = m // n
        gradient = np.empty(m)
        closed, empty = np.zeros(m), np.zeros(m)
        for i in range(m):
            gradient[i] = signs[i] * scores[i % n] - c[i]
            closed[i] = 0.0 if alpha[i] < upper[i] else FAR
            empty[i] = 0.0 if alpha[i] > 0 else FAR
        up, down, row, second = 0.0, 0.0, gram[0], gram[0]
        lanes, peaks = np.empty(LANES), np.empty(LANES)
        violation, step = np.inf, 0
        while True:
            # The slack is variable -1, with gradient 0 and no curvature.
            best, low = -1, 0.0
            for part in range(copies):
                own_part = slice(part * n, part * n + n)
                at, g = move(gradient[own_part], signs[own_part], closed[own_part], row, second,
                             up, down, lanes)
                if g < low:
                    best, low = at + part * n, g
            row = gram[best % n] if best >= 0 else gram[0]
            own = diagonal[best % n] if best >= 0 else 0.0
            sign = signs[best] if best >= 0 else 0.0
            high, gain, other = -np.inf, -1.0, -2
            if slack > 0:
                high = 0.0
                if best >= 0:
                    gain, other = low * low / max(own, LEAST), -1
            for part in range(copies):
                own_part = slice(part * n, part * n + n)
                at, worth, peak = partner(
                    gradient[own_part], signs[own_part], empty[own_part], row, diagonal, low, own,
                    2 * sign, lanes, peaks)
                high = max(high, peak)
                if at >= 0 and worth > gain:
                    gain, other = worth, at + part * n
            violation = max(high - low, 0.0)
            if violation <= tol or other == -2 or step >= steps:
                break
            step += 1
            bend = max(own, LEAST)
            if other >= 0:
                bend = own + diagonal[other % n] - 2 * sign * signs[other] * row[other % n]
                bend = max(bend, LEAST)
            if best >= 0 and other >= 0:
                size = min((gradient[other] - low) / bend, upper[best] - alpha[best], alpha[other])
            elif best >= 0:
                size = min(-low / bend, upper[best] - alpha[best], slack)
            else:
                size = min(gradient[other] / bend, alpha[other])
            up, down, second = 0.0, 0.0, row
            if best >= 0:
                room = upper[best] - alpha[best]
                alpha[best] = upper[best] if size >= room else alpha[best] + size
                closed[best] = 0.0 if alpha[best] < upper[best] else FAR
                empty[best] = 0.0
                up = sign * size
            else:
                slack += size
            if other >= 0:
                alpha[other] = 0.0 if size >= alpha[other] else alpha[other] - size
                empty[other] = 0.0 if alpha[other] > 0 else FAR
                closed[other] = 0.0
                down, second = signs[other] * size, gram[other % n]
            else:
                slack = 0.0 if size >= slack else slack - size
        for i in range(n):
            scores[i] = signs[i] * (gradient[i] + c[i])
        return slack, step, violation

    return descend
