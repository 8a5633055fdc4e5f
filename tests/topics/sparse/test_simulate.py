"""Simulators against the algorithms and against brute force; exact laws against draws."""

from __future__ import annotations

import itertools
import re
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import nnls
from scipy.spatial import ConvexHull

import noisytheory as nt
from noisytheory import sparse
from noisytheory.topics.sparse import samples
from noisytheory.topics.sparse.checkerboard.simulate import missed_clusters_law
from noisytheory.topics.sparse.clusters import simulate
from noisytheory.topics.sparse.farthest_first import traverse
from noisytheory.topics.sparse.greedy.simulate import (
    herding_evaluations,
    iteration_certificate,
    matrix_certificate,
)
from noisytheory.topics.sparse.partitions import sides as partitions
from noisytheory.topics.sparse.rates import sides as hulls
from noisytheory.topics.sparse.rates.hulls import (
    PLANE,
    RANDOM,
    diameter_square,
    pyramidal_width_square,
)
from noisytheory.trial.sides import exact_numbers
from noisytheory.vocabulary.exact import Undecided, ends
from noisytheory.vocabulary.kernels import Linear


@pytest.mark.parametrize("scheme", [
    samples.Scheme(samples.SAMPLES["weighted"], 2), samples.Scheme(samples.SAMPLES["signed"], 3),
    samples.Scheme(samples.heavy(5), 5), samples.Scheme(samples.heavy(4, extra=True), 4, extra=1),
    samples.Scheme(samples.uneven_pairs(Fraction(2, 3), Fraction(1, 3)), 2, (0, 0, 1, 1)),
], ids=lambda scheme: scheme.name)
def test_the_law_of_clustered_sampling_is_that_of_the_algorithm(scheme):
    errors = simulate.clustered_errors(scheme, size=300, rng=np.random.default_rng(0))
    law = simulate.clustered_law(scheme)
    assert set(np.round(errors, 5)) <= set(np.round(law.values, 5))
    assert law.values.max() <= scheme.largest * (1 + 1e-9)
    spread = np.sqrt(np.dot(law.probabilities, (law.values - law.mean()) ** 2) / 300)
    # Five standard errors: one false alarm in a million.
    assert np.mean(errors) == pytest.approx(law.mean(), abs=5 * spread + 1e-6)
    square = sparse.clustered_mean_square(
        Linear(), scheme.sample.points, scheme.sample.alpha, scheme.m, scheme.cells
    )
    assert square == pytest.approx(simulate.clustered_square_law(scheme).mean())


def brute_diameter(squares, m):
    n = len(squares)
    return min(
        max(squares[i][j] for i in range(n) for j in range(n) if labels[i] == labels[j])
        for labels in itertools.product(range(m), repeat=n)
    )


@pytest.mark.parametrize("n, m", [(5, 2), (6, 3)])
def test_least_diameters_are_those_of_all_labellings(n, m):
    drawn = partitions.Whole.draw(n, 2, size=10, rng=np.random.default_rng(1))
    sides = partitions.traversal_radius(partitions.Whole(**drawn), m)
    for points, least, radius in zip(drawn["points"], sides["rhs"], sides["lhs"], strict=True):
        squares = ((points[:, None] - points) ** 2).sum(axis=-1)
        assert least == brute_diameter(squares.tolist(), m)
        found = [sparse.farthest_first(Linear(), 1.0 * points, m, start=start)
                 for start in range(n)]
        assert max(run.radii[-1] for run in found) ** 2 == pytest.approx(radius)


def test_the_least_diameter_of_own_points_is_that_of_all_labellings():
    drawn = partitions.Whole.draw(7, 2, size=12, rng=np.random.default_rng(7))["points"]
    for points, m in itertools.product(drawn, (1, 2, 3, 7)):
        squares = ((points[:, None] - points) ** 2).sum(axis=-1)
        least = sparse.least_diameter(Linear(), points, m)
        assert least**2 == pytest.approx(partitions._least(squares[None], m)[0][0])
    assert samples.Scheme(samples.SAMPLES["line"], 3).least_diameter == pytest.approx(0.1)
    opposite = samples.Scheme(samples.SAMPLES["opposite"], 1)
    assert opposite.diameter > 1.9 and opposite.least_diameter == pytest.approx(opposite.diameter)
    with pytest.raises(ValueError, match="m must be a whole number >= 1"):
        sparse.least_diameter(Linear(), [[0.0]], 0)
    with pytest.raises(ValueError, match="zero"):
        sparse.least_diameter(Linear(), [[0.0]], 1, alpha=[0.0])


