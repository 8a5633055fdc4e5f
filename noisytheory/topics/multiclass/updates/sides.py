"""Instances of Sections 3.2 and 3.3, worked in fractions: means of update vectors."""

from __future__ import annotations

import functools
import itertools
import math
import random
from collections.abc import Iterable, Iterator
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
from noisytheory.topics.multiclass.instances import (
    AS_PRINTED,
    Instance,
    columns_of,
    random_instances,
    taught_instances,
)
from noisytheory.topics.multiclass.uma import uma, update_vectors
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.confusion import inverted
from noisytheory.vocabulary.exact import compositions, over, whole

ZERO, ONE = Fraction(0), Fraction(1)


def samples(at: Instance, n: int) -> Iterator[tuple[Fraction, Matrix]]:
    """Every sample of n examples with its probability, as masses of (atom, label)."""
    joint, unit_of_joint = whole(at.joint)
    cells = list(zip(*np.nonzero(joint), strict=True))
    for counts in compositions(n, len(cells))[::-1].tolist():
        # In whole numbers: every division is exact, for a multinomial coefficient is left.
        ways = math.factorial(n)
        masses = [[ZERO] * at.classes for _ in joint]
        for (a, k), times in zip(cells, counts, strict=True):
            if times:
                ways = ways // math.factorial(times) * joint[a, k] ** times
                masses[a][k] = Fraction(times, n)
        yield Fraction(ways, unit_of_joint**n), masses


def averaged(
    at: Instance, drawn: Iterable[tuple[Fraction, Matrix]], confusion: Matrix, **options: Any
) -> Any:
    """The sum of update vectors by the public function, each times its sample's chance."""
    chances, masses = zip(*drawn, strict=True)
    found = [update_vectors(at.points, one, confusion, **options) for one in masses]
    (ways, per_way), (vectors, per_vector) = whole(chances), whole(found)
    return over(np.tensordot(ways, vectors, 1), per_way * per_vector)


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
    return averaged(at, _two(number), used, weights=at.weights, alpha=alpha, **AS_PRINTED)


def expected(what: str, read: str) -> Iterator[Certificate]:
    """Coordinates of the expected sums (or update vectors) over all samples of two examples."""
    for number, at in enumerate(SMALL):
        matrix = np.array(at.confusion)
        for alpha in (ZERO, ONE / 4):
            if read == "transposed" and what == "vectors":
                # No confusion matrix that the public function would take.
                try:
                    mean = inverted(matrix.T) @ _averaged(number, alpha, "sums")
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


@functools.cache
def _games() -> tuple[Instance, ...]:
    """Two or three random atoms of two classes: every sample of two or three can be taught."""
    rng, found = random.Random(35), []
    for atoms in (2, 2, 2, 3):
        parts = [rng.choice((1, 2, 5)) for _ in range(atoms)]
        found.append(Instance.of(
            [[Fraction(rng.randint(-4, 4), 4) for _ in range(2)] for _ in range(atoms)],
            [Fraction(part, sum(parts)) for part in parts],
            [*range(2), *(rng.randrange(2) for _ in range(atoms - 2))],
            columns_of(rng, 2), [[ZERO, ZERO]] * 2,
        ))
    return tuple(found)


CHOICES: tuple[dict[str, Any], ...] = (
    {"strategy": "error", "step": "predicted", "max_iter": 2},
    {"strategy": "confusion", "step": "uniform", "max_iter": 3},
    {"strategy": "random", "step": "forced", "max_iter": 1},
    {"strategy": "error", "step": "forced", "tolerance": ONE / 4, "max_iter": 6},
)
"""What a run makes of its sample: which pairs it takes, how it steps, and when it stops."""


@functools.cache
def _taught(game: int, choice: int, n: int) -> list[tuple[Any, list[tuple[Fraction, Matrix]]]]:
    """Weights that samples of n teach, with those samples and their probabilities."""
    at, found = _games()[game], dict[Any, Any]()
    for chance, masses in samples(at, n):
        options = dict[str, Any](tolerance=0, rng=np.random.default_rng(game)) | CHOICES[choice]
        run = uma(at.points, masses, at.confusion, orientation="column", **options)
        weights = run.weights + ZERO
        found.setdefault(tuple(weights.ravel()), (weights, []))[1].append((chance, masses))
    return list(found.values())


def _along(weights: Any, vectors: Any) -> Fraction:
    """Sum over pairs of what an update vector has along the difference of weights."""
    pairs = itertools.permutations(range(len(weights)), 2)
    return sum((dot(list(weights[p] - weights[q]), list(vectors[p][q])) for p, q in pairs), ZERO)


def adaptive(sample: str, n: int) -> Iterator[Certificate]:
    """What update vectors have along the weights that a sample of n taught, on average: those of
    the same sample, or of one fresh example; against what their means have there."""
    for game, at in enumerate(_games()):
        fresh = list(samples(at, 1))
        for number, choice in enumerate(CHOICES):
            taught, found, due = _taught(game, number, int(n)), ZERO, ZERO
            for weights, here in taught:
                share = sum((chance for chance, _ in here), ZERO)
                z = averaged(at, here if sample == "same" else fresh, at.confusion,
                             weights=weights, orientation="column")
                found += _along(weights, z) * (1 if sample == "same" else share)
                # By the definition: means of the classes within the regions.
                due += share * _along(weights, [
                    [means(at.points, at.masses, at.labels, inside, q) for q in range(at.classes)]
                    for inside in regions(at.points, weights.tolist(), shared=False)
                ])
            yield Certificate(found, due, [
                ("strategy", choice["strategy"]), ("step", choice["step"]), ("game", game),
                ("weights learnt", len(taught)),
            ])


@functools.cache
def region_means(at: Instance, alpha: Fraction = ZERO) -> list[tuple[list[bool], Any]]:
    """Regions, and for each true class the population's update vector, its mean, and its mass."""
    found = update_vectors(at.points, at.joint, at.confusion, weights=at.weights, alpha=alpha,
                           **AS_PRINTED)
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
        for p, (_, of_class) in enumerate(region_means(at)):
            whole = sum((mass for _, mass in of_class), ZERO)
            for q, (mean, mass) in enumerate(of_class):
                least = min(
                    dot(taught.teacher[q], mean) - dot(w, mean)
                    for k, w in enumerate(taught.teacher) if k != q
                )
                by = {"mass": mass, "one": ONE, "region": whole}[share]
                yield Certificate(
                    taught.gap * by, least,
                    [("classes", at.classes), ("predicted, true", (p, q)), ("mass", mass),
                     ("gap", taught.gap), ("mean", mean)],
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
        found = update_vectors(at.points, masses, matrix, weights=at.weights, **AS_PRINTED)
        for p, inside in enumerate(regions(at.points, at.weights)):
            for q in range(at.classes):
                mean = means(at.points, truly, at.labels, inside, q)
                for a_, b_ in zip(mean, found[p, q], strict=True):
                    yield Certificate(a_, b_)
