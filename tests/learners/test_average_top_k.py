"""The average top-k learners: scikit-learn's contract, the dual, what k changes, bad input."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from noisytheory.learners import (
    AverageTopKClassifier,
    AverageTopKRegressor,
    AverageTopKSVC,
    AverageTopKSVR,
)


def array_api_is_off(estimator):
    return {"check_array_api_input": "skipped unless SCIPY_ARRAY_API is set, which warns"}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.EstimatorCheckFailedWarning")
@pytest.mark.filterwarnings("ignore::noisytheory.learners.average_top_k.ZeroClassifier")
@parametrize_with_checks(
    [
        AverageTopKClassifier(),
        AverageTopKClassifier("hinge", k=1.0, fit_intercept="regularised", tol=1e-11),
        AverageTopKClassifier("squared-hinge", fit_intercept=False),
        AverageTopKRegressor(),
        AverageTopKRegressor("absolute", tol=1e-10),
        AverageTopKSVC(tol=1e-10),
        AverageTopKSVR(tol=1e-10),
    ],
    expected_failed_checks=array_api_is_off,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
