"""Smoothed losses and their majorants by the public objects, certified by enclosures of series."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary import enclosures
from noisytheory.vocabulary.analytic import (
    ExponentialLoss,
    SmoothedAbsolute,
    SmoothedHinge,
    SquaredLoss,
)

Floats = NDArray[np.float64]
Ends = tuple[Fraction, Fraction]
ROUNDING = 1e-12
"""A distance this far below 0 is one."""


def _one(function: Callable[[Any], Any], value: Fraction) -> Ends:
    """An enclosure of one number."""
    made = np.empty(1, dtype=object)
    made[0] = value
    low, high = function(made)
    return Fraction(np.asarray(low).ravel()[0]), Fraction(np.asarray(high).ravel()[0])


def _root_pi() -> Ends:
    low, high = enclosures.pi(np.array([Fraction(1)], dtype=object))
    return _one(enclosures.sqrt, low)[0], _one(enclosures.sqrt, high)[1]


def _sixteenths(least: int, most: int, size: int, rng: np.random.Generator) -> Floats:
    return rng.integers(least, most + 1, size) / 16


def absolute(most: int, *, size: int, rng: np.random.Generator) -> dict[str, Floats]:
    """The majorant of the smoothed absolute loss at z, in sixteenths."""
    z = _sixteenths(1, most, size, rng)
    return dict(lhs=np.asarray(SmoothedAbsolute(1.0).majorant(z)), z=z)


def _times(factor: Fraction | int, ends: Ends) -> Ends:
    return factor * ends[0], factor * ends[1]


def _plus(first: Ends, second: Ends) -> Ends:
    return first[0] + second[0], first[1] + second[1]


def _absolute_certificate(z: float, constant: Fraction, half: bool) -> Certificate:
    """Both sides times half the root of pi."""
    at = Fraction(float(z))
    low, high = _one(enclosures.exp, at**2)
    right = _times(constant / (2 * at), (low - 1, high - 1))
    if half:
        right = _plus(right, _times(Fraction(1, 4), _root_pi()))
    return Certificate(_one(enclosures.erfi, at), right, [("z", at)])


def absolute_printed(z: float) -> Certificate:
    """Example 3 as printed."""
    return _absolute_certificate(z, Fraction(1), True)


def absolute_repaired(z: float) -> Certificate:
    """Example 3 repaired."""
    return _absolute_certificate(z, Fraction(2), False)


def absolute_smaller(z: float) -> Certificate:
    """The repair with 1.9 for its 2."""
    return _absolute_certificate(z, Fraction(19, 10), False)


def hinge(s: float, *, size: int, rng: np.random.Generator) -> dict[str, Floats]:
    """The majorant of the smoothed hinge at a, with s a up to 4."""
    a = _sixteenths(1, int(64 / s), size, rng)
    return dict(lhs=np.asarray(SmoothedHinge(s).majorant(a)), a=a)


def _hinge_left(s: Fraction, a: Fraction) -> tuple[Ends, list[Fraction]]:
    """The majorant times the root of pi: a lower end, cut; Hermite values."""
    hermite = [Fraction(1), 2 * s]
    terms = 60 + 4 * int((s * a) ** 2)
    for n in range(1, terms):
        hermite.append(2 * s * hermite[n] - 2 * n * hermite[n - 1])
    total = sum(abs(hermite[n - 1]) * (s * a) ** n / math.factorial(n) for n in range(1, terms))
    # What is cut is below a thousandth of a billionth at this many terms; it only adds.
    envelope = _one(enclosures.exp, -(s**2))
    left = _plus(_plus(_times(Fraction(1, 2), _root_pi()), _one(enclosures.erf, s)),
                 _times(Fraction(total), envelope))
    return (left[0], left[1] + Fraction(1, 10**9)), hermite


def hinge_printed(s: float, a: float) -> Certificate:
    """Example 4 as printed, both sides times the root of pi."""
    sharp, at = Fraction(float(s)), Fraction(float(a))
    z = sharp * at
    right = _times(2 / z, _one(enclosures.exp, z**2 - 1))
    return Certificate(_hinge_left(sharp, at)[0], right, [("z", z)])


def _hinge_by_z(s: float, a: float, half: Fraction) -> Certificate:
    """A multiple of (e^(z^2) - 1) / z and a constant, both sides times the root of pi."""
    sharp, at = Fraction(float(s)), Fraction(float(a))
    z = sharp * at
    low, high = _one(enclosures.exp, z**2)
    right = _plus(_times(2 * (1 - half) / z, (low - 1, high - 1)), _times(half, _root_pi()))
    return Certificate(_hinge_left(sharp, at)[0], right, [("z", z)])


def hinge_outside(s: float, a: float) -> Certificate:
    """Example 4 with the 1 outside of the exponent."""
    return _hinge_by_z(s, a, Fraction(0))


def hinge_interchanged(s: float, a: float) -> Certificate:
    """Example 4 with Example 3's formula."""
    return _hinge_by_z(s, a, Fraction(1, 2))


