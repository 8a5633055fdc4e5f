"""Calibration of linear loss and of convex potentials, and Bayes classifiers under noise."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from noisytheory.papers import AVERAGE_CLASSIFIER, KERNEL_MEAN
from noisytheory.topics.surrogates.calibration import simulate
from noisytheory.trial.sides import worked

SCORED = "scores in [-1, 1]"
ZERO = "a zero score is an error for both labels"
HALF = "a zero score is half an error"
REGRET: dict[str, Any] = dict(quantity="regret for misclassification", unit="probability")

TRIED = (
    "One point: every posterior that is a tenth, every score that is a half; two: posteriors "
    r"0, $\frac25$, $\frac12$ and $\frac45$."
)
CALIBRATED: dict[str, Any] = dict(
    place="Sec. 2.1, Def. 2 and Sec. 3", **REGRET, **worked(simulate.calibrated)
)
PRINTED = r"\mathrm{Regret}_\ell(P,f_n)\to0\Rightarrow\mathrm{Regret}_{01}(P,f_n)\to0"
SURROGATES: dict[str, dict[str, Any]] = {
    "linear-loss-calibrated": dict(given=dict(loss="linear")),
    "convex-potential-calibrated": dict(grid=dict(loss=list(simulate.SCALES))),
}


def _calibration(name: str, losses: dict[str, Any]) -> list[Any]:
    grid, given = losses.get("grid", {}), losses.get("given", {})
    square = r"\mathrm{Regret}_{01}(P,f)^2\le s\,\mathrm{Regret}_\ell(P,f)"
    twin = dict(
        given=dict(zero="both", posteriors="any", **given),
        why="a zero score is an error for both labels, and the posterior may be one half",
    )
    return [
        KERNEL_MEAN.always(
            f"{name}/printed",
            statement=PRINTED,
            hypotheses=[ZERO],
            grid=grid,
            given=dict(zero="both", posteriors="minimisers", **given),
            expect="refuted",
            note=(
                r"At $\eta=\frac12$ the constant sequence $f_n=0$ has surrogate regret 0, because "
                r"$\frac12\psi(v)+\frac12\psi(-v)\ge\psi(0)$, and 01-regret $\frac12$."
            ),
            **CALIBRATED,
        ),
        KERNEL_MEAN.always(
            f"{name}/repaired",
            statement=square,
            hypotheses=[SCORED, HALF],
            grid=grid,
            given=dict(zero="half", posteriors="any", **given),
            note=(
                r"Repaired by the loss $\frac12$ at 0, and made quantitative: $s=1$ for linear, "
                r"hinge and squared hinge, $s=2$ for exponential and logistic loss. " + TRIED
            ),
            twin=twin,
            **CALIBRATED,
        ),
        KERNEL_MEAN.always(
            f"{name}/repaired-posterior",
            statement=(
                r"\mathrm{Regret}_{01}(P,f)^2\le s\Big(\tfrac{1+c}{2c}\Big)^2"
                r"\mathrm{Regret}_\ell(P,f),\quad c=\mathrm{ess\,inf}|2\eta-1|>0"
            ),
            hypotheses=[SCORED, ZERO, "the posterior stays away from one half"],
            grid=grid,
            given=dict(zero="both", posteriors="away", **given),
            note=(
                "Repaired the other way; when only $P(\\eta=\\frac12)=0$ the limit still holds. "
                + TRIED
            ),
            twin=twin,
            **CALIBRATED,
        ),
    ]


calibration = [claim for item in SURROGATES.items() for claim in _calibration(*item)]


def _beyond_half(sigma: float, zero: simulate.Zero) -> Any:
    return simulate.minimisers(1 - sigma, zero)


proposition_11 = KERNEL_MEAN.identity(
    "proposition-11",
    statement=(
        r"\arg\min_f\mathrm{Risk}_{01}(P,f)=\arg\min_f\mathrm{Risk}_{01}(P_\sigma,f)"
    ),
    place="Proposition 11, Sec. 4.3; proof in the appendix",
    hypotheses=["noise rate below 1/2"],
    grid=dict(sigma=[0.1, 0.3, 0.49], zero=["both", "half"]),
    quantity="set of minimising scores, as a binary number",
    note=(
        r"The appendix's Bayes rule outputs 0 where $\eta\le\frac12$, which is itself an error; "
        r"the sets agree all the same."
    ),
    twin=dict(**worked(_beyond_half), why="noise rates above one half"),
    **worked(simulate.minimisers),
)

BAYES: dict[str, Any] = dict(
    hypotheses=[ZERO],
    quantity="0-1 risk of the rule",
    unit="probability",
    **worked(simulate.bayes_rule),
)
bayes_printed = KERNEL_MEAN.identity(
    "proposition-11/bayes-rule/printed",
    statement=r"f_{01,P}(x)=1\text{ if }\eta(x)>\tfrac12\text{ and }0\text{ otherwise}",
    place="proof of Proposition 11, A.4: it is well known that",
    given=dict(otherwise=0, threshold="11/20"),
    expect="refuted",
    note=(
        "Print has three Bayes rules. A score of 0 is an error for both labels, so that this one "
        "is wrong wherever it outputs 0. Posteriors are tenths: 11/20 is above one half."
    ),
    **BAYES,
)
bayes_repaired = KERNEL_MEAN.identity(
    "proposition-11/bayes-rule/repaired",
    statement=r"f_{01,P}(x)=1\text{ if }\eta(x)\ge\tfrac12\text{ and }-1\text{ otherwise}",
    place="Sec. 2",
    given=dict(otherwise=-1, threshold="1/2"),
    note="The first of the three.",
    twin=dict(given=dict(otherwise=-1, threshold="3/4"), why="positive from 3/4 on"),
    **BAYES,
)

theorem_16_calibrated = KERNEL_MEAN.identity(
    "theorem-16/calibrated",
    statement=r"\ell(y,v)=\lambda yv+g(y)\text{ is calibrated}\iff\lambda<0",
    place="Theorem 16, second sentence",
    hypotheses=[SCORED, HALF],
    grid=dict(multiplier=[-2, -1, 0, 1, 2]),
    given=dict(zero="half"),
    quantity="whether no minimiser of the surrogate has regret",
    note=(
        "Over all real scores the risk is unbounded below and nothing is minimised. Nine functions "
        "of the label are tried, which move no minimiser."
    ),
    twin=dict(
        given=dict(zero="both"), why="a zero score is an error for both labels"
    ),
    **worked(simulate.linear_calibrated),
)


# The earlier paper, Theorem 1.


def _late_threshold() -> Any:
    return simulate.bayes_optimal(Fraction(3, 4))


def _optimal() -> Any:
    return simulate.bayes_optimal()


theorem_1_optimal = AVERAGE_CLASSIFIER.identity(
    "theorem-1/bayes",
    statement=(
        r"\mathrm{Risk}_{\mathrm{linear}}(P,f_P)=\min_{f\in[-1,1]^X}"
        r"\mathrm{Risk}_{\mathrm{linear}}(P,f),\quad f_P=\mathrm{sign}(2\eta-1)"
    ),
    place="Theorem 1, Sec. 3",
    hypotheses=[SCORED],
    quantity="linear risk of the Bayes classifier",
    note="The formulas are lost; the prose and the later paper determine them.",
    twin=dict(**worked(_late_threshold), why="positive from eta = 3/4 on instead of 1/2"),
    **worked(_optimal),
)
