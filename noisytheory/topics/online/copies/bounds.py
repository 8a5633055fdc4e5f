r"""What one copy leaves, whatever the learner."""

from __future__ import annotations

import numpy as np

from noisytheory.topics.online.bounds import ROUNDS
from noisytheory.vocabulary.domains import COUNT, REAL, Numeric, requires

__all__ = ["all_blocks", "certain", "some_regret"]


@requires(T=ROUNDS)
def certain(T: Numeric) -> Numeric:
    """Probability 1, whatever the horizon.

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(certain(3))
    1.0
    """
    return 1 + 0 * T


@requires(low=REAL.of("Left end of the set."), high=REAL.of("Right end of the set."))
def some_regret(low: Numeric, high: Numeric) -> Numeric:
    """More than nothing, on every set [low, high]: the smallest normal float.

    Returns
    -------
    float or array

    Examples
    --------
    >>> 0 < float(some_regret(0.0, 1.0)) < 1e-300
    True
    """
    return np.finfo(float).tiny + 0 * low + 0 * high


@requires(K=COUNT.of("Blocks."))
def all_blocks(K: Numeric) -> Numeric:
    r"""Chance that none of K blocks hurts, where each does with probability one half: $2^{-K}$.

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(all_blocks(3))
    0.125
    """
    return 0.5**K
