"""Whether a correction pays, by logistic regression; of UMA `test_confused.py` tells."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from noisytheory.learners import CorrectedLogisticRegression
from noisytheory.topics.multiclass import (
    error_by_noisy_labels,
    gain_by_noisy_labels,
    likely_shares,
)
from noisytheory.topics.multiclass.held_out import left_out
from noisytheory.vocabulary.confusion import ConfusionEstimate, estimate_confusion

LOPSIDED = np.array([[1.0, 0.6], [0.0, 0.4]])
X, Y, T = np.repeat([[1.0], [-1.0]], 40, axis=0), np.repeat([0, 0, 1], [40, 24, 16]), np.repeat(
    [0, 1], 40)
"""Two points: of class 1, at -1, three in five labels say 0."""
SOME = np.array([0, 1, 2, 3, 4, 40, 50, 60, 70, 79])
THREE = np.array([[0.8, 0.3, 0.1], [0.1, 0.6, 0.3], [0.1, 0.1, 0.6]])
NAMES = np.array(["cow", "ant", "bee"])


def told(model, *given, **named):
    """What it warns of as it is fitted."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(*given, **named)
    assert {one.filename for one in caught} <= {__file__}
    return [str(one.message) for one in caught]


def drawn(n=600, spread=0.5, seed=0):
    rng = np.random.default_rng(seed)
    true = rng.integers(3, size=n)
    x = np.eye(3)[true] + spread * rng.normal(size=(n, 3))
    return x, np.array([rng.choice(3, p=THREE[:, t]) for t in true]), true


def test_errors_on_audited_examples_by_hand():
    model = CorrectedLogisticRegression(LOPSIDED)
    assert not told(model, X, Y, audited=(SOME, T[SOME]))
    # Ignoring predicts 0 at both points; of the labels 16 in 80 are 1, which are 0.4 of class 1.
    assert model.audited_errors_ == pytest.approx({"corrected": 0, "ignoring": 0.5, "alone": 0})
    assert not hasattr(model, "expected_gain_")


def test_the_gain_by_noisy_labels_by_hand():
    model = CorrectedLogisticRegression(LOPSIDED)
    assert not told(model, X, Y)
    # With B = [[1, -3/2], [0, 5/2]]: right are (40 + 16 * 5/2) / 80 = 1 by ours, which predicts
    # the truth of either half from the other, and (64 - 16 * 3/2) / 80 = 1/2 by class 0 alone.
    assert model.expected_gain_ == pytest.approx(0.5)
    assert not hasattr(model, "audited_errors_")


@pytest.mark.parametrize("correction", ["forward", "backward"])
def test_labels_that_are_not_turned_round_as_the_matrix_says(correction):
    wrong = [[0.2, 0.8], [0.8, 0.2]]
    model = CorrectedLogisticRegression(wrong, correction=correction, random_state=0)
    said = told(model, X, T, audited=(SOME, T[SOME]))
    assert model.audited_errors_ == {"corrected": 1.0, "ignoring": 0.0, "alone": 0.0}
    assert said[0].startswith("10 audited examples contradict the confusion (were it right, ")
    assert said[1:] == [
        f"on 10 audited examples {rival} errs less: 0, {correction} correction 1"
        for rival in ("ignoring the noise, with the same regression,", "training on them alone")
    ]
    # Its own word is taken without: right by B = [[-1, 4], [4, -1]] / 3 is what is wrong. What
    # ignores errs 4/3, this -1/3, and of the gain 1 is left.
    assert not told(model, X, T) and model.expected_gain_ == 1.0
    # Of a matrix that is not used nothing is held against it.
    model.set_params(correction="none")
    assert not told(model, X, T, audited=(SOME, T[SOME]))
    assert set(model.audited_errors_.values()) == {0.0}
    assert model.confusion_.tolist() == [[1, 0], [0, 1]]
    assert not told(model, X, T) and not hasattr(model, "expected_gain_")


def test_labels_without_a_correction_beside_the_audited_alone():
    model = CorrectedLogisticRegression()
    assert told(model, X, Y, audited=(SOME, T[SOME])) == [
        "on 10 audited examples training on them alone errs less: 0, logistic regression 0.207"]
    # As if the labels were clean: 16 of 80 are of class 1, and one more of each.
    share = 17 / 82
    assert model.audited_errors_ == pytest.approx(
        {"corrected": share, "ignoring": share, "alone": 0.0})


