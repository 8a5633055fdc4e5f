"""Symmetric label noise: Section 4.3, Lemmas 9 and 10, and what linear loss makes of it."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from noisytheory.papers import AVERAGE_CLASSIFIER as EARLIER
from noisytheory.papers import KERNEL_MEAN as PAPER
from noisytheory.topics.kernel_mean.deviation import bounds as kernel_mean
from noisytheory.topics.kernel_mean.terms import FEW_ROWS
from noisytheory.topics.label_noise.instances import (
    EVERY_POPULATION,
    FOUR_POINTS,
    IN_THE_BALL,
    SMALL,
    Alone,
)
from noisytheory.topics.label_noise.noise import bounds, sides, simulate
from noisytheory.topics.label_noise.regret.sides import Scored
from noisytheory.trial.claim import Law
from noisytheory.trial.sides import both, scaled
from noisytheory.vocabulary.domains import Numeric
from noisytheory.vocabulary.noise import ClassConditionalFlip, Contamination, InstanceFlip
from noisytheory.vocabulary.populations import (
    Finite,
    axes,
    axis,
    digits,
    oblique_pair,
    orthonormal,
    two_axes,
)

UNIT_FEATURES = "features of norm at most 1"
LESS_THAN_HALF = "noise rate below 1/2"
RATES = [0.0, 0.1, 0.3, 0.45]
EXACT_RATES = [0, 1 / 8, 5 / 16, 7 / 16]
"""Rates that floats hold exactly."""


def _one_minus_sigma(score: Numeric, sigma: Numeric) -> Numeric:
    return (1 - sigma) * score


def _one_minus_sigma_risk(risk: Numeric, sigma: Numeric) -> Numeric:
    return 1 - (1 - sigma) * (1 - risk)


noise_identity = PAPER.identity(
    "noise-identity",
    statement=r"\Phi(P_\sigma)=(1-2\sigma)\,\Phi(P)",
    place="Sec. 4.3.1",
    hypotheses=[LESS_THAN_HALF],
    grid=dict(
        population=[
            FOUR_POINTS,
            IN_THE_BALL,
            EVERY_POPULATION,
            oblique_pair(),
            two_axes(Fraction(9, 10), Fraction(1, 5)),
            digits(3, 8),
        ],
        sigma=EXACT_RATES,
    ),
    rows=1024,
    quantity="score of a point under the mean of the noisy population",
    unit="score",
    note="One side mixes the population with its flipped copy.",
    twin=dict(
        **both(sides.noisy_score, sides.Scores, _one_minus_sigma),
        why="1 - sigma for 1 - 2 sigma: the flipped labels dropped, not negated",
    ),
    **both(sides.noisy_score, sides.Scores, bounds.noisy_score),
)


def _worst_distance(norm: float, sigma: float) -> float:
    """What the distance never exceeds: $\\|\\Phi(P)\\|+\\frac1{1-2\\sigma}$."""
    return norm + 1 / (1 - 2 * sigma)


@cache
def _noisy_law(population: Finite, n: int, sigma: float) -> Law | None:
    law = simulate.noisy_deviation_law(population, n, sigma)
    return None if law is None else Law(*law)


LEMMA_9: dict[str, Any] = dict(
    place="Lemma 9, Sec. 4.3.1",
    hypotheses=[UNIT_FEATURES, LESS_THAN_HALF, "independent examples"],
    simulate=simulate.noisy_deviation,
    exact=_noisy_law,
    grid=dict(
        population=[axis(), axis(Fraction(9, 10)), orthonormal(20), axes(20), digits(3, 8)],
        # Of 31 fair signs 23 are alike just too often at the level 0.01.
        n=[31, 100, 1000],
        # Without noise it is Theorem 5.
        sigma=[0.1, 0.45],
        delta=[0.5, 0.1, 0.05, 0.01],
    ),
    trivial=_worst_distance,
    rows=FEW_ROWS,
    quantity="distance from the clean mean to the corrected mean of a noisy sample",
    unit="RKHS norm",
)

lemma_9 = PAPER.tail(
    "lemma-9",
    statement=(
        r"\Big\|\Phi(P)-\tfrac{1}{1-2\sigma}\Phi(S)\Big\|\le\tfrac{1}{1-2\sigma}"
        r"\Big(\tfrac{2}{\sqrt n}+\sqrt{\tfrac{2\log(1/\delta)}{n}}\Big)"
    ),
    bound=bounds.noisy_deviation,
    note=(
        r"Holds, loose as Theorem 5 is: the proof bounds "
        r"$\mathbb E\|y\phi(x)-\Phi(P_\sigma)\|^2$ by 4 where it is at most 1. The factor "
        r"$\frac1{1-2\sigma}$ is attained: fair signs do not change under noise."
    ),
    twin=scaled(0.5),
    **LEMMA_9,
)

lemma_9_repaired = PAPER.tail(
    "lemma-9/repaired",
    statement=(
        r"\Big\|\Phi(P)-\tfrac{1}{1-2\sigma}\Phi(S)\Big\|\le\tfrac{1}{1-2\sigma}"
        r"\Big(\sqrt{\tfrac{1-(1-2\sigma)^2\|\Phi(P)\|^2}{n}}"
        r"+\sqrt{\tfrac{2\log(1/\delta)}{n}}\Big)"
    ),
    bound=bounds.noisy_deviation_repaired,
    origin="sharper",
    note=(
        r"The printed proof with "
        r"$\mathbb E\|y\phi(x)-\Phi(P_\sigma)\|^2\le1-\|\Phi(P_\sigma)\|^2$."
    ),
    twin=scaled(0.5),
    **LEMMA_9,
)


unavoidable_error = PAPER.exists(
    "lemma-9/lower-bound/radius",
    statement=(
        r"\inf_{\hat\Phi}\sup_P\Pr\Big[\|\hat\Phi-\Phi(P)\|\ge\tfrac{1}{2\sqrt n(1-2\sigma)}\Big]"
        r"\ge\tfrac3{10}"
    ),
    place="Sec. 4.3.1, after Lemma 9",
    hypotheses=[LESS_THAN_HALF, "n is at least 1 / (4 (1 - 2 sigma)^2)"],
    bound=bounds.noisy_minimax_radius,
    exact=simulate.unavoidable_error,
    grid=dict(n=[36, 100, 1000, 10_000], sigma=RATES),
    given=dict(chance=0.3),
    quantity="largest error that no estimator avoids with probability 3/10",
    unit="RKHS norm",
    origin="sharper",
    note=(
        r"The exact law of the two populations of `lemma-9/lower-bound`, where Pinsker's "
        r"inequality has $\frac14$: the best test of $\pm\varepsilon$ errs with probability 0.31."
    ),
    twin=scaled(2, "the whole distance of the two means for half of it"),
)


def _entropy_without_root(n: Numeric) -> Numeric:
    return (1 - (1 - 2 * kernel_mean.minimax_probability(n)) ** 2) / 2


lemma_9_lower_bound = PAPER.exists(
    "lemma-9/lower-bound",
    statement=(
        r"\inf_{\hat\Phi}\sup_P\Pr\Big[\|\hat\Phi-\Phi(P)\|\ge\tfrac{1}{2\sqrt n(1-2\sigma)}\Big]"
        r"\ge\tfrac12\Big(1-\sqrt{\tfrac n2\varepsilon\log\tfrac{1+\varepsilon}{1-\varepsilon}}"
        r"\Big),\quad\varepsilon=\tfrac{1}{2\sqrt n}"
    ),
    place="Sec. 4.3.1, after Lemma 9",
    hypotheses=[LESS_THAN_HALF, "n is at least 1 / (4 (1 - 2 sigma)^2)"],
    bound=kernel_mean.minimax_probability,
    exact=simulate.two_point_error,
    grid=dict(n=[36, 100, 1000, 10_000], sigma=RATES),
    trivial=0.0,
    quantity="smallest error probability of a test of one mean against the other",
    unit="probability",
    note=(
        r"The lower bound of the same form that print cites, made concrete by Le Cam's method: two "
        r"populations on one axis with means $\pm\frac{\varepsilon}{1-2\sigma}$ look like "
        r"$\pm\varepsilon$ through the noise. The rates in $n$ and in $1-2\sigma$ agree with Lemma "
        r"9; constants are not claimed to."
    ),
    twin=dict(bound=_entropy_without_root, why="the root of Pinsker's inequality forgotten"),
)

lemma_10 = PAPER.identity(
    "lemma-10",
    statement=r"\mathrm{Risk}_{01}(P,\Phi(P))=\mathrm{Risk}_{01}(P,\Phi(P_\sigma))",
    place="Lemma 10, Sec. 4.3.1",
    hypotheses=[LESS_THAN_HALF],
    also=[EARLIER.also("theorem-8", "Theorem 8, Sec. 4.3")],
    grid=dict(
        population=[*SMALL, EVERY_POPULATION],
        sigma=[1 / 8, 5 / 16, 7 / 16, 63 / 128],
        zero=["both", "half"],
    ),
    rows=1024,
    quantity="0-1 risk of the mean of the noisy population",
    unit="probability",
    note=(
        r"A positive multiple of the clean mean, so every score keeps its sign, zeros included. "
        r"About populations: samples at $\sigma=0.49$ do fail."
    ),
    twin=dict(
        **both(sides.noise_beyond_half, Alone),
        why="noise rates above 1/2, where every score changes its sign",
    ),
    **both(sides.noise_immunity, Alone),
)

linear_loss = PAPER.identity(
    "linear-loss-any-class",
    statement=(
        r"1-\mathrm{Risk}_{\mathrm{linear}}(P_\sigma,f)"
        r"=(1-2\sigma)\,(1-\mathrm{Risk}_{\mathrm{linear}}(P,f))"
    ),
    place="Sec. 4.3.3",
    hypotheses=[LESS_THAN_HALF],
    grid=dict(population=SMALL, sigma=EXACT_RATES),
    rows=1024,
    given=dict(scores="unbounded"),
    quantity="linear risk on the noisy population",
    note="For every real function, not only for scores in [-1, 1].",
    twin=dict(
        **both(sides.noisy_linear_risk, Scored, _one_minus_sigma_risk),
        why="1 - sigma for 1 - 2 sigma",
    ),
    **both(sides.noisy_linear_risk, Scored, bounds.noisy_linear_risk),
)

linear_loss_argmin = PAPER.identity(
    "linear-loss-any-class/argmin",
    statement=(
        r"\arg\min_{f\in\mathcal F}\mathrm{Risk}_{\mathrm{linear}}(P,f)"
        r"=\arg\min_{f\in\mathcal F}\mathrm{Risk}_{\mathrm{linear}}(P_\sigma,f)"
    ),
    place="Sec. 4.3.3",
    hypotheses=[LESS_THAN_HALF, "a finite class, so that minimisers exist"],
    grid=dict(population=SMALL, sigma=EXACT_RATES),
    rows=1024,
    quantity="set of minimisers on the noisy population, as a binary number",
    note="Sets are compared, ties included, over random classes of six functions.",
    twin=dict(
        **both(sides.argmin_beyond_half, sides.Class),
        why="noise rates above 1/2, where linear risk is maximised instead",
    ),
    **both(sides.argmin_sets, sides.Class),
)


def _mean_mark(noise: simulate.Noise, share: float) -> float:
    """The mean of a mark by the definition of the noise, with a ``share`` of all rates."""
    if isinstance(noise, Contamination):
        # A positive label at the second point, a negative one at the last.
        marks = [simulate.MARKS[1, 1], simulate.MARKS[3, 0]]
        return share * float(noise.sigma) * float(simulate.OTHERS.weights @ marks)
    if isinstance(noise, InstanceFlip):
        rates = list(noise.rates)
    elif isinstance(noise, ClassConditionalFlip):
        rates = [noise.sigma_plus, noise.sigma_minus, noise.sigma_plus]
    else:
        rates = [noise.sigma] * 3
    flipped = simulate.MARKS[:3].max(axis=1) * np.array(rates, float)
    return share * float(simulate.THREE.weights @ flipped)


drawn_noise = PAPER.equal(
    "noise-models",
    statement=(
        r"\mathbb E\,\mathrm{mark}=\textstyle\sum_jp_j\,\sigma(x_j,y_j)\,\mathrm{mark}(x_j,-y_j)"
        r"\text{ flipped},\ \sigma\,\mathbb E_Q\mathrm{mark}\text{ contaminated}"
    ),
    place="Secs. 4.2, 4.3, 4.5 and 4.6: what the noise does to an example",
    hypotheses=["three points, one label each", "their marks are 0, all others differ"],
    origin="candidate",
    bound=_mean_mark,
    simulate=simulate.noisy_mark,
    grid=dict(noise=simulate.LAWS),
    given=dict(share=1.0),
    low=0.0,
    high=1.0,
    margin=0.02,
    rows=4096,
    quantity="mark of a noisy example",
    note="Every law of noise of the package, drawn example by example, against its definition.",
    twin=dict(given=dict(share=0.75), why="three quarters of the rates"),
)
