"""Every algorithm: exact errors, the hull, signs; and each against a plain form of itself."""

from __future__ import annotations

import functools
import itertools
import math
import pickle
import sys
import tempfile
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse

from noisytheory import sparse
from noisytheory.topics.sparse import approximation
from noisytheory.topics.sparse.approximation import Target
from noisytheory.topics.sparse.farthest_first import printed_loop
from noisytheory.topics.sparse.projection import simplex_weights
from noisytheory.topics.sparse.sampling import draws_per_cell
from noisytheory.vocabulary.kernels import (
    Gaussian,
    Laplace,
    Linear,
    Normalised,
    Plan,
    Polynomial,
    blocks,
    rkhs_distance,
)

KERNELS = [Gaussian(1.5), Laplace(2.0), Linear(), Normalised(Polynomial(2, 1.0))]


def _with_rng(algorithm):
    return lambda *a, **k: algorithm(*a, **k, rng=np.random.default_rng(5))


CONVEX = {
    "with replacement": _with_rng(sparse.with_replacement),
    "clustered": _with_rng(sparse.clustered),
    "herding": sparse.herding,
    "herding 1/t": functools.partial(sparse.herding, step="uniform"),
    "herding 2/(t+1)": functools.partial(sparse.herding, step="classic"),
    "away steps": sparse.away_steps,
    "fully corrective": sparse.fully_corrective,
    "convex projection": sparse.convex_projection,
    "nearest centre": sparse.nearest_centre,
    "map reduce": functools.partial(sparse.map_reduce, parts=3),
}
ALL = {**CONVEX, "projection": sparse.projection}


def sample(n=60, d=3, seed=0, signed=True):
    rng = np.random.default_rng(seed)
    points, alpha = rng.standard_normal((n, d)), rng.uniform(0.2, 2, n)
    if signed:
        alpha *= rng.choice([-1, 1], n)
        alpha[::7] = 0
    return points, alpha


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("name", ALL)
def test_the_error_is_the_distance_of_the_weights_returned(name, kernel):
    points, alpha = sample()
    found = ALL[name](kernel, points, alpha, 8)
    direct = rkhs_distance(kernel, points, alpha, points[found.indices], found.weights)
    scale = np.abs(alpha).sum()
    # Squares of size scale^2 are subtracted: the distance is exact to the root of that rounding.
    assert found.error**2 == pytest.approx(direct**2, abs=1e-11 * scale**2)
    assert len(set(found.indices.tolist())) == len(found.indices) == len(found.weights)
    assert repr(found).startswith("Approximation(")


@pytest.mark.parametrize("name", CONVEX)
def test_weights_have_the_targets_signs_and_total(name):
    points, alpha = sample()
    found = CONVEX[name](Gaussian(1.5), points, alpha, 8)
    assert np.abs(found.weights).sum() == pytest.approx(np.abs(alpha).sum())
    assert np.array_equal(np.sign(found.weights), np.sign(alpha[found.indices]))
    most = 15 if name == "clustered" else 8
    assert 1 <= len(found.indices) <= most


@pytest.mark.parametrize("name", ALL)
def test_scaling_the_target_scales_the_error(name):
    points, alpha = sample(signed=False)
    one, three = (ALL[name](Gaussian(1.5), points, c * alpha, 8) for c in (1, 3))
    np.testing.assert_array_equal(one.indices, three.indices)
    np.testing.assert_allclose(3 * one.errors, three.errors, rtol=1e-6)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("n", [5, 300, 1100])
def test_scores_and_rows_are_those_of_the_gram_matrix(kernel, n):
    points, alpha = sample(n)
    target = Target(kernel, points, alpha)
    kept = alpha != 0
    signed = kernel(points[kept]) * np.sign(alpha[kept]) * np.sign(alpha[kept])[:, None]
    np.testing.assert_allclose(target.scores, signed @ target.masses, atol=1e-12)
    row = target.row(3, target.buffer())
    np.testing.assert_allclose(row, signed[3], atol=1e-12)


def test_prefix_errors_of_sampling_are_exact():
    points, alpha = sample(40)
    kernel = Gaussian(1.0)
    found = sparse.with_replacement(kernel, points, alpha, 300, rng=np.random.default_rng(1))
    target = Target(kernel, points, alpha)
    drawn = np.random.default_rng(1).choice(len(target), size=300, p=target.masses)
    for t in (1, 2, 17, 257, 300):
        direct = target.distance(drawn[:t], np.full(t, 1 / t))
        assert found.errors[t - 1] == pytest.approx(direct, abs=1e-6)


@pytest.mark.parametrize("sampler", [sparse.with_replacement, sparse.clustered])
def test_sampling_again_sees_what_has_changed_and_refuses_what_it_did(sampler):
    points, alpha = np.array([[0.0], [1.0], [5.0]]), np.full(3, 1 / 3)

    def error():
        return sampler(Linear(), points, alpha, 1, rng=np.random.default_rng(0)).error

    first = error()
    assert error() == first
    points *= 2
    assert error() == pytest.approx(2 * first, rel=1e-12)
    alpha *= 3
    assert error() == pytest.approx(6 * first, rel=1e-12)
    with pytest.raises(ValueError, match="k must be a whole number"):
        sampler(Linear(), points, alpha, True, rng=np.random.default_rng(0))


def test_sampling_without_replacement_takes_all():
    points, _ = sample(12)
    equal = np.full(12, 1 / 12)
    kernel = Gaussian(1.0)
    found = sparse.without_replacement(kernel, points, equal, 12, rng=np.random.default_rng(0))
    assert found.error == pytest.approx(0, abs=1e-7)
    with pytest.raises(ValueError, match="one absolute value"):
        sparse.without_replacement(kernel, points, np.arange(12), 3, rng=np.random.default_rng(0))


