r"""Herding on polytopes whose geometry is known: cross-polytopes, cubes, simplices, a few by hand,
and random ones in two and three dimensions.

Targets have whole coordinates over a whole denominator, so that squared distances are rational. One
run serves both arithmetics: in fractions while these are short, and then, for line search, whose
fractions double in length with every step, in rational intervals.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.sparse.approximation import Approximation
from noisytheory.topics.sparse.herding import away_steps, herding
from noisytheory.topics.sparse.partitions.sides import flat_weights
from noisytheory.topics.sparse.projection import fully_corrective
from noisytheory.topics.sparse.rates.hulls import BY_HAND, POINTS, RANDOM, pyramidal_width_square
from noisytheory.trial.claim import Certificate
from noisytheory.trial.sides import exact_numbers
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


def _unit(hull: str) -> bool:
    """Whether the vertices are the unit vectors: of a target they see the coordinates."""
    return hull.startswith("simplex")


@cache
def _diameter_square(hull: str) -> int:
    """Squared diameter, from the vertices; the bound has closed forms of its own."""
    vertices = vertices_of(hull)
    squares = (vertices**2).sum(axis=1)
    return int((squares[:, None] + squares - 2 * vertices @ vertices.T).max())


@dataclass(frozen=True)
class Inside:
    """A target in the relative interior of a hull, by its masses on all vertices.

    Parameters
    ----------
    shares : array, shape (size, vertices)
        Whole numbers above 0, to be divided by their sum.
    """

    shares: Numbers

    @staticmethod
    def draw(hull: str, *, size: int, rng: np.random.Generator) -> Arrays:
        """Any target; half of them the one by hand, or of equal weights, where that is hard."""
        shape, (n, p) = hull.split()[0], vertices_of(hull).shape
        coin = rng.integers(0, 2, (size, 1)) == 1
        if hull in BY_HAND:
            worst = np.array(BY_HAND[hull][1])
            free = 1 + rng.multinomial(worst.sum() - n, np.full(n, 1 / n), size=size)
            shares = np.where(coin, free, worst)
        elif shape == "simplex":
            shares = rng.integers(1, 10, (size, n))
            if n == 2 or n >= EVEN:
                shares = np.where(coin, shares, 1)
        elif hull in RANDOM:
            shares = rng.geometric(rng.uniform(0.01, 0.9, (size, n)))
        else:
            # Tenths of a cube; what the coordinates leave of a cross is spread over all vertices.
            top = rng.integers(-9, 10, (size, p))[:, None]
            if shape == "cube":
                shares = np.prod(10 + top * vertices_of(hull), axis=2)
            else:
                parts = np.maximum(np.sum(top * vertices_of(hull), axis=2), 0)
                shares = n * parts + rng.integers(1, 10, (size, 1))
        return {"shares": 1.0 * shares}

    @property
    def low(self) -> Numbers:
        """What coordinates are divided by."""
        return self.shares.sum(axis=1)

    def top(self, hull: str) -> Numbers:
        """The target's coordinates times that, whole numbers."""
        if _unit(hull):
            return self.shares
        return self.shares @ vertices_of(hull).astype(self.shares.dtype)

    def target(self, hull: str) -> Numbers:
        """The target's coordinates."""
        return self.top(hull) / self.low[:, None]

    def distance_square(self, hull: str) -> Numbers:
        """Squared distance from the relative boundary."""
        shape, top, low = hull.split()[0], self.top(hull), self.low
        p = top.shape[1]
        if shape == "simplex":
            # The facet opposite vertex i is at distance mu_i sqrt(p / (p - 1)).
            return (top.min(axis=1) / low) ** 2 * p / (p - 1)
        if shape == "cross":
            return ((low - np.abs(top).sum(axis=1)) / low) ** 2 / p
        if shape == "cube":
            return ((low - np.abs(top).max(axis=1)) / low) ** 2
        return _facet_square(vertices_of(hull), self.target(hull))

    def radius_square(self, hull: str) -> Numbers:
        """Squared distance from the farthest vertex."""
        apart = self.target(hull)[:, None] - vertices_of(hull).astype(self.shares.dtype)
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


def herded(shares: Doubles, hull: str, k: int, step: str) -> Doubles:
    """Squared errors after every step of the public algorithm: the last is that of its weights.

    It stops where nothing is left of the target; what rounding leaves of a distance counts as none.
    """
    vertices, masses = vertices_of(hull), shares / shares.sum()
    found = herding(Linear(), vertices, masses, k, step=step, gap=-np.inf)
    rest = masses @ vertices - found.weights @ vertices[found.indices]
    squares = np.full(k, rest @ rest)
    squares[: len(found.errors) - 1] = found.errors[:-1] ** 2
    return np.where(squares > 1e-28 * (vertices**2).sum(axis=1).max(), squares, 0.0)


class Herded(Inside):
    """The same, for the public algorithm."""


def _found(at: Inside, hull: str, step: str, k: int) -> tuple[Numbers, Arrays]:
    """Squared errors by a run of our own, which a reader sees, or by the public algorithm."""
    if isinstance(at, Herded):
        return np.stack([herded(row, hull, k, step) for row in at.shares]), {}
    vertices, target = vertices_of(hull), at.target(hull)
    errors, places, rates = run(vertices, target, k, step)
    if errors.dtype != object:
        return errors, {}
    return errors, dict(
        target=target, atoms=vertices[places], rates=rates, squared_errors=errors)


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


