"""Every public number of the topic refuses what lies outside of its hypotheses, and says what."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from noisytheory import online
from noisytheory.topics.online import adversaries, planning, prospects
from noisytheory.topics.online.adaptive import bounds as adaptive_bounds
from noisytheory.topics.online.chances import bounds as chance_bounds
from noisytheory.topics.online.copies import bounds as copy_bounds
from noisytheory.topics.online.estimates import bounds as estimate_bounds
from noisytheory.topics.online.features import bounds as feature_bounds
from noisytheory.topics.online.losses import bounds as loss_bounds
from noisytheory.topics.online.queries import bounds as query_bounds
from noisytheory.topics.online.regrets import bounds as regret_bounds
from noisytheory.vocabulary.analytic import (
    AffineLoss,
    ExponentialLoss,
    SeriesLoss,
    SmoothedAbsolute,
    SmoothedHinge,
    SquaredLoss,
)
from noisytheory.vocabulary.dot_products import (
    BinomialProduct,
    ExponentialProduct,
    GaussianProduct,
    LinearProduct,
)
from noisytheory.vocabulary.instance_noise import InstanceNoise
from noisytheory.vocabulary.sequences import Examples, constant, hard_labels

FITTING = {
    "T": 10, "M": 3, "z": 2, "n": 2, "m": 2, "d": 3, "p": 2.0, "Bw": 1.0, "Bx": 1.0, "By": 1.0,
    "Bg": 1.0, "Bpsi": 1.0, "Blabel": 1.0, "sigma2": 1.0, "delta": 0.1, "eta": 1.0, "G": 1.0,
    "c": -1.0, "s": 1.0, "a": 1.0, "variance": 1.0, "x": 0.5, "s2": 0.5, "J": 1.0, "low": -1.0,
    "high": 1.0, "K": 2, "k": 1.0, "kernel": LinearProduct(), "loss": AffineLoss(),
    "f": ExponentialLoss(), "step": "adaptive",
}
FUNCTIONS = [
    getattr(bounds, name)
    for bounds in (
        adaptive_bounds, chance_bounds, copy_bounds, estimate_bounds, feature_bounds, loss_bounds,
        query_bounds, regret_bounds,
    )
    for name in bounds.__all__
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_a_bound_names_what_it_refuses(function):
    names = inspect.signature(function).parameters
    fitting = {name: FITTING[name] for name in names}
    assert np.isfinite(float(function(**fitting)))
    for name in function.domains:
        nonsense = [np.nan, "a", None, *([1.0, 0.5] if name == "p" else []),
                    *([0, 2.5] if name == "T" else [])]
        for value in nonsense:
            with pytest.raises(ValueError, match=f"^{name} must be"):
                function(**{**fitting, name: value})


def test_a_step_that_no_learner_has():
    with pytest.raises(ValueError, match="step must be one of theory, adaptive, no horizon"):
        online.promised_regret(10, 1.0, 1.0, 1.0, "doubling")


def test_a_bound_broadcasts_and_keeps_names():
    import xarray as xr

    p = xr.DataArray([1.5, 2.0], dims="p", coords={"p": [1.5, 2.0]})
    T = xr.DataArray([10.0, 1000.0], dims="T")
    for loss in (SquaredLoss(1.0), SmoothedHinge(0.5)):
        found = online.regret(T, p, 1.0, 0.5, ExponentialProduct(), loss)
        assert set(found.dims) == {"p", "T"}
        single = online.regret(1000, 2.0, 1.0, 0.5, ExponentialProduct(), loss)
        assert float(found[1, 1]) == pytest.approx(float(single), rel=1e-12)


@pytest.mark.parametrize(
    "loss",
    [AffineLoss(), AffineLoss(0.0), SquaredLoss(0.0), ExponentialLoss(), SmoothedHinge(0.5),
     SmoothedAbsolute(0.5), SeriesLoss((0.0, 0.0, 3.0))],
    ids=lambda loss: loss.name,
)
def test_an_infinite_series_is_named_with_the_p_that_would_do(loss):
    """Of a number, and of the first such in an array."""
    import xarray as xr

    kernel = BinomialProduct(1)
    assert online.regret(100, 1.1, 1, 0.1, kernel, AffineLoss()) < np.inf
    with pytest.raises(ValueError, match=r"^(p|Bx and Bw) must .* kernel binomial"):
        online.step(2, 1, 0.6, kernel, loss, 1.0)
    for Bx in (0.5, np.array([0.1, 0.5, 0.6]), xr.DataArray([0.1, 0.6], dims="Bx")):
        with pytest.raises(ValueError, match=r"^p must be below \d.*, got 2: the series of the"):
            online.regret(100, 2, 1, Bx, kernel, AffineLoss())
    with pytest.raises(ValueError, match=r"^p must be below 2, got 3: the series of the kernel b"):
        online.regret(100, 3, 1, [0.1, 0.5], kernel, AffineLoss())
    with pytest.raises(ValueError, match=r"^p must be between 1\.\d+ and 5\.\d+, got 20: the maj"):
        online.regret(100, 20, 1.2e4, 0.1, ExponentialProduct(), ExponentialLoss())
    with pytest.raises(ValueError, match=r"^p, Bw and Bx must be smaller, got p = 2"):
        online.regret_gaussian(100, 2, 1, [1, 1e4], 1.0, loss, 1.0)
    assert online.squared_radius(2, 1, 0.6, kernel) == np.inf


PLANS = [
    online.admissible_p, online.best_p, online.first_useful_round, online.gradient_second_moment,
    online.importance_laws, online.regret, online.regret_gaussian, online.second_moments,
    online.step, online.trivial_regret,
]
NONSENSE = {
    "T": [0, 2.5], "p": [1.0, 0.5, -1.0], "Bw": [-1.0], "Bx": [-1.0], "By": [-5.0], "k": [-1.0],
}


@pytest.mark.parametrize("plan", PLANS, ids=lambda f: f.__name__)
def test_a_plan_names_what_it_refuses(plan):
    """A regression loss without a bound on its labels, too: nothing is true of them all."""
    names = inspect.signature(plan).parameters
    fitting = {name: FITTING[name] for name in names if name in FITTING}
    plan(**fitting)
    for name in set(names) & set(NONSENSE):
        for value in [*NONSENSE[name], np.nan, "a"]:
            with pytest.raises(ValueError, match=f"^{name} must be"):
                plan(**{**fitting, name: value})
    del fitting["By"]
    plan(**fitting)
    plan(**{**fitting, "loss": AffineLoss(1.0, "regression")})
    residual = {**fitting, "loss": SquaredLoss(0.0, "regression")}
    plan(**residual, By=1.0)
    with pytest.raises(ValueError, match=r"^By must be a bound on \|y\| for the regression loss"):
        plan(**residual)


RNG = np.random.default_rng(0)


def _ones(count, rng):
    return np.ones(count)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: prospects.copies_needed(ExponentialProduct(), AffineLoss()), "kernel must be"),
        (lambda: prospects.copies_needed(LinearProduct(), SmoothedHinge()), "loss must be"),
        (lambda: planning.second_moments(None, 1.0, 1.0, GaussianProduct(), AffineLoss()),
         "p must be a number"),
        (lambda: planning.best_p(1.0, 0.5, BinomialProduct(), AffineLoss(), budget=0.1),
         "budget must allow some p below 2, got 0.1"),
        (lambda: planning.best_p(1.0, 2.0, BinomialProduct(), AffineLoss(), budget=0.1),
         "^Bx must be below 1, the radius of convergence of the kernel binomial, alpha=1, got 2"),
        (lambda: prospects.first_useful_round(2.0, 1.0, 0.6, 1.0, BinomialProduct(), AffineLoss()),
         "^p must be below 1.66667, got 2: the series of the kernel binomial"),
        (lambda: prospects.first_useful_round(2, 1, 1, 1, LinearProduct(), AffineLoss(0.0)),
         "^loss must not be constant"),
        (lambda: planning.best_p(1.0, 1.0, BinomialProduct(), AffineLoss()), "^Bx must be below 1"),
        (lambda: online.Geometric(1.0), "p must be"),
        (lambda: online.Finite((0.0, 0.0)), "weights must be"),
        (lambda: online.Fixed(-1), "n must be a whole number >= 0, got -1"),
        (lambda: online.hardest_labels(-1, 1.0), "T must be"),
        *((lambda given=given: online.Rule(**{"Bw": 1.0, **given}), f"^{next(iter(given))} must be")
          for given in (*({name: bad} for name in ("Bw", "eta", "clip") for bad in (-1, np.nan)),
                        {"T": 0}, {"projection": "Printed"}, {"gradient": "foo"})),
        *((lambda given=given: online.PlainLearner(
            LinearProduct(), AffineLoss(), **{"Bw": 1.0, "eta": 1.0, "T": 2, **given}),
           f"^{next(iter(given))} must be")
          for given in ({"p": 1.0}, {"Bw": -1}, {"eta": np.nan}, {"T": 0},
                        {"projection": "Printed"}, {"gradient": "foo"})),
        *((lambda given=given: online.few_copies(
            constant(3), AffineLoss(), InstanceNoise(), online.Rule(1.0), rng=RNG,
            **{"copies": 1, "size": 1, **given}), f"^{next(iter(given))} must be")
          for given in ({"copies": 0}, {"copies": 5}, {"size": 0}, {"known": -1.0})),
        (lambda: online.replicate(constant(3), LinearProduct(), AffineLoss(), InstanceNoise(),
                                  online.Rule(1.0), p=2.0, size=0, rng=RNG), "^size must be"),
        (lambda: online.draw_tape(
            1, online.Scheme(LinearProduct(), online.Fixed(1)), online.Fixed(0),
            online.RecordedCopies(np.ones((1, 2, 1))), rng=RNG, cap="foo"), "^cap must be one of"),
        *((lambda f=f, bad=bad: f(bad), "must (be finite|have shape)") for f in (
            online.squared_norm, online.mean_product,
            lambda x: online.gram_matrix(LinearProduct(), x),
            lambda x: online.kernel_value(LinearProduct(), x, [[1.0]]),
            lambda x: online.kernel_value(LinearProduct(), [[1.0]], x),
        ) for bad in (np.full((2, 2, 1), np.nan), 1.0)),
        (lambda: online.kernel_value(LinearProduct(), [[np.nan]], [[1.0]]), "^x must be finite"),
        (lambda: online.kernel_value(LinearProduct(), [[1.0]], [[1.0, 2.0]]),
         "^x and z must have as many features, got 1 and 2"),
        (lambda: online.squared_norm([[1.0]]), "copies must be two or more"),
        (lambda: online.kernel_value(ExponentialProduct(), [[1.0]], [[1.0]]), "kernel must be"),
        (lambda: online.second_moment([1.0, 1.0], online.Finite((1.0,)), 1.0), "law must draw"),
        (lambda: online.second_moment_coupled([1.0, 1.0], online.Finite((1.0,)), 1.0, 0.5),
         "law must draw"),
        (lambda: online.second_moment_coupled([1.0], online.Fixed(0), 0.1, 0.5), "m must be"),
        *((lambda f=f: f([1.0, 1.0], online.Finite((1.0,)), _ones, size=2, rng=RNG), "law must dr")
          for f in (online.estimate, online.coupled_estimate)),
        *((lambda g=g: online.estimate(g, online.Fixed(0), _ones, size=2, rng=RNG), "gamma must be")
          for g in ([], [[1.0]], [1.0, np.nan])),
        *((lambda g=g: online.importance_law(g, 1.0), "gamma must")
          for g in ([], [[1.0]], [0.0, 0.0], [1.0, np.inf])),
        (lambda: online.estimate([1.0], online.Fixed(0), _ones, size=0, rng=RNG), "size must be"),
        (lambda: online.estimate([0.0, 1.0], online.Fixed(1), lambda count, rng: np.ones(3), size=2,
                                 rng=RNG), r"sample must give 2 numbers, got shape \(3,\)"),
        (lambda: online.debiased(np.exp, _ones, size=2, rng=RNG, decay=1.0), "decay must be"),
        (lambda: InstanceNoise("loud"), "law must be one of"),
        (lambda: InstanceNoise("gaussian", -1.0), "variance must be"),
        (lambda: hard_labels(0, 0.1, 1), "T must be"),
        (lambda: Examples("x", np.zeros((2, 1)), np.zeros(3)), "x and y must be"),
        (lambda: SeriesLoss(()), "gamma must be"),
        (lambda: SquaredLoss(1.0, "guessing"), "form must be one of"),
        (lambda: adversaries.lattice(2.0, 100), "T must be 8 times the square"),
        (lambda: online.adaptive_value(1.0, 100), "p must be"),
        (lambda: online.RecordedCopies(np.ones((3, 2))), r"copies must have shape .*\(3, 2\)"),
        (lambda: online.RecordedCopies([[[1.0]], [[1.0], [2.0]]]), "copies must"),
        (lambda: online.NoisyOracle(np.ones(3), InstanceNoise()), r"x must have shape .*\(3,\)"),
        (lambda: online.best_in_ball(np.ones((3, 2)), np.ones(3), AffineLoss(), 1.0),
         "gram must be square"),
        (lambda: online.best_in_ball(-np.ones((2, 2)), np.ones(2), AffineLoss(), 1.0),
         "gram must have squared norms on its diagonal, got -1"),
        (lambda: online.best_in_ball(np.ones((3, 3)), np.ones(2), AffineLoss(), 1.0),
         "gram must be square"),
    ],
)
def test_it_says_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_labels_of_a_classification_loss():
    odd = Examples("odd", np.ones((2, 1)), np.array([1.0, 0.5]))
    silent, rule, rng = InstanceNoise("none", 0.0), online.Rule(1.0), np.random.default_rng(0)
    with pytest.raises(ValueError, match="y must be -1 or 1"):
        online.replicate(odd, LinearProduct(), AffineLoss(), silent, rule, p=2.0, size=1, rng=rng)
    with pytest.raises(ValueError, match="y must be -1 or 1"):
        online.few_copies(odd, AffineLoss(), silent, rule, copies=1, size=1, rng=rng)
    scheme = online.Scheme(LinearProduct(), online.Fixed(1), coupled=True)
    tape = online.draw_tape(2, scheme, online.Fixed(0), online.RecordedCopies(np.ones((2, 1, 1))),
                            rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="y must be -1 or 1"):
        online.descend(tape, np.array([1.0, 0.5]), scheme, AffineLoss(), online.Fixed(0),
                       online.Rule(1.0))
    with pytest.raises(ValueError, match="y must have a label for each of 2 rounds, got 1"):
        online.descend(tape, np.ones(1), scheme, AffineLoss(), online.Fixed(0), online.Rule(1.0))
    with pytest.raises(ValueError, match="y must be -1 or 1"):
        online.regret_of([0.0, 0.0], [[1.0], [1.0]], [3, 0], LinearProduct(), AffineLoss(), 1.0)
    plain = online.PlainLearner(LinearProduct(), AffineLoss(), 1.0, 1.0, 2)
    with pytest.raises(ValueError, match="y must be -1 or 1"):
        plain.step(lambda: [1.0], 3.0, rng=np.random.default_rng(0))
    assert plain.alpha == []
    residual = online.PlainLearner(LinearProduct(), SquaredLoss(0.0, "regression"), 1.0, 1.0, 2)
    residual.step(lambda: [1.0], 3.0, rng=np.random.default_rng(0))
    for label in (np.inf, np.nan):
        with pytest.raises(ValueError, match="y must be finite"):
            residual.step(lambda: [1.0], label, rng=np.random.default_rng(0))
