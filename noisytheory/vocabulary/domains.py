"""What an argument may be: the hypotheses of a bound, checked before the formula is evaluated."""

from __future__ import annotations

import functools
import inspect
import math
import numbers
import re
import textwrap
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, ParamSpec, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "COUNT",
    "LEVEL",
    "NOISE_RATE",
    "NONNEGATIVE",
    "POSITIVE",
    "REAL",
    "SAMPLE_SIZE",
    "UNIT_INTERVAL",
    "Domain",
    "Numeric",
    "as_numbers",
    "check_generator",
    "check_shapes",
    "check_truth",
    "checked_floats",
    "checked_numbers",
    "checked_reals",
    "labelled_among",
    "listed",
    "of_series",
    "one_of",
    "pair_of",
    "relabelled",
    "requires",
    "trusted",
]

Numeric: TypeAlias = Any
"""A scalar, a NumPy array or a labelled xarray object: bounds broadcast over all three."""

PLAIN = (int, float, np.float64)

_TRUSTED: ContextVar[bool] = ContextVar("trusted", default=False)
"""Whether what `requires` would check has been checked."""


def _is_trusted() -> bool:
    """By a function: a bound of a user's file travels to workers by value, the variable cannot."""
    return _TRUSTED.get()


P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Domain:
    """An interval, possibly of whole numbers, that an argument must lie in.

    Parameters
    ----------
    low, high : float
        End points; infinite ones are never included.
    include_low, include_high : bool
        Whether the end point itself is allowed.
    whole, even : bool
        Whether only whole numbers are allowed, and of these only even ones.
    meaning : str
        What such an argument is, for the docstrings that `requires` completes.

    Examples
    --------
    >>> Domain(0, 1).check("delta", 0.05)
    >>> print(SAMPLE_SIZE)
    a whole number >= 1
    """

    low: float = -np.inf
    high: float = np.inf
    include_low: bool = False
    include_high: bool = False
    whole: bool = False
    even: bool = False
    meaning: str = field(default="", compare=False)

    def of(self, meaning: str) -> Domain:
        """The same numbers, which are something else.

        Parameters
        ----------
        meaning : str
            As a phrase, without its range.

        Returns
        -------
        Domain

        Examples
        --------
        >>> UNIT_INTERVAL.of("Share of the second population.").meaning
        'Share of the second population.'
        """
        return replace(self, meaning=meaning)

    def __str__(self) -> str:
        noun = "a whole number" if self.whole else "a finite number"
        noun = "an even whole number" if self.even else noun
        if np.isinf(self.low) and np.isinf(self.high):
            return noun
        if np.isinf(self.high):
            return f"{noun} {'>=' if self.include_low else '>'} {self.low:g}"
        if np.isinf(self.low):
            return f"{noun} {'<=' if self.include_high else '<'} {self.high:g}"
        left, right = "[" if self.include_low else "(", "]" if self.include_high else ")"
        return f"{noun} in {left}{self.low:g}, {self.high:g}{right}"

    def check(self, name: str, value: object) -> None:
        """Raise ``ValueError`` naming the argument, what is allowed and what came.

        Parameters
        ----------
        name : str
            The argument's name, for the message.
        value : scalar, array or labelled array
            What came; fractions, and whole numbers beyond 64 bits, count as floats.

        Raises
        ------
        ValueError
            If any element lies outside, is NaN, or is not a real number.
        """
        # Most calls bring plain numbers, which need no arrays.
        if type(value) in PLAIN:
            low, high, step = self._floats
            if low <= value <= high and (not step or value % step == 0):  # type: ignore[operator]
                return
        values = None if np.ma.is_masked(value) else as_numbers(value)
        if values is None or values.dtype.kind not in "iuf":
            raise ValueError(f"{name} must be {self}, got {_in_a_line(value)}")
        good = values >= self.low if self.include_low else values > self.low
        good &= (values <= self.high) if self.include_high else (values < self.high)
        if self.whole:
            halves = values / 2 if self.even else values
            good &= halves == np.floor(halves)
        if not np.all(good):
            culprit = values[~good].flat[0] if values.ndim else values[()]
            raise ValueError(f"{name} must be {self}, got {culprit:g}")

    @functools.cached_property
    def _floats(self) -> tuple[float, float, int]:
        """The least and the largest float in it, and the step between whole numbers, or 0."""
        low = self.low if self.include_low else math.nextafter(self.low, math.inf)
        high = self.high if self.include_high else math.nextafter(self.high, -math.inf)
        return low, high, self.whole * (1 + self.even)

    def number(self, name: str, value: object) -> float:
        """One number as a float, checked like `check`.

        Parameters
        ----------
        name : str
            The argument's name, for the message.
        value : scalar
            What came.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If it lies outside, is NaN, or is not one real number.
        """
        self.check(name, value)
        if np.ndim(cast(Any, value)):
            raise ValueError(f"{name} must be {self}, got {value!r}")
        return float(cast(Any, value))


