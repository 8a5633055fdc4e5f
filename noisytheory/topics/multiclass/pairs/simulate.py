"""Draws of estimated shares of classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.multiclass.deviations.simulate import OneAtom
from noisytheory.topics.multiclass.uma import class_shares
from noisytheory.trial.claim import Law
from noisytheory.vocabulary.confusion import inverse_of

__all__ = ["largest_gap", "share_gap", "share_law"]

Floats = NDArray[np.float64]


def share_gap(population: OneAtom, n: int, *, size: int, rng: np.random.Generator) -> Floats:
    """Deviation of the estimated share of class 1, by the public function."""
    hits = rng.binomial(n, population.confusion[1, population.true], size=size)
    seen = np.stack([n - hits, hits], axis=1) / n
    return np.abs(class_shares(seen, inverse_of(population.confusion))[:, 1] - population.norm)


def share_law(population: OneAtom, n: int) -> Law:
    """The law of the same: the samples there are, by the public function."""
    hits = population.hits(n)
    seen = np.stack([n - hits, hits], axis=1) / n
    shares = class_shares(seen, inverse_of(population.confusion))[:, 1]
    return Law(np.abs(shares - population.norm), population.chances(n), error=1e-7)


def largest_gap(population: OneAtom) -> float:
    """What no sample exceeds: of labels that are all the same."""
    ends = class_shares(np.eye(2), inverse_of(population.confusion))[:, 1]
    return float(np.abs(ends - population.norm).max())
