"""Words for claims about instances: one definition in two arithmetics, lists, twins that scale."""

from __future__ import annotations

import functools
import inspect
import math
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.trial.claim import Certificate

if TYPE_CHECKING:
    from noisytheory.trial.claim import Claim

__all__ = ["both", "exact_numbers", "scaled", "worked"]

_SHOWN = 16
"""Numbers of a row that a step shows."""

_SIDES = ("lhs", "rhs", "applies", "scale")

_OWN = (*_SIDES, "rhs_draw", "other", "weight", "case")
"""Names that mean something else to the judge than to a reader."""


def both(
    function: Callable[..., Mapping[str, Any]], family: Any,
    bound: Callable[..., Any] | None = None,
) -> dict[str, Callable[..., Any]]:
    """Fields of a claim about instances, all from one definition: simulate, certify and exact.

    Parameters
    ----------
    function : callable
        ``(at, ...)`` to a mapping with ``lhs``, ``rhs``, if need be ``applies`` (whether the
        hypotheses hold), and by name whatever a reader wants to see on the way. Every value has one
        entry an instance. It is written with operators that floats and fractions share: over
        floats it sees thousands of instances at once, over fractions one.
    family : type
        ``family.draw(..., size, rng)`` gives instances, a mapping of names to arrays with ``size``
        first; ``family(**arrays)`` is the case that ``function`` sees. A float is taken at its
        exact value, so dyadic numbers (halves, sixteenths) agree in both arithmetics to the last
        bit, those of the grid included; whole numbers stay whole numbers. With
        ``family.every(...)``, all instances there are (or None), the claim is tried on each of
        them, and a family without ``draw`` draws of these with equal chances. With
        ``family.steps()`` a case tells its instance in words, ahead of the rest; without, its
        fields come last.
    bound : callable, optional
        The public bound that gives the right side, of names that `function` returns, the family
        draws or the grid has; it becomes the claim's. Over fractions it is called without its
        checks, and at the ends of what is an interval: it must then be monotone. Where
        `function` returns a right side too, fractions take that: for a bound made of roots.

    Returns
    -------
    dict
        ``simulate`` and ``certify``, ``exact`` where the family lists its instances, and
        ``bound``; to be given to a claim as ``**both(function, family)``. A side may be a pair
        (low, high), an interval: then the search takes its middle.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from noisytheory import Paper
    >>> @dataclass
    ... class Pair:
    ...     a: np.ndarray
    ...     b: np.ndarray
    ...     @staticmethod
    ...     def draw(*, size, rng):
    ...         a, b = rng.integers(-64, 65, size=(2, size)) / 16
    ...         return dict(a=a, b=b)
    >>> def means(at):
    ...     return dict(lhs=at.a * at.b, rhs=(at.a**2 + at.b**2) / 2, gap=(at.a - at.b) ** 2)
    >>> claim = Paper("mine", "AM-GM").always("means", statement="x", **both(means, Pair))
    >>> claim.certify(a=0.5, b=0.25).steps[0]
    ('gap', Fraction(1, 16))
    """
    parameters = [name for name in inspect.signature(function).parameters][1:]
    draw = getattr(family, "draw", None) or _some_of(family.every)
    asked_for = [] if bound is None else list(inspect.signature(bound).parameters)

    def sides(at: Any, given: Mapping[str, Any]) -> dict[str, Any]:
        return dict(function(at, **{name: given[name] for name in parameters}))

    def search(
        drawn: Mapping[str, NDArray[Any]], given: Mapping[str, Any], *, told: bool = False
    ) -> dict[str, Any]:
        found = sides(family(**drawn), given)
        size = len(next(iter(drawn.values())))
        kept = {
            name: np.broadcast_to(np.asarray(_middle(found[name])), (size,))
            for name in (*_SIDES, *asked_for)
            if name in found and (name != "rhs" or bound is None)
        }
        # What a reader wants to see on the way comes first.
        seen = {
            name.replace("_", " "): value for name, value in found.items()
            if told and name not in (*_OWN, *given)
            and isinstance(value, np.ndarray) and value.shape == (size,)
        }
        return {**seen, **drawn, **kept}

    def simulate(*, size: int, rng: np.random.Generator, **given: Any) -> dict[str, Any]:
        asked = {name: given[name] for name in drawing}
        return search(dict(draw(**asked, size=size, rng=rng)), given)

    def exact(**given: Any) -> dict[str, Any] | None:
        listed = family.every(**{name: given[name] for name in listing})
        return None if listed is None else search(dict(listed), given, told=True)

    def certify(**given: Any) -> Certificate:
        drawn = {name: exact_numbers(given[name])[None] for name in fields}
        exactly = {name: _exactly(value) for name, value in given.items() if name not in fields}
        at = family(**drawn)
        found = _in_fractions(function, lambda: sides(at, exactly))
        steps = list(at.steps()) if hasattr(at, "steps") else []
        steps += [(name.replace("_", " "), _step(_only(value)))
                 for name, value in found.items() if name not in _SIDES]
        if not hasattr(at, "steps"):
            as_drawn = [(name, _step(_only(value))) for name, value in drawn.items()]
            # What the function hands on as it was drawn is shown once.
            steps += [step for step in as_drawn if (step[0].replace("_", " "), step[1])
                     not in steps]
        if bound is not None and "rhs" not in found:
            # A whole number divided by another would be a float.
            whole = {name: _wholly(value) for name, value in found.items()}
            known = {**exactly, **drawn, **whole}
            words = {name: known[name] for name in asked_for}
            found |= _in_fractions(bound, lambda: {"rhs": _within(bound, words)})
        applies = bool(_only(found["applies"])) if "applies" in found else True
        return Certificate(_only(found["lhs"]), _only(found["rhs"]), steps, applies)

    drawing = [n for n in inspect.signature(draw).parameters if n not in ("size", "rng")]
    fields = list(inspect.signature(family).parameters)
    outside = [name for name in asked_for if name not in fields and name not in parameters]
    made = {"simulate": _signed(simulate, [*drawing, *parameters], "size", "rng"),
            "certify": _signed(certify, [*fields, *parameters], optional=outside)}
    if hasattr(family, "every"):
        listing = list(inspect.signature(family.every).parameters)
        made["exact"] = _signed(exact, [*listing, *parameters])
    made["simulate"].gives = asked_for  # type: ignore[attr-defined]
    for member in made.values():
        member.made_of = (function, draw)  # type: ignore[attr-defined]
        member.__module__ = function.__module__
    return made if bound is None else {**made, "bound": bound}


