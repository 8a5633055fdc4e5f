r"""Aggregate losses: what is made of the individual losses of a sample.

The average top-k loss is the conditional value at risk (CVaR, expected shortfall, superquantile) of
the empirical law of the losses at tail mass $\nu=k/n$, and the worst mean over all reweightings of
the sample that no example may enter with more than $1/k$ (distributionally robust optimisation).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.vocabulary.domains import NONNEGATIVE, POSITIVE, REAL, checked_floats

__all__ = [
    "average_loss", "average_top_k", "checked_losses", "conjugate", "counted", "level",
    "masses_of", "maximum_loss", "spent", "tail_mass", "top_k_loss", "top_weights", "variational",
]

Floats = NDArray[np.float64]

SMALLEST = 1e-300
"""Tail mass below which quotients overflow."""
MOST = 1e300
"""Largest loss: sums of larger ones overflow."""
WHOLE = 1e-12
"""Relative distance from a whole number of examples, or from a mass, that is rounding."""


def tail_mass(k: float, n: float) -> float:
    r"""$\nu=k/n$ from a count (a whole number type) or a fraction (a float in (0, 1]).

    Parameters
    ----------
    k : int or float
        ``1`` is one example, the maximum; ``1.0`` is all of them, the average.
    n : float
        Number of examples, or the sum of their weights.

    Returns
    -------
    float
        In (0, 1].

    Raises
    ------
    ValueError
        If a count is below 1 or above n, or a fraction outside (0, 1].

    Examples
    --------
    >>> tail_mass(3, 12), tail_mass(0.25, 12)
    (0.25, 0.25)
    """
    n = POSITIVE.number("n", n)
    if isinstance(k, bool | np.bool_) or not isinstance(
            k, int | float | Fraction | np.number):
        raise ValueError(
            f"k must be a whole number in [1, {n:g}] or a fraction in (0, 1], got {k!r}")
    if isinstance(k, int | np.integer):
        # Weights that sum to all but k by rounding are k.
        if not 1 <= k <= n * (1 + WHOLE):
            raise ValueError(f"k must be a whole number in [1, {n:.12g}], got {k}")
        nu = min(float(k) / n, 1.0)
    elif not 0 < k <= 1:
        raise ValueError(f"k as a fraction must lie in (0, 1], got {k}; a count is a whole number")
    else:
        nu = float(k)
    if nu < SMALLEST:
        raise ValueError(f"k must be at least {SMALLEST:g} of n: what is divided by less "
                         f"overflows, got {nu:g}")
    return nu


def average_loss(losses: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
    """Mean of the losses along the last axis.

    Parameters
    ----------
    losses : array_like, shape (..., n)
    sample_weight : array_like, shape (n,), optional
        How often each loss counts.

    Returns
    -------
    float or array

    Raises
    ------
    ValueError
        If there is no loss, or one is not finite or beyond 1e300, or a weight is below 0.

    Examples
    --------
    >>> float(average_loss([0.3, 2.5, 1.1, 2.5, 0, 4.2, 1.1, 0.7]))
    1.55
    """
    values = checked_losses(losses)
    if sample_weight is None:
        return values.mean(axis=-1)
    return values @ masses_of(sample_weight, values.shape[-1])


def maximum_loss(losses: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
    """Largest of the losses along the last axis, of those with weight.

    Parameters
    ----------
    losses : array_like, shape (..., n)
    sample_weight : array_like, shape (n,), optional

    Returns
    -------
    float or array

    Raises
    ------
    ValueError
        If there is no loss, or one is not finite or beyond 1e300, or a weight is below 0.

    Examples
    --------
    >>> float(maximum_loss([0.3, 2.5, 1.1]))
    2.5
    """
    values = checked_losses(losses)
    return values[..., masses_of(sample_weight, values.shape[-1]) > 0].max(axis=-1)


def top_k_loss(losses: ArrayLike, k: float, sample_weight: ArrayLike | None = None) -> Any:
    r"""$\ell_{[k]}$, the k-th largest loss, the value at risk: not convex unless k = 1.

    Parameters
    ----------
    losses : array_like, shape (..., n)
    k : int or float
        Count, or fraction (rounded up to a count).
    sample_weight : array_like, shape (n,), optional
        How often each loss counts; then a count k is of weight.

    Returns
    -------
    float or array

    Raises
    ------
    ValueError
        If k leaves its range, a loss is not finite or beyond 1e300, or a weight is below 0.

    Examples
    --------
    >>> float(top_k_loss([0.3, 2.5, 1.1, 2.5, 0, 4.2, 1.1, 0.7], 3))
    2.5
    """
    values = checked_losses(losses)
    n = values.shape[-1]
    if sample_weight is not None:
        return level(values, k, sample_weight)[1]
    count, _ = _count(tail_mass(k, n) * n)
    return np.partition(values, n - count, axis=-1)[..., n - count]


def average_top_k(losses: ArrayLike, k: float, sample_weight: ArrayLike | None = None) -> Any:
    r"""Average of the k largest losses: $AT_k=\frac1k\sum_{i\le k}\ell_{[i]}$.

    It is the CVaR of the empirical law at tail mass $\nu=k/n$; as an estimate of the CVaR of the
    population it is too small on average. A fraction of an example counts with that share.

    Parameters
    ----------
    losses : array_like, shape (..., n)
    k : int or float
        Count in [1, n], or fraction in (0, 1].
    sample_weight : array_like, shape (n,), optional
        How often each loss counts; then a count k is of weight.

    Returns
    -------
    float or array

    Raises
    ------
    ValueError
        If k leaves its range, or a loss is not finite or beyond 1e300.

    Examples
    --------
    >>> round(float(average_top_k([0.3, 2.5, 1.1, 2.5, 0, 4.2, 1.1, 0.7], 3)), 7)
    3.0666667
    >>> float(average_top_k([4, 2], 1, sample_weight=[0.5, 0.5]))
    3.0
    """
    values = checked_losses(losses)
    n = values.shape[-1]
    if sample_weight is None:
        count, whole = _count(tail_mass(k, n) * n)
        if whole:
            cut = n - count
            top = np.partition(values, cut, axis=-1)[..., cut:] if cut else values
            return top.mean(axis=-1)
    q, total = counted(sample_weight, n)
    nu = tail_mass(k, total)
    return (values * spent(values, nu, q)).sum(axis=-1) / nu


def top_weights(
    losses: ArrayLike, k: float, sample_weight: ArrayLike | None = None
) -> Floats:
    r"""Weights of the worst reweighting: $0\le p_i\le q_i$, $\sum p_i=\frac kn$, on the largest.

    They are a subgradient of $\frac kn AT_k$ in the losses; $q_i$ is $\frac1n$, or the share of an
    example's weight. Among ties the first come first.

    Parameters
    ----------
    losses : array_like, shape (..., n)
    k : int or float
        Count in [1, n], or fraction in (0, 1].
    sample_weight : array_like, shape (n,), optional
        How often each loss counts; then a count k is of weight.

    Returns
    -------
    array, shape (..., n)

    Raises
    ------
    ValueError
        If k leaves its range, a loss is not finite, or a weight is below 0.

    Examples
    --------
    >>> top_weights([1.0, 3.0, 2.0, 0.0], 2).tolist()
    [0.0, 0.25, 0.25, 0.0]
    >>> top_weights([1.0, 3.0, 2.0, 0.0], 0.375).tolist()
    [0.0, 0.25, 0.125, 0.0]
    """
    values = checked_losses(losses)
    q, total = counted(sample_weight, values.shape[-1])
    return spent(values, tail_mass(k, total), q)


def spent(values: Floats, nu: float, q: Floats) -> Floats:
    r"""A mass $\nu$ on the largest losses, on none more than $q$."""
    order = np.argsort(-values, axis=-1, kind="stable")
    sorted_q = np.take_along_axis(np.broadcast_to(q, values.shape), order, axis=-1)
    # Not the sums less the own: beside a large mass a small tail would be rounding.
    before = np.zeros(values.shape)
    np.cumsum(sorted_q[..., :-1], axis=-1, out=before[..., 1:])
    out = np.empty(values.shape)
    np.put_along_axis(out, order, np.clip(nu - before, 0.0, sorted_q), axis=-1)
    return out


def level(
    losses: ArrayLike, k: float, sample_weight: ArrayLike | None = None
) -> tuple[Any, Any]:
    r"""All $\lambda$ that minimise $k\lambda+\sum[\ell_i-\lambda]_+$: $[\ell_{[k+1]},\ell_{[k]}]$.

    The value at risk. For k = n every $\lambda\le\ell_{[n]}$ is one; where a fraction is no whole
    count only $\ell_{[\lceil k\rceil]}$.

    Parameters
    ----------
    losses : array_like, shape (..., n)
    k : int or float
        Count in [1, n], or fraction in (0, 1].
    sample_weight : array_like, shape (n,), optional
        How often each loss counts; then a count k is of weight.

    Returns
    -------
    low, high : float or array

    Raises
    ------
    ValueError
        If k leaves its range, a loss is not finite or beyond 1e300, or a weight is below 0.

    Examples
    --------
    >>> [float(end) for end in level([4.0, 1.0, 2.0], 2)]
    [1.0, 2.0]
    >>> [float(end) for end in level([1.0, 2.0], 0.3)]
    [2.0, 2.0]
    """
    values = checked_losses(losses)
    n = values.shape[-1]
    if sample_weight is None:
        count, whole = _count(tail_mass(k, n) * n)
        ends = np.sort(values, axis=-1)[..., ::-1]
        high = ends[..., count - 1][()]
        if not whole:
            return high, high
        return (ends[..., count] if count < n else high - np.inf)[()], high
    q, total = counted(sample_weight, n)
    nu = tail_mass(k, total)
    order = np.argsort(-values, axis=-1, kind="stable")
    values = np.take_along_axis(values, order, axis=-1)
    reached = np.cumsum(q[order], axis=-1)
    # The mass above the tail begins with the first loss that is not, or not whole, in it.
    high = np.where(reached >= nu * (1 - WHOLE), values, -np.inf).max(axis=-1)
    low = np.where(reached > nu * (1 + WHOLE), values, -np.inf).max(axis=-1)
    # Rounding may leave the sum of all short of 1.
    return low, np.where(np.isfinite(high), high, values[..., -1])[()]


def _count(mass: float) -> tuple[int, bool]:
    """How many examples a tail holds, begun ones too, and whether it holds them whole."""
    count = round(mass)
    if count and abs(mass - count) <= WHOLE * count:
        return count, True
    return int(np.ceil(mass)), False


def variational(
    losses: ArrayLike, k: float, threshold: ArrayLike, sample_weight: ArrayLike | None = None
) -> Any:
    r"""$\frac1n\sum_i[\ell_i-\lambda]_++\frac kn\lambda$, at least $\frac kn AT_k$ (2).

    Parameters
    ----------
    losses : array_like, shape (..., n)
    k : int or float
    threshold : array_like
        $\lambda$, broadcast against the leading axes.
    sample_weight : array_like, shape (n,), optional

    Returns
    -------
    float or array

    Raises
    ------
    ValueError
        If k leaves its range, or a loss or the threshold is not finite.

    Examples
    --------
    >>> losses = [4.0, 1.0, 2.0]
    >>> float(variational(losses, 2, 2.0)), 2 / 3 * float(average_top_k(losses, 2))
    (2.0, 2.0)
    """
    values, at = checked_losses(losses), checked_floats("threshold", threshold)
    REAL.check("threshold", at)
    try:
        np.broadcast_shapes(values.shape[:-1], at.shape)
    except ValueError:
        raise ValueError(f"threshold must broadcast against the leading axes of losses, "
                         f"{values.shape[:-1]}, got shape {at.shape}") from None
    q, total = counted(sample_weight, values.shape[-1])
    return np.maximum(values - at[..., None], 0) @ q + tail_mass(k, total) * at


def conjugate(
    weights: ArrayLike, k: float, rounding: float = 1e-12, *,
    sample_weight: ArrayLike | None = None,
) -> Any:
    r"""Convex conjugate of $AT_k$: 0 on $\{0\le p_i\le\frac1k,\sum p_i=1\}$, else infinite.

    So $AT_k(\ell)=\max_p\langle p,\ell\rangle$ over that set: the worst mean over all laws with
    density at most $n/k$ with respect to the sample. With k = n and k = 1 it is that of the average
    and of the maximum. Where example i counts $v_i$ times its cap is $v_i/k$.

    Parameters
    ----------
    weights : array_like, shape (..., n)
        $p$.
    k : int or float
    rounding : float
        By how much the constraints may be missed.
    sample_weight : array_like, shape (n,), optional

    Returns
    -------
    float or array
        0 or infinity.

    Raises
    ------
    ValueError
        If k leaves its range, or a weight is not finite.

    Examples
    --------
    >>> float(conjugate([0.5, 0.5, 0.0], 2)), float(conjugate([0.6, 0.4, 0.0], 2))
    (0.0, inf)
    """
    p, rounding = checked_losses(weights, "weights"), NONNEGATIVE.number("rounding", rounding)
    q, total = counted(sample_weight, p.shape[-1])
    cap = q / tail_mass(k, total)
    inside = (p >= -rounding).all(-1) & (p <= cap + rounding).all(-1)
    return np.where(inside & (abs(p.sum(-1) - 1) <= rounding * p.shape[-1]), 0.0, np.inf)[()]


def checked_losses(losses: ArrayLike, name: str = "losses") -> Floats:
    """Losses, or weights of losses, along the last axis, or a ValueError."""
    values = checked_floats(name, losses)
    if values.ndim == 0 or values.shape[-1] == 0:
        raise ValueError(f"{name} must be an array with at least one entry, got {losses!r}")
    if not np.isfinite(values).all():
        raise ValueError(
            f"{name} must be finite, got {values[~np.isfinite(values)][0]:g} among them")
    if np.abs(values).max(initial=0.0) > MOST:
        raise ValueError(f"{name} must lie within +-{MOST:g}: sums of more overflow, "
                         f"got {max(values.flat, key=abs):g} among them")
    return values


def counted(sample_weight: ArrayLike | None, n: int) -> tuple[Floats, float]:
    """Masses of sum 1, and how many examples they stand for."""
    if sample_weight is None:
        return masses_of(None, n), float(n)
    return masses_of(sample_weight, n), float(np.sum(np.asarray(sample_weight, float)))


def checked_weights(sample_weight: ArrayLike, n: int) -> Floats:
    """Weights of a finite sum above 0, or a ValueError that says which is none."""
    weights = checked_floats("sample_weight", sample_weight)
    if weights.shape != (n,):
        raise ValueError(f"sample_weight must be {n} finite numbers >= 0, one for each example, "
                         f"got shape {weights.shape}")
    bad = weights[~(np.isfinite(weights) & (weights >= 0))]
    if bad.size:
        raise ValueError(f"sample_weight must be {n} finite numbers >= 0, got {bad[0]:g}")
    with np.errstate(over="ignore"):
        total = float(weights.sum())
    if not 0 < total < np.inf:
        raise ValueError(f"sample_weight must not be zero everywhere, and have a finite sum, "
                         f"got a sum of {total:g}")
    return weights


def masses_of(sample_weight: ArrayLike | None, n: int) -> Floats:
    """Weights as masses of sum 1, or a ValueError."""
    if sample_weight is None:
        return np.full(n, 1 / n)
    weights = checked_weights(sample_weight, n)
    return np.asarray(weights / weights.sum())
