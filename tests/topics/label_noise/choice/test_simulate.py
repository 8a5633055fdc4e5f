"""Draws of the choice on noisy labels, and its identity, by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import noisytheory as nt
from noisytheory.topics.label_noise.choice.simulate import Opposed, excess, left_out
from noisytheory.vocabulary.populations import axis


def test_left_out_of_two_fair_signs_half_are_wrong():
    # One point with fair labels: two that differ are both wrong, two that agree are right.
    drawn = left_out(
        axis(), 2, 0.0, "as they come", "left out", size=4000, rng=np.random.default_rng(0))
    assert set(np.unique(drawn["lhs"])) == {0.0, 1.0}
    for side in drawn.values():
        # A mean of 4,000 with a standard deviation of at most 1/2.
        assert abs(side.mean() - 0.5) < 0.04
    # With a say in its own score the first class wins where labels differ, and half are wrong.
    kept = left_out(axis(), 2, 0.0, "as they come", "kept", size=99, rng=np.random.default_rng(0))
    assert set(np.unique(kept["lhs"])) == {0.0, 0.5}


@pytest.mark.parametrize(("patience", "chance"), [(0.0, 0.1587), (0.5, 0.3085)])
def test_opposed_kernels_are_confused_as_a_normal_law_says(patience, chance):
    rng = np.random.default_rng(0)
    drawn = excess(Opposed(1.0), 20_000, 0.25, patience, 0.0, size=1000, rng=rng)
    gap = 1 / (0.5 * np.sqrt(20_000))
    assert np.allclose(drawn["lhs"][drawn["lhs"] > 0], gap)
    # Phi(patience - 1), within four standard deviations of a thousand draws.
    assert abs(np.mean(drawn["lhs"] > 0) - chance) < 4 * np.sqrt(chance * (1 - chance) / 1000)


def test_the_noisy_error_of_three_classes():
    # Right on masses 1/2 and 1/4, where a label in eight is flipped: 6/64. Wrong on 1/4, where one
    # in sixteen becomes what is predicted: 15/64. And 1/8 + (1 - 3/16)/4.
    found = nt.claims["kernel-mean/choice/noisy-error"].certify(
        masses=np.array([[0.5, 0, 0], [0, 0.25, 0], [0, 0, 0.25]]), predicted=np.array([0, 0, 2]),
        sigma=1 / 8, classes=3)
    assert found.lhs == found.rhs == Fraction(21, 64)


def test_the_last_kernel_within_the_patience():
    claim = nt.claims["kernel-mean/choice/chosen"]
    # Of ten examples three are wrong, then four, then nine; the second is wrong where the first is
    # and on one more: D = 1, sum of squares 1, standard error sqrt(1 - 1/10) tenths.
    at = dict(wrong=np.array([[1, 1, 1, 0, 0, 0], [1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1],
                              [1, 1, 1, 0, 1, 1]]),
              counts=np.array([1, 1, 1, 1, 5, 1]), share=1)
    for patience, last in ((0.0, 0), (1.0, 0), (1.125, 1), (2.5, 1), (3.875, 3)):
        found = claim.certify(chosen=np.array(last), standard_errors=patience, **at)
        # The third has D = 7 of squares 7, 7/sqrt(7 - 4.9) = 4.8; the last 6/sqrt(6 - 3.6) = 3.87.
        assert (found.lhs, found.rhs) == (last, last)


def test_the_best_threshold_of_six():
    claim = nt.claims["kernel-mean/choice/threshold"]
    at = dict(values=np.array([-4.0, -2.0, 1.0, 2.0, 3.0, 6.0]), codes=np.array([0, 1, 0, 0, 1, 1]))
    # Above 2.5 lie two of the second class, below three of the first and one of the second.
    found = claim.certify(cut=np.array(2.5), centred=0, **at)
    assert (found.lhs, found.rhs) == (5, 5)
    found = claim.certify(cut=np.array(2.5), centred=1, **at)
    assert (found.lhs, found.rhs) == (3, 5)
