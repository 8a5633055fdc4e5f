"""The kernel mean: how well a sample's mean in feature space estimates its population's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from noisytheory.kernel_mean.bounds import (
    empirical_bernstein,
    empirical_deviation,
    expected_deviation,
    expected_deviation_repaired,
    mean_deviation,
    mean_deviation_candidate,
    mean_deviation_diameter,
    mean_deviation_repaired,
    minimax_probability,
    multiple_kernel_gap,
    multiple_kernel_gap_repaired,
)

if TYPE_CHECKING:
    from noisytheory.kernel_mean.estimator import KernelMeanClassifier as KernelMeanClassifier
    from noisytheory.kernel_mean.multiple import MultipleKernelMean as MultipleKernelMean

__all__ = [
    "KernelMeanClassifier",
    "MultipleKernelMean",
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


def __getattr__(name: str) -> Any:
    # scikit-learn takes seconds to import: only who asks for a learner pays.
    if name == "KernelMeanClassifier":
        from noisytheory.kernel_mean.estimator import KernelMeanClassifier

        return KernelMeanClassifier
    if name == "MultipleKernelMean":
        from noisytheory.kernel_mean.multiple import MultipleKernelMean

        return MultipleKernelMean
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
