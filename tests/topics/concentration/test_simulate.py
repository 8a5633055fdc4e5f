"""Statistics with known means: their bounded differences and their laws, by brute force."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from noisytheory.topics.concentration.differences.simulate import (
    CoinMean,
    DistinctValues,
    DyadicSum,
    NormOfDeviation,
    Triangles,
    excess,
    excess_law,
)
from noisytheory.vocabulary.populations import axis, circle, orthonormal

EXACT = [
    CoinMean(10, 0.3),
    CoinMean(1000, 0.05),
    DistinctValues(20, 7),
    DyadicSum(12),
    NormOfDeviation(axis(Fraction(9, 10)), 30),
    NormOfDeviation(orthonormal(3), 12),
    Triangles(5, 0.4),
]


def largest_moves(function, arguments):
    """Most that a function moves with each argument alone, over all assignments."""
    moves = []
    for i in range(len(arguments)):
        others = [values if j != i else [None] for j, values in enumerate(arguments)]
        spread = 0.0
        for fixed in itertools.product(*others):
            values = [
                function([z if j == i else v for j, v in enumerate(fixed)]) for z in arguments[i]
            ]
            spread = max(spread, max(values) - min(values))
        moves.append(spread)
    return np.array(moves)


def test_differences_of_distinct_values():
    moves = largest_moves(lambda z: len(set(z)), [range(3)] * 4)
    assert np.sum(moves**2) == DistinctValues(4, 3).squared_differences


def test_differences_of_the_dyadic_sum():
    moves = largest_moves(
        lambda z: sum(e / 2 ** (i + 1) for i, e in enumerate(z)), [(-1, 1)] * 5
    )
    assert np.sum(moves**2) == pytest.approx(DyadicSum(5).squared_differences, rel=1e-14)


def test_differences_of_triangles():
    graph = Triangles(4, 0.5)
    moves = largest_moves(lambda z: float(graph.triangles(np.array([z]))[0]), [(0, 1)] * 6)
    assert np.sum(moves**2) == graph.squared_differences


def test_differences_of_the_norm():
    # One example moved from an atom to the other: at most diameter / n, attained at the ends.
    statistic = NormOfDeviation(axis(Fraction(9, 10)), 4)
    moves = largest_moves(lambda z: abs(sum(z) / 4 - 0.8), [(-1, 1)] * 4)
    assert np.sum(moves**2) == pytest.approx(statistic.squared_differences, rel=1e-14)


def test_triangles_of_known_graphs():
    graph = Triangles(5, 0.5)
    edges = list(itertools.combinations(range(5), 2))
    complete = np.ones(10)
    ring = np.array([(b - a) in (1, 4) for a, b in edges])
    one = np.array([a < 3 and b < 3 for a, b in edges])
    assert graph.triangles(np.array([complete, ring, one])).tolist() == [10, 0, 1]


def test_the_law_of_distinct_values_is_stirlings():
    # Pr[3 distinct among 4 draws of 5] = S(4, 3) * 5 * 4 * 3 / 5^4 with S(4, 3) = 6.
    law = DistinctValues(4, 5).law()
    values = np.asarray(law.values) + DistinctValues(4, 5).mean
    at = int(np.argmin(abs(values - 3)))
    assert np.asarray(law.probabilities)[at] == pytest.approx(6 * 60 / 625, rel=1e-14)


def test_the_law_of_triangles_by_hand():
    # Four vertices, p = 1/2, 64 graphs: the complete one has 4 triangles, 6 have two.
    law = Triangles(4, 0.5).law()
    np.testing.assert_allclose(np.asarray(law.values) + 0.5, [0, 1, 2, 4], atol=1e-12)
    np.testing.assert_allclose(np.asarray(law.probabilities) * 64, [41, 16, 6, 1], rtol=1e-12)


def test_too_many_graphs_have_no_law():
    assert excess_law(Triangles(7, 0.5)) is None


def test_a_norm_without_a_law_is_refused():
    with pytest.raises(ValueError, match="too many outcomes"):
        NormOfDeviation(circle(360), 30).law()


@pytest.mark.parametrize("statistic", EXACT, ids=lambda s: s.name)
def test_laws_are_centred_and_end_at_the_largest_excess(statistic):
    law = excess_law(statistic)
    assert law.mean() == pytest.approx(0, abs=1e-10)
    assert np.asarray(law.values)[-1] == pytest.approx(statistic.largest_excess, rel=1e-12)


def test_the_mean_of_triangles_beyond_enumeration():
    drawn = excess(Triangles(20, 0.3), size=20_000, rng=np.random.default_rng(1))
    # Six standard errors: a false alarm once in 5e8.
    assert abs(drawn.mean()) < 6 * drawn.std() / math.sqrt(len(drawn))


@pytest.mark.parametrize("statistic", EXACT, ids=lambda s: s.name)
def test_draws_follow_the_law(statistic):
    drawn = excess(statistic, size=20_000, rng=np.random.default_rng(2))
    law = excess_law(statistic)
    values = np.asarray(law.values)
    cdf = np.cumsum(np.asarray(law.probabilities))
    empirical = np.searchsorted(np.sort(drawn), values + 1e-9, side="right") / len(drawn)
    # Dvoretzky-Kiefer-Wolfowitz: a false alarm once in 1e9.
    assert np.max(np.abs(empirical - cdf)) < math.sqrt(math.log(2e9) / (2 * len(drawn)))
    assert drawn.max() <= statistic.largest_excess + 1e-12


def test_the_binomial_law_of_coins():
    law = CoinMean(40, 0.3).law()
    np.testing.assert_allclose(law.probabilities, stats.binom.pmf(np.arange(41), 40, 0.3),
                               rtol=1e-11)
