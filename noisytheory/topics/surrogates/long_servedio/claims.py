"""Convex potentials under label noise on three points: Figure 3, Table 1, and what they rest on."""

from __future__ import annotations

from typing import Any

import numpy as np

from noisytheory.papers import AVERAGE_CLASSIFIER, KERNEL_MEAN
from noisytheory.topics.surrogates import bounds
from noisytheory.topics.surrogates.long_servedio import pictures, simulate
from noisytheory.trial.claim import Certificate
from noisytheory.trial.sides import worked
from noisytheory.vocabulary.domains import NOISE_RATE, Numeric, requires
from noisytheory.vocabulary.exact import around

FIGURE_3 = "Figure 3, Sec. 7.2"
RIGHT: dict[str, Any] = dict(
    quantity="share of the clean population classified rightly", unit="probability"
)
HINGED = simulate.programmed(simulate.hinge_risk, simulate.hinge_programme)
RISK: dict[str, Any] = dict(quantity="0-1 risk on the clean population", unit="probability")
RATES = [0.1, 0.15, 0.3, 0.45]
POPULATION = r"$(1,-1)$, $(1,3)$, $(R,0)$ with masses $\frac12,\frac14,\frac14$, all positive"

figure_3_clean = KERNEL_MEAN.identity(
    "figure-3/clean",
    also=[AVERAGE_CLASSIFIER.also("figure-2/clean", "Figure 2, Sec. 9")],
    statement=r"1-\mathrm{Risk}_{01}(P,\omega)=1,\quad\omega\in\arg\min"
    r"\mathrm{Risk}_{\mathrm{hinge}}(P,\omega)",
    place=FIGURE_3,
    grid=dict(R=[1, 4, 30, 1000]),
    given=dict(sigma=0.0, promised="all right"),
    note=f"Population: {POPULATION}; print has R = 30. The least hinge risk is 0, at (1, 0) and "
    "elsewhere: all its vertices are tried. The earlier paper's print has lost the coordinates, "
    "not the masses.",
    twin=dict(given=dict(sigma=0.15, promised="all right"), why="noise at rate 0.15"),
    **RIGHT,
    **HINGED,
    picture=pictures.hyperplanes,
)


def _half_the_noise(R: int, sigma: float, promised: str) -> Any:
    return simulate.hinge_risk(R, sigma / 2, promised)


def _beyond_half(R: int, sigma: float) -> Any:
    return simulate.mean_scores(R, 1 - sigma)


figure_3_noisy = KERNEL_MEAN.identity(
    "figure-3/noisy",
    also=[AVERAGE_CLASSIFIER.also("figure-2/noisy", "Figure 2, Sec. 9")],
    statement=r"\mathrm{Risk}_{01}(P,\omega_\sigma)=\tfrac12,\quad\omega_\sigma\in\arg\min"
    r"\mathrm{Risk}_{\mathrm{hinge}}(P_\sigma,\omega)",
    place=FIGURE_3,
    hypotheses=["R = 30, and noise above the threshold of figure-3/threshold"],
    grid=dict(sigma=[0.1, 0.15, 0.3]),
    given=dict(R=30, promised="guessing"),
    note=(
        r"At $\sigma=0.15$ the minimiser is $(\frac1{30},\frac{29}{90})$ with risk "
        r"$\frac{169}{225}$; the southern point scores $-\frac{13}{45}$."
    ),
    twin=dict(**worked(_half_the_noise), why="half the noise: 0.05 is below the threshold 4/53"),
    **RISK,
    **HINGED,
    picture=pictures.hyperplanes,
)


def _certified_threshold(R: int) -> Certificate:
    exact = simulate.threshold(R)
    formula = around(float(bounds.hinge_threshold(R)))
    return Certificate(exact, formula, [("R", R), ("rate where (1, 0) stops being best", exact)])


@requires(R=bounds.BEYOND_FOUR)
def _rough_threshold(R: Numeric) -> Numeric:
    return 8 / (3 * R)


def _certified_rough(R: int) -> Certificate:
    return Certificate(simulate.threshold(R), around(8 / (3 * R)), [("R", R)])


