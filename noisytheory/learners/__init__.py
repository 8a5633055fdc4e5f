"""Every scikit-learn estimator in the box, each a skin over the algorithms of a topic."""

from __future__ import annotations

from noisytheory.learners.average_top_k import (
    AverageTopKClassifier,
    AverageTopKRegressor,
    AverageTopKSVC,
    AverageTopKSVR,
)
from noisytheory.learners.confused import UMAClassifier
from noisytheory.learners.corrected_logistic import CorrectedLogisticRegression
from noisytheory.learners.kernel_mean import KernelMeanClassifier
from noisytheory.learners.kernel_mean_cv import KernelMeanClassifierCV
from noisytheory.learners.multiple_kernel_mean import MultipleKernelMean
from noisytheory.learners.noisy_kernel import NoisyKernelClassifier, NoisyKernelRegressor
from noisytheory.learners.ultraconservative import UltraconservativeClassifier

__all__ = [
    "AverageTopKClassifier",
    "AverageTopKRegressor",
    "AverageTopKSVC",
    "AverageTopKSVR",
    "CorrectedLogisticRegression",
    "KernelMeanClassifier",
    "KernelMeanClassifierCV",
    "MultipleKernelMean",
    "NoisyKernelClassifier",
    "NoisyKernelRegressor",
    "UMAClassifier",
    "UltraconservativeClassifier",
]
