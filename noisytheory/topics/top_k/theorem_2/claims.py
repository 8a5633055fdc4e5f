"""Theorem 2 on the excess risk, Section 3.2, on trial."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from noisytheory.papers import TOP_K
from noisytheory.topics.top_k import pictures
from noisytheory.topics.top_k.linear_populations import axis_population, clusters, hopeless
from noisytheory.topics.top_k.terms import LEVELS, SIGN
from noisytheory.topics.top_k.theorem_2 import bounds, simulate
from noisytheory.vocabulary.domains import LEVEL, SAMPLE_SIZE, Numeric, requires

EXCESS: dict[str, Any] = {
    "place": "Theorem 2, Sec. 3.2",
    "hypotheses": ["finite populations, linear kernel", SIGN],
    "simulate": simulate.excess,
    "trivial": lambda largest_excess: largest_excess,
    "rows": 64,
    "quantity": "excess risk",
    "unit": "probability",
}
HARD = [hopeless(0.5, 0.1), hopeless(0.5, 0.01), clusters(9, 0.55),
        axis_population(0.9, 0.01, 0.1)]


def _without(bound: Any) -> Any:
    """The same, the approximation error left out."""

    @functools.wraps(bound)
    def less(approximation: Numeric, **given: Numeric) -> Any:
        return bound(**given, approximation=approximation * 0)

    return less


@requires(n=SAMPLE_SIZE, delta=LEVEL)
def _universal(n: Numeric, delta: Numeric, C: float, kappa: float, norm: float, mu: float) -> Any:
    r"""The corollary at its own level: both terms in epsilon where the level allows them.

    Infinite where $2e^{-n\mu^4/(1+C_{\kappa H})^2}>\delta$.
    """
    constant = 1 + bounds.checked_c_kappa(C, norm, kappa)
    probability = 2 * np.exp(-n * mu**4 / constant**2)
    return bounds.where(probability <= delta, 2 * mu + constant / (np.sqrt(n) * mu), np.inf)


theorem_2 = [
    TOP_K.tail(
        "theorem-2",
        statement=r"R(\mathrm{sign}f_z)-R^*\le\mu+A+\varepsilon+"
        r"\frac{1+C_{\kappa H}}{\sqrt n\,\mu},\quad"
        r"\delta=2e^{-n\mu^2\varepsilon^2/(1+C_{\kappa H})^2}",
        bound=bounds.theorem_2_root_mu,
        grid={"population": HARD, "n": [10**6, 10**11], "delta": LEVELS},
        twin={"bound": _without(bounds.theorem_2_root_mu), "why": "A left out"},
        note="In the reading $\\sqrt n\\mu$. The printed proof ends at twice that and 1/n; as "
        "Lemma 7 holds with half its right side the statement is true. $C_{\\kappa H}>4$, so below "
        "some thousand examples it says nothing: the picture shows from which n on each form does. "
        "No instance known needs $\\varepsilon$ or the last term: $\\mu$ and A are what is tried.",
        picture=pictures.theorem_2_from,
        **EXCESS,
    ),
    TOP_K.tail(
        "theorem-2/typeset",
        statement=r"R(\mathrm{sign}f_z)-R^*\le\mu+A+\varepsilon+"
        r"\frac{1+C_{\kappa H}}{\sqrt{n\mu}}",
        bound=bounds.theorem_2_printed,
        grid={"population": HARD, "n": [10**11], "delta": LEVELS},
        twin={"bound": _without(bounds.theorem_2_printed), "why": "A left out"},
        note="As it is typeset, $\\sqrt{n\\mu}$: proved where $k/n\\le\\sqrt\\mu$, else open; it "
        "holds in the cells tried.",
        **EXCESS,
    ),
    TOP_K.tail(
        "theorem-2/proved",
        statement=r"R(\mathrm{sign}f_z)-R^*\le\mu+\frac1n+A+\varepsilon+"
        r"\frac{2C_{\kappa H}}{\sqrt n\,\mu}",
        bound=bounds.theorem_2_proved,
        grid={"population": HARD, "n": [10**11], "delta": LEVELS},
        twin={"bound": _without(bounds.theorem_2_proved), "why": "A left out"},
        note="The line at which the printed proof ends.",
        **EXCESS,
    ),
    TOP_K.tail(
        "new-theorem-2-sharp",
        statement=r"R(\mathrm{sign}f_z)-R^*\le\Big(\frac kn-\mathcal E_h(f_H)\Big)+A+\varepsilon+"
        r"\frac{2\kappa\bar R}{\sqrt n},\quad"
        r"\bar R=\max\Big\{\frac{2\nu\|f_H\|}\mu,\frac{\|f_H\|}2+\sqrt{\frac{\|f_H\|^2}4+"
        r"C\Big(\nu-\frac\mu2\Big)}\Big\}",
        bound=bounds.theorem_2_sharp,
        grid={"population": HARD, "n": [10**6, 10**11], "delta": LEVELS},
        origin="candidate",
        twin={"bound": _without(bounds.theorem_2_sharp), "why": "A left out"},
        note="From which n on it says something, beside print, is drawn at Theorem 2.",
        **EXCESS,
    ),
    TOP_K.tail(
        "theorem-2-universal",
        statement=r"A=0,\ \mu=\varepsilon:\quad R(\mathrm{sign}f_z)-R^*\le2\varepsilon+"
        r"\frac{1+C_{\kappa H}}{\sqrt n\,\varepsilon}",
        bound=_universal,
        grid={"population": [clusters(9, 0.2)], "n": [10**6], "delta": LEVELS},
        twin={"bound": lambda n, delta, C, kappa, norm, mu:
              _universal(n, delta, C, kappa, norm, mu) - 2 * mu,
              "why": "both terms in $\\varepsilon$ left out"},
        note="The excess is the mass of the groups, .36 of the right side at most: the bound is "
        "loose. With one $\\varepsilon$ in place of two we know of no population that breaks it.",
        **{**EXCESS, "place": "after Theorem 2, Sec. 3.2"},
    ),
]
