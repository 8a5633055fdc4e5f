"""Cells x blocks -> executor -> verdict: the audit.

A block's numbers depend on (root seed, claim, cell, block index) and on nothing else, blocks of a
cell are merged in the order of their indices, and looks happen at fixed block counts. Whatever the
engine, the number of workers, or how often a run was killed and resumed, the result is the same.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from noisytheory import __version__, evidence
from noisytheory.catalogue import match
from noisytheory.claim import Cell, Certificate, Claim, Law
from noisytheory.store import ClaimBlocks, Store
from noisytheory.verdict import RULES, Always, Rule, SameLaw, Thresholds, right_side

if TYPE_CHECKING:
    import xarray as xr

__all__ = [
    "BUDGETS",
    "DEFAULT_SEED",
    "Audit",
    "ClaimError",
    "Result",
    "Serial",
    "audit",
    "block_generator",
    "draw",
]

Arrays = dict[str, NDArray[Any]]
Progress = Callable[[str, int, int, int], None]

BUDGETS = {"smoke": 4, "standard": 16, "full": 256}
"""Largest number of blocks a cell."""

DEFAULT_SEED = 2026
"""Root seed of an audit that names none, so that everybody reads the same verdicts."""

DECISIONS = ("undecided", "upheld", "refuted", "vacuous")
"""What a cell can say; stored as the index (CF flag values)."""

QUANTILES = np.unique(np.r_[0.0, np.linspace(0.005, 0.995, 100), 0.999, 1.0])
"""Probabilities at which the left side's distribution is kept in the result."""

CONFIDENCE = 0.99
"""Coverage of the intervals that are shown (verdicts do not use them)."""

_RECHECKS = 32
"""Suspect rows of a block that are re-checked in exact arithmetic, worst first."""


class ClaimError(ValueError):
    """A claim that cannot be tried: its functions raised, or returned what they may not."""


@cache
def _blas() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def block_generator(seed: int, claim_id: str, address: str, block: int) -> np.random.Generator:
    """The generator of one block: root seed, claim, cell and block index, nothing else.

    Parameters
    ----------
    seed : int
        Root seed.
    claim_id, address : str
        The claim's id and the cell as text.
    block : int
        Block index within the cell.

    Returns
    -------
    numpy.random.Generator

    Examples
    --------
    >>> block_generator(1, "mine/theorem-2", "n=10", 0).integers(100, size=3).tolist()
    [59, 35, 68]
    """
    text = hashlib.blake2b(f"{claim_id}\n{address}".encode(), digest_size=16).digest()
    words: list[int] = [int(word) for word in np.frombuffer(text, dtype="<u4")]
    return np.random.default_rng(np.random.SeedSequence([seed, *words], spawn_key=(block,)))



def draw(
    claim: Claim, cell: Cell, block: int, *, seed: int, rows: int | None = None
) -> Arrays:
    """One block of replicates of a claim at one cell, everything that the simulator returns.

    Parameters
    ----------
    claim : Claim
        With a simulator.
    cell : mapping
        Parameters, as `Claim.cell` gives them.
    block : int
        Block index; with the seed, the claim and the cell it is the block's address.
    seed : int
        Root seed.
    rows : int, optional
        Another number of rows than the claim's: a look at the shapes, not a part of any block.

    Returns
    -------
    dict of str to ndarray
        ``lhs`` and whatever else was drawn, replicates first.

    Raises
    ------
    ClaimError
        If the simulator raises, or returns a wrong shape or a NaN; the message gives the address.
    """
    assert claim.simulate is not None
    rows = claim.rows if rows is None else rows
    address = claim.address(cell)
    rng = block_generator(seed, claim.id, address, block)
    where = f"{claim.id} at {address or 'its cell'}, block {block}"
    try:
        drawn = claim.call(claim.simulate, cell, size=rows, rng=rng)
    except Exception as error:
        raise ClaimError(f"{where}: simulate raised {type(error).__name__}: {error}") from error
    if not isinstance(drawn, Mapping):
        drawn = {"lhs": drawn}
    if "lhs" not in drawn:
        raise ClaimError(f"{where}: simulate returned no 'lhs'")
    arrays = _renamed(drawn)
    for name, array in arrays.items():
        if array.ndim == 0 or array.shape[0] != rows:
            raise ClaimError(
                f"{where}: simulate returned {name} of shape {array.shape}, "
                f"not ({rows}, ...)"
            )
    for name in ("lhs", "rhs_draw", "other"):
        if name in arrays and arrays[name].shape != (rows,):
            raise ClaimError(f"{where}: {name} must have shape ({rows},)")
        if name in arrays and np.any(np.isnan(arrays[name].astype(float))):
            raise ClaimError(f"{where}: simulate returned NaN in {name}")
    return arrays


def _renamed(drawn: Mapping[str, Any]) -> Arrays:
    """As arrays; a drawn right side is ``rhs_draw``, apart from the cell's ``rhs``."""
    return {"rhs_draw" if k == "rhs" else k: np.asarray(v) for k, v in drawn.items()}


def _kept(claim: Claim, drawn: Arrays) -> Arrays:
    """What of a block is stored: both sides, and what a data-dependent bound reads."""
    names: list[str] = [n for n in ("lhs", "rhs_draw", "other", "applies") if n in drawn]
    names += sorted(n for n in claim.drawn_names() if n in drawn and drawn[n].ndim == 1)
    return {name: drawn[name] for name in names}


