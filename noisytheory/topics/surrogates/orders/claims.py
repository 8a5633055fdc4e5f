"""Which losses keep their order under label noise: Theorems 14 to 17 and Proposition 26."""

from __future__ import annotations

from typing import Any

from noisytheory.papers import AVERAGE_CLASSIFIER, KERNEL_MEAN
from noisytheory.topics.surrogates.orders import simulate
from noisytheory.trial.sides import worked

RATES = [0.1, 0.4]
CONSTANT_SUM = r"\ell\text{ robust}\iff\ell(1,v)+\ell(-1,v)=C"
ROBUST: dict[str, Any] = dict(quantity="whether noise keeps every ordering", unit="1")
TABLES = "a loss of values 0, 1, 2 at three scores: every one is tried"
TABLES_OF_TWO = "a loss of values 0, 1, 2 at two scores: every one is tried, rate by rate"
PAIRS = "losses of values 0, 1, 2 on three atoms: every two are tried"

robustness = KERNEL_MEAN.identity(
    "def-12",
    also=[AVERAGE_CLASSIFIER.also("def-10", "Definition 10, Sec. 5")],
    statement=(
        r"\ell\text{ robust}:\ Q\le_\ell Q'\iff Q_\sigma\le_\ell Q'_\sigma\quad\forall Q,Q',"
        r"\ \forall\sigma\in[0,\tfrac12)"
    ),
    place="Definition 12, Sec. 4.3.2",
    hypotheses=["noise that flips either label at the same rate", TABLES_OF_TWO],
    grid=dict(sigma=[0.0, 0.1, 0.25, 0.4, 0.49]),
    given=dict(flips="both labels"),
    note=(
        "How the package decides it, an affine relation of a loss to its noisy one, against the "
        "definition's own words: distributions of scored labels, their labels flipped, all pairs "
        "on a lattice."
    ),
    twin=dict(
        given=dict(flips="positive labels"), why="only positive labels are flipped"
    ),
    **ROBUST,
    **worked(simulate.robust),
)
order_equivalence = KERNEL_MEAN.identity(
    "def-13",
    also=[AVERAGE_CLASSIFIER.also("def-11", "Definition 11 (Order Equivalence), Sec. 5")],
    statement=(
        r"\ell_1\sim\ell_2:\ Q\le_{\ell_1}Q'\iff Q\le_{\ell_2}Q'\quad\forall Q,Q'"
    ),
    place="Definition 13, Sec. 4.3.2",
    hypotheses=[PAIRS],
    given=dict(directions="both"),
    quantity="whether no pair of distributions is ranked apart",
    note=(
        "How the package finds a pair of distributions that two losses rank apart, a projection "
        "or, of every third pair of losses, a linear programme, against the definition's own words "
        "on all pairs of a lattice. See also `kernel-mean/proposition-26`."
    ),
    twin=dict(
        given=dict(directions="one"), why="the first order implies the second, not the converse"
    ),
    **{**worked(simulate.agreement), "exact": simulate.agreement_in_floats},
)

proposition_26 = KERNEL_MEAN.identity(
    "proposition-26",
    statement=r"\ell_1\sim\ell_2\iff\ell_2=\alpha\ell_1+\beta,\ \alpha>0",
    place="Proposition 26, appendix",
    hypotheses=[PAIRS, "for constant losses alpha is arbitrary"],
    given=dict(sign="positive"),
    quantity="whether all pairs of distributions are ranked alike",
    note="Orderings are compared over all pairs of distributions on a lattice.",
    twin=dict(given=dict(sign="any"), why="alpha may be negative"),
    **worked(simulate.equivalence),
)

theorem_14 = KERNEL_MEAN.identity(
    "theorem-14",
    also=[AVERAGE_CLASSIFIER.also("lemma-12", "Lemma 12, Sec. 5")],
    statement=r"\ell\text{ robust}\iff\ell\sim\ell_\sigma\ \forall\sigma\in(0,\tfrac12)",
    place="Theorem 14, Sec. 4.3.2",
    hypotheses=["noise rate below 1/2", TABLES_OF_TWO],
    grid=dict(sigma=[0.1, 0.25, 0.4]),
    given=dict(with_loss="corrected"),
    twin=dict(given=dict(with_loss="flipped"), why="labels flipped, not corrected"),
    **ROBUST,
    **worked(simulate.robust_corrected),
)

