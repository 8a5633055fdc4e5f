"""Every public formula and noise refuses what lies outside of its hypotheses, and says what."""

from __future__ import annotations

import inspect
import re
from fractions import Fraction

import numpy as np
import pytest

import noisytheory as nt
from noisytheory import concentration, kernel_mean, label_noise, noise, sparse, surrogates
from noisytheory.topics.sparse.checkerboard import bounds as miss_bounds
from noisytheory.topics.sparse.clusters import bounds as cluster_bounds
from noisytheory.topics.sparse.partitions import bounds as partition_bounds
from noisytheory.topics.sparse.rates import bounds as rate_bounds
from noisytheory.topics.sparse.subsampling import bounds as subsampling_bounds
from noisytheory.topics.surrogates.printed_table import bounds as printed_table_bounds
from noisytheory.vocabulary.kernels import (
    Gaussian,
    Laplace,
    Polynomial,
    expansion,
    rkhs_distance,
    rkhs_norm,
)
from noisytheory.vocabulary.losses import Hinge, LabelFreeSquare, Logistic, ZeroOne, corrected
from noisytheory.vocabulary.populations import (
    axes,
    axis,
    digits,
    long_servedio,
    mnist,
    two_gaussians,
)

MODULES = [
    concentration, kernel_mean, label_noise,
    noise, cluster_bounds, partition_bounds, miss_bounds, rate_bounds, subsampling_bounds,
    surrogates, printed_table_bounds,
]
# Names and switches take anything; they are no part of a hypothesis.
FREE = {"name", "any_rate", "below"}
CALLABLES = sorted(
    {f"{f.__module__}.{f.__name__}": f for module in MODULES for name in module.__all__
     if callable(f := getattr(module, name))}.items()
)

NAN, INF = float("nan"), float("inf")
NO_NUMBER = ["a", None, NAN, True, 1j, np.array(1j), 10**400, -(10**400)]
NO_SHARE = [-0.1, 1.1, *NO_NUMBER]
NO_RATE = [0.5, 0.6, *NO_SHARE, INF]
NO_LEVEL = [0, 1, *NO_SHARE]
NO_COUNT = [0, -1, 2.5, 0.5, *NO_NUMBER]
NO_SIZE = [-0.1, *NO_NUMBER]
NO_POSITIVE = [0, *NO_SIZE]
NO_FINITE = ["a", None, NAN, INF, 1j, 10**400]
NO_LOSS = [0, 2.5, "a", None]

