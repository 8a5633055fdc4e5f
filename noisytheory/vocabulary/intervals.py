"""Intervals that go through formulas written for arrays, and enclose all that these can give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import ArrayLike, NDArray

__all__ = ["Interval"]

Floats = NDArray[np.float64]

OFF = 4e-15
"""By how much, relative to it, a function of numpy may be off that does not give the nearest float.

Its own tests allow 4 units in the last place, less than 1e-15.
"""


class Interval(NDArrayOperatorsMixin):
    """Arrays of lower and upper ends; what numpy computes of members lies in what it gives of them.

    Sums, products, quotients, powers, roots, logarithms, exponentials, maxima, minima and
    comparisons; any other function is a ``TypeError``. An end that is NaN encloses nothing.

    Parameters
    ----------
    low, high : array_like
        Ends, which belong to it.

    Examples
    --------
    >>> x = Interval([1.0], [4.0])
    >>> found = 2 / np.sqrt(x) - x
    >>> [round(float(end[0]), 6) for end in (found.low, found.high)]
    [-3.0, 1.0]
    """

    def __init__(self, low: ArrayLike, high: ArrayLike) -> None:
        self.low: Floats = np.asarray(low, float)
        self.high: Floats = np.asarray(high, float)

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any
    ) -> Interval:
        """One of the functions that are known."""
        if method != "__call__" or options or ufunc.__name__ not in KNOWN:
            raise TypeError(f"no interval is known of {ufunc.__name__}")
        members = (x if isinstance(x, Interval) else Interval(x, x) for x in inputs)
        with np.errstate(all="ignore"):
            return _rounded(ufunc.__name__, *KNOWN[ufunc.__name__](ufunc, *members))

    def __array_function__(
        self, function: Callable[..., Any], types: Any, inputs: Any, options: Any
    ) -> Any:
        """What is known of comparisons: 1 where they hold, 0 where not, and both where either."""
        if function is np.where and len(inputs) == 3:
            test, one, other = (x if isinstance(x, Interval) else Interval(x, x) for x in inputs)
            low = np.where(test.low > 0, one.low, np.minimum(one.low, other.low))
            high = np.where(test.low > 0, one.high, np.maximum(one.high, other.high))
            never = test.high == 0
            return Interval(np.where(never, other.low, low), np.where(never, other.high, high))
        if function in (np.all, np.any) and len(inputs) == 1:
            return bool(inputs[0])
        raise TypeError(f"no interval is known of {function.__name__}")

    def __getitem__(self, place: tuple[()]) -> Interval:
        """Itself, as ``[()]`` makes a number of an array without dimensions."""
        if place != ():
            raise TypeError("intervals are not taken apart")
        return self

    def __bool__(self) -> bool:
        """Of a comparison, if it is the same everywhere."""
        if np.all(self.low > 0) or np.all(self.high == 0):
            return bool(np.all(self.low > 0))
        raise TypeError("the members of intervals differ in this")


Ends = tuple[Floats, Floats]


def _rounded(name: str, low: Floats, high: Floats) -> Interval:
    """With room for the rounding of members."""
    if name not in KEPT:
        return Interval(low, high)  # The nearest float rises with what it is nearest to.
    least = np.finfo(float).smallest_subnormal
    under = low * np.where(low >= 0, 1 - OFF, 1 + OFF) - least
    over = high * np.where(high >= 0, 1 + OFF, 1 - OFF) + least
    for exact in KEPT[name]:
        under = np.where(low >= exact, np.maximum(under, exact), under)
        over = np.where(high <= exact, np.minimum(over, exact), over)
    return Interval(under, over)


def _rising(ufunc: np.ufunc, x: Interval) -> Ends:
    return ufunc(x.low), ufunc(x.high)


def _each(ufunc: np.ufunc, x: Interval, y: Interval) -> Ends:
    """Of a function that rises in both."""
    return ufunc(x.low, y.low), ufunc(x.high, y.high)


def _corners(ufunc: np.ufunc, x: Interval, y: Interval) -> Ends:
    """Of a function that is monotone in either."""
    found = [ufunc(a, b) for a in (x.low, x.high) for b in (y.low, y.high)]
    return np.minimum.reduce(found), np.maximum.reduce(found)


def _quotient(ufunc: np.ufunc, x: Interval, y: Interval) -> Ends:
    low, high = _corners(ufunc, x, y)
    # Zero with either sign.
    inside = np.signbit(y.low) & ~np.signbit(y.high)
    return np.where(inside, -np.inf, low), np.where(inside, np.inf, high)


def _power(ufunc: np.ufunc, x: Interval, y: Interval) -> Ends:
    whole = (y.low == y.high) & (y.low == np.floor(y.low)) & (y.low > 0)
    size = abs(x)
    even = _corners(ufunc, size, y)
    odd = _corners(ufunc, x, y)
    known = (x.low > 0) | whole | ((x.low == 0) & (y.low >= 0))
    use = (x.low >= 0) | ~(whole & (y.low % 2 == 0))
    low, high = (np.where(use, o, e) for o, e in zip(odd, even, strict=True))
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


def _size(ufunc: np.ufunc, x: Interval) -> Ends:
    most = np.maximum(-x.low, x.high)
    return np.maximum(np.maximum(x.low, -x.high), 0), most


KNOWN: dict[str, Callable[..., Ends]] = {
    **dict.fromkeys(
        ("sqrt", "log", "log2", "log1p", "exp", "expm1", "arctan", "arctanh", "ceil", "floor",
         "positive"),
        _rising,
    ),
    **dict.fromkeys(("add", "maximum", "minimum"), _each),
    "subtract": lambda ufunc, x, y: (x.low - y.high, x.high - y.low),
    "negative": lambda ufunc, x: (-x.high, -x.low),
    "square": lambda ufunc, x: _rising(ufunc, abs(x)),
    "absolute": _size,
    "less": lambda ufunc, x, y: (x.high < y.low, x.low < y.high),
    "less_equal": lambda ufunc, x, y: (x.high <= y.low, x.low <= y.high),
    "greater": lambda ufunc, x, y: (x.low > y.high, x.high > y.low),
    "greater_equal": lambda ufunc, x, y: (x.low >= y.high, x.high >= y.low),
    "logical_and": lambda ufunc, x, y: _each(np.minimum, x, y),
    "bitwise_and": lambda ufunc, x, y: _each(np.minimum, x, y),
    "multiply": _corners, "divide": _quotient, "power": _power,
}
KEPT = {
    **dict.fromkeys(("log", "log2", "log1p", "expm1", "arctan", "arctanh"), (0,)),
    **dict.fromkeys(("exp", "power"), (0, 1)),
}
"""What is not rounded to the nearest float, and the values beyond which rounding moves none."""
