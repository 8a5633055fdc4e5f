"""The exact solver against an independent conic one, its certificate, regimes and bad input."""

from __future__ import annotations

import itertools
import warnings
from functools import partial

import cvxpy as cp
import mpmath
import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize_scalar

from noisytheory.topics.top_k import (
    INDIVIDUAL,
    average_top_k,
    collapse_threshold,
    first_useful_k,
    fit,
    k_bar,
    kernel_fit,
    kernel_path,
    kernel_select,
    path,
    select,
    stochastic,
    top_weights,
    useful_grid,
)
from noisytheory.topics.top_k.central_path import _central
from noisytheory.topics.top_k.individual import individual, least_constant
from noisytheory.topics.top_k.interior_point import interior_point
from noisytheory.topics.top_k.minimise import NotCertified, proven
from noisytheory.topics.top_k.task import Task

CONIC = {
    "hinge": lambda t: cp.pos(1 - t),
    "logistic": lambda t: cp.logistic(-t) / np.log(2),
    "logistic-natural": lambda t: cp.logistic(-t),
    "squared-hinge": lambda t: cp.square(cp.pos(1 - t)),
    "margin-square": lambda t: cp.square(1 - t),
    "exponential": lambda t: cp.exp(-t),
    "square": cp.square,
    "absolute": cp.abs,
}

PRECISE = {
    "hinge": lambda t: max(1 - t, mpmath.mpf(0)),
    "logistic": lambda t: mpmath.log(1 + mpmath.exp(-t)) / mpmath.log(2),
    "logistic-natural": lambda t: mpmath.log(1 + mpmath.exp(-t)),
    "squared-hinge": lambda t: max(1 - t, mpmath.mpf(0)) ** 2,
    "margin-square": lambda t: (1 - t) ** 2,
    "exponential": lambda t: mpmath.exp(-t),
    "square": lambda t: t**2,
    "absolute": abs,
}


def problem(loss, n=40, d=3, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    f = x @ rng.normal(size=d) + 0.5 * rng.normal(size=n)
    return x, np.sign(f) if INDIVIDUAL[loss].margin else f


def conic(loss, x, y, k, C, intercept, scaling="paper"):
    w, b = cp.Variable(x.shape[1]), cp.Variable() if intercept else 0
    score = x @ w + b
    losses = CONIC[loss](cp.multiply(y, score) if INDIVIDUAL[loss].margin else y - score)
    share = 1 / (len(y) if scaling == "paper" else k)
    value = share * cp.sum_largest(losses, k) + cp.sum_squares(w) / (2 * C)
    task = cp.Problem(cp.Minimize(value))
    with warnings.catch_warnings():
        # It may say that it stops short of 1e-11.
        warnings.simplefilter("ignore")
        task.solve(solver="CLARABEL", tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
    return task, w.value, float(b.value) if intercept else 0.0


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("loss", sorted(CONIC))
def test_objectives_are_those_of_a_conic_solver(loss, intercept):
    """Dense and sparse, weighted and not, both scalings; weights are repetitions to the rival."""
    x, y = problem(loss)
    times = np.random.default_rng(1).integers(0, 3, len(y))
    once = np.ones(len(y), int)
    for k, C, weight, scaling in (
        (1, 10.0, once, "paper"), (20, 10.0, times, "paper"), (20, 0.1, once, "average"),
        (30, 10.0, times, "average"), (40, 0.1, once, "paper"),
    ):
        value = conic(loss, np.repeat(x, weight, axis=0), np.repeat(y, weight), k, C, intercept,
                      scaling)[0].value
        for rows in (x, sparse.csr_array(x)):
            found = fit(rows, y, loss, k=k, C=C, intercept=intercept, scaling=scaling, tol=1e-9,
                        sample_weight=None if weight is once else weight)
            assert found.objective == pytest.approx(value, abs=1e-8, rel=0), (k, C, scaling)
            assert found.dual <= value + 1e-9
            assert found.gap <= 1e-9 * max(found.objective, 1e-5)


def exactly(loss, x, y, k, C, scaling, w, b):
    """The objective of a model of floats to thirty digits."""
    with mpmath.workdps(30):
        exact = np.vectorize(mpmath.mpf, otypes=[object])
        f = exact(x) @ exact(w) + mpmath.mpf(b)
        losses = sorted((PRECISE[loss](t) for t in (
            exact(y) * f if INDIVIDUAL[loss].margin else exact(y) - f)), reverse=True)
        share = mpmath.mpf(1) / (len(y) if scaling == "paper" else k)
        return share * sum(losses[:k]) + exact(w) @ exact(w) / (2 * mpmath.mpf(C))


@pytest.mark.parametrize("loss", sorted(CONIC))
def test_small_problems_have_the_objective_of_a_conic_solver_or_a_lower_one_that_is_attained(loss):
    """Of 4 to 12 rows, C from 1e-3 to 1e3: to 1e-8. Of 5000 five were not, up to 1.2e-6 above.

    Who is right is decided by the definition in thirty digits, of our model and of its.
    """
    agreed = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(4, 13)), int(rng.integers(1, 4))
        x, y = problem(loss, n, d, seed)
        if seed % 3 == 0:
            x = np.round(2 * x) / 2
        if INDIVIDUAL[loss].margin and abs(y.sum()) == n:
            y[0] = -y[0]
        k, C = int(rng.integers(1, n + 1)), float(10 ** rng.uniform(-3, 3))
        intercept, scaling = bool(seed % 2), ("paper", "average")[seed // 2 % 2]
        found = fit(x, y, loss, k=k, C=C, intercept=intercept, scaling=scaling, tol=1e-9)
        rival, w, b = conic(loss, x, y, k, C, intercept, scaling)
        ours = exactly(loss, x, y, k, C, scaling, found.coef, found.intercept)
        theirs = exactly(loss, x, y, k, C, scaling, w, b)
        assert found.objective == pytest.approx(float(ours), rel=1e-12, abs=1e-14)
        assert found.dual <= min(ours, theirs) * (1 + 1e-12) + 1e-14
        assert ours <= theirs + 1e-9
        alike = abs(found.objective - rival.value) <= 1e-8
        agreed += alike
        # What stops short of its tolerance, and is not alike, is above a model that we have.
        assert alike or (rival.status != "optimal" and ours < theirs), seed
    assert agreed >= 19


@pytest.mark.parametrize("loss", sorted(CONIC))
def test_the_dual_bound_is_that_of_its_weights(loss):
    """The bound again from weights and slopes, and it lies below the optimum everywhere."""
    x, y = problem(loss, seed=5)
    kind = INDIVIDUAL[loss]
    found = fit(x, y, loss, k=20, C=2.0, tol=1e-9)
    scores = x @ found.coef
    slopes = -y if loss == "hinge" else kind.slopes(y, scores)
    bound = proven(x, y, kind, 0.5, 2.0, found.weights, slopes)
    assert bound <= found.objective + 1e-15
    if kind.smooth:
        assert bound == pytest.approx(found.objective, rel=1e-6)
    rng = np.random.default_rng(0)
    for _ in range(20):
        weights = rng.random(40) / 40
        assert proven(x, y, kind, 0.5, 2.0, weights, slopes) <= found.objective + 1e-12


@pytest.mark.parametrize("loss", sorted(CONIC))
def test_weights_are_repetitions_and_sparse_rows_are_rows(loss):
    x, y = problem(loss, seed=3)
    times = np.random.default_rng(1).integers(0, 4, len(y))
    settings = dict(k=0.6, C=5.0, intercept=True, tol=1e-9)
    repeated = fit(np.repeat(x, times, axis=0), np.repeat(y, times), loss, **settings)
    weighted = fit(x, y, loss, sample_weight=times, **settings)
    thin = fit(sparse.csr_array(x), y, loss, sample_weight=times, **settings)
    assert weighted.objective == pytest.approx(repeated.objective, rel=1e-8)
    assert thin.objective == pytest.approx(weighted.objective, rel=1e-8)
    assert np.all(weighted.weights[times == 0] == 0)


def test_the_objective_is_that_of_the_definition():
    x, y = problem("logistic")
    found = fit(x, y, "logistic", k=12, C=3.0)
    losses = np.logaddexp(0, -y * (x @ found.coef)) / np.log(2)
    value = 12 / 40 * average_top_k(losses, 12) + found.coef @ found.coef / 6
    assert found.objective == pytest.approx(value, rel=1e-12)
    # The certificate is checked from its weights alone: they are feasible.
    assert found.weights.min() >= 0
    assert found.weights.max() <= 1 / 40 + 1e-12
    assert found.weights.sum() <= 12 / 40 + 1e-12


def test_both_scalings_are_one_problem():
    x, y = problem("hinge")
    paper = fit(x, y, "hinge", k=10, C=4.0)
    average = fit(x, y, "hinge", k=10, C=4.0 * 10 / 40, scaling="average")
    assert np.allclose(paper.coef, average.coef, atol=1e-6)
    assert average.objective == pytest.approx(4 * paper.objective, rel=1e-6)


@pytest.mark.parametrize("loss", ["hinge", "logistic", "squared-hinge", "margin-square",
                                  "exponential"])
def test_every_margin_loss_collapses_at_the_same_k(loss):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(24, 2))
        y = np.where(rng.random(24) < 0.7, np.sign(x[:, 0]), -np.sign(x[:, 0]))
        threshold = collapse_threshold(x, y)
        for k in (int(threshold), int(threshold) + 1):
            if not 1 <= k <= 24:
                continue
            found = fit(x, y, loss, k=k, C=2.0)
            assert (found.regime == "zero") == (k <= threshold), (seed, k)
            if k > threshold:
                assert np.linalg.norm(found.coef) > 0
    assert first_useful_k(x, y) == int(threshold) + 1


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_many_coefficients(loss):
    rng = np.random.default_rng(2)
    x = rng.normal(size=(60, 1500))
    y = np.sign(rng.normal(size=60))
    wide = fit(x, y, loss, k=30, C=10.0)
    gram = kernel_fit(x @ x.T, y, nu=0.5, C=10.0, tol=1e-9) if loss == "hinge" else None
    assert wide.gap <= 1e-6 * max(wide.objective, 1e-5)
    if gram is not None:
        assert wide.objective == pytest.approx(gram.objective, rel=1e-5)


@pytest.mark.parametrize("loss", ["logistic", "hinge", "square", "absolute"])
def test_limited_memory_agrees(loss):
    x, y = problem(loss, n=200, d=5)
    exact = fit(x, y, loss, k=120, C=1.0)
    limited = fit(x, y, loss, k=120, C=1.0, solver="limited-memory", tol=1e-4)
    assert limited.objective == pytest.approx(exact.objective, rel=2e-4)


@pytest.mark.parametrize("loss", ["logistic", "hinge", "absolute"])
def test_many_examples_are_certified(loss):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(12_000, 8))
    f = x @ rng.normal(size=8) + rng.logistic(size=12_000)
    y = np.sign(f) if INDIVIDUAL[loss].margin else f
    found = fit(x, y, loss, k=0.7, C=10.0)
    assert found.converged
    assert found.gap <= 1e-6 * found.objective


