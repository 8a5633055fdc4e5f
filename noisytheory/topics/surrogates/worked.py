"""Claims whose instances are all worked in fractions: the evidence is its own certificate."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

__all__ = ["worked"]


def worked(cases: Callable[..., Iterable[Any]]) -> dict[str, Any]:
    """Turn a generator of worked instances into the fields ``exact`` and ``certify`` of a claim.

    Parameters
    ----------
    cases : callable
        Parameters of a cell to an iterable of `Certificate`, always in the same order.

    Returns
    -------
    dict
        ``exact`` lists both sides of every instance, ``certify`` works one of them again.
    """
    parameters = list(inspect.signature(cases).parameters.values())
    case = inspect.Parameter("case", inspect.Parameter.POSITIONAL_OR_KEYWORD)

    def exact(**given: Any) -> dict[str, Any]:
        return _listed(cases, tuple(given.items()))

    def certify(case: int, **given: Any) -> Any:
        return next(itertools.islice(cases(**given), int(case), None))

    exact.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    certify.__signature__ = inspect.Signature([case, *parameters])  # type: ignore[attr-defined]
    return {"exact": exact, "certify": certify}


@functools.lru_cache(maxsize=64)
def _listed(
    cases: Callable[..., Iterable[Any]], given: tuple[tuple[str, Any], ...]
) -> dict[str, Any]:
    """Both sides of every instance; kept, because both papers make many of these claims."""
    found = list(cases(**dict(given)))
    return {
        "lhs": np.array([_number(one.lhs) for one in found]),
        "rhs": np.array([_number(one.rhs) for one in found]),
        "case": np.arange(len(found)),
    }


def _number(side: Any) -> float:
    return float(sum(side) / 2) if isinstance(side, tuple) else float(side)
