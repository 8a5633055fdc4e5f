r"""The constants of the error bounds: $C_{\kappa,\mathcal H}$ and $R_{C,\mu}$."""

from __future__ import annotations

import numpy as np

from noisytheory.topics.top_k.symbols import KAPPA, MU, NORM, REGULARISATION, TAIL_MASS
from noisytheory.vocabulary.domains import Numeric, requires

__all__ = ["c_kappa", "radius"]


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
    return (2 * np.sqrt(2 * C) + 4 * norm) / mu + 0 * nu
