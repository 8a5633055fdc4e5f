"""Candidates for regret with high probability."""

from __future__ import annotations

import numpy as np

from noisytheory.topics.online.bounds import BALL, ESTIMATE, ROUNDS
from noisytheory.topics.online.regrets.bounds import general_regret
from noisytheory.vocabulary.domains import LEVEL, Numeric, requires

__all__ = ["regret_tail"]


@requires(T=ROUNDS, Bw=BALL, G=ESTIMATE, delta=LEVEL)
def regret_tail(T: Numeric, Bw: Numeric, G: Numeric, delta: Numeric) -> Numeric:
    r"""A candidate for high probability: $G\sqrt{B_wT}\,(1+\sqrt{2\ln(1/\delta)})$.

    Returns
    -------
    float or array

    Notes
    -----
    Ours, not proved.

    Examples
    --------
    >>> round(float(regret_tail(100, 1.0, 1.0, 0.1)), 3)
    31.46
    """
    return general_regret(T, Bw, G**2, 1.0) * (1 + np.sqrt(2 * np.log(1 / delta)))