def plain_herding(gram, masses, k, step):
    scores, weights, atoms = gram @ masses, np.zeros(len(masses)), []
    for t in range(1, k + 1):
        residual = scores - gram @ weights
        z = int(residual.argmax())
        direction = -weights.copy()
        direction[z] += 1
        rate = 1 / t
        if step == "line search" and t > 1:
            rate = residual @ direction / (direction @ gram @ direction)
            rate = min(max(rate, 0.0), 1.0)
        weights = weights + rate * direction
        atoms.append(z)
    return atoms, weights


@pytest.mark.parametrize("step", ["line search", "uniform"])
def test_herding_takes_the_points_that_the_plain_form_takes(step):
    points, alpha = sample(200, signed=False)
    kernel = Gaussian(1.5)
    masses = alpha / alpha.sum()
    atoms, weights = plain_herding(kernel(points), masses, 60, step)
    found = sparse.herding(kernel, points, masses, 60, step=step)
    assert found.indices.tolist() == list(dict.fromkeys(atoms))
    np.testing.assert_allclose(found.weights, weights[found.indices], atol=1e-10)


def test_line_search_never_increases_the_error_and_correction_beats_it():
    points, alpha = sample(150)
    kernel = Gaussian(1.5)
    line = sparse.herding(kernel, points, alpha, 40)
    full = sparse.fully_corrective(kernel, points, alpha, 40)
    assert np.all(np.diff(line.errors) <= 1e-9)
    assert np.all(np.diff(full.errors) <= 1e-7)
    assert full.error < line.error


@pytest.mark.parametrize("options", [{}, {"step": "uniform"}, {"best_weights": True}], ids=str)
def test_true_scores_given_change_nothing(options):
    points, alpha = sample(150)
    kernel = Gaussian(1.5)
    values = kernel(points) @ alpha
    plain = sparse.herding(kernel, points, alpha, 30, **options)
    given = sparse.herding(kernel, points, alpha, 30, scores=values, **options)
    np.testing.assert_array_equal(given.indices, plain.indices)
    np.testing.assert_allclose(given.weights, plain.weights, atol=1e-9)
    np.testing.assert_allclose(given.errors, plain.errors, atol=1e-6)
    assert given.error == pytest.approx(plain.error, abs=1e-6)


def test_estimated_scores_take_few_kernel_values_and_tell_true_errors(monkeypatch):
    points, alpha = sample(2000)
    kernel, seen = Gaussian(1.5), []

    def counted(plan, rows, columns, out, inner=Plan.inner):
        seen.append(out.size)
        return inner(plan, rows, columns, out)

    used, rng = np.count_nonzero(alpha), np.random.default_rng(0)
    with monkeypatch.context() as patch:
        patch.setattr(Plan, "inner", counted)
        values = sparse.estimated_scores(kernel, points, alpha, 100, rng=rng)
        found = sparse.herding(kernel, points, alpha, 20, scores=values)
    assert sum(seen) <= 100 * 2000 + 20 * used
    # The promise with delta = 1e-6; the true values take the whole Gram matrix.
    reach = np.abs(alpha).sum() * (1 + np.sqrt(2 * np.log(1e6))) / 10
    assert np.abs(values - kernel(points) @ alpha).max() < reach
    difference = -alpha
    difference[found.indices] += found.weights
    direct = np.sqrt(difference @ kernel(points) @ difference)
    assert found.errors[-1] == found.error == pytest.approx(direct, abs=1e-6 * reach)
    assert len(found.errors) == 20


@pytest.mark.parametrize("values", [[0.0], [0.0, np.nan]], ids=str)
def test_scores_are_a_finite_number_a_point(values):
    with pytest.raises(ValueError, match=r"^scores must be 2 finite numbers"):
        sparse.herding(Linear(), [[0.0], [1.0]], [0.5, 0.5], 1, scores=values)
    with pytest.raises(ValueError, match=r"^tolerance must be 0 with scores"):
        sparse.herding(Linear(), [[0.0]], [1.0], 1, scores=[0.0], tolerance=0.1)


def test_away_steps_reach_a_target_near_an_edge_that_herding_does_not():
    # On the square with a target at distance d from an edge, line search goes like exp(-4 d^2 k).
    corners, alpha = np.array([[1.0, 0], [0, 1], [-1, 0], [0, -1]]), [0.51, 0.47, 0.01, 0.01]
    assert sparse.away_steps(Linear(), corners, alpha, 60).error < 1e-6
    assert sparse.herding(Linear(), corners, alpha, 60).error > 1e-3


def test_herding_stops_at_the_gap_and_at_the_tolerance():
    points, alpha = sample(80, signed=False)
    kernel = Gaussian(1.5)
    short = sparse.herding(kernel, points, alpha, 500, tolerance=0.1 * alpha.sum())
    assert short.errors[-1] <= 0.1 * alpha.sum() < short.errors[-2]
    gap = sparse.herding(kernel, points, alpha, 500, gap=1e-3)
    assert 1 < len(gap.errors) < 500
    # Half the squared error exceeds its least value, 0 here, by no more than the gap.
    assert 0.5 * (gap.error / alpha.sum()) ** 2 <= 1e-3


def test_herding_picks_among_candidates_from_the_first_on():
    points, alpha = np.random.default_rng(0).normal(size=(40, 2)), np.full(40, 1 / 40)
    first = int(sparse.herding(Gaussian(1.0), points, alpha, 1).picks[0])
    others = np.delete(np.arange(40), first)
    picks = sparse.herding(Gaussian(1.0), points, alpha, 12, candidates=others).picks
    towards = Gaussian(1.0)(points[others], points) @ alpha
    assert int(picks[0]) == others[towards.argmax()]
    assert set(picks.tolist()) <= set(others.tolist())


