"""The learners from noisy copies: scikit-learn's contract, the definition, clear errors."""

from __future__ import annotations

import contextlib
import math

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

import noisytheory as nt
from noisytheory import online
from noisytheory.learners import NoisyKernelClassifier, NoisyKernelRegressor
from noisytheory.vocabulary.analytic import (
    AnalyticLoss,
    SmoothedAbsolute,
    SmoothedHinge,
    SquaredLoss,
)
from noisytheory.vocabulary.dot_products import BinomialProduct, LinearProduct
from noisytheory.vocabulary.instance_noise import InstanceNoise


class Logistic(AnalyticLoss):
    """ln(1 + e^-a); the series of its derivative ends at pi."""

    form, name = "classification", "logistic"

    def at(self, a):
        return np.logaddexp(0, -a)

    def slope(self, a):
        return -1 / (1 + np.exp(a))

    def coefficients(self, count):
        raise NotImplementedError

    def majorant(self, a):
        return np.where(a < np.pi, (1 + np.tan(np.minimum(a, 3.14159) / 2)) / 2, np.inf)


def array_api_is_off(estimator):
    return {"check_array_api_input": "skipped unless SCIPY_ARRAY_API is set, which warns"}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.EstimatorCheckFailedWarning")
@pytest.mark.filterwarnings("ignore:the target's mean")
@parametrize_with_checks(
    [
        NoisyKernelClassifier(random_state=0),
        NoisyKernelClassifier("quadratic", random_state=0),
        NoisyKernelRegressor(random_state=0),
    ],
    expected_failed_checks=array_api_is_off,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.fixture
def measured():
    rng = np.random.default_rng(3)
    clean = rng.uniform(-1, 1, (600, 3))
    y = np.where(clean @ [1.0, -1.0, 0.5] > 0, "yes", "no")
    return clean, clean[:, None] + rng.normal(0, 0.5, (600, 6, 3)), y


def test_a_fixed_number_of_copies_is_used(measured):
    clean, copies, y = measured
    model = NoisyKernelClassifier("quadratic", random_state=1).fit(copies, y)
    assert set(model.queries_) == {4}
    assert (model.predict(clean) == y).mean() > 0.85


def test_predictions_are_those_of_the_definition(measured):
    """The average over rounds of the scores of each round's predictor, rebuilt from scratch."""
    clean, copies, y = measured
    some = slice(0, 40)
    whole = NoisyKernelClassifier(random_state=1, step=0.5).fit(copies[some], y[some])
    scores = []
    for t in range(40):
        run = whole._runs[0]
        score = np.zeros(5)
        for degree, terms in run.expansion.terms(clean[:5]).items():
            bucket = run.expansion.buckets[degree]
            early = bucket.rounds[: bucket.count] < t
            score += run.scales[t] * (bucket.weights[: bucket.count] * early) @ terms
        scores.append(score)
    np.testing.assert_allclose(np.mean(scores, axis=0), whole.decision_function(clean[:5]),
                               rtol=1e-12, atol=1e-13)


def test_in_parts_is_the_same_as_at_once_for_fixed_degrees(measured):
    """With fixed degrees nothing is random, so the parts must add up exactly."""
    clean, copies, y = measured
    one = NoisyKernelClassifier(random_state=1).fit(copies[:300], y[:300])
    two = NoisyKernelClassifier(random_state=2)
    for part in np.split(np.arange(300), 5):
        two.partial_fit(copies[part], y[part], classes=["no", "yes"])
    np.testing.assert_allclose(
        two.decision_function(clean), one.decision_function(clean), rtol=1e-10
    )
    assert two.n_rounds_ == 300


def test_regret_stays_below_the_bound_it_shows(measured):
    clean, copies, y = measured
    model = NoisyKernelClassifier("linear", Bw=1.0, step="theory", Bx=4.0, random_state=0)
    model.fit(copies, y)
    assert -np.inf < model.regret(clean, y) < model.regret_bound() < np.inf
    by_hand = math.sqrt(1.0 * (2 * (1 + math.sqrt(4.0))) ** 2 * 4.0 * 600)
    assert model.regret_bound() == pytest.approx(by_hand, rel=1e-12)
    # Clipping changes what is learnt, and ends the promise about the mean.
    short = NoisyKernelClassifier("linear", Bw=1.0, step="theory", Bx=4.0, clip=0.5, random_state=0)
    short.fit(copies, y)
    assert short.regret_bound() == math.inf
    assert 0 < short._runs[0].squares <= 0.25 * 600 < model._runs[0].squares


def test_a_regret_that_is_not_known_well_is_told(measured, monkeypatch):
    clean, copies, y = measured
    model = NoisyKernelClassifier("linear", random_state=0).fit(copies, y)
    known = model.regret(clean, y)
    monkeypatch.setattr("noisytheory.learners.noisy_kernel.regret_of", lambda *_: (known, known))
    with pytest.warns(ConvergenceWarning, match="may be larger by up to"):
        assert model.regret(clean, y) == known


def test_an_oracle_will_do(measured):
    clean, _, y = measured
    oracle = online.NoisyOracle(clean, InstanceNoise("student", 0.2))
    model = NoisyKernelClassifier("exponential", p=2.0, random_state=0).fit(oracle, y)
    assert oracle.calls.sum() == model.queries_.sum()
    mean = nt.online.expected_queries(2.0)
    assert abs(model.queries_.mean() - mean) < 6 * math.sqrt(6 / 600)


def test_an_oracle_without_all_that_is_needed(measured):
    clean, copies, y = measured
    oracle = online.NoisyOracle(clean, InstanceNoise("gaussian", 0.2))

    class Bare:
        take = oracle.take

    class Silent(Bare):
        x = clean

    for model in (NoisyKernelClassifier("linear"), NoisyKernelRegressor("linear")):
        labels = y if isinstance(model, NoisyKernelClassifier) else clean[:, 0]
        for bare in (Bare(), Silent(), online.RecordedCopies(copies)):
            with pytest.raises(TypeError, match=r"Bx must be given, or .* `noise.variance`"):
                model.fit(bare, labels)
        for bare in (Bare(), Silent(), online.RecordedCopies(copies)):
            model.set_params(Bx=4.0).fit(bare, labels)
            assert (model.Bx_, model.n_features_in_, model.n_rounds_) == (4.0, 3, 600)
        model.set_params(Bx=None)
    assert NoisyKernelClassifier("linear").fit(oracle, y).Bx_ == pytest.approx(
        np.square(clean).sum(axis=1).max() + 0.2)


def test_take_alone_is_the_same_as_the_recorded_copies(measured):
    clean, copies, y = measured
    bare = NoisyKernelClassifier("quadratic", Bx=6.0).fit(online.RecordedCopies(copies), y)
    array = NoisyKernelClassifier("quadratic", Bx=6.0).fit(copies, y)
    np.testing.assert_array_equal(bare.decision_function(clean), array.decision_function(clean))
    assert bare.regret_bound() == array.regret_bound()

    class Answers:
        def __init__(self, give):
            self.give = give

        def take(self, rounds, *, rng):
            return self.give(rounds)

    with pytest.raises(ValueError, match="3 features, as before, got 2"):
        bare.partial_fit(Answers(lambda rounds: clean[rounds, :2]), y)
    bare.fit(Answers(lambda rounds: clean[rounds, :2]), y)
    assert bare.n_features_in_ == 2
    for give, message in ((lambda rounds: clean[:1], r"shape \(1200, d\), got shape \(1, 3\)"),
                          (lambda rounds: np.nan * clean[rounds], "finite copies")):
        with pytest.raises(ValueError, match=message):
            bare.fit(Answers(give), y)


def test_a_frame_with_a_column_x_is_no_oracle(measured):
    pd = pytest.importorskip("pandas")
    clean, _, y = measured
    frame = pd.DataFrame(clean, columns=["x", "y", "z"])
    model = NoisyKernelClassifier("linear", random_state=0).fit(frame, y)
    plain = NoisyKernelClassifier("linear", random_state=0).fit(clean, y)
    np.testing.assert_array_equal(model.decision_function(frame), plain.decision_function(clean))


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"p": 1.0}, "p must be a finite number > 1"),
        ({"p": 0.5}, "p must be"),
        ({"p": "beast"}, "p must be best, importance, None or"),
        ({"coupled": "yes"}, "coupled must be one of True, False"),
        ({"kernel": "exponential"}, "kernel must be a polynomial"),
        ({"kernel": "nonsense"}, "kernel must be one of"),
        ({"loss": SquaredLoss(0.0, "regression")}, "loss must be one of"),
        ({"kernel": BinomialProduct(1.0), "p": 2.0, "Bx": 0.9}, r"p must be below 1\.11111"),
        ({"p": 2.0, "coupled": False}, "round .* needs .* copies"),
        ({"Bw": 0.0}, "Bw must be"),
        ({"loss": SmoothedAbsolute(1.0, "classification")}, "loss must fall at 0"),
        ({"cap": "sometimes"}, "cap must be"),
        ({"kernel": "exponential", "p": 3.0, "loss": "exponential", "Bx": 60.0, "step": "theory"},
         "the majorant of the loss"),
        ({"kernel": "gaussian", "loss": "smoothed hinge", "p": "best", "Bw": 1.0, "Bx": 1.0},
         "Bx and Bw must"),
        ({"kernel": "gaussian", "p": 2.0, "Bx": 1000.0}, "Bx must be smaller, got 1000"),
        ({"kernel": "exponential", "p": 50.0, "Bx": 30.0}, r"p must be below 23\.\d+, got 50"),
        ({"kernel": "linear", "loss": Logistic(), "p": 1.1, "step": "theory", "Bw": 1.2, "Bx": 1.0,
          "coupled": False}, r"between 1\.22171 and 2\.05471, got 1\.1: the majorant .* at 3\.9"),
    ],
)
def test_bad_input_says_what_is_wrong(measured, parameters, message):
    _, copies, y = measured
    with pytest.raises(ValueError, match=message):
        NoisyKernelClassifier(random_state=0, **parameters).fit(copies / 4, y)


