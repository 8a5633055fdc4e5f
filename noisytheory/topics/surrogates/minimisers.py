r"""Risk minimisers over linear scorers on finitely many weighted examples, solved to the end."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.vocabulary.checks import checked_finite, checked_loss
from noisytheory.vocabulary.kernels import checked_points
from noisytheory.vocabulary.losses import Corrected, Hinge, LinearLoss, Loss, Margin, Ramp, ZeroOne
from noisytheory.vocabulary.populations.atoms import checked_whole

__all__ = ["hinge_minimiser", "piecewise_linear_minimiser", "potential_minimiser"]

Floats = NDArray[np.float64]
STRAIGHT = (Hinge, LinearLoss, Margin, Ramp, ZeroOne)
# What the last Newton step may still move a score by, as a share of the largest score or of 1. It
# is some 1e-6 at a minimum, and at least 0.02 where scores of a potential run to infinity.
STILL = 1e-3
# A step moves no score by more than this many times the largest one, or 1.
REACH = 8.0


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
        If the arguments do not fit each other, or the linear programme is not solved.

    Examples
    --------
    >>> omega, risk = hinge_minimiser([[1, -1], [1, 3], [30, 0]], [1, 1, 1], [0.5, 0.25, 0.25])
    >>> risk
    0.0
    """
    from scipy.optimize import linprog

    points, labels, table = _checked(x, y, weights, one=True)
    rows = points * labels[:, None]
    n, d = rows.shape
    best = linprog(
        np.concatenate([np.zeros(d), table[0]]),
        A_ub=np.hstack([-rows, -np.eye(n)]), b_ub=-np.ones(n),
        bounds=[(None, None)] * d + [(0, None)] * n, method="highs",
    )
    if best.status != 0:
        raise ValueError(f"the linear programme was not solved: {best.message}")
    return np.asarray(best.x[:d]), float(best.fun)


def piecewise_linear_minimiser(
    x: ArrayLike, y: ArrayLike, weights: ArrayLike, lines: ArrayLike
) -> tuple[Floats, float]:
    r"""A minimiser of $\sum_ip_i\psi(y_i\langle\omega,x_i\rangle)$ for a $\psi$ of straight pieces.

    $\psi(v)=\max_j(a_jv+b_j)$: every convex potential that is piecewise linear. By linear
    programming.

    Parameters
    ----------
    x : array-like, shape (n, d)
    y : array-like, shape (n,)
        Labels -1 and 1.
    weights : array-like, shape (n,)
        At least 0.
    lines : array-like, shape (k, 2)
        Slope $a_j$ and intercept $b_j$ of each piece; the hinge is ``[(-1, 1), (0, 0)]``.

    Returns
    -------
    omega : array, shape (d,)
        One of the minimisers, a vertex.
    risk : float

    Raises
    ------
    ValueError
        If the arguments do not fit each other, or the risk falls without end.

    Examples
    --------
    On the three points of Long and Servedio the hinge loses the first at noise rate 0.15, and a
    potential with slopes -1, -3/10 and 0 none:

    >>> x, y = np.repeat([[1, -1], [1, 3], [30, 0]], 2, axis=0), [1, -1] * 3
    >>> weights = np.outer([0.5, 0.25, 0.25], [0.85, 0.15]).ravel()
    >>> omega, risk = piecewise_linear_minimiser(x, y, weights, [(-1, 1), (0, 0)])
    >>> (90 * omega).round(9).tolist(), round(225 * risk, 9)
    ([3.0, 29.0], 169.0)
    >>> omega, risk = piecewise_linear_minimiser(x, y, weights, [(-1, 18.7), (-0.3, 18), (0, 0)])
    >>> omega.round(9).tolist(), round(risk, 9)
    ([2.0, 1.0], 16.34625)
    """
    from scipy.optimize import linprog

    points, labels, table = _checked(x, y, weights, one=True)
    pieces = checked_finite("lines", lines)
    if pieces.ndim != 2 or pieces.shape[1] != 2 or not len(pieces):
        raise ValueError(f"lines must have shape (k, 2), got {pieces.shape}")
    rows = points * labels[:, None]
    n, d = rows.shape
    best = linprog(
        np.concatenate([np.zeros(d), table[0]]),
        A_ub=np.hstack([np.vstack([slope * rows for slope in pieces[:, 0]]),
                        np.tile(-np.eye(n), (len(pieces), 1))]),
        b_ub=np.repeat(-pieces[:, 1], n), bounds=(None, None), method="highs",
    )
    if best.status != 0:
        raise ValueError(f"lines must give a risk that has a least value: {best.message}")
    return np.asarray(best.x[:d]), float(best.fun)


