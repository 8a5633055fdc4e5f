"""Samples with both signs, Section 6, and the experiment of Section 7.1 on trial."""

from __future__ import annotations

from typing import Any

from noisytheory.papers import KERNEL_MEAN
from noisytheory.topics.sparse import (
    bounds_clusters,
    pictures,
    sides,
    simulate_clusters,
    simulate_partitions,
)
from noisytheory.topics.sparse.claims_terms import over
from noisytheory.trial.sides import both
from noisytheory.vocabulary.domains import COUNT, Numeric, requires


@requires(members=COUNT)
def _missed(members: Numeric) -> Numeric:
    return over(
        members, lambda s: bounds_clusters.miss_probability_without_replacement(16, 32, int(s))
    )


SMALL: dict[str, Any] = {
    "quantity": "squared diameter", "rows": 128,
    "grid": {"n": [4], "m": [2, 3], "dimension": [2]},
}
both_signs = [
    KERNEL_MEAN.always(
        "pm-s",
        statement=r"D^*(S,m)\le D^*(\pm S,m)",
        place="Sec. 6",
        given={"swapped": 0},
        twin={"given": {"swapped": 1}, "why": "the other way round"},
        **SMALL,
        **both(simulate_partitions.signed_diameter, simulate_partitions.Whole),
    ),
    KERNEL_MEAN.identity(
        "pm-s/invariant",
        statement=r"D^*(\pm S_\sigma,m)=D^*(\pm S,m)",
        place="Sec. 6",
        given={"doubled": 1},
        twin={"given": {"doubled": 0}, "why": "S in place of both signs of S"},
        **SMALL,
        **both(simulate_partitions.flipped_diameter, simulate_partitions.Flipped),
    ),
]

# Section 7.1.

experiments = [
    KERNEL_MEAN.identity(
        "distance-formula",
        statement=r"\|y\phi(x)-y'\phi(x')\|^2=2-2yy'K(x,x')",
        place="Sec. 7.1",
        hypotheses=["features of norm 1"],
        given={"sign": 1},
        rows=1024,
        twin={"given": {"sign": -1}, "why": "the other sign"},
        quantity="squared distance",
        **both(sides.feature_distance, sides.Features),
    ),
    KERNEL_MEAN.always(
        "distance-formula/unlike-labels",
        statement=r"y\ne y',K\ge0\;\Rightarrow\;\|y\phi(x)-y'\phi(x')\|\ge\sqrt2",
        place="Sec. 7.1",
        hypotheses=["features of norm 1", "a nonnegative kernel"],
        given={"nonnegative": 1},
        rows=1024,
        twin={"given": {"nonnegative": 0}, "why": "a kernel with negative values"},
        quantity="least squared distance",
        **both(sides.unlike_labels, sides.Features),
    ),
    KERNEL_MEAN.mean(
        "figure-1",
        statement=r"P(\text{32 clustered atoms misclassify an instance})\le\tfrac15",
        place="Figures 1 and 2, Sec. 7.1",
        hypotheses=[
            "our parameters: 16 clusters of 50, spread 0.1, bandwidth 0.25",
            "our reading of print's \"all\": in at least four of five draws",
        ],
        bound=lambda: 0.2,
        simulate=simulate_clusters.all_right,
        grid={"bandwidth": [0.25]},
        given={"rule": "clustered"},
        rows=128,
        low=0.0,
        high=1.0,
        trivial=1.0,
        note=(
            "Print says that all are classified correctly, and leaves out spread, sizes and "
            "bandwidth. With ours it happens in at least four draws of five, which is what is "
            "tried; with bandwidth 1 not even the mean of all instances does it: see the picture."
        ),
        twin={"given": {"rule": "random"}, "why": "32 random atoms"},
        quantity="1 if an instance is misclassified; the limit 1/5 is ours",
        unit="probability",
        picture=pictures.sparse_checkerboard,
    ),
    KERNEL_MEAN.equal(
        "figure-2",
        statement=(
            r"P(\text{32 random points miss one of 16 clusters})"
            r"=\textstyle\sum_j(-1)^{j+1}\binom{16}j(1-\tfrac j{16})^{32}=0.926557"
        ),
        place="Sec. 7.1: with high probability",
        hypotheses=["equal clusters", "independent draws"],
        bound=lambda: bounds_clusters.miss_probability(16, 32),
        exact=lambda: simulate_clusters.missed_clusters_law(16, 32, 0),
        quantity="1 if a cluster is missed",
        unit="probability",
        picture=pictures.sparse_checkerboard,
        twin={"bound": lambda: 16 * (1 - 1 / 16) ** 32,
              "why": "the first term alone: a union bound, above 1"},
    ),
    KERNEL_MEAN.equal(
        "figure-2/without-replacement",
        statement=(
            r"P(\text{miss})=\textstyle\sum_j(-1)^{j+1}\binom{16}j\binom{(16-j)s}{32}"
            r"\big/\binom{16s}{32}"
        ),
        place="Sec. 7.1: with high probability",
        hypotheses=["clusters of s points", "different points"],
        bound=_missed,
        exact=lambda members: simulate_clusters.missed_clusters_law(16, 32, members),
        grid={"members": [10, 20, 50, 100]},
        quantity="1 if a cluster is missed",
        unit="probability",
        picture=pictures.sparse_checkerboard,
        twin={"bound": lambda: bounds_clusters.miss_probability(16, 32),
              "why": "the formula with replacement"},
    ),
]
