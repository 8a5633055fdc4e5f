r"""Order-equivalent losses: which pairs of distributions they rank alike.

A loss on finitely many atoms is a vector of values, a distribution a vector of probabilities; two
losses are order equivalent when $E_Q\ell_1\le E_{Q'}\ell_1\iff E_Q\ell_2\le E_{Q'}\ell_2$ for all
$Q,Q'$.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.domains import NONNEGATIVE
from noisytheory.noise import checked_number

__all__ = ["affine_relation", "reversed_pair", "reversed_pair_exact"]

Values: TypeAlias = Sequence[Fraction | int | float]


def affine_relation(first: Values, second: Values) -> tuple[Fraction, Fraction] | None:
    r"""$\alpha>0$ and $\beta$ with $\ell_2=\alpha\ell_1+\beta$ at every atom, if there are any.

    Parameters
    ----------
    first, second : sequence of Fraction, int or float, same length
        Values of the two losses; floats as they stand, to the last bit.

    Returns
    -------
    (alpha, beta) or None
        $\alpha=1$ where both losses are constant.

    Raises
    ------
    ValueError
        If the sequences are empty, not of one length, or hold what is no finite number.

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
    one, two = _in_fractions(first, second)
    steps = [(a - one[0], b - two[0]) for a, b in zip(one, two, strict=True)]
    moved = next(((a, b) for a, b in steps if a != 0), None)
    if moved is None:
        return (Fraction(1), two[0] - one[0]) if all(b == 0 for _, b in steps) else None
    alpha = moved[1] / moved[0]
    if alpha <= 0 or any(b != alpha * a for a, b in steps):
        return None
    return alpha, two[0] - alpha * one[0]


def reversed_pair_exact(
    first: Values, second: Values
) -> tuple[list[Fraction], list[Fraction]] | None:
    r"""Distributions with $E_Q\ell_1>E_{Q'}\ell_1$ and $E_Q\ell_2\le E_{Q'}\ell_2$, in fractions.

    Of the first loss, centred, the part orthogonal to the second is taken: it is a signed measure
    of total mass 0 whose positive and negative parts are the pair.

    Parameters
    ----------
    first, second : sequence of Fraction, int or float, same length

    Returns
    -------
    (Q, Q') or None
        None where the second loss never allows a pair that the first one ranks the other way.

    Raises
    ------
    ValueError
        If the sequences are empty, not of one length, or hold what is no finite number.

    Examples
    --------
    >>> [[str(p) for p in q] for q in reversed_pair_exact([0, 1, 1], [0, 0, 1])]
    [['0', '1', '0'], ['1', '0', '0']]
    """
    a, b = map(_centred, _in_fractions(first, second))
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


def _in_fractions(first: Any, second: Any) -> tuple[list[Fraction], list[Fraction]]:
    """Both losses as they stand, floats too, or a ValueError that says what is wrong."""
    shapes = [np.shape(first), np.shape(second)]
    if not all(len(shape) == 1 for shape in shapes) or not shapes[0][0] or shapes[0] != shapes[1]:
        raise ValueError(
            "first and second must have as many values, at least one, "
            f"got shapes {shapes[0]} and {shapes[1]}"
        )
    return (
        [Fraction(checked_number("first", value)) for value in first],
        [Fraction(checked_number("second", value)) for value in second],
    )


def _centred(values: list[Fraction]) -> list[Fraction]:
    mean = sum(values, Fraction(0)) / len(values)
    return [v - mean for v in values]


