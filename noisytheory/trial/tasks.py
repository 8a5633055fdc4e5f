"""What a worker is asked for: first rows, blocks, exact evidence, whether rows are independent."""

from __future__ import annotations

import gc
import sys
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from noisytheory.trial.certificates import searched
from noisytheory.trial.claim import Claim
from noisytheory.trial.draws import (
    Arrays,
    ClaimError,
    draw,
    exact_evidence,
    kept,
    one_thread,
    renamed,
)
from noisytheory.trial.elsewhere import Known, Outcome, answer, foreseen, is_ours
from noisytheory.trial.independence import Comparison, compare, probe
from noisytheory.trial.verdict import RULES, Always

__all__ = [
    "Item", "answer_by_value", "first_rows", "first_rows_by_value", "work", "work_by_value",
]

Item = tuple[int, int] | Comparison
"""A block by cell and index, the cell's exact evidence (index -1), or a comparison of its rows."""


def work(claim: Claim, seed: int, items: Sequence[Item]) -> list[Any]:
    """What was asked for, one by one; the last element is the time it took, in seconds."""
    start = time.perf_counter()
    with one_thread():
        results = [_done(claim, seed, item) for item in items]
    return [*results, time.perf_counter() - start]


def _done(claim: Claim, seed: int, item: Item) -> Any:
    if isinstance(item, Comparison):
        try:
            return compare(claim, seed, item)
        except ClaimError as error:
            # Whatever comes first: the cells are heard in their own order.
            return [], str(error), True
    index, block = item
    cell = claim.cell(index)
    if block < 0:
        found = exact_evidence(claim, cell)
        drawn = renamed(found) if isinstance(found, Mapping) else None
    else:
        found = drawn = draw(claim, cell, block, seed=seed)
    if drawn is not None and isinstance(RULES[claim.kind], Always):
        return searched(claim, seed, index, block, drawn)
    return found if block < 0 else kept(claim, found)


def work_by_value(payload: bytes, seed: int, items: Sequence[Item]) -> list[Any]:
    """`work` for an engine whose workers do not share this process's objects."""
    with _of_the_claim():
        return work(_by_value(payload), seed, items)


def first_rows(claim: Claim, seed: int, brief: bool) -> list[Arrays]:
    """`probe` of the first cell of a claim that draws."""
    with one_thread():
        return [] if claim.simulate is None else probe(claim, claim.cell(0), seed, brief=brief)


def first_rows_by_value(payload: bytes, seed: int, brief: bool) -> tuple[list[Arrays], Known]:
    """`first_rows` for such an engine, with what the judge will ask of somebody's claim besides."""
    with _of_the_claim():
        claim = _by_value(payload)
        return first_rows(claim, seed, brief), {} if is_ours(claim) else foreseen(claim)


def answer_by_value(payload: bytes, *question: Any) -> Outcome:
    """`answer` for such an engine."""
    with _of_the_claim(), one_thread():
        return answer(_by_value(payload), *question)


@contextmanager
def _of_the_claim() -> Iterator[None]:
    """What a worker raises is the claim's, where that is not seen from the process that judges it.

    An interrupt is: those of a key go to the parent process. So is what this package refuses.
    """
    try:
        yield
    except KeyboardInterrupt as error:
        raise ClaimError("the claim's code raised KeyboardInterrupt") from error
    except ClaimError:
        raise
    except ValueError as error:
        (*_, (frame, _)) = traceback.walk_tb(error.__traceback__)
        if str(frame.f_globals.get("__name__")).startswith("noisytheory."):
            raise ClaimError(str(error)) from error
        raise


@cache
def _by_value(payload: bytes) -> Claim:
    """The claim that an engine sent; a worker keeps it."""
    import cloudpickle

    claim: Claim = cloudpickle.loads(payload)
    _pass_over(len(sys.modules))
    return claim


@cache
def _pass_over(modules: int) -> None:
    """Sweeps for garbage pass over what is there once so many modules are: an eighth of all time.

    Once for each number, for what is garbage by then stays.
    """
    gc.collect(1)
    gc.freeze()
