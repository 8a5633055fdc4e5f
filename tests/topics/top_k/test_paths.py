"""Paths of a few solutions: what they prove, where zero ends, and the method's parts by hand."""

from __future__ import annotations

import warnings

import cvxpy as cp
import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits

from noisytheory.learners import AverageTopKSVC
from noisytheory.topics.top_k import (
    collapse_threshold,
    first_useful_k,
    fit,
    kernel_dual,
    path,
)
from noisytheory.topics.top_k.central_path import follow
from noisytheory.topics.top_k.design import Design
from noisytheory.topics.top_k.few import Few
from noisytheory.topics.top_k.individual import INDIVIDUAL, best_constants, least_constant
from noisytheory.topics.top_k.jumps import heaviest
from noisytheory.topics.top_k.kernel_dual import kernel_fit
from noisytheory.topics.top_k.kernel_paths import kernel_path
from noisytheory.topics.top_k.minimise import NotCertified
from noisytheory.topics.top_k.paths import errors_of, merged
from noisytheory.topics.top_k.problem import Problem

CONIC = {
    "hinge": lambda t: cp.pos(1 - t),
    "logistic": lambda t: cp.logistic(-t) / np.log(2),
    "squared-hinge": lambda t: cp.square(cp.pos(1 - t)),
}


def few(*data, **settings):
    """By the gain at the largest k: what gains no more than rounding is said to."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "at .* k from .* another model's", NotCertified)
        return path(*data, **{"tol": 0.05, "floor": 0.45} | settings)


def drawn(n, d, scale=1.0, noise=1.0, seed=0):
    rng = np.random.default_rng(seed)
    x, w = rng.normal(size=(n, d)), rng.normal(size=d) / np.sqrt(d)
    y = np.where(2 * x @ w + noise * rng.logistic(size=n) >= 0, 1.0, -1.0)
    return x * np.geomspace(1, 1 / scale, d), y


@pytest.mark.parametrize("loss", list(CONIC))
@pytest.mark.parametrize(("C", "scale", "noise"), [(1.0, 1, 1.0), (1.0, 30, 1.0), (100.0, 30, 0.1)])
def test_a_conic_solver_finds_nothing_outside_of_what_a_path_proves(loss, C, scale, noise):
    x, y = drawn(80, 4, scale, noise)
    found = few(x, y, loss, C=C)
    gain = None
    for k in (80, 75, 60, 45, 30, 12, 2):
        w = cp.Variable(4)
        value = cp.sum_largest(CONIC[loss](cp.multiply(y, x @ w)), k) / 80
        problem = cp.Problem(cp.Minimize(value + cp.sum_squares(w) / (2 * C)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            problem.solve(solver=cp.CLARABEL)
        best = problem.value
        gain = 1 - best if gain is None else gain
        assert found.dual[k - 1] <= best + 1e-7
        assert best - 1e-7 <= found.objective[k - 1] <= best + 0.0501 * gain
        if found.regime[k - 1] == "zero":
            assert best == pytest.approx(k / 80, abs=1e-7)
        else:
            assert k > found.zero_up_to


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
@pytest.mark.parametrize(
    ("n", "d", "scale", "noise", "C"),
    [(400, 5, 1, 1.0, 1.0), (400, 5, 30, 0.1, 100.0), (300, 20, 1, 0.1, 1.0),
     (900, 40, 1, 0.3, 1.0), (9000, 5, 30, 1.0, 1.0), (9000, 5, 1, 0.3, 100.0)])
def test_zero_is_proven_up_to_where_it_ends(loss, n, d, scale, noise, C):
    x, y = drawn(n, d, scale, noise)
    threshold = collapse_threshold(x, y)
    found = few(x, y, loss, C=C)
    # A count fewer at most, or as much as the path lets stand.
    assert np.floor(threshold * (1 - 5e-4) - 0.3) <= found.zero_up_to <= threshold * (1 + 1e-9)
    assert found.gap.max() <= 0.05
    assert not found.coef[int(found.zero_up_to) - 1].any() or not found.zero_up_to


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_where_least_squares_are_no_better_than_a_constant_zero_ends_where_it_does(loss):
    """One of fifty is of the other class, and no direction has many of them."""
    rng = np.random.default_rng(1)
    x = np.column_stack([rng.normal(size=(1500, 3)), np.ones(1500)])
    y = np.where((rng.random(1500) < 0.02) | (x[:, 0] > 2.6), 1.0, -1.0)
    threshold = collapse_threshold(x, y)
    found = few(x, y, loss, C=1.0)
    assert threshold - 1.0 <= found.zero_up_to <= threshold * (1 + 1e-9)


def test_where_a_direction_separates_nothing_is_zero():
    x, y = drawn(200, 3, noise=0.0)
    assert collapse_threshold(x, y) == 0
    found = path(x, y, "logistic", C=1.0, floor=0.1)
    assert found.zero_up_to == 0
    assert found.gap.max() <= 0.2
    assert found.coef[0].any()


def test_where_every_k_gives_zero_a_path_is_zero():
    x, y = np.repeat([[1.0, 2.0], [0.5, -1.0]], 20, axis=0), np.tile([1.0, -1.0], 20)
    found = few(x, y, "hinge", C=1.0)
    assert found.zero_up_to == 40
    assert not found.coef.any()
    assert found.objective == pytest.approx(np.arange(1, 41) / 40)


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_next_to_the_collapse_the_models_of_a_path_sort_as_the_minimisers_do(loss):
    """Between zero and the nearest solution a mixture would have that one's direction."""
    rng, slope = np.random.default_rng(0), np.geomspace(0.1, 1, 4)
    x = rng.normal(size=(400, 4)) * slope[::-1]
    y = np.where(x @ slope + 0.05 * rng.logistic(size=400) >= 0, 1.0, -1.0)
    first = first_useful_k(x, y)
    found = path(x, y, loss, C=1.0, floor=0.1)
    assert found.zero_up_to == first - 1
    exact = fit(x, y, loss, k=first, C=1.0, tol=1e-6)
    error = np.mean(np.where(exact.scores(x) >= 0, 1, -1) != y)
    last = fit(x, y, loss, k=400, C=1.0)
    assert np.mean(np.where(last.scores(x) >= 0, 1, -1) != y) > 2 * error
    assert found.error[first - 1] == pytest.approx(error, abs=0.01)


