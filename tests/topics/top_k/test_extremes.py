"""Extreme weights, scales, k and C: what is not certified says so, and nothing warns besides."""

from __future__ import annotations

import tracemalloc
import warnings

import cvxpy as cp
import numpy as np
import pytest

from noisytheory.learners.average_top_k import AverageTopKClassifier, ZeroClassifier
from noisytheory.topics.top_k import (
    NotCertified,
    average_top_k,
    fit,
    kernel_fit,
    kernel_path,
    kernel_select,
    path,
    useful_grid,
)
from noisytheory.topics.top_k import collapse as collapse_module
from noisytheory.topics.top_k import paths as paths_module
from noisytheory.topics.top_k import task as task_module
from noisytheory.topics.top_k.individual import INDIVIDUAL
from noisytheory.topics.top_k.paths import EVERY, errors_of, every_count
from noisytheory.topics.top_k.task import Task

SHARES = [0.1, 0.3, 0.5, 0.7, 1.0]


def sample(n=40, d=3, *, seed=0, noise=0.5):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    return x, np.where(x[:, 0] + noise * rng.normal(size=n) > 0, 1.0, -1.0)


def pieces(loss, y, f):
    """A loss of scores, in cvxpy's words."""
    t = cp.multiply(y, f) if INDIVIDUAL[loss].margin else y - f
    return {
        "hinge": lambda: cp.pos(1 - t), "squared-hinge": lambda: cp.square(cp.pos(1 - t)),
        "margin-square": lambda: cp.square(1 - t), "exponential": lambda: cp.exp(-t),
        "logistic": lambda: cp.logistic(-t) / np.log(2), "square": lambda: cp.square(t),
        "logistic-natural": lambda: cp.logistic(-t), "absolute": lambda: cp.abs(t),
    }[loss]()


def value(x, y, loss, w, b, nu, masses, C):
    """The paper's objective, in longer floats."""
    f = (x.astype(np.longdouble) * w.astype(np.longdouble)).sum(axis=1) + np.longdouble(b)
    losses = INDIVIDUAL[loss].values(y, f)
    order = np.argsort(-losses)
    before = np.concatenate([[0], np.cumsum(masses[order].astype(np.longdouble))[:-1]])
    p = np.clip(nu - before, 0, masses[order])
    return float((p * losses[order]).sum() + (w.astype(np.longdouble) ** 2).sum() / (2 * C))


@pytest.mark.parametrize("seed", range(160))
def test_no_minimum_is_wrong_without_a_word(seed):
    rng = np.random.default_rng(seed)
    loss = list(INDIVIDUAL)[seed % len(INDIVIDUAL)]
    margin = INDIVIDUAL[loss].margin
    n, d, free = int(rng.integers(3, 25)), int(rng.integers(1, 8)), bool(rng.random() < 0.5)
    free = free and margin
    x = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, size=(
        [(1, 1), (n, 1), (1, d)][seed % 3]))
    y = x @ rng.normal(size=d) + np.abs(x).max() * rng.normal(size=n) * rng.integers(0, 2)
    if margin:
        y = np.where(y > 0, 1.0, -1.0)
        y[:2] = 1, -1
    weight = rng.random(n) * 10.0 ** rng.integers(-6, 1, size=n) if seed % 4 == 0 else np.ones(n)
    C, nu = 10.0 ** rng.uniform(-8, 8), float(rng.choice([1e-3, 0.2, 0.5, 0.8, 1.0]))
    average = bool(rng.random() < 0.5)
    outer, inner = (1 / nu, C / nu) if average else (1.0, C)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotCertified)
        found = fit(x, y, loss, k=nu, C=C, intercept=free, sample_weight=weight,
                    scaling="average" if average else "paper")
    masses, size = weight / weight.sum(), np.abs(x).max()
    w, b, level = cp.Variable(d), cp.Variable() if free else 0.0, cp.Variable()
    over = pieces(loss, y, (x / size) @ w + b) - level
    problem = cp.Problem(cp.Minimize(
        nu * level + masses @ cp.pos(over) + cp.sum_squares(w) / (2 * inner * size**2)))
    none = value(x, y, loss, np.zeros(d), 0.0, nu, masses, inner)
    best = none
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an inaccurate solution is an upper bound as well
            problem.solve(solver="CLARABEL")
    except cp.SolverError:
        pass
    if w.value is not None:
        best = min(best, value(x, y, loss, w.value / size, float(b.value) if free else 0.0, nu,
                               masses, inner))
    own = value(x, y, loss, found.coef, found.intercept, nu, masses, inner)
    assert found.objective == pytest.approx(own * outer, rel=1e-9, abs=1e-11 * none * outer)
    # What is proven is below whatever anybody attains, certified or not.
    assert found.dual <= (best * (1 + 1e-10) + 1e-11 * none) * outer
    assert found.objective <= none * outer * (1 + 1e-9)
    if found.converged:
        assert found.objective <= (best * (1 + 1e-6) + 1e-10 * none) * outer


