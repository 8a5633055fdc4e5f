"""Labels of several classes, flipped alike: the 0-1 risk of a classifier, before and after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from noisytheory.topics.label_noise.instances import Instances, Rng
from noisytheory.vocabulary.joint_masses import error, flipped

Numbers: TypeAlias = Any

POINTS, TOTAL = 3, 64


@dataclass(frozen=True)
class Predicted:
    """Masses of points and classes, in sixty-fourths, and a class predicted at each point.

    Parameters
    ----------
    masses : array, shape (size, POINTS, classes)
    predicted : array of int, shape (size, POINTS)
    """

    masses: Numbers
    predicted: Numbers

    @staticmethod
    def draw(classes: int, *, size: int, rng: Rng) -> Instances:
        """A sparse Dirichlet law, so that empty points and noiseless ones are common."""
        rates = rng.dirichlet(np.full(POINTS * classes, 0.3), size=size)
        masses = rng.multinomial(TOTAL, rates).reshape(size, POINTS, classes) / TOTAL
        return {"masses": masses, "predicted": rng.integers(classes, size=(size, POINTS))}


def flipped_error(at: Predicted, sigma: Any) -> dict[str, Any]:
    """Mass that is not of the predicted class, with labels flipped one by one, and without."""
    seen = flipped(at.masses, sigma)
    return {"lhs": error(seen, at.predicted), "error": error(at.masses, at.predicted)}
