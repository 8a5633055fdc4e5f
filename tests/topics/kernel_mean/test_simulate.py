"""Simulators against exact laws, enumeration, fractions and the definitions."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import special, stats

from noisytheory.topics.kernel_mean.deviation.simulate import (
    fair_axis_law,
    mean_deviation,
    mean_deviation_law,
    two_point_optimum,
)
from noisytheory.topics.kernel_mean.empirical.simulate import mean_deviation_with_norm
from noisytheory.topics.kernel_mean.risks import simulate as risks
from noisytheory.topics.kernel_mean.several_kernels.simulate import (
    IndependentSigns,
    Kernels,
    normalised_gap,
    normalised_gap_law,
)
from noisytheory.trial.claim import Law
from noisytheory.vocabulary.populations import (
    axes,
    axis,
    circle,
    digits,
    oblique_pair,
    orthonormal,
    two_axes,
    two_gaussians,
)

DRAWS = 20_000
# Dvoretzky-Kiefer-Wolfowitz at 20,000 draws: a false alarm once in 1e9.
DISTANCE = math.sqrt(math.log(2e9) / (2 * DRAWS))


def distance(drawn, law: Law) -> float:
    """Largest distance of the distribution functions."""
    values, cdf = np.asarray(law.values), np.cumsum(np.asarray(law.probabilities))
    empirical = np.searchsorted(np.sort(drawn), values + 1e-9, side="right") / len(drawn)
    return float(np.max(np.abs(empirical - cdf)))


def fractions_of_the_axis(n, p):
    """The norm |2k/n - 2p| and its probability, in fractions."""
    return [
        (abs(Fraction(2 * k, n) - 2 * p), math.comb(n, k) * p**k * (1 - p) ** (n - k))
        for k in range(n + 1)
    ]


def test_the_anchor_in_26_terms():
    # One axis, p = 0.7, n = 25: E L^2 = 0.84 / 25 exactly, E L in fractions.
    table = fractions_of_the_axis(25, Fraction(7, 10))
    assert sum(value**2 * mass for value, mass in table) == Fraction(84, 2500)
    law = mean_deviation_law(axis(Fraction(7, 10)), 25)
    second = np.dot(np.asarray(law.values) ** 2, np.asarray(law.probabilities))
    assert math.sqrt(second) == pytest.approx(math.sqrt(0.84 / 25), rel=1e-12)
    exact = float(sum(value * mass for value, mass in table))
    assert law.mean() == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize(
    ("population", "n"),
    [(axis(), 30), (axis(Fraction(9, 10)), 100), (oblique_pair(), 10), (orthonormal(3), 12),
     (axes(2), 9)],
    ids=lambda x: getattr(x, "name", x),
)
def test_deviations_follow_their_law(population, n):
    law = mean_deviation_law(population, n)
    drawn = mean_deviation(population, n, size=DRAWS, rng=np.random.default_rng(1))
    assert distance(drawn, law) < DISTANCE
    drawn = mean_deviation_with_norm(population, n, size=DRAWS,
                                              rng=np.random.default_rng(2))
    assert distance(drawn["lhs"], law) < DISTANCE


def test_no_law_beyond_enumeration_and_beyond_atoms():
    assert mean_deviation_law(circle(360), 100) is None
    assert mean_deviation_law(two_gaussians(), 5) is None


def test_the_norm_of_the_sample_is_that_of_the_same_sample():
    # On one axis with p = 0.9, Phi(S) = Phi(P) +- L with Phi(P) = 0.8.
    drawn = mean_deviation_with_norm(
        axis(Fraction(9, 10)), 20, size=500, rng=np.random.default_rng(3)
    )
    lhs, norm = drawn["lhs"], drawn["sample_norm"]
    assert np.all(np.isclose(norm, 0.8 + lhs) | np.isclose(norm, 0.8 - lhs))
    assert len(np.unique(norm.round(9))) > 5


def test_limits_of_the_catalogue():
    # sqrt(n) L: chi with 100 degrees over 10 for 50 axes without the lost count, Rayleigh for
    # the circle with 95% quantile sqrt(log 20).
    rng = np.random.default_rng(4)
    drawn = math.sqrt(1000) * axes(50).deviations(1000, size=DRAWS, rng=rng)
    chi = stats.chi(50)
    assert drawn.mean() == pytest.approx(chi.mean() / math.sqrt(50), abs=6 * 0.1 / math.sqrt(DRAWS))
    drawn = math.sqrt(1000) * circle(360).deviations(1000, size=DRAWS, rng=rng)
    beyond = np.count_nonzero(drawn > math.sqrt(math.log(20)))
    low, high = stats.binom.ppf([1e-9, 1 - 1e-9], DRAWS, 0.05)
    assert low <= beyond <= high


@pytest.mark.parametrize("population", [axis(), two_axes(Fraction(3, 4)), orthonormal(3),
                                        circle(7)], ids=lambda p: p.name)
def test_no_direction_has_a_larger_gap(population):
    rng = np.random.default_rng(5)
    counts = population.counts(10, size=200, rng=np.random.default_rng(6))
    largest = risks.risk_gap(population, 10, size=200, rng=np.random.default_rng(6))
    points = population.points.astype(float)
    for _ in range(200):
        direction = rng.normal(size=points.shape[1])
        direction /= np.linalg.norm(direction)
        losses = 1 - population.labels * (points @ direction)
        gaps = losses @ population.weights - counts / 10 @ losses
        assert np.all(gaps <= largest + 1e-12)


def test_the_sup_is_the_norm_and_needs_more_than_axes():
    drawn = risks.risk_gap_samples(circle(7), 10, "ball", size=500, rng=np.random.default_rng(7))
    np.testing.assert_allclose(drawn["lhs"], drawn["rhs"], atol=1e-12)
    along = risks.risk_gap_samples(circle(7), 10, "axes", size=500, rng=np.random.default_rng(7))
    np.testing.assert_array_equal(along["counts"], drawn["counts"])
    assert np.mean(along["lhs"] < drawn["lhs"] - 1e-6) > 0.9


@pytest.mark.parametrize(("population", "n"), [(axis(), 4), (orthonormal(3), 4), (two_axes(), 3)],
                         ids=lambda x: getattr(x, "name", x))
def test_every_sample_is_listed_once(population, n):
    listed = risks.risk_gap_every_sample(population, n, "ball")["counts"]
    brute = {c for c in itertools.product(range(n + 1), repeat=population.atoms) if sum(c) == n}
    assert len(listed) == len(brute) and {tuple(row) for row in listed.tolist()} == brute


def test_the_certificate_is_the_float_squared():
    population = two_axes(Fraction(3, 4), Fraction(1, 3))
    drawn = risks.risk_gap_samples(population, 10, "ball", size=20, rng=np.random.default_rng(8))
    for counts, lhs in zip(drawn["counts"], drawn["lhs"], strict=True):
        certificate = risks.risk_gap_certificate(population, 10, "ball", counts)
        assert not certificate.differs()
        assert type(certificate.lhs.numerator) is type(certificate.rhs.numerator) is int
        assert float(certificate.lhs) == pytest.approx(lhs**2, abs=1e-13)
        broken = risks.risk_gap_certificate(population, 10, "axes", counts)
        assert broken.lhs <= broken.rhs == certificate.rhs


def test_certificates_need_fractions_and_points():
    counts = np.zeros(7, int)
    with pytest.raises(ValueError, match="not rational"):
        risks.risk_gap_certificate(circle(7), 1, "ball", counts)
    with pytest.raises(ValueError, match="no points"):
        risks.risk_gap(oblique_pair(), 1, size=1, rng=np.random.default_rng(1))


@pytest.mark.parametrize("n", [1, 2, 3, 10, 25, 400])
def test_the_two_point_optimum_is_half_of_one_less_total_variation(n):
    k, epsilon = np.arange(n + 1), 1 / (2 * math.sqrt(n))
    plus = stats.binom.pmf(k, n, (1 + epsilon) / 2)
    minus = stats.binom.pmf(k, n, (1 - epsilon) / 2)
    optimum, error = two_point_optimum(n)
    assert abs(optimum - (1 - np.abs(plus - minus).sum() / 2) / 2) <= error


def test_no_test_beats_the_two_point_optimum():
    # All 16 deterministic tests on three signs: the mean of the two errors is at least optimal.
    epsilon = 1 / (2 * math.sqrt(3))
    k = np.arange(4)
    plus = stats.binom.pmf(k, 3, (1 + epsilon) / 2)
    minus = stats.binom.pmf(k, 3, (1 - epsilon) / 2)
    errors = [
        (plus[~np.array(said)].sum() + minus[np.array(said)].sum()) / 2
        for said in itertools.product([False, True], repeat=4)
    ]
    assert min(errors) == pytest.approx(two_point_optimum(3)[0], rel=1e-12)


@pytest.mark.parametrize("n", [1, 2, 7, 60, 1001, 10_000])
def test_the_fair_axis_law_against_integers(n):
    law = fair_axis_law(n)
    values = [round(v * n) for v in np.asarray(law.values)]
    for index in {0, len(values) // 7, len(values) // 2, len(values) - 1}:
        k = (values[index] + n) // 2
        exact = Fraction(math.comb(n, k) * (1 if 2 * k == n else 2), 2**n)
        got = Fraction(float(np.asarray(law.probabilities)[index]))
        assert abs(got / exact - 1) < 1e-11


def test_the_far_tail_against_integers():
    # Pr[B > 1180 or B < 820] for n = 2,000 as a sum of integers, eight deviations out.
    exact = Fraction(2 * sum(math.comb(2000, j) for j in range(1181, 2001)), 2**2000)
    low, high = fair_axis_law(2000).exceeding(0.18)
    assert exact < 1e-14 and Fraction(low) <= exact <= Fraction(high)


def test_the_far_tail_of_a_million_against_the_incomplete_beta_function():
    low, high = fair_axis_law(10**6).exceeding(0.0077)
    tail = 2 * special.betainc(503_851, 10**6 - 503_850, 0.5)
    assert low < high and low == pytest.approx(tail, rel=1e-8) == high


def test_the_fair_axis_law_is_refused_beyond_its_certified_range():
    for n in (0, 2_000_000):
        with pytest.raises(ValueError, match="n must be"):
            fair_axis_law(n)


def test_a_law_sees_what_an_absolute_error_hides():
    values, mass = [0.0, 1.0], [1 - 1e-12, 1e-12]
    assert Law(values, mass).exceeding(0.5) == (1e-12, 1e-12)
    assert Law(values, mass).exceeding(1.0) == (0.0, pytest.approx(1e-12))
    assert Law(values, mass).quantile(1 - 1e-13) == 1.0
    assert Law(values, mass).quantile(1 - 1e-11) == 0.0


def test_the_law_of_the_largest_of_independent_signs_by_enumeration():
    n, k = 3, 2
    mass = {}
    for counts in itertools.product(range(n + 1), repeat=k):
        value = max(abs(Fraction(2 * c, n) - 1) for c in counts)
        weight = math.prod(Fraction(math.comb(n, c), 2**n) for c in counts)
        mass[value] = mass.get(value, 0) + weight
    law = IndependentSigns(k).law(n)
    np.testing.assert_allclose(law.values, [float(v) for v in sorted(mass)], rtol=1e-14)
    np.testing.assert_allclose(
        law.probabilities, [float(mass[v]) for v in sorted(mass)], rtol=1e-13
    )


def test_independent_signs_follow_their_law():
    family = IndependentSigns(10)
    drawn = normalised_gap(family, 20, size=DRAWS, rng=np.random.default_rng(9))
    assert distance(drawn, normalised_gap_law(family, 20)) < DISTANCE


def test_one_sign_among_kernels_is_one_sign():
    # The same single feature map, once by its binomial law and once by its Gram matrix.
    family = Kernels("one", [axis()])
    drawn = normalised_gap(family, 20, size=DRAWS, rng=np.random.default_rng(10))
    assert distance(drawn, IndependentSigns(1).law(20)) < DISTANCE
    assert normalised_gap_law(family, 20) is None


def test_gaps_of_kernels_are_differences_of_risks():
    populations = [digits(bandwidth=b) for b in (0.5, 2.0)]
    n, size = 30, 5
    gaps = normalised_gap(
        Kernels("two", populations), n, size=size, rng=np.random.default_rng(11)
    )
    counts = populations[0].counts(n, size=size, rng=np.random.default_rng(11))
    for row, shares in enumerate(counts / n):
        expected = []
        for population in populations:
            norm = math.sqrt(shares @ population.gram @ shares)
            # Loss 1 - y f(x) at every atom, f the normalised mean of the sample.
            losses = 1 - population.gram @ shares / norm
            expected.append(population.weights @ losses - shares @ losses)
        assert gaps[row] == pytest.approx(max(expected), rel=1e-10)


def test_a_sample_mean_of_zero_has_no_gap():
    gaps = normalised_gap(
        Kernels("one", [axis()]), 2, size=200, rng=np.random.default_rng(12)
    )
    assert set(np.unique(gaps)) == {0.0, 1.0}


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: mean_deviation(digits(), 10, size=7, rng=rng),
        lambda rng: mean_deviation_with_norm(axes(3), 10, size=7, rng=rng)["sample_norm"],
        lambda rng: risks.risk_gap(two_axes(), 10, size=7, rng=rng),
        lambda rng: normalised_gap(IndependentSigns(3), 10, size=7, rng=rng),
    ],
)
def test_shapes_and_reproducibility(draw):
    first, again = draw(np.random.default_rng(13)), draw(np.random.default_rng(13))
    assert first.shape == (7,)
    np.testing.assert_array_equal(first, again)
