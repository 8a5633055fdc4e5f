"""What to choose before a run: the sampling parameter, laws of degrees, and the step."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, i0e

from noisytheory.topics.online.bounds import (
    ABOVE_1,
    BALL,
    EXTREMES,
    INSTANCE,
    LABEL,
    SPREAD,
    admissible_p,
    arguments,
    constants,
    finite,
    label_bound,
    lowest,
    price,
    squared_majorants,
)
from noisytheory.topics.online.degrees import DegreeLaw
from noisytheory.topics.online.estimators import importance_law
from noisytheory.topics.online.features.bounds import map_second_moment
from noisytheory.vocabulary.analytic import AnalyticLoss
from noisytheory.vocabulary.domains import NONNEGATIVE, POSITIVE, Numeric, requires
from noisytheory.vocabulary.dot_products import DotProduct, GaussianProduct

__all__ = ["best_p", "gaussian_map_moment", "importance_laws", "second_moments", "step"]

Floats = NDArray[np.float64]


def second_moments(
    p: float | None, Bw: float, Bx: float, kernel: DotProduct, loss: AnalyticLoss,
    By: float | None = None, *, coupled: bool = False,
) -> tuple[float, float]:
    r"""$B_\Psi$ and $B_g$ of the printed estimators, the coupled ones, or those of fixed degree.

    Parameters
    ----------
    p : float or None
        None: as many copies as the degrees of kernel and loss need, always; coupled.
    Bw, Bx, By : float
        Squared radius; bounds on $\mathbb E\|\tilde x\|^2$ and, for regression, on $|y|$.
    kernel, loss
    coupled : bool
        All degrees up to N from the same copies: no factor $\frac p{p-1}$ in either.

    Returns
    -------
    Bpsi, Bg : float
        Infinite where a series is, or where no floating-point number is as large.

    Notes
    -----
    The coupled gradient by Minkowski's inequality:
    $\|\tilde g\|_2\le\sum_n|\gamma_n|p^n\,p^{-n/2}r^n=\ell'_+(\sqrt p\,r)$.

    Examples
    --------
    >>> from noisytheory.vocabulary.analytic import SquaredLoss
    >>> from noisytheory.vocabulary.dot_products import LinearProduct
    >>> second_moments(None, 1.0, 1.0, LinearProduct(), SquaredLoss(0.0))
    (1.0, 4.0)
    """
    if p is None and isinstance(kernel, GaussianProduct):
        raise ValueError("p must be a number for the Gaussian kernel, which has every degree")
    if p is not None:
        ABOVE_1.number("p", p)
    By = constants(Bw, Bx, loss, By)
    Bpsi, reach = arguments(p, Bw, Bx, kernel, By, coupled)
    return Bpsi, price(p, coupled) * float(squared_majorants(loss, [reach])[0])


def gaussian_map_moment(p: float, Bx: float, tau: float, sigma2: float) -> float:
    r"""Exact $\mathbb E\|\tilde\Psi\|^2$ of the Gaussian map, of which Theorem 2 has a bound.

    $$\big(\tfrac p{p-1}\big)^2I_0\Big(\frac{2\sqrt{p\tau}}{\sigma^2}\Big)e^{2pB_x/\sigma^2}$$

    Parameters
    ----------
    p, sigma2 : float
    Bx : float
        $\mathbb E\|\tilde x\|^2$.
    tau : float
        $\|\mathbb E\tilde x\tilde x^\top\|_F^2$, the mean square of the product of two copies; at
        most the square of Bx, and that on the line.

    Returns
    -------
    float

    Examples
    --------
    >>> round(gaussian_map_moment(2.0, 1.0, 1.0, 1.0), 2)
    928.68
    """
    ABOVE_1.number("p", p)
    POSITIVE.number("sigma2", sigma2)
    NONNEGATIVE.number("Bx", Bx)
    if not 0 <= NONNEGATIVE.number("tau", tau) <= Bx**2 * (1 + 1e-12):
        raise ValueError(f"tau must be at most the square of Bx, {Bx**2:g}, got {tau:g}")
    at = 2 * math.sqrt(p * tau) / sigma2
    with np.errstate(over="ignore"):
        return float((p / (p - 1)) ** 2 * i0e(at) * np.exp(at + 2 * p * Bx / sigma2))


@dataclass(frozen=True)
class ImportanceLaws:
    """Laws of degrees that make second moments smallest, and what these are then.

    Parameters
    ----------
    maps, lengths : DegreeLaw
        Of the maps and of the gradient lengths.
    envelope : DegreeLaw or None
        Of the Gaussian kernel's envelope.
    Bpsi, Bg : float
    queries : float
        Expected copies a round.
    """

    maps: DegreeLaw
    lengths: DegreeLaw
    envelope: DegreeLaw | None
    Bpsi: float
    Bg: float
    queries: float


def importance_laws(
    Bw: float, Bx: float, kernel: DotProduct, loss: AnalyticLoss, By: float | None = None
) -> ImportanceLaws:
    r"""Laws of degrees, $\propto\sqrt{\beta_n}B_x^{n/2}$ and, of lengths, $\propto|\gamma_n|r^n$.

    $B_\Psi=(\sum_n\sqrt{\beta_n}B_x^{n/2})^2$ and $B_g=\ell'_+(r)^2$ with $r=\sqrt{B_wB_\Psi}+B_y$,
    the smallest that estimates of a single degree can have under these bounds.

    Parameters
    ----------
    Bw, Bx, By : float
        Squared radius; bounds on $\mathbb E\|\tilde x\|^2$ and, for regression, on $|y|$.
    kernel, loss

    Returns
    -------
    ImportanceLaws

    Raises
    ------
    ValueError
        If one of the two series is infinite.

    Examples
    --------
    >>> from noisytheory.vocabulary.analytic import AffineLoss
    >>> from noisytheory.vocabulary.dot_products import ExponentialProduct
    >>> best = importance_laws(1.0, 1.0, ExponentialProduct(), AffineLoss())
    >>> round(best.Bpsi, 2), round(second_moments(2.0, 1.0, 1.0, ExponentialProduct(),
    ...                                           AffineLoss())[0], 2), round(best.queries, 2)
    (12.04, 14.78, 1.53)
    """
    POSITIVE.number("Bx", Bx)
    By = constants(Bw, Bx, loss, By)
    count = SPREAD if kernel.degree is None else kernel.degree + 1
    root = np.sqrt(kernel.coefficients(count))
    terms = root * Bx ** (np.arange(count) / 2)
    if kernel.degree is None and not terms[-1] < 1e-12 * terms.max():
        raise ValueError(
            f"Bx must be smaller, got {Bx:g}: the sum of the roots of the terms of the kernel "
            f"{kernel.name} is infinite there"
        )
    maps, Bpsi = importance_law(root, Bx), float(terms.sum()) ** 2
    envelope = None
    queries = maps.mean
    if isinstance(kernel, GaussianProduct):
        # Of exp(-|x|^2 / sigma^2), from pairs of copies.
        n = np.arange(SPREAD)
        envelope = importance_law(np.exp(-gammaln(n + 1.0)), (Bx / kernel.sigma2) ** 2)
        with np.errstate(over="ignore"):
            Bpsi *= float(np.exp(2 * np.float64(Bx) / kernel.sigma2))
        queries += 2 * envelope.mean
    reach = math.sqrt(Bw * Bpsi) + By
    Bg = float(squared_majorants(loss, [reach])[0])
    if not math.isfinite(Bpsi):
        raise ValueError(
            f"Bx must be smaller, got {Bx:g}: the second moment of the map of the kernel "
            f"{kernel.name} is too large for a number"
        )
    if not math.isfinite(Bg):
        raise ValueError(
            f"Bw must be smaller, got {Bw:g}: the majorant of the loss {loss.name} is infinite at "
            f"{reach:g}"
        )
    count = SPREAD if loss.degree is None else loss.degree + 1
    lengths = importance_law(loss.coefficients(count), reach**2)
    return ImportanceLaws(maps, lengths, envelope, Bpsi, Bg, queries * (1 + lengths.mean))


@requires(p=ABOVE_1, Bw=BALL, Bx=INSTANCE, By=LABEL)
def step(
    p: Numeric, Bw: Numeric, Bx: Numeric, kernel: DotProduct, loss: AnalyticLoss,
    By: Numeric | None = None,
) -> Numeric:
    r"""Theorem 1: $\eta=\sqrt{B_w/(B_gB_\Psi)}=B_w/(\sqrt u\,\ell'_+(\sqrt{(p-1)u}))$.

    Parameters
    ----------
    kernel, loss
        With ``at`` and ``majorant``; of the Gaussian kernel by Theorem 2's $u$, repaired.

    Returns
    -------
    float or array

    Raises
    ------
    ValueError
        Names the argument that is anything else; where a series is infinite, which, and the p that
        would do.

    Examples
    --------
    >>> from noisytheory.vocabulary.analytic import AffineLoss
    >>> from noisytheory.vocabulary.dot_products import LinearProduct
    >>> round(float(step(2.0, 1.0, 1.0, LinearProduct(), AffineLoss())), 6)
    0.353553
    """
    By = label_bound(By, loss)
    Bpsi = map_second_moment(p, Bx, kernel)
    with np.errstate(over="ignore", invalid="ignore"):
        Bg = p / (p - 1) * loss.majorant(np.sqrt(p) * (np.sqrt(Bw * Bpsi) + By)) ** 2
        # Infinite where the map's is, of a loss that is constant as well.
        both = np.fmin(Bg * Bpsi, np.inf)
    return np.sqrt(Bw / finite(both, p, Bw, Bx, kernel, loss, By))


def best_p(
    Bw: float, Bx: float, kernel: DotProduct, loss: AnalyticLoss, By: float | None = None, *,
    budget: float | None = None,
) -> float:
    """The p with the smallest regret bound, if need be within a number of expected queries.

    Parameters
    ----------
    Bw, Bx, By : float
    kernel, loss
    budget : float, optional
        Expected queries a round.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the bound is infinite, or too large for a number, whatever p.

    Examples
    --------
    >>> from noisytheory.vocabulary.analytic import SquaredLoss
    >>> from noisytheory.vocabulary.dot_products import LinearProduct
    >>> round(best_p(1.0, 1.0, LinearProduct(), SquaredLoss(0.0)), 3)
    2.0
    """
    By = constants(Bw, Bx, loss, By)
    low, high = admissible_p(Bw, Bx, kernel, loss, By)
    low, high = max(low, 1 + EXTREMES[0]), min(high, 1e3)
    each = 3 if isinstance(kernel, GaussianProduct) else 1
    if budget is not None:
        POSITIVE.number("budget", budget)
        # Queries fall with p: each p / (p - 1)^2 = budget at the larger root.
        ratio = each / budget
        low = max(low, 1 + ratio / 2 + math.sqrt(ratio + ratio**2 / 4))
    if low >= high:
        raise ValueError(f"budget must allow some p below {high:g}, got {budget!r}")

    def size(logs: Floats) -> Floats:
        p = 1 + np.exp(logs)
        found = np.array([arguments(q, Bw, Bx, kernel, By, False) for q in p])
        with np.errstate(divide="ignore"):
            map_, length = np.log(found[:, 0]), np.log(squared_majorants(loss, found[:, 1]))
        return np.asarray(map_ + length + np.log(p / (p - 1)))

    grid = np.linspace(math.log(low - 1), math.log((high - 1) * (1 - 1e-9)), SPREAD)
    return 1 + math.exp(lowest(size, grid))
