"""What a finished trial shows of its cells: right sides, quantiles, tightness, limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial, reduce
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.trial import evidence, instances
from noisytheory.trial.claim import Cell, Claim, Law
from noisytheory.trial.draws import Arrays
from noisytheory.trial.passes import AT_ONCE, Parts, mean, on_points, ordered
from noisytheory.trial.trial import CellState, Trial
from noisytheory.trial.verdict import (
    Always,
    SameLaw,
    conditioned,
    law_exceeding,
    law_means,
    law_room,
    merged,
    moments,
    right_side,
    slack,
    tightness,
    violations,
)

__all__ = ["PER_CELL", "QUANTILES", "TIGHTNESS", "Columns", "describe"]

QUANTILES = np.unique(np.r_[0.0, np.linspace(0.005, 0.995, 100), 0.999, 1.0])
"""Probabilities at which the left side's distribution is kept in the result."""

CONFIDENCE = 0.99
"""Coverage of the intervals that are shown, whenever the drawing stopped."""

_TOGETHER = 2**16
"""Draws that are described in one go, at most, unless a single cell has more."""

_OTHERS = 7
"""Of as many other draws none exceeds the seventh largest of these once in 2^7 = 128 cases.

Of twice as many the seven largest are then all among the first half.
"""

_PER_LEVEL = (
    "rhs", "probability", "probability_low", "probability_high", "tightness", "tightness_low",
    "tightness_high", "refutable_factor", "refutable_elsewhere", "resolution", "weight_limit",
)

PER_CELL = ("mean", "mean_low", "mean_high", "distance", "weight_mean")

Columns = dict[str, NDArray[Any]]
"""Numbers by name, cells first."""


TIGHTNESS = ("tightness", "tightness_low", "tightness_high")


@cache
def _quantile_places(size: int) -> NDArray[np.int64]:
    """Where `QUANTILES` are in a sorted sample."""
    places = np.ceil(QUANTILES * size - 1e-9).astype(np.int64) - 1
    return np.asarray(np.maximum(places, 0))


class Part:
    """Draws of a few cells, equally many of each, and what follows from them; cells first."""

    def __init__(self, claim: Claim, cells: Sequence[Cell], draws: Sequence[Arrays]) -> None:
        self._claim, self.draws = claim, draws
        self._pairs = list(zip(cells, draws, strict=True))

    def of(self, name: str) -> NDArray[Any]:
        """What was drawn under this name, shape (cells, draws)."""
        return np.array([drawn[name] for drawn in self.draws])

    @cached_property
    def lhs(self) -> NDArray[np.float64]:
        """Shape (cells, draws)."""
        return np.array([drawn["lhs"] for drawn in self.draws], float)

    @cached_property
    def rhs(self) -> NDArray[np.float64]:
        """Shape (cells, levels, draws), or 1 in place of the draws if they do not matter."""
        return np.array(np.broadcast_arrays(*(right_side(self._claim, *of) for of in self._pairs)))

    @cached_property
    def room(self) -> NDArray[np.float64]:
        """By how much rounding may have moved the sides apart, shape (cells, levels, draws)."""
        sides = zip(self._pairs, self.rhs, strict=True)
        rooms = [slack(self._claim, *of, rhs) for of, rhs in sides]
        return np.array(np.broadcast_arrays(*rooms))

    @cached_property
    def ratios(self) -> NDArray[np.float64]:
        """Tightness of every draw, shape (cells, levels, draws)."""
        return tightness(self.lhs[:, None], self.rhs, self.room)


@dataclass(frozen=True)
class Sample:
    """Draws of a few cells, equally many of each, one part or, where that is too much, several."""

    states: Sequence[CellState]
    size: int
    parts: Callable[[], Iterator[Part]]

    @property
    def at(self) -> list[int]:
        """Indices of the cells."""
        return [state.index for state in self.states]

    @property
    def first(self) -> Part:
        """The first part."""
        return next(self.parts())

    def each(self, of: Callable[[Part], NDArray[Any]]) -> Parts:
        """Something of every part."""
        return lambda: map(of, self.parts())


