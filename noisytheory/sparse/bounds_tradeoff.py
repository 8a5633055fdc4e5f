r"""Corollary 23 and the figures of Section 7.1 as formulas: in print, and repaired."""

from __future__ import annotations

import math
from fractions import Fraction

from noisytheory.domains import (
    COUNT,
    LEVEL,
    NOISE_RATE,
    NONNEGATIVE,
    SAMPLE_SIZE,
    Numeric,
    requires,
)
from noisytheory.kernel_mean import bounds as kernel_mean
from noisytheory.sparse.bounds import clustered_error, clustered_error_repaired

__all__ = [
    "miss_probability",
    "miss_probability_without_replacement",
    "noisy_sparse_error",
    "noisy_sparse_error_sharp",
]


@requires(n=SAMPLE_SIZE, m=COUNT, delta=LEVEL, sigma=NOISE_RATE, diameter=NONNEGATIVE)
def noisy_sparse_error(
    n: Numeric, m: Numeric, delta: Numeric, sigma: Numeric, diameter: Numeric
) -> Numeric:
    r"""Right side of Corollary 23, for $\|\Phi(P)-\tilde\omega/(1-2\sigma)\|$.

    $$\tfrac1{1-2\sigma}\Big(\tfrac2{\sqrt n}+\sqrt{\tfrac{2\log(2/\delta)}n}\Big)
    +\tfrac{2D^*(S,m)}{1-2\sigma}\Big(\tfrac1{\sqrt m}+\sqrt{\tfrac{\log(2/\delta)}m}\Big)$$

    Print has it for $\|\Phi(P)-\tilde\omega\|$, which tends to $2\sigma\|\Phi(P)\|$.

    Parameters
    ----------
    n, m : int, >= 1
        Sample size and cells.
    delta : float in (0, 1)
    sigma : float in [0, 1/2)
        Rate of label noise.
    diameter : float, >= 0
        $D^*(S,m)$.

    Returns
    -------
    float
        RKHS norm.

    Examples
    --------
    >>> round(float(noisy_sparse_error(2000, 2, 0.05, 0.4, 0.0)), 6)
    0.527288
    """
    deviation = kernel_mean.mean_deviation(n, delta / 2)
    return (deviation + 2 * clustered_error(m, delta / 2, diameter)) / (1 - 2 * sigma)


@requires(n=SAMPLE_SIZE, m=COUNT, delta=LEVEL, sigma=NOISE_RATE, diameter=NONNEGATIVE)
def noisy_sparse_error_sharp(
    n: Numeric, m: Numeric, delta: Numeric, sigma: Numeric, diameter: Numeric
) -> Numeric:
    r"""The same from the repaired Theorems 5 and 21.

    Parameters
    ----------
    n, m, delta, sigma, diameter
        As in `noisy_sparse_error`.

    Returns
    -------
    float
        RKHS norm.

    Examples
    --------
    >>> round(float(noisy_sparse_error_sharp(2000, 2, 0.05, 0.4, 0.0)), 6)
    0.415484
    """
    deviation = kernel_mean.mean_deviation_repaired(n, delta / 2)
    return (deviation + 2 * clustered_error_repaired(m, delta / 2, diameter)) / (1 - 2 * sigma)


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

    Examples
    --------
    >>> round(miss_probability(16, 32), 6)
    0.926557
    """
    terms = (
        (-1) ** (j + 1) * math.comb(clusters, j) * (clusters - j) ** draws
        for j in range(1, clusters + 1)
    )
    return float(Fraction(sum(terms), clusters**draws))


def miss_probability_without_replacement(clusters: int, draws: int, members: int) -> float:
    r"""The same for different points, ``members`` in each cluster.

    Parameters
    ----------
    clusters, draws, members : int, >= 1

    Returns
    -------
    float
        Probability.

    Examples
    --------
    >>> [round(miss_probability_without_replacement(16, 32, s), 4) for s in (10, 20, 50, 100)]
    [0.8639, 0.9001, 0.917, 0.9219]
    """
    terms = (
        (-1) ** (j + 1) * math.comb(clusters, j) * math.comb((clusters - j) * members, draws)
        for j in range(1, clusters + 1)
    )
    return float(Fraction(sum(terms), math.comb(clusters * members, draws)))
