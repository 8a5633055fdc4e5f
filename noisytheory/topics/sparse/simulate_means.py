r"""Means of means, distances of labelled features, scores: short statements of both versions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
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
    "distance_certificate",
    "feature_distance",
    "herding_evaluations",
    "independent_errors_law",
    "mean_expansion",
    "mean_of_means",
    "mean_of_means_certificate",
    "parallel_certificate",
    "parallel_errors",
    "radicand",
    "radicand_certificate",
    "score_certificate",
    "score_error",
    "unlike_labels",
    "unlike_labels_certificate",
]

Ints = NDArray[np.int64]
Arrays = dict[str, Any]
RADIUS = 9


def best_sparse_error(n: int, k: int) -> tuple[float, float]:
    """Least distance of the mean of ``n`` orthonormal points from a face of ``k``: all faces."""
    best = math.inf
    mean = np.full(n, 1 / n)
    for face in itertools.combinations(range(n), k):
        points = np.eye(n)[list(face)]
        weights = simplex_weights(points @ points.T, points @ mean)
        best = min(best, float(np.linalg.norm(mean - weights @ points)))
    return best, 1e-9


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


# Parallel means.


def parallel_errors(
    errors: str, parts: int, *, size: int, rng: np.random.Generator
) -> Arrays:
    r"""$\|\sum c_iv_i\|^2$ and $(\sum c_i)^2\max\|v_i\|^2$, whole, for $\lambda_i=c_i/\sum c$."""
    vectors = rng.integers(-9, 10, (size, parts, 3))
    if errors == "aligned":
        vectors = np.repeat(vectors[:, :1], parts, axis=1)
    shares = rng.integers(1, 10, (size, parts))
    total = np.einsum("bi,bip->bp", shares, vectors)
    return {
        "lhs": (total**2).sum(axis=1),
        "largest": shares.sum(axis=1) ** 2 * (vectors**2).sum(axis=2).max(axis=1),
        "vectors": vectors,
        "shares": shares,
    }


def parallel_certificate(factor: Fraction) -> Callable[..., Certificate]:
    """The two squares from the vectors, against ``factor`` times the right one.

    Parameters
    ----------
    factor : Fraction
        What the bound was multiplied by.

    Returns
    -------
    callable
        One instance to a `Certificate`.
    """

    def certify(vectors: Ints, shares: Ints) -> Certificate:
        whole = sum(int(c) for c in shares)
        total = [
            sum(int(c) * int(v[p]) for c, v in zip(shares, vectors, strict=True))
            for p in range(vectors.shape[1])
        ]
        lhs = Fraction(sum(x * x for x in total), whole**2)
        largest = max(sum(int(x) ** 2 for x in v) for v in vectors)
        return Certificate(
            lhs, factor * largest,
            [("errors", vectors.tolist()), ("weights", [f"{int(c)}/{whole}" for c in shares]),
             ("combined error, squared", lhs), ("epsilon squared", largest)],
        )

    return certify


def independent_errors_law(parts: int, epsilon: float) -> Law:
    """Law of the squared mean of ``parts`` independent errors, each plus or minus epsilon."""
    heads = np.arange(parts + 1)
    law = np.array([math.comb(parts, int(b)) for b in heads], dtype=float) / 2.0**parts
    return Law((epsilon * (2 * heads - parts) / parts) ** 2, law)


def mean_of_means(weighted: int, *, size: int, rng: np.random.Generator) -> Arrays:
    """Sum of a sample of seven times 12, beside that from the means of parts of three and four."""
    values = rng.integers(-9, 10, (size, 7))
    first, second = values[:, :3].sum(axis=1), values[:, 3:].sum(axis=1)
    # In units of 1/168: mean = 24 sum; the parts' means are 56 first and 42 second.
    parts = 24 * first + 24 * second if weighted else 28 * first + 21 * second
    return {"lhs": parts, "rhs": 24 * values.sum(axis=1), "values": values}


def mean_of_means_certificate(values: Ints, weighted: int) -> Certificate:
    """Both means in fractions."""
    numbers = [int(v) for v in values]
    first, second = Fraction(sum(numbers[:3]), 3), Fraction(sum(numbers[3:]), 4)
    share = Fraction(3, 7) if weighted else Fraction(1, 2)
    mean = Fraction(sum(numbers), 7)
    return Certificate(
        share * first + (1 - share) * second, mean,
        [("sample", numbers), ("mean of the first three", first),
         ("mean of the other four", second),
         ("weight of the first", share), ("mean of all", mean)],
    )


# Scores.


def score_error(direction: str, *, size: int, rng: np.random.Generator) -> Arrays:
    r"""$\langle v,x\rangle^2$ and $\|v\|^2$ times 81, for an error $v$ and a unit vector $x/9$."""
    sphere = np.array(
        [p for p in itertools.product(range(-RADIUS, RADIUS + 1), repeat=3)
         if sum(c * c for c in p) == RADIUS**2]
    )
    point = sphere[rng.integers(len(sphere), size=size)]
    error = rng.integers(-9, 10, (size, 3)) if direction == "free" else point
    return {
        "lhs": np.einsum("bp,bp->b", error, point) ** 2,
        "largest": RADIUS**2 * (error**2).sum(axis=1),
        "error": error,
        "point": point,
    }


def score_certificate(factor: Fraction) -> Callable[..., Certificate]:
    """The squared score of the error against ``factor`` times its squared norm.

    Parameters
    ----------
    factor : Fraction
        What the bound was multiplied by.

    Returns
    -------
    callable
        One instance to a `Certificate`.
    """

    def certify(error: Ints, point: Ints) -> Certificate:
        score = Fraction(sum(int(a) * int(b) for a, b in zip(error, point, strict=True)), RADIUS)
        norm = sum(int(a) ** 2 for a in error)
        return Certificate(
            score**2, factor * norm,
            [("error", error.tolist()), ("feature", f"{point.tolist()} / {RADIUS}"),
             ("score", score), ("squared norm", norm)],
        )

    return certify


def _pair(size: int, rng: np.random.Generator) -> tuple[Any, Any, Any]:
    x, z = rng.standard_normal((2, size, 4))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    z /= np.linalg.norm(z, axis=1, keepdims=True)
    return x, z, rng.choice([-1, 1], size=size)


def feature_distance(sign: int, *, size: int, rng: np.random.Generator) -> Arrays:
    r"""$\|y\phi(x)-y'\phi(x')\|^2$ from coordinates, and $2-2yy'K(x,x')$ times ``sign``."""
    x, z, product = _pair(size, rng)
    difference = x - product[:, None] * z
    kernel = np.einsum("bp,bp->b", x, z)
    return {"lhs": (difference**2).sum(axis=1), "rhs": 2 - 2 * sign * product * kernel,
            "product": product, "kernel_value": kernel}


def distance_certificate(sign: int) -> Callable[..., Certificate]:
    """The same on rational unit vectors (3/5, 4/5) and (1, 0): K = 3/5.

    Parameters
    ----------
    sign : int
        That of the claim's formula.

    Returns
    -------
    callable
        One instance to a `Certificate`.
    """

    def certify(product: Any) -> Certificate:
        y, kernel = int(product), Fraction(3, 5)
        lhs = (Fraction(3, 5) - y) ** 2 + Fraction(4, 5) ** 2
        return Certificate(
            lhs, 2 - 2 * sign * y * kernel,
            [("features", "(3/5, 4/5) and (1, 0)"), ("K", kernel), ("y y'", y),
             ("squared distance", lhs)],
        )

    return certify


def unlike_labels(nonnegative: int, *, size: int, rng: np.random.Generator) -> Arrays:
    """Minus the squared distance of features with unlike labels."""
    points = rng.integers(0 if nonnegative else -9, 10, (size, 2, 3)) + np.array([0, 0, 0])
    points[:, :, 0] += (np.abs(points).sum(axis=2) == 0).astype(np.int64)
    norms = np.sqrt((points**2).sum(axis=2))
    kernel = np.einsum("bp,bp->b", points[:, 0], points[:, 1]) / norms.prod(axis=1)
    return {"lhs": -(2 + 2 * kernel), "points": points}


def unlike_labels_certificate(points: Ints) -> Certificate:
    r"""$K<0$ exactly: the inner product of the two points before they are normalised."""
    inner = sum(int(a) * int(b) for a, b in zip(points[0], points[1], strict=True))
    first, second = (sum(int(a) ** 2 for a in p) for p in points)
    # K^2 in fractions; the sign is that of the inner product, and K >= -1.
    square = Fraction(inner * inner, first * second)
    # |K| >= K^2 because |K| <= 1.
    bound = -2 + 2 * square if inner < 0 else Fraction(-2)
    return Certificate(
        bound, -2,
        [("directions", points.tolist()), ("inner product", inner), ("K squared", square),
         ("minus the squared distance is at least", bound)],
    )


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
