"""Instances of Section 2, worked in fractions: margins, confusions, and noise that depends on x."""

from __future__ import annotations

import functools
import itertools
import math
import random
from collections.abc import Iterator
from fractions import Fraction
from operator import mul
from typing import Any

import numpy as np

from noisytheory.topics.multiclass.exactly import (
    dot,
    error_of,
    fractions,
    gap_of,
    regions,
    root,
    squared,
    transposed,
    unit,
)
from noisytheory.topics.multiclass.instances import (
    AS_PRINTED,
    columns_of,
    random_instances,
    taught_instances,
)
from noisytheory.topics.multiclass.setting.noise_path import noise_path
from noisytheory.topics.multiclass.ultraconservative import ultraconservative
from noisytheory.topics.multiclass.uma import uma, update_vectors
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.confusion import (
    confusion_rate,
    inverted,
    leakage,
    observed_confusion,
    posterior_confusion,
)
from noisytheory.vocabulary.joint_masses import flipped, labelled

ZERO = Fraction(0)


def laws_of_labels(which: str) -> Iterator[Certificate]:
    """Entries of the law of the label at one instance, against those at another."""
    for at in random_instances(12):
        laws = [[v / mass for v in row] for row, mass in zip(at.joint, at.masses, strict=True)]
        for (a, t), (b, u) in itertools.combinations(enumerate(at.labels), 2):
            if which == "any" or t == u:
                for x, y in zip(laws[a], laws[b], strict=True):
                    yield Certificate(x, y, [("classes", (t, u))])


def predictions(moved: str) -> Iterator[Certificate]:
    """Predictions that change with the weights: times three, permuted, or moved all or one."""
    for at in random_instances(40):
        shift = [Fraction(j + 1, 2) for j in range(len(at.points[0]))]
        named = list(range(at.classes))
        scaled = [[3 * v for v in w] for w in at.weights]
        shifted = [
            [a + b for a, b in zip(w, shift, strict=True)] if moved == "all" or k == 0 else w
            for k, w in enumerate(at.weights)
        ]
        changes = {"scaled": (scaled, named), "moved": (shifted, named),
                   "permuted": (at.weights[::-1], named[::-1])}
        for what, (weights, names) in changes.items():
            for x in at.points:
                before, after = ([dot(w, x) for w in rows] for rows in (at.weights, weights))
                told = names[after.index(max(after))]
                yield Certificate(
                    int(told != before.index(max(before))), 0,
                    [("weights", what), ("scores", before)],
                    applies=before.count(max(before)) == 1,
                )


def sampled_margins(of: str) -> Iterator[Certificate]:
    """Least differences of scores on the atoms of a sample, and on all that have mass."""
    rng = random.Random(6)
    for taught in taught_instances(30):
        at = taught.at
        seen = sorted({rng.randrange(len(at.points)) for _ in range(2)})
        sample = gap_of(
            taught.teacher, [at.points[a] for a in seen], [at.labels[a] for a in seen]
        )
        sides = (taught.gap, sample) if of == "population" else (sample, taught.gap)
        yield Certificate(*sides, [("atoms in the sample", len(seen))])


def orthonormal(inputs: int) -> Iterator[Certificate]:
    """Updates on orthonormal inputs of two classes: separable, by a margin that falls."""
    found = ultraconservative(np.eye(inputs), np.arange(inputs) % 2, 2)
    yield Certificate(found.updates, 100, [("inputs", inputs)])


def pair_rates(of: str) -> Iterator[Certificate]:
    """Public counts of (predicted, true) over a class's size, against examples one by one."""
    rng = np.random.default_rng(34)
    for q in (2, 3, 4):
        for _ in range(4):
            true = np.concatenate([np.arange(q), rng.integers(q, size=20)])
            said = rng.integers(q, size=len(true))
            counts = observed_confusion(said, true, q)
            for i, j in np.ndindex(q, q):
                own = int(np.count_nonzero(true == j))
                both = sum((a, b) == (i, j) for a, b in zip(said, true, strict=True))
                if i != j:
                    over = own if of == "class" else len(true)
                    yield Certificate(Fraction(int(counts[i, j]), own), Fraction(both, over))


