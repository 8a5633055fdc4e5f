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
from noisytheory.topics.top_k.calibration import (
    calibration_threshold,
    clipped_logit,
    minimisers,
    optimal_risk,
)
from noisytheory.topics.top_k.individual import individual
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.exact import around, enclosed_root

__all__ = ["LOSSES", "RATIOS"]

Numbers = NDArray[Any]

LOSSES = ("hinge", "logistic", "margin-square", "squared-hinge", "exponential")
RATIOS = (0.5, 0.9, 0.97, 1.03, 1.1, 1.5)
"""Tail masses tried, in units of 2R*."""


def kinked(t: Any) -> Any:
    """Convex, 1 at 0, but with a kink there."""
    return np.maximum(np.maximum(1 - t, 1 - 3 * t), 0)


def public_threshold(index: int) -> float:
    """What a user gets for a population of the battery."""
    masses, eta = battery()
    return calibration_threshold(masses[index].astype(float), eta[index].astype(float))


@functools.cache
def solved(loss: str) -> dict[str, Numbers]:
    r"""Minimisers of every population at every tail mass, in units of $2R^*$ and of 1."""
    masses, eta = (v.astype(float) for v in battery())
    twice = np.array([public_threshold(i) for i in range(len(masses))])
    # A kink has no closed form; only its average is asked for.
    ratios = {"one": (1.0,)} if loss == "kinked" else {"bayes": RATIOS, "one": (1.0,)}
    rows = [(i, ratio, unit, ratio * (twice[i] if unit == "bayes" else 1.0))
            for unit, tried in ratios.items()
            for i, ratio in itertools.product(range(len(masses)), tried)]
    index, ratio, unit, nu = (np.array(v) for v in zip(*(r for r in rows if r[3] <= 1),
                                                       strict=True))
    scores, level, _ = minimisers(
        masses[index], eta[index], nu, kinked if loss == "kinked" else individual(loss))
    wanted = np.sign(eta[index] - 0.5)
    counted = (masses[index] > 0) & (wanted != 0)
    right = np.where(counted, np.sign(np.round(scores, 12)) == wanted, True).all(axis=1)
    # Of the kinked loss nothing asks for the risk.
    risk = np.array([np.nan if loss == "kinked" else optimal_risk(p, e, loss)
                     for p, e in zip(masses, eta, strict=True)])
    return dict(index=index, ratio=ratio, unit=unit, nu=nu, scores=scores, level=level,
                risk=risk[index], calibrated=right.astype(int), twice=twice[index],
                rest=np.array([float(noisy_bayes(i)) for i in range(len(masses))])[index])


def normalised(loss: str) -> str:
    r"""The loss over its value at 0, which is 1 but for natural logarithms."""
    return "logistic" if loss == "logistic-natural" else loss


def some(loss: str, unit: str, ratios: tuple[float, ...] = RATIOS) -> dict[str, Numbers]:
    """Rows of `solved` of some tail masses."""
    at = solved(loss)
    keep = (at["unit"] == unit) & np.isin(at["ratio"], ratios)
    return {name: value[keep] for name, value in at.items()}


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
        return enclosed_root(4 * e * (1 - e))
    if e == 0:
        return Fraction(0), Fraction(0)
    low, high = around(-sum(float(v) * math.log2(v) for v in (e, 1 - e)))
    if loss == "logistic-natural":
        least, most = around(math.log(2))
        return low * least, high * most
    return low, high


def optimal_risk_of(loss: str, index: int) -> Interval:
    r"""$E^*_\ell$ of a population of the battery, without an optimiser."""
    masses, eta = battery()
    ends = [optimal(loss, e) for e in eta[index]]
    low, high = (sum((m * end[i] for m, end in zip(masses[index], ends, strict=True)), Fraction(0))
                 for i in (0, 1))
    return low, high


