"""McDiarmid's inequality on trial."""

from __future__ import annotations

from fractions import Fraction

from noisytheory.papers import KERNEL_MEAN
from noisytheory.topics.concentration.differences import bounds, simulate
from noisytheory.topics.concentration.differences.simulate import (
    CoinMean,
    DistinctValues,
    DyadicSum,
    NormOfDeviation,
    Triangles,
)
from noisytheory.trial.sides import scaled
from noisytheory.vocabulary.populations import axis, orthonormal

theorem_24 = KERNEL_MEAN.tail(
    "theorem-24",
    statement=r"f(Z)\le\mathbb E f(Z)+\sqrt{\tfrac{\log(1/\delta)\sum_ic_i^2}{2}}",
    place="Theorem 24, Appendix A.2",
    hypotheses=[
        "arguments independent",
        "argument i alone moves f by at most c_i",
    ],
    bound=bounds.mcdiarmid,
    simulate=simulate.excess,
    exact=simulate.excess_law,
    grid={
        "population": [
            CoinMean(10, 0.5),
            CoinMean(1000, 0.5),
            CoinMean(1000, 0.05),
            NormOfDeviation(axis(), 100),
            NormOfDeviation(axis(Fraction(9, 10)), 100),
            NormOfDeviation(orthonormal(3), 30),
            DyadicSum(12),
            DistinctValues(100, 100),
            Triangles(6, 0.5),
            Triangles(20, 0.3),
        ],
        "delta": [0.5, 0.1, 0.05, 0.01, 0.001],
    },
    trivial=lambda largest_excess: largest_excess,
    quantity="excess over the mean",
    unit="unit of f",
    note="The display in print runs the index over $i\\in[i;n]$; $[1;n]$ is meant.",
    twin=scaled(Fraction(1, 2), "bounded differences taken half as large"),
)
