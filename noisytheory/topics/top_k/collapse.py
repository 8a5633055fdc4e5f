r"""When the minimiser is zero: the largest mass of weights that balance the labelled rows.

$w=0$ minimises the average top-k loss if and only if $k\le nh^*$, whatever the individual loss of
the margin and whatever C, with $h^*=\min_w\frac1n\sum_i(1-y_iw^\top x_i)_+$, the hinge risk that
the class of scores can attain. By duality $h^*$ is the largest $\sum p_i$ with
$0\le p_i\le\frac1n$ and $\sum p_iy_ix_i=0$.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from noisytheory.topics.top_k.aggregate import counted
from noisytheory.vocabulary.domains import check_truth, checked_floats

__all__ = ["balanced_weights", "collapse_threshold", "first_useful_k"]

Floats = NDArray[np.float64]


def balanced_weights(
    signed: Floats, masses: Floats, enough: float = np.inf, worth: Floats | None = None
) -> tuple[Floats, float]:
    r"""Weights $0\le p\le q$ of largest sum, at most ``enough``, with $\sum_ip_iz_i=0$.

    Parameters
    ----------
    signed : array, shape (n, d)
        $z_i=y_ix_i$.
    masses : array, shape (n,)
        $q$.
    enough : float
        Largest sum that is of interest.
    worth : array, shape (n,), optional
        $v$: then $\sum_iv_ip_i$ is largest.

    Returns
    -------
    weights : array, shape (n,)
    sum : float

    Examples
    --------
    >>> balanced_weights(np.array([[1.0], [-1.0], [2.0]]), np.full(3, 1 / 3))[1]
    0.6666666666666666
    """
    from scipy.optimize import linprog

    size = np.abs(signed).max(axis=0)
    used = size > 0
    top = float(masses.max())
    bounds = np.column_stack([np.zeros(len(masses)), masses / top])
    cap = None if not np.isfinite(enough) else np.ones((1, len(masses)))
    # Of rows of very different lengths the simplex method may give up, or not end.
    for method in ("highs-ipm", "highs"):
        found = linprog(
            -np.ones(len(masses)) if worth is None else -worth,
            A_eq=(signed[:, used] / size[used]).T,
            b_eq=np.zeros(int(used.sum())), bounds=bounds,
            A_ub=cap, b_ub=None if cap is None else [enough / top], method=method,
        )
        if found.x is not None:
            break
    else:
        raise RuntimeError(f"the linear programme was not solved: {found.message}")
    weights = np.clip(found.x * top, 0, masses)
    return weights, float(weights.sum())


def collapse_threshold(
    X: Any, y: ArrayLike, *, intercept: bool = False, sample_weight: ArrayLike | None = None
) -> float:
    r"""$nh^*$: every k up to it gives the zero classifier, for every margin loss and every C.

    Parameters
    ----------
    X : array_like or sparse matrix, shape (n, d)
    y : array_like, shape (n,)
        1 or -1.
    intercept : bool
        Whether the scores have a free constant.
    sample_weight : array_like, shape (n,), optional

    Returns
    -------
    float
        In [0, n]; 0 where the sample is strictly separable.

    Raises
    ------
    ValueError
        If labels are not 1 or -1, or of one class only, or a row is not finite.

    Examples
    --------
    >>> collapse_threshold([[1.0], [1.0], [1.0], [-1.0]], [1, 1, -1, -1])
    2.0
    """
    check_truth("intercept", intercept)
    rows = X.toarray() if sparse.issparse(X) else checked_floats("X", X)
    if rows.ndim != 2 or 0 in rows.shape:
        raise ValueError(f"X must have rows and columns, got shape {rows.shape}")
    labels = checked_floats("y", y)
    wrong = labels[np.abs(labels) != 1]
    if labels.shape != (len(rows),) or wrong.size:
        came = f"{wrong[0]:g} among them" if wrong.size else f"shape {labels.shape}"
        raise ValueError(f"y must be {len(rows)} labels, 1 or -1, got {came}")
    if not np.isfinite(rows).all():
        raise ValueError("X must be finite, got an infinity or NaN")
    z = labels[:, None] * rows
    if intercept:
        z = np.column_stack([z, labels])
    masses, total = counted(sample_weight, len(rows))
    if np.ptp(labels[masses > 0]) == 0:
        raise ValueError("y must hold both classes with weight, got one class only")
    found = balanced_weights(z, masses)[1] * total
    return float(np.round(found, 9))


def first_useful_k(
    X: Any, y: ArrayLike, *, intercept: bool = False
) -> int:
    """The least k whose minimiser is not zero.

    Parameters
    ----------
    X : array_like or sparse matrix, shape (n, d)
    y : array_like, shape (n,)
    intercept : bool

    Returns
    -------
    int
        n + 1 where even the average loss gives zero.

    Raises
    ------
    ValueError
        As `collapse_threshold`.

    Examples
    --------
    >>> first_useful_k([[1.0], [1.0], [1.0], [-1.0]], [1, 1, -1, -1])
    3
    """
    return int(np.floor(collapse_threshold(X, y, intercept=intercept) + 1e-7)) + 1
