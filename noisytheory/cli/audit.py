"""The commands ``audit`` and ``report``: try claims, write down what was found."""

from __future__ import annotations

import contextlib
import errno
import shlex
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

import click

from noisytheory import __version__
from noisytheory.cli.answers import (
    OWN_PROCESS,
    answers,
    damage_seen,
    say,
    say_json,
    seconds_so_far,
    table,
)
from noisytheory.cli.interrupts import Interrupted, is_interrupt, stop
from noisytheory.cli.mistakes import AS_EXPECTED, DIFFERS, MISTAKE, SURROUNDINGS, Mistake, diagnose
from noisytheory.cli.select import chosen_claims
from noisytheory.cli.shell import (
    BUDGETS,
    RUN_AS_CODE,
    error_level,
    json_flag,
    keyword_option,
    main,
    seed_option,
)
from noisytheory.trial.shown import Shown, visible

if TYPE_CHECKING:
    from noisytheory.trial.claim import Claim
    from noisytheory.trial.result import Audit, Result
    from noisytheory.trial.store import Store

__all__ = [
    "audit",
    "report_command",
    "run_audit",
    "usable_cores",
]

_LOOKS = {
    "upheld": ("✓", "green"),
    "refuted": ("✗", "magenta"),
    "undecided": ("?", "yellow"),
}


@main.command(epilog=RUN_AS_CODE)
@click.argument("targets", metavar="[ID|GLOB|FILE.py ...]", nargs=-1)
@click.option("--budget", type=click.Choice(BUDGETS), help="How long to try; default standard.")
@click.option("--replicates", type=click.IntRange(min=1), metavar="N",
              help="At most N replicates a cell, in whole blocks, instead of the budget's.")
@seed_option
@click.option("--alpha", type=float, callback=error_level, metavar="A",
              help="Error level over the whole audit; default 0.01.")
@click.option("--fdr", is_flag=True, help="Refute also by e-BH: A is then a false discovery rate.")
@click.option("--workers", type=click.IntRange(min=0), metavar="N",
              help="Local processes; default: the usable cores. With 0 the audit's own process "
                   "draws, for a debugger: a claim that ends it then ends the audit.")
@click.option("--scheduler", metavar="ADDRESS", help="A Dask scheduler instead of local processes.")
@click.option("--store", metavar="PATH|URL",
              help="Keep blocks and results here; an interrupted run goes on from it. A URL "
                   "(s3://...) has no locks: let one audit at a time write there.")
@click.option("--durable", is_flag=True,
              help="With --store PATH: wait for the disk at every block, against loss of power.")
@click.option("--report", "report_folder", metavar="DIR", help="Write the HTML report here.")
@json_flag
@keyword_option
@click.option("--dry-run", is_flag=True, help="Say what would be tried, draw nothing.")
@click.option("--quiet", "-q", is_flag=True, help="One line of summary, no table, no progress.")
@click.pass_context
@answers
def audit(
    out: TextIO, context: click.Context, targets: tuple[str, ...], budget: str | None,
    replicates: int | None, seed: int | None, alpha: float | None, fdr: bool, workers: int | None,
    scheduler: str | None, store: str | None, durable: bool, report_folder: str | None,
    as_json: bool,
    keyword: str | None, dry_run: bool, quiet: bool,
) -> None:
    """Put claims on trial: all, by id, by shell pattern, or those that a file of yours declares."""
    if scheduler is not None and workers is not None:
        raise Mistake("--workers and --scheduler exclude each other: give one of them")
    claims = chosen_claims(targets, keyword)
    chosen: dict[str, Any] = {
        "budget": budget, "replicates": replicates, "seed": seed, "alpha": alpha,
        "scheduler": scheduler, "store": store, "fdr": fdr or None, "durable": durable or None,
    }
    settings = {name: value for name, value in chosen.items() if value is not None}
    if dry_run:
        _say_plan(out, claims, settings, as_json)
        return
    if report_folder is not None:
        _writable(report_folder, [claim.id for claim in claims])
    if scheduler is None:
        settings["workers"] = usable_cores(claims) if workers is None else workers
    from noisytheory.trial.engine import PATIENCE
    from noisytheory.trial.run import Unfinished

    if scheduler is not None and not quiet:
        click.echo(visible(f"waiting for the Dask scheduler at {scheduler}, and for its first "
                           f"worker, at most {PATIENCE:.0f} s each"), err=True)
    stopped: dict[str, tuple[int, str]] = {}
    try:
        found = run_audit(claims, settings, quiet)
    except Unfinished as unfinished:
        found = unfinished.audit
        stopped = {name: diagnose(error) for name, error in unfinished.faults.items()}
    for name, (_, line) in stopped.items():
        # Not every line names its claim. Before all else: what follows may fail, too.
        click.echo(f"not tried: {line if name in line else f'{name}: {line}'}", err=True)
    with found:
        # The answer first: a report that cannot be written must not take it along.
        page = None if report_folder is None else str(Path(report_folder) / "index.html")
        def summary() -> None:
            say(out, _summary(found, len(stopped), seconds_so_far(context)))

        if as_json:
            extra = {
                "as_expected": found.as_expected and not stopped, "store": store, "report": page,
                "not_tried": {name: line for name, (_, line) in stopped.items()},
            }
            say_json(out, {**found.to_dict(), **extra})
        elif not quiet:
            say(out, _verdicts(found, plain=not out.isatty()))
            summary()
        try:
            if report_folder is not None:
                _report(found, report_folder, quiet, store)
        finally:
            # Alone, its seconds are those of the report as well, whatever becomes of that.
            if quiet and not as_json:
                summary()
        if page is not None and not as_json and not quiet:
            say(out, f"report {visible(page)}; {seconds_so_far(context):.1f} s in all")
    codes = [code for code, _ in stopped.values()]
    context.exit(max([*codes, AS_EXPECTED if found.as_expected else DIFFERS]))


