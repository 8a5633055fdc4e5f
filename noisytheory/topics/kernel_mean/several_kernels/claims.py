"""Theorem 6 on trial."""

from __future__ import annotations

from noisytheory.papers import KERNEL_MEAN
from noisytheory.topics.kernel_mean.deviation import bounds as deviation
from noisytheory.topics.kernel_mean.several_kernels import bounds, simulate
from noisytheory.topics.kernel_mean.several_kernels.simulate import IndependentSigns, Kernels
from noisytheory.topics.kernel_mean.terms import (
    BOUNDED,
    FEW_LEVELS,
    INDEPENDENT,
)
from noisytheory.vocabulary.domains import Numeric
from noisytheory.vocabulary.populations import digits

BANDWIDTHS = Kernels(
    "digits 3 and 8, five bandwidths", [digits(bandwidth=b) for b in (0.5, 1.0, 2.0, 4.0, 8.0)]
)


def _without_union(n: Numeric, delta: Numeric) -> Numeric:
    return deviation.mean_deviation(n, delta)


def _repaired_without_union(n: Numeric, delta: Numeric) -> Numeric:
    return deviation.mean_deviation_repaired(n, delta)

_KERNELS = [IndependentSigns(1), IndependentSigns(10), IndependentSigns(1000), BANDWIDTHS]

theorem_6 = KERNEL_MEAN.tail(
    "theorem-6",
    statement=(
        r"\mathrm{Risk}_{\rm linear}(P,\hat\Phi_i(S))\le"
        r"\mathrm{Risk}_{\rm linear}(S,\hat\Phi_i(S))+\tfrac2{\sqrt n}"
        r"+\sqrt{\tfrac{2(\log(1/\delta)+\log k)}{n}}\quad\forall i\le k"
    ),
    place="Theorem 6, Section 3.4",
    hypotheses=[INDEPENDENT, BOUNDED, "the normalised mean exists, or else its gap counts as 0"],
    bound=bounds.multiple_kernel_gap,
    simulate=simulate.normalised_gap,
    exact=simulate.normalised_gap_law,
    grid={"population": _KERNELS, "n": [50, 200, 1000], "delta": FEW_LEVELS},
    trivial=2.0,
    rows=1024,
    quantity="largest gap of population and sample risk over the kernels",
    unit="linear risk",
    note=(
        r"Holds, and is loose as Theorem 5 is. Independent fair signs are the worst case: their "
        r"gaps are independent and as large as a single one can be."
    ),
    twin={"bound": _without_union, "why": "logarithm of the number of kernels dropped"},
)

theorem_6_repaired = KERNEL_MEAN.tail(
    "theorem-6/repaired",
    statement=(
        r"\mathrm{Risk}_{\rm linear}(P,\hat\Phi_i(S))\le"
        r"\mathrm{Risk}_{\rm linear}(S,\hat\Phi_i(S))+\tfrac1{\sqrt n}"
        r"+\sqrt{\tfrac{2(\log(1/\delta)+\log k)}{n}}\quad\forall i\le k"
    ),
    place="Theorem 6 with the variance in the proof of Theorem 5 computed",
    hypotheses=[INDEPENDENT, BOUNDED, "the normalised mean exists, or else its gap counts as 0"],
    bound=bounds.multiple_kernel_gap_repaired,
    simulate=simulate.normalised_gap,
    exact=simulate.normalised_gap_law,
    grid={"population": _KERNELS, "n": [50, 200, 1000], "delta": FEW_LEVELS},
    trivial=2.0,
    rows=1024,
    quantity="largest gap of population and sample risk over the kernels",
    unit="linear risk",
    note="The union bound over the repaired Theorem 5.",
    twin={"bound": _repaired_without_union, "why": "logarithm of the number of kernels dropped"},
)
