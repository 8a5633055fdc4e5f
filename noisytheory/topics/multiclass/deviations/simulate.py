"""Draws of update vectors: one atom exactly, circles over all weights."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc

from noisytheory.topics.multiclass.uma import class_shares, update_vectors
from noisytheory.trial.claim import Certificate, Law
from noisytheory.vocabulary.confusion import amplification, inverse_of
from noisytheory.vocabulary.populations import Finite, Multiclass
from noisytheory.vocabulary.populations.multinomial import binomial_law

__all__ = [
    "OnCircle", "OneAtom", "circle", "deviation", "deviation_law", "largest", "lower_supremum",
    "needed", "single", "supremum", "supremum_at_most", "supremum_law",
]

Floats: TypeAlias = NDArray[np.float64]


def likely(n: int, chance: float) -> NDArray[np.int64]:
    """Numbers of hits among n: all but some that have less than 1e-150 together."""
    reach = 27 * math.sqrt(n * chance * (1 - chance)) + 250
    return np.arange(max(0, int(n * chance - reach)), min(n, int(n * chance + reach)) + 1)


@functools.lru_cache(maxsize=32)
def chances(n: int, chance: float) -> Floats:
    """Of each of them; several claims try the same population."""
    found = binomial_law(n, chance)[likely(n, chance)]
    found /= math.fsum(found)
    found.flags.writeable = False
    return np.asarray(found)


@dataclass(frozen=True)
class OneAtom:
    """One instance of norm 1 and class 1, given to class 0 by the weights; labels flipped.

    With ``true`` 0 the instance is of class 0, predicted right, and the mean of z is 0.
    """

    flip: float
    true: int = 1

    @property
    def name(self) -> str:
        """For addresses."""
        return f"one atom, flips {self.flip:g}" + ("" if self.true else ", predicted right")

    @property
    def confusion(self) -> Floats:
        """In columns."""
        return np.array([[1 - self.flip, self.flip], [self.flip, 1 - self.flip]])

    @property
    def beta(self) -> float:
        """Noise amplification."""
        return float(amplification(self.confusion).max())

    @property
    def norm(self) -> float:
        """Of the mean of z."""
        return float(self.true)

    @property
    def spread(self) -> float:
        """Largest less smallest entry of a row of the inverse."""
        row = inverse_of(self.confusion)[1]
        return float(row.max() - row.min())

    @property
    def variance(self) -> float:
        """Mean square of a summand."""
        row = inverse_of(self.confusion)[1]
        return float(row**2 @ self.confusion[:, self.true])

    def vector(self, share: float) -> float:
        """Coordinate of z along the instance, by the public function, of a share of labels 1."""
        law, weights = [[1 - share, share]], [[1.0], [0.0]]
        z = update_vectors([[1.0]], law, self.confusion, weights=weights, ties="all")
        return float(z[0, 1, 0])

    def vectors(self, n: int, size: int, rng: np.random.Generator) -> Floats:
        """The same in samples of n."""
        hits = rng.binomial(n, self.confusion[1, self.true], size=size)
        return np.array([self.vector(share) for share in hits / n])

    def hits(self, n: int) -> NDArray[np.int64]:
        """Numbers of labels 1 in samples of n."""
        return likely(n, self.confusion[1, self.true])

    def chances(self, n: int) -> Floats:
        """Of each of them."""
        return chances(n, self.confusion[1, self.true])

    def law(self, n: int) -> tuple[Floats, Floats]:
        """Values of the same coordinate and their probabilities: z is linear in the share."""
        none, every = self.vector(0.0), self.vector(1.0)
        return none + (every - none) * self.hits(n) / n, self.chances(n)


def _read(values: Floats, mean: float, side: str, scale: float) -> Floats:
    gap = scale * (values - mean)
    return {"both": np.abs(gap), "short": -gap}[side]


def deviation(
    population: OneAtom, n: int, side: str, scale: float, *, size: int, rng: np.random.Generator
) -> Floats:
    """Deviation of z from its mean: either way, or how far it falls short; times a scale."""
    return _read(population.vectors(n, size, rng), population.norm, side, scale)


def deviation_law(population: OneAtom, n: int, side: str, scale: float) -> Law:
    """The law of the same."""
    values, chance = population.law(n)
    return Law(_read(values, population.norm, side, scale), chance, error=1e-7)


def largest(population: OneAtom, side: str, scale: float) -> float:
    """What no sample exceeds: of labels that are all the same."""
    ends = np.array([population.vector(0.0), population.vector(1.0)])
    return float(_read(ends, population.norm, side, scale).max())


def margin_law(n: int, epsilon: float, short: str) -> Law:
    """theta (or theta m) less epsilon, less the margin of z: two atoms, no noise, W gives 0."""
    theta, mass = math.sqrt(0.4), 0.5
    due = theta if short == "theta" else theta * mass
    margin = theta * np.arange(n + 1) / n
    return Law(due - epsilon - margin, binomial_law(n, mass), error=1e-7)


@dataclass(frozen=True, eq=False)
class OnCircle(Multiclass):
    """Atoms of norm 1 in the plane, where regions are arcs, and the size of a sample of them."""

    n: int = 400

    dimension = 2

    @property
    def name(self) -> str:
        """For addresses."""
        return f"{self.law.name}, n = {self.n:,}"

    @functools.cached_property
    def undoing(self) -> Floats:
        """The inverse of the confusion, true classes in columns."""
        return np.asarray(inverse_of(self.confusion), float).T

    @property
    def sets(self) -> int:
        """M, sets of atoms that a region can be: arcs shorter than all, all, and none."""
        atoms = len(self.points)
        return atoms * (atoms - 1) + 2


def circle(atoms: int, rate: float, n: int = 400) -> OnCircle:
    """Three classes on arcs of a circle, uneven masses, labels replaced at a rate."""
    angle = 2 * np.pi * (np.arange(atoms) + 0.3) / atoms
    masses = 1.0 + np.arange(atoms) % 3
    confusion = np.full((3, 3), rate / 2) + np.eye(3) * (1 - 1.5 * rate)
    return OnCircle(Finite(
        f"{atoms} atoms on a circle, rate {rate:g}",
        np.column_stack([np.cos(angle), np.sin(angle)]),
        3 * np.arange(atoms) // atoms, masses / masses.sum(), classes=3,
    ), confusion, n)


def single(flip: float, n: int = 400) -> OnCircle:
    """One atom, labels of two classes flipped."""
    return OnCircle(
        Finite(f"a single atom, flips {flip:g}", [[1.0, 0.0]], [0], classes=2),
        [[1 - flip, flip], [flip, 1 - flip]], n,
    )


def supremum(
    population: OnCircle, n: int, *, size: int, rng: np.random.Generator
) -> Floats:
    """Largest deviation of z over all weights in the plane and all true classes."""
    return _over_arcs(population, population.counts(n, size, rng=rng) / n)


def supremum_law(population: OnCircle, n: int) -> Law | None:
    """The law of the same where there is but one atom, of two labels."""
    if len(population.points) > 1:
        return None
    share, flip = likely(n, population.joint[0, 1]) / n, population.joint[0, 1]
    seen = np.stack([1 - share, share], axis=1)[:, None]
    return Law(_over_arcs(population, seen), chances(n, flip), error=1e-7)


def supremum_at_most(population: OnCircle) -> float:
    """What no sample exceeds: a deviation is convex, and largest where all examples are alike."""
    alike = np.eye(population.joint.size).reshape(-1, *population.joint.shape)
    return float(_over_arcs(population, alike).max())


def _over_arcs(population: OnCircle, seen: Floats) -> Floats:
    """Of shares of (atom, label) in samples, shape (size, atoms, classes)."""
    return np.concatenate([
        _over_arcs_of_few(population, seen[i : i + FEW]) for i in range(0, len(seen), FEW)
    ])


FEW = 256
"""Samples whose arcs stay in the second cache."""


def _over_arcs_of_few(population: OnCircle, seen: Floats) -> Floats:
    # Samples last: what is done for all of them lies side by side.
    gap = np.moveaxis((seen - population.joint) @ population.undoing, 0, -1)
    each = population.points.T[:, :, None, None] * gap
    atoms = len(population.points)
    sums = np.zeros((len(each), 2 * atoms + 1, *gap.shape[1:]))
    np.cumsum(np.concatenate([each, each], axis=1), axis=1, out=sums[:, 1:])
    first, length = (at.ravel() for at in np.indices((atoms, atoms)))
    arcs = sums[:, first + length + 1] - sums[:, first]
    return np.asarray(np.sqrt(np.square(arcs, out=arcs).sum(axis=0).max(axis=(0, 1))))


def lower_supremum(classes: int, n: int, *, size: int, rng: np.random.Generator) -> Floats:
    """Deviation of z over weights that pick any subset of Q - 2 points of a circle at height .6.

    All are of one class, labels are replaced at rate .3; only the height counts, so the subset of
    points with positive deviations is best.
    """
    points = classes - 2
    own, other = _undone(classes)
    counts = rng.multinomial(n, np.full(points, 1 / points), size=size)
    right = rng.binomial(counts, 1 - _REPLACED)
    gap = (own * right + other * (counts - right)) / n - 1 / points
    return np.asarray(0.6 * np.maximum(gap, 0).sum(axis=1))


_REPLACED = 0.3
"""Rate at which `lower_supremum` replaces labels."""


def _undone(classes: int) -> tuple[float, float]:
    """What an example whose label was kept, or replaced, adds to its class: the inverse's entries.

    Of the matrix (1 - rate - off) I + off, with off on it for every other class.
    """
    off = _REPLACED / (classes - 1)
    kept = 1 - _REPLACED - off
    return (1 - off) / kept, -off / kept


def supremum_limit(classes: int, n: int) -> float:
    """What `lower_supremum` exceeds with probability 1e-30 at most.

    Its mean is at most half of all standard deviations; one example moves the sum by the difference
    of the inverse's entries over n at most, so that McDiarmid's inequality says how far it goes.
    """
    points = classes - 2
    own, other = _undone(classes)
    second = ((1 - _REPLACED) * own**2 + _REPLACED * other**2) / points
    deviation = math.sqrt((second - 1 / points**2) / n)
    reach = (own - other) * math.sqrt(math.log(1e30) / (2 * n))
    return 0.6 * (points * deviation / 2 + reach)


ROUNDING = Fraction(1, 10**12)


def _near(value: float) -> tuple[Fraction, Fraction]:
    """An interval around a float that was computed by a few operations on correct ones."""
    exact = Fraction(value)
    return exact * (1 - ROUNDING), exact * (1 + ROUNDING)


def _last_violation(beta: float, epsilon: float, delta: float) -> int:
    # One atom: beta is (1 - flip)/(1 - 2 flip).
    keep = beta / (2 * beta - 1)
    most = math.ceil(2 * beta**2 * math.log(2 / delta) / epsilon**2)
    n = np.arange(most // 4, most + 1)
    reach = epsilon * (2 * keep - 1) * n
    chance = bdtrc(np.floor(n * keep + reach), n, keep)
    chance += bdtr(np.ceil(n * keep - reach) - 1, n, keep)
    return int(n[chance > delta].max(initial=0))


@functools.cache
def _exceeded(beta: float, epsilon: float, delta: float) -> tuple[int, bool, float]:
    """The last sample that violates, by floats, whether it does, and with which probability."""
    n = _last_violation(beta, epsilon, delta)
    exact = Fraction(beta)
    keep, off = exact / (2 * exact - 1), Fraction(epsilon)
    inverse = inverse_of([[keep, 1 - keep], [1 - keep, keep]])
    # The share of the class that samples of one label and of the other say; all others lie between.
    none, every = class_shares(np.eye(2, dtype=int) * Fraction(1), inverse)[:, 1]
    least, most = (n * (1 + side * off - none) / (every - none) for side in (-1, 1))
    beyond = _beyond(n, math.floor(most) + 1, keep) + _beyond(n, n + 1 - math.ceil(least), 1 - keep)
    # In whole numbers: to bring a fraction of such to lowest terms takes a second.
    every_way, level = keep.denominator**n, Fraction(delta)
    return n, beyond * level.denominator > every_way * level.numerator, beyond / every_way


def _beyond(n: int, begin: int, chance: Fraction) -> int:
    """Ways to have so many hits, or more, among n, at least: further ones are far fewer."""
    top, bottom = chance.numerator, chance.denominator
    ways, found = math.comb(n, begin) * top**begin * (bottom - top) ** (n - begin), 0
    for k in range(begin, min(n, begin + 200) + 1):
        found += ways
        ways = ways * (n - k) * top // ((k + 1) * (bottom - top))
    return found


def needed(beta: float, epsilon: float, level: float, promise: str) -> Iterator[Certificate]:
    """Largest sample of one atom in which z is off by epsilon with probability above a level."""
    n, exceeded, chance = _exceeded(float(beta), float(epsilon), float(level))
    log = math.log(2 / level) if promise == "squared" else math.log(2 / level / epsilon**2)
    due = (2 * beta**2 if promise == "squared" else 1) * log / epsilon**2
    steps = [("examples", n), ("chance", Fraction(float(f"{chance:.6g}")))]
    yield Certificate(n if exceeded else 0, _near(due), steps)
