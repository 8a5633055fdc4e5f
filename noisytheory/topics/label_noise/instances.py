r"""Populations of a few points, by the thousand, in numbers that floats hold exactly.

An instance is a pair of populations $P,Q$ over the same few points $x_1,\dots,x_J$ of the unit
sphere in five dimensions (quarters of whole numbers: 730 points), with masses in sixteenths, and a
share $\sigma$ of contamination in sixty-fourths. No score is ever zero, or not zero, by rounding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from noisytheory.vocabulary.exact import compositions, sphere
from noisytheory.vocabulary.joint_masses import LABELS, margin, mixed, signed

Numbers: TypeAlias = Any
"""An array of floats, or of fractions."""
Rng: TypeAlias = np.random.Generator
Doubles: TypeAlias = NDArray[np.float64]
Instances: TypeAlias = dict[str, Any]
"""Arrays with instances first: ``x`` (J, 5), ``P`` and ``Q`` (J, 2), ``sigma``."""

DIMENSION, RADIUS = 5, 4


@dataclass(frozen=True)
class RandomPairs:
    """Random masses on random points.

    Parameters
    ----------
    atoms : int
        Number of points.
    inside : bool
        Draw from the ball, not the sphere: features of norm at most 1, zero included.
    total, levels : int
        Masses are multiples of ``1/total``, shares of ``1/levels``; powers of two.
    """

    atoms: int
    inside: bool = False
    total: int = 16
    levels: int = 64

    @property
    def name(self) -> str:
        """For the grid."""
        where = "in the ball" if self.inside else "on the sphere"
        coarse = "" if self.total == 16 else f", masses in 1/{self.total}"
        return f"{self.atoms} random point{'s' * (self.atoms > 1)} {where}{coarse}"

    def digest(self) -> str:
        """What the draws depend on."""
        return repr(self)

    def draw(self, size: int, rng: np.random.Generator) -> Instances:
        """Independent instances."""
        sites = sphere(DIMENSION, RADIUS, self.inside)
        return {
            "x": sites[rng.integers(len(sites), size=(size, self.atoms))] / RADIUS,
            "P": self._masses(size, rng),
            "Q": self._masses(size, rng),
            "sigma": rng.integers(self.levels + 1, size=size) / self.levels,
        }

    def every(self) -> None:
        """Too many to list."""

    def _masses(self, size: int, rng: np.random.Generator) -> Doubles:
        # A sparse Dirichlet law, so that empty points and noiseless ones are common: of one half it
        # is that of squared normal numbers over their sum.
        rates = rng.standard_normal((size, 2 * self.atoms)) ** 2
        rates /= rates.sum(axis=1, keepdims=True)
        return rng.multinomial(self.total, rates).reshape(size, self.atoms, 2) / self.total


@dataclass(frozen=True)
class EveryPair:
    """Every pair of populations on one point, or on two points at one of nine angles.

    Two points matter through their angle alone, so the first one is fixed; the angles are those
    whose cosines are quarters.

    Parameters
    ----------
    atoms : int
        1 or 2.
    total, levels : int
        Masses are multiples of ``1/total``, shares of ``1/levels``; powers of two.
    single : bool
        Only populations $P$: no contamination.
    """

    atoms: int
    total: int = 4
    levels: int = 4
    single: bool = False

    @property
    def name(self) -> str:
        """For the grid."""
        points = f"{self.atoms} point{'s' * (self.atoms > 1)}"
        return f"every population on {points}, masses in 1/{self.total}"

    def digest(self) -> str:
        """What the instances depend on."""
        return repr(self)

    def draw(self, size: int, rng: np.random.Generator) -> Instances:
        """Some of them, with equal chances."""
        return picked(self.every(), size, rng)

    def every(self) -> Instances:
        """All of them."""
        masses = compositions(self.total, 2 * self.atoms).reshape(-1, self.atoms, 2) / self.total
        others = masses[:1] if self.single else masses
        shares = np.arange(1 if self.single else self.levels + 1) / self.levels
        points = _angles() if self.atoms == 2 else _angles()[:1, :1]
        where, clean, other, share = (
            index.ravel()
            for index in np.indices((len(points), len(masses), len(others), len(shares)))
        )
        return {
            "x": points[where], "P": masses[clean], "Q": others[other], "sigma": shares[share],
        }


def picked(every: Instances, size: int, rng: Rng) -> Instances:
    """Rows of a list, each with equal chances."""
    rows = rng.integers(len(next(iter(every.values()))), size=size)
    return {name: array[rows] for name, array in every.items()}


def _angles() -> Doubles:
    """Pairs of points, the first one fixed, one pair for every cosine."""
    sites = sphere(DIMENSION, RADIUS)
    first = np.array([RADIUS, 0, 0, 0, 0])
    _, one_each = np.unique(sites @ first, return_index=True)
    return np.stack([np.broadcast_to(first, (len(one_each), 5)), sites[one_each]], axis=1) / RADIUS


@dataclass(frozen=True)
class OnePair:
    """One instance, written down.

    Parameters
    ----------
    name : str
        For the grid.
    x : nested tuples of float
        Points.
    P, Q : nested tuples of float
        $(P(x_j,1),P(x_j,-1))$ and the same of $Q$.
    sigma : float
        Share of $Q$.
    """

    name: str
    x: tuple[tuple[float, ...], ...]
    P: tuple[tuple[float, float], ...]
    Q: tuple[tuple[float, float], ...]
    sigma: float

    def digest(self) -> str:
        """What the instance is."""
        return repr(self)

    def draw(self, size: int, rng: np.random.Generator) -> Instances:
        """The instance, again and again."""
        return {name: np.repeat(array, size, axis=0) for name, array in self.every().items()}

    def every(self) -> Instances:
        """The instance, once."""
        fields: dict[str, Any] = {"x": self.x, "P": self.P, "Q": self.Q, "sigma": self.sigma}
        return {name: np.array(value, float)[None] for name, value in fields.items()}


Pairs: TypeAlias = RandomPairs | EveryPair | OnePair


@dataclass(frozen=True)
class Alone:
    r"""One population over a few points.

    Parameters
    ----------
    x : array, shape (size, J, d)
        Points, which are their own features.
    P : array, shape (size, J, 2)
        Masses in the order of `LABELS`.
    """

    x: Numbers
    P: Numbers

    @staticmethod
    def draw(population: Pairs, *, size: int, rng: Rng) -> Instances:
        """Instances of this family."""
        drawn = population.draw(size, rng)
        return {name: drawn[name] for name in ("x", "P")}

    @staticmethod
    def every(population: Pairs) -> Instances | None:
        """All instances of this family, where they can be listed."""
        listed = population.every()
        return None if listed is None else {name: listed[name] for name in ("x", "P")}

    @cached_property
    def kernel(self) -> Numbers:
        r"""$\langle x_i,x_j\rangle$."""
        return self.x @ self.x.swapaxes(-1, -2)

    def scores(self, masses: Numbers) -> Numbers:
        """Of all points, under the mean of these masses, by kernels."""
        return (self.kernel @ signed(masses)[..., None])[..., 0]

    @cached_property
    def margin(self) -> Numbers:
        """Margin for error of the clean mean; 0 where no point is right."""
        return margin(self.P, self.scores(self.P))

    def _present(self) -> list[int]:
        return [j for j in range(self.x.shape[1]) if np.any(self.P[0, j])]

    def steps(self) -> Iterator[tuple[str, object]]:
        """The instance in words, what has no mass left out."""
        points = self._present()
        for i in points:
            for j in points:
                if i <= j:
                    yield f"K(x_{i + 1}, x_{j + 1})", self.kernel[0, i, j]
        yield "P", listed(self.P[0])
        yield "scores under Phi(P)", scored(self.scores(self.P)[0], points)


@dataclass(frozen=True)
class Pair(Alone):
    r"""With $Q$ over the same points, and its share in $\tilde P=(1-\sigma)P+\sigma Q$.

    Parameters
    ----------
    x, P
        As in `Alone`.
    Q : array, shape (size, J, 2)
    sigma : array, shape (size,)
    """

    Q: Numbers
    sigma: Numbers

    @staticmethod
    def draw(population: Pairs, *, size: int, rng: Rng) -> Instances:
        """Instances of this family."""
        return population.draw(size, rng)

    @staticmethod
    def every(population: Pairs) -> Instances | None:
        """All instances of this family, where they can be listed."""
        return population.every()

    @cached_property
    def mixed(self) -> Numbers:
        r"""$\tilde P$."""
        return mixed(self.P, self.Q, self.sigma)

    def first_score(self, masses: Numbers) -> Numbers:
        """Of the first point, under the mean of these masses, by coordinates."""
        mean = np.sum(signed(masses)[..., None] * self.x, axis=-2)
        return np.sum(mean * self.x[..., 0, :], axis=-1)

    def square(self, first: Numbers, second: Numbers) -> Numbers:
        """Squared distance of two means, by kernels."""
        gap = signed(first - second)
        return np.sum(gap * (self.kernel @ gap[..., None])[..., 0], axis=-1)

    def _present(self) -> list[int]:
        return [j for j in range(self.x.shape[1]) if np.any(self.P[0, j] + self.Q[0, j])]

    def steps(self) -> Iterator[tuple[str, object]]:
        """The instance in words, what has no mass left out."""
        yield from super().steps()
        yield "Q", listed(self.Q[0])
        yield "sigma", self.sigma[0]
        yield "scores under Phi(P~)", scored(self.scores(self.mixed)[0], self._present())


def listed(masses: Numbers) -> str:
    """A population in words."""
    return "; ".join(
        f"(x_{j + 1}, {y:+d}): {masses[j, k]}"
        for j in range(len(masses)) for k, y in enumerate(LABELS) if masses[j, k]
    )


def scored(scores: Numbers, points: list[int]) -> str:
    """Scores in words, of some points."""
    return "; ".join(f"x_{j + 1}: {scores[j]}" for j in points)


ONE_POINT, TWO_POINTS = RandomPairs(1), RandomPairs(2)
THREE_POINTS, FOUR_POINTS = RandomPairs(3), RandomPairs(4)
IN_THE_BALL = RandomPairs(3, inside=True)
COARSE = RandomPairs(2, total=4, levels=4)
"""Where a search finds counterexamples in small numbers."""
EVERY_PAIR = EveryPair(2)
EVERY_POPULATION = EveryPair(2, total=8, single=True)
EVERY_POSTERIOR = EveryPair(1, total=16, single=True)
OBLIQUE = OnePair(
    "oblique pair",
    x=((0.5, 0.5, 0.5, 0.5, 0.0), (-0.75, 0.5, 0.25, -0.25, 0.25)),
    P=((15 / 16, 0), (1 / 16, 0)),
    Q=((0, 0), (1, 0)),
    sigma=1 / 8,
)
"""Contaminated with one eighth of its second point, whose score it thereby corrects."""
SMALL = [TWO_POINTS, FOUR_POINTS]
PAIRS = [*SMALL, EVERY_PAIR]
