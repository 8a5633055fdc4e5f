"""Order equivalence: the criterion, the witness in fractions and the linear programme agree."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from noisytheory.topics.surrogates import affine_relation, reversed_pair, reversed_pair_exact
from noisytheory.vocabulary.losses import Corrected, LinearLoss

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


@given(st.lists(st.floats(-10, 10), min_size=2, max_size=5), st.data())
def test_floats_are_taken_to_the_last_bit(first, data):
    same_length = st.lists(st.floats(-10, 10), min_size=len(first), max_size=len(first))
    second = data.draw(same_length)
    as_fractions = [[Fraction(v) for v in loss] for loss in (first, second)]
    assert affine_relation(first, second) == affine_relation(*as_fractions)
    pair = reversed_pair_exact(first, second)
    assert pair == reversed_pair_exact(*as_fractions)
    assert pair is None or [sum(q) for q in pair] == [1, 1]


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


@pytest.mark.parametrize("decide", [affine_relation, reversed_pair, reversed_pair_exact])
@pytest.mark.parametrize("wrong", [np.nan, np.inf, "a", None])
def test_values_are_finite_numbers(decide, wrong):
    with pytest.raises(ValueError, match=r"^first must be a finite number, got"):
        decide([wrong, 1], [0, 1])
    with pytest.raises(ValueError, match=r"^second must be a finite number, got"):
        decide([0, 1], [1, wrong])


@pytest.mark.parametrize("tolerance", [-1e-9, np.nan, "a"])
def test_a_tolerance_is_a_share(tolerance):
    with pytest.raises(ValueError, match=r"^tolerance must be a finite number >= 0, got"):
        reversed_pair([0, 1], [0, 1], tolerance)


# Scale and offset.

SLOPES = 10.0 ** np.arange(-12, 13, 3)
OFFSETS = [0.0, 5.0, -0.3, 1e3, -1e9]
EPS = 2.0**-52


def tables_from_0_to_1(count, seed):
    """Random losses on 3 to 6 atoms, ends included, in random order."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        inside = rng.integers(1, 1000, rng.integers(1, 5)) / 1000
        yield rng.permutation([0.0, 1.0, *inside])


def counts_as_constant(loss):
    return np.ptp(loss) <= 8 * EPS * np.abs(loss).max()


def assert_reversed(pair, first, second):
    """In fractions, beyond what the rounding of the values can make."""
    assert pair is not None
    gaps = []
    for loss in (first, second):
        means = []
        for q in pair:
            shares = [Fraction(p) for p in q.tolist()]
            assert min(shares) >= 0 and float(sum(shares)) == pytest.approx(1, abs=1e-15)
            weighed = zip(shares, loss.tolist(), strict=True)
            means.append(sum(p * Fraction(v) for p, v in weighed) / sum(shares))
        gaps.append(means[0] - means[1])
    rounding = [Fraction(2 * EPS) * Fraction(float(np.abs(v).max())) for v in (first, second)]
    assert gaps[0] > 2 * rounding[0]
    assert counts_as_constant(second) or gaps[1] <= -2 * rounding[1]


@pytest.mark.parametrize("slope", SLOPES)
@pytest.mark.parametrize("offset", OFFSETS)
def test_affine_losses_are_never_reversed_whatever_their_scale(slope, offset):
    for first in tables_from_0_to_1(20, seed=1):
        second = slope * first + offset
        if counts_as_constant(second):
            # Nothing but rounding is left of the second loss: it ties all, and the first does not.
            assert_reversed(reversed_pair(first, second), first, second)
            assert reversed_pair(second, first) is None
        else:
            assert reversed_pair(first, second) is None
            assert reversed_pair(second, first) is None


@pytest.mark.parametrize("slope", SLOPES)
@pytest.mark.parametrize("offset", OFFSETS)
def test_an_opposite_order_is_found_whatever_its_scale(slope, offset):
    for first in tables_from_0_to_1(5, seed=2):
        second = offset - slope * first
        # A few units in the last place are too little to be sure of.
        if np.ptp(second) > 1e3 * EPS * np.abs(second).max():
            assert_reversed(reversed_pair(first, second), first, second)
            assert_reversed(reversed_pair(second, first), second, first)


@pytest.mark.parametrize("slope", SLOPES)
@pytest.mark.parametrize("offset", [0.0, 5.0, -0.3])
def test_bent_losses_agree_with_fractions_whatever_their_scale(slope, offset):
    tables = zip(tables_from_0_to_1(20, seed=3), tables_from_0_to_1(20, seed=4), strict=True)
    for first, shape in tables:
        plain = np.resize(shape, len(first))
        second = slope * plain + offset
        if np.ptp(second) < 1e6 * EPS * np.abs(second).max():
            continue
        # The shapes are thousandths: exact before the scale, and far from affine if not affine.
        exact = [[Fraction(round(1000 * v), 1000) for v in loss] for loss in (first, plain)]
        for one, two, loss, other in ((*exact, first, second), (*exact[::-1], second, first)):
            found, expected = reversed_pair(loss, other), reversed_pair_exact(one, two)
            if expected is None:
                assert found is None
            else:
                assert_reversed(found, loss, other)


GAPS = [0.0, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 3e-7, 1e-6, 1e-5, 1e-3, 0.1, 1.0]


