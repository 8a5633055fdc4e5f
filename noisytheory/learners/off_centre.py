"""Targets far from 0, for learners without an intercept."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["warn_off_centre"]


def warn_off_centre(
    targets: ArrayLike, weights: Any = None, *, learner: Any, level: int
) -> None:
    """Say so where the target's mean is larger than its standard deviation, and what helps.

    Parameters
    ----------
    targets : array-like, shape (n,)
    weights : array-like, shape (n,), optional
        At least 0, and not 0 everywhere.
    learner : object
        Whose class the warning names.
    level : int
        How many calls up the person's own is, as `warnings.warn` counts.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True, action="always") as said:
    ...     for weights in (None, [3.0, 1.0], [1.0, 3.0]):
    ...         warn_off_centre([-1.0, 4.0], weights, learner=None, level=2)
    >>> [str(one.message).split(",")[0] for one in said]
    ["the target's mean is 2.75"]
    """
    given = np.asarray(targets, float)
    # Of the largest, so that no square overflows.
    size = float(np.abs(given).max(initial=0.0))
    if not size:
        return
    mean = float(np.average(given / size, weights=weights))
    spread = float(np.sqrt(np.average((given / size - mean) ** 2, weights=weights)))
    if abs(mean) <= spread:
        return
    name = type(learner).__name__
    warnings.warn(
        f"the target's mean is {size * mean:.3g}, its standard deviation {size * spread:.3g}, and "
        f"{name} has no free intercept: standardise the target, as "
        f"TransformedTargetRegressor({name}(...), transformer=StandardScaler()) does",
        UserWarning, stacklevel=level,
    )
