"""Means of means, scores, and distances of labelled features on trial: Sections 5.4 and 7.1."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from noisytheory.papers import AVERAGE_CLASSIFIER, KERNEL_MEAN
from noisytheory.topics.sparse.means import sides
from noisytheory.topics.sparse.terms import BOUNDED, SQUARE
from noisytheory.trial.sides import both, scaled
from noisytheory.vocabulary.domains import COUNT, POSITIVE, Numeric, requires

# Parallel means.


@requires(parts=COUNT, epsilon=POSITIVE)
def _independent(parts: Numeric, weights: str, epsilon: Numeric) -> Numeric:
    """Of equal weights, and of such that rise like 1, 2, 3, ..."""
    rising = (4 * parts + 2) / (3 * parts * (parts + 1))
    return epsilon**2 * (1 / parts if weights == "equal" else rising)


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

UNITED = both(sides.mean_of_means, sides.Parts)
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
        exact=sides.independent_errors_law,
        grid={"parts": [2, 5, 10], "weights": ["equal", "rising"]},
        given={"epsilon": 0.5},
        origin="sharper",
        note=(
            r"$\epsilon/\sqrt K$ for $K$ equal parts, where Lemma 22 has $\epsilon$. The parts err "
            "in the plane: by plus or minus a vector, or by one of three in lopsided shares."
        ),
        twin={"bound": lambda epsilon: epsilon**2, "why": "epsilon, as in Lemma 22"},
        **SQUARE,
    ),
    AVERAGE_CLASSIFIER.identity(
        "parallel",
        statement=DISTRIBUTED,
        place="Sec. 6.3 (formula lost; as in the later version, Sec. 5.4)",
        hypotheses=["parts weighted by their mass; equal weights need parts of equal size"],
        given={"weighted": 1},
        rows=256,
        twin={"given": {"weighted": 0}, "simulate": UNITED["simulate"],
              "why": "parts of different mass weighted equally"},
        quantity="coordinate of the mean",
        simulate=sides.united,
        certify=UNITED["certify"],
        note="Three uneven parts, approximated by all of their points, and united.",
    ),
]

# Comparisons: luckiness, herding, projection.

HERDS: dict[str, Any] = {
    "place": "Sec. 6.4",
    "hypotheses": [
        BOUNDED, "epsilon is the error that herding reports, and a billionth of it for rounding",
    ],
    "grid": {"direction": ["free", "near the error"]},
    "rows": 128,
}
discriminative = [
    AVERAGE_CLASSIFIER.always(
        "discriminative",
        statement=r"|\langle\omega_S-\tilde\omega,\phi(x)\rangle|\le\epsilon\ \forall x",
        note="Means of six points, herded for three steps. Tight where x is along the error.",
        twin=scaled(Fraction(1, 2)),
        quantity="squared score",
        **HERDS,
        **both(sides.score_error, sides.Herded),
    ),
    AVERAGE_CLASSIFIER.always(
        "discriminative/signs",
        statement=(
            r"|\langle\omega_S,\phi(x)\rangle|>\epsilon\;\Rightarrow\;"
            r"\mathrm{sign}\langle\tilde\omega,\phi(x)\rangle"
            r"=\mathrm{sign}\langle\omega_S,\phi(x)\rangle"
        ),
        given={"quarters": 4},
        note="Means of six points, herded for three steps; many a score is just above epsilon.",
        twin={"given": {"quarters": 3}, "why": "three quarters of the square of epsilon"},
        quantity="1 if the sign changes",
        **HERDS,
        **both(sides.sign_agreement, sides.Herded),
    ),
]

distances = [
    KERNEL_MEAN.identity(
        "distance-formula",
        statement=r"\|y\phi(x)-y'\phi(x')\|^2=2-2yy'K(x,x')",
        place="Sec. 7.1",
        hypotheses=["features of norm 1"],
        given={"sign": 1},
        rows=1024,
        twin={"given": {"sign": -1}, "why": "the other sign"},
        quantity="squared distance",
        **both(sides.feature_distance, sides.Features),
    ),
    KERNEL_MEAN.always(
        "distance-formula/unlike-labels",
        statement=r"y\ne y',K\ge0\;\Rightarrow\;\|y\phi(x)-y'\phi(x')\|\ge\sqrt2",
        place="Sec. 7.1",
        hypotheses=["features of norm 1", "a nonnegative kernel"],
        given={"nonnegative": 1},
        rows=1024,
        twin={"given": {"nonnegative": 0}, "why": "a kernel with negative values"},
        quantity="least squared distance",
        **both(sides.unlike_labels, sides.Features),
    ),
]
