r"""Losses as tables: every table of small whole numbers, judged by what it does to every ordering.

A table is the pair of rows $\ell(1,v_k)$, $\ell(-1,v_k)$ over a few scores; its atoms are all
$(y,v_k)$, positive labels first. Noise turns a table into the one whose clean risk is the noisy
risk, $(1-\sigma_y)\,\ell(y,v)+\sigma_y\,\ell(-y,v)$.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from noisytheory.topics.surrogates.orders.order import (
    affine_relation,
    reversed_pair,
    reversed_pair_exact,
)
from noisytheory.trial.claim import Certificate
from noisytheory.trial.sides import worked
from noisytheory.vocabulary.exact import lattice, simplex
from noisytheory.vocabulary.joint_masses import Zero, confused, flips, twice_wrong

__all__ = [
    "affine_loss",
    "agreement",
    "class_conditional",
    "corrected_risk",
    "equivalence",
    "label_sums",
    "label_sums_at_zero",
    "ordering",
    "robust",
    "robust_corrected",
    "robust_sum",
    "trivial_only",
    "unequal_rates",
]

Numbers: TypeAlias = tuple[Fraction, ...]

RATES = ((Fraction(1, 10), Fraction(3, 10)), (Fraction(1, 4), Fraction(1, 4)))
"""Flip probabilities of negative and of positive labels."""


def _tables(scores: int, levels: int) -> Iterator[Numbers]:
    values = [Fraction(k) for k in range(levels)]
    return itertools.product(values, repeat=2 * scores)


def _noisy(table: Numbers, minus: Fraction, plus: Fraction) -> Numbers:
    half = len(table) // 2
    up, down = table[:half], table[half:]
    return (
        *((1 - plus) * u + plus * d for u, d in zip(up, down, strict=True)),
        *((1 - minus) * d + minus * u for u, d in zip(up, down, strict=True)),
    )


def _corrected(table: Numbers, minus: Fraction, plus: Fraction) -> Numbers:
    half, rest = len(table) // 2, 1 - minus - plus
    up, down = table[:half], table[half:]
    return (
        *(((1 - minus) * u - plus * d) / rest for u, d in zip(up, down, strict=True)),
        *(((1 - plus) * d - minus * u) / rest for u, d in zip(up, down, strict=True)),
    )


@cache
def _pairs(atoms: int, total: int) -> list[tuple[int, ...]]:
    """Differences of all pairs of distributions on a lattice, times ``total``."""
    found = simplex(atoms, total)
    gaps = {tuple(p - q for p, q in zip(a, b, strict=True)) for a in found for b in found}
    return sorted(tuple(int(total * g) for g in gap) for gap in gaps)


def _whole(values: Numbers) -> list[int]:
    """In a common unit, which no ordering sees."""
    unit = math.lcm(*(Fraction(v).denominator for v in values))
    return [int(v * unit) for v in values]


def _same_order(first: Numbers, second: Numbers, total: int) -> bool:
    """By the definition: all pairs of distributions on a lattice are ranked alike."""
    left, right = _whole(first), _whole(second)
    for gap in _pairs(len(first), total):
        one = sum(map(operator.mul, gap, left))
        two = sum(map(operator.mul, gap, right))
        if (one <= 0) != (two <= 0):
            return False
    return True


def _text(table: Numbers) -> str:
    half = len(table) // 2
    up, down = (", ".join(str(v) for v in part) for part in (table[:half], table[half:]))
    return f"l(1, .) = ({up}); l(-1, .) = ({down})"


def agreement(directions: str) -> Iterator[Certificate]:
    r"""Whether no pair of distributions is ranked apart, against the words of the definition.

    A pair that `reversed_pair_exact` names is ranked by both losses before it counts. The words:
    every two distributions on a lattice, $Q\le_{\ell_1}Q'\iff Q\le_{\ell_2}Q'$.

    Parameters
    ----------
    directions : {"both", "one"}
        Whether the definition's arrow goes both ways.
    """
    losses = list(itertools.product([Fraction(k) for k in range(3)], repeat=3))
    mixtures = simplex(3, 3)
    risks = {loss: [_risk(q, loss) for q in mixtures] for loss in losses}
    pairs = list(itertools.permutations(range(len(mixtures)), 2))
    for first, second in itertools.product(losses, repeat=2):
        one, two = risks[first], risks[second]
        alike = all(
            two[i] <= two[j] if one[i] <= one[j] else directions == "one" or two[i] > two[j]
            for i, j in pairs
        )
        found = [
            pair for a, b in ((first, second), (second, first))
            if (pair := reversed_pair_exact(a, b)) is not None
            and _risk(pair[0], a) > _risk(pair[1], a) and _risk(pair[0], b) <= _risk(pair[1], b)
        ]
        yield Certificate(
            int(not found), int(alike),
            [("losses", f"{_join(first)} and {_join(second)}"),
             *((f"ranked apart: {name}", _join(tuple(q)))
               for pair in found[:1] for name, q in zip(("Q", "Q'"), pair, strict=True))],
        )


PROGRAMMED = 3
"""One in so many pairs of losses is tried by the linear programme as well."""


def agreement_in_floats(directions: str) -> dict[str, Any]:
    """The sides of `agreement`; every third pair's left side by `reversed_pair`, in floats."""
    sides: dict[str, Any] = worked(agreement)["exact"](directions=directions)
    losses = itertools.product(range(3), repeat=3)
    pairs = list(itertools.product(losses, repeat=2))[::PROGRAMMED]
    sides["lhs"][::PROGRAMMED] = [
        reversed_pair(a, b) is None and reversed_pair(b, a) is None for a, b in pairs
    ]
    return sides


