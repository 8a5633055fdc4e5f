"""Records to a folder: HTML that opens offline, the same as Markdown, figures as SVG.

`write` gives every claim a page of both sorts; `digest`, for a repository that keeps what was
found, a page a paper, in Markdown alone.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import functools
import gc
import hashlib
import inspect
import json
import os
import re
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noisytheory.report import figures, prose, trials
from noisytheory.report.apart import SWEPT, Ended, begun, in_processes
from noisytheory.report.discrepancies import Entry, Listing, listings
from noisytheory.report.record import ORIGINS, Record, each, in_order, number, past, read
from noisytheory.trial import kept, mathematics
from noisytheory.trial.catalogue import find_or_none
from noisytheory.trial.draws import one_thread
from noisytheory.trial.store import OtherCode, Remark
from noisytheory.trial.store.errors import UNREADABLE
from noisytheory.trial.store.journal import regular
from noisytheory.trial.worker import versions

if TYPE_CHECKING:
    from jinja2 import Environment

    from noisytheory.report.comparison import Comparison
    from noisytheory.trial.claim import Claim, Elsewhere, Paper
    from noisytheory.trial.engine import Engine
    from noisytheory.trial.result import Audit

__all__ = ["compared", "digest", "environment", "write"]

SYMBOLS = {"upheld": "✔", "refuted": "✘", "undecided": "○", "vacuous": "–"}
"""A shape for each verdict, so that colour is never alone."""

CAPTIONS = {
    "violations": "How often the promise was broken",
    "distribution": "The left side's distribution against the bound",
    "tightness": "Tightness along the grid",
    "forest": "Tightness, cell by cell",
    "means": "The mean against the right side",
    "laws": "The two laws",
    "excess": "The worst instances",
    "sides": "Both sides of the tries",
    "pairs": "Both sides, one by one",
    "counts": "What was counted",
    "strips": "The instances by what tells them apart",
    "spread": "The left side's distribution over the instances",
    "exists": "The exact optimum",
    "rate": "The rate",
    "published": "Print and ours",
}


@dataclass(frozen=True)
class Picture:
    """A figure's file, the text for those who do not see it, and its caption.

    The file is named from the index. A claim's own picture, which claims may share, may have its
    numbers as rows, the first of heads. No file: it could not be drawn, and the caption says why.
    """

    file: str
    alt: str
    caption: str
    numbers: Sequence[Sequence[str]] = ()


@dataclass(frozen=True)
class Page:
    """Everything a template shows of a claim, as text or safe markup.

    `other_code` says that the installed claim of this id is not the one that was tried.
    """

    record: Record
    pictures: list[Picture]
    own: Picture | None = None
    numbers: Sequence[Entry] = ()
    also: Sequence[Elsewhere] = ()
    explained: Mapping[str, str] = dataclasses.field(default_factory=dict)
    other_code: bool = False

    @property
    def note(self) -> str:
        """The note."""
        return str(self.record.note).strip()

    @property
    def path(self) -> str:
        """The page without suffix, relative to the index."""
        return self.record.id

    @property
    def root(self) -> str:
        """From the page's folder to the index's."""
        return "../" * self.record.id.count("/")

    @cached_property
    def verdict(self) -> str:
        """The sentence."""
        return prose.verdict(self.record)

    @property
    def drawn(self) -> str:
        """Replicates, or that none were needed."""
        if not self.record.tried:
            return "–"
        return "exact" if self.record.exact else number(self.record.replicates)

    @property
    def note_title(self) -> str:
        """What the note is about."""
        if self.record.expected == "refuted":
            return "What is wrong in print"
        if self.record.origin == "candidate":
            return "Where it comes from"
        return "Remarks"

    @cached_property
    def tables(self) -> list[prose.Table]:
        """The numbers."""
        return prose.tables(self.record)


def write(
    source: Audit | str | os.PathLike[str], output: str | os.PathLike[str], *,
    links: Mapping[str, str] | None = None, workers: int = 0, progress: Progress | None = None,
) -> Path:
    """Write the report of an audit: ``index.html``, ``README.md``, a page and figures a claim.

    The same audit gives the same bytes. Files of an earlier report at the same place are replaced;
    nothing is deleted.

    Parameters
    ----------
    source : Audit, str or path
        An audit still open, or the location of a finished store.
    output : str or path
        A folder; it is made if it is not there.
    links : mapping of str to str, optional
        Further pages that the index links to: what they are, and the file without its suffix;
        there must be an ``.html`` and a ``.md`` of it.
    workers : int
        Processes that draw what is much, this one among them. A user's pictures are drawn in
        another one, so that nothing ends this one, unless it is 0. The files are the same.
    progress : callable, optional
        Called with (pictures' tasks done, all tasks).

    Returns
    -------
    pathlib.Path
        Of ``index.html``.

    Raises
    ------
    StoreError
        If there is no store at `source`, or nothing in it is finished.
    ValueError
        If the audit holds no claim, or `output` is not a folder.
    OSError
        If something else is where a file of the report belongs, or it cannot be written; ELOOP if a
        folder inside of `output` is a symbolic link. `output` itself may be one.
    """
    folder = Path(output)
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"output must be a folder, and {folder} is a file")
    # To change the style and back for each claim takes its time.
    with _seldom_swept(), figures.in_style(), contextlib.ExitStack() as stack:
        ready: list[Engine] = []

        def counted(claims: int) -> None:
            # They draw while the store is read, unless an earlier report has left its pictures.
            processes = min(workers, claims // _WORTH) - 1
            if processes > 0 and not (folder / _DRAWN).exists():
                ready.append(stack.enter_context(begun(processes, _imported)))

        report = _Report(source, folder, links or {}, progress)
        steps = report.steps(counted)
        done: Iterable[tuple[int, list[Picture] | Ended]]
        next(steps)
        if not ready:
            deque(steps, maxlen=0)
        processes = min(workers, len(report.tasks) // _WORTH) - 1
        # What is somebody's may end the process that draws it.
        if ready or processes > 0 or (workers and report.tasks.keys() - report.here):
            done = in_processes(
                report.tasks, max(1, processes), ready[0] if ready else None, meanwhile=steps,
                here=report.here,
            )
        else:
            done = ((task, report.tasks[task]()) for task in sorted(report.tasks))
        for task, pictures in done:
            report.take(task, pictures)
        page = report.end()
    for text, category in report.said:
        warnings.warn(text, category, stacklevel=2)
    return page


def _imported() -> None:
    """Import what draws, beyond this module, in a process that does nothing else."""
    import matplotlib

    import noisytheory.report.figures.panel  # noqa: F401

    matplotlib.rcParams.update(figures.RC)


class _Report:
    """A report in the making: records, then claims and pages, and pictures as they are drawn."""

    def __init__(
        self, source: Audit | str | os.PathLike[str], folder: Path, links: Mapping[str, str],
        progress: Progress | None,
    ) -> None:
        self.source, self.folder, self.links, self.progress = source, folder, links, progress
        self.templates = environment()
        self.tasks: dict[int, Callable[[], list[Picture]]] = {}
        """What draws pictures; the low numbers take longest."""
        self.here: set[int] = set()
        """Tasks that end no process."""
        self.pages: list[Page] = []
        self.said: list[tuple[str, type[UserWarning]]] = []
        self._known, self._keys = _drawn_before(folder), dict[int, str]()
        self._drawn: dict[int, list[Picture]] = {}
        self._owners: dict[int, str] = {}  # of a task, whose own picture it draws
        self._its: list[list[int]] = []  # of a page, the tasks that draw for it
        self._places: dict[int, list[int]] = {}  # of a task, the pages that wait for it

    def steps(self, counted: Callable[[int], None]) -> Iterator[None]:
        """Ask for the pictures, and write what needs none."""
        tasks: dict[str, int] = {}
        found: list[Record] = []
        for task, record in enumerate(each(self.source, counted=counted)):
            _follow_no_link(self.folder, [record.id])
            found.append(record)
            tasks[record.id] = task
            self._ask(task, _told_by(record), functools.partial(_decide, record, self.folder))
            yield
        records = in_order(found)
        claims = _claims(self.source, records)
        wanted = _wanted(records, claims)
        own = {key: place - len(wanted) for place, key in enumerate(wanted)}
        for key, of in wanted.items():
            task, (record, draw, _) = own[key], of
            self._ask(task, _told_by(*of), functools.partial(_draw, *of, self.folder, _beside))
            self._owners[task] = record.id
            if not _ours(draw):
                self.here.discard(task)
        yield
        found_in_print = _discrepancies(claims, records)
        for record in records:
            claim = claims.get(record.id)
            self.pages.append(Page(
                record, [], _not_stored(record) if claim is None else None,
                [e for listing in found_in_print for e in listing.of(record.id)],
                claim.also if claim else (),
                claim.paper.explained(record.statement) if claim else {},
                claim is None and find_or_none(record.id) is not None,
            ))
            its = [tasks[record.id]]
            if claim is not None and claim.picture is not None:
                its.append(own[_key(record, claim.picture)[0]])
            self._its.append(its)
        self.siblings = _siblings(self.pages)
        if others := [page.record.id for page in self.pages if page.other_code]:
            self.said.append((
                f"{len(others)} of {len(self.pages)} claims in {self.source} were tried by other "
                f"code or versions than are installed here, {others[0]} among them: their pages "
                "say so; an audit into another store tries them anew", OtherCode,
            ))
        whole = []
        for place, its in enumerate(self._its):
            missing = [task for task in its if task not in self._drawn]
            for task in missing:
                self._places.setdefault(task, []).append(place)
            if not missing:
                whole.append(place)
        yield
        yield from self._around(found_in_print)
        for place in whole:
            self._write_page(place)
            yield

    def _ask(self, task: int, told: str, draw: Callable[[], list[Picture]]) -> None:
        """Have pictures drawn, unless an earlier report has left them."""
        self._keys[task] = told
        if (known := self._known.get(told)) is not None:
            self._drawn[task] = known
        else:
            self.tasks[task] = draw
            self.here.add(task)

    def take(self, task: int, pictures: list[Picture] | Ended) -> None:
        """Keep what was drawn, and write the pages that waited for it."""
        if isinstance(pictures, Ended):
            pictures = _undrawn(f"It ends the process that draws it: {pictures}.")
        self._drawn[task] = pictures
        if self.progress is not None and self.pages:
            self.progress(len(self._drawn), len(self._keys))
        for place in self._places.get(task, ()):
            if all(other in self._drawn for other in self._its[place]):
                self._write_page(place)

    def _around(self, listings: Sequence[Listing]) -> Iterator[None]:
        """The index, and what it links to beside the claims' pages."""
        further = dict(self.links)
        if listings:
            for suffix in ("html", "md"):
                text = self.templates.get_template(f"discrepancies.{suffix}").render(
                    listings=listings
                )
                _save(self.folder / f"discrepancies.{suffix}", text)
            further = {"Where print and truth differ": "discrepancies", **further}
            yield
        both = "html", "md"
        further = {**_short(self.pages, self.folder, self.templates, both), **further}
        yield
        files = {"html": "index.html", "md": "README.md"}
        _index(self.pages, self.folder, self.templates, further, files)
        yield

    def _write_page(self, place: int) -> None:
        """Write a page of both sorts."""
        decide, *own = (self._drawn[task] for task in self._its[place])
        page = dataclasses.replace(self.pages[place], pictures=decide)
        if own:
            page = dataclasses.replace(page, own=own[0][0])
        for suffix in ("html", "md"):
            text = self.templates.get_template(f"claim.{suffix}").render(
                page=page, record=page.record,
                before=self.pages[place - 1] if place else None,
                after=self.pages[place + 1] if place + 1 < len(self.pages) else None,
                siblings=[
                    other for other in self.siblings[_stem(page)] if other.path != page.path
                ],
            )
            _save(self.folder / f"{page.path}.{suffix}", text)

    def end(self) -> Path:
        """The index; the next report at this place is told what it need not draw."""
        for task, claim_id in self._owners.items():
            if not self._drawn[task][0].file:
                self.said.append((f"{claim_id}: {self._drawn[task][0].caption}", Remark))
        _remember(self.folder, {told: self._drawn[task] for task, told in self._keys.items()})
        return self.folder / "index.html"


def digest(
    source: Audit | str | os.PathLike[str], output: str | os.PathLike[str], *,
    shown: Iterable[str] = (), links: Mapping[str, str] | None = None,
) -> Path:
    """Write what a repository keeps of an audit: ``README.md`` and a page a paper, no HTML.

    A page has every claim of the paper in a few lines, the pictures that claims bring, and those
    that decide the claims in `shown`. The same audit gives the same bytes.

    Parameters
    ----------
    source, output
        As for `write`.
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
    records = read(source)
    _follow_no_link(folder, ["figures/"])
    templates = environment()
    templates.globals["address"] = lambda record: f"{record.paper}.md#{record.name}"
    claims = _claims(source, records)
    found = _discrepancies(claims, records)
    own: dict[Any, Picture] = {
        key: _draw(*of, folder, _flat)[0] for key, of in _wanted(records, claims).items()
    }
    papers: dict[str, list[Page]] = {}
    pages, seen = [], set()
    for record in records:
        claim = claims.get(record.id)
        draw = claim.picture if claim is not None else None
        picture = own[_key(record, draw)[0]] if draw else (
            _not_stored(record) if claim is None else None
        )
        if picture is not None and picture.file in seen:
            picture = None  # claims that share a picture stand on one page
        seen |= {picture.file} if picture is not None else set()
        page = Page(
            record, _decide(record, folder, _flat) if record.id in wanted else [], picture,
            [e for listing in found for e in listing.of(record.id)],
            claims[record.id].also if record.id in claims else (),
        )
        pages.append(page)
        papers.setdefault(str(record.paper), []).append(page)
    elsewhere = [(other, page) for page in pages for other in page.also]
    for paper, its in papers.items():
        about = claims[its[0].record.id].paper if its[0].record.id in claims else None
        text = templates.get_template("paper.md").render(
            pages=its, title=its[0].record.title, counts=_counts(its), discrepancies=bool(found),
            authors=about.authors if about else "", reference=about.reference if about else "",
            explained=about.explained("; ".join(p.record.statement for p in its)) if about else {},
            elsewhere=[(other, page) for other, page in elsewhere if other.paper.id == paper],
        )
        _save(folder / f"{paper}.md", text)
    further = {str(its[0].record.title): paper for paper, its in papers.items()}
    if found:
        text = templates.get_template("discrepancies.md").render(listings=found)
        _save(folder / "discrepancies.md", text)
        further["Where print and truth differ"] = "discrepancies"
    further |= _short(pages, folder, templates, ("md",))
    _index(pages, folder, templates, {**further, **(links or {})}, {"md": "README.md"})
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
        _save(folder / file, figures.svg(figure))
        shown.append((comparison, command, Picture(file, str(figure.get_label()), title)))
    text = environment().get_template("comparison.md").render(title=title, shown=shown)
    _save(folder / f"{name}.md", text)
    return folder / f"{name}.md"


Place = Callable[[str, str], str]


def _beside(claim_id: str, name: str) -> str:
    """A picture beside its claim's page."""
    return f"{claim_id}-{name}.svg"


def _flat(claim_id: str, name: str) -> str:
    """A picture of the digest."""
    return f"figures/{claim_id.replace('/', '-')}-{name}.svg"


def _claims(
    source: Audit | str | os.PathLike[str], records: Sequence[Record]
) -> dict[str, Claim]:
    """What no dataset holds: of an audit its claims, of a store those that the catalogue has.

    A stored claim of other code may be another one under the same id: nothing is said of it that
    its dataset does not say.
    """
    if not isinstance(source, str | os.PathLike):
        return {result.claim.id: result.claim for result in source}
    known = [(record, find_or_none(record.id)) for record in records]
    return {
        claim.id: claim for record, claim in known
        if claim is not None and claim.fingerprint() == record.fingerprint
    }


def _discrepancies(claims: Mapping[str, Claim], records: Sequence[Record]) -> list[Listing]:
    papers: dict[str, Paper] = {}
    named: dict[str, Record] = {}
    for record in records:
        named[record.id] = record
        if record.id in claims:
            claim = claims[record.id]
            named.update(dict.fromkeys(claim.names, record))
            for paper in (claim.paper, *(other.paper for other in claim.also)):
                papers.setdefault(paper.id, paper)
    return listings(papers.values(), named)


Progress = Callable[[int, int], None]


@contextlib.contextmanager
def _seldom_swept() -> Iterator[None]:
    """Look for garbage less often: figures are full of cycles, and a third of their time goes."""
    before = gc.get_threshold()
    gc.set_threshold(*SWEPT)
    try:
        yield
    finally:
        gc.set_threshold(*before)


_DRAWN = ".drawn.json"
"""What a report says to the next one at its place: pictures that need not be drawn again."""


def _told_by(record: Record, draw: Callable[..., Any] | None = None, wants: bool = True) -> str:
    """What pictures of a claim depend on, as a digest; nothing where that is not known."""
    import matplotlib

    if draw is not None and not _ours(draw):
        return ""
    # Who does not ask for the dataset shows the same of every audit: code and kept numbers tell it.
    experiment = None if draw is None else kept.experiment_of(draw)
    beside = "" if experiment is None else kept.digest(experiment)
    complete = record.dataset.encoding.get("complete") if wants else beside
    if complete is None:
        return ""
    own = None if draw is None else f"{draw.__module__}.{draw.__qualname__}"
    parts = [record.id, complete, own, versions(), matplotlib.__version__]
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()


def _ours(draw: Callable[..., Any]) -> bool:
    """Whether a picture comes with this package, and not with somebody's file."""
    return str(getattr(draw, "__module__", "")).startswith("noisytheory.")


def _drawn_before(folder: Path) -> dict[str, list[Picture]]:
    """Pictures of an earlier report at this place, as far as their files are what it wrote."""
    try:
        with open(folder / _DRAWN, encoding="utf-8", opener=regular) as file:
            noted = json.load(file)
        return {
            key: [Picture(*fields) for fields, *_ in entry] for key, entry in noted.items()
            if all(_digest(folder / fields[0]) == digest for fields, digest in entry)
        }
    except (OSError, *UNREADABLE):
        return {}


def _remember(folder: Path, drawn: Mapping[str, list[Picture] | None]) -> None:
    noted = {
        key: [[[p.file, p.alt, p.caption, p.numbers], _digest(folder / p.file)] for p in pictures]
        for key, pictures in drawn.items()
        if key and pictures is not None and all(p.file for p in pictures)
    }
    if noted:
        _save(folder / _DRAWN, json.dumps(noted, sort_keys=True))


def _digest(path: Path) -> str:
    try:
        with open(path, "rb", opener=regular) as file:
            return hashlib.blake2b(file.read(), digest_size=16).hexdigest()
    except OSError:
        return ""


_WORTH = 16
"""Tasks for each process, at least: it takes as long to start as some pictures to draw."""


Wanted = tuple[Record, Callable[..., Any], bool]


def _key(record: Record, draw: Callable[..., Any]) -> tuple[Any, Wanted]:
    """The key of a claim's picture: one that does not ask for the dataset is drawn once."""
    wants = "dataset" in inspect.signature(draw).parameters
    return (record.id if wants else draw), (record, draw, wants)


def _wanted(records: Sequence[Record], claims: Mapping[str, Claim]) -> dict[Any, Wanted]:
    """Pictures that claims bring, each once."""
    found: dict[Any, Wanted] = {}
    for record in records:
        draw = claims[record.id].picture if record.id in claims else None
        if draw is not None:
            found.setdefault(*_key(record, draw))
    return found


def _not_stored(record: Record) -> Picture | None:
    """A picture in a user's file: a store holds no code."""
    name = record.dataset.attrs.get("picture")
    if name is None:
        return None
    text = f"{name}() draws it, in the file that declares the claim: audit that file "
    return Picture("", "", text + "with this store and ask for the report.")


def _draw(
    record: Record, draw: Callable[..., Any], wants: bool, folder: Path, place: Place
) -> list[Picture]:
    caption = " ".join((draw.__doc__ or "").partition("\n\n")[0].split())
    file = place(record.id, "picture")
    given = {"dataset": record.dataset} if wants else {}
    try:
        # As in an audit: with more threads the last bits of what it computes move.
        with one_thread():
            drawn: Any = figures.styled(draw, math=True)(**given)
        figure, rows = drawn if isinstance(drawn, tuple) else (drawn, ())
        numbers = [[str(cell) for cell in row] for row in rows]
        text = figures.svg(figure, math=True)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # of a user's code: a report must not be lost to it
        return _undrawn(f"{type(error).__name__}: {error}".rstrip(": "))
    _save(folder / file, text)
    if kept.experiment_of(draw) is not None:
        caption += " Its runs have a seed of their own, and are kept with the package: they are "
        caption += "the same beside every audit, and none of its draws."
    alt = str(figure.get_label()) or caption or f"The picture that {record.id} brings"
    return [Picture(file, alt, caption, numbers)]


def _undrawn(why: str) -> list[Picture]:
    return [Picture("", "", f"The claim's own picture could not be drawn. {_cell(why)}")]


def _decide(record: Record, folder: Path, place: Place = _beside) -> list[Picture]:
    """Draw what decides a claim."""
    pictures = []
    with figures.in_style():
        for name, figure in figures.deciding(record).items():
            file = place(record.id, name)
            _save(folder / file, figures.svg(figure))
            pictures.append(Picture(file, str(figure.get_label()), CAPTIONS[name]))
    return pictures


def _counts(pages: Sequence[Page]) -> dict[str, int]:
    return {
        verdict: sum(page.record.verdict == verdict for page in pages)
        for verdict in ("upheld", "refuted", "undecided")
    }


def _short(
    pages: Sequence[Page], folder: Path, templates: Environment, suffixes: Iterable[str]
) -> dict[str, str]:
    """Write which trials fall short and what cannot fail; what it is and its file, if anything."""
    found = trials.short(page.record for page in pages)
    forced = trials.forced(page.record for page in pages)
    unscaled = trials.unscaled(page.record for page in pages)
    if not (found or forced or unscaled):
        return {}
    for suffix in suffixes:
        text = templates.get_template(f"trials.{suffix}").render(
            short=found, forced=forced, unscaled=unscaled, upheld=_counts(pages)["upheld"],
            enough=trials.ENOUGH,
        )
        _save(folder / f"trials.{suffix}", text)
    return {"Where a trial falls short": "trials"}


def _stem(page: Page) -> str:
    return "/".join(page.path.split("/")[:2])


def _siblings(pages: Sequence[Page]) -> dict[str, list[Page]]:
    """Versions of the same result: as printed, repaired, sharper."""
    found: dict[str, list[Page]] = {}
    for page in pages:
        found.setdefault(_stem(page), []).append(page)
    return found


def _index(
    pages: Sequence[Page], folder: Path, templates: Environment, links: Mapping[str, str],
    files: Mapping[str, str],
) -> None:
    records = [page.record for page in pages]
    picture = None
    try:
        figure = figures.summary(records)
    except ValueError:
        figure = None  # no claim has a ratio
    if figure is not None:
        picture = Picture("tightness.svg", str(figure.get_label()), "How tight the claims are")
        _save(folder / picture.file, figures.svg(figure))
    papers: dict[str, str] = {}
    for record in records:
        papers.setdefault(record.paper, record.title)
    tried = sum(record.kind != "cited" for record in records)
    meant = int(records[0].dataset.attrs.get("family", tried))
    for suffix, name in files.items():
        text = templates.get_template(f"index.{suffix}").render(
            links=links, pages=pages, picture=picture, papers=papers,
            tried=tried, cited=len(records) - tried, missing=max(0, meant - tried) if tried else 0,
            counts=_counts(pages), others=sum(page.other_code for page in pages),
            kinds=sorted({r.kind for r in records}),
            unexpected=[page for page in pages if not page.record.as_expected],
            provenance=[row for row in prose.provenance(records[0])
                        if not row[0].startswith(("fingerprint", "replicates"))],
        )
        _save(folder / name, text)


def _follow_no_link(folder: Path, names: Iterable[str]) -> None:
    """Refuse a link in the place of a folder below: it may lead to data of others."""
    within = {folder.joinpath(*name.split("/")[:depth]) for name in names
              for depth in range(1, 1 + name.count("/"))}
    for path in sorted(within):
        if path.is_symlink():
            why = "it is a symbolic link, and nothing is written through one"
            raise OSError(errno.ELOOP, why, str(path))


def _save(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Moved into place: a link of that name may lead to data of others.
    partial = path.with_name(f".{os.getpid()}.partial")
    partial.unlink(missing_ok=True)
    try:
        with open(partial, "x", encoding="utf-8", newline="\n") as file:
            file.write(text.rstrip() + "\n")
        os.replace(partial, path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def environment() -> Environment:
    """The templates with their filters, for pages that stand beside the report's.

    Returns
    -------
    jinja2.Environment
        Text is escaped in HTML; in Markdown the filters ``cell`` and ``plain`` do it.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    templates = Environment(
        loader=PackageLoader("noisytheory.report"),
        # Markdown files too hold text of others; what escapes there is `_cell` and `plain`.
        autoescape=lambda name: not (name or "").endswith(".md"),
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )
    templates.filters |= {
        "formula": lambda tex: Markup(mathematics.mathml(tex, display=True)),
        "note": lambda text: Markup(mathematics.render(text)),
        "line": lambda text: Markup(mathematics.render_line(text)),
        "parts": lambda text: Markup("/<wbr>").join(
            Markup('<span class="part">{}</span>').format(part) for part in text.split("/")
        ),
        "plain": mathematics.plain_markdown,
        "plain_formula": mathematics.plain_formula,
        "spaced": _spaced,
        "plain_cell": lambda text: " ".join(
            mathematics.plain_markdown(text).split()
        ).replace("|", "\\|"),
        "cell": _cell,
        "number": number,
        "past": past,
        "sortable": _sortable,
    }
    templates.globals |= {
        "symbols": SYMBOLS, "promises": prose.PROMISES, "prose": prose,
        "falls_if": trials.falls_if, "origins": ORIGINS, "number": number,
        "address": lambda record: f"{record.id}.md",
    }
    return templates


def _spaced(text: str) -> str:
    """Addresses break at their commas only where there is room after them; six digits will do."""
    text = re.sub(r"\d+\.\d{7,}\b", lambda found: f"{float(found[0]):.6g}", text)
    return re.sub(r",(?=\S)", ", ", text)


def _sortable(value: Any) -> str:
    """A number as the script that sorts the table reads it."""
    if value is None:
        return ""
    return str(value).replace("inf", "Infinity")


def _cell(value: Any) -> str:
    """Text for a cell of a Markdown table."""
    return " ".join(str(value).translate(_ESCAPED).split())


_ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;"} | {c: f"\\{c}" for c in "|*_[]`"})
