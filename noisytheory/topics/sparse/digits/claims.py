"""Figure 1 of the earlier version on trial: herds of digits, and of MNIST where it is at hand."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

from noisytheory.papers import AVERAGE_CLASSIFIER
from noisytheory.topics.sparse.digits import pictures, simulate
from noisytheory.trial.catalogue import Absent
from noisytheory.trial.claim import Claim
from noisytheory.trial.sides import scaled
from noisytheory.vocabulary.data import MNIST_ARRAYS

PROTOCOL = "bundled digits 3 and 8, a third to test on; our bandwidth 0.5 and tolerance 0.1"
IMAGES = simulate.MNIST_IMAGES
MNIST = (
    f"MNIST 3 against 8: the first {IMAGES} of their training images, all their test images; our "
    f"bandwidth {simulate.MNIST_BANDWIDTH:g}, tolerance {simulate.MNIST_TOLERANCE:g} "
    f"and parts of {simulate.MNIST_PART}; as in print, down to {simulate.MNIST_STOP} "
    "images"
)
NOT_BUNDLED = (
    "MNIST is 70,000 handwritten digits of 28 × 28 pixels (LeCun, Cortes and Burges), here scaled "
    "to [0, 1]; of 3 and 8 there are 11,982 to train and 1,984 to test on. It is not bundled, and "
    "the claim is listed only where `NOISYTHEORY_DATA` names a folder with `mnist.npz`."
)
FIGURE_1: dict[str, Any] = {
    "place": "Figure 1, Sec. 8",
    "bound": lambda one_in: 1 / one_in,
    "origin": "candidate",
    "quantity": "share of the test images",
    "picture": pictures.digit_herds,
}


figure_1 = [
    AVERAGE_CLASSIFIER.cited(
        "figure-1",
        statement=r"\text{herding on an MNIST pair: accuracy against atoms kept}",
        place="Figure 1, Sec. 8",
        reason="numbers lost in print: digits, sample sizes and bandwidth",
        note=(
            "The digits, sizes, bandwidth, tolerances and accuracies of the figure are lost, so no "
            "number can be compared. What its text says in words is tried on stand-in digits under "
            "`figure-1/parallel-agrees`, `figure-1/few-points` and `figure-1/approaches-baseline`, "
            "and where MNIST is at hand on MNIST itself, under the same names and `/mnist`."
        ),
        picture=pictures.digit_herds,
    ),
    AVERAGE_CLASSIFIER.always(
        "figure-1/parallel-agrees",
        statement=r"|\mathrm{acc}(\text{parallel herd})-\mathrm{acc}(\text{herd})|\le\tfrac1{20}",
        hypotheses=[PROTOCOL, "herds of like size"],
        exact=simulate.compared,
        certify=simulate.compared_certificate,
        grid={"fold": [0, 1, 2]},
        given={"tolerance": simulate.TOLERANCE, "one_in": 20},
        note="Print: the curves are qualitatively the same. How near, we had to say.",
        twin=scaled(Fraction(1, 2)),
        **FIGURE_1,
    ),
    AVERAGE_CLASSIFIER.always(
        "figure-1/few-points",
        statement=r"\text{at most a tenth of the points}\Rightarrow1-\mathrm{acc}\le\tfrac1{10}",
        hypotheses=[PROTOCOL],
        exact=simulate.few_points,
        certify=simulate.few_points_certificate,
        grid={"fold": [0, 1, 2]},
        given={"bandwidth": simulate.BANDWIDTH, "one_in": 10},
        note="Print has lost both percentages; the limits are ours.",
        twin=scaled(Fraction(1, 2)),
        **FIGURE_1,
    ),
    AVERAGE_CLASSIFIER.always(
        "figure-1/approaches-baseline",
        statement=r"\mathrm{acc}(\text{mean of all})-\mathrm{acc}(\text{herd})\le\tfrac1{32}",
        hypotheses=[PROTOCOL, "herds of a tenth of the points or more"],
        exact=simulate.short_of_mean,
        certify=simulate.short_of_mean_certificate,
        grid={"fold": [0, 1, 2]},
        given={"share": 0.1, "one_in": 32},
        note=(
            "Print: the performance rapidly approaches that of the full mean. How near, we had to "
            "say."
        ),
        twin={"given": {"share": 0.0, "one_in": 32}, "why": "herds of any size"},
        **FIGURE_1,
    ),
]


def _on_mnist(
    name: str, hypotheses: list[str], one_in: int, twin: Any, **given: float
) -> Claim:
    """The claim of this name on the stand-ins, on MNIST, with a limit of its own."""
    stand_in = next(c for c in figure_1 if c.id.endswith(f"figure-1/{name}"))
    old, new = (rf"\tfrac1{{{limit}}}" for limit in (stand_in.given.get("one_in"), one_in))
    return dataclasses.replace(
        stand_in, id=f"{stand_in.id}/mnist", statement=stand_in.statement.replace(old, new),
        hypotheses=[MNIST, *hypotheses], grid={},
        given={"images": IMAGES, "one_in": one_in, **given},
        note=f"{stand_in.note} {NOT_BUNDLED}", picture=pictures.mnist_herds, twin=twin,
    )


if simulate.mnist_at_hand():
    on_mnist = [
        _on_mnist(
            "parallel-agrees", ["herds of like size"], 40, scaled(Fraction(1, 2)),
            tolerance=simulate.MNIST_TOLERANCE,
        ),
        _on_mnist(
            "few-points", [], 16, scaled(Fraction(1, 2)), bandwidth=simulate.MNIST_BANDWIDTH
        ),
        _on_mnist(
            "approaches-baseline", ["herds of any size"], 50, scaled(Fraction(1, 2)), share=0.0
        ),
    ]
else:
    absent = [
        Absent(f"average-classifier/figure-1/{name}/mnist", "mnist.npz", MNIST_ARRAYS)
        for name in ("parallel-agrees", "few-points", "approaches-baseline")
    ]
