"""Numbers of queries, drawn by the public samplers, and operations counted."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.online.degrees import Fixed, Geometric
from noisytheory.topics.online.descent import draw_tape
from noisytheory.topics.online.maps import NoisyOracle, Scheme, fixed
from noisytheory.topics.online.printed import PlainLearner
from noisytheory.trial.claim import Certificate, Law
from noisytheory.vocabulary.analytic import AnalyticLoss, ExponentialLoss
from noisytheory.vocabulary.dot_products import DotProduct, ExponentialProduct, GaussianProduct
from noisytheory.vocabulary.instance_noise import InstanceNoise

Floats = NDArray[np.float64]


def _queries(p: float, kernel: str, size: int, rng: np.random.Generator) -> Floats:
    """Queries of rounds of the public algorithm, one a row."""
    made = GaussianProduct(1.0) if kernel == "Gaussian" else ExponentialProduct()
    oracle = NoisyOracle(np.zeros((size, 1)), InstanceNoise("none", 0.0))
    draw_tape(size, Scheme(made, Geometric(p)), Geometric(p), oracle, rng=rng)
    return oracle.calls.astype(float)


def queries(p: float, kernel: str, *, size: int, rng: np.random.Generator) -> Floats:
    """Queries of a round, as the oracle counts them."""
    return _queries(p, kernel, size, rng)


def queries_at_least(
    p: float, z: int, kernel: str, *, size: int, rng: np.random.Generator
) -> Floats:
    """Whether a round takes z queries or more."""
    return np.asarray(_queries(p, kernel, size, rng) >= z, float)


def capped(
    T: int, M: int, p: float, kernel: str, *, size: int, rng: np.random.Generator
) -> Floats:
    """Whether some of T rounds wants more than M queries."""
    drawn = _queries(p, kernel, size * T, rng).reshape(size, T)
    return np.asarray(drawn.max(axis=1) > M, float)


@dataclass(frozen=True)
class Recorded:
    """So many copies of each of T instances.

    Parameters
    ----------
    T, M : int
    p : float
    kernel : str
    """

    T: int
    M: int
    p: float
    kernel: str

    @property
    def name(self) -> str:
        """For labels."""
        return f"T={self.T}, p={self.p:g}, {self.kernel}, M={self.M}"


def fixed_queries(kernel: DotProduct, loss: AnalyticLoss) -> Law:
    """Queries of rounds with a fixed number of factors; of the few that were run each counts."""
    oracle = NoisyOracle(np.zeros((8, 1)), InstanceNoise("none", 0.0))
    law = Fixed(loss.degree or 0)
    draw_tape(8, fixed(kernel), law, oracle, rng=np.random.default_rng(0))
    return Law(oracle.calls.astype(float), np.full(8, 1 / 8))


def prods(T: int, p: float, kernel: str, *, size: int, rng: np.random.Generator) -> Floats:
    """Calls of Prod that Algorithm 1 makes as printed."""
    made = GaussianProduct(1.0) if kernel == "Gaussian" else ExponentialProduct()
    out = np.empty(size)
    for row in range(size):
        plain = PlainLearner(made, ExponentialLoss(), 1.0, 0.1, T, p=p)
        for _ in range(T):
            plain.step(lambda: [0.1], 1.0, rng=rng)
        out[row] = plain.prods
    return out


def pairs(T: int, p: float, *, size: int, rng: np.random.Generator) -> Floats:
    """Inner products that the fast form takes if every round moves the predictor.

    Each estimate of a round meets the terms of the rounds before; a map's own square counts too.
    """
    scheme, law = Scheme(ExponentialProduct(), Geometric(p)), Geometric(p)
    oracle = NoisyOracle(np.zeros((size * T, 1)), InstanceNoise("none", 0.0))
    tape = draw_tape(size * T, scheme, law, oracle, rng=rng)
    estimates = 1 + np.diff(tape.first).reshape(size, T)
    return np.asarray((estimates * np.arange(T)).sum(axis=1) + T, float)


def expected_operations(
    T: int, d: int, p: float, *, size: int, rng: np.random.Generator
) -> dict[str, Floats]:
    """Expected multiplications, calls of Prod and queries of the plain loops, from their laws.

    Two estimates have equal degrees with probability $(p-1)/(p+1)$ and then $n$ inner products,
    $1/(p+1)^2$ in the mean; an estimate with itself has $1/(p-1)$.
    """
    return dict(lhs=np.full(size, float(_operations(T, d, Fraction(p)))))


def _operations(T: int, d: int, p: Fraction) -> Fraction:
    pairs = 1 / (p + 1) ** 2
    own = 1 / (p - 1)
    calls = Fraction(T * (T - 1), 2) / (p - 1) + Fraction(T * (T + 1) * (2 * T + 1), 6)
    inner = Fraction(T * (T - 1), 2) / (p - 1) * pairs
    inner += sum(t * t - t for t in range(1, T + 1)) * pairs + Fraction(T * (T + 1), 2) * own
    return d * inner + calls + T * p / (p - 1) ** 2


def expected_operations_certified(T: int, d: int, p: float) -> Certificate:
    """Both sides as fractions."""
    at = Fraction(p)
    return Certificate(
        _operations(T, d, at), Fraction(3, 2) * T**3 * (1 + d * at / (at - 1) ** 2), [("p", at)]
    )
