"""Section 2 on trial: margins, assumptions on the noise, and the matrices that describe it."""

from __future__ import annotations

from typing import Any

from noisytheory.papers import UMA as PAPER
from noisytheory.topics.multiclass.setting import bounds, sides
from noisytheory.topics.multiclass.steps import WORDS
from noisytheory.trial.sides import scaled, worked

CLASSES = [2, 3, 5, 10]


classifier = PAPER.always(
    "definition-1",
    statement=r"\arg\max_q\langle w_q,x\rangle\text{ is the same for }aW,\ W+v1^\top"
    r"\text{, and goes with the names of the classes}",
    place="Definition 1, (1), Sec. 2.1",
    hypotheses=["a > 0", "no tie"],
    given=dict(moved="all"),
    quantity="1 if a prediction changes",
    note="So weights may be taken to sum to 0, as they do in every run from W = 0.",
    twin=dict(given=dict(moved="one"), why="v added to one row alone"),
    **worked(sides.predictions),
)
MARGINS: dict[str, Any] = dict(
    place="Definition 2, Sec. 2.1", quantity="least difference of scores",
    **worked(sides.sampled_margins),
)
on_a_sample = PAPER.always(
    "definition-2/printed",
    statement=r"\text{a concept on }\mathcal S\text{ of margin }\theta\text{ has it under the law}"
    r"\text{ of }X",
    given=dict(of="sample"),
    expect="refuted",
    note="The concept's domain is the input space: a sample may lack the instances that are near.",
    **MARGINS,
)
on_the_inputs = PAPER.always(
    "definition-2/repaired",
    statement=r"\text{a concept of margin }\theta\text{ under the law of }X\text{ has it on every}"
    r"\text{ sample}",
    given=dict(of="population"),
    note="Of the same weights; the margin is that of weights with Frobenius norm 1.",
    twin=dict(given=dict(of="sample"), why="the other way round"),
    **MARGINS,
)
any_margin = PAPER.always(
    "assumption-1/printed",
    statement=r"\theta\ge0\text{ is enough for a bound on the updates: }K\le100",
    place="Assumption 1, Sec. 2.1",
    hypotheses=[WORDS["worst"]],
    grid=dict(inputs=[4, 128]),
    expect="refuted",
    quantity="updates",
    note=(
        r"$2/\theta^2$ needs $\theta>0$. Orthonormal inputs are separable by a margin that falls "
        "with their number, and cost an update each: no number will do in place of 100."
    ),
    **worked(sides.orthonormal),
)
LABELS: dict[str, Any] = dict(
    place="Assumption 2 and (4), Sec. 2.1", quantity="probability of a label",
    **worked(sides.laws_of_labels),
)
same_law_printed = PAPER.identity(
    "assumption-2/printed",
    statement=r"\text{the law of }Y\text{ given }X=x\text{ is the same for all }x",
    given=dict(which="any"),
    expect="refuted",
    note="It depends on the class of x, and on nothing else.",
    **LABELS,
)
same_law = PAPER.identity(
    "assumption-2/repaired",
    statement=r"\text{the law of }Y\text{ given }X=x\text{ is the same for all }x"
    r"\text{ of a class}",
    given=dict(which="class"),
    twin=dict(given=dict(which="any"), why="of any class"),
    **LABELS,
)
PAIRS: dict[str, Any] = dict(
    place="(17), Sec. 3.5", quantity="error rate", unit="probability",
    **worked(sides.pair_errors),
)
pair_error_printed = PAPER.identity(
    "eq-17/printed",
    statement=r"\tfrac1n\textstyle\sum_i1\{f(x_i)\ne t(x_i)\}=\hat m_{pq}",
    given=dict(of="pair"),
    expect="refuted",
    note="(17) is the error rate of all pairs; it does not depend on p and q.",
    **PAIRS,
)
pair_error = PAPER.identity(
    "eq-17/repaired",
    statement=r"\tfrac1n\textstyle\sum_i1\{f(x_i)\ne t(x_i)\}=\sum_{p\ne q}\hat m_{pq}",
    given=dict(of="all"),
    twin=dict(given=dict(of="pair"), why="of one pair"),
    **PAIRS,
)
pair_rate = PAPER.identity(
    "eq-18",
    statement=r"\Pr_{\mathcal S}[f_W(X)=p\mid t(X)=q]=\tfrac1{n_q}\textstyle\sum_i"
    r"1\{t(x_i)=q,f_W(x_i)=p\}",
    place="(18), Sec. 3.5",
    hypotheses=["every class is there"],
    given=dict(of="class"),
    quantity="entry of the confusion matrix",
    note=r"The public matrix of counts. It is $\hat m_{pq}$ over the class's share.",
    twin=dict(given=dict(of="sample"), why="over the whole sample, as (17)"),
    **worked(sides.pair_rates),
)
margin_ceiling = PAPER.always(
    "margin-ceiling",
    statement=r"\theta\le\frac{\sqrt Q}{Q-1}",
    place="Definition 2, Sec. 2.1",
    hypotheses=["every class has positive mass", r"$\|X\|\le1$, $\|W\|_F=1$"],
    bound=bounds.margin_ceiling,
    grid=dict(classes=CLASSES),
    given=dict(present="all"),
    origin="candidate",
    quantity="margin",
    note="No margin is larger, attained by the regular simplex; near it the margins tried.",
    twin=dict(given=dict(present="one"), why="one class alone has mass"),
    **worked(sides.margins, "gap"),
)


