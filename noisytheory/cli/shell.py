"""The command line: what can be tried, what a bound says, what a trial finds.

Standard output carries the answer and nothing else: whatever a user's file prints goes to standard
error. Nothing heavy is imported before a command needs it, so that ``--help`` answers at once.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import io
import json
import os
import re
import shlex
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import click

from noisytheory import __version__

if TYPE_CHECKING:
    from fractions import Fraction

    from noisytheory.trial.claim import Claim, Discrepancy
    from noisytheory.trial.result import Audit, Result

__all__ = ["main"]

AS_EXPECTED, DIFFERS, MISTAKE, FAULT, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit codes."""

BUDGETS = ("smoke", "standard", "full")
"""The names in `noisytheory.trial.run.BUDGETS`, without importing it."""

DEBUG = "NOISYTHEORY_DEBUG"
"""Environment variable that asks for tracebacks."""

_LOOKS = {
    "upheld": ("✓", "green"),
    "refuted": ("✗", "magenta"),
    "undecided": ("?", "yellow"),
}
# The surroundings' fault, not ours: no room, no right, no descriptors.
_SURROUNDINGS = {
    errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EMFILE,
    errno.ENOMEM,
}
# Top-level modules of the claims of this run that are not this package's.
_foreign: set[str] = set()


class _Mistake(click.ClickException):
    """Wrong usage or bad input; the message says what and how to mend it."""


class _Interrupted(KeyboardInterrupt):
    """The user stopped the run; the message says how to go on."""


class _CommandLine(click.Group):
    """A group whose every failure is one line on standard error and an exit code."""

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        """Run a command; always ends in ``SystemExit``."""
        if "_NOISYTHEORY_COMPLETE" in os.environ:
            super().main(args, prog_name, **extra)
        words = list(sys.argv[1:] if args is None else args)
        code, line = self._run(words, extra)
        if line:
            command = words[:1] if words[:1] and words[0] in self.commands else []
            name = " ".join(["noisytheory", *command])
            click.echo(f"{name}: {' '.join(line.split())}", err=True)
        sys.exit(code)

    def _run(self, words: list[str], extra: dict[str, Any]) -> tuple[int, str]:
        _foreign.clear()
        for stream in (sys.stdout, sys.stderr):
            # A terminal that knows no Greek gets question marks, not a fault.
            with contextlib.suppress(AttributeError, OSError, ValueError):
                stream.reconfigure(errors="replace")  # type: ignore[union-attr]
        try:
            with self.make_context("noisytheory", words, **extra) as context:
                self.invoke(context)
            return AS_EXPECTED, ""
        except click.exceptions.Exit as stop:
            return stop.exit_code, ""
        except click.ClickException as error:
            return MISTAKE, error.format_message()
        except (click.Abort, KeyboardInterrupt) as error:
            return INTERRUPTED, str(error) or "interrupted"
        except BrokenPipeError:
            _discard(sys.stdout)
            return AS_EXPECTED, ""
        except (Exception, SystemExit) as error:
            if os.environ.get(DEBUG):
                traceback.print_exc()
            return _diagnose(error)


def _diagnose(error: BaseException) -> tuple[int, str]:
    """Whose fault it is, and the line that says so."""
    code, text = _told(error)
    # However much a claim's own error has to say.
    text = " ".join(text.split())
    return code, text if len(text) <= 600 else f"{text[:450]} ... {text[-100:]}"


def _told(error: BaseException) -> tuple[int, str]:
    """Whose fault it is, and what there is to say."""
    from noisytheory.trial.draws import ClaimError
    from noisytheory.trial.store import StoreError

    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    look = f"(traceback: {DEBUG}=1)"
    foreign = [frame for frame in _frames(error) if _module(frame).partition(".")[0] in _foreign]
    where = ""
    if foreign:
        where = Path(foreign[-1].tb_frame.f_code.co_filename).name
        where += f", line {foreign[-1].tb_lineno}"
    if isinstance(error, SystemExit):
        # From a worker it comes without its lines.
        who = where or " or ".join(_foreign_files()) or "a claim's code"
        return MISTAKE, f"{who} called sys.exit({error.code!r}): let it return instead"
    if isinstance(error, ClaimError):
        ours = not _foreign
        return (FAULT if ours else MISTAKE), f"{error} {look}"
    if where:
        return MISTAKE, f"{where} raised {what} {look}"
    if isinstance(error, StoreError):
        return MISTAKE, str(error)
    if isinstance(error, OSError) and error.errno in _SURROUNDINGS:
        place = f" {error.filename}" if error.filename else ""
        return MISTAKE, f"cannot read or write{place}: {error.strerror}"
    # What this package raises itself as ValueError speaks to the user; what comes out of a library
    # below it does not.
    frames = _frames(error)
    if isinstance(error, ValueError) and frames and _module(frames[-1]).startswith("noisytheory."):
        return MISTAKE, str(error)
    return FAULT, f"a fault of ours: {what}; run it again with {DEBUG}=1 for the traceback"


def _foreign_files() -> list[str]:
    """Names of the files that the claims of this run come from, as far as they have any."""
    files = [getattr(sys.modules.get(name), "__file__", None) for name in sorted(_foreign)]
    return [Path(file).name for file in files if file]


def _frames(error: BaseException) -> list[TracebackType]:
    frames, frame = [], error.__traceback__
    while frame is not None:
        frames.append(frame)
        frame = frame.tb_next
    return frames


def _module(frame: TracebackType) -> str:
    return str(frame.tb_frame.f_globals.get("__name__", ""))