def test_without_a_threshold_the_central_path_ends_at_the_average_loss():
    """One row of each margin: 1 - w for two of three and 1 + w, and a half of w squared."""
    rows = Design(np.array([[1.0], [1.0], [-1.0]]))
    w, weights, level, steps = follow(
        rows, lambda f: (1 - f, rows, None), np.full(3, 1 / 3), 1.0, np.ones(1),
        lambda w, weights, primal, dual: primal - dual <= 1e-9, most=30,
        start=(np.zeros(1), None, 0.1))
    assert w == pytest.approx([1 / 3], abs=1e-6)
    assert weights == pytest.approx([1 / 3] * 3, abs=1e-6)
    assert level == 0
    assert steps < 12


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
@pytest.mark.parametrize(("intercept", "scaling"), [
    (False, "paper"), (True, "paper"), (False, "average"), (True, "average")])
def test_a_path_solves_for_the_largest_k_and_for_the_end_of_zero(loss, intercept, scaling):
    """All k between are served by guesses with weights of their own."""
    x, y = drawn(500, 5)
    with warnings.catch_warnings():
        warnings.simplefilter("error", NotCertified)
        found = few(x, y, loss, intercept=intercept, scaling=scaling)
    assert found.fits <= 3
    assert found.gap.max() <= 0.05


@pytest.mark.parametrize("loss", ["hinge", "logistic", "squared-hinge"])
@pytest.mark.parametrize("intercept", [False, True])
def test_by_a_high_floor_next_to_one_solution_serves_all_k(loss, intercept):
    """It is not asked where zero ends; of what is gained at the largest k an eighth is left."""
    x, y = drawn(400, 5, scale=3)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "at .* k from .* another model's", NotCertified)
        found = path(x, y, loss, floor=0.5, intercept=intercept)
    assert found.fits <= 1 + intercept
    assert "zero" not in found.regime and found.determined.any()
    nus, kind = found.k / 400, INDIVIDUAL[loss]
    none = best_constants(kind, y, None, nus)[1] if intercept else nus * kind.at_zero
    gain = none[-1] - found.dual[-1]
    for k in (400, 380, 330, 250, 120):
        exact = fit(x, y, loss, k=k, intercept=intercept)
        assert found.dual[k - 1] <= exact.objective * (1 + 1e-9)
        assert exact.objective - 1e-6 <= found.objective[k - 1]
        own = none[k - 1] - exact.objective
        assert found.objective[k - 1] - exact.objective <= 0.25 * max(own, 0.5 * gain) + 1e-6
        if found.determined[k - 1]:
            error = np.mean(np.where(exact.scores(x) >= 0, 1, -1) != y)
            assert found.error[k - 1] == pytest.approx(error, abs=0.03)


