"""Minimisers on populations: by hand, by their dual in many digits, and by a conic solver."""

from __future__ import annotations

import cvxpy as cp
import mpmath
import numpy as np
import pytest

from noisytheory.topics.top_k import calibration_threshold, optimal_risk, population_minimiser
from noisytheory.topics.top_k.individual import CLASSIFICATION, individual

NORMALISED = ("logistic", "hinge", "squared-hinge", "margin-square", "exponential")
PAIR = [0.5, 0.5], [0.9, 0.2]
"""2R* = .3; the weights reach nu = .35 and .5 before either point has all of its own."""
SURE = [0.25, 0.25, 0.5], [0.75, 0.25, 1.0]
"""Half of the mass has no noise."""
LAST = {"hinge": 1.0, "squared-hinge": 1.0, "margin-square": 1.0, "logistic": np.inf,
        "exponential": np.inf}


def random(seed, *, half=True, sure=True):
    """Masses and posteriors, one of them a half, one without noise."""
    rng = np.random.default_rng(seed)
    m = int(rng.integers(3, 7))
    eta = rng.uniform(0.03, 0.97, m)
    eta[0] = 0.5 if half else eta[0]
    eta[1] = float(rng.integers(2)) if sure else eta[1]
    return rng.dirichlet(np.ones(m)), eta


@pytest.mark.parametrize(("nu", "loss", "scores", "level", "value"), [
    # Odds of (nu - R*) / R* at both.
    (0.35, "logistic", [np.log(4 / 3), -np.log(4 / 3)], np.log2(7 / 4), None),
    (0.5, "logistic", [np.log(7 / 3), -np.log(7 / 3)], np.log2(10 / 7), None),
    (0.5, "margin-square", [0.4, -0.4], 0.36, 0.15 * 1.4**2 + 0.35 * 0.6**2),
    (0.5, "squared-hinge", [0.4, -0.4], 0.36, 0.15 * 1.4**2 + 0.35 * 0.6**2),
    (0.5, "exponential", [np.log(7 / 3) / 2, -np.log(7 / 3) / 2], np.sqrt(3 / 7),
     2 * np.sqrt(0.15 * 0.35)),
    (0.5, "hinge", [1, -1], 0, 0.3),
    # .05 + .05 Q + .5 = .8: the second has odds of 4, its own.
    (0.8, "logistic", [np.log(5), -np.log(4)], np.log2(6 / 5), None),
    (0.25, "logistic", [0, 0], 1, 0.25),
])
def test_by_hand(nu, loss, scores, level, value):
    found = population_minimiser(*PAIR, nu, loss)
    assert found.scores == pytest.approx(scores, abs=1e-14)
    assert found.level == pytest.approx(level, abs=1e-14)
    assert value is None or found.value == pytest.approx(value, abs=1e-15)
    assert found.calibrated is (nu > 0.3)


def least(loss, worse, better):
    r"""$\min_t$ of the weighted losses of both labels, in closed form."""
    if loss == "hinge":
        return 2 * min(worse, better)
    if loss in ("squared-hinge", "margin-square"):
        return 4 * worse * better / (worse + better)
    if loss == "exponential":
        return 2 * mpmath.sqrt(worse * better)
    whole = worse + better
    found = -sum(part * mpmath.log(part / whole) for part in (worse, better) if part)
    return found / mpmath.log(2)


SHAPES = {
    "hinge": lambda t: max(1 - t, 0),
    "squared-hinge": lambda t: max(1 - t, 0) ** 2,
    "margin-square": lambda t: (1 - t) ** 2,
    "exponential": lambda t: mpmath.exp(-t),
    "logistic": lambda t: mpmath.log1p(mpmath.exp(-t)) / mpmath.log(2),
}


@pytest.mark.parametrize("loss", NORMALISED)
@pytest.mark.parametrize("times", [0.5, 0.9999, 1.0001, 1.03, 1.5, 2.5])
def test_no_weights_have_a_larger_value(times, loss):
    """What the scores cost is at most what weights of the dual prove, in fifty digits."""
    for seed in range(6):
        masses, eta = random(seed, sure=seed > 2)
        twice = calibration_threshold(masses, eta)
        nu = times * twice
        if nu > masses[(eta > 0) & (eta < 1)].sum():
            continue
        found = population_minimiser(masses, eta, nu, loss)
        with mpmath.workdps(50):
            m, e = ([mpmath.mpf(float(v)) for v in part] for part in (masses, eta))
            few = [min(v, 1 - v) for v in e]

            def weights(odds, m=m, few=few):
                return [(a * v, min(odds * a * v, a * (1 - v))) for a, v in zip(m, few, strict=True)
                        ]

            tail = mpmath.mpf(nu)
            low, high = mpmath.mpf(1), mpmath.mpf(10) ** 6
            for _ in range(200):
                middle = (low + high) / 2
                enough = sum(map(sum, weights(middle))) > tail
                low, high = (low, middle) if enough else (middle, high)
            both = weights(low)
            size = min(1, tail / sum(map(sum, both)))
            proven = sum(least(loss, size * a, size * b) for a, b in both if a and b)
            psi, level = SHAPES[loss], mpmath.mpf(found.level)
            cost = tail * level
            for a, v, t in zip(m, e, found.scores, strict=True):
                t = mpmath.mpf(float(t))
                cost += a * v * max(psi(t) - level, 0) + a * (1 - v) * max(psi(-t) - level, 0)
            assert proven - mpmath.mpf(10) ** -40 <= cost <= proven * (1 + mpmath.mpf(2) ** -48)
            assert abs(found.value - cost) <= 1e-15
        assert found.calibrated is (times > 1)
        assert found.scores.any() == (times > 1)


