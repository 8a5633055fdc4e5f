r"""Fair signs on one axis: the law of how much linear risk on a sample flatters its minimiser."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from noisytheory.vocabulary.populations import axis

__all__ = ["gap_law", "sampled_gaps", "selected_gap_law"]

Floats: TypeAlias = NDArray[np.float64]


def gap_law(n: int) -> tuple[Floats, Floats]:
    r"""The law of $\mathrm{Risk}(P,\hat\omega_S)-\mathrm{Risk}(S,\hat\omega_S)$ for fair signs.

    There $\omega_P=0$ and the gap is $\|\omega_S\|=|2B/n-1|$ with $B$ binomial.
    """
    return selected_gap_law(n, 1)


def selected_gap_law(n: int, kernels: int) -> tuple[Floats, Floats]:
    """The law of the largest of so many independent gaps: that of the kernel that is selected."""
    from scipy.stats import binom

    heads = np.arange(n + 1)
    values, where = np.unique(np.abs(2 * heads - n) / n, return_inverse=True)
    mass = np.bincount(where, binom.pmf(heads, n, 0.5))
    reached = np.cumsum(mass / mass.sum()) ** kernels
    return values, np.maximum(np.diff(reached, prepend=0.0), 0.0)


def sampled_gaps(
    n: int, kernels: int = 1, *, size: int, rng: np.random.Generator
) -> Floats:
    """Draws of the largest of so many independent gaps."""
    gaps = axis().deviations(n, size=size * kernels, rng=rng)
    return np.asarray(gaps.reshape(size, kernels).max(axis=1))