def test_other_refusals(measured):
    clean, copies, y = measured
    with pytest.raises(ValueError, match="By must be a bound"):
        NoisyKernelRegressor(step="theory").fit(copies, clean[:, 0])
    with pytest.raises(ValueError, match="y must be at most By"):
        NoisyKernelRegressor(By=0.1).fit(copies, clean[:, 0])
    within = NoisyKernelRegressor("linear", By=1.0).fit(copies, np.zeros(len(copies)))
    with pytest.raises(ValueError, match="y must be at most By"):
        within.regret(clean, np.full(len(clean), 2.0))
    with pytest.raises(ValueError, match="classes must be given"):
        NoisyKernelClassifier().partial_fit(copies, y)
    model = NoisyKernelClassifier().fit(copies, y)
    with pytest.raises(ValueError, match="3 features"):
        model.predict(clean[:, :2])
    for clean_, y_ in ((clean[:10], y[:10]), (clean, y[:10])):
        with pytest.raises(ValueError, match="clean instance and the label of each of the 600"):
            model.regret(clean_, y_)
    with pytest.raises(ValueError, match="the clean instances"):
        model.regret(copies, y)
    with pytest.raises(ValueError, match="y must hold the classes"):
        model.regret(clean, np.arange(600))
    with pytest.raises(ValueError, match="rounds must be below 10"):
        model.set_params(Bx=4.0).fit(online.RecordedCopies(copies[:10]), y)


