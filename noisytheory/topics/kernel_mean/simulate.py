r"""Deviations of sample means in feature space, drawn or with their exact laws."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from noisytheory.trial.claim import Certificate, Law
from noisytheory.vocabulary.exact import compositions
from noisytheory.vocabulary.populations import Finite, Population

__all__ = [
    "IndependentSigns",
    "Kernels",
    "fair_axis_law",
    "mean_deviation",
    "mean_deviation_law",
    "mean_deviation_with_norm",
    "normalised_gap",
    "normalised_gap_law",
    "risk_gap",
    "risk_gap_certificate",
    "risk_gap_certificate_along_axes",
    "risk_gap_every_sample",
    "risk_gap_samples",
    "risk_gap_samples_along_axes",
    "two_point_optimum",
]

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

# Samples that are listed, as counts of the atoms, where every instance is tried.
ENUMERABLE = 5_000


def mean_deviation(
    population: Population, n: int, *, size: int, rng: np.random.Generator
) -> Floats:
    r"""Draws of $\|\Phi(P)-\Phi(S)\|$, $S\sim P^n$.

    Parameters
    ----------
    population : Population
        $P$.
    n : int
        Sample size.
    size : int
        Number of independent samples.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    array, shape (size,)
        RKHS norms.

    Examples
    --------
    >>> from noisytheory.vocabulary.populations import point_mass
    >>> mean_deviation(point_mass(), 5, size=2, rng=np.random.default_rng(1)).tolist()
    [0.0, 0.0]
    """
    return population.deviations(n, size=size, rng=rng)


def mean_deviation_law(population: Population, n: int) -> Law | None:
    r"""Exact law of $\|\Phi(P)-\Phi(S)\|$, where the samples can be enumerated.

    Parameters
    ----------
    population : Population
        $P$.
    n : int
        Sample size.

    Returns
    -------
    Law or None

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


def mean_deviation_with_norm(
    population: Finite, n: int, *, size: int, rng: np.random.Generator
) -> dict[str, Floats]:
    r"""Draws of $\|\Phi(P)-\Phi(S)\|$ together with $\|\Phi(S)\|$ of the same sample.

    Parameters
    ----------
    population : Finite
        $P$.
    n : int
        Sample size.
    size : int
        Number of independent samples.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    dict
        ``lhs`` and ``sample_norm``, RKHS norms of shape (size,).

    Examples
    --------
    >>> from noisytheory.vocabulary.populations import axis
    >>> drawn = mean_deviation_with_norm(axis(), 5, size=9, rng=np.random.default_rng(1))
    >>> bool(np.allclose(drawn["lhs"], drawn["sample_norm"]))
    True
    """
    shares = population.counts(n, size=size, rng=rng) / n
    # Rounding may lift the norm of a mean of unit vectors above 1 by an ulp.
    return {
        "lhs": _norms(shares - population.weights, population.gram),
        "sample_norm": np.minimum(_norms(shares, population.gram), 1.0),
    }


def _norms(coefficients: Floats, gram: Floats) -> Floats:
    squares = np.einsum("rj,rj->r", coefficients @ gram, coefficients)
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


def risk_gap(
    population: Finite, n: int, *, size: int, rng: np.random.Generator
) -> Floats:
    r"""Draws of $\sup_{\|\omega\|\le1}[\mathrm{Risk}(P,\omega)-\mathrm{Risk}(S,\omega)]$.

    The loss is linear. Found from risks alone: the best direction so far and the next coordinate
    axis span a plane in which the gap is a sinusoid; its crest is the next direction.

    Parameters
    ----------
    population : Finite
        $P$, with points under the linear kernel.
    n : int
        Sample size.
    size : int
        Number of independent samples.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    array, shape (size,)
        Linear risk.

    Examples
    --------
    >>> from noisytheory.vocabulary.populations import point_mass
    >>> risk_gap(point_mass(), 5, size=2, rng=np.random.default_rng(1)).tolist()
    [0.0, 0.0]
    """
    return _largest_gap(population, population.counts(n, size=size, rng=rng), n)


