r"""Clusters of a checkerboard: the figures of Section 7.1."""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.sparse.sampling import clustered, with_replacement, without_replacement
from noisytheory.trial.claim import Law
from noisytheory.vocabulary.kernels import Gaussian, Linear

Doubles = NDArray[np.float64]


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


SAMPLED = 12
"""Points a cluster where different ones are drawn instead of counted."""


def counted_misses(clusters: int, draws: int, members: int, by: str = "counting") -> Law | None:
    """The same where it is counted: not by "drawing", nor of clusters of `SAMPLED` points."""
    drawn = by != "counting" or members == SAMPLED
    return None if drawn else missed_clusters_law(clusters, draws, members)


def missed_a_cluster(
    clusters: int, draws: int, members: int, *, size: int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Whether the public samplers miss a cluster of so many points; 0 draws with replacement."""
    sampler = without_replacement if members else with_replacement
    each = members or 1
    points = np.arange(1.0 * clusters * each)[:, None]
    alpha = np.full(len(points), 1 / len(points))
    runs = (sampler(Linear(), points, alpha, draws, rng=rng) for _ in range(size))
    return np.array([len(np.unique(run.indices // each)) < clusters for run in runs])


def checkerboard(
    per_cluster: int, spread: float, rng: np.random.Generator
) -> tuple[Doubles, Doubles]:
    """Sixteen normal clusters on the four by four grid, labels as on a checkerboard."""
    places, labels = _board(per_cluster)
    return places + spread * rng.standard_normal(places.shape), labels.copy()


@cache
def _board(per_cluster: int) -> tuple[Doubles, Doubles]:
    """The middles of the clusters, once a point, and the labels there."""
    corners = np.array(list(itertools.product(range(4), repeat=2)), dtype=float)
    labels = np.where(np.repeat(corners.sum(axis=1), per_cluster) % 2 == 0, 1.0, -1.0)
    return np.repeat(corners, per_cluster, axis=0), labels


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
