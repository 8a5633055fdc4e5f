r"""Label noise on a point, clusters of a checkerboard: Corollary 23, Section 6, the figures."""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from noisytheory.claim import Law
from noisytheory.kernels import Gaussian
from noisytheory.sparse.approximation import Target
from noisytheory.sparse.farthest_first import traverse
from noisytheory.sparse.sampling import clustered, with_replacement

__all__ = [
    "all_right",
    "checkerboard",
    "clean_diameter",
    "missed_clusters_law",
    "noisy_diameter",
    "noisy_point_law",
    "score_deviation",
]

Doubles = NDArray[np.float64]


def noisy_point_law(n: int, sigma: float, divided: int) -> Law:
    r"""$\|\Phi(P)-\tilde\omega\|$ for a point mass: $\tilde\omega=\Phi(S)$ from two cells.

    With $B\sim\mathrm{Bin}(n,\sigma)$ flipped labels $\Phi(S)=(1-2B/n)\phi(x)$; if ``divided``,
    $\tilde\omega/(1-2\sigma)$ stands in its place.
    """
    from noisytheory.multinomial import binomial_law

    mean = 1 - 2 * np.arange(n + 1) / n
    return Law(np.abs(1 - mean / (1 - 2 * sigma if divided else 1)), binomial_law(n, sigma))


def missed_clusters_law(clusters: int, draws: int, members: int) -> Law:
    """Law of whether a cluster is missed; ``members`` 0 draws with replacement."""
    occupied = np.zeros(clusters + 1)
    if members == 0:
        occupied[0] = 1.0
        for _ in range(draws):
            stay = occupied * np.arange(clusters + 1) / clusters
            occupied = stay + np.append(0.0, (occupied - stay)[:-1])
        hit = occupied[clusters]
        return Law([0.0, 1.0], [hit, 1 - hit])
    # Ways to take so many points from the clusters seen so far, at least one from each.
    ways = [1] + [0] * draws
    for _ in range(clusters):
        ways = [
            sum(ways[taken - s] * math.comb(members, s)
                for s in range(1, min(members, taken) + 1))
            for taken in range(draws + 1)
        ]
    hit = ways[draws] / math.comb(clusters * members, draws)
    return Law([0.0, 1.0], [hit, 1 - hit])


def checkerboard(
    per_cluster: int, spread: float, rng: np.random.Generator
) -> tuple[Doubles, Doubles]:
    """Sixteen normal clusters on the four by four grid, labels as on a checkerboard."""
    corners = np.array(list(itertools.product(range(4), repeat=2)), dtype=float)
    points = np.repeat(corners, per_cluster, axis=0)
    labels = np.where(np.repeat(corners.sum(axis=1), per_cluster) % 2 == 0, 1.0, -1.0)
    return points + spread * rng.standard_normal(points.shape), labels


def all_right(
    rule: str, bandwidth: float, *, size: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Whether 32 atoms at most get one of 800 checkerboard points wrong."""
    wrong = np.empty(size, dtype=np.int64)
    kernel = Gaussian(bandwidth)
    for i in range(size):
        points, labels = checkerboard(50, 0.1, rng)
        if rule == "clustered":
            found = clustered(kernel, points, labels / len(labels), 16, rng=rng)
        else:
            found = with_replacement(kernel, points, labels / len(labels), 32, rng=rng)
        scores = kernel(points, points[found.indices]) @ found.weights
        wrong[i] = np.any(labels * scores <= 0)
    return wrong


def score_deviation(
    gram: Doubles, weights: Doubles, n: int, *, size: int, rng: np.random.Generator
) -> Doubles:
    r"""$\max_j|\langle\Phi(S)-\Phi(P),a_j\rangle|$ over the atoms, of samples of size ``n``."""
    difference = rng.multinomial(n, weights, size=size) / n - weights
    return np.asarray(np.abs(difference @ gram).max(axis=1))


def noisy_diameter(bandwidth: float, flipped: int) -> tuple[float, float]:
    r"""A lower bound on $D^*(S,16)$ of a checkerboard sample some of whose labels were flipped.

    Seventeen points at mutual distance $r$ need two in one of 16 cells: $D^*(S,16)\ge r$.
    """
    kernel = Gaussian(bandwidth)
    points, labels = _regular_checkerboard()
    labels[:flipped] *= -1
    target = Target(kernel, points, labels / len(labels))
    centres = traverse(target, 17).centres
    gram = target.gram(centres)
    squares = 2 - 2 * gram[np.triu_indices(17, 1)]
    return float(np.sqrt(squares.min())), 1e-9


def clean_diameter(bandwidth: float) -> float:
    """Largest diameter of the 16 clusters themselves: at least $D^*(S,16)$ without noise."""
    kernel = Gaussian(bandwidth)
    points, _ = _regular_checkerboard()
    squares = [
        2 - 2 * kernel(points[i : i + 5]).min() for i in range(0, len(points), 5)
    ]
    return float(np.sqrt(max(squares)))


def _regular_checkerboard() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Five points around every corner of the four by four grid."""
    corners = np.array([(i, j) for i in range(4) for j in range(4)], dtype=float)
    offsets = 0.1 * np.array([(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)], dtype=float)
    points = (corners[:, None] + offsets[None]).reshape(-1, 2)
    return points, np.repeat(np.where(corners.sum(axis=1) % 2 == 0, 1.0, -1.0), 5)
