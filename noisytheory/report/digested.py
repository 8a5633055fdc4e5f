"""What a repository keeps of what was found, in Markdown: a page a paper, bounds compared."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noisytheory.report import figures
from noisytheory.report.around import (
    claims_of,
    counts_of,
    discrepancies_of,
    write_index,
    write_short,
)
from noisytheory.report.drawing import decide, draw_own, flat, key_of, not_stored, wanted_of
from noisytheory.report.files import follow_no_link, replace
from noisytheory.report.page import Page, Picture
from noisytheory.report.reading import read
from noisytheory.report.rendering import environment

if TYPE_CHECKING:
    from noisytheory.report.comparison import Comparison
    from noisytheory.report.reading import Source

__all__ = ["compared", "digest"]


def digest(
    source: Source, output: str | os.PathLike[str], *,
    shown: Iterable[str] = (), links: Mapping[str, str] | None = None,
) -> Path:
    """Write what a repository keeps of an audit: ``README.md`` and a page a paper, no HTML.

    A page has every claim of the paper in a few lines, the pictures that claims bring, and those
    that decide the claims in `shown`. The same audit gives the same bytes.

    Parameters
    ----------
    source : Audit, Store, str or path
        As for `write`.
    output : str or path
        A folder; it is made if it is not there. Files of the same names are replaced, whoever wrote
        them: a repository keeps what it had.
    shown : iterable of str
        Ids of claims whose deciding pictures are drawn as well.
    links : mapping of str to str, optional
        Further pages that the index links to: what they are, and the file without its suffix.

    Returns
    -------
    pathlib.Path
        Of ``README.md``.

    Raises
    ------
    StoreError
        If there is no store at `source`, or nothing in it is finished.
    """
    folder, wanted = Path(output), set(shown)
    put = functools.partial(replace, folder)
    records = read(source)
    follow_no_link(folder, ["figures/"])
    templates = environment()
    templates.globals["address"] = lambda record: f"{record.paper}.md#{record.name}"
    claims = claims_of(source, records)
    found = discrepancies_of(claims, records)
    own: dict[Any, Picture] = {
        key: draw_own(*of, put, flat)[0] for key, of in wanted_of(records, claims).items()
    }
    papers: dict[str, list[Page]] = {}
    pages, seen = [], set()
    for record in records:
        claim = claims.get(record.id)
        draw = claim.picture if claim is not None else None
        picture = own[key_of(record, draw)[0]] if draw else (
            not_stored(record) if claim is None else None
        )
        if picture is not None and picture.file in seen:
            picture = None  # claims that share a picture stand on one page
        seen |= {picture.file} if picture is not None else set()
        page = Page(
            record, decide(record, put, flat) if record.id in wanted else [], picture,
            [e for listing in found for e in listing.of(record.id)],
            claims[record.id].also if record.id in claims else (),
        )
        pages.append(page)
        papers.setdefault(str(record.paper), []).append(page)
    elsewhere = [(other, page) for page in pages for other in page.also]
    for paper, its in papers.items():
        about = claims[its[0].record.id].paper if its[0].record.id in claims else None
        text = templates.get_template("paper.md").render(
            pages=its, title=its[0].record.title, counts=counts_of(its), discrepancies=bool(found),
            authors=about.authors if about else "", reference=about.reference if about else "",
            explained=about.explained("; ".join(p.record.statement for p in its)) if about else {},
            elsewhere=[(other, page) for other, page in elsewhere if other.paper.id == paper],
        )
        put(f"{paper}.md", text)
    further = {str(its[0].record.title): paper for paper, its in papers.items()}
    if found:
        text = templates.get_template("discrepancies.md").render(listings=found)
        put("discrepancies.md", text)
        further["Where print and truth differ"] = "discrepancies"
    further |= write_short(pages, put, templates, ("md",))
    write_index(pages, put, templates, {**further, **(links or {})}, {"md": "README.md"})
    return folder / "README.md"


def compared(
    comparisons: Sequence[tuple[Comparison, str]], output: str | os.PathLike[str], name: str, *,
    title: str,
) -> Path:
    """Write a page that compares bounds on one quantity, in Markdown, with a figure a population.

    Parameters
    ----------
    comparisons : sequence of (Comparison, str)
        With the commands that give them.
    output : str or path
        A folder; it is made if it is not there.
    name : str
        Of the file, without its suffix.
    title : str
        Of the page.

    Returns
    -------
    pathlib.Path
        Of the page.
    """
    folder = Path(output)
    shown = []
    for number_, (comparison, command) in enumerate(comparisons):
        figure = figures.compared(comparison)
        file = f"figures/{name}-{number_}.svg"
        replace(folder, file, figures.svg(figure))
        shown.append((comparison, command, Picture(file, str(figure.get_label()), title)))
    text = environment().get_template("comparison.md").render(title=title, shown=shown)
    replace(folder, f"{name}.md", text)
    return folder / f"{name}.md"
