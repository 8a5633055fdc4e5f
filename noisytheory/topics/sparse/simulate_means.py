"""Sparse means by all faces, errors that cancel, and costs: short statements of both versions."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.sparse.herding import herding
from noisytheory.topics.sparse.projection import simplex_weights
from noisytheory.trial.claim import Certificate, Law
from noisytheory.vocabulary.kernels import Kernel, Linear, Plan

__all__ = [
    "best_sparse_error",
    "herding_evaluations",
    "independent_errors_law",
    "mean_expansion",
    "radicand",
    "radicand_certificate",
]

Ints = NDArray[np.int64]
Arrays = dict[str, Any]


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


def independent_errors_law(parts: int, epsilon: float) -> Law:
    """Law of the squared mean of ``parts`` independent errors, each plus or minus epsilon."""
    heads = np.arange(parts + 1)
    law = np.array([math.comb(parts, int(b)) for b in heads], dtype=float) / 2.0**parts
    return Law((epsilon * (2 * heads - parts) / parts) ** 2, law)


# Costs and weights.


class _Counting(Kernel):
    """The linear kernel, counting its evaluations in an array of one number."""

    def __init__(self, count: Ints) -> None:
        self.count = count

    def diagonal(self, x: Any) -> Any:
        """Squared norms; not counted."""
        return Linear().diagonal(x)

    def plan(self, x: Any, z: Any, *, scaled: bool = False) -> Plan:
        """Inner products, counted tile by tile."""
        def finish(tile: Any, rows: Any, columns: Any) -> None:
            self.count[0] += tile.size

        return Plan(x, z.T, finish)


def herding_evaluations(n: int, k: int, part: str) -> Arrays:
    """Kernel evaluations of ``k`` iterations beyond the scores, or of the scores alone."""
    rng = np.random.default_rng(n)
    points, alpha = rng.standard_normal((n, 3)), np.full(n, 1 / n)
    counts = []
    for steps in (1, k + 1):
        count = np.zeros(1, dtype=np.int64)
        herding(_Counting(count), points, alpha, steps, step="uniform", gap=-np.inf)
        counts.append(int(count[0]))
    scores = counts[0] - n
    return {"lhs": [counts[1] - counts[0] if part == "iterations" else scores]}


def mean_expansion(n: int) -> Arrays:
    """Number of atoms in the only expansion of the mean of independent points."""
    points = np.random.default_rng(n).standard_normal((n, n + 2))
    weights = np.linalg.solve(points @ points.T, points @ points.mean(axis=0))
    return {"lhs": [int(np.sum(weights > 1 / (2 * n)))]}
