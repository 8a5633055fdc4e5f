"""Samples of losses: means of their aggregates, exact and drawn, and errors of the CVaR."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.aggregate import average_top_k, spent
from noisytheory.topics.top_k.rare_loss import MASSES, VALUES, K
from noisytheory.trial.claim import Law
from noisytheory.vocabulary.populations.multinomial import binomial_law

__all__ = [
    "SteepLosses", "cvar_error", "cvar_error_law", "cvar_sample", "exponential",
    "exponential_variance", "sampled", "sampled_law",
]

Floats = NDArray[np.float64]

RAREST = 1e-130
"""Chances below it are left out of an exact law."""


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


@dataclass(frozen=True)
class SteepLosses:
    """Losses 0 and 1, the 1 with probability p: the CVaR is the smaller of 1 and p over the tail.

    Parameters
    ----------
    p, nu : float
    """

    p: float
    nu: float
    bound = 1.0
    radius = 0.0

    @property
    def name(self) -> str:
        """Short and human-readable."""
        return f"losses 0 and 1, p={self.p:g}, tail {self.nu:g}"

    @property
    def cvar(self) -> float:
        """Of the law."""
        return min(1.0, self.p / self.nu)


def cvar_error(
    population: SteepLosses, n: int, sign: float, *, size: int, rng: np.random.Generator
) -> Floats:
    """CVaR minus that of a sample, or the reverse."""
    counts = rng.binomial(n, population.p, size=size)
    found, which = np.unique(counts, return_inverse=True)
    return np.asarray(sign * (population.cvar - _estimates(population, n, found))[which])


def cvar_error_law(population: SteepLosses, n: int, sign: float) -> Law:
    """Its exact law, but for counts that no level tried would see."""
    law = binomial_law(n, population.p)
    found = np.flatnonzero(law > RAREST)
    # The public estimate's own arithmetic, of all counts at once.
    shares = np.column_stack([n - found, found]) / n
    losses = np.broadcast_to([0.0, 1.0], shares.shape)
    estimates = (losses * spent(losses, population.nu, shares)).sum(axis=1) / population.nu
    return Law(sign * (population.cvar - estimates), law[found], slack=1e-12)


def _estimates(population: SteepLosses, n: int, counts: NDArray[Any]) -> Floats:
    """CVaR of samples with so many losses of 1."""
    return np.array([average_top_k([0.0, 1.0], population.nu, [n - m, m]) for m in counts])


def cvar_sample(
    population: SteepLosses, n: int, *, size: int, rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    """CVaR of the law minus that of a sample, and how many of its losses are 1."""
    ones = rng.binomial(n, population.p, size=size)
    found, which = np.unique(ones, return_inverse=True)
    return dict(lhs=(population.cvar - _estimates(population, n, found))[which], ones=ones)
