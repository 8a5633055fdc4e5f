"""Sparse approximation of a weighted sample in an RKHS: algorithms, and what they promise."""

from __future__ import annotations

from noisytheory.sparse.approximation import Approximation
from noisytheory.sparse.bounds import (
    clustered_error,
    clustered_error_repaired,
    luckiness,
    projection_error,
    sparse_lower_bound,
    subsampling_mean_square,
)
from noisytheory.sparse.bounds_herding import frank_wolfe_square, herding_linear_square
from noisytheory.sparse.farthest_first import farthest_first
from noisytheory.sparse.herding import away_steps, herding, recursive_herding
from noisytheory.sparse.parallel import map_reduce
from noisytheory.sparse.projection import (
    convex_projection,
    fully_corrective,
    nearest_centre,
    projection,
)
from noisytheory.sparse.sampling import (
    clustered,
    clustered_to_tolerance,
    with_replacement,
    without_replacement,
)

ALGORITHMS = {
    algorithm.__name__: algorithm
    for algorithm in (
        away_steps, clustered, clustered_to_tolerance, convex_projection, fully_corrective,
        herding, map_reduce, nearest_centre, projection, recursive_herding, with_replacement,
        without_replacement,
    )
}
"""By name, all that take ``(kernel, points, alpha, k, ...)`` and give an `Approximation`."""

__all__ = [
    "ALGORITHMS",
    "Approximation",
    "away_steps",
    "clustered",
    "clustered_error",
    "clustered_error_repaired",
    "clustered_to_tolerance",
    "convex_projection",
    "farthest_first",
    "frank_wolfe_square",
    "fully_corrective",
    "herding",
    "herding_linear_square",
    "luckiness",
    "map_reduce",
    "nearest_centre",
    "projection",
    "projection_error",
    "recursive_herding",
    "sparse_lower_bound",
    "subsampling_mean_square",
    "with_replacement",
    "without_replacement",
]
