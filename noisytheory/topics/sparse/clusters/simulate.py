r"""Sub-sampling of clusters in small worlds, where every outcome can be counted.

A `Sample` is a handful of signed points with weights; all its laws are enumerated.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.sparse.farthest_first import Traversal, traverse
from noisytheory.topics.sparse.samples import SAMPLES
from noisytheory.topics.sparse.sampling import draws_per_cell
from noisytheory.topics.sparse.subsampling.simulate import multinomial
from noisytheory.trial.claim import Certificate, Law
from noisytheory.vocabulary.exact import compositions, simplex

Doubles = NDArray[np.float64]
LARGEST = 4_000_000


# Plain sub-sampling.


# Clustered sub-sampling.


def _cell_outcomes(points: Doubles, law: Doubles, draws: int) -> tuple[Doubles, Doubles]:
    """Mean of the draws less its expectation, with probabilities."""
    counts = compositions(draws, len(law))
    return (counts / draws - law) @ points, np.array(
        [multinomial(c, law) for c in counts]
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


def sparsity_certificate(m: int, spared: int, case: int) -> Certificate:
    """The ceilings in fractions, against $2m$ less what is spared."""
    masses = _masses(m)[int(case)]
    draws = [math.ceil(share * m) for share in masses]
    return Certificate(
        sum(draws), 2 * m - spared,
        [("cells", m), ("masses", ", ".join(map(str, masses))),
         ("draws", ", ".join(map(str, draws))), ("points drawn", sum(draws))],
    )


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