theorem_15_printed = KERNEL_MEAN.identity(
    "theorem-15/printed",
    also=[AVERAGE_CLASSIFIER.also("theorem-13/printed", "Theorem 13, Sec. 5")],
    statement=CONSTANT_SUM,
    place="Theorem 15, Sec. 4.3.3",
    hypotheses=["l(1, v) differs from l(-1, v) at every score", TABLES],
    grid=dict(sigma=RATES),
    given=dict(excluded="equal somewhere"),
    note="True, but no margin loss meets its hypothesis: see `theorem-15/hypothesis`.",
    twin=dict(given=dict(excluded="nothing"), why="the hypothesis dropped"),
    **ROBUST,
    **worked(simulate.robust_sum),
)
theorem_15_hypothesis = KERNEL_MEAN.identity(
    "theorem-15/hypothesis",
    also=[AVERAGE_CLASSIFIER.also("theorem-13/hypothesis", "Theorem 13, Sec. 5, as applied")],
    statement=r"\ell(-1,v)\ne\ell(1,v)\ \forall v\quad\text{for linear, hinge and 0-1 loss}",
    place="Theorem 15, Sec. 4.3.3, as the paper applies it",
    grid=dict(loss=["linear", "hinge", "0-1"]),
    expect="refuted",
    quantity="whether the labels agree",
    note=(
        r"A margin loss has $\ell(\pm1,0)=\psi(0)$. The last case of the printed proof derives "
        r"$\ell(1,v)=\ell(-1,v)$ for every $v$, so only label-free losses need be excluded."
    ),
    **worked(simulate.label_sums_at_zero),
)
theorem_15 = KERNEL_MEAN.identity(
    "theorem-15/repaired",
    also=[AVERAGE_CLASSIFIER.also("theorem-13/repaired", "Theorem 13, Sec. 5")],
    statement=CONSTANT_SUM,
    place="Theorem 15, Sec. 4.3.3",
    hypotheses=["not: l(1, v) = l(-1, v) at every score", TABLES],
    grid=dict(sigma=RATES),
    given=dict(excluded="label-free"),
    note="One noise rate suffices for the converse.",
    twin=dict(
        given=dict(excluded="nothing"),
        why="label-free losses admitted: they are robust and their sums vary",
    ),
    **ROBUST,
    **worked(simulate.robust_sum),
)

misclassification_printed = KERNEL_MEAN.identity(
    "misclassification-satisfies-15/printed",
    statement=r"\ell_{01}(1,v)+\ell_{01}(-1,v)=1",
    place="Sec. 4.3.3, after Theorem 15",
    hypotheses=["a zero score is an error for both labels"],
    given=dict(zero="both"),
    expect="refuted",
    quantity="sum of the losses of both labels",
    note=r"At $v=0$ the sum is 2. Noise does reverse an ordering: see the claim on orderings.",
    **worked(simulate.label_sums),
)
misclassification = KERNEL_MEAN.identity(
    "misclassification-satisfies-15/repaired",
    statement=r"\ell_{01}(1,v)+\ell_{01}(-1,v)=1",
    place="Sec. 4.3.3, after Theorem 15",
    hypotheses=["a zero score is half an error"],
    given=dict(zero="half"),
    quantity="sum of the losses of both labels",
    twin=dict(given=dict(zero="both"), why="a zero score is an error for both labels"),
    **worked(simulate.label_sums),
)
misclassification_order = KERNEL_MEAN.identity(
    "misclassification-satisfies-15/order-printed",
    statement=r"E_Q\ell_{01}\le E_{Q'}\ell_{01}\Rightarrow E_{Q_\sigma}\ell_{01}"
    r"\le E_{Q'_\sigma}\ell_{01}",
    place="Sec. 4.3.3, after Theorem 15",
    hypotheses=["a zero score is an error for both labels"],
    grid=dict(sigma=RATES),
    given=dict(zero="both"),
    expect="refuted",
    quantity="whether noise keeps the ordering",
    note=r"A zero score has risk 1, clean and noisy; a wrong score has clean risk 1 and noisy "
    r"risk $1-\sigma$.",
    **worked(simulate.ordering),
)

CONVEX = r"\ell\text{ convex and robust}\iff\ell(y,v)=\lambda yv+g(y)"
theorem_16_printed = KERNEL_MEAN.identity(
    "theorem-16/printed",
    also=[AVERAGE_CLASSIFIER.also("theorem-14/printed", "Theorem 14, Sec. 5")],
    statement=CONVEX,
    place="Theorem 16, Sec. 4.3.3",
    grid=dict(sigma=RATES),
    given=dict(excluded="nothing"),
    expect="refuted",
    note=r"$\ell(y,v)=v^2$ is convex and, being label-free, robust.",
    **ROBUST,
    **worked(simulate.affine_loss),
)
theorem_16 = KERNEL_MEAN.identity(
    "theorem-16/repaired",
    also=[AVERAGE_CLASSIFIER.also("theorem-14/repaired", "Theorem 14, Sec. 5")],
    statement=CONVEX,
    place="Theorem 16, Sec. 4.3.3",
    hypotheses=["the loss is not label-free", TABLES],
    grid=dict(sigma=RATES),
    given=dict(excluded="label-free"),
    note="The only convex surrogate, up to order equivalence.",
    twin=dict(given=dict(excluded="nothing"), why="label-free losses admitted"),
    **ROBUST,
    **worked(simulate.affine_loss),
)

