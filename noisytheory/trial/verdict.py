"""Kinds of claim and the rule that turns evidence into a verdict, one rule a kind.

Evidence is a pair of arrays over (cells, levels): ``against`` and ``support``, in log units. An
e-process gives the log of an e-value, a fixed-sample test minus the log of its p-value, exact or
certified evidence plus infinity. A claim is refuted when any entry of ``against`` crosses the log
of (hypotheses x claims / alpha), upheld when every entry of ``support`` that is not vacuous crosses
the log of (claims / alpha): to refute, one of many hypotheses must fall, and each gets its share of
the level; to uphold, all must, and each may use all of the claim's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.trial import evidence
from noisytheory.trial.claim import Cell, Claim, Law

__all__ = ["RULES", "Rule", "Thresholds", "right_side"]

Floats = NDArray[np.float64]
Drawn = Mapping[str, NDArray[Any]]

CERTAIN = np.inf


@dataclass(frozen=True)
class Thresholds:
    """Log evidence that refutes, or upholds, one hypothesis of one claim in an audit.

    Parameters
    ----------
    refute, uphold : float
        Log units.
    """

    refute: float
    uphold: float

    @classmethod
    def of(cls, claim: Claim, alpha: float, claims: int) -> Thresholds:
        """Share ``alpha`` over the claims of the audit, and over the claim's hypotheses."""
        hypotheses = claim.size * max(1, len(claim.deltas))
        return cls(float(np.log(hypotheses * claims / alpha)), float(np.log(claims / alpha)))


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
        One row a level; one row in all if the promise names no level.

    Raises
    ------
    ValueError
        If the bound is not a real number there.
    """
    if drawn is not None and "rhs_draw" in drawn:
        return np.asarray(drawn["rhs_draw"], float)[None, :]
    if claim.bound is None:
        raise ValueError(f"{claim.id}: needs a bound, or a simulator that draws rhs")
    deltas = np.array(claim.deltas or [np.nan])
    try:
        values = claim.call(claim.bound, cell, drawn, delta=deltas[:, None])
    except TypeError:
        # A user's bound on plain floats (math.sqrt): level by level.
        values = [[claim.call(claim.bound, cell, drawn, delta=float(d))] for d in deltas]
    values = np.asarray(values)

    def wrong(what: str) -> ValueError:
        return ValueError(
            f"{claim.id}: the bound at {claim.address(cell) or 'its cell'} {what}"
        )

    if values.dtype.kind not in "fiub":
        raise wrong(f"must be a real number, got {values.dtype}")
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
    when the budget is spent, ``together`` if they need all cells at once.
    """

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

    def weigh_together(
        self, claim: Claim, summaries: Sequence[Floats]
    ) -> tuple[Floats, Floats, dict[str, Any]]:
        """For rules that need all cells at once: evidence (cells, levels) and extra variables."""
        raise NotImplementedError

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


class Tail(Rule):
    """Pr[L > R(delta)] <= delta. Summary: (levels, 3), draws, violations and vacuous draws."""

    def levels(self, claim: Claim) -> int:
        """One a delta."""
        return len(claim.deltas)

    def summarise(self, claim: Claim, cell: Cell, drawn: Drawn) -> Floats:
        """Counts."""
        lhs, rhs = drawn["lhs"], right_side(claim, cell, drawn)
        trivial = claim.value("trivial", cell)
        vacuous = rhs >= (np.inf if trivial is None else trivial)
        out = np.empty((self.levels(claim), 3))
        out[:, 0] = lhs.size
        out[:, 1] = (lhs > rhs).sum(axis=1)
        out[:, 2] = vacuous.sum(axis=1) / vacuous.shape[1] * lhs.size
        return out

    def weigh(
        self, claim: Claim, cells: Sequence[Cell], summaries: Sequence[Floats]
    ) -> tuple[Floats, Floats]:
        """By e-processes for a proportion."""
        counts = np.array(summaries)
        draws, violations = counts[..., 0], counts[..., 1]
        level = np.array(claim.deltas)
        return (
            evidence.log_e_rate(violations, draws, level, "above"),
            evidence.log_e_rate(violations, draws, level, "below"),
        )

    def weigh_exact(self, claim: Claim, cell: Cell, result: Law) -> tuple[Floats, Floats]:
        """The law itself against every level."""
        rhs = right_side(claim, cell)[:, 0]
        brackets = np.array([result.exceeding(r) for r in rhs])
        level = np.asarray(claim.deltas)
        within = level * (1 + result.error)
        return _certain(brackets[:, 1] <= within, brackets[:, 0] > within)

    def resolution(
        self, claim: Claim, cell: Cell, summary: Floats, threshold: float
    ) -> Floats:
        """In the rate of violations."""
        draws = self.draws(summary)
        return np.array([evidence.rate_resolution(draws, d, threshold) for d in claim.deltas])