def pair_errors(of: str) -> Iterator[Certificate]:
    """The error rate (17) of random predictions, against that of a pair or their sum."""
    rng = np.random.default_rng(33)
    for q in (2, 3, 5):
        for _ in range(6):
            true, said = rng.integers(q, size=(2, 40))
            wrong = Fraction(int(np.count_nonzero(true != said)), 40)
            counts = observed_confusion(said, true, q)
            pairs = [Fraction(int(counts[i, j]), 40) for i in range(q) for j in range(q) if i != j]
            for due in (pairs if of == "pair" else [sum(pairs, ZERO)]):
                yield Certificate(wrong, due)


def simplex(classes: int) -> list[list[Fraction]]:
    """Corners of the regular simplex, each of squared norm Q(Q-1)."""
    return [[Fraction(classes * (i == j) - 1) for j in range(classes)] for i in range(classes)]


def margins(classes: int, present: str) -> Iterator[Certificate]:
    """Margins against the ceiling, to 40 digits: near the simplex, and with one class alone."""
    yield from _margins(classes, present)


@functools.cache
def _margins(classes: int, present: str) -> tuple[Certificate, ...]:
    found = []
    rng, corners = random.Random(classes), simplex(classes)
    for case in range(16):
        points = [[64 * v + rng.randint(-8, 8) * min(case, 1) for v in x] for x in corners]
        labels, weights = list(range(classes)), [
            [64 * v + rng.randint(-8, 8) * min(case, 1) for v in x] for x in corners
        ]
        if present == "one":
            # One weight vector along the only point, the others against it.
            point = points[0]
            points, labels = [point], [0]
            weights = [
                [v * (classes - 1 if q == 0 else -1) for v in point] for q in range(classes)
            ]
        margin = gap_of(weights, points, labels)
        norm = sum(map(squared, weights), ZERO) * max(map(squared, points))
        if margin > 0:
            found.append(Certificate(
                root(margin**2 / norm), root(Fraction(classes, (classes - 1) ** 2)),
                [("gap", margin)],
            ))
    return tuple(found)


def reciprocals(classes: int, present: str) -> Iterator[Certificate]:
    """One over the mistake bound at such margins, against one over the least that it can be."""
    for at in margins(classes, present):
        yield Certificate(at.lhs**2 / 2, Fraction(classes, 2 * (classes - 1) ** 2), at.steps)


def mistakes_on_simplex(classes: int, bound: str) -> Iterator[Certificate]:
    """Updates on the simplex, which has the largest margin there is, in two passes or fewer."""
    points = simplex(classes)
    found = ultraconservative(points, range(classes), classes, passes=50)
    # 2 R^2 / theta^2 of the simplex, of this many classes or of two.
    size = {"two": 2, "own": classes}[bound]
    yield Certificate(
        found.updates, Fraction(2 * (size - 1) ** 2, size), [("updates", found.updates)]
    )


def bayes(read: str) -> Iterator[Certificate]:
    """Share of a true class among the examples of a noisy label, by counting."""
    rng = random.Random(1)
    for _ in range(25):
        q = rng.randint(2, 4)
        counts = [[rng.randint(1, 9) for _ in range(q)] for _ in range(q)]  # label, class
        total = sum(map(sum, counts))
        sizes = [sum(column) for column in zip(*counts, strict=True)]
        matrix = [[Fraction(counts[i][j], sizes[j]) for j in range(q)] for i in range(q)]
        priors = [Fraction(size, total) for size in sizes]
        found = posterior_confusion(np.array(matrix), np.array(priors)).tolist()
        for i in range(q):
            for j in range(q):
                shown = found[i][j] if read == "posterior" else matrix[j][i]
                yield Certificate(shown, Fraction(counts[j][i], sum(counts[j])))


def determinant(matrix: list[list[Fraction]]) -> Fraction:
    """By expansion."""
    if len(matrix) == 1:
        return matrix[0][0]
    return sum((
        (-1) ** j * value * determinant([[*row[:j], *row[j + 1:]] for row in matrix[1:]])
        for j, value in enumerate(matrix[0]) if value
    ), ZERO)


