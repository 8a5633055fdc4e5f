"""Every scikit-learn estimator in the box, each a skin over the algorithms of a topic."""

from __future__ import annotations

from noisytheory.learners.kernel_mean import KernelMeanClassifier
from noisytheory.learners.multiple_kernel_mean import MultipleKernelMean
from noisytheory.learners.noisy_kernel import NoisyKernelClassifier, NoisyKernelRegressor

__all__ = [
    "KernelMeanClassifier", "MultipleKernelMean", "NoisyKernelClassifier", "NoisyKernelRegressor",
]