def _moments(lhs: NDArray[Any]) -> Floats:
    return np.array([lhs.size, lhs.sum(), np.square(lhs).sum()])


def _deviation(summary: Floats) -> float:
    n, total, squares = summary[:3]
    return float(np.sqrt(max(squares / n - (total / n) ** 2, 0.0)))


def _mean_resolution(summary: Floats, threshold: float) -> float:
    return evidence.mean_resolution(_deviation(summary), int(summary[0]), threshold)


def _wealths(summaries: Sequence[Floats], tests: int) -> list[Floats]:
    """Log wealth of each test whose bets follow the moments, each of shape (cells, 1)."""
    bets = np.array(summaries)[:, 3:].reshape(-1, tests, len(evidence.BETS))
    return np.split(evidence.log_e_bets(bets), tests, axis=1)


def _bets(claim: Claim, cell: Cell, lhs: NDArray[Any], mean: float, side: evidence.Side) -> Floats:
    """Sums of log increments, or zeros where nothing is known that would make a test valid."""
    if claim.variance is not None:
        variance = float(claim.value("variance", cell))
        if not 0 < variance < np.inf:
            raise ValueError(f"{claim.id}: variance must be a finite number > 0, got {variance:g}")
        return evidence.catoni_bets(lhs, mean, variance, side)
    low, high = claim.value("low", cell), claim.value("high", cell)
    if not np.isfinite(low if side == "above" else high):
        return np.zeros_like(evidence.BETS)
    return evidence.bounded_bets(lhs, mean, low=low, high=high, side=side)


class Mean(Rule):
    """E[L] <= R. Summary: three moments, then the bets from above and from below."""

    def summarise(self, claim: Claim, cell: Cell, drawn: Drawn) -> Floats:
        """Moments and bets."""
        lhs, rhs = drawn["lhs"], float(right_side(claim, cell)[0, 0])
        sides: tuple[evidence.Side, ...] = ("above", "below")
        return np.concatenate(
            [_moments(lhs), *(_bets(claim, cell, lhs, rhs, side) for side in sides)]
        )

    def weigh(
        self, claim: Claim, cells: Sequence[Cell], summaries: Sequence[Floats]
    ) -> tuple[Floats, Floats]:
        """The wealth of both sides."""
        above, below = _wealths(summaries, 2)
        return above, below

    def weigh_exact(self, claim: Claim, cell: Cell, result: Law) -> tuple[Floats, Floats]:
        """The mean of the law against the bound."""
        rhs = right_side(claim, cell)[0]
        slack = result.error * np.maximum(1.0, np.abs(rhs))
        mean = result.mean()
        return _certain(mean <= rhs + slack, mean > rhs + slack)

    def resolution(
        self, claim: Claim, cell: Cell, summary: Floats, threshold: float
    ) -> Floats:
        """By the spread of the draws."""
        return np.array([_mean_resolution(summary, threshold)])


class Equal(Rule):
    """E[theta] = value within a margin, by four one-sided e-processes."""

    def summarise(self, claim: Claim, cell: Cell, drawn: Drawn) -> Floats:
        """Moments and bets."""
        lhs = drawn["lhs"]
        value = float(right_side(claim, cell)[0, 0])
        margin = float(claim.value("margin", cell) or 0.0)
        return np.concatenate(
            [
                _moments(lhs),
                _bets(claim, cell, lhs, value, "above"),
                _bets(claim, cell, lhs, value, "below"),
                _bets(claim, cell, lhs, value - margin, "above"),
                _bets(claim, cell, lhs, value + margin, "below"),
            ]
        )

    def weigh(
        self, claim: Claim, cells: Sequence[Cell], summaries: Sequence[Floats]
    ) -> tuple[Floats, Floats]:
        """Two-sided against, both ends of the margin in support."""
        above, below, clears_low, clears_high = _wealths(summaries, 4)
        # Two-sided: the average of both wealths. Equivalence: both one-sided tests must reject.
        against = np.logaddexp(above, below) - np.log(2)
        declared = np.array([bool(claim.value("margin", cell)) for cell in cells])
        return against, np.where(declared[:, None], np.minimum(clears_low, clears_high), 0.0)

    def weigh_exact(self, claim: Claim, cell: Cell, result: Law) -> tuple[Floats, Floats]:
        """The mean of the law against the value."""
        value = right_side(claim, cell)[0]
        gap = np.abs(result.mean() - value)
        slack = result.error * np.maximum(1.0, np.abs(value))
        return _certain(gap <= slack, gap > slack)

    def resolution(
        self, claim: Claim, cell: Cell, summary: Floats, threshold: float
    ) -> Floats:
        """By the spread of the draws."""
        return np.array([_mean_resolution(summary, threshold)])


