"""Small samples by name, and their lengths, from the definitions: what bounds of them name."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.sparse.approximation import Target
from noisytheory.vocabulary.kernels import Linear

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """Points in the plane, or a space of few dimensions, with weights of any sign."""

    name: str
    points: tuple[tuple[float, ...], ...]
    alpha: tuple[float, ...]

    def digest(self) -> str:
        """What the laws depend on."""
        return repr(self)

    @property
    def target(self) -> Target:
        """As the algorithms see it."""
        return Target(Linear(), np.array(self.points), np.array(self.alpha))

    @property
    def signed(self) -> Doubles:
        """Signed points."""
        target = self.target
        return np.asarray(target.points * target.signs[:, None])


def _equal(name: str, points: list[tuple[float, ...]]) -> Sample:
    return Sample(name, tuple(points), (1 / len(points),) * len(points))


SAMPLES = {
    sample.name: sample
    for sample in [
        _equal("line", [(x,) for x in (0.0, 0.05, 0.1, 0.45, 0.5, 0.9, 0.95, 1.0)]),
        _equal("halves", [(x,) for x in (0.0, 1.0)]),
        _equal("three pairs", [(0.0, 0.0), (0.1, 0.0), (1.0, 0.0), (0.9, 0.1), (0.0, 1.0),
                               (0.1, 0.9)]),
        _equal("orthonormal 5", [tuple(map(float, row)) for row in np.eye(5)]),
        Sample("weighted", ((0.0, 0.0), (0.2, 0.1), (0.8, 0.0), (1.0, 0.1), (0.5, 0.8)),
               (0.3, 0.25, 0.2, 0.15, 0.1)),
        Sample("signed", ((1.0, 0.0), (0.99, 0.1), (0.98, 0.15), (0.0, 1.0), (0.1, 0.99)),
               (0.6, -0.5, 0.4, -0.3, 0.2)),
        Sample("mixed", ((1.0, 0.0), (0.9, 0.3), (0.0, 1.0), (0.2, 0.9), (0.6, 0.7)),
               (0.5, -0.4, 0.3, -0.2, 0.1)),
        Sample("opposite", ((1.0, 0.0), (0.995, 0.0998749)), (1.0, -1.0)),
        # Almost all mass in one cell, whose diameter is twice the least: it gives four draws.
        Sample("heavy cell", ((0.0,), (2.0,), (10.0,), (20.0,), (-1.0,), (1.0,)),
               (1e-7, 1e-7, 1e-7, 1e-7, 0.5 - 2e-7, 0.5 - 2e-7)),
        # Equal points of opposite sign, and far ones with a cell each.
        Sample("opposed", ((1.0,), (1.0,), (10.0,), (20.0,)), (0.5 - 1e-7, 1e-7 - 0.5, 1e-7, 1e-7)),
    ]
}
"""Small samples by name."""


def total_weight(sample: str) -> float:
    r"""$W=\sum|\alpha|$."""
    return sum(abs(weight) for weight in SAMPLES[sample].alpha)


def _squares(sample: Sample, signed: bool) -> Doubles:
    """Squared distances of the points, with their signs or without."""
    signs = np.sign(sample.alpha) if signed else np.ones(len(sample.alpha))
    points = np.array(sample.points) * signs[:, None]
    difference = points[:, None] - points[None]
    return np.asarray(np.einsum("ijp,ijp->ij", difference, difference))


def _cells(squares: Doubles, m: int) -> NDArray[np.int64]:
    """Farthest first from point 0, word for word: the algorithm on trial takes no part."""
    cells = np.zeros(len(squares), dtype=np.int64)
    nearest = squares[0].copy()
    for cell in range(1, m):
        farthest = int(nearest.argmax())
        if nearest[farthest] == 0:
            break
        closer = squares[farthest] < nearest
        cells[closer], nearest[closer] = cell, squares[farthest][closer]
    return cells


def cell_diameter(sample: str, m: int, signed: bool = True) -> float:
    """Largest diameter of a farthest-first cell; of the points without their signs if asked."""
    chosen = SAMPLES[sample]
    cells = _cells(_squares(chosen, True), m)
    same = cells[:, None] == cells[None]
    return math.sqrt(float(_squares(chosen, signed)[same].max()))


@cache
def least_diameter(sample: str, m: int) -> float:
    """$D^*(S,m)$, over every partition into at most ``m`` cells."""
    squares = _squares(SAMPLES[sample], True)
    n = len(squares)
    best = math.inf
    for labels in _growth_strings(n, m):
        same = labels[:, None] == labels[None]
        best = min(best, float(squares[same].max()))
    return math.sqrt(best)


def _growth_strings(n: int, m: int) -> Iterator[NDArray[np.int64]]:
    """Every partition of ``n`` things into at most ``m`` cells, once."""

    def grow(prefix: list[int], used: int) -> Iterator[list[int]]:
        if len(prefix) == n:
            yield prefix
            return
        for label in range(min(used + 1, m)):
            yield from grow([*prefix, label], max(used, label + 1))

    for labels in grow([], 0):
        yield np.array(labels)
