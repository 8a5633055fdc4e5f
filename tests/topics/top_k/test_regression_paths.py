"""Paths of a regression: largest residuals by hand and by search, and what every k claims."""

from __future__ import annotations

import warnings
from fractions import Fraction
from functools import partial

import cvxpy as cp
import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize_scalar

from noisytheory.topics.top_k import fit, path
from noisytheory.topics.top_k.design import Design
from noisytheory.topics.top_k.individual import best_constants, individual
from noisytheory.topics.top_k.places import lines
from noisytheory.topics.top_k.ramps import Ramp
from noisytheory.topics.top_k.regression import Regression, Sides
from noisytheory.topics.top_k.task import Task


def drawn(n, d, seed=0, scale=1.0):
    """Heavy-tailed noise."""
    rng = np.random.default_rng(seed)
    x, w = rng.normal(size=(n, d)), rng.normal(size=d) / np.sqrt(d)
    return x * np.geomspace(1, 1 / scale, d), x @ w + rng.standard_t(3, size=n)


def largest(losses, masses, nu):
    """The sum of the largest losses, from a sort."""
    order = np.argsort(-losses)
    part, reached = masses[order], np.cumsum(masses[order])
    return float(np.clip(nu - reached + part, 0, part) @ losses[order])


def beside(r, masses, nu, power, b):
    """The largest losses beside a constant."""
    return largest(np.abs(r - b) ** power, masses, nu)


@pytest.mark.parametrize("square", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("ties", [False, True])
def test_the_best_constant_is_in_the_middle_of_the_largest_residuals(square, weighted, ties):
    rng = np.random.default_rng(1)
    for n in (1, 2, 3, 40, 150):
        r = rng.standard_t(2, size=n)
        r = np.round(r) if ties else r
        masses = rng.uniform(0.1, 1, n) if weighted else np.ones(n)
        masses /= masses.sum()
        nus = np.arange(1, n + 1) / n
        if weighted:
            nus = np.sort(np.append(rng.uniform(0, 1, 20), 1.0))
        sides = Sides.of(square, r, masses)
        found = sides.at(nus)
        tops = sides.largest(nus, nus, found)[0]
        for nu, value, b, top in zip(nus, found.value, found.centre, tops, strict=True):
            lost = partial(beside, r, masses, nu, 2 if square else 1)
            best = minimize_scalar(lost, bounds=(r.min() - 1e-9, r.max() + 1e-9),
                                   method="bounded", options={"xatol": 1e-12}).fun
            assert lost(b) == pytest.approx(best, rel=1e-6, abs=1e-9)
            assert value == pytest.approx(lost(b), rel=1e-9, abs=1e-12)
            assert top == pytest.approx(lost(b), rel=1e-9, abs=1e-12)


def test_the_middle_of_largest_residuals_by_hand():
    """Of 0, 1, 5 and 6 two are 0 and 6; of a third one half is 1 and half 5."""
    masses = np.full(4, 0.25)
    two = Sides.of(True, np.array([5.0, 0.0, 6.0, 1.0]), masses).at(np.array([0.5, 0.75, 1.0]))
    assert two.centre == pytest.approx([3, 3, 3])
    assert two.value == pytest.approx([18 / 4, 22 / 4, 26 / 4])
    assert two.half == pytest.approx([2, 2, 0])
    one = Sides.of(False, np.array([5.0, 0.0, 6.0, 1.0]), masses).at(np.array([0.5, 1.0]))
    assert one.value == pytest.approx([6 / 4, 10 / 4])


def test_lines_above_points_by_hand():
    x, y = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 0.5, 3.0, 3.0])
    found = lines(x, y, np.array([0.0, 0.5, 1.0, 2.0, 3.0, 4.0]))
    assert found.tolist() == [0.0, 0.5, 1.0, 2.0, 3.0, 3.0]