def worked(cases: Callable[..., Iterable[Certificate]], *names: str) -> dict[str, Any]:
    """Fields ``exact`` and ``certify`` of a claim whose instances are all worked in fractions.

    Parameters
    ----------
    cases : callable
        Parameters of a cell to certificates, always in the same order.
    *names : str
        Steps that the claim's bound reads: then the bound is the right side, and the certificate
        has it in fractions. Without names the certificate's right side is the claim's.

    Returns
    -------
    dict
        ``exact`` lists both sides of every instance, ``certify`` gives one of them.

    Examples
    --------
    >>> def squares(n):
    ...     return (Certificate(k * k, n * k) for k in range(n))
    >>> made = worked(squares)
    >>> made["exact"](n=3)["lhs"].tolist(), made["certify"](case=2, n=3).rhs
    ([0.0, 1.0, 4.0], 6)
    """
    parameters = list(inspect.signature(cases).parameters)

    def exact(**given: Any) -> dict[str, NDArray[Any]]:
        found = _worked(cases, tuple(given.items()))
        sides = {
            "lhs": np.array([_float(one.lhs) for one in found]),
            "applies": np.array([one.applies for one in found]),
            "case": np.arange(len(found)),
        }
        if not names:
            sides["rhs"] = np.array([_float(one.rhs) for one in found])
        for name in names:
            sides[name] = np.array([_float(dict(one.steps)[name]) for one in found])
        return {**_alike(found, given), **sides}

    def certify(case: int, **given: Any) -> Certificate:
        return _worked(cases, tuple(given.items()))[int(case)]

    made = {"exact": _signed(exact, parameters), "certify": _signed(certify, ["case", *parameters])}
    for member in made.values():
        member.made_of = (cases,)  # type: ignore[attr-defined]
        member.__module__ = cases.__module__
    return made


@functools.lru_cache(maxsize=16)
def _worked(
    cases: Callable[..., Iterable[Certificate]], given: tuple[tuple[str, Any], ...]
) -> list[Certificate]:
    """Kept, for several claims and papers ask for the same."""
    return list(cases(**dict(given)))


