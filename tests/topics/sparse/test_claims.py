"""Verdicts, broken twins, and the numbers that the catalogue of claims gives."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import noisytheory as nt
from noisytheory.topics.sparse import samples
from noisytheory.topics.sparse.checkerboard import simulate as checkerboard
from noisytheory.topics.sparse.clusters import bounds, simulate
from noisytheory.topics.sparse.rates.simulate import steps_per_nat
from noisytheory.trial.catalogue import of_topic

CLAIMS = of_topic("sparse")
CITED = {
    "kernel-mean/not-adaptive-herding", "average-classifier/herbrich-williamson",
    "average-classifier/figure-1",
}


@pytest.mark.campaign
@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_the_trial_finds_the_expected_verdict(verdicts, claim):
    assert verdicts[claim.id].verdict == claim.expect, verdicts[claim.id].reason


def test_every_claim_expected_upheld_has_a_twin():
    assert [c.id for c in CLAIMS if c.expect == "upheld" and c.twin is None] == []
    assert {c.id for c in CLAIMS if c.kind == "cited"} == CITED


def test_ids_are_unique():
    assert len({c.id for c in CLAIMS}) == len(CLAIMS)


# Numbers of the catalogue.


@pytest.mark.parametrize("m, delta, ratio", [
    (5, 0.05, 0.409), (32, 0.05, 0.388), (50, 0.05, 0.362), (55, 0.001, 0.4645),
])
def test_draws_from_two_points_use_this_much_of_theorem_21(m, delta, ratio):
    quantile = simulate.clustered_law(samples.pairs_in_one(m)).quantile(1 - delta)
    assert quantile / bounds.clustered_error(m, delta, 1.0) == pytest.approx(ratio, abs=6e-4)


def test_overflow():
    drawn = {m: max(simulate.drawn_points(m)["lhs"]) for m in (2, 3, 4, 5, 20, 100)}
    assert drawn == {m: 2 * m - 1 for m in drawn}
    assert len(simulate.drawn_points(5)["lhs"]) == 715


@pytest.mark.parametrize("corners, ratio", [(2, 0.7071), (5, 0.8944), (50, 0.9899)])
def test_simplices_attain_the_mean_term(corners, ratio):
    # One draw from each of two orthogonal cells, regular simplices of side 1.
    cells = tuple([0] * corners + [1] * corners)
    law = simulate.clustered_law(samples.Scheme(samples.simplices(2, corners), 2, cells))
    assert law.mean() / bounds.clustered_mean_repaired(2, 1.0) == pytest.approx(ratio, abs=5e-5)


def test_missed_clusters():
    law = checkerboard.missed_clusters_law(16, 32, 0)
    assert law.mean() == pytest.approx(0.926557, abs=5e-7)
    for members, probability in [(10, 0.8639), (20, 0.9001), (50, 0.9170), (100, 0.9219)]:
        law = checkerboard.missed_clusters_law(16, 32, members)
        assert law.mean() == pytest.approx(probability, abs=5e-5)


def test_herding_rate_on_the_square_is_four_d_squared():
    near, far = (
        steps_per_nat(inverse, size=4, rng=np.random.default_rng(0)) * 4 / inverse**2
        for inverse in (12.0, 24.0)
    )
    np.testing.assert_allclose(near, far, rtol=2e-3)
    # Still settling: from below, and to 1 towards the middle of the edge.
    assert np.all((far > 0.85) & (far < 1))


def test_checkerboard_with_32_atoms():
    rng = np.random.default_rng(1)
    wrong = checkerboard.all_right("clustered", 0.25, size=100, rng=rng).mean()
    # The catalogue saw 2 of 20, 400 draws gave 0.06: above 0.25 with probability below 1e-8.
    assert wrong < 0.25
    # About 0.9, see the missed clusters: 12 of 20 or fewer with probability below 1e-3.
    assert checkerboard.all_right("random", 0.25, size=20, rng=rng).mean() > 0.6


def test_counterexamples_replay():
    for claim in CLAIMS:
        if claim.expect == "refuted" and claim.kind == "always":
            found = nt.audit(claim, budget="smoke").replay()
            assert "lhs" in str(found) or "left" in str(found)


def test_random_subsets_miss_theorem_20_with_replacement():
    square = nt.sparse.subsampling_mean_square(7, 1.0, 0.1)
    assert math.sqrt(square) == pytest.approx(0.376070, abs=5e-7)


@pytest.mark.parametrize("name", ["", "/nearest-centre", "/nearest-centre-weighted"])
def test_a_projection_is_tried_in_the_norms_of_its_statement(name):
    claim = nt.claims[f"kernel-mean/cruz-cortes-scott{name}"]
    assert r"\|\tilde\omega-\omega^*\|\le" in claim.statement
    assert (claim.quantity, claim.unit) == ("distance from the target", "RKHS norm")
    cell = claim.cell(0)
    drawn = claim.call(
        claim.simulate, cell, size=64, rng=np.random.default_rng(0)
    )
    for row in np.flatnonzero(drawn.get("applies", np.ones(64, bool))):
        instance = {key: array[row] for key, array in drawn.items()}
        exact = claim.call(claim.certify, cell, instance)
        # The certificate has squares, in a unit of its own: their ratio is the tightness squared.
        drawn_side = claim.bound is None
        promised = float(
            instance["rhs"] if drawn_side else claim.call(claim.bound, cell, instance)
        )
        if promised:
            ratio = float(exact.lhs) / float(exact.rhs)
            assert (instance["lhs"] / promised) ** 2 == pytest.approx(ratio, abs=1e-9)


def test_theorem_20_beyond_its_range():
    printed = nt.claims["kernel-mean/theorem-20/printed"]
    for n, k in ((6, 6), (6, 7), (7, 12)):
        exact = printed.certify(one=1.0, n=n, k=k)
        assert exact.rhs == Fraction(n - k, n * k) and exact.exceeds() == (k > n)
    assert "1 <= k <= n" in nt.claims["kernel-mean/theorem-20"].hypotheses
