"""The command ``bound``: what a claim's bound says at given values."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

import click

from noisytheory.cli.select import arguments_of, one_claim
from noisytheory.cli.shell import (
    Mistake,
    answers,
    main,
    offer,
    say,
    say_json,
    say_rows,
    table_options,
)

if TYPE_CHECKING:
    from noisytheory.trial.claim import Claim

__all__ = ["bound", "number", "spread"]


@main.command()
@click.argument("claim_id", metavar="ID")
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

    population=NAME takes a population of the claim's grid; what the bound reads of it can be given
    by itself as well. With a population, solve=n also says how many examples the promise itself
    needs there. Where the right side is no formula but comes with every instance, it is that of the
    first one at a cell of the grid; parameters left out take their first value.
    """
    claim = one_claim(claim_id)
    asked, assignments = _question(assignments)
    if claim.bound is None:
        if claim.simulate is None and claim.exact is None:
            raise Mistake(f"{claim.id} has no bound to evaluate; `noisytheory show {claim_id}`")
        if asked:
            raise Mistake(f"{claim.id} has no formula to solve: its right side comes drawn")
        _say_right_sides(out, claim, claim_id, assignments, form)
        return
    if asked:
        _say_solved(out, claim, asked, assignments, form)
        return
    given = _assigned(claim, assignments)
    points = []
    for values, labels in _combinations(given):
        points.append({**labels, "bound": _evaluate(claim, values, labels)})
    single = all(len(v) == 1 for v in given.values())
    _say_points(out, claim, points, form, "" if form or not single else repr(points[0]["bound"]))


