r"""What the paper promises, and what is true in its place: regret, second moments, queries.

Throughout $p>1$ is the sampling parameter, $B_w$ the squared radius of the ball, $B_x$ a bound on
$\mathbb E\|\tilde x\|^2$ (the clean instance and its noise together), $Q$ the kernel's series and
$\ell'_+$ the absolute majorant of the loss's derivative: ``kernel.at`` and ``loss.majorant``.
"""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np
from scipy import special

from noisytheory.vocabulary.domains import (
    COUNT,
    LEVEL,
    NONNEGATIVE,
    POSITIVE,
    REAL,
    SAMPLE_SIZE,
    Domain,
    Numeric,
    requires,
)

__all__ = [
    "absolute_majorant", "absolute_majorant_printed", "adaptive_regret", "all_blocks",
    "averaging_floor", "batch_excess", "best_approximation", "cap_probability", "certain",
    "expected_queries", "expected_queries_gaussian", "expected_samples", "gaussian_kernel",
    "general_regret", "gradient_second_moment", "gradient_second_moment_labels",
    "hinge_majorant_cramer", "hinge_majorant_printed", "hinge_majorant_shifted",
    "horizon_free_regret", "inner_products", "jump_bias", "linear_regret", "map_second_moment",
    "map_second_moment_gaussian", "map_second_moment_gaussian_printed",
    "noisy_exponential_kernel", "operations", "prod_calls", "query_tail", "radius_gaussian",
    "radius_gaussian_printed", "regret", "regret_gaussian", "regret_gaussian_printed",
    "regret_tail", "sample_tail", "scalar_second_moment", "smoothing_gap", "some_regret",
    "squared_radius", "tuning_free_regret", "two_copies_regret",
]

ABOVE_1 = Domain(1)
WHOLE = Domain(0, include_low=True, whole=True)


class Series(Protocol):
    """A kernel, seen as the function of the inner product."""

    def at(self, a: Any) -> Any:
        """$Q(a)$."""


class Majorised(Protocol):
    """A loss, seen as the majorant of its derivative."""

    def majorant(self, a: Any) -> Any:
        r"""$\ell'_+(a)$."""


@requires(p=ABOVE_1)
def expected_samples(p: Numeric) -> Numeric:
    r"""Expected number of samples of the estimator of Lemma 1, $\frac1{p-1}$.

    Parameters
    ----------
    p : float or array

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(expected_samples(3.0))
    0.5
    """
    return 1 / (p - 1)


@requires(z=WHOLE, p=ABOVE_1)
def sample_tail(z: Numeric, p: Numeric) -> Numeric:
    r"""Probability that the estimator of Lemma 1 takes at least z samples, $p^{-z}$.

    Parameters
    ----------
    z : int or array
        Whole; for other z the tail is that of the next whole number.
    p : float or array

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(sample_tail(3, 2.0))
    0.125
    """
    return p ** (-1.0 * z)


@requires(p=ABOVE_1, m=NONNEGATIVE)
def scalar_second_moment(p: Numeric, m: Numeric, loss: Majorised) -> Numeric:
    r"""Lemma 1: $\mathbb E\theta^2\le\frac p{p-1}f_+(\sqrt{p\,\mathbb EX^2})^2$.

    Parameters
    ----------
    p : float or array
    m : float or array
        $\mathbb EX^2$; of calls of different laws, the largest.
    loss : object with ``majorant``
        $f_+$.

    Returns
    -------
    float or array

    Notes
    -----
    The mean needs $f_+(\mathbb E|X|)<\infty$, the second moment $f_+(\sqrt{pm})<\infty$.

    Examples
    --------
    >>> from noisytheory.vocabulary.analytic import ExponentialLoss
    >>> round(float(scalar_second_moment(2.0, 1.25, ExponentialLoss())), 2)
    47.25
    """
    return p / (p - 1) * loss.majorant(np.sqrt(p * m)) ** 2


