"""Counts have the multinomial law: against enumeration, against moments, against mpmath."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from noisytheory.vocabulary.populations import multinomial
from noisytheory.vocabulary.populations.multinomial import InversionTable, Multinomial, binomial_law

# Every test below that draws has this false-alarm rate, and a fixed seed.
FALSE_ALARM = 1e-6


@pytest.fixture
def tables(monkeypatch):
    """Tables and single draws in use whatever the size of the problem."""
    monkeypatch.setattr(multinomial, "SPLIT_COST", 1e9)
    monkeypatch.setattr(multinomial, "LOOKUP_CHUNK", 64)


def chi_square(observed: np.ndarray, expected: np.ndarray) -> float:
    """P-value, cells of expectation below 5 joined."""
    small = expected < 5
    if small.any():
        observed = np.append(observed[~small], observed[small].sum())
        expected = np.append(expected[~small], expected[small].sum())
    statistic = ((observed - expected) ** 2 / expected).sum()
    return float(special.gammaincc((len(expected) - 1) / 2, statistic / 2))


@pytest.mark.parametrize("weights", [[0.25] * 4, [0.5, 0.3, 0.15, 0.05], [0.5, 0.5, 0.0, 0.0]])
@pytest.mark.parametrize("n", [1, 4, 9])
def test_every_outcome_as_often_as_enumeration_says(tables, weights, n):
    sampler = Multinomial(n, weights)
    assert not sampler.splits
    sampler.mean = max(0.0, n - math.sqrt(n))  # Poisson counts, though single draws are cheaper
    draws = 200_000
    counts = sampler.draw(draws, np.random.default_rng(n)).astype(int)
    assert counts.min() >= 0
    assert (counts.sum(axis=0) == n).all()
    every = np.array([c for c in np.ndindex(*[n + 1] * 4) if sum(c) == n])
    place = (n + 1) ** np.arange(4)
    observed = np.bincount(place @ counts, minlength=(n + 1) ** 4)[every @ place]
    expected = draws * stats.multinomial(n, weights).pmf(every)
    possible = expected > 0
    assert observed[possible].sum() == draws
    assert chi_square(observed[possible], expected[possible]) > FALSE_ALARM


@pytest.mark.parametrize(
    ("n", "weights"),
    [
        (10_000, np.full(400, 1 / 400)),
        (300, np.linspace(1, 3, 200) / 400),
        (3000, np.repeat([0.9 / 50, 0.1 / 50], 50)),
        # Forty times the mean that has a table: drawn by numpy, filled up by us.
        (200_000, np.append([0.9], np.full(999, 0.1 / 999))),
    ],
)
def test_moments_and_marginals_of_large_problems(n, weights):
    size = 4096
    sampler = Multinomial(n, weights)
    assert not sampler.splits
    assert sampler.mean > 0
    counts = sampler.draw(size, np.random.default_rng(3))
    assert (counts.sum(axis=0) == n).all()
    # Means and variances of every count, each normal to a part in a thousand at this size.
    deviation = (counts - n * weights[:, None]) / np.sqrt(n * weights * (1 - weights))[:, None]
    z = special.ndtri(1 - FALSE_ALARM / (4 * len(weights)))
    assert np.abs(deviation.mean(axis=1)).max() < z / math.sqrt(size)
    kurtosis = 3 + (1 - 6 * weights * (1 - weights)) / (n * weights * (1 - weights))
    # Sums of squares are skewed: half as much again is allowed.
    limit = 1.5 * z * np.sqrt((kurtosis - 1) / size)
    assert (np.abs((deviation**2).mean(axis=1) - 1) < limit).all()
    # The covariance -n p_i p_j, through sums over halves of the atoms, which are binomial.
    half = counts[: len(weights) // 2].sum(axis=0)
    p = weights[: len(weights) // 2].sum()
    assert abs(half.mean() - n * p) < z * math.sqrt(n * p * (1 - p) / size)
    assert abs(half.var() / (n * p * (1 - p)) - 1) < 1.5 * z * math.sqrt(2 / size)
    # One marginal whole.
    law = binomial_law(n, float(weights[1]))
    observed = np.bincount(counts[1].astype(int), minlength=n + 1)
    assert chi_square(observed, size * law) > FALSE_ALARM


def test_small_and_few_draws_split_binomials():
    weights = np.full(10, 0.1)
    assert Multinomial(10_000, weights).splits
    rng = np.random.default_rng(1)
    few = Multinomial(1000, np.full(500, 1 / 500)).draw(2, rng)
    assert few.shape == (500, 2)
    assert few.sum(axis=0).tolist() == [1000, 1000]


@pytest.mark.parametrize("bits", [4, 10, 16])
def test_inversion_table_draws_its_law(bits):
    law = np.array([0.3, 0.0, 0.05, 1e-5, 0.64999])
    table = InversionTable(law, bits)
    draws = table.values(500_000, np.random.default_rng(2))
    observed = np.bincount(draws, minlength=5)
    assert observed[1] == 0
    kept = law > 0
    assert chi_square(observed[kept], 500_000 * law[kept]) > FALSE_ALARM


def test_inversion_table_marks_only_cells_with_a_boundary_inside():
    # Boundaries at 1/4 and 1/2 lie on cell edges: every cell decides.
    assert InversionTable([0.25, 0.25, 0.5], 2).table.tolist() == [0, 1, 2, 2]
    assert InversionTable([0.3, 0.7], 2).table.tolist() == [0, 65535, 1, 1]


@given(n=st.integers(1, 40), p=st.floats(0.001, 0.999))
def test_binomial_law_against_mpmath(n, p):
    law = binomial_law(n, p)
    with mpmath.workdps(40):
        expected = [
            float(mpmath.binomial(n, k) * mpmath.mpf(p) ** k * (1 - mpmath.mpf(p)) ** (n - k))
            for k in range(n + 1)
        ]
    np.testing.assert_allclose(law, expected, rtol=1e-12)


@pytest.mark.parametrize("p", [0.0, 1.0])
def test_binomial_law_at_the_ends(p):
    assert binomial_law(3, p).tolist() == ([1, 0, 0, 0] if p == 0 else [0, 0, 0, 1])


def test_binomial_law_of_a_million_trials():
    law = binomial_law(10**6, 0.3)
    assert law.sum() == pytest.approx(1, abs=1e-12)
    assert (np.arange(10**6 + 1) @ law) == pytest.approx(3e5, rel=1e-12)
    with mpmath.workdps(40):
        p = mpmath.mpf(0.3)
        k = 301_500
        expected = mpmath.exp(
            mpmath.loggamma(10**6 + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(10**6 - k + 1)
            + k * mpmath.log(p) + (10**6 - k) * mpmath.log(1 - p)
        )
    assert law[k] == pytest.approx(float(expected), rel=1e-11)
