r"""The constants of the error bounds: $C_{\kappa,\mathcal H}$ and $R_{C,\mu}$."""

from __future__ import annotations

import numpy as np

from noisytheory.vocabulary.domains import NONNEGATIVE, POSITIVE, UNIT_INTERVAL, Numeric, requires

__all__ = ["c_kappa", "radius"]


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
