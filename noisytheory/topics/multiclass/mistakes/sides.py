"""Instances of Section 3.1, worked in fractions: runs of ultraconservative algorithms."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from noisytheory.topics.multiclass.exactly import fractions, gap_of, root, scores, squared
from noisytheory.topics.multiclass.instances import random_instances
from noisytheory.topics.multiclass.steps import error_set, steps
from noisytheory.topics.multiclass.ultraconservative import OnlineRun, ultraconservative
from noisytheory.topics.multiclass.uma import uma
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.populations.multiclass import largest_margin

ZERO = Fraction(0)
Case = tuple[list[list[Fraction]], list[int], int, list[list[Fraction]]]


@cache
def examples() -> tuple[Case, ...]:
    """Separable examples with a classifier that separates them, nearly the best.

    Orthonormal inputs; inputs that share a direction, with one against it; random ones.
    """
    found = []
    for classes in (2, 3, 5):
        found.append((np.eye(12), np.arange(12) % classes, classes))
    shared = np.hstack([10 * np.eye(12), np.full((12, 1), 3.0)])
    against = np.zeros((1, 13))
    against[0, 12] = -10.4375  # of nearly the same norm, from below
    found.append((np.vstack([shared, against]), np.append(np.arange(12) % 2, 2), 3))
    rng = np.random.default_rng(1)
    while len(found) < 24:
        classes, d = int(rng.integers(2, 6)), int(rng.integers(2, 6))
        points = rng.integers(-8, 9, size=(30, d)).astype(float)
        teacher = rng.integers(-8, 9, size=(classes, d))
        scores = points @ teacher.T
        top = np.sort(scores, axis=1)
        kept = top[:, -1] - top[:, -2] > np.quantile(top[:, -1] - top[:, -2], 0.4)
        labels = np.argmax(scores, axis=1)[kept]
        if len(np.unique(labels)) == classes and kept.sum():
            found.append((points[kept], labels, classes))
    out = []
    for points, labels, classes in found:
        _, best = largest_margin(points, labels, classes)
        out.append((fractions(points), [int(t) for t in labels], classes, fractions(best)))
    return tuple(out)


def margin_and_radius(case: Case) -> tuple[Fraction, Fraction]:
    """Squared margin over the squared norm of all weights, and squared radius."""
    points, labels, _, best = case
    square = gap_of(best, points, labels) ** 2 / sum(map(squared, best), ZERO)
    return square, max(map(squared, points))


@cache
def measured() -> tuple[tuple[Fraction, Fraction], ...]:
    """Squared margins and radii of the examples."""
    return tuple(map(margin_and_radius, examples()))


@cache
def runs(step: str) -> tuple[OnlineRun, ...]:
    """Of up to four passes over each of the examples."""
    return tuple(
        ultraconservative(points, labels, classes, step=step, passes=4)
        for points, labels, classes, _ in examples()
    )


def mistakes(step: str, sizes: str) -> Iterator[Certificate]:
    """Updates in up to four passes; T of the run's own steps, of uniform ones, or 2."""
    for (_, _, classes, _), (square, radius), found in zip(
        examples(), measured(), runs(step), strict=True
    ):
        size: Any = {
            "two": Fraction(2), "own": found.largest_step, "uniform": 1 + Fraction(1, classes - 1),
        }[sizes]
        steps_found = [
            ("updates", found.updates), ("theta", root(square)), ("radius", root(radius)),
            ("largest_step", size),
        ]
        yield Certificate(found.updates, size * radius / square, steps_found)


def noisy_mistakes(labels: str) -> Iterator[Certificate]:
    """Updates in one pass over two opposite points, a fifth of whose labels may be flipped."""
    rng = random.Random(2)
    for _ in range(5):
        true = [rng.randrange(2) for _ in range(200)]
        points = [[Fraction(1 - 2 * t)] for t in true]
        seen = [t ^ (rng.random() < 0.2) for t in true] if labels == "noisy" else true
        found = ultraconservative(points, seen, 2)
        named = [("updates", found.updates), ("theta", root(Fraction(2))), ("radius", Fraction(1))]
        yield Certificate(found.updates, 1, named)


