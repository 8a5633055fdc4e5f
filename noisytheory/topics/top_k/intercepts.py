r"""Between two solutions beside an intercept: at every k the intercept of its own.

The best constant moves with k, and where coefficients gain little it moves by more than they gain:
then neither a mixture of two intercepts nor of two dual weights is good enough. What is known of
constants is taken out. Classes have the smaller one's losses above the other's, all of which count.

A model's losses are its classes' at their mean scores, and at most $\tfrac12\max\psi''$ times the
squares of what is left. Of dual weights the slopes of each class are multiples of their mean
$\sigma$; what $\sum p_i\psi^*(-\sigma\rho_i)$ exceeds $\psi^*(-\sigma)$ by is a sum of powers of
$\sigma$ that are at least 1, none with a sign that is not positive, for every smooth loss here: it
is convex in logarithms, and below its chords.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.individual import Individual

if TYPE_CHECKING:
    from noisytheory.topics.top_k.walk import Knot, Walk

__all__ = ["Ends", "Intercepts", "Own"]

Floats = NDArray[np.float64]

TIMES = 3
"""Newton steps to the best intercept."""
APART = 0.7
"""Logarithm by which mean slopes differ at most at which what their spread costs is computed."""
NEAR, MOST = 0.05, 40
"""Share of the gap allowed that lines between intercepts may lose; intercepts of a span at most."""
ROUNDED = 1e-15
"""Of a square of sums that cancel, what rounding may take from it."""
TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Ends:
    """Two classes: the sign of the larger one, which rows are of the smaller, and its mass."""

    kind: Individual
    masses: Floats
    sign: float
    few: NDArray[np.bool_]
    share: float

    @staticmethod
    def of(kind: Individual, labels: Floats, masses: Floats) -> Ends:
        """From labels."""
        above = float(masses[labels > 0].sum())
        sign = 1.0 if above >= 0.5 else -1.0
        few = labels * sign < 0
        return Ends(kind, masses, sign, few, float(masses[few].sum()))


@dataclass(frozen=True, eq=False)
class Model:
    """Scores, without intercept and of the larger class' sign: by class, at every k.

    ``mean`` of the margins, ``square`` of what is left beside it, weighted, ``low`` and ``high``:
    the least and the largest of that. Two rows: the smaller class, and what counts of the larger.
    ``last`` is where that ends; ``least`` and ``most`` are the first and the last score.
    """

    mean: Floats
    square: Floats
    low: Floats
    high: Floats
    last: Floats
    least: float
    most: float

    @staticmethod
    def of(ends: Ends, scores: Floats, nus: Floats) -> Model:
        """From scores."""
        few, u = ends.few, ends.sign * scores
        some, weight = -u[few], ends.masses[few]
        order = np.argsort(u[~few])
        rest, mass = u[~few][order], ends.masses[~few][order]
        reached = np.concatenate([[0.0], np.cumsum(mass)])
        counted = np.maximum(nus - ends.share, TINY)
        first, second = (np.interp(counted, reached, np.concatenate([[0.0], np.cumsum(mass * v)]))
                         for v in (rest, rest**2))
        last = rest[np.clip(np.searchsorted(reached, counted - 1e-12) - 1, 0, len(rest) - 1)]
        mean = float(weight @ some) / ends.share
        middle = first / counted
        ones = np.ones(len(nus))
        return Model(
            np.array([mean * ones, middle]),
            np.array([float(weight @ (some - mean) ** 2) * ones,
                      np.maximum(second - counted * middle**2, 0)]),
            np.array([(some.min() - mean) * ones, rest[0] - middle]),
            np.array([(some.max() - mean) * ones, last - middle]),
            last, float(-some.max()), float(rest[-1]))

    def at(self, part: slice, times: Any = 1.0) -> Model:
        """At some k, of scores a few times as large."""
        return Model(times * self.mean[:, part], times**2 * self.square[:, part],
                     times * self.low[:, part], times * self.high[:, part],
                     times * self.last[part], times * self.least, times * self.most)


def centred(ends: Ends, nu: Floats, mean: Floats) -> Floats:
    """The best intercepts beside scores with these means of the two classes' margins."""
    kind, rest = ends.kind, nu - ends.share
    assert kind.balance is not None
    b = kind.balance(rest / ends.share) + (mean[0] - mean[1]) / 2
    for _ in range(TIMES):
        few, many = mean[0] - b, mean[1] + b
        slope = rest * kind.slope(many) - ends.share * kind.slope(few)
        bend = rest * kind.curvature(many) + ends.share * kind.curvature(few)
        b = b - np.divide(slope, bend, out=np.zeros_like(b), where=bend > 0)
    return np.asarray(b)


