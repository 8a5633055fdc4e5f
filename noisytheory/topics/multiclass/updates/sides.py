"""Instances of Sections 3.2 and 3.3, worked in fractions: means of update vectors."""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from noisytheory.topics.multiclass.exactly import (
    Matrix,
    dot,
    means,
    regions,
    unit,
)
from noisytheory.topics.multiclass.instances import Instance, random_instances, taught_instances
from noisytheory.topics.multiclass.uma import uma, update_vectors
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.confusion import inverse_of
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
            if times:
                chance *= joint[a][k] ** times / math.factorial(times)
                masses[a][k] = Fraction(times, n)
        yield chance, masses


SMALL = tuple(random_instances(14)[number] for number in (7, 13))
"""Three classes, uneven masses, tied scores; few enough samples to enumerate them all."""


@functools.cache
def _two(number: int) -> list[tuple[Fraction, Matrix]]:
    """Samples of two examples of one of these instances: several claims enumerate them."""
    return list(samples(SMALL[number], 2))


@functools.cache
def _averaged(number: int, alpha: Fraction, what: str) -> Any:
    """Expected sums by label, or update vectors, over all samples of two examples."""
    at = SMALL[number]
    used = unit(at.classes) if what == "sums" else at.confusion
    return sum(
        chance * update_vectors(at.points, masses, at.weights, used, alpha=alpha)
        for chance, masses in _two(number)
    )


def expected(what: str, read: str) -> Iterator[Certificate]:
    """Coordinates of the expected sums (or update vectors) over all samples of two examples."""
    for number, at in enumerate(SMALL):
        matrix = np.array(at.confusion)
        for alpha in (ZERO, ONE / 4):
            if read == "transposed" and what == "vectors":
                # No confusion matrix that the public function would take.
                try:
                    mean = inverse_of(matrix.T) @ _averaged(number, alpha, "sums")
                except ValueError:
                    continue
            else:
                mean = _averaged(number, alpha, what)
            for p, inside in enumerate(regions(at.points, at.weights, alpha)):
                right = np.array([
                    means(at.points, at.masses, at.labels, inside, q) for q in range(at.classes)
                ])
                if what == "sums":
                    # As printed in the proof of Proposition 2 each row has its own mean throughout.
                    right = (
                        matrix.sum(axis=1)[:, None] * right if read == "own row"
                        else (matrix.T if read == "transposed" else matrix) @ right
                    )
                for a, b in zip(mean[p].ravel(), right.ravel(), strict=True):
                    yield Certificate(a, b)


PAIR = Instance.of(
    [[ONE, ZERO], [Fraction(3, 5), Fraction(4, 5)]], [ONE / 2, ONE / 2], [0, 1],
    [[3 * ONE / 4, ONE / 4], [ONE / 4, 3 * ONE / 4]], [[ZERO, ZERO], [ZERO, ZERO]],
)


def _bias(at: Instance, weights: Matrix, masses: Matrix) -> Fraction:
    """Sum over pairs of the deviation of z along the difference of weights."""
    found = update_vectors(at.points, masses, weights, at.confusion, ties="lowest")
    total = ZERO
    for p, inside in enumerate(regions(at.points, weights, shared=False)):
        for q in range(at.classes):
            if q != p:
                mean = means(at.points, at.masses, at.labels, inside, q)
                along = [a - b for a, b in zip(weights[p], weights[q], strict=True)]
                total += dot(along, found[p, q] - mean)
    return total


def adaptive(sample: str, n: int) -> Iterator[Certificate]:
    """Expected deviation along the weights that a sample of n taught, on it or on another."""
    for at in (PAIR,):
        drawn = list(samples(at, int(n)))
        taught = []
        for chance, masses in drawn:
            run = uma(at.points, masses, at.confusion, orientation="column", tolerance=0,
                      max_iter=2)
            taught.append((chance, run.weights + ZERO, masses))
        if sample == "same":
            bias = sum((chance * _bias(at, w, masses) for chance, w, masses in taught), ZERO)
        else:
            bias = sum((
                chance * other * _bias(at, w, masses)
                for chance, w, _ in taught for other, masses in drawn
            ), ZERO)
        yield Certificate(bias, 0, [("samples", len(drawn))])


@functools.cache
def region_means(at: Instance, alpha: Fraction = ZERO) -> list[tuple[list[bool], Any]]:
    """Regions, and for each true class the population's update vector, its mean, and its mass."""
    found = update_vectors(at.points, at.joint, at.weights, at.confusion, alpha=alpha)
    out = []
    for p, inside in enumerate(regions(at.points, at.weights, alpha)):
        mass = [ZERO] * at.classes
        for m, within, label in zip(at.masses, inside, at.labels, strict=True):
            mass[label] += m * within
        out.append((inside, [(list(z), m) for z, m in zip(found[p], mass, strict=True)]))
    return out


def true_margins(share: str) -> Iterator[Certificate]:
    """The margin times a mass, against the least margin of an update mean under the teacher."""
    for taught in taught_instances(30):
        at = taught.at
        for _, of_class in region_means(at):
            whole = sum((mass for _, mass in of_class), ZERO)
            for q, (mean, mass) in enumerate(of_class):
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
    for at in random_instances(24):
        for p, (_, of_class) in enumerate(region_means(at, Fraction(alpha))):
            for q, (mean, mass) in enumerate(of_class):
                if q == p:
                    continue
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
        for p, (_, of_class) in enumerate(region_means(at, Fraction(alpha))):
            for q, (mean, mass) in enumerate(of_class):
                if q == p:
                    continue
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
        for p, (_, of_class) in enumerate(region_means(at)):
            for q, (mean, mass) in enumerate(of_class):
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
        found = update_vectors(at.points, masses, at.weights, matrix)
        for p, inside in enumerate(regions(at.points, at.weights)):
            for q in range(at.classes):
                mean = means(at.points, truly, at.labels, inside, q)
                for a_, b_ in zip(mean, found[p, q], strict=True):
                    yield Certificate(a_, b_)
