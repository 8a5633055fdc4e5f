r"""How many updates UMA makes, and with which error it stops."""

from __future__ import annotations

import numpy as np

from noisytheory.vocabulary.domains import (
    NONNEGATIVE,
    POSITIVE,
    Domain,
    Numeric,
    requires,
)

__all__ = [
    "final_error",
    "stuck_probability",
    "updates_exact",
    "updates_forced",
    "updates_noisy",
    "updates_unnormalised",
]

CLASSES = Domain(2, include_low=True, whole=True).of("Number of classes, Q.")
ETA = NONNEGATIVE.of(r"$\eta$, largest $\|z_{pq}-\mu^p_q\|$ along the run.")
THETA = POSITIVE.of(r"Margin $\theta$, with $\|W^*\|_F=1$.")
TOLERANCE = POSITIVE.of("Stop radius s.")
LENGTH = Domain(0, 1, include_high=True)


@requires(theta=THETA)
def updates_exact(theta: Numeric) -> Numeric:
    r"""Most updates with exact update vectors of length 1.

    $$K\le\frac2{\theta^2}.$$

    Returns
    -------
    float or array

    Notes
    -----
    Proposition 4 repaired: $z/\|z\|$ has margin $\theta$. Without the division it is false.

    Examples
    --------
    >>> float(updates_exact(0.5))
    8.0
    """
    return 2 / theta**2


@requires(
    theta=THETA,
    least=LENGTH.of("Smallest norm of an update vector along the run."),
    largest=LENGTH.of("Largest of them."),
)
def updates_unnormalised(theta: Numeric, least: Numeric, largest: Numeric) -> Numeric:
    r"""Most updates with exact update vectors of any length.

    $$K\le\frac2{\theta^2}\,\frac{(m_{\max}+m_{\min})^2}{4m_{\max}m_{\min}}.$$

    Returns
    -------
    float or array

    Notes
    -----
    Kantorovich's inequality; norms are at most the masses.

    Examples
    --------
    >>> float(updates_unnormalised(0.5, 0.5, 0.5))
    8.0
    """
    return 2 / theta**2 * (largest + least) ** 2 / (4 * largest * least)


def _of_bracket(bracket: Numeric) -> Numeric:
    """What a margin of unit steps allows; infinite where the noise leaves none."""
    with np.errstate(divide="ignore"):
        return 2 / np.maximum(bracket, 0.0) ** 2


@requires(theta=THETA, eta=ETA, tolerance=TOLERANCE)
def updates_noisy(theta: Numeric, eta: Numeric, tolerance: Numeric) -> Numeric:
    r"""Most updates of length 1 with ultraconservative steps from a sample.

    $$K\le\frac2{\big(\theta-(\theta+\sqrt2)\eta/s\big)^2}.$$

    Returns
    -------
    float or array

    Notes
    -----
    Proposition 4 repaired; infinite where the bracket is not positive.

    Examples
    --------
    >>> float(updates_noisy(0.5, 0.0, 0.1)), float(updates_noisy(0.5, 0.1, 0.1))
    (8.0, inf)
    """
    bracket = theta - (theta + np.sqrt(2)) * eta / tolerance
    return _of_bracket(bracket)


@requires(theta=THETA, eta=ETA, tolerance=TOLERANCE)
def updates_forced(theta: Numeric, eta: Numeric, tolerance: Numeric) -> Numeric:
    r"""Most updates of length 1 with forced steps from a sample.

    $$K\le\frac2{\big(\theta-(\theta+2\sqrt2)\eta/s\big)^2}.$$

    Returns
    -------
    float or array

    Notes
    -----
    Candidate, not in print. $\langle w_p-w_q,z\rangle\ge-\sqrt2\|W\|\eta$, so
    $\|W_K\|\le\sqrt2K\eta/s+\sqrt{2K}$, and
    $\langle W^*,W_K\rangle\ge K(\theta-(\theta+\sqrt2)\eta/s)$. Infinite where the bracket is not
    positive.

    Examples
    --------
    >>> float(updates_forced(0.5, 0.0, 0.1))
    8.0
    """
    bracket = theta - (theta + 2 * np.sqrt(2)) * eta / tolerance
    return _of_bracket(bracket)


@requires(theta=THETA, eta=ETA, tolerance=TOLERANCE, classes=CLASSES)
def final_error(theta: Numeric, eta: Numeric, tolerance: Numeric, classes: Numeric) -> Numeric:
    r"""Error when no update vector is longer than the tolerance.

    $$\Pr[f_W(X)\ne t(X)]\le\frac{\sqrt2\,Q(Q-1)(s+\eta)}\theta.$$

    Returns
    -------
    float or array

    Notes
    -----
    Candidate, not in print: $m_{pq}\le\sqrt2\|\mu^p_q\|/\theta$ for every pair. Forced
    steps get there.

    Examples
    --------
    >>> round(float(final_error(1.0, 0.0, 0.1, 2)), 6)
    0.282843
    """
    return np.sqrt(2) * classes * (classes - 1) * (tolerance + eta) / theta


@requires(mass=Domain(0, 1).of(
    "P, mass of the atom of class 0, which W = 0 predicts; that of class 1 has 1 - P."
))
def stuck_probability(mass: Numeric) -> Numeric:
    r"""Limit of the chance that ultraconservative steps stop with a class wholly wrong.

    $$\frac1{2\pi}\arctan\Big[\Big(\frac{1-P}P\Big)^{3/2}\Big].$$

    Returns
    -------
    float or array

    Notes
    -----
    Two orthonormal atoms, any symmetric noise, as n grows: the second pair's noise points the wrong
    way, and its error set is empty. Candidate, not in print.

    Examples
    --------
    >>> float(stuck_probability(0.5))
    0.125
    """
    return np.arctan(((1 - mass) / mass) ** 1.5) / (2 * np.pi)