def test_herding_of_few_candidates_ends_at_the_gap_only():
    line = [[0.0], [1.0]]
    stopped = sparse.herding(Linear(), line, [0.5, 0.5], 100, candidates=[1], tolerance=0.1)
    endless = sparse.herding(
        Linear(), line, [0.5, 0.5], 100, candidates=[1], tolerance=0.1, gap=-np.inf
    )
    assert (len(stopped.errors), len(endless.errors)) == (1, 100)
    assert stopped.error == endless.error == 0.5


def test_recursive_herding_adds_errors():
    points, alpha = sample(120)
    epsilon = 0.1 * np.abs(alpha).sum()
    found = sparse.recursive_herding(Gaussian(1.5), points, alpha, epsilon, rounds=3)
    assert np.all(found.errors <= epsilon * np.arange(1, 4) + 1e-9)
    direct = rkhs_distance(Gaussian(1.5), points, alpha, points[found.indices], found.weights)
    assert found.error == pytest.approx(direct, abs=1e-6)


def test_farthest_first_is_the_plain_form_and_within_twice_the_least_diameter():
    points, _ = sample(50, 2)
    found = sparse.farthest_first(Gaussian(1.0), points, 9, start=3)
    squares = 2 - 2 * Gaussian(1.0)(points)
    centres = [3]
    while len(centres) < 9:
        centres.append(int(squares[centres].min(axis=0).argmax()))
    assert found.centres.tolist() == centres
    np.testing.assert_array_equal(found.cells, squares[centres].argmin(axis=0))
    assert found.radii[-1] == pytest.approx(np.sqrt(squares[centres].min(axis=0).max()), abs=1e-7)
    assert np.all(np.diff(found.radii) <= 0)


def test_the_printed_loop_is_off_by_one_and_may_never_end():
    line = np.array([1, 1, 0, 0])
    squares = (line[:, None] - line) ** 2
    centres, stuck = printed_loop(squares, 2)
    assert stuck and len(centres) == 2
    line = np.array([0, 1, 5, 7])
    centres, stuck = printed_loop((line[:, None] - line) ** 2, 2)
    assert not stuck and len(centres) == 3
    mended = sparse.farthest_first(Linear(), [[1.0], [1.0], [0.0], [0.0]], 3)
    assert len(mended.centres) == 2 and mended.radii[-1] == 0


@pytest.mark.parametrize("m", [2, 20])
def test_clustered_sampling_may_use_every_atom_but_one_of_2m(m):
    shares = np.full(m, (1 + 0.5 / m) / m)
    shares[-1] = 1 - shares[:-1].sum()
    assert draws_per_cell(shares, m).sum() == 2 * m - 1
    assert draws_per_cell(np.full(m, 1 / m), m).sum() == m
    assert draws_per_cell([1 - 1e-12, 1e-12, 0.0], m).tolist() == [m, 1, 0]


def test_cells_of_ones_own_empty_ones_and_those_without_weight_too():
    points = np.array([[0.0], [0.0], [5.0], [5.0], [9.0]])
    alpha = [0.3, 0.2, 0.25, 0.25, 0.0]
    found = sparse.clustered(
        Gaussian(1.0), points, alpha, 6, cells=[0, 0, 3, 3, 5], rng=np.random.default_rng(0)
    )
    assert found.error < 1e-7 and 4 not in found.indices
    # Both cells have half of the mass: three draws each, of equal points.
    assert found.weights[found.indices < 2].sum() == pytest.approx(0.5)
    for cells in ([0, 0, 1, 1], [0, 0, 1, 1, 6], [0, 0, 1, 1, -1], [0.0, 0, 1, 1, 0], "halves"):
        with pytest.raises(ValueError, match=r"cells must hold 5 whole numbers in \[0, 5\]"):
            sparse.clustered(
                Gaussian(1.0), points, alpha, 6, cells=cells, rng=np.random.default_rng(0)
            )


def test_any_partition_has_the_variance_of_theorem_21():
    rng = np.random.default_rng(4)
    points, alpha, cells = rng.standard_normal((30, 2)), rng.uniform(0.1, 1, 30), np.arange(30) % 4
    kernel, m = Gaussian(1.0), 4
    masses = alpha / alpha.sum()
    gram, promised = kernel(points), 0.0
    for cell in range(m):
        inside = masses * (cells == cell)
        share = inside.sum()
        law = inside / share
        promised += share**2 / np.ceil(share * m) * (1 - law @ gram @ law)
    squares = np.array([
        sparse.clustered(kernel, points, masses, m, cells=cells, rng=rng).error ** 2
        for _ in range(4000)
    ])
    assert abs(squares.mean() - promised) < 5 * squares.std() / np.sqrt(4000)


def test_the_nearest_centre_errs_by_the_mass_that_moves_times_the_radius():
    points, alpha = sample(80, 2)
    kept = alpha != 0
    for k in (1, 5, 20):
        found = sparse.nearest_centre(Gaussian(1.5), points, alpha, k)
        radius = sparse.farthest_first(Gaussian(1.5), points[kept], k, alpha=alpha[kept]).radii[-1]
        moved = np.abs(alpha).sum() - np.abs(alpha[found.indices]).sum()
        assert found.error <= moved * radius + 1e-9


def test_clustered_to_tolerance_keeps_its_promise():
    points, alpha = sample(300, 2, signed=False)
    alpha /= alpha.sum()
    errors = [
        sparse.clustered_to_tolerance(
            Gaussian(2.0), points, alpha, 0.15, 0.1, rng=np.random.default_rng(i)
        ).error
        for i in range(20)
    ]
    # Each exceeds with probability 0.1 at most: more than 8 of 20 with less than 1e-4.
    assert np.sum(np.array(errors) > 0.15) <= 8


