r"""Label noise and contamination: what they do to the kernel mean, to risks, and to regrets.

The clean population is $P$ over $X\times\{-1,1\}$, its mean is $\Phi(P)=\mathbb E[y\phi(x)]$ with
$\|\phi(x)\|\le1$. $P_\sigma$ flips every label with probability $\sigma<\frac12$;
$\tilde P=(1-\sigma)P+\sigma Q$ replaces a share $\sigma$ of the population by another one.
"""

from __future__ import annotations

import numpy as np

from noisytheory.topics.kernel_mean import bounds as kernel_mean
from noisytheory.vocabulary.domains import (
    LEVEL,
    NOISE_RATE,
    NONNEGATIVE,
    REAL,
    SAMPLE_SIZE,
    UNIT_INTERVAL,
    Domain,
    Numeric,
    requires,
)

__all__ = [
    "contaminated_distance",
    "harmless_share",
    "harmless_share_sharp",
    "linear_regret",
    "misclassification_regret",
    "noisy_deviation",
    "noisy_deviation_repaired",
    "noisy_linear_risk",
    "noisy_minimax_radius",
    "noisy_score",
    "surrogate_regret",
    "surrogate_regret_with_zeros",
    "worst_score",
]

SCORE = Domain(-1, 1, include_low=True, include_high=True)
MARGIN = Domain(0, 1, include_high=True)


@requires(eta=UNIT_INTERVAL, score=SCORE)
def linear_regret(eta: Numeric, score: Numeric) -> Numeric:
    r"""Regret of a score for linear loss, given the instance.

    $$c\,(1-sf),\qquad c=|1-2\eta|,\quad s=\mathrm{sign}(2\eta-1),$$
    over scores $f\in[-1,1]$, for $\ell(y,f)=1-yf$.

    Parameters
    ----------
    eta : float or array
        Probability of a positive label given the instance, in [0, 1].
    score : float or array
        $f(x)$, in [-1, 1].

    Returns
    -------
    float or array
        In [0, 2].

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Notes
    -----
    *Sparse Robust Classification via the Kernel Mean*, proof of Lemma 3 (A.1). The regret of a
    classifier is the mean of this over instances.

    Examples
    --------
    >>> round(float(linear_regret(0.9, 0.0)), 12), round(float(linear_regret(0.9, -1.0)), 12)
    (0.8, 1.6)
    """
    return abs(1 - 2 * eta) - (2 * eta - 1) * score


@requires(eta=UNIT_INTERVAL, score=SCORE, zero=UNIT_INTERVAL)
def misclassification_regret(eta: Numeric, score: Numeric, zero: Numeric = 1.0) -> Numeric:
    r"""Regret of a score for misclassification loss, given the instance.

    $$c\,[\![sf\le0]\!]\ \text{ if } f\ne0,\qquad z-\min(\eta,1-\eta)\ \text{ if } f=0,$$
    with $c=|1-2\eta|$, $s=\mathrm{sign}(2\eta-1)$ and $z$ the loss of a zero score.

    Parameters
    ----------
    eta : float or array
        Probability of a positive label given the instance, in [0, 1].
    score : float or array
        $f(x)$, in [-1, 1].
    zero : float or array
        Loss of a zero score: 1 in print ($\ell_{01}(y,v)=[\![yv\le0]\!]$), 1/2 in the repair.

    Returns
    -------
    float or array
        In [0, 1] if ``zero`` is at least 1/2.

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Notes
    -----
    *Sparse Robust Classification via the Kernel Mean*, proof of Lemma 3 (A.1). Print has the first
    branch for every $f$; with its own loss, $[\![v\le0]\!]$, a zero score costs
    $\max(\eta,1-\eta)$ and not $c$, by which Lemma 3 fails.

    Examples
    --------
    >>> float(misclassification_regret(0.9, 0.0)), float(misclassification_regret(0.5, 0.0))
    (0.9, 0.5)
    >>> round(float(misclassification_regret(0.9, 0.0, zero=0.5)), 12)
    0.4
    """
    wrong = abs(1 - 2 * eta) * ((2 * eta - 1) * score < 0)
    at_zero = zero - np.minimum(eta, 1 - eta)
    return wrong * (score != 0) + at_zero * (score == 0)


