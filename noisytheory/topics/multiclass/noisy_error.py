"""Errors of predictions as noisy labels tell them: no true label is looked at."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.vocabulary.confusion import (
    ConfusionEstimate,
    Orientation,
    columns,
    inverted,
    observed_confusion,
)
from noisytheory.vocabulary.domains import check_generator

__all__ = ["error_by_noisy_labels", "gain_by_known_confusion", "gain_by_noisy_labels"]


def error_by_noisy_labels(
    predicted: ArrayLike, noisy: ArrayLike, confusion: ArrayLike,
    orientation: Orientation | None = None,
) -> float:
    r"""$1-\frac1n\sum_iB_{f(x_i),y_i}$: an unbiased estimate of the share of wrong predictions.

    A label $y$ of class $t$ has $\mathbb{E}B_{p,y}=\sum_yB_{py}C_{yt}=1\{p=t\}$. On the examples
    that f learned from it is too small, as any error there is.

    Parameters
    ----------
    predicted, noisy : array-like of int, shape (n,)
        Classes from 0.
    confusion : array-like, shape (Q, Q)
        That of the noisy labels, true classes in columns, or as `orientation` says.
    orientation : {"column", "row"}, optional
        As for `nt.confusion.columns`.

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
    inverse = inverted(columns(confusion, orientation))
    said, codes = _classes(len(inverse), predicted=predicted, noisy=noisy)
    counts = observed_confusion(said, codes, len(inverse))
    return 1 - float(np.sum(counts * inverse)) / float(counts.sum())


def _classes(size: int, **sides: ArrayLike) -> list[NDArray[np.int64]]:
    """Classes below this number, one an example, and as many of each side."""
    found = {name: np.asarray(labels) for name, labels in sides.items()}
    for name, codes in found.items():
        if codes.ndim != 1 or not codes.size or codes.dtype.kind not in "iu":
            raise ValueError(f"{name} must be a list of classes 0 to {size - 1}, got "
                             f"{codes.dtype} of shape {codes.shape}")
        if codes.min() < 0 or codes.max() >= size:
            wrong = codes[(codes < 0) | (codes >= size)][0]
            raise ValueError(f"{name} must be classes 0 to {size - 1}, got {wrong}")
    if len({codes.shape for codes in found.values()}) > 1:
        told = ", ".join(f"{len(codes)} of {name}" for name, codes in found.items())
        raise ValueError(f"{' and '.join(found)} must be as long, got {told}")
    return list(found.values())


def gain_by_known_confusion(
    ours: ArrayLike, other: ArrayLike, noisy: ArrayLike, confusion: ArrayLike,
    orientation: Orientation | None = None,
) -> tuple[float, float]:
    """What the other predictions err more than ours, by noisy labels and their confusion.

    Parameters
    ----------
    ours, other, noisy : array-like of int, shape (n,)
        Predictions, and the labels: classes from 0.
    confusion : array-like, shape (Q, Q)
        True classes in columns, or as `orientation` says. It is believed: where it is wrong, so may
        the answer be.
    orientation : {"column", "row"}, optional
        As for `nt.confusion.columns`.

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
    inverse = inverted(columns(confusion, orientation))
    one, two, codes = _classes(len(inverse), ours=ours, other=other, noisy=noisy)
    apart = inverse[one, codes] - inverse[two, codes]
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
    check_generator(rng)
    one, two, codes = _classes(classes, ours=ours, other=other, noisy=noisy)
    apart = (observed_confusion(one, codes, classes)
             - observed_confusion(two, codes, classes)) / len(codes)
    gains = []
    for drawn in estimate.resampled(size, rng=rng):
        try:
            gains.append(float(np.sum(apart * inverted(drawn))))
        except ValueError:  # An audit that nobody could use.
            continue
    return float(np.median(gains)) if gains else 0.0
