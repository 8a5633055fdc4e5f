"""How this topic's claims about instances are declared, and words that several share."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from noisytheory.trial.claim import Claim, Law
from noisytheory.trial.sides import both

SHARE: dict[str, Any] = {"low": 0.0, "high": 1.0, "unit": "probability"}
OURS = "geometry, spreads and C are ours: print leaves them out"
EXACT = "hinge loss, exact minimisers"
MONK = "noise-free MONK's problem 3, random halves and quarters"
HALVES = "noise-free MONK's problem 3: a random half trains, the other stands for a quarter of it"
LEVELS = [0.2, 0.05]
SIGN = "the sign of 0 is 1"
ROWS = 256
"""Instances unless a claim says otherwise."""


def about_instances(
    declare: Callable[..., Claim], name: str, function: Any, family: Any, statement: str,
    place: str, *, grid: Mapping[str, Any] | None = None, given: Mapping[str, Any] | None = None,
    broken: Mapping[str, Any] | None = None, why: str = "", **fields: Any,
) -> Claim:
    """A claim about instances; its twin has other constants, or other fields, and says why."""
    constants = dict(given or {})
    sides = both(function, family, fields.pop("bound", None))
    changed = dict(broken or {})
    twin = None
    if changed:
        own = {key: value for key, value in changed.items() if key in constants}
        rest = {key: value for key, value in changed.items() if key not in constants}
        twin = {**rest, **({"given": {**constants, **own}} if own else {}), "why": why}
    return declare(
        name, statement=statement, place=place, **sides, grid=dict(grid or {}),
        given=constants, twin=fields.pop("twin", twin), **{"rows": ROWS, **fields},
    )


def quantile(law: Callable[..., Law]) -> dict[str, Any]:
    r"""Fields of a claim on the exact $(1-\delta)$-quantile: a bound that it attains is sharp."""

    def exact(population: Any, n: int, delta: float) -> Law:
        return Law([law(population, n).beyond(delta)], [1.0])

    return {"exact": exact, "low": 0.0, "high": 1.0}


def constant(value: float) -> Callable[[], float]:
    """A right side that reads nothing, for one claim of several that are declared together."""
    return lambda: value


def minus(function: Any) -> Any:
    """The same with its sign turned: a lower bound of a mean is an upper bound of its negative."""

    @functools.wraps(function)
    def turned(*args: Any, **kwargs: Any) -> Any:
        return -function(*args, **kwargs)

    return turned
