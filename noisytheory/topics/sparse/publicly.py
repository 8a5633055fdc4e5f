"""Left sides of a few rows of a draw by the public algorithm."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

PUBLIC = 8
"""Rows of every draw whose left side is what the public algorithm gives."""


def publicly(
    simulate: Callable[..., dict[str, Any]], algorithm: Callable[..., float]
) -> Callable[..., dict[str, Any]]:
    """The same draws; of the first `PUBLIC` the left side is by ``algorithm(row, **given)``.

    Parameters
    ----------
    simulate : callable
        Draws of a claim about instances.
    algorithm : callable
        One instance, and the cell, to what the public algorithm makes of it.

    Returns
    -------
    callable
    """

    @wraps(simulate)
    def found(*, size: int, rng: np.random.Generator, **given: Any) -> dict[str, Any]:
        drawn = simulate(size=size, rng=rng, **given)
        lhs = np.array(drawn["lhs"], dtype=float)
        for i in range(min(PUBLIC, size)):
            lhs[i] = algorithm({name: values[i] for name, values in drawn.items()}, **given)
        return {**drawn, "lhs": lhs}

    return found
