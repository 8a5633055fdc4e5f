"""Verdicts of the kernel-mean claims, and the numbers of the claim catalogue."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from noisytheory.trial.catalogue import of_topic

CLAIMS = {claim.id: claim for claim in of_topic("kernel_mean")}


@pytest.mark.campaign
@pytest.mark.parametrize("claim_id", CLAIMS)
def test_verdicts_are_as_expected(verdicts, claim_id):
    assert verdicts[claim_id].verdict == CLAIMS[claim_id].expect, verdicts[claim_id].reason


def tightness(result, population, n, delta=0.05):
    return float(result.summary["tightness"].sel(population=population, n=n, delta=delta))


def test_the_table_of_theorem_5(tried):
    result = tried.at(
        "kernel-mean/theorem-5", n=[100, 1000], delta=[0.05],
        population=["point mass", "axis, fair", "axis, p=0.9", "50 orthonormal", "50 axes"],
    )
    assert tightness(result, "axis, fair", 100) == pytest.approx(0.450, abs=5e-4)
    assert tightness(result, "axis, p=0.9", 100) == pytest.approx(0.270, abs=5e-4)
    assert tightness(result, "50 orthonormal", 100) == pytest.approx(0.258, abs=1e-3)
    # 16,384 draws: the standard error of this quantile is about 0.0005.
    assert tightness(result, "50 axes", 1000) == pytest.approx(0.261, abs=0.003)
    assert np.all(result.summary["violations"] == 0)
    assert np.all(result.summary["tightness"].sel(population="point mass") == 0)


def test_means_of_the_table(tried):
    mean = tried["kernel-mean/theorem-5/mean"].summary["mean"]
    scaled = mean * np.sqrt(mean["n"])
    # By hand: E|B - np| = 2 v (n-1 choose v-1) p^v (1-p)^(n-v+1), v = floor(np) + 1 (de Moivre).
    for name, p, v in (("axis, fair", 0.5, 51), ("axis, p=0.9", 0.9, 91)):
        absolute = 2 * v * math.comb(100, v) * p**v * (1 - p) ** (101 - v)
        by_hand = 2 * absolute / 100 * math.sqrt(100)
        assert float(scaled.sel(population=name, n=100)) == pytest.approx(by_hand, rel=1e-9)
    assert float(scaled.sel(population="axis, fair", n=100)) == pytest.approx(0.7965, abs=2e-3)
    assert float(scaled.sel(population="axis, p=0.9", n=100)) == pytest.approx(0.4672, abs=9e-3)
    assert float(scaled.sel(population="50 orthonormal", n=100)) == pytest.approx(0.985, abs=1e-3)


def test_the_repaired_mean_is_all_but_attained(tried):
    result = tried["kernel-mean/theorem-5/mean-repaired"]
    ratio = result.summary["tightness"].sel(population="500 axes")
    assert float(ratio.min()) > 0.999 and float(ratio.max()) < 1
    # sqrt(n) E L on J axes tends to the mean of chi_J over sqrt(J).
    limit = stats.chi(50).mean() / math.sqrt(50)
    at_100 = float(result.summary["tightness"].sel(population="50 axes", n=100))
    assert at_100 == pytest.approx(limit, abs=1e-4)


def test_the_table_of_theorem_6(tried):
    table = {"1 independent sign": (0.445, 0.574), "10 independent signs": (0.538, 0.665),
             "1000 independent signs": (0.614, 0.727)}
    printed, repaired = (
        tried.at(f"kernel-mean/theorem-6{other}", population=table, n=[200], delta=[0.05])
        for other in ("", "/repaired")
    )
    for name, (first, second) in table.items():
        assert tightness(printed, name, 200) == pytest.approx(first, abs=5e-4)
        assert tightness(repaired, name, 200) == pytest.approx(second, abs=5.1e-4)


def test_the_minimax_value_is_above_the_two_point_bound(tried):
    summary = tried["kernel-mean/theorem-5/minimax"].summary
    bound = summary["rhs"].sel(n=[25, 100, 1000])
    np.testing.assert_array_equal(bound.round(4), [0.2496, 0.2499, 0.25])
    # Normal limit of the exact optimum: Phi(-1/2), the means being one deviation apart.
    limit = float(stats.norm.cdf(-0.5))
    assert float(summary["mean"].sel(n=10_000)) == pytest.approx(limit, abs=1e-4)


def test_sharper_bounds_are_sharper_somewhere(tried):
    fair, biased, many = "axis, fair", "axis, p=0.9", "50 orthonormal"

    def rhs(name, population):
        summary = tried.at(
            f"kernel-mean/theorem-5{name}", population=[population], n=[1000], delta=[0.05]
        ).summary
        return float(summary["rhs"].item())

    assert rhs("/pinelis", fair) < rhs("/repaired", fair) < rhs("", fair)
    assert rhs("/repaired", biased) < rhs("/pinelis", biased)
    assert rhs("/hilbert-bernstein", biased) < rhs("/repaired", biased)
    assert rhs("/bousquet", many) < rhs("/hilbert-bernstein", many)
    # From the sample alone, and still below what is printed.
    assert rhs("/empirical-bernstein", biased) < rhs("/empirical", biased) < rhs("", biased)


def test_which_candidates_for_the_lost_formula_fall_and_where(tried):
    def refuted(name):
        summary = tried[f"average-classifier/theorem-4/candidate-{name}"].summary
        beyond = summary["probability"] > summary["delta"]
        return {(int(n), float(d)) for n in summary["n"] for d in summary["delta"]
                if bool(beyond.sel(n=n, delta=d).item())}

    assert refuted("c-2") == set()
    assert refuted("c-1") == {(n, d) for n in (10_000, 1_000_000) for d in (1e-15, 1e-100)}
    # A hundred signs never exceed the bound at 1e-100.
    assert refuted("c-half") == {
        (n, d) for n in (100, 10_000, 1_000_000) for d in (1e-6, 1e-9, 1e-12, 1e-15, 1e-100)
    } - {(100, 1e-100)}


def test_the_normal_limit_of_the_refuted_candidate(tried):
    # At delta = 1e-12, c = 1/2: Pr[|N| > 2 + sqrt(log(1/delta) / 2)] is about 1.08e-8.
    summary = tried["average-classifier/theorem-4/candidate-c-half"].summary
    exact = float(summary["probability"].sel(n=1_000_000, delta=1e-12).item())
    limit = 2 * stats.norm.sf(2 + math.sqrt(0.5 * math.log(1e12)))
    assert exact == pytest.approx(limit, rel=0.03)


def test_the_identity_tries_every_small_sample(tried):
    summary = tried["kernel-mean/risk-bound-eq/identity"].summary
    assert int(summary["tries"].sel(population="3 orthonormal", n=5)) == math.comb(7, 2)
    assert bool(summary["exact"].sel(population="axis, fair", n=1000))


def test_mnist_is_listed_only_where_it_is_installed():
    from noisytheory.vocabulary.populations import mnist_available

    assert ("kernel-mean/theorem-5/mnist" in CLAIMS) == mnist_available()
