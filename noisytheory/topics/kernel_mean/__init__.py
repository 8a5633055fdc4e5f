"""The kernel mean: how well a sample's mean in feature space estimates its population's."""

from __future__ import annotations

from noisytheory.topics.kernel_mean.deviation.bounds import (
    expected_deviation,
    expected_deviation_repaired,
    mean_deviation,
    mean_deviation_candidate,
    mean_deviation_diameter,
    mean_deviation_repaired,
    minimax_probability,
)
from noisytheory.topics.kernel_mean.empirical.bounds import empirical_bernstein, empirical_deviation
from noisytheory.topics.kernel_mean.several_kernels.bounds import (
    multiple_kernel_gap,
    multiple_kernel_gap_repaired,
)

__all__ = [
    "empirical_bernstein",
    "empirical_deviation",
    "expected_deviation",
    "expected_deviation_repaired",
    "mean_deviation",
    "mean_deviation_candidate",
    "mean_deviation_diameter",
    "mean_deviation_repaired",
    "minimax_probability",
    "multiple_kernel_gap",
    "multiple_kernel_gap_repaired",
]