COUNT = Domain(1, include_low=True, whole=True)
SAMPLE_SIZE = COUNT.of("Sample size.")
LEVEL = Domain(0, 1, meaning="Probability of exceeding the bound.")
NOISE_RATE = Domain(0, 0.5, include_low=True, meaning="Probability that a label is flipped.")
UNIT_INTERVAL = Domain(0, 1, include_low=True, include_high=True)
NONNEGATIVE = Domain(0, include_low=True)
POSITIVE = Domain(0)
REAL = Domain()


def one_of(name: str, value: object, allowed: Sequence[object]) -> None:
    """Raise a ValueError where an argument is none of a few.

    Parameters
    ----------
    name : str
    value : object
    allowed : sequence

    Examples
    --------
    >>> one_of("cap", "never", ("error", "skip"))
    Traceback (most recent call last):
    ...
    ValueError: cap must be one of error, skip, got 'never'
    """
    # An array is equal to nothing as a whole.
    if not isinstance(value, Hashable) or value not in allowed:
        raise ValueError(
            f"{name} must be one of {', '.join(map(str, allowed))}, got {_in_a_line(value)}")


def check_truth(name: str, value: object) -> None:
    """Raise a ValueError where an argument is no truth value: every string is true.

    Parameters
    ----------
    name : str
    value : object

    Examples
    --------
    >>> check_truth("intercept", "no")
    Traceback (most recent call last):
    ...
    ValueError: intercept must be True or False, got 'no'
    """
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {_in_a_line(value)}")


def listed(name: str, values: Any, of: str) -> list[Any]:
    """What a list, a range or an array of one axis holds, at least one, or a ValueError.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    values : sequence
        What came.
    of : str
        What it is to hold.

    Returns
    -------
    list

    Examples
    --------
    >>> listed("ks", 3, "counts")
    Traceback (most recent call last):
    ...
    ValueError: ks must be a list of counts, got 3
    """
    if not (isinstance(values, list | tuple | range) or getattr(values, "ndim", 0) == 1):
        raise ValueError(f"{name} must be a list of {of}, got {_in_a_line(values)}")
    held = list(values)
    if not held:
        raise ValueError(f"{name} must hold at least one of {of}, got none")
    return held


def pair_of(name: str, value: Any, of: str = "points and labels") -> tuple[Any, Any]:
    """Two things that came as one argument, or a ValueError.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    value : tuple or list
        What came.
    of : str
        What it is to hold.

    Returns
    -------
    pair

    Examples
    --------
    >>> pair_of("test", 3)
    Traceback (most recent call last):
    ...
    ValueError: test must be a pair of points and labels, got 3
    """
    if not (isinstance(value, tuple | list) and len(value) == 2):
        came = (f"a {type(value).__name__} of {len(value)}" if isinstance(value, tuple | list)
                else _in_a_line(value))
        raise ValueError(f"{name} must be a pair of {of}, got {came}")
    return value[0], value[1]


def check_generator(rng: object) -> None:
    """Raise a ValueError where `rng` is no generator of NumPy's.

    Parameters
    ----------
    rng : object

    Examples
    --------
    >>> check_generator(0)
    Traceback (most recent call last):
    ...
    ValueError: rng must be a numpy.random.Generator, got 0
    """
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng must be a numpy.random.Generator, got {rng!r}")


def _array(name: str, values: Any) -> NDArray[Any]:
    if np.ma.is_masked(values):
        raise ValueError(f"{name} must hold real numbers, got some that are masked")
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} must hold real numbers, got rows that differ") from error


