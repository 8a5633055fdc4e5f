"""A linear model's data as the solvers see them: scores, their adjoint, weighted Gram matrices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dpotrf, dpotrs

__all__ = ["Design", "mean_square", "solver"]

Floats = NDArray[np.float64]

BLOCK = 1 << 15
"""Entries of a row block: 256 KiB of doubles, so that it stays in the cache."""


@dataclass(frozen=True, eq=False)
class Design:
    r"""Rows $z_i$ of a linear programme's pieces $c_i-z_i^\top w$, without a copy of the data.

    Parameters
    ----------
    rows : array, shape (..., n, d), or sparse matrix
        $X$.
    signs : array, shape (..., n), or None
        $z_i=\sigma_ix_i$; None for ones.
    doubled : bool
        Whether every row comes twice, $x_i$ and $-x_i$: the two pieces of an absolute value.
    free : bool
        Whether a last coefficient is added to every score, that of an intercept.
    """

    rows: Any
    signs: Floats | None = None
    doubled: bool = False
    free: bool = False

    @property
    def width(self) -> int:
        """Number of coefficients."""
        return int(self.rows.shape[-1]) + self.free

    @property
    def lead(self) -> tuple[int, ...]:
        """Shape of a batch of problems; empty for one."""
        return tuple(self.rows.shape[:-2])

    def scores(self, w: Floats) -> Floats:
        """$x_i^\\top w$ and the intercept, shape (..., n)."""
        plain = w[..., :-1] if self.free else w
        found = self.rows @ plain if self.rows.ndim == 2 else (self.rows @ plain[..., None])[..., 0]
        return np.asarray(found + w[..., -1:] if self.free else found)

    def forward(self, w: Floats) -> Floats:
        """$z_i^\\top w$, one entry a piece."""
        return self.signed(self.scores(w))

    def signed(self, scores: Floats) -> Floats:
        """Scores of rows as those of pieces."""
        found = scores if self.signs is None else self.signs * scores
        return np.concatenate([found, -found], axis=-1) if self.doubled else found

    def folded(self, v: Floats) -> Floats:
        """Weights of pieces as signed weights of rows."""
        if self.doubled:
            n = v.shape[-1] // 2
            v = v[..., :n] - v[..., n:]
        return v if self.signs is None else np.asarray(self.signs * v)

    def adjoint(self, v: Floats) -> Floats:
        r"""$\sum_iv_iz_i$."""
        u = self.folded(v)
        return self.combine(u)

    def combine(self, u: Floats) -> Floats:
        r"""$\sum_iu_ix_i$, and the sum of $u$ for an intercept."""
        found = ((self.rows.T @ u if u.ndim == 1 else u @ self.rows) if self.rows.ndim == 2
                 else (np.swapaxes(self.rows, -1, -2) @ u[..., None])[..., 0])
        if self.free:
            found = np.concatenate([found, u.sum(-1, keepdims=True)], axis=-1)
        return np.asarray(found)

    def gram(self, v: Floats) -> Floats:
        r"""$\sum_iv_iz_iz_i^\top$ for $v\ge0$."""
        if self.doubled:
            n = v.shape[-1] // 2
            v = v[..., :n] + v[..., n:]
        if self.rows.ndim == 2:
            inner = _weighted_gram(self.rows, v)
        else:
            inner = np.swapaxes(self.rows * v[..., None], -1, -2) @ self.rows
        if not self.free:
            return inner
        edge = (self.rows.T @ v if self.rows.ndim == 2
                else (np.swapaxes(self.rows, -1, -2) @ v[..., None])[..., 0])
        out = np.empty((*inner.shape[:-2], self.width, self.width))
        out[..., :-1, :-1] = inner
        out[..., -1, :-1] = out[..., :-1, -1] = edge
        out[..., -1, -1] = v.sum(-1)
        return out

    def take(self, index: NDArray[Any]) -> Design:
        """Some of the rows."""
        signs = None if self.signs is None else self.signs[index]
        return Design(self.rows[index], signs, self.doubled, self.free)


def _weighted_gram(rows: Any, v: Floats) -> Floats:
    """By blocks of rows; rows without weight cost nothing."""
    if sparse.issparse(rows):
        return np.asarray((rows.T @ rows.multiply(v[:, None])).toarray())
    n, d = rows.shape
    if rows.size <= BLOCK:
        block = _scaled(rows, v)
        return np.asarray(block.T @ block)
    used = np.flatnonzero(v > 0)
    everything = used.size == n
    step = max(64, BLOCK // max(d, 1))
    out = np.zeros((d, d), order="F")
    for start in range(0, used.size, step):
        part: Any = slice(start, start + step) if everything else used[start: start + step]
        block = _scaled(rows[part], v[part])
        out = dsyrk(1.0, block.T, beta=1.0, c=out, overwrite_c=1, lower=1)
    out += out.T
    out[np.diag_indices_from(out)] /= 2
    return np.asarray(out)


def _scaled(rows: Floats, v: Floats) -> Floats:
    """Rows times the roots of their weights: einsum takes no buffer, which a product does."""
    return np.asarray(np.einsum("ij,i->ij", rows, np.sqrt(v)))


def mean_square(rows: Any, masses: Floats) -> float:
    """Mean square of the rows' lengths, without a copy of dense ones.

    Parameters
    ----------
    rows : array, shape (n, d), or sparse matrix
    masses : array, shape (n,)
        Of sum 1.

    Returns
    -------
    float

    Examples
    --------
    >>> mean_square(np.array([[3.0, 4.0], [0.0, 1.0]]), np.array([0.5, 0.5]))
    13.0
    """
    if sparse.issparse(rows):
        return float(masses @ np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    return float(np.einsum("ij,ij->i", rows, rows) @ masses)


def solver(matrix: Floats) -> Callable[[Floats], Floats]:
    """Solutions of a positive definite system whose diagonal is scaled to one.

    By a Cholesky factor of the matrix or of one a little larger; of a batch by LU.

    Parameters
    ----------
    matrix : array, shape (..., d, d)

    Returns
    -------
    callable
        Right sides, shape (..., d), to solutions.

    Examples
    --------
    >>> solver(np.diag([2.0, 4.0]))(np.ones(2)).round(12).tolist()
    [0.5, 0.25]
    """
    diagonal = np.diagonal(matrix, axis1=-2, axis2=-1)
    # A free intercept may have no curvature at all.
    least = 1e-30 * diagonal.max(axis=-1, keepdims=True, initial=1e-200)
    root = np.sqrt(np.maximum(diagonal, least))
    scaled = matrix / (root[..., :, None] * root[..., None, :])
    if matrix.ndim > 2:
        scaled += 1e-15 * np.eye(scaled.shape[-1])
        return lambda right: np.linalg.solve(scaled, (right / root)[..., None])[..., 0] / root
    for shift in (0.0, 1e-14, 1e-11, 1e-8, 1e-4):
        # LAPACK itself: of a few coefficients SciPy's checks take longer than the factor.
        factor, failed = dpotrf(
            scaled + shift * np.eye(len(scaled)) if shift else scaled, lower=1)
        if not failed:
            return lambda right: np.asarray(dpotrs(factor, right / root, lower=1)[0] / root)
    return lambda right: np.asarray(right / root**2)
