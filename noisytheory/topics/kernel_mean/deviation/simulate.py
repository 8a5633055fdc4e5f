r"""Deviations of sample means in feature space, drawn or with their exact laws."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from noisytheory.trial.claim import Law
from noisytheory.vocabulary.populations import Finite, Population, axis

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


def mean_deviation(
    population: Population, n: int, *, size: int, rng: np.random.Generator
) -> Floats:
    r"""Draws of $\|\Phi(P)-\Phi(S)\|$, $S\sim P^n$.

    Examples
    --------
    >>> from noisytheory.vocabulary.populations import point_mass
    >>> mean_deviation(point_mass(), 5, size=2, rng=np.random.default_rng(1)).tolist()
    [0.0, 0.0]
    """
    return population.deviations(n, size=size, rng=rng)


@cache
def mean_deviation_law(population: Population, n: int) -> Law | None:
    r"""Exact law of $\|\Phi(P)-\Phi(S)\|$, where the samples can be enumerated.

    Examples
    --------
    >>> from noisytheory.vocabulary.populations import axis
    >>> mean_deviation_law(axis(), 2).mean()
    0.5
    """
    if not isinstance(population, Finite):
        return None
    law = population.exact_norm_law(n)
    return None if law is None else Law(*law)


def norms(coefficients: Floats, gram: Floats) -> Floats:
    """RKHS norms of vectors given by coefficients, a row each."""
    squares = np.einsum("rj,rj->r", coefficients @ gram, coefficients)
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


def two_point_optimum(n: int) -> tuple[float, float]:
    r"""Least probability of an error of $\frac1{2\sqrt n}$ over all estimators, two populations.

    The populations are one axis with mean $\pm\varepsilon$, $\varepsilon=\frac1{2\sqrt n}$. An
    estimator that is off by less than $\varepsilon$ tells them apart, and a test makes an
    estimator, so the least worst-case probability is that of the best randomised test:
    $\frac12(1-\mathrm{TV})$ of two binomial laws, the test being the sign of the sum.

    Examples
    --------
    >>> two_point_optimum(1)[0]
    0.25
    """
    p = (1 + 1 / (2 * math.sqrt(n))) / 2
    wrong = float(special.bdtr((n - 1) // 2, n, p))
    if n % 2 == 0:
        # A tied sum is decided by a fair coin.
        wrong += float(special.bdtr(n // 2, n, p) - special.bdtr(n // 2 - 1, n, p)) / 2
    return wrong, 1e-12


def fair_axis_law(n: int) -> Law:
    r"""Law of $|2B/n-1|$, $B\sim\mathrm{Bin}(n,\frac12)$, to a relative error in its far tail.

    Products of the exact ratios $\Pr[B=k+1]/\Pr[B=k]=\frac{n-k}{k+1}$ from the centre outwards;
    $m$ steps lose at most $2m$ units in the last place, below $10^{-11}$ for the first 40,000
    steps. With ``n`` up to a million, what lies further out weighs less than $e^{-3000}$.

    Raises
    ------
    ValueError
        If ``n`` is out of its range.

    Examples
    --------
    >>> fair_axis_law(2).values.tolist(), fair_axis_law(2).probabilities.tolist()
    ([0.0, 1.0], [0.5, 0.5])
    """
    if not 1 <= n <= 1_000_000:
        raise ValueError(f"n must be a whole number in [1, 1000000], got {n}")
    first = (n + 1) // 2
    k = np.arange(first, n, dtype=float)
    mass = 2 * np.cumprod(np.append(1.0, (n - k) / (k + 1)))
    if n % 2 == 0:
        mass[0] = 1.0
    values = (2 * np.arange(first, n + 1) - n) / n
    # Denormal products have lost their digits, and nothing is lost with them.
    kept = mass > 1e-290
    return Law(values[kept], mass[kept] / mass.sum())


def fair_axis_deviations(n: int, *, size: int, rng: np.random.Generator) -> Floats:
    """Draws of which `fair_axis_law` is the law."""
    return axis().deviations(n, size=size, rng=rng)
