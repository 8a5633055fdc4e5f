"""The command ``bound`` the other way round: the argument from which on a bound is small enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from noisytheory.cli.given import assigned, column, combinations, evaluate, number, split, spread
from noisytheory.cli.mistakes import Mistake, offer
from noisytheory.cli.select import arguments_of

if TYPE_CHECKING:
    from noisytheory.trial.claim import Claim
    from noisytheory.trial.truth import Truth
    from noisytheory.vocabulary.domains import Domain

__all__ = ["answered", "question", "table_of"]

ITSELF = ("itself", "itself_low", "itself_high")
"""What the promise itself needs, and its limits where draws tell it."""


def question(assignments: Sequence[str]) -> tuple[dict[str, str], tuple[str, ...]]:
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


def answered(
    claim: Claim, asked: Mapping[str, str], assignments: Sequence[str]
) -> tuple[list[dict[str, Any]], str]:
    """The argument that is looked for, and the bound there, at each choice of the others.

    One answer is a line as well; one that no value attains is a mistake.
    """
    from noisytheory.trial.truth import computable, needed
    from noisytheory.vocabulary.domains import REAL
    from noisytheory.vocabulary.inverse import NotMonotone, OutOfReach, ends, looks

    name, wanted = asked["solve"], next(word for word in asked if word != "solve")
    arguments = [argument["name"] for argument in arguments_of(claim)]
    if name not in arguments:
        raise Mistake(f"solve must name an argument of the bound, got {name!r}"
                      f"{offer(name, arguments)}")
    given = assigned(claim, assignments, name)
    domain = _domain(claim, name)
    targets = [number(wanted, piece) for piece in spread(wanted, asked[wanted])]
    for target in targets:
        REAL.check(wanted, target)
    choices = list(combinations({wanted: targets, **given}))
    points, line, found = [], "", column(name)
    for values, labels in choices:
        target = values.pop(wanted)
        shown = {column(key): label for key, label in labels.items()}
        point: dict[str, Any] = {
            **shown, found: None, "bound": None, **dict.fromkeys(ITSELF), "remark": "",
            "proved": False,
        }
        points.append(point)
        try:
            point[found], point["proved"] = _solved(claim, name, domain, wanted, target, values)
        except NotMonotone as turned:
            line = str(turned)
            point |= {"remark": line, "crossings": turned.crossings,
                      "minimiser": turned.minimiser, "minimum": turned.minimum}
            continue
        except OutOfReach as error:
            point["remark"] = str(error).replace(wanted.replace("-", "_"), wanted)
            if len(choices) == 1:
                raise Mistake(point["remark"]) from error
            continue
        line = f"{point[found]!r}  (the bound is small enough whatever it is)"
        if abs(point[found]) < float("inf"):
            point["bound"] = evaluate(claim, {**values, name: point[found]}, labels)
            line = f"{point[found]!r}  (the bound there is {point['bound']!r})"
            if not point["proved"]:
                point["remark"] = f"seen at {looks(domain)} values of {name}, not proved between"
                line = f"{line[:-1]}; {point['remark']})"
            low, high = ends(domain)
            if point[found] in (low, high) and all(
                _attained(claim, wanted, target, {**values, name: end}) for end in (low, high)
            ):
                point["remark"] = f"every {name} tried is enough, from {low:g} to {high:g}"
                line += f"\n({point['remark']})"
        # What the promise itself needs is tried where somebody asks for it, or for one answer.
        tried = {**values, name: point[found]}
        itself = None
        fixed = hasattr(values.get("population"), name)  # it has a number of its own
        if wanted == "at-most" and isinstance(point[found], int) and not fixed and (
            "population" in given or len(choices) == 1
        ) and computable(claim, tried):
            itself = needed(claim, name, target, values, point[found])
        if itself is not None:
            where = f"on {labels['population']} " if "population" in labels else ""
            line += f"\n({where}itself {_enough(itself, name, point[found])}, by {itself.how})"
            for key, value in zip(ITSELF, (itself.value, itself.low, itself.high), strict=True):
                point[key] = value if value < float("inf") else None
    return points, line if len(points) == 1 else ""


def table_of(points: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Points as rows of a table: what none of them has is no column."""
    missing = [
        name for name in (*ITSELF, "remark") if not any(point[name] for point in points)
    ]
    if all(point[ITSELF[0]] == point[end] for point in points for end in ITSELF):
        missing += ITSELF[1:]
    further = ("crossings", "minimiser", "minimum", "proved", *missing)
    return [{k: v for k, v in point.items() if k not in further} for point in points]


def _enough(itself: Truth, name: str, most: int) -> str:
    """What the promise itself needs, and between which limits where draws leave it open."""
    sure = "" if itself.how == "the exact law" else ", with 99% confidence"
    if itself.low == itself.high <= most:
        less = f", and {itself.value - 1} is not" * (itself.value > 1)
        return f"{name} = {itself.value} is enough{less}{sure}"
    about = f"about {name} = {itself.value} is" if itself.value <= most else f"no {name} seen is"
    least = f"at least {itself.low}" if itself.low <= most else f"more than {most}"
    most_told = f" and at most {itself.high}" if itself.high <= most else ""
    return f"{about} enough, {least}{most_told}{sure}"


def _attained(claim: Claim, wanted: str, target: float, values: Mapping[str, Any]) -> bool:
    try:
        value = evaluate(claim, values, {})
    except Mistake:
        return False
    return value <= target if wanted == "at-most" else value >= target


def _domain(claim: Claim, name: str) -> Domain:
    """What an argument may be: as declared, by convention, or as the claim's grid has it."""
    import numpy as np

    from noisytheory.vocabulary.domains import COUNT, POSITIVE, REAL, as_numbers
    from noisytheory.vocabulary.inverse import BY_CONVENTION

    declared = getattr(claim.bound, "domains", BY_CONVENTION)
    if name in declared:
        return cast("Domain", declared[name])
    tried = as_numbers(claim.grid.get(name, ()))
    if tried is None or not tried.size or tried.dtype.kind not in "iuf":
        raise Mistake(f"nothing says what {name} may be: declare it above the bound, such as "
                      f"@nt.domains.requires({name}=nt.domains.POSITIVE)")
    if np.all(tried <= 0):
        return REAL
    return COUNT if np.all((tried == np.floor(tried)) & (tried >= 1)) else POSITIVE


def _solved(
    claim: Claim, name: str, domain: Domain, wanted: str, target: float,
    values: Mapping[str, Any],
) -> tuple[Any, bool]:
    """`noisytheory.solve` of a claim's bound, and whether it is proved that it crosses but once.

    What is not given comes as in a trial.
    """
    from noisytheory.vocabulary.inverse import crosses_once, solve

    assert claim.bound is not None
    cell, given = split(values)
    arguments = claim.arguments(claim.bound, cell, **{**given, name: domain})
    arguments[wanted.replace("-", "_")] = target
    return solve(claim.bound, **arguments), crosses_once(claim.bound, **arguments)
