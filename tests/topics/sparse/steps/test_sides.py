"""A step of herding and the best weights, by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import noisytheory as nt

# The target is (3/8, 1/8) among e1, e2, -e1, -e2; it stands at e1.
CROSS = {"hull": "cross 2", "shares": np.array([4.0, 2.0, 1.0, 1.0])}
AT_E1 = np.array([1.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("rule", "share"), [("uniform", 1 / 2), ("classic", 2 / 3), ("line search", 5 / 16)]
)
def test_a_step_towards_the_opposite_corner(rule, share):
    claim = nt.claims["average-classifier/algorithm-1/steps"]
    # What is left, (-5/8, 1/8), scores 5/8 at -e1; the best share of the way of 2 is 5/16.
    after = np.array([1 - share, 0.0, share, 0.0])
    found = claim.certify(rule=rule, k=2, part=1, before=AT_E1, after=after, **CROSS)
    assert (found.lhs, found.rhs, found.applies) == (0, 0, True)
    found = claim.certify(rule=rule, k=2, part=0.5, before=AT_E1, after=after, **CROSS)
    assert found.lhs == 1
    assert float(dict(found.steps)["squared distance"]) == pytest.approx(share**2)


def test_a_step_away_from_an_atom():
    claim = nt.claims["average-classifier/algorithm-1/steps"]
    # From (0, 4/5), which holds a tenth of -e2, to (0, 9/10): towards e2 gains 1/50 a step, away
    # from -e2 9/50, and half of the ninth that there is left of the way takes it there.
    shares = np.array([1.0, 18.0, 1.0, 0.0])
    before, after = np.array([0.0, 0.9, 0.0, 0.1]), np.array([0.0, 0.95, 0.0, 0.05])
    found = claim.certify(rule="away", k=6, part=1, hull="cross 2", shares=shares, before=before,
                          after=after)
    assert found.lhs == 0 and found.applies
    found = claim.certify(rule="uniform", k=6, part=1, hull="cross 2", shares=shares,
                          before=before, after=after)
    assert found.lhs == 1
    # Nearly at -e2 already, with a little of e1: away from it until nothing is left of it.
    before, after = np.array([0.125, 0.0, 0.0, 0.875]), np.array([0.0, 0.0, 0.0, 1.0])
    shares = np.array([1.0, 1.0, 62.0, 64.0])
    # Target (-61, -63)/128 and left (-77, 49)/128: e1 scores -77/128, here -(77 + 343)/1024,
    # -e1 77/128: towards gains 1036/1024, away 196/1024.
    found = claim.certify(rule="away", k=6, part=1, hull="cross 2", shares=shares, before=before,
                          after=after)
    assert found.lhs == 1 and found.applies


def test_the_gap_of_a_mixture():
    claim = nt.claims["average-classifier/best-weights"]
    half = {"atoms": np.array([1, 0, 1, 0]), "algorithm": "convex projection", "k": 2, "best": 1}
    # Half of e1 and of -e1 is 0, which is (3/8, 1/8) short: e1 scores 3/8.
    found = claim.certify(weights=np.array([0.5, 0.0, 0.5, 0.0]), **CROSS, **half)
    assert found.lhs == 1 and dict(found.steps)["duality gap"] == Fraction(3, 8)
    # The best mixture of the two is 3/8 e1: 11/16 and 5/16.
    found = claim.certify(weights=np.array([0.6875, 0.0, 0.3125, 0.0]), **CROSS, **half)
    assert found.lhs == 0 and dict(found.steps)["duality gap"] == 0
