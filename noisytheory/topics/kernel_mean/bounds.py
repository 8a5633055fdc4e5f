r"""How far the mean $\Phi(S)$ of a sample lies from the mean $\Phi(P)$ of its population.

Throughout $\|\phi(x)\|\le1$, $\Phi(P)=E[y\phi(x)]$ and $\Phi(S)=\frac1n\sum_iy_i\phi(x_i)$ over
independent draws from $P$; distances are RKHS norms.
"""

from __future__ import annotations

import numpy as np

from noisytheory.topics.concentration.bounds import mcdiarmid
from noisytheory.vocabulary.domains import (
    COUNT,
    LEVEL,
    POSITIVE,
    SAMPLE_SIZE,
    UNIT_INTERVAL,
    Domain,
    Numeric,
    requires,
)

__all__ = [
    "empirical_bernstein",
    "empirical_deviation",
    "expected_deviation",
    "expected_deviation_repaired",
    "mean_deviation",
    "mean_deviation_candidate",
    "mean_deviation_diameter",
    "mean_deviation_repaired",
    "minimax_probability",
    "multiple_kernel_gap",
    "multiple_kernel_gap_repaired",
]

DIAMETER = Domain(0, 2, include_low=True, include_high=True)


@requires(n=SAMPLE_SIZE)
def expected_deviation(n: Numeric) -> Numeric:
    r"""Expected deviation of the kernel mean, as printed.

    $$E\|\Phi(P)-\Phi(S)\|\le\frac{2}{\sqrt n}.$$

    Parameters
    ----------
    n : int or array
        Sample size, at least 1.

    Returns
    -------
    float or array
        RKHS norm.

    Raises
    ------
    ValueError
        If ``n`` is not a whole number of at least 1.

    Notes
    -----
    Source: proof of Theorem 5, Appendix A.2. Twice too large: see `expected_deviation_repaired`.

    Examples
    --------
    >>> float(expected_deviation(100))
    0.2
    """
    return 2 / np.sqrt(n)


@requires(n=SAMPLE_SIZE, norm=UNIT_INTERVAL)
def expected_deviation_repaired(n: Numeric, norm: Numeric = 0.0) -> Numeric:
    r"""Expected deviation of the kernel mean, with the variance in place of its bound 4.

    $$E\|\Phi(P)-\Phi(S)\|\le\sqrt{\frac{1-\|\Phi(P)\|^2}{n}}.$$

    Parameters
    ----------
    n : int or array
        Sample size, at least 1.
    norm : float or array
        $\|\Phi(P)\|$, in [0, 1]; 0 holds for every population.

    Returns
    -------
    float or array
        RKHS norm.

    Raises
    ------
    ValueError
        If an argument leaves its range.

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

    Parameters
    ----------
    n : int or array
        Sample size, at least 1.
    delta : float or array
        Probability of exceeding the bound, in (0, 1).

    Returns
    -------
    float or array
        RKHS norm; at 2 or more it says nothing.

    Raises
    ------
    ValueError
        If an argument leaves its range.

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


@requires(n=SAMPLE_SIZE, delta=LEVEL, norm=UNIT_INTERVAL)
def mean_deviation_repaired(n: Numeric, delta: Numeric, norm: Numeric = 0.0) -> Numeric:
    r"""Deviation of the kernel mean with high probability, with the variance in the mean term.

    With probability at least $1-\delta$,

    $$\|\Phi(P)-\Phi(S)\|\le\sqrt{\frac{1-\|\Phi(P)\|^2}{n}}+\sqrt{\frac{2\log(1/\delta)}{n}}.$$

    Parameters
    ----------
    n : int or array
        Sample size, at least 1.
    delta : float or array
        Probability of exceeding the bound, in (0, 1).
    norm : float or array
        $\|\Phi(P)\|$, in [0, 1]; 0 holds for every population.

    Returns
    -------
    float or array
        RKHS norm.

    Raises
    ------
    ValueError
        If an argument leaves its range.

    Notes
    -----
    The printed proof with `expected_deviation_repaired`.

    Examples
    --------
    >>> round(float(mean_deviation_repaired(n=1, delta=0.05)), 4)
    3.4477
    """
    return expected_deviation_repaired(n, norm) + mcdiarmid(delta, 4 / n)


@requires(n=SAMPLE_SIZE, delta=LEVEL, norm=UNIT_INTERVAL, diameter=DIAMETER)
def mean_deviation_diameter(
    n: Numeric, delta: Numeric, norm: Numeric = 0.0, diameter: Numeric = 2.0
) -> Numeric:
    r"""Deviation of the kernel mean where the signed features have a small diameter.

    With probability at least $1-\delta$,

    $$\|\Phi(P)-\Phi(S)\|\le\sqrt{\frac{1-\|\Phi(P)\|^2}{n}}
      +\Delta\sqrt{\frac{\log(1/\delta)}{2n}}.$$

    Parameters
    ----------
    n : int or array
        Sample size, at least 1.
    delta : float or array
        Probability of exceeding the bound, in (0, 1).
    norm : float or array
        $\|\Phi(P)\|$, in [0, 1]; 0 holds for every population.
    diameter : float or array
        $\Delta=\sup\|y\phi(x)-y'\phi(x')\|$, in [0, 2]; $\sqrt2$ for one label and a nonnegative
        kernel.

    Returns
    -------
    float or array
        RKHS norm.

    Raises
    ------
    ValueError
        If an argument leaves its range.

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


