"""Lemmas 3 to 6 and the event (16), Appendix A.3, on trial."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from noisytheory.papers import TOP_K
from noisytheory.topics.concentration.differences import bounds as concentration
from noisytheory.topics.top_k.cvar.bounds import uniform_cvar
from noisytheory.topics.top_k.lemmas import bounds, simulate
from noisytheory.topics.top_k.lemmas.simulate import (
    OneFeature,
    OrthonormalAtoms,
    Sampled,
    TwoLosses,
)
from noisytheory.topics.top_k.terms import quantile
from noisytheory.trial.sides import scaled, worked
from noisytheory.vocabulary.domains import LEVEL, SAMPLE_SIZE, Numeric, requires


@requires(n=SAMPLE_SIZE, delta=LEVEL)
def _mcdiarmid(n: Numeric, delta: Numeric) -> Numeric:
    """Of a mean of losses 0 and 2."""
    return concentration.mcdiarmid(delta, 4 / n)


RARE = 1e-30
"""Far in the tail the normal law is all that counts, and Hoeffding's exponent is its own."""
TWO_LOSSES: dict[str, Any] = {
    "simulate": simulate.two_losses, "exact": simulate.two_losses_law,
    "grid": {"population": [TwoLosses(0.5), TwoLosses(0.1)], "n": [13, 100, 10**4],
             "delta": [0.5, 0.01, RARE]},
    "quantity": "deviation",
}


@requires(n=SAMPLE_SIZE)
def _half_of_first(n: Numeric, radius: Numeric) -> Numeric:
    """Half of Lemma 5's first term: what is left without the second, which it has at R = 0."""
    level = 0.5
    second = (1 + radius) * bounds.uniform_hinge(n, level, 0 * radius)
    return (bounds.uniform_hinge(n, level, radius) - second) / 2


@requires(n=SAMPLE_SIZE)
def _half_of_uniform(n: Numeric, radius: Numeric) -> Numeric:
    """The same of the bound over a ball for the CVaR, of losses up to 2."""
    level, tail, most = 0.5, 1.0, 2.0
    without = uniform_cvar(n, level, tail, 0 * radius, most)
    return (uniform_cvar(n, level, tail, radius, most) - without) / 2