def test_a_heavy_cell_has_twice_the_least_diameter_and_all_draws():
    for m, extra in ((5, 0), (32, 1)):
        scheme = samples.Scheme(samples.heavy(m, extra=bool(extra)), m, extra=extra)
        assert (scheme.diameter, scheme.least_diameter) == (2.0, 1.0)
        assert scheme.largest == pytest.approx(1.0, abs=1e-4)
        chosen = scheme.sample
        found = traverse(chosen.target, m + extra)
        assert found.cells.tolist() == scheme.cells.tolist()
        heavy = scheme.cells[-1]
        assert np.flatnonzero(scheme.cells == heavy).size == 3


@pytest.mark.parametrize(("name", "delta"), [
    ("theorem-21", 0.5), ("theorem-21/repaired", 0.5), ("span-extension", 0.5),
    ("algorithm-1/guarantee", 0.05), ("algorithm-1/guarantee-printed-loop", 0.05),
    ("algorithm-1/guarantee-repaired", 0.05), ("algorithm-1/guarantee-sharp", 0.05),
    ("algorithm-2/repaired", 0.1), ("algorithm-2/sharper", 0.1),
])
def test_spread_points_are_drawn_and_come_as_near_as_the_note_says(name, delta):
    claim = nt.claims[f"kernel-mean/{name}"]
    (cell,) = (cell for cell in claim.cells() if claim.call(claim.exact, cell) is None)
    bound, largest = claim.call(claim.bound, cell, delta=delta), claim.call(claim.trivial, cell)
    drawn = claim.call(claim.simulate, cell, size=200, rng=np.random.default_rng(3))
    near = float(re.search(r"come[s]? to (\.\d\d?)", claim.note)[1])
    # The errors of the heavy cell lie on a lattice, of which a step is a quarter of the quantile.
    assert np.quantile(drawn, 1 - delta) / bound == pytest.approx(near, rel=0.25)
    assert bound < largest


def test_gonzalez_factor_two_is_attained():
    line = np.array([6.0, 0, 4, 7, 6, 5])[:, None]
    cells = sparse.farthest_first(Linear(), line, 3).cells
    diameter = max(np.ptp(line[cells == c]) for c in range(3))
    squares = ((line[:, None] - line) ** 2).sum(axis=-1)
    assert diameter == 2 and brute_diameter(squares.tolist(), 3) == 1


def test_projection_errors_are_those_of_the_algorithm_and_of_fractions():
    drawn = partitions.projection_error(6, 3, 6, size=20, rng=np.random.default_rng(2))
    for i in range(20):
        points = drawn["points"][i]
        found = sparse.projection(Linear(), points.astype(float), np.full(6, 1 / 6), 3)
        assert found.error == pytest.approx(drawn["lhs"][i], abs=1e-7)
    exact = partitions.span_square(partitions.Whole(drawn["points"]), 3)["lhs"]
    np.testing.assert_allclose(exact.astype(float), drawn["lhs"] ** 2, atol=1e-9)


def test_centres_in_place_of_points_have_the_error_of_a_mean():
    # One axis, 7 points, equal weights: each point moves to the nearer of the traversal's centres.
    rng = np.random.default_rng(3)
    drawn = partitions.nearest_centre_error(7, 2, 1, size=50, rng=rng)
    for row in range(50):
        line = drawn["points"][row][:, 0]
        far = line[np.abs(line - line[0]).argmax()]
        moves = [x - (line[0] if abs(x - line[0]) <= abs(x - far) else far) for x in line]
        assert drawn["lhs"][row] == pytest.approx(abs(sum(moves)) / 7)
        assert drawn["least"][row] == max(abs(d) for d in moves) ** 2


def inside(hull, size, seed):
    drawn = hulls.Inside.draw(hull, size=size, rng=np.random.default_rng(seed))
    exactly = {name: exact_numbers(value) for name, value in drawn.items()}
    return hulls.Inside(**drawn), hulls.Inside(**exactly)


@pytest.mark.parametrize("hull", ["cross 2", "cross 5", "cube 3", "simplex 4", "segment", "kite"])
# Rational targets tie; where they do, fractions and floats may go different ways later on.
@pytest.mark.parametrize("step, k", [("line search", 6), ("uniform", 6), ("classic", 3)])
def test_runs_in_coordinates_are_those_of_the_kernel_form_and_of_fractions(hull, step, k):
    floats, fractions = inside(hull, 5, 1)
    vertices = hulls.vertices_of(hull)
    errors, _, _ = hulls.run(vertices, floats.target(hull), k, step)
    exact, _, _ = hulls.run(vertices, fractions.target(hull), k, step)
    assert isinstance(exact[0, -1], Fraction)
    scale = hulls._diameter_square(hull)
    np.testing.assert_allclose(errors / scale, exact.astype(float) / scale, atol=1e-12)
    if hull.startswith("simplex"):
        found = hulls.herded(floats.shares[0], hull, k, step)
        np.testing.assert_allclose(found, errors[0], atol=1e-12)


