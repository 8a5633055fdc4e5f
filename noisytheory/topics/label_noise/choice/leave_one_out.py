r"""Which of several kernel means: by their 0-1 risk on noisy labels, each example left out in turn.

All that is needed of a kernel are the class sums of each example without itself,
$T_{ic}=\sum_{j\ne i,\,y_j=c}w_jK(x_i,x_j)$.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from noisytheory.vocabulary.confusion import inverse_of

__all__ = ["Choice", "choose", "decide", "losses", "scores", "threshold"]

Floats: TypeAlias = NDArray[np.floating[Any]]
Codes: TypeAlias = NDArray[np.intp]
ClassWeight: TypeAlias = Literal["balanced"] | None
Risk: TypeAlias = Literal["error", "balanced"]

ROUNDING = 1e-12
"""What risks that are equal may differ by."""
PARTS = 5
"""In how many parts thresholds are tried on examples that did not choose them."""


@dataclass(frozen=True)
class Choice:
    """A path of candidates and the one that was taken.

    Parameters
    ----------
    risks, standard_errors : array, shape (kernels, class weights, thresholds)
        Corrected 0-1 risk of each candidate, and what it is known to.
    best : tuple of int
        Where the chosen one stands.
    threshold : float
        0 unless one was chosen.
    scores : array, shape (n, k)
        Of the chosen candidate, each example left out in turn.
    """

    risks: Floats
    standard_errors: Floats
    best: tuple[int, int, int]
    threshold: float
    scores: Floats


def losses(confusion: Floats | None, shares: Floats, risk: Risk = "error") -> Floats:
    r"""What a prediction costs by noisy label, so that the mean is the risk on clean labels.

    $\ell_{yp}=\sum_{c\ne p}u_cB_{cy}$ with $B=C^{-1}$; $u_c=1$, or for the balanced error
    $u_c=\frac1{k\pi_c}$ with the clean shares $\pi=B\tilde\pi$.

    Parameters
    ----------
    confusion : array, shape (k, k), or None
        $C_{pq}=\Pr[\text{label }p\mid\text{true }q]$; None, the identity, if it is not known.
    shares : array, shape (k,)
        Of the noisy labels.
    risk : {"error", "balanced"}

    Returns
    -------
    array, shape (k, k)
        Noisy labels in rows, predictions in columns.

    Examples
    --------
    >>> losses(np.array([[0.75, 0.25], [0.25, 0.75]]), np.array([0.5, 0.5])).round(12).tolist()
    [[-0.5, 1.5], [1.5, -0.5]]
    """
    inverse = np.eye(len(shares)) if confusion is None else inverse_of(confusion)
    share = np.ones(len(shares))
    if risk == "balanced":
        # An estimate: on few examples it may fall below what any class has.
        clean = np.maximum(inverse @ shares, shares.min() / 2)
        share = 1 / (len(shares) * clean)
    costs = share[:, None] * inverse
    return np.asarray((costs.sum(axis=0) - costs).T)


def scores(
    sums: Floats, codes: Codes, weights: Floats, class_weight: ClassWeight = None
) -> Floats:
    """Scores of every class by means of all other examples, shape (n, k).

    Parameters
    ----------
    sums : array, shape (n, k)
        Class sums, each example left out of its own.
    codes : array, shape (n,)
    weights : array, shape (n,)
        Of the examples.
    class_weight : {"balanced", None}
        Whether every class counts as much as any other.

    Examples
    --------
    >>> codes = np.array([0, 0, 1])
    >>> scores(np.array([[1.0, 3.0], [1.0, 0.0], [2.0, 0.0]]), codes, np.ones(3)).tolist()
    [[0.5, 1.5], [0.5, 0.0], [1.0, 0.0]]
    """
    if class_weight is None:
        # Of a single example nothing is left.
        left = weights.sum() - weights[:, None]
    else:
        masses = np.bincount(codes, weights, minlength=sums.shape[1])
        left = np.repeat(masses[None], len(codes), axis=0)
        left[np.arange(len(codes)), codes] -= weights
        left *= len(masses)
    return np.asarray(np.divide(sums, left, out=np.zeros_like(sums), where=left > 0))


def threshold(values: Floats, gains: Floats) -> float:
    """Where a difference of two scores is cut, so that what lies above gains most.

    Half-way between two neighbours; of equally good places the one nearest to 0; never outside.

    Parameters
    ----------
    values : array, shape (n,)
        In ascending order.
    gains : array, shape (n,)
        What is gained where the second class is predicted.

    Returns
    -------
    float

    Examples
    --------
    >>> threshold(np.array([-1.0, 1.0, 2.0]), np.array([1.0, -1.0, 1.0]))
    1.5
    """
    above = np.cumsum(gains[::-1])[::-1][1:]
    apart = np.flatnonzero(values[1:] > values[:-1])
    if not apart.size:
        return 0.0
    best = apart[above[apart] == above[apart].max()]
    cuts = values[best] + (values[best + 1] - values[best]) / 2
    return float(cuts[np.argmin(np.abs(cuts))])


def decide(values: Floats, cut: float | Floats = 0.0) -> Codes:
    """Predicted classes from scores, shape (n,): of two the second above the cut, else the first.

    Parameters
    ----------
    values : array, shape (n, k)
    cut : float or array, shape (n,)
        Of two classes only.

    Examples
    --------
    >>> decide(np.array([[0.0, 0.0], [0.0, 1.0]])).tolist()
    [0, 1]
    """
    if values.shape[1] == 2:
        return np.asarray(values[:, 1] - values[:, 0] > cut).astype(np.intp)
    return np.asarray(np.argmax(values, axis=1))


def choose(
    sums: Floats,
    codes: Codes,
    weights: Floats,
    confusion: Floats | None = None,
    *,
    class_weights: Sequence[ClassWeight] = (None,),
    thresholds: Sequence[bool] = (False,),
    risk: Risk = "error",
    standard_errors: float = 0.0,
    frequencies: bool = False,
) -> Choice:
    r"""The kernel of least corrected leave-one-out risk, of equals the last.

    A threshold is tried on fifths of the examples that had no part in choosing it, and in the end
    chosen on all.

    Parameters
    ----------
    sums : array, shape (kernels, n, k)
        Class sums of each kernel, each example left out of its own; kernels from the most to the
        least intricate.
    codes : array, shape (n,)
        Noisy labels.
    weights : array, shape (n,)
    confusion : array, shape (k, k), optional
        $C_{pq}=\Pr[\text{label }p\mid\text{true }q]$.
    class_weights : sequence of "balanced" or None
    thresholds : sequence of bool
        Without and with a threshold; two classes.
    risk : {"error", "balanced"}
    standard_errors : float
        Take the last kernel whose risk is above the least one by no more than so many standard
        errors of the difference, and of its candidates the one of least risk.
    frequencies : bool
        Whether weights count examples that are alike, drawn apart from each other.

    Returns
    -------
    Choice

    Examples
    --------
    >>> sums = np.array([[[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]])
    >>> found = choose(sums, np.array([0, 1]), np.ones(2))
    >>> found.risks.ravel().tolist(), found.best
    ([1.0, 0.0], (1, 0, 0))
    """
    count = sums.shape[2]
    shares = weights / weights.sum()
    squares = shares / weights.sum() if frequencies else shares**2
    noisy = shares @ (codes[:, None] == np.arange(count))
    costs = losses(confusion, noisy, risk)[codes]
    shape = (len(sums), len(class_weights), len(thresholds))
    cuts, lost = np.zeros(shape), np.empty((*shape, len(codes)))
    for where in np.ndindex(*shape[:2]):
        values = scores(sums[where[0]], codes, weights, class_weights[where[1]])
        for place, wanted in enumerate(thresholds):
            held: float | Floats = 0.0
            if wanted:
                gains = shares * (costs[:, 0] - costs[:, 1])
                cuts[*where, place], held = _thresholds(values, gains, shares > 0)
            lost[*where, place] = costs[np.arange(len(codes)), decide(values, held)]
    risks = lost @ shares
    least = np.unravel_index(np.argmin(risks), shape)
    more = risks - risks[least]
    allowed = standard_errors * _spread(lost - lost[least], more, squares)
    kernel = int(np.flatnonzero((more <= allowed + ROUNDING).any(axis=(1, 2)))[-1])
    equal = more[kernel] <= more[kernel].min() + ROUNDING
    of_kernel = np.unravel_index(np.argmax(equal), shape[1:])
    best = (kernel, int(of_kernel[0]), int(of_kernel[1]))
    chosen = scores(sums[kernel], codes, weights, class_weights[best[1]])
    return Choice(risks, _spread(lost, risks, squares), best, float(cuts[best]), chosen)


def _spread(values: Floats, means: Floats, squares: Floats) -> Floats:
    """Standard errors of weighted means over the last axis, from the squares of the weights."""
    return np.asarray(np.sqrt((values - means[..., None]) ** 2 @ squares))


def _thresholds(
    values: Floats, gains: Floats, counted: NDArray[np.bool_]
) -> tuple[float, Floats]:
    """The threshold of all, and for each example one that was chosen without its fifth.

    Examples of no weight are as if they were absent.
    """
    differences = values[:, 1] - values[:, 0]
    order = np.argsort(differences, kind="stable")
    order = order[counted[order]]
    ascending, gains = differences[order], gains[order]
    part = np.arange(len(order)) % PARTS
    held = np.zeros(len(values))
    for one in range(min(PARTS, len(order))):
        rest = part != one
        held[order[~rest]] = threshold(ascending[rest], gains[rest])
    return threshold(ascending, gains), held
