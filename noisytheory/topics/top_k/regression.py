r"""All k of a regression: mixtures of few models, and weights of the largest residuals' own.

Weights that are mixed from two solutions lose what is curved in k between them: what the largest
targets sum to, above all, of which little is gained at a small C. A model's own largest losses are
weights of every k, too. One sort has them all, and sums of rows between a few k what they prove
there; the least objective is concave in k, so that lines between what is proven are proven. So two
models serve most k: none, and the solution at the largest.

Beside an intercept every k has the best one of its own: the middle of the largest residuals, or
where their mean is zero.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from noisytheory.topics.top_k.design import Design, solver
from noisytheory.topics.top_k.few import Few
from noisytheory.topics.top_k.guesses import GUESSED, Guess
from noisytheory.topics.top_k.jumps import squares
from noisytheory.topics.top_k.ramps import Ramp
from noisytheory.topics.top_k.task import REACHED, ROUNDING, WIDE, positive_level
from noisytheory.topics.top_k.walk import FEW, MOST, Knot, sums

__all__ = ["Regression"]

Floats = NDArray[np.float64]

BEND, LEAST, HALVED = 0.1, 24, 12
"""Share of the gap allowed that lines between places may lose; places at first, and halvings."""
HIGH = 0.2
"""Share of the gap allowed that the model at the largest k may have."""
TRIES, SHORTER, SOFT, START, NARROW = 4, 3, 0.1, 1e-3, 10
"""Steps of a guess; times that one is shortened; what the smoothed threshold may lose, of what is
allowed, and its width at first, of the objective without coefficients; by how much that narrows.
"""
MORE, CLOSE, BETTER = 2, 0.05, 0.3
"""Models that are sought besides the first where not all objectives are so close, to be better than
is asked for; and the share of the gap allowed that these are to have.
"""
NEARLY = 0.9
"""Of the largest gap, that of the largest k at which a model is sought."""
ALMOST = 0.99
"""Of the gap allowed, what is used: of what is proven rounding is taken."""
EDGE = 1e-12
"""Of the mass, rounding."""
ROUNDED = 1e-15
"""Of a sum of rows, what rounding may take from it."""


def ends_of(masses: Floats) -> Floats:
    """Of the first none, one, two..., up to 1."""
    if not np.ptp(masses):
        return np.arange(len(masses) + 1) / len(masses)
    found = sums(masses)
    return np.asarray(found / found[-1])


@dataclass(frozen=True, eq=False)
class Middle:
    """Of the largest losses beside the best constant: their mass on the upper side, the constant,
    how far from it they end, and their sum.
    """

    up: Floats
    centre: Floats
    half: Floats
    value: Floats


@dataclass(frozen=True, eq=False)
class Sides:
    """Residuals in order: the largest are at both ends. From the bottom and from the top the masses
    of the first none, one, two..., their weighted sums, and those of their squares.
    """

    square: bool
    order: NDArray[np.intp]
    r: Floats
    low: tuple[Floats, Floats, Floats]
    top: tuple[Floats, Floats, Floats]

    @staticmethod
    def of(square: bool, r: Floats, masses: Floats) -> Sides:
        """From a sort."""
        order = np.argsort(r)
        r, mass = r[order], masses[order]
        low, top = ((ends_of(m), sums(m * at), sums(m * at**2))
                    for m, at in ((mass, r), (mass[::-1], r[::-1])))
        return Sides(square, order, r, low, top)

    def taken(self, which: int, up: Floats, low: Floats) -> tuple[Floats, Floats]:
        """Sums of so much of the mass at the top, and at the bottom."""
        return (np.interp(up, self.top[0], self.top[which]),
                np.interp(low, self.low[0], self.low[which]))

    def edges(self, up: Floats, low: Floats) -> tuple[Floats, Floats]:
        """The innermost residuals of both."""
        last = len(self.r) - 1
        above, below = (of[0].searchsorted(end) - 1 for of, end in (
            (self.top, up), (self.low, low)))
        return self.r[last - above.clip(0, last)], self.r[below.clip(0, last)]

    def at(self, nu: Floats) -> Middle:
        """At tail masses."""
        if not self.square:
            # As much on either side.
            above, below = self.edges(nu / 2, nu / 2)
            first, last = self.taken(1, nu / 2, nu / 2)
            return Middle(nu / 2, (above + below) / 2, np.maximum(above - below, 0) / 2,
                          first - last)
        up = self.balanced(nu)
        low = nu - up
        centre = sum(self.taken(1, up, low)) / nu
        value = np.maximum(sum(self.taken(2, up, low)) - nu * centre**2, 0)
        # Those that are left out, or are there in part.
        inner, outer = self.edges(up + EDGE, low + EDGE)
        half = np.maximum(np.maximum(inner - centre, centre - outer), 0)
        return Middle(up, centre, np.where(nu < 1 - EDGE, half, 0.0), value)

    def balanced(self, nu: Floats) -> Floats:
        """How much of the largest squares is above their mean, which is as far from both ends."""
        def lacks(up: Floats) -> tuple[Floats, Floats]:
            low = nu - up
            i, j = (np.maximum(of[0].searchsorted(end) - 1, 0) for of, end in (
                (self.top, up), (self.low, low)))
            above, below = self.r[len(self.r) - 1 - i], self.r[j]
            taken = self.top[1][i] + (up - self.top[0][i]) * above + self.low[1][j] + (
                low - self.low[0][j]) * below
            return nu * (above + below) / 2 - taken, above - below

        low, high, count = 0 * nu, nu.copy(), np.arange(float(len(self.r) + 1))
        for _ in range(int(np.ceil(np.log2(len(self.r)))) + 2):
            up = (low + high) / 2
            more = lacks(up)[0] > 0
            low, high = np.where(more, up, low), np.where(more, high, up)
        # Now each side ends with a row once at most, and between the mean moves in a line.
        up = (low + high) / 2
        rows = [reached[np.rint(np.interp(end, reached, count)).astype(int)] for reached, end in (
            (self.top[0], up), (self.low[0], nu - up))]
        one, other = np.clip(rows[0], low, high), np.clip(nu - rows[1], low, high)
        first, last = np.minimum(one, other), np.maximum(one, other)
        up = high
        for left, right in ((last, high), (first, last), (low, first)):
            middle = (left + right) / 2
            aim, width = lacks(middle)
            step = np.where(aim > 0, np.inf, -np.inf)
            step = np.divide(aim, width, out=step, where=width > 0)
            up = np.where((middle + step <= right) & (left < right),
                          np.maximum(middle + step, left), up)
        return np.asarray(up)

    def largest(self, nus: Floats, at: Floats, found: Middle) -> tuple[Floats, Floats]:
        """At most the sums of largest losses at all tail masses, and where these end."""
        b, half = np.interp(nus, at, found.centre), np.interp(nus, at, found.half)
        up = len(self.r) - self.r.searchsorted(b + half, side="right")
        low = self.r.searchsorted(b - half)
        # Whatever is taken for where they end, they are not more.
        above, below = ([of[ends] for of in side] for side, ends in (
            (self.top, up), (self.low, low)))
        if not self.square:
            return nus * half + above[1] - (b + half) * above[0] - below[1] + (
                b - half) * below[0], half
        level = half**2
        return nus * level + sum(second - 2 * b * first + (b**2 - level) * whole
                                 for whole, first, second in (above, below)), level


@dataclass(frozen=True, eq=False)
class Largest:
    """A model's largest losses, beside the best intercept of every k if there is one.

    At the places: ``push``, the sum of their rows times slopes, ``centre``, by how much the
    intercept is to grow, ``linear`` and ``square``, what the weights prove. At every k: ``top``, at
    least their sum, and ``level``, where they end.
    """

    push: Floats
    centre: Floats
    linear: Floats
    square: Floats
    top: Floats
    level: Floats
    value: Floats


class Regression(Few):
    """Knots as before, between which every k has weights and an intercept of its own."""

    places: NDArray[np.intp]
    """Of the k at which rows are summed."""
    nowhere: Knot | None = None
    """No coefficients, and the mean for an intercept."""

    def below(self, high: Knot) -> list[Knot]:
        """No coefficients, and this one."""
        nothing = self.nothing(high)
        if self.free:
            nothing.coef[-1] = self.mean
            nothing = replace(nothing, scores=np.full(len(self.labels), self.mean))
        self.curves: dict[Knot, Largest] = {}
        self.places = self.spread()
        self.nowhere = nothing
        return [nothing, high]

    @functools.cached_property
    def mean(self) -> float:
        """Of the labels."""
        return float(self.masses @ self.labels if np.ptp(self.labels) else self.labels[0])

    @functools.cached_property
    def flat(self) -> Sides:
        """What the labels are away from it."""
        return Sides.of(self.kind.smooth, self.labels - self.mean, self.masses)

    def spread(self) -> NDArray[np.intp]:
        """Places so near that lines between them lose little of what is gained."""
        nus, last = self.nus, len(self.nus) - 1
        value = self.largest_losses(self.at_zero, nus, 0)[0]
        allowed = BEND * self.tol * self.least(nus)
        some = np.geomspace(nus[0], nus[-1], LEAST) * (1 - 1e-9)
        at = np.unique(np.append(nus.searchsorted(some), last).clip(0, last))
        for _ in range(HALVED):
            known = value[at]
            if self.free:
                found = self.flat.at(nus[at])
                value, known = self.flat.largest(nus, nus[at], found)[0], found.value
            away = value - np.interp(nus, nus[at], known) > allowed
            far = np.diff(at) > 1
            far[far] = np.logical_or.reduceat(away, at[:-1])[far]
            if not far.any():
                break
            at = np.union1d(at, (at[:-1] + at[1:])[far] // 2)
        return np.repeat(at, 2) if len(at) == 1 else at

    def constants(self, nus: Floats) -> tuple[Floats, Floats]:
        """The best constants, of many k by lines between places, which are below."""
        if not self.free:
            return super().constants(nus)
        at = nus if self.nowhere is None or len(nus) <= FEW else self.nus[self.places]
        found = self.flat.at(at)
        return self.mean + np.interp(nus, at, found.centre), np.interp(nus, at, found.value)

    @property
    def best_without(self) -> Floats:
        """Objectives of the constants that are the models' own where these have no coefficients."""
        return self.curve(self.nowhere).top if self.nowhere and self.free else super().best_without

    def none(self, nu: float) -> float:
        """The least objective without coefficients."""
        if self.nowhere is None:
            return float(self.constants(np.array([nu]))[1][0])
        return super().none(nu)

    def curve(self, of: Knot) -> Largest:
        """Of a knot."""
        if of not in self.curves:
            self.curves[of] = self.largest_of(of)
        return self.curves[of]

    def largest_of(self, of: Knot) -> Largest:
        """Of a knot, from a sort of its residuals."""
        at, r = self.nus[self.places], self.labels - of.scores
        if not self.free:
            slopes = self.kind.slopes(self.labels, of.scores)
            push = self.summed(np.argsort(-np.abs(r)), np.append(0.0, at), slopes)[1:]
            top, level = self.largest_losses(of.tail, self.nus, 0)
            return self.proven(of, top[self.places], push, 0 * at, top, level,
                               np.abs(push).max(axis=0))
        sides = Sides.of(self.kind.smooth, r, self.masses)
        found = sides.at(at)
        order, low, high = sides.order, at - found.up, 1 - found.up
        ends, where = np.unique(np.concatenate([[0.0], low, high, [1.0]]), return_inverse=True)
        low_end, high_end = where[1: len(at) + 1], where[len(at) + 1: -1]
        rows = self.summed(order, ends)
        size, up, down = np.abs(rows).max(axis=0), rows[-1] - rows[high_end], rows[low_end]
        push = down - up
        if self.kind.smooth:
            rows = self.summed(order, ends, r)
            push = 2 * (found.centre[:, None] * (up + down) - (
                rows[-1] - rows[high_end] + rows[low_end]))
            size = 2 * (np.abs(rows).max(axis=0) + np.abs(found.centre).max() * size)
        top, level = sides.largest(self.nus, at, found)
        return self.proven(of, found.value, push, found.centre, top, level, size)

    def proven(
        self, of: Knot, value: Floats, push: Floats, centre: Floats, top: Floats, level: Floats,
        size: Floats,
    ) -> Largest:
        """With what the weights prove."""
        lost = ROUNDED * float(np.linalg.norm(size))
        square = (np.sqrt(np.einsum("ij,ij->i", push, push)) + lost)**2
        linear = value - push @ of.coef[: push.shape[1]]
        return Largest(push, centre, linear, square, top, level, value)

    def summed(
        self, order: NDArray[np.intp], ends: Floats, times: Floats | None = None
    ) -> Floats:
        """Sums of rows in order, by their masses and a few numbers, up to these masses."""
        reached = ends_of(self.masses[order])
        first = reached.searchsorted(ends[:-1], side="right") - 1
        count = np.maximum(reached.searchsorted(ends[1:]) - first, 0)
        start = np.concatenate([[0], np.cumsum(count)])
        index = np.arange(start[-1]) - np.repeat(start[:-1] - first, count)
        part = np.minimum(reached[index + 1], np.repeat(ends[1:], count)) - np.maximum(
            reached[index], np.repeat(ends[:-1], count))
        index, part = order[index], np.maximum(part, 0)
        found = sparse.csr_matrix((part if times is None else part * times[index], index, start),
                                  shape=(len(count), len(order))) @ self.rows
        found = found.toarray() if sparse.issparse(found) else found
        return np.vstack([np.zeros(found.shape[1]), np.cumsum(found, axis=0)])

    def highest(self, nu: float) -> Knot:
        """The solution at the largest k: of the absolute loss by steps from least squares."""
        w = self.start
        if self.kind.smooth or w is not None or self.rows.shape[1] + self.free > WIDE:
            return super().highest(nu)
        design = Design(self.rows, free=self.free)
        bend = self.moments.copy()
        # Absolute values about as curved as squares over their mean.
        bend[np.diag_indices(self.rows.shape[1])] += 2 * self.none(nu) / self.constant(nu)
        w = solver(bend)(design.combine(self.masses * self.labels))
        found, gap = self.descended(nu, w, design.scores(w), HIGH * self.tol)
        if gap > HIGH * self.tol:
            return super().highest(nu)
        self.fits += 1
        self.most = self.gain(found) / (nu if self.average else 1.0)
        return found

    def stepped(self, at: int, nu: float, aim: float) -> tuple[Guess, float]:
        """A few steps from the mixture at a place; and the gap."""
        k = int(np.searchsorted(self.nus, nu * (1 - 1e-12)))
        low, high = self.knots[at], self.knots[at + 1]
        share = float(self.out[4, k]) - at
        w, f = ((1 - share) * a + share * b for a, b in (
            (low.coef, high.coef), (low.scores, high.scores)))
        if self.turned is not None:
            w[-1] += self.turned[2][k]
            f += self.turned[2][k]
        return self.descended(nu, w, f, aim, (low, high))

    # Where losses overflow there is nothing to guess.
    @np.errstate(over="ignore", invalid="ignore")
    def descended(
        self, nu: float, w: Floats, f: Floats, aim: float, ends: tuple[Knot, Knot] | None = None
    ) -> tuple[Guess, float]:
        """Newton's method on the smoothed objective, up to a gap that its weights prove.

        These are mixed with those of two knots, if there are some.
        """
        task, push = self.part(nu), np.zeros(self.rows.shape[1])
        linear = mass = gain = value = dual = 0.0
        if ends:
            low, high = ends
            t = (nu - low.nu) / (high.nu - low.nu)
            linear = low.linear + t * (high.linear - low.linear)
            push = low.push + t * (high.push - low.push)
            mass = low.mass + t * (high.mass - low.mass)
        width, gap, C = START * task.size, np.inf, self.constant(nu)
        new = Ramp.at(task, w, f, width)
        tries = TRIES if task.design.width <= WIDE else 1
        for turn in range(tries):
            task.best_dual, task.best_weights = -np.inf, None
            task.certify(*new.weights())
            if task.best_weights is None:
                break
            more, turned = task.best_linear - linear, task.best_push - push
            bend = C * float(turned @ turned)
            part = float(np.clip((more - C * float(push @ turned)) / bend, 0, 1)) if bend else 0.0
            linear, push = linear + part * more, push + part * turned
            mass += part * (float(task.best_weights.sum()) - mass)
            value = task.objective(w, f)
            dual = linear - 0.5 * C * float(push @ push)
            gain = task.constant - dual
            unit = min(max(gain, self.least(nu)), value) if ends else min(gain, value)
            gap = (value - dual) / max(unit, 1e-300)
            if gap <= aim or turn == tries - 1:
                break
            # What is smoothed is not to matter, but at first enough rows are.
            least, most = new.widths(SOFT * aim * unit, 2 * task.design.width)
            width = max(least, width / NARROW) if turn else most
            new = Ramp.at(task, w, f, width, new.level)
            step = new.step(task, w)
            along = task.design.scores(step)
            for _ in range(SHORTER):
                after = Ramp.at(task, w + step, f + along, width, new.level)
                if after.value <= new.value:
                    break
                step, along = step / 4, along / 4
            else:
                break
            w, f, new = w + step, f + along, after
        f = task.design.scores(w)
        tail = self.sort(nu, f, none=task.constant)
        return Guess(nu, w, f, linear, push, mass, tail,
                     lacks=(max(gain, self.least(nu)), value - dual)), gap

    def settle(self) -> None:
        """Models for all k: between two knots mixtures, what is missing guessed, or solved."""
        first = len(self.knots)
        for at, knot in enumerate(self.knots[1:-1], 1):
            # Every knot is at a place.
            k = int(self.nus.searchsorted(knot.nu * (1 - 1e-12)))
            self.knots[at] = replace(knot, nu=float(self.nus[k]))
            self.places = np.union1d(self.places, [k])
        self.nones = self.alone[1]
        for _ in range(MOST):
            gaps, cuts = self.glance()
            loose, needed = gaps > ALMOST * self.tol, True
            if not loose.any():
                lacks = 1 - self.out[1] / np.maximum(self.out[0], 1e-300)
                if len(self.knots) - first >= MORE or not (lacks[self.places] > CLOSE).any():
                    break
                needed = False
                gaps, loose = lacks, lacks > CLOSE
            some = self.places[loose[self.places]]
            if not some.size:
                # Lines between places lose too much.
                self.places = np.union1d(self.places, np.flatnonzero(loose))
                self.curves.clear()
                continue
            before = len(self.knots)
            if not needed:
                some = some[[gaps[some].argmax()]]
            for at in reversed(np.unique(np.searchsorted(cuts, some, side="right") - 1).tolist()):
                self.added(at, gaps, some[(some >= cuts[at]) & (some < cuts[at + 1])], needed)
            if len(self.knots) == before:
                break
        else:
            self.glance()  # with the knots of the last round

    def added(self, at: int, gaps: Floats, some: NDArray[np.intp], needed: bool) -> None:
        """A knot between two, at one of these places, a solution only where it is needed."""
        low, high = self.knots[at], self.knots[at + 1]
        nus = self.nus[some]
        some = some[(nus > low.nu * (1 + 1e-12)) & (nus < high.nu * (1 - 1e-12))]
        if not some.size:
            return
        # There a few steps lead to the minimiser, and what is between is nearly as wide.
        large = gaps[some] >= NEARLY * gaps[some].max()
        nu = float(self.nus[some[large][-1]])
        guess, gap = self.stepped(at, nu, (GUESSED if needed else BETTER) * self.tol)
        if gap <= GUESSED * self.tol:
            self.knots.insert(at + 1, guess)
        elif needed:
            self.knots.insert(at + 1, self.solved(nu, guess.coef, *guess.lacks))

    def bounds(self, low: NDArray[np.intp], t: Floats) -> Floats:
        """What is proven at the places: the best of a few mixtures of weights."""
        knots, at = self.knots, self.nus[self.places]
        every, C = [self.curve(knot) for knot in knots], self.constant(at)
        best = np.max([own.linear - 0.5 * C * own.square for own in every], axis=0)
        rows = np.arange(len(at))
        linear, pushes = np.array([knot.linear for knot in knots]), np.array(
            [knot.push for knot in knots])
        own, pulls = np.array([one.linear for one in every]), np.array([one.push for one in every])
        far = t[:, None]
        line = (1 - t) * linear[low] + t * linear[low + 1]
        push = (1 - far) * pushes[low] + far * pushes[low + 1]
        a, b = (own[low, rows], pulls[low, rows]), (own[low + 1, rows], pulls[low + 1, rows])
        base = line - 0.5 * C * np.einsum("ij,ij->i", push, push)
        mixed = (1 - t) * a[0] + t * b[0], (1 - far) * a[1] + far * b[1]
        for other, pull in (a, b, mixed):
            more, turn = other - line, pull - push
            slope = more - C * np.einsum("ij,ij->i", push, turn)
            bend = C * np.einsum("ij,ij->i", turn, turn)
            part = np.clip(slope / np.maximum(bend, 1e-300), 0, 1)
            best = np.maximum(best, base + part * (slope - 0.5 * part * bend))
        return np.asarray(best)

    def glance(self) -> tuple[Floats, NDArray[np.intp]]:
        """Values and gaps of mixtures at every k; the gaps, and where each knot's begin."""
        knots, nus = self.knots, self.nus
        at = np.array([knot.nu for knot in knots])
        cuts = np.searchsorted(nus, at * (1 - 1e-12))
        cuts[0], cuts[-1] = 0, len(nus)
        every = [self.curve(knot) for knot in knots]
        low = np.repeat(np.arange(len(at) - 1), np.diff(cuts))
        step = at[1:] - at[:-1]
        t = np.clip((nus - at[low]) / np.maximum(step[low], 1e-300), 0, 1)
        pushes, linear = np.array([knot.push for knot in knots]), np.array(
            [knot.linear for knot in knots])
        C = self.constant(nus)
        p0, p1, p2 = (of[low] for of in squares(pushes))
        dual = (1 - t) * linear[low] + t * linear[low + 1] - 0.5 * C * (p0 + t * (p1 + t * p2))
        places = self.places
        proven = self.bounds(low[places], t[places])
        dual = np.maximum(dual, lines(nus[places], np.fmax(proven, dual[places]), nus))
        value, low, share = self.mixed_at(every, low, t)
        gaps = np.asarray((value - dual) / self.unit(nus, value, self.nones - dual))
        level = np.array([one.level for one in every])
        k = np.arange(len(nus))
        level = level[low, k] + share * (level[low + 1, k] - level[low, k])
        self.out[:3], self.out[4] = (value, dual, gaps), low + share
        level = positive_level(level, 0.0, nus, value)
        self.out[3] = np.where(nus < 1 - 1e-12, level, 0.0)
        return gaps, cuts

    def mixed_at(
        self, every: list[Largest], low: NDArray[np.intp], t: Floats
    ) -> tuple[Floats, NDArray[np.intp], Floats]:
        """Objectives of mixtures at most, the lower knot, and the share of the higher."""
        nus, C, d = self.nus, self.constant(self.nus), self.rows.shape[1]
        models = np.array([knot.coef for knot in self.knots])
        tops, k = np.array([one.top for one in every]), np.arange(len(nus))

        def mixed(share: Floats) -> Floats:
            top = tops[low, k] + share * (tops[low + 1, k] - tops[low, k])
            return np.asarray(top + (w0 + share * (w1 + share * w2)) / (2 * C))

        w0, w1, w2 = (of[low] for of in squares(models[:, :d]))
        ends = np.array([knot.nu for knot in self.knots])[low + 1]
        share = np.minimum(t * ends / nus, 1.0) if self.average else t
        fall = 2 * C * (tops[low, k] - tops[low + 1, k]) - w1
        best = np.clip(fall / np.maximum(2 * w2, 1e-300), 0, 1)
        value, other = mixed(share), mixed(best)
        share, value = np.where(other < value, best, share), np.minimum(other, value)
        if not self.free:
            return value, low, share
        return self.lined(every, low, share)

    def lined(
        self, every: list[Largest], low: NDArray[np.intp], share: Floats
    ) -> tuple[Floats, NDArray[np.intp], Floats]:
        """The same where models between two places are on a line, intercepts as well."""
        nus, places, k = self.nus, self.places, np.arange(len(self.nus))
        models = np.array([knot.coef for knot in self.knots])
        here = np.searchsorted(places, k, side="right").clip(1, len(places) - 1) - 1
        start, end = nus[places[here]], nus[places[here + 1]]
        part = np.clip((nus - start) / np.maximum(end - start, 1e-300), 0, 1)
        # The first place of a span is at a knot, where the one below ends.
        knot = low[places]
        new = np.diff(knot, prepend=knot[0]) > 0
        own = np.where(new, 0.0, share[places])
        after = np.where(new, 1.0, own)[1:]
        low = knot[here]
        share = own[here] + part * (after[here] - own[here])
        centres = np.array([one.centre for one in every]) + models[:, -1:]
        at = np.arange(len(places))
        b = (1 - own) * centres[knot, at] + own * centres[knot + 1, at]
        line = b[here] + part * (b[here + 1] - b[here])
        # Losses are known beside every knot's own intercept.
        first, second = (centres[low + up, here] + part * (
            centres[low + up, here + 1] - centres[low + up, here]) for up in (0, 1))
        off = np.abs(line - (1 - share) * first - share * second)
        tops = np.array([one.top for one in every])
        top = np.maximum((1 - share) * tops[low, k] + share * tops[low + 1, k], 0)
        top = (np.sqrt(top) + off * np.sqrt(nus))**2 if self.kind.smooth else top + off * nus
        w0, w1, w2 = (of[low] for of in squares(models[:, :-1]))
        shift = line - (1 - share) * models[low, -1] - share * models[low + 1, -1]
        coef = (1 - own)[:, None] * models[knot] + own[:, None] * models[knot + 1]
        coef[:, -1] = b
        self.turned = coef, here + part, shift
        return top + (w0 + share * (w1 + share * w2)) / (2 * self.constant(nus)), low, share

    def unit(self, nu: Any, value: Any, gain: Any) -> Any:
        """What gaps are relative to."""
        size = self.at_zero.top(nu)
        large = np.maximum(value, REACHED / self.tol * size)
        own = np.minimum(large, self.promised(nu, gain))
        return np.maximum(own, np.maximum(ROUNDING * size / self.tol, 1e-300))


def lines(x: Floats, y: Floats, at: Floats) -> Floats:
    """The least concave function that is not below some points, nor below 0 at 0."""
    keep: list[tuple[float, float]] = [(0.0, 0.0)]
    for a, b in zip(x.tolist(), y.tolist(), strict=True):
        while len(keep) > 1:
            (u, v), (p, q) = keep[-2:]
            if (q - v) * (a - u) > (b - v) * (p - u):
                break
            keep.pop()
        keep.append((a, b))
    nodes = np.array(keep)
    return np.asarray(np.interp(at, nodes[:, 0], nodes[:, 1]))
