"""Errors as noisy labels tell them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from noisytheory.topics.multiclass import error_by_noisy_labels, gain_by_noisy_labels
from noisytheory.vocabulary.confusion import ConfusionEstimate

C = np.array([[0.6, 0.1, 0.3], [0.3, 0.8, 0.2], [0.1, 0.1, 0.5]])


def test_the_estimate_is_unbiased_whatever_is_predicted():
    true, predicted = np.array([0, 1, 2, 1]), np.array([0, 2, 2, 0])
    mean = sum(
        np.prod([C[y, t] for y, t in zip(labels, true, strict=True)])
        * error_by_noisy_labels(predicted, np.array(labels), C)
        for labels in itertools.product(range(3), repeat=4)
    )
    assert mean == pytest.approx(0.5, abs=1e-12)
    # Rows for columns are another matrix, and another number.
    turned = C.T / C.T.sum(axis=0)
    assert abs(error_by_noisy_labels(predicted, true, turned)
               - error_by_noisy_labels(predicted, true, C)) > 0.05


def test_a_gain_is_of_the_median_audit():
    rng = np.random.default_rng(1)
    true = rng.integers(3, size=4000)
    noisy = np.array([rng.choice(3, p=C[:, t]) for t in true])
    good = np.where(rng.random(4000) < 0.1, (true + 1) % 3, true)
    bad = np.where(rng.random(4000) < 0.3, (true + 1) % 3, true)
    for audit in (100, 10_000):
        estimate = ConfusionEstimate(np.round(audit * C))
        found = gain_by_noisy_labels(good, bad, noisy, estimate, rng=np.random.default_rng(2))
        assert found == pytest.approx(0.2, abs=0.07)
        turned = gain_by_noisy_labels(bad, good, noisy, estimate, rng=np.random.default_rng(2))
        assert turned == pytest.approx(-found)


def test_audits_that_nobody_could_use_are_left_out():
    one = ConfusionEstimate([[1, 1], [1, 1]])
    assert gain_by_noisy_labels([0, 1], [1, 0], [0, 1], one, rng=np.random.default_rng(1)) != 0
    # None of a single example of each class, both labelled alike, is of use.
    none = ConfusionEstimate([[1, 1], [0, 0]])
    assert gain_by_noisy_labels([0, 1], [1, 0], [0, 1], none, rng=np.random.default_rng(1)) == 0
