r"""Partitions of small samples of integer points: squared distances are whole numbers, so exact.

Simulators return ``lhs``, and ``least`` for what the bound is made of, next to the points that a
certificate starts from: squares, but for the errors of Section 5.5.3, which are norms.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.trial.claim import Certificate

__all__ = [
    "cover_radius",
    "covering",
    "flipped_diameter",
    "luckiness_scheme",
    "nearest_centre_error",
    "projection_certificate",
    "projection_error",
    "signed_diameter",
    "square_certificate",
    "traversal_diameter",
    "traversal_radius",
    "weighted_centre_error",
]

Ints = NDArray[np.int64]
Arrays = dict[str, Any]
COMMON = 12
"""A multiple of every number of draws that a cell of these samples gives."""


def _points(size: int, n: int, dimension: int, rng: np.random.Generator) -> Ints:
    return rng.integers(0, 10 if dimension < 4 else 3, (size, n, dimension))


def _squares(points: Ints) -> Ints:
    difference = points[:, :, None] - points[:, None]
    return np.asarray((difference**2).sum(axis=-1))


@cache
def _partitions(n: int, m: int) -> tuple[Ints, NDArray[np.bool_]]:
    """Labels of every partition into at most ``m`` cells, and which pairs share a cell."""
    rows = np.zeros((1, 1), dtype=np.int64)
    for _ in range(1, n):
        used = rows.max(axis=1)
        grown = [
            np.column_stack([rows[used + 1 >= label], np.full((used + 1 >= label).sum(), label)])
            for label in range(m)
        ]
        rows = np.concatenate(grown)
    i, j = np.triu_indices(n, 1)
    return rows, rows[:, i] == rows[:, j]


def _least(squares: Ints, m: int) -> tuple[Ints, Ints]:
    """Least squared diameter of a partition into at most ``m`` cells, and one that attains it."""
    labels, same = _partitions(squares.shape[1], m)
    i, j = np.triu_indices(squares.shape[1], 1)
    diameters = np.zeros((len(squares), len(same)), dtype=np.int64)
    for pair in range(len(i)):
        np.maximum(
            diameters, squares[:, i[pair], j[pair], None] * same[None, :, pair], out=diameters
        )
    best = diameters.argmin(axis=1)
    return diameters[np.arange(len(squares)), best], labels[best]


def _traverse(squares: Ints, m: int) -> tuple[Ints, Ints, Ints]:
    """Mended traversal from the first point, row by row: centres, cells and squared radius."""
    rows = np.arange(len(squares))
    nearest, cells = squares[:, 0].copy(), np.zeros(squares.shape[:2], dtype=np.int64)
    centres = [np.zeros(len(squares), dtype=np.int64)]
    for label in range(1, m):
        centre = nearest.argmax(axis=1)
        distance = squares[rows, centre]
        cells[distance < nearest] = label
        np.minimum(nearest, distance, out=nearest)
        centres.append(centre)
    return np.stack(centres, axis=1), cells, nearest.max(axis=1)


def _random(
    n: int, m: int, dimension: int, size: int, rng: np.random.Generator
) -> tuple[Ints, Ints, Ints, Ints]:
    points = _points(size, n, dimension, rng)
    squares = _squares(points)
    least, labels = _least(squares, m)
    return points, squares, least, labels


def traversal_radius(
    n: int, m: int, dimension: int, *, size: int, rng: np.random.Generator
) -> Arrays:
    """Squared radius of farthest-first cells beside $D^*(S,m)^2$."""
    points, squares, least, _ = _random(n, m, dimension, size, rng)
    return {"lhs": _traverse(squares, m)[2], "least": least, "points": points}


def traversal_diameter(
    n: int, m: int, dimension: int, *, size: int, rng: np.random.Generator
) -> Arrays:
    """Squared diameter of farthest-first cells beside $D^*(S,m)^2$."""
    points, squares, least, _ = _random(n, m, dimension, size, rng)
    cells = _traverse(squares, m)[1]
    same = cells[:, :, None] == cells[:, None]
    return {"lhs": (squares * same).max(axis=(1, 2)), "least": least, "points": points}


def square_certificate(factor: Fraction) -> Callable[..., Certificate]:
    """A square against ``factor`` times another: whole numbers, made from the points listed."""

    def certify(lhs: Any, least: Any, points: Ints, m: int) -> Certificate:
        right = factor * int(least)
        return Certificate(
            int(lhs),
            right,
            [("points", points.tolist()), ("cells", m), ("square on the left", int(lhs)),
             ("square on the right", f"{factor} * {int(least)} = {right}")],
        )

    return certify


# Sections 5.5 and 6.


def luckiness_scheme(
    n: int, m: int, dimension: int, *, size: int, rng: np.random.Generator
) -> Arrays:
    r"""$\sum\alpha_i^2V_i/n_i$ on a partition of least diameter, in units of $1/(12n^2)$.

    Some outcome of the scheme is no farther away than its root mean square.
    """
    points, squares, least, labels = _random(n, m, dimension, size, rng)
    total = np.zeros(size, dtype=np.int64)
    for cell in range(m):
        member = labels == cell
        count = member.sum(axis=1)
        draws = -(-count * m // n)
        pairs = (squares * (member[:, :, None] & member[:, None])).sum(axis=(1, 2)) // 2
        total += pairs * (COMMON // np.maximum(draws, 1))
    return {"lhs": total, "least": least * COMMON * n**2, "points": points}


def nearest_centre_error(
    n: int, m: int, dimension: int, *, size: int, rng: np.random.Generator
) -> Arrays:
    r"""Error of replacing points by their nearest of ``m`` centres, and $r_m^2$.

    ``square`` is the error squared, times $n^2$.
    """
    points = _points(size, n, dimension, rng)
    squares = _squares(points)
    centres, cells, radius = _traverse(squares, m)
    nearest = np.take_along_axis(centres, cells, axis=1)
    moved = (points - np.take_along_axis(points, nearest[:, :, None], axis=1)).sum(axis=1)
    square = (moved**2).sum(axis=1)
    return {
        "lhs": np.sqrt(square) / n,
        "least": radius,
        "square": square,
        "points": points,
        "applies": (squares + np.eye(n, dtype=np.int64)).min(axis=(1, 2)) > 0,
    }


def weighted_centre_error(
    n: int, m: int, dimension: int, *, size: int, rng: np.random.Generator
) -> Arrays:
    r"""The same with masses of 1 to 9 to a point, and the bound $(1-\alpha^*(\tilde S))r_m$.

    ``square`` and ``least_square`` are both sides squared, times the squared total mass.
    """
    points, masses = _points(size, n, dimension, rng), rng.integers(1, 10, (size, n))
    centres, cells, radius = _traverse(_squares(points), m)
    nearest = np.take_along_axis(centres, cells, axis=1)
    shifts = points - np.take_along_axis(points, nearest[:, :, None], axis=1)
    moved = (masses[:, :, None] * shifts).sum(axis=1)
    # A centre that is found twice, or another point in its place, counts once.
    away = np.where((shifts != 0).any(axis=2), masses, 0).sum(axis=1)
    square, least_square, total = (moved**2).sum(axis=1), away**2 * radius, masses.sum(axis=1)
    return {
        "lhs": np.sqrt(square) / total, "least": np.sqrt(least_square) / total,
        "square": square, "least_square": least_square, "points": points, "masses": masses,
    }


def projection_error(
    n: int, m: int, dimension: int, *, size: int, rng: np.random.Generator
) -> Arrays:
    r"""Distance of the mean from the span of ``m`` centres, beside $D^*(S,m)^2$."""
    points, squares, least, _ = _random(n, m, dimension, size, rng)
    centres = _traverse(squares, m)[0]
    chosen = np.take_along_axis(points, centres[:, :, None], axis=1).astype(float)
    mean = points.mean(axis=1)
    weights = np.einsum("bpm,bp->bm", np.linalg.pinv(chosen), mean)
    rest = mean - np.einsum("bmp,bm->bp", chosen, weights)
    return {
        "lhs": np.sqrt((rest**2).sum(axis=1)),
        "least": least,
        "points": points,
        "centres": centres,
        "applies": (squares + np.eye(n, dtype=np.int64)).min(axis=(1, 2)) > 0,
    }


def projection_certificate(factor: Fraction) -> Callable[..., Certificate]:
    r"""Squared distance from a span, by fractions, against ``factor`` $(1-m/n)^2D^{*2}$."""

    def certify(points: Ints, centres: Ints, least: Any, n: int, m: int) -> Certificate:
        rest = [Fraction(int(total), n) for total in points.sum(axis=0)]
        basis: list[list[Fraction]] = []
        for centre in centres:
            vector = [Fraction(int(x)) for x in points[centre]]
            for other in basis:
                vector = _without(vector, other)
            if any(vector):
                basis.append(vector)
                rest = _without(rest, vector)
        lhs = sum((x * x for x in rest), Fraction(0))
        right = factor * Fraction(n - m, n) ** 2 * int(least)
        return Certificate(
            lhs, right,
            [("points", points.tolist()), ("centres", [points[c].tolist() for c in centres]),
             ("mean less its projection", [str(x) for x in rest]), ("D* squared", int(least)),
             ("both sides", "squared")],
        )

    return certify


def _without(vector: list[Fraction], direction: list[Fraction]) -> list[Fraction]:
    share = sum((x * y for x, y in zip(vector, direction, strict=True)), Fraction(0))
    share /= sum((y * y for y in direction), Fraction(0))
    return [x - share * y for x, y in zip(vector, direction, strict=True)]


def signed_diameter(
    n: int, m: int, dimension: int, swapped: int, *, size: int, rng: np.random.Generator
) -> Arrays:
    r"""$D^*(S,m)^2$ beside $D^*(\pm S,m)^2$, or the other way round."""
    points = _points(size, n, dimension, rng)
    own = _least(_squares(points), m)[0]
    both = _least(_squares(np.concatenate([points, -points], axis=1)), m)[0]
    return {"lhs": both if swapped else own, "least": own if swapped else both, "points": points}


def flipped_diameter(
    n: int, m: int, dimension: int, doubled: int, *, size: int, rng: np.random.Generator
) -> Arrays:
    r"""$D^*(\pm S,m)^2$ after random label flips beside that before; of $S$ unless ``doubled``."""
    points = _points(size, n, dimension, rng)
    flips = points * rng.choice([-1, 1], size=(size, n, 1))
    sets = [flips, points]
    if doubled:
        sets = [np.concatenate([s, -s], axis=1) for s in sets]
    after, before = (_least(_squares(s), m)[0] for s in sets)
    return {"lhs": after, "least": before, "points": points, "flips": flips}


def covering(
    n: int, m: int, dimension: int, *, size: int, rng: np.random.Generator
) -> Arrays:
    """Squared least radius of ``m`` balls around points of the sample, beside $D^*(S,m)^2$."""
    points, squares, least, _ = _random(n, m, dimension, size, rng)
    return {"lhs": cover_radius(squares, m), "least": least, "points": points}


def cover_radius(squares: Ints, m: int) -> Ints:
    """Squared entropy number: the least radius with which ``m`` points cover the sample."""
    from itertools import combinations

    n = squares.shape[1]
    radii = [squares[:, list(c)].min(axis=1).max(axis=1) for c in combinations(range(n), m)]
    return np.asarray(np.min(radii, axis=0))
