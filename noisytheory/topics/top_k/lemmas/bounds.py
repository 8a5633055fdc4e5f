r"""Lemmas 5 and 6 and the event (16), as printed and with its direction mended.

$\mathcal E_h$ is the hinge risk, $f_H$ its minimiser of least norm, $\kappa=\sup_x\sqrt{K(x,x)}$.
"""

from __future__ import annotations

import numpy as np

from noisytheory.topics.top_k.constants.bounds import KAPPA_NORM, MU
from noisytheory.vocabulary.domains import LEVEL, NONNEGATIVE, SAMPLE_SIZE, Numeric, requires

__all__ = ["exceedance", "hoeffding", "uniform_hinge"]


@requires(n=SAMPLE_SIZE, delta=LEVEL, radius=NONNEGATIVE.of(r"$\kappa R$."))
def uniform_hinge(n: Numeric, delta: Numeric, radius: Numeric) -> Numeric:
    r"""Lemma 5: $\sup\mathcal E_h-\mathcal E_{h,z}\le2\kappa R/\sqrt n+\varepsilon$ over a ball.

    $\varepsilon=(1+\kappa R)\sqrt{\log(1/\delta)/2n}$.

    Returns
    -------
    float or array
        A risk.

    Notes
    -----
    True; the printed proof uses a contraction that is false (Lemma 4), the one-sided contraction
    with constant 1 gives the same.

    Examples
    --------
    >>> round(float(uniform_hinge(100, 0.05, 1.0)), 6)
    0.444775
    """
    return 2 * radius / np.sqrt(n) + (1 + radius) * np.sqrt(-np.log(delta) / (2 * n))


@requires(
    n=SAMPLE_SIZE, delta=LEVEL,
    half_range=NONNEGATIVE.of("$M$, half of the range of one variable."),
)
def hoeffding(n: Numeric, delta: Numeric, half_range: Numeric) -> Numeric:
    r"""Lemma 6: a mean exceeds its expectation by at most $M\sqrt{2\log(1/\delta)/n}$.

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(hoeffding(100, 0.05, 1.0)), 6)
    0.244775
    """
    return half_range * np.sqrt(-2 * np.log(delta) / n)


@requires(n=SAMPLE_SIZE, mu=MU, kappa_norm=KAPPA_NORM)
def exceedance(n: Numeric, mu: Numeric, kappa_norm: Numeric) -> Numeric:
    r"""(16) with its direction mended: how often the training risk of $f_H$ is off by $\mu/2$.

    $$P\Big(\mathcal E_{h,z}(f_H)-\mathcal E_h(f_H)>\frac\mu2\Big)\le
      \exp\Big(-\frac{n\mu^2}{2(1+\kappa\|f_H\|)^2}\Big).$$

    Returns
    -------
    float or array
        Probability.

    Examples
    --------
    >>> round(float(exceedance(1000, 0.1, 1.0)), 4)
    0.2865
    """
    return np.exp(-n * mu**2 / (2 * (1 + kappa_norm) ** 2))
