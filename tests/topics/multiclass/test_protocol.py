"""The five steps, self-training and kernel features on a person's own data."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn.decomposition import KernelPCA

from noisytheory.topics.multiclass import uma
from noisytheory.topics.multiclass.experiments.beside import beside
from noisytheory.topics.multiclass.experiments.drawn_apart import drawn_apart
from noisytheory.topics.multiclass.experiments.front_end import kernel_features
from noisytheory.topics.multiclass.experiments.protocol import (
    CLASSIFIERS,
    five_steps,
)
from noisytheory.topics.multiclass.experiments.self_training import self_training
from noisytheory.topics.multiclass.experiments.text import documents
from noisytheory.topics.multiclass.ignoring import ignoring


def test_five_steps_are_what_they_say():
    rng = np.random.default_rng(5)
    t = rng.integers(3, size=600)
    x = np.eye(3)[t] + 0.3 * rng.normal(size=(600, 3))
    few, audited, _ = drawn_apart(t, 5, 0.2, rng=rng)
    found = five_steps(x[few], t[few], x[audited], t[audited], x, max_iter=50)
    said = np.argmax(x[audited] @ found.rough.T, axis=1)
    for q in range(3):
        own = t[audited] == q
        np.testing.assert_allclose(
            found.confusion.matrix[:, q], np.bincount(said[own], minlength=3) / own.sum()
        )
    assert found.true_labels == 15 + 120
    again = uma(x, found.labels, found.confusion.matrix, orientation="column", max_iter=50)
    np.testing.assert_array_equal(found.uma, again.weights)


def test_five_steps_take_any_labels_and_know_all_rivals():
    rng = np.random.default_rng(5)
    names = np.array(["ant", "bee", "cow"])
    codes = rng.integers(3, size=600)
    x, t = np.eye(3)[codes] + 0.3 * rng.normal(size=(600, 3)), names[codes]
    few, audited, _ = drawn_apart(t, 5, 0.2, rng=rng)
    found = five_steps(x[few], t[few], x[audited], t[audited], x, rest_labels=t, max_iter=50)
    table = found.errors(x, t)
    assert set(table) == set(CLASSIFIERS)
    assert max(table.values()) < 0.2
    full = uma(x, codes, np.eye(3), max_iter=50)
    np.testing.assert_array_equal(found.full, full.weights)
    for form in (np.ndarray.tolist, sparse.coo_array):
        said = five_steps(form(x[few]), t[few], form(x[audited]), t[audited], form(x),
                          rest_labels=t, max_iter=50)
        assert said.errors(form(x), t) == pytest.approx(table, abs=0.01)
    without = five_steps(x[few], t[few], x[audited], t[audited], x, max_iter=50)
    assert set(without.errors(x, t)) == set(CLASSIFIERS) - {"full"}
    for labels in (t[:1], t[:-1]):  # one label would be broadcast over all rows
        with pytest.raises(ValueError, match="labels must be one a row"):
            without.errors(x, labels)
    with pytest.raises(ValueError, match="rest_labels"):
        without.predict("full", x)
    with pytest.raises(ValueError, match="name must be one of"):
        found.predict("best", x)
    with pytest.raises(ValueError, match="few_labels must hold every class, none is cow"):
        five_steps(x[few[:10]], t[few[:10]], x[audited], t[audited], x)
    for rest, options, wrong in (
        (x[:, :2], {}, r"as many features, got \[3, 3, 2\]"), (x[:0], {}, "n >= 1, got"),
        (x[0], {}, r"rest must have shape \(n, d\)"), (x * np.nan, {}, "rest must be finite"),
        (x, dict(step="x"), "step must be one of"), (x, dict(strategy="x"), "strategy must be"),
        (x, dict(rest_labels=t[:-1]), "rest_labels must be one a row, 600"),
        (x, dict(rest_labels=codes), "must be of one kind, got .*rest_labels numbers"),
        (x, dict(rest_labels=np.full(600, "dog")), "rest_labels must be among .*, got dog"),
        (x, dict(rng=3), "rng must be a Generator or None, got 3"),
    ):
        with pytest.raises(ValueError, match=wrong):
            five_steps(x[few], t[few], x[audited], t[audited], rest, **options)
    for labels, wrong in (
        (t[few][:-1], "few_labels must be one a row, 15 of them, got shape"),
        (np.full(15, "ant"), "few_labels must hold two classes or more, got ant alone"),
        ([None] * 15, "few_labels must be classes, names or whole numbers, got None"),
        (rng.random(15), "few_labels must be classes"), ([1, "a", 1] * 5, "numbers beside text"),
    ):
        with pytest.raises(ValueError, match=wrong):
            five_steps(x[few], np.array(labels, dtype=object), x[audited], t[audited], x)
    with pytest.raises(ValueError, match="points must have 3 features, as the rest has, got 2"):
        found.predict("uma", x[:, :2])
    with pytest.raises(ValueError, match="labels must be classes"):
        found.errors(x, codes)
    with pytest.raises(ValueError, match="per_class must be 1 to"):
        drawn_apart(t, 500, 0.2, rng=rng)


def test_documents_are_sparse_uneven_and_of_norm_one():
    x, t = documents(400, rng=np.random.default_rng(1))
    sizes = np.bincount(t)
    assert len(sizes) == 9 and sizes[0] > 4 * sizes[8]
    np.testing.assert_allclose(np.sqrt(x.multiply(x).sum(axis=1)), 1)
    assert x.nnz < 0.15 * 400 * 500


def test_self_training_learns():
    rng = np.random.default_rng(6)
    t = rng.integers(3, size=400)
    x = np.eye(3)[t] + 0.25 * rng.normal(size=(400, 3))
    model = self_training(x[:30], t[:30], x[30:])
    assert np.mean(model.predict(x) == t) > 0.95


def test_kernel_features_are_those_of_scikit_learn_and_unit():
    rng = np.random.default_rng(7)
    x, new = rng.normal(size=(30, 4)), rng.normal(size=(5, 4))
    ours = kernel_features(x, new, components=6, gamma=0.3, unit=False)
    model = KernelPCA(6, kernel="rbf", gamma=0.3, eigen_solver="dense").fit(x)
    np.testing.assert_allclose(np.abs(ours[1]), np.abs(model.transform(new)), atol=1e-8)
    (few,) = kernel_features(x, components=3, landmarks=10, rng=rng)
    np.testing.assert_allclose(np.linalg.norm(few, axis=1), 1)
    thin = np.where(x > 0, x, 0)
    for given in ({}, {"gamma": 0.3}, {"landmarks": 10}):
        dense, rows = (
            kernel_features(form(thin), form(thin[:5]), components=4, **given,
                            rng=np.random.default_rng(8)) for form in (np.array, sparse.coo_array)
        )
        for one, other in zip(dense, rows, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-12)
    for bad, given, wrong in (
        ([[0.0]] * 9 + [[1.0]], {}, "gamma must be given where most points are equal"),
        (x[0], {}, r"points must have shape \(n, d\)"), (x * np.inf, {}, "points must be finite"),
        (sparse.csr_array(x * np.inf), {}, "points must be finite"),
        (x, {"components": 0}, "components must be"), (x, {"unit": "yes"}, "unit must be one of"),
        (x, {"landmarks": 9, "rng": 3}, "rng must be a Generator, to draw landmarks, got 3"),
    ):
        with pytest.raises(ValueError, match=wrong):
            kernel_features(bad, **given)
    with pytest.raises(ValueError, match="points must have as many features"):
        kernel_features(x, x[:, :2])


def wide(noise=0.5, n=900):
    rng = np.random.default_rng(1)
    t = rng.integers(3, size=n)
    return np.eye(3)[t] + noise * rng.normal(size=(n, 3)), t


def test_who_errs_less_is_told_in_a_table_and_in_words():
    x, t = wide()
    found = five_steps(x[:9], t[:9], x[9:129], t[9:129], x[129:])
    other, true = x[129:], t[129:]
    table = found.compare(other, true)
    assert set(table.errors) == set(CLASSIFIERS) - {"full"}
    ours, alone = (found.predict(name, other) != true for name in ("uma", "audited"))
    assert table.errors["uma"] == ours.mean() and table.errors["audited"] == alone.mean()
    gain, error = table.gains["audited"]
    assert gain == pytest.approx(ours.mean() - alone.mean())
    assert error == pytest.approx(stats.sem(ours.astype(int) - alone, ddof=0))
    more = int(np.sum(ours & ~alone)), int(np.sum(ours ^ alone))
    assert table.chances["audited"] == stats.binomtest(*more).pvalue
    assert "audited" in table.better and "uma" not in table.better
    told = [s for s in table.sentences if s.startswith("training on the audited labels alone errs")]
    assert len(told) == 1 and told[0] in str(table)
    first = str(table).splitlines()[1]
    assert first.endswith("least") and CLASSIFIERS[min(table.errors, key=table.errors.get)] in first
    with pytest.warns(UserWarning, match="training on the audited labels alone errs less than UMA"):
        assert found.errors(other, true) == table.errors
    with pytest.raises(ValueError, match="names must be one of"):
        found.compare(other, true, names=["alone"])
    with pytest.raises(ValueError, match="points must be given with labels"):
        found.compare(labels=true)
    # A class that was never learned is an error of all, and said to be.
    unseen = np.where(np.arange(len(true)) < 100, 7, true)
    told = found.compare(other, unseen, names=["audited"])
    assert "of which 100 are of no class that was learned, as 7 is: errors of all" in str(told)
    assert told.errors["audited"] == np.mean(found.predict("audited", other) != unseen)


def test_the_noise_is_ignored_by_a_linear_svm_too():
    x, t = wide()
    found = five_steps(x[:9], t[:9], x[9:129], t[9:129], x[129:])
    said = ignoring(x[129:], found.labels)(x)
    np.testing.assert_array_equal(found.predict("ignoring_svm", x), said)
    assert "a linear SVM, the noise ignored" in str(found.compare())


def test_the_audited_tell_by_what_did_not_learn_from_them():
    x, t = wide(0.9)
    audited, known = x[9:129], t[9:129]
    found = five_steps(x[:9], t[:9], audited, known, x[129:], rest_labels=t[129:])
    table = found.compare()
    assert set(table.errors) == set(CLASSIFIERS) and table.told_by.startswith("the 120 audited")
    part = np.empty(120, int)
    part[np.argsort(known, kind="stable")] = np.arange(120) % 10
    missed = np.zeros(120, bool)
    for fold in range(10):
        weights = uma(audited[part != fold], known[part != fold], np.eye(3), max_iter=300).weights
        missed[part == fold] = (audited[part == fold] @ weights.T).argmax(1) != known[part == fold]
    assert table.errors["audited"] == missed.mean()
    assert table.errors["full"] == np.mean(found.predict("full", audited) != known)


def test_a_sentence_is_said_where_differences_decide():
    wrong = {"uma": np.arange(200) < 40, "same": np.arange(200) < 40,
             "less": np.arange(200) < 20, "more": np.arange(200) < 60,
             "near": np.arange(200) < 36}
    named = {name: name for name in wrong}
    found = beside(wrong, "200 examples", table=named, spoken=named)
    assert (found.better, found.worse) == (("less",), ("more",))
    assert found.chances == pytest.approx(
        {"same": 1, "less": 2 * 0.5**20, "more": 2 * 0.5**20, "near": 2 * 0.5**4})
    assert found.sentences == (
        "less errs less than UMA, by 0.100 ± 0.021", "UMA errs less than: more",
        "whether UMA errs less is not decided beside: same; near")