def _work(claim: Claim, seed: int, items: Sequence[tuple[int, int]]) -> list[Any]:
    """Runs in a worker: blocks by (cell, index); index -1 asks for the cell's exact evidence.

    The last element is the time it took, in seconds.
    """
    results: list[Any] = []
    start = time.perf_counter()
    # One BLAS thread: more would move bits, and fight the other workers.
    with _blas().limit(limits=1):
        for index, block in items:
            cell = claim.cell(index)
            if block < 0:
                results.append(_exact(claim, cell))
            else:
                results.append(_kept(claim, draw(claim, cell, block, seed=seed)))
    return [*results, time.perf_counter() - start]


def _exact(claim: Claim, cell: Cell) -> Any:
    assert claim.exact is not None
    try:
        return claim.call(claim.exact, cell)
    except Exception as error:
        raise ClaimError(
            f"{claim.id} at {claim.address(cell) or 'its cell'}: exact raised "
            f"{type(error).__name__}: {error}"
        ) from error


def _unpickle_and_work(payload: bytes, seed: int, items: Sequence[tuple[int, int]]) -> list[Any]:
    return _work(_loads(payload), seed, items)


@cache
def _loads(payload: bytes) -> Claim:
    import cloudpickle

    claim: Claim = cloudpickle.loads(payload)
    return claim