def cap(index: int, nu: Fraction) -> Fraction | None:
    r"""The odds $Q$ at which the minimiser is clipped, exactly; None where nothing is.

    $\sum_xm(1-e)(1+\min\{Q,o\})=\nu$ with $e=\max\{\eta,1-\eta\}$ and $o=e/(1-e)$. Weights
    $1-e$ on the wrong label and $(1-e)\min\{Q,o\}\le e$ on the right one then have sum $\nu$, are
    below what the labels have only where $o>Q$, and balance the slopes at the score $t$ with
    $\ell'(-t)/\ell'(t)=\min\{Q,o\}$: the conditions of a convex programme, in $(f,\lambda)$, with
    $\lambda^*=\ell(t)$ at the odds Q. Of noise-free points any larger score will do as well.
    """
    masses, eta = battery()
    noisy: list[tuple[Fraction, Fraction]] = [
        (m * min(e, 1 - e), max(e, 1 - e) / min(e, 1 - e))
        for m, e in zip(masses[index], eta[index], strict=True) if m and 0 < e < 1]

    def mass(at: Fraction) -> Fraction:
        return sum((m * (1 + min(at, o)) for m, o in noisy), Fraction(0))

    ends = sorted({Fraction(1), *(o for _, o in noisy)})
    for low, high in itertools.pairwise(ends):
        if mass(low) < nu <= mass(high):
            return low + (nu - mass(low)) / (mass(high) - mass(low)) * (high - low)
    return None


def level_at(loss: str, odds: Fraction | None) -> Interval:
    r"""$\ell(t)$ at the score with $\ell'(-t)/\ell'(t)$ equal to the odds, in an interval."""
    if odds is None or loss == "hinge":
        return Fraction(0), Fraction(0)
    if loss == "exponential":
        return enclosed_root(1 / odds)
    if loss == "logistic":
        return around(math.log2(1 + 1 / odds))
    return (4 / (1 + odds) ** 2,) * 2


def threshold(loss: str, times: float) -> dict[str, Numbers]:
    r"""Whether the minimiser is calibrated, against whether $\nu>2R^*$ times a factor."""
    at = some(loss, "bayes")
    return dict(lhs=at["calibrated"], rhs=(at["nu"] > times * at["twice"]).astype(int),
                index=at["index"], nu=at["nu"])


def threshold_certificate(index: int, nu: float, times: float) -> Certificate:
    """Whether 0 is left is decided by fractions; sums of sixteenths are exact in floats."""
    exact, public = Fraction(nu), Fraction(public_threshold(index))
    return Certificate(int(falls(index, exact)), int(exact > Fraction(times) * public),
                       [("threshold", public), ("nu", exact)])


def by_optimal_risk(loss: str) -> dict[str, Numbers]:
    r"""Whether the minimiser is calibrated, against whether $\nu>E^*_\ell$."""
    at = some(loss, "bayes")
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


def sufficient(loss: str, enough: str) -> dict[str, Numbers]:
    r"""A tail mass at which the minimiser is not calibrated, against what is said to be enough."""
    at = some(loss, "bayes")
    top = individual(loss).at_zero
    rhs = dict(risk=at["risk"], scaled=at["risk"] / top, twice=at["twice"])[enough]
    return dict(lhs=at["nu"], rhs=rhs, applies=at["calibrated"] == 0, index=at["index"],
                nu=at["nu"])


def sufficient_certificate(index: int, nu: float, loss: str, enough: str) -> Certificate:
    """The direction f_c decides for a loss that is differentiable at 0; the risk in closed form."""
    exact = Fraction(nu)
    side: Any = 2 * bayes(index) if enough == "twice" else (
        optimal_risk_of(normalised(loss) if enough == "scaled" else loss, index))
    return Certificate(exact, side, [("R*", bayes(index))], applies=not falls(index, exact))


def average(loss: str, kink: int) -> dict[str, Numbers]:
    """1 against whether the average loss is calibrated; with a kink at 0 for it on purpose."""
    at = some("kinked" if kink else loss, "one", (1.0,))
    return dict(lhs=np.ones(len(at["nu"])), rhs=at["calibrated"], index=at["index"])


def average_certificate(index: int, loss: str, kink: int) -> Certificate:
    """By the direction f_c, which is enough for a loss that is differentiable at 0."""
    left = turned(index) if kink else falls(index, Fraction(1))
    return Certificate(1, int(left), [("R*", bayes(index))])


def turned(index: int) -> bool:
    r"""Average of max(1 - t, 1 - 3t, 0): whether 0 is left at every point with $\eta\ne\frac12$.

    The right slope of the risk at 0 is $-\eta+3(1-\eta)$, for $\eta>\frac12$.
    """
    masses, eta = battery()
    return all(3 * min(e, 1 - e) < max(e, 1 - e)
               for m, e in zip(masses[index], eta[index], strict=True) if m and e != Half)


def necessary(loss: str, needed: str) -> dict[str, Numbers]:
    r"""What $\nu$ is said to reach where the minimiser is calibrated, against $\nu$."""
    at = some(loss, "bayes")
    lhs = dict(rest=at["rest"], risk=at["risk"], twice=at["twice"])[needed]
    return dict(lhs=lhs, rhs=at["nu"], applies=at["calibrated"] > 0, index=at["index"], nu=at["nu"])


