r"""Two points and their inner product: margins, perturbed scores and contaminated means."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from noisytheory.topics.surrogates.worked import lattice, simplex
from noisytheory.trial.claim import Certificate

__all__ = ["any_corruption", "contaminated", "noisy_mean", "perturbed", "within_margin"]

Table: TypeAlias = tuple[Fraction, ...]  # masses of (x_1, +), (x_1, -), (x_2, +), (x_2, -)

MASSES = simplex(4, 4)
SCORES = lattice(-1, 1, 2)
COSINES = [Fraction(k, 8) for k in (-4, -1, 0, 4)]
OBLIQUE = (Fraction(9, 10), Fraction(0), Fraction(1, 10), Fraction(0))


def _risk(masses: Table, scores: Sequence[Fraction], gamma: Fraction, zero: str) -> Fraction:
    r"""$P(yf(x)\le\gamma)$, or at $\gamma=0$ with ties counted one half."""
    total = Fraction(0)
    for k, mass in enumerate(masses):
        margin = scores[k // 2] * (-1) ** k
        half = zero == "half" and gamma == 0 and margin == 0
        total += mass * (Fraction(1, 2) if half else int(margin <= gamma))
    return total


def _text(masses: Table) -> str:
    atoms = ("(x_1, +)", "(x_1, -)", "(x_2, +)", "(x_2, -)")
    return "; ".join(f"{a}: {m}" for a, m in zip(atoms, masses, strict=True) if m)


def perturbed(zero: str, reach: int = 1) -> Iterator[Certificate]:
    r"""Largest 0-1 risk over all perturbations by at most one half, against the margin risk.

    Parameters
    ----------
    zero : {"both", "half"}
        Whether a zero score is an error, or half of one.
    reach : int
        How many times one half a perturbation may be.
    """
    epsilon = Fraction(1, 2)
    for masses, f in itertools.product(MASSES[::2], itertools.product(SCORES, repeat=2)):
        moved = [
            [v + d for d in lattice(-1, 1, 4) if abs(d) <= reach * epsilon] for v in f
        ]
        worst = max(
            _risk(masses, g, Fraction(0), zero) for g in itertools.product(*moved)
        )
        yield Certificate(
            worst, _risk(masses, f, epsilon, zero),
            [("P", _text(masses)), ("f", f"{f[0]}, {f[1]}"), ("epsilon", epsilon)],
        )


def within_margin(strict: str) -> Iterator[Certificate]:
    """0-1 risk after a perturbation of less than the smallest positive margin, against before."""
    for masses, f in itertools.product(MASSES[::3], itertools.product(SCORES, repeat=2)):
        gamma = _margin(masses, f)
        if gamma is None:
            continue
        for step in itertools.product(lattice(-1, 1, 4), repeat=2):
            size = max(abs(d) for d in step)
            if size < gamma or (strict == "<=" and size == gamma):
                g = [v + d for v, d in zip(f, step, strict=True)]
                yield Certificate(
                    _risk(masses, g, Fraction(0), "both"), _risk(masses, f, Fraction(0), "both"),
                    [("P", _text(masses)), ("f", f"{f[0]}, {f[1]}"), ("margin", gamma),
                     ("perturbed", f"{g[0]}, {g[1]}")],
                )


def _margin(masses: Table, scores: Sequence[Fraction]) -> Fraction | None:
    margins = [scores[k // 2] * (-1) ** k for k, mass in enumerate(masses) if mass]
    return min((m for m in margins if m > 0), default=None)


def _scores(masses: Table, cosine: Fraction) -> tuple[Fraction, Fraction]:
    first, second = masses[0] - masses[1], masses[2] - masses[3]
    return first + cosine * second, cosine * first + second


def _contaminations() -> Iterator[tuple[Table, Table, Fraction, Fraction]]:
    points = [tuple(Fraction(int(j == k)) for j in range(4)) for k in range(4)]
    yield OBLIQUE, points[2], Fraction(1, 10), Fraction(-1, 8)
    for masses, q, cosine in itertools.product(MASSES, points, COSINES):
        for sigma in (Fraction(1, 10), Fraction(1, 5), Fraction(3, 10)):
            yield masses, q, sigma, cosine


def contaminated(reach: int) -> Iterator[Certificate]:
    r"""0-1 risk of the contaminated mean against the clean one, if it moves by less than a margin.

    Parameters
    ----------
    reach : int
        How many margins for error the mean may move.
    """
    for masses, q, sigma, cosine in _contaminations():
        before = _scores(masses, cosine)
        gamma = _margin(masses, before)
        gap = [(masses[k] - masses[k + 1]) - (q[k] - q[k + 1]) for k in (0, 2)]
        square = gap[0] ** 2 + gap[1] ** 2 + 2 * cosine * gap[0] * gap[1]
        if gamma is None or sigma**2 * square >= (reach * gamma) ** 2:
            continue
        yield _after(masses, q, sigma, cosine, gamma)


def _after(
    masses: Table, q: Table, sigma: Fraction, cosine: Fraction, gamma: Fraction
) -> Certificate:
    before, added = _scores(masses, cosine), _scores(q, cosine)
    after = [(1 - sigma) * a + sigma * b for a, b in zip(before, added, strict=True)]
    zero = Fraction(0)
    return Certificate(
        _risk(masses, after, zero, "both"), _risk(masses, before, zero, "both"),
        [("P", _text(masses)), ("Q", _text(q)), ("sigma", sigma), ("<x_1, x_2>", cosine),
         ("clean scores", f"{before[0]}, {before[1]}"), ("margin for error", gamma),
         ("contaminated scores", f"{after[0]}, {after[1]}")],
    )


def any_corruption(divisor: int) -> Iterator[Certificate]:
    r"""The same for every $Q$, if $\sigma<\Gamma/$``divisor``."""
    for masses, q, sigma, cosine in _contaminations():
        gamma = _margin(masses, _scores(masses, cosine))
        if gamma is not None and sigma < gamma / divisor:
            yield _after(masses, q, sigma, cosine, gamma)


def noisy_mean(sigma: float) -> Iterator[Certificate]:
    r"""0-1 risk on $P$ of the mean of $P_\sigma$, against that of the mean of $P$."""
    rate = Fraction(str(sigma))
    for masses, cosine in itertools.product(MASSES, COSINES):
        noisy = tuple(
            (1 - rate) * masses[k] + rate * masses[k + (-1) ** k] for k in range(4)
        )
        before, after = _scores(masses, cosine), _scores(noisy, cosine)
        zero = Fraction(0)
        yield Certificate(
            _risk(masses, after, zero, "both"), _risk(masses, before, zero, "both"),
            [("P", _text(masses)), ("P_sigma", _text(noisy)), ("<x_1, x_2>", cosine),
             ("clean scores", f"{before[0]}, {before[1]}"),
             ("noisy scores", f"{after[0]}, {after[1]}")],
        )
