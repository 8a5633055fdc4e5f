"""Instances of Sections 3.2 to 3.5 and of the appendix, worked in fractions: update vectors."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from fractions import Fraction

from noisytheory.topics.multiclass.exactly import (
    Matrix,
    Vector,
    dot,
    inverse,
    means,
    regions,
    run,
    squared,
    unit,
    vectors,
)
from noisytheory.topics.multiclass.instances import (
    FIVE,
    Instance,
    random_instances,
    taught_instances,
)
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.exact import compositions

ZERO, ONE = Fraction(0), Fraction(1)


def samples(at: Instance, n: int) -> Iterator[tuple[Fraction, Matrix]]:
    """Every sample of n examples with its probability, as masses of (atom, label)."""
    joint = at.joint
    cells = [
        (a, k) for a in range(len(joint)) for k in range(at.classes) if joint[a][k]
    ]
    for counts in compositions(n, len(cells))[::-1].tolist():
        chance = Fraction(math.factorial(n))
        masses = [[ZERO] * at.classes for _ in joint]
        for (a, k), times in zip(cells, counts, strict=True):
            chance *= joint[a][k] ** times / math.factorial(times)
            masses[a][k] = Fraction(times, n)
        yield chance, masses


def _transposed(matrix: Matrix) -> Matrix:
    return [list(row) for row in zip(*matrix, strict=True)]


def _mixed(matrix: Matrix, rows: Matrix) -> Matrix:
    return [
        [sum((c * row[j] for c, row in zip(line, rows, strict=True)), ZERO)
         for j in range(len(rows[0]))] for line in matrix
    ]


def expected(what: str, read: str) -> Iterator[Certificate]:
    """Coordinates of the expected sums (or update vectors) over all samples of two examples."""
    for at in random_instances(4):
        if len(at.points) * at.classes > 16:
            continue
        used = _transposed(at.confusion) if read == "transposed" else at.confusion
        try:
            back = unit(at.classes) if what == "sums" else inverse(used)
        except ZeroDivisionError:
            continue
        for alpha in (ZERO, ONE / 4):
            for inside in regions(at.points, at.weights, alpha):
                true = [
                    means(at.points, at.masses, at.labels, inside, q) for q in range(at.classes)
                ]
                mean = [[ZERO] * len(at.points[0]) for _ in range(at.classes)]
                for chance, masses in samples(at, 2):
                    found = vectors(at.points, masses, back, inside)
                    mean = [
                        [a + chance * b for a, b in zip(x, y, strict=True)]
                        for x, y in zip(mean, found, strict=True)
                    ]
                right = true
                if what == "sums":
                    # As printed in the proof of Proposition 2 each row has its own mean throughout.
                    right = (
                        [[sum(line, ZERO) * v for v in row]
                         for line, row in zip(at.confusion, true, strict=True)]
                        if read == "own row" else _mixed(used, true)
                    )
                for a, b in zip(itertools.chain(*mean), itertools.chain(*right), strict=True):
                    yield Certificate(a, b)


PAIR = Instance.of(
    [[ONE, ZERO], [Fraction(3, 5), Fraction(4, 5)]], [ONE / 2, ONE / 2], [0, 1],
    [[3 * ONE / 4, ONE / 4], [ONE / 4, 3 * ONE / 4]], [[ZERO, ZERO], [ZERO, ZERO]],
)


def _bias(at: Instance, weights: Matrix, masses: Matrix) -> Fraction:
    """Sum over pairs of the deviation of z along the difference of weights."""
    back, total = inverse(at.confusion), ZERO
    for p, inside in enumerate(regions(at.points, weights, shared=False)):
        found = vectors(at.points, masses, back, inside)
        for q in range(at.classes):
            if q != p:
                mean = means(at.points, at.masses, at.labels, inside, q)
                gap = [a - b for a, b in zip(found[q], mean, strict=True)]
                along = [a - b for a, b in zip(weights[p], weights[q], strict=True)]
                total += dot(along, gap)
    return total


def adaptive(sample: str, n: int) -> Iterator[Certificate]:
    """Expected deviation along the weights that a sample of n taught, on it or on another."""
    for at in (PAIR,):
        drawn = list(samples(at, int(n)))
        taught = [
            (chance, run(at.points, masses, at.confusion, max_iter=2).weights, masses)
            for chance, masses in drawn
        ]
        if sample == "same":
            bias = sum((chance * _bias(at, w, masses) for chance, w, masses in taught), ZERO)
        else:
            bias = sum((
                chance * other * _bias(at, w, masses)
                for chance, w, _ in taught for other, masses in drawn
            ), ZERO)
        yield Certificate(bias, 0, [("samples", len(drawn))])


def _seen(at: Instance, inside: list[bool], true: int) -> tuple[Vector, Fraction]:
    """Sum of mass times point, and mass, of a true class within a region."""
    mass = sum((
        m for m, within, label in zip(at.masses, inside, at.labels, strict=True)
        if within and label == true
    ), ZERO)
    return means(at.points, at.masses, at.labels, inside, true), mass


def true_margins(share: str) -> Iterator[Certificate]:
    """The margin times a mass, against the least margin of an update mean under the teacher."""
    for taught in taught_instances(30):
        at = taught.at
        for inside in regions(at.points, at.weights):
            whole = sum((m for m, i in zip(at.masses, inside, strict=True) if i), ZERO)
            for q in range(at.classes):
                mean, mass = _seen(at, inside, q)
                least = min(
                    dot(taught.teacher[q], mean) - dot(w, mean)
                    for k, w in enumerate(taught.teacher) if k != q
                )
                by = {"mass": mass, "one": ONE, "region": whole}[share]
                yield Certificate(
                    taught.gap * by, least, [("mass", mass), ("mean", mean)],
                    applies=share != "region" or mass > 0,
                )


def predicted_margins(share: str, alpha: str) -> Iterator[Certificate]:
    """alpha times a mass, against the least lead of the predicted class on an update mean."""
    for at in random_instances(40):
        for p, inside in enumerate(regions(at.points, at.weights, Fraction(alpha))):
            for q in range(at.classes):
                if q == p:
                    continue
                mean, mass = _seen(at, inside, q)
                least = min(
                    dot(at.weights[p], mean) - dot(w, mean)
                    for k, w in enumerate(at.weights) if k != p
                )
                by = mass if share == "mass" else ONE
                yield Certificate(Fraction(alpha) * by, least, [("mass", mass), ("mean", mean)])


def class_of_mean(which: str, alpha: str, massless: str) -> Iterator[Certificate]:
    """Update means that the teacher (or the current weights) give to another class."""
    for taught in taught_instances(30):
        at = taught.at
        for p, inside in enumerate(regions(at.points, at.weights, Fraction(alpha))):
            for q in range(at.classes):
                if q == p:
                    continue
                mean, mass = _seen(at, inside, q)
                weights, wanted = (taught.teacher, q) if which == "teacher" else (at.weights, p)
                scores = [dot(w, mean) for w in weights]
                yield Certificate(
                    int(scores.index(max(scores)) != wanted), 0, [("mass", mass), ("mean", mean)],
                    applies=massless == "allowed" or mass > 0,
                )


def wronged(reading: str) -> Iterator[Certificate]:
    """Update means that the teacher gives to the predicted class, or to the true one."""
    for taught in taught_instances(30):
        at = taught.at
        for p, inside in enumerate(regions(at.points, at.weights)):
            for q in range(at.classes):
                mean, mass = _seen(at, inside, q)
                if q == p or not mass:
                    continue
                true, other = (q, p) if reading == "true q" else (p, q)
                gap = dot(taught.teacher[other], mean) - dot(taught.teacher[true], mean)
                yield Certificate(gap, 0, [("mean", mean)])


def sandwich(side: str) -> Iterator[Certificate]:
    """Squared norms of update means between multiples of the squared mass."""
    for taught in taught_instances(30):
        at = taught.at
        radius = max(map(squared, at.points))
        for inside in regions(at.points, at.weights):
            for q in range(at.classes):
                mean, mass = _seen(at, inside, q)
                square, low = squared(mean), taught.gap**2 / taught.norm * mass**2
                if side == "above":
                    yield Certificate(square, mass**2 * radius, [("mass", mass)])
                elif side == "above, halved":
                    yield Certificate(square, mass**2 * radius / 2, [("mass", mass)])
                else:
                    yield Certificate(
                        low / (2 if side == "below" else 1), square, [("mass", mass)]
                    )


def by_norm() -> Iterator[Certificate]:
    """Mass of the largest error, less that of the pair with the longest update mean."""
    c, s = Fraction(7, 25), Fraction(24, 25)
    masses = [Fraction(m, 20) for m in (6, 5, 5, 4)]
    points = [[-ONE, ZERO, ZERO], [c, s, ZERO], [c, -s, ZERO], [ZERO, ZERO, ONE]]
    labels = [0, 1, 1, 2]
    inside = [True] * 4
    norms = {q: squared(means(points, masses, labels, inside, q)) for q in (1, 2)}
    wrong = {
        q: sum((m for m, t in zip(masses, labels, strict=True) if t == q), ZERO) for q in (1, 2)
    }
    longest = max(norms, key=lambda q: norms[q])
    yield Certificate(
        max(wrong.values()) - wrong[longest], 0,
        [("squared norms", list(norms.values())), ("masses", list(wrong.values()))],
    )


def shares(orientation: str) -> Iterator[Certificate]:
    """Expected class shares over all samples of two examples, against the true ones."""
    for at in random_instances(10):
        used = at.confusion if orientation == "column" else _transposed(at.confusion)
        try:
            back = inverse(used)
        except ZeroDivisionError:
            continue
        found = [ZERO] * at.classes
        for chance, masses in samples(at, 2):
            seen = [sum(column, ZERO) for column in zip(*masses, strict=True)]
            found = [f + chance * dot(row, seen) for f, row in zip(found, back, strict=True)]
        for q in range(at.classes):
            true = sum((m for m, t in zip(at.masses, at.labels, strict=True) if t == q), ZERO)
            yield Certificate(found[q], true)


def negative_shares() -> Iterator[Certificate]:
    """Minus the least estimated share over all samples of two examples."""
    back = inverse(FIVE.confusion)
    for _, masses in samples(FIVE, 2):
        seen = [sum(column, ZERO) for column in zip(*masses, strict=True)]
        yield Certificate(-min(dot(row, seen) for row in back), 0, [("label shares", seen)])


def growing_region(added: str) -> Iterator[Certificate]:
    """Squared relative spread of an update vector in a larger region, against a smaller one."""
    flip, first = Fraction(3, 10), Fraction(1, 10)
    spread = []
    for region in (Fraction(r, 10) for r in (1, 2, 4, 7, 10)):
        mass = first if added == "correct points" else region
        # One atom: mass of class 1 predicted 0, the rest of the region of class 0.
        row = [-flip / (1 - 2 * flip), (1 - flip) / (1 - 2 * flip)]
        seen = mass * (flip * row[0] ** 2 + (1 - flip) * row[1] ** 2)
        seen += (region - mass) * ((1 - flip) * row[0] ** 2 + flip * row[1] ** 2)
        spread.append((seen - mass**2) / mass**2)
    for small, large in itertools.pairwise(spread):
        yield Certificate(large, small, [("relative variance times n", large)])


def shattered(classes: int, dimension: int) -> Iterator[Certificate]:
    """Points of a circle at a height, all of whose subsets some region is: in three dimensions."""
    corners = [(1, 0), (4, 3), (3, 4), (0, 1), (-3, 4), (-4, 3), (-1, 0), (0, -1)][: classes - 2]
    circle = []
    for a, b in corners:
        size = Fraction(math.isqrt(a * a + b * b))
        circle.append([Fraction(4, 5) * a / size, Fraction(4, 5) * b / size, Fraction(3, 5)])
    realised = 0
    for subset in itertools.product((False, True), repeat=len(circle)):
        # Class 0 is p; class k + 2 cuts off point k alone, or nothing.
        weights: Matrix = [[ZERO, ZERO, ZERO], [ZERO, ZERO, -ONE]]
        for x, kept in zip(circle, subset, strict=True):
            if kept:
                weights.append([ZERO, ZERO, -ONE])
            else:
                others = max(x[0] * y[0] + x[1] * y[1] for y in circle if y is not x)
                own = x[0] ** 2 + x[1] ** 2
                weights.append([x[0], x[1], -(others + own) / 2 / Fraction(3, 5)])
        # Region 0: the product with its own weights, which are 0, is at least all others.
        inside = tuple(all(dot(w, x) <= 0 for w in weights[1:]) for x in circle)
        realised += inside == subset
    count = len(circle) if realised == 2 ** len(circle) else 0
    yield Certificate(count, dimension + 1, [("subsets", realised)])


def unobservable(noise: str) -> Iterator[Certificate]:
    """Coordinates of the mean of truly labelled points, against those of an update vector."""
    rng = random.Random(18)
    for at in random_instances(15):
        matrix = at.confusion
        if noise == "none":
            matrix = unit(at.classes)
        n = 6
        masses = [[ZERO] * at.classes for _ in at.points]
        truly: list[Fraction] = [ZERO] * len(at.points)
        for _ in range(n):
            a = rng.randrange(len(at.points))
            law = [float(row[at.labels[a]]) for row in matrix]
            masses[a][rng.choices(range(at.classes), law)[0]] += Fraction(1, n)
            truly[a] += Fraction(1, n)
        back = inverse(matrix)
        for inside in regions(at.points, at.weights):
            found = vectors(at.points, masses, back, inside)
            for q in range(at.classes):
                mean = means(at.points, truly, at.labels, inside, q)
                for a_, b_ in zip(mean, found[q], strict=True):
                    yield Certificate(a_, b_)


def losses(most: str) -> Iterator[Certificate]:
    """Values 2 - <w_q - w_p, x> of the appendix's loss for weights and points in the unit ball."""
    corners: list[Vector] = [[ONE, ZERO], [-ONE, ZERO], [Fraction(3, 5), Fraction(4, 5)]]
    for first, second, x in itertools.product(corners, repeat=3):
        yield Certificate(2 - (dot(first, x) - dot(second, x)), Fraction(most))


def swaps(m: int, epsilon: float, constant: int) -> Iterator[Certificate]:
    """Exact chance that swaps of losses 0 and 4 move the mean by epsilon/4 or more."""
    # (1/m) |sum of m signs times 4| >= epsilon/4.
    m = int(m)
    least = math.ceil(Fraction(epsilon) * m / 16)
    chance = sum(math.comb(m, k) for k in range(m + 1) if abs(2 * k - m) >= least)
    bound, rounding = Fraction(2 * math.exp(-m * epsilon**2 / constant)), Fraction(1, 10**12)
    yield Certificate(
        Fraction(chance, 2**m), (bound * (1 - rounding), bound * (1 + rounding)),
        [("m", m), ("epsilon", Fraction(epsilon))],
    )