class SameLaw(Rule):
    """Two laws agree within a Kolmogorov distance. Summary: (2, replicates) raw draws."""

    def summarise(self, claim: Claim, cell: Cell, drawn: Drawn) -> Floats:
        """The draws of both laws."""
        return np.stack([drawn["lhs"], drawn["other"]]).astype(float)

    def merge(self, left: Floats, right: Floats) -> Floats:
        """All draws."""
        return np.concatenate([left, right], axis=1)

    def draws(self, summary: Floats) -> int:
        """Draws of either law."""
        return int(summary.shape[1])

    def weigh_cell(self, claim: Claim, cell: Cell, summary: Floats) -> tuple[float, float]:
        """By their Kolmogorov distance."""
        from scipy.stats import ks_2samp

        n = summary.shape[1]
        distance = float(ks_2samp(summary[0], summary[1], method="asymp").statistic)
        margin = float(claim.value("margin", cell) or 0.0)
        # Dvoretzky-Kiefer-Wolfowitz-Massart for both samples; a look at every doubling costs
        # 1/(k(k+1)) of the level, which makes the sequence of looks valid.
        look = 1 + np.log2(max(1.0, n / claim.rows))
        price = np.log(4 * look * (look + 1))
        against = n * max(0.0, distance - margin) ** 2 / 2 - price
        support = n * max(0.0, margin - distance) ** 2 / 2 - price
        return max(0.0, against), max(0.0, support)

    def resolution(
        self, claim: Claim, cell: Cell, summary: Floats, threshold: float
    ) -> Floats:
        """In that distance."""
        n = summary.shape[1]
        return np.array([2 * np.sqrt(2 * (threshold + np.log(8)) / n)])


class Always(Rule):
    """L <= R for every instance. Summary: tries, suspects, largest gap, largest ratio.

    A suspect is a row that breaks the claim by more than its certified rounding; the engine turns
    it into a counterexample (exact arithmetic) or clears it.
    """

    def excess(self, claim: Claim, cell: Cell, drawn: Drawn) -> Floats:
        """By how much each row breaks the claim beyond rounding; -inf where it does not apply."""
        lhs, rhs = np.asarray(drawn["lhs"], float), right_side(claim, cell, drawn)[0]
        gap = self.gap(lhs, rhs) - claim.rounding * np.maximum(1.0, np.maximum(abs(lhs), abs(rhs)))
        applies = np.asarray(drawn.get("applies", np.ones(lhs.shape, bool)), bool)
        return np.where(applies, gap, -np.inf)

    def gap(self, lhs: Floats, rhs: Floats) -> Floats:
        """Distance by which a row is on the wrong side."""
        return lhs - rhs

    def summarise(self, claim: Claim, cell: Cell, drawn: Drawn) -> Floats:
        """Counts, and the worst rows."""
        excess = self.excess(claim, cell, drawn)
        tried = excess > -np.inf
        lhs, rhs = np.asarray(drawn["lhs"], float), right_side(claim, cell, drawn)[0]
        gap = np.where(tried, self.gap(lhs, rhs), -np.inf)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(tried & (rhs > 0), lhs / rhs, -np.inf)
        return np.array(
            [
                np.count_nonzero(tried),
                np.count_nonzero(excess > 0),
                np.max(gap, initial=-np.inf),
                np.max(ratio, initial=-np.inf),
            ]
        )

    def merge(self, left: Floats, right: Floats) -> Floats:
        """Counts add up, the worst stays."""
        return np.concatenate([left[:2] + right[:2], np.maximum(left[2:], right[2:])])

    def weigh_cell(self, claim: Claim, cell: Cell, summary: Floats) -> tuple[float, float]:
        """Nothing against; support if no suspect is left."""
        # Breaks count only once certified, which the engine does; support only at the end.
        tries, suspects = summary[:2]
        return 0.0, CERTAIN if tries > 0 and suspects == 0 else 0.0

    def weigh_exact(
        self, claim: Claim, cell: Cell, result: Mapping[str, Any]
    ) -> tuple[Floats, Floats]:
        """The same of every instance there is."""
        against, support = self.weigh_cell(claim, cell, self.summarise(claim, cell, result))
        return np.array([against]), np.array([support])

    def resolution(
        self, claim: Claim, cell: Cell, summary: Floats, threshold: float
    ) -> Floats:
        """In the share of instances that break it."""
        # A set of instances of this probability would have been hit with 99% power.
        tries = self.draws(summary)
        return np.array([1 - 0.01 ** (1 / tries) if tries else np.inf])


class Identity(Always):
    """Two quantities are equal for every instance."""

    def gap(self, lhs: Floats, rhs: Floats) -> Floats:
        """Distance of the two sides."""
        return np.abs(lhs - rhs)


