"""Partitions on trial: the traversal's radius, luckiness, projection on centres, both signs."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from noisytheory.papers import AVERAGE_CLASSIFIER, KERNEL_MEAN
from noisytheory.topics.sparse.partitions import bounds, sides
from noisytheory.topics.sparse.projection import nearest_centre, projection
from noisytheory.topics.sparse.publicly import publicly
from noisytheory.topics.sparse.samples import Scheme, far_apart, uneven
from noisytheory.topics.sparse.terms import ERROR, INTEGER, SQUARE
from noisytheory.trial.sides import both, scaled
from noisytheory.vocabulary.domains import COUNT, Numeric, requires


def _projection(m: int, n: int, least: Numeric) -> Numeric:
    return bounds.projection_error(m, n, np.sqrt(least))


# Certified in squares.
SPAN = both(sides.span_square, sides.Whole)

NEAREST = both(sides.nearest_centre_square, sides.Whole)

WEIGHTED = both(sides.weighted_centre_square, sides.Weighted)

def _share(found: dict[str, Any], over: str = "rhs", power: int = 1) -> Any:
    """The left side, to a power, over what the right one is made of."""
    return found["lhs"] ** power / np.maximum(found[over], 1e-20)


def _of_least(found: dict[str, Any]) -> Any:
    return _share(found, "least", 2)


PROJECTION: dict[str, Any] = {
    "bound": _projection,
    "rows": 16,
    **ERROR,
}

cruz_cortes_scott = [
    KERNEL_MEAN.always(
        "cruz-cortes-scott",
        statement=r"\|\tilde\omega-\omega^*\|\le\big(1-\tfrac mn\big)D^*(S,m)",
        place="Sec. 5.5.3",
        hypotheses=["equal weights", "distinct points", "farthest-first centres"],
        simulate=publicly(
            sides.projection_error, partial(sides.by_centres, projection), _of_least, 8),
        certify=SPAN["certify"],
        grid={"n": [5, 6, 8], "m": [1, 2, 4], "dimension": [3, 6, 8]},
        note="Tight: with 2 centres of 3 points, and 3 of 4, some samples attain it.",
        twin=scaled(Fraction(1, 2), power=2),
        **PROJECTION,
    ),
    KERNEL_MEAN.always(
        "cruz-cortes-scott/nearest-centre",
        statement=r"\|\tilde\omega-\omega^*\|\le\big(1-\tfrac mn\big)r_m",
        place="not in the paper",
        hypotheses=["equal weights", "distinct points", "each point replaced by its centre"],
        simulate=publicly(
            sides.nearest_centre_error, partial(sides.by_centres, nearest_centre), _of_least),
        certify=NEAREST["certify"],
        grid={"n": [7], "m": [2, 3], "dimension": [1, 2]},
        origin="sharper",
        note=r"Already this is in the hull, and $r_m\le D^*(S,m)$.",
        twin=scaled(Fraction(1, 2), power=2),
        **PROJECTION,
    ),
    KERNEL_MEAN.always(
        "cruz-cortes-scott/nearest-centre-weighted",
        statement=r"\|\tilde\omega-\omega^*\|\le\big(1-\alpha^*(\tilde S)\big)r_m",
        place="not in the paper",
        hypotheses=["each point replaced by its centre"],
        simulate=publicly(
            sides.weighted_centre_error, partial(sides.by_centres, nearest_centre), _share),
        certify=WEIGHTED["certify"],
        grid={"n": [7], "m": [1, 2, 3], "dimension": [1, 2]},
        origin="sharper",
        twin=scaled(Fraction(1, 2), power=2),
        rows=32,
        **ERROR,
    ),
]

@requires(m=COUNT)
def _scheme(m: int, least: Numeric) -> Numeric:
    return bounds.luckiness_sharp(2 * m, np.sqrt(least)) ** 2


def _square_of(bound: Callable[..., Numeric]) -> Callable[..., Numeric]:
    """A bound on the distance with ``k = 2m`` atoms, squared."""
    def square(m: int, least_diameter: float) -> Numeric:
        return bound(2 * m, least_diameter) ** 2
    return square


BEST: dict[str, Any] = {
    "hypotheses": ["k even, k = 2m"],
    "exact": sides.best_sparse,
    "certify": sides.best_sparse_certificate,
    "grid": {"population": [
        *(Scheme(far_apart(corners, m), m) for corners, m in (
            (12, 2), (24, 3), (200, 1), (200, 2), (200, 10),
        )),
        *(Scheme(uneven(seed), m) for seed in range(4) for m in (1, 2)),
    ]},
    **SQUARE,
}

algorithmic_luckiness = [
    KERNEL_MEAN.always(
        "algorithmic-luckiness",
        statement=(
            r"\exists k\text{-sparse }\tilde\omega:\ "
            r"\|\omega^*-\tilde\omega\|\le\tfrac{\sqrt2D^*(S,k/2)}{\sqrt k}"
        ),
        place="Sec. 5.5.1, quoting Herbrich and Williamson",
        also=[AVERAGE_CLASSIFIER.also(
            "herbrich-williamson/candidate", "Sec. 6.5, its formula lost: that of the later version"
        )],
        bound=_square_of(bounds.luckiness),
        given={"times": 2, "more": 0, "spared": 0},
        note=(
            "The best weights on the best points. Corners of a simplex, and far points that cost "
            r"an atom each: nothing comes nearer than $\sqrt{k/(2k+4)}$ of the bound, or than "
            r"$k/(2k+4)$ of its square, and these do in the limit: the bound is loose. See "
            "`algorithmic-luckiness/sharp`."
        ),
        twin=scaled(Fraction(2, 5)),
        **BEST,
    ),
    KERNEL_MEAN.always(
        "algorithmic-luckiness/repaired",
        statement=(
            r"\exists(k-1)\text{-sparse }\tilde\omega:\ "
            r"\|\omega^*-\tilde\omega\|\le\tfrac{D^*(S,k/2)}{\sqrt k}"
        ),
        place="Sec. 5.5.1 with the repaired Theorem 21",
        bound=_square_of(bounds.luckiness_repaired),
        given={"times": 1, "more": 0, "spared": 1},
        origin="sharper",
        note="A point less than print allows: the draws are at most $2m-1$.",
        twin=scaled(Fraction(3, 4)),
        **BEST,
    ),
    KERNEL_MEAN.always(
        "algorithmic-luckiness/sharp",
        statement=(
            r"\exists k\text{-sparse }\tilde\omega:\ "
            r"\|\omega^*-\tilde\omega\|\le\tfrac{D^*(S,k/2)}{\sqrt{k+2}}"
        ),
        place="not in the paper",
        bound=_square_of(bounds.luckiness_sharp),
        given={"times": 1, "more": 2, "spared": 0},
        origin="sharper",
        note=(
            r"$\lceil\alpha_i(m+1)\rceil$ draws from cell $i$ are at most $2m$. The best constant "
            r"for every even $k$: corners and far points come as near as they are many."
        ),
        twin=scaled(Fraction(3, 4)),
        **BEST,
    ),
    KERNEL_MEAN.always(
        "algorithmic-luckiness/scheme",
        statement=r"\textstyle\sum_i\tfrac{\alpha_i^2}{n_i}V_i\le\tfrac{D^*(S,m)^2}{2(m+1)}",
        place="behind the sharper luckiness: $n_i=\\lceil\\alpha_i(m+1)\\rceil$, $k=2m$",
        hypotheses=["k even, a partition of least diameter into k/2 cells"],
        grid={"n": [7], "m": [2, 3], "dimension": [1, 2, 30]},
        rows=256,
        origin="sharper",
        note=(
            "Some outcome is no farther away than the root mean square of the scheme. Random "
            "samples, and corners of a simplex, which come nearest."
        ),
        twin=scaled(Fraction(1, 2)),
        quantity="mean square error of the scheme",
        unit="1 / (24 n^2)",
        **both(sides.luckiness_scheme, sides.Scattered, _scheme),
    ),
    AVERAGE_CLASSIFIER.cited(
        "herbrich-williamson",
        statement=r"\exists m\text{-sparse }\tilde\omega:\ \|\omega^*-\tilde\omega\|\le\ ?",
        reason="formula lost in print: candidates are tried under their own names",
        place="Sec. 6.5",
        note="The formula is lost; `herbrich-williamson/candidate` is the later version's.",
    ),
    AVERAGE_CLASSIFIER.always(
        "herbrich-williamson/entropy-numbers",
        statement=r"\epsilon_m(S)\le D^*(S,m)",
        place="Sec. 6.5; with centres in S, and so $D^*\\le2\\epsilon_m$",
        origin="candidate",
        twin=scaled(Fraction(1, 2)),
        **INTEGER,
        **both(sides.covering, sides.Whole),
    ),
]

FLIPPED = both(sides.flipped_diameter, sides.Flipped)

SMALL: dict[str, Any] = {
    "quantity": "squared diameter", "rows": 128,
    "grid": {"n": [4], "m": [2, 3], "dimension": [2]},
}

both_signs = [
    KERNEL_MEAN.always(
        "pm-s",
        statement=r"D^*(S,m)\le D^*(\pm S,m)",
        place="Sec. 6",
        given={"swapped": 0},
        twin={"given": {"swapped": 1}, "why": "the other way round"},
        **SMALL,
        **both(sides.signed_diameter, sides.Whole),
    ),
    KERNEL_MEAN.identity(
        "pm-s/invariant",
        statement=r"D^*(\pm S_\sigma,m)=D^*(\pm S,m)",
        place="Sec. 6",
        note="After the flips by `least_diameter`, before them by trying all partitions.",
        given={"doubled": 1},
        twin={"given": {"doubled": 0}, "why": "S in place of both signs of S"},
        **SMALL | {"rows": 32},
        certify=FLIPPED["certify"],
        simulate=publicly(
            FLIPPED["simulate"], sides.public_flipped, lambda found: found["rhs"], 2),
    ),
]

RADIUS = both(sides.traversal_radius, sides.Whole)
DIAMETER = both(sides.traversal_diameter, sides.Whole)

traversal = [
    KERNEL_MEAN.always(
        "algorithm-1/radius",
        statement=r"r_m\le D^*(S,m)",
        place="behind Algorithm 1: m + 1 points at mutual distance r",
        origin="sharper",
        twin=scaled(Fraction(1, 2)),
        **INTEGER | {"rows": 16},
        certify=RADIUS["certify"],
        simulate=publicly(RADIUS["simulate"], sides.public_radius, _share),
    ),
    KERNEL_MEAN.always(
        "algorithm-1/diameter",
        statement=r"D\le2D^*(S,m)",
        place="Sec. 5.2, quoting Gonzalez 1985",
        note="The factor 2 is attained. The worst of all starts.",
        twin=scaled(Fraction(1, 2)),
        **INTEGER | {"rows": 16},
        certify=DIAMETER["certify"],
        simulate=publicly(DIAMETER["simulate"], sides.public_diameter, _share),
    ),
]
