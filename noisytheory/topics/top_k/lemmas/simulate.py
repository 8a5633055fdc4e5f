"""Means of two losses, suprema over a ball, and contraction over all signs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noisytheory.trial.claim import Certificate, Law
from noisytheory.vocabulary.populations.multinomial import binomial_law

__all__ = ["OrthonormalAtoms", "TwoLosses"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TwoLosses:
    r"""Hinge losses 0 and 2 at $f_H$, with probability ``p`` of the 2: two points, $\|f_H\|=1$.

    Parameters
    ----------
    p : float
        Below one half.
    """

    p: float
    half_range = 1.0
    kappa_norm = 1.0

    @property
    def name(self) -> str:
        """Short and human-readable."""
        return f"losses 0 and 2, p={self.p:g}"

    def mean_law(self, n: int) -> Law:
        """Exact law of the mean minus its expectation."""
        return Law(2 * np.arange(n + 1) / n - 2 * self.p, binomial_law(n, self.p), slack=1e-12)


def two_losses(population: TwoLosses, n: int, *, size: int, rng: np.random.Generator) -> Floats:
    """Means minus their expectation."""
    return np.asarray(2 * rng.binomial(n, population.p, size) / n - 2 * population.p)


def two_losses_law(population: TwoLosses, n: int) -> Law:
    """Their exact law."""
    return population.mean_law(n)


def event_law(population: TwoLosses, n: int, mu: float, side: str) -> Law:
    r"""Law of whether $\mathcal E_z(f_H)-\mathcal E(f_H)$ is above, or not above, $\mu/2$."""
    law = population.mean_law(n)
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
