r"""Chances that a random sub-sample misses a cluster, Section 7.1."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from noisytheory.vocabulary.domains import Domain, requires

__all__ = ["miss_probability", "miss_probability_without_replacement"]

# Whole numbers of as many digits as these are summed exactly.
SOME = Domain(1, 1000, include_low=True, include_high=True, whole=True)


@requires(clusters=SOME, draws=SOME)
def miss_probability(clusters: int, draws: int) -> float:
    r"""Probability that ``draws`` independent draws miss one of ``clusters`` equal clusters.

    $$\sum_{j\ge1}(-1)^{j+1}\binom cj\Big(1-\frac jc\Big)^k$$

    Parameters
    ----------
    clusters, draws : int, in [1, 1000]

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
    >>> round(miss_probability(16, 32), 6)
    0.926557
    """
    clusters, draws = _one("clusters", clusters), _one("draws", draws)
    total = sum(signed * left**draws for signed, left in _some_missed(clusters))
    return float(total / clusters**draws)


@requires(clusters=SOME, draws=SOME, members=SOME)
def miss_probability_without_replacement(clusters: int, draws: int, members: int) -> float:
    r"""The same for different points, ``members`` in each cluster.

    Parameters
    ----------
    clusters, members : int, in [1, 1000]
    draws : int, in [1, 1000]
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
    clusters, members = _one("clusters", clusters), _one("members", members)
    draws = _one("draws", draws, clusters * members)
    total = sum(
        signed * math.comb(left * members, draws) for signed, left in _some_missed(clusters)
    )
    return total / math.comb(clusters * members, draws)


def _some_missed(clusters: int) -> Iterator[tuple[int, int]]:
    """Signed numbers of ways to choose missed clusters, and how many are left."""
    signed = -1
    for missed in range(1, clusters + 1):
        signed = -signed * (clusters - missed + 1) // missed
        yield signed, clusters - missed


def _one(name: str, value: int, most: float = np.inf) -> int:
    """One number, of whole ones up to ``most``."""
    if np.ndim(value):
        raise ValueError(f"{name} must be one number, got an array of shape {np.shape(value)}")
    if value > most:
        Domain(1, most, include_low=True, include_high=True, whole=True).check(name, value)
    return int(value)
