"""One claim under way: which blocks it wants next, what they say so far."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.trial.certificates import Rank, Searched, searched
from noisytheory.trial.claim import Cell, Claim
from noisytheory.trial.draws import Arrays, ClaimError
from noisytheory.trial.evidence import bounded_bets, log_e_bets, log_e_rate
from noisytheory.trial.independence import (
    FALSE_ALARM,
    Comparison,
    Repeats,
    probe,
    sizes_to_compare,
)
from noisytheory.trial.passes import AT_ONCE
from noisytheory.trial.store import ClaimBlocks, Store
from noisytheory.trial.tasks import Item
from noisytheory.trial.verdict import (
    RULES,
    Always,
    Rule,
    SameLaw,
    Tail,
    Thresholds,
    conditioned,
    right_side,
)

__all__ = ["COMPARED", "KEPT", "CellState", "Trial"]

COMPARED = -2
"""In place of a block's index: the rows of the cell are to be compared."""

_ODD = 0.3
"""Level, shared by the cells, at which blocks look odd, so that more of them are drawn."""

_FEW = 4
"""Blocks that decided a cell, up to which those drawn besides must bear them out."""

KEPT = 16
"""Blocks that decided and that are looked at once more, at most."""


@dataclass
class CellState:
    """What is known of one cell so far, and what has been asked for."""

    index: int
    cell: Cell
    summary: NDArray[np.float64] | None = None
    exact: Any = None
    is_exact: bool = False
    blocks: int = 0
    merged: int = 0  # blocks that are in the summary, some of them of a round that goes on
    waiting: dict[int, NDArray[np.float64]] = field(default_factory=dict)  # for those before them
    wanted: int = 0
    done: bool = False


