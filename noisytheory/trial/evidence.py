r"""Replicates to evidence: e-processes, exact limits and resolutions, on plain NumPy arrays.

Every e-process here is a function of *additive* statistics (counts, or sums of log increments on a
fixed grid of bets), so evidence merges over blocks in any order, needs memory for one block only,
and may be looked at after any block: by Ville's inequality
:math:`\Pr[\sup_t E_t \ge 1/\alpha] \le \alpha` under the hypothesis that the e-process is against.
"""

from __future__ import annotations

import functools
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

__all__ = [
    "BETS",
    "bounded_bets",
    "catoni_bets",
    "log_e_bets",
    "log_e_rate",
    "mean_limits",
    "mean_resolution",
    "proportion_limits",
    "quantile_limits",
    "rate_resolution",
    "sorted_quantile_limits",
    "violations_to_refute",
]

Side = Literal["above", "below"]
Floats = NDArray[np.float64]

BETS: Floats = 0.999 * np.exp2(-0.5 * np.arange(24))
"""Fractions of the largest admissible bet; the mixture over them is the wealth."""


def log_e_rate(successes: ArrayLike, draws: ArrayLike, level: ArrayLike, side: Side) -> Floats:
    r"""Log e-value of the truncated Jeffreys mixture for a Bernoulli rate.

    ``side="above"`` is evidence against :math:`p\le\delta`, ``"below"`` against
    :math:`p\ge\delta`:

    .. math:: E = \int_A \Big(\frac q\delta\Big)^{s}\Big(\frac{1-q}{1-\delta}\Big)^{n-s}
              \frac{{\rm Beta}(q;\frac12,\frac12)}{{\rm Beta}(A)}\,dq,\qquad
              A=[\delta,1]\ \text{or}\ [0,\delta].

    Parameters
    ----------
    successes, draws : array_like of int
        Violations seen and replicates drawn; they broadcast.
    level : array_like of float
        The probability :math:`\delta` in (0, 1) on trial.
    side : {"above", "below"}
        Which alternative collects the evidence.

    Returns
    -------
    ndarray
        :math:`\log E`, 0 before any draw.

    Notes
    -----
    For every :math:`q\ge\delta` the likelihood ratio is a supermartingale under all
    :math:`p\le\delta` (its conditional mean is monotone in p and 1 at :math:`\delta`), and so is a
    mixture: the process is anytime-valid (Robbins 1970; Howard et al. 2021).

    Examples
    --------
    >>> float(log_e_rate(0, 0, 0.05, "above"))
    0.0
    >>> bool(log_e_rate(0, 400, 0.05, "below") > np.log(1000))
    True
    """
    s, n, delta = (np.asarray(x, float) for x in (successes, draws, level))
    half = 0.5
    a, b = s + half, n - s + half
    log_mass, log_prior = (
        (_log_beta_tail(a, b, delta), _log_beta_tail(half, half, delta))
        if side == "above"
        else (_log_beta_tail(b, a, 1 - delta), _log_beta_tail(half, half, 1 - delta))
    )
    out = (
        special.betaln(a, b)
        + log_mass
        - special.betaln(half, half)
        - log_prior
        - s * np.log(delta)
        - (n - s) * np.log1p(-delta)
    )
    return np.where(n == 0, 0.0, out)


def _log_beta_tail(a: ArrayLike, b: ArrayLike, x: ArrayLike) -> Floats:
    """Log of Pr[Beta(a, b) >= x]; -inf on underflow, where the e-value is 0 to rounding."""
    with np.errstate(divide="ignore", under="ignore"):
        return np.asarray(np.log(special.betaincc(a, b, x)), float)


