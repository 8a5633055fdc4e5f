r"""Two classes mixed into each other, and labels flipped at rates that vary with the instance."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from noisytheory.topics.surrogates.worked import simplex
from noisytheory.trial.claim import Certificate

__all__ = [
    "auc", "balanced_error", "implied_constants", "instance_noise", "label_noise_shares",
    "share_sums",
]

SHARES = [(Fraction(3, 10), Fraction(1, 10)), (Fraction(0), Fraction(1, 2))]
CLASSES = simplex(3, 2)
SCORES = [Fraction(k, 2) for k in (-2, -1, 0, 1, 2)]
RATES = [Fraction(0), Fraction(1, 5), Fraction(3, 10)]
SEPARATE = ((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)))
MIXED = ((Fraction(2, 3), Fraction(1, 3)), (Fraction(1, 4), Fraction(3, 4)))
SCORERS = [(0, 2), (1, 0), (0, 1), (1, -1), (-1, 1)]
"""Scores of two points; the first two are those of the catalogue's example."""


def _loss(name: str, y: int, v: Fraction) -> Fraction:
    if name == "square of the score":
        return v * v
    if name == "linear":
        return 1 - y * v
    if name == "negative margin":
        return -y * v
    if name == "ramp":
        return min(max((1 - y * v) / 2, Fraction(0)), Fraction(1))
    at_zero = Fraction(1) if name == "0-1" else Fraction(1, 2)
    return at_zero if v == 0 else Fraction(int(y * v < 0))


def _risk(masses: Sequence[Fraction], losses: Sequence[Fraction]) -> Fraction:
    return sum((m * loss for m, loss in zip(masses, losses, strict=True)), Fraction(0))


def _mixed(
    own: Sequence[Fraction], other: Sequence[Fraction], share: Fraction
) -> list[Fraction]:
    return [(1 - share) * p + share * q for p, q in zip(own, other, strict=True)]


def balanced_error(loss: str, constant: str) -> Iterator[Certificate]:
    r"""Contaminated balanced error against $(1-\alpha-\beta)\mathrm{BER}+\frac{\alpha+\beta}2C$.

    Parameters
    ----------
    loss : str
        ``C`` is its sum over the labels at score 1.
    constant : {"halved", "whole"}
        Whether the last term has its factor one half.
    """
    total = _loss(loss, 1, Fraction(1)) + _loss(loss, -1, Fraction(1))
    for (alpha, beta), up, down in itertools.product(SHARES, CLASSES[:4], CLASSES):
        for scores in itertools.product(SCORES[1:], SCORES[2:4], SCORES[2:3]):
            positive = [_loss(loss, 1, v) for v in scores]
            negative = [_loss(loss, -1, v) for v in scores]
            clean = (_risk(up, positive) + _risk(down, negative)) / 2
            mixed_up, mixed_down = _mixed(up, down, alpha), _mixed(down, up, beta)
            mixed = (_risk(mixed_up, positive) + _risk(mixed_down, negative)) / 2
            share = (alpha + beta) / (2 if constant == "halved" else 1)
            yield Certificate(
                mixed, (1 - alpha - beta) * clean + share * total,
                [("alpha, beta", f"{alpha}, {beta}"), ("P+", _join(up)), ("P-", _join(down)),
                 ("scores", _join(scores)), ("BER", clean), ("contaminated BER", mixed),
                 ("C", total)],
            )


def implied_constants(loss: str) -> Iterator[Certificate]:
    r"""The constants $C$ that two scorers imply on the same classes and shares.

    The theorem has one $C$ for all scorers, so each of them determines it:
    $C=2\,\frac{\mathrm{BER}(\tilde P_\pm,f)-(1-\alpha-\beta)\mathrm{BER}(P_\pm,f)}
    {\alpha+\beta}$.

    Parameters
    ----------
    loss : str
    """
    for (alpha, beta), (up, down) in itertools.product(SHARES, (SEPARATE, MIXED)):
        found = []
        for scores in SCORERS:
            positive = [_loss(loss, 1, Fraction(v)) for v in scores]
            negative = [_loss(loss, -1, Fraction(v)) for v in scores]
            clean = (_risk(up, positive) + _risk(down, negative)) / 2
            mixed = (
                _risk(_mixed(up, down, alpha), positive) + _risk(_mixed(down, up, beta), negative)
            ) / 2
            implied = 2 * (mixed - (1 - alpha - beta) * clean) / (alpha + beta)
            found.append((scores, clean, mixed, implied))
        for one, two in itertools.combinations(found, 2):
            yield Certificate(
                one[3], two[3],
                [("alpha, beta", f"{alpha}, {beta}"), ("P+", _join(up)), ("P-", _join(down)),
                 *((f"scores {_join(scores)}: BER, contaminated BER, implied C",
                    f"{clean}, {mixed}, {implied}")
                   for scores, clean, mixed, implied in (one, two))],
            )


def _join(values: Sequence[Any]) -> str:
    return f"({', '.join(str(v) for v in values)})"


def auc(constant: str) -> Iterator[Certificate]:
    r"""AUC on contaminated classes, ties one half, against $(1-\alpha-\beta)\mathrm{AUC}+\dots$."""
    for (alpha, beta), up, down in itertools.product(SHARES, CLASSES, CLASSES):
        for scores in ((0, 1, 2), (0, 0, 1), (2, 1, 0)):
            clean = _auc(up, down, scores)
            mixed = _auc(_mixed(up, down, alpha), _mixed(down, up, beta), scores)
            share = (alpha + beta) / 2 if constant == "halved" else Fraction(0)
            yield Certificate(
                mixed, (1 - alpha - beta) * clean + share,
                [("alpha, beta", f"{alpha}, {beta}"), ("P+", _join(up)), ("P-", _join(down)),
                 ("scores", scores), ("AUC", clean), ("contaminated AUC", mixed)],
            )


