"""Best polynomial approximation by linear programmes: what a fixed number of samples leaves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SOLVER_ERROR = 1e-7


def _worst(q: Floats, f: Floats, n: int) -> tuple[float, float]:
    """The smallest worst distance of a polynomial of degree n from f at the points q.

    Returns the optimum and its error: the dual value, from weights that annihilate polynomials,
    is computed again and bounds the solver's error.
    """
    from scipy.optimize import linprog

    basis = np.polynomial.chebyshev.chebvander(2 * q - 1, n)
    ones = np.ones((len(q), 1))
    found = linprog(
        np.append(np.zeros(n + 1), 1.0),
        A_ub=np.block([[basis, -ones], [-basis, -ones]]),
        b_ub=np.concatenate([f, -f]),
        bounds=[(None, None)] * (n + 1) + [(0, None)],
        method="highs",
    )
    primal = float(np.max(np.abs(basis @ found.x[:-1] - f)))
    return primal, max(SOLVER_ERROR * primal, abs(primal - float(found.fun)), 1e-12)


def best_approximation(n: int, points: int) -> tuple[float, float]:
    """Of the exponential on [0, 1]."""
    q = np.linspace(0, 1, points)
    return _worst(q, np.exp(q), n)


def interpolated(n: int, points: int) -> tuple[float, float]:
    """The same when only n + 1 parameters are possible."""
    q = np.linspace(0, 1, n + 1)
    return _worst(q, np.exp(q), n)


def jump(n: int, wide: float) -> tuple[float, float]:
    """Of a jump from 0 to 1 at 1/2, or of a ramp that rises over this width."""
    q = np.concatenate([np.linspace(0, 0.5, 101), np.linspace(0.5, 1, 101)])
    side = np.repeat([0.0, 1.0], 101)
    ramp = np.clip((q - 0.5 + wide / 2) / wide, 0, 1) if wide else side
    optimum, error = _worst(q, ramp, n)
    return optimum, error
