"""Learning theory on trial: compute a bound, simulate what it speaks of, reach a verdict.

Topics and the vocabulary have short names here: ``noisytheory.multiclass`` is
``noisytheory.topics.multiclass``, the same module, as an attribute and to import from. What lies
below has its long name alone.
"""

from __future__ import annotations

import os
import sys

__version__ = "0.1.0"

# Until this file is read a command has no quiet way to be interrupted: it imports next to nothing.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

    from noisytheory.learners.average_top_k import AverageTopKClassifier as AverageTopKClassifier
    from noisytheory.learners.average_top_k import AverageTopKRegressor as AverageTopKRegressor
    from noisytheory.learners.average_top_k import AverageTopKSVC as AverageTopKSVC
    from noisytheory.learners.average_top_k import AverageTopKSVR as AverageTopKSVR
    from noisytheory.learners.confused import UMAClassifier as UMAClassifier
    from noisytheory.learners.corrected_logistic import (
        CorrectedLogisticRegression as CorrectedLogisticRegression,
    )
    from noisytheory.learners.kernel_mean import KernelMeanClassifier as KernelMeanClassifier
    from noisytheory.learners.kernel_mean_cv import KernelMeanClassifierCV as KernelMeanClassifierCV
    from noisytheory.learners.multiple_kernel_mean import MultipleKernelMean as MultipleKernelMean
    from noisytheory.learners.noisy_kernel import NoisyKernelClassifier as NoisyKernelClassifier
    from noisytheory.learners.noisy_kernel import NoisyKernelRegressor as NoisyKernelRegressor
    from noisytheory.learners.ultraconservative import (
        UltraconservativeClassifier as UltraconservativeClassifier,
    )
    from noisytheory.report.comparison import Comparison as Comparison
    from noisytheory.report.comparison import compare as compare
    from noisytheory.trial.claim import Certificate as Certificate
    from noisytheory.trial.claim import Claim as Claim
    from noisytheory.trial.claim import Discrepancy as Discrepancy
    from noisytheory.trial.claim import Law as Law
    from noisytheory.trial.claim import Paper as Paper
    from noisytheory.trial.result import Audit as Audit
    from noisytheory.trial.result import Result as Result
    from noisytheory.trial.run import audit as audit
    from noisytheory.trial.sides import both as both
    from noisytheory.trial.sides import scaled as scaled
    from noisytheory.vocabulary.inverse import NotMonotone as NotMonotone
    from noisytheory.vocabulary.inverse import OutOfReach as OutOfReach
    from noisytheory.vocabulary.inverse import crosses_once as crosses_once
    from noisytheory.vocabulary.inverse import solve as solve

# What is imported on first use, so that `import noisytheory` and `--help` stay fast.
_LAZY = {
    "Audit": "trial.result",
    "AverageTopKClassifier": "learners.average_top_k",
    "AverageTopKRegressor": "learners.average_top_k",
    "AverageTopKSVC": "learners.average_top_k",
    "AverageTopKSVR": "learners.average_top_k",
    "Certificate": "trial.claim",
    "Claim": "trial.claim",
    "Comparison": "report.comparison",
    "Discrepancy": "trial.claim",
    "KernelMeanClassifier": "learners.kernel_mean",
    "KernelMeanClassifierCV": "learners.kernel_mean_cv",
    "Law": "trial.claim",
    "MultipleKernelMean": "learners.multiple_kernel_mean",
    "NoisyKernelClassifier": "learners.noisy_kernel",
    "NoisyKernelRegressor": "learners.noisy_kernel",
    "NotMonotone": "vocabulary.inverse",
    "OutOfReach": "vocabulary.inverse",
    "Paper": "trial.claim",
    "Result": "trial.result",
    "UMAClassifier": "learners.confused",
    "UltraconservativeClassifier": "learners.ultraconservative",
    "CorrectedLogisticRegression": "learners.corrected_logistic",
    "audit": "trial.run",
    "both": "trial.sides",
    "compare": "report.comparison",
    "crosses_once": "vocabulary.inverse",
    "scaled": "trial.sides",
    "solve": "vocabulary.inverse",
}


def _names_in(room: str) -> list[str]:
    """Modules of a room, as its folder has them; who walks packages needs more than is here yet."""
    folder = f"{__path__[0]}/{room}"
    names = [file.removesuffix(".py") for file in os.listdir(folder) if file.endswith(".py") or
             os.path.isfile(f"{folder}/{file}/__init__.py")]
    return sorted(name for name in names if not name.startswith("_"))


_SUBMODULES = {
    "evidence": "noisytheory.trial.evidence",
    "testing": "noisytheory.trial.testing",
    **{room: f"noisytheory.{room}" for room in ("learners", "papers", "report")},
    # Every topic, and every module of the vocabulary.
    **{name: f"noisytheory.{room}.{name}" for room in ("topics", "vocabulary")
       for name in _names_in(room)},
}

__all__ = [*_LAZY, *_SUBMODULES, "__version__", "claims"]


class _Short:
    """Finds ``noisytheory.multiclass``: the very module of the long name, no second copy."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Where a short name is asked for, what is known of the module of the long one."""
        package, _, rest = name.partition(".")
        short, _, below = rest.partition(".")
        long = _SUBMODULES.get(short, f"{package}.{short}")
        if package != __name__ or long == f"{package}.{short}":
            return None
        if below:
            # A file found there would run again, and take the place of a function of its name.
            raise ModuleNotFoundError(f"{name} is {long}.{below}: import it from there", name=name)
        from importlib import import_module
        from importlib.machinery import ModuleSpec

        module = import_module(long)
        return ModuleSpec(name, _Short, loader_state=(module, module.__spec__))  # type: ignore[arg-type]

    @staticmethod
    def create_module(spec: ModuleSpec) -> ModuleType:
        """The module of the long name, in place of an empty one."""
        module: ModuleType = spec.loader_state[0]
        return module

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Run nothing: it has been."""
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state[1]  # its own again


sys.meta_path.insert(0, _Short)


def __getattr__(name: str) -> Any:
    import importlib

    if name in _LAZY:
        return getattr(importlib.import_module(f"noisytheory.{_LAZY[name]}"), name)
    if name in _SUBMODULES:
        return importlib.import_module(_SUBMODULES[name])
    if name == "claims":
        return importlib.import_module("noisytheory.trial.catalogue").catalogue()
    raise AttributeError(f"module 'noisytheory' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
