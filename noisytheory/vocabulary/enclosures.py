r"""Roots, exponentials and error functions between two fractions; of floats, the float twice.

Sides of a claim that are irrational become pairs (low, high): a counterexample is one whose
intervals do not meet. Every function takes an array of floats or of fractions and returns a pair.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import special

from noisytheory.vocabulary.exact import enclosed_root

__all__ = ["erf", "erfi", "exp", "pi", "sqrt"]

WIDTH = 10**40
"""Enclosures are about 1 / WIDTH wide."""
HALF_ROOT_PI = math.sqrt(math.pi) / 2
Ends = tuple[Any, Any]


def _enclosing(floats: Callable[[Any], Any]) -> Callable[[Callable[[Any], Ends]], Any]:
    """Makes a function of arrays of one that encloses its value at a fraction."""
    def made(exact: Callable[[Any], Ends]) -> Callable[[Any], Ends]:
        @functools.wraps(exact)
        def both(values: Any) -> Ends:
            array = np.asarray(values)
            if array.dtype != object:
                return (found := floats(array.astype(float))), found
            low, high = np.frompyfunc(lambda v: exact(Fraction(v)), 1, 2)(array)
            return low, high

        return both

    return made


@_enclosing(np.sqrt)
def sqrt(value: Any) -> Ends:
    """Square roots.

    Examples
    --------
    >>> low, high = sqrt(np.array([Fraction(2)], dtype=object))
    >>> bool(low[0] ** 2 <= 2 <= high[0] ** 2 and high[0] - low[0] < Fraction(1, 10**30))
    True
    """
    return enclosed_root(value, WIDTH)


def _short(v: Fraction, up: bool) -> Fraction:
    """Rounded outwards to a short fraction, so that products stay small."""
    scaled = v.numerator * WIDTH
    return Fraction(-(-scaled // v.denominator) if up else scaled // v.denominator, WIDTH)


def _exp(v: Fraction) -> tuple[Fraction, Fraction]:
    if v < 0:
        low, high = _exp(-v)
        return _short(1 / high, False), _short(1 / low, True)
    # Halved until below 1, summed, squared back.
    halvings = max(0, math.ceil(math.log2(float(v))) + 1) if v > Fraction(1, 2) else 0
    small = v / 2**halvings
    total, term, n = Fraction(1), Fraction(1), 0
    while term > Fraction(2, WIDTH):
        n += 1
        term = _short(term * small / n, True)
        total += term
    # Terms are rounded up, each by less than twice the grid; what is left is below the last one.
    low, high = total - Fraction(2 * n + 2, WIDTH), total + 2 * term
    low = Fraction(0) if low < 0 else low
    for _ in range(halvings):
        low, high = _short(low * low, False), _short(high * high, True)
    return low, high


@_enclosing(np.exp)
def exp(value: Any) -> Ends:
    """Exponentials.

    Examples
    --------
    >>> low, high = exp(np.array([Fraction(1)], dtype=object))
    >>> round(float(low[0]), 9), bool(0 < high[0] - low[0] < Fraction(1, 10**30))
    (2.718281828, True)
    """
    return _exp(value)


def pi(values: Any) -> Ends:
    """The number, in the arithmetic of the values.

    Parameters
    ----------
    values : array

    Returns
    -------
    (low, high)

    Examples
    --------
    >>> pi(np.array([0.5]))[0] == math.pi
    True
    """
    if np.asarray(values).dtype != object:
        return math.pi, math.pi
    digits = 3141592653589793238462643383279502884197
    return Fraction(digits, 10**39), Fraction(digits + 1, 10**39)


def _series(v: Fraction, sign: int) -> tuple[Fraction, Fraction]:
    r"""$\sum_k sign^kv^{2k+1}/(k!(2k+1))$: the error functions times half the root of pi."""
    square, power, total, k = v * v, v, v, 0
    bound = abs(v)
    while bound > Fraction(1, WIDTH) or k < 2 * float(square) + 2:
        k += 1
        power = power * square * sign / k
        if k > 40:
            power = _short(power, power > 0)
        total += power / (2 * k + 1)
        bound = abs(power)
    slack = 2 * bound + Fraction(4 * k, WIDTH)
    return total - slack, total + slack


@_enclosing(lambda v: HALF_ROOT_PI * special.erf(v))
def erf(value: Any) -> Ends:
    r"""$\frac{\sqrt\pi}2\mathrm{Erf}$: without the factor, which is irrational itself.

    Examples
    --------
    >>> round(float(erf(np.array([1.0]))[0][0]), 6)
    0.746824
    """
    return _series(value, -1)


@_enclosing(lambda v: HALF_ROOT_PI * special.erfi(v))
def erfi(value: Any) -> Ends:
    r"""$\frac{\sqrt\pi}2\mathrm{erfi}$, likewise.

    Examples
    --------
    >>> low, high = erfi(np.array([Fraction(1)], dtype=object))
    >>> round(float(low[0]), 6), bool(low[0] < high[0])
    (1.462652, True)
    """
    return _series(value, 1)
