"""Memory does not grow with the replicates, and what is shown does not depend on it."""

from __future__ import annotations

import dataclasses
import tracemalloc

import numpy as np
import planted
import pytest

import noisytheory as nt
from noisytheory.trial.store.places import Temporary


def _far_out(*, size, rng):
    x = rng.exponential(10, size)
    return {"lhs": x, "weight": 10 * np.exp(-0.9 * x)}


_WEIGHTED = planted.PAPER.tail(
    "weighted", statement="x", bound=lambda delta: -np.log(delta), simulate=_far_out,
    weight_high=10.0, weight_limit=lambda delta: 10 * delta**0.9, grid={"delta": [0.1, 0.01]},
)
KINDS = [
    dataclasses.replace(claim, rows=128) for claim in (
        planted.at_level(cells=1), planted.data_dependent(), _WEIGHTED, planted.mean(),
        planted.catoni_at_level(), planted.published(), planted.always(),
    )
]
LIMITS = (
    "mean_low", "mean_high", "tightness_low", "tightness_high", "probability_low",
    "probability_high",
)
"""Of a mean; they may be a little wider where not all draws are at hand."""


def little_memory(monkeypatch, draws):
    """As if no more draws of a cell fitted into memory, and no block once it has been weighed."""
    trial = "noisytheory.trial"
    for name in ("description.AT_ONCE", "description._A_PART", "passes.AT_ONCE", "result.AT_ONCE"):
        monkeypatch.setattr(f"{trial}.{name}", draws)
    monkeypatch.setattr(f"{trial}.store.chunks.TOGETHER", draws)
    monkeypatch.setattr(Temporary, "ROOM", 0)


def audit(claims, **settings):
    return nt.audit(claims, **{"replicates": 256, "seed": 5, **settings})


def test_what_is_shown_of_draws_in_parts_is_what_is_shown_of_them_together(monkeypatch):
    with audit(KINDS) as together, monkeypatch.context() as patch:
        little_memory(patch, 1)
        with audit(KINDS) as parted:
            for left, right in zip(together, parted, strict=True):
                assert left.replay() == right.replay()
                left, right = (result.dataset.load() for result in (left, right))
                assert left.attrs == right.attrs and set(left.variables) == set(right.variables)
                of_a_mean = left.attrs["kind"] != "tail" or "weight" in left
                for name in left.data_vars:
                    one, other = left[name].values, right[name].values
                    summed = name in ("mean", "rhs", "tightness", "probability", "weight_mean")
                    if summed or (name in (*LIMITS, "refutable_factor") and of_a_mean):
                        width = 1e-12 if summed else 0.02
                        np.testing.assert_allclose(other, one, width, err_msg=name)
                    else:
                        np.testing.assert_array_equal(other, one, err_msg=name)
                    if name in LIMITS:
                        known = np.isfinite(one)
                        wider = (other[known] - one[known]) * (1 if name.endswith("high") else -1)
                        assert np.all(wider >= -1e-3 * np.abs(one[known]))


@pytest.mark.parametrize(
    "claim", [planted.at_level(cells=1), planted.mean_of("half", bound=lambda n: 0.5)],
    ids=lambda claim: claim.kind,
)
def test_ten_times_the_draws_take_no_more_memory(monkeypatch, claim, tmp_path):
    claim = dataclasses.replace(claim, rows=4096, grid={**claim.grid, "n": [1]})
    little_memory(monkeypatch, 4 * claim.rows)
    monkeypatch.setattr("noisytheory.trial.run._TASK_BLOCKS", 4)

    def peak(blocks):
        tracemalloc.start()
        try:
            draws, where = blocks * claim.rows, tmp_path / str(blocks)
            with audit([claim], replicates=draws, store=where) as found:
                assert found[claim.id].replicates == draws
                return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(1)  # What is imported and cached at first.
    few, many = peak(20), peak(200)
    # A block is remembered by its name and digests; its draws, 32 KiB, are not.
    assert many - few < 180 * 1024
