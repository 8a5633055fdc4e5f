"""Draws of whole runs of UMA, by the public algorithm."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, bdtrik

from noisytheory.topics.multiclass.uma import uma_runs, update_deviation
from noisytheory.trial.claim import Law
from noisytheory.vocabulary.populations import Finite, Multiclass
from noisytheory.vocabulary.populations.multinomial import binomial_law

__all__ = [
    "any_pair", "fresh_chunks", "random_pair", "random_pair_law", "stuck", "stuck_law",
    "ten_sectors",
]

Floats: TypeAlias = NDArray[np.float64]


def ten_sectors() -> Multiclass:
    """Ten classes on equal arcs of the circle, .82 kept and .02 to each other class."""
    angle = 2 * np.pi * (np.arange(40) + 0.5) / 40
    points = np.column_stack([np.cos(angle), np.sin(angle)])
    return Multiclass(
        Finite("ten sectors", points, np.arange(40) // 4, classes=10),
        np.full((10, 10), 0.02) + 0.8 * np.eye(10),
    )


TEN = ten_sectors()

MOST = 2000
"""Updates within which runs that look at all pairs end; the median takes some 180."""


def any_pair(
    n: int, stop: str, tolerance: float, *, size: int, rng: np.random.Generator
) -> dict[str, Any]:
    """Error of a run with random pairs that has stopped, and pairs looked at; else 1."""
    found = uma_runs(
        TEN.points, TEN.counts(n, size, rng=rng) / n, TEN.confusion, strategy="random",
        stop=stop, tolerance=tolerance, max_iter=MOST, rng=rng,
    )
    return {"lhs": np.array([
                1.0 if run.stopped == "max_iter" else TEN.error(run.weights) for run in found
            ]),
            "draws": np.array([run.draws for run in found])}


FLIPPED = 0.1037
"""Share of the labels of two orthonormal atoms that are flipped: no count has it, so none tie."""


def _stuck(counts: Any, step: str) -> NDArray[np.bool_]:
    """Whether runs on such counts of (atom, label) end with an atom wrong, shape (runs,)."""
    found = uma_runs(
        np.eye(2), counts / counts[0].sum(), [[1 - FLIPPED, FLIPPED], [FLIPPED, 1 - FLIPPED]],
        tolerance=0.1, normalise=True, step=step, max_iter=40,
    )
    said = np.array([run.weights for run in found]).argmax(axis=1)
    return np.asarray((said != np.arange(2)).any(axis=1))


def stuck(mass: float, step: str, n: int, *, size: int, rng: np.random.Generator) -> Floats:
    """Whether a run on two orthonormal atoms ends with one of them wrong."""
    shares = np.array([mass, 1 - mass])[:, None] * [[1 - FLIPPED, FLIPPED], [FLIPPED, 1 - FLIPPED]]
    counts = rng.multinomial(n, shares.ravel(), size=size).reshape(size, 2, 2)
    return np.asarray(_stuck(counts, step), float)


def stuck_law(mass: float, step: str, n: int) -> Law:
    """The law of the same, from all counts of the first atom and of its flipped labels.

    More labels of the second atom that are right only lengthen what the first step takes from the
    first atom's class: from some number on the run is stuck, and halving finds it.
    """
    law = np.zeros((n + 1, n + 1))
    for many, share in enumerate(binomial_law(n, mass)):
        law[many, : many + 1] = share * binomial_law(many, FLIPPED)
    first, flipped = np.nonzero(law > 1e-9)
    chance, rest = law[first, flipped], n - first
    sizes, of = np.unique(rest, return_inverse=True)
    low, high = (np.ceil(bdtrik(level, sizes, 1 - FLIPPED)).astype(int)[of]
                 for level in (1e-10, 1 - 1e-10))

    def ends(right: NDArray[np.int64], those: Any) -> NDArray[np.bool_]:
        rows = [first[those] - flipped[those], flipped[those], rest[those] - right, right]
        return _stuck(np.stack(rows, axis=1).reshape(-1, 2, 2), step)

    at = np.flatnonzero(ends(high, slice(None)))
    low, high = low[at] - 1, high[at]
    while (open_ := high - low > 1).any():
        middle = (low + high) // 2
        there = ends(middle[open_], at[open_])
        high[open_] = np.where(there, middle[open_], high[open_])
        low[open_] = np.where(there, low[open_], middle[open_])
    hurt = math.fsum(chance[at] * bdtrc(low, rest[at], 1 - FLIPPED))
    return Law([0.0, 1.0], [math.fsum(chance) - hurt, hurt], error=1e-6)


ATOMS = {
    name: Multiclass(Finite(name, np.eye(count), range(count), classes=count), confusion)
    for name, count, confusion in (
        ("two atoms", 2, [[0.9, 0.1], [0.1, 0.9]]), ("three atoms", 3, 0.8 * np.eye(3) + 0.2 / 3)
    )
}


def fresh_chunks(
    atoms: str, n: int, tolerance: float, *, size: int, rng: np.random.Generator
) -> dict[str, Any]:
    """Updates with a fresh sample for each, and the largest deviation of a vector that was used."""
    population = ATOMS[atoms]
    weights = np.zeros((size, population.classes, population.points.shape[1]))
    updates, eta, live = np.zeros(size), np.zeros(size), np.arange(size)
    for _ in range(60):
        seen = population.counts(n, len(live), rng=rng) / n
        for i, masses in zip(live, seen, strict=True):
            eta[i] = max(eta[i], update_deviation(population, masses, weights[i]))
        found = uma_runs(population.points, seen, population.confusion, normalise=True,
                         tolerance=tolerance, start=weights[live], max_iter=1, ties="all")
        weights[live] = [run.weights for run in found]
        live = live[[run.updates > 0 for run in found]]
        updates[live] += 1
        if not live.size:
            break
    theta = np.full(size, population.theta)
    return {"lhs": updates, "eta": eta, "theta": theta}


class Each:
    """A generator of whole numbers that gives every one there is, once to each who asks."""

    def integers(self, high: NDArray[np.int64]) -> NDArray[np.int64]:
        """Whole numbers from 0 on, below `high`."""
        return np.arange(len(high)) % high


def _first_places(classes: int, strategy: str, runs: int, rng: Any) -> NDArray[np.int64]:
    """Places of the first pairs that runs take, among all, each of which has an update vector."""
    masses = np.full((classes, classes), 1 / classes**2)
    points = np.roll(np.eye(classes), 1, axis=1) + 0.5
    found = uma_runs(points, [masses] * runs, np.eye(classes), strategy=strategy,
                     step="forced", start=np.eye(classes), max_iter=1, rng=rng)
    place = {pair: k for k, pair in enumerate(permutations(range(classes), 2))}
    return np.array([place[tuple(run.pairs[0].tolist())] for run in found])


def random_pair(
    classes: int, place: int, strategy: str, *, size: int, rng: np.random.Generator
) -> Floats:
    """Whether the pair at a place among all is the first that a run takes."""
    return np.asarray(_first_places(classes, strategy, size, rng) == place, float)


def random_pair_law(classes: int, place: int, strategy: str) -> Law:
    """The law of the same: of every number that the generator may give."""
    every = classes * (classes - 1)
    share = float(np.mean(_first_places(classes, strategy, every, Each()) == place))
    return Law([0.0, 1.0], [1 - share, share])
