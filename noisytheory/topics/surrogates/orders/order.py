r"""Order-equivalent losses: which pairs of distributions they rank alike.

A loss on finitely many atoms is a vector of values, a distribution a vector of probabilities; two
losses are order equivalent when $E_Q\ell_1\le E_{Q'}\ell_1\iff E_Q\ell_2\le E_{Q'}\ell_2$ for all
$Q,Q'$.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.vocabulary.domains import NONNEGATIVE
from noisytheory.vocabulary.noise import checked_number

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

    >>> from noisytheory.vocabulary.losses import Hinge, LinearLoss, corrected
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

    It is solved in fractions, to its optimum: means under distributions fill the convex hull of
    the points $(\ell_2(i),\ell_1(i))$ of the plane, so that one of the pair lies above, or
    below, a corner of the hull and the other one on an edge. Neither scale nor offset matters.
    Values are taken to be known to a rounding of $r=2\varepsilon\max_i|\ell(i)|$, with
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
        Arrays of shape (m,), with three atoms between them at most. None where no pair is reversed
        beyond rounding and ``tolerance``; `reversed_pair_exact` takes the values as they stand.

    Raises
    ------
    ValueError
        If the sequences are empty, not of one length, or not finite, or ``tolerance`` is out of
        its range.

    Examples
    --------
    >>> q, other = reversed_pair([0.0, 1.0, 1.0], [0.0, 0.0, 1.0])
    >>> q.round(6).tolist(), other.round(6).tolist()
    ([0.0, 1.0, 0.0], [1.0, 0.0, 0.0])
    >>> [q.round(6).tolist() for q in reversed_pair([1, 2, 3 + 4e-7], [1, 2, 3])]
    [[0.5, 0.0, 0.5], [0.0, 1.0, 0.0]]
    >>> reversed_pair([0, 1, 2], [5, 5 + 1e-8, 5 + 2e-8]) is None
    True
    """
    least = Fraction(NONNEGATIVE.number("tolerance", tolerance))
    one, two = map(_Rounded.of, _in_fractions(first, second))
    if one.constant:
        return None
    # Twice the lead that is asked for in the end: rounding of the pair itself has the other half.
    places = [Fraction(0)] * len(one.values) if two.constant else two.values
    best = _clearest(one.values, places, Fraction(0) if two.constant else 4 * two.rounding)
    shares = np.zeros((2, len(one.values)))
    for row, mixture in zip(shares, best, strict=True):
        for i, share in mixture.items():
            row[i] = float(share)
    higher, lower = one.difference(shares), two.difference(shares)
    clear = higher > max(2 * one.rounding, least * one.range)
    if not clear or lower > (0 if two.constant else -2 * two.rounding):
        return None
    return shares[0], shares[1]


Mixture: TypeAlias = dict[int, Fraction]


def _clearest(
    heights: list[Fraction], places: list[Fraction], lead: Fraction
) -> tuple[Mixture, Mixture]:
    """Mixtures of points with the largest difference of mean heights, the first left by ``lead``.

    The difference of the upper hull at x and the lower one at x + lead is concave and piecewise
    linear, so that some corner of either hull is among the best; it need not be looked at where
    the highest point and the lowest one lie apart as they are to.
    """
    atoms = range(len(heights))
    top = min(atoms, key=lambda i: (-heights[i], places[i]))
    bottom = min(atoms, key=lambda i: (heights[i], -places[i]))
    if places[top] + lead <= places[bottom]:
        return {top: Fraction(1)}, {bottom: Fraction(1)}
    upper = _corners(heights, places)
    lower = _corners([-h for h in heights], places)
    starts = {places[i] for i in upper} | {places[j] - lead for j in lower}
    pairs = [
        (_mixture(upper, places, x), _mixture(lower, places, x + lead))
        for x in sorted(starts) if min(places) <= x <= max(places) - lead
    ]
    return max(pairs, key=lambda pair: _mean(pair[0], heights) - _mean(pair[1], heights))


def _corners(heights: list[Fraction], places: list[Fraction]) -> list[int]:
    """The points at the corners of the upper hull, from left to right."""
    chain: list[int] = []
    for i in sorted(range(len(heights)), key=lambda i: (places[i], -heights[i])):
        if chain and places[chain[-1]] == places[i]:
            continue
        while len(chain) > 1:
            far, near = chain[-2:]
            rise = (heights[near] - heights[far]) * (places[i] - places[far])
            if rise > (heights[i] - heights[far]) * (places[near] - places[far]):
                break
            chain.pop()
        chain.append(i)
    return chain


def _mixture(chain: list[int], places: list[Fraction], x: Fraction) -> Mixture:
    """The point of a hull at place ``x``, as shares of its corners."""
    right = bisect_left(chain, x, key=lambda i: places[i])
    after = chain[right]
    if places[after] == x:
        return {after: Fraction(1)}
    before = chain[right - 1]
    share = (x - places[before]) / (places[after] - places[before])
    return {before: 1 - share, after: share}


def _mean(mixture: Mixture, heights: list[Fraction]) -> Fraction:
    return sum((share * heights[i] for i, share in mixture.items()), Fraction(0))


@dataclass(frozen=True)
class _Rounded:
    """A loss in fractions, its range, and how far its values are known."""

    values: list[Fraction]
    range: Fraction
    rounding: Fraction

    @property
    def constant(self) -> bool:
        """Whether all of its values are the same, to rounding."""
        return self.range <= 4 * self.rounding

    @classmethod
    def of(cls, values: list[Fraction]) -> _Rounded:
        """Of values as they stand."""
        rounding = 2 * Fraction(float(np.finfo(float).eps)) * max(map(abs, values))
        return cls(values, max(values) - min(values), rounding)

    def difference(self, shares: NDArray[np.float64]) -> Fraction:
        """Between the means under two distributions, 0 where all values count as one."""
        if self.constant:
            return Fraction(0)
        means = []
        for row in shares:
            weights = {int(i): Fraction(float(row[i])) for i in np.flatnonzero(row)}
            means.append(_mean(weights, self.values) / sum(weights.values()))
        return means[0] - means[1]
