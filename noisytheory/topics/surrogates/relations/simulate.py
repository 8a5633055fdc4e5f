r"""Samples of unit vectors with rational coordinates: what the mean classifier is elsewhere.

Atoms are signed features $y\phi(x)$ on the unit circle; lengths are compared by their squares.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.exact import lattice, simplex

__all__ = [
    "any_potential",
    "beyond_the_threshold",
    "completed_square",
    "density_gap",
    "expected_square",
    "hinge_on_ball",
    "kernel_density",
    "least_linear_risk",
    "mean_as_svm",
    "mean_discrepancy",
    "mean_on_ball",
    "multiple_kernels",
    "other_minimisers",
    "self_similarity",
    "svm_direction",
    "total_variation",
]

Vector: TypeAlias = tuple[Fraction, Fraction]

CIRCLE: list[Vector] = [
    (Fraction(a, 5), Fraction(b, 5))
    for a in range(-5, 6) for b in range(-5, 6) if a * a + b * b == 25
]
SAMPLES: list[tuple[Vector, ...]] = [
    tuple(sample) for sample in itertools.combinations_with_replacement(CIRCLE, 3)
][::7]
BALL: list[Vector] = [
    (u, v) for u in lattice(-1, 1, 5) for v in lattice(-1, 1, 5) if u * u + v * v <= 1
]
PLANE: list[Vector] = [(u, v) for u in lattice(-3, 3, 2) for v in lattice(-3, 3, 2)]
HERDED: tuple[Vector, ...] = (
    (Fraction(3, 5), Fraction(4, 5)), (Fraction(1), Fraction(0)),
    (Fraction(7, 25), Fraction(24, 25)), (Fraction(3, 5), Fraction(-4, 5)),
    (Fraction(4, 5), Fraction(-3, 5)),
)
"""A sample whose mean is not the direction of its support vector machine."""


def _dot(u: Vector, v: Vector) -> Fraction:
    return u[0] * v[0] + u[1] * v[1]


def _mean(sample: Sequence[Vector]) -> Vector:
    n = len(sample)
    return (sum((a[0] for a in sample), Fraction(0)) / n,
            sum((a[1] for a in sample), Fraction(0)) / n)


def _times(c: Fraction, v: Vector) -> Vector:
    return (c * v[0], c * v[1])


def _hinge(sample: Sequence[Vector], omega: Vector) -> Fraction:
    return sum((max(Fraction(0), 1 - _dot(omega, a)) for a in sample), Fraction(0)) / len(sample)


def _show(sample: Sequence[Vector]) -> str:
    return ", ".join(f"({a[0]}, {a[1]})" for a in sample)


def _steps(sample: Sequence[Vector], omega: Vector) -> list[tuple[str, object]]:
    return [("signed features", _show(sample)), ("mean", _show([_mean(sample)])),
            ("omega", _show([omega]))]


def least_linear_risk(radius: int) -> Iterator[Certificate]:
    r"""$\max(0,\langle\omega,\Phi\rangle)^2$, $\|\omega\|\le$ ``radius``, against $\|\Phi\|^2$."""
    for sample in SAMPLES:
        mean = _mean(sample)
        if any(mean):
            for omega in (*BALL[::5], mean):
                omega = _times(Fraction(radius), omega)
                yield Certificate(
                    max(Fraction(0), _dot(omega, mean)) ** 2, _dot(mean, mean),
                    _steps(sample, omega),
                )


def other_minimisers(samples: str, radius: int) -> Iterator[Certificate]:
    r"""How many $\omega$, no multiples of $\Phi$, have $\langle\omega,\Phi\rangle\ge\|\Phi\|$.

    Parameters
    ----------
    samples : {"any", "nonzero"}
        Whether the mean may be 0.
    radius : int
        Of the ball; 1 where the claim holds.
    """
    cancelling = [((Fraction(1), Fraction(0)), (Fraction(-1), Fraction(0)))]
    for sample in (*SAMPLES, *(cancelling if samples == "any" else [])):
        mean = _mean(sample)
        if samples == "nonzero" and not any(mean):
            continue
        found = []
        for omega in BALL:
            other = _times(Fraction(radius), omega)
            inner, crossed = _dot(other, mean), other[0] * mean[1] != other[1] * mean[0]
            if (crossed or not any(mean)) and inner >= 0 and inner**2 >= _dot(mean, mean):
                found.append(other)
        yield Certificate(
            len(found), 0,
            [("signed features", _show(sample)), ("mean", _show([mean])),
             ("others as good as the unit mean", _show(found[:3]) or "none")],
        )


def self_similarity(signs: str) -> Iterator[Certificate]:
    r"""$\|\omega_S\|^2$ from coordinates, against $n^{-2}\sum_{ij}y_iy_jK(x_i,x_j)$."""
    for sample in SAMPLES:
        for labels in itertools.product((1, -1), repeat=3):
            signed = [_times(Fraction(y), x) for y, x in zip(labels, sample, strict=True)]
            mean = _mean(signed)
            pairs = itertools.product(zip(labels, sample, strict=True), repeat=2)
            total = sum(
                ((y * z if signs == "signed" else 1) * _dot(a, b) for (y, a), (z, b) in pairs),
                Fraction(0),
            )
            yield Certificate(
                _dot(mean, mean), total / 9, [("x", _show(sample)), ("y", labels)]
            )


def expected_square(correction: str) -> Iterator[Certificate]:
    r"""$E\|\omega_S\|^2$ over all samples, against $\|\omega_P\|^2+(1-\|\omega_P\|^2)/n$."""
    for atoms in (CIRCLE[:3], CIRCLE[2:5], CIRCLE[::5]):
        for masses in simplex(3, 3):
            mean = (sum((m * a[0] for m, a in zip(masses, atoms, strict=True)), Fraction(0)),
                    sum((m * a[1] for m, a in zip(masses, atoms, strict=True)), Fraction(0)))
            square = _dot(mean, mean)
            for n in (1, 2, 3):
                total = Fraction(0)
                for draw in itertools.product(range(3), repeat=n):
                    sample = _mean([atoms[i] for i in draw])
                    total += math.prod((masses[i] for i in draw), start=Fraction(1)) * _dot(
                        sample, sample
                    )
                extra = (1 - square) / n if correction == "whole" else Fraction(0)
                yield Certificate(
                    total, square + extra,
                    [("atoms", _show(atoms)), ("masses", ", ".join(map(str, masses))), ("n", n)],
                )


def hinge_on_ball(radius: int) -> Iterator[Certificate]:
    """Hinge risk against linear risk, for every classifier of a ball."""
    for sample in SAMPLES:
        for omega in BALL[::3]:
            omega = _times(Fraction(radius), omega)
            yield Certificate(
                _hinge(sample, omega), 1 - _dot(omega, _mean(sample)), _steps(sample, omega)
            )


def mean_as_svm(share: str) -> Iterator[Certificate]:
    r"""Penalised hinge risk of $\Phi/\lambda$ against that of others, $\lambda\ge\max_if_i$.

    Parameters
    ----------
    share : str
        $\lambda$ as a multiple of $\max_if_i$: at least 1 where the claim holds.
    """
    for sample in SAMPLES:
        mean = _mean(sample)
        largest = max(_dot(mean, a) for a in sample)
        if largest <= 0:
            continue
        penalty = largest * Fraction(share)
        own = _times(1 / penalty, mean)
        for omega in (*PLANE[::7], *(_times(Fraction(k, 8), own) for k in range(4, 8))):
            yield Certificate(
                _penalised(sample, own, penalty), _penalised(sample, omega, penalty),
                [*_steps(sample, omega), ("lambda", penalty)],
            )


def _penalised(sample: Sequence[Vector], omega: Vector, penalty: Fraction) -> Fraction:
    return penalty * _dot(omega, omega) / 2 + _hinge(sample, omega)


def mean_on_ball(share: str) -> Iterator[Certificate]:
    r"""Hinge risk of $t\Phi$, $t=$ ``share`` $/\max_if_i$, against the ball of the same radius."""
    for sample in (*SAMPLES, HERDED):
        mean = _mean(sample)
        largest = max(_dot(mean, a) for a in sample)
        if largest <= 0:
            continue
        own = _times(Fraction(share) / largest, mean)
        for omega in PLANE:
            if _dot(omega, omega) <= _dot(own, own):
                yield Certificate(_hinge(sample, own), _hinge(sample, omega),
                                  _steps(sample, omega))


def beyond_the_threshold(share: str) -> Iterator[Certificate]:
    r"""Whether no direction near the mean's has less hinge risk at its length, against 0.

    Forty points in three dimensions; the length is ``share`` times $r^*$. The mean is turned
    towards where its risk falls, and shortened to its length at most.

    Parameters
    ----------
    share : str
        Above 1 where the claim holds.
    """
    sites = [
        (Fraction(a, 9), Fraction(b, 9), Fraction(c, 9))
        for a, b, c in itertools.product(range(-9, 10), repeat=3)
        if a * a + b * b + c * c == 81 and a + 2 * b + 3 * c > -9
    ]
    for first in range(4):
        sample = sites[first :: max(1, len(sites) // 40)][:40]
        n = len(sample)
        mean = tuple(sum((a[i] for a in sample), Fraction(0)) / n for i in range(3))
        products = [_inner(mean, a) for a in sample]
        scale = Fraction(share) / max(products)
        own = tuple(scale * u for u in mean)
        square = _inner(mean, mean)
        downhill = tuple(
            sum((a[i] for a, f in zip(sample, products, strict=True) if scale * f < 1), Fraction(0))
            / n for i in range(3)
        )
        along = _inner(downhill, mean) / square
        turn = tuple(u - along * v for u, v in zip(downhill, mean, strict=True))
        risk, best = _hinge_risk(sample, own), None
        for step in (Fraction(1, 64), Fraction(1, 16), Fraction(1, 4), Fraction(1)):
            turned = tuple(u + step * v for u, v in zip(own, turn, strict=True))
            # 1 / (1 + q / 2) is at most 1 / sqrt(1 + q): no longer than the mean's multiple.
            shorter = 1 / (1 + step**2 * _inner(turn, turn) / (2 * scale**2 * square))
            other = _hinge_risk(sample, tuple(shorter * u for u in turned))
            best = other if best is None else min(best, other)
        yield Certificate(
            int(best is None or best >= risk), 0,
            [("points", n), ("mean", ", ".join(map(str, mean))),
             ("r* is this multiple of the mean", 1 / max(products)), ("multiple taken", scale),
             ("points beyond margin 1", sum(scale * f >= 1 for f in products)),
             ("hinge risk of the mean", risk), ("least risk of the turned ones", best)],
        )


def _inner(u: Sequence[Fraction], v: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(u, v, strict=True)), Fraction(0))


def _hinge_risk(sample: Sequence[Sequence[Fraction]], omega: Sequence[Fraction]) -> Fraction:
    total = sum((max(Fraction(0), 1 - _inner(omega, a)) for a in sample), Fraction(0))
    return total / len(sample)


def svm_direction(share: str) -> Iterator[Certificate]:
    r"""The best penalised hinge risk along the mean, against any direction.

    Parameters
    ----------
    share : str
        $\lambda$ as a multiple of $\max_if_i$.
    """
    mean = _mean(HERDED)
    products = [_dot(mean, a) for a in HERDED]
    penalty = Fraction(share) * max(products)
    kinks = [1 / f for f in products if f > 0]
    # Between kinks the risk is a parabola in the length: its vertex, if it lies there, or an end.
    lengths = [Fraction(0), *sorted(kinks)]
    for left in lengths:
        slope = sum((f for f in products if left * f < 1), Fraction(0)) / len(products)
        lengths = [*lengths, max(left, slope / (penalty * _dot(mean, mean)))]
    best = min(_penalised(HERDED, _times(t, mean), penalty) for t in lengths)
    for omega in itertools.product(lattice(0, 3, 10), lattice(-1, 1, 10)):
        yield Certificate(
            best, _penalised(HERDED, omega, penalty),
            [*_steps(HERDED, omega), ("lambda", penalty), ("lambda*", max(products)),
             ("least along the mean", best)],
        )


def completed_square(constant: str) -> Iterator[Certificate]:
    r"""$\frac12\|\omega\|^2-\langle\omega,\omega_S\rangle$ against the herding objective."""
    for sample in SAMPLES[::3]:
        mean = _mean(sample)
        for omega in PLANE[::5]:
            gap = (omega[0] - mean[0], omega[1] - mean[1])
            rest = _dot(mean, mean) / 2 if constant == "kept" else Fraction(0)
            yield Certificate(
                _dot(omega, omega) / 2 - _dot(omega, mean), _dot(gap, gap) / 2 - rest,
                _steps(sample, omega),
            )


def any_potential(loss: str, scale: int, radius: str) -> Iterator[Certificate]:
    r"""Squared sine of the angle from $\Phi$ to the downhill direction at $t\Phi$, against a limit.

    The minimiser over the ball through $t\Phi$ is $t\Phi$ itself exactly where the angle is 0.

    Parameters
    ----------
    loss : {"hinge", "squared hinge"}
    scale : int
        The limit is $(t\cdot$ ``scale`` $/100)^2$.
    radius : str
        $t$, at most 1.
    """
    t = Fraction(radius)
    for sample in SAMPLES:
        mean = _mean(sample)
        if not any(mean):
            continue
        omega = _times(t, mean)
        slopes = [
            Fraction(1) if loss == "hinge" else 2 * (1 - _dot(omega, a)) for a in sample
        ]
        downhill = _mean([_times(s, a) for s, a in zip(slopes, sample, strict=True)])
        if not any(downhill):
            continue
        cross = downhill[0] * mean[1] - downhill[1] * mean[0]
        yield Certificate(
            cross**2 / (_dot(downhill, downhill) * _dot(mean, mean)), (t * scale / 100) ** 2,
            [*_steps(sample, omega), ("downhill direction", _show([downhill]))],
        )


def mean_discrepancy(balance: str) -> Iterator[Certificate]:
    r"""$\frac14\|\Phi(P_+)-\Phi(P_-)\|^2$ against $\|\Phi(P)\|^2$."""
    share = Fraction(balance)
    for up, down in itertools.product(SAMPLES[::4], SAMPLES[1::6]):
        plus, minus = _mean(up), _mean(down)
        gap = (plus[0] - minus[0], plus[1] - minus[1])
        mean = (share * plus[0] - (1 - share) * minus[0], share * plus[1] - (1 - share) * minus[1])
        yield Certificate(
            _dot(gap, gap) / 4, _dot(mean, mean),
            [("P+", _show(up)), ("P-", _show(down)), ("P(y = 1)", share)],
        )


def total_variation(factor: str) -> Iterator[Certificate]:
    r"""$\mathrm{MMD}^2$ against ``factor`` times the squared total variation, on four points."""
    places = CIRCLE[:2] + CIRCLE[-2:]
    for p, q in itertools.product(simplex(4, 3), repeat=2):
        gap = [a - b for a, b in zip(p, q, strict=True)]
        moved = (sum((g * a[0] for g, a in zip(gap, places, strict=True)), Fraction(0)),
                 sum((g * a[1] for g, a in zip(gap, places, strict=True)), Fraction(0)))
        variation = sum((abs(g) for g in gap), Fraction(0)) / 2
        yield Certificate(
            _dot(moved, moved) / 4, Fraction(factor) * variation**2,
            [("features", _show(places)), ("P+", ", ".join(map(str, p))),
             ("P-", ", ".join(map(str, q)))],
        )


def kernel_density(right: str) -> Iterator[Certificate]:
    r"""Signs of the mean's score and of Bayes' rule with kernel densities.

    The kernel is $a(x)a(x')\max(0,1-|x-x'|/2)$ with $a=1$ left of 0 and ``right`` from there on; it
    is positive semi-definite and its integrals are at most 2.
    """
    height = Fraction(right)

    def level(x: Fraction) -> Fraction:
        return Fraction(1) if x < 0 else height

    def kernel(x: Fraction, z: Fraction) -> Fraction:
        return level(x) * level(z) * max(Fraction(0), 1 - abs(x - z) / 2)

    def integral(z: Fraction) -> Fraction:
        # The triangle has mass 2; what lies beyond 0 on the far side of z is a smaller triangle.
        beyond = max(Fraction(0), 2 - abs(z)) ** 2 / 4
        own, far = (height, Fraction(1)) if z >= 0 else (Fraction(1), height)
        return level(z) * (own * (2 - beyond) + far * beyond)

    for plus, minus in itertools.product(lattice(-2, 0, 1), lattice(0, 2, 1)):
        up, down = [plus, plus - 1], [minus]
        norms = [sum((integral(z) for z in part), Fraction(0)) / len(part) for part in (up, down)]
        for x in lattice(-2, 2, 10):
            sums = [sum((kernel(x, z) for z in part), Fraction(0)) for part in (up, down)]
            density = sums[0] / norms[0] - sums[1] / norms[1]
            yield Certificate(
                _sign(sums[0] - sums[1]), _sign(density),
                [("S+", ", ".join(map(str, up))), ("S-", ", ".join(map(str, down))), ("x", x),
                 ("3 times the mean's score", sums[0] - sums[1]),
                 ("integrals of the class averages", f"{norms[0]}, {norms[1]}"),
                 ("3 times the difference of the densities", density)],
            )


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)


def density_gap() -> tuple[float, float]:
    r"""Least $\|f_\omega-f\|_\infty$ over the unit ball, $f=(1,-1)$ on two points 10 apart.

    By convexity and symmetry the best approximation is $(c,-c)$, of norm
    $c\sqrt{2/(1-e^{-50})}\le1$ for the Gaussian kernel of bandwidth 1.
    """
    return 1 - math.sqrt((1 - math.exp(-50)) / 2), 1e-15


def multiple_kernels(which: str) -> Iterator[Certificate]:
    r"""$\max(0,\sum_i\alpha_i\langle\omega_i,\Phi_i\rangle)^2$ against $\max_i\|\Phi_i\|^2$."""
    weights = [Fraction(k, 4) for k in range(5)]
    for first, second in zip(SAMPLES, reversed(SAMPLES), strict=True):
        means = (_mean(first), _mean(second))
        squares = [_dot(m, m) for m in means]
        limit = max(squares) if which == "max" else min(squares)
        for alpha, one, two in itertools.product(weights, CIRCLE[::4], CIRCLE[1::4]):
            value = alpha * _dot(one, means[0]) + (1 - alpha) * _dot(two, means[1])
            yield Certificate(
                max(Fraction(0), value) ** 2, limit,
                [("means", _show(means)), ("weights", f"{alpha}, {1 - alpha}"),
                 ("omegas", _show((one, two)))],
            )
