"""Beside an intercept: at every k the best one of its own, and whether another would do as well.

Of the hinge loss the largest losses hold as much of both classes, up to k of twice the smaller one.
There the best intercept jumps, of a smooth loss it bends: a mixture of two intercepts is far from
both. Coefficients are mixed as before; their best intercepts are computed at a few k, closer to
that place, on both its sides, and mixed between.

An intercept costs nothing, so many may be about as good: where one that makes some more errors, or
fewer, is worse by no more than a share of the gap, errors may be another model's. Of features far
from centred some coefficients are as good as an intercept, and cost next to nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.design import Design, solver
from noisytheory.topics.top_k.task import WIDE, positive_level
from noisytheory.topics.top_k.turning import Look

if TYPE_CHECKING:
    from noisytheory.topics.top_k.walk import Knot, Walk

__all__ = ["ALIKE", "APART", "heaviest", "recentred", "squares"]

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

JUMPS, BENDS = (0.5, 3), (0.25, 4)
"""Ratio and number of distances from the jump; and where the loss is smooth."""
ALIKE = 0.1
"""Share of the gap by which such an intercept is to be worse."""
APART = 0.1
"""Difference of the errors of two models from which on those between may be either's."""
FAR_OFF = 0.9
"""Mean score of coefficients that are to score 1 on all rows, from which on they count as so."""
CHEAP = 0.03
"""What they cost for a spread of scores, as a share of what the solution's do; times the share that
these gain.
"""
BATCH = 1 << 15
"""Losses that are looked at together."""
TINY = 1e-300


def recentred(walk: Walk, knots: list[Knot]) -> tuple[list[Knot], Floats]:
    """Knots with intercepts of their own, and at every k by how much others are worse, in gaps.

    Or with as much as is best of coefficients that are as good as one. Values, levels and places of
    models that are better take those of mixtures between two knots.
    """
    nus, (value, dual, _, level, place) = walk.nus, walk.out
    worse = np.full(len(nus), np.inf)
    at, mass = np.array([(knot.nu, knot.mass) for knot in knots]).T
    cuts = np.append(np.searchsorted(nus, at[:-1] * (1 - 1e-12)), len(nus))
    # What gains little beside its gap is not called determined.
    sure, jump = value - dual <= walk.alone[1] - dual, _jump(walk)
    used = [slice(first, last) for first, last in itertools.pairwise(cuts.tolist())
            if sure[first:last].any()]
    along = _alike(walk, knots[-1]) if used else None
    if along is None:
        return [], worse
    ks = np.concatenate([np.arange(here.start, here.stop) for here in used])
    some = np.concatenate([here.start + _places(nus[here], jump, walk.kind.smooth)
                           for here in used])
    span = np.repeat(np.arange(len(at) - 1), np.diff(cuts))
    step = (at[1:] - at[:-1])[span]
    t = np.divide(nus - at[span], step, out=np.zeros(len(nus)), where=step > 0)
    share = np.minimum(t * at[span + 1] / nus, 1.0) if walk.average else t
    below = np.searchsorted(some, ks, side="right") - 1
    below -= np.append(np.diff(span[some]) > 0, True)[below]
    mixtures = _Mixtures(walk, knots, along, span[some], share[some], nus[some])
    ends, nu, span, share = np.zeros((2, 2, len(ks))), nus[ks], span[ks], share[ks]
    for start, losses in mixtures.losses():
        of = _largest(walk, losses)
        for side in (0, 1):
            here = slice(*np.searchsorted(below + side, [start, start + len(losses)]))
            ends[side, :, here] = of(below[here] + side - start, ks[here])
    first, step = mixtures.share[below], (mixtures.share[below + 1] - mixtures.share[below])
    part = np.divide(share - first, step, out=np.zeros(len(ks)), where=step > 0)
    lost, end = ends[0] + part * (ends[1] - ends[0])
    lost += mixtures.ridge(span, share, _between(mixtures.turn, below, part), walk.constant(nu))
    slack = nu - mass[span] - t[ks] * (mass[span + 1] - mass[span])
    end = np.where(nu < 1 - 1e-12, positive_level(end, slack, nu, lost), 0.0)
    better = lost < value[ks]
    some = ks[better]
    value[some], level[some] = lost[better], end[better]
    place[some] = (len(walk.knots) + below + part)[better]
    gap = np.maximum(value[ks] - dual[ks], TINY)
    worse[ks] = np.min([_between(side, below, part) for side in mixtures.lost.T], axis=0) / gap
    # Where models err otherwise on both sides, one between may be either.
    apart = (np.abs(np.diff(mixtures.error)) > APART)[below] & (part > 0) & (part < 1)
    worse[ks[apart]] = 0.0
    return [replace(knots[0], coef=w) for w in mixtures.coef], worse


def _alike(walk: Walk, high: Knot) -> Floats | None:
    """Coefficients that score all rows alike, an intercept's; or about alike, at next to no cost
    beside what a solution's cost and gain. None if there are none.
    """
    d = walk.rows.shape[1]
    if walk.free:
        return np.asarray(np.eye(d + 1)[-1])
    if d > WIDE:
        return None
    system, ones = walk.moments.copy(), Design(walk.rows).combine(walk.masses)
    system[np.diag_indices(d)] += 1e-9 * float(np.trace(system))
    found, mean = solver(system)(ones), float(walk.masses @ high.scores)
    spread = float(walk.masses @ (high.scores - mean) ** 2)
    cost = float(found @ found) * spread * walk.gain(high)
    far = float(ones @ found) >= FAR_OFF and cost <= CHEAP * walk.inner(high, high) * walk.size
    return np.asarray(found) if far else None


