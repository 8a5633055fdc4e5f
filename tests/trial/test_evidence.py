"""Evidence against closed forms, exhaustive enumeration and exact dynamic programmes."""

from __future__ import annotations

import itertools

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from noisytheory import evidence


@pytest.mark.parametrize("side", ["above", "below"])
@pytest.mark.parametrize(
    ("successes", "draws", "level"), [(0, 10, 0.05), (3, 10, 0.3), (9, 10, 0.5), (40, 700, 0.05)]
)
def test_log_e_rate_is_the_truncated_mixture(successes, draws, level, side):
    with mpmath.workdps(30):
        delta = mpmath.mpf(level)
        low, high = (delta, 1) if side == "above" else (0, delta)

        def prior(q):
            return 1 / mpmath.sqrt(q * (1 - q))

        def ratio(q):
            return (q / delta) ** successes * ((1 - q) / (1 - delta)) ** (draws - successes)

        mass = mpmath.quad(prior, [low, (low + high) / 2, high])
        wealth = mpmath.quad(
            lambda q: ratio(q) * prior(q), [low, (3 * low + high) / 4, (low + high) / 2, high]
        )
        expected = float(mpmath.log(wealth / mass))
    got = float(evidence.log_e_rate(successes, draws, level, side))
    assert got == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("side", "rates"), [("above", (0.0, 0.1, 0.2)), ("below", (0.2, 0.6, 1))])
def test_log_e_rate_has_mean_at_most_one_under_the_null(side, rates):
    level, draws = 0.2, 40
    counts = np.arange(draws + 1)
    wealth = np.exp(evidence.log_e_rate(counts, draws, level, side))
    for rate in rates:
        mean = np.dot(stats.binom.pmf(counts, draws, rate), wealth)
        if rate == level:
            assert mean == pytest.approx(1.0, abs=1e-9)
        else:
            assert mean < 1.0


def crossing_probability(level, rate, side, threshold, horizon):
    """Exact chance that the e-process ever crosses within the horizon, looking at every draw."""
    mass, crossed = np.array([1.0]), 0.0
    for draws in range(1, horizon + 1):
        mass = np.r_[mass * (1 - rate), 0.0] + np.r_[0.0, mass * rate]
        wealth = evidence.log_e_rate(np.arange(draws + 1), draws, level, side)
        over = wealth >= np.log(threshold)
        crossed += mass[over].sum()
        mass[over] = 0.0
    return crossed


@pytest.mark.parametrize("side", ["above", "below"])
@pytest.mark.parametrize("level", [0.05, 0.3])
def test_ville_holds_exactly_at_the_level(level, side):
    # A dynamic programme over all paths of 1500 draws: no simulation, no tolerance.
    crossed = crossing_probability(level, level, side, threshold=20, horizon=1500)
    assert 0.001 < crossed <= 1 / 20


def test_a_false_claim_is_refuted_with_certainty_in_the_limit():
    assert crossing_probability(0.05, 0.15, "above", threshold=1000, horizon=1500) > 0.999


def test_underflow_is_no_evidence_and_certainty_is_finite():
    assert evidence.log_e_rate(0, 10**9, 0.5, "above") == -np.inf
    assert np.isfinite(evidence.log_e_rate(10**6, 10**6, 0.001, "above"))


@given(
    p=st.floats(0.05, 0.95), low=st.floats(-1, 0), high=st.floats(0.5, 2),
)
def test_bounded_bets_are_martingales_at_the_mean(p, low, high):
    mean = p * high + (1 - p) * low
    for side in ("above", "below"):
        total = 0.0
        for outcome in itertools.product([low, high], repeat=4):
            weight = np.prod([p if x == high else 1 - p for x in outcome])
            total += weight * np.exp(
                evidence.bounded_bets(outcome, mean, low=low, high=high, side=side)
            )
        np.testing.assert_allclose(total, 1.0, rtol=1e-9)


def test_bounded_bets_refuse_what_was_not_declared():
    with pytest.raises(ValueError, match=r"declared range \[0, 1\]"):
        evidence.bounded_bets([0.5, 1.5], 0.5, low=0.0, high=1.0, side="above")
    with pytest.raises(ValueError, match="finite range"):
        evidence.bounded_bets([0.5], 0.5, low=0.0, side="below")


def test_bounded_bets_at_the_end_of_the_range():
    zeros = evidence.bounded_bets([0.0, 0.0], 0.0, low=0.0, high=1.0, side="above")
    assert np.all(zeros == 0.0)
    proof = evidence.bounded_bets([0.0, 0.1], 0.0, low=0.0, high=1.0, side="above")
    assert np.all(proof == np.inf)
    assert evidence.log_e_bets(proof) == np.inf


