"""All k of a kernel machine, where a smooth kernel gains next to nothing at small k."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from sklearn.datasets import make_moons

from noisytheory.learners.average_top_k import AverageTopKSVC
from noisytheory.topics.top_k import kernel_fit, kernel_path, kernel_paths
from noisytheory.topics.top_k.kernel_dual import descended
from noisytheory.topics.top_k.kernel_steps import gathered
from noisytheory.topics.top_k.minimise import NotCertified
from noisytheory.vocabulary.kernels import Gaussian


@pytest.mark.parametrize("C", [1.0, 1e3])
@pytest.mark.parametrize("bandwidth", [0.5, 3.0])
@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("form", [{}, {"tol": 0.05, "floor": 0.1}])
def test_all_k_are_a_few_fits(monkeypatch, C, bandwidth, regression, form):
    x, y = make_moons(90, noise=0.25, random_state=0)
    target = np.sin(2 * x[:, 0]) + 0.2 * y if regression else 2.0 * y - 1
    gram = np.exp(-((x[:, None] - x) ** 2).sum(-1) / (2 * bandwidth**2))
    steps = []

    def counted(*args, **given):
        found = descended(*args, **given)
        steps.append(found[0].steps)
        assert len(steps) <= 60
        return found

    monkeypatch.setattr(kernel_paths, "descended", counted)
    found = kernel_path(gram, target, C=C, regression=regression, **form)
    tol = form.get("tol", 0.25)
    assert found.gap.max() <= tol
    size = np.abs(target).mean() if regression else 1.0
    single = []
    for k in (30, 60, 90):
        one = kernel_fit(gram, target, nu=k / 90, C=C, regression=regression, tol=1e-3)
        single.append(one.steps)
        at = found.objective[k - 1]
        assert found.dual[k - 1] - 1e-9 <= one.objective
        assert at >= one.dual - 1e-9
        assert at - found.dual[k - 1] <= tol * size
    assert found.determined[-1]
    # At least some tens of steps an example: fits at a tolerance that is not asked may take fewer.
    assert sum(steps) <= 40 * max(*single, 90)


@pytest.mark.parametrize("floor", [0.1, 0.5])
def test_below_the_floor_nothing_is_determined_and_what_is_said_of_it_is_true(floor):
    X, y = make_moons(120, noise=0.25, random_state=0)
    found = AverageTopKSVC().path(X, y, floor=floor)
    gain = found.k / 120 - found.dual
    open_ = ~found.determined
    assert open_.any()
    assert np.all(gain[open_] <= floor * gain[-1])
    assert np.all(found.determined[gain > floor * gain[-1]])
    # The error is that of the model whose coefficients are given.
    model = AverageTopKSVC()
    gram = model._matrix(X, y, None)[-1]
    wrong = ((gram @ found.coef.T >= 0) != (y == 1)[:, None]).mean(axis=0)
    assert found.error == pytest.approx(wrong)


@pytest.mark.parametrize("floor", [-0.1, 1.5, float("nan")])
def test_a_floor_is_a_share(floor):
    with pytest.raises(ValueError, match="floor must be a finite number in"):
        kernel_path(np.eye(4), [1, 1, -1, -1], C=1.0, floor=floor)


def drawn(n, regression, seed=0):
    """Points, labels and their Gaussian Gram matrix."""
    x, y = make_moons(n, noise=0.25, random_state=seed)
    return x, np.sin(2 * x[:, 0]) + 0.2 * y if regression else 2.0 * y - 1, Gaussian(0.7)(x, x)


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("regression", [False, True])
def test_a_path_is_proven_beside_another_solver(C, regression):
    n = 30
    _, y, gram = drawn(n, regression)
    found = kernel_path(gram, y, C=C, regression=regression)
    assert found.gap.max() <= 0.25
    root = np.linalg.cholesky(gram + 1e-10 * np.eye(n))
    w = cp.Variable(n)
    losses = cp.abs(y - root @ w) if regression else cp.pos(1 - cp.multiply(y, root @ w))
    for count in (1, 2, 5, 9, 16, 24, 30):
        largest = cp.sum_largest(losses, count) if count < n else cp.sum(losses)
        problem = cp.Problem(cp.Minimize(largest / n + cp.sum_squares(w) / (2 * C)))
        value = problem.solve(solver=cp.CLARABEL)
        at, scores = count - 1, gram @ found.coef[count - 1]
        each = np.abs(y - scores) if regression else np.maximum(1 - y * scores, 0)
        own = np.sort(each)[-count:].sum() / n + found.coef[at] @ scores / (2 * C)
        assert found.dual[at] - 1e-6 <= value <= own + 1e-6
        assert own <= found.objective[at] + 1e-12
        assert found.objective[at] - value <= 0.25 * (found.objective[at] + 1e-6)


@pytest.mark.parametrize("regression", [False, True])
def test_weights_are_repeated_rows(regression):
    _, y, gram = drawn(24, regression)
    times = np.random.default_rng(1).integers(1, 4, len(y))
    rows = np.repeat(np.arange(len(y)), times)
    ks = [3, 10, 20, 30, int(times.sum())]
    one = kernel_path(gram, y, ks=ks, C=1.0, regression=regression, sample_weight=times)
    other = kernel_path(gram[np.ix_(rows, rows)], y[rows], ks=ks, C=1.0, regression=regression)
    for k, low, high in zip(ks, np.maximum(one.dual, other.dual),
                            np.minimum(one.objective, other.objective), strict=True):
        value = kernel_fit(gram, y, nu=k / times.sum(), C=1.0, regression=regression, tol=1e-8,
                           masses=times / times.sum()).objective
        assert low - 1e-9 <= value <= high + 1e-9
    assert max(one.gap.max(), other.gap.max()) <= 0.25


@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("n", [90, 300])
def test_at_a_small_C_all_weights_are_known_and_all_k_are_one_solution_without_a_step(
    monkeypatch, n, regression
):
    """Scores that are next to nothing change no slope: each weight is its mass, with its sign."""
    _, y, gram = drawn(n, regression)
    y = y + 0.5 * np.sign(y) * regression  # no label is near 0
    steps = []

    def counted(*args, **given):
        found = descended(*args, **given)
        steps.append(found[0].steps)
        return found

    monkeypatch.setattr(kernel_paths, "descended", counted)
    found = kernel_path(gram, y, C=0.01, regression=regression)
    assert found.gap.max() <= 0.25
    assert steps == [0] and found.fits == 1
    # Of regression weights of the largest losses prove most k without a mixture.
    assert len(found.knots) <= 6
    assert found.coef[-1] == pytest.approx(0.01 * np.sign(y) / n, rel=1e-9)


def test_sums_of_rows_are_counted_on_the_way():
    rng = np.random.default_rng(0)
    x, order, weights = rng.normal(size=(7, 3)), rng.permutation(7)[:5], rng.normal(size=5)
    gram, image = np.ascontiguousarray(x @ x.T), np.zeros(7)
    found = gathered(gram, order, weights, 3, image)
    steps = np.vstack([np.zeros(3), np.cumsum(weights[:, None] * x[order], axis=0)])
    assert found == pytest.approx((steps**2).sum(axis=1))
    assert image == pytest.approx(x @ steps[3])


@pytest.mark.parametrize("regression", [False, True])
def test_a_kernel_is_its_gram_matrix(regression):
    x, y, gram = drawn(60, regression)
    one = kernel_path(gram, y, C=3.0, regression=regression)
    other = kernel_path(Gaussian(0.7), y, points=x, C=3.0, regression=regression)
    assert other.objective == pytest.approx(one.objective, rel=1e-9)
    # Scores of the sample are told without the kernel; of the same points beside it, with it.
    beside = kernel_path(gram, y, C=3.0, regression=regression, test=(gram, y))
    assert beside.error == pytest.approx(one.error, abs=1e-9)


def test_where_little_is_gained_a_model_is_better_than_none():
    """A length of the lowest solution is best at each k, and errors are those of its direction."""
    _, y, gram = drawn(200, False)
    found = kernel_path(gram, y, C=1.0)
    assert np.all(found.objective <= found.k / 200 * (1 + 1e-12))
    low = found.knots[1]
    scores = gram @ low
    margins = np.sort(y * scores)
    below = found.place < 1
    assert margins[0] < 0 and below[0] and not found.determined[0]
    assert found.error[below] == pytest.approx(np.mean((scores >= 0) != (y > 0)), abs=1e-12)
    for k in (60, 80, 100):
        fall = margins[:k].sum() / 200
        assert fall > 0
        length = min(fall / (low @ scores), 1.0)
        value = k / 200 - length * fall + length**2 * (low @ scores) / 2
        assert found.objective[k - 1] <= value + 1e-12


@pytest.mark.parametrize("regression", [False, True])
def test_where_losses_end_above_zero_is_that_of_single_fits(regression):
    """Of the dual's weights: they are all the mass up to some k, and from there on they are not."""
    rng = np.random.default_rng(0)
    x, n, C = rng.normal(size=(40, 2)), 40, 100.0
    y = x[:, 0] ** 2 + rng.normal(size=n) if regression else np.where(
        x[:, 0] + 0.3 * rng.normal(size=n) > 0, 1.0, -1.0)
    gram = np.exp(-((x[:, None] - x) ** 2).sum(-1) / 2)
    found, seen = kernel_path(gram, y, C=C, regression=regression, tol=0.01, floor=0.01), set()
    for k, regime in zip(found.k, found.regime, strict=True):
        one = kernel_fit(gram, y, nu=k / n, C=C, regression=regression, tol=1e-8)
        if one.level > 0.1 or np.abs(one.dual_coef).sum() / C < 0.97 * k / n:
            seen.add(regime)
            assert regime == ("nu" if one.level > 0.1 else "C")
    assert seen == {"nu", "C"}


