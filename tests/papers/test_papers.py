"""Numbered discrepancies in print: every number leads to claims, or says why it does not."""

from __future__ import annotations

import re

import pytest

import noisytheory as nt
from noisytheory.papers import AVERAGE_CLASSIFIER, KERNEL_MEAN
from noisytheory.trial import mathematics

NUMBERED = [
    (paper, number, list(places))
    for paper in (KERNEL_MEAN, AVERAGE_CLASSIFIER)
    for number, places in paper.discrepancies.items()
]


def ids(paper, places):
    return [f"{paper.id}/{name}" for d in places for name in (*d.claims, *d.repaired)]


def test_all_numbers_are_there():
    assert [number for _, number, _ in NUMBERED] == [
        *(f"D{i}" for i in range(1, 23)), *(f"A{i}" for i in range(1, 13))
    ]


@pytest.mark.parametrize(("paper", "number", "places"), NUMBERED, ids=lambda x: str(x)[:20])
def test_a_discrepancy_leads_to_claims_that_decide_it(paper, number, places):
    assert places
    for place in places:
        as_printed, repaired = (
            [nt.claims[f"{paper.id}/{name}"].expect for name in names]
            for names in (place.claims, place.repaired)
        )
        assert set(repaired) <= {"upheld"}
        assert bool(place.why) == ("refuted" not in as_printed)
        assert as_printed or (not repaired and "nothing that a trial" in place.why)
    if not any(place.why for place in places):
        assert {nt.claims[name].expect for name in ids(paper, places)} == {"refuted", "upheld"}


BOOKKEEPING = {"D22", "A10"}


@pytest.mark.parametrize(("paper", "number", "places"), NUMBERED, ids=lambda x: str(x)[:20])
def test_a_discrepancy_is_tried_as_printed_and_repaired(paper, number, places):
    for place in places:
        assert bool(place.claims) == bool(place.repaired) == (number not in BOOKKEEPING), place
        claims = [nt.claims[f"{paper.id}/{name}"] for name in (*place.claims, *place.repaired)]
        # Where the formula is lost, candidates stand for both.
        assert {c.origin for c in claims} <= ({"candidate"} if number == "A11" else
                                              {"paper", "sharper"})
        assert all(nt.claims[f"{paper.id}/{name}"].twin for name in place.repaired)


@pytest.mark.parametrize(("paper", "number", "places"), NUMBERED, ids=lambda x: str(x)[:20])
def test_a_discrepancy_says_what_print_has_and_what_is_true(paper, number, places):
    for place in places:
        for text in (place.place, place.printed, place.true, place.why):
            assert "$" not in re.sub(r"\$[^$]+\$", "", text)
            assert 'class="tex"' not in mathematics.render_line(text), text
        assert min(map(len, (place.place, place.printed, place.true))) >= len("Sec. 3")
    said = [(place.place, place.printed) for place in places]
    assert len(set(said)) == len(said)


def test_no_two_numbers_of_a_paper_share_a_claim():
    for paper in (KERNEL_MEAN, AVERAGE_CLASSIFIER):
        named = [name for places in paper.discrepancies.values() for name in ids(paper, places)]
        assert len(set(named)) == len(named)


def test_claims_know_their_numbers_and_notes_repeat_none():
    for claim in nt.claims.values():
        expected = {
            number for paper, number, places in NUMBERED
            if set(claim.names) & set(ids(paper, places))
        }
        assert set(claim.discrepancies) == expected, claim.id
        assert not re.search(r"\b[DA]\d+\b|Discrepanc", claim.note), claim.id


def test_a_claim_of_ones_own_has_what_its_paper_says():
    one = nt.Discrepancy(place="p. 1", printed="a", true="b", claims=["one"])
    mine = nt.Paper("mine", "t", discrepancies={"X1": [one], "X2": [one]})
    assert mine.cited("one", statement="x").discrepancies == ("X1", "X2")
    assert mine.cited("two", statement="x").discrepancies == ()
    theirs = nt.Paper("theirs", "t")
    both = theirs.cited("three", statement="x", also=[mine.also("one", "p. 1")])
    assert both.names == ("theirs/three", "mine/one") and both.discrepancies == ("X1", "X2")
    assert hash(mine) == hash(nt.Paper("mine", "t"))
