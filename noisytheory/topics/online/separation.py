r"""What one copy leaves: the regret that one of two environments forces, which look alike."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from noisytheory.vocabulary.domains import REAL, UNIT_INTERVAL

__all__ = ["least_regret"]

Floats = NDArray[np.float64]
POINTS = 20_001


def least_regret(
    loss: Callable[[Floats], Floats], law: tuple[float, float, float], low: float, high: float
) -> tuple[float, float]:
    r"""$\delta=\min_w\max(R_A(w),R_B(w))$: a round's regret that no one-copy learner escapes.

    In environment A instances have this law and are seen without noise; in B the instance is its
    mean, and noise makes copies look the same. For a convex loss the larger of both expected
    average regrets is at least this, for every learner and horizon.

    Parameters
    ----------
    loss : callable
        Of the score, elementwise; convex.
    law : (first, second, chance)
        Two instances of the line and the probability of the second.
    low, high : float
        Ends of the set of predictors.

    Returns
    -------
    value, error : float
        The least lies within the error of the value.

    Notes
    -----
    On a grid. Excess risks are convex, and their larger one too: from its smallest value on the
    grid it cannot fall by more than it fell on the last step before, on either side. That each
    risk's own least is taken on the grid makes the excess smaller, by as little. What is added for
    rounding is 1e-12 of the largest risk.

    Examples
    --------
    >>> value, error = least_regret(lambda v: (v - 1) ** 2, (3.0, -1.0, 0.5), -2.0, 2.0)
    >>> round(value, 4), error < 0.01
    (0.3056, True)
    """
    first, second = (REAL.number("law", x) for x in law[:2])
    chance = UNIT_INTERVAL.number("law", law[2])
    low, high = REAL.number("low", low), REAL.number("high", high)
    if low > high:
        raise ValueError(f"low must be at most high, got {low:g} and {high:g}")
    if low == high:
        return 0.0, 0.0
    grid = np.linspace(low, high, POINTS)
    mean = (1 - chance) * first + chance * second
    inside = (1 - chance) * loss(first * grid) + chance * loss(second * grid)
    both = np.stack([risk - risk.min() for risk in (inside, loss(mean * grid))])
    larger = both.max(axis=0)
    at = int(np.argmin(larger))
    near = both[:, max(at - 2, 0) : at + 3]
    least = [row[max(int(np.argmin(row)) - 1, 0) : int(np.argmin(row)) + 2] for row in both]
    errors = [np.abs(np.diff(near, axis=1)).max(), *(np.ptp(row) for row in least)]
    rounding = 1e-12 * float(np.abs(inside).max())
    return float(larger[at]), 2 * float(sum(errors)) + rounding
