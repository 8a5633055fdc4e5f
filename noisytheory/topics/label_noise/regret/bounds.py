r"""Regrets of a score in closed form, and what linear regret bounds."""

from __future__ import annotations

import numpy as np

from noisytheory.vocabulary.domains import (
    NONNEGATIVE,
    UNIT_INTERVAL,
    Domain,
    Numeric,
    requires,
)

__all__ = [
    "linear_regret",
    "misclassification_regret",
    "surrogate_regret",
    "surrogate_regret_with_zeros",
]

ETA = UNIT_INTERVAL.of("Probability of a positive label given the instance.")
SCORE = Domain(-1, 1, include_low=True, include_high=True, meaning="$f(x)$.")
ZERO = UNIT_INTERVAL.of(
    r"Loss of a zero score: 1 in print ($\ell_{01}(y,v)=[\![yv\le0]\!]$), 1/2 in the repair."
)
REGRET = NONNEGATIVE.of(r"$\mathrm{Regret}_{\rm linear}(P,f)$ over $f\in[-1,1]^X$.")
IDLE = UNIT_INTERVAL.of("$P(f(x)=0)$.")


@requires(eta=ETA, score=SCORE)
def linear_regret(eta: Numeric, score: Numeric) -> Numeric:
    r"""Regret of a score for linear loss, given the instance.

    $$c\,(1-sf),\qquad c=|1-2\eta|,\quad s=\mathrm{sign}(2\eta-1),$$
    over scores $f\in[-1,1]$, for $\ell(y,f)=1-yf$.

    Returns
    -------
    float or array
        In [0, 2].

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


@requires(eta=ETA, score=SCORE, zero=ZERO)
def misclassification_regret(eta: Numeric, score: Numeric, zero: Numeric = 1.0) -> Numeric:
    r"""Regret of a score for misclassification loss, given the instance.

    $$c\,[\![sf\le0]\!]\ \text{ if } f\ne0,\qquad z-\min(\eta,1-\eta)\ \text{ if } f=0,$$
    with $c=|1-2\eta|$, $s=\mathrm{sign}(2\eta-1)$ and $z$ the loss of a zero score.

    Returns
    -------
    float or array
        In [0, 1] if ``zero`` is at least 1/2.

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


@requires(regret=REGRET)
def surrogate_regret(regret: Numeric) -> Numeric:
    r"""Limit on the regret for misclassification loss, from that for linear loss, as printed.

    $$\mathrm{Regret}_{01}(P,f)\le\mathrm{Regret}_{\rm linear}(P,f).$$

    Returns
    -------
    float or array

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


@requires(regret=REGRET, idle=IDLE)
def surrogate_regret_with_zeros(regret: Numeric, idle: Numeric) -> Numeric:
    r"""Limit on the regret for misclassification loss where scores may be zero.

    $$\mathrm{Regret}_{01}(P,f)\le\mathrm{Regret}_{\rm linear}(P,f)+\tfrac12P(f=0).$$

    Returns
    -------
    float or array

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
