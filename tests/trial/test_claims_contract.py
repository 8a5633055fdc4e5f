"""Every claim in the box keeps the contract, broken twins included."""

from __future__ import annotations

import pytest

import noisytheory as nt
from noisytheory.trial.catalogue import distinct


@pytest.mark.parametrize("claim", distinct(nt.claims.values()), ids=lambda claim: claim.id)
def test_the_claim_keeps_the_contract(claim):
    nt.testing.check_claim(claim)
