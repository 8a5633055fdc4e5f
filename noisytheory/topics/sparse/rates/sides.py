r"""Herding on polytopes whose geometry is known: cross-polytopes, cubes, simplices, a few by hand,
and random ones in two and three dimensions.

Targets have whole coordinates over a whole denominator, so that squared distances are rational. One
run serves both arithmetics: in fractions while these are short, and then, for line search, whose
fractions double in length with every step, in rational intervals.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.sparse.herding import away_steps, herding
from noisytheory.topics.sparse.rates.hulls import BY_HAND, POINTS, RANDOM, pyramidal_width_square
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.exact import Enclosed, Undecided, enclosed_root, ends, root
from noisytheory.vocabulary.kernels import Linear

Numbers = Any
"""An array of floats, or of fractions."""
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]
Arrays = dict[str, Any]


EVEN = 20
"""A simplex of so many vertices has, half of the time, a target of equal weights."""
LONG = 2**512
"""Beyond this denominator a fraction becomes an interval."""


@cache
def vertices_of(hull: str) -> Ints:
    """Vertices with whole coordinates."""
    if hull in POINTS:
        return np.array(POINTS[hull])
    shape, dimension = hull.split()
    p = int(dimension)
    if shape == "cross":
        return np.concatenate([np.eye(p, dtype=np.int64), -np.eye(p, dtype=np.int64)])
    if shape == "simplex":
        return np.eye(p, dtype=np.int64)
    return np.array(np.meshgrid(*[[-1, 1]] * p)).reshape(p, -1).T


@cache
def _diameter_square(hull: str) -> int:
    """Squared diameter, from the vertices; the bound has closed forms of its own."""
    vertices = vertices_of(hull)
    squares = (vertices**2).sum(axis=1)
    return int((squares[:, None] + squares - 2 * vertices @ vertices.T).max())


@dataclass(frozen=True)
class Inside:
    """A target in the relative interior of a hull.

    Parameters
    ----------
    top : array, shape (size, dimension)
        Whole coordinates, to be divided by ``low``.
    low : array, shape (size,)
    """

    top: Numbers
    low: Numbers

    @staticmethod
    def draw(hull: str, *, size: int, rng: np.random.Generator) -> Arrays:
        """Any target; half of them the one by hand, where there is one."""
        if hull in BY_HAND:
            points, worst = BY_HAND[hull]
            low = np.full(size, sum(worst))
            free = 1 + rng.multinomial(low[0] - len(worst), np.full(len(worst), 1 / len(worst)),
                                       size=size)
            top = np.where(rng.integers(0, 2, (size, 1)) == 1, free, worst) @ np.array(points)
        elif hull.startswith("simplex"):
            top = rng.integers(1, 10, (size, vertices_of(hull).shape[1]))
            if top.shape[1] >= EVEN:
                top[rng.integers(0, 2, size) == 1] = 1
            low = top.sum(axis=1)
        elif hull in RANDOM:
            corners = vertices_of(hull)
            free = rng.geometric(rng.uniform(0.01, 0.9, (size, len(corners))))
            top, low = free @ corners, free.sum(axis=1)
        else:
            top = rng.integers(-9, 10, (size, vertices_of(hull).shape[1]))
            cross = hull.startswith("cross")
            low = np.abs(top).sum(axis=1) + rng.integers(1, 10, size) if cross \
                else np.full(size, 10)
        return {"top": 1.0 * top, "low": 1.0 * low}

    @property
    def target(self) -> Numbers:
        """The target's coordinates."""
        return self.top / self.low[:, None]

    def distance_square(self, hull: str) -> Numbers:
        """Squared distance from the relative boundary."""
        shape, p = hull.split()[0], self.top.shape[1]
        if shape == "simplex":
            # The facet opposite vertex i is at distance mu_i sqrt(p / (p - 1)).
            return (self.top.min(axis=1) / self.low) ** 2 * p / (p - 1)
        if shape == "cross":
            return ((self.low - np.abs(self.top).sum(axis=1)) / self.low) ** 2 / p
        if shape == "cube":
            return ((self.low - np.abs(self.top).max(axis=1)) / self.low) ** 2
        return _facet_square(vertices_of(hull), self.target)

    def radius_square(self, hull: str) -> Numbers:
        """Squared distance from the farthest vertex."""
        apart = self.target[:, None] - vertices_of(hull).astype(self.top.dtype)
        return np.sum(apart**2, axis=-1).max(axis=1)


