"""From which k and C on something happens, and two steps of (4), by hand."""

from __future__ import annotations

import numpy as np
import pytest

from noisytheory.topics import top_k
from noisytheory.topics.top_k.collapse import balanced_weights

TEN = np.ones((10, 1)), np.repeat([1.0, -1.0], [8, 2])
"""Two of ten on the other side: two of the others balance them, so nh* = 4."""
LINE = np.arange(4.0)[:, None]
ALIKE = [[1.0], [-1.0]], [1.0, -1.0]
"""Both have the margin w."""


def test_from_which_k_on_the_minimiser_is_not_zero():
    assert top_k.collapse_threshold(*TEN) == 4 and top_k.first_useful_k(*TEN) == 5
    assert top_k.useful_grid(*TEN, 3) == [5, 7, 10]
    assert top_k.useful_grid(*TEN, 2, sample_weight=np.full(10, 2.0)) == [9 / 20, 1]
    # Signed 0, -1, 2 and 3: all of the first two and half of the third.
    y = np.array([-1.0, -1.0, 1.0, 1.0])
    assert top_k.collapse_threshold(LINE, y) == 2.5 and top_k.first_useful_k(LINE, y) == 3
    assert top_k.first_useful_k(LINE, y, intercept=True) == 1
    # a + c = b + d and b + 3 d = 2 c: at most 1/3, 1, 1 and 1/3.
    turned = np.array([1.0, -1.0, 1.0, -1.0])
    assert top_k.collapse_threshold(LINE, turned, intercept=True) == pytest.approx(8 / 3)
    twice = top_k.collapse_threshold(LINE, turned, intercept=True, sample_weight=[2, 2, 2, 2])
    assert twice == pytest.approx(16 / 3)
    weights, enough = balanced_weights(np.array([[1.0], [-1.0], [2.0]]), np.full(3, 1 / 3), 0.3)
    assert enough == pytest.approx(0.3) and weights @ [1, -1, 2] == pytest.approx(0)


def test_from_which_k_on_the_average_is_all():
    # w = 1 at C = 4 is 4 times the sum of the weights: a quarter.
    y = np.array([1.0, -1.0, 1.0, -1.0, 1.0])
    found = top_k.fit(y[:, None], y, "hinge", k=5, C=4.0, tol=1e-10)
    assert top_k.k_bar(found, 5) == pytest.approx(5 / 4, abs=1e-4)


def test_constants_beside_the_regulariser():
    assert top_k.effective_C(3, 12, 8.0) == top_k.effective_C(0.25, 12, 8.0) == 2
    for eta in (0.3, 1.0):
        assert 1 - eta / top_k.largest_stable_C(eta) == -1


def test_where_scores_are_clipped():
    # 2^level = 4/3: the loss has this value where the odds are 3.
    found = top_k.clipped_logit([0.9, 0.6, 0.5, 0.1, 0.0], np.log2(4 / 3))
    assert found == pytest.approx([np.log(3), np.log(1.5), 0, -np.log(3), -np.log(3)], abs=1e-12)


@pytest.mark.parametrize(("masses", "eta", "nu", "calibrated"), [
    ([1.0], [0.25], 0.4, False),
    ([1.0], [0.45], 1.0, True),
    ([1.0, 0.0], [0.75, 0.1], 0.9, True),
    ([0.5, 0.5], [0.5, 0.9], 0.7, True),
    ([0.5, 0.5], [0.5, 0.9], 0.55, False),
])
def test_where_the_sign_is_right(masses, eta, nu, calibrated):
    """A point of no mass and one without a better label do not count."""
    for loss in ("logistic", "hinge", "exponential"):
        assert top_k.population_minimiser(masses, eta, nu, loss).calibrated is calibrated