def test_a_lead_of_less_than_a_standard_error_is_told(monkeypatch):
    some = np.r_[0:20, 40:52, 64:72]  # 12 labels of class 1 say 0, as the matrix does
    ours = T[some].copy()
    ours[:4] = 1
    monkeypatch.setattr(
        CorrectedLogisticRegression, "_judged", lambda *_: {"corrected": ours, "ignoring": ours})
    # Of 40 audited, each of weight 1/40, ours errs on 4, the audited alone on lost others. Of the
    # differences the sum of squares is 4 + lost: a lead of (lost - 4) / 40 is below a standard
    # error where (lost - 4)^2 < 4 + lost - (lost - 4)^2 / 40, which holds of 7 and not of 8.
    for lost in (4, 5, 7, 8, 12):
        alone = T[some].copy()
        alone[20:20 + lost] = 0
        monkeypatch.setattr("noisytheory.learners.correcting.held_out", lambda *_, a=alone: a)
        assert told(CorrectedLogisticRegression(LOPSIDED), X, Y, audited=(some, T[some])) == [
            "on 40 audited examples forward correction errs 0.1 and training on them alone "
            f"{lost / 40:.3g}, which is within a standard error: more of them would tell"
        ] * (lost <= 7)


@pytest.mark.parametrize("correction", ["forward", "backward", "none"])
@pytest.mark.parametrize("known", [True, False])
def test_errors_are_those_of_what_learned_from_neither_row_nor_count(correction, known):
    x, noisy, true = drawn(300)
    some = np.random.default_rng(1).permutation(300)[:70]

    def confusion(at):
        return THREE if known else estimate_confusion(noisy=noisy[at], true=true[at], classes=3)

    def matrix_of(given):
        return given if known else given.matrix

    def learned(x, y, matrix=None, correction=correction):
        model = CorrectedLogisticRegression(
            matrix, correction=correction, penalty=0.01, compare=False)
        return model.fit(x, y)

    found = {name: np.empty(70, int) for name in ("corrected", "ignoring", "alone")}
    for part in left_out(true[some], 5):
        kept, held = np.delete(np.arange(300), some[part]), x[some[part]]
        ours = learned(x[kept], noisy[kept], matrix_of(confusion(some[~part])))
        found["corrected"][part] = ours.predict(held)
        found["ignoring"][part] = learned(x[kept], noisy[kept], THREE, "none").predict(held)
    for part in left_out(true[some], 10):
        found["alone"][part] = learned(x[some[~part]], true[some[~part]]).predict(x[some[part]])
    model = CorrectedLogisticRegression(
        confusion(some), correction=correction, penalty=0.01, random_state=0)
    told(model, x, noisy, audited=(some, true[some]))
    shares = likely_shares(
        np.bincount(noisy), model.confusion_,
        audited=np.inf if known or correction == "none" else 70)
    each = {name: [np.mean(of[true[some] == q] != q) for q in range(3)]
            for name, of in found.items()}
    assert model.audited_errors_ == pytest.approx(
        {name: shares @ errors for name, errors in each.items()})


@pytest.mark.parametrize("correction", ["forward", "backward"])
def test_the_gain_is_that_of_what_learned_from_the_other_half(correction):
    x, noisy, true = drawn(301)
    guess = estimate_confusion(noisy=noisy[:40], true=true[:40], classes=3)
    for confusion, matrix in ((THREE, THREE), (guess, guess.matrix)):
        found = np.empty((2, 301), int)
        for part in left_out(noisy, 2):
            for at, used in enumerate((correction, "none")):
                model = CorrectedLogisticRegression(matrix, correction=used, compare=False)
                found[at, part] = model.fit(x[~part], noisy[~part]).predict(x[part])
        model = CorrectedLogisticRegression(confusion, correction=correction, random_state=7)
        told(model, x, noisy)
        gain = (
            error_by_noisy_labels(found[1], noisy, THREE)
            - error_by_noisy_labels(found[0], noisy, THREE) if matrix is THREE
            else gain_by_noisy_labels(*found, noisy, guess, rng=np.random.default_rng(7)))
        assert model.expected_gain_ == pytest.approx(gain)