@requires(regret=NONNEGATIVE)
def surrogate_regret(regret: Numeric) -> Numeric:
    r"""Limit on the regret for misclassification loss, from that for linear loss, as printed.

    $$\mathrm{Regret}_{01}(P,f)\le\mathrm{Regret}_{\rm linear}(P,f).$$

    Parameters
    ----------
    regret : float or array
        $\mathrm{Regret}_{\rm linear}(P,f)$ over $f\in[-1,1]^X$, at least 0.

    Returns
    -------
    float or array

    Raises
    ------
    ValueError
        If the regret is negative or NaN.

    Notes
    -----
    *Sparse Robust Classification via the Kernel Mean*, Lemma 3. False where $f(x)=0$ with positive
    probability and a zero score is an error for both labels; true if it counts one half, or if
    $f\ne0$ almost surely. See `surrogate_regret_with_zeros`.

    Examples
    --------
    >>> float(surrogate_regret(0.8))
    0.8
    """
    return regret


@requires(regret=NONNEGATIVE, idle=UNIT_INTERVAL)
def surrogate_regret_with_zeros(regret: Numeric, idle: Numeric) -> Numeric:
    r"""Limit on the regret for misclassification loss where scores may be zero.

    $$\mathrm{Regret}_{01}(P,f)\le\mathrm{Regret}_{\rm linear}(P,f)+\tfrac12P(f=0).$$

    Parameters
    ----------
    regret : float or array
        $\mathrm{Regret}_{\rm linear}(P,f)$ over $f\in[-1,1]^X$, at least 0.
    idle : float or array
        $P(f(x)=0)$, in [0, 1].

    Returns
    -------
    float or array

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Notes
    -----
    *Sparse Robust Classification via the Kernel Mean*, Lemma 3 repaired: at a zero score the two
    conditional regrets are $\frac{1+c}2$ and $c$, with $c=|1-2\eta|$.

    Examples
    --------
    >>> float(surrogate_regret_with_zeros(0.0, 1.0))
    0.5
    """
    return regret + idle / 2


@requires(score=REAL, sigma=NOISE_RATE)
def noisy_score(score: Numeric, sigma: Numeric) -> Numeric:
    r"""Score under the mean of $P_\sigma$, from the score under the mean of $P$.

    $$\langle\Phi(P_\sigma),\phi(x)\rangle=(1-2\sigma)\,\langle\Phi(P),\phi(x)\rangle,$$
    because $P_\sigma=(1-\sigma)P+\sigma P'$ with $\Phi(P')=-\Phi(P)$.

    Parameters
    ----------
    score : float or array
        $\langle\Phi(P),\phi(x)\rangle$.
    sigma : float or array
        Probability that a label is flipped, in [0, 1/2).

    Returns
    -------
    float or array

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Notes
    -----
    *Sparse Robust Classification via the Kernel Mean*, Section 4.3.1.

    Examples
    --------
    >>> float(noisy_score(0.5, 0.25))
    0.25
    """
    return (1 - 2 * sigma) * score


@requires(n=SAMPLE_SIZE, delta=LEVEL, sigma=NOISE_RATE)
def noisy_deviation(n: Numeric, delta: Numeric, sigma: Numeric) -> Numeric:
    r"""Error of the clean mean estimated from a noisy sample, as printed.

    $$\Big\|\Phi(P)-\tfrac1{1-2\sigma}\Phi(S)\Big\|\le\frac1{1-2\sigma}
    \left(\frac2{\sqrt n}+\sqrt{\frac{2\log(1/\delta)}n}\right)$$
    with probability at least $1-\delta$ over $n$ independent draws from $P_\sigma$.

    Parameters
    ----------
    n : int or array
        Sample size, at least 1.
    delta : float or array
        Probability that the bound fails, in (0, 1).
    sigma : float or array
        Probability that a label is flipped, in [0, 1/2).

    Returns
    -------
    float or array
        RKHS norm.

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Notes
    -----
    *Sparse Robust Classification via the Kernel Mean*, Lemma 9. Hypothesis: $\|\phi(x)\|\le1$.
    True and loose: see `noisy_deviation_repaired`.

    Examples
    --------
    >>> round(float(noisy_deviation(100, 0.05, 0.45)), 4)
    4.4477
    """
    return kernel_mean.mean_deviation(n, delta) / (1 - 2 * sigma)


