"""Labels of examples by what was learned from the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["held_out", "left_out"]

FOLDS = 10
"""Parts, each predicted by what was learned from the rest, unless said otherwise."""


def left_out(labels: NDArray[Any], folds: int) -> Iterator[NDArray[np.bool_]]:
    """Parts to leave out in turn, each class spread evenly over them; none is empty.

    Parameters
    ----------
    labels : array, shape (n,)
    folds : int
        Number of parts, if there are as many examples.

    Yields
    ------
    array of bool, shape (n,)

    Examples
    --------
    >>> [np.flatnonzero(part).tolist() for part in left_out(np.array([3, 7, 3, 7, 3]), 2)]
    [[0, 3, 4], [1, 2]]
    """
    part = np.empty(len(labels), int)
    part[np.argsort(labels, kind="stable")] = np.arange(len(labels)) % folds
    for fold in range(min(folds, len(labels))):
        yield part == fold


def held_out(
    points: Any, labels: NDArray[Any], learn: Callable[[Any, NDArray[Any]], Callable[[Any], Any]],
    *, folds: int = FOLDS,
) -> NDArray[Any]:
    """Cross-validated predictions, each class spread evenly over the parts.

    Parameters
    ----------
    points : array or sparse matrix in rows, shape (n, d)
    labels : array, shape (n,)
    learn : callable
        Examples and labels, of two classes at least, to a function that predicts.
    folds : int
        Number of parts.

    Returns
    -------
    array, shape (n,)

    Examples
    --------
    >>> def nearest(points, labels):
    ...     return lambda others: labels[np.abs(others - points.T).argmin(axis=1)]
    >>> held_out(np.array([[0.0], [0.1], [5.0], [5.1]]), np.array([3, 3, 7, 7]), nearest).tolist()
    [3, 3, 7, 7]
    """
    found = np.empty(len(labels), labels.dtype)
    for held in left_out(labels, folds):
        left = labels[~held]
        one = bool(np.all(left == left[:1]))
        found[held] = left[0] if one else learn(points[~held], left)(points[held])
    return found
