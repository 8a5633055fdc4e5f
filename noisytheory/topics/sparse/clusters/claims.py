"""Sub-sampling of clusters on trial: Theorem 21, the guarantees of Algorithms 1 and 2, the span."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from noisytheory.papers import KERNEL_MEAN
from noisytheory.topics.sparse import samples
from noisytheory.topics.sparse.clusters import bounds, simulate
from noisytheory.topics.sparse.terms import ERROR, FARTHEST, IN_HULL, LEVELS, over
from noisytheory.trial.sides import scaled
from noisytheory.vocabulary.domains import COUNT, LEVEL, POSITIVE, Numeric, requires

CELLS: dict[str, Any] = {
    "cells": ["parallel", "orthogonal", "overflow", "simplices"],
    "diameter": [1.3],
}

THEOREM_21: dict[str, Any] = {
    "hypotheses": ["a partition into m cells of diameter at most D", IN_HULL],
    "exact": simulate.cell_law,
    "grid": {**CELLS, "m": [2, 5, 20, 100], "delta": LEVELS},
    **ERROR,
}

theorem_21 = [
    KERNEL_MEAN.tail(
        "theorem-21",
        statement=(
            r"\|\omega^*-\tilde\omega\|\le D\big(\tfrac1{\sqrt m}"
            r"+\sqrt{\tfrac{\log(1/\delta)}m}\big)"
        ),
        place="Theorem 21, Sec. 5.2; proof A.12",
        bound=bounds.clustered_error,
        note=(
            r"Holds, and is loose by $\sqrt2$ in both terms: the variance in a cell is at most "
            r"$D^2/2$, and $\sum c_{ij}^2=D^2\sum\alpha_i^2/n_i\le D^2/m$ where print has "
            r"$2D^2/m$."
        ),
        twin=scaled(Fraction(2, 5)),
        **THEOREM_21,
    ),
    KERNEL_MEAN.tail(
        "theorem-21/repaired",
        statement=(
            r"\|\omega^*-\tilde\omega\|\le\tfrac D{\sqrt{2m}}\big(1+\sqrt{\log(1/\delta)}\big)"
        ),
        place="Theorem 21 with the terms of its proof computed",
        bound=bounds.clustered_error_repaired,
        origin="sharper",
        twin=scaled(Fraction(1, 2)),
        **THEOREM_21,
    ),
    KERNEL_MEAN.mean(
        "theorem-21/mean",
        statement=r"\mathbb E\|\omega^*-\tilde\omega\|\le\tfrac D{\sqrt m}",
        place="proof of Theorem 21, A.12",
        bound=bounds.clustered_mean,
        twin=scaled(Fraction(1, 2)),
        **{**THEOREM_21, "grid": {**CELLS, "m": [2, 5, 20, 100]}},
    ),
    KERNEL_MEAN.mean(
        "theorem-21/mean-repaired",
        statement=r"\mathbb E\|\omega^*-\tilde\omega\|\le\tfrac D{\sqrt{2m}}",
        place="proof of Theorem 21 with the variance in a cell computed",
        bound=bounds.clustered_mean_repaired,
        origin="sharper",
        note="Tight for cells that are large regular simplices.",
        twin=scaled(Fraction(1, 2)),
        **{**THEOREM_21, "grid": {**CELLS, "m": [2, 5, 20, 100]}},
    ),
    KERNEL_MEAN.always(
        "theorem-21/sparsity",
        statement=r"\tilde\omega\ \text{is at most}\ 2m\text{-sparse}",
        place="Theorem 21, Sec. 5.2",
        bound=bounds.clustered_sparsity,
        exact=simulate.drawn_points,
        grid={"m": [2, 3, 4, 5, 20, 100]},
        quantity="points drawn",
        note=(
            "All masses that are multiples of 1/9 and of 1/(2m - 1), for up to five cells, some of "
            "them empty. At most 2m - 1, see `theorem-21/sparsity-repaired`."
        ),
        certify=simulate.sparsity_certificate,
        given={"spared": 0},
        twin={"bound": lambda m: 2 * m - 2, "given": {"spared": 2},
              "why": "2m - 2 for 2m"},
    ),
    KERNEL_MEAN.always(
        "theorem-21/sparsity-repaired",
        statement=r"\tilde\omega\ \text{is at most}\ (2m-1)\text{-sparse}",
        place="Theorem 21: a sum of m ceilings exceeds the sum by less than m",
        bound=bounds.clustered_sparsity_repaired,
        exact=simulate.drawn_points,
        grid={"m": [2, 3, 4, 5, 20, 100]},
        quantity="points drawn",
        origin="sharper",
        note="Attained where all cells but one weigh a little more than 1/m.",
        certify=simulate.sparsity_certificate,
        given={"spared": 1},
        twin={"bound": lambda m: 2 * m - 2, "given": {"spared": 2},
              "why": "2m - 2 for 2m - 1"},
    ),
]


@requires(m=COUNT, delta=LEVEL)
def _traversed(sample: str, m: Numeric, delta: Numeric) -> Numeric:
    least = over(m, lambda cells: samples.least_diameter(sample, int(cells)))
    return 2 * bounds.clustered_error(m, delta, least)


@requires(m=COUNT, delta=LEVEL)
def _traversed_repaired(sample: str, m: Numeric, delta: Numeric) -> Numeric:
    least = over(m, lambda cells: samples.least_diameter(sample, int(cells)))
    return bounds.clustered_error_repaired(m, delta, 2 * least)


@requires(epsilon=POSITIVE, delta=LEVEL)
def _tolerance(epsilon: Numeric, delta: Numeric) -> Numeric:
    return epsilon + 0 * delta

SAMPLED: dict[str, Any] = {
    "exact": simulate.clustered_law,
    "grid": {"sample": ["line", "three pairs", "weighted", "heavy cell"], "m": [2, 3, 4],
             "delta": LEVELS},
    **ERROR,
}

algorithm_1 = [
    KERNEL_MEAN.tail(
        "algorithm-1/guarantee",
        statement=(
            r"\|\omega^*-\tilde\omega\|\le2D^*(S,m)\big(\tfrac1{\sqrt m}"
            r"+\sqrt{\tfrac{\log(1/\delta)}m}\big)"
        ),
        place="Algorithm 1, Sec. 5.2",
        hypotheses=[FARTHEST],
        bound=_traversed,
        twin=scaled(Fraction(3, 8)),
        **SAMPLED,
    ),
    KERNEL_MEAN.tail(
        "algorithm-1/guarantee-repaired",
        statement=(
            r"\|\omega^*-\tilde\omega\|\le\tfrac{\sqrt2D^*(S,m)}{\sqrt m}"
            r"\big(1+\sqrt{\log(1/\delta)}\big)"
        ),
        place="Algorithm 1 with the repaired Theorem 21",
        hypotheses=[FARTHEST],
        bound=_traversed_repaired,
        origin="sharper",
        twin=scaled(Fraction(1, 2)),
        **SAMPLED,
    ),
]

TOLERANCE: dict[str, Any] = {
    "bound": _tolerance,
    "exact": simulate.tolerance_law,
    "statement": r"\|\omega^*-\tilde\omega\|\le\epsilon",
    "place": "Algorithm 2, Sec. 5.2",
    **ERROR,
}
algorithm_2 = [
    KERNEL_MEAN.tail(
        "algorithm-2/printed",
        hypotheses=["d and k are not set before the loop: d = 0, k = 1"],
        grid={"epsilon": [0.1, 0.4], "delta": [0.1]},
        given={"sample": "halves", "delta_used": 0.1, "test": "printed"},
        expect="refuted",
        note=(
            r"Print sets neither $d$ nor $k$, and leaves $\epsilon$ out of the inputs. With $d=0$ "
            r"the loop is never entered and one random point is returned; with $k=0$ the test "
            r"divides by zero."
        ),
        **TOLERANCE,
    ),
    *(
        KERNEL_MEAN.tail(
            f"algorithm-2/{name}",
            hypotheses=["k = 1 and d = the first radius at the start, d updated with k"],
            grid={"sample": ["halves", "line", "weighted"], "epsilon": [0.1, 0.4, 0.8],
                  "delta": [0.1]},
            given={"delta_used": 0.1, "test": test},
            note=note,
            origin=origin,
            twin={"given": {"delta_used": 0.1, "test": "printed"}, "why": "d = 0 at the start"},
            **TOLERANCE,
        )
        for name, test, origin, note in [
            ("repaired", "current", "paper", "The stopping rule does not look at the draws, so "
             "that the number of cells may depend on the sample."),
            ("sharper", "sharp", "sharper", "The test divided by the root of 2, as the repaired "
             "Theorem 21 allows."),
        ]
    ),
]


@requires(m=COUNT, delta=LEVEL)
def _span(sample: str, m: Numeric, delta: Numeric) -> Numeric:
    diameter = over(m, lambda cells: samples.cell_diameter(sample, int(cells)))
    return samples.total_weight(sample) * bounds.clustered_error(m, delta, diameter)


def _span_unsigned(sample: str, m: int, delta: Numeric) -> Numeric:
    diameter = samples.cell_diameter(sample, m, signed=False)
    return samples.total_weight(sample) * bounds.clustered_error(m, delta, diameter)


span_extension = [
    KERNEL_MEAN.tail(
        "span-extension",
        statement=(
            r"\|\omega^*-\tilde\omega\|\le W\,D\big(\tfrac1{\sqrt m}"
            r"+\sqrt{\tfrac{\log(1/\delta)}m}\big),\quad W=\textstyle\sum|\alpha^*(\omega)|"
        ),
        place="Sec. 5.3, with Theorem 21",
        hypotheses=["D is the diameter of cells of the signed sample"],
        bound=_span,
        exact=simulate.clustered_law,
        grid={"sample": ["signed", "mixed", "opposed"], "m": [1, 2, 3], "delta": LEVELS},
        note="Points of zero weight drop out.",
        twin={"bound": _span_unsigned, "why": "diameter of the sample without its signs"},
        **ERROR,
    ),
]

# Projection (Cruz Cortés and Scott).