def bounded_bets(
    values: ArrayLike, mean: float, *, low: float = -np.inf, high: float = np.inf, side: Side
) -> Floats:
    r"""Sums of log increments of the betting supermartingale, one per bet in ``BETS``.

    Against :math:`\mathbb E L\le m` (``side="above"``, needs :math:`L\ge` ``low``):
    :math:`\sum_i\log(1+\lambda(L_i-m))`, :math:`\lambda\in[0,1/(m-{\rm low}))`; against
    :math:`\mathbb E L\ge m` (``"below"``, needs :math:`L\le` ``high``) with the sign turned.

    Parameters
    ----------
    values : array_like, shape (k,)
        Independent draws within [low, high].
    mean : float
        The value on trial.
    low, high : float
        A range that is known to hold, not estimated.
    side : {"above", "below"}
        Which alternative collects the evidence.

    Returns
    -------
    ndarray, shape (len(BETS),)
        Additive over draws; turn into evidence with `log_e_bets`.

    Raises
    ------
    ValueError
        If a draw leaves the declared range, or the range needed for the side is not finite.

    Examples
    --------
    >>> sums = bounded_bets([1.0, 1.0, 0.0], 0.5, low=0.0, side="above")
    >>> bool(np.allclose(sums, 2 * np.log1p(BETS) + np.log1p(-BETS)))
    True
    """
    x = np.asarray(values, float)
    slack = 1e-12 * max(1.0, abs(low) if np.isfinite(low) else 0.0)
    if x.size and (x.min() < low - slack or x.max() > high + slack):
        raise ValueError(
            f"values must lie in the declared range [{low:g}, {high:g}], got "
            f"[{x.min():g}, {x.max():g}]"
        )
    room, centred = (mean - low, x - mean) if side == "above" else (high - mean, mean - x)
    if not np.isfinite(room):
        raise ValueError(f"a test of the mean from {side} needs a finite range")
    if room <= 0:
        # The mean on trial lies at or beyond the end of the range. Any draw strictly on the
        # far side is then proof; none can be evidence otherwise.
        proof = np.inf if np.any(centred > slack) else 0.0
        return np.full(BETS.shape, proof)
    return _log1p_sums(centred / room)


def _log1p_sums(ratios: Floats) -> Floats:
    """Sum over draws of log(1 + bet * ratio), bet by bet, without a (draws, bets) array."""
    ratios = np.maximum(ratios, -1.0)
    return np.array([np.log1p(bet * ratios).sum() for bet in BETS])


def catoni_bets(values: ArrayLike, mean: float, variance: float, side: Side) -> Floats:
    r"""Sums of log increments of the Catoni supermartingale for an unbounded mean.

    :math:`\sum_i\phi(\lambda(L_i-m))-\lambda^2v/2` with
    :math:`\phi(x)=\pm\log(1\pm x+x^2/2)`: valid with an exactly known variance v and nothing else
    (Catoni 2012; Wang and Ramdas 2023).

    Parameters
    ----------
    values : array_like, shape (k,)
        Independent draws.
    mean : float
        The value on trial.
    variance : float
        The exact variance of one draw (an upper bound on it is enough).
    side : {"above", "below"}
        Which alternative collects the evidence.

    Returns
    -------
    ndarray, shape (len(BETS),)
        Additive over draws.

    Examples
    --------
    >>> float(catoni_bets([0.0], 0.0, 1.0, "above")[0])
    -0.4990005
    """
    x = np.asarray(values, float) - mean
    if side == "below":
        x = -x
    scale = BETS / np.sqrt(variance)
    out = np.empty(BETS.shape)
    for j, bet in enumerate(scale):
        y = np.abs(bet * x)
        out[j] = np.sum(np.sign(x) * np.log1p(y + y * y / 2)) - x.size * bet**2 * variance / 2
    return out


def log_e_bets(sums: ArrayLike) -> Floats:
    """Log of the average wealth over the bets (last axis).

    Parameters
    ----------
    sums : array_like, shape (..., len(BETS))
        Merged sums from `bounded_bets` or `catoni_bets`.

    Returns
    -------
    ndarray
        The log e-value, 0 before any draw.

    Examples
    --------
    >>> float(log_e_bets(np.zeros(24)))
    0.0
    """
    with np.errstate(invalid="ignore"):
        total = special.logsumexp(np.asarray(sums, float), axis=-1)
    return np.asarray(total - np.log(len(BETS)), float)