def checked_reals(name: str, values: Any) -> NDArray[Any]:
    """An array of real numbers of any type, fractions among them, or a ValueError.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    values : array-like
        What came.

    Returns
    -------
    array
        Of the type that NumPy gives it.

    Raises
    ------
    ValueError
        If rows differ in length, or numbers are masked, complex, strings or no numbers at all.

    Examples
    --------
    >>> checked_reals("alpha", ["1"])
    Traceback (most recent call last):
    ...
    ValueError: alpha must hold real numbers, got <U1
    """
    array = _array(name, values)
    if array.dtype == object:
        for value in array.flat:
            if not isinstance(value, numbers.Real | Decimal):
                raise ValueError(f"{name} must hold real numbers, got {value!r}")
    elif array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must hold real numbers, got {array.dtype}")
    return array


def checked_floats(name: str, values: Any) -> NDArray[np.float64]:
    """`checked_reals` in double precision.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    values : array-like
        What came.

    Returns
    -------
    array of float64
        The same array where it is one.

    Raises
    ------
    ValueError
        As `checked_reals`, or if a number is beyond the range of floats.
    """
    try:
        return checked_reals(name, values).astype(np.float64, copy=False)
    except OverflowError as error:
        raise ValueError(f"{name} must be finite, got a number beyond those of floats") from error


def checked_numbers(name: str, values: Any) -> NDArray[Any]:
    """`checked_reals`, in fractions where there are any, and else in double precision.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    values : array-like
        What came.

    Returns
    -------
    array
        Of fractions where all numbers are rational and one is a fraction, else of float64.

    Raises
    ------
    ValueError
        As `checked_floats`.

    Examples
    --------
    >>> from fractions import Fraction
    >>> checked_numbers("masses", [Fraction(1, 3), 1]).tolist()
    [Fraction(1, 3), Fraction(1, 1)]
    """
    array = _array(name, values)
    if array.dtype == object:
        held = array.ravel().tolist()
        if {*map(type, held)} == {Fraction}:
            return array.copy()
        rational = all(isinstance(value, numbers.Rational) for value in held)
        if rational and any(isinstance(value, Fraction) for value in held):
            out = np.empty(array.shape, dtype=object)
            out.ravel()[:] = [Fraction(value) for value in held]
            return out
    return checked_floats(name, values)


def as_numbers(value: object) -> NDArray[Any] | None:
    """What came as an array, or None where there is none; of objects floats are made.

    Parameters
    ----------
    value : object

    Returns
    -------
    array or None

    Examples
    --------
    >>> as_numbers([1, 4]).tolist(), as_numbers([object()])
    ([1, 4], None)
    """
    try:
        values = np.asarray(value)
    except ValueError:
        return None
    if values.dtype != object:
        return values
    if not all(isinstance(v, numbers.Real) and not isinstance(v, bool) for v in values.flat):
        return None
    return np.array([_float(v) for v in values.flat]).reshape(values.shape)


def _in_a_line(value: object) -> str:
    """As it is written; of what takes several lines how it begins."""
    said = repr(value)
    if "\n" not in said:
        return said
    try:
        begins = repr(np.asarray(value).ravel()[0])
    except (ValueError, IndexError):
        begins = "\n"
    said = f"a {type(value).__name__}"
    return said if "\n" in begins else f"{said} that begins with {begins}"


def _float(value: Any) -> float:
    """The nearest float, or an infinity beyond the largest."""
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, 1 if value > 0 else -1)


