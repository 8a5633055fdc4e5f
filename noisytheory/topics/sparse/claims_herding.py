"""Rates of herding on trial: Section 5.5.2, and Section 6 of the earlier version."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from noisytheory.papers import AVERAGE_CLASSIFIER, KERNEL_MEAN
from noisytheory.topics.sparse import (
    bounds,
    bounds_herding,
    pictures,
    simulate,
    simulate_hulls,
    simulate_rates,
)
from noisytheory.topics.sparse.claims_subsampling import independent_square
from noisytheory.topics.sparse.claims_terms import ERROR, HULLS, IN_HULL, SQUARE
from noisytheory.topics.sparse.hulls import diameter_square, pyramidal_width_square
from noisytheory.vocabulary.domains import POSITIVE, Numeric, requires


@requires(epsilon=POSITIVE)
def _twenty_logs(epsilon: Numeric) -> Numeric:
    return 20 * np.log(1 / epsilon)


HERDING: dict[str, Any] = {"simulate": simulate_hulls.herding_error, "rows": 512, **SQUARE}


def _frank_wolfe(hull: str, k: int) -> Numeric:
    return bounds_herding.frank_wolfe_square(k, math.sqrt(diameter_square(hull)))


def _linear(hull: str, k: int, distance: Numeric, first: Numeric) -> Numeric:
    diameter = math.sqrt(diameter_square(hull))
    return bounds_herding.herding_linear_square(k, distance, diameter, first)


def _linear_too_fast(hull: str, k: int, distance: Numeric, first: Numeric) -> Numeric:
    diameter = math.sqrt(diameter_square(hull))
    nearer = np.minimum(4 * distance, diameter)
    return bounds_herding.herding_linear_square(k, nearer, diameter, first)


def _too_fast(errors: Any, distance: Fraction, diameter: int, k: int) -> Fraction:
    return Fraction(errors[0] * (1 - min(16 * distance / diameter, Fraction(1))) ** (k - 1))


def _inverse(k: int, distance: Numeric, radius: Numeric) -> Numeric:
    return bounds_herding.herding_inverse(k, distance, radius)


def _away(hull: str, k: int, first: Numeric, factor: float = 1.0) -> Numeric:
    width = math.sqrt(pyramidal_width_square(hull))
    diameter = math.sqrt(diameter_square(hull))
    return bounds_herding.away_steps_square(k, factor * width, diameter, first)


GENERAL: dict[str, Any] = {
    "bound": _frank_wolfe,
    "hypotheses": [IN_HULL, "line search, or steps 2/(t+1)"],
    "grid": {"hull": HULLS, "step": ["line search", "classic"], "k": [1, 3, 10, 40]},
    "note": "Jaggi 2013, Theorem 1, with curvature the squared diameter.",
    "twin": {
        "bound": lambda hull, k: _frank_wolfe(hull, k) / 16,
        "grid": {"hull": ["cross 2", "cross 5"], "step": ["line search"], "k": [1, 2]},
        "certify": simulate_hulls.herding_certificate(
            lambda errors, distance, diameter, k: Fraction(4 * diameter, 16 * (k + 2))
        ),
        "why": "bound divided by 16",
    },
    **HERDING,
}
LINEAR: dict[str, Any] = {
    "statement": (
        r"\|\omega^*-\omega_k\|\le\|\omega^*-\omega_1\|\big(1-\tfrac{d^2}{D^2}\big)^{(k-1)/2}"
    ),
    "hypotheses": [IN_HULL, "line search", "d to the relative boundary, D the diameter"],
    "bound": _linear,
    "grid": {"hull": HULLS, "step": ["line search"], "k": [2, 3, 10, 60]},
    "twin": {
        "bound": _linear_too_fast,
        "certify": simulate_hulls.herding_certificate(_too_fast),
        "grid": {"hull": ["cross 2", "cross 5"], "step": ["line search"], "k": [2, 3]},
        "why": "4d for d",
    },
    **HERDING,
}
BOUNDARY: dict[str, Any] = {
    "bound": bounds_herding.boundary_distance,
    "exact": simulate_rates.boundary_distance,
    "grid": {"n": [2, 3, 10, 30]},
    "rounding": 1e-9,
    "quantity": "distance from the boundary",
    "unit": "RKHS norm",
}
QUADRATIC: dict[str, Any] = {
    "simulate": simulate_rates.steps_per_nat,
    "along": "inverse_distance",
    "grid": {"inverse_distance": [3.0, 6.0, 12.0, 24.0, 48.0]},
    "rows": 8,
    "quantity": "steps in which the error falls by a factor e",
}

herding_rates = [
    KERNEL_MEAN.always(
        "herding-rates/general",
        statement=r"\|\omega^*-\omega_k\|^2\le\tfrac{4D^2}{k+2}",
        place="Sec. 5.5.2: the same guarantee as random sampling in general",
        **GENERAL,
    ),
    KERNEL_MEAN.always(
        "herding-rates/inverse",
        statement=r"\|\omega^*-\omega_k\|\le O\big(\tfrac1{dk}\big)=\tfrac{r^2}{dk}",
        place="Sec. 5.5.2, quoting Chen, Welling and Smola",
        hypotheses=["steps 1/t", "d > 0 to the relative boundary: finite dimension",
                    "r to the farthest atom"],
        bound=_inverse,
        simulate=simulate_hulls.uniform_error,
        rows=512,
        grid={"hull": HULLS, "k": [1, 3, 10, 100]},
        note=(
            r"Print gives no constant. $w_t=t(\omega^*-\omega_t)$ obeys "
            r"$\|w_{t+1}\|^2\le\|w_t\|^2-2d\|w_t\|+r^2$, so that $r^2$ is one."
        ),
        twin={
            "bound": lambda k, distance, radius: _inverse(k, distance, radius) / 6,
            "certify": simulate_hulls.uniform_certificate(
                lambda radius, distance: radius**2 / distance / 36
            ),
            "grid": {"hull": ["cross 2", "cube 3"], "k": [1, 3]},
            "why": "bound divided by 6",
        },
        **ERROR,
    ),
    KERNEL_MEAN.always(
        "herding-rates/inverse-sharp",
        statement=r"\|\omega^*-\omega_k\|\le\tfrac1k\max\big(r,\tfrac{r^2}{2d}\big)",
        place="not in the paper",
        hypotheses=["steps 1/t", "d > 0 to the relative boundary: finite dimension",
                    "r to the farthest atom"],
        bound=bounds_herding.herding_inverse_sharp,
        simulate=simulate_hulls.uniform_error,
        rows=512,
        grid={"hull": HULLS, "k": [1, 3, 10, 100]},
        origin="sharper",
        twin={
            "bound": lambda k, distance, radius: bounds_herding.herding_inverse_sharp(
                k, distance, radius
            ) / 4,
            "certify": simulate_hulls.uniform_certificate(
                lambda radius, distance: max(radius, radius**2 / distance / 4) / 16
            ),
            "grid": {"hull": ["cross 2", "cube 3"], "k": [1, 3]},
            "why": "bound quartered",
        },
        **ERROR,
    ),
    KERNEL_MEAN.rate(
        "herding-rates/exponential/printed",
        statement=(
            r"\|\omega^*-\omega_k\|\le O(e^{-dk}):\ \text{steps for a factor}\ e"
            r"=O\big(\tfrac1d\big)"
        ),
        place="Sec. 5.5.2",
        hypotheses=[IN_HULL, "line search", "d to the boundary: the inverse distance is 1/d"],
        bound=lambda: 1.0,
        expect="refuted",
        note=(
            r"On the square with corners $\pm e_1,\pm e_2$ and the target at distance $d$ from an "
            r"edge, the logarithm of the error falls by $4d^2$ a step: the slope of steps against "
            r"$1/d$ is 2, not 1."
        ),
        **QUADRATIC,
    ),
    KERNEL_MEAN.always(
        "herding-rates/exponential/repaired",
        place="Sec. 5.5.2, from Guélat and Marcotte 1986, Beck and Teboulle 2004",
        note=r"Repaired: $e^{-kd^2/2D^2}$ in place of $e^{-dk}$.",
        **LINEAR,
    ),
    KERNEL_MEAN.identity(
        "herding-rates/theorem-20-distance",
        statement=r"d=\tfrac1{\sqrt{n(n-1)}}",
        place="Sec. 5.5.2: the constant d is so small, as Theorem 20 confirms",
        hypotheses=["orthonormal sample", "equal target weights"],
        certify=simulate_rates.boundary_certificate(1),
        twin={"bound": lambda n: 1 / n, "certify": simulate_rates.boundary_certificate(0),
              "why": "1/n"},
        **BOUNDARY,
    ),
    KERNEL_MEAN.always(
        "herding-rates/away-steps",
        statement=(
            r"\|\omega^*-\omega_k\|\le\|\omega^*-\omega_1\|"
            r"\big(1-\tfrac{w^2}{4D^2}\big)^{(k-1)/4}"
        ),
        place="not in the paper: Lacoste-Julien and Jaggi 2015",
        hypotheses=[IN_HULL, "away steps allowed", "w the pyramidal width of the sample"],
        bound=_away,
        simulate=simulate_hulls.away_error,
        rows=64,
        grid={"hull": [*HULLS, "simplex 5"], "k": [2, 7, 40]},
        origin="sharper",
        note=(
            "The rate knows the sample, not the target's distance from the boundary. Far from "
            "tight: on these hulls the error falls as if the width were several times as large."
        ),
        twin={
            "bound": lambda hull, k, first: _away(hull, k, first, 7.0),
            "certify": simulate_hulls.away_certificate(7),
            "grid": {"hull": ["cross 5"], "k": [7]},
            "why": "a faster rate: seven times the width",
        },
        **SQUARE,
    ),
    KERNEL_MEAN.cited(
        "not-adaptive-herding",
        statement=r"\text{no proof that herding adapts to the complexity of the sample}",
        place="Sec. 5.5.2",
        note=(
            "A statement about the literature. The figure compares the three rules on clustered "
            "points, where adapting would show."
        ),
        picture=pictures.rules_on_clusters,
    ),
]

herding_rates_earlier = [
    AVERAGE_CLASSIFIER.equal(
        "herding-rates/monte-carlo",
        statement=r"\mathbb E\|\omega_P-\omega\|^2=\tfrac1n\big(1-\|\omega_P\|^2\big)",
        place="Sec. 6.1",
        hypotheses=["independent draws", "features of norm 1"],
        bound=lambda sample, k: independent_square(sample, k),
        exact=simulate.subsample_law,
        grid={"sample": ["orthonormal 5"], "k": [1, 2, 5]},
        twin={"bound": lambda sample, k: independent_square(sample, k + 1), "why": "n + 1 for n"},
        **SQUARE,
    ),
    AVERAGE_CLASSIFIER.identity(
        "herding-rates/worst-case",
        statement=r"\|\omega_P-\omega_k\|^2=\tfrac1k-\tfrac1n",
        place="Sec. 6.1: in the worst case no better than 1/k",
        hypotheses=["orthonormal sample"],
        bound=bounds.sparse_lower_bound,
        exact=simulate_rates.orthonormal_error,
        grid={"n": [50], "k": [1, 10, 49], "step": ["line search", "uniform"]},
        certify=simulate_rates.orthonormal_certificate(True),
        twin={"bound": lambda k: k**-0.5, "why": "1/k alone",
              "certify": simulate_rates.orthonormal_certificate(False)},
        rounding=1e-9,
        **ERROR,
    ),
    AVERAGE_CLASSIFIER.always(
        "herding-rates/interior", place="Sec. 6.1, quoting Beck and Teboulle",
        note=(
            r"Holds with $d$ the distance from the relative boundary. For distinct points and a "
            r"strictly positive definite kernel the hull is a simplex and $d$ is tiny: on an "
            r"orthonormal sample the factor is $1-\frac1{2n(n-1)}$."
        ), **LINEAR,
    ),
    AVERAGE_CLASSIFIER.always(
        "herding-rates/printed",
        statement=r"O(\log\tfrac1\epsilon)\ \text{iterations give accuracy}\ \epsilon",
        place="Sec. 6",
        hypotheses=["read with one constant, here 20, for all samples of features of norm 1"],
        bound=_twenty_logs,
        exact=simulate_rates.iterations_needed,
        certify=simulate_rates.iterations_certificate,
        grid={"n": [10_000], "epsilon": [0.02, 0.05]},
        expect="refuted",
        quantity="iterations",
        note=(
            "Contradicts the paper's own worst case. True with a constant that depends on the "
            r"sample: $D^2/d^2\ge n(n-1)$ on an orthonormal one."
        ),
    ),
    AVERAGE_CLASSIFIER.always(
        "jones",
        statement=r"\|\omega^*-\omega_k\|\le O\big(\tfrac1{\sqrt k}\big)=\tfrac{2D}{\sqrt{k+2}}",
        place="Sec. 6.5, quoting Jones 1992",
        **GENERAL,
    ),
]
