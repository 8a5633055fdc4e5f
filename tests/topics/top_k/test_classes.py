"""Paths of a classification beside an intercept: weights and losses of two classes by hand and by
search, and what every k claims."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import optimize

from noisytheory.topics.top_k import average_top_k, fit, path
from noisytheory.topics.top_k.classes import Classes, others
from noisytheory.topics.top_k.groups import Counted, Side, alike, balanced
from noisytheory.topics.top_k.individual import best_constants, best_intercept, individual, largest
from noisytheory.topics.top_k.minimise import NotCertified
from noisytheory.topics.top_k.places import closer
from noisytheory.topics.top_k.regression import Sides
from noisytheory.topics.top_k.turning import Look

SMOOTH = ["logistic", "squared-hinge", "exponential"]
NUS = np.array([0.02, 0.1, 0.3, 0.45, 0.6, 0.8, 0.97, 1.0])


def classes(n, share, seed, size=1.0):
    """Scores, labels and masses, and both sides of them."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < share * n, 1.0, -1.0)
    scores = size * (rng.normal(size=n) + 0.5 * y)
    masses = rng.choice([1.0, 1.0, 2.0, 7.0], n)
    masses /= masses.sum()
    sides = [Side.of(sign * scores[y == sign], masses[y == sign], np.flatnonzero(y == sign))
             for sign in (1, -1)]
    return scores, y, masses, sides


def evened(kind, up, down, nus):
    """What counts and the better of both intercepts."""
    mass, *tried = balanced(kind, up, down, nus, np.full(len(nus), 1e-9))
    some = Counted.of(up, down, mass, nus - mass)
    tops = [some.largest(kind.psi, b)[0] for b in tried]
    return mass, np.where(tops[1] < tops[0], tried[1], tried[0])


def lost(kind, scores, y, masses, nu, b):
    return float(largest(kind.values(y, (scores + b)[None]), masses, np.array([nu]), False)[0])


@pytest.mark.parametrize(("loss", "share", "size"), [
    *((loss, *case) for loss in SMOOTH for case in ((0.5, 1.0), (0.1, 0.01), (0.9, 3.0))),
    ("logistic", 0.3, 300.0), ("squared-hinge", 0.3, 300.0)])
def test_where_both_classes_pull_alike_no_other_intercept_is_better(loss, share, size):
    kind, n = individual(loss), 4000
    scores, y, masses, (up, down) = classes(n, share, 3, size)
    mass, b = evened(kind, up, down, NUS)
    assert np.all((mass <= up.whole + 1e-12) & (NUS - mass <= down.whole + 1e-12))
    for nu, found in zip(NUS, b, strict=True):
        def value(at, nu=nu):
            return lost(kind, scores, y, masses, nu, at)
        span = found + (1 + abs(found)) * np.array([-3.0, 3.0])
        best = optimize.minimize_scalar(value, bounds=span, method="bounded",
                                        options={"xatol": 1e-10}).fun
        # Groups, and at the edge a row in part, are seen by their means: of second order.
        assert value(found) == pytest.approx(best, rel=1e-3)
        assert best <= value(found) * (1 + 1e-9)


@pytest.mark.parametrize("loss", [*SMOOTH, "logistic-natural"])
@pytest.mark.parametrize("n", [12, 2000])
def test_losses_of_groups_are_no_less_than_those_of_rows_and_hardly_more(loss, n):
    kind = individual(loss)
    scores, y, masses, (up, down) = classes(n, 0.4, 5)
    mass, b = evened(kind, up, down, NUS)
    top, level = Counted.of(up, down, mass, NUS - mass).largest(kind.psi, b)
    exact = np.array([lost(kind, scores, y, masses, *at) for at in zip(NUS, b, strict=True)])
    assert np.all(top >= exact * (1 - 1e-12))
    # Beside lines between few rows those that end do not lose alike.
    assert top == pytest.approx(exact, rel=2e-2 if n < 20 else 5e-3)
    assert top[-1] == pytest.approx(exact[-1], rel=1e-12 if n < 20 else 5e-3)
    assert np.all(level >= 0)


