r"""Minimisation of the smoothed objective with its threshold eliminated.

$[u]_+$ becomes $s_\tau(u)$: 0 below $-\frac\tau2$, $u$ above $\frac\tau2$ and
$(u+\frac\tau2)^2/2\tau$ between, which is at most $\tau/8$ more. For given coefficients the best
$\lambda\ge0$ is found to the last digit, because the certificate needs the weights' sum exactly;
steps in coefficients and threshold together stall.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.design import Design, solver

__all__ = ["Smoothed", "eliminate", "kept_gram", "limited_memory", "newton", "pieces"]

Floats = NDArray[np.float64]

FEW, CLOSE = 8, 0.05
"""Inverse share of the rows that may have changed, and the relative change that is none."""
CONJUGATE = 30
"""Steps of conjugate gradients at most; with a sample's Hessian five are usual."""


def eliminate(
    losses: Floats, masses: Floats, nu: float, width: float, start: float | None = None
) -> tuple[float, Floats]:
    r"""The $\lambda\ge0$ with $\sum_iq_is_\tau'(\ell_i-\lambda)=\nu$, or 0, and the $s_\tau'$.

    Parameters
    ----------
    losses, masses : array, shape (n,)
    nu : float
    width : float
        $\tau$.
    start : float, optional
        A guess.

    Returns
    -------
    level : float
    shares : array, shape (n,)
        In [0, 1].

    Examples
    --------
    >>> eliminate(np.array([0.0, 1.0]), np.array([0.5, 0.5]), 0.5, 0.5)[1].tolist()
    [0.0, 1.0]
    """
    shifted = losses / width + 0.5

    def shares(at: float) -> Floats:
        return np.clip(shifted - at / width, 0.0, 1.0)

    a = shares(0.0)
    if float(masses @ a) <= nu:
        return 0.0, a
    low, high = 0.0, float(losses.max()) + width / 2
    at = start if start is not None and low < start < high else _quantile(losses, masses, nu)
    at = min(max(at, low), high)
    for _ in range(80):
        a = shares(at)
        excess = float(masses @ a) - nu
        if abs(excess) <= 1e-15 * nu:
            break
        low, high = (at, high) if excess > 0 else (low, at)
        slope = float(masses[(a > 0) & (a < 1)].sum()) / width
        step = at + excess / slope if slope > 0 else np.inf
        new = step if low < step < high else 0.5 * (low + high)
        if new == at:
            break
        at = new
    return at, a


def _quantile(losses: Floats, masses: Floats, nu: float) -> float:
    if masses[0] * len(masses) == 1:
        n = len(losses)
        place = min(max(int(n - nu * n), 0), n - 1)
        return float(np.partition(losses, place)[place])
    order = np.argsort(losses)[::-1]
    reached = int(np.searchsorted(np.cumsum(masses[order]), nu))
    return float(losses[order[min(reached, len(order) - 1)]])

TOO_FAR = 1e300
"""The objective of a step whose losses overflow."""


