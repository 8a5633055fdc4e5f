r"""What average top-k losses combine to: the ranked range, and spectral risks.

A spectral risk is a mixture of $AT_k$ (of CVaRs at several tail masses), so convex and a worst mean
over reweightings itself; the mean over a range of ranks is a difference, and neither.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.topics.top_k.aggregate import checked_losses, counted, masses_of, spent
from noisytheory.vocabulary.domains import NONNEGATIVE, Domain, checked_floats

__all__ = [
    "ranked_range", "ranked_range_weights", "spectral", "spectral_conjugate", "spectral_weights",
]

Floats = NDArray[np.float64]
WHOLE = Domain(0, include_low=True, whole=True)


def ranked_range(
    losses: ArrayLike, m: float, k: float, sample_weight: ArrayLike | None = None
) -> Any:
    r"""Mean of the losses ranked m + 1 to k: $(kAT_k-mAT_m)/(k-m)$.

    ``m=0`` is $AT_k$, ``m=k-1`` the top-k loss, ``k=n`` the mean of the n - m smallest. A
    difference of convex functions, convex itself only for m = 0 (Hu and others 2020): the worst
    mean over laws with density at most $n/k$, less what the worst with $n/m$ makes of it. With
    $m\ge1$ no linear function lies below it and its conjugate is infinite everywhere: one loss
    grows without changing it. In the words of finance it is the mean of the losses between two
    values at risk, a truncated expected shortfall.

    Parameters
    ----------
    losses : array_like, shape (..., n)
    m, k : int
        $0\le m<k\le n$.
    sample_weight : array_like, shape (n,), optional
        How often each loss counts; then m and k are of weight, and n is its sum.

    Returns
    -------
    float or array

    Raises
    ------
    ValueError
        If m or k leaves its range.

    Examples
    --------
    >>> float(ranked_range([9.0, 1.0, 2.0, 4.0], 1, 3))
    3.0
    """
    values = checked_losses(losses)
    return (values * ranked_range_weights(values, m, k, sample_weight)).sum(axis=-1)


def ranked_range_weights(
    losses: ArrayLike, m: float, k: float, sample_weight: ArrayLike | None = None
) -> Floats:
    r"""What each loss counts in `ranked_range`: its gradient where no losses tie.

    Elsewhere the difference of a subgradient of each part, as a method for differences of convex
    functions takes them.

    Parameters
    ----------
    losses, m, k, sample_weight
        As in `ranked_range`.

    Returns
    -------
    array, shape (..., n)
        Of sum 1.

    Raises
    ------
    ValueError
        If m or k leaves its range.

    Examples
    --------
    >>> ranked_range_weights([9.0, 1.0, 2.0, 4.0], 1, 3).tolist()
    [0.0, 0.0, 0.5, 0.5]
    """
    values = checked_losses(losses)
    q, total = counted(sample_weight, values.shape[-1])
    allowed = WHOLE if sample_weight is None else NONNEGATIVE
    m, k = (allowed.number(name, value) for name, value in (("m", m), ("k", k)))
    if not 0 <= m < k <= total:
        raise ValueError(f"m and k must satisfy 0 <= m < k <= {total:g}, got m={m:g}, k={k:g}")
    weights = spent(values, k / total, q)
    if m:
        weights = weights - spent(values, m / total, q)
    return weights * (total / (k - m))


def spectral(
    losses: ArrayLike, spectrum: ArrayLike, sample_weight: ArrayLike | None = None
) -> Any:
    r"""Spectral risk $\sum_i\sigma_i\ell_{[i]}$ of a non-increasing spectrum, a mixture of $AT_k$.

    $$\sum_i\sigma_i\ell_{[i]}=\sum_k k(\sigma_k-\sigma_{k+1})\,AT_k,\qquad\sigma_{n+1}=0.$$

    So of CVaRs at all tail masses, and the worst mean over the laws that `spectral_conjugate`
    allows.

    Parameters
    ----------
    losses : array_like, shape (..., n)
    spectrum : array_like, shape (n,)
        Non-increasing, at least 0. Where losses are weighted of any length m: each entry is for
        one m-th of the weight, so that with m the sum of whole weights they are repetitions.
    sample_weight : array_like, shape (n,), optional
        How often each loss counts.

    Returns
    -------
    float or array

    Raises
    ------
    ValueError
        If the spectrum increases somewhere or is negative: then the risk is not convex.

    Examples
    --------
    >>> float(spectral([1.0, 5.0, 3.0], [0.5, 0.5, 0.0]))
    4.0
    >>> float(spectral([5.0, 3.0], [0.5, 0.3, 0.2], sample_weight=[1, 2]))
    4.0
    """
    values = checked_losses(losses)
    return (values * spectral_weights(values, spectrum, sample_weight)).sum(axis=-1)


def spectral_weights(
    losses: ArrayLike, spectrum: ArrayLike, sample_weight: ArrayLike | None = None
) -> Floats:
    r"""Subgradient of the spectral risk: the i-th largest loss has weight $\sigma_i$.

    Parameters
    ----------
    losses, spectrum, sample_weight
        As in `spectral`.

    Returns
    -------
    array, shape (..., n)
        Among ties the first come first.

    Raises
    ------
    ValueError
        As `spectral`.

    Examples
    --------
    >>> spectral_weights([1.0, 5.0, 3.0], [0.7, 0.3, 0.0]).tolist()
    [0.0, 0.7, 0.3]
    """
    values = checked_losses(losses)
    sigma, q = _spectrum(spectrum, sample_weight, values.shape[-1])
    out = np.empty(values.shape)
    order = np.argsort(-values, axis=-1, kind="stable")
    if sample_weight is None:
        np.put_along_axis(out, order, np.broadcast_to(sigma, values.shape), axis=-1)
        return out
    reached = np.cumsum(q[order], axis=-1)
    shares = np.diff(_spent(sigma, reached), prepend=0.0, axis=-1)
    np.put_along_axis(out, order, shares, axis=-1)
    return out


def spectral_conjugate(
    weights: ArrayLike, spectrum: ArrayLike, rounding: float = 1e-12, *,
    sample_weight: ArrayLike | None = None,
) -> Any:
    r"""Convex conjugate of the spectral risk: 0 on the weights it is a maximum over, else infinite.

    $$\sum_i\sigma_i\ell_{[i]}=\max_p\langle p,\ell\rangle,\qquad\sum_{i\le j}p_{[i]}\le
    \sum_{i\le j}\sigma_i\text{ for all }j,\text{ with equality at }j=n:$$

    the reweightings that the spectrum majorises. With the spectrum of $AT_k$, $1/k$ on k entries,
    it is `conjugate`.

    Parameters
    ----------
    weights : array_like, shape (..., n)
        $p$.
    spectrum, sample_weight
        As in `spectral`; weighted examples in the order of $p_i$ over how often they count.
    rounding : float
        By how much the constraints may be missed.

    Returns
    -------
    float or array
        0 or infinity.

    Raises
    ------
    ValueError
        If a weight is not finite, or the spectrum increases, is negative or has another length.

    Examples
    --------
    >>> sigma = [0.5, 0.3, 0.2]
    >>> [float(spectral_conjugate(p, sigma)) for p in ([0.2, 0.5, 0.3], [0.6, 0.4, 0.0])]
    [0.0, inf]
    """
    p, rounding = checked_losses(weights, "weights"), NONNEGATIVE.number("rounding", rounding)
    sigma, q = _spectrum(spectrum, sample_weight, p.shape[-1])
    used = q > 0
    none = (np.abs(p[..., ~used]) <= rounding).all(-1)
    p, q = p[..., used], q[used]
    order = np.argsort(-p / q, axis=-1, kind="stable")
    sums = np.cumsum(np.take_along_axis(p, order, axis=-1), axis=-1)
    allowed = _spent(sigma, np.cumsum(q[order], axis=-1))
    within = rounding * p.shape[-1]
    inside = none & (sums <= allowed + within).all(-1) & (sums[..., -1] >= sigma.sum() - within)
    return np.where(inside, 0.0, np.inf)[()]


def _spectrum(
    spectrum: ArrayLike, sample_weight: ArrayLike | None, n: int
) -> tuple[Floats, Floats]:
    """A spectrum that does not increase, and the masses it is spent on."""
    sigma = checked_floats("spectrum", spectrum)
    if sigma.ndim != 1 or not sigma.size or (sample_weight is None and len(sigma) != n):
        raise ValueError(f"spectrum must have one entry a loss, {n}, got shape {sigma.shape}")
    if not np.isfinite(sigma).all() or np.any(np.diff(sigma) > 0) or sigma[-1] < 0:
        raise ValueError(f"spectrum must not increase and be finite and >= 0, got {sigma.tolist()}")
    return sigma, masses_of(sample_weight, n)


def _spent(sigma: Floats, reached: Floats) -> Floats:
    """What a spectrum gives to the largest losses up to these masses."""
    ends = np.arange(len(sigma) + 1) / len(sigma)
    return np.asarray(np.interp(reached, ends, np.concatenate([[0.0], np.cumsum(sigma)])))
