r"""The paper's stochastic method (4), many runs at once, and a step that does not blow up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.topics.top_k.individual import individual
from noisytheory.topics.top_k.minimise import checked_data
from noisytheory.vocabulary.domains import POSITIVE, Domain
from noisytheory.vocabulary.threads import on_one_thread

__all__ = ["STEPS", "Run", "largest_stable_C", "stochastic"]

Floats = NDArray[np.float64]

STEPS = ("printed", "truncated")
r"""Steps of $\eta_t=\eta_0/\sqrt t$ as printed, or no further than to where the loss is cut."""

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
        Last iterate.
    mean_coef, mean_level : array
        Average of the iterates, each weighted by its step size.
    squares : array, shape (runs,)
        $\sum_t\eta_t^2\|g_t\|^2$.
    total : array, shape (runs,)
        $\sum_t\eta_t$.
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
    X: ArrayLike, y: ArrayLike, loss: str = "logistic", *, nu: ArrayLike, C: ArrayLike,
    steps: int, rng: np.random.Generator, runs: int = 1, eta: float = 1.0, rule: str = "printed",
    level: float = 0.0,
) -> Run:
    r"""Projected stochastic subgradient steps on (3), one example a step.

    Parameters
    ----------
    X : array_like, shape (n, d)
    y : array_like, shape (n,)
    loss : str
        As in `fit`.
    nu, C : float or array, shape (runs,)
        $k/n$ and $C$; a run each.
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
        ``"truncated"`` is implicit in the regulariser, a division by $1+\eta_t/C$, and goes
        along $g=\partial[\ell-\lambda]_+$ by $\min(\eta_t,[\ell-\lambda]_+/\|g\|^2)$: no further
        than to where the loss, were it linear, would be cut. No loss overflows.
    level : float
        $\lambda$ at the start; the coefficients start at 0.

    Returns
    -------
    Run

    Raises
    ------
    ValueError
        If an argument leaves its range.

    Notes
    -----
    The truncated step is the model of Asi and Duchi (2019), stable for convex losses that are
    bounded from below whatever the step size.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> run = stochastic([[1.0], [-1.0]], [1, -1], nu=1.0, C=1e-3, steps=100, rng=rng)
    >>> int(run.overflow[0])
    67
    """
    kind = individual(loss)
    rows, targets = checked_data(X, y, kind, both=False)
    POSITIVE.check("C", C)
    Domain(0, 1, include_high=True).check("nu", nu)
    POSITIVE.check("eta", eta)
    if rule not in STEPS:
        raise ValueError(f"rule must be one of {', '.join(STEPS)}, got {rule!r}")
    if steps < 1:
        raise ValueError(f"steps must be a whole number >= 1, got {steps}")
    share, c = (np.broadcast_to(np.asarray(v, float), (runs,)) for v in (nu, C))
    n, d = rows.shape
    # Losses are of t, which is y f or y - f: gradients lie along these rows.
    along = rows * targets[:, None] if kind.margin else -rows
    w, lam = np.zeros((runs, d)), np.full(runs, float(level))
    mean_w, mean_l = np.zeros((runs, d)), np.zeros(runs)
    squares, total = np.zeros(runs), np.zeros(runs)
    overflow, lost = np.zeros(runs, np.int64), False
    truncated = rule == "truncated"
    ahead = max(1, min(AHEAD, ENTRIES // (runs * d)))
    for first in range(0, steps, ahead):
        count = min(ahead, steps - first)
        drawn = rng.integers(n, size=(count, runs))
        xs, ys = along[drawn], targets[drawn]
        lengths = np.vecdot(xs, xs)
        sizes = eta / np.sqrt(np.arange(first + 1, first + count + 1))[:, None]
        shrink = (1 + sizes / c if truncated else 1 - sizes / c)[..., None]
        drift = sizes * share
        # Where the steps began: what is summed over them is summed at once.
        ws, lams, slopes = np.empty((count, runs, d)), np.empty((count, runs)), np.empty(
            (count, runs))
        active = np.empty((count, runs), bool)
        # A step is short: what can be is looked up before.
        for i, (x, length, size, less, down) in enumerate(
                zip(xs, lengths, sizes, shrink, drift, strict=True)):
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
                reach += 1
                np.divide(np.maximum(over, 0), reach, out=reach)
                np.minimum(size, reach, out=reach)
                lam = lam + reach
                lam -= down
                reach *= slope
                w = w - reach[:, None] * x
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
        gradients = slopes[done, :, None] * xs[done] + ws[done] / c[:, None]
        square = np.einsum("trd,trd->tr", gradients, gradients) + (share - active[done]) ** 2
        mean_w += np.einsum("tr,trd->rd", np.broadcast_to(sizes[done], square.shape), ws[done])
        mean_l += np.vecdot(sizes[done, 0], lams[done].T)
        squares += np.vecdot(sizes[done, 0] ** 2, square.T)
        total += sizes[done].sum()
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

    Examples
    --------
    >>> largest_stable_C(1.0)
    0.5
    """
    return POSITIVE.number("eta", eta) / 2
