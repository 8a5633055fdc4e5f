"""What the words ``NAME=VALUE`` of a command give a bound: numbers, lists, ranges, objects."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from noisytheory.cli.mistakes import Mistake, offer
from noisytheory.cli.select import arguments_of, objects_of, words_of
from noisytheory.trial.shown import named, words

if TYPE_CHECKING:
    from noisytheory.trial.claim import Claim

__all__ = [
    "assigned", "column", "combinations", "evaluate", "number", "split", "spread", "values_of",
]

MOST = 100_000
"""Values of one range."""


def combinations(
    given: Mapping[str, Sequence[Any]]
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Every choice of one value each: the values, and what they are called."""
    import itertools

    for combination in itertools.product(*given.values()):
        values = dict(zip(given, combination, strict=True))
        yield values, {name: getattr(v, "name", v) for name, v in values.items()}


def assigned(
    claim: Claim, assignments: Sequence[str], unknown: str | None = None
) -> dict[str, list[Any]]:
    """Values by argument, as typed; every argument without a default has some but the unknown."""
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
        given[name] = values_of(claim, name, value)
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
    if unread and not set(reads) - set(given) and not (unknown and _reads_population(claim)):
        raise Mistake(f"the bound does not read population (it takes {', '.join(arguments)})")
    domains = getattr(claim.bound, "domains", {})
    for name, value in claim.given.items():
        if name in domains and name not in given and name != unknown and isinstance(value, str):
            given[name] = [number(name, value)]
    return given


def _reads_population(claim: Claim) -> bool:
    """Whether one that the bound does not read says what the promise itself needs there."""
    import inspect

    sources = [source for source in (claim.exact, claim.simulate) if source is not None]
    return any("population" in inspect.signature(source).parameters for source in sources)


def _example(claim: Claim, name: str) -> str:
    if name != "population":
        if objects := objects_of(claim, name):
            return repr(next(iter(objects)))
        if words := words_of(claim, name):
            return next(iter(words))
    return str(claim.labels(name)[0]) if name in claim.grid else "NUMBER"


def values_of(claim: Claim, name: str, text: str) -> list[Any]:
    """The values of one assignment: objects of the grid by name, or made of words, else numbers."""
    from noisytheory.vocabulary.named import listed

    objects, words = objects_of(claim, name), words_of(claim, name)
    if words or (objects and name not in claim.grid):
        # A name may hold a comma.
        return [_object(name, piece, objects, words)
                for piece in ([text] if text in objects else listed(text))]
    tried = claim.grid.get(name, [claim.given[name]] if name in claim.given else [])
    by_label = {str(getattr(value, "name", value)): value for value in tried}
    domain = getattr(claim.bound, "domains", {}).get(name)
    # A fraction that trials read as a text is a number to the bound.
    if domain is None and any(isinstance(getattr(value, "name", value), str) for value in tried):
        if text in by_label:
            return [by_label[text]]
        pieces = [piece.strip() for piece in text.split(",")]
        for piece in pieces:
            if piece not in by_label:
                raise Mistake(f"unknown {name} {piece!r}{offer(piece, by_label)}")
        return [by_label[piece] for piece in pieces]
    whole = domain.whole if domain is not None else name == "n"
    numbers = [number(name, piece) for piece in spread(name, text, whole)]
    if len(set(numbers)) < len(numbers):
        raise Mistake(f"{name} has the same value twice in {text!r}")
    return numbers


def _object(
    name: str, text: str, objects: Mapping[str, Any], words: Mapping[str, type]
) -> Any:
    """One of the grid's, or what its words make."""
    from noisytheory.vocabulary.named import forms, made

    if text in objects:
        return objects[text]
    word = text.partition("(")[0].strip()
    if word not in words:
        known = f" (it takes {forms(words)})" if words else ""
        raise Mistake(f"unknown {name} {text!r}{offer(word, [*objects, *words])}{known}")
    try:
        return made(text, words)
    except ValueError as error:
        raise Mistake(f"{name}={text}: {error}") from error


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
        if len(rest) > 3 or scale not in ("log", "lin") or (count and not count.isdecimal()):
            raise Mistake(f"{name}: {piece!r} is no range, such as {such}")
        low, high = number(name, first), number(name, last)
        many = int(count[:9]) if count else 0
        if not low < high < float("inf") or (scale == "log" and low <= 0) or (count and many < 2):
            above = ", from above 0," * (scale == "log")
            raise Mistake(f"{name}: {piece!r} must rise{above} in two steps or more: {such}")
        if many > MOST:
            raise Mistake(f"{name}: {piece!r} has more than {MOST:,} values")
        if scale == "log":
            many = many or 1 + max(1, round(3 * math.log10(high / low)))
            values = np.geomspace(low, high, many)
        else:
            values = np.linspace(low, high, many or 10)
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
        # Whether it may be infinite, or no number, the argument says.
        number = float(Fraction(text) if "/" in text else text)
    except OverflowError:
        number = float("-inf" if text.strip().startswith("-") else "inf")
    except (ValueError, ZeroDivisionError):
        raise Mistake(f"{name} must be a number, got {text!r}") from None
    if abs(number) < 2**53 and re.fullmatch(r"[+-]?[\d_]+", text):
        return int(text)
    return number


def split(values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The population, if there is one, and the rest."""
    cell = {name: value for name, value in values.items() if name == "population"}
    return cell, {name: value for name, value in values.items() if name not in cell}


def column(name: str) -> str:
    """What an argument's column is called: that of the bound itself is ``bound``."""
    return name + "_" * (name == "bound")


def evaluate(claim: Claim, values: Mapping[str, Any], labels: Mapping[str, Any]) -> float:
    """The bound at these values, one number; where it is none, the mistake says where."""
    import numpy as np

    from noisytheory.trial.elsewhere import is_ours

    assert claim.bound is not None
    # Where no domain says what an argument may be, a division by zero does.
    strictness: Any = "ignore" if hasattr(claim.bound, "domains") else "raise"
    where = ", ".join(f"{name}={label}" for name, label in labels.items())
    cell, given = split(values)
    try:
        with np.errstate(divide=strictness, invalid=strictness, over="ignore"):
            value = np.asarray(claim.call(claim.bound, cell, **given), float)
    except (ArithmeticError, TypeError) as error:
        raise Mistake(f"the bound cannot be evaluated at {where}: {words(error)}") from error
    except (LookupError, AttributeError) as error:
        if not is_ours(claim):
            raise  # Where in the file it happened says more.
        what = named(error)
        raise Mistake(f"the bound cannot be evaluated at {where}: {what}") from error
    if value.size != 1 or np.isnan(value).any():
        raise Mistake(f"the bound is not a number at {where}")
    return float(value.ravel()[0])