def reversed_pair(
    first: ArrayLike, second: ArrayLike, tolerance: float = 1e-9
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    r"""The pair that is ranked apart most clearly, by a linear programme.

    $$\max_{Q,Q'}\;E_Q\ell_1-E_{Q'}\ell_1\quad\text{subject to}\quad E_Q\ell_2\le E_{Q'}\ell_2$$

    Both losses are shifted and scaled to the unit interval, so that neither scale nor offset
    matters. Values are taken to be known to a rounding of $r=2\varepsilon\max_i|\ell(i)|$, with
    $\varepsilon=2^{-52}$: the pair that is returned has, in fractions,
    $E_Q\ell_1-E_{Q'}\ell_1>2r_1$ and $E_Q\ell_2-E_{Q'}\ell_2\le-2r_2$, and so is reversed whatever
    the values were before rounding. A loss whose values range over no more than $4r$ counts as
    constant: as the second one it ties all distributions, as the first one it ranks none.

    Parameters
    ----------
    first, second : array-like, shape (m,)
        Values of the two losses at the atoms.
    tolerance : float
        Least difference that counts, as a share of the range of the first loss, at least 0.

    Returns
    -------
    (Q, Q') or None
        Arrays of shape (m,). None where no pair is reversed beyond rounding and ``tolerance``;
        `reversed_pair_exact` takes the values as they stand.

    Raises
    ------
    ValueError
        If the sequences are empty, not of one length, or not finite, ``tolerance`` is out of its
        range, or the linear programme is not solved.

    Examples
    --------
    >>> q, other = reversed_pair([0.0, 1.0, 1.0], [0.0, 0.0, 1.0])
    >>> q.round(6).tolist(), other.round(6).tolist()
    ([0.0, 1.0, 0.0], [1.0, 0.0, 0.0])
    >>> reversed_pair([0, 1, 2], [5, 5 + 1e-8, 5 + 2e-8]) is None
    True
    """
    from scipy.optimize import linprog

    NONNEGATIVE.check("tolerance", tolerance)
    one, two = map(_Scaled.of, _in_fractions(first, second))
    if one.constant:
        return None
    m = len(one.unit)
    mass = np.zeros((2, 2 * m))
    mass[0, :m] = mass[1, m:] = 1.0
    # Twice the gap that is asked for in the end: rounding of the pair itself has the other half.
    gap = 0.0 if two.constant else -float(4 * two.rounding / two.range)
    best = linprog(
        np.concatenate([-one.unit, one.unit]),
        A_ub=np.concatenate([two.unit, -two.unit])[None], b_ub=[gap],
        A_eq=mass, b_eq=[1.0, 1.0], method="highs",
    )
    if best.status != 0:
        raise ValueError(f"the linear programme was not solved: {best.message}")
    shares = np.maximum(best.x, 0.0).reshape(2, m)
    shares /= shares.sum(axis=1, keepdims=True)
    short = float((shares[0] - shares[1]) @ two.unit) - gap
    if short > 0:
        # What the solver leaves of the constraint, a little of the clearest pair makes good.
        ends = np.zeros((2, m))
        ends[0, two.unit.argmin()] = ends[1, two.unit.argmax()] = 1.0
        part = short / (short + 1 + gap)
        shares = (1 - part) * shares + part * ends
    higher, lower = one.difference(shares), two.difference(shares)
    clear = higher > max(2 * one.rounding, Fraction(float(tolerance)) * one.range)
    if not clear or lower > (0 if two.constant else -2 * two.rounding):
        return None
    return shares[0], shares[1]


@dataclass(frozen=True)
class _Scaled:
    """A loss in fractions, and shifted and scaled to the unit interval."""

    values: list[Fraction]
    range: Fraction
    rounding: Fraction
    unit: NDArray[np.float64]

    @property
    def constant(self) -> bool:
        return self.range <= 4 * self.rounding

    @classmethod
    def of(cls, values: list[Fraction]) -> _Scaled:
        low, spread = min(values), max(values) - min(values)
        rounding = 2 * Fraction(float(np.finfo(float).eps)) * max(map(abs, values))
        one = cls(values, spread, rounding, np.zeros(len(values)))
        if one.constant:
            return one
        return replace(one, unit=np.array([float((v - low) / spread) for v in values]))

    def difference(self, shares: NDArray[np.float64]) -> Fraction:
        """Between the means under two distributions, 0 where all values count as one."""
        if self.constant:
            return Fraction(0)
        means = []
        for row in shares:
            weights = [Fraction(float(p)) for p in row]
            weighed = sum((p * v for p, v in zip(weights, self.values, strict=True)), Fraction(0))
            means.append(weighed / sum(weights))
        return means[0] - means[1]
