r"""Small populations in whole numbers, by the thousand: every score, margin and risk is exact.

An instance is a pair of populations $P,Q$ over the same few points $x_1,\dots,x_J$: an integer Gram
matrix (in units of ``1/square``), integer masses (in units of ``1/total``) and an integer share of
contamination (in units of ``1/levels``). No score is ever zero, or not zero, by rounding.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["LABELS", "SCORE_STEPS", "EveryPair", "Instances", "OnePair", "RandomPairs"]

Ints = NDArray[np.int64]

LABELS = np.array([1, -1])
"""Order of the labels along the last axis of the masses."""

SCORE_STEPS = 12
"""Arbitrary scores, those that no mean gave, are whole multiples of one over this."""


@dataclass(frozen=True)
class Instances:
    """Instances, stacked along the first axis.

    Parameters
    ----------
    gram : int array, shape (size, J, J)
        $K(x_i,x_j)$ in units of ``1/square``.
    points : int array, shape (size, J, d)
        $\\phi(x_j)$ in units of ``1/sqrt(square)``; ``d`` is 0 where there are no coordinates.
    masses, corruption : int array, shape (size, J, 2)
        $P(x_j,y)$ and $Q(x_j,y)$ in units of ``1/total``, in the order of `LABELS`.
    share : int array, shape (size,)
        Share of $Q$ in units of ``1/levels``.
    """

    gram: Ints
    points: Ints
    masses: Ints
    corruption: Ints
    share: Ints

    def at(self, rows: Ints) -> Instances:
        """Instances with these numbers, in this order.

        Parameters
        ----------
        rows : int array, shape (size,)

        Returns
        -------
        Instances
        """
        fields = dataclasses.fields(self)
        return Instances(*(getattr(self, field.name)[rows] for field in fields))


@dataclass(frozen=True)
class RandomPairs:
    """Random masses on random points of a sphere that have rational coordinates.

    Parameters
    ----------
    atoms : int
        Number of points.
    dimension, radius : int
        Points are drawn from the integer points on the sphere of this radius in this dimension.
    inside : bool
        Draw from the ball instead: features of norm at most 1, zero included.
    total, levels : int
        Denominators of the masses and of the share.
    """

    atoms: int
    dimension: int = 3
    radius: int = 9
    inside: bool = False
    total: int = 20
    levels: int = 60
    exhaustive: bool = False

    @property
    def name(self) -> str:
        """For the grid."""
        where = "in the ball" if self.inside else "on the sphere"
        return f"{self.atoms} random point{'s' * (self.atoms > 1)} {where}"

    @property
    def square(self) -> int:
        """Denominator of the Gram matrix."""
        return self.radius**2

    def digest(self) -> str:
        """What the draws depend on."""
        return repr(self)

    def instances(self, size: int | None, rng: np.random.Generator | None) -> Instances:
        """Independent instances.

        Parameters
        ----------
        size : int
            How many.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        Instances

        Raises
        ------
        ValueError
            Without size and rng: this family is not exhaustive.
        """
        if size is None or rng is None:
            raise ValueError("random instances need size and rng")
        sites = _lattice(self.dimension, self.radius, self.inside)
        points = sites[rng.integers(len(sites), size=(size, self.atoms))]
        return Instances(
            gram=points @ points.swapaxes(1, 2),
            points=points,
            masses=self._masses(size, rng),
            corruption=self._masses(size, rng),
            share=rng.integers(self.levels + 1, size=size),
        )

    def _masses(self, size: int, rng: np.random.Generator) -> Ints:
        # A sparse Dirichlet law, so that empty points and noiseless ones are common.
        rates = rng.dirichlet(np.full(2 * self.atoms, 0.5), size=size)
        return rng.multinomial(self.total, rates).reshape(size, self.atoms, 2)


@dataclass(frozen=True)
class EveryPair:
    """Every pair of populations on one point, or on two points at one of some angles.

    Two points matter through their angle alone, so the first one is fixed.

    Parameters
    ----------
    atoms : int
        1 or 2.
    radius : int
        The second point runs over the integer points on the circle of this radius.
    total, levels : int
        Masses are multiples of ``1/total``, shares of ``1/levels``.
    single : bool
        Only populations $P$: no contamination.
    """

    atoms: int
    radius: int = 5
    total: int = 3
    levels: int = 6
    single: bool = False
    exhaustive: bool = True

    @property
    def name(self) -> str:
        """For the grid."""
        points = f"{self.atoms} point{'s' * (self.atoms > 1)}"
        return f"every population on {points}, masses in 1/{self.total}"

    @property
    def square(self) -> int:
        """Denominator of the Gram matrix."""
        return self.radius**2

    def digest(self) -> str:
        """What the instances depend on."""
        return repr(self)

    def instances(self, size: int | None, rng: np.random.Generator | None) -> Instances:
        """All instances, or some drawn from them with equal chances.

        Parameters
        ----------
        size : int or None
            How many; None for all.
        rng : numpy.random.Generator or None
            Source of randomness.

        Returns
        -------
        Instances
        """
        return _picked(self._all(), size, rng)

    def _all(self) -> Instances:
        sites = _lattice(2, self.radius, False)
        first = np.broadcast_to(np.array([self.radius, 0]), sites.shape)
        points = np.stack([first, sites], axis=1) if self.atoms == 2 else first[:1, None, :]
        masses = _compositions(self.total, 2 * self.atoms).reshape(-1, self.atoms, 2)
        others = masses[:1] if self.single else masses
        shares = np.arange(1 if self.single else self.levels + 1)
        where, clean, other, share = (
            index.ravel()
            for index in np.indices((len(points), len(masses), len(others), len(shares)))
        )
        chosen = points[where]
        return Instances(
            gram=chosen @ chosen.swapaxes(1, 2),
            points=chosen,
            masses=masses[clean],
            corruption=others[other],
            share=shares[share],
        )


@dataclass(frozen=True)
class OnePair:
    """One instance, written down.

    Parameters
    ----------
    name : str
        For the grid.
    gram : nested tuples of int
        Gram matrix in units of ``1/square``.
    masses, corruption : nested tuples of int
        $(P(x_j,1),P(x_j,-1))$ and the same of $Q$, in units of ``1/total``.
    share : int
        Share of $Q$ in units of ``1/levels``.
    square, total, levels : int
        Denominators.
    """

    name: str
    gram: tuple[tuple[int, ...], ...]
    masses: tuple[tuple[int, int], ...]
    corruption: tuple[tuple[int, int], ...]
    share: int
    square: int
    total: int
    levels: int
    exhaustive: bool = True

    @property
    def atoms(self) -> int:
        """Number of points."""
        return len(self.gram)

    def digest(self) -> str:
        """What the instance is."""
        return repr(self)

    def instances(self, size: int | None, rng: np.random.Generator | None) -> Instances:
        """The instance, once or ``size`` times.

        Parameters
        ----------
        size : int or None
            How often; None for once.
        rng : numpy.random.Generator or None
            Plays no part.

        Returns
        -------
        Instances
        """
        one = Instances(
            gram=np.array([self.gram]),
            points=np.zeros((1, self.atoms, 0), dtype=np.int64),
            masses=np.array([self.masses]),
            corruption=np.array([self.corruption]),
            share=np.array([self.share]),
        )
        return one if size is None else one.at(np.zeros(size, dtype=np.int64))


def _picked(
    every: Instances, size: int | None, rng: np.random.Generator | None
) -> Instances:
    if size is None or rng is None:
        return every
    return every.at(rng.integers(len(every.share), size=size))


@functools.cache
def _lattice(dimension: int, radius: int, inside: bool) -> Ints:
    """Integer points on the sphere of this radius, or in the ball, in lexicographic order."""
    axis = np.arange(-radius, radius + 1)
    points = np.array(list(itertools.product(axis, repeat=dimension)))
    lengths = np.sum(points**2, axis=1)
    return np.asarray(points[lengths <= radius**2 if inside else lengths == radius**2])


def _compositions(total: int, parts: int) -> Ints:
    """All ways to write ``total`` as an ordered sum of ``parts`` whole numbers >= 0."""
    bars = np.array(list(itertools.combinations(range(total + parts - 1), parts - 1)))
    edges = np.column_stack(
        [np.full(len(bars), -1), bars, np.full(len(bars), total + parts - 1)]
    )
    return np.asarray(np.diff(edges, axis=1) - 1)