@pytest.mark.parametrize("loss", ["square", "absolute"])
@pytest.mark.parametrize("nu", [0.3, 1.0])
@pytest.mark.parametrize("free", [False, True])
def test_a_step_from_a_smoothed_objective_is_newtons(loss, nu, free):
    """Differences of its value give the gradient that the step cancels to first order."""
    x, y = drawn(60, 3)
    task = Task(x, y, np.full(60, 1 / 60), individual(loss), nu, 2.0, free, 1e-6)
    w, design = np.linspace(0.3, -0.2, 3 + free), Design(x, free=free)
    ramp = Ramp.at(task, w, design.scores(w), 2.0)
    step = ramp.step(task, w)

    def value(t):
        at = w + t * step
        return Ramp.at(task, at, design.scores(at), 2.0).value

    slope = (value(1e-5) - value(-1e-5)) / 2e-5
    bend = (value(1e-3) - 2 * value(0) + value(-1e-3)) / 1e-6
    assert slope < 0
    assert -slope == pytest.approx(bend, rel=1e-2)
    p, slopes = ramp.weights()
    assert p.sum() <= nu * (1 + 1e-9)
    assert (p <= task.masses * (1 + 1e-12)).all()
    pulls = design.combine(p * slopes) + task.ridge * w
    assert float(pulls @ step) == pytest.approx(slope, rel=1e-5)


