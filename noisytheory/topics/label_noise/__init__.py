"""Label noise and contamination: what they do to the kernel mean, to risks, and to regrets."""

from __future__ import annotations

from noisytheory.topics.label_noise.choice.bounds import (
    chosen_excess,
    leave_one_out_deviation,
    noisy_error,
)
from noisytheory.topics.label_noise.classes.bounds import (
    balanced_error_contaminated,
    contamination_of_noise,
    instance_noise_factor,
    noise_of_contamination,
)
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
from noisytheory.topics.label_noise.noise.simulate import noisy_deviation_law
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
    "balanced_error_contaminated",
    "chosen_excess",
    "contaminated_distance",
    "contamination_of_noise",
    "harmless_share",
    "harmless_share_sharp",
    "instance_noise_factor",
    "leave_one_out_deviation",
    "linear_regret",
    "misclassification_regret",
    "noise_of_contamination",
    "noisy_deviation",
    "noisy_deviation_law",
    "noisy_deviation_repaired",
    "noisy_error",
    "noisy_linear_risk",
    "noisy_minimax_radius",
    "noisy_score",
    "noisy_sparse_error",
    "noisy_sparse_error_sharp",
    "surrogate_regret",
    "surrogate_regret_with_zeros",
    "worst_score",
]
