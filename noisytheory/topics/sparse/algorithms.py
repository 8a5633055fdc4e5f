r"""The algorithms by name, what a call of one must bring, and the one that calls others.

That one maps and reduces: it approximates the parts, then the union of what was found (Section
5.4). It finds the others by their names, and has one.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from noisytheory.topics.sparse.approximation import Approximation, Target, checked_count
from noisytheory.topics.sparse.herding import away_steps, herding, recursive_herding
from noisytheory.topics.sparse.projection import (
    convex_projection,
    fully_corrective,
    nearest_centre,
    projection,
)
from noisytheory.topics.sparse.sampling import (
    clustered,
    clustered_to_tolerance,
    with_replacement,
    without_replacement,
)
from noisytheory.vocabulary.kernels import Kernel

__all__ = ["ALGORITHMS", "TO_TOLERANCE", "check_options", "find_algorithm", "map_reduce"]

Algorithm = Callable[..., Approximation]


def find_algorithm(method: str | Algorithm, options: Mapping[str, Any]) -> Algorithm:
    """An algorithm that takes a number of atoms, by name or as it is.

    Parameters
    ----------
    method : str or callable
        A name in `ALGORITHMS`, or a callable ``(kernel, points, alpha, k, **options)``.
    options : mapping
        What it will be called with beside those four.

    Returns
    -------
    callable

    Raises
    ------
    ValueError
        On another name, naming the tolerance's call where it is one of `TO_TOLERANCE`; or if an
        option is missing or unknown.

    Examples
    --------
    >>> find_algorithm("clustered", {})
    Traceback (most recent call last):
    ...
    ValueError: clustered needs rng=
    """
    known = {**ALGORITHMS, **TO_TOLERANCE}
    found = known.get(method) if isinstance(method, str) else method
    if not callable(found):
        raise ValueError(
            f"method must be callable or one of {', '.join(ALGORITHMS)}, got {method!r}"
        )
    if found in TO_TOLERANCE.values():
        raise ValueError(
            f"method {found.__name__} takes a tolerance, not a number of atoms: leave k out and "
            "give tolerance="
        )
    check_options(found, options)
    return found


def check_options(algorithm: Algorithm, options: Mapping[str, Any], given: int = 4) -> None:
    """Whether an algorithm can be called with ``given`` arguments and these options.

    Parameters
    ----------
    algorithm : callable
    options : mapping
    given : int
        How many arguments go by position.

    Raises
    ------
    ValueError
        Naming the options that are missing, or one that is unknown.
    """
    name = getattr(algorithm, "__name__", repr(algorithm))
    try:
        parameters = list(inspect.signature(algorithm).parameters.values())
    except ValueError:
        return  # Of compiled code nothing is known.
    rest = parameters[given:]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return
    named = [p for p in rest if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)]
    missing = [p.name for p in named if p.default is p.empty and p.name not in options]
    if missing:
        raise ValueError(f"{name} needs {', '.join(f'{one}=' for one in missing)}")
    anything = any(p.kind is p.VAR_KEYWORD for p in rest)
    unknown = sorted(set(options) - {p.name for p in named})
    if unknown and not anything:
        takes = ", ".join(p.name for p in named) or "none"
        raise ValueError(f"{name} takes the options {takes}; got {unknown[0]!r}")


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


ALGORITHMS: dict[str, Algorithm] = {
    algorithm.__name__: algorithm
    for algorithm in (
        away_steps, clustered, convex_projection, fully_corrective, herding,
        map_reduce, nearest_centre, projection, with_replacement, without_replacement,
    )
}
"""By name, all that take ``(kernel, points, alpha, k, ...)`` and give an `Approximation`.

At most ``k`` atoms are used; by ``clustered``, and by `map_reduce` that uses it or leaves out its
second round, more: their docstrings say how many.
"""

TO_TOLERANCE: dict[str, Algorithm] = {
    algorithm.__name__: algorithm for algorithm in (clustered_to_tolerance, recursive_herding)
}
"""By name, those that take ``(kernel, points, alpha, tolerance, ...)``, and any number of atoms."""
