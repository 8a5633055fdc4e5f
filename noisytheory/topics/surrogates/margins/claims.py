"""Margins and contamination in the earlier paper: Theorems 6 and 8, Lemma 7."""

from __future__ import annotations

from typing import Any

from noisytheory.papers import AVERAGE_CLASSIFIER as PAPER
from noisytheory.topics.surrogates.margins import simulate
from noisytheory.topics.surrogates.worked import worked

RISK: dict[str, Any] = dict(quantity="0-1 risk", unit="probability")
UNIT = "features of norm 1"

theorem_6 = PAPER.identity(
    "theorem-6",
    statement=(
        r"\sup_{\|f-\tilde f\|_\infty\le\epsilon}\mathrm{Risk}_{01}(P,\tilde f)"
        r"=\mathrm{Risk}_{\ell_\epsilon}(P,f)"
    ),
    place="Theorem 6, Sec. 4.1",
    hypotheses=["a zero score is an error for both labels"],
    grid=dict(zero=["both"]),
    note=(
        r"The equivalence that print states follows from this equality. It needs "
        r"$\ell_{01}(y,0)=1$: the supremum is attained by $\tilde f=0$ where $|f|\le\epsilon$."
    ),
    twin=dict(grid=dict(zero=["half"]), why="a zero score is half an error"),
    **RISK,
    **worked(simulate.perturbed),
)
theorem_6_half = PAPER.always(
    "theorem-6/half-error",
    statement=(
        r"\mathrm{Risk}_{\ell_\epsilon}(P,f)\le\alpha\Rightarrow\mathrm{Risk}_{01}(P,\tilde f)"
        r"\le\alpha\ \forall\|f-\tilde f\|_\infty\le\epsilon"
    ),
    place="Theorem 6, Sec. 4.1",
    hypotheses=["a zero score is half an error"],
    grid=dict(zero=["half"], reach=[1]),
    note=(
        "What is left of the equivalence under the convention that repairs Theorem 1. The converse "
        r"falls with it: at $\eta=\frac12$ and $|f|\le\epsilon$ the margin risk is 1, the largest "
        r"risk of a perturbation $\frac12$."
    ),
    twin=dict(grid=dict(zero=["half"], reach=[2]), why="perturbations of twice epsilon"),
    **RISK,
    **worked(simulate.perturbed),
)
margin_for_error = PAPER.always(
    "margin-for-error",
    statement=(
        r"\|f-\tilde f\|_\infty\le\epsilon<\Gamma(P,f)\Rightarrow"
        r"\mathrm{Risk}_{01}(P,\tilde f)\le\mathrm{Risk}_{01}(P,f)"
    ),
    place="Sec. 4.1, after Theorem 6",
    grid=dict(strict=["<"]),
    twin=dict(grid=dict(strict=["<="]), why="epsilon may equal the margin"),
    **RISK,
    **worked(simulate.within_margin),
)
lemma_7_printed = PAPER.identity(
    "lemma-7/printed",
    statement=(
        r"\sigma\|\omega_P-\omega_Q\|<\Gamma(P,\omega_P)\Rightarrow"
        r"\mathrm{Risk}_{01}(P,\omega_{\tilde P})=\mathrm{Risk}_{01}(P,\omega_P)"
    ),
    place="Lemma 7, Sec. 4.2",
    hypotheses=[UNIT],
    grid=dict(reach=[1]),
    expect="refuted",
    note=r"Contamination can improve the risk, here from 0.1 to 0: the margin for error looks at "
    r"correct points only.",
    **RISK,
    **worked(simulate.contaminated),
)
lemma_7 = PAPER.always(
    "lemma-7/repaired",
    statement=(
        r"\sigma\|\omega_P-\omega_Q\|<\Gamma(P,\omega_P)\Rightarrow"
        r"\mathrm{Risk}_{01}(P,\omega_{\tilde P})\le\mathrm{Risk}_{01}(P,\omega_P)"
    ),
    place="Lemma 7, Sec. 4.2",
    hypotheses=[UNIT],
    grid=dict(reach=[1]),
    note="Repaired: an inequality.",
    twin=dict(grid=dict(reach=[2]), why="the mean may move by twice the margin"),
    **RISK,
    **worked(simulate.contaminated),
)
any_q_immunity = PAPER.always(
    "any-q-immunity",
    statement=(
        r"\sigma<\tfrac12\Gamma(P,\omega_P)\Rightarrow"
        r"\mathrm{Risk}_{01}(P,\omega_{\tilde P})\le\mathrm{Risk}_{01}(P,\omega_P)\ \forall Q"
    ),
    place="Sec. 4.2, after Lemma 7",
    hypotheses=[UNIT],
    grid=dict(divisor=[2]),
    note=r"Not sharp: $\Gamma/(1+\Gamma)$ is.",
    twin=dict(grid=dict(divisor=[1]), why="the whole margin for half of it"),
    **RISK,
    **worked(simulate.any_corruption),
)
theorem_8 = PAPER.identity(
    "theorem-8",
    statement=r"\mathrm{Risk}_{01}(P,\omega_{P_\sigma})=\mathrm{Risk}_{01}(P,\omega_P)",
    place="Theorem 8, Sec. 4.3",
    hypotheses=["noise rate below 1/2"],
    grid=dict(sigma=[0.1, 0.3, 0.49]),
    twin=dict(grid=dict(sigma=[0.51]), why="noise rates above one half"),
    **RISK,
    **worked(simulate.noisy_mean),
)
