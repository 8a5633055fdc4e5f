"""Claims whose instances are all worked in fractions: the evidence is its own certificate."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import itertools
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np

__all__ = ["also", "around", "lattice", "simplex", "worked"]


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


NOTATION = {
    r"\Phi_i(S)": r"\omega_{i,S}", r"\Phi(P_\sigma)": r"\omega_{P_\sigma}",
    r"\Phi(S)": r"\omega_S", r"\Phi(P)": r"\omega_P", r"\Phi(P_+)": r"\omega_{P_+}",
    r"\Phi(P_-)": r"\omega_{P_-}",
}
"""The later paper's names for means, and the earlier one's."""


def also(claim: Any, paper: Any, name: str, place: str, **told: Any) -> Any:
    """The same claim where the earlier paper makes it, in that paper's notation.

    Parameters
    ----------
    claim : Claim
        As the later paper has it.
    paper : Paper
    name, place : str
        Its name and place in the earlier paper.
    **told
        Fields that this paper words differently.

    Returns
    -------
    Claim
    """
    fields: dict[str, Any] = {
        "statement": claim.statement, "note": claim.note, "hypotheses": claim.hypotheses, **told
    }
    # The later paper numbers its discrepancies otherwise.
    fields["note"] = fields["note"].replace(claim.paper.remark(claim.id), "").rstrip()

    def named(text: str) -> str:
        for later, earlier in NOTATION.items():
            text = text.replace(later, earlier)
        return text

    fields = {
        key: named(value) if isinstance(value, str) else [named(line) for line in value]
        for key, value in fields.items()
    }
    return dataclasses.replace(claim, id=f"{paper.id}/{name}", paper=paper, place=place, **fields)


def _number(side: Any) -> float:
    return float(sum(side) / 2) if isinstance(side, tuple) else float(side)


def lattice(low: int, high: int, step: int) -> list[Fraction]:
    """All multiples of ``1/step`` from ``low`` to ``high``.

    Examples
    --------
    >>> [str(v) for v in lattice(-1, 0, 2)]
    ['-1', '-1/2', '0']
    """
    return [Fraction(k, step) for k in range(low * step, high * step + 1)]


def simplex(parts: int, total: int) -> list[tuple[Fraction, ...]]:
    """All probability vectors of this length whose entries are multiples of ``1/total``.

    Examples
    --------
    >>> len(simplex(4, 5))
    56
    """
    bars = itertools.combinations(range(total + parts - 1), parts - 1)
    return [
        tuple(
            Fraction(b - a - 1, total)
            for a, b in itertools.pairwise((-1, *places, total + parts - 1))
        )
        for places in bars
    ]


def around(value: float) -> tuple[Fraction, Fraction]:
    """A rational interval around a correctly computed float, wider than its rounding."""
    middle = Fraction(value)
    slack = Fraction(1, 10**13) * max(Fraction(1), abs(middle))
    return middle - slack, middle + slack
