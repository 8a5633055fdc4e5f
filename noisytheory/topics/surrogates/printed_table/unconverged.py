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
    signed = np.ascontiguousarray((ATOMS * LABELS[:, None]).T)
    squares = np.sum(signed**2, axis=0)
    dual, omega = np.zeros((n, size)), np.zeros((2, size))
    for _ in range(passes):
        order = rng.permuted(np.broadcast_to(np.arange(n)[:, None], (n, size)), axis=0)
        # Every example is visited once: its place in line is all that the order decides.
        atoms = np.take_along_axis(drawn, order, axis=0)
        x, y, square = signed[0][atoms], signed[1][atoms], squares[atoms]
        ahead = np.take_along_axis(dual, order, axis=0)
        for one, other, length, before in zip(x, y, square, ahead, strict=True):
            slope = one * omega[0]
            slope += other * omega[1]
            slope -= 1
            slope /= length
            np.minimum(slope, before, out=slope)
            before -= slope
            omega[0] -= slope * one
            omega[1] -= slope * other
        np.put_along_axis(dual, order, ahead, axis=0)
    return clean_risk(omega.T)