def necessary_certificate(index: int, nu: float, needed: str, loss: str) -> Certificate:
    """In fractions; the optimal risk by its closed form."""
    exact = Fraction(nu)
    side: Any = dict(rest=noisy_bayes(index), twice=2 * bayes(index), risk=None)[needed]
    if side is None:
        side = optimal_risk_of(loss, index)
    return Certificate(side, exact, [("nu", exact)], applies=falls(index, exact))


def level_gap(loss: str, unit: str, power: int) -> dict[str, Numbers]:
    r"""$(\nu-E^*)/\nu\le1-\lambda^*$."""
    at = some(loss, unit, (*RATIOS, 1.0))
    least = (at["nu"] - at["risk"]) / at["nu"] ** power
    return dict(lhs=least, rhs=1 - at["level"], index=at["index"], nu=at["nu"],
                applies=at["nu"] > at["risk"])


def level_gap_certificate(index: int, nu: float, loss: str, power: int) -> Certificate:
    """The risk and the threshold by their closed forms."""
    exact = Fraction(nu)
    low, high = optimal_risk_of(loss, index)
    least, most = level_at(loss, cap(index, exact))
    return Certificate(((exact - high) / exact**power, (exact - low) / exact**power),
                       (1 - most, 1 - least),
                       [("nu", exact), ("threshold", most)], applies=exact > high)


def dominated(loss: str, times: float) -> dict[str, Numbers]:
    r"""$2R^*\le E^*_\ell$."""
    at = some(loss, "one", (1.0,))
    return dict(lhs=times * at["twice"], rhs=at["risk"], index=at["index"], scale=1 + 0 * at["nu"])


def dominated_certificate(index: int, loss: str, times: float) -> Certificate:
    """R* in fractions, the optimal risk by its closed form."""
    return Certificate(Fraction(times) * 2 * bayes(index), optimal_risk_of(loss, index))


def clipped(times: float) -> dict[str, Numbers]:
    r"""Distance of the logistic minimiser from the clipped log-odds, where $\lambda^*>0$."""
    at = some("logistic", "bayes")
    masses, eta = battery()
    good = (at["level"] > 1e-6) & (at["calibrated"] > 0) & (at["nu"] < 1)
    level = np.where(good, np.minimum(at["level"], 1), 0.5)
    wanted = np.array([clipped_logit(e.astype(float), v)
                       for e, v in zip(eta[at["index"]], level, strict=True)])
    off = np.where(masses[at["index"]].astype(float) > 0, np.abs(at["scores"] - times * wanted), 0)
    return dict(lhs=off.max(axis=1), rhs=0 * at["nu"], applies=good, scale=1 + 0 * at["nu"],
                index=at["index"], nu=at["nu"])


def clipped_certificate(index: int, nu: float, times: float) -> Certificate:
    """The minimiser's scores are logarithms of odds, known exactly: so is their distance."""
    masses, eta = battery()
    odds = cap(index, Fraction(nu))
    if odds is None:
        return Certificate(0, 0, applies=False)
    largest = max(min(odds, max(e, 1 - e) / min(e, 1 - e)) if 0 < e < 1 else odds
                  for m, e in zip(masses[index], eta[index], strict=True) if m)
    low, high = around(math.log(largest))
    off = abs(Fraction(times) - 1)
    return Certificate((off * low, off * high) if off else 0, 0,
                       [("odds at the end", odds), ("largest odds", largest)])


def maximum_loss(n: int, times: float) -> dict[str, Numbers]:
    r"""$2R^*$ against $\nu=\frac1n$ where the maximum loss is calibrated: one noisy point."""
    noise = np.arange(1, 33) / (32.0 * n)
    nu = np.full(len(noise), 1 / n)
    masses, eta = np.full((len(noise), 1), 1.0), 1 - noise[:, None]
    scores, _, _ = minimisers(masses, eta, nu, individual("hinge"))
    right = scores[:, 0] > 1e-9
    return dict(lhs=times * 2 * noise, rhs=nu, applies=right, noise=noise)


def maximum_certificate(n: int, times: float, noise: float) -> Certificate:
    """In fractions; whether 0 is left, by sorting."""
    p, nu = Fraction(noise), Fraction(1, n)
    left = descends(np.array([Fraction(1)]), np.array([1 - p]), nu)
    return Certificate(Fraction(times) * 2 * p, nu, [("R*", p)], applies=left)