@requires(n=SAMPLE_SIZE, delta=LEVEL, sample_norm=UNIT_INTERVAL)
def empirical_deviation(n: Numeric, delta: Numeric, sample_norm: Numeric) -> Numeric:
    r"""Deviation of the kernel mean, from the sample alone (McDiarmid's inequality inverted).

    With probability at least $1-\delta$, $\|\Phi(P)-\Phi(S)\|$ is at most the largest solution $L$
    of

    $$L\le a+\sqrt{u\,\big(1-(\|\Phi(S)\|-L)_+^2\big)},\qquad
      a=\sqrt{\frac{2\log(1/\delta)}{n}},\quad u=\frac1n.$$

    Parameters
    ----------
    n : int or array
        Sample size, at least 1.
    delta : float or array
        Probability of exceeding the bound, in (0, 1).
    sample_norm : float or array
        $\|\Phi(S)\|$, in [0, 1].

    Returns
    -------
    float or array
        RKHS norm.

    Raises
    ------
    ValueError
        If an argument leaves its range.

    Notes
    -----
    Not the paper's. On the event of `mean_deviation_repaired`, of probability at least $1-\delta$,
    $L=\|\Phi(P)-\Phi(S)\|$ is at most $a+\sqrt{u(1-\|\Phi(P)\|^2)}$, and always
    $\|\Phi(P)\|\ge\|\Phi(S)\|-L$: no part of $\delta$ is spent on estimating the variance. The
    right side is concave and increasing in $L$, so the solutions form an interval from 0; its end
    is the root of a quadratic.

    Examples
    --------
    >>> round(float(empirical_deviation(400, 0.05, sample_norm=0.9)), 5)
    0.15578
    """
    return _largest_solution(mcdiarmid(delta, 4 / n), 1 / n, sample_norm)


@requires(n=SAMPLE_SIZE, delta=LEVEL, sample_norm=UNIT_INTERVAL)
def empirical_bernstein(n: Numeric, delta: Numeric, sample_norm: Numeric) -> Numeric:
    r"""Deviation of the kernel mean, from the sample alone (Bernstein's inequality inverted).

    With probability at least $1-\delta$, $\|\Phi(P)-\Phi(S)\|$ is at most the largest solution $L$
    of

    $$L\le a+\sqrt{u\,\big(1-(\|\Phi(S)\|-L)_+^2\big)},\qquad
      a=\frac{4\log(2/\delta)}{n},\quad u=\frac{2\log(2/\delta)}{n}.$$

    Parameters
    ----------
    n : int or array
        Sample size, at least 1.
    delta : float or array
        Probability of exceeding the bound, in (0, 1).
    sample_norm : float or array
        $\|\Phi(S)\|$, in [0, 1].

    Returns
    -------
    float or array
        RKHS norm.

    Raises
    ------
    ValueError
        If an argument leaves its range.

    Notes
    -----
    Not the paper's. Bernstein's inequality in a Hilbert space with $c=2$ and
    $v\le1-\|\Phi(P)\|^2$, inverted as `empirical_deviation` inverts McDiarmid's: on its event the
    unknown norm is at least $\|\Phi(S)\|-L$, so $\delta$ is not split.

    Examples
    --------
    >>> round(float(empirical_bernstein(10_000, 0.05, sample_norm=0.9)), 5)
    0.01407
    """
    log = np.log(2) - np.log(delta)
    return _largest_solution(4 * log / n, 2 * log / n, sample_norm)


