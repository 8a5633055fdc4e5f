"""All claims on surrogate losses; each idea declares its own."""

from __future__ import annotations

from noisytheory.topics.surrogates.calibration import claims as calibration
from noisytheory.topics.surrogates.definitions import claims as definitions
from noisytheory.topics.surrogates.generalisation import claims as generalisation
from noisytheory.topics.surrogates.long_servedio import claims as long_servedio
from noisytheory.topics.surrogates.orders import claims as orders
from noisytheory.topics.surrogates.printed_table import claims as printed_table
from noisytheory.topics.surrogates.relations import claims as relations
from noisytheory.trial.catalogue import claims_of

everything = [
    claim
    for part in (
        definitions, calibration, relations, generalisation, orders,
        long_servedio, printed_table,
    )
    for claim in claims_of(part)
]