@pytest.mark.parametrize("regression", [False, True])
def test_the_kernel_dual_is_the_linear_problem(regression):
    loss = "absolute" if regression else "hinge"
    for seed in range(4):
        x, y = problem(loss, n=30, seed=seed)
        for k in (3, 12, 30):
            one = fit(x, y, loss, k=k, C=7.0, tol=1e-9)
            other = kernel_fit(x @ x.T, y, nu=k / 30, C=7.0, regression=regression, tol=1e-9)
            assert other.objective == pytest.approx(one.objective, rel=1e-6, abs=1e-9)
            assert other.gap <= 1e-7 * max(other.objective, 1e-3)
            assert np.allclose(x.T @ other.dual_coef, one.coef, atol=1e-3)


@pytest.mark.parametrize("C", [1e-3, 1.0])
def test_a_small_C_and_k_make_small_scores_that_are_not_zero(C):
    """Where the kernel separates distinct points nothing collapses."""
    x, y = problem("hinge", n=60, seed=2)
    gram = np.exp(-((x[:, None] - x) ** 2).sum(-1))
    for nu in (1 / 60, 0.1, 0.3):
        rough, exact = (kernel_fit(gram, y, nu=nu, C=C, tol=tol) for tol in (1e-3, 1e-6))
        gain = nu - exact.dual
        assert rough.regime == exact.regime == "nu"
        assert 0 <= rough.objective - exact.dual <= 1.1e-2 * gain
    linear = x[:, :1] @ x[:, :1].T
    flipped = np.where(np.arange(60) % 2, y, -y)
    k = int(collapse_threshold(x[:, :1], flipped))
    assert k > 3
    assert kernel_fit(linear, flipped, nu=(k - 2) / 60, C=C).regime == "zero"


def test_working_sets_give_the_same(monkeypatch):
    from noisytheory.topics.top_k import kernel_dual

    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 3))
    y = np.sign(np.sin(2 * x[:, 0]) + 0.3 * rng.normal(size=300))

    def kernel(a, b):
        return np.exp(-((a[:, None] - b) ** 2).sum(-1))

    whole = kernel_fit(kernel, y, nu=0.4, C=300.0, points=x, tol=1e-6)
    monkeypatch.setattr(kernel_dual, "WORKING", 100)
    monkeypatch.setattr(kernel_dual, "SET", 64)
    parts = kernel_fit(kernel, y, nu=0.4, C=300.0, points=x, tol=1e-6)
    assert parts.objective == pytest.approx(whole.objective, rel=1e-5)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("loss", ["hinge", "logistic", "square", "absolute"])
def test_a_path_is_its_fits_to_the_gap_that_it_proves(loss, intercept):
    x, y = problem(loss, seed=4)
    for scaling, tol in (("paper", 1e-4), ("average", 1e-2)):
        found = path(x, y, loss, C=0.5, intercept=intercept, scaling=scaling, tol=tol,
                     floor=0.0)
        assert found.k.tolist() == list(range(1, 41))
        assert found.gap.max() <= tol
        values = []
        for k, w in zip(range(1, 41), found.coef, strict=True):
            own = INDIVIDUAL[loss].values(y, x @ w[:3] + (w[3] if intercept else 0))
            outer = k / 40 if scaling == "paper" else 1
            values.append(outer * average_top_k(own, k) + w[:3] @ w[:3])
        # The value at the model is what is said, or less; and no model is better than the best.
        assert np.all(values <= found.objective * (1 + 1e-9))
        for k in (1, 6, 13, 19, 26, 35, 40):
            best = fit(x, y, loss, k=k, C=0.5, intercept=intercept, scaling=scaling).objective
            assert found.objective[k - 1] <= best * (1 + found.gap[k - 1]) + 1e-9
            assert values[k - 1] >= best * (1 - 2e-6) - 1e-9
    assert found.fits < 40