@dataclass(eq=False)
class Smoothed:
    """The objective at one width: what Newton's method and L-BFGS share.

    Parameters
    ----------
    design : Design
        Rows $x_i$ with signs where the losses are pieces $c_i-z_i^\\top w$.
    losses, slopes, curvatures : callable
        Of the scores.
    masses : array, shape (n,)
    nu : float
    ridge : array, shape (d,)
    everything : bool
        Whether the tail is the whole sample: then there is no threshold.
    width, level : float
        $\\tau$ and the last threshold.
    gap, target : float
        The last certificate's gap, and what is asked for.
    sample : array of int, optional
        Rows whose Hessian stands for the whole one; the difference is left to conjugate gradients.
    kept : tuple of arrays, optional
        Weights by the losses' curvature at an earlier step, and their Gram matrix.
    """

    design: Design
    losses: Callable[[Floats], Floats]
    slopes: Callable[[Floats], Floats]
    curvatures: Callable[[Floats], Floats]
    masses: Floats
    nu: float
    ridge: Floats
    everything: bool = False
    width: float = 0.1
    level: float | None = None
    gap: float = np.inf
    target: float = 0.0
    sample: NDArray[np.intp] | None = None
    kept: tuple[Floats, Floats] | None = None

    @functools.cached_property
    def some(self) -> Design:
        """The sampled rows."""
        return self.design.take(self.sample)  # type: ignore[arg-type]

    def value(self, w: Floats, f: Floats) -> tuple[float, Floats, Floats]:
        """Value, shares $s'$ and losses at coefficients with these scores."""
        losses = self.losses(f)
        own = 0.5 * float(self.ridge @ w**2)
        if losses.max() == np.inf:
            return np.inf, np.ones(len(losses)), losses
        if self.everything:
            self.level = 0.0
            return float(self.masses @ losses) + own, np.ones(len(losses)), losses
        self.level, a = eliminate(losses, self.masses, self.nu, self.width, self.level)
        u = losses - self.level
        smooth = np.where(a >= 1, u, 0.5 * self.width * a**2)
        return float(self.masses @ smooth) + self.nu * self.level + own, a, losses

    def estimates(
        self, w: Floats, f: Floats, a: Floats, losses: Floats, slope: Floats, gradient: Floats,
        inverse: Floats,
    ) -> tuple[float, float]:
        r"""Objective and dual value at these shares, to rounding, without a product.

        The conjugate of a loss at its own slope is $sf-\ell$, and what the gradient has beside
        the regulariser is the weighted sum of the rows.
        """
        own = 0.5 * float(self.ridge @ w**2)
        level = self.level or 0.0
        over = np.maximum(losses - level, 0)
        primal = float(self.masses @ over) + self.nu * level + own
        p = self.masses * a
        rows = gradient - self.ridge * w
        return primal, float(p @ (losses - slope * f)) - 0.5 * float(inverse @ rows**2)


def newton(
    problem: Smoothed, w: Floats, accept: Callable[[Floats, Floats], bool],
    look: Callable[[float], float], *,
    narrow: float = 0.1, smallest: float = 1e-11, steps: int = 250,
) -> tuple[Floats, int]:
    r"""Newton's method in the coefficients, widths falling until the certificate is accepted.

    Parameters
    ----------
    problem : Smoothed
    w : array, shape (d,)
        Start.
    accept : callable
        ``(coefficients, shares)`` to whether the certified gap is small enough. It is asked where
        an estimate of the gap without a product with the rows, by Fenchel's equality, is.
    look : callable
        ``(estimated objective, estimated gap)`` to the gap that is asked for.
    narrow : float
        Smallest factor from one width to the next.
    smallest : float
        Last width, relative to the first.
    steps : int
        At most.

    Returns
    -------
    coefficients, steps
    """
    design, q, ridge = problem.design, problem.masses, problem.ridge
    first = problem.width
    f = design.scores(w)
    value, a, losses = problem.value(w, f)
    inverse = np.divide(1.0, ridge, out=np.zeros_like(ridge), where=ridge > 0)
    # Without a regulariser of the intercept the estimate takes more than the shares allow.
    free = bool((ridge == 0).any())
    stalled = since = 0
    primal, dual = np.inf, -np.inf
    for taken in range(steps):
        slope = problem.slopes(f)
        gradient = design.combine(q * a * slope) + ridge * w
        cost = 0.5 * float(inverse @ gradient**2)
        if free:
            # Slopes of one sign are shrunk until they balance: that much of the dual value is lost.
            whole = float((q * a) @ np.abs(slope))
            cost += float(np.abs(gradient[ridge == 0]).sum()) * abs(value) / max(whole, 1e-300)
        small = 1e-9 * abs(value)
        quiet = cost <= min(small, 0.1 * problem.target or small) or stalled > 1
        # At a small C nothing gains more than rounding: of smooth losses alone one step says what.
        begun = taken > 0 or not problem.everything
        if begun and (cost <= 1e-4 * abs(value) or quiet):
            above, below = problem.estimates(w, f, a, losses, slope, gradient, inverse)
            primal, dual = min(primal, above), max(dual, below)
            problem.gap, problem.target = primal - dual, look(primal)
            if (free or problem.gap <= problem.target) and accept(w, a):
                return w, taken
            smoothed = problem.gap - cost
            if quiet or cost <= 0.2 * smoothed:
                # The width's own share of the gap falls with its square: aim at what is asked for.
                aim = np.sqrt(0.4 * problem.target / smoothed) if smoothed > 0 else narrow
                factor = float(np.clip(aim, narrow, 0.6))
                if problem.width * factor < smallest * first:
                    if quiet:
                        break
                else:
                    stalled = 0
                    # A step ahead pays where the last width took several.
                    before, far = w, taken - since > 5
                    since = taken
                    w, f, value, a, losses = _narrowed(problem, w, f, a, losses, slope, factor, far)
                    if w is not before:
                        continue
                    gradient = design.combine(q * a * slope) + ridge * w
        direction, along = _direction(problem, (a > 0) & (a < 1), a, f, slope, gradient)
        decrement = float(gradient @ direction)
        if decrement >= 0:
            direction, along = -gradient, design.scores(-gradient)
            decrement = -float(gradient @ gradient)
        step, level = 1.0, problem.level
        for _ in range(40):
            trial, scores = w + step * direction, f + step * along
            new, new_a, new_losses = problem.value(trial, scores)
            if new <= value + 1e-4 * step * decrement + 1e-15 * abs(value):
                break
            step *= 0.5
        else:
            problem.level = level
            stalled += 2
            continue
        stalled = stalled + 1 if value - new <= 1e-14 * abs(value) else 0
        w, f, value, a, losses = trial, scores, new, new_a, new_losses
        # Whoever looks may have to solve another problem beside this one.
        del along, slope
        if taken % 20 == 19:
            f = design.scores(w)
    accept(w, a)
    return w, taken + 1


