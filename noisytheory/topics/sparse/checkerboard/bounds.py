r"""Chances that a random sub-sample misses a cluster, Section 7.1."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from noisytheory.vocabulary.domains import Domain

__all__ = ["miss_probability", "miss_probability_without_replacement"]


def miss_probability(clusters: int, draws: int) -> float:
    r"""Probability that ``draws`` independent draws miss one of ``clusters`` equal clusters.

    $$\sum_{j\ge1}(-1)^{j+1}\binom cj\Big(1-\frac jc\Big)^k$$

    Parameters
    ----------
    clusters, draws : int, >= 1

    Returns
    -------
    float
        Probability.

    Raises
    ------
    ValueError
        If a number is not whole or below 1.

    Examples
    --------
    >>> round(miss_probability(16, 32), 6)
    0.926557
    """
    clusters, draws = _whole("clusters", clusters), _whole("draws", draws)
    terms = (
        (-1) ** (j + 1) * math.comb(clusters, j) * (clusters - j) ** draws
        for j in range(1, clusters + 1)
    )
    return float(Fraction(sum(terms), clusters**draws))


def miss_probability_without_replacement(clusters: int, draws: int, members: int) -> float:
    r"""The same for different points, ``members`` in each cluster.

    Parameters
    ----------
    clusters, members : int, >= 1
    draws : int, >= 1
        At most as many as there are points.

    Returns
    -------
    float
        Probability.

    Raises
    ------
    ValueError
        If a number is not whole or out of its range.

    Examples
    --------
    >>> [round(miss_probability_without_replacement(16, 32, s), 4) for s in (10, 20, 50, 100)]
    [0.8639, 0.9001, 0.917, 0.9219]
    """
    clusters, members = _whole("clusters", clusters), _whole("members", members)
    draws = _whole("draws", draws, clusters * members)
    terms = (
        (-1) ** (j + 1) * math.comb(clusters, j) * math.comb((clusters - j) * members, draws)
        for j in range(1, clusters + 1)
    )
    return float(Fraction(sum(terms), math.comb(clusters * members, draws)))


def _whole(name: str, value: int, most: float = np.inf) -> int:
    """One whole number from 1 to ``most``."""
    Domain(1, most, include_low=True, include_high=np.isfinite(most), whole=True).check(name, value)
    if np.ndim(value):
        raise ValueError(f"{name} must be one number, got an array of shape {np.shape(value)}")
    return int(value)
