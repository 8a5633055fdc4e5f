"""Regret against the best adversary who sees the predictor, played and by dynamic programming."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.online.adversaries import adaptive_value, adversary
from noisytheory.topics.online.descent import Rule
from noisytheory.topics.online.regrets.simulate import SILENT, Line
from noisytheory.topics.online.replicates import replicate
from noisytheory.vocabulary.analytic import AffineLoss
from noisytheory.vocabulary.dot_products import LinearProduct
from noisytheory.vocabulary.sequences import Examples

Floats = NDArray[np.float64]


_adversary = lru_cache(maxsize=16)(adversary)


def adaptive_regret(
    population: Line, fixed: int, *, size: int, rng: np.random.Generator
) -> Floats:
    """Against the best adversary who sees the predictor; with `fixed` the comparator w = 1."""
    p, T = population.p, population.T
    examples = Examples("adaptive", np.ones((T, 1)), np.ones(T))
    runs = replicate(
        examples, LinearProduct(), AffineLoss(), SILENT, Rule(1.0, population.eta, T=T), p=p,
        size=size, rng=rng, labels=_adversary(p, T, fixed=bool(fixed)),
    )
    sums = runs.sums[:, 0]
    return runs.losses + (sums if fixed else np.abs(sums))


def adaptive_optimum(population: Line, fixed: int) -> tuple[float, float]:
    """The adversary's dynamic programme, and its rounding."""
    value = adaptive_value(population.p, population.T, fixed=bool(fixed))
    return value, 1e-10 * value