def usable_cores(claims: Sequence[Claim]) -> int:
    """Cores that this process may use, containers' limits included; not more than there is work.

    One is no gain over none, but a claim of somebody else's may end the process that draws for it.
    """
    from joblib import cpu_count

    from noisytheory.trial.catalogue import find_or_none

    cores, cells = int(cpu_count()), sum(claim.size for claim in claims)
    if min(cores, cells) == 1 and all(find_or_none(claim.id) is claim for claim in claims):
        return 0
    return min(cores, max(2, cells))


def run_audit(claims: Sequence[Claim], settings: Mapping[str, Any], quiet: bool) -> Audit:
    """The audit, with bars on a terminal; interrupted, it says how to go on."""
    from multiprocessing import active_children

    from noisytheory.trial.run import audit as try_claims

    # Asked to end is asked to end, by a key or by the system.
    before = _on_termination(stop)
    try:
        with _bars(sum(claim.size for claim in claims if claim.kind != "cited"), quiet) as progress:
            found: Audit = try_claims(list(claims), progress=progress, **settings)
            return found
    except KeyboardInterrupt as error:
        if not is_interrupt(error):
            raise
        # Only this process writes, so the workers have nothing to lose.
        for worker in active_children():
            worker.kill()  # who is stopped hears of nothing else
        go_on = "nothing was kept; with --store PATH an interrupted run goes on where it stopped"
        if "store" in settings:
            go_on = f"the store {settings['store']} is whole: the same command goes on from there"
        raise Interrupted(f"interrupted; {go_on}") from None
    finally:
        _on_termination(before)


def _on_termination(handler: Any) -> Any:
    try:
        return signal.signal(signal.SIGTERM, handler)
    except ValueError:
        return None  # not the main thread


@contextlib.contextmanager
def _bars(cells: int, quiet: bool) -> Iterator[Callable[[str, int, int, int], None] | None]:
    """A progress bar over cells on standard error, if that is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    decided: dict[str, int] = {}
    drawn: dict[str, int] = {}
    with Progress(
        BarColumn(), MofNCompleteColumn(), TextColumn("cells"), TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False), console=Console(file=_unshown()),
        transient=True, redirect_stdout=False, redirect_stderr=False,
    ) as bars:
        task = bars.add_task("starting", total=cells)

        def progress(claim_id: str, done: int, total: int, replicates: int) -> None:
            decided[claim_id], drawn[claim_id] = done, replicates
            bars.update(
                task, completed=sum(decided.values()),
                description=f"{sum(drawn.values()):,} replicates, {claim_id}",
            )

        yield progress


def _unshown() -> TextIO:
    """Standard error as bars need it, which move the cursor."""
    stream = sys.stderr
    return cast(TextIO, _MayClose(stream.unshown if isinstance(stream, Shown) else stream))


class _MayClose:
    """A terminal that may be gone at any time: bars end no audit, nor change how it ends."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def write(self, text: str) -> None:
        """Write, if there is still somebody who sees it."""
        with contextlib.suppress(OSError):
            self.stream.write(text)

    def flush(self) -> None:
        """Send what is written, likewise."""
        with contextlib.suppress(OSError):
            self.stream.flush()


def _verdicts(found: Audit, plain: bool) -> str:
    head = ["id", "kind", "verdict", "expected", "tightness", "resolution", "replicates"]
    return table([head, *(_verdict_row(result, plain) for result in found)], right=(4, 5, 6))


def _verdict_row(result: Result, plain: bool) -> list[str]:
    def number(value: float | None) -> str:
        return "-" if value is None else f"{value:.3g}"

    symbol, colour = _LOOKS[result.verdict]
    verdict = result.verdict if plain else click.style(f"{symbol} {result.verdict}", fg=colour)
    expected = result.claim.expect
    if not result.as_expected:
        expected += " !" if plain else " ≠"
        expected = expected if plain else click.style(expected, fg="red", bold=True)
    drawn = "exact" if result.exact else f"{result.replicates:,}"
    tightness = number(result.tightness)
    if result.verdict == "refuted" and tightness == "1" and (result.tightness or 0) > 1:
        tightness = ">1"
    return [result.claim.id, result.claim.kind, verdict, expected, tightness,
            number(result.resolution), drawn]


