r"""Batches of problems with hinge or absolute loss: a primal-dual interior point method.

Both are $\min_{w,\lambda\ge0}\sum_iu_i[c_i-\lambda-z_i^\top w]_++\nu\lambda
+\frac12w^\top\mathrm{diag}(r)w$, because $[[a-\ell]_+-\lambda]_+=[a-\lambda-\ell]_+$ for
$\lambda\ge0$. The dual variables are $0\le\alpha_i\le u_i$ with $\sum\alpha_i\le\nu$. The linear
system of a step has one row a coefficient and one for $\lambda$, whatever the number of examples.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.design import Design, solver

__all__ = ["Optimum", "interior_point"]

Floats = NDArray[np.float64]

STEPS = 100
"""Steps at most; twenty are usual."""
ROUNDING = 1e-10
"""Relative gap from which on one that is not halved is not waited for."""


STUCK = 0.9
"""Of the products before a step: where more is left, the next step is a cautious one."""


@dataclass(frozen=True)
class Optimum:
    """Where the method stopped.

    Parameters
    ----------
    coef : array, shape (..., d)
    level : array, shape (...)
        The threshold.
    weights : array, shape (..., m)
        Dual weights of the pieces.
    slack : array, shape (...)
        What the weights' sum leaves of the tail mass.
    steps : int
    gap : array, shape (...)
        Complementarity gap, in the unit of the objective.
    """

    coef: Floats
    level: Floats
    weights: Floats
    slack: Floats
    steps: int
    gap: Floats


# A problem of a batch that has ended goes on with numbers that no longer matter.
@np.errstate(over="ignore", invalid="ignore", divide="ignore")
# What underflows is a barrier's last digit.
@np.errstate(under="ignore")
def interior_point(
    design: Design, c: Floats, u: Floats, nu: Any, ridge: Floats, *,
    tolerance: float = 1e-9, most: int = STEPS,
) -> Optimum:
    r"""Solve the quadratic programme, or a batch of them at once.

    Parameters
    ----------
    design : Design
        $z_i$, with leading axes for a batch.
    c, u : array, shape (..., m)
        Constants and upper ends of the weights, above 0.
    nu : float or array, shape (...)
        Tail mass, above 0.
    ridge : array, shape (d,)
        Diagonal of the regulariser; 0 for what is free.
    tolerance : float
        Of the complementarity gap and the residuals, relative to the objective's size.
    most : int
        Steps at most.

    Returns
    -------
    Optimum

    Notes
    -----
    Mehrotra's predictor and corrector from a point that need not satisfy the equations.

    Examples
    --------
    >>> rows = Design(np.array([[1.0], [1.0], [-1.0]]))
    >>> u = np.full(3, 1 / 3)
    >>> found = interior_point(rows, np.ones(3), u, 1.0, np.array([1.0]))
    >>> found.coef.round(6).tolist()
    [0.333333]
    """
    lead, m = np.broadcast_shapes(design.lead, u.shape[:-1], np.shape(nu)), u.shape[-1]
    # Weights of size one, so that all products of the barrier are of one size.
    scale = 1 / u.max(axis=-1, keepdims=True)
    u, ridge_ = np.broadcast_to(u * scale, (*lead, m)), ridge * scale
    nu = np.broadcast_to(np.asarray(nu, float) * scale[..., 0], lead)
    c = np.broadcast_to(c, (*lead, m))
    size = np.maximum((u * np.abs(c)).sum(-1), 1e-12 * u.sum(-1))

    w = np.zeros((*lead, design.width))
    forward = design.forward(w)
    spread = np.maximum(np.abs(c - forward).mean(-1), 1e-12)
    lam = 0.5 * spread
    r = c - lam[..., None] - forward
    pad = (0.2 * spread)[..., None]
    # Weights, what they leave of u, and their multipliers: all four stay above 0.
    state = np.empty((4, *lead, m))
    alpha, v, t, xi = state
    alpha[...] = u * np.minimum(0.5, 0.5 * nu / u.sum(-1))[..., None]
    v[...], t[...], xi[...] = u - alpha, np.maximum(-r, 0) + pad, np.maximum(r, 0) + pad
    s = np.maximum(nu - alpha.sum(-1), 1e-3 * nu)
    count = 2 * m + 1
    least, little = 1e-18 * u, 1e-3 * u
    typical = np.maximum(design_size(design, u), 1e-300)
    gap, asked = np.full(lead, np.inf), max(tolerance, ROUNDING) * size
    steps = 0
    live = np.ones(lead, bool)
    before_step = np.full(lead, np.inf)
    width = design.width
    diagonal = np.arange(width)
    move, extra = np.empty_like(state), np.empty((2, *lead, m))
    for steps in range(most + 1):
        r = c - lam[..., None] - forward
        rd = design.adjoint(alpha) - ridge_ * w
        rs = nu - alpha.sum(-1) - s
        total = np.vecdot(alpha, t) + np.vecdot(v, xi) + lam * s
        if (total <= asked).any() or steps == most:
            # What the residuals cost in the objective, to first order.
            cost = np.vecdot(np.abs(t - xi + r), np.maximum(alpha, little)) + np.abs(rs) * lam
            cost = cost + np.abs(np.vecdot(rd, w))
            scaled = np.abs(rd).max(-1) / typical if width else 0.0
            before, gap = gap, total + cost
            # Rounding leaves a gap that no step makes smaller.
            ended = (gap <= tolerance * size) | ((gap <= ROUNDING * size) & (gap > before / 2))
            live = live & ~(ended & (scaled <= np.sqrt(tolerance) * 1e-2))
            if not live.any() or steps == most:
                break
        mu = total / count
        ratios = state[2:] / state[:2]
        inverse = 1 / np.minimum(ratios[0] + ratios[1], 1e100)
        system = np.empty((*lead, width + 1, width + 1))
        system[..., :-1, :-1] = design.gram(inverse)
        system[..., diagonal, diagonal] += ridge_
        edge = design.adjoint(inverse)
        system[..., -1, :-1] = system[..., :-1, -1] = edge
        system[..., -1, -1] = inverse.sum(-1) + s / lam
        solve = solver(system)

        def direction(
            g: Floats, rl: Floats, *,
            inverse: Floats = inverse, solve: Any = solve, rd: Floats = rd, rs: Floats = rs,
            lam: Floats = lam, move: Floats = move,
        ) -> tuple[Floats, ...]:
            right = np.empty((*lead, width + 1))
            pushed = inverse * g
            right[..., :-1] = design.adjoint(pushed) + rd
            right[..., -1] = pushed.sum(-1) + rl / lam - rs
            found = solve(right)
            dw, dl = found[..., :-1], found[..., -1]
            step = design.forward(dw)
            np.multiply(inverse, g - dl[..., None] - step, out=move[0])
            np.negative(move[0], out=move[1])
            return dw, dl, rs - move[0].sum(-1), step

        # The products are to vanish: of what the equations say of t and xi only r is left.
        dw, dl, ds, step = direction(r, -lam * s)
        np.subtract(-state[2:], ratios * move[:2], out=move[2:])
        reach = _longest(state, move, lam, dl, s, ds)
        np.multiply(move[:2], move[2:], out=extra)
        after = (1 - reach) * total + reach**2 * (extra.sum((0, -1)) + dl * ds)
        centre = np.minimum(np.maximum(after / total, 1e-8), 1.0) ** 3 * mu
        # A corrector that gains nothing may go round in circles: then towards the centre, without.
        stuck = total > STUCK * before_step
        before_step = total
        if stuck.any():
            centre = np.where(stuck, np.maximum(centre, mu / 2), centre)
            extra = np.where(stuck[..., None], 0.0, extra)
            dl, ds = np.where(stuck, 0.0, dl), np.where(stuck, 0.0, ds)
        np.subtract(centre[..., None], extra, out=extra)
        extra /= state[:2]
        dw, dl, ds, step = direction(r + extra[0] - extra[1], centre - lam * s - dl * ds)
        np.subtract(extra - state[2:], ratios * move[:2], out=move[2:])
        reach = _longest(state, move, lam, dl, s, ds)
        reach = np.where(reach < 1, 0.995 * reach, 1.0)
        # At the end of the arithmetic a direction may be no number: then that problem has ended.
        sound = reach > 0
        live = live & sound & (total > 1e-16 * size)
        if not lead and not live:
            break
        # Of a batch the problems that have ended stay.
        reach = np.where(live, reach, 0.0)
        if not sound.all():
            dw[~sound], step[~sound], dl[~sound], ds[~sound], move[:, ~sound] = 0, 0, 0, 0, 0
        move *= reach[..., None]
        state += move
        w, forward = w + reach[..., None] * dw, forward + reach[..., None] * step
        lam = np.maximum(lam + reach * dl, 1e-60)
        s = np.maximum(s + reach * ds, 1e-60)
        np.maximum(state[:2], least, out=state[:2])
        np.maximum(state[2:], 1e-60, out=state[2:])
        np.minimum(alpha, u, out=alpha)
    back = 1 / scale[..., 0]
    return Optimum(w, lam, alpha / scale, s * back, steps, gap * back)


def design_size(design: Design, u: Floats) -> Floats:
    """About the size of a sum of rows: what a residual of stationarity is measured by.

    Parameters
    ----------
    design : Design
    u : array, shape (..., m)

    Returns
    -------
    array, shape (...)
    """
    rows = design.rows
    if rows.ndim == 2:
        squares = rows.multiply(rows).mean() if hasattr(rows, "multiply") else (
            np.vdot(rows, rows) / max(rows.size, 1))
        typical: Any = np.sqrt(squares)
    else:
        typical = np.sqrt((rows**2).mean(axis=(-1, -2)))
    return np.asarray((typical + design.free) * u.sum(-1))


def _longest(
    state: Floats, move: Floats, lam: Floats, dl: Floats, s: Floats, ds: Floats
) -> Floats:
    """Largest step in [0, 1] that keeps every value at or above 0."""
    least = np.minimum((move / state).min((0, -1)), np.minimum(dl / lam, ds / s))
    return np.asarray(1 / np.maximum(1.0, -least))
