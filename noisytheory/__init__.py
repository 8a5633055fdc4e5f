"""Learning theory on trial: compute a bound, simulate what it speaks of, reach a verdict."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from noisytheory.claim import Certificate as Certificate
    from noisytheory.claim import Claim as Claim
    from noisytheory.claim import Discrepancy as Discrepancy
    from noisytheory.claim import Law as Law
    from noisytheory.claim import Paper as Paper
    from noisytheory.kernel_mean.estimator import KernelMeanClassifier as KernelMeanClassifier
    from noisytheory.kernel_mean.multiple import MultipleKernelMean as MultipleKernelMean
    from noisytheory.result import Audit as Audit
    from noisytheory.result import Result as Result
    from noisytheory.run import audit as audit

# What is imported on first use, so that `import noisytheory` and `--help` stay fast.
_LAZY = {
    "Audit": "result",
    "Certificate": "claim",
    "Claim": "claim",
    "Discrepancy": "claim",
    "KernelMeanClassifier": "kernel_mean.estimator",
    "Law": "claim",
    "MultipleKernelMean": "kernel_mean.multiple",
    "Paper": "claim",
    "Result": "result",
    "audit": "run",
}
_SUBMODULES = (
    "concentration", "domains", "evidence", "kernel_mean", "kernels", "label_noise", "losses",
    "noise", "populations", "report", "sparse", "surrogates", "testing",
)

__all__ = [*_LAZY, *_SUBMODULES, "__version__", "claims"]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(f"noisytheory.{_LAZY[name]}"), name)
    if name in _SUBMODULES:
        return importlib.import_module(f"noisytheory.{name}")
    if name == "claims":
        return importlib.import_module("noisytheory.catalogue").catalogue()
    raise AttributeError(f"module 'noisytheory' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
