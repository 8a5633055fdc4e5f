r"""How far $\Phi(S)$ lies from $\Phi(P)$, from the sample alone: bounds of it inverted.

Throughout $\|\phi(x)\|\le1$, as in `deviation.bounds`.
"""

from __future__ import annotations

import numpy as np

from noisytheory.topics.concentration.differences.bounds import mcdiarmid
from noisytheory.vocabulary.domains import LEVEL, SAMPLE_SIZE, UNIT_INTERVAL, Numeric, requires

__all__ = ["empirical_bernstein", "empirical_deviation"]

SAMPLE_NORM = UNIT_INTERVAL.of(r"$\|\Phi(S)\|$.")


@requires(n=SAMPLE_SIZE, delta=LEVEL, sample_norm=SAMPLE_NORM)
def empirical_deviation(n: Numeric, delta: Numeric, sample_norm: Numeric) -> Numeric:
    r"""Deviation of the kernel mean, from the sample alone (McDiarmid's inequality inverted).

    With probability at least $1-\delta$, $\|\Phi(P)-\Phi(S)\|$ is at most the largest solution $L$
    of

    $$L\le a+\sqrt{u\,\big(1-(\|\Phi(S)\|-L)_+^2\big)},\qquad
      a=\sqrt{\frac{2\log(1/\delta)}{n}},\quad u=\frac1n.$$

    Returns
    -------
    float or array
        RKHS norm.

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


@requires(n=SAMPLE_SIZE, delta=LEVEL, sample_norm=SAMPLE_NORM)
def empirical_bernstein(n: Numeric, delta: Numeric, sample_norm: Numeric) -> Numeric:
    r"""Deviation of the kernel mean, from the sample alone (Bernstein's inequality inverted).

    With probability at least $1-\delta$, $\|\Phi(P)-\Phi(S)\|$ is at most the largest solution $L$
    of

    $$L\le a+\sqrt{u\,\big(1-(\|\Phi(S)\|-L)_+^2\big)},\qquad
      a=\frac{4\log(2/\delta)}{n},\quad u=\frac{2\log(2/\delta)}{n}.$$

    Returns
    -------
    float or array
        RKHS norm.

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


def _largest_solution(a: Numeric, u: Numeric, s: Numeric) -> Numeric:
    r"""Largest $L$ with $L\le a+\sqrt{u(1-(s-L)_+^2)}$."""
    # Below s: (L - a)^2 <= u (1 - (s - L)^2). At or above s: the right side is a + sqrt(u).
    discriminant = np.maximum(u * (1 + u - (s - a) ** 2), 0)
    root = (a + u * s + np.sqrt(discriminant)) / (1 + u)
    below = root <= s
    return below * root + (1 - below) * (a + np.sqrt(u))
