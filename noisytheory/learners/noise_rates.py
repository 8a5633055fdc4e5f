"""Noise rates as they are given to a learner: read as a confusion, and doubted."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.learners.tiles import Floats
from noisytheory.vocabulary.confusion import Orientation, columns, inverse_of
from noisytheory.vocabulary.noise import checked_rate

__all__ = ["confusion_of", "too_few_errors", "warn_of_rates"]

DOUBTFUL = 0.001
"""Chance of so few errors, if the rates are right, below which these are said to be wrong."""


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


def too_few_errors(
    predicted: NDArray[np.intp], codes: NDArray[np.intp], confusion: Floats
) -> tuple[float, float]:
    r"""Share of noisy errors at least, by the confusion, and the chance of no more than are there.

    Whatever its true class, a label differs from a prediction $p$ that does not depend on it with
    probability at least $1-\max_qC_{pq}$, of one rate $\sigma$ that is $\sigma$. Errors of unlike
    probabilities are, in the lower tail, as rare as binomial ones of their mean, or rarer
    (Hoeffding 1956, Theorem 5).

    Parameters
    ----------
    predicted, codes : array of int, shape (n,)
        Predictions, and noisy labels.
    confusion : array, shape (k, k)

    Returns
    -------
    least, chance : float

    Examples
    --------
    >>> noise = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> least, chance = too_few_errors(np.zeros(4, int), np.array([0, 0, 0, 0]), noise)
    >>> least, round(chance, 6)
    (0.25, 0.316406)
    """
    from scipy.stats import binom

    least = float((1 - confusion.max(axis=1))[predicted].mean())
    return least, float(binom.cdf(np.sum(predicted != codes), len(codes), least))


def warn_of_rates(
    predicted: NDArray[np.intp], codes: NDArray[np.intp], confusion: Floats, *, level: int
) -> None:
    """Say so where predictions of other examples err less than the rates allow.

    Parameters
    ----------
    predicted, codes : array of int, shape (n,)
        Predictions, and noisy labels.
    confusion : array, shape (k, k)
    level : int
        How many calls up the person's own is, as `warnings.warn` counts.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True, action="always") as said:
    ...     for size in (10, 40):
    ...         alike = np.zeros(size, int)
    ...         warn_of_rates(alike, alike, np.array([[0.8, 0.2], [0.2, 0.8]]), level=2)
    >>> [str(one.message).split(":")[0] for one in said]
    ['0% of 40 labels differ from predictions made without them, and by noise_rate 20% or more do']
    """
    least, chance = too_few_errors(predicted, codes, confusion)
    if chance < DOUBTFUL:
        found = float(np.mean(predicted != codes))
        warnings.warn(
            f"{100 * found:.2g}% of {len(codes)} labels differ from predictions made without them, "
            f"and by noise_rate {100 * least:.2g}% or more do: it is too high, or examples are "
            f"copies, or were learned from (were it right, a chance of {chance:.1g})",
            UserWarning, stacklevel=level,
        )
