"""Intercepts, which jump or bend: the best of fixed scores, and paths beside exact fits."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import optimize

from noisytheory.topics.top_k import average_top_k, fit, path
from noisytheory.topics.top_k.few import Few
from noisytheory.topics.top_k.individual import best_intercept, individual
from noisytheory.topics.top_k.minimise import NotCertified
from noisytheory.topics.top_k.turning import Look


def drawn(n, d, seed, offset=0.0):
    """Scales to 1/30, signs of normal scores with noise."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d)) * np.geomspace(1, 1 / 30, d)
    scores = x @ (rng.normal(size=d) * np.geomspace(1, 30, d))
    return x, np.where(scores / scores.std() + 0.5 * rng.normal(size=n) + offset > 0, 1.0, -1.0)


def aggregate(x, y, w, k, C=1.0, masses=None):
    losses = np.maximum(1 - y * (x @ w[:-1] + w[-1]), 0)
    nu = k / (len(y) if masses is None else masses.sum())
    return nu * average_top_k(losses, nu, masses) + w[:-1] @ w[:-1] / (2 * C)


@pytest.mark.parametrize("size", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_no_other_intercept_is_better(size, weighted):
    """At one of the kinks the convex objective is least: where two losses, or one and 0, meet."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(6, 14))
        y = np.where(np.arange(n) < rng.integers(1, n), 1.0, -1.0)
        scores = size * (rng.normal(size=n) + 0.5 * y)
        masses = rng.integers(1, 4, n) if weighted else np.ones(n)
        masses = masses / masses.sum()
        ends = y - scores
        kinks = np.concatenate([ends, (ends[:, None] + ends).ravel() / 2])
        for nu in np.linspace(0.1, 1, 13):
            def value(b, nu=nu, y=y, scores=scores, masses=masses):
                return average_top_k(np.maximum(1 - y * (scores + b), 0), nu, masses)
            found = best_intercept(y, masses if weighted else None, scores, nu)
            assert value(found) == pytest.approx(min(value(b) for b in kinks), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("n", "d", "seed", "offset"), [
    (1000, 20, 4, 0.0), (1000, 20, 1, 0.0), (500, 5, 2, 0.0), (300, 5, 1, 0.7)])
def test_errors_beside_an_intercept_that_jumps_are_the_minimisers(n, d, seed, offset):
    """Between two intercepts a mixture erred 18 points more; without any errors differ by three."""
    x, y = drawn(n, d, seed, offset)
    found = path(x, y, "hinge", intercept=True)
    jump = 2 * min(np.sum(y > 0), np.sum(y < 0))
    assert not found.determined[jump - 1]
    assert found.determined[[jump - 2, jump]].all()
    for k in {*range(n // 2, n + 1, n // 20), *(jump + np.array([-9, -3, -1, 1, 3])).clip(1, n)}:
        if found.determined[k - 1]:
            exact = fit(x, y, "hinge", k=int(k), intercept=True).scores(x)
            error = np.mean(np.where(exact >= 0, 1, -1) != y)
            assert found.error[k - 1] == pytest.approx(error, abs=0.033)


@pytest.mark.parametrize(("n", "d", "seed", "offset"), [
    (400, 5, 529, 0.0), (400, 1, 323, 0.2), (400, 1, 599, 0.2)])
def test_errors_shortly_below_the_jump_are_the_minimisers_at_a_small_C(n, d, seed, offset):
    """The best intercept bends most there: with three models between they were up to 14 off."""
    x, y = drawn(n, d, seed, offset)
    found = path(x, y, "hinge", C=0.01, intercept=True)
    jump = 2 * min(np.sum(y > 0), np.sum(y < 0))
    for k in (jump - np.array([3, 5, 7, 9, 12, 16])).tolist():
        if found.determined[k - 1]:
            exact = fit(x, y, "hinge", k=k, C=0.01, intercept=True).scores(x)
            error = np.mean(np.where(exact >= 0, 1, -1) != y)
            assert found.error[k - 1] == pytest.approx(error, abs=0.033)


@pytest.mark.parametrize("floor", [0.0, 0.1])
@pytest.mark.parametrize("scaling", ["paper", "average"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("intercept", "offset"), [(True, 0.0), (False, 10.0)])
def test_what_is_said_of_models_with_an_intercept_of_their_own_holds(
        floor, scaling, weighted, intercept, offset):
    """Or of models with as much of coefficients that are as good as one."""
    x, y = drawn(200, 4, 2, 0.3)
    x = x + offset
    weight = np.random.default_rng(0).integers(1, 4, 200).astype(float) if weighted else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotCertified)
        found = path(x, y, "hinge", intercept=intercept, scaling=scaling, floor=floor,
                     sample_weight=weight, C=1.0 if intercept else 0.01)
    assert len(found.knots) > found.fits + 5
    masses = np.ones(200) if weight is None else weight
    own = 0
    for at, k in enumerate(found.k):
        outer = 1.0 if scaling == "paper" else masses.sum() / k
        C = outer * (1.0 if intercept else 0.01)
        w = found.coef[at] if intercept else np.append(found.coef[at], 0.0)
        value = outer * aggregate(x, y, w, k, C, masses)
        assert found.dual[at] * (1 - 1e-12) <= value <= found.objective[at] * (1 + 1e-9)
        losses = np.maximum(1 - y * (x @ w[:-1] + w[-1]), 0)
        best = best_intercept(y, masses / masses.sum(), x @ w[:-1], k / masses.sum())
        own += abs(best - w[-1]) <= 1e-9 * (1 + losses.max())
    assert own > len(found.k) / 20 or not intercept


@pytest.mark.parametrize(("n", "seed", "C", "loss"), [
    (300, 0, 0.01, "hinge"), (300, 0, 0.1, "logistic"), (100, 7, 0.1, "logistic"),
    (100, 10, 0.001, "hinge"), (100, 10, 0.01, "logistic")])
def test_errors_of_features_far_from_centred_are_the_minimisers(n, seed, C, loss):
    """Some coefficients are as good as an intercept: mixed as others are they were 25 points off,
    and where models err otherwise on both sides one between was called determined."""
    x, y = drawn(n, 5, seed, 0.3)
    x = x + 3 * np.random.default_rng(seed).normal(size=5)
    found = path(x, y, loss, C=C)
    jump = 2 * min(np.sum(y > 0), np.sum(y < 0))
    some = {n, *range(n // 4, n, n // 12), *(jump + np.array([-9, -3, 3, 9])).clip(1, n)}
    sure = [k for k in some if found.determined[k - 1]]
    assert sure
    for k in sure:
        exact = fit(x, y, loss, k=int(k), C=C).scores(x)
        error = np.mean(np.where(exact >= 0, 1, -1) != y)
        assert found.error[k - 1] == pytest.approx(error, abs=0.041)


def test_what_turns_two_points_of_the_errors_by_hand():
    """Of a hundred rows two are to change: upwards two right ones of three are lost at -0.3."""
    scores = np.concatenate([np.full(90, 5.0), [0.5, 0.4, 0.2, -0.1, -0.2, -0.3], np.full(4, -5.0)])
    y = np.concatenate([np.ones(90), [1.0, -1.0, -1.0, -1.0, -1.0, 1.0], -np.ones(4)])
    def turns(masses, y=y, scores=scores):
        return tuple(Look(individual("hinge"), y, masses, False).turns(scores[None])[0])

    down, up = turns(np.full(100, 0.01))
    assert (down, up) == pytest.approx((-0.4, 0.2))
    assert np.mean(np.where(scores + up >= 0, 1, -1) != y) == pytest.approx(
        np.mean(np.where(scores >= 0, 1, -1) != y) + 0.02)
    assert turns(np.full(3, 1 / 3), np.ones(3), np.ones(3)) == (pytest.approx(-1.0), np.inf)
    # Of 101 parts a row of two is not enough, of 102 one of three is.
    heavy = np.where(scores == -0.1, 0.02, 0.01)
    assert turns(heavy / heavy.sum())[1] == pytest.approx(0.2)
    heavy = np.where(scores == -0.1, 0.03, 0.01)
    assert turns(heavy / heavy.sum())[1] == pytest.approx(0.1)


@pytest.mark.parametrize("loss", ["logistic", "squared-hinge", "exponential"])
@pytest.mark.parametrize("weighted", [False, True])
def test_of_a_smooth_loss_no_other_intercept_is_better(loss, weighted):
    """By a search on the convex objective itself."""
    rng = np.random.default_rng(3)
    x, y = drawn(120, 3, 5, 0.6)
    masses = rng.integers(1, 4, 120) if weighted else np.ones(120)
    masses = masses / masses.sum()
    kind, scores = individual(loss), x @ np.array([0.5, 1.0, 2.0]) + 1.5
    look, none = Look(kind, y, masses, not weighted), np.zeros(4)
    nus = np.array([0.2, 0.6, 0.9, 1.0])
    turn = np.abs(look.turns(scores[None])).min()
    best = look.best(np.tile(scores, (4, 1)), nus, none, none)
    for nu, found in zip(nus, best, strict=True):
        def value(b, nu=nu):
            return average_top_k(kind.values(y, scores + b), nu, masses)
        least = optimize.minimize_scalar(value, bounds=(-10, 10), method="bounded")
        assert value(found) <= value(least.x) + 1e-3 * (value(0.0) - value(least.x))
        assert abs(found - least.x) <= 0.2 * turn + 1e-4


@pytest.mark.parametrize("loss", ["hinge", "logistic", "squared-hinge"])
@pytest.mark.parametrize("C", [0.01, 1.0])
@pytest.mark.parametrize("offset", [0.0, 0.7])
def test_where_a_model_is_determined_no_intercept_errs_differently_and_is_as_good(loss, C, offset):
    """By the objective itself, at intercepts all the way to two points of the errors."""
    kind, (x, y) = individual(loss), drawn(300, 4, 3, offset)
    few = 2 * min(np.sum(y > 0), np.sum(y < 0))
    ks = np.unique(np.clip([few - 40, few - 10, few - 2, few, few + 1, few + 20], 1, 300))
    found = path(x, y, loss, C=C, intercept=True, ks=ks.tolist())
    tried = 0
    for at in np.flatnonzero(found.determined):
        w, nu = found.coef[at], found.k[at] / 300
        scores = x @ w[:-1] + w[-1]

        def value(b, nu=nu, scores=scores):
            return nu * average_top_k(kind.values(y, scores + b), nu)

        def error(b, scores=scores):
            return np.mean(np.where(scores + b >= 0, 1, -1) != y)

        for b in np.concatenate([-scores * (1 - 1e-9), -scores * (1 + 1e-9)]):
            if abs(error(b) - error(0.0)) >= 0.0201:
                tried += 1
                gap = found.objective[at] - found.dual[at]
                assert value(b) > value(0.0) + 0.05 * gap
    assert tried or not found.determined.any()


@pytest.mark.parametrize(("loss", "C", "seed", "n", "d", "noise", "offset"), [
    ("margin-square", 0.001, 39, 100, 2, 0.3, 0.5), ("logistic", 0.1, 76, 100, 5, 1.0, 0.5),
    ("hinge", 0.01, 8, 100, 1, 0.3, 0.5), ("squared-hinge", 0.1, 84, 100, 5, 0.3, 0.5)])
def test_between_two_k_where_another_intercept_is_as_good_at_one_nothing_is_determined(
        loss, C, seed, n, d, noise, offset):
    """At three to nine of some forty k another was that errs two points more or less."""
    rng = np.random.default_rng(seed)
    x, w = rng.normal(size=(n, d)), rng.normal(size=d)
    y = np.where(x @ w + noise * rng.normal(size=n) + offset > 0, 1.0, -1.0)
    kind, found = individual(loss), path(x, y, loss, C=C, intercept=True)
    assert found.determined.any()
    for at in np.flatnonzero(found.determined):
        w, nu, gap = found.coef[at], found.k[at] / n, found.objective[at] - found.dual[at]
        scores = x @ w[:-1] + w[-1]
        moved = scores + np.concatenate([-scores * (1 - 1e-9), -scores * (1 + 1e-9)])[:, None]
        others = np.abs(np.mean((moved >= 0) != (y > 0), axis=1)
                        - np.mean((scores >= 0) != (y > 0))) >= 0.0201
        values = nu * average_top_k(kind.values(y, moved[others]), nu)
        assert np.all(values > nu * average_top_k(kind.values(y, scores), nu) + 0.05 * gap)


@pytest.mark.parametrize(("loss", "C", "seed", "offset", "k"), [
    ("logistic", 0.01, 4, 0.0, 380), ("logistic", 0.1, 3, 0.7, 192),
    ("squared-hinge", 0.01, 4, 0.0, 385), ("squared-hinge", 0.01, 8, 0.7, 229)])
def test_beside_an_intercept_smooth_losses_err_as_fits_or_are_not_determined(
        loss, C, seed, offset, k):
    """They were called determined, and four to eight points off."""
    x, y = drawn(400, 5, seed, offset)
    found = path(x, y, loss, C=C, intercept=True)
    assert found.determined.any()
    exact = fit(x, y, loss, k=k, C=C, intercept=True).scores(x)
    error = np.mean(np.where(exact >= 0, 1, -1) != y)
    assert not found.determined[k - 1] or found.error[k - 1] == pytest.approx(error, abs=0.033)


def test_what_is_as_good_as_an_intercept_turns_rows_by_what_they_score():
    """Of fifty rows one is to change: twice as fast it is half as far, and one hardly turns."""
    scores, alike = np.full(50, 5.0), np.ones(50)
    scores[:3], alike[:3] = [0.6, 0.5, -0.1], [2.0, 1.0, 0.01]
    look = Look(individual("hinge"), np.ones(50), np.full(50, 0.02), True, alike=alike)
    assert look.turns(scores[None])[0] == pytest.approx([-0.3, np.inf])
    scores[3] = -0.4
    assert look.turns(scores[None])[0] == pytest.approx([-0.3, 0.4])


@pytest.mark.parametrize("loss", ["hinge", "logistic", "squared-hinge"])
def test_what_is_as_good_as_an_intercept_is_turned_as_far_as_it_costs(loss):
    """By a search on the convex objective itself, with its regulariser."""
    rng = np.random.default_rng(4)
    x, y = drawn(120, 3, 5, 0.6)
    kind, w, along, C = individual(loss), np.array([0.5, 1.0, 2.0, 1.5]), np.eye(4)[-1] / 4, 2.0
    x = np.column_stack([x, 4 + 0.3 * rng.normal(size=120)])
    look = Look(kind, y, np.full(120, 1 / 120), True, alike=x @ along)
    nus = np.array([0.2, 0.6, 0.9, 1.0])
    slope, bend = np.full(4, w @ along / C), np.full(4, along @ along / C)
    best = look.best(np.tile(x @ w, (4, 1)), nus, slope, bend)
    turn = np.abs(look.turns((x @ w)[None])).min()
    for nu, found in zip(nus, best, strict=True):
        def value(b, nu=nu):
            at = w + b * along
            return nu * average_top_k(kind.values(y, x @ at), nu) + at @ at / (2 * C)
        least = optimize.minimize_scalar(value, bounds=(-20, 20), method="bounded")
        assert value(found) <= value(least.x) + 1e-3 * (value(0.0) - value(least.x))
        assert abs(found - least.x) <= 0.1 * turn + 1e-4


def test_of_many_rows_those_of_a_rare_class_are_all_looked_at():
    """And the best intercept of those is about that of all; 10,000 rows, 80 of them rare."""
    rng = np.random.default_rng(1)
    y = np.where(np.arange(10_000) < 80, 1.0, -1.0)
    x = rng.normal(size=(10_000, 1)) + y[:, None]
    walk = Few(x, y, np.full(10_000, 1e-4), "hinge", 1.0, True, False, 0.25)
    look = Look.of(walk, 1.0)
    assert len(look.labels) == 80 + 1000
    assert np.array_equal(y[look.rows], look.labels)
    assert look.masses.sum() == pytest.approx(1)
    assert look.masses[look.labels > 0] == pytest.approx(np.full(80, 1e-4))
    for nu in (0.01, 0.1, 0.5, 1.0):
        one = best_intercept(y, None, x[:, 0], nu)
        other = best_intercept(look.labels, look.masses, x[look.rows, 0], nu)
        assert other == pytest.approx(one, abs=0.1)
