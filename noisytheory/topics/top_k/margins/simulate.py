"""Norms, margins and risks of machines on samples of finite populations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.linear_populations import LinearPopulation, trained

__all__ = ["minus_margin", "ratio", "risk"]


def ratio(
    population: LinearPopulation, n: int, *, size: int, rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    r"""$\|f_z\|/\rho_z$."""
    found = trained(population, n, size=size, rng=rng)
    return dict(lhs=np.minimum(found["norm_z"] / found["margin"], 1e12), nu=found["nu"])


def minus_margin(
    population: LinearPopulation, n: int, *, size: int, rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    r"""$-\rho_z$."""
    found = trained(population, n, size=size, rng=rng)
    return dict(lhs=-found["margin"], nu=found["nu"])


def risk(
    population: LinearPopulation, n: int, *, size: int, rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    """Risk of the machine, with what training shows."""
    found = trained(population, n, size=size, rng=rng)
    return dict(lhs=found["risk_z"], nu=found["nu"], norm_z=found["norm_z"],
                margin=found["margin"])
