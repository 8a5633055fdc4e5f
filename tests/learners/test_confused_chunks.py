"""Chunk by chunk, and from rows as they come."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import noisytheory as nt
from noisytheory.learners import confused


def test_random_pairs_go_on_from_chunk_to_chunk() -> None:
    rng = np.random.default_rng(0)
    true = rng.integers(4, size=400)
    x = np.eye(4)[true] + 0.3 * rng.normal(size=(400, 4))
    model = nt.UMAClassifier(strategy="random", random_state=0)
    seen: set[tuple[int, int]] = set()
    for _ in range(100):
        model.partial_fit(x, true)
        seen |= {(p, q) for p, q in model.run_.pairs.tolist()}
    # Drawn from the same number anew, two or three pairs are all that is ever looked at.
    assert len(seen) >= 10


@pytest.mark.parametrize("step", ["worst", "random"])
def test_an_order_is_drawn_anew_for_each_chunk(step: str) -> None:
    """Two calls on all rows are two passes; from one number each took the rows in one order."""
    rng = np.random.default_rng(0)
    true = rng.integers(4, size=100)
    x = np.eye(4)[true] + rng.normal(size=(100, 4))
    options = {"step": step, "random_state": 0}
    passes = nt.UltraconservativeClassifier(passes=2, **options).fit(x, true)
    calls = nt.UltraconservativeClassifier(**options).partial_fit(x, true).partial_fit(x, true)
    np.testing.assert_array_equal(passes.coef_, calls.coef_)
    assert not passes.clean_ and passes.updates_ == calls.updates_


def test_rows_one_by_one_have_random_steps_of_their_own() -> None:
    model = nt.UltraconservativeClassifier(
        step="random", random_state=0, fit_intercept=False, unit_norm=False
    )
    for row in np.eye(100):
        model.partial_fit(row[None], [0], classes=range(3))
    # From W = 0 every row errs in both other classes, and its step is its column.
    assert len(np.unique(model.coef_[1].round(9))) == 100


def test_a_row_that_holds_an_index_twice_is_its_sum() -> None:
    rng = np.random.default_rng(0)
    true = rng.integers(3, size=100)
    x = np.eye(3)[true] + 0.2 * rng.normal(size=(100, 3))
    part = rng.normal(size=x.shape)
    thin = sparse.csr_matrix(
        (np.hstack([part, x - part]).ravel(), np.tile([0, 1, 2], 200), np.arange(0, 601, 6)),
        shape=x.shape,
    )
    for options in (dict(), dict(unit_norm=False, fit_intercept=False)):
        for kind in (nt.UltraconservativeClassifier, nt.UMAClassifier):
            twice, once = (kind(random_state=0, **options).fit(p, true) for p in (thin.copy(), x))
            np.testing.assert_allclose(twice.coef_, once.coef_, rtol=0, atol=1e-9)
    x = np.array([[1.0, 1.0], [1.5, 0.0]])
    thin = sparse.csr_matrix(([3.0, -2.0, 1.0, 1.5], [0, 0, 1, 0], [0, 3, 4]), shape=(2, 2))
    twice, once = (nt.multiclass.ultraconservative(p, [0, 1], 2, passes=20) for p in (thin, x))
    assert twice.clean
    assert np.array_equal(twice.weights, once.weights)
    assert thin.nnz == 4  # What came stays as it was.


@pytest.mark.parametrize("intercept", [True, False])
def test_large_samples_have_the_rules_of_small_ones(intercept, monkeypatch) -> None:
    rng = np.random.default_rng(0)
    true = rng.integers(3, size=60)
    x = np.eye(3)[true] + 0.2 * rng.normal(size=(60, 3))
    weights = []
    for least in (10**9, 1):
        monkeypatch.setattr(confused, "COMPILED", least)
        model = nt.UMAClassifier(fit_intercept=intercept)
        # Squares that are no floats: short rows are lengthened, one too long is refused.
        short = np.where(np.arange(60)[:, None] < 20, 1e-162 * x, x)
        weights.append(model.fit(short, true).coef_)
        assert intercept or model.score(1e-200 * x, true) > 0.95
        if not intercept:
            thin = nt.UMAClassifier(fit_intercept=False).fit(sparse.csr_array(short), true)
            np.testing.assert_allclose(thin.coef_, weights[-1], rtol=0, atol=1e-12)
        with pytest.raises(ValueError, match=r"norm is a float, got numbers up to 1e\+200: scale"):
            model.fit(np.where(np.arange(60)[:, None] == 3, 1e200, x), true)
    np.testing.assert_allclose(weights[0], weights[1], rtol=0, atol=1e-12)


def test_another_confusion_is_that_of_the_next_chunk() -> None:
    rng = np.random.default_rng(0)
    true = rng.integers(2, size=100)
    x = np.eye(2)[true] + 0.3 * rng.normal(size=(100, 2))
    first, second = [[0.9, 0.2], [0.1, 0.8]], [[0.7, 0.3], [0.3, 0.7]]
    model = nt.UMAClassifier(first).partial_fit(x, true)
    model.set_params(confusion=second).partial_fit(x, true)
    assert model.confusion_.tolist() == second
    run = nt.multiclass.uma(model._features(x), true, first, max_iter=1)
    run = nt.multiclass.uma(model._features(x), true, second, max_iter=1, start=run.weights)
    np.testing.assert_allclose(model.run_.weights, run.weights, atol=1e-12)
    model.set_params(confusion=[[0.9, 0.1], [0.2, 0.8]])
    for _ in range(2):
        with pytest.raises(ValueError, match="confusion must have columns that sum to 1"):
            model.partial_fit(x, true)
    model.set_params(orientation="row").partial_fit(x, true)
    assert model.confusion_.tolist() == first


def test_a_confusion_of_rows_that_differ_is_told_so() -> None:
    with pytest.raises(ValueError, match="confusion must hold real numbers, got rows that differ"):
        nt.UMAClassifier([[1, 2], [3]]).fit(np.eye(2), [0, 1])


def test_chunks_hear_of_an_estimate_that_is_worse_than_none() -> None:
    rng = np.random.default_rng(0)
    true = rng.integers(2, size=100)
    x = np.eye(2)[true] + 0.2 * rng.normal(size=(100, 2))
    counts = np.array([[3, 2], [2, 3]])
    poor, good = (nt.confusion.ConfusionEstimate(k * counts) for k in (1, 10_000))
    for first in (poor, good):
        model = nt.UMAClassifier(first, random_state=0)
        if first is good:
            model.partial_fit(x, true).set_params(confusion=poor)
        with pytest.warns(UserWarning, match="bootstrap of the 10 .* times as much noise"):
            model.partial_fit(x, true)
    with pytest.warns(UserWarning, match="bootstrap of the 10 examples"):
        nt.UMAClassifier(poor, compare=False, random_state=0).fit(x, true)


@pytest.mark.parametrize("correction", ["forward", "backward"])
@pytest.mark.filterwarnings("ignore:the noisy labels tell")
def test_corrected_logistic_regression_doubts_what_the_labels_contradict(correction: str) -> None:
    """Half of class 1 as much as of class 0 cannot come of 1 in 10 labels: it said nothing."""
    y = np.repeat([0, 1], [90, 10])
    x = np.eye(2)[y]
    told = r"leaves class 1 a share of .*no shares of the classes explain"
    with pytest.warns(UserWarning, match=told):
        nt.CorrectedLogisticRegression([[0.6, 0.4], [0.4, 0.6]], correction=correction).fit(x, y)
    with pytest.raises(ValueError, match="points must have coordinates up to"):
        nt.CorrectedLogisticRegression(correction=correction).fit(x * 1e160, y)


def test_steps_may_become_random_between_chunks() -> None:
    x, y = np.eye(3)[np.arange(30) % 3] + 0.1, np.arange(30) % 3
    model = nt.UltraconservativeClassifier(random_state=0).partial_fit(x, y)
    model.set_params(step="random").partial_fit(x[:, ::-1], y)
    assert model.updates_ > 0