@requires(p=ABOVE_1, Bx=NONNEGATIVE)
def map_second_moment(p: Numeric, Bx: Numeric, kernel: Series) -> Numeric:
    r"""Lemma 3: $\mathbb E\|\tilde\Psi\|^2\le\frac p{p-1}Q(pB_x)$, attained for like calls.

    Parameters
    ----------
    p, Bx : float or array
    kernel : object with ``at``

    Returns
    -------
    float or array

    Examples
    --------
    >>> from noisytheory.vocabulary.dot_products import LinearProduct
    >>> float(map_second_moment(2.0, 1.0, LinearProduct()))
    4.0
    """
    return p / (p - 1) * kernel.at(p * Bx)


@requires(p=ABOVE_1, Bw=NONNEGATIVE, Bpsi=NONNEGATIVE, By=NONNEGATIVE)
def gradient_second_moment(
    p: Numeric, Bw: Numeric, Bpsi: Numeric, loss: Majorised, By: Numeric = 0.0
) -> Numeric:
    r"""Lemma 2: $\mathbb E\tilde g^2\le\frac p{p-1}\ell'_+(\sqrt p(\sqrt{B_wB_\Psi}+B_y))^2$.

    Parameters
    ----------
    p, Bw : float or array
    Bpsi : float or array
        Bound on $\mathbb E\|\tilde\Psi\|^2$.
    loss : object with ``majorant``
    By : float or array
        Bound on $|y|$ for a regression loss; print has none, which is 0.

    Returns
    -------
    float or array

    Examples
    --------
    >>> from noisytheory.vocabulary.analytic import SquaredLoss
    >>> round(float(gradient_second_moment(2.0, 1.0, 2.0, SquaredLoss(0.0))), 9)
    32.0
    """
    return p / (p - 1) * loss.majorant(np.sqrt(p) * (np.sqrt(Bw * Bpsi) + By)) ** 2


@requires(p=ABOVE_1, Bw=NONNEGATIVE, Bpsi=NONNEGATIVE, Blabel=NONNEGATIVE)
def gradient_second_moment_labels(
    p: Numeric, Bw: Numeric, Bpsi: Numeric, loss: Majorised, Blabel: Numeric
) -> Numeric:
    r"""Noisy labels: $\mathbb E\tilde g^2\le B\frac p{p-1}\ell'_+(\sqrt{pB_wB_\Psi B})^2$.

    With $n+1$ independent copies of the label and $B\ge\mathbb E\tilde y^2$.

    Parameters
    ----------
    p, Bw, Bpsi : float or array
    loss : object with ``majorant``
    Blabel : float or array
        Bound on $\mathbb E\tilde y^2$.

    Returns
    -------
    float or array

    Examples
    --------
    >>> from noisytheory.vocabulary.analytic import AffineLoss
    >>> float(gradient_second_moment_labels(2.0, 1.0, 1.0, AffineLoss(), 2.0))
    4.0
    """
    return Blabel * p / (p - 1) * loss.majorant(np.sqrt(p * Bw * Bpsi * Blabel)) ** 2


@requires(p=ABOVE_1, Bw=POSITIVE, Bx=NONNEGATIVE)
def squared_radius(p: Numeric, Bw: Numeric, Bx: Numeric, kernel: Series) -> Numeric:
    r"""Theorem 1: $u=B_w\big(\frac p{p-1}\big)^2Q(pB_x)$.

    Parameters
    ----------
    p, Bw, Bx : float or array
    kernel : object with ``at``

    Returns
    -------
    float or array

    Examples
    --------
    >>> from noisytheory.vocabulary.dot_products import LinearProduct
    >>> float(squared_radius(2.0, 1.0, 1.0, LinearProduct()))
    8.0
    """
    return Bw * (p / (p - 1)) ** 2 * kernel.at(p * Bx)


