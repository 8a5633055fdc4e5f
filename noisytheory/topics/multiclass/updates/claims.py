"""Sections 3.2 and 3.3 on trial: means of update vectors, and what they say of classes."""

from __future__ import annotations

from typing import Any

from noisytheory.papers import UMA as PAPER
from noisytheory.topics.multiclass.instances import TAUGHT
from noisytheory.topics.multiclass.steps import WORDS
from noisytheory.topics.multiclass.updates import sides
from noisytheory.trial.sides import worked

MEAN: dict[str, Any] = dict(place="Proposition 1, Sec. 3.3", quantity="coordinate of a mean")
proposition_1 = PAPER.identity(
    "proposition-1",
    statement=r"\mathbb E\gamma^p_k=\textstyle\sum_qC_{kq}\mu^p_q",
    hypotheses=["W fixed before the sample is drawn", "A_p a region of the space, ties counted"],
    given=dict(what="sums", read="column"),
    note="Every sample of two examples is enumerated. It holds for k = p as well.",
    twin=dict(given=dict(what="sums", read="transposed"), why="C transposed"),
    **MEAN, **worked(sides.expected),
)
ADAPTIVE: dict[str, Any] = dict(
    place="Algorithm 2 with Proposition 1", quantity="expected product with the weights",
    hypotheses=["in each row as it says: " + ", ".join(
        WORDS[step] for step in ("predicted", "uniform", "forced"))],
    grid=dict(n=[2]),
    **worked(sides.adaptive),
)
adaptive_printed = PAPER.identity(
    "proposition-1-adaptive/printed",
    statement=r"\mathbb E\sum_{p\ne q}\langle w_p-w_q,z_{pq}\rangle=\mathbb E\sum_{p\ne q}"
    r"\langle w_p-w_q,\mu^p_q\rangle\text{ for the W that UMA learnt on the same sample}",
    given=dict(sample="same"),
    expect="refuted",
    note=(
        "The algorithm uses (9) and (11) at weights that depend on the sample: they are biased "
        "there, always against the weights in the games tried, and a bound over all W is needed. "
        "All samples are enumerated."
    ),
    **ADAPTIVE,
)
adaptive_repaired = PAPER.identity(
    "proposition-1-adaptive/repaired",
    statement=r"\mathbb E\sum_{p\ne q}\langle w_p-w_q,z_{pq}\rangle=\mathbb E\sum_{p\ne q}"
    r"\langle w_p-w_q,\mu^p_q\rangle\text{ for the W that UMA learnt on another sample}",
    given=dict(sample="another"),
    note=(
        "Fresh chunks, as in the online form of Section 3.4, have no bias: of one example here, "
        "whatever strategy, step and stop made of the sample that taught W. All are enumerated."
    ),
    twin=dict(given=dict(sample="same"), why="the same sample"),
    **ADAPTIVE,
)
unbiased = PAPER.identity(
    "proposition-2-unbiased",
    statement=r"\mathbb Ez_{pq}=\mu^p_q",
    place="(11), Proposition 2, Sec. 3.3",
    hypotheses=["W fixed before the sample is drawn", "columns of C sum to 1"],
    given=dict(what="vectors", read="column"),
    quantity="coordinate of a mean",
    note="Every sample of two examples is enumerated, at alpha = 0 and 1/4.",
    twin=dict(given=dict(what="vectors", read="transposed"), why="C transposed"),
    **worked(sides.expected),
)
matrix_printed = PAPER.identity(
    "proposition-2-unbiased/matrix-printed",
    statement=r"\mathbb E\Gamma^p\text{ has rows }\textstyle\sum_qC_{kq}\mu^p_k",
    place="Proof of Proposition 2, Sec. 3.3",
    given=dict(what="sums", read="own row"),
    expect="refuted",
    note=r"The sum needs $\mu^p_q$; as printed each row has one mean, and C would drop out.",
    quantity="coordinate of a mean",
    **worked(sides.expected),
)
TRUE: dict[str, Any] = dict(
    place="(12), Proposition 2, Sec. 3.3", quantity="margin due", hypotheses=[TAUGHT],
    **worked(sides.true_margins)
)
true_margin_printed = PAPER.always(
    "proposition-2-true-margin/printed",
    statement=r"\langle w^*_q-w^*_k,\mu^p_q\rangle\ge\theta",
    given=dict(share="one"),
    expect="refuted",
    note=r"$\mu^p_q$ has norm at most $m_{pq}$, and is 0 where nobody of class q is predicted p.",
    **TRUE,
)
true_margin = PAPER.always(
    "proposition-2-true-margin/repaired",
    statement=r"\langle w^*_q-w^*_k,\mu^p_q\rangle\ge\theta m_{pq}",
    given=dict(share="mass"),
    note=r"An equality on small populations; $\mu/m$ and $\mu/\|\mu\|$ have margin $\theta$.",
    twin=dict(given=dict(share="region"), why="the mass of the whole region"),
    **TRUE,
)
PREDICTED: dict[str, Any] = dict(
    place="(13), Proposition 2, Sec. 3.3", quantity="margin due",
    **worked(sides.predicted_margins),
)
predicted_margin_printed = PAPER.always(
    "proposition-2-pred-margin/printed",
    statement=r"\langle w_p-w_k,\mu^p_q\rangle\ge\alpha",
    grid=dict(alpha=["1/4", "1"]),
    given=dict(share="one"),
    expect="refuted",
    note=r"The factor $m_{pq}$ is missing here too.",
    **PREDICTED,
)
predicted_margin = PAPER.always(
    "proposition-2-pred-margin/repaired",
    statement=r"\langle w_p-w_k,\mu^p_q\rangle\ge\alpha m_{pq}",
    grid=dict(alpha=["0", "1/4", "1"]),
    given=dict(share="mass"),
    twin=dict(given=dict(share="one"), why="the mass dropped"),
    **PREDICTED,
)
CLASS: dict[str, Any] = dict(
    place="Proposition 2, Sec. 3.3", quantity="1 if of another class", hypotheses=[TAUGHT],
    **worked(sides.class_of_mean),
)
true_class_printed = PAPER.always(
    "proposition-2-i/printed",
    statement=r"t(\mu^p_q)=q",
    given=dict(which="teacher", alpha="0", massless="allowed"),
    expect="refuted",
    note=r"t is defined on inputs; $f_{W^*}$ is meant, and $m_{pq}>0$ is needed.",
    **CLASS,
)
true_class = PAPER.always(
    "proposition-2-i/repaired",
    statement=r"m_{pq}>0\Rightarrow f_{W^*}(\mu^p_q)=q",
    given=dict(which="teacher", alpha="0", massless="left out"),
    twin=dict(
        given=dict(which="teacher", alpha="0", massless="allowed"), why="pairs without mass too"
    ),
    **CLASS,
)
predicted_class_printed = PAPER.always(
    "proposition-2-ii/printed",
    statement=r"f_W(\mu^p_q)=p,\quad\alpha=0",
    given=dict(which="weights", alpha="0", massless="left out"),
    expect="refuted",
    note=r"At $\alpha=0$ scores may tie on all of the region: at W = 0 everything does.",
    **CLASS,
)
predicted_class = PAPER.always(
    "proposition-2-ii/repaired",
    statement=r"\alpha m_{pq}>0\Rightarrow f_W(\mu^p_q)=p",
    given=dict(which="weights", alpha="1/4", massless="left out"),
    twin=dict(
        given=dict(which="weights", alpha="0", massless="left out"), why="alpha = 0"
    ),
    **CLASS,
)
WRONGED: dict[str, Any] = dict(
    place="Sec. 3.3, after Proposition 1", quantity="lead of another class",
    **worked(sides.wronged),
)
misprediction_printed = PAPER.always(
    "misprediction-sentence/printed",
    statement=r"\mu^p_q\text{ is an example of class }p\text{ predicted as }q",
    given=dict(reading="true p"),
    expect="refuted",
    note="Reversed: Proposition 2 itself says true class q, predicted p.",
    **WRONGED,
)
misprediction = PAPER.always(
    "misprediction-sentence/repaired",
    statement=r"\mu^p_q\text{ is an example of class }q\text{ predicted as }p",
    hypotheses=[r"m_{pq}>0", TAUGHT],
    given=dict(reading="true q"),
    twin=dict(given=dict(reading="true p"), why="classes exchanged"),
    **WRONGED,
)
formula_printed = PAPER.identity(
    "appendix/zpq-formula-printed",
    statement=r"\tfrac1m\textstyle\sum_i1\{t(x_i)=q\}1\{x_i\in A_p\}x_i=z_{pq}",
    place="Appendix A",
    given=dict(noise="as given"),
    expect="refuted",
    quantity="coordinate",
    note="The left side cannot be observed; the two agree only where C = I.",
    **worked(sides.unobservable),
)
formula_repaired = PAPER.identity(
    "appendix/zpq-formula-repaired",
    statement=formula_printed.statement + r",\quad C=I",
    place="Appendix A",
    given=dict(noise="none"),
    quantity="coordinate",
    twin=dict(given=dict(noise="as given"), why="labels confused"),
    **worked(sides.unobservable),
)
