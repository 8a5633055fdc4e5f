"""Confusion matrices: orientation, inverse, estimates."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from noisytheory.vocabulary import confusion
from noisytheory.vocabulary.confusion import ConfusionEstimate

C = np.array([[0.7, 0.2, 0.1], [0.2, 0.7, 0.3], [0.1, 0.1, 0.6]])


def test_the_inverse_of_columns_that_sum_to_one_has_them_too():
    inverse = confusion.inverse_of(C)
    np.testing.assert_allclose(inverse.sum(axis=0), 1, atol=1e-14)
    np.testing.assert_allclose(inverse @ C, np.eye(3), atol=1e-14)


def test_orientation_is_checked_and_never_guessed():
    np.testing.assert_array_equal(confusion.columns(C), C)
    np.testing.assert_array_equal(confusion.columns(C.T, "row"), C)
    with pytest.raises(ValueError, match='say orientation="row"'):
        confusion.columns(C.T)
    with pytest.raises(ValueError, match="rows that sum to 1"):
        confusion.columns(C, "row")
    with pytest.raises(ValueError, match="columns that sum to 1"):
        confusion.columns(C.T, "column")
    with pytest.raises(ValueError, match='"column" or "row"'):
        confusion.columns(C, "diagonal")
    cycle = np.roll(np.eye(3), 1, axis=0)
    with pytest.raises(ValueError, match="not symmetric"):
        confusion.columns(cycle)
    np.testing.assert_array_equal(confusion.columns(cycle, "row"), cycle.T)


def test_a_table_is_brought_into_one_order():
    table = pd.DataFrame(C, index=["a", "b", "c"], columns=["a", "b", "c"])
    other = table.loc[["c", "a", "b"], ["b", "c", "a"]]
    np.testing.assert_array_equal(confusion.columns(other, classes=["a", "b", "c"]), C)
    # By default in the order of the columns: of whole numbers from 0, their own.
    np.testing.assert_array_equal(
        confusion.columns(other), table.loc[["b", "c", "a"], ["b", "c", "a"]]
    )
    counted = pd.DataFrame(C).loc[[2, 0, 1], [1, 2, 0]]
    np.testing.assert_array_equal(confusion.columns(counted), C)
    with pytest.raises(ValueError, match="counts its classes"):
        confusion.columns(pd.DataFrame(C), classes=[2, 0, 1])


def test_the_inverse_of_fractions_is_one_of_fractions():
    exact = np.array([[Fraction(3, 4), Fraction(1, 3)], [Fraction(1, 4), Fraction(2, 3)]])
    found = confusion.inverse_of(confusion.columns(exact))
    # Its determinant is 5/12.
    assert found.tolist() == [
        [Fraction(8, 5), Fraction(-4, 5)], [Fraction(-3, 5), Fraction(9, 5)]
    ]
    assert confusion.leakage(exact, exact).tolist() == [[0, 0], [0, 0]]
    with pytest.raises(ValueError, match="it is singular"):
        confusion.inverse_of([[Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 2), Fraction(1, 2)]])


def test_labels_of_any_type_are_counted():
    noisy, true = ["b", "b", "a", "c"], ["a", "b", "a", "c"]
    found = confusion.estimate_confusion(noisy=noisy, true=true)
    assert found.classes == ("a", "b", "c")
    assert found.counts.tolist() == [[1, 0, 0], [1, 1, 0], [0, 0, 1]]
    assert ConfusionEstimate(pd.crosstab(np.array(noisy), np.array(true))).classes == found.classes
    for bad, message in [
        ((["d"], ["a"], ["a", "b"]), "noisy must be of the classes"),
        ((["a"], ["d"], ["a", "b"]), "true must be of the classes"),
        ((["a"], ["a", "b"], ["a", "b"]), "noisy and true must be as long"),
        ((["a", "b", "c"], ["a", "b", "a"], None), "unless noisy and true are turned round"),
        ((["a"], ["a"], ["a", "a"]), "different ones"),
        (([3], [0], 2), "noisy must be classes 0 to 1"),
        ((["a"], ["a"], 2), "noisy must be a list of classes 0 to 1, or classes="),
        ((["a"], ["a"], ["a", "b"]), "true class b was audited"),
    ]:
        with pytest.raises(ValueError, match=message):
            confusion.estimate_confusion(noisy=bad[0], true=bad[1], classes=bad[2])
    with pytest.raises(ValueError, match="classes must be 2 different ones"):
        ConfusionEstimate([[1, 0], [0, 1]], ["a"])


def test_labels_that_were_turned_round_are_told_where_they_can_be():
    rng = np.random.default_rng(1)
    noise = 0.7 * np.eye(5) + 0.3 * np.roll(np.eye(5), 1, axis=0)
    true = np.repeat(np.arange(5), 20)  # as many of each class, as audits are drawn
    noisy = np.array([rng.choice(5, p=noise[:, t]) for t in true])
    assert confusion.estimate_confusion(noisy=noisy, true=true).audited.tolist() == [20] * 5
    with pytest.warns(UserWarning, match="noisy holds 20 labels of each class, and true does not"):
        confusion.estimate_confusion(noisy=true, true=noisy)
    with pytest.raises(TypeError):
        confusion.estimate_confusion(noisy, true)
    # Two classes may be even by chance.
    confusion.estimate_confusion(noisy=[0, 0, 1, 1], true=[0, 0, 0, 1])


def test_a_bootstrap_needs_no_generator():
    assert 0 < ConfusionEstimate([[8, 3], [2, 7]]).relative_leakage() < np.inf
    one, two = (ConfusionEstimate([[8, 3], [2, 7]]).relative_leakage(rng=5) for _ in range(2))
    assert one == two


def test_bayes_rule_by_hand():
    # Priors 4/5 and 1/5, C columns (9/10, 1/10) and (2/5, 3/5): labels 4/5 and 1/5.
    matrix = np.array([[Fraction(9, 10), Fraction(2, 5)], [Fraction(1, 10), Fraction(3, 5)]])
    found = confusion.posterior_confusion(matrix, [Fraction(4, 5), Fraction(1, 5)])
    assert found.tolist() == [
        [Fraction(9, 10), Fraction(2, 5)], [Fraction(1, 10), Fraction(3, 5)]
    ]
    np.testing.assert_allclose(found.astype(float).sum(axis=0), 1)


def test_ignoring_the_noise_leaks_all_of_it():
    assert confusion.relative_leakage(np.eye(3), C) == 1
    assert confusion.relative_leakage(C, C) < 1e-14
    assert confusion.relative_leakage(C, np.eye(3)) == np.inf
    assert confusion.relative_leakage(np.full((3, 3), 1 / 3), C) == np.inf


def test_rates_of_confusion():
    assert confusion.confusion_rate(np.roll(np.eye(4), 1, axis=0)) == 1
    assert confusion.confusion_rate(np.roll(np.eye(4), 1, axis=0), scaled=False) == 2
    with pytest.warns(UserWarning, match="none of the true class 1: the rate counts"):
        assert confusion.confusion_rate([[3, 0], [1, 0]]) == pytest.approx(0.25 / np.sqrt(2))
    with pytest.warns(UserWarning, match="true classes 0, 2:"):
        assert confusion.confusion_rate(np.diag([0, 1, 0])) == 0
    for wrong, told in (([1, 2], "square"), ([[1, 2]], "square"), ([[1, -1], [0, 1]], ">= 0"),
                        ([[np.nan, 0], [0, 1]], "finite")):
        with pytest.raises(ValueError, match=told):
            confusion.confusion_rate(wrong)


def test_limits_cover_as_often_as_they_say():
    n, p, delta = 20, 0.3, 0.1
    covered = 0.0
    for hits in range(n + 1):
        low, high = ConfusionEstimate([[hits, 0], [n - hits, 1]]).limits(delta)
        covered += binom.pmf(hits, n, p) * (low[0, 0] <= p <= high[0, 0])
    assert covered >= 1 - delta


def test_the_bootstrap_has_the_mean_and_spread_of_the_estimate():
    estimate = ConfusionEstimate([[30, 5], [10, 45]])
    drawn = estimate.resampled(20_000, rng=np.random.default_rng(1))
    np.testing.assert_allclose(drawn.sum(axis=1), 1)
    np.testing.assert_allclose(drawn.mean(axis=0), estimate.matrix, atol=5 * 0.07 / 141)
    np.testing.assert_allclose(drawn.std(axis=0), estimate.standard_errors, rtol=0.03)


@pytest.mark.parametrize(
    ("counts", "message"),
    [([[1, 0], [0, 0]], "none of true class 1"), ([[0.5, 1], [1, 1]], "whole numbers"),
     ([[1, 2]], "square"), ([[-1, 2], [3, 1]], "whole numbers")],
)
def test_counts_that_are_none_are_refused(counts, message):
    with pytest.raises(ValueError, match=message):
        ConfusionEstimate(counts)


def test_labels_outside_are_refused_by_name():
    with pytest.raises(ValueError, match="true must be classes 0 to 1, got 2"):
        confusion.observed_confusion([0, 1], [0, 2], 2)
    with pytest.raises(ValueError, match="as long"):
        confusion.observed_confusion([0, 1], [0], 2)


@pytest.mark.parametrize("matrix, told", [
    ([[50, 3], [4, 40]], "got 50.*: of counts make a ConfusionEstimate"),
    ([[1.5, 0], [-0.5, 1]], "got 1.5$"),
    ([[0.333, 0.5], [0.666, 0.5]], "sums to 0.999: if it is rounded, divide its columns"),
    ([[0.5, 0.5], [0.2, 0.5]], "sums to 0.7$"),
])
def test_who_gives_what_is_nearly_a_confusion_is_told_the_way(matrix, told):
    with pytest.raises(ValueError, match=told):
        confusion.columns(matrix)
