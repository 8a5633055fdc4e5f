"""Contamination of the classes, balanced error and AUC; noise that varies: Theorem 18, Lemma 19."""

from __future__ import annotations

from typing import Any

from noisytheory.papers import AVERAGE_CLASSIFIER, KERNEL_MEAN
from noisytheory.topics.surrogates.contamination import simulate
from noisytheory.topics.surrogates.worked import also, worked

BALANCED: dict[str, Any] = dict(
    statement=(
        r"\mathrm{BER}_\ell(\tilde P_\pm,f)=(1-\alpha-\beta)\,\mathrm{BER}_\ell(P_\pm,f)"
        r"+\tfrac{\alpha+\beta}2C"
    ),
    place="Theorem 18, Sec. 4.5",
    quantity="balanced error on contaminated classes",
    **worked(simulate.balanced_error),
)
theorem_18_printed = KERNEL_MEAN.identity(
    "theorem-18/printed",
    statement=r"\exists C\ \forall f:\ " + BALANCED["statement"],
    place=BALANCED["place"],
    hypotheses=["the loss is robust to symmetric noise"],
    grid=dict(loss=["square of the score", "0-1", "linear"]),
    expect="refuted",
    quantity="C that the first of two scorers implies, against that of the second",
    note=(
        r"$v^2$ is robust because it does not read the label, and no $C$ fits it: with "
        r"$\alpha=0.3,\beta=0.1$ the scores 0 on $P_+$ and 2 on $P_-$ imply $C=6$, the scores 1 "
        r"and 0 imply $C=\frac12$. 0-1 loss with errors at zero, which the paper counts as robust, "
        "fails too; linear loss, whose sum over the labels is constant, does not."
    ),
    **worked(simulate.implied_constants),
)
theorem_18 = KERNEL_MEAN.identity(
    "theorem-18/repaired",
    hypotheses=[r"l(1, v) + l(-1, v) = C at every score"],
    grid=dict(loss=["linear", "ramp", "0-1, half at zero"], constant=["halved"]),
    note="Repaired: the hypothesis that the proof uses. The constant is right.",
    twin=dict(
        grid=dict(loss=["linear"], constant=["whole"]), why="the last term without its one half"
    ),
    **BALANCED,
)
mutual_contamination = KERNEL_MEAN.identity(
    "mutual-contamination",
    statement=(
        r"\tilde P_+=(1-\alpha)P_++\alpha P_-,\ \tilde P_-=(1-\beta)P_-+\beta P_+\quad"
        r"\alpha=\tfrac{(1-\pi)\sigma_-}{\pi(1-\sigma_+)+(1-\pi)\sigma_-},\ "
        r"\beta=\tfrac{\pi\sigma_+}{\pi\sigma_++(1-\pi)(1-\sigma_-)}"
    ),
    place="Sec. 4.5",
    grid=dict(order=["derived"]),
    quantity="probability of a point given its noisy label",
    note="Class-conditional label noise is mutual contamination; the shares are ours.",
    twin=dict(grid=dict(order=["swapped"]), why="alpha and beta swapped"),
    **worked(simulate.label_noise_shares),
)
mutual_contamination_sums = KERNEL_MEAN.identity(
    "mutual-contamination/sums",
    statement=r"\alpha+\beta<1\iff\sigma_-+\sigma_+<1",
    place="Sec. 4.5",
    hypotheses=["both labels occur"],
    grid=dict(limit=[1]),
    quantity="whether alpha + beta is less than 1",
    origin="sharper",
    twin=dict(grid=dict(limit=[2]), why="2 for 1"),
    **worked(simulate.share_sums),
)
auc_unaffected = KERNEL_MEAN.identity(
    "auc-unaffected",
    statement=(
        r"\mathrm{AUC}(\tilde P_\pm,f)=(1-\alpha-\beta)\,\mathrm{AUC}(P_\pm,f)"
        r"+\tfrac{\alpha+\beta}2"
    ),
    place="Sec. 4.5, after Theorem 18",
    hypotheses=["ties count one half"],
    grid=dict(constant=["halved"]),
    quantity="AUC on contaminated classes",
    twin=dict(grid=dict(constant=["none"]), why="the last term dropped"),
    **worked(simulate.auc),
)