@pytest.mark.filterwarnings("ignore:at .* k from .* another model's")
@pytest.mark.parametrize("scaling", ["paper", "average"])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("loss", ["hinge", "logistic", "squared-hinge", "square", "absolute"])
@pytest.mark.parametrize(("floor", "tol"), [(1.0, 0.05), (0.1, 0.25), (1e-3, 0.2), (0.0, 0.2)])
def test_a_path_bounds_every_optimum(loss, intercept, scaling, floor, tol):
    """By a share of what is gained at each k, or of the floor; and says which are zero."""
    x, y = problem(loss, n=60, seed=4)
    times = np.random.default_rng(2).integers(1, 3, 60)
    settings = dict(C=0.5, intercept=intercept, scaling=scaling, sample_weight=times)
    total = int(times.sum())
    found = path(x, y, loss, floor=floor, tol=tol, **settings)
    at = np.unique(np.append(np.linspace(1, total, 12).astype(int), total))
    exact = [fit(x, y, loss, k=int(k) if k > 1 else 1 / total, tol=1e-8, **settings) for k in at]
    best = np.array([one.objective for one in exact])
    losses = INDIVIDUAL[loss].values(y, 0 * y)
    none = np.array([least_constant(INDIVIDUAL[loss], y, times / total, k / total) if intercept
                     else k / total * average_top_k(losses, k / total, sample_weight=times)
                     for k in at]) * (1 if scaling == "paper" else total / at)
    value, dual = found.objective[at - 1], found.dual[at - 1]
    assert np.all(dual <= best * (1 + 1e-7) + 1e-12) and np.all(best <= value * (1 + 1e-7))
    zero = np.array([one.regime == "zero" for one in exact])
    gain = np.maximum(none - dual, floor * (none - best)[-1])
    gain = np.where(found.regime[at - 1] == "zero", value, gain)
    assert np.all(value - dual <= 1.002 * tol * np.minimum(value, gain) + 1e-11)
    assert found.gap.max() <= tol
    assert np.all(value <= none * (1 + 1e-9))
    sure = (value - dual <= 0.25 * (none - dual)) & (found.regime[at - 1] != "zero")
    if intercept and INDIVIDUAL[loss].margin:
        # Another intercept may be about as good.
        assert not np.any(found.determined[at - 1] & ~sure)
    else:
        assert np.array_equal(found.determined[at - 1] & (found.regime[at - 1] != "zero"), sure)
    own = np.array([INDIVIDUAL[loss].values(y, x @ w[:3] + (w[3] if intercept else 0))
                    for w in found.coef[at - 1]])
    largest = [average_top_k(v, k / total, sample_weight=times) for v, k in zip(own, at,
                                                                                 strict=True)]
    outer = at / total if scaling == "paper" else 1
    ridge = (found.coef[at - 1, :3] ** 2).sum(axis=1)
    assert np.all(outer * largest + ridge <= value * (1 + 1e-9))
    assert not np.any((found.regime[at - 1] == "zero") & ~zero)
    if INDIVIDUAL[loss].margin and loss == "hinge" and scaling == "paper":
        threshold = collapse_threshold(x, y, intercept=intercept, sample_weight=times)
        if floor < 0.5:
            assert threshold - 1 <= found.zero_up_to <= threshold * (1 + 1e-9)
        else:
            assert found.zero_up_to == 0  # nobody asks


@pytest.mark.parametrize("loss", ["hinge", "logistic", "squared-hinge"])
def test_next_to_the_collapse_every_model_is_the_minimiser_of_its_own_k(loss):
    """There the coefficients gain next to nothing of what they do at the largest k, and sort well:
    the least useful k has a tenth of the largest k's errors, and zero has half of all.
    """
    rng, slope = np.random.default_rng(0), np.geomspace(0.1, 1, 4)
    x = rng.normal(size=(200, 4)) * slope[::-1]
    y = np.where(x @ slope + 0.05 * rng.logistic(size=200) >= 0, 1.0, -1.0)
    points = rng.normal(size=(2000, 4)) * slope[::-1]
    held = points, np.where(points @ slope >= 0, 1.0, -1.0)
    first = first_useful_k(x, y)
    ks = [first - 1, first, first + 1, first + 9, 100, 200]
    exact = [fit(x, y, loss, k=k, C=1.0, tol=1e-8) for k in ks]
    errors = [np.mean(np.where(one.scores(held[0]) >= 0, 1, -1) != held[1]) for one in exact]
    assert errors[1] < 0.2 * errors[-1] < errors[0]
    gains = np.array(ks) / 200 - [one.objective for one in exact]
    assert gains[1] < 1e-3 * gains[-1]
    settings = dict(C=1.0, test=held, tol=1e-2, floor=0.0)
    few = path(x, y, loss, ks=ks, **settings)
    every = path(x, y, loss, **settings)
    at = np.array(ks) - 1
    for found, objective, error, regime in (
        (few, few.objective, few.error, few.regime),
        (every, every.objective[at], every.error[at], every.regime[at]),
    ):
        assert found.zero_up_to == first - 1
        assert regime.tolist()[:4] == [one.regime for one in exact[:4]]
        over = objective - [one.objective for one in exact]
        assert np.all(over <= found.gap.max() * gains + 1e-12)
        assert error == pytest.approx(errors, abs=0.01)
        assert found.gap.max() <= 1e-2
    chosen = select(x, y, loss, validation=held, Cs=[1.0], ks=ks)
    assert chosen.errors[0] == pytest.approx(errors, abs=0.003)


