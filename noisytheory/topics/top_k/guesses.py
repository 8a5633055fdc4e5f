"""Models guessed between two knots, with weights that say how good they are.

The best model in the plane of the two is near the minimiser, and the weights of its own largest
losses nearly prove so. Where they do not, Newton's step from it is added to the plane.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.design import Design, solver
from noisytheory.topics.top_k.jumps import heaviest
from noisytheory.topics.top_k.neighbours import Part
from noisytheory.topics.top_k.walk import Knot, Walk

__all__ = ["GUESSED", "Guess", "Guesses"]

Floats = NDArray[np.float64]

NEWTON, ZONE, NEXT = 5, 0.3, 0.2
"""Looks at models of a span; how far from the threshold losses tell how many pass it, as a share of
how far they are; and of the gap allowed, twice what a step is to gain.
"""
TRIES, CLOSER = 6, 0.8
"""At a guess, and what of its gap one more may leave."""
TINY = 1e-300
GUESSED = 0.95
"""Share of the gap allowed that weights may have which are not of a solution."""


@dataclass(frozen=True, eq=False)
class Guess(Knot):
    """A mixture with weights of its own."""

    lacks: tuple[float, float] = (0.0, 0.0)


class Guesses(Walk):
    """Guesses between knots."""

    direction: Floats | None = None
    """Of the solutions next to the collapse."""

    @functools.cached_property
    def ray(self) -> tuple[Floats, Floats]:
        """The direction in which zero ends, as long as the solution above; and its scores."""
        assert self.direction is not None
        d = self.rows.shape[1]
        own = float(np.linalg.norm(self.direction[:d]))
        w = self.direction * (float(np.linalg.norm(self.knots[-1].coef[:d])) / own if own else 0.0)
        return w, Design(self.rows, free=self.free).scores(w)

    # Where losses overflow there is nothing to guess.
    @np.errstate(over="ignore", invalid="ignore")
    def guessed(self, at: int, nu: float) -> tuple[Guess, float]:
        """The best model in the span of the solutions about a tail mass; and its gap.

        Its weights are those of its own largest losses. It is near the minimiser, and so are they,
        while weights mixed from two solutions are spread over losses that do not count: of both
        sorts of weights the best mixture.
        """
        low, high = self.knots[at], self.knots[at + 1]
        below, above = low, high
        share = float(self.shares(below, above, nu)[1])
        whole = 1 - share
        flat = not below.coef[: self.rows.shape[1]].any()
        if flat:
            # Next to the collapse models have its direction, and a length that grows with k.
            whole, share = share * (1 - share), share**2
        # Where an intercept is free it is to balance the weights.
        parts = np.array([whole, share] + [0.0] * self.free)
        end = len(below.coef)
        turned = below.coef, below.scores
        if flat and self.direction is not None:
            turned = self.ray
        basis = np.array([turned[0], above.coef] + [np.eye(end)[-1]] * self.free)
        scores = np.array([turned[1], above.scores] + [np.ones(len(self.labels))] * self.free)
        task = self.part(nu)
        if self.free:
            # An intercept may jump.
            b = float(parts @ basis[:, -1])
            some = [float(low.coef[-1]), float(high.coef[-1]), *self.intercepts(nu)]
            parts[2] = task.best_of(parts @ scores, [c - b for c in (b, *some)])
        t, C = float(self.shares(low, high, nu)[0]), self.constant(nu)
        push, mass = low.push + t * (high.push - low.push), low.mass + t * (high.mass - low.mass)
        linear = low.linear + t * (high.linear - low.linear)
        gap = np.inf
        for _ in range(TRIES):
            parts, p, slopes, losses = self.spanned(
                nu, parts, scores, basis[:, : end - self.free], task.constant)
            task.best_dual, task.best_weights = -np.inf, None
            task.certify(p, slopes)
            if self.free and self.kind.margin:
                task.certify(self.evened(p * np.abs(slopes), slopes, losses), slopes)
            if task.best_weights is not None:
                p = task.best_weights
            more, turn = task.best_linear - linear, task.best_push - push
            bend, best = C * float(turn @ turn), 0.0
            if bend > 0 and np.isfinite(more):
                best = float(np.clip((more - C * float(push @ turn)) / bend, 0, 1))
            linear, push = linear + best * more, push + best * turn
            mass += best * (float(p.sum()) - mass)
            # Models may be nearly alike, and parts of them large: scores are the coefficients'.
            w = parts @ basis
            f = task.design.scores(w)
            found = Guess(nu, w, f, linear, push, mass, self.sort(nu, f, none=0.0))
            value = float(found.tail.top(nu)) + float(self.ridge(found, found, 0.0, nu))
            dual = float(self.dual(found, found, nu))
            gain, before = task.constant - dual, gap
            gap = (value - dual) / float(self.unit(nu, value, gain))
            if not GUESSED * self.tol < gap < CLOSER * before:
                break
            w = self.newton(task, w, f, p, slopes, losses)
            basis, parts = np.vstack([basis, w]), np.append(parts, 0.0)
            scores = np.vstack([scores, task.design.scores(w)])
        return replace(found, lacks=(max(gain, float(self.least(nu))), value - dual)), gap

    def intercepts(self, nu: float) -> list[float]:
        """Some that may be good at a tail mass."""
        return []

    def newton(
        self, task: Part, w: Floats, f: Floats, p: Floats, slopes: Floats, losses: Floats
    ) -> Floats:
        """Newton's step from a model, of all coefficients."""
        design, y = task.design, self.labels
        level = heaviest(self, losses, task.nu)[1]
        zone, ends = self.zone(losses, level)
        weight = p * self.kind.curvatures(y, f)
        weight[zone] += ends * slopes[zone]**2
        bend = design.gram(weight)
        bend[np.diag_indices_from(bend)] += task.ridge
        if level > 0 and zone.size:
            edge = design.take(zone).combine(ends * slopes[zone])
            bend -= np.outer(edge, edge) / max(float(ends.sum()), 1e-300)
        return -solver(bend)(design.combine(p * slopes) + task.ridge * w)

    def zone(self, losses: Floats, level: float) -> tuple[NDArray[np.intp], Floats]:
        """Rows near the threshold, and how much of their weight passes it for a unit of loss."""
        away = np.abs(losses - level)
        width = ZONE * float(self.masses @ away)
        zone = np.flatnonzero(away < width)
        return zone, self.masses[zone] / (2 * width or 1.0)

    def evened(self, pulls: Floats, slopes: Floats, losses: Floats) -> Floats:
        """Weights of the largest losses that pull an intercept up as much as down."""
        p, whole = np.zeros(len(pulls)), self.masses * np.abs(slopes)
        sides = [np.flatnonzero(slopes * sign > 0) for sign in (1, -1)]
        aim = min(float(pulls.sum()) / 2, *(float(whole[side].sum()) for side in sides))
        for side in sides:
            order = side[np.argsort(-losses[side])]
            ends = np.maximum(whole[order], TINY)  # a product of small numbers may be none
            p[order] = self.masses[order] * np.clip((aim - np.cumsum(ends) + ends) / ends, 0, 1)
        return p

    def spanned(
        self, nu: float, parts: Floats, scores: Floats, basis: Floats, nones: float
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """The best parts of a few models by Newton's method; its weights, slopes and losses."""
        gram, y, best = basis @ basis.T / self.constant(nu), self.labels, np.inf
        found, step = (parts, *np.zeros((3, len(y)))), 0 * parts
        for _ in range(NEWTON):
            f = parts @ scores
            losses, slopes = self.kind.values(y, f), self.kind.slopes(y, f)
            p, level = heaviest(self, losses, nu)
            value = float(p @ losses) + 0.5 * float(parts @ gram @ parts)
            if not value < best:
                step = step / 4
                parts = found[0] + step
                continue
            best, found = value, (parts, p, slopes, losses)
            pulls = scores * slopes
            zone, ends = self.zone(losses, level)
            some = pulls[:, zone]
            edge = some @ ends
            bend = (scores * (p * self.kind.curvatures(y, f))) @ scores.T + gram
            if level > 0:
                bend += (some * ends) @ some.T - np.outer(edge, edge) / max(ends.sum(), 1e-300)
            slope = pulls @ p + gram @ parts
            step = -solver(bend)(slope)
            if -float(slope @ step) <= NEXT * self.tol * max(nones - best, self.least(nu)):
                break
            parts = parts + step
        return found
