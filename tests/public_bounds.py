"""Every public bound, and a value that fits for each of its arguments."""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
from types import SimpleNamespace
from typing import Any

import numpy as np

import noisytheory as nt
from noisytheory import topics

VALUES: dict[str, Any] = {
    "C": 2.0, "G": 1.4, "J": 1.0, "K": 3, "M": 60, "R": 30.0, "T": 50, "a": 0.7, "alpha": 0.1,
    "advantage": 0.3, "approximation": 0.05, "beta": 0.2, "bound": 1.5, "c": 2.0, "classes": 3,
    "clusters": 4, "d": 3, "deficit": 0.3, "delta": 0.1, "deviation": 0.2, "diameter": 1.0,
    "dimension": 2, "distance": 0.5, "draws": 8, "epsilon": 0.3, "error": 0.3, "estimate": 0.1,
    "eta": 0.05,
    "f": SimpleNamespace(at=np.sqrt),
    "first": 1.0, "half_range": 0.7, "high": 0.9, "idle": 0.5, "k": 4, "kappa": 1.1,
    "kappa_norm": 0.8, "kernel": nt.dot_products.LinearProduct(), "largest": 0.9,
    "largest_step": 1.5, "least": 0.1, "least_diameter": 1.0, "loss": nt.analytic.SquaredLoss(),
    "losses": np.linspace(0, 1, 9), "low": 0.2, "m": 3, "margin": 0.5, "mass": 0.3, "mean": 0.3,
    "members": 5, "minus": 0.1, "most": 0.3, "mu": 0.4, "n": 12, "norm": 0.5, "nu": 0.3, "p": 2.5,
    "plus": 0.2, "positive": 0.5, "power": 1.0, "radius": 1.0, "regret": 0.5, "risk": 0.3, "s": 1.2,
    "s2": 0.4, "sample_norm": 0.5, "score": 0.4, "sets": 5, "shift": 0.6, "sigma": 0.1,
    "sigma2": 1.3, "spread": 1.0, "squared_differences": 1.0, "squares": 0.9, "start": 1.1,
    "theta": 0.3, "tolerance": 0.6, "top_eigenvalue": 0.5, "total": 1.0, "trials": 20,
    "variance": 1.0, "width": 0.5, "x": 0.3, "z": 4, "zero": 1.0,
    **dict.fromkeys(("Bg", "Blabel", "Bpsi", "Bw", "Bx", "By"), 1.2),
}


def values_of(bound: Any) -> dict[str, Any]:
    """What fits, by argument: not all that has a default, nor what fits each of its names."""
    found = {}
    for name, parameter in inspect.signature(bound).parameters.items():
        domain = bound.domains.get(name)
        if name in VALUES:
            found[name] = VALUES[name]
        elif domain is not None:
            # One above its lower end, or the middle.
            low = domain.low if np.isfinite(domain.low) else 0
            found[name] = (low + domain.high) / 2 if np.isfinite(domain.high) else low + 1
        else:
            assert parameter.default is not parameter.empty, f"VALUES has no {name}"
    if "mu" in found and "approximation" in found:
        found |= {"n": 10**7, "delta": 0.3, "norm": 1.5}
    if "beta" in found and bound.domains["beta"].low == 1:
        found["beta"] = 1.5
    return found


def _member(bound: Any, at: int) -> Any:
    """One of several numbers that a bound returns."""

    @functools.wraps(bound)
    def member(**arguments: Any) -> Any:
        return bound(**arguments)[at]

    return member


def _public() -> dict[str, Any]:
    """By module and name."""
    found = {}
    for module in pkgutil.walk_packages(topics.__path__, "noisytheory.topics."):
        topic, _, last = module.name.removeprefix("noisytheory.topics.").rpartition(".")
        if last.startswith("bounds"):
            names = importlib.import_module(module.name)
            for name in names.__all__:
                bound = getattr(names, name)
                if not callable(bound):
                    continue
                several = bound(**values_of(bound))
                if isinstance(several, tuple):
                    found |= {
                        f"{topic}.{name}[{i}]": _member(bound, i) for i in range(len(several))
                    }
                else:
                    found[f"{topic}.{name}"] = bound
    return found


BOUNDS = _public()
