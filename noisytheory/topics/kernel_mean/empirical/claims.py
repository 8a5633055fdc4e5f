"""Bounds from the sample alone on trial."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from noisytheory.papers import KERNEL_MEAN
from noisytheory.topics.kernel_mean.empirical import bounds, simulate
from noisytheory.topics.kernel_mean.terms import (
    BIASED,
    BOUNDED,
    DEVIATION,
    FAIR,
    FEW_LEVELS,
    INDEPENDENT,
    LEVELS,
    NARROW,
    SIZES,
    farthest,
)
from noisytheory.trial.sides import scaled
from noisytheory.vocabulary.populations import Finite, axis

# Almost an axis, with two rare atoms across it; and three directions without any symmetry.
FOUR = Finite(
    "four atoms", [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, 0, 1]], [1, 1, 1, 1],
    [Fraction(49, 100)] * 2 + [Fraction(1, 100)] * 2,
)
# Pythagorean, so that norms are 1 exactly.
OBLIQUE = Finite(
    "three oblique atoms",
    [[Fraction(-15, 17), Fraction(8, 17)], [Fraction(-12, 13), Fraction(5, 13)],
     [Fraction(20, 29), Fraction(-21, 29)]],
    [1, 1, 1], [Fraction(44, 100), Fraction(6, 100), Fraction(50, 100)],
)

FROM_THE_SAMPLE: dict[str, Any] = {
    "hypotheses": [INDEPENDENT, BOUNDED],
    "simulate": simulate.mean_deviation_with_norm,
    "grid": {
        "population": [FAIR, BIASED, axis(Fraction(99, 100)), NARROW, FOUR, OBLIQUE],
        "n": SIZES,
        "delta": FEW_LEVELS,
    },
    "trivial": farthest,
    "rows": 2048,
    "origin": "sharper",
    "twin": scaled(Fraction(1, 2)),
    **DEVIATION,
}

theorem_5_empirical = KERNEL_MEAN.tail(
    "theorem-5/empirical",
    statement=(
        r"\|\Phi(P)-\Phi(S)\|\le\max\Big\{L:L\le\sqrt{\tfrac{2\log(1/\delta)}{n}}"
        r"+\sqrt{\tfrac{1-(\|\Phi(S)\|-L)_+^2}{n}}\Big\}"
    ),
    place="not in the paper: the repaired Theorem 5 inverted",
    bound=bounds.empirical_deviation,
    **FROM_THE_SAMPLE,
    note=(
        r"Needs the sample alone. On the event of the repaired bound "
        r"$\|\Phi(P)\|\ge\|\Phi(S)\|-L$, so $L$ solves an inequality whose largest solution is a "
        r"root of a quadratic; no part of $\delta$ is spent on the variance."
    ),
)

theorem_5_empirical_bernstein = KERNEL_MEAN.tail(
    "theorem-5/empirical-bernstein",
    statement=(
        r"\|\Phi(P)-\Phi(S)\|\le\max\Big\{L:L\le\tfrac{4\log(2/\delta)}{n}"
        r"+\sqrt{\tfrac{2\log(2/\delta)(1-(\|\Phi(S)\|-L)_+^2)}{n}}\Big\}"
    ),
    place="not in the paper: Bernstein's inequality in a Hilbert space inverted",
    bound=bounds.empirical_bernstein,
    # With fewer than a thousand it is no test; two blocks of this size decide a level of 0.001.
    **{**FROM_THE_SAMPLE, "rows": 8192, "grid": {
        "population": [FAIR, BIASED, axis(Fraction(99, 100)), FOUR, OBLIQUE],
        "n": [1000, 10_000], "delta": LEVELS,
    }},
    note=(
        r"Bernstein's inequality with $c=2$ and $v\le1-\|\Phi(P)\|^2$, inverted in the same way; "
        "it needs the sample alone and adapts to a small variance."
    ),
)
