"""What to expect of a run: copies, queries, and the first round whose bound says something."""

from __future__ import annotations

import math

import numpy as np

from noisytheory.topics.online.bounds import ABOVE_1, inadmissible, label_bound
from noisytheory.topics.online.planning import second_moments
from noisytheory.topics.online.queries.bounds import cap_probability_gaussian
from noisytheory.topics.online.regrets.bounds import general_regret
from noisytheory.vocabulary.analytic import AnalyticLoss
from noisytheory.vocabulary.domains import COUNT, LEVEL, NONNEGATIVE, POSITIVE
from noisytheory.vocabulary.dot_products import DotProduct

__all__ = ["copies_needed", "first_useful_round", "query_quantile", "trivial_regret"]


def copies_needed(kernel: DotProduct, loss: AnalyticLoss) -> int:
    r"""Copies of each instance that suffice always: $(1+\deg\ell')\deg Q$.

    Parameters
    ----------
    kernel, loss
        Polynomials both.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If either has no degree.

    Examples
    --------
    >>> from noisytheory.vocabulary.analytic import SquaredLoss
    >>> from noisytheory.vocabulary.dot_products import LinearProduct
    >>> copies_needed(LinearProduct(), SquaredLoss(0.0))
    2
    """
    if kernel.degree is None or loss.degree is None:
        which = kernel if kernel.degree is None else loss
        raise ValueError(
            f"{'kernel' if which is kernel else 'loss'} must be a polynomial for a fixed number "
            f"of copies, got {which.name}: others take a random number, with a p"
        )
    return (1 + loss.degree) * kernel.degree


def query_quantile(T: int, level: float, p: float, *, gaussian: bool = False) -> int:
    """What the largest number of queries over T rounds stays at or below, with this probability.

    Parameters
    ----------
    T : int
    level : float
        In (0, 1).
    p : float
        Above 1.
    gaussian : bool
        With the Gaussian kernel, whose maps take more.

    Returns
    -------
    int

    Examples
    --------
    >>> [query_quantile(T, 0.999, 2.0) for T in (10**2, 10**4, 10**6)]
    [28, 39, 51]
    """
    COUNT.number("T", T)
    LEVEL.number("level", level)
    ABOVE_1.number("p", p)
    r = p / (p**2 - p + 1)
    # P(max <= M) = (1 - r^(M + 1))^T
    needed = math.log(-math.expm1(math.log(level) / T)) / math.log(r) - 1
    found = max(0, math.ceil(needed - 1e-12))
    if not gaussian:
        return found
    # The tail is longer than the geometric one: the first power of two that is enough, then halves.
    low, high = found - 1, max(1, found)
    while cap_probability_gaussian(T, high, p) > 1 - level:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        enough = cap_probability_gaussian(T, middle, p) <= 1 - level
        low, high = (low, middle) if enough else (middle, high)
    return high


def trivial_regret(
    T: int, Bw: float, k: float, loss: AnalyticLoss, By: float | None = None
) -> float:
    r"""What regret cannot exceed: T times the range of the loss over $|a|\le\sqrt{B_wk(x,x)}$.

    Parameters
    ----------
    T : int
    Bw : float
    k : float
        Largest $k(x,x)$.
    loss : AnalyticLoss
    By : float
        Largest $|y|$ of a regression loss.

    Returns
    -------
    float

    Examples
    --------
    >>> from noisytheory.vocabulary.analytic import AffineLoss
    >>> trivial_regret(10, 1.0, 1.0, AffineLoss())
    20.0
    """
    COUNT.number("T", T)
    POSITIVE.number("Bw", Bw)
    NONNEGATIVE.number("k", k)
    By = NONNEGATIVE.number("By", label_bound(By, loss))
    radius = math.sqrt(Bw * k) + (By if loss.form == "regression" else 0.0)
    values = np.asarray(loss.at(np.linspace(-radius, radius, 2001)), float)
    return T * float(values.max() - values.min())


def first_useful_round(
    p: float, Bw: float, Bx: float, k: float, kernel: DotProduct, loss: AnalyticLoss,
    By: float | None = None,
) -> int:
    """The first T at which the regret bound is below what is true anyway.

    Parameters
    ----------
    p, Bw, Bx, By : float
    k : float
        Largest kernel value of an instance with itself.
    kernel, loss

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If the bound is infinite, or too large for a number; or if no loss differs from another.

    Examples
    --------
    >>> from noisytheory.vocabulary.analytic import AffineLoss
    >>> from noisytheory.vocabulary.dot_products import LinearProduct
    >>> first_useful_round(2.0, 1.0, 1.0, 1.0, LinearProduct(), AffineLoss())
    3
    """
    Bpsi, Bg = second_moments(p, Bw, Bx, kernel, loss, By)
    if not math.isfinite(Bpsi * Bg):
        raise ValueError(inadmissible(p, Bw, Bx, kernel, loss, label_bound(By, loss)))
    POSITIVE.number("k", k)
    anyway = trivial_regret(1, Bw, k, loss, By)
    if not anyway > 0:
        raise ValueError(f"loss must not be constant, got {loss.name}")
    ratio = float(general_regret(1, Bw, Bg, Bpsi)) / anyway
    return math.floor(ratio**2 * (1 + 1e-12)) + 1
