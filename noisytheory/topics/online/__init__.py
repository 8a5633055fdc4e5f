"""Online learning of noisy data with kernels: unbiased estimates, descent, and what is promised."""

from __future__ import annotations

from noisytheory.topics.online.adversaries import (
    adaptive_value,
    adversary,
    expected_regret,
    hardest_labels,
)
from noisytheory.topics.online.bounds import *  # noqa: F403
from noisytheory.topics.online.bounds import __all__ as _bounds
from noisytheory.topics.online.comparator import best_in_ball, regret_of
from noisytheory.topics.online.degrees import Finite, Fixed, Geometric
from noisytheory.topics.online.descent import Rule, descend, draw_tape, scores_over_time
from noisytheory.topics.online.estimators import (
    coupled_estimate,
    debiased,
    estimate,
    importance_law,
    kernel_value,
    mean_product,
    second_moment,
    second_moment_coupled,
    squared_norm,
)
from noisytheory.topics.online.maps import CopiesExhausted, NoisyOracle, RecordedCopies, Scheme
from noisytheory.topics.online.planning import (
    best_p,
    copies_needed,
    first_useful_round,
    importance_laws,
    largest_p,
    query_quantile,
    second_moments,
    step,
    trivial_regret,
)
from noisytheory.topics.online.printed import PlainLearner
from noisytheory.topics.online.replicates import few_copies, replicate

__all__ = [
    *_bounds, "CopiesExhausted", "Finite", "Fixed", "Geometric", "NoisyOracle", "PlainLearner",
    "RecordedCopies", "Rule", "Scheme", "adaptive_value", "adversary", "best_in_ball", "best_p",
    "copies_needed", "coupled_estimate", "debiased", "descend", "draw_tape", "estimate",
    "expected_regret", "few_copies", "first_useful_round", "hardest_labels", "importance_law",
    "importance_laws", "kernel_value", "largest_p", "mean_product", "query_quantile", "regret_of",
    "replicate", "scores_over_time", "second_moment", "second_moment_coupled", "second_moments",
    "squared_norm", "step", "trivial_regret",
]
