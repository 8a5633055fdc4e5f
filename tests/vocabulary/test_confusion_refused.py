"""Matrices, priors, labels and sizes that make no sense are refused, by name."""

from __future__ import annotations

import numpy as np
import pytest

import noisytheory as nt

COLUMNS = np.array([[0.9, 0.4], [0.1, 0.6]])
THREE = np.array([[0.8, 0.1, 0.0], [0.1, 0.9, 0.3], [0.1, 0.0, 0.7]])
ONE = {
    "inverse_of": nt.confusion.inverse_of, "amplification": nt.confusion.amplification,
    "lopsidedness": nt.confusion.lopsidedness,
    "leakage": lambda given: nt.confusion.leakage(COLUMNS, given),
    "relative_leakage": lambda given: nt.confusion.relative_leakage(COLUMNS, given),
    "posterior_confusion": lambda given: nt.confusion.posterior_confusion(given, [0.5, 0.5]),
}


@pytest.mark.parametrize("function", ONE.values(), ids=ONE)
@pytest.mark.parametrize(("given", "told"), [
    (100 * COLUMNS, r"must hold probabilities in \[0, 1\], got 90"),
    (np.eye(3)[:2], r"must be a square matrix, got shape \(2, 3\)"),
    ([[np.nan, 0.4], [0.1, 0.6]], r"must hold probabilities in \[0, 1\], got nan"),
    ([[1.5, 0.4], [-0.5, 0.6]], r"must hold probabilities in \[0, 1\], got 1.5"),
    (COLUMNS.T, "must have columns that sum to 1, number 0 sums to 1.3: its rows do"),
    ([[0.9, 0.4], [0.2, 0.3]], "must have columns that sum to 1, number 1 sums to 0.7"),
    (np.ma.masked_array(COLUMNS, mask=np.eye(2)), "must hold real numbers, got some that are mask"),
    ([[0.9, 0.4], [0.1]], "must hold real numbers, got rows that differ"),
])
def test_a_matrix_that_is_not_column_stochastic(function, given, told):
    with pytest.raises(ValueError, match=f"^matrix {told}"):
        function(given)


@pytest.mark.parametrize("function", [nt.confusion.leakage, nt.confusion.relative_leakage])
def test_an_estimate_of_other_classes(function):
    with pytest.raises(ValueError, match=r"must have one shape, got \(2, 2\) and \(3, 3\)"):
        function(COLUMNS, THREE)
    with pytest.raises(ValueError, match=r"^estimate must have columns that sum to 1"):
        function(COLUMNS.T, COLUMNS)


@pytest.mark.parametrize(("priors", "told"), [
    ([0.5, 0.5, 0.5], r"priors must have shape \(2,\), got \(3,\)"),
    ([0.75, 0.75], r"priors must be probabilities that sum to 1, got \[0.75, 0.75\]"),
    ([1.5, -0.5], r"priors must be probabilities that sum to 1, got \[1.5, -0.5\]"),
    ([np.nan, 0.5], "priors must be probabilities that sum to 1, got"),
])
def test_priors_that_are_none(priors, told):
    with pytest.raises(ValueError, match=told):
        nt.confusion.posterior_confusion(COLUMNS, priors)


@pytest.mark.parametrize(("reference", "told"), [
    (COLUMNS, "reference must have rows that sum to 1, number 0 sums to 1.3: its columns do"),
    ([[0.5, 0.5]], "reference must be a square matrix"),
    ([[np.nan, 0.5], [0.5, 0.5]], r"reference must hold probabilities in \[0, 1\], got nan"),
])
def test_a_path_of_noise_starts_from_rows(reference, told):
    with pytest.raises(ValueError, match=told):
        nt.multiclass.noise_path(reference, 3)
    with pytest.raises(ValueError, match=r"step must be a whole number >= 0, got 2\.5"):
        nt.multiclass.noise_path(COLUMNS.T, 2.5)


@pytest.mark.parametrize(("given", "told"), [
    (dict(noisy=["a", None], true=["a", "b"]), "noisy must hold labels, and none that is missing"),
    (dict(noisy=["a", "b"], true=["a", None]), "true must hold labels, and none that is missing"),
    (dict(noisy=[0.0, 1.0], true=[np.nan, 1.0]), "true must hold labels, and none that is missing"),
    (dict(classes=1.0), "classes must be a whole number >= 1 or a list of them, got 1.0"),
    (dict(classes=True), "classes must be a whole number >= 1 or a list of them, got True"),
    (dict(classes="ab"), "classes must be a whole number >= 1 or a list of them, got 'ab'"),
    (dict(classes=0), "classes must be a whole number >= 1 or a list of them, got 0"),
])
def test_labels_and_classes_of_an_audit(given, told):
    with pytest.raises(ValueError, match=told):
        nt.confusion.estimate_confusion(**(dict(noisy=[0, 1], true=[0, 1]) | given))


def test_no_bootstrap_without_an_audit():
    estimate = nt.confusion.ConfusionEstimate([[8, 3], [2, 7]])
    for size in (0, -3, 1.5):
        with pytest.raises(ValueError, match=f"size must be a whole number >= 1, got {size}"):
            estimate.relative_leakage(size)
    with pytest.raises(ValueError, match=r"rng must be a numpy.random.Generator, got 0"):
        estimate.resampled(3, rng=0)
    masked = np.ma.masked_array([[8, 3], [2, 7]], mask=np.eye(2))
    with pytest.raises(ValueError, match="counts must hold real numbers, got some that are masked"):
        nt.confusion.ConfusionEstimate(masked)


@pytest.mark.parametrize(("given", "told"), [
    (dict(ours=[1, 2]), "ours must be classes 0 to 1, got 2"),
    (dict(other=[-1, 0]), "other must be classes 0 to 1, got -1"),
    (dict(noisy=[0, 1, 1]), "must be as long, got 2 of ours, 2 of other, 3 of noisy"),
    (dict(noisy=[0.0, 1.0]), "noisy must be a list of classes 0 to 1, got float64"),
    (dict(confusion=COLUMNS.T), "confusion must have columns that sum to 1"),
])
def test_predictions_that_are_none(given, told):
    asked = dict(ours=[0, 1], other=[1, 1], noisy=[0, 1], confusion=COLUMNS) | given
    with pytest.raises(ValueError, match=told):
        nt.multiclass.gain_by_known_confusion(**asked)