def test_simplex_weights_satisfy_the_optimality_conditions():
    rng = np.random.default_rng(3)
    for size in (1, 2, 7, 30):
        features = rng.standard_normal((size, 5))
        gram, scores = features @ features.T, rng.standard_normal(size)
        weights = simplex_weights(gram, scores)
        gradient = gram @ weights - scores
        assert weights.min() >= 0 and weights.sum() == pytest.approx(1)
        assert gradient.min() >= gradient @ weights - 1e-9


def test_projections_are_ordered():
    points, alpha = sample(60, signed=False)
    kernel = Gaussian(1.5)
    span, hull, nearest = (
        f(kernel, points, alpha, 10).error
        for f in (sparse.projection, sparse.convex_projection, sparse.nearest_centre)
    )
    assert span <= hull + 1e-9 <= nearest + 2e-9


def test_the_second_round_thins_the_union():
    points, alpha = sample(90, signed=False)
    one = sparse.map_reduce(Gaussian(1.0), points, alpha, 6, parts=5, second_round=False)
    two = sparse.map_reduce(Gaussian(1.0), points, alpha, 6, parts=5)
    assert len(one.indices) == 30 and len(two.indices) <= 6
    assert two.errors[0] == pytest.approx(one.error)


def test_single_precision_stays_single_and_near():
    points, alpha = sample(400, signed=False)
    double = sparse.herding(Gaussian(1.5), points, alpha, 20)
    single = sparse.herding(Gaussian(1.5), points.astype(np.float32), alpha, 20)
    assert single.error == pytest.approx(double.error, rel=1e-2)


@pytest.mark.parametrize("name", ALL)
def test_errors_of_single_points_are_those_of_the_same_points_in_doubles(name):
    points, _ = sample(400, 2, signed=False)
    points, alpha, kernel = points.astype(np.float32), np.full(400, 1 / 400), Gaussian(3.0)
    found = ALL[name](kernel, points, alpha, 40)
    difference = -alpha
    difference[found.indices] += found.weights
    gram = kernel(points.astype(np.float64))
    # Herding follows its errors row by row, in singles.
    rough = 1e-4 if "herding" in name or name == "away steps" else 1e-7
    assert found.error == pytest.approx(np.sqrt(difference @ gram @ difference), abs=rough)
    if "projection" in name:
        double = ALL[name](kernel, points.astype(np.float64), alpha, 40)
        np.testing.assert_array_equal(found.indices, double.indices)
        np.testing.assert_allclose(found.weights, double.weights, rtol=1e-6, atol=1e-9)