def test_forms_of_rows_classes_and_places_tell_the_same():
    x, noisy, true = drawn(200)
    some = np.arange(0, 200, 3)
    guess = estimate_confusion(noisy=NAMES[noisy[some]], true=NAMES[true[some]], classes=NAMES)
    plain = CorrectedLogisticRegression(guess, random_state=0)
    said = told(plain, x, NAMES[noisy], audited=(some, NAMES[true[some]]))
    for form in (np.asarray, sparse.csr_matrix, pd.DataFrame):
        rows = form(x)
        given = rows.iloc[some] if form is pd.DataFrame else rows[some]
        for examples in (given, some, np.isin(np.arange(200), some)):
            model = CorrectedLogisticRegression(guess, random_state=0)
            assert told(model, rows, NAMES[noisy], audited=(examples, NAMES[true[some]])) == said
            assert model.audited_errors_ == pytest.approx(plain.audited_errors_)
    coded = estimate_confusion(noisy=noisy[some], true=true[some], classes=3)
    for options in ({}, dict(audited=(some, true[some]))):
        model, named = (CorrectedLogisticRegression(one, random_state=0) for one in (coded, guess))
        told(model, x, noisy, **options)
        told(named, x, NAMES[noisy], **{
            key: (at, NAMES[labels]) for key, (at, labels) in options.items()})
        for key in ("audited_errors_", "expected_gain_"):
            # Classes are sorted by their names, and a bootstrap draws them in that order.
            one, two = (getattr(of, key, None) for of in (model, named))
            assert (one is None) == (two is None) == ((key == "audited_errors_") != bool(options))
            assert one is None or one == pytest.approx(two, abs=0.03)


@pytest.mark.parametrize(("audited", "message"), [
    ((SOME, T[SOME][:3]), "audited must be examples, or places in X"),
    ((SOME, T[SOME] + 1), "audited must be examples, or places in X"),
    ((SOME,), "audited must be examples, or places in X"),
    ((SOME + 60, T[SOME]), "audited must be places in X, 0 to 79, got 100"),
    ((0 * SOME, T[SOME]), "different places in X, got some twice"),
    ((SOME[:5], T[:5]), "audited must hold examples of two classes or more, got 5 examples of 1"),
    ((SOME, T[SOME], 1 - Y[SOME]), "noisy labels that are not those in y of its places"),
    ((X[SOME], T[SOME], Y[:3]), "as many noisy labels as examples, 10"),
    ((np.ones((10, 2)), T[SOME]), "2 features"),
])
def test_what_is_no_audit_is_refused(audited, message):
    with pytest.raises(ValueError, match=message):
        CorrectedLogisticRegression(LOPSIDED).fit(X, Y, audited=audited)


def test_a_class_that_nobody_audited_or_that_is_left_with_the_audited_rows():
    x, noisy, true = drawn(900)
    some = np.flatnonzero(true < 2)[:60]
    model = CorrectedLogisticRegression(THREE, random_state=0)
    (said,) = (one for one in told(model, x, noisy, audited=(some, true[some]))
               if "was audited" in one)
    share = likely_shares(np.bincount(noisy), THREE)[2]
    assert said == (
        f"none of class 2 was audited (1 such classes, a share of {share:.2g}): the errors of "
        "forward correction and of ignoring the noise are those on other classes, and training on "
        "the audited examples alone predicts none of these")
    assert share < model.audited_errors_["alone"] < 1
    kept = np.concatenate([np.flatnonzero(noisy != 2), np.flatnonzero(noisy == 2)[:1]])
    some = np.append(np.arange(20), len(kept) - 1)
    said = told(model, x[kept], noisy[kept], audited=(some, true[kept][some]))
    assert any(one.startswith(
        "without the audited rows no label 2 is left in X: the errors of forward correction and")
        for one in said)


def test_an_estimate_of_labels_turned_round_is_told():
    x, noisy, true = drawn(900)
    some = np.arange(90)
    guess = estimate_confusion(noisy=true[some], true=noisy[some])
    model = CorrectedLogisticRegression(guess, random_state=0)
    assert told(model, x, noisy, audited=(some, true[some]))[0].startswith(
        "the confusion is estimated from the audited labels turned round")
    model.set_params(correction="none")
    assert not any("turned" in one for one in told(model, x, noisy, audited=(some, true[some])))