figure_3_threshold = KERNEL_MEAN.identity(
    "figure-3/threshold",
    statement=r"\sigma^*(R)=\frac{(1-a)/2}{\frac34+\frac R4-a},\quad a=\frac4{3R}-\frac13",
    place=FIGURE_3,
    bound=bounds.hinge_threshold,
    exact=simulate.programmed_threshold,
    certify=_certified_threshold,
    grid=dict(R=[10, 30, 50, 100, 1000]),
    quantity="largest noise rate at which (1, 0) minimises hinge risk",
    unit="probability",
    origin="sharper",
    note=r"$\sigma^*(30)=\frac4{53}$: below it the SVM is perfect on the printed population.",
    twin=dict(bound=_rough_threshold, certify=_certified_rough, why="its limit for large R"),
    picture=pictures.hyperplanes,
)


@requires(sigma=NOISE_RATE)
def far_enough(sigma: float) -> int:
    r"""A whole number $R\ge3/\sigma$, at which hinge loss fails for this noise rate."""
    return int(np.ceil(3 / sigma))


def _scaled(sigma: float) -> Any:
    return simulate.hinge_risk(far_enough(sigma), sigma, "guessing")


def _unscaled(sigma: float) -> Any:
    return simulate.hinge_risk(30, sigma, "guessing")


figure_3_scale = KERNEL_MEAN.identity(
    "figure-3/scale",
    statement=r"\forall\sigma\in(0,\tfrac12)\ \exists R:\ \mathrm{Risk}_{01}(P,\omega_\sigma)"
    r"=\tfrac12",
    place=FIGURE_3,
    grid=dict(sigma=[0.4, 0.1, 0.01, 0.001]),
    note=r"With $R=\lceil3/\sigma\rceil$.",
    twin=dict(**worked(_unscaled), why="R = 30 at every rate"),
    **RISK,
    **worked(_scaled),
    picture=pictures.hyperplanes,
)
figure_3_mean = KERNEL_MEAN.identity(
    "figure-3/mean",
    also=[AVERAGE_CLASSIFIER.also("figure-2/mean", "Figure 2, Sec. 9")],
    statement=r"1-\mathrm{Risk}_{01}(P,\Phi(P_\sigma))=1",
    place=FIGURE_3,
    hypotheses=["noise rate below 1/2"],
    grid=dict(R=[1, 30, 1000], sigma=[0.0, 0.3, 0.49, 0.4999]),
    note=r"Scores $\frac{R+2}4,\frac{R+6}4,\frac{R(R+3)}4$ times $1-2\sigma$. Of the population: "
    "samples do fail.",
    twin=dict(**worked(_beyond_half), why="noise above one half"),
    **RIGHT,
    **worked(simulate.mean_scores),
    picture=pictures.hyperplanes,
)

IMPOSSIBLE: dict[str, Any] = dict(place="Sec. 4.3, after Long and Servedio", **RISK)
impossibility_printed = KERNEL_MEAN.identity(
    "long-servedio-impossibility/printed",
    statement=r"\forall\sigma\ \exists P\ \forall\psi:\ \mathrm{Risk}_{01}(P,\omega_{\psi,\sigma})"
    r"=\tfrac12",
    also=[AVERAGE_CLASSIFIER.also("long-servedio-quantifier/printed", "Sec. 4.4")],
    hypotheses=["the family of three points that the paper cites"],
    grid=dict(R=[3, 30, 1000], sigma=RATES),
    expect="refuted",
    note=(
        r"The quantifiers are swapped; the source has $\forall\sigma\,\forall\psi\,\exists P$. For "
        r"every noise rate and $R\ge3$ a convex potential with slopes $-1$, $-q$ and 0 has "
        r"$\omega=(2,1)$ as its minimiser, which classifies everything. This refutes the statement "
        r"for the cited family; whether another population defeats all potentials is not settled. "
        r"The earlier paper claims more, one population for every nonzero rate; its Sec. 9 asks "
        r"for noise that is large enough."
    ),
    **IMPOSSIBLE,
    **worked(simulate.explicit_potential),
)
impossibility = KERNEL_MEAN.identity(
    "long-servedio-impossibility/repaired",
    also=[AVERAGE_CLASSIFIER.also("long-servedio-quantifier/repaired", "Sec. 4.4")],
    statement=r"\forall\sigma\ \forall\psi\ \exists P:\ \mathrm{Risk}_{01}(P,\omega_{\psi,\sigma})"
    r"=\tfrac12",
    hypotheses=["piecewise linear potentials, of which four are tried"],
    grid=dict(potential=list(simulate.STRAIGHT), sigma=[0.45, 0.3, 0.1, 0.01]),
    given=dict(far="any"),
    note=(
        "The order of the source's quantifiers, and print's best reading. The population is "
        "searched for, $R$ doubled from 4, and every minimiser looked at, exactly; among the "
        "potentials is the one of `kernel-mean/long-servedio-impossibility/printed`, which the "
        r"population of $R=30$ does not defeat. For smooth ones see "
        "`kernel-mean/long-servedio-impossibility/repaired-smooth`."
    ),
    twin=dict(given=dict(far="30"), why="one population for all rates and potentials"),
    **IMPOSSIBLE,
    **simulate.programmed(simulate.defeated, simulate.defeated_programme),
)


