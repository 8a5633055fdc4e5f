r"""Partitions of small samples of integer points: squared distances are whole numbers, so exact.

Both sides are functions of the points, searched and certified alike: squares, but for the errors of
Section 5.5.3 that a bound speaks of, which are norms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.sparse.approximation import Approximation
from noisytheory.topics.sparse.farthest_first import farthest_first
from noisytheory.topics.sparse.least_diameter import least_diameter
from noisytheory.topics.sparse.projection import simplex_weights
from noisytheory.topics.sparse.samples import Scheme
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.kernels import Linear

Ints = NDArray[np.int64]
Arrays = dict[str, Any]
Numbers = Any
"""An array of floats, or of fractions."""
KINDS = 2
"""Weights of `samples.far_apart`: corners and far points."""
COMMON = 24
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


@dataclass(frozen=True)
class Whole:
    """Small samples of points with whole coordinates.

    Parameters
    ----------
    points : int array, shape (size, n, dimension)
    """

    points: Ints

    @staticmethod
    def draw(n: int, dimension: int, *, size: int, rng: np.random.Generator) -> Arrays:
        """Points that repeat now and then."""
        return {"points": _points(size, n, dimension, rng)}

    @cached_property
    def squares(self) -> Ints:
        """Squared distances."""
        return _squares(self.points)

    @property
    def distinct(self) -> NDArray[np.bool_]:
        """Whether no point repeats."""
        n = self.points.shape[1]
        return np.asarray((self.squares + np.eye(n, dtype=np.int64)).min(axis=(1, 2)) > 0)


@dataclass(frozen=True)
class Scattered(Whole):
    """With corners of a simplex, where whole coordinates have ten dimensions or more."""

    @staticmethod
    def draw(n: int, dimension: int, *, size: int, rng: np.random.Generator) -> Arrays:
        """Corners repeat now and then, too."""
        if dimension < 10:
            return Whole.draw(n, dimension, size=size, rng=rng)
        corners = np.eye(dimension, dtype=np.int64)
        return {"points": corners[rng.integers(dimension, size=(size, n))]}


def _from_every_start(squares: Ints) -> list[Ints]:
    """The table of distances with each point first in turn."""
    n = squares.shape[1]
    return [np.roll(squares, (-start, -start), axis=(1, 2)) for start in range(n)]


def traversal_radius(at: Whole, m: int) -> Arrays:
    """Largest squared radius of farthest-first cells over all starts, and $D^*(S,m)^2$."""
    radii = [_traverse(squares, m)[2] for squares in _from_every_start(at.squares)]
    return {"lhs": np.max(radii, axis=0), "rhs": _least(at.squares, m)[0]}


def traversal_diameter(at: Whole, m: int) -> Arrays:
    """Largest squared diameter of farthest-first cells over all starts, and $4D^*(S,m)^2$."""
    found = []
    for squares in _from_every_start(at.squares):
        cells = _traverse(squares, m)[1]
        found.append((squares * (cells[:, :, None] == cells[:, None])).max(axis=(1, 2)))
    return {"lhs": np.max(found, axis=0), "rhs": 4 * _least(at.squares, m)[0]}


def public_radius(row: Arrays, m: int, **_: int) -> float:
    """Largest squared radius over all starts, of the public traversal."""
    found = [farthest_first(Linear(), row["points"], m, start=i) for i in range(len(row["points"]))]
    return round(max(float(one.radii[-1]) for one in found) ** 2)


def public_diameter(row: Arrays, m: int, **_: int) -> float:
    """Largest squared diameter of its cells over all starts."""
    squares, widest = _squares(row["points"][None])[0], 0
    for start in range(len(squares)):
        cells = farthest_first(Linear(), row["points"], m, start=start).cells
        widest = max(widest, int(squares[cells[:, None] == cells].max()))
    return widest


def by_centres(
    algorithm: Callable[..., Approximation], row: Arrays, m: int, **_: int
) -> float:
    """Distance of what the public algorithm gives from the mean, masses and all."""
    points = row["points"].astype(float)
    masses = row.get("masses", np.ones(len(points)))
    masses = masses / masses.sum()
    found = algorithm(Linear(), points, masses, m)
    return float(np.linalg.norm(masses @ points - found.weights @ points[found.indices]))


# Sections 5.5 and 6.


def luckiness_scheme(at: Whole, m: int) -> Arrays:
    r"""$\sum\alpha_i^2V_i/n_i$ on a partition of least diameter, in units of $1/(24n^2)$.

    Cells give $\lceil\alpha_i(m+1)\rceil$ draws. The right side is $D^{*2}/(2m+2)$ in the same
    units, whole for $m$ up to 3.
    """
    n = at.points.shape[1]
    least, labels = _least(at.squares, m)
    total = np.zeros(len(labels), dtype=np.int64)
    for cell in range(m):
        member = labels == cell
        count = member.sum(axis=1)
        draws = -(-count * (m + 1) // n)
        pairs = (at.squares * (member[:, :, None] & member[:, None])).sum(axis=(1, 2)) // 2
        total += pairs * (COMMON // np.maximum(draws, 1))
    promised = least * (COMMON // (2 * m + 2)) * n**2
    # Where the cells are points nothing is promised and nothing lost.
    return {"lhs": total, "rhs": promised, "least": least * COMMON * n**2, "applies": least > 0}


def best_sparse(population: Scheme, m: int, spared: int) -> Arrays:
    """Squared error of the best weights on the best ``2m`` points, less those ``spared``.

    All supports: those of `samples.far_apart` differ by the number of far points alone.
    """
    points, masses = population.sample.signed, np.array(population.sample.alpha)
    corners, atoms = len(points) - (m - 1), 2 * m - spared
    target, found = masses @ points, []
    supports = combinations(range(len(points)), atoms) if len(set(masses)) > KINDS else (
        (*range(atoms - far), *range(corners, corners + far)) for far in range(m)
    )
    for chosen in supports:
        some = points[list(chosen)]
        weights = simplex_weights(some @ some.T, some @ target)
        found.append(float(np.sum((weights @ some - target) ** 2)))
    return {"lhs": np.array([min(found)])}


def flat_weights(gram: list[list[Fraction]]) -> NDArray[Any] | None:
    """Weights of sum 1 of least norm, by elimination; None if some do without a point.

    Parameters
    ----------
    gram : list of lists of Fraction
        Inner products of the points.

    Returns
    -------
    array of Fraction, shape (n,)

    Examples
    --------
    >>> [str(w) for w in flat_weights([[Fraction(1), Fraction(0)], [Fraction(0), Fraction(2)]])]
    ['2/3', '1/3']
    """
    n = len(gram)
    # With a multiplier for the sum, last but one: what is alike in all rows of the gradient.
    one, none = Fraction(1), Fraction(0)
    rows = [[*row, one, none] for row in gram] + [[*[one] * n, none, one]]
    for i in range(n + 1):
        pivot = next((j for j in range(i, n + 1) if rows[j][i]), None)
        if pivot is None:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for j in range(n + 1):
            if j != i and rows[j][i]:
                rows[j] = [x - rows[j][i] * y for x, y in zip(rows[j], rows[i], strict=True)]
    return np.array([row[-1] for row in rows[:n]])


def _every_support(
    population: Scheme, m: int, times: int, more: int, spared: int
) -> Certificate:
    """In fractions: the nearest point of a hull is nearest on the flat through some of its points.

    So all sets of so many points, or fewer, are tried whose nearest mixture has no negative weight.
    """
    points = [[Fraction(x) for x in row] for row in population.sample.points]
    alpha = [Fraction(weight) for weight in population.sample.alpha]
    target = [sum((a * x for a, x in zip(alpha, column, strict=True)), Fraction(0))
              for column in zip(*points, strict=True)]
    moved = np.array([[x - t for x, t in zip(row, target, strict=True)] for row in points])
    gram = moved @ moved.T
    best: tuple[Fraction, tuple[int, ...]] | None = None
    for size in range(1, 2 * m - spared + 1):
        for chosen in combinations(range(len(points)), size):
            weights = flat_weights(gram[np.ix_(chosen, chosen)].tolist())
            if weights is not None and min(weights) >= 0:
                square = weights @ gram[np.ix_(chosen, chosen)] @ weights
                best = min(best or (square, chosen), (square, chosen))
    assert best is not None
    least = int(_least(_squares(np.array(population.sample.points, dtype=np.int64)[None]), m)[0][0])
    return Certificate(best[0], Fraction(times * least, 2 * m + more), [
        ("points", str(population.sample.points)), ("weights", ", ".join(map(str, alpha))),
        ("best points, counted from 0", str(best[1])), ("least squared error", best[0]),
        ("squared least diameter", least),
    ])


def best_sparse_certificate(
    population: Scheme, m: int, times: int, more: int, spared: int
) -> Certificate:
    r"""The same in fractions, ``times`` $D^{*2}/(2m+r)$ on the right; $r$ is ``more``.

    In closed form, against the algorithms' own projection.

    Corners and far points are orthogonal, so that what $x_i$ lack, $1-\sum t_i$ of the support, is
    shared by $1/\|x_i\|^2$.
    """
    alpha = population.sample.alpha
    if len(set(alpha)) > KINDS:
        return _every_support(population, m, times, more, spared)
    corners = len(alpha) - (m - 1)
    far = Fraction(alpha[-1]) if m > 1 else Fraction(0)
    each = (1 - far * (m - 1)) / corners
    found = []
    for taken in range(m):
        on = 2 * m - spared - taken
        lacking = 1 - on * each - taken * far
        spread = 2 * on + taken * far**2
        found.append(lacking**2 / spread + (corners - on) * each**2 / 2 + (m - 1 - taken))
    return Certificate(
        min(found), Fraction(times, 2 * m + more),
        [("corners", corners), ("mass of a corner", each), ("mass of a far point", far),
         ("least squared errors, by the far points taken", list(map(str, found))),
         ("both sides", "squared; the least diameter is 1")],
    )


def nearest_centre_square(at: Whole, m: int) -> Arrays:
    r"""Squared error, points replaced by the nearest of ``m`` centres, and $(1-m/n)^2r_m^2$.

    Both times $n^2$.
    """
    n = at.points.shape[1]
    centres, cells, radius = _traverse(at.squares, m)
    nearest = np.take_along_axis(centres, cells, axis=1)
    moved = (at.points - np.take_along_axis(at.points, nearest[:, :, None], axis=1)).sum(axis=1)
    return {
        "lhs": (moved**2).sum(axis=1), "rhs": (n - m) ** 2 * radius, "least": radius,
        "applies": at.distinct,
    }


def nearest_centre_error(
    n: int, m: int, dimension: int, *, size: int, rng: np.random.Generator
) -> Arrays:
    r"""The error itself, and $r_m^2$."""
    drawn = Whole.draw(n, dimension, size=size, rng=rng)
    found = nearest_centre_square(Whole(**drawn), m)
    return {"lhs": np.sqrt(found["lhs"]) / n, "least": found["least"],
            "applies": found["applies"], **drawn}


@dataclass(frozen=True)
class Weighted(Whole):
    """With a mass to every point.

    Parameters
    ----------
    points : int array, shape (size, n, dimension)
    masses : int array, shape (size, n)
    """

    masses: Ints

    @staticmethod
    def draw(n: int, dimension: int, *, size: int, rng: np.random.Generator) -> Arrays:
        """Masses of 1 to 9."""
        return {"points": _points(size, n, dimension, rng),
                "masses": rng.integers(1, 10, (size, n))}


def weighted_centre_square(at: Weighted, m: int) -> Arrays:
    r"""The same with masses, and the bound $(1-\alpha^*(\tilde S))r_m$, both squared.

    Times the squared total mass.
    """
    centres, cells, radius = _traverse(at.squares, m)
    nearest = np.take_along_axis(centres, cells, axis=1)
    shifts = at.points - np.take_along_axis(at.points, nearest[:, :, None], axis=1)
    moved = (at.masses[:, :, None] * shifts).sum(axis=1)
    # A centre that is found twice, or another point in its place, counts once.
    away = np.where((shifts != 0).any(axis=2), at.masses, 0).sum(axis=1)
    return {"lhs": (moved**2).sum(axis=1), "rhs": away**2 * radius}


def weighted_centre_error(
    n: int, m: int, dimension: int, *, size: int, rng: np.random.Generator
) -> Arrays:
    r"""The two sides themselves."""
    drawn = Weighted.draw(n, dimension, size=size, rng=rng)
    squares, total = weighted_centre_square(Weighted(**drawn), m), drawn["masses"].sum(axis=1)
    return {**{side: np.sqrt(square) / total for side, square in squares.items()}, **drawn}


def projection_error(
    n: int, m: int, dimension: int, *, size: int, rng: np.random.Generator
) -> Arrays:
    r"""Distance of the mean from the span of ``m`` centres, beside $D^*(S,m)^2$."""
    case = Whole(_points(size, n, dimension, rng))
    points, least = case.points, _least(case.squares, m)[0]
    centres = _traverse(case.squares, m)[0]
    chosen = np.take_along_axis(points, centres[:, :, None], axis=1).astype(float)
    mean = points.mean(axis=1)
    weights = np.einsum("bpm,bp->bm", np.linalg.pinv(chosen), mean)
    rest = mean - np.einsum("bmp,bm->bp", chosen, weights)
    return {
        "lhs": np.sqrt((rest**2).sum(axis=1)),
        "least": least,
        "points": points,
        "centres": centres,
        "applies": case.distinct,
    }


def span_square(at: Whole, m: int) -> Arrays:
    r"""Its square by elimination in fractions, and $(1-m/n)^2D^{*2}$.

    Elimination tells dependent centres apart; in floats that takes a pseudo-inverse.
    """
    n = at.points.shape[1]
    centres, least = _traverse(at.squares, m)[0], _least(at.squares, m)[0]
    points = np.vectorize(Fraction, otypes=[object])(at.points)
    chosen = np.take_along_axis(points, centres[:, :, None], axis=1)
    rest = off_span(points.sum(axis=1) / n, chosen)
    share: Numbers = Fraction(n - m, n)
    return {
        "lhs": (rest**2).sum(axis=1), "rhs": share**2 * least,
        "centres": chosen, "mean_less_its_projection": rest, "D*_squared": least,
        "applies": at.distinct,
    }


def off_span(vectors: Numbers, directions: Numbers) -> Numbers:
    """What of vectors is orthogonal to directions, a row each; dependent ones add nothing."""
    basis: list[Numbers] = []
    for direction in np.moveaxis(directions, 1, 0):
        for other in basis:
            direction = _beside(direction, other)
        basis.append(direction)
        vectors = _beside(vectors, direction)
    return vectors


def _beside(vectors: Numbers, others: Numbers) -> Numbers:
    square = np.sum(others**2, axis=1)
    share = np.sum(vectors * others, axis=1) / np.where(square > 0, square, 1)
    return vectors - share[:, None] * others


def signed_diameter(at: Whole, m: int, swapped: int) -> Arrays:
    r"""$D^*(S,m)^2$ and $D^*(\pm S,m)^2$, or the other way round."""
    own = _least(at.squares, m)[0]
    both = _least(_squares(_both_signs(at.points)), m)[0]
    return {"lhs": both if swapped else own, "rhs": own if swapped else both}


def _both_signs(points: Ints) -> Ints:
    return np.concatenate([points, -points], axis=1)


@dataclass(frozen=True)
class Flipped(Whole):
    """With a sign by which every point is flipped, or not.

    Parameters
    ----------
    points : int array, shape (size, n, dimension)
    signs : int array, shape (size, n)
    """

    signs: Ints

    @staticmethod
    def draw(n: int, dimension: int, *, size: int, rng: np.random.Generator) -> Arrays:
        """Fair signs."""
        return {"points": _points(size, n, dimension, rng),
                "signs": rng.choice([-1, 1], size=(size, n))}


def flipped_diameter(at: Flipped, m: int, doubled: int) -> Arrays:
    r"""$D^*(\pm S,m)^2$ after label flips and before; of $S$ unless ``doubled``."""
    sets = [at.points * at.signs[:, :, None], at.points]
    if doubled:
        sets = [_both_signs(one) for one in sets]
    after, before = (_least(_squares(one), m)[0] for one in sets)
    return {"lhs": after, "rhs": before}


def public_flipped(row: Arrays, m: int, doubled: int, **_: int) -> float:
    """The squared diameter after the flips, by the public search, which is told the signs."""
    points, signs = row["points"], row["signs"]
    if doubled:
        points, signs = np.concatenate([points, points]), np.concatenate([signs, -signs])
    return round(least_diameter(Linear(), points, m, alpha=signs) ** 2)


def covering(at: Whole, m: int) -> Arrays:
    """Squared least radius of ``m`` balls around points of the sample, and $D^*(S,m)^2$."""
    return {"lhs": cover_radius(at.squares, m), "rhs": _least(at.squares, m)[0]}


def cover_radius(squares: Ints, m: int) -> Ints:
    """Squared entropy number: the least radius with which ``m`` points cover the sample."""
    from itertools import combinations

    n = squares.shape[1]
    radii = [squares[:, list(c)].min(axis=1).max(axis=1) for c in combinations(range(n), m)]
    return np.asarray(np.min(radii, axis=0))
