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
    # Columns in rows of memory: products with the weights read it as it lies.
    columns = np.ones((*rows.shape[:-2], d + 1, m))
    columns[..., :-1, :] = np.swapaxes(rows, -1, -2)
    back = np.swapaxes(columns, -1, -2)
    # Weights of size one, so that all products of the barrier are of one size.
    scale = 1 / u.max(axis=-1, keepdims=True)
    u = np.broadcast_to(u * scale, (*lead, m))
    nu = np.broadcast_to(np.asarray(nu, float) * scale[..., 0], lead)
    c = np.broadcast_to(c, (*lead, m))
    total_mass = u.sum(-1)
    size = np.maximum((u * np.abs(c)).sum(-1), 1e-12 * total_mass)
    typical = np.maximum(np.sqrt((rows**2).mean(axis=(-1, -2))) * total_mass, 1e-300)

    spread = np.maximum(np.abs(c).mean(-1), 1e-12)
    # Coefficients and level; the regulariser's diagonal, and its gradient with the tail mass.
    x, diagonal = np.zeros((2, *lead, d + 1))
    x[..., -1] = 0.5 * spread
    diagonal[..., :-1] = ridge * scale
    held = np.zeros((*lead, d + 1))
    scores = np.broadcast_to(x[..., -1:], (*lead, m)).copy()
    r = c - scores
    pad = (0.2 * spread)[..., None]
    # Weights, what they leave of u, and their multipliers: all four stay above 0.
    state = np.empty((4, *lead, m))
    alpha, v, t, xi = state
    alpha[...] = u * np.minimum(0.5, 0.5 * nu / total_mass)[..., None]
    v[...], t[...], xi[...] = u - alpha, np.maximum(-r, 0) + pad, np.maximum(r, 0) + pad
    s = np.maximum(nu - alpha.sum(-1), 1e-3 * nu)
    count = 2 * m + 1
    least, little = 1e-18 * u, 1e-3 * u
    gap, asked = np.full(lead, np.inf), max(tolerance, ROUNDING) * size
    steps = 0
    live = np.ones(lead, bool)
    before_step = np.full(lead, np.inf)
    for steps in range(most + 1):
        lam = x[..., -1]
        r = c - scores
        rs = nu - np.add.reduce(alpha, -1) - s
        total = np.add.reduce(np.vecdot(state[:2], state[2:])) + lam * s
        if (total <= asked).any() or steps == most:
            # What the residuals cost in the objective, to first order.
            rd = np.matvec(columns, alpha)[..., :-1] - (diagonal * x)[..., :-1]
            cost = np.vecdot(np.abs(t - xi + r), np.maximum(alpha, little)) + np.abs(rs) * lam
            cost = cost + np.abs(np.vecdot(rd, x[..., :-1]))
            scaled = np.abs(rd).max(-1) / typical if d else 0.0
            before, gap = gap, total + cost
            # Rounding leaves a gap that no step makes smaller.
            ended = (gap <= tolerance * size) | ((gap <= ROUNDING * size) & (gap > before / 2))
            live = live & ~(ended & (scaled <= np.sqrt(tolerance) * 1e-2))
            if not live.any() or steps == most:
                break
        mu = total / count
        inner = 1 / state[:2]
        ratios = state[2:] * inner
        inverse = ratios[0] + ratios[1]
        np.divide(1.0, np.minimum(inverse, 1e100, out=inverse), out=inverse)
        diagonal[..., -1] = s / lam
        system = (columns * inverse[..., None, :]) @ back
        on_diagonal = np.einsum("...ii->...i", system)  # a view
        on_diagonal += diagonal
        unit = 1 / np.sqrt(on_diagonal)
        system *= unit[..., :, None] * unit[..., None, :]
        on_diagonal += 1e-15
        np.multiply(diagonal, x, out=held)
        held[..., -1] = nu - s

        def direction(
            g: Floats, rl: Floats, *, inverse: Floats = inverse, unit: Floats = unit,
            system: Floats = system, rs: Floats = rs, lam: Floats = lam, alpha: Floats = alpha,
        ) -> tuple[Floats, ...]:
            right = np.matvec(columns, inverse * g + alpha) - held
            right[..., -1] += rl / lam
            right *= unit
            dx = unit * np.linalg.solve(system, right[..., None])[..., 0]
            step = np.vecmat(dx, columns)
            move = g - step
            move *= inverse
            return dx, dx[..., -1], rs - np.add.reduce(move, -1), step, move

        # The products are to vanish: of what the equations say of t and xi only r is left, and
        # t + dt = -t q, with q the steps of the weights as shares of them.
        dx, dl, ds, step, move = direction(r, -lam * s)
        q = _shares(inner, move)
        reach = _longest(
            np.minimum(_least(q), -1 - np.maximum.reduce(np.maximum.reduce(q), -1)),
            lam, dl, s, ds)
        shift = (1 + q) * q
        shift *= state[2:]
        after = (1 - reach) * total + reach**2 * (
            dl * ds - np.add.reduce(np.vecdot(state[:2], shift)))
        centre = np.minimum(np.maximum(after / total, 1e-8), 1.0) ** 3 * mu
        # A corrector that gains nothing may go round in circles: then towards the centre, without.
        stuck = total > STUCK * before_step
        before_step = total
        if stuck.any():
            centre = np.where(stuck, np.maximum(centre, mu / 2), centre)
            shift = np.where(stuck[..., None], 0.0, shift)
            dl, ds = np.where(stuck, 0.0, dl), np.where(stuck, 0.0, ds)
        shift += centre[..., None] * inner
        g = r + shift[0]
        g -= shift[1]
        dx, dl, ds, step, move = direction(g, centre - lam * s - dl * ds)
        shift -= state[2:]
        ratios *= move
        shift[0] -= ratios[0]
        shift[1] += ratios[1]
        reach = _longest(
            _least(np.minimum(_shares(inner, move), shift / state[2:])), lam, dl, s, ds)
        reach = np.where(reach < 1, 0.995 * reach, 1.0)
        # At the end of the arithmetic a direction may be no number: then that problem has ended.
        sound = reach > 0
        live = live & sound & (total > 1e-16 * size)
        if not sound.all():
            dx[~sound], step[~sound], ds[~sound], move[~sound], shift[:, ~sound] = 0, 0, 0, 0, 0
        # Of a batch the problems that have ended stay.
        reach = np.where(live, reach, 0.0)
        far = reach[..., None]
        move *= far
        alpha += move
        v -= move
        shift *= far
        state[2:] += shift
        x += far * dx
        scores += far * step
        np.maximum(x[..., -1], 1e-60, out=x[..., -1])
        s = np.maximum(s + reach * ds, 1e-60)
        np.maximum(state[:2], least, out=state[:2])
        np.maximum(state[2:], 1e-60, out=state[2:])
        np.minimum(alpha, u, out=alpha)
    back_to = 1 / scale[..., 0]
    return Optimum(x[..., :-1], x[..., -1], alpha / scale, s * back_to, steps, gap * back_to)


def _least(values: Floats) -> Floats:
    """Of both sides' values, problem by problem."""
    return np.asarray(np.minimum.reduce(np.minimum.reduce(values), -1))


def _shares(inner: Floats, move: Floats) -> Floats:
    """A step of the weights, as shares of them and of what they leave."""
    shares = inner * move
    np.negative(shares[1], out=shares[1])
    return np.asarray(shares)


def _longest(least: Floats, lam: Floats, dl: Floats, s: Floats, ds: Floats) -> Floats:
    """Longest step in [0, 1] that keeps every value at or above 0, given the least share."""
    least = np.minimum(least, np.minimum(dl / lam, ds / s))
    return np.asarray(1 / np.maximum(1.0, -least))