def _risk(mixture: Sequence[Fraction], loss: Numbers) -> Fraction:
    return sum(map(operator.mul, mixture, loss), Fraction(0))


def robust(sigma: float, flips: str) -> Iterator[Certificate]:
    r"""Whether a table is an increasing affine function of its noisy one, against the definition.

    The words: every two distributions of scored labels on a lattice, $Q\le_\ell Q'\iff
    Q_\sigma\le_\ell Q'_\sigma$. Here the noise flips labels of the distributions, not of the loss.

    Parameters
    ----------
    sigma : float
    flips : {"both labels", "positive labels"}
        Which labels the noise flips.
    """
    rate = Fraction(str(sigma))
    mixtures = simplex(4, 2)
    noisy = [_flipped(q, rate if flips == "both labels" else Fraction(0), rate) for q in mixtures]
    pairs = list(itertools.permutations(range(len(mixtures)), 2))
    for table in _tables(2, 3):
        before, after = ([_risk(q, table) for q in these] for these in (mixtures, noisy))
        broken = next(
            ((i, j) for i, j in pairs if (before[i] <= before[j]) != (after[i] <= after[j])), None
        )
        equivalent = affine_relation(table, _noisy(table, rate, rate)) is not None
        steps: list[tuple[str, object]] = [("loss", _text(table))]
        if broken is not None:
            steps += [
                (f"{name} and its risks, clean and noisy",
                 f"{_join(mixtures[k])}: {before[k]}, {after[k]}")
                for name, k in zip(("Q", "Q'"), broken, strict=True)
            ]
        yield Certificate(int(equivalent), int(broken is None), steps)


def _flipped(mixture: Numbers, minus: Fraction, plus: Fraction) -> Numbers:
    """The distribution of scored labels after labels were flipped at these rates."""
    masses = np.array(mixture, object).reshape(2, -1).T
    return tuple(confused(masses, flips(minus, plus)).T.ravel())


def equivalence(sign: str) -> Iterator[Certificate]:
    """Whether two losses on three atoms rank all pairs alike, against the affine criterion."""
    losses = list(itertools.product([Fraction(k) for k in range(3)], repeat=3))
    for first, second in itertools.product(losses, repeat=2):
        relation = affine_relation(first, second)
        criterion = relation is not None
        if sign == "any" and relation is None and len(set(first)) > 1:
            criterion = affine_relation(first, [-v for v in second]) is not None
        yield Certificate(
            int(_same_order(first, second, 3)), int(criterion),
            [("losses", f"{_join(first)} and {_join(second)}"), ("affine relation", relation)],
        )


def _join(values: Numbers) -> str:
    return f"({', '.join(str(v) for v in values)})"


