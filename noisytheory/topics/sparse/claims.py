"""Sparse approximation on trial: every claim of this topic."""

from __future__ import annotations

from noisytheory.topics.sparse.claims_clusters import both_signs, experiments
from noisytheory.topics.sparse.claims_earlier import average_classifier
from noisytheory.topics.sparse.claims_herding import herding_rates, herding_rates_earlier
from noisytheory.topics.sparse.claims_parallel import algorithmic_luckiness, parallel
from noisytheory.topics.sparse.claims_subsampling import random_subsampling, theorem_20, theorem_21
from noisytheory.topics.sparse.claims_traversal import (
    algorithm_1,
    algorithm_2,
    cruz_cortes_scott,
    span_extension,
)

__all__ = [
    "algorithm_1",
    "algorithm_2",
    "algorithmic_luckiness",
    "average_classifier",
    "both_signs",
    "cruz_cortes_scott",
    "experiments",
    "herding_rates",
    "herding_rates_earlier",
    "parallel",
    "random_subsampling",
    "span_extension",
    "theorem_20",
    "theorem_21",
]