@requires(n=SAMPLE_SIZE)
def minimax_probability(n: Numeric) -> Numeric:
    r"""Probability with which every estimator of $\Phi(P)$ is off by $\frac1{2\sqrt n}$ (Le Cam).

    For every estimator there is a population with
    $\Pr\big[\|\hat\theta-\Phi(P)\|\ge\varepsilon\big]\ge$

    $$\frac12\Big(1-\sqrt{\tfrac n2\,\varepsilon\log\tfrac{1+\varepsilon}{1-\varepsilon}}\Big),
      \qquad\varepsilon=\frac{1}{2\sqrt n}.$$

    Parameters
    ----------
    n : int or array
        Sample size, at least 1.

    Returns
    -------
    float or array
        A probability; tends to 1/4.

    Raises
    ------
    ValueError
        If ``n`` is not a whole number of at least 1.

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
    divergence = n * epsilon * np.log((1 + epsilon) / (1 - epsilon))
    return (1 - np.sqrt(divergence / 2)) / 2


@requires(n=SAMPLE_SIZE, delta=LEVEL, k=COUNT)
def multiple_kernel_gap(n: Numeric, delta: Numeric, k: Numeric) -> Numeric:
    r"""Gap of population and sample risk of the normalised mean, over ``k`` kernels, as printed.

    With probability at least $1-\delta$, for every $i\le k$,

    $$\mathrm{Risk}(P,\hat\Phi_i(S))-\mathrm{Risk}(S,\hat\Phi_i(S))\le\frac2{\sqrt n}
      +\sqrt{\frac{2(\log(1/\delta)+\log k)}{n}}$$

    under linear loss.

    Parameters
    ----------
    n : int or array
        Sample size, at least 1.
    delta : float or array
        Probability that some kernel exceeds the bound, in (0, 1).
    k : int or array
        Number of kernels, at least 1.

    Returns
    -------
    float or array
        Linear risk.

    Raises
    ------
    ValueError
        If an argument leaves its range.

    Notes
    -----
    Hypotheses: $\|\phi_i\|\le1$; $\Phi_i(S)\ne0$, or else the gap is 0. Source: Theorem 6, Section
    3.4: `mean_deviation` at $\delta/k$.

    Examples
    --------
    >>> round(float(multiple_kernel_gap(200, 0.05, k=10)), 4)
    0.3716
    """
    return mean_deviation(n, delta / k)


@requires(n=SAMPLE_SIZE, delta=LEVEL, k=COUNT)
def multiple_kernel_gap_repaired(n: Numeric, delta: Numeric, k: Numeric) -> Numeric:
    r"""Gap of the normalised mean over ``k`` kernels, with the variance in the mean term.

    The inequality of `multiple_kernel_gap` with $\frac1{\sqrt n}$ in place of $\frac2{\sqrt n}$.

    Parameters
    ----------
    n : int or array
        Sample size, at least 1.
    delta : float or array
        Probability that some kernel exceeds the bound, in (0, 1).
    k : int or array
        Number of kernels, at least 1.

    Returns
    -------
    float or array
        Linear risk.

    Raises
    ------
    ValueError
        If an argument leaves its range.

    Notes
    -----
    `mean_deviation_repaired` at $\delta/k$, whatever the norms $\|\Phi_i(P)\|$ are.

    Examples
    --------
    >>> round(float(multiple_kernel_gap_repaired(200, 0.05, k=1)), 4)
    0.2438
    """
    return mean_deviation_repaired(n, delta / k)


@requires(n=SAMPLE_SIZE, delta=LEVEL, c=POSITIVE)
def mean_deviation_candidate(n: Numeric, delta: Numeric, c: Numeric) -> Numeric:
    r"""Deviation of the kernel mean with an unknown constant in the tail.

    $$\frac2{\sqrt n}+\sqrt{\frac{c\log(1/\delta)}{n}}.$$

    Parameters
    ----------
    n : int or array
        Sample size, at least 1.
    delta : float or array
        Probability of exceeding the bound, in (0, 1).
    c : float or array
        The constant, positive.

    Returns
    -------
    float or array
        RKHS norm.

    Raises
    ------
    ValueError
        If an argument leaves its range.

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


def _largest_solution(a: Numeric, u: Numeric, s: Numeric) -> Numeric:
    r"""Largest $L$ with $L\le a+\sqrt{u(1-(s-L)_+^2)}$."""
    # Below s: (L - a)^2 <= u (1 - (s - L)^2). At or above s: the right side is a + sqrt(u).
    discriminant = np.maximum(u * (1 + u - (s - a) ** 2), 0)
    root = (a + u * s + np.sqrt(discriminant)) / (1 + u)
    below = root <= s
    return below * root + (1 - below) * (a + np.sqrt(u))
