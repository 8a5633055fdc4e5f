r"""Random sub-sampling in small worlds, where every outcome can be counted.

A `Sample` is a handful of signed points with weights; all its laws are enumerated.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.sparse.approximation import Target
from noisytheory.topics.sparse.farthest_first import Traversal, traverse
from noisytheory.topics.sparse.sampling import draws_per_cell
from noisytheory.trial.claim import Certificate, Law
from noisytheory.vocabulary.exact import compositions, simplex
from noisytheory.vocabulary.kernels import Linear
from noisytheory.vocabulary.populations.finite import Finite

__all__ = [
    "SAMPLES",
    "Sample",
    "cell_diameter",
    "cell_law",
    "clustered_law",
    "drawn_points",
    "least_diameter",
    "norm_law",
    "sparsity_certificate",
    "subsample_law",
    "subset_law",
    "tolerance_law",
    "total_weight",
]

Doubles = NDArray[np.float64]
LARGEST = 4_000_000


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
    ]
}
"""Small samples by name."""


# Plain sub-sampling.


def norm_law(population: Finite, k: int) -> Law | None:
    """Law of the distance of the mean of ``k`` draws from a population's."""
    found = population.exact_norm_law(k)
    return None if found is None else Law(*found)


def _multinomial(counts: NDArray[np.int64], law: Doubles) -> float:
    coefficient, left = 1, int(counts.sum())
    for count in counts.tolist():
        coefficient *= math.comb(left, count)
        left -= count
    return coefficient * float(np.prod(law**counts))


def subsample_law(sample: str, k: int) -> Law:
    """Law of the squared error of the mean of ``k`` independent draws."""
    chosen = SAMPLES[sample]
    signed, masses = chosen.signed, chosen.target.masses
    counts = compositions(k, len(masses))
    deviation = (counts / k - masses) @ signed
    return Law(
        np.einsum("bp,bp->b", deviation, deviation), [_multinomial(c, masses) for c in counts]
    )


def subset_law(sample: str, k: int) -> Law:
    """Law of the squared error of the mean of ``k`` different points, equally weighted."""
    signed = SAMPLES[sample].signed
    means = np.array([signed[list(s)].mean(axis=0) for s in
                      itertools.combinations(range(len(signed)), k)])
    deviation = means - signed.mean(axis=0)
    return Law(np.einsum("bp,bp->b", deviation, deviation), np.full(len(means), 1 / len(means)))


# Clustered sub-sampling.


def _cell_outcomes(points: Doubles, law: Doubles, draws: int) -> tuple[Doubles, Doubles]:
    """Mean of the draws less its expectation, with probabilities."""
    counts = compositions(draws, len(law))
    return (counts / draws - law) @ points, np.array(
        [_multinomial(c, law) for c in counts]
    )


def _law_of_cells(
    points: Doubles, masses: Doubles, cells: NDArray[np.int64], m: int, scale: float = 1.0
) -> Law:
    shares = np.bincount(cells, weights=masses)
    sums, probabilities = np.zeros((1, points.shape[1])), np.ones(1)
    for cell, draws in enumerate(draws_per_cell(shares, m)):
        members = cells == cell
        offsets, law = _cell_outcomes(points[members], masses[members] / shares[cell], int(draws))
        if len(law) * len(sums) > LARGEST:
            raise ValueError("too many outcomes to enumerate")
        sums = (sums[:, None] + shares[cell] * offsets[None]).reshape(-1, points.shape[1])
        probabilities = (probabilities[:, None] * law[None]).ravel()
    return Law(scale * np.sqrt(np.einsum("bp,bp->b", sums, sums)), probabilities)


@cache
def _traversal(sample: str, m: int) -> Traversal:
    return traverse(SAMPLES[sample].target, m)


def clustered_law(sample: str, m: int) -> Law:
    """Law of the error of clustered sub-sampling on farthest-first cells, total weight included."""
    chosen = SAMPLES[sample]
    target = chosen.target
    cells = _traversal(sample, m).cells
    return _law_of_cells(chosen.signed, target.masses, cells, m, target.total)


def total_weight(sample: str) -> float:
    r"""$W=\sum|\alpha|$."""
    return SAMPLES[sample].target.total


def _squares(points: Doubles) -> Doubles:
    difference = points[:, None] - points[None]
    return np.asarray(np.einsum("ijp,ijp->ij", difference, difference))


def cell_diameter(sample: str, m: int, signed: bool = True) -> float:
    """Largest diameter of a farthest-first cell; of the points without their signs if asked."""
    chosen = SAMPLES[sample]
    cells = _traversal(sample, m).cells
    points = chosen.signed if signed else chosen.target.points.astype(np.float64)
    same = cells[:, None] == cells[None]
    return math.sqrt(float(_squares(points)[same].max()))


