r"""Populations on one or two points, every posterior and every score of a lattice: regrets.

A point is its posterior $\eta=P(y=1\mid x)$; risks are sums of conditional risks.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.exact import around, lattice
from noisytheory.vocabulary.joint_masses import bayes_risk, flipped, joint, risk

__all__ = [
    "bayes_optimal",
    "bayes_rule",
    "calibrated",
    "linear_calibrated",
    "minimisers",
]

Zero: TypeAlias = Literal["both", "half"]
Problem: TypeAlias = tuple[
    tuple[Fraction, Fraction], tuple[Fraction, ...], tuple[Fraction, ...]
]
"""Masses of points, their posteriors and scores; points of mass 0 stand last."""

POSTERIORS = [Fraction(k, 10) for k in range(11)]
SCORES = lattice(-1, 1, 2)
WEIGHTS = [(Fraction(1), Fraction(0)), (Fraction(1, 3), Fraction(2, 3))]

SCALES = {"hinge": 1, "squared hinge": 1, "exponential": 2, "logistic": 2}
r"""Factors $s$ of $\mathrm{Regret}_{01}^2\le s\,\mathrm{Regret}_\psi$."""


def _point(eta: Fraction) -> NDArray[Any]:
    """Masses of both labels at a single point."""
    return np.array([[eta, 1 - eta]])


def _error(masses: NDArray[Any], score: Fraction, zero: Zero) -> Fraction:
    """0-1 risk of a score at one point."""
    return Fraction(risk(masses, np.array([score]), zero=zero))


@cache
def _regrets(zero: Zero) -> list[Fraction]:
    """Regrets for misclassification of all problems, which no surrogate changes."""
    weights, etas, f = (np.array(part) for part in zip(*_problems(), strict=True))
    masses = joint(weights, etas)
    return list(risk(masses, f, zero=zero) - bayes_risk(masses))


def _mix(weights: Sequence[Fraction], values: Sequence[Fraction]) -> Fraction:
    return sum((w * v for w, v in zip(weights, values, strict=True)), Fraction(0))


@cache
def _problems() -> list[Problem]:
    """One point, and two of them, over every posterior and every score."""
    found: list[Problem] = []
    for weights in WEIGHTS:
        some = POSTERIORS if weights[1] == 0 else [*POSTERIORS[::4], POSTERIORS[5]]
        second = some if weights[1] else some[:1]
        scores = SCORES if weights[1] else [Fraction(1)]
        for etas in itertools.product(some, second):
            for f in itertools.product(SCORES, scores):
                found.append((weights, etas, f))
    return found


def calibrated(loss: str, zero: Zero, posteriors: str) -> Iterator[Certificate]:
    r"""What a surrogate promises of misclassification, instance by instance.

    Parameters
    ----------
    loss : str
        ``"linear"`` or a convex potential of `SCALES`.
    zero : {"both", "half"}
        What a score of 0 counts.
    posteriors : {"minimisers", "any", "away"}
        ``"minimisers"``: only scores of surrogate regret 0, which calibration says have regret 0;
        ``"any"``: $\mathrm{Regret}_{01}^2\le s\,\mathrm{Regret}$; ``"away"``: no posterior is
        $\frac12$, and the left side is divided by $((1+c)/2c)^2$ with $c$ the least $|2\eta-1|$.
    """
    for (weights, etas, f), wrong in zip(_problems(), _regrets(zero), strict=True):
        used = [e for w, e in zip(weights, etas, strict=True) if w]
        least = min(abs(2 * e - 1) for e in used)
        if posteriors == "away" and least == 0:
            continue
        parts = [_conditional(loss, e, v) for e, v in zip(etas, f, strict=True)]
        low, high = (_mix(weights, [part[k] for part in parts]) for k in (0, 1))
        if posteriors == "minimisers":
            if low <= 0 <= high:
                yield Certificate(wrong, 0, _steps(weights, etas, f, wrong, Fraction(0)))
            continue
        factor = ((1 + least) / (2 * least)) ** 2 if posteriors == "away" else Fraction(1)
        scale = SCALES.get(loss, 1) * factor
        yield Certificate(
            wrong**2, (scale * low, scale * high), _steps(weights, etas, f, wrong, low)
        )


@cache
def _conditional(loss: str, eta: Fraction, v: Fraction) -> tuple[Fraction, Fraction]:
    """Conditional regret of a surrogate, as an interval."""
    c = abs(2 * eta - 1)
    if loss == "linear":
        exact = c - (2 * eta - 1) * v
    elif loss == "hinge":
        exact = eta * max(1 - v, Fraction(0)) + (1 - eta) * max(1 + v, Fraction(0)) - (1 - c)
    elif loss == "squared hinge":
        exact = eta * (1 - v) ** 2 + (1 - eta) * (1 + v) ** 2 - 4 * eta * (1 - eta)
    elif eta == Fraction(1, 2) and v == 0:
        exact = Fraction(0)  # by symmetry and convexity, for every potential
    else:
        return around(_transcendental(loss, float(eta), float(v)))
    return exact, exact


def _transcendental(loss: str, eta: float, v: float) -> float:
    if loss == "exponential":
        return eta * math.exp(-v) + (1 - eta) * math.exp(v) - 2 * math.sqrt(eta * (1 - eta))
    entropy = -sum(p * math.log(p) for p in (eta, 1 - eta) if p > 0)
    return eta * math.log1p(math.exp(-v)) + (1 - eta) * math.log1p(math.exp(v)) - entropy


def _steps(
    weights: Sequence[Fraction], etas: Sequence[Fraction], f: Sequence[Fraction],
    wrong: Fraction, surrogate: Fraction,
) -> list[tuple[str, object]]:
    return [
        *((f"P(x_{j + 1}), eta, f", f"{w}, {etas[j]}, {f[j]}")
          for j, w in enumerate(weights) if w),
        ("regret for misclassification", wrong),
        ("regret for the surrogate", surrogate),
    ]


def bayes_optimal(threshold: Fraction = Fraction(1, 2)) -> Iterator[Certificate]:
    r"""Linear risk of $f_P=1$ where $\eta\ge\frac12$, else $-1$, against the least of all."""
    for eta in POSTERIORS:
        rule = Fraction(1) if eta >= threshold else Fraction(-1)
        risks = [1 - (2 * eta - 1) * v for v in SCORES]
        own = 1 - (2 * eta - 1) * rule
        yield Certificate(own, min(risks), [("eta", eta), ("f_P", rule), ("risk of f_P", own)])


def bayes_rule(otherwise: int, threshold: str) -> Iterator[Certificate]:
    r"""0-1 risk, zeros wrong, of $f=1$ where $\eta$ reaches a threshold, against the least of all.

    Parameters
    ----------
    otherwise : {0, -1}
        What $f$ is below it.
    threshold : str
        One half where the claim holds.
    """
    for eta in POSTERIORS:
        rule = 1 if eta >= Fraction(threshold) else otherwise
        at = _point(eta)
        error = _error(at, Fraction(rule), "both")
        yield Certificate(
            error, bayes_risk(at), [("eta", eta), ("f", rule), ("Risk01 of f", error)]
        )


def minimisers(sigma: float, zero: Zero) -> Iterator[Certificate]:
    r"""Scores that minimise misclassification under $P_\sigma$ and under $P$, as bits."""
    rate = Fraction(str(sigma))
    for eta in POSTERIORS:
        at = _point(eta)
        noisy, sets = flipped(at, rate), []
        for masses in (noisy, at):
            errors = [_error(masses, v, zero) for v in SCORES]
            sets.append(sum(1 << k for k, e in enumerate(errors) if e == min(errors)))
        yield Certificate(
            sets[0], sets[1],
            [("eta", eta), ("eta under noise", noisy[0, 0]),
             *((name, ", ".join(str(v) for k, v in enumerate(SCORES) if chosen >> k & 1))
               for name, chosen in zip(("minimisers, noisy", "clean"), sets, strict=True))],
        )


def linear_calibrated(multiplier: int, zero: Zero) -> Iterator[Certificate]:
    r"""Whether no minimiser of $\lambda yv+g(y)$ on [-1, 1] has regret, against $\lambda<0$."""
    for plus, minus in itertools.product((0, 1, -2), repeat=2):
        calibrated = True
        for eta in POSTERIORS:
            at = _point(eta)
            risks = [eta * (multiplier * v + plus) + (1 - eta) * (minus - multiplier * v)
                     for v in SCORES]
            best = [v for v, r in zip(SCORES, risks, strict=True) if r == min(risks)]
            calibrated &= all(_error(at, v, zero) == bayes_risk(at) for v in best)
        yield Certificate(
            int(calibrated), int(multiplier < 0),
            [("lambda", multiplier), ("g(1), g(-1)", f"{plus}, {minus}")],
        )