def test_memory_is_linear_in_the_sample():
    points, alpha = np.random.default_rng(0).standard_normal((20_000, 4)), np.full(20_000, 5e-5)
    # What compiled loops take to load is no matter of the sample.
    sparse.herding(Gaussian(2.0), points[:5000], alpha[:5000], 1)
    tracemalloc.start()
    sparse.herding(Gaussian(2.0), points, alpha, 5)
    sparse.clustered(Gaussian(2.0), points, alpha, 5, rng=np.random.default_rng(0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # A Gram matrix would be 3,200 MB; the points themselves are 0.6.
    assert peak < 12e6


COSTS = {
    "with replacement": 0, "without replacement": 0, "clustered": 1, "projection": 2,
    "convex projection": 2, "nearest centre": 1,
}


@pytest.mark.parametrize("name", COSTS)
def test_weights_cost_k_rows_and_the_error_is_worked_out_when_asked_for(name, monkeypatch):
    n, k = 3000, 12
    points, alpha = np.random.default_rng(0).standard_normal((n, 3)), np.full(n, 1 / n)
    rows = []

    def counted(plan, some, columns, out, inner=Plan.inner):
        if out.shape[1] == n:
            rows.append(out.size)
        return inner(plan, some, columns, out)

    monkeypatch.setattr(Plan, "inner", counted)
    monkeypatch.setattr(
        approximation, "blocks",
        lambda kernel, x, z: rows.append(len(x) * len(z)) or blocks(kernel, x, z),
    )
    halves = []
    whole = property(lambda self, get=Target.scores.fget: halves.append(1) or get(self))
    monkeypatch.setattr(Target, "scores", whole)
    options = {} if "proj" in name or "nearest" in name else {"rng": np.random.default_rng(1)}
    found = sparse.ALGORITHMS[name.replace(" ", "_")](Gaussian(1.0), points, alpha, k, **options)
    assert sum(rows) == COSTS[name] * k * n
    assert not halves and "error" not in repr(found)
    assert 0 < found.error < 1 and halves and "error" in repr(found)


def test_an_approximation_survives_pickling_with_its_errors():
    points, alpha = sample()
    found = sparse.with_replacement(Gaussian(1.0), points, alpha, 9, rng=np.random.default_rng(0))
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.errors, found.errors)
    np.testing.assert_array_equal(again.weights, found.weights)


# Every algorithm, the size it takes as its fourth argument, and what else it needs.
CALLS = {
    name: (algorithm, {"clustered_to_tolerance": 0.5, "recursive_herding": 0.5}.get(name, 2), {
        **({"rng": np.random.default_rng(2)} if "replacement" in name or "clustered" in name
           else {}),
        **({"delta": 0.1} if name == "clustered_to_tolerance" else {}),
        **({"rounds": 2} if name == "recursive_herding" else {}),
        **({"parts": 2} if name == "map_reduce" else {}),
    })
    for name, algorithm in {**sparse.ALGORITHMS, **sparse.TO_TOLERANCE}.items()
}
SIZED = [name for name, (_, size, _) in CALLS.items() if size == 2]
TWICE = np.repeat([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]], 2, axis=0)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kernel": "gaussian"}, "kernel must be a Kernel"),
        ({"kernel": lambda x, z: x @ z.T}, "kernel must be a Kernel"),
        ({"points": [1.0, 2.0]}, "points must have shape"),
        ({"points": np.full((6, 2), np.nan)}, "points must be finite"),
        ({"points": np.zeros((0, 2)), "alpha": []}, "points must have a row at least, got shape"),
        ({"alpha": np.zeros(6)}, "alpha must not be zero everywhere"),
        ({"alpha": [1, 2, 3, 4, 5, np.inf]}, "alpha must be finite, got inf"),
        ({"alpha": [1.0]}, "alpha must have shape"),
        ({"kernel": Polynomial(3), "points": 1e120 * TWICE}, "overflows in row 2"),
        ({"points": 1e200 * TWICE}, r"points must have coordinates within \+-1e\+150"),
        ({"points": scipy.sparse.csr_matrix(TWICE)}, "points must be dense rows, got a sparse"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_algorithm_names_what_is_wrong(name, change, message):
    algorithm, size, options = CALLS[name]
    given = {"kernel": Gaussian(1.0), "points": TWICE, "alpha": np.full(6, 1 / 6), **change}
    with pytest.raises(ValueError, match=message):
        algorithm(*given.values(), size, **options)


@pytest.mark.parametrize("name", SIZED)
@pytest.mark.parametrize("k", [0, -1, 2.5, True, "3", None, np.nan])
def test_a_size_is_a_whole_number_from_1(name, k):
    algorithm, _, options = CALLS[name]
    with pytest.raises(ValueError, match="k must be a whole number >= 1"):
        algorithm(Gaussian(1.0), TWICE, np.full(6, 1 / 6), k, **options)


@pytest.mark.parametrize("name", CALLS)
def test_more_atoms_than_distinct_points_and_points_without_weight(name):
    algorithm, size, options = CALLS[name]
    alpha = np.array([1, 1, 0, 0, 1, 1]) / 4
    if name == "without_replacement":
        with pytest.raises(ValueError, match="k must be a whole number >= 1 and <= 4"):
            algorithm(Gaussian(1.0), TWICE, alpha, 5, **options)
    found = algorithm(
        Gaussian(1.0), TWICE, alpha, {0.5: 1e-9, 2: 4 if name.startswith("without") else 50}[size],
        **options,
    )
    assert not set(found.indices) & {2, 3}
    if name != "with_replacement":
        assert found.error < 1e-7
    assert np.abs(found.weights).sum() == pytest.approx(1)


@pytest.mark.parametrize("name", SIZED)
def test_kernels_need_not_be_normalised(name):
    algorithm, _, options = CALLS[name]
    points, alpha = sample(40, signed=False)
    alpha[:] = 1 / 40

    def run(kernel, points):
        again = {"rng": np.random.default_rng(3)} if "rng" in options else {}
        return algorithm(kernel, points, alpha, 4, **{**options, **again})

    one, three = run(Linear(), points), run(Linear(), 3 * points)
    np.testing.assert_array_equal(one.indices, three.indices)
    assert three.error == pytest.approx(3 * one.error, abs=1e-7)
    # On request every feature has norm 1, however long the points are.
    lengths = np.random.default_rng(0).uniform(0.1, 9, (40, 1))
    unit, scaled = run(Normalised(Linear()), points), run(Normalised(Linear()), lengths * points)
    np.testing.assert_array_equal(unit.indices, scaled.indices)
    assert unit.error == pytest.approx(scaled.error, abs=1e-7)
    assert run(Normalised(Linear()), 0 * points).error == 0


@pytest.mark.parametrize("name", [name for name, call in CALLS.items() if "rng" in call[2]])
@pytest.mark.parametrize("rng", [0, None, np.random])
def test_randomness_is_a_generator(name, rng):
    algorithm, size, options = CALLS[name]
    with pytest.raises(ValueError, match="rng must be a"):
        algorithm(Gaussian(1.0), TWICE, np.full(6, 1 / 6), size, **{**options, "rng": rng})


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: sparse.herding(Linear(), [[1.0]], [0.0], 1), "not be zero everywhere"),
        (lambda: sparse.herding(Linear(), [[1.0]], [1.0, 2.0], 1), "a weight a point"),
        (lambda: sparse.herding(Linear(), [[1.0]], [1.0], 0), "k must be a whole number"),
        (lambda: sparse.herding(Linear(), [[1.0]], [1.0], 1, step="fast"), "step must be one of"),
        (lambda: sparse.herding(Linear(), [[1.0]], [1.0], 1, candidates=[4]), "candidates"),
        (lambda: sparse.farthest_first(Linear(), [[1.0]], 1, start=1), "start"),
        (lambda: sparse.farthest_first(Linear(), [[1.0]], 1, alpha=[0.0]), "alpha"),
        (lambda: sparse.farthest_first(Linear(), [[1.0]], 1, start=0.0), "start"),
        (lambda: sparse.farthest_first(Linear(), [[1.0]], 1, start=None), "start"),
        (lambda: sparse.farthest_first(Linear(), [[1.0]], 1, tolerance=-1), "tolerance"),
        (lambda: sparse.farthest_first("linear", [[1.0]], 1), "kernel"),
        (lambda: sparse.farthest_first(Linear(), [[1.0]], 0), "k must"),
        (lambda: sparse.clustered(
            Linear(), [[1.0]], [1.0], 1, start=1, rng=np.random.default_rng(0)), "start"),
        (lambda: sparse.herding(Linear(), [[1.0]], [1.0], 1, tolerance=np.nan), "tolerance"),
        (lambda: sparse.herding(Linear(), [[1.0]], [1.0], 1, gap=np.nan), "gap"),
        (lambda: sparse.herding(Linear(), [[1.0]], [1.0], 1, candidates=[0.5]), "candidates"),
        (lambda: sparse.herding(Linear(), [[1.0]], [1.0], 1, candidates=[-1]), "candidates"),
        (lambda: sparse.herding(Linear(), [[1.0]], [1.0], 1, candidates=[]), "candidates"),
        (lambda: sparse.away_steps(Linear(), [[1.0]], [1.0], 1, gap="0"), "gap"),
        (lambda: sparse.fully_corrective(Linear(), [[1.0]], [1.0], 1, gap=np.nan), "gap"),
        (lambda: sparse.recursive_herding(Linear(), [[1.0]], [1.0], -1, rounds=1), "tolerance"),
        (lambda: sparse.recursive_herding(Linear(), [[1.0]], [1.0], 1, rounds=0), "rounds"),
        (lambda: sparse.recursive_herding(Linear(), [[1.0]], [1.0], 1, rounds=1, most=0), "most"),
        (lambda: sparse.map_reduce(Linear(), [[1.0]], [1.0], 1, parts=0), "parts"),
        (lambda: sparse.map_reduce(
            Linear(), [[1.0]], [1.0], 1, parts=1, method="heading"), "method"),
        (lambda: sparse.map_reduce(Linear(), [[1.0]], [1.0], 1, parts=2), "parts"),
        (
            lambda: sparse.clustered_to_tolerance(
                Linear(), [[1.0]], [1.0], 0, 0.1, rng=np.random.default_rng(0)
            ),
            "tolerance",
        ),
        (
            lambda: sparse.clustered_to_tolerance(
                Linear(), [[1.0]], [1.0], 0.1, 1.0, rng=np.random.default_rng(0)
            ),
            "delta",
        ),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("name", ["projection", "nearest_centre"])
