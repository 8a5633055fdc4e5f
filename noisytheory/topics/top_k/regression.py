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
from noisytheory.topics.top_k.guesses import Guess
from noisytheory.topics.top_k.jumps import squares
from noisytheory.topics.top_k.places import Curve, Ks, Places
from noisytheory.topics.top_k.ramps import Ramp
from noisytheory.topics.top_k.task import REACHED, ROUNDING, WIDE
from noisytheory.topics.top_k.walk import FEW, Knot, sums

__all__ = ["Regression"]

Floats = NDArray[np.float64]

HIGH = 0.2
"""Share of the gap allowed that the model at the largest k may have."""
TRIES, SHORTER, SOFT, START, NARROW = 4, 3, 0.1, 1e-3, 10
"""Steps of a guess; times that one is shortened; what the smoothed threshold may lose, of what is
allowed, and its width at first, of the objective without coefficients; by how much that narrows.
"""
NOTHING, INSTEAD = 1e-9, 0.1
"""Of what the best constant loses at the largest k, what counts as no gain there; and of what it
loses at each k, what stands for the gain then.
"""
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
    order: Ks
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
        least = max(float(np.diff(self.low[0]).min()), EDGE)
        for _ in range(int(np.ceil(-np.log2(least))) + 2):
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
class Largest(Curve):
    """With what is known at every k: ``top``, at least their sum, and ``level``, where they end."""

    top: Floats
    level: Floats


class Regression(Places[Largest]):
    """Knots as before, between which every k has weights and an intercept of its own."""

    more = 2
    of_constant = INSTEAD
    nowhere: Knot | None = None
    """No coefficients, and the mean for an intercept."""

    def below(self, high: Knot) -> list[Knot]:
        """No coefficients, and this one."""
        nothing = self.nothing(high)
        if self.free:
            nothing.coef[-1] = self.mean
            nothing = replace(nothing, scores=np.full(len(self.labels), self.mean))
        self.curves = {}
        self.places = self.spread(float(self.nus[0]), self.without_any)
        self.nowhere = nothing
        return [nothing, high]

    def without_any(self, at: Ks) -> tuple[Floats, Floats]:
        """What the best constants lose at every k, at most, and at these."""
        if not self.free:
            value = self.largest_losses(self.at_zero, self.nus, 0)[0]
            return value, value[at]
        found = self.flat.at(self.nus[at])
        return self.flat.largest(self.nus, self.nus[at], found)[0], found.value

    @functools.cached_property
    def mean(self) -> float:
        """Of the labels."""
        return float(self.masses @ self.labels if np.ptp(self.labels) else self.labels[0])

    @functools.cached_property
    def flat(self) -> Sides:
        """What the labels are away from it."""
        return Sides.of(self.kind.smooth, self.labels - self.mean, self.masses)

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

    def curve_of(self, of: Knot) -> Largest:
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
        return Largest(push, centre, linear, square, top, level)

    def summed(
        self, order: Ks, ends: Floats, times: Floats | None = None
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

    def mixed_at(
        self, every: list[Largest], low: Ks, t: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Objectives of mixtures at most, their levels, and where they are."""
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
        if self.free:
            value, low, share = self.lined(every, low, share)
        level = np.array([one.level for one in every])
        return value, level[low, k] + share * (level[low + 1, k] - level[low, k]), low + share

    def lined(
        self, every: list[Largest], low: Ks, share: Floats
    ) -> tuple[Floats, Ks, Floats]:
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

    def least(self, nu: Any) -> Any:
        """Where the best constant is the minimiser at the largest k, a share of what it loses."""
        least, (_, none) = super().least(nu), self.alone
        if self.most > NOTHING * none[-1]:
            return least
        return np.maximum(least, self.floor * self.of_constant * np.interp(nu, self.nus, none))

    def unit(self, nu: Any, value: Any, gain: Any) -> Any:
        """What gaps are relative to."""
        size = self.at_zero.top(nu)
        large = np.maximum(value, REACHED / self.tol * size)
        own = np.minimum(large, self.promised(nu, gain))
        return np.maximum(own, np.maximum(ROUNDING * size / self.tol, 1e-300))
