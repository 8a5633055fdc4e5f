"""Bounds the other way round: how many samples, which level, how much noise a promise allows."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.vocabulary.domains import (
    LEVEL,
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

__all__ = ["NotMonotone", "OutOfReach", "ends", "solve"]

Floats = NDArray[np.float64]
Ranks = NDArray[np.int64]

BY_CONVENTION = {"n": SAMPLE_SIZE, "delta": LEVEL}
"""What these arguments are where a bound declares no domains: the trial reads them so, too."""

FAR, NEAR = 1e100, 1e-305
"""How far an unbounded argument is searched, and how near to 0 one that must be positive."""

ROUNDING = 1e-12
"""What crosses a target by less, relative to it, crosses it by rounding."""

BEYOND = int(np.float64(2**53).view(np.int64)) - 2**53
"""From 2^53 on whole floats are counted by their bits."""

APART = np.concatenate([np.arange(1, 17), 2 ** np.arange(5, 50, 2)])
APART = np.concatenate([-APART[::-1], [0], APART])[:, None]
"""How far from a place its neighbourhood is looked at."""

PARTS = np.arange(64)[:, None] / 64
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
        Any public bound, or your own; functions of single numbers will do.
    at_most, at_least : float or array
        What the bound is to be: one of the two.
    fill : float, optional
        What to return where no value attains the target, or the values are no half-line, in place
        of an error.
    **arguments
        Of the bound. One of them is ``...``, or a `noisytheory.domains.Domain` if the bound
        declares none for it (by `noisytheory.domains.requires`): that is looked for. The others
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
    The bound is evaluated at some hundred values all over the argument's domain, geometrically
    spaced from its ends (up to 1e100, down to 1e-305), and again around the answer: there it is
    seen whether it turns, and what turns between two of them is not. Between the two where the
    target is crossed the floats themselves are divided, which takes as long for 1e-300 as for
    1e12: one question of a closed form as long as some 15 calls of the bound, 0.25 to 0.3 ms
    where a call of `mean_deviation` takes 0.02. A bound that turns and crosses the target but once
    is solved as any other. If every value attains the target, the answer is the end of the domain.

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
    name, domain = _searched(bound, arguments)
    if (at_most is None) == (at_least is None):
        raise ValueError("exactly one of at_most and at_least must be given")
    wanted = "at_most" if at_least is None else "at_least"
    target = at_most if at_least is None else at_least
    declared = getattr(bound, "domains", {})
    given = {key: value for key, value in arguments.items() if key != name}
    numbers = {
        key: value for key, value in given.items()
        if key in declared or (not declared and _broadcasts(value))
    }
    for key, value in {wanted: target, **numbers}.items():
        (REAL if key == wanted else declared.get(key, REAL)).check(key, value)
    fixed = {key: value for key, value in given.items() if key not in numbers}
    line = _line(domain)
    # What is searched and what is given is known to be allowed.
    trusting = declared.get(name) == domain and not set(declared) & set(fixed)

    def answers(target: Any, *values: Any) -> Any:
        """Of plain arrays."""
        check_shapes(dict(zip([wanted, *numbers], (target, *values), strict=True)))
        alike = np.broadcast_arrays(*(np.asarray(v, float) for v in (target, *values)))
        columns = dict(zip(numbers, map(np.ravel, alike[1:]), strict=True))
        several = alike[0].size > 1
        ask = _Question(bound, name, line, fixed, wanted, several, trusting)
        found = np.array(list(ask.all(np.ravel(alike[0]), columns, fill)), float)
        if domain.whole and np.all(np.abs(found) < 2.0**63):
            found = found.astype(np.int64)
        return found.reshape(alike[0].shape)

    everything = {wanted: target, **numbers}
    plain, index = of_series(everything)
    if index is not None:
        return relabelled(answers(*plain.values()), index, name)
    if labelled_among(plain):
        import xarray as xr

        found = xr.apply_ufunc(answers, *plain.values()).rename(name)
        return found.assign_attrs({})
    found = answers(*plain.values())
    if found.ndim:
        return found
    return int(found) if domain.whole and np.isfinite(found) else float(found)


def _searched(bound: Callable[..., Any], arguments: Mapping[str, Any]) -> tuple[str, Domain]:
    """Which argument is looked for, and where."""
    if not callable(bound):
        raise TypeError(f"bound must be a function, such as noisytheory.kernel_mean.mean_deviation "
                        f"or the bound of a claim, got {bound!r}")
    parameters = {
        name: parameter for name, parameter in inspect.signature(bound).parameters.items()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    }
    called = getattr(bound, "__name__", "the bound")
    takes = f"{called} takes {', '.join(parameters) or 'none'}"
    for name in arguments:
        if name not in parameters:
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
            f"{name} must be a noisytheory.domains.Domain, such as {name}=noisytheory.domains."
            f"POSITIVE, got ...: {called} does not say what it may be, as by "
            f"@noisytheory.domains.requires({name}=noisytheory.domains.POSITIVE)"
        )
    return name, domain


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
        if self.whole and ranks.size and ranks.min() >= 0 and ranks.max() < 2**53:
            return ranks.astype(float) * self.step
        size = np.abs(ranks)
        found = size.view(np.float64)
        if self.whole:
            beyond = (np.maximum(size, 2**53) + BEYOND).view(np.float64)
            found = np.where(size < 2**53, size.astype(float), beyond)
        return np.where(ranks < 0, -found, found) * self.step

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


@dataclass(frozen=True)
class _Question:
    """A bound, of which one argument is looked for; ``wanted`` says how it is to be."""

    bound: Callable[..., Any]
    name: str
    line: _Line
    fixed: Mapping[str, Any]
    wanted: str
    several: bool
    trusting: bool

    @property
    def checks(self) -> AbstractContextManager[None]:
        """What the bound is evaluated within."""
        return trusted() if self.trusting else nullcontext()

    @property
    def sign(self) -> int:
        """What makes ``at_least`` an ``at_most``."""
        return 1 if self.wanted == "at_most" else -1

    def all(self, target: Floats, columns: Mapping[str, Floats], fill: Any) -> Iterator[float]:
        """Answers one by one, some thousand columns at a time."""
        for start in range(0, len(target), 2048):
            some = slice(start, start + 2048)
            yield from self.some(target[some], {k: v[some] for k, v in columns.items()}, fill)

    def some(self, target: Floats, columns: Mapping[str, Floats], fill: Any) -> Floats:
        """Answers: where the target is crossed once together, others each by itself."""
        once, answers, found = self.once(target, columns)
        if self.trusting and once.any():
            here = {key: value[once] for key, value in columns.items()}
            # What was not checked on the way is checked at the answers.
            aware, at = replace(self, trusting=False), self.line.ranks(answers[once])
            if not np.all(aware.evaluated(at[None], here) <= self.sign * target[once]):
                return aware.some(target, columns, fill)
        others = np.flatnonzero(~once)
        if self.trusting and len(others):
            here = {key: value[others] for key, value in columns.items()}
            answers[others] = replace(self, trusting=False).some(target[others], here, fill)
            return answers
        for j in map(int, others):
            here = {key: value[j : j + 1] for key, value in columns.items()}
            which = ", ".join(f"{key} = {_told(value[0])}" for key, value in here.items())
            which = f" at {which}" if which and self.several else ""
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
        ranks = self.line.sample
        found = self.evaluated(np.repeat(ranks[:, None], len(target), axis=1), columns)
        meets = found <= self.sign * target
        turns = meets[1:] != meets[:-1]
        once = (np.count_nonzero(turns, axis=0) == 1) & ~np.isnan(found).any(axis=0)
        answers = np.empty(len(target))
        place = np.flatnonzero(once)
        if len(place):
            at = turns.argmax(axis=0)[place] + np.array([[0], [1]])
            here = {key: value[place] for key, value in columns.items()}
            crossed, turning = self.crossing(
                ranks[at], found[at, place], meets[at[1], place], target[place], here
            )
            answers[place] = self.line.values(crossed)
            once[place[turning]] = False
        return once, answers, found

    def evaluated(self, ranks: Ranks, columns: Mapping[str, Floats]) -> Floats:
        """Signed values of the bound, NaN where it has none; a row a rank, a column a question."""
        points = self.line.values(ranks)
        single = ranks.shape[1] == 1
        if points.size == 1:
            points = points[0, 0]  # Numbers are checked faster than arrays.
        given = {key: value[0] if single else value for key, value in columns.items()}
        with np.errstate(all="ignore"):
            # What `suppress` lets pass is of single numbers, or has no value everywhere.
            with suppress(TypeError, ValueError, ArithmeticError), self.checks:
                found = np.asarray(self.bound(**{self.name: points}, **given, **self.fixed), float)
                if found.shape != ranks.shape:
                    found = np.broadcast_to(found, ranks.shape)
                return self.sign * found
            found = np.full(ranks.shape, np.nan)
            for place, point in np.ndenumerate(np.reshape(points, ranks.shape)):
                with suppress(TypeError, ValueError, ArithmeticError):
                    found[place] = self.one(point, {k: v[place[1]] for k, v in columns.items()})
        return self.sign * found

    def one(self, point: float, given: Mapping[str, Any]) -> float:
        """The bound of single numbers, or its error."""
        x = int(point) if self.line.whole else float(point)
        return float(self.bound(**{self.name: x}, **given, **self.fixed))

    def crossing(
        self, ends: Ranks, found: Floats, upper: NDArray[np.bool_], target: Floats,
        columns: Mapping[str, Floats],
    ) -> tuple[Ranks, NDArray[np.bool_]]:
        """The last that attains the target between two ends, the upper of which does, or does not.

        Each step evaluates many ranks at once, which costs hardly more than one: all between the
        ends, and closer and closer to where a straight line crosses. Where the target is crossed
        again among them, by more than rounding, it turns there: teeth of a saw.
        """
        wrong = np.zeros(len(target), bool)
        parts, columnwise = PARTS if len(target) < 512 else PARTS[::4], np.arange(len(target))
        while True:
            low, high = ends
            with np.errstate(all="ignore"):
                share = (self.sign * target - found[0]) / (found[1] - found[0])
            share = np.where((share >= 0) & (share <= 1), share, 0.5)
            inside = low + (parts * (high - low)).astype(np.int64)
            straight = low + (share * (high - low)).astype(np.int64)
            ranks = np.concatenate([inside, high[None], self.around(straight)])
            ranks.sort(axis=0)
            values = self.evaluated(ranks, columns)
            like_upper = (values <= self.sign * target) == upper
            first = ((like_upper & (ranks > low)) | (ranks >= high)).argmax(axis=0)
            at = first + np.array([[-1], [0]])
            ends, found = ranks[at, columnwise], values[at, columnwise]
            clear = np.abs(values - self.sign * target) > ROUNDING * np.abs(target)
            wrong |= (clear & (like_upper != (ranks >= ends[1]))).any(axis=0)
            if np.all(ends[1] - ends[0] <= 1):
                return np.where(upper, ends[1], ends[0]), wrong

    def around(self, ranks: Ranks) -> Ranks:
        """What lies next to ranks, a column each, and further and further from them."""
        near = np.maximum(ranks + APART, self.line.first)
        return np.asarray(np.minimum(near, self.line.last))

    def single(
        self, ranks: Ranks, found: Floats, target: float, columns: Mapping[str, Floats],
        which: str,
    ) -> float:
        """One answer where the target is not crossed just once, or the bound has no value."""
        def values(ranks: Ranks, turned: int = 1) -> Floats:
            return turned * self.evaluated(ranks[:, None], columns)[:, 0]

        has = ~np.isnan(found)
        if not has.any():
            middle = self.line.values(ranks)[len(ranks) // 2]
            value = self.one(middle, {key: value[0] for key, value in columns.items()})
            raise ValueError(f"the bound is no number at any {self.name}, but {value}")
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
            at = turns + np.array([[0], [1]])
            crossed, wrong = self.crossing(
                ranks[at], found[at], meets[at[1]], np.full(len(turns), target), many
            )
            if not wrong.any():
                break
            ranks = np.union1d(ranks, self.around(crossed))
            found = values(ranks)
        points = self.line.values(ranks)
        best = int(np.argmin(found))
        if len(turns) == 0:
            if not meets[0]:
                raise OutOfReach(self.out_of_reach(points, found, target) + which)
            rises = found[0] < found[-1]
            end = float(points[-1] if rises else points[0])
            return end if abs(end) < FAR else np.copysign(np.inf, end)
        crossings = self.line.values(crossed)
        if len(turns) == 1:
            return float(crossings[0])
        where = ", ".join(_told(x) for x in crossings[:6]) + (", ..." if len(crossings) > 6 else "")
        least = "least" if self.sign > 0 else "greatest"
        word = "at most" if self.sign > 0 else "at least"
        raise NotMonotone(
            f"the bound is not monotone in {self.name}: whether it is {word} {target:.6g} changes "
            f"at {self.name} = {where}; it is {least}, {self.sign * found[best]:.6g}, at "
            f"{self.name} = {_told(points[best])}{which}",
            tuple(map(float, crossings)), float(points[best]), float(self.sign * found[best]),
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
            as_above = ~np.isnan(self.evaluated(middle[None], many)[0]) == upper
            low, high = np.where(as_above, low, middle), np.where(as_above, middle, high)
        return np.where(upper, high, low)

    def out_of_reach(self, points: Floats, found: Floats, target: float) -> str:
        """Why no value attains the target."""
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
        enough = f"no {name} is enough"
        if np.max(found) == np.min(found):
            why = f"the bound is {value} whatever {name} is"
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
        side = "above" if self.sign > 0 else "below"
        return f"{self.wanted} must be {side} {value}, got {target:.6g} ({why}: {enough})"


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
