"""Batches of the experiments' machines beside the public solver, one at a time."""

from __future__ import annotations

import numpy as np
import pytest

from noisytheory.topics.top_k import collapse_threshold, fit
from noisytheory.topics.top_k.batches import (
    halves,
    hinge_machines,
    maximum_machines,
    mistakes,
    toys,
    wrong,
)
from noisytheory.topics.top_k.figures import simulate
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


def test_of_hardly_separable_samples_the_maximum_loss_is_not_zero():
    """Case 6: slopes that balance the rows to a hundredth prove nothing, in two of these 200."""
    x, y = toys(TOYS[6], 200, np.random.default_rng(15))
    ends = np.array([collapse_threshold(*one) for one in zip(x, y, strict=True)])
    assert (maximum_machines(x, y, TOYS[6].C).any(axis=1) == (ends < 0.5)).all()


def test_a_machine_that_gains_next_to_nothing_is_its_own_by_hand():
    r"""Ten points at 1 beside one at -10.0001: the average loss falls by .0001/11 a unit.

    So $w=-C\cdot 10^{-4}/11=-1/11$ at $C=10^4$, while no loss is 0, and the gain is 4e-7. At C
    times ten thousand the loss of the last is 0, at $w=-1/10.0001$: scaled, no machine of this C.
    """
    x = np.append(np.ones(10), -10.0001)[None, :, None]
    # Both classes: a row by its label is what counts.
    y = np.where(np.arange(11) % 2, 1.0, -1.0)[None]
    w = hinge_machines(x * y[..., None], y, 11, 1e4)[0]
    assert w[0, 0] == pytest.approx(-1 / 11, rel=1e-6)


def test_scores_next_to_zero_are_right_of_the_upper_class_by_hand():
    x = np.array([[[0.0], [-0.5], [0.5], [-2.0], [2.0]]])
    up, w = np.ones((1, 5)), np.ones((1, 1))
    assert mistakes(x, up, w).tolist() == [[False, True, False, True, False]]
    assert mistakes(x, up, w, 1.0).tolist() == [[False, False, False, True, False]]
    assert mistakes(x, -up, w, 1.0).tolist() == [[True, True, True, False, True]]
    assert wrong(x, up, w, 1.0).tolist() == [0.2]


@pytest.mark.parametrize(("case", "errors", "found"), [
    # Of three draws the errors of AT_k, the average and the maximum.
    (4, [[0.1, 0.2, 0.1], [0.2, 0.1, 0.2], [0.3, 0.3, 0.1]], [0, 1, 1]),
    (3, [[0.2, 0.3, 0.0], [0.2, 0.2, 0.0]], [0, 1, 1]),
    (1, [[0.0, 0.0, 0.1], [0.0, 0.1, 0.0], [0.0, 0.0, 0.0]], [0, 1, 1]),
    (2, [[0.1, 0.2, 0.1], [0.2, 0.2, 0.0]], [0, 1, 1]),
])
def test_the_order_of_three_aggregates_by_hand(monkeypatch, case, errors, found):
    """AT_k is to err less than both, not than one of them."""
    errors = iter([np.array(one) for one in (errors[:-1], errors[-1])] if TOYS[case].outlier
                  else [np.array(errors)])
    monkeypatch.setattr(simulate, "wrong", lambda *_: next(errors))
    monkeypatch.setattr(simulate, "_maximum", lambda *_: None)
    lost = simulate.effect(TOYS[case], "hinge", 10, size=3, rng=np.random.default_rng(0))
    assert lost.tolist() == found