def _alike(
    found: Sequence[Certificate], given: Mapping[str, Any]
) -> dict[str, NDArray[Any]]:
    """Steps that all certificates have, as numbers or as words: what tells the instances apart."""
    steps = [dict(one.steps) for one in found]
    alike: dict[str, NDArray[Any]] = {}
    for name in steps[0] if steps else ():
        if name in (*_OWN, *given):
            continue
        values = [of.get(name) for of in steps]
        kinds = set(map(type, values))
        if all(issubclass(kind, numbers.Real) for kind in kinds):
            alike[name] = np.array([_float(value) for value in values])
        elif all(issubclass(kind, str | tuple) for kind in kinds) and all(
            isinstance(value, str) or _is_pair(value) for value in values
        ):
            alike[name] = np.array(list(map(str, values)))
    return alike


def _is_pair(value: Any) -> bool:
    """Of classes, say: a word to a reader."""
    return isinstance(value, tuple) and len(value) == 2 and all(
        isinstance(one, int) for one in value
    )


def _float(side: Any) -> float:
    found = sum(side) / 2 if isinstance(side, tuple) else side
    if not isinstance(found, Fraction):
        return float(found)
    # As float does it, after a look at what it is.
    above, below = found.as_integer_ratio()
    return above / below


def _some_of(every: Callable[..., Mapping[str, NDArray[Any]]]) -> Callable[..., dict[str, Any]]:
    """Draws from a list of instances, each with equal chances."""

    @functools.wraps(every)
    def draw(*, size: int, rng: np.random.Generator, **given: Any) -> dict[str, Any]:
        listed = every(**given)
        rows = rng.integers(len(next(iter(listed.values()))), size=size)
        return {name: array[rows] for name, array in listed.items()}

    return _signed(draw, list(inspect.signature(every).parameters), "size", "rng")


def _signed(
    function: Callable[..., Any], names: list[str], *keywords: str, optional: Sequence[str] = ()
) -> Callable[..., Any]:
    """The function, saying which arguments the engine is to give it, and which if it has them."""
    kind = inspect.Parameter.KEYWORD_ONLY
    named = [inspect.Parameter(name, kind) for name in dict.fromkeys((*names, *keywords))]
    named += [inspect.Parameter(name, kind, default=None) for name in optional]
    function.__signature__ = inspect.Signature(named)  # type: ignore[attr-defined]
    return function


def _middle(side: Any) -> Any:
    return (np.asarray(side[0]) + np.asarray(side[1])) / 2 if isinstance(side, tuple) else side


def _exactly(value: Any) -> Any:
    """A parameter of the grid: a float at its exact value, everything else as it is."""
    return Fraction(value) if isinstance(value, float) else value


def _within(bound: Callable[..., Any], known: Mapping[str, Any]) -> Any:
    """A monotone bound of exact numbers, at the corners of those that are intervals."""
    ends = [value if isinstance(value, tuple) else (value,) for value in known.values()]
    # Not unwrapped: a wrapper may turn the sign.
    with getattr(bound, "unchecked", nullcontext)():
        corners = [bound(**dict(zip(known, corner, strict=True))) for corner in product(*ends)]
    if len(corners) == 1:
        return corners[0]
    found = [_only(corner) for corner in corners]
    return min(found), max(found)


def _in_fractions(
    function: Callable[..., Any], call: Callable[[], dict[str, Any]]
) -> dict[str, Any]:
    """What a function gives of fractions, if its sides are numbers that a certificate can hold."""
    name = getattr(function, "__name__", repr(function))
    way_out = (
        "write constants as Fractions (Fraction(1, 2) for 0.5) and roots with "
        "noisytheory.vocabulary.exact.root, which brackets them"
    )
    try:
        found = call()
    except (TypeError, AttributeError) as error:
        # NumPy's words where a number has no such function: np.sqrt of a fraction.
        if "Fraction" not in str(error):
            raise
        raise ValueError(f"{name} does not work over fractions ({error}): {way_out}") from error
    for side in ("lhs", "rhs"):
        value = _only(found.get(side, 0))
        for end in value if isinstance(value, tuple) else (value,):
            if isinstance(end, float):
                raise ValueError(
                    f"{name}: over fractions {side} became the float {end!r}: {way_out}"
                )
    return found


