r"""What the estimate of $f(\mathbb EX)$ costs, and what no estimate can do: Section 3.2.

$p>1$ is the sampling parameter, here and in the topic's other bounds, and $\ell'_+$ the absolute
majorant of the loss's derivative: ``loss.majorant``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from noisytheory.topics.online.bounds import (
    ABOVE_1,
    BALL_OR_POINT,
    COUNTED,
    MAP,
    WHOLE,
    Function,
    Majorised,
)
from noisytheory.vocabulary.domains import COUNT, NONNEGATIVE, Numeric, requires

__all__ = [
    "best_approximation", "expected_samples", "gradient_second_moment_labels", "jump_bias",
    "sample_tail", "scalar_second_moment",
]

@requires(p=ABOVE_1)
def expected_samples(p: Numeric) -> Numeric:
    r"""Expected number of samples of the estimator of Lemma 1, $\frac1{p-1}$.

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(expected_samples(3.0))
    0.5
    """
    return 1 / (p - 1)


@requires(
    z=WHOLE.of("Number of samples; for other z the tail is that of the next whole number."),
    p=ABOVE_1,
)
def sample_tail(z: Numeric, p: Numeric) -> Numeric:
    r"""Probability that the estimator of Lemma 1 takes at least z samples, $p^{-z}$.

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(sample_tail(3, 2.0))
    0.125
    """
    return p ** (-1.0 * z)


@requires(p=ABOVE_1, m=NONNEGATIVE.of(r"$\mathbb EX^2$; of calls of different laws, the largest."))
def scalar_second_moment(p: Numeric, m: Numeric, loss: Majorised) -> Numeric:
    r"""Lemma 1: $\mathbb E\theta^2\le\frac p{p-1}f_+(\sqrt{p\,\mathbb EX^2})^2$.

    Parameters
    ----------
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


@requires(
    p=ABOVE_1, Bw=BALL_OR_POINT, Bpsi=MAP,
    Blabel=NONNEGATIVE.of(r"Bound on $\mathbb E\tilde y^2$."),
)
def gradient_second_moment_labels(
    p: Numeric, Bw: Numeric, Bpsi: Numeric, loss: Majorised, Blabel: Numeric
) -> Numeric:
    r"""Noisy labels: $\mathbb E\tilde g^2\le B\frac p{p-1}\ell'_+(\sqrt{pB_wB_\Psi B})^2$.

    With $n+1$ independent copies of the label and $B\ge\mathbb E\tilde y^2$.

    Parameters
    ----------
    loss : object with ``majorant``

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


@requires(n=COUNT.of("Number of samples."), J=NONNEGATIVE.of("Height of the jump."))
def jump_bias(n: Numeric, J: Numeric = 1.0) -> Numeric:
    r"""What a function that jumps by J costs every estimator from n samples: $J/2$, for every n.

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(jump_bias(3))
    0.5
    """
    return J / 2 + 0 * n


@requires(n=replace(COUNTED, low=1, meaning="Number of samples."))
def best_approximation(n: Numeric, f: Function) -> Numeric:
    r"""The worst bias on [0, 1] of a polynomial of degree n for $f$ is at least this.

    $$\min_{\deg P\le n}\max_q|f(q)-P(q)|\ge\frac1m\Big|\sum_{j\le m}(-1)^jw_jf(q_j)\Big|,\quad
    q_j=\tfrac12(1+\cos\tfrac{j\pi}m)$$

    with $w_j=1$, but $\frac12$ at both ends: they annihilate polynomials of degree below m.
    The larger of m = n + 1 and n + 2, of which one may be 0 where f is even or odd about 1/2.

    Parameters
    ----------
    f : object with ``at``
        The function.

    Returns
    -------
    float or array

    Notes
    -----
    De la Vallée Poussin's bound at the extremes of a Chebyshev polynomial. Of Bernoulli samples
    every estimator from n of them has a polynomial of degree n as its mean.

    Examples
    --------
    >>> from noisytheory.vocabulary.analytic import ExponentialLoss
    >>> round(float(best_approximation(1, ExponentialLoss(1))), 6)
    0.10521
    """
    return np.maximum(_alternating(n + 1, f), _alternating(n + 2, f))


def _alternating(m: Numeric, f: Function) -> Numeric:
    total: Numeric = 0 * m
    for j in range(int(np.max(m)) + 1):
        weight = (-1) ** j * (j <= m) * (1 - (j == 0) / 2 - (j == m) / 2)
        total = total + weight * f.at((1 + np.cos(np.pi * j / m)) / 2)
    return abs(total) / m
