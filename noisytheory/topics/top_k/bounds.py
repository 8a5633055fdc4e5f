r"""What the paper promises of the average top-k loss, as printed and as it can be proved.

$\mathcal E_h$ is the hinge risk, $f_H$ its minimiser of least norm over the class, $A$ the
approximation error, $\kappa=\sup_x\sqrt{K(x,x)}$, $\nu=k/n$.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from noisytheory.vocabulary.domains import (
    COUNT,
    LEVEL,
    NONNEGATIVE,
    POSITIVE,
    SAMPLE_SIZE,
    UNIT_INTERVAL,
    Numeric,
    requires,
)

__all__ = [
    "brown_lower", "brown_upper", "c_kappa", "cvar_exponential", "data_margin", "exceedance",
    "expected_top_k_exponential", "hoeffding", "margin_floor",
    "margin_floor_printed", "norm_margin", "norm_margin_printed", "outlier_shift", "radius",
    "sgd_gap", "theorem_2_printed", "theorem_2_proved", "theorem_2_root_mu", "theorem_2_sharp",
    "thomas_upper", "uniform_cvar", "uniform_hinge",
]


@requires(shift=NONNEGATIVE, k=COUNT)
def outlier_shift(shift: Numeric, k: Numeric) -> Numeric:
    r"""Most that $AT_k$ grows when one loss grows by ``shift``: $\Delta/k$.

    Parameters
    ----------
    shift : float or array
        $\Delta\ge0$.
    k : int or array
        1 is the maximum loss, n the average.

    Returns
    -------
    float or array
        In the unit of the loss.

    Examples
    --------
    >>> float(outlier_shift(1.0, 4))
    0.25
    """
    return shift / k


@requires(n=SAMPLE_SIZE, k=COUNT)
def expected_top_k_exponential(n: Numeric, k: Numeric) -> Numeric:
    r"""$E\,AT_k=1+H_n-H_k$ for n standard exponential losses.

    Parameters
    ----------
    n, k : int or array
        $1\le k\le n$.

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(expected_top_k_exponential(20, 2)), 7)
    3.0977397
    """
    return 1 + _harmonic(n) - _harmonic(k)


@requires(nu=UNIT_INTERVAL)
def cvar_exponential(nu: Numeric) -> Numeric:
    r"""CVaR of the standard exponential law: $1+\log(1/\nu)$.

    Parameters
    ----------
    nu : float or array
        Tail mass in (0, 1].

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(cvar_exponential(0.1)), 7)
    3.3025851
    """
    return 1 - np.log(nu)


@requires(n=SAMPLE_SIZE, delta=LEVEL, radius=NONNEGATIVE)
def uniform_hinge(n: Numeric, delta: Numeric, radius: Numeric) -> Numeric:
    r"""Lemma 5: $\sup\mathcal E_h-\mathcal E_{h,z}\le2\kappa R/\sqrt n+\varepsilon$ over a ball.

    $\varepsilon=(1+\kappa R)\sqrt{\log(1/\delta)/2n}$.

    Parameters
    ----------
    n : int or array
    delta : float or array
        Probability in (0, 1).
    radius : float or array
        $\kappa R$.

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


@requires(n=SAMPLE_SIZE, delta=LEVEL, half_range=NONNEGATIVE)
def hoeffding(n: Numeric, delta: Numeric, half_range: Numeric) -> Numeric:
    r"""Lemma 6: a mean exceeds its expectation by at most $M\sqrt{2\log(1/\delta)/n}$.

    Parameters
    ----------
    n : int or array
    delta : float or array
    half_range : float or array
        $M$, half of the range of one variable.

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(hoeffding(100, 0.05, 1.0)), 6)
    0.244775
    """
    return half_range * np.sqrt(-2 * np.log(delta) / n)


