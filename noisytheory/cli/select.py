"""The commands ``claims``, ``show`` and ``discrepancies``, and which claims a word names."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from noisytheory.cli.answers import (
    OWN_PROCESS,
    answers,
    code_of_others_comes,
    listed,
    say,
    say_json,
    table,
)
from noisytheory.cli.apart import stops_said
from noisytheory.cli.mistakes import Mistake, earlier, foreign_modules, offer
from noisytheory.cli.shell import RUN_AS_CODE, json_flag, keyword_option, main
from noisytheory.trial.shown import called, visible

if TYPE_CHECKING:
    from noisytheory.trial.catalogue import Absent
    from noisytheory.trial.claim import Claim, Discrepancy

__all__ = [
    "arguments_of",
    "as_asked",
    "chosen_claims",
    "claims",
    "discrepancies",
    "objects_of",
    "one_claim",
    "show",
    "words_of",
]


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
                raise Mistake(
                    f"the installed package {package} ships claims in {entry.value}, which raised "
                    f"{type(error).__name__}: {error}; mend or uninstall it"
                ) from error
        raise


@functools.cache
def _claims_in(path: Path) -> list[Claim]:
    if not path.name.isprintable():  # Answers name it.
        raise Mistake(f"the name of a file must be printable, got {path.name!r}: give it another")
    # The file may import its neighbours, as it could when run by itself; workers get the same path.
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    with contextlib.ExitStack() as stack:
        context = click.get_current_context(silent=True)
        if context is not None and context.meta.get(OWN_PROCESS) and path.is_file():
            stack.enter_context(_read_apart(path))
        from noisytheory.trial.catalogue import load_file, module_name
        from noisytheory.trial.interpreter import Before, guard_calls

        if context is not None:
            code_of_others_comes(context)  # What is begun before inherits no pipe.
    foreign_modules.add(module_name(path).partition(".")[0])
    if context is not None and context.meta.get(OWN_PROCESS):
        guard_calls()
    earlier[called.get(str(path), str(path))] = Before()
    return load_file(path)


@contextlib.contextmanager
def _read_apart(path: Path) -> Iterator[None]:
    """Have another process read a file meanwhile: what ends it must not end the command wordless.

    Whatever else goes wrong there, the command will find itself.
    """
    from noisytheory.trial.worker import BlankMainContext, told

    spawn = BlankMainContext()
    name = called[str(path)]

    def start() -> Any:
        child = spawn.Process(target=_read, args=(str(path), sender), daemon=True)
        child.start()
        return child

    # Two in a row: one may be killed for what is not the file's.
    for attempt in range(2):
        receiver, sender = spawn.Pipe(duplex=False)
        with receiver, sender:
            try:
                child = start()
            except OSError:
                yield
                return
            try:
                if not attempt:
                    yield
                with stops_said(child.pid, name):
                    child.join()
            except BaseException:
                child.kill()  # It may be stopped, and whoever ends waits for it.
                raise
            begun = receiver.poll()
            if begun and child.exitcode == _WRECKED:
                receiver.recv_bytes()
                what = receiver.recv_bytes().decode() if receiver.poll() else "it works no more"
                raise Mistake(f"{name} takes from Python what commands need: {what}")
            if child.exitcode == _READ or not begun:
                return
    how = f"ends the process that reads it: {told(child.exitcode)}"
    if child.exitcode == _CLOSED:
        how = "closes the streams of the process that reads it"
    raise Mistake(f"{name} {how}")


_READ, _CLOSED, _WRECKED = 86, 87, 88
"""Exit codes of who has read a file, whatever the file had to say; who has no streams any more; and
who has no whole interpreter."""


def _read(path: str, sender: Any) -> None:
    """Read a file, unheard; what every command needs must be there afterwards."""
    from noisytheory.trial.catalogue import load_file
    from noisytheory.trial.interpreter import Before, is_open
    from noisytheory.trial.worker import attend

    attend()
    end, nowhere = os._exit, os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    sender.send_bytes(b"begun")
    before = Before()
    with contextlib.suppress(BaseException):
        load_file(path)
    try:
        if not all(map(is_open, (1, 2))):
            end(_CLOSED)
        taken = before.taken()
        if taken:
            more = f" and {len(taken) - _NAMED} more" * (len(taken) > _NAMED)
            sender.send_bytes((", ".join(taken[:_NAMED]) + more).encode())
        with open(os.devnull, "rb"):  # An audit hook has no name, and may refuse this.
            end(_WRECKED if taken else _READ)
    finally:
        end(_WRECKED)


_NAMED = 3


def _is_file(target: str) -> bool:
    """Whether a word of the command line names a file, with or without an id."""
    name = target.partition("::")[0]
    return name.endswith(".py") or os.path.isfile(name)


def _named(target: str) -> list[Claim]:
    """Claims by id, shell pattern, file, or ``FILE.py::ID``."""
    from noisytheory.trial.catalogue import match

    name, _, inside = target.partition("::")
    if not _is_file(target):
        _all_claims()
        return match(target)
    path = os.path.realpath(name)
    called.setdefault(path, name)
    found = _claims_in(Path(path))
    if not inside:
        return found
    chosen = [claim for claim in found if inside in claim.names]
    if not chosen:
        ids = [name for claim in found for name in claim.names]
        raise Mistake(f"{name} declares no claim {inside!r}{offer(inside, ids)}")
    return chosen


def chosen_claims(targets: Sequence[str], keyword: str | None = None) -> list[Claim]:
    """Claims that the words of the command line name, each once; all if there are none."""
    from noisytheory.trial.catalogue import DATA, needs
    from noisytheory.trial.run import select

    keep = _keyword(keyword) if keyword is not None else None
    left_out = _left_out(targets, keep)
    if targets:
        found = select([claim for target in targets for claim in _named(target)])
    else:
        found = _all_claims()
    if keep is not None:
        found = [claim for claim in found if any(map(keep, claim.names))]
        if not found and left_out:
            raise Mistake(needs(left_out))
        if not found:
            raise Mistake(f"no claim matches -k {keyword!r}; `noisytheory claims` lists all")
    if left_out and os.environ.get(DATA):  # Without it nobody expects them.
        click.echo(visible(f"noisytheory: left out: {needs(left_out)}"), err=True)
    for claim in found:
        for function in (claim.bound, claim.simulate, claim.exact, claim.certify):
            top = str(getattr(function, "__module__", None) or "noisytheory").partition(".")[0]
            if top not in ("noisytheory", "functools", "builtins"):
                foreign_modules.add(top)
    return found


def _left_out(targets: Sequence[str], keep: Callable[[str], bool] | None) -> list[Absent]:
    """Claims of those asked for whose data are not at hand."""
    from noisytheory.trial.catalogue import absent

    patterns = [target for target in targets if not _is_file(target)] if targets else ["*"]
    if not patterns:
        return []
    _all_claims()
    found = dict.fromkeys(claim for pattern in patterns for claim in absent(pattern))
    return [claim for claim in found if keep is None or keep(claim.id)]


def one_claim(target: str) -> Claim:
    """The only claim that a word of the command line names."""
    found = chosen_claims([target])
    if len(found) > 1:
        ids = ", ".join(claim.id for claim in found[:8]) + (", ..." if len(found) > 8 else "")
        how = f" (write {target}::ID)" if target.endswith(".py") else ""
        raise Mistake(f"{target} names {len(found)} claims: choose one of {ids}{how}")
    return found[0]


_WORDS = 200


def _keyword(text: str) -> Callable[[str], bool]:
    """The predicate over ids of an expression of words, ``and``, ``or``, ``not``, parentheses."""
    tokens = re.findall(r"[()]|[^\s()]+", text)
    if len(tokens) > _WORDS:
        raise Mistake(f"-k takes at most {_WORDS} words and parentheses, got {len(tokens)}")

    def wrong(expected: str) -> Mistake:
        came = repr(tokens[0]) if tokens else "the end"
        return Mistake(
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


@main.command(epilog=RUN_AS_CODE)
@click.argument("pattern", metavar="[GLOB|FILE.py]", required=False)
@keyword_option
@json_flag
@answers
def claims(out: TextIO, pattern: str | None, keyword: str | None, as_json: bool) -> None:
    """List what can be put on trial."""
    found = chosen_claims([pattern] if pattern is not None else [], keyword)
    if as_json:
        say_json(out, [claim.summary() for claim in found])
        return
    rows = [
        row for c in found
        for row in ([c.id, c.kind, c.expect, c.place],
                    *([other.id, f"= {c.id}", c.expect, other.place] for other in c.also))
    ]
    say(out, table([["id", "kind", "expected", "place in print"], *rows]))


@main.command()
@click.argument("pattern", metavar="[PAPER|NUMBER]", required=False)
@json_flag
@answers
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
    if not found and (asked := re.fullmatch(r"(?:([\w-]+)/)?[A-Z]-?0*(\d+)", str(pattern))):
        # Every paper has a letter of its own, and counts alike.
        alike = [one for one in known if one[1][1:] == asked[2]]
        found = [one for one in alike if one[0] == asked[1]]
        if alike and not found:
            those = ", ".join(f"{number} of {paper}" for paper, number, _ in alike)
            raise Mistake(f"no paper or number {pattern!r}; number {asked[2]} is {those}")
    if not found:
        names = dict.fromkeys(n for paper, number, _ in known for n in (paper, number))
        raise Mistake(f"no paper or number {pattern!r}{offer(str(pattern), names)}")
    entries = [
        _discrepancy(paper, number, place) for paper, number, places in found for place in places
    ]
    if as_json:
        say_json(out, entries)
        return
    say(out, "\n\n".join(_discrepancy_text(entry) for entry in entries))


def _discrepancy(paper: str, number: str, about: Discrepancy) -> dict[str, Any]:
    from noisytheory.trial.catalogue import find

    def named(names: Iterable[str]) -> list[dict[str, str]]:
        claims = [find(f"{paper}/{name}") for name in names]
        return [{"id": c.id, "expected": c.expect, "origin": c.origin} for c in claims]

    return {
        "paper": paper, "number": number, "place": about.place, "printed": about.printed,
        "true": about.true, "claims": named(about.claims), "repaired": named(about.repaired),
        "why": about.why or None, "read_as": about.read_as or None,
    }


def _discrepancy_text(entry: Mapping[str, Any]) -> str:
    lines = [f"{click.style(entry['number'], bold=True)}  {entry['paper']}, {entry['place']}"]
    facts = [("print says", entry["printed"]), ("true is", entry["true"])]
    facts += [("read as", entry["read_as"])] if entry["read_as"] else []
    tried = "as read" if entry["read_as"] else "as printed"
    for head, claims in ((tried, entry["claims"]), ("repaired", entry["repaired"])):
        facts += [
            ("candidate" if claim["origin"] == "candidate" else head,
             f"{claim['id']} ({claim['expected']})") for claim in claims
        ]
    facts += [("not refuted", entry["why"])] if entry["why"] else []
    return "\n".join([*lines, *(f"  {head:<12}{text}" for head, text in facts)])


def objects_of(claim: Claim, name: str) -> dict[str, Any]:
    """By their names, the objects that the grid, or its populations, bring under this name."""
    brought: list[Any] = [getattr(p, name, None) for p in claim.grid.get("population", ())]
    return {str(value.name): value for value in claim.grid.get(name, brought)
            if hasattr(value, "name")}


def words_of(claim: Claim, name: str) -> dict[str, type]:
    """What can be made for an argument, by its word: of the kind that the claim tries, if any."""
    from noisytheory.vocabulary.named import KERNELS, LOSSES, words_for

    if objects := objects_of(claim, name):
        return words_for(objects.values())
    return {} if name in claim.grid else {"kernel": KERNELS, "loss": LOSSES}.get(name, {})


def as_asked(claim: Claim, named: Iterable[str] = ()) -> Claim:
    """Where instances bring coefficients, with the bound of the kernel or the loss that has them.

    As it is if one of the names is that of a coefficient.
    """
    import copy
    import inspect

    formula = getattr(claim.bound, "formula", None)
    if claim.bound is None or formula is None:
        return claim
    taken = inspect.signature(formula).parameters
    if any(name in inspect.signature(claim.bound).parameters and name not in taken
           for name in named):
        return claim
    asked = copy.copy(claim)
    # Not `replace`: as a claim to try it would be none.
    object.__setattr__(asked, "bound", formula)
    return asked


def arguments_of(claim: Claim) -> list[dict[str, Any]]:
    """What the bound reads: name, what is allowed, default, and where a trial takes it from."""
    import inspect

    from noisytheory.vocabulary.named import forms

    if claim.bound is None:
        return []
    domains = getattr(claim.bound, "domains", {})
    drawn = claim.drawn_names()
    out = []
    for name, parameter in inspect.signature(claim.bound).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        constant = name in claim.given
        given = constant or parameter.default is not parameter.empty
        default = claim.given[name] if constant else parameter.default
        source = "the simulator's draws" if name in drawn else "the population"
        if name in claim.grid:
            source = "the grid"
        elif constant:
            source = "the claim's constants"
        elif given and not hasattr(claim.grid.get("population", (None,))[0], name):
            source = "its default"
        out.append({
            "name": name,
            "allowed": str(domains[name]) if name in domains else None,
            "words": forms(words_of(claim, name)) or None,
            "default": getattr(default, "name", default) if given else None,
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
        "hypotheses": list(claim.assumed),
        "quantity": claim.quantity,
        "unit": claim.unit,
        "grid": {name: claim.labels(name) for name in claim.grid},
        "cells": claim.size,
        "rows": claim.rows,
        "arguments": arguments_of(as_asked(claim)),
        "exact": claim.exact is not None,
        "note": claim.note,
        "given": claim.constants,
        "discrepancies": list(claim.discrepancies),
        "twin": None if claim.twin is None else str(claim.twin.get("why", "")),
    }


@main.command(epilog=RUN_AS_CODE)
@click.argument("claim_id", metavar="ID|FILE.py")
@json_flag
@answers
def show(out: TextIO, claim_id: str, as_json: bool) -> None:
    """Statement, place in print, hypotheses, kind, grid, arguments, notes of one claim."""
    claim = one_claim(claim_id)
    about = _described(claim)
    if as_json:
        say_json(out, about)
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
        drawn += ", each drawn apart" * claim.apart
        exact = ", exact" + " where it can be" * bool(drawn) if claim.exact is not None else ""
        lines += [
            f"left side   {claim.quantity} [{claim.unit}]",
            f"cells       {claim.size}{drawn}{exact}",
        ]
    else:
        lines.append(f"not tried   {claim.reason}")
    lines += listed("hypotheses", claim.assumed)
    grid = [f"{name} = {'; '.join(map(str, values))}" for name, values in about["grid"].items()]
    lines += listed("grid", grid)
    lines += listed("given", [f"{name} = {value}" for name, value in about["given"].items()])
    lines += listed("the bound reads", [_argument_line(a) for a in about["arguments"]])
    lines += listed("note", claim.note.strip().splitlines())
    lines += listed("broken twin", [about["twin"]] if about["twin"] else [])
    say(out, "\n".join(lines))


def _argument_line(argument: Mapping[str, Any]) -> str:
    allowed = argument["allowed"] or argument["words"]
    allowed = f": {allowed}" if allowed else ""
    default = "" if argument["required"] else f", default {argument['default']}"
    return f"{argument['name']}{allowed}{default} (from {argument['from']})"
