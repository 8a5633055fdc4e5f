"""The command ``bound`` the other way round: the argument from which on a bound is small enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from noisytheory.cli.given import assigned, column, combinations, evaluate, number, split, spread
from noisytheory.cli.select import arguments_of
from noisytheory.cli.shell import Mistake, offer

if TYPE_CHECKING:
    from noisytheory.trial.claim import Claim

__all__ = ["answered", "question", "table_of"]


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
    from noisytheory.trial.truth import Truth, needed, told
    from noisytheory.vocabulary.inverse import NotMonotone, OutOfReach

    name, wanted = asked["solve"], next(word for word in asked if word != "solve")
    arguments = [argument["name"] for argument in arguments_of(claim)]
    if name not in arguments:
        raise Mistake(f"solve must name an argument of the bound, got {name!r}"
                      f"{offer(name, arguments)}")
    given = assigned(claim, assignments, name)
    targets = [number(wanted, piece) for piece in spread(wanted, asked[wanted])]
    choices = list(combinations({wanted: targets, **given}))
    points, line, found = [], "", column(name)
    for values, labels in choices:
        target = values.pop(wanted)
        shown = {column(key): label for key, label in labels.items()}
        point: dict[str, Any] = {
            **shown, found: None, "bound": None, "itself": None, "remark": ""
        }
        points.append(point)
        try:
            point[found] = _solved(claim, name, wanted, target, values)
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
        # What the promise itself needs is tried where somebody asks for it, or for one answer.
        tried = {**values, name: point[found]}
        itself: Truth | None = None
        if wanted == "at-most" and isinstance(point[found], int) and told(claim, tried) and (
            "population" in given or len(choices) == 1
        ):
            itself = needed(claim, name, target, values, point[found])
        if itself is not None:
            where = f"on {labels['population']} " if "population" in labels else ""
            point["itself"] = itself.value
            less = f", and {itself.value - 1} is not" * (itself.value > 1)
            line += f"\n({where}itself {name} = {itself.value} is enough{less}, by {itself.how})"
    return points, line if len(points) == 1 else ""


def table_of(points: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Points as rows of a table: what none of them has is no column."""
    missing = [
        name for name in ("itself", "remark") if not any(point[name] for point in points)
    ]
    further = ("crossings", "minimiser", "minimum", *missing)
    return [{k: v for k, v in point.items() if k not in further} for point in points]


def _solved(claim: Claim, name: str, wanted: str, target: float, values: Mapping[str, Any]) -> Any:
    """`noisytheory.solve` of a claim's bound: what is not given comes as in a trial."""
    from noisytheory.vocabulary.inverse import solve

    assert claim.bound is not None
    cell, given = split(values)
    arguments = claim.arguments(claim.bound, cell, **{**given, name: ...})
    return solve(claim.bound, **{wanted.replace("-", "_"): target}, **arguments)
