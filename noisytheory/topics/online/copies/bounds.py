r"""What one copy leaves, whatever the learner."""

from __future__ import annotations

import numpy as np

from noisytheory.vocabulary.domains import REAL, SAMPLE_SIZE, Numeric, requires

__all__ = ["all_blocks", "certain", "some_regret"]


@requires(T=SAMPLE_SIZE)
def certain(T: Numeric) -> Numeric:
    """Probability 1, whatever the horizon.

    Parameters
    ----------
    T : int or array

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(certain(3))
    1.0
    """
    return 1 + 0 * T


@requires(low=REAL, high=REAL)
def some_regret(low: Numeric, high: Numeric) -> Numeric:
    """More than nothing, on every set [low, high]: the smallest normal float.

    Parameters
    ----------
    low, high : float or array

    Returns
    -------
    float or array

    Examples
    --------
    >>> 0 < float(some_regret(0.0, 1.0)) < 1e-300
    True
    """
    return np.finfo(float).tiny + 0 * low + 0 * high


@requires(K=SAMPLE_SIZE)
def all_blocks(K: Numeric) -> Numeric:
    r"""Chance that none of K blocks hurts, where each does with probability one half: $2^{-K}$.

    Parameters
    ----------
    K : int or array

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(all_blocks(3))
    0.125
    """
    return 0.5**K
