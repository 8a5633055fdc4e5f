r"""What rates of herding mean: steps, distances from the boundary, weights, dead ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.sparse.herding import herding
from noisytheory.topics.sparse.simulate_hulls import Inside, masses_of, run, vertices_of
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.kernels import Linear

__all__ = [
    "Ahead",
    "boundary_certificate",
    "boundary_distance",
    "direction_slope",
    "herding_weights",
    "iterations_certificate",
    "iterations_needed",
    "orthonormal_certificate",
    "orthonormal_error",
    "steps_per_nat",
    "stuck_certificate",
    "stuck_error",
    "stuck_steps",
    "stuck_steps_certificate",
    "summed_weights",
]

Doubles = NDArray[np.float64]
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
    errors, _, _ = run(vertices_of("cross 2"), target, 2 * steps, "line search")
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


def iterations_certificate(n: int, epsilon: float) -> Certificate:
    r"""An iteration adds at most one atom; Theorem 20 bounds the error of $k$ atoms from below."""
    rate, k = Fraction(str(epsilon)), int(iterations_needed(n, epsilon)["lhs"][0])
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


def summed_weights(at: Inside, hull: str, k: int, empty: int) -> Arrays:
    r"""Sum of the weights after ``k`` steps of line search, and 1.

    From the first atom; from $\omega=0$, as printed, if ``empty``.
    """
    corners = vertices_of(hull).astype(at.top.dtype)
    point, total = 0 * at.target, 0 * at.low
    rates = []
    for t in range(1, k + 1):
        residual = at.target - point
        direction = corners[(residual @ corners.T).argmax(axis=1)] - point
        curvature = np.sum(direction**2, axis=-1)
        rate = np.sum(direction * residual, axis=-1) / np.where(curvature > 0, curvature, 1)
        rate = np.minimum(np.maximum(rate, 0), 1)
        rates.append(rate if empty or t > 1 else 0 * rate + 1)
        point = point + rates[-1][:, None] * direction
        total = (1 - rates[-1]) * total + rates[-1]
    return dict(lhs=total, rhs=0 * total + 1, target=at.target, rates=np.stack(rates, axis=1))


def herding_weights(
    hull: str, k: int, *, size: int, rng: np.random.Generator
) -> Arrays:
    """Sum of the weights that `herding` returns for random targets, and 1."""
    drawn = Inside.draw(hull, size=size, rng=rng)
    masses = masses_of(hull, Inside(**drawn).target)
    vertices = vertices_of(hull)
    found = [herding(Linear(), vertices, row, k).weights.sum() for row in masses]
    return {"lhs": np.array(found), "rhs": np.ones(size), **drawn}


def stuck_error(k: int, gap: float) -> Arrays:
    """Error and number of steps for half on 0, half on 1, where 1 alone may be taken."""
    found = herding(
        Linear(), [[0.0], [1.0]], [0.5, 0.5], k, candidates=[1], gap=gap, tolerance=0.1
    )
    return {"lhs": [found.error], "steps": [len(found.errors)]}


def stuck_steps(k: int, gap: float) -> Arrays:
    """The number of steps made there."""
    return {"lhs": stuck_error(k, gap)["steps"]}


def _stuck(k: int, gap: float) -> tuple[int, Fraction]:
    """Steps made and error left, in fractions: every step takes 1."""
    target, point, made = Fraction(1, 2), Fraction(0), 0
    for t in range(1, k + 1):
        slope, curvature = (target - point) * (1 - point), (1 - point) ** 2
        if t > 1 and slope <= gap:
            break
        # Between 0 and the best, 1: there the curvature is 0, and nothing moves.
        rate = slope / curvature if t > 1 and curvature else Fraction(1)
        point, made = point + rate * (1 - point), made + 1
        if abs(target - point) <= Fraction(1, 10):
            break
    return made, abs(target - point)


def stuck_certificate(k: int, gap: float) -> Certificate:
    """The error that is left, against the tolerance."""
    made, error = _stuck(k, gap)
    return Certificate(
        error, Fraction(1, 10),
        [("target", "1/2 at 0, 1/2 at 1: the number 1/2"), ("candidates", [1]),
         ("every step takes", 1), ("steps made", made), ("error", error)],
    )


def stuck_steps_certificate(k: int, gap: float) -> Certificate:
    """The steps made, against one."""
    made, error = _stuck(k, gap)
    return Certificate(made, 1, [("steps made", made), ("error", error)])


@dataclass(frozen=True)
class Ahead:
    r"""What is left of the target, and a vertex.

    Parameters
    ----------
    rest, vertex : array, shape (size, 3)
    """

    rest: Any
    vertex: Any

    @staticmethod
    def draw(*, size: int, rng: np.random.Generator) -> Arrays:
        """Whole numbers."""
        rest, vertex = 1.0 * rng.integers(-9, 10, (2, size, 3))
        return {"rest": rest, "vertex": vertex}


def direction_slope(at: Ahead, sign: int) -> Arrays:
    r"""$4\langle\omega_P-\omega,z\rangle$, and minus a difference of $\|\omega_P-\omega\|^2$.

    Central differences are exact for a quadratic.
    """
    ahead = np.sum((at.rest - at.vertex) ** 2, axis=-1)
    behind = np.sum((at.rest + at.vertex) ** 2, axis=-1)
    return dict(
        lhs=4 * np.sum(at.rest * at.vertex, axis=-1), rhs=sign * (behind - ahead),
        squared_distance_one_step_ahead=ahead, one_step_back=behind,
    )


def orthonormal_certificate(n: int, k: int, step: str, subtracted: int) -> Certificate:
    """Squared error of herding in fractions, against $1/k-1/n$, or $1/k$ unless ``subtracted``."""
    target = np.full((1, n), Fraction(1, n), dtype=object)
    errors, _, rates = run(np.eye(n, dtype=np.int64), target, k, step)
    right = Fraction(1, k) - (Fraction(1, n) if subtracted else 0)
    return Certificate(
        errors[0, -1], right,
        [("n", n), ("k", k), ("rates", [1, *map(str, rates[0])]), ("squared error", errors[0, -1])],
    )