def test_admissible_p_of_a_loss_whose_series_ends():
    """Linear kernel: Bw Bx < pi^2 (p - 1) / p^3, at p = 3/2 at most; coupled p^2 Bw Bx < pi^2."""
    roots = np.sort(np.roots([1.2 / np.pi**2, 0, -1, 1]))[1:]
    found = online.admissible_p(1.2, 1.0, LinearProduct(), Logistic())
    assert found == pytest.approx(tuple(roots), rel=1e-9)
    most = np.pi**2 * 0.5 / 1.5**3
    low, high = online.admissible_p(most * (1 - 1e-9), 1.0, LinearProduct(), Logistic())
    assert 1.499 < low < 1.5 < high < 1.501
    with pytest.raises(ValueError, match=r"the majorant of the loss logistic .* p = 1\.5"):
        online.admissible_p(most * (1 + 1e-9), 1.0, LinearProduct(), Logistic())
    coupled = online.admissible_p(1.2, 1.0, LinearProduct(), Logistic(), coupled=True)
    assert coupled == pytest.approx((1.0, np.pi / math.sqrt(1.2)), rel=1e-9)
    assert roots[0] < online.best_p(1.2, 1.0, LinearProduct(), Logistic()) < roots[1]


@pytest.mark.parametrize(
    "kernel, loss, parameters, promises",
    [
        ("exponential", "exponential", {"p": 2.0, "Bx": 5.0}, False),
        ("linear", "smoothed hinge", {"p": "best", "Bw": 1.0}, True),
        ("gaussian", "squared", {"p": "best", "Bw": 1.0}, True),
    ],
)
def test_constants_too_large_for_a_number_do_not_stop_an_adaptive_step(
    measured, kernel, loss, parameters, promises
):
    clean, _, y = measured
    oracle = online.NoisyOracle(clean, InstanceNoise("gaussian", 0.1))
    model = NoisyKernelClassifier(kernel, loss, random_state=0, **parameters)
    with contextlib.nullcontext() if promises else pytest.warns(
        ConvergenceWarning,
        match=r"no regret bound holds: p must be below 1\.\d+, got 2: the majorant .* at 663"
    ):
        model.fit(oracle, y)
    assert model.p_ > 1 and math.isfinite(model.Bpsi_)
    assert math.isfinite(model.Bg_) == promises == math.isfinite(model.regret_bound())
    if promises:
        by_hand = math.log(8 * model.Bw * 600) + math.log(model.Bg_) + math.log(model.Bpsi_)
        assert math.log(model.regret_bound()) == pytest.approx(by_hand / 2, rel=1e-12)
    model.Bpsi_ = math.inf
    assert model.regret_bound() == math.inf


