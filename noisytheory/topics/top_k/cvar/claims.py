"""The average top-k loss as an estimate of the CVaR, and confidence limits, on trial."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from noisytheory.papers import TOP_K
from noisytheory.topics.top_k import rare_loss
from noisytheory.topics.top_k.constants.bounds import TAIL_MASS
from noisytheory.topics.top_k.cvar import bounds, simulate
from noisytheory.topics.top_k.cvar.simulate import SteepLosses
from noisytheory.topics.top_k.terms import minus, quantile
from noisytheory.trial.sides import scaled
from noisytheory.vocabulary.domains import COUNT, SAMPLE_SIZE, Domain, Numeric, requires


@requires(n=SAMPLE_SIZE, k=COUNT)
def _cvar_of_exponential(n: Numeric, k: Numeric) -> Numeric:
    """CVaR of the law at tail mass k/n."""
    return bounds.cvar_exponential(k / n)


@requires(n=SAMPLE_SIZE, k=COUNT)
def _cvar_of_next(n: Numeric, k: Numeric) -> Numeric:
    """CVaR of the law at tail mass (k + 1)/(n + 1)."""
    return bounds.cvar_exponential((k + 1) / (n + 1))


unbiased = [
    TOP_K.equal(
        "text-avg-unbiased",
        statement=r"\mathbb E\,AT_n=\mathbb E\,\ell",
        place="Sec. 1",
        bound=rare_loss.mean_of_law,
        simulate=simulate.sampled,
        exact=simulate.sampled_law,
        grid={"n": [4, 8]},
        given={"which": "mean"},
        low=0.0,
        high=4.0,
        margin=0.05,
        quantity="average loss of a sample",
        unit="loss",
        twin={"given": {"which": "tail"}, "why": "AT_k in place of the average"},
    ),
    TOP_K.mean(
        "text-avg-unbiased/cvar",
        statement=r"\mathbb E\,AT_k\le\mathrm{CVaR}_{k/n}(\ell)",
        place="not in print: AT_k is too small as an estimate of the CVaR",
        bound=rare_loss.tail_of_law,
        simulate=simulate.sampled,
        exact=simulate.sampled_law,
        grid={"n": [4, 8]},
        given={"which": "tail"},
        low=0.0,
        high=4.0,
        origin="sharper",
        quantity="average top-k loss of a sample",
        unit="loss",
        twin=scaled(Fraction(7, 8)),
    ),
    TOP_K.equal(
        "text-cvar/exponential",
        statement=r"\mathbb E\,AT_k=1+H_n-H_k\text{ for standard exponential losses}",
        place="not in print",
        bound=bounds.expected_top_k_exponential,
        simulate=simulate.exponential,
        grid={"n": [20], "k": [2, 5]},
        variance=simulate.exponential_variance,
        margin=0.1,
        origin="sharper",
        rows=1024,
        quantity="average top-k loss",
        unit="loss",
        note="The CVaR of the law is $1+\\log(n/k)$: 3.3026 at n = 20, k = 2, against 3.0977.",
        twin={"bound": _cvar_of_exponential,
              "why": "the CVaR of the law in place of the mean of its estimate"},
    ),
    TOP_K.mean(
        "text-cvar/exponential-below",
        statement=r"\mathbb E\,AT_k\le1+\log\frac nk\text{ for standard exponential losses}",
        place="not in print: AT_k is too small as an estimate of the CVaR",
        bound=_cvar_of_exponential,
        simulate=simulate.exponential,
        grid={"n": [20], "k": [2, 5]},
        variance=simulate.exponential_variance,
        origin="sharper",
        rows=1024,
        quantity="average top-k loss",
        unit="loss",
        twin={"bound": lambda n, k: _cvar_of_exponential(n, k + 1),
              "why": "k + 1 in place of k"},
    ),
    TOP_K.mean(
        "text-cvar/exponential-above",
        statement=r"\mathbb E\,AT_k\ge1+\log\frac{n+1}{k+1}\text{ for standard exponential losses}",
        place="not in print: and not too small by more than this",
        bound=minus(_cvar_of_next),
        simulate=minus(simulate.exponential),
        grid={"n": [20], "k": [2, 3]},
        variance=simulate.exponential_variance,
        origin="sharper",
        rows=1024,
        quantity="minus the average top-k loss",
        unit="loss",
        twin=scaled(Fraction(11, 10), "a tenth larger"),
        note="As $\\frac1j\\ge\\log\\frac{j+1}j$: between the CVaR at k/n and at (k + 1)/(n + 1).",
    ),
]
BELOW: dict[str, Any] = {
    "place": "not in print: conditional value at risk", "origin": "sharper",
    "quantity": "how far the estimate is below the CVaR", "unit": "loss", "rows": 1024,
}
ABOVE: dict[str, Any] = {**BELOW, "quantity": "how far the estimate is above the CVaR"}
ERROR: dict[str, Any] = {"simulate": simulate.cvar_error, "exact": simulate.cvar_error_law}
RARE = 1e-120
"""Far in the tail the normal law is all that counts."""
FAR = 1e-60
COUNT_OR_NONE = Domain(0, include_low=True, whole=True)


def _thomas(ones: Any, n: int, delta: Any, nu: float, bound: float) -> Any:
    """How far the limit is above the estimate, of samples known by how many losses are 1."""
    COUNT_OR_NONE.check("ones", ones)
    most = np.asarray(ones).max()
    if most > n:
        raise ValueError(f"ones must be a whole number in [0, n], got {most:g}")
    losses = (np.arange(n) >= n - np.asarray(ones)[..., None]).astype(float)
    limit = bounds.thomas_upper(losses, delta, nu, bound)
    return limit - np.minimum(1, np.asarray(ones) / (n * nu))


def _of_half(n: Any, delta: Any, nu: float, bound: float) -> Any:
    """Of a sample half of which is 1."""
    return _thomas(n // 2, n, delta, nu, bound)


@requires(n=SAMPLE_SIZE, nu=TAIL_MASS)
def _sharp(n: Numeric, delta: Numeric, nu: Numeric, bound: Numeric) -> Numeric:
    """Brown's with the constants that are true as well: 2 in place of 5 and of 3."""
    return np.sqrt(2 / 5) * bounds.brown_upper(n, 1.5 * delta, nu, bound)


