"""Numbers of samples and of queries, drawn by the public samplers, and operations counted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.online.degrees import Geometric
from noisytheory.topics.online.descent import Rule, descend, draw_tape
from noisytheory.topics.online.maps import NoisyOracle, Scheme
from noisytheory.topics.online.printed import PlainLearner
from noisytheory.vocabulary.analytic import ExponentialLoss, SquaredLoss
from noisytheory.vocabulary.dot_products import ExponentialProduct, GaussianProduct
from noisytheory.vocabulary.instance_noise import InstanceNoise

Floats = NDArray[np.float64]


def samples(p: float, *, size: int, rng: np.random.Generator) -> Floats:
    """Number of samples of the estimator of Lemma 1."""
    return Geometric(p).draw(size, rng=rng).astype(float)


def at_least(p: float, z: int, *, size: int, rng: np.random.Generator) -> Floats:
    """Whether it takes z samples or more."""
    return np.asarray(samples(p, size=size, rng=rng) >= z, float)


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


def gaussian_tail(p: float, z: int) -> float:
    r"""Exact $\mathbb P(Q\ge z)$ for the Gaussian kernel, by multiplying out its law.

    A map takes $2N_1+N_2$ queries, a round $C+1$ maps; all geometric.
    """
    count = z + 1
    one = Geometric(p).pmf(count)
    pairs = np.zeros(count)
    pairs[::2] = one[: len(pairs[::2])]
    single = np.convolve(pairs, one)[:count]
    law, power = np.zeros(count), single.copy()
    # Rounds of C + 1 maps; a map of no query has probability < 1, so terms fall geometrically.
    for chance in Geometric(p).pmf(2000):
        law += chance * power
        power = np.convolve(power, single)[:count]
    return float(1 - law[:z].sum())


def capped(T: int, M: int, p: float, *, size: int, rng: np.random.Generator) -> Floats:
    """Whether some of T rounds wants more than M queries."""
    drawn = _queries(p, "exponential", size * T, rng).reshape(size, T)
    return np.asarray(drawn.max(axis=1) > M, float)


def prods(T: int, p: float, *, size: int, rng: np.random.Generator) -> Floats:
    """Calls of Prod that Algorithm 1 makes as printed."""
    out = np.empty(size)
    for row in range(size):
        plain = PlainLearner(ExponentialProduct(), ExponentialLoss(), 1.0, 0.1, T, p=p)
        for _ in range(T):
            plain.step(lambda: [0.1], 1.0, rng=rng)
        out[row] = plain.prods
    return out


def multiplications(T: int, d: int, p: float, *, size: int, rng: np.random.Generator) -> Floats:
    """Inner products times d, Prod calls and queries that Algorithm 1 makes as printed."""
    out = np.empty(size)
    x = [0.1] * d
    for row in range(size):
        asked = [0]

        def query(asked: Any = asked) -> list[float]:
            asked[0] += 1
            return x

        plain = PlainLearner(ExponentialProduct(), SquaredLoss(1.0), 1.0, 0.1, T, p=p)
        for _ in range(T):
            plain.step(query, 1.0, rng=rng)
        # A Prod of two estimates of degree n makes n inner products; the norm has all pairs.
        degrees = np.array([m[0] for m in plain.maps])
        inner = sum(
            int(degrees[: t + 1][degrees[:, None][: t + 1] == degrees[: t + 1]].sum())
            if t < 0 else _matches(degrees[: t + 1]) for t in range(T)
        )
        out[row] = inner * d + plain.prods + asked[0]
    return out


def _matches(degrees: NDArray[np.int64]) -> int:
    """Inner products of all pairs of equal degrees."""
    counts = np.bincount(degrees)
    return int(np.sum(counts**2 * np.arange(len(counts))))


def incremental_calls(T: int, p: float, *, size: int, rng: np.random.Generator) -> Floats:
    """Inner products of estimates that the fast form takes: one a map, none for the norm's rest."""
    out = np.empty(size)
    scheme, law = Scheme(ExponentialProduct(), Geometric(p)), Geometric(p)
    for row in range(size):
        oracle = NoisyOracle(np.full((T, 1), 0.1), InstanceNoise("none", 0.0))
        tape = draw_tape(T, scheme, law, oracle, rng=rng)
        run = descend(tape, np.ones(T), scheme, ExponentialLoss(), law, Rule(1.0, 0.1, T=T))
        stored = np.cumsum(np.asarray(run.lengths) != 0)
        before = np.concatenate([[0], stored[:-1]])
        out[row] = np.sum(before * (np.diff(tape.first) + 1))
    return out
