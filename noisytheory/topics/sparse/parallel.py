r"""Map and reduce: approximate the parts, then the union of what was found (Section 5.4)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from noisytheory.topics.sparse.approximation import Approximation, Target, checked_count
from noisytheory.topics.sparse.herding import herding
from noisytheory.vocabulary.kernels import Kernel

__all__ = ["map_reduce"]


def map_reduce(
    kernel: Kernel,
    points: ArrayLike,
    alpha: ArrayLike,
    k: int,
    *,
    parts: int,
    method: str | Callable[..., Approximation] = herding,
    second_round: bool = True,
    **options: Any,
) -> Approximation:
    r"""Approximate each of ``parts`` parts with ``k``; then, if asked, their union with ``k``.

    If every part is approximated to $\epsilon$ of its mass, the union is (Lemma 22). Points go to
    the parts in turns; a point counts once wherever it stands, so that equal points in different
    parts stay different atoms.

    Parameters
    ----------
    kernel : Kernel
    points : array-like, shape (n, d)
    alpha : array-like, shape (n,)
        Target weights, of any sign.
    k : int
        What each part, and the union, is approximated with.
    parts : int
        Number of parts, at most the number of points of non-zero weight.
    method : str or callable
        ``method(kernel, points, alpha, k, **options)``, such as `herding`, or one of the names in
        ``ALGORITHMS``.
    second_round : bool
        Whether the union is approximated again.
    **options
        Handed to ``method``.

    Returns
    -------
    Approximation
        Errors of the union and, if there is one, of the second round.

    Raises
    ------
    ValueError
        If ``method`` is neither callable nor one of the names, or lacks an option, or ``parts`` is
        not a whole number of that size.

    Examples
    --------
    >>> from noisytheory.vocabulary.kernels import Linear
    >>> line, equal = [[1.0], [1.0], [0.0], [0.0]], [0.25] * 4
    >>> one = map_reduce(Linear(), line, equal, 2, parts=2, second_round=False)
    >>> two = map_reduce(Linear(), line, equal, 2, parts=2)
    >>> len(one.indices), len(two.indices), two.error
    (4, 2, 0.0)
    """
    # The table of names holds this function, too.
    from noisytheory.topics.sparse.algorithms import find_algorithm

    method = find_algorithm(method, options)
    target = Target(kernel, points, alpha)
    checked_count("parts", parts, len(target))
    everything, weights = np.asarray(points), np.asarray(alpha, dtype=np.float64)
    union = np.zeros(len(everything))
    for part in range(parts):
        members = target.kept[part::parts]
        found = method(kernel, everything[members], weights[members], k, **options)
        union[members[found.indices]] += found.weights
    rounds = [_within(target, union)]
    if second_round:
        members = np.flatnonzero(union)
        found = method(kernel, everything[members], union[members], k, **options)
        union = np.zeros(len(everything))
        union[members[found.indices]] = found.weights
        rounds.append(_within(target, union))
    last = target.approximation(*rounds[-1])
    return dataclasses.replace(last, measure=lambda: [target.distance(*one) for one in rounds])


def _within(target: Target, weights: np.ndarray[Any, np.dtype[np.float64]]) -> tuple[Any, Any]:
    """Positions and shares, as the target counts them, of weights of all points given."""
    where = np.flatnonzero(weights[target.kept])
    return where, weights[target.kept[where]] * target.signs[where] / target.total
