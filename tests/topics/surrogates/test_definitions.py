"""Definitions in the paper's words, against counts by hand and against the other claims."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np

import noisytheory as nt
from noisytheory.topics.surrogates.definitions import simulate
from noisytheory.topics.surrogates.long_servedio.three_points import two_slopes
from noisytheory.topics.surrogates.orders import simulate as orders
from noisytheory.topics.surrogates.orders.order import affine_relation
from noisytheory.vocabulary.losses import Hinge, LabelFreeSquare, LinearLoss, MarginSquare, ZeroOne

DEFINITIONS = {
    "def-losses/zero-one", "def-losses/convexification", "def-losses/bounded-class", "def-1",
    "def-2", "def-12", "def-13",
}


def test_both_papers_have_theirs():
    assert {f"kernel-mean/{name}" for name in DEFINITIONS} <= set(nt.claims)
    for earlier, later in (("def-9", "def-1"), ("def-10", "def-12"), ("def-11", "def-13")):
        one, other = nt.claims[f"average-classifier/{earlier}"], nt.claims[f"kernel-mean/{later}"]
        assert one is other and "Definition" in one.also[0].place


def test_linear_loss_at_the_ends_and_between():
    ends = [(c.lhs, c.rhs) for c in simulate.half_linear("labels")]
    assert ends == [(0, 0), (1, 1), (1, 1), (0, 0)]
    tight = [c for c in simulate.below_linear("between") if c.lhs == c.rhs]
    # y v = 0 once a label, y v = 1 and y v = -1 + 1: v = 0 with both, and v = y.
    assert [c.steps[0][1] for c in tight] == ["-1, -1", "-1, 0", "1, 0", "1, 1"]
    assert any(c.lhs > c.rhs for c in simulate.below_linear("beyond"))


def test_the_bounded_class_reaches_its_radius():
    for r in (1, 3):
        found = list(simulate.bounded_class(r, 1))
        assert len(found) == 81 * 81  # lattice points of a disc of radius 5
        assert max(c.lhs for c in found) == r * r
    assert max(c.lhs for c in simulate.bounded_class(1, 2)) == 4


def test_words_of_definition_1_one_by_one():
    told = {c.steps[0][1]: dict(c.steps[1:]) for c in simulate.potentials("vanishing")}
    assert all(told["hinge"].values())
    assert [word for word, holds in told["square"].items() if not holds] == ["psi -> 0"]
    assert [word for word, holds in told["linear"].items() if not holds] == ["psi >= 0", "psi -> 0"]
    assert not told["t-logistic"]["convex"] and not told["ramp"]["convex"]
    assert not told["square of the score"]["psi'(0) < 0"]
    assert not told["hinge, corrected for (1/5, 1/5)"]["psi >= 0"]


def test_the_potential_that_survives_noise_is_one():
    # The explicit one behind long-servedio-impossibility/printed.
    psi = two_slopes(Fraction(30), Fraction(3, 10))
    values = [psi.value(Fraction(k, 4)) for k in range(-40, 401)]
    assert min(values) == values[-1] == 0
    assert all(a + c >= 2 * b for a, b, c in zip(values, values[1:], values[2:], strict=False))
    step = Fraction(1, 100)
    sides = psi.value(step) - psi.value(Fraction(0)), psi.value(Fraction(0)) - psi.value(-step)
    assert sides == (-step, -step)


def test_calibrated_potentials_are_those_with_one_negative_slope_at_zero():
    found = list(simulate.calibrated("half"))
    # Slopes rise; by hand: both inner ones -3, -2 or -1, with as many outer ones as fit.
    assert len(found) == 70
    assert sum(c.rhs for c in found) == 1 * 5 + 2 * 4 + 3 * 3
    assert not any(c.rhs for c in simulate.calibrated("both"))
    hinge = tuple(int(Hinge().value(1, v)) - 3 for v in range(-2, 3))
    table = {c.steps[0][1]: c.rhs for c in found}
    assert table[str(hinge)] == 1


def test_robust_tables_by_counting():
    # Sums 0 to 4 over the labels, 1, 2, 3, 2, 1 ways each, alike at both scores; nine label-free
    # tables, of which the three constant ones have constant sums.
    expected = sum(ways**2 for ways in (1, 2, 3, 2, 1)) + 9 - 3
    for sigma in (0.1, 0.49):
        found = list(orders.robust(sigma, "both labels"))
        assert sum(c.lhs for c in found) == sum(c.rhs for c in found) == expected
    assert all(c.rhs for c in orders.robust(0.0, "both labels"))


def test_order_equivalence_is_the_affine_relation():
    losses = list(itertools.product(range(3), repeat=3))
    expected = [
        affine_relation(a, b) is not None for a, b in itertools.product(losses, losses)
    ]
    assert [bool(c.rhs) for c in orders.agreement("both")] == expected
    apart = next(c for c in orders.agreement("both") if not c.rhs)
    assert len(apart.steps) == 3


def test_losses_by_their_values_at_a_few_scores():
    # The words of the text, by hand: 1 - yv, [[yv <= 0]].
    scores = np.array([-2.0, -0.5, 0.0, 0.5, 2.0])
    for y in (-1, 1):
        assert LinearLoss().value(y, scores).tolist() == [1 - y * v for v in scores]
        assert ZeroOne().value(y, scores).tolist() == [float(y * v <= 0) for v in scores]
        assert MarginSquare().value(y, scores).tolist() == [(1 - y * v) ** 2 for v in scores]
        assert LabelFreeSquare().value(y, scores).tolist() == [v * v for v in scores]
