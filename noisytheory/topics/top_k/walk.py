r"""Solutions at a few tail masses, and mixtures of two that serve all between.

Of two solutions dual weights mixed in proportion are feasible at every tail mass between, so a
mixture has its own certificate. Sums of the largest losses are convex in the model and, of one
model, known at all tail masses from one sort: between two sorts both sides of the gap are formulas.

The root of what the coefficients gain over none is convex in the tail mass, and 0 up to the
collapse. So the gap of a mixture grows with the square of the distance between its two solutions
over their distance from the collapse: solutions stand in about equal ratios of that distance.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.design import Design
from noisytheory.topics.top_k.individual import best_constants, individual
from noisytheory.topics.top_k.jumps import ALIKE, recentred
from noisytheory.topics.top_k.neighbours import Part
from noisytheory.topics.top_k.task import REACHED, ROUNDING, Task, positive_level

__all__ = ["Knot", "Sorted", "Walk", "sums"]

Floats = NDArray[np.float64]

SMALL = 0.25
"""Gap, as a share of what is gained, beyond which errors may be another model's."""
SOLVED = 0.1
"""Share of the gap allowed that a solution may have."""
MIXED = 0.9
"""Share that a mixture may have where it is evaluated: between two that are there is more."""
EXACT = 1e-11
"""Tolerance of what proves zero the minimiser."""
FARTHEST = 3
"""Times by which k falls at most from one guess of the collapse to the next."""
MOST = 60
"""Guesses at most; eight are usual."""
FEW = 64
"""Tail masses at which the best constant of regression is sought."""
BELOW = 0.1
"""Share of the gap allowed that the lowest of a few solutions gains."""


@dataclass(frozen=True, eq=False)
class Sorted:
    """A model's sums of its largest losses at every tail mass, from one sort.

    ``none`` is the least objective without coefficients at its own tail mass; ``reached`` holds the
    masses of the first none, one, two... losses, or nothing where all are of one mass.
    """

    nu: float
    share: float
    none: float
    losses: Floats
    reached: Floats | None
    sums: Floats

    def top(self, nu: Any) -> Any:
        """The aggregate at tail masses."""
        if self.reached is not None:
            return np.interp(nu, self.reached, self.sums)
        at = nu * len(self.losses)
        whole = np.minimum((at + 1e-9).astype(int) if np.ndim(at) else int(at + 1e-9),
                           len(self.losses) - 1)
        return self.sums[whole] + (at - whole) * (self.sums[whole + 1] - self.sums[whole])

    def level(self, nu: Any) -> Any:
        """The loss at which the largest ones end."""
        if self.reached is None:
            place = np.ceil(nu * len(self.losses) - 1e-9).astype(int) - 1
        else:
            place = np.searchsorted(self.reached, nu - 1e-12) - 1
        return np.asarray(self.losses[np.clip(place, 0, len(self.losses) - 1)])


@dataclass(frozen=True, eq=False)
class Knot:
    r"""A solution: its model, and dual weights $p$ with slopes $s$ by what they make.

    ``linear`` is $-\sum p_i\ell^*(s_i)$, ``push`` the sum of rows, ``mass`` that of the weights.
    """

    nu: float
    coef: Floats
    scores: Floats
    linear: float
    push: Floats
    mass: float
    tail: Sorted


