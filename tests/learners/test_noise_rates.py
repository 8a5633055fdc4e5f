"""Noise rates as they are given: which way a matrix is read."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

import noisytheory as nt
from noisytheory.learners.noise_rates import confusion_of

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