@pytest.mark.parametrize("hull", RANDOM)
def test_the_boundary_of_a_random_hull_is_as_far_as_quickhull_has_it(hull):
    floats, fractions = inside(hull, 5, 4)
    *normal, offset = ConvexHull(hulls.vertices_of(hull)).equations.T
    least = -(floats.target(hull) @ normal + offset).max(axis=1)
    for at in (floats, fractions):
        np.testing.assert_allclose(at.distance_square(hull).astype(float), least**2, rtol=1e-9)


@pytest.mark.parametrize("hull", ["cross 5", "simplex 4", "kite"])
def test_intervals_of_a_long_run_hold_what_fractions_find(hull, monkeypatch):
    _, fractions = inside(hull, 4, 6)
    vertices = hulls.vertices_of(hull)
    for target in fractions.target(hull)[:, None]:
        exact, _, _ = hulls.run(vertices, target, 11, "line search")
        with monkeypatch.context() as patch:
            patch.setattr(hulls, "LONG", 2**40)
            enclosed, _, _ = hulls.run(vertices, target, 11, "line search")
        assert not isinstance(enclosed[0, -1], Fraction) or exact[0, -1] == 0
        low, high = map(np.ravel, exact_ends(enclosed))
        for least, most, error in zip(low, high, exact[0], strict=True):
            assert least <= error <= most <= least + Fraction(1, 10**100)


def exact_ends(values):
    found = ends(values)
    return found if isinstance(found, tuple) else (found, found)


def test_a_run_that_intervals_cannot_follow_ends_in_what_is_certain(monkeypatch):
    target = np.array([[Fraction(1, 3), Fraction(1, 3), Fraction(1, 7)]])
    vertices = hulls.vertices_of("cross 3")
    exact, _, _ = hulls.run(vertices, target, 9, "line search")

    def lost(*args):
        raise Undecided("the intervals overlap")

    monkeypatch.setattr(hulls, "next_rate", lost)
    cut, _, _ = hulls.run(vertices, target, 9, "line search")
    assert cut[0, 0] == exact[0, 0]
    for found, error in zip(cut[0, 1:], exact[0, 1:], strict=True):
        assert found.low == 0 and error <= found.high


@pytest.mark.parametrize("hull", ["cross 3", "cube 2", "simplex 4"])
def test_distances_from_the_boundary(hull):
    floats, _ = inside(hull, 5, 5)
    distances = np.sqrt(floats.distance_square(hull))
    for point, distance in zip(floats.target(hull), distances, strict=True):
        if hull.startswith("cross"):
            normals = np.array(list(itertools.product([-1, 1], repeat=3))) / np.sqrt(3)
            nearest = np.min(1 / np.sqrt(3) - normals @ point)
        elif hull.startswith("cube"):
            nearest = np.min(1 - np.abs(point))
        else:
            # Facet i is the simplex of the others; drop the coordinate, keep the sum.
            foot = [np.delete(point, i) + point[i] / 3 for i in range(4)]
            nearest = min(
                np.hypot(point[i], np.linalg.norm(np.delete(point, i) - foot[i])) for i in range(4)
            )
        assert distance == pytest.approx(nearest)


def test_distances_of_the_hulls_by_hand_from_their_edges():
    # The kite's target 0 is 16 from the side at height 16; (0, -40) is 13 parts of (0, -1) and 8 of
    # (0, -64), and the edge from (0, -64) to (-32, 16), 5x + 2y = -128, is nearest: 48 / sqrt(29).
    at = hulls.Inside(np.array([[128.0, 13, 91, 24], [24, 0, 0, 39]]))
    assert at.target("kite").tolist() == [[0, 0], [0, -40]]
    assert at.distance_square("kite").tolist() == pytest.approx([256, 48**2 / 29])
    segment = hulls.Inside(np.array([[63.0, 1]]))
    assert segment.distance_square("segment") == 64.0**-2
    assert segment.radius_square("segment") == (63 / 64) ** 2


def test_missed_clusters_by_counting():
    hits = sum(len(set(draw)) == 3 for draw in itertools.product(range(3), repeat=4))
    assert missed_clusters_law(3, 4, 0).mean() == pytest.approx(1 - hits / 81)
    subsets = list(itertools.combinations([0, 0, 1, 1, 2, 2], 4))
    hits = sum(len(set(draw)) == 3 for draw in subsets)
    law = missed_clusters_law(3, 4, 2)
    assert law.mean() == pytest.approx(1 - hits / len(subsets))


