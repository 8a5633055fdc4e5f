"""Learners without a free intercept say so of a target far from 0, and name what helps."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.preprocessing import StandardScaler

import noisytheory as nt
from noisytheory.learners.off_centre import warn_off_centre

TOLD = r"mean is (19.9|20), its standard deviation 1.*, and {} has no free .*StandardScaler"


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(120, 3)) / 2
    return x, x[:, 0] + 0.1 * rng.normal(size=120)


@pytest.mark.parametrize("learner", [nt.AverageTopKSVR(), nt.NoisyKernelRegressor(random_state=0)],
                         ids=lambda one: type(one).__name__)
def test_a_target_far_from_its_centre_is_told_and_the_cure_cures(learner, sample):
    x, y = sample
    y = 20 + 2 * y
    with pytest.warns(UserWarning, match=TOLD.format(type(learner).__name__)) as said:
        plain = learner.fit(x, y).score(x, y)
    assert len(said) == 1 and said[0].filename == __file__
    # Warnings are errors here: the cure has none.
    cured = TransformedTargetRegressor(clone(learner), transformer=StandardScaler()).fit(x, y)
    assert plain < 0 < cured.score(x, y)


def test_weights_say_where_the_centre_is(sample):
    x, y = sample
    y = np.where(np.arange(120) < 60, 10.0, -10.0) + y
    model = nt.AverageTopKSVR("linear").fit(x, y)
    few = np.where(np.arange(120) < 60, 9.0, 1.0)
    with pytest.warns(UserWarning, match="the target's mean is 7.9"):
        model.fit(x, y, few)
    # As nine rows: what is warned of is the sample, not how it came.
    with pytest.warns(UserWarning, match="the target's mean is 7.9"):
        model.fit(np.repeat(x, few.astype(int), axis=0), np.repeat(y, few.astype(int)))
    with pytest.warns(UserWarning, match="the target's mean is 7.9"):
        model.select(x, y, (x, y), Cs=[1.0], ks=[1.0], sample_weight=few)


def test_a_constant_target_is_told_and_none_at_all_is_not(sample):
    x, _ = sample
    with pytest.warns(UserWarning, match=r"mean is -1e\+200, its standard deviation 0,"):
        warn_off_centre(np.full(3, -1e200), learner=0, level=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nt.AverageTopKSVR().fit(x, np.zeros(len(x)))