@pytest.mark.parametrize("loss", NORMALISED)
def test_an_independent_solver_has_the_same_value(loss):
    shape = {
        "hinge": lambda t: cp.pos(1 - t), "squared-hinge": lambda t: cp.square(cp.pos(1 - t)),
        "margin-square": lambda t: cp.square(1 - t), "exponential": lambda t: cp.exp(-t),
        "logistic": lambda t: cp.logistic(-t) / np.log(2),
    }[loss]
    for seed in range(3):
        masses, eta = random(seed, sure=loss not in ("logistic", "exponential"))
        for nu in (0.7 * calibration_threshold(masses, eta), 0.8, 1.0):
            f, level = cp.Variable(len(eta)), cp.Variable(nonneg=True)
            cost = nu * level + (masses * eta) @ cp.pos(shape(f) - level) + (
                masses * (1 - eta)) @ cp.pos(shape(-f) - level)
            problem = cp.Problem(cp.Minimize(cost))
            problem.solve(solver="CLARABEL")
            found = population_minimiser(masses, eta, nu, loss)
            assert found.value == pytest.approx(problem.value, abs=1e-7)
            if nu == 1:
                assert optimal_risk(masses, eta, loss) == found.value


@pytest.mark.parametrize("loss", NORMALISED)
def test_just_above_the_threshold_labels_are_seen(loss):
    assert population_minimiser([1.0], [0.9], 0.20002, loss).calibrated
    for masses, eta in ([[1.0], [0.9]], PAIR, [[0.1] * 10, np.linspace(0.05, 0.45, 10)]):
        # What is the threshold but for rounding is the threshold.
        twice = calibration_threshold(masses, eta)
        for nu in (twice, np.nextafter(twice, 1), 2 * round(twice / 2, 12)):
            assert not population_minimiser(masses, eta, nu, loss).scores.any()
        assert population_minimiser(masses, eta, twice * (1 + 1e-9), loss).calibrated


@pytest.mark.parametrize("loss", NORMALISED)
def test_points_without_noise(loss):
    """Where weight is left for them their losses are to be 0: of some losses nothing attains it."""
    last = LAST[loss]
    found = population_minimiser([0.25, 0.75], [1.0, 0.0], 0.1, loss)
    assert found.scores.tolist() == [last, -last] and found.calibrated
    assert found.value == found.level == 0
    # With nu = 1/2 all weight is on the noise, and the odds end at its own.
    both = {nu: population_minimiser(*SURE, nu, loss) for nu in (0.4, 0.5, 0.6)}
    assert both[0.6].scores[2] == last and both[0.6].level == 0
    for nu in (0.4, 0.5):
        assert both[nu].scores[2] == both[nu].scores.max() <= LAST[loss]
        assert np.isfinite(both[nu].scores).all()
    # More weight than the noise has costs nothing.
    assert both[0.6].value == both[0.5].value == optimal_risk(*SURE, loss)
    assert all(one.calibrated for one in both.values())


@pytest.mark.parametrize("loss", NORMALISED)
def test_the_least_noise_has_a_minimiser(loss):
    for eta in (5e-324, 1e-310, 1e-300, 1 - 2.0**-53):
        for nu in (1e-3, 0.5, 1.0):
            found = population_minimiser([1.0], [eta], nu, loss)
            assert np.isfinite([found.scores[0], found.level, found.value]).all()
            assert found.calibrated


def test_a_point_without_mass_changes_nothing():
    for nu in (0.25, 0.5, 0.8, 1.0):
        alone = population_minimiser(*PAIR, nu, "logistic")
        beside = population_minimiser([0.5, 0, 0.5, 0], [0.9, 0.99, 0.2, 1.0], nu, "logistic")
        assert beside.scores[[0, 2]].tolist() == alone.scores.tolist()
        assert (beside.level, beside.value) == (alone.level, alone.value)
        assert np.isfinite(beside.scores).all()


@pytest.mark.parametrize("loss", CLASSIFICATION)
def test_values_alone_are_enough(loss):
    """Of a callable: scores to about the root of rounding, values to rounding."""
    for seed in range(4):
        masses, eta = random(seed)
        for times in (0.9, 1.1, 2.0):
            nu = min(times * calibration_threshold(masses, eta),
                     float(masses[eta % 1 > 0].sum()))
            named, given = (population_minimiser(masses, eta, nu, one)
                            for one in (loss, individual(loss).psi))
            assert given.scores == pytest.approx(named.scores, abs=1e-6)
            assert given.value == pytest.approx(named.value, rel=1e-13)
            assert given.calibrated is named.calibrated
