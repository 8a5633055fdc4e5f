"""The display after Theorem 5 on trial: risks instead of norms."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from noisytheory.papers import KERNEL_MEAN
from noisytheory.topics.kernel_mean.deviation import bounds as deviation
from noisytheory.topics.kernel_mean.risks import simulate
from noisytheory.topics.kernel_mean.terms import (
    BIASED,
    BOUNDED,
    FAIR,
    FEW_LEVELS,
    INDEPENDENT,
    SKEWED,
    farthest,
)
from noisytheory.trial.sides import scaled
from noisytheory.vocabulary.populations import Finite, orthonormal, two_axes

# Five unit features with rational coordinates.
RATIONAL = Finite(
    "five rational features",
    np.array(
        [
            [Fraction(x, 25), Fraction(y, 25)]
            for x, y in [(15, 20), (25, 0), (7, 24), (15, -20), (20, -15)]
        ],
        dtype=object,
    ),
    [1, 1, -1, 1, -1],
)

risk_bound = KERNEL_MEAN.tail(
    "risk-bound-eq",
    statement=(
        r"\mathrm{Risk}_{\mathrm{linear}}(P,\omega)\le\mathrm{Risk}_{\mathrm{linear}}(S,\omega)"
        r"+\tfrac2{\sqrt n}+\sqrt{\tfrac{2\log(1/\delta)}{n}}\quad\forall\|\omega\|\le1"
    ),
    place="display after Theorem 5, Section 3",
    hypotheses=[INDEPENDENT, BOUNDED],
    bound=deviation.mean_deviation,
    simulate=simulate.risk_gap,
    grid={
        "population": [FAIR, BIASED, two_axes(), orthonormal(3), RATIONAL],
        "n": [10, 100, 1000],
        "delta": FEW_LEVELS,
    },
    trivial=farthest,
    rows=2048,
    quantity="largest gap of population and sample risk over the unit ball",
    unit="linear risk",
    note=(
        r"The supremum over $\omega$ equals $\|\Phi(P)-\Phi(S)\|$, so this is Theorem 5 over "
        "again; here it is searched for in the risks themselves, by draws, which notice less than "
        "the exact laws there."
    ),
    twin=scaled(Fraction(1, 2)),
)

risk_bound_identity = KERNEL_MEAN.identity(
    "risk-bound-eq/identity",
    statement=(
        r"\sup_{\|\omega\|\le1}\big[\mathrm{Risk}_{\mathrm{linear}}(P,\omega)"
        r"-\mathrm{Risk}_{\mathrm{linear}}(S,\omega)\big]=\|\Phi(P)-\Phi(S)\|"
    ),
    place="display after Theorem 5, Section 3 (Cauchy-Schwarz)",
    simulate=simulate.risk_gap_samples,
    exact=simulate.risk_gap_every_sample,
    certify=simulate.risk_gap_certificate,
    grid={
        "population": [FAIR, SKEWED, two_axes(Fraction(3, 4), Fraction(1, 3)), orthonormal(3),
                       RATIONAL],
        "n": [1, 2, 5, 10, 100, 1000],
    },
    rows=512,
    quantity="largest gap of population and sample risk over the unit ball",
    unit="linear risk",
    note="The step of the text is an equality, so nothing is lost in passing to risks.",
    given={"over": "ball"},
    twin={"given": {"over": "axes"}, "why": "the coordinate axes instead of the ball"},
)
