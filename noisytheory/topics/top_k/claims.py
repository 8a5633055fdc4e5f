"""The average top-k loss on trial."""

from __future__ import annotations

from types import ModuleType

from noisytheory.topics.top_k import (
    claims_aggregate,
    claims_calibration,
    claims_experiments,
    claims_machine,
    claims_population,
)
from noisytheory.trial.claim import Claim


def _of(module: ModuleType) -> list[Claim]:
    """Claims of a module, one by one and in lists."""
    found: list[Claim] = []
    for value in vars(module).values():
        found += [c for c in (value if isinstance(value, list) else [value])
                  if isinstance(c, Claim)]
    return found


aggregate = _of(claims_aggregate)
machine = _of(claims_machine)
calibration = _of(claims_calibration)
population = _of(claims_population)
experiments = _of(claims_experiments)