def test_what_a_solver_leaves_is_no_worse_than_none(monkeypatch):
    x, y = sample()
    monkeypatch.setattr(Task, "solve", lambda self, w, solver: (
        np.full_like(w, -1e3), np.zeros(len(self.targets)), 1))
    with pytest.warns(NotCertified):
        found = fit(x, y, "logistic", k=0.5)
    assert found.objective == pytest.approx(0.5, rel=1e-12)
    assert not found.coef.any()


@pytest.mark.parametrize("k", [1, 0.5, 1.0])
@pytest.mark.parametrize("loss", ["square", "absolute"])
def test_targets_that_are_all_alike_are_fitted_by_a_constant(loss, k):
    x, _ = sample()
    for target, free in ((0.0, False), (0.0, True), (3.0, True)):
        found = fit(x, np.full(40, target), loss, k=k, intercept=free)
        assert (found.objective, found.intercept, found.converged) == (0.0, target, True)
        assert not found.coef.any()
        assert path(x, np.full(40, target), loss, intercept=free).objective.max() <= 1e-12


@pytest.mark.parametrize(("seed", "loss"), [
    (0, "squared-hinge"), (7, "squared-hinge"), (8, "exponential"), (19, "margin-square"),
])
def test_a_step_that_overflows_is_not_warned_of(seed, loss):
    x, y = np.random.default_rng(seed).normal(size=(5, 6)) * 1e8, np.array([1.0, -1, 1, -1, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotCertified)
        found = fit(x, y, loss, k=3e-9, C=0.01)
    assert 0 <= found.dual <= found.objective <= 3e-9


def test_zero_is_proven_where_the_linear_programme_is_not_solved(monkeypatch):
    def unsolved(*args):
        raise RuntimeError

    monkeypatch.setattr(task_module, "balanced_weights", unsolved)
    monkeypatch.setattr(collapse_module, "balanced_weights", unsolved)
    x, y = sample(noise=0.0)
    y[::3] *= -1
    assert fit(x, y, k=2).regime == "zero"
    with pytest.warns(ZeroClassifier, match="better than none$"):
        AverageTopKClassifier(k=2, fit_intercept=False).fit(x, y)


def test_a_small_tail_of_equal_losses_has_their_mean_beside_a_large_weight():
    weight = [1e-12, 1.0, 1e-3, 1e-6]
    assert average_top_k(np.ones(4), 1e-9, weight) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize(("seed", "scaling", "size", "loss"), [
    (3, "paper", 1.0, "squared-hinge"), (3, "paper", 1.0, "exponential"),
    (4, "paper", 1.0, "logistic"), (11, "paper", 1e8, "exponential"),
])
def test_a_path_where_one_class_has_next_to_no_weight(seed, scaling, size, loss):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(14, 3)) * size, np.ones(14)
    y[7], weight = -1, 10.0 ** rng.integers(0, 12, size=14)
    weight[7] = 1e-6
    given = dict(C=0.2, intercept=True, sample_weight=weight, scaling=scaling)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotCertified)
        found = path(x, y, loss, ks=SHARES, **given)
    assert (found.dual <= found.objective).all()
    # What is left of one class costs next to nothing.
    assert (found.objective <= 1e-5).all()


def test_a_path_whose_slopes_vanish():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(60, 3))
    y = np.where(x[:, 0] + 0.3 * rng.normal(size=60) > 0, 1.0, -1.0)
    x[:20, 0] += y[:20] * 1e4
    given = dict(C=0.2, intercept=True, scaling="average",
                 sample_weight=rng.random(60) * 10.0 ** rng.integers(-15, 1, size=60))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotCertified)
        found = path(x, y, "exponential", ks=SHARES, **given)
        single = fit(x, y, "exponential", k=0.5, **given)
    assert found.dual[2] <= single.objective * (1 + 1e-9)


@pytest.mark.parametrize("seed", [9, 40, 42])
def test_a_path_whose_guesses_overflow_solves_instead(seed):
    rng = np.random.default_rng(seed)
    x, y = 100 + 1e-7 * np.round(rng.normal(size=(17, 4))), np.round(1e4 * rng.normal(size=17))
    given = dict(C=5e-5, intercept=True, sample_weight=rng.random(17))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotCertified)
        found = path(x, y, "absolute", floor=0.1, **given)
    assert found.gap.max() <= 0.25


