r"""Plain sub-sampling with every outcome counted, and the best of all faces."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.sparse.projection import simplex_weights
from noisytheory.topics.sparse.samples import SAMPLES
from noisytheory.trial.claim import Certificate, Law
from noisytheory.vocabulary.exact import compositions
from noisytheory.vocabulary.populations.finite import Finite

Doubles = NDArray[np.float64]
Arrays = dict[str, Any]


def norm_law(population: Finite, k: int) -> Law | None:
    """Law of the distance of the mean of ``k`` draws from a population's."""
    found = population.exact_norm_law(k)
    return None if found is None else Law(*found)


def multinomial(counts: NDArray[np.int64], law: Doubles) -> float:
    """Probability of these counts in so many independent draws from a law."""
    coefficient, left = 1, int(counts.sum())
    for count in counts.tolist():
        coefficient *= math.comb(left, count)
        left -= count
    return coefficient * float(np.prod(law**counts))


def subsample_law(sample: str, k: int) -> Law:
    """Law of the squared error of the mean of ``k`` independent draws."""
    chosen = SAMPLES[sample]
    signed, masses = chosen.signed, chosen.target.masses
    counts = compositions(k, len(masses))
    deviation = (counts / k - masses) @ signed
    return Law(
        np.einsum("bp,bp->b", deviation, deviation), [multinomial(c, masses) for c in counts]
    )


def subset_law(sample: str, k: int) -> Law:
    """Law of the squared error of the mean of ``k`` different points, equally weighted."""
    signed = SAMPLES[sample].signed
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


def radicand(n: int, k: int) -> Arrays:
    """0, and what Theorem 20 takes the root of."""
    return {"lhs": np.zeros(1), "rhs": np.array([1 / k - 1 / n])}


def radicand_certificate(n: int, k: int) -> Certificate:
    """The same in fractions, beside the least distance there is."""
    atoms = min(n, k)
    return Certificate(
        0, Fraction(1, k) - Fraction(1, n),
        [("n, k", f"{n}, {k}"), ("1/k - 1/n", Fraction(1, k) - Fraction(1, n)),
         ("least squared distance", Fraction(1, atoms) - Fraction(1, n))],
    )
