"""Many classes from confused labels: UMA, ultraconservative algorithms, and what they promise."""

from __future__ import annotations

from noisytheory.topics.multiclass.convergence.bounds import (
    final_error,
    stuck_probability,
    updates_exact,
    updates_forced,
    updates_noisy,
    updates_unnormalised,
)
from noisytheory.topics.multiclass.deviations.bounds import (
    direction_deviation,
    finite_deviation,
    finite_deviation_sharp,
    one_sided_deviation,
    sample_size,
    sample_size_printed,
    swap_deviation,
    swap_deviation_printed,
    uniform_deviation,
    vector_deviation,
    vector_deviation_sharp,
    vector_deviation_variance,
)
from noisytheory.topics.multiclass.experiments.beside import (
    Beside,
)
from noisytheory.topics.multiclass.experiments.drawn_apart import (
    drawn_apart,
)
from noisytheory.topics.multiclass.experiments.front_end import (
    kernel_features,
)
from noisytheory.topics.multiclass.experiments.protocol import (
    FiveSteps,
    five_steps,
)
from noisytheory.topics.multiclass.experiments.self_training import (
    self_training,
)
from noisytheory.topics.multiclass.experiments.toy import (
    toy_data,
)
from noisytheory.topics.multiclass.misfit import (
    audit_misfit,
    label_misfit,
    likely_shares,
)
from noisytheory.topics.multiclass.mistakes.bounds import (
    mistake_bound,
    mistake_bound_hinge,
    mistake_bound_sharp,
)
from noisytheory.topics.multiclass.noisy_error import (
    error_by_noisy_labels,
    gain_by_known_confusion,
    gain_by_noisy_labels,
)
from noisytheory.topics.multiclass.pairs.bounds import (
    inverse_deviation,
    share_deviation,
    shares_deviation,
)
from noisytheory.topics.multiclass.setting.bounds import (
    least_mistake_bound,
    margin_ceiling,
)
from noisytheory.topics.multiclass.setting.noise_path import (
    noise_path,
)
from noisytheory.topics.multiclass.steps import (
    STEPS,
    error_set,
    steps,
)
from noisytheory.topics.multiclass.ultraconservative import (
    OnlineRun,
    ultraconservative,
)
from noisytheory.topics.multiclass.uma import (
    STRATEGIES,
    Run,
    class_shares,
    uma,
    uma_runs,
    update_deviation,
    update_vectors,
)

__all__ = [
    "STEPS",
    "STRATEGIES",
    "Beside",
    "FiveSteps",
    "OnlineRun",
    "Run",
    "audit_misfit",
    "class_shares",
    "direction_deviation",
    "drawn_apart",
    "error_by_noisy_labels",
    "error_set",
    "final_error",
    "finite_deviation",
    "finite_deviation_sharp",
    "five_steps",
    "gain_by_known_confusion",
    "gain_by_noisy_labels",
    "inverse_deviation",
    "kernel_features",
    "label_misfit",
    "least_mistake_bound",
    "likely_shares",
    "margin_ceiling",
    "mistake_bound",
    "mistake_bound_hinge",
    "mistake_bound_sharp",
    "noise_path",
    "one_sided_deviation",
    "sample_size",
    "sample_size_printed",
    "self_training",
    "share_deviation",
    "shares_deviation",
    "steps",
    "stuck_probability",
    "swap_deviation",
    "swap_deviation_printed",
    "toy_data",
    "ultraconservative",
    "uma",
    "uma_runs",
    "uniform_deviation",
    "update_deviation",
    "update_vectors",
    "updates_exact",
    "updates_forced",
    "updates_noisy",
    "updates_unnormalised",
    "vector_deviation",
    "vector_deviation_sharp",
    "vector_deviation_variance",
]
