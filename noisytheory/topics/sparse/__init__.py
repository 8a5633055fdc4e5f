"""Sparse approximation of a weighted sample in an RKHS: algorithms, and what they promise."""

from __future__ import annotations

from noisytheory.topics.sparse.algorithms import (
    ALGORITHMS,
    TO_TOLERANCE,
    check_options,
    find_algorithm,
    map_reduce,
)
from noisytheory.topics.sparse.approximation import Approximation
from noisytheory.topics.sparse.checkerboard.bounds import (
    miss_probability,
    miss_probability_without_replacement,
)
from noisytheory.topics.sparse.clusters.bounds import (
    clustered_error,
    clustered_error_repaired,
    clustered_mean,
    clustered_mean_repaired,
    clustered_sparsity,
    clustered_sparsity_repaired,
    traversal_error,
    traversal_error_repaired,
    traversal_error_sharp,
)
from noisytheory.topics.sparse.farthest_first import farthest_first, farthest_first_printed
from noisytheory.topics.sparse.herding import (
    away_steps,
    estimated_scores,
    herding,
    recursive_herding,
)
from noisytheory.topics.sparse.least_diameter import least_diameter
from noisytheory.topics.sparse.mean_square import clustered_mean_square
from noisytheory.topics.sparse.partitions.bounds import (
    luckiness,
    luckiness_repaired,
    luckiness_sharp,
    projection_error,
)
from noisytheory.topics.sparse.projection import (
    convex_projection,
    fully_corrective,
    nearest_centre,
    projection,
)
from noisytheory.topics.sparse.rates.bounds import (
    away_steps_square,
    boundary_distance,
    classic_steps_square,
    frank_wolfe_square,
    herding_inverse,
    herding_inverse_sharp,
    herding_linear_square,
    line_search_square,
)
from noisytheory.topics.sparse.sampling import (
    clustered,
    clustered_printed,
    clustered_to_tolerance,
    clustered_to_tolerance_printed,
    with_replacement,
    without_replacement,
)
from noisytheory.topics.sparse.subsampling.bounds import (
    sparse_lower_bound,
    subsampling_mean_square,
    without_replacement_mean_square,
)

__all__ = [
    "ALGORITHMS",
    "TO_TOLERANCE",
    "Approximation",
    "away_steps",
    "away_steps_square",
    "boundary_distance",
    "check_options",
    "classic_steps_square",
    "clustered",
    "clustered_error",
    "clustered_error_repaired",
    "clustered_mean",
    "clustered_mean_repaired",
    "clustered_mean_square",
    "clustered_printed",
    "clustered_sparsity",
    "clustered_sparsity_repaired",
    "clustered_to_tolerance",
    "clustered_to_tolerance_printed",
    "convex_projection",
    "estimated_scores",
    "farthest_first",
    "farthest_first_printed",
    "find_algorithm",
    "frank_wolfe_square",
    "fully_corrective",
    "herding",
    "herding_inverse",
    "herding_inverse_sharp",
    "herding_linear_square",
    "least_diameter",
    "line_search_square",
    "luckiness",
    "luckiness_repaired",
    "luckiness_sharp",
    "map_reduce",
    "miss_probability",
    "miss_probability_without_replacement",
    "nearest_centre",
    "projection",
    "projection_error",
    "recursive_herding",
    "sparse_lower_bound",
    "subsampling_mean_square",
    "traversal_error",
    "traversal_error_repaired",
    "traversal_error_sharp",
    "with_replacement",
    "without_replacement",
    "without_replacement_mean_square",
]
