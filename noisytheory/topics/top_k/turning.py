"""How far an intercept is best turned, and what the nearest one loses that errs otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.individual import Individual, best_intercept, largest, reached

if TYPE_CHECKING:
    from noisytheory.topics.top_k.walk import Walk

__all__ = ["Look"]

Floats = NDArray[np.float64]

TURNED = 0.02
"""Difference of the share of errors, by weight, from which on another intercept matters."""
LOOK = 2000
"""Rows by which intercepts are found, half of them of each class."""
FLAT = 0.1
"""Least score of coefficients as good as an intercept at which a row is said to turn with them."""
NEAR = 0.05
"""Of the step to the nearer of these, an error of the best intercept that is let stand."""
ENDS = 1e-15
"""Of an intercept, where halving ends at the latest: a score may be 0 but for rounding."""
TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Look:
    """Rows by which it is found how far to turn: of many some of each class, of its mass.

    ``alike`` is what is added to their scores, once, and 1 beside an intercept.
    """

    kind: Individual
    labels: Floats
    masses: Floats
    even: bool
    rows: Any = ...
    alike: Any = 1.0

    @staticmethod
    def of(walk: Walk, alike: Any) -> Look:
        """All of them; of many some, by which an intercept is about the best of all: what its model
        loses is computed of all rows, what a neighbour loses more is of these.
        """
        labels, masses = walk.labels, walk.masses
        if len(labels) <= LOOK or not walk.even:
            return Look(walk.kind, labels, masses, walk.even, alike=alike)
        chosen, each = np.random.default_rng(0), []
        mass = np.empty(len(labels))
        for sign in (1, -1):
            every = np.flatnonzero(labels == sign)
            some = chosen.choice(every, min(LOOK // 2, len(every)), replace=False)
            mass[some] = float(masses[every].sum()) / max(len(some), 1)
            each.append(some)
        rows = np.sort(np.concatenate(each))
        return Look(walk.kind, labels[rows], mass[rows], False, rows,
                     alike if np.ndim(alike) == 0 else alike[rows])

    def centred(
        self, scores: Floats, nu: Floats, slope: Floats, bend: Floats
    ) -> tuple[Floats, Floats]:
        """How far to turn scores, shape (m, n), at m tail masses; and what neighbours lose more.

        The regulariser has this slope there, and bends so much.
        """
        if not self.kind.smooth and np.ndim(self.alike) == 0:
            masses = None if self.even else self.masses
            turn = best_intercept(self.labels, masses, scores, nu)
            return turn, self.beside(scores + turn[:, None], nu, slope, bend)
        turn, lost = np.zeros(len(nu)), self.beside(scores, nu, slope, bend)
        # Where a neighbour is better the best one is not between.
        away = np.flatnonzero((lost < 0).any(axis=1))
        if away.size:
            some = scores[away], nu[away], slope[away], bend[away]
            turn[away] = by = self.best(*some)
            lost[away] = self.beside(some[0] + by[:, None] * self.alike, some[1],
                                     some[2] + by * some[3], some[3])
        return turn, lost

    def beside(self, scores: Floats, nu: Floats, slope: Floats, bend: Floats) -> Floats:
        """What neighbours lose more."""
        own = largest(self.kind.values(self.labels, scores), self.masses, nu, self.even)
        lost = np.full((len(nu), 2), np.inf)
        for side, by in enumerate(self.turns(scores).T):
            some = np.flatnonzero(np.isfinite(by))
            if some.size:
                b = by[some]
                losses = self.kind.values(self.labels, scores[some] + b[:, None] * self.alike)
                lost[some, side] = b * (slope[some] + 0.5 * b * bend[some]) - own[some] + largest(
                    losses, self.masses, nu[some], self.even)
        return lost

    def turns(self, scores: Floats) -> Floats:
        """How far scores, shape (m, n), turn for so many more, or fewer, errors, downwards and
        upwards, shape (m, 2); maybe infinite.
        """
        away = scores
        if np.ndim(self.alike):
            # A row that hardly turns never turns to the other side.
            away = np.where(self.alike >= FLAT, scores / np.maximum(self.alike, FLAT), np.inf)
        order = np.argsort(away, axis=1)
        ordered = np.take_along_axis(away, order, axis=1)
        pulls = (self.labels * self.masses)[order]
        passed, right = np.cumsum(pulls, axis=1), ordered >= 0
        # Of what is passed on the way from 0.
        before = np.where(right, 0.0, pulls).sum(axis=1, keepdims=True)
        least = TURNED * float(self.masses.sum()) * (1 - 1e-9)
        down = right & (np.abs(passed - before) >= least)
        up = ~right & (np.abs(before - passed + pulls) >= least)
        found, each = np.empty((len(scores), 2)), np.arange(len(scores))
        for side, (far, last) in enumerate(((down, down.argmax(axis=1)), (
                up, up.shape[1] - 1 - up[:, ::-1].argmax(axis=1)))):
            found[:, side] = np.where(
                far[each, last], -ordered[each, last] * (1 + 1e-9), np.inf)
        return found

    def best(self, scores: Floats, nu: Floats, slope: Floats, bend: Floats) -> Floats:
        """How far it is best to turn scores, shape (m, n), at m tail masses."""
        masses = None if self.even else self.masses

        def pull(some: NDArray[np.intp], b: Floats) -> Floats:
            at = scores[some] + b[:, None] * self.alike
            losses, slopes = (of(self.labels, at) for of in (self.kind.values, self.kind.slopes))
            level = -reached(-losses, masses, nu[some], len(self.labels))[:, None]
            heavy, equal = (np.where(which, self.masses, 0.0)
                            for which in (losses > level, losses == level))
            rest = (nu[some] - heavy.sum(axis=1)) / np.maximum(equal.sum(axis=1), TINY)
            p = (heavy + np.clip(rest, 0, 1)[:, None] * equal) * self.alike
            return np.asarray(np.einsum("ij,ij->i", p, slopes) + slope[some] + b * bend[some])

        first = np.abs(self.turns(scores))
        first = np.where(first > 0, first, np.inf).min(axis=1)
        size = np.abs(scores).max(axis=1)
        step = np.where(first < np.inf, first, np.where(size > 0, size, 1.0))
        aim, near, far, beyond = NEAR * step, 0 * nu, np.full(len(nu), np.nan), 0 * nu
        start = pull(np.arange(len(nu)), near)
        left, pulled = np.flatnonzero(np.isfinite(start) & (start != 0)), start.copy()
        # Outwards until the pull turns, then halving; at last as if it were straight.
        while left.size:
            outwards = np.isnan(far[left])
            at = np.where(outwards, near[left] - np.sign(start[left]) * step[left],
                          (near[left] + far[left]) / 2)
            now = pull(left, at)
            turned, stays = now * start[left] <= 0, now * start[left] > 0
            far[left[turned]], beyond[left[turned]] = at[turned], now[turned]
            near[left[stays]], pulled[left[stays]] = at[stays], now[stays]
            step[left[outwards]] *= 2
            # What overflows is left where it is.
            last = np.maximum(aim[left], ENDS * np.abs(near[left]))
            left = left[(turned | stays) & ~(np.abs(far[left] - near[left]) <= last)]
        found = ~np.isnan(far) & (pulled != beyond)
        part = np.divide(pulled, pulled - beyond, out=0 * nu, where=found)
        return np.where(found, near + part * (far - near), near)
