r"""Independent draws from a sample, different points of it, and what no few points can beat.

$k$ counts atoms, $n$ points; errors are RKHS norms.
"""

from __future__ import annotations

import numpy as np

from noisytheory.vocabulary.domains import (
    COUNT,
    NONNEGATIVE,
    Domain,
    Numeric,
    requires,
)

__all__ = ["sparse_lower_bound", "subsampling_mean_square", "without_replacement_mean_square"]

ROUNDING = 1e-9
ATOMS = COUNT.of("Draws or atoms; where they differ, at most as many as points.")
POWER = NONNEGATIVE.of(r"$\sum\alpha(\omega)\|\omega\|^2$.")
NORM = NONNEGATIVE.of(r"$\|\omega^*\|$, whose square is at most ``power``.")
POINTS = COUNT.of("Points.")
TWO_OR_MORE = Domain(2, include_low=True, whole=True, meaning="Points.")


@requires(k=ATOMS, power=POWER, norm=NORM)
def subsampling_mean_square(k: Numeric, power: Numeric, norm: Numeric) -> Numeric:
    r"""Mean square error of the mean of ``k`` independent draws, an identity.

    $$\mathbb E\|\omega^*-\tilde\omega\|^2
    =\tfrac1k\big(\textstyle\sum\alpha(\omega)\|\omega\|^2-\|\omega^*\|^2\big)$$

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


@requires(n=TWO_OR_MORE, k=ATOMS, power=POWER, norm=NORM)
def without_replacement_mean_square(
    n: Numeric, k: Numeric, power: Numeric, norm: Numeric
) -> Numeric:
    r"""The same for ``k`` of ``n`` equally weighted points, drawn without replacement.

    $$\mathbb E\|\omega^*-\tilde\omega\|^2
    =\tfrac1k\tfrac{n-k}{n-1}\big(\textstyle\frac1n\sum\|\omega\|^2-\|\omega^*\|^2\big)$$

    Returns
    -------
    float
        Squared RKHS norm.

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


@requires(n=POINTS, k=ATOMS)
def sparse_lower_bound(n: Numeric, k: Numeric) -> Numeric:
    r"""Least error of a ``k``-sparse convex approximation of the mean of an orthonormal sample.

    $$\|\omega^*-\tilde\omega\|\ge\sqrt{1/k-1/n}$$

    Theorem 20. Print leaves out that $k\le n$, and asks for infinite dimension where $n$ is enough.

    Returns
    -------
    float
        RKHS norm.

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
