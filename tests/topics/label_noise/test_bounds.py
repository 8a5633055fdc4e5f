"""The formulas of label noise and contamination: by hand, in the limit, labelled, refused."""

from __future__ import annotations

import inspect
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from noisytheory import kernel_mean
from noisytheory.topics import label_noise as bounds
from noisytheory.topics.label_noise.contamination import bounds as contamination
from noisytheory.topics.label_noise.noise import bounds as noise
from noisytheory.topics.label_noise.regret import bounds as regret

RATES = st.floats(0, 0.499)
SIZES = st.integers(1, 10**6)
LEVELS = st.floats(1e-9, 1 - 1e-9)


# By hand.


@pytest.mark.parametrize(
    "eta, wrong, linear", [(0.5, 0.5, 0.0), (0.6, 0.6, 0.2), (0.9, 0.9, 0.8), (1.0, 1.0, 1.0)]
)
def test_regrets_of_a_zero_score(eta, wrong, linear):
    assert bounds.misclassification_regret(eta, 0.0) == pytest.approx(wrong, abs=1e-15)
    assert bounds.linear_regret(eta, 0.0) == pytest.approx(linear, abs=1e-15)
    # The excess over Lemma 3 is (1 - c)/2 with c = |1 - 2 eta|; a loss of 1/2 at 0 leaves c/2.
    assert wrong - linear == pytest.approx((1 - abs(1 - 2 * eta)) / 2)
    half = bounds.misclassification_regret(eta, 0.0, zero=0.5)
    assert half == pytest.approx(abs(1 - 2 * eta) / 2)


def test_regrets_are_risks_less_the_least_risk_on_every_rational_grid_point():
    for k in range(21):
        eta = Fraction(k, 20)
        for g in range(-10, 11):
            f = Fraction(g, 10)
            for zero in (Fraction(1), Fraction(1, 2)):

                def risk(v, eta=eta, zero=zero):
                    return zero if v == 0 else (1 - eta if v > 0 else eta)

                def linear(v, eta=eta):
                    return eta * (1 - v) + (1 - eta) * (1 + v)

                scores = [Fraction(s, 10) for s in range(-10, 11)]
                wrong = risk(f) - min(map(risk, scores))
                excess = linear(f) - min(map(linear, scores))
                ours = bounds.misclassification_regret(float(eta), float(f), float(zero))
                assert ours == pytest.approx(float(wrong), abs=1e-15)
                assert bounds.linear_regret(float(eta), float(f)) == pytest.approx(
                    float(excess), abs=1e-15
                )


def test_factor_of_lemma_9_by_hand():
    # n = 100, delta = 1/e: (2/10 + sqrt(2)/10) / (1/2), and 1/10 for the repaired mean term.
    delta = float(np.exp(-1))
    assert bounds.noisy_deviation(100, delta, 0.25) == pytest.approx(0.4 + 0.2 * 2**0.5)
    assert bounds.noisy_deviation_repaired(100, delta, 0.25) == pytest.approx(0.2 + 0.2 * 2**0.5)
    # |Phi(P)| = 1 seen through sigma = 1/4 has norm 1/2, so the spread is sqrt(3/4)/10.
    assert bounds.noisy_deviation_repaired(100, delta, 0.25, norm=1.0) == pytest.approx(
        0.2 * 0.75**0.5 + 0.2 * 2**0.5
    )


def test_numbers_of_the_corollary_8_counterexample():
    # x_1 = (1, 0), x_2 = (-1/8, sqrt(63)/8): |x_1 - x_2|^2 = 9/4, and P - Q = 9/10 (x_1 - x_2).
    distance = 0.9 * 1.5
    assert bounds.contaminated_distance(distance, 0.1) == pytest.approx(0.135)
    assert bounds.contaminated_distance(distance, 0.1) < 0.8875


