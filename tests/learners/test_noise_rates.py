"""Noise rates as they are given: which way a matrix is read, and what labels contradict."""

from __future__ import annotations

import warnings
from functools import reduce

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.base import clone
from sklearn.datasets import load_digits

import noisytheory as nt
from noisytheory.learners.noise_rates import confusion_of, too_few_errors

pytestmark = pytest.mark.filterwarnings("ignore:examples of every class")

VENDOR = 0.6 * np.eye(3) + 0.4 * np.roll(np.eye(3), 1, axis=1)
LEARNERS = [
    nt.KernelMeanClassifier(), nt.KernelMeanClassifierCV(), nt.MultipleKernelMean(),
    nt.MultipleKernelMean(choice="longest"),
]


@pytest.fixture(scope="module")
def sample():
    """Three blobs, labels as the vendor's rows have them."""
    rng = np.random.default_rng(0)
    true = rng.integers(3, size=600)
    x = rng.normal(size=(600, 2)) / 2 + 4 * np.array([[0, 0], [1, 0], [0, 1]])[true]
    return x, true, np.where(rng.random(600) < 0.4, (true + 1) % 3, true)


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_a_matrix_that_may_be_meant_either_way_is_refused(learner, sample):
    x, true, noisy = sample
    learner = clone(learner)
    with pytest.raises(ValueError, match=r'noise_rate has .*="column" or "row"'):
        learner.set_params(noise_rate=VENDOR).fit(x, noisy)
    with pytest.raises(ValueError, match=r"orientation must be .*, got 'rows'"):
        learner.set_params(orientation="rows").fit(x, noisy)
    by_rows = learner.set_params(orientation="row").fit(x, noisy).corrected_risk(x, noisy)
    learner.set_params(noise_rate=VENDOR.T, orientation="column")
    assert by_rows == learner.fit(x, noisy).corrected_risk(x, noisy)
    assert abs(by_rows - np.mean(learner.predict(x) != true)) < 0.15
    one_way = np.array([[0.9, 0.3, 0.0], [0.1, 0.7, 0.0], [0.0, 0.0, 1.0]])
    with pytest.raises(ValueError, match='here the rows do: say orientation="row"'):
        learner.set_params(noise_rate=one_way.T, orientation=None).fit(x, noisy)


def test_a_table_is_read_by_the_names_of_its_classes(sample):
    pandas = pytest.importorskip("pandas")
    x, _, noisy = sample
    names = np.array(["cat", "dog", "eel"])
    table = pandas.DataFrame(VENDOR, names, names).loc[["eel", "cat", "dog"], ["dog", "eel", "cat"]]
    model = nt.KernelMeanClassifierCV(noise_rate=table, orientation="row").fit(x, names[noisy])
    plain = nt.KernelMeanClassifierCV(noise_rate=VENDOR.T, orientation="column").fit(x, noisy)
    assert model.best_score_ == plain.best_score_
    table.columns = ["dog", "eel", "owl"]
    with pytest.raises(ValueError, match="noise_rate must have each class's name once"):
        model.set_params(noise_rate=table).fit(x, names[noisy])


@pytest.mark.filterwarnings("ignore:the confusion", "ignore:noise")
@pytest.mark.parametrize("way", [None, "column", "row"])
@pytest.mark.parametrize("given", [VENDOR, VENDOR.T, np.full((3, 3), 0.1) + 0.7 * np.eye(3)])
def test_uma_and_the_mean_read_a_matrix_alike(given, way, sample):
    x, _, noisy = sample
    uma = nt.UMAClassifier(given, orientation=way, compare=False, max_iter=1)
    try:
        read = uma.fit(x, noisy).confusion_
    except ValueError as refused:
        with pytest.raises(ValueError) as told:
            confusion_of(given, [0, 1, 2], way)
        assert str(told.value) == str(refused).replace("confusion", "noise_rate", 1)
    else:
        np.testing.assert_array_equal(confusion_of(given, [0, 1, 2], way), read)