def potential_minimiser(
    x: ArrayLike, y: ArrayLike, weights: ArrayLike, loss: Loss, *, start: ArrayLike = 0.0,
    steps: int = 200,
) -> Floats:
    r"""A stationary point of $\sum_ip_i\ell(y_i,\langle\omega,x_i\rangle)$, by Newton's method.

    The minimiser where the loss is convex; of another loss a point whose gradient vanishes, which
    depends on ``start``. Weights may have a leading axis: one problem a row, solved together.
    Curvatures are taken in absolute value, and steps halved until the risk does not rise.

    Parameters
    ----------
    x : array-like, shape (n, d)
    y : array-like, shape (n,)
        Labels -1 and 1.
    weights : array-like, shape (n,) or (m, n)
        At least 0.
    loss : Loss
        With a curvature: not linear, hinge, ramp, margin or 0-1, nor one of them corrected.
    start : array-like, shape (d,) or a number
        Where to begin.
    steps : int
        Newton steps at most, at least 1.

    Returns
    -------
    array, shape (d,) or (m, d)

    Raises
    ------
    ValueError
        If an argument is out of its range or does not fit the others, the loss is made of straight
        pieces, or a problem ends at no stationary point: there is none where a linear scorer
        separates the examples of a convex potential, or where the risk falls without end.

    Examples
    --------
    >>> from noisytheory.vocabulary.losses import MarginSquare
    >>> potential_minimiser([[1.0], [1.0]], [1, -1], [0.75, 0.25], MarginSquare()).round(9).tolist()
    [0.5]
    """
    checked_whole("steps", steps)
    clean = checked_loss(loss)
    while isinstance(clean, Corrected):
        clean = clean.loss
    if isinstance(clean, STRAIGHT):
        raise ValueError(f"loss must have a curvature, got {loss.name}: see hinge_minimiser")
    points, labels, table = _checked(x, y, weights)
    begin = checked_finite("start", start)
    if begin.shape not in ((), points.shape[1:]):
        raise ValueError(f"start must have shape {points.shape[1:]}, got {begin.shape}")
    omega = np.array(np.broadcast_to(begin, (len(table), points.shape[1])))
    active = np.arange(len(table))
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for _ in range(steps):
            moved = _newton_step(omega, active, points, labels, table, loss)
            active = active[moved]
            if active.size == 0:
                break
        restless = ~_at_rest(omega, points, labels, table, loss)
    if restless.any():
        row = int(restless.argmax())
        which = f" in row {row} of weights" if np.ndim(weights) == 2 else ""
        raise ValueError(
            f"no stationary point of the {loss.name} risk was reached{which}, at omega = "
            f"{omega[row].tolist()}: there may be none (separable examples, a risk without a "
            "least value), or start or steps must change"
        )
    return omega if np.ndim(weights) == 2 else omega[0]


def _at_rest(
    omega: Floats, points: Floats, labels: Floats, table: Floats, loss: Loss
) -> NDArray[np.bool_]:
    """Whether a Newton step, however flat the risk, moves no score by much, a row a problem."""
    _, gradient, eigenvalues, axes = _expansion(omega, points, labels, table, loss)
    inner = np.einsum("mji,mj->mi", axes, gradient)
    # An axis without points has a gradient of rounding only, and its step moves no score.
    step = np.divide(inner, np.abs(eigenvalues), out=np.zeros_like(inner), where=inner != 0)
    moves = np.abs(np.einsum("mij,mj->mi", axes, step) @ points.T).max(-1)
    largest = np.maximum(1.0, np.abs(omega @ points.T).max(-1))
    return np.asarray(moves <= STILL * largest)


