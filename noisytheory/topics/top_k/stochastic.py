r"""The paper's stochastic method (4), many runs at once, and a step that does not blow up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from noisytheory.topics.top_k.design import mean_square
from noisytheory.topics.top_k.individual import best_constants, individual
from noisytheory.topics.top_k.minimise import (
    checked_C,
    checked_data,
    checked_masses,
    checked_scaling,
)
from noisytheory.vocabulary.domains import (
    COUNT,
    NONNEGATIVE,
    POSITIVE,
    Domain,
    check_generator,
    check_truth,
    one_of,
)
from noisytheory.vocabulary.threads import on_one_thread

__all__ = ["STEPS", "Run", "largest_stable_C", "stochastic"]

Floats = NDArray[np.float64]

STEPS = ("printed", "truncated")
r"""Steps of $\eta_t=\eta_0/\sqrt t$ as printed, or of the problem's scale, cut with the loss."""

STILL = 1e-200
"""A step that is none, above 0."""
FAR = 1e150
"""A coefficient that passes it has overflowed."""
AHEAD, ENTRIES = 256, 1 << 20
"""Steps whose examples are drawn at once, if these have no more entries."""


@dataclass(frozen=True)
class Run:
    r"""Where the runs ended.

    Parameters
    ----------
    coef, level : array, shape (runs, d) and (runs,)
        Last iterate, the intercept last if there is one.
    mean_coef, mean_level : array
        Average of the iterates, each weighted by its step size; by the truncated rule evenly.
    squares : array, shape (runs,)
        $\sum_t\eta_t^2\|g_t\|^2$; by the truncated rule $\sum_t\gamma_t\|g_t\|^2+\eta_th_t^2$,
        with the slopes $g$ in the coefficients, of the loss alone, and $h$ in the level and the
        intercept.
    total : array, shape (runs,)
        $\sum_t\eta_t$; by the truncated rule how many steps there were.
    overflow : array, shape (runs,)
        The step at which a norm passed $10^{150}$; 0 if none did.
    """

    coef: Floats
    level: Floats
    mean_coef: Floats
    mean_level: Floats
    squares: Floats
    total: Floats
    overflow: NDArray[np.int64]


