"""Kinds of claim and the rule that turns evidence into a verdict, one rule a kind.

Evidence is a pair of arrays over (cells, levels): ``against`` and ``support``, in log units. An
e-process gives the log of an e-value, a fixed-sample test minus the log of its p-value, exact or
certified evidence plus infinity. Each entry is stopped when it crosses its threshold.

A claim is refuted by its own e-value, half the average of its entries' and half that of all cells
pooled, when it crosses (claims / alpha): what a single entry needs for that is twice (hypotheses x
claims / alpha). Fixed-sample tests share the level over their entries instead. It is upheld when
every entry of ``support`` that is not vacuous crosses (claims / alpha): to refute, one of many
hypotheses must fall; to uphold, all must hold, and each may use all of the claim's level. The level
is charged to claims that draws decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from noisytheory.trial import evidence
from noisytheory.trial.claim import LARGEST, Cell, Claim, Law

__all__ = [
    "RULES", "Compared", "Rule", "Thresholds", "conditioned", "law_exceeding", "law_means",
    "law_room", "merged", "moments", "relative", "right_side", "rounding", "slack", "tightness",
    "violations",
]

Floats = NDArray[np.float64]
Drawn = Mapping[str, NDArray[Any]]

CERTAIN = np.inf


@dataclass(frozen=True)
class Thresholds:
    """Log evidence that decides one claim in an audit.

    Parameters
    ----------
    claim : float
        Of the claim's own e-value, to refute it.
    entry : float
        Of one cell and level, to refute the claim whatever the others say.
    uphold : float
        Of one cell and level, to uphold it there.
    """

    claim: float
    entry: float
    uphold: float

    @classmethod
    def of(cls, alpha: float, claims: int, entries: int, *, pooled: bool) -> Thresholds:
        """Share ``alpha`` over the claims that can err, and over a claim's entries."""
        share = float(np.log(max(1, claims) / alpha))
        split = 2 if pooled else 1
        return cls(share, share + float(np.log(split * max(1, entries))), share)


def conditioned(drawn: Drawn) -> Drawn:
    """The rows where the hypotheses apply: the others are no draws.

    Parameters
    ----------
    drawn : mapping
        What the simulator drew.

    Returns
    -------
    mapping
    """
    if "applies" not in drawn:
        return drawn
    at = np.asarray(drawn["applies"], bool)
    return {name: array[at] for name, array in drawn.items() if name != "applies"}


def slack(claim: Claim, cell: Cell, drawn: Drawn, rhs: Floats) -> Floats:
    """By how much rounding may have moved the two sides apart, row by row.

    Parameters
    ----------
    claim, cell
        With the claim's relative ``rounding`` and absolute ``slack``.
    drawn : mapping
        With ``lhs`` and, where the sides are small by cancellation, ``scale``.
    rhs : ndarray
        The right side.

    Returns
    -------
    ndarray
        Broadcast of both sides.
    """
    return rounding(claim, drawn, rhs) + float(claim.value("slack", cell))


def rounding(claim: Claim, drawn: Drawn, rhs: Floats) -> Floats:
    """The part of it that is relative: sides that agree within it are equal.

    Parameters
    ----------
    claim, drawn, rhs
        As for `slack`.

    Returns
    -------
    ndarray
    """
    size = np.maximum(np.abs(np.asarray(drawn["lhs"], float)), np.abs(rhs))
    size = np.where(np.isfinite(size), size, 0.0)
    if "scale" in drawn:
        size = np.maximum(size, np.abs(np.asarray(drawn["scale"], float)))
    return np.asarray(relative(claim, drawn) * size)


def relative(claim: Claim, drawn: Drawn) -> float:
    """The claim's relative rounding; that of single precision where what is read was drawn so."""
    names = ("lhs", "rhs_draw", "other", *claim.drawn_names())
    drawn_as = [np.asarray(drawn[name]).dtype for name in names if name in drawn]
    coarse = [4 * float(np.finfo(d).eps) for d in drawn_as if d.kind == "f" and d.itemsize < 8]
    return max(claim.rounding, *coarse) if coarse else claim.rounding


def right_side(claim: Claim, cell: Cell, drawn: Drawn | None = None) -> Floats:
    """The bound at a cell, shape (levels, 1) or (levels, replicates) if it depends on the draws.

    Parameters
    ----------
    claim, cell
        What to evaluate.
    drawn : mapping, optional
        What the simulator drew.

    Returns
    -------
    ndarray
        One row a level; one row in all if the promise names no level. Of a rate the exponent.

    Raises
    ------
    ValueError
        If the bound is not a real number there.
    """
    deltas = np.array(claim.deltas or [np.nan])
    if drawn is not None and "rhs_draw" in drawn and claim.kind != "rate":
        right = np.asarray(drawn["rhs_draw"], float)
        return np.broadcast_to(right, (len(deltas), right.size))
    if claim.bound is None:
        raise ValueError(f"{claim.id}: needs a bound, or a simulator that draws rhs")
    try:
        level = {"delta": deltas[:, None]} if claim.deltas else {}
        values = claim.call(claim.bound, cell, drawn, **level)
    except TypeError:
        # A user's bound on plain floats (math.sqrt): level by level.
        values = [
            [claim.call(claim.bound, cell, drawn, **({"delta": float(d)} if claim.deltas else {}))]
            for d in deltas
        ]
    values = np.asarray(values)

    def wrong(what: str) -> ValueError:
        return ValueError(
            f"{claim.id}: the bound at {claim.address(cell) or 'its cell'} {what}"
        )

    if values.dtype.kind not in "fiub":
        raise wrong(f"must be a real number, got {values.dtype}")
    if values.dtype.kind in "iu" and np.any(values.astype(float).astype(object) != values):
        raise wrong("is a whole number that no float holds")
    if np.isnan(values).any():
        raise wrong("is not a number")
    if values.shape == (len(deltas), 1):
        return values.astype(float)
    replicates = {1} if drawn is None else {1, len(drawn["lhs"])}
    try:
        shape = np.broadcast_shapes(values.shape, (len(deltas), 1))
    except ValueError:
        shape = ()
    if len(shape) != 2 or shape[0] != len(deltas) or shape[1] not in replicates:
        raise wrong(f"has the wrong shape {values.shape}: it must broadcast")
    return np.broadcast_to(values.astype(float), shape)


