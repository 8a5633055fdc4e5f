"""Samples of losses: means of their aggregates, exact and drawn, and mid-points on a lattice."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.aggregate import average_top_k
from noisytheory.topics.top_k.rare_loss import MASSES, VALUES, K
from noisytheory.topics.top_k.sides_aggregate import breaks_midpoint
from noisytheory.trial.claim import Certificate, Law

__all__ = [
    "exponential", "exponential_variance",
    "midpoint_certificate", "midpoints", "sampled", "sampled_law",
]

Floats = NDArray[np.float64]


def midpoints(n: int, k: int, which: str) -> dict[str, NDArray[Any]]:
    """Whether the lattice has a mid-point that proves a function not to be convex."""
    return dict(lhs=np.array([int(breaks_midpoint(n, k, which))]))


def midpoint_certificate(n: int, k: int, which: str) -> Certificate:
    """The same, in whole numbers."""
    return Certificate(int(breaks_midpoint(n, k, which)), 1)


def sampled(n: int, which: str, *, size: int, rng: np.random.Generator) -> Floats:
    """Average top-k losses of samples."""
    losses = rng.choice(VALUES, p=MASSES, size=(size, n))
    return np.asarray(average_top_k(losses, n if which == "mean" else K), float)


def sampled_law(n: int, which: str) -> Law:
    """Their exact law, from all counts."""
    values, masses = [], []
    for a, b in itertools.product(range(n + 1), repeat=2):
        if a + b > n:
            continue
        c = n - a - b
        losses = np.repeat(VALUES, [a, b, c])
        values.append(float(average_top_k(losses, n if which == "mean" else K)))
        ways = math.factorial(n) / (math.factorial(a) * math.factorial(b) * math.factorial(c))
        masses.append(ways * float(np.prod(MASSES ** [a, b, c])))
    return Law(values, masses)


def exponential(n: int, k: int, *, size: int, rng: np.random.Generator) -> Floats:
    """Average top-k losses of samples of standard exponential losses."""
    return np.asarray(average_top_k(rng.exponential(size=(size, n)), k), float)


def exponential_variance(n: int, k: int) -> float:
    r"""Renyi: spacings are independent exponentials, so the variance is a sum of squares."""
    j = np.arange(1, n + 1)
    return float(np.sum((np.minimum(j, k) / (k * j)) ** 2))
