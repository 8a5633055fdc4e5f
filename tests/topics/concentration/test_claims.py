"""McDiarmid's inequality: the verdict, and the number behind it."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from noisytheory.topics.concentration.differences.claims import theorem_24


@pytest.fixture
def result(tried):
    return tried[theorem_24.id]


def test_verdict(result):
    assert result.verdict == theorem_24.expect == "upheld"


def test_all_but_the_large_graph_is_exact(result):
    exact = result.summary["exact"]
    assert list(exact["population"].values[~exact]) == ["triangles, 20 vertices, p=0.3"]


def test_tightness_on_a_thousand_coins(result):
    cell = result.summary.sel(population="mean of 1000 coins, p=0.5", delta=0.05)
    quantile = stats.binom.ppf(0.95, 1000, 0.5) / 1000 - 0.5
    radius = math.sqrt(math.log(20) / 2000)
    assert float(cell["tightness"]) == pytest.approx(quantile / radius, rel=1e-9)


def test_what_is_beyond_the_largest_value_is_vacuous(result):
    # Triangles on 6 vertices: the largest excess is 20 - 2.5, the radius at 0.001 is 28.8.
    cell = result.summary.sel(population="triangles, 6 vertices, p=0.5", delta=0.001)
    assert float(cell["rhs"]) > 17.5 and bool(cell["vacuous"])
