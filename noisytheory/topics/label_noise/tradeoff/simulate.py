r"""Algorithm 1 on samples with noisy labels: Corollary 23 and Section 6."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.sparse.approximation import Target
from noisytheory.topics.sparse.farthest_first import traverse
from noisytheory.topics.sparse.sampling import clustered, draws_from_cells
from noisytheory.trial.claim import Law
from noisytheory.vocabulary.kernels import Gaussian
from noisytheory.vocabulary.noise import SymmetricFlip
from noisytheory.vocabulary.populations import GaussianMixture, axis, point_mass
from noisytheory.vocabulary.populations.finite import Finite

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class CellsOf:
    """A population, and how many cells Algorithm 1 is to make of a sample of it.

    Parameters
    ----------
    population : Finite
    m : int
        Number of cells.
    """

    population: Finite
    m: int

    @property
    def name(self) -> str:
        """For the grid."""
        return f"{self.population.name}, {self.m} cells"

    @property
    def norm(self) -> float:
        """Norm of the clean mean."""
        return self.population.norm

    def digest(self) -> str:
        """What the draws depend on."""
        return f"{self.population.digest()} {self.m}"


@dataclass(frozen=True)
class OnePoint(CellsOf):
    """A point mass with a positive label, and two cells: the approximation is exact."""

    population: Finite = field(default_factory=point_mass)
    m: int = 2
    diameter: ClassVar[float] = 0.0


@dataclass(frozen=True)
class FairSigns(CellsOf):
    """Fair signs on an axis, which noise leaves alone, and two cells: nothing is lost by them."""

    population: Finite = field(default_factory=axis)
    m: int = 2
    diameter: ClassVar[float] = 0.0


def close_points() -> CellsOf:
    """Three positive points in a row, 0.01 apart, and four cells for them and their negatives."""
    row = [[0.0], [0.01], [0.02]]
    return CellsOf(Finite("three close points", row, [1, 1, 1], kernel=Gaussian(1.0)), 4)


def heavy_cell() -> CellsOf:
    """Two halves of a unit axis, in one cell, and six rare points that take the centres.

    Each rare point is in a sample of a million, and one of the six centres, so that nearly all
    draws are fair signs of the two halves; the cell is twice as wide as the best ones.
    """
    axes, rare = np.eye(5), Fraction(1, 50_000)
    points = np.concatenate([np.zeros((1, 5)), axes, -axes[:1] / 2, axes[:1] / 2])
    weights = [rare] * 6 + [(1 - 6 * rare) / 2] * 2
    return CellsOf(Finite("one heavy cell", points, [1] * 8, weights), 6)


def checkerboard_of_pairs(m: int) -> CellsOf:
    """Two points, 0.06 apart, at each corner of the four by four grid, and ``m`` cells."""
    corners = np.array(list(itertools.product(range(4), repeat=2)), dtype=float)
    points = (corners[:, None] + np.array([[-0.03, 0.0], [0.03, 0.0]])).reshape(-1, 2)
    labels = np.repeat(np.where(corners.sum(axis=1) % 2 == 0, 1, -1), 2)
    kernel = Gaussian(0.25)
    return CellsOf(Finite("checkerboard of pairs", points, labels, kernel=kernel), m)


def noisy_sparse_distance(
    population: CellsOf, n: int, sigma: float, divided: int, *, size: int,
    rng: np.random.Generator,
) -> dict[str, Doubles]:
    r"""$\|\Phi(P)-\tilde\omega\|$ and the radius of the cells, Algorithm 1 on noisy samples.

    If ``divided``, $\tilde\omega/(1-2\sigma)$ stands in place of $\tilde\omega$. The radius of
    a farthest-first traversal is at most $D^*(S,m)$, so that a bound with it is the harder one.
    A sample is its counts of the signed atoms; all samples are traversed at once.
    """
    noisy = _noisy(population.population, sigma)
    counts = np.asarray(noisy.counts(n, size=size, rng=rng))
    cells, radius = _traversals(noisy.gram, counts > 0, population.m)
    drawn, shares = draws_from_cells(counts / n, cells, population.m, rng)
    weights = np.bincount(drawn, weights=shares, minlength=counts.size).reshape(counts.shape)
    scale = 1 - 2 * sigma
    error = noisy.weights / scale - weights / (scale if divided else 1)
    squares = np.einsum("ri,ri->r", error @ noisy.gram, error)
    return {"lhs": np.sqrt(np.maximum(squares, 0.0)), "diameter": radius}


@cache
def _noisy(population: Finite, sigma: float) -> Finite:
    """A population with label noise, its Gram matrix kept."""
    return population.with_label_noise(sigma)


def _traversals(gram: Doubles, present: NDArray[np.bool_], m: int) -> tuple[Ints, Doubles]:
    """Cells and last radius of farthest-first traversals, each among the atoms present."""
    power = np.diag(gram)
    squares = np.maximum(power[:, None] + power - 2 * gram, 0.0)
    squares[squares < 1e-12] = 0.0
    cells = np.zeros(present.shape, dtype=np.int64)
    # Absent atoms are at distance -1: never the farthest.
    nearest = np.where(present, squares[present.argmax(axis=1)], -1.0)
    for cell in range(1, m):
        farthest = nearest.argmax(axis=1)
        row = squares[farthest]
        closer = (row < nearest) & (nearest.max(axis=1) > 0)[:, None]
        cells[closer] = cell
        np.copyto(nearest, row, where=closer)
    return cells, np.sqrt(nearest.max(axis=1))


def noisy_point_law(population: CellsOf, n: int, sigma: float, divided: int) -> Law | None:
    r"""$\|\Phi(P)-\tilde\omega\|$ on one axis: $\tilde\omega=\Phi(S)$ from two cells.

    With $B$ negative signed features $\Phi(S)=(1-2B/n)\phi(x)$; these are the flipped labels of a
    point mass, $B\sim\mathrm{Bin}(n,\sigma)$, or half of fair signs. If ``divided``,
    $\tilde\omega/(1-2\sigma)$ stands in its place. Of a million, draws are quicker.
    """
    if not isinstance(population, OnePoint | FairSigns) or n >= 1_000_000:
        return None
    from noisytheory.vocabulary.populations.multinomial import binomial_law

    clean, negative = (1.0, sigma) if isinstance(population, OnePoint) else (0.0, 0.5)
    mean = 1 - 2 * np.arange(n + 1) / n
    values = np.abs(clean - mean / (1 - 2 * sigma if divided else 1))
    return Law(values, binomial_law(n, negative))


def noisy_diameter(bandwidth: float, flipped: int) -> tuple[float, float]:
    r"""A lower bound on $D^*(S,16)$ of a checkerboard sample some of whose labels were flipped.

    Seventeen points at mutual distance $r$ need two in one of 16 cells: $D^*(S,16)\ge r$.
    """
    kernel = Gaussian(bandwidth)
    points, labels = _regular_checkerboard()
    labels[:flipped] *= -1
    target = Target(kernel, points, labels / len(labels))
    centres = traverse(target, 17).centres
    gram = target.gram(centres)
    squares = 2 - 2 * gram[np.triu_indices(17, 1)]
    return float(np.sqrt(squares.min())), 1e-9


CORNERS = [(i, j) for i in range(4) for j in range(4)]
CLUSTERS = GaussianMixture(
    "checkerboard", weights=[Fraction(1, 16)] * 16, means=np.array(CORNERS, dtype=float),
    covariances=0.1**2, labels=[1 if (i + j) % 2 == 0 else -1 for i, j in CORNERS],
    kernel=Gaussian(0.25),
)
"""Sixteen clusters of spread 0.1 on the corners of the four by four grid, labels in turns."""
FRESH = 200
"""Examples on which a risk is measured."""


def wrong_by_cells(
    sigma: float, n: int, cells: int, fewer: int, *, size: int, rng: np.random.Generator
) -> dict[str, Doubles]:
    r"""Clean 0-1 risks of Algorithm 1 with ``cells`` cells, and with ``fewer``.

    Clustered sub-sampling (`nt.sparse.clustered`) of ``n`` noisy examples of a
    checkerboard; the risk is the share of `FRESH` fresh examples that are wrong, a score of zero an
    error.
    """
    kernel, flips = CLUSTERS.kernel, SymmetricFlip(sigma)
    points, clean = CLUSTERS.sample(size * (n + FRESH), rng=rng)
    noisy = flips.apply(clean, rng=rng)
    found = np.empty((2, size))
    for row, start in enumerate(range(0, len(points), n + FRESH)):
        seen, fresh = slice(start, start + n), slice(start + n, start + n + FRESH)
        for place, m in enumerate((cells, fewer)):
            sparse = clustered(kernel, points[seen], noisy[seen] / n, m, rng=rng)
            scores = kernel(points[fresh], points[seen][sparse.indices]) @ sparse.weights
            found[place, row] = np.mean(clean[fresh] * np.asarray(scores) <= 0)
    return {"lhs": found[0], "rhs": found[1]}


def _regular_checkerboard() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Five points around every corner of the four by four grid."""
    corners = np.array([(i, j) for i in range(4) for j in range(4)], dtype=float)
    offsets = 0.1 * np.array([(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)], dtype=float)
    points = (corners[:, None] + offsets[None]).reshape(-1, 2)
    return points, np.repeat(np.where(corners.sum(axis=1) % 2 == 0, 1.0, -1.0), 5)
