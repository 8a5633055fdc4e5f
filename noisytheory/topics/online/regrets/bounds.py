r"""What the paper promises of regret, and what is true in its place.

$p>1$ is the sampling parameter, $B_w$ the squared radius of the ball, $B_x$ a bound on
$\mathbb E\|\tilde x\|^2$ (the clean instance and its noise together), $Q$ the kernel's series and
$\ell'_+$ the absolute majorant of the loss's derivative: ``kernel.at`` and ``loss.majorant``.
"""

from __future__ import annotations

import math

import numpy as np

from noisytheory.topics.online.bounds import (
    ABOVE_1,
    BALL,
    ESTIMATE,
    GRADIENT,
    INSTANCE,
    LABEL,
    MAP,
    ROUNDS,
    WIDTH,
    Enveloped,
    Function,
    Majorised,
    finite,
    label_bound,
)
from noisytheory.topics.online.features.bounds import radius_gaussian, radius_gaussian_printed
from noisytheory.vocabulary.domains import (
    COUNT,
    NONNEGATIVE,
    POSITIVE,
    REAL,
    Numeric,
    one_of,
    requires,
)

__all__ = [
    "any_step_regret", "averaging_floor", "batch_excess", "doubling_regret", "general_regret",
    "horizon_free_regret", "linear_regret", "promised_regret", "regret", "regret_gaussian",
    "regret_gaussian_printed", "squared_radius", "tuning_free_regret", "two_copies_regret",
]


@requires(p=ABOVE_1, Bw=BALL, Bx=INSTANCE)
def squared_radius(p: Numeric, Bw: Numeric, Bx: Numeric, kernel: Function) -> Numeric:
    r"""Theorem 1: $u=B_w\big(\frac p{p-1}\big)^2Q(pB_x)$.

    Parameters
    ----------
    kernel : object with ``at``
        Of the Gaussian one, whose map has an envelope, this is `radius_gaussian`. Infinite where
        the series is.

    Returns
    -------
    float or array

    Examples
    --------
    >>> from noisytheory.vocabulary.dot_products import LinearProduct
    >>> float(squared_radius(2.0, 1.0, 1.0, LinearProduct()))
    8.0
    """
    if isinstance(kernel, Enveloped):
        return radius_gaussian(p, Bw, Bx, kernel.sigma2)
    with np.errstate(over="ignore"):
        return Bw * (p / (p - 1)) ** 2 * kernel.at(p * Bx)


def _general(T: Numeric, Bw: Numeric, Bg: Numeric, Bpsi: Numeric) -> Numeric:
    return np.sqrt(Bw * Bg * Bpsi * T)


@requires(T=ROUNDS, Bw=BALL, Bg=GRADIENT, Bpsi=MAP)
def general_regret(T: Numeric, Bw: Numeric, Bg: Numeric, Bpsi: Numeric) -> Numeric:
    r"""Theorem 4: regret $\le\sqrt{B_wB_gB_\Psi T}$ on a sequence fixed in advance.

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


@requires(
    T=ROUNDS, Bw=BALL, G=ESTIMATE, eta=POSITIVE.of(r"Steps are $\eta/\sqrt T$.")
)
def any_step_regret(T: Numeric, Bw: Numeric, G: Numeric, eta: Numeric) -> Numeric:
    r"""Theorem 4 with any step: regret $\le(\frac{B_w}{2\eta}+\frac{\eta G^2}2)\sqrt T$.

    Returns
    -------
    float or array

    Notes
    -----
    Ours, from the paper's proof: what a step costs that was tuned to another $G$. Smallest at
    $\eta=\sqrt{B_w}/G$, where it is `general_regret`. Given the past the estimates are unbiased.

    Examples
    --------
    >>> float(any_step_regret(100, 1.0, 2.0, 0.5)), float(any_step_regret(100, 1.0, 2.0, 1.0))
    (20.0, 25.0)
    """
    return (Bw / (2 * eta) + eta * G**2 / 2) * np.sqrt(T)


def _of_radius(T: Numeric, p: Numeric, u: Numeric, loss: Majorised, By: Numeric = 0) -> Numeric:
    """By the squared radius $u$ of what a score's estimate is made of."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = loss.majorant(np.sqrt((p - 1) * u) + np.sqrt(p) * By) * np.sqrt(u * T)
        # Infinite where the radius is, of a loss that is constant as well.
        return np.fmin(found, np.inf)


@requires(T=ROUNDS, p=ABOVE_1, Bw=BALL, Bx=INSTANCE, By=LABEL)
def regret(
    T: Numeric, p: Numeric, Bw: Numeric, Bx: Numeric, kernel: Function, loss: Majorised,
    By: Numeric | None = None,
) -> Numeric:
    r"""Theorem 1: regret $\le\ell'_+(\sqrt{(p-1)u})\sqrt{uT}$.

    Parameters
    ----------
    kernel, loss
        With ``at`` and ``majorant``; of the Gaussian kernel this is `regret_gaussian`.

    Returns
    -------
    float or array

    Raises
    ------
    ValueError
        Names the argument that is anything else; where a series is infinite, which, and the p that
        would do.

    Notes
    -----
    A sequence fixed in advance, a convex loss, independent calls with the instance as their mean.
    A regression loss has its majorant taken at $\sqrt{(p-1)u}+\sqrt pB_y$.

    Examples
    --------
    >>> from noisytheory.vocabulary.analytic import ExponentialLoss
    >>> from noisytheory.vocabulary.dot_products import LinearProduct
    >>> round(float(regret(1, 2.0, 1.0, 2.0, LinearProduct(), ExponentialLoss())))
    218
    """
    By = label_bound(By, loss)
    found = _of_radius(T, p, squared_radius(p, Bw, Bx, kernel), loss, By)
    return finite(found, p, Bw, Bx, kernel, loss, By)