def test_catoni_bets_have_mean_at_most_one():
    # A skewed three-point law, all paths of four draws.
    values, weights = np.array([-1.0, 0.0, 9.0]), np.array([0.45, 0.5, 0.05])
    mean = values @ weights
    variance = (values - mean) ** 2 @ weights
    for side in ("above", "below"):
        total = np.zeros_like(evidence.BETS)
        for path in itertools.product(range(3), repeat=4):
            path = list(path)
            total += np.prod(weights[path]) * np.exp(
                evidence.catoni_bets(values[path], mean, variance, side)
            )
        assert np.all(total <= 1 + 1e-12)


def test_bets_are_additive_over_blocks():
    x = np.random.default_rng(3).uniform(size=1000)
    whole = evidence.bounded_bets(x, 0.6, low=0.0, high=1.0, side="below")
    parts = sum(
        evidence.bounded_bets(part, 0.6, low=0.0, high=1.0, side="below")
        for part in np.split(x, 8)
    )
    np.testing.assert_allclose(whole, parts, rtol=1e-12)
    # Mean 1/2 against 0.6: a thousand draws are plenty.
    assert evidence.log_e_bets(whole) > np.log(1e4)


def test_proportion_limits_are_clopper_pearson():
    for successes, draws in [(0, 7), (3, 50), (50, 50)]:
        oracle = stats.binomtest(successes, draws).proportion_ci(0.99, method="exact")
        low, high = evidence.proportion_limits(successes, draws, 0.99)
        assert (float(low), float(high)) == pytest.approx((oracle.low, oracle.high), abs=1e-12)
    assert [float(x) for x in evidence.proportion_limits(0, 0)] == [0.0, 1.0]


@pytest.mark.parametrize(("n", "q"), [(40, 0.5), (200, 0.95), (30, 0.999)])
def test_quantile_limits_cover_exactly(n, q):
    # For the draws 1..n the interval is a pair of ranks; their coverage is a binomial sum.
    estimate, low, high = evidence.quantile_limits(np.arange(1, n + 1), q, 0.99)
    assert estimate == np.ceil(q * n)
    below = 0.0 if low == -np.inf else stats.binom.cdf(low - 1, n, q)
    above = 0.0 if high == np.inf else stats.binom.sf(high - 1, n, q)
    assert below <= 0.005 and above <= 0.005
    if low > -np.inf:
        assert stats.binom.cdf(low, n, q) > 0.005


@given(draws=st.integers(1, 300), level=st.sampled_from([0.001, 0.05, 0.5]))
def test_violations_to_refute_is_the_first_that_does(draws, level):
    needed = evidence.violations_to_refute(draws, level, np.log(500))
    wealth = evidence.log_e_rate(np.arange(draws + 1), draws, level, "above")
    over = np.flatnonzero(wealth >= np.log(500))
    assert needed == (over[0] if over.size else draws + 1)


def test_rate_resolution_has_the_stated_power():
    excess = evidence.rate_resolution(5000, 0.05, np.log(1e4))
    needed = evidence.violations_to_refute(5000, 0.05, np.log(1e4))
    assert stats.binom.sf(needed - 1, 5000, 0.05 + excess) == pytest.approx(0.99, abs=1e-9)
    assert evidence.rate_resolution(1, 0.5, np.log(1e4)) == np.inf


class TestMeanLimits:
    """Exact for indicators, within the range, normal elsewhere."""

    def test_of_an_indicator_are_clopper_pearson(self):
        draws = np.r_[np.zeros(30), np.ones(2)]
        low, high = evidence.mean_limits(draws, 0.0, 1.0)
        # By their definition: 2 or more, or 2 or fewer, of 32 have probability 0.005 there.
        assert stats.binom.sf(1, 32, low) == pytest.approx(0.005)
        assert stats.binom.cdf(2, 32, high) == pytest.approx(0.005)
        scaled = evidence.mean_limits(3 - 5 * draws, -2.0, 3.0)
        assert scaled == pytest.approx((3 - 5 * high, 3 - 5 * low))

    def test_of_draws_that_all_agree_are_not_a_point(self):
        assert evidence.mean_limits(np.zeros(100), 0.0, 1.0)[1] > 0.04

    def test_stay_within_the_range(self):
        assert evidence.mean_limits([0.0, 0.5, 1.0], 0.0, 1.0) == (0.0, 1.0)
        assert evidence.mean_limits([0.0, 0.0, 9.0], 0.0)[0] == 0.0

    def test_are_normal_without_one(self):
        values = np.random.default_rng(0).normal(size=400)
        low, high = evidence.mean_limits(values, confidence=0.95)
        error = values.std() / 20
        assert (low, high) == pytest.approx(
            stats.norm.interval(0.95, loc=values.mean(), scale=error)
        )