def robust_corrected(sigma: float, with_loss: str) -> Iterator[Certificate]:
    r"""Whether noise keeps all orderings of a table, against: $\ell_\sigma\sim\ell$."""
    rate = Fraction(str(sigma))
    for table in _tables(2, 3):
        noisy, corrected = _noisy(table, rate, rate), _corrected(table, rate, rate)
        if with_loss == "flipped":
            corrected = (*table[2:], *table[:2])
        yield Certificate(
            int(_same_order(table, noisy, 2)), int(affine_relation(table, corrected) is not None),
            [("loss", _text(table)), ("noisy", _text(noisy)), ("corrected", _text(corrected))],
        )


def robust_sum(sigma: float, excluded: str) -> Iterator[Certificate]:
    r"""Whether a table is robust, against: $\ell(1,v)+\ell(-1,v)$ is constant.

    Parameters
    ----------
    sigma : float
    excluded : {"equal somewhere", "label-free", "nothing"}
        Which tables the hypothesis leaves out.
    """
    rate = Fraction(str(sigma))
    for table in _tables(3, 3):
        agree = [u == d for u, d in zip(table[:3], table[3:], strict=True)]
        if (excluded == "equal somewhere" and any(agree)) or (
            excluded == "label-free" and all(agree)
        ):
            continue
        sums = {u + d for u, d in zip(table[:3], table[3:], strict=True)}
        yield _robustness(table, rate, int(len(sums) == 1), ("sums", _join(tuple(sorted(sums)))))


def _robustness(
    table: Numbers, rate: Fraction, promised: int, step: tuple[str, object]
) -> Certificate:
    noisy = _noisy(table, rate, rate)
    relation = affine_relation(table, noisy)
    steps: list[tuple[str, object]] = [("loss", _text(table)), ("noisy", _text(noisy)), step]
    pair = None
    if int(relation is not None) != promised:
        pair = reversed_pair_exact(table, noisy) or reversed_pair_exact(noisy, table)
    if pair is not None:
        steps += [(name, _join(tuple(q))) for name, q in zip(("Q", "Q'"), pair, strict=True)]
        for name, loss in (("loss", table), ("noisy", noisy)):
            risks = [sum(p * v for p, v in zip(q, loss, strict=True)) for q in pair]
            steps.append((f"risks of Q and Q', {name}", f"{risks[0]}, {risks[1]}"))
    return Certificate(int(relation is not None), promised, steps)


def affine_loss(sigma: float, excluded: str) -> Iterator[Certificate]:
    r"""Whether a table on scores -1, 0, 1 is convex and robust, against $\lambda yv+g(y)$."""
    rate = Fraction(str(sigma))
    for table in _tables(3, 3):
        up, down = table[:3], table[3:]
        if excluded == "label-free" and up == down:
            continue
        if any(row[0] + row[2] < 2 * row[1] for row in (up, down)):
            continue
        slopes = [row[k + 1] - row[k] for row in (up, down) for k in (0, 1)]
        affine = slopes[0] == slopes[1] == -slopes[2] == -slopes[3]
        yield _robustness(table, rate, int(affine), ("slopes", _join(tuple(slopes))))


def trivial_only(rates: str) -> Iterator[Certificate]:
    """Whether a table is robust at every pair of rates, against: it ignores label or score."""
    pairs = [(a, b) for a, b in ((1, 3), (2, 1), (3, 3)) if rates == "all" or a == b]
    for table in _tables(3, 3):
        up, down = table[:3], table[3:]
        trivial = up == down or (len(set(up)) == 1 and len(set(down)) == 1)
        robust = all(
            affine_relation(table, _noisy(table, Fraction(a, 10), Fraction(b, 10))) is not None
            for a, b in pairs
        )
        yield Certificate(
            int(robust), int(trivial),
            [("loss", _text(table)), *(
                ("noisy", _text(_noisy(table, Fraction(a, 10), Fraction(b, 10)))) for a, b in pairs
            )],
        )