def proportion_limits(
    successes: ArrayLike, draws: ArrayLike, confidence: float = 0.99
) -> tuple[Floats, Floats]:
    """Clopper-Pearson limits of a proportion, for display (verdicts come from e-processes).

    Parameters
    ----------
    successes, draws : array_like of int
        Counts; ``draws`` 0 gives the whole interval.
    confidence : float
        Two-sided coverage, a probability.

    Returns
    -------
    low, high : ndarray
        Probabilities.

    Examples
    --------
    >>> low, high = proportion_limits(0, 100, 0.95)
    >>> float(low), round(float(high), 5)
    (0.0, 0.03622)
    """
    from statsmodels.stats.proportion import proportion_confint

    s, n = np.broadcast_arrays(np.asarray(successes), np.asarray(draws))
    low, high = proportion_confint(s, np.maximum(n, 1), alpha=1 - confidence, method="beta")
    low, high = np.asarray(low, float), np.asarray(high, float)
    return np.where(n > 0, low, 0.0), np.where(n > 0, high, 1.0)


def mean_limits(
    values: ArrayLike, low: float = -np.inf, high: float = np.inf, confidence: float = 0.99
) -> tuple[float, float]:
    """Limits of a mean, for display (verdicts come from e-processes), within the known range.

    Exact (Clopper-Pearson) where every draw lies at an end of a finite range, as an indicator does;
    else normal, cut off at the range.

    Parameters
    ----------
    values : array_like, shape (k,)
        Independent draws within [low, high].
    low, high : float
        A range that is known to hold; ends may be infinite.
    confidence : float
        Two-sided coverage, a probability.

    Returns
    -------
    low, high : float
        In the unit of the draws.

    Examples
    --------
    >>> round(mean_limits([0.0] * 100, 0.0, 1.0, 0.95)[1], 5)
    0.03622
    >>> mean_limits([0.0, 0.5, 1.0], 0.0, 1.0)
    (0.0, 1.0)
    """
    x = np.asarray(values, float)
    if np.isfinite(low) and np.isfinite(high) and np.all((x == low) | (x == high)):
        ends = proportion_limits(np.count_nonzero(x == high), x.size, confidence)
        share_low, share_high = (float(end) for end in ends)
        return low + (high - low) * share_low, low + (high - low) * share_high
    half = float(special.ndtri((1 + confidence) / 2) * x.std() / np.sqrt(x.size))
    return max(low, float(x.mean()) - half), min(high, float(x.mean()) + half)


def quantile_limits(
    values: ArrayLike, probability: float, confidence: float = 0.99
) -> tuple[float, float, float]:
    r"""Quantile of a sample with its distribution-free order-statistic interval.

    Parameters
    ----------
    values : array_like, shape (k,)
        Independent draws.
    probability : float
        Which quantile, in (0, 1).
    confidence : float
        Two-sided coverage, a probability.

    Returns
    -------
    estimate, low, high : float
        The smallest draw with at least ``probability`` of the sample at or below it, and the
        interval; an end that the sample is too small to give is infinite.

    Examples
    --------
    >>> quantile_limits(np.arange(1, 1001), 0.5, 0.95)
    (500.0, 469.0, 532.0)
    """
    x = np.sort(np.asarray(values, float))
    if x.size == 0:
        return np.nan, -np.inf, np.inf
    estimate, low, high = sorted_quantile_limits(x, probability, confidence)
    return float(estimate), float(low), float(high)


