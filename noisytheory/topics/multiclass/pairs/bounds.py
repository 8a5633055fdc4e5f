"""How far estimated shares of classes are from the true ones, and an inverse from that of C."""

from __future__ import annotations

import numpy as np

from noisytheory.vocabulary.domains import (
    LEVEL,
    NONNEGATIVE,
    POSITIVE,
    SAMPLE_SIZE,
    Domain,
    Numeric,
    requires,
)

__all__ = ["inverse_deviation", "share_deviation", "shares_deviation"]

COST = Domain(1, include_low=True).of(r"Norm of the inverse: its largest column of $|B_{qk}|$.")
ESTIMATE = NONNEGATIVE.of(r"$\|\hat C-C\|$, the largest column of absolute differences.")
LABELS = NONNEGATIVE.of(r"$\|\hat y/n-C\pi\|$, absolute differences of the shares added up.")
SPREAD = POSITIVE.of(r"$\max_kB_{qk}-\min_kB_{qk}$, of the row of the inverse.")


@requires(n=SAMPLE_SIZE, delta=LEVEL, spread=SPREAD)
def share_deviation(n: Numeric, delta: Numeric, spread: Numeric) -> Numeric:
    r"""Deviation of an estimated class share.

    $$\Pr\Big[|\hat\pi_q-\pi_q|>(\max_kB_{qk}-\min_kB_{qk})\sqrt{\tfrac{\ln(2/\delta)}{2n}}\Big]\le\delta.$$

    Returns
    -------
    float or array

    Notes
    -----
    Hoeffding; print gives the estimate without a deviation.

    Examples
    --------
    >>> round(float(share_deviation(200, 0.05, 1.0)), 4)
    0.096
    """
    return spread * np.sqrt(np.log(2 / delta) / (2 * n))


@requires(cost=COST, estimate=ESTIMATE, labels=LABELS)
def shares_deviation(cost: Numeric, estimate: Numeric, labels: Numeric) -> Numeric:
    r"""Deviation of all estimated class shares, added up, by an estimated confusion.

    $$\|\hat\pi-\pi\|\le\|\hat C^{-1}\|\big(\|\hat y/n-C\pi\|+\|\hat C-C\|\big).$$

    Returns
    -------
    float or array

    Notes
    -----
    After Lipton, Wang and Smola 2018; absolute differences added up, in place of their roots of
    squares. Proof: $\hat\pi-\pi=\hat C^{-1}\big(\hat y/n-C\pi+(C-\hat C)\pi\big)$.

    Examples
    --------
    >>> float(shares_deviation(2.0, 0.125, 0.0625))
    0.375
    """
    return cost * (labels + estimate)


@requires(cost=COST, estimate=ESTIMATE)
def inverse_deviation(cost: Numeric, estimate: Numeric) -> Numeric:
    r"""How far the inverse of an estimated confusion is from that of the true one.

    $$\|\hat C^{-1}-C^{-1}\|\le\frac{\|C^{-1}\|^2\|\hat C-C\|}{1-\|C^{-1}\|\,\|\hat C-C\|}.$$

    Returns
    -------
    float or array

    Notes
    -----
    Either matrix may be the one whose inverse is known. Infinite where the other may be singular.

    Examples
    --------
    >>> float(inverse_deviation(2.0, 0.125)), float(inverse_deviation(2.0, 0.5))
    (0.6666666666666666, inf)
    """
    with np.errstate(divide="ignore"):
        return cost**2 * estimate / np.maximum(1 - cost * estimate, 0.0)
