"""The five papers in the box."""

from __future__ import annotations

from noisytheory.claim import Paper

__all__ = ["AVERAGE_CLASSIFIER", "KERNEL_MEAN", "NOISY_KERNELS", "NOT_REFUTED", "TOP_K", "UMA"]


def _both(*names: str) -> tuple[str, ...]:
    return tuple(f"{name}/{part}" for name in names for part in ("printed", "repaired"))


MEAN_TERM = ("theorem-5", "theorem-5/mean", "theorem-5/repaired", "theorem-5/mean-repaired",
             "theorem-6", "theorem-6/repaired", "lemma-9", "lemma-9/repaired")
CALIBRATED = ("linear-loss-calibrated", "convex-potential-calibrated")
KERNEL_MEAN_DISCREPANCIES = {
    "D1": MEAN_TERM,
    "D2": (*_both("lemma-3"), "lemma-3/repaired-nonzero", "lemma-3/repaired-mass"),
    "D3": (*_both(*CALIBRATED), *(f"{name}/repaired-posterior" for name in CALIBRATED)),
    "D4": (*_both("corollary-8"), "corollary-8/two-sided"),
    "D5": ("theorem-15/hypothesis", *_both("theorem-15")),
    "D6": (*_both("misclassification-satisfies-15"),
           "misclassification-satisfies-15/order-printed"),
    "D7": _both("theorem-16"),
    "D8": (*_both("theorem-18", "lemma-19"), "lemma-19/sharper"),
    "D9": ("theorem-21", "theorem-21/repaired", "theorem-21/mean", "theorem-21/mean-repaired",
           "theorem-21/sparsity", "theorem-21/sparsity-repaired"),
    "D10": (*_both("algorithm-1"), "algorithm-1/termination-printed"),
    "D11": (*_both("algorithm-2"), "algorithm-2/sharper"),
    "D12": (*_both("corollary-23"), "corollary-23/sharper"),
    "D13": _both("relation-kde"),
    "D14": (*_both("long-servedio-impossibility"), "long-servedio-impossibility/repaired-smooth"),
    "D15": _both("herding-rates/exponential"),
    "D16": _both("parallel-counterexample"),
    "D17": ("table-1/hinge", "table-1/t-logistic", "table-1/linear", "table-1/linear-spread",
            "table-1/hinge-spread", "table-1/t-logistic-spread"),
    "D18": ("theorem-20",),
    "D19": _both("lemma-4"),
    "D20": (*_both("relation-any-convex-potential"), "relation-any-convex-potential/affine"),
    "D21": _both("proposition-11/bayes-rule"),
    "D22": (),
}
AVERAGE_CLASSIFIER_DISCREPANCIES = {
    "A1": (*_both("theorem-1"), "theorem-1/bayes"),
    "A2": ("theorem-6",),
    "A3": _both("lemma-7"),
    "A4": ("theorem-13/hypothesis", *_both("theorem-13", "theorem-14", "theorem-16", "theorem-17")),
    "A5": (*_both("long-servedio-quantifier"), "long-servedio-quantifier/printed-hinge"),
    "A6": ("herding-rates/printed", "herding-rates/interior"),
    "A7": _both("svm-herding-equivalence"),
    "A8": _both("relation-kde"),
    "A9": ("theorem-15/no-loss",),
    "A10": (),
    "A11": ("theorem-4/candidate-c-2", "theorem-4/candidate-mean-term-1"),
    "A12": _both("algorithm-1/weights"),
}
NOT_REFUTED = {
    "D1": "true; its mean term is twice what the variance gives",
    "D9": "true; loose by the root of two in both terms, and by one atom",
    "D18": "true for 1 <= k <= n, which print leaves out; infinite dimension is not needed",
    "D22": "nothing to try: numbers of results, a reference beyond the list, indices and signs "
           "inside proofs, a slip in a symbol",
    "A2": "true, because a zero score is an error; false where it is half an error",
    "A9": "true, also of losses that are not convex; print's argument does not show it",
    "A10": "nothing to try: references to an appendix and a chapter that are not there",
    "A11": "formula lost; with the later paper's constant true, its mean term twice too large",
}
"""Discrepancies that refute nothing, and why."""

KERNEL_MEAN = Paper(
    "kernel-mean",
    "Sparse Robust Classification via the Kernel Mean",
    authors="B. van Rooyen, A. K. Menon, R. C. Williamson",
    reference="arXiv:1506.01520, final version",
    discrepancies=KERNEL_MEAN_DISCREPANCIES,
)
AVERAGE_CLASSIFIER = Paper(
    "average-classifier",
    "An Average Classification Algorithm",
    authors="B. van Rooyen, A. K. Menon, R. C. Williamson",
    reference="arXiv:1506.01520, earlier version",
    discrepancies=AVERAGE_CLASSIFIER_DISCREPANCIES,
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
