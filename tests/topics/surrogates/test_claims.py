"""The claims: verdicts found again, and the catalogue's numbers behind them."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from noisytheory.topics.surrogates.contamination import simulate as contamination
from noisytheory.topics.surrogates.margins import simulate as margins
from scipy.integrate import quad

import noisytheory as nt
from noisytheory.topics.surrogates import bounds
from noisytheory.topics.surrogates.calibration import simulate as calibration
from noisytheory.topics.surrogates.claims import everything
from noisytheory.topics.surrogates.generalisation import claims as generalisation
from noisytheory.topics.surrogates.generalisation.simulate import selected_gap_law
from noisytheory.topics.surrogates.orders import simulate as orders
from noisytheory.topics.surrogates.relations import simulate as relations
from noisytheory.vocabulary.losses import Logistic

ALL = {claim.id: claim for claim in everything}

REFUTED = {
    "kernel-mean": {
        "lemma-4/printed", "proposition-11/bayes-rule/printed",
        "linear-loss-calibrated/printed", "convex-potential-calibrated/printed",
        "relation-any-convex-potential/printed", "relation-kde/printed", "theorem-15/hypothesis",
        "misclassification-satisfies-15/printed", "misclassification-satisfies-15/order-printed",
        "theorem-16/printed", "theorem-18/printed", "lemma-19/printed",
        "long-servedio-impossibility/printed", "table-1/hinge", "table-1/t-logistic",
        "table-1/linear-spread", "table-1/hinge-spread", "table-1/t-logistic-spread",
    },
    "average-classifier": {
        "theorem-1/printed", "lemma-7/printed", "relation-kde/printed", "theorem-13/hypothesis",
        "theorem-14/printed", "theorem-16/printed", "theorem-17/printed",
        "long-servedio-quantifier/printed", "long-servedio-quantifier/printed-hinge",
        "svm-herding-equivalence/printed",
    },
}


@pytest.fixture(scope="module")
def verdicts():
    with nt.audit(everything, budget="smoke") as audit:
        yield audit


@pytest.mark.parametrize("name", ALL)
def test_the_expected_verdict_is_found_again(verdicts, name):
    assert verdicts[name].verdict == ALL[name].expect, verdicts[name].reason


def test_which_claims_fall():
    refuted = {f"{paper}/{name}" for paper, names in REFUTED.items() for name in names}
    assert {name for name, claim in ALL.items() if claim.expect == "refuted"} == refuted
    undecided = {name for name, claim in ALL.items() if claim.expect == "undecided"}
    assert undecided == {
        "average-classifier/theorem-3", "average-classifier/theorem-5",
        "kernel-mean/table-1/hinge-unconverged", "kernel-mean/table-1/linear-last",
    }
    upheld = set(ALL) - refuted - undecided
    assert all(ALL[name].twin for name in upheld)


def test_counterexamples_replay(verdicts):
    for name, claim in ALL.items():
        if claim.expect == "refuted" and claim.kind in ("always", "identity"):
            assert verdicts[name].replay()["steps"], name


@pytest.mark.parametrize(
    ("eta", "wrong", "linear"),
    [("1/2", "1/2", "0"), ("3/5", "3/5", "1/5"), ("9/10", "9/10", "4/5"), ("1", "1", "1")],
)
def test_regrets_at_a_zero_score(eta, wrong, linear):
    found = [
        certificate for certificate in calibration.linear_regret("both")
        if certificate.steps[0] == ("P(x_1), eta, f", f"1, {eta}, 0")
        and len(certificate.steps) == 3
    ]
    assert [(c.lhs, c.rhs) for c in found] == [(Fraction(wrong), Fraction(linear))]


def test_transcendental_regrets_are_regrets():
    # Against a minimum over a fine grid.
    grid = np.linspace(-4, 4, 80_001)
    for eta, v in ((0.3, 0.5), (0.8, -1.0)):
        for name, loss in (("logistic", Logistic().value), ("exponential", None)):
            value = loss or (lambda y, u: np.exp(-y * u))
            risks = eta * value(1, grid) + (1 - eta) * value(-1, grid)
            own = eta * value(1, v) + (1 - eta) * value(-1, v)
            found = calibration._transcendental(name, eta, v)
            assert found == pytest.approx(float(own) - risks.min(), abs=1e-8)


def test_contamination_can_improve_the_mean():
    first = next(margins.contaminated(1))
    assert (first.lhs, first.rhs) == (0, Fraction(1, 10))
    steps = dict(first.steps)
    assert steps["clean scores"] == "71/80, -1/80"  # .8875, -.0125
    assert steps["contaminated scores"] == "629/800, 71/800"  # .78625, .08875


def test_kernel_density_numbers_of_the_catalogue():
    def level(x):
        return 1.0 if x < 0 else 0.2

    def kernel(x, z):
        return level(x) * level(z) * math.exp(-((x - z) ** 2) / 2)

    norms = [
        sum(quad(kernel, *ends, args=(z,))[0] for ends in ((-12, 0), (0, 12))) for z in (-1, 1)
    ]
    assert norms == pytest.approx([2.18848, 0.16390], abs=5e-6)
    x = -0.3
    assert kernel(x, -1) - kernel(x, 1) == pytest.approx(0.69679, abs=5e-6)
    density = kernel(x, -1) / norms[0] - kernel(x, 1) / norms[1]
    assert density == pytest.approx(-0.16654, abs=5e-6)


def test_triangle_integrals_behind_the_rational_counterexample():
    # K(., -1) and K(., 1) integrate to 9/5 and 3/25, by hand.
    certificate = next(
        c for c in relations.kernel_density("1/5")
        if dict(c.steps)["S+"] == "-1, -2" and dict(c.steps)["S-"] == "1"
    )
    assert dict(certificate.steps)["integrals of the class averages"] == "19/10, 3/25"


def test_not_dense():
    distance, error = relations.density_gap()
    assert distance == pytest.approx(0.292893, abs=5e-7)
    # No other pair of values inside the ball comes closer.
    k = math.exp(-50)
    angles = np.linspace(0, 2 * np.pi, 20_001)
    root = np.linalg.cholesky(np.array([[1, k], [k, 1]]))
    values = root @ np.stack([np.cos(angles), np.sin(angles)])
    best = np.abs(values - np.array([[1.0], [-1.0]])).max(axis=0).min()
    assert best == pytest.approx(distance, abs=1e-6)
    assert error < 1e-12


@pytest.mark.parametrize(
    ("kernels", "quantile", "limit", "ratio"),
    [(1, 0.14, 0.3145, 0.574), (10, 0.20, 0.3716, 0.665), (1000, 0.28, 0.4561, 0.727)],
)
def test_gaps_of_fair_signs(kernels, quantile, limit, ratio):
    values, probabilities = selected_gap_law(200, kernels)
    at = values[np.searchsorted(np.cumsum(probabilities), 0.95)]
    assert at == pytest.approx(quantile, abs=1e-12)
    bound = generalisation.selected_gap(200, kernels, 0.05)
    assert bound == pytest.approx(limit, abs=5e-5)
    assert at / (bound - 1 / math.sqrt(200)) == pytest.approx(ratio, abs=6e-4)


def test_the_svm_leaves_the_mean():
    mean = relations._mean(relations.HERDED)
    assert [float(v) for v in mean] == pytest.approx([0.656, 0.072])
    largest = max(relations._dot(mean, a) for a in relations.HERDED)
    assert largest == Fraction(656, 1000)


def test_balanced_error_without_a_constant_sum():
    # P+ at score 0 or 1, P- at 2 or 0: v^2 implies C = 6 and C = 1/2.
    for scores, clean, mixed, implied in (
        ((0, 2), 2.0, 2.4, 6.0), ((1, 0), 0.5, 0.4, 0.5),
    ):
        square = [v * v for v in scores]
        assert (square[0] + square[1]) / 2 == clean
        found = (0.7 * square[0] + 0.3 * square[1] + 0.1 * square[0] + 0.9 * square[1]) / 2
        assert found == pytest.approx(mixed)
        assert (found - 0.6 * clean) / 0.2 == pytest.approx(implied)
    assert bounds.balanced_error_contaminated(1.0, 0.3, 0.1) == pytest.approx(0.8)


def test_contamination_shares_are_bayes_rule():
    alpha, beta = bounds.contamination_of_noise(0.1, 0.3, 0.25)
    joint = np.array([[0.25 * 0.7, 0.25 * 0.3], [0.75 * 0.1, 0.75 * 0.9]])  # clean x noisy
    assert alpha == pytest.approx(joint[1, 0] / joint[:, 0].sum())
    assert beta == pytest.approx(joint[0, 1] / joint[:, 1].sum())


def test_lemma_19_is_tight():
    # Wrong on mass 2/7 without noise, or on mass 5/7 with noise 3/10: noisy risks tie, 1 / .4.
    ratios = [
        c.lhs / (c.rhs * Fraction(2, 5))
        for c in contamination.instance_noise("0-1, half at zero", "printed", "3/10")
        if dict(c.steps)["noise rates"] == "(0, 3/10)" and c.rhs
    ]
    assert max(ratios) == Fraction(5, 2)
    assert bounds.instance_noise_factor(0.1, 0.3) == pytest.approx(2.0)


def test_two_scorers_imply_different_constants(verdicts):
    for name in ("kernel-mean/theorem-18/printed", "average-classifier/theorem-16/printed"):
        found = verdicts[name].replay()
        assert (found["lhs"], found["rhs"]) == ("6", "1/2")
        steps = dict(found["steps"])
        assert steps["alpha, beta"] == "3/10, 1/10"
        assert (steps["P+"], steps["P-"]) == ("(1, 0)", "(0, 1)")
        what = "BER, contaminated BER, implied C"
        assert steps[f"scores (0, 2): {what}"] == "2, 12/5, 6"
        assert steps[f"scores (1, 0): {what}"] == "1/2, 2/5, 1/2"
    # One constant fits all scorers where the losses of both labels have a constant sum.
    fitting = {c.lhs for c in contamination.implied_constants("ramp")}
    assert fitting == {Fraction(1)}


def test_lemma_19_at_noise_of_one_half():
    found = [
        c for c in contamination.instance_noise("0-1, half at zero", "printed", "1/2")
        if "1/2" in dict(c.steps)["noise rates"]
    ]
    assert all(c.rhs == 0 for c in found)  # 0/0: elsewhere nothing is promised
    wrong = [c for c in found if c.exceeds()]
    # Labels of a point are fair coins: a function that is wrong there ties with one that is not.
    assert max(c.lhs for c in wrong) == 1
    below = contamination.instance_noise("0-1, half at zero", "printed", "3/10")
    assert not any(c.exceeds() for c in below)


def test_copies_name_their_own_papers_results():
    later = [c for c in everything if c.paper.id == "kernel-mean"]
    assert any("Theorem 17" in c.note for c in later)
    for claim in everything:
        if claim.paper.id == "average-classifier":
            told = " ".join([claim.statement, claim.note, *claim.hypotheses])
            assert r"\Phi(" not in told, claim.id
            if claim.id.startswith(("average-classifier/theorem-1", "average-classifier/lemma-1")):
                assert not set(re.findall(r"Theorem (\d+)", told)) - {"13", "15"}, claim.id
                assert not re.search(r"`theorem-(?!13/hypothesis)", told), claim.id
    note = ALL["average-classifier/theorem-15/no-loss"].note
    assert "no non trivial loss" in note and "Theorem 15" in note and "Theorem 17" not in note


def test_candidates_for_lost_bounds():
    # The catalogue's forms, at n = 200 and delta = 0.05.
    assert generalisation.pac_bayes_log_n_gap(200, 0.05) == pytest.approx(
        math.sqrt((1 + 2 * math.log(200 / 0.05)) / 200)
    )
    one = generalisation.pac_bayes_selected_gap(200, 1, 0.05)
    assert one == pytest.approx(generalisation.pac_bayes_gap(200, 0.05))
    assert generalisation.pac_bayes_selected_gap(200, 10, 0.05) == pytest.approx(
        generalisation.pac_bayes_gap(200, 0.005)
    )
    names = ("theorem-3/candidate-pac-bayes-log-n", "theorem-5/candidate-pac-bayes")
    assert all(ALL[f"average-classifier/{name}"].origin == "candidate" for name in names)


def test_half_errors_leave_one_direction_of_theorem_6():
    found = list(margins.perturbed("half"))
    assert all(c.lhs <= c.rhs for c in found)
    # eta = 1/2 on one point of score 0: margin risk 1, the largest risk of a perturbation 1/2.
    assert (Fraction(1, 2), Fraction(1)) in {(c.lhs, c.rhs) for c in found}


def test_linear_loss_under_unequal_rates():
    # Slopes of the noisy loss: -(1 - 2 sigma_+) under label 1, 1 - 2 sigma_- under label -1.
    minus, plus = Fraction(1, 10), Fraction(3, 10)
    linear = tuple(Fraction(v) for v in (2, 1, 0, 0, 1, 2))
    noisy = orders._noisy(linear, minus, plus)
    assert [noisy[1] - noisy[0], noisy[4] - noisy[3]] == [Fraction(-2, 5), Fraction(4, 5)]
    found = {
        c.steps[1][1]: (c.lhs, c.rhs)
        for c in orders.unequal_rates("constant") if c.steps[0] == ("loss", orders._text(linear))
    }
    assert found["1/10, 1/2"] == (0, 0) and found["1/10, 1/10"] == (1, 1)
    assert len(found) == 9
