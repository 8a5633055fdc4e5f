"""A law of losses with a rare large value, its mean and its tail."""

from __future__ import annotations

from typing import Any

import numpy as np

from noisytheory.vocabulary.domains import SAMPLE_SIZE, requires

__all__ = ["MASSES", "VALUES", "K", "mean_of_law", "tail_of_law"]

VALUES = np.array([0.0, 1.0, 4.0])
MASSES = np.array([0.5, 0.375, 0.125])
"""A law of losses with a rare large value."""

K = 2
"""How many of the largest losses the second claim averages."""


@requires(n=SAMPLE_SIZE)
def mean_of_law(n: Any) -> Any:
    """Mean of the law."""
    return VALUES @ MASSES + 0 * n


@requires(n=SAMPLE_SIZE)
def tail_of_law(n: Any) -> Any:
    """CVaR of the law at tail mass K/n."""
    found: Any = 0 * n
    left = K / n
    for value, mass in zip(VALUES[::-1], MASSES[::-1], strict=True):
        taken = np.minimum(left, mass)
        found = found + taken * value
        left = left - taken
    return found * n / K
