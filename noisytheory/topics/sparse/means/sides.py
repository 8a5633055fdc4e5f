r"""Means of means, scores and distances of labelled features, for floats and for fractions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from noisytheory.trial.claim import Law
from noisytheory.vocabulary.exact import sphere

Numbers: TypeAlias = Any
"""An array of floats, or of fractions."""
Drawn: TypeAlias = dict[str, Any]
Sides: TypeAlias = dict[str, Any]
Rng: TypeAlias = np.random.Generator


def _features(size: int, rng: Rng) -> Numbers:
    """Unit vectors whose coordinates are quarters."""
    points = sphere(5, 4)
    return points[rng.integers(len(points), size=size)] / 4


@dataclass(frozen=True)
class Combined:
    """Errors of parts, and the weights by which they are combined.

    Parameters
    ----------
    vectors : array, shape (size, parts, 3)
    weights : array, shape (size, parts)
        Sixteenths of sum 1.
    """

    vectors: Numbers
    weights: Numbers

    @staticmethod
    def draw(errors: str, parts: int, *, size: int, rng: Rng) -> Drawn:
        """Whole errors, all the same where they are "aligned"."""
        vectors = 1.0 * rng.integers(-9, 10, (size, parts, 3))
        if errors == "aligned":
            vectors = np.repeat(vectors[:, :1], parts, axis=1)
        weights = rng.multinomial(16, np.full(parts, 1 / parts), size=size) / 16
        return {"vectors": vectors, "weights": weights}


def combined_error(at: Combined) -> Sides:
    r"""$\|\sum\lambda_iv_i\|^2$ and $\max\|v_i\|^2$."""
    total = np.sum(at.weights[..., None] * at.vectors, axis=-2)
    return dict(
        lhs=np.sum(total**2, axis=-1), rhs=np.max(np.sum(at.vectors**2, axis=-1), axis=-1),
        combined_error=total,
    )


@dataclass(frozen=True)
class Parts:
    """Twelve numbers, the first four of them one part and the rest the other.

    Parameters
    ----------
    values : array, shape (size, 12)
    """

    values: Numbers

    @staticmethod
    def draw(*, size: int, rng: Rng) -> Drawn:
        """Whole numbers."""
        return {"values": 1.0 * rng.integers(-9, 10, (size, 12))}


def mean_of_means(at: Parts, weighted: int) -> Sides:
    """Twelve times the mean, from the means of the parts and from all numbers."""
    first, second = np.sum(at.values[..., :4], axis=-1) / 4, np.sum(at.values[..., 4:], axis=-1) / 8
    shares = (4, 8) if weighted else (6, 6)
    return dict(
        lhs=shares[0] * first + shares[1] * second, rhs=np.sum(at.values, axis=-1),
        means_of_the_parts=np.stack([first, second], axis=-1),
    )


@dataclass(frozen=True)
class Scored:
    """An error, and the feature whose score has it.

    Parameters
    ----------
    error, point : array, shape (size, 5)
    """

    error: Numbers
    point: Numbers

    @staticmethod
    def draw(direction: str, *, size: int, rng: Rng) -> Drawn:
        """Any error, or one along the feature."""
        point = _features(size, rng)
        error = rng.integers(-9, 10, point.shape) / 4 if direction == "free" else point
        return {"error": error, "point": point}


def score_error(at: Scored) -> Sides:
    r"""$\langle v,x\rangle^2$ and $\|v\|^2$."""
    score = np.sum(at.error * at.point, axis=-1)
    return dict(lhs=score**2, rhs=np.sum(at.error**2, axis=-1), score=score)


@dataclass(frozen=True)
class Features:
    """Two unit features, and the product of their labels.

    Parameters
    ----------
    x, z : array, shape (size, 5)
    product : array, shape (size,)
    """

    x: Numbers
    z: Numbers
    product: Numbers

    @staticmethod
    def draw(*, size: int, rng: Rng) -> Drawn:
        """Any two, as often of like as of unlike labels."""
        x, z = _features(size, rng), _features(size, rng)
        return {"x": x, "z": z, "product": 1.0 * rng.choice([-1, 1], size=size)}

    @property
    def kernel(self) -> Numbers:
        r"""$\langle x,z\rangle$."""
        return np.sum(self.x * self.z, axis=-1)

    @property
    def square(self) -> Numbers:
        r"""$\|yx-y'z\|^2$."""
        return np.sum((self.x - self.product[..., None] * self.z) ** 2, axis=-1)


def feature_distance(at: Features, sign: int) -> Sides:
    r"""The squared distance from coordinates, and $2-2yy'K(x,x')$ times ``sign``."""
    return dict(lhs=at.square, rhs=2 - 2 * sign * at.product * at.kernel, kernel=at.kernel)


def unlike_labels(at: Features, nonnegative: int) -> Sides:
    r"""2 and the squared distance, for unlike labels and, if `nonnegative`, kernel values >= 0."""
    fine = at.kernel >= 0 if nonnegative else at.kernel == at.kernel
    return dict(lhs=2, rhs=at.square, kernel=at.kernel, applies=fine & (at.product < 0))


def independent_errors_law(parts: int, epsilon: float) -> Law:
    """Law of the squared mean of ``parts`` independent errors, each plus or minus epsilon."""
    heads = np.arange(parts + 1)
    law = np.array([math.comb(parts, int(b)) for b in heads], dtype=float) / 2.0**parts
    return Law((epsilon * (2 * heads - parts) / parts) ** 2, law)