@requires(p=ABOVE_1, Bw=POSITIVE, Bx=NONNEGATIVE, sigma2=POSITIVE)
def radius_gaussian_printed(p: Numeric, Bw: Numeric, Bx: Numeric, sigma2: Numeric) -> Numeric:
    r"""Theorem 2 as printed: $u=B_w(\frac p{p-1})^3\exp((\sqrt pB_x+2p\sqrt{B_x})/\sigma^2)$.

    Parameters
    ----------
    p, Bw, Bx, sigma2 : float or array

    Returns
    -------
    float or array

    Notes
    -----
    False: it depends on the unit of $x$. See `radius_gaussian`.

    Examples
    --------
    >>> round(float(radius_gaussian_printed(2.0, 1.0, 1.0, 1.0)) / 2, 2)
    898.3
    """
    return Bw * (p / (p - 1)) ** 3 * np.exp((np.sqrt(p) * Bx + 2 * p * np.sqrt(Bx)) / sigma2)


@requires(p=ABOVE_1, Bw=POSITIVE, Bx=NONNEGATIVE, sigma2=POSITIVE)
def radius_gaussian(p: Numeric, Bw: Numeric, Bx: Numeric, sigma2: Numeric) -> Numeric:
    r"""Theorem 2 repaired: $u=B_w(\frac p{p-1})^3\exp(2(\sqrt p+p)B_x/\sigma^2)$.

    Parameters
    ----------
    p, Bw, Bx, sigma2 : float or array

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(radius_gaussian(2.0, 1.0, 1.0, 1.0)))
    7390
    """
    return Bw * (p / (p - 1)) ** 3 * np.exp(2 * (np.sqrt(p) + p) * Bx / sigma2)


@requires(p=ABOVE_1, Bx=NONNEGATIVE, sigma2=POSITIVE)
def map_second_moment_gaussian_printed(p: Numeric, Bx: Numeric, sigma2: Numeric) -> Numeric:
    r"""What the printed $u$ says of $\mathbb E\|\tilde\Psi\|^2$: $\frac{p-1}p\,u/B_w$.

    Parameters
    ----------
    p, Bx, sigma2 : float or array

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(map_second_moment_gaussian_printed(2.0, 1.0, 1.0)), 2)
    898.3
    """
    return (p - 1) / p * radius_gaussian_printed(p, 1.0, Bx, sigma2)


@requires(p=ABOVE_1, Bx=NONNEGATIVE, sigma2=POSITIVE)
def map_second_moment_gaussian(p: Numeric, Bx: Numeric, sigma2: Numeric) -> Numeric:
    r"""$\mathbb E\|\tilde\Psi\|^2\le(\frac p{p-1})^2\exp(2(\sqrt p+p)B_x/\sigma^2)$.

    Parameters
    ----------
    p, Bx, sigma2 : float or array

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(map_second_moment_gaussian(2.0, 1.0, 1.0)), 1)
    3694.9
    """
    return (p - 1) / p * radius_gaussian(p, 1.0, Bx, sigma2)


def _general(T: Numeric, Bw: Numeric, Bg: Numeric, Bpsi: Numeric) -> Numeric:
    return np.sqrt(Bw * Bg * Bpsi * T)


@requires(T=SAMPLE_SIZE, Bw=POSITIVE, Bg=NONNEGATIVE, Bpsi=NONNEGATIVE)
def general_regret(T: Numeric, Bw: Numeric, Bg: Numeric, Bpsi: Numeric) -> Numeric:
    r"""Theorem 4: regret $\le\sqrt{B_wB_gB_\Psi T}$ on a sequence fixed in advance.

    Parameters
    ----------
    T : int or array
        Rounds.
    Bw, Bg, Bpsi : float or array
        Squared radius, and bounds on $\mathbb E\tilde g^2$ and $\mathbb E\|\tilde\Psi\|^2$.

    Returns
    -------
    float or array

    Notes
    -----
    $\tilde g_t$ and $\tilde\Psi_t$ are to be independent given the past; print asks for
    independence of the past, which only affine losses have. See `adaptive_regret`.

    Examples
    --------
    >>> float(general_regret(100, 1.0, 1.0, 4.0))
    20.0
    """
    return _general(T, Bw, Bg, Bpsi)