def _discard(stream: TextIO) -> None:
    """Let what is still buffered for a reader that has gone vanish."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


@contextlib.contextmanager
def _only_answers() -> Iterator[TextIO]:
    """The true standard output, while everything else that is printed goes to standard error.

    File descriptor 1 itself is moved, so that compiled code and worker processes follow.
    """
    stream = sys.stdout
    try:
        number = stream.fileno()
    except (OSError, ValueError, AttributeError):
        # Captured by a test, or closed.
        with contextlib.redirect_stdout(sys.stderr):
            yield stream or io.StringIO()
        return
    stream.flush()
    kept = os.dup(number)
    try:
        os.dup2(2, number)
    except OSError:
        _discard(stream)
    try:
        with open(kept, "w", encoding=stream.encoding, errors="replace", closefd=False) as answers:
            yield answers
    finally:
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
        os.dup2(kept, number)
        os.close(kept)


def _answers(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the stream for its answer as first argument."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        with _only_answers() as out:
            command(out, *args, **kwargs)

    return run


def _say(out: TextIO, text: str) -> None:
    """Write a part of the answer; a reader that has gone is no error."""
    colour = None if not os.environ.get("NO_COLOR") else False
    try:
        click.echo(text, file=out, color=colour)
        out.flush()
    except BrokenPipeError:
        _discard(out)


def _say_json(out: TextIO, value: object) -> None:
    _say(out, json.dumps(_strict(value), indent=2, ensure_ascii=False, allow_nan=False))


def _strict(value: Any) -> Any:
    """As strict JSON knows it: no NaN, no infinities, nothing of NumPy's."""
    if isinstance(value, Mapping):
        return {str(key): _strict(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [_strict(item) for item in value]
    if hasattr(value, "tolist"):
        return _strict(value.tolist())
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    return value if value is None or isinstance(value, str | int) else str(value)


def _table(rows: Sequence[Sequence[str]], right: Iterable[int] = ()) -> str:
    """Aligned columns; the first row is the head. Styled cells count what is seen of them."""
    right = set(right)
    widths = [max(len(click.unstyle(row[i])) for row in rows) for i in range(len(rows[0]))]

    def cell(i: int, text: str) -> str:
        if i == len(widths) - 1 and i not in right:
            return text
        space = " " * (widths[i] - len(click.unstyle(text)))
        return space + text if i in right else text + space

    head = [click.style(cell(i, text), bold=True) for i, text in enumerate(rows[0])]
    body = [[cell(i, text) for i, text in enumerate(row)] for row in rows[1:]]
    return "\n".join("  ".join(row) for row in [head, *body])


def _offer(word: str, known: Iterable[str]) -> str:
    """``"; did you mean n?"`` where something near is known, else all of it."""
    import difflib

    known = list(known)
    quoted = {name: repr(name) if re.search(r"[\s,]", name) else name for name in known}
    folded = {name.casefold(): name for name in known}
    cutoff = 0.99 if word.casefold() in folded else 0.4
    near = [folded[k] for k in difflib.get_close_matches(word.casefold(), folded, 3, cutoff)]
    if near:
        return f"; did you mean {' or '.join(quoted[name] for name in near)}?"
    shown = ", ".join(list(quoted.values())[:8]) + (", ..." if len(known) > 8 else "")
    return f"; known: {shown}" if known else ""


def _all_claims() -> list[Claim]:
    """The catalogue; a broken plug-in is named, not taken for a fault of ours."""
    from noisytheory.trial.catalogue import ENTRY_POINTS, catalogue, distinct

    try:
        return distinct(catalogue().values())
    except (Exception, SystemExit):
        import importlib
        from importlib.metadata import entry_points

        for entry in entry_points(group=ENTRY_POINTS):
            try:
                importlib.import_module(entry.value)
            except (Exception, SystemExit) as error:
                package = entry.dist.name if entry.dist is not None else entry.name
                raise _Mistake(
                    f"the installed package {package} ships claims in {entry.value}, which raised "
                    f"{type(error).__name__}: {error}; mend or uninstall it"
                ) from error
        raise


@functools.cache
def _claims_in(path: Path) -> list[Claim]:
    from noisytheory.trial.catalogue import load_file

    # The file may import its neighbours, as it could when run by itself; workers get the same path.
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    return load_file(path)


def _named(target: str) -> list[Claim]:
    """Claims by id, shell pattern, file, or ``FILE.py::ID``."""
    from noisytheory.trial.catalogue import match

    name, _, inside = target.partition("::")
    if not name.endswith(".py") and not Path(name).is_file():
        _all_claims()
        return match(target)
    found = _claims_in(Path(name).resolve())
    if not inside:
        return found
    chosen = [claim for claim in found if inside in claim.names]
    if not chosen:
        ids = [name for claim in found for name in claim.names]
        raise _Mistake(f"{Path(name).name} declares no claim {inside!r}{_offer(inside, ids)}")
    return chosen


def _chosen(targets: Sequence[str], keyword: str | None = None) -> list[Claim]:
    """Claims that the words of the command line name, each once; all if there are none."""
    from noisytheory.trial.run import select

    keep = _keyword(keyword) if keyword is not None else None
    if targets:
        found = select([claim for target in targets for claim in _named(target)])
    else:
        found = _all_claims()
    if keep is not None:
        found = [claim for claim in found if any(map(keep, claim.names))]
        if not found:
            raise _Mistake(f"no claim matches -k {keyword!r}; `noisytheory claims` lists all")
    for claim in found:
        for function in (claim.bound, claim.simulate, claim.exact, claim.certify):
            top = str(getattr(function, "__module__", None) or "noisytheory").partition(".")[0]
            if top not in ("noisytheory", "functools", "builtins"):
                _foreign.add(top)
    return found


def _one(target: str) -> Claim:
    found = _chosen([target])
    if len(found) > 1:
        ids = ", ".join(claim.id for claim in found[:8]) + (", ..." if len(found) > 8 else "")
        how = f" (write {target}::ID)" if target.endswith(".py") else ""
        raise _Mistake(f"{target} names {len(found)} claims: choose one of {ids}{how}")
    return found[0]


def _keyword(text: str) -> Callable[[str], bool]:
    """The predicate over ids of an expression of words, ``and``, ``or``, ``not``, parentheses."""
    tokens = re.findall(r"[()]|[^\s()]+", text)

    def wrong(expected: str) -> _Mistake:
        came = repr(tokens[0]) if tokens else "the end"
        return _Mistake(
            f"-k {text!r}: expected {expected}, got {came}; write words with and, or, not, ( )"
        )

    def either() -> Callable[[str], bool]:
        left = both()
        while tokens and tokens[0].lower() == "or":
            tokens.pop(0)
            left = (lambda a, b: lambda name: a(name) or b(name))(left, both())
        return left

    def both() -> Callable[[str], bool]:
        left = single()
        while tokens and tokens[0].lower() == "and":
            tokens.pop(0)
            left = (lambda a, b: lambda name: a(name) and b(name))(left, single())
        return left

    def single() -> Callable[[str], bool]:
        if not tokens or tokens[0] == ")" or tokens[0].lower() in ("and", "or"):
            raise wrong("a word")
        token = tokens.pop(0)
        if token.lower() == "not":
            inner = single()
            return lambda name: not inner(name)
        if token == "(":
            inner = either()
            if not tokens or tokens[0] != ")":
                raise wrong("')'")
            tokens.pop(0)
            return inner
        return lambda name: token.lower() in name.lower()

    predicate = either()
    if tokens:
        raise wrong("and, or")
    return predicate


def _level(context: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    if value is not None and not 0 < value < 1:
        raise click.BadParameter(f"must be a number in (0, 1), got {value:g}")
    return value


_json_flag = click.option("--json", "as_json", is_flag=True, help="JSON on standard output.")
_keyword_option = click.option(
    "-k", "keyword", metavar="EXPR", help="Only ids with these words: 'kernel and not printed'."
)
_seed_option = click.option(
    "--seed", type=click.IntRange(min=0), help="Root seed; without it the same for everybody."
)


@click.group(
    cls=_CommandLine, invoke_without_command=True, context_settings={
        "help_option_names": ["-h", "--help"], "max_content_width": 100,
    },
)
@click.version_option(__version__, message="%(version)s")
@click.pass_context
def main(context: click.Context) -> None:
    """Learning theory on trial.

    Compute a bound, simulate what it speaks of, reach a verdict. A claim is named by its ID,
    several by a shell pattern, your own by the Python file that declares them.

    \b
    Exit codes: 0 every verdict as expected, 1 a verdict differs, 2 wrong usage or
    bad input, 3 a fault of ours, 130 interrupted.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@main.command()
@click.argument("pattern", metavar="[GLOB]", required=False)
@_keyword_option
@_json_flag
@_answers
def claims(out: TextIO, pattern: str | None, keyword: str | None, as_json: bool) -> None:
    """List what can be put on trial."""
    found = _chosen([pattern] if pattern is not None else [], keyword)
    if as_json:
        _say_json(out, [claim.summary() for claim in found])
        return
    rows = [
        row for c in found
        for row in ([c.id, c.kind, c.expect, c.place],
                    *([other.id, f"= {c.id}", c.expect, other.place] for other in c.also))
    ]
    _say(out, _table([["id", "kind", "expected", "place in print"], *rows]))


@main.command()
@click.argument("pattern", metavar="[PAPER|NUMBER]", required=False)
@_json_flag
@_answers
def discrepancies(out: TextIO, pattern: str | None, as_json: bool) -> None:
    """List where print and truth differ: all, of a paper, or a number such as D9."""
    import fnmatch

    papers = {
        paper.id: paper for claim in _all_claims()
        for paper in (claim.paper, *(other.paper for other in claim.also))
    }
    known = [
        (paper.id, number, places)
        for paper in papers.values() for number, places in paper.discrepancies.items()
    ]
    found = [
        (paper, number, places) for paper, number, places in known
        if pattern is None
        or any(fnmatch.fnmatchcase(n, pattern) for n in (paper, number, f"{paper}/{number}"))
    ]
    if not found:
        names = dict.fromkeys(n for paper, number, _ in known for n in (paper, number))
        raise _Mistake(f"no paper or number {pattern!r}{_offer(str(pattern), names)}")
    entries = [
        _discrepancy(paper, number, place) for paper, number, places in found for place in places
    ]
    if as_json:
        _say_json(out, entries)
        return
    _say(out, "\n\n".join(_discrepancy_text(entry) for entry in entries))


def _discrepancy(paper: str, number: str, about: Discrepancy) -> dict[str, Any]:
    from noisytheory.trial.catalogue import find

    def named(names: Iterable[str]) -> list[dict[str, str]]:
        claims = [find(f"{paper}/{name}") for name in names]
        return [{"id": c.id, "expected": c.expect, "origin": c.origin} for c in claims]

    return {
        "paper": paper, "number": number, "place": about.place, "printed": about.printed,
        "true": about.true, "claims": named(about.claims), "repaired": named(about.repaired),
        "why": about.why or None,
    }


def _discrepancy_text(entry: Mapping[str, Any]) -> str:
    lines = [f"{click.style(entry['number'], bold=True)}  {entry['paper']}, {entry['place']}"]
    told = [("print says", entry["printed"]), ("true is", entry["true"])]
    for head, claims in (("as printed", entry["claims"]), ("repaired", entry["repaired"])):
        told += [
            ("candidate" if claim["origin"] == "candidate" else head,
             f"{claim['id']} ({claim['expected']})") for claim in claims
        ]
    told += [("not refuted", entry["why"])] if entry["why"] else []
    return "\n".join([*lines, *(f"  {head:<12}{text}" for head, text in told)])


def _arguments(claim: Claim) -> list[dict[str, Any]]:
    """What the bound reads: name, what is allowed, default, and where a trial takes it from."""
    import inspect

    if claim.bound is None:
        return []
    domains = getattr(claim.bound, "domains", {})
    drawn = claim.drawn_names()
    out = []
    for name, parameter in inspect.signature(claim.bound).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        given = parameter.default is not parameter.empty
        source = "the simulator's draws" if name in drawn else "the population"
        if name in claim.grid:
            source = "the grid"
        elif given and not hasattr(claim.grid.get("population", (None,))[0], name):
            source = "its default"
        out.append({
            "name": name,
            "allowed": str(domains[name]) if name in domains else None,
            "default": parameter.default if given else None,
            "required": not given,
            "from": source,
        })
    return out


def _described(claim: Claim) -> dict[str, Any]:
    from noisytheory.trial.claim import KINDS

    return {
        **claim.summary(),
        "title": claim.paper.title,
        "authors": claim.paper.authors,
        "reference": claim.paper.reference,
        "promise": KINDS[claim.kind],
        "hypotheses": list(claim.hypotheses),
        "quantity": claim.quantity,
        "unit": claim.unit,
        "grid": {name: claim.labels(name) for name in claim.grid},
        "cells": claim.size,
        "rows": claim.rows,
        "arguments": _arguments(claim),
        "exact": claim.exact is not None,
        "note": claim.note,
        "given": {n: str(getattr(v, "name", v)) for n, v in claim.given.items()},
        "discrepancies": list(claim.discrepancies),
        "twin": None if claim.twin is None else str(claim.twin.get("why", "")),
    }


@main.command()
@click.argument("claim_id", metavar="ID")
@_json_flag
@_answers
def show(out: TextIO, claim_id: str, as_json: bool) -> None:
    """Statement, place in print, hypotheses, kind, grid, arguments, notes of one claim."""
    claim = _one(claim_id)
    about = _described(claim)
    if as_json:
        _say_json(out, about)
        return
    paper = ", ".join(part for part in (about["title"], claim.paper.authors,
                                        claim.paper.reference) if part)
    lines = [
        click.style(claim.id, bold=True), "",
        f"  {claim.statement}", "",
        f"paper       {paper}",
        f"place       {claim.place or '-'}",
        f"kind        {claim.kind}: {about['promise']}",
        f"expected    {claim.expect}",
        f"origin      {claim.origin}",
    ]
    lines += [f"also        {o.id}: {o.paper.title}, {o.place}" for o in claim.also]
    if claim.discrepancies:
        lines.append(f"print errs  {', '.join(claim.discrepancies)}; `noisytheory discrepancies`")
    if claim.simulate is not None or claim.exact is not None:
        drawn = f", blocks of {claim.rows} replicates" if claim.simulate is not None else ""
        exact = ", exact" + " where it can be" * bool(drawn) if claim.exact is not None else ""
        lines += [
            f"left side   {claim.quantity} [{claim.unit}]",
            f"cells       {claim.size}{drawn}{exact}",
        ]
    else:
        lines.append(f"not tried   {claim.reason}")
    lines += _listed("hypotheses", claim.hypotheses)
    grid = [f"{name} = {'; '.join(map(str, values))}" for name, values in about["grid"].items()]
    lines += _listed("grid", grid)
    lines += _listed("given", [f"{name} = {value}" for name, value in about["given"].items()])
    lines += _listed("the bound reads", [_argument_line(a) for a in about["arguments"]])
    lines += _listed("note", claim.note.strip().splitlines())
    lines += _listed("broken twin", [about["twin"]] if about["twin"] else [])
    _say(out, "\n".join(lines))


def _listed(head: str, items: Sequence[str]) -> list[str]:
    return ["", head, *(f"  {item}" for item in items)] if items else []


def _argument_line(argument: Mapping[str, Any]) -> str:
    allowed = f": {argument['allowed']}" if argument["allowed"] else ""
    default = "" if argument["required"] else f", default {argument['default']}"
    return f"{argument['name']}{allowed}{default} (from {argument['from']})"


@main.command()
@click.argument("claim_id", metavar="ID")
@click.argument("assignments", metavar="[NAME=VALUE ...]", nargs=-1)
@_json_flag
@_answers
def bound(out: TextIO, claim_id: str, assignments: tuple[str, ...], as_json: bool) -> None:
    """Evaluate the bound: n=1000 delta=0.05, or several values n=10,100.

    population=NAME takes a population of the claim's grid; what the bound reads of it can be given
    by itself as well. Where the right side is no formula but comes with every instance, it is that
    of the first one at a cell of the grid; parameters left out take their first value.
    """
    import itertools

    claim = _one(claim_id)
    if claim.bound is None:
        if claim.simulate is None and claim.exact is None:
            raise _Mistake(f"{claim.id} has no bound to evaluate; `noisytheory show {claim_id}`")
        _say_right_sides(out, claim, claim_id, assignments, as_json)
        return
    given = _assigned(claim, assignments)
    points = []
    for combination in itertools.product(*given.values()):
        values = dict(zip(given, combination, strict=True))
        labels = {name: getattr(v, "name", v) for name, v in values.items()}
        points.append({**labels, "bound": _evaluate(claim, values, labels)})
    numbers = [point["bound"] for point in points]
    if as_json:
        _say_json(out, {
            "id": claim.id,
            "quantity": claim.quantity,
            "unit": claim.unit,
            "bound": numbers[0] if all(len(v) == 1 for v in given.values()) else numbers,
            "points": points,
        })
    elif all(len(values) == 1 for values in given.values()):
        _say(out, repr(numbers[0]))
    else:
        rows = [[_cell_text(value) for value in point.values()] for point in points]
        _say(out, _table([[*given, "bound"], *rows], right=range(len(given) + 1)))


def _say_right_sides(
    out: TextIO, claim: Claim, target: str, assignments: Sequence[str], as_json: bool
) -> None:
    """The right side of the first instance at the chosen cells, and where it comes from."""
    from noisytheory.trial.run import DEFAULT_SEED

    found = []
    for index in _cells_given(claim, assignments):
        labels = {name: getattr(v, "name", v) for name, v in claim.cell(index).items()}
        found.append((labels, _right_side(claim, index, DEFAULT_SEED)))
    if as_json:
        numbers = [about["bound"] for _, about in found]
        _say_json(out, {
            "id": claim.id,
            "quantity": claim.quantity,
            "unit": claim.unit,
            "bound": numbers[0] if len(numbers) == 1 else numbers,
            "points": [{**labels, **about} for labels, about in found],
        })
        return
    lines = []
    for _, about in found:
        seed = [] if about["seed"] is None else ["--seed", str(about["seed"])]
        words = shlex.join([target, *seed, "--address", about["address"]])
        lines.append(f"{about['bound']!r}  ({about['says']}; noisytheory replay {words})")
    _say(out, "\n".join(lines))


def _cells_given(claim: Claim, assignments: Sequence[str]) -> list[int]:
    """Indices of the cells at the given values; of a parameter that is not given, its first."""
    import itertools

    import numpy as np

    chosen: dict[str, list[int]] = {}
    for text in assignments:
        name, sign, value = text.partition("=")
        if not sign or not name:
            example = f"{claim.dims[0]}={claim.labels(claim.dims[0])[0]}" if claim.dims else ""
            such = f", such as {example}" if example else ""
            raise _Mistake(f"{text!r} is not of the form NAME=VALUE{such}")
        if name not in claim.dims:
            raise _Mistake(f"unknown parameter {name!r}{_offer(name, claim.dims)} (the cells of "
                           f"{claim.id} have {', '.join(claim.dims) or 'no parameter'})")
        if name in chosen:
            raise _Mistake(f"{name} is given twice; several values go in one list, with commas")
        labels, wanted = claim.labels(name), _values(claim, name, value)
        values = [getattr(v, "name", v) for v in wanted]
        for label in values:
            if label not in labels:
                raise _Mistake(f"{claim.id} has no cell with {name}={label}: its right side comes "
                               f"with the instances{_offer(str(label), map(str, labels))}")
        chosen[name] = [labels.index(label) for label in values]
    places = itertools.product(*(chosen.get(name, [0]) for name in claim.dims))
    return [int(np.ravel_multi_index(at, claim.shape)) if at else 0 for at in places]


def _right_side(claim: Claim, index: int, seed: int) -> dict[str, Any]:
    """The right side that comes with the first instance at a cell: enumerated, or else drawn."""
    from noisytheory.trial.draws import draw, exact_evidence, renamed

    cell = claim.cell(index)
    exact = exact_evidence(claim, cell) if claim.exact is not None else None
    if isinstance(exact, Mapping):
        drawn, block = renamed(exact), "exact"
        count = len(drawn["lhs"])
        says = "exact" if count == 1 else f"exact, of instance 0 of {count}"
    elif claim.simulate is not None:
        drawn, block, says = draw(claim, cell, 0, seed=seed), "0", "of the first draw"
    else:
        raise _Mistake(f"{claim.id} has no right side at {claim.address(cell) or 'its cell'}")
    name = "rhs_draw" if "rhs_draw" in drawn else "other"
    if name == "other":
        says += " from the second law"
    if not bool(drawn["applies"][0] if "applies" in drawn else True):
        says += ", where the hypotheses do not hold"
    return {
        "bound": float(drawn[name][0]),
        "of": "exact evidence" if block == "exact" else "first draw",
        "says": says,
        "seed": None if block == "exact" else seed,
        "address": f"{claim.address(cell)};{block};0",
    }


def _cell_text(value: Any) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _assigned(claim: Claim, assignments: Sequence[str]) -> dict[str, list[Any]]:
    """Values by argument, as typed; every argument of the bound without a default has some."""
    arguments = {argument["name"]: argument for argument in _arguments(claim)}
    populations = claim.grid.get("population", ())
    known = [*arguments, *(["population"] if populations and "population" not in arguments else [])]
    allowed = {name: argument["allowed"] for name, argument in arguments.items()}
    takes = ", ".join(
        f"{name} ({allowed[name]})" if allowed.get(name) else name for name in known
    )
    given: dict[str, list[Any]] = {}
    for text in assignments:
        name, sign, value = text.partition("=")
        if not sign or not name:
            raise _Mistake(f"{text!r} is not of the form NAME=VALUE, such as n=1000")
        if name not in known:
            raise _Mistake(
                f"unknown parameter {name!r}{_offer(name, known)} (the bound takes {takes})"
            )
        if name in given:
            raise _Mistake(f"{name} is given twice; several values go in one list: {name}=10,100")
        given[name] = _values(claim, name, value)
    missing = [
        name for name, argument in arguments.items()
        if argument["required"] and name not in given
        and not all(hasattr(p, name) for p in given.get("population", (None,)))
    ]
    if missing:
        example = " ".join(f"{name}={_example(claim, name)}" for name in missing)
        if all(hasattr(p, name) for p in populations for name in missing):
            example += f", or 'population={_example(claim, 'population')}'" if populations else ""
        raise _Mistake(f"missing parameter {', '.join(missing)}: add {example} "
                       f"(the bound takes {takes})")
    reads = [n for n in arguments if any(hasattr(p, n) for p in given.get("population", ()))]
    if "population" in given and "population" not in arguments and not set(reads) - set(given):
        raise _Mistake(f"the bound does not read population (it takes {', '.join(arguments)})")
    return given


def _example(claim: Claim, name: str) -> str:
    return str(claim.labels(name)[0]) if name in claim.grid else "NUMBER"


def _values(claim: Claim, name: str, text: str) -> list[Any]:
    """The values of one assignment: objects of the grid by name, else numbers."""
    labels = claim.labels(name) if name in claim.grid else []
    if any(isinstance(label, str) for label in labels):
        by_label = dict(zip(map(str, labels), claim.grid[name], strict=True))
        if text in by_label:
            return [by_label[text]]
        pieces = [piece.strip() for piece in text.split(",")]
        for piece in pieces:
            if piece not in by_label:
                raise _Mistake(f"unknown {name} {piece!r}{_offer(piece, by_label)}")
        return [by_label[piece] for piece in pieces]
    numbers = [_number(name, piece.strip()) for piece in text.split(",")]
    if len(set(numbers)) < len(numbers):
        raise _Mistake(f"{name} has the same value twice in {text!r}")
    return numbers


def _number(name: str, text: str) -> int | float:
    from fractions import Fraction

    try:
        number = float(text) if text.strip("+-").lower() in ("inf", "infinity", "nan") else (
            Fraction(text)
        )
    except (ValueError, ZeroDivisionError):
        raise _Mistake(f"{name} must be a number, got {text!r}") from None
    if isinstance(number, float):
        return number  # what the argument may be says whether that is allowed
    if number.denominator == 1 and abs(number) < 2**53 and re.fullmatch(r"[+-]?[\d_]+", text):
        return int(number)
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def _evaluate(claim: Claim, values: Mapping[str, Any], labels: Mapping[str, Any]) -> float:
    import numpy as np

    assert claim.bound is not None
    # Where no domain says what an argument may be, a division by zero does.
    strictness: Any = "ignore" if hasattr(claim.bound, "domains") else "raise"
    where = ", ".join(f"{name}={label}" for name, label in labels.items())
    cell = {name: value for name, value in values.items() if name == "population"}
    given = {name: value for name, value in values.items() if name != "population"}
    try:
        with np.errstate(divide=strictness, invalid=strictness):
            value = np.asarray(claim.call(claim.bound, cell, **given), float)
    except (ArithmeticError, TypeError) as error:
        raise _Mistake(f"the bound cannot be evaluated at {where}: {error}") from error
    if value.size != 1 or np.isnan(value).any():
        raise _Mistake(f"the bound is not a number at {where}")
    return float(value.ravel()[0])


@main.command()
@click.argument("targets", metavar="[ID|GLOB|FILE.py ...]", nargs=-1)
@click.option("--budget", type=click.Choice(BUDGETS), help="How long to try; default standard.")
@click.option("--replicates", type=click.IntRange(min=1), metavar="N",
              help="At most N replicates a cell, in whole blocks, instead of the budget's.")
@_seed_option
@click.option("--alpha", type=float, callback=_level, metavar="A",
              help="Error level over the whole audit; default 0.01.")
@click.option("--workers", type=click.IntRange(min=1), metavar="N",
              help="Local processes; default: the usable cores.")
@click.option("--scheduler", metavar="ADDRESS", help="A Dask scheduler instead of local processes.")
@click.option("--store", metavar="PATH|URL",
              help="Keep blocks and results here; an interrupted run goes on from it.")
@click.option("--report", "report_folder", metavar="DIR", help="Write the HTML report here.")
@_json_flag
@_keyword_option
@click.option("--dry-run", is_flag=True, help="Say what would be tried, draw nothing.")
@click.option("--quiet", "-q", is_flag=True, help="One line of summary, no table, no progress.")
@click.pass_context
@_answers
def audit(
    out: TextIO, context: click.Context, targets: tuple[str, ...], budget: str | None,
    replicates: int | None, seed: int | None, alpha: float | None, workers: int | None,
    scheduler: str | None, store: str | None, report_folder: str | None, as_json: bool,
    keyword: str | None, dry_run: bool, quiet: bool,
) -> None:
    """Put claims on trial: all, by id, by shell pattern, or those that a file of yours declares."""
    if scheduler is not None and workers is not None:
        raise _Mistake("--workers and --scheduler exclude each other: give one of them")
    claims = _chosen(targets, keyword)
    chosen: dict[str, Any] = {
        "budget": budget, "replicates": replicates, "seed": seed, "alpha": alpha,
        "scheduler": scheduler, "store": store,
    }
    settings = {name: value for name, value in chosen.items() if value is not None}
    if dry_run:
        _say_plan(out, claims, settings, as_json)
        return
    if report_folder is not None:
        _writable(report_folder)
    if scheduler is None:
        settings["workers"] = workers or _usable_cores(claims)
    from noisytheory.trial.run import Unfinished

    stopped: dict[str, tuple[int, str]] = {}
    try:
        found = _tried(claims, settings, quiet)
    except Unfinished as unfinished:
        found = unfinished.audit
        stopped = {name: _diagnose(error) for name, error in unfinished.faults.items()}
    with found:
        # The answer first: a report that cannot be written must not take it along.
        page = None if report_folder is None else str(Path(report_folder) / "index.html")
        if as_json:
            extra = {
                "as_expected": found.as_expected and not stopped, "store": store, "report": page,
                "not_tried": {name: line for name, (_, line) in stopped.items()},
            }
            _say_json(out, {**found.to_dict(), **extra})
        else:
            if not quiet:
                _say(out, _verdicts(found, plain=not out.isatty()))
            _say(out, _summary(found, len(stopped)))
        if report_folder is not None:
            _report(found, report_folder)
        if page is not None and not as_json and not quiet:
            _say(out, f"report {page}")
    for name, (_, line) in stopped.items():
        # Not every line names its claim.
        click.echo(f"not tried: {line if name in line else f'{name}: {line}'}", err=True)
    codes = [code for code, _ in stopped.values()]
    context.exit(max([*codes, AS_EXPECTED if found.as_expected else DIFFERS]))


def _usable_cores(claims: Sequence[Claim]) -> int:
    """Cores that this process may use, containers' limits included; not more than there is work."""
    from joblib import cpu_count

    return max(1, min(int(cpu_count()), sum(claim.size for claim in claims)))


def _tried(claims: Sequence[Claim], settings: Mapping[str, Any], quiet: bool) -> Audit:
    """The audit, with bars on a terminal; interrupted, it says how to go on."""
    from multiprocessing import active_children

    from noisytheory.trial.run import audit as try_claims

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    # Asked to end is asked to end, by a key or by the system.
    before = _on_termination(stop)
    try:
        with _bars(sum(claim.size for claim in claims if claim.kind != "cited"), quiet) as progress:
            found: Audit = try_claims(list(claims), progress=progress, **settings)
            return found
    except KeyboardInterrupt:
        # Only this process writes, so the workers have nothing to lose.
        for worker in active_children():
            worker.terminate()
        go_on = "nothing was kept; with --store PATH an interrupted run goes on where it stopped"
        if "store" in settings:
            go_on = f"the store {settings['store']} is whole: the same command goes on from there"
        raise _Interrupted(f"interrupted; {go_on}") from None
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
        TextColumn("{task.description}", markup=False), console=Console(stderr=True),
        transient=True,
    ) as bars:
        task = bars.add_task("starting", total=cells)

        def progress(claim_id: str, done: int, total: int, replicates: int) -> None:
            decided[claim_id], drawn[claim_id] = done, replicates
            bars.update(
                task, completed=sum(decided.values()),
                description=f"{sum(drawn.values()):,} replicates, {claim_id}",
            )

        yield progress


def _verdicts(found: Audit, plain: bool) -> str:
    head = ["id", "kind", "verdict", "expected", "tightness", "resolution", "replicates"]
    return _table([head, *(_verdict_row(result, plain) for result in found)], right=(4, 5, 6))


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
    return [result.claim.id, result.claim.kind, verdict, expected, number(result.tightness),
            number(result.resolution), drawn]


def _summary(found: Audit, stopped: int) -> str:
    differing = [result for result in found if not result.as_expected]
    lines = [
        f"{r.claim.id}: {r.verdict}, expected {r.claim.expect}: {r.reason}" for r in differing
    ]
    count = f"{len(found)} claim{'s' if len(found) != 1 else ''}"
    verdict = "as expected" if not differing else (
        f"{len(differing)} not as expected: {', '.join(r.claim.id for r in differing)}"
    )
    facts = [
        f"{found.settings['seconds']:.1f} s", f"seed {found.settings['seed']}",
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
        _say_json(out, {"seed": run.DEFAULT_SEED, **settings, "claims": plan})
        return
    head = ["id", "kind", "cells", "levels", "block", "replicates <=", "exact"]
    rows = [[f"{v:,}" if isinstance(v, int) else v for v in entry.values()] for entry in plan]
    total = sum(entry["replicates_at_most"] for entry in plan)
    _say(out, _table([head, *rows], right=(2, 3, 4, 5)))
    _say(out, f"{len(plan)} claim{'s' if len(plan) != 1 else ''}, "
              f"{sum(entry['cells'] for entry in plan):,} cells, at most {total:,} replicates; "
              "nothing was drawn")


def _report(source: Audit | str, folder: str) -> str:
    """Write the report; what the system refuses is told with the folder."""
    from noisytheory import report as reports

    try:
        return str(reports.write(source, folder))
    except OSError as error:
        if error.errno not in _SURROUNDINGS:
            raise
        # A full disk speaks through whatever library was writing, often without a name.
        raise _Mistake(
            f"cannot write the report to the folder {folder}: {error.strerror}"
        ) from error


def _writable(folder: str) -> None:
    """Refuse a folder that nothing can be written to, before the work and not after it."""
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise _Mistake(f"{folder} is a file: name a folder for the report")
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise _Mistake(
            f"cannot write to the folder {folder}: {error.strerror}; name another one"
        ) from error


@main.command("report")
@click.argument("store", metavar="STORE")
@click.option("--output", "folder", metavar="DIR", default="report", show_default=True,
              help="Folder to write.")
@_answers
def report_command(out: TextIO, store: str, folder: str) -> None:
    """Write figures and HTML again from stored results."""
    from noisytheory.trial.store import Store

    Store.load(store, __version__).close()
    _writable(folder)
    _say(out, _report(store, folder))


@main.command()
@click.argument("claim_id", metavar="ID")
@_seed_option
@click.option("--store", metavar="PATH|URL", help="Where the results are; without it, try again.")
@click.option("--address", metavar="'CELL;BLOCK;ROW'",
              help="This draw instead of the worst, e.g. 'n=100;0;17'; BLOCK exact: what is "
                   "enumerated there.")
@click.option("--budget", type=click.Choice(BUDGETS),
              help="Of the trial that is made without --store and --address; default smoke.")
@click.option("--replicates", type=click.IntRange(min=1), metavar="N",
              help="At most N replicates a cell in that trial, instead of the budget's.")
@click.option("--alpha", type=float, callback=_level, metavar="A",
              help="Error level of that trial; default 0.01.")
@_json_flag
@_answers
def replay(
    out: TextIO, claim_id: str, seed: int | None, store: str | None, address: str | None,
    budget: str | None, replicates: int | None, alpha: float | None, as_json: bool,
) -> None:
    """The counterexample, step by step, or the draw nearest to breaking the bound."""
    from noisytheory.trial.result import replay_address
    from noisytheory.trial.run import DEFAULT_SEED

    chosen: dict[str, Any] = {
        "budget": budget, "replicates": replicates, "alpha": alpha, "seed": seed,
    }
    settings = {name: value for name, value in chosen.items() if value is not None}
    useless = [f"--{name}" for name in settings if name != "seed"]
    if useless and (store is not None or address is not None):
        other = "--store" if store is not None else "--address"
        raise _Mistake(f"with {other} nothing is tried anew: leave out {', '.join(useless)}")
    claim = _one(claim_id)
    where = _place_of(claim, address) if address is not None else None
    if store is not None:
        about, steps = _replay_stored(claim, store, seed, where)
    elif where is not None:
        root = DEFAULT_SEED if seed is None else seed
        about, steps = _this(where), replay_address(claim, *where, seed=root)
    else:
        if useless:
            settings["workers"] = _usable_cores([claim])
        with _tried([claim], {"budget": "smoke", **settings}, quiet=False) as found:
            about, steps = _replayed(found[claim.id])
    # Exact evidence is enumerated, not drawn: no block has it.
    drawn = steps["block"] >= 0
    tried = claim.kind != "cited"
    block = steps["block"] if drawn else "exact"
    spot = f"{steps['cell']};{block};{steps['row']}" if tried else None
    if as_json:
        _say_json(out, {**steps, "address": spot, "what": about})
        return
    lines = [
        f"{click.style(claim.id, bold=True)}: {about}", "",
        f"seed        {steps['seed']}",
        f"address     {spot if drawn else _exact_place(steps)}",
        f"left side   {steps['lhs']}",
        f"right side  {steps['rhs']}",
    ]
    width = max((len(name) for name, _ in steps["steps"]), default=0)
    hang = "\n" + " " * (width + 4)
    lines += _listed("steps", [
        f"{name:<{width}}  {hang.join(str(value).splitlines())}" for name, value in steps["steps"]
    ])
    if spot is not None:
        words = [claim_id, *(["--seed", str(steps["seed"])] if drawn else []), "--address", spot]
        head = "the same draw again" if drawn else "the same again"
        lines += _listed(head, [f"noisytheory replay {shlex.join(words)}"])
    _say(out, "\n".join(lines))


def _this(where: tuple[int, int, int]) -> str:
    return "this draw" if where[1] >= 0 else "this exact evidence"


def _exact_place(steps: Mapping[str, Any]) -> str:
    """Where exact evidence stands: it has no block."""
    cell = steps["cell"] or "its only cell"
    return f"exact, instance {steps['row']} at {cell}" if steps["row"] else f"exact, at {cell}"


def _replayed(result: Result) -> tuple[str, dict[str, Any]]:
    found = result.counterexample
    if found is not None:
        return "a certified counterexample", found
    nearest = result.replay()
    about = _heading(result.claim, nearest)
    return about + (f" (refuted: {result.reason})" if result.verdict == "refuted" else ""), nearest


def _heading(claim: Claim, steps: Mapping[str, Any]) -> str:
    """What the draw, or exact cell, that comes nearest to breaking the promise says of it."""
    if claim.kind == "cited":
        return "nothing to try"
    gap = _middle(steps["lhs"]) - _middle(steps["rhs"])
    if steps["block"] < 0:
        broken = gap < 0 if claim.kind == "exists" else gap > 0
        broken = abs(gap) > claim.rounding if claim.kind in ("equal", "identity") else broken
        return "exact, beyond the bound" if broken else "exact, nearest to breaking the bound"
    if claim.kind == "rate":
        return "a draw; the promise is about a slope, which no single draw has"
    if claim.kind == "published":
        return "the draw largest against the printed number; only the mean must come out"
    if claim.kind == "equal":
        if claim.bound is None:
            return "the pair of draws furthest apart; only their laws must agree"
        return "the draw largest against the value; only the mean must equal it"
    if claim.kind == "identity":
        return "the draw whose sides differ most"
    if gap <= 0:
        return "the draw nearest to breaking the bound"
    allowed = {
        "tail": "draws may exceed it with probability delta",
        "mean": "only the mean must stay below it",
        "always": "what is not certified in exact arithmetic refutes nothing",
    }[claim.kind]
    level = f" at delta={claim.deltas[-1]:g}" if len(claim.deltas) > 1 else ""
    return f"the draw furthest beyond the bound{level}; {allowed}"


def _middle(side: str) -> Fraction:
    """A side as a step says it: a number, a fraction, or the interval that holds it."""
    from fractions import Fraction

    ends = re.fullmatch(r"in \[(.+), (.+)\]", side)
    if ends:
        return sum(map(Fraction, ends.groups()), Fraction(0)) / 2
    # What is said behind the number is for the reader.
    text = side.partition(" ")[0]
    return Fraction(10**400 if text == "inf" else -(10**400) if text == "-inf" else text)


def _replay_stored(
    claim: Claim, location: str, seed: int | None, where: tuple[int, int, int] | None
) -> tuple[str, dict[str, Any]]:
    from noisytheory.trial.result import Result, replay_address
    from noisytheory.trial.store import Store

    with Store.load(location, __version__) as store:
        if claim.id not in store.ids():
            raise _Mistake(
                f"the store {location} has no finished claim {claim.id}"
                f"{_offer(claim.id, store.ids())}"
            )
        summary = store.read(claim.id)
        stored = int(summary.attrs["seed"])
        if seed is not None and seed != stored:
            raise _Mistake(f"the store {location} was drawn with seed {stored}, not {seed}: "
                           "leave out --seed or --store")
        result = Result(claim, summary, stored, store=store)
        if where is None and result.counterexample is not None:
            return _replayed(result)
        if summary.attrs["fingerprint"] != claim.fingerprint():
            raise _Mistake(
                f"the store {location} has {claim.id} from other code or versions, which cannot be "
                "drawn again here: audit it anew into another store"
            )
        if where is not None:
            return _this(where), replay_address(claim, *where, seed=stored)
        return _replayed(result)


def _place_of(claim: Claim, address: str) -> tuple[int, int, int]:
    """Cell index, block and row of an address as `replay` prints it."""
    if claim.simulate is None and claim.exact is None:
        raise _Mistake(f"{claim.id} draws nothing, so no address leads to a draw")
    parts = address.rsplit(";", 2)
    if len(parts) != 3:
        raise _Mistake(f"address must be CELL;BLOCK;ROW, such as {_first_address(claim)!r}, "
                       f"got {address!r}")
    cell, block, row = (part.strip() for part in parts)
    exact = block == "exact" and claim.exact is not None
    for name, text in (("block", "0" if exact else block), ("row", row)):
        if not re.fullmatch(r"\d{1,18}", text):
            raise _Mistake(f"{name} must be a whole number >= 0, got {text!r}")
    if claim.simulate is None and not exact:
        raise _Mistake(f"{claim.id} draws nothing: block must be exact, as in "
                       f"{_first_address(claim)!r}, got {block!r}")
    cells = {claim.address(cell): index for index, cell in enumerate(claim.cells())}
    if cell not in cells:
        raise _Mistake(f"{claim.id} has no cell {cell!r}{_offer(cell, cells)}")
    rows, of = claim.rows, "the rows of a block"
    if exact:
        rows, of = _instances(claim, cells[cell]), "the instances there"
    if int(row) >= rows:
        raise _Mistake(f"row must be a whole number below {rows}, {of}, got {int(row)}")
    return cells[cell], -1 if exact else int(block), int(row)


def _instances(claim: Claim, index: int) -> int:
    """How many rows the exact evidence at a cell has; a law, or an optimum, is one."""
    from noisytheory.trial.draws import exact_evidence

    exact = exact_evidence(claim, claim.cell(index))
    if exact is None:
        raise _Mistake(f"{claim.id} enumerates nothing at {claim.address(claim.cell(index))}")
    return len(exact["lhs"]) if isinstance(exact, Mapping) else 1


def _first_address(claim: Claim) -> str:
    block = "exact" if claim.simulate is None else "0"
    return f"{claim.address(claim.cell(0))};{block};0"
