"""One claim under way: which blocks it wants next, what they say so far."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.trial.claim import Cell, Certificate, Claim
from noisytheory.trial.draws import Arrays, ClaimError, draw, kept, renamed
from noisytheory.trial.store import ClaimBlocks, Store
from noisytheory.trial.verdict import RULES, Always, Rule, SameLaw, Thresholds, right_side

__all__ = ["CellState", "Trial", "certified", "side_text"]

_RECHECKS = 32
"""Suspect rows of a block that are re-checked in exact arithmetic, worst first."""


@dataclass
class CellState:
    """What is known of one cell so far, and what has been asked for."""

    index: int
    cell: Cell
    summary: NDArray[np.float64] | None = None
    exact: Any = None
    is_exact: bool = False
    blocks: int = 0
    round: dict[int, NDArray[np.float64]] = field(default_factory=dict)
    wanted: int = 0
    done: bool = False


class Trial:
    """One claim under way: which blocks it wants next, what they say so far.

    Attributes
    ----------
    against, support, vacuous : ndarray, shape (cells, levels)
        Log evidence so far, and where the bound is no better than what is true anyway.
    """

    def __init__(
        self, claim: Claim, *, seed: int, thresholds: Thresholds, max_blocks: int, store: Store
    ) -> None:
        self.claim, self.seed, self.thresholds = claim, seed, thresholds
        self.max_blocks = max_blocks
        self.rule: Rule = RULES[claim.kind]
        self.cells = [CellState(i, cell) for i, cell in enumerate(claim.cells())]
        self.counterexample: dict[str, Any] | None = None
        self.rank: tuple[bool, float, int, int, int] | None = None
        self.seconds_per_block = 0.0
        self.against = np.full((len(self.cells), self.rule.levels(claim)), -np.inf)
        self.support = self.against.copy()
        self.vacuous = np.zeros(self.against.shape, bool)
        # A cited claim has nothing to draw; its dataset is stored all the same.
        self.open = 0 if claim.kind == "cited" else len(self.cells)
        self.variables: dict[str, np.dtype[Any]] = {}
        if claim.simulate is not None:
            probe = kept(claim, _probe(claim, self.cells[0].cell, seed))
            self.variables = {name: array.dtype for name, array in probe.items()}
            if claim.kind == "equal" and "other" in probe:
                self.rule = SameLaw()
        self.fingerprint = claim.fingerprint()
        self.blocks: ClaimBlocks = store.claim(
            claim.id, self.fingerprint, self.variables, cells=len(self.cells), rows=claim.rows
        )

    def start(self) -> list[tuple[int, int]]:
        """First items: exact evidence where the claim may have it, else the first round."""
        items: list[tuple[int, int]] = []
        for state in self.cells if self.open else []:
            if self.claim.exact is not None:
                state.wanted = -1
                items.append((state.index, -1))
            else:
                items += self._round(state)
        return items

    def _round(self, state: CellState) -> list[tuple[int, int]]:
        """The next round of a cell: block counts double, 1, 2, 4, ... up to the budget."""
        target = min(self.max_blocks, max(1, 2 * state.blocks))
        if not self.rule.sequential:
            target = self.max_blocks
        state.wanted, state.round = target, {}
        return [(state.index, block) for block in range(state.blocks, target)]

    def receive(
        self, items: Sequence[tuple[int, int]], results: Sequence[Any]
    ) -> list[tuple[int, int]]:
        """Take exact evidence or finished blocks; returns what to compute next."""
        following: list[tuple[int, int]] = []
        complete = []
        for (index, block), result in zip(items, results, strict=True):
            if block < 0:
                following += self._receive_exact(index, result)
            elif self._receive_block(self.cells[index], block, result):
                complete.append(self.cells[index])
        settled = [True] * len(complete) if self.rule.together else self._weigh(complete)
        for state, is_settled in zip(complete, settled, strict=True):
            if is_settled or state.blocks >= self.max_blocks:
                self._close(state)
            else:
                following += self._round(state)
        return following

    def _receive_exact(self, index: int, result: Any) -> list[tuple[int, int]]:
        """Take a cell's exact evidence; where there is none, returns what to draw."""
        state = self.cells[index]
        if result is None:
            if self.claim.simulate is None:
                raise ClaimError(
                    f"{self.claim.id}: no exact evidence at {self.claim.address(state.cell)} "
                    "and no simulator"
                )
            return self._round(state)
        if isinstance(self.rule, Always):
            result = renamed(result)
        state.exact, state.is_exact = result, True
        self.against[index], self.support[index] = self.rule.weigh_exact(
            self.claim, state.cell, result
        )
        if isinstance(self.rule, Always):
            state.summary = self.rule.summarise(self.claim, state.cell, result)
            state.summary[1] -= self._recheck(state, -1, result)
            _, self.support[index] = self.rule.weigh_cell(self.claim, state.cell, state.summary)
        self.vacuous[index] = self._vacuous(state.cell)
        self._close(state)
        return []

    def _receive_block(self, state: CellState, block: int, arrays: Arrays) -> bool:
        """Take a block; returns whether its cell's round is complete."""
        summary = self.rule.summarise(self.claim, state.cell, arrays)
        if isinstance(self.rule, Always) and summary[1] > 0:
            drawn = draw(self.claim, state.cell, block, seed=self.seed)
            summary[1] -= self._recheck(state, block, drawn)
        state.round[block] = summary
        if state.blocks + len(state.round) < state.wanted:
            return False
        for key in sorted(state.round):
            piece = state.round[key]
            state.summary = (
                piece if state.summary is None else self.rule.merge(state.summary, piece)
            )
        state.blocks = state.wanted
        return True

    def _weigh(self, states: Sequence[CellState]) -> Sequence[bool]:
        """Look at these cells, all at once; returns which of them are settled."""
        if not states:
            return []
        at = [state.index for state in states]
        summaries = [state.summary for state in states if state.summary is not None]
        against, support = self.rule.weigh(self.claim, [s.cell for s in states], summaries)
        # Crossing once is enough: the largest value over the looks is what counts.
        self.against[at] = np.maximum(self.against[at], against)
        if not isinstance(self.rule, Always):
            support = np.maximum(self.support[at], support)
        self.support[at] = support
        if self.claim.kind == "tail":
            counts = np.array(summaries)
            self.vacuous[at] = counts[..., 2] >= 0.5 * counts[..., 0]
        else:
            self.vacuous[at] = [self._vacuous(state.cell) for state in states]
        if isinstance(self.rule, Always):
            settled = np.isinf(self.against[at])
        else:
            settled = self.vacuous[at] | (self.against[at] >= self.thresholds.refute)
            settled |= support >= self.thresholds.uphold
        return [bool(done) for done in settled.all(axis=1)]

    def _recheck(self, state: CellState, block: int, drawn: Arrays) -> int:
        """Certify or clear the worst suspects of a block; returns how many were cleared."""
        assert isinstance(self.rule, Always)
        claim, cleared = self.claim, 0
        excess = self.rule.excess(claim, state.cell, drawn)
        suspects = np.flatnonzero(excess > 0)
        if claim.certify is None or suspects.size == 0:
            return 0
        order = suspects[np.argsort(-excess[suspects], kind="stable")][:_RECHECKS]
        for row in order:
            certificate = certified(claim, state.cell, drawn, int(row))
            broken = (
                certificate.differs() if claim.kind == "identity" else certificate.exceeds()
            )
            if not broken:
                cleared += 1
                continue
            self.against[state.index] = np.inf
            found = _counterexample(
                claim, state.cell, self.seed, block, int(row), certificate, float(excess[row])
            )
            # One that was written down before one that was found, then the worst; ties go to the
            # first address, so that no order of arrival shows in the result.
            rank = (block >= 0, -found["excess"], state.index, block, int(row))
            if self.rank is None or rank < self.rank:
                self.counterexample, self.rank = found, rank
            break
        return cleared

    def _vacuous(self, cell: Cell) -> NDArray[np.bool_]:
        """Where a bound that depends on no draws says nothing, shape (levels,)."""
        levels = self.against.shape[1]
        trivial = self.claim.value("trivial", cell)
        if trivial is None and self.claim.kind not in ("tail", "mean"):
            return np.zeros(levels, bool)
        trivial = np.inf if trivial is None else trivial
        return np.broadcast_to(right_side(self.claim, cell)[:, 0] >= trivial, (levels,))

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


