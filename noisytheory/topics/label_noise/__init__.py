"""Label noise and contamination: what they do to the kernel mean, to risks, and to regrets."""

from __future__ import annotations

from noisytheory.topics.label_noise.contamination.bounds import (
    contaminated_distance,
    harmless_share,
    harmless_share_sharp,
    worst_score,
)
from noisytheory.topics.label_noise.noise.bounds import (
    noisy_deviation,
    noisy_deviation_repaired,
    noisy_linear_risk,
    noisy_minimax_radius,
    noisy_score,
)
from noisytheory.topics.label_noise.regret.bounds import (
    linear_regret,
    misclassification_regret,
    surrogate_regret,
    surrogate_regret_with_zeros,
)
from noisytheory.topics.label_noise.tradeoff.bounds import (
    noisy_sparse_error,
    noisy_sparse_error_sharp,
)

__all__ = [
    "contaminated_distance",
    "harmless_share",
    "harmless_share_sharp",
    "linear_regret",
    "misclassification_regret",
    "noisy_deviation",
    "noisy_deviation_repaired",
    "noisy_linear_risk",
    "noisy_minimax_radius",
    "noisy_score",
    "noisy_sparse_error",
    "noisy_sparse_error_sharp",
    "surrogate_regret",
    "surrogate_regret_with_zeros",
    "worst_score",
]
