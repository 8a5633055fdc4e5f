r"""Order-equivalent losses: which pairs of distributions they rank alike.

A loss on finitely many atoms is a vector of values, a distribution a vector of probabilities; two
losses are order equivalent when $E_Q\ell_1\le E_{Q'}\ell_1\iff E_Q\ell_2\le E_{Q'}\ell_2$ for all
$Q,Q'$.
"""

from __future__ import annotations

from collections.abc import Sequence, Sized
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["affine_relation", "reversed_pair", "reversed_pair_exact"]

Values: TypeAlias = Sequence[Fraction | int]


def affine_relation(first: Values, second: Values) -> tuple[Fraction, Fraction] | None:
    r"""$\alpha>0$ and $\beta$ with $\ell_2=\alpha\ell_1+\beta$ at every atom, if there are any.

    Parameters
    ----------
    first, second : sequence of Fraction or int, same length
        Values of the two losses.

    Returns
    -------
    (alpha, beta) or None
        $\alpha=1$ where both losses are constant.

    Raises
    ------
    ValueError
        If the sequences are empty, or not of one length.

    Notes
    -----
    Kernel Mean paper, Proposition 26: the losses are order equivalent if and only if this exists.

    Examples
    --------
    >>> affine_relation([0, 1, 2], [5, 7, 9])
    (Fraction(2, 1), Fraction(5, 1))
    >>> affine_relation([0, 1, 2], [2, 1, 0]) is None
    True

    Which losses does noise at rate 1/4 leave equivalent? Tables over labels and scores tell.

    >>> from noisytheory.losses import Hinge, LinearLoss, corrected
    >>> labels = np.array([1] * 3 + [-1] * 3)
    >>> scores = np.array([Fraction(v, 2) for v in (-3, 0, 3)] * 2)
    >>> [
    ...     affine_relation(
    ...         loss.value(labels, scores), corrected(loss, Fraction(1, 4)).value(labels, scores)
    ...     )
    ...     for loss in (LinearLoss(), Hinge())
    ... ]
    [(Fraction(2, 1), Fraction(-1, 1)), None]
    """
    _checked(first, second)
    steps = [(a - first[0], b - second[0]) for a, b in zip(first, second, strict=True)]
    moved = next(((a, b) for a, b in steps if a != 0), None)
    if moved is None:
        level = Fraction(second[0]) - Fraction(first[0])
        return (Fraction(1), level) if all(b == 0 for _, b in steps) else None
    alpha = Fraction(moved[1]) / Fraction(moved[0])
    if alpha <= 0 or any(b != alpha * a for a, b in steps):
        return None
    return alpha, Fraction(second[0]) - alpha * first[0]


def reversed_pair_exact(
    first: Values, second: Values
) -> tuple[list[Fraction], list[Fraction]] | None:
    r"""Distributions with $E_Q\ell_1>E_{Q'}\ell_1$ and $E_Q\ell_2\le E_{Q'}\ell_2$, in fractions.

    Of the first loss, centred, the part orthogonal to the second is taken: it is a signed measure
    of total mass 0 whose positive and negative parts are the pair.

    Parameters
    ----------
    first, second : sequence of Fraction or int, same length

    Returns
    -------
    (Q, Q') or None
        None where the second loss never allows a pair that the first one ranks the other way.

    Raises
    ------
    ValueError
        If the sequences are empty, or not of one length.

    Examples
    --------
    >>> [[str(p) for p in q] for q in reversed_pair_exact([0, 1, 1], [0, 0, 1])]
    [['0', '1', '0'], ['1', '0', '0']]
    """
    _checked(first, second)
    a, b = _centred(first), _centred(second)
    square = sum(x * x for x in b)
    inner = sum(x * y for x, y in zip(a, b, strict=True))
    slope = inner / square if square else Fraction(0)
    signed = [x - slope * y for x, y in zip(a, b, strict=True)]
    if not any(signed):
        if not any(a) or inner > 0:
            return None
        signed = a
    mass = sum(x for x in signed if x > 0)
    return [max(x, Fraction(0)) / mass for x in signed], [
        max(-x, Fraction(0)) / mass for x in signed
    ]


def _checked(first: Sized, second: Sized) -> None:
    if not len(first) or len(first) != len(second):
        raise ValueError(
            "first and second must have as many values, at least one, "
            f"got {len(first)} and {len(second)}"
        )


def _centred(values: Values) -> list[Fraction]:
    mean = sum((Fraction(v) for v in values), Fraction(0)) / len(values)
    return [v - mean for v in values]


def reversed_pair(
    first: ArrayLike, second: ArrayLike, tolerance: float = 1e-9
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    r"""The pair that is ranked apart most clearly, by a linear programme.

    $$\max_{Q,Q'}\;E_Q\ell_1-E_{Q'}\ell_1\quad\text{subject to}\quad E_Q\ell_2\le E_{Q'}\ell_2$$

    Parameters
    ----------
    first, second : array-like, shape (m,)
        Values of the two losses at the atoms.
    tolerance : float
        Least difference that counts, in the unit of the first loss.

    Returns
    -------
    (Q, Q') or None
        Arrays of shape (m,).

    Raises
    ------
    ValueError
        If the sequences are empty, not of one length, or not finite.

    Examples
    --------
    >>> q, other = reversed_pair([0.0, 1.0, 1.0], [0.0, 0.0, 1.0])
    >>> q.round(6).tolist(), other.round(6).tolist()
    ([0.0, 1.0, 0.0], [1.0, 0.0, 0.0])
    """
    from scipy.optimize import linprog

    one, two = np.asarray(first, float), np.asarray(second, float)
    _checked(one, two)
    if not (np.isfinite(one).all() and np.isfinite(two).all()):
        raise ValueError("first and second must be finite")
    m = one.size
    mass = np.zeros((2, 2 * m))
    mass[0, :m] = mass[1, m:] = 1.0
    best = linprog(
        np.concatenate([-one, one]),
        A_ub=np.concatenate([two, -two])[None], b_ub=[0.0],
        A_eq=mass, b_eq=[1.0, 1.0], method="highs",
    )
    if best.status != 0:
        raise ValueError(f"the linear programme was not solved: {best.message}")
    if -best.fun <= tolerance:
        return None
    return best.x[:m], best.x[m:]