def _narrowed(
    problem: Smoothed, w: Floats, f: Floats, a: Floats, losses: Floats, slope: Floats,
    factor: float, far: bool,
) -> tuple[Floats, Floats, float, Floats, Floats]:
    """The next width, and Newton's step to it for the zone of the last: few rows leave the zone.

    Without it most rows of the zone leave it, and come back one by one.
    """
    q, inside = problem.masses, (a > 0) & (a < 1)
    problem.width *= factor
    here = (w, f, *problem.value(w, f))
    level = problem.level
    total = float(q[inside].sum())
    if not far or not total or problem.everything:
        return here
    free = 0.0
    if level:
        # The zone's shares keep their sum.
        free = float(q[inside] @ (losses[inside] - problem.width * (a[inside] - 0.5))) / total
    kept = np.where(inside, (losses - free) / problem.width + 0.5, a)
    gradient = problem.design.combine(q * kept * slope) + problem.ridge * w
    direction, along = _direction(problem, inside, np.clip(kept, 0, 1), f, slope, gradient)
    there = (w + direction, f + along, *problem.value(w + direction, f + along))
    if there[2] < here[2]:
        return there
    problem.level = level
    return here


def _direction(
    problem: Smoothed, inside: NDArray[np.bool_], a: Floats, f: Floats, slope: Floats,
    gradient: Floats,
) -> tuple[Floats, Floats]:
    """Newton's direction and its scores; of a sample's Hessian, mended by conjugate gradients."""
    design, ridge, q = problem.design, problem.ridge, problem.masses
    zone = np.zeros_like(q) if problem.everything else q * inside / problem.width
    smooth, sharp = q * a * problem.curvatures(f), zone * slope**2
    h = smooth + sharp
    mass = float(zone.sum()) if problem.level else 0.0
    edge = design.combine(zone * slope) if mass > 0 else None
    if problem.sample is None:
        hessian = kept_gram(problem, smooth, sharp)
        _finish(hessian, ridge, edge, mass)
        direction = -solver(hessian)(gradient)
        return direction, design.scores(direction)
    sample = problem.sample
    used = np.flatnonzero(zone)
    if used.size <= sample.size:
        # The zone has few rows with much weight: all of them, and the others by the sample.
        weight = np.where(zone[sample] > 0, 0.0, h[sample])
        hessian = problem.some.gram(weight * _share(h, zone, weight))
        if used.size:
            hessian += design.take(used).gram(h[used])
    else:
        hessian = problem.some.gram(h[sample] * (h.sum() / max(h[sample].sum(), 1e-300)))
    _finish(hessian, ridge, edge, mass)
    solve = solver(hessian)
    inverse = np.divide(1.0, ridge, out=np.zeros_like(ridge), where=ridge > 0)
    w, along, r = np.zeros_like(gradient), np.zeros(len(h)), -gradient
    z = solve(r)
    p, size = z, float(r @ z)
    first = size
    for _ in range(CONJUGATE):
        forward = design.scores(p)
        image = design.combine(h * forward) + ridge * p
        if edge is not None:
            image -= edge * (float(edge @ p) / mass)
        bend = float(p @ image)
        if bend <= 0:
            break
        step = size / bend
        w, along, r = w + step * p, along + step * forward, r - step * image
        z = solve(r)
        size, before = float(r @ z), size
        # What is left of the gradient then costs the certificate nothing that matters.
        if size <= 1e-2 * first or 0.5 * float(inverse @ r**2) <= 0.01 * problem.target:
            break
        p = z + (size / before) * p
    if not w.any():
        return z, design.scores(z)
    return w, along


