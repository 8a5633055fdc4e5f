r"""What rates of herding mean: steps, distances from the boundary, weights, dead ends."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.sparse.herding import herding
from noisytheory.topics.sparse.simulate_hulls import drawn_targets, run, vertices_of
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.kernels import Linear

__all__ = [
    "boundary_certificate",
    "boundary_distance",
    "direction_certificate",
    "direction_slope",
    "empty_start_certificate",
    "empty_start_weights",
    "herding_weights",
    "iterations_certificate",
    "iterations_needed",
    "orthonormal_certificate",
    "orthonormal_error",
    "steps_per_nat",
    "stuck_certificate",
    "stuck_error",
    "stuck_steps",
]

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]
Arrays = dict[str, Any]


def steps_per_nat(
    inverse_distance: float, *, size: int, rng: np.random.Generator
) -> Doubles:
    r"""Steps in which the error of line search falls by a factor $e$, at distance $d$ from an edge.

    The square has corners $\pm e_1,\pm e_2$, the target is along its edge and $1/d$ is given; the
    rate is that between $1/d^2$ and $2/d^2$ steps, where it has settled.
    """
    along = rng.uniform(0.4, 0.6, size)
    inward = 1 / (np.sqrt(2) * inverse_distance)
    target = np.column_stack([along, 1 - along]) - inward
    steps = int(np.ceil(inverse_distance**2))
    errors, _ = run(vertices_of("cross 2"), target, 2 * steps, "line search")
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
    vertices, target, given = drawn_targets(hull, size, rng)
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
    rows = [[int(x) for x in row] for row in vertices_of(hull)]
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
    vertices = vertices_of(hull)
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
