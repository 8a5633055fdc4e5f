r"""Deviations of sample means, and the norm that a bound knows of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.kernel_mean.deviation.simulate import norms
from noisytheory.vocabulary.populations import Finite

Floats = NDArray[np.float64]


def mean_deviation_with_norm(
    population: Finite, n: int, *, size: int, rng: np.random.Generator
) -> dict[str, Floats]:
    r"""Draws of $\|\Phi(P)-\Phi(S)\|$ together with $\|\Phi(S)\|$ of the same sample.

    Examples
    --------
    >>> from noisytheory.vocabulary.populations import axis
    >>> drawn = mean_deviation_with_norm(axis(), 5, size=9, rng=np.random.default_rng(1))
    >>> bool(np.allclose(drawn["lhs"], drawn["sample_norm"]))
    True
    """
    shares = population.counts(n, size=size, rng=rng) / n
    # Rounding may lift the norm of a mean of unit vectors above 1 by an ulp.
    return {
        "lhs": norms(shares - population.weights, population.gram),
        "sample_norm": np.minimum(norms(shares, population.gram), 1.0),
    }