@requires(n=SAMPLE_SIZE, mu=POSITIVE, kappa_norm=NONNEGATIVE)
def exceedance(n: Numeric, mu: Numeric, kappa_norm: Numeric) -> Numeric:
    r"""(16) with its direction mended: how often the training risk of $f_H$ is off by $\mu/2$.

    $$P\Big(\mathcal E_{h,z}(f_H)-\mathcal E_h(f_H)>\frac\mu2\Big)\le
      \exp\Big(-\frac{n\mu^2}{2(1+\kappa\|f_H\|)^2}\Big).$$

    Parameters
    ----------
    n : int or array
    mu : float or array
    kappa_norm : float or array
        $\kappa\|f_H\|$.

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


@requires(nu=UNIT_INTERVAL, C=POSITIVE, mu=POSITIVE, norm=POSITIVE)
def margin_floor_printed(nu: Numeric, C: Numeric, mu: Numeric, norm: Numeric) -> Numeric:
    r"""(17): $\rho_z\ge\frac nk\min\{\frac\mu4,\frac{C\mu^2}{8\|f_H\|^2}\}$ on the event of (16).

    Parameters
    ----------
    nu, C, mu, norm : float or array
        $k/n$, $C$, $\mu$, $\|f_H\|$.

    Returns
    -------
    float or array
        A margin.

    Examples
    --------
    >>> float(margin_floor_printed(0.5, 1.0, 0.5, 1.0))
    0.0625
    """
    return np.minimum(mu / 4, C * mu**2 / (8 * norm**2)) / nu


@requires(nu=UNIT_INTERVAL, C=POSITIVE, advantage=NONNEGATIVE, norm=POSITIVE)
def margin_floor(nu: Numeric, C: Numeric, advantage: Numeric, norm: Numeric) -> Numeric:
    r"""$\rho_z\ge\min\{1,C(\nu-\mathcal E_z(g))_+^2/(\nu\|g\|^2)\}$, for all samples and $g$.

    Parameters
    ----------
    nu, C : float or array
    advantage : float or array
        $(\nu-\mathcal E_z(g))_+$, with the training hinge risk of $g$.
    norm : float or array
        $\|g\|$.

    Returns
    -------
    float or array
        A margin.

    Examples
    --------
    >>> float(margin_floor(0.5, 1.0, 0.5, 1.0))
    0.5
    """
    return np.minimum(1.0, C * advantage**2 / (nu * norm**2))


@requires(nu=UNIT_INTERVAL, C=POSITIVE, mu=POSITIVE, norm=POSITIVE)
def norm_margin_printed(nu: Numeric, C: Numeric, mu: Numeric, norm: Numeric) -> Numeric:
    r"""Lemma 7: $\|f_z\|/\rho_z\le2\nu\max\{\sqrt{2C/\mu},2\|f_H\|/\mu\}$ on the event of (16).

    Parameters
    ----------
    nu, C, mu, norm : float or array

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(norm_margin_printed(0.3, 1.0, 0.1, 1.0)), 4)
    12.0
    """
    return 2 * nu * np.maximum(np.sqrt(2 * C / mu), 2 * norm / mu)


@requires(nu=UNIT_INTERVAL, C=POSITIVE, advantage=POSITIVE, norm=POSITIVE)
def norm_margin(nu: Numeric, C: Numeric, advantage: Numeric, norm: Numeric) -> Numeric:
    r"""$\|f_z\|/\rho_z\le\max\{\sqrt{C\nu},\nu\|g\|/(\nu-\mathcal E_z(g))\}$, whatever the sample.

    Parameters
    ----------
    nu, C : float or array
    advantage : float or array
        $\nu-\mathcal E_z(g)>0$.
    norm : float or array
        $\|g\|$.

    Returns
    -------
    float or array

    Notes
    -----
    At most half the right side of Lemma 7 on its event.

    Examples
    --------
    >>> float(norm_margin(0.5, 0.01, 0.5, 1.0))
    1.0
    """
    return np.maximum(np.sqrt(C * nu), nu * norm / advantage)


@requires(C=POSITIVE, norm=NONNEGATIVE, kappa=POSITIVE)
def c_kappa(C: Numeric, norm: Numeric, kappa: Numeric) -> Numeric:
    r"""$C_{\kappa,\mathcal H}=\kappa(2\sqrt{2C}+4\|f_H\|)$, above 4 wherever $f_H$ exists.

    Parameters
    ----------
    C, norm, kappa : float or array

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(c_kappa(1.0, 1.0, 1.0)), 3)
    6.828
    """
    return kappa * (2 * np.sqrt(2 * C) + 4 * norm)


@requires(nu=UNIT_INTERVAL, C=POSITIVE, mu=POSITIVE, norm=NONNEGATIVE)
def radius(nu: Numeric, C: Numeric, mu: Numeric, norm: Numeric) -> Numeric:
    r"""$R_{C,\mu}=\frac{2\sqrt{2C}+4\|f_H\|}\mu$, which is at least the right side of Lemma 7.

    Parameters
    ----------
    nu : float or array
        Not used: the printed radius has $k/n\le1$ in it.
    C, mu, norm : float or array

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(radius(0.5, 1.0, 0.5, 1.0)), 3)
    13.657
    """
    return (2 * np.sqrt(2 * C) + 4 * norm) / mu + 0 * nu


_SAMPLE: dict[str, Any] = dict(
    n=SAMPLE_SIZE, delta=LEVEL, mu=POSITIVE, C=POSITIVE, kappa=POSITIVE, norm=NONNEGATIVE,
    approximation=NONNEGATIVE,
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

    Parameters
    ----------
    n : int or array
    delta : float or array
        Probability.
    mu : float or array
        In $(0,1-\mathcal E_h(f_H))$; $k=\lceil n(\mathcal E_h(f_H)+\mu)\rceil$.
    C, kappa, norm, approximation : float or array
        $C$, $\kappa$, $\|f_H\|$, $A$.

    Returns
    -------
    float or array
        Excess risk.

    Examples
    --------
    >>> round(float(theorem_2_printed(10**6, 0.05, 0.1, 0.01, 1.0, 1.0, 0.0)), 4)
    0.2182
    """
    constant = 1 + c_kappa(C, norm, kappa)
    return mu + approximation + _epsilon(n, delta, mu, constant) + constant / np.sqrt(n * mu)