@requires(T=ROUNDS, p=ABOVE_1, Bw=BALL, Bx=INSTANCE, sigma2=WIDTH)
def regret_gaussian_printed(
    T: Numeric, p: Numeric, Bw: Numeric, Bx: Numeric, sigma2: Numeric, loss: Majorised
) -> Numeric:
    r"""Theorem 2 as printed: $\ell'_+(\sqrt{(p-1)u})\sqrt{uT}$ with the printed $u$.

    Parameters
    ----------
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
    return _of_radius(T, p, u, loss)


@requires(T=ROUNDS, p=ABOVE_1, Bw=BALL, Bx=INSTANCE, sigma2=WIDTH, By=LABEL)
def regret_gaussian(
    T: Numeric, p: Numeric, Bw: Numeric, Bx: Numeric, sigma2: Numeric, loss: Majorised,
    By: Numeric | None = None,
) -> Numeric:
    r"""Theorem 2 repaired: $\ell'_+(\sqrt{(p-1)u})\sqrt{uT}$ with the repaired $u$.

    Parameters
    ----------
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
    By = label_bound(By, loss)
    found = _of_radius(T, p, radius_gaussian(p, Bw, Bx, sigma2), loss, By)
    return finite(found, p, Bw, Bx, None, loss, By)


@requires(T=ROUNDS, c=REAL.of("Slope of the loss."), Bw=BALL, Bx=INSTANCE)
def linear_regret(T: Numeric, c: Numeric, Bw: Numeric, Bx: Numeric) -> Numeric:
    r"""One noisy copy, linear kernel and loss $ca+b$: regret $\le|c|\sqrt{B_wB_xT}$.

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(linear_regret(100, -1.0, 1.0, 4.0))
    20.0
    """
    return abs(c) * np.sqrt(Bw * Bx * T)


@requires(T=ROUNDS, Bw=BALL, Bx=INSTANCE, By=LABEL)
def two_copies_regret(T: Numeric, Bw: Numeric, Bx: Numeric, By: Numeric) -> Numeric:
    r"""Squared loss, linear kernel, two copies: $2(\sqrt{B_wB_x}+B_y)\sqrt{B_wB_xT}$.

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


@requires(
    T=ROUNDS,
    Bw=BALL,
    G=ESTIMATE,
    eta=POSITIVE.of(r"Steps are $\eta/\sqrt t$."),
)
def horizon_free_regret(T: Numeric, Bw: Numeric, G: Numeric, eta: Numeric) -> Numeric:
    r"""Steps $\eta/\sqrt t$, horizon unknown: $(\frac{2B_w}\eta+\eta G^2)\sqrt T$.

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(horizon_free_regret(100, 1.0, 1.0, 2.0))
    30.0
    """
    return (2 * Bw / eta + eta * G**2) * np.sqrt(T)


@requires(T=ROUNDS, Bw=BALL, G=ESTIMATE)
def doubling_regret(T: Numeric, Bw: Numeric, G: Numeric) -> Numeric:
    r"""Starting again after 1, 2, 4, ... rounds: $\frac{\sqrt2}{\sqrt2-1}G\sqrt{B_wT}$.

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(doubling_regret(100, 1.0, 1.0)), 2)
    34.14
    """
    return math.sqrt(2) / (math.sqrt(2) - 1) * _general(T, Bw, G**2, 1.0)


@requires(T=ROUNDS, Bw=BALL, Bg=GRADIENT, Bpsi=MAP)
def tuning_free_regret(T: Numeric, Bw: Numeric, Bg: Numeric, Bpsi: Numeric) -> Numeric:
    r"""Steps $\sqrt{2B_w/\sum_s\|\tilde g_s\tilde\Psi_s\|^2}$: $2\sqrt2\sqrt{B_wB_gB_\Psi T}$.

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


STEPS = {"theory": 1.0, "adaptive": 2 * math.sqrt(2), "no horizon": 3.0}


@requires(T=ROUNDS, Bw=BALL, Bg=GRADIENT, Bpsi=MAP)
def promised_regret(
    T: Numeric, Bw: Numeric, Bg: Numeric, Bpsi: Numeric, step: str = "theory"
) -> Numeric:
    r"""What the learners' `regret_bound` says: $\sqrt{B_wB_gB_\Psi T}$ times 1, $2\sqrt2$ or 3.

    Parameters
    ----------
    step : {"theory", "adaptive", "no horizon"}
        As in `general_regret`, in `tuning_free_regret`, or in `horizon_free_regret` with the
        theory's $\eta$.

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(promised_regret(100, 1.0, 1.0, 4.0, "no horizon"))
    60.0
    """
    one_of("step", step, list(STEPS))
    return STEPS[step] * _general(T, Bw, Bg, Bpsi)


@requires(T=ROUNDS, Bw=BALL, Bg=GRADIENT, Bpsi=MAP)
def batch_excess(T: Numeric, Bw: Numeric, Bg: Numeric, Bpsi: Numeric) -> Numeric:
    r"""Excess risk of the averaged predictor: $\sqrt{B_wB_gB_\Psi/T}$.

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(batch_excess(100, 1.0, 1.0, 4.0))
    0.2
    """
    return _general(T, Bw, Bg, Bpsi) / T


@requires(m=COUNT.of("Copies averaged."), variance=NONNEGATIVE.of("Variance of one copy."))
def averaging_floor(m: Numeric, variance: Numeric) -> Numeric:
    r"""Regret a round that the mean of m copies leaves, $(\frac{s^2/m}{1+s^2/m})^2$ at $x=y=1$.

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
