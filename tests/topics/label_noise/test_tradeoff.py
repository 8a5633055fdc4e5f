"""Algorithm 1 on noisy samples: the traversal, the draws and the radius against plain forms."""

from __future__ import annotations

import inspect
import itertools
import math

import numpy as np
import pytest

import noisytheory as nt
from noisytheory.topics.label_noise.tradeoff import bounds as bounds_tradeoff
from noisytheory.topics.label_noise.tradeoff import simulate as simulate_tradeoff
from noisytheory.topics.label_noise.tradeoff.simulate import (
    CellsOf,
    OnePoint,
    checkerboard_of_pairs,
    close_points,
    noisy_sparse_distance,
)
from noisytheory.topics.sparse import clustered, farthest_first
from noisytheory.topics.sparse.sampling import draws_from_cells
from noisytheory.vocabulary.kernels import Gaussian
from noisytheory.vocabulary.populations import digits
from noisytheory.vocabulary.populations.finite import Finite


def signed_sample(design, sigma, n, seed):
    """Counts of one noisy sample, and its points and labels."""
    noisy = design.population.with_label_noise(sigma)
    counts = noisy.counts(n, size=1, rng=np.random.default_rng(seed))[0]
    return noisy, counts, np.asarray(noisy.points, float), noisy.labels


@pytest.mark.parametrize("bandwidth", [0.1, 0.25, 3.0])
def test_the_clean_diameter_is_that_of_the_widest_cluster(bandwidth):
    points, labels = simulate_tradeoff._regular_checkerboard()
    kernel = Gaussian(bandwidth)
    widest = max(
        2 - 2 * kernel(cluster).min() for cluster in points.reshape(16, 5, 2)
    )
    assert np.all(labels.reshape(16, 5) == labels.reshape(16, 5)[:, :1])
    claim = nt.claims["kernel-mean/noise-raises-diameter"]
    assert claim.bound(bandwidth) == pytest.approx(1.5 * math.sqrt(widest), rel=1e-9)


@pytest.mark.parametrize("m", [1, 3, 16, 40, 80])
def test_the_traversals_are_those_of_the_algorithm(m):
    # Points in general position: where distances tie, rounding decides.
    points = np.random.default_rng(0).standard_normal((32, 2))
    population = Finite("random", points, [1, -1] * 16, kernel=Gaussian(1.0))
    design = CellsOf(population, m)
    noisy, counts, points, labels = signed_sample(design, 0.2, 150, 4)
    cells, radius = simulate_tradeoff._traversals(noisy.gram, counts[None] > 0, m)
    kept = counts > 0
    found = farthest_first(design.population.kernel, points[kept], m, alpha=labels[kept])
    np.testing.assert_array_equal(cells[0, kept], found.cells)
    assert radius[0] == pytest.approx(found.radii[-1], abs=1e-7)


def weights_of(counts, cells, m, rng):
    """Weights of the atoms of every sample after its draws."""
    drawn, shares = draws_from_cells(counts / counts.sum(axis=1)[:, None], cells, m, rng)
    return np.bincount(drawn, weights=shares, minlength=counts.size).reshape(counts.shape)


def test_draws_fill_the_cells_by_their_mass():
    counts = np.array([[3, 0, 5, 2], [0, 10, 0, 0]])
    cells = np.array([[0, 0, 1, 0], [0, 0, 0, 0]])
    rng = np.random.default_rng(0)
    drawn = np.stack([weights_of(counts, cells, 2, rng) for _ in range(4000)])
    np.testing.assert_allclose(drawn.sum(axis=2), 1)
    assert np.all(drawn[:, :, 1][:, 0] == 0) and np.all(drawn[:, 1, 1] == 1)
    # Half of the mass in either cell: one draw each, the first from 3 and 2 of 5.
    assert np.all(drawn[:, 0, 2] == 0.5)
    share = np.mean(drawn[:, 0, 0] == 0.5)
    assert abs(share - 0.6) < 5 * np.sqrt(0.24 / 4000)


def test_a_sample_among_others_is_drawn_as_clustered_sub_sampling_draws_it():
    design = CellsOf(checkerboard_of_pairs(5).population, 5)
    n, sigma = 40, 0.25
    noisy, counts, points, labels = signed_sample(design, sigma, n, 7)
    cells, _ = simulate_tradeoff._traversals(noisy.gram, counts[None] > 0, 5)
    weights = weights_of(counts[None], cells, 5, np.random.default_rng(1))[0]
    gap = counts / n - weights
    kept = counts > 0
    found = clustered(
        design.population.kernel, points[kept], labels[kept] * counts[kept] / n, 5,
        rng=np.random.default_rng(1), cells=cells[0, kept],
    )
    assert found.error == pytest.approx(np.sqrt(gap @ noisy.gram @ gap), abs=1e-12)
    assert found.error > 0.1


def test_without_cells_to_spare_the_sample_itself_is_kept():
    design = CellsOf(close_points().population, 50)
    drawn = noisy_sparse_distance(
        design, 60, 0.3, 1, size=200, rng=np.random.default_rng(3)
    )
    assert np.all(drawn["diameter"] == 0)
    plain = design.population.with_label_noise(0.3)
    again = np.random.default_rng(3)
    gap = plain.counts(60, size=200, rng=again) / 60 - plain.weights
    squares = np.einsum("ri,ri->r", gap @ plain.gram, gap)
    np.testing.assert_allclose(drawn["lhs"], np.sqrt(squares) / 0.4, atol=1e-12)


