"""The average top-k learners: scikit-learn's contract, the dual, what k changes, bad input."""

from __future__ import annotations

import gc
import pickle
import weakref

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from noisytheory.learners import (
    AverageTopKClassifier,
    AverageTopKRegressor,
    AverageTopKSVC,
    AverageTopKSVR,
)
from noisytheory.topics.top_k import kernel_fit
from noisytheory.topics.top_k.walk import Walk


def array_api_is_off(estimator):
    return {"check_array_api_input": "skipped unless SCIPY_ARRAY_API is set, which warns"}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.EstimatorCheckFailedWarning")
@pytest.mark.filterwarnings("ignore::noisytheory.learners.average_top_k.ZeroClassifier")
@pytest.mark.filterwarnings("ignore:the target's mean")
@parametrize_with_checks(
    [
        AverageTopKClassifier(),
        AverageTopKClassifier("hinge", k=1.0, fit_intercept="regularised"),
        AverageTopKClassifier("squared-hinge", fit_intercept=False),
        AverageTopKRegressor(),
        AverageTopKRegressor("absolute"),
        AverageTopKSVC(),
        AverageTopKSVR(),
    ],
    expected_failed_checks=array_api_is_off,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
LABELS = np.where(X[:, 0] + 0.5 * RNG.normal(size=60) > 0, "yes", "no")
NUMBERS = X[:, 0] + 0.3 * RNG.normal(size=60)
EVERY = [(AverageTopKClassifier, LABELS), (AverageTopKRegressor, NUMBERS),
         (AverageTopKSVC, LABELS), (AverageTopKSVR, NUMBERS)]


@pytest.mark.parametrize(("learner", "y"), EVERY)
def test_bad_settings_are_refused(learner, y):
    for change, message in (
        ({"k": 0}, "k must be a whole number in"), ({"k": 61}, "k must be a whole number in"),
        ({"k": 1.5}, "k as a fraction must lie in"), ({"k": "all"}, "k must be a whole number"),
        ({"C": 0}, "C must be a finite number > 0"), ({"C": np.inf}, "C must be a finite"),
        ({"C": "one"}, "C must be a finite number"), ({"tol": 0}, "tol must be a finite number in"),
        ({"tol": None}, "tol must be a finite number in .*got None"),
    ):
        with pytest.raises(ValueError, match=message):
            learner(**change).fit(X, y)
    with pytest.raises(ValueError, match="NaN"):
        learner().fit(np.where(X > 2, np.nan, X), y)


def test_one_class_is_refused_and_a_zero_classifier_says_which_k_is_not():
    for learner in (AverageTopKClassifier, AverageTopKSVC):
        with pytest.raises(ValueError, match="only one class"):
            learner().fit(X, np.repeat("yes", 60))
    with pytest.warns(UserWarning, match="first useful k is 16"):
        AverageTopKClassifier(k=1).fit(X, LABELS)
    # Of weight 10, 10, 1 and 1 that of h* is 20: 10 on both sides.
    line, few = [[1.0], [1.0], [-1.0], [2.0]], [1, 0, 0, 1]
    weighted = AverageTopKClassifier("hinge", k=20, C=1.0, fit_intercept=False)
    with pytest.warns(UserWarning, match=r"useful are fractions above 0\.9091 of the weight"):
        weighted.fit(line, few, sample_weight=[10, 10, 1, 1])
    assert weighted.set_params(k=21).fit(line, few, sample_weight=[10, 10, 1, 1]).coef_ > 0
    with pytest.warns(UserWarning, match="of weight 2 .* nor is at any k"):
        weighted.set_params(k=1).fit(line, few, sample_weight=[1, 1, 0, 0])
    # Small scores are no zero classifier.
    assert AverageTopKSVC(C=1e-9).fit(X, LABELS).regime_ == "nu"


@pytest.mark.parametrize(("learner", "y"), EVERY)
def test_paths_count_errors_on_other_points(learner, y):
    found = learner(C=5.0).path(X, y, [0.3, 30, 45, 60], test=(X[::2], y[::2]), tol=1e-2)
    assert found.k.tolist() == [18, 30, 45, 60]
    model = learner(C=5.0, k=60, tol=1e-6).fit(X, y)
    error = (np.mean((model.predict(X[::2]) - y[::2]) ** 2) if y is NUMBERS
             else np.mean(model.predict(X[::2]) != y[::2]))
    assert found.error[-1] == pytest.approx(error, abs=0.02)
    assert found.gap.max() <= 1e-2


@pytest.mark.parametrize(("learner", "y"), EVERY)
def test_a_choice_becomes_the_model_and_linear_ones_take_sparse_rows(learner, y):
    linear = hasattr(learner(), "fit_intercept")
    rows = sparse.csr_array(X) if linear else X
    model = learner()
    chosen = model.select(rows, y, (rows[:20], y[:20]), Cs=[0.1, 10.0], ks=[30, 0.75, 60])
    assert (model.C, model.k) == (chosen.C, chosen.k)
    again = learner(C=chosen.C, k=chosen.k).fit(X, y)
    assert np.allclose(again._scores(X), model._scores(X), atol=1e-2)
    assert chosen.error == chosen.errors.min()


@pytest.mark.parametrize(("learner", "y"), EVERY)
def test_what_models_are_compared_by_is_checked(learner, y):
    def chosen(pair, **more):
        return lambda: learner().select(X, y, pair, **more)

    for wrong, message in (
        (chosen(X), "validation must be a pair of points and labels, got a ndarray"),
        (chosen((X, np.repeat("perhaps", 60))),
         "must hold real numbers" if y is NUMBERS else r"among \['no', 'yes'\], got perhaps"),
        (chosen((X, y[:-1])), "labels of validation must have one entry a row, 60"),
        (chosen((X, y), Cs=[]), "Cs must hold at least one of numbers > 0"),
        (lambda: learner().path(X, y, [30], test=X), "test must be a pair of points and labels"),
    ):
        with pytest.raises(ValueError, match=message):
            wrong()


@pytest.mark.parametrize("learner", [AverageTopKClassifier, AverageTopKRegressor])
def test_an_intercept_is_asked_for_by_any_truth_value_and_by_no_other_word(learner):
    y = LABELS if learner is AverageTopKClassifier else NUMBERS
    plain = learner(fit_intercept=True).fit(X, y)
    assert learner(fit_intercept=np.True_).fit(X, y).intercept_ == plain.intercept_ != 0
    for wrong in (1, "yes", None):
        with pytest.raises(ValueError, match="fit_intercept must be True, False or 'regularised'"):
            learner(fit_intercept=wrong).fit(X, y)


def test_what_is_missing_or_elsewhere_is_said():
    for given in ({"gamma": 1.0}, ["bandwidth"]):
        with pytest.raises(ValueError, match="of a gaussian kernel must be a mapping with bandw"):
            AverageTopKSVC(kernel_params=given).fit(X, LABELS)
    with pytest.raises(ValueError, match="kernel_params must hold the degree of a polynomial"):
        AverageTopKSVC("polynomial").fit(X, LABELS)
    assert AverageTopKSVC("polynomial", kernel_params={"degree": 2}).fit(X, LABELS).gap_ < 1


@pytest.mark.parametrize(("learner", "y"), EVERY)
def test_who_asks_a_fit_for_all_k_is_told_of_the_method_that_has_them(learner, y):
    model = learner(k="path", C=5.0)
    with pytest.raises(ValueError, match=r"got 'path': a fit has one k; the method path\(X, y\)"):
        model.fit(X, y)
    assert np.array_equal(model.path(X, y).objective, learner(C=5.0).path(X, y).objective)


@pytest.mark.parametrize(("learner", "y"), EVERY)
def test_numbers_whose_squares_overflow_are_named(learner, y):
    with pytest.raises(ValueError, match=r"X must lie within \+-1e\+100"):
        learner().fit(1e160 * X, y)
    if y is NUMBERS:
        with pytest.raises(ValueError, match=r"y must lie within \+-1e\+100"):
            learner().fit(X, 1e200 * y)


def test_a_fraction_far_below_one_example_is_the_maximum():
    model = AverageTopKRegressor(k=1e-12).fit(X, NUMBERS)
    # So small a share of the loss pays for an intercept only: the middle of the range.
    assert model.objective_ * 1e12 == pytest.approx((np.ptp(NUMBERS) / 2) ** 2, rel=1e-5)


FORMULAS = {
    "logistic": lambda t: np.logaddexp(0, -t) / np.log(2),
    "logistic-natural": lambda t: np.logaddexp(0, -t),
    "hinge": lambda t: np.maximum(1 - t, 0),
    "squared-hinge": lambda t: np.maximum(1 - t, 0) ** 2,
    "margin-square": lambda t: (1 - t) ** 2, "exponential": lambda t: np.exp(-t),
    "square": lambda r: r**2, "absolute": np.abs,
}


@pytest.mark.parametrize("loss", FORMULAS)
@pytest.mark.parametrize(("intercept", "weighted"),
                         [(True, True), (True, False), (False, True), ("regularised", True)])
def test_objectives_are_those_of_a_conic_solver(loss, intercept, weighted):
    rows, numbers = X[:16], NUMBERS[:16]
    weight = np.arange(16) % 5 + 0.5 if weighted else None
    q = np.full(16, 1 / 16) if weight is None else weight / weight.sum()
    regression = loss in ("square", "absolute")
    y = numbers if regression else np.where(LABELS[:16] == "yes", 1.0, -1.0)
    learner = AverageTopKRegressor if regression else AverageTopKClassifier
    model = learner(loss, k=0.7, C=3.0, fit_intercept=intercept, tol=1e-11)
    model.fit(rows, y, sample_weight=weight)
    scores = rows @ model.coef_ + model.intercept_
    losses = FORMULAS[loss](y - scores if regression else y * scores)
    order = np.argsort(-losses)
    before = np.cumsum(q[order]) - q[order]
    paid = np.clip(0.7 - before, 0, q[order]) @ losses[order]
    ridge = model.coef_ @ model.coef_ + (intercept == "regularised") * model.intercept_**2
    assert paid + ridge / 6 == pytest.approx(model.objective_, abs=1e-12)
    assert model.objective_ == pytest.approx(conic(loss, rows, y, intercept, q), abs=1e-8)


def conic(loss, rows, y, intercept, q):
    """The minimum at k = .7n and C = 3, by an interior point method that is not ours."""
    cp = pytest.importorskip("cvxpy")
    if intercept == "regularised":
        rows = np.column_stack([rows, np.ones(len(rows))])
    w, level = cp.Variable(rows.shape[1]), cp.Variable()
    scores = rows @ w + (cp.Variable() if intercept is True else 0)
    t, r = cp.multiply(y, scores), y - scores
    losses = {
        "logistic": cp.logistic(-t) / np.log(2), "logistic-natural": cp.logistic(-t),
        "hinge": cp.pos(1 - t), "squared-hinge": cp.square(cp.pos(1 - t)),
        "margin-square": cp.square(1 - t), "exponential": cp.exp(-t), "square": cp.square(r),
        "absolute": cp.abs(r),
    }[loss]
    objective = q @ cp.pos(losses - level) + 0.7 * level + cp.sum_squares(w) / 6
    problem = cp.Problem(cp.Minimize(objective))
    problem.solve("CLARABEL", tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9)
    return problem.value


def test_losses_that_overflow_are_named_and_those_of_a_step_are_stepped_back_from(monkeypatch):
    rng = np.random.default_rng(6)
    rows = 100 * rng.standard_normal((30, 4))
    labels = np.where(rows[:, 0] + 100 * rng.standard_normal(30) > 0, 1, -1)
    model = AverageTopKClassifier("exponential", C=1e8)
    assert model.path(rows, labels).gap.max() <= 0.25

    def overflowing(*_):
        raise OverflowError

    monkeypatch.setattr(Walk, "over", overflowing)
    with pytest.raises(ValueError, match=r"exponential losses overflow at C=1e\+08"):
        model.path(rows, labels)


@pytest.mark.parametrize("k", [1.0, 0.5, 0.2])
def test_a_tiny_C_is_the_same_machine(k):
    """Where no margin reaches 1 the scores are C times a function; at C = 1e-16 it was another."""
    x = np.random.default_rng(0).normal(size=(40, 3))
    y = np.where(x[:, 0] > 0, 1, -1)
    for kernel in ("linear", "gaussian"):
        wanted = AverageTopKSVC(kernel, k=k, C=1e-3, tol=1e-8).fit(x, y).decision_function(x)
        for C in (1e-16, 1e-200):
            model = AverageTopKSVC(kernel, k=k, C=C).fit(x, y)
            assert np.allclose(model.decision_function(x) / C, wanted / 1e-3, rtol=0, atol=0.05)
            assert model.objective_ == pytest.approx(k) and model.level_ == pytest.approx(1)
        apart = kernel_fit(model.kernel_, y, points=x, nu=k, C=1e-16)
        assert np.allclose(apart.scores * 1e16, wanted / 1e-3, rtol=0, atol=0.05)


def read_only(values):
    values = values.copy()
    values.flags.writeable = False
    return values


@pytest.mark.parametrize(("learner", "y"), EVERY)
@pytest.mark.parametrize("form", [
    pd.DataFrame, np.asfortranarray, read_only, lambda x: np.repeat(x, 2, axis=0)[::2],
    lambda x: x.astype(np.longdouble), lambda x: pd.DataFrame(x).astype("Float64"),
    lambda x: x.astype(object), np.ndarray.tolist,
], ids=["frame", "columns first", "read-only", "strided", "long", "nullable", "objects", "lists"])
def test_rows_and_labels_of_every_form_are_one_problem(learner, y, form):
    expected = learner().fit(X, y)
    given = form(X)
    found = learner().fit(given, pd.Series(y) if form is pd.DataFrame else y)
    scores = "decision_function" if hasattr(found, "decision_function") else "predict"
    np.testing.assert_allclose(getattr(found, scores)(given), getattr(expected, scores)(X),
                               rtol=1e-12, atol=1e-12)
    for method in (lambda x: found.path(x, y, [10, 50], test=(x, y)),
                   lambda x: clone(found).select(x, y, (x, y), Cs=[1.0], ks=[30])):
        method(given)


@pytest.mark.parametrize(("learner", "y"), EVERY)
@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int64, np.int8, bool])
def test_rows_of_every_type_are_what_they_are_in_doubles(learner, y, kind):
    rows = (X > 0 if kind is bool else 3 * X).astype(kind)
    found, expected = learner().fit(rows, y), learner().fit(rows.astype(float), y)
    scores = "decision_function" if hasattr(found, "decision_function") else "predict"
    np.testing.assert_array_equal(getattr(found, scores)(rows), getattr(expected, scores)(rows))


