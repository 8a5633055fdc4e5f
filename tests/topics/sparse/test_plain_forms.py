"""The forms that are fast take the points that the plain ones take."""

from __future__ import annotations

import numpy as np
import pytest

from noisytheory import sparse
from noisytheory.topics.sparse.approximation import Target
from noisytheory.topics.sparse.farthest_first import FARTHEST_LEAST
from noisytheory.vocabulary.kernels import Gaussian, Laplace, Linear, Normalised, Polynomial


def plain_farthest_first(gram, k, start=0):
    """Every point beside every centre, in the order of the centres."""
    diagonal = np.diagonal(gram)
    near, centres = np.full(len(gram), np.inf), [start]
    while True:
        c = centres[-1]
        near = np.minimum(near, np.maximum(diagonal + diagonal[c] - 2 * gram[c], 0.0))
        if len(centres) == k:
            squares = diagonal[:, None] + diagonal[centres] - 2 * gram[:, centres]
            return centres, squares.argmin(axis=1), float(np.sqrt(near.max()))
        centres.append(int(near.argmax()))


@pytest.mark.parametrize(
    ("kernel", "signed"),
    [
        (Gaussian(2.0), False),
        (Gaussian(2.0), True),
        (Gaussian(0.05), False),
        (Laplace(3.0), False),
        (Linear(), False),
        (Linear(), True),
        (Polynomial(2, 1.0), False),
        (Normalised(Polynomial(2, 1.0)), True),
    ],
    ids=repr,
)
def test_centres_from_the_farthest_points_are_the_centres_from_all(kernel, signed):
    # More than two rounds of the farthest points: the others catch up in between.
    n, k = 2 * FARTHEST_LEAST + 300, 130
    rng = np.random.default_rng(7)
    points = rng.standard_normal((n, 3))
    signs = rng.choice([-1.0, 1.0], n) if signed else np.ones(n)
    gram = kernel(points) * signs * signs[:, None]
    found = sparse.farthest_first(kernel, points, k, alpha=signs, start=5)
    centres, cells, radius = plain_farthest_first(gram, k, start=5)
    assert found.centres.tolist() == centres
    np.testing.assert_array_equal(found.cells, cells)
    assert found.radii[-1] == pytest.approx(radius, rel=1e-6)


def test_traversal_of_many_equal_points_ends():
    line = np.repeat(np.arange(3.0), FARTHEST_LEAST)[:, None]
    found = sparse.farthest_first(Gaussian(1.0), line, 10)
    assert found.centres.tolist() == [0, 2 * FARTHEST_LEAST, FARTHEST_LEAST]
    assert found.radii[-1] == 0
    np.testing.assert_array_equal(np.bincount(found.cells), [FARTHEST_LEAST] * 3)


def plain_greedy(gram, k, distinct):
    """The point that leaves the least error of equal weights, by trying all of them."""
    n = len(gram)
    mean, atoms = gram.mean(axis=0), []
    for t in range(1, k + 1):
        counts = np.bincount(atoms, minlength=n)
        cross, norm = gram @ counts, counts @ gram @ counts
        squares = (
            -2 * (counts @ mean + mean) / t + (norm + 2 * cross + np.diagonal(gram)) / t**2
        )
        if distinct:
            squares[atoms] = np.inf
        atoms.append(int(squares.argmin()))
    return atoms


@pytest.mark.parametrize("kernel", [Gaussian(1.5), Polynomial(2, 1.0)], ids=repr)
@pytest.mark.parametrize("distinct", [False, True])
def test_greedy_herding_lessens_the_error_most(kernel, distinct):
    points = np.random.default_rng(3).standard_normal((60, 2))
    atoms = plain_greedy(kernel(points), 50, distinct)
    found = sparse.herding(
        kernel, points, np.full(60, 1 / 60), 50, step="greedy", distinct=distinct, gap=-np.inf
    )
    assert found.indices.tolist() == list(dict.fromkeys(atoms))
    assert len(set(atoms)) == 50 if distinct else len(set(atoms)) < 50
    np.testing.assert_allclose(found.weights, np.bincount(atoms)[found.indices] / 50, rtol=1e-9)


@pytest.mark.parametrize("step", ["line search", "uniform", "classic", "greedy"])
def test_distinct_herding_takes_no_point_twice_and_ends_with_all(step):
    points = np.random.default_rng(4).standard_normal((12, 2))
    found = sparse.herding(
        Gaussian(1.0), points, np.full(12, 1 / 12), 100, step=step, distinct=True, gap=-np.inf
    )
    assert len(found.errors) == 12
    assert len(set(found.indices.tolist())) == len(found.indices)
    if step in ("uniform", "greedy"):
        assert found.error == pytest.approx(0, abs=1e-7)


def test_best_weights_are_convex_and_better():
    rng = np.random.default_rng(5)
    points, alpha = rng.standard_normal((200, 2)), rng.standard_normal(200)
    plain = sparse.herding(Gaussian(1.0), points, alpha, 20, step="uniform")
    best = sparse.herding(Gaussian(1.0), points, alpha, 20, step="uniform", best_weights=True)
    np.testing.assert_allclose(best.errors[:-1], plain.errors)
    assert best.error < 0.95 * plain.error
    assert set(best.indices.tolist()) <= set(plain.indices.tolist())
    assert np.abs(best.weights).sum() == pytest.approx(np.abs(alpha).sum())
    assert np.all(best.weights * alpha[best.indices] > 0)


@pytest.mark.parametrize(
    "kernel", [Gaussian(1.0), Gaussian(0.02), Normalised(Gaussian(1.0)), Laplace(1.0), Linear()],
    ids=repr,
)
def test_scores_from_half_of_the_matrix_are_the_scores(kernel):
    # Gaussian(0.02) is too narrow for factors of rows and columns.
    rng = np.random.default_rng(6)
    points, alpha = rng.standard_normal((900, 3)), rng.standard_normal(900)
    target = Target(kernel, points, alpha)
    expected = target.signs * (kernel(points) @ alpha) / np.abs(alpha).sum()
    np.testing.assert_allclose(target.scores, expected, rtol=1e-10, atol=1e-13)
    row = target.row(4, target.buffer())
    np.testing.assert_allclose(
        row, target.signs[4] * target.signs * kernel(points)[4], rtol=1e-11, atol=1e-14
    )
