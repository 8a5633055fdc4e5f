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

from noisytheory.claim import Certificate
from noisytheory.kernels import Linear
from noisytheory.sparse.herding import away_steps, herding

__all__ = [
    "STEPS",
    "away_error",
    "boundary_certificate",
    "boundary_distance",
    "diameter_square",
    "direction_certificate",
    "direction_slope",
    "empty_start_certificate",
    "empty_start_weights",
    "herding_certificate",
    "herding_error",
    "herding_progress",
    "herding_weights",
    "iterations_certificate",
    "iterations_needed",
    "orthonormal_certificate",
    "orthonormal_error",
    "steps_per_nat",
    "stuck_certificate",
    "stuck_error",
    "stuck_steps",
    "uniform_certificate",
    "uniform_error",
]

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]
Arrays = dict[str, Any]
STEPS = ("line search", "classic", "uniform")


@cache
def _vertices(hull: str) -> Ints:
    shape, dimension = hull.split()
    p = int(dimension)
    if shape == "cross":
        return np.concatenate([np.eye(p, dtype=np.int64), -np.eye(p, dtype=np.int64)])
    if shape == "simplex":
        return np.eye(p, dtype=np.int64)
    return np.array(np.meshgrid(*[[-1, 1]] * p)).reshape(p, -1).T


def diameter_square(hull: str) -> int:
    """Squared diameter: 4 (cross-polytope), 4p (cube), 2 (simplex)."""
    vertices = _vertices(hull)
    return int(((vertices[:, None] - vertices[None]) ** 2).sum(axis=-1).max())


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


