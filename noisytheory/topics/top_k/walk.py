r"""Solutions at a few tail masses, and mixtures of two that serve all between.

Of two solutions dual weights mixed in proportion are feasible at every tail mass between, so a
mixture has its own certificate. Sums of the largest losses are convex in the model and, of one
model, known at all tail masses from one sort: between two sorts both sides of the gap are formulas.

The root of what the coefficients gain over none is convex in the tail mass, and 0 up to the
collapse. So the gap of a mixture grows with the square of the distance between its two solutions
over their distance from the collapse: solutions stand in about equal ratios of that distance.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from noisytheory.topics.top_k.individual import individual, least_constant
from noisytheory.topics.top_k.neighbours import Balance, Part
from noisytheory.topics.top_k.task import ROUNDING, Task, positive_level

__all__ = ["Knot", "Walk", "collapsed_up_to"]

Floats = NDArray[np.float64]

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
BELOW = 0.2
"""About what is left of the coefficients at that guess."""
LOW = 0.1
"""Share of the gap allowed that the lowest of a few solutions gains."""
RUNGS = (0.3, 0.2)
"""Of the distance from the collapse, as seen from one of a few solutions, where the next stands."""
LACKS = 0.1
"""Share of the proven gap that a scaled solution has."""
COLLAPSE = 3e-3
"""Relative error of the collapse that is let stand where solutions are few."""
CLOSE = 0.05
"""Tail mass above the collapse from which its weights are found from a solution's."""


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

    def __init__(
        self, rows: Any, labels: Floats, masses: Floats, loss: str, C: float, free: bool,
        average: bool, tol: float, own: bool = True,
    ) -> None:
        self.rows, self.labels, self.masses, self.C = rows, labels, masses, C
        self.own, self.most = own, np.inf
        self.kind, self.free, self.average, self.tol = individual(loss), free, average, tol
        self.start: Floats | None = None
        self.even = bool(np.ptp(masses) == 0)
        self.fits = 0
        self.kept: tuple[Floats, Floats] | None = None
        # Where zero is the minimiser, and where it is not.
        self.zero_to, self.above = 0.0, np.inf
        self.knots: list[Knot] = []
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
        highest = self.highest(float(nus[-1]))
        if not self.own:
            self.most = max(self.gain(highest), ROUNDING * self.size)
            self.most /= highest.nu if self.average else 1.0
        knots = [highest]
        if highest.mass < highest.nu * (1 - 1e-9) and not self.average:
            # All losses that are not 0 count already: from there on nothing changes.
            knee = max(highest.mass, float(nus[0]))
            if knee < highest.nu:
                knots.insert(0, replace(highest, nu=knee, tail=self.sort(knee, highest.scores)))
        self.knots = (self.descend if self.own else self.ladder)(knots[0]) + knots[1:]
        at = 0
        while at < len(self.knots) - 1:
            new = self.cover(self.knots[at], self.knots[at + 1], at)
            if new is None:
                at += 1
            else:
                self.knots.insert(at + 1, new)
        if len(self.knots) == 1:
            only = self.knots[0]
            self.record(np.arange(len(nus)), only, only, only.tail, only.tail, 0)
        return self.out

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
        task = Part(self.rows, self.labels, self.masses, self.kind, nu, self.constant(nu),
                     self.free, SOLVED * self.tol, start_value=float(self.at_zero.top(nu)))
        task.kept, task.constant, task.most = self.kept, self.none(nu), self.largest(nu)
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

    def zero(self, task: Task, value: float) -> bool:
        """Whether zero is proven the minimiser."""
        task.zero, tol, task.tol = None, task.tol, EXACT
        found = task.is_zero(value)
        task.tol = tol
        return found

    def knot(self, task: Task, w: Floats, scores: Floats) -> Knot:
        """A solution with its certificate."""
        assert task.best_weights is not None
        return Knot(task.nu, w, scores, task.best_linear, task.best_push,
                    float(task.best_weights.sum()), self.sort(task.nu, scores, none=task.constant))

    def descend(self, high: Knot) -> list[Knot]:
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

    def ladder(self, high: Knot) -> list[Knot]:
        """A few knots from zero up to this one, where gaps are relative to the largest k's gain.

        Below a model that gains less than is allowed, scaled weights and coefficients serve all k.
        """
        found = [high]
        for _ in range(MOST):
            at = found[0]
            low = self.gain(at) <= LOW * self.tol * self.largest(at.nu)
            if low or at.nu <= self.nus[0] * (1 + 1e-12):
                break
            end = self.collapse(at) if self.kind.margin else 0.0
            share = RUNGS[min(len(found), len(RUNGS)) - 1] if self.kind.margin else 0.0
            nu = max(end + share * (at.nu - end), at.nu / FARTHEST, float(self.nus[0]))
            small = min((nu - end) / (at.nu - end), 1.0) if self.kind.margin else 1.0
            # Scaled weights bound what this start lacks.
            part = nu / at.nu
            dual = part * at.linear - 0.5 * self.constant(nu) * part**2 * self.pushed(at, at)
            start = self.sort(nu, small * at.scores, none=0.0)
            ridge = small**2 * self.inner(at, at) / (2 * self.constant(nu))
            gap = LACKS * (float(start.top(nu)) + ridge - dual)
            found.insert(0, self.solved(nu, small * at.coef, self.gain(at), gap))
        least = found[0]
        nothing = replace(
            least, nu=0.0, coef=0 * least.coef, scores=0 * least.scores, linear=0.0,
            push=0 * least.push, mass=0.0, tail=replace(self.at_zero, nu=0.0, none=0.0))
        last = self.balanced(least) if self.kind.margin else None
        if last is None:
            return [nothing, *found]
        return [nothing, last, *(knot for knot in found if knot.nu > last.nu)]

    def balanced(self, low: Knot) -> Knot | None:
        """Where zero stops to be the minimiser, from a solution above; None if below every k."""
        if low.nu <= self.nus[0] * (1 + 1e-12):
            return None
        margin = float(self.kind.at_zero - low.tail.level(low.nu)) / -self.kind.slope_at_zero
        w = low.coef / margin if margin > 0 else 0 * low.coef
        hinge = Balance(self.rows, self.labels, self.masses, individual("hinge"), 1.0, 1.0,
                         self.free, COLLAPSE, start_value=1.0)
        hinge.least = float(self.nus[0])
        hinge.step = float(np.diff(self.nus, prepend=0.0).min())
        self.fits += 1
        hinge.find(w, low.nu - self.collapse(low) < CLOSE)
        p, nu = hinge.best_weights, hinge.best_dual
        if p is None or nu < hinge.least * (1 - 1e-9):
            return None
        task = Part(self.rows, self.labels, self.masses, self.kind, nu, self.constant(nu),
                     self.free, EXACT, start_value=float(self.at_zero.top(nu)))
        task.constant = self.none(nu)
        task.certify(p, self.kind.slopes(self.labels, np.zeros(len(p))))
        if task.start_value - task.best_dual > EXACT * task.start_value:
            return None
        self.zero_to = nu
        return self.knot(task, 0 * low.coef, np.zeros(len(self.labels)))

    def largest(self, nu: Any) -> Any:
        """What is gained at the largest k, as the scaling asked for has it; else no end."""
        return self.most * nu if self.average else self.most

    def gain(self, at: Knot) -> float:
        """What a solution's coefficients gain over none at most."""
        return max(at.tail.none - float(self.dual(at, at, at.nu)), 0.0)

    def root(self, at: Knot) -> float:
        """Root of what is gained over zero: convex in the tail mass, and 0 up to the collapse."""
        return float(np.sqrt(max(at.nu * self.kind.at_zero - self.dual(at, at, at.nu), 0.0)))

    def collapse(self, at: Knot) -> float:
        """Where the tangent of the root meets 0: the collapse is not above."""
        level = float(at.tail.level(at.nu))
        if self.own:
            level = level if at.mass > at.nu * (1 - 1e-7) else 0.0
        else:
            level = float(positive_level(level, at.nu - at.mass, at.nu, at.tail.top(at.nu)))
        slope = self.kind.at_zero - level
        if self.average:
            slope -= self.ridge(at, at, 0.0) / at.nu
        return float(at.nu - 2 * self.root(at) ** 2 / max(slope, 1e-300))

    def none(self, nu: float) -> float:
        """The least objective without coefficients."""
        if not self.free:
            return float(self.at_zero.top(nu))
        return min(float(self.at_zero.top(nu)), least_constant(
            self.kind, self.labels, None if self.even else self.masses, nu))

    def unit(self, nu: Any, value: Any, gain: Any) -> Any:
        """What gaps are relative to: the objective, or the gain where zero is not the minimiser."""
        size = self.at_zero.top(nu)
        large = np.maximum(value, 1e-5 * size)
        if not self.own:
            return np.maximum(np.minimum(large, self.largest(nu)), 1e-300)
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
        return t, t * high.nu / nu if self.average else t

    def ridge(self, low: Knot, high: Knot, share: Any, nu: Any = None) -> Any:
        """The regulariser of mixtures."""
        rest = 1 - share
        square = (rest**2 * self.inner(low, low) + 2 * share * rest * self.inner(low, high)
                  + share**2 * self.inner(high, high))
        return square / (2 * self.constant(low.nu if nu is None else nu))

    def dual(self, low: Knot, high: Knot, nu: Any) -> Any:
        """Lower bounds: what is concave by its chord, the square exactly."""
        t, _ = self.shares(low, high, nu)
        square = ((1 - t)**2 * self.pushed(low, low) + 2 * t * (1 - t) * self.pushed(low, high)
                  + t**2 * self.pushed(high, high))
        return (1 - t) * low.linear + t * high.linear - 0.5 * self.constant(nu) * square

    def sort(
        self, nu: float, scores: Floats, share: float = 0.0, none: float | None = None
    ) -> Sorted:
        """A model's losses in order."""
        none = self.none(nu) if none is None else none
        losses, masses = self.kind.values(self.labels, scores), self.masses
        if self.even:
            losses = np.sort(losses)[::-1]
            return Sorted(nu, share, none, losses, None, _sums(losses) * masses[0])
        order = np.argsort(-losses)
        losses, masses = losses[order], masses[order]
        return Sorted(nu, share, none, losses, _sums(masses), _sums(masses * losses))

    def record(
        self, places: NDArray[np.intp], low: Knot, high: Knot, a: Sorted, b: Sorted, at: int
    ) -> float:
        """Values and gaps of mixtures at these k, between two that are sorted; the largest gap."""
        nu = self.nus[places]
        t, share = self.shares(low, high, nu)
        part = (share - a.share) / (b.share - a.share) if b.share > a.share else 0.0 * nu
        value = ((1 - part) * a.top(nu) + part * b.top(nu) + self.ridge(low, high, share, nu))
        dual = self.dual(low, high, nu)
        # Without coefficients the least objective is concave in k: its chord is below.
        beside = (nu - a.nu) / (b.nu - a.nu) if b.nu > a.nu else 0.0 * nu
        gain = (1 - beside) * a.none + beside * b.none - dual
        gap = (value - dual) / self.unit(nu, value, gain)
        slack = nu - (1 - t) * low.mass - t * high.mass
        level = positive_level((1 - part) * a.level(nu) + part * b.level(nu), slack, nu, value)
        self.out[:, places] = value, dual, gap, np.where(nu < 1 - 1e-12, level, 0.0), at + share
        return float(gap.max())

    def cover(self, low: Knot, high: Knot, at: int) -> Knot | None:
        """Models for all k between two knots, or a knot that is missing."""
        first = int(np.searchsorted(self.nus, low.nu * (1 - 1e-12)))
        last = int(np.searchsorted(self.nus, high.nu * (1 + 1e-12)))
        left = [(np.arange(first, last), low.tail,
                 replace(high.tail, share=1.0))]
        for places, a, b in left:
            if not len(places) or self.record(places, low, high, a, b, at) <= self.tol:
                continue
            inner = places[(self.nus[places] > a.nu * (1 + 1e-12))
                           & (self.nus[places] < b.nu * (1 - 1e-12))]
            if not len(inner):
                continue
            middle = int(inner[len(inner) // 2])
            nu = float(self.nus[middle])
            share = float(self.shares(low, high, nu)[1])
            new = self.sort(nu, (1 - share) * low.scores + share * high.scores, share)
            found = self.record(np.array([middle]), low, high, new, new, at)
            if found > MIXED * self.tol:
                return self.between(low, high, inner, found)
            left += [(places[places < middle], a, new), (places[places > middle], new, b)]
        return None

    def between(self, low: Knot, high: Knot, inner: NDArray[np.intp], gap: float) -> Knot:
        """A solution at one of these tail masses, as far up as leaves the lower part one gap."""
        parts = np.clip(np.ceil(np.sqrt(gap / (MIXED * self.tol))), 2, 8)
        start, end = low.nu - self.zero_to, high.nu - self.zero_to
        # In equal ratios of the distance from the collapse.
        aim = self.zero_to + (start * (end / start) ** (1 / parts) if start > 0 else end / parts)
        nu = float(self.nus[inner[np.abs(self.nus[inner] - aim).argmin()]])
        share = float(self.shares(low, high, nu)[1])
        w = (1 - share) * low.coef + share * high.coef
        if not self.kind.margin:
            return self.solved(nu, w, self.gain(low), gap * self.gain(low))
        near = (nu - low.nu) / (high.nu - low.nu)
        gain = self.gain(low) ** (1 - near) * self.gain(high) ** near
        return self.solved(nu, w, gain, gap * gain)


def _sums(values: Floats) -> Floats:
    """Of the first none, one, two..."""
    return np.concatenate([[0.0], np.cumsum(values)])


def collapsed_up_to(
    rows: Any, labels: Floats, masses: Floats, shares: Floats, *, intercept: bool = False
) -> float:
    """The largest of these tail masses whose minimiser is zero at every C; 0 if there is none.

    Parameters
    ----------
    rows, labels, masses
        Checked data of two classes.
    shares : array, shape (m,)
        In order.
    intercept : bool

    Returns
    -------
    float
    """
    squares = rows.multiply(rows) if sparse.issparse(rows) else rows**2
    # C large enough for the scores to reach the margin: the objective is that without regulariser.
    C = 1e3 / max(float(masses @ np.asarray(squares.sum(axis=1)).ravel()), 1e-300)
    keep = np.flatnonzero(masses > 0)
    walk = Walk(rows[keep], labels[keep], masses[keep], "hinge", C, intercept, False, 1e-2)
    walk.nus = shares
    walk.descend(walk.highest(float(shares[-1])))
    return walk.zero_to
