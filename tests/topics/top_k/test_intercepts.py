"""Bounds beside an intercept of each k's own, by their definitions, and what they save."""

from __future__ import annotations

import warnings

import cvxpy as cp
import numpy as np
import pytest

from noisytheory.topics.top_k import INDIVIDUAL, average_top_k, fit, path
from noisytheory.topics.top_k.individual import least_constant
from noisytheory.topics.top_k.intercepts import Ends, Model, Weights, centred, proven, reached
from noisytheory.topics.top_k.minimise import NotCertified

SMOOTH = [name for name, kind in INDIVIDUAL.items() if kind.margin and kind.smooth]


def uneven(n=60, d=3, above=12, seed=0):
    """A fifth of one class, and labels that follow the first feature a little."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < above, 1.0, -1.0)
    return rng.normal(size=(n, d)) + 0.5 * y[:, None] * np.eye(d)[0], y


def test_a_square_of_margins_has_the_value_of_its_definition():
    """Margins .5 and 0 of one class, -.1, .1 and .4 of the other, both less b: all at most 1."""
    kind, y = INDIVIDUAL["margin-square"], np.array([1.0, 1.0, -1.0, -1.0, -1.0])
    ends, nus = Ends.of(kind, y, np.full(5, 0.2)), np.array([0.8, 1.0])
    assert (ends.sign, ends.share) == (-1.0, pytest.approx(0.4))
    scores = np.array([0.5, 0.0, 0.1, -0.1, -0.4])
    found = reached(ends, Model.of(ends, scores, nus), nus, np.full(2, 0.25))
    # The constant is -.25: losses .75^2, 1.25^2 and, of margins .15, .35, .65, .85^2, .65^2, .35^2.
    assert found == pytest.approx(
        [(0.75**2 + 1.25**2 + 0.85**2 + 0.65**2) / 5,
         (0.75**2 + 1.25**2 + 0.85**2 + 0.65**2 + 0.35**2) / 5])


@pytest.mark.parametrize("loss", SMOOTH)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_models_losses_are_at_most_what_is_said_or_nothing_is_said(loss, weighted):
    kind, (x, y) = INDIVIDUAL[loss], uneven()
    masses = np.random.default_rng(1).integers(1, 4, 60) if weighted else np.ones(60)
    masses = masses / masses.sum()
    ends, nus = Ends.of(kind, y, masses), np.linspace(0.5, 1, 20)
    near = []
    for scale in (0.01, 0.1, 1.0):
        scores = scale * x @ np.array([0.5, 0.1, -0.2])
        for b in (-0.1, 0.05, 0.3, 0.7):
            said = reached(ends, Model.of(ends, scores, nus), nus, np.full(20, b))
            is_ = np.array([nu * average_top_k(
                kind.values(y, scores + ends.sign * b), nu, masses) for nu in nus])
            assert np.all(said >= is_ * (1 - 1e-12))
            near.append(np.min(said / is_))
            if scale > 0.5 and b < 0:
                assert np.isinf(said).any()
    assert min(near) < 1.0001


@pytest.mark.parametrize("loss", SMOOTH)
def test_what_unequal_slopes_cost_is_below_its_chords_in_logarithms(loss):
    """Sums of powers without a sign: at the ends exactly, between at least so much."""
    kind, (x, y) = INDIVIDUAL[loss], uneven()
    ends = Ends.of(kind, y, np.full(60, 1 / 60))
    scores = x @ np.array([0.3, 0.1, -0.2]) - 0.4
    weights = Weights(ends, x, np.full(60, 1 / 60), kind.slopes(y, scores))
    for at, some in enumerate((ends.few, ~ends.few)):
        slope = weights.slope[at] * np.geomspace(0.3, 1.1, 30)
        size = np.abs(kind.slopes(y, scores))[some]
        ratio = size / size.mean()
        cost = np.array([np.mean(kind.conjugate(-s * ratio)) - kind.conjugate(-s) for s in slope])
        said = weights.spread(at, slope) / some.mean()
        assert np.all(said >= cost)
        assert said[[0, -1]] == pytest.approx(cost[[0, -1]], abs=1e-13)
        assert np.all(said <= 1.15 * cost + 1e-13)


@pytest.mark.parametrize("loss", SMOOTH)
@pytest.mark.parametrize("C", [1e-3, 0.1])
def test_between_two_solutions_the_optimum_lies_between_both_bounds(loss, C):
    """The bounds differ by a share of what coefficients gain, constants by many times of that."""
    kind, (x, y) = INDIVIDUAL[loss], uneven()
    nus = np.array([0.8, 0.85, 0.9, 0.95, 1.0])
    ends = Ends.of(kind, y, np.full(60, 1 / 60))
    exact = [fit(x, y, loss, k=nu, C=C, intercept=True, tol=1e-8) for nu in nus]
    ends_of = [Weights(ends, x, one.weights, kind.slopes(y, one.scores(x)))
               for one in (exact[0], exact[-1])]
    t = (nus - 0.8) / 0.2
    dual = proven(*ends_of, t, C)
    w = np.array([(1 - s) * exact[0].coef + s * exact[-1].coef for s in t])
    value = []
    for i, (nu, own) in enumerate(zip(nus, w, strict=True)):
        model = Model.of(ends, x @ own, nus)
        b = centred(ends, nus, model.mean)
        value.append(reached(ends, model, nus, b)[i] + own @ own / (2 * C))
        chord = exact[0].objective + t[i] * (exact[-1].objective - exact[0].objective)
        best = exact[i].objective
        gain = least_constant(kind, y, None, nu) - best
        assert dual[i] <= best * (1 + 1e-12) <= value[i] * (1 + 2e-12)
        assert value[i] - dual[i] <= 0.35 * gain
        if C < 0.01 and i in (1, 2, 3):
            assert best - chord > gain


@pytest.mark.parametrize("C", [0.01, 1.0])
def test_where_the_best_constant_moves_by_more_than_is_gained_few_solutions_serve_all_k(C):
    """It took 1405 and 175: mixtures of two constants are not good enough for any k between."""
    x, y = uneven(3000, 8, 150)
    x[:, 0] -= 0.4 * y
    found = path(x, y, "logistic", C=C, intercept=True, floor=0.1)
    assert found.gap.max() <= 0.25
    assert found.fits <= 4
    for k in (310, 700, 1000, 1500, 2000, 2500, 2800, 3000):
        best = fit(x, y, "logistic", k=k, C=C, intercept=True)
        gain = least_constant(INDIVIDUAL["logistic"], y, None, k / 3000) - best.objective
        assert found.dual[k - 1] <= best.objective * (1 + 1e-12)
        w = found.coef[k - 1]
        losses = np.sort(INDIVIDUAL["logistic"].values(y, x @ w[:-1] + w[-1]))[::-1]
        value = losses[:k].sum() / 3000 + w[:-1] @ w[:-1] / (2 * C)
        assert best.dual * (1 - 1e-12) <= value <= found.objective[k - 1] * (1 + 1e-12)
        assert found.level[k - 1] == pytest.approx(losses[k - 1] if k < 3000 else 0, rel=1e-3)
        if found.determined[k - 1]:
            assert value - best.objective <= 0.25 * gain * (1 + 1e-5)
    assert found.determined[2700:].all()


def test_a_constant_is_the_minimiser_where_balanced_rows_say_so():
    """One of four is of one class and at the mean of the others: no direction gains, at any k."""
    x = np.array([[0.0], [-1.0], [0.0], [1.0]])
    y = np.array([1.0, -1.0, -1.0, -1.0])
    with pytest.warns(NotCertified, match="another model's"):
        found = path(np.tile(x, (5, 1)), np.tile(y, 5), "logistic", C=10.0, intercept=True)
    assert found.zero_up_to == 10
    assert found.gap.max() <= 0.25
    assert not found.coef[:, 0].any()
    odds = np.maximum(np.arange(1, 21) - 5, 5) / 5
    assert found.coef[:, 1] == pytest.approx(-np.log(odds), abs=0.02)


@pytest.mark.filterwarnings("ignore:at .* k from .* another model's")
@pytest.mark.parametrize(("loss", "conic"), [
    ("logistic", lambda t: cp.logistic(-t) / np.log(2)),
    ("squared-hinge", lambda t: cp.square(cp.pos(1 - t))), ("hinge", lambda t: cp.pos(1 - t))])
@pytest.mark.parametrize("C", [0.01, 1.0])
@pytest.mark.parametrize("scaling", ["paper", "average"])
def test_beside_an_intercept_a_conic_solver_finds_what_a_path_says(loss, conic, C, scaling):
    """Nothing below its bounds, and of every gain three quarters, or of the floor."""
    x, y = uneven(80, 3, 16)
    found = path(x, y, loss, C=C, intercept=True, scaling=scaling)
    assert found.gap.max() <= 0.25
    gains = {}
    for k in (80, 72, 60, 48, 36, 33, 30, 20):
        w, b = cp.Variable(3), cp.Variable()
        outer = 80 if scaling == "paper" else k
        value = cp.sum_largest(conic(cp.multiply(y, x @ w + b)), k) / outer
        task = cp.Problem(cp.Minimize(value + cp.sum_squares(w) / (2 * C)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            task.solve(solver=cp.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
        none = least_constant(INDIVIDUAL[loss], y, None, k / 80) * 80 / outer
        gains[k] = none - task.value
        assert found.dual[k - 1] <= task.value + 1e-8
        allowed = 0.25 * max(gains[k], 0.5 * gains[80])
        assert -1e-8 <= found.objective[k - 1] - task.value <= allowed + 1e-8


def test_models_that_are_nearly_alike_span_no_others():
    """Of one column: in a plane of two and an intercept parts of 1e10 cancelled, and a model's
    scores were not those of its coefficients.
    """
    x = np.array([-2.0, -1.0, 0.0, 1.0, -1.0, 2.0, 0.0, 1.0, 2.0])[:, None]
    y, times = np.repeat([-1.0, 1.0], [6, 3]), np.array([2, 7, 4, 4, 1, 2, 4, 4, 2])
    y[4:6] = 1.0, -1.0
    x, y = np.repeat(x, times, axis=0), np.repeat(y, times)
    found = path(x, y, "logistic", C=50.40189017794188, intercept=True, scaling="average", tol=0.05)
    assert found.gap.max() <= 0.05
    losses = INDIVIDUAL["logistic"].values(y, found.coef[:, :1] * x.T[0] + found.coef[:, 1:])
    largest = np.cumsum(np.sort(losses)[:, ::-1], axis=1).diagonal() / np.arange(1, 31)
    own = largest + found.coef[:, 0] ** 2 / (2 * 50.40189017794188)
    assert np.all(own <= found.objective * (1 + 1e-9))


@pytest.mark.parametrize("loss", ["logistic", "squared-hinge", "exponential"])
def test_features_far_from_centred_are_as_good_as_centred_beside_an_intercept(loss):
    # What all rows share cancelled in squares: a bound was above the truth, the gap infinite.
    draws = np.random.default_rng(9)
    x = draws.normal(size=(10, 2))
    y = np.where(x[:, 0] + draws.normal(size=10) > 1, 1.0, -1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        here, far = (path(x + mean, y, loss, C=10.0, intercept=True) for mean in (0, 1e4))
    assert far.fits <= here.fits + 1 and np.isfinite(far.objective).all()
    for k, dual in zip(far.k, far.dual, strict=True):
        exact = fit(x, y, loss, k=int(k), C=10.0, intercept=True)
        assert dual <= exact.objective * (1 + 1e-10)


def test_zero_ends_at_twice_the_smaller_class_where_that_is_no_k():
    x = np.random.default_rng(0).normal(size=(100, 1))
    y = np.where(np.arange(100) < 10, 1.0, -1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotCertified)
        found = path(x, y, intercept=True, ks=[5, 40, 100])
    # At k = 40 zero loses 0.4, and the best constant 0.325.
    assert found.regime.tolist() == ["zero", "nu", "C"] and found.zero_up_to == 5
    assert not found.coef[0].any() and found.error[0] == 0.9
