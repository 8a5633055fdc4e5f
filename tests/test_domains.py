"""What a bound is given, and what it gives back of labelled arrays."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

import noisytheory as nt
from noisytheory.domains import COUNT, SAMPLE_SIZE

N = xr.DataArray([100, 400], dims="n", coords={"n": [100, 400]}, name="n", attrs={"units": "draws"})
DELTA = xr.DataArray([0.1, 0.05], dims="delta", coords={"delta": [0.1, 0.05]}, name="delta")


def test_a_labelled_result_has_its_own_name_and_no_unit_of_an_argument():
    found = nt.kernel_mean.mean_deviation(n=N, delta=DELTA)
    assert found.dims == ("n", "delta") and found.name == "mean_deviation" and found.attrs == {}
    assert found.to_dataset()["mean_deviation"].sel(n=400, delta=0.05) == pytest.approx(0.22238734)
    assert N.name == "n" and N.attrs == {"units": "draws"}


def test_an_array_without_names_beside_one_with_names_is_refused():
    with pytest.raises(ValueError, match=r"^delta must be a number or a labelled array, as n is"):
        nt.kernel_mean.mean_deviation(n=N, delta=[0.1, 0.05])
    plain = nt.kernel_mean.mean_deviation(n=[100, 400], delta=[0.1, 0.05])
    assert plain.shape == (2,)


def test_whole_numbers_of_any_size():
    SAMPLE_SIZE.check("n", 2**70)
    assert nt.kernel_mean.mean_deviation(n=2**70, delta=0.1) < 1e-9
    with pytest.raises(ValueError, match=r"^n must be a whole number >= 1, got inf"):
        SAMPLE_SIZE.check("n", 10**400)
    with pytest.raises(ValueError, match=r"^k must be a whole number >= 1, got -1.18059e\+21"):
        COUNT.check("k", -(2**70))
    assert np.isscalar(nt.kernel_mean.mean_deviation(n=7, delta=0.1))
