"""Excess risks of machines on samples of finite populations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.linear_populations import LinearPopulation, trained

__all__ = ["excess"]

Floats = NDArray[np.float64]


def excess(population: LinearPopulation, n: int, *, size: int, rng: np.random.Generator) -> Floats:
    """Excess risk of the machine."""
    return np.asarray(trained(population, n, size=size, rng=rng)["excess"])