def sorted_quantile_limits(
    values: Floats, probability: float, confidence: float = 0.99
) -> tuple[Floats, Floats, Floats]:
    """`quantile_limits` of many samples of one size.

    Parameters
    ----------
    values : ndarray, shape (..., k)
        Independent draws, at least one in a sample, each sample sorted.
    probability, confidence : float
        As there.

    Returns
    -------
    estimate, low, high : ndarray, shape (...)

    Examples
    --------
    >>> estimate, _, _ = sorted_quantile_limits(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), 0.5)
    >>> estimate.tolist()
    [2.0, 5.0]
    """
    n = values.shape[-1]
    index, lower, upper = _quantile_ranks(n, probability, confidence)
    none = np.full(values.shape[:-1], np.inf)
    return (
        values[..., index - 1],
        values[..., lower - 1] if lower >= 1 else -none,
        values[..., upper - 1] if upper <= n else none,
    )


@functools.lru_cache(maxsize=4096)
def _quantile_ranks(n: int, probability: float, confidence: float) -> tuple[int, int, int]:
    """Ranks, from 1, of a quantile and its limits among n draws; 0 or n + 1 where there is none."""
    tail = (1 - confidence) / 2
    cdf = special.bdtr(np.arange(n + 1), n, probability)
    lower = int(np.searchsorted(cdf, tail, side="right"))
    upper = int(np.searchsorted(cdf, 1 - tail, side="left")) + 1
    return min(n, max(1, int(np.ceil(probability * n - 1e-9)))), lower, upper


@functools.lru_cache(maxsize=4096)
def violations_to_refute(draws: int, level: float, log_threshold: float) -> int:
    """Smallest number of violations whose e-value against ``p <= level`` reaches the threshold.

    Parameters
    ----------
    draws : int
        Replicates.
    level : float
        The probability on trial.
    log_threshold : float
        Log of the e-value that refutes.

    Returns
    -------
    int
        ``draws + 1`` where even violations only would not do.

    Examples
    --------
    >>> violations_to_refute(1000, 0.05, np.log(100))
    81
    """
    low, high = 0, draws + 1
    while low < high:
        middle = (low + high) // 2
        if middle > draws or log_e_rate(middle, draws, level, "above") >= log_threshold:
            high = middle
        else:
            low = middle + 1
    return low


@functools.lru_cache(maxsize=4096)
def rate_resolution(
    draws: int, level: float, log_threshold: float, power: float = 0.99
) -> float:
    r"""Smallest excess probability that these draws would have refuted with the given power.

    Parameters
    ----------
    draws : int
        Replicates.
    level : float
        The promised probability :math:`\delta`.
    log_threshold : float
        Log of the e-value that refutes.
    power : float
        Probability of a refutation.

    Returns
    -------
    float
        :math:`p-\delta` for the smallest such p; infinite if no p would do.

    Examples
    --------
    >>> round(rate_resolution(1000, 0.05, np.log(100)), 4)
    0.0522
    """
    needed = violations_to_refute(draws, level, log_threshold)
    if needed > draws:
        return np.inf
    return float(special.betaincinv(needed, draws - needed + 1, power)) - level


def mean_resolution(
    deviation: float, draws: int, log_threshold: float, power: float = 0.99
) -> float:
    """Excess of a mean that these draws would have refuted with about the given power.

    A normal approximation, used for the stated resolution only and never for a verdict.

    Parameters
    ----------
    deviation : float
        Standard deviation of one draw.
    draws : int
        Replicates.
    log_threshold : float
        Log of the e-value that refutes.
    power : float
        Probability of a refutation.

    Returns
    -------
    float
        In the unit of the draws.

    Examples
    --------
    >>> round(mean_resolution(1.0, 10000, np.log(100)), 4)
    0.0627
    """
    if draws == 0:
        return np.inf
    # The mixture over the grid of bets pays log(len(BETS)) for not knowing the best one.
    reach = np.sqrt(2 * (log_threshold + np.log(len(BETS)))) + special.ndtri(power)
    return float(reach * deviation / np.sqrt(draws))