@requires(T=SAMPLE_SIZE, Bw=POSITIVE, Bg=NONNEGATIVE, Bpsi=NONNEGATIVE)
def adaptive_regret(T: Numeric, Bw: Numeric, Bg: Numeric, Bpsi: Numeric) -> Numeric:
    r"""Against an adversary who sees the predictor: $2\sqrt{B_wB_gB_\Psi T}$.

    Parameters
    ----------
    T : int or array
    Bw, Bg, Bpsi : float or array

    Returns
    -------
    float or array

    Notes
    -----
    Ours. The comparator is random then, and costs as much again; against one fixed in advance
    `general_regret` holds.

    Examples
    --------
    >>> float(adaptive_regret(100, 1.0, 1.0, 4.0))
    40.0
    """
    return 2 * _general(T, Bw, Bg, Bpsi)


@requires(T=SAMPLE_SIZE, p=ABOVE_1, Bw=POSITIVE, Bx=NONNEGATIVE, By=NONNEGATIVE)
def regret(
    T: Numeric, p: Numeric, Bw: Numeric, Bx: Numeric, kernel: Series, loss: Majorised,
    By: Numeric = 0.0,
) -> Numeric:
    r"""Theorem 1: regret $\le\ell'_+(\sqrt{(p-1)u})\sqrt{uT}$.

    Parameters
    ----------
    T : int or array
        Rounds.
    p, Bw, Bx : float or array
    kernel, loss
        With ``at`` and ``majorant``.
    By : float or array
        Bound on $|y|$ for a regression loss: the majorant is then taken at
        $\sqrt{(p-1)u}+\sqrt pB_y$. Print has none.

    Returns
    -------
    float or array
        Infinite where a series is.

    Notes
    -----
    A sequence fixed in advance, a convex loss, independent calls with the instance as their mean.

    Examples
    --------
    >>> from noisytheory.vocabulary.analytic import ExponentialLoss
    >>> from noisytheory.vocabulary.dot_products import LinearProduct
    >>> round(float(regret(1, 2.0, 1.0, 2.0, LinearProduct(), ExponentialLoss())))
    218
    """
    u = squared_radius(p, Bw, Bx, kernel)
    return loss.majorant(np.sqrt((p - 1) * u) + np.sqrt(p) * By) * np.sqrt(u * T)


@requires(T=SAMPLE_SIZE, p=ABOVE_1, Bw=POSITIVE, Bx=NONNEGATIVE, sigma2=POSITIVE)
def regret_gaussian_printed(
    T: Numeric, p: Numeric, Bw: Numeric, Bx: Numeric, sigma2: Numeric, loss: Majorised
) -> Numeric:
    r"""Theorem 2 as printed: $\ell'_+(\sqrt{(p-1)u})\sqrt{uT}$ with the printed $u$.

    Parameters
    ----------
    T : int or array
    p, Bw, Bx, sigma2 : float or array
    loss : object with ``majorant``

    Returns
    -------
    float or array

    Examples
    --------
    >>> from noisytheory.vocabulary.analytic import AffineLoss
    >>> round(float(regret_gaussian_printed(200, 2.0, 1.0, 100.0, 100.0, AffineLoss())), 2)
    99.09
    """
    u = radius_gaussian_printed(p, Bw, Bx, sigma2)
    return loss.majorant(np.sqrt((p - 1) * u)) * np.sqrt(u * T)


@requires(T=SAMPLE_SIZE, p=ABOVE_1, Bw=POSITIVE, Bx=NONNEGATIVE, sigma2=POSITIVE)
def regret_gaussian(
    T: Numeric, p: Numeric, Bw: Numeric, Bx: Numeric, sigma2: Numeric, loss: Majorised
) -> Numeric:
    r"""Theorem 2 repaired: $\ell'_+(\sqrt{(p-1)u})\sqrt{uT}$ with the repaired $u$.

    Parameters
    ----------
    T : int or array
    p, Bw, Bx, sigma2 : float or array
    loss : object with ``majorant``

    Returns
    -------
    float or array

    Examples
    --------
    >>> from noisytheory.vocabulary.analytic import AffineLoss
    >>> round(float(regret_gaussian(200, 2.0, 1.0, 100.0, 100.0, AffineLoss())), 1)
    1215.7
    """
    u = radius_gaussian(p, Bw, Bx, sigma2)
    return loss.majorant(np.sqrt((p - 1) * u)) * np.sqrt(u * T)


