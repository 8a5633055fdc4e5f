"""Noise on label arrays against exact binomials, on populations against hand-worked values."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from noisytheory.vocabulary.noise import (
    ClassConditionalFlip,
    Confusion,
    Contamination,
    InstanceFlip,
    SymmetricFlip,
    checked_number,
    flip_rates,
)
from noisytheory.vocabulary.populations import axes, axis, orthonormal, two_gaussians

# Every test below that draws has this false-alarm rate, and a fixed seed.
FALSE_ALARM = 1e-6
MANY = 100_000
POP5 = [[0.7, 0.2, 0.1], [0.2, 0.7, 0.3], [0.1, 0.1, 0.6]]


def as_often(count: int, trials: int, rate: float) -> bool:
    return stats.binomtest(int(count), trials, rate).pvalue > FALSE_ALARM


@pytest.mark.parametrize(
    "noise",
    [
        SymmetricFlip(Fraction(1, 5)),
        ClassConditionalFlip(0.1, 0.4),
        InstanceFlip([0.1, 0.3]),
        Contamination(axis(Fraction(1, 2)), 0.2),
        Confusion([[0.9, 0.1], [0.4, 0.6]]),
    ],
    ids=lambda noise: type(noise).__name__,
)
class TestEveryNoise:
    """What holds for each of them."""

    def test_value_object(self, noise):
        again = pickle.loads(pickle.dumps(noise))
        assert again == noise
        assert hash(again) == hash(noise)
        assert noise.name
        with pytest.raises(AttributeError):
            noise.sigma = 1

    def test_population_is_the_law_of_the_noisy_labels(self, noise):
        clean = axis(Fraction(3, 4))
        noisy = noise.population(clean)
        rng = np.random.default_rng(1)
        if isinstance(noise, InstanceFlip):
            labels = noise.apply(np.tile([1, -1], (MANY, 1)), rng=rng)
            flips = (labels != [1, -1]).sum(axis=0)
            assert as_often(flips[0], MANY, 0.1)
            assert as_often(flips[1], MANY, 0.3)
            # 3/4 * 9/10 + 1/4 * 3/10
            assert noisy.eta[0] == pytest.approx(0.75)
            return
        points, labels = clean.sample(MANY, rng=rng)
        if isinstance(noise, Contamination):
            _, seen = noise.apply(points, labels, rng=rng)
        elif isinstance(noise, Confusion):
            seen = 2 * noise.apply((labels + 1) // 2, rng=rng) - 1
        else:
            seen = noise.apply(labels, rng=rng)
        assert as_often((seen == 1).sum(), MANY, float(noisy.eta[0]))


def test_symmetric_noise_keeps_the_shape_and_the_input():
    labels = np.ones((3, 5), dtype=int)
    noisy = SymmetricFlip(0.4).apply(labels, rng=np.random.default_rng(1))
    assert noisy.shape == (3, 5)
    assert set(noisy.ravel().tolist()) == {-1, 1}
    assert (labels == 1).all()


def test_symmetric_noise_is_exact_on_fractions():
    noisy = SymmetricFlip(Fraction(1, 4)).population(axis(1))
    assert noisy.exact_norm_squared == Fraction(1, 4)


def test_class_conditional_rates_are_the_right_way_round():
    noise = ClassConditionalFlip(sigma_minus=0.1, sigma_plus=0.4)
    rng = np.random.default_rng(2)
    assert as_often((noise.apply(np.ones(MANY), rng=rng) == -1).sum(), MANY, 0.4)
    assert as_often((noise.apply(-np.ones(MANY), rng=rng) == 1).sum(), MANY, 0.1)
    assert noise.population(axis(1)).eta[0] == pytest.approx(0.6)
    assert noise.population(axis(0)).eta[0] == pytest.approx(0.1)


def test_instance_noise_on_a_population():
    noise = InstanceFlip([Fraction(1, 4), 0])
    assert [str(e) for e in noise.population(orthonormal(2)).exact_eta] == ["3/4", "1", "3/4"]
    with pytest.raises(ValueError, match="last axis of length 2"):
        noise.apply([1, 1, 1], rng=np.random.default_rng(1))


def test_contamination_replaces_whole_examples():
    noise = Contamination(axes(2), 0.5)
    points, labels = noise.apply(np.zeros((1000, 2)), np.ones(1000), rng=np.random.default_rng(3))
    replaced = points.any(axis=1)
    assert as_often(replaced.sum(), 1000, 0.5)
    assert (labels[~replaced] == 1).all()
    with pytest.raises(ValueError, match="points and labels must have shapes"):
        noise.apply(np.zeros(3), [1, 1, 1], rng=np.random.default_rng(3))


def test_contamination_replaces_every_example_by_itself():
    noise, rng = Contamination(axes(2), 0.5), np.random.default_rng(4)
    both = sum(
        noise.apply(np.zeros((2, 2)), np.ones(2), rng=rng)[0].any(axis=1).all() for _ in range(2000)
    )
    # Of a fixed number, one of two, never both would be.
    assert as_often(both, 2000, 0.25)


def test_contamination_of_a_mixture():
    clean = two_gaussians()
    assert Contamination(clean.flipped(), 0.25).population(clean).norm == pytest.approx(
        0.5 * clean.norm
    )


class TestConfusion:
    """Class noise by a matrix."""

    def test_frequencies_are_the_rows(self):
        confusion = Confusion.from_columns(POP5)
        np.testing.assert_allclose(confusion.array, np.transpose(POP5))
        rng = np.random.default_rng(4)
        for true in range(3):
            noisy = confusion.apply(np.full(MANY, true), rng=rng)
            for seen in range(3):
                assert as_often((noisy == seen).sum(), MANY, POP5[seen][true])

    def test_identity_changes_nothing(self):
        labels = np.arange(12).reshape(3, 4) % 4
        noisy = Confusion(np.eye(4)).apply(labels, rng=np.random.default_rng(1))
        np.testing.assert_array_equal(noisy, labels)

    def test_inverse(self):
        confusion = Confusion.uniform(4, 0.3)
        np.testing.assert_allclose(confusion.inverse() @ confusion.array, np.eye(4), atol=1e-14)
        with pytest.raises(ValueError, match="invertible"):
            Confusion([[0.5, 0.5], [0.5, 0.5]]).inverse()

    def test_uniform_keeps_fractions(self):
        confusion = Confusion.uniform(3, Fraction(3, 10))
        assert confusion.matrix[0] == (Fraction(7, 10), Fraction(3, 20), Fraction(3, 20))

    @pytest.mark.parametrize(
        ("build", "message"),
        [
            (lambda: Confusion([[0.5, 0.6], [0.5, 0.5]]), "row 0 sums to 1.1"),
            (lambda: Confusion(POP5), "rows that sum to 1, row 1"),
            (lambda: Confusion([[1.0, 0.0]]), "matrix must be square"),
            (lambda: Confusion([[1.5, -0.5], [0, 1]]), r"matrix must be a number in \[0, 1\]"),
            (lambda: Confusion([[math.nan, 1], [0, 1]]), "got nan"),
            (lambda: Confusion.uniform(1, 0.1), "classes must be a whole number >= 2"),
            (lambda: Confusion(np.eye(3)).population(axis()), "matrix must have 2 classes"),
            (lambda: Confusion(np.eye(2)).apply([0, 2], rng=None), "classes 0 to 1"),
            (lambda: Confusion(np.eye(2)).apply([0.5], rng=None), "classes 0 to 1"),
        ],
    )
    def test_refusals(self, build, message):
        with pytest.raises(ValueError, match=message):
            build()


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: SymmetricFlip(0.5), r"sigma must be a number in \[0, 0.5\), got 0.5"),
        (lambda: SymmetricFlip(Fraction(1, 2)), r"sigma must be .* got 1/2"),
        (lambda: SymmetricFlip(-0.1), r"sigma must be .* got -0.1"),
        (lambda: SymmetricFlip(math.nan), r"sigma must be .* got nan"),
        (lambda: SymmetricFlip("0.1"), r"sigma must be .* got '0.1'"),
        (lambda: SymmetricFlip(True), r"sigma must be .* got True"),
        (lambda: ClassConditionalFlip(0.5, 0.5), r"sigma_minus \+ sigma_plus must be below 1"),
        (lambda: ClassConditionalFlip(1.5, 0.0), r"sigma_minus must be a number in \[0, 1\]"),
        (lambda: InstanceFlip([0.1, 0.7]), r"rates must be a number in \[0, 0.5\), got 0.7"),
        (lambda: Contamination(axis(), 2), r"sigma must be a number in \[0, 1\], got 2"),
        (lambda: SymmetricFlip(0.1).apply([0], rng=None), "labels must be -1 or 1, got 0"),
        (lambda: flip_rates((0.1, 0.2, 0.3)), "one rate or a pair of rates, got 3"),
        (lambda: checked_number("p", None), "p must be a finite number, got None"),
    ],
)
def test_refusals(build, message):
    with pytest.raises(ValueError, match=message):
        build()
