"""Theorems 3 and 5 of the earlier paper: the formulas are lost, candidates are tried."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from noisytheory.papers import AVERAGE_CLASSIFIER
from noisytheory.topics.kernel_mean.deviation import bounds as kernel_mean
from noisytheory.topics.surrogates.generalisation import simulate
from noisytheory.trial.claim import Law
from noisytheory.trial.sides import scaled
from noisytheory.vocabulary.domains import COUNT, LEVEL, SAMPLE_SIZE, Numeric, requires

LOST = "The formula is lost, and the appendix that the text refers to is not there."
GAP: dict[str, Any] = dict(
    quantity="linear risk on the population less that on the sample", unit="1", trivial=2.0
)
DELTAS = [0.5, 0.05, 0.01, 1e-6]

theorem_3 = AVERAGE_CLASSIFIER.cited(
    "theorem-3",
    statement=r"\mathrm{Risk}_{\mathrm{linear}}(P,\hat\omega_S)"
    r"\le\mathrm{Risk}_{\mathrm{linear}}(S,\hat\omega_S)+B(n,\delta)",
    place="Theorem 3, Sec. 3",
    note=LOST + " Candidates stand under their own names.",
    reason="formula lost in print: candidates are tried under their own names",
)
theorem_5 = AVERAGE_CLASSIFIER.cited(
    "theorem-5",
    statement=r"\mathrm{Risk}_{\mathrm{linear}}(P,\hat\omega_{i^*})"
    r"\le\mathrm{Risk}_{\mathrm{linear}}(S,\hat\omega_{i^*})+B(n,k,\delta)",
    place="Theorem 5, Sec. 3.4",
    note=LOST + " Candidates stand under their own names.",
    reason="formula lost in print: candidates are tried under their own names",
)


@requires(n=SAMPLE_SIZE, delta=LEVEL)
def pac_bayes_gap(n: Numeric, delta: Numeric) -> Numeric:
    r"""$\sqrt{(1+2\log(1/\delta))/n}$: the PAC-Bayes order, a candidate for Theorem 3."""
    return np.sqrt((1 + 2 * (-np.log(delta))) / n)


@requires(n=SAMPLE_SIZE, delta=LEVEL)
def pac_bayes_log_n_gap(n: Numeric, delta: Numeric) -> Numeric:
    r"""$\sqrt{(1+2\log(n/\delta))/n}$: the PAC-Bayes order with $\log n$, for Theorem 3."""
    return np.sqrt((1 + 2 * (np.log(n) - np.log(delta))) / n)


@requires(n=SAMPLE_SIZE, kernels=COUNT, delta=LEVEL)
def pac_bayes_selected_gap(n: Numeric, kernels: Numeric, delta: Numeric) -> Numeric:
    r"""$\sqrt{(1+2(\log k+\log(1/\delta)))/n}$: `pac_bayes_gap` over $k$ kernels, for Theorem 5."""
    return np.sqrt((1 + 2 * (np.log(kernels) - np.log(delta))) / n)


@requires(n=SAMPLE_SIZE, kernels=COUNT, delta=LEVEL)
def selected_gap(n: Numeric, kernels: Numeric, delta: Numeric) -> Numeric:
    r"""$\frac2{\sqrt n}+\sqrt{2(\log k+\log(1/\delta))/n}$, a candidate for Theorem 5."""
    return 2 / np.sqrt(n) + np.sqrt(2 * (np.log(kernels) + (-np.log(delta))) / n)


def _gap_law(n: int) -> Law:
    return Law(*simulate.gap_law(n))


def _selected_law(n: int, kernels: int) -> Law:
    return Law(*simulate.selected_gap_law(n, kernels), error=1e-9)


theorem_3_candidates = [
    AVERAGE_CLASSIFIER.tail(
        f"theorem-3/{name}",
        statement=rf"\langle\hat\omega_S,\omega_S-\omega_P\rangle\le{formula}",
        place="Theorem 3, Sec. 3",
        hypotheses=["fair signs on one axis, the worst case found"],
        bound=bound,
        simulate=simulate.sampled_gaps,
        exact=_gap_law,
        rows=256,
        grid=dict(n=[50, 200, 1000], delta=DELTAS),
        origin="candidate",
        note=LOST,
        twin=scaled(Fraction(1, 2)),
        **GAP,
    )
    for name, bound, formula in (
        ("candidate-rademacher", kernel_mean.mean_deviation,
         r"\tfrac2{\sqrt n}+\sqrt{\tfrac{2\log(1/\delta)}n}"),
        ("candidate-pac-bayes", pac_bayes_gap, r"\sqrt{\tfrac{1+2\log(1/\delta)}n}"),
        ("candidate-pac-bayes-log-n", pac_bayes_log_n_gap,
         r"\sqrt{\tfrac{1+2\log(n/\delta)}n}"),
    )
]
theorem_5_candidates = [
    AVERAGE_CLASSIFIER.tail(
        f"theorem-5/{name}",
        statement=r"\langle\hat\omega_{i^*},\omega_{S,i^*}-\omega_{P,i^*}\rangle\le" + formula,
        place="Theorem 5, Sec. 3.4",
        hypotheses=["independent fair signs, where selection picks the worst kernel"],
        bound=bound,
        simulate=simulate.sampled_gaps,
        exact=_selected_law,
        rows=256,
        grid=dict(n=[200, 1000], kernels=[1, 10, 1000], delta=DELTAS),
        origin="candidate",
        note=LOST,
        twin=scaled(Fraction(1, 2)),
        **GAP,
    )
    for name, bound, formula in (
        ("candidate", selected_gap,
         r"\tfrac2{\sqrt n}+\sqrt{\tfrac{2(\log k+\log(1/\delta))}n}"),
        ("candidate-pac-bayes", pac_bayes_selected_gap,
         r"\sqrt{\tfrac{1+2(\log k+\log(1/\delta))}n}"),
    )
]