def test_the_weights_of_the_largest_losses_by_hand():
    """Of four alike half of the mass: the largest, and of two equal ones a half each."""
    y = np.array([1.0, 1.0, -1.0, -1.0])
    some = Few(np.ones((4, 1)), y, np.full(4, 0.25), "hinge", 1.0, False, False, 0.05)
    p, level = heaviest(some, np.array([1.0, 3.0, 1.0, 0.0]), 0.5)
    assert p.tolist() == [0.125, 0.25, 0.125, 0.0]
    assert level == 1.0
    some = Few(np.ones((4, 1)), y, np.array([0.4, 0.1, 0.2, 0.3]), "hinge", 1.0, False, False, 0.05)
    p, level = heaviest(some, np.array([1.0, 3.0, 1.0, 0.0]), 0.5)
    assert p == pytest.approx([0.4 * 2 / 3, 0.1, 0.2 * 2 / 3, 0.0])
    assert level == 1.0


@pytest.mark.parametrize("margin", [True, False])
def test_errors_of_mixtures_are_those_of_mixed_scores(margin):
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(40, 5))
    scores[:, 0] = 0
    answers = np.where(rng.random(40) < 0.5, 1.0, -1.0)
    place = np.sort(np.append(rng.uniform(0, 4, 60), np.arange(5.0)))
    for at, error in zip(place, errors_of(margin, answers, scores, place), strict=True):
        low = min(int(at), 3)
        mixed = (1 - at + low) * scores[:, low] + (at - low) * scores[:, low + 1]
        wrong = np.where(mixed >= 0, 1.0, -1.0) != answers if margin else (mixed - answers) ** 2
        assert error == pytest.approx(np.mean(wrong), abs=1e-12)


def test_squares_of_a_single_model_are_those_of_its_shifted_scores():
    scores, answers, shift = np.array([[1.0], [3.0]]), np.array([2.0, 2.0]), np.array([0.0, 1.0])
    assert errors_of(False, answers, scores, np.zeros(2), shift).tolist() == [1.0, 2.0]


def test_errors_at_a_model_are_its_own_beside_one_of_another_size():
    """The crossing rounds to the model itself: all four scores of the small one are wrong."""
    scores = np.array([[1.0, -1e-20, 1.0], [1.0, -1e-20, 1.0], [-1.0, 1e-20, -1.0],
                       [-1.0, 1e-20, -1.0]])
    answers = np.array([1.0, 1.0, -1.0, -1.0])
    assert errors_of(True, answers, scores, np.array([0.0, 1.0, 2.0])).tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize("seed", [209, 472, 487, 776, 1133])
