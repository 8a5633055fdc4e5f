r"""What rates of herding mean: steps, errors and distances from the boundary."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.sparse.herding import herding
from noisytheory.topics.sparse.rates.sides import run, vertices_of
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.kernels import Linear

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


def boundary_certificate(n: int, subtracted: int) -> Certificate:
    r"""Squared distance of the mean from that of the other points, against $1/n(n-1)$, or $1/n^2$.
    """
    foot = Fraction(1, n - 1)
    square = (n - 1) * (foot - Fraction(1, n)) ** 2 + Fraction(1, n) ** 2
    return Certificate(
        square, Fraction(1, n * (n - subtracted)),
        [("nearest point of a facet", f"mean of the other {n - 1}"), ("squared", square)],
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
