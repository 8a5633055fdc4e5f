"""What the claims of this topic say in the same words."""

from __future__ import annotations

from collections.abc import Callable
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
