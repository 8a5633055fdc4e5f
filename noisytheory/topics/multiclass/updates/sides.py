"""Instances of Sections 3.2 and 3.3, worked in fractions: means of update vectors."""

from __future__ import annotations

import functools
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
    unit,
    vectors,
)
from noisytheory.topics.multiclass.instances import Instance, random_instances, taught_instances
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


@functools.cache
def _two(number: int) -> list[tuple[Fraction, Matrix]]:
    """Samples of two examples of one of the random instances: several claims enumerate them."""
    return list(samples(random_instances(4)[number], 2))


def transposed(matrix: Matrix) -> Matrix:
    """Rows as columns."""
    return [list(row) for row in zip(*matrix, strict=True)]


def _mixed(matrix: Matrix, rows: Matrix) -> Matrix:
    return [
        [sum((c * row[j] for c, row in zip(line, rows, strict=True)), ZERO)
         for j in range(len(rows[0]))] for line in matrix
    ]


def expected(what: str, read: str) -> Iterator[Certificate]:
    """Coordinates of the expected sums (or update vectors) over all samples of two examples."""
    for number, at in enumerate(random_instances(4)):
        if len(at.points) * at.classes > 16:
            continue
        used = transposed(at.confusion) if read == "transposed" else at.confusion
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
                for chance, masses in _two(number):
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


def mean_and_mass(at: Instance, inside: list[bool], true: int) -> tuple[Vector, Fraction]:
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
                mean, mass = mean_and_mass(at, inside, q)
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
                mean, mass = mean_and_mass(at, inside, q)
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
                mean, mass = mean_and_mass(at, inside, q)
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
                mean, mass = mean_and_mass(at, inside, q)
                if q == p or not mass:
                    continue
                true, other = (q, p) if reading == "true q" else (p, q)
                gap = dot(taught.teacher[other], mean) - dot(taught.teacher[true], mean)
                yield Certificate(gap, 0, [("mean", mean)])


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
