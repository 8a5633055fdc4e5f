"""Which tail mass lets the minimiser see the labels, worked by hand, mostly at one point."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from worked import Worked, by_hand

import noisytheory as nt
from noisytheory.topics.top_k.calibrated import sides
from noisytheory.topics.top_k.calibrated.battery import battery
from noisytheory.topics.top_k.calibration import optimal_risk
from noisytheory.topics.top_k.risks import sides as risks

# One point with posterior 5/8: 2R* = 3/4, a square risk of 4 * 3/8 * 5/8 = 15/16; the logistic
# risk is .954, with natural logarithms .662. At nu = 13/16 the worst outcomes of the sign lose
# 3/8 - 7/16 < 0, at 11/16 they lose 3/8 - 5/16 > 0.
ALONE, PAIR = np.intp(3), np.intp(1)
ABOVE, BELOW = dict(index=ALONE, nu="13/16"), dict(index=ALONE, nu="11/16")

test_by_hand = by_hand("top-k", [
    Worked("new-calibration-iff", ABOVE, 1, 1),
    Worked("new-calibration-iff", BELOW, 0, 0),
    Worked("new-calibration-iff", dict(index=ALONE, nu="3/4"), 0, 0),
    Worked("new-calibration-iff", dict(index=ALONE, nu="193/256"), 1, 1),
    Worked("theorem-1-ii/printed", ABOVE, 1, (0, 0)),
    Worked("theorem-1-i", BELOW, "11/16", ("15/16", "15/16"), cell=dict(loss="margin-square")),
    Worked("theorem-1-i", BELOW, "11/16", ("3/4", "3/4"), cell=dict(loss="hinge")),
    Worked("theorem-1-i", ABOVE, "13/16", ("3/4", "3/4"), applies=False, cell=dict(loss="hinge")),
    # Posteriors 1/2 and 7/8 with equal masses: 1/2 * 1/8 counts, and 1/16 + 0 - 2/16 < 0.
    Worked("theorem-1-ii", dict(index=PAIR, nu="11/16"), "1/16", "11/16"),
    Worked("theorem-1-ii", dict(index=PAIR, nu="10/16"), "1/16", "10/16", applies=False),
    Worked("text-k-lower-bound", ABOVE, "13/16", "3/4", applies=False),
    Worked("text-k-lower-bound", BELOW, "11/16", "3/4"),
    Worked("text-bartlett", dict(index=ALONE), 1, 1),
    # (15/16 - 3/4) / (15/16) = 1/5, no threshold; of the square 1/16, and the odds 5/3 end at
    # 4 / (8/3)^2 = 9/16.
    Worked("text-lambda-star-range", dict(index=ALONE, nu="15/16"), ("1/5", "1/5"), (1, 1),
           cell=dict(loss="hinge")),
    Worked("text-lambda-star-range", dict(index=ALONE, nu=1), ("1/16", "1/16"), ("7/16", "7/16"),
           cell=dict(loss="margin-square")),
    Worked("new-clipped-logit", dict(index=ALONE, nu="15/16"), 0, 0),
    Worked("text-risk-dominates", dict(index=ALONE), "3/4", ("15/16", "15/16"),
           cell=dict(loss="margin-square")),
    # Noise of 1/16, a tail of 1/4: 1/16 - 3/16 < 0.
    Worked("text-max-loss", dict(noise="1/16"), "1/8", "1/4", cell=dict(n=4)),
])


def test_where_the_scores_are_clipped():
    # 3/8 (1 + Q) = 15/16.
    found = nt.claims["top-k/new-clipped-logit"].certify(index=int(ALONE), nu=15 / 16, times=1.0)
    assert dict(found.steps)["odds at the end"] == Fraction(3, 2)


def test_the_odds_meet_the_conditions_of_the_convex_programme():
    """Weights that balance the slopes of both labels, none above what its label has: nu in all."""
    tried = 0
    for index, nu in itertools.product(range(9), (Fraction(k, 32) for k in range(1, 32))):
        if (odds := sides.cap(index, nu)) is None:
            continue
        masses, eta = (part[index] for part in battery())
        wrong, right = masses * np.minimum(eta, 1 - eta), masses * np.maximum(eta, 1 - eta)
        assert (wrong + np.minimum(odds * wrong, right)).sum() == nu
        tried += 1
    assert tried > 100


def test_the_logistic_risk_with_natural_logarithms_and_over_its_value_at_0():
    """Of one posterior of 5/8 the entropy: .66156 in nats, .95443 in bits."""
    for claim, risk in (("natural", 0.66156), ("repaired", 0.95443)):
        found = nt.claims[f"top-k/theorem-1-i/{claim}"]
        made = found.certify(index=int(ALONE), nu=0.6875, **found.given)
        assert made.lhs == Fraction(11, 16) and made.applies
        assert risk - 1e-5 < made.rhs[0] < made.rhs[1] < risk + 1e-5


@pytest.mark.parametrize(("times", "claim"), [(0.9, "theorem-1-i"), (1.1, "text-hinge-2bayes")])
def test_another_public_risk_is_noticed(monkeypatch, times, claim):
    sides.solved.cache_clear()
    for place in (sides, risks):
        monkeypatch.setattr(place, "optimal_risk", lambda *given: times * optimal_risk(*given))
    found = nt.audit(f"top-k/{claim}", budget="smoke")
    sides.solved.cache_clear()
    assert found[f"top-k/{claim}"].verdict in ("undecided", "refuted")


def test_a_public_threshold_of_nine_tenths_is_refuted(monkeypatch):
    sides.solved.cache_clear()
    public = sides.calibration_threshold
    monkeypatch.setattr(sides, "calibration_threshold", lambda *given: 0.9 * public(*given))
    found = nt.audit("top-k/new-calibration-iff", budget="smoke")
    sides.solved.cache_clear()
    assert found["top-k/new-calibration-iff"].verdict == "refuted"
