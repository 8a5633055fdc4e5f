r"""Populations on few points: minimisers by convex optimisation, decisions in fractions.

Whether the value falls below that of $f=0$ is decided exactly: above $2R^*$ the direction $f_c$ has
negative CVaR, up to it none has.
"""

from __future__ import annotations

import functools
import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.calibrated.battery import Half, battery, bayes, noisy_bayes
from noisytheory.topics.top_k.calibration import clipped_logit, minimisers
from noisytheory.topics.top_k.individual import individual
from noisytheory.trial.claim import Certificate

__all__ = ["LOSSES", "RATIOS"]

Numbers = NDArray[Any]

LOSSES = ("hinge", "logistic", "margin-square", "squared-hinge", "exponential")
RATIOS = (0.5, 0.9, 0.97, 1.03, 1.1, 1.5)
"""Tail masses tried, in units of 2R*."""


def kinked(t: Any) -> Any:
    """Convex, 1 at 0, but with a kink there."""
    return np.maximum(np.maximum(1 - t, 1 - 3 * t), 0)


def psi_of(loss: str) -> Any:
    """A loss by name, the kinked one among them."""
    return kinked if loss == "kinked" else individual(loss).psi


@functools.cache
def whole(loss: str) -> tuple[Numbers, Numbers, Numbers]:
    """Minimisers of the average loss."""
    masses, eta = (v.astype(float) for v in battery())
    return minimisers(masses, eta, np.ones(len(masses)), psi_of(loss))


@functools.cache
def solved(loss: str, ratios: tuple[float, ...], unit: str) -> dict[str, Numbers]:
    r"""Minimisers of every population at every tail mass, in units of $2R^*$, $E^*_\ell$ or 1."""
    masses, eta = (v.astype(float) for v in battery())
    size = len(masses)
    psi = psi_of(loss)
    # The average loss: nu = 1 and no threshold.
    risk = whole(loss)[2]
    index, ratio = (np.array(v) for v in zip(*itertools.product(range(size), ratios), strict=True))
    twice = np.array([float(2 * bayes(i)) for i in range(size)])
    base = dict(bayes=twice[index], risk=risk[index], one=np.ones(len(index)))[unit]
    nu = base * ratio
    inside = nu <= 1
    index, nu = index[inside], nu[inside]
    scores, level, value = whole(loss) if unit == "one" else minimisers(
        masses[index], eta[index], nu, psi)
    wanted = np.sign(eta[index] - 0.5)
    counted = (masses[index] > 0) & (wanted != 0)
    right = np.where(counted, np.sign(np.round(scores, 12)) == wanted, True).all(axis=1)
    return dict(index=index, nu=nu, scores=scores, level=level, value=value, risk=risk[index],
                calibrated=right.astype(int), twice=twice[index],
                rest=np.array([float(noisy_bayes(i)) for i in index]))


def descends(masses: Numbers, eta: Numbers, nu: Fraction) -> bool:
    r"""Whether $\mathrm{CVaR}_\nu(-yf_c)<0$, by sorting: whether $f=0$ is no minimiser."""
    outcomes = []
    for m, e in zip(masses, eta, strict=True):
        side = 1 if e > Half else -1 if e < Half else 0
        outcomes += [(Fraction(-side), m * e), (Fraction(side), m * (1 - e))]
    left, total = nu, Fraction(0)
    for loss, mass in sorted(outcomes, reverse=True):
        taken = min(left, mass)
        total, left = total + taken * loss, left - taken
    return total < 0


def falls(index: int, nu: Fraction) -> bool:
    """The same of a population of the battery."""
    masses, eta = battery()
    return descends(masses[index], eta[index], nu)


Interval = tuple[Fraction, Fraction]


