r"""How far a mean of centred, independent vectors in a Hilbert space strays from 0.

None of these is the paper's: they stand beside McDiarmid's inequality because each is sharper
somewhere. The deviation of a kernel mean tries them.
"""

from __future__ import annotations

import numpy as np

from noisytheory.vocabulary.domains import LEVEL, NONNEGATIVE, SAMPLE_SIZE, Numeric, requires

__all__ = ["bousquet", "hilbert_bernstein", "pinelis"]

N = SAMPLE_SIZE.of("Number of vectors.")
RADIUS = NONNEGATIVE.of(r"$c$ with $\|\xi_i\|\le c$ almost surely, a norm.")
VARIANCE = NONNEGATIVE.of(r"$v=E\|\xi\|^2$, a squared norm.")
TOP_EIGENVALUE = NONNEGATIVE.of(
    r"$s^2$, the largest variance of $\langle u,\xi\rangle$ over unit vectors $u$."
)


@requires(n=N, delta=LEVEL, radius=RADIUS)
def pinelis(n: Numeric, delta: Numeric, radius: Numeric) -> Numeric:
    r"""Norm of a mean of bounded vectors (Pinelis).

    With probability at least $1-\delta$,

    $$\Big\|\frac1n\sum_i\xi_i\Big\|\le c\sqrt{\frac{2\log(2/\delta)}{n}}.$$

    Returns
    -------
    float or array
        A norm.

    Notes
    -----
    Hypotheses: $\xi_i$ independent, centred, in a Hilbert space. Source: Pinelis (1994), Annals of
    Probability 22(4), Theorem 3.5. There is no term for the mean, so it beats McDiarmid where $c$
    is near half the diameter, and loses where it is near the diameter.

    Examples
    --------
    >>> round(float(pinelis(n=1, delta=0.05, radius=1.0)), 4)
    2.7162
    """
    return radius * np.sqrt(2 * (np.log(2) - np.log(delta)) / n)


@requires(n=N, delta=LEVEL, variance=VARIANCE, radius=RADIUS)
def hilbert_bernstein(n: Numeric, delta: Numeric, variance: Numeric, radius: Numeric) -> Numeric:
    r"""Norm of a mean of bounded vectors of known variance (Bernstein in a Hilbert space).

    With probability at least $1-\delta$,

    $$\Big\|\frac1n\sum_i\xi_i\Big\|\le\frac{2c\log(2/\delta)}{n}
      +\sqrt{\frac{2v\log(2/\delta)}{n}}.$$

    Returns
    -------
    float or array
        A norm.

    Notes
    -----
    Hypotheses: $\xi_i$ independent, identically distributed, centred. Source: Pinelis and
    Sakhanenko (1985), in the form of Smale and Zhou (2007), Constructive Approximation 26, Lemma 2.

    Examples
    --------
    >>> round(float(hilbert_bernstein(n=1000, delta=0.05, variance=0.36, radius=1.8)), 6)
    0.064816
    """
    log = np.log(2) - np.log(delta)
    return 2 * radius * log / n + np.sqrt(2 * variance * log / n)


@requires(n=N, delta=LEVEL, variance=VARIANCE, radius=RADIUS, top_eigenvalue=TOP_EIGENVALUE)
def bousquet(
    n: Numeric, delta: Numeric, variance: Numeric, radius: Numeric, top_eigenvalue: Numeric
) -> Numeric:
    r"""Norm of a mean of bounded vectors of known covariance (Bousquet).

    With probability at least $1-\delta$,

    $$\Big\|\frac1n\sum_i\xi_i\Big\|\le m+\sqrt{\frac{2\log(1/\delta)\,(s^2+2cm)}{n}}
      +\frac{c\log(1/\delta)}{3n},\qquad m=\sqrt{v/n}.$$

    Returns
    -------
    float or array
        A norm.

    Notes
    -----
    Hypotheses: $\xi_i$ independent, identically distributed, centred, in a separable Hilbert space.
    Source: Bousquet (2002), Comptes Rendus Mathématique 334, Theorem 2.3, for the supremum
    of $\langle u,\sum_i\xi_i\rangle$ over the unit ball, with $E\|\cdot\|\le\sqrt{v/n}$ put in
    (the right side increases in the mean). In high dimension $s^2$ is far below $v$.

    Examples
    --------
    >>> round(float(bousquet(1000, 0.05, variance=1.0, radius=1.0, top_eigenvalue=0.02)), 6)
    0.054954
    """
    log = -np.log(delta)
    mean = np.sqrt(variance / n)
    spread = 2 * log * (top_eigenvalue + 2 * radius * mean) / n
    return mean + np.sqrt(spread) + radius * log / (3 * n)
