r"""Means of means, scores and distances of labelled features, for floats and for fractions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from noisytheory.topics.sparse.algorithms import map_reduce
from noisytheory.topics.sparse.projection import nearest_centre
from noisytheory.trial.claim import Law
from noisytheory.vocabulary.exact import sphere
from noisytheory.vocabulary.kernels import Linear

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
    """Five points with weights, which three parts share in turns: 0 and 3, 1 and 4, 2.

    Parameters
    ----------
    points : array, shape (size, 5)
        Whole numbers, all different.
    weights : array, shape (size, 5)
        Sixteenths of sum 1, none of them 0.
    """

    points: Numbers
    weights: Numbers

    @staticmethod
    def draw(*, size: int, rng: Rng) -> Drawn:
        """Uneven parts of uneven weights."""
        points = rng.permuted(np.tile(np.arange(-9.0, 10.0), (size, 1)), axis=1)[:, :5]
        return {"points": points,
                "weights": (1 + rng.multinomial(11, np.full(5, 0.2), size=size)) / 16}


def united(*, size: int, rng: Rng) -> Drawn:
    """The mean of what is made of the parts by the public algorithm, and that of all points.

    Every part is approximated by all of its points, so that nothing is lost but by the union.
    """
    drawn = Parts.draw(size=size, rng=rng)
    found = np.empty(size)
    for i, (points, weights) in enumerate(zip(drawn["points"], drawn["weights"], strict=True)):
        run = map_reduce(
            Linear(), points[:, None], weights, 5, parts=3, method=nearest_centre,
            second_round=False,
        )
        found[i] = run.weights @ points[run.indices]
    return {"lhs": found, "rhs": np.sum(drawn["points"] * drawn["weights"], axis=1), **drawn}


def mean_of_means(at: Parts, weighted: int) -> Sides:
    """The parts' means with the weights of the parts, or equal ones, and the mean of all points."""
    shared = at.points * at.weights
    masses, sums = (np.stack([each[:, part::3].sum(axis=1) for part in range(3)], axis=1)
                    for each in (at.weights, shared))
    ours = masses if weighted else 0 * masses + masses.sum(axis=1, keepdims=True) / 3
    return dict(lhs=np.sum(ours * sums / masses, axis=1), rhs=np.sum(shared, axis=1),
                means_of_the_parts=sums / masses, their_weights=ours)


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
class Shifted(Scored):
    """The same with the score that the error shifts.

    Parameters
    ----------
    score : array, shape (size,)
    """

    score: Numbers

    @staticmethod
    def draw(direction: str, *, size: int, rng: Rng) -> Drawn:
        """Scores and errors of up to two, in sixteenths; along the feature, or free."""
        drawn = Scored.draw(direction, size=size, rng=rng)
        length, score = rng.integers(-32, 33, (2, size)) / 16
        scale = length if direction != "free" else rng.choice([1 / 16, 1 / 4], size)
        return {"error": drawn["error"] * scale[:, None], "point": drawn["point"], "score": score}


def sign_agreement(at: Shifted, quarters: int) -> Sides:
    r"""1 where a score's sign changes, and 0, if its square exceeds ``quarters`` of $\|v\|^2$."""
    moved = at.score - np.sum(at.error * at.point, axis=-1)
    return dict(
        lhs=1 * (at.score * moved <= 0), rhs=0 * at.score, moved_score=moved,
        applies=4 * at.score**2 > quarters * np.sum(at.error**2, axis=-1),
    )


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


UNBIASED = (
    ([[1.0, 0.0], [-1.0, 0.0]], [1 / 2, 1 / 2]),
    ([[1.0, 0.0], [-0.6, 0.8], [-0.6, -0.8]], [3 / 8, 5 / 16, 5 / 16]),
    ([[0.6, 0.8], [-0.6, -0.8]], [1 / 2, 1 / 2]),
)
"""Laws of unit vectors of the plane, each of mean 0; the second is lopsided."""


def independent_errors_law(parts: int, weights: str, epsilon: float) -> Law:
    """Law of the squared combined error: the parts err by laws of `UNBIASED`, taken by turns.

    All errors have the length epsilon; the parts have equal weights, or such that rise like 1, 2,
    3, ...
    """
    shares = np.ones(parts) if weights == "equal" else np.arange(1.0, parts + 1)
    sums, masses = np.zeros((1, 2)), np.ones(1)
    for part, share in enumerate(epsilon * shares / shares.sum()):
        errors, law = (np.array(x) for x in UNBIASED[part % len(UNBIASED)])
        sums = (sums[:, None] + share * errors).reshape(-1, 2)
        masses = np.outer(masses, law).ravel()
    return Law(np.sum(sums**2, axis=1), masses)
