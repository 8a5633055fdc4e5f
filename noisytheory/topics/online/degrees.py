"""Laws of the random degree N, the number of factors that an estimate is made of."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noisytheory.vocabulary.domains import Domain, checked_floats

__all__ = ["DegreeLaw", "Finite", "Fixed", "Geometric"]

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
ABOVE_1 = Domain(1)
WHOLE = Domain(0, include_low=True, whole=True)


class DegreeLaw(ABC):
    """The law of N."""

    @property
    @abstractmethod
    def name(self) -> str:
        """For labels."""

    @property
    @abstractmethod
    def mean(self) -> float:
        """Expected degree."""

    @abstractmethod
    def pmf(self, count: int) -> Floats:
        """Probabilities of 0, ..., count - 1."""

    @abstractmethod
    def draw(self, size: int, *, rng: np.random.Generator) -> Whole:
        """Independent degrees."""

    def tails(self, count: int) -> Floats:
        """Probabilities of being at least 0, ..., count - 1."""
        return 1 - np.concatenate([[0.0], np.cumsum(self.pmf(count))])[:count]

    def logs(self, count: int, *, tails: bool = False) -> Floats:
        """Logarithms of `pmf` or `tails`, of probabilities too small for a number as well."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.tails(count) if tails else self.pmf(count)))


@dataclass(frozen=True)
class Geometric(DegreeLaw):
    """$P(N=n)=(p-1)/p^{n+1}$, the paper's.

    Parameters
    ----------
    p : float
        Above 1.

    Examples
    --------
    >>> Geometric(2.0).pmf(3).tolist(), Geometric(3.0).mean
    ([0.5, 0.25, 0.125], 0.5)
    """

    p: float = 2.0

    def __post_init__(self) -> None:
        ABOVE_1.number("p", self.p)

    @property
    def name(self) -> str:
        """For labels."""
        return f"geometric, p={self.p:g}"

    @property
    def mean(self) -> float:
        """$1/(p-1)$."""
        return 1 / (self.p - 1)

    def pmf(self, count: int) -> Floats:
        """$(p-1)/p^{n+1}$."""
        return np.asarray((self.p - 1) * float(self.p) ** -(np.arange(count) + 1.0))

    def tails(self, count: int) -> Floats:
        """$p^{-n}$."""
        return np.asarray(float(self.p) ** -np.arange(count))

    def logs(self, count: int, *, tails: bool = False) -> Floats:
        r"""$\ln((p-1)/p^{n+1})$, or $-n\ln p$."""
        first = 0.0 if tails else math.log1p(-1 / self.p)
        return np.asarray(first - math.log(self.p) * np.arange(count))

    def draw(self, size: int, *, rng: np.random.Generator) -> Whole:
        """Independent degrees."""
        # The whole part of an exponential number: half the time of counting trials.
        return (rng.standard_exponential(size) / math.log(self.p)).astype(np.int64)


@dataclass(frozen=True)
class Fixed(DegreeLaw):
    """Always the same degree.

    Parameters
    ----------
    n : int

    Examples
    --------
    >>> Fixed(1).tails(3).tolist()
    [1.0, 1.0, 0.0]
    """

    n: int = 1

    def __post_init__(self) -> None:
        WHOLE.number("n", self.n)

    @property
    def name(self) -> str:
        """For labels."""
        return f"fixed {self.n}"

    @property
    def mean(self) -> float:
        """$n$."""
        return float(self.n)

    def pmf(self, count: int) -> Floats:
        """All on n."""
        return np.asarray(np.arange(count) == self.n, float)

    def draw(self, size: int, *, rng: np.random.Generator) -> Whole:
        """Independent degrees."""
        return np.full(size, self.n)


@dataclass(frozen=True)
class Finite(DegreeLaw):
    """Any law on 0, ..., k - 1.

    Parameters
    ----------
    weights : sequence of float
        Proportional to the probabilities.

    Examples
    --------
    >>> Finite((1.0, 0.0, 3.0)).mean
    1.5
    """

    weights: Sequence[float]

    def __post_init__(self) -> None:
        weights = checked_floats("weights", self.weights)
        if weights.ndim != 1 or not np.all(weights >= 0) or not 0 < weights.sum() < np.inf:
            raise ValueError(f"weights must be finite, >= 0 and not all 0, got {self.weights!r}")
        object.__setattr__(self, "weights", tuple((weights / weights.sum()).tolist()))

    @property
    def name(self) -> str:
        """For labels."""
        return "finite " + " ".join(f"{w:.3g}" for w in self.weights)

    @property
    def mean(self) -> float:
        """Expected degree."""
        return float(np.dot(self.weights, np.arange(len(self.weights))))

    def pmf(self, count: int) -> Floats:
        """As given."""
        return _padded(self.weights, count)

    def tails(self, count: int) -> Floats:
        """Added up from the end: small ones are not lost to rounding."""
        return _padded(np.cumsum(self.weights[::-1])[::-1], count)

    def draw(self, size: int, *, rng: np.random.Generator) -> Whole:
        """Independent degrees."""
        edges = np.cumsum(self.weights)
        edges[-1] = 1.0
        return np.searchsorted(edges, rng.random(size), side="right").astype(np.int64)


def _padded(values: Sequence[float] | Floats, count: int) -> Floats:
    out = np.zeros(count)
    out[: len(values)] = values[:count]
    return out
