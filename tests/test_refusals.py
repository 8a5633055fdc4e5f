"""Every public formula and noise refuses what lies outside of its hypotheses, and says what."""

from __future__ import annotations

import inspect
import re
from fractions import Fraction

import numpy as np
import pytest

import noisytheory as nt
from noisytheory import concentration, label_noise, noise, surrogates
from noisytheory.concentration import bounds as concentration_bounds
from noisytheory.kernel_mean import bounds as kernel_mean_bounds
from noisytheory.label_noise import bounds as label_noise_bounds
from noisytheory.label_noise import bounds_tradeoff
from noisytheory.losses import Logistic
from noisytheory.populations import axis
from noisytheory.sparse import bounds as sparse_bounds
from noisytheory.sparse import bounds_clusters, bounds_herding
from noisytheory.surrogates.printed_table import bounds as printed_table_bounds

MODULES = [
    concentration, concentration_bounds, kernel_mean_bounds, label_noise, label_noise_bounds,
    bounds_tradeoff, noise, sparse_bounds, bounds_clusters, bounds_herding, surrogates,
    printed_table_bounds,
]
# Names and switches take anything; they are no part of a hypothesis.
FREE = {"name", "any_rate", "below"}
CALLABLES = sorted(
    {f"{f.__module__}.{f.__name__}": f for module in MODULES for name in module.__all__
     if callable(f := getattr(module, name))}.items()
)

NAN, INF = float("nan"), float("inf")
NO_NUMBER = ["a", None, NAN, True]
NO_SHARE = [-0.1, 1.1, *NO_NUMBER]
NO_RATE = [0.5, 0.6, *NO_SHARE, INF]
NO_LEVEL = [0, 1, *NO_SHARE]
NO_COUNT = [0, -1, 2.5, 0.5, *NO_NUMBER]
NO_SIZE = [-0.1, *NO_NUMBER]
NO_POSITIVE = [0, *NO_SIZE]
NO_FINITE = ["a", None, NAN, INF]
NO_LOSS = [0, 2.5, "a", None]

# What fits, and what does not, by the argument's name.
ARGUMENTS: dict[str, tuple[object, list[object]]] = {
    "n": (12, NO_COUNT), "m": (3, NO_COUNT), "k": (4, NO_COUNT), "trials": (20, NO_COUNT),
    "clusters": (4, NO_COUNT), "draws": (8, NO_COUNT), "members": (5, NO_COUNT),
    "passes": (2, NO_COUNT), "size": (3, NO_COUNT), "steps": (50, NO_COUNT),
    "delta": (0.1, NO_LEVEL), "positive": (0.5, NO_LEVEL),
    "sigma": (0.1, NO_RATE), "least": (0.1, NO_RATE), "most": (0.3, NO_RATE),
    "alpha": (0.1, NO_SHARE), "beta": (0.2, NO_SHARE), "minus": (0.1, NO_SHARE),
    "plus": (0.2, NO_SHARE), "eta": (0.5, NO_SHARE), "zero": (1.0, NO_SHARE),
    "idle": (0.5, NO_SHARE), "mean": (0.3, NO_SHARE), "sigma_minus": (0.1, NO_SHARE),
    "sigma_plus": (0.2, NO_SHARE),
    "diameter": (1.0, NO_SIZE), "radius": (1.0, NO_SIZE), "variance": (1.0, NO_SIZE),
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
    "x": ([[1.0, 0], [0, 1], [1, 1], [1, 0]], [0.5, "a", None, [], [[NAN, 1.0]] * 4]),
    "y": ([1, 1, -1, -1], [0, "a", None, [], [1, 1, 1, 0], [1, 1, 1, NAN]]),
    "weights": ([0.25] * 4, [0.5, "a", None, [], [0.25, 0.25, 0.25, NAN], [1, 1, 1, -0.1]]),
    "start": (0.0, [*NO_FINITE, []]),
    "loss": (Logistic(), NO_LOSS),
    "rng": (None, [0, "a", None]),
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
    (sparse_bounds.sparse_lower_bound, {"n": 3, "k": 4}, "k"),
    (sparse_bounds.without_replacement_mean_square, {"n": 3, "k": 4}, "k"),
    (sparse_bounds.without_replacement_mean_square, {"n": 1, "k": 1}, "n"),
    (sparse_bounds.subsampling_mean_square, {"power": 0.2, "norm": 0.5}, "norm"),
    (sparse_bounds.luckiness, {"k": 3}, "k"),
    (sparse_bounds.luckiness_repaired, {"k": [2, 3]}, "k"),
    (bounds_clusters.miss_probability_without_replacement, {"draws": 21}, "draws"),
    (bounds_herding.boundary_distance, {"n": 1}, "n"),
    (bounds_herding.herding_linear_square, {"distance": 1.1}, "distance"),
    (bounds_herding.herding_inverse, {"distance": 1.1}, "distance"),
    (bounds_herding.herding_inverse_sharp, {"distance": 1.1}, "distance"),
    (bounds_herding.away_steps_square, {"width": 2.5}, "width"),
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