corrected_loss = KERNEL_MEAN.identity(
    "corrected-loss",
    statement=r"E_{Q_\sigma}\ell_\sigma=E_Q\ell",
    place="Sec. 4.3.2",
    hypotheses=["noise rate not 1/2", TABLES_OF_TWO],
    given=dict(rates="equal"),
    quantity="noisy risk of the corrected loss",
    twin=dict(given=dict(rates="swapped"), why="unequal rates, swapped"),
    **worked(simulate.corrected_risk),
)
correction = KERNEL_MEAN.identity(
    "class-conditional-correction",
    statement=r"E_{Q_{\sigma_-,\sigma_+}}\ell_{\sigma_-,\sigma_+}=E_Q\ell",
    place="Sec. 4.4",
    hypotheses=["rates with sum below 1", TABLES_OF_TWO],
    given=dict(rates="unequal"),
    quantity="noisy risk of the corrected loss",
    twin=dict(given=dict(rates="swapped"), why="the two rates swapped"),
    **worked(simulate.corrected_risk),
)
theorem_17 = KERNEL_MEAN.identity(
    "theorem-17",
    also=[AVERAGE_CLASSIFIER.also("theorem-15", "Theorem 15, Sec. 5.1")],
    statement=(
        r"\sigma_+\ell(-1,v)+\sigma_-\ell(1,v)=C\;\Rightarrow\;"
        r"\ell_{\sigma_-,\sigma_+}=\frac{\ell-C}{1-\sigma_--\sigma_+}"
    ),
    place="Theorem 17, Sec. 4.4",
    hypotheses=["rates with sum below 1", "losses of two scores, values 0, 1, 2: all are tried"],
    given=dict(order="printed"),
    quantity="corrected loss",
    note=(
        "An increasing affine map, so the two are order equivalent. The values are those under "
        "one label; under the other they follow from the hypothesis, with a constant of 0 or 1."
    ),
    twin=dict(given=dict(order="swapped"), why="the two rates swapped in the hypothesis"),
    **worked(simulate.class_conditional),
)
no_convex_loss = KERNEL_MEAN.identity(
    "no-convex-loss-class-conditional",
    also=[AVERAGE_CLASSIFIER.also("theorem-15/no-loss", "After Theorem 15, Sec. 5.1")],
    statement=(
        r"\ell\text{ robust at all }(\sigma_-,\sigma_+)\iff\ell(1,\cdot)=\ell(-1,\cdot)"
        r"\text{ or }\ell(y,v)=g(y)"
    ),
    place="Sec. 4.4, after Theorem 17",
    hypotheses=[TABLES],
    given=dict(rates="all"),
    note=(
        r"Print says: no non-trivial convex loss. True, and not of convex losses only; it does not "
        r"follow from Theorem 17, which is a sufficient condition. Order equivalence needs the "
        r"factors $1-\sigma_-+\sigma_+$ and $1-\sigma_++\sigma_-$ of the two labels to agree. "
        "Trivial includes label-free losses."
    ),
    twin=dict(given=dict(rates="equal"), why="equal rates only, where constant sums suffice"),
    **ROBUST,
    **worked(simulate.trivial_only),
)

unequal_rates = AVERAGE_CLASSIFIER.identity(
    "theorem-15/unequal-rates",
    statement=(
        r"\ell(1,v)+\ell(-1,v)=C:\ \ell\text{ robust at }(\sigma_-,\sigma_+)\iff\sigma_-=\sigma_+"
        r"\text{ or }\ell(y,v)=g(y)"
    ),
    place="After Theorem 15, Sec. 5.1: the step that print leaves out",
    hypotheses=["rates with sum below 1", TABLES],
    given=dict(sums="constant"),
    note=(
        "A loss that is robust at all pairs of rates is so at equal ones: Theorem 13 leaves those "
        "of constant sum, linear loss among them, and label-free ones. Noise multiplies the "
        r"scores of the first by $1-2\sigma_+$ under one label and by $1-2\sigma_-$ under the "
        "other, which keeps no order unless the two agree."
    ),
    twin=dict(
        given=dict(sums="any"), why="any sums: label-free losses are robust at unequal rates too"
    ),
    **ROBUST,
    **worked(simulate.unequal_rates),
)
