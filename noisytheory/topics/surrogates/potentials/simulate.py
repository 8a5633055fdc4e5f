r"""What a convex potential makes of the mean in a small ball: samples of unit vectors in the plane.

Slopes of the potentials that are no fractions are enclosed; everything else is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from noisytheory.topics.surrogates.instances import (
    CIRCLE,
    RATIONAL,
    SAMPLES,
    Vector,
    dot,
    length,
    mean_of,
    show,
    steps_of,
    times,
)
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.exact import around, enclosed_root

__all__ = ["POTENTIALS", "STRAIGHT", "best_in_ball", "leaning", "minimiser_turned", "turned"]

Interval: TypeAlias = tuple[Fraction, Fraction]
Potential: TypeAlias = Callable[[Fraction], Interval]


def leaning(pairs: int) -> tuple[Vector, ...]:
    """A point and its antipode, this often, one antipode less, and one point across: the worst.

    Their second moments lie nearly on one axis, at 45 degrees from the mean.

    Examples
    --------
    >>> [str(u) for u in mean_of(leaning(2))]
    ['1/20', '7/20']
    """
    a, across = (Fraction(4, 5), Fraction(3, 5)), (Fraction(-3, 5), Fraction(4, 5))
    return (*[a] * pairs, *[times(Fraction(-1), a)] * (pairs - 1), across)


TRIED: list[tuple[Vector, ...]] = [
    sample for sample in (*SAMPLES, *map(leaning, (1, 2, 4, 16))) if any(mean_of(sample))
]


def _point(value: Fraction) -> Interval:
    return value, value


def _squared_hinge(v: Fraction) -> Interval:
    return _point(max(Fraction(0), 1 - v) ** 2)


def _squared_hinge_slope(v: Fraction) -> Interval:
    return _point(-2 * max(Fraction(0), 1 - v))


WIDTH = Fraction(1, 4)


def _rounded_hinge_slope(v: Fraction) -> Interval:
    """From -1 to 0 along a line between margins of a quarter: a bend at either end."""
    return _point(-min(max((WIDTH - v) / (2 * WIDTH), Fraction(0)), Fraction(1)))


def _steeper(t: Fraction) -> Interval:
    return _times_interval(t, around(math.exp(float(t))))


def _times_interval(c: Fraction, ends: Interval) -> Interval:
    found = c * ends[0], c * ends[1]
    return min(found), max(found)


POTENTIALS: dict[str, tuple[Potential, Callable[[Fraction], Interval]]] = {
    "hinge": (lambda v: _point(Fraction(-1 if v < 1 else 0)), lambda t: _point(Fraction(0))),
    "squared hinge": (_squared_hinge_slope, _point),
    "rounded hinge": (_rounded_hinge_slope, lambda t: _point(t / WIDTH)),
    "logistic": (lambda v: around(-1 / (1 + math.exp(float(v)))), lambda t: _point(t / 2)),
    "exponential": (lambda v: around(-math.exp(-float(v))), _steeper),
}
r"""Slopes $\psi'$, and $\rho(t)=tL_t/|\psi'(0)|$ with $L_t$ the Lipschitz constant of $\psi'$ on
$[-t,t]$. The hinge is straight there, the rounded one has no second derivative at its bends."""


def turned(potential: str, radius: str, form: str) -> Iterator[Certificate]:
    r"""Squared sine of the angle from $\Phi$ to the downhill direction at $t\Phi$, against a limit.

    Parameters
    ----------
    potential : str
        One of `POTENTIALS`.
    radius : str
        $t$, below 1.
    form : {"ratio", "sharp", "half"}
        The limit: $\rho$, $\rho/(2-\rho)$ or $\rho/2$.
    """
    t = Fraction(radius)
    slope, ratio = POTENTIALS[potential]
    low, high = ratio(t)
    least, most = (
        (rho / (2 - rho) if form == "sharp" else rho / 2 if form == "half" else rho) ** 2
        for rho in (low, high)
    )
    for sample in TRIED:
        mean = mean_of(sample)
        slopes = [slope(t * dot(mean, a)) for a in sample]
        cross, along = (
            _sum([_times_interval(-c, s) for c, s in zip(by, slopes, strict=True)])
            for by in ([a[0] * mean[1] - a[1] * mean[0] for a in sample],
                       [dot(mean, a) for a in sample])
        )
        if not (any(cross) or any(along)):
            continue  # Nothing is downhill of t Phi: it minimises.
        yield Certificate(
            _squared_sine(cross, along), (least, most),
            [*steps_of(sample, mean), ("omega", show([times(t, mean)])),
             ("share of the downhill direction across the mean, and along it, times n",
              f"{float(cross[0]):.9g}, {float(along[0]):.9g}")],
        )


def _sum(parts: Sequence[Interval]) -> Interval:
    return sum((p[0] for p in parts), Fraction(0)), sum((p[1] for p in parts), Fraction(0))


def _squared_sine(cross: Interval, along: Interval) -> Interval:
    least, most = _squared(cross)
    low, high = _squared(along)
    return least / (least + high) if least else Fraction(0), most / (most + low)


def _squared(ends: Interval) -> Interval:
    squares = ends[0] ** 2, ends[1] ** 2
    return Fraction(0) if ends[0] < 0 < ends[1] else min(squares), max(squares)


FINE = 2**24
"""Directions are enclosed between half-angles of tangents that are multiples of its inverse."""


def minimiser_turned(potential: str, radius: str) -> Iterator[Certificate]:
    r"""Squared sine of the angle from $\Phi$ to the minimiser over the ball, against a limit.

    The limit is $(\rho/2\|\Phi\|)^2$. The gradient turns its back on the minimiser of the ball,
    and on no other point of the circle: its direction is enclosed where the part of the gradient
    along the circle changes sign.

    Parameters
    ----------
    potential : str
        One of `POTENTIALS`.
    radius : str
        $r$, below 1.
    """
    r = Fraction(radius)
    slope, ratio = POTENTIALS[potential]
    least, most = ((rho / 2) ** 2 for rho in ratio(r))
    for sample in (*RATIONAL, *map(leaning, (1, 2, 4, 16))):
        mean = mean_of(sample)

        def across(k: int, sample: Any = sample, mean: Any = mean) -> tuple[Interval, ...]:
            """Downhill parts across and along the mean turned, at the k-th direction."""
            u = _turn(mean, Fraction(k, FINE))
            omega = times(r / _above(dot(mean, mean)), u)
            slopes = [slope(dot(omega, a)) for a in sample]
            return tuple(
                _sum([_times_interval(-c, v) for c, v in zip(by, slopes, strict=True)])
                for by in ([u[0] * a[1] - u[1] * a[0] for a in sample],
                           [dot(u, a) for a in sample])
            )

        # Less than a right angle away from the mean, unless it lies inside the ball; enclosed no
        # nearer than the rounding of the slopes allows.
        low = _farthest(across, -FINE, FINE, _nearly(sample, mean, r, slope))
        step = 1
        while low + step < FINE and across(low + step)[0][1] >= 0:
            step *= 2
        high = min(low + step, FINE)
        found = across(low), across(high)
        turns = found[0][0][0] > 0 and found[1][0][1] < 0
        if not turns or any(along[0] <= 0 for _, along in found):
            continue
        ends = [Fraction(low, FINE), Fraction(high, FINE)]
        sines = [(2 * e / (1 + e * e)) ** 2 for e in ends]
        square = dot(mean, mean)
        yield Certificate(
            (Fraction(0) if low < 0 < high else min(sines), max(sines)),
            (least / square, most / square),
            [*steps_of(sample, mean), ("tangents of half the angle",
             f"{float(ends[0]):.9g}, {float(ends[1]):.9g}")],
        )


def _farthest(
    across: Callable[[int], tuple[Interval, ...]], start: int, stop: int, near: int
) -> int:
    """The last direction from ``start`` on whose part across is certainly positive, by a guess."""
    step = 1
    if across(near)[0][0] > 0:
        start = near
        while start + step < stop and across(start + step)[0][0] > 0:
            start, step = start + step, 2 * step
        stop = min(start + step, stop)
    else:
        stop = near
        while stop - step > start and across(stop - step)[0][0] <= 0:
            stop, step = stop - step, 2 * step
        start = max(stop - step, start)
    while stop - start > 1:
        middle = (start + stop) // 2
        start, stop = (middle, stop) if across(middle)[0][0] > 0 else (start, middle)
    return start


def _nearly(sample: Sequence[Vector], mean: Vector, r: Fraction, slope: Potential) -> int:
    """That direction by floats, which decide nothing."""
    atoms = [(float(a), float(b)) for a, b in sample]
    x, y = map(float, mean)
    scale = float(r) / math.hypot(x, y)
    low, high = -1.0, 1.0
    for _ in range(24):
        s = (low + high) / 2
        c, d = (1 - s * s) / (1 + s * s), 2 * s / (1 + s * s)
        u, v = c * x - d * y, d * x + c * y
        part = sum(
            (v * a - u * b) * float(slope(Fraction(scale * (u * a + v * b)))[0]) for a, b in atoms
        )
        low, high = (s, high) if part > 0 else (low, s)
    return min(max(round(low * FINE), 1 - FINE), FINE - 1)


def _above(square: Fraction) -> Fraction:
    """The root of a square, to twelve places."""
    return enclosed_root(square)[1]


def _kinked(name: str, b: Fraction) -> Potential:
    """A potential that is straight on [-b, b] and bends at b, or at both ends."""
    return {
        "hinge": lambda v: _point(max(Fraction(0), b - v)),
        "bent at both ends": lambda v: _point(max(Fraction(0), b - v, -3 * v - b)),
        "flat from there": lambda v: _point(max(Fraction(0), (51 * b - v) / 50, 2 * b - v)),
    }[name]


STRAIGHT = ["hinge", "bent at both ends", "flat from there"]

CURVED: dict[str, Potential] = {
    "squared hinge": _squared_hinge,
    "logistic": lambda v: around(math.log1p(math.exp(-float(v)))),
    "exponential": lambda v: around(math.exp(-float(v))),
}


def best_in_ball(potential: str, radius: str, straight: str) -> Iterator[Certificate]:
    r"""Risk of $r\hat\Phi$ against that of others of the ball, for samples with a rational norm.

    Others are the unit mean turned by angles from 127 degrees to $2^{-14}$, both ways, its half,
    and points of the circle.

    Parameters
    ----------
    potential : str
        One of `CURVED`, or of `STRAIGHT`.
    radius : str
        $r$.
    straight : str
        Share of $[-r,r]$ on which a potential of `STRAIGHT` is affine: 1 where the claim holds.
    """
    r = Fraction(radius)
    value = CURVED.get(potential) or _kinked(potential, Fraction(straight) * r)
    for sample in RATIONAL:
        mean = mean_of(sample)
        own = times(r / length(mean), mean)
        turns = [_turn(own, sign * Fraction(2) ** -k) for k in range(-1, 16, 3) for sign in (1, -1)]
        risk = _risk(sample, own, value)
        steps = [*steps_of(sample, mean), ("radius times unit mean", show([own]))]
        for omega in (*turns, times(Fraction(1, 2), own), *(times(r, a) for a in CIRCLE[::3])):
            yield Certificate(
                risk, _risk(sample, omega, value),
                [*steps, ("omega", show([omega]))],
            )


def _turn(v: Vector, s: Fraction) -> Vector:
    """Turned by twice the angle of tangent ``s``."""
    c, d = (1 - s * s) / (1 + s * s), 2 * s / (1 + s * s)
    return (c * v[0] - d * v[1], d * v[0] + c * v[1])


def _risk(sample: Sequence[Vector], omega: Vector, value: Potential) -> Interval | Fraction:
    low, high = _sum([value(dot(omega, a)) for a in sample])
    return low / len(sample) if low == high else (low / len(sample), high / len(sample))
