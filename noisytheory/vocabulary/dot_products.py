r"""Kernels that are power series in the inner product, $\sum_n\beta_n\langle x,x'\rangle^n$.

Their features are the tensors $\sqrt{\beta_n}\,x\otimes\cdots\otimes x$. The Gaussian kernel is
such a series times $e^{-\|x\|^2/\sigma^2}e^{-\|x'\|^2/\sigma^2}$.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from noisytheory.vocabulary.domains import COUNT, NONNEGATIVE, POSITIVE

__all__ = [
    "BinomialProduct", "DotProduct", "ExponentialProduct", "GaussianProduct", "HomogeneousProduct",
    "InhomogeneousProduct", "LinearProduct",
]

Floats = NDArray[np.float64]


class DotProduct(ABC):
    r"""A kernel $Q(\langle x,x'\rangle)$ with $\beta_n\ge0$.

    Attributes
    ----------
    degree : int or None
        Of $Q$, None where it is no polynomial.
    radius : float
        Of convergence.
    """

    degree: int | None = None
    radius: float = math.inf

    @property
    @abstractmethod
    def name(self) -> str:
        """For labels and legends."""

    @abstractmethod
    def at(self, a: Any) -> Any:
        """$Q(a)$, elementwise; infinite beyond the radius of convergence."""

    @abstractmethod
    def coefficients(self, count: int) -> Floats:
        r"""$\beta_0,\dots,\beta_{count-1}$."""

    def envelope(self, x: ArrayLike) -> Floats:
        """What a feature of each row is multiplied by: 1, but for the Gaussian kernel."""
        return np.ones(len(np.asarray(x)))

    def gram(self, x: ArrayLike, z: ArrayLike) -> Floats:
        """Kernel values of all pairs of rows."""
        x, z = np.asarray(x, float), np.asarray(z, float)
        product = np.asarray(self.at(x @ z.T))
        return np.asarray(self.envelope(x)[:, None] * product * self.envelope(z))


@dataclass(frozen=True)
class LinearProduct(DotProduct):
    r"""$\langle x,x'\rangle$.

    Examples
    --------
    >>> LinearProduct().coefficients(3).tolist()
    [0.0, 1.0, 0.0]
    """

    degree = 1

    @property
    def name(self) -> str:
        """For labels and legends."""
        return "linear"

    def at(self, a: Any) -> Any:
        """$a$."""
        return 1.0 * a

    def coefficients(self, count: int) -> Floats:
        r"""$\beta_1=1$."""
        return np.asarray(np.arange(count) == 1, float)


@dataclass(frozen=True)
class HomogeneousProduct(DotProduct):
    r"""$\langle x,x'\rangle^n$.

    Parameters
    ----------
    degree : int
        $n\ge1$.

    Examples
    --------
    >>> HomogeneousProduct(2).at(3.0)
    9.0
    """

    degree: int = 2

    def __post_init__(self) -> None:
        COUNT.number("degree", self.degree)

    @property
    def name(self) -> str:
        """For labels and legends."""
        return f"homogeneous, degree {self.degree}"

    def at(self, a: Any) -> Any:
        """$a^n$."""
        return a**self.degree

    def coefficients(self, count: int) -> Floats:
        r"""$\beta_n=1$."""
        return np.asarray(np.arange(count) == self.degree, float)


@dataclass(frozen=True)
class InhomogeneousProduct(DotProduct):
    r"""$(c+\langle x,x'\rangle)^n$.

    Parameters
    ----------
    degree : int
        $n\ge1$.
    offset : float
        $c\ge0$.

    Examples
    --------
    >>> InhomogeneousProduct(2).coefficients(4).tolist()
    [1.0, 2.0, 1.0, 0.0]
    """

    degree: int = 2
    offset: float = 1.0

    def __post_init__(self) -> None:
        COUNT.number("degree", self.degree)
        NONNEGATIVE.number("offset", self.offset)

    @property
    def name(self) -> str:
        """For labels and legends."""
        return f"({self.offset:g}+a)^{self.degree}"

    def at(self, a: Any) -> Any:
        """$(c+a)^n$."""
        return (self.offset + a) ** self.degree

    def coefficients(self, count: int) -> Floats:
        r"""$\beta_k=\binom nkc^{n-k}$."""
        k = np.arange(count)
        power = np.where(k <= self.degree, self.degree - k, 0)
        return np.asarray(special.binom(self.degree, k) * float(self.offset) ** power)


@dataclass(frozen=True)
class ExponentialProduct(DotProduct):
    r"""$e^{\langle x,x'\rangle}$.

    Examples
    --------
    >>> ExponentialProduct().coefficients(3).tolist()
    [1.0, 1.0, 0.5]
    """

    @property
    def name(self) -> str:
        """For labels and legends."""
        return "exponential"

    def at(self, a: Any) -> Any:
        """$e^a$."""
        return np.exp(a)

    def coefficients(self, count: int) -> Floats:
        r"""$\beta_n=1/n!$."""
        n = np.arange(count, dtype=float)
        return np.asarray(np.exp(-special.gammaln(n + 1)))


@dataclass(frozen=True)
class BinomialProduct(DotProduct):
    r"""$(1-\langle x,x'\rangle)^{-\alpha}$ on $\|x\|<1$; print has a plus sign, which is no kernel.

    Parameters
    ----------
    alpha : float
        $\alpha>0$.

    Examples
    --------
    >>> float(BinomialProduct(1.0).at(0.5)), BinomialProduct(2.0).coefficients(3).tolist()
    (2.0, [1.0, 2.0, 3.0])
    """

    alpha: float = 1.0
    radius = 1.0

    def __post_init__(self) -> None:
        POSITIVE.number("alpha", self.alpha)

    @property
    def name(self) -> str:
        """For labels and legends."""
        return f"binomial, alpha={self.alpha:g}"

    def at(self, a: Any) -> Any:
        r"""$(1-a)^{-\alpha}$, infinite at 1 and beyond."""
        inside = np.minimum(a, 1 - 1e-300)
        with np.errstate(divide="ignore"):
            found = (1 - inside) ** -float(self.alpha)
        return found

    def coefficients(self, count: int) -> Floats:
        r"""$\beta_n=\alpha(\alpha+1)\cdots(\alpha+n-1)/n!$."""
        n = np.arange(1, count)
        return np.concatenate([[1.0], np.cumprod((self.alpha + n - 1) / n)])[:count]


@dataclass(frozen=True)
class GaussianProduct(DotProduct):
    r"""$e^{-\|x-x'\|^2/\sigma^2}$: the series $e^{2a/\sigma^2}$ between two envelopes.

    Parameters
    ----------
    sigma2 : float
        $\sigma^2>0$.

    Examples
    --------
    >>> round(float(GaussianProduct(2.0).gram([[0.0]], [[1.0]])[0, 0]), 6)
    0.606531
    """

    sigma2: float = 1.0

    def __post_init__(self) -> None:
        POSITIVE.number("sigma2", self.sigma2)

    @property
    def name(self) -> str:
        """For labels and legends."""
        return f"Gaussian, sigma2={self.sigma2:g}"

    def at(self, a: Any) -> Any:
        r"""$e^{2a/\sigma^2}$, without the envelopes."""
        return np.exp(2 * a / self.sigma2)

    def coefficients(self, count: int) -> Floats:
        r"""$\beta_n=(2/\sigma^2)^n/n!$."""
        n = np.arange(count, dtype=float)
        return np.asarray(np.exp(n * math.log(2 / self.sigma2) - special.gammaln(n + 1)))

    def envelope(self, x: ArrayLike) -> Floats:
        r"""$e^{-\|x\|^2/\sigma^2}$ of each row."""
        return np.asarray(np.exp(-np.square(np.asarray(x, float)).sum(-1) / self.sigma2))

    def gram(self, x: ArrayLike, z: ArrayLike) -> Floats:
        """Kernel values of all pairs of rows, without cancellation between large exponents."""
        x, z = np.asarray(x, float), np.asarray(z, float)
        squares = np.square(x).sum(-1)[:, None] + np.square(z).sum(-1) - 2 * x @ z.T
        return np.asarray(np.exp(-np.maximum(squares, 0) / self.sigma2))
