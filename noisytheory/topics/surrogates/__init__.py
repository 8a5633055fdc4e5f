"""Surrogate losses: calibration, orders kept under label noise, and what exact minimisers do."""

from __future__ import annotations

from noisytheory.topics.label_noise.classes.balance import auc, balanced_error
from noisytheory.topics.label_noise.classes.bounds import (
    balanced_error_contaminated,
    contamination_of_noise,
    instance_noise_factor,
    noise_of_contamination,
)
from noisytheory.topics.surrogates.bounds import hinge_threshold
from noisytheory.topics.surrogates.minimisers import (
    hinge_minimiser,
    piecewise_linear_minimiser,
    potential_minimiser,
)
from noisytheory.topics.surrogates.orders.order import (
    affine_relation,
    reversed_pair,
    reversed_pair_exact,
)
from noisytheory.topics.surrogates.printed_table.laws import table_law
from noisytheory.topics.surrogates.printed_table.moments import table_moments
from noisytheory.topics.surrogates.printed_table.simulate import table_trial
from noisytheory.topics.surrogates.printed_table.unconverged import unconverged_hinge

__all__ = [
    "affine_relation",
    "auc",
    "balanced_error",
    "balanced_error_contaminated",
    "contamination_of_noise",
    "hinge_minimiser",
    "hinge_threshold",
    "instance_noise_factor",
    "noise_of_contamination",
    "piecewise_linear_minimiser",
    "potential_minimiser",
    "reversed_pair",
    "reversed_pair_exact",
    "table_law",
    "table_moments",
    "table_trial",
    "unconverged_hinge",
]
