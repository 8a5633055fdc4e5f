r"""Section 5 of the paper on the kernel mean as formulas: in print, and repaired.

$m$ counts cells, $k$ atoms or iterations, $n$ points; diameters and errors are RKHS norms.
"""

from __future__ import annotations

import math

import numpy as np

from noisytheory.vocabulary.domains import (
    COUNT,
    LEVEL,
    NONNEGATIVE,
    SAMPLE_SIZE,
    Domain,
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
    "luckiness",
    "luckiness_repaired",
    "projection_error",
    "sparse_lower_bound",
    "subsampling_mean_square",
    "without_replacement_mean_square",
]

TWO_OR_MORE = Domain(2, include_low=True, whole=True)
ROUNDING = 1e-9


@requires(k=COUNT, power=NONNEGATIVE, norm=NONNEGATIVE)
def subsampling_mean_square(k: Numeric, power: Numeric, norm: Numeric) -> Numeric:
    r"""Mean square error of the mean of ``k`` independent draws, an identity.

    $$\mathbb E\|\omega^*-\tilde\omega\|^2
    =\tfrac1k\big(\textstyle\sum\alpha(\omega)\|\omega\|^2-\|\omega^*\|^2\big)$$

    Parameters
    ----------
    k : int, >= 1
        Draws.
    power : float, >= 0
        $\sum\alpha(\omega)\|\omega\|^2$.
    norm : float, >= 0
        $\|\omega^*\|$, whose square is at most ``power``.

    Returns
    -------
    float
        Squared RKHS norm.

    Raises
    ------
    ValueError
        If an argument leaves its range, or the square of ``norm`` exceeds ``power`` by more than
        rounding.

    Examples
    --------
    >>> float(subsampling_mean_square(4, 1.0, 0.0))
    0.25
    """
    if not np.all(norm**2 <= power * (1 + ROUNDING)):
        raise ValueError(f"norm must have a square of at most power, got {norm} and {power}")
    return np.maximum(power - norm**2, 0.0) / k


@requires(n=TWO_OR_MORE, k=COUNT, power=NONNEGATIVE, norm=NONNEGATIVE)
def without_replacement_mean_square(
    n: Numeric, k: Numeric, power: Numeric, norm: Numeric
) -> Numeric:
    r"""The same for ``k`` of ``n`` equally weighted points, drawn without replacement.

    $$\mathbb E\|\omega^*-\tilde\omega\|^2
    =\tfrac1k\tfrac{n-k}{n-1}\big(\textstyle\frac1n\sum\|\omega\|^2-\|\omega^*\|^2\big)$$

    Parameters
    ----------
    n, k : int, 1 <= k <= n, n >= 2
    power, norm : float
        As in `subsampling_mean_square`.

    Returns
    -------
    float
        Squared RKHS norm.

    Raises
    ------
    ValueError
        If an argument leaves its range, ``k`` by exceeding ``n`` anywhere.

    Examples
    --------
    On an orthonormal sample it is the least that Theorem 20 allows.

    >>> n, k = 100, 7
    >>> square = without_replacement_mean_square(n, k, 1.0, n**-0.5)
    >>> round(float(np.sqrt(square)), 6), round(float(sparse_lower_bound(n, k)), 6)
    (0.364496, 0.364496)
    """
    _no_more_than(n, k)
    return subsampling_mean_square(k, power, norm) * (n - k) / (n - 1)


@requires(n=SAMPLE_SIZE, k=COUNT)
def sparse_lower_bound(n: Numeric, k: Numeric) -> Numeric:
    r"""Least error of a ``k``-sparse convex approximation of the mean of an orthonormal sample.

    $$\|\omega^*-\tilde\omega\|\ge\sqrt{1/k-1/n}$$

    Theorem 20. Print leaves out that $k\le n$, and asks for infinite dimension where $n$ is enough.

    Parameters
    ----------
    n : int, >= 1
        Points.
    k : int, 1 to ``n``
        Atoms.

    Returns
    -------
    float
        RKHS norm.

    Raises
    ------
    ValueError
        If an argument leaves its range, ``k`` by exceeding ``n`` anywhere.

    Examples
    --------
    >>> round(float(sparse_lower_bound(100, 7)), 6)
    0.364496
    """
    _no_more_than(n, k)
    return np.sqrt(np.maximum(1 / k - 1 / n, 0.0))


def _no_more_than(n: Numeric, k: Numeric) -> None:
    """Of ``n`` points one can take ``k``."""
    beyond = np.asarray(k > n)
    if beyond.any():
        atoms = np.asarray(k + 0 * n)
        raise ValueError(f"k must be a whole number in [1, n], got {atoms[beyond].flat[0]:g}")


@requires(m=COUNT, delta=LEVEL, diameter=NONNEGATIVE)
def clustered_error(m: Numeric, delta: Numeric, diameter: Numeric) -> Numeric:
    r"""Radius of clustered sub-sampling as printed, Theorem 21.

    $$\|\omega^*-\tilde\omega\|\le D\Big(\tfrac1{\sqrt m}+\sqrt{\tfrac{\log(1/\delta)}m}\Big)$$

    With probability at least $1-\delta$, for cells of diameter at most $D$.

    Parameters
    ----------
    m : int, >= 1
        Cells.
    delta : float in (0, 1)
    diameter : float, >= 0

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


@requires(m=COUNT, delta=LEVEL, diameter=NONNEGATIVE)
def clustered_error_repaired(m: Numeric, delta: Numeric, diameter: Numeric) -> Numeric:
    r"""Theorem 21 with both of its terms computed: smaller by $1/\sqrt2$.

    $$\|\omega^*-\tilde\omega\|\le\tfrac{D}{\sqrt{2m}}\big(1+\sqrt{\log(1/\delta)}\big)$$

    The variance in a cell is at most $D^2/2$, and
    $\sum_{ij}c_{ij}^2=D^2\sum\alpha_i^2/n_i\le D^2/m$.

    Parameters
    ----------
    m, delta, diameter
        As in `clustered_error`.

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


@requires(m=COUNT, diameter=NONNEGATIVE)
def clustered_mean(m: Numeric, diameter: Numeric) -> Numeric:
    r"""Mean error of clustered sub-sampling as printed, $D/\sqrt m$ (proof of Theorem 21).

    Parameters
    ----------
    m, diameter
        As in `clustered_error`.

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


@requires(m=COUNT, diameter=NONNEGATIVE)
def clustered_mean_repaired(m: Numeric, diameter: Numeric) -> Numeric:
    r"""The same repaired, $D/\sqrt{2m}$; attained as regular simplices in the cells grow.

    Parameters
    ----------
    m, diameter
        As in `clustered_error`.

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


@requires(m=COUNT)
def clustered_sparsity(m: Numeric) -> Numeric:
    r"""Largest number of atoms of clustered sub-sampling as printed, $2m$ (Theorem 21).

    Parameters
    ----------
    m : int, >= 1
        Cells.

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


@requires(m=COUNT)
def clustered_sparsity_repaired(m: Numeric) -> Numeric:
    r"""The same repaired, $2m-1$: $m$ ceilings exceed their sum by less than $m$. Attained.

    Parameters
    ----------
    m : int, >= 1
        Cells.

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
