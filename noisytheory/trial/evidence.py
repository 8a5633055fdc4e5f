r"""Replicates to evidence: e-processes, exact limits and resolutions, on plain NumPy arrays.

Every e-process here is a function of *additive* statistics (counts, or sums of log increments on a
fixed grid of bets), so evidence merges over blocks in any order, needs memory for one block only,
and may be looked at after any block: by Ville's inequality
:math:`\Pr[\sup_t E_t \ge 1/\alpha] \le \alpha` under the hypothesis that the e-process is against.
"""

from __future__ import annotations

import functools
from typing import Any, Literal

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
    "quantile_ranks",
    "rate_limits",
    "rate_resolution",
    "share_resolution",
    "variance_resolution",
    "violations_to_refute",
]

Side = Literal["above", "below"]
Floats = NDArray[np.float64]

BETS: Floats = 0.999 * np.exp2(-0.5 * np.arange(24))
"""Fractions of the largest admissible bet; the mixture over them is the wealth."""


def log_e_rate(successes: ArrayLike, draws: ArrayLike, level: ArrayLike, side: Side) -> Floats:
    r"""Log e-value of a truncated Beta mixture for a Bernoulli rate.

    ``side="above"`` is evidence against :math:`p\le\delta`, ``"below"`` against
    :math:`p\ge\delta`:

    .. math:: E = \int_A \Big(\frac q\delta\Big)^{s}\Big(\frac{1-q}{1-\delta}\Big)^{n-s}
              \frac{{\rm Beta}(q;\frac12,b)}{{\rm Beta}(A)}\,dq,\qquad
              A=[\delta,1],\ b=\tfrac1{2\delta}\ \text{or}\ A=[0,\delta],\ b=\tfrac12.

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
    mixture: the process is anytime-valid (Robbins 1970; Howard et al. 2021). The prior above is
    scaled to the level: at :math:`\delta=.001` a rate of :math:`2\delta` is refuted with a fifth
    fewer draws than under Jeffreys' prior, which spends its mass on rates near one half.

    Examples
    --------
    >>> float(log_e_rate(0, 0, 0.05, "above"))
    0.0
    >>> bool(log_e_rate(0, 400, 0.05, "below") > np.log(1000))
    True
    """
    s, n, delta = (np.asarray(x, float) for x in (successes, draws, level))
    half, other = 0.5, 0.5 / delta if side == "above" else 0.5
    a, b = s + half, n - s + other
    share = special.betaincc if side == "above" else special.betainc
    with np.errstate(divide="ignore", under="ignore"):
        # On underflow the e-value is 0 to rounding.
        log_mass, log_prior = np.log(share(a, b, delta)), np.log(share(half, other, delta))
    out = (
        special.betaln(a, b)
        + log_mass
        - special.betaln(half, other)
        - log_prior
        - s * np.log(delta)
        - (n - s) * np.log1p(-delta)
    )
    return np.where(n == 0, 0.0, out)