def _summary(found: Audit, stopped: int, seconds: float) -> str:
    differing = [result for result in found if not result.as_expected]
    lines = [
        f"{r.claim.id}: {r.verdict}, expected {r.claim.expect}: {r.reason}" for r in differing
    ]
    count = f"{len(found)} claim{'s' if len(found) != 1 else ''}"
    verdict = "as expected" if not differing else (
        f"{len(differing)} not as expected: {', '.join(r.claim.id for r in differing)}"
    )
    facts = [
        f"{seconds:.1f} s", f"seed {found.settings['seed']}",
        f"level {found.settings['alpha']:g}",
    ]
    untried = f", {stopped} not tried" if stopped else ""
    return "\n".join([*lines, f"{count}, {verdict}{untried}; {', '.join(facts)}"])


def _say_plan(
    out: TextIO, claims: Sequence[Claim], settings: Mapping[str, Any], as_json: bool
) -> None:
    """What would be tried, without drawing."""
    from noisytheory.trial import run

    plan: list[dict[str, Any]] = []
    for claim in claims:
        blocks = run.BUDGETS[settings.get("budget", "standard")]
        if "replicates" in settings:
            blocks = -(-settings["replicates"] // claim.rows)
        draws = claim.kind != "cited" and claim.simulate is not None
        exact = "no" if claim.exact is None else "where it can be" if draws else "everywhere"
        plan.append({
            "id": claim.id,
            "kind": claim.kind,
            "cells": 0 if claim.kind == "cited" else claim.size,
            "levels": len(claim.deltas) or 1,
            "rows": claim.rows,
            "replicates_at_most": claim.size * blocks * claim.rows if draws else 0,
            "exact": exact,
        })
    if as_json:
        say_json(out, {"seed": run.DEFAULT_SEED, **settings, "claims": plan})
        return
    head = ["id", "kind", "cells", "levels", "block", "replicates <=", "exact"]
    rows = [[f"{v:,}" if isinstance(v, int) else v for v in entry.values()] for entry in plan]
    total = sum(entry["replicates_at_most"] for entry in plan)
    say(out, table([head, *rows], right=(2, 3, 4, 5)))
    say(out, f"{len(plan)} claim{'s' if len(plan) != 1 else ''}, "
              f"{sum(entry['cells'] for entry in plan):,} cells, at most {total:,} replicates; "
              "nothing was drawn")


def _report(source: Audit | Store, folder: str, quiet: bool, store: str | None = None) -> str:
    """Write the report; where the system refuses, the message names the folder, and what is kept.
    """
    from joblib import cpu_count

    from noisytheory import report as reports
    from noisytheory.trial.swept import DRAWING, sweep_seldom

    if click.get_current_context().meta[OWN_PROCESS]:
        # And to the end, which is near: to sweep up behind a report takes its time.
        sweep_seldom(DRAWING)
    try:
        with _pages_bar(quiet) as progress:
            return str(reports.write(source, folder, workers=int(cpu_count()), progress=progress))
    except OSError as error:
        if error.errno not in SURROUNDINGS | _IN_THE_WAY:
            raise
        kept = "" if store is None else (
            f"; all verdicts are in the store {store}: the same command with another --report, or "
            f"`noisytheory report {shlex.quote(store)} --output DIR`, draws nothing again"
        )
        # A full disk speaks through whatever library was writing, often without a name.
        where = f"{error.filename2 or error.filename}: " if error.errno in _IN_THE_WAY else ""
        raise Mistake(
            f"cannot write the report to the folder {folder}: {where}{error.strerror}{kept}"
        ) from error


_IN_THE_WAY = {errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.ELOOP}
"""Something else is where a file of the report, or a folder, belongs."""


@contextlib.contextmanager
def _pages_bar(quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar over pictures on standard error, if that is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = BarColumn(), MofNCompleteColumn(), TextColumn("pictures of the report")
    with Progress(*columns, console=Console(file=_unshown()), transient=True) as bars:
        task = bars.add_task("", total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)


def _writable(folder: str, ids: Sequence[str]) -> None:
    """Refuse a folder that a report of claims cannot be written to, before the work, not after."""
    from noisytheory.report.pages import refuse

    if not folder:
        raise Mistake("the name of the folder for the report is empty: give one, or . for this one")
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise Mistake(f"{folder} is a file: name a folder for the report")
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise Mistake(
            f"cannot write to the folder {folder}: {error.strerror}; name another one"
        ) from error
    try:
        refuse(path, ids)
    except OSError as error:
        raise Mistake(
            f"cannot write the report to the folder {folder}: {error.filename}: {error.strerror}"
        ) from error


@main.command("report")
@click.argument("store", metavar="STORE")
@click.option("--output", "folder", metavar="DIR", default="report", show_default=True,
              help="Folder to write.")
@click.pass_context
@answers
def report_command(out: TextIO, context: click.Context, store: str, folder: str) -> None:
    """Write figures and HTML again from stored results; what is damaged is named, with code 2."""
    from noisytheory.trial.store import Store

    with Store.load(store, __version__) as opened:
        _writable(folder, opened.ids())
        say(out, visible(_report(opened, folder, quiet=False)))
    context.exit(MISTAKE if damage_seen(context) else AS_EXPECTED)
