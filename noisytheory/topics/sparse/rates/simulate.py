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
from noisytheory.topics.sparse.rates.sides import Inside, herded, run, vertices_of
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
    rate is that between $1/2d^2$ and $1/d^2$ steps, where it has settled.
    """
    along = rng.uniform(0.4, 0.6, size)
    inward = 1 / (np.sqrt(2) * inverse_distance)
    target = np.column_stack([along, 1 - along]) - inward
    steps = int(np.ceil(inverse_distance**2 / 2))
    errors, _, _ = run(vertices_of("cross 2"), target, 2 * steps, "line search")
    # Thousands of steps, hundreds of rows: of all but one they are taken at once.
    errors[0] = herded(_on_the_square(target[0]), "cross 2", 2 * steps, "line search")
    fall = 0.5 * np.log(errors[:, steps - 1] / errors[:, -1])
    return np.asarray(steps / fall)


def _on_the_square(target: Doubles) -> Doubles:
    """Positive masses on the corners, whose mean it is: what the coordinates leave is spread."""
    masses = np.concatenate([np.maximum(target, 0), np.maximum(-target, 0)])
    return np.asarray(masses + (1 - masses.sum()) / len(masses))


LASTING: dict[str, tuple[Any, list[float]]] = {
    # Towards the middle of the edge of the last two, line search from the first goes to and fro:
    # in doubles the target is on the edge.
    "edge": ([[0, -4], [1, -3], [-1, -3]], [2**-59, 1, 1]),
    # Towards 0: sixteen vertices of a facet at distance 16, squared diameter 2 * 1024**2.
    "sixteen": (
        np.concatenate([
            [[0] * 16 + [-1]],
            np.hstack([1024 * np.eye(16, dtype=np.int64) - 64, np.full((16, 1), 16)]),
            [[0] * 16 + [-512]],
        ]),
        [1 / 32, *[481 / 8192] * 16, 15 / 512],
    ),
}
"""Points and masses of targets that line search nears slowly."""


def _lasting(name: str, k: int) -> Doubles:
    """Squared errors of line search by the public algorithm."""
    points, masses = LASTING[name]
    found = herding(Linear(), points, np.array(masses) / sum(masses), k, gap=-np.inf)
    return np.asarray(found.errors**2)


def lasting_error(k: int) -> tuple[float, float]:
    r"""$k\|\omega^*-\omega_k\|^2/D^2$ of line search towards the middle of an edge, apex first."""
    return k * float(_lasting("edge", k)[-1]) / 4, 1e-9


def lasting_share(k: int, times: int) -> tuple[float, float]:
    r"""Squared error over $\|\omega^*-\omega_1\|^2(1-d^2/D^2)^{k-1}$ on sixteen vertices and two.

    ``times`` multiplies the error's fall.
    """
    errors = _lasting("sixteen", k)
    share = 16**2 / (2 * 1024**2)
    fall = float(errors[-1] / errors[0]) ** times
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
        masses = _on_the_square(0.5 - d / np.sqrt(2) * np.ones(2))
    before, after = (herding(Linear(), vertices, masses, k * steps).error for k in (3, 4))
    return Law([steps * d**2 / math.log(before / after)], [1.0], error=1e-9)


def orthonormal_error(n: int, k: int, step: str) -> Arrays:
    """Error of herding the mean of ``n`` orthonormal points."""
    found = herding(Linear(), np.eye(n), np.full(n, 1 / n), k, step=step)
    weights = np.full(n, 1 / n)
    weights[found.indices] -= found.weights
    return {"lhs": [float(np.sqrt(weights @ weights))], "shares": np.ones((1, n))}


def orthonormal_square(at: Inside, n: int, k: int, step: str, subtracted: int) -> Arrays:
    """Its square by a run of our own, and $1/k-1/n$, or $1/k$ unless ``subtracted``."""
    errors, _, rates = run(vertices_of(f"simplex {n}"), at.target(f"simplex {n}"), k, step)
    one = at.low / at.low
    return dict(lhs=ends(errors[:, -1]), rhs=one / k - subtracted * one / n, rates=rates)


def iterations_needed(epsilon: float, constant: float) -> Iterator[Certificate]:
    r"""Least number of atoms at distance $\epsilon$ from the mean of $1/\epsilon^2$ unit vectors.

    An iteration adds at most one; Theorem 20 bounds the error of $k$ atoms from below. On the right
    the logarithm is replaced by a whole number above it.
    """
    rate = Fraction(str(epsilon))
    n = math.ceil(1 / rate**2)
    k = math.ceil(1 / (rate**2 + Fraction(1, n)))
    below = Fraction(1, k - 1) - Fraction(1, n)
    log = math.ceil(math.log(1 / epsilon)) + 1
    # e > 2.7.
    assert below > rate**2 and 1 / rate <= Fraction(27, 10) ** log
    most = Fraction(constant) * log
    yield Certificate(
        k, most,
        [("n", n), ("epsilon", rate), (f"least squared error of {k - 1} atoms", below),
         ("epsilon squared", rate**2), ("log(1/epsilon) is less than", log)],
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