def _facet_square(vertices: Ints, target: Numbers) -> Numbers:
    """Least squared distance from an end, an edge or a side: in one to three dimensions."""
    corners = vertices.astype(target.dtype)
    dimension = vertices.shape[1]
    found = []
    for facet in combinations(range(len(vertices)), dimension):
        first, *others = vertices[list(facet)]
        normal = _normal(np.array([other - first for other in others]), dimension)
        heights = (vertices - first) @ normal
        # Without a normal the points of the facet lie on a line.
        if normal.any() and (np.all(heights >= 0) or np.all(heights <= 0)):
            height = (target - corners[facet[0]]) @ normal.astype(target.dtype)
            found.append(height**2 / int(normal @ normal))
    return np.stack(found).min(axis=0)


def _normal(edges: Ints, dimension: int) -> Ints:
    """What is orthogonal to the edges."""
    if dimension == 1:
        return np.array([1])
    if dimension == 2:
        return np.array([-edges[0, 1], edges[0, 0]])
    return np.asarray(np.cross(edges[0], edges[1]))


def run(vertices: Ints, target: Numbers, k: int, step: str) -> tuple[Numbers, Ints, Numbers]:
    """Squared errors after every step, shape (size, k), places of the atoms taken, rates of steps.

    Where a single run in fractions meets gains that intervals cannot tell apart, it stops: line
    search never loses, so that the errors to come lie between 0 and the last.
    """
    corners = vertices.astype(target.dtype)
    unit = np.array_equal(vertices, np.eye(*vertices.shape))

    def best(values: Numbers) -> Ints:
        # Of unit vectors the scores are the coordinates.
        return np.asarray((values if unit else values @ corners.T).argmax(axis=1))

    place = best(target)
    point = corners[place]
    residual = target - point
    errors, places, rates = [_products(residual, residual)], [place], []
    for t in range(2, k + 1):
        try:
            place = best(residual)
            direction = corners.take(place, axis=0) - point
            rate = next_rate(direction, residual, t, step)
        except Undecided:
            rest = np.array([Enclosed.of(0, Enclosed.of(errors[-1][0]).high)])
            errors += [rest] * (k + 1 - t)
            break
        point = shortened(point + rate[:, None] * direction)
        residual = target - point
        errors.append(_products(residual, residual))
        places.append(place)
        rates.append(rate)
    found = [np.stack(each, axis=1) for each in (errors, places, rates or [point[:, 0]])]
    return found[0], found[1], found[2]


def _products(left: Numbers, right: Numbers) -> Numbers:
    """Inner products, row by row."""
    if left.dtype == object:
        return (left * right).sum(axis=-1)
    return np.vecdot(left, right)


def next_rate(direction: Numbers, residual: Numbers, t: int, step: str) -> Numbers:
    """How far to go towards an atom in step ``t``."""
    if step != "line search":
        rate = Fraction(1, t) if step == "uniform" else Fraction(2, t + 1)
        return np.full(len(direction), rate if direction.dtype == object else float(rate))
    curvature, slope = _products(direction, direction), _products(direction, residual)
    rate = slope / np.where(curvature > 0, curvature, 1)
    return np.minimum(np.maximum(rate, 0), 1)


def shortened(values: Numbers) -> Numbers:
    """Numbers as they are, or intervals around fractions that have grown long."""
    if values.dtype != object:
        return values
    out = values.copy()
    for at, value in np.ndenumerate(values):
        out[at] = _shorter(value)
    return out


def _shorter(value: Any) -> Any:
    long = isinstance(value, Fraction) and value.denominator > LONG
    return Enclosed.of(value) if long else value


def _found(at: Inside, hull: str, step: str, k: int) -> tuple[Numbers, Arrays]:
    """Squared errors, and the run as a reader sees it."""
    vertices = vertices_of(hull)
    errors, places, rates = run(vertices, at.target, k, step)
    # The search reads both sides only, and thousands of atoms fill the memory.
    shown = {} if errors.dtype != object else {"atoms": vertices[places]}
    return errors, dict(target=at.target, **shown, rates=rates, squared_errors=errors)


