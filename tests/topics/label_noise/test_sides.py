"""One instance of every claim about instances, worked by hand; and that the families are exact."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from worked import certificate

import noisytheory as nt
from noisytheory.topics.label_noise import instances
from noisytheory.topics.label_noise.classes import sides as classes
from noisytheory.topics.label_noise.instances import Alone, EveryPair, OnePair, RandomPairs
from noisytheory.topics.label_noise.margins import sides as margins
from noisytheory.topics.label_noise.noise import sides as noise
from noisytheory.trial.catalogue import of_topic
from noisytheory.vocabulary.joint_masses import LABELS
from noisytheory.vocabulary.populations import Finite, axes, digits, two_axes

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
ABOUT_INSTANCES = [c for c in of_topic("label_noise") if c.kind in ("always", "identity")]


def rng(seed=0):
    return np.random.default_rng(seed)


def worked(name, given=None, **instance):
    """The certificate of an instance, its sides alone and then its steps."""
    claim = nt.claims[name if name.startswith("average") else f"kernel-mean/{name}"]
    found = certificate(claim, instance, given)
    return (found.lhs, found.rhs), dict(found.steps), found.applies


# The paper's counterexample to Corollary 8: <x_1, x_2> = -1/8, masses 9/10 and 1/10, both positive,
# Q on x_2, a share of 1/10. The second coordinate of x_2 plays no part but in its norm.
PRINTED = dict(
    x=[[HALF, HALF, HALF, HALF, 0],
       [-Fraction(3, 4), HALF, QUARTER, -QUARTER, QUARTER]],
    P=[["9/10", 0], ["1/10", 0]], Q=[[0, 0], [1, 0]], sigma="1/10",
)
# Two orthogonal positive points of mass 1/2, both of margin 1/2.
EQUAL = dict(x=[[1, 0], [0, 1]], P=[[HALF, 0], [HALF, 0]])


def test_the_counterexample_to_corollary_8():
    # Scores 9/10 - 1/80 = 71/80 and -9/80 + 8/80 = -1/80: the second point is wrong, risk 1/10,
    # margin 71/80. |Phi(P) - Phi(Q)|^2 = (9/10)^2 |x_1 - x_2|^2 = 81/100 * 9/4 = 729/400.
    # After: .9 * 71/80 - 1/80 = 629/800, and -.9/80 + 1/10 = 71/800: the risk is 0.
    sides, steps, applies = worked("corollary-8/printed", **PRINTED)
    assert sides == (0, Fraction(1, 10)) and applies
    assert steps["scores under Phi(P)"] == "x_1: 71/80; x_2: -1/80"
    assert steps["scores under Phi(P~)"] == "x_1: 629/800; x_2: 71/800"
    assert steps["margin"] == Fraction(71, 80)
    assert steps["moved square"] == Fraction(729, 400) / 100 < Fraction(71, 80) ** 2
    # As an inequality it holds; two-sided, the second point is too near to zero: 1/80 < .135.
    assert worked("corollary-8/repaired", **PRINTED)[0] == (0, Fraction(1, 10))
    assert not worked("corollary-8/two-sided", **PRINTED)[2]


def test_the_same_in_sixteenths():
    # Masses 15/16 and 1/16, a share of 1/8: scores 120/128 - 1/128 and (-15 + 8)/128, moved to
    # 7/8 * 119/128 - 1/64 = 817/1024 and -49/1024 + 128/1024 = 79/1024, by 1/8 * 15/16 * 3/2.
    drawn = {name: array[0] for name, array in instances.OBLIQUE.every().items()}
    claim = nt.claims["kernel-mean/corollary-8/printed"]
    found = claim.call(claim.certify, claim.given, drawn)
    steps = dict(found.steps)
    assert (found.lhs, found.rhs) == (0, Fraction(1, 16)) and found.differs()
    assert steps["scores under Phi(P)"] == "x_1: 119/128; x_2: -7/128"
    assert steps["scores under Phi(P~)"] == "x_1: 817/1024; x_2: 79/1024"
    assert steps["moved square"] == Fraction(45, 256) ** 2
    assert steps["P"] == "(x_1, +1): 15/16; (x_2, +1): 1/16" and steps["K(x_1, x_2)"] == -1 / 8


def test_corollary_8_repaired_needs_zero_scores_to_be_errors():
    # <x_1, x_2> = 3/5; (x_1, -) has 3/8, (x_2, +) 5/8: scores 3/5 * 5/8 - 3/8 = 0 and 2/5.
    # Q is P with its labels flipped, a share of 1/5 multiplies scores by 3/5: 0 stays 0, so the
    # risk stays 3/8. (The other contamination, of two labels swapped, is in the vocabulary.)
    instance = dict(x=[[1, 0], ["3/5", "4/5"]], P=[[0, "3/8"], ["5/8", 0]],
                    Q=[["3/8", 0], [0, "5/8"]], sigma="1/5")
    sides, steps, _ = worked("corollary-8/repaired", **instance)
    assert sides == (Fraction(3, 8), Fraction(3, 8))
    assert steps["scores under Phi(P)"] == "x_1: 0; x_2: 2/5"


def test_contamination_identities():
    # Under Phi(P) the first point scores 71/80, under Phi(Q) -1/8: 9/10 and 1/10 of them, 629/800.
    assert worked("contamination-identities/mean", **PRINTED)[0] == (Fraction(629, 800),) * 2
    # A tenth of 9/10 |x_1 - x_2| = 9/10 * 3/2 = 27/20.
    sides, steps, _ = worked("contamination-identities/distance", **PRINTED)
    assert sides == ((Fraction(27, 200),) * 2,) * 2
    assert steps["square"] == Fraction(729, 400)
    # One point with either label: |2 x|^2 = 4, attained.
    apart = worked("contamination-identities/diameter", x=[[1]], P=[[1, 0]], Q=[[0, 1]], sigma=0)
    assert apart[0] == (4, 4)


def test_two_orthogonal_points_lose_one_at_a_third_and_not_at_a_quarter():
    # Gamma = 1/2. The flipped first point leaves it (1 - s)/2 - s: 1/8 at a quarter, 0 at a third.
    hit = dict(**EQUAL, Q=[[0, 1], [0, 0]])
    for share, lost, applies in (("1/4", 0, False), ("1/3", HALF, True), ("33/100", 0, False)):
        assert worked("any-q-immunity/converse", **hit, sigma=share)[::2] == ((HALF, lost), applies)
        assert worked("any-q-immunity/sharp", **hit, sigma=share)[::2] == ((lost, 0), not applies)
    assert worked("any-q-immunity/worst-score", **hit, sigma="1/4")[0] == (Fraction(1, 8),) * 2
    # (1/2) / (1 + 1/2).
    assert worked("any-q-immunity/losing-share", **hit, sigma=0)[0] == (Fraction(1, 3),) * 2
    # A share of 1/8 is below 1/4 = Gamma / 2, and no point is lost: 7/16 - 1/8 > 0.
    sides, _, applies = worked("any-q-immunity", **hit, sigma="1/8")
    assert sides == (0, 0) and applies
    assert not worked("any-q-immunity", **hit, sigma="1/4")[2]


def test_the_share_that_costs_a_point_is_a_root_of_its_score():
    claim = nt.claims["kernel-mean/any-q-immunity/share"]
    for margin, share in ((1.0, 0.5), (0.5, 1 / 3), (0.25, 0.2), (1 / 64, 1 / 65)):
        optimum, error = claim.exact(margin)
        assert optimum == pytest.approx(share, abs=error) and optimum >= claim.bound(margin)


def test_regrets_at_a_zero_score():
    # eta = 9/10, f = 0: an error has 1 - 1/10 more than the best, 9/10; half an error 4/10; linear
    # loss 1 against 2/10. At eta = 1/2: 1/2 against 0, which mass 1 of zeros mends with its half.
    instance = dict(P=[["9/10", "1/10"]], f=[0])
    assert worked("lemma-3/printed", **instance)[0] == (Fraction(9, 10), Fraction(8, 10))
    assert worked("lemma-3/repaired", **instance)[0] == (Fraction(4, 10), Fraction(8, 10))
    assert worked("lemma-3/repaired-mass", **instance)[0] == (Fraction(9, 10), Fraction(13, 10))
    assert not worked("lemma-3/repaired-nonzero", **instance)[2]
    half = dict(P=[[HALF, HALF]], f=[0])
    assert worked("lemma-3/repaired-mass", **half)[0] == (HALF, HALF)
    # f = -1/4: wrong, by |1 - 2 eta| = 8/10; linear 1 + .8/4 - 2/10.
    wrong = dict(P=[["9/10", "1/10"]], f=[-QUARTER])
    assert worked("lemma-3/repaired-nonzero", **wrong)[0] == (Fraction(8, 10), 1)
    assert worked("lemma-3/linear-regret", **wrong)[0] == (1, 1)
    for zero, regret in ((1, Fraction(9, 10)), (HALF, Fraction(4, 10))):
        found = worked("lemma-3/misclassification-regret", dict(zero=float(zero)), **instance)
        assert found[0] == (regret, regret)


# f is 1/4 on masses 2/8 and 1/8 of either label at x_1, -1/2 on 3/8 positive at x_2, 1/2 on the
# rest, 2/8 positive at x_3.
THREE = dict(P=[["2/8", "1/8"], ["3/8", 0], ["2/8", 0]], f=[QUARTER, -HALF, HALF])


def test_margins_of_three_points():
    # Risk 1/8 + 3/8. Least margin 1/4; margin risk is 1/2 up to it, 6/8 there.
    assert worked("margin-for-error/formula", **THREE)[0] == (QUARTER, QUARTER)
    # Pushed by 1/4 to 0, x_1 is wrong with both labels: 3/8 + 3/8, as many as have y f <= 1/4.
    pushed = dict(**THREE, moved=[0, -HALF, HALF], epsilon=QUARTER)
    closed, opened = (worked("theorem-7", dict(inequality=i), **pushed) for i in ("closed", "open"))
    assert closed[0] == (Fraction(6, 8), Fraction(6, 8))
    # Strictly below 0 is x_2 alone; strictly below 1/4 also the negative part of x_1.
    assert opened[0] == (Fraction(3, 8), Fraction(4, 8)) and opened[2]
    # Moved by 1/8 all keep their sides.
    near = dict(**THREE, moved=["1/8", -HALF, HALF], epsilon="1/8")
    assert worked("margin-for-error", **near)[::2] == ((HALF, HALF), True)
    assert not worked("margin-for-error", **pushed)[2]
    # The worst by 1/4: x_1 at 0 with both labels. With half an error there, 3/8 + 3/16.
    whole, half = "average-classifier/theorem-6", "average-classifier/theorem-6/half-error"
    assert worked(whole, **pushed)[0] == (Fraction(6, 8), Fraction(6, 8))
    assert worked(half, **pushed)[0] == (Fraction(9, 16), Fraction(6, 8))


def test_gaps_of_margins():
    # v = 2 moved by 2 to 0: below or at 0 is closed only; 2 <= 2, not 2 < 2.
    gap = dict(v=2, moved=0, epsilon=2)
    certify = nt.claims["kernel-mean/lemma-25"].certify
    sides = [(c.lhs, c.rhs) for c in (certify(**gap, inequality=i) for i in ("open", "closed"))]
    assert sides == [(0, 0), (1, 1)]
    mixed = certify(**gap, inequality="mixed")
    assert (mixed.lhs, mixed.rhs) == (1, 0)
    drawn = margins.Gap.every()
    assert len(drawn["v"]) == sum(
        abs(v - w) <= e for v in range(-8, 9) for w in range(-8, 9) for e in range(9)
    )


def test_label_noise_by_hand():
    # x_1 with labels 3/4 and 1/4: score 1/2; a rate of 1/8 leaves 7/8 * 3/4 + 1/8 * 1/4 = 22/32
    # positive and 10/32 negative, 3/8 = (1 - 2/8)/2.
    identity = worked("noise-identity", dict(sigma=0.125), row=[1], P=[["3/4", "1/4"]])
    assert identity[0] == (Fraction(3, 8), Fraction(3, 8))
    for zero in ("both", "half"):
        # Wrong before and after where the label is negative; a score of 0 counts whole, or half.
        one = worked("lemma-10", dict(sigma=0.125, zero=zero), x=[[1]], P=[["3/4", "1/4"]])
        assert one[0] == (QUARTER, QUARTER)
        tie = worked("lemma-10", dict(sigma=0.125, zero=zero), x=[[1]], P=[[HALF, HALF]])
        assert tie[0] == ((1, 1) if zero == "both" else (HALF, HALF))
    # f = 2: linear risk 3/4 * -1 + 1/4 * 3 = 0; noisy 22/32 * -1 + 10/32 * 3 = 1/4 = 1 - 3/4.
    linear = worked("linear-loss-any-class", dict(sigma=0.125), P=[["3/4", "1/4"]], f=[2])
    assert linear[0] == (QUARTER, QUARTER)
    # Of 0, 1, -1, 2, 2, 0 the values 2 have the least risk: bits 3 and 4, 8 + 16.
    functions = [[v] for v in (0, 1, -1, 2, 2, 0)]
    sets = worked("linear-loss-any-class/argmin", dict(sigma=0.125), P=[["3/4", "1/4"]],
                  functions=functions)
    assert sets[0] == (24, 24)
    # More than half of the labels flipped, the least are the values -1.
    assert worked("linear-loss-any-class/argmin", dict(sigma=0.75), P=[["3/4", "1/4"]],
                  functions=functions)[0] == (4, 24)


# Classes on one point each, mixed with shares 3/10 and 1/10.
APART = dict(up=[1, 0], down=[0, 1], alpha="3/10", beta="1/10")


def test_balanced_errors_and_areas_by_hand():
    # The catalogue's example: scores (0, 2) have v^2 = 0, 4: BER 2, mixed (.3*4 + .9*4)/2 = 2.4,
    # and 2 (2.4 - .6 * 2) = 2.4 = .4 * 6. Scores (1, 0): 1/2, (.7 + .1)/2 = .4, and .2 = .4 / 2.
    name, loss = "theorem-18/printed", dict(loss="square of the score")
    found = worked(name, loss, **APART, f=[0, 2], g=[1, 0])
    assert found[0] == (Fraction(12, 5), Fraction(1, 5))
    assert [side / Fraction(2, 5) for side in found[0]] == [6, HALF]
    # Linear loss of scores (1, 0): 0 and 1, BER 1/2; mixed (.3 * 1 + .9 * 1 + .1 * 2)/2 = .7, and
    # .6/2 + .2 * 2 = .7.
    linear = worked("theorem-18/repaired", dict(loss="linear"), **APART, f=[1, 0])
    assert linear[0] == (Fraction(7, 10), Fraction(7, 10))
    # AUC of (1, 0) is 1; mixed .7 * .9 + (.7 * .1 + .3 * .9)/2 = .63 + .17 = .8 = .6 + .2.
    assert worked("auc-unaffected", **APART, f=[1, 0])[0] == (Fraction(8, 10), Fraction(8, 10))


def test_shares_of_contamination_are_bayes_rule():
    # Rates 1/10 and 3/10, a quarter positive: joint .175 and .075 kept positive, .075 and .675.
    noisy = dict(minus="1/10", plus="3/10", positive="1/4", up=1, down=0)
    assert worked("mutual-contamination", dict(label=1), **noisy)[0] == (Fraction(7, 10),) * 2
    assert worked("mutual-contamination", dict(label=-1), **noisy)[0] == (Fraction(1, 10),) * 2
    assert worked("mutual-contamination/back", dict(label=1), **noisy)[0] == (Fraction(3, 10),) * 2
    assert worked("mutual-contamination/back", dict(label=-1), **noisy)[0] == (Fraction(1, 10),) * 2
    # alpha = .3, beta = .1.
    assert worked("mutual-contamination/sums", **noisy)[0] == (1, 1)


def test_lemma_19_by_hand():
    # Zero scores are half wrong: f is wrong on mass 2/7 without noise, g on 5/7 under noise 3/10,
    # their noisy risks 2/7 + 5/7 * 3/10 and 5/7 * 7/10 tie; the clean optimum is 2/7, 5/7 is had.
    tie = dict(masses=["2/7", "5/7", 0], rates=[0, "3/10", 0], f=[-1, 1, 1], g=[1, -1, 1])
    loss = dict(loss="0-1, half at zero", most=0.375)
    attained = (Fraction(5, 7), Fraction(5, 7))
    assert worked("lemma-19/repaired", loss, **tie)[0] == attained
    assert worked("lemma-19/sharper", loss, **tie)[0] == attained
    # l = -y v, f = g = 1 and noise 1/5: -1 <= -1 / (1 - 2/5) is false.
    negative = dict(masses=[1, 0, 0], rates=["1/5"] * 3, f=[1] * 3, g=[1] * 3)
    found = worked("lemma-19/printed", dict(loss="negative margin", most=0.5), **negative)
    assert found[0] == (-1, -Fraction(5, 3))
    # At one half labels are coins: both functions have noisy risk 1/2, the optimum is 0.
    coins = dict(masses=[1, 0, 0], rates=[HALF] * 3, f=[1] * 3, g=[-1] * 3)
    assert worked("lemma-19/printed", loss, **coins)[::2] == ((1, 0), True)


# What holds of all families and claims.


def test_every_pair_lists_every_population_once():
    drawn = EveryPair(2, total=2, levels=2).every()
    # 9 cosines, (2+3 choose 3) = 10 populations P and Q, shares 0, 1/2 and 1.
    assert len(drawn["sigma"]) == 9 * 10 * 10 * 3
    parts = Alone(drawn["x"], drawn["P"]).kernel, drawn["P"], drawn["Q"], drawn["sigma"]
    rows = np.unique(np.column_stack([each.reshape(2700, -1) for each in parts]), axis=0)
    assert len(rows) == len(drawn["sigma"])


@pytest.mark.parametrize("family", [RandomPairs(3), RandomPairs(2, inside=True), RandomPairs(4),
                                    instances.COARSE, instances.EVERY_PAIR, instances.OBLIQUE])
def test_instances_are_populations_with_features_in_the_ball(family):
    drawn = family.draw(500, rng())
    for masses in (drawn["P"], drawn["Q"]):
        assert np.all(masses >= 0) and np.all(masses.sum(axis=(1, 2)) == 1)
        assert np.all(masses * 16 == np.round(masses * 16))
    norms = np.sum(drawn["x"] ** 2, axis=2)
    assert np.all(norms <= 1) and (getattr(family, "inside", False) or np.all(norms == 1))
    again = family.draw(500, rng())
    assert all(np.array_equal(drawn[name], again[name]) for name in drawn)


def test_one_instance_is_drawn_again_and_again():
    pair = OnePair("one", ((1.0,),), ((1, 0),), ((0, 1),), 0.5)
    assert pair.draw(3, rng())["sigma"].tolist() == [0.5] * 3


@pytest.mark.parametrize("claim", ABOUT_INSTANCES, ids=lambda claim: claim.id)
def test_floats_equal_fractions_row_by_row(claim):
    """Left sides of 20 drawn instances, to the last bit where nothing is divided or rooted."""
    rounded = ("distance", "mutual-contamination", "losing-share")
    for cell in itertools.islice(claim.cells(), 3):
        if "Finite" in type(cell.get("population")).__name__:
            continue
        drawn = claim.call(claim.simulate, cell, size=20, rng=rng(5))
        for row in range(20):
            instance = {name: array[row] for name, array in drawn.items()}
            found = claim.call(claim.certify, cell, instance)
            assert found.applies == bool(instance.get("applies", True))
            low = found.lhs[0] if isinstance(found.lhs, tuple) else found.lhs
            exactly = not claim.id.endswith(rounded) and "mutual" not in claim.id
            slack = 0 if exactly else 1e-12
            assert float(low) == pytest.approx(float(instance["lhs"]), rel=slack, abs=slack)


def test_noisy_scores_are_those_of_the_vocabularys_populations():
    for population in (two_axes(Fraction(9, 10), Fraction(1, 5)), axes(3), digits(3, 8)):
        at = noise.Scores(**noise.Scores.every(population))
        found = noise.noisy_score(at, 0.3)
        noisy = population.with_label_noise(Fraction(3, 10))
        first = np.unique(noisy.instances, return_index=True)[1]
        same = first[np.searchsorted(noisy.instances[first], population.instances)]
        assert np.allclose(found["lhs"], noisy.scores[same], atol=1e-13)
        assert np.allclose(found["score"], population.scores, atol=1e-13)


def test_risks_are_those_of_the_vocabularys_populations():
    drawn = RandomPairs(3).draw(60, rng(7))
    case = Alone(drawn["x"], drawn["P"])
    for zero in ("both", "half"):
        found = noise.noise_immunity(case, 0.125, zero)
        for row in range(60):
            atoms = [(j, k) for j in range(3) for k in range(2)]
            gram = [[float(LABELS[k] * LABELS[m] * case.kernel[row, i, j]) for j, m in atoms]
                    for i, k in atoms]
            one = Finite.from_gram("one", gram, weights=[drawn["P"][row, j, k] for j, k in atoms],
                                   labels=[int(LABELS[k]) for _, k in atoms])
            expected = one.risk(one.scores, zero=zero)
            assert found["rhs"][row] == pytest.approx(float(expected), abs=1e-12)


def test_one_constant_fits_where_losses_have_a_constant_sum():
    drawn = classes.Scorers.every()
    for loss, constant in (("ramp", 1), ("linear", 2), ("0-1, half at zero", 1)):
        found = classes.implied_constants(classes.Scorers(**drawn), loss)
        assert np.array_equal(found["lhs"], constant * (drawn["alpha"] + drawn["beta"])), loss
