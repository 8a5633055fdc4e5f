"""How this topic's claims about instances are declared: one line a constant, one a twin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from noisytheory.papers import TOP_K
from noisytheory.trial.claim import Claim
from noisytheory.trial.sides import both

__all__ = ["told"]

ROWS = 256


def told(
    kind: str, name: str, function: Any, family: Any, statement: str, place: str, *,
    grid: Mapping[str, Any] | None = None, given: Mapping[str, Any] | None = None,
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
    return getattr(TOP_K, kind)(  # type: ignore[no-any-return]
        name, statement=statement, place=place, **sides, grid=dict(grid or {}),
        given=constants, twin=fields.pop("twin", twin), **{"rows": ROWS, **fields},
    )