# What fits, and what does not, by the argument's name.
ARGUMENTS: dict[str, tuple[object, list[object]]] = {
    "n": (12, NO_COUNT), "m": (3, NO_COUNT), "k": (4, NO_COUNT), "trials": (20, NO_COUNT),
    "classes": (3, [1, *NO_COUNT]), "clusters": (4, NO_COUNT), "draws": (8, NO_COUNT),
    "members": (5, NO_COUNT),
    "passes": (2, NO_COUNT), "size": (3, NO_COUNT), "steps": (50, NO_COUNT),
    "delta": (0.1, NO_LEVEL), "positive": (0.5, NO_LEVEL),
    "sigma": (0.1, NO_RATE), "least": (0.1, NO_RATE), "most": (0.3, NO_RATE),
    "alpha": (0.1, NO_SHARE), "beta": (0.2, NO_SHARE), "minus": (0.1, NO_SHARE),
    "plus": (0.2, NO_SHARE), "eta": (0.5, NO_SHARE), "zero": (1.0, NO_SHARE),
    "idle": (0.5, NO_SHARE), "mean": (0.3, NO_SHARE), "sigma_minus": (0.1, NO_SHARE),
    "sigma_plus": (0.2, NO_SHARE),
    "diameter": (1.0, NO_SIZE), "radius": (1.0, NO_SIZE), "variance": (1.0, NO_SIZE),
    "least_diameter": (1.0, NO_SIZE), "standard_errors": (0.5, NO_SIZE),
    "top_eigenvalue": (0.5, NO_SIZE), "squared_differences": (1.0, NO_SIZE),
    "norm": (0.5, NO_SIZE), "sample_norm": (0.5, NO_SIZE), "power": (1.0, NO_SIZE),
    "first": (1.0, NO_SIZE), "distance": (0.5, NO_SIZE), "regret": (0.5, NO_SIZE),
    "deviation": (0.2, NO_SIZE), "tolerance": (1e-9, NO_SIZE), "c": (2.0, NO_SIZE),
    "margin": (0.5, [1.1, *NO_POSITIVE]), "width": (0.5, NO_POSITIVE), "total": (1.0, NO_POSITIVE),
    "R": (30.0, [4, 0, -0.1, *NO_NUMBER]),
    "score": (0.5, [*NO_NUMBER, INF]), "risk": (0.5, [*NO_NUMBER, INF]),
    "error": (0.2, [*NO_NUMBER, INF]), "value": (0.3, [*NO_NUMBER, INF]),
    "rates": ([0.1, 0.2], [[rate] for rate in NO_RATE]),
    "matrix": ([[0.9, 0.1], [0.1, 0.9]], [0.5, "a", None, [], [[0.5, 0.6], [0, 1]], [[NAN]]]),
    "other": (axis(Fraction(1, 2)), [0.5, "a", None]),
    "second": ([0, 1, 1], [[0, 1, bad] for bad in ("a", None, NAN, INF)]),
    "x": ([[1.0, 0], [0, 1], [1, 1], [1, 0]], [
        0.5, "a", None, [], [[NAN, 1.0]] * 4, [[1j, 1.0]] * 4, [["1", "1"]] * 4,
    ]),
    "y": ([1, 1, -1, -1], [0, "a", None, [], [1, 1, 1, 0], [1, 1, 1, NAN]]),
    "weights": ([0.25] * 4, [0.5, "a", None, [], [0.25, 0.25, 0.25, NAN], [1, 1, 1, -0.1],
                             ["0.25"] * 4, [0.25j] * 4, [10**400, 0, 0, 0]]),
    "start": (0.0, [*NO_FINITE, []]),
    "loss": (Logistic(), NO_LOSS),
    "rng": (None, [0, "a", None]),
    "column": ("linear", [0.5, "a", None]), "cut": (1e-6, NO_LEVEL),
    "population": (axis(Fraction(1, 2)), [0.5, "a", None]),
    "lines": ([[-1, 1], [0, 0]], [0.5, "a", None, [], [-1, 1], [[-1, 1, 0]], [[NAN, 1]]]),
}
# Where a name means something else.
OWN: dict[str, dict[str, tuple[object, list[object]]]] = {
    **{f: {"positive": ([1.0, 2.0], [*NO_FINITE, []]), "negative": ([0.0, 1.0], [*NO_FINITE, []])}
       for f in ("auc", "balanced_error")},
    **{f: {"first": ([0, 0, 1], [[bad, 1, 1] for bad in ("a", None, NAN, INF)])}
       for f in ("affine_relation", "reversed_pair", "reversed_pair_exact")},
    **{f: {"sigma": (0.1, NO_SHARE)}
       for f in ("Contamination", "contaminated_distance", "worst_score")},
}
# Each fits by itself; together they do not.
TOGETHER = [
    (surrogates.instance_noise_factor, {"least": 0.3, "most": 0.1}, "least"),
    (surrogates.instance_noise_factor, {"least": [0.1, 0.3], "most": 0.2}, "least"),
    (surrogates.noise_of_contamination, {"alpha": 0.6, "positive": 0.5}, "positive"),
    (surrogates.contamination_of_noise, {"minus": 0, "plus": 1}, "minus, plus"),
    (noise.ClassConditionalFlip, {"sigma_minus": 0.5, "sigma_plus": 0.5}, "sigma_minus"),
    (noise.flip_rates, {"sigma": [0.5, 0.5]}, "sigma_minus"),
    (noise.flip_rates, {"sigma": [0.1, 0.1, 0.1]}, "sigma"),
    (subsampling_bounds.sparse_lower_bound, {"n": 3, "k": 4}, "k"),
    (subsampling_bounds.without_replacement_mean_square, {"n": 3, "k": 4}, "k"),
    (subsampling_bounds.without_replacement_mean_square, {"n": 1, "k": 1}, "n"),
    (subsampling_bounds.subsampling_mean_square, {"power": 0.2, "norm": 0.5}, "norm"),
    (partition_bounds.luckiness, {"k": 3}, "k"),
    (partition_bounds.luckiness_repaired, {"k": [2, 3]}, "k"),
    (miss_bounds.miss_probability_without_replacement, {"draws": 21}, "draws"),
    (rate_bounds.boundary_distance, {"n": 1}, "n"),
    (rate_bounds.herding_linear_square, {"distance": 1.1}, "distance"),
    (rate_bounds.herding_inverse, {"distance": 1.1}, "distance"),
    (rate_bounds.herding_inverse_sharp, {"distance": 1.1}, "distance"),
    (rate_bounds.away_steps_square, {"width": 2.5}, "width"),
    (printed_table_bounds.most_between, {"mean": 0.0, "deviation": 0.4}, "deviation"),
    (printed_table_bounds.most_between, {"mean": [0.1, 0.2]}, "mean"),
]