def _sample(trial: Trial, states: Sequence[CellState], size: int) -> Sample:
    """The stored draws of cells; none of them may have several parts unless it is alone."""
    claim, blocks = trial.claim, max(state.blocks for state in states)
    alone = blocks <= _blocks_at_once(claim)
    step = blocks if alone else max(1, _A_PART // claim.rows)

    def part(first: int) -> Part:
        draws = [_joined(trial, state, first, first + step) for state in states]
        if not isinstance(trial.rule, Always):
            draws = [dict(conditioned(drawn)) for drawn in draws]
        return Part(claim, [state.cell for state in states], draws)

    if alone:
        only = part(0)
        return Sample(states, size, partial(iter, [only]))
    firsts = range(0, blocks, step)
    return Sample(states, size, lambda: (p for p in map(part, firsts) if p.lhs.size))


_A_PART = 2**18
"""Draws of a part where there are several, at most, unless a block has more."""


def _blocks_at_once(claim: Claim) -> int:
    return max(1, AT_ONCE // claim.rows)


def _joined(trial: Trial, state: CellState, start: int, stop: int) -> Arrays:
    """Stored draws of a cell, blocks in order."""
    blocks = range(start, min(stop, state.blocks))
    parts = [trial.blocks.get(state.index, block) for block in blocks]
    if len(parts) == 1:
        return parts[0]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def describe(trial: Trial) -> tuple[Columns, dict[str, list[str]]]:
    """The numbers that are shown of every cell: right side, tightness, quantiles, resolution.

    Of claims about instances also a few of these, and what they are told apart by.
    """
    cells, levels = trial.against.shape
    out: Columns = {name: np.full((cells, levels), np.nan) for name in _PER_LEVEL}
    out["violations"] = np.zeros((cells, levels), np.int64)
    out["ties"] = np.zeros((cells, levels), np.int64)
    out["quantiles"] = np.full((cells, len(QUANTILES)), np.nan)
    out |= {name: np.full(cells, np.nan) for name in PER_CELL}
    out["replicates"], out["tries"] = np.zeros(cells, np.int64), np.zeros(cells, np.int64)
    together: dict[int, list[CellState]] = {}
    searched, kept = isinstance(trial.rule, Always), _Kept.of_trial(trial)
    for state in trial.cells:
        if not state.is_exact:
            continue
        nothing = searched and state.summary is not None and not state.summary[0]
        out["resolution"][state.index] = np.inf if nothing else 0.0
        if isinstance(state.exact, Law):
            _describe_law(trial.claim, state, out)
        elif isinstance(state.exact, tuple) and isinstance(state.exact[0], Law):
            out["mean"][state.index] = state.exact[0].mean()
            out["distance"][state.index] = _law_distance(*state.exact)
        elif trial.claim.kind == "exists":
            _describe_optimum(trial.claim, state, out)
        else:
            listed = Part(trial.claim, [state.cell], [state.exact])
            size = listed.lhs.shape[1]
            _describe_draws(trial, Sample([state], size, partial(iter, [listed])), out, kept)

    for state in trial.cells:
        if state.is_exact or state.summary is None:
            continue
        out["replicates"][state.index] = drawn = state.blocks * trial.claim.rows
        out["resolution"][state.index] = trial.rule.resolution(
            trial.judged, state.cell, state.summary, trial.thresholds.entry
        )
        size = drawn if searched else trial.rule.draws(state.summary)
        if state.blocks > _blocks_at_once(trial.claim) and size:
            _describe_draws(trial, _sample(trial, [state], size), out, kept)
        elif size:
            together.setdefault(size, []).append(state)
    for size, states in together.items():
        step = max(1, _TOGETHER // size)
        for start in range(0, len(states), step):
            some = states[start : start + step]
            _describe_draws(trial, _sample(trial, some, size), out, kept)
    if isinstance(trial.rule, SameLaw):
        for state in trial.cells:
            if not state.is_exact and state.summary is not None:
                out["distance"][state.index] = _sample_distance(trial, state)
    if kept.of:
        out["instances"] = instances.padded(kept.of, cells)
    return out, kept.names


@dataclass
class _Kept:
    """Instances that are kept for a picture, by cell, and what is told of them by name."""

    names: dict[str, list[str]]
    of: dict[int, NDArray[np.float64]] = field(default_factory=dict)

    @classmethod
    def of_trial(cls, trial: Trial) -> _Kept:
        """What draws are is known only where all of them are listed."""
        listed = isinstance(trial.rule, Always) and all(s.is_exact for s in trial.cells)
        drawn = [state.exact for state in trial.cells] if listed else []
        return cls(instances.named(drawn, trial.claim.dims))

    def keep(self, state: CellState, sample: Sample, k: int, cells: int) -> None:
        """Those of a cell."""
        self.of[state.index] = instances.few(
            (instances.rows_of(part.draws[k], part.lhs[k], part.rhs[k, 0], self.names)
             for part in sample.parts()), cells,
        )


def _describe_law(claim: Claim, state: CellState, out: Columns) -> None:
    law, at = state.exact, state.index
    rhs = right_side(claim, state.cell)[:, 0]
    out["rhs"][at], out["mean"][at] = rhs, law.mean()
    out["quantiles"][at] = law.quantiles(QUANTILES)
    if claim.kind == "tail":
        # What rounding leaves open lies between both ends.
        certain, possible = np.transpose([law_exceeding(claim, state.cell, law, r) for r in rhs])
        out["probability"][at] = out["probability_low"][at] = certain
        out["probability_high"][at] = possible
        left = np.array([law.beyond(d) for d in claim.deltas])
    else:
        left = np.array([law.mean()])
        out["mean_low"][at], out["mean_high"][at] = law_means(claim, state.cell, law)
    room, coarse = law_room(claim, state.cell, law, rhs)
    for name in TIGHTNESS:
        out[name][at] = tightness(left, rhs, room + coarse)


def _describe_optimum(claim: Claim, state: CellState, out: Columns) -> None:
    (optimum, error), at = state.exact, state.index
    rhs = right_side(claim, state.cell)[:, 0]
    out["rhs"][at], out["mean"][at] = rhs, optimum
    # A lower bound is tight where it comes up to the optimum.
    out["tightness"][at] = tightness(rhs, optimum, error)


def _describe_draws(trial: Trial, sample: Sample, out: Columns, kept: _Kept) -> None:
    """Cells with equally many draws."""
    claim, at, size = trial.claim, sample.at, sample.size
    out["tries"][at] = size
    excess = claim.kind == "rate" and "rhs_draw" in trial.variables
    with np.errstate(invalid="ignore", over="ignore"):  # Draws of a tail may be infinite, or huge.
        out["mean"][at] = mean(sample.each(
            lambda part: part.lhs - part.of("rhs_draw") if excess else part.lhs
        ))
    tail = claim.kind == "tail" and "weight" not in trial.variables
    ranks = _tail_ranks(trial, size) if tail else np.empty((0, 0), np.int64)
    wanted = [*_quantile_places(size), *np.clip(ranks, 0, size - 1).ravel()]
    left = ordered(sample.each(lambda part: part.lhs), wanted)
    out["quantiles"][at], left = left[:, : len(QUANTILES)], left[:, len(QUANTILES) :]
    if isinstance(trial.rule, SameLaw):
        return  # Their distance is one of the summaries.
    out["rhs"][at] = _middle(claim, sample)
    if claim.kind in ("mean", "equal", "published"):
        for k, state in enumerate(sample.states):
            _describe_mean(trial, state, sample, k, out)
    if tail:
        _describe_tail(trial, sample, ranks, left.reshape(len(at), *ranks.shape), out)
    elif claim.kind == "tail":
        _describe_weighted(trial, sample, out)
    elif isinstance(trial.rule, Always):
        for k, state in enumerate(sample.states):
            assert state.summary is not None
            if state.is_exact or "rhs_draw" not in trial.variables:
                # Of the others both sides of all are stored.
                kept.keep(state, sample, k, len(trial.cells))
            tries, suspects, _, gap, ratio = state.summary
            out["tries"][state.index], out["violations"][state.index] = tries, suspects
            out["mean"][state.index] = gap
            if claim.kind == "always" and tries:
                out["tightness"][state.index] = ratio
                shares = sample.each(partial(_largest_shares, claim, k, state.cell))
                largest = _first(np.concatenate(list(shares())))
                out["refutable_factor"][state.index] = largest[0]
                out["refutable_elsewhere"][state.index] = largest[-1]


def _first(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The largest few numbers, from the largest down; -inf where there are fewer."""
    return -np.sort(np.append(-values, np.full(_OTHERS, np.inf)))[:_OTHERS]


def _largest_shares(claim: Claim, k: int, cell: Cell, part: Part) -> NDArray[np.float64]:
    """Largest left over right sides where shrinking the right side changes them."""
    rhs, ratios = np.broadcast_arrays(part.rhs[k, 0], part.ratios[k, 0])
    trivial = claim.value("trivial", cell)
    at = (rhs > 0) & (rhs < (np.inf if trivial is None else trivial))
    if "applies" in part.draws[k]:
        at &= np.asarray(part.draws[k]["applies"], bool)
    return _first(ratios[at])


def _middle(claim: Claim, sample: Sample) -> NDArray[np.float64]:
    """Mean or median of the right sides, shape (cells, levels)."""
    size, rhs, first = sample.size, sample.each(lambda part: part.rhs), sample.first.rhs
    if first.shape[2] == 1:
        return first[..., 0]
    if claim.kind in ("mean", "equal", "published"):
        return mean(rhs)
    low, high, last = np.moveaxis(ordered(rhs, [(size - 1) // 2, size // 2, size - 1]), -1, 0)
    with np.errstate(invalid="ignore"):  # Infinite ends have no middle.
        middle = np.where(low == high, low, (low + high) / 2) + 0.0  # A zero has no sign.
    return np.where(np.isnan(last), np.nan, middle)


def _moments(parts: Parts) -> NDArray[np.float64]:
    """Number, mean and sum of squares about it."""
    return reduce(merged, map(moments, parts()))


def _describe_mean(
    trial: Trial, state: CellState, sample: Sample, k: int, out: Columns
) -> None:
    """The mean with its limits; of a mean over the bound, of a drawn right side over its mean."""
    claim, drawn = trial.claim, "rhs_draw" in trial.variables
    right, room, left = (
        float(mean(sample.each(of))) for of in (
            lambda part: part.rhs[k, 0], lambda part: part.room[k, 0], lambda part: part.lhs[k]
        )
    )
    shift = right if drawn else 0.0
    centred = sample.each(lambda part: part.lhs[k] - (part.rhs[k, 0] if drawn else 0.0))
    limits = _mean_limits(claim, state.cell, centred)
    ends = [end + shift for end in limits]
    out["mean_low"][state.index], out["mean_high"][state.index] = ends
    if claim.kind == "mean":
        # The mean of a drawn right side has an error of its own, which no limits here count.
        shown = (left, *(ends if not drawn else (np.nan, np.nan)))
        for name, value in zip(TIGHTNESS, shown, strict=True):
            out[name][state.index, 0] = tightness(value, right, room)
        if not drawn and right:
            least, _ = _mean_limits(claim, state.cell, centred, trial.thresholds.entry)
            out["refutable_factor"][state.index, 0] = (least - room) / right


_LIMIT = float(np.log(2 / (1 - CONFIDENCE)))
"""Log evidence beyond a limit that is shown: half of the error on either side."""


def _mean_limits(
    claim: Claim, cell: Cell, parts: Parts, needed: float = _LIMIT
) -> tuple[float, float]:
    """Limits of a mean by the rule in force; an end that it cannot give is infinite."""
    given = (claim.value(name, cell) for name in ("low", "high"))
    low, high = (end if value is None else float(value)
                 for end, value in zip((-np.inf, np.inf), given, strict=True))

    def values() -> Iterator[NDArray[Any]]:
        return (np.clip(part, low, high) for part in parts())

    if claim.kind == "published":
        # Maurer and Pontil's inequality, either way.
        level = np.log(4 / (1 - CONFIDENCE))
        draws, middle, squares = (float(x) for x in _moments(values))
        spread = np.sqrt(squares / max(1, draws - 1))
        half = spread * np.sqrt(2 * level / draws)
        half += 7 * (high - low) * level / (3 * max(1, draws - 1))
        return max(low, middle - half), min(high, middle + half)
    variance = None if claim.variance is None else float(claim.value("variance", cell))
    return _bets_limits(values, low, high, variance, needed)


def _bets_limits(
    parts: Parts, low: float, high: float, variance: float | None = None,
    needed: float = _LIMIT,
) -> tuple[float, float]:
    """The means that the bets, which decide, do not reject; infinite where there is no bet.

    Of several parts they have moved onto points, which makes the interval no narrower.
    """
    width = high - low
    draws, middle, squares = (float(x) for x in _moments(parts))
    spread = float(np.sqrt(squares / draws))
    if variance is not None:
        spread, low, high, width = float(np.sqrt(variance)), -np.inf, np.inf, 0.0
    scale = max(spread / np.sqrt(draws), width / draws if np.isfinite(width) else 0.0)
    values, weights, moved = on_points(parts)
    if weights is None:
        points, counts = np.unique(values, return_counts=True)
        if 4 * points.size <= values.size:  # As many logarithms as there are different draws.
            values, weights = points, counts.astype(float)

    def wealth(mean: float, side: evidence.Side) -> float:
        if variance is None:
            sums = evidence.bounded_bets(values, mean, low=low, high=high, side=side,
                                         weights=weights)
        else:
            sums = evidence.catoni_bets(values, mean, variance, side, weights=weights)
            # Catoni's function is not concave, but its second derivative at most 1/4.
            sums -= evidence.BETS**2 / variance * moved / 8
        return float(evidence.log_e_bets(sums))

    below, above = np.inf, np.inf
    if variance is not None or np.isfinite(low):
        below = _reach(lambda x: wealth(middle - x, "above") - needed, scale, middle - low)
    if variance is not None or np.isfinite(high):
        above = _reach(lambda x: wealth(middle + x, "below") - needed, scale, high - middle)
    return middle - below, middle + above


def _reach(excess: Callable[[float], float], step: float, most: float) -> float:
    """How far from the mean the bets do not reject, rounded up; the end of the range at most."""
    from scipy.optimize import brentq

    excess = cache(excess)  # It goes through all draws, and `brentq` asks for both ends again.
    # At the very end a single draw off it is proof.
    near, last = 0.0, most * (1 - 1e-9)
    far = min(4 * step, last)
    while far > 0 and excess(far) < 0:
        if far >= last:
            return most
        near, far = far, min(2 * far, last)
    if far <= 0:
        return max(0.0, most)
    if near == 0 and excess(0.0) >= 0:
        return 0.0  # Draws that spread far beyond the declared variance.
    inside = brentq(excess, near, far, xtol=step / 20)
    return min(far, float(inside) + step / 20)


def _sample_distance(trial: Trial, state: CellState) -> float:
    """Distance of two samples: Kolmogorov's, or on a declared range Wasserstein's."""
    from scipy.stats import wasserstein_distance

    assert state.summary is not None
    first, second = state.summary[:2]
    if first.size == 0:
        return float("nan")
    if trial.claim.low is not None and trial.claim.high is not None:
        return float(wasserstein_distance(first, second))
    both = np.sort([first, second], axis=None)
    below = [np.searchsorted(np.sort(draws), both, "right") for draws in (first, second)]
    return float(np.abs(below[0] - below[1]).max() / first.size)


def _law_distance(first: Law, second: Law) -> float:
    """Kolmogorov's distance of two exact laws; values that rounding may have parted are one."""
    laws = [(np.asarray(law.values), np.asarray(law.probabilities)) for law in (first, second)]
    union = np.sort(np.concatenate([values for values, _ in laws]))
    error, slack_ = first.error + second.error, first.slack + second.slack
    union = union[np.append(True, np.diff(union) > 2 * (error * np.abs(union[1:]) + slack_))]
    below = [
        np.bincount(np.searchsorted(union, values, side="right") - 1, mass, union.size).cumsum()
        for values, mass in laws
    ]
    return float(np.abs(below[0] - below[1]).max())


def _tail_ranks(trial: Trial, size: int) -> NDArray[np.int64]:
    """Ranks, from 0, that tell of a tail, shape (levels, 4): outside of the draws there is none.

    Of the tightness and both of its limits, and of the draw that would just have refuted.
    """
    ranks = [
        (*evidence.quantile_ranks(size, 1 - delta, CONFIDENCE),
         size + 1 - evidence.violations_to_refute(size, delta, trial.thresholds.entry))
        for delta in trial.claim.deltas
    ]
    return np.array(ranks) - 1


def _describe_tail(
    trial: Trial, sample: Sample, ranks: NDArray[np.int64], left: NDArray[np.float64], out: Columns
) -> None:
    """Rates, and tightness at these ranks, where the left sides are these."""
    claim, size, at, rhs = trial.claim, sample.size, sample.at, sample.first.rhs
    counts = np.array([state.summary for state in sample.states], float)
    draws, certain, possible, _ = np.moveaxis(counts, 2, 0)
    out["violations"][at], out["ties"][at] = certain, possible - certain
    out["probability"][at] = certain / draws
    # What rounding leaves open may break the promise, or not.
    out["probability_low"][at] = evidence.rate_limits(certain, size, CONFIDENCE)[0]
    out["probability_high"][at] = evidence.rate_limits(possible, size, CONFIDENCE)[1]
    if rhs.shape[2] == 1 and "scale" not in trial.variables:
        # The tightness grows with the left side, so has the same ranks.
        drawn = left.astype(trial.variables["lhs"])
        pairs = zip(sample.states, drawn, rhs, strict=True)
        rooms = [slack(claim, state.cell, {"lhs": some}, one) for state, some, one in pairs]
        ratios = tightness(left, rhs, rooms)
    else:
        ratios = ordered(sample.each(lambda part: part.ratios), np.clip(ranks, 0, size - 1))
    ends = np.where(ranks < 0, -np.inf, np.inf)
    shown = np.where((ranks >= 0) & (ranks < size), ratios, ends)
    for name, values in zip(TIGHTNESS, np.moveaxis(shown[..., :3], 2, 0), strict=True):
        out[name][at] = values
    # The bound times this factor has just as many draws at or above it as refute.
    out["refutable_factor"][at] = np.where(ranks[:, 3] < 0, np.nan, ratios[..., 3])


def _describe_weighted(trial: Trial, sample: Sample, out: Columns) -> None:
    """A tail by importance weights: the promised law's probabilities are means of them."""
    claim, at = trial.claim, sample.at

    def weights(part: Part) -> NDArray[Any]:
        return part.of("weight")[:, None]

    def broken(part: Part, which: int = 0) -> NDArray[Any]:
        found = violations(part.lhs[:, None], part.rhs, part.room)
        return np.asarray(weights(part) * found[which])

    counts = np.array([state.summary for state in sample.states], float)
    out["violations"][at], out["ties"][at] = counts[..., 1], counts[..., 2] - counts[..., 1]
    out["probability"][at] = mean(sample.each(broken))
    with np.errstate(invalid="ignore"):
        out["mean"][at] = mean(sample.each(lambda part: weights(part)[:, 0] * part.lhs))
    out["weight_mean"][at] = mean(sample.each(lambda part: weights(part)[:, 0]))

    def limits(k: int, j: int, which: int, limit: float) -> tuple[float, float]:
        return _bets_limits(sample.each(lambda part: broken(part, which)[k, j]), 0.0, limit)

    for (k, state), (j, delta) in product(enumerate(sample.states), enumerate(claim.deltas)):
        limit = _weight_limit(claim, state.cell, delta)
        out["weight_limit"][state.index, j] = limit
        out["probability_low"][state.index, j] = limits(k, j, 0, limit)[0]
        out["probability_high"][state.index, j] = min(limits(k, j, 1, limit)[1], 1.0)


def _weight_limit(claim: Claim, cell: Cell, delta: float) -> float:
    """Largest declared weight of a draw that breaks the promise; infinite where none is."""
    limit = claim.value("weight_limit", cell, delta=delta)
    return np.inf if limit is None else float(limit)
