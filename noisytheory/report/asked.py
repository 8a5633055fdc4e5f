"""What bounds that are compared say at a point, and what is true there."""

from __future__ import annotations

import inspect
import math
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from noisytheory.trial.claim import Claim
from noisytheory.trial.draws import ClaimError
from noisytheory.trial.elsewhere import is_ours
from noisytheory.trial.truth import (
    CONFIDENCE,
    LOOKS,
    Truth,
    computable,
    drawn_apart,
    since,
    truth,
)
from noisytheory.vocabulary.inverse import NotMonotone, OutOfReach, solve

__all__ = ["Asked", "parameters", "told"]


@dataclass(frozen=True)
class Asked:
    """On which population, by how many draws from which seed."""

    population: Any
    replicates: int
    seed: int

    def cell(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """With the population, if there is one."""
        given = {} if self.population is None else {"population": self.population}
        return {**given, **values}

    def drawn(self, claim: Claim, given: Mapping[str, Any]) -> list[str]:
        """What the bound reads of the sample."""
        known = computable(claim, self.cell(given))
        return sorted(claim.drawn_names() - {"population"}) if known else []

    def missing(self, claim: Claim, points: Mapping[str, Any]) -> list[str]:
        """What nothing gives."""
        given = {*points, *claim.given, *self.drawn(claim, points)}
        return [
            name for name, needed in parameters(claim).items()
            if needed and name not in given and not hasattr(self.population, name)
            and not (name == "population" and self.population is not None)
        ]

    def needs(self, claim: Claim, points: Mapping[str, Any], common: Collection[str]) -> str:
        """What the bound must know besides the arguments given that all bounds read."""
        drawn = self.drawn(claim, points)
        known = [
            name for name, needed in parameters(claim).items()
            if name not in {*common, *claim.given, *drawn}
            and (needed or name in points or hasattr(self.population, name))
        ]
        assumed = [
            f"{name} = {told(default)}" for name, default in _defaults(claim).items()
            if name not in {*points, *claim.given, *drawn, *known}
        ]
        parts = [name.replace("_", " ") for name in known] + ["the sample"] * bool(drawn)
        return (", ".join(parts) or "nothing") + f" ({', '.join(assumed)})" * bool(assumed)

    def bound(self, claim: Claim, values: Mapping[str, Any]) -> float:
        """The number; of a bound that reads the sample the median."""
        assert claim.bound is not None
        cell, drawn = self.cell(values), {}
        names = self.drawn(claim, values)
        if names:
            drawn = self.draws(claim, names, values)
        with np.errstate(all="ignore"):
            value = claim.call(claim.bound, cell, drawn)
            try:
                found = np.asarray(value)
                if found.dtype.kind in "SU" or found.size > (self.replicates if names else 1):
                    raise TypeError(f"got {found.dtype} of shape {found.shape}")
                return float(np.median(found.astype(float)))
            except (OverflowError, TypeError) as error:
                raise ValueError(f"{claim.id}: the bound must be a number: {error}") from error

    def draws(
        self, claim: Claim, names: Collection[str], values: Mapping[str, Any]
    ) -> dict[str, Any]:
        """What the simulator draws of these names; the level is no part of the cell."""
        cell = {name: value for name, value in self.cell(values).items() if name != "delta"}
        return drawn_apart(claim, cell, names, self.replicates, self.seed)

    def truth(
        self, claim: Claim, values: Mapping[str, Any], *, shared: bool = False
    ) -> Truth | None:
        """Of the left side; with limits that hold of 512 together, or of one."""
        confidence = 1 - (1 - CONFIDENCE) / LOOKS if shared else CONFIDENCE
        try:
            return truth(claim, self.cell(values), replicates=self.replicates, seed=self.seed,
                         confidence=confidence)
        except ClaimError:
            if not is_ours(claim):
                raise
            return None  # Its draws are not defined there.

    def not_vacuous_from(
        self, claim: Claim, along: str, rest: Mapping[str, Any], values: Sequence[Any],
        bounds: Sequence[float],
    ) -> float:
        """From where on the bound says more than is true anyway; NaN where nothing is known.

        Solved for; of a bound that reads the sample its median is drawn at whole numbers up to the
        first of those compared at which it does.
        """
        cell = self.cell(rest)
        try:
            limit = claim.value("trivial", cell) if claim.trivial is not None else None
        except ValueError:
            limit = None  # It changes along the argument.
        if limit is None or claim.bound is None:
            return math.nan
        if self.drawn(claim, {**rest, along: None}):
            first = min((v for v, b in zip(values, bounds, strict=True) if b < limit),
                        default=math.inf)
            if not isinstance(first, int):
                return float(first)

            def says(value: int) -> bool:
                with suppress(ValueError):
                    return value == first or self.bound(claim, {**rest, along: value}) < limit
                return False

            return float(since(says, first))
        if along not in parameters(claim):
            return float(min(values)) if min(bounds) < limit else math.inf
        unknown: dict[str, Any] = {along: ...}
        arguments = claim.arguments(claim.bound, cell, None, **unknown)
        try:
            return float(solve(claim.bound, at_most=np.nextafter(limit, -np.inf), **arguments))
        except OutOfReach:
            rises = bounds[int(np.argmax(values))] > bounds[int(np.argmin(values))]
            return -math.inf if rises else math.inf
        except NotMonotone as turned:
            return turned.crossings[0]


def parameters(claim: Claim) -> dict[str, bool]:
    """Arguments of the bound, and whether each must be given."""
    assert claim.bound is not None
    parameters = inspect.signature(claim.bound).parameters
    return {name: p.default is p.empty for name, p in parameters.items()}


def _defaults(claim: Claim) -> dict[str, Any]:
    """Arguments of the bound that need not be given, and what they are then."""
    assert claim.bound is not None
    parameters = inspect.signature(claim.bound).parameters
    return {name: p.default for name, p in parameters.items() if p.default is not p.empty}


def told(value: Any) -> str:
    """A value as sentences have it: of a float four digits."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
