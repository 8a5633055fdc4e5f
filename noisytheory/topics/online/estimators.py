r"""Unbiased estimates of $f(\mathbb EX)$ from independent copies of $X$, and their exact moments.

Samples are drawn by ``sample(count, rng=)``, which gives an array. All estimators here are
vectorised over independent replicates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy

from noisytheory.topics.online.degrees import ABOVE_1, DegreeLaw, Finite
from noisytheory.vocabulary.domains import COUNT, NONNEGATIVE, REAL, checked_floats

__all__ = [
    "Estimates", "coupled_estimate", "debiased", "estimate", "importance_law", "second_moment",
    "second_moment_coupled", "theta",
]

Floats = NDArray[np.float64]
Sample = Callable[..., Floats]
TERMS = 400


@dataclass(frozen=True)
class Estimates:
    """Independent estimates and what each cost.

    Parameters
    ----------
    values : array, shape (size,)
    samples : array, shape (size,)
    """

    values: Floats
    samples: NDArray[np.int64]


def _listed(gamma: ArrayLike) -> Floats:
    """Coefficients, finite and one at least."""
    given = checked_floats("gamma", gamma)
    if given.ndim != 1 or not given.size:
        raise ValueError(f"gamma must be a list of coefficients, got shape {given.shape}")
    if not np.isfinite(given).all():
        raise ValueError(f"gamma must be finite, got {given[~np.isfinite(given)][0]}")
    return given


def _series(
    gamma: ArrayLike, law: DegreeLaw, degrees: int = 0, *, tails: bool = False
) -> tuple[Floats, Floats]:
    """Coefficients, and the logarithms of the probabilities that they are divided by."""
    given = _listed(gamma)
    coefficients = np.zeros(max(degrees, len(given)))
    coefficients[: len(given)] = given
    logs = law.logs(len(coefficients), tails=tails)
    if np.any((coefficients != 0) & np.isneginf(logs)):
        raise ValueError("law must draw every degree that has a coefficient, or f is not estimated")
    return coefficients, logs


def _drawn(sample: Sample, count: int, rng: np.random.Generator) -> Floats:
    """So many numbers, or an error that names what came."""
    found = checked_floats("what sample gives", sample(count, rng=rng))
    if found.shape != (count,):
        raise ValueError(f"sample must give {count} numbers, got shape {found.shape}")
    return found


def theta(gamma: Any, probability: Any, samples: Any) -> Any:
    r"""One estimate: $\frac{\gamma_n}{P(N=n)}x_1\cdots x_n$.

    Parameters
    ----------
    gamma : number
        Coefficient of the degree drawn.
    probability : number
        Of that degree.
    samples : sequence of numbers
        As many as the degree; fractions stay fractions.

    Returns
    -------
    number

    Examples
    --------
    >>> theta(3, 0.25, [2, 0.5])
    12.0
    """
    value = gamma / probability
    for x in samples:
        value = value * x
    return value


def estimate(
    gamma: ArrayLike, law: DegreeLaw, sample: Sample, *, size: int, rng: np.random.Generator,
) -> Estimates:
    r"""Lemma 1: $\theta=\frac{\gamma_N}{P(N=N)}x_1\cdots x_N$, with any law of N.

    Parameters
    ----------
    gamma : array
        Coefficients of f; degrees beyond count as 0.
    law : DegreeLaw
    sample : callable
        ``sample(count, rng=)`` to independent copies.
    size : int
        Replicates.
    rng : numpy.random.Generator

    Returns
    -------
    Estimates

    Examples
    --------
    >>> found = estimate([0.0, 1.0], Finite((0.0, 1.0)), lambda count, rng: np.full(count, 0.3),
    ...                  size=2, rng=np.random.default_rng(0))
    >>> found.values.tolist(), found.samples.tolist()
    ([0.3, 0.3], [1, 1])
    """
    COUNT.number("size", size)
    n = law.draw(size, rng=rng)
    coefficients, logs = _series(gamma, law, int(n.max(initial=0)) + 1)
    share = np.exp(logs)
    table = np.divide(coefficients, share, out=np.zeros(len(share)), where=share > 1e-300)
    values = table[n]
    for j in range(int(n.max(initial=0))):
        live = np.flatnonzero((n > j) & (table[n] != 0))
        values[live] *= _drawn(sample, len(live), rng)
    return Estimates(values, n)


def coupled_estimate(
    gamma: ArrayLike, law: DegreeLaw, sample: Sample, *, size: int, rng: np.random.Generator,
) -> Estimates:
    r"""All degrees of the same samples: $\sum_{n\le N}\frac{\gamma_n}{P(N\ge n)}x_1\cdots x_n$.

    Parameters
    ----------
    gamma, law, sample, size, rng
        As in `estimate`.

    Returns
    -------
    Estimates

    Examples
    --------
    >>> def sample(count, rng): return np.full(count, 0.3)
    >>> found = coupled_estimate([1.0, 1.0], Finite((0.0, 1.0)), sample, size=1,
    ...                          rng=np.random.default_rng(0))
    >>> found.values.tolist()
    [1.3]
    """
    COUNT.number("size", size)
    n = law.draw(size, rng=rng)
    coefficients, logs = _series(gamma, law, tails=True)
    share = np.exp(logs)
    table = np.divide(coefficients, share, out=np.zeros(len(share)), where=share > 1e-300)
    values, product = np.full(size, table[0]), np.ones(size)
    for j in range(1, len(coefficients)):
        live = np.flatnonzero(n >= j)
        if not len(live):
            break
        product[live] *= _drawn(sample, len(live), rng)
        values[live] += table[j] * product[live]
    return Estimates(values, n)


def second_moment(gamma: ArrayLike, law: DegreeLaw, m: Any) -> Any:
    r"""Exact $\mathbb E\theta^2=\sum_n\frac{\gamma_n^2}{P(N=n)}m^n$ of `estimate`.

    Parameters
    ----------
    gamma : array
        Enough coefficients for the sum to have converged.
    law : DegreeLaw
    m : float or array
        $\mathbb EX^2$.

    Returns
    -------
    float or array

    Examples
    --------
    >>> from noisytheory.topics.online.degrees import Geometric
    >>> from noisytheory.vocabulary.analytic import ExponentialLoss
    >>> round(float(second_moment(ExponentialLoss(1).coefficients(60), Geometric(2.0), 1.25)), 2)
    11.14
    """
    coefficients, logs = _series(gamma, law)
    NONNEGATIVE.check("m", m)
    some = np.flatnonzero(coefficients)
    sizes = 2 * np.log(np.abs(coefficients[some])) - logs[some]
    with np.errstate(over="ignore"):
        return sum(
            np.exp(size + xlogy(n, np.asarray(m, float)))
            for n, size in zip(some.tolist(), sizes.tolist(), strict=True)
        )


def second_moment_coupled(gamma: ArrayLike, law: DegreeLaw, m: float, mean: float) -> float:
    r"""Exact second moment of `coupled_estimate`.

    $$\sum_n\frac{\gamma_nm^n}{P(N\ge n)}\Big(\gamma_n+2\sum_{k>n}\gamma_k\mu^{k-n}\Big)$$

    Parameters
    ----------
    gamma : array
    law : DegreeLaw
    m, mean : float
        $\mathbb EX^2$ and $\mathbb EX$.

    Returns
    -------
    float

    Examples
    --------
    >>> from noisytheory.vocabulary.analytic import ExponentialLoss
    >>> from noisytheory.topics.online.degrees import Geometric
    >>> gamma = ExponentialLoss(1).coefficients(60)
    >>> [round(second_moment_coupled(gamma, Geometric(p), 1.25, 0.5), 3) for p in (2.0, 1.5, 3.0)]
    [9.086, 6.762, 15.485]
    """
    coefficients, logs = _series(gamma, law, tails=True)
    if not REAL.number("mean", mean) ** 2 <= NONNEGATIVE.number("m", m) * (1 + 1e-12):
        raise ValueError(f"m must be the square of the mean {mean:g} or more, got {m:g}")
    total, later = 0.0, 0.0
    # From the highest degree down: later is the sum over k > n of gamma_k mu^(k-n).
    for n in range(len(coefficients) - 1, -1, -1):
        if coefficients[n]:
            with np.errstate(over="ignore"):
                size = np.exp(xlogy(n, m) - logs[n])
                total += coefficients[n] * size * (coefficients[n] + 2 * later)
        later = mean * (coefficients[n] + later)
    return float(total)


def importance_law(gamma: ArrayLike, m: float, *, price: float = 0.0) -> Finite:
    r"""The best law of N: $P(N=n)\propto|\gamma_n|m^{n/2}/\sqrt{1+\lambda n}$.

    Parameters
    ----------
    gamma : array
    m : float
        $\mathbb EX^2$, or a bound on it.
    price : float
        $\lambda$, what a sample costs; 0 gives the smallest second moment, $f_+(\sqrt m)^2$.

    Returns
    -------
    Finite

    Examples
    --------
    >>> from noisytheory.vocabulary.analytic import ExponentialLoss
    >>> gamma = ExponentialLoss(1).coefficients(60)
    >>> best = importance_law(gamma, 1.25)
    >>> round(float(second_moment(gamma, best, 1.25)), 3), round(best.mean, 3)
    (9.356, 1.118)
    """
    coefficients = _listed(gamma)
    if not coefficients.any():
        raise ValueError("gamma must have a coefficient that is not 0, got none")
    NONNEGATIVE.number("m", m)
    NONNEGATIVE.number("price", price)
    n = np.arange(len(coefficients))
    with np.errstate(divide="ignore"):
        logs = np.log(np.abs(coefficients)) + xlogy(n / 2, m) - np.log1p(price * n) / 2
    # Where m is 0 and so is the first coefficient, none has any weight: all are alike.
    weights = np.exp(logs - max(logs.max(), np.finfo(float).min))
    # What would never be drawn cannot be weighed: the rest of the series is lost to rounding.
    return Finite(tuple(np.where(weights > 1e-30, weights, 1e-30 * (coefficients != 0))))


def debiased_samples(decay: float = 1.5, levels: int = 40) -> float:
    r"""Samples that `debiased` takes in the mean: $1+\sum_np_n2^{n+1}$.

    Parameters
    ----------
    decay : float
        Above 1.
    levels : int

    Returns
    -------
    float

    Examples
    --------
    >>> round(debiased_samples(), 2)
    5.41
    """
    law = _levels(decay, levels)
    return 1.0 + float(law.pmf(levels) @ 2.0 ** np.arange(1, levels + 1))


def _levels(decay: float, levels: int) -> Finite:
    ABOVE_1.number("decay", decay)
    COUNT.number("levels", levels)
    return Finite(tuple(2.0 ** (-decay * np.arange(levels))))


def debiased(
    f: Callable[[Floats], Floats], sample: Sample, *, size: int, rng: np.random.Generator,
    decay: float = 1.5, levels: int = 40,
) -> Estimates:
    r"""Debiased multilevel estimate of $f(\mathbb EX)$, for $f$ that is merely smooth.

    $f(x_1)+\Delta_N/p_N$ with the antithetic difference
    $\Delta_n=f(\bar x_{2^{n+1}})-\frac12[f(\bar x^{odd}_{2^n})+f(\bar x^{even}_{2^n})]$ and
    $p_n\propto2^{-decay\cdot n}$: finite variance and cost where the derivative of f is Hölder.

    Parameters
    ----------
    f : callable
        Elementwise.
    sample, size, rng
        As in `estimate`.
    decay : float
        Above 1, where the cost would be infinite, and below twice the rate of the differences.
    levels : int
        Largest level; beyond 40 none is ever drawn.

    Returns
    -------
    Estimates

    Notes
    -----
    Blanchet and Glynn 2015. The number of samples has a polynomial tail, and the mean
    `debiased_samples`.

    Examples
    --------
    >>> found = debiased(np.abs, lambda count, rng: np.full(count, -2.0), size=3,
    ...                  rng=np.random.default_rng(0))
    >>> found.values.tolist()
    [2.0, 2.0, 2.0]
    """
    COUNT.number("size", size)
    law = _levels(decay, levels)
    level = law.draw(size, rng=rng)
    first = _drawn(sample, size, rng)
    values = np.asarray(f(first), float)
    share = law.pmf(levels)
    for n in range(int(level.max(initial=0)) + 1):
        which = np.flatnonzero(level == n)
        if not len(which):
            continue
        drawn = _drawn(sample, len(which) * 2 ** (n + 1), rng).reshape(len(which), 2, 2**n)
        halves = drawn.mean(axis=2)
        values[which] += (f(halves.mean(axis=1)) - f(halves).mean(axis=1)) / share[n]
    return Estimates(values, 1 + 2 ** (level + 1))