def _auc(up: Sequence[Fraction], down: Sequence[Fraction], scores: Sequence[int]) -> Fraction:
    return sum(
        (p * q * Fraction((a > b) + (a >= b), 2)
         for p, a in zip(up, scores, strict=True) for q, b in zip(down, scores, strict=True)),
        Fraction(0),
    )


def label_noise_shares(order: str) -> Iterator[Certificate]:
    r"""$\tilde P(x_1\mid\tilde y=1)$ under label noise, against the mixture with $\alpha$."""
    for minus, plus in itertools.product(RATES, repeat=2):
        for pi in (Fraction(1, 4), Fraction(1, 2), Fraction(2, 3)):
            alpha = (1 - pi) * minus / (pi * (1 - plus) + (1 - pi) * minus)
            beta = pi * plus / (pi * plus + (1 - pi) * (1 - minus))
            if order == "swapped":
                alpha, beta = beta, alpha
            for up, down in itertools.product((Fraction(1), Fraction(1, 3)), (Fraction(0),)):
                kept = pi * (1 - plus) * up + (1 - pi) * minus * down
                noisy = kept / (pi * (1 - plus) + (1 - pi) * minus)
                lost = pi * plus * up + (1 - pi) * (1 - minus) * down
                steps: list[tuple[str, object]] = [
                    ("sigma-, sigma+, pi", f"{minus}, {plus}, {pi}"),
                    ("P+(x_1), P-(x_1)", f"{up}, {down}"), ("alpha, beta", f"{alpha}, {beta}"),
                ]
                yield Certificate(noisy, (1 - alpha) * up + alpha * down, steps)
                yield Certificate(
                    lost / (pi * plus + (1 - pi) * (1 - minus)),
                    (1 - beta) * down + beta * up, steps,
                )


def share_sums(limit: int) -> Iterator[Certificate]:
    r"""Whether $\alpha+\beta<1$, against: $\sigma_-+\sigma_+$ is less than ``limit``."""
    rates = [Fraction(k, 10) for k in range(1, 10)]
    for minus, plus, pi in itertools.product(rates, rates, (Fraction(1, 4), Fraction(2, 3))):
        alpha = (1 - pi) * minus / (pi * (1 - plus) + (1 - pi) * minus)
        beta = pi * plus / (pi * plus + (1 - pi) * (1 - minus))
        yield Certificate(
            int(alpha + beta < 1), int(minus + plus < limit),
            [("sigma-, sigma+, pi", f"{minus}, {plus}, {pi}"), ("alpha + beta", alpha + beta)],
        )


def instance_noise(loss: str, factor: str, rates_to: str) -> Iterator[Certificate]:
    r"""Clean risk of any minimiser under instance-dependent noise, against the promised multiple.

    Two points with positive labels, two functions to choose from, every noise rate of a grid at
    either point; of several minimisers of noisy risk the worst is taken.

    Parameters
    ----------
    loss : str
    factor : {"printed", "sharper", "halfway", "none"}
        $1/(1-2\max\sigma)$; with $1-2\min\sigma$ above; $1/(1-\max\sigma)$; 1.
    rates_to : {"3/10", "1/2"}
        Largest noise rate. At one half the printed right side is a division by 0: 0/0 where the
        clean optimum is 0, read as its limit 0 as the rate rises to one half; elsewhere it
        promises nothing and the instance is left out.
    """
    scores = [Fraction(v) for v in ((-1, 1, 3) if loss == "linear" else (-1, 0, 1))]
    if loss == "linear in [-1, 1]":
        loss = "linear"
    functions = list(itertools.product(scores, repeat=2))
    for mass in (Fraction(1, 2), Fraction(2, 7)):
        tried = RATES if rates_to == "3/10" else [*RATES, Fraction(1, 2)]
        for rates in itertools.product(tried, repeat=2):
            most, least = max(rates), min(rates)
            half = most == Fraction(1, 2)
            promised = Fraction(0) if half else {
                "printed": 1 / (1 - 2 * most),
                "sharper": (1 - 2 * least) / (1 - 2 * most),
                "halfway": 1 / (1 - most),
                "none": Fraction(1),
            }[factor]
            table = [_clean_and_noisy(loss, f, (mass, 1 - mass), rates) for f in functions]
            for (f, one), (g, two) in itertools.combinations(zip(functions, table, strict=True), 2):
                best = min(one[1], two[1])
                chosen = max(clean for clean, noisy in (one, two) if noisy == best)
                optimum = min(one[0], two[0])
                if half and optimum != 0:
                    continue
                yield Certificate(
                    chosen, optimum * promised,
                    [("masses", f"{mass}, {1 - mass}"), ("noise rates", _join(rates)),
                     ("functions", f"{_join(f)} or {_join(g)}"),
                     ("clean risks", f"{one[0]}, {two[0]}"),
                     ("noisy risks", f"{one[1]}, {two[1]}"),
                     ("factor", "1/0, read as a limit: 0/0 is 0" if half else promised)],
                )


def _clean_and_noisy(
    loss: str, f: Sequence[Fraction], masses: Sequence[Fraction], rates: Sequence[Fraction]
) -> tuple[Fraction, Fraction]:
    own, other = [_loss(loss, 1, v) for v in f], [_loss(loss, -1, v) for v in f]
    noisy = [(1 - r) * a + r * b for r, a, b in zip(rates, own, other, strict=True)]
    return _risk(masses, own), _risk(masses, noisy)
