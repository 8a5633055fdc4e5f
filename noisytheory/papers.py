"""The five papers in the box."""

from __future__ import annotations

from noisytheory.claim import Paper

__all__ = ["AVERAGE_CLASSIFIER", "KERNEL_MEAN", "NOISY_KERNELS", "TOP_K", "UMA"]

KERNEL_MEAN = Paper(
    "kernel-mean",
    "Sparse Robust Classification via the Kernel Mean",
    authors="B. van Rooyen, A. K. Menon, R. C. Williamson",
    reference="arXiv:1506.01520, final version",
)
AVERAGE_CLASSIFIER = Paper(
    "average-classifier",
    "An Average Classification Algorithm",
    authors="B. van Rooyen, A. K. Menon, R. C. Williamson",
    reference="arXiv:1506.01520, earlier version",
)
UMA = Paper(
    "uma",
    "Unconfused Ultraconservative Multiclass Algorithms",
    authors="U. Louche, L. Ralaivola",
)
NOISY_KERNELS = Paper(
    "noisy-kernels",
    "Online Learning of Noisy Data with Kernels",
    authors="N. Cesa-Bianchi, S. Shalev-Shwartz, O. Shamir",
)
TOP_K = Paper(
    "top-k",
    "Learning with Average Top-k Loss",
    authors="Y. Fan, S. Lyu, Y. Ying, B.-G. Hu",
)
