r"""All k of a classification beside an intercept: every k has weights and an intercept of its own.

The best constant moves with k, at a small C by more than coefficients gain, and of the hinge loss
it jumps at k of twice the smaller class. So a model's own largest losses are weights of every k,
beside the intercept at which both classes pull alike. Of the hinge loss they hold as much of both,
up to where one is exhausted or its losses end; of a smooth one it is found by a few steps.

Of a margin the square is that of residuals, of which the largest are at both ends of a class.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.groups import Counted, Side, alike, balanced
from noisytheory.topics.top_k.guesses import Guess
from noisytheory.topics.top_k.jumps import ALIKE, APART, squares
from noisytheory.topics.top_k.places import BEND, Curve, Ks, Places, pair
from noisytheory.topics.top_k.regression import Regression
from noisytheory.topics.top_k.turning import Look
from noisytheory.topics.top_k.walk import EXACT, SMALL, Knot, Walk

__all__ = ["Classes", "Labels"]

Floats = NDArray[np.float64]

LOOKS = 6
"""Places at which it is looked for other intercepts that are about as good."""
TINY, HUGE = 1e-300, 1e150
MIDDLE = 1e-12
"""How far rounding may take the middle of the labels from 0."""


@dataclass(frozen=True, eq=False)
class Losses(Curve):
    """With ``top``, at least the largest losses, which end at ``level``, at the places."""

    top: Floats
    level: Floats


class Classes(Places[Losses]):
    """Knots as before, between which every k has weights and an intercept of its own."""

    models: Floats
    """Coefficients at the places, the intercept last."""
    sides: dict[Knot, list[Side]]

    def below(self, high: Knot) -> list[Knot]:
        """As before."""
        found = super().below(high)
        self.curves, self.sides, self.models = {}, {}, np.empty((0, 0))
        nus, (_, none) = self.nus, self.alone
        jump, last = jump_of(self), len(nus) - 1
        first = nus[none.searchsorted(self.tol * self.least(nus[-1])).clip(0, last)]
        edge, after = nus.searchsorted([jump * (1 - 1e-12), jump * (1 + 1e-12)]).clip(0, last)
        self.places = pair(np.unique(np.concatenate([
            [0, max(edge - 1, 0), edge, after],
            self.spread(float(first), lambda at: (none, none[at]))])))
        return found

    @functools.cached_property
    def classes(self) -> list[tuple[float, Ks]]:
        """Label and rows of both classes, the upper one first."""
        return [(sign, np.flatnonzero(self.labels == sign)) for sign in (1.0, -1.0)]

    def ordered(self, of: Knot) -> list[Side]:
        """Both classes by a knot's scores; of one model there may be two knots."""
        if of not in self.sides:
            scores = of.scores - of.coef[-1]
            known = (own for knot, own in self.sides.items() if knot.coef is of.coef)
            self.sides[of] = next(known, []) or [
                Side.of(sign * scores[index], self.masses[index], index)
                for sign, index in self.classes]
        return self.sides[of]

    def curve_of(self, of: Knot) -> Losses:
        """At the places between the knots next to it, and to those of the same model."""
        twins = [at for at, knot in enumerate(self.knots) if knot.coef is of.coef]
        for at in twins:
            if self.knots[at] in self.curves:
                return self.curves[self.knots[at]]
        first = self.knots[max(twins[0] - 1, 0)].nu
        last = self.knots[min(twins[-1] + 1, len(self.knots) - 1)].nu
        nu, count = self.nus[self.places], len(self.places)
        some = slice(*nu.searchsorted([first * (1 - 1e-12), last * (1 + 1e-12)]))
        own = self.losses_of(of, nu[some], self.alone[1][self.places[some]])
        push = np.zeros((count, own.push.shape[1]))
        filled = np.repeat([[0.0], [-HUGE], [0.0], [HUGE], [0.0]], count, axis=1)
        numbers = np.array([own.centre, own.linear, own.square, own.top, own.level])
        # Losses that overflow are no numbers, and nothing is known.
        finite = np.isfinite(numbers).all(axis=0) & np.isfinite(own.push).all(axis=1)
        filled[:, some][:, finite], push[some][finite] = numbers[:, finite], own.push[finite]
        return Losses(push, *filled)

    def losses_of(self, of: Knot, nu: Floats, none: Floats) -> Losses:
        """Its largest losses at tail masses."""
        kind = self.kind
        if not of.coef[:-1].any():
            return self.without_any(nu)
        up, down = self.ordered(of)
        if kind.smooth:
            near = np.sqrt(BEND * self.tol * self.least(nu) / none)
            mass, *tried = balanced(kind, up, down, nu, near)
            some = Counted.of(up, down, mass, nu - mass)
            first, second = (np.array([b, *some.largest(kind.psi, b)]) for b in tried)
            b, top, level = np.where(second[1] < first[1], second, first)
            slope = kind.slope(some.mean + some.sign * b[:, None])
        else:
            mass, b, top, level = alike(up, down, nu)
            some = Counted.of(up, down, mass, mass)
            slope = np.full(some.mass.shape, -1.0)
        linear, push, lost = some.proven(kind.conjugate, slope, self.rows)
        return Losses(push, b, linear, (np.linalg.norm(push, axis=1) + lost)**2, top, level)

    def without_any(self, nu: Floats) -> Losses:
        """Of the best constants: rows of a class weigh alike, or as what proves them, and balances
        the rows.
        """
        b, none = self.constants(nu)
        mass = np.minimum(nu, jump_of(self)) / 2
        # Constants do not balance the hinge where it jumps.
        pull = -mass * self.kind.slope(-np.abs(b)) if self.kind.smooth else mass
        one, other = (self.masses[index] @ self.rows[index] / self.masses[index].sum()
                      for _, index in self.classes)
        known = nu <= self.constant_to * (1 + 1e-12)
        push = np.where(known, 0.0, pull)[:, None] * np.asarray(other - one)
        linear = none - np.where(known, EXACT * self.kind.at_zero * nu, 0.0)
        square = np.einsum("ij,ij->i", push, push)
        return Losses(push, b, linear, square, none, self.kind.psi(np.abs(b)))

    def seek(self) -> bool:
        """As it is by a lower floor: where little is gained rows tie, and a model's own largest
        losses prove next to nothing.
        """
        if self.sought or self.squares is None:
            return False
        found = self.balanced(self.knots[-1], self.squares) or []
        self.sought = True
        if found:
            self.put(found, [one for one in self.knots if one.nu > found[-1].nu * (1 + 1e-12)])
        return bool(found)

    def intercepts(self, nu: float) -> list[float]:
        """The best one of a mixture."""
        if not len(self.models):
            return []
        return [float(np.interp(nu, self.nus[self.places], self.models[:, -1]))]

    def stepped(self, at: int, nu: float, aim: float) -> tuple[Guess, float]:
        """The best model in the plane of two."""
        return self.guessed(at, nu)

    def mixed_at(
        self, every: list[Losses], low: Ks, t: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Of models at the places, and on lines between them."""
        nus, places, knots = self.nus, self.places, self.knots
        nu, C = nus[places], self.constant(nus) * np.ones(len(nus))
        knot, at = low[places], np.arange(len(places))
        tops, levels, centres = (np.array([getattr(one, name) for one in every])
                                 for name in ("top", "level", "centre"))
        for one, of in enumerate(knots):
            own = int(places.searchsorted(nus.searchsorted(of.nu * (1 - 1e-12))))
            if of.nu and of.coef[:-1].any() and of.tail.top(of.nu) < tops[one, own]:
                # There its own intercept is the best.
                tops[one, own], levels[one, own] = of.tail.top(of.nu), of.tail.level(of.nu)
                centres[one, own] = of.coef[-1]
        coefs = np.array([one.coef for one in knots])
        _, w1, w2 = (of[knot] for of in squares(coefs[:, :-1]))
        fall = 2 * C[places] * (tops[knot, at] - tops[knot + 1, at]) - w1
        share = np.clip(fall / np.maximum(2 * w2, TINY), 0, 1)

        def mixed(of: Floats) -> Floats:
            return np.asarray((1 - share) * of[knot, at] + share * of[knot + 1, at])

        self.models = (1 - share)[:, None] * coefs[knot] + share[:, None] * coefs[knot + 1]
        self.models[:, -1] = mixed(centres)
        top, level = mixed(tops), mixed(levels)
        k = np.arange(len(nus))
        here = np.searchsorted(places, k, side="right").clip(1, len(places) - 1) - 1
        start, end = nu[here], nu[here + 1]
        part = np.clip((nus - start) / np.maximum(end - start, TINY), 0, 1)
        # Of one model largest losses are concave in k.
        value = (1 - part) * (top[here] + (nus - start) * level[here]) + part * (
            top[here + 1] - (end - nus) * level[here + 1])
        a0, a1, a2 = (of[here] for of in squares(self.models[:, :-1]))
        value += (a0 + part * (a1 + part * a2)) / (2 * C)
        return value, level[here] + part * (level[here + 1] - level[here]), here + part

    def settle(self) -> None:
        """Models for all k, and of which another intercept is about as good."""
        self.tops, self.nones = {}, self.alone[1]
        if self.sought:
            self.rungs()
        super().settle()
        self.torn = others(self, self.models, self.places, self.out[4])
        self.out[4] += len(self.knots)
        self.knots += [replace(self.knots[0], coef=w) for w in self.models]
        if self.direction is not None:
            self.along(*self.ray)


class Labels(Regression):
    """The square of margins: that of labels as numbers."""

    of_constant = 0.0

    def constants(self, nus: Floats) -> tuple[Floats, Floats]:
        """As before: where both classes have as much weight, 0 is the middle, which has a sign."""
        found, values = super().constants(nus)
        return np.where(np.abs(found) < MIDDLE, 0.0, found), values

    def settle(self) -> None:
        """As before, and of which another intercept is about as good."""
        super().settle()
        if self.turned is not None:
            models, place, _ = self.turned
            models[~models[:, :-1].any(axis=1) & (np.abs(models[:, -1]) < MIDDLE), -1] = 0.0
            self.torn = others(self, models, self.places, place)


def jump_of(walk: Walk) -> float:
    """Twice the smaller class, where the best intercept jumps, or bends."""
    above = float(walk.masses[walk.labels > 0].sum())
    return 2 * min(above, 1 - above)


def others(walk: Walk, models: Floats, places: Ks, place: Floats) -> NDArray[np.bool_]:
    """Of which k another intercept is about as good that errs otherwise.

    Models are at places, and those of all k on lines between. Where it is so at one of two k that
    are looked at, or these err otherwise, it may be so between.
    """
    nus, (value, dual) = walk.nus, walk.out[:2]
    torn, gaps = np.zeros(len(nus), bool), np.maximum(value - dual, TINY)
    # No others are called determined.
    sure = np.flatnonzero(
        (gaps <= SMALL * (walk.alone[1] - dual)) & (nus > walk.zero_to * (1 + 1e-12)))
    if not sure.size:
        return torn
    edge, after = nus.searchsorted(jump_of(walk) * np.array([1 - 1e-12, 1 + 1e-12]))
    even = np.linspace(0, len(sure) - 1, LOOKS).round().astype(int)
    some = np.unique([*sure[even], *np.intersect1d(sure, [edge - 1, edge, after])])
    below = np.minimum(place[some].astype(int), len(places) - 2)
    part = (place[some] - below)[:, None]
    coef = (1 - part) * models[below] + part * models[below + 1]
    look, none = Look.of(walk, 1.0), np.zeros(len(some))
    scores = (walk.rows[look.rows] @ coef[:, :-1].T).T + coef[:, -1:]
    lost = look.centred(scores, nus[some], none, none)[1].min(axis=1)
    close = lost <= ALIKE * gaps[some]
    error = ((scores >= 0) != (look.labels > 0)) @ look.masses
    either = close[:-1] | close[1:] | (np.abs(np.diff(error)) > APART)
    torn[some] = close
    inner = np.setdiff1d(sure, some, assume_unique=True)
    torn[inner] = either[some.searchsorted(inner) - 1]
    return torn