def test_what_another_fit_told_is_forgotten_and_nothing_is_asked_unless_it_may_be():
    model = CorrectedLogisticRegression(LOPSIDED).fit(X, Y)
    assert "audited_errors_" in vars(model.fit(X, Y, audited=(SOME, T[SOME])))
    assert "expected_gain_" not in vars(model)
    weights = model.coef_
    for options in ({}, dict(audited=(SOME, T[SOME]))):
        model.set_params(compare=False).fit(X, Y, **options)
        assert not {"audited_errors_", "expected_gain_"} & set(vars(model))
        np.testing.assert_array_equal(model.coef_, weights)
    # Classes that nothing tells apart: what corrects them is the audit's to judge.
    same = CorrectedLogisticRegression([[0.6, 0.6], [0.4, 0.4]])
    (said,) = told(same, X, Y)
    assert "nor can a forward correction tell them apart" in said
    assert not hasattr(same, "expected_gain_")
    told(same, X, Y, audited=(SOME, T[SOME]))
    assert same.audited_errors_["corrected"] == pytest.approx(0.5)
    # Of one example nothing can be left out.
    one = CorrectedLogisticRegression([[0.7, 0.3], [0.3, 0.7]])
    told(one, [[1.0]], [1], classes=[0, 1])
    assert one.predict([[1.0]]).tolist() == [1] and not hasattr(one, "expected_gain_")
    for change, name in ((dict(compare=3), "compare"), (dict(unit_norm="no"), "unit_norm")):
        with pytest.raises(ValueError, match=f"{name} must be"):
            CorrectedLogisticRegression(LOPSIDED, **change).fit(X, Y)
    with pytest.raises(ValueError, match="random_state must be"):
        CorrectedLogisticRegression(
            estimate_confusion(noisy=Y, true=T), random_state="seven").fit(X, Y)


def test_an_estimate_from_few_is_told_what_was_mostly_better():
    hint = ("{} examples were audited: training on them alone was better in most trials with up to "
            "200 a class; give them to fit as audited= to see")
    guess = estimate_confusion(noisy=Y, true=T)
    for options in ({}, dict(compare=False)):
        model = CorrectedLogisticRegression(guess, random_state=0, **options)
        assert told(model, X, Y) == [hint.format(80)]
    model.set_params(compare=True)
    assert hint.format(80) not in told(model, X, Y, audited=(SOME, T[SOME]))
    many = ConfusionEstimate(11 * guess.counts)
    for other in (dict(confusion=many), dict(confusion=guess, correction="none"), dict()):
        assert not told(CorrectedLogisticRegression(random_state=0, **other), X, Y)


def test_a_large_sample_is_learned_from_once_unless_there_are_counts(monkeypatch):
    monkeypatch.setattr("noisytheory.topics.multiclass.kept.COMPILED", 2 * X.size)
    assert not hasattr(CorrectedLogisticRegression(LOPSIDED).fit(X, Y), "expected_gain_")
    guess = estimate_confusion(noisy=Y, true=T)
    model = CorrectedLogisticRegression(guess, random_state=0)
    told(model, X, Y)
    assert model.expected_gain_ == pytest.approx(0.5, abs=0.1)


def test_a_rough_guess_of_noise_that_need_not_be_corrected_is_told():
    rng = np.random.default_rng(3)
    true = rng.integers(3, size=900)
    x = np.eye(3)[true] + 0.3 * rng.normal(size=(900, 3))
    noisy = np.where(rng.random(900) < 0.3, rng.integers(3, size=900), true)
    rough = estimate_confusion(noisy=noisy[:20], true=true[:20], classes=3)
    model = CorrectedLogisticRegression(rough, random_state=0)
    (said,) = told(model, x, noisy)
    assert said.startswith("the noisy labels tell that ignoring the noise errs less, by ")
    assert "a confusion that is estimated from 20 examples: audit more" in said
    plain = CorrectedLogisticRegression(correction="none").fit(x, noisy)
    assert model.expected_gain_ < 0 and plain.score(x, true) > model.score(x, true)


def test_the_error_that_is_said_is_that_on_fresh_examples():
    """False alarms: by Hoeffding's inequality below 2e-6, but for the fresh 300,000."""
    x, noisy, _ = drawn(600, 0.6, 1)
    rng = np.random.default_rng(2)

    def fresh(n):
        true = np.repeat(range(3), n)
        return np.eye(3)[true] + 0.6 * rng.normal(size=(3 * n, 3)), true

    some, many = fresh(400), fresh(100_000)
    model = CorrectedLogisticRegression(THREE, random_state=0)
    told(model, x, noisy, audited=some)
    plain = CorrectedLogisticRegression(correction="none").fit(x, noisy)
    shares = likely_shares(np.bincount(noisy), THREE)
    within = np.sqrt(np.log(2 / 1e-6) / 2 * np.sum(shares**2 / 400))
    for name, of in (("corrected", model), ("ignoring", plain)):
        wrong = of.predict(many[0]) != many[1]
        truth = shares @ [wrong[many[1] == q].mean() for q in range(3)]
        assert abs(model.audited_errors_[name] - truth) < within < 0.08