def kept_gram(problem: Any, smooth: Floats, sharp: Floats) -> Floats:
    """Of all rows, weights of the losses' curvature and the zone's; where few are new, only theirs.

    What is left of the curvature lies within a share of the whole in every direction. The problem
    has a ``design``, and what is ``kept``.
    """
    design = problem.design
    if np.count_nonzero(sharp) > len(sharp) // FEW:
        return np.asarray(design.gram(smooth + sharp))
    before, found = problem.kept or (np.zeros_like(smooth), None)
    change = smooth - before
    moved = np.abs(change) > CLOSE * before
    if found is None or np.count_nonzero(moved) > len(moved) // FEW:
        change, moved, found = np.zeros_like(smooth), np.zeros_like(moved), design.gram(smooth)
        problem.kept = smooth, found
    new = np.where(moved, change, 0.0) + sharp
    more, less = np.flatnonzero(new > 0), np.flatnonzero(new < 0)
    if more.size:
        found = found + design.take(more).gram(new[more])
    if less.size:
        found = found - design.take(less).gram(-new[less])
    return np.array(found)


def _share(h: Floats, zone: Floats, weight: Floats) -> float:
    """By how much the sampled weights outside of the zone are to grow to stand for all."""
    whole = float(h.sum() - h[zone > 0].sum())
    some = float(weight.sum())
    return whole / some if some > 0 else 1.0


def _finish(hessian: Floats, ridge: Floats, edge: Floats | None, mass: float) -> None:
    """The regulariser, and what the threshold takes away, in place."""
    hessian[np.diag_indices_from(hessian)] += ridge
    if edge is not None:
        hessian -= np.outer(edge, edge) / mass


def limited_memory(
    problem: Smoothed, w: Floats, accept: Callable[[Floats, Floats], bool], *,
    narrow: float = 0.1, widths: int = 8,
) -> tuple[Floats, int]:
    """L-BFGS on the same objective: for many coefficients, where a Hessian is too large.

    Parameters
    ----------
    problem, w, accept, narrow
        As for `newton`.
    widths : int
        How many widths are tried.

    Returns
    -------
    coefficients, evaluations
    """
    from scipy.optimize import minimize

    design, q, ridge = problem.design, problem.masses, problem.ridge

    def both(at: Floats) -> tuple[float, Floats]:
        f = design.scores(at)
        value, a, _ = problem.value(at, f)
        if value == np.inf:
            # The step was too long: the line search comes back.
            return TOO_FAR, ridge * at
        return value, design.combine(q * a * problem.slopes(f)) + ridge * at

    taken = 0
    for _ in range(widths):
        found = minimize(both, w, jac=True, method="L-BFGS-B",
                         options={"maxiter": 1500, "maxcor": 30, "ftol": 1e-15, "gtol": 1e-9})
        w, taken = found.x, taken + int(found.nfev)
        _, a, _ = problem.value(w, design.scores(w))
        if accept(w, a) or problem.everything:
            break
        problem.width *= narrow
    return w, taken


def pieces(design: Design, c: Floats) -> dict[str, Any]:
    r"""Losses $c_i-z_i^\top w$ of a piecewise linear problem as functions of the scores.

    Parameters
    ----------
    design : Design
    c : array, shape (n,)

    Returns
    -------
    dict
        ``losses``, ``slopes`` and ``curvatures`` for `Smoothed`.
    """
    signs = design.signs

    def losses(f: Floats) -> Floats:
        return c - (f if signs is None else signs * f)

    def slopes(f: Floats) -> Floats:
        return np.full(len(f), -1.0) if signs is None else -signs

    return dict(losses=losses, slopes=slopes, curvatures=np.zeros_like)