def test_a_loss_whose_series_ends_too_early_is_warned_of(measured):
    """Logistic loss at 8.5, beyond pi: whatever the step, unless gradients are clipped."""
    _, copies, y = measured

    class Counted(Logistic):
        def coefficients(self, count):
            return np.array([-0.5, 0.25])[np.minimum(np.arange(count), 1)] * (np.arange(count) < 2)

    chosen = {"p": 3.0, "Bx": 2.0, "Bw": 4.0, "cap": "skip", "random_state": 0}
    for step in ("adaptive", 0.1):
        model = NoisyKernelClassifier("linear", Counted(), step=step, **chosen)
        with pytest.warns(ConvergenceWarning, match=r"majorant of the loss logistic .* at 8\.485"):
            model.fit(copies, y)
        model.set_params(clip=1.0).fit(copies, y)


def test_a_bound_on_instances_that_the_data_break(measured):
    clean, copies, y = measured
    oracle = online.NoisyOracle(clean, InstanceNoise("gaussian", 0.2))
    largest = np.square(clean).sum(axis=1).max()
    mean = np.square(copies).sum(axis=2).mean()
    for x, broken, kept in ((copies, mean / 2, mean), (clean, largest - 0.01, largest),
                            (oracle, largest + 0.19, largest + 0.2)):
        model = NoisyKernelClassifier("linear", Bx=broken)
        with pytest.raises(ValueError, match="Bx must bound the mean square"):
            model.fit(x, y)
        model.set_params(Bx=kept).fit(x, y)


def test_skipping_is_counted_and_ends_the_promise(measured):
    _, copies, y = measured
    model = NoisyKernelClassifier(
        LinearProduct(), p=2.0, coupled=False, cap="skip", random_state=0
    ).fit(copies, y)
    r = 2 / 3
    expected = 600 * r**7
    assert abs(model.skipped_ - expected) < 6 * math.sqrt(expected)
    assert model.regret_bound() == math.inf and model.queries_.max() <= 6


