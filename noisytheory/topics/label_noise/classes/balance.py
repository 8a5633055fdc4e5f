r"""Balanced error and area under the curve of scores, one class against the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.vocabulary.checks import checked_finite, checked_loss
from noisytheory.vocabulary.losses import Loss

__all__ = ["auc", "balanced_error"]


def balanced_error(loss: Loss, positive: ArrayLike, negative: ArrayLike) -> float:
    r"""Mean loss of the two classes, each counted one half.

    $$\tfrac12\big(\mathbb E_{P_+}\ell(1,v)+\mathbb E_{P_-}\ell(-1,v)\big)$$

    Parameters
    ----------
    loss : Loss
    positive, negative : array-like, shape (n,) and (m,)
        Scores of the instances of either class.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If a class is empty, a score not finite, or ``loss`` no loss.

    Examples
    --------
    >>> from noisytheory.vocabulary.losses import ZeroOne
    >>> balanced_error(ZeroOne(), [0.5, 1.0, -1.0, 2.0], [-1.0, 3.0])
    0.375
    """
    up, down = _scores(positive, "positive"), _scores(negative, "negative")
    checked_loss(loss)
    one, other = loss.value(np.ones(len(up)), up), loss.value(-np.ones(len(down)), down)
    return float(np.mean(one) + np.mean(other)) / 2


def auc(positive: ArrayLike, negative: ArrayLike) -> float:
    r"""Probability that a positive instance scores above a negative one, ties one half.

    Parameters
    ----------
    positive, negative : array-like, shape (n,) and (m,)
        Scores of the instances of either class.

    Returns
    -------
    float
        Probability.

    Raises
    ------
    ValueError
        If a class is empty or a score not finite.

    Examples
    --------
    >>> auc([1.0, 2.0], [0.0, 1.0])
    0.875
    """
    up, down = _scores(positive, "positive"), np.sort(_scores(negative, "negative"))
    below = np.searchsorted(down, up, "left") + np.searchsorted(down, up, "right")
    return float(below.sum()) / (2 * len(up) * len(down))


def _scores(scores: ArrayLike, name: str) -> NDArray[np.float64]:
    array = checked_finite(name, scores)
    if array.ndim != 1 or not array.size:
        raise ValueError(f"{name} must hold at least one score, all finite, got {scores!r}")
    return array
