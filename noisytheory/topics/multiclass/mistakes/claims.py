"""Section 3.1 on trial: Algorithm 1 and its mistake bound."""

from __future__ import annotations

from typing import Any

from noisytheory.papers import UMA as PAPER
from noisytheory.topics.multiclass.mistakes import bounds, sides
from noisytheory.topics.multiclass.steps import WORDS
from noisytheory.trial.sides import scaled, worked

SEPARABLE = ["true labels, separable", "W = 0 at the start"]

algorithm_1 = PAPER.always(
    "algorithm-1",
    statement=r"\tau_y=1,\ \tau_r\le0\text{ on }E,\ \tau_r=0\text{ elsewhere},\ \sum_r\tau_r=0",
    place="Algorithm 1 and (6), Sec. 3.1",
    hypotheses=["E is not empty"],
    grid=dict(rule=["worst", "uniform", "proportional", "random", "predicted"]),
    given=dict(taken="as it says"),
    quantity="conditions broken",
    note=(
        "And the shares are those that the rule says. Print updates by $x_q$ and means $x_t$. "
        "Steps from the predicted class are ultraconservative only where it lies in E. Of random "
        "steps, which round, the sum is not asked."
    ),
    twin=dict(given=dict(taken="forced"), why="always down by one for the predicted class"),
    **worked(sides.constraints),
)
sum_zero = PAPER.identity(
    "sum-of-weights-zero",
    statement=r"\textstyle\sum_qw_q=0",
    place="Sec. 3.2",
    hypotheses=["W = 0 at the start", WORDS["uniform"], f"UMA by {WORDS['predicted']}"],
    given=dict(start="zero"),
    quantity="largest coordinate of the sum",
    note="Of the Perceptron's family, and of UMA with any update vectors.",
    also=[PAPER.also("identity-sumW", "Sec. 3.2")],
    twin=dict(given=dict(start="elsewhere"), why="weights that do not start at 0"),
    **worked(sides.sums),
)
K: dict[str, Any] = dict(place="Theorem 1, Sec. 3.1", quantity="updates")
theorem_1_printed = PAPER.always(
    "theorem-1/printed",
    statement=r"\text{one pass over }\mathcal S:\ K\le\frac2{\theta^2}",
    hypotheses=[WORDS["worst"]],
    bound=bounds.mistake_bound,
    given=dict(labels="noisy"),
    expect="refuted",
    note=(
        r"$\mathcal S$ is the noisy sample; $\mathcal S_{\rm true}$ is meant. Two opposite points "
        "have a bound of 1; with a fifth of 200 labels flipped there are dozens of updates."
    ),
    **K, **worked(sides.noisy_mistakes, "theta", "radius"),
)
theorem_1 = PAPER.always(
    "theorem-1/repaired",
    statement=r"K\le\frac{2R^2}{\theta^2}\text{ in any number of passes over true labels}",
    hypotheses=SEPARABLE,
    bound=bounds.mistake_bound,
    grid=dict(step=["worst", "uniform"]),
    given=dict(sizes="two"),
    note=(
        "Attained with two classes by orthonormal inputs, and nearly with three by inputs that "
        "share a direction. The margin is that of the best classifier, found in floats and taken "
        "at its value."
    ),
    also=[PAPER.also("assumption-1/repaired", "Assumption 1, Sec. 2.1")],
    twin=scaled(0.5),
    **K, **worked(sides.mistakes, "theta", "radius"),
)
theorem_1_sharp = PAPER.always(
    "theorem-1-sharp",
    statement=r"K\le\frac{TR^2}{\theta^2},\quad T=\max\Big(1+\sum_{r\in E}\tau_r^2\Big)",
    hypotheses=SEPARABLE,
    bound=bounds.mistake_bound_sharp,
    grid=dict(step=["uniform", "worst"]),
    given=dict(sizes="own"),
    origin="sharper",
    note="Attained by uniform steps on orthonormal inputs, for every number of classes.",
    twin=dict(given=dict(sizes="uniform"), why="T of uniform steps for every rule"),
    **K, **worked(sides.mistakes, "theta", "radius", "largest_step"),
)
theorem_1_hinge = PAPER.always(
    "theorem-1-hinge",
    statement=r"K\le\frac{2(R+D)^2}{\theta^2},\quad D^2=\sum_i\max(0,\theta-\gamma_i)^2",
    hypotheses=["one pass", WORDS["worst"],
                r"$\gamma_i$ the margins of any classifier with $\|W\|_F=1$"],
    bound=bounds.mistake_bound_hinge,
    given=dict(deficits="counted"),
    origin="sharper",
    note=(
        "Crammer and Singer 2003: for text such as Reuters, where no margin exists. Nearest on "
        "orthonormal inputs that are asked for a margin a little larger than theirs: .99 of it."
    ),
    twin=dict(given=dict(deficits="none"), why="the deficits left out"),
    **K, **worked(sides.inseparable, "theta", "radius", "deficit"),
)
