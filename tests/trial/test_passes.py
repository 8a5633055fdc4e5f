"""What takes several passes is what one look at everything gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noisytheory.trial import passes

DRAWS = {
    "smooth": lambda rng, n: rng.normal(size=n),
    "few values": lambda rng, n: rng.integers(0, 5, n).astype(float),
    "sorted, so that no part is like another": lambda rng, n: np.sort(rng.normal(size=n)),
    "with NaN": lambda rng, n: np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
    "infinite": lambda rng, n: np.where(rng.random(n) < 0.2, np.inf, -np.inf),
    "heavy": lambda rng, n: -np.sort(rng.standard_cauchy(n)),
}


def in_parts(draws, cuts):
    pieces = np.split(draws, cuts, axis=-1)
    return lambda: iter(pieces)


@pytest.fixture
def narrow(monkeypatch):
    """Little memory: many passes."""
    monkeypatch.setattr(passes, "_GUIDES", 16)
    monkeypatch.setattr(passes, "AT_ONCE", 50)


@pytest.mark.parametrize("of", DRAWS)
def test_order_statistics_are_exact(of, narrow):
    rng = np.random.default_rng(1)
    for n, parts in [(2, 2), (7, 3), (400, 2), (400, 9)]:
        draws = np.array([DRAWS[of](rng, n), DRAWS[of](rng, n)])
        ranks = np.array([[0, n - 1, *rng.integers(0, n, 5)]] * 2)
        cuts = np.sort(rng.choice(np.arange(1, n), parts - 1, replace=False))
        found = passes.ordered(in_parts(draws, cuts), ranks)
        np.testing.assert_array_equal(found, np.take_along_axis(np.sort(draws), ranks, axis=1))


def test_order_statistics_take_three_passes_of_independent_draws():
    draws, seen = np.random.default_rng(2).normal(size=(1, 200_000)), []

    def parts():
        seen.append(1)
        return iter(np.split(draws, 20, axis=1))

    passes.ordered(parts, np.linspace(0, 199_999, 105).astype(int))
    # The first one only begins.
    assert len(seen) == 4


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=50), st.integers(1, 49), st.data())
def test_draws_moved_onto_points_keep_their_mean_and_gain_no_concave_sum(values, cut, data):
    draws = np.array(values)
    points, weights, moved = passes.on_points(in_parts(draws, [min(cut, draws.size - 1)]))
    assert weights.sum() == pytest.approx(draws.size)
    assert weights @ points == pytest.approx(draws.sum(), abs=1e-12)
    bet = data.draw(st.floats(0, 0.99))
    exact, found = np.log1p(bet * draws).sum(), weights @ np.log1p(bet * points)
    assert found <= exact + 1e-12
    # A second derivative of at most c costs at most c/2 times what was moved.
    assert exact <= found + (bet / (1 - bet)) ** 2 / 2 * moved + 1e-12


def test_one_part_is_the_draws_themselves():
    draws = np.random.default_rng(3).normal(size=100)
    assert passes.on_points(lambda: iter([draws])) == (pytest.approx(draws, abs=0), None, 0.0)
    assert float(passes.mean(lambda: iter([draws]))) == draws.mean()
