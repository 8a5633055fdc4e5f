"""What UMA computes in: floats as they are, and fractions as whole numbers, each kind of a unit.

What is compared has one unit, so that regions, pairs and error sets need no fraction.
"""

from __future__ import annotations

import functools
import math
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.multiclass.exactly import DIGITS
from noisytheory.vocabulary.confusion import Orientation, columns, inverted
from noisytheory.vocabulary.exact import over, whole

__all__ = ["Floating", "Whole", "in_arithmetic_of", "in_units", "inverse_for"]

Numbers: TypeAlias = NDArray[Any]
"""Floats, fractions, or whole numbers."""


def in_arithmetic_of(points: Any, array: Numbers) -> Numbers:
    """In fractions or floats, as the points are; classes stay whole."""
    if array.dtype.kind in "iu" or (points.dtype == object) == (array.dtype == object):
        return array
    if points.dtype == object:
        return np.asarray(np.vectorize(Fraction, otypes=[object])(array))
    return array.astype(np.float64)


def inverse_for(points: Any, confusion: Any, orientation: Orientation | None) -> Numbers:
    """The inverse of a confusion, checked, in the arithmetic of the points."""
    if points.dtype == object and isinstance(confusion, list | np.ndarray):
        given = np.asarray(confusion)
        if given.dtype == object and given.ndim == 2:
            return _known_inverse(tuple(map(tuple, given.tolist())), orientation)
    if type(confusion) is np.ndarray and confusion.dtype == points.dtype == np.float64:
        return _known_floats(confusion.tobytes(), confusion.shape, orientation)
    return in_arithmetic_of(points, inverted(columns(confusion, orientation)))


@functools.lru_cache(maxsize=64)
def _known_floats(
    confusion: bytes, shape: tuple[int, ...], orientation: Orientation | None
) -> Numbers:
    """As `_known_inverse`, of floats: the identity of every run that ignores noise is one."""
    found = inverted(columns(np.frombuffer(confusion).reshape(shape), orientation))
    found.flags.writeable = False
    return found


@functools.lru_cache(maxsize=64)
def _known_inverse(
    confusion: tuple[tuple[Any, ...], ...], orientation: Orientation | None
) -> Numbers:
    """Kept, for populations come again with the same one."""
    found = np.vectorize(Fraction, otypes=[object])(
        inverted(columns(np.array(confusion, dtype=object), orientation))
    )
    found.flags.writeable = False
    return np.asarray(found)


class Floating:
    """Numbers that stand for themselves."""

    def limit(self, tolerance: Any) -> Any:
        """The largest length within a tolerance."""
        return tolerance

    def margin(self, alpha: Any) -> Any:
        """A difference of points' scores."""
        return alpha

    def lead(self, alpha: Any) -> Any:
        """A difference of update vectors' scores."""
        return alpha

    def lengths(self, vectors: Numbers) -> Numbers:
        """Norms along the last axis."""
        return np.asarray(np.sqrt(np.einsum("...d,...d->...", vectors, vectors)))

    def along(self, vectors: Numbers, norms: Numbers, normalise: bool) -> tuple[Numbers, int]:
        """What the weights move along, and by what their unit was divided for it."""
        return (vectors / np.where(norms > 0, norms, 1)[:, None] if normalise else vectors), 1

    def told(self, array: Numbers, kind: str) -> Numbers:
        """Numbers of a kind as the caller knows them."""
        return array


class Whole(Floating):
    """Fractions as whole numbers: points, update vectors, their lengths and weights of a unit each.

    Parameters
    ----------
    points : array of fractions, shape (n, d) or (R, n, d)
    labels : array
        Of int and shape (R, n), or masses in fractions, shape (R, n, Q).
    inverses : array of fractions, shape (R, Q, Q)
    weights : array of fractions, shape (R, Q, d)
    """

    def __init__(
        self, points: Numbers, labels: Numbers, inverses: Numbers, weights: Numbers
    ) -> None:
        self.points, per_point = whole(points)
        if labels.ndim == 2:
            self.masses = (labels[..., None] == np.arange(inverses.shape[-1])).astype(object)
            per_mass = labels.shape[1]
        else:
            self.masses, per_mass = whole(labels)
        self.inverses, per_entry = whole(inverses)
        self.weights, per_weight = whole(weights)
        self.per_point, self.per_vector = per_point, per_point * per_mass * per_entry
        self.per_length, self.per_weight = self.per_vector * DIGITS, per_weight

    def limit(self, tolerance: Any) -> Any:
        """The largest length within a tolerance."""
        return math.floor(Fraction(tolerance) * self.per_length)

    def margin(self, alpha: Any) -> Any:
        """A difference of points' scores."""
        return Fraction(alpha) * self.per_weight * self.per_point if alpha else 0

    def lead(self, alpha: Any) -> Any:
        """A difference of update vectors' scores."""
        return Fraction(alpha) * self.per_weight * self.per_vector if alpha else 0

    def lengths(self, vectors: Numbers) -> Numbers:
        """Norms along the last axis, to 40 digits from below, equal where their squares are."""
        squares = np.asarray(np.einsum("...d,...d->...", vectors, vectors), dtype=object)
        return np.asarray(_ROOTS(squares * DIGITS**2))

    def along(self, vectors: Numbers, norms: Numbers, normalise: bool) -> tuple[Numbers, int]:
        """What the weights move along, and by what their unit was divided for it.

        Of length 1 if asked for: exactly where that is rational, else to 40 digits.
        """
        moves, units = list(vectors), [self.per_vector] * len(vectors)
        for i, vector in enumerate(vectors if normalise else []):
            square = vector @ vector
            length = math.isqrt(square)
            if length**2 == square:
                common = math.gcd(*vector, length) or 1
                moves[i], units[i] = vector // common, length // common or 1
            else:
                moves[i] = vector * math.isqrt(self.per_length**2 // square)
                units[i] = self.per_length
        grown = math.lcm(self.per_weight, *units) // self.per_weight
        self.per_weight *= grown
        return np.array([
            move * (self.per_weight // unit) for move, unit in zip(moves, units, strict=True)
        ], dtype=object), grown

    def told(self, array: Numbers, kind: str) -> Numbers:
        """Numbers of a kind ("vector", "length" or "weight") in fractions."""
        return over(array, getattr(self, f"per_{kind}"))


_ROOTS = np.frompyfunc(math.isqrt, 1, 1)


def in_units(
    x: Any, y: NDArray[Any], inverses: Numbers, weights: Numbers
) -> tuple[Floating, Any, NDArray[Any], Numbers, Numbers]:
    """Numbers as they are; fractions as whole numbers, classes then as masses."""
    if x.dtype != object:
        return Floating(), x, y, inverses, weights
    units = Whole(x, y, inverses, weights)
    return units, units.points, units.masses, units.inverses, units.weights
