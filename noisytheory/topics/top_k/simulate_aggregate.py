"""Samples of losses: means of their aggregates, exact and drawn, and mid-points on a lattice."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.aggregate import average_top_k
from noisytheory.topics.top_k.sides_aggregate import breaks_midpoint
from noisytheory.trial.claim import Certificate, Law
from noisytheory.vocabulary.domains import SAMPLE_SIZE, requires

__all__ = [
    "exponential", "exponential_variance", "mean_of_law",
    "midpoint_certificate", "midpoints", "sampled", "sampled_law", "tail_of_law",
]

Floats = NDArray[np.float64]

VALUES = np.array([0.0, 1.0, 4.0])
MASSES = np.array([0.5, 0.375, 0.125])
"""A law of losses with a rare large value."""


def midpoints(n: int, k: int, which: str) -> dict[str, NDArray[Any]]:
    """Whether the lattice has a mid-point that proves a function not to be convex."""
    return dict(lhs=np.array([int(breaks_midpoint(n, k, which))]))


def midpoint_certificate(n: int, k: int, which: str) -> Certificate:
    """The same, in whole numbers."""
    return Certificate(int(breaks_midpoint(n, k, which)), 1)


K = 2
"""How many of the largest losses the second claim averages."""


@requires(n=SAMPLE_SIZE)
def mean_of_law(n: Any) -> Any:
    """Mean of the law."""
    return VALUES @ MASSES + 0 * n


@requires(n=SAMPLE_SIZE)
def tail_of_law(n: Any) -> Any:
    """CVaR of the law at tail mass K/n."""
    found: Any = 0 * n
    left = K / n
    for value, mass in zip(VALUES[::-1], MASSES[::-1], strict=True):
        taken = np.minimum(left, mass)
        found = found + taken * value
        left = left - taken
    return found * n / K


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