@pytest.mark.parametrize("loss", ["square", "absolute"])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("free", [False, True])
def test_a_conic_solver_finds_nothing_outside_of_what_a_path_of_numbers_proves(loss, C, free):
    x, y = drawn(60, 4, scale=10.0)
    y = y + 10 * free
    found = path(x, y, loss, C=C, intercept=free, floor=0.5, tol=0.25)
    for k in (60, 45, 30, 12, 3, 1):
        w, b = cp.Variable(4), cp.Variable() if free else 0.0
        left = y - x @ w - b
        losses = cp.square(left) if loss == "square" else cp.abs(left)
        problem = cp.Problem(cp.Minimize(
            cp.sum_largest(losses, k) / 60 + cp.sum_squares(w) / (2 * C)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            problem.solve(solver=cp.CLARABEL)
        assert found.dual[k - 1] <= problem.value * (1 + 1e-6)
        assert problem.value <= found.objective[k - 1] * (1 + 1e-6)


@pytest.mark.parametrize("loss", ["square", "absolute"])
@pytest.mark.parametrize("scaling", ["paper", "average"])
@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("kind", ["plain", "weighted", "sparse", "some"])
@pytest.mark.parametrize("C", [0.01, 100.0])
def test_objectives_and_errors_are_those_of_the_models_of_every_k(loss, scaling, free, kind, C):
    """Between two models losses are bounded, so that an objective may be a little more."""
    x, y = drawn(90, 3)
    x, y = x + 5, y + 10 * free
    weight = np.random.default_rng(2).choice([1.0, 2.0, 0.5], 90) if kind == "weighted" else None
    ks = [0.03, 0.2, 0.5, 0.51, 1.0] if kind == "some" else None
    rows = sparse.csr_matrix(x) if kind == "sparse" else x
    found = path(rows, y, loss, ks=ks, C=C, intercept=free, scaling=scaling, floor=0.5,
                 sample_weight=weight)
    masses = np.ones(90) if weight is None else weight
    total = masses.sum()
    assert found.gap.max() <= 0.25
    for k, w, value, error in zip(found.k, found.coef, found.objective, found.error, strict=True):
        nu = k / total
        left = y - x @ w[:3] - (w[3] if free else 0.0)
        inner = C / nu if scaling == "average" else C
        true = largest(left**2 if loss == "square" else np.abs(left), masses / total, nu)
        true = (true + w[:3] @ w[:3] / (2 * inner)) / (nu if scaling == "average" else 1)
        assert true <= value * (1 + 1e-9)
        assert error == pytest.approx(np.mean(left**2), rel=1e-9)


@pytest.mark.parametrize(("loss", "seed"), [("absolute", 54), ("square", 29)])
def test_an_intercept_that_is_not_the_mixtures_costs_what_it_is_away(loss, seed):
    """Of skew noise: of the mixture's own intercept the objective would be 1e-4 less."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(60, 1))
    y = x[:, 0] + rng.exponential(size=60) ** 2
    found = path(x, y, loss, C=10.0, intercept=True, tol=0.9)
    for k, w, value in zip(found.k, found.coef, found.objective, strict=True):
        left = np.abs(y - x @ w[:-1] - w[-1]) ** (2 if loss == "square" else 1)
        true = largest(left, np.full(60, 1 / 60), k / 60) + w[:-1] @ w[:-1] / 20
        assert true <= value * (1 + 1e-9)


def test_what_weights_prove_is_no_more_than_in_fractions():
    """Of the absolute loss weights are those of half of the largest residuals on either side: their
    sum of rows is about 0, and rounding may not make it less."""
    rng = np.random.default_rng(0)
    n, C = 64, 1e6
    x, y = rng.normal(size=(n, 3)), rng.standard_t(3, size=n)
    walk = Regression(x, y, np.full(n, 1 / n), "absolute", C, True, False, 0.25)
    walk.floor = 0.5
    walk.over(np.arange(2, n + 1, 2) / n)
    some, proven = walk.nus[walk.places], walk.curve(walk.knots[-1])
    order, exact = np.argsort(y - walk.knots[-1].scores), np.array(x.tolist(), object)
    exact = np.vectorize(Fraction)(exact)
    for nu, square in zip(some, proven.square, strict=True):
        half = round(nu * n / 2)
        push = exact[order[:half]].sum(axis=0) - exact[order[n - half:]].sum(axis=0)
        true = sum(part**2 for part in push) / n**2
        assert true <= Fraction(float(square)) <= true * (1 + Fraction(1, 10**10))


@pytest.mark.parametrize("loss", ["square", "absolute"])
@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("C", [0.01, 1.0])
@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_next_to_one_solution_serves_all_k_of_a_regression(loss, free, C, scale):
    """Of targets off by ten beside an intercept mixed weights took up to dozens."""
    x, y = drawn(500, 10, scale=scale)
    found = path(x, y + 10 * free, loss, C=C, intercept=free, floor=0.5, tol=0.25)
    assert found.gap.max() <= 0.25
    assert found.fits <= 2


def test_by_default_mean_squares_are_nearly_those_of_single_fits():
    x, y = drawn(1000, 10)
    for free in (False, True):
        for loss in ("square", "absolute"):
            found = path(x, y, loss, C=10.0, intercept=free, floor=0.5)
            for k in (1000, 800, 500, 300, 200):
                one = fit(x, y, loss, k=k, C=10.0, intercept=free)
                error = np.mean((y - one.scores(x)) ** 2)
                assert found.error[k - 1] == pytest.approx(error, rel=0.1)


@pytest.mark.parametrize("loss", ["square", "absolute"])
def test_one_target_for_all_is_fitted_by_its_constant_at_every_k(loss):
    x = drawn(20, 2)[0]
    found = path(x, np.full(20, 7.3), loss, C=1.0, intercept=True, floor=0.5)
    assert found.objective.max() <= 1e-12
    assert found.error.max() <= 1e-12


@pytest.mark.parametrize(("loss", "C"), [("absolute", 0.01), ("square", 0.001)])
def test_far_from_zero_and_next_to_no_coefficients_every_k_is_proven(loss, C):
    """By a floor of 0: what constants lose was told by lines that lost more than is gained."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 2))
    y = 100 + x.sum(axis=1) + rng.normal(size=200)
    found = path(x, y, loss, C=C, intercept=True, floor=0.0)
    assert found.gap.max() <= 0.25
    assert found.fits <= 4
    for k in (2, 30, 39, 100, 200):
        best = fit(x, y, loss, k=k, C=C, intercept=True)
        assert found.dual[k - 1] <= best.objective * (1 + 1e-12)
        assert found.objective[k - 1] >= best.dual * (1 - 1e-12)


def test_where_most_targets_are_alike_few_solutions_serve_all_k():
    """The constant is the minimiser but at the least k; a solution for every fourth proved it."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1000, 3))
    y = np.maximum(0.3 * x[:, 0] + rng.normal(size=1000) - 1, 0)
    found = path(x, y, "absolute", C=1.0, intercept=True)
    assert found.gap.max() <= 0.25
    assert found.fits <= 100
    for k in (10, 200, 300, 1000):
        best = fit(x, y, "absolute", k=k, C=1.0, intercept=True)
        none = best_constants(individual("absolute"), y, None, np.array([k / 1000]))[1]
        assert found.dual[k - 1] <= best.objective * (1 + 1e-12)
        assert found.objective[k - 1] - best.objective <= 0.25e-3 * none[0] + 1e-12


@pytest.mark.parametrize("loss", ["absolute", "square"])
def test_a_start_is_seen_from_where_rows_and_targets_are(monkeypatch, loss):
    seen = []

    def highest(walk, nu):
        seen.append((walk.rows @ walk.start[:-1] + walk.start[-1], walk.labels))
        return before(walk, nu)

    before = Regression.highest
    monkeypatch.setattr(Regression, "highest", highest)
    rng = np.random.default_rng(0)
    x, y = rng.normal([1000.0, 0.0], 1.0, (30, 2)), 50 + rng.normal(size=30)
    start = np.array([2.0, -1.0, -1950.0])
    path(x, y, loss, C=1.0, intercept=True, start=start)
    (scores, labels), = seen
    assert np.ptp(y - labels) <= 1e-12 and abs(labels.mean()) <= 1e-12
    assert scores - labels == pytest.approx(x @ start[:-1] + start[-1] - y, abs=1e-9)


@pytest.mark.parametrize("loss", ["absolute", "square"])
@pytest.mark.parametrize("off", [1e5, 1e8, 1.7e9])
def test_targets_far_from_zero_are_seen_from_their_middle_beside_an_intercept(loss, off):
    """Mean squares were negative: models were mixed with one that is 0."""
    rng = np.random.default_rng(19)
    x = rng.normal(size=(60, 2))
    # Multiples of 2^-20 are exact at any of the offsets.
    y = np.where(rng.random(60) < 0.7, 0.0, 3 * rng.exponential(size=60)) + x[:, 0] * (
        rng.random(60) < 0.2)
    y = np.round(y * 2**20) / 2**20
    near = path(x, y, loss, C=1.0, intercept=True)
    some = (x[:20], y[:20] + off)
    found = path(x, y + off, loss, C=1.0, intercept=True)
    other = path(x, y + off, loss, C=1.0, intercept=True, test=some, start=found.coef[-1])
    assert found.gap.max() <= 0.25
    assert np.all(near.dual <= found.objective * (1 + 1e-9))
    assert np.all(found.dual <= near.objective * (1 + 1e-9))
    for index, k in enumerate(found.k):
        for one, points in ((found, x), (other, some[0])):
            w = one.coef[index]
            left = y[: len(points)] - points @ w[:-1] - (w[-1] - off)
            assert one.error[index] == pytest.approx(np.mean(left**2), rel=1e-5, abs=1e-6), k


@pytest.mark.parametrize("loss", ["absolute", "square"])
@pytest.mark.parametrize("target", [0.0, 1.0, 1000.0])
def test_of_one_target_for_all_a_start_elsewhere_leaves_no_gap(loss, target):
    x = drawn(40, 2)[0]
    found = path(x, np.full(40, target), loss, C=1.0, intercept=True, start=[0.5, -0.3, 0.2])
    assert found.objective.max() == found.dual.max() == found.gap.max() == 0


def test_no_mean_square_is_below_zero():
    x = [[-0.006826779865523179, 1.0461432923049026], [0.7415884212884828, 0.7239565416499906]]
    y = [1.6187762233340763, -1.2055581426463289]
    assert path(x, y, "absolute", C=1e4, intercept=True, floor=0.1).error.min() >= 0


@pytest.mark.parametrize("kind", ["zeros", "ones", "counts"])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_targets_that_mostly_tie_take_few_solutions(kind, C):
    """The best constant is the minimiser at most k: of 250 such numbers one took 42 to 53."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(250, 3))
    y = {"zeros": np.maximum(0.3 * x[:, 0] + rng.normal(size=250) - 1, 0),
         "ones": 1.0 * (x[:, 0] + 2 * rng.normal(size=250) > 3),
         "counts": 1.0 * rng.poisson(np.exp(0.5 * x[:, 0] - 1.2))}[kind]
    found = path(x, y, "absolute", C=C, intercept=True)
    assert found.fits <= 9
    losses = -np.sort(-np.abs(y - found.coef @ np.c_[x, np.ones(250)].T), axis=1)
    value = np.cumsum(losses, axis=1).diagonal() / 250 + (found.coef[:, :-1]**2).sum(1) / (2 * C)
    assert (value <= found.objective * (1 + 1e-9)).all()
    lower = path(x, y, "absolute", C=C, intercept=True, floor=0.1)
    for k in (3, 10, 30, 60, 120, 250):
        best = fit(x, y, "absolute", k=k, C=C, intercept=True)
        none = best_constants(individual("absolute"), y, None, np.array([k / 250]))[1][0]
        for one, floor in ((found, 0.5), (lower, 0.1)):
            assert one.dual[k - 1] <= best.objective * (1 + 1e-9)
            matters = max(none - best.dual, 0.1 * floor * none)
            assert one.objective[k - 1] - best.dual <= 0.25 * matters + 1e-12
