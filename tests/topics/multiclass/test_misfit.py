"""What noisy labels say of shares, and of the confusion that is said to be theirs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats

from noisytheory.topics.multiclass import audit_misfit, class_shares, label_misfit, likely_shares
from noisytheory.vocabulary.confusion import inverse_of

C = np.array([[0.7, 0.2, 0.1], [0.2, 0.7, 0.3], [0.1, 0.1, 0.6]])


def test_without_noise_it_is_one_more_of_each():
    np.testing.assert_allclose(likely_shares([7, 3, 0], np.eye(3)), [8 / 13, 4 / 13, 1 / 13])
    # Ten labels seen through an audit of ten are worth five.
    np.testing.assert_allclose(
        likely_shares([7, 3, 0], np.eye(3), audited=10), [4.5 / 8, 2.5 / 8, 1 / 8])


@pytest.mark.parametrize("counts", [[500, 300, 200], [700, 200, 100], [900, 90, 10], [0, 0, 5]])
@pytest.mark.parametrize("audited", [np.inf, 60.0])
def test_nothing_is_likelier(counts, audited):
    seen = np.array(counts, float)
    size = 1 / (1 / seen.sum() + 1 / audited)

    def less(logits):
        shares = np.exp(logits - np.logaddexp.reduce(logits))
        mixed = C @ shares
        return -(size * seen / seen.sum() @ np.log(mixed) + np.log(shares).sum())

    found = likely_shares(seen, C, audited=audited)
    assert found.min() > 0 and found.sum() == pytest.approx(1)
    best = optimize.minimize(less, np.zeros(3), tol=1e-12)
    assert less(np.log(found)) == pytest.approx(best.fun, abs=1e-9)


def test_many_labels_of_a_known_confusion_are_believed():
    seen = C @ [0.5, 0.3, 0.2] * 10**8
    np.testing.assert_allclose(likely_shares(seen, C), [0.5, 0.3, 0.2], atol=1e-6)
    np.testing.assert_allclose(
        likely_shares(seen, C), class_shares(seen / seen.sum(), inverse_of(C)), atol=1e-6)


def test_numbers_of_labels_contradict_a_confusion_as_seldom_as_they_say():
    rng = np.random.default_rng(4)
    for shares in ([1 / 3] * 3, [0.5, 0.5, 0], [1, 0, 0]):
        said = [label_misfit(rng.multinomial(1000, C @ shares), C) for _ in range(400)]
        # At most .05 of them in the limit: false alarms have a chance below 1e-6.
        assert np.sum(np.array(said) <= 0.05) <= stats.binom.isf(1e-6, 400, 0.05)
    # By hand: every column has a share of class 2 of .1 or more, so none is far off.
    assert label_misfit([500, 500, 0], C) < 1e-9
    assert label_misfit(C @ [500, 300, 200], C) == 1


def test_audited_pairs_contradict_a_confusion_as_seldom_as_they_say():
    rng = np.random.default_rng(5)
    drawn = np.stack([rng.multinomial(12, C[:, q], size=300) for q in range(3)], axis=-1)
    said = np.array([audit_misfit(one, C, size=99, rng=rng) for one in drawn])
    # Exactly at most .05 of them; the same false alarms.
    assert np.sum(said <= 0.05) <= stats.binom.isf(1e-6, 300, 0.05)
    assert np.sum(said <= 0.5) >= stats.binom.ppf(1e-6, 300, 0.4)  # and it is not shy
    assert audit_misfit([[12, 0, 0], [0, 12, 0], [0, 0, 12]], C, rng=rng) < 0.01
    # What a confusion forbids has no chance but that of the draw itself.
    assert audit_misfit([[5, 1], [0, 5]], np.eye(2), size=99, rng=rng) == 0.01
    assert audit_misfit([[5, 0], [0, 0]], np.eye(2), size=99, rng=rng) == 1


@pytest.mark.parametrize("call, told", [
    (lambda: likely_shares([1, 2], C), "one a class, 3 of them"),
    (lambda: likely_shares([0, 0, 0], C), "not all 0"),
    (lambda: likely_shares([1, -1, 1], C), ">= 0"),
    (lambda: likely_shares([1, 2, 3], C, audited=0), "audited must be"),
    (lambda: label_misfit([1, np.nan, 1], C), "finite"),
    (lambda: label_misfit([1, 1, 1], C.T), "sum to 1"),
    (lambda: audit_misfit([[1, 0.5], [0, 1]], np.eye(2), rng=None), "whole numbers"),
    (lambda: audit_misfit([1, 2], np.eye(2), rng=None), "matrix"),
    (lambda: audit_misfit([[1, 0], [0, 1]], np.eye(2), size=0, rng=None), "size must be"),
])
def test_nonsense_is_refused(call, told):
    with pytest.raises(ValueError, match=told):
        call()