def herding_progress(at: Inside, hull: str, step: str, k: int) -> Arrays:
    """Squared error after ``k`` steps beside that of the step before."""
    errors, shown = _found(at, hull, step, k)
    return dict(lhs=ends(errors[:, -1]), rhs=ends(errors[:, -2]), **shown)


def herding_general(at: Inside, hull: str, step: str, k: int) -> Arrays:
    r"""Squared error after ``k`` steps, and $4D^2/(k+2)$."""
    errors, shown = _found(at, hull, step, k)
    most = at.low / at.low * 4 * _diameter_square(hull) / (k + 2)
    return dict(lhs=ends(errors[:, -1]), rhs=most, **shown)


def herding_line_search(at: Inside, hull: str, step: str, k: int) -> Arrays:
    r"""Squared error after ``k`` steps of line search, and $D^2/(k+2)$."""
    found = herding_general(at, hull, step, k)
    return {**found, "rhs": found["rhs"] / 4}


def public_line_search(row: Arrays, hull: str, k: int, **_: object) -> float:
    """Squared error of the public algorithm, where masses of the target are known."""
    if hull in POINTS:
        return float(row["lhs"])
    target, vertices = row["top"] / row["low"], vertices_of(hull)
    found = herding(Linear(), vertices, masses_of(hull, target[None])[0], k)
    return float(np.sum((target - found.weights @ vertices[found.indices]) ** 2))


def herding_classic(at: Inside, hull: str, step: str, k: int) -> Arrays:
    r"""Squared error after ``k`` steps $2/(t+1)$, and $\frac{2(2k+1)}{3k(k+1)}D^2$."""
    found = herding_general(at, hull, step, k)
    return {**found, "rhs": found["rhs"] * (k + 2) / 4 * (4 * k + 2) / (3 * k * (k + 1))}


def herding_linear(at: Inside, hull: str, step: str, k: int, times: int) -> Arrays:
    r"""Squared error after ``k`` steps, and $(1-d^2/D^2)^{k-1}$ times that of the first.

    ``times`` multiplies $d^2$.
    """
    errors, shown = _found(at, hull, step, k)
    square, first = at.distance_square(hull), errors[:, 0]
    share = times * square / _diameter_square(hull)
    return dict(
        lhs=ends(errors[:, -1]), rhs=first * np.maximum(1 - share, 0) ** (k - 1),
        first=first, distance=root(square), squared_distance=square, **shown,
    )


def herding_inverse(at: Inside, hull: str, k: int) -> Arrays:
    r"""Error after ``k`` steps $1/t$, and $r^2/(dk)$."""
    errors, shown = _found(at, hull, "uniform", k)
    near, far = at.distance_square(hull), at.radius_square(hull)
    return dict(
        lhs=root(errors[:, -1]), rhs=root(far**2 / near / k**2),
        distance=root(near), radius=root(far), **shown,
    )


def herding_inverse_sharp(at: Inside, hull: str, k: int) -> Arrays:
    r"""Error after ``k`` steps $1/t$, and $\max(r,r^2/2d)/k$."""
    found = herding_inverse(at, hull, k)
    near, far = at.distance_square(hull), at.radius_square(hull)
    return {**found, "rhs": root(np.maximum(far, far**2 / near / 4) / k**2)}


def masses_of(hull: str, target: Doubles) -> Doubles:
    """Positive masses on the vertices whose means are the targets."""
    vertices = vertices_of(hull)
    if hull == "shifted simplex":
        return target - [9, 0, 0]
    if hull == "triangle":
        rows = np.concatenate([vertices.T, np.ones((1, 3))])
        sides = np.concatenate([target, np.ones((len(target), 1))], axis=1)
        # Of 64ths: scores of the target 0 must be 0.
        return np.asarray(np.round(64 * np.linalg.solve(rows, sides.T).T) / 64)
    shape = hull.split()[0]
    if shape == "simplex":
        return target
    if shape == "cube":
        return np.asarray(np.prod((1 + target[:, None] * vertices[None]) / 2, axis=2))
    # What the coordinates leave is spread over all vertices.
    masses = np.concatenate([np.maximum(target, 0), np.maximum(-target, 0)], axis=1)
    return np.asarray(masses + (1 - masses.sum(axis=1, keepdims=True)) / len(vertices))


