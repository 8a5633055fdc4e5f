r"""What a partition of least diameter promises: luckiness, and the span of its centres.

$m$ counts cells or centres, $k$ atoms, $n$ points; diameters and errors are RKHS norms.
"""

from __future__ import annotations

import math

import numpy as np

from noisytheory.vocabulary.domains import (
    COUNT,
    NONNEGATIVE,
    Domain,
    Numeric,
    requires,
)

__all__ = ["luckiness", "luckiness_repaired", "luckiness_sharp", "projection_error"]

ATOMS = Domain(2, include_low=True, whole=True, even=True, meaning="Atoms.")
DIAMETER = NONNEGATIVE.of("Least diameter of a partition, or the radius of its centres.")


@requires(k=ATOMS, diameter=DIAMETER)
def luckiness(k: Numeric, diameter: Numeric) -> Numeric:
    r"""Some ``k``-sparse approximation is this near, $\sqrt2D^*(S,k/2)/\sqrt k$ (Section 5.5.1).

    Returns
    -------
    float
        RKHS norm.

    Examples
    --------
    >>> round(float(luckiness(8, 1.0)), 9)
    0.5
    """
    return math.sqrt(2) * luckiness_repaired(k, diameter)


@requires(k=ATOMS, diameter=DIAMETER)
def luckiness_repaired(k: Numeric, diameter: Numeric) -> Numeric:
    r"""The same from the repaired Theorem 21, $D^*(S,k/2)/\sqrt k$, with $k-1$ atoms.

    Returns
    -------
    float
        RKHS norm.

    Examples
    --------
    >>> float(luckiness_repaired(4, 1.0))
    0.5
    """
    return diameter / np.sqrt(k)


@requires(k=ATOMS, diameter=DIAMETER)
def luckiness_sharp(k: Numeric, diameter: Numeric) -> Numeric:
    r"""The same with the best constant for every even $k$: $D^*(S,k/2)/\sqrt{k+2}$.

    With $m=k/2$ cells, $\lceil\alpha_i(m+1)\rceil$ draws from each are at most $2m$ in all.

    Returns
    -------
    float
        RKHS norm.

    Examples
    --------
    >>> float(luckiness_sharp(2, 1.0))
    0.5
    """
    return diameter / np.sqrt(k + 2)


@requires(m=COUNT.of("Centres."), n=COUNT.of("Points."), diameter=DIAMETER)
def projection_error(m: Numeric, n: Numeric, diameter: Numeric) -> Numeric:
    r"""Projection on ``m`` of ``n`` equally weighted points: $(1-\frac mn)D^*(S,m)$ (5.5.3).

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
