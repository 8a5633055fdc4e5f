"""Claims about label noise and contamination, from the paper on the kernel mean."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from noisytheory.papers import KERNEL_MEAN as PAPER
from noisytheory.topics.kernel_mean import bounds as kernel_mean
from noisytheory.topics.label_noise import bounds, claims_tradeoff, simulate, simulate_exact
from noisytheory.topics.label_noise.instances import EveryPair, OnePair, RandomPairs
from noisytheory.trial.claim import Law
from noisytheory.vocabulary.domains import Numeric
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
FINITE_MARGIN = "some point is classified correctly, so that the margin for error is finite"
ZERO_IS_ERROR = "a zero score is an error for both labels"

RATES = [0.0, 0.1, 0.3, 0.45]
ONE_POINT, TWO_POINTS = RandomPairs(1), RandomPairs(2)
THREE_POINTS, FOUR_POINTS = RandomPairs(3), RandomPairs(4)
COARSE = RandomPairs(2, dimension=2, radius=5, total=5, levels=5)
"""Where a search finds counterexamples in small numbers."""
EVERY_PAIR = EveryPair(2)
EVERY_POPULATION = EveryPair(2, total=6, single=True)
EVERY_POSTERIOR = EveryPair(1, total=20, single=True)
OBLIQUE = OnePair(
    "oblique pair",
    gram=((8, -1), (-1, 8)),
    masses=((9, 0), (1, 0)),
    corruption=((0, 0), (10, 0)),
    share=1,
    square=8,
    total=10,
    levels=10,
)
"""Contaminated with one tenth of its second point, whose score it thereby corrects."""


def _every(trial: Callable[..., Any]) -> Callable[..., Any]:
    """The trial on every instance of an exhaustive family, or every atom, as exact evidence."""
    parameters = [
        p for name, p in inspect.signature(trial).parameters.items() if name not in ("size", "rng")
    ]

    def exact(**given: Any) -> Any:
        if not getattr(given["population"], "exhaustive", True):
            return None
        return trial(**given, size=None, rng=None)

    exact.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return exact


# Regret for linear loss, Lemma 3.


def _same_regret(regret: Numeric) -> Numeric:
    return regret


def _half_regret(regret: Numeric) -> Numeric:
    return regret / 2


def _quarter_of_zeros(regret: Numeric, idle: Numeric) -> Numeric:
    return regret + idle / 4


LEMMA_3: dict[str, Any] = dict(
    simulate=simulate.surrogate_regret,
    exact=_every(simulate.surrogate_regret),
    certify=simulate_exact.surrogate_regret(Fraction(1), Fraction(0)),
    bound=bounds.surrogate_regret,
    quantity="regret for misclassification loss",
    unit="probability",
)

lemma_3 = PAPER.always(
    "lemma-3/printed",
    statement=r"\mathrm{Regret}_{01}(P,f)\le\mathrm{Regret}_{\mathrm{linear}}(P,f)",
    place="Lemma 3, Sec. 3; proof A.1",
    hypotheses=["scores in [-1, 1]", ZERO_IS_ERROR],
    grid=dict(population=[ONE_POINT, EVERY_POSTERIOR], zero=["both"], scores=["any"]),
    expect="refuted",
    note=(
        r"At $f(x)=0$ the conditional regrets are $\max(\eta,1-\eta)$ and $|1-2\eta|$: at "
        r"$\eta=0.9$ they are 0.9 and 0.8, at $\eta=\frac12$ they are $\frac12$ and 0. The proof "
        r"takes the regret for misclassification loss to be "
        r"$|1-2\eta|\,[\![\mathrm{sign}(2\eta-1)f\le0]\!]$, which needs $f\ne0$ while "
        r"$\ell_{01}(y,0)=1$ for both labels."
    ),
    **LEMMA_3,
)

lemma_3_repaired = PAPER.always(
    "lemma-3/repaired",
    statement=(
        r"\mathrm{Regret}_{01}(P,f)\le\mathrm{Regret}_{\mathrm{linear}}(P,f),"
        r"\quad\ell_{01}(y,0)=\tfrac12"
    ),
    place="Lemma 3, Sec. 3; proof A.1",
    hypotheses=["scores in [-1, 1]", "a zero score is half an error"],
    grid=dict(population=[THREE_POINTS, EVERY_POSTERIOR], zero=["half"], scores=["any"]),
    note="Repaired: a zero score counts one half, as if the label were then tossed.",
    twin=dict(
        bound=_half_regret,
        certify=simulate_exact.surrogate_regret(Fraction(1, 2), Fraction(0)),
        why="linear regret halved",
    ),
    **LEMMA_3,
)

lemma_3_nonzero = PAPER.always(
    "lemma-3/repaired-nonzero",
    statement=(
        r"P(f(x)=0)=0\;\Rightarrow\;"
        r"\mathrm{Regret}_{01}(P,f)\le\mathrm{Regret}_{\mathrm{linear}}(P,f)"
    ),
    place="Lemma 3, Sec. 3; proof A.1",
    hypotheses=["scores in [-1, 1]", "the score is almost surely not zero"],
    grid=dict(population=[THREE_POINTS, EVERY_POSTERIOR], zero=["both"], scores=["nonzero"]),
    note="Repaired: the hypothesis that the printed proof uses. Tight as a wrong score goes to 0.",
    twin=dict(
        grid=dict(population=[THREE_POINTS], zero=["half"], scores=["unbounded"]),
        exact=None,
        bound=_same_regret,
        certify=simulate_exact.surrogate_regret(Fraction(1), Fraction(0), bounded=False),
        why="scores in [-2, 2], where linear regret can be negative",
    ),
    **LEMMA_3,
)

lemma_3_mass = PAPER.always(
    "lemma-3/repaired-mass",
    statement=(
        r"\mathrm{Regret}_{01}(P,f)\le\mathrm{Regret}_{\mathrm{linear}}(P,f)+\tfrac12P(f(x)=0)"
    ),
    place="Lemma 3, Sec. 3; proof A.1",
    hypotheses=["scores in [-1, 1]", ZERO_IS_ERROR],
    grid=dict(population=[THREE_POINTS, EVERY_POSTERIOR], zero=["both"], scores=["any"]),
    note=(
        r"Repaired by what zero scores can cost: $\frac{1+c}2\le c+\frac12$ with $c=|1-2\eta|$; "
        r"equality at $\eta=\frac12$."
    ),
    **{
        **LEMMA_3,
        "bound": bounds.surrogate_regret_with_zeros,
        "certify": simulate_exact.surrogate_regret(Fraction(1), Fraction(1, 2)),
    },
    twin=dict(
        bound=_quarter_of_zeros,
        certify=simulate_exact.surrogate_regret(Fraction(1), Fraction(1, 4)),
        why="a quarter of the mass of the zeros instead of half",
    ),
)


# Margins, Theorem 7.

theorem_7 = PAPER.always(
    "theorem-7",
    statement=(
        r"\|f-\tilde f\|_\infty\le\epsilon\;\Rightarrow\;"
        r"\mathrm{Risk}_{01}(P,\tilde f)\le\mathrm{Risk}_{\ell_\epsilon}(P,f)"
    ),
    place="Theorem 7, Sec. 4.1; proof A.3",
    hypotheses=["scores differ by at most epsilon everywhere"],
    simulate=simulate.perturbed_risk,
    certify=simulate_exact.perturbed_risk,
    grid=dict(population=[TWO_POINTS, FOUR_POINTS], inequality=["closed", "open"]),
    quantity="0-1 risk of the perturbed classifier",
    unit="probability",
    note=(
        r"Holds as stated, with $y\tilde f\le0$ and $yf\le\epsilon$, and in the version that the "
        r"appendix proves, with $<$ in both. An equality for $\tilde f=0$ on $\{|f|\le\epsilon\}$."
    ),
    twin=dict(
        grid=dict(population=[TWO_POINTS], inequality=["mixed"]),
        why="a zero score is an error, but a margin of exactly epsilon is not",
    ),
)

lemma_25 = PAPER.always(
    "lemma-25",
    statement=r"|v-\tilde v|\le\epsilon,\ \tilde v<0\;\Rightarrow\;v<\epsilon",
    place="Lemma 25, A.3",
    exact=simulate.margin_gap,
    certify=simulate_exact.margin_gap,
    grid=dict(inequality=["open", "closed"]),
    quantity="whether the premise holds",
    note=r"Also with $\tilde v\le0$ and $v\le\epsilon$, which is what Theorem 7 needs.",
    twin=dict(
        grid=dict(inequality=["mixed"]),
        why="from a closed premise to an open conclusion: v = epsilon, moved to 0",
    ),
)

margin_for_error = PAPER.always(
    "margin-for-error",
    statement=(
        r"\|f-\tilde f\|_\infty\le\epsilon<\Gamma(P,f)\;\Rightarrow\;"
        r"\mathrm{Risk}_{01}(P,\tilde f)\le\mathrm{Risk}_{01}(P,f)"
    ),
    place="Sec. 4.1, after Theorem 7",
    hypotheses=["epsilon is less than the margin for error", FINITE_MARGIN],
    simulate=simulate.perturbed_risk_within_margin,
    certify=simulate_exact.perturbed_risk_within_margin,
    grid=dict(population=[TWO_POINTS, FOUR_POINTS], strict=["<"]),
    quantity="0-1 risk of the perturbed classifier",
    unit="probability",
    note=(
        r"One-sided: the risk can fall. Vacuous for most continuous populations, whose margin for "
        r"error is 0."
    ),
    twin=dict(
        grid=dict(population=[TWO_POINTS], strict=["<="]),
        why="epsilon may equal the margin, and moves a correct point to a score of zero",
    ),
)


def _doubled_margin(population: Any, *, size: int, rng: np.random.Generator) -> Any:
    drawn = simulate.margin_for_error(population, size=size, rng=rng)
    return {**drawn, "rhs": 2 * drawn["rhs"]}


margin_formula = PAPER.identity(
    "margin-for-error/formula",
    statement=r"\Gamma(P,f)=\mathrm{ess\,inf}\{yf(x):yf(x)>0\}",
    place="Sec. 4.1, after Theorem 7",
    hypotheses=[FINITE_MARGIN],
    simulate=simulate.margin_for_error,
    certify=simulate_exact.margin_for_error(Fraction(1)),
    grid=dict(population=[TWO_POINTS, FOUR_POINTS]),
    quantity="margin for error, from its definition",
    origin="sharper",
    note=(
        r"The supremum of $\{\gamma:\mathrm{Risk}_{\ell_\gamma}=\mathrm{Risk}_{01}\}$ in closed "
        r"form."
    ),
    twin=dict(
        simulate=_doubled_margin,
        certify=simulate_exact.margin_for_error(Fraction(2)),
        why="twice the smallest margin",
    ),
)


# Contamination, Section 4.2.


def _share_only(sigma: Fraction) -> tuple[Fraction, Fraction]:
    return 1 - sigma, sigma


def _added_mean(population: Any, *, size: int, rng: np.random.Generator) -> Any:
    drawn = simulate.contaminated_mean(population, size=size, rng=rng)
    share = drawn["share"] / population.levels
    clean = drawn["gram"][:, 0] * (drawn["masses"][..., 0] - drawn["masses"][..., 1])
    score = clean.sum(axis=1) / (population.square * population.total)
    return {**drawn, "rhs": drawn["rhs"] + share * score}


contamination_mean = PAPER.identity(
    "contamination-identities/mean",
    statement=r"\Phi((1-\sigma)P+\sigma Q)=(1-\sigma)\Phi(P)+\sigma\Phi(Q)",
    place="Sec. 4.2",
    simulate=simulate.contaminated_mean,
    exact=_every(simulate.contaminated_mean),
    certify=simulate_exact.contaminated_mean(_share_only),
    grid=dict(population=[FOUR_POINTS, EVERY_PAIR]),
    slack=1e-15,  # four terms of size at most 1
    quantity="score of a point under the mean of the mixture",
    unit="score",
    twin=dict(
        simulate=_added_mean,
        exact=None,
        grid=dict(population=[FOUR_POINTS]),
        certify=simulate_exact.contaminated_mean(lambda sigma: (Fraction(1), sigma)),
        why="Q added to P, not mixed with it",
    ),
)


def _kept_share(distance: Numeric, sigma: Numeric) -> Numeric:
    return (1 - sigma) * distance


contamination_distance = PAPER.identity(
    "contamination-identities/distance",
    statement=r"\|\Phi(P)-\Phi(\tilde P)\|=\sigma\,\|\Phi(P)-\Phi(Q)\|",
    place="Sec. 4.2",
    bound=bounds.contaminated_distance,
    simulate=simulate.contaminated_distance,
    exact=_every(simulate.contaminated_distance),
    certify=simulate_exact.contaminated_distance(lambda sigma: sigma),
    grid=dict(population=[FOUR_POINTS, EVERY_PAIR]),
    quantity="distance that the mean moves",
    unit="RKHS norm",
    twin=dict(
        bound=_kept_share,
        certify=simulate_exact.contaminated_distance(lambda sigma: 1 - sigma),
        why="1 - sigma for sigma",
    ),
)


def _two() -> float:
    return 2.0


def _root_two() -> float:
    return 2**0.5


contamination_diameter = PAPER.always(
    "contamination-identities/diameter",
    statement=r"\|\Phi(P)-\Phi(Q)\|\le2",
    place="Sec. 4.2, after Corollary 8",
    hypotheses=[UNIT_FEATURES],
    bound=_two,
    simulate=simulate.population_distance,
    exact=_every(simulate.population_distance),
    certify=simulate_exact.population_distance(Fraction(4)),
    grid=dict(population=[TWO_POINTS, RandomPairs(2, inside=True), EVERY_PAIR]),
    quantity="distance of the means of two populations",
    unit="RKHS norm",
    note="Attained by one point with either label.",
    twin=dict(
        bound=_root_two,
        certify=simulate_exact.population_distance(Fraction(2)),
        why="square root of 2 for 2, which holds for nonnegative kernels and equal labels only",
    ),
)

COROLLARY_8: dict[str, Any] = dict(
    place="Corollary 8, Sec. 4.2",
    simulate=simulate.contaminated_risk,
    exact=_every(simulate.contaminated_risk),
    certify=simulate_exact.contaminated_risk(),
    quantity="0-1 risk of the contaminated mean",
    unit="probability",
)

corollary_8 = PAPER.identity(
    "corollary-8/printed",
    statement=(
        r"\sigma\|\Phi(P)-\Phi(Q)\|<\Gamma(P,\Phi(P))\;\Rightarrow\;"
        r"\mathrm{Risk}_{01}(P,\Phi(P))=\mathrm{Risk}_{01}(P,\Phi(\tilde P))"
    ),
    hypotheses=[UNIT_FEATURES, ZERO_IS_ERROR, FINITE_MARGIN],
    grid=dict(population=[COARSE, OBLIQUE], reach=[1]),
    expect="refuted",
    note=(
        r"Contamination can improve the risk: the margin for error looks at correct points only. "
        r"Features $x_1,x_2$ with $\langle x_1,x_2\rangle=-\frac18$, masses 0.9 and 0.1, both "
        r"positive: scores 0.8875 and $-0.0125$, so the risk is 0.1 and $\Gamma=0.8875$. With $Q$ "
        r"on $x_2$ and $\sigma=0.1$ the mean moves by $0.135<\Gamma$; the scores become 0.78625 "
        r"and 0.08875 and the risk 0. What the proof gives is $\le$: see `corollary-8/repaired`."
    ),
    **COROLLARY_8,
)

corollary_8_repaired = PAPER.always(
    "corollary-8/repaired",
    statement=(
        r"\sigma\|\Phi(P)-\Phi(Q)\|<\Gamma(P,\Phi(P))\;\Rightarrow\;"
        r"\mathrm{Risk}_{01}(P,\Phi(\tilde P))\le\mathrm{Risk}_{01}(P,\Phi(P))"
    ),
    hypotheses=[UNIT_FEATURES, ZERO_IS_ERROR, FINITE_MARGIN],
    grid=dict(population=[TWO_POINTS, FOUR_POINTS, EVERY_PAIR, OBLIQUE], reach=[1]),
    note=(
        r"Repaired: an inequality. The hypothesis stays strict, since at equality a point of "
        r"margin $\Gamma$ can be moved to a score of exactly zero. It needs a zero score to be an "
        r"error for both labels: where it is half an error, a zero can become a whole one."
    ),
    twin=dict(
        grid=dict(population=[TWO_POINTS, FOUR_POINTS], reach=[2]),
        why="the mean may move by twice the margin",
    ),
    **COROLLARY_8,
)

corollary_8_two_sided = PAPER.identity(
    "corollary-8/two-sided",
    statement=(
        r"\sigma\|\Phi(P)-\Phi(Q)\|<\mathrm{ess\,inf}|\langle\Phi(P),\phi(x)\rangle|"
        r"\;\Rightarrow\;"
        r"\mathrm{Risk}_{01}(P,\Phi(P))=\mathrm{Risk}_{01}(P,\Phi(\tilde P))"
    ),
    hypotheses=[UNIT_FEATURES],
    grid=dict(population=[TWO_POINTS, FOUR_POINTS, EVERY_PAIR], reach=[1]),
    note=(
        r"Repaired the other way: no point, correct or not, may be closer to zero than the mean "
        r"moves; then no score changes its sign."
    ),
    twin=dict(
        grid=dict(population=[TWO_POINTS], reach=[1]),
        simulate=simulate.contaminated_risk,
        exact=None,
        certify=simulate_exact.contaminated_risk(),
        why="the one-sided margin for error, as printed",
    ),
    **{
        **COROLLARY_8,
        "simulate": simulate.contaminated_risk_two_sided,
        "exact": _every(simulate.contaminated_risk_two_sided),
        "certify": simulate_exact.contaminated_risk(two_sided=True),
    },
)

any_q_immunity = PAPER.always(
    "any-q-immunity",
    statement=(
        r"\sigma<\tfrac12\Gamma(P,\Phi(P))\;\Rightarrow\;"
        r"\mathrm{Risk}_{01}(P,\Phi(\tilde P))\le\mathrm{Risk}_{01}(P,\Phi(P))\ \forall Q"
    ),
    place="Sec. 4.2, after Corollary 8",
    hypotheses=[UNIT_FEATURES, ZERO_IS_ERROR, FINITE_MARGIN],
    simulate=simulate.corrupted_risk,
    exact=_every(simulate.corrupted_risk),
    certify=simulate_exact.corrupted_risk,
    grid=dict(population=[TWO_POINTS, FOUR_POINTS, EVERY_PAIR], divisor=[2]),
    quantity="0-1 risk of the contaminated mean",
    unit="probability",
    note=(
        r"Print says immune; as in Corollary 8 the risk can still fall. Not sharp: see "
        r"`any-q-immunity/sharp`."
    ),
    twin=dict(
        grid=dict(population=[TWO_POINTS, FOUR_POINTS], divisor=[1]),
        exact=None,
        why="the whole margin for half of it",
    ),
)

any_q_sharp = PAPER.always(
    "any-q-immunity/sharp",
    statement=(
        r"\sigma<\frac{\Gamma}{1+\Gamma}\;\Rightarrow\;"
        r"P\big(y\langle\Phi(\tilde P),\phi(x)\rangle\le0<y\langle\Phi(P),\phi(x)\rangle\big)=0"
        r"\ \forall Q"
    ),
    place="Sec. 4.2, after Corollary 8",
    hypotheses=[UNIT_FEATURES, FINITE_MARGIN],
    simulate=simulate.lost_mass,
    exact=_every(simulate.lost_mass),
    certify=simulate_exact.lost_mass,
    grid=dict(
        population=[TWO_POINTS, FOUR_POINTS, RandomPairs(3, inside=True), EVERY_PAIR],
        threshold=["sharp"],
    ),
    quantity="mass of the correct points that are lost",
    unit="probability",
    origin="sharper",
    note=(
        r"No correct point is lost to any $Q$, because "
        r"$y\langle\Phi(\tilde P),\phi(x)\rangle\ge(1-\sigma)\Gamma-\sigma$. With $\Gamma=\frac12$ "
        r"print allows $\sigma<\frac14$, this $\sigma<\frac13$."
    ),
    twin=dict(
        grid=dict(population=[TWO_POINTS, FOUR_POINTS], threshold=["margin"]),
        exact=None,
        why="Gamma for Gamma / (1 + Gamma)",
    ),
)

any_q_converse = PAPER.always(
    "any-q-immunity/converse",
    statement=(
        r"\sigma\ge\frac{\Gamma}{1+\Gamma}\;\Rightarrow\;\exists Q:\ "
        r"P\big(y\langle\Phi(\tilde P),\phi(x)\rangle\le0<y\langle\Phi(P),\phi(x)\rangle\big)"
        r"\ge P(x_\Gamma,y_\Gamma)"
    ),
    place="Sec. 4.2, after Corollary 8",
    hypotheses=["the weakest correct point has a feature of norm 1"],
    simulate=simulate.weakest_mass,
    exact=_every(simulate.weakest_mass),
    certify=simulate_exact.weakest_mass,
    grid=dict(population=[TWO_POINTS, FOUR_POINTS, EVERY_PAIR], threshold=["sharp"]),
    quantity="mass of the weakest correct point",
    unit="probability",
    origin="sharper",
    note=(
        r"$Q$ is the weakest correct point $(x_\Gamma,y_\Gamma)$ with its label flipped; it is "
        r"lost, so the threshold $\Gamma/(1+\Gamma)$ is sharp."
    ),
    twin=dict(
        grid=dict(population=[TWO_POINTS, FOUR_POINTS], threshold=["half"]),
        exact=None,
        why="from half the margin on, the printed threshold, nothing need be lost yet",
    ),
)


# Symmetric label noise, Section 4.3.1.


def _one_minus_sigma(score: Numeric, sigma: Numeric) -> Numeric:
    return (1 - sigma) * score


noise_identity = PAPER.identity(
    "noise-identity",
    statement=r"\Phi(P_\sigma)=(1-2\sigma)\,\Phi(P)",
    place="Sec. 4.3.1",
    hypotheses=[LESS_THAN_HALF],
    bound=bounds.noisy_score,
    simulate=simulate.noisy_score,
    exact=_every(simulate.noisy_score),
    certify=simulate_exact.noisy_score(lambda sigma: 1 - 2 * sigma),
    grid=dict(
        population=[
            FOUR_POINTS,
            RandomPairs(3, inside=True),
            EVERY_POPULATION,
            oblique_pair(),
            two_axes(Fraction(9, 10), Fraction(1, 5)),
            digits(3, 8),
        ],
        sigma=RATES,
    ),
    quantity="score of a point under the mean of the noisy population",
    unit="score",
    note="One side mixes the population with its flipped copy, the other expands kernels.",
    twin=dict(
        grid=dict(population=[FOUR_POINTS], sigma=[0.1, 0.3, 0.45]),
        bound=_one_minus_sigma,
        certify=simulate_exact.noisy_score(lambda sigma: 1 - sigma),
        why="1 - sigma for 1 - 2 sigma: the flipped labels dropped, not negated",
    ),
)


def _worst_distance(norm: float, sigma: float) -> float:
    """What the distance never exceeds: $\\|\\Phi(P)\\|+\\frac1{1-2\\sigma}$."""
    return norm + 1 / (1 - 2 * sigma)


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
        n=[10, 100, 1000],
        sigma=RATES,
        delta=[0.5, 0.1, 0.05, 0.01],
    ),
    trivial=_worst_distance,
    rows=2048,
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
    twin=dict(
        bound=kernel_mean.mean_deviation,
        why="the factor 1 / (1 - 2 sigma) dropped on the right",
    ),
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
    note=(
        r"The printed proof with "
        r"$\mathbb E\|y\phi(x)-\Phi(P_\sigma)\|^2\le1-\|\Phi(P_\sigma)\|^2$."
    ),
    twin=dict(
        bound=kernel_mean.mean_deviation_repaired,
        why="the factor 1 / (1 - 2 sigma) dropped on the right",
    ),
    **LEMMA_9,
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
    trivial=0.5,
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
    simulate=simulate.noise_immunity,
    exact=_every(simulate.noise_immunity),
    certify=simulate_exact.noise_immunity,
    grid=dict(
        population=[TWO_POINTS, FOUR_POINTS, EVERY_POPULATION],
        sigma=[0.1, 0.3, 0.45, 0.49],
        zero=["both", "half"],
    ),
    quantity="0-1 risk of the mean of the noisy population",
    unit="probability",
    note=(
        r"A positive multiple of the clean mean, so every score keeps its sign, zeros included. "
        r"About populations: samples at $\sigma=0.49$ do fail."
    ),
    twin=dict(
        grid=dict(population=[TWO_POINTS, FOUR_POINTS], sigma=[0.51, 0.7], zero=["both"]),
        exact=None,
        why="noise rates above 1/2, where every score changes its sign",
    ),
)


def _one_minus_sigma_risk(risk: Numeric, sigma: Numeric) -> Numeric:
    return 1 - (1 - sigma) * (1 - risk)


linear_loss = PAPER.identity(
    "linear-loss-any-class",
    statement=(
        r"1-\mathrm{Risk}_{\mathrm{linear}}(P_\sigma,f)"
        r"=(1-2\sigma)\,(1-\mathrm{Risk}_{\mathrm{linear}}(P,f))"
    ),
    place="Sec. 4.3.3",
    hypotheses=[LESS_THAN_HALF],
    bound=bounds.noisy_linear_risk,
    simulate=simulate.noisy_linear_risk,
    certify=simulate_exact.noisy_linear_risk(lambda sigma: 1 - 2 * sigma),
    grid=dict(population=[TWO_POINTS, FOUR_POINTS], sigma=RATES),
    quantity="linear risk on the noisy population",
    note="For every real function, not only for scores in [-1, 1].",
    twin=dict(
        grid=dict(population=[TWO_POINTS], sigma=[0.1, 0.3, 0.45]),
        bound=_one_minus_sigma_risk,
        certify=simulate_exact.noisy_linear_risk(lambda sigma: 1 - sigma),
        why="1 - sigma for 1 - 2 sigma",
    ),
)

linear_loss_argmin = PAPER.identity(
    "linear-loss-any-class/argmin",
    statement=(
        r"\arg\min_{f\in\mathcal F}\mathrm{Risk}_{\mathrm{linear}}(P,f)"
        r"=\arg\min_{f\in\mathcal F}\mathrm{Risk}_{\mathrm{linear}}(P_\sigma,f)"
    ),
    place="Sec. 4.3.3",
    hypotheses=[LESS_THAN_HALF, "a finite class, so that minimisers exist"],
    simulate=simulate.argmin_sets,
    certify=simulate_exact.argmin_sets,
    grid=dict(population=[TWO_POINTS, FOUR_POINTS], sigma=RATES),
    quantity="set of minimisers on the noisy population, as a binary number",
    note="Sets are compared, ties included, over random classes of six functions.",
    twin=dict(
        grid=dict(population=[TWO_POINTS], sigma=[0.51, 0.7]),
        why="noise rates above 1/2, where linear risk is maximised instead",
    ),
)

# Robustness against sparsity, Section 6.

corollary_23 = claims_tradeoff.corollary_23
noise_raises_diameter = claims_tradeoff.noise_raises_diameter