def requires(**domains: Domain) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Check the named arguments of a bound before it is evaluated, and say so in its docstring.

    Parameters
    ----------
    **domains : Domain
        What each argument may be; read by ``noisytheory show`` as well. One whose default is None
        may be left out. A docstring whose section
        on parameters leaves some of these out, or that has none, gets them in the order of the
        signature, and a section on what is raised.

    Returns
    -------
    decorator
        Wraps a function of scalars, arrays or labelled arrays. Lists become arrays, fractions
        floats; of labelled arrays the result has the dimensions and coordinates, of pandas the
        index and columns, and the function's own name. Where it is a tuple its members have none.

    Raises
    ------
    ValueError
        By the wrapped function: names the argument, what is allowed and what came.

    Examples
    --------
    >>> @requires(n=SAMPLE_SIZE)
    ... def rate(n):
    ...     return n ** -0.5
    >>> float(rate(4))
    0.5
    >>> rate(0)
    Traceback (most recent call last):
    ...
    ValueError: n must be a whole number >= 1, got 0
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)
        unknown = set(domains) - set(signature.parameters)
        if unknown:
            raise TypeError(f"{function.__name__} has no argument {sorted(unknown)[0]}")

        places = {name: place for place, name in enumerate(signature.parameters)}
        defaults = {
            name: parameter.default for name, parameter in signature.parameters.items()
            if parameter.default is not parameter.empty
        }

        @functools.wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            if _is_trusted():
                return function(*args, **kwargs)
            values: dict[str, Any] = {}
            plain = True
            for name in domains:
                if places[name] < len(args):
                    value = args[places[name]]
                elif name in kwargs:
                    value = kwargs[name]
                elif name in defaults:
                    value = defaults[name]
                    if value is None:
                        continue
                else:
                    return function(*args, **kwargs)  # which says that it is missing
                values[name] = value
                plain = plain and type(value) in PLAIN
            index = None
            if not plain:
                values, index = of_series(values)
                labelled_among(values)
            given: list[Any] = list(args)
            for name, value in values.items():
                domains[name].check(name, value)
                # Floats, because NumPy refuses 4 ** -1; labelled arrays keep their names.
                if plain or type(value) in PLAIN:
                    value = np.float64(value)
                elif hasattr(value, "dims"):
                    value = value.astype(float)
                else:
                    value = np.asarray(value, dtype=float)[()]
                values[name] = value
                if places[name] < len(args):
                    given[places[name]] = value
                else:
                    kwargs[name] = value
            try:
                found: Any = function(*given, **kwargs)
            except ValueError:
                check_shapes({n: v for n, v in values.items() if not hasattr(v, "dims")})
                raise
            if type(found) in PLAIN:
                return cast(R, found)
            if index is not None:
                return cast(R, relabelled(found, index, function.__name__))
            if isinstance(found, tuple):
                return cast(R, tuple(_renamed(member, None) for member in found))
            return cast(R, _renamed(found, function.__name__))

        checked.__signature__ = signature  # type: ignore[attr-defined]
        checked.domains = domains  # type: ignore[attr-defined]
        # What wraps it hands this on: `both` calls bounds of fractions within it.
        checked.unchecked = trusted  # type: ignore[attr-defined]
        checked.__doc__ = _completed(function.__doc__, domains, list(signature.parameters))
        return checked

    return decorate


def check_shapes(values: Mapping[str, Any]) -> None:
    """Whether arrays broadcast.

    Parameters
    ----------
    values : mapping
        Arguments by name.

    Raises
    ------
    ValueError
        Names those that are no single numbers, and their shapes.
    """
    try:
        np.broadcast_shapes(*map(np.shape, values.values()))
    except ValueError:
        came = ", ".join(f"{n} of shape {np.shape(v)}" for n, v in values.items() if np.ndim(v))
        raise ValueError(f"arguments must broadcast, got {came}") from None


@contextmanager
def trusted() -> Iterator[None]:
    """Within it `requires` checks nothing: for floats, and arrays of them, known to be allowed.

    Returns
    -------
    context manager

    Examples
    --------
    >>> half = requires(x=COUNT)(lambda x: x / 2)
    >>> with trusted():
    ...     half(0.5)
    0.25
    """
    token = _TRUSTED.set(True)
    try:
        yield
    finally:
        _TRUSTED.reset(token)


def labelled_among(values: Mapping[str, Any]) -> list[str]:
    """Names of the labelled arrays, beside which no array may be without names.

    Parameters
    ----------
    values : mapping
        Arguments by name.

    Returns
    -------
    list of str

    Raises
    ------
    ValueError
        Names the argument that is an array without names.
    """
    labelled = [name for name, value in values.items() if hasattr(value, "dims")]
    for name, value in values.items():
        if labelled and name not in labelled and np.ndim(value):
            raise ValueError(
                f"{name} must be a number or a labelled array, as {labelled[0]} is one, "
                f"got an array of shape {np.shape(value)} without names"
            )
    return labelled


