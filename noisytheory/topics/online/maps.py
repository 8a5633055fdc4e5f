r"""Unbiased estimates of features from noisy copies: Map_Estimate and Prod.

An estimate of degree $n$ denotes
$c\sqrt{\beta_n}\,\tilde x^{(1)}\otimes\cdots\otimes\tilde x^{(n)}$ and is stored as its weight and
its $n$ vectors. A coupled estimate denotes the sum of that over all degrees up to $n$, made of the
same vectors.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.topics.online.degrees import DegreeLaw, Fixed, Geometric
from noisytheory.vocabulary.domains import checked_floats
from noisytheory.vocabulary.dot_products import DotProduct, GaussianProduct
from noisytheory.vocabulary.instance_noise import InstanceNoise

__all__ = [
    "CopiesExhausted", "Maps", "NoisyOracle", "RecordedCopies", "Scheme", "Source", "map_estimate",
    "prod", "prod_explicit",
]

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


class CopiesExhausted(ValueError):
    """A round needs more copies than there are."""


class Source(Protocol):
    """Whatever answers queries: ``take(rounds, rng=)`` gives a fresh copy for each entry."""

    def take(self, rounds: Whole, *, rng: np.random.Generator) -> Floats:
        """A copy of the instance of each round, shape (queries, d)."""


class NoisyOracle:
    """Answers with the clean instance plus noise, and counts.

    Parameters
    ----------
    x : array, shape (T, d)
        Clean instances.
    noise : InstanceNoise

    Attributes
    ----------
    calls : array, shape (T,)
        Queries of each round so far.

    Examples
    --------
    >>> oracle = NoisyOracle([[1.0], [2.0]], InstanceNoise("none", 0.0))
    >>> oracle.take(np.array([0, 1, 1]), rng=np.random.default_rng(0)).ravel().tolist()
    [1.0, 2.0, 2.0]
    >>> oracle.calls.tolist()
    [1, 2]
    """

    def __init__(self, x: ArrayLike, noise: InstanceNoise) -> None:
        self.x, self.noise = checked_floats("x", x), noise
        if self.x.ndim != 2:
            raise ValueError(f"x must have shape (T, d), got {self.x.shape}")
        self.calls = np.zeros(len(self.x), np.int64)
        self._before: Floats | None = None

    def take(self, rounds: Whole, *, rng: np.random.Generator) -> Floats:
        """A copy for each round named; rounds in order."""
        calls, d = _numbered(self.calls, rounds), self.x.shape[1]
        if self.noise.law != "martingale":
            return self.x[rounds] + self.noise.draw(d, rounds, calls, rng=rng)
        if self._before is None:
            self._before = np.zeros_like(self.x)
        out = np.empty((len(rounds), d))
        for call in np.unique(calls):
            now = calls == call
            which = rounds[now]
            drawn = self.noise.draw(d, which, calls[now], rng=rng, before=self._before[which])
            out[now], self._before[which] = self.x[which] + drawn, drawn
        return out


class RecordedCopies:
    """Answers from an array of repeated measurements, each used once.

    Parameters
    ----------
    copies : array, shape (T, k, d)

    Raises
    ------
    ValueError
        If the array has not three dimensions.
    CopiesExhausted
        When a round is asked for more than it has.

    Examples
    --------
    >>> source = RecordedCopies(np.arange(4.0).reshape(1, 4, 1))
    >>> source.take(np.array([0, 0]), rng=np.random.default_rng(0)).ravel().tolist()
    [0.0, 1.0]
    """

    def __init__(self, copies: ArrayLike) -> None:
        self.copies = checked_floats("copies", copies)
        if self.copies.ndim != 3:
            raise ValueError(f"copies must have shape (T, k, d), got {self.copies.shape}")
        self.calls = np.zeros(len(self.copies), np.int64)

    def take(self, rounds: Whole, *, rng: np.random.Generator) -> Floats:
        """The next copies of each round; rounds in order."""
        calls = _numbered(self.calls, rounds)
        have = self.copies.shape[1]
        if np.any(calls >= have):
            worst = int(rounds[np.argmax(calls)])
            raise CopiesExhausted(
                f"round {worst} needs {int(self.calls[worst])} copies and has {have}"
            )
        return self.copies[rounds, calls]


def _numbered(calls: Whole, rounds: Whole) -> Whole:
    """The number of each query within its round; counts them."""
    rounds = np.asarray(rounds)
    if len(rounds) and rounds.max() >= len(calls):
        raise ValueError(f"rounds must be below {len(calls)}, got {rounds.max()}")
    starts = np.searchsorted(rounds, rounds, side="left")
    numbers = calls[rounds] + np.arange(len(rounds)) - starts
    np.add.at(calls, rounds, 1)
    return numbers


def _answered(source: Source, rounds: Whole, rng: np.random.Generator) -> Floats:
    """A copy for each round named, and nothing else."""
    answers = checked_floats("what take gives", source.take(rounds, rng=rng))
    if answers.ndim != 2 or len(answers) != len(rounds):
        raise ValueError(
            f"take must give a copy for each of {len(rounds)} rounds, shape ({len(rounds)}, d), "
            f"got shape {answers.shape}"
        )
    if not np.all(np.isfinite(answers)):
        raise ValueError("take must give finite copies, got infinite numbers or nan")
    return answers


@dataclass
class Maps:
    """Estimates of features, stored flat.

    Parameters
    ----------
    degrees, weights : array, shape (m,)
    starts : array, shape (m + 1,)
        Estimate i has the vectors starts[i] to starts[i + 1].
    vectors : array, shape (K, d)
    queries : array, shape (m,)
        What each cost.
    """

    degrees: Whole
    weights: Floats
    starts: Whole
    vectors: Floats
    queries: Whole

    def __len__(self) -> int:
        return len(self.degrees)

    def of(self, i: int) -> tuple[int, float, Floats]:
        """Degree, weight and vectors of one estimate."""
        part = self.vectors[self.starts[i] : self.starts[i + 1]]
        return int(self.degrees[i]), float(self.weights[i]), part

    def select(self, which: Whole) -> Maps:
        """Some of them, in the order given."""
        counts = np.diff(self.starts)[which]
        starts = np.concatenate([[0], np.cumsum(counts)])
        inside = np.arange(starts[-1]) - np.repeat(starts[:-1], counts)
        vectors = self.vectors[np.repeat(self.starts[which], counts) + inside]
        return Maps(
            self.degrees[which], self.weights[which], starts, vectors, self.queries[which]
        )


@dataclass(frozen=True)
class Scheme:
    r"""How features are estimated.

    Parameters
    ----------
    kernel : DotProduct
    law : DegreeLaw
        Of the degree.
    coupled : bool
        Use all degrees up to N of the same copies: by orthogonality of the degrees the second
        moment is $Q(pB_x)$ in place of $\frac p{p-1}Q(pB_x)$, at the same queries.
    copies : int
        Each factor is the mean of so many copies.
    exponent : DegreeLaw, optional
        For the Gaussian kernel, of the estimate of its envelope; the law itself by default.

    Examples
    --------
    >>> from noisytheory.vocabulary.dot_products import ExponentialProduct
    >>> Scheme(ExponentialProduct(), Geometric(2.0)).factors(3).round(6).tolist()
    [2.0, 4.0, 5.656854]
    """

    kernel: DotProduct
    law: DegreeLaw
    coupled: bool = False
    copies: int = 1
    exponent: DegreeLaw | None = None

    def factors(self, count: int) -> Floats:
        r"""$\sqrt{\beta_n}/P(N=n)$ by degree, or over $P(N\ge n)$; 0 where never drawn."""
        root = np.sqrt(self.kernel.coefficients(count))
        share = self.law.tails(count) if self.coupled else self.law.pmf(count)
        return np.divide(root, share, out=np.zeros(count), where=share > 1e-300)

    def degrees(self, size: int, *, rng: np.random.Generator) -> tuple[Whole, Whole]:
        """Degrees N, and those of the envelope (all 0 without one)."""
        degrees = self.law.draw(size, rng=rng)
        if not isinstance(self.kernel, GaussianProduct):
            return degrees, np.zeros(size, np.int64)
        return degrees, (self.exponent or self.law).draw(size, rng=rng)

    def queries(self, degrees: Whole, envelope: Whole) -> Whole:
        """Copies that estimates of these degrees take."""
        return self.copies * (degrees + 2 * envelope)

    def build(
        self, degrees: Whole, envelope: Whole, rounds: Whole, source: Source, *,
        rng: np.random.Generator,
    ) -> Maps:
        """Query and assemble estimates of given degrees.

        Parameters
        ----------
        degrees, envelope : array of int, shape (m,)
            As `degrees` draws them.
        rounds : array of int, shape (m,)
            The round of each, in order.
        source : Source
        rng : numpy.random.Generator

        Returns
        -------
        Maps
        """
        factors = degrees + 2 * envelope
        answers = _answered(source, np.repeat(rounds, self.copies * factors), rng)
        if self.copies > 1:
            answers = answers.reshape(-1, self.copies, answers.shape[-1]).mean(axis=1)
        count = int(degrees.max(initial=0)) + 1
        weights = np.ones(len(degrees)) if self.coupled else self.factors(count)[degrees]
        starts = np.concatenate([[0], np.cumsum(degrees)])
        if isinstance(self.kernel, GaussianProduct):
            weights = weights * self._envelopes(answers, factors, degrees, envelope)
            first = np.concatenate([[0], np.cumsum(factors)])[:-1]
            inside = np.arange(starts[-1]) - np.repeat(starts[:-1], degrees)
            answers = answers[np.repeat(first, degrees) + inside]
        return Maps(degrees, weights, starts, answers, self.queries(degrees, envelope))

    def _envelopes(
        self, answers: Floats, factors: Whole, degrees: Whole, envelope: Whole
    ) -> Floats:
        r"""Unbiased estimates of $e^{-\|x\|^2/\sigma^2}$ from pairs of copies."""
        assert isinstance(self.kernel, GaussianProduct)
        law = self.exponent or self.law
        most = int(envelope.max(initial=0)) + 1
        n = np.arange(most)
        factorial = np.array([math.factorial(int(k)) for k in n], float)
        pmf = law.pmf(most)
        table = np.divide((-1.0) ** n, factorial * pmf, out=np.zeros(most), where=pmf > 0)
        out = table[envelope]
        live = np.flatnonzero(envelope)
        if len(live):
            pairs = envelope[live]
            starts, first = np.cumsum(pairs) - pairs, (np.cumsum(factors) - 2 * envelope)[live]
            at = np.repeat(first - 2 * starts, pairs) + 2 * np.arange(pairs.sum())
            found = np.einsum("ij,ij->i", answers[at], answers[at + 1]) / self.kernel.sigma2
            out[live] *= np.multiply.reduceat(found, starts)
        return np.asarray(out)

    def estimate(self, rounds: Whole, source: Source, *, rng: np.random.Generator) -> Maps:
        """One estimate for each round named, in order.

        Parameters
        ----------
        rounds : array of int
        source : Source
        rng : numpy.random.Generator

        Returns
        -------
        Maps
        """
        degrees, envelope = self.degrees(len(rounds), rng=rng)
        return self.build(degrees, envelope, rounds, source, rng=rng)


def map_estimate(
    kernel: DotProduct, p: float, query: Callable[[], Any], *, rng: np.random.Generator
) -> tuple[int, float, list[Any]]:
    r"""Subroutine 2: $N$ copies, for $\sqrt{\beta_N}\frac{p^{N+1}}{p-1}\bigotimes_j\tilde x^{(j)}$.

    Parameters
    ----------
    kernel : DotProduct
        For the Gaussian kernel, our reconstruction of the subroutine that print leaves out.
    p : float
        Above 1.
    query : callable
        Gives a fresh copy.
    rng : numpy.random.Generator

    Returns
    -------
    degree : int
    weight : float
    vectors : list

    Examples
    --------
    >>> from noisytheory.vocabulary.dot_products import LinearProduct
    >>> map_estimate(LinearProduct(), 2.0, lambda: [1.0], rng=np.random.default_rng(1))
    (1, 4.0, [[1.0]])
    """
    law = Geometric(p)
    n = int(law.draw(1, rng=rng)[0])
    weight = math.sqrt(kernel.coefficients(n + 1)[n]) * p ** (n + 1) / (p - 1)
    if isinstance(kernel, GaussianProduct):
        pairs = int(law.draw(1, rng=rng)[0])
        weight *= (-1) ** pairs / math.factorial(pairs) * p ** (pairs + 1) / (p - 1)
        for _ in range(pairs):
            weight *= float(np.dot(query(), query())) / kernel.sigma2
    return n, weight, [query() for _ in range(n)]


def prod(first: tuple[int, Any, Any], second: tuple[int, Any, Any]) -> Any:
    """Subroutine 3: the inner product of two estimates of a single degree each.

    Parameters
    ----------
    first, second : (degree, weight, vectors)
        Weights include the root of the kernel's coefficient; numbers may be fractions.

    Returns
    -------
    number

    Examples
    --------
    >>> prod((1, 4.0, [[1.0]]), (1, 4.0, [[0.5]])), prod((1, 4.0, [[1.0]]), (0, 2.0, []))
    (8.0, 0)
    """
    if first[0] != second[0]:
        return 0
    value = first[1] * second[1]
    for a, b in zip(first[2], second[2], strict=True):
        value = value * sum(s * t for s, t in zip(a, b, strict=True))
    return value


def prod_explicit(first: tuple[int, Any, Any], beta: Any, x: Any) -> Any:
    r"""Subroutine 4: the inner product of an estimate with the feature of a known instance.

    Parameters
    ----------
    first : (degree, weight, vectors)
    beta : callable
        Degree to $\sqrt{\beta_n}$.
    x : sequence of numbers

    Returns
    -------
    number

    Examples
    --------
    >>> prod_explicit((1, 4.0, [[1.0]]), lambda n: 1.0, [0.5])
    2.0
    """
    value = first[1] * beta(first[0])
    for a in first[2]:
        value = value * sum(s * t for s, t in zip(a, x, strict=True))
    return value


def fixed(kernel: DotProduct) -> Scheme:
    """The scheme of a polynomial kernel that uses as many copies as its degree, always.

    Parameters
    ----------
    kernel : DotProduct

    Returns
    -------
    Scheme

    Raises
    ------
    ValueError
        If the kernel is no polynomial.
    """
    if kernel.degree is None:
        raise ValueError(
            f"kernel must be a polynomial for a fixed number of copies, got {kernel.name}"
        )
    return Scheme(kernel, Fixed(kernel.degree), coupled=True)
