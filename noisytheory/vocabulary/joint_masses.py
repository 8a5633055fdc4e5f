r"""Finite populations as masses of points and labels, the same in floats and in fractions.

A population over $J$ points and $Q$ labels is an array of shape (..., J, Q): $P(x_j,y)$. Labels are
$0,\dots,Q-1$; two of them may stand for 1 and -1, in this order (`LABELS`). Then a classifier is
one score a point, else one a point and label. Every function takes floats, whole numbers or
`Fraction` objects, and answers in kind: leading axes are populations, thousands at once to search,
one exactly to certify. Masses in sixteenths, and points of a sphere of radius 4, make floats exact.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "LABELS", "Zero", "bayes_risk", "confused", "error", "flipped", "flips", "joint", "labelled",
    "least_margin", "margin", "margins", "mass_where", "mixed", "risk", "signed", "twice_wrong",
]

Numbers: TypeAlias = Any
"""An array of floats, or of fractions."""
Zero: TypeAlias = Literal["both", "half", "none", "negative"]
"""For which labels a score of 0 is an error."""

LABELS = np.array([1, -1])
"""Order of two labels along the last axis of the masses."""


def labelled(masses: Numbers, labels: ArrayLike, classes: int | None = None) -> Numbers:
    """Masses of points that have one label each.

    Parameters
    ----------
    masses : array, shape (..., J)
    labels : array of int, shape (..., J)
        1 and -1, or classes from 0.
    classes : int, optional
        Number of classes; without it labels are 1 and -1.

    Returns
    -------
    array, shape (..., J, Q)

    Examples
    --------
    >>> labelled(np.array([0.75, 0.25]), [1, -1]).tolist()
    [[0.75, 0.0], [0.0, 0.25]]
    """
    names = LABELS if classes is None else np.arange(classes)
    return masses[..., None] * (np.asarray(labels)[..., None] == names)


def joint(masses: Numbers, eta: Numbers) -> Numbers:
    r"""Masses of two labels, of points with their masses and posteriors $P(1\mid x_j)$.

    Parameters
    ----------
    masses, eta : array, shape (..., J)

    Returns
    -------
    array, shape (..., J, 2)

    Examples
    --------
    >>> joint(np.array([0.5, 0.5]), np.array([0.75, 0.0])).tolist()
    [[0.375, 0.125], [0.0, 0.5]]
    """
    return np.stack([masses * eta, masses * (1 - eta)], axis=-1)


def mixed(first: Numbers, second: Numbers, share: Numbers) -> Numbers:
    r"""$(1-\sigma)P+\sigma Q$ over the same points.

    Parameters
    ----------
    first, second : array, shape (..., J, Q)
    share : number or array, shape (...)
        $\sigma$, of the second.

    Examples
    --------
    >>> mixed(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]), 0.25).tolist()
    [[0.75, 0.25]]
    """
    share = np.asarray(share)[..., None, None]
    return (1 - share) * first + share * second


def flipped(masses: Numbers, rate: Numbers) -> Numbers:
    r"""$P_\sigma$: every label is lost with probability $\sigma$, to all others alike.

    Parameters
    ----------
    masses : array, shape (..., J, Q)
    rate : number or array, shape (..., J, 1)

    Examples
    --------
    >>> flipped(np.array([[0.75, 0.25, 0.0]]), 0.5).tolist()
    [[0.4375, 0.3125, 0.25]]
    """
    others = masses.sum(axis=-1, keepdims=True) - masses
    return (1 - rate) * masses + rate * others / (masses.shape[-1] - 1)


def flips(minus: Numbers, plus: Numbers) -> Numbers:
    r"""The confusion of the labels 1 and -1 under flip rates of negative and of positive ones.

    Returns
    -------
    array, shape (..., 2, 2)
        True labels in columns.

    Examples
    --------
    >>> flips(np.array(0.25), np.array(0.0)).tolist()
    [[1.0, 0.25], [0.0, 0.75]]
    """
    rows = [np.stack([1 - plus, minus], axis=-1), np.stack([plus, 1 - minus], axis=-1)]
    return np.stack(rows, axis=-2)


def confused(masses: Numbers, confusion: Numbers) -> Numbers:
    r"""$P(x_j,y)=\sum_tC_{yt}P(x_j,t)$: what is seen of true labels.

    Parameters
    ----------
    masses : array, shape (..., J, Q)
    confusion : array, shape (..., Q, Q)
        $C$, true labels in columns.

    Examples
    --------
    >>> confused(np.array([[0.5, 0.0], [0.0, 0.5]]), flips(np.array(0.5), np.array(0.0))).tolist()
    [[0.5, 0.0], [0.25, 0.25]]
    """
    return np.asarray(masses @ np.swapaxes(confusion, -1, -2))


def signed(masses: Numbers) -> Numbers:
    r"""$P(x_j,1)-P(x_j,-1)$: what a mean weighs a point with.

    Examples
    --------
    >>> signed(np.array([[0.5, 0.25], [0.0, 0.25]])).tolist()
    [0.25, -0.25]
    """
    return np.asarray(masses[..., 0] - masses[..., 1])


def mass_where(masses: Numbers, where: NDArray[np.bool_]) -> Numbers:
    """Total mass of the points and labels where this is true.

    Examples
    --------
    >>> float(mass_where(np.array([[0.5, 0.25]]), np.array([[True, False]])))
    0.5
    """
    return np.sum(masses * where, axis=(-2, -1))


def margins(scores: Numbers) -> Numbers:
    """By how much the score of every label exceeds the largest of the others.

    Parameters
    ----------
    scores : array, shape (..., Q)

    Returns
    -------
    array, shape (..., Q)

    Examples
    --------
    >>> margins(np.array([3, 1, 2])).tolist()
    [1, -2, -1]
    """
    top = np.sort(scores, axis=-1)[..., -2:]
    found = scores - top[..., 1:]
    # The best of the others is the second for the best, or one that ties with it.
    best = np.argmax(scores, axis=-1)[..., None]
    np.put_along_axis(found, best, top[..., 1:] - top[..., :1], axis=-1)
    return np.asarray(found)


def least_margin(scores: Numbers, labels: ArrayLike) -> Any:
    """The smallest margin of points with one label each.

    Parameters
    ----------
    scores : array, shape (J, Q)
    labels : array of int, shape (J,)
        Classes from 0.

    Returns
    -------
    number

    Examples
    --------
    >>> int(least_margin(np.array([[3, 1, 2], [0, 5, 1]]), [0, 1]))
    1
    """
    classes = np.asarray(labels, dtype=np.int64)
    return margins(scores)[np.arange(len(classes)), classes].min()


def error(masses: Numbers, predicted: NDArray[np.integer[Any]]) -> Numbers:
    """Mass that does not have the label predicted at its point.

    Parameters
    ----------
    masses : array, shape (..., J, Q)
    predicted : array of int, shape (..., J)
        Labels from 0.

    Examples
    --------
    >>> float(error(np.array([[0.5, 0.0, 0.125], [0.0, 0.25, 0.125]]), np.array([0, 2])))
    0.375
    """
    return mass_where(masses, np.arange(masses.shape[-1]) != predicted[..., None])


def twice_wrong(margins: Numbers, zero: Zero = "both") -> Numbers:
    """Twice the 0-1 loss of margins, so that one half stays exact in every arithmetic.

    Parameters
    ----------
    margins : array
        For ``"negative"`` the labels are along the last axis.
    zero : {"both", "half", "none", "negative"}
        As in `risk`.

    Examples
    --------
    >>> twice_wrong(np.array([-1, 0, 1]), "half").tolist()
    [2, 1, 0]
    """
    at = {"both": 2, "half": 1, "none": 0, "negative": 1 - LABELS}[zero]
    return 2 * (margins < 0) + at * (margins == 0)


def risk(
    masses: Numbers, scores: Numbers, *, zero: Zero = "both", gamma: Any = 0,
) -> Numbers:
    r"""$P(yf(x)\le\gamma)$; a margin of exactly $\gamma$ counts whole, half, or not at all.

    Parameters
    ----------
    masses : array, shape (..., J, 2)
    scores : array, shape (..., J)
    zero : {"both", "half", "none", "negative"}
        What a margin of exactly `gamma` counts: at 0, whether a zero score is an error for both
        labels, half an error, none, or an error for the negative label, as where sign 0 is 1.
    gamma : number or array, shape (...)

    Returns
    -------
    array, shape (...)

    Examples
    --------
    >>> masses = np.array([[0.5, 0.25], [0.0, 0.25]])
    >>> scores = np.array([0.0, 1.0])
    >>> [float(risk(masses, scores, zero=z)) for z in ("both", "half", "none", "negative")]
    [1.0, 0.625, 0.25, 0.5]
    """
    over = scores[..., None] * LABELS - np.asarray(gamma)[..., None, None]
    return np.sum(masses * twice_wrong(over, zero), axis=(-2, -1)) / 2


def bayes_risk(masses: Numbers) -> Numbers:
    r"""The least 0-1 risk $R^*$: at each point all but the largest mass of a label.

    Parameters
    ----------
    masses : array, shape (..., J, Q)

    Returns
    -------
    array, shape (...)

    Examples
    --------
    >>> float(bayes_risk(np.array([[0.5, 0.25], [0.0, 0.25]])))
    0.25
    """
    return np.sort(masses, axis=-1)[..., :-1].sum(axis=-1).sum(axis=-1)


def margin(masses: Numbers, scores: Numbers) -> Numbers:
    r"""Smallest positive $yf(x)$ over positive masses, the margin for error; 0 where there is none.

    Parameters
    ----------
    masses : array, shape (..., J, 2)
    scores : array, shape (..., J)

    Returns
    -------
    array, shape (...)

    Examples
    --------
    >>> float(margin(np.array([[0.5, 0.25], [0.0, 0.25]]), np.array([0.5, 0.25])))
    0.5
    """
    over = scores[..., None] * LABELS
    right = (masses > 0) & (over > 0)
    # Where nothing is right the maximum stands in for all, and is then put to 0.
    most = np.abs(over).max(axis=(-2, -1), keepdims=True)
    return np.where(right, over, most).min(axis=(-2, -1)) * right.any(axis=(-2, -1))