def of_series(values: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    """What pandas holds as arrays, and one of its objects to label the result by.

    Parameters
    ----------
    values : mapping
        Arguments by name, of which some are Series or DataFrames with the same labels; those of
        the first say in which order.

    Returns
    -------
    dict, and Series, DataFrame or None

    Raises
    ------
    ValueError
        If two have different labels, or beside them is an array without any.

    Examples
    --------
    >>> import pandas as pd
    >>> plain, like = of_series({"n": pd.Series([1, 4], index=["a", "b"]), "delta": 0.1})
    >>> plain["n"].tolist(), plain["delta"], like.index.tolist()
    ([1, 4], 0.1, ['a', 'b'])
    """
    series = {name: value for name, value in values.items() if hasattr(value, "iloc")}
    if not series:
        return dict(values), None
    first, like = next(iter(series.items()))
    for name, value in values.items():
        if name in series:
            same = len(value.axes) == len(like.axes) and all(
                one.equals(other) or _reordered(one, other)
                for one, other in zip(value.axes, like.axes, strict=True)
            )
            if not same:
                raise ValueError(f"{name} must have the labels of {first}, got others")
        elif np.ndim(value):
            raise ValueError(
                f"{name} must be a number or labelled as {first}, got an array of shape "
                f"{np.shape(value)} without these labels"
            )
    plain = {n: v.reindex_like(like).to_numpy() if n in series and v is not like else v
             for n, v in values.items()}
    return {**plain, first: like.to_numpy()}, like


def _reordered(one: Any, other: Any) -> bool:
    """Whether two indices hold the same labels, once each, in another order."""
    return bool(one.is_unique and len(one) == len(other) and one.isin(other).all()
                and other.isin(one).all())


def relabelled(found: Any, like: Any, name: str) -> Any:
    """An array with the labels of a Series or DataFrame; of a tuple each member.

    Parameters
    ----------
    found : array or tuple of array
    like : Series or DataFrame
    name : str
        Of the Series.

    Returns
    -------
    Series, DataFrame or tuple of these
    """
    if isinstance(found, tuple):
        return tuple(relabelled(member, like, "") for member in found)
    found = np.broadcast_to(np.asarray(found), like.shape)
    return (
        type(like)(found.copy(), index=like.index, columns=like.columns) if like.ndim > 1
        else type(like)(found.copy(), index=like.index, name=name or None)
    )


def _completed(
    docstring: str | None, domains: Mapping[str, Domain], names: list[str]
) -> str | None:
    """A docstring with what the domains say of parameters, where it leaves that to them."""
    if docstring is None:
        return None
    said, *sections = re.split(r"\n\n(?=[A-Z][a-z]+\n-+\n)", inspect.cleandoc(docstring))
    written = {}
    if sections and sections[0].startswith("Parameters\n"):
        for entry in re.split(r"\n(?=\S)", sections[0])[2:]:
            written.update(dict.fromkeys(re.split(" :|\n", entry)[0].split(", "), entry))
    missing = [name for name in domains if name not in written]
    if not missing:
        return docstring
    sections = sections[1:] if written else sections
    for name in missing:
        domain = domains[name]
        meaning = f"{domain.meaning} {str(domain)[0].upper()}{str(domain)[1:]}.".strip()
        head = f"{name} : {'int' if domain.whole else 'float'} or array\n"
        written[name] = head + textwrap.fill(
            meaning, 100, initial_indent="    ", subsequent_indent="    "
        )
    # Once each, where several arguments share an entry.
    entries = dict.fromkeys(written[name] for name in names if name in written)
    after = 1 if sections and sections[0].startswith("Returns") else 0
    raises = "Raises\n------\nValueError\n    Names the argument that is anything else."
    both = [*sections[:after], *([] if any(s.startswith("Raises") for s in sections) else [raises])]
    return "\n\n".join(
        [said, "\n".join(["Parameters", "----------", *entries]), *both, *sections[after:]]
    )


def _renamed(found: Any, name: str | None) -> Any:
    """A labelled result without the name and the unit of an argument."""
    if hasattr(found, "dims") and hasattr(found, "name"):
        found = found.rename(name)
        found.attrs = {}
    return found
