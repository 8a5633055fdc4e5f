r"""Robustness against sparsity as a formula: Corollary 23, in print, and repaired."""

from __future__ import annotations

from noisytheory.topics.kernel_mean.deviation import bounds as kernel_mean
from noisytheory.topics.sparse.clusters.bounds import clustered_error, clustered_error_repaired
from noisytheory.vocabulary.domains import (
    COUNT,
    LEVEL,
    NOISE_RATE,
    NONNEGATIVE,
    SAMPLE_SIZE,
    Numeric,
    requires,
)

__all__ = ["noisy_sparse_error", "noisy_sparse_error_sharp"]

CELLS = COUNT.of("Cells.")
DIAMETER = NONNEGATIVE.of("$D^*(S,m)$.")


@requires(n=SAMPLE_SIZE, m=CELLS, delta=LEVEL, sigma=NOISE_RATE, diameter=DIAMETER)
def noisy_sparse_error(
    n: Numeric, m: Numeric, delta: Numeric, sigma: Numeric, diameter: Numeric
) -> Numeric:
    r"""Right side of Corollary 23, for $\|\Phi(P)-\tilde\omega/(1-2\sigma)\|$.

    $$\tfrac1{1-2\sigma}\Big(\tfrac2{\sqrt n}+\sqrt{\tfrac{2\log(2/\delta)}n}\Big)
    +\tfrac{2D^*(S,m)}{1-2\sigma}\Big(\tfrac1{\sqrt m}+\sqrt{\tfrac{\log(2/\delta)}m}\Big)$$

    Print has it for $\|\Phi(P)-\tilde\omega\|$, which tends to $2\sigma\|\Phi(P)\|$.

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


@requires(n=SAMPLE_SIZE, m=CELLS, delta=LEVEL, sigma=NOISE_RATE, diameter=DIAMETER)
def noisy_sparse_error_sharp(
    n: Numeric, m: Numeric, delta: Numeric, sigma: Numeric, diameter: Numeric
) -> Numeric:
    r"""The same from the repaired Theorems 5 and 21.

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
