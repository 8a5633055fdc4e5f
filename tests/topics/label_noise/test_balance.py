"""Balanced error, AUC, and the shares of contamination and of noise, there and back."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from noisytheory.topics.surrogates import (
    auc,
    balanced_error,
    balanced_error_contaminated,
    contamination_of_noise,
    noise_of_contamination,
)
from noisytheory.vocabulary.losses import Hinge, LinearLoss, ZeroOne


@pytest.fixture
def scores():
    rng = np.random.default_rng(4)
    return rng.integers(-3, 4, 60) + 0.5, rng.integers(-4, 3, 45) + 0.5


def test_they_are_those_of_scikit_learn(scores):
    up, down = scores
    y, v = np.repeat([1, -1], [60, 45]), np.concatenate(scores)
    assert auc(up, down) == pytest.approx(roc_auc_score(y, v), abs=1e-15)
    clean = 1 - balanced_accuracy_score(y, np.sign(v))
    assert balanced_error(ZeroOne(), up, down) == pytest.approx(clean, abs=1e-15)


def test_zeros_are_errors_or_half_errors():
    assert balanced_error(ZeroOne(), [0.0], [0.0]) == 1.0
    assert balanced_error(ZeroOne("half"), [0.0], [0.0]) == 0.5
    assert auc([0.0], [0.0]) == 0.5


@pytest.mark.parametrize("loss, total", [(LinearLoss(), 2), (ZeroOne("half"), 1)])
def test_contamination_is_affine(scores, loss, total):
    up, down = scores
    up = up[:45]
    # Shares 1/3 and 1/5: 2 of 3 positives and 1 of 3 negatives, and so on, exactly.
    mixed_up, mixed_down = np.concatenate([up, up, down]), np.concatenate([down] * 4 + [up])
    clean = balanced_error(loss, up, down)
    promised = balanced_error_contaminated(clean, 1 / 3, 1 / 5, total)
    assert balanced_error(loss, mixed_up, mixed_down) == pytest.approx(promised, abs=1e-12)
    curve = balanced_error_contaminated(auc(up, down), 1 / 3, 1 / 5)
    assert auc(mixed_up, mixed_down) == pytest.approx(curve, abs=1e-12)


def test_the_hinge_has_no_such_formula(scores):
    up, down = scores[0][:45], scores[1]
    mixed = balanced_error(
        Hinge(), np.concatenate([up, up, down]), np.concatenate([down] * 4 + [up])
    )
    clean = balanced_error(Hinge(), up, down)
    assert abs(mixed - balanced_error_contaminated(clean, 1 / 3, 1 / 5, 2)) > 0.1


def test_shares_and_rates_are_inverse():
    rng = np.random.default_rng(0)
    minus, plus = rng.uniform(0, 0.5, (2, 50))
    positive = rng.uniform(0.1, 0.9, 50)
    shares = contamination_of_noise(minus, plus, positive)
    found = noise_of_contamination(*shares, positive)
    np.testing.assert_allclose(found, [minus, plus], atol=1e-13)
    assert np.all(shares[0] + shares[1] < 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: auc([], [1.0]), "positive must hold at least one score"),
        (lambda: auc([1.0], [np.nan]), "negative must be finite numbers"),
        (lambda: balanced_error(ZeroOne(), [1.0], []), "negative must hold"),
        (lambda: contamination_of_noise(0.1, 0.1, 0), "positive must be"),
        (lambda: contamination_of_noise(0.1, 1.1, 0.5), "plus must be"),
        (lambda: noise_of_contamination(0.5, 0.2, 0.6), "between beta and 1 - alpha"),
        (lambda: noise_of_contamination(0.6, 0.6, 0.5), "between beta and 1 - alpha"),
        (lambda: noise_of_contamination(1, 0, 0.5), "alpha must be"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_no_error_and_negative_losses_are_allowed():
    assert balanced_error_contaminated(0, 0.3, 0.1) == pytest.approx(0.2)
    assert balanced_error_contaminated(-1, 0.3, 0.1, 2) == pytest.approx(-0.2)


@pytest.mark.parametrize("rates", [(0, 1), (1, 0)])
def test_noise_that_leaves_one_label_is_refused(rates):
    with pytest.raises(ValueError, match="must leave examples of either label"):
        contamination_of_noise(*rates, 0.5)
