"""Choosing on noisy labels, each example left out in turn: not in print, ours."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from noisytheory.papers import KERNEL_MEAN as PAPER
from noisytheory.topics.kernel_mean.terms import FEW_ROWS
from noisytheory.topics.label_noise.choice import bounds, pictures, sides, simulate
from noisytheory.topics.label_noise.choice.simulate import Opposed, Signs, Unlike
from noisytheory.trial.sides import both, scaled
from noisytheory.vocabulary.domains import Numeric
from noisytheory.vocabulary.populations import axis, two_axes

INDEPENDENT = "independent examples, each label flipped with probability sigma"
UNIT_FEATURES = "features of norm at most 1"
UNLIKE, MANY, LEVELS = Unlike(4), 20_000, [0.1, 0.01]
OURS: dict[str, Any] = dict(place="behind Sec. 4.3, not in print", origin="candidate")


def _two_classes(error: Numeric, sigma: Numeric) -> Numeric:
    return sigma + (1 - 2 * sigma) * error


noisy_error = PAPER.identity(
    "choice/noisy-error",
    statement=r"\mathrm{Risk}_{01}(P_\sigma,h)=\sigma+\big(1-\tfrac{k\sigma}{k-1}\big)"
    r"\,\mathrm{Risk}_{01}(P,h)",
    hypotheses=["k classes; a label is flipped to any other class alike", "any classifier"],
    grid=dict(classes=[2, 3, 5, 9], sigma=[1 / 8, 5 / 16, 63 / 128]),
    rows=1024,
    quantity="0-1 risk on noisy labels",
    unit="probability",
    note="So noisy labels order classifiers as clean ones do, and no rate need be known.",
    picture=pictures.path,
    twin=dict(
        **both(sides.flipped_error, sides.Predicted, _two_classes),
        why="the factor of two classes for any number of them",
    ),
    **both(sides.flipped_error, sides.Predicted, bounds.noisy_error),
    **OURS,
)

left_out = PAPER.equal(
    "choice/left-out",
    statement=(
        r"\mathbb E_{S\sim P_\sigma^n}\tfrac1n\textstyle\sum_i[h_{S\setminus i}(x_i)\ne y_i]"
        r"=\mathbb E_{S\sim P_\sigma^{n-1}}\mathrm{Risk}_{01}(P_\sigma,h_S)"
    ),
    hypotheses=[INDEPENDENT],
    simulate=simulate.left_out,
    grid=dict(
        population=[axis(), two_axes(Fraction(3, 4), Fraction(1, 3))],
        n=[2, 9], sigma=[0.0, 0.3], classes=["as they come", "balanced"],
    ),
    given=dict(own="left out"),
    low=-1.0,
    high=1.0,
    margin=0.02,
    rows=16_384,
    quantity="leave-one-out error less the risk of a mean of n - 1 examples",
    unit="probability",
    note=(
        "Luntz and Brailovsky (1969), for any rule; here for the mean, its classes as they come or "
        "balanced. Both sides are drawn; on fair signs the left one has a large variance."
    ),
    twin=dict(given=dict(own="kept"), why="every example has a say in its own score"),
    **OURS,
)

chosen = PAPER.identity(
    "choice/chosen",
    statement=(
        r"\text{chosen is the last kernel whose leave-one-out error exceeds the least by no more }"
        r"\text{standard errors than the patience}"
    ),
    hypotheses=["two classes as they come, labels without a known rate"],
    grid=dict(standard_errors=[0.0, 0.5, 1.5]),
    given=dict(share=1),
    rows=64,
    quantity="place on the path",
    note="The public choice on six examples, up to fifty of each; the rule in whole numbers.",
    twin=dict(given=dict(share=0.875), why="seven eighths of the patience"),
    **both(sides.last_within, sides.Path),
    **OURS,
)

cut = PAPER.identity(
    "choice/threshold",
    statement=r"\text{no threshold between two scores has more examples right than the chosen one}",
    hypotheses=["two classes", "the threshold of all examples"],
    given=dict(centred=0),
    rows=64,
    quantity="examples right",
    twin=dict(given=dict(centred=1), why="a threshold of 0"),
    **both(sides.right_at_cut, sides.Cut),
    **OURS,
)

score_deviation = PAPER.tail(
    "choice/score-deviation",
    statement=(
        r"\max_{i,\,\kappa\le k}|\langle\Phi_\kappa(S\setminus i)-\Phi_\kappa(P),\phi_\kappa(x_i)"
        r"\rangle|\le\tfrac1{\sqrt n}+\sqrt{\tfrac{2\log(k/\delta)}n}+\tfrac2n"
    ),
    hypotheses=["independent examples", UNIT_FEATURES],
    bound=bounds.leave_one_out_deviation,
    simulate=simulate.score_deviation,
    grid=dict(
        population=[Signs(1), Signs(4), UNLIKE], n=[20, 100], delta=[0.5, 0.1, 0.01],
    ),
    trivial=2.0,
    rows=FEW_ROWS,
    quantity="largest error of a leave-one-out score",
    unit="score",
    note="A union over the kernels; the example left out moves a mean by at most 2/n.",
    twin=scaled(Fraction(1, 2)),
    **OURS,
)

chosen_excess = PAPER.tail(
    "choice/chosen-excess",
    statement=(
        r"\mathrm{Risk}_{01}(P,f_{\hat\imath})-\min_{i\le k}\mathrm{Risk}_{01}(P,f_i)\le"
        r"\frac{\sqrt{2\log(2(k-1)/\delta)}+c}{(1-2\sigma)\sqrt n}"
    ),
    hypotheses=[
        INDEPENDENT, UNIT_FEATURES,
        "of k means the last is chosen whose leave-one-out error is within c standard errors of "
        "the least one",
        "no score under the noisy population is within choice/score-deviation at delta/2 of 0",
    ],
    bound=bounds.chosen_excess,
    simulate=simulate.excess,
    grid=dict(
        population=[Opposed(1.7), Opposed(2.1), Opposed(2.6), UNLIKE],
        n=[MANY], sigma=[0.25], standard_errors=[0.0, 0.5], delta=LEVELS,
    ),
    given=dict(margin=bounds.leave_one_out_deviation(MANY, min(LEVELS) / 2, UNLIKE.k)),
    trivial=1.0,
    rows=FEW_ROWS,
    quantity="clean risk of the chosen mean above the best one's",
    unit="probability",
    note=(
        "A union over the path and Hoeffding's inequality for differences. Two kernels that "
        "predict opposite classes come nearest: two thirds of the bound."
    ),
    twin=scaled(Fraction(1, 2)),
    **OURS,
)
