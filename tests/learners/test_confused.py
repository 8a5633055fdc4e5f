"""Estimators on confused labels."""

from __future__ import annotations

import itertools
import re
import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import sparse
from sklearn.exceptions import SkipTestWarning
from sklearn.utils.estimator_checks import check_estimator

from noisytheory.learners import (
    CorrectedLogisticRegression,
    NoisyKernelClassifier,
    NoisyKernelRegressor,
    UltraconservativeClassifier,
    UMAClassifier,
)
from noisytheory.learners import confused as confused_module
from noisytheory.learners.audited import places_of
from noisytheory.topics.multiclass import (
    STEPS,
    STRATEGIES,
    error_by_noisy_labels,
    likely_shares,
    uma,
)
from noisytheory.topics.multiclass import kept as kept_module
from noisytheory.topics.multiclass.held_out import left_out
from noisytheory.topics.multiclass.ignoring import ignoring
from noisytheory.vocabulary.confusion import ConfusionEstimate, estimate_confusion

NOISE = np.array([[1.0, 0.6, 0.6], [0.0, 0.4, 0.0], [0.0, 0.0, 0.4]])
NAMES = np.array(["ant", "bee", "cow"])


def confused(n=4000, seed=1):
    rng = np.random.default_rng(seed)
    true = rng.integers(3, size=n)
    x = 2 * np.eye(3)[true] + 0.4 * rng.normal(size=(n, 3))
    noisy = np.array([rng.choice(3, p=NOISE[:, t]) for t in true])
    return x, noisy, true


def unit(x):
    rows = np.hstack([x, np.ones((len(x), 1))])
    return rows / np.linalg.norm(rows, axis=1)[:, None]


def ignored(x, noisy):
    """Predictions of who ignores the noise."""
    return ignoring(unit(x), noisy)(unit(x))


@pytest.mark.parametrize(
    "model", [UMAClassifier(), UltraconservativeClassifier(), CorrectedLogisticRegression()],
    ids=lambda m: type(m).__name__,
)
def test_scikit_learn_takes_it(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkipTestWarning)
        check_estimator(model)


def test_scikit_learn_takes_random_steps_without_a_constant():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkipTestWarning)
        check_estimator(
            UltraconservativeClassifier(step="random", fit_intercept=False, unit_norm=False))


@pytest.mark.parametrize("model", [UMAClassifier(), UltraconservativeClassifier()])
def test_a_missing_label_is_named(model):
    for labels in (["a", "b", None], np.array(["a", "b", np.nan], object)):
        with pytest.raises(ValueError, match=r"y must hold labels of one kind.* beside "):
            model.fit(np.eye(3), labels)
    with pytest.raises(ValueError, match="classes must hold labels of one kind"):
        model.partial_fit(np.eye(3), ["a", "b", "a"], classes=["a", "b", None])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.coo_array])
def test_uma_undoes_the_noise_and_the_rest_do_not(form):
    x, noisy, true = confused()
    y = NAMES[noisy]
    rows = form(x)
    ours = UMAClassifier(NOISE).fit(rows, y)
    plain = UMAClassifier().fit(rows, y)
    online = UltraconservativeClassifier(random_state=1).fit(rows, y)
    right = [np.mean(m.predict(rows) == NAMES[true]) for m in (ours, plain, online)]
    assert right[0] > 0.97
    assert right[0] > right[1] + 0.05
    assert right[0] > right[2] + 0.05
    assert ours.class_shares_.sum() == pytest.approx(1)


@pytest.mark.parametrize("correction", ["forward", "backward"])
def test_corrected_logistic_regression_undoes_the_noise(correction):
    x, noisy, true = confused()
    corrected = CorrectedLogisticRegression(NOISE, correction=correction).fit(x, noisy)
    plain = CorrectedLogisticRegression(NOISE, correction="none").fit(x, noisy)
    assert np.mean(corrected.predict(x) == true) > 0.97
    assert np.mean(plain.predict(x) == true) < 0.85
    np.testing.assert_allclose(corrected.predict_proba(x).sum(axis=1), 1)


@pytest.mark.parametrize("correction", ["none", "forward", "backward"])
def test_the_gradient_is_that_of_the_loss(correction):
    """At the minimum no coordinate can be improved: the loss is computed again from scratch."""
    x, noisy, _ = confused(300)
    model = CorrectedLogisticRegression(
        NOISE, correction=correction, penalty=0.1, fit_intercept=False
    ).fit(x, noisy)

    def loss(coef):
        p = np.exp(x @ coef.T)
        p /= p.sum(axis=1, keepdims=True)
        matrix = np.eye(3) if correction == "none" else NOISE
        if correction == "backward":
            each = -(np.linalg.inv(matrix).T[noisy] * np.log(p)).sum(axis=1)
        else:
            each = -np.log((matrix @ p.T)[noisy, np.arange(len(x))])
        return each.mean() + 0.05 * np.sum(coef**2)

    best = loss(model.coef_)
    for at in np.ndindex(3, 3):
        for step in (-0.05, 0.05):
            moved = model.coef_.copy()
            moved[at] += step
            assert loss(moved) > best