def away_error(hull: str, k: int, *, size: int, rng: np.random.Generator) -> Arrays:
    """Squared error of herding with away steps, and after the first."""
    drawn = Inside.draw(hull, size=size, rng=rng)
    target, vertices = Inside(**drawn).target, vertices_of(hull)
    masses = masses_of(hull, target)
    lhs, first = np.empty(size), np.empty(size)
    for i in range(size):
        found = away_steps(Linear(), vertices, masses[i], k)
        rest = target[i] - found.weights @ vertices[found.indices]
        lhs[i], first[i] = rest @ rest, found.errors[0] ** 2
    return {"lhs": lhs, "first": first, **drawn}


def away_certificate(hull: str, k: int, times: int, top: Any, low: Any) -> Certificate:
    r"""Herding with away steps once more, in fractions, and the rate of ``times`` the width.

    A run of its own, as the public algorithm is on trial: with atoms that are dropped, row by row.
    """
    target = [Fraction(x) / Fraction(low) for x in top.tolist()]
    rows = [[int(x) for x in row] for row in vertices_of(hull)]
    errors, lines = _exact_away(rows, target, k)
    square, diameter = times**2 * pyramidal_width_square(hull), _diameter_square(hull)
    share = min(square / (4 * diameter), Fraction(1))
    left = errors[-1]
    return Certificate(
        (left.low, left.high) if isinstance(left, Enclosed) else left,
        enclosed_root(errors[0] ** 2 * (1 - share) ** (k - 1)),
        [("target", [str(x) for x in target]), *lines,
         ("w squared", square), ("D squared", diameter)],
    )


def _exact_away(
    rows: list[list[int]], target: list[Any], k: int
) -> tuple[list[Any], list[tuple[str, object]]]:
    """Squared errors after every step, and what was done."""
    gains = [_dot(target, row) for row in rows]
    first = gains.index(max(gains))
    held: dict[int, Any] = {first: Fraction(1)}
    point = [Fraction(x) for x in rows[first]]
    residual = [a - b for a, b in zip(target, point, strict=True)]
    errors = [_dot(residual, residual)]
    lines: list[tuple[str, object]] = [("step 1", f"atom {rows[first]}, error {errors[0]}")]
    for t in range(2, k + 1):
        try:
            atom, rate, dropped = _away_step(rows, residual, point, held)
        except Undecided:
            # As in `run`: these steps never lose either.
            errors.append(Enclosed.of(0, Enclosed.of(errors[-1]).high))
            return errors, [*lines, (f"from step {t}", "the error does not grow")]
        held = {a: w * (1 - rate) for a, w in held.items()}
        held[atom] = held.get(atom, Fraction(0)) + rate
        held = {a: w for a, w in held.items() if a != dropped}
        point = [_shorter(b + rate * (x - b)) for b, x in zip(point, rows[atom], strict=True)]
        held = {a: _shorter(w) for a, w in held.items()}
        residual = [a - b for a, b in zip(target, point, strict=True)]
        errors.append(_dot(residual, residual))
        name = "towards" if rate > 0 else "away from"
        lines.append((f"step {t}", f"{name} {rows[atom]}, squared error {_readable(errors[-1])}"))
    return errors, lines


def _away_step(
    rows: list[list[int]], residual: list[Any], point: list[Any], held: dict[int, Any]
) -> tuple[int, Any, int | None]:
    """The atom, the rate (below 0 away from it), and the atom that is dropped."""
    gains = [_dot(residual, row) for row in rows]
    here = _dot(residual, point)
    forward, away = gains.index(max(gains)), min(held, key=lambda atom: gains[atom])
    if gains[forward] - here >= here - gains[away]:
        size = _ratio(gains[forward] - here, rows[forward], point)
        return forward, min(Fraction(1), size), None
    most = held[away] / (1 - held[away])
    size = _ratio(here - gains[away], rows[away], point)
    return (away, -most, away) if size >= most else (away, -size, None)


def _ratio(slope: Any, row: list[int], point: list[Any]) -> Any:
    direction = [x - b for x, b in zip(row, point, strict=True)]
    curvature = _dot(direction, direction)
    return slope / curvature if curvature > 0 else Fraction(0)


def _dot(a: Any, b: Any) -> Any:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def _readable(value: Any) -> str:
    return str(value) if isinstance(value, Enclosed) else f"about {float(value):.12g}"