def inseparable(deficits: str) -> Iterator[Certificate]:
    """Updates in one pass, and hinge deficits: of examples with some labels exchanged, or asked
    for a larger margin than there is."""
    rng = random.Random(3)
    sides = [Fraction(1 - 2 * (i % 2)) for i in range(60)]
    opposite = ([[x] for x in sides], [i % 2 for i in range(60)], 2,
                [[Fraction(1)], [Fraction(-1)]])
    for (points, labels, classes, best), (square, radius) in zip(
        (opposite, *examples()), (margin_and_radius(opposite), *measured()), strict=True
    ):
        norm, each = root(sum(map(squared, best), ZERO)), scores(points, best).tolist()
        for share, more in ((0.1, Fraction(1)), (0.0, Fraction(65, 64)), (0.0, Fraction(3, 2))):
            seen = [rng.randrange(classes) if rng.random() < share else t for t in labels]
            theta = more * root(square)
            lack = ZERO
            for at, t in zip(each, seen, strict=True):
                margin = (at[t] - max(at[:t] + at[t + 1 :])) / norm
                lack += max(ZERO, theta - margin) ** 2
            deficit = root(lack) if deficits == "counted" else ZERO
            found = ultraconservative(points, seen, classes)
            yield Certificate(
                found.updates, 2 * (root(radius) + deficit) ** 2 / theta**2,
                [("theta", theta), ("radius", root(radius)), ("deficit", deficit)],
            )


def constraints(rule: str, taken: str) -> Iterator[Certificate]:
    """Conditions (6) that steps break, sums, signs and classes outside of the error set, and
    shares that are not those of the rule."""
    rng = np.random.default_rng(4)
    for case in range(200):
        classes = int(rng.choice([2, 3, 5]))
        scores = np.array(fractions(rng.integers(-2, 3, size=classes)), dtype=object)
        true, predicted = (int(v) for v in rng.integers(classes, size=2))
        if predicted == true:
            continue
        erring = error_set(scores, true)
        if not erring.any() or (rule == "uniform" and erring.sum() == 3):
            continue
        used = rule if taken == "as it says" else "forced"
        tau = fractions(steps(scores, true, erring, used, predicted=predicted,
                              rng=np.random.default_rng(case)))
        broken = int(tau[true] != 1) + int(rule != "random" and sum(tau) != 0)
        broken += sum(
            tau[r] > 0 or (tau[r] != 0 and not erring[r]) for r in range(classes) if r != true
        )
        if rule != "random":
            due = _shares(scores, true, np.flatnonzero(erring).tolist(), rule, predicted)
            broken += sum(-tau[r] != due.get(r, 0) for r in range(classes) if r != true)
        yield Certificate(int(broken), 0, [("scores", fractions(scores)), ("steps", tau)])


def _shares(
    scores: Any, true: int, erring: list[int], rule: str, predicted: int
) -> dict[int, Fraction]:
    """What each class of the error set takes of the step, by the rule's own words."""
    if rule == "uniform":
        return {r: Fraction(1, len(erring)) for r in erring}
    if rule == "proportional":
        over = {r: scores[r] - scores[true] for r in erring}
        total = sum(over.values())
        return {r: v / total if total else Fraction(1, len(erring)) for r, v in over.items()}
    if rule == "predicted" and predicted in erring:
        return {predicted: Fraction(1)}
    return {max(erring, key=lambda r: (scores[r], -r)): Fraction(1)}


def sums(start: str) -> Iterator[Certificate]:
    """Largest coordinate of the sum of weights, after a pass or some updates of UMA."""
    for points, labels, classes, _ in examples():
        first = None
        if start == "elsewhere":
            first = [[Fraction(q == 0)] * len(points[0]) for q in range(classes)]
        found = ultraconservative(points, labels, classes, step="uniform", start=first)
        yield _sum(found.weights, found.updates)
    for at in random_instances(20):
        first = [[Fraction(start == "elsewhere")] * len(at.points[0]) for _ in at.confusion]
        run = uma(at.points, at.joint, at.confusion, orientation="column", tolerance=0, max_iter=6,
                  start=first)
        yield _sum(run.weights, run.updates)


def _sum(weights: Any, updates: int) -> Certificate:
    return Certificate(max(map(abs, weights.sum(axis=0))), 0, [("updates", updates)])
