"""Theorem 6 on trial."""

from __future__ import annotations

from typing import Any

from noisytheory.papers import KERNEL_MEAN
from noisytheory.topics.kernel_mean.deviation import bounds as deviation
from noisytheory.topics.kernel_mean.several_kernels import bounds, simulate
from noisytheory.topics.kernel_mean.several_kernels.simulate import IndependentSigns, Kernels
from noisytheory.topics.kernel_mean.terms import (
    BOUNDED,
    FEW_LEVELS,
    FEW_ROWS,
    INDEPENDENT,
    farthest,
)
from noisytheory.vocabulary.populations import digits

BANDWIDTHS = Kernels(
    "digits 3 and 8, five bandwidths", [digits(bandwidth=b) for b in (0.5, 1.0, 2.0, 4.0, 8.0)]
)


GAP: dict[str, Any] = {
    "hypotheses": [INDEPENDENT, BOUNDED, "the normalised mean exists, or else its gap counts as 0"],
    "simulate": simulate.normalised_gap,
    "exact": simulate.normalised_gap_law,
    "grid": {
        "population": [*map(IndependentSigns, (1, 10, 1000, 10**6)), BANDWIDTHS],
        "n": [30, 50, 91, 98, 200, 1000, 10_000],
        "delta": FEW_LEVELS,
    },
    "trivial": farthest,
    "rows": FEW_ROWS,
    "quantity": "largest gap of population and sample risk over the kernels",
    "unit": "linear risk",
}

theorem_6 = KERNEL_MEAN.tail(
    "theorem-6",
    statement=(
        r"\mathrm{Risk}_{\mathrm{linear}}(P,\hat\Phi_i(S))\le"
        r"\mathrm{Risk}_{\mathrm{linear}}(S,\hat\Phi_i(S))+\tfrac2{\sqrt n}"
        r"+\sqrt{\tfrac{2(\log(1/\delta)+\log k)}{n}}\quad\forall i\le k"
    ),
    place="Theorem 6, Section 3.4",
    bound=bounds.multiple_kernel_gap,
    **GAP,
    note=(
        r"Holds, and is loose as Theorem 5 is. Independent fair signs are the worst case: their "
        r"gaps are independent and as large as a single one can be."
    ),
    twin={"bound": deviation.mean_deviation, "why": "the number of kernels dropped"},
)

theorem_6_repaired = KERNEL_MEAN.tail(
    "theorem-6/repaired",
    statement=(
        r"\mathrm{Risk}_{\mathrm{linear}}(P,\hat\Phi_i(S))\le"
        r"\mathrm{Risk}_{\mathrm{linear}}(S,\hat\Phi_i(S))+\tfrac1{\sqrt n}"
        r"+\sqrt{\tfrac{2(\log(1/\delta)+\log k)}{n}}\quad\forall i\le k"
    ),
    place="Theorem 6 with the variance in the proof of Theorem 5 computed",
    origin="sharper",
    bound=bounds.multiple_kernel_gap_repaired,
    **GAP,
    note="The union bound over the repaired Theorem 5.",
    twin={"bound": deviation.mean_deviation_repaired, "why": "the number of kernels dropped"},
)