def dominant(excess: str) -> Iterator[Certificate]:
    """Whether a matrix is singular whose diagonal is one half and a little more, or no more."""
    rng = random.Random(2)
    more = Fraction(excess)
    for q in (2, 3, 4, 5):
        shift = [[Fraction((i - 1) % q == j) for j in range(q)] for i in range(q)]
        cases = [shift, [list(row) for row in zip(*shift, strict=True)]]
        for _ in range(10):
            columns = []
            for k in range(q):
                parts = [rng.randint(0, 3) * (i != k) for i in range(q)]
                parts[(k + 1) % q] += 1
                columns.append([Fraction(p, sum(parts)) for p in parts])
            cases.append([list(row) for row in zip(*columns, strict=True)])
        for other in cases:
            matrix = [
                [(Fraction(1, 2) + more) * (i == j) + (Fraction(1, 2) - more) * other[i][j]
                 for j in range(q)] for i in range(q)
            ]
            found = determinant(matrix)
            yield Certificate(int(found == 0), 0, [("determinant", found)])


def decoded(columns: str) -> Iterator[Certificate]:
    """Classes that the law of the labels of an atom does not tell, under singular confusions."""
    half, fifth = Fraction(1, 2), Fraction(1, 5)
    singular = [[4 * fifth, fifth, half], [fifth, 4 * fifth, half], [ZERO, ZERO, ZERO]]
    rng = random.Random(3)
    cases = [singular]
    for _ in range(20):
        q = rng.randint(3, 5)
        first = columns_of(rng, q)
        # The last column is the mean of the first two.
        cases.append([[*row[:-1], (row[0] + row[1]) / 2] for row in first])
    for matrix in cases:
        laws = [list(law) for law in zip(*matrix, strict=True)]
        if columns == "equal":
            laws[-1] = laws[0]
        told = sum(laws.index(law) == q for q, law in enumerate(laws))
        apart = min(
            sum((a - b) ** 2 for a, b in zip(*two, strict=True))
            for two in itertools.combinations(laws, 2)
        )
        yield Certificate(
            len(laws) - told, 0,
            [("determinant", determinant(matrix)), ("squared distance of two columns", apart)],
            applies=determinant(matrix) == 0,
        )


def monotone(rates: str) -> Iterator[Certificate]:
    """Error after UMA on whole populations of two classes, with the confusion averaged."""
    thirteenth, fifth = Fraction(1, 13), Fraction(1, 5)
    points = [[-5 * thirteenth, -12 * thirteenth], [4 * fifth, -3 * fifth], [3 * fifth, 4 * fifth]]
    quarter = Fraction(1, 4)
    cases = [(points, [2 * quarter, quarter, quarter], [1, 0, 0],
              [Fraction(7, 16), ZERO, quarter])]
    rng = random.Random(4)
    circle = [(3, 4, 5), (5, 12, 13), (8, 15, 17), (7, 24, 25), (20, 21, 29)]
    for _ in range(12):
        atoms = []
        for _ in range(rng.randint(3, 6)):
            a, b, c = rng.choice(circle)
            a, b = (a, b) if rng.random() < 0.5 else (b, a)
            signs = rng.choice((-1, 1)), rng.choice((-1, 1))
            atoms.append([Fraction(signs[0] * a, c), Fraction(signs[1] * b, c)])
        labels = [int(x[0] < 0) for x in atoms]
        if len(set(labels)) == 2:
            parts = [rng.randint(1, 4) for _ in atoms]
            flips = [Fraction(9, 20) * (1 - abs(x[0])) for x in atoms]
            cases.append((atoms, [Fraction(p, sum(parts)) for p in parts], labels, flips))
    for atoms, masses, labels, flips in cases:
        clean, each = labelled(np.array(masses), labels, 2), np.array(flips)[:, None]
        mean = ((clean * each).sum(axis=0) / clean.sum(axis=0)).tolist()
        confusion = [[1 - mean[0], mean[1]], [mean[0], 1 - mean[1]]]
        used = each if rates == "falling" else np.array(mean)[labels, None]
        joint = flipped(clean, used).tolist()
        found = uma(atoms, joint, confusion, orientation="column", normalise=True, tolerance=0,
                    max_iter=40)
        error = error_of(atoms, masses, labels, found.weights)
        steps = [("updates", found.updates), ("stopped", found.stopped), ("class rates", mean)]
        # A run that was cut short says nothing.
        yield Certificate(error, 0, steps, applies=found.stopped != "max_iter")