def test_a_solution_may_take_the_place_of_several_guesses(seed):
    """Of regression: the intervals below are then other ones."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(6, 160)), int(rng.integers(1, 8))
    x = rng.normal(size=(n, d))
    y = x @ rng.normal(size=d) + rng.normal(size=n)
    for loss in ("absolute", "square"):
        for scaling in ("paper", "average"):
            found = few(x, y, loss, C=float(10 ** rng.uniform(-2, 3)), scaling=scaling)
            assert found.gap.max() <= 0.05


@pytest.mark.parametrize("scaling", ["paper", "average"])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("loss", ["hinge", "logistic", "squared-hinge"])
@pytest.mark.parametrize(("n", "d", "C"), [(12, 20, 1e4), (12, 10, 1e-4), (40, 60, 1.0)])
def test_more_coefficients_than_examples_leave_no_loss_and_every_k_a_bound(
    n, d, C, loss, intercept, scaling
):
    """Least squares leave nothing on the wrong side, and nothing to begin a barrier with."""
    rng = np.random.default_rng(n + d)
    x, y = np.round(rng.normal(size=(n, d)), 1), np.tile([1.0, -1.0], n // 2)
    found = few(x, y, loss, C=C, intercept=intercept, scaling=scaling)
    assert found.gap.max() <= 0.05
    assert found.zero_up_to == 0
    for k in (1, n // 2, n):
        best = fit(x, y, loss, k=k, C=C, intercept=intercept, scaling=scaling)
        assert found.dual[k - 1] <= best.objective * (1 + 1e-6) + 1e-9
        assert found.objective[k - 1] >= best.dual * (1 - 1e-6) - 1e-9


@pytest.mark.parametrize("loss", ["hinge", "margin-square"])
@pytest.mark.parametrize("C", [1e-4, 100.0])
def test_beside_an_intercept_zero_is_proven_up_to_where_it_ends(loss, C):
    """What is not regularised must balance to the last digit."""
    rng = np.random.default_rng(4)
    x = np.round(rng.normal(size=(400, 4)))
    y = np.where(x[:, 0] + rng.logistic(size=400) + 1 >= 0, 1.0, -1.0)
    threshold = collapse_threshold(x, y, intercept=True)
    assert threshold > 50
    found = few(x, y, loss, C=C, intercept=True)
    assert threshold * (1 - 5e-4) - 1.0 <= found.zero_up_to <= threshold * (1 + 1e-9)


def test_a_path_of_average_scaling_may_part_the_ks_below_its_first_solution() -> None:
    """Between no tail mass and the first solution nothing divides by a mass of 0."""
    rng = np.random.default_rng(43)
    n = int(rng.integers(6, 25))
    X, y = rng.standard_normal((n, 1)), rng.standard_normal(n)
    found = few(X, y, "absolute", C=0.0020124197635568095, intercept=True, scaling="average")
    assert found.gap.max() <= 5e-2


@pytest.mark.parametrize("C", [343119209.5645891, 1e11, 1e14])
def test_a_path_whose_losses_overflow_is_never_silent(C: float) -> None:
    """An exponential loss at a huge C: values below what is proven are not a certificate."""
    rng = np.random.default_rng(6)
    X = rng.standard_normal((30, 4))
    X[rng.random(X.shape) < 0.4] = 0
    y = np.where(X[:, 0] + rng.standard_normal(30) * rng.choice([0.1, 1]) > 0, 1.0, -1.0)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", NotCertified)
        found = few(X, y, "exponential", C=C)
    assert len(told) == (found.gap.max() > 0.05)
    for k in (20, 22, 25, 28, 30):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotCertified)
            best = fit(X, y, "exponential", k=k, C=C)
        assert found.dual[k - 1] <= best.objective * (1 + 1e-9)
        if found.gap[k - 1] <= 0.05:
            assert best.dual * (1 - 1e-9) <= found.objective[k - 1] <= 1.06 * best.objective


def test_a_path_of_average_scaling_has_the_error_of_zero_where_zero_is_the_minimiser() -> None:
    """A share of 1 in the first solution is not a rounding more: that is the next one's sign."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(8, 40))
        X = rng.standard_normal((n, 3))
        y = np.where(X[:, 0] + rng.standard_normal(n) > 0.8, 1.0, -1.0)
        found = few(X, y, "hinge", C=100.0, scaling="average")
        assert not np.any(found.coef[found.regime == "zero"])
        assert found.error[found.regime == "zero"] == pytest.approx(np.mean(y < 0))


@pytest.mark.parametrize(("loss", "digit", "intercept"), [
    ("hinge", 3, False), ("hinge", 3, True), ("logistic", 3, False), ("hinge", 8, False),
    ("squared-hinge", 8, False)])
def test_errors_of_a_path_are_those_of_single_fits_at_every_k(loss, digit, intercept):
    """Small k gain a billionth of what the largest does: there a model was any model."""
    rows, digits = load_digits(return_X_y=True)
    x = rows if intercept else np.column_stack([rows, np.ones(len(rows))])
    y = np.where(digits == digit, 1.0, -1.0)
    found = path(x, y, loss, C=1.0, intercept=intercept, tol=0.2, floor=0.0)
    assert found.gap.max() <= 0.2
    gains = []
    for k in (1, 2, 10, 50, 130, 200, 900, 1797):
        # Where a billionth is gained no more of that is certified on every machine.
        best = fit(x, y, loss, k=k, C=1.0, intercept=intercept, tol=1e-4)
        assert best.dual * (1 - 1e-9) <= found.objective[k - 1]
        assert found.dual[k - 1] <= best.objective * (1 + 1e-9)
        if best.regime == "zero":
            assert (found.regime[k - 1], found.determined[k - 1]) == ("zero", False)
            continue
        none = least_constant(INDIVIDUAL[loss], y, None, k / 1797) if intercept else k / 1797
        gains.append(none - best.objective)
        assert found.determined[k - 1]
        assert found.objective[k - 1] - best.objective <= 0.2 * (none - best.dual) < none
        assert found.error[k - 1] == pytest.approx(
            np.mean(np.where(best.scores(x) >= 0, 1, -1) != y), abs=0.01)
    assert min(gains) < 1e-2 * max(gains)


