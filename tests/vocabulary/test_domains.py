"""What a bound is given, and what it gives back of labelled arrays."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import xarray as xr

import noisytheory as nt
from noisytheory import surrogates
from noisytheory.vocabulary.domains import COUNT, LEVEL, SAMPLE_SIZE, requires

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


def test_members_of_a_labelled_pair_have_no_name_and_no_unit_of_an_argument():
    minus = xr.DataArray([0.1, 0.2], dims="a", name="minus", attrs={"units": "percent"})
    there = surrogates.contamination_of_noise(minus, 0.1, 0.5)
    back = surrogates.noise_of_contamination(*there, 0.5)
    for pair in (there, back):
        assert [(share.name, share.attrs, share.dims) for share in pair] == [(None, {}, ("a",))] * 2
    assert back[0].values == pytest.approx([0.1, 0.2]) and minus.name == "minus" and minus.attrs
    assert np.isscalar(surrogates.contamination_of_noise(0.1, 0.1, 0.5)[0])


@pytest.mark.parametrize("deltas", [Fraction(1, 20), [Fraction(1, 20), 0.1], [Fraction(1, 4)]])
def test_fractions_are_taken_as_floats(deltas):
    as_floats = float(deltas) if np.ndim(deltas) == 0 else [float(delta) for delta in deltas]
    found = nt.kernel_mean.mean_deviation(n=Fraction(100), delta=deltas)
    assert np.array_equal(found, nt.kernel_mean.mean_deviation(n=100, delta=as_floats))
    assert np.shape(found) == np.shape(deltas)
    labelled = xr.DataArray(np.array([Fraction(1, 20)], dtype=object), dims="delta")
    assert nt.kernel_mean.mean_deviation(n=100, delta=labelled).dtype == float
    for wrong, told in ((Fraction(3, 2), "1.5"), (Fraction(10**400), "inf")):
        with pytest.raises(ValueError, match=rf"^delta must be a finite number in .*, got {told}"):
            nt.kernel_mean.mean_deviation(n=100, delta=wrong)
    with pytest.raises(ValueError, match=r"^n must be a whole number >= 1, got 2\.5"):
        nt.kernel_mean.mean_deviation(n=Fraction(5, 2), delta=0.1)


@pytest.mark.parametrize(
    "wrong", [[Fraction(1, 4), "a"], [Fraction(1, 4), True], [[0.1], [0.1, 0.2]]]
)
def test_a_list_is_refused_for_one_that_is_no_number(wrong):
    with pytest.raises(ValueError, match=r"^delta must be a finite number in \(0, 1\), got \["):
        nt.kernel_mean.mean_deviation(n=100, delta=wrong)


def test_a_docstring_is_completed_by_what_the_domains_say():
    @requires(n=SAMPLE_SIZE, k=COUNT.of("Number of kernels."), delta=LEVEL)
    def bound(n, k, delta):
        """A bound.

        Returns
        -------
        float

        Examples
        --------
        >>> 1
        1
        """
        return n * k * delta

    titles = [line for line in bound.__doc__.splitlines() if line[:1].isupper()]
    assert titles == ["A bound.", "Parameters", "Returns", "Raises", "ValueError", "Examples"]
    assert "k : int or array\n    Number of kernels. A whole number >= 1.\n" in bound.__doc__
    assert "Sample size. A whole number >= 1." in bound.__doc__
    assert COUNT == SAMPLE_SIZE and COUNT.meaning == ""

    @requires(n=COUNT)
    def own(n):
        """A bound.

        Parameters
        ----------
        n : int
            Whatever I say.
        """
        return n

    assert own.__doc__.count("Parameters") == 1 and "Raises" not in own.__doc__

    @requires(n=SAMPLE_SIZE, delta=LEVEL)
    def mixed(n, kernel, delta):
        """A bound.

        Parameters
        ----------
        kernel : object
            Has no domain.

        Returns
        -------
        float
        """
        return n * kernel * delta

    heads = [line for line in mixed.__doc__.splitlines() if " : " in line]
    assert [head.split(" : ")[0] for head in heads] == ["n", "kernel", "delta"]
    assert mixed.__doc__.count("Parameters") == 1 and "    Has no domain.\n" in mixed.__doc__
    assert mixed.__doc__.index("Returns") < mixed.__doc__.index("Raises")
    assert requires(n=COUNT)(lambda n: n).__doc__ is None


def test_what_may_be_left_out_may_not_be_nonsense():
    @requires(n=SAMPLE_SIZE, delta=LEVEL)
    def some(n, delta=None):
        return n if delta is None else n * delta

    assert (some(4), some(4, delta=0.5), some([4, 2], 0.5).tolist()) == (4.0, 2.0, [2.0, 1.0])
    for wrong in (0.0, None):
        with pytest.raises(ValueError, match=r"^delta must be"):
            some(4, delta=wrong)
