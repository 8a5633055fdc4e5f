r"""Gaps of population and sample risk, searched for in the risks themselves."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.kernel_mean.deviation.simulate import norms
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.exact import compositions
from noisytheory.vocabulary.populations import Finite

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


# Samples that are listed, as counts of the atoms, where every instance is tried.
ENUMERABLE = 5_000


def risk_gap(population: Finite, n: int, *, size: int, rng: np.random.Generator) -> Floats:
    r"""Draws of $\sup_{\|\omega\|\le1}[\mathrm{Risk}(P,\omega)-\mathrm{Risk}(S,\omega)]$.

    The loss is linear. Found from risks alone: the best direction so far and the next coordinate
    axis span a plane in which the gap is a sinusoid; its crest is the next direction.

    Examples
    --------
    >>> from noisytheory.vocabulary.populations import point_mass
    >>> risk_gap(point_mass(), 5, size=2, rng=np.random.default_rng(1)).tolist()
    [0.0, 0.0]
    """
    return _largest_gap(population, population.counts(n, size=size, rng=rng), n)


def risk_gap_samples(
    population: Finite, n: int, over: str, *, size: int, rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    r"""Samples with both sides of $\sup_\omega[\ldots]=\|\Phi(P)-\Phi(S)\|$.

    The supremum is "over" the "ball", or over the coordinate "axes" and their opposites.

    Examples
    --------
    >>> from noisytheory.vocabulary.populations import two_axes
    >>> drawn = risk_gap_samples(two_axes(), 5, "ball", size=3, rng=np.random.default_rng(1))
    >>> bool(np.allclose(drawn["lhs"], drawn["rhs"]))
    True
    """
    return _both_sides(population, population.counts(n, size=size, rng=rng), n, over)


def risk_gap_every_sample(
    population: Finite, n: int, over: str
) -> dict[str, NDArray[Any]] | None:
    r"""Every sample, as counts of the atoms, with both sides, unless there are too many.

    Examples
    --------
    >>> from noisytheory.vocabulary.populations import axis
    >>> risk_gap_every_sample(axis(), 2, "ball")["counts"].tolist()
    [[0, 2], [1, 1], [2, 0]]
    """
    atoms = population.atoms
    if math.comb(n + atoms - 1, atoms - 1) > ENUMERABLE:
        return None
    return _both_sides(population, compositions(n, atoms), n, over)


def risk_gap_certificate(population: Finite, n: int, over: str, counts: Counts) -> Certificate:
    r"""Squares of both sides, in fractions.

    Examples
    --------
    >>> from noisytheory.vocabulary.populations import axis
    >>> risk_gap_certificate(axis(), 4, "ball", np.array([3, 1])).lhs
    Fraction(1, 4)
    """
    gaps, norm = _exact_sides(population, n, counts)
    squares = [gap * gap for gap in gaps]
    # The gap is linear in omega, so its supremum over the ball is the norm of its values on axes.
    supremum = sum(squares, Fraction(0)) if over == "ball" else max(squares)
    return Certificate(
        supremum,
        norm,
        [
            ("counts of the atoms", counts.tolist()),
            *((f"gap of the risks at axis {i}", gap) for i, gap in enumerate(gaps)),
            (f"supremum over the {over}, squared", supremum),
            ("norm from the Gram matrix, squared", norm),
        ],
    )


def _exact_sides(population: Finite, n: int, counts: Counts) -> tuple[list[Fraction], Fraction]:
    """Gaps of the risks at the coordinate axes, and the squared norm of the deviation."""
    weights, gram, points = population.exact_weights, population.exact_gram, population.points
    if weights is None or gram is None or points is None:
        raise ValueError(f"{population.name} is not rational")
    excess = [p - Fraction(int(c), n) for p, c in zip(weights, counts, strict=True)]
    gaps = []
    # As Python's own integers: those of NumPy would overflow inside fractions.
    for column in points.T.tolist():
        losses = [1 - int(y) * Fraction(x) for y, x in zip(population.labels, column, strict=True)]
        gaps.append(sum((e * loss for e, loss in zip(excess, losses, strict=True)), Fraction(0)))
    return gaps, Fraction(np.dot(np.dot(np.array(excess, dtype=object), gram), excess))


def _both_sides(
    population: Finite, counts: Counts, n: int, over: str
) -> dict[str, NDArray[Any]]:
    largest = _largest_gap if over == "ball" else _largest_on_axes
    return {
        "lhs": largest(population, counts, n),
        "rhs": norms(counts / n - population.weights, population.gram),
        "counts": counts,
    }


def _coordinates(population: Finite) -> Floats:
    if population.points is None:
        raise ValueError(f"{population.name} has no points, only a Gram matrix")
    return np.asarray(population.points, float)


def _gap(population: Finite, counts: Counts, n: int) -> Callable[[Floats], Floats]:
    """Population risk less sample risk, from the losses, for one direction a sample."""
    points, shares = _coordinates(population), counts / n

    def gap(directions: Floats) -> Floats:
        losses = 1 - population.labels * (directions @ points.T)
        return np.asarray(losses @ population.weights - (shares * losses).sum(axis=1))

    return gap


def _largest_gap(population: Finite, counts: Counts, n: int) -> Floats:
    gap, dimension = _gap(population, counts, n), _coordinates(population).shape[1]
    best = np.zeros((len(counts), dimension))
    value = np.zeros(len(counts))
    for axis in np.eye(dimension):
        along = gap(np.broadcast_to(axis, best.shape))
        crest = np.hypot(value, along)[:, None]
        turned = value[:, None] * best + along[:, None] * axis
        best = np.divide(turned, crest, out=best, where=crest > 0)
        value = gap(best)
    return value


def _largest_on_axes(population: Finite, counts: Counts, n: int) -> Floats:
    gap, axes = _gap(population, counts, n), np.eye(_coordinates(population).shape[1])
    shape = (len(counts), len(axes))
    values = [np.abs(gap(np.broadcast_to(axis, shape))) for axis in axes]
    return np.asarray(np.max(values, axis=0))