def diameter(squares, m):
    """The least largest diameter of a partition into m cells, over all partitions."""
    n, best = len(squares), np.inf
    for labels in itertools.product(range(m), repeat=n - 1):
        cells = np.array([0, *labels])
        same = cells[:, None] == cells
        best = min(best, squares[same].max())
    return np.sqrt(best)


def test_the_radius_is_at_most_the_diameter_and_attains_it():
    design = close_points()
    noisy, counts, *_ = signed_sample(design, 0.4, 500, 0)
    assert np.all(counts > 0)
    squares = 2 - 2 * noisy.gram
    _, radius = simulate_tradeoff._traversals(noisy.gram, counts[None] > 0, 4)
    assert radius[0] == pytest.approx(diameter(squares, 4), rel=1e-6)
    assert radius[0] == pytest.approx(0.01, rel=1e-3)


def test_noise_asks_for_twice_the_cells():
    rng = np.random.default_rng(0)
    radius = {
        (m, sigma): noisy_sparse_distance(
            checkerboard_of_pairs(m), 10_000, sigma, 1, size=8, rng=rng
        )["diameter"].min()
        for m in (16, 32) for sigma in (0.0, 0.1)
    }
    assert radius[16, 0.0] == pytest.approx(0.2383, abs=1e-3)
    assert radius[16, 0.1] > 1.4 and radius[32, 0.1] == pytest.approx(radius[16, 0.0])
    bound = bounds_tradeoff.noisy_sparse_error(10_000, 16, 0.05, 0.1, radius[16, 0.1])
    assert bound > 2.25 > bounds_tradeoff.noisy_sparse_error(
        10_000, 32, 0.05, 0.1, radius[32, 0.1]
    )


def test_a_point_mass_is_a_binomial_law_drawn_or_not():
    design = OnePoint()
    law = simulate_tradeoff.noisy_point_law(design, 500, 0.3, 1)
    drawn = noisy_sparse_distance(design, 500, 0.3, 1, size=2000, rng=np.random.default_rng(5))
    assert abs(drawn["lhs"].mean() - law.mean()) < 5 * drawn["lhs"].std() / np.sqrt(2000)
    assert design.diameter == 0 and not drawn["diameter"].any()
    assert simulate_tradeoff.noisy_point_law(close_points(), 500, 0.3, 1) is None


def test_designs_tell_their_digest():
    assert CellsOf(digits(3, 8), 4).digest() != CellsOf(digits(3, 8), 5).digest()


@pytest.mark.parametrize(
    "sigma, n, radius, mean, corrected",
    [
        (0.4, 500, 1.0546, 0.8, 0.42),
        (0.4, 2000, 0.527288, 0.8, 0.215),
        (0.4, 20_000, 0.166743, 0.8, 0.068),
        (0.3, 2000, 0.263644, 0.6, 0.1),
        (0.1, 10_000, 0.058953, 0.2, 0.0147),
    ],
)
def test_corollary_23_on_a_point_mass(sigma, n, radius, mean, corrected):
    bound = bounds_tradeoff.noisy_sparse_error(n, 2, 0.05, sigma, 0.0)
    assert bound == pytest.approx(radius, rel=5e-5)
    printed = simulate_tradeoff.noisy_point_law(OnePoint(), n, sigma, 0)
    assert printed.mean() == pytest.approx(mean, abs=1e-9)
    # Twenty thousand violations of twenty thousand, but for the first row.
    assert printed.exceeding(bound)[0] == pytest.approx(0.0 if n == 500 else 1.0, abs=1e-6)
    repaired = simulate_tradeoff.noisy_point_law(OnePoint(), n, sigma, 1)
    assert repaired.quantile(0.95) == pytest.approx(corrected, rel=0.03)
    assert repaired.exceeding(bound)[1] < 1e-4


def test_corollary_23_without_noise_is_theorem_5_and_algorithm_1():
    n, m, delta, diameter = 100, 5, 0.1, 0.3
    statistical = 2 / math.sqrt(n) + math.sqrt(2 * math.log(2 / delta) / n)
    sparse = 2 * diameter * (1 + math.sqrt(math.log(2 / delta))) / math.sqrt(m)
    printed = bounds_tradeoff.noisy_sparse_error(n, m, delta, 0.0, diameter)
    assert printed == pytest.approx(statistical + sparse)
    noisy = bounds_tradeoff.noisy_sparse_error(n, m, delta, 0.25, diameter)
    assert noisy == pytest.approx(2 * printed)
    assert bounds_tradeoff.noisy_sparse_error_sharp(n, m, delta, 0.0, diameter) < printed


@pytest.mark.parametrize(
    "function", [getattr(bounds_tradeoff, name) for name in bounds_tradeoff.__all__]
)
def test_arguments_out_of_range_are_named(function):
    good = {"n": 10, "m": 2, "delta": 0.1, "sigma": 0.1, "diameter": 0.5}
    assert set(inspect.signature(function).parameters) == set(good) == set(function.domains)
    assert np.isfinite(function(**good))
    for name in good:
        with pytest.raises(ValueError, match=name):
            function(**{**good, name: -1})
    with pytest.raises(ValueError, match="sigma"):
        function(**{**good, "sigma": 0.5})