def hinge_shifted(s: float, a: float) -> Certificate:
    """The simple bound, both sides times the root of pi."""
    sharp, at = Fraction(float(s)), Fraction(float(a))
    first, second = _one(enclosures.erfi, sharp * (1 + at)), _one(enclosures.erfi, sharp)
    right = _plus(_plus(_times(Fraction(1, 2), _root_pi()), _one(enclosures.erf, sharp)),
                  (first[0] - second[1], first[1] - second[0]))
    return Certificate(_hinge_left(sharp, at)[0], right, [("a", at)])


def hinge_cramer(s: float, a: float, *, share: Fraction = Fraction(1)) -> Certificate:
    """The bound by Cramér's inequality, its sum times a share."""
    sharp, at = Fraction(float(s)), Fraction(float(a))
    z, total = sharp * at, (Fraction(0), Fraction(0))
    for n in range(1, 60 + 6 * int(z**2)):
        root = _one(enclosures.sqrt, Fraction(2 ** (n - 1) * math.factorial(n - 1)))
        total = _plus(total, _times(z**n / math.factorial(n), root))
    envelope = _one(enclosures.exp, -(sharp**2) / 2)
    tail = (total[0] * envelope[0] * share, (total[1] + Fraction(1, 10**9)) * envelope[1] * share)
    right = _plus(_plus(_times(Fraction(1, 2), _root_pi()), _one(enclosures.erf, sharp)), tail)
    return Certificate(_hinge_left(sharp, at)[0], right, [("z", z)])


def hinge_cramer_halved(s: float, a: float) -> Certificate:
    """The same with half of the sum."""
    return hinge_cramer(s, a, share=Fraction(1, 2))


def _both_sides(found: Floats, s: float) -> Floats:
    """The distance, and where it is below 0 by how much beyond 1 / s, which no bound allows."""
    return np.where(found < -ROUNDING, 1 / s - found, found)


def gap(s: float, *, size: int, rng: np.random.Generator) -> dict[str, Floats]:
    """How far the smoothed absolute loss lies above the absolute value."""
    a = _sixteenths(0, 64, size, rng)
    with np.errstate(under="ignore"):  # What is left of it far out is 0 beside the bound.
        found = np.asarray(SmoothedAbsolute(s).at(a) - np.abs(a))
    return dict(lhs=_both_sides(found, s), a=a)


def gap_certified(s: float, a: float) -> Certificate:
    """At most 1 / (s root pi), and not below 0; both sides times the root of pi."""
    sharp, at = Fraction(float(s)), Fraction(float(a))
    left, (low, high) = _smoothed(sharp, at), _root_pi()
    left = left[0] - at * high, left[1] - at * low
    if left[1] < 0:
        left = 1 / sharp - left[1], 1 / sharp - left[0]
    return Certificate(left, 1 / sharp, [("a", at)])


