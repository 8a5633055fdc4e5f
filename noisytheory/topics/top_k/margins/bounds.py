r"""What margin, norm over margin and risk of the trained machine are, as printed and as proved.

$\mathcal E_h$ is the hinge risk, $f_H$ its minimiser of least norm over the class, $\nu=k/n$.
"""

from __future__ import annotations

import numpy as np

from noisytheory.topics.top_k.constants.bounds import (
    ADVANTAGE,
    KAPPA,
    MU,
    NORM,
    REGULARISATION,
    TAIL_MASS,
)
from noisytheory.topics.top_k.lemmas.bounds import uniform_hinge
from noisytheory.vocabulary.domains import (
    LEVEL,
    NONNEGATIVE,
    POSITIVE,
    SAMPLE_SIZE,
    Numeric,
    requires,
)

__all__ = [
    "data_margin", "margin_floor", "margin_floor_printed", "norm_margin", "norm_margin_printed",
    "training_risk",
]


_SOME = POSITIVE.of(NORM.meaning)
_OTHER = POSITIVE.of(r"$\|g\|$.")
_TRAINED = NONNEGATIVE.of(r"$\|f_z\|$.")
_ITS_MARGIN = POSITIVE.of(r"$\rho_z$.")


@requires(nu=TAIL_MASS, C=REGULARISATION, mu=MU, norm=_SOME)
def margin_floor_printed(nu: Numeric, C: Numeric, mu: Numeric, norm: Numeric) -> Numeric:
    r"""(17): $\rho_z\ge\frac nk\min\{\frac\mu4,\frac{C\mu^2}{8\|f_H\|^2}\}$ on the event of (16).

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


@requires(nu=TAIL_MASS, C=REGULARISATION, advantage=ADVANTAGE, norm=_OTHER)
def margin_floor(nu: Numeric, C: Numeric, advantage: Numeric, norm: Numeric) -> Numeric:
    r"""$\rho_z\ge\min\{1,C(\nu-\mathcal E_z(g))_+^2/(\nu\|g\|^2)\}$, for all samples and $g$.

    Returns
    -------
    float or array
        A margin.

    Examples
    --------
    >>> float(margin_floor(0.5, 1.0, 0.5, 1.0))
    0.5
    """
    return np.minimum(1, C * advantage**2 / (nu * norm**2))


@requires(nu=TAIL_MASS, C=REGULARISATION, mu=MU, norm=_SOME)
def norm_margin_printed(nu: Numeric, C: Numeric, mu: Numeric, norm: Numeric) -> Numeric:
    r"""Lemma 7: $\|f_z\|/\rho_z\le2\nu\max\{\sqrt{2C/\mu},2\|f_H\|/\mu\}$ on the event of (16).

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(norm_margin_printed(0.3, 1.0, 0.1, 1.0)), 4)
    12.0
    """
    return 2 * nu * np.maximum(np.sqrt(2 * C / mu), 2 * norm / mu)


@requires(
    nu=TAIL_MASS, C=REGULARISATION, advantage=POSITIVE.of(f"{ADVANTAGE.meaning} At most nu."),
    norm=NONNEGATIVE.of(_OTHER.meaning),
)
def norm_margin(nu: Numeric, C: Numeric, advantage: Numeric, norm: Numeric) -> Numeric:
    r"""How large $\|f_z\|/\rho_z$ is at most, whatever the sample and g.

    $$\max\Big\{\frac{\nu\|g\|}{\nu-\mathcal E_z(g)},\
      \frac{\|g\|}2+\sqrt{\frac{\|g\|^2}4+C\,\mathcal E_z(g)}\Big\}.$$

    Returns
    -------
    float or array

    Notes
    -----
    With $C'=C/\rho_z$ the machine at margin 1, $h=f_z/\rho_z$, minimises
    $\mathcal E_z+\|\cdot\|^2/2C'$, which is strongly convex, so that
    $\|h\|^2-\|g\|\|h\|\le C'(\mathcal E_z(g)-\mathcal E_z(h))$. At $\rho_z=1$ this is the second
    entry; below 1 it is the first, as $\mathcal E_z(h)=\nu-\|h\|^2/C'$ there (`training_risk`).
    The larger is at most $\max\{\sqrt{C\nu},\nu\|g\|/(\nu-\mathcal E_z(g))\}$, hence at most half
    the right side of Lemma 7 on its event.

    Examples
    --------
    >>> float(norm_margin(0.5, 0.01, 0.5, 1.0))
    1.0
    """
    beyond = np.asarray(advantage > nu * (1 + 1e-9))
    if beyond.any():
        most = np.asarray(advantage + 0 * nu)
        raise ValueError(f"advantage must be at most nu, got {most[beyond].flat[0]:g}")
    risk = np.maximum(nu - advantage, 0)
    return np.maximum(nu * norm / advantage, norm / 2 + np.sqrt(norm**2 / 4 + C * risk))


@requires(nu=TAIL_MASS, C=REGULARISATION, norm=_TRAINED, margin=_ITS_MARGIN)
def training_risk(nu: Numeric, C: Numeric, norm: Numeric, margin: Numeric) -> Numeric:
    r"""$\mathcal E_z(f_z/\rho_z)\le\nu-\frac{\|f_z\|^2}{C\rho_z}$, with equality if $\rho_z<1$.

    Returns
    -------
    float or array
        Training hinge risk of the machine at margin 1.

    Examples
    --------
    >>> round(float(training_risk(0.4, 1.0, 0.2, 0.2)), 6)
    0.2
    """
    return nu - norm**2 / (C * margin)


@requires(
    n=SAMPLE_SIZE, delta=LEVEL, nu=TAIL_MASS, C=REGULARISATION, kappa=KAPPA, norm=_TRAINED,
    margin=_ITS_MARGIN,
)
def data_margin(
    n: Numeric, delta: Numeric, nu: Numeric, C: Numeric, kappa: Numeric, norm: Numeric,
    margin: Numeric,
) -> Numeric:
    r"""Risk of the trained machine from what training shows: neither $f_H$ nor $\mu$ is needed.

    $$\mathcal R(\mathrm{sign}f_z)\le\nu-\frac{\|f_z\|^2}{C\rho_z}+\frac{2\kappa r'}{\sqrt n}
      +(1+\kappa r')\sqrt{\frac{\log(j^2\pi^2/6\delta)}{2n}},$$

    $r'=2^{j-1}$ the least power of two above $\max(\|f_z\|/\rho_z,1)$. A trained machine has
    $\|f_z\|^2\le C\nu\rho_z$: more is refused.

    Returns
    -------
    float or array
        Risk.

    Examples
    --------
    >>> round(float(data_margin(10**4, 0.05, 0.4, 1.0, 1.0, 0.2, 0.2)), 4)
    0.2464
    """
    # A trained machine's risk at margin 1 is not below 0.
    beyond = np.asarray(norm**2 > (1 + 1e-6) * C * nu * margin)
    if beyond.any():
        most = np.asarray(norm + 0 * (C * nu * margin))
        raise ValueError("norm must be at most the root of C nu margin, as a trained machine's is, "
                         f"got {most[beyond].flat[0]:g}")
    ratio = np.maximum(norm / margin, 1.0)
    j = np.ceil(np.log2(ratio)) + 1
    level = delta * 6 / (j**2 * np.pi**2)
    return training_risk(nu, C, norm, margin) + uniform_hinge(n, level, kappa * 2 ** (j - 1))
