"""A step of herding by each of its rules, and the best weights on atoms, on trial."""

from __future__ import annotations

from noisytheory.papers import AVERAGE_CLASSIFIER
from noisytheory.topics.sparse.rates.hulls import RANDOM
from noisytheory.topics.sparse.steps import sides
from noisytheory.trial.sides import both

SOME = [next(iter(RANDOM)), list(RANDOM)[-1]]
"""In the plane and in space."""

steps = [
    AVERAGE_CLASSIFIER.always(
        "algorithm-1/steps",
        statement=(
            r"\|\omega_k-(\omega_{k-1}+\lambda_k(z_k-\omega_{k-1}))\|^2\le2^{-60}D^2"
        ),
        place="Algorithm 1, Sec. 6, and other rules for the same loop",
        hypotheses=[
            "line search: z of the largest score, lambda of the least error in [0, 1]",
            "steps 1/t and 2/(t+1): the same z, lambda 1/k and 2/(k+1)",
            "greedy: of lambda 1/k the z of the least error",
            "away: from the held atom of the least score where that gains more a step, until its "
            "weight is 0 at most",
            "it is plain which score is the largest",
        ],
        origin="candidate",
        grid={"hull": SOME, "k": [6],
              "rule": ["line search", "uniform", "classic", "greedy", "away"]},
        given={"part": 1},
        rows=2,
        note=(
            "The last step of the public algorithm from where its step before stands. Print has "
            "line search only; the other rules are those that its rates are quoted for."
        ),
        twin={"given": {"part": 0.875}, "why": "seven eighths of the step"},
        quantity="1 if the step is another",
        **both(sides.step_apart, sides.Stepped),
    ),
    AVERAGE_CLASSIFIER.always(
        "best-weights",
        statement=(
            r"\max_{z}\langle\omega^*-\tilde\omega,z-\tilde\omega\rangle\le2^{-30}D^2"
            r"\ \text{over the atoms}\ z:\ \text{no mixture of them is nearer}"
        ),
        place="not in the paper: the best convex weights on what herding or the centres give",
        origin="candidate",
        grid={"hull": SOME, "k": [4], "algorithm": list(sides.BEST)},
        given={"best": 1},
        rows=2,
        note="The gap bounds by how much half the squared error exceeds that of the best mixture.",
        twin={"given": {"best": 0}, "why": "herding with equal weights"},
        quantity="1 if a mixture of the atoms is nearer",
        **both(sides.mixture_gap, sides.Mixed),
    ),
]
