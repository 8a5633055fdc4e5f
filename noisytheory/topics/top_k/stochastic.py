r"""The paper's stochastic method (4), many runs at once, and a step that does not blow up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.topics.top_k.individual import individual
from noisytheory.topics.top_k.minimise import checked_data
from noisytheory.vocabulary.domains import POSITIVE, Domain

__all__ = ["STEPS", "Run", "largest_stable_C", "stochastic"]

Floats = NDArray[np.float64]

STEPS = ("printed", "truncated")
r"""Steps of $\eta_t=\eta_0/\sqrt t$ as printed, or no further than to where the loss is cut."""

FAR = 1e150
"""A coefficient that passes it has overflowed."""
AHEAD = 256
"""Steps whose examples are drawn at once."""


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
    w, lam = np.zeros((runs, d)), np.full(runs, float(level))
    mean_w, mean_l = np.zeros((runs, d)), np.zeros(runs)
    squares, total = np.zeros(runs), np.zeros(runs)
    overflow, lost = np.zeros(runs, np.int64), False
    for t in range(1, steps + 1):
        at = (t - 1) % AHEAD
        if at == 0:
            drawn = rng.integers(n, size=(min(AHEAD, steps + 1 - t), runs))
        x, target = rows[drawn[at]], targets[drawn[at]]
        f = np.vecdot(x, w)
        step = eta / np.sqrt(t)
        over = kind.values(target, f) - lam
        active = over > 0
        push = np.where(active, kind.slopes(target, f), 0.0)[:, None] * x
        gradient = push + w / c[:, None]
        up = share - active
        mean_w += step * w
        mean_l += step * lam
        total += step
        squares += step**2 * (np.einsum("rd,rd->r", gradient, gradient) + up**2)
        if rule == "truncated":
            reach = np.minimum(step, np.maximum(over, 0) / (np.vecdot(push, push) + 1))
            w = (w - reach[:, None] * push) / (1 + step / c)[:, None]
            lam = np.maximum(lam + reach - step * share, 0.0)
        else:
            w = w - step * gradient
            lam = np.maximum(lam - step * up, 0.0)
        if lost or not np.abs(w).max() < FAR:
            lost = True
            overflow[(np.abs(w).max(axis=1) > FAR) & (overflow == 0)] = t
            gone = overflow > 0
            w[gone] = 0.0
            w[gone, 0] = FAR
            if gone.all():
                w[:, 0] = np.inf
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
