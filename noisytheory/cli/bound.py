"""The command ``bound``: what a claim's bound says at given values."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

import click

from noisytheory.cli.select import arguments_of, one_claim
from noisytheory.cli.shell import Mistake, answers, json_flag, main, offer, say, say_json, table

if TYPE_CHECKING:
    from noisytheory.trial.claim import Claim

__all__ = [
    "bound",
]


@main.command()
@click.argument("claim_id", metavar="ID")
@click.argument("assignments", metavar="[NAME=VALUE ...]", nargs=-1)
@json_flag
@answers
def bound(out: TextIO, claim_id: str, assignments: tuple[str, ...], as_json: bool) -> None:
    """Evaluate the bound: n=1000 delta=0.05, or several values n=10,100.

    population=NAME takes a population of the claim's grid; what the bound reads of it can be given
    by itself as well. Where the right side is no formula but comes with every instance, it is that
    of the first one at a cell of the grid; parameters left out take their first value.
    """
    import itertools

    claim = one_claim(claim_id)
    if claim.bound is None:
        if claim.simulate is None and claim.exact is None:
            raise Mistake(f"{claim.id} has no bound to evaluate; `noisytheory show {claim_id}`")
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
        say_json(out, {
            "id": claim.id,
            "quantity": claim.quantity,
            "unit": claim.unit,
            "bound": numbers[0] if all(len(v) == 1 for v in given.values()) else numbers,
            "points": points,
        })
    elif all(len(values) == 1 for values in given.values()):
        say(out, repr(numbers[0]))
    else:
        rows = [[_cell_text(value) for value in point.values()] for point in points]
        say(out, table([[*given, "bound"], *rows], right=range(len(given) + 1)))


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
        say_json(out, {
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
    say(out, "\n".join(lines))


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
        labels, wanted = claim.labels(name), _values(claim, name, value)
        values = [getattr(v, "name", v) for v in wanted]
        for label in values:
            if label not in labels:
                raise Mistake(f"{claim.id} has no cell with {name}={label}: its right side comes "
                               f"with the instances{offer(str(label), map(str, labels))}")
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
        raise Mistake(f"{claim.id} has no right side at {claim.address(cell) or 'its cell'}")
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
    arguments = {argument["name"]: argument for argument in arguments_of(claim)}
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
            raise Mistake(f"{text!r} is not of the form NAME=VALUE, such as n=1000")
        if name not in known:
            raise Mistake(
                f"unknown parameter {name!r}{offer(name, known)} (the bound takes {takes})"
            )
        if name in given:
            raise Mistake(f"{name} is given twice; several values go in one list: {name}=10,100")
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
        raise Mistake(f"missing parameter {', '.join(missing)}: add {example} "
                       f"(the bound takes {takes})")
    reads = [n for n in arguments if any(hasattr(p, n) for p in given.get("population", ()))]
    if "population" in given and "population" not in arguments and not set(reads) - set(given):
        raise Mistake(f"the bound does not read population (it takes {', '.join(arguments)})")
    return given


def _example(claim: Claim, name: str) -> str:
    if name not in claim.grid and (objects := _objects(claim, name)):
        return repr(next(iter(objects)))
    return str(claim.labels(name)[0]) if name in claim.grid else "NUMBER"


def _objects(claim: Claim, name: str) -> dict[str, Any]:
    """By their names, the objects that the grid's populations bring under this name."""
    brought: list[Any] = [getattr(p, name, None) for p in claim.grid.get("population", ())]
    return {str(value.name): value for value in brought if hasattr(value, "name")}


def _values(claim: Claim, name: str, text: str) -> list[Any]:
    """The values of one assignment: objects of the grid by name, else numbers."""
    objects = {} if name in claim.grid else _objects(claim, name)
    if objects:
        # A name may hold a comma.
        for piece in (pieces := [text] if text in objects else text.split(",")):
            if piece.strip() not in objects:
                raise Mistake(f"unknown {name} {piece.strip()!r}{offer(piece, objects)}")
        return [objects[piece.strip()] for piece in pieces]
    labels = claim.labels(name) if name in claim.grid else []
    if any(isinstance(label, str) for label in labels):
        by_label = dict(zip(map(str, labels), claim.grid[name], strict=True))
        if text in by_label:
            return [by_label[text]]
        pieces = [piece.strip() for piece in text.split(",")]
        for piece in pieces:
            if piece not in by_label:
                raise Mistake(f"unknown {name} {piece!r}{offer(piece, by_label)}")
        return [by_label[piece] for piece in pieces]
    numbers = [_number(name, piece.strip()) for piece in text.split(",")]
    if len(set(numbers)) < len(numbers):
        raise Mistake(f"{name} has the same value twice in {text!r}")
    return numbers


def _number(name: str, text: str) -> int | float:
    from fractions import Fraction

    try:
        number = float(text) if text.strip("+-").lower() in ("inf", "infinity", "nan") else (
            Fraction(text)
        )
    except (ValueError, ZeroDivisionError):
        raise Mistake(f"{name} must be a number, got {text!r}") from None
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
        raise Mistake(f"the bound cannot be evaluated at {where}: {error}") from error
    if value.size != 1 or np.isnan(value).any():
        raise Mistake(f"the bound is not a number at {where}")
    return float(value.ravel()[0])
