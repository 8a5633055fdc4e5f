"""Farthest-first traversal on trial: Algorithms 1 and 2, the span, and projection."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from noisytheory.papers import KERNEL_MEAN
from noisytheory.topics.sparse import (
    bounds,
    samples,
    simulate,
    simulate_loops,
    simulate_partitions,
)
from noisytheory.topics.sparse.claims_terms import ERROR, FARTHEST, INTEGER, LEVELS, over
from noisytheory.trial.sides import both, scaled
from noisytheory.vocabulary.domains import COUNT, LEVEL, POSITIVE, Numeric, requires

# Algorithms 1 and 2, and the span.


@requires(m=COUNT, delta=LEVEL)
def _traversed(sample: str, m: Numeric, delta: Numeric) -> Numeric:
    least = over(m, lambda cells: samples.least_diameter(sample, int(cells)))
    return 2 * bounds.clustered_error(m, delta, least)


@requires(m=COUNT, delta=LEVEL)
def _traversed_repaired(sample: str, m: Numeric, delta: Numeric) -> Numeric:
    least = over(m, lambda cells: samples.least_diameter(sample, int(cells)))
    return bounds.clustered_error_repaired(m, delta, 2 * least)


@requires(m=COUNT)
def _cells(m: Numeric) -> Numeric:
    return m


@requires(epsilon=POSITIVE, delta=LEVEL)
def _tolerance(epsilon: Numeric, delta: Numeric) -> Numeric:
    return epsilon + 0 * delta


SAMPLED: dict[str, Any] = {
    "exact": simulate.clustered_law,
    "grid": {"sample": ["line", "three pairs", "weighted", "heavy cell"], "m": [2, 3, 4],
             "delta": LEVELS},
    **ERROR,
}
NEVER_ENDS = (
    r"$\tilde S$ is a set: where $S$ has at most $m$ distinct points, the farthest point is a "
    "centre already, and nothing changes any more."
)

algorithm_1 = [
    KERNEL_MEAN.always(
        "algorithm-1/printed",
        statement=r"\text{the loop ends with}\ m\ \text{centres, and so}\ m\ \text{cells}",
        place="Algorithm 1, Sec. 5.2",
        hypotheses=["more than m distinct points"],
        bound=_cells,
        exact=simulate_loops.centres,
        certify=simulate_loops.centres_certificate,
        grid={"m": [2, 3]},
        given={"sample": "0, 1, 2, 4", "mended": 0},
        expect="refuted",
        quantity="centres",
        note=(
            r"`while` $|\tilde S|\le m$ leaves the loop with $m+1$ centres. The guarantee survives "
            r"if $n_i=\lceil\alpha_im\rceil$."
        ),
    ),
    KERNEL_MEAN.always(
        "algorithm-1/termination-printed",
        statement=r"\text{the loop ends}",
        place="Algorithm 1, Sec. 5.2",
        bound=lambda: 0,
        exact=simulate_loops.loop_stuck,
        certify=simulate_loops.stuck_certificate,
        given={"sample": "1, 1, 0, 0", "m": 2},
        expect="refuted",
        quantity="1 if the loop never ends",
        note=NEVER_ENDS + " The sample is the paper's own, of Section 5.4.",
    ),
    KERNEL_MEAN.always(
        "algorithm-1/repaired",
        statement=r"\text{the loop ends with at most}\ m\ \text{centres}",
        place="Algorithm 1, Sec. 5.2",
        hypotheses=["stop at m centres, or when every point is a centre"],
        bound=_cells,
        exact=simulate_loops.centres,
        certify=simulate_loops.centres_certificate,
        grid={"sample": list(simulate_loops.LISTS), "m": [1, 2, 3]},
        given={"mended": 1},
        quantity="centres",
        twin={"given": {"mended": 0}, "why": "the loop as printed"},
    ),
    KERNEL_MEAN.always(
        "algorithm-1/radius",
        statement=r"r_m\le D^*(S,m)",
        place="behind Algorithm 1: m + 1 points at mutual distance r",
        origin="sharper",
        twin=scaled(Fraction(1, 2)),
        **INTEGER,
        **both(simulate_partitions.traversal_radius, simulate_partitions.Whole),
    ),
    KERNEL_MEAN.always(
        "algorithm-1/diameter",
        statement=r"D\le2D^*(S,m)",
        place="Sec. 5.2, quoting Gonzalez 1985",
        note="The factor 2 is attained.",
        twin=scaled(Fraction(1, 2)),
        **INTEGER,
        **both(simulate_partitions.traversal_diameter, simulate_partitions.Whole),
    ),
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


def _projection(m: int, n: int, least: Numeric) -> Numeric:
    return bounds.projection_error(m, n, np.sqrt(least))


# Certified in squares.
NEAREST = both(simulate_partitions.nearest_centre_square, simulate_partitions.Whole)
WEIGHTED = both(simulate_partitions.weighted_centre_square, simulate_partitions.Weighted)
PROJECTION: dict[str, Any] = {
    "bound": _projection,
    "rows": 256,
    **ERROR,
}
cruz_cortes_scott = [
    KERNEL_MEAN.always(
        "cruz-cortes-scott",
        statement=r"\|\tilde\omega-\omega^*\|\le\big(1-\tfrac mn\big)D^*(S,m)",
        place="Sec. 5.5.3",
        hypotheses=["equal weights", "distinct points", "farthest-first centres"],
        simulate=simulate_partitions.projection_error,
        certify=simulate_partitions.projection_certificate,
        grid={"n": [5, 6, 8], "m": [1, 2, 4], "dimension": [3, 6, 8]},
        note="Tight: with 2 centres of 3 points, and 3 of 4, some samples attain it.",
        twin=scaled(Fraction(1, 2), power=2),
        **PROJECTION,
    ),
    KERNEL_MEAN.always(
        "cruz-cortes-scott/nearest-centre",
        statement=r"\|\tilde\omega-\omega^*\|\le\big(1-\tfrac mn\big)r_m",
        place="not in the paper",
        hypotheses=["equal weights", "distinct points", "each point replaced by its centre"],
        simulate=simulate_partitions.nearest_centre_error,
        certify=NEAREST["certify"],
        grid={"n": [7], "m": [2, 3], "dimension": [1, 2]},
        origin="sharper",
        note=r"Already this is in the hull, and $r_m\le D^*(S,m)$.",
        twin=scaled(Fraction(1, 2), power=2),
        **PROJECTION,
    ),
    KERNEL_MEAN.always(
        "cruz-cortes-scott/nearest-centre-weighted",
        statement=r"\|\tilde\omega-\omega^*\|\le\big(1-\alpha^*(\tilde S)\big)r_m",
        place="not in the paper",
        hypotheses=["each point replaced by its centre"],
        simulate=simulate_partitions.weighted_centre_error,
        certify=WEIGHTED["certify"],
        grid={"n": [7], "m": [1, 2, 3], "dimension": [1, 2]},
        origin="sharper",
        twin=scaled(Fraction(1, 2), power=2),
        rows=256,
        **ERROR,
    ),
]