@pytest.mark.parametrize("loss", ["hinge", "logistic", "margin-square"])
@pytest.mark.parametrize("intercept", [False, True])
def test_a_path_whose_gains_rounding_hides_says_so_and_is_no_worse_than_none(loss, intercept):
    """Features of 1e-8 at C = .01 gain less than the sixteenth digit shows."""
    x, y = drawn(120, 3)
    y[:90] = 1.0
    with pytest.warns(NotCertified, match="errors there may be another model's"):
        found = path(1e-8 * x, y, loss, C=1e-2, intercept=intercept)
    assert not found.determined.any()
    for k, value in zip(found.k, found.objective, strict=True):
        none = least_constant(INDIVIDUAL[loss], y, None, k / 120) if intercept else k / 120
        assert value <= none * (1 + 1e-12)


def test_by_the_gain_of_the_largest_k_what_is_not_determined_is_marked_and_is_no_worse_than_none():
    rows, digits = load_digits(return_X_y=True)
    y = np.where(digits == 3, 1.0, -1.0)
    found = path(rows, y, "hinge", floor=1.0)
    assert not found.determined[0]
    assert found.determined[-1]
    assert np.all(found.objective <= found.k / 1797 * (1 + 1e-12))
    shown = found.coef
    for k in (1, 20, 60, 150, 900):
        top = np.sort(1 - y * (rows @ shown[k - 1]))[::-1][:k]
        value = np.maximum(top, 0).sum() / 1797 + shown[k - 1] @ shown[k - 1] / 2
        assert found.objective[k - 1] == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_at_a_huge_C_a_path_of_separable_data_is_certified_or_says_what_it_reached(loss, scale):
    x, y = drawn(60, 3, noise=0.0)
    for C in (1e12, 1e15):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", NotCertified)
            found = path(scale * x, y, loss, C=C, tol=0.2, floor=0.0)
        assert np.all(found.dual >= 0)
        assert bool(told) == bool((found.gap > 0.2).any() or not found.determined.all())
        own = found.objective - found.dual
        held = found.gap <= 0.2
        assert np.all(own[held] <= 0.2 * found.objective[held] * (1 + 1e-9))


@pytest.mark.parametrize("C", [True, np.True_])
def test_a_truth_value_is_no_C(C):
    x, y = drawn(20, 2)
    for asked in (path, fit):
        with pytest.raises(ValueError, match="C must be a finite number > 0, got"):
            asked(x, y, C=C)
    with pytest.raises(ValueError, match="C must be"):
        kernel_path(x @ x.T, y, C=C)
    with pytest.raises(ValueError, match="C must be a finite number > 0, got"):
        AverageTopKSVC(C=C).fit(x, y)


@pytest.mark.parametrize("C", [1e12, 1e15, 1e20])
def test_at_a_huge_C_a_kernel_machine_converges_or_says_what_it_reached(C):
    """Of separable data the objective is about 1 / C: a gap of 1e-13 is several times that."""
    x, y = drawn(60, 3, noise=0.0)
    gram = np.exp(-((x[:, None] - x) ** 2).sum(-1) / 6)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", NotCertified)
        found = kernel_fit(gram, y, nu=0.8, C=C)
    assert found.gap <= 0.01 * found.objective or "relative duality gap" in str(told[0].message)
    assert found.objective <= 1.02 * found.dual or told


def test_where_nothing_moves_a_path_solves_no_k_between():
    """Of two solutions whose own gaps are too large a third between has no smaller one."""
    x, y = drawn(300, 4, noise=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotCertified)
        found = path(1e4 * x, y, "squared-hinge", C=1e12)
    assert found.fits <= 60


