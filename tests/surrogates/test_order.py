"""Order equivalence: the criterion, the witness in fractions and the linear programme agree."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noisytheory.losses import Corrected, LinearLoss
from noisytheory.surrogates import affine_relation, reversed_pair, reversed_pair_exact

TABLES = st.integers(2, 5).flatmap(
    lambda m: st.tuples(*[st.lists(st.integers(0, 3), min_size=m, max_size=m)] * 2)
)


def risks(pair, loss):
    return [sum(p * v for p, v in zip(q, loss, strict=True)) for q in pair]


@given(TABLES)
def test_three_ways_to_decide_an_order(tables):
    first, second = tables
    found = [reversed_pair_exact(first, second), reversed_pair_exact(second, first)]
    assert (affine_relation(first, second) is None) == any(pair is not None for pair in found)
    programmes = [reversed_pair(first, second), reversed_pair(second, first)]
    assert [p is None for p in programmes] == [p is None for p in found]


@given(TABLES)
def test_the_witness_is_a_pair_of_distributions_with_reversed_order(tables):
    first, second = tables
    pair = reversed_pair_exact(first, second)
    if pair is None:
        return
    for q in pair:
        assert sum(q) == 1
        assert min(q) >= 0
    one, two = risks(pair, first), risks(pair, second)
    assert one[0] > one[1]
    assert two[0] <= two[1]
    best = reversed_pair(first, second)
    assert best is not None
    clear = risks(best, first)
    assert clear[0] - clear[1] >= float(one[0] - one[1]) - 1e-9


def test_an_affine_relation_is_returned():
    assert affine_relation([1, 3, 2], [5, 9, 7]) == (2, 3)
    assert affine_relation([1, 1], [4, 4]) == (1, 3)
    assert affine_relation([1, 1], [4, 5]) is None
    assert affine_relation([1, 2], [4, 4]) is None


def test_misclassification_with_errors_at_zero_is_reversed_by_noise():
    # Q at score 0 has risk 1, noisy 1; Q' at a wrong score has risk 1, noisy 0.8.
    clean = [1, 1, 0, 0, 1, 1]  # l(1, v), l(-1, v) at v = -1, 0, 1
    rate = Fraction(1, 5)
    noisy = [(1 - rate) * a + rate * clean[(k + 3) % 6] for k, a in enumerate(clean)]
    assert affine_relation(clean, noisy) is None
    assert noisy[1] == 1
    assert noisy[0] == 1 - rate


def test_correction_under_unequal_rates_bends_linear_loss():
    slopes = Corrected(LinearLoss(), 0.1, 0.3).derivative([1, -1], [0.0, 0.0])
    assert slopes.tolist() == pytest.approx([-2.0, 4 / 3])


def test_the_programme_refuses_what_it_cannot_solve():
    with pytest.raises(ValueError):
        reversed_pair([np.nan, 1.0], [0.0, 1.0])


@pytest.mark.parametrize("decide", [affine_relation, reversed_pair, reversed_pair_exact])
def test_tables_of_one_length_are_asked_for(decide):
    for first, second in (([], []), ([1], [1, 2])):
        with pytest.raises(ValueError, match="must have as many values"):
            decide(first, second)


def test_a_linear_programme_wants_finite_values():
    with pytest.raises(ValueError, match="must be finite"):
        reversed_pair([np.nan, 1.0], [0.0, 1.0])
