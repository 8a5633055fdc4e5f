"""Contamination of the population: Section 4.2, Corollary 8, and what no share can harm."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from noisytheory.papers import AVERAGE_CLASSIFIER as EARLIER
from noisytheory.papers import KERNEL_MEAN as PAPER
from noisytheory.topics.label_noise.contamination import bounds, sides
from noisytheory.topics.label_noise.instances import (
    COARSE,
    EVERY_PAIR,
    FOUR_POINTS,
    IN_THE_BALL,
    OBLIQUE,
    PAIRS,
    TWO_POINTS,
    Pair,
)
from noisytheory.trial.sides import both, scaled
from noisytheory.vocabulary.domains import Numeric

UNIT_FEATURES = "features of norm at most 1"
FINITE_MARGIN = "some point is classified correctly, so that the margin for error is finite"
ZERO_IS_ERROR = "a zero score is an error for both labels"
LEMMA_7 = "Lemma 7, Sec. 4.2"
COROLLARY_8: dict[str, Any] = dict(
    place="Corollary 8, Sec. 4.2",
    quantity="0-1 risk of the contaminated mean",
    unit="probability",
)


def _kept_share(distance: Numeric, sigma: Numeric) -> Numeric:
    return (1 - sigma) * distance


def _margin_less_share(margin: Numeric, sigma: Numeric) -> Numeric:
    return margin - sigma


contamination_mean = PAPER.identity(
    "contamination-identities/mean",
    statement=r"\Phi((1-\sigma)P+\sigma Q)=(1-\sigma)\Phi(P)+\sigma\Phi(Q)",
    place="Sec. 4.2",
    grid=dict(population=[FOUR_POINTS, EVERY_PAIR]),
    quantity="score of a point under the mean of the mixture",
    unit="score",
    twin=dict(**both(sides.added_mean, Pair), why="Q added to P, not mixed with it"),
    **both(sides.contaminated_mean, Pair),
)

contamination_distance = PAPER.identity(
    "contamination-identities/distance",
    statement=r"\|\Phi(P)-\Phi(\tilde P)\|=\sigma\,\|\Phi(P)-\Phi(Q)\|",
    place="Sec. 4.2",
    grid=dict(population=[FOUR_POINTS, EVERY_PAIR]),
    quantity="distance that the mean moves",
    unit="RKHS norm",
    twin=dict(
        **both(sides.contaminated_distance, Pair, _kept_share), why="1 - sigma for sigma"
    ),
    **both(sides.contaminated_distance, Pair, bounds.contaminated_distance),
)

contamination_diameter = PAPER.always(
    "contamination-identities/diameter",
    statement=r"\|\Phi(P)-\Phi(Q)\|^2\le4",
    place="Sec. 4.2, after Corollary 8",
    hypotheses=[UNIT_FEATURES],
    grid=dict(population=[TWO_POINTS, IN_THE_BALL, EVERY_PAIR]),
    quantity="squared distance of the means of two populations",
    unit="RKHS norm, squared",
    note="Attained by one point with either label.",
    twin=scaled(
        Fraction(1, 2),
        "square root of 2 for 2, which holds for nonnegative kernels and equal labels only",
    ),
    **both(sides.population_distance, Pair),
)

corollary_8 = PAPER.identity(
    "corollary-8/printed",
    statement=(
        r"\sigma\|\Phi(P)-\Phi(Q)\|<\Gamma(P,\Phi(P))\;\Rightarrow\;"
        r"\mathrm{Risk}_{01}(P,\Phi(P))=\mathrm{Risk}_{01}(P,\Phi(\tilde P))"
    ),
    hypotheses=[UNIT_FEATURES, ZERO_IS_ERROR, FINITE_MARGIN],
    also=[EARLIER.also("lemma-7/printed", LEMMA_7)],
    grid=dict(population=[COARSE, OBLIQUE]),
    given=dict(reach=1),
    expect="refuted",
    note=(
        r"Contamination can improve the risk: the margin for error looks at correct points only. "
        r"Features $x_1,x_2$ with $\langle x_1,x_2\rangle=-\frac18$, masses $\frac{15}{16}$ and "
        r"$\frac1{16}$, both positive: scores $\frac{119}{128}=\Gamma$ and $-\frac7{128}$, risk "
        r"$\frac1{16}$. With $Q$ on $x_2$ and $\sigma=\frac18$ the mean moves by "
        r"$\frac{45}{256}<\Gamma$; the scores become $\frac{817}{1024}$ and $\frac{79}{1024}$ and "
        r"the risk 0. What the proof gives is $\le$: see `corollary-8/repaired`."
    ),
    **COROLLARY_8,
    **both(sides.contaminated_risk, Pair),
)

corollary_8_repaired = PAPER.always(
    "corollary-8/repaired",
    statement=(
        r"\sigma\|\Phi(P)-\Phi(Q)\|<\Gamma(P,\Phi(P))\;\Rightarrow\;"
        r"\mathrm{Risk}_{01}(P,\Phi(\tilde P))\le\mathrm{Risk}_{01}(P,\Phi(P))"
    ),
    hypotheses=[UNIT_FEATURES, ZERO_IS_ERROR, FINITE_MARGIN],
    also=[EARLIER.also("lemma-7/repaired", LEMMA_7)],
    grid=dict(population=[*PAIRS, OBLIQUE]),
    given=dict(reach=1),
    note=(
        r"Repaired: an inequality. The hypothesis stays strict, since at equality a point of "
        r"margin $\Gamma$ can be moved to a score of exactly zero. It needs a zero score to be an "
        r"error for both labels: where it is half an error, a zero can become a whole one."
    ),
    twin=dict(given=dict(reach=2), why="the mean may move by twice the margin"),
    **COROLLARY_8,
    **both(sides.contaminated_risk, Pair),
)

corollary_8_two_sided = PAPER.identity(
    "corollary-8/two-sided",
    statement=(
        r"\sigma\|\Phi(P)-\Phi(Q)\|<\mathrm{ess\,inf}|\langle\Phi(P),\phi(x)\rangle|"
        r"\;\Rightarrow\;"
        r"\mathrm{Risk}_{01}(P,\Phi(P))=\mathrm{Risk}_{01}(P,\Phi(\tilde P))"
    ),
    hypotheses=[UNIT_FEATURES],
    grid=dict(population=PAIRS),
    given=dict(reach=1),
    note=(
        r"Repaired the other way: no point, correct or not, may be closer to zero than the mean "
        r"moves; then no score changes its sign."
    ),
    twin=dict(
        **both(sides.contaminated_risk, Pair), why="the one-sided margin for error, as printed"
    ),
    **COROLLARY_8,
    **both(sides.contaminated_risk_two_sided, Pair),
)

any_q_immunity = PAPER.always(
    "any-q-immunity",
    statement=(
        r"\sigma<\tfrac12\Gamma(P,\Phi(P))\;\Rightarrow\;"
        r"\mathrm{Risk}_{01}(P,\Phi(\tilde P))\le\mathrm{Risk}_{01}(P,\Phi(P))\ \forall Q"
    ),
    place="Sec. 4.2, after Corollary 8",
    hypotheses=[UNIT_FEATURES, ZERO_IS_ERROR, FINITE_MARGIN],
    also=[EARLIER.also("any-q-immunity", "Sec. 4.2, after Lemma 7")],
    grid=dict(population=PAIRS),
    given=dict(divisor=2),
    quantity="0-1 risk of the contaminated mean",
    unit="probability",
    note=(
        r"Print says immune; as in Corollary 8 the risk can still fall. Not sharp: see "
        r"`any-q-immunity/sharp`."
    ),
    twin=dict(
        given=dict(divisor=1),
        why="the whole margin for half of it",
    ),
    **both(sides.corrupted_risk, sides.Threatened),
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
    grid=dict(population=[*PAIRS, IN_THE_BALL]),
    given=dict(threshold="sharp"),
    quantity="mass of the correct points that are lost",
    unit="probability",
    origin="sharper",
    note=(
        r"No correct point is lost to any $Q$, because "
        r"$y\langle\Phi(\tilde P),\phi(x)\rangle\ge(1-\sigma)\Gamma-\sigma$. With $\Gamma=\frac12$ "
        r"print allows $\sigma<\frac14$, this $\sigma<\frac13$."
    ),
    twin=dict(
        given=dict(threshold="margin"),
        why="Gamma for Gamma / (1 + Gamma)",
    ),
    **both(sides.lost_mass, sides.Threatened),
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
    grid=dict(population=PAIRS),
    given=dict(threshold="sharp"),
    quantity="mass of the weakest correct point",
    unit="probability",
    origin="sharper",
    note=(
        r"$Q$ is the weakest correct point $(x_\Gamma,y_\Gamma)$ with its label flipped; it is "
        r"lost, so the threshold $\Gamma/(1+\Gamma)$ is sharp."
    ),
    twin=dict(
        given=dict(threshold="half"),
        why="from half the margin on, the printed threshold, nothing need be lost yet",
    ),
    **both(sides.weakest_mass, sides.Hit),
)

worst_score = PAPER.identity(
    "any-q-immunity/worst-score",
    statement=(
        r"\min_Q\ y\langle\Phi(\tilde P),\phi(x)\rangle=(1-\sigma)\,\Gamma-\sigma"
    ),
    place="Sec. 4.2, after Corollary 8",
    hypotheses=["(x, y) is the weakest correct point, with a feature of norm 1"],
    grid=dict(population=PAIRS),
    quantity="lowest score of the weakest correct point",
    unit="score",
    origin="sharper",
    twin=dict(
        **both(sides.worst_score, sides.Hit, _margin_less_share), why="the factor 1 - sigma dropped"
    ),
    **both(sides.worst_score, sides.Hit, bounds.worst_score),
)

losing_share = PAPER.identity(
    "any-q-immunity/losing-share",
    statement=(
        r"\min\{\sigma:\exists Q\ y\langle\Phi(\tilde P),\phi(x)\rangle\le0\}"
        r"=\frac{\Gamma}{1+\Gamma}"
    ),
    place="Sec. 4.2, after Corollary 8",
    hypotheses=["(x, y) is the weakest correct point, with a feature of norm 1"],
    grid=dict(population=PAIRS),
    quantity="smallest share that can cost the weakest correct point",
    unit="probability",
    origin="sharper",
    twin=dict(
        **both(sides.losing_share, sides.Hit, bounds.harmless_share), why="half the margin, printed"
    ),
    **both(sides.losing_share, sides.Hit, bounds.harmless_share_sharp),
)

harmless_share = PAPER.exists(
    "any-q-immunity/share",
    statement=(
        r"\min\{\sigma:\exists Q\ y\langle\Phi(\tilde P),\phi(x)\rangle\le0\}\ge\tfrac12\Gamma"
    ),
    place="Sec. 4.2, after Corollary 8",
    hypotheses=["two orthogonal points, the weaker one of the given margin; or one, of margin 1"],
    bound=bounds.harmless_share,
    exact=sides.losing_share_of_two,
    grid=dict(margin=[1 / 64, 1 / 8, 1 / 4, 1 / 2, 1.0]),
    quantity="smallest share that can cost the weakest correct point",
    unit="probability",
    note="The printed threshold as a number; the truth is below the whole margin, and is the "
    "threshold for a single point.",
    twin=scaled(2, "the whole margin for half of it"),
)