class Rule:
    """What one kind of claim does with replicates.

    `summarise` reduces a block to a small array, `merge` adds two of them, `weigh` turns the merged
    summaries of several cells into log evidence, each cell's as if it were alone. Rules whose
    evidence is anytime-valid are ``sequential``: they are weighed after every round; others once,
    when the budget is spent, ``together`` if they need all cells at once. Rules with e-values are
    ``pooled``: `pool` weighs all cells as one.
    """

    pooled = False
    sequential = True
    together = False

    def levels(self, claim: Claim) -> int:
        """Number of hypotheses in a cell."""
        return 1

    def summarise(self, claim: Claim, cell: Cell, drawn: Drawn) -> Floats:
        """A block, reduced."""
        raise NotImplementedError

    def merge(self, left: Floats, right: Floats) -> Floats:
        """Two summaries of the same cell, in the order drawn."""
        return left + right

    def weigh(
        self, claim: Claim, cells: Sequence[Cell], summaries: Sequence[Floats]
    ) -> tuple[Floats, Floats]:
        """Log evidence against and in support, each of shape (cells, levels)."""
        pairs = [self.weigh_cell(claim, *of) for of in zip(cells, summaries, strict=True)]
        against, support = zip(*pairs, strict=True)
        return np.array(against)[:, None], np.array(support)[:, None]

    def weigh_cell(self, claim: Claim, cell: Cell, summary: Floats) -> tuple[float, float]:
        """The same of one cell, for rules with one level that cannot weigh many at once."""
        raise NotImplementedError

    def weigh_exact(self, claim: Claim, cell: Cell, result: Any) -> tuple[Floats, Floats]:
        """Log evidence against and in support from exact evidence, each of shape (levels,)."""
        raise ValueError(f"{claim.id}: kind {claim.kind} takes no exact evidence")

    def pool(self, claim: Claim, summaries: Sequence[Floats]) -> float:
        """Log e-value against the promise from all cells as one, for rules that are pooled."""
        raise NotImplementedError

    def weigh_together(
        self, claim: Claim, summaries: Sequence[Floats], threshold: float
    ) -> tuple[Floats, Floats, dict[str, Any]]:
        """For rules that need all cells at once: evidence (cells, levels) and extra variables."""
        raise NotImplementedError

    def forced(self, claim: Claim, cell: Cell) -> bool:
        """Whether the margin (equal, published) is so wide that the promise cannot be broken."""
        if claim.bound is None and claim.simulate is None:
            return False  # Two exact laws, compared value by value.
        low, high = _ends(claim, cell)
        value, margin = _promised(claim, cell), float(claim.value("margin", cell) or 0.0)
        return value - margin <= low and high <= value + margin

    def draws(self, summary: Floats) -> int:
        """Replicates behind a summary."""
        return int(summary.ravel()[0])

    def resolution(
        self, claim: Claim, cell: Cell, summary: Floats, threshold: float
    ) -> Floats:
        """What these replicates would have refuted with 99% power, shape (levels,)."""
        return np.full(self.levels(claim), np.nan)


