"""A predictor as a sum of estimates, stored by degree, so that kernel rows are matrix products."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.online.maps import Scheme

__all__ = ["Expansion", "Stack"]

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
CHUNK = 4096
"""Stored terms at a time."""
TOGETHER = 1 << 22
"""Inner products with known instances at a time."""


@dataclass
class _Bucket:
    """Estimates of one degree, in the order of their rounds; weights in units of e^base."""

    vectors: Floats
    weights: Floats
    bases: Floats
    rounds: Whole
    count: int = 0

    def append(self, vectors: Floats, weights: Floats, bases: Floats, at: Whole) -> None:
        """Store terms, growing by doubling."""
        last = self.count + len(weights)
        if last > len(self.weights):
            size = max(last, 2 * self.count)
            self.vectors = _grown(self.vectors, self.count, size)
            self.weights = _grown(self.weights, self.count, size)
            self.bases = _grown(self.bases, self.count, size)
            self.rounds = _grown(self.rounds, self.count, size)
        here = slice(self.count, last)
        self.vectors[here], self.weights[here] = vectors, weights
        self.bases[here], self.rounds[here] = bases, at
        self.count = last

    def at(self, base: float) -> Floats:
        """Weights in units of another base, of terms there were by then; 0 where they underflow."""
        shrunk = np.exp(np.minimum(base - self.bases[: self.count], 0.0))
        return self.weights[: self.count] * shrunk


def _prefixes(first: Sequence[Floats], second: Sequence[Floats]) -> Iterator[Floats]:
    """Products of the first inner products, of the first two, ...: of those that have so many."""
    product = None
    for one, other in zip(first, second, strict=False):
        here = one @ other.T
        if product is not None:
            here *= product[: len(one), : len(other)]
        product = here
        yield product


def _grown(values: NDArray[Any], count: int, size: int) -> NDArray[Any]:
    out = np.empty((size, *values.shape[1:]), values.dtype)
    out[:count] = values[:count]
    return out


class Stack:
    """Estimates of weight 1, those of the highest degree first.

    So what their j-th factors have in common with others' is one matrix product for all degrees.

    Parameters
    ----------
    vectors : sequence of array, shape (m, degree, d)
        By degree, the highest first.
    """

    def __init__(self, vectors: Sequence[Floats]) -> None:
        self.size = sum(map(len, vectors))
        self.levels = [
            np.concatenate([v[:, j] for v in vectors if v.shape[1] > j])
            for j in range(vectors[0].shape[1] if vectors else 0)
        ]


class Expansion:
    r"""A predictor $\rho\sum_ia_i\tilde\Psi_i$ in the RKHS.

    Parameters
    ----------
    scheme : Scheme
        Of its estimates.
    d : int
        Dimension of instances.

    Attributes
    ----------
    scale, square : float
        $\rho$, and the squared norm.
    base : float
        Logarithm of what was taken out of the scale before it could underflow.
    buckets : dict
        By degree.
    """

    def __init__(self, scheme: Scheme, d: int) -> None:
        self.scheme, self.d = scheme, d
        self.scale, self.square, self.base = 1.0, 0.0, 0.0
        self.buckets: dict[int, _Bucket] = {}
        self._factors = scheme.factors(64)

    def factor(self, n: int) -> float:
        """Weight of degree n in a coupled estimate."""
        if n >= len(self._factors):
            self._factors = self.scheme.factors(2 * n)
        return float(self._factors[n])

    def append(
        self, degree: int, weights: Floats, vectors: Floats, bases: Floats, at: Whole
    ) -> None:
        """More terms: coefficients in units of the scale, and of the base, at their rounds, times
        the estimates' own weights, shape (m,); (m, degree, d)."""
        if degree not in self.buckets:
            self.buckets[degree] = _Bucket(
                np.empty((8, degree, self.d)), np.empty(8), np.empty(8), np.empty(8, np.int64)
            )
        self.buckets[degree].append(vectors, weights, bases, at)

    def products(self, first: Stack, second: Stack) -> Floats:
        """Inner products of estimates: a matrix. Uncoupled ones are all of one degree."""
        degrees, coupled = len(first.levels), self.scheme.coupled
        found = np.full((first.size, second.size), self.factor(0) ** 2 if coupled else 1.0)
        for j, product in enumerate(_prefixes(first.levels, second.levels), 1):
            if coupled:
                found[: len(product), : product.shape[1]] += self.factor(j) ** 2 * product
            elif j == degrees:
                found = product
        return found

    def inner(self, asked: Stack) -> Floats:
        """Inner products with estimates, which are all of one degree unless coupled."""
        out, coupled, degrees = np.zeros(asked.size), self.scheme.coupled, len(asked.levels)
        for degree, bucket in self.buckets.items():
            if not coupled and degree != degrees:
                continue
            weights = bucket.at(self.base)
            if coupled or degree == 0:
                out += float(weights.sum()) * (self.factor(0) ** 2 if coupled else 1.0)
            for start in range(0, bucket.count if degree else 0, CHUNK):
                part = slice(start, min(start + CHUNK, bucket.count))
                stored = [bucket.vectors[part, j] for j in range(degree)]
                for j, product in enumerate(_prefixes(asked.levels, stored), 1):
                    if coupled:
                        out[: len(product)] += self.factor(j) ** 2 * (product @ weights[part])
                    elif j == degrees:
                        out += product @ weights[part]
        return self.scale * out

    def terms(self, x: Floats) -> dict[int, Floats]:
        """Inner products of the estimates of each degree with features of known instances."""
        out = {}
        for degree, bucket in self.buckets.items():
            products = np.ones((bucket.count, len(x)))
            total = products * self.factor(0) * self._root(0) if self.scheme.coupled else products
            for j in range(degree):
                products = products * (bucket.vectors[: bucket.count, j] @ x.T)
                if self.scheme.coupled:
                    total = total + self.factor(j + 1) * self._root(j + 1) * products
            out[degree] = total if self.scheme.coupled else products * self._root(degree)
        return out

    def _root(self, n: int) -> float:
        return float(np.sqrt(self.scheme.kernel.coefficients(n + 1)[n]))

    def rows(self, most: int) -> int:
        """Known instances to take at a time: so many at most, fewer where much is stored."""
        stored = max((bucket.count for bucket in self.buckets.values()), default=0)
        return min(most, max(16, TOGETHER // max(1, stored)))

    def predict(self, x: Floats, weights: dict[int, Floats] | None = None) -> Floats:
        """Scores of known instances.

        Parameters
        ----------
        x : array, shape (m, d)
        weights : dict, optional
            Other coefficients by degree, as an average has.

        Returns
        -------
        ndarray, shape (m,)
        """
        out, block = np.zeros(len(x)), self.rows(512)
        if weights is None:
            weights = {n: self.scale * bucket.at(self.base) for n, bucket in self.buckets.items()}
        for start in range(0, len(x), block):
            part = x[start : start + block]
            for degree, terms in self.terms(part).items():
                out[start : start + block] += weights[degree] @ terms
        return np.asarray(out * self.scheme.kernel.envelope(x))