def arguments(function):
    """What fits, and what does not, for each argument that is not free."""
    own = OWN.get(function.__name__, {})
    return {
        name: own.get(name) or ARGUMENTS[name]
        for name in inspect.signature(function).parameters if name not in FREE
    }


def fitting(function):
    good = {name: value for name, (value, _) in arguments(function).items()}
    if "rng" in good:
        good["rng"] = np.random.default_rng(0)
    return {"name": "p", **good} if "name" in inspect.signature(function).parameters else good


@pytest.mark.parametrize("function", [f for _, f in CALLABLES], ids=[name for name, _ in CALLABLES])
def test_each_argument_is_refused_by_name(function):
    good = fitting(function)
    function(**good)
    for name, (_, wrong) in arguments(function).items():
        told = good.get("name", name) if name == "value" else name
        for value in wrong:
            with pytest.raises(ValueError, match=rf"\b{told}\b.* must .*(got|sums to) ") as refusal:
                function(**{**good, name: value})
            assert str(refusal.value).startswith((told, "first and second")), (name, value)


@pytest.mark.parametrize(
    ("function", "given", "told"), TOGETHER, ids=[f"{f.__name__}-{t}" for f, _, t in TOGETHER]
)
def test_what_fits_alone_is_refused_together(function, given, told):
    with pytest.raises(ValueError, match=rf"^{re.escape(told)} .*must .*got "):
        function(**{**fitting(function), **given})


def test_the_names_are_those_of_the_package():
    assert {nt.surrogates, nt.noise, nt.label_noise, nt.concentration} <= set(MODULES)


KERNEL, POINTS, ALPHA = Gaussian(1.0), np.arange(8.0)[:, None], np.full(8, 0.125)
# Of arrays what is no real number, of a number what is none or not one.
NO_REALS = ["a", 1j, ["1"] * 8, [1j] * 8, [None] * 8, [[1], [1, 2]]]
NO_ONE = ["a", 1j, None, [], [0.1, 0.1], np.array(1j)]


