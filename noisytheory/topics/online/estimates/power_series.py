r"""Both sides of the claims on power series that do not end: second moments and the best p."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from noisytheory.vocabulary import enclosures
from noisytheory.vocabulary.analytic import AnalyticLoss, ExponentialLoss

TERMS = 70
"""Of a series, summed: what is left is below the last one for arguments up to 45."""


@dataclass
class Powers:
    """A sampling parameter and a mean square."""

    p: Any
    m: Any

    @staticmethod
    def draw(*, size: int, rng: np.random.Generator) -> dict[str, Any]:
        """Random instances; half of them near 0, where the bound is attained in the limit."""
        m = rng.integers(1, 65, size) / np.where(rng.random(size) < 0.5, 16, 4096)
        return dict(p=rng.choice([1.0625, 1.5, 2.0, 3.0, 8.0], size), m=m)


def series_second_moment(at: Powers, loss: AnalyticLoss) -> dict[str, Any]:
    r"""$\sum_n\Pr[N=n]\big(\gamma_n/\Pr[N=n]\big)^2m^n$ degree by degree, and Lemma 1's bound.

    Of the exponential $\gamma_n=\frac1{n!}$, of the smoothed absolute loss
    $\frac2{\sqrt\pi}\frac{(-1)^k}{k!(2k+1)}$ at $n=2k+1$; signs do not matter.
    """
    exponential = isinstance(loss, ExponentialLoss)
    total, last = 0 * at.p, 0 * at.p
    for k in range(TERMS):
        n = k if exponential else 2 * k + 1
        gamma = 1 / (math.factorial(k) * (1 if exponential else n) + 0 * at.p)
        chance = (at.p - 1) / at.p ** (n + 1)
        last = chance * (gamma / chance) ** 2 * at.m**n
        total = total + last
    low, high = enclosures.sqrt(at.p * at.m)
    factor = at.p / (at.p - 1)
    if exponential:
        ends = enclosures.exp(low)[0], enclosures.exp(high)[1]
        found = total, total + last
    else:
        # With half the root of pi on the erfi, and 4 / pi on both sides.
        pi = enclosures.pi(at.p)
        shares = 2 / enclosures.sqrt(pi[1])[1], 2 / enclosures.sqrt(pi[0])[0]
        ends = enclosures.erfi(low)[0] * shares[0], enclosures.erfi(high)[1] * shares[1]
        found = total * shares[0] ** 2, (total + last) * shares[1] ** 2
    return dict(lhs=found, rhs=(factor * ends[0] ** 2, factor * ends[1] ** 2), p=at.p, m=at.m)


@dataclass
class Sampling:
    r"""Two sampling parameters, of which the first is best for $B_x=\frac2{p(p-1)}$."""

    p: Any
    q: Any

    @staticmethod
    def draw(*, size: int, rng: np.random.Generator) -> dict[str, Any]:
        """Random instances; half of them next to each other."""
        p, q = rng.integers(17, 81, (2, size)) / 16
        step = rng.choice([-1.0, 1.0], size) / 16
        return dict(p=p, q=np.where((rng.random(size) < 0.5) & (p + step > 1), p + step, q))


def best_parameter(at: Sampling, numerator: int) -> dict[str, Any]:
    r"""$u$ of the exponential kernel, over $B_w$, at p and at q; $B_x$ is this over p(p-1)."""
    Bx = numerator / (at.p * (at.p - 1))
    found = []
    for p in (at.p, at.q):
        low, high = enclosures.exp(p * Bx)
        factor = (p / (p - 1)) ** 2
        found.append((factor * low, factor * high))
    return dict(lhs=found[0], rhs=found[1], Bx=Bx)
