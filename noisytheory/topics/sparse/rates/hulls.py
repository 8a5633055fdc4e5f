"""Polytopes on trial, and lengths of cross-polytopes, cubes of side 2 and simplices."""

from __future__ import annotations

from fractions import Fraction

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
    orthonormal points $4/p$ where $p$ is even and $4p/(p^2-1)$ where it is odd; for the triangle
    the distance of its sides' ends from the axis, 2. Peña and Rodríguez 2019 have the width as this
    distance; cube and simplex are in Lacoste-Julien and Jaggi 2015.

    Examples
    --------
    >>> [str(pyramidal_width_square(hull)) for hull in ("cross 2", "cube 3", "simplex 4")]
    ['1', '4/3', '1']
    """
    if hull == "triangle":
        return Fraction(4)
    if hull == "shifted simplex":
        return Fraction(3, 2)
    shape, dimension = hull.split()
    p = int(dimension)
    if shape == "cross":
        return Fraction(1, p - 1)
    return Fraction(4 * p, p * p - 1) if shape == "simplex" and p % 2 else Fraction(4, p)