def test_of_few_rows_what_counts_is_that_of_the_rows():
    """Margins -1, 0, 2 of masses .2, .1, .3: with .25 the first and half of the second count."""
    side = Side.of(np.array([2.0, -1.0, 0.0]), np.array([0.3, 0.2, 0.1]), np.array([5, 7, 9]))
    mass, low, high, mean = side.counted(np.array([0.25, 0.6]))
    # Whole groups, and at last that which ends: half of the second row, all of the third.
    assert mass == pytest.approx(np.array([[0.2, 0, 0, 0.05], [0.2, 0.1, 0, 0.3]]))
    assert low[:, -1].tolist() == high[:, -1].tolist() == mean[:, -1].tolist() == [0, 2]
    rows = np.arange(20.0)[:, None]
    push, size = side.pushed(np.array([0.25]), np.array([[1.0, 0.0, 0.0, 1.0]]), rows)
    assert push == pytest.approx(np.array([[0.2 * 7 + 0.05 * 9]]))
    assert size == pytest.approx(0.3 * 5 + 0.2 * 7 + 0.1 * 9)


@pytest.mark.parametrize("share", [0.5, 0.1, 0.8])
@pytest.mark.parametrize("size", [0.1, 1.0, 5.0])
def test_of_the_hinge_as_much_of_both_is_best(share, size):
    kind = individual("hinge")
    scores, y, masses, (up, down) = classes(30, share, 1, size)
    mass, b, top, level = alike(up, down, NUS)
    for at, nu in enumerate(NUS):
        best = lost(kind, scores, y, masses, nu, best_intercept(y, masses, scores, nu))
        assert lost(kind, scores, y, masses, nu, b[at]) == pytest.approx(best, rel=1e-12)
        assert top[at] == pytest.approx(best, rel=1e-12)
        assert level[at] >= 0 and 2 * mass[at] <= nu * (1 + 1e-12)


@pytest.mark.parametrize("loss", ["hinge", *SMOOTH])
@pytest.mark.parametrize("C", [0.01, 100.0])
def test_what_a_models_largest_losses_prove_is_below_every_objective(loss, C):
    """Of any model; and of the minimiser they prove it, where no losses tie."""
    kind, rng = individual(loss), np.random.default_rng(0)
    x = rng.normal(size=(300, 4))
    y = np.where(x[:, 0] + rng.normal(size=300) > 0.4, 1.0, -1.0)
    for k in (60, 200, 300):
        best = fit(x, y, loss, k=k, C=C, intercept=True)
        nu = np.array([k / 300])
        for w in (best.coef[:4], best.coef[:4] / 2, rng.normal(size=4)):
            scores = x @ w
            up, down = (Side.of(sign * scores[y == sign], np.full(int(np.sum(y == sign)), 1 / 300),
                                np.flatnonzero(y == sign)) for sign in (1, -1))
            if kind.smooth:
                mass, b = evened(kind, up, down, nu)
                some = Counted.of(up, down, mass, nu - mass)
                slope = kind.slope(some.mean + some.sign * b[:, None])
            else:
                mass, b, *_ = alike(up, down, nu)
                some = Counted.of(up, down, mass, mass)
                slope = np.full(some.mass.shape, -1.0)
            linear, push, _ = some.proven(kind.conjugate, slope, x)
            proven = float(linear[0] - 0.5 * C * push[0] @ push[0])
            assert proven <= best.objective * (1 + 1e-9)
            if k == 300 and kind.smooth and w is best.coef[:4]:
                assert proven == pytest.approx(best.objective, rel=0.02)


def test_places_are_closer_by_the_root_of_what_lines_lose():
    """Four times too much asks for three parts, as uneven ones lose more, and little for none."""
    gaps = np.zeros(41)
    gaps[3], gaps[30] = 4.0, 1.0
    assert closer(np.array([0, 20, 40]), gaps).tolist() == [0, 7, 13, 20, 40]
    assert closer(np.array([0, 1, 40]), np.full(41, 9.0)).tolist()[:2] == [0, 1]


