r"""A hinge column from a solver that stops early: dual coordinate descent without a constraint."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.surrogates.long_servedio.simulate import (
    ATOMS,
    LABELS,
    clean_risk,
    noisy_masses,
)
from noisytheory.vocabulary.noise import checked_rate
from noisytheory.vocabulary.populations.atoms import checked_whole

__all__ = ["unconverged_hinge"]

Floats = NDArray[np.float64]


def unconverged_hinge(
    sigma: float, n: int, *, passes: int = 10, size: int, rng: np.random.Generator
) -> Floats:
    r"""Clean 0-1 risks of a support vector machine whose solver has not converged.

    Dual coordinate descent (Hsieh et al. 2008) on $\frac12\|\omega\|^2+C\sum_i\max(0,1-y_i
    \langle\omega,x_i\rangle)$ for $C=\infty$: noisy data are not separable, so the dual grows
    without end and the last iterate is where the solver happens to stand. The paper names no
    solver; that its column comes from one like this is an inference.

    Parameters
    ----------
    sigma : float
        Noise rate, in [0, 1/2).
    n : int, >= 1
        Training examples.
    passes : int, >= 1
        Times that every example is visited, each time in a new order.
    size : int, >= 1
        Number of trials.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    array, shape (size,)
        Risks, sums of the masses of the points with scores at most 0.

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Examples
    --------
    >>> risks = unconverged_hinge(0.0, 50, size=20, rng=np.random.default_rng(0))
    >>> float(risks.max())
    0.0
    """
    rate = float(checked_rate("sigma", sigma, below=Fraction(1, 2)))
    for name, value in (("n", n), ("passes", passes), ("size", size)):
        checked_whole(name, value)
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng must be a numpy.random.Generator, got {rng!r}")
    drawn = rng.choice(len(ATOMS), p=noisy_masses(rate), size=(n, size))
    signed = ATOMS * LABELS[:, None]
    squares = np.sum(signed**2, axis=1)
    trials = np.arange(size)
    dual, omega = np.zeros((n, size)), np.zeros((size, 2))
    for _ in range(passes):
        order = rng.permuted(np.broadcast_to(np.arange(n)[:, None], (n, size)), axis=0)
        for at in order:
            atoms = drawn[at, trials]
            rows = signed[atoms]
            before = dual[at, trials]
            slope = np.einsum("ij,ij->i", rows, omega) - 1
            after = np.maximum(before - slope / squares[atoms], 0.0)
            dual[at, trials] = after
            omega += (after - before)[:, None] * rows
    return clean_risk(omega)
