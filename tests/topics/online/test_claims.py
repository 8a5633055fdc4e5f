"""Verdicts, broken twins, the contract of every claim, and that each id of the paper is there."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import noisytheory as nt
from noisytheory.papers.noisy_kernels import DISCREPANCIES
from noisytheory.topics.online.estimates import sides as estimate_sides
from noisytheory.topics.online.features import sides as feature_sides
from noisytheory.topics.online.printed import PlainLearner
from noisytheory.trial.catalogue import of_topic
from noisytheory.vocabulary.analytic import (
    ExponentialLoss,
    SeriesLoss,
    SmoothedAbsolute,
    SmoothedHinge,
)
from noisytheory.vocabulary.dot_products import ExponentialProduct

CLAIMS = of_topic("online")
IDS = [
    "setting", "linear-loss-robust", "poly2-two-copies", "online-to-batch", "key-idea-estimator",
    "bernoulli-fixed-sample", "smoothness-necessary", "discontinuous-impossible", "lemma-1",
    "p-tradeoff", "footnote-1", "recentring", "algorithm-1", "projection", "subroutine-1",
    "subroutine-2", "subroutine-3", "subroutine-4", "lemma-4", "incremental-norm", "lemma-2",
    "feature-map", "dot-product-psd", "lemma-3", "theorem-4", "theorem-1-queries", "query-tail",
    "theorem-1-runtime", "theorem-1-regret", "gaussian-map", "theorem-2", "gaussian-constant",
    "example-1", "example-2", "example-3", "example-4", "smoothing", "figure-1", "two-copies",
    "theorem-5", "theorem-3", "high-prob", "infinite-horizon", "query-cap", "mean-kernel-bias",
    "truncation", "averaging", "noisy-labels", "known-noise", "theorem-3-conditions",
    "polynomial-tails", "theorem-1-regret/adaptive",
]
CITED = {"smoothness-necessary", "discontinuous-impossible", "polynomial-tails", "high-prob"}


def test_every_id_is_there_alone_or_in_parts():
    names = {claim.id.removeprefix("noisy-kernels/") for claim in CLAIMS}
    every = [n.removeprefix("noisy-kernels/") for claim in CLAIMS for n in claim.names]
    for name in IDS:
        assert any(n == name or n.startswith(f"{name}/") for n in every), name
    assert len(names) == len(CLAIMS)
    assert {n for n in names if nt.claims[f"noisy-kernels/{n}"].kind == "cited"} == CITED


def test_discrepancies_name_claims_that_exist_and_verdicts_that_fit():
    known = {claim.id.removeprefix("noisy-kernels/"): claim for claim in CLAIMS}
    for places in DISCREPANCIES.values():
        for place in places:
            for name in place.repaired:
                assert known[name].expect != "refuted", name
            for name in place.claims:
                assert known[name].expect == "refuted", name


def test_what_is_refuted_is_a_discrepancy():
    told = {n for places in DISCREPANCIES.values() for place in places for n in place.claims}
    refuted = {c.id.removeprefix("noisy-kernels/") for c in CLAIMS if c.expect == "refuted"}
    assert refuted == told


@pytest.mark.parametrize("lower", [10.0, 0.25, 0.01])
@pytest.mark.parametrize("name", ["smoothing", "figure-1"])
def test_a_smoothed_loss_below_what_it_smooths_breaks_the_claim(name, lower, monkeypatch):
    claim, rng = nt.claims[f"noisy-kernels/{name}"], np.random.default_rng(0)
    bound = nt.online.smoothing_gap(1.0)
    assert claim.simulate(s=1.0, size=200, rng=rng)["lhs"].max() <= bound * (1 + 1e-12)
    for loss in (SmoothedAbsolute, SmoothedHinge):
        at = loss.at
        monkeypatch.setattr(loss, "at", lambda self, a, at=at: at(self, a) - lower)
    assert claim.simulate(s=1.0, size=200, rng=rng)["lhs"].max() > bound + lower / 2


# The right sides on trial are the public bounds.


def test_lemma_1_is_the_public_bound():
    drawn = estimate_sides.Scalar.draw(size=50, rng=np.random.default_rng(0))
    at = estimate_sides.Scalar(**drawn)
    sides = estimate_sides.second_moment(at, "alike")
    for row in range(50):
        public = nt.online.scalar_second_moment(
            drawn["p"][row], at.square[row], SeriesLoss(drawn["gamma"][row])
        )
        assert public == pytest.approx(sides["rhs"][0][row], rel=1e-12)


def test_lemma_2_is_the_public_bound():
    drawn = feature_sides.Scores.draw(size=50, rng=np.random.default_rng(1))
    at = feature_sides.Scores(**drawn)
    plain = feature_sides.gradient_second_moment(at, "lemma")["rhs"][0]
    regression = feature_sides.gradient_second_moment_regression(at, 1)["rhs"][0]
    Bpsi = at.p**2 / (at.p - 1) * (at.x**2 + at.noise**2)
    for row in range(50):
        loss, p, Bw = SeriesLoss(at.gamma[row]), at.p[row], at.w[row] ** 2
        found = nt.online.gradient_second_moment(p, Bw, Bpsi[row], loss)
        assert found == pytest.approx(plain[row], rel=1e-12)
        found = nt.online.gradient_second_moment(p, Bw, Bpsi[row], loss, 3.0)
        assert found == pytest.approx(regression[row], rel=1e-12)


def test_lemma_3_is_the_public_bound():
    drawn = feature_sides.Instances.draw(size=20, rng=np.random.default_rng(2))
    at = feature_sides.Instances(**drawn)
    sides = feature_sides.map_second_moment(at, "lemma", "alike")["rhs"]
    square = at.square(at.x)
    for row in range(20):
        found = nt.online.map_second_moment(at.p[row], square[row], Roots(at.root[row]))
        assert found == pytest.approx(sides[row], rel=1e-12)


class Roots:
    """A kernel by the roots of its coefficients."""

    def __init__(self, roots):
        self.roots = roots

    def at(self, a):
        return sum(r**2 * a**n for n, r in enumerate(self.roots))


def test_expected_operations_are_those_that_the_plain_loops_count():
    rng, T, p = np.random.default_rng(6), 4, 1.5
    counts = []
    for _ in range(1500):
        plain = PlainLearner(ExponentialProduct(), ExponentialLoss(), 1.0, 0.1, T, p=p)
        numbers = itertools.count()
        for _ in range(T):
            plain.step(lambda n=numbers: [0.1, 0.1, 0 * next(n)], 1.0, rng=rng)
        counts.append(plain.multiplications + plain.prods + next(numbers))
    claim = nt.claims["noisy-kernels/theorem-1-runtime/order"]
    expected = claim.simulate(T=T, d=3, p=p, size=1, rng=rng)["lhs"][0]
    assert abs(np.mean(counts) - expected) < 6 * np.std(counts) / math.sqrt(1500)


# Numbers of the catalogue.


@pytest.mark.parametrize("p, tail", [(1.5, 0.604), (2.0, 0.212), (3.0, 0.025)])
def test_the_gaussian_query_tail(p, tail):
    assert nt.online.query_tail_gaussian(10, p) == pytest.approx(tail, abs=6e-4)


@pytest.mark.parametrize("name, found", [
    ("exp(q)", [0.105933, 0.0087560, 0.00054479]), ("|q - 1/2|", [0.25, 0.0625, 0.0625]),
    ("Erf(3(q - 1/2))", [0.155875, 0.155875, 0.0231837]),
])
def test_the_worst_bias_of_a_fixed_sample(name, found):
    claim = nt.claims["noisy-kernels/bernoulli-fixed-sample"]
    target = next(f for f in claim.grid["f"] if f.name == name)
    for n, value in enumerate(found, 1):
        assert claim.exact(n, target, 0)[0] == pytest.approx(value, rel=1e-4)


@pytest.mark.parametrize(
    "name, cell, ratio, width",
    [
        ("projection/regret/printed", 1, 1.60, 0.03),
        ("projection/regret/repaired", 1, 0.682, 0.03),
        ("subroutine-1/regret/printed", 0, 1.26, 0.04),
        ("subroutine-1/regret/repaired", 3, 0.80, 0.04),
        ("theorem-2/regret/printed", 0, 1.326, 0.03),
        ("theorem-2/regret/repaired", 0, 0.79, 0.03),
        ("two-copies", 0, 0.539, 0.02),
        ("two-copies", 1, 0.939, 0.01),
    ],
)
def test_regret_over_bound(name, cell, ratio, width):
    claim = nt.claims[f"noisy-kernels/{name}"]
    at = claim.cell(cell)
    drawn = claim.call(claim.simulate, at, size=1500, rng=np.random.default_rng(3))
    assert drawn.mean() / float(claim.call(claim.bound, at)) == pytest.approx(ratio, abs=width)


def test_the_exact_law_of_the_averaged_predictor_is_that_of_the_public_algorithm():
    claim = nt.claims["noisy-kernels/online-to-batch"]
    at = claim.cell(1)
    law = claim.call(claim.exact, at)
    drawn = claim.call(claim.simulate, at, size=6000, rng=np.random.default_rng(5))
    assert np.sum(law.probabilities) == pytest.approx(1, abs=1e-12)
    exact = float(np.dot(law.values, law.probabilities))
    assert abs(drawn.mean() - exact) < 6 * drawn.std() / math.sqrt(6000)
    spread = float(np.dot(np.square(law.values), law.probabilities))
    assert np.square(drawn).mean() == pytest.approx(spread, rel=0.1)


def test_adaptive_labels_by_the_public_algorithm():
    claim = nt.claims["noisy-kernels/theorem-4/adaptive/printed"]
    at = claim.cell(1)
    drawn = claim.call(claim.simulate, at, size=8000, rng=np.random.default_rng(4))
    value = nt.online.adaptive_value(2.0, 30)
    assert abs(drawn.mean() - value) < 6 * drawn.std() / math.sqrt(8000)
