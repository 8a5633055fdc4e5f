r"""What a partition of least diameter promises: luckiness, and the span of its centres.

$m$ counts cells or centres, $k$ atoms, $n$ points; diameters and errors are RKHS norms.
"""

from __future__ import annotations

import math

import numpy as np

from noisytheory.vocabulary.domains import (
    COUNT,
    NONNEGATIVE,
    SAMPLE_SIZE,
    Domain,
    Numeric,
    requires,
)

__all__ = ["luckiness", "luckiness_repaired", "projection_error"]

TWO_OR_MORE = Domain(2, include_low=True, whole=True)


@requires(k=COUNT, diameter=NONNEGATIVE)
def luckiness(k: Numeric, diameter: Numeric) -> Numeric:
    r"""Some ``k``-sparse approximation is this near, $\sqrt2D^*(S,k/2)/\sqrt k$ (Section 5.5.1).

    Parameters
    ----------
    k : int, even
        Atoms.
    diameter : float, >= 0
        $D^*(S,k/2)$.

    Returns
    -------
    float
        RKHS norm.

    Raises
    ------
    ValueError
        If an argument leaves its range, or ``k`` is odd.

    Examples
    --------
    >>> round(float(luckiness(8, 1.0)), 9)
    0.5
    """
    return math.sqrt(2) * luckiness_repaired(k, diameter)


@requires(k=COUNT, diameter=NONNEGATIVE)
def luckiness_repaired(k: Numeric, diameter: Numeric) -> Numeric:
    r"""The same from the repaired Theorem 21, $D^*(S,k/2)/\sqrt k$, with $k-1$ atoms.

    Parameters
    ----------
    k, diameter
        As in `luckiness`.

    Returns
    -------
    float
        RKHS norm.

    Examples
    --------
    >>> float(luckiness_repaired(4, 1.0))
    0.5
    """
    odd = np.asarray(k % 2 != 0)
    if odd.any():
        raise ValueError(f"k must be an even whole number >= 2, got {np.asarray(k)[odd].flat[0]:g}")
    return diameter / np.sqrt(k)


@requires(m=COUNT, n=SAMPLE_SIZE, diameter=NONNEGATIVE)
def projection_error(m: Numeric, n: Numeric, diameter: Numeric) -> Numeric:
    r"""Projection on ``m`` of ``n`` equally weighted points: $(1-\frac mn)D^*(S,m)$ (5.5.3).

    Parameters
    ----------
    m, n : int
        Centres and points.
    diameter : float, >= 0
        Least diameter of a partition into ``m`` cells, or the radius of the centres.

    Returns
    -------
    float
        RKHS norm.

    Examples
    --------
    >>> float(projection_error(3, 4, 1.0))
    0.25
    """
    return np.maximum(1 - m / n, 0) * diameter
