"""Batches of the experiments' machines beside the public solver, one at a time."""

from __future__ import annotations

import numpy as np
import pytest

from noisytheory.topics.top_k import collapse_threshold, fit
from noisytheory.topics.top_k.batches import halves, hinge_machines, maximum_machines, toys, wrong
from noisytheory.topics.top_k.recipes import TOYS


@pytest.mark.parametrize("case", sorted(TOYS))
def test_the_maximum_loss_is_zero_where_the_sample_is_not_separable(case):
    x, y = toys(TOYS[case], 12, np.random.default_rng(3))
    found = maximum_machines(x, y, TOYS[case].C)
    for rows, labels, w in zip(x, y, found, strict=True):
        assert (not w.any()) == (collapse_threshold(rows, labels) >= 1)
        alone = fit(rows, labels, "hinge", k=1, C=TOYS[case].C, tol=1e-9)
        assert np.allclose(w, alone.coef, atol=1e-3 * max(1.0, np.abs(alone.coef).max()))


def test_a_k_for_each_sample_is_that_of_several_calls():
    (x, y), _ = halves(3, np.random.default_rng(0))
    ks = np.array([110.0, 130.0, 150.0])
    together, total = hinge_machines(x, y, ks[None], 100.0)
    for i, k in enumerate(ks):
        alone, own = hinge_machines(x[i: i + 1], y[i: i + 1], k, 100.0)
        assert np.allclose(together[0, i], alone[0], atol=1e-5)
        assert total[0, i] == pytest.approx(own[0], abs=1e-4)


def test_several_k_at_a_time_are_those_of_one_after_the_other():
    # 12 samples of 200 examples: six k fit a part, and the last part has fewer.
    x, y = toys(TOYS[4], 12, np.random.default_rng(4))
    ks, Cs = np.linspace(40, 200, 9), np.geomspace(1, 50, 9)
    together, total = hinge_machines(x, y, ks, Cs)
    assert together.shape == (9, *x.shape[::2])
    for i, (k, C) in enumerate(zip(ks, Cs, strict=True)):
        alone, own = hinge_machines(x, y, k, C)
        assert np.allclose(together[i], alone, atol=1e-5)
        assert total[i] == pytest.approx(own, abs=1e-4)


@pytest.mark.parametrize("C", [0.1, 100.0, 1e4])
def test_machines_are_zero_up_to_where_zero_ends_and_not_beyond(C):
    """Monk: it ends at a whole k in some halves, and just above it a machine has its own signs."""
    (x, y), _ = halves(12, np.random.default_rng(6))
    ends = np.array([collapse_threshold(*one) for one in zip(x, y, strict=True)])
    whole = np.abs(ends - ends.round()) < 1e-6
    assert whole.any()
    at = np.array([np.where(whole, ends.round(), ends - 1e-9), ends - 1e-3, ends + 0.5])
    zero = ~hinge_machines(x, y, at, C * np.ones_like(at))[0].any(axis=-1)
    assert zero[:2].all() and not zero[2].any()
    w = hinge_machines(x, y, at, C * np.ones_like(at))[0][2]
    for rows, labels, k, own in zip(x, y, at[2], w, strict=True):
        alone = fit(rows, labels, "hinge", k=k / len(labels), C=C, tol=1e-9).coef
        assert own == pytest.approx(alone, abs=2e-2 * np.abs(alone).max())


@pytest.mark.parametrize("k", [1, 2, 4])
def test_machines_that_gain_next_to_nothing_point_where_the_solvers_do(k):
    """Case 6: some samples are hardly separable, and gain a billionth of the value of zero."""
    x, y = toys(TOYS[6], 60, np.random.default_rng(5))
    found = wrong(x, y, hinge_machines(x, y, k, TOYS[6].C)[0])
    zero, differ = 0, 0.0
    for rows, labels, errors in zip(x, y, found, strict=True):
        # Of so small a gain rounding leaves no 1e-9 on some processors; signs need a hundredth.
        alone = fit(rows, labels, "hinge", k=k, C=TOYS[6].C, tol=1e-4)
        differ += abs(errors - np.mean(np.where(rows @ alone.coef >= 0, 1, -1) != labels))
        zero += collapse_threshold(rows, labels) >= k
    # A score or two next to zero may be either's.
    assert 0 < zero < len(x) and differ <= 2 / y.shape[1] + 1e-12
    if k == 1:
        assert (found == wrong(x, y, maximum_machines(x, y, TOYS[6].C))).all()


@pytest.mark.parametrize("C", [1e5, 1e6])
def test_of_short_rows_zero_is_not_said_to_be_where_it_is_not(C):
    """Weights that all but balance rows of a millionth's length say nothing of where zero ends."""
    x, y = toys(TOYS[6], 20, np.random.default_rng(8))
    ends = np.array([collapse_threshold(*one) for one in zip(x, y, strict=True)])
    zero = ~hinge_machines(1e-6 * x, y, 2, C)[0].any(axis=-1)
    assert (zero == (ends >= 2)).all() and 0 < zero.sum() < len(x)
