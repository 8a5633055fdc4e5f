r"""Small instances of the definitions: what the losses of this package say of themselves, and what
the paper's words say of them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.exact import lattice
from noisytheory.vocabulary.losses import (
    Exponential,
    Hinge,
    LabelFreeSquare,
    LinearLoss,
    Logistic,
    Loss,
    Margin,
    MarginSquare,
    Ramp,
    Sigmoid,
    SquaredHinge,
    TLogistic,
    ZeroOne,
    corrected,
)

__all__ = ["below_linear", "bounded_class", "calibrated", "half_linear", "potentials", "slopes",
           "values"]

Slopes: TypeAlias = tuple[int, ...]

SCORES = {
    "labels": [Fraction(-1), Fraction(1)], "between": lattice(-1, 1, 20),
    "beyond": lattice(-2, 2, 20),
}

LOSSES: tuple[Loss, ...] = (
    ZeroOne(), ZeroOne("half"), Margin(Fraction(1, 2)), LinearLoss(), Hinge(), SquaredHinge(),
    MarginSquare(), Logistic(), Logistic(2), Exponential(), TLogistic(), Sigmoid(), Ramp(),
    LabelFreeSquare(),
)


def _exactly(values: Any) -> Fraction:
    """One value of a loss at a score that is a fraction."""
    return Fraction(np.asarray(values, dtype=object).item())


def _rational(score: Fraction) -> Any:
    return np.array(score, dtype=object)


def half_linear(scores: str) -> Iterator[Certificate]:
    r"""$\ell_{01}(y,v)$ against $\frac12(1-yv)$.

    Parameters
    ----------
    scores : {"labels", "between"}
        Whether the score is -1 or 1, as the text has it, or anywhere between.
    """
    for y, v in itertools.product((-1, 1), SCORES[scores]):
        value = _exactly(ZeroOne().value(y, _rational(v)))
        yield Certificate(
            value, (1 - y * v) / 2, [("label, score", f"{y}, {v}"), ("0-1 loss", value)]
        )


def below_linear(scores: str) -> Iterator[Certificate]:
    r"""$[\![yv\le0]\!]$ against the linear loss.

    Parameters
    ----------
    scores : {"between", "beyond"}
        Whether the score lies in [-1, 1] or in [-2, 2].
    """
    for y, v in itertools.product((-1, 1), SCORES[scores]):
        linear = _exactly(LinearLoss().value(y, _rational(v)))
        yield Certificate(
            int(y * v <= 0), linear, [("label, score", f"{y}, {v}"), ("linear loss", linear)]
        )


def bounded_class(r: int, longest: int) -> Iterator[Certificate]:
    r"""$\langle\omega,\phi(x)\rangle^2$ against $r^2$, for every $\|\omega\|\le r$ of a lattice.

    Parameters
    ----------
    r : int
        Radius of the class.
    longest : int
        Largest norm of a feature, 1 in the paper.
    """
    for omega, feature in itertools.product(_disc(r), _disc(longest)):
        score = (omega[0] * feature[0] + omega[1] * feature[1]) * Fraction(1, 25)
        yield Certificate(
            score**2, r**2,
            [("5 omega", f"{omega[0]}, {omega[1]}"), ("5 phi(x)", f"{feature[0]}, {feature[1]}"),
             ("score", score)],
        )


def _disc(radius: int) -> list[tuple[int, int]]:
    """Pairs of multiples of 1/5, in that unit, of norm at most ``radius``: some reach it."""
    side = range(-5 * radius, 5 * radius + 1, radius)
    return [(a, b) for a, b in itertools.product(side, repeat=2) if a * a + b * b <= 25 * radius**2]


def potentials(end: str) -> Iterator[Certificate]:
    r"""Whether a loss says that it is a convex potential, against the words of the definition.

    All losses of the package, plain and corrected at rates 0 and $\frac15$; $\psi$ is read off the
    positive label and has to give the losses of the negative one.

    Parameters
    ----------
    end : {"vanishing", "any"}
        Whether $\psi(v)\to0$ is asked for.
    """
    corrections = [corrected(loss, rate) for loss in LOSSES for rate in (0, Fraction(1, 5))]
    for loss in (*LOSSES, *corrections):
        words = {
            "of the margin": _of_margin(loss), "convex": _convex(loss),
            "psi >= 0": bool(np.all(loss.value(1, GRID) >= 0)),
            "psi'(0) < 0": _falls_at_zero(loss),
            "psi -> 0": bool(abs(loss.value(1, FAR)) < SMALL),
        }
        asked = [holds for word, holds in words.items() if end == "vanishing" or word != "psi -> 0"]
        yield Certificate(
            int(loss.convex_potential), int(all(asked)), [("loss", loss.name), *words.items()]
        )


GRID = np.arange(-64, 65) / 8
"""Margins at which a loss is looked at: eighths, exact in floats."""

FAR, SMALL = 500.0, 1e-9
"""Beyond any margin of interest, its exponential still finite, and what is nothing there."""


def _of_margin(loss: Loss) -> bool:
    positive, negative = loss.value(1, GRID), loss.value(-1, -GRID)
    return bool(np.allclose(positive, negative, rtol=1e-12, atol=1e-12))


def _convex(loss: Loss) -> bool:
    values = loss.value(1, GRID)
    bends = values[:-2] + values[2:] - 2 * values[1:-1]
    return bool(np.all(bends >= -1e-12 * np.maximum(1, np.abs(values[1:-1]))))


def _falls_at_zero(loss: Loss) -> bool:
    """Whether there is one slope at 0, and it is negative: difference quotients from both sides."""
    step = 2.0**-20
    left, here, right = (float(loss.value(1, v)) for v in (-step, 0.0, step))
    sides = (here - left) / step, (right - here) / step
    return abs(sides[0] - sides[1]) < 8 * step and max(sides) < -8 * step


def calibrated(zero: str) -> Iterator[Certificate]:
    r"""Whether a convex $\psi$ falls at 0, against the words of the definition of calibration.

    Every convex $\psi$ on $[-2,2]$ that is straight between whole numbers, with slopes from -3 to
    1. A risk on one point is then least on an interval whose ends are whole, and a sequence of
    scores whose surrogate regret goes to 0 comes as near to it as one likes: its regret for
    misclassification goes to 0, whatever the sequence, exactly if no score of the interval has any,
    and that is seen at the whole ones.

    Parameters
    ----------
    zero : {"half", "both"}
        What a score of 0 counts.
    """
    for slopes in itertools.combinations_with_replacement(range(-3, 2), 4):
        psi = (0, *itertools.accumulate(slopes))  # at -2, -1, 0, 1, 2
        falls = slopes[1] == slopes[2] < 0
        failing = _misled(psi, zero)
        yield Certificate(
            int(falls), int(failing is None),
            [("psi at -2, -1, 0, 1, 2", str(psi)), ("slopes at 0", f"{slopes[1]}, {slopes[2]}"),
             ("posterior and score of no surrogate regret that misclassify",
              "none" if failing is None else f"{failing[0]}, {failing[1]}")],
        )


def _misled(psi: Sequence[int], zero: str) -> tuple[Fraction, int] | None:
    """A posterior and a score with the least surrogate risk but not the least 0-1 risk."""
    half = ZeroOne("half" if zero == "half" else "both")
    for k in range(21):
        eta = Fraction(k, 20)
        risks = {v: eta * psi[2 + v] + (1 - eta) * psi[2 - v] for v in range(-2, 3)}
        least = min(risks.values())
        for v, surrogate in risks.items():
            wrong = [Fraction(half.value(y, v).item()) for y in (1, -1)]
            if surrogate == least and eta * wrong[0] + (1 - eta) * wrong[1] > min(eta, 1 - eta):
                return eta, v
    return None


NEAR = 1e-9
"""What floats may leave of a difference that is 0."""


def values(moved: float) -> Iterator[Certificate]:
    r"""Whether the values of a loss are off what another says of them, at eighths in [-8, 8].

    Parameters
    ----------
    moved : float
        By how much the score of the loss is moved, 0 where they agree.
    """
    for y in (-1, 1):
        own, v = y * GRID, GRID
        for name, left, right in _relations(y, v, v + moved):
            gap = np.abs(left - right) / np.maximum(1, np.abs(right))
            yield Certificate(int(gap.max() > NEAR), 0, [
                ("label, loss", f"{y}, {name}"), ("largest relative difference", gap.max()),
                ("at margin", own[int(gap.argmax())]),
            ])


def _relations(y: int, v: Any, moved: Any) -> Iterator[tuple[str, Any, Any]]:
    """A loss at scores that may have been moved, on the left, and what it has to be there."""
    half = Fraction(1, 2)
    yield "margin: 0-1 loss, the margin taken off", (
        Margin(half).value(y, moved)), ZeroOne().value(y, v - y / 2)
    yield "hinge: linear loss where it is positive", (
        Hinge().value(y, moved)), np.maximum(LinearLoss().value(y, v), 0)
    yield "squared hinge", SquaredHinge().value(y, moved), Hinge().value(y, v) ** 2
    yield "square", MarginSquare().value(y, moved), (y - v) ** 2
    yield "exponential: the losses of both labels multiply to 1", (
        Exponential().value(y, moved)), 1 / Exponential().value(-y, v)
    yield "exponential: a unit of score is a factor e", (
        Exponential().value(y, moved - y)), math.e * Exponential().value(y, v)
    # Chances exp(-loss) of the two labels: they sum to 1, and their odds tell the score.
    for loss in (Logistic(), TLogistic()):
        p, q = (np.exp(-loss.value(label, v)) for label in (y, -y))
        yield f"{loss.name}: chances sum to 1", np.exp(-loss.value(y, moved)), 1 - q
        score = np.log(p / q) if isinstance(loss, Logistic) else 1 / q - 1 / p
        yield f"{loss.name}: the score by its chances", y * moved, score
    yield "logistic, base 2", Logistic(2).value(y, moved), Logistic().value(y, v) / math.log(2)
    yield "sigmoid: the chance of the other label", (
        Sigmoid().value(y, moved)), np.exp(-Logistic().value(-y, v))
    yield "ramp: half of the hinge, 1 at most", (
        Ramp().value(y, moved)), np.minimum(Hinge().value(y, v) / 2, 1)
    yield "square of the score", LabelFreeSquare().value(y, moved), v * v


NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)


def slopes(share: float) -> Iterator[Certificate]:
    r"""Whether a loss is off the integral of its derivative, over a quarter in [-8, 8].

    All losses of the package without jumps, plain and corrected; kinks lie at ends of quarters.

    Parameters
    ----------
    share : float
        Of the derivative, 1 where they agree.
    """
    ends = np.arange(-32, 33) / 4
    inside = ends[:-1, None] + (NODES + 1) / 8
    smooth = [loss for loss in LOSSES if not isinstance(loss, ZeroOne | Margin)]
    for loss, y in itertools.product((*smooth, *(corrected(x, 0.25) for x in smooth)), (-1, 1)):
        risen = np.diff(np.asarray(loss.value(y, ends), float))
        gap = np.abs(risen - share * loss.derivative(y, inside) @ WEIGHTS / 8)
        gap /= np.maximum(1, np.abs(risen))
        worst = int(gap.argmax())
        yield Certificate(int(gap[worst] > NEAR), 0, [
            ("loss, label", f"{loss.name}, {y}"), ("from score", ends[worst]),
            ("rises by", risen[worst]), ("relative difference", gap[worst]),
        ])