@pytest.mark.parametrize("seed", range(5))
def test_largest_squares_of_uneven_masses_are_about_the_best_constant(seed):
    """Halved as often as rows of equal mass ask for, light rows were left on the wrong side."""
    rng = np.random.default_rng(seed)
    r, masses = rng.choice([-1.0, 0.5, 1.0, 3.0], 14), 10.0 ** rng.uniform(-4, 0, 14)
    masses /= masses.sum()
    sides = Sides.of(True, r, masses)
    _, exact = best_constants(individual("square"), r, masses, NUS)
    assert sides.at(NUS).value == pytest.approx(exact, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("loss", ["hinge", "logistic", "squared-hinge", "margin-square"])
@pytest.mark.parametrize(("C", "offset"), [(1.0, 0.0), (0.01, 1.0), (1e-4, 1.0)])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("scaling", ["paper", "average"])
def test_every_k_has_a_model_whose_gap_is_proven(loss, C, offset, weighted, scaling):
    """One solution serves; models have the objectives that are said, bounds are below fits'."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=(240, 3))
    y = np.where(x[:, 0] + 0.7 * rng.normal(size=240) + offset > 0, 1.0, -1.0)
    weight = rng.choice([1.0, 2.0, 5.0], 240) if weighted else np.ones(240)
    masses = weight / weight.sum()
    given = dict(C=C, intercept=True, scaling=scaling, sample_weight=weight if weighted else None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotCertified)
        found = path(x, y, loss, **given)
    assert found.gap.max() <= 0.25 and found.fits <= 3
    kind = individual(loss)
    for at in np.unique(np.linspace(0, len(found.k) - 1, 7).astype(int)):
        nu, w = float(found.k[at] / weight.sum()), found.coef[at]
        outer = 1.0 if scaling == "paper" else 1 / nu
        own = outer * lost(kind, x @ w[:3], y, masses, nu, w[3]) + w[:3] @ w[:3] / (2 * C)
        assert own <= found.objective[at] * (1 + 1e-9)
        best = fit(x, y, loss, k=min(nu, 1.0), **given)
        assert found.dual[at] <= best.objective * (1 + 1e-9)
        assert best.dual <= found.objective[at] * (1 + 1e-9)
        if found.determined[at]:
            error = np.mean(np.where(best.scores(x) >= 0, 1, -1) != y)
            assert found.error[at] == pytest.approx(error, abs=0.075)


def test_where_losses_overflow_between_models_no_coefficients_are_nan():
    """Exponentials of features of 1e6: a mixture of what is no number had no errors, it said."""
    rng = np.random.default_rng(5)
    x = 1e6 * rng.standard_cauchy(size=(120, 2))
    y = np.where(x[:, 0] + 3e5 * rng.normal(size=120) > 0, 1.0, -1.0)
    for C in (1e-3, 1.0):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotCertified)
            found = path(x, y, "exponential", C=C, intercept=True, scaling="average")
        assert np.isfinite(found.coef).all() and np.isfinite(found.objective).all()
        assert np.all(found.dual <= found.objective * (1 + 1e-12))


def test_masses_of_many_sizes_leave_no_group_without_one():
    """A mass of 1e-30 beside 1 is rounding in sums: a group of such rows had no mean margin."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=(60, 2))
    y = np.where(x[:, 0] + 0.5 * rng.normal(size=60) > 0, 1.0, -1.0)
    weight = 10.0 ** rng.uniform(-30, 0, 60)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", NotCertified)
        for loss in ("hinge", "logistic"):
            found = path(x, y, loss, intercept=True, sample_weight=weight, ks=[0.2, 0.5, 1.0])
            assert np.all(found.dual <= found.objective * (1 + 1e-12))


def test_another_intercept_is_about_as_good_up_to_a_tenth_of_the_gap():
    """One that errs on two points of a hundred more, or less, beside the same coefficients."""
    rng, n = np.random.default_rng(5), 100
    x = rng.normal(size=(n, 2))
    y = np.where(x[:, 0] + 0.4 * rng.normal(size=n) > 0, 1.0, -1.0)
    nus = np.arange(1, n + 1) / n
    walk = Classes(x, y, np.full(n, 1 / n), "hinge", 1.0, True, False, 0.25)
    walk.floor = 0.5
    walk.over(nus)
    found = fit(x, y, "hinge", k=n, C=1.0, intercept=True, tol=1e-10)
    w, scores = np.append(found.coef, found.intercept), x @ found.coef
    scores = scores + best_intercept(y, None, scores, 1.0)
    own = (scores >= 0) != (y > 0)
    best = average_top_k(np.maximum(1 - y * scores, 0), n)
    # Shifts that bring one more score to the other side; the first that errs two points otherwise.
    nearest = []
    for side in (scores[scores >= 0], scores[scores < 0]):
        for away in side[np.abs(side).argsort()]:
            turned = scores - away * (1 + 1e-9)
            if abs(int(((turned >= 0) != (y > 0)).sum()) - int(own.sum())) >= 2:
                nearest.append(average_top_k(np.maximum(1 - y * turned, 0), n) - best)
                break
    lost = min(nearest)
    assert len(nearest) == 2 and lost > 1e-4
    for share, torn in ((0.99, False), (1.01, True)):
        gap = share * lost / 0.1
        walk.out[1] = walk.alone[1] - 10 * gap
        walk.out[0] = walk.out[1] + gap
        close = others(walk, np.array([w, w]), np.array([0, n - 1]), np.linspace(0, 1, n))
        assert close[-1] == torn


@pytest.mark.parametrize(("few", "C"), [(1, 0.5), (5, 0.005)])
def test_where_few_of_a_class_gain_little_it_is_asked_where_zero_ends(few, C):
    """Rows that tie prove next to nothing by a model's own largest losses.

    Without that it takes 26 and 150 solutions.
    """
    rng, n = np.random.default_rng(12), 280
    x = 3 + rng.normal(size=(n, 4)) * np.geomspace(1, 0.1, 4)
    y = np.where(np.arange(n) < few, 1.0, -1.0)
    found = path(x, y, "logistic", C=C, intercept=True)
    assert found.fits <= 12 and found.gap.max() <= 0.25
    for k in (10, 60, 150, 280):
        one = fit(x, y, "logistic", k=k, C=C, intercept=True, tol=1e-9).objective
        here = found.k == k
        assert found.dual[here] <= one * (1 + 1e-9) <= found.objective[here] * (1 + 2e-9)


def test_the_middle_of_both_classes_squares_is_zero_and_no_rounding_has_a_sign():
    """Where nothing is gained all scores are 0, of the upper class by convention."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        x, y = rng.normal(size=(20, 2)), np.where(np.arange(20) < 8, 1.0, -1.0)
        found = path(x, y, "margin-square", C=1e-3, intercept=True)
        none = ~found.coef[:, :-1].any(axis=1) & (found.k <= 16)
        assert none[:4].all()
        assert not found.coef[none].any()
        assert (found.error[none] == 0.6).all()


@pytest.mark.parametrize("seed", [40, 233])
def test_a_score_that_is_0_but_for_rounding_does_not_keep_an_intercept_from_its_end(seed):
    """Of whole numbers: the step to the nearest crossing was 1e-19, and halving had no end."""
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(size=(100, 2)))
    y = np.where(x[:, 0] + rng.normal(size=100) > 0, 1.0, -1.0)
    y[:2] = 1, -1
    look = Look(individual("logistic"), y, np.full(100, 0.01), True)
    scores = x @ [0.3, -0.1] + 0.013
    scores[np.flatnonzero(y > 0)[:3]] = 1e-19
    turned = look.best(scores[None], np.array([0.5]), np.zeros(1), np.zeros(1))
    assert 0 < np.abs(look.turns(scores[None])).min() < 1e-18
    grid = np.linspace(-1, 1, 20001)
    lost = [average_top_k(np.logaddexp(0, -y * (scores + b)), 50) for b in grid]
    assert turned == pytest.approx(grid[int(np.argmin(lost))], abs=1e-4)
    assert path(x, y, "logistic", C=100.0, intercept=True).gap.max() <= 0.25