@pytest.mark.parametrize("asked", [
    lambda **way: nt.multiclass.error_by_noisy_labels([0, 1, 2, 0], [0, 2, 2, 1], **way),
    lambda **way: nt.multiclass.gain_by_known_confusion(
        [0, 1, 2, 0], [0, 0, 0, 1], [0, 2, 2, 1], **way)[0],
    lambda **way: nt.multiclass.likely_shares([50, 30, 20], **way).tolist(),
    lambda **way: nt.multiclass.label_misfit([90, 5, 5], **way),
    lambda **way: nt.multiclass.audit_misfit(
        [[6, 0, 4], [4, 6, 0], [0, 4, 6]], size=99, rng=np.random.default_rng(0), **way),
], ids=["error", "gain", "shares", "labels", "audit"])
def test_functions_of_labels_refuse_it_too(asked):
    with pytest.raises(ValueError, match="rows and columns that sum to 1 and is not symmetric"):
        asked(confusion=VENDOR)
    by_rows = asked(confusion=VENDOR, orientation="row")
    assert by_rows == asked(confusion=VENDOR.T, orientation="column")
    assert by_rows != asked(confusion=VENDOR, orientation="column")


def test_rates_that_the_labels_contradict_are_told():
    X, digit = load_digits(return_X_y=True)
    X, odd = X / 16, digit % 2
    # No label is wrong, and a few predictions are.
    with pytest.warns(UserWarning, match=r"0.67% of 900 labels differ .* noise_rate 30% or more do"
                      ) as said:
        model = nt.KernelMeanClassifierCV(noise_rate=0.3).fit(X[:900], odd[:900])
    assert model.best_score_ > 1.7 and len(said) == 1 and said[0].filename == __file__
    with pytest.warns(UserWarning, match=r"of 897 labels differ .* 30% or more"):
        assert model.corrected_risk(X[900:], odd[900:]) < -0.6
    with pytest.warns(UserWarning, match="by noise_rate 2[0-9]% or more do"):
        model.set_params(noise_rate=(0.1, 0.4)).fit(X[:900], odd[:900])
    with pytest.warns(UserWarning, match="by noise_rate 40% or more do"):
        table = 0.6 * np.eye(10) + 0.4 * np.roll(np.eye(10), 1, axis=1)
        model.set_params(noise_rate=table, orientation="row").fit(X[:900], digit[:900])


def test_true_rates_are_not_doubted_nor_are_low_ones(sample):
    x, true, noisy = sample
    doubts = 0
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "[0-9.]+% of")
        for seed in range(200):
            rng = np.random.default_rng(seed)
            y = rng.integers(2, size=100)
            rows = rng.normal(size=(100, 2)) + 6 * y[:, None]
            labels = np.where(rng.random(100) < 0.3, 1 - y, y)
            try:
                nt.KernelMeanClassifierCV(noise_rate=0.3).fit(rows, labels)
            except UserWarning:
                doubts += 1
        nt.KernelMeanClassifierCV(noise_rate=0.2).fit(x, noisy)
        # Of no weight, an example has no say: these are the ones that agree.
        agree = noisy == true
        with pytest.raises(UserWarning, match="0% of"):
            nt.KernelMeanClassifierCV(noise_rate=0.4).fit(x, noisy, agree.astype(float))
    # With chance .001 each more than two have chance .0011 together.
    assert doubts <= 2


def test_errors_of_unlike_chances_are_no_likelier_to_be_few_than_binomial_ones():
    noise = np.array([[0.9, 0.4], [0.1, 0.6]])
    predicted = np.array([0] * 30 + [1] * 30)
    exact = reduce(np.convolve, [[0.9, 0.1]] * 30 + [[0.6, 0.4]] * 30).cumsum()
    for errors in range(14):
        codes = np.where(np.arange(60) < errors, 1 - predicted, predicted)
        least, chance = too_few_errors(predicted, codes, noise)
        assert least == pytest.approx(0.25) and exact[errors] <= chance
        assert chance == pytest.approx(binom.cdf(errors, 60, 0.25))
