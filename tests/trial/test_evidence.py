"""Evidence against closed forms, exhaustive enumeration and exact dynamic programmes."""

from __future__ import annotations

import itertools

import mpmath
import numpy as np
import pytest
import ville
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from noisytheory.trial import evidence


@pytest.mark.parametrize("side", ["above", "below"])
@pytest.mark.parametrize(
    ("successes", "draws", "level"), [(0, 10, 0.05), (3, 10, 0.3), (9, 10, 0.5), (40, 700, 0.05)]
)
def test_log_e_rate_is_the_truncated_mixture(successes, draws, level, side):
    with mpmath.workdps(30):
        delta = mpmath.mpf(level)
        low, high = (delta, 1) if side == "above" else (0, delta)

        other = 1 / (2 * delta) if side == "above" else mpmath.mpf("0.5")

        def prior(q):
            return q ** mpmath.mpf("-0.5") * (1 - q) ** (other - 1)

        def ratio(q):
            return (q / delta) ** successes * ((1 - q) / (1 - delta)) ** (draws - successes)

        mass = mpmath.quad(prior, [low, (low + high) / 2, high])
        wealth = mpmath.quad(
            lambda q: ratio(q) * prior(q), [low, (3 * low + high) / 4, (low + high) / 2, high]
        )
        expected = float(mpmath.log(wealth / mass))
    got = float(evidence.log_e_rate(successes, draws, level, side))
    assert got == pytest.approx(expected, abs=1e-6)


def test_a_tiny_level_has_support():
    # Below the level d the prior is q^(-1/2): a success has E[q/d] = 1/3, without one it is 1.
    for level in (1e-12, 1e-18, 1e-200):
        found = np.exp(evidence.log_e_rate([0, 1], 100, level, "below"))
        assert found == pytest.approx([1, 1 / 3], abs=1e-9)


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
    # A dynamic programme over all paths of 500 draws: no simulation, no tolerance.
    crossed = crossing_probability(level, level, side, threshold=20, horizon=500)
    assert 0.001 < crossed <= 1 / 20


def test_a_false_claim_is_refuted_with_certainty_in_the_limit():
    assert crossing_probability(0.05, 0.2, "above", threshold=1000, horizon=500) > 0.999


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


@pytest.mark.parametrize(("successes", "draws"), [(0, 7), (3, 50), (50, 50), (400, 5000)])
def test_rate_limits_are_what_the_mixture_has_not_rejected(successes, draws):
    low, high = (float(x) for x in evidence.rate_limits(successes, draws, 0.99))
    with mpmath.workdps(30):
        mixture = mpmath.beta(successes + 0.5, draws - successes + 0.5) / mpmath.pi

        def wealth(p):
            p = mpmath.mpf(p)
            return mixture / (p**successes * (1 - p) ** (draws - successes))

        for end, inside in ((low, high), (high, low)):
            if 0 < end < 1:
                assert float(wealth(end)) == pytest.approx(100, rel=1e-6)
            assert wealth((end * 3 + inside) / 4) < 100 or low == high
    assert low <= successes / draws <= high


def test_rate_limits_without_draws_say_nothing():
    assert [float(x) for x in evidence.rate_limits(0, 0)] == [0.0, 1.0]


def test_rate_limits_agree_with_an_independent_package():
    rng = np.random.default_rng(0)
    draws = (rng.uniform(size=400) < 0.1).astype(float)
    other = ville.BernoulliCS(alpha=0.01, prior=(0.5, 0.5), intersect=False)
    other.update(draws)
    found = [float(x) for x in evidence.rate_limits(draws.sum(), draws.size)]
    assert found == pytest.approx([float(other.lower_[-1]), float(other.upper_[-1])], abs=1e-6)


def test_rate_limits_hold_at_all_times_together():
    # Exact, by a dynamic programme over all paths: the chance that the limits ever miss the rate.
    rate, mass, missed = 0.2, np.array([1.0]), 0.0
    for draws in range(1, 401):
        mass = np.r_[mass * (1 - rate), 0.0] + np.r_[0.0, mass * rate]
        low, high = evidence.rate_limits(np.arange(draws + 1), draws, 0.9)
        out = (low > rate) | (high < rate)
        missed += mass[out].sum()
        mass[out] = 0.0
    assert 0.001 < missed <= 0.1


@pytest.mark.parametrize(("n", "q"), [(40, 0.5), (200, 0.95), (30, 0.999), (3000, 0.99)])
def test_quantile_limits_are_ranks_that_the_evidence_has_not_refuted(n, q):
    estimate, low, high = evidence.quantile_ranks(n, q, 0.99)
    assert estimate == np.ceil(q * n - 1e-9)
    counts = np.arange(n + 1)
    few = evidence.log_e_rate(counts, n, q, "below") >= np.log(200)
    many = evidence.log_e_rate(counts, n, q, "above") >= np.log(200)
    # The quantile lies above x when too few draws are <= x: the first rank that may be it.
    assert low == few.sum()
    assert high == (np.flatnonzero(many)[0] if many.any() else n + 1)