@pytest.mark.parametrize("floor", [0.0, 0.1, 0.5, 1.0])
def test_a_path_of_rows_that_are_all_alike(floor):
    x, y = np.zeros((16, 2)), np.where(np.arange(16) % 4 == 0, 1.0, -1.0)
    x[:, 0] = -1.3268
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotCertified)
        found = path(x, y, "margin-square", C=1e10, intercept=True, floor=floor)
    # Twice the smaller class may be balanced; from there on a constant is best.
    few, k = 4 / 16, found.k / 16
    best = np.where(k <= 2 * few, k, 4 * few * (k - few) / k)
    np.testing.assert_allclose(found.objective, best, rtol=1e-9)


@pytest.mark.parametrize("loss", ["logistic", "exponential", "squared-hinge", "hinge", "absolute"])
def test_next_to_no_weight_is_none(loss):
    x, y = sample(60, noise=0.3)
    weight = np.random.default_rng(1).random(60)
    weight[:20] *= 1e-300
    x[:20] *= 1e3
    given = dict(C=1e3, k=0.4, intercept=True)
    some, rest = fit(x, y, loss, sample_weight=weight, **given), slice(20, None)
    without = fit(x[rest], y[rest], loss, sample_weight=weight[rest], **given)
    assert some.objective == pytest.approx(without.objective, rel=1e-6)
    assert not some.weights[:20].any()


def test_a_tail_whose_reciprocal_overflows_is_refused():
    x, y = sample()
    for call in (lambda: fit(x, y, k=5e-324), lambda: path(x, y, ks=[5e-324, 1.0])):
        with pytest.raises(ValueError, match=r"^ks? must"):
            call()
    with pytest.raises(ValueError, match="C over k/n must be finite"):
        fit(x, y, k=1e-200, C=1e200, scaling="average")


def test_of_weights_that_sum_to_one_a_path_has_every_example():
    """It had one k."""
    x, y = sample(30)
    for run in (path, lambda x, *args, **given: kernel_path(x @ x.T, *args, C=1.0, **given)):
        plain, shared = run(x, y), run(x, y, sample_weight=np.full(30, 1 / 30))
        assert shared.k * 30 == pytest.approx(plain.k)
        assert shared.objective == pytest.approx(plain.objective, rel=1e-6)
    assert len(every_count(29.9999999999999, 30)) == 30


def test_of_many_counts_a_path_has_so_many():
    for total in (7.0, 7.5, 2e5, 2e5 + 1, 1e7 + 0.5, 3e8, 1e15, 1e19, 1e300):
        counts = every_count(total)
        assert len(counts) <= EVERY + 1
        assert counts[0] == 1 and counts[-1] == total
        assert (np.diff(counts) > 0).all()
        if total <= EVERY:
            assert len(counts) == np.ceil(total)
            continue
        # No step is more than the larger of both kinds, and whole numbers up to thousands.
        half = EVERY // 2 - 2
        steps, ratio = total / half, total ** (1 / half)
        assert (np.diff(counts) <= np.minimum(steps, counts[:-1] * (ratio - 1)) * (
            1 + 1e-9) + 2).all()
        if total < 2**53:
            assert (counts[:-1] == np.round(counts[:-1])).all()


@pytest.mark.parametrize("total", [1e12, 1e19, 1e300])
def test_a_path_of_much_weight_holds_no_more_than_so_many_k(total):
    x, y = sample()
    tracemalloc.start()
    found = path(x, y, sample_weight=np.full(40, total / 40))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 160e6
    assert found.k[0] == 1 and found.k[-1] == pytest.approx(total)
    assert (found.k.dtype == np.int64) == (total < 2**53)
    # A share of the weight is the same problem as the share of as many rows.
    shares = found.k / total
    at = np.abs(shares - 0.5).argmin()
    single = fit(x, y, k=float(shares[at]))
    assert found.dual[at] <= single.objective * (1 + 1e-9)
    assert found.objective[at] >= single.dual * (1 - 1e-9)
    assert useful_grid(x, y, sample_weight=np.full(40, total / 40))[-1] == 1.0


