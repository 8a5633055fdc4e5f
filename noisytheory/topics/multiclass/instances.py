"""Small populations in fractions: pretty ones, random ones, and with tied scores."""

from __future__ import annotations

import functools
import random
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from noisytheory.topics.multiclass.exactly import Matrix, dot, gap_of, squared
from noisytheory.vocabulary.confusion import inverse_of
from noisytheory.vocabulary.populations import Finite, Multiclass

__all__ = ["AS_PRINTED", "FIVE", "TAUGHT", "Instance", "Taught", "columns_of", "random_instances",
           "taught_by", "taught_instances"]


@dataclass(frozen=True, eq=False)
class Instance:
    """A population and weights, both rational; what it says of the population is in fractions."""

    population: Multiclass
    weights: Matrix

    @classmethod
    def of(
        cls, points: Matrix, masses: list[Fraction], labels: list[int], confusion: Matrix,
        weights: Matrix,
    ) -> Instance:
        """Atoms with masses and true classes, a confusion in columns, and weights."""
        law = Finite("instance", points, labels, masses, classes=len(confusion))
        return cls(Multiclass(law, confusion), weights)

    @functools.cached_property
    def classes(self) -> int:
        """Number of classes."""
        return self.population.classes

    @functools.cached_property
    def points(self) -> Matrix:
        """Its atoms."""
        return _rows(self.population.points)

    @functools.cached_property
    def masses(self) -> list[Fraction]:
        """Their masses."""
        return _rows(self.population.masses)

    @functools.cached_property
    def labels(self) -> list[int]:
        """Their true classes."""
        return _rows(self.population.labels)

    @functools.cached_property
    def confusion(self) -> Matrix:
        """Chances of labels, true classes in columns."""
        return _rows(self.population.confusion)

    @functools.cached_property
    def joint(self) -> Matrix:
        """Mass of every (atom, noisy label)."""
        return _rows(self.population.joint)


def _rows(array: Any) -> list[Any]:
    return list(array.tolist())


def _of(rows: list[list[int]], by: int) -> Matrix:
    return [[Fraction(value, by) for value in row] for row in rows]


FIVE = Instance.of(
    _of([[5, 0], [3, 4], [-3, 4], [-5, 0], [0, -5]], 5),
    [Fraction(m, 10) for m in (3, 2, 2, 1, 2)],
    [0, 1, 1, 2, 2],
    _of([[7, 2, 1], [2, 7, 3], [1, 1, 6]], 10),
    _of([[10, 5], [-2, 9], [-5, -5]], 10),
)
"""Five atoms on the circle, three classes; its largest margin is $\\sqrt{3/20}$."""


def columns_of(rng: random.Random, classes: int, *, least: int = 1) -> Matrix:
    """A random column-stochastic matrix with the largest entry of a column on the diagonal."""
    columns = []
    for q in range(classes):
        counts = [rng.randint(0, 6) for _ in range(classes)]
        counts[q] = max(*counts, 1) + least + rng.randint(0, 6)
        columns.append([Fraction(c, sum(counts)) for c in counts])
    return [list(row) for row in zip(*columns, strict=True)]


def random_instances(count: int) -> tuple[Instance, ...]:
    """The first of a sequence of random instances after `FIVE`: uneven masses, repeated points,
    scores often tied."""
    return _random_instances(max(count, 60))[:count]


@functools.cache
def _random_instances(count: int) -> tuple[Instance, ...]:
    rng = random.Random(5)
    found = [FIVE]
    while len(found) < count:
        q, d = rng.choice((2, 3, 4)), rng.randint(2, 3)
        atoms = rng.randint(q, 7)
        labels = [*range(q), *(rng.randrange(q) for _ in range(atoms - q))]
        parts = [rng.choice((1, 1, 2, 5, 20)) for _ in range(atoms)]
        confusion = columns_of(rng, q, least=rng.choice((0, 1, 3)))
        try:
            inverse_of(confusion)
        except ValueError:
            continue
        found.append(Instance.of(
            [[Fraction(rng.randint(-4, 4), 4) for _ in range(d)] for _ in range(atoms)],
            [Fraction(p, sum(parts)) for p in parts], labels, confusion,
            [[Fraction(rng.randint(-2, 2)) for _ in range(d)] for _ in range(q)],
        ))
    return tuple(found)


AS_PRINTED: dict[str, Any] = dict(orientation="column", ties="all")
"""How (8) has update vectors: ties lie in every region, true classes in columns."""

TAUGHT = r"$W^*$ separates the classes with margin $\theta$, $\|W^*\|_F=1$"
"""The hypothesis that they meet."""


@dataclass(frozen=True)
class Taught:
    """An instance whose classes a teacher separates, by `gap` in scores that are not normalised."""

    at: Instance
    teacher: Matrix
    gap: Fraction
    norm: Fraction
    """Squared norm of all the teacher's weights."""


def taught_by(at: Instance, teacher: Matrix) -> Taught:
    """An instance with the gap that a teacher leaves between its classes."""
    gap = gap_of(teacher, at.points, at.labels)
    return Taught(at, teacher, gap, sum(map(squared, teacher), Fraction(0)))


def taught_instances(count: int) -> tuple[Taught, ...]:
    """The first of separable populations: a pair seen at an angle, and random ones under random
    teachers."""
    return _taught_instances(max(count, 30))[:count]


@functools.cache
def _taught_instances(count: int) -> tuple[Taught, ...]:
    one, none = Fraction(1), Fraction(0)
    found = []
    for cosine, sine in ((3, 4), (7, 24), (20, 21)):
        size = {3: 5, 7: 25, 20: 29}[cosine]
        c, s = Fraction(cosine, size), Fraction(sine, size)
        pair = Instance.of(
            [[-one, none], [c, s], [c, -s]], [one / 2, one / 4, one / 4], [0, 1, 1],
            [[3 * one / 4, one / 4], [one / 4, 3 * one / 4]], [[none, none], [-one, none]],
        )
        found.append(taught_by(pair, [[-one, none], [one, none]]))
    rng = random.Random(12)
    for at in random_instances(2 * count):
        teacher = [[Fraction(rng.randint(-4, 4)) for _ in at.points[0]] for _ in range(at.classes)]
        scores = [[dot(w, x) for w in teacher] for x in at.points]
        labels = [s.index(max(s)) for s in scores]
        one_more = taught_by(
            Instance.of(at.points, at.masses, labels, at.confusion, at.weights), teacher
        )
        if one_more.gap > 0:
            found.append(one_more)
        if len(found) == count:
            break
    return tuple(found)
