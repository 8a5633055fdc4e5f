"""Kernel-mean bounds against closed forms, exact binomial laws, mpmath, limits and order."""

from __future__ import annotations

import math
from functools import partial

import mpmath
import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from noisytheory import kernel_mean as km
from noisytheory.topics.concentration.vectors.bounds import hilbert_bernstein

N = st.integers(1, 10**6)
DELTA = st.floats(1e-12, 0.999)
NORM = st.floats(0, 1)

OF_N_DELTA = {
    "mean_deviation": km.mean_deviation,
    "mean_deviation_repaired": km.mean_deviation_repaired,
    "mean_deviation_repaired, norm": partial(km.mean_deviation_repaired, norm=0.6),
    "mean_deviation_diameter": partial(km.mean_deviation_diameter, norm=0.6, diameter=1.2),
    "empirical_deviation": partial(km.empirical_deviation, sample_norm=0.7),
    "empirical_bernstein": partial(km.empirical_bernstein, sample_norm=0.7),
    "multiple_kernel_gap": partial(km.multiple_kernel_gap, k=7),
    "multiple_kernel_gap_repaired": partial(km.multiple_kernel_gap_repaired, k=7),
    "mean_deviation_candidate": partial(km.mean_deviation_candidate, c=0.5),
}


def axis_law(n, p=0.5):
    """The norm |2B/n - 2p| and its probabilities, on one axis."""
    k = np.arange(n + 1)
    return np.abs(2 * k / n - 2 * p), stats.binom.pmf(k, n, p)


def test_printed_radius_by_hand():
    # delta = e^-2: 2/sqrt(n) + sqrt(4/n) = 4/sqrt(n).
    assert km.mean_deviation(16, math.exp(-2)) == pytest.approx(1.0, rel=1e-15)
    assert km.mean_deviation_repaired(16, math.exp(-2)) == pytest.approx(0.75, rel=1e-15)
    assert km.mean_deviation_repaired(16, math.exp(-2), norm=1.0) == pytest.approx(0.5)


def test_diameter_by_hand():
    # A diameter of 1 halves McDiarmid's term, 0 removes it.
    delta = math.exp(-2)
    assert km.mean_deviation_diameter(16, delta, 0.0, 1.0) == pytest.approx(0.5, rel=1e-15)
    assert km.mean_deviation_diameter(16, delta, 0.0, 0.0) == pytest.approx(0.25, rel=1e-15)
    assert km.mean_deviation_diameter(16, delta) == km.mean_deviation_repaired(16, delta)


def test_the_published_example():
    assert km.mean_deviation(n=400, delta=0.05) == pytest.approx(0.22238, abs=1e-5)


def test_minimax_probability_against_a_40_digit_evaluation():
    for n in (1, 25, 100, 1000, 10**8):
        with mpmath.workdps(40):
            e = 1 / (2 * mpmath.sqrt(n))
            exact = (1 - mpmath.sqrt(mpmath.mpf(n) / 2 * e * mpmath.log((1 + e) / (1 - e)))) / 2
        # The logarithm of a ratio near 1 loses digits: absolute error about eps sqrt(n).
        assert abs(km.minimax_probability(n) - float(exact)) < 1e-16 * math.sqrt(n) + 1e-15
    values = km.minimax_probability(np.array([25, 100, 1000]))
    np.testing.assert_array_equal(values.round(4), [0.2496, 0.2499, 0.25])


def test_pinsker_stays_below_the_exact_total_variation():
    for n in (1, 2, 25, 400):
        k, e = np.arange(n + 1), 1 / (2 * math.sqrt(n))
        plus, minus = stats.binom.pmf(k, n, (1 + e) / 2), stats.binom.pmf(k, n, (1 - e) / 2)
        variation = np.abs(plus - minus).sum() / 2
        assert km.minimax_probability(n) <= (1 - variation) / 2


@pytest.mark.parametrize("n", [5, 10, 30, 100, 1000])
@pytest.mark.parametrize("p", [0.5, 0.7, 0.9, 1.0])
def test_tails_on_one_axis_by_enumeration(n, p):
    norm, mass = axis_law(n, p)
    for delta in (0.5, 0.1, 0.05, 0.01, 0.001):
        for radius in (
            km.mean_deviation(n, delta),
            km.mean_deviation_repaired(n, delta, abs(2 * p - 1)),
            km.mean_deviation_candidate(n, delta, 1.0),
            km.mean_deviation_candidate(n, delta, 0.5),
        ):
            assert mass[norm > radius].sum() <= delta
    mean, size = mass @ norm, abs(2 * p - 1)
    assert mean <= km.expected_deviation_repaired(n, size) + 1e-15
    assert mean <= km.expected_deviation(n)


@pytest.mark.parametrize("n", [5, 100, 1000])
@pytest.mark.parametrize("p", [0.5, 0.9, 0.99, 1.0])
def test_data_dependent_tails_on_one_axis_by_enumeration(n, p):
    k = np.arange(n + 1)
    norm, mass = axis_law(n, p)
    sample_norm = np.abs(2 * k / n - 1)
    for bound in (km.empirical_deviation, km.empirical_bernstein):
        for delta in (0.5, 0.05, 0.001):
            assert mass[norm > bound(n, delta, sample_norm)].sum() <= delta


