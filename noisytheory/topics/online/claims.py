"""Online learning of noisy data with kernels on trial: every claim of the paper."""

from __future__ import annotations

from noisytheory.topics.online import (
    claims_copies,
    claims_losses,
    claims_maps,
    claims_queries,
    claims_regret,
    claims_scalar,
)
from noisytheory.trial.catalogue import claims_of

everything = [
    claim
    for part in (
        claims_scalar, claims_maps, claims_losses, claims_queries, claims_regret, claims_copies,
    )
    for claim in claims_of(part)
]
