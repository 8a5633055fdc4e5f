"""Losses against their definitions, derivatives against differences, corrections against sums."""

from __future__ import annotations

import itertools
import math
import pickle
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noisytheory.vocabulary.losses import (
    Corrected,
    Exponential,
    Hinge,
    LabelFreeSquare,
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
from noisytheory.vocabulary.populations import axis

LOSSES = [
    ZeroOne(), ZeroOne("half"), Margin(0.5), LinearLoss(), Hinge(), SquaredHinge(), MarginSquare(),
    Logistic(), Logistic(2), Exponential(), TLogistic(), Sigmoid(), Ramp(), LabelFreeSquare(),
    corrected(Hinge(), 0.2), corrected(LinearLoss(), (0.1, 0.3)), corrected(Hinge(), 0),
    corrected(ZeroOne("half"), 0), corrected(Logistic(), 0.2),
    corrected(corrected(MarginSquare(), (0.1, 0.3)), 0.2),
]
RATIONAL = [
    LinearLoss(), Hinge(), SquaredHinge(), MarginSquare(), Ramp(), LabelFreeSquare(),
    corrected(Hinge(), Fraction(1, 5)), corrected(LinearLoss(), (Fraction(1, 10), Fraction(3, 10))),
]
GRID = np.linspace(-3.03, 3.01, 303)
scores = st.floats(-30, 30)


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
class TestEveryLoss:
    """What holds for each of them."""

    def test_flags_say_what_the_values_do(self, loss):
        for y in (-1, 1):
            values = loss.value(y, GRID)
            bends = values[:-2] + values[2:] - 2 * values[1:-1]
            assert (bends.min() >= -1e-12) == loss.convex
        total = loss.value(1, np.append(GRID, 0.0)) + loss.value(-1, np.append(GRID, 0.0))
        assert (np.ptp(total) < 1e-12) == (loss.label_sum is not None)
        if loss.label_sum is not None:
            assert total[0] == pytest.approx(loss.label_sum)
        far = loss.value(1, np.array([1e3]))
        potential = (
            loss.convex and far[0] == pytest.approx(0, abs=1e-12)
            and bool((loss.value(1, GRID) >= 0).all()) and loss.derivative(1, 0.0) < 0
        )
        assert potential == loss.convex_potential
        assert loss.counts == set(loss.value(1, np.append(GRID, 0.0))).issubset({0.0, 0.5, 1.0})

    def test_the_difference_of_the_labels_is_affine_where_it_is_said_to_be(self, loss):
        scores = np.append(GRID, [-1.0, -0.5, 0.0, 0.5, 1.0])
        gap = loss.value(1, scores) - loss.value(-1, scores)
        line = np.polynomial.Polynomial.fit(scores, gap, 1)(scores)
        assert (np.abs(gap - line).max() < 1e-11 * np.ptp(gap) + 1e-11) == loss.affine_difference

    def test_a_score_that_is_not_a_number_has_no_loss(self, loss):
        for missing in (np.nan, np.array([np.nan], dtype=object)):
            for method in (loss.value, loss.derivative):
                assert np.isnan(np.asarray(method([1, -1], missing), dtype=float)).all()
        some = np.array([0.25, np.nan, -2.0])
        told = loss.value(1, some)
        assert told[::2].tolist() == loss.value(1, some[::2]).tolist() and np.isnan(told[1])

    def test_derivative_is_the_slope(self, loss):
        step = 1e-6
        for y in (-1, 1):
            slope = (loss.value(y, GRID + step) - loss.value(y, GRID - step)) / (2 * step)
            smooth = np.ones(len(GRID), dtype=bool)
            for kink in (-1, -0.5, 0, 0.5, 1):
                smooth &= np.abs(GRID - kink) > 2 * step
            np.testing.assert_allclose(
                loss.derivative(y, GRID)[smooth], slope[smooth], rtol=1e-5, atol=1e-8
            )

    def test_broadcasts(self, loss):
        labels, values = np.array([[1], [-1]]), np.array([0.25, -2.0, 3.0])
        for method in (loss.value, loss.derivative):
            block = method(labels, values)
            assert block.shape == (2, 3)
            for i, j in itertools.product(range(2), range(3)):
                assert block[i, j] == method(int(labels[i, 0]), float(values[j]))

    def test_value_object(self, loss):
        assert pickle.loads(pickle.dumps(loss)) == loss
        assert len({loss, pickle.loads(pickle.dumps(loss))}) == 1
        with pytest.raises(AttributeError):
            loss.gamma = 1


@pytest.mark.parametrize("loss", RATIONAL, ids=lambda loss: loss.name)
def test_fractions_stay_fractions(loss):
    exact = [Fraction(k, 7) for k in range(-20, 21)]
    values = loss.value(np.array([1, -1])[:, None], np.array(exact, dtype=object))
    assert all(isinstance(value, int | Fraction) for value in values.ravel())
    floats = loss.value(np.array([1, -1])[:, None], np.array(exact, dtype=float))
    np.testing.assert_allclose(values.astype(float), floats, atol=1e-14)


@given(u=scores)
def test_smooth_losses_against_thirty_digits(u):
    with mpmath.workdps(60):
        m = mpmath.mpf(u)
        expected = {
            Logistic(): mpmath.log(1 + mpmath.exp(-m)),
            Logistic(2): mpmath.log(1 + mpmath.exp(-m), 2),
            Exponential(): mpmath.exp(-m),
            Sigmoid(): 1 / (1 + mpmath.exp(m)),
            TLogistic(): mpmath.log(1 + mpmath.sqrt(1 + m**2 / 4) - m / 2),
        }
        for loss, value in expected.items():
            assert float(loss.value(1, u)) == pytest.approx(float(value), rel=1e-13)
            assert float(loss.value(-1, -u)) == float(loss.value(1, u))


def test_far_margins_neither_overflow_nor_vanish():
    assert Logistic().value(1, -1e4).item() == 1e4
    assert TLogistic().value(1, 1e9).item() == pytest.approx(1e-9)
    assert TLogistic().value(1, -1e9).item() == pytest.approx(math.log(1e9), rel=1e-9)
    assert TLogistic().derivative(1, 1e200).item() == 0.0


def test_zero_one_at_zero():
    assert ZeroOne().value([1, -1], [0, 0]).tolist() == [1.0, 1.0]
    assert ZeroOne("half").value([1, -1], [0, 0]).tolist() == [0.5, 0.5]
    tiny = np.array([Fraction(1, 10**400), Fraction(-1, 10**400)], dtype=object)
    assert ZeroOne().value(1, tiny).tolist() == [0.0, 1.0]


def test_margin_loss_is_closed():
    gamma = Fraction(1, 3)
    margins = np.array([gamma, Fraction(1, 2)], dtype=object)
    assert Margin(gamma).value(1, margins).tolist() == [1, 0]


def test_hinge_dominates_the_zero_one_loss_and_natural_logistic_does_not():
    zero_one = ZeroOne().value(1, np.append(GRID, 0.0))
    for loss in (Hinge(), SquaredHinge(), MarginSquare(), Logistic(2), Exponential()):
        assert (loss.value(1, np.append(GRID, 0.0)) >= zero_one).all()
    assert Logistic().value(1, 0.0) < 1


class TestCorrected:
    """Unbiased under the noise that they correct."""

    @given(
        v=st.fractions(-3, 3), minus=st.fractions(0, Fraction(1, 2)),
        plus=st.fractions(0, Fraction(2, 5)),
    )
    def test_conditional_expectation_is_the_clean_loss_exactly(self, v, minus, plus):
        for loss in (LinearLoss(), Hinge(), LabelFreeSquare()):
            noisy = Corrected(loss, minus, plus)
            score = np.array([v], dtype=object)
            for y, rate in ((1, plus), (-1, minus)):
                mean = (1 - rate) * noisy.value(y, score) + rate * noisy.value(-y, score)
                assert mean.item() == loss.value(y, score).item()

    def test_risk_under_noise_is_the_clean_risk(self):
        clean = axis(Fraction(4, 5))
        noisy = clean.with_label_noise(Fraction(1, 5))
        for v in (-2, 0, Fraction(1, 3)):
            risk = noisy.risk([v] * noisy.atoms, corrected(Hinge(), Fraction(1, 5)))
            assert risk == clean.risk([v] * 2, Hinge())
            assert isinstance(risk, Fraction)

    def test_sum_constant_losses_are_rescaled(self):
        # (l - sigma C) / (1 - 2 sigma)
        loss = corrected(LinearLoss(), 0.25)
        np.testing.assert_allclose(loss.value(1, GRID), (1 - GRID - 0.5) / 0.5)
        assert loss.label_sum == 2
        assert corrected(LinearLoss(), (0.1, 0.3)).label_sum is None

    @pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
    @pytest.mark.parametrize(
        "rates", [0, 0.01, 0.2, 0.45, (0.1, 0.3), (0.6, 0.2), (0, 0.3), (0.05, 0)]
    )
    def test_convex_is_what_second_differences_say(self, loss, rates):
        noisy = corrected(loss, rates)
        scores = np.linspace(-8.08, 8.04, 1613)
        least = 0.0
        for y in (-1, 1):
            values = noisy.value(y, scores)
            bends = values[:-2] + values[2:] - 2 * values[1:-1]
            rounding = 1e-14 * np.abs(noisy.value(-y, scores)).max() + 1e-14 * np.abs(values).max()
            least = min(least, float(bends.min() + rounding))
        assert (least >= 0) == noisy.convex

    def test_slopes_of_the_class_conditional_linear_loss(self):
        loss = corrected(LinearLoss(), (0.1, 0.3))
        assert loss.derivative(1, 0.0).item() == pytest.approx(-2.0)
        assert loss.derivative(-1, 0.0).item() == pytest.approx(4 / 3)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: ZeroOne("none"), "zero must be 'both' or 'half', got 'none'"),
        (lambda: Margin(math.nan), "gamma must be a finite number, got nan"),
        (lambda: Logistic(1.0), "base must be a finite number > 1"),
        (lambda: TLogistic(3), "t must be 2"),
        (lambda: corrected(Hinge(), 0.5), r"sigma must be a number in \[0, 0.5\), got 0.5"),
        (lambda: Corrected(Hinge(), 0.6, 0.4), "must be below 1, got 0.6"),
    ],
)
def test_refusals(build, message):
    with pytest.raises(ValueError, match=message):
        build()


