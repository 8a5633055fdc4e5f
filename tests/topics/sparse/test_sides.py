"""One instance of every claim about instances that is defined once, worked by hand."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from worked import certificate

import noisytheory as nt
from noisytheory.topics.sparse import samples
from noisytheory.topics.sparse.means import sides
from noisytheory.topics.sparse.partitions import sides as partitions
from noisytheory.topics.sparse.projection import simplex_weights

HALF = Fraction(1, 2)


def worked(name, **instance):
    found = certificate(nt.claims[name], instance)
    return found.lhs, found.rhs, found.applies


def test_errors_combined_by_hand():
    # A quarter of (4, 0, 0) and three quarters of (0, 4, 0): (1, 3, 0), square 10, below 16.
    instance = dict(vectors=[(4, 0, 0), (0, 4, 0)], weights=["1/4", "3/4"])
    assert worked("kernel-mean/lemma-22", **instance) == (10, 16, True)
    aligned = dict(vectors=[(0, 3, 4), (0, 3, 4)], weights=["1/3", "2/3"])
    assert worked("average-classifier/lemma-18", **aligned) == (25, 25, True)


def test_a_mean_of_means_by_hand():
    # Parts {8, 0}, {4, 0} and {2}, of masses 1/2, 3/8 and 1/8 and means 4, 8/3 and 2: 13/4 in all,
    # 26/9 if they are averaged alike.
    claim = nt.claims["average-classifier/parallel"]
    points, weights = np.array([8.0, 4, 2, 0, 0]), np.array([4, 4, 2, 4, 2]) / 16
    found = claim.certify(points=points, weights=weights, weighted=1)
    assert (found.lhs, found.rhs) == (Fraction(13, 4), Fraction(13, 4))
    broken = claim.certify(points=points, weights=weights, weighted=0)
    assert (broken.lhs, broken.rhs) == (Fraction(26, 9), Fraction(13, 4))


def test_the_score_of_an_error_by_hand():
    # e_1/2 + e_2/2 less e_1 is v = (-1/2, 1/2), and x = (-3/5, 4/5): (7/10)^2, below 1/2.
    found = worked("average-classifier/discriminative", points=[[1, 0], [0, 1]],
                   alpha=["1/2", "1/2"], weights=[1, 0], epsilon=1, feature=["-3/5", "4/5"])
    assert found == (Fraction(49, 100), (1 + Fraction(1, 2**30)) ** 2, True)


def test_the_sign_of_a_shifted_score_by_hand():
    # An error 1/2 along the feature leaves 1/4 of a score of 3/4, and makes -1/4 of one of 1/4,
    # which is not above the error's length.
    claim = nt.claims["average-classifier/discriminative/signs"]
    for score, changed, applies in ((3 * HALF / 2, 0, True), (HALF / 2, 1, False)):
        found = claim.certify(
            points=np.array([[1, 0]]), feature=np.array([1, 0]), alpha=np.array([score]),
            weights=np.array([score - HALF]), epsilon=HALF, quarters=4,
        )
        assert (found.lhs, found.rhs, found.applies) == (changed, 0, applies)


def test_features_near_the_error_are_where_the_trial_is_sharp():
    drawn = sides.Herded.draw("near the error", size=600, rng=np.random.default_rng(5))
    at = sides.Herded(**drawn)
    own, other = at.scores
    assert np.linalg.norm(at.feature, axis=1).max() <= 1 + 1e-12
    moved = np.abs(own - other) / at.epsilon
    np.testing.assert_allclose(moved[::2], 1, rtol=1e-9)
    above = (np.abs(own) > at.epsilon)[1::2] & (np.abs(own) < 1.2 * at.epsilon)[1::2]
    assert above.sum() > 30
    assert np.mean((own * other <= 0)[1::2] & (np.abs(own) > 0.8 * at.epsilon)[1::2]) > 0.05


@pytest.mark.parametrize("product, square", [(1, "4/5"), (-1, "16/5")])
def test_distances_of_labelled_features_by_hand(product, square):
    # K = 3/5: (1 - 3/5)^2 + 16/25 = 20/25 = 2 - 6/5, and (1 + 3/5)^2 + 16/25 = 80/25 = 2 + 6/5.
    instance = dict(x=["3/5", "4/5"], z=[1, 0], product=product)
    square = Fraction(square)
    assert worked("kernel-mean/distance-formula", **instance) == (square, square, True)
    unlike = worked("kernel-mean/distance-formula/unlike-labels", **instance)
    assert unlike == (2, square, product < 0)
    # Of opposite sign, K = -3/5: nearer than the root of 2, and no instance of the claim.
    opposite = worked("kernel-mean/distance-formula/unlike-labels", x=["-3/5", "4/5"], z=[1, 0],
                      product=-1)
    assert opposite == (2, Fraction(4, 5), False)


@pytest.mark.parametrize("name", ["kernel-mean/lemma-22", "average-classifier/parallel",
                                  "kernel-mean/distance-formula",
                                  "kernel-mean/distance-formula/unlike-labels"])
def test_floats_equal_fractions_row_by_row(name):
    claim = nt.claims[name]
    for cell in claim.cells():
        drawn = claim.call(claim.simulate, cell, size=30, rng=np.random.default_rng(3))
        for row in range(30):
            instance = {key: array[row] for key, array in drawn.items()}
            found = claim.call(claim.certify, cell, instance)
            assert (found.lhs, found.rhs) == (instance["lhs"], instance["rhs"])
            assert found.applies == instance.get("applies", True)


def test_scores_in_floats_are_those_in_fractions():
    claim = nt.claims["average-classifier/discriminative"]
    for cell in claim.cells():
        drawn = claim.call(claim.simulate, cell, size=30, rng=np.random.default_rng(3))
        for row in range(30):
            instance = {key: array[row] for key, array in drawn.items()}
            found = claim.call(claim.certify, cell, instance)
            assert float(found.lhs) == pytest.approx(instance["lhs"], rel=1e-12, abs=1e-15)
            assert float(found.rhs) == pytest.approx(instance["rhs"], rel=1e-15)


# Six points on a line, two cells: {0, 1, 2} and {7, 8, 9} have diameter 2, and no two have less.
LINE = np.array([[0], [1], [2], [7], [8], [9]])


@pytest.mark.parametrize(
    "name, left, right",
    [
        # From 0 the farthest point is 9; 2 and 7 are 2 away from the nearer of them.
        ("kernel-mean/algorithm-1/radius", 4, 4),
        ("kernel-mean/algorithm-1/diameter", 4, 16),
        # With 1 and 8 as centres everything is within 1.
        ("average-classifier/herbrich-williamson/entropy-numbers", 1, 4),
    ],
)
def test_partitions_of_six_points_by_hand(name, left, right):
    found = nt.claims[name].certify(points=LINE, m=2)
    assert (found.lhs, found.rhs) == (left, right)


def test_centres_in_place_of_points_by_hand():
    # 1 + 2 go down to 0 and 1 + 2 up to 9: the mean stays. (1 - 2/6)^2 * 4 * 36 = 4^2 * 4.
    nearest = nt.claims["kernel-mean/cruz-cortes-scott/nearest-centre"]
    found = nearest.certify(points=LINE, m=2)
    assert (found.lhs, found.rhs, found.applies) == (0, 64, True)
    # Masses 1, 2, 3 on 0, 1, 4 and one centre: moved 2 + 12 = 14, away 5 times radius 4.
    weighted = nt.claims["kernel-mean/cruz-cortes-scott/nearest-centre-weighted"]
    found = weighted.certify(points=np.array([[0], [1], [4]]), masses=np.array([1, 2, 3]), m=1)
    assert (found.lhs, found.rhs) == (14**2, 25 * 16)


def test_the_span_of_a_centre_by_hand():
    # The mean (1, 1) of (1, 0) and (1, 2) is 1 away from the line through the first of them, and
    # (1 - 1/2)^2 * 2^2 = 1.
    claim = nt.claims["kernel-mean/cruz-cortes-scott"]
    found = claim.certify(points=np.array([[1, 0], [1, 2]]), m=1)
    assert (found.lhs, found.rhs, found.applies) == (1, 1, True)


def test_the_scheme_behind_luckiness_by_hand():
    # Cells {0, 1, 2} and {7, 8, 9} of mass 1/2; with m + 1 = 3 two draws each: sum of squared
    # distances of pairs 1 + 1 + 4 = 6 a cell, times 24 / 2 from each of two; against 4/6, in units
    # of 1/(24 * 36).
    claim = nt.claims["kernel-mean/algorithmic-luckiness/scheme"]
    found = claim.certify(points=LINE, m=2)
    assert (found.lhs, found.rhs) == (2 * 6 * 12, 16 * 36)
    # 0, 0 and 6 in two cells of diameter 0: nothing is lost, and nothing promised.
    found = claim.certify(points=np.array([[0], [0], [6]]), m=2)
    assert (found.lhs, found.rhs, found.applies) == (0, 0, False)


def test_the_best_of_all_supports_by_hand():
    # Two corners and a far point f, m = 2: four atoms hold all. Of three corners, m = 1, two may be
    # kept: what they lack, 1/3, is spread over both: (1/3)^2 / 4 + (1/3)^2 / 2 = 1/12.
    claim = nt.claims["kernel-mean/algorithmic-luckiness"]
    three = samples.Scheme(samples.far_apart(3, 1), 1)
    exact = claim.certify(population=three, m=1, times=2, more=0, spared=0)
    assert (exact.lhs, exact.rhs) == (Fraction(1, 12), 1)
    # One corner alone: (2/3)^2 / 2 + 2 (1/3)^2 / 2 = 1/3.
    assert claim.certify(population=three, m=1, times=2, more=0, spared=1).lhs == Fraction(1, 3)
    assert partitions.best_sparse(three, 1, 1)["lhs"][0] == pytest.approx(1 / 3)
    assert claim.bound(m=1, least_diameter=1.0) == pytest.approx(1.0)
    for corners, m in ((3, 1), (4, 2), (12, 2)):
        scheme = samples.Scheme(samples.far_apart(corners, m), m)
        exact = claim.certify(population=scheme, m=m, times=2, more=0, spared=0)
        points, target = scheme.sample.signed, scheme.sample.alpha @ scheme.sample.signed
        every = [
            points[list(some)] for some in itertools.combinations(range(corners + m - 1), 2 * m)
        ]
        weights = [simplex_weights(some @ some.T, some @ target) for some in every]
        best = min(np.sum((w @ s - target) ** 2) for w, s in zip(weights, every, strict=True))
        assert float(exact.lhs) == pytest.approx(best)
        assert partitions.best_sparse(scheme, m, 0)["lhs"][0] == pytest.approx(best)
        assert scheme.least_diameter == pytest.approx(1.0)


def test_both_signs_of_a_sample_by_hand():
    # {1, 2} and its negatives: two cells of one sign each, diameter 1; S alone needs none.
    points = np.array([[1], [2]])
    assert [nt.claims["kernel-mean/pm-s"].certify(points=points, m=2, swapped=0).lhs,
            nt.claims["kernel-mean/pm-s"].certify(points=points, m=2, swapped=0).rhs] == [0, 1]
    flipped = nt.claims["kernel-mean/pm-s/invariant"]
    found = flipped.certify(points=points, signs=np.array([1, -1]), m=2, doubled=1)
    assert (found.lhs, found.rhs) == (1, 1)
    alone = flipped.certify(points=points, signs=np.array([1, -1]), m=1, doubled=0)
    assert (alone.lhs, alone.rhs) == (9, 1)


# Herding on hulls: one run for floats and for fractions.


def herded(name, **cell):
    claim = nt.claims[name]
    cell, instance = {**claim.given, **cell}, {}
    instance["shares"] = np.array(cell.pop("shares"), float)
    return claim.call(claim.certify, cell, instance)


def test_two_steps_on_the_square_by_hand():
    # Target (1/2, 1/4): first e1, error 1/4 + 1/16 = 5/16. Left (-1/2, 1/4), so -e1 next, direction
    # (-2, 0), rate 1 / 4, and (1/2, 0) is reached: error 1/16.
    target = dict(shares=[9, 5, 1, 1], hull="cross 2", k=2)
    found = herded("kernel-mean/herding-rates/exponential/repaired", **target)
    # d^2 = (1/4)^2 / 2 = 1/32 of D^2 = 4: 5/16 times 127/128.
    assert (found.lhs, found.rhs) == (Fraction(1, 16), Fraction(5, 16) * Fraction(127, 128))
    found = herded("average-classifier/algorithm-1/error-falls", **target)
    assert (found.lhs, found.rhs) == (Fraction(1, 16), Fraction(5, 16))
    found = herded("kernel-mean/herding-rates/general", **target, step="line search")
    assert (found.lhs, found.rhs) == (Fraction(1, 16), 4)
    # A quarter of it. The classic rate 2/3 goes on to (-1/3, 0): 25/36 + 1/16; 10/18 of 4.
    found = herded("kernel-mean/herding-rates/line-search", **target)
    assert (found.lhs, found.rhs) == (Fraction(1, 16), 1)
    found = herded("kernel-mean/herding-rates/classic-steps", **target)
    assert (found.lhs, found.rhs) == (Fraction(109, 144), Fraction(20, 9))


def test_equal_weights_in_the_middle_of_a_segment_by_hand():
    # From (1/2, 1/2) both ends are 1/sqrt(2) away, d = r. After three steps the weights are 2/3 and
    # 1/3: error sqrt(2) / 6, a third of r; an even number of steps has none.
    middle = dict(shares=[1, 1], hull="simplex 2")
    for name in ("kernel-mean/herding-rates/inverse", "kernel-mean/herding-rates/inverse-sharp"):
        found = herded(name, **middle, k=3)
        assert found.lhs == found.rhs
        assert found.lhs[0] < np.sqrt(2) / 6 < found.lhs[1]
        assert herded(name, **middle, k=2).lhs == (0, 0)


def test_the_instances_nearest_to_the_rates():
    # One step on the segment: the target 65/64 takes 2, 63/64 away; the bound is 4/3.
    found = herded("average-classifier/jones", shares=[63, 1], hull="segment", k=1,
                   step="classic")
    assert (found.lhs, found.rhs) == (Fraction(63, 64) ** 2, Fraction(4, 3))
    # The kite, in 256ths: from (0, -1) towards (224, 16), slope 17 and curvature 224^2 + 17^2.
    found = herded("kernel-mean/herding-rates/exponential/repaired",
                   shares=[128, 13, 91, 24], hull="kite", k=2)
    assert found.lhs == 1 - Fraction(17**2, 224**2 + 17**2)
    assert found.rhs == 1 - Fraction(16**2, 256**2)
    # The triangle: from (0, -1) both others score alike, (31, 1) is first: slope 2, curvature 965.
    found = herded("kernel-mean/herding-rates/away-steps", shares=[32, 1, 31], hull="triangle",
                   k=2)
    assert found.lhs == 1 - Fraction(2**2, 31**2 + 2**2)
    assert found.rhs[0] < np.sqrt(1 - 4 / (4 * 32**2)) < found.rhs[1]


def test_weights_from_the_empty_set_by_hand():
    # Target (1/2, 1/4): the first step by line search takes e1 with weight 1/2.
    target = dict(shares=[9, 5, 1, 1], hull="cross 2", k=1)
    assert herded("average-classifier/algorithm-1/weights/printed", **target).lhs == HALF
    assert herded("average-classifier/algorithm-1/weights/repaired", **target).lhs == 1
    found = worked("average-classifier/algorithm-1/frank-wolfe", rest=[1, 2, 0], vertex=[3, 0, 1])
    # 4 * 3, and (16 + 4 + 1) - (4 + 4 + 1).
    assert found == (12, 12, True)


def test_a_candidate_that_cannot_help_by_hand():
    printed = nt.claims["average-classifier/algorithm-1/termination/printed"]
    assert printed.call(printed.certify, {"k": 7}, {}).lhs == HALF
    repaired = nt.claims["average-classifier/algorithm-1/termination/repaired"]
    # Heights -1/64 * 4 - 3 * 55/64 + 1/8 = -161/64, 31/64 above -3; diameter 2; at 1/4
    # 1 + 4 * 4 / (961 - 256) * 4096.
    cell = {"hull": "triangle", "epsilon": 0.25, "step": "classic"}
    found = repaired.certify(**cell, k=7, gap=-np.inf)
    assert (found.lhs, found.rhs, found.applies) == (7, 1 + Fraction(16 * 4096, 705), True)
    assert repaired.bound("triangle", 0.25) == pytest.approx(float(found.rhs))
    # In fractions as by the public algorithm in floats.
    for hull, epsilon, steps in (("triangle", 0.25, 11), ("simplex", 0.37, 16)):
        cell |= {"hull": hull, "epsilon": epsilon, "k": 40, "gap": 0.0}
        assert repaired.certify(**cell).lhs == repaired.exact(**cell)["lhs"][0] == steps


def test_the_loops_by_hand():
    printed, mended = (nt.claims[f"kernel-mean/algorithm-1/{n}"] for n in ("printed", "repaired"))
    # 0, then 4 away, then 2 from 2: three centres of "two".
    cell = {"sample": "0, 1, 2, 4", "m": 2}
    assert printed.call(printed.certify, cell, {"start": 0}).lhs == 3
    assert mended.call(mended.certify, cell, {"start": 0}).lhs == 2
    stuck = nt.claims["kernel-mean/algorithm-1/termination-printed"]
    assert stuck.call(stuck.certify, {"sample": "1, 1, 0, 0", "m": 2}, {"start": 1}).lhs == 1
    assert stuck.call(stuck.certify, {"sample": "0, 1, 2, 4", "m": 2}, {"start": 1}).lhs == 0


@pytest.mark.parametrize("name, merged, atoms", [("printed", 1, 2), ("repaired", 1, 4),
                                                 ("repaired", 0, 4)])
def test_atoms_of_the_parts_by_hand(name, merged, atoms):
    claim = nt.claims[f"kernel-mean/parallel-counterexample/{name}"]
    # Parts {1, 0} and {1 + eta, eta}.
    cell = {**claim.given, **next(claim.cells()), "merged": merged}
    assert claim.call(claim.certify, cell, {}).lhs == atoms


THREE = samples.Scheme(samples.far_apart(3, 1), 1)
TWELVE = np.zeros((12, 2))
TWELVE[:2] = (1, 0), (0, 2)
HALVES = [0.5, 0.5, *[0.0] * 10]


@pytest.mark.parametrize("name, instance, cell, left, right", [
    # k = 4 of n = 2 points: 1/4 - 1/2.
    ("kernel-mean/theorem-20/printed", {"one": 1.0}, {"n": 2, "k": 4}, 0, -Fraction(1, 4)),
    # Of 1, 3/2, 0 and 1/2, of mean 3/4: 1 and 0 have the mean 1/2, and 1 and 1/2 the same.
    ("kernel-mean/parallel-counterexample/two-atoms", {"pair": np.array([0, 2])}, {"a": 0.5},
     Fraction(1, 4), Fraction(1, 4)),
    ("kernel-mean/parallel-counterexample/two-atoms", {"pair": np.array([0, 3])}, {"a": 0.5},
     0, Fraction(1, 4)),
    # (1/3, 1/3, 1/3) less (1/2, 1/2, 0): 1/36 + 1/36 + 1/9.
    ("kernel-mean/herding-rates/theorem-20-distance", {"points": np.eye(3)[:2]}, {"n": 3},
     Fraction(1, 6), Fraction(1, 6)),
    # Two atoms of four, a half each: four coordinates a quarter off.
    ("kernel-mean/theorem-20/attained", {"shares": np.ones(4)},
     {"n": 4, "k": 2, "step": "uniform"}, Fraction(1, 4), Fraction(1, 4)),
    # As in two steps on the square: e1 with 3/4 and -e1 with 1/4.
    ("average-classifier/algorithm-1/support", {"shares": np.array([9.0, 5, 1, 1])},
     {"hull": "cross 2", "k": 2, "step": "line search"}, 2, 2),
    # The first atom is the target, and the second step goes nowhere.
    ("average-classifier/algorithm-1/support", {"shares": np.array([0.0, 1, 0, 0])},
     {"hull": "cross 2", "k": 2, "step": "line search"}, 1, 2),
    # Half of (1, 0) and of (0, 2), and nothing found: 1/4 + 1, against (2 / 4)^2.
    ("average-classifier/recursive", {"points": TWELVE, "alpha": HALVES, "found": [0.0] * 12},
     {"epsilon": 0.25, "rounds": 2}, Fraction(5, 4), Fraction(1, 4)),
    # Of 1/3 and 2/3, with m = 2: ceilings of 2/3 and 4/3.
    ("kernel-mean/theorem-21/sparsity", {"case": 1}, {"m": 2}, 3, 4),
    ("kernel-mean/theorem-21/sparsity-repaired", {"case": 1}, {"m": 2}, 3, 3),
    # One of three corners of mass 1/3, as by hand above: 1/12, of 1/(2m) and 1/(2m + 2).
    ("kernel-mean/algorithmic-luckiness/repaired", {}, {"population": THREE, "m": 1},
     Fraction(1, 3), Fraction(1, 2)),
    ("kernel-mean/algorithmic-luckiness/sharp", {}, {"population": THREE, "m": 1},
     Fraction(1, 12), Fraction(1, 4)),
    # All at once, a row of ten an iteration, and a row a centre.
    ("average-classifier/computation/matrix", {}, {"n": 10}, 100, 100),
    ("average-classifier/computation/iteration", {}, {"n": 10, "k": 7}, 70, 70),
    ("kernel-mean/algorithm-1/cost", {}, {"n": 10, "m": 2}, 20, 20),
    # 1/k - 1/10000 is 1/10000 at k = 5000; the logarithm of 100 is below 6.
    ("average-classifier/herding-rates/printed", {"case": 0}, {"epsilon": 0.01, "constant": 20.0},
     5000, 120),
    # Weights of a half each.
    ("average-classifier/sparsity-prose", {"points": np.array([[1.0, 0, 0, 0], [-1, 1, 0, 0]])},
     {"n": 2}, 2, 2),
])
def test_what_is_left_by_hand(name, instance, cell, left, right):
    claim = nt.claims[name]
    found = claim.call(claim.certify, {**claim.given, **cell}, instance)
    assert (found.lhs, found.rhs, found.applies) == (left, right, True)


def test_equal_points_have_no_only_expansion():
    claim = nt.claims["average-classifier/sparsity-prose"]
    assert not claim.certify(points=np.ones((2, 4)), n=2, fewer=0).applies


def test_scores_of_what_was_taken_by_hand():
    # Target (1/2, 1/4) of the square: e1 is first, and (-1/2, 1/4) is left, which -e1 scores most,
    # with 1/2. After that step (0, 0) is reached, and e1 scores 1/2, doubled.
    claim = nt.claims["average-classifier/algorithm-1/picks"]
    cell = {"hull": "cross 2", "k": 1}
    taken = dict(shares=np.array([9.0, 5, 1, 1]), picks=np.array([0, 2]))
    found = claim.certify(**taken, **cell, late=0)
    assert (found.lhs, found.rhs) == (HALF, HALF)
    assert claim.certify(**taken, **cell, late=1).rhs == 1
    wrong = claim.certify(shares=taken["shares"], picks=np.array([0, 1]), **cell, late=0)
    assert (wrong.lhs, wrong.rhs) == (Fraction(1, 4), HALF)
