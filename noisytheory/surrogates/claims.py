"""All claims on surrogate losses; each idea declares its own."""

from __future__ import annotations

from noisytheory.catalogue import claims_of
from noisytheory.surrogates.calibration import claims as calibration
from noisytheory.surrogates.contamination import claims as contamination
from noisytheory.surrogates.definitions import claims as definitions
from noisytheory.surrogates.generalisation import claims as generalisation
from noisytheory.surrogates.long_servedio import claims as long_servedio
from noisytheory.surrogates.margins import claims as margins
from noisytheory.surrogates.orders import claims as orders
from noisytheory.surrogates.printed_table import claims as printed_table
from noisytheory.surrogates.relations import claims as relations

everything = [
    claim
    for part in (
        definitions, calibration, relations, generalisation, margins, orders, contamination,
        long_servedio, printed_table,
    )
    for claim in claims_of(part)
]
