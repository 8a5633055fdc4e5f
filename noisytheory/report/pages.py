"""Records to a folder: HTML that opens offline, the same as Markdown, figures as SVG."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import tempfile
import warnings
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from noisytheory import __version__
from noisytheory.report import figures
from noisytheory.report.apart import Ended, begun, in_processes
from noisytheory.report.around import (
    AROUND,
    claims_of,
    discrepancies_of,
    write_index,
    write_short,
)
from noisytheory.report.discrepancies import Listing
from noisytheory.report.drawing import (
    DRAWN,
    beside,
    besides,
    decide,
    draw_own,
    drawn_before,
    key_of,
    not_stored,
    ours,
    overflows,
    remember,
    told_by,
    undrawn,
    wanted_of,
)
from noisytheory.report.earlier import WRITTEN, alone, listed, note, remove
from noisytheory.report.files import follow_no_link, refuse_others, save
from noisytheory.report.page import Page, Picture
from noisytheory.report.reading import each, in_order
from noisytheory.report.record import Record
from noisytheory.report.rendering import environment
from noisytheory.trial.catalogue import find_or_none
from noisytheory.trial.shown import named
from noisytheory.trial.store import OtherCode, Remark, Store, StoreError
from noisytheory.trial.store.errors import damage
from noisytheory.trial.swept import DRAWING, seldom_swept

if TYPE_CHECKING:
    from noisytheory.report.reading import Source
    from noisytheory.trial.engine import Engine

__all__ = ["refuse", "write"]


def write(
    source: Source, output: str | os.PathLike[str], *,
    links: Mapping[str, str] | None = None, workers: int = 0, progress: Progress | None = None,
) -> Path:
    """Write the report of an audit: ``index.html``, ``README.md``, a page and figures a claim.

    The same audit gives the same bytes. Files of an earlier report at the same place are replaced
    as far as their last lines, which seal them, say that nobody changed them; those
    that are none of this one are removed, unless the store is damaged: they may be its last trace.
    A report waits for another one that is being written to the folder.

    Parameters
    ----------
    source : Audit, Store, str or path
        An audit still open, or a finished store, opened or its location.
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
        If there is no store at `source`, or nothing in it is finished. What is damaged in it is
        warned of, and left out.
    ValueError
        If the audit holds no claim, or `output` is not a folder.
    OSError
        If something else is where a file of the report belongs, before any is written, or one
        cannot be; ELOOP if a folder inside of `output` is a symbolic link. `output` itself may be.
    """
    folder = Path(output)
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"output must be a folder, and {folder} is a file")
    further = links or {}
    if isinstance(source, str | os.PathLike):
        with Store.load(source, __version__) as store:
            return write(store, output, links=links, workers=workers, progress=progress)
    ids = source.ids() if isinstance(source, Store) else [result.claim.id for result in source]
    refuse(folder, ids)
    with alone(folder) as locked:
        earlier = listed(folder)
        note(folder, may_be := earlier.union(_may_be(ids)))
        try:
            report = _written(source, folder, further, workers, progress)
        except (OSError, StoreError):
            raise
        except Exception:
            # One group that is sealed, and holds what no audit writes, must not cost all others.
            if not isinstance(source, Store) or (left := _of_pages(source)) is None:
                raise
            report = _written(source, folder, further, workers, progress, left)
        # Pages of what is damaged may be its last trace.
        damaged = isinstance(source, Store) and (source.damaged or len(report.pages) < len(ids))
        why = "the store is damaged" if damaged else "" if locked else "the folder cannot be locked"
        report.said += [(text, Remark) for text in remove(folder, earlier, report.files, why)]
        note(folder, may_be if why else report.files)
    for text, category in report.said:
        warnings.warn(text, category, stacklevel=2)
    return folder / "index.html"


def refuse(folder: Path, ids: Iterable[str]) -> None:
    """Refuse a folder that holds what is somebody else's where a report of claims has its files.

    An OSError names it: a report of an earlier version is not known from it.
    """
    ids = list(ids)
    follow_no_link(folder, ids)
    refuse_others(folder, (WRITTEN, *_may_be(ids)))


def _may_be(ids: Iterable[str]) -> Iterator[str]:
    """Files that a report of claims may have, beside the list of them."""
    yield from (DRAWN, *AROUND)
    for claim_id in ids:
        yield from (f"{claim_id}.html", f"{claim_id}.md", *besides(claim_id))


def _of_pages(source: Store) -> set[str] | None:
    """Claims in a store of which pages can be made, each tried alone; None if it is none or all."""
    left = set(ids := source.ids())
    said = []
    for name in ids:
        try:
            with tempfile.TemporaryDirectory() as aside:
                _written(source, Path(aside), {}, ids={name})
        except OSError:
            raise
        except StoreError:
            left.remove(name)  # It has been said.
        except Exception as error:
            left.remove(name)
            said.append(
                f"{name} in the store {source.location} is damaged, or this is a fault of ours: no "
                f"page can be made of it ({named(error)})"
            )
    if len(left) == len(ids) or len(said) == len(ids) > 1:  # What fails for each is no damage.
        return None
    for text in said:
        damage(text)
    return left


def _written(
    source: Source, folder: Path, links: Mapping[str, str], workers: int = 0,
    progress: Progress | None = None, ids: Container[str] | None = None,
) -> _Report:
    # To change the style and back for each claim takes its time.
    with seldom_swept(DRAWING), figures.in_style(), contextlib.ExitStack() as stack:
        ready: list[Engine] = []

        def counted(claims: int) -> None:
            # They draw while the store is read, unless an earlier report has left its pictures.
            processes = min(workers, claims // _WORTH) - 1
            if processes > 0 and not (folder / DRAWN).exists():
                ready.append(stack.enter_context(begun(processes, _imported)))

        report = _Report(source, folder, links, progress, ids)
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
        report.end()
    return report


def _imported() -> None:
    """Import what draws, beyond this module, in a process that does nothing else."""
    import matplotlib

    import noisytheory.report.figures.panel  # noqa: F401

    matplotlib.rcParams.update(figures.RC)


class _Report:
    """A report in the making: records, then claims and pages, and pictures as they are drawn."""

    def __init__(
        self, source: Source, folder: Path, links: Mapping[str, str],
        progress: Progress | None, ids: Container[str] | None,
    ) -> None:
        self.source, self.folder, self.links, self.progress = source, folder, links, progress
        self.put = functools.partial(save, folder)
        self.files: set[str] = set()
        """All that is of this report, in the end."""
        self.ids = ids
        self.templates = environment()
        self.tasks: dict[int, Callable[[], list[Picture]]] = {}
        """What draws pictures; the low numbers take longest."""
        self.here: set[int] = set()
        """Tasks that end no process."""
        self.pages: list[Page] = []
        self._known, changed = drawn_before(folder)
        self._keys: dict[int, str] = {}
        self.said: list[tuple[str, type[UserWarning]]] = [(changed, Remark)] * bool(changed)
        self._drawn: dict[int, list[Picture]] = {}
        self._owners: dict[int, str] = {}  # of a task, whose own picture it draws
        self._its: list[list[int]] = []  # of a page, the tasks that draw for it
        self._places: dict[int, list[int]] = {}  # of a task, the pages that wait for it

    def steps(self, counted: Callable[[int], None]) -> Iterator[None]:
        """Ask for the pictures, and write what needs none."""
        tasks: dict[str, int] = {}
        found: list[Record] = []
        for task, record in enumerate(each(self.source, counted=counted, ids=self.ids)):
            found.append(record)
            tasks[record.id] = task
            self._ask(task, told_by(record), functools.partial(decide, record, self.put))
            yield
        records = in_order(found)
        claims = claims_of(self.source, records)
        wanted = wanted_of(records, claims)
        own = {key: place - len(wanted) for place, key in enumerate(wanted)}
        for key, of in wanted.items():
            task, (record, draw, _) = own[key], of
            self._ask(task, told_by(*of), functools.partial(draw_own, *of, self.put, beside))
            self._owners[task] = record.id
            if not ours(draw):
                self.here.discard(task)
        yield
        found_in_print = discrepancies_of(claims, records)
        for record in records:
            claim = claims.get(record.id)
            self.pages.append(Page(
                record, [], not_stored(record) if claim is None else None,
                [e for listing in found_in_print for e in listing.of(record.id)],
                claim.also if claim else (),
                claim.paper.explained(record.statement) if claim else {},
                claim is None and find_or_none(record.id) is not None,
            ))
            its = [tasks[record.id]]
            if claim is not None and claim.picture is not None:
                its.append(own[key_of(record, claim.picture)[0]])
            self._its.append(its)
        self.siblings = _siblings(self.pages)
        if others := [page.record.id for page in self.pages if page.other_code]:
            store = getattr(self.source, "location", self.source)
            self.said.append((
                f"{len(others)} of {len(self.pages)} claims in {store} were tried by other code or "
                f"versions than are installed here, {others[0]} among them: their pages "
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
            pictures = undrawn(f"It ends the process that draws it: {pictures}.")
        self._drawn[task] = pictures
        if self.progress is not None and self.pages:
            self.progress(len(self._drawn), len(self._keys))
        for place in self._places.get(task, ()):
            if all(other in self._drawn for other in self._its[place]):
                self._write_page(place)

    def _put(self, name: str, text: str) -> None:
        self.files.add(name)
        self.put(name, text)

    def _around(self, listings: Sequence[Listing]) -> Iterator[None]:
        """The index, and what it links to beside the claims' pages."""
        further = dict(self.links)
        if listings:
            for suffix in ("html", "md"):
                text = self.templates.get_template(f"discrepancies.{suffix}").render(
                    listings=listings
                )
                self._put(f"discrepancies.{suffix}", text)
            further = {"Where print and truth differ": "discrepancies", **further}
            yield
        both = "html", "md"
        further = {**write_short(self.pages, self._put, self.templates, both), **further}
        yield
        files = {"html": "index.html", "md": "README.md"}
        write_index(self.pages, self._put, self.templates, further, files)
        yield

    def _write_page(self, place: int) -> None:
        """Write a page of both sorts."""
        deciding, *own = (self._drawn[task] for task in self._its[place])
        page = dataclasses.replace(self.pages[place], pictures=deciding)
        if own:
            page = dataclasses.replace(page, own=own[0][0])
        for suffix in ("html", "md"):
            template = self.templates.get_template(f"claim.{suffix}")
            text = overflows()(template.render)(
                page=page, record=page.record,
                before=self.pages[place - 1] if place else None,
                after=self.pages[place + 1] if place + 1 < len(self.pages) else None,
                siblings=[
                    other for other in self.siblings[_stem(page)] if other.path != page.path
                ],
            )
            self._put(f"{page.path}.{suffix}", text)

    def end(self) -> None:
        """Say what is to be said; the next report at this place is told what it need not draw."""
        for task, claim_id in self._owners.items():
            if not self._drawn[task][0].file:
                self.said.append((f"{claim_id}: {self._drawn[task][0].caption}", Remark))
        self.files |= {p.file for pictures in self._drawn.values() for p in pictures if p.file}
        drawn = {told: self._drawn[task] for task, told in self._keys.items()}
        remember(self.folder, self._put, drawn)


def _stem(page: Page) -> str:
    return "/".join(page.path.split("/")[:2])


def _siblings(pages: Sequence[Page]) -> dict[str, list[Page]]:
    """Versions of the same result: as printed, repaired, sharper."""
    found: dict[str, list[Page]] = {}
    for page in pages:
        found.setdefault(_stem(page), []).append(page)
    return found

Progress = Callable[[int, int], None]


_WORTH = 16
"""Tasks for each process, at least: it takes as long to start as some pictures to draw."""