def test_weights_are_evened_by_those_between_their_ends():
    """Two up, one down: what is between its ends gives and takes alike, and the sum stays."""
    x, y = np.arange(4.0)[:, None], np.array([1.0, 1.0, 1.0, -1.0])
    one = Problem(x, y, np.full(4, 0.25), INDIVIDUAL["hinge"], 0.5, 1.0, True, 1e-6)
    p = one._evened(np.array([0.25, 0.125, 0.0, 0.125]), -y)
    assert p == pytest.approx([0.25, 0.0, 0.0, 0.25])
    p = one._evened(np.array([0.2, 0.1, 0.1, 0.1]), -y)
    assert p @ y == pytest.approx(0, abs=1e-15)
    assert p.sum() == pytest.approx(0.5)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize(("loss", "scale", "n", "seed"), [
    ("absolute", 1.0, 40, 11), ("absolute", 1e-2, 40, 11), ("absolute", 1e-3, 40, 11),
    ("absolute", 1e-4, 40, 17), ("absolute", 1e-8, 10, 10), ("square", 1e-3, 40, 34),
    ("square", 1e-4, 40, 12), ("square", 1e-8, 10, 10), ("absolute", 1e4, 40, 11)])
def test_at_every_scale_of_the_rows_no_model_has_less_than_is_proven(
    loss, scale, n, seed, intercept,
):
    """Next to its end a central path's weights leave their ends; that is no certificate."""
    rng = np.random.default_rng(seed)
    x, y = scale * rng.normal(size=(n, 3)), rng.normal(size=n)
    settings = {"C": 0.02, "intercept": intercept}
    found = few(x, y, loss, **settings, tol=1e-4 if scale < 1e-6 else 0.2)
    best = np.array([fit(x, y, loss, k=int(k), **settings).objective for k in found.k])
    assert (found.dual <= best * (1 + 1e-14)).all()
    assert (found.dual <= found.objective).all()
    assert 0 <= found.gap.min() <= found.gap.max() < np.inf


def test_weights_beyond_their_ends_prove_nothing_before_they_are_cut():
    rows, y, masses = np.zeros((2, 1)), np.array([3.0, 1.0]), np.full(2, 0.5)
    one = Problem(rows, y, masses, INDIVIDUAL["absolute"], 1.0, 1.0, False, 1e-6)
    # All of the mass on the larger loss would be 3; the least objective is the mean, 2.
    assert one.certify(np.array([1.0, 0.0]), -np.ones(2)) == 1.5
    assert one.certify(np.array([9.0, 9.0]), -np.ones(2)) == 2.0 == one.objective(np.zeros(1))