@on_one_thread
def stochastic(
    X: Any, y: ArrayLike, loss: str = "logistic", *, nu: ArrayLike, C: ArrayLike,
    steps: int, rng: np.random.Generator, runs: int = 1, eta: float = 1.0, rule: str = "printed",
    level: float | None = None, sample_weight: ArrayLike | None = None,
    intercept: bool = False, scaling: str = "paper",
) -> Run:
    r"""Projected stochastic subgradient steps on (3), one example a step.

    Parameters
    ----------
    X : array_like or sparse matrix, shape (n, d)
    y : array_like, shape (n,)
    loss : str
        As in `fit`.
    nu, C : float or array, shape (runs,)
        $k/n$, a share of the weight, and $C$; a run each.
    steps : int
    rng : numpy.random.Generator
    runs : int
        Independent runs.
    eta : float
        $\eta_0$.
    rule : {"printed", "truncated"}
        With the printed $\eta_t=\eta_0/\sqrt t$ the factor $1-\eta_t/C$ of the weights is below
        $-1$ while $\sqrt t<\eta_0/2C$, and they overflow for small C; and a loss whose slope grows
        (square, margin-square, squared hinge, exponential) overflows on large features at any C.
        ``"truncated"`` steps $\gamma_t=\min(\eta_0/\sqrt t,C/t)$ in the coefficients and
        $\eta_t=c/\sqrt t$ in $\lambda$, both times $\min\{1,[\ell-\lambda]_+/
        (\gamma_t\|g\|^2+\eta_t)\}$ along the slope $g$: no further than to where the loss, were it
        linear, would be cut. In the regulariser it is implicit, a division by $1+\gamma_t/C$. With
        $c=\eta_0\min\{1,C\ell'(0)^2E\|x\|^2\}$, by which losses differ at most at a small C. No
        loss overflows.
    level : float, optional
        $\lambda$ at the start; the coefficients start at 0. By default 0, and by the truncated rule
        the largest that is best for these coefficients.
    sample_weight : array_like, shape (n,), optional
        Examples are drawn in proportion.
    intercept : bool
        A coefficient that costs nothing: no step shrinks it. By the truncated rule it starts at the
        best constant, with the steps of $\lambda$, and $\eta_t$ times its slope's square is one
        more term of the denominator.
    scaling : {"paper", "average"}
        ``"average"`` is (3) with $C/\nu$ for C, which has the minimisers of the average of the
        largest with C.

    Returns
    -------
    Run

    Raises
    ------
    ValueError
        If an argument leaves its range, or labels are of one class only.

    Notes
    -----
    The truncated step is the model of Asi and Duchi (2019), stable for convex losses that are
    bounded from below whatever the step size: their one-step inequality is that of a subgradient
    step, in any metric, here another for $\lambda$ than for $w$. Summed over steps the distances
    cancel. Of $w$, for $C\le\eta_0$, $1/\gamma_{t+1}-1/\gamma_t=1/C$ is what the implicit
    regulariser gives (Duchi and others 2010: it is strongly convex), and of $\lambda$, which stays
    within D of its optimum, and of an intercept as well, nothing is left but its largest weight,
    $D^2\sqrt T/2c$. So the average $\bar\theta$ of T iterates has
    $$E F(\bar\theta)-F^*\le\frac{C G^2(1+\log T)}{2T}+\frac{D^2/2c+c}{\sqrt T},$$
    $G^2$ the largest mean square of a slope. D and c are of the order of C where C is small, and so
    is the gap, as what the minimiser gains. A step of $\eta_0/\sqrt t$ in both goes beyond all
    losses until $t>1/C^2$, and gains nothing before.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> run = stochastic([[1.0], [-1.0]], [1, -1], nu=1.0, C=1e-3, steps=100, rng=rng)
    >>> int(run.overflow[0])
    67
    """
    kind = individual(loss)
    rows, targets = checked_data(X, y, kind)
    masses, _ = checked_masses(sample_weight, len(targets))
    if kind.margin and np.ptp(targets[masses > 0]) == 0:
        raise ValueError("y must hold both classes with weight, got one class only")
    check_truth("intercept", intercept)
    checked_scaling(scaling)
    POSITIVE.check("C", C)
    Domain(0, 1, include_high=True).check("nu", nu)
    eta = POSITIVE.number("eta", eta)
    one_of("rule", rule, STEPS)
    steps, runs = int(COUNT.number("steps", steps)), int(COUNT.number("runs", runs))
    check_generator(rng)
    for name, value in (("nu", nu), ("C", C)):
        if np.shape(value) not in ((), (runs,)):
            raise ValueError(f"{name} must be one number, or one for each of {runs} runs, "
                             f"got shape {np.shape(value)}")
    if level is not None:
        level = NONNEGATIVE.number("level", level)
    share, c = (np.broadcast_to(np.asarray(v, float), (runs,)) for v in (nu, C))
    for value in c.tolist():
        checked_C(value)
    if scaling == "average":
        with np.errstate(over="ignore"):
            c = c / share
        if not np.isfinite(c).all():
            raise ValueError(f"C over nu must be finite, got {C!r} over {nu!r}")
    n, d = rows.shape[0], rows.shape[1] + intercept
    # Losses are of t, which is y f or y - f: gradients lie along these rows.
    signs = targets if kind.margin else -np.ones(n)
    along = (sparse.diags_array(signs) @ rows).tocsr() if sparse.issparse(rows) else (
        rows * signs[:, None])
    if intercept:
        along = (sparse.hstack([along, signs[:, None]], "csr") if sparse.issparse(rows) else
                 np.column_stack([along, signs]))
    truncated = rule == "truncated"
    w, lam = np.zeros((runs, d)), np.full(runs, level or 0.0)
    # Lengths of steps in the level, and where that begins, by what there is without coefficients.
    scale = np.ones(runs)
    if truncated:
        spread = mean_square(rows, masses)
        for nu in np.unique(share):
            some = share == nu
            b = best_constants(kind, targets, masses, np.array([nu]))[0] if intercept else 0.0
            scores = b + np.zeros(n)
            lengths = c[some] * spread * float(masses @ kind.slopes(targets, scores) ** 2)
            # Where no coefficients change a loss the start is the end.
            scale[some] = np.where(lengths > 0, np.minimum(1.0, lengths), STILL)
            if intercept:
                w[some, -1] = b
            if level is None:
                losses = kind.values(targets, scores)
                order = np.argsort(-losses)
                last = np.searchsorted(np.cumsum(masses[order]), nu - 1e-9 / n)
                lam[some] = losses[order[min(int(last), n - 1)]]
    mean_w, mean_l = np.zeros((runs, d)), np.zeros(runs)
    squares, total = np.zeros(runs), np.zeros(runs)
    overflow, lost = np.zeros(runs, np.int64), False
    ahead = max(1, min(AHEAD, ENTRIES // (runs * d)))
    for first in range(0, steps, ahead):
        count = min(ahead, steps - first)
        drawn = rng.integers(n, size=(count, runs)) if sample_weight is None else (
            rng.choice(n, size=(count, runs), p=masses))
        xs, ys = along[drawn.ravel()], targets[drawn]
        xs = (xs.toarray() if sparse.issparse(xs) else xs).reshape(count, runs, d)
        turns = np.arange(first + 1.0, first + count + 1)[:, None]
        sizes = eta / np.sqrt(turns) * (scale if truncated else 1.0)
        lengthwise = np.minimum(eta / np.sqrt(turns), c / turns) if truncated else sizes
        shrink = (1 + lengthwise / c if truncated else 1 - sizes / c)[..., None]
        moves = xs
        if intercept:
            shrink = np.repeat(shrink, d, axis=-1)
            shrink[..., -1] = 1.0
            if truncated:
                moves = xs.copy()
                moves[..., -1] *= sizes / lengthwise
        lengths = np.vecdot(xs, moves)
        drift = sizes * share
        # Where the steps began: what is summed over them is summed at once.
        ws, lams, slopes = np.empty((count, runs, d)), np.empty((count, runs)), np.empty(
            (count, runs))
        active = np.empty((count, runs), bool)
        # A step is short: what can be is looked up before.
        for i, (x, move, length, size, long, less, down) in enumerate(
                zip(xs, moves, lengths, sizes, lengthwise, shrink, drift, strict=True)):
            ws[i], lams[i] = w, lam
            t = np.vecdot(x, w)
            if not kind.margin:
                t += ys[i]
            over = kind.psi(t) - lam
            above = np.greater(over, 0, out=active[i])
            slopes[i] = slope = np.where(above, kind.slope(t), 0.0)
            if truncated:
                reach = slope * slope
                reach *= length
                reach *= long
                reach += size
                np.divide(np.maximum(over, 0), reach, out=reach)
                np.minimum(1.0, reach, out=reach)
                lam = lam + reach * size
                lam -= down
                reach *= slope
                reach *= long
                w = w - reach[:, None] * move
                w /= less
            else:
                w = less * w - (size * slope)[:, None] * x
                lam = lam - size * (share - above)
            np.maximum(lam, 0.0, out=lam)
            # Their sum of squares is enough to see that none is so large.
            if lost or not np.vdot(w, w) < FAR**2:
                lost = True
                overflow[(np.abs(w).max(axis=1) > FAR) & (overflow == 0)] = first + i + 1
                gone = overflow > 0
                w[gone] = 0.0
                w[gone, 0] = FAR
                if gone.all():
                    w[:, 0] = np.inf
                    count = i + 1
                    break
        done = slice(count)
        own = (share - active[done]) ** 2
        if truncated:
            square = lengthwise[done] * slopes[done] ** 2 * lengths[done] + sizes[done] * own
            squares += square.sum(axis=0)
            weight = np.ones(square.shape)
        else:
            gradients = slopes[done, :, None] * xs[done]
            gradients[..., : rows.shape[1]] += ws[done][..., : rows.shape[1]] / c[:, None]
            square = np.einsum("trd,trd->tr", gradients, gradients) + own
            squares += np.vecdot(sizes[done, 0] ** 2, square.T)
            weight = np.broadcast_to(sizes[done], square.shape)
        mean_w += np.einsum("tr,trd->rd", weight, ws[done])
        mean_l += np.vecdot(weight.T, lams[done].T)
        total += weight.sum(axis=0)
        if lost and overflow.all():
            break
    safe = np.maximum(total, 1e-300)
    return Run(w, lam, mean_w / safe[:, None], mean_l / safe, squares, total, overflow)


def largest_stable_C(eta: float = 1.0) -> float:
    r"""From which C on no printed step $1-\eta_0/(C\sqrt t)$ has size above 1: $\eta_0/2$.

    Parameters
    ----------
    eta : float
        $\eta_0$.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If $\eta_0$ is not above 0.

    Examples
    --------
    >>> largest_stable_C(1.0)
    0.5
    """
    return POSITIVE.number("eta", eta) / 2
