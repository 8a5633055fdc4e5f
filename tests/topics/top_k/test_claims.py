"""What the average top-k claims stand on: exact machines, populations, numbers of print."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import noisytheory as nt
from noisytheory.topics.top_k import (
    bayes_risk,
    calibration_threshold,
    collapse_threshold,
    fit,
    optimal_risk,
    population_minimiser,
    theorem_2_root_mu,
    theorem_2_sharp,
)
from noisytheory.topics.top_k.batches import toys, wrong
from noisytheory.topics.top_k.figures.simulate import (
    CS,
    KS,
    _machines,
    _maximum,
    longer_range,
)
from noisytheory.topics.top_k.linear_populations import axis_population
from noisytheory.topics.top_k.machine import exact_machine, machine
from noisytheory.topics.top_k.planning import first_useful_n
from noisytheory.topics.top_k.recipes import TOYS, monk_3, split, titanic, toy


def test_the_machine_of_proposition_1():
    """Five signed rows without a free support vector; the numbers were found by hand."""
    rows = [(1, 0), ("3/5", "4/5"), (0, 1), ("-4/5", "3/5"), ("7/25", "-24/25")]
    z = np.array([[Fraction(v) for v in row] for row in rows], dtype=object)
    w, level, alpha = exact_machine(z, [Fraction(1)] * 5, [Fraction(1, 5)] * 5, Fraction(4, 5),
                                    Fraction(1))
    assert w == [Fraction(12, 125), Fraction(16, 125)]
    assert sorted(alpha) == [0] + [Fraction(1, 5)] * 4
    # The smallest threshold goes with the largest margin of the optimal interval [.128, .16].
    assert Fraction(128, 1000) <= 1 - level <= Fraction(16, 100)
    batch = machine(z.astype(float)[None], 1.0, 0.2, 0.8, 1.0)
    assert np.allclose(batch.w[0], [0.096, 0.128], atol=1e-9)


def test_exact_machines_are_those_of_the_solver():
    rng = np.random.default_rng(0)
    for _ in range(10):
        z = rng.integers(-16, 17, size=(5, 2)) / 8
        exact = np.array([[Fraction(v) for v in row] for row in z.tolist()], dtype=object)
        w, _, _ = exact_machine(exact, [Fraction(1)] * 5, [Fraction(1, 5)] * 5, Fraction(3, 5),
                                Fraction(4))
        y = np.array([1.0, -1.0, 1.0, -1.0, 1.0])
        found = fit(y[:, None] * z, y, "hinge", k=3, C=4.0, tol=1e-12)
        assert np.allclose(found.coef, np.array([float(v) for v in w]), atol=1e-5)


def test_calibration_by_numbers():
    masses, eta = [0.5, 0.5], [0.9, 0.2]
    assert bayes_risk(masses, eta) == pytest.approx(0.15)
    risks = {loss: optimal_risk(masses, eta, loss)
             for loss in ("hinge", "logistic", "margin-square", "exponential")}
    expected = {"hinge": 0.3, "logistic": 0.595462, "margin-square": 0.5, "exponential": 0.7}
    assert risks == pytest.approx(expected, abs=1e-6)
    for loss in risks:
        for nu in (0.10, 0.16, 0.29):
            assert not population_minimiser(masses, eta, nu, loss).scores.any()
        assert population_minimiser(masses, eta, 0.31, loss).calibrated
    half = population_minimiser([0.5, 0.5], [0.5, 0.9], 0.62, "logistic")
    assert half.scores == pytest.approx([0, 0.33647], abs=1e-4)
    assert calibration_threshold([0.5, 0.5], [0.5, 0.9]) == pytest.approx(0.6)


def test_toy_thresholds_are_collapse_thresholds():
    expected = {1: 0.0, 2: 2.7875, 3: 0.0, 4: 3.4614, 5: 0.0, 6: 2.2155}
    for case, recipe in TOYS.items():
        x, y = toy(recipe, np.random.default_rng(recipe.seed))
        assert collapse_threshold(x, y) == pytest.approx(expected[case], abs=2e-4)


def test_data_of_the_tables():
    x, y = monk_3()
    assert x.shape == (432, 7) and int((y > 0).sum()) == 228
    x, y = titanic()
    assert int((y > 0).sum()) == 711 and np.unique(x, axis=0).shape == (14, 4)
    assert x[:, 0].min() == pytest.approx(-1.867, abs=1e-3)
    assert np.mean((x[:, 1] < 0) != (y > 0)) == pytest.approx(0.22399, abs=1e-5)
    train, validation, test = split(432, np.random.default_rng(0))
    assert sorted([*train, *validation, *test]) == list(range(432))


def test_from_which_n_on_theorem_2_says_something():
    """The catalogue's table, within the coarseness of both grids."""
    for C, printed, sharp in ((0.01, 9.4e3, 5.7e2), (1.0, 2.0e4, 5.7e2)):
        given = dict(C=C, kappa=1.0, norm=1.0, approximation=0.0, trivial=0.8, delta=0.05)
        assert first_useful_n(theorem_2_root_mu, **given) == pytest.approx(printed, rel=0.15)
        assert first_useful_n(theorem_2_sharp, risk=0.2, **given) == pytest.approx(sharp, rel=0.15)


