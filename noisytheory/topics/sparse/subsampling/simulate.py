r"""Plain sub-sampling with every outcome counted, and the best of all faces."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from noisytheory.topics.sparse.approximation import Approximation
from noisytheory.topics.sparse.projection import simplex_weights
from noisytheory.topics.sparse.samples import SAMPLES
from noisytheory.topics.sparse.sampling import with_replacement, without_replacement
from noisytheory.trial.claim import Law
from noisytheory.vocabulary.exact import compositions
from noisytheory.vocabulary.kernels import Linear
from noisytheory.vocabulary.populations.finite import Finite

Doubles = NDArray[np.float64]
Arrays = dict[str, Any]


def norm_law(population: Finite, k: int) -> Law | None:
    """Law of the distance of the mean of ``k`` draws from a population's."""
    found = population.exact_norm_law(k)
    return None if found is None else Law(*found)


def sampled_norms(
    population: Finite, k: int, *, size: int, rng: np.random.Generator
) -> Doubles:
    """The same, drawn by the public sampler."""
    signed = np.asarray(population.points)[population.instances] * population.labels[:, None]
    points = signed.astype(float)
    return _errors(with_replacement, points, population.weights, k, size, rng)


def squares_with_replacement(
    sample: str, k: int, *, size: int, rng: np.random.Generator
) -> Doubles:
    """Squared errors of the public sampler on a small sample."""
    chosen = SAMPLES[sample]
    return _errors(with_replacement, chosen.points, chosen.alpha, k, size, rng) ** 2


def squares_without_replacement(
    sample: str, k: int, *, size: int, rng: np.random.Generator
) -> Doubles:
    """The same of the sampler of different points."""
    chosen = SAMPLES[sample]
    return _errors(without_replacement, chosen.points, chosen.alpha, k, size, rng) ** 2


def _errors(
    sampler: Callable[..., Approximation], points: Any, alpha: Any, k: int, size: int,
    rng: np.random.Generator,
) -> Doubles:
    runs = (sampler(Linear(), points, alpha, k, rng=rng) for _ in range(size))
    return np.array([run.error for run in runs])


def multinomial(counts: NDArray[np.int64], law: Doubles) -> Doubles:
    """Probabilities of counts, a row each, in so many independent draws from a law."""
    draws = counts.sum(axis=1)
    ways = gammaln(draws + 1) - gammaln(np.arange(draws.max() + 1) + 1)[counts].sum(axis=1)
    return np.asarray(np.exp(ways + xlogy(counts, law).sum(axis=1)))


MOST = 1000
"""Outcomes, at most, that are counted one by one: of more the public samplers draw."""
DRAWN = ("orthonormal 6", "one heavy corner", "40 uneven corners")
"""Here they draw, too: every point but one tells repeated draws, or equal ones, from others, and
one draw from the last is about as far off as another."""


def counted(sample: str, k: int, repeated: bool) -> bool:
    """Whether there are so few ways to draw ``k`` points, each once or repeatedly."""
    n = len(SAMPLES[sample].alpha)
    return sample not in DRAWN and math.comb(n + (k - 1) * repeated, k) <= MOST


def subsample_law(sample: str, k: int) -> Law | None:
    """Law of the squared error of the mean of ``k`` independent draws, total weight included."""
    chosen = SAMPLES[sample]
    signed, masses = chosen.signed, chosen.target.masses
    if not counted(sample, k, True):
        return None
    counts = compositions(k, len(masses))
    deviation = chosen.target.total * (counts / k - masses) @ signed
    return Law(
        np.einsum("bp,bp->b", deviation, deviation), multinomial(counts, masses)
    )


def subset_law(sample: str, k: int) -> Law | None:
    """Law of the squared error of the mean of ``k`` different points, equally weighted."""
    signed = SAMPLES[sample].signed
    if not counted(sample, k, False):
        return None
    means = np.array([signed[list(s)].mean(axis=0) for s in
                      itertools.combinations(range(len(signed)), k)])
    deviation = means - signed.mean(axis=0)
    return Law(np.einsum("bp,bp->b", deviation, deviation), np.full(len(means), 1 / len(means)))


def best_sparse_error(n: int, k: int) -> tuple[float, float]:
    """Least distance of the mean of ``n`` orthonormal points from a face of ``k``: all faces.

    Its error is known: no point of a face is nearer than the hyperplane that it lies behind.
    """
    best = least = math.inf
    mean = np.full(n, 1 / n)
    for face in itertools.combinations(range(n), k):
        points = np.eye(n)[list(face)]
        rest = simplex_weights(points @ points.T, points @ mean) @ points - mean
        distance = float(np.linalg.norm(rest))
        best = min(best, distance)
        least = min(least, float(((points - mean) @ rest).min()) / max(distance, 1e-300))
    return best, best - least + 1e-15


@dataclass(frozen=True)
class Alone:
    """The one instance of a cell; its 1 says which arithmetic is asked for."""

    one: Any

    @staticmethod
    def every() -> Arrays:
        """All that there are."""
        return {"one": np.ones(1)}

    def steps(self) -> list[tuple[str, Any]]:
        """Nothing is drawn."""
        return []


def radicand(at: Alone, n: int, k: int) -> Arrays:
    """0, and what Theorem 20 takes the root of, beside the least squared distance there is."""
    return dict(
        lhs=0 * at.one, rhs=at.one / k - at.one / n,
        least_squared_distance=at.one / min(n, k) - at.one / n,
    )