def test_sharp_share_at_the_half_margin():
    assert bounds.harmless_share(0.5) == 0.25
    assert bounds.harmless_share_sharp(0.5) == pytest.approx(1 / 3)
    assert bounds.worst_score(0.5, 0.25) == 0.125
    assert bounds.worst_score(0.5, 1 / 3) == pytest.approx(0, abs=1e-15)


def test_minimax_radius_and_probability():
    probabilities = kernel_mean.minimax_probability(np.array([25, 100, 1000]))
    assert np.round(probabilities, 4).tolist() == [0.2496, 0.2499, 0.25]
    assert bounds.noisy_minimax_radius(25, 0.45) == pytest.approx(1.0)


def test_repaired_deviation_against_high_precision():
    with mpmath.workdps(40):
        n, delta, sigma, norm = 37, mpmath.mpf("0.013"), mpmath.mpf("0.37"), mpmath.mpf("0.83")
        seen = 1 - 2 * sigma
        exact = (
            mpmath.sqrt((1 - (seen * norm) ** 2) / n)
            + mpmath.sqrt(2 * mpmath.log(1 / delta) / n)
        ) / seen
    ours = bounds.noisy_deviation_repaired(37, 0.013, 0.37, 0.83)
    assert ours == pytest.approx(float(exact), rel=1e-14)


# Limits and order.


@given(n=SIZES, delta=LEVELS)
def test_without_noise_lemma_9_is_theorem_5(n, delta):
    assert bounds.noisy_deviation(n, delta, 0.0) == kernel_mean.mean_deviation(n, delta)
    assert bounds.noisy_deviation_repaired(n, delta, 0.0, 0.3) == pytest.approx(
        kernel_mean.mean_deviation_repaired(n, delta, 0.3)
    )


@given(n=SIZES, delta=LEVELS, sigma=RATES, norm=st.floats(0, 1))
def test_the_repair_is_never_above_print_and_falls_with_the_norm(n, delta, sigma, norm):
    printed = bounds.noisy_deviation(n, delta, sigma)
    repaired = bounds.noisy_deviation_repaired(n, delta, sigma, norm)
    worst = bounds.noisy_deviation_repaired(n, delta, sigma)
    assert repaired <= worst * (1 + 1e-14)
    # The mean term is halved at the least: printed - worst = 1 / (sqrt(n) (1 - 2 sigma)).
    assert printed - worst == pytest.approx(1 / (n**0.5 * (1 - 2 * sigma)), rel=1e-9)


@given(n=SIZES, delta=LEVELS, sigma=RATES)
def test_the_factor_is_one_over_one_minus_twice_sigma(n, delta, sigma):
    clean, noisy = (bounds.noisy_deviation(n, delta, s) for s in (0.0, sigma))
    assert noisy * (1 - 2 * sigma) == pytest.approx(clean)
    radius = bounds.noisy_minimax_radius(n, sigma)
    # The lower bound has the same form: their ratio depends on delta alone.
    assert noisy / radius == pytest.approx(4 + 2 * np.sqrt(2 * np.log(1 / delta)))


@given(margin=st.floats(1e-6, 1))
def test_the_sharp_share_lies_between_print_and_the_margin(margin):
    sharp = bounds.harmless_share_sharp(margin)
    assert bounds.harmless_share(margin) <= sharp <= margin
    assert bounds.worst_score(margin, sharp) == pytest.approx(0, abs=1e-12)
    assert bounds.worst_score(margin, bounds.harmless_share(margin)) >= -1e-15


@given(eta=st.floats(0, 1), score=st.floats(-1, 1))
def test_lemma_3_holds_pointwise_after_each_repair(eta, score):
    linear = bounds.linear_regret(eta, score)
    printed = bounds.misclassification_regret(eta, score)
    half = bounds.misclassification_regret(eta, score, zero=0.5)
    assert half <= linear + 1e-15
    assert printed <= bounds.surrogate_regret_with_zeros(linear, float(score == 0)) + 1e-15
    if score != 0:
        assert printed == half