def test_scores_are_not_cut_off_early():
    """A posterior that is nearly 1 has a score of 10 in the mean of exponential losses."""
    odds = np.exp(20.0)
    found = top_k.population_minimiser([1.0], [odds / (1 + odds)], 1.0, "exponential")
    assert found.scores[0] == pytest.approx(10, abs=1e-3)


def test_two_steps_of_the_printed_method():
    """Examples of margin w, a threshold of 1/4: both move by 1/2, then the loss is cut."""
    given = dict(nu=0.5, C=1.0, steps=2, rng=np.random.default_rng(0))
    run = top_k.stochastic(*ALIKE, "hinge", eta=0.5, level=0.25, **given)
    second = 0.5 / np.sqrt(2)
    assert run.coef[0, 0] == pytest.approx(0.5 * (1 - second))
    assert run.level[0] == pytest.approx(0.25 + 0.5 / 2 - second / 2)
    # The iterates 0 and 1/2, thresholds of 1/4 and 1/2, before the steps.
    total = 0.5 + second
    assert run.total[0] == pytest.approx(total)
    assert run.mean_coef[0, 0] == pytest.approx(second * 0.5 / total)
    assert run.mean_level[0] == pytest.approx((0.5 * 0.25 + second * 0.5) / total)
    # Gradients (-1, -1/2) and (1/2, 1/2).
    assert run.squares[0] == pytest.approx(0.25 * 1.25 + second**2 * 0.5)
    # From 0 a threshold goes no lower.
    low = top_k.stochastic(*ALIKE, "hinge", **{**given, "nu": 1.0})
    assert low.level[0] == 0 and low.coef[0, 0] == pytest.approx(1 - 1 / np.sqrt(2))


def test_a_step_of_the_truncated_method():
    """The loss is 3/4 above the threshold, its square slope in both is 2: 3/8 of the step 1/2."""
    run = top_k.stochastic(*ALIKE, "hinge", nu=0.5, C=1.0, eta=0.5, level=0.25, steps=1,
                           rule="truncated", rng=np.random.default_rng(0))
    assert run.coef[0, 0] == pytest.approx(3 / 8 / 1.5)
    assert run.level[0] == pytest.approx(0.25 + 3 / 8 - 0.5 / 2)


def test_parts_of_the_ranks():
    assert top_k.ranked_range([9.0, 1.0, 2.0, 4.0], 1, 4) == pytest.approx(7 / 3)
    assert top_k.ranked_range_weights([9.0, 1.0, 2.0, 4.0], 1, 4).tolist() == pytest.approx(
        [0, 1 / 3, 1 / 3, 1 / 3])
    sigma = [0.5, 0.3, 0.2]
    for p, inside in (([0.2, 0.5, 0.3], True), ([0.55, 0.25, 0.2], False),
                      ([0.5, 0.2, 0.2], False), ([0.4, 0.4, 0.2], True)):
        assert bool(top_k.spectral_conjugate(p, sigma) == 0) is inside
    # No weight may go to an example that does not count.
    assert top_k.spectral_conjugate([0.5, 0.3, 0.2], [1.0], sample_weight=[1, 1, 1]) == np.inf
    assert top_k.spectral_conjugate([0.4, 1.0], [1.0], sample_weight=[0, 1]) == np.inf
    assert top_k.spectral_conjugate([0.0, 1.0], [1.0], sample_weight=[0, 1]) == 0


def test_rows_of_very_different_lengths_are_balanced():
    """Where the largest sum is known the simplex method gave up here, and ran on at 300 x 100."""
    draws = np.random.default_rng(3)
    x = draws.normal(size=(100, 30))
    y = np.where(x[:, 0] + 2 * draws.normal(size=100) > 0, 1.0, -1.0)
    x *= np.exp(4 * draws.normal(size=(100, 1)))
    p, enough = balanced_weights(y[:, None] * x, np.full(100, 0.01), 0.01)
    assert enough == pytest.approx(0.01)
    assert np.abs(p * y @ x).max() < 1e-9 * np.abs(x).max()
