"""Learning with Average Top-k Loss."""

from __future__ import annotations

from noisytheory.trial.claim import Paper

__all__ = ["PAPER"]

PAPER = Paper(
    "top-k",
    "Learning with Average Top-k Loss",
    authors="Y. Fan, S. Lyu, Y. Ying, B.-G. Hu",
)
