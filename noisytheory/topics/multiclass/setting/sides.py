"""Instances of Section 2, worked in fractions: margins, confusions, and noise that depends on x."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from noisytheory.topics.multiclass.exactly import (
    dot,
    error_of,
    fractions,
    gap_of,
    inverse,
    online,
    regions,
    run,
    squared,
    vectors,
)
from noisytheory.topics.multiclass.instances import columns_of, random_instances
from noisytheory.topics.multiclass.setting.noise_path import noise_path
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.confusion import confusion_rate, observed_confusion, posterior_confusion
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
    """Squared margins against the ceiling: near the simplex, and with one class alone."""
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
            yield Certificate(
                margin**2 / norm, Fraction(classes, (classes - 1) ** 2), [("margin", margin)]
            )


def mistakes_on_simplex(classes: int, bound: str) -> Iterator[Certificate]:
    """Updates on the simplex, which has the largest margin there is, in two passes or fewer."""
    points = simplex(classes)
    found = online(points, list(range(classes)), classes, passes=50)
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
        yield Certificate(
            len(laws) - told, 0, [("determinant", determinant(matrix))],
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
        found = run(atoms, joint, confusion, normalise=True, max_iter=40)
        error = error_of(atoms, masses, labels, found.weights)
        steps = [("updates", found.updates), ("stopped", found.stopped), ("class rates", mean)]
        # A run that was cut short says nothing.
        yield Certificate(error, 0, steps, applies=found.stopped != "max_iter")


def column_sums(orientation: str) -> Iterator[Certificate]:
    """Over the true classes, update vectors of a region sum to the mean of its points."""
    for at in random_instances(40):
        matrix = at.confusion
        if orientation == "row":
            matrix = [list(row) for row in zip(*matrix, strict=True)]
        try:
            back = inverse(matrix)
        except ZeroDivisionError:
            continue
        for inside in regions(at.points, at.weights):
            found = vectors(at.points, at.joint, back, inside)
            for j in range(len(at.points[0])):
                mean = sum((
                    m * x[j] for m, x, within in zip(at.masses, at.points, inside, strict=True)
                    if within
                ), ZERO)
                yield Certificate(sum((z[j] for z in found), ZERO), mean)


def references(seed: int) -> Iterator[list[list[Fraction]]]:
    """Random row-stochastic matrices."""
    rng = random.Random(seed)
    for _ in range(8):
        q = rng.choice((2, 3, 5, 10))
        rows = [[rng.randint(1, 99) for _ in range(q)] for _ in range(q)]
        yield [[Fraction(v, sum(row)) for v in row] for row in rows]


def path_average(weights: str, most: int) -> Iterator[Certificate]:
    """Entries of the path's matrices against an average of two."""
    for reference in references(6):
        q = len(reference)
        array = np.array(reference)
        limit = noise_path(array, 10**6).tolist()
        for i in range(most + 1):
            found = noise_path(array, i).tolist()
            for a in range(q):
                for b in range(q):
                    if weights == "I and M":
                        mean = (10 - i) * Fraction(a == b, 10) + i * reference[a][b] / 10
                    else:
                        mean = ((a == b) + i * limit[a][b]) / Fraction(1 + i)
                    yield Certificate(found[a][b], mean)


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
    rng = np.random.default_rng(8)
    for q in (2, 3, 5, 10):
        cases = [np.roll(np.eye(q, dtype=int), 1, axis=0), np.eye(q, dtype=int)]
        for _ in range(8):
            true = rng.integers(q, size=30)
            cases.append(observed_confusion(rng.integers(q, size=30), true, q))
        for counts in cases:
            found = confusion_rate(counts, scaled=bool(scaled))
            sizes = [int(n) for n in counts.sum(axis=0)]
            exact = sum((
                Fraction(int(counts[i, j]), sizes[j]) ** 2
                for i in range(q) for j in range(q) if i != j and sizes[j]
            ), ZERO) / (q if scaled else 1)
            assert abs(found**2 - exact) < 1e-12
            yield Certificate(exact, 1, [("rate", fractions(round(found, 6)))])


def leaking(orientation: str) -> Iterator[Certificate]:
    """Squared error of an expected update vector under an estimated confusion, and its limit."""
    rng = random.Random(9)
    for at in random_instances(40):
        guess = columns_of(rng, at.classes)
        try:
            back = inverse(guess)
        except ZeroDivisionError:
            continue
        leak = [
            [sum((back[q][k] * at.confusion[k][r] for k in range(at.classes)), ZERO) - (q == r)
             for r in range(at.classes)] for q in range(at.classes)
        ]
        true_back = inverse(at.confusion)
        radius = max(map(squared, at.points))
        for inside in regions(at.points, at.weights):
            found = vectors(at.points, at.joint, back, inside)
            right = vectors(at.points, at.joint, true_back, inside)
            mass = sum((m for m, within in zip(at.masses, inside, strict=True) if within), ZERO)
            for q in range(at.classes):
                row = leak[q] if orientation == "row" else [line[q] for line in leak]
                gap = squared([a - b for a, b in zip(found[q], right[q], strict=True)])
                yield Certificate(gap, max(abs(v) for v in row) ** 2 * mass**2 * radius)


def shattered_by_classifiers(
    classes: int, dimension: int, moved: str
) -> Iterator[Certificate]:
    """Points that linear classifiers label in every way by one of two classes each.

    Scores 2ky - k^2 of the class k touch a parabola, so classes k and k + 1 tie at y = k + 1/2,
    where the d - 1 points of a group stand apart in the other coordinates. Small changes of the
    differences of neighbouring weights then break each of these ties either way.
    """
    groups = [
        [[Fraction(2 * k + 1, 2), *(Fraction(i == j) for i in range(dimension - 2)), Fraction(1)]
         for j in range(-1, dimension - 2)] for k in range(classes - 1)
    ]
    points = [x for group in groups for x in group]
    realised = 0
    small = Fraction(1, 1000) if moved == "weights" else ZERO
    for signs in itertools.product((-1, 1), repeat=len(points)):
        weights = [[Fraction(2 * k), *[ZERO] * (dimension - 2), Fraction(-k * k)]
                   for k in range(classes)]
        for k in range(classes - 1):
            # A vector whose products with the group's points have these signs.
            own = signs[k * (dimension - 1) : (k + 1) * (dimension - 1)]
            change = [ZERO, *(small * (s - own[0]) for s in own[1:]), small * own[0]]
            for later in range(k + 1, classes):
                weights[later] = [a + b for a, b in zip(weights[later], change, strict=True)]
        told = []
        for x in points:
            scores = [dot(w, x) for w in weights]
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