def _run(
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


def _drawn(hull: str, size: int, rng: np.random.Generator) -> tuple[Ints, Doubles, Arrays]:
    top, low, square = _targets(hull, size, rng)
    vertices = _vertices(hull)
    target = top / low[:, None]
    far = ((target[:, None] - vertices[None]) ** 2).sum(axis=-1).max(axis=1)
    given = {"top": top, "low": low, "distance": np.sqrt(square), "radius": np.sqrt(far)}
    return vertices, target, given


def herding_error(
    hull: str, step: str, k: int, *, size: int, rng: np.random.Generator
) -> Arrays:
    """Squared error after ``k`` steps, and after the first."""
    vertices, target, given = _drawn(hull, size, rng)
    errors, _ = _run(vertices, target, k, step)
    return {"lhs": errors[:, -1], "first": errors[:, 0], **given}


def herding_progress(
    hull: str, step: str, k: int, *, size: int, rng: np.random.Generator
) -> Arrays:
    """Squared error after ``k`` steps beside that of the step before."""
    vertices, target, given = _drawn(hull, size, rng)
    errors, _ = _run(vertices, target, k, step)
    return {"lhs": errors[:, -1], "rhs": errors[:, -2], **given}


def uniform_error(hull: str, k: int, *, size: int, rng: np.random.Generator) -> Arrays:
    """Error after ``k`` steps $1/t$."""
    vertices, target, given = _drawn(hull, size, rng)
    errors, _ = _run(vertices, target, k, "uniform")
    return {"lhs": np.sqrt(errors[:, -1]), **given}


def away_error(hull: str, k: int, *, size: int, rng: np.random.Generator) -> Arrays:
    """Squared error of herding with away steps on a cross-polytope, and after the first."""
    vertices, target, given = _drawn(hull, size, rng)
    # Positive weights of the target: what its coordinates leave is spread over all vertices.
    masses = np.concatenate([np.maximum(target, 0), np.maximum(-target, 0)], axis=1)
    masses += (1 - masses.sum(axis=1, keepdims=True)) / len(vertices)
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
        errors, atoms, rates = _exact_run(_vertices(hull), target, k, step)
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
        vertices = _vertices(hull)
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


# What the rates mean.


def steps_per_nat(inverse: float, *, size: int, rng: np.random.Generator) -> Doubles:
    r"""Steps in which the error of line search falls by a factor $e$, at distance $1/$``inverse``.

    The square with corners $\pm e_1,\pm e_2$, the target somewhere along an edge, ``1/inverse``
    inside; the rate is that between $1/d^2$ and $2/d^2$ steps, where it has settled.
    """
    along = rng.uniform(0.4, 0.6, size)
    inward = 1 / (np.sqrt(2) * inverse)
    target = np.column_stack([along, 1 - along]) - inward
    steps = int(np.ceil(inverse**2))
    errors, _ = _run(_vertices("cross 2"), target, 2 * steps, "line search")
    fall = 0.5 * np.log(errors[:, steps - 1] / errors[:, -1])
    return np.asarray(steps / fall)


def orthonormal_error(n: int, k: int, step: str) -> Arrays:
    """Squared error of herding the mean of ``n`` orthonormal points."""
    found = herding(Linear(), np.eye(n), np.full(n, 1 / n), k, step=step)
    weights = np.full(n, 1 / n)
    weights[found.indices] -= found.weights
    return {"lhs": [float(np.sqrt(weights @ weights))]}


def iterations_needed(n: int, epsilon: float) -> Arrays:
    r"""Least number of atoms at distance $\epsilon$ from the mean of ``n`` orthonormal points."""
    square = Fraction(str(epsilon)) ** 2
    k = 1
    while Fraction(1, k) - Fraction(1, n) > square:
        k += 1
    return {"lhs": [k]}


def iterations_certificate(n: int, epsilon: float, lhs: Any) -> Certificate:
    r"""An iteration adds at most one atom; Theorem 20 bounds the error of $k$ atoms from below."""
    rate, k = Fraction(str(epsilon)), int(lhs)
    # log(1/epsilon) < 4, because e^4 > 2.7^4 > 53.
    below = Fraction(1, k - 1) - Fraction(1, n)
    assert below > rate**2 and 1 / rate <= 53
    return Certificate(
        k, 80,
        [("n", n), ("epsilon", rate), (f"least squared error of {k - 1} atoms", below),
         ("epsilon squared", rate**2), ("20 log(1/epsilon) is less than", 80)],
    )


def boundary_distance(n: int) -> Arrays:
    """Distance of their mean from each facet of the hull, by projection."""
    points = np.eye(n)
    mean = np.full(n, 1 / n)
    distances = []
    for i in range(n):
        rest = np.delete(points, i, axis=0)
        edges = (rest[1:] - rest[0]).T
        shift = mean - rest[0]
        solved = np.linalg.lstsq(edges, shift, rcond=None)[0] if n > 2 else np.zeros(0)
        distances.append(float(np.linalg.norm(shift - edges @ solved)))
    return {"lhs": distances}


def boundary_certificate(less: int) -> Callable[..., Certificate]:
    r"""Squared distance of the mean from that of the other points, against $1/n(n-\mathrm{less})$.

    Parameters
    ----------
    less : int
        1 in the claim.

    Returns
    -------
    callable
        One instance to a `Certificate`.
    """

    def certify(n: int) -> Certificate:
        foot = Fraction(1, n - 1)
        square = (n - 1) * (foot - Fraction(1, n)) ** 2 + Fraction(1, n) ** 2
        return Certificate(
            square, Fraction(1, n * (n - less)),
            [("nearest point of a facet", f"mean of the other {n - 1}"), ("squared", square)],
        )

    return certify


def empty_start_weights(hull: str, k: int, *, size: int, rng: np.random.Generator) -> Arrays:
    r"""Sum of the weights when line search starts from $\omega=0$, as printed."""
    vertices, target, given = _drawn(hull, size, rng)
    point, total = np.zeros_like(target), np.zeros(size)
    for _ in range(k):
        residual = target - point
        direction = vertices[(residual @ vertices.T).argmax(axis=1)] - point
        curvature = np.einsum("bp,bp->b", direction, direction)
        slope = np.einsum("bp,bp->b", direction, residual)
        rate = np.clip(slope / np.where(curvature > 0, curvature, 1.0), 0.0, 1.0)
        point = point + rate[:, None] * direction
        total = (1 - rate) * total + rate
    return {"lhs": total, **given}


def empty_start_certificate(hull: str, k: int, top: Ints, low: Any) -> Certificate:
    r"""The first step in fractions: $\lambda_1=\langle\omega_P,\phi(z)\rangle/\|\phi(z)\|^2$."""
    target = [Fraction(int(x), int(low)) for x in top]
    rows = [[int(x) for x in row] for row in _vertices(hull)]
    gains = [sum(t * x for t, x in zip(target, row, strict=True)) for row in rows]
    row = rows[gains.index(max(gains))]
    rate = max(gains) / sum(x * x for x in row)
    return Certificate(
        rate if k == 1 else 1, 1,
        [("target", [str(x) for x in target]), ("first atom", row), ("its weight", rate)],
    )


def herding_weights(
    hull: str, k: int, *, size: int, rng: np.random.Generator
) -> Arrays:
    """Sum of the weights that `herding` returns for random masses on the vertices."""
    vertices = _vertices(hull)
    masses = rng.dirichlet(np.ones(len(vertices)), size=size)
    return {"lhs": np.array(
        [herding(Linear(), vertices, row, k).weights.sum() for row in masses]
    )}


def stuck_error(k: int, gap: float) -> Arrays:
    """Error and number of steps for half on 0, half on 1, where 1 alone may be taken."""
    found = herding(
        Linear(), [[0.0], [1.0]], [0.5, 0.5], k, candidates=[1], gap=gap, tolerance=0.1
    )
    return {"lhs": [found.error], "steps": [len(found.errors)]}


def stuck_steps(k: int, gap: float) -> Arrays:
    """The number of steps made there."""
    return {"lhs": stuck_error(k, gap)["steps"]}


def stuck_certificate(k: int, steps: Any) -> Certificate:
    """After any number of steps the atom is 1 and the error one half."""
    return Certificate(
        Fraction(1, 2), Fraction(1, 10),
        [("target", "1/2 at 0, 1/2 at 1: the number 1/2"), ("candidates", [1]),
         ("every step takes", 1), ("steps made", int(steps)), ("error", Fraction(1, 2))],
    )


def direction_slope(sign: int, *, size: int, rng: np.random.Generator) -> Arrays:
    r"""$4\langle\omega_P-\omega,z\rangle$, and minus a difference of $\|\omega_P-\omega\|^2$.

    Central differences are exact for a quadratic; all numbers are whole.
    """
    rest, vertex = rng.integers(-9, 10, (2, size, 3))
    ahead, behind = ((rest - vertex) ** 2).sum(axis=1), ((rest + vertex) ** 2).sum(axis=1)
    return {"lhs": 4 * (rest * vertex).sum(axis=1), "rhs": sign * (behind - ahead),
            "rest": rest, "vertex": vertex}


def direction_certificate(sign: int, rest: Ints, vertex: Ints) -> Certificate:
    """Both sides in whole numbers."""
    pairs = [(int(a), int(b)) for a, b in zip(rest, vertex, strict=True)]
    ahead, behind = sum((a - b) ** 2 for a, b in pairs), sum((a + b) ** 2 for a, b in pairs)
    return Certificate(
        4 * sum(a * b for a, b in pairs), sign * (behind - ahead),
        [("omega_P - omega", rest.tolist()), ("phi(z)", vertex.tolist()),
         ("squared distance one step ahead", ahead), ("one step back", behind)],
    )


def orthonormal_certificate(subtracted: bool) -> Callable[..., Certificate]:
    """Squared error of equal weights on k atoms, against 1/k - 1/n, or 1/k.

    Parameters
    ----------
    subtracted : bool
        Whether 1/n is.

    Returns
    -------
    callable
        One instance to a `Certificate`.
    """

    def certify(n: int, k: int) -> Certificate:
        square = k * (Fraction(1, k) - Fraction(1, n)) ** 2 + (n - k) * Fraction(1, n) ** 2
        right = Fraction(1, k) - (Fraction(1, n) if subtracted else 0)
        return Certificate(square, right, [("n", n), ("k", k), ("squared error", square)])

    return certify
