r"""How far the mean $\Phi(S)$ of a sample lies from the mean $\Phi(P)$ of its population.

Throughout $\|\phi(x)\|\le1$, $\Phi(P)=E[y\phi(x)]$ and $\Phi(S)=\frac1n\sum_iy_i\phi(x_i)$ over
independent draws from $P$; distances are RKHS norms.
"""

from __future__ import annotations

import numpy as np

from noisytheory.topics.concentration.differences.bounds import mcdiarmid
from noisytheory.vocabulary.domains import (
    LEVEL,
    POSITIVE,
    SAMPLE_SIZE,
    UNIT_INTERVAL,
    Domain,
    Numeric,
    requires,
)

__all__ = [
    "expected_deviation",
    "expected_deviation_repaired",
    "mean_deviation",
    "mean_deviation_candidate",
    "mean_deviation_diameter",
    "mean_deviation_repaired",
    "minimax_probability",
]

NORM = UNIT_INTERVAL.of(r"$\|\Phi(P)\|$; 0 holds for every population.")
DIAMETER = Domain(0, 2, include_low=True, include_high=True).of(
    r"$\Delta=\sup\|y\phi(x)-y'\phi(x')\|$; $\sqrt2$ for one label and a nonnegative kernel."
)


@requires(n=SAMPLE_SIZE)
def expected_deviation(n: Numeric) -> Numeric:
    r"""Expected deviation of the kernel mean, as printed.

    $$E\|\Phi(P)-\Phi(S)\|\le\frac{2}{\sqrt n}.$$

    Returns
    -------
    float or array
        RKHS norm.

    Notes
    -----
    Source: proof of Theorem 5, Appendix A.2. Twice too large: see `expected_deviation_repaired`.

    Examples
    --------
    >>> float(expected_deviation(100))
    0.2
    """
    return 2 / np.sqrt(n)


@requires(n=SAMPLE_SIZE, norm=NORM)
def expected_deviation_repaired(n: Numeric, norm: Numeric = 0.0) -> Numeric:
    r"""Expected deviation of the kernel mean, with the variance in place of its bound 4.

    $$E\|\Phi(P)-\Phi(S)\|\le\sqrt{\frac{1-\|\Phi(P)\|^2}{n}}.$$

    Returns
    -------
    float or array
        RKHS norm.

    Notes
    -----
    The printed proof bounds $E\|y\phi(x)-\Phi(P)\|^2$ by 4. It is
    $E\|\phi(x)\|^2-\|\Phi(P)\|^2\le1-\|\Phi(P)\|^2$; the rest of the proof stands.

    Examples
    --------
    >>> round(float(expected_deviation_repaired(100, norm=0.8)), 12)
    0.06
    """
    return np.sqrt(1 - norm**2) / np.sqrt(n)


@requires(n=SAMPLE_SIZE, delta=LEVEL)
def mean_deviation(n: Numeric, delta: Numeric) -> Numeric:
    r"""Deviation of the kernel mean with high probability, as printed.

    With probability at least $1-\delta$,

    $$\|\Phi(P)-\Phi(S)\|\le\frac2{\sqrt n}+\sqrt{\frac{2\log(1/\delta)}{n}}.$$

    Returns
    -------
    float or array
        RKHS norm; at 2 or more it says nothing.

    Notes
    -----
    Hypotheses: independent draws, $\|\phi\|\le1$. Source: Theorem 5, Section 3, proof in Appendix
    A.2: `expected_deviation` and McDiarmid's inequality with $c_i=2/n$. By Cauchy-Schwarz the same
    number bounds the gap of population and sample risk under linear loss, uniformly over
    $\|\omega\|\le1$.

    Examples
    --------
    >>> round(float(mean_deviation(n=400, delta=0.05)), 5)
    0.22239
    """
    return expected_deviation(n) + mcdiarmid(delta, 4 / n)