@requires(T=SAMPLE_SIZE, c=REAL, Bw=POSITIVE, Bx=NONNEGATIVE)
def linear_regret(T: Numeric, c: Numeric, Bw: Numeric, Bx: Numeric) -> Numeric:
    r"""One noisy copy, linear kernel and loss $ca+b$: regret $\le|c|\sqrt{B_wB_xT}$.

    Parameters
    ----------
    T : int or array
    c, Bw, Bx : float or array

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(linear_regret(100, -1.0, 1.0, 4.0))
    20.0
    """
    return abs(c) * np.sqrt(Bw * Bx * T)


@requires(T=SAMPLE_SIZE, Bw=POSITIVE, Bx=NONNEGATIVE, By=NONNEGATIVE)
def two_copies_regret(T: Numeric, Bw: Numeric, Bx: Numeric, By: Numeric) -> Numeric:
    r"""Squared loss, linear kernel, two copies: $2(\sqrt{B_wB_x}+B_y)\sqrt{B_wB_xT}$.

    Parameters
    ----------
    T : int or array
    Bw, Bx, By : float or array

    Returns
    -------
    float or array

    Notes
    -----
    Ours; footnote 2 names the estimator only.

    Examples
    --------
    >>> float(two_copies_regret(100, 1.0, 4.0, 2.0))
    160.0
    """
    return 2 * (np.sqrt(Bw * Bx) + By) * np.sqrt(Bw * Bx * T)


@requires(T=SAMPLE_SIZE, Bw=POSITIVE, G=NONNEGATIVE, eta=POSITIVE)
def horizon_free_regret(T: Numeric, Bw: Numeric, G: Numeric, eta: Numeric) -> Numeric:
    r"""Steps $\eta/\sqrt t$, horizon unknown: $(\frac{2B_w}\eta+\eta G^2)\sqrt T$.

    Parameters
    ----------
    T : int or array
    Bw, eta : float or array
    G : float or array
        $G^2$ bounds $\mathbb E\|\tilde g\tilde\Psi\|^2$.

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(horizon_free_regret(100, 1.0, 1.0, 2.0))
    30.0
    """
    return (2 * Bw / eta + eta * G**2) * np.sqrt(T)


@requires(T=SAMPLE_SIZE, Bw=POSITIVE, Bg=NONNEGATIVE, Bpsi=NONNEGATIVE)
def tuning_free_regret(T: Numeric, Bw: Numeric, Bg: Numeric, Bpsi: Numeric) -> Numeric:
    r"""Steps $\sqrt{2B_w/\sum_s\|\tilde g_s\tilde\Psi_s\|^2}$: $2\sqrt2\sqrt{B_wB_gB_\Psi T}$.

    Parameters
    ----------
    T : int or array
    Bw, Bg, Bpsi : float or array

    Returns
    -------
    float or array

    Notes
    -----
    AdaGrad-norm. The right side may have the realised sum of squares in place of $B_gB_\Psi T$.

    Examples
    --------
    >>> round(float(tuning_free_regret(100, 1.0, 1.0, 1.0)), 2)
    28.28
    """
    return 2 * math.sqrt(2) * _general(T, Bw, Bg, Bpsi)


@requires(T=SAMPLE_SIZE, Bw=POSITIVE, Bg=NONNEGATIVE, Bpsi=NONNEGATIVE, delta=LEVEL)
def regret_tail(
    T: Numeric, Bw: Numeric, Bg: Numeric, Bpsi: Numeric, delta: Numeric
) -> Numeric:
    r"""A candidate for high probability: $\sqrt{B_wB_gB_\Psi T}\,(1+\sqrt{2\ln(1/\delta)})$.

    Parameters
    ----------
    T : int or array
    Bw, Bg, Bpsi : float or array
    delta : float or array

    Returns
    -------
    float or array

    Notes
    -----
    Ours, not proved.

    Examples
    --------
    >>> round(float(regret_tail(100, 1.0, 1.0, 1.0, 0.1)), 3)
    31.46
    """
    return _general(T, Bw, Bg, Bpsi) * (1 + np.sqrt(2 * np.log(1 / delta)))


