r"""Herding on polytopes whose geometry is known: cross-polytopes, cubes and simplices.

Targets have whole coordinates over a whole denominator, so that squared distances are rational and
a certificate can run the algorithm again in fractions.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.sparse.herding import away_steps
from noisytheory.topics.sparse.hulls import diameter_square, pyramidal_width_square
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.kernels import Linear

__all__ = [
    "away_certificate",
    "away_error",
    "drawn_targets",
    "herding_certificate",
    "herding_error",
    "herding_progress",
    "run",
    "uniform_certificate",
    "uniform_error",
    "vertices_of",
]

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]
Arrays = dict[str, Any]


@cache
def vertices_of(hull: str) -> Ints:
    """Vertices with whole coordinates."""
    shape, dimension = hull.split()
    p = int(dimension)
    if shape == "cross":
        return np.concatenate([np.eye(p, dtype=np.int64), -np.eye(p, dtype=np.int64)])
    if shape == "simplex":
        return np.eye(p, dtype=np.int64)
    return np.array(np.meshgrid(*[[-1, 1]] * p)).reshape(p, -1).T


def _targets(hull: str, size: int, rng: np.random.Generator) -> tuple[Ints, Ints, Doubles]:
    """Numerators, denominators, and squared distances from the relative boundary."""
    shape, dimension = hull.split()
    p = int(dimension)
    if shape == "simplex":
        top = rng.integers(1, 10, (size, p))
        low = top.sum(axis=1)
        # The facet opposite vertex i is at distance mu_i sqrt(p / (p - 1)).
        return top, low, (top.min(axis=1) / low) ** 2 * p / (p - 1)
    top = rng.integers(-9, 10, (size, p))
    if shape == "cross":
        spare = rng.integers(1, 10, size)
        low = np.abs(top).sum(axis=1) + spare
        return top, low, (spare / low) ** 2 / p
    low = np.full(size, 10)
    return top, low, ((10 - np.abs(top).max(axis=1)) / 10) ** 2


def run(
    vertices: Ints, target: Doubles, k: int, step: str
) -> tuple[Doubles, Doubles]:
    """Squared errors after every step, shape (size, k), and the last iterates."""
    rows = np.arange(len(target))
    errors = np.empty((len(target), k))
    point = vertices[(target @ vertices.T).argmax(axis=1)].astype(float)
    for t in range(1, k + 1):
        if t > 1:
            residual = target - point
            direction = vertices[(residual @ vertices.T).argmax(axis=1)] - point
            if step == "line search":
                curvature = np.einsum("bp,bp->b", direction, direction)
                slope = np.einsum("bp,bp->b", direction, residual)
                rate = np.clip(slope / np.where(curvature > 0, curvature, 1.0), 0.0, 1.0)
            else:
                rate = np.full(len(rows), 1 / t if step == "uniform" else 2 / (t + 1))
            point = point + rate[:, None] * direction
        errors[:, t - 1] = np.einsum("bp,bp->b", target - point, target - point)
    return errors, point


def drawn_targets(
    hull: str, size: int, rng: np.random.Generator
) -> tuple[Ints, Doubles, Arrays]:
    """Vertices, random targets, and what is known of them."""
    top, low, square = _targets(hull, size, rng)
    vertices = vertices_of(hull)
    target = top / low[:, None]
    far = ((target[:, None] - vertices[None]) ** 2).sum(axis=-1).max(axis=1)
    given = {"top": top, "low": low, "distance": np.sqrt(square), "radius": np.sqrt(far)}
    return vertices, target, given


def herding_error(
    hull: str, step: str, k: int, *, size: int, rng: np.random.Generator
) -> Arrays:
    """Squared error after ``k`` steps, and after the first."""
    vertices, target, given = drawn_targets(hull, size, rng)
    errors, _ = run(vertices, target, k, step)
    return {"lhs": errors[:, -1], "first": errors[:, 0], **given}


def herding_progress(
    hull: str, step: str, k: int, *, size: int, rng: np.random.Generator
) -> Arrays:
    """Squared error after ``k`` steps beside that of the step before."""
    vertices, target, given = drawn_targets(hull, size, rng)
    errors, _ = run(vertices, target, k, step)
    return {"lhs": errors[:, -1], "rhs": errors[:, -2], **given}


def uniform_error(hull: str, k: int, *, size: int, rng: np.random.Generator) -> Arrays:
    """Error after ``k`` steps $1/t$."""
    vertices, target, given = drawn_targets(hull, size, rng)
    errors, _ = run(vertices, target, k, "uniform")
    return {"lhs": np.sqrt(errors[:, -1]), **given}


def _masses(hull: str, target: Doubles) -> Doubles:
    """Positive masses on the vertices whose means are the targets."""
    shape = hull.split()[0]
    if shape == "simplex":
        return target
    vertices = vertices_of(hull)
    if shape == "cube":
        return np.asarray(np.prod((1 + target[:, None] * vertices[None]) / 2, axis=2))
    # What the coordinates leave is spread over all vertices.
    masses = np.concatenate([np.maximum(target, 0), np.maximum(-target, 0)], axis=1)
    return np.asarray(masses + (1 - masses.sum(axis=1, keepdims=True)) / len(vertices))


def away_error(hull: str, k: int, *, size: int, rng: np.random.Generator) -> Arrays:
    """Squared error of herding with away steps, and after the first."""
    vertices, target, given = drawn_targets(hull, size, rng)
    masses = _masses(hull, target)
    lhs, first = np.empty(size), np.empty(size)
    for i in range(size):
        found = away_steps(Linear(), vertices, masses[i], k)
        rest = target[i] - found.weights @ vertices[found.indices]
        lhs[i], first[i] = rest @ rest, found.errors[0] ** 2
    return {"lhs": lhs, "first": first, **given}


# The same runs in fractions.


def _exact_run(
    vertices: Ints, target: list[Fraction], k: int, step: str
) -> tuple[list[Fraction], list[list[int]], list[Fraction]]:
    """Squared errors, atoms taken and step sizes."""
    rows = [[int(x) for x in row] for row in vertices]
    point = [Fraction(0)] * len(target)
    errors, atoms, rates = [], [], []
    for t in range(1, k + 1):
        residual = [a - b for a, b in zip(target, point, strict=True)]
        gains = [sum(r * x for r, x in zip(residual, row, strict=True)) for row in rows]
        row = rows[gains.index(max(gains))]
        direction = [x - b for x, b in zip(row, point, strict=True)]
        if t == 1:
            rate = Fraction(1)
        elif step == "line search":
            curvature = sum((x * x for x in direction), Fraction(0))
            slope = sum((x * y for x, y in zip(direction, residual, strict=True)), Fraction(0))
            rate = min(max(slope / curvature, Fraction(0)), Fraction(1)) if curvature else curvature
        else:
            rate = Fraction(1, t) if step == "uniform" else Fraction(2, t + 1)
        point = [b + rate * x for b, x in zip(point, direction, strict=True)]
        errors.append(sum(((a - b) ** 2 for a, b in zip(target, point, strict=True)), Fraction(0)))
        atoms.append(row)
        rates.append(rate)
    return errors, atoms, rates


def _steps(target: list[Fraction], atoms: list[list[int]], rates: list[Fraction],
           errors: list[Fraction]) -> list[tuple[str, object]]:
    lines: list[tuple[str, object]] = [("target", [str(x) for x in target])]
    for t, (row, rate, error) in enumerate(zip(atoms, rates, errors, strict=True), 1):
        lines.append((f"step {t}", f"atom {row}, rate {rate}, squared error {error}"))
    return lines


def herding_certificate(
    right: Callable[[list[Fraction], Fraction, int, int], Fraction],
) -> Callable[..., Certificate]:
    """Squared error after ``k`` steps against what is promised, in fractions.

    Parameters
    ----------
    right : callable
        Of the squared errors, the squared distance from the boundary, the squared diameter, ``k``.

    Returns
    -------
    callable
        One instance to a `Certificate`.
    """

    def certify(hull: str, step: str, k: int, top: Ints, low: Any) -> Certificate:
        target = [Fraction(int(x), int(low)) for x in top]
        errors, atoms, rates = _exact_run(vertices_of(hull), target, k, step)
        distance = _exact_distance(hull, target)
        return Certificate(
            errors[-1], right(errors, distance, diameter_square(hull), k),
            [*_steps(target, atoms, rates, errors), ("d squared", distance)],
        )

    return certify


def _exact_distance(hull: str, target: list[Fraction]) -> Fraction:
    shape, p = hull.split()[0], len(target)
    if shape == "cross":
        return (1 - sum((abs(x) for x in target), Fraction(0))) ** 2 / p
    if shape == "simplex":
        return min(target) ** 2 * Fraction(p, p - 1)
    return (1 - max(abs(x) for x in target)) ** 2


def uniform_certificate(
    right: Callable[[Fraction, Fraction], Fraction],
) -> Callable[..., Certificate]:
    r"""$(k\|\mathrm{err}_k\|)^2$ against what is promised, in fractions.

    Parameters
    ----------
    right : callable
        Of $r^2$ and $d^2$.

    Returns
    -------
    callable
        One instance to a `Certificate`.
    """

    def certify(hull: str, k: int, top: Ints, low: Any) -> Certificate:
        target = [Fraction(int(x), int(low)) for x in top]
        vertices = vertices_of(hull)
        errors, atoms, rates = _exact_run(vertices, target, k, "uniform")
        distance = _exact_distance(hull, target)
        radius = max(
            sum(((a - int(x)) ** 2 for a, x in zip(target, row, strict=True)), Fraction(0))
            for row in vertices
        )
        return Certificate(
            errors[-1] * k**2, right(radius, distance),
            [*_steps(target, atoms, rates, errors), ("d squared", distance), ("r squared", radius)],
        )

    return certify


def away_certificate(factor: int) -> Callable[..., Certificate]:
    r"""Herding with away steps in fractions, against the rate of ``factor`` times the width.

    Parameters
    ----------
    factor : int
        1 in the claim.

    Returns
    -------
    callable
        One instance, ``k`` odd, to a `Certificate`.
    """

    def certify(hull: str, k: int, top: Ints, low: Any) -> Certificate:
        target = [Fraction(int(x), int(low)) for x in top]
        rows = [[int(x) for x in row] for row in vertices_of(hull)]
        errors, lines = _exact_away(rows, target, k)
        square, diameter = factor**2 * pyramidal_width_square(hull), diameter_square(hull)
        return Certificate(
            errors[-1], errors[0] * (1 - square / (4 * diameter)) ** ((k - 1) // 2),
            [("target", [str(x) for x in target]), *lines,
             ("w squared", pyramidal_width_square(hull)), ("D squared", diameter)],
        )

    return certify


def _exact_away(
    rows: list[list[int]], target: list[Fraction], k: int
) -> tuple[list[Fraction], list[tuple[str, object]]]:
    """Squared errors after every step, and what was done."""

    def dot(a: Any, b: Any) -> Fraction:
        return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))

    gains = [dot(target, row) for row in rows]
    first = gains.index(max(gains))
    held, point = {first: Fraction(1)}, [Fraction(x) for x in rows[first]]
    residual = [a - b for a, b in zip(target, point, strict=True)]
    errors = [dot(residual, residual)]
    lines: list[tuple[str, object]] = [("step 1", f"atom {rows[first]}, error {errors[0]}")]
    for t in range(2, k + 1):
        gains = [dot(residual, row) for row in rows]
        here = dot(residual, point)
        forward, away = gains.index(max(gains)), min(held, key=lambda atom: gains[atom])
        ahead = gains[forward] - here >= here - gains[away]
        atom = forward if ahead else away
        most = Fraction(1) if ahead else held[away] / (1 - held[away])
        direction = [x - b for x, b in zip(rows[atom], point, strict=True)]
        curvature, slope = dot(direction, direction), abs(gains[atom] - here)
        size = min(most, slope / curvature) if curvature else Fraction(0)
        rate = size if ahead else -size
        held = {a: w * (1 - rate) for a, w in held.items()}
        held[atom] = held.get(atom, Fraction(0)) + rate
        held = {a: w for a, w in held.items() if w}
        point = [b + rate * x for b, x in zip(point, direction, strict=True)]
        residual = [a - b for a, b in zip(target, point, strict=True)]
        errors.append(dot(residual, residual))
        name = "towards" if ahead else "away from"
        lines.append((f"step {t}", f"{name} {rows[atom]}, squared error about {float(errors[-1])}"))
    return errors, lines