@pytest.mark.parametrize("learner", [AverageTopKClassifier, AverageTopKSVC])
@pytest.mark.parametrize("form", [
    lambda y: y == "yes", lambda y: y.astype(object), lambda y: pd.Series(y).astype("category"),
    lambda y: pd.Series(y, dtype="string"), lambda y: np.where(y == "yes", 2.0, 1.0),
    lambda y: np.where(y == "yes", 1, -1).astype(np.int8), np.ndarray.tolist,
])
def test_labels_of_every_type_are_two_classes(learner, form):
    expected, found = learner().fit(X, LABELS), learner().fit(X, form(LABELS))
    np.testing.assert_array_equal(found.decision_function(X), expected.decision_function(X))
    assert (found.predict(X) == found.classes_[1]).tolist() == (
        expected.predict(X) == "yes").tolist()


@pytest.mark.parametrize("learner", [AverageTopKClassifier, AverageTopKSVC])
@pytest.mark.parametrize(("labels", "told"), [
    (np.array(["a", 1] * 30, dtype=object), "y must hold labels of one type, got int and str"),
    (np.array(["a", None] * 30, dtype=object),
     "y must hold labels of one type, got NoneType and str"),
    (np.where(X[:, 0] > 0, np.nan, 1.0), "y contains NaN"),
    (np.array(["a", np.nan] * 30, dtype=object), "NaN"), (X[:, 0], "continuous"),
    (np.arange(60) % 3, "got 3 classes"),
])
def test_labels_that_are_no_two_classes_are_refused(learner, labels, told):
    with pytest.raises(ValueError, match=told):
        learner().fit(X, labels)


