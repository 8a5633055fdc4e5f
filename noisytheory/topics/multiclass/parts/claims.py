"""What the experiments of Section 4 are made of, on trial: data, features, and a rival."""

from __future__ import annotations

from typing import Any

from noisytheory.papers import UMA as PAPER
from noisytheory.topics.multiclass.experiments.claims import MEDIAN, nothing
from noisytheory.topics.multiclass.parts import simulate
from noisytheory.vocabulary.domains import LEVEL, Numeric, requires

apart = PAPER.tail(
    "toy-data/apart",
    statement=r"\text{points of two classes are at least twice the margin apart}",
    place="Sec. 4.1",
    hypotheses=["a distance to the boundary, .1, and five classes on the circle", "in most draws"],
    bound=nothing,
    simulate=simulate.nearness,
    grid=dict(delta=[0.5]),
    given=dict(reading="distance", margin=0.1),
    rows=20,
    apart=True,
    quantity="distance that is missing",
    note="Of the public data of this section, no class of which is empty.",
    twin=dict(given=dict(reading="functional", margin=0.1), why="a difference of scores"),
)


@requires(delta=LEVEL)
def rounding(delta: Numeric) -> Numeric:
    """What rounding may do to inner products of features."""
    return 1e-8 + 0 * delta


FRONT: dict[str, Any] = dict(
    place="Sec. 3.6", bound=rounding, apart=True, quantity="largest difference",
)
front_end = PAPER.tail(
    "kernel-front-end",
    statement=r"\langle\varphi(x_i),\varphi(x_j)\rangle=\bar K(x_i,x_j)\text{ to }10^{-8}"
    r"\text{ with all axes}",
    hypotheses=["the kernel centred on the same points"],
    simulate=simulate.centred_kernel_gap,
    grid=dict(delta=[0.1]),
    rows=32,
    given=dict(components=99, centred=1),
    note="Labels are not looked at. Features are then divided by their norm, which print omits.",
    twin=dict(given=dict(components=99, centred=0), why="the kernel not centred"),
    **FRONT,
)
unit_norm = PAPER.tail(
    "kernel-front-end/unit",
    statement=r"\|\varphi(x)\|=1\text{ to }10^{-8}",
    hypotheses=["three axes, from landmarks; points that taught them, and new ones",
                "in most draws"],
    simulate=simulate.norm_gap,
    grid=dict(delta=[0.5]),
    rows=20,
    given=dict(unit=1),
    origin="candidate",
    note="The theory asks for inputs of norm 1; print does not say that features are divided.",
    twin=dict(given=dict(unit=0), why="as projected"),
    **FRONT,
)
self_training = PAPER.tail(
    "self-training",
    statement=r"\text{error after self-training}\le\text{error from the audited labels alone}-.01",
    place="Sec. 4.2.1, in place of the S3VM",
    hypotheses=["two Gaussian classes in 40 dimensions, 4.5 standard deviations apart; four "
                "examples audited, 300 more without labels; a linear SVM, two rounds",
                "in most draws"],
    simulate=simulate.self_training_gap,
    given=dict(order="ours first"),
    origin="candidate",
    note="The rival of the protocol: it learns from the examples that have no labels. One that did "
         "not would err as often as alone, and be refuted. All sizes, the distance and the two "
         "rounds were chosen after looking at results: few draws are to tell.",
    twin=dict(given=dict(order="alone first"), why="sign turned"),
    **MEDIAN,
)
