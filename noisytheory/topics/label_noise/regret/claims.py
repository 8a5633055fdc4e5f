"""Regret for linear loss: Lemma 3."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from noisytheory.papers import AVERAGE_CLASSIFIER as EARLIER
from noisytheory.papers import KERNEL_MEAN as PAPER
from noisytheory.topics.label_noise.instances import EVERY_POSTERIOR, ONE_POINT, THREE_POINTS
from noisytheory.topics.label_noise.regret import bounds, sides
from noisytheory.topics.label_noise.regret.sides import Scored
from noisytheory.trial.sides import both, scaled
from noisytheory.vocabulary.domains import Numeric

ZERO_IS_ERROR = "a zero score is an error for both labels"
LEMMA_3: dict[str, Any] = dict(
    place="Lemma 3, Sec. 3; proof A.1",
    quantity="regret for misclassification loss",
    unit="probability",
)


def _quarter_of_zeros(regret: Numeric, idle: Numeric) -> Numeric:
    return regret + idle / 4


lemma_3 = PAPER.always(
    "lemma-3/printed",
    statement=r"\mathrm{Regret}_{01}(P,f)\le\mathrm{Regret}_{\mathrm{linear}}(P,f)",
    hypotheses=["scores in [-1, 1]", ZERO_IS_ERROR],
    also=[EARLIER.also("theorem-1/printed", "Theorem 1, Sec. 3")],
    grid=dict(population=[ONE_POINT, EVERY_POSTERIOR]),
    given=dict(zero="both", scores="any"),
    expect="refuted",
    note=(
        r"At $f(x)=0$ the conditional regrets are $\max(\eta,1-\eta)$ and $|1-2\eta|$: at "
        r"$\eta=0.9$ they are 0.9 and 0.8, at $\eta=\frac12$ they are $\frac12$ and 0. The proof "
        r"takes the regret for misclassification loss to be "
        r"$|1-2\eta|\,[\![\mathrm{sign}(2\eta-1)f\le0]\!]$, which needs $f\ne0$ while "
        r"$\ell_{01}(y,0)=1$ for both labels."
    ),
    **LEMMA_3,
    **both(sides.regret, Scored, bounds.surrogate_regret),
)

lemma_3_repaired = PAPER.always(
    "lemma-3/repaired",
    statement=(
        r"\mathrm{Regret}_{01}(P,f)\le\mathrm{Regret}_{\mathrm{linear}}(P,f),"
        r"\quad\ell_{01}(y,0)=\tfrac12"
    ),
    hypotheses=["scores in [-1, 1]", "a zero score is half an error"],
    also=[EARLIER.also("theorem-1/repaired", "Theorem 1, Sec. 3")],
    grid=dict(population=[THREE_POINTS, EVERY_POSTERIOR]),
    given=dict(zero="half", scores="any"),
    note="Repaired: a zero score counts one half, as if the label were then tossed.",
    twin=scaled(Fraction(1, 2)),
    **LEMMA_3,
    **both(sides.regret, Scored, bounds.surrogate_regret),
)

lemma_3_nonzero = PAPER.always(
    "lemma-3/repaired-nonzero",
    statement=(
        r"P(f(x)=0)=0\;\Rightarrow\;"
        r"\mathrm{Regret}_{01}(P,f)\le\mathrm{Regret}_{\mathrm{linear}}(P,f)"
    ),
    hypotheses=["scores in [-1, 1]", "the score is almost surely not zero"],
    grid=dict(population=[THREE_POINTS, EVERY_POSTERIOR]),
    given=dict(zero="both", scores="nonzero"),
    note="Repaired: the hypothesis that the printed proof uses. Tight as a wrong score goes to 0.",
    twin=dict(
        given=dict(zero="both", scores="any"),
        why="zero scores admitted",
    ),
    **LEMMA_3,
    **both(sides.regret, Scored, bounds.surrogate_regret),
)

lemma_3_mass = PAPER.always(
    "lemma-3/repaired-mass",
    statement=(
        r"\mathrm{Regret}_{01}(P,f)\le\mathrm{Regret}_{\mathrm{linear}}(P,f)+\tfrac12P(f(x)=0)"
    ),
    hypotheses=["scores in [-1, 1]", ZERO_IS_ERROR],
    grid=dict(population=[THREE_POINTS, EVERY_POSTERIOR]),
    given=dict(zero="both", scores="any"),
    note=(
        r"Repaired by what zero scores can cost: $\frac{1+c}2\le c+\frac12$ with $c=|1-2\eta|$; "
        r"equality at $\eta=\frac12$."
    ),
    twin=dict(
        **both(sides.regret, Scored, _quarter_of_zeros),
        why="a quarter of the mass of the zeros instead of half",
    ),
    **LEMMA_3,
    **both(sides.regret, Scored, bounds.surrogate_regret_with_zeros),
)

linear_regret = PAPER.identity(
    "lemma-3/linear-regret",
    statement=r"\mathrm{Regret}_{\mathrm{linear}}(\eta,f)=|1-2\eta|-(2\eta-1)f",
    place="Lemma 3, proof A.1",
    hypotheses=["scores in [-1, 1]"],
    grid=dict(population=[ONE_POINT, EVERY_POSTERIOR]),
    given=dict(scores="any"),
    quantity="linear loss of a score less the smallest, given the instance",
    twin=scaled(Fraction(1, 2)),
    **both(sides.linear_regret, Scored, bounds.linear_regret),
)

misclassification_regret = PAPER.identity(
    "lemma-3/misclassification-regret",
    statement=(
        r"\mathrm{Regret}_{01}(\eta,f)=|1-2\eta|\,[\![(2\eta-1)f\le0]\!]\ (f\ne0),\quad"
        r"\ell_{01}(y,0)-\min(\eta,1-\eta)\ (f=0)"
    ),
    place="Lemma 3, proof A.1",
    hypotheses=["scores in [-1, 1]"],
    grid=dict(population=[ONE_POINT, EVERY_POSTERIOR], zero=[1.0, 0.5]),
    given=dict(scores="any"),
    quantity="misclassification loss of a score less the smallest, given the instance",
    unit="probability",
    note="With the second branch, which print forgets: there Lemma 3 fails.",
    twin=scaled(Fraction(1, 2)),
    **both(sides.misclassification_regret, Scored, bounds.misclassification_regret),
)