def reached(ends: Ends, model: Model, nu: Floats, b: Floats) -> Floats:
    """Upper bounds on a model's largest losses at these intercepts; infinite where unknown."""
    kind, rest = ends.kind, nu - ends.share
    value = np.zeros(len(nu))
    for at, (mass, margin) in enumerate((
            (ends.share, model.mean[0] - b), (rest, model.mean[1] + b))):
        low, high = margin + model.low[at], margin + model.high[at]
        bend = np.maximum(np.maximum(kind.curvature(low), kind.curvature(high)), np.where(
            (low < 0) & (high > 0), kind.curvature(0 * low), 0.0))
        value += mass * kind.psi(margin) + 0.5 * bend * model.square[at]
    # All of the smaller class lose more than what is left out; there losses still fall.
    sure = (b + model.last >= -b - model.least) & (kind.slope(b + model.most) <= 0)
    return np.where(sure & (value < np.inf), value, np.inf)


class Weights:
    """Dual weights by class: masses, mean slopes, rows combined, and what their spread costs."""

    def __init__(
        self, ends: Ends, rows: Any, p: Floats, slopes: Floats, middle: Any = 0.0
    ) -> None:
        self.ends, self.parts = ends, []
        self.mass, self.slope = np.zeros(2), np.zeros(2)
        self.push = np.zeros((2, rows.shape[1]))
        for at, some in enumerate((ends.few, ~ends.few)):
            index = np.flatnonzero(some & (p > 0))
            weight, size = p[index], np.abs(slopes[index])
            self.mass[at] = weight.sum()
            pulled = float(weight @ size)
            if pulled <= 0:
                continue
            self.slope[at] = pulled / self.mass[at]
            ratio = size / self.slope[at]
            sign = ends.sign if at == 0 else -ends.sign
            # Classes are balanced, so rows may be seen from anywhere: there what is large cancels.
            self.push[at] = sign * (rows[index].T @ (weight * ratio) - self.mass[at] * middle)
            self.parts.append((weight, ratio))

    @property
    def known(self) -> bool:
        """Whether both classes have slopes."""
        return len(self.parts) == 2

    def offset(self) -> float:
        """Of the larger class' slope, from what is best beside no coefficients; a logarithm."""
        return float(np.log(self.slope[1]) - np.log(alone(self.ends.kind, *self.mass)))

    def spread(self, at: int, slope: Floats) -> Floats:
        """At most what unequal slopes of a class cost, at its mean slopes."""
        weight, ratio = self.parts[at]
        kind = self.ends.kind
        first, last = float(slope.min()), float(slope.max())
        count = int(np.ceil(np.log(last / first) / APART)) + 1
        places = first * (last / first) ** np.linspace(0, 1, count)
        unequal, even = kind.conjugate(-places[:, None] * ratio), kind.conjugate(-places)
        cost = (unequal - even[:, None]) @ weight
        whole = self.mass[at] * abs(float(kind.conjugate(-places[-1])))
        cost = np.maximum(cost, 0) + 1e-15 * whole
        return np.asarray(np.exp(np.interp(np.log(slope), np.log(places), np.log(cost))))