def column_sums(orientation: str) -> Iterator[Certificate]:
    """Over the true classes, update vectors of a region sum to the mean of its points."""
    for at in random_instances(40):
        used = unit(at.classes) if orientation == "row" else at.confusion
        found = update_vectors(at.points, at.joint, used, weights=at.weights, **AS_PRINTED)
        if orientation == "row":
            # No confusion matrix that the public function would take.
            try:
                found = inverted(np.array(transposed(at.confusion))) @ found
            except ValueError:
                continue
        for p, inside in enumerate(regions(at.points, at.weights)):
            for j, total in enumerate(found[p].sum(axis=0)):
                mean = sum((
                    m * x[j] for m, x, within in zip(at.masses, at.points, inside, strict=True)
                    if within
                ), ZERO)
                yield Certificate(total, mean)


def references(seed: int) -> Iterator[list[list[Fraction]]]:
    """Random row-stochastic matrices."""
    rng = random.Random(seed)
    for _ in range(8):
        q = rng.choice((2, 3, 5, 10))
        rows = [[rng.randint(1, 99) for _ in range(q)] for _ in range(q)]
        yield [[Fraction(v, sum(row)) for v in row] for row in rows]


@functools.cache
def _paths() -> list[tuple[Any, ...]]:
    """Random matrices, the ends of their paths, and the first 21 matrices."""
    found = []
    for reference in references(6):
        limit, *path = (noise_path(np.array(reference), i).tolist() for i in (10**6, *range(21)))
        found.append((reference, limit, path))
    return found


def path_average(weights: str, most: int) -> Iterator[Certificate]:
    """Entries of the path's matrices against an average of two."""
    for reference, limit, path in _paths():
        q = len(reference)
        for i, found in enumerate(path[: most + 1]):
            for a in range(q):
                for b in range(q):
                    if weights == "I and M":
                        stays, moved, parts = 10 - i, reference[a][b], 10
                    else:
                        stays, moved, parts = 1, limit[a][b], 1 + i
                    top = stays * (a == b) * moved.denominator + i * moved.numerator
                    yield Certificate(found[a][b], Fraction(top, parts * moved.denominator))


def path_end(early: int) -> Iterator[Certificate]:
    """Entries of the path from where it should have ended, against its last matrix."""
    for reference in references(7):
        array = np.array(reference)
        worst = max(row[i] for i, row in enumerate(reference))
        first = math.ceil(10 / (1 - worst)) - early
        found, limit = noise_path(array, first), noise_path(array, 10**6)
        for a, b in zip(found.ravel().tolist(), limit.ravel().tolist(), strict=True):
            yield Certificate(a, b, [("index", first)])


def rates(scaled: int) -> Iterator[Certificate]:
    """Squared confusion rates of random predictions, of perverse ones, and of a missing class."""
    for counts in predicted_counts():
        found = Fraction(confusion_rate(counts, scaled=bool(scaled), absent="ignore"))
        yield Certificate(found**2, 1, [("rate", fractions(round(float(found), 6)))])


def predicted_counts() -> Iterator[Any]:
    """Counts of (predicted, true): each class for one other, none, and at random."""
    rng = np.random.default_rng(8)
    for q in (2, 3, 5, 10):
        yield np.roll(np.eye(q, dtype=int), 1, axis=0)
        yield np.eye(q, dtype=int)
        for _ in range(8):
            true = rng.integers(q, size=30)
            yield observed_confusion(rng.integers(q, size=30), true, q)