def test_lemma_3_is_tight_as_the_score_goes_to_zero_from_the_wrong_side():
    scores = -(10.0 ** -np.arange(1, 8))
    ratio = bounds.misclassification_regret(0.9, scores) / bounds.linear_regret(0.9, scores)
    assert np.all(np.diff(ratio) > 0)
    assert ratio[-1] == pytest.approx(1, abs=1e-6)


@given(risk=st.floats(-5, 5), sigma=RATES)
def test_linear_risk_keeps_its_order(risk, sigma):
    noisy = bounds.noisy_linear_risk(risk, sigma)
    assert 1 - noisy == pytest.approx((1 - 2 * sigma) * (1 - risk))
    assert bounds.noisy_linear_risk(risk + 1, sigma) > noisy


# Labelled arrays and refusals.


def test_labelled_arrays_broadcast_by_name():
    n = xr.DataArray([10, 100, 1000], dims="n", coords={"n": [10, 100, 1000]})
    delta = xr.DataArray([0.1, 0.01], dims="delta")
    sigma = xr.DataArray([0.0, 0.1, 0.3, 0.45], dims="sigma")
    out = bounds.noisy_deviation_repaired(n, delta, sigma, norm=0.5)
    assert set(out.dims) == {"n", "delta", "sigma"}
    assert out.sizes == {"n": 3, "delta": 2, "sigma": 4}
    one = out.sel(n=100).isel(delta=1, sigma=2)
    assert float(one) == pytest.approx(bounds.noisy_deviation_repaired(100, 0.01, 0.3, 0.5))
    eta = xr.DataArray(np.linspace(0, 1, 5), dims="eta")
    score = xr.DataArray([-0.5, 0.0, 0.5], dims="score")
    regret = bounds.misclassification_regret(eta, score)
    assert set(regret.dims) == {"eta", "score"}
    assert float(regret.isel(eta=2, score=1)) == 0.5
    assert bounds.linear_regret(eta, score).sizes == {"eta": 5, "score": 3}


GOOD = {
    "n": 10, "delta": 0.1, "sigma": 0.1, "norm": 0.5, "eta": 0.5, "score": 0.5, "zero": 1.0,
    "margin": 0.5, "risk": 0.5, "distance": 1.0, "regret": 0.5, "idle": 0.5,
}
BAD = {
    "n": [0, -1, 2.5, np.nan],
    "delta": [0, 1, -0.1, np.nan],
    "sigma": [-0.1, 1.5, np.nan, np.inf],
    "norm": [-0.1, 1.1, np.nan],
    "eta": [-0.1, 1.1, np.nan],
    "score": [np.nan, np.inf],
    "zero": [-0.1, 2, np.nan],
    "margin": [0, -1, np.nan],
    "risk": [np.nan, np.inf],
    "distance": [-1, np.nan],
    "regret": [-0.1, np.nan],
    "idle": [-0.1, 1.1, np.nan],
}
CASES = [
    (name, argument, value)
    for name in (*contamination.__all__, *noise.__all__, *regret.__all__)
    for argument in inspect.signature(getattr(bounds, name)).parameters
    for value in BAD[argument]
]


@pytest.mark.parametrize("name, argument, value", CASES)
def test_arguments_out_of_range_are_refused_by_name(name, argument, value):
    function = getattr(bounds, name)
    arguments = {key: GOOD[key] for key in inspect.signature(function).parameters}
    assert np.isfinite(function(**arguments))
    with pytest.raises(ValueError, match=f"^{argument} must be "):
        function(**{**arguments, argument: value})


@pytest.mark.parametrize(
    "name",
    ["noisy_score", "noisy_deviation", "noisy_deviation_repaired", "noisy_minimax_radius",
     "noisy_linear_risk"],
)
@pytest.mark.parametrize("sigma", [0.5, 0.75])
def test_label_noise_stops_short_of_one_half(name, sigma):
    function = getattr(bounds, name)
    arguments = {key: GOOD[key] for key in inspect.signature(function).parameters}
    with pytest.raises(ValueError, match=r"sigma must be .*\[0, 0.5\)"):
        function(**{**arguments, "sigma": sigma})