def unequal_rates(sums: str) -> Iterator[Certificate]:
    """Whether a table is robust at a pair of rates, against: equal rates, or it ignores the score.

    Parameters
    ----------
    sums : {"constant", "any"}
        Whether only tables are tried whose sums over the labels are constant.
    """
    for table in _tables(3, 3):
        up, down = table[:3], table[3:]
        if sums == "constant" and len({u + d for u, d in zip(up, down, strict=True)}) > 1:
            continue
        idle = len(set(up)) == 1 and len(set(down)) == 1
        for minus, plus in itertools.product((Fraction(0), Fraction(1, 10), Fraction(3, 10)),
                                             (Fraction(0), Fraction(1, 10), Fraction(1, 2))):
            noisy = _noisy(table, minus, plus)
            relation = affine_relation(table, noisy)
            yield Certificate(
                int(relation is not None), int(minus == plus or idle),
                [("loss", _text(table)), ("sigma-, sigma+", f"{minus}, {plus}"),
                 ("noisy", _text(noisy)), ("affine relation", relation)],
            )


def ordering(zero: Zero, sigma: float) -> Iterator[Certificate]:
    """Orderings by misclassification of two scored labels: whether noise keeps them, against 1."""
    rate = Fraction(str(sigma))
    atoms = [(y, v) for y in (1, -1) for v in (-1, 0, 1)]
    values = [_misclassified(y, v, zero) for y, v in atoms]
    noisy = _noisy(tuple(values), rate, rate)
    for i, j in itertools.product(range(6), repeat=2):
        if values[i] <= values[j]:
            yield Certificate(
                int(noisy[i] <= noisy[j]), 1,
                [("Q, Q' at (label, score)", f"{atoms[i]}, {atoms[j]}"),
                 ("risks", f"{values[i]} <= {values[j]}"),
                 ("risks under noise", f"{noisy[i]}, {noisy[j]}")],
            )


def _misclassified(label: int, score: Fraction | int, zero: Zero) -> Fraction:
    return Fraction(twice_wrong(label * score, zero), 2)


def label_sums(zero: Zero) -> Iterator[Certificate]:
    r"""$\ell_{01}(1,v)+\ell_{01}(-1,v)$ against 1."""
    for v in lattice(-1, 1, 2):
        total = _misclassified(1, v, zero) + _misclassified(-1, v, zero)
        yield Certificate(total, 1, [("score", v), ("sum over both labels", total)])


def label_sums_at_zero(loss: str) -> Iterator[Certificate]:
    r"""Whether $\ell(1,v)=\ell(-1,v)$ at some score, against the hypothesis that it never is."""
    for v in lattice(-1, 1, 2):
        values = [
            {"linear": 1 - y * v, "hinge": max(1 - y * v, Fraction(0)),
             "0-1": _misclassified(y, v, "both")}[loss]
            for y in (1, -1)
        ]
        yield Certificate(int(values[0] == values[1]), 0, [("score", v), ("l(1, v), l(-1, v)",
                                                          f"{values[0]}, {values[1]}")])


def corrected_risk(rates: str) -> Iterator[Certificate]:
    r"""$E_{Q_\sigma}\ell_\sigma$ against $E_Q\ell$, at every atom $Q$ of every table."""
    for minus, plus in RATES:
        if rates == "equal":
            minus = plus = minus
        for table in _tables(2, 3):
            swapped = (plus, minus) if rates == "swapped" else (minus, plus)
            risks = _noisy(_corrected(table, *swapped), minus, plus)
            for k, risk in enumerate(risks):
                yield Certificate(
                    risk, table[k],
                    [("loss", _text(table)), ("sigma-, sigma+", f"{minus}, {plus}"),
                     ("atom", k + 1), ("noisy risk of the corrected loss", risk)],
                )


def class_conditional(order: str) -> Iterator[Certificate]:
    r"""$\ell_{\sigma_-,\sigma_+}$ against $(\ell-C)/(1-\sigma_--\sigma_+)$.

    For tables with $\sigma_+\ell(-1,v)+\sigma_-\ell(1,v)=C$.
    """
    for minus, plus in RATES:
        for up in itertools.product(lattice(0, 2, 1), repeat=2):
            for level in (Fraction(0), Fraction(1)):
                first, second = (minus, plus) if order == "printed" else (plus, minus)
                down = tuple((level - first * u) / second for u in up)
                table = (*up, *down)
                rest = 1 - minus - plus
                for k, value in enumerate(_corrected(table, minus, plus)):
                    yield Certificate(
                        value, (table[k] - level) / rest,
                        [("loss", _text(table)), ("sigma-, sigma+, C",
                         f"{minus}, {plus}, {level}"), ("atom", k + 1)],
                    )
