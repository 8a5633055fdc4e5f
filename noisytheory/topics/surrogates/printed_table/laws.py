r"""Exact laws of the trials of Table 1: what a minimiser loses, by the six counts of its sample.

Given how many examples fall on each of the three points, the labels there are independent. The
score signs of the mean follow from one count against thresholds in two others. A hinge minimiser
is a vertex, where two margins are at kinks: the third point's slope, a number $c$, says which
slopes the two kinks must bear, and each of them bears it or not by the labels on its own point.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.surrogates.long_servedio.simulate import CLEAN, clean_risk, noisy_masses
from noisytheory.topics.surrogates.long_servedio.t_logistic import t_logistic_minimiser
from noisytheory.topics.surrogates.long_servedio.three_points import (
    HINGE,
    Vector,
    margins,
    points,
    vertices,
)
from noisytheory.vocabulary.domains import LEVEL, NOISE_RATE
from noisytheory.vocabulary.exact import compositions
from noisytheory.vocabulary.populations.atoms import checked_whole
from noisytheory.vocabulary.populations.multinomial import binomial_law

__all__ = ["RISKS", "summable", "table_law"]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

RISKS = np.arange(5) / 4
"""What the 0-1 risk of a trial can be."""
ENUMERATED = 200_000
"""Outcomes of a sample, at most, of which the t-logistic minimiser is computed one by one."""


def table_law(column: str, sigma: float, n: int = 800, cut: float = 1e-10) -> Floats:
    r"""Probabilities that a trial of Table 1 has 0-1 risk $0,\frac14,\frac12,\frac34,1$.

    The linear and the hinge column are summed over the counts of the points and their labels; what
    they sum to falls short of 1 by the mass that is left out. Of several hinge minimisers the one
    with the least first coordinate counts, as in `table_trial`. For t-logistic loss all samples are
    enumerated, which only few examples allow: 800 have $2.8\cdot10^{12}$ outcomes.

    Parameters
    ----------
    column : {"hinge", "t-logistic", "linear"}
    sigma : float
        Noise rate, any below one half.
    n : int
        Training examples; at most 26 for t-logistic loss.
    cut : float
        Mass that may be left out at either end of each count. Left out is as well a sample that a
        hinge risk without a minimiser at a vertex comes from, such as one without a label -1.

    Returns
    -------
    array, shape (5,)

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Examples
    --------
    >>> table_law("linear", 0.49).round(5).tolist()
    [0.55488, 0.047, 0.03377, 0.04961, 0.31475]
    >>> table_law("hinge", 0.2).round(5).tolist()
    [0.0, 0.00498, 0.99502, 0.0, 0.0]
    """
    NOISE_RATE.number("sigma", sigma)
    checked_whole("n", n)
    LEVEL.number("cut", cut)
    if column not in ("hinge", "t-logistic", "linear"):
        raise ValueError(f"column must be one of hinge, t-logistic, linear, got {column!r}")
    return _law(column, float(sigma), int(n), float(cut)).copy()


def summable(column: str, n: int) -> bool:
    """Whether `table_law` has the law."""
    return column != "t-logistic" or math.comb(n + 5, 5) <= ENUMERATED


@cache
def _law(column: str, sigma: float, n: int, cut: float) -> Floats:
    laws = {"hinge": _hinge, "t-logistic": _enumerated, "linear": _linear}
    return laws[column](sigma, n, cut)


def _enumerated(sigma: float, n: int, _: float) -> Floats:
    from scipy.special import gammaln, xlogy

    if not summable("t-logistic", n):
        raise ValueError(
            f"n must be at most 26 for t-logistic loss, got {n}: {math.comb(n + 5, 5):,} outcomes; "
            "table_moments has mean and deviation of any n"
        )
    counts = compositions(n, 6)
    log = xlogy(counts, noisy_masses(sigma)).sum(axis=1) - gammaln(counts + 1).sum(axis=1)
    risks = clean_risk(t_logistic_minimiser(counts / n))
    law = np.bincount((4 * risks).astype(int), np.exp(log + gammaln(n + 1)), 5)
    return law.astype(np.float64)


def _likely(n: int, probability: float, cut: float) -> Ints:
    from scipy.stats import binom

    return np.arange(int(binom.ppf(cut, n, probability)), int(binom.isf(cut, n, probability)) + 1)


def _likely_law(n: int, probability: float, cut: float) -> tuple[Ints, Floats]:
    """Numbers of successes, without the least likely ones at either end, and their masses."""
    law = binomial_law(n, probability)
    first = int(np.searchsorted(np.cumsum(law), cut))
    last = n - int(np.searchsorted(np.cumsum(law[::-1]), cut))
    return np.arange(first, last + 1), law[first : last + 1]


def _linear(sigma: float, n: int, cut: float) -> Floats:
    r"""With $d_i$ the label sums, $d_2+d_3$ and $d_2-d_3$ are independent given the first count.

    Each point is lost exactly where the difference, $q$, reaches a threshold.
    """
    law = np.zeros(5)
    for first, mass in zip(*_likely_law(n, 0.5, cut), strict=True):
        rest = n - int(first)
        right, right_mass = _likely_law(int(first), 1 - sigma, cut)
        right_rest, rest_mass = _likely_law(rest, 1 - sigma, cut)
        d1, p = 2 * right - first, 2 * right_rest - rest
        weight = mass * np.outer(right_mass, rest_mass)
        own, other = d1[:, None], p[None, :]
        # Thresholds of q = 2 k - rest, rounded up, and of k.
        south, second, third = (
            np.clip((rest - (-value // divisor) + 1) // 2, 0, rest + 1) for value, divisor in (
                (4 * own + 28 * other, 32), (20 * other - 2 * own, 10), (2 * own + 31 * other, 29),
            )
        )
        few, many = np.minimum(second, third), np.maximum(second, third)
        # The southern point weighs a half, the others a quarter each.
        reached = [np.minimum(south, few), np.minimum(south, many), np.maximum(south, few),
                   np.maximum(south, many)]
        tail = np.append(np.cumsum(binomial_law(rest, 0.5)[::-1])[::-1], 0.0)
        above = np.array([weight.sum(), *(np.sum(weight * tail[k]) for k in reached), 0.0])
        law += above[:-1] - above[1:]
    return law


def _solved(a: Vector, b: Vector, c: Vector) -> Vector:
    """What a and b are to be multiplied by to sum to c."""
    det = a[0] * b[1] - a[1] * b[0]
    return (c[0] * b[1] - c[1] * b[0]) / det, (a[0] * c[1] - a[1] * c[0]) / det


def _hinge(sigma: float, n: int, cut: float) -> Floats:
    r"""A vertex $\omega$ of margins $s_i,s_j=\pm1$ is the minimiser by three counts.

    With $x_k=a_ix_i+a_jx_j$ and $c$ the slope of the free point's losses, the kinks must bear the
    slopes $-ca_i$ and $-ca_j$: between those to the left and to the right of the kink. A slope at
    an end is borne if it is within once a little of the first coordinate is added to the risk, and
    less of the second: of several minimisers this leaves one.
    """
    from scipy.stats import binom, poisson

    far = Fraction(30)
    places = points(far)
    counts = [_likely(n, mass, cut) for mass in CLEAN]
    # Poisson counts that sum to n are multinomial.
    masses = [poisson.pmf(some, n * mass) for some, mass in zip(counts, CLEAN, strict=True)]
    pmf = [binom.pmf(np.arange(some[-1] + 1), some[:, None], sigma) for some in counts]
    # Pr[fewer than this many negative labels], and positive ones.
    below = [np.pad(np.cumsum(p, axis=1), ((0, 0), (1, 0))) for p in pmf]
    law = np.zeros(5)
    for vertex in vertices(far, HINGE.kinks):
        scores = margins(far, vertex)
        i, j = (at for at in range(3) if abs(scores[at]) == 1)
        k = 3 - i - j
        negative = np.arange(counts[k][-1] + 1)[None, :] + 0 * counts[k][:, None]
        positive = counts[k][:, None] - negative
        slope = (scores[k] > -1) * negative - (scores[k] < 1) * positive
        seen = pmf[k] > cut * 1e-3
        slopes, at = np.unique(slope[seen], return_inverse=True)
        free = np.zeros((len(slopes), len(counts[k])))
        np.add.at(free, (at, np.nonzero(seen)[0]), pmf[k][seen])
        free *= masses[k]
        borne = []
        shares = _solved(places[i], places[j], places[k])
        axes = (Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))
        tilts = zip(*(_solved(places[i], places[j], axis) for axis in axes), strict=True)
        for at_kink, share, tilt in zip((i, j), shares, tilts, strict=True):
            side = int(scores[at_kink])
            needed = [-int(c) * share * side for c in slopes]
            raised = -side * (tilt[0] or tilt[1]) > 0
            borne.append(masses[at_kink] * _borne(
                needed, raised, counts[at_kink], below[at_kink], side
            ))
        first = counts[i][0] + counts[j][0] + counts[k]
        total = 0.0
        for one, other, third in zip(*borne, free, strict=True):
            both = np.convolve(one, other)
            left = n - first
            within = (left >= 0) & (left < len(both)) & (third > 0)
            total += float(both[left[within]] @ third[within])
        law[int(4 * clean_risk(np.array(vertex, float)))] += total
    return law / float(poisson.pmf(n, n))


def _borne(
    needed: list[Fraction], raised: bool, counts: Ints, below: Floats, side: int
) -> Floats:
    r"""Probability that a kink bears a slope, by slope and by the number of examples there.

    At a margin of 1 the slope is to lie between those left and right of it, $b-a$ and $b$, with $a$
    positive labels and $b$ negative ones of $N$: $b\ge t$ and $2b\le N+t$. At $-1$ labels change
    places. At an end it is within if it is ``raised`` at the lower, or lowered at the upper one.
    """
    least = np.array([math.floor(t) + (t.denominator > 1 or raised) for t in needed])
    most = np.array([math.ceil(t) - (t.denominator > 1 or not raised) for t in needed])
    low = np.clip(least[:, None], 0, counts + 1)
    high = np.clip((counts + most[:, None]) // 2 + 1, low, counts + 1)
    rows = np.arange(len(counts))
    if side < 0:  # So many positive labels: all of them less the negative ones.
        low, high = counts + 1 - high, counts + 1 - low
    return np.asarray(below[rows, high] - below[rows, low])
