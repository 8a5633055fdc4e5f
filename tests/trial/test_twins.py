"""Every claim that is expected to hold has a broken twin, and the audit refutes it."""

from __future__ import annotations

import pytest

import noisytheory as nt

UPHELD = [claim for claim in nt.claims.values() if claim.expect == "upheld"]


@pytest.mark.parametrize("claim", UPHELD, ids=lambda claim: claim.id)
def test_there_is_a_twin_that_says_what_was_broken(claim):
    assert claim.twin is not None
    assert claim.twin["why"]
    assert set(claim.twin) > {"why"}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("claim", UPHELD, ids=lambda claim: claim.id)
def test_the_twin_is_refuted(claim, seed):
    result = nt.audit(claim.broken(), budget="smoke", seed=seed)
    assert result.verdict == "refuted", result.reason
