"""The command ``bound``: what a claim's bound says at given values, and which values it allows."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

import click

from noisytheory.cli.answers import answers, listed, say, say_json, say_rows
from noisytheory.cli.given import assigned, column, combinations, evaluate, values_of
from noisytheory.cli.mistakes import Mistake, offer
from noisytheory.cli.select import as_asked, one_claim
from noisytheory.cli.shell import RUN_AS_CODE, main, table_options
from noisytheory.cli.solve import answered, question, table_of

if TYPE_CHECKING:
    from noisytheory.trial.claim import Claim

__all__ = ["bound"]

UPPER = ("tail", "mean", "always")
"""Kinds whose right side is an upper limit."""

SHORT = 30
"""Characters of a step that has room in a line."""


@main.command(epilog=RUN_AS_CODE)
@click.argument("claim_id", metavar="ID|FILE.py")
@click.argument("assignments", metavar="[NAME=VALUE ...]", nargs=-1)
@table_options
@answers
def bound(out: TextIO, claim_id: str, assignments: tuple[str, ...], form: str) -> None:
    """Evaluate the bound, or find the argument from which on it is small enough.

    \b
    n=1000 delta=0.05              the number
    n=10,100 or n=100:10000:log    several values, or a range: :log or :lin, how many
    at-most=0.1 solve=n delta=0.05 the smallest n with a bound of at most 0.1; of an argument
                                   in which the bound rises, the largest; at-least=R likewise
    'kernel=gaussian(sigma2=4)'    where a claim's bound reads a kernel or a loss: a word and what
                                   it takes, which `noisytheory show ID` lists

    population=NAME takes a population of the claim's grid; what the bound reads of it can be given
    by itself as well. With a population, solve=n also says how many examples the promise itself
    needs there: exactly, or by draws with limits that hold together with 99% confidence at all the
    numbers looked at. Where the right side is no formula but comes with every instance, it is that
    of the one listed at a cell of the grid that comes nearest to breaking the promise, with what
    tells it apart, or of the first that is drawn; parameters left out take their first value.

    A lower limit is tried as an upper one of minus the quantity: its number has the sign turned,
    which is said beside it; so is, where the bound's own words tell it, why a number is infinite.
    """
    claim = one_claim(claim_id)
    asked, assignments = question(assignments)
    if claim.bound is None:
        if claim.simulate is None and claim.exact is None:
            raise Mistake(f"{claim.id} has no bound to evaluate; `noisytheory show {claim_id}`")
        if asked:
            raise Mistake(f"{claim.id} has no formula to solve: its right side comes drawn")
        _say_right_sides(out, claim, claim_id, assignments, form)
        return
    claim = as_asked(claim, [asked.get("solve", ""), *(a.partition("=")[0] for a in assignments)])
    if asked:
        points, line = answered(claim, asked, assignments)
        points = points if form == "json" else table_of(points)
        _say_points(out, claim, points, form, "" if form else line)
        return
    given = assigned(claim, assignments)
    points = []
    for values, labels in combinations(given):
        shown = {column(name): label for name, label in labels.items()}
        points.append({**shown, "bound": evaluate(claim, values, labels)})
    single = all(len(v) == 1 for v in given.values())
    numbers = [point["bound"] for point in points]
    said = _said(claim, numbers[0])
    line = f"{numbers[0]!r}  ({said})" if said else repr(numbers[0])
    _say_points(out, claim, points, form, "" if form or not single else line)
    if form in ("", "markdown") and (form or not single):
        told = dict.fromkeys(_said(claim, number, of_all=True)
                             for number in (min(numbers), max(numbers)))
        if lines := listed("bound", [*filter(None, told)]):
            say(out, "\n".join(lines))


def _said(claim: Claim, number: float, *, of_all: bool = False) -> str:
    """What the number is of, or why it is infinite, as the bound has it; nothing in plain cases."""
    if number == float("inf") and claim.kind in UPPER:
        about = " ".join((inspect.getdoc(claim.bound) or "").split())
        why = re.search(r"[Ii]nfinite (where [^.;]*)", about)
        return f"nothing is promised {why[1]}" if why else ""
    turned = re.fullmatch(r"(?:(\d+) )?minus (.+)", claim.quantity)
    if turned is None:
        return ""
    limit = f"{turned[1]} minus the number" if turned[1] else "the number with its sign turned"
    limit = limit if of_all else repr(float(turned[1] or 0) - number)
    least = "at least " * (claim.kind in UPPER)
    return f"of {claim.quantity}, that is, {turned[2]} {least}{limit}"


def _say_points(
    out: TextIO, claim: Claim, points: Sequence[Mapping[str, Any]], form: str, line: str
) -> None:
    """A table of points, or a line in its place; as JSON under the name of the claim."""
    if form == "json":
        numbers = [point["bound"] for point in points]
        say_json(out, {
            "id": claim.id,
            "quantity": claim.quantity,
            "unit": claim.unit,
            "bound": numbers[0] if len(numbers) == 1 else numbers,
            "points": points,
        })
    elif line:
        say(out, line)
    else:
        say_rows(out, points, form)


def _say_right_sides(
    out: TextIO, claim: Claim, target: str, assignments: Sequence[str], form: str
) -> None:
    """The right side of one instance at each of the chosen cells, and where it comes from."""
    from noisytheory.trial.run import DEFAULT_SEED

    found = []
    for index in _cells_given(claim, assignments):
        labels = {name: getattr(v, "name", v) for name, v in claim.cell(index).items()}
        found.append((labels, _right_side(claim, index, DEFAULT_SEED)))
    lines = []
    for _, about in found:
        seed = [] if about["seed"] is None else ["--seed", str(about["seed"])]
        words = shlex.join([target, *seed, "--address", about["address"]])
        said = _said(claim, about["bound"])
        lines.append(f"{about['bound']!r}  ({f'{said}; ' * bool(said)}{about['says']}; "
                     f"noisytheory replay {words})")
    points = [{**labels, **about} for labels, about in found]
    _say_points(out, claim, points, form, "" if form else "\n".join(lines))


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
            raise Mistake(f"{text!r} is not of the form NAME=VALUE{such}")
        if name not in claim.dims:
            raise Mistake(f"unknown parameter {name!r}{offer(name, claim.dims)} (the cells of "
                           f"{claim.id} have {', '.join(claim.dims) or 'no parameter'})")
        if name in chosen:
            raise Mistake(f"{name} is given twice; several values go in one list, with commas")
        labels, wanted = claim.labels(name), values_of(claim, name, value)
        values = [getattr(v, "name", v) for v in wanted]
        for label in values:
            if label not in labels:
                raise Mistake(f"{claim.id} has no cell with {name}={label}: its right side comes "
                               f"with the instances{offer(str(label), map(str, labels))}")
        chosen[name] = [labels.index(label) for label in values]
    places = itertools.product(*(chosen.get(name, [0]) for name in claim.dims))
    return [int(np.ravel_multi_index(at, claim.shape)) if at else 0 for at in places]


def _right_side(claim: Claim, index: int, seed: int) -> dict[str, Any]:
    """The right side of the nearest instance of those listed at a cell, or of the first drawn."""
    from noisytheory.trial.draws import draw, exact_evidence, renamed

    cell = claim.cell(index)
    exact = exact_evidence(claim, cell) if claim.exact is not None else None
    if isinstance(exact, Mapping):
        drawn, block = renamed(exact), "exact"
        row = _telling(claim, cell, drawn)
        says = _instance(claim, index, row, len(drawn["lhs"]))
    elif claim.simulate is not None:
        drawn, block, says = draw(claim, cell, 0, seed=seed), "0", "of the first draw"
        row = 0
    else:
        raise Mistake(f"{claim.id} has no right side at {claim.address(cell) or 'its cell'}")
    name = "rhs_draw" if "rhs_draw" in drawn else "other"
    if name == "other":
        says += " from the second law"
    if not bool(drawn["applies"][row] if "applies" in drawn else True):
        says += ", where the hypotheses do not hold"
    return {
        "bound": float(drawn[name][row]),
        "of": "exact evidence" if block == "exact" else "first draw",
        "says": says,
        "seed": None if block == "exact" else seed,
        "address": f"{claim.address(cell)};{block};{row}",
    }


def _telling(claim: Claim, cell: Any, drawn: Mapping[str, Any]) -> int:
    """The nearest instance; where 0 is on both sides nothing is to be seen."""
    import numpy as np

    from noisytheory.trial.result import nearest_row

    rows = np.flatnonzero(np.any([drawn[n] != 0 for n in ("lhs", "rhs_draw") if n in drawn], 0))
    if not rows.size:
        rows = np.arange(len(drawn["lhs"]))
    some = {name: values[rows] for name, values in drawn.items()}
    return int(rows[nearest_row(claim, cell, some)[1]])


def _instance(claim: Claim, index: int, row: int, count: int) -> str:
    """What a listed instance is, and what it stands for."""
    from noisytheory.trial.result import replay_address

    steps = replay_address(claim, index, -1, row, seed=0)
    told = [f"left side {steps['lhs']}", *(
        f"{name} {value}" for name, value in steps["steps"]
        if len(str(value)) <= SHORT and name not in ("lhs", "rhs_draw", "applies", "right side")
    )]
    if count == 1:
        return "exact, " + ", ".join(told[:1])
    sure = "promised surely, of every instance; this is" if claim.kind == "always" else "of"
    return f"{sure} the nearest of {count}: {', '.join(told)}"
