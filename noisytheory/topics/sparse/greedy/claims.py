"""The greedy loop of the earlier version on trial: its steps, its end, its cost."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from noisytheory.papers import AVERAGE_CLASSIFIER, KERNEL_MEAN
from noisytheory.topics.kernel_mean.deviation import bounds as kernel_mean
from noisytheory.topics.kernel_mean.terms import farthest
from noisytheory.topics.sparse.greedy import simulate
from noisytheory.topics.sparse.publicly import on_hard_rows
from noisytheory.topics.sparse.rates import sides as hulls
from noisytheory.topics.sparse.rates.hulls import RANDOM
from noisytheory.topics.sparse.terms import BOUNDED, ERROR, HULLS, SQUARE
from noisytheory.trial.sides import both, scaled
from noisytheory.vocabulary.domains import COUNT, POSITIVE, SAMPLE_SIZE, Numeric, requires
from noisytheory.vocabulary.populations import axis, two_axes


@requires(k=COUNT)
def _most_atoms(k: int, fewer: int) -> Numeric:
    """An atom an iteration, or fewer in the twin."""
    return k - fewer


@requires(epsilon=POSITIVE, rounds=COUNT)
def _rounds_square(epsilon: float, rounds: int, fewer: int) -> Numeric:
    """The square of an error that every round adds."""
    return ((rounds - fewer) * epsilon) ** 2


@requires(rounds=COUNT)
def _added(rounds: Numeric) -> Numeric:
    """In tolerances, half of one more a round."""
    return (rounds + 1) / 2


def _score_radius(n: int, delta: Numeric) -> Numeric:
    return kernel_mean.mean_deviation_repaired(n, delta)


@requires(n=SAMPLE_SIZE)
def _score_square(n: Numeric) -> Numeric:
    return 1 / n


@requires(n=SAMPLE_SIZE)
def _matrix(n: Numeric) -> Numeric:
    return n * n


@requires(n=SAMPLE_SIZE, k=COUNT)
def _iterations(n: Numeric, k: Numeric) -> Numeric:
    return n * k


@requires(n=SAMPLE_SIZE, m=COUNT)
def _traversal(n: Numeric, m: Numeric) -> Numeric:
    return n * m + (m - 1) * (n > 4096) * np.maximum(2048, n // 16)


@requires(n=SAMPLE_SIZE)
def _sample_size(n: Numeric) -> Numeric:
    return n


@requires(epsilon=POSITIVE)
def _steps_to_proof(hull: str, epsilon: Numeric) -> Numeric:
    """A triangle of diameter 2, the target before its edge, and sixteen orthonormal points."""
    wide, square = (4, (31 / 64) ** 2) if hull == "triangle" else (2, 17 / 64)
    return 1 + 4 * wide / (square - epsilon**2)


SUMMED = both(simulate.summed_weights, hulls.Inside)

average_classifier = [
    AVERAGE_CLASSIFIER.always(
        "algorithm-1/error-falls",
        statement=r"\|\omega_P-\omega_{k+1}\|\le\|\omega_P-\omega_k\|",
        place="Algorithm 1, Sec. 6",
        hypotheses=["line search"],
        grid={"hull": [*HULLS, *RANDOM], "k": [2, 3, 10]},
        given={"step": "line search"},
        rows=4,
        twin={"given": {"step": "uniform"}, "why": "steps 1/t"},
        **SQUARE,
        **on_hard_rows(hulls.herding_progress, hulls.Inside, hulls.Herded),
    ),
    AVERAGE_CLASSIFIER.identity(
        "algorithm-1/picks",
        statement=(
            r"z_{k+1}=\arg\max_z\,\langle\omega_P-\omega_k,\phi(z)\rangle:\ "
            r"\text{no other point has a larger score}"
        ),
        place="Algorithm 1, Sec. 6",
        hypotheses=["steps 1/t, so that the mean of the points taken is where it stands"],
        grid={"hull": [*HULLS, *RANDOM], "k": [1, 2, 5]},
        given={"late": 0},
        rows=8,
        twin={"given": {"late": 1}, "why": "the scores after the step"},
        quantity="greedy score",
        **both(simulate.picked_score, simulate.Taken),
    ),
    AVERAGE_CLASSIFIER.identity(
        "algorithm-1/weights/printed",
        statement=r"\tilde\omega\in\mathrm{co}(\phi(R)):\ \textstyle\sum_i\alpha_i=1",
        place="Algorithm 1, Sec. 6",
        hypotheses=["line search from the empty set, as printed"],
        grid={"hull": ["cross 2", "simplex 4", *RANDOM], "k": [1]},
        given={"empty": 1},
        **SUMMED,
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
        simulate=simulate.herding_weights,
        certify=SUMMED["certify"],
        grid={"hull": ["cross 2", "simplex 4", *RANDOM], "k": [1, 5]},
        given={"empty": 0},
        rows=16,
        twin={"given": {"empty": 1}, "simulate": SUMMED["simulate"],
              "why": "the first step by line search"},
        quantity="sum of the weights",
    ),
    AVERAGE_CLASSIFIER.always(
        "algorithm-1/support",
        statement=r"k\ \text{iterations give at most}\ k\ \text{atoms}",
        place="Algorithm 1, Sec. 6",
        bound=_most_atoms,
        simulate=simulate.herd_size,
        certify=both(simulate.atoms_left, hulls.Inside)["certify"],
        grid={"hull": ["cross 5", "simplex 5", *RANDOM], "k": [1, 4, 12],
              "step": ["line search", "uniform"]},
        given={"fewer": 0},
        rows=8,
        twin={"given": {"fewer": 1}, "why": "k - 1 for k"},
        quantity="atoms",
    ),
    AVERAGE_CLASSIFIER.always(
        "recursive",
        statement=r"\|\omega_S-\tilde\omega_j\|\le j\epsilon\ \text{after}\ j\ \text{rounds}",
        place="Sec. 8: the herd is herded again; errors add",
        origin="candidate",
        grid={"epsilon": [0.25, 1.0], "rounds": [1, 2, 3]},
        given={"fewer": 0},
        rows=32,
        twin={"given": {"fewer": 1}, "why": "j - 1 for j"},
        **SQUARE,
        **both(simulate.recursive_square, simulate.Herded, _rounds_square),
    ),
    AVERAGE_CLASSIFIER.exists(
        "recursive/adds",
        statement=(
            r"\exists S,\epsilon:\ \|\omega_S-\tilde\omega_j\|\ge\tfrac{j+1}2\,\epsilon"
        ),
        place="Sec. 8: the herd is herded again; errors add",
        bound=_added,
        exact=simulate.added_error,
        grid={"rounds": [2, 3]},
        given={"fewer": 0},
        origin="candidate",
        note="The worst of a hundred samples. Herded from the sample, none exceeds one tolerance.",
        twin={"given": {"fewer": 1}, "why": "a round less"},
        quantity="distance from the target, in tolerances",
    ),
    AVERAGE_CLASSIFIER.always(
        "algorithm-1/termination/printed",
        statement=r"\text{the loop reaches}\ \|\omega_P-\tilde\omega\|\le\epsilon",
        place="Algorithm 1, Sec. 6",
        hypotheses=["candidates a part of the support of P"],
        bound=lambda: 0.1,
        exact=simulate.stuck_error,
        certify=simulate.stuck_certificate,
        grid={"k": [1, 10, 1000]},
        given={"gap": -math.inf},
        expect="refuted",
        note="Where the candidates' hull is farther away than the tolerance, it never does.",
        **ERROR,
    ),
    AVERAGE_CLASSIFIER.always(
        "algorithm-1/termination/repaired",
        statement=(
            r"\text{the loop ends, near enough or with a proof that it cannot be, after at most }"
            r"1+\tfrac{4D^2}{b^2-\epsilon^2}\text{ steps}"
        ),
        place="Algorithm 1, Sec. 6",
        hypotheses=[
            "candidates a part of the support of P, their hull b > epsilon away",
            "a stop where the squared error less twice the duality gap exceeds epsilon^2",
            "the first atom's squared error at most 2 D^2 + epsilon^2, D the candidates' diameter",
        ],
        bound=_steps_to_proof,
        exact=simulate.steps_to_proof,
        certify=simulate.steps_certificate,
        grid={"hull": list(simulate.BEYOND), "epsilon": [0.25, 0.37, 0.4375],
              "step": ["line search", "classic"]},
        given={"gap": 0.0, "k": 2000},
        origin="candidate",
        note=(
            r"Print has no stop and no number of steps; both are ours. Until the stop the gap "
            r"exceeds $u_t=\frac12(e_t^2-\epsilon^2)$, so that line search has "
            r"$u_{t+1}\le u_t-u_t^2/2D^2$, and steps $2/(t+1)$ have "
            r"$t(t+1)u_t\le t(t-1)u_{t-1}+2D^2$, while $u_t\ge\frac12(b^2-\epsilon^2)$. A stop at "
            "a gap of 0 would not do: towards a target beyond an edge it is never 0. The bound "
            "is loose: on a simplex, the worst found, every step is shorter than D by the root of "
            "2 and gains twice what is counted on, so that a quarter of the steps are taken."
        ),
        twin=scaled(Fraction(1, 4), "the squared diameter once for four times"),
        quantity="steps",
    ),
    AVERAGE_CLASSIFIER.identity(
        "algorithm-1/frank-wolfe",
        statement=(
            r"\langle\omega_P-\omega,\phi(z)\rangle"
            r"=-\partial_{\phi(z)}\tfrac12\|\omega_P-\omega\|^2"
        ),
        place="Sec. 6: herding is Frank-Wolfe",
        given={"sign": 1},
        rows=512,
        twin={"given": {"sign": -1}, "why": "the other sign"},
        quantity="greedy score",
        **both(simulate.direction_slope, simulate.Ahead),
    ),
    AVERAGE_CLASSIFIER.always(
        "computation/matrix",
        statement=r"\text{all scores take}\ O(n^2)\ \text{kernel values: at most}\ n^2",
        place="Sec. 6.2",
        origin="candidate",
        bound=_matrix,
        exact=simulate.herding_evaluations,
        certify=simulate.matrix_certificate,
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
        exact=simulate.herding_evaluations,
        grid={"n": [10, 100, 700], "k": [1, 7]},
        given={"part": "iterations"},
        certify=simulate.iteration_certificate,
        twin=scaled(Fraction(1, 2)),
        quantity="kernel evaluations",
    ),
    KERNEL_MEAN.always(
        "algorithm-1/cost",
        statement=(
            r"\text{the traversal takes at most}\ mn\ \text{kernel values, and}\ "
            r"(m-1)\max(2048,\lfloor n/16\rfloor)\ \text{more where}\ n>4096"
        ),
        place="Algorithm 1, Sec. 5.2: incremental, of order mn",
        hypotheses=["no two points are equally far from their centres"],
        origin="candidate",
        bound=_traversal,
        exact=simulate.traversal_evaluations,
        certify=simulate.traversal_certificate,
        grid={"n": [10, 100, 500, 4096, 4097, 5000, 40_000], "m": [2, 10]},
        note=(
            "Print says of order mn; the count is ours. Beyond 4096 points a centre is compared "
            "with the farthest first and with all later: up to half as much again at n = 4097, a "
            "sixteenth from n = 32,768 on. Where points tie more may be farthest, but no centre is "
            "compared with a point more than twice."
        ),
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
        origin="candidate",
        hypotheses=["s independent draws from the sample", BOUNDED],
        bound=_score_radius,
        simulate=simulate.score_deviation,
        grid={"population": [axis(), axis(Fraction(9, 10)), two_axes(Fraction(3, 4))],
              "n": [30, 100], "delta": [0.5, 0.1, 0.05]},
        rows=256,
        trivial=farthest,
        note=(
            "By the public estimate. Fair signs come nearest; others have scores that a wrong "
            "factor, sign or weight would show in."
        ),
        twin=scaled(Fraction(1, 2)),
        quantity="largest error of a score",
    ),
    AVERAGE_CLASSIFIER.equal(
        "computation/estimated-scores/mean-square",
        statement=r"\mathbb E\max_z\langle\hat\omega-\omega_S,\phi(z)\rangle^2=\tfrac1s",
        place="behind Sec. 6.2: what estimating the mean costs",
        origin="sharper",
        hypotheses=["s independent draws from fair signs on one axis"],
        bound=_score_square,
        simulate=simulate.score_square,
        grid={"population": [axis()], "n": [2]},
        low=0.0,
        high=1.0,
        margin=0.2,
        rows=128,
        note="By the public estimate, which has to draw as often as it says.",
        twin={"bound": lambda n: 2 / n, "why": "half of the draws"},
        quantity="largest error of a score, squared",
    ),
    AVERAGE_CLASSIFIER.identity(
        "sparsity-prose",
        statement=r"\text{the minimiser of linear loss has}\ n\ \text{atoms}",
        place="Sec. 6.7",
        hypotheses=["linearly independent features"],
        given={"fewer": 0},
        grid={"n": [2, 5, 20]},
        note="Where features are dependent the mean may have shorter expansions.",
        twin={"bound": lambda n: n - 1, "given": {"fewer": 1}, "why": "n - 1 for n"},
        quantity="atoms",
        **both(simulate.mean_expansion, simulate.Independent, _sample_size),
    ),
]
