"""Numbered discrepancies in print: every number leads to claims, or says why it does not."""

from __future__ import annotations

import re

import noisytheory as nt
from noisytheory import papers
from noisytheory.trial import mathematics

# Their letter and how many there are; no two papers share a letter.
EXPECTED = {
    papers.KERNEL_MEAN: ("D", 22), papers.AVERAGE_CLASSIFIER: ("A", 12),
    papers.NOISY_KERNELS: ("N", 15), papers.UMA: ("U", 29), papers.TOP_K: ("T", 29),
}
NUMBERED = [
    (paper, number, list(places))
    for paper in EXPECTED
    for number, places in paper.discrepancies.items()
]
NAMES = re.compile(r"\\(?:text|mathrm|operatorname)\{[^{}]*\}")
LETTER = re.compile(
    r"(?<![A-Za-z\\])[A-Za-z](?![A-Za-z])|\\(?:alpha|beta|delta|epsilon|varepsilon|eta|theta|"
    r"kappa|lambda|mu|xi|pi|rho|sigma|tau|phi|psi)(?![a-z])"
)
SLIP = "nothing that a trial"
"""What is said of a slip of bookkeeping, which no claim decides."""


def ids(paper, places):
    return [f"{paper.id}/{name}" for d in places for name in (*d.claims, *d.repaired)]


def test_a_page_explains_every_symbol_that_is_no_common_one():
    meant = re.compile(r"\\(?:Gamma|Delta|Phi|Psi|Sigma|omega|xi)\b|"
                       r"\\(?:tilde|hat|mathcal) ?(?:\\[a-z]+|[A-Za-z])")
    for claim in nt.claims.values():
        if claim.paper in (papers.KERNEL_MEAN, papers.AVERAGE_CLASSIFIER):
            explained = claim.paper.explained(claim.statement)
            for symbol in meant.findall(claim.statement):
                assert any(symbol in longer for longer in explained), (claim.id, symbol)
    explained = nt.claims["kernel-mean/corollary-8/repaired"].paper.explained(r"\Phi(\tilde P)")
    assert set(explained) == {r"\Phi", r"\tilde P"}


def test_a_page_has_words_for_every_letter():
    """But for indices and Euler's number: its own, or of a hypothesis, or defined in place."""
    for claim in nt.claims.values():
        if claim.paper in (papers.KERNEL_MEAN, papers.AVERAGE_CLASSIFIER):
            formula = NAMES.sub("", claim.statement)
            meant = {letter for symbol in claim.paper.explained(formula)
                     for letter in LETTER.findall(symbol)}
            meant |= {letter for letter in LETTER.findall(formula)
                      if re.search(re.escape(letter) + r"(\^2)?\s*=", formula)}
            said = set(re.findall(r"\w+", " ".join(claim.hypotheses)))
            left = {letter.strip("\\") for letter in set(LETTER.findall(formula)) - meant} - said
            assert left <= {"i", "j", "e"} | set(claim.grid), claim.id


def test_words_for_symbols_are_formulas_that_can_be_set():
    for paper in EXPECTED:
        for symbol, words in paper.symbols.items():
            assert "<math" in mathematics.mathml(symbol), symbol
            assert "<code" not in mathematics.render_line(f"${symbol}$: {words}"), symbol


def test_all_numbers_are_there():
    for paper, (letter, count) in EXPECTED.items():
        assert list(paper.discrepancies) == [f"{letter}{i}" for i in range(1, count + 1)]


def test_every_paper_with_discrepancies_is_looked_at():
    found = {getattr(papers, name) for name in papers.__all__}
    assert {paper for paper in found if paper.discrepancies} == set(EXPECTED)


def test_every_discrepancy_leads_to_claims_that_decide_it():
    for paper, number, places in NUMBERED:
        assert places, number
        for place in places:
            as_printed, repaired = (
                [nt.claims[f"{paper.id}/{name}"].expect for name in names]
                for names in (place.claims, place.repaired)
            )
            assert set(repaired) <= {"upheld"}
            assert bool(place.why) == ("refuted" not in as_printed)
            # Where print names no hypothesis, what holds is tried and nothing printed is refuted.
            assert as_printed or repaired or SLIP in place.why
        if not any(place.why for place in places):
            assert {nt.claims[name].expect for name in ids(paper, places)} == {"refuted", "upheld"}


def test_every_discrepancy_is_tried_as_printed_and_repaired():
    for paper, number, places in NUMBERED:
        for place in places:
            assert bool(place.claims or place.repaired) == (SLIP not in place.why), place
            # What is missing is explained: nothing printed is false, or the truth is that it is.
            assert place.claims or place.why
            assert place.repaired or SLIP in place.why or paper is papers.NOISY_KERNELS
            as_printed, repaired = (
                {nt.claims[f"{paper.id}/{name}"].origin for name in names}
                for names in (place.claims, place.repaired)
            )
            # Where the formula is lost, candidates stand for both; a repair may have our constants.
            allowed = {"candidate"} if number == "A11" else {"paper", "sharper"}
            # What print says of its data is tried on others, which is no verdict in its name.
            others = {"candidate"} if number in ("U20", "U29") else set()
            assert as_printed <= allowed | others
            assert repaired <= allowed | {"candidate"}
            assert all(nt.claims[f"{paper.id}/{name}"].twin for name in place.repaired)


def test_every_discrepancy_says_what_print_has_and_what_is_true():
    for _, number, places in NUMBERED:
        for place in places:
            for text in (place.place, place.printed, place.true, place.why):
                assert "$" not in re.sub(r"\$[^$]+\$", "", text)
                assert 'class="tex"' not in mathematics.render_line(text), text
            assert min(map(len, (place.place, place.printed, place.true))) >= len("Sec. 3")
        said = [(place.place, place.printed) for place in places]
        assert len(set(said)) == len(said), number


def test_no_two_numbers_of_a_paper_share_a_claim():
    for paper in EXPECTED:
        named = [name for places in paper.discrepancies.values() for name in ids(paper, places)]
        assert len(set(named)) == len(named)


def test_claims_know_their_numbers_and_notes_repeat_none():
    for claim in nt.claims.values():
        expected = {
            number for paper, number, places in NUMBERED
            if set(claim.names) & set(ids(paper, places))
        }
        assert set(claim.discrepancies) == expected, claim.id
        assert not re.search(r"\b[DATUN]\d+\b|Discrepanc", claim.note), claim.id


def test_a_claim_of_ones_own_has_what_its_paper_says():
    one = nt.Discrepancy(place="p. 1", printed="a", true="b", claims=["one"])
    mine = nt.Paper("mine", "t", discrepancies={"X1": [one], "X2": [one]})
    assert mine.cited("one", statement="x").discrepancies == ("X1", "X2")
    assert mine.cited("two", statement="x").discrepancies == ()
    theirs = nt.Paper("theirs", "t")
    both = theirs.cited("three", statement="x", also=[mine.also("one", "p. 1")])
    assert both.names == ("theirs/three", "mine/one") and both.discrepancies == ("X1", "X2")
    assert hash(mine) == hash(nt.Paper("mine", "t"))