INSTANCE: dict[str, Any] = dict(
    place="Lemma 19, Sec. 4.6",
    quantity="clean risk of the minimiser under noise",
    **worked(simulate.instance_noise),
)
PRINTED_19 = (
    r"\mathrm{Risk}_\ell(P,f^*_\sigma)\le\frac{\mathrm{Risk}_\ell(P,f^*)}{1-2\max\sigma(x,y)}"
)
lemma_19_printed = KERNEL_MEAN.always(
    "lemma-19/printed",
    statement=PRINTED_19,
    hypotheses=["the loss is robust", "rates in [0, 1/2]"],
    grid=dict(
        loss=["linear", "negative margin", "ramp", "0-1, half at zero"], factor=["printed"],
        rates_to=["3/10", "1/2"],
    ),
    expect="refuted",
    note=(
        r"A negative risk is not improved by a factor above 1: $\ell=-yv$, $f=1$, $\sigma=0.2$ "
        r"asks for $-1\le-\frac53$. At $\max\sigma=\frac12$, which print allows, the right side "
        r"divides by 0; where the clean optimum is 0 its limit is 0, and noise that hides the "
        "labels of a point altogether lets any function be chosen: nonnegative losses fail there, "
        "and only there."
    ),
    **INSTANCE,
)
lemma_19 = KERNEL_MEAN.always(
    "lemma-19/repaired",
    statement=PRINTED_19,
    hypotheses=["constant sum over the labels", "nonnegative loss", "rates below 1/2"],
    grid=dict(
        loss=["linear in [-1, 1]", "ramp", "0-1, half at zero"], factor=["printed"],
        rates_to=["3/10"],
    ),
    note=(
        r"Repaired by its hypotheses. Tight: one function wrong on mass $b$ without noise, the "
        r"other on mass $b/(1-2s)$ with noise $s$; their noisy risks tie."
    ),
    twin=dict(
        grid=dict(loss=["ramp"], factor=["halfway"], rates_to=["3/10"]),
        why="1 / (1 - max sigma), the 2 forgotten",
    ),
    **INSTANCE,
)
lemma_19_sharper = KERNEL_MEAN.always(
    "lemma-19/sharper",
    statement=(
        r"\mathrm{Risk}_\ell(P,f^*_\sigma)\le\frac{1-2\min\sigma}{1-2\max\sigma}"
        r"\mathrm{Risk}_\ell(P,f^*)"
    ),
    hypotheses=["constant sum over the labels", "nonnegative loss", "rates below 1/2"],
    grid=dict(
        loss=["linear in [-1, 1]", "ramp", "0-1, half at zero"], factor=["sharper"],
        rates_to=["3/10"],
    ),
    origin="sharper",
    twin=dict(
        grid=dict(loss=["ramp"], factor=["none"], rates_to=["3/10"]), why="no factor at all"
    ),
    **INSTANCE,
)

PLACE_16, PLACE_17 = "Theorem 16, Sec. 5.1", "Theorem 17, Sec. 5.1"
LOST_RANGE = "The range of the rates is lost here; the later paper prints [0, 1/2]. "
earlier = [
    also(theorem_18_printed, AVERAGE_CLASSIFIER, "theorem-16/printed", PLACE_16),
    also(theorem_18, AVERAGE_CLASSIFIER, "theorem-16/repaired", PLACE_16),
    also(
        lemma_19_printed, AVERAGE_CLASSIFIER, "theorem-17/printed", PLACE_17,
        note=LOST_RANGE + lemma_19_printed.note.replace(", which print allows,", ""),
    ),
    also(lemma_19, AVERAGE_CLASSIFIER, "theorem-17/repaired", PLACE_17),
]
