"""Concentration bounds against closed forms, mpmath, exact binomial laws, limits and order."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from noisytheory.topics.concentration import bousquet, hilbert_bernstein, mcdiarmid, pinelis

N = st.integers(1, 10**6)
DELTA = st.floats(1e-12, 0.999)


def test_mcdiarmid_by_hand():
    # log(1/e^-2) = 2, so the radius is sqrt(2 * sum / 2) = sqrt(sum).
    assert mcdiarmid(math.exp(-2), 9.0) == pytest.approx(3.0, rel=1e-15)


def test_pinelis_by_hand():
    # log(2 / 2e^-2) = 2: c sqrt(2 * 2 / 16) = c / 2.
    assert pinelis(16, 2 * math.exp(-2), 3.0) == pytest.approx(1.5, rel=1e-15)


def test_hilbert_bernstein_by_hand():
    # log(2/delta) = 2, n = 16, v = 1/4, c = 1: 2 * 2 / 16 + sqrt(2 * (1/4) * 2 / 16) = 1/4 + 1/4.
    assert hilbert_bernstein(16, 2 * math.exp(-2), 0.25, 1.0) == pytest.approx(0.5, rel=1e-15)


def test_bousquet_by_hand():
    # log(1/delta) = 3, n = 4, v = 1, c = 1: m = 1/2, spread 2 * 3 * (1/2 + 1) / 4 = 9/4,
    # last term 3 / 12: 1/2 + 3/2 + 1/4.
    assert bousquet(4, math.exp(-3), 1.0, 1.0, 0.5) == pytest.approx(2.25, rel=1e-15)


@pytest.mark.parametrize("delta", [0.5, 0.05, 1e-12])
@pytest.mark.parametrize("n", [1, 37, 10**9])
def test_against_mpmath(n, delta):
    with mpmath.workdps(40):
        log1, log2 = mpmath.log(1 / mpmath.mpf(delta)), mpmath.log(2 / mpmath.mpf(delta))
        v, c, s2 = mpmath.mpf(0.3), mpmath.mpf(1.7), mpmath.mpf(0.01)
        m = mpmath.sqrt(v / n)
        expected = [
            mpmath.sqrt(log1 * v / 2),
            c * mpmath.sqrt(2 * log2 / n),
            2 * c * log2 / n + mpmath.sqrt(2 * v * log2 / n),
            m + mpmath.sqrt(2 * log1 * (s2 + 2 * c * m) / n) + c * log1 / (3 * n),
        ]
    ours = [
        mcdiarmid(delta, 0.3),
        pinelis(n, delta, 1.7),
        hilbert_bernstein(n, delta, 0.3, 1.7),
        bousquet(n, delta, 0.3, 1.7, 0.01),
    ]
    np.testing.assert_allclose(ours, [float(x) for x in expected], rtol=1e-14)


@pytest.mark.parametrize("p", [0.5, 0.1])
@pytest.mark.parametrize("n", [3, 40])
def test_mcdiarmid_on_a_mean_of_coins_by_enumeration(n, p):
    # f = B/n moves by 1/n with one coin. The exact tail never exceeds delta.
    k = np.arange(n + 1)
    mass = stats.binom.pmf(k, n, p)
    for delta in (0.9, 0.3, 0.05, 0.001):
        radius = mcdiarmid(delta, 1 / n)
        assert mass[k / n > p + radius].sum() <= delta


def test_hilbert_bounds_hold_on_the_fair_axis_by_enumeration():
    # xi = +-1: c = v = s^2 = 1 and the norm is |2B/n - 1|.
    for n in (5, 100, 2000):
        k = np.arange(n + 1)
        norm, mass = np.abs(2 * k / n - 1), stats.binom.pmf(k, n, 0.5)
        for delta in (0.5, 0.05, 0.001):
            for radius in (
                pinelis(n, delta, 1.0),
                hilbert_bernstein(n, delta, 1.0, 1.0),
                bousquet(n, delta, 1.0, 1.0, 1.0),
            ):
                assert mass[norm > radius].sum() <= delta


def test_a_known_small_variance_wins_for_large_samples():
    # Bernstein's leading term is sqrt(2 v log / n), Pinelis' is c sqrt(2 log / n).
    ratio = hilbert_bernstein(10**10, 0.05, 0.36, 1.8) / pinelis(10**10, 0.05, 1.8)
    assert ratio == pytest.approx(0.6 / 1.8, rel=1e-4)
    assert hilbert_bernstein(10, 0.05, 0.36, 1.8) > pinelis(10, 0.05, 1.8)


def test_bousquet_tends_to_the_mean_plus_the_worst_direction():
    n, log = 10**12, math.log(20)
    limit = 1 + math.sqrt(2 * log * 0.02)
    assert bousquet(n, 0.05, 1.0, 1.0, 0.02) * math.sqrt(n) == pytest.approx(limit, rel=1e-4)


@given(n=N, delta=DELTA, factor=st.floats(0.1, 0.99))
def test_monotone(n, delta, factor):
    for bound in (
        lambda n, delta: mcdiarmid(delta, 1 / n),
        lambda n, delta: pinelis(n, delta, 1.0),
        lambda n, delta: hilbert_bernstein(n, delta, 0.5, 1.0),
        lambda n, delta: bousquet(n, delta, 0.5, 1.0, 0.1),
    ):
        assert bound(n, factor * delta) > bound(n, delta)
        assert bound(n + 1, delta) < bound(n, delta)


def test_labelled_arrays_keep_their_names():
    n, delta = [1, 100, 10**6], [0.5, 1e-9]
    a = xr.DataArray(n, dims="n", coords={"n": n})
    b = xr.DataArray(delta, dims="delta", coords={"delta": delta})
    for bound, arguments in (
        (pinelis, (1.5,)), (hilbert_bernstein, (0.5, 1.5)), (bousquet, (0.5, 1.5, 0.1))
    ):
        labelled = bound(a, b, *arguments)
        assert set(labelled.dims) == {"n", "delta"}
        plain = bound(np.array(n)[:, None], np.array(delta), *arguments)
        np.testing.assert_array_equal(labelled.transpose("n", "delta"), plain)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: mcdiarmid(0.0, 1.0), "delta"),
        (lambda: mcdiarmid(1.0, 1.0), "delta"),
        (lambda: mcdiarmid(math.nan, 1.0), "delta"),
        (lambda: mcdiarmid(0.1, -1.0), "squared_differences"),
        (lambda: pinelis(0, 0.1, 1.0), "n"),
        (lambda: pinelis(1.5, 0.1, 1.0), "n"),
        (lambda: pinelis(10, 0.1, math.nan), "radius"),
        (lambda: hilbert_bernstein(10, 0.1, -0.1, 1.0), "variance"),
        (lambda: bousquet(10, 0.1, 0.1, 1.0, -1.0), "top_eigenvalue"),
    ],
)
def test_refusals_name_the_argument(call, name):
    with pytest.raises(ValueError, match=f"^{name} must be"):
        call()