FIRST_TERM: dict[str, Any] = {
    "place": "Lemma 5, App. A.3", "bound": _half_of_first, "simulate": simulate.supremum,
    "exact": simulate.supremum_law,
    "grid": {"population": [OrthonormalAtoms(50, 1.0)], "n": [2]}, "low": 0.0, "high": 1.0,
    "origin": "sharper", "rows": 1024, "quantity": "supremum",
}
lemmas = [
    TOP_K.tail(
        "lemma-3",
        statement=r"P(F-\mathbb EF\ge\varepsilon)\le e^{-2\varepsilon^2/\sum c_k^2}",
        place="Lemma 3, App. A.3",
        hypotheses=["F is a mean of losses 0 and 2"],
        bound=_mcdiarmid,
        twin=scaled(Fraction(24, 25)),
        note="McDiarmid; tried on harder functions as `kernel-mean/theorem-24`.",
        **TWO_LOSSES,
    ),
    TOP_K.tail(
        "lemma-6",
        statement=r"P\Big(\frac1m\sum\xi_i-\mathbb E\xi\ge\varepsilon\Big)\le "
        r"e^{-m\varepsilon^2/2M^2}",
        place="Lemma 6, App. A.3",
        hypotheses=["M is half of the range: print leaves it undefined"],
        bound=bounds.hoeffding,
        twin=scaled(Fraction(24, 25), "M a twenty-fifth less"),
        note="Attained in the limit: of ten thousand losses, half of them 2, at a level of "
        "$10^{-30}$.",
        **TWO_LOSSES,
    ),
    TOP_K.equal(
        "lemma-6/attained",
        statement=r"q_{1-\delta}\Big(\frac1m\sum\xi_i-\mathbb E\xi\Big)="
        r"M\sqrt{\frac{2\log(1/\delta)}m}",
        place="Lemma 6, App. A.3",
        hypotheses=["values 0 and 2 with equal chances, far in the tail"],
        bound=bounds.hoeffding,
        grid={"population": [TwoLosses(0.5)], "n": [10**4], "delta": [1e-60]},
        margin=0.01,
        origin="candidate",
        quantity="quantile of the deviation",
        twin=scaled(Fraction(11, 10)),
        note="Within a sixteenth of it, which is the margin.",
        **quantile(simulate.two_losses_law),
    ),
    TOP_K.tail(
        "lemma-6/range",
        statement=r"P\Big(\frac1m\sum\xi_i-\mathbb E\xi\ge\varepsilon\Big)\le "
        r"e^{-m\varepsilon^2/2M^2},\quad M=b-a",
        place="Lemma 6, App. A.3",
        hypotheses=["M is the range"],
        bound=lambda n, delta, half_range: bounds.hoeffding(n, delta, 2 * half_range),
        twin=scaled(Fraction(12, 25), "less than half of it"),
        note="True, and loose by a factor of 2.",
        **{**TWO_LOSSES, "grid": {**TWO_LOSSES["grid"], "n": [100, 10**4]}},
    ),
    TOP_K.tail(
        "lemma-5",
        statement=r"\sup_{\|f\|\le R}\mathcal E_h-\mathcal E_{h,z}\le\frac{2\kappa R}{\sqrt n}"
        r"+(1+\kappa R)\sqrt{\frac{\log(1/\delta)}{2n}}",
        place="Lemma 5, App. A.3",
        bound=bounds.uniform_hinge,
        simulate=simulate.supremum,
        grid={"population": [OrthonormalAtoms(50, 0.5), OrthonormalAtoms(400, 1.0)],
              "n": [20], "delta": [0.99, 0.1]},
        rows=1024,
        quantity="supremum",
        twin=scaled(Fraction(9, 20), "less than half of it"),
        note="The statement is true. The proof contracts with absolute values and constant 1 a "
        "function that is 1 at 0, which is false; the bound $\\kappa R$ in it is $1+\\kappa R$, "
        "and a $\\ge$ is $\\le$. On these atoms the mean is half of the first term, the "
        "most that is known, and where no score passes 1 the most there is "
        "(lemma-5/first-term). The second term is sharp: see lemma-5/one-feature.",
    ),
    TOP_K.mean(
        "lemma-5/first-term",
        statement=r"\kappa R\le1\Rightarrow\mathbb E\sup_{\|f\|\le R}\mathcal E_h-"
        r"\mathcal E_{h,z}\le\frac{\kappa R}{\sqrt n}",
        hypotheses=["no score passes 1, so that the hinge is linear"],
        twin=scaled(Fraction(19, 20)),
        note="Half of the first term: the supremum is R times the norm of a mean, whose square has "
        "an expectation of at most $\\kappa^2/n$.",
        **FIRST_TERM,
    ),
    TOP_K.equal(
        "lemma-5/first-term/attained",
        statement=r"\mathbb E\sup_{\|f\|\le R}\mathcal E_h-\mathcal E_{h,z}="
        r"\frac{\kappa R}{\sqrt n}",
        hypotheses=["many orthonormal points"],
        margin=0.02,
        twin=scaled(Fraction(21, 20)),
        note="In the limit of many points; the margin is for 50.",
        **FIRST_TERM,
    ),
    TOP_K.equal(
        "text-cvar/uniform/first-term",
        statement=r"\nu=1:\quad\mathbb E\sup_f\mathrm{CVaR}_\nu-\widehat{\mathrm{CVaR}}_\nu="
        r"\frac{L\kappa R}{\nu\sqrt n}",
        hypotheses=["many orthonormal points, hinge loss, no score passes 1"],
        margin=0.02,
        twin=scaled(Fraction(21, 20)),
        note="Half of the first term of text-cvar/uniform: the most that is known of it. The term "
        "$M/\\sqrt n$ no function alone needs, as Massart's constant shows.",
        **{**FIRST_TERM, "bound": _half_of_uniform,
           "place": "not in print: conditional value at risk"},
    ),
    TOP_K.tail(
        "lemma-5/one-feature",
        statement=r"\sup_{|w|\le R}\mathcal E_h-\mathcal E_{h,z}\le\frac{2\kappa R}{\sqrt n}"
        r"+(1+\kappa R)\sqrt{\frac{\log(1/\delta)}{2n}}",
        place="Lemma 5, App. A.3",
        hypotheses=["points 1 and -1 with one label"],
        bound=bounds.uniform_hinge,
        simulate=simulate.one_feature,
        exact=simulate.one_feature_law,
        grid={"population": [OneFeature(1.0), OneFeature(3.0)], "n": [20, 10**4],
              "delta": [0.5, 1e-150]},
        quantity="supremum",
        twin=scaled(Fraction(9, 10)),
        note="Losses of 0 and 1 + R: far in the tail the second term is all of the bound, and "
        "attained.",
    ),
    TOP_K.equal(
        "lemma-5/one-feature/attained",
        statement=r"q_{1-\delta}\Big(\sup_{|w|\le R}\mathcal E_h-\mathcal E_{h,z}\Big)="
        r"\frac{2\kappa R}{\sqrt n}+(1+\kappa R)\sqrt{\frac{\log(1/\delta)}{2n}}",
        place="Lemma 5, App. A.3",
        hypotheses=["points 1 and -1 with one label, far in the tail"],
        bound=bounds.uniform_hinge,
        grid={"population": [OneFeature(1.0)], "n": [10**4], "delta": [1e-150]},
        margin=0.025,
        origin="candidate",
        quantity="quantile of the supremum",
        twin=scaled(Fraction(11, 10)),
        note="Within a tenth of it, which is the margin.",
        **quantile(simulate.one_feature_law),
    ),
    TOP_K.always(
        "lemma-4/printed",
        statement=r"\mathbb E\sup_f\Big|\sum\epsilon_i\Psi_i(f_i)\Big|"
        r"\le2\,\mathbb E\sup_f\Big|\sum c_i\epsilon_if_i\Big|",
        place="Lemma 4, App. A.3",
        **worked(simulate.contraction),
        grid={"m": [3]},
        given={"form": "printed"},
        expect="refuted",
        quantity="sum over signs",
        note="$\\Psi_i(0)=0$ is missing: a constant has Lipschitz constant 0.",
    ),
    TOP_K.always(
        "lemma-4/repaired",
        statement=r"\Psi_i(0)=0:\quad\mathbb E\sup_f\Big|\sum\epsilon_i\Psi_i(f_i)\Big|"
        r"\le2\,\mathbb E\sup_f\Big|\sum c_i\epsilon_if_i\Big|",
        place="Lemma 4, App. A.3",
        also=[TOP_K.also("definition-1", "Definition 1, App. A.3, which breaks off")],
        hypotheses=["$\\Psi_i(0)=0$"],
        **worked(simulate.contraction),
        grid={"m": [3]},
        given={"form": "two"},
        quantity="sum over signs",
        twin=scaled(0.5, "constant 1 with absolute values"),
    ),
    TOP_K.always(
        "lemma-4/one-sided",
        statement=r"\mathbb E\sup_f\sum\epsilon_i\Psi_i(f_i)\le "
        r"\mathbb E\sup_f\sum c_i\epsilon_if_i",
        place="Lemma 4, App. A.3",
        hypotheses=["no absolute values; any $\\Psi_i(0)$"],
        **worked(simulate.contraction),
        grid={"m": [3]},
        given={"form": "signed"},
        origin="sharper",
        quantity="sum over signs",
        twin={"given": {"form": "printed"}, "why": "absolute values"},
        note="This is what Lemma 5 needs.",
    ),
]


