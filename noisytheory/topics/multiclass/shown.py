"""Claims on worked instances whose bound may be a public function of what the instances have."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.trial.claim import Certificate

__all__ = ["near", "shown"]

ROUNDING = Fraction(1, 10**12)


def near(value: float) -> tuple[Fraction, Fraction]:
    """An interval around a float that was computed by a few operations on correct ones."""
    exact = Fraction(value)
    return exact * (1 - ROUNDING), exact * (1 + ROUNDING)


def shown(cases: Callable[..., Iterable[Certificate]], *names: str) -> dict[str, Any]:
    """Fields ``exact`` and ``certify`` of a claim whose instances are worked in fractions.

    Parameters
    ----------
    cases : callable
        Parameters of a cell to certificates, always in the same order.
    *names : str
        Steps that the claim's bound reads: then the bound is the right side, and the certificate
        has it in fractions. Without names the certificate's right side is the claim's.

    Returns
    -------
    dict
    """
    parameters = list(inspect.signature(cases).parameters.values())
    case = inspect.Parameter("case", inspect.Parameter.POSITIONAL_OR_KEYWORD)

    def exact(**given: Any) -> dict[str, NDArray[Any]]:
        found = _found(cases, tuple(given.items()))
        sides = {
            "lhs": np.array([_number(one.lhs) for one in found]),
            "applies": np.array([one.applies for one in found]),
            "case": np.arange(len(found)),
        }
        if not names:
            sides["rhs"] = np.array([_number(one.rhs) for one in found])
        for name in names:
            sides[name] = np.array([_number(dict(one.steps)[name]) for one in found])
        return sides

    def certify(case: int, **given: Any) -> Certificate:
        return _found(cases, tuple(given.items()))[int(case)]

    exact.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    certify.__signature__ = inspect.Signature([case, *parameters])  # type: ignore[attr-defined]
    return {"exact": exact, "certify": certify}


@functools.lru_cache(maxsize=64)
def _found(
    cases: Callable[..., Iterable[Certificate]], given: tuple[tuple[str, Any], ...]
) -> list[Certificate]:
    return list(cases(**dict(given)))


def _number(side: Any) -> float:
    return float((side[0] + side[1]) / 2) if isinstance(side, tuple) else float(side)
