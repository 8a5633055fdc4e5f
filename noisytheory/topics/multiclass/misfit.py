"""What noisy labels say of the true classes' shares, and whether a confusion can be theirs."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.vocabulary.confusion import Orientation, columns
from noisytheory.vocabulary.domains import COUNT, POSITIVE, checked_floats

__all__ = ["audit_misfit", "label_misfit", "likely_shares"]

Floats = NDArray[np.float64]

STEPS, ENOUGH = 10_000, 1e-12
"""Steps of a climb at most, and a change of shares at which it ends."""


def likely_shares(
    counts: ArrayLike, confusion: ArrayLike, orientation: Orientation | None = None, *,
    audited: float = math.inf,
) -> Floats:
    r"""Shares of the true classes of which none is 0: most likely, with one more example of each.

    The unbiased estimate $B\hat y/n$ of `nt.multiclass.class_shares` may be negative; and where the
    confusion was estimated its errors are those of the classifier that learned from it: where a
    class is mostly missed its share comes out too small, too. This one maximises
    $m\sum_y\frac{n_y}n\ln(C\pi)_y+\sum_q\ln\pi_q$ over all shares, where $1/m=1/n+1/\text{audited}$
    is how well the confusion is known: labels beyond the size of the audit tell little more.

    Parameters
    ----------
    counts : array-like, shape (Q,)
        Of the noisy labels.
    confusion : array-like, shape (Q, Q)
        True classes in columns, or as `orientation` says.
    orientation : {"column", "row"}, optional
        As for `nt.confusion.columns`.
    audited : float
        Number of examples that the confusion was estimated from; infinite if it is known.

    Returns
    -------
    array, shape (Q,)
        Positive, of sum 1.

    Examples
    --------
    >>> likely_shares([90, 10], [[0.8, 0.2], [0.2, 0.8]]).round(3).tolist()
    [0.976, 0.024]
    >>> likely_shares([90, 10], [[0.8, 0.2], [0.2, 0.8]], audited=10).round(3).tolist()
    [0.841, 0.159]
    """
    if audited != math.inf:
        POSITIVE.check("audited", audited)
    seen, matrix = _checked(counts, confusion, orientation)
    size = 1 / (1 / seen.sum() + 1 / audited)
    return _climb(seen * size / seen.sum(), matrix, 1.0)


def _climb(seen: Floats, matrix: Floats, more: float) -> Floats:
    """Shares that make these counts most likely, with that many more examples of each class."""
    shares = np.full(len(seen), 1 / len(seen))
    for _ in range(STEPS):
        mixed = matrix @ shares
        ratio = np.divide(seen, mixed, out=np.zeros_like(seen), where=mixed > 0)
        new = shares * (matrix.T @ ratio) + more
        new /= new.sum()
        if np.abs(new - shares).max() <= ENOUGH:
            return np.asarray(new)
        shares = new
    return shares


def label_misfit(
    counts: ArrayLike, confusion: ArrayLike, orientation: Orientation | None = None
) -> float:
    r"""How likely labels so far from every mixture of the confusion's columns are, if it holds.

    $\Pr[\chi^2_{Q-1}\ge\min_{\pi\ge0}\sum_y(n_y-n(C\pi)_y)^2/n_y]$: small values say that the
    confusion is not that of these labels. Large ones say nothing: most wrong confusions have a
    mixture that fits.

    Parameters
    ----------
    counts : array-like, shape (Q,)
        Of the noisy labels.
    confusion : array-like, shape (Q, Q)
        True classes in columns, or as `orientation` says; known and not estimated.
    orientation : {"column", "row"}, optional
        As for `nt.confusion.columns`.

    Returns
    -------
    float
        At most that, but for the normal approximation; 1 where some shares explain the labels.

    Examples
    --------
    >>> noise = [[0.8, 0.2], [0.2, 0.8]]
    >>> label_misfit([70, 30], noise), round(label_misfit([90, 10], noise), 4)
    (1.0, 0.0016)
    """
    from scipy.optimize import nnls
    from scipy.stats import chi2

    seen, matrix = _checked(counts, confusion, orientation)
    spread = np.sqrt(np.maximum(seen, 1.0))
    _, apart = nnls(matrix / spread[:, None], seen / spread)
    return float(chi2.sf(apart**2, len(seen) - 1)) if apart**2 > 1e-9 else 1.0


def audit_misfit(
    counts: ArrayLike, confusion: ArrayLike, orientation: Orientation | None = None, *,
    size: int = 4999, rng: np.random.Generator,
) -> float:
    """How likely an audit so far from a confusion is, if that holds.

    Parameters
    ----------
    counts : array-like of int, shape (Q, Q)
        Audited pairs, noisy labels in rows, true classes in columns; some may be missing.
    confusion : array-like, shape (Q, Q)
        What is said of them, true classes in columns, or as `orientation` says.
    orientation : {"column", "row"}, optional
        As for `nt.confusion.columns`.
    size : int
        Audits of the same sizes to draw from it.
    rng : Generator

    Returns
    -------
    float
        Share of the audits drawn, and this one, whose likelihood ratio is as large: a level of 1%
        errs in at most 1 of 100.

    Examples
    --------
    >>> audit = [[40, 20], [10, 30]]
    >>> rng = np.random.default_rng(1)
    >>> audit_misfit(audit, [[0.8, 0.4], [0.2, 0.6]], rng=rng)
    1.0
    >>> round(audit_misfit(audit, [[0.8, 0.2], [0.2, 0.8]], rng=rng), 2)
    0.01
    """
    COUNT.check("size", size)
    pairs = checked_floats("counts", counts)
    if pairs.ndim != 2 or not np.isfinite(pairs).all() or (pairs < 0).any() or (pairs % 1).any():
        raise ValueError("counts must be a matrix of whole numbers >= 0")
    audited, matrix = _checked(pairs.sum(axis=0), confusion, orientation)

    def ratio(held: Floats) -> Floats:
        """Log of the likelihood over that of the confusion; infinite where that forbids a label."""
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = held * np.log(held / (audited * matrix))
        return np.asarray(np.where(held > 0, terms, 0.0).sum(axis=(-2, -1)))

    drawn = np.stack([rng.multinomial(n, column / column.sum(), size=size)
                      for n, column in zip(audited.astype(int), matrix.T, strict=True)], axis=-1)
    found = float(ratio(pairs))
    # As large but for rounding is as large, and a ratio is never below 0.
    return float(1 + np.sum(ratio(drawn.astype(float)) >= found - 1e-9)) / (size + 1)


def _checked(
    counts: ArrayLike, confusion: ArrayLike, orientation: Orientation | None
) -> tuple[Floats, Floats]:
    """Counts of labels, and a column-stochastic matrix of as many classes."""
    seen = checked_floats("counts", counts)
    matrix = np.asarray(columns(confusion, orientation), dtype=np.float64)
    if seen.shape != matrix.shape[:1]:
        raise ValueError(
            f"counts must be one a class, {len(matrix)} of them, got shape {seen.shape}"
        )
    if not (np.isfinite(seen).all() and seen.min() >= 0 and seen.sum() > 0):
        raise ValueError("counts must be finite and >= 0, and not all 0")
    return seen, matrix