@pytest.mark.parametrize("C", [1e9, 1e12])
@pytest.mark.parametrize("seed", [0, 1, 4])
def test_exponential_losses_that_may_overflow_are_refused_or_told_or_proven(C, seed):
    """Which of the three is the arithmetic's choice."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(60, 10)) * 10.0 ** rng.uniform(-3, 3, size=(60, 1))
    y = np.where(x @ rng.normal(size=10) > 0, 1.0, -1.0)
    try:
        found = path(x, y, "exponential", C=C, floor=0.0)
    except (ValueError, NotCertified) as told:
        assert "exponential losses overflow" in str(told) or "gap" in str(told)
    else:
        gain = found.k / 60 - found.dual
        assert (found.objective - found.dual <= 0.25 * np.minimum(gain, found.objective)).all()
        w = found.coef[29]
        own = np.sort(np.exp(-y * (x @ w)))[30:].sum() / 60 + w @ w / (2 * C)
        assert found.dual[29] <= own <= found.objective[29] * (1 + 1e-9)


def test_where_rounds_run_out_the_objectives_are_those_of_the_models():
    """Of one column with entries from 1e5 to 1e11 every round adds one solution."""
    rng = np.random.default_rng(1)
    n, C = 300, 0.284
    x = rng.normal(size=(n, 1)) * 10.0 ** rng.uniform(-3, 3, size=(n, 1))
    scores = x[:, 0] * rng.normal()
    y = np.where(scores / scores.std() + rng.choice([0, 0.1, 1]) * rng.normal(size=n) > 0, 1.0, -1)
    x *= 1e8
    with pytest.warns(NotCertified):
        found = path(x, y, "hinge", C=C, floor=1.0)
    losses = np.sort(np.maximum(1 - y * (found.coef @ x.T), 0), axis=1)[:, ::-1]
    value = np.cumsum(losses, axis=1).diagonal() / n + (found.coef**2).sum(1) / (2 * C)
    assert (found.objective >= value * (1 - 1e-9)).all()


@pytest.mark.parametrize("regression", [False, True])
def test_the_objective_of_a_kernel_machine_is_that_of_its_dual_coefficients(
    monkeypatch, regression,
):
    """Scores that many steps were added to are off by what was rounded, at a huge C."""
    monkeypatch.setattr(kernel_dual, "PATIENCE", 10**6)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    y = np.sin(x).sum(1) if regression else np.where(
        x[:, 0] + x[:, 1] ** 2 - 1 + rng.normal(size=60) / 2 > 0, 1.0, -1.0)
    gram, C = x @ x.T, 1e11
    with warnings.catch_warnings():
        # Whether it is certified is a matter of rounding.
        warnings.simplefilter("ignore", NotCertified)
        found = kernel_fit(gram, y, nu=0.5, C=C, regression=regression, steps=300_000)
    scores = gram @ found.dual_coef
    losses = np.abs(y - scores) if regression else np.maximum(1 - y * scores, 0)
    value = np.sort(losses)[30:].sum() / 60 + float(found.dual_coef @ scores) / (2 * C)
    assert found.objective == pytest.approx(value, rel=1e-12)


def test_rows_that_are_alike_count_once():
    rows = np.repeat([[1.0, 2.0], [1.0, 2.0], [3.0, 0.0]], 3, axis=0)
    labels, masses = np.repeat([1.0, -1.0, 1.0], 3), np.arange(1.0, 10) / 45
    some, y, m = merged(rows, labels, masses)
    assert sorted(zip(some[:, 0], y, m, strict=True)) == [
        (1.0, -1.0, pytest.approx(15 / 45)), (1.0, 1.0, pytest.approx(6 / 45)),
        (3.0, 1.0, pytest.approx(24 / 45))]
    other = rows + np.arange(9)[:, None]
    assert merged(other, labels, masses)[0] is other
    # Fewer than every other row alike.
    pairs = np.concatenate([other, other[:2]])
    assert len(merged(pairs, np.append(labels, labels[:2]), np.full(11, 1 / 11))[0]) == 11
    x, y = drawn(60, 3)
    many = path(np.repeat(x, 5, axis=0), np.repeat(y, 5), C=10.0, ks=[100, 200, 300])
    one = path(x, y, C=10.0, ks=[20, 40, 60])
    assert many.objective == pytest.approx(one.objective, rel=0.02)
    assert np.all(many.dual <= one.objective * (1 + 1e-9))


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("loss", [loss for loss, kind in INDIVIDUAL.items() if kind.margin])
def test_in_the_direction_in_which_zero_ends_every_k_above_gains(loss, intercept):
    """Whatever is asked for: a model's value is at most what is said, and less than zero's."""
    x, y = drawn(400, 5, 30, 0.1)
    found = few(x, y, loss, C=1.0, intercept=intercept)
    threshold = collapse_threshold(x, y, intercept=intercept)
    at = np.flatnonzero(found.k > threshold * (1 + 1e-3) + 1)
    assert not found.determined[at[:5]].any()
    assert np.all(found.objective[at] < found.k[at] / 400 * INDIVIDUAL[loss].at_zero)
    assert np.all(found.dual[at] <= found.objective[at])
    for i in at[:: len(at) // 20]:
        w = found.coef[i]
        scores = x @ w[:5] + (w[5] if intercept else 0)
        top = np.sort(INDIVIDUAL[loss].values(y, scores))[::-1][: i + 1]
        assert top.sum() / 400 + w[:5] @ w[:5] / 2 <= found.objective[i] * (1 + 1e-9)


@pytest.mark.parametrize(("loss", "digit", "intercept"), [
    ("hinge", 3, False), ("logistic", 8, False), ("hinge", 8, True), ("squared-hinge", 3, False)])
@pytest.mark.parametrize("floor", [0.1, 0.5])
def test_errors_are_nearly_the_minimisers_and_what_gains_little_is_marked(
    loss, digit, intercept, floor
):
    """No k warns: those that are not determined gain less than the floor."""
    rows, digits = load_digits(return_X_y=True)
    x = np.column_stack([rows, np.ones(len(rows))]) / 16
    y = np.where(digits == digit, 1.0, -1.0)
    found = path(x, y, loss, C=100.0, intercept=intercept, floor=floor)
    assert found.gap.max() <= 0.25
    gain = np.array([least_constant(INDIVIDUAL[loss], y, None, k / 1797) if intercept
                     else k / 1797 for k in found.k]) - found.dual
    open_ = ~found.determined & (found.regime != "zero")
    assert np.all(gain[open_] <= floor * gain[-1] * 1.01)
    assert floor > 0.1 or open_.sum() < found.determined.sum()
    for k in np.linspace(found.zero_up_to + 20, 1797, 12).astype(int):
        best = fit(x, y, loss, k=int(k), C=100.0, intercept=intercept)
        error = np.mean(np.where(best.scores(x) >= 0, 1, -1) != y)
        if floor == 0.1 or not open_[k - 1]:
            assert found.error[k - 1] == pytest.approx(error, abs=0.02 if open_[k - 1] else 0.015)
        assert found.dual[k - 1] <= best.objective * (1 + 1e-9)
        assert found.objective[k - 1] >= best.dual * (1 - 1e-9)


def test_where_an_intercept_jumps_few_solutions_serve_all_k():
    """At a small C it leaps to a class's margin near the largest k: mixtures in proportion do not.

    These took eleven solutions, each halving what was left of the distance.
    """
    x, y = drawn(500, 5)
    found = path(x, y, "hinge", C=0.01, intercept=True)
    assert found.gap.max() <= 0.25
    assert found.fits <= 8


@pytest.mark.parametrize("floor", [0.1, 1.0])
@pytest.mark.parametrize("scaling", ["paper", "average"])
@pytest.mark.parametrize("loss", ["absolute", "square"])
def test_a_path_of_numbers_that_are_fitted_perfectly_ends(loss, scaling, floor):
    """Where a start lacks nothing a barrier of its size would be none."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(5, 60))
        x, weight = np.sign(rng.normal(size=(n, 1))), rng.integers(1, 4, n)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotCertified)
            found = path(x, -0.6 * x[:, 0], loss, C=1e3, scaling=scaling, floor=floor,
                         sample_weight=weight)
        assert np.isfinite(found.objective).all()
        assert np.all(found.dual <= found.objective)


