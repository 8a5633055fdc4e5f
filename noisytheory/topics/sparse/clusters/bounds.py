r"""Theorem 21 as formulas: in print, and repaired.

$m$ counts cells; diameters and errors are RKHS norms.
"""

from __future__ import annotations

import math

import numpy as np

from noisytheory.vocabulary.domains import (
    COUNT,
    LEVEL,
    NONNEGATIVE,
    Numeric,
    requires,
)

__all__ = [
    "clustered_error",
    "clustered_error_repaired",
    "clustered_mean",
    "clustered_mean_repaired",
    "clustered_sparsity",
    "clustered_sparsity_repaired",
    "traversal_error",
    "traversal_error_repaired",
    "traversal_error_sharp",
]

CELLS = COUNT.of("Cells.")
DIAMETER = NONNEGATIVE.of("Largest diameter of a cell.")


@requires(m=CELLS, delta=LEVEL, diameter=DIAMETER)
def clustered_error(m: Numeric, delta: Numeric, diameter: Numeric) -> Numeric:
    r"""Radius of clustered sub-sampling as printed, Theorem 21.

    $$\|\omega^*-\tilde\omega\|\le D\Big(\tfrac1{\sqrt m}+\sqrt{\tfrac{\log(1/\delta)}m}\Big)$$

    With probability at least $1-\delta$, for cells of diameter at most $D$.

    Returns
    -------
    float
        RKHS norm.

    Examples
    --------
    >>> round(float(clustered_error(20, 0.05, 1.3)), 6)
    0.793818
    """
    return diameter * (1 + np.sqrt(-np.log(delta))) / np.sqrt(m)


@requires(m=CELLS, delta=LEVEL, diameter=DIAMETER)
def clustered_error_repaired(m: Numeric, delta: Numeric, diameter: Numeric) -> Numeric:
    r"""Theorem 21 with both of its terms computed: smaller by $1/\sqrt2$.

    $$\|\omega^*-\tilde\omega\|\le\tfrac{D}{\sqrt{2m}}\big(1+\sqrt{\log(1/\delta)}\big)$$

    The variance in a cell is at most $D^2/2$, and
    $\sum_{ij}c_{ij}^2=D^2\sum\alpha_i^2/n_i\le D^2/m$.

    Returns
    -------
    float
        RKHS norm.

    Examples
    --------
    >>> ratio = clustered_error_repaired(7, 0.1, 2.0) / clustered_error(7, 0.1, 2.0)
    >>> round(float(ratio), 9)
    0.707106781
    """
    return clustered_error(m, delta, diameter) / math.sqrt(2)


@requires(m=CELLS, diameter=DIAMETER)
def clustered_mean(m: Numeric, diameter: Numeric) -> Numeric:
    r"""Mean error of clustered sub-sampling as printed, $D/\sqrt m$ (proof of Theorem 21).

    Returns
    -------
    float
        RKHS norm.

    Examples
    --------
    >>> float(clustered_mean(4, 1.0))
    0.5
    """
    return diameter / np.sqrt(m)


@requires(m=CELLS, diameter=DIAMETER)
def clustered_mean_repaired(m: Numeric, diameter: Numeric) -> Numeric:
    r"""The same repaired, $D/\sqrt{2m}$; attained as regular simplices in the cells grow.

    Returns
    -------
    float
        RKHS norm.

    Examples
    --------
    >>> float(clustered_mean_repaired(2, 1.0))
    0.5
    """
    return diameter / np.sqrt(2 * m)


@requires(m=CELLS)
def clustered_sparsity(m: Numeric) -> Numeric:
    r"""Largest number of atoms of clustered sub-sampling as printed, $2m$ (Theorem 21).

    Returns
    -------
    float
        Atoms.

    Examples
    --------
    >>> float(clustered_sparsity(20))
    40.0
    """
    return 2 * m


@requires(m=CELLS)
def clustered_sparsity_repaired(m: Numeric) -> Numeric:
    r"""The same repaired, $2m-1$: $m$ ceilings exceed their sum by less than $m$. Attained.

    Returns
    -------
    float
        Atoms.

    Examples
    --------
    >>> float(clustered_sparsity_repaired(20))
    39.0
    """
    return 2 * m - 1


LEAST = NONNEGATIVE.of("$D^*(S,m)$, see `least_diameter`.")


@requires(m=CELLS, delta=LEVEL, least_diameter=LEAST)
def traversal_error(m: Numeric, delta: Numeric, least_diameter: Numeric) -> Numeric:
    r"""Error of Algorithm 1 as printed: Theorem 21 with a diameter of at most $2D^*(S,m)$.

    Returns
    -------
    float
        RKHS norm.

    Examples
    --------
    >>> round(float(traversal_error(32, 0.05, 0.5)), 6)
    0.482745
    """
    return 2 * clustered_error(m, delta, least_diameter)


@requires(m=CELLS, delta=LEVEL, least_diameter=LEAST)
def traversal_error_repaired(m: Numeric, delta: Numeric, least_diameter: Numeric) -> Numeric:
    r"""The same from the repaired Theorem 21.

    Returns
    -------
    float
        RKHS norm.

    Examples
    --------
    >>> round(float(traversal_error_repaired(32, 0.05, 0.5)), 6)
    0.341352
    """
    return 2 * clustered_error_repaired(m, delta, least_diameter)


@requires(m=CELLS, delta=LEVEL, least_diameter=LEAST)
def traversal_error_sharp(m: Numeric, delta: Numeric, least_diameter: Numeric) -> Numeric:
    r"""Error of Algorithm 1 with the variance in a farthest-first cell computed.

    $$\|\omega^*-\tilde\omega\|\le\tfrac{D^*}{\sqrt m}\big(1+\sqrt{2\log(1/\delta)}\big)$$

    A cell lies in the ball around its centre whose radius is at most $D^*(S,m)$, and so the
    variance in it is at most $D^{*2}$, where Theorem 21 has $(2D^*)^2/2$.

    Returns
    -------
    float
        RKHS norm.

    Examples
    --------
    >>> round(float(traversal_error_sharp(4, 0.05, 1.0)), 6)
    1.723873
    """
    return least_diameter * (1 + np.sqrt(-2 * np.log(delta))) / np.sqrt(m)
