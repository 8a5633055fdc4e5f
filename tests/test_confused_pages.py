"""The pages on learning from confused labels are what their scripts write of kept numbers."""

from __future__ import annotations

import json
from pathlib import Path

import confused_labels
import corrected_logistic
import multiclass_tables
import numpy as np
import pytest

from noisytheory.learners import CorrectedLogisticRegression


def written(script):
    return Path(script.__file__).with_suffix(".md").read_text(encoding="utf-8")


@pytest.mark.campaign
def test_the_tables_of_the_paper_are_the_kept_numbers():
    assert multiclass_tables.page() == written(multiclass_tables)


@pytest.mark.campaign
def test_the_vendors_page_is_the_kept_numbers():
    kept = Path(confused_labels.__file__).with_suffix(".json").read_text(encoding="utf-8")
    assert confused_labels.page(json.loads(kept)) == written(confused_labels)


def logistic_fits():
    return json.loads(
        Path(corrected_logistic.__file__).with_suffix(".json").read_text(encoding="utf-8"))


@pytest.mark.campaign
def test_the_page_of_logistic_regression_is_the_kept_numbers():
    assert corrected_logistic.page(logistic_fits()) == written(corrected_logistic)


def test_the_notes_of_logistic_regression_say_what_the_page_says():
    said = " ".join(CorrectedLogisticRegression.__doc__.split())
    assert corrected_logistic.notes(logistic_fits()) in said


def test_verdicts_on_paired_runs_by_hand():
    # Differences -1, 0, 1: mean 0, half of the interval t(2) / sqrt(3) = 9.925 / 1.732.
    mean, half = multiclass_tables.paired(np.array([0.0, 1.0, 2.0]), np.ones(3))
    assert mean == 0 and half == pytest.approx(5.730, abs=1e-3)
    assert [multiclass_tables.below(gap) for gap in ((-2.0, 1.0), (0.5, 1.0), (2.0, 1.0))] == [
        "holds", "undecided", "reversed"]
    assert [multiclass_tables.flat(gap) for gap in ((0.01, 0.005), (0.01, 0.05), (0.1, 0.05))] == [
        "holds", "undecided", "does not hold"]
    numbers = np.array([0.9, 1.0, 1.1])  # 1 +- .573
    assert [multiclass_tables.inside(numbers, at, 0.05) for at in (1.6, 1.7, 0.3)] == [
        "as print", "ours lower", "ours higher"]


def test_a_sentence_that_the_numbers_do_not_bear_out_stops_the_script():
    assert confused_labels.sure(1 < 2, "one") == multiclass_tables.sure(1 < 2, "one") == "one"
    for script in (confused_labels, multiclass_tables):
        with pytest.raises(SystemExit, match="no longer true: two"):
            script.sure(2 < 1, "two")


def test_a_threshold_is_that_of_most_right_decisions():
    values, harm = np.array([1.0, 2.0, 3.0, 4.0]), np.array([False, False, True, True])
    assert confused_labels.threshold(values, harm) == 2
    fits = [{"UMA": u, "ignoring": 0.5, "warned": w}
            for u, w in ((0.6, 1), (0.4, 1), (0.6, 0), (0.4, 0), (0.4, 0))]
    assert confused_labels.tally(fits, lambda at: at["warned"]) == [1, 1, 1, 2]
