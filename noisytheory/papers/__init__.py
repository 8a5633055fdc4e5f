"""The five papers in the box, one module each, and where print and truth differ in them."""

from __future__ import annotations

from noisytheory.papers.average_classifier import PAPER as AVERAGE_CLASSIFIER
from noisytheory.papers.kernel_mean import PAPER as KERNEL_MEAN
from noisytheory.papers.noisy_kernels import PAPER as NOISY_KERNELS
from noisytheory.papers.top_k import PAPER as TOP_K
from noisytheory.papers.uma import PAPER as UMA

__all__ = ["AVERAGE_CLASSIFIER", "KERNEL_MEAN", "NOISY_KERNELS", "TOP_K", "UMA"]