cvar = [
    TOP_K.tail(
        "text-cvar/brown-upper",
        statement=r"\mathrm{CVaR}_\nu-\widehat{\mathrm{CVaR}}_\nu\le "
        r"M\sqrt{\frac{5\log(3/\delta)}{\nu n}}",
        bound=bounds.brown_upper,
        given={"sign": 1.0},
        grid={"population": [SteepLosses(0.02, 0.02), SteepLosses(0.2, 0.4)], "n": [20_000],
              "delta": [0.1, 1e-9]},
        trivial=lambda cvar: cvar,
        twin=scaled(Fraction(1, 2)),
        note="Losses 0 and 1 at a tail of just the rare ones use .54 of it. With "
        "$2\\log(2/\\delta)$ in place of $5\\log(3/\\delta)$ it is true as well "
        "(text-cvar/brown-upper/sharp), so no instance uses more than $\\sqrt{2/5}=.63$: loose.",
        **ERROR,
        **BELOW,
    ),
    TOP_K.tail(
        "text-cvar/brown-upper/sharp",
        statement=r"\mathrm{CVaR}_\nu-\widehat{\mathrm{CVaR}}_\nu\le "
        r"M\sqrt{\frac{2\log(2/\delta)}{\nu n}}",
        bound=_sharp,
        given={"sign": 1.0},
        grid={"population": [SteepLosses(0.02, 0.02)], "n": [300_000], "delta": [0.1, FAR]},
        trivial=lambda cvar: cvar,
        twin=scaled(Fraction(23, 25)),
        note="The CVaR is $\\int_0^M\\min(1,P(\\ell>s)/\\nu)\\,ds$, of a sample as well: by Jensen "
        "no losses are harder than two values, where it is Chernoff's bound, twice as "
        "an estimate is at most 1. Far in the tail .94 of it is used.",
        **ERROR,
        **BELOW,
    ),
    TOP_K.tail(
        "text-cvar/brown-lower",
        statement=r"\widehat{\mathrm{CVaR}}_\nu-\mathrm{CVaR}_\nu\le "
        r"\frac M\nu\sqrt{\frac{\log(1/\delta)}{2n}}",
        bound=bounds.brown_lower,
        given={"sign": -1.0},
        grid={"population": [SteepLosses(0.5, 1.0), SteepLosses(0.4, 0.9)], "n": [101, 4000],
              "delta": [0.1, 1e-30]},
        trivial=lambda cvar: 1 - cvar,
        twin=scaled(Fraction(19, 20)),
        note="Attained in the limit: with losses 0 and 1 it is Hoeffding's bound of a share, whose "
        "exponent is that of the normal law.",
        **ERROR,
        **ABOVE,
    ),
    TOP_K.equal(
        "text-cvar/brown-upper/attained",
        statement=r"q_{1-\delta}(\mathrm{CVaR}_\nu-\widehat{\mathrm{CVaR}}_\nu)="
        r"M\sqrt{\frac{2\log(2/\delta)}{\nu n}}",
        hypotheses=["losses 0 and 1, far in the tail"],
        bound=_sharp,
        grid={"population": [SteepLosses(0.02, 0.02)], "n": [100_000], "delta": [FAR]},
        margin=0.035,
        twin=scaled(Fraction(11, 10)),
        note="Within a tenth of it, which is the margin.",
        **quantile(partial(simulate.cvar_error_law, sign=1.0)),
        **BELOW,
    ),
    TOP_K.equal(
        "text-cvar/brown-lower/attained",
        statement=r"q_{1-\delta}(\widehat{\mathrm{CVaR}}_\nu-\mathrm{CVaR}_\nu)="
        r"\frac M\nu\sqrt{\frac{\log(1/\delta)}{2n}}",
        hypotheses=["losses 0 and 1 with equal chances, far in the tail"],
        bound=bounds.brown_lower,
        grid={"population": [SteepLosses(0.5, 1.0)], "n": [2000], "delta": [FAR]},
        margin=0.01,
        twin=scaled(Fraction(11, 10)),
        note="Within a twentieth of it, which is the margin.",
        **quantile(partial(simulate.cvar_error_law, sign=-1.0)),
        **ABOVE,
    ),
    TOP_K.tail(
        "text-cvar/thomas/one-loss",
        statement=r"n=1,\ z=0:\quad\mathrm{CVaR}_\nu\le\frac M\nu\sqrt{\tfrac12\log(1/\delta)}",
        hypotheses=["one loss, 0 or 1"],
        bound=_thomas,
        simulate=simulate.cvar_sample,
        grid={"population": [SteepLosses(0.65, 1.0)], "delta": [0.3]},
        given={"n": 1},
        trivial=lambda cvar: cvar,
        twin=scaled(Fraction(4, 5)),
        note="Where a step too many in the sum shows; .84 of the right side is used.",
        **BELOW,
    ),
    TOP_K.tail(
        "text-cvar/thomas",
        statement=r"\mathrm{CVaR}_\nu\le M-\frac1\nu\sum_i(z_{(i+1)}-z_{(i)})\Big[\frac in-"
        r"\sqrt{\frac{\log(1/\delta)}{2n}}-(1-\nu)\Big]_+,\quad z_{(n+1)}=M",
        bound=_thomas,
        simulate=simulate.cvar_sample,
        grid={"population": [SteepLosses(0.5, 1.0), SteepLosses(0.4, 0.9)],
              "delta": [0.05, 0.01]},
        given={"n": 50},
        trivial=lambda cvar: cvar,
        twin={"bound": lambda ones, n, delta, nu, bound:
              _thomas(ones, n, delta**0.25, nu, bound), "why": "the width halved"},
        note="With losses 0 and 1 it is Hoeffding's bound of the share of zeros. From both sides "
        "the estimate is subtracted, so that it compares with Brown's. Of losses of any value the "
        "limit is `noisytheory.top_k.thomas_upper(losses, delta, nu, bound)`, and the estimate "
        "`noisytheory.top_k.average_top_k(losses, nu)`.",
        **{**BELOW, "rows": 4096},
    ),
    TOP_K.equal(
        "text-cvar/thomas/attained",
        statement=r"q_{1-\delta}(\mathrm{CVaR}_\nu-\widehat{\mathrm{CVaR}}_\nu)="
        r"M-\frac1\nu\sum_i(z_{(i+1)}-z_{(i)})\Big[\frac in-\sqrt{\frac{\log(1/\delta)}{2n}}"
        r"-(1-\nu)\Big]_+-\widehat{\mathrm{CVaR}}_\nu",
        hypotheses=["losses 0 and 1 with equal chances, half of a sample of each, far in the tail"],
        bound=_of_half,
        grid={"population": [SteepLosses(0.5, 0.9)], "delta": [FAR]},
        given={"n": 2000},
        margin=0.012,
        twin=scaled(Fraction(11, 10)),
        note="How far the limit is above the estimate is the same for all samples whose limit is "
        "below M. Within a twentieth of it, which is the margin.",
        **quantile(partial(simulate.cvar_error_law, sign=1.0)),
        **BELOW,
    ),
    TOP_K.tail(
        "text-cvar/uniform",
        statement=r"\sup_f\mathrm{CVaR}_\nu-\widehat{\mathrm{CVaR}}_\nu\le\frac1\nu\Big("
        r"\frac{2L\kappa R}{\sqrt n}+\frac M{\sqrt n}+M\sqrt{\frac{\log(1/\delta)}{2n}}\Big)",
        bound=bounds.uniform_cvar,
        given={"sign": 1.0},
        hypotheses=["tried on a class of one function, R = 0"],
        grid={"population": [SteepLosses(0.05, 0.1), SteepLosses(0.5, 0.6)], "n": [4000],
              "delta": [0.5, RARE]},
        trivial=lambda cvar: cvar,
        twin=scaled(Fraction(22, 25)),
        note="What Section 6 calls open: any Lipschitz loss. Far in the tail one function uses .90 "
        "of it, all but the two terms of the class, of which half is the most that is known "
        "(lemma-5).",
        **ERROR,
        **BELOW,
    ),
]
