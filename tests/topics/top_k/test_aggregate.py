"""Aggregate losses against brute force, linear programmes and each other."""

from __future__ import annotations

import itertools
from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest

from noisytheory.topics import top_k

LOSSES = np.array([0.3, 2.5, 1.1, 2.5, 0.0, 4.2, 1.1, 0.7])


def test_the_worked_example():
    assert top_k.average_loss(LOSSES) == pytest.approx(1.55)
    assert top_k.maximum_loss(LOSSES) == 4.2
    assert top_k.top_k_loss(LOSSES, 3) == 2.5
    assert top_k.average_top_k(LOSSES, 3) == pytest.approx(9.2 / 3)


@pytest.mark.parametrize("k", range(1, 9))
def test_four_roads_to_the_average_top_k(k):
    value = float(top_k.average_top_k(LOSSES, k))
    subsets = max(sum(s) for s in itertools.combinations(LOSSES, k)) / k
    conic = cp.sum_largest(cp.Constant(LOSSES), k).value / k
    threshold = min(float(top_k.variational(LOSSES, k, t)) for t in [0.0, *LOSSES]) * 8 / k
    weights = top_k.top_weights(LOSSES, k)
    assert np.array_equal(weights, top_k.top_weights(LOSSES, k / 8))
    assert value == pytest.approx(subsets) == pytest.approx(float(conic))
    assert value == pytest.approx(threshold)
    assert value == pytest.approx(float(weights @ LOSSES) * 8 / k)
    assert top_k.conjugate(weights * 8 / k, k) == 0
    low, high = top_k.level(LOSSES, k)
    assert top_k.variational(LOSSES, k, high) == pytest.approx(value * k / 8)
    if k < 8:
        assert top_k.variational(LOSSES, k, low) == pytest.approx(value * k / 8)


def test_combinations():
    assert top_k.ranked_range(LOSSES, 0, 3) == pytest.approx(top_k.average_top_k(LOSSES, 3))
    assert top_k.ranked_range(LOSSES, 2, 3) == top_k.top_k_loss(LOSSES, 3)
    sigma = np.arange(8, 0, -1) / 36
    mixture = sum((k + 1) * (sigma[k] - (sigma[k + 1] if k < 7 else 0))
                  * top_k.average_top_k(LOSSES, k + 1) for k in range(8))
    assert top_k.spectral(LOSSES, sigma) == pytest.approx(float(mixture))
    moved = LOSSES + np.linspace(-1, 1, 8)
    below = top_k.spectral_weights(LOSSES, sigma) @ (moved - LOSSES)
    assert top_k.spectral(moved, sigma) >= top_k.spectral(LOSSES, sigma) + below


SIGMA = np.array([5, 3, 3, 2, 2, 2, 1, 1, 0, 0, 0, 0]) / 19
COUNTS = np.array([1, 2, 1, 3, 1, 1, 2, 1])


def test_weights_are_repetitions():
    assert top_k.average_top_k(LOSSES, 3 / 8) == pytest.approx(9.2 / 3)
    weighted = top_k.average_top_k([5.0, 1.0], 0.5, sample_weight=[1, 3])
    assert weighted == pytest.approx(top_k.average_top_k([5.0, 1.0, 1.0, 1.0], 2))
    # A count is of weight: five of twelve.
    assert top_k.top_weights(LOSSES, 5, COUNTS) @ LOSSES * 12 / 5 == pytest.approx(
        top_k.average_top_k(LOSSES, 5, COUNTS))
    twice = np.repeat(LOSSES, COUNTS)
    for value, args in (
        (top_k.average_loss, ()), (top_k.maximum_loss, ()), (top_k.top_k_loss, (5,)),
        (top_k.average_top_k, (5,)), (top_k.ranked_range, (2, 7)), (top_k.spectral, (SIGMA,)),
        (top_k.variational, (5, 1.3)), *((top_k.level, (k,)) for k in (1, 4, 5, 0.3, 12)),
    ):
        assert value(LOSSES, *args, sample_weight=COUNTS) == pytest.approx(value(twice, *args))
    places = np.repeat(np.arange(8), COUNTS)
    for weights, args in ((top_k.ranked_range_weights, (2, 7)), (top_k.spectral_weights, (SIGMA,))):
        found = weights(LOSSES, *args, sample_weight=COUNTS)
        assert found == pytest.approx(np.bincount(places, weights(twice, *args)))
    assert top_k.maximum_loss(LOSSES, sample_weight=LOSSES < 4) == 2.5
    assert top_k.level([3.0, 2.0, 1.0], 1, sample_weight=[1, 0, 1]) == (1.0, 3.0)
    batch = np.stack([LOSSES, LOSSES[::-1] * 2])
    assert np.allclose(top_k.average_top_k(batch, 3), [9.2 / 3, 18.4 / 3])


