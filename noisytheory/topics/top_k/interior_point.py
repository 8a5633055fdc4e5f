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

__all__ = ["Optimum", "interior_point"]

Floats = NDArray[np.float64]

STEPS = 100
"""Steps at most; twenty are usual."""
ROUNDING = 1e-10
"""Relative gap from which on one that is not halved is not waited for."""


SPARED = 1000
"""Weights of problems that have ended from which it pays to leave these out, and a third of all."""

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


# A problem of a batch that has ended goes on, until it is left out, with numbers that no longer
# matter; what underflows is a barrier's last digit.
@np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore")
def interior_point(
    rows: Floats, c: Floats, u: Floats, nu: Any, ridge: Floats, *,
    tolerance: float = 1e-9, most: int = STEPS,
) -> Optimum:
    r"""Solve the quadratic programme, or a batch of them at once.

    Parameters
    ----------
    rows : array, shape (..., m, d)
        $z_i$, with leading axes for a batch.
    c, u : array, shape (..., m)
        Constants and upper ends of the weights, above 0.
    nu : float or array, shape (...)
        Tail mass, above 0.
    ridge : array, shape (..., d)
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
    Mehrotra's predictor and corrector from a point that need not satisfy the equations. The level
    is one more coefficient, of a column of ones.

    Examples
    --------
    >>> rows = np.array([[1.0], [1.0], [-1.0]])
    >>> u = np.full(3, 1 / 3)
    >>> found = interior_point(rows, np.ones(3), u, 1.0, np.array([1.0]))
    >>> found.coef.round(6).tolist()
    [0.333333]
    """
    lead = np.broadcast_shapes(rows.shape[:-2], u.shape[:-1], np.shape(nu))
    m, d = rows.shape[-2:]
    # Columns in rows of memory: products with the weights read it as it lies. What the weights
    # leave of the tail mass is one more weight, of a piece without a row and a constant.
    columns = np.zeros((*rows.shape[:-2], d + 1, m + 1))
    columns[..., :-1, :-1] = np.swapaxes(rows, -1, -2)
    columns[..., -1, :] = 1.0
    back = np.swapaxes(columns, -1, -2)
    # Weights of size one, so that all products of the barrier are of one size.
    scale = 1 / u.max(axis=-1, keepdims=True)
    nu = np.broadcast_to(np.asarray(nu, float) * scale[..., 0], lead)
    ends, r = np.zeros((2, *lead, m + 1))
    ends[..., :-1], ends[..., -1] = u * scale, 2 * nu
    r[..., :-1] = c
    of_pieces = ends[..., :-1]
    total_mass = of_pieces.sum(-1)
    size = np.maximum(np.vecdot(of_pieces, np.abs(r[..., :-1])), 1e-12 * total_mass)
    typical = np.maximum(np.sqrt((rows**2).mean(axis=(-1, -2))) * total_mass, 1e-300)
    spread = np.maximum(np.abs(r[..., :-1]).mean(-1), 1e-12)
    # Coefficients and level; the regulariser's diagonal, and what the columns are to push.
    x, ridges, aim = np.zeros((3, *lead, d + 1))
    x[..., -1] = 0.5 * spread
    ridges[..., :-1] = np.maximum(ridge * scale, 1e-300)
    aim[..., -1] = nu
    r -= x[..., -1:]
    pad = (0.5 * spread)[..., None]
    # Weights, what they leave of their ends, and their multipliers: all four stay above 0.
    state, floor = np.full((2, 4, *lead, m + 1), 1e-60)
    half, multipliers = state[:2], state[2:]
    alpha, v, t, xi = state
    alpha[...] = ends * np.minimum(0.5, 0.5 * nu / total_mass)[..., None]
    alpha[..., -1] = np.maximum(nu - alpha[..., :-1].sum(-1), 1e-3 * nu)
    v[...], t[...], xi[...] = ends - alpha, np.maximum(-r, 0) + pad, np.maximum(r, 0) + pad
    floor[:2] = 1e-18 * ends
    move = np.empty_like(state)
    both = (0, -1)
    gap, asked = np.full(lead, np.inf), max(tolerance, ROUNDING) * size
    live: NDArray[np.bool_] = np.ones(lead, bool)
    before_step = np.full(lead, np.inf)
    # Where each problem stands among all, and what those that are left out ended with.
    place = np.arange(live.size).reshape(lead)
    at_end = [np.empty((live.size, *own)) for own in ((d + 1,), (m + 1,), ())]
    steps = 0
    for steps in range(most + 1):
        total = np.add.reduce(np.vecdot(half, multipliers))
        missed = np.matvec(columns, alpha) - ridges * x
        missed -= aim
        if np.logical_or.reduce(total <= asked, axis=None) or steps == most:
            # What the residuals cost in the objective, to first order.
            cost = np.vecdot(np.abs(t - xi + r), np.maximum(alpha, 1e-3 * ends)) + np.abs(
                missed[..., -1] * x[..., -1]) + np.abs(np.vecdot(missed[..., :-1], x[..., :-1]))
            scaled = np.abs(missed[..., :-1]).max(-1) / typical if d else 0.0
            before, gap = gap, total + cost
            # Rounding leaves a gap that no step makes smaller.
            ended = (gap <= tolerance * size) | ((gap <= ROUNDING * size) & (gap > before / 2))
            live &= ~(ended & (scaled <= np.sqrt(tolerance) * 1e-2))
            live &= total > 1e-16 * size
            if not live.any() or steps == most:
                break
            asked = np.where(live, asked, -1.0)
            if (live.size - np.count_nonzero(live)) * (m + 1) > max(SPARED, live.size * m // 3):
                for every, some in zip(at_end, (x, np.minimum(alpha, ends), gap), strict=True):
                    every[place] = some
                columns = np.broadcast_to(columns, (*live.shape, d + 1, m + 1))[live]
                back = np.swapaxes(columns, -1, -2)
                ends, r, x, ridges, aim, missed, total, size, typical, gap, asked, before_step, \
                    place = (of[live] for of in (
                        ends, r, x, ridges, aim, missed, total, size, typical, gap, asked,
                        before_step, place))
                state, floor = state[:, live], floor[:, live]
                half, multipliers = state[:2], state[2:]
                alpha, v, t, xi = state
                move, live = np.empty_like(state), np.ones(len(place), bool)
        inner = 1 / half
        ratios = multipliers * inner
        inverse = 1 / (ratios[0] + ratios[1])
        system = (columns * inverse[..., None, :]) @ back
        on_diagonal = np.einsum("...ii->...i", system)  # a view
        on_diagonal += ridges
        on_diagonal *= 1 + 1e-15

        # The products are to vanish: of what the equations say of t and xi only r is left, and
        # t + dt = -t q, with q the steps of the weights as shares of them.
        right = np.matvec(columns, inverse * r)
        right += missed
        dx = np.linalg.solve(system, right[..., None])[..., 0]
        step = r - np.vecmat(dx, columns)
        step *= inverse
        q = inner * step
        np.negative(q[1], out=q[1])
        q += 0.5
        reach = 1 / np.maximum(0.5 + np.maximum.reduce(np.abs(q), both), 1.0)
        q *= q
        q -= 0.25
        q *= multipliers
        after = (1 - reach) * total - reach**2 * np.add.reduce(np.vecdot(half, q))
        mu = total / (2 * m + 2)
        centre = np.minimum(np.maximum(after / total, 1e-8), 1.0) ** 3 * mu
        # A corrector that gains nothing may go round in circles: then towards the centre, without.
        stuck = total > STUCK * before_step
        before_step = total
        if np.logical_or.reduce(stuck, axis=None):
            centre = np.where(stuck, np.maximum(centre, mu / 2), centre)
            q = np.where(stuck[..., None], 0.0, q)
        inner *= centre[..., None]
        q += inner
        g = q[0] - q[1]
        g += r
        right = np.matvec(columns, inverse * g)
        right += missed
        dx = np.linalg.solve(system, right[..., None])[..., 0]
        step = np.vecmat(dx, columns)
        g -= step
        np.multiply(g, inverse, out=move[0])
        np.negative(move[0], out=move[1])
        ratios *= move[:2]
        q -= multipliers
        np.subtract(q, ratios, out=move[2:])
        least = np.minimum.reduce(move / state, both)
        reach = 1 / np.maximum(1.0, least / -0.999)
        # At the end of the arithmetic a direction may be no number: then that problem has ended.
        if not np.minimum.reduce(reach, axis=None) > 0:
            lost = ~(reach > 0)
            live, asked = live & ~lost, np.where(lost, np.inf, asked)
            dx[lost], step[lost], move[:, lost] = 0, 0, 0
            reach = np.where(lost, 0.0, reach)
        # Of a batch the problems that have ended stay.
        reach = reach * live
        far = reach[..., None]
        move *= far
        state += move
        np.maximum(state, floor, out=state)
        dx *= far
        x += dx
        step *= far
        r -= step
    for every, some in zip(at_end, (x, np.minimum(alpha, ends), gap), strict=True):
        every[place] = some
    x, weights, gap = (every.reshape((*lead, *every.shape[1:])) for every in at_end)
    weights = weights / scale
    return Optimum(
        x[..., :-1], np.maximum(x[..., -1], 0.0), weights[..., :-1], weights[..., -1], steps,
        gap * (1 / scale[..., 0]))
