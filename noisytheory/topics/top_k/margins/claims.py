"""Margin, norm and risk of the trained machine, Appendix A.3, on trial."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from noisytheory.papers import TOP_K
from noisytheory.topics.top_k.constants.bounds import KAPPA, MU, REGULARISATION, TAIL_MASS
from noisytheory.topics.top_k.lemmas.bounds import exceedance
from noisytheory.topics.top_k.linear_populations import axis_population, hopeless
from noisytheory.topics.top_k.margins import bounds, simulate
from noisytheory.topics.top_k.terms import LEVELS, SIGN, minus
from noisytheory.topics.top_k.theorem_2.bounds import where
from noisytheory.trial.sides import scaled
from noisytheory.vocabulary.domains import LEVEL, SAMPLE_SIZE, Numeric, requires


def _on_the_event(side: Callable[..., Numeric], advantage: float = 1) -> Callable[..., Numeric]:
    """A right side where the level covers the event of (16), which leaves so much of mu."""

    @requires(n=SAMPLE_SIZE, delta=LEVEL, nu=TAIL_MASS, C=REGULARISATION, mu=MU)
    def bound(
        n: Numeric, delta: Numeric, nu: Numeric, C: Numeric, mu: Numeric, norm: Numeric,
        kappa_norm: Numeric,
    ) -> Numeric:
        r"""Infinite where the event of (16) fails with a probability above the level all alone:
        $e^{-n\mu^2/2(1+\kappa\|f_H\|)^2}>\delta$.
        """
        covered = exceedance(n, mu, kappa_norm) <= delta
        return where(covered, side(nu, C, mu * advantage, norm), np.inf)

    return bound


@requires(n=SAMPLE_SIZE, delta=LEVEL, nu=TAIL_MASS, C=REGULARISATION, kappa=KAPPA)
def _data_margin(
    n: Numeric, delta: Numeric, nu: Numeric, C: Numeric, kappa: Numeric, norm_z: Numeric,
    margin: Numeric,
) -> Numeric:
    """With the trained machine's norm, which is not the population's."""
    return bounds.data_margin(n, delta, nu, C, kappa, norm_z, margin)


MARGINS = [axis_population(1.0, 1.0, 0.25), axis_population(0.9, 1.0, 0.25),
           axis_population(1.0, 1.0, 0.75)]
RADII: dict[str, Any] = {
    "grid": {"population": MARGINS, "n": [400, 4000], "delta": LEVELS}, "rows": 64,
    "hypotheses": ["finite populations, linear kernel"], "unit": "norm",
}
margins = [
    TOP_K.tail(
        "lemma-7",
        statement=r"\frac{\|f_z\|}{\rho_z}\le\frac{2k}n\max\Big(\sqrt{\frac{2C}\mu},"
        r"\frac{2\|f_H\|}\mu\Big)",
        place="Lemma 7, App. A.3",
        bound=_on_the_event(bounds.norm_margin_printed),
        simulate=simulate.ratio,
        quantity="norm over margin",
        twin=scaled(0.245, "less than a quarter of it"),
        note="A quarter of it is attained, on two points with $C\\mu\\le2$; half of it is true on "
        "the event of (16), and nothing known lies between: the bound is loose.",
        **RADII,
    ),
    TOP_K.tail(
        "new-norm-margin/event",
        statement=r"\frac{\|f_z\|}{\rho_z}\le\max\Big\{\frac{2\nu\|f_H\|}\mu,\frac{\|f_H\|}2+"
        r"\sqrt{\frac{\|f_H\|^2}4+C\Big(\nu-\frac\mu2\Big)}\Big\}",
        place="beside Lemma 7, App. A.3",
        bound=_on_the_event(bounds.norm_margin, 0.5),
        simulate=simulate.ratio,
        origin="candidate",
        quantity="norm over margin",
        twin=scaled(0.49, "the right side halved"),
        note="Half of it is attained on two points without noise, whose advantage is $\\mu$, not "
        "the $\\mu/2$ that the event leaves; for a sample's own advantage it is sharp.",
        **RADII,
    ),
    TOP_K.tail(
        "eq-17",
        statement=r"\rho_z\ge\frac nk\min\Big\{\frac\mu4,\frac{C\mu^2}{8\|f_H\|^2}\Big\}",
        place="(17), App. A.3",
        bound=_on_the_event(minus(bounds.margin_floor_printed)),
        simulate=simulate.minus_margin,
        quantity="minus the margin",
        twin=scaled(8.1, "a little more than eight times as much"),
        note="An eighth of the margin on two points without noise, and no instance known comes "
        "nearer; more than half of it none can, as twice as much is true "
        "(new-margin-floor/event). So the bound is loose, not its trial: beyond a factor of eight "
        "as the twin's, it is false on these populations.",
        **RADII,
    ),
    TOP_K.tail(
        "new-margin-floor/event",
        statement=r"\rho_z\ge\min\Big\{1,\frac{C\mu^2}{4\nu\|f_H\|^2}\Big\}",
        place="beside (17), App. A.3",
        bound=_on_the_event(minus(bounds.margin_floor), 0.5),
        simulate=simulate.minus_margin,
        origin="candidate",
        quantity="minus the margin",
        twin=scaled(4.1, "a little more than four times as much"),
        note="A quarter of the margin on two points without noise, whose advantage is $\\mu$, not "
        "the $\\mu/2$ that the event leaves; for a sample's own advantage it is sharp. So the "
        "bound is loose, not its trial: beyond a factor of four, as the twin's, it is false.",
        **RADII,
    ),
    TOP_K.tail(
        "new-theorem-2-sharp/data",
        statement=r"R(\mathrm{sign}f_z)\le\nu-\frac{\|f_z\|^2}{C\rho_z}+\frac{2\kappa r'}{\sqrt n}"
        r"+(1+\kappa r')\sqrt{\frac{\log(j^2\pi^2/6\delta)}{2n}}",
        place="beside Theorem 2, Sec. 3.2",
        hypotheses=["finite populations, linear kernel", SIGN],
        bound=_data_margin,
        simulate=simulate.risk,
        grid={"population": [hopeless(0.5, 0.1), axis_population(0.9, 0.01, 0.1)],
              "n": [10**5], "delta": LEVELS},
        trivial=1.0,
        rows=64,
        origin="candidate",
        quantity="risk",
        unit="probability",
        twin={"bound": lambda n, delta, nu, C, kappa, norm_z, margin:
              _data_margin(n, delta, nu, C, kappa, norm_z, margin) - norm_z**2 / (C * margin),
              "why": "what training shows subtracted twice"},
        note="Neither $f_H$ nor $\\mu$ is needed. $r'$ is the least power of two above the norm "
        "over the margin, $j$ one more than its exponent.",
    ),
]
