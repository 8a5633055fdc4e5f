"""Means of noisy samples against enumeration, and the error that no estimate avoids."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from noisytheory.topics.label_noise.noise import simulate
from noisytheory.vocabulary.populations import axes, axis, digits, orthonormal


def rng(seed=0):
    return np.random.default_rng(seed)


def test_the_law_of_the_noisy_deviation_on_an_axis_by_hand():
    p, n, sigma = Fraction(9, 10), 12, 0.3
    values, probabilities = simulate.noisy_deviation_law(axis(p), n, sigma)
    positive = 0.7 * 0.9 + 0.3 * 0.1
    k = np.arange(n + 1)
    by_hand = np.abs(0.8 - (2 * k / n - 1) / 0.4)
    for level in (0.0, 0.5, 1.0, 1.7, 2.5):
        ours = probabilities[values > level + 1e-9].sum()
        theirs = stats.binom.pmf(k, n, positive)[by_hand > level + 1e-9].sum()
        assert ours == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("sigma", [0.0, 0.1, 0.3, 0.45])
@pytest.mark.parametrize("population", [axis(), axis(Fraction(9, 10)), orthonormal(2)])
def test_mean_square_of_the_noisy_deviation_is_exact(population, sigma):
    # n E L^2 = (1 - (1 - 2 sigma)^2 |Phi(P)|^2) / (1 - 2 sigma)^2 for unit features.
    values, probabilities = simulate.noisy_deviation_law(population, 8, sigma)
    seen = 1 - 2 * sigma
    expected = (1 - (seen * population.norm) ** 2) / (8 * seen**2)
    assert np.dot(values**2, probabilities) == pytest.approx(expected)


def test_fair_signs_do_not_see_the_noise_but_pay_its_factor():
    clean, _ = simulate.noisy_deviation_law(axis(), 30, 0.0)
    noisy, weights = simulate.noisy_deviation_law(axis(), 30, 0.45)
    assert np.allclose(noisy, clean / (1 - 0.9))
    assert np.allclose(weights, simulate.noisy_deviation_law(axis(), 30, 0.0)[1])


@pytest.mark.parametrize(
    "population, n, sigma",
    [(axis(), 10, 0.3), (axis(Fraction(9, 10)), 25, 0.1), (orthonormal(2), 6, 0.45)],
)
def test_drawn_noisy_deviations_follow_the_enumerated_law(population, n, sigma):
    values, probabilities = simulate.noisy_deviation_law(population, n, sigma)
    drawn = simulate.noisy_deviation(population, n, sigma, size=20_000, rng=rng(8))
    nearest = np.abs(drawn[:, None] - values).argmin(axis=1)
    # Roots of rounding errors: a distance of zero comes out as 1e-8.
    assert np.allclose(drawn, values[nearest], atol=1e-6)
    counts = np.bincount(nearest, minlength=len(values))
    common = probabilities * len(drawn) >= 5
    observed = np.r_[counts[common], counts[~common].sum()]
    expected = np.r_[probabilities[common], probabilities[~common].sum()] * len(drawn)
    keep = expected > 0
    # False alarm: one in 10,000 for each of three cases.
    assert stats.chisquare(observed[keep], expected[keep]).pvalue > 1e-4


@pytest.mark.parametrize("population", [axes(20), orthonormal(20), digits(3, 8)])
def test_mean_square_of_drawn_noisy_deviations(population):
    n, sigma, size = 50, 0.3, 4000
    squares = simulate.noisy_deviation(population, n, sigma, size=size, rng=rng(9)) ** 2
    expected = (1 - (0.4 * population.norm) ** 2) / (n * 0.16)
    error = squares.std() / size**0.5
    # False alarm: a normal beyond 4.5 standard errors, 7 in a million for each of three cases.
    assert abs(squares.mean() - expected) < 4.5 * error
    assert error < 0.01 * expected


def test_the_two_point_error_by_enumeration_of_all_tests():
    n, sigma = 9, 0.3
    probability, error = simulate.two_point_error(n, sigma)
    # Means +-m with m = 1/(6 * 0.4) look like +-1/6 through the noise.
    positive = (1 + 1 / 6) / 2
    k = np.arange(n + 1)
    laws = [stats.binom.pmf(k, n, q) for q in (positive, 1 - positive)]
    tests = np.array(list(itertools.product([False, True], repeat=n + 1)))
    best = np.min(np.maximum((~tests) @ laws[0], tests @ laws[1]))
    assert probability == pytest.approx(best, abs=1e-12)
    assert error <= 1e-9


def test_the_two_point_error_tends_to_a_normal_one_and_names_its_range():
    probability, _ = simulate.two_point_error(1_000_000, 0.45)
    assert probability == pytest.approx(stats.norm.cdf(-0.5), abs=1e-5)
    with pytest.raises(ValueError, match="n must be at least"):
        simulate.two_point_error(10, 0.45)


def test_the_unavoidable_error_is_where_the_best_test_errs_so_often():
    for n, sigma in ((36, 0.0), (1000, 0.3)):
        radius, _ = simulate.unavoidable_error(n, sigma, 0.3)
        assert simulate._test_error(n, sigma, radius) == pytest.approx(0.3, abs=1e-9)
        # For large n two normal laws: half their distance is -quantile(0.3) of their spread.
        normal = -stats.norm.ppf(0.3) / np.sqrt(n) / (1 - 2 * sigma)
        assert radius == pytest.approx(normal, rel=0.02)
