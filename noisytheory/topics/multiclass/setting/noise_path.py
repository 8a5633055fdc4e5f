"""The family of confusion matrices of Section 4.1."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.vocabulary.confusion import stochastic
from noisytheory.vocabulary.domains import COUNT
from noisytheory.vocabulary.exact import whole

__all__ = ["noise_path"]


def noise_path(reference: ArrayLike, step: int) -> NDArray[Any]:
    r"""$C_i=\Omega(I+\tfrac i{10}(M-I))$: negative entries dropped, rows divided by their sum.

    Parameters
    ----------
    reference : array-like, shape (Q, Q)
        Row-stochastic, M; fractions are kept.
    step : int
        $i\ge0$; at 10 it is M.

    Returns
    -------
    array, shape (Q, Q)
        Row-stochastic: true classes are in rows.

    Examples
    --------
    >>> noise_path([[0.5, 0.5], [0.25, 0.75]], 10).tolist()
    [[0.5, 0.5], [0.25, 0.75]]
    """
    matrix = stochastic("reference", reference, "row")
    replace(COUNT, low=0).check("step", step)
    exact = matrix.dtype == object
    # Fractions as whole numbers over one denominator, which the sums of the rows divide again.
    parts, one = whole(matrix) if exact else (matrix, 1)
    stays = one * np.eye(len(matrix), dtype=object if exact else np.int64)
    # So they do with ten times the matrix in print.
    moved = 10 * stays + int(step) * (parts - stays)
    kept = np.where(moved > 0, moved, 0 * moved)
    sums = kept.sum(axis=1)[:, None]
    return np.asarray(np.frompyfunc(Fraction, 2, 1)(kept, sums) if exact else kept / sums)