def defined_rates(scaled: int) -> Iterator[Certificate]:
    """Squared confusion rates by the public function, and by the definition.

    Of four classes whose shares of errors are sixteenths with a sum of squares that has a root:
    the public number is then exact. The last class may be missing.
    """
    rng = np.random.default_rng(8)
    for missed in ((6, 8, 0, 0), (4, 6, 12, 0), (2, 4, 4, 0), (4, 4, 7, 0), (8, 8, 8, 8),
                   (2, 4, 5, 6), (16, 0, 0, 0)):
        for _ in range(3):
            counts = np.zeros((4, 4), dtype=int)
            for q, wrong in enumerate(missed):
                p = (q + int(rng.integers(1, 4))) % 4
                counts[p, q], counts[q, q] = wrong, 16 - wrong
            if not missed[-1]:
                counts[:, -1] *= rng.integers(2)
            sizes = [int(n) for n in counts.sum(axis=0)]
            exact = sum((
                Fraction(int(counts[i, j]), sizes[j]) ** 2
                for i in range(4) for j in range(4) if i != j and sizes[j]
            ), ZERO) / (4 if scaled else 1)
            yield Certificate(Fraction(confusion_rate(counts, absent="ignore")) ** 2, exact)


def leaking(orientation: str) -> Iterator[Certificate]:
    """Squared error of an expected update vector under an estimated confusion, and its limit."""
    rng = random.Random(9)
    for at in random_instances(40):
        guess = columns_of(rng, at.classes)
        try:
            leak = abs(leakage(guess, at.confusion))
        except ValueError:
            continue
        largest = leak.max(axis=1 if orientation == "row" else 0)
        radius = max(map(squared, at.points))
        found, right = (
            update_vectors(at.points, at.joint, used, weights=at.weights, **AS_PRINTED)
            for used in (guess, at.confusion)
        )
        for p, inside in enumerate(regions(at.points, at.weights)):
            mass = sum((m for m, within in zip(at.masses, inside, strict=True) if within), ZERO)
            for q in range(at.classes):
                gap = squared(list(found[p, q] - right[p, q]))
                yield Certificate(gap, largest[q] ** 2 * mass**2 * radius, [
                    ("classes", at.classes), ("predicted, true", (p, q)), ("mass", mass),
                    ("leakage", largest[q]),
                ])


def shattered_by_classifiers(
    classes: int, dimension: int, moved: str
) -> Iterator[Certificate]:
    """Points that linear classifiers label in every way by one of two classes each.

    Scores 2ky - k^2 of the class k touch a parabola, so classes k and k + 1 tie at y = k + 1/2,
    where the d - 1 points of a group stand apart in the other coordinates. Small changes of the
    differences of neighbouring weights then break each of these ties either way.
    """
    # In whole numbers: points are twice and weights a thousand times what they are.
    groups = [
        [[2 * k + 1, *(2 * (i == j) for i in range(dimension - 2)), 2]
         for j in range(-1, dimension - 2)] for k in range(classes - 1)
    ]
    points = [x for group in groups for x in group]
    realised = 0
    small = int(moved == "weights")
    for signs in itertools.product((-1, 1), repeat=len(points)):
        weights = [[2000 * k, *[0] * (dimension - 2), -1000 * k * k] for k in range(classes)]
        for k in range(classes - 1):
            # A vector whose products with the group's points have these signs.
            own = signs[k * (dimension - 1) : (k + 1) * (dimension - 1)]
            change = [0, *(small * (s - own[0]) for s in own[1:]), small * own[0]]
            for later in range(k + 1, classes):
                weights[later] = [a + b for a, b in zip(weights[later], change, strict=True)]
        told = []
        for x in points:
            scores = [sum(map(mul, w, x)) for w in weights]
            told.append(scores.index(max(scores)))
        wanted = [
            k + (signs[k * (dimension - 1) + j] > 0)
            for k in range(classes - 1) for j in range(dimension - 1)
        ]
        realised += told == wanted
    return iter([_count(len(points), realised, classes, dimension)])


def _count(points: int, realised: int, classes: int, dimension: int) -> Certificate:
    shattered = points if realised == 2**points else 0
    return Certificate(
        (classes - 1) * (dimension - 1), shattered,
        [("points", shattered), ("labellings", realised)],
    )


def natarajan_printed(classes: int, dimension: int) -> Iterator[Certificate]:
    """The same number of points, against d and the logarithm of Q, rounded up."""
    for found in shattered_by_classifiers(classes, dimension, "weights"):
        yield Certificate(found.rhs, dimension + Fraction(math.log(classes)), found.steps)