@pytest.mark.parametrize("margin", [True, False])
def test_errors_of_many_points_are_those_of_some_at_a_time(margin, monkeypatch):
    rng = np.random.default_rng(2)
    points, knots = rng.normal(size=(500, 4)), rng.normal(size=(30, 5))
    answers = np.where(rng.random(500) < 0.5, 1.0, -1.0) if margin else rng.normal(size=500)
    place = np.sort(rng.uniform(0, 29, 200))
    expected = errors_of(margin, answers, points @ knots[:, :4].T + knots[:, 4], place)
    monkeypatch.setattr(paths_module, "BATCH", 30 * 64)
    found = paths_module._errors_on(margin, points, answers, knots, place, True)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_errors_hold_no_scores_of_all_points_and_models():
    rng = np.random.default_rng(3)
    points, knots = rng.normal(size=(40_000, 4)), rng.normal(size=(300, 4))
    answers, place = np.where(points[:, 0] > 0, 1.0, -1.0), np.arange(300.0)
    tracemalloc.start()
    paths_module._errors_on(True, points, answers, knots, place, False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.6 * 8 * len(points) * len(knots)


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_where_zero_is_the_minimiser_no_copy_of_the_data_is_held(loss):
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(20_000, 200)), rng.choice([-1.0, 1.0], size=20_000)
    tracemalloc.start()
    found = fit(x, y, loss, k=0.3)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.regime == "zero"
    assert peak <= 1.5 * x.nbytes


@pytest.mark.parametrize("regression", [False, True])
def test_a_kernel_machine_takes_weights_of_any_ratio(regression):
    x, y = sample()
    gram, masses = x @ x.T, 10.0 ** np.random.default_rng(5).uniform(-12, 0, 40)
    masses /= masses.sum()
    target = x[:, 1] if regression else y
    found = kernel_fit(gram, target, nu=0.5, C=1.0, masses=masses, regression=regression, tol=1e-9)
    loss = "absolute" if regression else "hinge"
    linear = fit(x, target, loss, k=0.5, C=1.0, sample_weight=masses)
    assert found.objective == pytest.approx(linear.objective, rel=1e-6)


@pytest.mark.parametrize("learn", [
    lambda x, y: fit(x, y, "square"), lambda x, y: path(x, y, "absolute", intercept=True),
    lambda x, y: kernel_fit(x @ x.T, y, nu=0.5, C=1.0, regression=True),
])
def test_targets_whose_squares_underflow_are_refused(learn):
    """At 1e-155 an objective .4 % above the least was called certified: gaps are no numbers there.
    """
    x, _ = sample()
    y = x @ np.arange(1.0, 4.0)
    with pytest.raises(ValueError, match=r"^y must be 0 or reach 1e-100: squares of less underflow,"
                                         r" got at most \d\.\d+e-155; scale it to about 1$"):
        learn(x, y * 1e-155)
    learn(x, 0 * y)


@pytest.mark.parametrize("free", [False, True])
def test_targets_that_are_small_are_fitted_as_others_are(free):
    x, _ = sample()
    y = x @ np.arange(1.0, 4.0) + np.random.default_rng(1).normal(size=40)
    large, small = (fit(x, y * size, "square", k=10, intercept=free, tol=1e-9)
                    for size in (1.0, 2.0**-330))
    assert small.coef * 2.0**330 == pytest.approx(large.coef, abs=1e-4)
    assert small.objective * 2.0**660 == pytest.approx(large.objective, rel=1e-9)
    # A test point may be of any size.
    assert path(x, y, "square", test=(x, 1e-155 * y)).error[-1] > 0


