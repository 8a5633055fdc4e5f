r"""The least diameter of a partition, $D^*(S,m)$: what cells can do at best."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.topics.sparse.approximation import Target, checked_count
from noisytheory.vocabulary.domains import checked_floats
from noisytheory.vocabulary.kernels import Kernel, checked_points

__all__ = ["least_diameter"]

Doubles = NDArray[np.float64]
Mask = NDArray[np.bool_]


def least_diameter(
    kernel: Kernel, points: ArrayLike, m: int, *, alpha: ArrayLike | None = None
) -> float:
    r"""$D^*(S,m)$: the least largest diameter of a partition of the points into ``m`` cells.

    Exact, for small samples: points farther apart than a threshold must be in different cells, and
    whether ``m`` cells suffice is a colouring, tried threshold by threshold between the radius of a
    farthest-first traversal and its diameter. Points in clusters, or on a line, are quick; in
    general the time is exponential in their number, which should stay below some fifty.

    Parameters
    ----------
    kernel : Kernel
    points : array-like, shape (n, d)
    m : int
        Number of cells.
    alpha : array-like, shape (n,), optional
        Weights none of which is zero; their signs are those of the features.

    Returns
    -------
    float
        RKHS norm.

    Raises
    ------
    ValueError
        If ``m`` is not a whole number >= 1, or a weight is zero.

    Examples
    --------
    >>> from noisytheory.vocabulary.kernels import Linear
    >>> least_diameter(Linear(), [[0.0], [2.0], [-1.0], [1.0]], 2)
    1.0
    """
    cells = checked_count("m", m)
    array = checked_points(points, "points")
    weights = np.ones(len(array)) if alpha is None else checked_floats("alpha", alpha)
    if np.any(weights == 0):
        raise ValueError("alpha must not be zero anywhere: leave such points out")
    target = Target(kernel, array, weights)
    gram = target.gram(np.arange(len(target)))
    squares = np.maximum(np.diag(gram)[:, None] + np.diag(gram) - 2 * gram, 0.0)
    squares = np.maximum(squares, squares.T)
    np.fill_diagonal(squares, 0.0)
    radius, diameter = _greedy(squares, cells)
    # Greedy cells have the diameter; one centre more would be as far as the radius from the others.
    values = np.unique(squares[(squares >= radius) & (squares <= diameter)])
    low, high = 0, len(values) - 1
    while low < high:
        middle = (low + high) // 2
        if _suffice(squares > values[middle], cells):
            high = middle
        else:
            low = middle + 1
    return math.sqrt(float(values[high]))


def _greedy(squares: Doubles, m: int) -> tuple[float, float]:
    """Squared radius and diameter of farthest-first cells."""
    nearest, cells = squares[0].copy(), np.zeros(len(squares), dtype=np.int64)
    for cell in range(1, m):
        closer = squares[int(nearest.argmax())] < nearest
        nearest = np.minimum(nearest, squares[int(nearest.argmax())])
        cells[closer] = cell
    return float(nearest.max()), float(squares[cells[:, None] == cells].max())


def _suffice(apart: Mask, m: int) -> bool:
    """Whether ``m`` cells keep all pairs apart that must be: colouring, the most bound first."""
    n = len(apart)
    degrees = apart.sum(axis=1)
    # How many neighbours of a point are in a cell: forbidden where it is not 0.
    met = np.zeros((n, m), dtype=np.int64)
    cells = np.full(n, -1)

    def place(used: int) -> bool:
        free = np.flatnonzero(cells < 0)
        if not free.size:
            return True
        bound = (met[free] > 0).sum(axis=1)
        point = int(free[np.lexsort((-degrees[free], -bound))[0]])
        # All cells that are still empty are alike.
        for cell in range(min(used + 1, m)):
            if not met[point, cell]:
                cells[point] = cell
                met[apart[point], cell] += 1
                if place(max(used, cell + 1)):
                    return True
                met[apart[point], cell] -= 1
                cells[point] = -1
        return False

    return place(0)
