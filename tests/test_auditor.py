"""The auditor, audited: few false refutations here, hundreds in validation/auditor.py."""

from __future__ import annotations

import json
from pathlib import Path

import auditor
import campaign
import planted

import noisytheory as nt

FIGURES = json.loads((Path(auditor.__file__).with_name("auditor.json")).read_text())


def test_true_claims_at_their_level_are_hardly_ever_refuted():
    # Promised: at most 1% of audits. Three or more of 30 would happen with probability 0.0036.
    assert sum(auditor.planted_family(seed) > 0 for seed in range(30)) <= 2


def test_a_false_mean_is_upheld_hardly_ever():
    # E U = 1/2 against a bound just below: Ville allows 1% a claim; 3 of 30 has probability 0.0036.
    claim = planted.mean_of("just-false", bound=lambda n: 0.4999, expect="refuted")
    verdicts = [nt.audit(claim, seed=seed, budget="standard").verdict for seed in range(30)]
    assert verdicts.count("upheld") <= 2


def test_the_recorded_figures_keep_the_promise():
    assert FIGURES["audits"] >= 200
    assert FIGURES["false_alarms"] <= auditor.ALPHA * FIGURES["audits"]
    assert FIGURES["seeds"] >= 100
    assert min(FIGURES["twins_refuted"].values()) >= 0.99 * FIGURES["seeds"]


def test_every_twin_has_its_figure():
    twins = {claim_id for claim_id, claim in nt.claims.items() if claim.twin is not None}
    assert set(FIGURES["twins_refuted"]) - set(campaign.absent()) == twins
    assert set(FIGURES["twins_drawn"]) < set(FIGURES["twins_refuted"])
