"""How far an estimated share of a class is from the true one."""

from __future__ import annotations

import numpy as np

from noisytheory.vocabulary.domains import LEVEL, POSITIVE, SAMPLE_SIZE, Numeric, requires

__all__ = ["share_deviation"]

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
