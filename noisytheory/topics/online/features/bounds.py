r"""Second moments of estimated features and of gradient lengths, and Theorem 2's radius.

$B_w$ is the squared radius of the ball, $B_x$ a bound on $\mathbb E\|\tilde x\|^2$ (the clean
instance and its noise together), and $Q$ the kernel's series: ``kernel.at``.
"""

from __future__ import annotations

import numpy as np

from noisytheory.topics.online.bounds import (
    ABOVE_1,
    BALL,
    BALL_OR_POINT,
    INSTANCE,
    LABEL,
    MAP,
    WIDTH,
    Enveloped,
    Function,
    Majorised,
    label_bound,
)
from noisytheory.vocabulary.domains import NONNEGATIVE, REAL, Numeric, requires

__all__ = [
    "gaussian_kernel", "gradient_second_moment", "map_second_moment", "map_second_moment_gaussian",
    "map_second_moment_gaussian_printed", "noisy_exponential_kernel", "radius_gaussian",
    "radius_gaussian_printed",
]


@requires(p=ABOVE_1, Bx=INSTANCE)
def map_second_moment(p: Numeric, Bx: Numeric, kernel: Function) -> Numeric:
    r"""Lemma 3: $\mathbb E\|\tilde\Psi\|^2\le\frac p{p-1}Q(pB_x)$, attained for like calls.

    Parameters
    ----------
    kernel : object with ``at``
        Of the Gaussian one, whose map has an envelope, this is `map_second_moment_gaussian`.
        Infinite where the series is.

    Returns
    -------
    float or array

    Examples
    --------
    >>> from noisytheory.vocabulary.dot_products import LinearProduct
    >>> float(map_second_moment(2.0, 1.0, LinearProduct()))
    4.0
    """
    if isinstance(kernel, Enveloped):
        return map_second_moment_gaussian(p, Bx, kernel.sigma2)
    with np.errstate(over="ignore"):
        return p / (p - 1) * kernel.at(p * Bx)


@requires(p=ABOVE_1, Bw=BALL_OR_POINT, Bpsi=MAP, By=LABEL)
def gradient_second_moment(
    p: Numeric, Bw: Numeric, Bpsi: Numeric, loss: Majorised, By: Numeric | None = None
) -> Numeric:
    r"""Lemma 2: $\mathbb E\tilde g^2\le\frac p{p-1}\ell'_+(\sqrt p(\sqrt{B_wB_\Psi}+B_y))^2$.

    Parameters
    ----------
    loss : object with ``majorant``

    Returns
    -------
    float or array

    Examples
    --------
    >>> from noisytheory.vocabulary.analytic import SquaredLoss
    >>> round(float(gradient_second_moment(2.0, 1.0, 2.0, SquaredLoss(0.0))), 9)
    32.0
    """
    reach = np.sqrt(p) * (np.sqrt(Bw * Bpsi) + label_bound(By, loss))
    return p / (p - 1) * loss.majorant(reach) ** 2


@requires(p=ABOVE_1, Bw=BALL, Bx=INSTANCE, sigma2=WIDTH)
def radius_gaussian_printed(p: Numeric, Bw: Numeric, Bx: Numeric, sigma2: Numeric) -> Numeric:
    r"""Theorem 2 as printed: $u=B_w(\frac p{p-1})^3\exp((\sqrt pB_x+2p\sqrt{B_x})/\sigma^2)$.

    Returns
    -------
    float or array

    Notes
    -----
    False: it depends on the unit of $x$. See `radius_gaussian`.

    Examples
    --------
    >>> round(float(radius_gaussian_printed(2.0, 1.0, 1.0, 1.0)) / 2, 2)
    898.3
    """
    return Bw * (p / (p - 1)) ** 3 * np.exp((np.sqrt(p) * Bx + 2 * p * np.sqrt(Bx)) / sigma2)


@requires(p=ABOVE_1, Bw=BALL, Bx=INSTANCE, sigma2=WIDTH)
def radius_gaussian(p: Numeric, Bw: Numeric, Bx: Numeric, sigma2: Numeric) -> Numeric:
    r"""Theorem 2 repaired: $u=B_w(\frac p{p-1})^3\exp(2(\sqrt p+p)B_x/\sigma^2)$.

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(radius_gaussian(2.0, 1.0, 1.0, 1.0)))
    7390
    """
    with np.errstate(over="ignore"):
        return Bw * (p / (p - 1)) ** 3 * np.exp(2 * (np.sqrt(p) + p) * Bx / sigma2)


@requires(p=ABOVE_1, Bx=INSTANCE, sigma2=WIDTH)
def map_second_moment_gaussian_printed(p: Numeric, Bx: Numeric, sigma2: Numeric) -> Numeric:
    r"""What the printed $u$ says of $\mathbb E\|\tilde\Psi\|^2$: $\frac{p-1}p\,u/B_w$.

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(map_second_moment_gaussian_printed(2.0, 1.0, 1.0)), 2)
    898.3
    """
    return (p - 1) / p * radius_gaussian_printed(p, 1.0, Bx, sigma2)


@requires(p=ABOVE_1, Bx=INSTANCE, sigma2=WIDTH)
def map_second_moment_gaussian(p: Numeric, Bx: Numeric, sigma2: Numeric) -> Numeric:
    r"""$\mathbb E\|\tilde\Psi\|^2\le(\frac p{p-1})^2\exp(2(\sqrt p+p)B_x/\sigma^2)$.

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(map_second_moment_gaussian(2.0, 1.0, 1.0)), 1)
    3694.9
    """
    return (p - 1) / p * radius_gaussian(p, 1.0, Bx, sigma2)


@requires(x=REAL, z=REAL, sigma2=WIDTH)
def gaussian_kernel(x: Numeric, z: Numeric, sigma2: Numeric) -> Numeric:
    r"""$e^{-(x-z)^2/\sigma^2}$ on the line.

    Returns
    -------
    float or array

    Examples
    --------
    >>> float(gaussian_kernel(1.0, 1.0, 2.0))
    1.0
    """
    return np.exp(-((x - z) ** 2) / sigma2)


@requires(x=REAL, z=REAL, s2=NONNEGATIVE.of("Variance of the noise."))
def noisy_exponential_kernel(x: Numeric, z: Numeric, s2: Numeric) -> Numeric:
    r"""Mean of the exponential kernel at a copy with Gaussian noise: $e^{xz+s^2z^2/2}$.

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(noisy_exponential_kernel(0.0, 1.0, 2.0)), 6)
    2.718282
    """
    return np.exp(x * z + s2 * z**2 / 2)
