"""Unconfused Ultraconservative Multiclass Algorithms."""

from __future__ import annotations

from noisytheory.trial.claim import Paper

__all__ = ["PAPER"]

PAPER = Paper(
    "uma",
    "Unconfused Ultraconservative Multiclass Algorithms",
    authors="U. Louche, L. Ralaivola",
)
