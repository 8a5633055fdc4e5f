"""Norms, masses and shares of classes on small populations, worked in fractions."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from noisytheory.topics.multiclass.exactly import Matrix, squared, transposed, unit
from noisytheory.topics.multiclass.instances import (
    FIVE,
    columns_of,
    random_instances,
    taught_instances,
)
from noisytheory.topics.multiclass.uma import class_shares, update_vectors
from noisytheory.topics.multiclass.updates.sides import region_means, samples
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.confusion import inverse_of, inverted

ZERO, ONE = Fraction(0), Fraction(1)


def sandwich(side: str) -> Iterator[Certificate]:
    """Squared norms of update means between multiples of the squared mass."""
    for taught in taught_instances(30):
        at = taught.at
        radius = max(map(squared, at.points))
        for p, (_, of_class) in enumerate(region_means(at)):
            for q, (mean, mass) in enumerate(of_class):
                steps = [("classes", at.classes), ("predicted, true", (p, q)), ("mass", mass)]
                square, low = squared(mean), taught.gap**2 / taught.norm * mass**2
                if side == "above":
                    yield Certificate(square, mass**2 * radius, steps)
                else:
                    yield Certificate(
                        low / (2 if side == "below" else 1), square,
                        [*steps, ("squared margin", taught.gap**2 / taught.norm)],
                    )


def by_norm() -> Iterator[Certificate]:
    """Mass of the largest error, less that of the pair with the longest update mean."""
    c, s = Fraction(7, 25), Fraction(24, 25)
    masses = [Fraction(m, 20) for m in (6, 5, 5, 4)]
    points = [[-ONE, ZERO, ZERO], [c, s, ZERO], [c, -s, ZERO], [ZERO, ZERO, ONE]]
    labels = [0, 1, 1, 2]
    joint = [[m * (t == k) for k in range(3)] for m, t in zip(masses, labels, strict=True)]
    # At W = 0 all lie in the region of class 0.
    z = update_vectors(points, joint, unit(3), weights=np.zeros((3, 3)))[0]
    norms = {q: squared(list(z[q])) for q in (1, 2)}
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
    for at in random_instances(8):
        used = at.confusion if orientation == "column" else transposed(at.confusion)
        try:
            back = inverted(np.array(used))
        except ValueError:
            continue
        drawn = list(samples(at, 2))
        labels = np.array([
            [sum(filter(None, column), ZERO) for column in zip(*masses, strict=True)]
            for _, masses in drawn
        ])
        # What is turned round is refused by name.
        seen = class_shares(labels, back) if orientation == "column" else labels @ back.T
        found = np.array([chance for chance, _ in drawn]) @ seen
        for q in range(at.classes):
            true = sum((m for m, t in zip(at.masses, at.labels, strict=True) if t == q), ZERO)
            yield Certificate(found[q], true)


def negative_shares() -> Iterator[Certificate]:
    """Minus the least estimated share over all samples of two examples."""
    back = inverse_of(FIVE.confusion)
    for _, masses in samples(FIVE, 2):
        seen = [sum(column, ZERO) for column in zip(*masses, strict=True)]
        yield Certificate(-min(class_shares(seen, back)), 0, [("label shares", seen)])


def length(matrix: Matrix) -> Fraction:
    """Largest sum of absolute values of a column."""
    return max(sum(map(abs, column), ZERO) for column in zip(*matrix, strict=True))


def estimates() -> Iterator[tuple[Matrix, Matrix, list[Fraction], list[Fraction]]]:
    """Confusions, estimates of them, shares of classes and of labels seen: two even classes under
    flips, and at random."""
    for flip, off, first, moved in itertools.product(
        (ZERO, ONE / 10, 2 * ONE / 5), (ONE / 100, ONE / 16), (ONE, ONE / 2), (ZERO, ONE / 50)
    ):
        true, guess = ([[1 - f, f], [f, 1 - f]] for f in (flip, flip + off))
        prior = [first, 1 - first]
        # Fewer of the first label where the estimate has fewer, too.
        at = first * (1 - flip) + (1 - first) * flip - moved
        yield true, guess, prior, [at, 1 - at]
    rng = random.Random(3)
    for _ in range(60):
        classes, part = rng.randint(2, 5), Fraction(1, rng.choice((4, 16, 64)))
        true, other = columns_of(rng, classes), columns_of(rng, classes)
        guess = [[(1 - part) * t + part * o for t, o in zip(*rows, strict=True)]
                 for rows in zip(true, other, strict=True)]
        prior, seen = (_shares(rng, classes) for _ in range(2))
        yield true, guess, prior, seen


def _shares(rng: random.Random, classes: int) -> list[Fraction]:
    counts = [rng.randint(0, 9) for _ in range(classes - 1)] + [1]
    return [Fraction(count, sum(counts)) for count in counts]


def _inverse(matrix: Matrix) -> Any:
    """Nothing where there is none."""
    try:
        return inverse_of(matrix)
    except ValueError:
        return None


def estimated_inverses() -> Iterator[Certificate]:
    """How far the inverse of an estimate is from that of the confusion, and the limit."""
    for true, guess, _, _ in estimates():
        back, used = _inverse(true), _inverse(guess)
        if back is None or used is None:
            continue
        apart = length((np.array(guess) - np.array(true)).tolist())
        cost = length(back.tolist())
        if cost * apart < 1:
            yield Certificate(
                length((used - back).tolist()), cost**2 * apart / (1 - cost * apart),
                [("cost", cost), ("estimate", apart)],
            )


def estimated_shares() -> Iterator[Certificate]:
    """How far shares by an estimated confusion are from those of the classes, and the limit."""
    for true, guess, prior, seen in estimates():
        back = _inverse(guess)
        if back is None:
            continue
        apart = length((np.array(guess) - np.array(true)).tolist())
        labels = sum(abs(np.array(seen) - np.array(true) @ np.array(prior)))
        cost = length(back.tolist())
        yield Certificate(
            sum(abs(class_shares(seen, back) - np.array(prior))), cost * (labels + apart),
            [("cost", cost), ("estimate", apart), ("labels", labels)],
        )


def growing_region(added: str) -> Iterator[Certificate]:
    """Squared relative spread of an update vector in a larger region, against a smaller one."""
    flip, first = Fraction(3, 10), Fraction(1, 10)
    row = inverse_of([[1 - flip, flip], [flip, 1 - flip]])[1]
    spread = []
    for region in (Fraction(r, 10) for r in (1, 2, 4, 7, 10)):
        mass = first if added == "correct points" else region
        # One atom: mass of class 1 predicted 0, the rest of the region of class 0.
        seen = mass * (flip * row[0] ** 2 + (1 - flip) * row[1] ** 2)
        seen += (region - mass) * ((1 - flip) * row[0] ** 2 + flip * row[1] ** 2)
        spread.append((seen - mass**2) / mass**2)
    for small, large in itertools.pairwise(spread):
        yield Certificate(large, small, [("relative variance times n", large)])