@pytest.mark.parametrize("C", [0.01, 1.0])
def test_no_model_gives_way_to_a_constant_that_is_worse(C):
    """Ten of 250 are positive: of hundreds of constants few are tried, the nearest of which lose
    more than the models that are there.
    """
    x = np.random.default_rng(0).normal(size=(250, 3))
    y = np.where(np.arange(250) < 10, 1.0, -1.0)
    found = path(x, y, "margin-square", C=C, intercept=True)
    assert found.gap.max() <= 0.25


def test_where_zero_is_the_minimiser_the_model_is_zero():
    x = np.array([[-0.1], [0.3], [0.4], [0.3], [-1.7], [-0.4], [1.0], [0.7]])
    y = np.array([1.0, -1, -1, -1, -1, 1, -1, 1])
    found = path(x, y, "squared-hinge", C=1e-6)
    zero = found.regime == "zero"
    assert zero[:-1].all() and not found.coef[zero].any()
    # A score of 0 is a 1: five of eight are not.
    assert (found.error[zero] == 5 / 8).all()
    assert (found.objective[zero] == np.arange(1, 9)[zero] / 8).all()


def test_a_kernel_path_of_targets_that_are_all_zero():
    found = kernel_path(np.eye(3), np.zeros(3), C=1.0, regression=True)
    assert not found.objective.any() and not found.error.any()


@pytest.mark.parametrize("loss", ["hinge", "margin-square", "exponential", "absolute"])
def test_far_from_centred_features_are_seen_from_their_middle_beside_an_intercept(loss):
    """At 10^9 nothing was known of any k. The same model, from wherever it is seen."""
    rng = np.random.default_rng(2)
    x, far = np.round(rng.normal(size=(120, 3)) * 2**16) / 2**16, np.array([0.0, 2.0**30, 0.0])
    y = np.where(x[:, 0] + x[:, 1] / 2 + rng.normal(size=120) > 0, 1.0, -1.0)
    near = path(x, y, loss, C=1.0, intercept=True, test=(x[:20], y[:20]))
    found = path(x + far, y, loss, C=1.0, intercept=True,
                 test=(sparse.csr_array(x[:20] + far), y[:20]))
    assert found.gap.max() <= 0.25
    assert found.fits <= 3
    assert np.all(found.dual <= near.objective * (1 + 1e-6))
    assert np.all(near.dual <= found.objective * (1 + 1e-6))
    last = found.coef[-1]
    scores = x[:20] @ last[:-1] + (last[-1] + far @ last[:-1])
    error = np.mean((scores - y[:20]) ** 2 if loss == "absolute" else (scores >= 0) != (y[:20] > 0))
    assert found.error[-1] == pytest.approx(error, rel=1e-5)
    again = path(x + far, y, loss, C=1.0, intercept=True, start=last)
    assert again.objective[-1] <= found.objective[-1] * (1 + 1e-6)
