"""The mean of a noisy sample, the error that no estimate of the clean mean avoids, noisy draws."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

from noisytheory.vocabulary.domains import NOISE_RATE
from noisytheory.vocabulary.noise import (
    ClassConditionalFlip,
    Contamination,
    InstanceFlip,
    SymmetricFlip,
)
from noisytheory.vocabulary.populations import Finite
from noisytheory.vocabulary.populations.atoms import checked_whole

Floats: TypeAlias = NDArray[np.float64]


def noisy_deviation(
    population: Finite, n: int, sigma: float, *, size: int, rng: np.random.Generator
) -> Floats:
    r"""$\|\Phi(P)-\frac1{1-2\sigma}\Phi(S)\|$ for independent samples $S\sim P_\sigma^n$.

    Examples are drawn from $P$ and their labels flipped one by one; only counts are kept.

    Examples
    --------
    >>> from noisytheory.vocabulary.populations import axis
    >>> drawn = noisy_deviation(axis(1), 4, 0.25, size=100, rng=np.random.default_rng(1))
    >>> np.unique(drawn).tolist()
    [0.0, 1.0, 2.0, 3.0]
    """
    counts = population.counts(n, size=size, rng=rng)
    kept = counts - 2 * rng.binomial(counts, sigma)
    weights = population.weights - kept / (n * (1 - 2 * sigma))
    squares = np.einsum("rj,rj->r", weights @ population.gram, weights)
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


def noisy_deviation_law(
    population: Finite, n: int, sigma: float
) -> tuple[Floats, Floats] | None:
    r"""The law of $\|\Phi(P)-\frac1{1-2\sigma}\Phi(S)\|$, by enumeration of samples of $P_\sigma$.

    Parameters
    ----------
    population : Finite
        $P$, clean.
    n : int
        Sample size.
    sigma : float
        Noise rate.

    Returns
    -------
    values, probabilities : arrays of the same length, or None
        None where the samples are too many to list.

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Examples
    --------
    >>> from noisytheory.vocabulary.populations import axis
    >>> values, probabilities = noisy_deviation_law(axis(1), 2, 0.25)
    >>> values.tolist(), probabilities.round(12).tolist()
    ([1.0, 3.0], [0.9375, 0.0625])
    """
    if not isinstance(population, Finite):
        raise ValueError(f"population must be a Finite one, got {population!r}")
    checked_whole("n", n)
    NOISE_RATE.number("sigma", sigma)
    law = population.with_label_noise(Fraction(str(sigma))).exact_norm_law(n)
    return None if law is None else (law[0] / (1 - 2 * sigma), law[1])


def two_point_error(n: int, sigma: float) -> tuple[float, float]:
    r"""Smallest probability of a large error that any estimator of $\Phi(P)$ can promise.

    Two populations on one axis have means $\pm m$ with $m=\frac1{2\sqrt n(1-2\sigma)}$, and the
    error counts where it reaches $m$. No estimate is within $m$ of both means, and either mean
    itself is at distance $2m$ of the other, so the best estimator is the best test of one sign
    rate of $n$ noisy labels against the other.

    Raises
    ------
    ValueError
        If ``n`` is so small that the means would exceed 1.

    Examples
    --------
    >>> probability, error = two_point_error(1, 0.0)
    >>> round(probability, 12)
    0.25
    """
    mean = 1 / (2 * np.sqrt(n) * (1 - 2 * sigma))
    if mean > 1:
        raise ValueError(f"n must be at least 1/(4 (1 - 2 sigma)^2), got {n}")
    return _test_error(n, sigma, mean), 1e-10


def unavoidable_error(n: int, sigma: float, chance: float) -> tuple[float, float]:
    r"""Largest error that any estimator of $\Phi(P)$ reaches with this probability, by two points.

    The means are $\pm m$ as in `two_point_error`; the largest $m$ is found by bisection, for the
    error probability of the best test falls as the means part.

    Parameters
    ----------
    n : int
        Sample size.
    sigma : float
        Probability that a label is flipped, in [0, 1/2).
    chance : float
        Below 1/2.

    Returns
    -------
    error, rounding : float
        RKHS norm.
    """
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        enough = _test_error(n, sigma, middle) >= chance
        low, high = (middle, high) if enough else (low, middle)
    return low, 1e-9


def _test_error(n: int, sigma: float, mean: float) -> float:
    """Error probability of the best test of a mean against its negative."""
    positive = (1 - sigma) * (1 + mean) / 2 + sigma * (1 - mean) / 2
    k = np.arange(n + 1)
    ways = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    first = np.exp(ways + special.xlogy(k, positive) + special.xlogy(n - k, 1 - positive))
    return float((1 - np.abs(first - first[::-1]).sum() / 2) / 2)


THREE = Finite("three points", [[0], [1], [2]], [1, -1, 1], [Fraction(k, 4) for k in (2, 1, 1)])
OTHERS = Finite("two others", [[1], [3]], [1, -1], [Fraction(1, 4), Fraction(3, 4)])
Noise: TypeAlias = SymmetricFlip | ClassConditionalFlip | InstanceFlip | Contamination
LAWS: tuple[Noise, ...] = (
    SymmetricFlip(Fraction(1, 4)), ClassConditionalFlip(Fraction(1, 8), Fraction(3, 8)),
    InstanceFlip([Fraction(0), Fraction(1, 4), Fraction(3, 8)]),
    Contamination(OTHERS, Fraction(1, 4)),
)
"""Every law of noise of two labels, on three points."""
MARKS = np.array([[0.5, 0.0], [0.0, 1.0], [0.75, 0.0], [0.25, 0.0]])
"""What an example counts, by its point and whether its label is positive: 0 where it is clean."""


def noisy_mark(noise: Noise, *, size: int, rng: np.random.Generator) -> Floats:
    """Marks of noisy examples, drawn one by one."""
    if isinstance(noise, Contamination):
        points, labels = noise.apply(*THREE.sample(size, rng=rng), rng=rng)
        return np.asarray(MARKS[points[:, 0].astype(int), (labels == 1).astype(int)])
    atoms = THREE.draw(size, rng=rng)
    if isinstance(noise, InstanceFlip):
        every = noise.apply(np.broadcast_to(THREE.labels, (size, 3)), rng=rng)
        labels = every[np.arange(size), atoms]
    else:
        labels = noise.apply(THREE.labels[atoms], rng=rng)
    return np.asarray(MARKS[atoms, (labels == 1).astype(int)])