@pytest.mark.parametrize("learner", [AverageTopKSVC, AverageTopKSVR])
def test_kernel_machines_say_that_they_take_no_sparse_rows(learner):
    with pytest.raises(TypeError, match="Sparse data was passed for X, but dense data is required"):
        learner().fit(sparse.csr_array(X), LABELS if learner is AverageTopKSVC else NUMBERS)


@pytest.mark.parametrize(("learner", "y"), EVERY)
def test_models_keep_no_training_data_and_are_the_same_from_a_pickle(learner, y):
    rows, targets = X.copy(), y.copy()
    model = learner().fit(rows, targets)
    model.path(rows, targets, [10, 50])
    kept = weakref.ref(rows), weakref.ref(targets)
    del rows, targets
    gc.collect()
    assert [one() for one in kept] == [None, None]
    again = pickle.loads(pickle.dumps(model))
    assert again.predict(X).tolist() == model.predict(X).tolist()
    # Not even a copy: twice the rows, no more is kept of a linear model than weights.
    if "kernel" not in model.get_params():
        wide = np.hstack([X, np.zeros((60, 100))])
        large = len(pickle.dumps(learner().fit(wide, y))) - len(pickle.dumps(model))
        assert large < 0.2 * (wide.nbytes - X.nbytes)


@pytest.mark.parametrize(("learner", "y"), EVERY)
def test_k_and_C_are_chosen_by_a_grid(learner, y):
    search = GridSearchCV(learner(), {"k": [0.5, 0.9, 20], "C": [0.1, 10.0]}, cv=3,
                          error_score="raise").fit(X, y)
    assert search.cv_results_["params"][search.best_index_] == search.best_params_
    assert clone(search.best_estimator_).get_params() == search.best_estimator_.get_params()
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
