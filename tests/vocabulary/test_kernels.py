"""Gram blocks against their definitions, distances against hand-worked ones."""

from __future__ import annotations

import math
import pickle

import mpmath
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from noisytheory.vocabulary.kernels import (
    Gaussian,
    Kernel,
    Laplace,
    Linear,
    Normalised,
    Polynomial,
    blocks,
    rkhs_distance,
    rkhs_norm,
)

KERNELS = [
    Linear(),
    Gaussian(0.7),
    Laplace(1.3),
    Polynomial(3, 0.5),
    Polynomial(1),
    Normalised(Polynomial(2, 1.0)),
    Normalised(Gaussian(2.0)),
]
points = arrays(
    np.float64, st.tuples(st.integers(1, 7), st.just(3)), elements=st.floats(-3, 3, width=32)
)


def defined(kernel: Kernel, x: np.ndarray, z: np.ndarray) -> float:
    """The formula of the docstring, for two instances."""
    match kernel:
        case Linear():
            return float(x @ z)
        case Gaussian(bandwidth):
            return math.exp(-((x - z) @ (x - z)) / (2 * bandwidth**2))
        case Laplace(bandwidth):
            return math.exp(-math.sqrt((x - z) @ (x - z)) / bandwidth)
        case Polynomial(degree, offset):
            return float((x @ z + offset) ** degree)
        case Normalised(inner):
            return defined(inner, x, z) / math.sqrt(defined(inner, x, x) * defined(inner, z, z))
    raise AssertionError(kernel)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
class TestEveryKernel:
    """What holds for each of them."""

    def test_block_is_the_formula(self, kernel):
        rng = np.random.default_rng(1)
        x, z = rng.normal(size=(5, 3)), rng.normal(size=(4, 3))
        expected = [[defined(kernel, a, b) for b in z] for a in x]
        np.testing.assert_allclose(kernel(x, z), expected, rtol=1e-12, atol=1e-14)

    def test_tiles_and_blocks_agree_with_one_piece(self, kernel):
        rng = np.random.default_rng(2)
        x, z = rng.normal(size=(300, 3)), rng.normal(size=(700, 3))
        whole = kernel(x, z)
        assert whole[299, 699] == pytest.approx(defined(kernel, x[299], z[699]), rel=1e-12)
        assembled = np.empty_like(whole)
        for rows, block in blocks(kernel, x, z, rows=77):
            assembled[rows] = block
        np.testing.assert_allclose(assembled, whole, rtol=1e-12, atol=1e-15)

    def test_diagonal_is_exact_and_symmetric(self, kernel):
        x = np.random.default_rng(3).normal(size=(40, 3)) + 1000
        np.testing.assert_array_equal(np.diagonal(kernel(x)), kernel.diagonal(x))
        for rows, block in blocks(kernel, x, rows=7):
            here = np.arange(rows.start, rows.stop)
            np.testing.assert_array_equal(block[here - rows.start, here], kernel.diagonal(x)[here])
        np.testing.assert_allclose(kernel(x), kernel(x).T, rtol=1e-12)

    @given(x=points)
    def test_positive_semi_definite_and_bounded(self, kernel, x):
        x = x + np.array([0.0, 0.0, 4.0])  # no instance at the origin, where a norm is 0
        gram = kernel(x)
        assert np.linalg.eigvalsh(gram).min() >= -1e-9 * max(1.0, np.diagonal(gram).max())
        if kernel.bounded_by_one:
            assert np.abs(gram).max() <= 1 + 1e-12

    def test_single_precision_stays_single(self, kernel):
        x = np.random.default_rng(4).normal(size=(30, 3)).astype(np.float32)
        single = kernel(x)
        assert single.dtype == np.float32
        double = kernel(x.astype(np.float64))
        np.testing.assert_allclose(single, double, rtol=2e-4, atol=2e-4)

    def test_out_is_used_and_checked(self, kernel):
        x = np.ones((2, 3))
        out = np.empty((2, 2))
        assert kernel(x, out=out) is out
        with pytest.raises(ValueError, match="out must be an array of shape"):
            kernel(x, out=np.empty((3, 2)))

    @pytest.mark.parametrize(
        ("x", "z", "message"),
        [
            ([1.0, 2.0], None, "x must have shape"),
            ([[np.nan, 0.0]], None, "NaN or infinity in row 0"),
            ([[1.0, 0.0]], [[0.0, 1.0], [np.inf, 0.0]], "z must be finite.*row 1"),
            ([[1.0, 0.0]], [[1.0]], "as many columns, got 2 and 1"),
            ([["a", "b"]], None, "x must hold real numbers"),
        ],
    )
    def test_bad_instances_are_refused(self, kernel, x, z, message):
        with pytest.raises(ValueError, match=message):
            kernel(x, z)

    def test_pickles_and_compares_by_value(self, kernel):
        assert pickle.loads(pickle.dumps(kernel)) == kernel
        assert hash(pickle.loads(pickle.dumps(kernel))) == hash(kernel)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Gaussian(0), "bandwidth must be a finite number > 0, got 0"),
        (lambda: Gaussian(math.nan), "bandwidth .* got nan"),
        (lambda: Laplace(-1.0), "bandwidth .* got -1.0"),
        (lambda: Polynomial(0), "degree must be a whole number >= 1, got 0"),
        (lambda: Polynomial(1.5), "degree"),
        (lambda: Polynomial(2, -1.0), "offset must be a finite number >= 0"),
        (lambda: Normalised("linear"), "kernel must be a Kernel"),
    ],
)
def test_bad_parameters_are_refused(build, message):
    with pytest.raises(ValueError, match=message):
        build()