def risk_gap_samples(
    population: Finite, n: int, *, size: int, rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    r"""Samples with both sides of $\sup_\omega[\ldots]=\|\Phi(P)-\Phi(S)\|$.

    Parameters
    ----------
    population : Finite
        $P$, with points under the linear kernel.
    n : int
        Sample size.
    size : int
        Number of independent samples.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    dict
        ``lhs`` as `risk_gap` finds it, ``rhs`` the norm from the Gram matrix, and the ``counts``
        of the atoms, shape (size, J).

    Examples
    --------
    >>> from noisytheory.vocabulary.populations import two_axes
    >>> drawn = risk_gap_samples(two_axes(), 5, size=3, rng=np.random.default_rng(1))
    >>> bool(np.allclose(drawn["lhs"], drawn["rhs"]))
    True
    """
    return _both_sides(population, population.counts(n, size=size, rng=rng), n)


def risk_gap_every_sample(population: Finite, n: int) -> dict[str, NDArray[Any]] | None:
    r"""Every sample, as counts of the atoms, with both sides as in `risk_gap_samples`.

    Parameters
    ----------
    population : Finite
        $P$, with points under the linear kernel.
    n : int
        Sample size.

    Returns
    -------
    dict or None
        None where there are more than 5,000.

    Examples
    --------
    >>> from noisytheory.vocabulary.populations import axis
    >>> risk_gap_every_sample(axis(), 2)["counts"].tolist()
    [[0, 2], [1, 1], [2, 0]]
    """
    atoms = population.atoms
    if math.comb(n + atoms - 1, atoms - 1) > ENUMERABLE:
        return None
    return _both_sides(population, compositions(n, atoms), n)


def risk_gap_certificate(population: Finite, n: int, counts: Counts) -> Certificate:
    r"""Squares of both sides of $\sup_\omega[\ldots]=\|\Phi(P)-\Phi(S)\|$, in fractions.

    Parameters
    ----------
    population : Finite
        $P$, with rational points and weights.
    n : int
        Sample size.
    counts : array of int, shape (J,)
        How often each atom occurs.

    Returns
    -------
    Certificate

    Examples
    --------
    >>> from noisytheory.vocabulary.populations import axis
    >>> risk_gap_certificate(axis(), 4, np.array([3, 1])).lhs
    Fraction(1, 4)
    """
    gaps, norm = _exact_sides(population, n, counts)
    # The gap is linear in omega, so its supremum over the ball is the norm of its values on axes.
    supremum = sum((g * g for g in gaps), Fraction(0))
    return Certificate(
        supremum,
        norm,
        [
            ("counts of the atoms", counts.tolist()),
            *((f"gap of the risks at axis {i}", gap) for i, gap in enumerate(gaps)),
            ("supremum over the ball, squared", supremum),
            ("norm from the Gram matrix, squared", norm),
        ],
    )


def risk_gap_samples_along_axes(
    population: Finite, n: int, *, size: int, rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    """As `risk_gap_samples`, with the coordinate axes and their opposites in place of the ball.

    Parameters
    ----------
    population : Finite
        $P$, with points under the linear kernel.
    n : int
        Sample size.
    size : int
        Number of independent samples.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    dict
        ``lhs``, ``rhs`` and ``counts``; the left side is too small in two dimensions or more.

    Examples
    --------
    >>> from noisytheory.vocabulary.populations import orthonormal
    >>> drawn = risk_gap_samples_along_axes(
    ...     orthonormal(2), 1, size=1, rng=np.random.default_rng(1))
    >>> float(drawn["lhs"][0]), bool(drawn["rhs"][0] > 0.7)
    (0.5, True)
    """
    counts = population.counts(n, size=size, rng=rng)
    both = _both_sides(population, counts, n)
    gap = _gap(population, counts, n)
    axes = np.eye(_coordinates(population).shape[1])
    values = [np.abs(gap(np.broadcast_to(axis, (size, len(axis))))) for axis in axes]
    return {**both, "lhs": np.max(values, axis=0)}


def risk_gap_certificate_along_axes(population: Finite, n: int, counts: Counts) -> Certificate:
    """As `risk_gap_certificate`, with the coordinate axes in place of the ball.

    Parameters
    ----------
    population : Finite
        $P$, with rational points and weights.
    n : int
        Sample size.
    counts : array of int, shape (J,)
        How often each atom occurs.

    Returns
    -------
    Certificate

    Examples
    --------
    >>> from noisytheory.vocabulary.populations import orthonormal
    >>> certificate = risk_gap_certificate_along_axes(orthonormal(2), 1, np.array([1, 0]))
    >>> certificate.lhs, certificate.rhs
    (Fraction(1, 4), Fraction(1, 2))
    """
    gaps, norm = _exact_sides(population, n, counts)
    largest = max(g * g for g in gaps)
    return Certificate(
        largest,
        norm,
        [
            ("counts of the atoms", counts.tolist()),
            *((f"gap of the risks at axis {i}", gap) for i, gap in enumerate(gaps)),
            ("norm from the Gram matrix, squared", norm),
        ],
    )


def _exact_sides(population: Finite, n: int, counts: Counts) -> tuple[list[Fraction], Fraction]:
    """Gaps of the risks at the coordinate axes, and the squared norm of the deviation."""
    weights, gram, points = population.exact_weights, population.exact_gram, population.points
    if weights is None or gram is None or points is None:
        raise ValueError(f"{population.name} is not rational")
    excess = [p - Fraction(int(c), n) for p, c in zip(weights, counts, strict=True)]
    gaps = []
    # As Python's own integers: those of NumPy would overflow inside fractions.
    for column in points.T.tolist():
        losses = [1 - int(y) * Fraction(x) for y, x in zip(population.labels, column, strict=True)]
        gaps.append(sum((e * loss for e, loss in zip(excess, losses, strict=True)), Fraction(0)))
    return gaps, Fraction(np.dot(np.dot(np.array(excess, dtype=object), gram), excess))


def _both_sides(population: Finite, counts: Counts, n: int) -> dict[str, NDArray[Any]]:
    return {
        "lhs": _largest_gap(population, counts, n),
        "rhs": _norms(counts / n - population.weights, population.gram),
        "counts": counts,
    }


def _coordinates(population: Finite) -> Floats:
    if population.points is None:
        raise ValueError(f"{population.name} has no points, only a Gram matrix")
    return np.asarray(population.points, float)


def _gap(population: Finite, counts: Counts, n: int) -> Callable[[Floats], Floats]:
    """Population risk less sample risk, from the losses, for one direction a sample."""
    points, shares = _coordinates(population), counts / n

    def gap(directions: Floats) -> Floats:
        losses = 1 - population.labels * (directions @ points.T)
        return np.asarray(losses @ population.weights - (shares * losses).sum(axis=1))

    return gap


def _largest_gap(population: Finite, counts: Counts, n: int) -> Floats:
    gap, dimension = _gap(population, counts, n), _coordinates(population).shape[1]
    best = np.zeros((len(counts), dimension))
    value = np.zeros(len(counts))
    for axis in np.eye(dimension):
        along = gap(np.broadcast_to(axis, best.shape))
        crest = np.hypot(value, along)[:, None]
        turned = value[:, None] * best + along[:, None] * axis
        best = np.divide(turned, crest, out=best, where=crest > 0)
        value = gap(best)
    return value


def two_point_optimum(n: int) -> tuple[float, float]:
    r"""Least probability of an error of $\frac1{2\sqrt n}$ over all estimators, two populations.

    The populations are one axis with mean $\pm\varepsilon$, $\varepsilon=\frac1{2\sqrt n}$. An
    estimator that is off by less than $\varepsilon$ tells them apart, and a test makes an
    estimator, so the least worst-case probability is that of the best randomised test:
    $\frac12(1-\mathrm{TV})$ of two binomial laws, the test being the sign of the sum.

    Parameters
    ----------
    n : int
        Sample size.

    Returns
    -------
    optimum, error : float
        The probability, and a bound on its rounding error.

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


@dataclass(frozen=True)
class IndependentSigns:
    r"""``k`` feature maps that are independent fair signs, $\phi_i(x)=x_i$ on $x\in\{-1,1\}^k$.

    $\Phi_i(P)=0$ for every $i$, so the gap of the normalised mean is
    $\|\Phi_i(S)\|=|2B_i/n-1|$ with independent $B_i\sim\mathrm{Bin}(n,\frac12)$.

    Parameters
    ----------
    k : int
        Number of kernels, at least 1.

    Examples
    --------
    >>> IndependentSigns(10).name
    '10 independent signs'
    """

    k: int

    @property
    def name(self) -> str:
        """Short and human-readable."""
        return f"{self.k} independent sign{'s' if self.k > 1 else ''}"

    def gaps(self, n: int, *, size: int, rng: np.random.Generator) -> Floats:
        """Largest gap over the kernels, shape (size,)."""
        largest = np.zeros(size)
        for _ in range(self.k):
            drawn = np.abs(2 * rng.binomial(n, 0.5, size) / n - 1)
            np.maximum(largest, drawn, out=largest)
        return largest

    def law(self, n: int) -> Law:
        """Law of the maximum of independent variables: the power of a distribution function."""
        single = fair_axis_law(n)
        mass = np.asarray(single.probabilities)
        above = np.append(np.cumsum(mass[::-1])[-2::-1], 0.0)
        with np.errstate(divide="ignore"):
            cdf = np.exp(self.k * np.log1p(-above))
        return Law(single.values, np.maximum(np.diff(cdf, prepend=0.0), 0.0))


@dataclass(frozen=True)
class Kernels:
    """Several kernels on the same instances.

    Parameters
    ----------
    name : str
        Short and human-readable.
    populations : sequence of Finite
        One a kernel, with the same atoms and weights.

    Examples
    --------
    >>> from noisytheory.vocabulary.populations import digits
    >>> Kernels("digits", [digits(bandwidth=b) for b in (1, 2)]).k
    2
    """

    name: str
    populations: Sequence[Finite] = field(repr=False)

    @property
    def k(self) -> int:
        """Number of kernels."""
        return len(self.populations)

    def digest(self) -> str:
        """Name of the content."""
        return " ".join(p.digest() for p in self.populations)

    def gaps(self, n: int, *, size: int, rng: np.random.Generator) -> Floats:
        r"""Largest gap $\langle\hat\Phi_i(S),\Phi_i(S)-\Phi_i(P)\rangle$ over the kernels."""
        first = self.populations[0]
        shares = first.counts(n, size=size, rng=rng) / n
        largest = np.full(size, -np.inf)
        for population in self.populations:
            scores = shares @ population.gram
            squared = np.einsum("rj,rj->r", scores, shares)
            norm = np.sqrt(np.maximum(squared, 0.0))
            gap = squared - scores @ population.weights
            # Without a sample mean there is no direction, and no gap.
            gap = np.divide(gap, norm, out=np.zeros(size), where=norm > 0)
            np.maximum(largest, gap, out=largest)
        return largest

    def law(self, n: int) -> None:
        """Unknown."""
        return None


def normalised_gap(
    population: IndependentSigns | Kernels, n: int, *, size: int, rng: np.random.Generator
) -> Floats:
    r"""Draws of $\max_i\mathrm{Risk}(P,\hat\Phi_i(S))-\mathrm{Risk}(S,\hat\Phi_i(S))$, linear loss.

    Parameters
    ----------
    population : IndependentSigns or Kernels
        The kernels, and with them $P$.
    n : int
        Sample size.
    size : int
        Number of independent samples.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    array, shape (size,)
        Linear risk.

    Examples
    --------
    >>> drawn = normalised_gap(IndependentSigns(3), 1, size=2, rng=np.random.default_rng(1))
    >>> drawn.tolist()
    [1.0, 1.0]
    """
    return population.gaps(n, size=size, rng=rng)


def normalised_gap_law(population: IndependentSigns | Kernels, n: int) -> Law | None:
    """Exact law of the largest gap of the normalised means, where it is known.

    Parameters
    ----------
    population : IndependentSigns or Kernels
        The kernels.
    n : int
        Sample size.

    Returns
    -------
    Law or None

    Examples
    --------
    >>> normalised_gap_law(IndependentSigns(2), 2).exceeding(0.5)
    (0.75, 0.75)
    """
    return population.law(n)


def fair_axis_law(n: int) -> Law:
    r"""Law of $|2B/n-1|$, $B\sim\mathrm{Bin}(n,\frac12)$, to a relative error in its far tail.

    Products of the exact ratios $\Pr[B=k+1]/\Pr[B=k]=\frac{n-k}{k+1}$ from the centre outwards;
    $m$ steps lose at most $2m$ units in the last place, below $10^{-11}$ for the first 40,000
    steps. With ``n`` up to a million, what lies further out weighs less than $e^{-3000}$.

    Parameters
    ----------
    n : int
        Sample size, 1 to a million.

    Returns
    -------
    Law

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