def _wholly(value: Any) -> Any:
    """Whole numbers as fractions; everything else as it is."""
    if isinstance(value, tuple):
        return tuple(map(_wholly, value))
    array = np.asarray(value, dtype=object)
    out = np.empty(array.shape, dtype=object)
    for at, entry in np.ndenumerate(array):
        number = entry.item() if isinstance(entry, np.generic) else entry
        whole = isinstance(number, int) and not isinstance(number, bool)
        out[at] = Fraction(number) if whole else number
    return out


def _step(value: Any) -> Any:
    """For a reader: a number as it is, rows of numbers as text."""
    if isinstance(value, np.ndarray | list | tuple):
        shown = [str(_step(entry)) for entry in value[:_SHOWN]]
        more = [f"{len(value) - _SHOWN} more"] if len(value) > _SHOWN else []
        return f"({', '.join([*shown, *more])})"
    return value


def _only(value: Any) -> Any:
    """The single instance's value; of an interval, both ends."""
    if isinstance(value, tuple):
        return tuple(_only(end) for end in value)
    array = np.asarray(value, dtype=object)
    found = array[0] if array.ndim and len(array) == 1 else value
    return found.item() if isinstance(found, np.generic) else found


def exact_numbers(values: Any) -> NDArray[Any]:
    """Floats as fractions of the same value, whole numbers and truth values as they are.

    Parameters
    ----------
    values : array_like

    Returns
    -------
    ndarray
        Of the same shape.

    Examples
    --------
    >>> exact_numbers([0.5, 0.25]).tolist()
    [Fraction(1, 2), Fraction(1, 4)]
    """
    array = np.asarray(values)
    if array.dtype.kind != "f":
        return array
    out = np.empty(array.shape, dtype=object)
    out.ravel()[:] = [Fraction(value) for value in array.ravel().tolist()]
    return out


def scaled(
    factor: Fraction | int | float, why: str = "", *, power: int = 1
) -> Callable[[Claim], dict[str, Any]]:
    """A broken twin whose right side is this many times the claim's, wherever it comes from.

    Parameters
    ----------
    factor : Fraction, int or float
        Multiplies the bound, the drawn right side and the certificate's.
    why : str
        What was broken, instead of the sentence that names the factor.
    power : int
        2 where the certificate compares squares of the two sides.

    Returns
    -------
    callable
        For the field ``twin`` of a claim.

    Examples
    --------
    >>> from noisytheory import Paper
    >>> claim = Paper("mine", "x").mean("m", statement="x", bound=lambda n: 0.5, low=0.0, high=1.0,
    ...     simulate=lambda n, *, size, rng: rng.uniform(size=size), grid=dict(n=[1]),
    ...     twin=scaled(Fraction(1, 2)))
    >>> claim.twin["why"], claim.broken().bound(1)
    ('right side times 1/2', 0.25)
    """
    exactly = _factor(factor)

    def rows(found: Any) -> Any:
        if not isinstance(found, Mapping) or "rhs" not in found:
            return found
        return {**found, "rhs": float(exactly) * np.asarray(found["rhs"])}

    def certificate(found: Certificate) -> Certificate:
        side = found.rhs
        by = exactly**power
        times = tuple(by * end for end in side) if isinstance(side, tuple) else by * side
        return Certificate(found.lhs, times, found.steps, found.applies)

    def changes(claim: Claim) -> dict[str, Any]:
        found: dict[str, Any] = {
            "why": why or f"right side times {exactly}", "factor": exactly,
        }
        after: dict[str, Callable[[Any], Any]] = {
            "bound": lambda value: float(exactly) * value,
            "simulate": rows, "exact": rows, "certify": certificate,
        }
        for name, change in after.items():
            function = getattr(claim, name)
            if function is not None and (name != "simulate" or claim.bound is None):
                found[name] = _then(function, change)
        return found

    return changes


def _factor(factor: Any) -> Fraction:
    number = isinstance(factor, Fraction | int | float) and not isinstance(factor, bool)
    if not number or not math.isfinite(factor) or factor <= 0 or factor == 1:
        raise ValueError(
            f"factor must be a positive, finite number other than 1, got {factor!r}"
        )
    return Fraction(factor)


def _then(function: Callable[..., Any], change: Callable[[Any], Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def changed(*args: Any, **kwargs: Any) -> Any:
        return change(function(*args, **kwargs))

    return changed