def test_where_zero_is_the_best_regression_it_is_proven_and_nobody_is_warned():
    """Most targets 0: gaps of 1e-15 were told as multiples of a gain that is none."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(5, 40))
        x = rng.integers(-2, 3, (n, 2)).astype(float)
        y = np.where(rng.random(n) < 0.6, 0.0, rng.integers(1, 5, n))
        found = kernel_fit(x @ x.T, y, nu=1.0, C=100.0, regression=True)
        assert found.gap <= 1e-2 * found.objective
    x, y = [[1.0, 0.0], [2.0, 1.0], [-1.0, 1.0], [1.0, 1.0], [0.0, 1.0]], [0.0, 0, 0, 1, 0]
    found = kernel_fit(np.array(x) @ np.array(x).T, y, nu=1.0, C=1e4, regression=True)
    assert found.objective == pytest.approx(0.2, rel=1e-10)


def test_what_is_proven_to_rounding_is_warned_of_at_no_tolerance():
    """Of a gap of 4e-16 the share that is gained, 3e-7, left 7e-9 where 1e-9 was asked for."""
    rng = np.random.default_rng(302)
    n, d = int(rng.integers(2, 25)), int(rng.integers(1, 4))
    x = rng.integers(-2, 3, (n, d)).astype(float)
    rng.integers(2)
    y = np.where(rng.random(n) < 0.6, 0.0, rng.integers(1, 5, n))
    found = kernel_fit(x @ x.T, y, nu=0.05, C=8.433669766504798e-4, regression=True, tol=1e-10)
    assert 0 <= found.gap <= 1e-12 * found.objective


@pytest.mark.parametrize("C", [1e200, 1e300])
def test_a_kernel_machine_whose_numbers_overflow_is_no_better_than_none(C):
    """Its objective was minus infinity, without a word."""
    x, y = np.array([[-2.0, 1.0], [-1.0, 0.0], [1.0, 0.5], [2.0, 3.0]]), [-2.0, -1.0, 3.5, 4.5]
    with pytest.warns(NotCertified):
        found = kernel_fit(x @ x.T, y, nu=0.8, C=C, regression=True)
    assert 0 <= found.dual <= found.objective <= 0.8 * np.sort(np.abs(y))[-4:].sum() / 3.2


def test_a_tolerance_below_rounding_is_rounding():
    """A model of 2.38 was given where the default has .557."""
    x, y = np.array([[-2.0, 1.0], [-1.0, 0.0], [1.0, 0.5], [2.0, 3.0]]), [-2.0, -1.0, 3.5, 4.5]
    some, fine = (kernel_fit(x @ x.T, y, nu=0.8, C=100.0, regression=True, tol=tol).objective
                  for tol in (1e-8, 1e-16))
    assert fine == pytest.approx(some, rel=1e-8)


def test_where_points_tie_no_scores_are_proven_best_at_a_large_C():
    """By weights that balance the points: two weights at a time left a dual of 1e-4, or .08."""
    found = kernel_fit(np.ones((4, 4)), [-1, -1, -1, 2.0], nu=0.5, C=1e8, regression=True)
    assert (found.objective, found.dual) == pytest.approx((0.75, 0.75), rel=1e-9)
    x = np.array([[0, 0], [1, 0], [0, 1], [1, 0], [1, 0], [-1, 0], [-1, -1], [1, -1], [0, 1],
                  [-1, 1], [-1, 0], [0, 1], [0, -1], [1, 0], [-1, 1]], float)
    y = np.array([-1, 1, -1, 1, 1, -1, -1, 1, -1, -1, -1, 1, 1, -1, -1.0])
    gram = np.exp(-0.5 * ((x[:, None] - x) ** 2).sum(-1))
    found = kernel_fit(gram, y, nu=0.25, C=1e5)
    assert (found.objective, found.dual) == pytest.approx((0.25, 0.25), rel=1e-9)
    assert found.regime == "zero" and not found.scores.any()


def test_scores_are_those_of_the_dual_coefficients_where_steps_went_on_in_vain():
    rng = np.random.default_rng(7)
    x, y = rng.normal(size=(10, 1)), rng.choice([-1.0, 1], 10)
    gram = np.exp(-0.5 * (x - x.T) ** 2)
    with pytest.warns(NotCertified):
        found = kernel_fit(gram, y, nu=1e-4, C=1e8, tol=1e-6, steps=100_000)
    assert found.scores == pytest.approx(gram @ found.dual_coef, abs=1e-9)
