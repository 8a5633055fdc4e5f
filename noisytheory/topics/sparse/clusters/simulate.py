r"""Sub-sampling of clusters: by the public algorithms, or every outcome counted.

A `Scheme` is a handful of signed points with weights, and cells; laws of the errors are enumerated
where there are not too many outcomes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.sparse.approximation import Approximation
from noisytheory.topics.sparse.farthest_first import Traversal, traverse
from noisytheory.topics.sparse.samples import Sample, Scheme
from noisytheory.topics.sparse.sampling import (
    cells_to_tolerance,
    cells_to_tolerance_printed,
    clustered,
    clustered_printed,
    clustered_to_tolerance,
    clustered_to_tolerance_printed,
    draws_per_cell,
)
from noisytheory.topics.sparse.subsampling.simulate import multinomial
from noisytheory.trial.claim import Certificate, Law
from noisytheory.vocabulary.exact import compositions, simplex
from noisytheory.vocabulary.kernels import Linear

Doubles = NDArray[np.float64]
LARGEST = 100_000
"""Outcomes that are enumerated."""


def _cell_outcomes(points: Doubles, law: Doubles, draws: int) -> tuple[Doubles, Doubles]:
    """Mean of the draws less its expectation, with probabilities."""
    counts = compositions(draws, len(law))
    return (counts / draws - law) @ points, multinomial(counts, law)


def _law_of_cells(
    points: Doubles, masses: Doubles, cells: NDArray[np.int64], m: int, scale: float = 1.0
) -> Law | None:
    shares = np.bincount(cells, weights=masses)
    # A cell of one point loses nothing.
    members = np.bincount(cells)
    drawn = [(cell, draws) for cell, draws in enumerate(draws_per_cell(shares, m).tolist())
             if draws and members[cell] > 1]
    ways = [math.comb(draws + int(members[cell]) - 1, draws) for cell, draws in drawn]
    if math.prod(ways) > LARGEST:
        return None
    sums, probabilities = np.zeros((1, points.shape[1])), np.ones(1)
    for cell, draws in drawn:
        inside = cells == cell
        offsets, law = _cell_outcomes(points[inside], masses[inside] / shares[cell], draws)
        sums = (sums[:, None] + shares[cell] * offsets[None]).reshape(-1, points.shape[1])
        probabilities = (probabilities[:, None] * law[None]).ravel()
    return Law(scale * np.sqrt(np.einsum("bp,bp->b", sums, sums)), probabilities)


def clustered_law(population: Scheme) -> Law | None:
    """Law of the error of clustered sub-sampling, total weight included; None if it is long.

    The cells are the algorithm's own, or those given to it.
    """
    if not population.counted:
        return None
    chosen, m = population.sample, population.m
    target = chosen.target
    cells = population.cells
    if population.given is None:
        cells = traverse(target, m + population.extra).cells
    return _law_of_cells(chosen.signed, target.masses, cells, m, target.total)


def clustered_square_law(population: Scheme) -> Law | None:
    """Law of the squared error."""
    found = clustered_law(population)
    return None if found is None else Law(np.square(found.values), found.probabilities)


def clustered_errors(
    population: Scheme, *, size: int, rng: np.random.Generator
) -> Doubles:
    """Errors of the public algorithm: Algorithm 1, as printed if the scheme has a centre more."""
    runs = _runs(population, np.array(population.sample.alpha), size, rng)
    return np.array([run.error for run in runs])


def uniform_errors(population: Scheme, *, size: int, rng: np.random.Generator) -> Doubles:
    """Errors if the points of a cell had equal chances: of a target with such weights, and off."""
    cells, alpha = population.cells, np.array(population.sample.alpha)
    shares = np.bincount(cells, np.abs(alpha)) / np.bincount(cells)
    points = np.array(population.sample.points)
    runs = _runs(population, np.sign(alpha) * shares[cells], size, rng)
    return np.array([
        np.linalg.norm(alpha @ points - run.weights @ points[run.indices]) for run in runs
    ])


def _runs(
    population: Scheme, alpha: Doubles, size: int, rng: np.random.Generator
) -> Iterator[Approximation]:
    points, m = np.array(population.sample.points), population.m
    if population.extra:
        return (clustered_printed(Linear(), points, alpha, m, rng=rng) for _ in range(size))
    given = population.given
    return (clustered(Linear(), points, alpha, m, rng=rng, cells=given) for _ in range(size))


def clustered_squares(population: Scheme, *, size: int, rng: np.random.Generator) -> Doubles:
    """Squared errors of the public algorithm."""
    return clustered_errors(population, size=size, rng=rng) ** 2


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


def sparsity_certificate(m: int, spared: int, case: int) -> Certificate:
    """The ceilings in fractions, against $2m$ less what is spared.

    On trial is the public rule for the draws, which has to round floats.
    """
    masses = _masses(m)[int(case)]
    draws = [math.ceil(share * m) for share in masses]
    return Certificate(
        sum(draws), 2 * m - spared,
        [("cells", m), ("masses", ", ".join(map(str, masses))),
         ("draws", ", ".join(map(str, draws))), ("points drawn", sum(draws))],
    )


@dataclass(frozen=True)
class Demand:
    """A sample, and the error that Algorithm 2 is asked for at a level.

    Parameters
    ----------
    sample : Sample
    epsilon : float
        RKHS norm.
    asked : float
        The level.
    """

    sample: Sample
    epsilon: float
    asked: float

    @property
    def name(self) -> str:
        """Short and human-readable."""
        return f"{self.sample.name}; epsilon = {self.epsilon:.4g}"

    @property
    def reach(self) -> float:
        """What no error exceeds, whatever the cells."""
        norms = np.linalg.norm(self.sample.points, axis=1)
        return 2 * float(np.abs(self.sample.alpha).sum() * norms.max())

    def digest(self) -> str:
        """What the laws depend on."""
        return repr(self)


def _demanded(population: Demand, before: float | str) -> Traversal:
    target, epsilon, delta = population.sample.target, population.epsilon, population.asked
    if isinstance(before, str):
        return cells_to_tolerance(target, epsilon, delta)
    return cells_to_tolerance_printed(target, epsilon, delta, radius=before, cells=1)


def largest_error(population: Demand, before: float | str) -> float:
    """What no error exceeds with the cells that Algorithm 2 ends with."""
    found = _demanded(population, before)
    return Scheme(population.sample, len(found.centres), tuple(found.cells.tolist())).largest


def tolerance_law(population: Demand, before: float | str) -> Law | None:
    r"""Law of the error of Algorithm 2 on the cells that it ends with.

    ``before`` is $d$ before the loop, as printed; ``"mended"`` is the public algorithm mended.
    """
    chosen, found = population.sample, _demanded(population, before)
    target = chosen.target
    return _law_of_cells(
        chosen.signed, target.masses, found.cells, len(found.centres), target.total
    )


def tolerance_errors(
    population: Demand, before: float | str, *, size: int, rng: np.random.Generator
) -> Doubles:
    """Errors of the public Algorithm 2, as `tolerance_law` has their law."""
    chosen, epsilon, delta = population.sample, population.epsilon, population.asked
    points, alpha = np.array(chosen.points), np.array(chosen.alpha)
    if isinstance(before, str):
        runs = (clustered_to_tolerance(Linear(), points, alpha, epsilon, delta, rng=rng)
                for _ in range(size))
    else:
        runs = (clustered_to_tolerance_printed(Linear(), points, alpha, epsilon, delta, rng=rng,
                                               radius=before, cells=1)
                for _ in range(size))
    return np.array([run.error for run in runs])