def bounded_bets(
    values: ArrayLike, mean: float, *, low: float = -np.inf, high: float = np.inf, side: Side,
    weights: Floats | None = None,
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
    weights : ndarray, shape (k,), optional
        How many draws each value stands for; by default one.

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
    room, centred = (mean - low, x - mean) if side == "above" else (high - mean, mean - x)
    if not np.isfinite(room):
        raise ValueError(f"a test of the mean from {side} needs a finite range")
    if room <= 0:
        # The mean on trial lies at or beyond the end of the range. Any draw strictly on the
        # far side is then proof; none can be evidence otherwise.
        return np.full(BETS.shape, np.inf if np.any(centred > 0) else 0.0)
    if x.size and (x.min() < low or x.max() > high):
        raise ValueError(
            f"values must lie in the declared range [{low:g}, {high:g}], got "
            f"[{x.min():g}, {x.max():g}]"
        )
    ratios = np.maximum(centred / room, -1.0)
    if x.size <= _FEW and weights is None:  # Of few draws the calls take the time.
        return np.asarray(np.log1p(BETS[:, None] * ratios).sum(axis=1))
    # Bet by bet, without a (draws, bets) array.
    return np.array([_sum(np.log1p(bet * ratios), weights) for bet in BETS])


_FEW = 512
"""Draws up to which all bets are computed at once."""


def _sum(values: Floats, weights: Floats | None) -> float:
    return float(values.sum() if weights is None else weights @ values)


def catoni_bets(
    values: ArrayLike, mean: float, variance: float, side: Side, weights: Floats | None = None
) -> Floats:
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
    weights : ndarray, shape (k,), optional
        How many draws each value stands for; by default one.

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
    draws = x.size if weights is None else weights.sum()
    size = np.abs(x)

    def grown(bet: Any) -> Floats:
        y = bet * size
        return np.asarray(np.copysign(np.log1p(y + y * y / 2), x))

    if x.size <= _FEW and weights is None:
        sums = grown(scale[:, None]).sum(axis=1)
    else:
        sums = np.array([_sum(grown(bet), weights) for bet in scale])
    return np.asarray(sums - draws * scale**2 * variance / 2)


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
    sums = np.asarray(sums, float)
    most = sums.max(axis=-1)
    with np.errstate(invalid="ignore", under="ignore"):
        wealth = np.exp(sums - most[..., None]).mean(axis=-1)
    return np.asarray(np.where(np.isinf(most), most, most + np.log(wealth)))


def rate_limits(
    successes: ArrayLike, draws: ArrayLike, confidence: float = 0.99
) -> tuple[Floats, Floats]:
    r"""Confidence sequence of a proportion: limits that hold at whatever time one stops.

    The rates :math:`p` that Jeffreys' mixture has not rejected,
    :math:`\int\big(\frac qp\big)^s\big(\frac{1-q}{1-p}\big)^{n-s}{\rm Beta}(q;\frac12,\frac12)dq
    <1/\alpha`.

    Parameters
    ----------
    successes, draws : array_like of int
        Counts; ``draws`` 0 gives the whole interval.
    confidence : float
        Two-sided coverage at all times together, a probability.

    Returns
    -------
    low, high : ndarray
        Probabilities.

    Examples
    --------
    >>> low, high = rate_limits(0, 100, 0.95)
    >>> float(low), round(float(high), 4)
    (0.0, 0.057)
    """
    s, n = np.broadcast_arrays(np.asarray(successes, float), np.asarray(draws, float))
    reach = special.betaln(s + 0.5, n - s + 0.5) - special.betaln(0.5, 0.5) + np.log(1 - confidence)
    best = np.divide(s, n, out=np.full(s.shape, 0.5), where=n > 0)

    def rejected(p: Floats) -> NDArray[np.bool_]:
        return np.asarray(reach - special.xlogy(s, p) - special.xlog1py(n - s, -p) > 0)

    ends = []
    for end in (0.0, 1.0):
        outside, inside = np.full(s.shape, end), best.copy()
        for _ in range(60):
            middle = (outside + inside) / 2
            out = rejected(middle)
            outside, inside = np.where(out, middle, outside), np.where(out, inside, middle)
        ends.append(np.where(rejected(np.full(s.shape, end)), outside, end))
    return ends[0], ends[1]


def mean_limits(
    values: ArrayLike, low: float = -np.inf, high: float = np.inf, confidence: float = 0.99
) -> tuple[float, float]:
    r"""Confidence sequence of a mean within its known range.

    Of an indicator that of its rate; else the predictable plug-in empirical Bernstein sequence
    (Waudby-Smith and Ramdas 2024, theorem 2), which needs both ends: without them nothing is known.

    Parameters
    ----------
    values : array_like, shape (k,)
        Independent draws within [low, high], in the order drawn.
    low, high : float
        A range that is known to hold; ends may be infinite.
    confidence : float
        Two-sided coverage at all times together, a probability.

    Returns
    -------
    low, high : float
        In the unit of the draws.

    Examples
    --------
    >>> round(mean_limits([0.0] * 100, 0.0, 1.0, 0.95)[1], 4)
    0.057
    >>> [round(end, 2) for end in mean_limits(np.tile([0.0, 0.5, 1.0], 400), 0.0, 1.0)]
    [0.43, 0.57]
    """
    x = np.asarray(values, float)
    width = high - low
    if not np.isfinite(width) or x.size == 0:
        return low, high
    if np.all((x == low) | (x == high)):
        ends = rate_limits(np.count_nonzero(x == high), x.size, confidence)
        share_low, share_high = (float(end) for end in ends)
        return low + width * share_low, low + width * share_high
    z, times = (x - low) / width, np.arange(1, x.size + 1)
    mean = (0.5 + np.cumsum(z)) / (times + 1)
    variance = (0.25 + np.cumsum((z - mean) ** 2)) / (times + 1)
    before = np.append(0.5, mean[:-1])
    spread = np.append(0.25, variance[:-1])
    reach = np.log(2 / (1 - confidence))
    bets = np.minimum(0.75, np.sqrt(2 * reach / (spread * times * np.log1p(times))))
    price = np.sum((z - before) ** 2 * (-np.log1p(-bets) - bets))
    centre, half = np.sum(bets * z) / bets.sum(), (reach + price) / bets.sum()
    share = max(0.0, float(centre - half)), min(1.0, float(centre + half))
    return low + width * share[0], low + width * share[1]


@functools.lru_cache(maxsize=4096)
def quantile_ranks(
    draws: int, probability: float, confidence: float = 0.99
) -> tuple[int, int, int]:
    """Ranks of a quantile in a sample, with limits that hold at whatever time one stops.

    A draw is within the limits unless the number of draws up to it refutes, by `log_e_rate`, that
    it is the quantile.

    Parameters
    ----------
    draws : int
        Independent draws, at least one.
    probability : float
        Which quantile, in (0, 1).
    confidence : float
        Two-sided coverage at all times together, a probability.

    Returns
    -------
    estimate, low, high : int
        Ranks from 1, of the smallest draw with at least ``probability`` of the sample at or below
        it and of the limits; 0, or ``draws + 1``, where the sample is too small to give an end.

    Examples
    --------
    >>> quantile_ranks(1000, 0.5, 0.95)
    (500, 443, 556)
    """
    reach = np.log(2 / (1 - confidence))
    probability = min(probability, 1 - 2**-53)  # Of 1 minus a tiny level.

    def crossing(side: Side) -> int:
        """Smallest count whose e-value from above crosses, or largest from below; else none."""
        low, high = (0, draws + 1) if side == "above" else (-1, draws)
        while low < high:
            middle = (low + high) // 2 if side == "above" else (low + high + 1) // 2
            known = 0 <= middle <= draws
            crosses = known and log_e_rate(middle, draws, probability, side) >= reach
            if side == "above":
                low, high = (low, middle) if crosses or middle > draws else (middle + 1, high)
            else:
                low, high = (middle, high) if crosses or middle < 0 else (low, middle - 1)
        return low

    # Fewer draws up to x than this refute that x has probability at least p below it, and so on.
    lower, upper = crossing("below") + 1, crossing("above")
    estimate = min(draws, max(1, int(np.ceil(probability * draws - 1e-9))))
    return estimate, lower, min(upper, draws + 1)


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
    76
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
    0.0466
    """
    needed = violations_to_refute(draws, level, log_threshold)
    if needed > draws:
        return np.inf
    return float(special.betaincinv(needed, draws - needed + 1, power)) - level


@functools.lru_cache(maxsize=4096)
def share_resolution(
    draws: int, level: float, log_threshold: float, power: float = 0.99
) -> float:
    r"""`rate_resolution` of the bets: the least favourable law of a mean within a known range.

    For a given mean the wealth of every bet grows slowest on the law that sits on both ends of the
    range (its logarithm is concave), where the number of draws at the upper end says all.

    Parameters
    ----------
    draws : int
        Replicates.
    level : float
        The promised mean as a share of the range, in [0, 1).
    log_threshold : float
        Log of the e-value that refutes.
    power : float
        Probability of a refutation.

    Returns
    -------
    float
        Excess of the mean, a share of the range; infinite if no mean would be refuted.

    Examples
    --------
    >>> round(share_resolution(1000, 0.05, np.log(100)), 4)
    0.0488
    """
    if draws == 0 or level >= 1:
        return np.inf
    if level <= 0:
        # A single draw off the end is proof.
        return float(1 - (1 - power) ** (1 / draws))
    gain, loss = np.log1p(BETS * (1 - level) / level), np.log1p(-BETS)
    low, high = 0, draws + 1
    while low < high:
        middle = (low + high) // 2
        wealth = log_e_bets(middle * gain + (draws - middle) * loss)
        low, high = (low, middle) if wealth >= log_threshold else (middle + 1, high)
    if low > draws:
        return np.inf
    return float(special.betaincinv(low, draws - low + 1, power)) - level


def variance_resolution(
    deviation: float, draws: int, log_threshold: float, power: float = 0.99
) -> float:
    r"""Excess of a mean that the bets of a known variance would have refuted, whatever the law.

    With probability ``power`` the logarithm of the wealth of bet :math:`\lambda` is at least
    :math:`n\lambda\Delta-n\lambda^2(v+\Delta^2/2)-\log\frac1{1-{\rm power}}`, by Catoni's bound
    from the other side.

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
        In the unit of the draws; infinite if no excess would do.

    Examples
    --------
    >>> round(variance_resolution(1.0, 10000, np.log(100)), 4)
    0.071
    """
    if draws == 0:
        return np.inf
    need = (log_threshold + np.log(len(BETS)) - np.log1p(-power)) / draws
    # For each bet (in units of the deviation) the smaller root of l D - l^2 (1 + D^2/2) = need.
    inside = 1 - 2 * (need + BETS**2)
    found = np.where(inside >= 0, (1 - np.sqrt(np.maximum(inside, 0))) / BETS, np.inf)
    return float(deviation * found.min())