class Trial:
    """One claim under way: which blocks it wants next, what they say so far.

    Attributes
    ----------
    against, support : ndarray, shape (cells, levels)
        Log evidence, stopped where it crossed its threshold.
    highest_against, highest_support : ndarray, shape (cells, levels)
        The largest over the looks, which is no e-value.
    vacuous : ndarray, shape (cells, levels)
        Where the bound is, in every draw, no better than what is true anyway.
    asked, max_blocks : int
        Blocks of a cell that the budget allows, and that the rule can weigh of them.
    compared : tuple of int
        Blocks from generators of their own that showed no dependence: in the cell that decides,
        and in the cell with fewest.
    borne_out : bool
        Whether they say as well what few blocks decided.
    relies : bool
        Whether its rows are known to be independent: then only a refutation asks whether they are.
    """

    def __init__(
        self, claim: Claim, *, seed: int, max_blocks: int, store: Store,
        first: Sequence[Arrays] = (), relies: bool = False,
    ) -> None:
        self.claim, self.judged, self.seed, self.relies = claim, claim, seed, relies
        self.thresholds = Thresholds(np.inf, np.inf, np.inf)
        self.asked = self.max_blocks = max_blocks
        self.rule: Rule = RULES[claim.kind]
        self.cells = [CellState(i, cell) for i, cell in enumerate(claim.cells())]
        self.counterexample: dict[str, Any] | None = None
        self.rank: Rank | None = None
        self.repeats = Repeats(claim)
        self.compared, self.borne_out = (0, 0), True
        self.seconds_per_block = 0.0
        self.exact_left, self.started = 0, False
        self.against = np.zeros((len(self.cells), self.rule.levels(claim)))
        self.support = self.against.copy()
        self.highest_against, self.highest_support = self.against.copy(), self.against.copy()
        self.vacuous = np.zeros(self.against.shape, bool)
        # A cited claim has nothing to draw; its dataset is stored all the same.
        self.open = 0 if claim.kind == "cited" else len(self.cells)
        self.variables: dict[str, np.dtype[Any]] = {}
        self.looks: Sequence[Arrays] = ()
        self.comparisons: dict[int, tuple[list[int], float]] = {}
        self.answers: dict[int, tuple[list[Arrays], str, bool]] = {}
        if claim.simulate is not None:
            looks = first or probe(claim, self.cells[0].cell, seed, brief=relies)
            found = looks[0]
            self.variables = {name: array.dtype for name, array in found.items()}
            self._check_keys(set(found))
            for block in looks:
                self._check_block(self.cells[0], block)
            self.looks = () if relies else looks
            if "rhs_draw" in found and claim.kind != "rate":
                # Of a drawn right side the bound, if there is one, says nothing.
                self.judged = dataclasses.replace(claim, bound=None)
            if claim.kind == "equal" and "other" in found:
                self.rule = SameLaw()
                # It weighs all draws at once.
                self.max_blocks = min(max_blocks, max(1, AT_ONCE // claim.rows))
        self.drawn_bound = self.judged.bound is None or bool(claim.drawn_names())
        self.fingerprint = claim.fingerprint()
        self.blocks: ClaimBlocks = store.claim(
            claim.id, self.fingerprint, self.variables, cells=len(self.cells), rows=claim.rows
        )

    def _check_keys(self, found: set[str]) -> None:
        """Refuse what the claim could only ignore."""
        claim = self.claim
        if "weight" in found and claim.weight_high is None:
            raise ClaimError(
                f"{claim.id}: simulate draws 'weight', so weight_high, the largest there is, must "
                "be declared: without it no draws show that their mean is 1"
            )
        if "other" in found and claim.bound is not None:
            raise ClaimError(
                f"{claim.id}: simulate draws 'other', a second law, and a bound gives a value: an "
                "equality is with one of them"
            )
        if claim.drawn_names() and claim.kind in ("mean", "equal", "published", "rate"):
            raise ClaimError(
                f"{claim.id}: the bound asks for {', '.join(sorted(claim.drawn_names()))}, "
                f"which is drawn: a claim of kind {claim.kind} has one right side a cell; let "
                "simulate return 'rhs', and the promise is one about the mean of the difference"
            )

    def exact_items(self) -> list[tuple[int, int]]:
        """Items of exact evidence, where the claim may have it: these come first."""
        if self.claim.exact is None or not self.open:
            return []
        for state in self.cells:
            state.wanted = -1
        self.exact_left = len(self.cells)
        return [(state.index, -1) for state in self.cells]

    @property
    def idle(self) -> bool:
        """All exact evidence is in, and no draws have been asked for."""
        return not self.started and self.exact_left == 0

    @property
    def charged(self) -> bool:
        """Whether draws decide it, once all exact evidence is in."""
        claim = self.claim
        # Where exact evidence was promised and is missing, draws need what they always need.
        decides = claim.can_err and not (claim.undeclared("low") and claim.undeclared("high"))
        return decides and any(self._drawn(state) for state in self.cells)

    def _drawn(self, state: CellState) -> bool:
        impossible = self.claim.impossible
        known = impossible is not None and self.claim.call(impossible, state.cell)
        return not state.is_exact and not known

    def start(self, alpha: float, claims: int) -> list[tuple[int, int]]:
        """First round of the cells without exact evidence; ``claims`` can err in this audit."""
        self.started = True
        entries = sum(self._drawn(state) for state in self.cells) * self.rule.levels(self.claim)
        self.thresholds = Thresholds.of(alpha, claims, entries, pooled=self.rule.pooled)
        return [
            item for state in self.cells if self.open and not state.done
            for item in self._round(state)
        ]

    def _round(self, state: CellState) -> list[tuple[int, int]]:
        """The next round of a cell: block counts double, 1, 2, 4, ... up to the budget.

        Where a row costs what a call does, the third block is looked at before the fourth is drawn.
        """
        some = state.blocks + 1 if self.claim.apart and state.blocks < _FEW else 2 * state.blocks
        target = min(self.max_blocks, max(1, some))
        if not self.rule.sequential:
            target = self.max_blocks
        state.wanted = target
        return [(state.index, block) for block in range(state.blocks, target)]

    def receive(
        self, items: Sequence[tuple[int, int]], results: Sequence[Any]
    ) -> list[tuple[int, int]]:
        """Take exact evidence, finished blocks or comparisons; returns what to compute next."""
        following: list[tuple[int, int]] = []
        complete = []
        for (index, block), result in zip(items, results, strict=True):
            if block == COMPARED:
                self._receive_compared(index, result)
            elif block < 0:
                self._receive_exact(index, result)
            elif self._receive_block(self.cells[index], block, result):
                complete.append(self.cells[index])
        settled = [True] * len(complete) if self.rule.together else self._weigh(complete)
        for state, is_settled in zip(complete, settled, strict=True):
            if is_settled or state.blocks >= self.max_blocks:
                self._close(state)
            else:
                following += self._round(state)
        return following

    def _receive_exact(self, index: int, result: Any) -> None:
        """Take a cell's exact evidence, or that there is none."""
        state = self.cells[index]
        self.exact_left -= 1
        if result is None:
            if self.claim.simulate is None:
                raise ClaimError(
                    f"{self.claim.id}: no exact evidence at {self.claim.address(state.cell)} "
                    "and no simulator"
                )
            return
        state.exact, state.is_exact = result, True
        if isinstance(self.rule, Always):
            state.exact, state.summary = result.arrays, self._searched(index, result)
            _, self.support[index] = self.rule.weigh_cell(self.claim, state.cell, state.summary)
            tries, suspects, forced = state.summary[:3]
            self.vacuous[index] = tries > 0 and forced == tries and not suspects
        else:
            self.against[index], self.support[index] = self.rule.weigh_exact(
                self.claim, state.cell, result
            )
            self.vacuous[index] = self._vacuous(state.cell)
        self._close(state)

    def _receive_block(self, state: CellState, block: int, found: Arrays | Searched) -> bool:
        """Take a block; returns whether its cell's round is complete."""
        if isinstance(self.rule, Always):
            if not isinstance(found, Searched):  # It was in the store.
                found = searched(self.claim, self.seed, state.index, block, found, whole=False)
            summary = self._searched(state.index, found)
        else:
            assert not isinstance(found, Searched)
            summary = self.rule.summarise(self.claim, state.cell, conditioned(found))
            self._check_block(state, found)
        state.waiting[block] = summary
        while state.merged in state.waiting:
            piece = state.waiting.pop(state.merged)
            state.summary = (
                piece if state.summary is None else self.rule.merge(state.summary, piece)
            )
            state.merged += 1
        if state.merged < state.wanted:
            return False
        state.blocks = state.wanted
        return True

    def _check_block(self, state: CellState, arrays: Arrays) -> None:
        """Refuse blocks that are copies of each other."""
        if not self.claim.can_err:
            return
        self.repeats.see(state.cell, arrays)

    def _weigh(self, states: Sequence[CellState]) -> Sequence[bool]:
        """Look at these cells, all at once; returns which of them are settled."""
        if not states:
            return []
        at = [state.index for state in states]
        summaries = [state.summary for state in states if state.summary is not None]
        against, support = self.rule.weigh(self.claim, [s.cell for s in states], summaries)
        # Of two laws all draws are kept, and not of every cell as many.
        counts = np.array([] if isinstance(self.rule, SameLaw) else summaries)
        if isinstance(self.rule, Always):
            # What breaks the promise for certain has been written down already.
            self.support[at] = support
            forced = (counts[:, 2] == counts[:, 0]) & (counts[:, 0] > 0) & (counts[:, 1] == 0)
            self.vacuous[at] = forced[:, None]
            return [bool(done) for done in (self.against[at] == np.inf).all(axis=1)]
        self._take(at, "against", against, self.thresholds.entry)
        self._take(at, "support", support, self.thresholds.uphold)
        if self.claim.kind == "tail":
            # What breaks the promise is not true anyway.
            vacuous = (counts[..., 3] == counts[..., 0]) & (counts[..., 0] > 0)
            vacuous &= counts[..., 1] == 0
        else:
            vacuous = np.array([self._vacuous(state.cell, state.summary) for state in states])
        if self.drawn_bound:
            # It may say something in draws to come: too seldom to break the promise, if they show.
            vacuous &= self._seldom_otherwise(counts, self.support[at]) >= self.thresholds.uphold
        self.vacuous[at] = vacuous
        settled = self.vacuous[at] | (self.against[at] >= self.thresholds.entry)
        settled |= self.support[at] >= self.thresholds.uphold
        return [bool(np.all(done)) for done in settled]

    def _seldom_otherwise(
        self, counts: NDArray[Any], support: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Log evidence that cells, vacuous in every draw so far, break no promise in others."""
        if self.claim.kind != "tail" or counts.shape[-1] > 4:
            return support
        return log_e_rate(np.zeros(counts.shape[:-1]), counts[..., 0], self.claim.deltas, "below")

    def _take(self, at: list[int], name: str, found: NDArray[Any], threshold: float) -> None:
        """Evidence is stopped where it crosses; as a stopped process it stays an e-value."""
        kept, highest = getattr(self, name), getattr(self, f"highest_{name}")
        kept[at] = np.where(kept[at] >= threshold, kept[at], found)
        highest[at] = np.maximum(highest[at], found)

    def _searched(self, index: int, found: Searched) -> NDArray[np.float64]:
        """Write a counterexample down, if one was found; the summary."""
        if found.broke is not None:
            self.against[index] = np.inf
            rank, broke = found.broke
            if self.rank is None or rank < self.rank:
                self.counterexample, self.rank = broke, rank
        return found.summary

    def _vacuous(
        self, cell: Cell, summary: NDArray[np.float64] | None = None
    ) -> NDArray[np.bool_]:
        """Where a bound, or margin, says nothing, shape (levels,)."""
        levels = self.against.shape[1]
        if self.claim.kind in ("equal", "published"):
            return np.full(levels, self.rule.forced(self.judged, cell))
        trivial = self.claim.value("trivial", cell)
        if trivial is None and self.claim.kind == "mean":
            trivial = self.claim.value("high", cell)
            if self.judged.bound is None:
                # Of a drawn right side the range is that of the difference, promised to be <= 0.
                return np.full(levels, trivial is not None and float(trivial) <= 0)
        if trivial is None and self.claim.kind in ("mean", "tail"):
            trivial = np.inf
        if trivial is None:
            return np.zeros(levels, bool)
        if self.judged.bound is None:
            # Drawn right sides: vacuous only if every one of them is.
            least = np.inf if summary is None else summary[3]
            return np.full(levels, summary is not None and summary[0] > 0 and least >= trivial)
        rhs = right_side(self.claim, cell)[:, 0]
        says_nothing = rhs <= trivial if self.claim.kind == "exists" else rhs >= trivial
        return np.broadcast_to(says_nothing, (levels,))

    def settle(self) -> dict[str, Any]:
        """Weigh what needs all cells at once, all of them closed; what else the rule found."""
        if self.claim.kind == "cited" or not self.rule.together:
            return {}
        summaries = [s.summary for s in self.cells if s.summary is not None]
        self.against, self.support, extra = self.rule.weigh_together(
            self.claim, summaries, self.thresholds.entry
        )
        self.highest_against, self.highest_support = self.against, self.support
        return extra

    def own_evidence(self) -> float:
        """The claim's own log e-value against it, from all that was drawn.

        Of fixed-sample tests the calibrated value of the smallest p-value, shared over the entries.
        """
        drawn = [s for s in self.cells if s.summary is not None and not s.is_exact]
        if self.claim.kind == "cited" or isinstance(self.rule, Always) or not drawn:
            return float(np.max(self.against, initial=0.0))
        at = [state.index for state in drawn]
        entries = self.against[at]
        if np.any(self.against == np.inf):
            return float(np.inf)
        if not self.rule.pooled:
            # The e-value p^(-1/2) / 2 of p, the smallest p-value times their number.
            log_p = np.log(entries.size) - entries.max()
            return float(min(0.0, -np.log(2)) - min(0.0, log_p) / 2)
        summaries = [state.summary for state in drawn if state.summary is not None]
        average = float(np.logaddexp.reduce(entries, axis=None) - np.log(entries.size))
        return float(np.logaddexp(average, self.rule.pool(self.claim, summaries)) - np.log(2))

    def to_compare(self, *, refuted: bool) -> list[tuple[int, int]]:
        """Items that refuse draws which depend on each other, before they decide.

        Every cell is looked at, and long where it counts: in the cell that says most, of a
        refutation, or least, of what is upheld.
        """
        if self.relies and not refuted:
            return []
        drawn = [s for s in self.cells if s.summary is not None and not s.is_exact]
        if not self.claim.can_err:
            # The first was looked at before anything was drawn.
            self.comparisons = {state.index: ([], 0.0) for state in drawn if state.index > 0}
            return [(index, COMPARED) for index in self.comparisons]
        for state in drawn:
            assert state.summary is not None
            self._check_variance(state)
            if isinstance(self.rule, Tail) and self.rule.misweighted(state.summary) > np.log(
                len(self.cells) / FALSE_ALARM
            ):
                raise ClaimError(
                    f"{self.claim.id} at {self.claim.address(state.cell) or 'its cell'}: the mean "
                    "of its weights is not 1, so they are no ratios of likelihoods"
                )
        says = [
            self.against[s.index].max() if refuted else -self.support[s.index].min() for s in drawn
        ]
        order = [drawn[i] for i in np.argsort(says)[::-1]]
        sizes = [[]] * len(order) if self.claim.apart else sizes_to_compare(
            self.claim.rows, len(order), refuted=refuted,
            decided=min(order[0].blocks, KEPT) if order else 0,
        )
        self.comparisons = {
            state.index: (some, _ODD / len(order))
            for state, some in zip(order, sizes, strict=False)
        }
        return [(index, COMPARED) for index in self.comparisons]

    def task(self, items: Sequence[tuple[int, int]]) -> list[Item]:
        """These items with all that a worker needs for them."""
        return [
            self._comparison(index) if block == COMPARED else (index, block)
            for index, block in items
        ]

    def _comparison(self, index: int) -> Comparison:
        sizes, odd = self.comparisons[index]
        blocks = range(min(self.cells[index].blocks, KEPT) if self.claim.can_err else 0)
        return Comparison(
            index, self.looks if index == 0 else (),
            [self.blocks.get(index, block) for block in blocks], sizes, odd,
            self._least(self.cells[index], sum(sizes)) if index == next(iter(self.comparisons))
            else (),
        )

    def _least(self, state: CellState, rows: int) -> list[NDArray[np.float64]]:
        """What so many rows must say, by level, where few blocks decided: a third as much a row."""
        if self.rule.together or self.claim.apart or not self.claim.can_err:
            return []
        if not 0 < state.blocks <= _FEW:
            return []
        share, at = min(1.0, rows / (3 * self.claim.rows * state.blocks)), state.index
        limits = self.thresholds.entry, self.thresholds.uphold
        return [
            np.where((found >= limit) & ~self.vacuous[at], limit * share, -np.inf)
            for found, limit in zip((self.against[at], self.support[at]), limits, strict=True)
        ]

    def _receive_compared(self, index: int, found: tuple[list[Arrays], str, bool]) -> None:
        """Take a comparison; once all are in, what they say, in the order of the cells asked."""
        self.answers[index] = found
        if len(self.answers) < len(self.comparisons):
            return
        for at in self.comparisons:
            drawn, refusal, _ = self.answers[at]
            for block in drawn:
                self._check_block(self.cells[at], block)
            if refusal:
                raise ClaimError(refusal)
        if self.claim.can_err and not self.claim.apart:
            generators = [
                len(self.answers[at][0]) + min(self.cells[at].blocks, KEPT)
                + (len(self.looks) if at == 0 else 0) for at in self.comparisons
            ]
            self.compared = generators[0], min(generators)
        self.borne_out = all(borne_out for *_, borne_out in self.answers.values())
        self.answers.clear()
        self.comparisons.clear()

    def _check_variance(self, state: CellState) -> None:
        """Refuse draws that spread beyond the declared variance, by half the squares of pairs."""
        claim = self.claim
        if claim.variance is None:
            return
        drawn = conditioned(self.blocks.get(state.index, 0))
        values = np.asarray(drawn["lhs"], float) - np.asarray(drawn.get("rhs_draw", 0.0), float)
        pairs = values[: values.size // 2 * 2].reshape(-1, 2)
        most = float(claim.value("variance", state.cell))
        bets = bounded_bets((pairs[:, 0] - pairs[:, 1]) ** 2 / 2, most, low=0.0, side="above")
        if log_e_bets(bets) > np.log(len(self.cells) / FALSE_ALARM):
            raise ClaimError(
                f"{claim.id}: variance is {most:g} at {claim.address(state.cell) or 'its cell'}, "
                f"but its draws have {values.var():.3g}: the declared variance is too small"
            )

    def _close(self, state: CellState) -> None:
        state.done = True
        self.open -= 1

    @property
    def replicates(self) -> int:
        """Replicates so far."""
        return sum(
            self.rule.draws(s.summary)
            for s in self.cells
            if s.summary is not None and not s.is_exact
        )
