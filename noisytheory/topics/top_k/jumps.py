"""Beside an intercept: at every k the best one of its own, and whether another would do as well.

Of the hinge loss the largest losses hold as much of both classes, up to k of twice the smaller one.
There the best intercept jumps, of a smooth loss it bends: a mixture of two intercepts is far from
both. Coefficients are mixed as before; their best intercepts are computed at a few k, closer to
that place, on both its sides, and mixed between.

An intercept costs nothing, so many may be about as good: where one that makes some more errors, or
fewer, is worse by no more than a share of the gap, errors may be another model's.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from noisytheory.topics.top_k.individual import best_intercept
from noisytheory.topics.top_k.task import positive_level

if TYPE_CHECKING:
    from noisytheory.topics.top_k.walk import Knot, Sorted, Walk

__all__ = ["ALIKE", "TURNED", "heaviest", "recentred"]

Floats = NDArray[np.float64]

HALVED, BENT = 8, 4
"""Times that the distance from the jump is halved below it; and quartered above it, or where the
loss is smooth.
"""
TURNED = 0.02
"""Difference of the share of errors, by weight, from which on another intercept matters."""
ALIKE = 0.1
"""Share of the gap by which such an intercept is to be worse."""
LOOK = 2000
"""Rows by which it is seen which intercept that is."""
NEAR = 0.1
"""Of the step to the nearer of these, an error of the best intercept that is let stand."""
TINY = 1e-300


@dataclass(frozen=True, eq=False)
class _Centred:
    """A model with the best intercept at a tail mass; its losses, and those of its neighbours.

    A neighbour's intercept, on either side, is the nearest that errs so much more or less;
    no losses where none does.
    """

    knot: Knot
    others: tuple[Sorted | None, Sorted | None]


def recentred(walk: Walk, spans: Sequence[tuple[Knot, Knot]]) -> tuple[list[Knot], Floats]:
    """Knots with intercepts of their own, and at every k by how much others are worse, in gaps.

    Values, levels and places of models that are better take those of mixtures between two knots.
    """
    jump = _jump(walk)
    new: list[Knot] = []
    worse = np.full(len(walk.nus), np.inf)
    for low, high in spans:
        first = int(np.searchsorted(walk.nus, low.nu * (1 - 1e-12)))
        last = int(np.searchsorted(walk.nus, high.nu * (1 + 1e-12)))
        nu, (value, dual) = walk.nus[first:last], walk.out[:2, first:last]
        gain = walk.alone[1][first:last] - dual
        # What gains little beside its gap is not called determined.
        if not (value - dual <= gain).any():
            continue
        share = walk.shares(low, high, nu)[1] * np.ones(len(nu))
        some = _places(nu, jump, walk.kind.smooth)
        found = [_centred(walk, low, high, float(share[at]), float(nu[at])) for at in some]
        for (i, j), (a, b) in zip(itertools.pairwise(some), itertools.pairwise(found), strict=True):
            _between(walk, low, high, slice(first + i, first + j + 1), a, b,
                     len(walk.knots) + len(new), worse)
            new.append(a.knot)
        new.append(found[-1].knot)
    return new, worse


def heaviest(walk: Walk, losses: Floats, nu: float) -> tuple[Floats, float]:
    """Weights of the largest losses, and where these end."""
    if walk.even:
        place = len(losses) - 1 - max(int(np.ceil(nu * len(losses) - 1e-9)) - 1, 0)
        level = float(np.partition(losses, place)[place])
    else:
        level = float(walk.sort(nu, losses, none=0.0, losses=losses).level(nu))
    p = np.where(losses > level, walk.masses, 0.0)
    equal = np.flatnonzero(losses == level)
    rest, ends = nu - float(p.sum()), walk.masses[equal]
    p[equal] = ends * np.clip(rest / max(float(ends.sum()), TINY), 0, 1)
    return p, level


def _between(
    walk: Walk, low: Knot, high: Knot, here: slice, a: _Centred, b: _Centred, place: int,
    worse: Floats,
) -> None:
    """Mixtures of two models with an intercept of their own, where these are better."""
    nu = walk.nus[here]
    t, share = walk.shares(low, high, nu)
    share = share * np.ones(len(nu))
    part = (share - share[0]) / max(share[-1] - share[0], TINY)
    ridge = walk.ridge(low, high, share, nu)

    def mixed(one: Sorted, other: Sorted) -> tuple[Floats, Floats]:
        (value, level), (end, last) = (
            walk.largest_losses(of, nu, here.start) for of in (one, other))
        return value + part * (end - value) + ridge, level + part * (last - level)

    value, level = mixed(a.knot.tail, b.knot.tail)
    slack = nu - low.mass - t * (high.mass - low.mass)
    level = np.where(nu < 1 - 1e-12, positive_level(level, slack, nu, value), 0.0)
    out = walk.out[:, here]
    better = value < out[0]
    for row, found in ((0, value), (3, level), (4, place + part)):
        out[row, better] = found[better]
    gap = np.maximum(out[0] - out[1], TINY)
    for one, other in zip(a.others, b.others, strict=True):
        ends = [end for end in (one, other) if end is not None]
        if not ends:
            continue
        lost = mixed(ends[0], ends[-1])[0]
        # Where one end has no neighbour, what the other's loses is known there only.
        lost[part > 0 if other is None else part < 1 if one is None else part < 0] = np.inf
        worse[here] = np.minimum(worse[here], (lost - value) / gap)


def _places(nu: Floats, jump: float, smooth: bool) -> NDArray[np.intp]:
    """Where intercepts are computed: at both ends, and closer to the jump."""
    quarters = 0.25 ** np.arange(BENT)
    halves = quarters if smooth else 0.5 ** np.arange(HALVED)
    away = np.concatenate([max(jump - nu[0], 0.0) * -halves, max(nu[-1] - jump, 0.0) * quarters])
    some = np.searchsorted(nu, (jump + away) * (1 - 1e-12))
    edge = np.searchsorted(nu, [jump * (1 - 1e-12), jump * (1 + 1e-12)])
    some = np.concatenate([some, edge, edge - 1, [0, len(nu) - 1]])
    some = np.unique(some.clip(0, len(nu) - 1))
    # One k alone is between two models that are the same.
    return np.repeat(some, 2) if len(some) == 1 else some


def _jump(walk: Walk) -> float:
    """Twice the smaller class."""
    above = float(walk.masses[walk.labels > 0].sum())
    return 2 * min(above, 1 - above)


def _turns(labels: Floats, masses: Floats, scores: Floats) -> tuple[float, float]:
    """What is added to scores for so many more, or fewer, errors, downwards and upwards; maybe
    infinite.
    """
    step = max(len(scores) // LOOK, 1)
    scores, pulls = scores[::step], (labels * masses)[::step]
    least, found = TURNED * float(masses[::step].sum()) * (1 - 1e-9), []
    for sign, some in ((-1, scores >= 0), (1, scores < 0)):
        away = np.abs(scores[some])
        order = np.argsort(away)
        far = np.flatnonzero(np.abs(np.cumsum(pulls[some][order])) >= least)
        found.append(sign * (float(away[order[far[0]]]) * (1 + 1e-9) if far.size else np.inf))
    return found[0], found[1]


def _best(walk: Walk, scores: Floats, nu: float) -> float:
    """What is best added to scores."""
    if not walk.kind.smooth:
        return best_intercept(walk.labels, None if walk.even else walk.masses, scores, nu)

    def pull(b: float) -> float:
        at = scores + b
        p, _ = heaviest(walk, walk.kind.values(walk.labels, at), nu)
        return float(p @ walk.kind.slopes(walk.labels, at))

    start = pull(0.0)
    if not np.isfinite(start):
        return 0.0
    step = min((abs(by) for by in _turns(walk.labels, walk.masses, scores) if 0 < abs(by) < np.inf),
               default=float(np.abs(scores).max()) or 1.0)
    end, size = 0.0, NEAR * step
    while True:
        before, end = end, end - np.sign(start) * step
        there = pull(end)
        if not np.isfinite(there):
            return before
        if there * start <= 0:
            return float(optimize.brentq(pull, before, end, xtol=size, rtol=1e-6))
        step *= 2


def _centred(walk: Walk, low: Knot, high: Knot, share: float, nu: float) -> _Centred:
    """Of two, with the best intercept at a tail mass."""
    coef = (1 - share) * low.coef + share * high.coef
    scores = (1 - share) * low.scores + share * high.scores
    if walk.kind.smooth:
        found = _around(walk, low, coef, scores, nu)
        value = found.knot.tail.top(nu)
        if all(one is None or one.top(nu) >= value for one in found.others):
            return found  # the best one is between
    turn = _best(walk, scores, nu)
    coef[-1] += turn
    return _around(walk, low, coef, scores + turn, nu)


def _around(walk: Walk, low: Knot, coef: Floats, scores: Floats, nu: float) -> _Centred:
    """A model, and its neighbours."""
    knot = replace(low, nu=nu, coef=coef, scores=scores, tail=walk.sort(nu, scores, none=0.0))
    others = [walk.sort(nu, scores + by, none=0.0) if np.isfinite(by) else None
              for by in _turns(walk.labels, walk.masses, scores)]
    return _Centred(knot, (others[0], others[1]))