@pytest.mark.parametrize("kernel", ["quadratic", "exponential", "gaussian"])
def test_importance_laws_have_the_smallest_second_moments_and_are_unbiased(kernel):
    """Of single-degree estimates; the mean of many scores is that of clean steps."""
    from noisytheory.learners.noisy_kernel import KERNELS
    from noisytheory.topics.online.maps import Scheme

    made, Bx = KERNELS[kernel], 0.5
    best = online.importance_laws(1.0, Bx, made, SquaredLoss(1.0))
    for p in (1.5, 2.0, 3.0):
        Bpsi, _ = online.second_moments(p, 1.0, Bx, made, SquaredLoss(1.0))
        assert best.Bpsi < Bpsi
    scheme = Scheme(made, best.maps, exponent=best.envelope)
    oracle = online.NoisyOracle(np.full((40_000, 1), 0.5), InstanceNoise("rademacher", 0.25))
    maps = scheme.estimate(np.arange(40_000), oracle, rng=np.random.default_rng(0))
    point, count = np.array([[0.6]]), int(maps.degrees.max()) + 1
    root = np.sqrt(made.coefficients(count)) * made.envelope(point)[0]
    products = np.array([maps.of(i)[2][:, 0].prod() for i in range(len(maps))])
    values = maps.weights * root[maps.degrees] * products * 0.6 ** maps.degrees
    exact = float(made.gram(np.array([[0.5]]), point)[0, 0])
    assert abs(values.mean() - exact) < 6 * values.std() / 200
    norms = maps.weights**2 * products**2
    assert norms.mean() < best.Bpsi + 6 * norms.std() / 200
    assert abs(oracle.calls.mean() * (1 + best.lengths.mean) - best.queries) < 0.1 * best.queries


def test_importance_degrees_are_an_option(measured):
    clean, _, y = measured
    oracle = online.NoisyOracle(0.5 * clean, InstanceNoise("gaussian", 0.1))
    model = NoisyKernelClassifier("exponential", p="importance", random_state=0).fit(oracle, y)
    assert model.score(0.5 * clean, y) > 0.7 and np.isfinite(model.regret_bound())
    assert model.queries_.mean() == pytest.approx(
        online.importance_laws(10.0, model.Bx_, model.kernel_, model.loss_).queries, rel=0.2)
    with pytest.raises(ValueError, match="Bw must be smaller"):
        NoisyKernelClassifier("exponential", SmoothedHinge(5.0), p="importance", Bw=1e4).fit(
            oracle, y)
    with pytest.raises(ValueError, match="copies must be"):
        NoisyKernelClassifier(copies=0).fit(oracle, y)


def test_the_bound_grows_with_what_later_parts_show(measured):
    clean, copies, _ = measured
    y = clean[:, 0]
    parts = NoisyKernelRegressor("linear", By=9.0, random_state=0).partial_fit(copies[:50], y[:50])
    first = parts.regret_bound()
    parts.partial_fit(3 * copies[50:100], 3 * y[50:100])
    one = NoisyKernelRegressor("linear", By=9.0, random_state=0).fit(
        np.concatenate([copies[:50], 3 * copies[50:100]]), np.concatenate([y[:50], 3 * y[50:100]]))
    assert parts.regret_bound() == pytest.approx(one.regret_bound()) and one.regret_bound() > first
    # Of labels that the data alone bound there is no promise, though there are constants.
    silent = NoisyKernelRegressor("linear", random_state=0).fit(copies[:50], y[:50])
    assert silent.Bg_ < one.Bg_
    with pytest.raises(ValueError, match=r"^By must be a bound on \|y\|"):
        silent.regret_bound()
    told = NoisyKernelRegressor("linear", step="theory", By=9.0, random_state=0)
    told.partial_fit(copies[:50], y[:50])
    assert np.isfinite(told.regret_bound())
    assert told.partial_fit(3 * copies[50:100], y[50:100]).regret_bound() == math.inf


