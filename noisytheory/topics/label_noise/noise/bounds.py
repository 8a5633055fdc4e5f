r"""What label noise does to the mean, its estimate and linear risk.

$P_\sigma$ flips every label of $P$ with probability $\sigma<\frac12$.
"""

from __future__ import annotations

import numpy as np

from noisytheory.topics.kernel_mean.deviation import bounds as kernel_mean
from noisytheory.vocabulary.domains import (
    LEVEL,
    NOISE_RATE,
    REAL,
    SAMPLE_SIZE,
    UNIT_INTERVAL,
    Numeric,
    requires,
)

__all__ = [
    "noisy_deviation",
    "noisy_deviation_repaired",
    "noisy_linear_risk",
    "noisy_minimax_radius",
    "noisy_score",
]

SCORE = REAL.of(r"$\langle\Phi(P),\phi(x)\rangle$.")
NORM = UNIT_INTERVAL.of(r"$\|\Phi(P)\|$ of the clean mean; 0, the worst case, if it is not known.")
RISK = REAL.of(r"$\mathrm{Risk}_{\rm linear}(P,f)=1-\mathbb E[yf(x)]$.")


@requires(score=SCORE, sigma=NOISE_RATE)
def noisy_score(score: Numeric, sigma: Numeric) -> Numeric:
    r"""Score under the mean of $P_\sigma$, from the score under the mean of $P$.

    $$\langle\Phi(P_\sigma),\phi(x)\rangle=(1-2\sigma)\,\langle\Phi(P),\phi(x)\rangle,$$
    because $P_\sigma=(1-\sigma)P+\sigma P'$ with $\Phi(P')=-\Phi(P)$.

    Returns
    -------
    float or array

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

    Returns
    -------
    float or array
        RKHS norm.

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


@requires(n=SAMPLE_SIZE, delta=LEVEL, sigma=NOISE_RATE, norm=NORM)
def noisy_deviation_repaired(
    n: Numeric, delta: Numeric, sigma: Numeric, norm: Numeric = 0.0
) -> Numeric:
    r"""Error of the clean mean estimated from a noisy sample, with the variance that it has.

    $$\Big\|\Phi(P)-\tfrac1{1-2\sigma}\Phi(S)\Big\|\le\frac1{1-2\sigma}
    \left(\sqrt{\frac{1-(1-2\sigma)^2\|\Phi(P)\|^2}n}+\sqrt{\frac{2\log(1/\delta)}n}\right)$$
    with probability at least $1-\delta$ over $n$ independent draws from $P_\sigma$.

    Returns
    -------
    float or array
        RKHS norm.

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

    Returns
    -------
    float or array
        RKHS norm. The construction needs it to be at most 1.

    Notes
    -----
    The lower bound "of the same form" as Lemma 9 (*Sparse Robust Classification via the Kernel
    Mean*, Section 4.3.1): two populations on one axis with means $\pm$ this radius look, through
    the noise, like means $\pm\frac1{2\sqrt n}$, so the probability of so large an error is that
    of `nt.kernel_mean.minimax_probability`.

    Examples
    --------
    >>> round(float(noisy_minimax_radius(100, 0.45)), 12)
    0.5
    """
    return 1 / (2 * np.sqrt(n) * (1 - 2 * sigma))


@requires(risk=RISK, sigma=NOISE_RATE)
def noisy_linear_risk(risk: Numeric, sigma: Numeric) -> Numeric:
    r"""Linear risk of a classifier on $P_\sigma$, from its risk on $P$.

    $$1-\mathrm{Risk}_{\rm linear}(P_\sigma,f)=(1-2\sigma)\,(1-\mathrm{Risk}_{\rm linear}(P,f)),$$
    for every $f:X\to\mathbb R$, so that every class has the same minimisers on both.

    Returns
    -------
    float or array

    Notes
    -----
    *Sparse Robust Classification via the Kernel Mean*, Section 4.3.3.

    Examples
    --------
    >>> float(noisy_linear_risk(0.5, 0.25))
    0.75
    """
    return 1 - (1 - 2 * sigma) * (1 - risk)