def test_weighted_risks_are_worst_means_over_the_sets_of_their_conjugates():
    """By linear programmes over laws on the repeated sample; a step outside is refused."""
    p = cp.Variable(12)
    each = np.zeros((8, 12))
    each[np.repeat(np.arange(8), COUNTS), np.arange(12)] = 1
    majorised = [cp.sum_largest(p, j) <= SIGMA[:j].sum() for j in range(1, 12)]
    for risk, sets, conjugate, args in (
        (top_k.average_top_k, [p <= 1 / 5], top_k.conjugate, (5,)),
        (top_k.spectral, majorised, top_k.spectral_conjugate, (SIGMA,)),
    ):
        problem = cp.Problem(cp.Maximize((LOSSES @ each) @ p), [p >= 0, cp.sum(p) == 1, *sets])
        problem.solve(solver=cp.CLARABEL)
        value = float(risk(LOSSES, *args, sample_weight=COUNTS))
        assert value == pytest.approx(problem.value, abs=1e-6)
        worst = np.asarray(each @ p.value)
        assert conjugate(worst, *args, 1e-5, sample_weight=COUNTS) == 0
        further = worst + 0.01 * (np.eye(8)[np.argmax(LOSSES)] - np.eye(8)[4])
        assert conjugate(further, *args, 1e-5, sample_weight=COUNTS) == np.inf
    cvar = np.repeat([0.2, 0.0], [5, 7])
    for q in (np.full(8, 1 / 8), COUNTS / 12, np.eye(8)[2]):
        assert top_k.spectral_conjugate(q, cvar, sample_weight=COUNTS) == top_k.conjugate(
            q, 5, sample_weight=COUNTS)


@pytest.mark.parametrize("p", [[0.52, 0.48, 0, 0], [-0.1, 0.5, 0.5, 0.1], [0.5, 0.4, 0, 0]])
def test_what_is_no_worst_reweighting(p):
    """Above a half, below none, not of sum 1."""
    assert top_k.conjugate([0.5, 0.4, 0.1, 0], 2) == 0
    assert top_k.conjugate(p, 2) == np.inf


def test_a_share_of_an_example_counts_as_one():
    # 2.4 of eight: the third; an example of little weight is one.
    assert top_k.top_k_loss(LOSSES, 0.3) == 2.5 and top_k.top_k_loss(LOSSES, 0.65) == 0.7
    assert top_k.top_k_loss([3.0, 2.0, 1.0], 0.41, sample_weight=[0.4, 0.02, 0.58]) == 2
    assert top_k.level([3.0, 2.0, 1.0], 0.5, sample_weight=[0, 1, 1]) == (1.0, 2.0)
    assert top_k.average_top_k([5.0, 2.0, 1.0, 0.0], Fraction(3, 8)) == 4


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: top_k.average_top_k(LOSSES, 0), "k must be a whole number"),
        (lambda: top_k.average_top_k(LOSSES, 1.5), "k as a fraction"),
        (lambda: top_k.average_top_k([np.nan], 1), "losses must be finite"),
        (lambda: top_k.spectral(LOSSES, np.arange(8)), "spectrum must not increase"),
        (lambda: top_k.spectral(LOSSES, [1.0, np.nan]), "spectrum must have one entry"),
        (lambda: top_k.spectral(LOSSES, [np.nan], LOSSES), "spectrum must not increase"),
        (lambda: top_k.ranked_range(LOSSES, 3, 3), "0 <= m < k"),
        (lambda: top_k.average_top_k([1.0], True), "k must be"),
    ],
)
def test_nonsense_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_ordered_confidence_limit_covers():
    """Fair losses 0 and 1: the limit fails in at most the promised share of samples, exactly."""
    from scipy import stats

    n = 101
    losses = (np.arange(n) < np.arange(n + 1)[:, None]).astype(float)
    limits = top_k.thomas_upper(losses, 0.05, 1.0, 1.0)
    fails = stats.binom.pmf(np.arange(n + 1), n, 0.5)[limits < 0.5].sum()
    assert 0 < fails <= 0.05
    halved = top_k.thomas_upper(losses, 0.05**0.25, 1.0, 1.0)
    assert stats.binom.pmf(np.arange(n + 1), n, 0.5)[halved < 0.5].sum() > 0.05


def test_a_whole_weight_that_rounding_has_lessened_is_all_of_it():
    assert top_k.aggregate.tail_mass(3, 3 * (1 - 1e-16)) == 1.0
    with pytest.raises(ValueError, match=r"\[1, 2.999\], got 3"):
        top_k.aggregate.tail_mass(3, 2.999)