def _expansion(
    omega: Floats, points: Floats, labels: Floats, weights: Floats, loss: Loss
) -> tuple[Floats, Floats, Floats, Floats]:
    """Risk, gradient, and the eigenvalues and axes of the second derivative, a row a problem."""
    scores = omega @ points.T
    value = _risk(omega, points, labels, weights, loss)
    gradient = (weights * loss.derivative(labels, scores)) @ points
    width = 1e-4 * np.maximum(1.0, np.abs(scores))
    ahead, behind = (loss.derivative(labels, scores + sign * width) for sign in (1, -1))
    curvature = weights * (ahead - behind) / (2 * width)
    eigenvalues, axes = np.linalg.eigh(np.einsum("mn,ni,nj->mij", curvature, points, points))
    return value, gradient, eigenvalues, axes


def _newton_step(
    omega: Floats, active: NDArray[np.intp], points: Floats, labels: Floats, table: Floats,
    loss: Loss,
) -> NDArray[np.bool_]:
    """Move the active rows of ``omega`` in place; which of them could be improved."""
    weights, here = table[active], omega[active]
    value, gradient, eigenvalues, axes = _expansion(here, points, labels, weights, loss)
    scale = np.maximum(np.abs(eigenvalues), 1e-10 * np.abs(eigenvalues).max(-1, keepdims=True))
    inner = np.einsum("mji,mj->mi", axes, gradient) / np.maximum(scale, 1e-150)
    step = -np.einsum("mij,mj->mi", axes, inner)
    # Where the risk has no curvature the step would be endless.
    moves = np.abs(step @ points.T).max(-1)
    reach = REACH * np.maximum(1.0, np.abs(here @ points.T).max(-1))
    step *= np.minimum(1.0, reach / np.maximum(moves, 1e-150))[:, None]
    decrease = np.einsum("mi,mi->m", gradient, step)
    moved, left, length = np.zeros(len(active), bool), np.arange(len(active)), 1.0
    # Below rounding nothing is left to gain.
    left = left[-decrease > 1e-16 * np.maximum(1.0, np.abs(value))]
    for _ in range(40):
        trial = here[left] + length * step[left]
        new = _risk(trial, points, labels, weights[left], loss)
        better = (new <= value[left] + 1e-4 * length * decrease[left]) & (new < value[left])
        omega[active[left[better]]] = trial[better]
        moved[left[better]] = True
        left, length = left[~better], length / 2
        if left.size == 0:
            break
    return moved


def _risk(
    omega: Floats, points: Floats, labels: Floats, table: Floats, loss: Loss
) -> Floats:
    return np.asarray(np.sum(table * loss.value(labels, omega @ points.T), axis=1))


def _checked(
    x: ArrayLike, y: ArrayLike, weights: ArrayLike, *, one: bool = False
) -> tuple[Floats, Floats, Floats]:
    """Points, labels and a table of weights, or a ValueError that names what does not fit."""
    points, labels = checked_points(x, "x").astype(np.float64), checked_finite("y", y)
    table = checked_finite("weights", weights)
    if labels.shape != (len(points),) or not np.isin(labels, (-1, 1)).all():
        raise ValueError(f"y must hold {len(points)} labels -1 or 1, got {y!r}")
    if table.ndim not in ((1,) if one else (1, 2)) or table.shape[-1] != len(points):
        raise ValueError(f"weights must have shape ({len(points)},), got {table.shape}")
    if not np.all(table >= 0):
        raise ValueError(f"weights must be finite and at least 0, got {table.min():g}")
    return points, labels, np.atleast_2d(table)
