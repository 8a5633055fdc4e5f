"""Small populations in fractions: pretty ones, random ones, and with tied scores."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["FIVE", "Instance", "columns_of", "random_instances"]


@dataclass(frozen=True)
class Instance:
    """Atoms with masses and true classes, a confusion in columns, and weights, all rational."""

    points: list[list[Fraction]]
    masses: list[Fraction]
    labels: list[int]
    confusion: list[list[Fraction]]
    weights: list[list[Fraction]]

    @property
    def classes(self) -> int:
        """Number of classes."""
        return len(self.confusion)

    @property
    def joint(self) -> list[list[Fraction]]:
        """Mass of every (atom, noisy label)."""
        return [
            [mass * row[label] for row in self.confusion]
            for mass, label in zip(self.masses, self.labels, strict=True)
        ]


def _of(rows: list[list[int]], by: int) -> list[list[Fraction]]:
    return [[Fraction(value, by) for value in row] for row in rows]


FIVE = Instance(
    _of([[5, 0], [3, 4], [-3, 4], [-5, 0], [0, -5]], 5),
    [Fraction(m, 10) for m in (3, 2, 2, 1, 2)],
    [0, 1, 1, 2, 2],
    _of([[7, 2, 1], [2, 7, 3], [1, 1, 6]], 10),
    _of([[10, 5], [-2, 9], [-5, -5]], 10),
)
"""Five atoms on the circle, three classes; its largest margin is $\\sqrt{3/20}$."""


def columns_of(rng: random.Random, classes: int, *, least: int = 1) -> list[list[Fraction]]:
    """A random column-stochastic matrix with the largest entry of a column on the diagonal."""
    columns = []
    for q in range(classes):
        counts = [rng.randint(0, 6) for _ in range(classes)]
        counts[q] = max(*counts, 1) + least + rng.randint(0, 6)
        columns.append([Fraction(c, sum(counts)) for c in counts])
    return [list(row) for row in zip(*columns, strict=True)]


def random_instances(
    count: int, seed: int, *, classes: tuple[int, ...] = (2, 3, 4)
) -> Iterator[Instance]:
    """Random instances after `FIVE`: uneven masses, repeated points, scores often tied."""
    from noisytheory.topics.multiclass.exactly import inverse

    yield FIVE
    rng = random.Random(seed)
    made = 1
    while made < count:
        q, d = rng.choice(classes), rng.randint(2, 3)
        atoms = rng.randint(q, 7)
        labels = [*range(q), *(rng.randrange(q) for _ in range(atoms - q))]
        parts = [rng.choice((1, 1, 2, 5, 20)) for _ in range(atoms)]
        confusion = columns_of(rng, q, least=rng.choice((0, 1, 3)))
        try:
            inverse(confusion)
        except ZeroDivisionError:
            continue
        made += 1
        yield Instance(
            [[Fraction(rng.randint(-4, 4), 4) for _ in range(d)] for _ in range(atoms)],
            [Fraction(p, sum(parts)) for p in parts], labels, confusion,
            [[Fraction(rng.randint(-2, 2)) for _ in range(d)] for _ in range(q)],
        )
