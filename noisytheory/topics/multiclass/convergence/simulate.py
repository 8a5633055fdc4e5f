"""Draws of whole runs of UMA, by the public algorithm."""

from __future__ import annotations

from itertools import permutations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.multiclass.uma import uma_runs, update_vectors
from noisytheory.vocabulary.populations import Finite, Multiclass

__all__ = ["any_pair", "fresh_chunks", "random_pair", "stuck", "ten_sectors"]

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


def any_pair(
    n: int, stop: str, tolerance: float, *, size: int, rng: np.random.Generator
) -> dict[str, Any]:
    """Error after a run with random pairs, and pairs looked at."""
    found = uma_runs(
        TEN.points, TEN.counts(n, size, rng=rng) / n, TEN.confusion, strategy="random",
        stop=stop, tolerance=tolerance, max_iter=40, rng=rng,
    )
    return {"lhs": np.array([TEN.error(run.weights) for run in found]),
            "draws": np.array([run.draws for run in found])}


def stuck(
    mass: float, step: str, n: int, *, size: int, rng: np.random.Generator
) -> Floats:
    """Whether a run on two orthonormal atoms ends with one of them wrong."""
    law = Finite("two", np.eye(2), [0, 1], [mass, 1 - mass], classes=2)
    population = Multiclass(law, [[0.9, 0.1], [0.1, 0.9]])
    found = uma_runs(
        population.points, population.counts(n, size, rng=rng) / n, population.confusion,
        tolerance=0.05, normalise=True, step=step, max_iter=40,
    )
    said = (population.points @ np.array([run.weights for run in found]).swapaxes(1, 2)).argmax(2)
    return np.asarray((said != population.labels).any(axis=1), float)


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
    off = ~np.eye(population.classes, dtype=bool)
    weights = np.zeros((size, population.classes, population.points.shape[1]))
    updates, eta, live = np.zeros(size), np.zeros(size), np.arange(size)
    for _ in range(60):
        seen = population.counts(n, len(live), rng=rng) / n
        for i, masses in zip(live, seen, strict=True):
            gap = update_vectors(population.points, masses, weights[i], population.confusion)
            gap -= population.update_means(weights[i])
            eta[i] = max(eta[i], np.sqrt((gap[off] ** 2).sum(axis=1)).max())
        found = uma_runs(population.points, seen, population.confusion, normalise=True,
                         tolerance=tolerance, start=weights[live], max_iter=1, ties="all")
        weights[live] = [run.weights for run in found]
        live = live[[run.updates > 0 for run in found]]
        updates[live] += 1
        if not live.size:
            break
    theta = np.full(size, population.theta)
    return {"lhs": updates, "eta": eta, "theta": theta}


def random_pair(
    classes: int, strategy: str, *, size: int, rng: np.random.Generator
) -> dict[str, Floats]:
    """Place of the first pair among all, each of which has an update vector, and an even draw."""
    start = np.eye(classes)
    masses = np.full((classes, classes), 1 / classes**2)
    points = np.roll(np.eye(classes), 1, axis=1) + 0.5
    found = uma_runs(points, [masses] * size, np.eye(classes), strategy=strategy,
                     step="forced", start=start, max_iter=1, rng=rng)
    place = {pair: k for k, pair in enumerate(permutations(range(classes), 2))}
    taken = [float(place[tuple(run.pairs[0].tolist())]) for run in found]
    return {"lhs": np.array(taken), "other": rng.integers(len(place), size=size).astype(float)}
