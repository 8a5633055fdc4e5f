"""Polytopes on trial, and lengths of cross-polytopes, cubes of side 2 and simplices."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement

import numpy as np

BY_HAND = {
    "segment": ([[1], [2]], [63, 1]),
    "far segment": ([[-2], [-1]], [63, 1]),
    "kite": ([[0, -1], [224, 16], [-32, 16], [0, -64]], [128, 13, 91, 24]),
    "triangle": ([[0, -1], [31, 1], [-1, 1]], [32, 1, 31]),
    "shifted simplex": ([[10, 0, 0], [9, 1, 0], [9, 0, 1]], [1, 2**20, 2**20]),
}
"""Vertices, and the masses of the target that comes nearest to a bound. Seen from the targets of
kite and triangle, 0, all vertices score alike, and the first is taken."""


def _random(dimension: int, seed: int) -> list[list[int]]:
    """Between one and six points more than the dimension; some may be mixtures of others."""
    rng = np.random.default_rng([dimension, seed])
    size = (dimension + int(rng.integers(1, 7)), dimension)
    return rng.integers(-9, 10, size).tolist()  # type: ignore[no-any-return]


# Of eight hundred seeds the first comes nearest to the rate of steps 1/t, the others to the
# exponential one.
RANDOM = {
    f"{len(points)} random points in {'the plane' if len(points[0]) == 2 else 'space'}": points
    for points in (_random(2, 3), _random(2, 211), _random(3, 231), _random(3, 309))
}
PLANE = [hull for hull, points in RANDOM.items() if len(points[0]) == 2]
POINTS = {**{hull: points for hull, (points, _) in BY_HAND.items()}, **RANDOM}


def diameter_square(hull: str) -> int:
    """Squared diameter.

    Examples
    --------
    >>> [diameter_square(hull) for hull in ("cross 5", "cube 3", "simplex 4")]
    [4, 12, 2]
    """
    if hull in POINTS:
        points = POINTS[hull]
        return max(sum((x - z) ** 2 for x, z in zip(p, q, strict=True))
                   for p in points for q in points)
    shape, dimension = hull.split()
    return {"cross": 4, "cube": 4 * int(dimension), "simplex": 2}[shape]


def pyramidal_width_square(hull: str) -> Fraction:
    r"""Squared pyramidal width: the least distance of a face from the hull of the other vertices.

    $1/(p-1)$ for a cross-polytope of dimension $p\ge2$, $4/p$ for a cube of side 2, for $p$
    orthonormal points $4/p$ where $p$ is even and $4p/(p^2-1)$ where it is odd. Peña and Rodríguez
    2019 have the width as this distance, by which it is found of points in the plane; cube and
    simplex are in Lacoste-Julien and Jaggi 2015.

    Examples
    --------
    >>> [str(pyramidal_width_square(hull)) for hull in ("cross 2", "cube 3", "simplex 4")]
    ['1', '4/3', '1']
    >>> str(pyramidal_width_square("triangle"))
    '4'
    """
    if hull in POINTS and len(POINTS[hull][0]) == 2:
        return _planar_width_square(tuple(map(tuple, POINTS[hull])))
    if hull == "shifted simplex":
        return Fraction(3, 2)
    shape, dimension = hull.split()
    p = int(dimension)
    if shape == "cross":
        return Fraction(1, p - 1)
    return Fraction(4 * p, p * p - 1) if shape == "simplex" and p % 2 else Fraction(4, p)


Point = tuple[int, ...]


@cache
def _planar_width_square(points: tuple[Point, ...]) -> Fraction:
    """Of points in the plane, from every corner and every side: those between two are no face."""
    distinct = sorted(set(points))
    faces: set[tuple[Point, ...]] = set()
    for a, b in combinations(distinct, 2):
        heights = [_turn(a, b, c) for c in distinct]
        if all(h >= 0 for h in heights) or all(h <= 0 for h in heights):
            side = tuple(c for c, h in zip(distinct, heights, strict=True) if h == 0)
            faces |= {side, side[:1], side[-1:]}
    # Two hulls that do not meet are as far apart as two of their pairs of points.
    return min(
        _apart_square(one, other)
        for face in faces
        for one in _pairs(face)
        for other in _pairs([c for c in distinct if c not in face])
    )


def _turn(a: Point, b: Point, c: Point) -> int:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _pairs(points: Sequence[Point]) -> list[tuple[Point, Point]]:
    return list(combinations_with_replacement(points, 2))


def _apart_square(one: tuple[Point, Point], other: tuple[Point, Point]) -> Fraction:
    """Squared distance of two line segments that do not cross: from an end of one of them."""
    return min(
        _foot_square(end, line)
        for ends, line in ((one, other), (other, one)) for end in ends
    )


def _foot_square(point: Point, line: tuple[Point, Point]) -> Fraction:
    start, end = line
    along = [b - a for a, b in zip(start, end, strict=True)]
    apart = [p - a for a, p in zip(start, point, strict=True)]
    length = sum(x * x for x in along)
    share = Fraction(sum(x * y for x, y in zip(along, apart, strict=True)), length or 1)
    share = min(max(share, Fraction(0)), Fraction(1))
    return sum(((y - share * x) ** 2 for x, y in zip(along, apart, strict=True)), Fraction(0))
