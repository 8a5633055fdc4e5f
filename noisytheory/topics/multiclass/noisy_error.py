"""Errors of predictions as noisy labels tell them: no true label is looked at."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from noisytheory.vocabulary.confusion import ConfusionEstimate, inverse_of, observed_confusion

__all__ = ["error_by_noisy_labels", "gain_by_known_confusion", "gain_by_noisy_labels"]


def error_by_noisy_labels(
    predicted: ArrayLike, noisy: ArrayLike, confusion: ArrayLike
) -> float:
    r"""$1-\frac1n\sum_iB_{f(x_i),y_i}$: an unbiased estimate of the share of wrong predictions.

    A label $y$ of class $t$ has $\mathbb{E}B_{p,y}=\sum_yB_{py}C_{yt}=1\{p=t\}$. On the examples
    that f learned from it is too small, as any error there is.

    Parameters
    ----------
    predicted, noisy : array-like of int, shape (n,)
        Classes from 0.
    confusion : array-like, shape (Q, Q)
        That of the noisy labels, true classes in columns.

    Returns
    -------
    float
        May be below 0 or above 1, as its deviation is the amplification over the root of n.

    Raises
    ------
    ValueError
        If the confusion has no inverse, or labels are no classes of it.

    Examples
    --------
    >>> error_by_noisy_labels([0, 0, 1, 1], [0, 1, 1, 1], [[0.75, 0.25], [0.25, 0.75]])
    0.0
    """
    inverse = inverse_of(confusion)
    counts = observed_confusion(predicted, noisy, len(inverse))
    return 1 - float(np.sum(counts * inverse)) / float(counts.sum())


def gain_by_known_confusion(
    ours: ArrayLike, other: ArrayLike, noisy: ArrayLike, confusion: ArrayLike
) -> tuple[float, float]:
    """What the other predictions err more than ours, by noisy labels and their confusion.

    Parameters
    ----------
    ours, other, noisy : array-like of int, shape (n,)
        Predictions, and the labels: classes from 0.
    confusion : array-like, shape (Q, Q)
        True classes in columns. It is believed: where it is wrong, so may the answer be.

    Returns
    -------
    gain, error : float
        Below 0 the other predictions are better; and the standard error of that, which on the
        examples that they learned from is too small.

    Examples
    --------
    >>> noisy = np.array([0] * 80 + [1] * 20)
    >>> right, wrong = np.where(np.arange(100) < 85, 0, 1), np.arange(100) % 2
    >>> gain, error = gain_by_known_confusion(right, wrong, noisy, [[0.9, 0.2], [0.1, 0.8]])
    >>> round(gain, 2), round(error, 2)
    (0.59, 0.07)
    """
    inverse = inverse_of(confusion)
    codes = np.asarray(noisy)
    apart = inverse[np.asarray(ours), codes] - inverse[np.asarray(other), codes]
    return float(apart.mean()), float(apart.std() / np.sqrt(len(apart)))


def gain_by_noisy_labels(
    ours: ArrayLike, other: ArrayLike, noisy: ArrayLike, estimate: ConfusionEstimate,
    *, size: int = 100, rng: np.random.Generator,
) -> float:
    """What the other predictions err more than ours, by noisy labels and an estimated confusion.

    Parameters
    ----------
    ours, other, noisy : array-like of int, shape (n,)
        Predictions, and the labels: classes from 0.
    estimate : ConfusionEstimate
        Ours may have been fitted to its very errors, so others take its place.
    size : int
        Number of other audits of the same sizes, by a parametric bootstrap.
    rng : Generator

    Returns
    -------
    float
        Median over the bootstrap; below 0 the other predictions are better.

    Examples
    --------
    >>> noisy = np.array([0] * 80 + [1] * 20)
    >>> estimate = ConfusionEstimate([[90, 20], [10, 80]])
    >>> right, wrong = np.where(np.arange(100) < 85, 0, 1), np.arange(100) % 2
    >>> gain_by_noisy_labels(right, wrong, noisy, estimate, rng=np.random.default_rng(1)) > 0
    True
    """
    classes = len(estimate.matrix)
    apart = (observed_confusion(ours, noisy, classes)
             - observed_confusion(other, noisy, classes)) / len(np.asarray(noisy))
    gains = []
    for drawn in estimate.resampled(size, rng=rng):
        try:
            gains.append(float(np.sum(apart * inverse_of(drawn))))
        except ValueError:  # An audit that nobody could use.
            continue
    return float(np.median(gains)) if gains else 0.0