def test_kernel_evaluations():
    assert herding_evaluations(50, 4, "iterations")["lhs"] == [200]
    # Half of the matrix, but for the blocks on its diagonal.
    count = herding_evaluations(3000, 1, "scores")["lhs"][0]
    assert 3000 * 3001 / 2 <= count <= 0.6 * 3000**2


@pytest.mark.parametrize("n", [10, 192, 193, 600])
def test_certificates_of_costs_count_for_themselves(n):
    assert matrix_certificate(n).lhs == herding_evaluations(n, 1, "scores")["lhs"][0]
    assert iteration_certificate(n, 3).lhs == herding_evaluations(n, 3, "iterations")["lhs"][0]


def test_pyramidal_widths_are_distances_between_a_face_and_the_other_vertices():
    # Every face of these hulls is where some direction with entries -1, 0, 1 is largest, or what
    # such a face leaves; with entries up to 18, the longest that sides have, in the plane.
    for hull in ("cross 2", "cross 3", "cross 5", "cube 2", "cube 3", "simplex 4", "simplex 5",
                 "triangle", *PLANE):
        vertices = hulls.vertices_of(hull)
        faces = set()
        entries = range(-19, 20) if hull in PLANE else (-1, 0, 1)
        for direction in itertools.product(entries, repeat=vertices.shape[1]):
            heights = vertices @ np.array(direction)
            faces.add(tuple(heights == heights.max()))
        away = vertices[:, None] - vertices
        assert diameter_square(hull) == (away**2).sum(axis=-1).max()
        least = min(
            _between(vertices[np.array(face)], vertices[~np.array(face)])
            for face in faces if not all(face)
        )
        assert least == pytest.approx(float(pyramidal_width_square(hull)), abs=1e-9)


def test_lengths_in_bounds_are_those_that_the_algorithm_finds():
    for name, sample in samples.SAMPLES.items():
        for m in range(1, len(sample.alpha) + 1):
            scheme = samples.Scheme(sample, m)
            assert scheme.total == pytest.approx(sample.target.total, rel=1e-15)
            cells = traverse(sample.target, m).cells
            widest = max(
                np.linalg.norm(one - two)
                for cell in range(m)
                for one in sample.signed[cells == cell] for two in sample.signed[cells == cell]
            )
            assert scheme.diameter == pytest.approx(widest, abs=1e-9), (name, m)


def _between(one, two):
    """Squared distance of two hulls: least squares with weights that are positive and sum to 1."""
    rows = np.concatenate([one, -two]).T.astype(float)
    sums = np.zeros((2, len(one) + len(two)))
    sums[0, :len(one)], sums[1, len(one):] = 1, 1
    heavy = 1e6
    system = np.concatenate([rows, heavy * sums])
    weights, _ = nnls(system, np.concatenate([np.zeros(len(rows)), [heavy, heavy]]))
    return float(((rows @ weights) ** 2).sum())


def test_away_steps_in_fractions_are_those_of_the_library():
    rng = np.random.default_rng(5)
    for hull in ("cross 5", "simplex 4", "simplex 5", "triangle"):  # on cubes vertices tie
        for k in (5, 6):
            drawn = hulls.away_error(hull, k, size=6, rng=rng)
            for row in range(6):
                found = hulls.away_certificate(hull, k, 1, drawn["shares"][row])
                scale = hulls._diameter_square(hull)
                assert float(found.lhs) / scale == pytest.approx(
                    drawn["lhs"][row] / scale, abs=1e-12
                )
                assert not found.exceeds()


def test_best_weights_in_fractions_are_those_of_the_library():
    rng = np.random.default_rng(5)
    for hull in ("cross 2", "cross 5", "simplex 4", "shifted simplex", PLANE[0]):
        k = 3
        drawn = hulls.corrective_error(hull, k, size=6, rng=rng)
        scale = hulls._diameter_square(hull)
        for row in range(6):
            found = hulls.corrective_certificate(hull, k, 1, drawn["shares"][row])
            assert float(found.lhs) / scale == pytest.approx(drawn["lhs"][row] / scale, abs=1e-12)
            assert not found.exceeds()


def test_projection_on_two_of_three_points_attains_its_bound():
    drawn = partitions.projection_error(3, 2, 8, size=512, rng=np.random.default_rng(0))
    promised = np.sqrt(drawn["least"]) / 3
    ratio = drawn["lhs"] / np.where(promised > 0, promised, 1)
    assert ratio[drawn["applies"]].max() == pytest.approx(1.0)
