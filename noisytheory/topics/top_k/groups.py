"""Rows of two classes by their margins, in groups that score alike: weights and largest losses.

Rows of a class that score alike are seen together: one slope for all of them is as good a weight as
one for each, so that what is proven is true, and what a convex loss has between two margins is
below its chord. So a tail mass takes no look at all the rows.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from noisytheory.topics.top_k.individual import Individual
from noisytheory.topics.top_k.walk import sums

__all__ = ["Counted", "Side", "alike", "balanced"]

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

EVEN, WORST = 32, 16
"""Groups of a class: of as many rows, and ever fewer of those that lose most."""
NEARBY = 0.1
"""Of a mass, what tells how fast margins grow there."""
MOST, WILD, SLOW = 60, 2.0, 0.5
"""Steps towards an intercept, how far the first may go, and what one is to leave of what is off."""
ROUNDED = 1e-15
"""Of a sum of rows, what rounding may take from it."""
TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Side:
    """A class: margins without an intercept, those first that lose most, masses and which rows.

    ``reached`` and ``sums`` are of the first none, one, two... rows: of masses, and of margins.
    """

    margins: Floats
    masses: Floats
    index: Places
    reached: Floats
    sums: Floats

    @staticmethod
    def of(margins: Floats, masses: Floats, index: Places) -> Side:
        """From a sort."""
        order = np.argsort(margins)
        m, masses = margins[order], masses[order]
        return Side(m, masses, index[order], sums(masses), sums(masses * m))

    @property
    def whole(self) -> float:
        """Its mass."""
        return float(self.reached[-1])

    def at(self, mass: Floats) -> Floats:
        """The margin up to which so much mass is."""
        return np.asarray(np.interp(mass, self.reached, np.append(self.margins, self.margins[-1])))

    def growth(self, mass: Floats) -> Floats:
        """How fast it grows there."""
        low, high = (1 - NEARBY) * mass, np.minimum((1 + NEARBY) * mass, self.whole)
        return (self.at(high) - self.at(low)) / np.maximum(high - low, TINY)

    def row(self, mass: Floats) -> Places:
        """The row at which so much mass ends."""
        place = self.reached.searchsorted(mass * (1 - 1e-12)) - 1
        return np.asarray(place.clip(0, len(self.margins) - 1))

    @functools.cached_property
    def cuts(self) -> Places:
        """Ends of groups: of as many rows, and ever fewer of those that lose most."""
        n = len(self.margins)
        if n <= EVEN + WORST:
            return np.arange(n + 1)
        return np.unique(np.concatenate([
            np.linspace(0, n, EVEN + 1), np.geomspace(1, n, WORST)]).astype(int))

    @functools.cached_property
    def groups(self) -> Floats:
        """Of each group the mass, and the margins of its first and last row, and in the mean."""
        mass, total = (np.diff(of[self.cuts]) for of in (self.reached, self.sums))
        low, high = self.margins[self.cuts[:-1]], self.margins[self.cuts[1:] - 1]
        mean = np.divide(total, mass, out=low.copy(), where=mass > 0)  # some masses are rounding
        return np.array([mass, low, high, np.clip(mean, low, high)])

    def counted(self, mass: Floats) -> Floats:
        """What counts of its groups, and of that which ends with so much mass, shape
        (4, m, groups + 1): the rest of it is left out, and does not count as the mean of all.
        """
        row = self.row(mass)
        last = self.cuts.searchsorted(row, side="right") - 1
        start = self.cuts[last]
        part, total = mass - self.reached[start], np.interp(
            mass, self.reached, self.sums) - self.sums[start]
        low, high = self.margins[start], self.margins[row]
        mean = np.divide(total, part, out=low.copy(), where=part > 0)
        edge = np.array([np.maximum(part, 0), low, high, np.clip(mean, low, high)])
        found = np.empty((4, len(mass), len(self.cuts)))
        found[:, :, :-1], found[:, :, -1] = self.groups[:, None], edge
        found[0, :, :-1] *= np.arange(len(self.cuts) - 1) < last[:, None]
        return found

    def pushed(self, mass: Floats, weights: Floats, rows: Any) -> tuple[Floats, float]:
        """Sums of rows by weights of groups, and of what counts of the last; and of what size."""
        row = self.row(mass)
        start = self.cuts[self.cuts.searchsorted(row, side="right") - 1]
        every = np.union1d(self.cuts, row)
        found = sparse.csr_matrix(
            (self.masses, self.index, every), shape=(len(every) - 1, rows.shape[0])) @ rows
        ends = rows[self.index[row]]
        found, ends = (of.toarray() if sparse.issparse(of) else of for of in (found, ends))
        size, up_to = float(np.abs(found).sum(axis=0).max()), sums_of(found)
        last = up_to[every.searchsorted(row)] - up_to[every.searchsorted(start)] + (
            mass - self.reached[row])[:, None] * ends
        whole = np.diff(up_to[every.searchsorted(self.cuts)], axis=0)
        return weights[:, :-1] @ whole + weights[:, -1:] * last, size


@dataclass(frozen=True, eq=False)
class Counted:
    """Of two classes what counts at tail masses, in parts, those of the upper class first.

    ``mass``, and ``low``, ``high`` and ``mean`` margins, shape (m, parts).
    """

    up: Side
    down: Side
    held: tuple[Floats, Floats]
    mass: Floats
    low: Floats
    high: Floats
    mean: Floats

    @staticmethod
    def of(up: Side, down: Side, one: Floats, other: Floats) -> Counted:
        """With so much of both."""
        parts = np.concatenate([up.counted(one), down.counted(other)], axis=2)
        return Counted(up, down, (one, other), *parts)

    @functools.cached_property
    def sign(self) -> Floats:
        """What an intercept adds to margins."""
        return np.repeat([1.0, -1.0], [len(self.up.cuts), len(self.down.cuts)])

    def both(self, of: Floats) -> tuple[Floats, Floats]:
        """Sums over the parts of both classes."""
        found = np.add.reduceat(of, [0, len(self.up.cuts)], axis=1)
        return found[:, 0], found[:, 1]

    def largest(self, psi: Any, b: Floats) -> tuple[Floats, Floats]:
        """At most the largest losses beside intercepts, and where they end."""
        sides = tuple(zip((self.up, self.down), self.held, (b, -b), strict=True))
        edges = np.array([side.margins[side.row(held)] + more for side, held, more in sides])
        # An exhausted class ends nowhere; where both are, with the least loss of all.
        ended = np.array([held >= side.whole * (1 - 1e-12) for side, held, _ in sides])
        level = psi(np.where(ended.all(axis=0), edges.max(axis=0),
                             np.where(ended, np.inf, edges).min(axis=0)))
        # Losses are convex, so below chords.
        away = self.sign * b[:, None]
        low, high = (np.maximum(psi(end + away) - level[:, None], 0)
                     for end in (self.low, self.high))
        wide = self.high - self.low
        part = np.divide(self.mean - self.low, wide, out=np.zeros_like(wide), where=wide > 0)
        over = np.einsum("ij,ij->i", self.mass, low + part * (high - low))
        return (self.held[0] + self.held[1]) * level + over, level

    def proven(
        self, conjugate: Any, slope: Floats, rows: Any
    ) -> tuple[Floats, Floats, float]:
        """What weights and slopes prove, what they make of rows, and what of that is rounding."""
        one, other = (np.maximum(pull, TINY) for pull in self.both(-self.mass * slope))
        # Zero is a slope that every conjugate allows: the larger pull is shrunk.
        least = np.minimum(one, other)
        slope = slope * np.where(self.sign > 0, (least / one)[:, None], (least / other)[:, None])
        weights, first = self.sign * slope, len(self.up.cuts)
        whole = weights * (self.mass > 0)
        (push, size), (more, rest) = (
            side.pushed(held, of, rows) for side, held, of in (
                (self.up, self.held[0], whole[:, :first]),
                (self.down, self.held[1], whole[:, first:])))
        linear = -np.einsum("ij,ij->i", self.mass, conjugate(slope))
        return linear, push + more, ROUNDED * (size + rest)


def sums_of(rows: Floats) -> Floats:
    """Of the first none, one, two... rows."""
    return np.vstack([np.zeros(rows.shape[1]), np.cumsum(rows, axis=0)])


def balanced(
    kind: Individual, up: Side, down: Side, nu: Floats, near: Floats
) -> tuple[Floats, Floats, Floats]:
    """At tail masses, how much of the upper class is in the largest losses, and the intercept: by
    lines from row to row, and at which those that end lose alike, one of which is the better.

    So that both classes pull alike, but for a factor whose logarithm is ``near`` 0. On the way the
    upper class pulls less and less: first by intercepts beside all that may count of it, then by
    less of its mass, beside the intercept at which both classes' losses end alike, at last by
    intercepts beside the least of it that counts.
    """
    (whole, _, _, mean), n = np.concatenate([up.groups, down.groups], axis=1), len(up.cuts) - 1
    before = np.append(up.reached[up.cuts[:-1]], down.reached[down.cuts[:-1]])
    upper = np.arange(len(whole)) < n
    sign = np.where(upper, 1.0, -1.0)
    first, last = -np.minimum(nu, up.whole), -np.maximum(nu - down.whole, 0)
    way = np.clip(-nu / 2, first, last)
    low, high = np.full(len(nu), -np.inf), np.full(len(nu), np.inf)
    left, was = np.arange(len(nu)), np.full(len(nu), np.inf)
    for step in range(MOST):
        at, ends = way[left], (first[left], last[left])
        mass = -np.clip(at, *ends)
        rest = nu[left] - mass
        edge = up.at(mass), down.at(rest)
        b = (edge[1] - edge[0]) / 2 + at + mass
        # Here the mean of a group stands for what counts of the last.
        held = np.where(upper, mass[:, None], rest[:, None]) - before
        held, margins = np.minimum(np.maximum(held, 0), whole), mean + sign * b[:, None]
        pull, bent = -held * kind.slope(margins), held * kind.curvature(margins)
        one, other = (np.maximum(of.sum(axis=1), TINY) for of in (pull[:, :n], pull[:, n:]))
        bend, curve = bent[:, :n].sum(axis=1), bent[:, n:].sum(axis=1)
        off, turn = np.log(one) - np.log(other), bend / one + curve / other
        if not step:
            # Inside, margins at which losses end grow with the mass.
            grown = (up.growth(mass) + down.growth(rest)) / 2
        last_slope = -kind.slope((edge[0] + edge[1]) / 2)
        rise = last_slope / one + last_slope / other + turn * grown[left]
        beyond = (at < ends[0]) | (at > ends[1]) | (off < 0) & (at == ends[0]) | (
            off > 0) & (at == ends[1])
        most = WILD * 2.0**step
        new = at + np.clip(off / np.maximum(np.where(beyond, turn, rise), TINY), -most, most)
        for end in ends:
            new = np.where((at - end) * (new - end) < 0, end, new)
        low[left], high[left] = np.where(off > 0, at, low[left]), np.where(off > 0, high[left], at)
        # Halved where it leads out of what is known, or hardly nearer.
        ends = low[left], high[left]
        slow = (np.abs(off) > SLOW * was[left]) & np.isfinite(ends[0] - ends[1])
        new = np.where((new > ends[0]) & (new < ends[1]) & ~slow, new, (ends[0] + ends[1]) / 2)
        far, was[left] = np.abs(off) > near[left], np.abs(off)
        way[left] = np.where(far, new, at)
        left = left[far & (new != at)]
        if not left.size:
            break
    mass = -np.clip(way, first, last)
    one, other = up.margins[up.row(mass)], down.margins[down.row(nu - mass)]
    return mass, (down.at(nu - mass) - up.at(mass)) / 2 + way + mass, (other - one) / 2 + way + mass


def alike(up: Side, down: Side, nu: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Of the hinge loss: so much of both, the intercept, the largest losses, and where they end.

    Up to where one class is exhausted, or margins sum to 2: no losses are left beyond.
    """
    reached = np.union1d(up.reached, down.reached)
    reached = reached[reached <= min(up.whole, down.whole) * (1 + 1e-12)]
    one, other = (side.margins[side.row(reached)] for side in (up, down))
    most = float(reached[max(int((one + other).searchsorted(2.0, side="right")) - 1, 0)])
    inside, mass = nu / 2 <= most * (1 + 1e-12), np.minimum(nu / 2, most)
    one, other = (side.margins[side.row(mass)] for side in (up, down))
    # The least one that leaves so much of both.
    after = np.inf
    if most < up.whole * (1 - 1e-9):
        after = float(up.margins[up.row(np.array(most * (1 + 1e-9)))])
    b = np.where(inside, (other - one) / 2, np.maximum(other - 1, 1 - after))
    top = 2 * mass - sum(np.interp(mass, side.reached, side.sums) for side in (up, down))
    level = np.where(inside, np.maximum(1 - (one + other) / 2, 0), 0.0)
    return mass, b, top, level