def test_the_error_after_every_centre_is_that_of_so_many_centres(name, kernel):
    points, alpha = sample(n=50, d=4)
    algorithm = sparse.ALGORITHMS[name]
    found = algorithm(kernel, points, alpha, 8)
    assert len(found.errors) == 8 and found.error == found.errors[-1]
    # Squares are differences: they agree to the rounding, and the rank, of a Gram matrix.
    rounding = 1e-11 * np.abs(alpha).sum() ** 2
    for k, error in enumerate(found.errors, start=1):
        alone = algorithm(kernel, points, alpha, k).error
        assert error**2 == pytest.approx(alone**2, rel=1e-9, abs=rounding)


def test_the_last_error_alone_takes_no_rows_for_those_before(monkeypatch):
    points, alpha = sample(n=50)
    found = sparse.nearest_centre(Gaussian(1.0), points, alpha, 8)
    monkeypatch.setattr(Target, "row", None)
    alone = found.error
    monkeypatch.undo()
    assert alone == found.errors[-1] == found.error and len(found.errors) == 8


def test_centres_within_the_span_of_others_leave_the_error_as_it_is():
    points = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 3.0], [2.0, 0.0], [1.0, 1.0]])
    found = sparse.projection(Linear(), points, np.full(5, 0.2), 5)
    # Four centres at most differ from 0, and two of them span the plane.
    assert found.errors[-3:] == pytest.approx(0, abs=1e-7)
    assert found.errors[0] == pytest.approx(np.hypot(1.4, 0.8))


def plain_correction(gram, masses, k):
    """With the whole Gram matrix: the best face of all atoms, then the largest residual."""
    scores, atoms, errors = gram @ masses, [], []
    residual, here = scores, -np.inf
    for _ in range(k):
        z = int(residual.argmax())
        if residual[z] <= here + 1e-12:
            break
        atoms = sorted({*atoms, z})
        weights, square = best_face(gram[np.ix_(atoms, atoms)], scores[atoms])
        errors.append(np.sqrt(max(masses @ scores + square, 0)))
        atoms = [atom for atom, weight in zip(atoms, weights, strict=True) if weight > 0]
        weights = weights[weights > 0]
        residual = scores - gram[:, atoms] @ weights
        here = weights @ residual[atoms]
    return atoms, weights, errors


