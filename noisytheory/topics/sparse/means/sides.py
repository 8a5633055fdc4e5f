r"""Means of means, scores and distances of labelled features, for floats and for fractions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from noisytheory.topics.sparse.algorithms import map_reduce
from noisytheory.topics.sparse.herding import herding
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
class Herded:
    r"""A mean $\omega_S$, what the public herding makes of it, and a feature that both score.

    Parameters
    ----------
    points : array, shape (size, 6, 5)
    alpha, weights : array, shape (size, 6)
        Of the mean, and of its approximation by three steps.
    epsilon : array, shape (size,)
        The approximation's error, as `nt.sparse.herding` reports it.
    feature : array, shape (size, 5)
        Of length 1 at most.
    """

    points: Numbers
    alpha: Numbers
    weights: Numbers
    epsilon: Numbers
    feature: Numbers

    @staticmethod
    def draw(direction: str, *, size: int, rng: Rng) -> Drawn:
        """Six signed features in uneven shares; the scored one any, or searched for.

        Of those searched for one half points along the error, where a score moves most; the others
        have a score near the error's length, to either side of it, that the error nearly cancels.
        """
        points = _features(6 * size, rng).reshape(size, 6, 5)
        alpha = rng.multinomial(16, [1 / 6] * 6, size) / 16 * rng.choice([-1, 1], (size, 6))
        weights, epsilon = np.zeros((size, 6)), np.zeros(size)
        for row in range(size):
            run = herding(Linear(), points[row], alpha[row], 3)
            weights[row, run.indices], epsilon[row] = run.weights, run.error
        mean, error = (np.einsum("ri,rij->rj", of, points) for of in (alpha, alpha - weights))
        free = direction == "free"
        found = _features(size, rng) if free else _near_the_error(mean, error, rng)
        return {"points": points, "alpha": alpha, "weights": weights, "epsilon": epsilon,
                "feature": found}

    @property
    def scores(self) -> tuple[Numbers, Numbers]:
        """Of the mean, and of the approximation."""
        products = np.sum(self.points * self.feature[..., None, :], axis=-1)
        return np.sum(self.alpha * products, axis=-1), np.sum(self.weights * products, axis=-1)

    @property
    def square(self) -> Numbers:
        """The square of the error, a billionth longer, which rounding may have cost."""
        return (self.epsilon * (2**30 + 1) / 2**30) ** 2


def _near_the_error(mean: Numbers, error: Numbers, rng: Rng) -> Numbers:
    """Features in the plane of a mean and an error: along it, or with a score near its length."""
    size, length = len(mean), np.linalg.norm(error, axis=1)
    along = np.divide(error, length[:, None], out=0 * error, where=length[:, None] > 0)
    own = np.sum(mean * along, axis=1)
    across = mean - own[:, None] * along
    rest = np.linalg.norm(across, axis=1)
    across = np.divide(across, rest[:, None], out=0 * across, where=rest[:, None] > 0)
    share = np.where(np.arange(size) % 2, rng.uniform(0.8, 1, size), 1.0)
    wanted = rng.uniform(0.7, 1.2, size) * length
    turn = np.divide(wanted - own * share, rest, out=np.zeros(size), where=rest > 0)
    turn *= np.arange(size) % 2
    found = share[:, None] * along + turn[:, None] * across
    scale = rng.choice([-1, 1], size) / np.maximum(1.0, np.linalg.norm(found, axis=1))
    return found * scale[:, None]


def score_error(at: Herded) -> Sides:
    r"""$\langle\omega_S-\tilde\omega,x\rangle^2$ and $\epsilon^2$."""
    own, other = at.scores
    return dict(lhs=(own - other) ** 2, rhs=at.square, score=own, sparse_score=other)


def sign_agreement(at: Herded, quarters: int) -> Sides:
    r"""1 where a score's sign changes, and 0; it applies above ``quarters`` of $\epsilon^2$."""
    own, other = at.scores
    return dict(
        lhs=1 * (own * other <= 0), rhs=0 * own, score=own, sparse_score=other,
        applies=4 * own**2 > quarters * at.square,
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
