r"""Both sides of the claims on unbiased estimates of $f(\mathbb EX)$: every outcome is enumerated.

One definition each, over floats to search and over fractions to certify. $f$ is a polynomial of
degree 3 and $X$ has three atoms, of uneven weights.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np

from noisytheory.topics.online.estimators import theta
from noisytheory.vocabulary import enclosures

DEGREE = 3
PARAMETERS = (1.0625, 1.25, 1.5, 2.0, 3.0, 4.0)


@dataclass
class Scalar:
    """A law of X, a polynomial f, and two sampling parameters p < q."""

    atoms: Any
    weights: Any
    gamma: Any
    p: Any
    q: Any

    @staticmethod
    def draw(*, size: int, rng: np.random.Generator) -> dict[str, Any]:
        """Random instances."""
        atoms = rng.integers(-32, 33, (size, 3)) / 16
        gamma = rng.integers(-8, 9, (size, DEGREE + 1)) / 4
        # Monomials, for which Cauchy's inequality is an equality, and constants.
        single = rng.random(size) < 0.25
        keep = rng.integers(0, DEGREE + 1, size)
        gamma[single] *= np.arange(DEGREE + 1) == keep[single, None]
        gamma[single, keep[single]] += gamma[single, keep[single]] == 0
        pair = np.sort(rng.permuted(np.tile(np.arange(len(PARAMETERS)), (size, 1)), axis=1)[:, :2])
        parameters = np.array(PARAMETERS)[pair]
        # Point masses among them.
        atoms[rng.random(size) < 0.1] = 0.5
        return dict(atoms=atoms, weights=rng.integers(1, 10, (size, 3)), gamma=gamma,
                    p=parameters[:, 0], q=parameters[:, 1])

    def outcomes(self, n: int, calls: str = "alike") -> Iterator[tuple[Any, list[Any]]]:
        """Probability and values of n calls with the same mean, `halved` or not."""
        # Of the atoms' arithmetic, so that fractions stay fractions.
        weights = self.weights + 0 * self.atoms
        total = weights.sum(axis=-1)
        for which in itertools.product(range(3), repeat=n):
            chance, samples = 1, []
            for call, i in enumerate(which):
                chance = chance * weights[:, i] / total
                value = self.atoms[:, i]
                samples.append((value + self.mean) / 2 if halved(calls, which, call) else value)
            yield chance, samples

    @property
    def mean(self) -> Any:
        """Expectation."""
        return _average(self.atoms, self.weights)

    @property
    def square(self) -> Any:
        """Mean square."""
        return _average(self.atoms**2, self.weights)

    def polynomial(self, a: Any, *, sizes: bool = False) -> Any:
        """f, or its majorant."""
        return sum(_size(self.gamma[:, n], sizes) * a**n for n in range(DEGREE + 1))


def halved(calls: str, which: tuple[int, ...], call: int) -> bool:
    """Whether a call has half the spread: every second one, or each after one that gave atom 0."""
    if calls == "dependent":
        return call > 0 and which[call - 1] == 0
    return calls == "unlike" and call % 2 == 1


def _average(values: Any, weights: Any) -> Any:
    weights = weights + 0 * values
    return (weights * values).sum(axis=-1) / weights.sum(axis=-1)


def _size(values: Any, sizes: bool) -> Any:
    return abs(values) if sizes else values


def _probability(p: Any, n: int) -> Any:
    return (p - 1) / p ** (n + 1)


def _moment(at: Scalar, power: int, calls: str = "alike") -> Any:
    """Expectation of a power of the estimate; beyond the degree of f it is 0."""
    total: Any = 0
    for n in range(DEGREE + 1):
        chance = _probability(at.p, n)
        for weight, samples in at.outcomes(n, calls):
            value = theta(at.gamma[:, n], chance, samples)
            total = total + chance * weight * value**power
    return total


def mean(at: Scalar, calls: str) -> dict[str, Any]:
    """Lemma 1, the mean."""
    return dict(lhs=_moment(at, 1, calls), rhs=at.polynomial(at.mean),
                scale=at.polynomial(_average(abs(at.atoms), at.weights), sizes=True), mean=at.mean)


def reused(at: Scalar, calls: str) -> dict[str, Any]:
    """The same with one sample in place of independent ones."""
    total: Any = 0
    for n in range(DEGREE + 1):
        chance = _probability(at.p, n)
        for weight, samples in at.outcomes(1):
            total = total + chance * weight * theta(at.gamma[:, n], chance, samples * n)
    return dict(lhs=total, rhs=at.polynomial(at.mean),
                scale=at.polynomial(_average(abs(at.atoms), at.weights) + 2, sizes=True))


def second_moment(at: Scalar, calls: str) -> dict[str, Any]:
    """Lemma 1, the second moment: both sides without the common irrational parts."""
    low, high = enclosures.sqrt(at.p * at.square)
    factor = at.p / (at.p - 1)
    return dict(
        lhs=_moment(at, 2, calls),
        rhs=(factor * at.polynomial(low, sizes=True) ** 2,
             factor * at.polynomial(high, sizes=True) ** 2),
        **_asked(at),
    )


def averaged_factors(at: Scalar, copies: int) -> dict[str, Any]:
    r"""Second moment with the mean of two samples for each factor, and the series at $m_K$; n < 3.

    The right side has as many copies as are claimed.
    """
    total: Any = 0
    series: Any = 0
    spread = at.mean**2 + (at.square - at.mean**2) / copies
    for n in range(DEGREE):
        chance = _probability(at.p, n)
        series = series + at.gamma[:, n] ** 2 * (at.p * spread) ** n
        for weight, samples in at.outcomes(2 * n):
            means = [(a + b) / 2 for a, b in zip(samples[::2], samples[1::2], strict=True)]
            total = total + chance * weight * theta(at.gamma[:, n], chance, means) ** 2
    return dict(lhs=total, rhs=at.p / (at.p - 1) * series,
                scale=at.p**4 * (at.gamma**2).sum(axis=-1) * 64)


def coupled(at: Scalar, cross: int) -> dict[str, Any]:
    """Second moment of all degrees up to N from the same samples, and the series for it."""
    total: Any = 0
    series: Any = 0
    for n in range(DEGREE + 1):
        # At the highest degree the whole tail: higher ones have no coefficient.
        chance = _probability(at.p, n) if n < DEGREE else 1 / at.p**n
        for weight, samples in at.outcomes(n):
            value = sum(theta(at.gamma[:, k], 1 / at.p**k, samples[:k]) for k in range(n + 1))
            total = total + chance * weight * value**2
        later = sum(at.gamma[:, k] * at.mean ** (k - n) for k in range(n + 1, DEGREE + 1))
        series = series + at.gamma[:, n] * (at.p * at.square) ** n * (
            at.gamma[:, n] + cross * later
        )
    return dict(lhs=total, rhs=series, scale=at.p**4 * (at.gamma**2).sum(axis=-1) * 64)


@dataclass
class Degrees:
    """A polynomial, the root mean square of X, and a law of N."""

    gamma: Any
    s: Any
    weights: Any

    @staticmethod
    def draw(*, size: int, rng: np.random.Generator) -> dict[str, Any]:
        """Random instances; a quarter of them have the law that is best."""
        gamma = rng.integers(1, 9, (size, DEGREE + 1)) / 4 * rng.choice([-1.0, 1.0], (size, 4))
        s = rng.integers(1, 9, size) / 4
        weights = rng.integers(1, 17, (size, DEGREE + 1)) * 1.0
        best = rng.random(size) < 0.25
        weights[best] = (abs(gamma) * s[:, None] ** np.arange(DEGREE + 1))[best]
        return dict(gamma=gamma, s=s, weights=weights)


def importance(at: Degrees) -> dict[str, Any]:
    r"""$f_+(\sqrt m)^2$, and the second moment under any law of N; X is s or -s."""
    total: Any = 0
    whole = at.weights.sum(axis=-1)
    for n in range(DEGREE + 1):
        chance = at.weights[:, n] / whole
        for signs in itertools.product((1, -1), repeat=n):
            value = theta(at.gamma[:, n], chance, [sign * at.s for sign in signs])
            total = total + chance * value**2 / 2**n
    least = sum(abs(at.gamma[:, n]) * at.s**n for n in range(DEGREE + 1)) ** 2
    return dict(lhs=least, rhs=total)


def _asked(at: Scalar) -> dict[str, Any]:
    """What the bound of Lemma 1 asks for."""
    return dict(p=at.p, m=at.square, **{f"g{n}": at.gamma[:, n] for n in range(DEGREE + 1)})


def second_moment_without_p(at: Scalar, calls: str) -> dict[str, Any]:
    """The same with p missing under the root."""
    low, high = enclosures.sqrt(at.square)
    factor = at.p / (at.p - 1)
    found = second_moment(at, calls)
    return {**found, "rhs": (factor * at.polynomial(low, sizes=True) ** 2,
                             factor * at.polynomial(high, sizes=True) ** 2)}


def _series(at: Scalar, p: Any) -> Any:
    return p / (p - 1) * sum(
        at.gamma[:, n] ** 2 * (p * at.square) ** n for n in range(DEGREE + 1)
    )


def variance_rises(at: Scalar, restricted: bool) -> dict[str, Any]:
    """The second moment at p against that at q > p, everywhere or past its minimum only."""
    terms = [at.gamma[:, n] ** 2 * (at.p * at.square) ** n for n in range(DEGREE + 1)]
    degree = sum(n * term for n, term in enumerate(terms))
    past = (at.p - 1) * degree >= sum(terms) if restricted else degree == degree
    return dict(lhs=_series(at, at.p), rhs=_series(at, at.q), applies=past,
                samples_p=1 / (at.p - 1), samples_q=1 / (at.q - 1))


def samples_fall(at: Scalar) -> dict[str, Any]:
    """The expected number of samples at q > p against that at p."""
    return dict(lhs=1 / (at.q - 1), rhs=1 / (at.p - 1))


def truncated(at: Scalar, fewer: int) -> dict[str, Any]:
    """Second moments of the estimate with N conditioned on N <= 3, and of the printed one."""
    kept = 1 - at.p ** -(DEGREE + 1) if at.p.dtype != object else _truncation(at.p)
    total: Any = 0
    first: Any = 0
    for n in range(DEGREE + 1 - fewer):
        chance = _probability(at.p, n) / kept
        for weight, samples in at.outcomes(n):
            value = theta(at.gamma[:, n], chance, samples)
            total, first = total + chance * weight * value**2, first + chance * weight * value
    return dict(lhs=total, rhs=kept * _moment(at, 2), mean=first, value=at.polynomial(at.mean),
                scale=_moment(at, 2))


def _truncation(p: Any) -> Any:
    return 1 - 1 / p ** (DEGREE + 1)


def truncated_mean(at: Scalar, fewer: int) -> dict[str, Any]:
    """The mean of the conditioned estimate."""
    found = truncated(at, fewer)
    return dict(lhs=found["mean"], rhs=found["value"],
                scale=at.polynomial(_average(abs(at.atoms), at.weights), sizes=True))


def recentred(at: Scalar, geometric: bool) -> dict[str, Any]:
    r"""Variance of the estimate expanded about the mean, against $C\,\mathrm{Var}X$.

    With $\gamma_0$ kept as it is and $N\ge1$ it vanishes with the variance of X; with the
    geometric law that includes 0 it does not.
    """
    mu = at.mean
    about = [sum(comb(n, k) * at.gamma[:, n] * mu ** (n - k) for n in range(k, DEGREE + 1))
             for k in range(DEGREE + 1)]
    variance = at.square - mu**2
    target, second = at.polynomial(mu), 0
    for n in range(0 if geometric else 1, DEGREE + 1):
        chance = _probability(at.p, n) if geometric else (at.p - 1) / at.p**n
        for weight, samples in at.outcomes(n):
            value = theta(about[n], chance, [s - mu for s in samples])
            value = value if geometric else value + about[0]
            second = second + chance * weight * (value - target) ** 2
    if geometric:
        # Higher degrees return 0; with the constant kept they return the target itself.
        second = second + 1 / at.p ** (DEGREE + 1) * target**2
    constant = sum(about[n] ** 2 * at.p**n for n in range(1, DEGREE + 1)) / (at.p - 1)
    return dict(lhs=second, rhs=constant * variance, applies=variance <= 1, variance=variance,
                scale=second + target**2)


@dataclass
class Polynomials:
    """A Bernoulli parameter, and f = |q - 1/2| by Bernstein polynomials of degrees n and 2n."""

    q: Any
    n: Any

    @staticmethod
    def every() -> dict[str, Any]:
        """All instances."""
        q, n = np.meshgrid(np.arange(4, 15) / 16, [4, 8, 12, 16])
        return dict(q=q.ravel(), n=n.ravel())

    @staticmethod
    def draw(*, size: int, rng: np.random.Generator) -> dict[str, Any]:
        """Random instances."""
        every = Polynomials.every()
        at = rng.integers(0, len(every["q"]), size)
        return {name: values[at] for name, values in every.items()}


@functools.lru_cache(maxsize=64)
def _bernstein(n: int) -> list[Fraction]:
    """Coefficients, in powers, of the Bernstein polynomial of |q - 1/2|."""
    values = [abs(Fraction(k, n) - Fraction(1, 2)) for k in range(n + 1)]
    return [
        sum((values[k] * comb(n, k) * comb(n - k, i - k) * (-1) ** (i - k) for k in range(i + 1)),
            Fraction(0))
        for i in range(n + 1)
    ]


def _step(n: int, q: Any, *, scaled: bool) -> Any:
    r"""$\mathbb E|Q'_n-Q'_{n-1}|$: the first i samples are ones, then comes a zero."""
    before = [*_bernstein(n - 1), Fraction(0)]
    total, ones = 0 * q, Fraction(0)
    for i, (new, old) in enumerate(zip(_bernstein(n), before, strict=True)):
        ones += new - old
        chance = q**i * (1 - q) if i < n else q**n
        total = total + chance * (abs(ones) if scaled else float(abs(ones)))
    return total


def summable(at: Polynomials) -> dict[str, Any]:
    """Expected sizes of the differences at twice a degree, and at that degree."""
    exact = at.q.dtype == object
    sizes = [
        [_step(int(n) * k, q, scaled=exact) for n, q in zip(at.n, at.q, strict=True)]
        for k in (1, 2)
    ]
    made = [np.array(s, dtype=object if exact else float) for s in sizes]
    return dict(lhs=made[1], rhs=made[0])


def taylor_summable(at: Scalar, same: bool) -> dict[str, Any]:
    r"""The key idea with Taylor sections, $p_n\propto p^{-n}$: its mean by enumeration, $N\ge1$."""
    total: Any = 0
    for n in range(1, DEGREE + 1):
        chance = (at.p - 1) / at.p**n
        for weight, samples in at.outcomes(n):
            used = [samples[0]] * n if same else samples
            now = sum(theta(at.gamma[:, k], 1, used[:k]) for k in range(n + 1))
            before = sum(theta(at.gamma[:, k], 1, used[:k]) for k in range(n)) if n > 1 else 0
            total = total + weight * chance * ((now - before) / chance)
    return dict(lhs=total, rhs=at.polynomial(at.mean),
                scale=at.polynomial(_average(abs(at.atoms), at.weights), sizes=True))


@dataclass
class Pair:
    """Two numbers, the second at least 0."""

    theta: Any
    n: Any

    @staticmethod
    def draw(*, size: int, rng: np.random.Generator) -> dict[str, Any]:
        """Random instances."""
        n = rng.integers(0, 9, size)
        values = rng.integers(-256, 257, size) / 16
        # Equality where |theta| is the power of N.
        return dict(theta=np.where(rng.random(size) < 0.2, n * n, values), n=n)


def young(at: Pair, k: int) -> dict[str, Any]:
    r"""$|\theta|N^k$ and $(\theta^2+N^{2k})/2$."""
    return dict(lhs=abs(at.theta) * at.n**k, rhs=(at.theta**2 + at.n ** (2 * k)) / 2)


def labels_mean(at: Scalar, reuse: bool) -> dict[str, Any]:
    r"""Mean of $\tilde g$ with noisy labels, $n+1$ independent copies or one used again.

    X is the score, the labels have the same atoms in another order.
    """
    total: Any = 0
    for n in range(DEGREE):
        chance = _probability(at.p, n)
        scores = list(at.outcomes(n))
        labels = list(_labels(at).outcomes(1 if reuse else n + 1))
        for (a, xs), (b, ys) in itertools.product(scores, labels):
            used = ys * (n + 1) if reuse else ys
            total = total + a * b * chance * used[0] * theta(
                at.gamma[:, n], chance, [x * y for x, y in zip(xs, used[1:], strict=True)]
            )
    mu = _labels(at).mean
    cut = sum(at.gamma[:, n] * (mu * at.mean) ** n for n in range(DEGREE))
    return dict(lhs=total, rhs=mu * cut, scale=1 + abs(total) + 64 * abs(at.gamma).sum(axis=-1))


def labels_second(at: Scalar) -> dict[str, Any]:
    """The second moment of the same, and its bound."""
    square, total = _labels(at).square, 0
    for n in range(DEGREE):
        chance = _probability(at.p, n)
        total = total + at.gamma[:, n] ** 2 / chance * (at.square * square) ** n * square
    low, high = enclosures.sqrt(at.p * at.square * square)
    factor = square * at.p / (at.p - 1)
    sides = [factor * sum(abs(at.gamma[:, n]) * end**n for n in range(DEGREE)) ** 2
             for end in (low, high)]
    gamma = {f"g{n}": at.gamma[:, n] for n in range(DEGREE)}
    return dict(lhs=total, rhs=(sides[0], sides[1]), p=at.p, Bpsi=at.square, Blabel=square, **gamma)


def _labels(at: Scalar) -> Scalar:
    return Scalar(at.atoms[:, [1, 2, 0]], at.weights, at.gamma, at.p, at.q)


def without_zero(at: Scalar, cross: int) -> dict[str, Any]:
    r"""Second moment of the estimate with $N\ge1$ that keeps $\gamma_0$, and by that of Lemma 1."""
    constant = at.gamma[:, 0]
    # Higher degrees return the constant alone.
    total = 1 / at.p**DEGREE * constant**2
    for n in range(1, DEGREE + 1):
        chance = (at.p - 1) / at.p**n
        for weight, samples in at.outcomes(n):
            value = constant + theta(at.gamma[:, n], chance, samples)
            total = total + chance * weight * value**2
    series = constant**2 + cross * constant * (at.polynomial(at.mean) - constant)
    first = _moment(at, 2)
    return dict(lhs=total, rhs=series + (first - at.p / (at.p - 1) * constant**2) / at.p,
                scale=first + total)


@dataclass
class Budget:
    """Expected samples of an N, and the squared size of instances."""

    samples: Any
    square: Any

    @staticmethod
    def draw(*, size: int, rng: np.random.Generator) -> dict[str, Any]:
        """Random instances."""
        return dict(samples=rng.integers(1, 5, size) * 1.0,
                    square=rng.integers(1, 65, size) / 16)


def constants(at: Budget) -> dict[str, Any]:
    r"""Squares of the constants of $\sqrt T$ over $B_w$, by how likely the degree 1 is.

    $\mathbb E\|\tilde\Psi\|^2\mathbb E\tilde g^2$ for $\ell'(a)=2a$ and $B_w=1$, all of degree 1.
    With k expected samples the geometric law has $p=1+\frac1k$, and without 0 $\frac k{k-1}$.
    """
    p = 1 + 1 / at.samples
    allowed, excluded = (p - 1) / p**2, 1 / at.samples
    sides = []
    for chance in (allowed, excluded):
        map_square = at.square / chance
        sides.append(map_square * (4 * map_square / chance))
    return dict(lhs=sides[0], rhs=sides[1], p=p)
