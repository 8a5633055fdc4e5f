"""Instances of claims that were worked by hand: what a certificate has to say of them."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import noisytheory as nt
from noisytheory.trial.claim import Certificate, Claim


@dataclass(frozen=True)
class Worked:
    """An instance and both its sides; numbers are whole or texts such as "9/10".

    Parameters
    ----------
    name : str
        The claim's.
    instance : dict
        What a draw would give; a place in a list is a NumPy integer. What the claim does not look
        at may be left out.
    lhs, rhs : number, text or pair of them
    applies : bool
    cell : dict
        Parameters of the grid, where they are not those of the first cell.
    """

    name: str
    instance: dict[str, Any]
    lhs: Any
    rhs: Any
    applies: bool = True
    cell: dict[str, Any] = field(default_factory=dict)

    def sides(self, claim: Claim) -> tuple[Any, Any, bool]:
        """What a claim's certificate says of the instance."""
        found = certificate(claim, self.instance, self.cell)
        return found.lhs, found.rhs, found.applies

    @property
    def wanted(self) -> tuple[Any, Any, bool]:
        """What was worked out by hand."""
        return _number(self.lhs), _number(self.rhs), self.applies


def exactly(values: Any) -> Any:
    """Numbers and texts such as "9/10" as fractions, in an array; NumPy's integers as they are."""
    if isinstance(values, np.integer):
        return values
    array = np.array(values, dtype=object)
    out = np.empty(array.shape, dtype=object)
    out.ravel()[:] = [Fraction(v) for v in array.ravel()]
    return out[()]


def certificate(
    claim: Claim, instance: dict[str, Any], cell: dict[str, Any] | None = None
) -> Certificate:
    """The certificate of an instance; parts of it that are not named are 0."""
    parameters = {**claim.cell(0), **claim.given, **(cell or {})}
    needed = inspect.signature(claim.certify).parameters.values()
    drawn = {p.name: Fraction(0) for p in needed if p.default is inspect.Parameter.empty}
    drawn |= {name: exactly(value) for name, value in instance.items()}
    return claim.call(claim.certify, parameters, drawn)


def by_hand(paper: str, instances: list[Worked]) -> Any:
    """A test of each of them; and that of each claim one is no instance of its broken twin."""
    twins = list(dict.fromkeys(case.name for case in instances))

    @pytest.mark.parametrize("case", [*instances, *twins], ids=lambda case: getattr(
        case, "name", f"{case}, not its twin"))
    def test(case: Worked | str) -> None:
        if isinstance(case, Worked):
            assert case.sides(nt.claims[f"{paper}/{case.name}"]) == case.wanted
        elif (claim := nt.claims[f"{paper}/{case}"]).twin:
            broken = claim.broken()
            assert any(one.sides(broken) != one.wanted for one in instances if one.name == case)

    return test


def _number(side: Any) -> Any:
    return tuple(map(Fraction, side)) if isinstance(side, tuple) else Fraction(side)