def _probe(claim: Claim, cell: Cell, seed: int) -> Arrays:
    """One row, to see what there is to store; an error is told of the whole block."""
    before = _global_randomness()
    try:
        found = draw(claim, cell, 0, seed=seed, rows=1)
    except ClaimError:
        found = draw(claim, cell, 0, seed=seed)
    if _global_randomness() != before:
        raise ClaimError(
            f"{claim.id}: simulate draws from a global random generator, so no seed gives the same "
            "numbers twice: draw from its argument rng"
        )
    return found


def _global_randomness() -> tuple[object, ...]:
    """The state of the generators that no simulator may use."""
    state: Any = np.random.get_state(legacy=False)  # noqa: NPY002
    return random.getstate(), state["state"]["pos"], state["state"]["key"].tobytes()


def certified(claim: Claim, cell: Cell, drawn: Arrays, row: int) -> Certificate:
    """One row in exact arithmetic."""
    assert claim.certify is not None
    instance = {name: array[row] for name, array in drawn.items()}
    try:
        certificate = claim.call(claim.certify, cell, instance)
    except Exception as error:
        raise ClaimError(
            f"{claim.id} at {claim.address(cell)}: certify raised {type(error).__name__}: {error}"
        ) from error
    if not isinstance(certificate, Certificate):
        raise ClaimError(
            f"{claim.id} at {claim.address(cell)}: certify must return a Certificate, "
            f"got {certificate!r}"
        )
    return certificate


def side_text(side: Any) -> str:
    """A certificate's side in words."""
    return f"in [{side[0]}, {side[1]}]" if isinstance(side, tuple) else str(side)


def _counterexample(
    claim: Claim, cell: Cell, seed: int, block: int, row: int, certificate: Certificate,
    excess: float,
) -> dict[str, Any]:
    return {
        "seed": seed,
        "claim": claim.id,
        "cell": claim.address(cell),
        "block": block,
        "row": row,
        "excess": excess,
        "lhs": side_text(certificate.lhs),
        "rhs": side_text(certificate.rhs),
        "steps": [[name, str(value)] for name, value in certificate.steps],
    }
