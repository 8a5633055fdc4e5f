r"""Gaps of risks of the normalised kernel means, the largest over several kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.kernel_mean.deviation.simulate import fair_axis_law
from noisytheory.trial.claim import Law
from noisytheory.vocabulary.populations import Finite

Floats = NDArray[np.float64]


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
    radius: ClassVar[float] = 1.0

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

    @property
    def radius(self) -> float:
        """The largest of their radii: no gap is larger."""
        return max(population.radius for population in self.populations)

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

    Examples
    --------
    >>> drawn = normalised_gap(IndependentSigns(3), 1, size=2, rng=np.random.default_rng(1))
    >>> drawn.tolist()
    [1.0, 1.0]
    """
    return population.gaps(n, size=size, rng=rng)


def normalised_gap_law(population: IndependentSigns | Kernels, n: int) -> Law | None:
    """Exact law of the largest gap of the normalised means, where it is known.

    Examples
    --------
    >>> normalised_gap_law(IndependentSigns(2), 2).exceeding(0.5)
    (0.75, 0.75)
    """
    return population.law(n)