@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("linear", [False, True])
def test_a_huge_C_finds_no_worse_than_a_smaller_one_does(regression, linear):
    """The objective of one model falls with C; at 1e20 none was found here, .5 in place of .355."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 3))
    y = x @ [1.0, 2, -1] + rng.normal(size=80)
    y = y if regression else np.where(y > 0, 1.0, -1.0)
    gram = x @ x.T if linear else np.exp(-((x[:, None] - x) ** 2).sum(-1) / 2)
    at_1e8 = kernel_fit(gram, y, nu=0.5, C=1e8, regression=regression)
    for C in (1e14, 1e20, 1e200):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotCertified)
            found = kernel_fit(gram, y, nu=0.5, C=C, regression=regression)
        losses = np.abs(y - found.scores) if regression else np.maximum(1 - y * found.scores, 0)
        assert found.objective == pytest.approx(
            0.5 * average_top_k(losses, 40) + found.dual_coef @ found.scores / (2 * C), rel=1e-9)
        assert found.scores == pytest.approx(gram @ found.dual_coef, abs=1e-6)
        # Ten times the tolerance is allowed.
        assert found.dual <= found.objective <= at_1e8.objective * (1 + 1e-2)


@pytest.mark.parametrize("degree", [2, 3])
@pytest.mark.parametrize("regression", [False, True])
def test_what_cancels_in_a_kernel_proves_nothing(degree, regression):
    """Far from 0 a machine of one point was better than none, which was called proven the best: of
    weights that balance the square is rounding, and was negative.
    """
    for seed in range(12):
        rng = np.random.default_rng(seed)
        x = 10.0 ** rng.integers(3, 6) + rng.normal(size=(12, 1))
        y = rng.normal(size=12) if regression else np.where(np.arange(12) < 1, -1.0, 1.0)
        gram, C = (1 + x @ x.T) ** degree, 10.0 ** rng.integers(0, 7)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotCertified)
            found = kernel_fit(gram, y, nu=0.6, C=C, regression=regression)
        most = int(gram.diagonal().argmax())
        for value in (0.0, *y):
            scores = value / gram[most, most] * gram[most]
            losses = np.abs(y - scores) if regression else np.maximum(1 - y * scores, 0)
            other = 0.6 * average_top_k(losses, 0.6) + value**2 / gram[most, most] / (2 * C)
            assert found.dual <= other * (1 + 1e-9)


def test_kernel_machines_refuse_one_class_and_what_is_not_symmetric():
    x, y = sample(12)
    gram, one = x @ x.T, np.ones(12)
    for learn in (lambda y, **more: kernel_fit(gram, y, nu=0.9, C=10.0, **more),
                  lambda y, **more: kernel_path(gram, y, C=10.0, **more),
                  lambda y, **more: kernel_select(gram, y, validation=(gram, np.ones(12)), ks=[6],
                                               **more)):
        with pytest.raises(ValueError, match=r"^y must hold both classes, got only 1$"):
            learn(one)
    weight = np.where(y > 0, 1.0, 0.0)
    for call in (lambda: kernel_fit(gram, y, nu=0.9, C=1.0, masses=weight / weight.sum()),
                 lambda: kernel_path(gram, y, C=1.0, sample_weight=weight),
                 lambda: kernel_select(gram, y, validation=(gram, y), ks=[6],
                                       sample_weight=weight)):
        with pytest.raises(ValueError, match="both classes with weight, got one class only"):
            call()
    gram[3, 7] += 0.1
    with pytest.raises(ValueError, match=r"^gram must be symmetric, got \S+ and \S+ at 3, 7$"):
        kernel_fit(gram, y, nu=0.9, C=1.0)


def test_what_is_no_gram_matrix_is_refused():
    """Of one with an eigenvalue of -.27 all pairs are in order: it had an objective of .635, called
    least, where coefficients of 50, -70.7 and 50 have -450.
    """
    gram, y = np.array([[1, 0.9, 0], [0.9, 1, 0.9], [0, 0.9, 1]]), np.array([1.0, 1.0, -1.0])
    calls = (lambda: kernel_fit(gram, y, nu=1.0, C=3.0),
             lambda: kernel_fit(lambda x, z: gram, y, nu=1.0, C=3.0, points=np.eye(3)),
             lambda: kernel_fit(gram, y, nu=1.0, C=3.0, regression=True),
             lambda: kernel_path(gram, y, C=3.0),
             lambda: kernel_select(gram, y, validation=(gram, y), ks=[3]))
    for call in calls:
        with pytest.raises(ValueError, match=r"^gram must be positive semidefinite, got an eigenv"
                                             r"alue of -0\.27$"):
            call()
    x = np.random.default_rng(0).normal(size=(1500, 2))
    with pytest.raises(ValueError, match="positive semidefinite"):
        kernel_fit(np.tanh(x @ x.T), np.sign(x[:, 0]), nu=1.0, C=1.0)
    # Rounding of single precision is none of that, even of points far from 0.
    far = 1e4 + np.random.default_rng(0).normal(size=(1000, 1))
    kernel_fit((far @ far.T).astype(np.float32), np.resize([1.0, -1.0], 1000), nu=0.5, C=1e-12)
    x, y = sample(40)
    single = np.exp(-np.square(x[:, None] - x).sum(-1).astype(np.float32))
    assert kernel_fit(single, y, nu=1.0, C=1.0).objective == pytest.approx(
        kernel_fit(single.astype(float), y, nu=1.0, C=1.0).objective)


@pytest.mark.parametrize(("far", "told"), [(1e7, False), (1e12, True)])
def test_an_intercept_whose_last_digit_costs_too_much_is_warned_of(far, told):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 2))
    y = x @ [1.0, -2.0] + rng.normal(size=40)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        found = fit(x + far, y, "absolute", k=20, C=10.0, intercept=True)
    assert [bool(heard), not found.converged] == [told, told]
    own = 0.5 * average_top_k(np.abs(y - found.scores(x + far)), 20) + found.coef @ found.coef / 20
    assert (abs(own / found.objective - 1) <= 1e-6) is not told
