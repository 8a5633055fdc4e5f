"""The mean classifier: scikit-learn's contract, closed forms, memory, every input form."""

from __future__ import annotations

import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from noisytheory.learners import KernelMeanClassifier, KernelMeanClassifierCV, MultipleKernelMean
from noisytheory.learners.labelled import Labelled
from noisytheory.learners.tiles import exponents
from noisytheory.topics.sparse import farthest_first, herding
from noisytheory.vocabulary.kernels import Gaussian, Kernel, Laplace, Linear, Normalised, Polynomial
from noisytheory.vocabulary.losses import LinearLoss, corrected
from noisytheory.vocabulary.threads import in_order

# Many samples here have labels without any rule; test_kernel_mean_cv.py tries the warning.
pytestmark = pytest.mark.filterwarnings("ignore:examples of every class")


def expected_failures(estimator):
    failed = {"check_array_api_input": "skipped unless SCIPY_ARRAY_API is set, which warns"}
    if (isinstance(estimator, KernelMeanClassifierCV) and not estimator.frequencies) or (
        isinstance(estimator, MultipleKernelMean) and estimator.choice == "leave-one-out"
    ):
        # Weights without a unit: an example of weight 2 is left out whole.
        for rows in ("dense", "sparse"):
            failed[f"check_sample_weight_equivalence_on_{rows}_data"] = "left out whole"
    return failed


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.EstimatorCheckFailedWarning")
@parametrize_with_checks(
    [
        KernelMeanClassifier(),
        KernelMeanClassifier("linear", normalise="largest"),
        MultipleKernelMean(),
        MultipleKernelMean(choice="longest"),
        KernelMeanClassifierCV(),
        KernelMeanClassifierCV(frequencies=True),
        KernelMeanClassifierCV(
            ["laplace", "gaussian", "linear"], class_weights=[None, "balanced"], normalise=True,
            thresholds=[False, True], standard_errors=1.0, risk="balanced", noise_rate=0.1,
            frequencies=True,
        ),
        KernelMeanClassifier("linear", normalise=True),
        KernelMeanClassifier("laplace"),
        KernelMeanClassifier("polynomial", normalise=True),
        KernelMeanClassifier("polynomial", normalise="largest"),
        KernelMeanClassifier(Normalised(Polynomial(3, 1.0))),
        MultipleKernelMean(["linear", "gaussian"], choice="longest", normalise=True),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.fixture
def data():
    rng = np.random.default_rng(5)
    return rng.normal(3.0, 1.0, (700, 4)), rng.integers(0, 3, 700), rng.normal(3.0, 1.0, (900, 4))


@pytest.mark.parametrize(
    "kernel",
    [Gaussian(1.3), Laplace(0.7), Normalised(Polynomial(3)), Normalised(Linear())],
    ids=lambda k: type(k).__name__,
)
def test_scores_are_the_definition(data, kernel):
    x, y, queries = data
    two = (y > 0).astype(int)
    model = KernelMeanClassifier(kernel).fit(x, two)
    gram = kernel(queries, x)
    assert np.allclose(model.decision_function(queries), gram @ (2 * two - 1) / 700, atol=1e-13)
    norm = np.sqrt((2 * two - 1) @ kernel(x) @ (2 * two - 1)) / 700
    assert model.self_similarity() == pytest.approx(norm, rel=1e-9)
    three = KernelMeanClassifier(kernel).fit(x, y)
    sums = np.stack([gram[:, y == c].sum(axis=1) for c in range(3)], axis=1) / 700
    assert np.allclose(three.decision_function(queries), 2 * sums - sums.sum(1, keepdims=True))
    assert np.array_equal(three.predict(queries), sums.argmax(axis=1))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "kernel", [Laplace(0.7), Polynomial(3, 1.0), Normalised(Polynomial(3)), Normalised(Laplace(2))],
    ids=repr,
)
def test_scores_of_many_examples_are_those_of_few(kernel, dtype, monkeypatch):
    from noisytheory.learners import kernel_mean

    rng = np.random.default_rng(0)
    x, queries = (rng.normal(size=(size, 5)).astype(dtype) for size in (1300, 2100))
    queries[:10] = x[:10]
    model = KernelMeanClassifier(kernel, normalise="largest").fit(x, rng.integers(0, 3, 1300))
    few = model.decision_function(queries)
    monkeypatch.setattr(kernel_mean, "COMPILED", 1)
    monkeypatch.setattr(kernel_mean, "tile", None)
    many = model.decision_function(queries)
    assert many.dtype == few.dtype == dtype
    np.testing.assert_allclose(
        many, few, rtol=0, atol=32 * np.finfo(dtype).eps * np.abs(few).max()
    )
    monkeypatch.setattr(
        kernel_mean, "in_order", lambda work, items, workers: in_order(work, items, 3)
    )
    assert np.array_equal(model.decision_function(queries), many)


def test_laplace_scores_of_many_examples_far_from_the_origin(monkeypatch):
    from noisytheory.learners import kernel_mean

    x = 100 + np.random.default_rng(0).normal(size=(300, 4))
    queries = np.concatenate([x[:50], x[:50] + 1e-9, x[50:100] + 0.5])
    y = np.arange(300) % 2
    model = KernelMeanClassifier(Laplace(1.5)).fit(x, y)
    monkeypatch.setattr(kernel_mean, "COMPILED", 1)
    monkeypatch.setattr(kernel_mean, "tile", None)
    distances = np.sqrt(((queries[:, None] - x) ** 2).sum(axis=2))
    expected = np.exp(-distances / 1.5) @ np.where(y == 1, 1, -1) / 300
    np.testing.assert_allclose(model.decision_function(queries), expected, rtol=0, atol=1e-13)
    model.kernel_ = Laplace(1e-150)
    with pytest.raises(ValueError, match=r"bandwidth must be larger beside rows of norm"):
        model.decision_function(1e10 * queries)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_scores_are_the_same_bits_whatever_the_number_of_threads(form, monkeypatch):
    from noisytheory.learners import kernel_mean

    rng = np.random.default_rng(0)
    x, queries = form(rng.normal(size=(2100, 3))), form(rng.normal(size=(5000, 3)))
    model = KernelMeanClassifier().fit(x, rng.integers(0, 3, 2100))
    alone = model.decision_function(queries)
    asked = []

    def shared(work, items, workers):
        asked.append(workers)
        return in_order(work, items, 3)

    monkeypatch.setattr(kernel_mean, "in_order", shared)
    assert np.array_equal(model.decision_function(queries), alone)
    # Of little work nothing is shared.
    model.decision_function(queries[:100])
    assert asked[1] <= 1


def test_weights_are_repetitions(data):
    x, y, queries = data
    times = np.random.default_rng(1).integers(0, 4, len(x))
    weighted = KernelMeanClassifier().fit(x, y, times)
    repeated = KernelMeanClassifier().fit(np.repeat(x, times, axis=0), np.repeat(y, times))
    assert np.allclose(
        weighted.decision_function(queries), repeated.decision_function(queries), atol=1e-13
    )


@pytest.mark.parametrize("kernel", [Gaussian(2.0), Normalised(Linear())])
def test_sparse_rows_give_the_dense_scores(data, kernel):
    x, y, queries = data
    dense = KernelMeanClassifier(kernel).fit(x, y)
    thin = KernelMeanClassifier(kernel).fit(sparse.csr_matrix(x), y)
    assert np.allclose(
        thin.decision_function(sparse.csr_matrix(queries)),
        dense.decision_function(queries),
        atol=1e-12,
    )
    assert np.allclose(thin.decision_function(queries), dense.decision_function(queries))


def test_single_precision_stays_single(data):
    x, y, queries = data
    double = KernelMeanClassifier(Gaussian(1.0)).fit(x, y)
    single = KernelMeanClassifier(Gaussian(1.0)).fit(x.astype(np.float32), y)
    scores = single.decision_function(queries.astype(np.float32))
    assert scores.dtype == np.float32
    assert np.abs(scores - double.decision_function(queries)).max() < 1e-6


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("queries", [40, 600])
def test_coordinates_that_are_constant_in_a_class_change_no_score(dtype, queries):
    rng = np.random.default_rng(0)
    x, y, z = rng.normal(size=(1100, 12)), rng.integers(0, 3, 1100), rng.normal(size=(600, 12))
    for c in range(3):
        x[np.ix_(y == c, range(3 * c, 3 * c + 5))] = c - 0.3
    x[y == 0, 5:] = 2.0  # A class of one point, many times.
    x[y == 0, :5] = -1.0
    gram = np.exp(-((z[:, None] - x) ** 2).sum(axis=2) / 18)
    signs = np.where(y[:, None] == range(3), 1, -1) / 1100
    model = KernelMeanClassifier(Gaussian(3.0)).fit(x.astype(dtype), y)
    scores = model.decision_function(z[:queries].astype(dtype))
    atol = 1e-14 if dtype == np.float64 else 1e-6
    np.testing.assert_allclose(scores, gram[:queries] @ signs, atol=atol)
    small = model.compress(400, "projection")
    moved = np.abs(small.decision_function(z) - gram @ signs).max(axis=0)
    assert np.all(moved <= small.compression_error_ + atol)


def test_a_small_bandwidth_is_not_left_to_single_precision():
    x = np.random.default_rng(0).normal(size=(300, 3)).astype(np.float32)
    model = KernelMeanClassifier(Gaussian(1e-3)).fit(x, np.arange(300) % 2)
    # Of points this far apart every one sees itself alone.
    np.testing.assert_allclose(np.abs(model.decision_function(x)), 1 / 300, rtol=1e-6)
    assert model.self_similarity() == pytest.approx(300**-0.5, rel=1e-9)


@pytest.mark.parametrize("size", [1e308, 1e-310])
def test_weights_of_any_size_are_shares(size):
    model = KernelMeanClassifier("linear").fit(
        [[0.5], [-0.5], [0.1]], [1, 0, 1], sample_weight=np.full(3, size)
    )
    np.testing.assert_allclose(model.weights_, 1 / 3)


@pytest.mark.parametrize(("kernel", "given", "named"), [
    ("gaussian", {"bandwidth": "a"}, "bandwidth"),
    ("laplace", {"bandwidth": None}, "bandwidth"),
    ("polynomial", {"offset": "x"}, "offset"),
    ("gaussian", [1, 2], "kernel_params"),
    ("gaussian", "abc", "kernel_params"),
])
def test_parameters_of_a_kernel_are_numbers(kernel, given, named):
    with pytest.raises(ValueError, match=f"^{named} must be"):
        KernelMeanClassifier(kernel, kernel_params=given).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_memory_is_bounded_by_tiles_not_by_the_sample(dtype):
    rng = np.random.default_rng(3)
    x, queries = rng.random((4000, 300)).astype(dtype), rng.random((2000, 300)).astype(dtype)
    model = KernelMeanClassifier(Gaussian(5.0)).fit(x, rng.integers(0, 2, 4000))
    tracemalloc.start()
    model.decision_function(queries)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * 2**20  # a Gram block of all pairs would take 61 MiB in doubles


def test_a_callable_kernel_and_rescaling():
    x, y = np.array([[3.0, 0.0], [0.0, 2.0]]), np.array([1, -1])
    largest = KernelMeanClassifier(lambda a, b: a @ b.T, normalise="largest").fit(x, y)
    # Divided by K(x_1, x_1) = 9: scores are (9, -4) / 2 / 9.
    assert largest.decision_function(x) == pytest.approx([0.5, -2 / 9])
    linear = KernelMeanClassifier("linear", normalise="largest").fit(x, y)
    assert linear.decision_function(x) == pytest.approx([0.5, -2 / 9])
    assert linear.self_similarity() == pytest.approx(np.sqrt(13) / 6)
    assert largest.self_similarity() == pytest.approx(np.sqrt(13) / 6)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (KernelMeanClassifier("linear"), "norm at most 1, but K"),
        (KernelMeanClassifier("rbf"), "kernel must be one of gaussian"),
        (KernelMeanClassifier(3), "kernel must be a name"),
        (KernelMeanClassifier(Linear(), kernel_params={"a": 1}), "kernel_params goes with"),
        (KernelMeanClassifier(normalise="all"), "normalise must be"),
        *(
            (KernelMeanClassifier(noise_rate=rate), r"noise_rate must be a number in \[0, 0.5\)")
            for rate in (0.5, -0.1, np.nan, "a", (0.1, 0.2, 0.3), True)
        ),
        (KernelMeanClassifier(noise_rate=(0.5, 0.5)), "noise_rate must have a sum below 1"),
        (KernelMeanClassifier(noise_rate=(0.5, -0.5)), r"noise_rate must be a number in \[0, 1\]"),
        (KernelMeanClassifier(kernel_params={"width": 1}), "may hold bandwidth, got 'width'"),
        (KernelMeanClassifier("linear", kernel_params={"a": 1}), "may hold none, got 'a'"),
        (KernelMeanClassifier(kernel_params={"bandwidth": 0}), "bandwidth must be"),
        (KernelMeanClassifier(lambda a, b: 1.0), r"shape \(1, 1\), got shape \(\)"),
        (KernelMeanClassifier(lambda a, b: np.nan * a @ b.T), "got NaN or infinity"),
        (KernelMeanClassifier("polynomial"), "K.x, x. reaches 100; set normalise=True"),
        (MultipleKernelMean(noise_rate=0.5), "noise_rate must be a number"),
        (MultipleKernelMean("gaussian"), "kernels must be a sequence"),
        (MultipleKernelMean([Gaussian(1.0), "linear"]), "norm at most 1, but K"),
        (KernelMeanClassifier(lambda a, b: a @ b.T, normalise=True), "by name or a Kernel"),
        (MultipleKernelMean(choice="best"), "choice must be"),
        (KernelMeanClassifierCV(class_weights="balanced"), "class_weights must be a sequence"),
        (KernelMeanClassifierCV(thresholds=[0.5]), "thresholds must be a sequence of False or"),
        (KernelMeanClassifierCV(standard_errors="one"), "standard_errors must be a finite number"),
        (KernelMeanClassifierCV(risk="auc"), "risk must be"),
        (KernelMeanClassifierCV(["linear"], bandwidths=[1.0]), "not both"),
        (KernelMeanClassifierCV(bandwidths=1.0), "bandwidths must be a sequence"),
        (KernelMeanClassifierCV(noise_rate=np.eye(3)), "noise_rate must be"),
        (MultipleKernelMean([]), "kernels must be a sequence that is not empty"),
    ],
)
def test_nonsense_is_refused(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit([[3.0], [1.0]], [0, 1])


@pytest.mark.parametrize("normalise", [False, True, "largest"])
def test_kernels_that_overflow_are_refused(normalise):
    model = KernelMeanClassifier("polynomial", normalise=normalise)
    with pytest.raises(ValueError, match=r"K\(x, x\) must be finite"):
        model.fit([[1e100], [1.0]], [0, 1])


@pytest.mark.parametrize("kernel", ["gaussian", "laplace", "linear", "polynomial"])
@pytest.mark.parametrize("model", [KernelMeanClassifier, lambda k: MultipleKernelMean([k])])
def test_coordinates_whose_squares_overflow_are_refused(kernel, model):
    message = r"X must have coordinates within \+-1e\+150, their squares overflow; got 1e\+200"
    with pytest.raises(ValueError, match=message):
        model(kernel).fit([[1e200], [1.0]], [0, 1])
    fitted = KernelMeanClassifier(kernel, normalise=True).fit([[0.5], [1.0]], [0, 1])
    with pytest.raises(ValueError, match=message):
        fitted.decision_function([[1e200]])


def test_a_bandwidth_far_below_the_coordinates_is_refused():
    for dense in (np.array([[1e100], [1.0]]), sparse.csr_matrix([[1e100], [1.0]])):
        model = KernelMeanClassifier(Gaussian(1e-60)).fit(dense, [0, 1])
        with pytest.raises(ValueError, match=r"bandwidth must be larger beside rows of norm"):
            model.decision_function(dense)


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("fitted_dense", [False, True])
def test_wide_sparse_rows_cost_what_they_hold(dense, fitted_dense, monkeypatch):
    from noisytheory.learners import kernel_mean as estimator

    rng = np.random.default_rng(0)
    x = sparse.random_array((1500, 3000), density=0.004, format="csr", rng=rng)
    y, queries = rng.integers(0, 3, 1500), x[:700]
    model = KernelMeanClassifier(Gaussian(1.5)).fit(x.toarray() if fitted_dense else x, y)
    tiles = []

    def counted(*args):
        tiles.append(1)
        return exponents(*args)

    monkeypatch.setattr(estimator, "exponents", counted)
    scores = model.decision_function(queries.toarray() if dense else queries)
    gram = Gaussian(1.5)(queries.toarray(), x.toarray())
    np.testing.assert_allclose(scores, gram @ model._signed, atol=1e-14)
    if not (dense or fitted_dense):
        assert len(tiles) == 6  # 256 x 1024 each, where 3000 dense columns would take 81


def test_memory_is_bounded_by_tiles_of_sparse_rows():
    rng = np.random.default_rng(0)
    x = sparse.random_array((6000, 100_000), density=5e-5, format="csr", rng=rng)
    model = KernelMeanClassifier(Gaussian(1.5)).fit(x, rng.integers(0, 2, 6000))
    tracemalloc.start()
    model.decision_function(x[:3000])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * 2**20  # all pairs would take 137 MiB, a dense copy of the rows 4.5 GiB


def test_sparse_rows_need_a_kernel_of_inner_products():
    with pytest.raises(ValueError, match="linear and the Gaussian kernel only"):
        KernelMeanClassifier("laplace").fit(sparse.eye(2, format="csr"), [0, 1])


def test_risks_are_corrected_for_noise():
    x, y = np.array([[1.0], [-1.0]] * 5), np.array([1, 0] * 4 + [0, 1])
    model = KernelMeanClassifier("linear", noise_rate=0.2).fit(x, y)
    # Two of ten labels are flipped: the mean is 0.6, its noisy error 0.2, its clean error 0.
    assert model.self_similarity() == pytest.approx(0.6)
    assert model.corrected_risk(x, y) == pytest.approx(0.0)
    assert model.corrected_linear_risk() == pytest.approx(0.0)
    assert model.margin_for_error(x, y) == pytest.approx(0.6)
    assert sorted(set(model.margins(x, y).round(12))) == [-0.6, 0.6]
    with pytest.raises(ValueError, match="needs noise_rate"):
        KernelMeanClassifier("linear").fit(x, y).corrected_risk(x, y)


@pytest.mark.parametrize("kernel", [Linear(), Gaussian(1.0)], ids=repr)
def test_risks_are_corrected_for_noise_that_depends_on_the_class(kernel):
    rng = np.random.default_rng(2)
    minus, plus = 0.1, 0.35
    x, clean = rng.uniform(-0.5, 0.5, (500, 2)), rng.choice([-1, 1], 500)
    x[:, 0] += 0.2 * clean
    rates = np.where(clean == 1, plus, minus)
    noisy = np.where(rng.random(500) < rates, -clean, clean)
    model = KernelMeanClassifier(kernel, noise_rate=(minus, plus)).fit(x, noisy)
    # What the loss of `losses` says of the same scores.
    unit = model.decision_function(x) / model.self_similarity()
    loss = corrected(LinearLoss(), (minus, plus))
    assert model.corrected_linear_risk() == pytest.approx(loss.value(noisy, unit).mean())
    held, labels = rng.uniform(-0.5, 0.5, (20_000, 2)), rng.choice([-1, 1], 20_000)
    held[:, 0] += 0.2 * labels
    rates = np.where(labels == 1, plus, minus)
    flipped = np.where(rng.random(20_000) < rates, -labels, labels)
    truth = np.mean(model.predict(held) != labels)
    # An example counts from -0.35/0.55 to 0.9/0.55: six deviations of at most half the range.
    six = 6 * 1.25 / 0.55 / 2 / 20_000**0.5
    assert model.corrected_risk(held, flipped) == pytest.approx(truth, abs=six)
    assert abs(np.mean(model.predict(held) != flipped) - truth) > six
    equal = KernelMeanClassifier(kernel, noise_rate=(0.2, 0.2)).fit(x, noisy)
    single = KernelMeanClassifier(kernel, noise_rate=0.2).fit(x, noisy)
    assert equal.corrected_risk(held, flipped) == single.corrected_risk(held, flipped)
    with pytest.raises(ValueError, match=r"noise_rate must be a number .* with 3 classes"):
        KernelMeanClassifier(kernel, noise_rate=(0.1, 0.2)).fit(x, np.arange(500) % 3)


@pytest.mark.parametrize("rates", [0.2, (0.1, 0.35)])
@pytest.mark.parametrize("method", ["herding", "projection", "nearest_centre"])
@pytest.mark.parametrize(
    ("kernel", "normalise"), [(Gaussian(1.0), False), (Polynomial(3, 1.0), "largest")]
)
def test_the_risk_of_a_compressed_model_is_over_the_whole_sample(
    data, kernel, normalise, method, rates
):
    x, y, _ = data
    model = KernelMeanClassifier(kernel, normalise=normalise, noise_rate=rates).fit(x, y > 0)
    loss = corrected(LinearLoss(), rates)
    fewer = model.compress(8, method)
    for some in (model, fewer, fewer.compress(5, method), fewer.compress(5)):
        unit = some.decision_function(x) / some.self_similarity()
        risk = loss.value(np.where(y > 0, 1, -1), unit).mean()
        assert some.corrected_linear_risk() == pytest.approx(risk, abs=1e-9)
    assert abs(model.corrected_linear_risk() - fewer.corrected_linear_risk()) > 1e-6


def test_compressed_scores_move_with_the_norm_of_the_feature():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((200, 3))
    model = KernelMeanClassifier("polynomial", normalise="largest").fit(x, x[:, 0] > 0)
    fewer, far = model.compress(10), 10 * x
    moved = np.abs(fewer.decision_function(far) - model.decision_function(far))
    norms = np.sqrt(model.kernel_.diagonal(far) / model.scale_)
    assert np.all(moved <= norms * fewer.compression_error_ + 1e-12)
    assert moved.max() > fewer.compression_error_


def test_atoms_of_negative_weight_keep_it_when_compressed_again():
    x, y = load_digits(return_X_y=True)
    x, y = x[:600] / 16, y[:600]
    for classes in (y, y % 2):
        model = KernelMeanClassifier(Gaussian(4.0)).fit(x, classes)
        first = model.compress(150, "projection")
        assert classes is not y or np.any(first._alpha < 0)
        second = first.compress(150, "projection")
        # The same atoms span the same mean, up to the rounding of an ill-conditioned solution.
        assert np.max(second.compression_error_) < 1e-7


@pytest.mark.parametrize("kernel", ["gaussian", "laplace", "linear", "polynomial"])
@pytest.mark.parametrize("thin", [False, True])
def test_a_fitted_model_does_not_look_at_the_callers_rows(data, kernel, thin):
    x, y, queries = data
    x = x.copy()
    if thin and kernel in ("laplace", "polynomial"):
        pytest.skip("dense rows only")
    rows = sparse.csr_matrix(x) if thin else x
    model = KernelMeanClassifier(kernel, normalise=True).fit(rows, y > 0)
    before = model.decision_function(queries)
    if thin:
        rows.data *= 0
    else:
        rows *= 0
    np.testing.assert_array_equal(model.decision_function(queries), before)


def test_several_kernels_answer_as_the_one_chosen(data):
    x, _, queries = data
    several = MultipleKernelMean([Gaussian(0.5), Gaussian(2.0)], noise_rate=(0.1, 0.2))
    above = x[:, 0] > 3
    noisy = above ^ (np.random.default_rng(0).random(700) < np.where(above, 0.2, 0.1))
    several.fit(x, noisy)
    chosen = KernelMeanClassifier(several.best_estimator_.kernel_, noise_rate=(0.1, 0.2))
    chosen.fit(x, noisy, several.best_estimator_.weights_)  # classes count alike
    labels = np.arange(len(queries)) % 2 > 0
    for call in (
        lambda m: m.self_similarity(), lambda m: m.corrected_linear_risk(),
        lambda m: m.margins(queries, labels), lambda m: m.margin_for_error(queries, labels),
        lambda m: m.corrected_risk(queries, labels),
        lambda m: m.compress(20).decision_function(queries),
        lambda m: m.compress(9, "clustered", rng=np.random.default_rng(0)).compression_error_,
    ):
        np.testing.assert_allclose(call(several), call(chosen), rtol=1e-12, atol=1e-15)


def test_the_longest_mean_is_chosen(data):
    x, y, queries = data
    kernels: list[Kernel] = [Gaussian(s) for s in (0.1, 1.0, 10.0)]
    model = MultipleKernelMean(kernels, choice="longest").fit(x, y == 0)
    norms = [KernelMeanClassifier(k).fit(x, y == 0).self_similarity() for k in kernels]
    assert model.best_index_ == int(np.argmax(norms))
    assert np.allclose(model.similarities_, norms)
    chosen = KernelMeanClassifier(kernels[model.best_index_]).fit(x, y == 0)
    assert np.array_equal(model.predict(queries), chosen.predict(queries))


@pytest.mark.parametrize("kernel", [Gaussian(1.5), Laplace(2.0)], ids=lambda k: type(k).__name__)
def test_compressed_scores_move_by_no_more_than_the_error(data, kernel):
    x, y, queries = data
    model = KernelMeanClassifier(kernel).fit(x, y > 0)
    fewer = model.compress(40)
    assert len(fewer.weights_) <= 40
    moved = np.abs(fewer.decision_function(queries) - model.decision_function(queries))
    assert 0 < moved.max() <= fewer.compression_error_
    assert abs(fewer.self_similarity() - model.self_similarity()) <= fewer.compression_error_
    assert len(model.weights_) == len(x)
    everything = model.compress(
        len(x), lambda kernel, points, alpha, k: SimpleNamespace(
            indices=np.arange(k), weights=alpha, error=0.0
        )
    )
    assert np.allclose(everything.decision_function(queries), model.decision_function(queries))


@pytest.mark.parametrize(
    ("x", "y", "weight", "message"),
    [
        ([[0.0], [1.0]], [1, 1], None, "at least two classes, got only one class: 1"),
        ([[0.0], [1.0]], [0.1, 0.2], None, "Unknown label type"),
        ([[0.0], [np.nan]], [0, 1], None, "contains NaN"),
        ([[0.0], [np.inf]], [0, 1], None, "contains infinity"),
        ([[0.0], [1.0]], [0, 1], [0, 0], "zero"),
        ([[0.0], [1.0]], [0, 1], [0, 2], "no weight on 0"),
        ([[0.0], [1.0]], [0, 1], [-1, 2], "Negative values"),
        ([[0.0], [1.0]], [0, 1], [np.nan, 2], "NaN"),
    ],
)
@pytest.mark.parametrize("model", [KernelMeanClassifier(), MultipleKernelMean()], ids=repr)
def test_bad_samples_are_refused(model, x, y, weight, message):
    with pytest.raises(ValueError, match=message):
        model.fit(x, y, weight)


@pytest.mark.parametrize("method", ["margins", "margin_for_error", "corrected_risk"])
def test_labels_to_judge_by_fit_the_model(data, method):
    x, y, _ = data
    model = KernelMeanClassifier(noise_rate=0.1).fit(x, y > 0)
    for labels, message in (
        (y[:5] > 0, "as long as X"), (y[:, None] > 0, "as long as X"), (y + 7, "hold the classes")
    ):
        with pytest.raises(ValueError, match=message):
            getattr(model, method)(x, labels)
    if method != "corrected_risk":
        with pytest.raises(ValueError, match="needs two classes, got 3"):
            getattr(KernelMeanClassifier(noise_rate=0.1).fit(x, y), method)(x, y)


def test_no_margin_where_no_point_is_correct():
    model = KernelMeanClassifier("linear").fit([[1.0], [-1.0]], [1, 0])
    assert model.margin_for_error([[1.0], [-1.0]], [0, 1]) == np.inf


def test_sparse_rows_for_several_kernels(data):
    x, y, queries = data
    kernels = [Gaussian(2.0), Normalised(Linear())]
    thin = MultipleKernelMean(kernels, choice="longest").fit(sparse.csr_matrix(x), y)
    dense = MultipleKernelMean(kernels, choice="longest").fit(x, y)
    assert np.allclose(thin.similarities_, dense.similarities_)
    scores = thin.decision_function(sparse.csr_matrix(queries))
    assert np.allclose(scores, dense.decision_function(queries))


@pytest.mark.parametrize("kernel", [Gaussian(1.5), Normalised(Polynomial(2, 1.0))], ids=repr)
@pytest.mark.parametrize("method", ["herding", "projection", "clustered"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_several_classes_are_compressed_together(data, kernel, method, dtype):
    x, queries = data[0].astype(dtype), data[2].astype(dtype)
    y = np.digitize(x[:, 0] - x[:, 1], (-0.7, 0.7))
    names = np.array(["ash", "beech", "cedar"])
    model = KernelMeanClassifier(kernel).fit(x, names[y])
    options = {"rng": np.random.default_rng(0)} if method == "clustered" else {}
    fewer = model.compress(60, method, **options)
    assert len(fewer.weights_) <= (119 if method == "clustered" else 60)
    # The distance of the means, class by class, from the Gram matrix of everything.
    signs = np.where(y[:, None] == np.arange(3), 1, -1) / len(x)
    both = np.concatenate([model.points_, fewer.points_]).astype(float)
    moved = np.concatenate([signs, -fewer._signed])
    squares = np.sum(moved * (kernel(both) @ moved), axis=0)
    error, rounding = fewer.compression_error_, 4 * np.finfo(dtype).eps
    np.testing.assert_allclose(error**2, squares, rtol=0, atol=rounding)
    scores = model.decision_function(queries)
    assert np.all(np.abs(fewer.decision_function(queries) - scores) <= error + 8 * rounding)
    # Where the best class leads by more than the errors of two, the prediction stays.
    lead = np.diff(np.sort(scores, axis=1)[:, 1:], axis=1)[:, 0]
    clear = lead > np.sort(error)[1:].sum() + 16 * rounding
    assert method != "projection" or clear.any()
    assert np.array_equal(fewer.predict(queries)[clear], model.predict(queries)[clear])
    again = fewer.compress(20)
    assert len(again.weights_) <= 20 and again.compression_error_.shape == (3,)


@pytest.mark.parametrize("kernel", [Gaussian(1.0), Linear(), Normalised(Linear())], ids=repr)
def test_labelled_features_are_traversed_by_their_distances(kernel):
    rng = np.random.default_rng(0)
    n, m = 5000, 40
    x, y = rng.standard_normal((n, 3)), rng.integers(0, 4, n)
    found = farthest_first(Labelled(kernel, 4), np.column_stack([x, y]), m)
    power, nearest, cells, centres = kernel.diagonal(x), np.full(n, np.inf), np.zeros(n, int), []
    for cell in range(m):
        centres.append(int(nearest.argmax()))
        row = kernel(x[centres[-1:]], x)[0] * np.where(y == y[centres[-1]], 1.0, -1 / 3)
        squares = power + power[centres[-1]] - 2 * row
        cells[squares < nearest - 1e-12] = cell
        nearest = np.minimum(nearest, squares)
    assert found.centres.tolist() == centres
    np.testing.assert_array_equal(found.cells, cells)


def test_two_classes_among_labelled_features_are_signs():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((50, 2)), rng.integers(0, 2, 50)
    signs = 2 * y - 1
    labelled = Labelled(Gaussian(1.0), 2)(np.column_stack([x, y]))
    np.testing.assert_allclose(labelled, Gaussian(1.0)(x) * np.outer(signs, signs))
    plain = herding(Gaussian(1.0), x, signs / 50, 10)
    coded = herding(Labelled(Gaussian(1.0), 2), np.column_stack([x, y]), np.full(50, 0.02), 10)
    np.testing.assert_array_equal(plain.indices, coded.indices)
    np.testing.assert_allclose(plain.errors, coded.errors)


def test_compression_refuses_what_it_cannot_do(data):
    x, y, _ = data
    with pytest.raises(ValueError, match="one weight vector"):
        KernelMeanClassifier("linear", normalise=True).fit(x, y > 0).compress(5)
    for method in ("magic", "farthest_first", "clustered_error", 3):
        with pytest.raises(ValueError, match=r"method must be callable or one of .*herding"):
            KernelMeanClassifier().fit(x, y > 0).compress(5, method)
    for k in (0, -1, 2.5, True):
        with pytest.raises(ValueError, match="k must be a whole number"):
            KernelMeanClassifier().fit(x, y).compress(k)
    with pytest.raises(ValueError, match="a Kernel"):
        KernelMeanClassifier(lambda a, b: np.exp(-abs(a - b.T))).fit(x[:, :1], y).compress(5)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("method", ["herding", "projection", "clustered", "nearest_centre"])
def test_sparse_rows_are_compressed_as_dense_ones_are(classes, method):
    rng = np.random.default_rng(0)
    x = sparse.random_array((300, 60), density=0.1, format="csr", rng=rng)
    y = rng.integers(0, classes, 300)
    found = []
    for rows in (x, x.toarray()):
        options = {"rng": np.random.default_rng(1)} if method == "clustered" else {}
        model = KernelMeanClassifier(Gaussian(1.0)).fit(rows, y)
        found.append((model.compress(12, method, **options), model.decision_function(x)))
    (thin, whole), (dense, _) = found
    assert sparse.issparse(thin.points_)
    np.testing.assert_allclose(thin.weights_, dense.weights_, atol=1e-9)
    np.testing.assert_allclose(thin.compression_error_, dense.compression_error_, atol=1e-7)
    np.testing.assert_allclose(thin.decision_function(x), dense.decision_function(x), atol=1e-9)
    assert np.abs(thin.decision_function(x) - whole).max() <= np.max(thin.compression_error_)
    assert len(thin.compress(5).weights_) <= 5


@pytest.mark.parametrize("classes", [2, 3])
def test_compression_to_a_tolerance_is_asked_for_by_name(data, classes):
    x, y, _ = data
    model = KernelMeanClassifier(Gaussian(1.5)).fit(x[:200], y[:200] % classes)
    for method in ("recursive_herding", "clustered_to_tolerance"):
        with pytest.raises(ValueError, match="takes a tolerance, not a number of atoms: leave k"):
            model.compress(40, method, rounds=2)
        with pytest.raises(ValueError, match="takes a tolerance"):
            model.compress(method=method)
    with pytest.raises(ValueError, match=r"clustered_to_tolerance needs delta=, rng="):
        model.compress(method="clustered_to_tolerance", tolerance=0.3)
    with pytest.raises(ValueError, match=r"^map_reduce needs parts=$"):
        model.compress(10, "map_reduce")
    with pytest.raises(ValueError, match="k must be a whole number"):
        model.compress()
    found = model.compress(method="recursive_herding", tolerance=0.05, rounds=2)
    assert np.max(found.compression_error_) <= 0.1 * (1 if classes == 2 else 2)
    assert len(found.weights_) < 200


def test_exported_lazily():
    import noisytheory as nt

    assert nt.KernelMeanClassifier is KernelMeanClassifier


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("again", ["gaussian", "linear"])
def test_nothing_of_a_compressed_model_outlives_the_next_fit(classes, again):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)) / 10, np.arange(30) % classes
    model = KernelMeanClassifier("gaussian", noise_rate=0.1 if classes == 2 else None).fit(X, y)
    small = model.compress(5)
    small.self_similarity()
    assert "compression_error_" in vars(small)
    small.set_params(kernel=again).fit(X[:20], y[:20])
    fresh = KernelMeanClassifier(**small.get_params()).fit(X[:20], y[:20])
    assert vars(small).keys() == vars(fresh).keys()
    for name, value in vars(fresh).items():
        assert np.array_equal(getattr(small, name), value), name
    # The other way, and the model that was compressed is left alone.
    small.set_params(kernel="gaussian").fit(X, y)
    assert vars(small).keys() == vars(model).keys() and not hasattr(small, "coef_")


def test_a_fit_that_fails_leaves_no_old_one():
    model = KernelMeanClassifier("linear").fit([[0.5], [-0.5]], [1, 0])
    with pytest.raises(ValueError, match="at least two classes"):
        model.fit([[0.5], [-0.5]], [1, 1])
    with pytest.raises(NotFittedError):
        model.predict([[0.5]])