def mixed(low: Floats, high: Floats, share: Floats) -> Floats:
    """Of two, of which one may be infinite where it has no share."""
    return np.where(share > 0, share * high, 0.0) + np.where(share < 1, (1 - share) * low, 0.0)


def alone(kind: Individual, few: Any, many: Any) -> Any:
    """The larger class' slope without coefficients."""
    assert kind.balance is not None
    return -kind.slope(kind.balance(np.maximum(many / few, 1.0)))


def proven(low: Weights, high: Weights, t: Floats, C: Any) -> Floats:
    """Lower bounds from dual weights mixed in proportion."""
    kind = high.ends.kind
    mass = (1 - t) * low.mass[:, None] + t * high.mass[:, None]
    offset = (1 - t) * low.offset() + t * high.offset()
    many = alone(kind, *mass) * np.exp(offset)
    slopes = np.array([many * mass[1] / mass[0], many])
    value = -(mass * kind.conjugate(-slopes)).sum(axis=0)
    for at in (0, 1):
        value -= (1 - t) * low.spread(at, slopes[at]) + t * high.spread(at, slopes[at])
    some, parts = [*low.push, *high.push], [*((1 - t) * slopes), *(t * slopes)]
    gram, shares = np.array(some) @ np.array(some).T, np.array(parts)
    square = np.einsum("ik,ij,jk->k", shares, gram, shares)
    # What cancels leaves rounding.
    square += ROUNDED * (np.sqrt(np.diagonal(gram)) @ shares) ** 2
    value = value - 0.5 * C * square
    return np.where(np.isnan(value), -np.inf, value)


@dataclass(frozen=True)
class Own:
    """Values, lower bounds and levels at the k between two knots; intercepts at a few of these."""

    first: int
    value: Floats
    dual: Floats
    level: Floats
    share: Floats
    way: Floats
    places: NDArray[np.intp]
    intercepts: Floats