def bent(count, seed):
    """A random second loss, and a first one bent away from it by every share of its range."""
    rng = np.random.default_rng(seed)
    for second in tables_from_0_to_1(count, seed):
        for share in GAPS:
            bend = share * rng.uniform(-1, 1, len(second))
            yield rng.uniform(0.5, 2.0) * second + rng.uniform(-1, 1) + bend, second


def gap_of(pair, loss):
    """In fractions."""
    means = []
    for q in pair:
        shares = [Fraction(p) for p in np.asarray(q).tolist()]
        weighed = (p * Fraction(v) for p, v in zip(shares, loss.tolist(), strict=True))
        means.append(sum(weighed) / sum(shares))
    return means[0] - means[1]


def best_of_three_atoms(first, second):
    """The programme's optimum over every choice of two atoms against two, in fractions."""
    a, b = ([Fraction(v) for v in loss.tolist()] for loss in (first, second))
    m, best = len(a), Fraction(0)
    lead = 8 * Fraction(EPS) * max(map(abs, b))
    pairs = [(i, j) for i in range(m) for j in range(m)]
    for i, j in pairs:
        if b[i] + lead <= b[j]:
            best = max(best, a[i] - a[j])
        for k in range(m):
            # Of atoms i and k a mixture as far left as it must be of j, and so on the other side.
            for ends, x, sign in (((i, k), b[j] - lead, 1), ((i, k), b[j] + lead, -1)):
                low, high = b[ends[0]], b[ends[1]]
                if low < high and low <= x <= high:
                    share = (x - low) / (high - low)
                    mean = (1 - share) * a[ends[0]] + share * a[ends[1]]
                    best = max(best, sign * (mean - a[j]))
    return best


def test_the_clearest_pair_is_found_whatever_its_gap():
    """Of random tables: the optimum to a millionth, and the decision, at every scale of the gap."""
    decided = [0, 0]
    for first, second in bent(25, seed=5):
        for one, two in ((first, second), (second, first)):
            span = float(np.ptp(one))
            best = float(best_of_three_atoms(one, two))
            found = reversed_pair(one, two, 0.0)
            if best <= 9 * EPS * np.abs(one).max():
                continue
            decided[best > 1e-9 * span] += 1
            assert_reversed(found, one, two)
            assert float(gap_of(found, one)) >= best * (1 - 1e-6) - EPS * span
            assert sum(np.count_nonzero(q) for q in found) <= 3
            assert (reversed_pair(one, two) is None) == (gap_of(found, one) <= 1e-9 * span)
    assert min(decided) > 50


def test_whoever_is_reversed_in_fractions_beyond_the_tolerance_is_found():
    for first, second in bent(25, seed=6):
        for one, two in ((first, second), (second, first)):
            pair = reversed_pair_exact(one.tolist(), two.tolist())
            gap = 0.0 if pair is None else float(gap_of([list(map(float, q)) for q in pair], one))
            if gap > 2e-9 * np.ptp(one):
                assert_reversed(reversed_pair(one, two), one, two)


def test_a_solver_of_linear_programmes_finds_no_clearer_pair():
    """HiGHS, to its own tolerance of 1e-7."""
    for first, second in zip(
        tables_from_0_to_1(60, seed=7), tables_from_0_to_1(60, seed=8), strict=True
    ):
        second = np.resize(second, len(first))
        m = len(first)
        masses = np.kron(np.eye(2), np.ones(m))
        solved = linprog(
            np.concatenate([-first, first]), A_ub=np.concatenate([second, -second])[None],
            b_ub=[0.0], A_eq=masses, b_eq=[1.0, 1.0], method="highs",
        )
        found = reversed_pair(first, second)
        gap = 0.0 if found is None else float(gap_of(found, first))
        assert gap == pytest.approx(-solved.fun, abs=1e-6)


def test_a_small_bend_is_found():
    q, other = reversed_pair([1, 2, 3 + 4e-7], [1, 2, 3])
    assert q.tolist() == pytest.approx([0.5, 0, 0.5]) and other.tolist() == [0, 1, 0]
    assert q @ [1, 2, 3 + 4e-7] - 2 == pytest.approx(2e-7, rel=1e-6)


def test_a_loss_of_rounding_only_counts_as_constant():
    assert 0.1 + 0.2 != 0.3
    assert_reversed(
        reversed_pair([1, 0], [0.1 + 0.2, 0.3]), np.array([1.0, 0.0]), np.array([0.1 + 0.2, 0.3])
    )
    assert reversed_pair([0.1 + 0.2, 0.3], [0, 1]) is None
    # In fractions they are what they are: two numbers.
    assert reversed_pair_exact([1, 0], [0.1 + 0.2, 0.3]) is None
    assert affine_relation([1, 0], [0.1 + 0.2, 0.3]) == (Fraction(0.1 + 0.2) - Fraction(0.3), 0.3)


def test_values_near_the_ends_of_the_floats():
    assert reversed_pair([0, 1, 2], [-1.7e308, 0, 1.7e308]) is None
    assert reversed_pair([0, 1, 2], [1.7e308, 0, -1.7e308]) is not None
    assert reversed_pair([0, 1, 2], [0, 5e-324, 1e-323]) is None
    assert reversed_pair([0, 1, 2], [1e-323, 5e-324, 0]) is not None
