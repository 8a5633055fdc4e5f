r"""Map and reduce: approximate the parts, then the union of what was found (Section 5.4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from noisytheory.kernels import Kernel
from noisytheory.sparse.approximation import Approximation, Target, checked_count

__all__ = ["map_reduce"]


def map_reduce(
    method: Callable[..., Approximation],
    kernel: Kernel,
    points: ArrayLike,
    alpha: ArrayLike,
    k: int,
    *,
    parts: int,
    second_round: bool = True,
    **options: Any,
) -> Approximation:
    r"""Approximate each of ``parts`` parts with ``k``; then, if asked, their union with ``k``.

    If every part is approximated to $\epsilon$ of its mass, the union is (Lemma 22). Points go to
    the parts in turns; a point counts once wherever it stands, so that equal points in different
    parts stay different atoms.

    Parameters
    ----------
    method : callable
        ``method(kernel, points, alpha, k, **options)``, such as `herding` or `clustered`.
    kernel : Kernel
    points : array-like, shape (n, d)
    alpha : array-like, shape (n,)
        Target weights, of any sign.
    k : int
        What each part, and the union, is approximated with.
    parts : int
        Number of parts, at most the number of points of non-zero weight.
    second_round : bool
        Whether the union is approximated again.
    **options
        Handed to ``method``.

    Returns
    -------
    Approximation
        Errors of the union and, if there is one, of the second round.

    Examples
    --------
    >>> from noisytheory.kernels import Linear
    >>> from noisytheory.sparse.herding import herding
    >>> line, equal = [[1.0], [1.0], [0.0], [0.0]], [0.25] * 4
    >>> one = map_reduce(herding, Linear(), line, equal, 2, parts=2, second_round=False)
    >>> two = map_reduce(herding, Linear(), line, equal, 2, parts=2)
    >>> len(one.indices), len(two.indices), two.error
    (4, 2, 0.0)
    """
    target = Target(kernel, points, alpha)
    checked_count("parts", parts, len(target))
    everything, weights = np.asarray(points), np.asarray(alpha, dtype=np.float64)
    union = np.zeros(len(everything))
    for part in range(parts):
        members = target.kept[part::parts]
        found = method(kernel, everything[members], weights[members], k, **options)
        union[members[found.indices]] += found.weights
    errors = [_distance(target, union)]
    if second_round:
        members = np.flatnonzero(union)
        found = method(kernel, everything[members], union[members], k, **options)
        union = np.zeros(len(everything))
        union[members[found.indices]] = found.weights
        errors.append(_distance(target, union))
    where = np.flatnonzero(union[target.kept])
    shares = union[target.kept[where]] * target.signs[where] / target.total
    return target.approximation(where, shares, errors)


def _distance(target: Target, weights: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    where = np.flatnonzero(weights[target.kept])
    shares = weights[target.kept[where]] * target.signs[where] / target.total
    return target.distance(where, shares)
