"""The algorithms by name, and what a call of one must bring."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from noisytheory.topics.sparse.approximation import Approximation
from noisytheory.topics.sparse.herding import away_steps, herding, recursive_herding
from noisytheory.topics.sparse.parallel import map_reduce
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

__all__ = ["ALGORITHMS", "TO_TOLERANCE", "check_options", "find_algorithm"]

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