def most_of_an_update(classes: Any) -> Any:
    """The reciprocal of the least mistake bound."""
    return 1 / bounds.least_mistake_bound(classes)


least_bound = PAPER.always(
    "margin-ceiling/updates",
    statement=r"\Big(\frac2{\theta^2}\Big)^{-1}\le\Big(\frac{2(Q-1)^2}{Q}\Big)^{-1}",
    place="Conclusion",
    hypotheses=["every class has positive mass", r"$\|X\|\le1$, $\|W\|_F=1$"],
    bound=most_of_an_update,
    grid=dict(classes=CLASSES),
    given=dict(present="all"),
    origin="candidate",
    quantity="reciprocal of the mistake bound",
    note="The bound on the updates is no smaller: of the simplex it is this.",
    twin=scaled(0.9375),
    **worked(sides.reciprocals, "gap"),
)
RATE: dict[str, Any] = dict(
    place="Conclusion", quantity="updates", hypotheses=[WORDS["worst"]],
    **worked(sides.mistakes_on_simplex)
)
free_of_classes_printed = PAPER.always(
    "sum-rate-independent-of-q/printed",
    statement=r"K\text{ has a bound that does not grow with }Q:\ K\le2/\theta^2\text{ of }Q=2",
    grid=dict(classes=CLASSES),
    given=dict(bound="two"),
    expect="refuted",
    note=(
        r"$2/\theta^2$ names no Q, but is at least $2(Q-1)^2/Q$, as $\theta\le\sqrt Q/(Q-1)$. On "
        "the simplex, where the margin is largest, the Perceptron's updates grow with Q."
    ),
    also=[PAPER.also("sum-rate-independent-of-Q/printed", "Conclusion")],
    **RATE,
)


def least_mistakes(classes: Any) -> Any:
    """The mistake bound of the simplex."""
    return bounds.least_mistake_bound(classes)


def of_two_classes(classes: Any) -> Any:
    """The same, whatever their number."""
    return bounds.least_mistake_bound(2) + 0 * classes


