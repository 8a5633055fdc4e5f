"""The mean classifier that chooses: against refits, brute force, and what noise does to risks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits

from noisytheory.learners import KernelMeanClassifier, KernelMeanClassifierCV
from noisytheory.learners.class_sums import class_sums
from noisytheory.topics.label_noise.choice.leave_one_out import (
    choose,
    losses,
    scores,
    threshold,
)
from noisytheory.vocabulary.kernels import Gaussian, Laplace, Linear, Normalised

KERNELS = [
    Laplace(0.7), Gaussian(0.5), Gaussian(0.9), Gaussian(2**0.5), Gaussian(2.0), Gaussian(4.0),
    Normalised(Linear()), lambda a, b: a @ b.T,
]


@pytest.fixture
def sample():
    rng = np.random.default_rng(3)
    return rng.normal(1.0, 1.0, (700, 3)), rng.integers(0, 3, 700), rng.uniform(0.5, 1.5, 700)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_class_sums_are_the_definition(sample, form):
    x, codes, weights = sample
    kernels = KERNELS if form is np.asarray else KERNELS[1:-1]
    found = class_sums(kernels, form(x), codes, weights)
    assert np.array_equal(found, class_sums(kernels, form(x), codes, weights, workers=3))
    own = weights[:, None] * (codes[:, None] == np.arange(3))
    for kernel, sums in zip(kernels, found, strict=True):
        gram = np.array(kernel(x, x))
        np.fill_diagonal(gram, 0)
        assert np.allclose(sums, gram @ own, rtol=1e-11, atol=1e-11)


@pytest.mark.filterwarnings("ignore:examples of every class")
def test_scores_are_those_of_a_fit_to_all_others(sample):
    x, codes, weights = (part[:60] for part in sample)
    codes = codes > 0
    sums = class_sums([Gaussian(1.0)], x, codes.astype(int), weights)[0]
    for class_weight in (None, "balanced"):
        found = scores(sums, codes.astype(int), weights, class_weight)
        for left in range(5):
            rest = np.arange(60) != left
            mass = np.bincount(codes[rest], weights[rest]) if class_weight else np.ones(2)
            model = KernelMeanClassifier(Gaussian(1.0))
            model.fit(x[rest], codes[rest], weights[rest] / mass[codes[rest].astype(int)])
            score = model.decision_function(x[[left]])[0]
            assert found[left, 1] - found[left, 0] == pytest.approx(score, rel=1e-12)


@pytest.mark.parametrize("risk", ["error", "balanced"])
def test_corrected_losses_have_the_clean_risk(risk):
    confusion = np.array([[0.7, 0.2, 0.1], [0.2, 0.7, 0.0], [0.1, 0.1, 0.9]])
    clean = np.array([0.5, 0.3, 0.2])
    costs = losses(confusion, confusion @ clean, risk)
    wrong = 1 - np.eye(3)
    if risk == "balanced":
        wrong /= 3 * clean[:, None]
    # True classes in rows: their labels, and what each prediction then costs.
    assert np.allclose(confusion.T @ costs, wrong)


def test_a_threshold_is_the_best_of_all():
    rng = np.random.default_rng(0)
    for _ in range(50):
        values = np.sort(rng.integers(-5, 6, 12) / 4)
        gains = rng.choice([-1.0, 1.0], 12)
        cut = threshold(values, gains)
        places = np.unique(values)
        between = (places[1:] + places[:-1]) / 2
        totals = [gains[values > place].sum() for place in between]
        assert gains[values > cut].sum() == max(totals)
        assert abs(cut) == min(abs(between[np.array(totals) == max(totals)]))


def test_one_standard_error_takes_the_last_kernel_that_is_not_worse():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, 400)
    right = np.eye(2)[codes]
    # Two and three others are a difference that chance explains, forty are not.
    sums = np.stack([right, right, right])
    for kernel, wrong in enumerate((slice(2), slice(2, 5), slice(40))):
        sums[kernel, wrong] = right[wrong, ::-1]
    found = choose(sums, codes, np.ones(400), standard_errors=0.0)
    assert found.best == (0, 0, 0)
    assert np.allclose(found.risks.ravel(), [2 / 400, 3 / 400, 40 / 400])
    assert np.allclose(found.standard_errors.ravel() ** 2 * 400,
                       found.risks.ravel() * (1 - found.risks.ravel()))
    assert choose(sums, codes, np.ones(400), standard_errors=1.0).best == (1, 0, 0)


@pytest.fixture(scope="module")
def board():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (900, 2))
    return x, np.where(x[:, 0] * x[:, 1] > 0, "yes", "no"), rng


@pytest.mark.filterwarnings("ignore:examples of every class")
def test_it_finds_the_bandwidth_through_the_noise(board):
    x, y, rng = board
    flips = rng.random(900) < np.where(y == "yes", 0.4, 0.1)
    noisy = np.where(flips, np.where(y == "yes", "no", "yes"), y)
    model = KernelMeanClassifierCV(noise_rate=(0.1, 0.4), thresholds=[False, True])
    model.fit(x[:600], noisy[:600])
    assert model.score(x[600:], y[600:]) > KernelMeanClassifier().fit(x[:600], noisy[:600]).score(
        x[600:], y[600:])
    # Corrected for both rates: near the clean error, far from the noisy one of a quarter.
    clean = 1 - model.score(x[600:], y[600:])
    deviation = np.hypot(model.standard_errors_[model.best_index_], np.sqrt(clean / 300))
    assert abs(1 - model.best_score_ - clean) < 3 * deviation
    chances = model.predict_proba(x[600:])
    assert np.array_equal(model.classes_[chances.argmax(axis=1)], model.predict(x[600:]))
    plain = KernelMeanClassifierCV(thresholds=[False, True]).fit(x[:600], noisy[:600])
    brier = [np.mean((m.predict_proba(x[600:])[:, 1] - (y[600:] == "yes")) ** 2)
             for m in (model, plain)]
    assert brier[0] < brier[1]


def test_probabilities_of_several_classes_belong_to_the_scores_they_were_fitted_to():
    rng = np.random.default_rng(0)
    centres = 2 * np.array([[0, 0], [1, 0], [0, 1]])
    y = rng.integers(3, size=900)
    x = centres[y] + rng.normal(size=(900, 2))
    model = KernelMeanClassifierCV(bandwidths=[2.0]).fit(x[:600], y[:600])
    chances = model.predict_proba(x[600:])
    assert abs(chances.max(axis=1).mean() - model.score(x[600:], y[600:])) < 0.03
    drawn = KernelMeanClassifierCV(thresholds=[True, False]).fit(x[:600], y[:600]).plot_path()
    assert not any("threshold" in text.get_text() for text in drawn.get_legend().get_texts())


def test_scores_of_narrow_kernels_make_probabilities_that_are_near_the_truth(board):
    x, y, _ = board
    model = KernelMeanClassifierCV(bandwidths=[0.03]).fit(x[:600], y[:600])
    assert abs(model.predict_proba(x[600:]).max(axis=1).mean()
               - model.score(x[600:], y[600:])) < 0.05


def test_thresholds_do_not_see_examples_of_no_weight(board):
    x, y, rng = board
    x, y, kept = x[:300], y[:300], rng.random(300) < 0.6
    options = {"bandwidths": [0.1, 0.5, 2.0], "thresholds": [False, True], "class_weights": [None]}
    zero = KernelMeanClassifierCV(**options).fit(x, y, kept.astype(float))
    fewer = KernelMeanClassifierCV(**options).fit(x[kept], y[kept])
    np.testing.assert_allclose(zero.risks_, fewer.risks_, atol=1e-12)
    np.testing.assert_allclose(zero.threshold_, fewer.threshold_, atol=1e-12)


def test_frequencies_are_copies_of_which_one_is_left_out(board):
    x, y, rng = board
    x, y, times = x[:200], y[:200], rng.integers(0, 4, 200)
    options = {"thresholds": [True], "standard_errors": 1.0, "frequencies": True}
    counted = KernelMeanClassifierCV(**options).fit(x, y, times)
    copied = KernelMeanClassifierCV(**options).fit(np.repeat(x, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(counted.risks_, copied.risks_, atol=1e-12)
    np.testing.assert_allclose(counted.standard_errors_, copied.standard_errors_, atol=1e-12)
    np.testing.assert_allclose(counted.decision_function(x), copied.decision_function(x),
                               atol=1e-12)
    whole = KernelMeanClassifierCV(thresholds=[True]).fit(x, y, times)
    # Copies vouch for each other, most of all where a kernel sees nothing else.
    assert counted.risks_[0] < whole.risks_[0]
    with pytest.raises(ValueError, match="whole numbers with frequencies=True"):
        KernelMeanClassifierCV(frequencies=True).fit(x, y, np.full(200, 0.5))


@pytest.mark.parametrize("rate", [0.6, None])
def test_risks_of_several_classes_are_corrected(rate):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(6000, 2)) + 4 * np.eye(3)[:, :2][true := rng.integers(3, size=6000)]
    noise = np.array([[0.6, 0.3, 0.0], [0.4, 0.6, 0.2], [0.0, 0.1, 0.8]])
    if rate is not None:
        noise = np.full((3, 3), rate / 2) + (1 - 1.5 * rate) * np.eye(3)
    noisy = (rng.random((6000, 1)) > noise.cumsum(axis=0).T[true]).sum(axis=1)
    given = noise if rate is None else rate
    model = KernelMeanClassifierCV(noise_rate=given, bandwidths=[2.0]).fit(x[:3000], noisy[:3000])
    clean = 1 - model.score(x[3000:], true[3000:])
    # Of a mean of 3,000 costs that lie in a range of 1 / (1 - 1.5 rate) or so.
    error = 0.5 / np.sqrt(3000) / (0.1 if rate else 0.25)
    assert abs(model.corrected_risk(x[3000:], noisy[3000:]) - clean) < 3 * error < 0.3
    assert abs(1 - model.best_score_ - clean) < 3 * error
    assert np.mean(model.predict(x[3000:]) != noisy[3000:]) - clean > 3 * error
    with pytest.raises(ValueError, match=r"noise_rate must be a number in \[0, 0.666667\)"):
        KernelMeanClassifierCV(noise_rate=0.7).fit(x, noisy)


def test_compression_and_margins_keep_the_threshold(board):
    x, y, _ = board
    model = KernelMeanClassifierCV(thresholds=[True]).fit(x[:300], y[:300])
    assert model.threshold_ != 0
    small = model.compress(40)
    moved = small.decision_function(x) - model.decision_function(x)
    assert 0 < np.abs(moved).max() <= small.compression_error_
    signs = np.where(y == "yes", 1, -1)
    assert np.array_equal(model.margins(x, y), signs * model.decision_function(x))


def test_sparse_rows_and_several_classes(sample):
    x, codes, weights = sample
    y = (x[:, 0] > 1).astype(int) + (x[:, 1] > 1)
    noise = 0.8 * np.eye(3) + 0.2 * np.roll(np.eye(3), 1, axis=0)
    options = {"bandwidths": [0.5, 1.0, 2.0], "noise_rate": noise, "orientation": "column"}
    dense = KernelMeanClassifierCV(**options).fit(x, y, weights)
    thin = KernelMeanClassifierCV(**options).fit(sparse.csr_array(x), y, weights)
    assert dense.best_params_ == thin.best_params_
    assert np.allclose(thin.predict_proba(sparse.csr_array(x)), dense.predict_proba(x))
    with pytest.raises(ValueError, match="that y holds, 4, got a matrix of 3 classes"):
        KernelMeanClassifierCV(**options).fit(x, codes + (x[:, 2] > 2))


def test_what_cannot_work_is_said():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 3))
    with pytest.warns(UserWarning, match="predicted as False: labels may be too noisy"):
        KernelMeanClassifierCV(class_weights=[None], bandwidths=[50.0]).fit(
            x, rng.random(200) < 0.3)
    for model in (KernelMeanClassifier(), KernelMeanClassifierCV()):
        with pytest.warns(UserWarning, match="try StandardScaler"):
            model.fit(x * [1, 1, 1000], x[:, 2] > 0)
        with pytest.warns(UserWarning, match="try StandardScaler"):
            model.fit(x * [1, 1000, 1000], x[:, 2] > 0)
    rows = np.where(rng.random((200, 400)) < 0.02, 1 + rng.random((200, 400)), 0)
    # Rare features are none of a small scale.
    rows[:, 0] = np.arange(200) % 2
    KernelMeanClassifierCV().fit(sparse.csr_array(rows), rows[:, 0])
    for model in (KernelMeanClassifier(), KernelMeanClassifierCV()):
        with pytest.warns(UserWarning, match="try MaxAbsScaler"):
            model.fit(sparse.csr_array(rows * np.where(np.arange(400), 1, 1000)), rows[:, 0])
    with pytest.warns(UserWarning, match="predicted as False: the kernel is too wide"):
        KernelMeanClassifier(kernel_params={"bandwidth": 50.0}).fit(x, rng.random(200) < 0.3)
    # Each sees itself, but no other of its class.
    narrow = KernelMeanClassifier(Gaussian(0.1))
    for model in (narrow, KernelMeanClassifierCV(class_weights=[None])):
        with pytest.warns(UserWarning, match="examples of every class.* predicted as False"):
            model.fit(x, np.arange(200) == 0)


def test_the_path_is_drawn(board):
    x, y, _ = board
    model = KernelMeanClassifierCV(class_weights=[None, "balanced"], thresholds=[False, True])
    ax = model.fit(x[:200], y[:200]).plot_path()
    assert len(ax.containers) == 4
    assert ax.get_xscale() == "log"


def test_of_a_rare_class_as_it_is_more_predictions_are_right():
    X, digit = load_digits(return_X_y=True)
    X, y = X / 16, digit == 3
    noisy = y[:900] ^ (np.random.default_rng(0).random(900) < 0.2)
    alike, both = (KernelMeanClassifierCV(class_weights=weights).fit(X[:900], noisy)
                   for weights in (("balanced",), ("balanced", None)))
    assert both.best_params_["class_weight"] is None
    assert both.score(X[900:], y[900:]) > alike.score(X[900:], y[900:]) + 0.1