def best_face(gram, scores):
    """The least of w'Gw - 2f'w over the simplex, from the affine minimiser on each of its faces."""
    k, best = len(scores), (None, np.inf)
    for size in range(1, k + 1):
        for face in map(list, itertools.combinations(range(k), size)):
            system = np.ones((size + 1, size + 1))
            system[:size, :size], system[size, size] = gram[np.ix_(face, face)], 0
            found = np.linalg.solve(system, np.append(scores[face], 1))[:size]
            value = found @ gram[np.ix_(face, face)] @ found - 2 * scores[face] @ found
            if np.all(found >= 0) and value < best[1]:
                weights = np.zeros(k)
                weights[face] = found
                best = weights, value
    return best


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kernel", [Gaussian(1.0), Laplace(2.0)], ids=repr)
def test_full_correction_is_the_plain_form(kernel, seed):
    points, alpha = sample(n=40, seed=seed, signed=False)
    masses = alpha / alpha.sum()
    atoms, weights, errors = plain_correction(kernel(points), masses, 8)
    found = sparse.fully_corrective(kernel, points, masses, 8)
    order = np.argsort(found.indices)
    assert found.indices[order].tolist() == atoms
    np.testing.assert_allclose(found.weights[order], weights, atol=1e-9)
    np.testing.assert_allclose(found.errors, errors, atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_convex_projection_is_the_best_point_of_every_hull(seed):
    points, alpha = sample(n=40, seed=seed, signed=False)
    kernel, masses = Gaussian(1.0), alpha / alpha.sum()
    gram, centres = kernel(points), sparse.farthest_first(kernel, points, 7).centres
    square = masses @ gram @ masses
    errors = [
        np.sqrt(square + best_face(gram[np.ix_(c, c)], gram[c] @ masses)[1])
        for c in (centres[:j] for j in range(1, 8))
    ]
    found = sparse.convex_projection(kernel, points, masses, 7)
    np.testing.assert_allclose(found.errors, errors, atol=1e-9)
    assert found.error == found.errors[-1]
    assert sparse.convex_projection(kernel, points, masses, 7).error == found.error


def test_correction_takes_a_row_an_atom_and_a_file_takes_the_rows(monkeypatch):
    points, alpha = sample(n=400)
    kernel, seen, held = Gaussian(1.0), [], []

    def counted(plan, rows, columns, out, inner=Plan.inner):
        seen.append(out.size)
        return inner(plan, rows, columns, out)

    with monkeypatch.context() as patch:
        patch.setattr(Plan, "inner", counted)
        kept = sparse.fully_corrective(kernel, points, alpha, 30)
    used = len(np.flatnonzero(alpha))
    assert sum(seen) < used**2 + 31 * used

    class Watched(tempfile.SpooledTemporaryFile):
        def rollover(self):
            held.append(self.tell())
            super().rollover()

    monkeypatch.setattr(tempfile, "SpooledTemporaryFile", Watched)
    # The module, which the function of its name hides.
    module = sys.modules["noisytheory.topics.sparse.projection"]
    monkeypatch.setattr(module, "KEPT", 5 * 8 * used)
    filed = sparse.fully_corrective(kernel, points, alpha, 30)
    assert held == [6 * 8 * used]
    np.testing.assert_array_equal(kept.indices, filed.indices)
    np.testing.assert_array_equal(kept.weights, filed.weights)
    np.testing.assert_array_equal(kept.errors, filed.errors)


LINES = [[0, 1, 2, 4], [1, 1, 0, 0], [0, 3, 3, 7, 8]]


@pytest.mark.parametrize("line", LINES, ids=str)
@pytest.mark.parametrize("m", [1, 2, 3])
def test_algorithm_1_as_printed_is_the_printed_loop(line, m):
    column = np.array(line, float)[:, None]
    for start in range(len(line)):
        centres, stuck = printed_loop((column - column.T) ** 2, m, start=start)
        if stuck:
            with pytest.raises(ValueError, match="the printed loop never ends"):
                sparse.farthest_first_printed(Linear(), column, m, start=start)
            with pytest.raises(ValueError, match="the printed loop never ends"):
                sparse.clustered_printed(
                    Linear(), column, np.ones(len(line)), m, start=start,
                    rng=np.random.default_rng(0),
                )
        else:
            found = sparse.farthest_first_printed(Linear(), column, m, start=start)
            assert found.centres.tolist() == centres and len(centres) == m + 1


def test_algorithm_1_as_printed_may_use_2m_atoms():
    # Three cells far apart, one point light: 1 + 1 + 2 draws for m = 2.
    points = [[0.0], [100.0], [200.0], [200.1]]
    alpha = [0.1, 0.1, 0.4, 0.4]
    used = [
        len(sparse.clustered_printed(
            Linear(), points, alpha, 2, rng=np.random.default_rng(seed)).indices)
        for seed in range(20)
    ]
    assert max(used) == 4


def test_algorithm_2_as_printed_stops_at_once_or_a_centre_late():
    points, alpha = sample(n=80, signed=False)
    alpha /= alpha.sum()
    call = functools.partial(
        sparse.clustered_to_tolerance_printed, Gaussian(1.0), points, alpha, 1.0, 0.1
    )
    assert len(call(rng=np.random.default_rng(0)).indices) == 1
    radii = sparse.farthest_first(Gaussian(1.0), points, 80).radii
    test = 2 * (1 + np.sqrt(np.log(10))) * radii / np.sqrt(np.arange(1, 81))
    lagged = 2 * (1 + np.sqrt(np.log(10))) * radii[:-1] / np.sqrt(np.arange(2, 81))
    cells = int(np.flatnonzero(lagged <= 1.0)[0]) + 2
    assert cells >= int(np.flatnonzero(test <= 1.0)[0]) + 1
    assert 1 < cells < 80
    plain = sparse.clustered(Gaussian(1.0), points, alpha, cells, rng=np.random.default_rng(3))
    found = call(rng=np.random.default_rng(3), radius=np.inf)
    np.testing.assert_array_equal(found.indices, plain.indices)
    np.testing.assert_array_equal(found.weights, plain.weights)


def test_methods_are_taken_by_name_and_lacks_are_named():
    points, alpha = sample()
    call = functools.partial(sparse.map_reduce, Gaussian(1.0), points, alpha, 5, parts=3)
    by_name = call(method="clustered", rng=np.random.default_rng(1))
    itself = call(method=sparse.clustered, rng=np.random.default_rng(1))
    np.testing.assert_array_equal(by_name.indices, itself.indices)
    with pytest.raises(ValueError, match=r"^clustered needs rng=$"):
        call(method="clustered")
    with pytest.raises(ValueError, match=r"herding takes the options step, .* got 'speed'"):
        call(method="herding", speed=3)
    for name in sparse.TO_TOLERANCE:
        with pytest.raises(ValueError, match=f"{name} takes a tolerance, not a number of atoms"):
            call(method=name)
    # Partial functions and callables of any signature stay allowed.
    drawn = functools.partial(sparse.clustered, rng=np.random.default_rng(1))
    np.testing.assert_array_equal(call(method=drawn).indices, itself.indices)
    np.testing.assert_array_equal(
        call(method=lambda *args: sparse.herding(*args)).indices, call().indices
    )


@pytest.mark.parametrize("name", sparse.ALGORITHMS)
def test_algorithms_by_name_use_no_more_atoms_than_promised(name):
    points, alpha = np.random.default_rng(0).standard_normal((60, 3)), np.full(60, 1 / 60)
    algorithm, _, options = CALLS[name]
    found = algorithm(Gaussian(1.0), points, alpha, 7, **options)
    assert len(found.indices) <= (13 if name == "clustered" else 7)


def test_errors_are_right_where_rounding_cancels():
    points = np.random.default_rng(0).standard_normal((8, 2))
    alpha = np.full(8, 1 / 8)
    for run in (
        sparse.herding(Linear(), points, alpha, 500),
        sparse.away_steps(Linear(), points, alpha, 90),
        sparse.fully_corrective(Linear(), points, alpha, 20),
    ):
        # In coordinates nothing cancels; a difference of squares would leave some 1e-8.
        true = np.linalg.norm(alpha @ points - run.weights @ points[run.indices])
        assert run.error == pytest.approx(true, rel=1e-3, abs=1e-12)
    # Two points 1e-7 apart under a Gaussian kernel, one kept: their distance is that.
    near = sparse.herding(Gaussian(1.0), [[0.0], [1e-7]], [1 - 1e-3, 1e-3], 1)
    assert near.error == pytest.approx(1e-10, abs=1e-9)


def test_cells_of_single_points_leave_no_error_of_rounding():
    rng = np.random.default_rng(0)
    for n in range(2, 12):
        alpha = rng.dirichlet(np.ones(n))
        found = sparse.clustered(Linear(), rng.standard_normal((n, 3)), alpha, n, rng=rng)
        assert found.error <= 1e-15


def test_far_from_the_origin_the_stop_is_at_the_true_error():
    # Squares near 1e10 cancel: as their difference the error at the stop was up to twice off.
    for seed in range(8):
        points = 1e5 + np.random.default_rng(seed).standard_normal((30, 3))
        found = sparse.herding(Linear(), points, np.full(30, 1 / 30), 3000, tolerance=1e-3)
        left = np.full(30, 1 / 30)
        left[found.indices] -= found.weights
        assert np.linalg.norm(left @ (points - 1e5)) <= 1e-3
        assert len(found.errors) < 3000


def test_far_from_the_origin_errors_before_the_last_are_right():
    # As differences of squares near 1e12 they were up to .03 off.
    points, alpha = 1e6 + np.random.default_rng(0).standard_normal((20, 2)), np.full(20, 1 / 20)
    for run in (sparse.herding, sparse.away_steps):
        ends = [run(Linear(), points, alpha, k).error for k in range(1, 9)]
        np.testing.assert_allclose(run(Linear(), points, alpha, 8).errors, ends, atol=1e-8)
    drawn = [sparse.with_replacement(Linear(), points, alpha, 6, rng=np.random.default_rng(1))
             for points in (points, points - 1e6)]
    np.testing.assert_allclose(drawn[0].errors, drawn[1].errors, atol=1e-8)


def test_a_tolerance_out_of_reach_ends_the_loop():
    line = [[0.0], [4.0], [10.0]], [0.25, 0.25, 0.5]
    # The mean is 6, and 4 the nearest candidate: 4 is taken first, and nothing is nearer.
    found = sparse.herding(Linear(), *line, 100, candidates=[0, 1], tolerance=1.0)
    assert (len(found.errors), found.error, found.picks.tolist()) == (1, 2.0, [1])
    never = sparse.herding(Linear(), *line, 100, candidates=[0, 1], tolerance=1.0, gap=-1.0)
    assert len(never.errors) == 100


@pytest.mark.parametrize("kernel", [Linear(), Gaussian(1.0)], ids=str)
@pytest.mark.parametrize("algorithm", [
    sparse.herding, sparse.away_steps, sparse.fully_corrective,
])
def test_errors_of_every_step_are_those_of_the_weights_then_returned(algorithm, kernel):
    # Against a run that ends there.
    points = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.5], [0.25, -1.0]])
    alpha = np.array([0.25, 0.25, 0.375, 0.125])
    found = algorithm(kernel, points, alpha, 60)
    for step in sorted({*range(0, len(found.errors), 7), len(found.errors) - 1}):
        weights = alpha.copy()
        short = algorithm(kernel, points, alpha, step + 1)
        weights[short.indices] -= short.weights
        square = math.fsum((weights[:, None] * weights * kernel(points)).ravel())
        left = np.linalg.norm(weights @ points) if kernel == Linear() else math.sqrt(max(square, 0))
        assert found.errors[step] == pytest.approx(left, abs=1e-11)
    # After two steps nothing is left of two points, and a third would change nothing.
    pair = algorithm(kernel, [[0.3], [1.0]], [0.3, 0.7], 3, gap=-1.0)
    assert pair.errors[1:].max() < 1e-11


def test_errors_far_from_the_origin_are_right_to_the_last_digits():
    line = 1e4 + np.arange(12.0)[:, None] / 8
    alpha = np.full(12, 1 / 12)
    found = sparse.herding(Linear(), line, alpha, 200)
    left = {i: Fraction(a) for i, a in enumerate(alpha.tolist())}
    for i, weight in zip(found.indices.tolist(), found.weights.tolist(), strict=True):
        left[i] -= Fraction(weight)
    exact = abs(sum(c * Fraction(line[i, 0]) for i, c in left.items()))
    assert found.error == pytest.approx(float(exact), rel=1e-9)


def test_picks_are_the_points_of_the_steps():
    line = [[0.0], [1.0], [3.0]]
    away = sparse.away_steps(Linear(), line, [0.5, 0.25, 0.25], 3)
    # The mean is 1, and all score it: 3 is first, of the largest product; from 3 on to 0.
    assert away.picks[:2].tolist() == [2, 0] and len(away.picks) == len(away.errors)
    recursive = sparse.recursive_herding(Linear(), line, [0.5, 0.25, 0.25], 0.1, rounds=2)
    assert set(recursive.picks.tolist()) == set(recursive.indices.tolist()) == {0, 2}
