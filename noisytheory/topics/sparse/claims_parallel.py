"""Means of means and existence results on trial: Sections 5.4 and 5.5.1."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from noisytheory.papers import AVERAGE_CLASSIFIER, KERNEL_MEAN
from noisytheory.topics.sparse import (
    bounds,
    sides,
    simulate_loops,
    simulate_means,
    simulate_partitions,
)
from noisytheory.topics.sparse.claims_terms import ERROR, INTEGER, SQUARE
from noisytheory.trial.claim import Certificate
from noisytheory.trial.sides import both, scaled
from noisytheory.vocabulary.domains import COUNT, POSITIVE, Numeric, requires

# Parallel means.


@requires(parts=COUNT, epsilon=POSITIVE)
def _independent(parts: Numeric, epsilon: Numeric) -> Numeric:
    return epsilon**2 / parts


LEMMA_22: dict[str, Any] = {
    "statement": (
        r"\|\omega_i-\tilde\omega_i\|\le\epsilon\ \forall i\;\Rightarrow\;"
        r"\|\textstyle\sum\lambda_i\omega_i-\sum\lambda_i\tilde\omega_i\|\le\epsilon"
    ),
    "hypotheses": ["weights nonnegative, of sum 1"],
    **both(sides.combined_error, sides.Combined),
    "grid": {"errors": ["free", "aligned"], "parts": [2, 5]},
    "rows": 1024,
    "twin": scaled(Fraction(1, 2)),
    "note": "Tight where the errors point the same way.",
    **SQUARE,
}

@requires(eta=POSITIVE)
def _half_the_gap(eta: Numeric) -> Numeric:
    return eta / 2


DISTRIBUTED = (
    r"\sum_{\omega\in S}\alpha(\omega)\omega=\sum_i\alpha(S_i)"
    r"\big(\sum_{\omega\in S_i}\tfrac{\alpha(\omega)}{\alpha(S_i)}\omega\big)"
)
parallel = [
    KERNEL_MEAN.always(
        "lemma-22", place="Lemma 22, Sec. 5.4",
        also=[AVERAGE_CLASSIFIER.also("lemma-18", "Lemma 18, Sec. 6.3")], **LEMMA_22,
    ),
    KERNEL_MEAN.equal(
        "lemma-22/unbiased",
        statement=(
            r"\mathbb E\|\textstyle\sum\lambda_i(\omega_i-\tilde\omega_i)\|^2"
            r"=\epsilon^2\sum\lambda_i^2"
        ),
        place="not in the paper",
        hypotheses=["errors independent, unbiased, of norm epsilon"],
        bound=_independent,
        exact=simulate_means.independent_errors_law,
        grid={"parts": [2, 5, 10], "epsilon": [0.5]},
        origin="sharper",
        note=r"$\epsilon/\sqrt K$ for $K$ equal parts, where Lemma 22 has $\epsilon$.",
        twin={"bound": lambda parts, epsilon: epsilon**2, "why": "epsilon, as in Lemma 22"},
        **SQUARE,
    ),
    AVERAGE_CLASSIFIER.identity(
        "parallel",
        statement=DISTRIBUTED,
        place="Sec. 6.3 (formula lost; as in the later version, Sec. 5.4)",
        hypotheses=["parts weighted by their mass; equal weights need parts of equal size"],
        given={"weighted": 1},
        rows=1024,
        twin={"given": {"weighted": 0}, "why": "parts of different size weighted equally"},
        quantity="coordinate of the mean, times 12",
        **both(sides.mean_of_means, sides.Parts),
    ),
    KERNEL_MEAN.identity(
        "parallel-counterexample/printed",
        statement=r"S=\{1,1,0,0\}:\ \text{the union of the parts has four elements}",
        place="Sec. 5.4",
        hypotheses=["S is a set, as Section 5 says: equal points are one element"],
        bound=lambda: 4,
        exact=simulate_loops.parallel_atoms,
        certify=lambda lhs: Certificate(
            int(lhs), 4, [("S_1", [0, 1]), ("S_2", [0, 1]), ("atoms of the union", [0, 1])]
        ),
        grid={"eta": [0.0], "merged": [1]},
        expect="refuted",
        quantity="elements",
        note="As elements of a space the two ones are one: two atoms are left.",
    ),
    KERNEL_MEAN.identity(
        "parallel-counterexample/repaired",
        statement=r"S=\{1,1+\eta,0,\eta\}:\ \text{the union of the parts has four elements}",
        place="Sec. 5.4",
        hypotheses=["a list, or points that are near instead of equal"],
        bound=lambda: 4,
        exact=simulate_loops.parallel_atoms,
        grid={"eta": [0.01, 0.1], "merged": [1, 0]},
        certify=lambda lhs: Certificate(int(lhs), 4, [("atoms of the union", int(lhs))]),
        twin={"grid": {"eta": [0.0], "merged": [1]}, "why": "equal points in a set"},
        quantity="elements",
    ),
    KERNEL_MEAN.always(
        "parallel-counterexample/two-atoms",
        statement=r"S=\{1,1+\eta,0,\eta\}:\ \|\omega^*-\tilde\omega\|\le\tfrac\eta2",
        place="Sec. 5.4, second round",
        hypotheses=["one atom from each cluster"],
        bound=_half_the_gap,
        exact=simulate_loops.parallel_error,
        grid={"eta": [0.01, 0.1]},
        certify=simulate_loops.parallel_certificate(Fraction(1, 2)),
        twin=scaled(Fraction(1, 2)),
        **ERROR,
    ),
]

# Comparisons: luckiness, herding, projection.

SCHEME: dict[str, Any] = {
    "hypotheses": ["k even, a partition of least diameter into k/2 cells"],
    "rows": 256,
    "grid": {"n": [7], "m": [2, 3], "dimension": [1, 2]},
    "unit": "1 / (12 n^2)",
    "quantity": "mean square error of the scheme",
}


@requires(m=COUNT)
def _luckiness_square(m: int, least: Numeric) -> Numeric:
    return bounds.luckiness(2 * m, np.sqrt(least)) ** 2


@requires(m=COUNT)
def _luckiness_square_repaired(m: int, least: Numeric) -> Numeric:
    return bounds.luckiness_repaired(2 * m, np.sqrt(least)) ** 2


algorithmic_luckiness = [
    KERNEL_MEAN.always(
        "algorithmic-luckiness",
        statement=(
            r"\exists k\text{-sparse }\tilde\omega:\ "
            r"\|\omega^*-\tilde\omega\|\le\tfrac{\sqrt2D^*(S,k/2)}{\sqrt k}"
        ),
        place="Sec. 5.5.1, quoting Herbrich and Williamson",
        given={"share": 1},
        note="Some outcome is no farther away than the root mean square of the scheme.",
        twin=scaled(Fraction(1, 6)),
        **SCHEME,
        **both(simulate_partitions.luckiness_scheme, simulate_partitions.Whole, _luckiness_square),
    ),
    KERNEL_MEAN.always(
        "algorithmic-luckiness/repaired",
        statement=(
            r"\exists(k-1)\text{-sparse }\tilde\omega:\ "
            r"\|\omega^*-\tilde\omega\|\le\tfrac{D^*(S,k/2)}{\sqrt k}"
        ),
        place="Sec. 5.5.1 with the repaired Theorem 21",
        given={"share": 2},
        origin="sharper",
        twin=scaled(Fraction(1, 3)),
        **SCHEME,
        **both(
            simulate_partitions.luckiness_scheme, simulate_partitions.Whole,
            _luckiness_square_repaired,
        ),
    ),
    AVERAGE_CLASSIFIER.cited(
        "herbrich-williamson",
        statement=r"\exists m\text{-sparse }\tilde\omega:\ \|\omega^*-\tilde\omega\|\le\ ?",
        reason="formula lost in print: candidates are tried under their own names",
        place="Sec. 6.5",
        note="The formula is lost; `herbrich-williamson/candidate` is the later version's.",
    ),
    AVERAGE_CLASSIFIER.always(
        "herbrich-williamson/candidate",
        statement=(
            r"\exists m\text{-sparse }\tilde\omega:\ "
            r"\|\omega^*-\tilde\omega\|\le\tfrac{\sqrt2D^*(S,m/2)}{\sqrt m}"
        ),
        place="Sec. 6.5",
        given={"share": 1},
        origin="candidate",
        twin=scaled(Fraction(1, 6)),
        **SCHEME,
        **both(simulate_partitions.luckiness_scheme, simulate_partitions.Whole, _luckiness_square),
    ),
    AVERAGE_CLASSIFIER.always(
        "herbrich-williamson/entropy-numbers",
        statement=r"\epsilon_m(S)\le D^*(S,m)",
        place="Sec. 6.5; with centres in S, and so $D^*\\le2\\epsilon_m$",
        origin="candidate",
        twin=scaled(Fraction(1, 2)),
        **INTEGER,
        **both(simulate_partitions.covering, simulate_partitions.Whole),
    ),
]
