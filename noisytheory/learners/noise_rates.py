"""Noise rates as they are given to a learner: read as a confusion."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from noisytheory.learners.tiles import Floats
from noisytheory.vocabulary.confusion import Orientation, columns, inverse_of
from noisytheory.vocabulary.noise import checked_rate

__all__ = ["confusion_of"]


def confusion_of(
    noise_rate: Any, names: Sequence[Any], orientation: Orientation | None = None
) -> Floats | None:
    """Chances of labels given true classes, those in columns, from rates that are checked.

    Parameters
    ----------
    noise_rate : float, pair of floats, array-like or table of shape (k, k), or None
    names : sequence
        The classes, in the order that is wanted.
    orientation : {"column", "row"}, optional
        Where a matrix has the true classes.

    Returns
    -------
    array, shape (k, k), or None

    Examples
    --------
    >>> confusion_of((0.25, 0.5), ["no", "yes"]).tolist()
    [[0.75, 0.5], [0.25, 0.5]]
    """
    if noise_rate is None:
        return None
    classes = len(names)
    if np.ndim(noise_rate) == 2:
        named = names if np.shape(noise_rate) == (classes, classes) else None
        found = columns(noise_rate, orientation, classes=named, name="noise_rate")
        if len(found) != classes:
            raise ValueError(
                f"noise_rate must be of the classes that y holds, {classes}, got a matrix of "
                f"{len(found)} classes"
            )
        inverse_of(found)
    elif np.ndim(noise_rate) == 0:
        rate = float(checked_rate("noise_rate", noise_rate, below=Fraction(classes - 1, classes)))
        found = np.full((classes, classes), rate / (classes - 1))
        np.fill_diagonal(found, 1 - rate)
    elif np.ndim(noise_rate) == 1 and len(noise_rate) == classes == 2:
        first, second = (float(checked_rate("noise_rate", rate)) for rate in noise_rate)
        found = np.array([[1 - first, second], [first, 1 - second]])
    else:
        raise ValueError(
            f"noise_rate must be a number in [0, {(classes - 1) / classes:g}), a matrix, or with "
            f"two classes a pair; got {noise_rate!r} with {classes} classes"
        )
    if classes == 2 and found[1, 0] + found[0, 1] >= 1:
        raise ValueError(f"noise_rate must have a sum below 1, got {noise_rate!r}")
    return found
