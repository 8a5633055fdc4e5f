"""Margins for error: Theorem 7, Lemma 25, and the earlier paper's Theorem 6."""

from __future__ import annotations

from typing import Any

from noisytheory.papers import AVERAGE_CLASSIFIER as EARLIER
from noisytheory.papers import KERNEL_MEAN as PAPER
from noisytheory.topics.label_noise.instances import SMALL
from noisytheory.topics.label_noise.margins import sides
from noisytheory.topics.label_noise.regret.sides import Scored
from noisytheory.trial.sides import both, scaled

FINITE_MARGIN = "some point is classified correctly, so that the margin for error is finite"
RISK: dict[str, Any] = dict(quantity="0-1 risk", unit="probability")

theorem_7 = PAPER.always(
    "theorem-7",
    statement=(
        r"\|f-\tilde f\|_\infty\le\epsilon\;\Rightarrow\;"
        r"\mathrm{Risk}_{01}(P,\tilde f)\le\mathrm{Risk}_{\ell_\epsilon}(P,f)"
    ),
    place="Theorem 7, Sec. 4.1; proof A.3",
    hypotheses=["scores differ by at most epsilon everywhere"],
    grid=dict(population=SMALL, inequality=["closed", "open"]),
    quantity="0-1 risk of the perturbed classifier",
    unit="probability",
    note=(
        r"Holds as stated, with $y\tilde f\le0$ and $yf\le\epsilon$, and in the version that the "
        r"appendix proves, with $<$ in both. An equality for $\tilde f=0$ on $\{|f|\le\epsilon\}$."
    ),
    twin=dict(
        **both(sides.mixed_risk, sides.Perturbed),
        why="a zero score is an error, but a margin of exactly epsilon is not",
    ),
    **both(sides.perturbed_risk, sides.Perturbed),
)

lemma_25 = PAPER.always(
    "lemma-25",
    statement=r"|v-\tilde v|\le\epsilon,\ \tilde v<0\;\Rightarrow\;v<\epsilon",
    place="Lemma 25, A.3",
    grid=dict(inequality=["open", "closed"]),
    quantity="whether the premise holds",
    note=(
        r"Also with $\tilde v\le0$ and $v\le\epsilon$, as Theorem 7 needs. All whole numbers up to "
        "8 in size."
    ),
    twin=dict(
        **both(sides.mixed_gap, sides.Gap),
        why="from a closed premise to an open conclusion: v = epsilon, moved to 0",
    ),
    **both(sides.margin_gap, sides.Gap),
)

margin_for_error = PAPER.always(
    "margin-for-error",
    statement=(
        r"\|f-\tilde f\|_\infty\le\epsilon<\Gamma(P,f)\;\Rightarrow\;"
        r"\mathrm{Risk}_{01}(P,\tilde f)\le\mathrm{Risk}_{01}(P,f)"
    ),
    place="Sec. 4.1, after Theorem 7",
    hypotheses=["epsilon is less than the margin for error", FINITE_MARGIN],
    also=[EARLIER.also("margin-for-error", "Sec. 4.1, after Theorem 6")],
    grid=dict(population=SMALL),
    given=dict(strict="<"),
    quantity="0-1 risk of the perturbed classifier",
    unit="probability",
    note=(
        r"One-sided: the risk can fall. Vacuous for most continuous populations, whose margin for "
        r"error is 0."
    ),
    twin=dict(
        given=dict(strict="<="),
        why="epsilon may equal the margin, and moves a correct point to a score of zero",
    ),
    **both(sides.risk_within_margin, sides.Inside),
)

margin_formula = PAPER.identity(
    "margin-for-error/formula",
    statement=r"\Gamma(P,f)=\mathrm{ess\,inf}\{yf(x):yf(x)>0\}",
    place="Sec. 4.1, after Theorem 7",
    hypotheses=[FINITE_MARGIN],
    grid=dict(population=SMALL),
    given=dict(scores="any"),
    quantity="margin for error, from its definition",
    origin="sharper",
    note=(
        r"The supremum of $\{\gamma:\mathrm{Risk}_{\ell_\gamma}=\mathrm{Risk}_{01}\}$ in closed "
        r"form."
    ),
    twin=scaled(2, "twice the smallest margin"),
    **both(sides.margin_for_error, Scored),
)

theorem_6 = EARLIER.identity(
    "theorem-6",
    statement=(
        r"\sup_{\|f-\tilde f\|_\infty\le\epsilon}\mathrm{Risk}_{01}(P,\tilde f)"
        r"=\mathrm{Risk}_{\ell_\epsilon}(P,f)"
    ),
    place="Theorem 6, Sec. 4.1",
    hypotheses=["a zero score is an error for both labels"],
    grid=dict(population=SMALL),
    given=dict(zero="both"),
    note=(
        r"The equivalence that print states follows from this equality. It needs "
        r"$\ell_{01}(y,0)=1$: the supremum is attained by $\tilde f=0$ where $|f|\le\epsilon$."
    ),
    twin=dict(given=dict(zero="half"), why="a zero score is half an error"),
    **RISK,
    **both(sides.worst_perturbation, sides.Perturbed),
)

theorem_6_half = EARLIER.always(
    "theorem-6/half-error",
    statement=(
        r"\mathrm{Risk}_{\ell_\epsilon}(P,f)\le\alpha\Rightarrow\mathrm{Risk}_{01}(P,\tilde f)"
        r"\le\alpha\ \forall\|f-\tilde f\|_\infty\le\epsilon"
    ),
    place="Theorem 6, Sec. 4.1",
    hypotheses=["a zero score is half an error"],
    grid=dict(population=SMALL),
    given=dict(reach=1),
    note=(
        "What is left of the equivalence under the convention that repairs Theorem 1. The converse "
        r"falls with it: at $\eta=\frac12$ and $|f|\le\epsilon$ the margin risk is 1, the largest "
        r"risk of a perturbation $\frac12$."
    ),
    twin=dict(given=dict(reach=2), why="perturbations of twice epsilon"),
    **RISK,
    **both(sides.half_error, sides.Perturbed),
)