def cases():
    for name, algorithm in {**sparse.ALGORITHMS, **sparse.TO_TOLERANCE}.items():
        known = inspect.signature(algorithm).parameters
        good = {"kernel": KERNEL, "points": POINTS, "alpha": ALPHA}
        some = {"k": 3, "parts": 2, "tolerance": 0.5, "gap": 0.0, "delta": 0.1, "rounds": 2,
                "most": 3, "start": 0}
        good |= {key: value for key, value in some.items() if key in known}
        good |= {"rng": None} if "rng" in known else {}
        for argument in ("points", "alpha"):
            yield f"{name}-{argument}", algorithm, good, argument, NO_REALS
        for argument in sorted(set(some) & set(known)):
            yield f"{name}-{argument}", algorithm, good, argument, NO_ONE
        for argument in sorted({"k", "parts", "rounds", "most", "start"} & set(known)):
            yield f"{name}-{argument}-large", algorithm, good, argument, [10**400, 2**63]
    pair = {"kernel": KERNEL, "x": POINTS, "alpha": ALPHA}
    for function in (rkhs_norm, expansion):
        for argument in ("x", "alpha"):
            yield f"{function.__name__}-{argument}", function, pair, argument, NO_REALS
    for argument in ("x", "alpha", "z", "beta"):
        good = {**pair, "z": POINTS, "beta": ALPHA}
        yield f"rkhs_distance-{argument}", rkhs_distance, good, argument, NO_REALS
    known_scores = {**pair, "points": POINTS, "k": 3, "scores": ALPHA}
    del known_scores["x"]
    yield "herding-scores", sparse.herding, known_scores, "scores", NO_REALS[:-1]
    for loss in (ZeroOne(), Hinge(), Logistic(), LabelFreeSquare(), corrected(Hinge(), 0.1)):
        for method in (loss.value, loss.derivative):
            for argument, wrong in (("v", [*NO_REALS, 10**400]), ("y", [1 + 0j, "a", [1, 2]])):
                name = f"{loss.name}-{method.__name__}-{argument}"
                yield name, method, {"y": 1, "v": 0.5}, argument, wrong
    for build, argument in ((Logistic, "base"), (Gaussian, "bandwidth"), (Laplace, "bandwidth")):
        yield build.__name__, build, {argument: 2.0}, argument, [*NO_ONE, 10**400, 0]
    good = {"degree": 2, "offset": 1.0}
    yield "polynomial-offset", Polynomial, good, "offset", [*NO_ONE, 10**400, -1]
    gaussians = {"distance": 1.0, "spread": 1.0, "bandwidth": 1.0}
    for argument in gaussians:
        yield f"two_gaussians-{argument}", two_gaussians, gaussians, argument, [*NO_ONE, 10**400]
    yield "digits", digits, {"bandwidth": 1.0}, "bandwidth", [*NO_ONE, 10**400]
    yield "mnist", mnist, {"bandwidth": 1.0}, "bandwidth", [*NO_ONE, 10**400]
    yield "axes", axes, {"count": 2}, "count", [*NO_ONE, 10**400]
    population = long_servedio(30)
    wrong = [[1j, 1, 1], ["1"] * 3, [None] * 3, [10**400, 1.5, 1]]
    for method, argument in ((population.risk, "scores"), (population.reweighted, "weights")):
        yield method.__name__, method, {argument: [1, 0, 0]}, argument, wrong[: 3]
    yield "decision", population.decision, {"weight_vector": [1, 1]}, "weight_vector", [[1j, 1]]
    order = {"first": [1, 2, 3], "second": [1, 2, 4], "tolerance": 0.0}
    yield "reversed_pair", surrogates.reversed_pair, order, "tolerance", [*NO_ONE, 10**400]


CASES = list(cases())


@pytest.mark.parametrize(
    ("function", "good", "argument", "wrong"), [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_what_is_no_real_number_is_refused_by_name(function, good, argument, wrong):
    def call(**changed):
        rng = {"rng": np.random.default_rng(0)} if "rng" in good else {}
        return function(**{**good, **rng, **changed})

    call()
    for value in wrong:
        with pytest.raises(ValueError, match=rf"^{argument} must "):
            call(**{argument: value})


@pytest.mark.parametrize("algorithm", [sparse.herding, sparse.away_steps, sparse.fully_corrective])
def test_a_threshold_may_be_a_fraction_or_larger_than_any_float(algorithm):
    def found(gap):
        return algorithm(KERNEL, POINTS, ALPHA, 4, gap=gap).indices.tolist()

    assert found(Fraction(1, 8)) == found(0.125)
    assert found(10**400) == found(np.inf)
    assert found(-(10**400)) == found(-1.0)
