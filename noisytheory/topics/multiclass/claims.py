"""All claims on learning from confused labels; each idea declares its own."""

from __future__ import annotations

from noisytheory.trial.claim import Claim

everything: list[Claim] = []
