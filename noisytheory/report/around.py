"""What stands around the claims' pages: the index, and which trials fall short."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from noisytheory.report import again, figures, trials
from noisytheory.report.discrepancies import Listing, listings
from noisytheory.report.files import Save
from noisytheory.report.page import Page, Picture
from noisytheory.report.record import Record
from noisytheory.trial.catalogue import find_or_none
from noisytheory.trial.store import Store

if TYPE_CHECKING:
    from jinja2 import Environment

    from noisytheory.report.reading import Source
    from noisytheory.trial.claim import Claim, Paper

__all__ = ["AROUND", "claims_of", "counts_of", "discrepancies_of", "write_index", "write_short"]


AROUND = ("index.html", "README.md", "tightness.svg", "discrepancies.html", "discrepancies.md",
          "trials.html", "trials.md")
"""Files that may stand around the claims' pages."""


def claims_of(
    source: Source, records: Sequence[Record]
) -> dict[str, Claim]:
    """What no dataset holds: of an audit its claims, of a store those that the catalogue has.

    A stored claim of other code may be another one under the same id: nothing is said of it that
    its dataset does not say.
    """
    if not isinstance(source, str | os.PathLike | Store):
        return {result.claim.id: result.claim for result in source}
    known = [(record, find_or_none(record.id)) for record in records]
    return {
        claim.id: claim for record, claim in known
        if claim is not None and claim.fingerprint() == record.fingerprint
    }


def discrepancies_of(claims: Mapping[str, Claim], records: Sequence[Record]) -> list[Listing]:
    """Where print and truth differ, of the papers that were on trial."""
    papers: dict[tuple[str, str], Paper] = {}  # somebody's may have the id of one in the box
    named: dict[str, Record] = {}
    for record in records:
        named[record.id] = record
        if record.id in claims:
            claim = claims[record.id]
            named.update(dict.fromkeys(claim.names, record))
            for paper in (claim.paper, *(other.paper for other in claim.also)):
                papers.setdefault((paper.id, paper.title), paper)
    return listings(papers.values(), named)


def counts_of(pages: Sequence[Page]) -> dict[str, int]:
    """How many claims have each verdict."""
    return {
        verdict: sum(page.record.verdict == verdict for page in pages)
        for verdict in ("upheld", "refuted", "undecided")
    }


def write_short(
    pages: Sequence[Page], put: Save, templates: Environment, suffixes: Iterable[str]
) -> dict[str, str]:
    """Write which trials fall short and what cannot fail; what it is and its file, if anything."""
    found = trials.short(page.record for page in pages)
    forced = trials.forced(page.record for page in pages)
    unscaled = trials.unscaled(page.record for page in pages)
    if not (found or forced or unscaled):
        return {}
    for suffix in suffixes:
        text = templates.get_template(f"trials.{suffix}").render(
            short=found, forced=forced, unscaled=unscaled, upheld=counts_of(pages)["upheld"],
            enough=trials.ENOUGH,
        )
        put(f"trials.{suffix}", text)
    return {"Where a trial falls short": "trials"}


def write_index(
    pages: Sequence[Page], put: Save, templates: Environment, links: Mapping[str, str],
    files: Mapping[str, str],
) -> None:
    """Write the table of all verdicts, with the picture of how tight the claims are."""
    records = [page.record for page in pages]
    picture = None
    try:
        figure = figures.summary(records)
    except ValueError:
        figure = None  # no claim has a ratio
    if figure is not None:
        picture = Picture("tightness.svg", str(figure.get_label()), "How tight the claims are")
        put(picture.file, figures.svg(figure))
    papers: dict[str, str] = {}
    for record in records:
        papers.setdefault(record.paper, record.title)
    tried = sum(record.kind != "cited" for record in records)
    meant = int(records[0].dataset.attrs.get("family", tried))
    for suffix, name in files.items():
        text = templates.get_template(f"index.{suffix}").render(
            links=links, pages=pages, picture=picture, papers=papers,
            tried=tried, cited=len(records) - tried, missing=max(0, meant - tried) if tried else 0,
            counts=counts_of(pages), others=sum(page.other_code for page in pages),
            kinds=sorted({r.kind for r in records}),
            unexpected=[page for page in pages if not page.record.as_expected],
            provenance=[row for row in again.provenance(records[0])
                        if not row[0].startswith(("fingerprint", "replicates"))],
        )
        put(name, text)