free_of_classes = PAPER.always(
    "sum-rate-independent-of-q/repaired",
    statement=r"K\le\frac{2(Q-1)^2}{Q}\text{ on the simplex, the least }2/\theta^2\text{ there is}",
    bound=least_mistakes,
    grid=dict(classes=CLASSES[1:]),
    given=dict(bound="own"),
    origin="candidate",
    note="With two classes the simplex is a pair of opposite points, and one update suffices.",
    also=[PAPER.also("sum-rate-independent-of-Q/repaired", "Conclusion")],
    twin=dict(given=dict(bound="two"), bound=of_two_classes, why="the bound of two classes"),
    **{**RATE, **worked(sides.mistakes_on_simplex, "updates")},
)
remark_1 = PAPER.identity(
    "remark-1",
    statement=r"\tilde C_{ij}=\Pr[t=i\mid Y=j]=\frac{C_{ji}\pi_i}{\sum_lC_{jl}\pi_l}",
    place="Remark 1, Sec. 2.1",
    hypotheses=["every label has positive probability"],
    given=dict(read="posterior"),
    quantity="share of a class among a label's examples",
    note="It needs the class shares; print warns against taking one for the other.",
    twin=dict(given=dict(read="transposed"), why="C transposed taken for it"),
    **worked(sides.bayes),
)
assumption_3 = PAPER.always(
    "assumption-3",
    statement=r"C_{qq}>\tfrac12\text{ for all }q\Rightarrow\det C\ne0",
    place="Assumption 3, Sec. 2.1",
    hypotheses=["C is column-stochastic"],
    given=dict(excess="1/1048576"),
    quantity="1 if singular",
    note="Print says rows; columns sum to 1. Not enough: sample sizes grow with the inverse.",
    twin=dict(given=dict(excess="0"), why="one half allowed"),
    **worked(sides.dominant),
)
not_necessary = PAPER.always(
    "invertibility-not-necessary",
    statement=r"C\text{ singular, columns distinct}\Rightarrow t(x)\text{ is told by the law of }"
    r"Y\mid X=x",
    place="Sec. 2.1, after Assumption 3",
    given=dict(columns="distinct"),
    quantity="classes not told",
    note="As print says, invertibility is only sufficient; distinct columns are necessary.",
    twin=dict(given=dict(columns="equal"), why="two equal columns"),
    **worked(sides.decoded),
)
MONOTONE: dict[str, Any] = dict(
    place="Sec. 2.1, after Assumption 2",
    quantity="error after UMA on the population",
    unit="probability",
    **worked(sides.monotone),
)
monotone_printed = PAPER.always(
    "monotonic-noise/printed",
    statement=r"\text{noise that falls with the distance to the boundary does not harm UMA}",
    hypotheses=["two separable classes", "C holds the class averages of the noise",
                "normalised steps", WORDS["predicted"]],
    given=dict(rates="falling"),
    expect="refuted",
    note=(
        "Print cites it of another algorithm. For UMA the rate must be constant in a class: with "
        "rates 7/16, 0, 1/4 that fall with the distance it stops with half the mass wrong."
    ),
    **MONOTONE,
)
monotone_repaired = PAPER.always(
    "monotonic-noise/repaired",
    statement=r"\text{on a population with noise constant in each class UMA ends without error}",
    hypotheses=["two separable classes", "normalised steps", WORDS["predicted"],
                "the run comes to its end"],
    given=dict(rates="constant"),
    twin=dict(given=dict(rates="falling"), why="rates that fall with the distance"),
    **MONOTONE,
)
identity_columns = PAPER.identity(
    "identity-columns",
    statement=r"\textstyle\sum_qz_{pq}=\frac1n\sum_i1\{x_i\in A_p\}x_i",
    place="Algorithm 2, Sec. 3.2",
    hypotheses=["columns of C sum to 1"],
    given=dict(orientation="column"),
    origin="candidate",
    quantity="coordinate of the sum",
    note="The cheapest sign of a matrix given with rows and columns exchanged.",
    twin=dict(given=dict(orientation="row"), why="C transposed"),
    **worked(sides.column_sums),
)
PATH: dict[str, Any] = dict(place="Sec. 4.1", quantity="entry of the confusion matrix")
path_average_printed = PAPER.identity(
    "noise-path/printed",
    statement=r"C_i=\frac{I+i\,\Omega(N)}{1+i}",
    given=dict(weights="I and its end", most=20),
    expect="refuted",
    note="At i = 10 every diagonal entry would be 1/11.",
    **PATH, **worked(sides.path_average),
)
path_average = PAPER.identity(
    "noise-path/repaired",
    statement=r"C_i=(1-\tfrac i{10})I+\tfrac i{10}M,\quad i\le10",
    hypotheses=["i at most 10"],
    given=dict(weights="I and M", most=10),
    note="Rows are true classes; the algorithm needs the transpose.",
    twin=dict(given=dict(weights="I and M", most=11), why="one step beyond 10"),
    **PATH, **worked(sides.path_average),
)
path_end = PAPER.identity(
    "noise-path/saturation",
    statement=r"C_i=\Omega(N),\quad i\ge\Big\lceil\frac{10}{1-\max_qM_{qq}}\Big\rceil",
    given=dict(early=0),
    origin="candidate",
    note="Print has it converge; it is there from a finite index, and points of Figure 1 coincide.",
    twin=dict(given=dict(early=1), why="one step earlier"),
    **PATH, **worked(sides.path_end),
)
CONFUSION: dict[str, Any] = dict(
    place="Sec. 4", quantity="squared confusion rate"
)
confusion_rate = PAPER.always(
    "confusion-rate",
    statement=r"\tfrac1Q\|\hat C\|_F^2\le1",
    given=dict(scaled=1),
    note="Attained where each class is wholly taken for one other.",
    twin=dict(given=dict(scaled=0), why="1/sqrt(Q) dropped, as Figure 1 does"),
    **CONFUSION, **worked(sides.rates),
)
confusion_rate_defined = PAPER.identity(
    "confusion-rate/definition",
    statement=r"\tfrac1Q\|\hat C\|_F^2=\tfrac1Q\textstyle\sum_{p\ne q}\Pr[f(X)=p\mid t(X)=q]^2",
    given=dict(scaled=1),
    note="A class that is not there counts as without error.",
    twin=dict(given=dict(scaled=0), why="1/sqrt(Q) dropped, as Figure 1 does"),
    **CONFUSION, **worked(sides.defined_rates),
)
estimated = PAPER.always(
    "estimated-c",
    statement=r"\|\mathbb Ez_{pq}-\mu^p_q\|\le\max_r|(\hat C^{-1}C-I)_{qr}|\,\Pr[X\in A_p]",
    place="Sec. 4.2.3",
    hypotheses=[r"W fixed, $\|X\|\le1$"],
    given=dict(orientation="row"),
    origin="candidate",
    quantity="squared error of the expected update vector",
    note="What an estimated confusion adds to every deviation, attained by a single atom.",
    twin=dict(given=dict(orientation="column"), why="the largest entry of a column"),
    **worked(sides.leaking),
)

SHATTERED: dict[str, Any] = dict(
    place="Conclusion", grid=dict(classes=[3, 4, 5], dimension=[3]), quantity="points",
)
natarajan_printed = PAPER.always(
    "natarajan-remark/printed",
    statement=r"\text{Natarajan's dimension of linear classifiers is at most }d+\ln Q",
    expect="refuted",
    note=(
        "Print hopes to tighten a sample size whose capacity is d and ln Q by this dimension. It "
        "is larger: points are shown whose labellings by two classes each are all realised."
    ),
    **SHATTERED, **worked(sides.natarajan_printed),
)
natarajan = PAPER.always(
    "natarajan-remark/repaired",
    statement=r"\text{Natarajan's dimension of linear classifiers is at least }(Q-1)(d-1)",
    given=dict(moved="weights"),
    note="At most dQ (Daniely and others 2011): it fits the repaired sample size's (Q - 1)d.",
    twin=dict(given=dict(moved="nothing"), why="one classifier for every labelling"),
    **{**SHATTERED, "grid": dict(classes=[3, 4], dimension=[2, 3, 4])},
    **worked(sides.shattered_by_classifiers),
)
