"""All claims on learning from confused labels; each idea declares its own."""

from __future__ import annotations

from noisytheory.topics.multiclass.convergence import claims as convergence
from noisytheory.topics.multiclass.experiments import claims as experiments
from noisytheory.topics.multiclass.mistakes import claims as mistakes
from noisytheory.topics.multiclass.setting import claims as setting
from noisytheory.topics.multiclass.updates import claims as updates
from noisytheory.trial.catalogue import claims_of

everything = [
    claim
    for part in (setting, mistakes, updates, convergence, experiments)
    for claim in claims_of(part)
]