def test_quantile_limits_hold_when_one_stops_at_will():
    # A uniform's median, looked at after every doubling: promised to miss in at most 1% of runs.
    # Six or more of 200 would happen with probability 0.016 at that level; the limits miss less.
    missed = 0
    for seed in range(200):
        draws = np.random.default_rng(seed).uniform(size=1024)
        looks = [np.sort(draws[: 2**k]) for k in range(4, 11)]
        ends = [evidence.quantile_ranks(look.size, 0.5, 0.99)[1:] for look in looks]
        # The median lies between two ranks if as many draws are below it.
        below = [np.count_nonzero(look < 0.5) for look in looks]
        missed += any(
            not low <= count < high for count, (low, high) in zip(below, ends, strict=True)
        )
    assert missed <= 5


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


@pytest.mark.parametrize("level", [0.02, 0.3])
def test_share_resolution_has_the_stated_power_under_the_worst_law(level):
    draws, reach = 2000, np.log(1e4)
    excess = evidence.share_resolution(draws, level, reach)
    counts = np.arange(draws + 1)
    gain = np.log1p(evidence.BETS * (1 - level) / level)
    wealth = evidence.log_e_bets(
        counts[:, None] * gain + (draws - counts[:, None]) * np.log1p(-evidence.BETS)
    )
    power = stats.binom.pmf(counts, draws, level + excess)[wealth >= reach].sum()
    assert power == pytest.approx(0.99, abs=1e-6)


def test_other_laws_of_the_same_mean_are_refuted_more_often():
    # Uniform on an interval instead of both ends; 200 runs, all refuted unless the power is lost.
    level, draws, reach = 0.3, 500, np.log(1e3)
    mean = level + evidence.share_resolution(draws, level, reach)
    for seed in range(200):
        x = np.random.default_rng(seed).uniform(0, 2 * mean, size=draws)
        sums = evidence.bounded_bets(x, level, low=0.0, high=1.0, side="above")
        assert evidence.log_e_bets(sums) >= reach


def test_variance_resolution_has_the_stated_power():
    # Exponential draws, variance 1; the promise is Catoni's, so that 400 runs of 400 are expected.
    draws, reach = 4000, np.log(1e3)
    excess = evidence.variance_resolution(1.0, draws, reach)
    found = [
        evidence.log_e_bets(evidence.catoni_bets(
            np.random.default_rng(seed).exponential(size=draws), 1 - excess, 1.0, "above"
        )) >= reach
        for seed in range(400)
    ]
    assert np.mean(found) >= 0.99


def test_where_nothing_could_refute_the_resolution_is_infinite():
    assert evidence.share_resolution(0, 0.3, 5.0) == np.inf
    assert evidence.share_resolution(3, 0.5, 50.0) == np.inf
    assert evidence.variance_resolution(1.0, 3, 50.0) == np.inf


class TestMeanLimits:
    """Those of its rate for an indicator, empirical Bernstein within a known range, else none."""

    def test_of_an_indicator_are_those_of_its_rate(self):
        draws = np.r_[np.zeros(30), np.ones(2)]
        low, high = evidence.mean_limits(draws, 0.0, 1.0)
        assert (low, high) == tuple(float(x) for x in evidence.rate_limits(2, 32))
        scaled = evidence.mean_limits(3 - 5 * draws, -2.0, 3.0)
        assert scaled == pytest.approx((3 - 5 * high, 3 - 5 * low))

    def test_agree_with_an_independent_package(self):
        draws = np.random.default_rng(1).beta(2, 5, size=800) * 3 - 1
        other = ville.EmpiricalBernsteinCS(bounds=(-1, 2), alpha=0.01, c=0.75, intersect=False)
        other.update(draws)
        found = evidence.mean_limits(draws, -1.0, 2.0)
        assert found == pytest.approx((float(other.lower_[-1]), float(other.upper_[-1])), rel=1e-9)

    def test_of_draws_that_all_agree_are_not_a_point(self):
        assert evidence.mean_limits(np.full(100, 0.5), 0.0, 1.0)[1] > 0.55

    def test_stay_within_the_range(self):
        low, high = evidence.mean_limits([0.0, 0.5, 1.0], 0.0, 1.0)
        assert low == 0.0 and high == 1.0

    def test_without_a_range_nothing_is_known(self):
        assert evidence.mean_limits([0.0, 0.0, 9.0], 0.0) == (0.0, np.inf)
