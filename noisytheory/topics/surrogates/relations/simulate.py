r"""Samples of unit vectors with rational coordinates: what the mean classifier is elsewhere.

Atoms are signed features $y\phi(x)$ on the unit circle; lengths are compared by their squares.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from noisytheory.topics.surrogates.instances import (
    BALL,
    CIRCLE,
    HERDED,
    LARGER,
    PLANE,
    RATIONAL,
    SAMPLES,
    UNEVEN,
    Vector,
    combined,
    dot,
    length,
    mean_of,
    show,
    steps_of,
    times,
)
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.exact import compositions, lattice, simplex
from noisytheory.vocabulary.kernels import Gaussian

__all__ = [
    "beyond_the_threshold",
    "completed_square",
    "density_gap",
    "expected_square",
    "hinge_on_ball",
    "kernel_density",
    "least_linear_risk",
    "mean_as_svm",
    "mean_on_ball",
    "multiple_kernels",
    "other_minimisers",
    "self_similarity",
    "svm_direction",
]

TRIED = [*SAMPLES, *LARGER]
_NONE = Fraction(0)


def _hinge(
    sample: Sequence[Vector], penalty: Fraction = _NONE
) -> Callable[[Vector], Fraction]:
    r"""The hinge risk of a classifier, in whole numbers over one denominator.

    With a penalty, that times $\frac12\|\omega\|^2$ is added.
    """
    points, low = _whole(itertools.chain(*sample))
    atoms = list(zip(*[iter(points)] * len(sample[0]), strict=True))
    price, over = penalty.numerator * low * len(atoms), 2 * penalty.denominator

    def risk(omega: Vector) -> Fraction:
        weights, own = _whole(omega)
        one = low * own
        gaps = [one - sum(map(operator.mul, weights, atom)) for atom in atoms]
        lost = sum([gap for gap in gaps if gap > 0])
        if not price:
            return Fraction(lost, one * len(atoms))
        paid = price * sum(map(operator.mul, weights, weights))
        return Fraction(paid + over * own * lost, over * own * one * len(atoms))

    return risk


def _whole(values: Iterable[Fraction]) -> tuple[list[int], int]:
    """Whole numbers, and the denominator that all have."""
    ratios = [value.as_integer_ratio() for value in values]
    low = math.lcm(*[under for _, under in ratios])
    return [over * (low // under) for over, under in ratios], low


def least_linear_risk(radius: int) -> Iterator[Certificate]:
    r"""$\max(0,\langle\omega,\Phi\rangle)^2$, $\|\omega\|\le$ ``radius``, against $\|\Phi\|^2$."""
    for sample in TRIED:
        mean = mean_of(sample)
        if any(mean):
            square, steps = dot(mean, mean), steps_of(sample, mean)
            for omega in (*BALL, mean):
                omega = times(Fraction(radius), omega)
                yield Certificate(
                    max(Fraction(0), dot(omega, mean)) ** 2, square,
                    [*steps, ("omega", show([omega]))],
                )


def other_minimisers(samples: str, radius: int) -> Iterator[Certificate]:
    r"""How many $\omega$ have $\langle\omega,\Phi\rangle\ge\|\Phi\|$, against one: the unit mean.

    Parameters
    ----------
    samples : {"any", "nonzero"}
        Whether the mean may be 0.
    radius : int
        Of the ball; 1 where the claim holds.
    """
    cancelling = [((Fraction(1), Fraction(0)), (Fraction(-1), Fraction(0)))]
    for sample in (*TRIED, *(cancelling if samples == "any" else [])):
        mean = mean_of(sample)
        if samples == "nonzero" and not any(mean):
            continue
        found = []
        for omega in BALL:
            other = times(Fraction(radius), omega)
            inner, crossed = dot(other, mean), other[0] * mean[1] != other[1] * mean[0]
            if (crossed or not any(mean)) and inner >= 0 and inner**2 >= dot(mean, mean):
                found.append(other)
        yield Certificate(
            len(found) + any(mean), 1,
            [("signed features", show(sample)), ("mean", show([mean])),
             ("squared length of the mean", dot(mean, mean)),
             ("others as good as the unit mean", show(found[:3]) or "none")],
        )


def self_similarity(signs: str) -> Iterator[Certificate]:
    r"""$\|\omega_S\|^2$ from coordinates, against $n^{-2}\sum_{ij}y_iy_jK(x_i,x_j)$."""
    for sample in TRIED:
        n = len(sample)
        every = itertools.product((1, -1), repeat=n)
        for labels in itertools.islice(every, 0, None, 1 if n == 3 else 2**n // 8 + 1):
            signed = [times(Fraction(y), x) for y, x in zip(labels, sample, strict=True)]
            mean = mean_of(signed)
            pairs = itertools.product(zip(labels, sample, strict=True), repeat=2)
            total = sum(
                ((y * z if signs == "signed" else 1) * dot(a, b) for (y, a), (z, b) in pairs),
                Fraction(0),
            )
            yield Certificate(
                dot(mean, mean), total / n**2, [("x", show(sample)), ("y", labels)]
            )


def expected_square(correction: str) -> Iterator[Certificate]:
    r"""$E\|\omega_S\|^2$ over all samples, against $\|\omega_P\|^2+(1-\|\omega_P\|^2)/n$."""
    for atoms in (CIRCLE[:3], CIRCLE[2:5], CIRCLE[::5]):
        for masses in simplex(3, 3):
            mean = combined(masses, atoms)
            square = dot(mean, mean)
            for n in (1, 2, 3):
                total = Fraction(0)
                for draw in itertools.product(range(3), repeat=n):
                    sample = mean_of([atoms[i] for i in draw])
                    total += math.prod((masses[i] for i in draw), start=Fraction(1)) * dot(
                        sample, sample
                    )
                extra = (1 - square) / n if correction == "whole" else Fraction(0)
                yield Certificate(
                    total, square + extra,
                    [("atoms", show(atoms)), ("masses", ", ".join(map(str, masses))), ("n", n)],
                )


def hinge_on_ball(radius: int) -> Iterator[Certificate]:
    """Hinge risk against linear risk, for every classifier of a ball."""
    for sample in TRIED:
        mean = mean_of(sample)
        steps, hinge = steps_of(sample, mean), _hinge(sample)
        for omega in BALL:
            omega = times(Fraction(radius), omega)
            yield Certificate(
                hinge(omega), 1 - dot(omega, mean), [*steps, ("omega", show([omega]))]
            )


def mean_as_svm(share: str, of: str) -> Iterator[Certificate]:
    r"""Penalised hinge risk of $\Phi/\lambda$ against that of others, $\lambda\ge\max_if_i$.

    Parameters
    ----------
    share : str
        $\lambda$ as a multiple of $\max_if_i$: at least 1 where the claim holds.
    """
    for sample in TRIED:
        mean = mean_of(sample)
        largest = max(dot(mean, a) for a in sample)
        if largest <= 0:
            continue
        penalty = largest * Fraction(share) * Fraction(of)
        own = times(1 / penalty, mean)
        penalised, steps = _hinge(sample, penalty), steps_of(sample, mean)
        risk = penalised(own)
        for omega in (*PLANE, *(times(Fraction(k, 8), own) for k in range(4, 8))):
            yield Certificate(
                risk, penalised(omega),
                [*steps, ("omega", show([omega])), ("lambda", penalty)],
            )


def mean_on_ball(share: str, of: str) -> Iterator[Certificate]:
    r"""Hinge risk of $t\Phi$, $t=$ ``share`` times ``of`` $/\max_if_i$, against a ball as wide."""
    for sample in (*TRIED, HERDED):
        mean = mean_of(sample)
        largest = max(dot(mean, a) for a in sample)
        if largest <= 0:
            continue
        own = times(Fraction(share) * Fraction(of) / largest, mean)
        hinge, square, steps = _hinge(sample), dot(own, own), steps_of(sample, mean)
        risk = hinge(own)
        for omega in PLANE:
            if dot(omega, omega) <= square:
                yield Certificate(
                    risk, hinge(omega), [*steps, ("omega", show([omega]))]
                )


def beyond_the_threshold(share: str, of: str) -> Iterator[Certificate]:
    r"""Whether no direction near the mean's has less hinge risk at its length, against 0.

    The length is ``share`` times $r^*$. The mean is turned towards where its risk falls, and
    shortened to its length at most.

    Parameters
    ----------
    share : str
        Above 1 where the claim holds.
    """
    for sample in (*TRIED, *_in_space()):
        n = len(sample)
        mean = mean_of(sample)
        products = [dot(mean, a) for a in sample]
        if max(products) <= 0:
            continue
        scale = Fraction(share) * Fraction(of) / max(products)
        own = times(scale, mean)
        square = dot(mean, mean)
        downhill = combined([Fraction(scale * f < 1, n) for f in products], sample)
        turn = combined([Fraction(1), -dot(downhill, mean) / square], [downhill, mean])
        hinge, best = _hinge(sample), None
        risk = hinge(own)
        for step in (Fraction(1, 4**power) for power in range(6)):
            # 1 / (1 + q / 2) is at most 1 / sqrt(1 + q): no longer than the mean's multiple.
            shorter = 1 / (1 + step**2 * dot(turn, turn) / (2 * scale**2 * square))
            other = hinge(combined([shorter, shorter * step], [own, turn]))
            best = other if best is None else min(best, other)
        yield Certificate(
            int(best is None or best >= risk), 0,
            [("points", n), ("mean", ", ".join(map(str, mean))),
             ("r* is this multiple of the mean", 1 / max(products)), ("multiple taken", scale),
             ("points beyond margin 1", sum(scale * f >= 1 for f in products)),
             ("hinge risk of the mean", risk), ("least risk of the turned ones", best)],
            any(turn) or scale * max(products) <= 1,
        )


def _in_space() -> Iterator[Sequence[Vector]]:
    """Forty points each of spheres in three, four and five dimensions, two samples of each."""
    for dimension, radius in ((3, 9), (4, 5), (5, 4)):
        sites = [
            tuple(Fraction(x, radius) for x in point)
            for point in itertools.product(range(-radius, radius + 1), repeat=dimension)
            if sum(x * x for x in point) == radius**2
            and sum((i + 1) * x for i, x in enumerate(point)) > -radius
        ]
        for first in range(2):
            yield sites[first :: max(1, len(sites) // 40)][:40]


def svm_direction(share: str, of: str) -> Iterator[Certificate]:
    r"""The best penalised hinge risk along the mean, against any direction.

    Parameters
    ----------
    share : str
        $\lambda$ as a multiple of $\max_if_i$.
    """
    fine = list(itertools.product(lattice(0, 3, 10), lattice(-1, 1, 10)))
    for sample in (HERDED, *TRIED):
        mean = mean_of(sample)
        products = [dot(mean, a) for a in sample]
        if max(products) <= 0:
            continue
        penalty = Fraction(share) * Fraction(of) * max(products)
        penalised = _hinge(sample, penalty)
        best = min(map(penalised, _lengths_along(mean, products, penalty)))
        steps = [*steps_of(sample, mean), ("lambda", penalty), ("lambda*", max(products)),
                 ("least along the mean", best)]
        for omega in fine if sample is HERDED else PLANE:
            yield Certificate(
                best, penalised(omega), [*steps, ("omega", show([omega]))]
            )


def _lengths_along(
    mean: Vector, products: Sequence[Fraction], penalty: Fraction
) -> list[Vector]:
    """Between kinks the risk is a parabola in the length: its vertex, if it is there, or an end."""
    lengths = [Fraction(0), *sorted(1 / f for f in products if f > 0)]
    for left in lengths:
        slope = sum((f for f in products if left * f < 1), Fraction(0)) / len(products)
        lengths = [*lengths, max(left, slope / (penalty * dot(mean, mean)))]
    return [times(t, mean) for t in lengths]


def completed_square(constant: str) -> Iterator[Certificate]:
    r"""$\frac12\|\omega\|^2-\langle\omega,\omega_S\rangle$ against the herding objective."""
    for sample in TRIED:
        mean = mean_of(sample)
        rest = dot(mean, mean) / 2 if constant == "kept" else Fraction(0)
        steps = steps_of(sample, mean)
        for omega in PLANE:
            gap = (omega[0] - mean[0], omega[1] - mean[1])
            yield Certificate(
                dot(omega, omega) / 2 - dot(omega, mean), dot(gap, gap) / 2 - rest,
                [*steps, ("omega", show([omega]))],
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


def density_gap(points: int) -> tuple[float, float]:
    r"""Least $\|f_\omega-f\|_\infty$ over the unit ball, $f=\pm1$ in turn on points 10 apart.

    Gaussian kernel of bandwidth 1. Below, by any weights $\mu$ of absolute sum 1, stands
    $\langle\mu,f\rangle-\|\sum_i\mu_i\phi(x_i)\|$; above, what the unit vector along that sum
    reaches. The weights are the best of a lattice of twelfths.

    Parameters
    ----------
    points : int
        How many, at least 2.

    Returns
    -------
    middle, error : float
        Half the sum and half the difference of the two.
    """
    gram = np.asarray(Gaussian(1.0)(10.0 * np.arange(points)[:, None]), float)
    target = (-1.0) ** np.arange(points)
    weights = compositions(12, points) / 12 * target
    norms = np.sqrt(np.einsum("ri,ij,rj->r", weights, gram, weights))
    below = weights @ target - norms
    best = int(below.argmax())
    reached = gram @ weights[best] / norms[best]
    above = float(np.abs(reached - target).max())
    return (above + below[best]) / 2, (above - below[best]) / 2 + 1e-15


def multiple_kernels(which: str) -> Iterator[Certificate]:
    r"""The least linear risk found over mixtures of two balls, against $1-\max_i\|\Phi_i\|$.

    Samples are those whose mean has a rational norm; the classifiers tried are every mixture in
    quarters of unit vectors of either ball, the unit means among them.

    Parameters
    ----------
    which : {"max", "min"}
        Which of the kernels is taken, by its self-similarity.
    """
    for first, second in itertools.combinations_with_replacement([*RATIONAL, *UNEVEN], 2):
        means = (mean_of(first), mean_of(second))
        lengths = [length(m) for m in means]
        scores = [
            [dot(omega, m) for omega in (*CIRCLE[::2], times(1 / size, m))]
            for m, size in zip(means, lengths, strict=True)
        ]
        # Scores in whole numbers over one denominator, the share in quarters.
        whole, low = _whole(itertools.chain(*scores))
        ends = len(scores[0])
        best, quarters, u, v = min(
            (4 * low - k * u - (4 - k) * v, k, u, v)
            for k, u, v in itertools.product(range(5), whole[:ends], whole[ends:])
        )
        risk, share = Fraction(best, 4 * low), Fraction(quarters, 4)
        one, two = Fraction(u, low), Fraction(v, low)
        yield Certificate(
            risk, 1 - (max(lengths) if which == "max" else min(lengths)),
            [("means", show(means)), ("their norms", f"{lengths[0]}, {lengths[1]}"),
             ("best share of the first kernel", share), ("scores of the mean", f"{one}, {two}")],
        )
