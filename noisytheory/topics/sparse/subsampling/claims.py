"""Random sub-sampling and its limit on trial: Sections 5 and 5.1."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from noisytheory.papers import AVERAGE_CLASSIFIER, KERNEL_MEAN
from noisytheory.topics.kernel_mean.deviation import bounds as kernel_mean
from noisytheory.topics.kernel_mean.terms import farthest
from noisytheory.topics.sparse.rates import simulate as rates_simulate
from noisytheory.topics.sparse.rates.sides import Inside
from noisytheory.topics.sparse.samples import SAMPLES
from noisytheory.topics.sparse.subsampling import bounds, simulate
from noisytheory.topics.sparse.terms import BOUNDED, ERROR, LEVELS, SQUARE
from noisytheory.trial.sides import both, scaled
from noisytheory.vocabulary.domains import COUNT, LEVEL, Numeric, requires
from noisytheory.vocabulary.populations import Finite, axis, orthonormal

# Random sub-sampling.


def _moments(sample: str) -> tuple[float, float]:
    """The mean square of W times a point drawn, and the norm of their mean, the target."""
    target = SAMPLES[sample].target
    square = float(target.masses @ target.diagonal)
    return target.total**2 * square, target.total * math.sqrt(target.square)


def _independent_square(sample: str, k: int) -> Numeric:
    return bounds.subsampling_mean_square(k, *_moments(sample))


def _subset(sample: str, k: int) -> Numeric:
    points = len(SAMPLES[sample].alpha)
    return bounds.without_replacement_mean_square(points, k, *_moments(sample))


def _farthest(sample: str) -> float:
    """No square of an error exceeds that of the point farthest from the target."""
    chosen = SAMPLES[sample]
    apart = chosen.target.total * (chosen.signed - chosen.target.masses @ chosen.signed)
    return float((apart**2).sum(axis=1).max())


@requires(k=COUNT, delta=LEVEL)
def _deviation(k: int, delta: Numeric) -> Numeric:
    return kernel_mean.mean_deviation(k, delta)


def _room(sample: str, k: int, repeated: bool) -> float:
    """A fifth where squares are drawn, less where they are all alike, none of a known law."""
    if simulate.counted(sample, k, repeated):
        return 0.0
    alike = k == 1 and sample in ("40 uneven corners", "orthonormal 6")
    return 1 / 40 if alike else 1 / 5


def _independent_room(sample: str, k: int) -> Numeric:
    return _room(sample, k, True) * _independent_square(sample, k)


def _subset_room(sample: str, k: int) -> Numeric:
    return _room(sample, k, False) * _subset(sample, k)


DRAWN: dict[str, Any] = {"low": 0.0, "high": _farthest, "rows": 256}
# Near the two ends of an axis, five points each, of uneven weights: too many outcomes to count.
ENDS = Finite(
    "two spread ends", [[sign * (1 - Fraction(i, 64))] for sign in (1, -1) for i in range(5)],
    [1] * 10, [Fraction(i, 50) for i in (12, 3, 10, 6, 4, 4, 3, 2, 3, 3)],
)

random_subsampling = [
    KERNEL_MEAN.tail(
        "random-subsampling-rate",
        statement=(
            r"\|\omega^*-\tilde\omega\|\le\tfrac2{\sqrt k}+\sqrt{\tfrac{2\log(1/\delta)}k}"
            r"=O(1/\sqrt k)"
        ),
        place="Sec. 5, before 5.1, via Theorem 5",
        hypotheses=["k independent draws from the weights", BOUNDED],
        bound=_deviation,
        simulate=simulate.sampled_norms,
        exact=simulate.norm_law,
        rows=384,
        apart=True,
        grid={"population": [axis(), orthonormal(3), ENDS], "k": [5, 11, 100], "delta": LEVELS},
        trivial=farthest,
        note=(
            "Loose as Theorem 5 is; `kernel-mean/theorem-5/repaired` has the right mean term. "
            "Of the spread ends, whose weights are uneven, the public sampler draws."
        ),
        twin=scaled(Fraction(1, 2)),
        **ERROR,
    ),
    KERNEL_MEAN.equal(
        "random-subsampling-rate/mean-square",
        statement=(
            r"\mathbb E\|\omega^*-\tilde\omega\|^2=\tfrac1k\big(\textstyle W\sum|\alpha(\omega)|"
            r"\|\omega\|^2-\|\omega^*\|^2\big),\quad W=\sum|\alpha(\omega)|"
        ),
        place="behind Sec. 5, before 5.1; in print W = 1",
        origin="sharper",
        hypotheses=["k independent draws from the sizes of the weights, with their signs"],
        also=[AVERAGE_CLASSIFIER.also("herding-rates/monte-carlo", "Sec. 6.1")],
        bound=_independent_square,
        simulate=simulate.squares_with_replacement,
        exact=simulate.subsample_law,
        **{**DRAWN, "rows": 384},
        margin=_independent_room,
        grid={"sample": ["orthonormal 5", "weighted", "signed", "one heavy corner",
                         "40 uneven corners"],
              "k": [1, 2, 5]},
        note=(
            "Exact where outcomes can be counted. Of corners, one of which has most weight in one "
            "sample, the public sampler draws, to within a fifth; of single corners that are about "
            "as far off as each other, to within a fortieth."
        ),
        twin={"bound": lambda sample, k: _independent_square(sample, k + 1), "why": "k + 1 for k"},
        **SQUARE,
    ),
    KERNEL_MEAN.equal(
        "random-subsampling-rate/without-replacement",
        statement=(
            r"\mathbb E\|\omega^*-\tilde\omega\|^2=\tfrac1k\tfrac{n-k}{n-1}\big("
            r"\tfrac1n\textstyle\sum\|\omega\|^2-\|\omega^*\|^2\big)"
        ),
        place="not in the paper",
        hypotheses=["equal weights", "k different points"],
        bound=_subset,
        simulate=simulate.squares_without_replacement,
        exact=simulate.subset_law,
        **DRAWN,
        margin=_subset_room,
        grid={"sample": ["orthonormal 5", "line", "three pairs", "orthonormal 6"],
              "k": [1, 2, 4]},
        origin="sharper",
        note=(
            "On an orthonormal sample this is the lower bound of Theorem 20. Exact where subsets "
            "can be counted. Of six orthonormal points, where a point drawn twice shows, the "
            "public sampler draws, to within a fifth, and of one point to within a fortieth."
        ),
        twin={"bound": _independent_square, "why": "the formula with replacement"},
        **SQUARE,
    ),
]


theorem_20 = [
    KERNEL_MEAN.exists(
        "theorem-20",
        statement=(
            r"\exists S,\omega^*\in\mathrm{co}(S)\ \forall k\text{-sparse }\tilde\omega"
            r"\in\mathrm{co}(S):\ \|\omega^*-\tilde\omega\|\ge\sqrt{\tfrac1k-\tfrac1n}"
        ),
        place="Theorem 20, Sec. 5.1; proof A.11",
        hypotheses=["1 <= k <= n", "a space of dimension at least n"],
        bound=bounds.sparse_lower_bound,
        exact=simulate.best_sparse_error,
        low=0.0,
        grid={"n": [6, 7], "k": [1, 2, 4, 6]},
        note=(
            "Holds with equality at equal weights on any k atoms. Print leaves out that k is at "
            "most n, and asks for infinite dimension where n is enough."
        ),
        twin=scaled(Fraction(21, 20)),
        **ERROR,
    ),
    KERNEL_MEAN.always(
        "theorem-20/printed",
        statement=r"0\le\tfrac1k-\tfrac1n\quad\text{for every }k,\text{ as a root needs}",
        place="Theorem 20, Sec. 5.1; proof A.11",
        hypotheses=["any k and n, as printed"],
        **both(simulate.radicand, simulate.Alone),
        grid={"n": [6, 7], "k": [1, 4, 6, 7, 8, 12]},
        expect="refuted",
        quantity="0, against what print takes the root of",
        unit="RKHS norm^2",
        note=(
            r"Print gives $k$ no range. For $k>n$ its bound is the root of a negative number, "
            r"while all $n$ points attain distance 0. With $1\le k\le n$ it is true: see "
            "`theorem-20`."
        ),
    ),
    KERNEL_MEAN.identity(
        "theorem-20/attained",
        statement=r"\|\omega^*-\omega_k\|=\sqrt{\tfrac1k-\tfrac1n}\ \text{for herding}",
        place="not in the paper",
        hypotheses=["orthonormal sample", "equal target weights"],
        also=[AVERAGE_CLASSIFIER.also(
            "herding-rates/worst-case", "Sec. 6.1: in the worst case no better than 1/k"
        )],
        bound=bounds.sparse_lower_bound,
        exact=rates_simulate.orthonormal_error,
        grid={"n": [50], "k": [1, 7, 25, 49], "step": ["line search", "uniform"]},
        origin="sharper",
        given={"subtracted": 1},
        certify=both(rates_simulate.orthonormal_square, Inside)["certify"],
        twin={"bound": lambda k: k**-0.5, "given": {"subtracted": 0}, "why": "1/k alone"},
        rounding=1e-9,
        **ERROR,
    ),
]
