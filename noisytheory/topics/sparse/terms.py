"""What the claims of this topic say in the same words."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from noisytheory.vocabulary.domains import Numeric

LEVELS = [0.5, 0.1, 0.05, 0.01]
BOUNDED = "features of norm at most 1"
IN_HULL = "the target lies in the convex hull of the sample"
ERROR: dict[str, Any] = {"quantity": "distance from the target", "unit": "RKHS norm"}
SQUARE: dict[str, Any] = {"quantity": "squared distance from the target", "unit": "RKHS norm^2"}
INTEGER: dict[str, Any] = {
    "quantity": "squared distance",
    "rows": 256,
    "grid": {"n": [7], "m": [2, 3], "dimension": [1, 2]},
}
HULLS = ["cross 2", "cross 5", "cube 3", "simplex 4"]
FARTHEST = "cells of a farthest-first traversal"


def over(values: Numeric, function: Callable[[Any], float]) -> Numeric:
    """The function at every entry; labelled arrays keep their names.

    Parameters
    ----------
    values : scalar, array or labelled array
    function : callable
        Of one number.

    Returns
    -------
    the same kind
    """
    return 0 * values + np.vectorize(function, otypes=[float])(np.asarray(values))


PUBLIC = 8
"""Rows of every draw whose left side is what the public algorithm gives."""


def publicly(
    simulate: Callable[..., dict[str, Any]], algorithm: Callable[..., float], few: int = PUBLIC
) -> Callable[..., dict[str, Any]]:
    """The same draws; of the first ``few`` the left side is by ``algorithm(row, **given)``.

    Parameters
    ----------
    simulate : callable
        Draws of a claim about instances.
    algorithm : callable
        One instance, and the cell, to what the public algorithm makes of it.
    few : int

    Returns
    -------
    callable
    """

    @wraps(simulate)
    def found(*, size: int, rng: np.random.Generator, **given: Any) -> dict[str, Any]:
        drawn = simulate(size=size, rng=rng, **given)
        lhs = np.array(drawn["lhs"], dtype=float)
        for i in range(min(few, size)):
            lhs[i] = algorithm({name: values[i] for name, values in drawn.items()}, **given)
        return {**drawn, "lhs": lhs}

    return found