def _between(of: Floats, below: Places, part: Floats) -> Floats:
    """Between two that may be infinite."""
    low, high = of[below], of[below + 1]
    inner = np.where(part < 1, (1 - part) * low + part * high, high)
    return np.asarray(np.where(part > 0, inner, low))


class _Mixtures:
    """Of each knot and its next at some tail masses, turned as far as is best.

    ``turn`` is how far, shape (m,), and ``lost`` what neighbours lose more, shape (m, 2): on either
    side the nearest that errs so much more or less; infinite where none does.
    """

    def __init__(
        self, walk: Walk, knots: list[Knot], along: Floats, span: Places, share: Floats,
        nu: Floats,
    ) -> None:
        self.walk, self.knots, self.along = walk, knots, along
        self.span, self.share, self.nu = span, share, nu
        models, d = np.array([knot.coef for knot in knots]), walk.rows.shape[1]
        self.squares, self.pulls = squares(models[:, :d]), models[:, :d] @ along[:d]
        part = share[:, None]
        self.coef = (1 - part) * models[span] + part * models[span + 1]
        self.size = float(along[:d] @ along[:d])
        self.turn, self.lost = np.zeros(len(nu)), np.full((len(nu), 2), np.inf)
        self.error = np.zeros(len(nu))

    def losses(self) -> Iterator[tuple[int, Floats]]:
        """Their losses, some at once, and which is the first of these."""
        walk = self.walk
        alike: Any = 1.0 if walk.free else Design(walk.rows).scores(self.along)
        look = Look.of(walk, alike)
        size = max(BATCH // len(walk.labels), 1)
        for first in range(0, len(self.nu), size):
            here = slice(first, first + size)
            nu, start = self.nu[here], int(self.span[first])
            part, span = self.share[here, None], self.span[here] - start
            some = np.array([knot.scores for knot in self.knots[start: start + span[-1] + 2]])
            scores = (1 - part) * some[span] + part * some[span + 1]
            C = walk.constant(nu)
            slope = (self.coef[here, : walk.rows.shape[1]] @ self.along[: walk.rows.shape[1]]) / C
            turn, self.lost[here] = look.centred(
                scores[:, look.rows], nu, slope, self.size / C + 0 * nu)
            self.turn[here] = turn
            self.coef[here] += turn[:, None] * self.along
            scores += turn[:, None] * alike
            self.error[here] = ((scores >= 0) != (walk.labels > 0)) @ walk.masses
            yield first, walk.kind.values(walk.labels, scores)

    def ridge(self, span: Places, share: Floats, turn: Floats, C: Any) -> Floats:
        """The regulariser of mixtures that are turned so far."""
        own, both, bend = (of[span] for of in self.squares)
        pull = self.pulls[span] + share * (self.pulls[span + 1] - self.pulls[span])
        return np.asarray((own + share * (both + share * bend) + turn * (
            2 * pull + turn * self.size)) / (2 * C))


def _largest(walk: Walk, losses: Floats) -> Callable[[Places, Places], Floats]:
    """Of rows of losses sums of the largest ones at some k, and where these end."""
    if not walk.even:
        tails = [walk.sort(1.0, row, none=0.0, losses=row) for row in losses]

        def each(row: Places, ks: Places) -> Floats:
            found = np.empty((2, len(ks)))
            for one in np.unique(row):
                here = row == one
                nu = walk.nus[ks[here]]
                found[:, here] = tails[one].top(nu), tails[one].level(nu)
            return found

        return each
    ordered = -np.sort(-losses, axis=1)
    sums = np.zeros((len(losses), losses.shape[1] + 1))
    np.cumsum(ordered, axis=1, out=sums[:, 1:])

    def every(row: Places, ks: Places) -> Floats:
        whole, rest, place = (end[ks] for end in walk.ends)
        top = (sums[row, whole] + rest * ordered[row, whole]) * walk.masses[0]
        return np.array([top, ordered[row, place]])

    return every


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


def _places(nu: Floats, jump: float, smooth: bool) -> Places:
    """Where intercepts are computed: at both ends, and closer to the jump."""
    ratio, count = BENDS if smooth else JUMPS
    shares = ratio ** np.arange(count)
    away = np.concatenate([max(jump - nu[0], 0.0) * -shares, max(nu[-1] - jump, 0.0) * shares])
    some = np.searchsorted(nu, (jump + away) * (1 - 1e-12))
    edge = np.searchsorted(nu, [jump * (1 - 1e-12), jump * (1 + 1e-12)])
    some = np.concatenate([some, edge[:1] if smooth else [*edge, *edge - 1], [0, len(nu) - 1]])
    some = np.unique(some.clip(0, len(nu) - 1))
    # One k alone is between two models that are the same.
    return np.repeat(some, 2) if len(some) == 1 else some


def _jump(walk: Walk) -> float:
    """Twice the smaller class."""
    above = float(walk.masses[walk.labels > 0].sum())
    return 2 * min(above, 1 - above)


def squares(of: Floats) -> tuple[Floats, Floats, Floats]:
    """Of mixtures of neighbours among vectors, shape (m, d): at the first, slopes and bends."""
    own = np.einsum("ij,ij->i", of, of)
    both = np.einsum("ij,ij->i", of[:-1], of[1:])
    return own[:-1], 2 * (both - own[:-1]), own[:-1] - 2 * both + own[1:]