@pytest.mark.parametrize("sample_norm", [0.0, 0.05, 0.3, 0.9, 1.0])
@pytest.mark.parametrize("n", [1, 5, 50, 400, 10**5])
def test_empirical_bounds_solve_their_equation(n, sample_norm):
    delta = 0.05
    for bound, a, u in (
        (km.empirical_deviation, math.sqrt(2 * math.log(1 / delta) / n), 1 / n),
        (km.empirical_bernstein, 4 * math.log(2 / delta) / n, 2 * math.log(2 / delta) / n),
    ):

        def excess(length, a=a, u=u):
            lost = max(sample_norm - length, 0.0)
            return length - a - math.sqrt(u * (1 - lost**2))

        end = a + math.sqrt(u) + 1
        root = optimize.brentq(excess, a, end, xtol=1e-14)
        # The right side is concave in the length, so this is the largest solution.
        assert bound(n, delta, sample_norm) == pytest.approx(root, rel=1e-9, abs=1e-12)


def test_empirical_bounds_with_nothing_to_learn_and_with_everything():
    # A sample mean of 0 gives the bound for the worst variance; a norm near 1 nearly the variance.
    assert km.empirical_deviation(50, 0.05, 0.0) == pytest.approx(
        km.mean_deviation_repaired(50, 0.05), rel=1e-14
    )
    # What remains is the radius of estimating the variance, of order n^(-1/4) here.
    oracle = [hilbert_bernstein(n, 0.05, 1 - 0.9**2, 2.0) for n in (10**4, 10**6, 10**10)]
    ours = [km.empirical_bernstein(n, 0.05, 0.9) for n in (10**4, 10**6, 10**10)]
    ratio = np.divide(ours, oracle)
    assert np.all(ratio > 1) and np.all(np.diff(ratio) < 0) and ratio[-1] < 1.001


@given(n=N, delta=DELTA, s=NORM, t=NORM)
def test_empirical_bounds_fall_with_the_sample_norm(n, delta, s, t):
    low, high = sorted((s, t))
    for bound in (km.empirical_deviation, km.empirical_bernstein):
        assert bound(n, delta, high) <= bound(n, delta, low) * (1 + 1e-12)
        assert bound(n, delta, low) <= bound(n, delta, 0.0) * (1 + 1e-12)


def test_the_union_over_kernels_is_a_division_of_delta():
    assert km.multiple_kernel_gap(200, 0.05, 1) == km.mean_deviation(200, 0.05)
    assert km.multiple_kernel_gap(200, 0.5, 10) == km.mean_deviation(200, 0.05)
    expected = 2 / math.sqrt(200) + math.sqrt(2 * (math.log(20) + math.log(1000)) / 200)
    assert km.multiple_kernel_gap(200, 0.05, 1000) == pytest.approx(expected, rel=1e-14)


def test_the_candidate_with_2_is_the_later_paper():
    n, delta = np.array([5, 400]), np.array([0.05, 1e-12])
    np.testing.assert_allclose(
        km.mean_deviation_candidate(n, delta, 2.0), km.mean_deviation(n, delta), rtol=1e-15
    )


@given(n=N, delta=DELTA, norm=NORM)
def test_repaired_below_printed(n, delta, norm):
    repaired = km.mean_deviation_repaired(n, delta, norm)
    assert repaired <= km.mean_deviation_repaired(n, delta) < km.mean_deviation(n, delta)
    assert km.expected_deviation_repaired(n, norm) <= km.expected_deviation(n) / 2


@pytest.mark.parametrize("name", OF_N_DELTA)
@given(n=N, delta=DELTA, factor=st.floats(0.1, 0.99))
def test_monotone(name, n, delta, factor):
    bound = OF_N_DELTA[name]
    assert bound(n, factor * delta) > bound(n, delta)
    assert bound(n + 1, delta) < bound(n, delta)


@pytest.mark.parametrize("name", OF_N_DELTA)
def test_labelled_arrays_keep_their_names(name):
    bound, n, delta = OF_N_DELTA[name], [1, 100, 10**6], [0.5, 1e-9]
    labelled = bound(
        xr.DataArray(n, dims="n", coords={"n": n}),
        xr.DataArray(delta, dims="delta", coords={"delta": delta}),
    )
    assert set(labelled.dims) == {"n", "delta"}
    np.testing.assert_array_equal(labelled["n"], n)
    np.testing.assert_array_equal(
        labelled.transpose("n", "delta"), bound(np.array(n)[:, None], np.array(delta))
    )


@pytest.mark.parametrize("name", OF_N_DELTA)
@pytest.mark.parametrize("n", [0, -1, 2.5, math.nan, math.inf])
def test_sample_sizes_that_are_none_are_refused(name, n):
    with pytest.raises(ValueError, match=r"^n must be a whole number >= 1"):
        OF_N_DELTA[name](n, 0.05)


@pytest.mark.parametrize("name", OF_N_DELTA)
@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, 2.0, math.nan])
def test_levels_outside_the_unit_interval_are_refused(name, delta):
    with pytest.raises(ValueError, match=r"^delta must be"):
        OF_N_DELTA[name](10, np.array([0.05, delta]))


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: km.expected_deviation(0), "n"),
        (lambda: km.expected_deviation_repaired(10, 1.1), "norm"),
        (lambda: km.mean_deviation_repaired(10, 0.1, math.nan), "norm"),
        (lambda: km.mean_deviation_diameter(10, 0.1, 0.0, 2.1), "diameter"),
        (lambda: km.empirical_deviation(10, 0.1, -0.1), "sample_norm"),
        (lambda: km.empirical_bernstein(10, 0.1, 1.1), "sample_norm"),
        (lambda: km.minimax_probability(0), "n"),
        (lambda: km.multiple_kernel_gap(10, 0.1, 0), "k"),
        (lambda: km.mean_deviation_candidate(10, 0.1, 0.0), "c"),
    ],
)
def test_refusals_name_the_argument(call, name):
    with pytest.raises(ValueError, match=f"^{name} must be"):
        call()
