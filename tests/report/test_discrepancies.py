"""Where print and truth differ, as a page."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

from parsed_pages import assert_links_resolve, assert_nothing_from_outside, parsed

from noisytheory import Discrepancy, Paper, audit
from noisytheory.report import write
from noisytheory.report.discrepancies import Entry, Listing, Row

DIFFERS = {
    "X1": [Discrepancy(
        place="Theorem 1", printed=r"$\|x\|\le1|2$ <b>", true="`under_score` & less",
        claims=["one/printed"], repaired=["one/repaired"],
    )],
    "X2": [
        Discrepancy(place="p. 1", printed="a", true="b", why="bookkeeping"),
        Discrepancy(place="p. 2", printed="c", true="d", why="bookkeeping"),
    ],
    "X3": [Discrepancy(place="p. 3", printed="e", true="f", claims=["two"], why="true")],
}


def differing(*names):
    paper = Paper("p", "P & Q", discrepancies=DIFFERS)
    return [paper.cited(name, statement="x", note="A remark.") for name in names]


def test_what_print_gets_wrong_has_a_page(tmp_path):
    with audit(differing("one/printed", "one/repaired", "two")) as found:
        write(found, tmp_path)
    assert_links_resolve(tmp_path)
    assert_nothing_from_outside(tmp_path)
    page = parsed(tmp_path / "discrepancies.html")
    assert [a["id"] for tag, a in page.tags if tag == "tbody"] == ["p-X1", "p-X2", "p-X3"]
    text = " ".join("".join(page.text).split())
    assert "As printed: one/printed ○ undecided" in text
    assert "Repaired: one/repaired ○ undecided" in text and "3 numbers, 0 of them" in text
    assert "b" not in [tag for tag, _ in page.tags] and "under_score" in text
    markdown = (tmp_path / "discrepancies.md").read_text(encoding="utf-8")
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    # A table knows `\\|` in a cell as `\|`.
    assert rows[2].startswith(
        r"| X1 | Theorem 1 | $\\|x\\|\le1\|2$ &lt;b> | `under_score` & less |"
    )
    assert [row.split(" | ")[0] for row in rows[2:]] == ["| X1", "| X2", "| ", "| X3"]
    for index in ("index.html", "README.md"):
        told = (tmp_path / index).read_text(encoding="utf-8")
        assert "Where print and truth differ" in told
    note = (tmp_path / "p/two.md").read_text(encoding="utf-8")
    assert "A remark.\n\n[X3](../discrepancies.md) in the list" in note
    assert "Discrepancy X3" not in note


def test_the_page_has_what_was_tried_and_nothing_else(tmp_path):
    with audit(differing("one/repaired")) as found:
        write(found, tmp_path / "one")
    page = parsed(tmp_path / "one" / "discrepancies.html")
    assert [a["id"] for tag, a in page.tags if tag == "tbody"] == ["p-X1"]
    assert "As printed" not in "".join(page.text)
    with audit(differing("three")) as found:
        write(found, tmp_path / "none")
    assert not (tmp_path / "none" / "discrepancies.html").exists()
    assert "differ" not in (tmp_path / "none" / "index.html").read_text(encoding="utf-8")


def test_a_lost_formula_is_no_print(tmp_path):
    guess = dataclasses.replace(differing("two")[0], origin="candidate")
    with audit([guess]) as found:
        write(found, tmp_path)
    text = (tmp_path / "discrepancies.md").read_text(encoding="utf-8")
    assert "Candidates for what is lost: [two](p/two.md)" in text and "As printed:" not in text


def test_what_is_refuted_only_as_it_is_read_is_counted_apart(tmp_path):
    """Print says less than the claim tries: it was counted as refuted in print."""
    strict = Discrepancy(place="p. 1", printed="when", true="and else", claims=["two"],
                         read_as="When, and only when.")
    plain = dataclasses.replace(strict, read_as="")
    refuted = [SimpleNamespace(verdict="refuted", origin="paper")]
    read, said, both = (Entry("X", "x", [Row(about, refuted, []) for about in rows])
                        for rows in ([strict], [plain], [strict, plain]))
    assert [(one.refuted, one.refuted_as_read) for one in (read, said, both)] == [
        (False, True), (True, False), (True, False)]
    paper = Paper("p", "P", discrepancies={"X1": [strict], "X2": [plain]})
    listing = Listing(paper, [read, said, both])
    assert (listing.refuted, listing.refuted_as_read) == (2, 1)
    with audit([paper.cited("two", statement="x")]) as found:
        write(found, tmp_path)
    for name in ("discrepancies.md", "discrepancies.html"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert text.count("As read: ") == text.count("As printed: ") == 1
        assert text.count("Read so: When, and only when.") == 1
        assert "more as read here" not in text
