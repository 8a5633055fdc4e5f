"""What the claims of this topic say in the same words."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from noisytheory.vocabulary.populations import axis, oblique_pair

# With fewer than 10 a bound is mostly above all that the left side can be; with 10, 23 and 55 a
# lattice point of fair signs lies just above a quantile.
SIZES = [3, 5, 10, 23, 55, 100, 1000]
LEVELS = [0.5, 0.1, 0.05, 0.01, 0.001]
# Levels that two blocks of so many rows decide, if none breaks the promise, whatever audit they are
# part of; down to the level 0.001 four of the others do.
FEW_LEVELS = [0.5, 0.1, 0.05, 0.01]
FEW_ROWS, ROWS = 656, 3232

FAIR, SKEWED, BIASED = axis(), axis(Fraction(7, 10)), axis(Fraction(9, 10))
# Two features at 60 degrees, one label: the diameter is 1.
NARROW = oblique_pair(Fraction(1, 2), Fraction(1, 2))

BOUNDED = "features of norm at most 1"
INDEPENDENT = "independent draws from P"


def farthest(radius: float = 2.0) -> float:
    """No sample mean is farther from the mean than the farthest atom, whatever the size.

    Of populations that are not known the farthest is at 2.
    """
    return radius


DEVIATION: dict[str, Any] = {
    "quantity": "norm of the deviation of the kernel mean",
    "unit": "RKHS norm",
}