@requires(T=SAMPLE_SIZE, Bw=POSITIVE, Bg=NONNEGATIVE, Bpsi=NONNEGATIVE)
def batch_excess(T: Numeric, Bw: Numeric, Bg: Numeric, Bpsi: Numeric) -> Numeric:
    r"""Excess risk of the averaged predictor: $\sqrt{B_wB_gB_\Psi/T}$.

    Parameters
    ----------
    T : int or array
    Bw, Bg, Bpsi : float or array

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(batch_excess(100, 1.0, 1.0, 4.0))
    0.2
    """
    return _general(T, Bw, Bg, Bpsi) / T


@requires(p=ABOVE_1)
def expected_queries(p: Numeric) -> Numeric:
    r"""Theorem 1: $\frac p{(p-1)^2}$ queries a round.

    Parameters
    ----------
    p : float or array

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(expected_queries(3.0))
    0.75
    """
    return p / (p - 1) ** 2


@requires(p=ABOVE_1)
def expected_queries_gaussian(p: Numeric) -> Numeric:
    r"""Theorem 2: $\frac{3p}{(p-1)^2}$ queries a round.

    Parameters
    ----------
    p : float or array

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(expected_queries_gaussian(3.0))
    2.25
    """
    return 3 * p / (p - 1) ** 2


@requires(z=WHOLE, p=ABOVE_1)
def query_tail(z: Numeric, p: Numeric) -> Numeric:
    r"""Probability of z or more queries in a round: exactly $\big(\frac p{p^2-p+1}\big)^z$.

    Parameters
    ----------
    z : int or array
    p : float or array

    Returns
    -------
    float or array

    Notes
    -----
    Ours; print says that it decays rapidly. Slower than $p^{-z}$, the tail of a single map.

    Examples
    --------
    >>> round(float(query_tail(5, 2.0)), 4)
    0.1317
    """
    return (p / (p**2 - p + 1)) ** (1.0 * z)


@requires(T=SAMPLE_SIZE, M=WHOLE, p=ABOVE_1)
def cap_probability(T: Numeric, M: Numeric, p: Numeric) -> Numeric:
    r"""Probability that some of T rounds wants more than M queries: $1-(1-r^{M+1})^T$.

    Parameters
    ----------
    T, M : int or array
    p : float or array

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(cap_probability(1, 0, 2.0)), 4)
    0.6667
    """
    r = p / (p**2 - p + 1)
    return -np.expm1(T * np.log1p(-(r ** (M + 1.0))))


@requires(T=SAMPLE_SIZE, p=ABOVE_1)
def prod_calls(T: Numeric, p: Numeric) -> Numeric:
    r"""Expected calls of Prod as printed: $\frac{T(T-1)}{2(p-1)}+\frac{T(T+1)(2T+1)}6$.

    Parameters
    ----------
    T : int or array
    p : float or array

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(prod_calls(80, 2.0))
    177040.0
    """
    return T * (T - 1) / (2 * (p - 1)) + T * (T + 1) * (2 * T + 1) / 6


@requires(T=SAMPLE_SIZE, p=ABOVE_1)
def inner_products(T: Numeric, p: Numeric) -> Numeric:
    r"""Expected inner products of estimates with incremental norms: quadratic in T.

    $$\frac{T(T-1)}{2(p-1)}+\frac{T(T+1)}2$$

    Parameters
    ----------
    T : int or array
    p : float or array

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(inner_products(80, 2.0)), round(float(prod_calls(80, 2.0)))
    (6400.0, 177040)
    """
    return T * (T - 1) / (2 * (p - 1)) + T * (T + 1) / 2


