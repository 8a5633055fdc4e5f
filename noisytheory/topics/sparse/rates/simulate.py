r"""What rates of herding mean: steps, errors and distances from the boundary."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.sparse.herding import herding
from noisytheory.topics.sparse.partitions.sides import off_span
from noisytheory.topics.sparse.rates.sides import Inside, masses_of, run, vertices_of
from noisytheory.trial.claim import Certificate, Law
from noisytheory.vocabulary.exact import ends
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


APEX = np.array([[0, -4], [1, -3], [-1, -3]])
"""Towards the middle of the edge of the last two, line search from the first goes to and fro."""
SIXTEEN = np.concatenate([
    [[0] * 16 + [-1]],
    np.hstack([1024 * np.eye(16, dtype=np.int64) - 64, np.full((16, 1), 16)]),
    [[0] * 16 + [-512]],
])
"""Towards 0: sixteen vertices of a facet at distance 16, squared diameter 2 * 1024**2."""


def lasting_error(k: int) -> tuple[float, float]:
    r"""$k\|\omega^*-\omega_k\|^2/D^2$ of line search towards the middle of an edge, apex first."""
    errors, _, _ = run(APEX, np.array([[0.0, -3.0]]), k, "line search")
    return k * float(errors[0, -1]) / 4, 1e-9


def lasting_share(k: int, times: int) -> tuple[float, float]:
    r"""Squared error over $\|\omega^*-\omega_1\|^2(1-d^2/D^2)^{k-1}$ on sixteen vertices and two.

    ``times`` multiplies the error's fall.
    """
    errors, _, _ = run(SIXTEEN, np.zeros((1, 17)), k, "line search")
    share = 16**2 / (2 * 1024**2)
    fall = (float(errors[0, -1]) / float(errors[0, 0])) ** times
    return fall / (1 - share) ** (k - 1), 1e-9


def settled_steps(shape: str, inverse_distance: int) -> Law:
    r"""Steps of line search for a factor $e$, times $d^2$, between $3/d^2$ and $4/d^2$ steps.

    By the public algorithm. The triangle $\pm e_1,e_2$ at distance $d$ from the middle of its
    longest edge, or the square.
    """
    d, steps = 1 / inverse_distance, inverse_distance**2
    vertices = vertices_of("cross 2")
    if shape == "triangle":
        vertices, masses = vertices[[0, 2, 1]], np.array([(1 - d) / 2, (1 - d) / 2, d])
    else:
        masses = masses_of("cross 2", 0.5 - d / np.sqrt(2) * np.ones((1, 2)))[0]
    before, after = (herding(Linear(), vertices, masses, k * steps).error for k in (3, 4))
    return Law([steps * d**2 / math.log(before / after)], [1.0], error=1e-9)


def orthonormal_error(n: int, k: int, step: str) -> Arrays:
    """Error of herding the mean of ``n`` orthonormal points."""
    found = herding(Linear(), np.eye(n), np.full(n, 1 / n), k, step=step)
    weights = np.full(n, 1 / n)
    weights[found.indices] -= found.weights
    return {"lhs": [float(np.sqrt(weights @ weights))], "top": np.ones((1, n)), "low": [1.0 * n]}


def orthonormal_square(at: Inside, n: int, k: int, step: str, subtracted: int) -> Arrays:
    """Its square by a run of our own, and $1/k-1/n$, or $1/k$ unless ``subtracted``."""
    errors, _, rates = run(vertices_of(f"simplex {n}"), at.target, k, step)
    one = at.low / at.low
    return dict(lhs=ends(errors[:, -1]), rhs=one / k - subtracted * one / n, rates=rates)


def iterations_needed(n: int, epsilon: float) -> Iterator[Certificate]:
    r"""Least number of atoms at distance $\epsilon$ from the mean of ``n`` orthonormal points.

    An iteration adds at most one; Theorem 20 bounds the error of $k$ atoms from below. On the right
    the logarithm is replaced by a whole number above it.
    """
    rate = Fraction(str(epsilon))
    k = math.ceil(1 / (rate**2 + Fraction(1, n)))
    # log(1/epsilon) < 4, because e^4 > 2.7^4 > 53.
    below = Fraction(1, k - 1) - Fraction(1, n)
    assert below > rate**2 and 1 / rate <= 53
    yield Certificate(
        k, 80,
        [("n", n), ("epsilon", rate), (f"least squared error of {k - 1} atoms", below),
         ("epsilon squared", rate**2), ("20 log(1/epsilon) is less than", 80)],
    )


@dataclass(frozen=True)
class Facets:
    """Orthonormal points but one.

    Parameters
    ----------
    points : array, shape (size, n - 1, n)
    """

    points: Any

    @staticmethod
    def every(n: int) -> Arrays:
        """Each left out in turn."""
        return {"points": np.stack([np.delete(np.eye(n), i, axis=0) for i in range(n)])}


def facet_square(at: Facets, n: int, subtracted: int) -> Arrays:
    r"""Squared distance of the mean of all from a facet, by projection; $1/n(n-1)$, or $1/n^2$."""
    corner = at.points[:, 0]
    one = corner.sum(axis=1)
    rest = off_span((one / n)[:, None] - corner, at.points[:, 1:] - corner[:, None])
    return dict(lhs=np.sum(rest**2, axis=1), rhs=one / (n * (n - subtracted)), left=rest)