def _not_above(n: Numeric, mu: Numeric, kappa_norm: Numeric) -> Numeric:
    return 1 - bounds.exceedance(n, mu, kappa_norm)


EVENT: dict[str, Any] = {
    "place": "(16), App. A.3", "exact": simulate.event_law,
    "grid": {"population": [Sampled(0.49, n=200_000), Sampled(0.49, n=19), Sampled(0.1, n=19),
                            Sampled(0.95, 1.01, n=1)], "mu": [0.04]},
    "low": 0.0, "high": 1.0, "quantity": "whether it happens", "unit": "probability",
}
events = [
    TOP_K.mean(
        "eq-16/printed",
        statement=r"P\Big(\mathcal E_{h,z}(f_H)-\mathcal E_h(f_H)\le\frac\mu2\Big)\le "
        r"1-e^{-n\mu^2/2(1+\kappa\|f_H\|)^2}",
        bound=_not_above,
        given={"side": "not above"},
        expect="refuted",
        note="The direction is turned: it must be at least.",
        **{**EVENT, "grid": {**EVENT["grid"], "population": [Sampled(0.49, n=19)]}},
    ),
    TOP_K.mean(
        "eq-16",
        statement=r"P\Big(\mathcal E_{h,z}(f_H)-\mathcal E_h(f_H)>\frac\mu2\Big)\le "
        r"e^{-n\mu^2/2(1+\kappa\|f_H\|)^2}",
        bound=bounds.exceedance,
        given={"side": "above"},
        twin={"bound": lambda n, mu, kappa_norm: bounds.exceedance(n, mu, 0.95 * kappa_norm - 0.05),
              "why": "$1+\\kappa\\|f_H\\|$ a twentieth less"},
        note="Both ways: of one loss that is large with probability .95 the chance is .95 of the "
        "right side, and far in the tail the exponent is that of the normal law.",
        **EVENT,
    ),
]
