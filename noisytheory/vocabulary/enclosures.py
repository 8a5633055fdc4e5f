r"""Roots, exponentials and error functions between two fractions; of floats, the float twice.

Sides of a claim that are irrational become pairs (low, high): a counterexample is one whose
intervals do not meet.
"""

from __future__ import annotations

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
Ends = tuple[Any, Any]


def _both(
    values: Any, floats: Callable[[Any], Any],
    exact: Callable[[Fraction], tuple[Fraction, Fraction]],
) -> Ends:
    array = np.asarray(values)
    if array.dtype != object:
        return (found := floats(array.astype(float))), found
    ends = [exact(Fraction(v)) for v in array.ravel()]
    out = []
    for which in (0, 1):
        side = np.empty(array.shape, dtype=object)
        side.ravel()[:] = [e[which] for e in ends]
        out.append(side)
    return out[0], out[1]


def sqrt(values: Any) -> Ends:
    """Square roots.

    Parameters
    ----------
    values : array of float or of Fraction

    Returns
    -------
    (low, high)

    Examples
    --------
    >>> low, high = sqrt(np.array([Fraction(2)], dtype=object))
    >>> bool(low[0] ** 2 <= 2 <= high[0] ** 2 and high[0] - low[0] < Fraction(1, 10**30))
    True
    """
    return _both(values, np.sqrt, lambda v: enclosed_root(v, WIDTH))


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


def exp(values: Any) -> Ends:
    """Exponentials.

    Parameters
    ----------
    values : array of float or of Fraction

    Returns
    -------
    (low, high)

    Examples
    --------
    >>> low, high = exp(np.array([Fraction(1)], dtype=object))
    >>> round(float(low[0]), 9), bool(0 < high[0] - low[0] < Fraction(1, 10**30))
    (2.718281828, True)
    """
    return _both(values, np.exp, _exp)


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


def erf(values: Any) -> Ends:
    r"""$\frac{\sqrt\pi}2\mathrm{Erf}$: without the factor, which is irrational itself.

    Parameters
    ----------
    values : array of float or of Fraction

    Returns
    -------
    (low, high)

    Examples
    --------
    >>> round(float(erf(np.array([1.0]))[0][0]), 6)
    0.746824
    """
    factor = math.sqrt(math.pi) / 2
    return _both(values, lambda v: factor * special.erf(v), lambda v: _series(v, -1))


def erfi(values: Any) -> Ends:
    r"""$\frac{\sqrt\pi}2\mathrm{erfi}$, likewise.

    Parameters
    ----------
    values : array of float or of Fraction

    Returns
    -------
    (low, high)

    Examples
    --------
    >>> low, high = erfi(np.array([Fraction(1)], dtype=object))
    >>> round(float(low[0]), 6), bool(low[0] < high[0])
    (1.462652, True)
    """
    factor = math.sqrt(math.pi) / 2
    return _both(values, lambda v: factor * special.erfi(v), lambda v: _series(v, 1))
