r"""Risk minimisers over linear scorers on finitely many weighted examples, solved to the end."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.losses import Loss

__all__ = ["hinge_minimiser", "potential_minimiser"]

Floats = NDArray[np.float64]


def hinge_minimiser(x: ArrayLike, y: ArrayLike, weights: ArrayLike) -> tuple[Floats, float]:
    r"""A minimiser of $\sum_ip_i\max(0,1-y_i\langle\omega,x_i\rangle)$, by linear programming.

    Parameters
    ----------
    x : array-like, shape (n, d)
    y : array-like, shape (n,)
        Labels -1 and 1.
    weights : array-like, shape (n,)
        At least 0.

    Returns
    -------
    omega : array, shape (d,)
        One of the minimisers, a vertex.
    risk : float

    Raises
    ------
    ValueError
        If the linear programme is not solved.

    Examples
    --------
    >>> omega, risk = hinge_minimiser([[1, -1], [1, 3], [30, 0]], [1, 1, 1], [0.5, 0.25, 0.25])
    >>> risk
    0.0
    """
    from scipy.optimize import linprog

    rows = np.asarray(x, float) * np.asarray(y, float)[:, None]
    n, d = rows.shape
    best = linprog(
        np.concatenate([np.zeros(d), np.asarray(weights, float)]),
        A_ub=np.hstack([-rows, -np.eye(n)]), b_ub=-np.ones(n),
        bounds=[(None, None)] * d + [(0, None)] * n, method="highs",
    )
    if best.status != 0:
        raise ValueError(f"the linear programme was not solved: {best.message}")
    return np.asarray(best.x[:d]), float(best.fun)


def potential_minimiser(
    x: ArrayLike, y: ArrayLike, weights: ArrayLike, loss: Loss, *, start: ArrayLike = 0.0,
    steps: int = 200,
) -> Floats:
    r"""A stationary point of $\sum_ip_i\ell(y_i,\langle\omega,x_i\rangle)$, by Newton's method.

    The minimiser where the loss is convex and smooth. Weights may have a leading axis: one problem
    a row, solved together. Curvatures are taken in absolute value, and steps halved until the risk
    does not rise.

    Parameters
    ----------
    x : array-like, shape (n, d)
    y : array-like, shape (n,)
        Labels -1 and 1.
    weights : array-like, shape (n,) or (m, n)
        At least 0.
    loss : Loss
        Differentiable.
    start : array-like, shape (d,) or a number
        Where to begin.
    steps : int
        Newton steps at most.

    Returns
    -------
    array, shape (d,) or (m, d)

    Examples
    --------
    >>> from noisytheory.losses import MarginSquare
    >>> potential_minimiser([[1.0], [1.0]], [1, -1], [0.75, 0.25], MarginSquare()).round(9).tolist()
    [0.5]
    """
    points, labels = np.asarray(x, float), np.asarray(y, float)
    table = np.atleast_2d(np.asarray(weights, float))
    omega = np.array(np.broadcast_to(np.asarray(start, float), (len(table), points.shape[1])))
    value = _risk(omega, points, labels, table, loss)
    for _ in range(steps):
        scores = omega @ points.T
        gradient = (table * loss.derivative(labels, scores)) @ points
        width = 1e-4 * np.maximum(1.0, np.abs(scores))
        ahead, behind = (loss.derivative(labels, scores + s * width) for s in (1, -1))
        curvature = table * (ahead - behind) / (2 * width)
        hessian = np.einsum("mn,ni,nj->mij", curvature, points, points)
        eigenvalues, axes = np.linalg.eigh(hessian)
        scale = np.maximum(np.abs(eigenvalues), 1e-10 * np.abs(eigenvalues).max(-1, keepdims=True))
        inner = np.einsum("mji,mj->mi", axes, gradient) / np.maximum(scale, 1e-300)
        step = -np.einsum("mij,mj->mi", axes, inner)
        decrease = np.einsum("mi,mi->m", gradient, step)
        length, moved = np.ones(len(table)), np.zeros(len(table), bool)
        for _ in range(40):
            trial = omega + length[:, None] * step
            new = _risk(trial, points, labels, table, loss)
            better = ~moved & (new <= value + 1e-4 * length * decrease) & (new < value)
            omega[better], value[better] = trial[better], new[better]
            moved |= better
            if moved.all():
                break
            length = np.where(moved, length, length / 2)
        if not moved.any():
            break
    return omega if np.ndim(weights) == 2 else omega[0]


def _risk(
    omega: Floats, points: Floats, labels: Floats, table: Floats, loss: Loss
) -> Floats:
    return np.asarray(np.sum(table * loss.value(labels, omega @ points.T), axis=1))