def test_an_estimate_brings_its_uncertainty_and_a_warning():
    x, noisy, true = confused()
    good = estimate_confusion(noisy=noisy[:2000], true=true[:2000], classes=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = UMAClassifier(good, random_state=1).fit(x, noisy)
    assert model.relative_leakage_ < 0.5
    poor = ConfusionEstimate([[3, 3, 1], [1, 3, 2], [1, 1, 3]])
    with pytest.warns(UserWarning) as caught:
        UMAClassifier(poor, random_state=1).fit(x, noisy)
    assert any("18 examples were audited" in str(w.message) for w in caught)


def test_even_noise_is_better_ignored_than_guessed():
    rng = np.random.default_rng(3)
    true = rng.integers(3, size=900)
    x = np.eye(3)[true] + 0.3 * rng.normal(size=(900, 3))
    noisy = np.where(rng.random(900) < 0.3, rng.integers(3, size=900), true)
    rough = estimate_confusion(noisy=noisy[:60], true=true[:60], classes=3)
    with pytest.warns(UserWarning, match="the noisy labels tell that ignoring the noise errs less"):
        model = UMAClassifier(rough, random_state=1).fit(x, noisy)
    other = np.mean(ignored(x, noisy) != true)
    ours = np.mean(model.predict(x) != true)
    assert model.expected_gain_ == pytest.approx(other - ours, abs=0.05)
    # Under names in another order, where the ties at the start fall to other classes, too.
    names = np.array(["b", "c", "a"])
    for given in (rough, estimate_confusion(noisy=names[noisy[:60]], true=names[true[:60]])):
        with pytest.warns(UserWarning, match="the noisy labels tell.*from 60 examples: audit more"):
            model = UMAClassifier(given, random_state=1).fit(x, names[noisy], classes=names)
        ours = np.mean(model.predict(x) != names[true])
        assert model.expected_gain_ == pytest.approx(other - ours, abs=0.05)
    # With the audited examples it need not guess: both rivals err less, and it says so.
    with pytest.warns(UserWarning) as caught:
        model = UMAClassifier(rough, random_state=1).fit(x, noisy, audited=(x[:60], true[:60]))
    assert {w.message.args[0].split(" errs")[0].split("examples ")[1] for w in caught} == {
        "ignoring the noise, with a linear SVM,", "training on them alone"
    }
    errors = model.audited_errors_
    assert errors["UMA"] > max(errors["ignoring"], errors["alone"])


def test_audited_examples_tell_that_lopsided_noise_is_worth_correcting():
    x, noisy, true = confused(1500)
    some = np.concatenate([np.flatnonzero(true == q)[:60] for q in range(3)])
    estimate = estimate_confusion(noisy=NAMES[noisy[some]], true=NAMES[true[some]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = UMAClassifier(estimate, random_state=1).fit(
            sparse.csr_array(x), NAMES[noisy],
            audited=(sparse.csr_array(x[some]), NAMES[true[some]]),
        )
    # As many of each class: errors there are means over classes, weighted by likely shares. What
    # is judged has not learned from these rows.
    shares = likely_shares(np.bincount(noisy), model.confusion_, audited=180)
    wrong = np.empty(180, bool)
    for part in left_out(true[some], 5):
        others = np.delete(np.arange(1500), some[part])
        plain = ignoring(unit(x[others]), noisy[others])
        wrong[part] = plain(unit(x[some[part]])) != true[some[part]]
    each = [wrong[true[some] == q].mean() for q in range(3)]
    assert model.audited_errors_["ignoring"] == pytest.approx(shares @ each)
    assert model.audited_errors_["UMA"] < model.audited_errors_["ignoring"] - 0.05
    pairs = [(x[some], true[some[:-1]]), (x[some], true[some] + 1), x[some], (x[some],),
             (x[0], true[:3]), 3]
    one = some[true[some] == 1]
    for bad, message in [(pair, "audited must be") for pair in pairs] + [
        ((x[one], true[one]), "audited must hold examples of two classes")
    ]:
        with pytest.raises(ValueError, match=message):
            UMAClassifier(NOISE).fit(x, noisy, audited=bad)


def test_a_table_of_examples_may_be_audited():
    x, noisy, true = confused(300)
    rows, some = pd.DataFrame(x, columns=["a", "b", "c"]), np.arange(100)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of feature names that are not there, say
        warnings.filterwarnings("ignore", message="on 100 audited")
        model = UMAClassifier(NOISE).fit(rows, noisy, audited=(rows[:100], true[some]))
        plain = UMAClassifier(NOISE).fit(x, noisy, audited=(x[:100], true[some]))
    assert model.audited_errors_ == plain.audited_errors_


def test_an_audit_with_one_example_of_a_class_is_enough_to_compare():
    x, noisy, true = confused(300)
    some = np.concatenate([np.flatnonzero(true == 0)[:12], np.flatnonzero(true == 1)[:1]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = UMAClassifier(NOISE).fit(x, noisy, audited=(x[some], true[some]))
    # The one of class 1 is predicted by a classifier of class 0 alone.
    assert model.audited_errors_["alone"] > 0


def test_a_nearly_singular_confusion_says_what_it_costs():
    x, noisy, _ = confused()
    near = np.array([[0.505, 0.495, 0.0], [0.495, 0.505, 0.3], [0.0, 0.0, 0.7]])
    with pytest.warns(UserWarning) as caught:
        model = UMAClassifier(near).fit(x, noisy)
    assert any("nearly singular" in str(w.message) for w in caught)
    assert model.amplification_ > 50
    with pytest.raises(ValueError, match="invertible"):
        UMAClassifier(np.full((3, 3), 1 / 3)).fit(x, noisy)


@pytest.mark.filterwarnings("ignore:the noisy labels tell")
def test_a_share_that_noise_made_negative_is_told():
    x, noisy, _ = confused()
    with pytest.warns(UserWarning, match="does not fit the labels"):
        UMAClassifier([[0.4, 0, 0], [0.3, 1, 0], [0.3, 0, 1]]).fit(x[noisy > 0], noisy[noisy > 0],
                                                                    classes=[0, 1, 2])


COMBINED = [
    dict(zip(("strategy", "step", "normalise", "stop", "ties"), chosen, strict=True))
    for chosen in itertools.product(
        STRATEGIES, STEPS, (False, True), ("all_pairs", "printed"), ("lowest", "all")
    )
]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_every_combination_of_its_options_gives_what_the_function_gives(form):
    x, noisy, _ = confused(30)
    rows = form(x)
    for k, options in enumerate(COMBINED):
        # Margins of regions and error sets as well, and a share that leaves a class out.
        options = options | dict(
            alpha=(0.0, 0.01)[k % 3 == 0], error_alpha=(0.0, 0.01)[k % 5 == 0],
            least_share=(0.0, 0.3)[k % 2], tolerance=0.01, max_iter=8,
        )
        model = UMAClassifier(
            NOISE, fit_intercept=False, unit_norm=False, random_state=3, average=False, **options
        )
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="the noisy labels tell|nothing was learned")
            model.fit(rows, NAMES[noisy])
        run = uma(rows, noisy, NOISE, rng=np.random.default_rng(3), **options)
        np.testing.assert_array_equal(model.coef_, run.weights)
        assert (model.run_.draws, model.run_.stopped) == (run.draws, run.stopped)


@pytest.mark.parametrize(("change", "why"), [
    (dict(alpha=0.1), r"from W = 0 no score leads by alpha = 0.1, so that alpha must be 0"),
    (dict(error_alpha=0.9), r"no update vector leads by error_alpha = 0.9: 0 is the default"),
    (dict(tolerance=9.0), r"the longest update vector has length 0\.\d+, and tolerance is 9"),
    (dict(fit_intercept=False), r"every row is zero"),
])
def test_it_says_that_and_why_nothing_was_learned(change, why):
    x, noisy, _ = confused(30)
    if "fit_intercept" in change:
        x = 0 * x
    model = UMAClassifier(NOISE, **change)
    told = rf"nothing was learned, and everything is predicted to be {NAMES[0]}: {why}"
    with pytest.warns(UserWarning, match=told) as caught:
        model.fit(x, NAMES[noisy])
    assert len(caught) == 1 and not hasattr(model, "expected_gain_")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # labels that are all the first class's leave nothing
        UMAClassifier(alpha=0.1).fit(x, np.zeros(len(x)), classes=[0, 1])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("model", [UMAClassifier(NOISE), UltraconservativeClassifier()])
def test_what_came_is_in_the_message(model, form):
    x, noisy, _ = confused(30)
    with pytest.raises(ValueError, match=r"norm is a float, got numbers up to .*e\+200: scale"):
        model.fit(form(1e200 * x), noisy)
    model.partial_fit(form(x), noisy, classes=[0, 1, 2])
    with pytest.raises(ValueError, match=r"those of the first call, \[0, 1, 2\], got"):
        model.partial_fit(form(x), noisy, classes=[0, 1])
    if isinstance(model, UMAClassifier):
        with pytest.raises(ValueError, match="classes must be a list of different ones, got 'abc'"):
            model.fit(form(x), noisy, classes="abc")
        with pytest.warns(UserWarning, match="nothing was learned"):
            UMAClassifier(NOISE, alpha=0.1).partial_fit(form(x), noisy)


@pytest.mark.parametrize("state", ["seven", -1, 1.5, 2**32, [1, 2]])
@pytest.mark.parametrize("learner", [
    UMAClassifier, UltraconservativeClassifier, NoisyKernelClassifier, NoisyKernelRegressor,
])
def test_all_learners_refuse_a_random_state_by_its_name(learner, state):
    said = r"random_state must be a whole number in \[0, 4294967295\], .*None, got " + re.escape(
        repr(state))
    with pytest.raises(ValueError, match=said):
        learner(random_state=state).fit([[0.5], [-0.5]], [0, 1])
    for one in (np.random.RandomState(1), np.int64(3), None):
        learner(random_state=one).fit([[0.5], [-0.5]], [0, 1])


def test_a_forward_correction_says_that_classes_cannot_be_told_apart():
    x, noisy, _ = confused(30)
    same = np.array([[0.5, 0.5, 0.1], [0.4, 0.4, 0.1], [0.1, 0.1, 0.8]])
    with pytest.warns(UserWarning, match="nor can a forward correction tell them apart"):
        CorrectedLogisticRegression(same).fit(x, noisy)
    with pytest.raises(ValueError, match="must be invertible"):
        CorrectedLogisticRegression(same, correction="backward").fit(x, noisy)
    near = same + 1e-3 * np.array([[1, -1, 0], [-1, 1, 0], [0, 0, 0]])
    with pytest.warns(UserWarning, match="nearly singular: it amplifies noise"):
        CorrectedLogisticRegression(near).fit(x, noisy)
    bad = np.full((3, 3), 1 / 3)
    for bad[0, 1], got in ((1.2, "1.2"), (-0.1, "-0.1"), (np.nan, "nan")):
        with pytest.raises(ValueError, match=rf"probabilities in \[0, 1\], got {got}"):
            CorrectedLogisticRegression(bad).fit(x, noisy)


@pytest.mark.filterwarnings("ignore:nothing was learned|the noisy labels tell")
def test_each_of_its_options_changes_a_run():
    # Points without any class, often tied, and much noise: so that steps may be forced.
    rng = np.random.default_rng(4)
    nonsense = rng.integers(-1, 2, size=(60, 4)).astype(float)
    noisy = rng.choice(3, p=[0.4, 0.35, 0.25], size=60)
    much = 0.4 * np.eye(3) + 0.2

    def fitted(**options):
        base = dict(fit_intercept=False, max_iter=40, random_state=1)
        return UMAClassifier(much, **(base | options)).fit(nonsense, noisy).run_

    plain = fitted()
    for options in (
        dict(strategy="confusion"), dict(strategy="random"), dict(step="forced"),
        dict(normalise=True), dict(stop="printed", tolerance=0.05), dict(tolerance=0.3),
        dict(max_iter=5), dict(alpha=0.01), dict(error_alpha=0.1),
        dict(strategy="confusion", least_share=0.34),
    ):
        other = fitted(**options)
        assert not np.array_equal(other.weights, plain.weights), options
    # At W = 0 every class's region holds all points, or the first one's does; later rounding parts
    # those that are tied.
    first = [fitted(strategy="random", ties=ties, max_iter=1, random_state=2).pairs[0, 0]
             for ties in ("lowest", "all")]
    assert first[0] == 0 != first[1]
    assert fitted(alpha=0.01).updates == 0
    shares, rare = plain.shares, fitted(strategy="confusion", least_share=0.34)
    assert (shares > 0.34).any() and (shares < 0.34).any()
    assert shares[rare.pairs[0, 1]] > 0.34


@pytest.mark.parametrize(
    "change", [dict(stop="never"), dict(ties="highest"), dict(alpha=-1.0), dict(least_share=-0.1),
               dict(normalise="yes"), dict(average=1.5), dict(fit_intercept="no"), dict(step="x"),
               dict(strategy="best"), dict(error_alpha=np.nan)],
)
def test_uma_refuses_options_by_name(change):
    x, noisy, _ = confused(50)
    with pytest.raises(ValueError, match=f"{next(iter(change))} must be"):
        UMAClassifier(NOISE, **change).fit(x, noisy)


def test_the_online_classifier_names_its_own_rules():
    x, noisy, _ = confused(50)
    for step in ("x", "forced"):
        with pytest.raises(ValueError, match="one of worst, uniform, proportional, random, got"):
            UltraconservativeClassifier(step=step).fit(x, noisy)


TABLE = pd.DataFrame(NOISE, index=NAMES, columns=NAMES)
SHUFFLED = ["cow", "ant", "bee"]


@pytest.mark.parametrize(
    ("table", "classes", "orientation"),
    [
        (TABLE.loc[SHUFFLED, SHUFFLED], None, None),
        (TABLE.loc[SHUFFLED], None, None),  # rows and columns in orders of their own
        (TABLE.loc[SHUFFLED, SHUFFLED].T, None, "row"),
        (TABLE, SHUFFLED, None),
        (xr.DataArray(TABLE.loc[SHUFFLED], dims=("label", "true")), None, None),
        (TABLE.loc[SHUFFLED, SHUFFLED].to_numpy(), SHUFFLED, None),
        (pd.DataFrame(NOISE), None, None),  # counted: as an array, sorted
        (ConfusionEstimate(10 * TABLE.loc[SHUFFLED]), None, None),
        (ConfusionEstimate(10 * TABLE.loc[SHUFFLED, SHUFFLED].to_numpy(), SHUFFLED), None, None),
        (ConfusionEstimate(10 * TABLE.loc[SHUFFLED, SHUFFLED].to_numpy()), SHUFFLED, "column"),
    ],
)
def test_a_confusion_is_read_by_its_names(table, classes, orientation):
    x, noisy, _ = confused(300)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = UMAClassifier(table, orientation=orientation).fit(x, NAMES[noisy], classes=classes)
        plain = UMAClassifier(NOISE).fit(x, NAMES[noisy])
    np.testing.assert_array_equal(model.confusion_, NOISE)
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    assert model.classes_.tolist() == NAMES.tolist()


@pytest.mark.parametrize(
    ("table", "classes", "orientation", "message"),
    [
        (TABLE.rename(index={"ant": "cat"}), None, None, "each class's name once"),
        (TABLE.rename(index={"ant": "bee"}), None, None, "each class's name once"),
        (pd.DataFrame(NOISE, columns=NAMES), None, None, "each class's name once"),
        (TABLE.rename(index=str.upper, columns=str.upper), None, None, "each class's name once"),
        (NOISE, ["ant", "bee", "ant", "cow"], None, "list of different ones"),
        (ConfusionEstimate(10 * NOISE, ["a", "b", "c"]), None, None, "estimated for the classes"),
        (estimate_confusion(noisy=[0, 1, 2], true=[0, 1, 2]), None, None, "estimated for the"),
        (ConfusionEstimate(10 * NOISE), None, "row", "orientation is for a matrix"),
    ],
)
def test_names_that_do_not_fit_are_refused(table, classes, orientation, message):
    x, noisy, _ = confused(50)
    with pytest.raises(ValueError, match=message):
        UMAClassifier(table, orientation=orientation).fit(x, NAMES[noisy], classes=classes)


def test_codes_of_an_estimate_are_places_in_the_order_given():
    x, noisy, true = confused(3000)
    order = np.array([SHUFFLED.index(name) for name in NAMES])
    coded = estimate_confusion(noisy=order[noisy], true=order[true])
    named = estimate_confusion(noisy=NAMES[noisy], true=NAMES[true], classes=SHUFFLED)
    np.testing.assert_array_equal(coded.matrix, named.matrix)
    models = [
        UMAClassifier(coded, random_state=1).fit(x, NAMES[noisy], classes=SHUFFLED),
        UMAClassifier(named, random_state=1).fit(x, NAMES[noisy]),
    ]
    np.testing.assert_array_equal(models[0].confusion_, models[1].confusion_)
    np.testing.assert_allclose(models[0].confusion_, NOISE, atol=0.05)
    # Codes that are the labels are names, whatever the order.
    own = UMAClassifier(coded, random_state=1).fit(x, order[noisy], classes=[2, 0, 1])
    np.testing.assert_array_equal(own.confusion_, coded.matrix)


@pytest.mark.filterwarnings("ignore:the noisy labels tell")
def test_a_negative_share_is_told_once_of_all_chunks():
    x, noisy, _ = confused(300)
    wrong = np.array([[0.4, 0, 0], [0.3, 1, 0], [0.3, 0, 1]])
    model = UMAClassifier(wrong)
    with pytest.warns(UserWarning, match="does not fit the labels"):
        model.partial_fit(x[noisy > 0], noisy[noisy > 0], classes=[0, 1, 2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.partial_fit(x[noisy > 0], noisy[noisy > 0])
    with pytest.warns(UserWarning, match="does not fit the labels"):
        model.fit(x[noisy > 0], noisy[noisy > 0], classes=[0, 1, 2])


def test_a_matrix_without_counts_is_asked_of_the_noisy_labels():
    x, noisy, true = confused()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        right = UMAClassifier(NOISE).fit(x, noisy)
    assert right.expected_gain_ > 0.1
    # Noise that is said to be between the other two classes.
    wrong = np.array([[1.0, 0.2, 0.2], [0.0, 0.4, 0.4], [0.0, 0.4, 0.4]]) + 0.05 * np.eye(3)
    wrong /= wrong.sum(axis=0)
    with pytest.warns(UserWarning, match="ignoring the noise errs less.*a confusion that is given"):
        model = UMAClassifier(wrong).fit(x, noisy)
    assert np.mean(model.predict(x) != true) > np.mean(UMAClassifier().fit(x, noisy).predict(x)
                                                       != true)


def test_labels_that_were_learned_by_heart_are_asked_out_of_the_sample():
    # More features than examples: without a correction all of the noisy labels are met.
    rng = np.random.default_rng(0)
    centres, turned = rng.normal(size=(5, 1000)), 0.6 * np.eye(5) + 0.4 * np.eye(5)[[1, 2, 3, 4, 0]]
    true = rng.integers(5, size=400)
    x = 0.2 * centres[true] + rng.normal(size=(400, 1000))
    noisy = np.array([rng.choice(5, p=turned[t]) for t in true])
    plain = UMAClassifier().fit(x, noisy)
    assert plain.score(x, noisy) == 1.0  # perfect rules would meet .6 of fresh ones
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = UMAClassifier(turned, orientation="row", random_state=1).fit(x, noisy)
    fresh = rng.integers(5, size=2000)
    z = 0.2 * centres[fresh] + rng.normal(size=(2000, 1000))
    assert model.score(z, fresh) > plain.score(z, fresh)
    assert model.expected_gain_ > 0.1


def test_a_large_sample_is_learned_from_once_unless_there_are_counts(monkeypatch):
    x, noisy, true = confused()
    monkeypatch.setattr(confused_module, "COMPILED", x.size)
    monkeypatch.setattr(kept_module, "COMPILED", x.size)
    estimate = estimate_confusion(noisy=noisy[:2000], true=true[:2000], classes=3)
    assert not hasattr(UMAClassifier(NOISE).fit(x, noisy), "expected_gain_")
    large = UMAClassifier(estimate, random_state=1).fit(x, noisy).expected_gain_
    monkeypatch.undo()
    small = UMAClassifier(estimate, random_state=1).fit(x, noisy).expected_gain_
    assert large == pytest.approx(small, abs=0.01)


def test_classes_that_the_labels_lack_must_be_named():
    x, noisy, _ = confused()
    few = noisy < 2
    with pytest.raises(ValueError, match="give classes="):
        UMAClassifier(NOISE).fit(x[few], noisy[few])


def test_wrong_labels_in_a_later_chunk_are_refused():
    x, noisy, _ = confused(100)
    model = UMAClassifier(NOISE).partial_fit(x, noisy, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="must hold the classes"):
        model.partial_fit(x, noisy + 1)


def test_chunks_teach_as_the_paper_says():
    model = UMAClassifier(NOISE)
    for seed in range(60):
        x, noisy, _ = confused(1000, seed)
        model.partial_fit(x, noisy, classes=[0, 1, 2])
    x, _, true = confused(2000, 99)
    assert np.mean(model.predict(x) == true) > 0.97


def test_zero_rows_are_predicted_too():
    x, noisy, _ = confused(200)
    x[0] = 0
    model = UMAClassifier(NOISE, fit_intercept=False).fit(x, noisy)
    assert model.predict(x[:1])[0] == 0  # all tied: the first class


def test_bytes_stay_bytes_where_nothing_is_asked_of_them():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 256, size=(200, 8)).astype(np.uint8)
    y = (x[:, 0] > x[:, 1]).astype(int)
    plain = dict(fit_intercept=False, unit_norm=False, max_iter=50)
    whole = UMAClassifier(**plain).fit(x, y)
    floats = UMAClassifier(**plain).fit(x.astype(float), y)
    assert whole.run_.pairs.tolist() == floats.run_.pairs.tolist()


# The labels are nearly clean, so that some halves of them tell that nothing need be corrected.
@pytest.mark.filterwarnings("ignore:the noisy labels tell")
@pytest.mark.parametrize("kind", [np.uint8, np.float32, float])
def test_large_rows_are_not_copied_and_learn_the_same(kind, monkeypatch):
    rng = np.random.default_rng(5)
    x = rng.integers(0, 256, size=(600, 12)).astype(kind)
    y = np.argmax(x[:, :3].astype(float) + rng.normal(size=(600, 3)), axis=1)
    even = 0.7 * np.eye(3) + 0.1
    plain = UMAClassifier(even, max_iter=40).fit(x, y)
    for module in (confused_module, kept_module):
        monkeypatch.setattr(module, "COMPILED", 1)
    large = UMAClassifier(even, max_iter=40).fit(x, y)
    assert large.run_.pairs.tolist() == plain.run_.pairs.tolist()
    np.testing.assert_allclose(large.coef_, plain.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(large.predict(x), plain.predict(x))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(correction="sideways"), "correction must be"),
        (dict(penalty=-1.0), "penalty"),
        (dict(confusion=np.eye(2)), "confusion is of 2 classes"),
    ],
)
def test_corrected_logistic_regression_refuses_nonsense(change, message):
    x, noisy, _ = confused(100)
    with pytest.raises(ValueError, match=message):
        CorrectedLogisticRegression(**({"confusion": NOISE} | change)).fit(x, noisy)


@pytest.mark.parametrize("exact", [True, False])
def test_kernel_features_go_before_it_in_a_pipeline(exact):
    from sklearn.decomposition import KernelPCA
    from sklearn.kernel_approximation import Nystroem
    from sklearn.pipeline import make_pipeline

    rng = np.random.default_rng(2)
    x = rng.normal(size=(600, 2))
    true = (np.linalg.norm(x, axis=1) > 1.2).astype(int)  # a disc: not linear
    noisy = np.where((true == 1) & (rng.random(600) < 0.3), 0, true)
    noise = [[1.0, 0.3], [0.0, 0.7]]
    front = (
        KernelPCA(40, kernel="rbf", gamma=0.5, eigen_solver="dense") if exact
        else Nystroem(n_components=80, gamma=0.5, random_state=0)
    )
    model = make_pipeline(front, UMAClassifier(noise, max_iter=300)).fit(x, noisy)
    assert model.score(x, true) > 0.9
    assert UMAClassifier(noise).fit(x, noisy).score(x, true) < 0.8


def test_a_share_that_is_negative_hides_no_class_among_the_audited():
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    X, rng = X / 16 - 0.3, np.random.default_rng(311)
    order = rng.permutation(1797)
    train, test = order[:1200], order[1200:]
    noise = 0.55 * np.eye(10) + 0.45 * np.roll(np.eye(10), 1, axis=0)
    noisy = np.array([rng.choice(10, p=noise[:, true]) for true in y[train]])
    few = np.concatenate([np.flatnonzero(y[train] == q)[:12] for q in range(10)])
    known = X[train][few], y[train][few]
    estimate = estimate_confusion(noisy=noisy[few], true=known[1], classes=range(10))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = UMAClassifier(estimate, random_state=0).fit(X[train], noisy, audited=known)
    assert model.class_shares_.min() < 0
    wrong = model.predict(known[0]) != known[1]
    each = np.array([wrong[known[1] == q].mean() for q in range(10)])
    hiding = np.maximum(model.class_shares_, 0)
    truth = 1 - model.score(X[test], y[test])
    # Weighted by the unbiased shares it is far too small.
    assert hiding @ each / hiding.sum() < truth - 0.15
    # Of 120 audited, by three standard errors.
    assert abs(model.audited_errors_["UMA"] - truth) < 3 * np.sqrt(truth * (1 - truth) / 120)


def test_labels_that_contradict_a_matrix_are_told():
    x, noisy, true = confused(3000)
    clean = np.eye(3)  # of noisy labels: far too many of class 0
    over = np.array([[0.4, 0.3, 0.3], [0.3, 0.4, 0.3], [0.3, 0.3, 0.4]])
    for matrix, told in ((NOISE, False), (over, True)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            UMAClassifier(matrix).fit(x, noisy)
        assert any("no shares of the classes explain" in str(w.message) for w in caught) == told
    some = np.arange(150)
    for matrix, told in ((NOISE, False), (clean, True)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            UMAClassifier(matrix).fit(x, noisy, audited=(x[some], true[some], noisy[some]))
        assert any("150 audited examples contradict" in str(w.message) for w in caught) == told
    with pytest.raises(ValueError, match="as many noisy labels as examples, 150"):
        UMAClassifier(NOISE).fit(x, noisy, audited=(x[some], true[some], noisy[:9]))
    with pytest.raises(ValueError, match="audited must be examples"):
        UMAClassifier(NOISE).fit(x, noisy, audited=(x[some], true[some], noisy[some], 0))


def test_a_margin_of_zero_is_told():
    apart = UltraconservativeClassifier().fit([[1.0, 0.0], [0.0, 1.0]], [0, 1])
    same = UltraconservativeClassifier(passes=7, fit_intercept=False).fit([[1.0], [1.0]], [0, 1])
    assert apart.clean_ and not same.clean_
    assert same.updates_ == 7 * 2


def test_a_class_that_was_not_audited_is_an_error_of_training_on_the_audited_alone():
    x, noisy, true = confused(1500)
    some = np.flatnonzero(true < 2)[:60]
    confusion = estimate_confusion(noisy=noisy, true=true)
    with pytest.warns(UserWarning, match="none of class 2 was audited") as caught:
        model = UMAClassifier(confusion).fit(x, noisy, audited=(x[some], true[some]))
    assert model.audited_errors_["alone"] > 0.2
    assert not any("training on them alone errs less" in str(w.message) for w in caught)


def test_a_lead_of_less_than_a_standard_error_on_few_audited_is_none(monkeypatch):
    x, noisy, true = confused(1500, 3)
    some = np.concatenate([np.flatnonzero(true == c)[:20] for c in range(3)])
    confusion = estimate_confusion(noisy=noisy[some], true=true[some])
    ours, known = true[some].copy(), true[some]
    ours[::6] = (ours[::6] + 1) % 3
    monkeypatch.setattr(UMAClassifier, "_judged", lambda *_: {"UMA": ours, "ignoring": ours})
    wrong, right = np.flatnonzero(ours != known), np.flatnonzero(ours == known)
    def told(lost):
        alone = ours.copy()
        alone[wrong[:2]] = known[wrong[:2]]
        alone[right[:lost]] = (known[right[:lost]] + 1) % 3
        monkeypatch.setattr("noisytheory.learners.correcting.held_out", lambda *_: alone)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            UMAClassifier(confusion, random_state=0).fit(x, noisy, audited=(x[some], known))
        return [str(one.message) for one in caught if "them alone" in str(one.message)]

    (said,) = told(3)
    assert "which is within a standard error" in said
    assert not told(20)
    (said,) = told(0)
    assert "training on them alone errs less" in said


def test_audited_rows_of_the_sample_are_not_judged_by_what_learned_from_them():
    rng = np.random.default_rng(3)
    x, true = rng.normal(size=(200, 150)), rng.integers(3, size=200)  # nothing but by heart
    confusion = np.full((3, 3), 0.1) + 0.7 * np.eye(3)
    y = np.where(rng.random(200) < 0.3, rng.integers(3, size=200), true)
    some = np.arange(0, 200, 3)
    for form in (np.asarray, sparse.csr_matrix, pd.DataFrame):
        rows, errors = form(x), []
        given = rows.iloc[some] if form is pd.DataFrame else rows[some]
        for examples in (given, some, np.isin(np.arange(200), some)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = UMAClassifier(confusion).fit(rows, y, audited=(examples, true[some]))
            errors.append(model.audited_errors_)
        assert np.mean(model.predict(given) != true[some]) < 0.45  # what it would say of these
        assert min(errors[0].values()) > 0.5 and errors == [errors[0]] * 3
    # Where all were audited each part is judged by what learned from the others.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = UMAClassifier(confusion).fit(x, y, audited=(np.arange(200), true))
    assert min(model.audited_errors_.values()) > 0.5 > np.mean(model.predict(x) != true)


def test_an_estimate_is_judged_without_the_audited_that_it_has_counted(monkeypatch):
    x, noisy, true = confused(900, 5)
    some, seen = np.arange(0, 900, 6), []
    whole = estimate_confusion(noisy=NAMES[noisy[some]], true=NAMES[true[some]])
    plain = UMAClassifier._taught

    def taught(self, points, codes, confusion=None):
        seen.append((len(codes), None if confusion is None else confusion))
        return plain(self, points, codes, confusion)

    monkeypatch.setattr(UMAClassifier, "_taught", taught)

    def fitted(*audited, confusion=whole, **given):
        seen.clear()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = UMAClassifier(confusion, random_state=0, **given)
            return model.fit(x, NAMES[noisy], audited=audited)

    model = fitted(some, NAMES[true[some]])
    order = np.searchsorted(NAMES[np.argsort(NAMES)], NAMES)  # codes of the sorted names
    parts = list(left_out(order[true[some]], 5))
    assert len(seen) == len(parts) == 5
    for (rows, confusion), part in zip(seen, parts, strict=True):
        left = some[~part]
        assert rows == 900 - part.sum()
        fewer = estimate_confusion(noisy=NAMES[noisy[left]], true=NAMES[true[left]])
        np.testing.assert_allclose(confusion, fewer.matrix)
    # As rows of the sample they are found there, and so are their labels.
    assert fitted(x[some], NAMES[true[some]]).audited_errors_ == model.audited_errors_
    # Of other examples than the audited nothing is taken out.
    others = estimate_confusion(noisy=NAMES[noisy[1:90]], true=NAMES[true[1:90]])
    fitted(some, NAMES[true[some]], confusion=others)
    assert [confusion for _, confusion in seen] == [None] * 5
    # In no row of the sample, but counted: all rows are learned from.
    away = x[some] + 0.01
    fitted(away, NAMES[true[some]], NAMES[noisy[some]])
    assert [rows for rows, _ in seen] == [900] * 5 and all(c is not None for _, c in seen)
    fitted(away, NAMES[true[some]])
    assert not seen
    model = fitted(some, NAMES[true[some]], compare=False)
    assert not (seen or hasattr(model, "audited_errors_"))


def test_a_part_without_which_an_estimate_tells_nothing_stays_in_it():
    x, noisy, true = confused(900, 5)
    one = np.flatnonzero((true == 2) & (noisy == 2))[:1]
    some = np.concatenate([*(np.flatnonzero(true == q)[:20] for q in range(2)), one])
    guess = estimate_confusion(noisy=noisy[some], true=true[some])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = UMAClassifier(guess, random_state=0).fit(x, noisy, audited=(some, true[some]))
    assert 0 < model.audited_errors_["UMA"] < 1


def test_which_rows_were_audited():
    x = np.array([[0.0, 0.0], [1.0, 0.1], [0.0, 0.0], [1.0, 0.1], [0.0, -0.0], [2.0, 3.0]])
    asked = np.array([[2.0, 3.0], [0.0, 0.0], [9.0, 9.0], [-0.0, 0.0], [1.0, 0.1]])
    kinds = (np.asarray, sparse.csr_array, sparse.csc_matrix)
    for here, there in itertools.product(kinds, kinds):
        rows, examples = (form(points) for form, points in ((here, x), (there, asked)))
        rows, examples = (m.tocsr() if sparse.issparse(m) else m for m in (rows, examples))
        # As many of equal rows as were audited, the first ones.
        assert places_of(rows, examples).tolist() == [5, 0, -1, 2, 1]
        assert places_of(rows.astype(np.float32), examples).tolist() == [5, 0, -1, 2, 1]
        assert places_of(rows, examples.astype(np.float32)).tolist() == [5, 0, -1, 2, 1]
    assert places_of((10 * x).astype(np.uint8), np.array([[10.0, 1.0]])).tolist() == [1]


def test_places_of_the_audited_are_checked_and_tell_their_noisy_labels():
    x, noisy, true = confused(3000)
    some = np.arange(150)
    estimates = [estimate_confusion(noisy=a[some], true=b[some])
                 for a, b in ((noisy, true), (true, noisy))]
    for confusion, told in (
        (np.eye(3), "150 audited examples contradict the confusion"), (NOISE, ""),
        (estimates[0], ""), (estimates[1], "estimated from the audited labels turned round"),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            UMAClassifier(confusion).fit(x, noisy, audited=(some, true[some]))
        said = " ".join(str(w.message) for w in caught)
        assert told in said if told else not ("contradict" in said or "turned" in said)
    for bad, message in [
        ((some + 2900, true[some]), "audited must be places in X, 0 to 2999, got 3000"),
        ((some - 1, true[some]), "0 to 2999, got -1"),
        ((0 * some, true[some]), "different places in X, got some twice"),
        ((some == 3, true[:1]), "truth values must be one a row of X, 3000 of them, got 150"),
        ((some, true[some], 2 - noisy[some]), "noisy labels that are not those in y"),
        ((some, true[:9]), "audited must be examples, or places in X"),
    ]:
        with pytest.raises(ValueError, match=message):
            UMAClassifier(NOISE).fit(x, noisy, audited=bad)


def test_a_class_that_is_left_with_the_audited_rows_is_told():
    x, noisy, true = confused(300)
    rare = np.flatnonzero(noisy == 2)[:1]
    kept = np.concatenate([np.flatnonzero(noisy != 2), rare])
    some = np.append(np.arange(20), len(kept) - 1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        UMAClassifier(NOISE).fit(x[kept], noisy[kept], audited=(some, true[kept][some]))
    assert any("without the audited rows no label 2 is left in X" in str(w.message) for w in caught)


@pytest.mark.parametrize("average", [True, False])
def test_as_many_updates_as_the_noisy_labels_of_the_other_half_say(average):
    rng = np.random.default_rng(0)
    true = rng.integers(3, size=800)
    x = 2 * np.eye(3)[true] + 0.9 * rng.normal(size=(800, 3))
    noisy = np.array([rng.choice(3, p=NOISE[:, t]) for t in true])
    options = dict(orientation="column", compare=False, average=average)
    given = UMAClassifier(NOISE, **options, max_iter=None).fit(x, noisy)
    held = {}
    for number in (100, 200, 400):
        said = np.empty(800, int)
        for part in left_out(noisy, 2):
            model = UMAClassifier(NOISE, **options, max_iter=number).fit(x[~part], noisy[~part])
            said[part] = model.predict(x[part])
        held[number] = error_by_noisy_labels(said, noisy, NOISE)
    assert len(set(held.values())) > 1
    best = UMAClassifier(NOISE, **options, max_iter=min(held, key=held.get)).fit(x, noisy)
    np.testing.assert_array_equal(given.coef_, best.coef_)
    assert given.n_iter_ == best.n_iter_


def test_weights_are_a_mean_of_a_run_that_did_not_end():
    x, noisy, true = confused(1000)
    points, seen = unit(x), []
    run = uma(points, noisy, NOISE, tolerance=1e-6, max_iter=40,
              watch=lambda _, weights: seen.append(weights.copy()))
    assert run.stopped == "max_iter"
    k = np.arange(1.0, 41)
    mean = np.tensordot(k * (k + 1), seen, 1) / (k * (k + 1)).sum()
    model = UMAClassifier(NOISE, max_iter=40).fit(x, noisy)
    np.testing.assert_allclose(model.coef_, mean, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(model.run_.weights, seen[-1], rtol=1e-12, atol=1e-12)
    last = UMAClassifier(NOISE, max_iter=40, average=False).fit(x, noisy)
    np.testing.assert_array_equal(last.coef_, model.run_.weights)
    # Chunk by chunk it is the same, and goes on from the last weights.
    chunks = UMAClassifier(NOISE)
    for _ in range(40):
        chunks.partial_fit(x, noisy, classes=[0, 1, 2])
    np.testing.assert_allclose(chunks.coef_, mean, rtol=1e-9, atol=1e-12)
    # One that ends has no need of it.
    ended = UMAClassifier().fit(x, np.argmax(x, axis=1))
    assert ended.run_.stopped == "small"
    np.testing.assert_array_equal(ended.coef_, ended.run_.weights)
    # On lopsided noise few updates more change little; the last weights jump.
    errors = [[np.mean(UMAClassifier(max_iter=m, average=average).fit(x, noisy).predict(x) != true)
               for m in range(295, 306)] for average in (True, False)]
    assert np.ptp(errors[0]) < np.ptp(errors[1]) / 2


def test_who_ignores_the_noise_reads_any_rows():
    x, noisy, _ = confused(900)
    points = unit(x)
    plain = ignoring(points, NAMES[noisy])(points)
    for rows in (sparse.csr_array(points), kept_module.scaled(x, intercept=True, unit=True),
                 1000 * points):
        assert np.mean(ignoring(rows, NAMES[noisy])(rows) == plain) > 0.98
    assert ignoring(points[:3], np.array(["b"] * 3))(points).tolist() == ["b"] * 900
    two = ignoring(points, noisy > 0)(points)
    assert two.dtype == bool and np.mean(two == (noisy > 0)) > 0.6


def test_a_large_sample_is_ignored_by_some_of_its_rows(monkeypatch):
    x, noisy, _ = confused(900)
    points = unit(x)
    monkeypatch.setattr("noisytheory.topics.multiclass.ignoring.COMPILED", points.size // 3)
    np.testing.assert_array_equal(
        ignoring(points, noisy)(points), ignoring(points[::3], noisy[::3])(points))


@pytest.mark.parametrize("most", [300, None])
def test_one_example_is_learned_from_and_nothing_is_asked_of_it(most):
    noise = np.array([[0.7, 0.2, 0.1], [0.2, 0.7, 0.3], [0.1, 0.1, 0.6]])
    model = UMAClassifier(noise, max_iter=most)
    with pytest.warns(UserWarning, match="leaves class 0 a share"):
        model.fit([[1.0, 0.0]], [1], classes=[0, 1, 2])
    assert model.predict([[1.0, 0.0]]).tolist() == [1]
    assert not hasattr(model, "expected_gain_")
