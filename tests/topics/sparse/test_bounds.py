"""The formulas: by hand, in the limit, labelled, refused."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from noisytheory.topics.sparse.clusters import bounds as clusters
from noisytheory.topics.sparse.partitions import bounds as partitions
from noisytheory.topics.sparse.rates import bounds as rates
from noisytheory.topics.sparse.subsampling import bounds as subsampling

COUNTS, LEVELS = st.integers(1, 10**6), st.floats(1e-9, 1 - 1e-9)


def test_theorem_20_by_hand():
    assert subsampling.sparse_lower_bound(4, 1) == pytest.approx(math.sqrt(0.75))
    assert subsampling.sparse_lower_bound(4, 4) == 0


def test_theorem_20_needs_as_many_points_as_atoms():
    for n, k in ((5, 7), (np.array([5, 9]), 7), (5, np.array([3, 7])),
                 (xr.DataArray([5, 9], dims="n"), xr.DataArray([3, 7], dims="k"))):
        with pytest.raises(ValueError, match=r"k must be a whole number in \[1, n\], got 7"):
            subsampling.sparse_lower_bound(n, k)
    grid = subsampling.sparse_lower_bound(
        xr.DataArray([5, 9], dims="n"), xr.DataArray([1, 5], dims="k")
    )
    assert grid.dims and float(grid.sel(n=0, k=1)) == 0


@given(COUNTS, LEVELS, st.floats(0, 10))
def test_repairs_are_sharper_by_the_root_of_two(m, delta, diameter):
    printed = clusters.clustered_error(m, delta, diameter)
    assert clusters.clustered_error_repaired(m, delta, diameter) * math.sqrt(2) == pytest.approx(
        printed
    )
    assert clusters.clustered_mean(m, diameter) <= printed


@given(st.integers(1, 10**4), st.floats(0, 10))
def test_luckiness_is_the_mean_term_of_theorem_21(m, diameter):
    # k = 2m atoms: sqrt(2) D / sqrt(k) = D / sqrt(m).
    assert partitions.luckiness(2 * m, diameter) == pytest.approx(
        clusters.clustered_mean(m, diameter)
    )
    assert partitions.luckiness_repaired(2 * m, diameter) == pytest.approx(
        clusters.clustered_mean_repaired(m, diameter)
    )


def test_luckiness_with_probability_is_theorem_21_and_gonzalez():
    k, delta, diameter = 10, 0.05, 0.7
    quoted = 2 * math.sqrt(2) * diameter * (k**-0.5 + math.sqrt(math.log(1 / delta) / k))
    assert clusters.clustered_error(k // 2, delta, 2 * diameter) == pytest.approx(quoted)


@given(st.integers(2, 1000), st.integers(1, 999), st.floats(0.5, 2), st.floats(0, 0.5))
def test_sampling_without_replacement_is_better(n, k, power, norm):
    k = min(k, n)
    independent = subsampling.subsampling_mean_square(k, power, norm)
    assert subsampling.without_replacement_mean_square(n, k, power, norm) <= independent
    assert subsampling.without_replacement_mean_square(n, n, power, norm) == 0


@given(st.integers(1, 1000), st.floats(0.01, 1), st.floats(1, 2))
def test_herding_bounds_are_ordered(k, distance, radius):
    sharp = rates.herding_inverse_sharp(k, distance, radius)
    assert sharp <= rates.herding_inverse(k, distance, radius) * (1 + 1e-12)
    assert rates.herding_linear_square(1, distance, radius, 0.3) == 0.3


def test_the_guaranteed_factor_on_an_orthonormal_sample():
    # 1 - d^2 / D^2 = 1 - 1 / (2 n (n - 1)): D^2 = 2.
    n = 20
    d = rates.boundary_distance(n)
    factor = rates.herding_linear_square(2, d, math.sqrt(2), 1.0)
    assert factor == pytest.approx(1 - 1 / (2 * n * (n - 1)))


def test_labelled_arrays_keep_their_names():
    m = xr.DataArray([1, 4], dims="m", coords={"m": [1, 4]})
    delta = xr.DataArray([0.1, 0.5], dims="delta")
    found = clusters.clustered_error(m, delta, 1.0)
    assert set(found.dims) == {"m", "delta"}
    assert found.sel(m=1)[0] == pytest.approx(1 + math.sqrt(math.log(10)))


@pytest.mark.parametrize(
    "function",
    [f for module in (clusters, partitions, rates, subsampling) for name in module.__all__
     if hasattr(f := getattr(module, name), "domains")],
    ids=lambda f: f.__name__,
)
def test_arguments_out_of_range_are_named(function):
    good = {"n": 10, "m": 2, "k": 2, "delta": 0.1, "sigma": 0.1}
    arguments = {name: good.get(name, 0.5) for name in inspect.signature(function).parameters}
    assert np.isfinite(function(**arguments))
    for name in function.domains:
        with pytest.raises(ValueError, match=name):
            function(**{**arguments, name: -1})
