"""Many classes from confused labels: UMA, ultraconservative algorithms, and what they promise."""

from __future__ import annotations

from noisytheory.topics.multiclass.steps import STEPS, error_set, steps
from noisytheory.topics.multiclass.ultraconservative import OnlineRun, ultraconservative
from noisytheory.topics.multiclass.uma import STRATEGIES, Run, class_shares, uma, update_vectors

__all__ = [
    "STEPS",
    "STRATEGIES",
    "OnlineRun",
    "Run",
    "class_shares",
    "error_set",
    "steps",
    "ultraconservative",
    "uma",
    "update_vectors",
]