@requires(T=SAMPLE_SIZE, d=COUNT, p=ABOVE_1)
def operations(T: Numeric, d: Numeric, p: Numeric) -> Numeric:
    r"""Theorem 1's order with a constant: at most $\tfrac32T^3(1+\frac{dp}{(p-1)^2})$ operations.

    Parameters
    ----------
    T, d : int or array
    p : float or array

    Returns
    -------
    float or array

    Notes
    -----
    The constant is ours: d multiplications an inner product, one a call of Prod, and the queries.

    Examples
    --------
    >>> float(operations(10, 1, 2.0))
    4500.0
    """
    return 1.5 * T**3 * (1 + d * p / (p - 1) ** 2)


@requires(z=POSITIVE)
def absolute_majorant_printed(z: Numeric) -> Numeric:
    r"""Example 3 as printed: $\ell'_+\le\frac12+\frac{e^{z^2}-1}{z\sqrt\pi}$, $z=sa$.

    Parameters
    ----------
    z : float or array

    Returns
    -------
    float or array

    Notes
    -----
    False for $z>0.7918$: the majorant is $\mathrm{erfi}(z)$.

    Examples
    --------
    >>> round(float(absolute_majorant_printed(1.0)), 5)
    1.46944
    """
    return 0.5 + np.expm1(z**2) / (z * np.sqrt(np.pi))


@requires(z=POSITIVE)
def absolute_majorant(z: Numeric) -> Numeric:
    r"""Example 3 repaired: $\mathrm{erfi}(z)\le\frac2{z\sqrt\pi}(e^{z^2}-1)$.

    Parameters
    ----------
    z : float or array

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(absolute_majorant(1.0)), 5)
    1.93887
    """
    return 2 * np.expm1(z**2) / (z * np.sqrt(np.pi))


@requires(s=POSITIVE, a=POSITIVE)
def hinge_majorant_printed(s: Numeric, a: Numeric) -> Numeric:
    r"""Example 4 as printed: $\frac2{z\sqrt\pi}e^{z^2-1}$, $z=sa$.

    Parameters
    ----------
    s, a : float or array

    Returns
    -------
    float or array

    Notes
    -----
    False on an interval of $a$ for every $s$ tried.

    Examples
    --------
    >>> round(float(hinge_majorant_printed(1.0, 1.0)), 6)
    1.128379
    """
    z = s * a
    return 2 * np.exp(z**2 - 1) / (z * np.sqrt(np.pi))


@requires(s=POSITIVE, a=NONNEGATIVE)
def hinge_majorant_shifted(s: Numeric, a: Numeric) -> Numeric:
    r"""$\frac12(1+\mathrm{Erf}\,s)+\frac12[\mathrm{erfi}(s(1+a))-\mathrm{erfi}(s)]$.

    Parameters
    ----------
    s, a : float or array

    Returns
    -------
    float or array

    Notes
    -----
    Ours; tight for small $s$ only.

    Examples
    --------
    >>> round(float(hinge_majorant_shifted(1.0, 1.0)), 3)
    9.379
    """
    return (1 + special.erf(s)) / 2 + (special.erfi(s * (1 + a)) - special.erfi(s)) / 2


@requires(s=POSITIVE, a=NONNEGATIVE)
def hinge_majorant_cramer(s: Numeric, a: Numeric) -> Numeric:
    r"""$\frac{1+\mathrm{Erf}\,s}2+\frac{e^{-s^2/2}}{\sqrt\pi}\sum_{n\ge1}\frac{(sa)^n\sqrt{2^{n-1}(n-1)!}}{n!}$.

    Parameters
    ----------
    s, a : float or array

    Returns
    -------
    float or array

    Notes
    -----
    Ours, from Cramér's bound on Hermite functions with the constant 1 (Indritz 1961).

    Examples
    --------
    >>> round(float(hinge_majorant_cramer(1.0, 1.0)), 3)
    1.878
    """
    z = s * a
    term, total = z, z * 1.0
    for n in range(1, 400):
        term = term * z * np.sqrt(2 * n) / (n + 1)
        total = total + term
    return (1 + special.erf(s)) / 2 + np.exp(-(s**2) / 2) / np.sqrt(np.pi) * total


