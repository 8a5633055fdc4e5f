"""Expectations of the average top-k loss, and confidence limits of the CVaR beside it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from noisytheory.topics.top_k.constants.bounds import LARGEST_LOSS, TAIL_MASS
from noisytheory.vocabulary.domains import (
    COUNT,
    LEVEL,
    NONNEGATIVE,
    SAMPLE_SIZE,
    Numeric,
    checked_floats,
    requires,
)

__all__ = [
    "brown_lower", "brown_upper", "cvar_exponential", "expected_top_k_exponential", "thomas_upper",
    "uniform_cvar",
]


@requires(n=SAMPLE_SIZE, k=COUNT.of("How many are averaged, at most n."))
def expected_top_k_exponential(n: Numeric, k: Numeric) -> Numeric:
    r"""$E\,AT_k=1+H_n-H_k$ for n standard exponential losses.

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(expected_top_k_exponential(20, 2)), 7)
    3.0977397
    """
    beyond = np.asarray(k > n)
    if beyond.any():
        counts = np.asarray(k + 0 * n)
        raise ValueError(f"k must be a whole number in [1, n], got {counts[beyond].flat[0]:g}")
    return 1 + _harmonic(n) - _harmonic(k)


@requires(nu=TAIL_MASS)
def cvar_exponential(nu: Numeric) -> Numeric:
    r"""CVaR of the standard exponential law: $1+\log(1/\nu)$.

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(cvar_exponential(0.1)), 7)
    3.3025851
    """
    return 1 - np.log(nu)


@requires(n=SAMPLE_SIZE, delta=LEVEL, nu=TAIL_MASS, bound=LARGEST_LOSS)
def brown_upper(n: Numeric, delta: Numeric, nu: Numeric, bound: Numeric) -> Numeric:
    r"""By how much the sample underrates the CVaR (Brown 2007): $M\sqrt{5\log(3/\delta)/(\nu n)}$.

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(brown_upper(1000, 0.05, 0.1, 1.0)), 4)
    0.4525
    """
    return bound * np.sqrt(5 * (np.log(3) - np.log(delta)) / (nu * n))


@requires(n=SAMPLE_SIZE, delta=LEVEL, nu=TAIL_MASS, bound=LARGEST_LOSS)
def brown_lower(n: Numeric, delta: Numeric, nu: Numeric, bound: Numeric) -> Numeric:
    r"""By how much the sample overrates it (Brown 2007): $\frac M\nu\sqrt{\log(1/\delta)/2n}$.

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(brown_lower(1000, 0.05, 0.1, 1.0)), 4)
    0.387
    """
    return bound / nu * np.sqrt(-np.log(delta) / (2 * n))


@requires(delta=LEVEL, nu=TAIL_MASS, bound=LARGEST_LOSS)
def thomas_upper(losses: ArrayLike, delta: Numeric, nu: float, bound: float) -> Any:
    r"""Upper confidence limit of the CVaR from the ordered losses (Thomas and Learned-Miller 2019).

    Parameters
    ----------
    losses : array_like, shape (..., n)
        In [0, bound].
    delta : float or array
        Probability; its shape broadcasts with the leading axes.
    nu, bound : float
        Tail mass; $M$.

    Returns
    -------
    float or array

    Raises
    ------
    ValueError
        If a loss is outside [0, bound] or not finite, or an argument leaves its range.

    Examples
    --------
    >>> round(float(thomas_upper([0.0] * 100, 0.05, 1.0, 1.0)), 4)    # root of log(20)/200
    0.1224
    """
    nu, bound = TAIL_MASS.number("nu", nu), LARGEST_LOSS.number("bound", bound)
    z = checked_floats("losses", losses)
    if not z.size or z.ndim == 0 or not np.isfinite(z).all():
        raise ValueError(f"losses must be finite, and at least one, got {losses!r}")
    z = np.sort(z, axis=-1)
    if z.min() < -1e-9 * bound or z.max() > (1 + 1e-9) * bound:
        raise ValueError(f"losses must lie in [0, {bound:g}], the largest loss, "
                         f"got {z.min() if z.min() < 0 else z.max():g} among them")
    n = z.shape[-1]
    end = np.full((*z.shape[:-1], 1), float(bound))
    steps = np.diff(np.concatenate([z, end], axis=-1), axis=-1)
    i = np.arange(1, n + 1)
    width = np.sqrt(-np.log(np.asarray(delta, float)) / (2 * n))
    share = np.maximum(i / n - width[..., None] - (1 - nu), 0)
    return bound - (steps * share).sum(axis=-1) / nu + 0 * delta


@requires(
    n=SAMPLE_SIZE, delta=LEVEL, nu=TAIL_MASS,
    radius=NONNEGATIVE.of(r"$L\kappa R$: Lipschitz constant of the loss times the largest score."),
    bound=LARGEST_LOSS,
)
def uniform_cvar(
    n: Numeric, delta: Numeric, nu: Numeric, radius: Numeric, bound: Numeric
) -> Numeric:
    r"""By how much a sample underrates the CVaR over a ball: what Section 6 calls open.

    $$\frac1\nu\Big(\frac{2L\kappa R}{\sqrt n}+\frac M{\sqrt n}
      +M\sqrt{\frac{\log(1/\delta)}{2n}}\Big).$$

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(uniform_cvar(10**4, 0.05, 0.5, 1.0, 2.0)), 4)
    0.129
    """
    return (2 * radius + bound + bound * np.sqrt(-np.log(delta) / 2)) / (nu * np.sqrt(n))


def _harmonic(n: Numeric) -> Numeric:
    """Sums of reciprocals, to rounding."""
    from scipy import special

    found = special.digamma(np.asarray(n, float) + 1) + np.euler_gamma
    return n * 0 + found if hasattr(n, "dims") else found