@cache
def least_diameter(sample: str, m: int) -> float:
    """$D^*(S,m)$, over every partition into at most ``m`` cells."""
    squares = _squares(SAMPLES[sample].signed)
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


def cell_law(cells: str, m: int, diameter: float) -> Law:
    r"""Theorem 21 on ``m`` cells of equal points, two in a cell.

    ``"parallel"``: all cell differences along one axis; ``"orthogonal"``: each along its own;
    ``"overflow"``: parallel, with weights such that $2m-1$ points are drawn; ``"simplices"``:
    fifty points in a cell, at equal distances, in spaces orthogonal to each other.
    """
    if cells == "simplices":
        return Law([diameter * math.sqrt((1 - 1 / 50) / (2 * m))], [1.0])
    if cells == "orthogonal":
        return Law([diameter / (2 * math.sqrt(m))], [1.0])
    if cells == "parallel":
        heads = np.arange(m + 1)
        law = np.array([math.comb(m, int(b)) for b in heads], dtype=float) / 2.0**m
        return Law(diameter / m * np.abs(heads - m / 2), law)
    shares = _overflow_shares(m)
    heads = np.arange(2 * (m - 1) + 1)
    law = np.array([math.comb(2 * (m - 1), int(b)) for b in heads], dtype=float)
    law /= 2.0 ** (2 * (m - 1))
    most = shares[0] * (heads - (m - 1)) / 2
    ends = np.concatenate([most + shares[-1] / 2, most - shares[-1] / 2])
    return Law(diameter * np.abs(ends), np.concatenate([law, law]) / 2)


def _overflow_shares(m: int) -> Doubles:
    """All cells but the last a little above $1/m$: they give two points each."""
    shares = np.full(m, (1 + 0.5 / m) / m)
    shares[-1] = 1 - shares[:-1].sum()
    return shares


@cache
def _masses(m: int) -> list[list[Fraction]]:
    r"""Masses of ``m`` cells, empty ones too: all multiples of $1/(2m-1)$ and of 1/9 where these
    are few, else equal, geometric, with empty cells, and those that overflow."""
    if m <= 5:
        totals = {9, 2 * m - 1}
        return [list(masses) for total in sorted(totals) for masses in simplex(m, total)]
    half, little = Fraction(1, 2), Fraction(2 * m + 1, 2 * m * m)
    return [
        [Fraction(1, m)] * m,
        [half**i for i in range(1, m)] + [half ** (m - 1)],
        [Fraction(1, m // 2)] * (m // 2) + [Fraction(0)] * (m - m // 2),
        [little] * (m - 1) + [1 - (m - 1) * little],
    ]


def drawn_points(m: int) -> dict[str, Any]:
    """Number of points drawn, the sparsity where all are different, by the masses of the cells."""
    draws = [int(draws_per_cell(np.array(masses, float), m).sum()) for masses in _masses(m)]
    return {"lhs": draws, "m": [m] * len(draws), "case": list(range(len(draws)))}


def sparsity_certificate(less: int) -> Callable[..., Certificate]:
    """The ceilings in fractions, against $2m$ less some.

    Parameters
    ----------
    less : int
        By how much the bound is below $2m$.

    Returns
    -------
    callable
        One instance to a `Certificate`.
    """

    def certify(m: int, case: int) -> Certificate:
        masses = _masses(m)[int(case)]
        draws = [math.ceil(share * m) for share in masses]
        return Certificate(
            sum(draws), 2 * m - less,
            [("cells", m), ("masses", ", ".join(map(str, masses))),
             ("draws", ", ".join(map(str, draws))), ("points drawn", sum(draws))],
        )

    return certify


def tolerance_law(sample: str, epsilon: float, delta_used: float, test: str) -> Law:
    r"""Error of Algorithm 2, stopped as the test says.

    ``"printed"`` begins with $d=0$, as a program that does not set it would, and stops at once;
    ``"current"`` tests $2r_k(1+\sqrt{\log1/\delta})/\sqrt k\le\epsilon$, ``"sharp"`` the same over
    $\sqrt2$.
    """
    chosen = SAMPLES[sample]
    radii = traverse(chosen.target, len(chosen.points)).radii
    k = 1
    if test != "printed":
        factor = 2 * (1 + math.sqrt(math.log(1 / delta_used)))
        factor /= math.sqrt(2) if test == "sharp" else 1
        while factor * radii[k - 1] / math.sqrt(k) > epsilon:
            k += 1
    return clustered_law(sample, k)