@requires(s=POSITIVE)
def smoothing_gap(s: Numeric) -> Numeric:
    r"""$\sup_a|A_s(a)-|a||=\frac1{s\sqrt\pi}$; half of it for the hinge.

    Parameters
    ----------
    s : float or array

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(smoothing_gap(1.0)), 4)
    0.5642
    """
    return 1 / (s * np.sqrt(np.pi))


@requires(m=COUNT, variance=NONNEGATIVE)
def averaging_floor(m: Numeric, variance: Numeric) -> Numeric:
    r"""Regret a round that the mean of m copies leaves, $(\frac{s^2/m}{1+s^2/m})^2$ at $x=y=1$.

    Parameters
    ----------
    m : int or array
        Copies averaged.
    variance : float or array
        $s^2$, of one copy.

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(averaging_floor(1, 1.0)), round(float(averaging_floor(2, 1.0)), 4)
    (0.25, 0.1111)
    """
    share = variance / m
    return (share / (1 + share)) ** 2


@requires(n=COUNT, J=NONNEGATIVE)
def jump_bias(n: Numeric, J: Numeric = 1.0) -> Numeric:
    r"""What a function that jumps by J costs every estimator from n samples: $J/2$, for every n.

    Parameters
    ----------
    n : int or array
    J : float or array

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(jump_bias(3))
    0.5
    """
    return J / 2 + 0 * n


@requires(n=COUNT)
def best_approximation(n: Numeric) -> Numeric:
    r"""$e^q$ on [0, 1] is at least $\frac{1}{2^{2n+1}(n+1)!}$ from every polynomial of degree n.

    Parameters
    ----------
    n : int or array

    Returns
    -------
    float or array

    Notes
    -----
    Bernstein's bound, with the smallest derivative 1.

    Examples
    --------
    >>> float(best_approximation(1))
    0.0625
    """
    return 2.0 ** (-2.0 * n - 1) / special.gamma(n + 2.0)


@requires(x=REAL, z=REAL, sigma2=POSITIVE)
def gaussian_kernel(x: Numeric, z: Numeric, sigma2: Numeric) -> Numeric:
    r"""$e^{-(x-z)^2/\sigma^2}$ on the line.

    Parameters
    ----------
    x, z, sigma2 : float or array

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(gaussian_kernel(1.0, 1.0, 2.0))
    1.0
    """
    return np.exp(-((x - z) ** 2) / sigma2)


@requires(x=REAL, z=REAL, s2=NONNEGATIVE)
def noisy_exponential_kernel(x: Numeric, z: Numeric, s2: Numeric) -> Numeric:
    r"""Mean of the exponential kernel at a copy with Gaussian noise: $e^{xz+s^2z^2/2}$.

    Parameters
    ----------
    x, z : float or array
    s2 : float or array
        Variance of the noise.

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(noisy_exponential_kernel(0.0, 1.0, 2.0)), 6)
    2.718282
    """
    return np.exp(x * z + s2 * z**2 / 2)


@requires(T=SAMPLE_SIZE)
def certain(T: Numeric) -> Numeric:
    """Probability 1, whatever the horizon.

    Parameters
    ----------
    T : int or array

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(certain(3))
    1.0
    """
    return 1 + 0 * T


@requires(low=REAL, high=REAL)
def some_regret(low: Numeric, high: Numeric) -> Numeric:
    """What counts as more than nothing: a millionth, on every set [low, high].

    Parameters
    ----------
    low, high : float or array

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(some_regret(0.0, 1.0))
    1e-06
    """
    return 1e-6 + 0 * low + 0 * high


@requires(K=SAMPLE_SIZE)
def all_blocks(K: Numeric) -> Numeric:
    r"""Chance that none of K blocks hurts, where each does with probability one half: $2^{-K}$.

    Parameters
    ----------
    K : int or array

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(all_blocks(3))
    0.125
    """
    return 0.5**K