def optimal(loss: str, eta: Fraction) -> Interval:
    r"""$\inf_t\eta\ell(t)+(1-\eta)\ell(-t)$ by its closed form, in an interval."""
    e = min(eta, 1 - eta)
    if loss == "hinge":
        return 2 * e, 2 * e
    if loss in ("margin-square", "squared-hinge"):
        return 4 * e * (1 - e), 4 * e * (1 - e)
    if loss == "exponential":
        # A square root of whole numbers, and the next one.
        scale = 10**12
        square = 4 * e * (1 - e)
        root = math.isqrt(square.numerator * scale**2 // square.denominator)
        return Fraction(root, scale), Fraction(root + 1, scale)
    if e == 0:
        return Fraction(0), Fraction(0)
    entropy = -sum(float(v) * math.log2(v) for v in (e, 1 - e))
    error = Fraction(1, 10**13)  # some hundred units in the last place
    low, high = Fraction(entropy) - error, Fraction(entropy) + error
    if loss == "logistic-natural":
        # ln 2 to fifteen digits, from below and from above.
        return low * (Fraction(math.log(2)) - error), high * (Fraction(math.log(2)) + error)
    return low, high


def optimal_risk_of(loss: str, index: int) -> Interval:
    r"""$E^*_\ell$ of a population of the battery, without an optimiser."""
    masses, eta = battery()
    ends = [optimal(loss, e) for e in eta[index]]
    low, high = (sum((m * end[i] for m, end in zip(masses[index], ends, strict=True)), Fraction(0))
                 for i in (0, 1))
    return low, high


def again(loss: str, index: int, nu: float) -> tuple[list[float], float]:
    r"""Scores and threshold of a population by bisection on slopes, in plain floats.

    For a threshold the points part and each is where the slope of its risk turns; the value is
    convex in the threshold.
    """
    masses, eta = battery()
    points = [(float(m), max(float(e), 1 - float(e)), 1 if e >= Half else -1)
              for m, e in zip(masses[index], eta[index], strict=True)]
    kind = individual(loss)

    def at(t: float) -> tuple[float, float]:
        here = np.array(t)
        return float(kind.psi(here)), float(kind.slope(here))

    def score(e: float, level: float) -> float:
        low, high = 0.0, 40.0
        if e == 0.5:
            return 0.0
        for _ in range(60):
            t = 0.5 * (low + high)
            (here, down), (there, up) = at(t), at(-t)
            slope = (e * down if here > level else 0.0) - ((1 - e) * up if there > level else 0.0)
            low, high = (t, high) if slope < 0 else (low, t)
        return low

    def value(level: float) -> float:
        total = nu * level
        for m, e, _ in points:
            t = score(e, level) if m else 0.0
            total += m * (e * max(at(t)[0] - level, 0) + (1 - e) * max(at(-t)[0] - level, 0))
        return total

    low, high = 0.0, 1.0
    for _ in range(40):
        third = (high - low) / 3
        if value(low + third) <= value(high - third):
            high -= third
        else:
            low += third
    level = 0.0 if value(0.0) <= value(0.5 * (low + high)) else 0.5 * (low + high)
    return [side * score(e, level) for _, e, side in points], level


def threshold(loss: str, times: float) -> dict[str, Numbers]:
    r"""Whether the minimiser is calibrated, against whether $\nu>2R^*$ times a factor."""
    at = solved(loss, RATIOS, "bayes")
    return dict(lhs=at["calibrated"], rhs=(at["nu"] > times * at["twice"]).astype(int),
                index=at["index"], nu=at["nu"])


def threshold_certificate(index: int, nu: float, times: float) -> Certificate:
    """The same decided by fractions alone."""
    exact, b = Fraction(nu), bayes(index)
    return Certificate(int(falls(index, exact)), int(exact > Fraction(times) * 2 * b),
                       [("R*", b), ("nu", exact)])


def by_optimal_risk(loss: str) -> dict[str, Numbers]:
    r"""Whether the minimiser is calibrated, against whether $\nu>E^*_\ell$."""
    at = solved(loss, RATIOS, "bayes")
    return dict(lhs=at["calibrated"], rhs=(at["nu"] > at["risk"]).astype(int),
                index=at["index"], nu=at["nu"])


def by_optimal_risk_certificate(index: int, nu: float, loss: str) -> Certificate:
    """By fractions; the optimal risk by its closed form."""
    exact = Fraction(nu)
    low, high = optimal_risk_of(loss, index)
    # Where the closed form cannot tell, there is no certificate.
    above = (int(exact > high), int(exact > low))
    return Certificate(int(falls(index, exact)), above,
                       [("R*", bayes(index)), ("nu", exact), ("optimal risk", low)])


def natural(normalised: int) -> dict[str, Numbers]:
    """Natural logistic loss, posteriors .6 and .4, tail masses from .68 to 1."""
    nu = np.arange(68, 101) / 100
    size = len(nu)
    masses, eta = np.full((size, 2), 0.5), np.tile([0.6, 0.4], (size, 1))
    psi = individual("logistic-natural").psi
    scores, _, _ = minimisers(masses, eta, nu, psi)
    risk = float(minimisers(masses[:1], eta[:1], np.ones(1), psi)[2][0])
    needed = risk / float(psi(np.array(0.0))) if normalised else risk
    right = (np.sign(np.round(scores, 9)) == np.sign(eta - 0.5)).all(axis=1)
    return dict(lhs=np.ones(size), rhs=right.astype(int), nu=nu, applies=nu > needed)


def natural_certificate(nu: float, normalised: int) -> Certificate:
    """Calibration by sorting; the optimal risk by its closed form."""
    share, half, eta = Fraction(nu), Fraction(1, 2), Fraction(3, 5)
    low, high = optimal("logistic-natural" if not normalised else "logistic", eta)
    left = descends(np.array([half, half]), np.array([eta, 1 - eta]), share)
    return Certificate(1, int(left), [("R*", 1 - eta), ("optimal risk", low), ("nu", share)],
                       applies=share > high)


NAMED = {"above": (1.01, 1.2), "below": (0.9, 0.97), "beyond": (1.03, 1.1, 1.5), "one": (1.0,)}
"""Ratios by a name."""


def some(loss: str, ratios: str, unit: str) -> dict[str, Numbers]:
    """Those of `solved` at some ratios; what the whole battery has is not solved again."""
    if unit != "bayes":
        return solved(loss, NAMED[ratios], unit)
    at = solved(loss, RATIOS, unit)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = at["nu"] / at["twice"]
    keep = np.isclose(ratio[:, None], NAMED[ratios]).any(axis=1)
    return {name: value[keep] for name, value in at.items()}


def sufficient(loss: str, unit: str, ratios: str, kink: int) -> dict[str, Numbers]:
    """1 against whether the minimiser is calibrated; with a kink at 0 for the loss on purpose."""
    at = some("kinked" if kink else loss, ratios, unit)
    # Beyond the average nothing is minimised, and a risk of 0 leaves no tail mass.
    return dict(lhs=np.ones(len(at["nu"])), rhs=at["calibrated"], index=at["index"], nu=at["nu"],
                applies=at["nu"] > 0)


def sufficient_certificate(
    index: int, nu: float, loss: str, unit: str, ratios: str, kink: int
) -> Certificate:
    """By the direction f_c, which is enough for a loss that is differentiable at 0."""
    exact = Fraction(nu)
    applies = exact > 0
    if unit == "risk" and ratios == "above":
        applies = applies and exact > optimal_risk_of(loss, index)[1]
    left = turned(index) if kink else falls(index, exact)
    return Certificate(1, int(left), [("R*", bayes(index)), ("nu", exact)], applies=applies)


def turned(index: int) -> bool:
    r"""Average of max(1 - t, 1 - 3t, 0): whether 0 is left at every point with $\eta\ne\frac12$.

    The right slope of the risk at 0 is $-\eta+3(1-\eta)$, for $\eta>\frac12$.
    """
    masses, eta = battery()
    return all(3 * min(e, 1 - e) < max(e, 1 - e)
               for m, e in zip(masses[index], eta[index], strict=True) if m and e != Half)


def necessary(loss: str, needed: str) -> dict[str, Numbers]:
    r"""What $\nu$ is said to reach where the minimiser is calibrated, against $\nu$."""
    at = solved(loss, RATIOS, "bayes")
    lhs = dict(rest=at["rest"], risk=at["risk"], twice=at["twice"])[needed]
    return dict(lhs=lhs, rhs=at["nu"], applies=at["calibrated"] > 0, index=at["index"], nu=at["nu"])


def necessary_certificate(index: int, nu: float, needed: str, loss: str) -> Certificate:
    """In fractions; the optimal risk by its closed form."""
    exact = Fraction(nu)
    side: Any = dict(rest=noisy_bayes(index), twice=2 * bayes(index), risk=None)[needed]
    if side is None:
        side = optimal_risk_of(loss, index)
    return Certificate(side, exact, [("nu", exact)], applies=falls(index, exact))


def level_gap(loss: str, power: int) -> dict[str, Numbers]:
    r"""$(\nu-E^*)/\nu\le1-\lambda^*$."""
    at = solved(loss, RATIOS, "bayes")
    least = (at["nu"] - at["risk"]) / at["nu"] ** power
    return dict(lhs=least, rhs=1 - at["level"], index=at["index"], nu=at["nu"],
                applies=at["nu"] > at["risk"])


def level_gap_certificate(index: int, nu: float, loss: str, power: int) -> Certificate:
    """The risk by its closed form, the threshold found again by slopes, to a millionth."""
    exact, error = Fraction(nu), Fraction(1, 10**6)
    low, high = optimal_risk_of(loss, index)
    level = Fraction(again(loss, index, nu)[1])
    return Certificate(((exact - high) / exact**power, (exact - low) / exact**power),
                       (1 - level - error, 1 - level + error),
                       [("nu", exact), ("threshold", level)], applies=exact > high)


def dominated(loss: str, times: float) -> dict[str, Numbers]:
    r"""$2R^*\le E^*_\ell$."""
    at = solved(loss, (1.0,), "one")
    return dict(lhs=times * at["twice"], rhs=at["risk"], index=at["index"], scale=1 + 0 * at["nu"])


def dominated_certificate(index: int, loss: str, times: float) -> Certificate:
    """R* in fractions, the optimal risk by its closed form."""
    return Certificate(Fraction(times) * 2 * bayes(index), optimal_risk_of(loss, index))


def clipped(times: float) -> dict[str, Numbers]:
    r"""Distance of the logistic minimiser from the clipped log-odds, where $\lambda^*>0$."""
    at = solved("logistic", RATIOS, "bayes")
    _, eta = battery()
    masses, _ = battery()
    good = (at["level"] > 1e-6) & (at["calibrated"] > 0) & (at["nu"] < 1)
    level = np.where(good, np.minimum(at["level"], 1), 0.5)
    wanted = np.array([clipped_logit(e.astype(float), v)
                       for e, v in zip(eta[at["index"]], level, strict=True)])
    off = np.where(masses[at["index"]].astype(float) > 0, np.abs(at["scores"] - times * wanted), 0)
    return dict(lhs=off.max(axis=1), rhs=0 * at["nu"], applies=good, scale=1 + 0 * at["nu"],
                index=at["index"], nu=at["nu"])


def clipped_certificate(index: int, nu: float, times: float) -> Certificate:
    """Scores and threshold found again by slopes, log-odds and their end from the definition."""
    masses, eta = battery()
    scores, level = again("logistic", index, nu)
    if level <= 1e-6:
        return Certificate(0, 0, [("threshold", level)], applies=False)
    largest = -math.log(math.expm1(level * math.log(2)))
    off = 0.0
    for m, e, f in zip(masses[index], eta[index], scores, strict=True):
        if m:
            odds = math.inf if e in (0, 1) else abs(math.log(float(e / (1 - e))))
            wanted = min(odds, largest) * (1 if e >= Half else -1)
            off = max(off, abs(f - times * wanted))
    value, error = Fraction(off), Fraction(1, 10**4)
    return Certificate((max(value - error, Fraction(0)), value + error), 0,
                       [("threshold", level), ("largest score", largest)])


def maximum_loss(n: int, times: float) -> dict[str, Numbers]:
    r"""$2R^*$ against $\nu=\frac1n$ where the maximum loss is calibrated: one noisy point."""
    noise = np.arange(1, 33) / (32.0 * n)
    nu = np.full(len(noise), 1 / n)
    masses, eta = np.full((len(noise), 1), 1.0), 1 - noise[:, None]
    scores, _, _ = minimisers(masses, eta, nu, individual("hinge").psi)
    right = scores[:, 0] > 1e-9
    return dict(lhs=times * 2 * noise, rhs=nu, applies=right, noise=noise)


def maximum_certificate(n: int, times: float, noise: float) -> Certificate:
    """In fractions; whether 0 is left, by sorting."""
    p, nu = Fraction(noise), Fraction(1, n)
    left = descends(np.array([Fraction(1)]), np.array([1 - p]), nu)
    return Certificate(Fraction(times) * 2 * p, nu, [("R*", p)], applies=left)
