"""All claims on label noise and contamination; each idea declares its own."""

from __future__ import annotations

from noisytheory.topics.label_noise.classes import claims as classes
from noisytheory.topics.label_noise.contamination import claims as contamination
from noisytheory.topics.label_noise.margins import claims as margins
from noisytheory.topics.label_noise.noise import claims as noise
from noisytheory.topics.label_noise.regret import claims as regret
from noisytheory.topics.label_noise.tradeoff import claims as tradeoff
from noisytheory.trial.catalogue import claims_of

everything = [
    claim for part in (regret, margins, contamination, noise, classes, tradeoff)
    for claim in claims_of(part)
]
