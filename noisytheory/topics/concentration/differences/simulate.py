"""Functions of independent draws whose means and bounded differences are known exactly."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import special

from noisytheory.trial.claim import Law
from noisytheory.vocabulary.populations import Finite

__all__ = [
    "CoinMean",
    "DistinctValues",
    "DyadicSum",
    "NormOfDeviation",
    "Statistic",
    "Triangles",
    "excess",
    "excess_law",
]

Floats = NDArray[np.float64]

# Outcomes that are listed to give an exact law.
ENUMERABLE = 1 << 15


class Statistic(Protocol):
    r"""A function $f$ of independent draws.

    Attributes
    ----------
    name : str
        Short and human-readable.
    squared_differences : float
        $\sum_ic_i^2$, with $c_i$ the most that $f$ moves with argument $i$ alone.
    largest_excess : float
        $\max f-E f$.
    """

    @property
    def name(self) -> str:
        """Short and human-readable."""

    @property
    def squared_differences(self) -> float:
        r"""$\sum_ic_i^2$."""

    @property
    def largest_excess(self) -> float:
        """Largest value less the mean: what no bound needs to say."""

    def excess(self, *, size: int, rng: np.random.Generator) -> Floats:
        """Independent values of $f-E f$, shape (size,)."""

    def law(self) -> Law | None:
        """Exact law of $f-E f$, where it is cheap."""


def excess(population: Statistic, *, size: int, rng: np.random.Generator) -> Floats:
    r"""Draws of $f(Z)-E f(Z)$.

    Examples
    --------
    >>> drawn = excess(CoinMean(10, 0.5), size=1000, rng=np.random.default_rng(1))
    >>> bool(abs(drawn.mean()) < 0.02)
    True
    """
    return population.excess(size=size, rng=rng)


def excess_law(population: Statistic) -> Law | None:
    """Exact law of $f(Z)-E f(Z)$, or None where it would have to be drawn.

    Examples
    --------
    >>> excess_law(DistinctValues(2, 2)).quantile(0.75)
    0.5
    """
    return population.law()


@dataclass(frozen=True)
class CoinMean:
    """Mean of ``n`` coins: $c_i=1/n$, a binomial law.

    Parameters
    ----------
    n : int
        Number of coins, at least 1.
    p : float
        Probability of a 1, in (0, 1).

    Examples
    --------
    >>> CoinMean(100, 0.5).squared_differences
    0.01
    """

    n: int
    p: float

    @property
    def name(self) -> str:
        """Short and human-readable."""
        return f"mean of {self.n} coins, p={self.p:g}"

    @property
    def squared_differences(self) -> float:
        r"""$n\cdot n^{-2}$."""
        return 1 / self.n

    @property
    def largest_excess(self) -> float:
        """All coins show 1."""
        return 1 - self.p

    def excess(self, *, size: int, rng: np.random.Generator) -> Floats:
        """Binomial draws."""
        return rng.binomial(self.n, self.p, size) / self.n - self.p

    def law(self) -> Law:
        """The binomial law."""
        k = np.arange(self.n + 1)
        return Law(k / self.n - self.p, _binomial(self.n, self.p))


@dataclass(frozen=True)
class DistinctValues:
    """How many of ``bins`` equally likely values occur among ``n`` draws: $c_i=1$.

    Parameters
    ----------
    n, bins : int
        At least 1.

    Examples
    --------
    >>> DistinctValues(2, 2).law().values.tolist()
    [-0.5, 0.5]
    """

    n: int
    bins: int

    @property
    def name(self) -> str:
        """Short and human-readable."""
        return f"distinct values, {self.n} of {self.bins}"

    @property
    def squared_differences(self) -> float:
        """One draw makes at most one value appear or vanish."""
        return float(self.n)

    @property
    def mean(self) -> float:
        """Every value is missed with probability (1 - 1/bins)^n."""
        return self.bins * (1 - (1 - 1 / self.bins) ** self.n)

    @property
    def largest_excess(self) -> float:
        """No value occurs twice, or all occur."""
        return min(self.n, self.bins) - self.mean

    def excess(self, *, size: int, rng: np.random.Generator) -> Floats:
        """Draws, sorted and compared with their neighbours."""
        values = np.sort(rng.integers(self.bins, size=(size, self.n)), axis=1)
        distinct = 1 + np.count_nonzero(np.diff(values, axis=1), axis=1)
        return np.asarray(distinct - self.mean, float)

    def law(self) -> Law:
        """The chain of occupied values: a new one with probability 1 - occupied/bins."""
        occupied = np.arange(self.bins + 1)
        mass = np.zeros(self.bins + 1)
        mass[0] = 1.0
        for _ in range(self.n):
            moved = mass * (1 - occupied / self.bins)
            mass -= moved
            mass[1:] += moved[:-1]
        seen = mass > 0
        return Law(occupied[seen] - self.mean, mass[seen])


@dataclass(frozen=True)
class DyadicSum:
    r"""$\sum_{i\le n}2^{-i}\varepsilon_i$ over fair signs: unequal differences $c_i=2\cdot2^{-i}$.

    Uniform on the odd multiples of $2^{-n}$ in (-1, 1).

    Parameters
    ----------
    n : int
        Number of signs, 1 to 15.

    Examples
    --------
    >>> DyadicSum(2).law().values.tolist()
    [-0.75, -0.25, 0.25, 0.75]
    """

    n: int

    @property
    def name(self) -> str:
        """Short and human-readable."""
        return f"sum of {self.n} halving signs"

    @property
    def squared_differences(self) -> float:
        r"""$4\sum_{i\le n}4^{-i}$."""
        return 4 / 3 * (1 - 0.25**self.n)

    @property
    def largest_excess(self) -> float:
        """All signs positive."""
        return 1 - 0.5**self.n

    def excess(self, *, size: int, rng: np.random.Generator) -> Floats:
        """Sums of drawn signs."""
        signs = 2.0 * rng.integers(2, size=(size, self.n)) - 1
        weights = 0.5 ** np.arange(1.0, self.n + 1)
        return np.asarray(signs @ weights, float)

    def law(self) -> Law:
        """Uniform on a lattice."""
        count = 1 << self.n
        values = (2 * np.arange(count) + 1 - count) / count
        return Law(values, np.full(count, 1 / count))


@dataclass(frozen=True)
class NormOfDeviation:
    r"""The norm $\|\Phi(P)-\Phi(S)\|$ of Theorem 5's proof: $c_i=\mathrm{diameter}/n$.

    Parameters
    ----------
    population : Finite
        $P$, small enough for its norm's law to be enumerated at ``n``.
    n : int
        Sample size.

    Examples
    --------
    >>> from noisytheory.vocabulary.populations import axis
    >>> NormOfDeviation(axis(), 4).squared_differences
    1.0
    """

    population: Finite
    n: int

    @property
    def name(self) -> str:
        """Short and human-readable."""
        return f"norm of deviation, {self.population.name}, n={self.n}"

    @property
    def squared_differences(self) -> float:
        r"""$n(\mathrm{diameter}/n)^2$."""
        return self.population.diameter**2 / self.n

    @property
    def mean(self) -> float:
        """From the exact law."""
        return self._norm_law().mean()

    @property
    def largest_excess(self) -> float:
        """From the exact law."""
        return float(np.asarray(self._norm_law().values)[-1]) - self.mean

    def excess(self, *, size: int, rng: np.random.Generator) -> Floats:
        """Norms drawn from multinomial counts."""
        return self.population.deviations(self.n, size=size, rng=rng) - self.mean

    def law(self) -> Law:
        """The enumerated law of the norm, moved by its mean."""
        law = self._norm_law()
        return Law(np.asarray(law.values) - law.mean(), law.probabilities)

    def _norm_law(self) -> Law:
        law = self.population.exact_norm_law(self.n)
        if law is None:
            raise ValueError(f"{self.population.name} has too many outcomes at n={self.n}")
        return Law(*law)


@dataclass(frozen=True)
class Triangles:
    r"""Triangles in a random graph on ``m`` vertices: the arguments are its edges, $c_i=m-2$.

    Parameters
    ----------
    m : int
        Vertices, at least 3.
    p : float
        Probability of an edge, in (0, 1).

    Examples
    --------
    >>> Triangles(5, 0.5).mean
    1.25
    """

    m: int
    p: float

    @property
    def name(self) -> str:
        """Short and human-readable."""
        return f"triangles, {self.m} vertices, p={self.p:g}"

    @property
    def edges(self) -> int:
        """Number of independent arguments."""
        return math.comb(self.m, 2)

    @property
    def squared_differences(self) -> float:
        """An edge lies in m - 2 triangles."""
        return float(self.edges * (self.m - 2) ** 2)

    @property
    def mean(self) -> float:
        """Each of the triples is a triangle with probability p^3."""
        return math.comb(self.m, 3) * self.p**3

    @property
    def largest_excess(self) -> float:
        """The complete graph."""
        return math.comb(self.m, 3) - self.mean

    def excess(self, *, size: int, rng: np.random.Generator) -> Floats:
        """Traces of cubed adjacency matrices."""
        return self.triangles(rng.random((size, self.edges)) < self.p) - self.mean

    def triangles(self, present: NDArray[Any]) -> Floats:
        """Number of triangles, from the edges present, shape (size, edges)."""
        upper = np.triu_indices(self.m, 1)
        graphs = np.zeros((len(present), self.m, self.m), np.float32)
        graphs[:, upper[0], upper[1]] = present
        graphs += graphs.transpose(0, 2, 1)
        closed = np.einsum("gij,gij->g", graphs @ graphs, graphs)
        return np.asarray(closed / 6, float)

    def law(self) -> Law | None:
        """All graphs, where they are few."""
        if 1 << self.edges > ENUMERABLE:
            return None
        present = np.array(list(itertools.product([0, 1], repeat=self.edges)))
        drawn = present.sum(axis=1)
        mass = self.p**drawn * (1 - self.p) ** (self.edges - drawn)
        values, place = np.unique(self.triangles(present), return_inverse=True)
        return Law(values - self.mean, np.bincount(place, mass))


def _binomial(n: int, p: float) -> Floats:
    k = np.arange(n + 1)
    logs = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    mass = np.exp(logs + k * math.log(p) + (n - k) * math.log1p(-p))
    return np.asarray(mass / mass.sum())
