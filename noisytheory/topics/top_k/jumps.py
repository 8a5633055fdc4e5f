"""Of the hinge loss beside an intercept, which jumps: at every k the best one of its own.

With as many of both classes among the largest losses none is better. Where the smaller class is
exhausted it moves until no more of the other lose anything: there a mixture of two intercepts is
far from both. Coefficients are mixed as before; their best intercepts are computed at a few k,
closer to that place, on both its sides, and mixed between.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.individual import best_intercept
from noisytheory.topics.top_k.task import positive_level

if TYPE_CHECKING:
    from noisytheory.topics.top_k.walk import Knot, Walk

__all__ = ["recentred", "torn"]

Floats = NDArray[np.float64]

HALVED = 8
"""Times that the distance from the jump is halved."""
TURNED = 0.02
"""Share of signs that the one intercept in place of the other turns, from which on it matters."""
TINY = 1e-300


def recentred(walk: Walk) -> list[Knot]:
    """Knots with intercepts of their own; values, levels and places of models that are better."""
    jump = _jump(walk)
    new: list[Knot] = []
    for low, high in itertools.pairwise(walk.knots):
        first = int(np.searchsorted(walk.nus, low.nu * (1 - 1e-12)))
        last = int(np.searchsorted(walk.nus, high.nu * (1 + 1e-12)))
        step = float(high.coef[-1] - low.coef[-1])
        if last == first or max(_turned(low.scores, step), _turned(high.scores, -step)) < TURNED:
            continue
        nu, place = walk.nus[first:last], len(walk.knots) + len(new)
        ends = jump - (jump - nu[0]) * 0.5 ** np.arange(HALVED)
        some = np.searchsorted(nu, [*ends * (1 - 1e-12), jump * (1 + 1e-12), nu[-1]])
        some = np.unique(np.append(some, some[HALVED] - 1).clip(0, len(nu) - 1))
        # One k alone is between two models that are the same.
        some = np.repeat(some, 2) if len(some) == 1 else some
        t, share = walk.shares(low, high, nu)
        knots = [_model(walk, low, high, float(part), float(at))
                 for part, at in zip(share[some], nu[some], strict=True)]
        # Of every k, between two of these.
        k, end = np.arange(len(nu)), len(some) - 1
        i = np.searchsorted(some[1:end], k, side="right")
        part = (share - share[some[i]]) / np.maximum(share[some[i + 1]] - share[some[i]], TINY)
        tops = np.array([walk.largest_losses(one.tail, nu, first) for one in knots])
        value, level = tops[i, :, k].T + part * (tops[i + 1, :, k] - tops[i, :, k]).T
        value = value + walk.ridge(low, high, share, nu)
        slack = nu - low.mass - t * (high.mass - low.mass)
        level = np.where(nu < 1 - 1e-12, positive_level(level, slack, nu, value), 0.0)
        out = walk.out[:, first:last]
        better = np.flatnonzero(value < out[0])
        for row, found in ((0, value), (3, level), (4, place + i + part)):
            out[row, better] = found[better]
        new += knots
    return new


def torn(walk: Walk) -> NDArray[np.bool_]:
    """Of every k, whether all intercepts of an interval are best, and their signs differ."""
    jump = _jump(walk)
    found = np.abs(walk.nus - jump) <= 1e-12 * jump
    for at in np.flatnonzero(found):
        place = walk.out[4, at]
        i = min(int(place), len(walk.knots) - 2)
        low, high = walk.knots[i], walk.knots[i + 1]
        scores = low.scores + (place - i) * (high.scores - low.scores)
        before, after = (_best(walk, scores, nu) for nu in (jump, jump * (1 + 1e-9)))
        found[at] = _turned(scores + before, after - before) >= TURNED
    return np.asarray(found)


def _jump(walk: Walk) -> float:
    """Twice the smaller class."""
    above = float(walk.masses[walk.labels > 0].sum())
    return 2 * min(above, 1 - above)


def _best(walk: Walk, scores: Floats, nu: float) -> float:
    return best_intercept(walk.labels, None if walk.even else walk.masses, scores, nu)


def _turned(scores: Floats, by: float) -> float:
    """Share of signs that differ so much higher."""
    return float(np.mean((scores >= 0) != (scores >= -by)))


def _model(walk: Walk, low: Knot, high: Knot, share: float, nu: float) -> Knot:
    """Of two, with the best intercept at a tail mass."""
    coef = (1 - share) * low.coef + share * high.coef
    scores = (1 - share) * low.scores + share * high.scores
    turn = _best(walk, scores, nu)
    coef[-1] += turn
    scores += turn
    return replace(low, nu=nu, coef=coef, scores=scores, tail=walk.sort(nu, scores, none=0.0))