def test_a_step_that_is_a_number_has_its_bound(measured):
    _, copies, y = measured
    shared = {"kernel": "linear", "Bw": 1.0, "Bx": 4.0, "random_state": 0}
    theory = NoisyKernelClassifier(step="theory", **shared).fit(copies, y)
    eta = 1 / math.sqrt(theory.Bg_ * theory.Bpsi_)
    same = NoisyKernelClassifier(step=eta, **shared).fit(copies, y)
    assert same.regret_bound() == pytest.approx(theory.regret_bound(), rel=1e-12)
    twice = NoisyKernelClassifier(step=2 * eta, **shared).fit(copies, y)
    assert twice.regret_bound() == pytest.approx(1.25 * theory.regret_bound(), rel=1e-12)
    twice.partial_fit(copies[:10], y[:10])
    by_hand = (1 + 2) * math.sqrt(theory.Bg_ * theory.Bpsi_ * 610)
    assert twice.regret_bound() == pytest.approx(by_hand, rel=1e-12)
    with pytest.raises(ValueError, match="step must be"):
        NoisyKernelClassifier(step="fast").fit(copies, y)


def test_of_several_classes_each_has_its_regret(measured):
    clean, copies, _ = measured
    y = np.arange(600) % 3
    model = NoisyKernelClassifier("linear", step="theory", Bx=4.0, random_state=0).fit(copies, y)
    found = model.regret(clean, y)
    assert found.shape == (3,)
    for i in range(3):
        one = NoisyKernelClassifier("linear", step="theory", Bx=4.0, random_state=0)
        assert found[i] == pytest.approx(one.fit(copies, y == i).regret(clean, y == i), rel=1e-9)


@pytest.mark.parametrize("first", [0, 10])
def test_without_a_horizon_the_theory_promises_what_is_true(first):
    """The hardest labels known for steps that fall, after none or some rounds of `fit`."""
    T = 200
    hard = online.hardest_labels(T, 1.0, shorter=True)
    x, y = np.abs(hard)[:, None], np.sign(hard)
    model = NoisyKernelClassifier("linear", "linear", Bw=1.0, Bx=1.0, step="theory")
    if first:
        model.fit(x[:first], y[:first])
        assert model.regret(x[:first], y[:first]) <= model.regret_bound() == math.sqrt(first)
    model.partial_fit(x[first:], y[first:], classes=[-1, 1])
    known = float(online.general_regret(T, 1.0, 1.0, 1.0))
    assert 1.1 * known < model.regret(x, y) <= model.regret_bound() == pytest.approx(3 * known)


def test_nested_lists_and_shapes(measured):
    clean, copies, y = measured
    lists = NoisyKernelClassifier(random_state=0).fit(copies[:40].tolist(), y[:40])
    arrays = NoisyKernelClassifier(random_state=0).fit(copies[:40], y[:40])
    np.testing.assert_array_equal(lists.decision_function(clean), arrays.decision_function(clean))
    with pytest.raises(ValueError, match="lists of different lengths"):
        lists.fit([[[1.0], [2.0]], [[1.0]]], [0, 1])
    with pytest.raises(ValueError, match=r"X must have shape \(n, copies, d\)"):
        lists.fit(copies[None], y)
    with pytest.raises(ValueError, match="the clean instances"):
        arrays.predict(copies)
    with pytest.raises(ValueError, match="Bx must be below 1"):
        NoisyKernelClassifier(BinomialProduct(1.0), p=2.0).fit(3 * copies, y)


def test_the_bound_of_averaged_copies_is_theirs():
    """Of an oracle the noise's share; of measurements the mean square of means of two of them."""
    rng = np.random.default_rng(0)
    x, y = rng.choice([-1.0, 1.0], size=(60, 2)), np.tile([0, 1], 30)
    oracle = online.NoisyOracle(x, InstanceNoise("gaussian", 2.0))
    model = NoisyKernelClassifier("linear", "linear", copies=4, random_state=0).fit(oracle, y)
    assert (model.Bx_, model.Bpsi_) == (2.5, 2.5)
    bound = online.promised_regret(60, model.Bw, model.Bg_, 2.5, "adaptive")
    assert model.regret_bound() == bound
    measured = x[:, None] + rng.normal(size=(60, 3, 2))
    model = NoisyKernelClassifier("linear", "linear", copies=2, random_state=0).fit(measured, y)
    means = [(measured[:, i] + measured[:, j]) / 2 for i in range(3) for j in range(i)]
    assert model.Bx_ == pytest.approx(np.square(means).sum(axis=2).mean(axis=0).max())
