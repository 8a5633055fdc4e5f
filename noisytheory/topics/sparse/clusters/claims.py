"""Sub-sampling of clusters on trial: Theorem 21, the guarantees of Algorithms 1 and 2, the span."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from noisytheory.papers import KERNEL_MEAN
from noisytheory.topics.sparse.clusters import bounds, simulate
from noisytheory.topics.sparse.mean_square import clustered_mean_square
from noisytheory.topics.sparse.samples import (
    SAMPLES,
    Sample,
    Scheme,
    corners,
    heavy,
    heavy_corners,
    lopsided,
    one_cell,
    opposed,
    pairs_in_one,
    simplices,
    uneven_pairs,
)
from noisytheory.topics.sparse.terms import ERROR, FARTHEST, IN_HULL, LEVELS, SQUARE
from noisytheory.trial.sides import scaled
from noisytheory.vocabulary.domains import LEVEL, POSITIVE, Numeric, requires
from noisytheory.vocabulary.kernels import Linear


def _largest(largest: float) -> float:
    """A bound above every error there is says nothing."""
    return largest


def _shared(*shares: Fraction) -> Scheme:
    given = tuple(i for i in range(len(shares)) for _ in (0, 1))
    return Scheme(uneven_pairs(*shares), len(shares), given)


EVERY: dict[str, Any] = {
    "simulate": simulate.clustered_errors,
    "exact": simulate.clustered_law,
    "trivial": _largest,
    "rows": 256,
    "apart": True,
    **ERROR,
}
# One draw from a simplex whose last corner has almost half; draws from {0, 1} so many that a
# lattice point lies just above the quantile, and few enough that the bound is below all errors
# there are, or that a twin falls; unequal shares; and spread points in uneven cells, for draws by
# the public sampler, with so few cells that the bound says nothing at levels that few draws cannot
# decide. The bounds are the tighter the smaller the level: two hundred draws say something at
# 1e-12.
FAINT = [0.25, *LEVELS, 0.001, 1e-6, 1e-12]
CELLS = [
    Scheme(simplices(1, 61, 0.49), 1, (0,) * 61),
    *(pairs_in_one(m) for m in (5, 9, 22, 32, 50, 55, 200)),
    pairs_in_one(10, 0.6), pairs_in_one(24, 0.52),
    _shared(*[Fraction(1, 9)] * 9), _shared(Fraction(9, 20), Fraction(7, 20), Fraction(1, 5)),
]
SPREAD = corners(15, 3, 1, 1)
LOPSIDED = lopsided(121, 25, 8, 6)
MEANS: dict[str, Any] = {
    **EVERY,
    "hypotheses": ["a partition into m cells of diameter at most D", IN_HULL],
    "grid": {"population": [
        Scheme(simplices(3, 20), 3, (0,) * 20 + (1,) * 20 + (2,) * 20), pairs_in_one(55),
        Scheme(simplices(2, 50), 2, (0,) * 50 + (1,) * 50), _shared(*[Fraction(1, 9)] * 9),
        SPREAD, LOPSIDED,
    ]},
    "low": 0.0,
    "high": _largest,
}
TRAVERSED = [
    *(Scheme(heavy(m), m) for m in (5, 22, 32, 50, 55, 200)), Scheme(heavy(10, 0.6), 10),
    *(Scheme(SAMPLES[name], 3) for name in ("line", "three pairs", "weighted")),
]


def _spread(m: int, share: float = 0.5, extra: int = 0, ends: float = 0.0) -> Scheme:
    return Scheme(heavy(m, share, bool(extra), True, ends), m, extra=extra)


def _variance(population: Scheme, more: int) -> float:
    chosen, m = population.sample, population.m + more
    return clustered_mean_square(Linear(), chosen.points, chosen.alpha, m, population.cells)


def _largest_square(largest: float) -> float:
    return largest**2


def _room(population: Scheme, more: int) -> float:
    """A fifth where squares are drawn, less of one draw, nothing where their law is known."""
    if simulate.clustered_law(population) is not None:
        return 0.0
    return _variance(population, more) / (5 if population.m > 1 else 40)


THEOREM_21: dict[str, Any] = {
    **EVERY,
    "hypotheses": ["a partition into m cells of diameter at most D", IN_HULL],
}

theorem_21 = [
    KERNEL_MEAN.tail(
        "theorem-21",
        statement=(
            r"\|\omega^*-\tilde\omega\|\le D\big(\tfrac1{\sqrt m}"
            r"+\sqrt{\tfrac{\log(1/\delta)}m}\big)"
        ),
        place="Theorem 21, Sec. 5.2; proof A.12",
        bound=bounds.clustered_error,
        note=(
            r"Holds, and is loose by $\sqrt2$ in both terms: the variance in a cell is at most "
            r"$D^2/2$, and $\sum c_{ij}^2=D^2\sum\alpha_i^2/n_i\le D^2/m$ where print has "
            r"$2D^2/m$. So nothing comes nearer than $1/\sqrt2$, and many draws from two points "
            r"come near that for small $\delta$: the bound is loose, not the trial. Spread points "
            r"in uneven cells, drawn by the public sampler, come to .31 of it at "
            r"$\delta=\frac12$."
        ),
        twin=scaled(Fraction(1, 2)),
        **THEOREM_21,
        grid={"population": [*CELLS, corners(31, 5, 3, 1)], "delta": FAINT},
    ),
    KERNEL_MEAN.tail(
        "theorem-21/repaired",
        statement=(
            r"\|\omega^*-\tilde\omega\|\le\tfrac D{\sqrt{2m}}\big(1+\sqrt{\log(1/\delta)}\big)"
        ),
        place="Theorem 21 with the terms of its proof computed",
        bound=bounds.clustered_error_repaired,
        origin="sharper",
        note=(
            r"Many draws from two points come near it for small $\delta$; spread points in uneven "
            r"cells, drawn by the public sampler, come to .43 of it at $\delta=\frac12$."
        ),
        twin=scaled(Fraction(3, 4)),
        **THEOREM_21,
        grid={"population": [*CELLS, SPREAD], "delta": FAINT},
    ),
    KERNEL_MEAN.mean(
        "theorem-21/mean",
        statement=r"\mathbb E\|\omega^*-\tilde\omega\|\le\tfrac D{\sqrt m}",
        place="proof of Theorem 21, A.12",
        bound=bounds.clustered_mean,
        twin=scaled(Fraction(1, 2)),
        **MEANS,
    ),
    KERNEL_MEAN.mean(
        "theorem-21/mean-repaired",
        statement=r"\mathbb E\|\omega^*-\tilde\omega\|\le\tfrac D{\sqrt{2m}}",
        place="proof of Theorem 21 with the variance in a cell computed",
        bound=bounds.clustered_mean_repaired,
        origin="sharper",
        note=(
            "Tight for cells that are large regular simplices. Random corners of a cube in uneven "
            "cells, drawn by the public sampler, come to .8 of it."
        ),
        twin=scaled(Fraction(1, 2)),
        **MEANS,
    ),
    KERNEL_MEAN.equal(
        "theorem-21/variance",
        statement=(
            r"\mathbb E\|\omega^*-\tilde\omega\|^2=W^2\textstyle\sum_i\tfrac{\alpha_i^2}{n_i}V_i"
        ),
        place="behind Theorem 21: the draws of a cell are independent",
        hypotheses=[
            "V_i is the variance in cell i, n_i the draws from it, alpha_i its share of W, the sum "
            "of the sizes of the weights",
        ],
        bound=_variance,
        simulate=simulate.clustered_squares,
        exact=simulate.clustered_square_law,
        given={"more": 0},
        low=0.0,
        high=_largest_square,
        margin=_room,
        rows=256,
        grid={"population": [*MEANS["grid"]["population"][:-1], *TRAVERSED[:1],
                             Scheme(simplices(1, 61, 0.49), 1, (0,) * 61),
                             Scheme(opposed(5), 5), Scheme(SAMPLES["weighted"], 2),
                             Scheme(SAMPLES["signed"], 3), heavy_corners(), one_cell()]},
        origin="sharper",
        note=(
            "Simplices, uneven pairs, signs, and farthest-first cells: exact on each. Of spread "
            "and lopsided cells the public sampler draws, to within a fifth, and of a single draw "
            "that is about as far off as any other, to within a fortieth."
        ),
        twin={"given": {"more": 1}, "why": "m + 1 for m"},
        **SQUARE,
    ),
    KERNEL_MEAN.always(
        "theorem-21/sparsity",
        statement=r"\tilde\omega\ \text{is at most}\ 2m\text{-sparse}",
        place="Theorem 21, Sec. 5.2",
        bound=bounds.clustered_sparsity,
        exact=simulate.drawn_points,
        grid={"m": [2, 3, 4, 5, 20, 100]},
        quantity="points drawn",
        note=(
            "All masses that are multiples of 1/9 and of 1/(2m - 1), for up to five cells, some of "
            "them empty. At most 2m - 1, see `theorem-21/sparsity-repaired`."
        ),
        certify=simulate.sparsity_certificate,
        given={"spared": 0},
        twin={"bound": lambda m: 2 * m - 2, "given": {"spared": 2},
              "why": "2m - 2 for 2m"},
    ),
    KERNEL_MEAN.always(
        "theorem-21/sparsity-repaired",
        statement=r"\tilde\omega\ \text{is at most}\ (2m-1)\text{-sparse}",
        place="Theorem 21: a sum of m ceilings exceeds the sum by less than m",
        bound=bounds.clustered_sparsity_repaired,
        exact=simulate.drawn_points,
        grid={"m": [2, 3, 4, 5, 20, 100]},
        quantity="points drawn",
        origin="sharper",
        note="Attained where all cells but one weigh a little more than 1/m.",
        certify=simulate.sparsity_certificate,
        given={"spared": 1},
        twin={"bound": lambda m: 2 * m - 2, "given": {"spared": 2},
              "why": "2m - 2 for 2m - 1"},
    ),
]


PROMISES = {
    "printed": bounds.clustered_error, "repaired": bounds.clustered_error_repaired,
}


@requires(m=bounds.CELLS, delta=LEVEL)
def _promise(promise: str, m: int, delta: Numeric, diameter: float, total: float) -> Numeric:
    return total * PROMISES[promise](m, delta, diameter)


GUARANTEES = {
    "printed": bounds.traversal_error, "repaired": bounds.traversal_error_repaired,
    "sharp": bounds.traversal_error_sharp,
}


@requires(m=bounds.CELLS, delta=LEVEL)
def _guarantee(guarantee: str, m: int, delta: Numeric, least_diameter: float) -> Numeric:
    return GUARANTEES[guarantee](m, delta, least_diameter)


UNIFORM = {"simulate": simulate.uniform_errors, "why": "uniform draws within a cell"}
BY_DRAWS: dict[str, Any] = {
    "simulate": simulate.clustered_errors, "trivial": _largest, "rows": 128, "apart": True,
    **ERROR, "origin": "candidate", "twin": UNIFORM,
}
by_draws = [
    KERNEL_MEAN.tail(
        "theorem-21/by-draws",
        statement=(
            r"\|\omega^*-\tilde\omega\|\le W\,D\big(\tfrac1{\sqrt m}"
            r"+\sqrt{\tfrac{\log(1/\delta)}m}\big),\ \text{repaired: divided by }\sqrt2"
        ),
        place="Theorem 21 and Sec. 5.3, by the public sampler",
        hypotheses=["cells whose mean uniform draws would miss", "levels that few draws decide"],
        bound=_promise,
        grid={"promise": [*PROMISES], "delta": [0.5, 0.25, 0.1],
              "population": [LOPSIDED, lopsided(121, 25, 8, 6, signed=True)]},
        note=(
            "Beside the laws of `theorem-21` and `span-extension`, where many draws from uneven "
            "cells would have shown other weights than those of the points."
        ),
        **BY_DRAWS,
    ),
    KERNEL_MEAN.tail(
        "algorithm-1/by-draws",
        statement=(
            r"\|\omega^*-\tilde\omega\|\le2D^*(S,m)\big(\tfrac1{\sqrt m}"
            r"+\sqrt{\tfrac{\log(1/\delta)}m}\big),\ \text{repaired and sharp}"
        ),
        place="Algorithm 1, Sec. 5.2, by the public algorithm",
        hypotheses=[FARTHEST, "levels that few draws decide"],
        bound=_guarantee,
        grid={"guarantee": [*GUARANTEES], "delta": [0.5, 0.25, 0.1],
              "population": [_spread(36, 0.9, ends=0.02), _spread(36, 0.9, 1, 0.02)]},
        note=(
            "Beside the laws of `algorithm-1/guarantee` and its repairs, as in "
            "`theorem-21/by-draws`."
        ),
        **BY_DRAWS,
    ),
]


SAMPLED: dict[str, Any] = {
    **EVERY,
    "hypotheses": [FARTHEST],
}

algorithm_1 = [
    KERNEL_MEAN.tail(
        "algorithm-1/guarantee",
        statement=(
            r"\|\omega^*-\tilde\omega\|\le2D^*(S,m)\big(\tfrac1{\sqrt m}"
            r"+\sqrt{\tfrac{\log(1/\delta)}m}\big)"
        ),
        place="Algorithm 1, Sec. 5.2",
        bound=bounds.traversal_error,
        note=(
            "The heavy cell has twice the least diameter and gives all draws but a few. On it the "
            r"bound is as loose as Theorem 21: at best $1/\sqrt2$, for small $\delta$. With ten "
            r"spread points in it, drawn by the public sampler, the error comes to .32 of it at "
            r"$\delta=.05$."
        ),
        twin=scaled(Fraction(1, 2)),
        **SAMPLED,
        grid={"population": [*TRAVERSED, _spread(40)], "delta": FAINT},
    ),
    KERNEL_MEAN.tail(
        "algorithm-1/guarantee-printed-loop",
        statement=(
            r"\|\omega^*-\tilde\omega\|\le2D^*(S,m)\big(\tfrac1{\sqrt m}"
            r"+\sqrt{\tfrac{\log(1/\delta)}m}\big)"
        ),
        place="Algorithm 1, Sec. 5.2, with the loop as printed",
        bound=bounds.traversal_error,
        note=(
            "The printed loop ends with a centre more; the draws are still counted with m. Spread "
            r"points come to .32 of the bound at $\delta=.05$."
        ),
        twin=scaled(Fraction(1, 2)),
        **{**SAMPLED, "hypotheses": [FARTHEST, "m + 1 centres, and more distinct points than m"]},
        grid={"population": [
            *(Scheme(heavy(m, extra=True), m, extra=1) for m in (5, 32, 50, 55, 200)),
            Scheme(SAMPLES["line"], 3, extra=1), _spread(40, extra=1),
        ], "delta": FAINT},
    ),
    KERNEL_MEAN.tail(
        "algorithm-1/guarantee-repaired",
        statement=(
            r"\|\omega^*-\tilde\omega\|\le\tfrac{\sqrt2D^*(S,m)}{\sqrt m}"
            r"\big(1+\sqrt{\log(1/\delta)}\big)"
        ),
        place="Algorithm 1 with the repaired Theorem 21",
        bound=bounds.traversal_error_repaired,
        origin="sharper",
        note=(
            "Ten spread points in the heavy cell, drawn by the public sampler, come to .43 of it "
            r"at $\delta=.05$."
        ),
        twin=scaled(Fraction(3, 4)),
        **SAMPLED,
        grid={"population": [*TRAVERSED, _spread(20)], "delta": FAINT},
    ),
    KERNEL_MEAN.tail(
        "algorithm-1/guarantee-sharp",
        statement=(
            r"\|\omega^*-\tilde\omega\|\le\tfrac{D^*(S,m)}{\sqrt m}"
            r"\big(1+\sqrt{2\log(1/\delta)}\big)"
        ),
        place="not in the paper: the variance in a farthest-first cell",
        bound=bounds.traversal_error_sharp,
        origin="sharper",
        note=(
            r"A cell lies in a ball of radius $r_m\le D^*(S,m)$ around its centre, so the variance "
            r"in it is at most $D^{*2}$, not $2D^{*2}$. Its mean term is half that of print's. "
            "Ten spread points in the heavy cell, drawn by the public sampler, come to .53 of it "
            r"at $\delta=.05$."
        ),
        twin=scaled(Fraction(3, 4)),
        **SAMPLED,
        grid={"population": [*TRAVERSED, _spread(16)], "delta": FAINT},
    ),
]


@requires(epsilon=POSITIVE, delta=LEVEL, asked=LEVEL, reach=POSITIVE)
def _tolerance(epsilon: Numeric, delta: Numeric, asked: Numeric, reach: Numeric) -> Numeric:
    """What was asked for; at smaller levels than the one asked no less than any error there is."""
    return epsilon + (delta < asked) * reach


def _edge(sample: Sample, factor: float, k: int, asked: float) -> simulate.Demand:
    """The least tolerance with which ``k`` cells of radius 1 end the loop."""
    ends = factor * (1 + math.sqrt(-math.log(asked))) / math.sqrt(k)
    return simulate.Demand(sample, ends * (1 + 1e-9), asked)


# Spread points are drawn by the public sampler, at a level that few draws decide. Five cells are
# there to be seen: what can be asked of them is more than any error there is.
FAINTLY, DRAWN, FORCED = 1e-6, 0.1, 0.05


TOLERANCE: dict[str, Any] = {
    "bound": _tolerance,
    "simulate": simulate.tolerance_errors,
    "exact": simulate.tolerance_law,
    "rows": 64,
    "apart": True,
    "trivial": simulate.largest_error,
    "statement": r"\|\omega^*-\tilde\omega\|\le\epsilon",
    "place": "Algorithm 2, Sec. 5.2",
    **ERROR,
}
HALVES = [simulate.Demand(SAMPLES["halves"], epsilon, 0.1) for epsilon in (0.1, 0.4)]
algorithm_2 = [
    KERNEL_MEAN.tail(
        "algorithm-2/printed",
        hypotheses=["d and k are not set before the loop: d = 0, k = 1"],
        grid={"population": HALVES, "delta": [0.1]},
        given={"before": 0.0},
        expect="refuted",
        note=(
            r"Print sets neither $d$ nor $k$, and leaves $\epsilon$ out of the inputs. With $d=0$ "
            r"the loop is never entered and one random point is returned; with $k=0$ the test "
            r"divides by zero. With a large $d$ it holds: see `algorithm-2/repaired`."
        ),
        **TOLERANCE,
    ),
    KERNEL_MEAN.tail(
        "algorithm-2/repaired",
        hypotheses=["k = 1 and d infinite before the loop: print's best reading"],
        grid={"population": [
            *(_edge(heavy(k - 1, extra=True), 2, k, FAINTLY) for k in (32, 200)),
            *(_edge(heavy(31, extra=True, spread=some), 2, 32, DRAWN) for some in (False, True)),
            _edge(heavy(4, extra=True), 2, 5, FORCED),
        ], "delta": [FAINTLY, FORCED, DRAWN]},
        given={"before": math.inf},
        note=(
            "The stopping rule does not look at the draws, so that the number of cells may depend "
            "on the sample. The tolerance lies on the edge of the rule, whose test lags a centre. "
            r"Spread points, drawn by the public sampler, come to .34 of it at $\delta=.1$."
        ),
        twin=scaled(Fraction(1, 2)),
        **TOLERANCE,
    ),
    KERNEL_MEAN.tail(
        "algorithm-2/sharper",
        hypotheses=["k = 1 and d the first radius before the loop, d updated with k"],
        grid={"population": [
            *(_edge(heavy(k), math.sqrt(2), k, FAINTLY) for k in (55, 200)),
            simulate.Demand(SAMPLES["line"], 0.4, FAINTLY),
            *(_edge(heavy(16, spread=some), math.sqrt(2), 16, DRAWN) for some in (False, True)),
            _edge(heavy(5), math.sqrt(2), 5, FORCED),
        ], "delta": [FAINTLY, FORCED, DRAWN]},
        given={"before": "mended"},
        origin="sharper",
        note=(
            "The test divided by the root of 2, as the repaired Theorem 21 allows, with the radius "
            "of the centres there are. The tolerance lies on the edge of the rule. Spread points, "
            r"drawn by the public sampler, come to .41 of it at $\delta=.1$."
        ),
        twin=scaled(Fraction(7, 10)),
        **TOLERANCE,
    ),
]


@requires(m=bounds.CELLS, delta=LEVEL)
def _span(m: Numeric, delta: Numeric, diameter: Numeric, total: Numeric) -> Numeric:
    return total * bounds.clustered_error(m, delta, diameter)


span_extension = [
    KERNEL_MEAN.tail(
        "span-extension",
        statement=(
            r"\|\omega^*-\tilde\omega\|\le W\,D\big(\tfrac1{\sqrt m}"
            r"+\sqrt{\tfrac{\log(1/\delta)}m}\big),\quad W=\textstyle\sum|\alpha^*(\omega)|"
        ),
        place="Sec. 5.3, with Theorem 21",
        bound=_span,
        note=(
            "Points of zero weight drop out. Two equal points of opposite sign are two apart. "
            "Spread points of both signs, drawn by the public sampler, come to .31 of the bound at "
            r"$\delta=\frac12$."
        ),
        twin=scaled(Fraction(1, 2)),
        **{**EVERY, "hypotheses": ["D is the diameter of cells of the signed sample"],
           "grid": {"population": [
               *(Scheme(opposed(m), m) for m in (5, 32, 50, 55, 200)),
               *(Scheme(SAMPLES[name], 3) for name in ("signed", "mixed")),
               corners(31, 5, 3, 1, signed=True),
           ], "delta": FAINT}},
    ),
]