CUTS = (
    "The minimiser is found by Newton's method, and the signs of its scores are certified: three "
    "gradients around it, in intervals, leave a triangle."
)
impossibility_smooth = KERNEL_MEAN.identity(
    "long-servedio-impossibility/repaired-smooth",
    statement=impossibility.statement,
    hypotheses=["smooth potentials: logistic, exponential and squared hinge loss are tried"],
    grid=dict(potential=list(simulate.SMOOTH), sigma=[0.45, 0.3, 0.1, 0.01, 0.001]),
    given=dict(far="9 / sigma"),
    exact=simulate.potential_risk,
    certify=simulate.certified_potential,
    note=rf"With $R=\lceil9/\sigma\rceil$. {CUTS}",
    twin=dict(given=dict(far="30"), why="one population for all rates and potentials"),
    **IMPOSSIBLE,
)


def _half(potential: str, sigma: float, far: str) -> Any:
    return simulate.potential_risk(potential, sigma / 2, far)


def _certified_half(potential: str, sigma: float, far: str) -> Certificate:
    return simulate.certified_potential(potential, sigma / 2, far)


impossibility_potentials = KERNEL_MEAN.identity(
    "long-servedio-impossibility/potentials",
    statement=r"\mathrm{Risk}_{01}(P,\omega_{\psi,\sigma})=\tfrac12\quad\text{on the printed }P",
    hypotheses=["logistic, exponential or squared hinge loss", "noise rates 0.05 and 0.15"],
    grid=dict(potential=list(simulate.SMOOTH), sigma=[0.05, 0.15]),
    given=dict(far="30"),
    exact=simulate.potential_risk,
    certify=simulate.certified_potential,
    origin="sharper",
    note=(
        r"Scores of the southern point at $\sigma=0.15$: logistic $-0.0559$, exponential "
        r"$-0.0331$, squared hinge $-0.0358$; at $\sigma=0.05$ that of logistic loss is $-0.0016$. "
        rf"At $\sigma=0.025$ logistic and squared hinge survive. {CUTS}"
    ),
    twin=dict(
        exact=_half, certify=_certified_half,
        why="half the noise: at 0.025 logistic and squared hinge loss survive",
    ),
    **IMPOSSIBLE,
)


def _less_noise(sigma: float) -> Any:
    return simulate.t_logistic_risk(sigma / 2)


def _guessing() -> float:
    return 0.5


nonconvex = KERNEL_MEAN.exists(
    "nonconvex-not-immune",
    statement=r"\mathrm{Risk}_{01}(P,\omega_\sigma)\ge\tfrac12\ \text{for the t-logistic loss}",
    place="Sec. 4.3.2",
    hypotheses=["noise rates 0.3 and 0.4; at 0.2 this loss survives"],
    bound=_guessing,
    exact=simulate.t_logistic_risk,
    grid=dict(sigma=[0.3, 0.4]),
    note=(
        r"On the printed population, $R=30$, $t=2$; print names no loss and no number. The risk is "
        "not convex: two descents find a point, and boxes of scores that cover the plane certify "
        "that whatever has no more risk has the same misclassification risk, hence every minimiser."
    ),
    origin="candidate",
    twin=dict(exact=_less_noise, why="half the noise, which this loss survives"),
    **RISK,
)


def _guessing_at_any_rate(R: int, sigma: float) -> Any:
    return simulate.hinge_risk(R, sigma, "guessing")


long_servedio_hinge = AVERAGE_CLASSIFIER.identity(
    "long-servedio-quantifier/printed-hinge",
    statement=r"\forall\sigma\in(0,\tfrac12):\ \mathrm{Risk}_{01}(P,\omega_\sigma)=\tfrac12",
    place="Sec. 4.4",
    hypotheses=["one population for every nonzero noise rate"],
    grid=dict(R=[30, 1000], sigma=[0.3, 0.1, 0.05, 0.001]),
    expect="refuted",
    note=r"Hinge loss is perfect below $\sigma^*(R)$, for $R=30$ below $\frac4{53}$.",
    **RISK,
    **worked(_guessing_at_any_rate),
)
