r"""Theorem 2 on the excess risk, as printed and as it can be proved.

$\mathcal E_h$ is the hinge risk, $f_H$ its minimiser of least norm over the class, $A$ the
approximation error, $\kappa=\sup_x\sqrt{K(x,x)}$, $\nu=k/n$.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from noisytheory.topics.top_k.constants.bounds import (
    APPROXIMATION,
    HINGE_RISK,
    KAPPA,
    MU,
    NORM,
    REGULARISATION,
    c_kappa,
)
from noisytheory.topics.top_k.lemmas.bounds import exceedance, uniform_hinge
from noisytheory.topics.top_k.margins.bounds import norm_margin
from noisytheory.vocabulary.domains import LEVEL, SAMPLE_SIZE, Domain, Numeric, requires

__all__ = ["theorem_2_printed", "theorem_2_proved", "theorem_2_root_mu", "theorem_2_sharp"]

_SAMPLE: dict[str, Any] = dict(
    n=SAMPLE_SIZE, delta=LEVEL, mu=Domain(0, 1, include_high=True, meaning=MU.meaning),
    C=REGULARISATION, kappa=KAPPA, norm=NORM,
    approximation=APPROXIMATION,
)


@requires(**_SAMPLE)
def theorem_2_printed(
    n: Numeric, delta: Numeric, mu: Numeric, C: Numeric, kappa: Numeric, norm: Numeric,
    approximation: Numeric,
) -> Numeric:
    r"""Theorem 2 as typeset, a bound of the excess risk.

    $$\mu+A+\varepsilon+\frac{1+C_{\kappa H}}{\sqrt{n\mu}}.$$

    With $\varepsilon=\frac{1+C_{\kappa H}}\mu\sqrt{\log(2/\delta)/n}$, so that the probability is
    $\delta$; infinite where $\varepsilon>1$, which the theorem excludes.

    Returns
    -------
    float or array
        Excess risk.

    Examples
    --------
    >>> round(float(theorem_2_printed(10**6, 0.05, 0.1, 0.01, 1.0, 1.0, 0.0)), 4)
    0.2182
    """
    constant = 1 + checked_c_kappa(C, norm, kappa)
    return mu + approximation + _epsilon(n, delta, mu, constant) + constant / np.sqrt(n * mu)


@requires(**_SAMPLE)
def theorem_2_root_mu(
    n: Numeric, delta: Numeric, mu: Numeric, C: Numeric, kappa: Numeric, norm: Numeric,
    approximation: Numeric,
) -> Numeric:
    r"""Theorem 2 in the reading that its proof is of: $\frac{1+C_{\kappa H}}{\sqrt n\,\mu}$.

    Infinite where $\varepsilon>1$, which the theorem excludes.

    Returns
    -------
    float or array
        Excess risk.

    Notes
    -----
    True: Lemma 7 holds with half its right side.

    Examples
    --------
    >>> round(float(theorem_2_root_mu(10**6, 0.05, 0.1, 0.01, 1.0, 1.0, 0.0)), 4)
    0.2543
    """
    constant = 1 + checked_c_kappa(C, norm, kappa)
    return mu + approximation + _epsilon(n, delta, mu, constant) + constant / (np.sqrt(n) * mu)


@requires(**_SAMPLE)
def theorem_2_proved(
    n: Numeric, delta: Numeric, mu: Numeric, C: Numeric, kappa: Numeric, norm: Numeric,
    approximation: Numeric,
) -> Numeric:
    r"""What print proves: $\mu+\frac1n+A+\varepsilon+\frac{2C_{\kappa H}}{\sqrt n\,\mu}$.

    Its last line, with the probability $2e^{-n\mu^2\varepsilon^2/(1+C_{\kappa H})^2}$ that stands
    there. Infinite where $\varepsilon>1$, which the theorem excludes.

    Returns
    -------
    float or array
        Excess risk.

    Notes
    -----
    One line above, the probability is still of two terms, those of `exceedance` and of
    `uniform_hinge` on the ball $R_{C,\mu}$; what merges them gives away a factor 2 in the second
    exponent. With the two terms this bound says something from 1.5 to 1.7 times fewer examples on
    (3.4e3 in place of 5.7e3 for two points without noise, C = .01), so that it is sometimes ahead
    of `theorem_2_root_mu`. `theorem_2_sharp` keeps both.

    Examples
    --------
    >>> round(float(theorem_2_proved(10**6, 0.05, 0.1, 0.01, 1.0, 1.0, 0.0)), 4)
    0.2871
    """
    inner = checked_c_kappa(C, norm, kappa)
    return (mu + 1 / n + approximation + _epsilon(n, delta, mu, 1 + inner)
            + 2 * inner / (np.sqrt(n) * mu))


@requires(**_SAMPLE, risk=HINGE_RISK)
def theorem_2_sharp(
    n: Numeric, delta: Numeric, mu: Numeric, C: Numeric, kappa: Numeric, norm: Numeric,
    approximation: Numeric, risk: Numeric,
) -> Numeric:
    r"""The repaired theorem: $(\nu-\mathcal E_h(f_H))+A+\varepsilon+2\kappa\bar R/\sqrt n$.

    $\bar R$ is what `norm_margin` says of $f_H$ on the event of (16), and $\delta$ is
    $e^{-n\mu^2/2(1+\kappa\|f_H\|)^2}+e^{-2n\varepsilon^2/(1+\kappa\bar R)^2}$.

    Returns
    -------
    float or array
        Excess risk. Infinite where the first term alone exceeds $\delta$.

    Examples
    --------
    >>> round(float(theorem_2_sharp(1000, 0.05, 0.2, 0.01, 1.0, 1.0, 0.0, 0.2)), 4)
    0.6511
    """
    beyond = np.asarray(risk + mu + 0 * n > 1 + 1e-9)
    if beyond.any():
        sums = np.asarray(risk + mu + 0 * n)
        raise ValueError(f"risk + mu must be at most 1, got {sums[beyond].flat[0]:g}")
    checked_c_kappa(C, norm, kappa)
    nu = _tail(n, risk, mu)
    ball = kappa * norm_margin(nu, C, mu / 2, norm)
    left = delta - exceedance(n, mu, kappa * norm)
    usable = left > 0
    total = nu - risk + approximation + uniform_hinge(n, where(usable, left, 0.5), ball)
    return where(usable, total, np.inf)


def checked_c_kappa(C: Numeric, norm: Numeric, kappa: Numeric) -> Numeric:
    r"""$C_{\kappa H}$ of an $f_H$ that there may be."""
    reaches = np.asarray(kappa * norm)
    # Norms of populations are solved for.
    if (reaches < 1 - 1e-6).any():
        raise ValueError("norm must be at least 1 / kappa, as every f_H of a hinge risk below 1 "
                         f"has it, got kappa norm = {reaches.min():g}")
    return c_kappa(C, norm, kappa)


def _tail(n: Numeric, risk: Numeric, mu: Numeric) -> Numeric:
    # Rounding must not lift a whole number to the next.
    return np.ceil(n * (risk + mu) - 1e-9 * n) / n


def where(condition: Numeric, value: Numeric, other: float) -> Numeric:
    """``np.where`` that keeps labelled arrays."""
    if hasattr(condition, "where"):
        return (value + 0 * condition).where(condition, other)
    return np.where(condition, value, other)[()]


def _epsilon(n: Numeric, delta: Numeric, mu: Numeric, constant: Numeric) -> Numeric:
    epsilon = constant / mu * np.sqrt((np.log(2) - np.log(delta)) / n)
    return where(epsilon <= 1, epsilon, np.inf)