class Intercepts:
    """What was found of solutions and of the spans between two."""

    def __init__(self, ends: Ends, rows: Any, nus: Floats, C: Any) -> None:
        self.ends, self.rows, self.nus, self.C = ends, rows, nus, C * np.ones(len(nus))
        # Seen from there features are centred: what all rows share is the intercept's.
        self.middle = np.asarray(rows.T @ ends.masses) / float(ends.masses.sum())
        self.models: dict[Knot, Model] = {}
        self.weights: dict[Knot, Weights | None] = {}
        self.spans: dict[tuple[Knot, Knot], Own | None] = {}
        self.used: list[tuple[int, Own, NDArray[np.bool_]]] = []
        # Where all of the smaller class count, and as much of the larger.
        self.first = float(nus[min(int(np.searchsorted(
            nus, 2 * ends.share * (1 - 1e-9))), len(nus) - 1)])

    def improved(
        self, walk: Walk, cuts: NDArray[np.intp], gaps: Floats, value: Floats, dual: Floats
    ) -> Floats:
        """Better values and bounds in place of those between knots where gaps are large; gaps."""
        self.used = []
        least = walk.tol * walk.least(self.nus) * np.ones(len(self.nus))
        for at, (low, high) in enumerate(itertools.pairwise(walk.knots)):
            first, last = int(cuts[at]), int(cuts[at + 1])
            if (first >= last or low.nu < self.first * (1 - 1e-12)
                    or gaps[first:last].max() <= walk.tol):
                continue
            if (low, high) not in self.spans:
                self.spans[low, high] = self.found(
                    low, high, slice(first, last), walk.average, least[first:last])
            mine, here = self.spans[low, high], slice(first, last)
            if mine is not None:
                better = mine.value < value[here]
                if better.any():
                    self.used.append((at, mine, better))
                value[here] = np.minimum(value[here], mine.value)
                dual[here] = np.maximum(dual[here], mine.dual)
        return np.asarray((value - dual) / walk.unit(self.nus, value, walk.alone[1] - dual))

    def levels(self, level: Floats) -> Floats:
        """Where the largest losses end, of these models."""
        for _, mine, better in self.used:
            level[mine.first + np.flatnonzero(better)] = mine.level[better]
        return level

    def placed(self, knots: list[Knot], place: Floats) -> list[Knot]:
        """Knots of the models with an intercept of their own, and where each k's is."""
        new: list[Knot] = []
        for at, mine, better in self.used:
            low, high = knots[at], knots[at + 1]
            share, first = mine.share[mine.places], len(knots) + len(new)
            for part, b in zip(share, mine.intercepts, strict=True):
                w = (1 - part) * low.coef + part * high.coef
                new.append(replace(low, coef=np.append(w[:-1], b - self.middle @ w[:-1])))
            where = np.interp(mine.way, mine.way[mine.places], first + np.arange(len(share)))
            place[mine.first + np.flatnonzero(better)] = where[better]
        return new

    def start(self, nu: float, share: float, low: Knot, high: Knot) -> float:
        """About the best intercept: of what it is away from the best constant, a mixture."""
        away = [float(one.coef[-1]) - self.alone(one.nu) for one in (low, high)]
        return self.alone(nu) + (1 - share) * away[0] + share * away[1]

    def alone(self, nu: float) -> float:
        """The best constant."""
        kind, share = self.ends.kind, self.ends.share
        assert kind.balance is not None
        return self.ends.sign * float(kind.balance(np.array(max(nu - share, share) / share)))

    def found(
        self, low: Knot, high: Knot, part: slice, average: bool, least: Floats
    ) -> Own | None:
        """From both sides."""
        one, other = self.weight(low), self.weight(high)
        if one is None or other is None:
            return None
        nu, C, ends = self.nus[part], self.C[part], self.ends
        t = np.clip((nu - low.nu) / (high.nu - low.nu), 0, 1)
        share = np.minimum(t * high.nu / nu, 1.0) if average else t
        dual = proven(one, other, t, C)
        b, w = self.model(high), (low.coef[:-1], high.coef[:-1])
        if low.coef[:-1].any():
            a = self.model(low).at(part)
            b = b.at(part)
            mean = (1 - share) * a.mean + share * b.mean
            last = (1 - share) * a.last + share * b.last
        else:
            a, b = None, b.at(part, share)
            mean, last = b.mean, b.last
        # In equal ratios of what counts of the larger class, so near that lines do.
        rest = np.log(nu - ends.share)
        off = np.sqrt(NEAR * float(least.min()) / ends.share)
        count = int(np.clip(np.ceil(np.ptp(rest) / np.sqrt(8 * off)), 1, MOST)) + 1
        places = np.unique(np.searchsorted(
            rest, np.linspace(rest[0], rest[-1], count) - 1e-12).clip(0, len(nu) - 1))
        intercepts = centred(ends, nu[places], mean[:, places])
        # Coefficients are mixed in proportion, and intercepts with them.
        way = share if share[-1] > share[0] else nu
        at = np.interp(way, way[places], intercepts)
        value = reached(ends, b, nu, at)
        if a is not None:
            value = mixed(reached(ends, a, nu, at), value, share)
        square = ((1 - share)**2 * float(w[0] @ w[0]) + 2 * share * (1 - share) * float(w[0] @ w[1])
                  + share**2 * float(w[1] @ w[1]))
        return Own(part.start, value + square / (2 * C), dual, ends.kind.psi(at + last), share,
                   way, places, ends.sign * intercepts)

    def model(self, of: Knot) -> Model:
        """Of a knot."""
        if of not in self.models:
            alike = of.coef[-1] + self.middle @ of.coef[:-1]
            self.models[of] = Model.of(self.ends, of.scores - alike, self.nus)
        return self.models[of]

    def weight(self, of: Knot) -> Weights | None:
        """Of a knot, where its weights are known."""
        if of not in self.weights:
            found = Weights(
                self.ends, self.rows, *of.pulls, self.middle) if of.pulls else None
            self.weights[of] = found if found is not None and found.known else None
        return self.weights[of]
