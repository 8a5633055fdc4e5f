"""All claims on learning from confused labels; each idea declares its own."""

from __future__ import annotations

from noisytheory.topics.multiclass.mistakes import claims as mistakes
from noisytheory.topics.multiclass.setting import claims as setting
from noisytheory.trial.catalogue import claims_of

everything = [
    claim
    for part in (setting, mistakes)
    for claim in claims_of(part)
]