@pytest.mark.parametrize("loss", ["hinge", "logistic", "square", "absolute"])
def test_of_weighted_examples_that_gain_little_every_model_is_the_minimiser_of_its_own_k(loss):
    """Next to the collapse, or beside a constant that is nearly all there is to predict."""
    rng, slope = np.random.default_rng(1), np.geomspace(0.1, 1, 4)
    x, times = rng.normal(size=(50, 4)) * slope[::-1], rng.integers(0, 4, 50)
    signal, total = x @ slope, int(times.sum())
    if INDIVIDUAL[loss].margin:
        y = np.where(signal + 0.05 * rng.logistic(size=50) >= 0, 1.0, -1.0)
        first = int(collapse_threshold(x, y, intercept=True, sample_weight=times) + 1 + 1e-7)
        ks = [first - 1, first, first + 1, first + 5, total // 2, total]
    else:
        y = 5 + 0.03 * signal + 0.2 * rng.standard_t(3, size=50)
        ks = [1, 2, 5, 20, total // 2, total]
    many, answers = np.repeat(x, times, axis=0), np.repeat(y, times)
    settings = dict(C=1.0, intercept=True)
    exact = [fit(many, answers, loss, k=k, tol=1e-8, **settings) for k in ks]
    gain = [least_constant(INDIVIDUAL[loss], answers, None, k / total) - one.objective
            for k, one in zip(ks, exact, strict=True)]
    assert min(gain[1:]) < 0.01 * max(one.objective for one in exact)
    at = np.array(ks) - 1
    found = path(x, y, loss, sample_weight=times, tol=1e-2, floor=0.0, **settings)
    assert found.k[at].tolist() == ks
    over = found.objective[at] - [one.objective for one in exact]
    assert np.all(np.abs(over) <= 1e-2 * np.array(gain) + 1e-9)
    for one, w in zip(exact, found.coef[at], strict=True):
        # The square of the distance is twice the gap's at most.
        assert np.linalg.norm(w[:4] - one.coef) <= 0.15 * np.linalg.norm(one.coef) + 1e-9
    assert (found.regime[at] == "zero").tolist() == [one.regime == "zero" for one in exact]


@pytest.mark.parametrize("loss", ["hinge", "logistic", "squared-hinge", "absolute"])
def test_a_rough_fit_and_a_rough_path_name_the_level_and_the_regime(loss):
    x, y = problem(loss, n=24, seed=1)
    ks = [14, 18, 21, 23]
    exact = [fit(x, y, loss, k=k, C=3.0, tol=1e-10) for k in ks]
    losses = [np.sort(INDIVIDUAL[loss].values(y, one.scores(x)))[::-1] for one in exact]
    levels = [ordered[k - 1] for k, ordered in zip(ks, losses, strict=True)]
    # Where the largest losses end at 0 all that are not 0 count.
    regimes = ["nu" if level > 1e-3 else "C" for level in levels]
    rough = [fit(x, y, loss, k=k, C=3.0, tol=1e-3) for k in ks]
    found = path(x, y, loss, C=3.0, ks=ks, tol=1e-3, floor=0.0)
    assert [one.regime for one in rough] == found.regime.tolist() == regimes
    assert [one.level for one in rough] == pytest.approx(levels, abs=0.05)
    assert found.level == pytest.approx(levels, abs=0.05)


def test_a_path_that_proves_less_than_was_asked_for_says_so():
    x = np.random.default_rng(0).normal(size=(60, 2))
    y = np.where(np.arange(60) < 1, 1, -1)
    with pytest.warns(NotCertified, match="k from . to 60 what the coefficients gain"):
        found = path(x, y, "hinge", C=1e-12, intercept=True, floor=0.1)
    assert not found.determined.any()
    with pytest.warns(NotCertified, match="gap .* in place of 1e-09 at k="):
        path(x, y, "logistic", C=1e6, intercept=True, tol=1e-9)
    assert path(x, np.zeros(60), "square").gap.max() == 0


@pytest.mark.parametrize("scaling", ["paper", "average"])
@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_paths_and_choices_take_weights_as_repetitions(loss, scaling):
    x, y = problem(loss, n=24, seed=3)
    times = np.random.default_rng(1).integers(0, 3, len(y))
    many, answers = np.repeat(x, times, axis=0), np.repeat(y, times)
    settings = dict(C=5.0, intercept=True, scaling=scaling, tol=1e-4, floor=0.0)
    repeated = path(many, answers, loss, **settings)
    weighted = path(x, y, loss, sample_weight=times, test=(many, answers), **settings)
    assert weighted.k == pytest.approx(repeated.k)
    assert weighted.objective == pytest.approx(repeated.objective, rel=2e-4)
    assert np.abs(weighted.error - repeated.error).max() <= 3 / len(answers)
    total = int(times.sum())
    common = dict(validation=problem(loss, seed=9), Cs=[0.1, 10.0], scaling=scaling)
    chosen = select(many, answers, loss, ks=[total // 2, total], **common)
    again = select(x, y, loss, ks=[total // 2, total], sample_weight=times, **common)
    assert again.errors == pytest.approx(chosen.errors)
    assert (again.C, again.k * total) == pytest.approx((chosen.C, chosen.k))


@pytest.mark.parametrize("tol", [0, 2.0, float("nan")])
def test_a_kernel_path_to_no_gap_is_refused(tol):
    with pytest.raises(ValueError, match="tol must be a finite number in"):
        kernel_path(np.eye(4), [1, 1, -1, -1], C=1.0, tol=tol)


@pytest.mark.parametrize("regression", [False, True])
def test_a_kernel_path_is_its_fits(regression):
    x, y = problem("absolute" if regression else "hinge", seed=6)
    gram = np.exp(-((x[:, None] - x) ** 2).sum(-1))
    ks = [2, 6, 10, 15, 20, 25, 30, 35, 40]
    found = kernel_path(gram, y, ks=ks, C=20.0, regression=regression, tol=1e-2)
    single = [kernel_fit(gram, y, nu=k / 40, C=20.0, regression=regression, tol=1e-8).objective
              for k in ks]
    assert found.gap.max() <= 1e-2
    assert np.all(found.objective <= np.array(single) * (1 + 1e-2))
    assert np.all(found.objective >= np.array(single) * (1 - 1e-6))
    times = np.random.default_rng(1).integers(1, 4, len(y))
    rows = np.repeat(np.arange(len(y)), times)
    repeated = kernel_path(gram[np.ix_(rows, rows)], y[rows], C=20.0, regression=regression,
                           ks=[20, 40, 60], tol=1e-4)
    weighted = kernel_path(gram, y, C=20.0, regression=regression, ks=[20, 40, 60], tol=1e-4,
                           sample_weight=times)
    assert weighted.objective == pytest.approx(repeated.objective, rel=1e-4)


def test_next_to_the_collapse_a_kernel_path_is_that_of_linear_scores():
    """There the dual's gap is a share of what next to nothing is gained."""
    rng, slope = np.random.default_rng(0), np.geomspace(0.1, 1, 4)
    x = rng.normal(size=(120, 4)) * slope[::-1]
    y = np.where(x @ slope + 0.05 * rng.logistic(size=120) >= 0, 1.0, -1.0)
    first = first_useful_k(x, y)
    ks = [first - 1, first, first + 1, first + 5, 60, 120]
    one = path(x, y, "hinge", ks=ks, tol=1e-3, floor=0.0)
    other = kernel_path(x @ x.T, y, ks=ks, C=1.0, tol=1e-3, floor=0.0)
    gain = np.array(ks) / 120 - one.objective
    assert gain[1] < 1e-3 * gain[-1]
    assert other.gap.max() <= 1e-3
    assert np.all(np.abs(other.objective - one.objective) <= 1e-3 * gain + 1e-12)
    assert other.zero_up_to == first - 1
    assert np.abs(other.error - one.error).max() <= 0.01
    chosen = kernel_select(x @ x.T, y, validation=(x @ x.T, y), Cs=[1.0], ks=ks)
    # At the first useful k next to nothing is gained: that model is not chosen.
    assert gain[4] > 1e-3 * gain[-1] and chosen.k >= 49
    assert chosen.errors[0][-2:] == pytest.approx(one.error[-2:], abs=0.01)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_at_a_small_C_the_weights_are_those_of_the_minimiser(loss, intercept):
    """There the objective is nearly its value without weights, to many digits."""
    x, y = problem(loss, n=200)
    y[:40] = 1
    ks = [130, 160, 200]
    for C in (1e-7, 1e-5, 1e-3):
        single = [fit(x, y, loss, k=k, C=C, intercept=intercept) for k in ks]
        found = path(x, y, loss, ks=ks, C=C, intercept=intercept, tol=1e-4,
                     floor=0.0)
        for k, rough, w in zip(ks, single, found.coef, strict=True):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", NotCertified)
                true = fit(x, y, loss, k=k, C=C, intercept=intercept, tol=1e-12).coef
            assert np.linalg.norm(true) > 0
            assert np.linalg.norm(rough.coef - true) <= 0.01 * np.linalg.norm(true)
            # The gap is a share of what the coefficients gain: so is the square of this.
            assert np.linalg.norm(w[:3] - true) <= 0.02 * np.linalg.norm(true)
    held = problem(loss, n=200, seed=1)
    chosen = select(x, y, loss, validation=held, Cs=[1e-5], ks=ks, intercept=intercept)
    errors = [np.mean(np.where(one.scores(held[0]) >= 0, 1, -1) != held[1]) for one in (
        fit(x, y, loss, k=k, C=1e-5, intercept=intercept, tol=1e-9) for k in ks)]
    assert chosen.errors[0] == pytest.approx(errors, abs=0.015)


def test_sampled_rows_and_all_rows_give_the_same():
    """From some thousand rows on the Hessian is a sample's; the optimum is the same."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(6400, 40)) * np.geomspace(1, 0.1, 40)
    y = np.sign(x[:, 0] + x[:, 39] + rng.logistic(size=6400))
    for k in (0.5, 0.8):
        one = fit(x, y, "logistic", k=k, C=10.0)
        other = fit(x, y, "logistic", k=k, C=10.0, solver="limited-memory", tol=1e-5)
        assert one.converged
        assert one.objective == pytest.approx(other.objective, rel=1.1e-5)


@pytest.mark.parametrize("loss", ["logistic", "squared-hinge", "hinge"])
def test_near_the_collapse_rows_are_set_aside_and_the_gap_is_of_the_gain(loss):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(8000, 6)) * np.geomspace(1, 0.1, 6)
    y = np.where(x @ rng.normal(size=6) + rng.logistic(size=8000) >= 0, 1.0, -1.0)
    k = int(1.03 * 8000 * fit(x, y, "hinge", k=1.0, C=1e7, tol=1e-5).dual)
    found = fit(x, y, loss, k=k, C=100.0)
    gain = k / 8000 - found.objective
    assert found.converged
    assert 0 < gain < 0.1 * found.objective
    assert found.gap <= 1e-6 * gain
    # An independent road to the same value; the rougher gap is larger, and within its own.
    other = fit(x, y, loss, k=k, C=100.0, solver="limited-memory", relative_to="objective")
    assert other.dual <= found.objective <= other.objective + 1e-6 * gain
    rough = fit(x, y, loss, k=k, C=100.0, relative_to="objective")
    assert rough.converged
    assert rough.gap <= 1e-6 * rough.objective
    assert rough.steps < found.steps


def test_hinge_needs_no_product_of_fits():
    x, y = problem("hinge", n=60, seed=7)
    held = problem("hinge", n=60, seed=8)
    chosen = select(x, y, "hinge", validation=held, Cs=[0.1, 1.0, 10.0, 100.0],
                    ks=useful_grid(x, y, 8))
    assert chosen.fits <= 4 + 8 + 1
    whole = fit(x, y, "hinge", k=60, C=1.0)
    assert 0 < k_bar(whole, 60) <= 60


def test_printed_steps_overflow():
    x, y = problem("logistic")
    for C, at in ((1e-5, 35), (1e-3, 67), (1e-2, 137)):
        rng = np.random.default_rng(0)
        printed = stochastic(x, y, nu=0.5, C=C, steps=300, rng=rng)
        assert abs(int(printed.overflow[0]) - at) <= 2


@pytest.mark.parametrize("loss", sorted(INDIVIDUAL))
def test_the_truncated_step_overflows_with_no_loss_and_finds_the_minimum(loss):
    x, y = problem(loss)
    for scale in (1.0, 30.0):
        sizes = scale * np.random.default_rng(2).choice([0.01, 1.0], len(y))[:, None]
        for C in (1e-5, 1.0, 1e4):
            run = stochastic(x * sizes, y, loss, nu=0.5, C=C, steps=300, runs=4, eta=10.0,
                             rng=np.random.default_rng(0), rule="truncated")
            assert run.overflow.max() == 0
            assert np.abs(run.coef).max() < 1e3
    settings = dict(nu=[0.5, 0.8], C=2.0, steps=300, runs=2, rule="truncated")
    dense, rows = (stochastic(some, y, loss, rng=np.random.default_rng(4), **settings)
                   for some in (x, sparse.csc_array(x)))
    assert np.allclose(rows.mean_coef, dense.mean_coef, rtol=1e-12)
    assert np.allclose(rows.squares, dense.squares, rtol=1e-12)
    run = stochastic(x, y, loss, nu=0.8, C=1.0, steps=2000, runs=20, rule="truncated",
                     rng=np.random.default_rng(0))
    w = run.mean_coef.mean(axis=0)
    value = 0.8 * average_top_k(INDIVIDUAL[loss].values(y, x @ w), 0.8) + w @ w / 2
    assert value <= fit(x, y, loss, k=0.8, C=1.0).objective * 1.02


def test_an_intercept_costs_the_steps_nothing_by_hand():
    """Rows of 2 as signed, and signs of either label."""
    x, y = np.array([[2.0], [-2.0]]), [1, -1]
    given = dict(nu=1.0, C=1.0, eta=0.5, rng=np.random.default_rng(0), intercept=True)
    # At 0 the loss is 1 and the slope -1; then the loss is 0, or below, and the regulariser is all.
    one, two = (stochastic(x, y, "hinge", steps=steps, **given) for steps in (1, 2))
    assert (abs(one.coef) == [1.0, 0.5]).all() and one.coef[0, 0] > 0
    assert abs(two.coef[0]) == pytest.approx([1 - 0.5 / 2**0.5, 0.5])
    assert two.squares == pytest.approx(0.25 * (4 + 1) + 0.125 * (1 + 1))
    # All steps are a half. The model of the loss is cut at 1 over 4/2 + 1/2 + 1/2.
    cut = stochastic(x, y, "hinge", steps=1, rule="truncated", level=0.0, **given)
    assert abs(cut.coef[0]) == pytest.approx([1 / 3 / 1.5, 1 / 6])
    assert cut.squares == pytest.approx(0.5 * (4 + 1))
    # At C = .1 steps are .1 in the coefficient and .2 in the intercept: of what is above the level
    # the model leaves .4 / (.1 * 4 + .2 + .2).
    less = stochastic(x, y, "hinge", steps=1, rule="truncated", level=0.6, **{**given, "C": 0.1})
    assert abs(less.coef[0]) == pytest.approx([0.5 * 0.1 * 2 / 2, 0.5 * 0.2])
    assert less.level == pytest.approx(0.6 + 0.5 * 0.2 - 0.2)


@pytest.mark.parametrize("loss", ["hinge", "logistic", "absolute", "square"])
@pytest.mark.parametrize("form", ["weights", "intercept", "average", "all, sparse"])
def test_the_truncated_step_finds_the_minimum_of_every_problem_that_fit_solves(loss, form):
    rng = np.random.default_rng(5)
    x, y = problem(loss)
    x, every = x + 0.5, form.startswith("all")
    given: dict = {}
    if form == "weights" or every:
        given["sample_weight"] = np.where(rng.random(len(y)) < 0.3, 0.0, rng.pareto(2, len(y)))
    if form == "intercept" or every:
        given["intercept"] = True
    if form == "average" or every:
        given["scaling"] = "average"
    if every:
        x = sparse.csr_array(x)
    best = fit(x, y, loss, k=0.6, C=0.5, **given)
    run = stochastic(x, y, loss, nu=0.6, C=0.5, steps=4000, runs=20, rule="truncated",
                     rng=rng, **given)
    w, d = run.mean_coef.mean(axis=0), x.shape[1]
    losses = INDIVIDUAL[loss].values(y, x @ w[:d] + (w[d] if "intercept" in given else 0.0))
    value = average_top_k(losses, 0.6, given.get("sample_weight")) * (
        1.0 if "scaling" in given else 0.6) + w[:d] @ w[:d]
    assert best.objective * (1 - 1e-6) <= value <= best.objective * 1.02


@pytest.mark.parametrize("C", [1e-3, 1.0])
@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_the_truncated_step_converges_at_a_small_C_as_well(loss, C):
    """A power of at least .4 of the steps, down to a small part of what the minimiser gains."""
    x, y = problem(loss, n=200, seed=3)
    best = fit(x, y, loss, k=0.6, C=C, tol=1e-8).objective
    gain, gaps = 0.6 * float(INDIVIDUAL[loss].at_zero) - best, []
    steps = (500, 16_000)
    for t in steps:
        run = stochastic(x, y, loss, nu=0.6, C=C, steps=t, runs=16, rule="truncated",
                         rng=np.random.default_rng(1))
        losses = INDIVIDUAL[loss].values(y, run.mean_coef @ x.T)
        ridge = (run.mean_coef**2).sum(axis=1) / (2 * C)
        gaps.append(float((0.6 * average_top_k(losses, 0.6) + ridge).mean()) - best)
    assert np.log(gaps[1] / gaps[0]) <= -0.4 * np.log(steps[1] / steps[0])
    assert gaps[1] < 0.1 * gain


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": 0}, r"k must be a whole number in \[1, 40\], got 0"),
        ({"k": 41}, r"k must be a whole number in \[1, 40\], got 41"),
        ({"k": 0.0}, r"k as a fraction must lie in \(0, 1\], got 0.0"),
        ({"k": 1.5}, r"k as a fraction must lie in \(0, 1\], got 1.5"),
        ({"C": 0.0}, "C must be a finite number > 0, got 0"),
        ({"C": np.inf}, "C must be a finite number > 0"),
        ({"loss": "huber"}, "loss must be one of logistic"),
        ({"scaling": "mine"}, "scaling must be"),
        ({"sample_weight": -np.ones(40)}, "sample_weight must be 40 finite numbers >= 0"),
        ({"tol": 0.0}, "tol must be a finite number in"),
        ({"relative_to": "mine"}, "relative_to must be one of gain, objective"),
    ],
)
def test_nonsense_is_refused(change, message):
    x, y = problem("logistic")
    with pytest.raises(ValueError, match=message):
        fit(x, y, **{"loss": "logistic", **change})


def test_bad_data_are_refused():
    x, y = problem("logistic")
    with pytest.raises(ValueError, match="both classes"):
        fit(x, np.ones(40))
    with pytest.raises(ValueError, match="y must be 1 or -1"):
        fit(x, np.arange(40.0))
    with pytest.raises(ValueError, match="X must be finite"):
        fit(np.where(np.arange(3) == 1, np.nan, x), y)
    with pytest.raises(ValueError, match="y must have one entry a row"):
        fit(x, y[:-1])
    with pytest.raises(ValueError, match=r"X must lie within \+-1e\+100"):
        fit(1e200 * x, y)
    with pytest.raises(ValueError, match="ks must hold"):
        path(x, y, ks=[])
    holes, rng = np.where(np.arange(40) == 3, np.nan, y), np.random.default_rng(0)
    rows = np.where(np.arange(3) == 1, np.nan, x)
    gram = x @ x.T
    for wrong, message in (
        (lambda: select(x, y, validation=(x, holes), Cs=[1.0], ks=[30]),
         "labels of validation must be finite"),
        (lambda: collapse_threshold(rows, y), "X must be finite"),
        (lambda: stochastic(rows, y, nu=0.5, C=1.0, steps=1, rng=rng), "X must be finite"),
        (lambda: stochastic(x, y > 0, nu=0.5, C=1.0, steps=1, rng=rng), "y must be 1 or -1"),
        (lambda: stochastic(x, y, nu=1.3, C=1.0, steps=1, rng=rng), "nu must be"),
        (lambda: kernel_fit(gram, y, nu=0.5, C=-1.0), "C must be"),
        (lambda: kernel_fit(gram, y > 0, nu=0.5, C=1.0), "y must be 1 or -1"),
        (lambda: kernel_fit(-gram, y, nu=0.5, C=1.0), "semidefinite"),
        (lambda: kernel_path(gram, y, ks=[20], C=-1.0), "C must be"),
        (lambda: path(x, y, C=-1.0), "C must be"),
        (lambda: path(x, y, tol=0.0), "tol must be"),
        (lambda: path(x, y, scaling="mine"), "scaling must be"),
        (lambda: path(x, y, floor=-0.1), "floor must be"),
        (lambda: path(x, y, floor=float("nan")), "floor must be"),
        (lambda: path(x, y, ks=[41]), "ks must hold counts in"),
        (lambda: path(x, y, sample_weight=-y), "sample_weight must be"),
        (lambda: path(x, y, sample_weight=y > 0, intercept=True), "both classes with weight"),
        (lambda: select(x, y, validation=(x, y), Cs=[1.0], ks=[30], scaling="mine"), "scaling"),
        (lambda: top_weights([1.0, 2.0], 1.5), "k as a fraction must lie in"),
        (lambda: top_weights([1.0, 2.0], 3), r"k must be a whole number in \[1, 2\], got 3"),
        (lambda: top_weights([1.0, 2.0], 0.5, [2.0, -3.0]), "sample_weight must be 2 finite"),
    ):
        with pytest.raises(ValueError, match=message):
            wrong()


@pytest.mark.parametrize("loss", ["hinge", "logistic", "squared-hinge"])
def test_separable_data_with_a_huge_C_are_solved_or_reported(loss):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(50, 2))
    y = np.sign(x[:, 0])
    x[:, 0] += 0.2 * y
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = fit(x, y, loss, k=5, C=1e8)
    assert found.converged != any(w.category is NotCertified for w in said)
    assert np.all(y * found.scores(x) > 0)
    assert found.dual <= found.objective

@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("loss", ["logistic", "logistic-natural", "exponential", "squared-hinge"])
def test_at_a_huge_C_no_dual_is_above_the_objective(loss, intercept):
    """Of separable data both are all but 0, and the gap is known as a share of them."""
    for seed, C in itertools.product(range(6), (1e10, 1e16, 1e20)):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(40, 3))
        y = np.where(x[:, 0] > 0, 1.0, -1.0)
        x[:, 0] += 3 * y
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            found = fit(x, y, loss, k=1.0, C=C, intercept=intercept)
        assert found.dual <= found.objective * (1 + 1e-14)
        # Who is not told of a gap has none.
        assert found.converged is (not said)
        assert said or found.objective - found.dual <= 1e-6 * found.objective


@pytest.mark.parametrize("solver", ["exact", "limited-memory"])
def test_exponential_losses_that_overflow_are_stepped_back_from_or_named(solver):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(30, 2)), np.where(rng.random(30) < 0.5, 1.0, -1.0)
    given = dict(k=20, C=1e-6, solver=solver)
    best = fit(x, y, "exponential", **given)
    # A start of scores in the thousands is no start.
    again = fit(x, y, "exponential", start=[1e4, 0.0], **given)
    assert again.objective == pytest.approx(best.objective, rel=1e-6)
    # At once the features are of another unit, and the first step is too long; no warning of NumPy.
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        fit(1e6 * x, y, "exponential", k=20, C=1e3, solver=solver)
    assert all(w.category is NotCertified for w in said)


def test_losses_that_overflow_at_the_end_say_what_to_do(monkeypatch):
    x, y = np.array([[1e10], [2e10], [-1e10]]), [1, -1, 1]
    monkeypatch.setattr(Task, "solve", lambda self, w, solver: (np.full(1, 1.0), np.ones(3) / 3, 1))
    with pytest.raises(ValueError, match=r"exponential losses overflow at C=1 with entries of X "
                                         r"up to 2e\+10 and of y up to 1: scale X and y to "
                                         r"about 1, or take a smaller C"):
        fit(x, y, "exponential", k=2)


def test_a_perfect_fit_that_is_less_proven_than_asked_for_says_so():
    x = np.random.default_rng(3).normal(size=(30, 2))
    y = np.sign(x[:, 0])
    x[:, 0] += 0.2 * y
    with pytest.warns(NotCertified, match="relative duality gap"):
        found = fit(x, y, "hinge", k=1, C=1e15)
    assert found.relative_gap <= 1e-6 and not found.converged
    with pytest.warns(NotCertified):
        kernel_fit(x @ x.T, y, nu=0.5, C=1e9, steps=2)
    # What the violation alone would allow leaves half of the objective unproven.
    machine = kernel_fit(x @ x.T, y, nu=0.5, C=1e6)
    assert machine.gap <= 0.01 * machine.objective


def test_the_interior_point_does_not_go_round_in_circles():
    # An epsilon-SVR whose full steps come back to where they were, at 1 per cent of the objective.
    x = np.array([[-8.0, -13], [30, -25], [20, -21]]) / 16
    y = np.array([-6.0, 2, -25]) / 16
    found = interior_point(
        np.concatenate([x, -x]), np.concatenate([y, -y]) - 837959 / 886272,
        np.full(6, 1 / 3), 3.0, np.ones(2), tolerance=1e-13,
    )
    assert found.gap < 1e-12
    # In fractions the weights are (-12305, 14321) / 55392.
    assert np.allclose(found.coef, np.array([-12305, 14321]) / 55392, rtol=0, atol=1e-9)


@pytest.mark.parametrize("loss", ["square", "absolute"])
def test_one_target_for_all_is_fitted_by_a_constant_and_certified(loss):
    # The objective is 0, below which no loss is: nothing is left to prove, and nothing is warned.
    x = np.random.default_rng(0).normal(size=(40, 3))
    found = fit(x, np.full(40, 2.5), loss, k=8, intercept=True)
    assert found.objective == found.gap == 0
    assert found.intercept == 2.5 and not found.coef.any() and found.converged


def test_a_weight_that_is_none_is_named():
    x, y = np.eye(3), [1, -1, 1]
    with pytest.raises(ValueError, match="sample_weight must be 3 finite numbers >= 0, got -2"):
        fit(x, y, sample_weight=[1, -2, 1])


def on_a_grid(values, digits):
    """So that adding a power of two is exact."""
    return np.round(values * 2.0**digits) / 2.0**digits


@pytest.mark.parametrize("loss", ["square", "absolute"])
@pytest.mark.parametrize(("k", "C"), [(1, 1e-4), (60, 1e-2), (150, 1e3), (201, 1.0)])
def test_beside_an_intercept_a_target_may_be_seen_from_anywhere(loss, k, C):
    """The problem is the same in y - c and b - c; far from 0 squares had no digits left."""
    x, y = problem(loss, n=201)
    y = on_a_grid(y, 26)
    times = np.arange(201) % 3
    for weight, scaling in ((None, "paper"), (times, "average")):
        common = dict(k=k, C=C, intercept=True, sample_weight=weight, scaling=scaling)
        near = fit(x, y, loss, **common)
        far = fit(x, y + 2.0**20, loss, **common)
        assert far.converged and far.regime == near.regime
        # Two that are certified differ by no more than both lack.
        assert abs(far.objective - near.objective) <= 2e-6 * near.objective
        rounding = 1 + 1e-13
        assert far.dual <= near.objective * rounding and near.dual <= far.objective * rounding
        # What is gained over the best constant is found, too.
        masses = None if weight is None else weight / weight.sum()
        none = least_constant(INDIVIDUAL[loss], y, masses, near.nu)
        none /= near.nu if scaling == "average" else 1.0
        assert none - far.objective == pytest.approx(none - near.objective, rel=1e-5)
        exact = float(exactly(loss, np.repeat(x, 1 if weight is None else times, axis=0),
                              np.repeat(y + 2.0**20, 1 if weight is None else times), k, C,
                              scaling, far.coef, far.intercept))
        assert far.objective == pytest.approx(exact, rel=1e-8)


@pytest.mark.parametrize("loss", ["square", "absolute", "hinge", "logistic"])
def test_beside_an_intercept_rows_may_be_seen_from_anywhere(loss):
    """With a free constant coefficients do not depend on where the features' 0 is."""
    x, y = problem(loss, n=100)
    x = on_a_grid(x, 20)
    where = 2.0**27 * np.array([1.0, -1.0, 0.0])
    for k, C in ((1, 1.0), (50, 100.0), (90, 1e-2)):
        near = fit(x, y, loss, k=k, C=C, intercept=True)
        far = fit(x + where, y, loss, k=k, C=C, intercept=True)
        assert far.converged
        assert far.objective == pytest.approx(near.objective, rel=2e-6)
        rounding = 1 + 1e-13
        assert far.dual <= near.objective * rounding and near.dual <= far.objective * rounding
        shift = float(where @ far.coef)
        assert far.intercept + shift == pytest.approx(near.intercept, abs=1e-2)


@pytest.mark.parametrize("loss", ["square", "absolute", "logistic"])
def test_a_start_is_one_of_the_problem_as_given(monkeypatch, loss):
    x, y = problem(loss, n=100)
    x = x + 2.0**20
    if not INDIVIDUAL[loss].margin:
        y = y + 2.0**20
    found = fit(x, y, loss, k=50, intercept=True)
    begun, solve = [], Task.solve

    def seen(self, w, solver):
        begun.append(self.objective(w))
        return solve(self, w, solver)

    monkeypatch.setattr(Task, "solve", seen)
    fit(x, y, loss, k=50, intercept=True, start=np.append(found.coef, found.intercept))
    assert begun == pytest.approx([found.objective], rel=1e-6)


def test_weights_of_a_start_and_what_they_leave_add_up_to_their_ends():
    r = np.concatenate([[0.0], np.geomspace(1e-12, 1e6, 40)])
    for mu in (1e-14, 1e-6, 1.0):
        shares = mu / _central(r, mu) + mu / _central(-r, mu)
        assert np.abs(shares - 1).max() <= 1e-15


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize(("loss", "n", "d", "k", "C", "steps"), [
    ("square", 2000, 20, 1, 1.0, 20),  # a short tail: the threshold is far above the mean
    ("square", 2000, 20, 0.05, 100.0, 45),  # the central path gets there before Newton's steps
    ("absolute", 2000, 20, 1, 1.0, 20),
    ("absolute", 3000, 5, 1.0, 1e-2, 20),  # all losses count: no threshold
    ("absolute", 9000, 2, 0.05, 1e-4, 60),  # a gain so small that rounding counts
    ("square", 12000, 20, 1, 1e4, 80),  # few rows decide: none is to be smoothed
    ("square", 9000, 2, 1, 1e-4, 20),  # rows that are set aside have no weight
])
def test_residuals_take_few_steps(loss, n, d, k, C, steps, intercept):
    """Each of these took two to ten times as many, beside an intercept or without."""
    x, y = problem(loss, n, d)
    assert fit(x, y, loss, k=k, C=C, intercept=intercept).steps <= steps


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("C", [1e-16, 1e-14, 1e-12, 1e-9, 1e-5])
def test_the_average_square_is_ridge_regression_at_every_C(C, intercept):
    """What a small C gains is less than the last digit of the objective: zero seemed as good."""
    for seed in range(5):
        x, y = problem("square", n=60, seed=seed)
        y = y + 100
        rows, targets = (x - x.mean(axis=0), y - y.mean()) if intercept else (x, y)
        w = np.linalg.solve(2 * C / 60 * rows.T @ rows + np.eye(3), 2 * C / 60 * rows.T @ targets)
        found = fit(x, y, "square", k=1.0, C=C, intercept=intercept)
        assert found.coef == pytest.approx(w, rel=1e-6, abs=0)
        if intercept:
            assert found.intercept == pytest.approx(y.mean() - x.mean(axis=0) @ w, rel=1e-9)


@pytest.mark.parametrize("loss", ["logistic", "squared-hinge", "exponential"])
def test_at_the_least_C_coefficients_of_the_average_are_the_mean_row(loss):
    x, y = problem(loss, n=60)
    found = fit(x, y, loss, k=1.0, C=1e-13)
    mean = -INDIVIDUAL[loss].slope_at_zero * y @ x / 60
    assert found.coef == pytest.approx(1e-13 * mean, rel=1e-9, abs=0)


@pytest.mark.parametrize("loss", ["absolute", "square"])
@pytest.mark.parametrize(("target", "intercept"), [(0.0, False), (0.0, True), (3.0, True)])
@pytest.mark.parametrize("k", [1, 0.6, 1.0])
def test_what_a_constant_fits_exactly_is_fitted_exactly(loss, target, intercept, k):
    """Where nothing is lost at the start a barrier of its size is none."""
    found = fit([[1.0], [2.0]], [target, target], loss, k=k, intercept=intercept)
    assert (found.objective, found.coef.tolist(), found.intercept) == (0.0, [0.0], target)


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_of_few_separable_examples_a_long_model_is_found(loss):
    """At k = 1 it is the machine of the largest margin, scaled: losses fall with the least margin.

    A step of the central path may raise a loss that is a hundredth to any height.
    """
    rng = np.random.default_rng(846)
    x, w = rng.normal(size=(8, 3)), rng.normal(size=3)
    y = np.where(x @ w > 0, 1.0, -1.0)
    best, b = cp.Variable(3), cp.Variable()
    cp.Problem(cp.Minimize(cp.sum_squares(best)), [cp.multiply(y, x @ best + b) >= 1]).solve(
        solver=cp.CLARABEL, tol_gap_rel=1e-12, tol_feas=1e-12)
    square = float(best.value @ best.value)
    for C in np.geomspace(1e3, 1e5, 9):
        found = fit(x, y, loss, k=1, C=C, intercept=True)
        least = minimize_scalar(lambda s, C=C: float(
            INDIVIDUAL[loss].psi(np.array(s))) / 8 + s**2 * square / (2 * C), (1.0, 5.0))
        assert found.converged and found.objective == pytest.approx(least.fun, rel=1e-6)


def test_where_ties_make_the_best_constant_the_minimiser_it_is_found_without_a_warning():
    """Of 800 such problems of small whole numbers 27 warned, mostly of gaps of 1e-12. Of 3,000 one,
    which is not among these, still does, where something is gained: of 1.4e-6.
    """
    problems = [([[-1.0], [-2.0], [-1.0], [0.0]], [0.0, -1.0, -1.0, 0.0], 1)]
    for seed in range(40, 440):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(4, 12)), int(rng.integers(1, 3))
        problems.append((rng.integers(-2, 3, (n, d)).astype(float),
                         rng.integers(-1, 2, n).astype(float), int(rng.integers(1, n + 1))))
    none = 0
    for rows, y, k in problems:
        found = fit(rows, y, "absolute", k=k, C=1.0, intercept=True)
        assert found.converged
        none += not found.coef.any()
    assert none >= 10


@pytest.mark.parametrize(("rows", "y", "loss", "more", "coef", "level"), [
    (None, [2.0, 2.0, 2.0, 2.0], "square", {"intercept": True}, [0, 0, 2], 0),
    (None, [0.0, 0.0, 0.0, 0.0], "square", {}, [0, 0], 0),
    (None, [1.0, 2.0, 0.0, 0.0], "absolute",
     {"intercept": True, "sample_weight": [0, 1, 0, 0]}, [0, 0, 2], 0),
    (np.zeros((4, 2)), [1, 1, -1, 1], "hinge", {}, [0, 0], 1),
    (np.zeros((4, 2)), [1, 1, -1, 1], "logistic", {"intercept": True}, [0, 0, 0], 1)])
def test_the_truncated_step_stays_where_no_coefficients_change_a_loss(
        rows, y, loss, more, coef, level):
    rows = [[-2.0, 1.0], [-1.0, 0.0], [1.0, 0.5], [2.0, 3.0]] if rows is None else rows
    run = stochastic(rows, y, loss, nu=0.5, C=1.0, steps=50, rule="truncated",
                     rng=np.random.default_rng(0), **more)
    assert run.coef.tolist() == run.mean_coef.tolist() == [coef]
    assert run.level.tolist() == run.mean_level.tolist() == [level]


def test_a_stochastic_C_is_one_that_fit_takes():
    given = dict(nu=0.1, steps=5, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="C must be at least 1e-300"):
        stochastic([[1.0], [-1.0]], [1, -1], C=1e-320, **given)
    with pytest.raises(ValueError, match="C over nu must be finite"):
        stochastic([[1.0], [-1.0]], [1, -1], C=1e308, scaling="average", **given)


def test_where_squares_tie_none_is_proven_best_and_nobody_is_warned():
    found = fit([[1.0], [-1.0]], [-1, -1], "square", k=2, C=1e8, sample_weight=[1, 3],
                scaling="average")
    assert found.converged
    assert (found.objective, found.dual) == pytest.approx((1, 1), rel=1e-12)


def test_scales_at_the_end_of_the_arithmetic_are_refused_or_warned_of():
    rows = [[1.0, -1, 0], [0, 1, 0], [1, 0, 1], [0, 0, 1], [1, 0, -1], [-1, 1, 1], [1, 1, -1],
            [1, 0, -1]]
    y = np.array([0.0, -1, 1, 0, 1, -1, 1, 1])
    learn = partial(fit, 1e100 * np.array(rows), loss="square", k=4, C=0.1, tol=1e-9,
                    sample_weight=[3.0, 0, 2, 0, 2, 0, 0, 3])
    with pytest.raises(ValueError, match="y must be 0 or reach 1e-100"):
        learn(y=1e-150 * y)
    with pytest.warns(NotCertified):
        learn(y=1e-100 * y)


@pytest.mark.parametrize("loss", ["hinge", "absolute", "logistic", "squared-hinge"])
@pytest.mark.parametrize("intercept", [False, True])
def test_very_uneven_weights_take_no_more_steps_than_even_ones(loss, intercept):
    """Weights without a mean: one in 35 such fits of the hinge loss ended uncertified."""
    steps = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(150, 4))
        y = x @ rng.normal(size=4) + 2 * rng.normal(size=150)
        y = np.where(y > 0, 1.0, -1.0) if individual(loss).margin else y
        weight = rng.pareto(0.5, size=150) + 0.01
        found = fit(x, y, loss, k=(0.02, 0.3, 1.0)[seed % 3], C=10.0 ** rng.uniform(-4, 4),
                    intercept=intercept, sample_weight=weight)
        assert found.converged
        steps.append(found.steps)
    assert np.mean(steps) <= 18