def test_the_population_knows_its_best_function():
    population = axis_population(0.9, 1.0, 0.1)
    assert population.norm == pytest.approx(1.0, abs=1e-6)
    assert population.risk == pytest.approx(0.2, abs=1e-9)
    assert population.approximation == pytest.approx(0.0, abs=1e-9)


def test_limits_of_the_cvar_are_compared_by_their_side():
    """By how much the estimate is too small, or too large: a bound of one is none of the other."""
    found = nt.compare("top-k/text-cvar/*", n=1000, delta=0.05, nu=0.5, bound=1.0, radius=1.0,
                       ones=400)
    assert {"brown-upper", "brown-upper/sharp", "thomas", "uniform"} <= set(found.names)
    assert found.left_out["top-k/text-cvar/brown-lower"] == (
        "bounds another quantity: how far the estimate is above the CVaR (tail)")
    losses = np.repeat([0.0, 1.0], [600, 400])
    wanted = nt.top_k.thomas_upper(losses, 0.05, 0.5, 1.0) - nt.top_k.average_top_k(losses, 0.5)
    assert found.rows()[0]["thomas"] == pytest.approx(float(wanted), rel=1e-12)


def test_norm_over_margin_is_what_its_bound_is_of():
    given = dict(nu=0.3, C=1.0, advantage=0.1, norm=1.0)
    assert nt.claims["top-k/new-norm-margin"].bound(**given) == pytest.approx(3)


@pytest.mark.parametrize("case", [3, 5])
def test_ranges_of_good_k_are_those_of_machines_at_every_k_and_C(case):
    """The dichotomy spares solving each C: beside fits at all of both, on the same draws."""
    for below in (200, 201):
        found = longer_range(TOYS[case], below, size=8, rng=np.random.default_rng(11))
        x, y = toys(TOYS[case], 8, np.random.default_rng(11))
        for some, a, b in zip(found, x, y, strict=True):
            def errors(loss, k, C, a=a, b=b):
                w = fit(a, b, loss, k=k, C=C, tol=1e-8).coef
                return np.sum(np.where(a @ w >= 0, 1, -1) != b)

            longer = False
            for C in CS:
                wrong = [errors("hinge", k, C) for k in KS]
                last = max(i for i, one in enumerate(wrong) if one == min(wrong))
                longer |= KS[last] < below and errors("logistic", KS[last], C) > min(wrong)
            assert longer == some


@pytest.mark.parametrize(("claim", "given", "message"), [
    ("text-cvar/thomas", dict(ones=-100, n=1000, delta=0.05, nu=0.1, bound=1.0),
     "ones must be a whole number >= 0, got -100"),
    ("text-cvar/thomas", dict(ones=2000, n=1000, delta=0.05, nu=0.1, bound=1.0),
     r"ones must be a whole number in \[0, n\], got 2000"),
    ("text-cvar/exponential", dict(n=20, k=30), r"k must be a whole number in \[1, n\], got 30"),
    ("new-theorem-2-sharp", dict(n=1000, delta=0.05, mu=0.2, C=0.01, kappa=1.0, norm=1.0,
                                 approximation=0.0, risk=5.0),
     "risk \\+ mu must be at most 1, got 5.2"),
])
def test_bounds_refuse_what_no_sample_has(claim, given, message):
    with pytest.raises(ValueError, match=message):
        nt.claims[f"top-k/{claim}"].bound(**given)


@pytest.mark.parametrize(("case", "loss", "maximum", "middle", "average"), [
    (3, "hinge", 0, 0, 7), (3, "logistic", 0, 0, 8), (4, "hinge", 100, 1, 8),
    (4, "logistic", 100, 1, 8), (5, "hinge", 0, 0, 17), (5, "logistic", 0, 0, 17),
    (6, "hinge", 14, 1, 14), (6, "logistic", 14, 1, 14),
])
def test_errors_on_the_drawn_cases_of_both_losses(case, loss, maximum, middle, average):
    """Of one draw each; the numbers are those of another solver."""
    recipe = TOYS[case]
    x, y = (part[None] for part in toy(recipe, np.random.default_rng(recipe.seed)))
    w = [_maximum(loss, x, y, recipe.C), *_machines(loss, x, y, [10, 200], recipe.C)]
    errors = [round(200 * float(wrong(x, y, one)[0])) for one in w]
    assert errors == [maximum, middle, average]
