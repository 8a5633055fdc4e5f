"""The mean square error of clustered sub-sampling on given points: nothing is drawn."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from noisytheory.topics.sparse.approximation import Target
from noisytheory.vocabulary.domains import COUNT
from noisytheory.vocabulary.kernels import Kernel

__all__ = ["clustered_mean_square"]


def clustered_mean_square(
    kernel: Kernel, points: ArrayLike, alpha: ArrayLike, k: int, cells: ArrayLike
) -> float:
    r"""Mean square error of `noisytheory.sparse.clustered` on these points and cells, exactly.

    $$\mathbb E\|\omega^*-\tilde\omega\|^2=W^2\sum_i\tfrac{\alpha_i^2}{n_i}V_i$$

    with $\alpha_i$ the share of cell $i$ in $W=\sum|\alpha|$, $n_i=\lceil\alpha_ik\rceil$ draws
    from it and $V_i$ the variance in it. Of one cell it is that of independent draws,
    `noisytheory.sparse.with_replacement`.

    Parameters
    ----------
    kernel, points, alpha, k
        As in `noisytheory.sparse.clustered`.
    cells : array-like, shape (n,)
        Cell of every point, by any name: those of `noisytheory.sparse.farthest_first`, or others.

    Returns
    -------
    float
        Squared RKHS norm; a difference of squares, so that its rounding is some $10^{-16}$ of the
        largest feature's.

    Raises
    ------
    ValueError
        If ``k`` is not a whole number >= 1, or there is not a cell a point.

    Examples
    --------
    >>> from noisytheory.vocabulary.kernels import Linear
    >>> pairs = Linear(), [[0.0], [1.0], [9.0], [9.5]], [0.25] * 4
    >>> clustered_mean_square(*pairs, 2, [0, 0, 1, 1]), clustered_mean_square(*pairs, 2, [0] * 4)
    (0.078125, 9.6484375)
    """
    draws = COUNT.number("k", k)
    target = Target(kernel, points, alpha)
    names = np.asarray(cells)
    if names.shape != (target.given,):
        raise ValueError(f"cells must have shape ({target.given},), got {names.shape}")
    names, total = names[target.kept], 0.0
    for name in np.unique(names):
        inside = np.flatnonzero(names == name)
        share = float(target.masses[inside].sum())
        law = target.masses[inside] / share
        spread = float(law @ target.diagonal[inside] - law @ target.gram(inside) @ law)
        total += share**2 * max(spread, 0.0) / max(np.ceil(share * draws - 1e-9), 1)
    return target.total**2 * float(total)