@requires(n=SAMPLE_SIZE, delta=LEVEL, sigma=NOISE_RATE, norm=UNIT_INTERVAL)
def noisy_deviation_repaired(
    n: Numeric, delta: Numeric, sigma: Numeric, norm: Numeric = 0.0
) -> Numeric:
    r"""Error of the clean mean estimated from a noisy sample, with the variance that it has.

    $$\Big\|\Phi(P)-\tfrac1{1-2\sigma}\Phi(S)\Big\|\le\frac1{1-2\sigma}
    \left(\sqrt{\frac{1-(1-2\sigma)^2\|\Phi(P)\|^2}n}+\sqrt{\frac{2\log(1/\delta)}n}\right)$$
    with probability at least $1-\delta$ over $n$ independent draws from $P_\sigma$.

    Parameters
    ----------
    n : int or array
        Sample size, at least 1.
    delta : float or array
        Probability that the bound fails, in (0, 1).
    sigma : float or array
        Probability that a label is flipped, in [0, 1/2).
    norm : float or array
        $\|\Phi(P)\|$ of the clean mean, in [0, 1]; 0, the worst case, if it is not known.

    Returns
    -------
    float or array
        RKHS norm.

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Notes
    -----
    *Sparse Robust Classification via the Kernel Mean*, Lemma 9 with its own proof, which bounds
    $\mathbb E\|y\phi(x)-\Phi(P_\sigma)\|^2$ by 4; it is at most $1-\|\Phi(P_\sigma)\|^2$.

    Examples
    --------
    >>> round(float(noisy_deviation_repaired(100, 0.05, 0.45)), 4)
    3.4477
    >>> round(float(noisy_deviation_repaired(100, 0.05, 0.0, norm=0.6)), 4)
    0.3248
    """
    visible = 1 - 2 * sigma
    return kernel_mean.mean_deviation_repaired(n, delta, visible * norm) / visible


@requires(n=SAMPLE_SIZE, sigma=NOISE_RATE)
def noisy_minimax_radius(n: Numeric, sigma: Numeric) -> Numeric:
    r"""Error that no estimator of the clean mean avoids: $\frac1{2\sqrt n\,(1-2\sigma)}$.

    Parameters
    ----------
    n : int or array
        Sample size, at least 1.
    sigma : float or array
        Probability that a label is flipped, in [0, 1/2).

    Returns
    -------
    float or array
        RKHS norm. The construction needs it to be at most 1.

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Notes
    -----
    The lower bound "of the same form" as Lemma 9 (*Sparse Robust Classification via the Kernel
    Mean*, Section 4.3.1): two populations on one axis with means $\pm$ this radius look, through
    the noise, like means $\pm\frac1{2\sqrt n}$, so the probability of so large an error is that
    of `noisytheory.kernel_mean.minimax_probability`.

    Examples
    --------
    >>> round(float(noisy_minimax_radius(100, 0.45)), 12)
    0.5
    """
    return 1 / (2 * np.sqrt(n) * (1 - 2 * sigma))


@requires(distance=NONNEGATIVE, sigma=UNIT_INTERVAL)
def contaminated_distance(distance: Numeric, sigma: Numeric) -> Numeric:
    r"""How far contamination moves the mean.

    $$\|\Phi(P)-\Phi(\tilde P)\|=\sigma\,\|\Phi(P)-\Phi(Q)\|.$$

    Parameters
    ----------
    distance : float or array
        $\|\Phi(P)-\Phi(Q)\|$, at least 0 (never above 2).
    sigma : float or array
        Share of $Q$ in $\tilde P$, in [0, 1].

    Returns
    -------
    float or array
        RKHS norm.

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Notes
    -----
    *Sparse Robust Classification via the Kernel Mean*, Section 4.2.

    Examples
    --------
    >>> round(float(contaminated_distance(1.35, 0.1)), 12)
    0.135
    """
    return sigma * distance


