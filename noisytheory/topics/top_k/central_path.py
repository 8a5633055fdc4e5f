r"""One problem, of any convex loss, by a primal-dual interior point method.

$\min_{w,\lambda\ge0}\sum_iu_i[\ell_i(w)-\lambda]_++\nu\lambda-\bar z^\top w
+\frac12w^\top(H+\mathrm{diag}(r))w$. Every example has an excess $\xi_i$ and a shortfall $t_i$,
$\ell_i-\lambda=\xi_i-t_i$, and a weight $0\le\alpha_i\le u_i$, $\sum\alpha_i\le\nu$; on the
central path $\alpha_it_i=(u_i-\alpha_i)\xi_i=\mu\max(u_i,u_{\max}/100)$: a row of twice the weight
is two rows, but products of very different sizes would keep steps short. Near the collapse all
losses are nearly straight lines through one point: there Newton's method on a smoothed objective
takes a hundred steps, this fifteen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.design import Design, solver

__all__ = ["follow"]

Floats = NDArray[np.float64]

NEAR = 1e-4
"""Share by which the weights of a start may miss the tail mass."""

LEAST = 1e-2
"""Of the largest weight, as which smaller ones count in the barrier."""
UNEQUAL = 1.1
"""Times the mean loss at which the largest ones end, from which on they are called unequal."""
SHORT = 0.5
"""Barrier, as a share of the objective where that is less than the threshold."""
STUCK = 0.9
"""Of the products before a step: where more is left, the next step is a cautious one."""
AGAIN = 8
"""Such steps after which the corrector is cautious."""
GROWN = 4
"""Times the largest loss may grow in a step: beyond it is bent too much."""


# What underflows is a barrier's last digit; a step that overflows is shortened.
@np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore")
def follow(
    design: Design, losses: Callable[[Floats], tuple[Floats, Design, Floats | None]], u: Floats,
    nu: float, ridge: Floats, enough: Callable[[Floats, Floats, float, float], bool], *,
    most: int, linear: Floats | None = None, quadratic: Floats | None = None,
    start: tuple[Floats, float | None, float] | None = None,
) -> tuple[Floats, Floats, float, int]:
    r"""Steps of predictor and corrector until a point is enough.

    Parameters
    ----------
    design : Design
        Rows $x_i$.
    losses : callable
        Of scores: $\ell_i$, rows with $-\ell_i'$ for signs, and second derivatives or None.
    u : array, shape (m,)
        Upper ends of the weights, above 0.
    nu : float
        Tail mass.
    ridge : array, shape (d,)
        $r$; 0 for what is free.
    enough : callable
        ``(coefficients, weights, objective, dual value)`` to whether to stop; the values are
        estimates that take no product with the rows, by Fenchel's equality.
    most : int
        Steps at most; fifteen are usual.
    linear, quadratic : array, shapes (d,) and (d, d), optional
        $\bar z$ and $H$: what other examples add.
    start : coefficients, level and gap, optional
        A point to begin with, and about how far from the optimum it is. Without a level all
        weights may be at their upper ends, and there is no threshold.

    Returns
    -------
    coefficients, weights, level, steps

    Notes
    -----
    Mehrotra's predictor and corrector; losses, slopes and curvatures are those of every new point.

    Examples
    --------
    >>> rows = Design(np.array([[1.0], [1.0], [-1.0]]))
    >>> w, weights, level, steps = follow(
    ...     rows, lambda f: (1 - f, rows, None), np.full(3, 1 / 3), 1.0, np.ones(1),
    ...     lambda w, weights, primal, dual: primal - dual <= 1e-9, most=30)
    >>> w.round(6).tolist(), steps < 15
    ([0.333333], True)
    """
    # Weights of size one, so that all products of the barrier are of one size.
    scale = 1 / float(u.max())
    u, nu, ridge = u * scale, nu * scale, ridge * scale
    m, width = len(u), design.width
    linear = np.zeros(width) if linear is None else linear * scale
    diagonal = np.arange(width)
    if quadratic is None:
        inverse_ridge = np.divide(1.0, ridge, out=np.zeros_like(ridge), where=ridge > 0)
    else:
        whole = quadratic * scale
        whole[diagonal, diagonal] += ridge
        # What nothing bends, an intercept beside rows without weight, is left out.
        loose = np.diagonal(whole) <= 0
        invert = solver(whole + np.diag(loose))
    w = np.zeros(width) if start is None else start[0]
    level = start is None or start[1] is not None
    f = design.scores(w)
    values, pieces, bend = losses(f)
    # What is left of the tail mass is one more weight.
    share_of_slack = 1e-3 * float(u.sum())
    part = np.maximum(u, LEAST)
    count = 2 * float(part.sum()) + share_of_slack
    times = part / u
    if start is None:
        lam = max(float(u @ np.abs(values)) / float(u.sum()), 1e-12)
        mu = 0.1 * lam
        end, top = _tail(values, u, nu)
        if end > UNEQUAL * lam:
            # A short tail of unequal losses: the threshold is far above their mean.
            mu = SHORT * min(top / float(u.sum()), end)
            lam = _threshold(values, u, nu, mu, times, end, share_of_slack)
    elif start[1] is None:
        lam, mu = 0.0, start[2] * scale / count
    else:
        mu = start[2] * scale / count
        lam = _threshold(values, u, nu, mu, times, max(start[1], 1e-12), share_of_slack)
    r = values - lam
    state = np.empty((4, m))
    alpha, v, t, xi = state
    t[:], xi[:] = _central(-r, mu * times), _central(r, mu * times)
    np.maximum(state[2:], 1e-9 * mu, out=state[2:])
    alpha[:], v[:] = mu * part / t, mu * part / xi
    s = max(nu - float(alpha.sum()), mu * share_of_slack / lam) if level else 1.0
    move, extra, pushes = np.empty((4, m)), np.empty((2, m)), np.empty((3, m))
    system, right = np.empty((width + 1, width + 1)), np.empty(width + 1)
    before, stuck = np.inf, 0
    for steps in range(most + 1):
        mass = float(alpha.sum())
        total = float(np.vdot(state[:2], state[2:])) + lam * s
        ratios = state[2:] / state[:2]
        inverse = 1 / np.minimum(ratios[0] + ratios[1], 1e100)
        pushes[0], pushes[1] = alpha, inverse
        pulled = np.multiply(inverse, r, out=pushes[2])
        push, edge, pull = pieces.adjoint(pushes)
        share = nu / mass if mass > nu else 1.0
        held = linear + share * push
        bent, unbent = (ridge * w, inverse_ridge * held) if quadratic is None else (
            whole @ w, np.where(loose, 0.0, invert(np.where(loose, 0.0, held))))
        primal = float(u @ np.maximum(r, 0)) + nu * lam + float((0.5 * bent - linear) @ w)
        dual = share * float(alpha @ (values + pieces.signed(f))) - 0.5 * float(
            held @ unbent)
        if enough(w, alpha / scale, primal / scale, dual / scale) or steps == most:
            break
        rd, rs = push + linear - bent, nu - mass - s if level else 0.0
        weight = inverse
        if bend is not None:
            weight = inverse * pieces.signs**2 + alpha * bend  # type: ignore[operator]
        system[:-1, :-1] = pieces.gram(weight)
        if quadratic is None:
            system[diagonal, diagonal] += ridge
        else:
            system[:-1, :-1] += whole
        system[-1, :-1] = system[:-1, -1] = edge if level else 0.0
        system[-1, -1] = float(inverse.sum()) + s / lam if level else 1.0
        solve = solver(system)

        def direction(
            g: Floats, pulled: Floats, pull: Floats, rl: float, *, inverse: Floats = inverse,
            pieces: Design = pieces, rd: Floats = rd, rs: float = rs, lam: float = lam,
            solve: Any = solve, move: Floats = move,
        ) -> tuple[Floats, float, float, Floats]:
            np.add(pull, rd, out=right[:-1])
            right[-1] = float(pulled.sum()) + rl / lam - rs if level else 0.0
            found = solve(right)
            step = design.scores(found[:-1])
            np.multiply(inverse, g - found[-1] - pieces.signed(step), out=move[0])
            np.negative(move[0], out=move[1])
            slack = rs - float(move[0].sum()) if level else 0.0
            return found[:-1], float(found[-1]), slack, step

        # The products are to vanish: of what the equations say of t and xi only r is left.
        dw, dl, ds, step = direction(r, pulled, pull, -lam * s)
        np.subtract(-state[2:], ratios * move[:2], out=move[2:])
        reach = _longest(state, move, lam, dl, s, ds)
        np.multiply(move[:2], move[2:], out=extra)
        after = (1 - reach) * total + reach**2 * (float(extra.sum()) + dl * ds)
        mean = total / count
        centre = min(max(after / total, 1e-8), 1.0) ** 3 * mean
        # A corrector that gains nothing may go round in circles: then towards the centre, without.
        if total > STUCK * before and level:
            stuck += 1
            centre = max(centre, mean / 2)
            if stuck <= AGAIN:
                dl, ds = 0.0, 0.0
                extra[:] = 0
        if stuck > AGAIN:
            # Round in circles: a corrector for so much of the step as was possible.
            extra *= reach**2
            dl, ds = reach * dl, reach * ds
        before = total
        np.subtract(centre * part, extra, out=extra)
        extra /= state[:2]
        g = r + extra[0] - extra[1]
        pulled = inverse * g
        dw, dl, ds, step = direction(
            g, pulled, pieces.adjoint(pulled), centre * share_of_slack - lam * s - dl * ds)
        np.subtract(extra - state[2:], ratios * move[:2], out=move[2:])
        reach = _longest(state, move, lam, dl, s, ds)
        # At the end of the arithmetic a direction may be no number.
        if not reach > 0:
            break
        reach = 0.995 * reach if reach < 1 else 1.0
        new = losses(f + reach * step)
        largest = GROWN * max(float(values.max()), lam)
        while not float(new[0].max()) <= largest and reach > 1e-6:
            reach *= 0.25
            new = losses(f + reach * step)
        values, pieces, bend = new
        move *= reach
        state += move
        w, f = w + reach * dw, f + reach * step
        if level:
            lam, s = max(lam + reach * dl, 1e-60), max(s + reach * ds, 1e-60)
        np.maximum(state[:2], 1e-18 * u, out=state[:2])
        np.maximum(state[2:], 1e-60, out=state[2:])
        r = values - lam
    return w, np.minimum(alpha, u) / scale, lam, steps


def _central(r: Floats, mu: Floats) -> Floats:
    """The positive root of $t^2-(r+2\\mu)t+\\mu r=0$: an excess on the central path."""
    # Where r is below 0 two large numbers cancel: weights would not add up to their ends.
    far = np.abs(r) + np.sqrt(r**2 + 4 * mu**2)
    return np.asarray(mu + np.where(r > 0, far / 2, 2 * mu**2 / far))


def _tail(values: Floats, u: Floats, nu: float) -> tuple[float, float]:
    """Where the largest values of this mass end, and their sum."""
    order = np.argsort(-values)
    reached = int(np.searchsorted(np.cumsum(u[order]), nu))
    end = float(values[order[min(reached, len(order) - 1)]])
    return end, float(u @ np.maximum(values - end, 0)) + nu * end


def _threshold(
    values: Floats, u: Floats, nu: float, mu: float, times: Floats, lam: float, of_slack: float,
) -> float:
    """About the threshold at which weights on the central path, and the slack, have the tail mass.
    """
    low, high, own = 0.0, np.inf, mu * times
    for _ in range(60):
        t = _central(lam - values, own)
        share = np.minimum(own / np.maximum(t, 1e-9 * mu), 1)
        found = float(u @ share) + mu * of_slack / lam - nu
        if abs(found) <= NEAR * nu:
            break
        low, high = (lam, high) if found > 0 else (low, lam)
        # Newton's step on the mass, which falls with the threshold.
        slope = float(u @ (share / np.sqrt((lam - values)**2 + 4 * own**2) * (1 - share)))
        slope += mu * of_slack / lam**2
        new = lam + found / slope
        if not low < new < high:
            new = 0.5 * (low + high) if high < np.inf else lam + 4 * mu
        lam = new
    return max(lam, 1e-12)


def _longest(state: Floats, move: Floats, lam: float, dl: float, s: float, ds: float) -> float:
    """Largest step in [0, 1] that keeps every value at or above 0."""
    of_level = dl / lam if lam else 0.0
    return 1 / max(1.0, -min(float((move / state).min()), of_level, ds / s))
