"""Table 1: the exact law of the linear column, and what minimisers give by simulation."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import table_1

import noisytheory as nt
from noisytheory.topics.surrogates import hinge_minimiser
from noisytheory.topics.surrogates.long_servedio.simulate import ATOMS, CLEAN, LABELS, noisy_masses
from noisytheory.topics.surrogates.printed_table.bounds import OURS, PRINTED
from noisytheory.topics.surrogates.printed_table.simulate import (
    intermediate_trials,
    linear_moments,
    table_trial,
)
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


@pytest.fixture(scope="module")
def law():
    return linear_moments(0.49)


def test_law_of_the_linear_column(law):
    assert law["mean"] == pytest.approx(0.380588, abs=1e-6)
    assert law["sd"] == pytest.approx(0.457367, abs=2e-6)
    assert law["zero"] == pytest.approx(0.554875, abs=1e-6)
    assert law["one"] == pytest.approx(0.314749, abs=1e-6)
    assert 1 - law["zero"] - law["one"] == pytest.approx(0.1304, abs=5e-5)
    assert linear_moments(0.4)["mean"] == pytest.approx(0.0010, abs=5e-5)


def test_law_against_every_outcome_of_a_small_sample():
    # All 6^4 ordered samples of four examples.
    masses, total = noisy_masses(0.3), {}
    for draw in np.ndindex(*[6] * 4):
        omega = sum(ATOMS[i] * LABELS[i] for i in draw)
        risk = CLEAN[ATOMS[::2] @ omega <= 0].sum()
        total[risk] = total.get(risk, 0) + np.prod(masses[list(draw)])
    exact = linear_moments(0.3, n=4, cut=1e-15)
    mean = sum(r * p for r, p in total.items())
    assert exact["mean"] == pytest.approx(mean, abs=1e-12)
    assert exact["zero"] == pytest.approx(total[0], abs=1e-12)
    assert exact["one"] == pytest.approx(total[1], abs=1e-12)
    second = sum(r * r * p for r, p in total.items())
    assert exact["sd"] == pytest.approx(np.sqrt(second - mean**2), abs=1e-12)


def test_simulated_linear_column_follows_the_law(law):
    risks = table_trial("linear", 0.49, 800, size=20_000, rng=np.random.default_rng(7))
    # Six standard errors: false alarm below 1e-8.
    assert abs(risks.mean() - law["mean"]) < 6 * law["sd"] / np.sqrt(20_000)
    zero = np.mean(risks == 0)
    assert abs(zero - law["zero"]) < 6 * 0.5 / np.sqrt(20_000)


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


# The column's true law, by other means than the trials that the claims draw.
REPAIRED = {f"kernel-mean/table-1/{column}/repaired" for column in PRINTED}


def test_our_column_has_the_rows_of_print():
    assert {c: list(cells) for c, cells in OURS.items()} == {
        c: list(cells) for c, cells in PRINTED.items()
    }
    for name in REPAIRED:
        tried = {(c["sigma"], c["moment"], c["side"]) for c in nt.claims[name].cells()}
        assert tried == set(itertools.product(PRINTED["hinge"], (1, 2), (1, -1)))


@pytest.mark.parametrize("sigma", OURS["linear"])
def test_our_linear_column_is_the_exact_law(sigma):
    exact = linear_moments(sigma)
    assert OURS["linear"][sigma] == pytest.approx((exact["mean"], exact["sd"]), abs=0.00005)


@pytest.mark.campaign
@pytest.mark.parametrize("sigma", [rate for rate in OURS["hinge"] if rate])
@pytest.mark.parametrize(("column", "trials"), [("hinge", 400), ("t-logistic", 1000)])
def test_our_columns_by_general_solvers(column, trials, sigma):
    rng = np.random.default_rng(5)
    shares = rng.multinomial(800, noisy_masses(sigma), size=trials) / 800
    risks = table_1.RISKS[column](shares)
    mean, deviation = OURS[column][sigma]
    # Six standard errors of these trials, and six of ours.
    assert abs(risks.mean() - mean) < 6 * (deviation / trials**0.5 + 0.0011)
    spread = np.std(risks**2) / trials**0.5
    assert abs(np.mean(risks**2) - mean**2 - deviation**2) < 6 * (spread + 0.0011)