@requires(margin=MARGIN, sigma=UNIT_INTERVAL)
def worst_score(margin: Numeric, sigma: Numeric) -> Numeric:
    r"""Lowest score that contamination can leave a correctly classified point with.

    $$\min_Q\ y\,\langle\Phi(\tilde P),\phi(x)\rangle=(1-\sigma)\,\Gamma-\sigma$$
    for a point of margin $\Gamma=y\langle\Phi(P),\phi(x)\rangle$ and $\|\phi(x)\|=1$; attained by
    the point itself with its label flipped.

    Parameters
    ----------
    margin : float or array
        $\Gamma$, in (0, 1].
    sigma : float or array
        Share of $Q$ in $\tilde P$, in [0, 1].

    Returns
    -------
    float or array
        At or below 0 the point is lost.

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Examples
    --------
    >>> float(worst_score(0.5, 0.25))
    0.125
    """
    return (1 - sigma) * margin - sigma


@requires(margin=MARGIN)
def harmless_share(margin: Numeric) -> Numeric:
    r"""Share below which no contamination costs a correctly classified point, as printed.

    $$\sigma<\Gamma/2.$$

    Parameters
    ----------
    margin : float or array
        Margin for error $\Gamma(P,\Phi(P))$, in (0, 1] as features have norm at most 1.

    Returns
    -------
    float or array
        Share of $Q$ in $\tilde P$.

    Raises
    ------
    ValueError
        If the margin is not in (0, 1].

    Notes
    -----
    *Sparse Robust Classification via the Kernel Mean*, after Corollary 8. Not sharp: see
    `harmless_share_sharp`.

    Examples
    --------
    >>> float(harmless_share(0.5))
    0.25
    """
    return margin / 2


@requires(margin=MARGIN)
def harmless_share_sharp(margin: Numeric) -> Numeric:
    r"""Share below which, and only below which, no contamination costs a correct point.

    $$\sigma<\frac\Gamma{1+\Gamma},$$
    where `worst_score` vanishes.

    Parameters
    ----------
    margin : float or array
        Margin for error $\Gamma(P,\Phi(P))$, in (0, 1] as features have norm at most 1.

    Returns
    -------
    float or array
        Share of $Q$ in $\tilde P$, at least `harmless_share` since $\Gamma\le1$.

    Raises
    ------
    ValueError
        If the margin is not in (0, 1].

    Notes
    -----
    Not in the paper. Below this share the result needs only $\|\phi\|\le1$; for the converse the
    weakest correct point must have $\|\phi(x)\|=1$.

    Examples
    --------
    >>> round(float(harmless_share_sharp(0.5)), 6)
    0.333333
    """
    return margin / (1 + margin)


@requires(risk=REAL, sigma=NOISE_RATE)
def noisy_linear_risk(risk: Numeric, sigma: Numeric) -> Numeric:
    r"""Linear risk of a classifier on $P_\sigma$, from its risk on $P$.

    $$1-\mathrm{Risk}_{\rm linear}(P_\sigma,f)=(1-2\sigma)\,(1-\mathrm{Risk}_{\rm linear}(P,f)),$$
    for every $f:X\to\mathbb R$, so that every class has the same minimisers on both.

    Parameters
    ----------
    risk : float or array
        $\mathrm{Risk}_{\rm linear}(P,f)=1-\mathbb E[yf(x)]$.
    sigma : float or array
        Probability that a label is flipped, in [0, 1/2).

    Returns
    -------
    float or array

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Notes
    -----
    *Sparse Robust Classification via the Kernel Mean*, Section 4.3.3.

    Examples
    --------
    >>> float(noisy_linear_risk(0.5, 0.25))
    0.75
    """
    return 1 - (1 - 2 * sigma) * (1 - risk)