class Serial(Executor):
    """The executor that computes in this process, at once."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call now; the future is done."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@dataclass
class _CellState:
    index: int
    cell: Cell
    summary: NDArray[np.float64] | None = None
    against: NDArray[np.float64] | None = None
    support: NDArray[np.float64] | None = None
    vacuous: NDArray[np.bool_] | None = None
    exact: Any = None
    is_exact: bool = False
    blocks: int = 0
    round: dict[int, NDArray[np.float64]] = field(default_factory=dict)
    wanted: int = 0
    done: bool = False


class _Trial:
    """One claim under way: which blocks it wants next, what they say so far."""

    def __init__(
        self, claim: Claim, *, seed: int, thresholds: Thresholds, max_blocks: int, store: Store
    ) -> None:
        self.claim, self.seed, self.thresholds = claim, seed, thresholds
        self.max_blocks = max_blocks
        self.rule: Rule = RULES[claim.kind]
        self.cells = [_CellState(i, cell) for i, cell in enumerate(claim.cells())]
        self.blocks: ClaimBlocks | None = None
        self.counterexample: dict[str, Any] | None = None
        self.rank: tuple[float, int, int, int] | None = None
        self.seconds_per_block = 0.0
        self.open = len(self.cells)
        if claim.kind == "cited":
            self.open = 0
            return
        self.variables: dict[str, np.dtype[Any]] = {}
        if claim.simulate is not None:
            probe = _kept(claim, draw(claim, self.cells[0].cell, 0, seed=seed, rows=1))
            self.variables = {name: array.dtype for name, array in probe.items()}
            if claim.kind == "equal" and "other" in probe:
                self.rule = SameLaw()
        self.blocks = store.claim(
            claim.id, claim.fingerprint(), self.variables, cells=len(self.cells), rows=claim.rows
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

    def _round(self, state: _CellState) -> list[tuple[int, int]]:
        """The next round of a cell: block counts double, 1, 2, 4, ... up to the budget."""
        target = min(self.max_blocks, max(1, 2 * state.blocks))
        if not self.rule.sequential:
            target = self.max_blocks
        state.wanted, state.round = target, {}
        return [(state.index, block) for block in range(state.blocks, target)]

    def receive_exact(self, index: int, result: Any) -> list[tuple[int, int]]:
        state = self.cells[index]
        if result is None:
            if self.claim.simulate is None:
                raise ClaimError(
                    f"{self.claim.id}: no exact evidence at {self.claim.address(state.cell)} "
                    "and no simulator"
                )
            return self._round(state)
        if isinstance(self.rule, Always):
            result = _renamed(result)
        state.exact, state.is_exact = result, True
        state.against, state.support = self.rule.weigh_exact(self.claim, state.cell, result)
        if isinstance(self.rule, Always):
            state.summary = self.rule.summarise(self.claim, state.cell, result)
            state.summary[1] -= self._recheck(state, -1, result)
            _, state.support = self.rule.weigh(self.claim, state.cell, state.summary)
        state.vacuous = self._vacuous(state)
        self._close(state)
        return []

    def receive(self, index: int, block: int, arrays: Arrays) -> list[tuple[int, int]]:
        """Take a finished block; returns what to compute next."""
        state = self.cells[index]
        summary = self.rule.summarise(self.claim, state.cell, arrays)
        if isinstance(self.rule, Always) and summary[1] > 0:
            drawn = draw(self.claim, state.cell, block, seed=self.seed)
            summary[1] -= self._recheck(state, block, drawn)
        state.round[block] = summary
        if state.blocks + len(state.round) < state.wanted:
            return []
        for key in sorted(state.round):
            piece = state.round[key]
            state.summary = (
                piece if state.summary is None else self.rule.merge(state.summary, piece)
            )
        state.blocks = state.wanted
        if self.rule.together:
            self._close(state)
            return []
        assert state.summary is not None
        against, support = self.rule.weigh(self.claim, state.cell, state.summary)
        # Crossing once is enough: the largest value over the looks is what counts.
        state.against = against if state.against is None else np.maximum(state.against, against)
        state.support = support if state.support is None else np.maximum(state.support, support)
        if isinstance(self.rule, Always):
            state.support = support
        state.vacuous = self._vacuous(state)
        if state.blocks >= self.max_blocks or self._settled(state):
            self._close(state)
            return []
        return self._round(state)

    def _recheck(self, state: _CellState, block: int, drawn: Arrays) -> int:
        """Certify or clear the worst suspects of a block; returns how many were cleared."""
        assert isinstance(self.rule, Always)
        claim, cleared = self.claim, 0
        excess = self.rule.excess(claim, state.cell, drawn)
        suspects = np.flatnonzero(excess > 0)
        if claim.certify is None or suspects.size == 0:
            return 0
        order = suspects[np.argsort(-excess[suspects], kind="stable")][:_RECHECKS]
        for row in order:
            certificate = _certificate(claim, state.cell, drawn, int(row))
            broken = (
                certificate.differs() if claim.kind == "identity" else certificate.exceeds()
            )
            if not broken:
                cleared += 1
                continue
            state.against = np.full(1, np.inf)
            found = _counterexample(
                claim, state.cell, self.seed, block, int(row), certificate, float(excess[row])
            )
            # The worst one is kept; ties go to the first address, so that no order of arrival
            # shows in the result.
            rank = (-found["excess"], state.index, block, int(row))
            if self.rank is None or rank < self.rank:
                self.counterexample, self.rank = found, rank
            break
        return cleared

    def _vacuous(self, state: _CellState) -> NDArray[np.bool_]:
        levels = self.rule.levels(self.claim)
        trivial = self.claim.value("trivial", state.cell)
        if trivial is None:
            return np.zeros(levels, bool)
        if self.claim.kind == "tail" and state.summary is not None:
            return np.asarray(state.summary[:, 2] >= 0.5 * state.summary[:, 0])
        return np.broadcast_to(right_side(self.claim, state.cell)[:, 0] >= trivial, (levels,))

    def _settled(self, state: _CellState) -> bool:
        if isinstance(self.rule, Always):
            return bool(state.against is not None and np.any(np.isinf(state.against)))
        assert state.against is not None and state.support is not None
        assert state.vacuous is not None
        settled = state.vacuous | (state.against >= self.thresholds.refute)
        return bool(np.all(settled | (state.support >= self.thresholds.uphold)))

    def _close(self, state: _CellState) -> None:
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


def _certificate(claim: Claim, cell: Cell, drawn: Arrays, row: int) -> Certificate:
    assert claim.certify is not None
    instance = {name: array[row] for name, array in drawn.items()}
    try:
        certificate = claim.call(claim.certify, cell, instance)
    except Exception as error:
        raise ClaimError(
            f"{claim.id} at {claim.address(cell)}: certify raised {type(error).__name__}: {error}"
        ) from error
    assert isinstance(certificate, Certificate)
    return certificate


def _counterexample(
    claim: Claim, cell: Cell, seed: int, block: int, row: int, certificate: Certificate,
    excess: float,
) -> dict[str, Any]:
    def text(side: Any) -> str:
        return f"in [{side[0]}, {side[1]}]" if isinstance(side, tuple) else str(side)

    return {
        "seed": seed,
        "claim": claim.id,
        "cell": claim.address(cell),
        "block": block,
        "row": row,
        "excess": excess,
        "lhs": text(certificate.lhs),
        "rhs": text(certificate.rhs),
        "steps": [[name, str(value)] for name, value in certificate.steps],
    }


def _left_draws(trial: _Trial, state: _CellState) -> Arrays:
    """All stored draws of a cell, blocks in order."""
    assert trial.blocks is not None
    parts = [trial.blocks.get(state.index, b) for b in range(state.blocks)]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _describe_cell(trial: _Trial, state: _CellState) -> dict[str, Any]:
    """The numbers that are shown of a cell: right side, tightness, quantiles, resolution."""
    claim, rule = trial.claim, trial.rule
    levels = rule.levels(claim)
    out: dict[str, Any] = {
        "rhs": np.full(levels, np.nan),
        "violations": np.zeros(levels, np.int64),
        "probability": np.full(levels, np.nan),
        "tightness": np.full(levels, np.nan),
        "tightness_low": np.full(levels, np.nan),
        "tightness_high": np.full(levels, np.nan),
        "refutable_factor": np.full(levels, np.nan),
        "resolution": np.zeros(levels) if state.is_exact else np.full(levels, np.nan),
        "quantiles": np.full(len(QUANTILES), np.nan),
        "mean": np.nan,
        "replicates": 0,
        "tries": 0,
    }
    if state.is_exact and isinstance(state.exact, Law):
        law = state.exact
        rhs = right_side(claim, state.cell)[:, 0]
        out["rhs"], out["mean"] = rhs, law.mean()
        out["quantiles"] = np.array([law.quantile(q) for q in QUANTILES])
        if claim.kind == "tail":
            out["probability"] = np.array([law.exceeding(r)[0] for r in rhs])
            left = np.array([law.quantile(1 - d) for d in claim.deltas])
        else:
            left = np.array([law.mean()])
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(rhs > 0, left / rhs, np.nan)
        out["tightness"] = out["tightness_low"] = out["tightness_high"] = ratio
        return out
    if state.is_exact and claim.kind == "exists":
        rhs = right_side(claim, state.cell)[:, 0]
        out["rhs"], out["mean"] = rhs, float(state.exact[0])
        with np.errstate(divide="ignore", invalid="ignore"):
            out["tightness"] = np.where(rhs > 0, float(state.exact[0]) / rhs, np.nan)
        return out
    if state.is_exact:
        drawn = state.exact
    else:
        drawn = _left_draws(trial, state)
        assert state.summary is not None
        out["resolution"] = rule.resolution(
            claim, state.cell, state.summary, trial.thresholds.refute
        )
    lhs = np.asarray(drawn["lhs"], float)
    out["replicates"] = 0 if state.is_exact else lhs.size
    out["tries"] = lhs.size
    out["mean"] = float(lhs.mean())
    out["quantiles"] = np.quantile(lhs, QUANTILES, method="inverted_cdf")
    if isinstance(rule, SameLaw):
        return out
    rhs_rows = right_side(claim, state.cell, drawn)
    out["rhs"] = np.median(rhs_rows, axis=1)
    if claim.kind == "tail":
        _describe_tail(trial, out, lhs, rhs_rows)
    elif claim.kind == "mean":
        right = float(rhs_rows[0, 0])
        half = 2.5758293035489004 * lhs.std() / np.sqrt(lhs.size)
        if right > 0:
            out["tightness"] = np.array([out["mean"] / right])
            out["tightness_low"] = np.array([(out["mean"] - half) / right])
            out["tightness_high"] = np.array([(out["mean"] + half) / right])
    elif isinstance(rule, Always):
        assert state.summary is not None
        out["tries"] = int(state.summary[0])
        out["violations"] = np.array([int(state.summary[1])])
        out["mean"] = float(state.summary[2])
        if claim.kind == "always" and np.isfinite(state.summary[3]):
            out["tightness"] = np.array([state.summary[3]])
    return out


def _describe_tail(
    trial: _Trial, out: dict[str, Any], lhs: NDArray[np.float64], rhs: NDArray[np.float64]
) -> None:
    claim = trial.claim
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(rhs > 0, lhs / rhs, np.where(lhs > rhs, np.inf, 1.0))
    for j, delta in enumerate(claim.deltas):
        row = ratios[j]
        out["violations"][j] = np.count_nonzero(lhs > rhs[j])
        limits = evidence.quantile_limits(row, 1 - delta, CONFIDENCE)
        out["tightness"][j], out["tightness_low"][j], out["tightness_high"][j] = limits
        needed = evidence.violations_to_refute(lhs.size, delta, trial.thresholds.refute)
        if needed <= lhs.size:
            # The bound times this factor has just `needed` draws at or above it.
            out["refutable_factor"][j] = np.partition(row, lhs.size - needed)[lhs.size - needed]


_LONG_NAMES = {
    "rhs": "right side (median over draws if it depends on them)",
    "violations": "draws that break the promise",
    "probability": "exact probability of breaking the promise",
    "tightness": "(1-delta)-quantile of left over right side; mean or maximum where no delta",
    "tightness_low": "lower 99% confidence limit of the tightness",
    "tightness_high": "upper 99% confidence limit of the tightness",
    "refutable_factor": "the bound times this factor would have been refuted",
    "resolution": "smallest excess that these draws would have refuted with 99% power",
    "quantiles": "quantiles of the left side",
    "mean": "mean of the left side (always, identity: largest excess beyond rounding)",
    "replicates": "independent draws",
    "tries": "instances tried that satisfy the hypotheses",
    "log_e_against": "log evidence against the promise",
    "log_e_support": "log evidence that the promise holds",
    "vacuous": "the bound is no better than what is true anyway",
    "exact": "no Monte Carlo error",
    "decision": "what this cell says",
}


def _finish(trial: _Trial, audit_settings: Mapping[str, Any]) -> Result:
    """All cells closed: verdict, dataset, compaction."""
    import xarray as xr

    claim = trial.claim
    dims, shape = claim.dims, claim.shape
    extra: dict[str, Any] = {}
    if claim.kind != "cited" and trial.rule.together:
        summaries = [s.summary for s in trial.cells if s.summary is not None]
        against, support, extra = trial.rule.weigh_together(claim, summaries)
        for state in trial.cells:
            state.against, state.support = against[state.index], support[state.index]
            state.vacuous = np.zeros(1, bool)
    verdict, reason = _conclude(trial)

    has_levels = claim.kind == "tail"
    level_dims = (*dims, "delta") if has_levels else dims
    rows = [] if claim.kind == "cited" else [_describe_cell(trial, s) for s in trial.cells]
    coords: dict[str, Any] = {name: claim.labels(name) for name in dims}
    if has_levels:
        coords["delta"] = list(claim.deltas)
    variables: dict[str, Any] = {}

    def put(name: str, values: Any, dims_: tuple[str, ...], shape_: tuple[int, ...]) -> None:
        array = np.asarray(values).reshape(shape_)
        variables[name] = (dims_, array, {"long_name": _LONG_NAMES.get(name, name)})

    if rows:
        level_shape = (*shape, len(claim.deltas)) if has_levels else shape
        for name in ("rhs", "violations", "probability", "tightness", "tightness_low",
                     "tightness_high", "refutable_factor", "resolution"):
            put(name, [row[name] for row in rows], level_dims, level_shape)
        coords["quantile"] = QUANTILES
        put("quantiles", [r["quantiles"] for r in rows], (*dims, "quantile"),
            (*shape, len(QUANTILES)))
        for name in ("mean", "replicates", "tries"):
            put(name, [row[name] for row in rows], dims, shape)
        put("exact", [s.is_exact for s in trial.cells], dims, shape)
        put("log_e_against", [s.against for s in trial.cells], level_dims, level_shape)
        put("log_e_support", [s.support for s in trial.cells], level_dims, level_shape)
        put("vacuous", [s.vacuous for s in trial.cells], level_dims, level_shape)
        put("decision", [_decisions(trial, s) for s in trial.cells], level_dims, level_shape)
        variables["decision"][2].update(
            flag_values=list(range(len(DECISIONS))), flag_meanings=" ".join(DECISIONS)
        )
        for name, values in extra.items():
            put(name, values, dims, shape)
        for name in ("rhs", "quantiles", "mean"):
            variables[name][2]["units"] = claim.unit
    attributes = {
        "claim": claim.id,
        "paper": claim.paper.id,
        "title": claim.paper.title,
        "kind": claim.kind,
        "place": claim.place,
        "statement": claim.statement,
        "hypotheses": list(claim.hypotheses),
        "note": claim.note,
        "origin": claim.origin,
        "quantity": claim.quantity,
        "unit": claim.unit,
        "expected": claim.expect,
        "verdict": verdict,
        "reason": reason,
        "fingerprint": claim.fingerprint(),
        "rows": claim.rows,
        "log_e_refute": trial.thresholds.refute,
        "log_e_uphold": trial.thresholds.uphold,
        **audit_settings,
    }
    if trial.counterexample is not None:
        attributes["counterexample"] = json.dumps(trial.counterexample)
    dataset = xr.Dataset(variables, coords=coords, attrs=attributes)
    for name in dims:
        dataset[name].attrs["long_name"] = name
    if trial.blocks is not None:
        drawn = {"long_name": claim.quantity, "units": claim.unit}
        named = {
            "lhs": drawn,
            "rhs_draw": {"long_name": "right side, draw by draw", "units": claim.unit},
            "other": {**drawn, "long_name": f"{claim.quantity}, second law"},
            "applies": {"long_name": "whether the hypotheses hold", "units": "1"},
        }
        described = {
            name: named.get(name, {"long_name": name, "units": claim.unit})
            for name in trial.variables
        }
        trial.blocks.finish(dataset, list(dims), described)
    return Result(claim=claim, summary=dataset, seed=trial.seed)


def _decisions(trial: _Trial, state: _CellState) -> NDArray[Any]:
    assert state.against is not None and state.support is not None and state.vacuous is not None
    out = np.full(state.against.shape, DECISIONS.index("undecided"), np.int8)
    out[state.support >= trial.thresholds.uphold] = DECISIONS.index("upheld")
    out[state.vacuous] = DECISIONS.index("vacuous")
    out[state.against >= trial.thresholds.refute] = DECISIONS.index("refuted")
    return out


def _conclude(trial: _Trial) -> tuple[str, str]:
    """Verdict of a claim and the reason in a few words."""
    claim = trial.claim
    if claim.kind == "cited":
        return "undecided", "cited: no simulation can decide it"
    decisions = np.array([_decisions(trial, s) for s in trial.cells])
    count = {word: int(np.sum(decisions == i)) for i, word in enumerate(DECISIONS)}
    total = decisions.size
    if count["refuted"]:
        first = trial.cells[int(np.argmax(np.any(decisions == 2, axis=1)))]
        where = claim.address(first.cell)
        return "refuted", f"{count['refuted']} of {total} refuted" + (
            f", first at {where}" if where else ""
        )
    if count["vacuous"] == total:
        return "undecided", "vacuous everywhere on the grid"
    vacuous = f", {count['vacuous']} vacuous" if count["vacuous"] else ""
    if count["upheld"] + count["vacuous"] == total:
        return "upheld", f"{count['upheld']} of {total} upheld{vacuous}"
    return "undecided", (
        f"budget spent with {count['undecided']} of {total} undecided{vacuous}"
    )


@dataclass(frozen=True, repr=False)
class Result:
    """What the trial of one claim found.

    Parameters
    ----------
    claim : Claim
        What was tried.
    summary : xarray.Dataset
        Right sides, counts, evidence, tightness, quantiles by cell (and delta), with attributes
        that suffice to run it again.
    seed : int
        Root seed.
    """

    claim: Claim
    summary: xr.Dataset
    seed: int
    location: str | None = None
    store: Store | None = field(default=None, repr=False)

    @property
    def verdict(self) -> str:
        """``"upheld"``, ``"refuted"`` or ``"undecided"``."""
        return str(self.summary.attrs["verdict"])

    @property
    def reason(self) -> str:
        """Why, in a few words."""
        return str(self.summary.attrs["reason"])

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the one that the claim declares."""
        return self.verdict == self.claim.expect

    @property
    def exact(self) -> bool:
        """Whether no Monte Carlo error remains in any cell."""
        return bool("exact" in self.summary and np.all(self.summary["exact"]))

    def _headline(self, name: str) -> float | None:
        if name not in self.summary:
            return None
        values = np.where(self.summary["vacuous"], np.nan, self.summary[name])
        finite = values[np.isfinite(values)]
        return float(finite.max()) if finite.size else None

    @property
    def tightness(self) -> float | None:
        """Largest tightness over the cells that are not vacuous."""
        return self._headline("tightness")

    @property
    def resolution(self) -> float | None:
        """Largest (worst) resolution over the cells that are not vacuous."""
        return self._headline("resolution")

    @property
    def replicates(self) -> int:
        """Independent draws over all cells."""
        return int(self.summary["replicates"].sum()) if "replicates" in self.summary else 0

    @property
    def counterexample(self) -> dict[str, Any] | None:
        """The certified counterexample with its address, or None."""
        text = self.summary.attrs.get("counterexample")
        return json.loads(text) if text else None

    @property
    def dataset(self) -> xr.Dataset:
        """The summary together with every stored draw, lazily opened."""
        if self.store is None or self.claim.kind == "cited":
            return self.summary
        return self.store.read(self.claim.id)

    def to_dict(self) -> dict[str, Any]:
        """The claim's entry in ``noisytheory audit --json``."""
        return {
            "id": self.claim.id,
            "paper": self.claim.paper.id,
            "kind": self.claim.kind,
            "verdict": self.verdict,
            "expected": self.claim.expect,
            "reason": self.reason,
            "tightness": self.tightness,
            "resolution": self.resolution,
            "replicates": self.replicates,
            "exact": self.exact,
            "origin": self.claim.origin,
        }

    def replay(self) -> dict[str, Any]:
        """The certified counterexample, or else the draw nearest to breaking the bound.

        Returns
        -------
        dict
            The draw's address (seed, claim, cell, block, row), both sides, and the steps.
        """
        return self.counterexample or nearest(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the dataset with its draws, as netCDF (``.nc``) or Zarr (``.zarr``).

        Raises
        ------
        ValueError
            For another suffix.
        """
        dataset = self.dataset.load().drop_vars("block_digest", errors="ignore")
        suffix = os.path.splitext(os.fspath(path))[1]
        if suffix == ".zarr":
            with warnings.catch_warnings():
                # Zarr says that format 3 does not yet specify text and consolidated metadata.
                warnings.simplefilter("ignore")
                dataset.to_zarr(path, mode="w")
        elif suffix == ".nc":
            dataset.to_netcdf(path, engine="scipy")
        else:
            raise ValueError(f"path must end in .nc or .zarr, got {os.fspath(path)!r}")

    def __repr__(self) -> str:
        def number(x: float | None) -> str:
            return "-" if x is None else f"{x:.3g}"

        drawn = "exact" if self.exact else f"{self.replicates:,} replicates"
        return (
            f"{self.claim.id}: {self.verdict} ({self.reason}); {drawn}, "
            f"tightness {number(self.tightness)}, resolution {number(self.resolution)}"
        )


def nearest(result: Result) -> dict[str, Any]:
    """The stored draw whose left side comes nearest to, or furthest beyond, the right side."""
    claim = result.claim
    dataset = result.dataset
    if "lhs" not in dataset:
        raise ValueError(f"{claim.id}: nothing was drawn, so there is no draw to replay")
    best: tuple[float, int, int, int] | None = None
    lhs = dataset["lhs"].values.reshape(claim.size, -1)
    names = [n for n in ("lhs", "rhs_draw", *claim.drawn_names()) if n in dataset]
    stacked = {n: dataset[n].values.reshape(claim.size, -1) for n in names}
    for index, cell in enumerate(claim.cells()):
        good = np.flatnonzero(~np.isnan(lhs[index]))
        if good.size == 0:
            continue
        drawn = {n: stacked[n][index][good] for n in names}
        rhs = right_side(claim, cell, drawn)[-1]
        ratio = lhs[index][good] / np.where(rhs > 0, rhs, np.nan)
        if claim.kind == "identity":
            ratio = np.abs(lhs[index][good] - rhs)
        ratio = np.where(np.isnan(ratio), -np.inf, ratio)
        at = int(np.argmax(ratio))
        if best is None or ratio[at] > best[0]:
            best = (float(ratio[at]), index, int(good[at]) // claim.rows,
                    int(good[at]) % claim.rows)
    if best is None:
        raise ValueError(f"{claim.id}: every cell is exact, so there is no draw to replay")
    _, index, block, row = best
    return replay_address(claim, index, block, row, seed=result.seed)


def replay_address(
    claim: Claim, index: int, block: int, row: int, *, seed: int
) -> dict[str, Any]:
    """Draw one row again from its address, with both sides.

    Parameters
    ----------
    claim : Claim
        With a simulator.
    index : int
        Cell, in C order.
    block, row : int
        Block within the cell and row within the block.
    seed : int
        Root seed.

    Returns
    -------
    dict
        The address, both sides and what was drawn.
    """
    cell = claim.cell(index)
    drawn = draw(claim, cell, block, seed=seed)
    rhs = right_side(claim, cell, drawn)
    column = row if rhs.shape[1] > 1 else 0
    steps = [[name, np.array2string(array[row], precision=6)] for name, array in drawn.items()]
    for j, delta in enumerate(claim.deltas or (None,)):
        label = "right side" if delta is None else f"right side at delta={delta:g}"
        steps.append([label, f"{rhs[min(j, len(rhs) - 1), column]:.6g}"])
    return {
        "seed": seed,
        "claim": claim.id,
        "cell": claim.address(cell),
        "block": block,
        "row": row,
        "lhs": f"{float(drawn['lhs'][row]):.12g}",
        "rhs": f"{float(rhs[-1, column]):.12g}",
        "steps": steps,
    }


@dataclass(frozen=True, repr=False)
class Audit:
    """Many claims on trial in one run.

    Parameters
    ----------
    results : dict of str to Result
        By claim id.
    settings : mapping
        Seed, level, budget, versions, machine and times.
    """

    results: dict[str, Result]
    settings: Mapping[str, Any]
    store: Store

    def __getitem__(self, claim_id: str) -> Result:
        return self.results[claim_id]

    def __iter__(self) -> Any:
        return iter(self.results.values())

    def __len__(self) -> int:
        return len(self.results)

    @property
    def as_expected(self) -> bool:
        """Whether every verdict is the expected one."""
        return all(result.as_expected for result in self)

    @property
    def tree(self) -> xr.DataTree:
        """All datasets as a tree of papers and claims, draws lazily opened."""
        import xarray as xr

        tree = {result.claim.id: result.dataset for result in self}
        out = xr.DataTree.from_dict(tree)
        out.attrs.update(self.settings)
        return out

    def to_dict(self) -> dict[str, Any]:
        """What ``noisytheory audit --json`` prints."""
        return {**self.settings, "claims": [result.to_dict() for result in self]}

    def close(self) -> None:
        """Release the store; a temporary one is removed."""
        self.store.close()

    def __enter__(self) -> Audit:
        return self

    def __exit__(self, *args: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return "\n".join(repr(result) for result in self)


def audit(
    claims: str | Claim | Iterable[str | Claim],
    *,
    seed: int = DEFAULT_SEED,
    alpha: float = 0.01,
    budget: str = "standard",
    replicates: int | None = None,
    workers: int = 1,
    scheduler: str | None = None,
    executor: Executor | None = None,
    store: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Any:
    """Put one claim, or many, on trial.

    Parameters
    ----------
    claims : str, Claim, or iterable of those
        An id, a shell pattern over ids, a claim, or several. A single `Claim` gives a `Result`,
        anything else an `Audit`.
    seed : int
        Root seed, a whole number >= 0.
    alpha : float
        Probability in (0, 1) that any true claim of the audit is refuted (and, separately, that
        any false one is upheld).
    budget : {"smoke", "standard", "full"}
        At most 4, 16 or 256 blocks a cell; drawing stops earlier where a cell is decided.
    replicates : int, optional
        At most this many replicates a cell, rounded up to whole blocks, instead of the budget's.
    workers : int
        Local processes; 1 computes in this one.
    scheduler : str, optional
        Address of a Dask scheduler.
    executor : concurrent.futures.Executor, optional
        Any other engine; it is not shut down.
    store : path or URL, optional
        Where blocks are kept; a run that was killed goes on there. Default: a temporary one.
    progress : callable, optional
        Called with (claim id, cells decided, cells, replicates).

    Returns
    -------
    Result or Audit

    Raises
    ------
    ValueError
        For an argument out of range, an unknown id, or a claim that cannot be tried.
    StoreError
        If the store belongs to another run or cannot be written.

    Examples
    --------
    >>> from noisytheory import Paper
    >>> import numpy as np
    >>> mine = Paper("mine", "Hoeffding 1963").tail(
    ...     "theorem-2", statement="x",
    ...     bound=lambda n, delta: np.sqrt(np.log(1 / delta) / (2 * n)),
    ...     simulate=lambda n, *, size, rng: rng.binomial(n, 0.5, size) / n - 0.5,
    ...     grid=dict(n=[100], delta=[0.1]))
    >>> audit(mine, budget="smoke").verdict
    'upheld'
    """
    chosen = select(claims)
    max_blocks = _check_settings(seed, alpha, budget, replicates, workers)
    engine = _Engine(workers, scheduler, executor)
    limit = None if replicates is None else replicates
    settings: dict[str, Any] = {
        "seed": int(seed),
        "alpha": float(alpha),
        "budget": budget if limit is None else f"{limit} replicates a cell",
        "family": len(chosen),
        "version": __version__,
    }
    names = hashlib.blake2b("\n".join(c.id for c in chosen).encode(), digest_size=8).hexdigest()
    opened = Store.open(store, {**settings, "claims": names})
    start = time.time()
    results: dict[str, Result] = {}
    try:
        with engine:
            trials = _trials(chosen, settings, limit, max_blocks, opened)
            for trial in _drive(trials, engine, progress):
                results[trial.claim.id] = _finish(trial, settings)
        for claim_id, result in results.items():
            results[claim_id] = Result(result.claim, result.summary, result.seed, store=opened)
    except BaseException:
        opened.close()
        raise
    from datetime import UTC, datetime

    provenance = {
        **settings,
        "workers": engine.description,
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "started": datetime.fromtimestamp(start, UTC).isoformat(timespec="seconds"),
        "seconds": round(time.time() - start, 2),
    }
    ordered = {claim.id: results[claim.id] for claim in chosen}
    if isinstance(claims, Claim):
        return ordered[claims.id]
    return Audit(ordered, provenance, opened)


def select(claims: str | Claim | Iterable[str | Claim]) -> list[Claim]:
    """Claims named by ids, patterns or objects, each once, in the order named."""
    if isinstance(claims, str | Claim):
        claims = [claims]
    chosen: dict[str, Claim] = {}
    for item in claims:
        if not isinstance(item, str | Claim):
            raise ValueError(f"claims must be ids or Claim objects, got {item!r}")
        for claim in [item] if isinstance(item, Claim) else match(item):
            if chosen.setdefault(claim.id, claim) is not claim:
                raise ValueError(f"two claims have the id {claim.id}")
    if not chosen:
        raise ValueError("claims must name at least one claim")
    return list(chosen.values())


def _whole(name: str, value: object, low: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < low:
        raise ValueError(f"{name} must be a whole number >= {low}, got {value!r}")


def _check_settings(
    seed: int, alpha: float, budget: str, replicates: int | None, workers: int
) -> int | None:
    _whole("seed", seed, 0)
    _whole("workers", workers, 1)
    if isinstance(alpha, bool) or not isinstance(alpha, int | float) or not 0 < alpha < 1:
        raise ValueError(f"alpha must be a number in (0, 1), got {alpha!r}")
    if budget not in BUDGETS:
        raise ValueError(f"budget must be one of {', '.join(BUDGETS)}, got {budget!r}")
    if replicates is not None:
        _whole("replicates", replicates, 1)
        return None
    return BUDGETS[budget]


def _trials(
    claims: Sequence[Claim], settings: Mapping[str, Any], replicates: int | None,
    max_blocks: int | None, store: Store,
) -> list[_Trial]:
    random = sum(claim.kind != "cited" for claim in claims)
    trials = []
    for claim in claims:
        blocks = max_blocks if max_blocks is not None else -(-int(replicates or 1) // claim.rows)
        thresholds = Thresholds.of(claim, settings["alpha"], max(1, random))
        trials.append(
            _Trial(claim, seed=settings["seed"], thresholds=thresholds, max_blocks=blocks,
                   store=store)
        )
    return trials


class _Engine:
    """An executor that can be replaced when a worker dies."""

    def __init__(
        self, workers: int, scheduler: str | None, executor: Executor | None
    ) -> None:
        self.workers, self.scheduler, self.given = workers, scheduler, executor
        self.client: Any = None
        self.executor: Executor | None = executor
        self.slots = max(1, workers)
        self.description = f"{workers} process{'es' if workers > 1 else ''}"
        self.remote = executor is not None or scheduler is not None or workers > 1
        if executor is not None:
            self.description, self.slots = type(executor).__name__, 8

    def __enter__(self) -> _Engine:
        if self.scheduler is not None:
            self._connect()
        elif self.given is None:
            self._start()
        return self

    def _connect(self) -> None:
        try:
            from distributed import Client
        except ImportError as error:
            raise ValueError(
                "scheduler needs the extra 'distributed': pip install 'noisytheory[distributed]'"
            ) from error
        try:
            self.client = Client(self.scheduler, timeout=10)  # type: ignore[no-untyped-call]
        except (OSError, ValueError, TimeoutError) as error:
            raise ValueError(f"scheduler: no Dask scheduler at {self.scheduler!r}") from error
        self.executor = self.client.get_executor()
        self.slots = max(1, sum(self.client.nthreads().values()))
        self.description = f"Dask, {self.slots} threads"

    def _start(self) -> None:
        if self.workers == 1:
            self.executor = Serial()
            return
        from multiprocessing import get_context

        # Spawned, because forking a process whose libraries run threads can hang.
        self.executor = ProcessPoolExecutor(self.workers, mp_context=get_context("spawn"))

    def restart(self) -> None:
        """A worker died and took the pool with it."""
        if self.given is not None or self.scheduler is not None:
            raise ClaimError("a worker died and its executor cannot be restarted from here")
        self._start()

    def submit(self, claim: Claim, seed: int, items: Sequence[tuple[int, int]]) -> Future[Any]:
        assert self.executor is not None
        if not self.remote:
            return self.executor.submit(_work, claim, seed, items)
        return self.executor.submit(_unpickle_and_work, _dumps(claim), seed, items)

    def __exit__(self, *args: object) -> None:
        if self.executor is not None and self.given is None:
            if self.client is None:
                self.executor.shutdown(wait=args[0] is None, cancel_futures=True)
            else:
                self.executor.shutdown(wait=False)
                self.client.close()


@cache
def _dumps(claim: Claim) -> bytes:
    import cloudpickle

    return bytes(cloudpickle.dumps(claim))


_TASK_SECONDS = 0.2
"""Aim for tasks of about this length: long against a scheduler's 3 ms, short against a run."""


def _drive(
    trials: Sequence[_Trial], engine: _Engine, progress: Progress | None
) -> Iterable[_Trial]:
    """Keep the engine busy until every trial is decided; yields trials as they finish."""
    queues: dict[int, deque[tuple[int, int]]] = {}
    for number, trial in enumerate(trials):
        if trial.open == 0:
            yield trial
            continue
        queues[number] = deque()
        yield from _feed(trial, trial.start(), queues[number], progress)
        if trial.open == 0:
            del queues[number]
    running: dict[Future[Any], tuple[int, list[tuple[int, int]]]] = {}
    deaths = 0
    while queues:
        for number in list(queues):
            while queues[number] and len(running) < 2 * engine.slots:
                items = _batch(trials[number], queues[number])
                future = engine.submit(trials[number].claim, trials[number].seed, items)
                running[future] = (number, items)
                if not engine.remote:
                    break
            if len(running) >= (2 * engine.slots if engine.remote else 1):
                break
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            number, items = running.pop(future)
            trial = trials[number]
            try:
                results = future.result()
            except BrokenProcessPool as error:
                deaths += 1
                if deaths > 20:
                    raise ClaimError(
                        f"{trial.claim.id}: workers keep dying (out of memory?)"
                    ) from error
                # Every pending task of the pool is lost with it; put all of them back.
                for other, (number_, items_) in list(running.items()):
                    other.cancel()
                    queues[number_].extendleft(reversed(items_))
                running.clear()
                queues[number].extendleft(reversed(items))
                engine.restart()
                break
            deaths = 0
            trial.seconds_per_block = max(results.pop() / len(items), 1e-9)
            for item, result in zip(items, results, strict=True):
                yield from _receive(trial, item, result, queues[number], progress)
            if trial.open == 0:
                del queues[number]


def _batch(trial: _Trial, queue: deque[tuple[int, int]]) -> list[tuple[int, int]]:
    """Items for one task: one to learn what a block costs, then enough to fill the time."""
    cost = trial.seconds_per_block
    count = 1 if cost == 0 else max(1, min(64, int(_TASK_SECONDS / cost)))
    return [queue.popleft() for _ in range(min(count, len(queue)))]


def _feed(
    trial: _Trial, items: list[tuple[int, int]], queue: deque[tuple[int, int]],
    progress: Progress | None,
) -> Iterable[_Trial]:
    """Queue items, taking blocks that the store already has from there."""
    for item in items:
        assert trial.blocks is not None
        if item[1] >= 0 and item in trial.blocks:
            yield from _receive(trial, item, trial.blocks.get(*item), queue, progress, stored=True)
        else:
            queue.append(item)


def _receive(
    trial: _Trial, item: tuple[int, int], result: Any, queue: deque[tuple[int, int]],
    progress: Progress | None, stored: bool = False,
) -> Iterable[_Trial]:
    index, block = item
    if block < 0:
        following = trial.receive_exact(index, result)
    else:
        assert trial.blocks is not None
        if not stored:
            trial.blocks.put(index, block, result)
        following = trial.receive(index, block, result)
    if trial.cells[index].done and progress is not None:
        total = len(trial.cells)
        progress(trial.claim.id, total - trial.open, total, trial.replicates)
    if trial.open == 0:
        yield trial
    yield from _feed(trial, following, queue, progress)