@pytest.mark.parametrize("kernel", [Linear(), Polynomial(3)], ids=repr)
def test_a_zero_feature_stays_zero_when_normalised(kernel):
    normalised = Normalised(kernel)
    assert normalised([[2.0], [0.0]]).tolist() == [[1.0, 0.0], [0.0, 0.0]]
    assert normalised.diagonal([[2.0], [0.0]]).tolist() == [1.0, 0.0]
    assert normalised([[2.0], [0.0]], [[-3.0]]).ravel() == pytest.approx([kernel([[2.0]], [[-3.0]])
        [0, 0] / np.sqrt(kernel([[2.0]])[0, 0] * kernel([[-3.0]])[0, 0]), 0.0])
    # Here it is 0 by underflow only.
    with pytest.raises(ValueError, match="0 in row 1"):
        normalised([[1.0], [1e-200]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Linear()([[1.0], [1e200]]), r"x must .* within \+-1e\+150, .* row 1"),
        (lambda: Linear()([[1.0]], [[-1e200]]), r"z must have coordinates within"),
        (lambda: Gaussian(1.0)(np.array([[1e17]], np.float32)), r"within \+-1e\+15,"),
        (lambda: Gaussian(1e-200), r"bandwidth must lie in \[1e-150, 1e\+150\], got 1e-200"),
        (lambda: Laplace(1e200), r"bandwidth must lie in"),
        (lambda: Gaussian(1e-100)([[0.0], [1e100]]), "bandwidth must be larger"),
        (lambda: Laplace(1e-100)([[0.0], [1e100]]), "bandwidth must be larger"),
        (lambda: rkhs_norm(Gaussian(1e-100), [[0.0], [1e100]], [1, 1]), "bandwidth must be larger"),
        (lambda: Linear()(scipy.sparse.eye(2)), "x must be dense rows, got a sparse matrix"),
    ],
)
def test_what_would_overflow_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_coordinates_at_the_edge_are_right():
    assert Gaussian(1e148)([[1e150]], [[0.0]])[0, 0] == 0
    assert Gaussian(1e150)([[1e150]], [[0.0]])[0, 0] == pytest.approx(np.exp(-0.5))
    assert Laplace(1e-150)([[1e-150]], [[0.0]])[0, 0] == pytest.approx(np.exp(-1))


@pytest.mark.parametrize("rows", [0, -1, 1.5, True])
def test_bad_block_sizes_are_refused(rows):
    with pytest.raises(ValueError, match="rows must be a whole number"):
        next(blocks(Linear(), [[1.0]], rows=rows))


def test_gaussian_far_from_the_origin_against_fifty_digits():
    # Squared norms of 1e8 would leave 8 digits of a squared distance of order 1.
    x, z = [[1e4 + 0.5, -1e4]], [[1e4, -1e4 + 0.25]]
    with mpmath.workdps(50):
        expected = mpmath.exp(-(mpmath.mpf("0.25") + mpmath.mpf("0.0625")) / 2)
    assert Gaussian(1.0)(x, z)[0, 0] == pytest.approx(float(expected), rel=1e-12)


def test_laplace_of_near_duplicates_keeps_its_digits():
    x = np.array([[3.0, -2.0, 7.0]])
    z = x + 1e-9
    distance = np.linalg.norm(x - z)
    assert 1 - Laplace(1.0)(x, z)[0, 0] == pytest.approx(distance, rel=1e-6)


class TestDistance:
    """Hand-worked distances in the RKHS."""

    def test_two_points_under_a_gaussian(self):
        # |phi(0) - phi(1)|^2 = 2 - 2 exp(-1/2)
        distance = rkhs_distance(Gaussian(1.0), [[0.0]], [1.0], [[1.0]], [1.0])
        assert distance == pytest.approx(math.sqrt(2 - 2 * math.exp(-0.5)), rel=1e-14)

    def test_linear_kernel_is_euclidean(self):
        rng = np.random.default_rng(5)
        x, z = rng.normal(size=(6, 2)), rng.normal(size=(3, 2))
        alpha, beta = rng.normal(size=6), rng.normal(size=3)
        expected = np.linalg.norm(alpha @ x - beta @ z)
        assert rkhs_distance(Linear(), x, alpha, z, beta) == pytest.approx(expected, rel=1e-13)

    @given(x=points, z=points)
    def test_triangle_inequality_and_symmetry(self, x, z):
        kernel = Gaussian(1.0)
        alpha, beta = np.full(len(x), 1 / len(x)), np.full(len(z), 1 / len(z))
        distance = rkhs_distance(kernel, x, alpha, z, beta)
        assert distance == pytest.approx(rkhs_distance(kernel, z, beta, x, alpha), abs=1e-7)
        assert distance <= rkhs_norm(kernel, x, alpha) + rkhs_norm(kernel, z, beta) + 1e-12

    def test_blocks_cover_samples_larger_than_one(self, monkeypatch):
        monkeypatch.setattr("noisytheory.vocabulary.kernels.BLOCK_ENTRIES", 64)
        rng = np.random.default_rng(6)
        x, alpha = rng.normal(size=(50, 2)), rng.normal(size=50)
        expected = math.sqrt(alpha @ Gaussian(1.0)(x) @ alpha)
        assert rkhs_norm(Gaussian(1.0), x, alpha) == pytest.approx(expected, rel=1e-12)

    def test_bad_weights_are_refused(self):
        with pytest.raises(ValueError, match=r"alpha must have shape \(2,\)"):
            rkhs_norm(Linear(), [[1.0], [2.0]], [1.0])
        with pytest.raises(ValueError, match="beta must be finite, got nan"):
            rkhs_distance(Linear(), [[1.0]], [1.0], [[1.0]], [math.nan])
