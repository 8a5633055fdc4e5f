"""The mean square error of clustered sub-sampling on given points: nothing is drawn.

From the kernel alone: it is the bound of a claim on the algorithm, and shares no code with it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from noisytheory.vocabulary.domains import COUNT, checked_floats
from noisytheory.vocabulary.kernels import Kernel, checked_points

__all__ = ["clustered_mean_square"]


def clustered_mean_square(
    kernel: Kernel, points: ArrayLike, alpha: ArrayLike, k: int, cells: ArrayLike
) -> float:
    r"""Mean square error of `nt.sparse.clustered` on these points and cells, exactly.

    $$\mathbb E\|\omega^*-\tilde\omega\|^2=W^2\sum_i\tfrac{\alpha_i^2}{n_i}V_i$$

    with $\alpha_i$ the share of cell $i$ in $W=\sum|\alpha|$, $n_i=\lceil\alpha_ik\rceil$ draws
    from it and $V_i$ the variance in it. Of one cell it is that of independent draws,
    `nt.sparse.with_replacement`.

    Parameters
    ----------
    kernel, points, alpha, k
        As in `nt.sparse.clustered`.
    cells : array-like, shape (n,)
        Cell of every point, by any name: those of `nt.sparse.farthest_first`, or others.

    Returns
    -------
    float
        Squared RKHS norm; a difference of squares, so that its rounding is some $10^{-16}$ of the
        largest feature's.

    Raises
    ------
    ValueError
        If ``k`` is not a whole number >= 1, there is not a weight and a cell a point, or weights
        are infinite or all zero.

    Examples
    --------
    >>> from noisytheory.vocabulary.kernels import Linear
    >>> pairs = Linear(), [[0.0], [1.0], [9.0], [9.5]], [0.25] * 4
    >>> clustered_mean_square(*pairs, 2, [0, 0, 1, 1]), clustered_mean_square(*pairs, 2, [0] * 4)
    (0.078125, 9.6484375)
    """
    draws = COUNT.number("k", k)
    where = np.asarray(checked_points(points, "points"), dtype=np.float64)
    weights, names = checked_floats("alpha", alpha), np.asarray(cells)
    for word, values in (("alpha", weights), ("cells", names)):
        if values.shape != (len(where),):
            raise ValueError(f"{word} must have shape ({len(where)},), got {values.shape}")
    whole = float(np.abs(weights).sum())
    if not 0 < whole < np.inf:
        raise ValueError("alpha must be finite and not zero everywhere")
    total = 0.0
    for name in np.unique(names):
        inside = names == name
        ours, signed = where[inside], weights[inside]
        mass = float(np.abs(signed).sum())
        spread = mass * np.abs(signed) @ kernel.diagonal(ours) - signed @ kernel(ours) @ signed
        total += max(float(spread), 0.0) / max(np.ceil(mass / whole * draws - 1e-9), 1)
    return float(total)