def _certain(true: NDArray[np.bool_], false: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    return np.where(false, CERTAIN, 0.0), np.where(true, CERTAIN, 0.0)


def law_exceeding(claim: Claim, cell: Cell, law: Law, threshold: float) -> tuple[float, float]:
    """Bracket Pr[L > threshold] of an exact law: within its rounding, and the claim's."""
    values, mass = np.asarray(law.values), np.asarray(law.probabilities)
    reach = abs(threshold) if np.isfinite(threshold) else 0.0
    room = max(law.error, claim.rounding) * np.maximum(np.abs(values), reach)
    room = room + law.slack + float(claim.value("slack", cell))
    low, high = mass[values > threshold + room].sum(), mass[values > threshold - room].sum()
    return float(min(low, 1.0)), float(min(high + law.missing, 1.0))


def violations(
    lhs: Floats, rhs: Floats, room: Floats
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which draws break the promise for certain, and which may: equal infinities tell nothing."""
    return lhs > rhs + room, (lhs > rhs - room) | (np.isinf(lhs) & (lhs == rhs))


class Tail(Rule):
    """Pr[L > R(delta)] <= delta.

    Summary: (levels, 4 or more), draws, violations for certain, violations that rounding leaves
    possible, vacuous draws; with importance weights also the bets on the weighted violations, and
    those on the weights' mean.
    """

    pooled = True

    def levels(self, claim: Claim) -> int:
        """One a delta."""
        return len(claim.deltas)

    def summarise(self, claim: Claim, cell: Cell, drawn: Drawn) -> Floats:
        """Counts."""
        lhs, rhs = np.asarray(drawn["lhs"], float), right_side(claim, cell, drawn)
        trivial = claim.value("trivial", cell)
        vacuous = rhs >= (np.inf if trivial is None else trivial)
        room = slack(claim, cell, drawn, rhs)
        certain, possible = violations(lhs, rhs, room)
        out = np.empty((self.levels(claim), 4))
        out[:, 0] = lhs.size
        out[:, 1], out[:, 2] = certain.sum(axis=1), possible.sum(axis=1)
        out[:, 3] = lhs.size * vacuous[:, 0] if vacuous.shape[1] == 1 else vacuous.sum(axis=1)
        if "weight" not in drawn:
            return out
        weight = np.asarray(drawn["weight"], float)
        bets = [
            np.concatenate(
                [
                    evidence.bounded_bets(weight * certain[j], delta, low=0.0, side="above"),
                    self._bets_below(claim, cell, weight * possible[j], delta),
                    *self._bets_on_mean(claim, cell, weight),
                ]
            )
            for j, delta in enumerate(claim.deltas)
        ]
        return np.hstack([out, np.array(bets)])

    @staticmethod
    def _bets_on_mean(claim: Claim, cell: Cell, weight: Floats) -> list[Floats]:
        """Against means of at most, and at least, 1, which likelihood ratios have; and 4/5, 5/4."""
        high = float(claim.value("weight_high", cell))
        if weight.size and weight.max() > high:
            raise ValueError(
                f"{claim.id}: weight_high is {high:g} at {claim.address(cell) or 'its cell'}, but "
                f"a draw has weight {weight.max():g}: the declared range is wrong"
            )
        tests: tuple[tuple[float, evidence.Side], ...] = (
            (1.0, "above"), (1.0, "below"), (0.8, "above"), (1.25, "below")
        )
        return [
            evidence.bounded_bets(weight, mean, low=0.0, high=high, side=side)
            for mean, side in tests
        ]

    @staticmethod
    def misweighted(summary: Floats) -> float:
        """Log e-value against weights of mean 1; 0 without weights."""
        if summary.shape[1] == 4:
            return 0.0
        sides = np.split(summary[0, 4:], 6)[2:4]
        return float(np.logaddexp.reduce(evidence.log_e_bets(np.array(sides))) - np.log(2))

    @staticmethod
    def _limit(claim: Claim, cell: Cell, delta: float) -> float:
        limit = claim.value("weight_limit", cell, delta=delta)
        return np.inf if limit is None else float(limit)

    @staticmethod
    def _bets_below(claim: Claim, cell: Cell, values: Floats, delta: float) -> Floats:
        high = Tail._limit(claim, cell, delta)
        if high == np.inf:
            return np.zeros_like(evidence.BETS)
        if values.size and values.max() > high:
            raise ValueError(
                f"{claim.id}: weight_limit is {high:g}, but a draw that breaks the promise has "
                f"weight {values.max():g}"
            )
        return evidence.bounded_bets(values, delta, high=high, side="below")

    def weigh(
        self, claim: Claim, cells: Sequence[Cell], summaries: Sequence[Floats]
    ) -> tuple[Floats, Floats]:
        """By e-processes for a proportion."""
        counts, level = np.array(summaries), np.array(claim.deltas)
        if counts.shape[2] > 4:
            above, below, *_, more, less = (
                evidence.log_e_bets(part) for part in np.split(counts[..., 4:], 6, axis=2)
            )
            # What is weighed decides once the weights' mean is known to be near 1.
            near = np.minimum(more, less) >= -np.log(_UNSEEN)
            return np.where(near, above, 0.0), np.where(near, below, 0.0)
        return (
            evidence.log_e_rate(counts[..., 1], counts[..., 0], level, "above"),
            evidence.log_e_rate(counts[..., 2], counts[..., 0], level, "below"),
        )

    def pool(self, claim: Claim, summaries: Sequence[Floats]) -> float:
        """Counts of all cells together, averaged over the levels."""
        (against,), _ = self.weigh(claim, [], [np.sum(summaries, axis=0)])
        return float(np.logaddexp.reduce(against) - np.log(len(against)))

    def weigh_exact(self, claim: Claim, cell: Cell, result: Law) -> tuple[Floats, Floats]:
        """The law itself against every level."""
        rhs = right_side(claim, cell)[:, 0]
        brackets = np.array([law_exceeding(claim, cell, result, r) for r in rhs])
        level = np.asarray(claim.deltas)
        within = level * (1 + result.error)
        return _certain(brackets[:, 1] <= within, brackets[:, 0] > within)

    def resolution(
        self, claim: Claim, cell: Cell, summary: Floats, threshold: float
    ) -> Floats:
        """In the rate of violations beyond rounding and slack; with weights, of the worst law."""
        draws = self.draws(summary)
        if summary.shape[1] > 4:
            limits = [self._limit(claim, cell, d) for d in claim.deltas]
            return np.array([
                m * evidence.share_resolution(draws, d / m, threshold) if d < m < np.inf else np.inf
                for d, m in zip(claim.deltas, limits, strict=True)
            ])
        return np.array([evidence.rate_resolution(draws, d, threshold) for d in claim.deltas])


_UNSEEN = 0.01
"""Level at which a mean weight below 4/5, or above 5/4, must be excluded."""


def moments(lhs: NDArray[Any]) -> Floats:
    """Number of draws, mean and sum of squares about it."""
    mean = float(lhs.mean()) if lhs.size else 0.0
    return np.array([lhs.size, mean, np.square(lhs - mean).sum()])


def merged(left: Floats, right: Floats) -> Floats:
    """Moments of both parts, without the cancellation of raw squares."""
    n = left[0] + right[0]
    if n == 0:
        return left
    step = right[1] - left[1]
    return np.array(
        [n, left[1] + step * right[0] / n, left[2] + right[2] + step**2 * left[0] * right[0] / n]
    )


def _deviation(summary: Floats) -> float:
    n, _, squares = summary[:3]
    return float(np.sqrt(squares / (n - 1))) if n > 1 else 0.0


def _ends(claim: Claim, cell: Cell) -> tuple[float, float]:
    """The declared range; infinite where none is."""
    low, high = claim.value("low", cell), claim.value("high", cell)
    return -np.inf if low is None else float(low), np.inf if high is None else float(high)


def _within(claim: Claim, cell: Cell, values: Floats, room: Floats) -> Floats:
    """The draws, moved into the declared range by no more than rounding."""
    low, high = _ends(claim, cell)
    if not np.isfinite(values).all():
        raise ValueError(
            f"{claim.id}: a draw at {claim.address(cell) or 'its cell'} is not finite, so neither "
            "its mean nor its distance to another says anything"
        )
    if np.any(np.abs(values) > LARGEST):
        raise ValueError(
            f"{claim.id}: a draw at {claim.address(cell) or 'its cell'} is beyond {LARGEST:g} in "
            "size, and floats do not hold its square: choose another unit"
        )
    for name, end, beyond in (("low", low, low - values), ("high", high, values - high)):
        if np.any(beyond > room):
            raise ValueError(
                f"{claim.id}: {name} is {end:g} at {claim.address(cell) or 'its cell'}, but a draw "
                f"is {values[int(np.argmax(beyond - room))]:g}: the declared range is wrong"
            )
    return np.clip(values, low, high)


def _centre(claim: Claim, cell: Cell, drawn: Drawn) -> tuple[Floats, float, Floats]:
    """Draws, the value promised of their mean, and by how much rounding may have moved them."""
    lhs = np.asarray(drawn["lhs"], float)
    rhs = right_side(claim, cell, drawn)[0]
    room = np.broadcast_to(slack(claim, cell, drawn, rhs), lhs.shape)
    if "rhs_draw" in drawn:
        with np.errstate(invalid="ignore"):
            lhs, rhs = lhs - rhs, np.zeros(1)
    elif not np.isfinite(rhs).all() and (claim.kind != "mean" or rhs[0] < 0):
        raise ValueError(
            f"{claim.id}: the bound at {claim.address(cell) or 'its cell'} is {rhs[0]:g}, which no "
            "mean can be"
        )
    values = _within(claim, cell, lhs, room)
    return values, float(rhs[0]), room


def _bets(claim: Claim, cell: Cell, lhs: Floats, mean: float, side: evidence.Side) -> Floats:
    """Sums of log increments, or zeros where nothing is known that would make a test valid."""
    if mean == np.inf:  # Whatever is below it: such a cell is vacuous.
        return np.zeros_like(evidence.BETS)
    if claim.variance is not None:
        variance = float(claim.value("variance", cell))
        if not 0 < variance < np.inf:
            raise ValueError(f"{claim.id}: variance must be a finite number > 0, got {variance:g}")
        return evidence.catoni_bets(lhs, mean, variance, side)
    low, high = _ends(claim, cell)
    room = mean - low if side == "above" else high - mean
    if room == np.inf:
        return np.zeros_like(evidence.BETS)
    # Moved by rounding, draws may have left the range; where any beyond its end is proof, they may.
    lhs = np.clip(lhs, low, high) if room > 0 else lhs
    return evidence.bounded_bets(lhs, mean, low=low, high=high, side=side)


def _mean_resolution(
    claim: Claim, cell: Cell, summary: Floats, mean: float, threshold: float, *, upwards: bool
) -> float:
    """Excess of a mean over ``mean`` that would have been refuted, whatever the law."""
    draws = int(summary[0])
    if claim.variance is not None:
        deviation = float(np.sqrt(claim.value("variance", cell)))
        return evidence.variance_resolution(deviation, draws, threshold)
    low, high = _ends(claim, cell)
    width = high - low
    if not 0 < width < np.inf:
        return np.inf
    share = (mean - low) / width if upwards else (high - mean) / width
    return width * evidence.share_resolution(draws, min(max(share, 0.0), 1.0), threshold)


class Mean(Rule):
    """E[L] <= R.

    Summary: three moments, the least right side, the sum of the draws' rounding, the bets of either
    side.
    """

    pooled = True
    tests: tuple[tuple[int, evidence.Side], ...] = ((1, "above"), (-1, "below"))

    def summarise(self, claim: Claim, cell: Cell, drawn: Drawn) -> Floats:
        """Moments and bets, each at an end of the margin, on draws moved against it by rounding."""
        lhs, value, room = _centre(claim, cell, drawn)
        margin = self.margin(claim, cell)
        moved = {"above": lhs - room, "below": lhs + room}
        bets = [
            _bets(claim, cell, moved[side], value + sign * margin, side)
            for sign, side in self.tests
        ]
        least = right_side(claim, cell, drawn).min(initial=np.inf)
        return np.concatenate([moments(lhs), [least, room.sum()], *bets])

    def margin(self, claim: Claim, cell: Cell) -> float:
        """None: a mean is promised to the last bit."""
        return 0.0

    def merge(self, left: Floats, right: Floats) -> Floats:
        """Moments about the common mean; rounding and bets add up."""
        least = [min(left[3], right[3])]
        return np.concatenate([merged(left[:3], right[:3]), least, left[4:] + right[4:]])

    def wealths(self, summaries: Sequence[Floats]) -> list[Floats]:
        """Log wealth of each test, each of shape (cells, 1)."""
        bets = np.array(summaries)[:, 5:].reshape(-1, len(self.tests), len(evidence.BETS))
        return np.split(evidence.log_e_bets(bets), len(self.tests), axis=1)

    def weigh(
        self, claim: Claim, cells: Sequence[Cell], summaries: Sequence[Floats]
    ) -> tuple[Floats, Floats]:
        """The wealth of both sides."""
        above, below = self.wealths(summaries)
        return above, below

    def pool(self, claim: Claim, summaries: Sequence[Floats]) -> float:
        """The same bets on all cells at once."""
        against, _ = self.weigh(claim, [], [np.sum(summaries, axis=0)])
        return float(against[0, 0])

    def weigh_exact(self, claim: Claim, cell: Cell, result: Law) -> tuple[Floats, Floats]:
        """The mean of the law against the bound."""
        rhs, (least, most) = right_side(claim, cell)[0], law_means(claim, cell, result)
        room, coarse = law_room(claim, cell, result, rhs)
        return _certain(most <= rhs + room - coarse, least > rhs + room + coarse)

    def resolution(
        self, claim: Claim, cell: Cell, summary: Floats, threshold: float
    ) -> Floats:
        """Of the worst law that the declared range, or variance, allows."""
        mean, room = _promised(claim, cell), _mean_room(summary)
        found = _mean_resolution(claim, cell, summary, mean + room, threshold, upwards=True)
        return np.array([found + room])


def _mean_room(summary: Floats) -> float:
    """By how much rounding may have moved a mean."""
    return float(summary[4] / max(1.0, summary[0]))


def law_means(claim: Claim, cell: Cell, law: Law) -> tuple[float, float]:
    """The least and the largest mean of a law, wherever in the declared range missing mass lies."""
    mean, missing = law.mean(), law.missing
    low, high = _ends(claim, cell)
    return (mean + missing * low, mean + missing * high) if missing else (mean, mean)


def law_room(claim: Claim, cell: Cell, law: Law, rhs: Floats) -> tuple[Floats, float]:
    """Relative rounding of a law's mean against a right side, and what is declared absolutely.

    Within the first both sides are equal; within the second nothing is known. The law must keep to
    the declared range.
    """
    values = np.asarray(law.values)[np.asarray(law.probabilities) > 0]
    _within(claim, cell, values, law.error * np.abs(values) + law.slack + 1e-300)
    size = np.dot(np.abs(np.asarray(law.values)), np.asarray(law.probabilities))
    rhs = np.where(np.isfinite(rhs), rhs, 0.0)
    # Values and probabilities may each be off.
    size = np.maximum(size, np.abs(rhs))
    coarse = max(0.0, claim.rounding - 2 * law.error) * float(np.max(size))
    return 2 * law.error * size, coarse + law.slack + float(claim.value("slack", cell))


def _promised(claim: Claim, cell: Cell) -> float:
    """The value promised of a mean; 0 of a difference."""
    return 0.0 if claim.bound is None else float(right_side(claim, cell)[0, 0])


class Equal(Mean):
    """E[theta] = value within a margin: refuted only beyond it, upheld only within."""

    # Beyond the upper end, beyond the lower, below the upper end, above the lower.
    tests = ((1, "above"), (-1, "below"), (1, "below"), (-1, "above"))

    def margin(self, claim: Claim, cell: Cell) -> float:
        """The declared one."""
        return float(claim.value("margin", cell) or 0.0)

    def weigh(
        self, claim: Claim, cells: Sequence[Cell], summaries: Sequence[Floats]
    ) -> tuple[Floats, Floats]:
        """Half the wealth on either side of the margin against; both ends of it in support."""
        over, under, clears_high, clears_low = self.wealths(summaries)
        return np.logaddexp(over, under) - np.log(2), np.minimum(clears_high, clears_low)

    def weigh_exact(
        self, claim: Claim, cell: Cell, result: Law | tuple[Law, Law]
    ) -> tuple[Floats, Floats]:
        """The mean of the law against the value, or two laws value by value."""
        if isinstance(result, tuple):
            return _certain(*(
                np.array([same]) for same in _same_laws(*result, self.margin(claim, cell))
            ))
        value, (least, most) = right_side(claim, cell)[0], law_means(claim, cell, result)
        room, coarse = law_room(claim, cell, result, value)
        near = np.maximum(0.0, np.maximum(least - value, value - most))
        far, margin = np.maximum(most - value, value - least), self.margin(claim, cell)
        return _certain(far <= margin + room - coarse, near > margin + room + coarse)

    def resolution(
        self, claim: Claim, cell: Cell, summary: Floats, threshold: float
    ) -> Floats:
        """Of the worst law that the range allows, on the worse of both sides, margin included."""
        mean, margin = _promised(claim, cell), self.margin(claim, cell)
        threshold += float(np.log(2))
        low, high = _ends(claim, cell)
        reach = margin + _mean_room(summary)
        # A side on which no law within the range breaks the promise has nothing to show.
        sides = [
            _mean_resolution(claim, cell, summary, mean + sign * reach, threshold, upwards=sign > 0)
            for sign, end in ((1, high), (-1, low)) if sign * (end - mean) > reach
        ]
        return np.array([reach + max(sides, default=np.inf)])


def _same_laws(left: Law, right: Law, margin: float) -> tuple[bool, bool]:
    """Whether two exact laws agree within a Kolmogorov distance, and whether they do not.

    Without a margin both tails are compared, each relative to itself, for so small is their error.
    """
    error = left.error + right.error
    places = np.sort(np.concatenate([np.asarray(left.values), np.asarray(right.values)]))
    room = error * np.abs(places) + left.slack + right.slack + 1e-300
    gap, share, most = 0.0, 0.0, 0.0
    for law, other in ((left, right), (right, left)):
        # The mass up to a place, against that of the other up to a little beyond; and from it.
        for sign in (1, -1):
            at, moved, before = (_mass_to(sign, of, by) for of, by in (
                (law, sign * places), (other, sign * places + room),
                (other, sign * places - room)))
            gap = max(gap, float(np.max(at - moved)))
            share = max(share, float(np.max((at - moved) / np.maximum(at, 1e-300))))
            most = max(most, float(np.max(at - before)))
    # Where atoms stand so close that rounding does not tell which is which, either may be.
    ends = np.append(np.flatnonzero(np.diff(places) > 2 * room[1:]), places.size - 1)
    begins = np.append(0, ends[:-1] + 1)
    if np.any(places[ends] - places[begins] > 4 * room[ends]):
        return most <= margin - error, gap > margin + error
    if margin == 0:
        return share <= error and not left.missing + right.missing, share > error
    return gap <= margin - error, gap > margin + error


def _mass_to(sign: int, law: Law, places: Floats) -> Floats:
    """Mass of the law, or of its mirror image, up to these places."""
    order = slice(None, None, sign)
    values, mass = sign * np.asarray(law.values)[order], np.asarray(law.probabilities)[order]
    total = np.append(0.0, np.cumsum(mass))
    return np.asarray(total[np.searchsorted(values, places, side="right")])


class SameLaw(Rule):
    """Two laws agree within a distance. Summary: raw draws of both, and their relative rounding.

    The distance is Kolmogorov's, or with a declared range Wasserstein's, the area between the
    distribution functions, which is at most the width times Kolmogorov's.
    """

    def summarise(self, claim: Claim, cell: Cell, drawn: Drawn) -> Floats:
        """The draws of both laws."""
        both = np.stack([drawn["lhs"], drawn["other"]]).astype(float)
        share = relative(claim, drawn)
        room = share * np.abs(both) + float(claim.value("slack", cell))
        within = [_within(claim, cell, *pair) for pair in zip(both, room, strict=True)]
        return np.stack([*within, np.full(both.shape[1], share)])

    def merge(self, left: Floats, right: Floats) -> Floats:
        """All draws."""
        return np.concatenate([left, right], axis=1)

    def draws(self, summary: Floats) -> int:
        """Draws of either law."""
        return int(summary.shape[1])

    def forced(self, claim: Claim, cell: Cell) -> bool:
        """No two laws on the range are farther apart."""
        return float(claim.value("margin", cell) or 0.0) >= self._width(claim, cell)

    @staticmethod
    def _width(claim: Claim, cell: Cell) -> float:
        """Of the declared range; without one the distance is on the scale of probability."""
        if claim.low is None or claim.high is None:
            return 1.0
        low, high = _ends(claim, cell)
        if not np.isfinite(high - low):
            raise ValueError(
                f"{claim.id}: low and high make the margin one on the scale of the draws, and must "
                f"be finite, got {low:g} and {high:g}"
            )
        return high - low

    def _price(self, claim: Claim, draws: int) -> float:
        # Dvoretzky-Kiefer-Wolfowitz-Massart for both samples; a look at every doubling costs
        # 1/(k(k+1)) of the level, which makes the sequence of looks valid. Where only some rows
        # apply the first looks have less than a block: k counts from there in both directions.
        look = 1 + abs(np.log2(draws / claim.rows))
        directions = 1 if draws % claim.rows == 0 else 2
        return float(np.log(4 * directions * look * (look + 1)))

    def weigh_cell(self, claim: Claim, cell: Cell, summary: Floats) -> tuple[float, float]:
        """By their distance, beyond the margin and within it."""
        n = self.draws(summary)
        if n == 0:
            return 0.0, 0.0
        width, margin = self._width(claim, cell), float(claim.value("margin", cell) or 0.0)
        least, most = self._distances(claim, cell, summary)
        price = self._price(claim, n)
        against = n * (max(0.0, least - margin) / width) ** 2 / 2 - price
        support = n * (max(0.0, margin - most) / width) ** 2 / 2 - price
        return max(0.0, against), max(0.0, support)

    def _distances(self, claim: Claim, cell: Cell, summary: Floats) -> tuple[float, float]:
        """The smallest and the largest distance that rounding leaves possible."""
        from scipy.stats import wasserstein_distance

        # Values that only relative rounding tells apart are one; within the slack either may be.
        slack, share = float(claim.value("slack", cell)), float(summary[2].max())
        union = _apart(np.sort(summary[:2], axis=None), share)
        first, second = (union[np.searchsorted(union, s, side="right") - 1] for s in summary[:2])
        if claim.low is not None and claim.high is not None:
            found = float(wasserstein_distance(first, second))
            room = self._room(claim, cell, summary)
            return found - room, found + room
        first, second, n = np.sort(first), np.sort(second), self.draws(summary)

        def ahead(left: Floats, right: Floats, by: float) -> float:
            """Largest excess of one distribution function over the other, moved by this much."""
            at = np.searchsorted(left, left, side="right")
            return float(np.max(at - np.searchsorted(right, left + by, side="right")) / n)

        return (
            max(ahead(first, second, slack), ahead(second, first, slack)),
            max(ahead(first, second, -slack), ahead(second, first, -slack)),
        )

    @staticmethod
    def _room(claim: Claim, cell: Cell, summary: Floats) -> float:
        """By how much rounding and slack may have changed a distance on the scale of the draws."""
        largest = float(np.abs(summary[:2]).max())
        return float(claim.value("slack", cell)) + float(summary[2].max()) * largest

    def weigh_exact(
        self, claim: Claim, cell: Cell, result: tuple[Law, Law]
    ) -> tuple[Floats, Floats]:
        """Two exact laws."""
        margin = float(claim.value("margin", cell) or 0.0)
        return _certain(*(np.array([same]) for same in _same_laws(*result, margin)))

    def resolution(
        self, claim: Claim, cell: Cell, summary: Floats, threshold: float
    ) -> Floats:
        """In that distance: what refutes, and what both samples may fall short of it.

        Kolmogorov's is one of laws moved by the slack; infinite where the draws span no more.
        """
        n, moved = self.draws(summary), float(claim.value("slack", cell))
        if n == 0 or (moved > 0 and np.ptp(summary[:2]) <= moved):
            return np.array([np.inf])
        needed = np.sqrt(2 * (threshold + self._price(claim, n)) / n)
        short = 2 * np.sqrt(np.log(4 / (1 - _POWER)) / (2 * n))
        margin = float(claim.value("margin", cell) or 0.0)
        found = margin + self._width(claim, cell) * (needed + short)
        if claim.low is not None and claim.high is not None:
            found += self._room(claim, cell, summary)
        largest = self._width(claim, cell)
        return np.array([found if found <= largest else np.inf])


def _apart(values: Floats, share: float) -> Floats:
    """The first of every group of sorted values that relative rounding does not tell apart.

    No group is wider than rounding, however dense the values are.
    """
    size = np.maximum(np.abs(values[1:]), np.abs(values[:-1]))
    first = np.append(True, np.diff(values) > share * size)
    begins = np.flatnonzero(first)
    ends = np.append(begins[1:], values.size)
    wide = values[ends - 1] - values[begins] > share * np.abs(values[begins])
    for begin, end in zip(begins[wide], ends[wide], strict=True):
        while begin < end:
            first[begin] = True
            reach = values[begin] + share * abs(values[begin])
            begin += np.searchsorted(values[begin:end], reach, side="right")
    return np.asarray(values[first])


_POWER = 0.99
"""With which a resolution promises a refutation."""


@dataclass(frozen=True)
class Compared:
    """Rows of instances: sides, where they apply, rounding, distance, and what of it exceeds."""

    lhs: Floats
    rhs: Floats
    at: NDArray[np.bool_]
    room: Floats
    gap: Floats
    excess: Floats


class Always(Rule):
    """L <= R for every instance. Summary: tries, suspects, vacuous tries, largest gap and ratio.

    A suspect is a row that breaks the claim by more than relative rounding; the engine turns it
    into a counterexample (exact arithmetic) or clears it. A declared slack clears nothing: what it
    leaves open only exact arithmetic knows.
    """

    def compare(self, claim: Claim, cell: Cell, drawn: Drawn) -> Compared:
        """Both sides of every row, where the hypotheses apply; elsewhere nothing need be a number.

        The excess is by how much a row breaks the claim beyond rounding; -inf where it does not
        apply.
        """
        lhs = np.array(drawn["lhs"], float)
        at = np.asarray(drawn.get("applies", np.ones(lhs.shape, bool)), bool)
        rhs, room = np.full((2, *lhs.shape), np.nan)
        if at.any():
            held = conditioned(drawn)
            rhs[at] = right_side(claim, cell, held)[0]
            room[at] = rounding(claim, held, rhs[at])
        lhs[~at] = np.nan
        gap = np.where(at, self.gap(lhs, rhs), -np.inf)
        # Both sides beyond floats: only exact arithmetic knows.
        beyond = np.where(np.isinf(lhs) & (lhs == rhs), np.inf, gap - room)
        return Compared(lhs, rhs, at, room, gap, np.where(at, beyond, -np.inf))

    def nearest(self, found: Compared, *, anyway: bool) -> list[int]:
        """Rows that rounding leaves open, a few a cell: exact arithmetic may know better.

        The one that breaks the claim most, some that break it less, and one with equal sides. If
        there are none, anyway the one that comes nearest: floats as a whole may be wrong.
        """
        gap = np.where(found.excess <= 0, found.gap, -np.inf)
        order = np.argsort(-gap, kind="stable")
        broken, equal = order[gap[order] > 0], order[gap[order] == 0]
        some = broken[np.linspace(0, broken.size - 1, min(_ASKED, broken.size)).astype(int)]
        asked = [*some, *equal[:1]] or [row for row in order[:anyway] if gap[row] > -np.inf]
        return [int(row) for row in asked]

    def gap(self, lhs: Floats, rhs: Floats) -> Floats:
        """Distance by which a row is on the wrong side."""
        with np.errstate(invalid="ignore"):
            return np.where(lhs == rhs, 0.0, lhs - rhs)

    def summarise(self, claim: Claim, cell: Cell, drawn: Drawn) -> Floats:
        """Counts, and the worst rows."""
        return self.reduce(claim, cell, self.compare(claim, cell, drawn))

    def reduce(self, claim: Claim, cell: Cell, found: Compared) -> Floats:
        """The same of rows that have been compared."""
        at, trivial = found.at, claim.value("trivial", cell)
        ratio = tightness(found.lhs[at], found.rhs[at], found.room[at])
        return np.array(
            [
                np.count_nonzero(at),
                np.count_nonzero(found.excess > 0),
                0 if trivial is None else np.count_nonzero(at & (found.rhs >= trivial)),
                np.max(found.gap, initial=-np.inf),
                np.max(ratio, initial=-np.inf),
            ]
        )

    def merge(self, left: Floats, right: Floats) -> Floats:
        """Counts add up, the worst stays."""
        return np.concatenate([left[:3] + right[:3], np.maximum(left[3:], right[3:])])

    def weigh_cell(self, claim: Claim, cell: Cell, summary: Floats) -> tuple[float, float]:
        """Nothing against; support if no suspect is left."""
        # Breaks count only once certified, which the engine does; support only at the end.
        tries, suspects = summary[:2]
        return 0.0, CERTAIN if tries > 0 and suspects == 0 else 0.0

    def resolution(
        self, claim: Claim, cell: Cell, summary: Floats, threshold: float
    ) -> Floats:
        """In the share of instances that break it; without a certificate none can."""
        # A set of instances of this probability would have been hit with 99% power.
        tries, suspects = summary[:2]
        # A certificate that leaves suspects open leaves everything open.
        known = tries and not suspects and claim.certify is not None
        return np.array([1 - (1 - _POWER) ** (1 / tries) if known else np.inf])


_ASKED = 3
"""Rows broken by no more than rounding that are certified, in the first block of a cell."""


class Identity(Always):
    """Two quantities are equal for every instance."""

    def gap(self, lhs: Floats, rhs: Floats) -> Floats:
        """Distance of the two sides."""
        with np.errstate(invalid="ignore"):
            return np.where(lhs == rhs, 0.0, np.abs(lhs - rhs))


class Exists(Rule):
    """Some instance has inf >= R: the exact optimum on the instance decides."""

    def weigh_exact(
        self, claim: Claim, cell: Cell, result: tuple[float, float]
    ) -> tuple[Floats, Floats]:
        """The optimum, with its error, against the bound."""
        optimum, error = result
        rhs, (low, _) = right_side(claim, cell)[0], _ends(claim, cell)
        least = np.maximum(optimum - error, low)
        # Within relative rounding both are equal; within the error and the slack it is open.
        room, open_ = rounding(claim, {"lhs": least}, rhs), float(claim.value("slack", cell))
        if np.any(optimum + error + open_ < low - room):
            raise ValueError(
                f"{claim.id}: low is {low:g} at {claim.address(cell) or 'its cell'}, but the "
                f"optimum is {optimum:g}: the declared range is wrong"
            )
        return _certain(least - open_ >= rhs - room, optimum + error + open_ < rhs - room)


class Rate(Rule):
    """The mean is a power law along an axis, with at most this exponent; support only.

    The verdict holds on the range; the limit is not judged. On log scales a line and a parabola are
    fitted by least squares, weighted by the errors of the means. Where curvature is visible no
    power law holds on the range and nothing is decided. Else the exponent is upheld when the
    slopes of the line, of both halves and of the parabola at the far end are below it, and refuted
    when they are all above it: a bend too small to be seen must not decide what may be otherwise
    beyond. Least squares takes means as normal; so all power laws that pass between the
    limits of all means must be on the same side, too.
    """

    sequential = False
    together = True

    def summarise(self, claim: Claim, cell: Cell, drawn: Drawn) -> Floats:
        """Moments of the left side, or of what it exceeds a drawn right side by, and rounding."""
        right = np.asarray(drawn.get("rhs_draw", 0.0), float)
        room = rounding(claim, drawn, right)
        with np.errstate(invalid="ignore"):
            lhs = np.asarray(drawn["lhs"], float) - right
        return np.append(moments(_within(claim, cell, lhs, room)), room.sum())

    def merge(self, left: Floats, right: Floats) -> Floats:
        """Moments about the common mean; rounding adds up."""
        return np.append(merged(left[:3], right[:3]), left[3] + right[3])

    def weigh_together(
        self, claim: Claim, summaries: Sequence[Floats], threshold: float
    ) -> tuple[Floats, Floats, dict[str, Any]]:
        """Slopes for every line of cells along the axis."""
        assert claim.along is not None
        axis = claim.dims.index(claim.along)
        x = np.log(np.asarray(claim.grid[claim.along], float))
        told = [(*_ends(claim, cell), _promised(claim, cell)) for cell in claim.cells()]
        table = np.column_stack([np.array(summaries), told]).reshape(*claim.shape, 7)
        order = np.argsort(x)
        x, lines = x[order], np.moveaxis(table, axis, -2)[..., order, :]
        out = {name: np.full(claim.shape, np.nan) for name in ("against", "support", *_SLOPES)}
        for where in np.ndindex(lines.shape[:-2]):
            found = _slopes(x, lines[where], threshold)
            for name, value in found.items():
                np.moveaxis(out[name], axis, -1)[where] = value
        against, support = out.pop("against"), out.pop("support")
        return against.reshape(-1, 1), support.reshape(-1, 1), out

    def resolution(
        self, claim: Claim, cell: Cell, summary: Floats, threshold: float
    ) -> Floats:
        """A slope is no matter of one cell."""
        return np.array([np.nan])


_SLOPES = (
    "slope", "slope_low", "slope_high", "slope_first", "slope_second", "slope_error", "curved",
    "resolution",
)
_CURVED = 0.001
"""Level at which curvature counts as seen. It can only make a rate undecided."""


def _slopes(x: Floats, line: Floats, threshold: float) -> dict[str, float]:
    """Slopes of a line of means, with evidence for and against the exponent in its last column.

    Before it stand the sum of the draws' rounding, and the ends of the declared range, which a rare
    event may span.
    """
    from scipy import stats
    from statsmodels.regression.linear_model import WLS

    draws, mean, squares, room, low, high, exponents = line.T
    none: dict[str, float] = dict.fromkeys(_SLOPES, np.nan)
    if np.any(mean <= 0) or np.any(draws < 2):
        return {"against": 0.0, "support": 0.0, **none, "curved": 0.0, "resolution": np.inf}
    width, room = high - low, room / draws
    spread = np.sqrt(squares / (draws - 1))
    centred = x - x.mean()

    def fit(powers: int, spread: Floats = spread, at: slice = slice(None)) -> Any:
        # Errors of log means; where all draws are equal only rounding and what is rare are left.
        error = spread / np.sqrt(draws) + _rarely(np.where(width < np.inf, width, 0.0), draws)
        error = error + room
        columns = np.vander(centred[at], powers + 1, increasing=True)
        weights = (error / mean + 1e-12)[at] ** -2.0
        return WLS(np.log(mean[at]), columns, weights=weights).fit(cov_type="fixed scale")

    straight, curved = fit(1), fit(2)
    middle = len(x) // 2
    halves = [fit(1, at=slice(0, middle + 1)), fit(1, at=slice(middle, None))]
    reach = stats.norm.ppf(0.995)
    tip = np.array([0.0, 1.0, 2 * centred[-1]])
    tip_error = float(np.sqrt(tip @ curved.cov_params() @ tip))
    found = {
        "slope": float(straight.params[1]),
        "slope_low": float(straight.params[1] - reach * straight.bse[1]),
        "slope_high": float(straight.params[1] + reach * straight.bse[1]),
        "slope_first": float(halves[0].params[1]),
        "slope_second": float(halves[1].params[1]),
        "slope_error": tip_error,
    }
    bend = abs(curved.params[2] / curved.bse[2])
    step = abs(halves[1].params[1] - halves[0].params[1]) / np.hypot(*(h.bse[1] for h in halves))
    found["curved"] = float(2 * stats.norm.sf(max(bend, step)) < _CURVED)
    if found["curved"] or not np.all(width < np.inf):
        return {"against": 0.0, "support": 0.0, **found, "resolution": np.inf}
    fits = (straight, *halves)
    gaps = [one.params[1] - exponents[0] for one in fits]
    end = (float(tip @ curved.params) - exponents[0]) / tip_error
    sides = [gap / one.bse[1] for gap, one in zip(gaps, fits, strict=True)]
    above, below = _laws_beyond(x, draws, mean, spread, width, room, exponents[0])
    # The worst spread that the range allows about this mean (Bhatia and Davis).
    worst = np.sqrt(np.maximum((high - mean) * (mean - low), 0.0))
    tip_worst = float(np.sqrt(tip @ fit(2, worst).cov_params() @ tip))
    seen = tip_worst * (stats.norm.ppf(_POWER) - special.ndtri_exp(-threshold))
    # Both ends must fall short of their limits at once, each with half of what power leaves.
    at = [0, -1]
    short, odds = room[at] / mean[at], (threshold + np.log(4), np.log(8 / (1 - _POWER)))
    for level in odds:
        short += _reach(level, draws[at], worst[at], width[at]) / mean[at]
    pair = np.log((1 + short[0]) / (1 - short[1])) / (x[-1] - x[0]) if short[1] < 1 else np.inf
    return {"against": min(above, float(-stats.norm.logsf(min(end, *sides)))),
            "support": min(below, float(-stats.norm.logcdf(max(end, *sides)))), **found,
            "resolution": max(seen, float(pair))}


def _rarely(width: Floats, draws: Floats) -> Floats:
    """What Maurer and Pontil add for events too rare to be drawn, at level 1."""
    return 7 * width / (3 * (draws - 1))


def _reach(level: float, draws: Floats, spread: Floats, width: Floats) -> Floats:
    """Beyond this the mean is, on a given side, with probability 2 exp(-level) at most."""
    return spread * np.sqrt(2 * level / draws) + _rarely(width, draws) * level


def _laws_beyond(
    x: Floats, draws: Floats, mean: Floats, spread: Floats, width: Floats, room: Floats,
    exponent: float,
) -> tuple[float, float]:
    """Evidence that all power laws between the limits of the means are steeper, or all flatter."""
    later, sooner = np.tril_indices(len(x), -1)

    def apart(level: float, sign: int) -> bool:
        """Whether two means show it, each off by as much as it may be at this level."""
        off = sign * (_reach(level, draws, spread, width) + room)
        with np.errstate(divide="ignore", invalid="ignore"):
            tops, feet = np.log(np.maximum(mean + off, 0)), np.log(np.maximum(mean - off, 0))
            rise = sign * (feet[later] - tops[sooner] - exponent * (x[later] - x[sooner]))
        return bool(np.any(rise > 0))

    told = []
    # Two sides, of each mean the deviation and the spread; entries share the level of a refutation,
    # and all means of a line must hold to uphold.
    for sign, events in ((1, 4), (-1, 4 * len(x))):
        near, far = 0.0, 1.0
        while apart(far, sign) and far < 1e6:
            near, far = far, 2 * far
        for _ in range(50):
            between = (near + far) / 2
            near, far = (between, far) if apart(between, sign) else (near, between)
        told.append(max(0.0, near - float(np.log(events))))
    return told[0], told[1]


class Published(Rule):
    """A printed number against ours, both errors counted, beyond and within the stated tolerance.

    Our error is bounded by Maurer and Pontil's empirical Bernstein inequality, which needs the
    declared range; without one the mean and its normal limits are shown as support only, and
    nothing is upheld or refuted.
    """

    sequential = False

    def summarise(self, claim: Claim, cell: Cell, drawn: Drawn) -> Floats:
        """Moments, the number in print (0 of differences), and the sum of the draws' rounding."""
        values, printed, room = _centre(claim, cell, drawn)
        return np.concatenate([moments(values), [printed, room.sum()]])

    def merge(self, left: Floats, right: Floats) -> Floats:
        """Moments about the common mean; rounding adds up."""
        return np.concatenate([merged(left[:3], right[:3]), [left[3], left[4] + right[4]]])

    def _errors(self, claim: Claim, cell: Cell, summary: Floats) -> tuple[float, float, float]:
        """Coefficients of the deviation at level L: a sqrt(L) + b L, and the printed error's."""
        n, (low, high) = summary[0], _ends(claim, cell)
        printed = np.sqrt(2) * float(claim.value("printed_error", cell))
        root = np.sqrt(2) * _deviation(summary) / np.sqrt(max(n, 1))
        return root, printed, 7 * (high - low) / (3 * max(n - 1, 1))

    def weigh_cell(self, claim: Claim, cell: Cell, summary: Floats) -> tuple[float, float]:
        """The distance from print, beyond and within the tolerance."""
        if claim.impossible is not None and claim.call(claim.impossible, cell):
            return CERTAIN, 0.0
        if summary[0] == 0 or not np.isfinite(np.subtract(*_ends(claim, cell))):
            return 0.0, 0.0
        margin, room = float(claim.value("margin", cell)), _mean_room(summary)
        distance = abs(float(summary[1] - summary[3]))
        ours, theirs, slope = self._errors(claim, cell, summary)
        root = ours + theirs

        def log_evidence(excess: float) -> float:
            """Minus the log of the chance that both errors together reach the excess."""
            if excess <= 0:
                return 0.0
            if slope == 0:  # The range is a point.
                return float(np.inf if root == 0 else max(0.0, (excess / root) ** 2 - np.log(6)))
            # root sqrt(L) + slope L = excess, for L.
            level = ((np.sqrt(root**2 + 4 * slope * excess) - root) / (2 * slope)) ** 2
            return float(max(0.0, level - np.log(6)))

        return log_evidence(distance - margin - room), log_evidence(margin - room - distance)

    def resolution(
        self, claim: Claim, cell: Cell, summary: Floats, threshold: float
    ) -> Floats:
        """With the tolerance, the error of print, and the widest spread that the range allows."""
        low, high = _ends(claim, cell)
        if claim.impossible is not None and claim.call(claim.impossible, cell):
            return np.array([0.0])
        if summary[0] == 0 or not np.isfinite(high - low):
            return np.array([np.inf])
        level = threshold + np.log(6)
        widest = np.array([summary[0], 0.0, summary[0] * (high - low) ** 2 / 4])
        printed, room = summary[3], _mean_room(summary)
        ours, theirs, slope = self._errors(claim, cell, widest)
        # What refutes, and with 99% probability how far both fall short of it (Hoeffding; normal).
        short = (high - low) * np.sqrt(np.log(4 / (1 - _POWER)) / (2 * summary[0]))
        short += theirs * np.sqrt(np.log(4 / (1 - _POWER)))
        found = float(claim.value("margin", cell)) + (ours + theirs) * np.sqrt(level)
        found += slope * level + short + room
        return np.array([found if found <= max(high - printed, printed - low) else np.inf])


def tightness(lhs: Any, rhs: Any, room: Any = 0.0) -> Floats:
    """How much of the right side the left side uses: above 1 exactly where the promise is broken.

    Parameters
    ----------
    lhs, rhs : array_like
        The two sides of ``lhs <= rhs``.
    room : array_like
        Rounding: sides that agree within it are equal.

    Returns
    -------
    ndarray
        Left over right where the right side is positive; infinite where a right side of zero or
        less is exceeded, 1 at equality, right over left where both are negative, 0 where the left
        side is negative and the right side is not.

    Examples
    --------
    >>> tightness([1.0, 1.0, 1.0, 0.0, -2.0], [2.0, 0.0, -0.0, 0.0, -1.0]).tolist()
    [0.5, inf, inf, 1.0, 0.5]
    """
    left, right, room = np.broadcast_arrays(
        np.asarray(lhs, float), np.asarray(rhs, float), np.asarray(room, float)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(left < 0, np.where(right < 0, right / left, 0), left / right)
        ratio = np.where((right <= 0) & (left > right), np.inf, ratio)
        same = (left == right) | (np.abs(left - right) <= room)
    return np.where(same, 1.0, ratio)


RULES: dict[str, Rule] = {
    "tail": Tail(),
    "mean": Mean(),
    "equal": Equal(),
    "always": Always(),
    "identity": Identity(),
    "exists": Exists(),
    "rate": Rate(),
    "published": Published(),
    "cited": Rule(),
}
"""The rule of each kind; ``equal`` is judged by SameLaw where the simulator draws ``other``."""
