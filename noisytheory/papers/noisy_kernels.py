"""Online Learning of Noisy Data with Kernels."""

from __future__ import annotations

from noisytheory.trial.claim import Paper

__all__ = ["PAPER"]

PAPER = Paper(
    "noisy-kernels",
    "Online Learning of Noisy Data with Kernels",
    authors="N. Cesa-Bianchi, S. Shalev-Shwartz, O. Shamir",
)