class Exists(Rule):
    """Some instance has inf >= R: the exact optimum on the instance decides."""

    def weigh_exact(
        self, claim: Claim, cell: Cell, result: tuple[float, float]
    ) -> tuple[Floats, Floats]:
        """The optimum, with its error, against the bound."""
        optimum, error = result
        rhs = right_side(claim, cell)[0]
        # Equality up to rounding counts as reached; an error that is more than rounding does not.
        rounding = min(error, 1e-6 * max(1.0, float(np.max(np.abs(rhs)))))
        return _certain(optimum - error + 2 * rounding >= rhs, optimum + error < rhs)


class Rate(Rule):
    """Log-log slope of the mean <= exponent, robust interval (HC3); support only."""

    sequential = False
    together = True

    def summarise(self, claim: Claim, cell: Cell, drawn: Drawn) -> Floats:
        """Moments."""
        return _moments(drawn["lhs"])

    def weigh_together(
        self, claim: Claim, summaries: Sequence[Floats]
    ) -> tuple[Floats, Floats, dict[str, Any]]:
        """A slope for every line of cells along the axis."""
        import statsmodels.api as sm
        from scipy import stats

        assert claim.along is not None
        axis = claim.dims.index(claim.along)
        table = np.array([s[1] / s[0] for s in summaries]).reshape(claim.shape)
        lines = np.moveaxis(table, axis, -1)
        x = np.log(np.asarray(claim.grid[claim.along], float))
        against, support = np.zeros(claim.shape), np.zeros(claim.shape)
        slopes = np.full(claim.shape, np.nan)
        against_lines, support_lines, slope_lines = (
            np.moveaxis(a, axis, -1) for a in (against, support, slopes)
        )
        exponents = np.array(
            [right_side(claim, cell)[0, 0] for cell in claim.cells()]
        ).reshape(claim.shape)
        for where in np.ndindex(lines.shape[:-1]):
            if np.any(lines[where] <= 0):
                raise ValueError(f"{claim.id}: a rate needs positive means")
            fit = sm.OLS(np.log(lines[where]), sm.add_constant(x)).fit(cov_type="HC3")
            exponent = np.moveaxis(exponents, axis, -1)[where][0]
            t = (fit.params[1] - exponent) / max(fit.bse[1], 1e-12)
            against_lines[where] = -stats.t.logsf(t, len(x) - 2)
            support_lines[where] = -stats.t.logcdf(t, len(x) - 2)
            slope_lines[where] = fit.params[1]
        return against.reshape(-1, 1), support.reshape(-1, 1), {"slope": slopes}


class Published(Rule):
    """A printed number against ours, both errors counted, beyond and within the stated tolerance.

    With a declared range our error is bounded by Maurer and Pontil's empirical Bernstein
    inequality; without one it is normal, and draws that are all equal are no evidence.
    """

    sequential = False

    def summarise(self, claim: Claim, cell: Cell, drawn: Drawn) -> Floats:
        """Moments."""
        return _moments(drawn["lhs"])

    def weigh_cell(self, claim: Claim, cell: Cell, summary: Floats) -> tuple[float, float]:
        """The distance from print, beyond and within the tolerance."""
        from scipy import stats

        printed = float(right_side(claim, cell)[0, 0])
        error = float(claim.value("printed_error", cell))
        margin = float(claim.value("margin", cell))
        if claim.impossible is not None and claim.call(claim.impossible, cell):
            return CERTAIN, 0.0
        n = summary[0]
        deviation = _deviation(summary)
        distance = abs(summary[1] / n - printed)
        width = float(claim.value("high", cell)) - float(claim.value("low", cell))

        def log_evidence(excess: float) -> float:
            """Minus the log of the chance that both errors together reach the excess."""
            if excess <= 0:
                return 0.0
            if np.isfinite(width):
                # sqrt(2L)(sd/sqrt(n) + printed error) + 7 width L / (3(n-1)) = excess, for L.
                root = np.sqrt(2) * (deviation / np.sqrt(n) + error)
                slope = 7 * width / (3 * max(n - 1, 1))
                level = ((np.sqrt(root**2 + 4 * slope * excess) - root) / (2 * slope)) ** 2
                return float(max(0.0, level - np.log(4)))
            scale = float(np.hypot(deviation / np.sqrt(max(n - 1, 1)), error))
            if deviation == 0:
                return 0.0
            return float(max(0.0, -stats.norm.logsf(excess / scale) - np.log(2)))

        return log_evidence(distance - margin), log_evidence(margin - distance)

    def resolution(
        self, claim: Claim, cell: Cell, summary: Floats, threshold: float
    ) -> Floats:
        """With the tolerance and the error of print."""
        # The printed number's own error is there whatever the number of draws.
        return np.array(
            [
                claim.value("margin", cell)
                + _mean_resolution(summary, threshold)
                + evidence.mean_resolution(claim.value("printed_error", cell), 1, threshold)
            ]
        )


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
