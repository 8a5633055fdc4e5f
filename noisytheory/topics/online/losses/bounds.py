r"""Majorants of smoothed losses as printed and repaired, and what smoothing costs."""

from __future__ import annotations

import numpy as np
from scipy import special

from noisytheory.topics.online.bounds import SHARPNESS
from noisytheory.vocabulary.domains import NONNEGATIVE, POSITIVE, Numeric, requires

__all__ = [
    "absolute_majorant", "absolute_majorant_printed", "hinge_majorant_cramer",
    "hinge_majorant_printed", "hinge_majorant_shifted", "smoothing_gap",
]


def _sum(z: Numeric) -> Numeric:
    r"""$\frac{2(e^{z^2}-1)}{z\sqrt\pi}$, infinite where that is too large for a number."""
    with np.errstate(over="ignore"):
        return 2 * np.expm1(z**2) / (z * np.sqrt(np.pi))


@requires(z=POSITIVE.of("Sharpness times argument, $z=sa$."))
def absolute_majorant_printed(z: Numeric) -> Numeric:
    r"""Example 3 as printed: $\ell'_+\le\frac12+\frac{e^{z^2}-1}{z\sqrt\pi}$, $z=sa$.

    Returns
    -------
    float or array

    Notes
    -----
    False for $z>0.7918$: the majorant is $\mathrm{erfi}(z)$.

    Examples
    --------
    >>> round(float(absolute_majorant_printed(1.0)), 5)
    1.46944
    """
    return 0.5 + _sum(z) / 2


@requires(z=POSITIVE.of("Sharpness times argument, $z=sa$."))
def absolute_majorant(z: Numeric) -> Numeric:
    r"""Example 3 repaired: $\mathrm{erfi}(z)\le\frac2{z\sqrt\pi}(e^{z^2}-1)$.

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(absolute_majorant(1.0)), 5)
    1.93887
    """
    return _sum(z)


@requires(s=SHARPNESS, a=POSITIVE)
def hinge_majorant_printed(s: Numeric, a: Numeric) -> Numeric:
    r"""Example 4 as printed: $\frac2{z\sqrt\pi}e^{z^2-1}$, $z=sa$.

    Returns
    -------
    float or array

    Notes
    -----
    False on an interval of $a$ for every $s$ tried.

    Examples
    --------
    >>> round(float(hinge_majorant_printed(1.0, 1.0)), 6)
    1.128379
    """
    z = s * a
    with np.errstate(over="ignore"):
        return 2 * np.exp(z**2 - 1) / (z * np.sqrt(np.pi))


@requires(s=SHARPNESS, a=NONNEGATIVE)
def hinge_majorant_shifted(s: Numeric, a: Numeric) -> Numeric:
    r"""$\frac12(1+\mathrm{Erf}\,s)+\frac12[\mathrm{erfi}(s(1+a))-\mathrm{erfi}(s)]$.

    Returns
    -------
    float or array

    Notes
    -----
    Ours; tight for small $s$ only.

    Examples
    --------
    >>> round(float(hinge_majorant_shifted(1.0, 1.0)), 3)
    9.379
    """
    return (1 + special.erf(s)) / 2 + (special.erfi(s * (1 + a)) - special.erfi(s)) / 2


@requires(s=SHARPNESS, a=NONNEGATIVE)
def hinge_majorant_cramer(s: Numeric, a: Numeric) -> Numeric:
    r"""$\frac{1+\mathrm{Erf}\,s}2+\frac{e^{-s^2/2}}{\sqrt\pi}\sum_{n\ge1}\frac{(sa)^n\sqrt{2^{n-1}(n-1)!}}{n!}$.

    Returns
    -------
    float or array

    Notes
    -----
    Ours, from Cramér's bound on Hermite functions with the constant 1 (Indritz 1961).

    Examples
    --------
    >>> round(float(hinge_majorant_cramer(1.0, 1.0)), 3)
    1.878
    """
    z = s * a
    term, total = z, z * 1.0
    with np.errstate(over="ignore"):
        for n in range(1, 400):
            term = term * z * np.sqrt(2 * n) / (n + 1)
            total = total + term
            if np.all(term <= 1e-18 * total):
                break
    return (1 + special.erf(s)) / 2 + np.exp(-(s**2) / 2) / np.sqrt(np.pi) * total


@requires(s=SHARPNESS)
def smoothing_gap(s: Numeric) -> Numeric:
    r"""$\sup_a|A_s(a)-|a||=\frac1{s\sqrt\pi}$; half of it for the hinge.

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(smoothing_gap(1.0)), 4)
    0.5642
    """
    return 1 / (s * np.sqrt(np.pi))
