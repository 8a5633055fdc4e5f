"""Bounds the other way round: how many samples, which level, how much noise a promise allows."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from noisytheory.vocabulary.domains import (
    LEVEL,
    PLAIN,
    REAL,
    SAMPLE_SIZE,
    Domain,
    as_numbers,
    check_shapes,
    labelled_among,
    of_series,
    relabelled,
    trusted,
)
from noisytheory.vocabulary.intervals import Interval

__all__ = ["NotMonotone", "OutOfReach", "crosses_once", "ends", "looks", "solve"]

Floats = NDArray[np.float64]
Ranks = NDArray[np.int64]
Search: TypeAlias = Generator[int, float, tuple[int, int]]

BY_CONVENTION = {"n": SAMPLE_SIZE, "delta": LEVEL}
"""What these arguments are where a bound declares no domains: the trial reads them so, too."""

FAR, NEAR = 1e100, 1e-305
"""How far an unbounded argument is searched, and how near to 0 one that must be positive."""

ROUNDING = 1e-12
"""What crosses a target by less, relative to it, crosses it by rounding."""

BEYOND = int(np.float64(2**53).view(np.int64)) - 2**53
"""From 2^53 on whole floats are counted by their bits."""

NO_VALUE = (TypeError, ValueError, ArithmeticError)
"""What a bound raises where it has none, or of arrays if it takes single numbers."""

APART = np.concatenate([np.arange(1, 17), 2 ** np.arange(5, 51)])
APART = np.concatenate([-APART[::-1], [0], APART])[:, None]
"""How far from a place its neighbourhood is looked at."""

MOST_CELLS = 4096
"""Intervals that are looked at together, at most, where a proof divides them."""

NEXT = np.array([[0], [1]])

PARTS = np.arange(32)[:, None] / 32
"""Where between two ends it is looked at."""


class OutOfReach(ValueError):
    """No value of the argument attains the target; the message says what the limit is."""


class NotMonotone(ValueError):
    """The values that attain the target are no half-line.

    Parameters
    ----------
    message : str
        Says where they begin and end.
    crossings : tuple of float
        The values that still attain the target next to ones that do not, in order.
    minimiser, minimum : float
        Where the bound is best, and what it is there.
    """

    def __init__(
        self, message: str, crossings: tuple[float, ...], minimiser: float, minimum: float
    ) -> None:
        super().__init__(message)
        self.crossings, self.minimiser, self.minimum = crossings, minimiser, minimum


def solve(
    bound: Callable[..., Any], /, *, at_most: Any = None, at_least: Any = None, fill: Any = None,
    **arguments: Any,
) -> Any:
    """The value of one argument from which on a bound is small, or large, enough.

    Where the bound falls in the argument that is the smallest value with ``bound <= at_most``,
    where it rises the largest one; of whole numbers a whole one. It is exact: the bound, as it is
    computed, attains the target there and at the next float, or whole number, no longer does.

    Parameters
    ----------
    bound : callable
        Any public bound, or your own, whose arguments have names; functions of single numbers will
        do. It is asked for numbers up to 1e100: if that takes long, as of ``math.comb(2 * n, n)``,
        say how far it is to be searched, ``n=nt.domains.Domain(0, 10**4, whole=True)``.
    at_most, at_least : float or array
        What the bound is to be: one of the two.
    fill : float, optional
        What to return where no value attains the target, or the values are no half-line, in place
        of an error.
    **arguments
        Of the bound. One of them is ``...``, or a `nt.domains.Domain` if the bound
        declares none for it (by `nt.domains.requires`): that is looked for. The others
        broadcast; what is no number is handed on.

    Returns
    -------
    int, float or array
        As `bound` would give it: labelled for labelled arrays, pandas for pandas. Infinite where
        the bound rises and stays small enough however large the argument.

    Raises
    ------
    OutOfReach
        If no value attains the target; the message says what the limit is.
    NotMonotone
        If the values that do are no half-line, as of a bound that falls and rises again. It has
        all crossings, and where the bound is least. Both are kinds of ``ValueError``.
    ValueError
        Names the argument, what it may be, and what came.

    Notes
    -----
    The bound is evaluated at some 300 to 440 values all over the argument's domain (the first 64
    whole distances from its ends, or from 0, ten a decade from 1e-16 to 1e12, one in four decades
    from 1e-305 to 1e100), and at 157 around the answer (32 between the two values where the target
    is crossed, 16 floats, or whole numbers, on either side, and twice as far again and again):
    there it is seen whether it turns. What turns between two of them is not seen, unless
    `crosses_once` proves that nothing does. Between the two where the target is crossed the floats
    themselves are divided, which takes as long for 1e-300 as for 1e12: a closed form is asked some
    six times, for numbers as for arrays. A bound that turns and crosses the target but once is
    solved as any other. If every value attains the target, the answer is the end of the domain. Of
    single numbers the answer is exact for single numbers: a power of an array may differ from
    theirs in the last bit.

    Examples
    --------
    >>> from noisytheory import kernel_mean, label_noise
    >>> solve(kernel_mean.mean_deviation, at_most=0.1, n=..., delta=1e-3)
    3269
    >>> found = solve(label_noise.noisy_deviation, at_most=0.5, n=1000, delta=0.05, sigma=...)
    >>> round(found, 4)
    0.3593
    >>> solve(kernel_mean.minimax_probability, at_least=0.24, n=...)
    2
    """
    ask, wanted, target, numbers = _asked(bound, at_most, at_least, arguments)
    domain = ask.line.domain
    if fill is not None and not isinstance(fill, Real):
        raise ValueError(f"fill must be a number, got {fill!r}")

    def answers(target: Any, *values: Any) -> Any:
        """Of plain arrays."""
        check_shapes(dict(zip([wanted, *numbers], (target, *values), strict=True)))
        alike = np.broadcast_arrays(*(np.asarray(v, float) for v in (target, *values)))
        columns = dict(zip(numbers, map(np.ravel, alike[1:]), strict=True))
        found = np.array(list(ask.all(np.ravel(alike[0]), columns, fill)), float)
        if domain.whole and np.all(np.abs(found) < 2.0**63):
            found = found.astype(np.int64)
        return found.reshape(alike[0].shape)

    everything = {wanted: target, **numbers}
    if all(type(value) in PLAIN for value in everything.values()):
        columns = {key: np.array([value], float) for key, value in numbers.items()}
        (found,) = ask.all(np.array([target], float), columns, fill)
        return int(found) if domain.whole and math.isfinite(found) else float(found)
    plain, index = of_series(everything)
    if index is not None:
        return relabelled(answers(*plain.values()), index, ask.name)
    if labelled_among(plain):
        import xarray as xr

        labelled = {key: value for key, value in plain.items() if hasattr(value, "dims")}
        try:
            xr.align(*labelled.values(), join="exact")
        except ValueError as error:
            raise ValueError(f"{', '.join(labelled)} must have the same labels: {error}") from error
        found = xr.apply_ufunc(answers, *plain.values()).rename(ask.name)
        return found.assign_attrs({})
    found = answers(*plain.values())
    if found.ndim:
        return found
    return int(found) if domain.whole and np.isfinite(found) else float(found)


def crosses_once(
    bound: Callable[..., Any], /, *, at_most: Any = None, at_least: Any = None, **arguments: Any
) -> bool:
    """Whether it is proved that a bound crosses its target where `solve` says, and nowhere else.

    Where every value attains the target, whether that is proved.

    By interval arithmetic over all the floats, or whole numbers, that are searched, up to what
    rounding makes (1e-12 of the target): half a millisecond for most closed forms.

    Parameters
    ----------
    bound, at_most, at_least, **arguments
        As for `solve`; single numbers.

    Returns
    -------
    bool
        False says no more than that it was not proved: nothing is of bounds that use more than
        arithmetic, powers, roots, logarithms, exponentials and comparisons.

    Raises
    ------
    ValueError
        As `solve` does.

    Examples
    --------
    >>> from noisytheory import kernel_mean
    >>> crosses_once(kernel_mean.mean_deviation, at_most=0.1, n=..., delta=1e-3)
    True
    """
    answer = solve(bound, at_most=at_most, at_least=at_least, **arguments)
    ask, wanted, target, numbers = _asked(bound, at_most, at_least, arguments)
    given = {key: np.float64(REAL.number(key, value)) for key, value in numbers.items()}
    if not ask.trusting and hasattr(bound, "domains"):
        return False
    with np.errstate(all="ignore"), trusted():
        return ask.proved(answer, ask.sign * REAL.number(wanted, target), given)


def _asked(
    bound: Callable[..., Any], at_most: Any, at_least: Any, arguments: Mapping[str, Any]
) -> tuple[_Question, str, Any, dict[str, Any]]:
    """The question, what its target is called and is, and the arguments that are numbers."""
    name, domain = _searched(bound, arguments)
    if (at_most is None) == (at_least is None):
        raise ValueError("exactly one of at_most and at_least must be given")
    wanted, target, sign = (
        ("at_most", at_most, 1) if at_least is None else ("at_least", at_least, -1)
    )
    declared = getattr(bound, "domains", {})
    given = {key: value for key, value in arguments.items() if key != name}
    numbers = {
        key: value for key, value in given.items()
        if key in declared or hasattr(value, "data_vars")
        or (not declared and _broadcasts(value))
    }
    for key, value in {wanted: target, **numbers}.items():
        if np.ma.isMaskedArray(value):
            raise ValueError(f"{key} must not be masked, got {value!r}")
        if hasattr(value, "data_vars"):
            raise ValueError(f"{key} must be a number or an array, such as one variable of a "
                             f"dataset, got {type(value).__name__}")
        (REAL if key == wanted else declared.get(key, REAL)).check(key, value)
    fixed = {key: value for key, value in given.items() if key not in numbers}
    # What is searched and what is given is known to be allowed.
    trusting = declared.get(name) == domain and not set(declared) & set(fixed)
    return _Question(bound, name, _line(domain), fixed, sign, trusting), wanted, target, numbers


def _searched(bound: Callable[..., Any], arguments: Mapping[str, Any]) -> tuple[str, Domain]:
    """Which argument is looked for, and where."""
    if not callable(bound):
        raise TypeError(f"bound must be a function, such as nt.kernel_mean.mean_deviation "
                        f"or the bound of a claim, got {bound!r}")
    called = getattr(bound, "__name__", "the bound")
    by_name = ("bound must take its arguments by name, such as lambda n: numpy.sqrt(n) does with "
               f"n=..., got {bound!r}")
    try:
        signature = inspect.signature(bound).parameters.values()
    except ValueError as error:
        raise ValueError(by_name) from error
    parameters = {
        parameter.name: parameter for parameter in signature
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    }
    further = any(parameter.kind is parameter.VAR_KEYWORD for parameter in signature)
    if not (parameters or further) or any(
        parameter.kind is parameter.POSITIONAL_ONLY and parameter.default is parameter.empty
        for parameter in signature
    ):
        raise ValueError(by_name)
    takes = f"{called} takes {', '.join(parameters) or 'none'}"
    for name in arguments:
        if name not in parameters and not further:
            raise ValueError(f"unknown argument {name} ({takes})")
    unknown = [name for name, v in arguments.items() if v is ... or isinstance(v, Domain)]
    if len(unknown) != 1:
        came = ", ".join(unknown) or "none"
        raise ValueError(f"exactly one argument must be ..., got {came} ({takes})")
    missing = [
        name for name, parameter in parameters.items()
        if parameter.default is parameter.empty and name not in arguments
    ]
    if missing:
        raise ValueError(f"missing argument {', '.join(missing)} ({takes})")
    name = unknown[0]
    domains = getattr(bound, "domains", BY_CONVENTION)
    domain = arguments[name] if isinstance(arguments[name], Domain) else domains.get(name)
    if domain is None:
        raise ValueError(
            f"{name} must be a nt.domains.Domain, such as {name}=nt.domains."
            f"POSITIVE, got ...: {called} does not say what it may be, as by "
            f"@nt.domains.requires({name}=nt.domains.POSITIVE)"
        )
    declared = getattr(bound, "domains", {}).get(name)
    if declared is not None and not _within(domain, declared):
        raise ValueError(f"{name} must be {declared}, as {called} says, got all of {domain}")
    return name, domain


def _within(domain: Domain, declared: Domain) -> bool:
    """Whether all of one domain is in another."""
    (low, high, step), (least, most, apart) = domain._floats, declared._floats
    low = np.ceil(low) if step else low
    return least <= low and high <= most and (not apart or step in (apart, 2 * apart))


def _broadcasts(value: Any) -> bool:
    numbers = as_numbers(value)
    return numbers is not None and numbers.dtype.kind in "iuf"


class _Line:
    """The floats, or whole floats, of a domain in order: each has a rank, next ones differ by 1."""

    def __init__(self, domain: Domain) -> None:
        self.domain, self.whole, self.step = domain, domain.whole, 2 if domain.even else 1
        low, high = max(domain.low, -FAR), min(domain.high, FAR)
        if self.whole:
            low, high = np.ceil(low / self.step) * self.step, high // self.step * self.step
        self.first, self.last = (int(r) for r in self.ranks(np.array([low, high], float)))
        if low == domain.low and not domain.include_low:
            self.first += 1
        if high == domain.high and not domain.include_high:
            self.last -= 1
        if low == 0 and self.first == 1 and not self.whole:
            self.first = int(self.ranks(np.array([NEAR]))[0])

    def ranks(self, values: Floats) -> Ranks:
        """Of floats; beyond 2^53 every float is whole."""
        size = np.abs(values) / self.step
        bits = size.view(np.int64)
        if self.whole:
            small = np.minimum(size, 2.0**53).astype(np.int64)
            bits = np.where(size < 2.0**53, small, bits - BEYOND)
        return np.where(values < 0, -bits, bits)

    def values(self, ranks: Ranks) -> Floats:
        """The floats of these ranks."""
        size = ranks if self.first >= 0 else np.abs(ranks)
        if not self.whole:
            found = size.view(np.float64)
        elif size.max(initial=0) < 2**53:
            found = size.astype(float)
        else:
            beyond = (np.maximum(size, 2**53) + BEYOND).view(np.float64)
            found = np.where(size < 2**53, size.astype(float), beyond)
        found = found if self.first >= 0 else np.where(ranks < 0, -found, found)
        return found if self.step == 1 else found * self.step

    def value(self, rank: int) -> np.float64:
        """The float of one rank."""
        size = abs(rank)
        if not self.whole or size >= 2**53:
            found = np.int64(size + BEYOND * self.whole).view(np.float64)
        else:
            found = np.float64(size)
        return np.float64((-found if rank < 0 else found) * self.step)

    @functools.cached_property
    def sample(self) -> Ranks:
        """Ranks all over the domain, geometrically spaced from its finite ends, or from 0."""
        apart = np.concatenate([
            10.0 ** np.arange(-304, 101, 4), 10.0 ** np.arange(-16, 12, 0.1), np.arange(65.0)
        ])
        low, high = self.domain.low, self.domain.high
        points = np.concatenate([
            low + apart if np.isfinite(low) else -apart,
            high - apart if np.isfinite(high) else apart,
        ])
        ranks = self.ranks(np.floor(points / self.step) * self.step if self.whole else points)
        inside = ranks[(ranks > self.first) & (ranks < self.last)]
        return np.unique(np.concatenate([[self.first, self.last], inside]))

    @functools.cached_property
    def points(self) -> Floats:
        """The floats of the sample."""
        return self.values(self.sample)


_line = functools.cache(_Line)


def ends(domain: Domain) -> tuple[float, float]:
    """The first and the last value that are tried of a domain.

    Parameters
    ----------
    domain : Domain

    Returns
    -------
    tuple of float

    Examples
    --------
    >>> ends(SAMPLE_SIZE)
    (1.0, 1e+100)
    """
    low, high = _line(domain).values(np.array([_line(domain).first, _line(domain).last]))
    return float(low), float(high)


def looks(domain: Domain) -> int:
    """How many values of an argument a bound is evaluated at to see whether it turns.

    Parameters
    ----------
    domain : Domain

    Returns
    -------
    int

    Examples
    --------
    >>> looks(SAMPLE_SIZE)
    450
    """
    return len(_line(domain).sample) + len(PARTS) + len(APART)


@dataclass(frozen=True)
class _Question:
    """A bound, of which one argument is looked for; of ``at_least`` the sign is -1."""

    bound: Callable[..., Any]
    name: str
    line: _Line
    fixed: Mapping[str, Any]
    sign: int
    trusting: bool

    def all(self, target: Floats, columns: Mapping[str, Floats], fill: Any) -> Iterator[float]:
        """Answers one by one, some thousand columns at a time."""
        for start in range(0, len(target), 2048):
            some = slice(start, start + 2048)
            here = {key: value[some] for key, value in columns.items()}
            with np.errstate(all="ignore"):
                yield from self.some(target[some], here, fill, len(target) > 1)

    def some(
        self, target: Floats, columns: Mapping[str, Floats], fill: Any, several: bool
    ) -> Floats:
        """Answers: where the target is crossed once together, others each by itself."""
        with trusted() if self.trusting else nullcontext():
            once, answers, found = self.once(target, columns)
        if self.trusting:
            # What was not checked on the way is checked at the answers.
            held = self.evaluated(answers[None], columns, len(target))[0]
            sure = once & (held <= self.sign * target)
            if not sure.all():
                again = np.flatnonzero(~sure)
                here = {key: value[again] for key, value in columns.items()}
                aware = replace(self, trusting=False)
                answers[again] = aware.some(target[again], here, fill, several)
            return answers
        for j in map(int, np.flatnonzero(~once)):
            here = {key: value[j : j + 1] for key, value in columns.items()}
            which = ", ".join(f"{key} = {_told(value[0])}" for key, value in here.items())
            which = f" at {which}" if which and several else ""
            try:
                answers[j] = self.single(
                    self.line.sample, found[:, j], float(target[j]), here, which
                )
            except (OutOfReach, NotMonotone):
                if fill is None:
                    raise
                answers[j] = fill
        return answers

    def once(
        self, target: Floats, columns: Mapping[str, Floats]
    ) -> tuple[NDArray[np.bool_], Floats, Floats]:
        """Where the target is crossed once, the answers there, and the bound all over."""
        signed = self.sign * target
        found = self.evaluated(self.line.points[:, None], columns, len(target))
        meets = found <= signed
        turns = meets[1:] != meets[:-1]
        once = (turns.sum(axis=0) == 1) & ~np.isnan(found).any(axis=0)
        answers = np.full(len(target), self.line.points[0])
        place = np.flatnonzero(once)
        if len(place):
            at = turns.argmax(axis=0)[place] + NEXT
            here = {key: value[place] for key, value in columns.items()}
            crossed, turning = self.crossing(
                self.line.sample[at], found[at, place], signed[place], here
            )
            answers[place] = self.line.values(crossed)
            once[place] = ~turning
        return once, answers, found

    def evaluated(
        self, points: Floats, columns: Mapping[str, Floats], questions: int = 1
    ) -> Floats:
        """Signed values of the bound, NaN where it has none; a row a point, a column a question.

        Points are the same for all questions if they are but one column.
        """
        given = {key: value[0] for key, value in columns.items()} if questions == 1 else columns
        if questions == len(points) == 1:
            return np.array([[self.at(points[0, 0], given)]])
        # What `suppress` lets pass is of single numbers, or has no value everywhere.
        with suppress(*NO_VALUE):
            found = _reals(self.bound(**{self.name: points}, **given, **self.fixed))
            if found.shape != (len(points), questions):
                found = np.broadcast_to(found, (len(points), questions))
            return found if self.sign > 0 else -found
        found = np.empty((len(points), questions))
        for row, column in np.ndindex(found.shape):
            found[row, column] = self.at(
                points[row, column % points.shape[1]],
                {key: value[column] for key, value in columns.items()},
            )
        return found

    def at(self, point: float, given: Mapping[str, Any]) -> float:
        """`evaluated` at one point of one question."""
        try:
            return self.sign * _real(self.bound(**{self.name: point}, **given, **self.fixed))
        except NO_VALUE:
            with suppress(*NO_VALUE):
                return self.sign * self.one(point, given)
            return math.nan

    def one(self, point: float, given: Mapping[str, Any]) -> float:
        """The bound of a plain number, or its error."""
        x = int(point) if self.line.whole else float(point)
        return _real(self.bound(**{self.name: x}, **given, **self.fixed))

    def crossing(
        self, ends: Ranks, found: Floats, signed: Floats, columns: Mapping[str, Floats]
    ) -> tuple[Ranks, NDArray[np.bool_]]:
        """The last that attains the target between two ends, of which one does; a column each.

        And whether it is crossed again there by more than rounding: between the ends, next to the
        answer and further and further from it. Then the bound turns, as the teeth of a saw do.
        """
        searches = [
            _narrowed(*column)
            for column in zip(*ends.tolist(), *found.tolist(), signed.tolist(), strict=True)
        ]

        def values(asked: Mapping[int, int]) -> Sequence[float]:
            places, points = [*asked], self.line.values(np.array([[*asked.values()]]))
            here = {key: value[places] for key, value in columns.items()}
            found: list[float] = self.evaluated(points, here, len(places))[0].tolist()
            return found

        if len(searches) == 1:
            one = {key: value[0] for key, value in columns.items()}
            between = [_driven_alone(searches[0], lambda r: self.at(self.line.value(r), one))]
        else:
            between = _driven(searches, values)
        closed = np.array(between, np.int64).reshape(-1, 2).T
        upper = found[1] <= signed
        low, high = ends
        ranks = np.concatenate([
            low + (PARTS * (high - low)).astype(np.int64), self.around(closed[0])
        ])
        there = self.evaluated(self.line.values(ranks), columns, len(signed))
        wrong = ((there <= signed) == upper) != (ranks >= closed[1])
        if wrong.any():
            # What has no value is looked at closer, too.
            wrong &= ~(np.abs(there - signed) <= ROUNDING * np.abs(signed))
        return np.where(upper, closed[1], closed[0]), wrong.any(axis=0)

    def around(self, ranks: Ranks) -> Ranks:
        """What lies next to ranks, a column each, and further and further from them."""
        near = np.maximum(ranks + APART, self.line.first)
        return np.asarray(np.minimum(near, self.line.last))

    def proved(self, answer: float, signed: float, given: Mapping[str, Any]) -> bool:
        """Whether intervals show that the target is attained just on the one side of an answer."""
        line, slack = self.line, ROUNDING * abs(signed)
        (at,) = line.ranks(np.array([np.clip(answer, -FAR, FAR)], float)).tolist()
        attained = [self.at(line.value(rank), given) <= signed for rank in (line.first, line.last)]
        # The last that attains it is the last of its side.
        after = at if attained[1] and not attained[0] else at + 1
        parts = [(line.first, after - 1, attained[0]), (after, line.last, attained[1])]
        if all(attained):
            parts = [(line.first, line.last, True)]
        low, high, small = (np.concatenate(cells) for cells in zip(*(
            (edges[:-1], edges[1:], np.full(len(edges) - 1, good))
            for first, last, good in parts
            for edges in [np.concatenate([
                [first], line.sample[(line.sample > first) & (line.sample < last)], [last]
            ])]
        ), strict=True))
        while 0 < len(low) <= MOST_CELLS:
            cells = Interval(line.values(low), line.values(high))
            try:
                found = self.bound(**{self.name: cells}, **given, **self.fixed)
                found = found if isinstance(found, Interval) else Interval(found, found)
            except (*NO_VALUE, AttributeError, IndexError):
                return False  # It asks for more than intervals know.
            found = found if self.sign > 0 else -found
            sure = np.where(small, found.high <= signed + slack, found.low > signed - slack)
            low, high, small = low[~sure], high[~sure], small[~sure]
            if np.any(low == high):
                return False
            middle = low + (high - low) // 2
            low, high = np.concatenate([low, middle + 1]), np.concatenate([middle, high])
            small = np.concatenate([small, small])
        return len(low) == 0

    def single(
        self, ranks: Ranks, found: Floats, target: float, columns: Mapping[str, Floats],
        which: str,
    ) -> float:
        """One answer where the target is not crossed just once, or the bound has no value."""
        def values(ranks: Ranks, turned: int = 1) -> Floats:
            return turned * self.evaluated(self.line.values(ranks)[:, None], columns)[:, 0]

        has = ~np.isnan(found)
        if not has.any():
            middle = self.line.values(ranks)[len(ranks) // 2]
            value = self.one(middle, {key: value[0] for key, value in columns.items()})
            raise ValueError(f"the bound is no number at any {self.name}, but {value}")
        self.check_gaps(ranks, has)
        edges = self.edges(ranks, has, columns)
        ranks = np.concatenate([ranks[has], edges])
        ranks, kept = np.unique(ranks, return_index=True)
        found = np.concatenate([found[has], values(edges)])[kept]
        for turned in (1, -1):
            # Between two points the bound may still be better, or worse.
            best = int(np.argmin(turned * found))
            if 0 < best < len(ranks) - 1:
                closer = zoomed(
                    functools.partial(values, turned=turned), *map(int, ranks[[best - 1, best + 1]])
                )
                ranks, kept = np.unique(np.append(ranks, closer), return_index=True)
                found = np.append(found, values(closer))[kept]
        for _ in range(2):
            meets = found <= self.sign * target
            turns = np.flatnonzero(meets[1:] != meets[:-1])
            many = {key: np.repeat(value, len(turns)) for key, value in columns.items()}
            at = turns + NEXT
            crossed, wrong = self.crossing(
                ranks[at], found[at], np.full(len(turns), self.sign * target), many
            )
            if not wrong.any():
                break
            # Between two sampled ones it turns: looked at closer, but for what rounding makes.
            closer = np.unique(self.around(crossed))
            inside = closer[(closer > ranks[0]) & (closer < ranks[-1])]
            self.check_gaps(inside, ~np.isnan(values(inside)), within=True)
            beside = np.abs(values(closer) - self.sign * target) > ROUNDING * abs(target)
            ranks = np.union1d(ranks, closer[beside])
            found = values(ranks)
        points = self.line.values(ranks)
        best = int(np.argmin(found))
        if len(turns) == 0:
            if not meets[0]:
                given = {key: np.float64(value[0]) for key, value in columns.items()}
                raise OutOfReach(self.out_of_reach(points, found, target, given) + which)
            rises = found[0] < found[-1]
            end = float(points[-1] if rises else points[0])
            return end if abs(end) < FAR else np.copysign(np.inf, end)
        crossings = self.line.values(crossed)
        if len(turns) == 1:
            return float(crossings[0])
        where = ", ".join(_told(x) for x in crossings[:6]) + (", ..." if len(crossings) > 6 else "")
        least = "least" if self.sign > 0 else "greatest"
        # What a planner asks for: the last of the crossings, or the first.
        safe = f"; it is so from {self.name} = {_told(crossings[-1])} on" if meets[-1] else (
            f"; it is so up to {self.name} = {_told(crossings[0])}" if meets[0] else "")
        word = "at most" if self.sign > 0 else "at least"
        raise NotMonotone(
            f"the bound is not monotone in {self.name}: whether it is {word} {target:.6g} changes "
            f"at {self.name} = {where}{safe}; the bound is {least}, "
            f"{self.sign * found[best]:.6g}, at {self.name} = {_told(points[best])}{which}",
            tuple(map(float, crossings)), float(points[best]), float(self.sign * found[best]),
        )

    def check_gaps(self, ranks: Ranks, has: NDArray[np.bool_], within: bool = False) -> None:
        """Whether the bound has values from the first to the last one, or all of these ranks."""
        valued = np.flatnonzero(has | within)
        span = slice(valued[0], valued[-1] + 1) if len(valued) else slice(0)
        if not has[span].all():
            gap = ranks[span][~has[span]]
            raise ValueError(
                f"{self.name} must be a nt.domains.Domain in which the bound has values: "
                f"it has none at {self.name} = {_told(self.line.value(int(gap[0])))}, though it "
                "has below and above"
            )

    def edges(
        self, ranks: Ranks, has: NDArray[np.bool_], columns: Mapping[str, Floats]
    ) -> Ranks:
        """Where the bound begins and ceases to have a value."""
        turns = np.flatnonzero(has[1:] != has[:-1])
        low, high, upper = ranks[turns], ranks[turns + 1], has[turns + 1]
        many = {key: np.repeat(value, len(turns)) for key, value in columns.items()}
        while np.any(high - low > 1):
            middle = low + (high - low) // 2
            there = self.evaluated(self.line.values(middle)[None], many, len(turns))[0]
            as_above = ~np.isnan(there) == upper
            low, high = np.where(as_above, low, middle), np.where(as_above, middle, high)
        return np.where(upper, high, low)

    def out_of_reach(
        self, points: Floats, found: Floats, target: float, given: Mapping[str, Any]
    ) -> str:
        """Why no value attains the target, and whether that is proved."""
        # Of equal ones an end of the domain: that is where the bound tends to, or begins.
        best = next((at for at in (len(found) - 1, 0) if found[at] == np.min(found)), None)
        best = int(np.argmin(found)) if best is None else best
        name, line = self.name, self.line
        value, where = f"{self.sign * found[best]:.6g}", _told(points[best])
        # Six digits, unless they hide the difference.
        value = value if float(value) != target else repr(float(self.sign * found[best]))
        end = {0: line.domain.low, len(points) - 1: line.domain.high}.get(best)
        ends = line.values(np.array([line.first, line.last]))
        closed = (best == 0 and line.domain.include_low) or (best > 0 and line.domain.include_high)
        with trusted():
            proved = self.proved(float(points[0]), self.sign * target, given)
        enough = f"no {name} is enough"
        enough = enough if proved else f"no {name} of the {len(points)} looked at is enough"
        if np.max(found) == np.min(found):
            why = f"the bound is {value} " + (
                f"whatever {name} is" if proved else f"at all {name} looked at")
        elif end is None:
            least = "least" if self.sign > 0 else "greatest"
            why = f"the bound's {least} value is {value}, at {name} = {where}"
        elif closed or points[best] not in ends or (line.whole and abs(end) < FAR):
            why = f"the bound is {value} at {name} = {where}"
        elif abs(points[best]) in (FAR, NEAR) and not np.isclose(
            found[best], found[best - 1 if best else 1], rtol=ROUNDING, atol=0
        ):
            # The search ends there, and not the domain: a limit is not seen.
            why = f"the bound still {'falls' if self.sign > 0 else 'rises'} at {name} = {where}"
            why, enough = f"{why}, where it is {value}", f"no {name} tried is enough"
        else:
            why = f"the bound tends to {value}"
            why += f" as {name} tends to {end:g}" if abs(end) < FAR else ""
        side = "at_most must be above" if self.sign > 0 else "at_least must be below"
        return f"{side} {value}, got {target:.6g} ({why}: {enough})"


def _reals(found: Any) -> Floats:
    """As floats, or an error of what is none."""
    array = as_numbers(found)
    if array is None or array.dtype.kind not in "biuf":
        raise TypeError(f"the bound must return real numbers, got {found!r}")
    return np.asarray(array, float)


def _real(found: Any) -> float:
    """As a float, or an error of what is none."""
    if type(found) in PLAIN:
        return float(found)
    array = as_numbers(found)
    if array is None or array.dtype.kind not in "biuf" or array.size != 1:
        raise ValueError(f"the bound must return one real number, got {found!r}")
    return float(array.item())


def _narrowed(
    low: int, high: int, below: float, above: float, target: float
) -> Search:
    """Next ranks between which a target is crossed; asks for the value at one after another.

    That is where a straight line between the ends crosses; then as far beyond, if that brought one
    end near and not the other; or the middle, the longer the more often lines failed to halve what
    is left, and where the ends differ by rounding.
    """
    upper, failed, middles, last = above <= target, 0, 0, low
    while (width := high - low) > 1:
        rise = above - below
        straight = not middles and 64 * math.ulp(target) < abs(rise) < math.inf
        if straight:
            guess = low + int((target - below) / rise * width)
            guess = min(max(2 * guess - last if failed == 1 else guess, low + 1), high - 1)
        else:
            guess = low + width // 2
        value = yield guess
        if (value <= target) == upper:
            high, above = guess, value
        else:
            low, below = guess, value
        if straight:
            failed, last = (0 if 2 * (high - low) <= width else failed + 1), guess
            middles = max(failed - 1, 0)
        elif middles:
            middles -= 1
    return low, high


def _driven_alone(search: Search, value: Callable[[int], float]) -> tuple[int, int]:
    """What a search returns that asks for values."""
    told: Any = None
    while True:
        try:
            rank = search.send(told)
        except StopIteration as end:
            return cast("tuple[int, int]", end.value)
        told = value(rank)


def _driven(
    searches: Sequence[Search],
    values: Callable[[Mapping[int, int]], Sequence[float]],
) -> list[tuple[int, int]]:
    """What searches return that ask for values, all that are under way at once."""
    found = [(0, 0)] * len(searches)
    told: dict[int, Any] = dict.fromkeys(range(len(searches)))
    while told:
        asked = {}
        for place, value in told.items():
            try:
                asked[place] = searches[place].send(value)
            except StopIteration as end:
                found[place] = end.value
        told = dict(zip(asked, values(asked), strict=True)) if asked else {}
    return found


def zoomed(values: Callable[[Ranks], Floats], low: int, high: int) -> Ranks:
    """The rank between two of which a function that falls and rises again is least, and theirs."""
    while True:
        ranks = np.unique(np.linspace(0, float(high - low), 257).astype(np.int64) + low)
        best = int(np.argmin(values(ranks)))
        ends = ranks[max(best - 1, 0)], ranks[min(best + 1, len(ranks) - 1)]
        if len(ranks) == high - low + 1 or (ends[0] == low and ends[1] == high):
            return ranks[best : best + 1]
        low, high = int(ends[0]), int(ends[1])


def _told(value: float) -> str:
    """As it is written: whole numbers whole."""
    return f"{int(value):d}" if value == np.floor(value) and abs(value) < 1e15 else f"{value:.6g}"
