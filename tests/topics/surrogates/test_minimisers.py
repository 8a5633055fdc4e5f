"""Exact minimisers: against each other, against a linear programme, against numbers in print."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from noisytheory.topics.surrogates import (
    hinge_minimiser,
    hinge_threshold,
    piecewise_linear_minimiser,
    potential_minimiser,
)
from noisytheory.topics.surrogates.long_servedio.boxes import certain_risk
from noisytheory.topics.surrogates.long_servedio.cuts import enclosed_scores
from noisytheory.topics.surrogates.long_servedio.simulate import (
    ATOMS,
    LABELS,
    noisy_masses,
    threshold,
)
from noisytheory.topics.surrogates.long_servedio.t_logistic import t_logistic_minimiser
from noisytheory.topics.surrogates.long_servedio.three_points import (
    BENT,
    HINGE,
    margins,
    minimisers,
    risk,
    risk01,
    two_slopes,
)
from noisytheory.vocabulary.exact import Undecided
from noisytheory.vocabulary.losses import (
    Exponential,
    Hinge,
    LinearLoss,
    Logistic,
    Margin,
    MarginSquare,
    Ramp,
    Sigmoid,
    SquaredHinge,
    TLogistic,
    ZeroOne,
    corrected,
)

R = Fraction(30)


@pytest.mark.parametrize("sigma", [0.0, 0.05, 0.15, 0.3, 0.45])
def test_vertices_and_the_linear_programme_agree(sigma):
    value, omegas = minimisers(R, Fraction(str(sigma)), HINGE)
    _, least = hinge_minimiser(ATOMS, LABELS, noisy_masses(sigma))
    assert float(value) == pytest.approx(least, abs=1e-9)
    for omega in omegas:
        assert risk(R, omega, Fraction(str(sigma)), HINGE) == value


@pytest.mark.parametrize(
    ("potential", "lines"),
    [(HINGE, [(-1, 1), (0, 0)]), (BENT, [(-3, -1), (-1, 1), (0, 0)]),
     (two_slopes(R, Fraction(1, 4)), [(-1, 15.75), (-0.25, 15), (0, 0)])],
    ids=lambda value: getattr(value, "name", ""),
)
def test_piecewise_linear_potentials_by_vertices_and_by_programme(potential, lines):
    for sigma in (0.1, 0.3):
        value, omegas = minimisers(R, Fraction(str(sigma)), potential)
        omega, least = piecewise_linear_minimiser(ATOMS, LABELS, noisy_masses(sigma), lines)
        assert float(value) == pytest.approx(least, abs=1e-9)
        assert min(np.abs(omega - np.array(w, float)).max() for w in omegas) < 1e-7


def test_a_risk_without_a_least_value():
    with pytest.raises(ValueError, match=r"^lines must .*"):
        piecewise_linear_minimiser([[1.0]], [1], [1.0], [(-1, 1)])


def test_the_printed_hyperplane():
    value, omegas = minimisers(R, Fraction(15, 100), HINGE)
    assert omegas == [(Fraction(1, 30), Fraction(29, 90))]
    assert float(value) == pytest.approx(0.7511111, abs=5e-8)
    assert margins(R, omegas[0]) == (Fraction(-13, 45), 1, 1)  # -.2888889
    assert risk01(R, omegas[0]) == Fraction(1, 2)


@pytest.mark.parametrize(
    ("far", "printed"),
    [(10, 0.173913), (30, 4 / 53), (50, 0.0481928), (100, 0.0253165), (1000, 0.00265252)],
)
def test_thresholds(far, printed):
    assert float(threshold(far)) == pytest.approx(printed, rel=2e-6)
    assert hinge_threshold(far) == pytest.approx(float(threshold(far)), rel=1e-14)


@pytest.mark.parametrize("sigma", ["0.1", "0.15", "0.25", "0.3", "0.4"])
def test_an_explicit_potential_survives(sigma):
    rate = Fraction(sigma)
    q = Fraction(3, 10) if rate <= Fraction(15, 100) else rate / (1 - rate) + Fraction(1, 100)
    value, omegas = minimisers(R, rate, two_slopes(R, q))
    assert omegas == [(2, 1)]
    if sigma == "0.15":
        assert float(value) == pytest.approx(16.34625, abs=1e-12)


@pytest.mark.parametrize(
    ("loss", "score"),
    [(Logistic(), -0.0559), (Exponential(), -0.0331), (SquaredHinge(), -0.0358)],
)
def test_smooth_potentials_lose_the_southern_point(loss, score):
    omega = potential_minimiser(ATOMS, LABELS, noisy_masses(0.15), loss)
    assert ATOMS[0] @ omega == pytest.approx(score, abs=5e-5)
    if isinstance(loss, Logistic):
        assert omega == pytest.approx([0.0672, 0.1230], abs=6e-5)


def test_t_logistic_minimisers():
    masses = np.stack([noisy_masses(0.2), noisy_masses(0.3)])
    perfect, lost = t_logistic_minimiser(masses)
    assert perfect == pytest.approx([2.083, 0.0921], abs=6e-4)
    assert lost == pytest.approx([0.0768, 0.1320], abs=6e-5)
    assert ATOMS[0] @ lost == pytest.approx(-0.0553, abs=6e-5)
    risks = (masses * TLogistic().value(LABELS, np.stack([perfect, lost]) @ ATOMS.T)).sum(axis=1)
    # No point of a grid around does better.
    axes = np.meshgrid(np.linspace(-1, 4, 201), np.linspace(-1, 1, 201))
    grid = np.stack(axes, axis=-1).reshape(-1, 2)
    values = TLogistic().value(LABELS, grid @ ATOMS.T) @ masses.T
    assert (values.min(axis=0) >= risks - 1e-12).all()


def test_newton_finds_least_squares():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(40, 3)), rng.choice([-1, 1], 40)
    found = potential_minimiser(x, y, np.full(40, 1 / 40), MarginSquare())
    assert found == pytest.approx(np.linalg.lstsq(x, y, rcond=None)[0], abs=1e-7)


def test_newton_takes_many_problems_at_once():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(40, 3)), rng.choice([-1, 1], 40)
    weights = rng.dirichlet(np.ones(40), 5)
    together = potential_minimiser(x, y, weights, Logistic())
    for row, alone in zip(weights, together, strict=True):
        assert potential_minimiser(x, y, row, Logistic()) == pytest.approx(alone, abs=1e-8)
        gradient = (row * Logistic().derivative(y, x @ alone)) @ x
        assert np.abs(gradient).max() < 1e-8


def test_hinge_on_random_samples_beats_its_neighbours():
    rng = np.random.default_rng(8)
    x, y = rng.normal(size=(30, 2)), rng.choice([-1, 1], 30)
    weights = np.full(30, 1 / 30)
    omega, least = hinge_minimiser(x, y, weights)
    assert np.maximum(0, 1 - y * (x @ omega)).mean() == pytest.approx(least)
    for step in rng.normal(size=(200, 2)):
        assert np.maximum(0, 1 - y * (x @ (omega + 0.1 * step))).mean() >= least - 1e-12


THREE = [[1, -1], [1, 3], [30, 0]]


@pytest.mark.parametrize(
    "minimise", [hinge_minimiser, lambda x, y, w: potential_minimiser(x, y, w, Logistic())]
)
@pytest.mark.parametrize(
    ("x", "y", "weights", "message"),
    [
        (THREE, [0, 1, 1], [0.5, 0.25, 0.25], "y must hold 3 labels -1 or 1"),
        (THREE, [1, 1], [0.5, 0.25, 0.25], "y must hold 3 labels"),
        (THREE, [1, 1, 1], [0.5, 0.25], "weights must have shape"),
        (THREE, [1, 1, 1], [-0.5, 0.25, 0.25], "weights must be finite and at least 0"),
        (THREE, [1, 1, 1], [np.nan, 0.25, 0.25], "weights must be finite"),
        ([[np.nan, 1.0]], [1], [1.0], "x must be finite"),
        ([1.0], [1], [1.0], "x must have shape"),
    ],
)
def test_bad_problems_are_refused(minimise, x, y, weights, message):
    with pytest.raises(ValueError, match=message):
        minimise(x, y, weights)


@pytest.mark.parametrize("loss", [Hinge(), LinearLoss(), ZeroOne(), Margin(0.5), Ramp()])
def test_newton_needs_a_curvature(loss):
    with pytest.raises(ValueError, match="must have a curvature"):
        potential_minimiser(THREE, [1, 1, 1], [0.5, 0.25, 0.25], loss)


def test_t_logistic_minimisers_are_those_of_the_general_method():
    counts = np.random.default_rng(8).multinomial(800, noisy_masses(0.3), size=50) / 800
    loss = TLogistic()
    found = t_logistic_minimiser(counts)
    risks = [
        np.sum(counts * loss.value(LABELS, omega @ ATOMS.T), axis=1)
        for omega in (
            potential_minimiser(ATOMS, LABELS, counts, loss),
            potential_minimiser(ATOMS, LABELS, counts, loss, start=[2.0, 0.1]),
            found,
        )
    ]
    np.testing.assert_allclose(risks[2], np.minimum(risks[0], risks[1]), atol=1e-14)
    gradient = (counts * loss.derivative(LABELS, found @ ATOMS.T)) @ ATOMS
    np.testing.assert_allclose(gradient, 0, atol=1e-6)


@pytest.mark.parametrize("loss", [LinearLoss(), Hinge(), Ramp()])
def test_a_correction_does_not_bend_straight_pieces(loss):
    with pytest.raises(ValueError, match=r"must have a curvature, got .*corrected"):
        potential_minimiser(THREE, [1, 1, 1], [0.5, 0.25, 0.25], corrected(loss, 0.1))


def noisy_line():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    return x, np.where(x[:, 0] + rng.normal(size=60) > 0, 1, -1)


@pytest.mark.parametrize(
    "loss",
    [
        Logistic(), Exponential(), SquaredHinge(), TLogistic(), MarginSquare(),
        corrected(Logistic(), 0.1), corrected(MarginSquare(), (0.1, 0.3)),
    ],
    ids=lambda loss: loss.name,
)
def test_what_comes_back_is_stationary(loss):
    x, y = noisy_line()
    found = potential_minimiser(x, y, np.full(60, 1 / 60), loss)
    assert np.abs(loss.derivative(y, x @ found) @ x / 60).max() < 1e-9


def test_a_start_without_curvature_is_left():
    x, y, weights = [[2.0], [-0.5], [0.7]], [1, 1, -1], [1.0, 0.3, 0.4]
    found = potential_minimiser(x, y, weights, Sigmoid())
    slope = (np.array(weights) * Sigmoid().derivative(y, np.array(x) @ found)) @ x
    assert abs(found[0]) > 1 and np.abs(slope).max() < 1e-9


@pytest.mark.parametrize(
    ("loss", "separable"),
    [
        (Logistic(), True), (Exponential(), True), (TLogistic(), True), (Sigmoid(), True),
        (Sigmoid(), False), (corrected(Logistic(), 0.4), False),
        (corrected(SquaredHinge(), 0.1), True),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_a_risk_without_a_minimum_is_said_to_have_none(loss, separable):
    x, y = noisy_line()
    if separable:
        y = np.where(x[:, 0] > 0, 1, -1)
    with pytest.raises(ValueError, match=r"no stationary point of the .* risk was reached, at"):
        potential_minimiser(x, y, np.full(60, 1 / 60), loss)
    both = np.stack([np.full(60, 1 / 60)] * 2)
    with pytest.raises(ValueError, match="in row 0 of weights"):
        potential_minimiser(x, y, both, loss)


def test_two_steps_are_not_enough():
    x, y = noisy_line()
    with pytest.raises(ValueError, match="start or steps must change"):
        potential_minimiser(x, y, np.full(60, 1 / 60), Exponential(), start=5.0, steps=2)


def test_cuts_around_the_minimiser_hold_it_and_a_bad_guess_leaves_no_triangle():
    rate = Fraction(3, 20)
    omega = potential_minimiser(ATOMS, LABELS, noisy_masses(0.15), Logistic())
    south, *_ = enclosed_scores("logistic", Fraction(30), rate, omega)
    assert south[0] < Fraction(omega[0] - omega[1]) < south[1] < 0
    with pytest.raises(Undecided):
        enclosed_scores("logistic", Fraction(30), rate, omega + np.array([0.1, 0.0]))


def test_boxes_certify_the_least_risk_and_no_other():
    found = t_logistic_minimiser(noisy_masses(0.3)[None])[0]
    assert certain_risk(30, 0.3, found) == 0.5
    with pytest.raises(Undecided, match="boxes of another 0-1 risk are left"):
        certain_risk(30, 0.3, np.array([2.0, 0.1]))  # Right everywhere, of more risk.