@requires(n=SAMPLE_SIZE, delta=LEVEL, norm=NORM)
def mean_deviation_repaired(n: Numeric, delta: Numeric, norm: Numeric = 0.0) -> Numeric:
    r"""Deviation of the kernel mean with high probability, with the variance in the mean term.

    With probability at least $1-\delta$,

    $$\|\Phi(P)-\Phi(S)\|\le\sqrt{\frac{1-\|\Phi(P)\|^2}{n}}+\sqrt{\frac{2\log(1/\delta)}{n}}.$$

    Returns
    -------
    float or array
        RKHS norm.

    Notes
    -----
    The printed proof with `expected_deviation_repaired`.

    Examples
    --------
    >>> round(float(mean_deviation_repaired(n=1, delta=0.05)), 4)
    3.4477
    """
    return expected_deviation_repaired(n, norm) + mcdiarmid(delta, 4 / n)


@requires(n=SAMPLE_SIZE, delta=LEVEL, norm=NORM, diameter=DIAMETER)
def mean_deviation_diameter(
    n: Numeric, delta: Numeric, norm: Numeric = 0.0, diameter: Numeric = 2.0
) -> Numeric:
    r"""Deviation of the kernel mean where the signed features have a small diameter.

    With probability at least $1-\delta$,

    $$\|\Phi(P)-\Phi(S)\|\le\sqrt{\frac{1-\|\Phi(P)\|^2}{n}}
      +\Delta\sqrt{\frac{\log(1/\delta)}{2n}}.$$

    Returns
    -------
    float or array
        RKHS norm.

    Notes
    -----
    Not the paper's. Replacing one example moves $\|\Phi(P)-\Phi(S)\|$ by at most $\Delta/n$, so
    McDiarmid's inequality holds with $c_i=\Delta/n$.

    Examples
    --------
    >>> round(float(mean_deviation_diameter(100, 0.05, norm=0.6, diameter=2**0.5)), 5)
    0.25308
    """
    return expected_deviation_repaired(n, norm) + mcdiarmid(delta, diameter**2 / n)


@requires(n=SAMPLE_SIZE)
def minimax_probability(n: Numeric) -> Numeric:
    r"""Probability with which every estimator of $\Phi(P)$ is off by $\frac1{2\sqrt n}$ (Le Cam).

    For every estimator there is a population with
    $\Pr\big[\|\hat\theta-\Phi(P)\|\ge\varepsilon\big]\ge$

    $$\frac12\Big(1-\sqrt{\tfrac n2\,\varepsilon\log\tfrac{1+\varepsilon}{1-\varepsilon}}\Big),
      \qquad\varepsilon=\frac{1}{2\sqrt n}.$$

    Returns
    -------
    float or array
        A probability; tends to 1/4.

    Notes
    -----
    Two populations on one axis with means $\pm\varepsilon$; the divergence of their samples is
    $n\varepsilon\log\frac{1+\varepsilon}{1-\varepsilon}$, and Pinsker's inequality bounds their
    total variation. The paper quotes Tolstikhin, Sriperumbudur and Muandet (2017) for optimality in
    rate; constants are not claimed to match.

    Examples
    --------
    >>> round(float(minimax_probability(25)), 4)
    0.2496
    """
    epsilon = 1 / (2 * np.sqrt(n))
    # The logarithm is twice the inverse hyperbolic tangent, which a small epsilon does not cancel.
    divergence = 2 * n * epsilon * np.arctanh(epsilon)
    return (1 - np.sqrt(divergence / 2)) / 2


@requires(n=SAMPLE_SIZE, delta=LEVEL, c=POSITIVE.of("The constant."))
def mean_deviation_candidate(n: Numeric, delta: Numeric, c: Numeric) -> Numeric:
    r"""Deviation of the kernel mean with an unknown constant in the tail.

    $$\frac2{\sqrt n}+\sqrt{\frac{c\log(1/\delta)}{n}}.$$

    Returns
    -------
    float or array
        RKHS norm.

    Notes
    -----
    The formula of Theorem 4 of the average-classifier paper is lost; the form is sure, the constant
    is not. The later version of the paper prints 2.

    Examples
    --------
    >>> round(float(mean_deviation_candidate(1, 1e-12, c=0.5)), 2)
    5.72
    """
    return expected_deviation(n) + np.sqrt(c * (-np.log(delta)) / n)