def convex(s: float, loss: str, *, size: int, rng: np.random.Generator) -> dict[str, Floats]:
    """The public loss in the middle of two scores about its bend, and the mean at both."""
    a, b = (1.0 if loss == "hinge" else 0.0) + rng.integers(-64, 65, (2, size)) / (16 * s)
    b = np.where(rng.random(size) < 0.5, a + 0.125 / s, b)
    at = (SmoothedHinge(s) if loss == "hinge" else SmoothedAbsolute(s)).at
    with np.errstate(under="ignore"):
        return dict(lhs=at((a + b) / 2), rhs=(at(a) + at(b)) / 2, a=a, b=b)


def convex_certified(s: float, loss: str, a: float, b: float) -> Certificate:
    """The same times the root of pi."""
    sharp, first, second = Fraction(float(s)), Fraction(float(a)), Fraction(float(b))
    low, middle, high = (_smoothed(sharp, x, loss) for x in (first, (first + second) / 2, second))
    return Certificate(middle, _times(Fraction(1, 2), _plus(low, high)),
                       [("a", first), ("b", second)])


def _smoothed(s: Fraction, a: Fraction, loss: str = "absolute") -> Ends:
    """The smoothed absolute loss times the root of pi, or the hinge, which is half of one and a."""
    at = abs(a - 1) if loss == "hinge" else abs(a)
    found = _plus(_times(2 * at, _one(enclosures.erf, s * at)),
                  _times(1 / s, _one(enclosures.exp, -((s * at) ** 2))))
    if loss == "absolute":
        return found
    low, high = sorted(end * (1 - a) for end in _root_pi())
    return _times(Fraction(1, 2), _plus(found, (low, high)))


def hinge_gap(s: float, *, size: int, rng: np.random.Generator) -> dict[str, Floats]:
    """Twice the distance of the smoothed hinge from the hinge; a is its distance from the kink."""
    a = _sixteenths(0, 48, size, rng)
    margin = 1 - rng.choice([-1.0, 1.0], size) * a
    found = SmoothedHinge(s).at(margin) - np.maximum(1 - margin, 0)
    return dict(lhs=_both_sides(np.asarray(2 * found), s), a=a)


def margins(sign: int, *, size: int, rng: np.random.Generator) -> dict[str, Floats]:
    """Exponential loss at a margin and at a smaller one."""
    first, second = np.sort(rng.integers(-64, 65, (2, size)) / 16, axis=0)
    loss = ExponentialLoss(sign)
    return dict(lhs=loss.at(second), rhs=loss.at(first), first=first, second=second)


def margins_certified(sign: int, first: float, second: float) -> Certificate:
    """The same enclosed."""
    larger, smaller = Fraction(float(second)) * sign, Fraction(float(first)) * sign
    return Certificate(_one(enclosures.exp, larger), _one(enclosures.exp, smaller),
                       [("margin", Fraction(float(second))), ("smaller", Fraction(float(first)))])


def first_round(*, size: int, rng: np.random.Generator) -> dict[str, Floats]:
    """Regret of one round of squared loss at w = 0, x = 1, against the ball of radius 1."""
    y = rng.integers(0, 2049, size) / 16
    loss = SquaredLoss(0.0, "regression")
    best = np.clip(y, -1, 1)
    return dict(lhs=loss.value(y, 0 * y) - loss.value(y, best), y=y)


def first_round_printed(y: float, p: float, Bw: float, Bx: float) -> Certificate:
    r"""Against $2\sqrt{(p-1)u}\sqrt u$ with the linear kernel's $u$."""
    at, rate, ball, square = (Fraction(value) for value in (y, p, Bw, Bx))
    best = max(min(at, Fraction(1)), Fraction(-1))
    u = ball * (rate / (rate - 1)) ** 2 * rate * square
    right = _times(2 * u, _one(enclosures.sqrt, rate - 1))
    return Certificate(at**2 - (best - at) ** 2, right, [("y", at), ("u", u)])