def away_error(hull: str, k: int, *, size: int, rng: np.random.Generator) -> Arrays:
    """Squared error of the public herding with away steps, and after the first."""
    return _corrected(away_steps, hull, k, size, rng)


def corrective_error(hull: str, k: int, *, size: int, rng: np.random.Generator) -> Arrays:
    """The same of the best weights after every step."""
    return _corrected(fully_corrective, hull, k, size, rng)


def _corrected(
    algorithm: Callable[..., Approximation], hull: str, k: int, size: int, rng: np.random.Generator
) -> Arrays:
    drawn, vertices = Inside.draw(hull, size=size, rng=rng), vertices_of(hull)
    lhs, first = np.empty(size), np.empty(size)
    for i, shares in enumerate(drawn["shares"]):
        masses = shares / shares.sum()
        found = algorithm(Linear(), vertices, masses, k)
        rest = masses @ vertices - found.weights @ vertices[found.indices]
        lhs[i], first[i] = rest @ rest, found.errors[0] ** 2
    return {"lhs": lhs, "first": first, **drawn}


def away_certificate(hull: str, k: int, times: int, shares: Any) -> Certificate:
    r"""Herding with away steps once more, in fractions, and the rate of ``times`` the width.

    A run of its own, as the public algorithm is on trial: with atoms that are dropped, row by row.
    """
    return _by_width(_exact_away, hull, k - 1, k, times, shares)


def corrective_certificate(hull: str, k: int, times: int, shares: Any) -> Certificate:
    """Herding with the best weights after every step, in fractions, and its rate, twice as fast."""
    return _by_width(_exact_corrective, hull, 2 * (k - 1), k, times, shares)


Run = Callable[[list[list[int]], list[Any], int], tuple[list[Any], list[tuple[str, object]]]]


def _by_width(
    algorithm: Run, hull: str, power: int, k: int, times: int, shares: Any
) -> Certificate:
    """A run against its rate, whose square has this power."""
    at = Inside(exact_numbers(shares)[None])
    target = at.target(hull)[0].tolist()
    rows = [[int(x) for x in row] for row in vertices_of(hull)]
    errors, lines = algorithm(rows, target, k)
    square, diameter = times**2 * pyramidal_width_square(hull), _diameter_square(hull)
    share = min(square / (4 * diameter), Fraction(1))
    left = errors[-1]
    return Certificate(
        (left.low, left.high) if isinstance(left, Enclosed) else left,
        enclosed_root(errors[0] ** 2 * (1 - share) ** power),
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


def _exact_corrective(
    rows: list[list[int]], target: list[Any], k: int
) -> tuple[list[Any], list[tuple[str, object]]]:
    """Squared errors after every step, and what was done: the nearest mixture of the atoms.

    That is the nearest point of the flat through some of them; all sets of atoms are tried that
    hold the new one, beside those that had weight.
    """
    gains = [_dot(target, row) for row in rows]
    held = [gains.index(max(gains))]
    residual = [a - b for a, b in zip(target, rows[held[0]], strict=True)]
    errors = [_dot(residual, residual)]
    lines: list[tuple[str, object]] = [("step 1", f"atom {rows[held[0]]}, error {errors[0]}")]
    for t in range(2, k + 1):
        gains = [_dot(residual, row) for row in rows]
        z = gains.index(max(gains))
        if z in held:
            return errors, [*lines, (f"from step {t}", "no point is better than those held")]
        held, rest = _nearest_mixture(rows, target, [*held, z])
        residual = (-rest).tolist()
        errors.append(rest @ rest)
        lines.append((f"step {t}", f"atom {rows[z]}, squared error {_readable(errors[-1])}"))
    return errors, lines


def _nearest_mixture(
    rows: list[list[int]], target: list[Any], atoms: list[int]
) -> tuple[list[int], Numbers]:
    """Atoms with weight in the mixture of them that is nearest to the target, and what is left."""
    apart = np.array([[Fraction(x) - y for x, y in zip(rows[i], target, strict=True)]
                      for i in atoms], dtype=object)
    gram, found = apart @ apart.T, []
    for size in range(1, len(atoms) + 1):
        for chosen in map(list, combinations(range(len(atoms)), size)):
            weights = flat_weights(gram[np.ix_(chosen, chosen)].tolist())
            if weights is not None and min(weights) > 0:
                found.append(([atoms[i] for i in chosen], weights @ apart[chosen]))
    return min(found, key=lambda one: one[1] @ one[1])


def _ratio(slope: Any, row: list[int], point: list[Any]) -> Any:
    direction = [x - b for x, b in zip(row, point, strict=True)]
    curvature = _dot(direction, direction)
    return slope / curvature if curvature > 0 else Fraction(0)


def _dot(a: Any, b: Any) -> Any:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def _readable(value: Any) -> str:
    return str(value) if isinstance(value, Enclosed) else f"about {float(value):.12g}"
