r"""Symbols of the error bounds, and their constants $C_{\kappa,\mathcal H}$ and $R_{C,\mu}$."""

from __future__ import annotations

import numpy as np

from noisytheory.vocabulary.domains import NONNEGATIVE, POSITIVE, Domain, Numeric, requires

__all__ = [
    "ADVANTAGE", "APPROXIMATION", "HINGE_RISK", "KAPPA", "KAPPA_NORM", "LARGEST_LOSS",
    "MU", "NORM", "REGULARISATION", "TAIL_MASS", "c_kappa", "radius",
]

TAIL_MASS = Domain(0, 1, include_high=True, meaning=r"Tail mass $\nu=k/n$.")
REGULARISATION = POSITIVE.of(r"$C$: the objective has $\|f\|^2/2C$.")
MU = POSITIVE.of(r"$\mu$: $k=\lceil n(\mathcal E_h(f_H)+\mu)\rceil$, so $\mu<1-\mathcal E_h(f_H)$.")
KAPPA = POSITIVE.of(r"$\kappa=\sup_x\sqrt{K(x,x)}$.")
NORM = NONNEGATIVE.of(r"$\|f_H\|$, the least norm of a minimiser of the hinge risk.")
KAPPA_NORM = NONNEGATIVE.of(r"$\kappa\|f_H\|$.")
APPROXIMATION = NONNEGATIVE.of(r"Approximation error $A$: hinge risk of $f_H$ less the least.")
HINGE_RISK = NONNEGATIVE.of(r"$\mathcal E_h(f_H)$.")
ADVANTAGE = NONNEGATIVE.of(r"$(\nu-\mathcal E_z(g))_+$, with the training hinge risk of $g$.")
LARGEST_LOSS = POSITIVE.of("$M$: losses lie in [0, M].")


@requires(C=REGULARISATION, norm=NORM, kappa=KAPPA)
def c_kappa(C: Numeric, norm: Numeric, kappa: Numeric) -> Numeric:
    r"""$C_{\kappa,\mathcal H}=\kappa(2\sqrt{2C}+4\|f_H\|)$, above 4 wherever $f_H$ exists.

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(c_kappa(1.0, 1.0, 1.0)), 3)
    6.828
    """
    return kappa * (2 * np.sqrt(2 * C) + 4 * norm)


@requires(
    nu=TAIL_MASS.of("Not used: the printed radius has $k/n\\le1$ in it."), C=REGULARISATION,
    mu=MU, norm=NORM,
)
def radius(nu: Numeric, C: Numeric, mu: Numeric, norm: Numeric) -> Numeric:
    r"""$R_{C,\mu}=\frac{2\sqrt{2C}+4\|f_H\|}\mu$, which is at least the right side of Lemma 7.

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(radius(0.5, 1.0, 0.5, 1.0)), 3)
    13.657
    """
    return c_kappa(C, norm, 1.0) / mu + 0 * nu
