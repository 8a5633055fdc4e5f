"""All k by what is known at some of them, the places.

A model's own largest losses are weights of every k. What they prove is computed at the places; the
least objective is concave in k, so that lines between what is proven are proven.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.few import Few
from noisytheory.topics.top_k.guesses import GUESSED, Guess
from noisytheory.topics.top_k.jumps import squares
from noisytheory.topics.top_k.task import positive_level
from noisytheory.topics.top_k.walk import MOST, Knot

__all__ = ["Curve", "Places", "lines"]

Floats = NDArray[np.float64]
Ks = NDArray[np.intp]

BEND, LEAST, ROUNDS = 0.2, 24, 12
"""Share of the gap allowed that lines between places may lose; places at first, and rounds."""
CLOSE, BETTER = 0.05, 0.3
"""Where not all objectives are so close more models are sought, to be better than is asked for;
and the share of the gap allowed that these are to have.
"""
NEARLY = 0.9
"""Of the largest gap, that of the largest k at which a model is sought."""
CLOSER = 1.5
"""What a gap beside that allowed is taken for, as its parts may be uneven."""
SEEK, STUCK, PARTED = 2, 0.3, 5
"""Rounds after which it is asked where zero ends, if so much is missing of what was at first, or
soon; and rounds after which what is missing is halved.
"""
SCANT = 64
"""Rows of which a solution takes no longer than a guess."""
ALMOST = 0.99
"""Of the gap allowed, what is used: of what is proven rounding is taken."""


@dataclass(frozen=True, eq=False)
class Curve:
    """A model's largest losses at the places, beside the best intercept of each if there is one.

    ``push``, the sum of their rows times slopes, ``centre``, the intercept or by how much it is to
    grow, ``linear`` and ``square``, what the weights prove.
    """

    push: Floats
    centre: Floats
    linear: Floats
    square: Floats


C = TypeVar("C", bound=Curve)


class Places(Few, Generic[C]):
    """Knots as before, between which every k has weights and an intercept of its own."""

    places: Ks
    """Of the k at which rows are summed."""
    curves: dict[Knot, C]
    more = 0
    """Models that are sought besides the first where all are good enough."""

    def curve(self, of: Knot) -> C:
        """Of a knot."""
        if of not in self.curves:
            self.curves[of] = self.curve_of(of)
        return self.curves[of]

    def curve_of(self, of: Knot) -> C:
        """Computed."""
        raise NotImplementedError

    def mixed_at(self, every: list[C], low: Ks, t: Floats) -> tuple[Floats, Floats, Floats]:
        """Objectives at most of the models of every k, levels, and places between the knots."""
        raise NotImplementedError

    def stepped(self, at: int, nu: float, aim: float) -> tuple[Guess, float]:
        """A model between two knots without a solution; and its gap."""
        raise NotImplementedError

    def spread(self, first: float, of: Callable[[Ks], tuple[Floats, Floats]]) -> Ks:
        """Places from a tail mass on, so near that lines between them lose little of what is gained
        without any coefficients: of some ks its values at all, and what is known there.
        """
        nus, last = self.nus, len(self.nus) - 1
        allowed = BEND * self.tol * self.least(nus)
        some = np.geomspace(first, nus[-1], LEAST) * (1 - 1e-9)
        at = np.unique(np.append(nus.searchsorted(some), last).clip(0, last))
        for _ in range(ROUNDS):
            if len(at) == 1:
                break
            value, known = of(at)
            away = (value - np.interp(nus, nus[at], known)) / np.maximum(allowed, 1e-300)
            if not (away[at[0]:] > 1).any():
                break
            at = closer(at, away)
        return pair(at)

    def settle(self) -> None:
        """Models for all k: between two knots mixtures, what is missing guessed, or solved."""
        first = len(self.knots)
        self.put(self.knots[1:-1], self.knots[-1:])
        self.nones, missing = self.alone[1], 0
        for turn in range(MOST):
            gaps, cuts = self.glance()
            loose, needed = gaps > ALMOST * self.tol, True
            if not loose.any():
                lacks = 1 - self.out[1] / np.maximum(self.out[0], 1e-300)
                if len(self.knots) - first >= self.more or not (lacks[self.places] > CLOSE).any():
                    break
                needed = False
                gaps, loose = lacks, lacks > CLOSE
            missing = missing or loose.sum()
            slow = turn >= SEEK and loose.sum() > STUCK * missing
            if needed and (slow or turn >= PARTED - 1) and self.seek():
                continue
            some, before = self.places[loose[self.places]], len(self.knots)
            if not needed:
                some = some[[gaps[some].argmax()]]
            for at in reversed(np.unique(np.searchsorted(cuts, some, side="right") - 1).tolist()):
                here = some[(some >= cuts[at]) & (some < cuts[at + 1])]
                self.added(at, gaps, here, needed, turn >= PARTED)
            if len(self.knots) > before:
                continue
            # Lines between places lose too much.
            at = np.unique(self.places)
            more = closer(at, gaps / (ALMOST * self.tol)) if len(at) > 1 and needed else at
            if len(more) == len(at):
                break
            self.places = more
            self.curves.clear()
        else:
            self.glance()  # with the knots of the last round

    def seek(self) -> bool:
        """Knots where zero ends, if that has not been asked; whether there are any."""
        return False

    def put(self, some: list[Knot], above: list[Knot]) -> None:
        """Knots at some k between none and those above, which are places, too."""
        inner = [placed for knot in some if (placed := self.placed(knot)) is not None]
        self.knots = [self.knots[0], *inner, *above]
        self.places = pair(np.union1d(self.places, [
            self.nus.searchsorted(knot.nu * (1 - 1e-12)) for knot in inner]))
        self.curves = {}

    def placed(self, knot: Knot) -> Knot | None:
        """At a k: zero at one below, if there is one, as less of its weights proves it there."""
        if knot.coef[: self.rows.shape[1]].any():
            return replace(knot, nu=float(self.nus[self.nus.searchsorted(knot.nu * (1 - 1e-12))]))
        at = int(self.nus.searchsorted(knot.nu * (1 + 1e-12), side="right")) - 1
        if at < 0:
            return None
        less = min(float(self.nus[at]) / knot.nu, 1.0)
        return replace(knot, nu=float(self.nus[at]), linear=less * knot.linear,
                       push=less * knot.push, mass=less * knot.mass)

    def added(self, at: int, gaps: Floats, some: Ks, needed: bool, middle: bool) -> None:
        """A knot between two, at one of these places, a solution only where it is needed."""
        low, high = self.knots[at], self.knots[at + 1]
        nus = self.nus[some]
        some = some[(nus > low.nu * (1 + 1e-12)) & (nus < high.nu * (1 - 1e-12))]
        if not some.size:
            return
        # There a few steps lead to the minimiser, and what is between is nearly as wide.
        large = gaps[some] >= NEARLY * gaps[some].max()
        nu = float(self.nus[some[large][-1] if not middle else some[len(some) // 2]])
        if needed and len(self.labels) <= SCANT:
            self.knots.insert(at + 1, self.inserted(low, high, nu, float(gaps[some].max())))
            return
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
        value, level, self.out[4] = self.mixed_at(every, low, t)
        gaps = np.asarray((value - dual) / self.unit(nus, value, self.nones - dual))
        self.out[:3] = value, dual, gaps
        self.out[3] = np.where(nus < 1 - 1e-12, positive_level(level, 0.0, nus, value), 0.0)
        return gaps, cuts


def pair(at: NDArray[Any]) -> Ks:
    """At least two, as there are lines between."""
    return np.asarray(np.repeat(at, 2) if len(at) == 1 else at, np.intp)


def closer(at: Ks, gaps: Floats) -> Ks:
    """More places where lines lose too much, by gaps beside those allowed at every k: parts of an
    interval have a gap that is smaller by the square of their number.
    """
    large = np.maximum.reduceat(gaps, at[:-1])
    parts = np.where(large > 1, np.maximum(np.ceil(np.sqrt(CLOSER * np.maximum(large, 1))), 2), 1)
    parts = np.minimum(parts, np.diff(at)).astype(int)
    start, width = np.repeat(at[:-1], parts), np.repeat(np.diff(at) / parts, parts)
    index = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)
    return np.unique(np.append(start + (index * width).round().astype(int), at))


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
