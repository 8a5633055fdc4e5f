"""Means of two losses, suprema over a ball, and contraction over all signs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noisytheory.trial.claim import Certificate, Law
from noisytheory.vocabulary.populations.multinomial import binomial_law

__all__ = ["OneFeature", "OrthonormalAtoms", "Sampled", "TwoLosses"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TwoLosses:
    r"""Hinge losses 0 and ``large`` at $f_H$, with probability ``p`` of the second; $\|f_H\|=1$.

    Two points at 1 and -1, the labels of a share p turned; or a share p near 0, with a label that
    the others outweigh.

    Parameters
    ----------
    p : float
        Below one half for two points.
    large : float
        2 for two points, a little above 1 near 0.
    """

    p: float
    large: float = 2.0
    half_range = 1.0
    kappa_norm = 1.0

    @property
    def name(self) -> str:
        """Short and human-readable."""
        return f"losses 0 and {self.large:g}, p={self.p:g}"

    def mean_law(self, n: int) -> Law:
        """Exact law of the mean minus its expectation."""
        return Law(self.large * (np.arange(n + 1) / n - self.p), binomial_law(n, self.p),
                   slack=1e-12)


def two_losses(population: TwoLosses, n: int, *, size: int, rng: np.random.Generator) -> Floats:
    """Means minus their expectation."""
    return np.asarray(population.large * (rng.binomial(n, population.p, size) / n - population.p))


def two_losses_law(population: TwoLosses, n: int) -> Law:
    """Their exact law."""
    return population.mean_law(n)


@dataclass(frozen=True)
class Sampled(TwoLosses):
    """Such losses, in a sample of size ``n``."""

    n: int = 1

    @property
    def name(self) -> str:
        """Short and human-readable."""
        return f"{super().name}, n={self.n:g}"


def event_law(population: Sampled, mu: float, side: str) -> Law:
    r"""Law of whether $\mathcal E_z(f_H)-\mathcal E(f_H)$ is above, or not above, $\mu/2$."""
    law = population.mean_law(population.n)
    above = law.exceeding(mu / 2)[0]
    chance = above if side == "above" else 1 - above
    return Law([0.0, 1.0], [1 - chance, chance])


@dataclass(frozen=True)
class OrthonormalAtoms:
    r"""m orthonormal points with label 1 and equal masses: the supremum over a ball is a norm.

    Parameters
    ----------
    m : int
    radius : float
        $R\le1$: no score reaches 1, so the hinge loss is $1-f$.
    """

    m: int
    radius: float

    @property
    def name(self) -> str:
        """Short and human-readable."""
        return f"{self.m} orthonormal points, R={self.radius:g}"


def supremum(
    population: OrthonormalAtoms, n: int, *, size: int, rng: np.random.Generator
) -> Floats:
    r"""$\sup_{\|f\|\le R}\mathcal E_h(f)-\mathcal E_{h,z}(f)=R\|p-\hat p\|$."""
    m = population.m
    counts = rng.multinomial(n, np.full(m, 1 / m), size=size)
    return np.asarray(population.radius * np.linalg.norm(counts / n - 1 / m, axis=1))


def supremum_law(population: OrthonormalAtoms, n: int) -> Law | None:
    """The exact law where two points are drawn: the same, or two."""
    if n != 2:
        return None
    alike = 1 / population.m
    norms = np.sqrt(np.array([1.0, 0.5]) - alike)
    return Law(population.radius * norms, [alike, 1 - alike])


@dataclass(frozen=True)
class OneFeature:
    r"""Points 1 and -1 with one label, in equal shares: losses of 0 and $1+R$ at the ends.

    Parameters
    ----------
    radius : float
        At least 1.
    """

    radius: float

    @property
    def name(self) -> str:
        """Short and human-readable."""
        return f"points 1 and -1, R={self.radius:g}"

    def supremum(self, share: Floats) -> Floats:
        """Where a share of the sample is at 1: at a kink of the hinge risks, or at an end."""
        w = np.array([-self.radius, -1.0, 1.0, self.radius])
        losses = np.maximum(1 - w, 0) - np.maximum(1 + w, 0)
        return np.asarray(((0.5 - share)[:, None] * losses).max(axis=1))


def one_feature(
    population: OneFeature, n: int, *, size: int, rng: np.random.Generator
) -> Floats:
    r"""$\sup_{|w|\le R}\mathcal E_h(w)-\mathcal E_{h,z}(w)$."""
    return population.supremum(rng.binomial(n, 0.5, size) / n)


def one_feature_law(population: OneFeature, n: int) -> Law:
    """Its exact law."""
    return Law(population.supremum(np.arange(n + 1) / n), binomial_law(n, 0.5), slack=1e-12)


def contraction(m: int, form: str) -> Iterator[Certificate]:
    r"""Lemma 4 on small classes, over all signs, times $2^m$: left and right side of each class."""
    for index in range(3):
        yield Certificate(*_sides_of_contraction(index, m, form), [("class", index)])


def _sides_of_contraction(index: int, m: int, form: str) -> tuple[int, int]:
    """A class of functions on m points, whole numbers: the two sums over signs.

    ``"printed"`` has $\\Psi=1$ in its first class; ``"two"`` has absolute values and
    $\\Psi(0)=0$; both have the constant 2. ``"signed"`` has neither, with constant 1.
    """
    classes = [
        np.zeros((1, m), int),
        np.array([[0, -3, -3], [0, 2, 2], [2, 1, 3], [-2, 3, 1], [0, 0, 0]])[:, :m],
        np.eye(m, dtype=int) * 2,
    ]
    f = classes[index]
    if form in ("printed", "signed") and index == 0:
        values = np.ones_like(f)  # a constant has Lipschitz constant 0
        lipschitz = 0
    else:
        values, lipschitz = np.abs(f), 1
    signs = np.array(np.meshgrid(*[[-1, 1]] * m)).reshape(m, -1)
    left, right = values @ signs, lipschitz * (f @ signs)
    if form == "signed":
        return int(left.max(axis=0).sum()), int(right.max(axis=0).sum())
    return int(np.abs(left).max(axis=0).sum()), 2 * int(np.abs(right).max(axis=0).sum())
