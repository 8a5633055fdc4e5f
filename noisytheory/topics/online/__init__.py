"""Online learning of noisy data with kernels: unbiased estimates, descent, and what is promised."""

from __future__ import annotations

from noisytheory.topics.online.adaptive.bounds import adaptive_regret
from noisytheory.topics.online.adversaries import (
    adaptive_value,
    adversary,
    expected_regret,
    hardest_labels,
)
from noisytheory.topics.online.bounds import admissible_p
from noisytheory.topics.online.chances.bounds import regret_tail
from noisytheory.topics.online.comparator import best_in_ball, regret_of
from noisytheory.topics.online.copied_kernels import (
    gram_matrix,
    kernel_value,
    mean_product,
    noise_variance,
    squared_norm,
)
from noisytheory.topics.online.copies.bounds import all_blocks, certain, some_regret
from noisytheory.topics.online.degrees import Finite, Fixed, Geometric
from noisytheory.topics.online.descent import Rule, descend, draw_tape, scores_over_time
from noisytheory.topics.online.estimates.bounds import (
    best_approximation,
    expected_samples,
    gradient_second_moment_labels,
    jump_bias,
    sample_tail,
    scalar_second_moment,
)
from noisytheory.topics.online.estimators import (
    coupled_estimate,
    debiased,
    debiased_samples,
    estimate,
    importance_law,
    second_moment,
    second_moment_coupled,
)
from noisytheory.topics.online.features.bounds import (
    gaussian_kernel,
    gradient_second_moment,
    map_second_moment,
    map_second_moment_gaussian,
    map_second_moment_gaussian_printed,
    noisy_exponential_kernel,
    radius_gaussian,
    radius_gaussian_printed,
)
from noisytheory.topics.online.losses.bounds import (
    absolute_majorant,
    absolute_majorant_printed,
    hinge_majorant_cramer,
    hinge_majorant_printed,
    hinge_majorant_shifted,
    smoothing_gap,
)
from noisytheory.topics.online.maps import CopiesExhausted, NoisyOracle, RecordedCopies, Scheme
from noisytheory.topics.online.planning import (
    best_p,
    gaussian_map_moment,
    importance_laws,
    second_moments,
    step,
)
from noisytheory.topics.online.printed import PlainLearner
from noisytheory.topics.online.prospects import (
    copies_needed,
    first_useful_round,
    query_quantile,
    trivial_regret,
)
from noisytheory.topics.online.queries.bounds import (
    cap_probability,
    cap_probability_gaussian,
    expected_queries,
    expected_queries_gaussian,
    inner_products,
    operations,
    prod_calls,
    query_tail,
    query_tail_gaussian,
)
from noisytheory.topics.online.regrets.bounds import (
    any_step_regret,
    averaging_floor,
    batch_excess,
    doubling_regret,
    general_regret,
    horizon_free_regret,
    linear_regret,
    promised_regret,
    regret,
    regret_gaussian,
    regret_gaussian_printed,
    squared_radius,
    tuning_free_regret,
    two_copies_regret,
)
from noisytheory.topics.online.replicates import few_copies, replicate
from noisytheory.topics.online.separation import least_regret

__all__ = [
    "CopiesExhausted", "Finite", "Fixed", "Geometric", "NoisyOracle", "PlainLearner",
    "RecordedCopies", "Rule", "Scheme", "absolute_majorant", "absolute_majorant_printed",
    "adaptive_regret", "adaptive_value", "admissible_p", "adversary", "all_blocks",
    "any_step_regret", "averaging_floor", "batch_excess", "best_approximation", "best_in_ball",
    "best_p", "cap_probability", "cap_probability_gaussian", "certain", "copies_needed",
    "coupled_estimate", "debiased", "debiased_samples", "descend", "doubling_regret", "draw_tape",
    "estimate", "expected_queries", "expected_queries_gaussian", "expected_regret",
    "expected_samples", "few_copies", "first_useful_round", "gaussian_kernel",
    "gaussian_map_moment", "general_regret", "gradient_second_moment",
    "gradient_second_moment_labels", "gram_matrix", "hardest_labels", "hinge_majorant_cramer",
    "hinge_majorant_printed", "hinge_majorant_shifted", "horizon_free_regret", "importance_law",
    "importance_laws", "inner_products", "jump_bias", "kernel_value", "least_regret",
    "linear_regret", "map_second_moment", "map_second_moment_gaussian",
    "map_second_moment_gaussian_printed", "mean_product", "noise_variance",
    "noisy_exponential_kernel", "operations", "prod_calls", "promised_regret", "query_quantile",
    "query_tail", "query_tail_gaussian", "radius_gaussian", "radius_gaussian_printed", "regret",
    "regret_gaussian", "regret_gaussian_printed", "regret_of", "regret_tail", "replicate",
    "sample_tail", "scalar_second_moment", "scores_over_time", "second_moment",
    "second_moment_coupled", "second_moments", "smoothing_gap", "some_regret", "squared_norm",
    "squared_radius", "step", "trivial_regret", "tuning_free_regret", "two_copies_regret",
]