@pytest.mark.parametrize(
    "loss",
    [Hinge(), LinearLoss(), ZeroOne(), TLogistic(), LabelFreeSquare(), corrected(Hinge(), 0.1)],
)
@pytest.mark.parametrize("y", [0, 2, [1, 0], np.nan])
def test_labels_are_signs(loss, y):
    for ask in (loss.value, loss.derivative):
        with pytest.raises(ValueError, match="y must be -1 or 1, got"):
            ask(y, [0.5, 1.0])


def test_what_is_corrected_is_a_loss():
    with pytest.raises(ValueError, match="loss must be a Loss"):
        corrected(3, 0.1)


def test_the_linear_loss_is_twice_an_error_and_above_it():
    """The paper's own check, and scores of unit classifiers lie in [-1, 1]."""
    scores = np.linspace(-1, 1, 41)
    for y in (-1, 1):
        assert np.array_equal(2 * ZeroOne().value(y, [-1, 1]), LinearLoss().value(y, [-1, 1]))
        assert np.all(ZeroOne().value(y, scores) <= LinearLoss().value(y, scores))
    rng = np.random.default_rng(0)
    omega, features = (a / np.linalg.norm(a, axis=1)[:, None] for a in rng.normal(size=(2, 99, 5)))
    assert np.abs(3 * omega @ features.T).max() <= 3
