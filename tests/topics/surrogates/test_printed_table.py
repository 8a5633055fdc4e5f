"""Table 1: exact laws of its columns, and what minimisers give by simulation."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import table_1

import noisytheory as nt
from noisytheory.topics.surrogates import hinge_minimiser
from noisytheory.topics.surrogates.long_servedio.simulate import (
    ATOMS,
    CLEAN,
    LABELS,
    clean_risk,
    noisy_masses,
)
from noisytheory.topics.surrogates.long_servedio.three_points import margins, vertices
from noisytheory.topics.surrogates.printed_table.bounds import OURS, PRINTED
from noisytheory.topics.surrogates.printed_table.laws import table_law
from noisytheory.topics.surrogates.printed_table.moments import table_moments
from noisytheory.topics.surrogates.printed_table.simulate import (
    intermediate_trials,
    table_trial,
    worse_trials,
)
from noisytheory.vocabulary.exact import compositions
from noisytheory.vocabulary.losses import Hinge


def test_every_printed_cell_is_tried():
    tried = {
        (claim.given["column"], cell["sigma"])
        for claim in nt.claims.values()
        if claim.id.startswith("kernel-mean/table-1/") and claim.kind == "published"
        and claim.origin == "paper"
        for cell in claim.cells()
    }
    assert tried == {(column, rate) for column, cells in PRINTED.items() for rate in cells}
    assert len(tried) == 18


def test_law_of_the_linear_column():
    law, found = table_law("linear", 0.49), table_moments("linear", 0.49)
    assert found["mean"] == pytest.approx(0.380588, abs=1e-6)
    assert found["sd"] == pytest.approx(0.457367, abs=2e-6)
    assert law[0] == pytest.approx(0.554875, abs=1e-6)
    assert law[4] == pytest.approx(0.314749, abs=1e-6)
    assert table_moments("linear", 0.4)["mean"] == pytest.approx(0.0010, abs=5e-5)


def _outcomes(n, sigma):
    """All counts of a sample, and their probabilities."""
    counts = compositions(n, 6)
    ways = [math.factorial(n) / math.prod(map(math.factorial, row)) for row in counts.tolist()]
    return counts, ways * np.prod(noisy_masses(sigma) ** counts, axis=1)


def test_law_of_the_linear_column_against_every_outcome_of_a_small_sample():
    counts, masses = _outcomes(6, 0.3)
    risks = (((counts * LABELS) @ ATOMS) @ ATOMS[::2].T <= 0) @ CLEAN
    exact = np.bincount((4 * risks).astype(int), masses, 5)
    assert table_law("linear", 0.3, n=6, cut=1e-15) == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize(("n", "sigma"), [(9, 0.2), (12, 0.45)])
def test_law_of_the_hinge_column_against_every_outcome_of_a_small_sample(n, sigma):
    counts, masses = _outcomes(n, sigma)
    found = {}
    for vertex in vertices(Fraction(30), (Fraction(1),)):
        scores = [label * score for score in margins(Fraction(30), vertex) for label in (1, -1)]
        found[vertex] = np.array([int(90 * max(Fraction(0), 1 - v)) for v in scores])
    # Whole numbers, so that ties are ties; the first of them has the least first coordinate.
    assert list(found) == sorted(found)
    best = np.argmin(counts @ np.array(list(found.values())).T, axis=1)
    risks = clean_risk(np.array(list(found), float))[best]
    quarters = (4 * risks).astype(int)
    every, law = np.bincount(quarters, masses, 5), table_law("hinge", sigma, n, cut=1e-15)
    # Only a sample that lacks a label at a point may have no minimiser at a vertex.
    some = (counts > 0).all(axis=1)
    sure = np.bincount(quarters[some], masses[some], 5)
    assert np.all(law <= every + 1e-12) and np.all(law >= sure - 1e-12)
    assert 0.9 < law.sum() < 1 and masses[some].sum() > 0.01


@pytest.mark.parametrize("sigma", [0.1, 0.4])
def test_hinge_trials_follow_the_law(sigma):
    risks = table_trial("hinge", sigma, 800, size=20_000, rng=np.random.default_rng(7))
    seen, law = np.bincount((4 * risks).astype(int), minlength=5), table_law("hinge", sigma)
    assert law.sum() == pytest.approx(1, abs=1e-8)
    # Six standard errors, and one trial for what is rare: false alarm below 1e-7.
    assert np.all(abs(seen / 20_000 - law) < 6 * np.sqrt(law * (1 - law) / 20_000) + 1 / 20_000)


def test_law_of_the_t_logistic_column_is_enumerated_where_the_sample_is_small():
    law = table_law("t-logistic", 0.3, n=8)
    risks = table_trial("t-logistic", 0.3, 8, size=5000, rng=np.random.default_rng(2))
    seen = np.bincount((4 * risks).astype(int), minlength=5) / 5000
    assert law.sum() == pytest.approx(1) and np.all(abs(seen - law) < 6 * 0.5 / 5000**0.5)
    with pytest.raises(ValueError, match="at most 26 for t-logistic loss, got 800: 2,7"):
        table_law("t-logistic", 0.3)
    with pytest.raises(ValueError, match="column must be one of"):
        table_law("perceptron", 0.3)


@pytest.mark.parametrize(
    "column, sigma, n",
    [("linear", 0.49, 800), ("hinge", 0.1, 800), ("t-logistic", 0.3, 20), ("t-logistic", 0.45, 9)],
)
def test_moments_by_quadrature_are_within_their_errors(column, sigma, n):
    told = table_moments(column, sigma, n, draws=2**14, rng=np.random.default_rng(8))
    exact = table_moments(column, sigma, n)
    assert exact["mean_error"] == exact["sd_error"] == 0
    for name in ("mean", "sd"):
        # The errors have seven degrees of freedom: false alarm below 1e-5.
        assert abs(told[name] - exact[name]) < 11 * told[f"{name}_error"]
    # Less than independent trials leave.
    assert 0 < told["mean_error"] < 0.7 * exact["sd"] / 2**7


@pytest.mark.parametrize("sigma", [rate for rate in OURS["t-logistic"] if rate > 0.1])
def test_our_t_logistic_column_is_the_quadrature(sigma):
    told = table_moments("t-logistic", sigma, draws=2**14, rng=np.random.default_rng(3))
    for name, ours in zip(("mean", "sd"), OURS["t-logistic"][sigma], strict=True):
        assert abs(told[name] - ours) < 11 * told[f"{name}_error"] + 0.0001
    again = table_moments("t-logistic", sigma, draws=2**14, rng=np.random.default_rng(3))
    assert again == told


def test_quadrature_refuses_what_it_cannot_take():
    rng = np.random.default_rng(0)
    for wrong in (dict(draws=0), dict(draws=2.5), dict(sigma=0.5), dict(n=0)):
        (name,) = wrong
        with pytest.raises(ValueError, match=f"{name} must be"):
            table_moments("t-logistic", **{"sigma": 0.3, "rng": rng, "draws": 8, **wrong})
    with pytest.raises(ValueError, match="column must be"):
        table_moments("perceptron", 0.3, draws=16, rng=rng)
    with pytest.raises(ValueError, match="rng must be given"):
        table_moments("t-logistic", 0.3, draws=16)


def test_simulated_linear_column_follows_the_law():
    risks = table_trial("linear", 0.49, 800, size=20_000, rng=np.random.default_rng(7))
    found = table_moments("linear", 0.49)
    # Six standard errors: false alarm below 1e-8.
    assert abs(risks.mean() - found["mean"]) < 6 * found["sd"] / np.sqrt(20_000)
    assert abs(np.mean(risks == 0) - table_law("linear", 0.49)[0]) < 6 * 0.5 / np.sqrt(20_000)


@pytest.mark.parametrize(
    ("sigma", "mean", "sd"), [(0.1, 0.44, 0.17), (0.2, 0.50, 0.03), (0.3, 0.48, 0.06),
                             (0.4, 0.46, 0.09), (0.49, 0.47, 0.17)],
)
def test_hinge_column_is_what_the_catalogue_found(sigma, mean, sd):
    risks = table_trial("hinge", sigma, 800, size=5000, rng=np.random.default_rng(1))
    # The catalogue's 125 trials, rounded: six of their standard errors.
    assert abs(risks.mean() - mean) < 6 * sd / np.sqrt(125) + 0.005
    assert abs(risks.std() - sd) < 0.05


def test_hinge_by_counts_is_the_linear_programme():
    rng = np.random.default_rng(2)
    counts = rng.multinomial(800, noisy_masses(0.2), size=12)
    again = np.random.default_rng(2)
    risks = table_trial("hinge", 0.2, 800, size=12, rng=again)
    for row, found in zip(counts, risks, strict=True):
        omega, least = hinge_minimiser(ATOMS, LABELS, row / 800)
        assert Hinge().value(LABELS, ATOMS @ omega) @ row / 800 == pytest.approx(least)
        assert CLEAN[ATOMS[::2] @ omega <= 1e-9].sum() == found


def test_the_printed_deviation_has_room_for_one_other_trial():
    # 125 risks of mean m <= .345; r of them are 1/2 or so, the others 0 or 1: the sum of squares
    # falls by at least r * 1/4 * 3/4 from m, its largest value.
    trials, mean, sd = 125, 0.345, 0.475
    largest = trials * mean * (1 - mean) / (trials - 1)
    room = (largest - sd**2) * (trials - 1) / (1 / 4 * 3 / 4)
    assert 1 <= room < 2
    counts, probabilities = intermediate_trials(0.49, trials)
    assert probabilities[counts <= 1].sum() < 1e-6
    # Of the hinge no printed deviation needs as few trials above one half as there are.
    counts, probabilities = worse_trials(0.4, trials)
    assert -counts @ probabilities == pytest.approx(trials * table_law("hinge", 0.4)[3:].sum())


# The column's true law, by other means than the trials that the claims draw.
REPAIRED = {f"kernel-mean/table-1/{column}/repaired" for column in PRINTED}


def test_our_column_has_the_rows_of_print():
    assert {c: list(cells) for c, cells in OURS.items()} == {
        c: list(cells) for c, cells in PRINTED.items()
    }
    for name in REPAIRED:
        tried = {(c["sigma"], c["moment"]) for c in nt.claims[name].cells()}
        assert tried == set(itertools.product(PRINTED["hinge"], (1, 2)))


@pytest.mark.parametrize("column", ["hinge", "linear"])
@pytest.mark.parametrize("sigma", OURS["linear"])
def test_our_column_is_the_exact_law(column, sigma):
    exact = table_moments(column, sigma)
    assert OURS[column][sigma] == pytest.approx((exact["mean"], exact["sd"]), abs=0.00005)


@pytest.mark.campaign
@pytest.mark.parametrize("sigma", [rate for rate in OURS["hinge"] if rate])
@pytest.mark.parametrize(("column", "trials"), [("hinge", 400), ("t-logistic", 1000)])
def test_our_columns_by_general_solvers(column, trials, sigma):
    rng = np.random.default_rng(5)
    shares = rng.multinomial(800, noisy_masses(sigma), size=trials) / 800
    risks = table_1.RISKS[column](shares)
    mean, deviation = OURS[column][sigma]
    # Six standard errors of these trials, and what four digits round away.
    assert abs(risks.mean() - mean) < 6 * deviation / trials**0.5 + 0.0002
    spread = np.std(risks**2) / trials**0.5
    assert abs(np.mean(risks**2) - mean**2 - deviation**2) < 6 * spread + 0.0002
