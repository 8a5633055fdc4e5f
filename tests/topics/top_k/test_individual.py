"""Individual losses by their definition in fifty digits, and what is made of them alone."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from noisytheory.topics.top_k.aggregate import average_top_k
from noisytheory.topics.top_k.individual import (
    INDIVIDUAL,
    best_constants,
    individual,
    least_constant,
)

DEFINED = {
    "logistic": lambda t: mpmath.log1p(mpmath.exp(-t)) / mpmath.log(2),
    "logistic-natural": lambda t: mpmath.log1p(mpmath.exp(-t)),
    "hinge": lambda t: max(1 - t, 0),
    "squared-hinge": lambda t: max(1 - t, 0) ** 2,
    "margin-square": lambda t: (1 - t) ** 2,
    "exponential": lambda t: mpmath.exp(-t),
    "square": lambda t: t**2,
    "absolute": abs,
}
KINKS = {"hinge": 1, "squared-hinge": 1, "absolute": 0}
POINTS = [mpmath.mpf(v) / 8 for v in (-61, -20, -9, -3, 2, 7, 9, 30, 77)]
CLOSE = dict(rel=1e-12, abs=1e-14)


@pytest.fixture(autouse=True)
def digits():
    with mpmath.workdps(50):
        yield


@pytest.mark.parametrize("name", INDIVIDUAL)
def test_value_slope_and_curvature(name):
    loss, psi = individual(name), DEFINED[name]
    assert set(DEFINED) == set(INDIVIDUAL)
    for t in POINTS:
        at = np.array(float(t))
        assert loss.psi(at) == pytest.approx(float(psi(t)), **CLOSE)
        assert loss.slope(at) == pytest.approx(float(mpmath.diff(psi, t)), **CLOSE)
        assert loss.curvature(at) == pytest.approx(float(mpmath.diff(psi, t, 2)), **CLOSE)
    zero = mpmath.mpf(0)
    assert loss.at_zero == pytest.approx(float(psi(zero)), **CLOSE)
    at_zero = 0.0 if name == "absolute" else float(mpmath.diff(psi, zero))
    assert loss.slope_at_zero == pytest.approx(at_zero, **CLOSE)
    # At a kink one of the slopes between those of its sides.
    if (kink := KINKS.get(name)) is not None:
        before, at, after = loss.slope(np.array([kink - 0.1, kink, kink + 0.1]))
        assert before <= at <= after
    assert loss.smooth == (name not in ("hinge", "absolute"))


@pytest.mark.parametrize("name", INDIVIDUAL)
def test_conjugates_are_suprema(name):
    """At a slope of the loss its tangent; at the ends of the slopes limits, beyond infinity."""
    loss, psi = individual(name), DEFINED[name]
    for t in POINTS:
        s = mpmath.diff(psi, t)
        assert loss.conjugate(np.array(float(s))) == pytest.approx(
            float(s * t - psi(t)), rel=1e-11, abs=1e-11)
    steepest = {"logistic": -1 / np.log(2), "logistic-natural": -1.0, "hinge": -1.0,
                "absolute": -1.0}.get(name)
    if steepest:
        # From the line 1 - t of the hinge -1 at the end, else lines through 0.
        assert loss.conjugate(np.array(steepest)) == (-1 if name == "hinge" else 0)
        assert loss.conjugate(np.array(steepest * 1.01)) == np.inf
    if name not in ("margin-square", "square"):
        flattest = 1.0 if name == "absolute" else 0.0
        assert loss.conjugate(np.array(flattest)) == 0
        assert loss.conjugate(np.array(flattest + 0.01)) == np.inf


@pytest.mark.parametrize("name", ["logistic", "logistic-natural", "exponential"])
def test_conjugates_of_slopes_that_are_all_but_0(name):
    """Of a slope -q it is q (log q - 1), of the logistic loss but for a share q of q."""
    base = mpmath.log(2) if name == "logistic" else 1
    for s in (-1e-12, -3e-16, -0.6e-16, -1e-18, -1e-40):
        q = -mpmath.mpf(s) * base
        rest = q if name == "exponential" else -(1 - q) * mpmath.log1p(-q)
        true = (q * mpmath.log(q) - rest) / base
        assert individual(name).conjugate(np.array(s)) == pytest.approx(float(true), rel=1e-14,
                                                                        abs=0)


@pytest.mark.parametrize("name", INDIVIDUAL)
def test_of_labels_and_scores(name):
    """A loss of the score is that of yf or of y - f; so are its slopes and its conjugate."""
    loss, psi = individual(name), DEFINED[name]
    for y, f in ((1.0, 0.25), (-1.0, 0.25), (1.0, -1.5), (-1.0, 2.5)):
        def of_score(v, y=y):
            return psi(y * v if loss.margin else y - v)

        one = np.array([y]), np.array([f])
        slope = mpmath.diff(of_score, mpmath.mpf(f))
        assert loss.values(*one)[0] == pytest.approx(float(of_score(mpmath.mpf(f))), **CLOSE)
        assert loss.slopes(*one)[0] == pytest.approx(float(slope), **CLOSE)
        assert loss.curvatures(*one)[0] == pytest.approx(
            float(mpmath.diff(of_score, mpmath.mpf(f), 2)), **CLOSE)
        assert loss.conjugates(one[0], np.array([float(slope)]))[0] == pytest.approx(
            float(slope * f - of_score(mpmath.mpf(f))), rel=1e-11, abs=1e-11)


def test_one_score_for_all():
    """Three of four labels agree: up to nu = 1/2 none; beyond, the odds (nu - 1/4) / (1/4)."""
    y = np.array([1.0, 1.0, 1.0, -1.0])
    nus = np.array([0.4, 0.5, 0.52, 0.75, 1.0])
    for sign in (1, -1):
        scores, values = best_constants(individual("logistic"), sign * y, None, nus)
        assert scores == pytest.approx(sign * np.log(np.maximum(4 * nus - 1, 1)), abs=1e-12)
        # In bits the entropy of the odds, times nu.
        p = np.minimum(0.25 / nus, 0.5)
        assert values == pytest.approx(-nus * (p * np.log2(p) + (1 - p) * np.log2(1 - p)))
    half = best_constants(individual("exponential"), np.array([1.0, -1.0]), np.array([0.8, 0.2]),
                          np.array([0.5, 1.0]))
    # 0.2 e^b + (nu - 0.2) e^-b at e^2b = 3/2 and 4.
    assert half[0] == pytest.approx(np.log([1.5, 4]) / 2)
    assert half[1] == pytest.approx(2 * np.sqrt([0.06, 0.16]))


def test_one_number_for_all():
    """Of -5, -2 and 0: the two farthest from the middle of the ends; all of them, the mean."""
    targets = np.array([-5.0, -2.0, 0.0])
    assert least_constant(individual("square"), targets, None, 1.0) == pytest.approx(114 / 27)
    scores, values = best_constants(individual("absolute"), targets, None, np.array([1 / 3, 1.0]))
    assert scores == pytest.approx([-2.5, -2]) and values == pytest.approx([2.5 / 3, 5 / 3])


@pytest.mark.parametrize("loss", ["square", "absolute"])
def test_no_other_number_loses_less(loss):
    """Weighted and not, repeated ones and distinct, far from 0: one search for all tail masses."""
    kind = individual(loss)
    for seed in range(24):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 30))
        y = 10 ** rng.uniform(-3, 3) * rng.normal(size=n) + seed % 3
        y = np.round(y) if seed % 2 else y
        weights = rng.integers(1, 5, n)
        masses = weights / weights.sum()
        nus = np.append(rng.uniform(0.01, 1, 3), [1.0, 1 / n])
        found = best_constants(kind, y, masses, nus)
        size = kind.values(y, 0 * y).max() + 1e-300
        steps = np.array([0, -0.5, -0.1, -1e-3, -1e-6, 1e-6, 1e-3, 0.1, 0.5])
        for nu, b, value in zip(nus, *found, strict=True):
            lost = [nu * float(average_top_k(kind.values(y, np.full(n, c)), nu, masses))
                    for c in b + np.ptp(y) * steps]
            assert value == pytest.approx(lost[0], rel=1e-10, abs=1e-12 * size)
            assert value <= min(lost) + 1e-11 * size