@requires(**_SAMPLE)
def theorem_2_root_mu(
    n: Numeric, delta: Numeric, mu: Numeric, C: Numeric, kappa: Numeric, norm: Numeric,
    approximation: Numeric,
) -> Numeric:
    r"""Theorem 2 in the reading that its proof is of: $\frac{1+C_{\kappa H}}{\sqrt n\,\mu}$.

    Parameters
    ----------
    n, delta, mu, C, kappa, norm, approximation : float or array
        As in `theorem_2_printed`.

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
    constant = 1 + c_kappa(C, norm, kappa)
    return mu + approximation + _epsilon(n, delta, mu, constant) + constant / (np.sqrt(n) * mu)


@requires(**_SAMPLE)
def theorem_2_proved(
    n: Numeric, delta: Numeric, mu: Numeric, C: Numeric, kappa: Numeric, norm: Numeric,
    approximation: Numeric,
) -> Numeric:
    r"""What print proves: $\mu+\frac1n+A+\varepsilon+\frac{2C_{\kappa H}}{\sqrt n\,\mu}$.

    Parameters
    ----------
    n, delta, mu, C, kappa, norm, approximation : float or array
        As in `theorem_2_printed`.

    Returns
    -------
    float or array
        Excess risk.

    Examples
    --------
    >>> round(float(theorem_2_proved(10**6, 0.05, 0.1, 0.01, 1.0, 1.0, 0.0)), 4)
    0.2871
    """
    inner = c_kappa(C, norm, kappa)
    return (mu + 1 / n + approximation + _epsilon(n, delta, mu, 1 + inner)
            + 2 * inner / (np.sqrt(n) * mu))


@requires(risk=NONNEGATIVE, **_SAMPLE)
def theorem_2_sharp(
    n: Numeric, delta: Numeric, mu: Numeric, C: Numeric, kappa: Numeric, norm: Numeric,
    approximation: Numeric, risk: Numeric,
) -> Numeric:
    r"""The repaired theorem: $(\nu-\mathcal E_h(f_H))+A+\varepsilon+2\kappa\bar R/\sqrt n$.

    $\bar R=\max(\sqrt{C\nu},2\nu\|f_H\|/\mu)$, and $\delta$ is
    $e^{-n\mu^2/2(1+\kappa\|f_H\|)^2}+e^{-2n\varepsilon^2/(1+\kappa\bar R)^2}$.

    Parameters
    ----------
    n, delta, mu, C, kappa, norm, approximation : float or array
        As in `theorem_2_printed`.
    risk : float or array
        $\mathcal E_h(f_H)$, which gives $k=\lceil n(\mathcal E_h(f_H)+\mu)\rceil$.

    Returns
    -------
    float or array
        Excess risk; infinite where the first term alone exceeds $\delta$.

    Examples
    --------
    >>> round(float(theorem_2_sharp(1000, 0.05, 0.2, 0.01, 1.0, 1.0, 0.0, 0.2)), 4)
    0.6511
    """
    nu = _tail(n, risk, mu)
    ball = kappa * np.maximum(np.sqrt(C * nu), 2 * nu * norm / mu)
    left = delta - exceedance(n, mu, kappa * norm)
    usable = left > 0
    log = -np.log(_where(usable, left, 1.0))
    spread = (1 + ball) * np.sqrt(_where(usable, log, 0.0) / (2 * n))
    total = nu - risk + approximation + spread + 2 * ball / np.sqrt(n)
    return _where(usable, total, np.inf)


def _tail(n: Numeric, risk: Numeric, mu: Numeric) -> Numeric:
    # Rounding must not lift a whole number to the next.
    return np.ceil(n * (risk + mu) - 1e-9 * n) / n


def _where(condition: Numeric, value: Numeric, other: float) -> Numeric:
    """``np.where`` that keeps labelled arrays."""
    if hasattr(condition, "where"):
        return (value + 0 * condition).where(condition, other)
    return np.where(condition, value, other)[()]


def _epsilon(n: Numeric, delta: Numeric, mu: Numeric, constant: Numeric) -> Numeric:
    epsilon = constant / mu * np.sqrt((np.log(2) - np.log(delta)) / n)
    return _where(epsilon <= 1, epsilon, np.inf)


@requires(nu=UNIT_INTERVAL, C=POSITIVE, kappa=POSITIVE, norm=NONNEGATIVE, margin=POSITIVE,
          n=SAMPLE_SIZE, delta=LEVEL)
def data_margin(
    n: Numeric, delta: Numeric, nu: Numeric, C: Numeric, kappa: Numeric, norm: Numeric,
    margin: Numeric,
) -> Numeric:
    r"""Risk of the trained machine from what training shows: neither $f_H$ nor $\mu$ is needed.

    $$\mathcal R(\mathrm{sign}f_z)\le\nu-\frac{\|f_z\|^2}{C\rho_z}+\frac{2\kappa r'}{\sqrt n}
      +(1+\kappa r')\sqrt{\frac{\log(j^2\pi^2/6\delta)}{2n}},$$

    $r'=2^{j-1}$ the least power of two above $\max(\|f_z\|/\rho_z,1)$.

    Parameters
    ----------
    n : int or array
    delta, nu, C, kappa : float or array
    norm, margin : float or array
        $\|f_z\|$ and $\rho_z>0$.

    Returns
    -------
    float or array
        Risk.

    Examples
    --------
    >>> round(float(data_margin(10**4, 0.05, 0.4, 1.0, 1.0, 0.2, 0.2)), 4)
    0.2464
    """
    ratio = np.maximum(norm / margin, 1.0)
    j = np.ceil(np.log2(ratio)) + 1
    ball = kappa * 2 ** (j - 1)
    log = np.log(j**2 * np.pi**2 / 6) - np.log(delta)
    return (nu - norm**2 / (C * margin) + 2 * ball / np.sqrt(n)
            + (1 + ball) * np.sqrt(log / (2 * n)))


@requires(start=NONNEGATIVE, squares=NONNEGATIVE, total=POSITIVE)
def sgd_gap(start: Numeric, squares: Numeric, total: Numeric) -> Numeric:
    r"""How far the average of the iterates of (4) is from the optimum, in the mean.

    $$E F(\bar\theta_T)-F^*\le
      \frac{\|\theta_1-\theta^*\|^2+E\sum\eta_t^2\|g_t\|^2}{2\sum\eta_t}.$$

    Parameters
    ----------
    start : float or array
        $\|\theta_1-\theta^*\|^2$, with $\theta=(w,\lambda)$.
    squares : float or array
        $\sum\eta_t^2\|g_t\|^2$.
    total : float or array
        $\sum\eta_t$.

    Returns
    -------
    float or array
        In the unit of the objective; for the average of the iterates, weighted by the steps.

    Examples
    --------
    >>> float(sgd_gap(1.0, 1.0, 10.0))
    0.1
    """
    return (start + squares) / (2 * total)


@requires(n=SAMPLE_SIZE, delta=LEVEL, nu=UNIT_INTERVAL, bound=POSITIVE)
def brown_upper(n: Numeric, delta: Numeric, nu: Numeric, bound: Numeric) -> Numeric:
    r"""By how much the sample underrates the CVaR (Brown 2007): $M\sqrt{5\log(3/\delta)/(\nu n)}$.

    Parameters
    ----------
    n : int or array
    delta, nu : float or array
        Probability, tail mass.
    bound : float or array
        $M$: losses lie in [0, M].

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(brown_upper(1000, 0.05, 0.1, 1.0)), 4)
    0.4525
    """
    return bound * np.sqrt(5 * (np.log(3) - np.log(delta)) / (nu * n))


@requires(n=SAMPLE_SIZE, delta=LEVEL, nu=UNIT_INTERVAL, bound=POSITIVE)
def brown_lower(n: Numeric, delta: Numeric, nu: Numeric, bound: Numeric) -> Numeric:
    r"""By how much the sample overrates it (Brown 2007): $\frac M\nu\sqrt{\log(1/\delta)/2n}$.

    Parameters
    ----------
    n, delta, nu, bound
        As in `brown_upper`.

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(brown_lower(1000, 0.05, 0.1, 1.0)), 4)
    0.387
    """
    return bound / nu * np.sqrt(-np.log(delta) / (2 * n))


def thomas_upper(losses: ArrayLike, delta: Numeric, nu: float, bound: float) -> Any:
    r"""Upper confidence limit of the CVaR from the ordered losses (Thomas and Learned-Miller 2019).

    Parameters
    ----------
    losses : array_like, shape (..., n)
        In [0, bound].
    delta : float or array
        Probability; its shape broadcasts with the leading axes.
    nu, bound : float
        Tail mass; $M$.

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(thomas_upper([0.0] * 100, 0.05, 1.0, 1.0)) < 0.13
    True
    """
    z = np.sort(np.asarray(losses, float), axis=-1)
    n = z.shape[-1]
    LEVEL.check("delta", delta)
    UNIT_INTERVAL.check("nu", nu)
    end = np.full((*z.shape[:-1], 1), float(bound))
    steps = np.diff(np.concatenate([z, end], axis=-1), axis=-1)
    i = np.arange(1, n + 1)
    width = np.sqrt(-np.log(np.asarray(delta, float)) / (2 * n))
    share = np.maximum(i / n - width[..., None] - (1 - nu), 0)
    return bound - (steps * share).sum(axis=-1) / nu + 0 * delta


@requires(n=SAMPLE_SIZE, delta=LEVEL, nu=UNIT_INTERVAL, radius=NONNEGATIVE, bound=POSITIVE)
def uniform_cvar(
    n: Numeric, delta: Numeric, nu: Numeric, radius: Numeric, bound: Numeric
) -> Numeric:
    r"""By how much a sample underrates the CVaR over a ball: what Section 6 calls open.

    $$\frac1\nu\Big(\frac{2L\kappa R}{\sqrt n}+\frac M{\sqrt n}
      +M\sqrt{\frac{\log(1/\delta)}{2n}}\Big).$$

    Parameters
    ----------
    n, delta, nu
        As in `brown_upper`.
    radius : float or array
        $L\kappa R$: Lipschitz constant of the loss times the largest score.
    bound : float or array
        $M$: losses lie in [0, M].

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(uniform_cvar(10**4, 0.05, 0.5, 1.0, 2.0)), 4)
    0.129
    """
    return (2 * radius + bound + bound * np.sqrt(-np.log(delta) / 2)) / (nu * np.sqrt(n))


def _harmonic(n: Numeric) -> Numeric:
    """Sums of reciprocals, to rounding."""
    from scipy import special

    found = special.digamma(np.asarray(n, float) + 1) + np.euler_gamma
    return n * 0 + found if hasattr(n, "dims") else found
