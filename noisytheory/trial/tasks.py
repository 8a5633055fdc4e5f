"""What a worker is asked for: first rows, blocks, exact evidence, whether rows are independent."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
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
from noisytheory.trial.independence import Comparison, compare, probe
from noisytheory.trial.verdict import RULES, Always

__all__ = ["Item", "probe_by_value", "work", "work_by_value"]

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
    return work(_by_value(payload), seed, items)


def probe_by_value(payload: bytes, seed: int) -> list[Arrays]:
    """`probe` of the first cell, for such an engine."""
    claim = _by_value(payload)
    with one_thread():
        return probe(claim, claim.cell(0), seed)


@cache
def _by_value(payload: bytes) -> Claim:
    """The claim that an engine sent; a worker keeps it."""
    import cloudpickle

    claim: Claim = cloudpickle.loads(payload)
    return claim
