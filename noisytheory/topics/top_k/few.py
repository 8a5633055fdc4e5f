"""All k from a few solutions, where gains below a share of the largest k's do not matter.

Least squares of the labels begin two problems without a threshold: the solution at the largest k,
and the weights that balance the labelled rows, whose mass is where zero stops to be the minimiser;
these are not sought where the floor is high.
Between the two stand models in equal ratios, as far down as the floor asks: guesses with weights
that prove them good enough, or solutions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from noisytheory.topics.top_k.design import Design, solver
from noisytheory.topics.top_k.guesses import GUESSED, Guess, Guesses
from noisytheory.topics.top_k.individual import individual
from noisytheory.topics.top_k.jumps import squares
from noisytheory.topics.top_k.neighbours import Balance, Part, sample_size
from noisytheory.topics.top_k.task import REACHED, ROUNDING, WIDE, positive_level
from noisytheory.topics.top_k.walk import EXACT, FARTHEST, MOST, SMALL, Knot, Sorted, sums

__all__ = ["Few"]

Floats = NDArray[np.float64]

ROUGH = 0.2
"""Share of the gap allowed that solutions below the largest k may have."""
LOW = 0.1
"""Share of the gap allowed that the lowest solution gains."""
RUNGS, FAR_RUNGS = (0.55, 0.2), (0.3, 0.2)
"""Of the distance from the collapse, where it is not known, as seen from one solution, where the
next stands; and of many rows.
"""
PARTED = 10
"""Rounds after which what is missing is halved: next to a solution the largest gap may stay."""
COLLAPSE = 5e-4
"""Relative error of the collapse that is let stand."""
REACH, RATIO = 1.9, 0.35
"""Of the way up from the collapse, beside the root of the floor, where the lowest solution stands;
and where at least one stands as seen from the one above.
"""
BRIEF = 0.5
"""Floor from which on it is not asked where zero ends, in the paper's scaling: least squares have
about its direction.
"""
SLIGHT = {8: 1e-3, 16: 1e-2}
"""By solutions, how small a gain does not matter from there on, either, beside what the best
constant loses.
"""
LENGTHS = np.array([0.6, 1.0, 1.6, 2.5, 4.0])
"""Of least squares, the best of which is begun with."""


class Few(Guesses):
    """A few solutions, mixtures between them."""

    most = np.inf
    """What is gained at the largest k."""
    squares: Floats | None = None
    """Coefficients of least squares, without a regulariser to speak of."""

    tops: dict[Sorted, Floats]
    """Sums of largest losses, and where they end, at every k."""
    constant_to = 0.0
    """Up to where a constant is proven the minimiser, other than zero beyond where zero ends."""
    sought = False
    """Whether it is known where zero stops to be the minimiser, as far as it may be."""

    def highest(self, nu: float) -> Knot:
        """The solution at the largest k, from least squares."""
        w = np.zeros(self.rows.shape[1] + self.free)
        if self.start is not None:
            w[: len(self.start)] = self.start
        elif self.kind.margin and len(w) <= WIDE:
            w = self.least_squares(nu)
        high = self.solved(nu, w, self.size if w.any() else 0.0)
        self.most = max(self.gain(high), ROUNDING * self.size)
        self.most /= nu if self.average else 1.0
        return high

    def solved(
        self, nu: float, start: Floats, gain: float = 0.0, gap: float = 0.0, *, flat: bool = False
    ) -> Knot:
        """From the better of some intercepts."""
        if self.free and self.kind.margin and start.any():
            task, b = self.part(nu), float(start[-1])
            some = [b, 0.0, float(self.constants(np.array([nu]))[0][0])]
            more = task.best_of(task.design.scores(start), [c - b for c in some])
            start = np.append(start[:-1], b + more)
        return super().solved(nu, start, gain, gap, flat=flat)

    def least_squares(self, nu: float) -> Floats:
        """Of the labels, at the best of some lengths; and without a regulariser."""
        design = Design(self.rows, free=self.free)
        system = self.moments.copy()
        right = design.combine(self.masses * self.labels)
        diagonal = np.diag_indices(self.rows.shape[1])
        own = system.copy()
        system[diagonal] += 1e-9 * float(np.trace(system))
        self.squares = solver(system)(right)
        own[diagonal] += 1 / self.constant(nu)
        w = solver(own)(right)
        margins, ridge = self.labels * design.scores(w), float(w @ w) / (2 * self.constant(nu))
        values = [float(self.masses @ self.kind.psi(a * margins)) + a**2 * ridge for a in LENGTHS]
        return np.asarray(LENGTHS[int(np.argmin(values))] * w)

    @property
    def many(self) -> bool:
        """Whether a problem is solved on some of the rows."""
        size = sample_size(self.rows.shape[1] + self.free)
        return len(self.labels) > 1.5 * size and not sparse.issparse(self.rows)

    def part(self, nu: float) -> Part:
        """Its gap is relative to what is gained at the largest k."""
        task = super().part(nu)
        task.few = True
        if np.isfinite(self.most):
            task.tol, task.least = ROUGH * self.tol, self.least(nu)
        return task

    def nothing(self, high: Knot) -> Knot:
        """No coefficients, and no weights."""
        return replace(
            high, nu=0.0, coef=0 * high.coef, scores=0 * high.scores, linear=0.0,
            push=0 * high.push, mass=0.0, tail=replace(self.at_zero, nu=0.0, none=0.0))

    def below(self, high: Knot) -> list[Knot]:
        """Knots from zero up to this one.

        Below a model that gains less than is allowed, scaled weights and coefficients serve all k.
        """
        found, nothing = [high], self.nothing(high)
        if self.zero_to >= high.nu:
            return [nothing, high]
        if self.floor >= BRIEF and not self.average:
            self.direction = self.squares
            return [nothing, high]
        last = None
        if self.squares is not None:
            last = self.balanced(high, self.squares)
        # Pieces of lines need one solution between, what is curved two.
        most = 0 if self.sought else MOST
        for _ in range(MOST):
            at = found[0]
            low = self.gain(at) <= LOW * self.tol * self.least(at.nu)
            if low or at.nu <= self.nus[0] * (1 + 1e-12) or len(found) > most:
                break
            end = self.collapse(at)
            rungs = FAR_RUNGS if self.many else RUNGS
            share = rungs[min(len(found), len(rungs)) - 1]
            nu = max(end + share * (at.nu - end), at.nu / FARTHEST, float(self.nus[0]))
            small = min((nu - end) / (at.nu - end), 1.0)
            found.insert(0, self.solved(nu, small * at.coef, self.gain(at)))
        if not self.sought:
            # A solution that gains less than its gap has no direction.
            last = self.balanced(next(
                (at for at in found if self.gain(at) > self.tol * self.least(at.nu)), high))
        last = last or []
        return [nothing, *last, *(
            knot for knot in found if not last or knot.nu > last[-1].nu * (1 + 1e-12))]

    def balanced(self, low: Knot, squares: Floats | None = None) -> list[Knot] | None:
        """Where zero stops to be the minimiser; None if below every k, or not found.

        From least squares, or from a solution above.
        """
        if low.nu <= self.nus[0] * (1 + 1e-12):
            return None
        found = self.constant_up_to(low.coef if squares is None else squares)
        if found:
            return found
        hinge = Balance(self.rows, self.labels, self.masses, individual("hinge"), 1.0, 1.0,
                         self.free, COLLAPSE, start_value=1.0)
        hinge.lowest = float(self.nus[0])
        hinge.step = float(np.diff(self.nus, prepend=0.0).min())
        hinge.allowed = EXACT / (self.C * self.kind.slope_at_zero**2)
        hinge.find(low.coef if squares is None else squares)
        self.fits += 1
        p, nu, self.direction = hinge.best_weights, hinge.best_dual, hinge.direction
        self.sought = True
        if p is None or nu < hinge.lowest * (1 - 1e-9):
            return None
        task = Part(self.rows, self.labels, self.masses, self.kind, nu, self.constant(nu),
                     self.free, EXACT, start_value=float(self.at_zero.top(nu)))
        task.constant = self.none(nu)
        task.certify(p, self.kind.slopes(self.labels, np.zeros(len(p))))
        if task.start_value - task.best_dual > EXACT * task.start_value:
            return None
        self.zero_to = max(self.zero_to, nu)
        return [self.knot(task, 0 * low.coef, np.zeros(len(self.labels)))]

    def constant_up_to(self, w: Floats) -> list[Knot] | None:
        """Where a constant other than zero begins and ends to be the minimiser; None if nowhere."""
        if not (self.free and self.kind.smooth) or sparse.issparse(self.rows):
            return None
        above = float(self.masses[self.labels > 0].sum())
        share, sign = min(above, 1 - above), 1.0 if above >= 0.5 else -1.0
        few = self.labels * sign < 0
        # Where all of the smaller class count, and as much of the larger.
        start = float(self.nus[min(int(np.searchsorted(
            self.nus, 2 * share * (1 - 1e-9))), len(self.nus) - 1)])
        if start > 1 - ROUGH or share <= 0:
            return None
        middle = self.masses[few] @ self.rows[few] / share
        rows, masses = self.rows[~few] - middle, self.masses[~few]
        hinge = Balance(rows, np.ones(len(rows)), masses, individual("hinge"), 1.0, 1.0, False,
                        10 * COLLAPSE, start_value=1.0)
        hinge.lowest, hinge.step = share, float(np.diff(self.nus, prepend=0.0).min())
        hinge.allowed = EXACT / (self.C * self.kind.slope_at_zero**2)
        hinge.find(sign * w[:-1])
        if hinge.best_weights is None or hinge.direction is None or hinge.best_dual < share:
            return None
        self.fits += 1
        self.direction = np.append(sign * hinge.direction, 0.0)
        found, p, even = [], self.masses.copy(), min(2 * share, start)
        # Zero ends at twice the smaller class, the constant at the end, which may be between two k.
        ends = self.nus[np.maximum(self.nus.searchsorted(
            np.array([even, share + hinge.best_dual]) * (1 + 1e-9)) - 1, 0)]
        for nu in np.unique([*ends, start]).tolist():
            half = min(share, nu / 2)
            p[few] = self.masses[few] * (half / share)
            p[~few] = hinge.best_weights * ((nu - half) / hinge.best_dual)
            task = Part(self.rows, self.labels, self.masses, self.kind, nu, self.constant(nu),
                        True, EXACT, start_value=float(self.at_zero.top(nu)))
            task.constant = self.none(nu)
            w = np.append(0 * w[:-1], self.constants(np.array([nu]))[0])
            scores = np.full(len(p), w[-1])
            task.certify(p, self.kind.slopes(self.labels, scores))
            if task.constant - task.best_dual > EXACT * task.start_value:
                return None
            found.append(self.knot(task, w, scores))
        self.sought, self.zero_to, self.constant_to = True, max(self.zero_to, even), found[-1].nu
        return found

    def settle(self) -> None:
        """Models for all k: between two knots mixtures, what is missing guessed, or solved."""
        self.tops, self.nones = {}, self.alone[1]
        if self.sought:
            self.rungs()
        for turn in range(MOST):
            gaps, cuts = self.glance()
            loose = [at for at in range(len(self.knots) - 1) if cuts[at] < cuts[at + 1]
                     and gaps[cuts[at]: cuts[at + 1]].max() > self.tol]
            new = len(self.knots)
            for at in reversed(loose):
                # A solution may have taken the place of guesses below.
                if at + 1 < new:
                    new = self.parted(
                        at, gaps[cuts[at]: cuts[at + 1]], cuts[at], turn >= PARTED) or new
            if new == len(self.knots):
                break
        else:
            self.glance()  # with the knots of the last round
        self.recentre(self.knots)
        if self.direction is not None:
            self.along(*self.ray)

    def along(self, w: Floats, scores: Floats) -> None:
        """Models in the direction in which zero ends, of the best lengths, where little is gained.

        There minimisers have it. Losses are at most their expansions to second order.
        """
        (value, dual, *_), C = self.out, self.constant(self.nus)
        some = np.flatnonzero((self.nus > self.zero_to * (1 + 1e-12)) & (
            value - dual > SMALL * (self.nones - dual)))
        margins = self.labels * scores
        order = np.argsort(margins)
        margins, masses, nu = margins[order], self.masses[order], self.nus[some]
        reached = sums(masses)
        first, second = (np.interp(nu, reached, sums(masses * m)) for m in (margins, margins**2))
        last = margins[np.clip(np.searchsorted(reached, nu - 1e-12) - 1, 0, len(margins) - 1)]
        # The largest losses are those of the least margins, unless losses grow beyond 1.
        largest = last if self.kind.falls else margins[-1]
        size = np.maximum(np.abs(largest), abs(margins[0]))
        bend = float(self.kind.curvature(np.array([-1.0, 0.0])).max()) * second + float(
            np.sum(w[: self.rows.shape[1]]**2)) / (C[some] if self.average else C)
        fall = -self.kind.slope_at_zero * first
        length = np.clip(fall / bend, 0, 1 / np.maximum(size, 1e-300))
        found = nu * self.kind.at_zero - length * (fall - 0.5 * length * bend)
        better = found < value[some]
        if not better.any():
            return
        longest, place = float(length[better].max()), len(self.knots)
        self.knots += [replace(self.knots[0], coef=0 * w), replace(self.knots[0], coef=longest * w)]
        some = some[better]
        self.out[0, some] = found[better]
        self.out[3, some] = self.kind.psi((length * last)[better])
        self.out[4, some] = place + length[better] / max(longest, 1e-300)

    def rungs(self) -> None:
        """Solutions in equal ratios of the distance from the collapse, as low as the floor asks."""
        # Above the collapse, up to where nothing changes any more.
        end = next((at for at, one in enumerate(self.knots) if one.mass > self.zero_to
                    and one.coef[: self.rows.shape[1]].any()), 0)
        least = REACH * np.sqrt(self.floor)
        if not end or least >= 1:
            return
        low, high = self.knots[end - 1], self.knots[end]
        inner = self.nus[(self.nus > low.nu * (1 + 1e-12)) & (self.nus < high.nu * (1 - 1e-12))]
        for share in np.geomspace(1, least, int(np.ceil(np.log(least) / np.log(RATIO))) + 1)[1:]:
            inner = inner[inner < self.knots[end].nu * (1 - 1e-12)]
            if not inner.size:
                break
            nu = float(inner[np.abs(inner - low.nu - share * (high.nu - low.nu)).argmin()])
            guess, gap = self.guessed(end - 1, nu)
            self.knots.insert(end, guess if gap <= GUESSED * self.tol else self.solved(
                nu, guess.coef, *guess.lacks))

    def parted(self, at: int, gaps: Floats, first: int, middle: bool) -> int:
        """A knot between two where a gap is largest, or amid large ones; its place, 0 if none."""
        low, high = self.knots[at], self.knots[at + 1]
        inner = self.nus[first: first + len(gaps)]
        inside = (inner > low.nu * (1 + 1e-12)) & (inner < high.nu * (1 - 1e-12))
        if not inside.any():
            return 0
        nu = float(inner[np.where(inside, gaps, -np.inf).argmax()])
        if middle:
            loose = inner[inside & (gaps > self.tol)]
            nu = float(loose[len(loose) // 2]) if loose.size else nu
        guess, gap = self.guessed(at, nu)
        if gap <= GUESSED * self.tol:
            self.knots.insert(at + 1, guess)
            return at + 1
        if not np.isfinite(gap):
            # Losses overflow: the solver is to say so, or to begin with fewer.
            share = float(self.shares(low, high, nu)[1])
            guess, gap = replace(guess, coef=share * high.coef, lacks=(guess.lacks[0], 0.0)), 0.0
        return self.instead(at + 1, guess, gap)

    def instead(self, at: int, guess: Guess, gap: float) -> int:
        """A solution in place of a guess, and of those nearby, which were no better; its place."""
        self.knots.insert(at, self.solved(guess.nu, guess.coef, *guess.lacks))
        return at

    def glance(self) -> tuple[Floats, NDArray[np.intp]]:
        """Values and gaps of mixtures at every k; the gaps, and where each knot's begin."""
        knots, nus = self.knots, self.nus
        at = np.array([knot.nu for knot in knots])
        cuts = np.searchsorted(nus, at * (1 - 1e-12))
        cuts[0], cuts[-1] = 0, len(nus)
        ends = np.empty((2, 2, len(nus)))
        for place, knot in enumerate(knots):
            if knot.tail not in self.tops:
                self.tops[knot.tail] = np.array(self.largest_losses(knot.tail, nus, 0))
            first, here = cuts[max(place - 1, 0)], cuts[place]
            last, found = cuts[min(place + 1, len(knots) - 1)], self.tops[knot.tail]
            ends[1, :, first:here] = found[:, first:here]
            ends[0, :, here:last] = found[:, here:last]

        pushes, (linear, mass) = np.array([knot.push for knot in knots]), np.array(
            [(knot.linear, knot.mass) for knot in knots]).T
        models = np.array([knot.coef for knot in knots])[:, : self.rows.shape[1]]
        # Of every interval, and so of every k.
        step = np.diff(at)
        low, start, slope, end, w0, w1, w2, p0, p1, p2, line, rise, weight, more = np.repeat([
            np.arange(len(step)), at[:-1],
            np.divide(1.0, step, out=np.zeros(len(step)), where=step > 0), at[1:],
            *squares(models), *squares(pushes), linear[:-1], np.diff(linear), mass[:-1],
            np.diff(mass)], np.diff(cuts), axis=1)
        t = np.clip((nus - start) * slope, 0, 1)
        share = np.minimum(t * end / nus, 1.0) if self.average else t
        C = self.constant(nus)
        first, turn = ends[0, 0], ends[1, 0] - ends[0, 0]
        value = first + share * turn + (w0 + share * (w1 + share * w2)) / (2 * C)
        dual = line + t * rise - 0.5 * C * (p0 + t * (p1 + t * p2))
        loose = value - dual > self.tol * self.unit(nus, value, self.nones - dual)
        if loose.any():
            # An intercept may jump: then other shares than those of the weights are better.
            best = np.clip(-(2 * C * turn + w1) / np.maximum(2 * w2, 1e-300), 0, 1)
            other = first + best * turn + (w0 + best * (w1 + best * w2)) / (2 * C)
            loose &= other < value
            value, share = np.where(loose, other, value), np.where(loose, best, share)
        gaps = np.asarray((value - dual) / self.unit(nus, value, self.nones - dual))
        level = ends[0, 1] + share * (ends[1, 1] - ends[0, 1])
        self.out[:3], self.out[4] = (value, dual, gaps), low + share
        level = positive_level(level, nus - weight - t * more, nus, value)
        self.out[3] = np.where(nus < 1 - 1e-12, level, 0.0)
        return gaps, cuts

    def largest(self, nu: Any) -> Any:
        """What is gained at the largest k, as the scaling asked for has it."""
        return self.most * nu if self.average else self.most

    def tangent(self, at: Knot) -> float:
        """The level of a solution that need not be near."""
        level = float(at.tail.level(at.nu))
        return float(positive_level(level, at.nu - at.mass, at.nu, at.tail.top(at.nu)))

    def least(self, nu: Any) -> Any:
        """Of what is gained at the largest k, so much that less does not matter."""
        least = self.floor * self.largest(nu)
        slight = max((share for many, share in SLIGHT.items() if self.fits >= many), default=0.0)
        if not slight or not self.floor:
            return least
        return np.maximum(least, slight * np.interp(nu, self.nus, self.alone[1]))

    def unit(self, nu: Any, value: Any, gain: Any) -> Any:
        """What gaps are relative to."""
        size = nu * self.size
        large = np.maximum(value, REACHED / self.tol * size)
        own = np.minimum(large, np.maximum(gain, self.least(nu)))
        return np.maximum(own, max(ROUNDING * float(np.max(size)) / self.tol, 1e-300))
