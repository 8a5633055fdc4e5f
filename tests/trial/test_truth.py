"""What is true on an instance, against laws that are known."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from scipy.stats import binom

import noisytheory as nt
from noisytheory.trial.truth import computable, needed, truth

LEVEL, OFF = 0.05, 0.1


def coins(name, **fields):
    fair = {"simulate": lambda n, size, rng: rng.binomial(n, 0.5, size) / n - 0.5}
    return nt.Paper("coins", "Hoeffding 1963").tail(
        name, statement="x", bound=lambda n, delta: np.sqrt(np.log(1 / delta) / (2 * n)),
        grid={"n": [10], "delta": [LEVEL]}, **{**fair, **fields},
    )


def test_limits_of_the_number_needed_hold_for_every_stream():
    n = np.arange(1, 151)
    exceeded = binom.sf(np.floor((0.5 + OFF) * n + 1e-9), n, 0.5)
    enough = 1 + n[exceeded > LEVEL].max()
    found = [needed(coins(f"fair-{i}"), "n", OFF, {"delta": LEVEL}, 150) for i in range(3)]
    # Each fails in one run of a hundred, at most.
    assert all(one.low <= enough <= one.high for one in found)
    assert all(one.low <= one.value <= one.high < 2 * one.low for one in found)
    assert len({one.value for one in found}) > 1  # by the estimates alone they differ


def test_a_quantile_has_limits_and_a_mean_without_a_range_has_none():
    at = truth(coins("fair"), {"n": 400, "delta": LEVEL})
    assert at.low <= binom.ppf(0.95, 400, 0.5) / 400 - 0.5 <= at.high < at.low + 0.01
    mean = nt.Paper("coins", "Notes").mean(
        "mean", statement="x", bound=lambda n: n**-0.5, grid={"n": [4]},
        simulate=lambda n, size, rng: rng.random(size) / n, expect="undecided",
    )
    at = truth(mean, {"n": 2})
    assert at.value == pytest.approx(0.25, abs=0.02) and (at.low, at.high) == (-math.inf, math.inf)


def test_draws_of_another_law_and_too_few_of_them_tell_nothing():
    weighted = coins("weighted", simulate=lambda n, size, rng: {
        "lhs": rng.random(size), "weight": np.ones(size),
    })
    assert computable(weighted, {"n": 4, "delta": LEVEL})
    assert truth(weighted, {"n": 4, "delta": LEVEL}) is None
    assert needed(weighted, "n", OFF, {"delta": LEVEL}, 150) is None
    assert needed(coins("rare"), "n", OFF, {"delta": 1e-3}, 350) is None


def test_memory_is_flat_in_the_draws_that_tell_what_is_true():
    """Runs of an algorithm were drawn at once, all 4,096 of them: a comparison took 3 GB."""
    peaks, seen = [], set()

    def runs(n, *, size, rng):
        drawn = rng.random((size, 1000))
        seen.update(drawn[:, 0].tolist())
        return {"lhs": drawn.mean(axis=1) - 0.5, "whole": drawn}

    claim = coins("runs", simulate=runs, rows=16)
    for replicates in (256, 8192):
        tracemalloc.start()
        at = truth(claim, {"n": 4, "delta": LEVEL}, replicates=replicates)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]
    assert len(seen) == 8192  # No run is drawn twice; the first are the same in both.
    assert at.low <= 1.645 * math.sqrt(1 / 12 / 1000) <= at.high