class Walk:
    """Solutions at some k, mixtures between them."""

    floor = 0.0
    """Of what is gained at the largest k, the share that gaps are relative to where less is."""
    turned: tuple[Floats, Floats, Floats] | None = None
    """Mixtures of knots that have intercepts of their own, if there are any; every k's place
    between them, and by how much its intercept is larger than that of knots mixed as it is.
    """

    def __init__(
        self, rows: Any, labels: Floats, masses: Floats, loss: str, C: float, free: bool,
        average: bool, tol: float,
    ) -> None:
        self.rows, self.labels, self.masses, self.C = rows, labels, masses, C
        self.kind, self.free, self.average, self.tol = individual(loss), free, average, tol
        self.start: Floats | None = None
        self.even = bool(np.ptp(masses) == 0)
        self.fits = 0
        self.kept: tuple[Floats, Floats] | None = None
        # Where zero is the minimiser, and where it is not.
        self.zero_to, self.above = 0.0, np.inf
        self.knots: list[Knot] = []
        # Of every k, whether another intercept is about as good.
        self.torn: NDArray[np.bool_] | bool = False
        losses = self.kind.values(labels, np.zeros(len(labels)))
        self.size = float(masses @ losses)
        self.at_zero = self.sort(1.0, np.zeros(len(labels)), none=self.size)

    def constant(self, nu: Any) -> Any:
        """C in the paper's scaling."""
        return self.C / nu if self.average else self.C

    def over(self, nus: Floats) -> Floats:
        """Objective, lower bound, gap, level and place between the knots at each tail mass."""
        self.out = np.zeros((5, len(nus)))
        self.nus = nus
        # Where each k's largest losses end, and what is left of them.
        counts = nus * len(self.labels)
        whole = np.minimum((counts + 1e-9).astype(int), len(self.labels) - 1)
        self.ends = whole, counts - whole, np.maximum(np.ceil(counts - 1e-9).astype(int) - 1, 0)
        highest = self.highest(float(nus[-1]))
        knots = [highest]
        if highest.mass < highest.nu * (1 - 1e-9) and not self.average and (
                highest.tail.losses[-1] <= 0):
            # All losses that are not 0 count already: from there on nothing changes.
            knee = max(highest.mass, float(nus[0]))
            if knee < highest.nu:
                knots.insert(0, replace(highest, nu=knee, tail=self.sort(knee, highest.scores)))
        self.knots = self.below(knots[0]) + knots[1:]
        if len(self.knots) == 1:
            only = self.knots[0]
            self.record(0, len(nus), only, only, only.tail, only.tail, 0)
        else:
            self.settle()
        return self.out

    def settle(self) -> None:
        """Models for all k between the knots, and the knots that are missing."""
        at = 0
        while at < len(self.knots) - 1:
            new = self.cover(self.knots[at], self.knots[at + 1], at)
            if new is None:
                at += 1
            else:
                self.knots.insert(at + 1, new)
        self.recentre(self.knots)

    def recentre(self, knots: list[Knot]) -> None:
        """Intercepts of each k's own, or what is as good, of losses of the margin."""
        if self.kind.margin:
            new, worse = recentred(self, knots)
            self.knots += new
            self.torn = worse <= ALIKE

    @functools.cached_property
    def moments(self) -> Floats:
        """Mean products of features, and of an intercept's."""
        return Design(self.rows, free=self.free).gram(self.masses)

    def highest(self, nu: float) -> Knot:
        """The solution at the largest k."""
        w = np.zeros(self.rows.shape[1] + self.free)
        if self.start is not None:
            w[: len(self.start)] = self.start
        return self.solved(nu, w)

    def solved(
        self, nu: float, start: Floats, gain: float = 0.0, gap: float = 0.0, *, flat: bool = False
    ) -> Knot:
        """The solution at a tail mass, from one nearby that gains about so much, or from nothing.

        Zero where that is proven; it is asked for first where it is expected.
        """
        task = self.part(nu)
        self.fits += 1
        if not (flat and self.zero(task, task.start_value)):
            task.zero = False
            w, scores = task.near(start, gain, gap)
            least = self.kind.margin and self.zero_to < nu < self.above and (
                task.start_value - task.best_dual <= EXACT * task.start_value)
            if not (least and self.zero(task, task.objective(w, scores))):
                self.above = min(self.above, nu)
                self.kept = task.kept
                return self.knot(task, w, scores)
        self.zero_to = nu
        return self.knot(task, 0 * start, np.zeros(len(self.labels)))

    def part(self, nu: float) -> Part:
        """The problem at a tail mass."""
        task = Part(self.rows, self.labels, self.masses, self.kind, nu, self.constant(nu),
                     self.free, SOLVED * self.tol, start_value=float(self.at_zero.top(nu)))
        task.kept, task.constant = self.kept, self.none(nu)
        task.perfect = REACHED / task.tol
        return task

    def zero(self, task: Task, value: float) -> bool:
        """Whether zero is proven the minimiser."""
        task.zero, tol, task.tol = None, task.tol, EXACT
        found = task.is_zero(value)
        task.tol = tol
        return found

    def knot(self, task: Task, w: Floats, scores: Floats) -> Knot:
        """A solution with its certificate."""
        if task.best_weights is None:
            raise OverflowError  # no weights with a finite value
        return Knot(task.nu, w, scores, task.best_linear, task.best_push,
                    float(task.best_weights.sum()), self.sort(task.nu, scores, none=task.constant))

    def below(self, high: Knot) -> list[Knot]:
        """Knots from zero, or the smallest k that is asked for, up to this one.

        Where zero is the minimiser at some k, scaled weights prove it so at all that are smaller.
        """
        found, nus = [high], self.nus
        zero = high if self.zero_to else None
        start, end = -1, int(np.searchsorted(nus, high.nu * (1 - 1e-12)))
        for attempt in range(MOST):
            if zero is high or end - start < 2:
                break
            at = found[0]
            # The collapse is not above the tangent's end, and near the collapse not far below.
            collapse = self.collapse(at) if self.kind.margin else 0.0
            aim = max(collapse, at.nu / FARTHEST) if self.kind.margin else 0.0
            place = int(np.searchsorted(nus, aim * (1 + 1e-12), side="right"))
            if place <= start or attempt > MOST // 2:
                place = (start + end) // 2
            place = max(min(place, end - 1), 0)
            small = BELOW if self.kind.margin else 1.0
            gain = small**2 * self.gain(at)
            nu = float(nus[place])
            new = self.solved(nu, small * at.coef, gain, gain, flat=nu <= collapse * (1 + 1e-9))
            if self.zero_to == new.nu:
                zero, start = new, place
            else:
                found.insert(0, new)
                end = place
        if zero is high:
            found = []
        elif zero is None:
            return found
        # Scaled weights are feasible at all k that are smaller.
        return [replace(zero, nu=0.0, linear=0.0, push=0 * zero.push, mass=0.0,
                        tail=replace(zero.tail, nu=0.0, none=0.0)), zero, *found]

    def gain(self, at: Knot) -> float:
        """What a solution's coefficients gain over none at most."""
        if at.nu == 0:
            return 0.0  # C over no tail mass is no number
        return max(at.tail.none - float(self.dual(at, at, at.nu)), 0.0)

    def root(self, at: Knot) -> float:
        """Root of what is gained over zero: convex in the tail mass, and 0 up to the collapse."""
        return float(np.sqrt(max(at.nu * self.kind.at_zero - self.dual(at, at, at.nu), 0.0)))

    def collapse(self, at: Knot) -> float:
        """Where the tangent of the root meets 0: the collapse is not above."""
        slope = self.kind.at_zero - self.tangent(at)
        if self.average:
            slope -= self.ridge(at, at, 0.0) / at.nu
        return float(at.nu - 2 * self.root(at) ** 2 / max(slope, 1e-300))

    def tangent(self, at: Knot) -> float:
        """The level of a solution."""
        return float(at.tail.level(at.nu)) if at.mass > at.nu * (1 - 1e-7) else 0.0

    @functools.cached_property
    def alone(self) -> tuple[Floats, Floats]:
        """The best scores without coefficients at every k, and their objectives."""
        return self.constants(self.nus)

    @property
    def best_without(self) -> Floats:
        """Objectives without coefficients, of models that are at hand."""
        return self.alone[1]

    def none(self, nu: float) -> float:
        """The least objective without coefficients."""
        at = int(np.searchsorted(self.nus, nu))
        if at < len(self.nus) and self.nus[at] == nu:
            return float(self.alone[1][at])
        return float(self.constants(np.array([nu]))[1][0])

    def constants(self, nus: Floats) -> tuple[Floats, Floats]:
        """The best scores without coefficients at tail masses, and their objectives."""
        if not self.free:
            return 0 * nus, nus * self.size if self.kind.margin else np.asarray(
                self.at_zero.top(nus))
        return best_constants(self.kind, self.labels, None if self.even else self.masses, nus)

    def promised(self, nu: Any, gain: Any) -> Any:
        """What gaps are relative to: the gain, or what is enough."""
        return np.maximum(gain, self.least(nu))

    def least(self, nu: Any) -> Any:
        """A gain so small that less does not matter."""
        return 0.0 * nu

    def without(self, nus: Floats, scores: Floats) -> tuple[Floats, Floats]:
        """Objectives and levels of one score for all, at tail masses."""
        if self.kind.margin:
            above = float(self.masses[self.labels > 0].sum())
            lost = np.where(scores > 0, 1 - above, above)
            more, less = self.kind.psi(-np.abs(scores)), self.kind.psi(np.abs(scores))
            value = np.minimum(lost, nus) * more + np.maximum(nus - lost, 0) * less
            return np.asarray(value), np.asarray(np.where(nus <= lost * (1 + 1e-12), more, less))
        value, level = np.empty((2, len(nus)))
        for score in np.unique(scores):
            here = scores == score
            tail = self.sort(1.0, np.full(len(self.labels), score), none=0.0)
            value[here], level[here] = tail.top(nus[here]), tail.level(nus[here])
        return value, level

    def unit(self, nu: Any, value: Any, gain: Any) -> Any:
        """What gaps are relative to: the objective, or the gain where zero is not the minimiser."""
        size = self.at_zero.top(nu)
        large = np.maximum(value, REACHED / self.tol * size)
        own = np.maximum(np.minimum(large, gain), ROUNDING * size / self.tol)
        return np.maximum(np.where(nu <= self.zero_to * (1 + 1e-12), large, own), 1e-300)

    def inner(self, one: Knot, other: Knot) -> float:
        """Product of two models' coefficients that are regularised."""
        end = -1 if self.free else None
        return float(one.coef[:end] @ other.coef[:end])

    def pushed(self, one: Knot, other: Knot) -> float:
        """Product of two knots' sums of rows."""
        return float(one.push @ other.push)

    def shares(self, low: Knot, high: Knot, nu: Any) -> tuple[Any, Any]:
        """Shares of the higher knot in the dual weights, and in the coefficients."""
        if high.nu == low.nu:
            return 0.0 * nu, 0.0 * nu
        t = (nu - low.nu) / (high.nu - low.nu)
        # Coefficients are C times the sum of rows, and C may follow k.
        return t, np.minimum(t * high.nu / nu, 1.0) if self.average else t

    def ridge(self, low: Knot, high: Knot, share: Any, nu: Any = None) -> Any:
        """The regulariser of mixtures."""
        square = _square(self.inner(low, low), self.inner(low, high), self.inner(high, high), share)
        return square / (2 * self.constant(low.nu if nu is None else nu))

    def dual(self, low: Knot, high: Knot, nu: Any) -> Any:
        """Lower bounds: what is concave by its chord, the square exactly."""
        t, _ = self.shares(low, high, nu)
        square = _square(
            self.pushed(low, low), self.pushed(low, high), self.pushed(high, high), t)
        return low.linear + t * (high.linear - low.linear) - 0.5 * self.constant(nu) * square

    def sort(
        self, nu: float, scores: Floats, share: float = 0.0, none: float | None = None,
        losses: Floats | None = None,
    ) -> Sorted:
        """A model's losses in order."""
        none, masses = self.none(nu) if none is None else none, self.masses
        losses = self.kind.values(self.labels, scores) if losses is None else losses
        if self.even:
            losses = np.sort(losses)[::-1]
            return Sorted(nu, share, none, losses, None, sums(losses) * masses[0])
        order = np.argsort(-losses)
        losses, masses = losses[order], masses[order]
        return Sorted(nu, share, none, losses, sums(masses), sums(masses * losses))

    def record(
        self, first: int, last: int, low: Knot, high: Knot, a: Sorted, b: Sorted, at: int
    ) -> Floats:
        """Values and gaps of mixtures at these k, between two that are sorted; the gaps."""
        nu = self.nus[first:last]
        t, share = self.shares(low, high, nu)
        part = (share - a.share) / (b.share - a.share) if b.share > a.share else 0.0 * nu
        (value, level), (other, end) = self.largest_losses(a, nu, first), self.largest_losses(
            b, nu, first)
        value = value + part * (other - value) + self.ridge(low, high, share, nu)
        dual = self.dual(low, high, nu)
        # Without coefficients the least objective is concave in k: its chord is below.
        slope = (b.none - a.none) / (b.nu - a.nu) if b.nu > a.nu else 0.0
        gain = a.none + (nu - a.nu) * slope - dual
        gap = np.asarray((value - dual) / self.unit(nu, value, gain))
        self.out[:3, first:last], self.out[4, first:last] = (value, dual, gap), at + share
        level = level + part * (end - level)
        slack = nu - low.mass - t * (high.mass - low.mass)
        level = positive_level(level, slack, nu, value)
        self.out[3, first:last] = np.where(nu < 1 - 1e-12, level, 0.0)
        return gap

    def largest_losses(self, of: Sorted, nu: Floats, first: int) -> tuple[Any, Any]:
        """Aggregates at these k in order, and the losses at which the largest ones end."""
        if not self.even:
            return of.top(nu), of.level(nu)
        whole, rest, place = (end[first: first + len(nu)] for end in self.ends)
        losses = of.losses
        return of.sums[whole] + rest * (losses[whole] * self.masses[0]), losses[place]

    mixed = MIXED
    whole = True
    """Whether all k between two knots may be covered without a look at one of them."""

    def cover(self, low: Knot, high: Knot, at: int) -> Knot | None:
        """Models for all k between two knots, or a knot that is missing."""
        first = int(np.searchsorted(self.nus, low.nu * (1 - 1e-12)))
        last = int(np.searchsorted(self.nus, high.nu * (1 + 1e-12)))
        left = [(first, last, low.tail, replace(high.tail, share=1.0))]
        easy = self.whole or low.nu == 0 or low.coef is high.coef or last - first < 4
        if first == last or (easy and self.record(
                *left[0][:2], low, high, *left[0][2:], at).max() <= self.tol):
            return None
        for start, end, a, b in left:
            inner = slice(start + (self.nus[start] <= a.nu * (1 + 1e-12)),
                          end - (self.nus[end - 1] >= b.nu * (1 - 1e-12)))
            if inner.start >= inner.stop:
                continue
            middle = (inner.start + inner.stop) // 2
            nu = float(self.nus[middle])
            share = float(self.shares(low, high, nu)[1])
            new = self.sort(nu, (1 - share) * low.scores + share * high.scores, share)
            gaps = self.record(start, middle + 1, low, high, a, new, at)
            if gaps[-1] > self.mixed * self.tol:
                if self.poor(low) and self.poor(high):
                    break  # what rounding leaves a solution between does not mend
                return self.between(low, high, np.arange(inner.start, inner.stop), float(gaps[-1]))
            if gaps.max() > self.tol:
                left.append((start, middle + 1, a, new))
            if middle + 1 < end:
                gaps = self.record(middle + 1, end, low, high, new, b, at)
                if gaps.max() > self.tol:
                    left.append((middle + 1, end, new, b))
        return None

    def poor(self, at: Knot) -> bool:
        """Whether a solution's own gap is too large, or what it gains is rounding."""
        if at.nu <= self.zero_to * (1 + 1e-12):
            return False
        dual = float(self.dual(at, at, at.nu))
        value = float(at.tail.top(at.nu)) + float(self.ridge(at, at, 0.0))
        gain = at.tail.none - dual
        return bool(gain <= ROUNDING * self.at_zero.top(at.nu)
                    or value - dual > self.tol * self.unit(at.nu, value, gain))

    def between(self, low: Knot, high: Knot, inner: NDArray[np.intp], gap: float) -> Knot:
        """A solution at one of these tail masses, as far up as leaves the lower part one gap."""
        parts = np.clip(np.ceil(np.sqrt(gap / (MIXED * self.tol))), 2, 8)
        start, end = low.nu - self.zero_to, high.nu - self.zero_to
        # In equal ratios of the distance from the collapse.
        aim = self.zero_to + (start * (end / start) ** (1 / parts) if start > 0 else end / parts)
        nu = float(self.nus[inner[np.abs(self.nus[inner] - aim).argmin()]])
        return self.inserted(low, high, nu, gap)

    def inserted(self, low: Knot, high: Knot, nu: float, gap: float) -> Knot:
        """A solution between two."""
        share = float(self.shares(low, high, nu)[1])
        w = (1 - share) * low.coef + share * high.coef
        if not self.kind.margin:
            return self.solved(nu, w, self.gain(low), gap * self.gain(low))
        near = (nu - low.nu) / (high.nu - low.nu)
        gain = self.gain(low) ** (1 - near) * self.gain(high) ** near
        return self.solved(nu, w, gain, gap * gain)


def _square(low: float, both: float, high: float, share: Any) -> Any:
    """Of a mixture, from the products of what is mixed."""
    return low + share * (2 * (both - low) + share * (low - 2 * both + high))


def sums(values: Floats) -> Floats:
    """Of the first none, one, two..."""
    return np.concatenate([[0.0], np.cumsum(values)])
