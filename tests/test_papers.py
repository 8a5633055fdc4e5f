"""Numbered discrepancies in print: every number leads to claims, or says why it does not."""

from __future__ import annotations

import re

import pytest

import noisytheory as nt
from noisytheory.papers import AVERAGE_CLASSIFIER, KERNEL_MEAN, NOT_REFUTED

NUMBERED = [
    (paper, number, [f"{paper.id}/{name}" for name in names])
    for paper in (KERNEL_MEAN, AVERAGE_CLASSIFIER)
    for number, names in paper.discrepancies.items()
]


def test_all_numbers_are_there():
    assert [number for _, number, _ in NUMBERED] == [
        *(f"D{i}" for i in range(1, 23)), *(f"A{i}" for i in range(1, 13))
    ]


@pytest.mark.parametrize(("paper", "number", "ids"), NUMBERED, ids=lambda x: str(x)[:20])
def test_a_discrepancy_leads_to_claims_that_decide_it(paper, number, ids):
    assert all(name in nt.claims for name in ids)
    verdicts = {nt.claims[name].expect for name in ids}
    if number in NOT_REFUTED:
        assert "refuted" not in verdicts and len(NOT_REFUTED[number]) > 20
        assert bool(ids) == ("nothing to try" not in NOT_REFUTED[number])
    else:
        assert verdicts == {"refuted", "upheld"}


def test_notes_name_the_numbers_and_no_others():
    for name, claim in nt.claims.items():
        told = set(re.findall(r"\b[DA]\d+\b", claim.note))
        expected = {number for _, number, ids in NUMBERED if name in ids}
        assert told == expected, name
        assert claim.note.count("Discrepanc") == bool(expected), name


def test_a_claim_of_ones_own_has_no_remark():
    mine = nt.Paper("mine", "t", discrepancies={"X1": ["one"], "X2": ["one"]})
    assert mine.cited("one", statement="x", note="n.").note == "n. Discrepancies X1, X2."
    assert mine.cited("two", statement="x").note == ""
    assert hash(mine) == hash(nt.Paper("mine", "t"))
