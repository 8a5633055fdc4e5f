"""Cells of the tables, read from print."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import chi2, hypergeom
from sklearn.metrics import mean_absolute_error, mean_squared_error
from worked import Worked, by_hand

from noisytheory.topics.top_k import fit
from noisytheory.topics.top_k.tables import claims, simulate
from noisytheory.topics.top_k.tables.sides import compared
from noisytheory.trial.draws import block_generator

test_by_hand = by_hand("top-k", [
    # Monk, logistic loss, in Table 1 and, the other way round, in Table 4; Sinc in Tables 5 and 2.
    Worked("table-1-avg-beats-max", {}, 2046, 2241),
    Worked("table-1-avg-beats-max", {}, 7580, 7947, cell=dict(table="table 4")),
    Worked("table-1-atk-improves", {}, 806, 816, cell=dict(table="table 5")),
    Worked("table-2", {}, 1139, 1147),
    # Madelon gains 40.68 - 39.65, Monk 3.70 and Australian 14.27 - 11.70.
    Worked("table-1-monk-australian-largest-gain", {}, 103, 257),
    # Monk's class ratio 28/25: 4 G^2 28/53 25/53, and 77.59 per cent are right.
    Worked("table-4", {}, Fraction("75.80") ** 2 * Fraction(4 * 28 * 25, 53 * 53), "6020.2081"),
    # 228/204 to two digits.
    Worked("table-3", dict(case=2), "1.12", "1.12"),
])

def test_exchange_finds_the_least_largest_residual():
    x, y = simulate._draws_of_sinc("ends", 2, np.random.default_rng(1))
    x, y = x[:, :500], y[:, :500]
    for rows, targets, w in zip(x, y, simulate._minimax(x, y), strict=True):
        ones = np.ones((len(rows), 1))
        found = linprog(np.append(np.zeros(11), 1.0), bounds=[(None, None)] * 11 + [(0, None)],
                        A_ub=np.block([[rows, -ones], [-rows, -ones]]),
                        b_ub=np.append(targets, -targets))
        # The ridge, 1e-6 / 2 times the squared norm, is beside the largest residual over 500.
        assert np.abs(targets - rows @ w).max() == pytest.approx(found.fun, rel=2e-3)


def test_normal_equations_are_the_solver_of_the_average_square_loss():
    x, y = simulate._draws_of_sinc("cells", 1, np.random.default_rng(2))
    w = simulate._least_squares(x, y, 1e-4)[0]
    assert np.allclose(w, fit(x[0], y[0], "square", k=1.0, C=1e4, tol=1e-10).coef, atol=1e-7)


def test_cells_of_print_say_which_they_are():
    """The picture has a row for each of them."""
    told = [dict(one.steps) for one in compared("table 2", "AT_k", "average <= maximum", "Sinc")]
    assert [(of["set"], of["loss"], of["columns"]) for of in told] == [
        ("Sinc", loss, columns) for loss in ("square", "absolute")
        for columns in ("AT_k, average", "average, maximum")]


def test_errors_on_sinc_are_those_of_scikit_learn():
    x, y = simulate._draws_of_sinc("cells", 3, np.random.default_rng(4))
    w = np.random.default_rng(5).normal(size=(3, 11)) / 10
    mae, rmse = simulate._errors(x, y, w)
    for i in range(3):
        scores = x[i, 750:] @ w[i]
        assert mae[i] == pytest.approx(mean_absolute_error(y[i, 750:], scores))
        assert rmse[i] ** 2 == pytest.approx(mean_squared_error(y[i, 750:], scores))


def test_the_g_mean_of_the_maximum_loss_is_that_of_one_class():
    """What is right is a class share, and the other class has none right."""
    error = simulate.maximum_error(size=16, rng=np.random.default_rng(6))
    g = simulate.maximum_g_mean(size=16, rng=np.random.default_rng(6))
    assert (g == 0).all() and ((error > 0.3) & (error < 0.7)).all()


def test_exchange_that_goes_round_in_circles_ends(monkeypatch):
    # One of these samples returns to the same few examples again and again.
    rng = block_generator(9, "top-k/table-5", "", 1)
    x, y = simulate._draws_of_sinc("ends", 32, rng)
    x, y = x[:, :500], y[:, :500]
    found = np.abs(y - np.matvec(x, simulate._minimax(x, y))).max(axis=1)
    monkeypatch.setattr(simulate, "FORGETFUL", 0)
    assert found == pytest.approx(np.abs(y - np.matvec(x, simulate._minimax(x, y))).max(axis=1),
                                  rel=1e-3)


def test_deviations_over_random_quarters_are_those_of_a_finite_population():
    for rule in claims.spread.grid["population"]:
        m = simulate.quarter(rule.n)
        variance = hypergeom(rule.n, rule.mistakes, m).var() / m**2
        assert 18 * claims._spread_error(rule.n, rule.mistakes) ** 2 == pytest.approx(variance)
        # Its square is the variance in the mean, with a relative error of .0015: 6 of them.
        found = simulate.rule_spread(rule.n, rule.mistakes, size=100_000,
                                     rng=np.random.default_rng(7))
        assert np.mean(found**2) == pytest.approx(variance, rel=0.009)


def test_small_deviations_have_the_probabilities_that_the_note_names():
    found = [chi2.cdf(rule.printed**2 / (2 * claims._spread_error(rule.n, rule.mistakes) ** 2), 9)
             for rule in claims.spread.grid["population"]]
    assert found == pytest.approx([0.0095, 0.0016, 0.0239], abs=5e-5)


def test_many_draws_of_sinc_are_each_scaled_for_themselves():
    x, y = simulate._draws_of_sinc("ends", 3, np.random.default_rng(8))
    assert x.shape == (3, 1000, 11) and (x[..., -1] == 1).all()
    assert (y.min(axis=1) == 0).all() and (y.max(axis=1) == 1).all()


def test_what_is_chosen_is_chosen_by_validation(monkeypatch):
    """Mistakes by the toss of a coin: whatever is chosen, and by what else, errs in half.

    Of four the one with the fewest test errors errs less by a standard deviation, .048. The mean of
    400 splits, each of parts that overlap, has at most .0024: five of them, 6e-7 of false alarm.
    """
    def tossed(x, y, w, near=0.0):
        return coin.random((len(w), *y.shape)) < 0.5

    coin = np.random.default_rng(11)
    monkeypatch.setattr(simulate, "mistakes", tossed)
    monkeypatch.setattr(simulate, "hinge_machines", lambda x, y, k, C: (np.zeros(len(k)), None))
    for found in simulate.chosen((95, 110), size=400, rng=np.random.default_rng(12)):
        assert abs(found.mean() - 0.5) < 5 * 0.0024
