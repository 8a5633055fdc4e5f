"""Simulators against the algorithms and against brute force; exact laws against draws."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import nnls

from noisytheory import sparse
from noisytheory.topics.sparse import (
    samples,
    simulate,
    simulate_clusters,
    simulate_hulls,
    simulate_means,
    simulate_partitions,
)
from noisytheory.topics.sparse.farthest_first import traverse
from noisytheory.topics.sparse.hulls import diameter_square, pyramidal_width_square
from noisytheory.vocabulary.kernels import Linear


@pytest.mark.parametrize("sample, m", [("weighted", 2), ("signed", 3), ("three pairs", 4)])
def test_the_law_of_clustered_sampling_is_that_of_the_algorithm(sample, m):
    chosen = samples.SAMPLES[sample]
    rng = np.random.default_rng(0)
    errors = [
        sparse.clustered(Linear(), chosen.points, chosen.alpha, m, rng=rng).error
        for _ in range(400)
    ]
    law = simulate.clustered_law(sample, m)
    assert set(np.round(errors, 6)) <= set(np.round(law.values, 6))
    spread = np.sqrt(np.dot(law.probabilities, (law.values - law.mean()) ** 2) / 400)
    # Five standard errors: one false alarm in a million.
    assert np.mean(errors) == pytest.approx(law.mean(), abs=5 * spread + 1e-9)


@pytest.mark.parametrize("m", [2, 3])
def test_the_cell_law_is_enumerated(m):
    outcomes = [abs(sum(s) / (2 * m)) for s in itertools.product([-1, 1], repeat=m)]
    law = simulate.cell_law("parallel", m, 1.0)
    assert law.mean() == pytest.approx(np.mean(outcomes))
    shares = np.full(m, (1 + 0.5 / m) / m)
    shares[-1] = 1 - shares[:-1].sum()
    draws = [2] * (m - 1) + [1]
    outcomes = [
        abs(sum(a / n * sum(s) / 2 for a, n, s in zip(shares, draws, split, strict=True)))
        for split in itertools.product(*[list(itertools.product([-1, 1], repeat=n)) for n in draws])
    ]
    assert simulate.cell_law("overflow", m, 1.0).mean() == pytest.approx(np.mean(outcomes))


def brute_diameter(squares, m):
    n = len(squares)
    return min(
        max(squares[i][j] for i in range(n) for j in range(n) if labels[i] == labels[j])
        for labels in itertools.product(range(m), repeat=n)
    )


@pytest.mark.parametrize("n, m", [(5, 2), (6, 3)])
def test_least_diameters_are_those_of_all_labellings(n, m):
    drawn = simulate_partitions.Whole.draw(n, 2, size=10, rng=np.random.default_rng(1))
    sides = simulate_partitions.traversal_radius(simulate_partitions.Whole(**drawn), m)
    for points, least, radius in zip(drawn["points"], sides["rhs"], sides["lhs"], strict=True):
        squares = ((points[:, None] - points) ** 2).sum(axis=-1)
        assert least == brute_diameter(squares.tolist(), m)
        found = sparse.farthest_first(Linear(), points.astype(float), m)
        assert found.radii[-1] ** 2 == pytest.approx(radius)


def test_the_least_diameter_of_a_named_sample():
    assert samples.least_diameter("line", 3) == pytest.approx(0.1)
    assert samples.cell_diameter("opposite", 1) > 1.9
    assert samples.cell_diameter("opposite", 1, signed=False) == pytest.approx(0.1, abs=1e-3)


def test_gonzalez_factor_two_is_attained():
    line = np.array([6.0, 0, 4, 7, 6, 5])[:, None]
    cells = sparse.farthest_first(Linear(), line, 3).cells
    diameter = max(np.ptp(line[cells == c]) for c in range(3))
    squares = ((line[:, None] - line) ** 2).sum(axis=-1)
    assert diameter == 2 and brute_diameter(squares.tolist(), 3) == 1


def test_projection_errors_are_those_of_the_algorithm_and_of_fractions():
    drawn = simulate_partitions.projection_error(6, 3, 6, size=20, rng=np.random.default_rng(2))
    for i in range(20):
        points = drawn["points"][i]
        found = sparse.projection(Linear(), points.astype(float), np.full(6, 1 / 6), 3)
        assert found.error == pytest.approx(drawn["lhs"][i], abs=1e-7)
        exact = simulate_partitions.projection_certificate(points, 6, 3)
        assert float(exact.lhs) == pytest.approx(drawn["lhs"][i] ** 2, abs=1e-9)


def test_centres_in_place_of_points_have_the_error_of_a_mean():
    # One axis, 7 points, equal weights: each point moves to the nearer of the traversal's centres.
    rng = np.random.default_rng(3)
    drawn = simulate_partitions.nearest_centre_error(7, 2, 1, size=50, rng=rng)
    for row in range(50):
        line = drawn["points"][row][:, 0]
        far = line[np.abs(line - line[0]).argmax()]
        moves = [x - (line[0] if abs(x - line[0]) <= abs(x - far) else far) for x in line]
        assert drawn["lhs"][row] == pytest.approx(abs(sum(moves)) / 7)
        assert drawn["least"][row] == max(abs(d) for d in moves) ** 2


@pytest.mark.parametrize("hull", ["cross 2", "cross 5", "cube 3", "simplex 4"])
# Rational targets tie; where they do, fractions and floats may go different ways later on.
@pytest.mark.parametrize("step, k", [("line search", 6), ("uniform", 6), ("classic", 3)])
def test_runs_in_coordinates_are_those_of_the_kernel_form_and_of_fractions(hull, step, k):
    rng = np.random.default_rng(4)
    vertices, target, given = simulate_hulls.drawn_targets(hull, 5, rng)
    errors, _ = simulate_hulls.run(vertices, target, k, step)
    for i in range(5):
        exact, _, _ = simulate_hulls._exact_run(
            vertices, [Fraction(int(x), int(given["low"][i])) for x in given["top"][i]], k, step
        )
        np.testing.assert_allclose(errors[i], [float(e) for e in exact], atol=1e-12)
    if hull.startswith("simplex"):
        found = sparse.herding(Linear(), vertices, target[0], k, step=step, gap=-1.0)
        np.testing.assert_allclose(found.errors**2, errors[0], atol=1e-12)


@pytest.mark.parametrize("hull", ["cross 3", "cube 2", "simplex 4"])
def test_distances_from_the_boundary(hull):
    _, target, given = simulate_hulls.drawn_targets(hull, 5, np.random.default_rng(5))
    for point, distance in zip(target, given["distance"], strict=True):
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


def test_missed_clusters_by_counting():
    hits = sum(len(set(draw)) == 3 for draw in itertools.product(range(3), repeat=4))
    assert simulate_clusters.missed_clusters_law(3, 4, 0).mean() == pytest.approx(1 - hits / 81)
    subsets = list(itertools.combinations([0, 0, 1, 1, 2, 2], 4))
    hits = sum(len(set(draw)) == 3 for draw in subsets)
    law = simulate_clusters.missed_clusters_law(3, 4, 2)
    assert law.mean() == pytest.approx(1 - hits / len(subsets))


def test_kernel_evaluations():
    assert simulate_means.herding_evaluations(50, 4, "iterations")["lhs"] == [200]
    # Half of the matrix, but for the blocks on its diagonal.
    count = simulate_means.herding_evaluations(3000, 1, "scores")["lhs"][0]
    assert 3000 * 3001 / 2 <= count <= 0.6 * 3000**2


def test_pyramidal_widths_are_distances_between_a_face_and_the_other_vertices():
    # Every face of these hulls is where some direction with entries -1, 0, 1 is largest.
    for hull in ("cross 2", "cross 3", "cross 5", "cube 2", "cube 3", "simplex 4", "simplex 5"):
        vertices = simulate_hulls.vertices_of(hull)
        faces = set()
        for direction in itertools.product((-1, 0, 1), repeat=vertices.shape[1]):
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
        assert samples.total_weight(name) == pytest.approx(sample.target.total, rel=1e-15)
        for m in range(1, len(sample.alpha) + 1):
            cells = traverse(sample.target, m).cells
            widest = max(
                np.linalg.norm(one - two)
                for cell in range(m)
                for one in sample.signed[cells == cell] for two in sample.signed[cells == cell]
            )
            assert samples.cell_diameter(name, m) == pytest.approx(widest, abs=1e-9), (name, m)


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
    for hull in ("cross 5", "simplex 4", "simplex 5"):  # on cubes vertices tie
        drawn = simulate_hulls.away_error(hull, 5, size=6, rng=rng)
        certify = simulate_hulls.away_certificate(1)
        for row in range(6):
            found = certify(hull, 5, drawn["top"][row], drawn["low"][row])
            assert float(found.lhs) == pytest.approx(drawn["lhs"][row], abs=1e-12)
            assert not found.exceeds()


def test_projection_on_two_of_three_points_attains_its_bound():
    drawn = simulate_partitions.projection_error(3, 2, 8, size=512, rng=np.random.default_rng(0))
    promised = np.sqrt(drawn["least"]) / 3
    ratio = drawn["lhs"] / np.where(promised > 0, promised, 1)
    assert ratio[drawn["applies"]].max() == pytest.approx(1.0)
