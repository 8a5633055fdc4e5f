"""Herding in the earlier version on trial: Algorithm 1, its cost, its use for classifiers."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from typing import Any

from noisytheory.papers import AVERAGE_CLASSIFIER
from noisytheory.topics.kernel_mean import bounds as kernel_mean
from noisytheory.topics.sparse import (
    pictures,
    sides,
    simulate_clusters,
    simulate_digits,
    simulate_hulls,
    simulate_means,
    simulate_rates,
)
from noisytheory.topics.sparse.claims_terms import BOUNDED, ERROR, HULLS, LEVELS, SQUARE
from noisytheory.trial.claim import Certificate, Claim
from noisytheory.trial.sides import both, scaled
from noisytheory.vocabulary.domains import COUNT, SAMPLE_SIZE, Numeric, requires
from noisytheory.vocabulary.populations import axis, two_axes

# Herding in the earlier version.


def _score_radius(n: int, delta: Numeric) -> Numeric:
    return kernel_mean.mean_deviation_repaired(n, delta)


@requires(n=SAMPLE_SIZE)
def _matrix(n: Numeric) -> Numeric:
    return n * n


@requires(n=SAMPLE_SIZE, k=COUNT)
def _iterations(n: Numeric, k: Numeric) -> Numeric:
    return n * k


@requires(n=SAMPLE_SIZE)
def _sample_size(n: Numeric) -> Numeric:
    return n


PROTOCOL = "bundled digits 3 and 8, a third to test on; our bandwidth 0.5 and tolerance 0.1"
IMAGES = simulate_digits.MNIST_IMAGES
MNIST = (
    f"MNIST 3 against 8: the first {IMAGES} of their training images, all their test images; our "
    f"bandwidth {simulate_digits.MNIST_BANDWIDTH:g}, tolerance {simulate_digits.MNIST_TOLERANCE:g} "
    f"and parts of {simulate_digits.MNIST_PART}; as in print, down to {simulate_digits.MNIST_STOP} "
    "images"
)
NOT_BUNDLED = (
    "MNIST is 70,000 handwritten digits of 28 × 28 pixels (LeCun, Cortes and Burges), here scaled "
    "to [0, 1]; of 3 and 8 there are 11,982 to train and 1,984 to test on. It is not bundled, and "
    "the claim is listed only where `NOISYTHEORY_DATA` names a folder with `mnist.npz`."
)
FIGURE_1: dict[str, Any] = {
    "place": "Figure 1, Sec. 8",
    "origin": "candidate",
    "quantity": "share of the test images",
    "picture": pictures.digit_herds,
}

average_classifier = [
    AVERAGE_CLASSIFIER.always(
        "algorithm-1/error-falls",
        statement=r"\|\omega_P-\omega_{k+1}\|\le\|\omega_P-\omega_k\|",
        place="Algorithm 1, Sec. 6",
        hypotheses=["line search"],
        simulate=simulate_hulls.herding_progress,
        grid={"hull": HULLS, "k": [2, 3, 10]},
        given={"step": "line search"},
        rows=512,
        certify=simulate_hulls.herding_certificate(
            lambda errors, distance, diameter, k: errors[-2]
        ),
        twin={"given": {"step": "uniform"}, "why": "steps 1/t"},
        **SQUARE,
    ),
    AVERAGE_CLASSIFIER.identity(
        "algorithm-1/weights/printed",
        statement=r"\tilde\omega\in\mathrm{co}(\phi(R)):\ \textstyle\sum_i\alpha_i=1",
        place="Algorithm 1, Sec. 6",
        hypotheses=["line search from the empty set, as printed"],
        bound=lambda: 1.0,
        simulate=simulate_rates.empty_start_weights,
        certify=simulate_rates.empty_start_certificate,
        grid={"hull": ["cross 2", "simplex 4"], "k": [1]},
        rows=512,
        expect="refuted",
        quantity="sum of the weights",
        note=(
            r"From $\omega=0$ the line search gives $\lambda_1=\langle\omega_P,\phi(z)\rangle/"
            r"\|\phi(z)\|^2$, below 1 unless $P$ is a point."
        ),
    ),
    AVERAGE_CLASSIFIER.identity(
        "algorithm-1/weights/repaired",
        statement=r"\textstyle\sum_i\alpha_i=1",
        place="Algorithm 1, Sec. 6",
        hypotheses=[r"the first step is $\lambda_1=1$"],
        bound=lambda: 1.0,
        simulate=simulate_rates.herding_weights,
        grid={"hull": ["cross 2", "simplex 4"], "k": [1, 5]},
        rows=64,
        twin={"certify": simulate_rates.empty_start_certificate,
              "simulate": simulate_rates.empty_start_weights,
              "grid": {"hull": ["cross 2"], "k": [1]}, "why": "the first step by line search"},
        quantity="sum of the weights",
    ),
    AVERAGE_CLASSIFIER.always(
        "algorithm-1/termination/printed",
        statement=r"\text{the loop reaches}\ \|\omega_P-\tilde\omega\|\le\epsilon",
        place="Algorithm 1, Sec. 6",
        hypotheses=["candidates a part of the support of P"],
        bound=lambda: 0.1,
        exact=simulate_rates.stuck_error,
        certify=simulate_rates.stuck_certificate,
        grid={"k": [1, 10, 1000], "gap": [-math.inf]},
        expect="refuted",
        note="Where the candidates' hull is farther away than the tolerance, it never does.",
        **ERROR,
    ),
    AVERAGE_CLASSIFIER.always(
        "algorithm-1/termination/repaired",
        statement=r"\text{the loop ends when the duality gap is 0}",
        place="Algorithm 1, Sec. 6",
        hypotheses=["candidates a part of the support of P", "a stop at the duality gap"],
        bound=lambda: 1,
        exact=simulate_rates.stuck_steps,
        certify=lambda lhs: Certificate(int(lhs), 1, [("steps made", int(lhs))]),
        grid={"k": [10, 1000], "gap": [0.0]},
        twin={"grid": {"k": [10], "gap": [-math.inf]}, "why": "no stop at the duality gap"},
        quantity="steps made where none but the first can help",
    ),
    AVERAGE_CLASSIFIER.identity(
        "algorithm-1/frank-wolfe",
        statement=(
            r"\langle\omega_P-\omega,\phi(z)\rangle"
            r"=-\partial_{\phi(z)}\tfrac12\|\omega_P-\omega\|^2"
        ),
        place="Sec. 6: herding is Frank-Wolfe",
        simulate=simulate_rates.direction_slope,
        certify=simulate_rates.direction_certificate,
        grid={"sign": [1]},
        rows=512,
        twin={"grid": {"sign": [-1]}, "why": "the other sign"},
        quantity="greedy score",
    ),
    AVERAGE_CLASSIFIER.always(
        "computation/matrix",
        statement=r"\text{all scores take}\ O(n^2)\ \text{kernel values: at most}\ n^2",
        place="Sec. 6.2",
        bound=_matrix,
        exact=simulate_means.herding_evaluations,
        certify=lambda n, lhs: Certificate(int(lhs), n * n, [("counted", int(lhs))]),
        grid={"n": [10, 1000, 3000], "k": [1]},
        given={"part": "scores"},
        note="n(n + 1)/2 of them differ; in blocks, ours takes little more where n is large.",
        twin=scaled(Fraction(1, 2)),
        quantity="kernel evaluations",
    ),
    AVERAGE_CLASSIFIER.identity(
        "computation/iteration",
        statement=r"k\ \text{iterations use}\ kn\ \text{kernel values}",
        place="Sec. 6.2: of order n",
        bound=_iterations,
        exact=simulate_means.herding_evaluations,
        grid={"n": [10, 100, 700], "k": [1, 7]},
        given={"part": "iterations"},
        certify=lambda n, k, lhs: Certificate(int(lhs), n * k, [("counted", int(lhs))]),
        twin=scaled(Fraction(1, 2)),
        quantity="kernel evaluations",
    ),
    AVERAGE_CLASSIFIER.tail(
        "computation/estimated-scores",
        statement=(
            r"\max_z|\langle\hat\omega-\omega_S,\phi(z)\rangle|"
            r"\le\tfrac{1+\sqrt{2\log(1/\delta)}}{\sqrt s}"
        ),
        place="Sec. 6.2: estimating the mean lowers the cost of the scores",
        hypotheses=["s independent draws from the sample", BOUNDED],
        bound=_score_radius,
        simulate=simulate_clusters.score_deviation,
        grid={"population": [axis(), two_axes()], "n": [30, 100], "delta": LEVELS},
        trivial=2.0,
        twin=scaled(Fraction(1, 2)),
        quantity="largest error of a score",
    ),
    AVERAGE_CLASSIFIER.always(
        "discriminative",
        statement=r"|\langle\omega_S-\tilde\omega,\phi(x)\rangle|\le\epsilon\ \forall x",
        place="Sec. 6.4",
        hypotheses=[BOUNDED],
        grid={"direction": ["free", "along the feature"]},
        rows=1024,
        note="Tight where the error points along a feature.",
        twin=scaled(Fraction(1, 2)),
        quantity="squared score",
        **both(sides.score_error, sides.Scored),
    ),
    AVERAGE_CLASSIFIER.identity(
        "sparsity-prose",
        statement=r"\text{the minimiser of linear loss has}\ n\ \text{atoms}",
        place="Sec. 6.7",
        hypotheses=["linearly independent features"],
        bound=_sample_size,
        exact=simulate_means.mean_expansion,
        certify=lambda n, lhs: Certificate(int(lhs), n, [("weights", f"{n} times 1/{n}")]),
        grid={"n": [2, 5, 20]},
        note="Where features are dependent the mean may have shorter expansions.",
        twin={"bound": lambda n: n - 1, "why": "n - 1 for n",
              "certify": lambda n, lhs: Certificate(int(lhs), n - 1, [("atoms", int(lhs))])},
        quantity="atoms",
    ),
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
        bound=lambda: 1 / 20,
        exact=simulate_digits.compared,
        certify=simulate_digits.counted_certificate(Fraction(1, 20)),
        grid={"fold": [0, 1, 2], "tolerance": [simulate_digits.TOLERANCE]},
        note="Print: the curves are qualitatively the same. How near, we had to say.",
        twin={"grid": {"fold": [0, 1, 2], "tolerance": [1.0]},
              "why": "parallel herding with ten times the tolerance"},
        **FIGURE_1,
    ),
    AVERAGE_CLASSIFIER.always(
        "figure-1/few-points",
        statement=r"\text{at most a tenth of the points}\Rightarrow\mathrm{acc}\ge\tfrac9{10}",
        hypotheses=[PROTOCOL],
        bound=lambda: 1 / 10,
        exact=simulate_digits.few_points,
        certify=simulate_digits.counted_certificate(Fraction(1, 10)),
        grid={"fold": [0, 1, 2], "bandwidth": [simulate_digits.BANDWIDTH]},
        note="Print has lost both percentages; these are ours.",
        twin={"grid": {"fold": [0, 1, 2], "bandwidth": [5.0]},
              "why": "a bandwidth at which the mean itself fails"},
        **FIGURE_1,
    ),
    AVERAGE_CLASSIFIER.always(
        "figure-1/approaches-baseline",
        statement=r"\mathrm{acc}(\text{mean of all})-\mathrm{acc}(\text{herd})\le\tfrac1{25}",
        hypotheses=[PROTOCOL, "herds of a tenth of the points or more"],
        bound=lambda: 1 / 25,
        exact=simulate_digits.short_of_mean,
        certify=simulate_digits.counted_certificate(Fraction(1, 25)),
        grid={"fold": [0, 1, 2], "share": [0.1]},
        note="Print: the performance rapidly approaches that of the full mean.",
        twin={"grid": {"fold": [0, 1, 2], "share": [0.0]}, "why": "herds of any size"},
        **FIGURE_1,
    ),
]


def _on_mnist(name: str, hypotheses: list[str], **fields: Any) -> Claim:
    """The claim of this name on the stand-ins, on MNIST."""
    stand_in = next(c for c in average_classifier if c.id.endswith(f"figure-1/{name}"))
    return dataclasses.replace(
        stand_in, id=f"{stand_in.id}/mnist", hypotheses=[MNIST, *hypotheses],
        note=f"{stand_in.note} {NOT_BUNDLED}", picture=pictures.mnist_herds, **fields,
    )


if simulate_digits.mnist_at_hand():
    average_classifier += [
        _on_mnist(
            "parallel-agrees",
            ["herds of like size"],
            exact=simulate_digits.compared_on_mnist,
            grid={"images": [IMAGES], "tolerance": [simulate_digits.MNIST_TOLERANCE]},
            twin={"grid": {"images": [IMAGES], "tolerance": [1.0]},
                  "why": "parallel herding with 25 times the tolerance"},
        ),
        _on_mnist(
            "few-points",
            [],
            exact=simulate_digits.few_points_on_mnist,
            grid={"images": [IMAGES], "bandwidth": [simulate_digits.MNIST_BANDWIDTH]},
            twin={"grid": {"images": [IMAGES], "bandwidth": [10.0]},
                  "why": "a bandwidth at which the mean itself fails"},
        ),
        _on_mnist(
            "approaches-baseline",
            ["herds of any size"],
            exact=simulate_digits.short_of_mean_on_mnist,
            grid={"images": [IMAGES], "tolerance": [simulate_digits.MNIST_TOLERANCE]},
            twin={"grid": {"images": [IMAGES], "tolerance": [0.4]},
                  "why": "ten times the tolerance, which leaves a handful of points"},
        ),
    ]