def _combinations(
    given: Mapping[str, Sequence[Any]]
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Every choice of one value each: the values, and what they are called."""
    import itertools

    for combination in itertools.product(*given.values()):
        values = dict(zip(given, combination, strict=True))
        yield values, {name: getattr(v, "name", v) for name, v in values.items()}


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


def _question(assignments: Sequence[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """What ``solve``, ``at-most`` and ``at-least`` say, and the other assignments."""
    asked: dict[str, str] = {}
    others = []
    for text in assignments:
        name, _, value = text.partition("=")
        if name not in ("solve", "at-most", "at-least"):
            others.append(text)
        elif name in asked:
            raise Mistake(f"{name} is given twice")
        else:
            asked[name] = value
    if asked and ("solve" not in asked or len(asked) != 2):
        raise Mistake("solve=NAME and one of at-most=R and at-least=R go together, such as "
                      "at-most=0.1 solve=n")
    return asked, tuple(others)


def _say_solved(
    out: TextIO, claim: Claim, asked: Mapping[str, str], assignments: Sequence[str], form: str
) -> None:
    """The argument that is looked for, and the bound there, at each choice of the others."""
    from noisytheory.trial.truth import told
    from noisytheory.vocabulary.inverse import NotMonotone, OutOfReach

    name = asked["solve"]
    wanted = next(word for word in asked if word != "solve")
    arguments = [argument["name"] for argument in arguments_of(claim)]
    if name not in arguments:
        raise Mistake(f"solve must name an argument of the bound, got {name!r}"
                      f"{offer(name, arguments)}")
    given = _assigned(claim, assignments, name, tried=told(claim, name))
    targets = [number(wanted, piece) for piece in spread(wanted, asked[wanted])]
    points = []
    for values, labels in _combinations({wanted: targets, **given}):
        target = values.pop(wanted)
        point: dict[str, Any] = {**labels, name: None, "bound": None}
        try:
            point[name] = _solved(claim, name, wanted, target, values)
        except NotMonotone as error:
            point |= {"remark": str(error), "crossings": list(error.crossings),
                      "minimiser": error.minimiser, "minimum": error.minimum}
        except OutOfReach as error:
            point["remark"] = str(error).replace(wanted.replace("-", "_"), wanted)
            if len(targets) == 1 and all(len(v) == 1 for v in given.values()):
                raise Mistake(point["remark"]) from error
        else:
            if abs(point[name]) < float("inf"):
                point["bound"] = _evaluate(claim, {**values, name: point[name]}, labels)
            point["remark"] = _needed(claim, name, wanted, target, values, point[name])
        points.append(point)
    point = points[0]
    line = point["remark"]
    if point[name] is not None:
        there = "is small enough" if point["bound"] is None else f"there is {point['bound']!r}"
        line = f"{point[name]!r}  (the bound {there})" + (f"\n{line}" if line else "")
    if form != "json":
        remark = ["remark"] if any(point["remark"] for point in points) else []
        names = [wanted, *given, name, "bound", *remark]
        points = [{name: point[name] for name in names} for point in points]
    _say_points(out, claim, points, form, "" if form or len(points) > 1 else line)


def _solved(claim: Claim, name: str, wanted: str, target: float, values: Mapping[str, Any]) -> Any:
    """`noisytheory.solve` of a claim's bound: what is not given comes as in a trial."""
    from noisytheory.vocabulary.inverse import solve

    assert claim.bound is not None
    cell, given = _split(values)
    arguments = claim.arguments(claim.bound, cell, **{**given, name: ...})
    return solve(claim.bound, **{wanted.replace("-", "_"): target}, **arguments)


def _split(values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The population, if there is one, and the rest."""
    cell = {name: value for name, value in values.items() if name == "population"}
    return cell, {name: value for name, value in values.items() if name not in cell}


def _needed(
    claim: Claim, name: str, wanted: str, target: float, values: Mapping[str, Any], most: Any
) -> str:
    """How many the promise itself needs on a population, if one is given: the trial inverted."""
    from noisytheory.trial.truth import needed, told

    if wanted != "at-most" or "population" not in values or not isinstance(most, int):
        return ""
    if not told(claim, name):
        return ""
    found = needed(claim, name, target, values, most)
    if found is None:
        return ""
    where = getattr(values["population"], "name", "")
    return (f"(on {where} itself {name} = {found.value} is enough, and {found.value - 1} is not, "
            f"by {found.how})")


def _say_right_sides(
    out: TextIO, claim: Claim, target: str, assignments: Sequence[str], form: str
) -> None:
    """The right side of the first instance at the chosen cells, and where it comes from."""
    from noisytheory.trial.run import DEFAULT_SEED

    found = []
    for index in _cells_given(claim, assignments):
        labels = {name: getattr(v, "name", v) for name, v in claim.cell(index).items()}
        found.append((labels, _right_side(claim, index, DEFAULT_SEED)))
    lines = []
    for _, about in found:
        seed = [] if about["seed"] is None else ["--seed", str(about["seed"])]
        words = shlex.join([target, *seed, "--address", about["address"]])
        lines.append(f"{about['bound']!r}  ({about['says']}; noisytheory replay {words})")
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


def _assigned(
    claim: Claim, assignments: Sequence[str], unknown: str | None = None, *, tried: bool = False
) -> dict[str, list[Any]]:
    """Values by argument, as typed; every argument without a default has some but the unknown.

    Where the promise itself is tried a population may be given that the bound does not read.
    """
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
        if name == unknown:
            raise Mistake(f"{name} is what solve looks for, and is given as {value!r}")
        given[name] = _values(claim, name, value)
    missing = [
        name for name, argument in arguments.items()
        if argument["required"] and name not in given and name != unknown
        and not all(hasattr(p, name) for p in given.get("population", (None,)))
    ]
    if missing:
        example = " ".join(f"{name}={_example(claim, name)}" for name in missing)
        if all(hasattr(p, name) for p in populations for name in missing):
            example += f", or 'population={_example(claim, 'population')}'" if populations else ""
        raise Mistake(f"missing parameter {', '.join(missing)}: add {example} "
                       f"(the bound takes {takes})")
    reads = [n for n in arguments if any(hasattr(p, n) for p in given.get("population", ()))]
    unread = "population" in given and "population" not in arguments
    if unread and not set(reads) - set(given) and not tried:
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
    domain = getattr(claim.bound, "domains", {}).get(name)
    whole = domain.whole if domain is not None else name == "n"
    numbers = [number(name, piece) for piece in spread(name, text, whole)]
    if len(set(numbers)) < len(numbers):
        raise Mistake(f"{name} has the same value twice in {text!r}")
    return numbers


def spread(name: str, text: str, whole: bool = False) -> list[str]:
    """What a list, or a range, consists of; of whole numbers the nearest."""
    import numpy as np

    found: list[str] = []
    for piece in text.split(","):
        first, *rest = (part.strip() for part in piece.split(":"))
        if not rest:
            found.append(first)
            continue
        such = f"{name}=10:1000:log, or {name}=10:1000:lin:12 for twelve values"
        last, scale, count = [*rest, *["", "lin", ""][len(rest):]][:3]
        if len(rest) > 3 or scale not in ("log", "lin") or (count and not count.isdigit()):
            raise Mistake(f"{piece!r} is no range, such as {such}")
        low, high = number(name, first), number(name, last)
        if not low < high < float("inf") or (scale == "log" and low <= 0) or count in ("0", "1"):
            raise Mistake(f"{piece!r} must rise{', from above 0,' * (scale == 'log')} in two "
                          f"steps or more: {such}")
        if scale == "log":
            many = int(count) if count else 1 + max(1, round(3 * math.log10(high / low)))
            values = np.geomspace(low, high, many)
        else:
            values = np.linspace(low, high, int(count) if count else 10)
        values[0], values[-1] = low, high
        digits = 3 if scale == "log" and not count else 12
        values[1:-1] = [float(f"{value:.{digits}g}") for value in values[1:-1]]
        values = np.unique(np.round(values) if whole else values)
        found += [str(int(v)) if v == np.floor(v) and abs(v) < 2**53 else repr(float(v))
                  for v in values]
    return found


def number(name: str, text: str) -> int | float:
    """The number that a text is: whole, a fraction, or a float."""
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
    cell, given = _split(values)
    try:
        with np.errstate(divide=strictness, invalid=strictness):
            value = np.asarray(claim.call(claim.bound, cell, **given), float)
    except (ArithmeticError, TypeError) as error:
        raise Mistake(f"the bound cannot be evaluated at {where}: {error}") from error
    if value.size != 1 or np.isnan(value).any():
        raise Mistake(f"the bound is not a number at {where}")
    return float(value.ravel()[0])
