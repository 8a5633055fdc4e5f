r"""What mixing the classes does to balanced error and AUC, and what noise that varies can cost."""

from __future__ import annotations

import numpy as np

from noisytheory.vocabulary.domains import (
    LEVEL,
    NOISE_RATE,
    POSITIVE,
    REAL,
    UNIT_INTERVAL,
    Domain,
    Numeric,
    requires,
)

__all__ = [
    "balanced_error_contaminated",
    "contamination_of_noise",
    "instance_noise_factor",
    "noise_of_contamination",
]

ERROR = REAL.of("Clean balanced error, in the unit of the loss, which may be negative.")
ALPHA = UNIT_INTERVAL.of("Share of the other class in the positive one.")
BETA = UNIT_INTERVAL.of("Share of the other class in the negative one.")
TOTAL = POSITIVE.of(
    r"$C=\ell(1,v)+\ell(-1,v)$. With 1 the same formula holds for AUC, ties counted one half."
)
MINUS = UNIT_INTERVAL.of("Flip probability of negative labels.")
PLUS = UNIT_INTERVAL.of("Flip probability of positive labels.")
PRIOR = LEVEL.of(r"$\pi=P(y=1)$ before the noise.")
LEAST = NOISE_RATE.of("Smallest flip probability.")
MOST = NOISE_RATE.of("Largest flip probability.")


@requires(error=ERROR, alpha=ALPHA, beta=BETA, total=TOTAL)
def balanced_error_contaminated(
    error: Numeric, alpha: Numeric, beta: Numeric, total: Numeric = 1
) -> Numeric:
    r"""Balanced error when the classes are contaminated with each other.

    $$(1-\alpha-\beta)\,\mathrm{BER}+\frac{\alpha+\beta}2C$$

    Returns
    -------
    float

    Notes
    -----
    Kernel Mean paper, Theorem 18, for losses whose sum over the labels is constant.

    Examples
    --------
    >>> round(float(balanced_error_contaminated(0.25, 0.3, 0.1)), 12)
    0.35
    """
    return (1 - alpha - beta) * error + (alpha + beta) / 2 * total


@requires(minus=MINUS, plus=PLUS, positive=PRIOR)
def contamination_of_noise(
    minus: Numeric, plus: Numeric, positive: Numeric
) -> tuple[Numeric, Numeric]:
    r"""Shares $\alpha,\beta$ of the other class that class-conditional label noise mixes in.

    $$\alpha=\frac{(1-\pi)\sigma_-}{\pi(1-\sigma_+)+(1-\pi)\sigma_-},\quad
    \beta=\frac{\pi\sigma_+}{\pi\sigma_++(1-\pi)(1-\sigma_-)}$$

    Returns
    -------
    alpha, beta : float
        With sum below 1 if and only if that of the flip probabilities is.

    Raises
    ------
    ValueError
        If an argument leaves its range, or the noise leaves one label without examples, at flip
        probabilities 0 and 1.

    Examples
    --------
    >>> [round(float(share), 12) for share in contamination_of_noise(0.25, 0.25, 0.5)]
    [0.25, 0.25]
    """
    kept = positive * (1 - plus) + (1 - positive) * minus
    lost = positive * plus + (1 - positive) * (1 - minus)
    if not (np.all(kept > 0) and np.all(lost > 0)):
        raise ValueError("minus, plus must leave examples of either label, got 0 and 1")
    return (1 - positive) * minus / kept, positive * plus / lost


@requires(
    alpha=Domain(0, 1, include_low=True, meaning=ALPHA.meaning),
    beta=Domain(0, 1, include_low=True, meaning=BETA.meaning),
    positive=LEVEL.of(r"$\pi$; between $\beta$ and $1-\alpha$, else no label noise does it."),
)
def noise_of_contamination(
    alpha: Numeric, beta: Numeric, positive: Numeric
) -> tuple[Numeric, Numeric]:
    r"""Flip probabilities $\sigma_-,\sigma_+$ that mix the classes so, the way back.

    $$\tilde\pi=\frac{\pi-\beta}{1-\alpha-\beta},\quad
    \sigma_-=\frac{\alpha\,\tilde\pi}{1-\pi},\quad\sigma_+=\frac{\beta(1-\tilde\pi)}{\pi}$$

    Returns
    -------
    minus, plus : float
        Probabilities; $\tilde\pi$ is the share of noisy labels that are positive.

    Examples
    --------
    >>> [round(float(rate), 12) for rate in noise_of_contamination(0.125, 0.25, 0.5)]
    [0.1, 0.3]
    """
    if not np.all((beta < positive) & (positive < 1 - alpha)):
        raise ValueError(
            f"positive must lie between beta and 1 - alpha, got {positive} with alpha = {alpha} "
            f"and beta = {beta}"
        )
    noisy = (positive - beta) / (1 - alpha - beta)
    return alpha * noisy / (1 - positive), beta * (1 - noisy) / positive


@requires(least=LEAST, most=MOST)
def instance_noise_factor(least: Numeric, most: Numeric) -> Numeric:
    r"""Factor on the risk that noise between two rates can cost, $(1-2\min\sigma)/(1-2\max\sigma)$.

    Returns
    -------
    float
        At least 1.

    Raises
    ------
    ValueError
        If a rate leaves its range, or ``least`` exceeds ``most``.

    Notes
    -----
    Sharper than Kernel Mean paper, Lemma 19, which has 1 above the line.

    Examples
    --------
    >>> round(float(instance_noise_factor(0.1, 0.3)), 12)
    2.0
    """
    if not np.all(least <= most):
        raise ValueError(f"least must be at most most, got {least} and {most}")
    return np.divide(1 - 2 * least, 1 - 2 * most)
