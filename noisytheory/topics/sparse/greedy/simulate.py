"""What a greedy step does, when the loop ends, and what it costs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.sparse.farthest_first import farthest_first
from noisytheory.topics.sparse.herding import estimated_scores, herding, recursive_herding
from noisytheory.topics.sparse.rates.sides import (
    Inside,
    next_rate,
    run,
    shortened,
    vertices_of,
)
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.kernels import Kernel, Linear, Plan
from noisytheory.vocabulary.populations import Finite

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]
Arrays = dict[str, Any]


# Costs and weights. What the public algorithms look up is counted by its number; in certificates by
# its places, or for a plain loop.


class _Counting(Kernel):
    """The linear kernel, counting its evaluations in an array of one number."""

    def __init__(self, count: Ints) -> None:
        self.count = count

    def diagonal(self, x: Any) -> Any:
        """Squared norms; not counted."""
        return Linear().diagonal(x)

    def plan(self, x: Any, z: Any, *, scaled: bool = False) -> Plan:
        """Inner products, counted tile by tile."""
        def finish(tile: Any, rows: Any, columns: Any) -> None:
            self.count[0] += tile.size

        return Plan(x, z.T, finish)


def herding_evaluations(n: int, k: int, part: str) -> Arrays:
    """Kernel evaluations of ``k`` iterations beyond the scores, or of the scores alone."""
    points, alpha = _of_random_points(n)
    counts = []
    for steps in (1, k + 1):
        count = np.zeros(1, dtype=np.int64)
        herding(_Counting(count), points, alpha, steps, step="uniform", gap=-np.inf)
        counts.append(int(count[0]))
    scores = counts[0] - n
    return {"lhs": [counts[1] - counts[0] if part == "iterations" else scores]}


def traversal_evaluations(n: int, m: int) -> Arrays:
    """Kernel evaluations of a farthest-first traversal."""
    count = np.zeros(1, dtype=np.int64)
    farthest_first(_Counting(count), _of_random_points(n)[0], m)
    return {"lhs": [int(count[0])]}


class _Noting(_Counting):
    """The same, noting which rows and columns are looked up."""

    def __init__(self, n: int) -> None:
        self.every = np.arange(n)
        self.noted: list[tuple[Ints, Ints]] = []

    def plan(self, x: Any, z: Any, *, scaled: bool = False) -> Plan:
        """Inner products, noted place by place."""
        def finish(tile: Any, rows: Any, columns: Any) -> None:
            self.noted.append((self.every[rows], self.every[columns]))

        return Plan(x, z.T, finish)


def traversal_certificate(n: int, m: int) -> Certificate:
    """Values that the traversal looks up of every centre, point by point."""
    noting = _Noting(n)
    found = farthest_first(noting, _of_random_points(n)[0], m)
    looked_up = np.zeros(n, dtype=np.int64)
    for rows, columns in noting.noted:
        looked_up[rows] += columns.size
    more = (m - 1) * max(2048, n // 16) if n > 4096 else 0
    return Certificate(
        int(looked_up.sum()), n * m + more,
        [("centres", found.centres.tolist()),
         ("values looked up of each", looked_up[found.centres].tolist())],
    )


def _of_random_points(n: int) -> tuple[Doubles, Doubles]:
    """Points and weights that a herd of ``n`` is made of."""
    return np.random.default_rng(n).standard_normal((n, 3)), np.full(n, 1 / n)


def matrix_certificate(n: int) -> Certificate:
    r"""Kernel values of all scores, marked pair by pair, against $n^2$."""
    noting = _Noting(n)
    herding(noting, *_of_random_points(n), 1)
    marks = np.zeros((n, n), dtype=np.int8)
    for rows, columns in noting.noted:
        marks[np.ix_(rows, columns)] += 1
    # The first step looks up a row beyond the scores.
    counted = int(marks.sum()) - n
    return Certificate(
        counted, n * n,
        [("values looked up for all scores", counted), ("of them different", n * (n + 1) // 2),
         ("pairs never looked up", int(np.sum((marks == 0) & (marks.T == 0))))],
    )


def iteration_certificate(n: int, k: int) -> Certificate:
    """Kernel values that a plain loop looks up in ``k`` iterations on the same points."""
    points, masses = _of_random_points(n)
    looked_up = 0

    def kernel(i: int, j: int) -> float:
        nonlocal looked_up
        looked_up += 1
        return float(points[i] @ points[j])

    scores = points @ (masses @ points)
    met = np.zeros(n)
    atoms = []
    for t in range(1, k + 2):
        atoms.append(int((scores - met).argmax()))
        if t > 1:
            met += (np.array([kernel(atoms[-1], j) for j in range(n)]) - met) / t
        else:
            met = points @ points[atoms[0]]
    return Certificate(looked_up, n * k, [("atoms", atoms), ("values looked up", looked_up)])


@dataclass(frozen=True)
class Independent:
    """Points in a space of two dimensions more than they are.

    Parameters
    ----------
    points : array, shape (size, n, n + 2)
        Whole numbers.
    """

    points: Any

    @staticmethod
    def every(n: int) -> Arrays:
        """The one sample that is tried."""
        return {"points": 1.0 * np.random.default_rng(n).integers(-9, 10, (1, n, n + 2))}


def mean_expansion(at: Independent, n: int, fewer: int) -> Arrays:
    """Atoms in the only expansion of the mean, if the points are independent; against all."""
    gram = np.sum(at.points[:, :, None] * at.points[:, None], axis=-1)
    weights = gram.sum(axis=2) / n
    independent = np.ones(len(gram), dtype=bool)
    for i in range(n):
        pivot = gram[:, i, i]
        independent &= pivot != 0
        share = gram[:, :, i] / np.where(pivot != 0, pivot, 1)[:, None]
        share[:, i] = 0
        gram = gram - share[:, :, None] * gram[:, i, None]
        weights = weights - share * weights[:, i, None]
    pivots = np.diagonal(gram, axis1=1, axis2=2)
    weights = weights / np.where(pivots != 0, pivots, 1)
    return dict(
        lhs=np.sum(2 * n * weights > 1, axis=1), rhs=np.full(len(gram), n - fewer),
        applies=independent, weights=weights,
    )


def summed_weights(at: Inside, hull: str, k: int, empty: int) -> Arrays:
    r"""Sum of the weights after ``k`` steps of line search, and 1.

    From the first atom; from $\omega=0$, as printed, if ``empty``.
    """
    corners, target = vertices_of(hull).astype(at.shares.dtype), at.target(hull)
    point, total = 0 * target, 0 * at.low
    rates = []
    for t in range(1, k + 1):
        residual = target - point
        direction = corners[(residual @ corners.T).argmax(axis=1)] - point
        curvature = np.sum(direction**2, axis=-1)
        rate = np.sum(direction * residual, axis=-1) / np.where(curvature > 0, curvature, 1)
        rate = np.minimum(np.maximum(rate, 0), 1)
        rates.append(rate if empty or t > 1 else 0 * rate + 1)
        point = point + rates[-1][:, None] * direction
        total = (1 - rates[-1]) * total + rates[-1]
    return dict(lhs=total, rhs=0 * total + 1, target=target, rates=np.stack(rates, axis=1))


def herding_weights(
    hull: str, k: int, *, size: int, rng: np.random.Generator
) -> Arrays:
    """Sum of the weights that `herding` returns for random targets, and 1."""
    drawn, vertices = Inside.draw(hull, size=size, rng=rng), vertices_of(hull)
    found = [herding(Linear(), vertices, row / row.sum(), k).weights.sum()
             for row in drawn["shares"]]
    return {"lhs": np.array(found), "rhs": np.ones(size), **drawn}


def stuck_error(k: int, gap: float) -> Arrays:
    """Error and number of steps for half on 0, half on 1, where 1 alone may be taken."""
    found = herding(
        Linear(), [[0.0], [1.0]], [0.5, 0.5], k, candidates=[1], gap=gap, tolerance=0.1
    )
    return {"lhs": [found.error], "steps": [len(found.errors)]}


def herd_size(hull: str, k: int, step: str, *, size: int, rng: np.random.Generator) -> Arrays:
    """Atoms that ``k`` steps of the public algorithm end with."""
    drawn, vertices = Inside.draw(hull, size=size, rng=rng), vertices_of(hull)
    return {"lhs": np.array([
        len(herding(Linear(), vertices, row / row.sum(), k, step=step).indices)
        for row in drawn["shares"]
    ]), **drawn}


@dataclass(frozen=True)
class Taken(Inside):
    """With the vertices that herding by steps 1/t takes; -1 once nothing is left of the target.

    Parameters
    ----------
    shares : array, shape (size, vertices)
    picks : int array, shape (size, k)
    """

    picks: Any

    @staticmethod
    def draw(hull: str, k: int, *, size: int, rng: np.random.Generator) -> Arrays:  # type: ignore[override]
        """Taken by the public algorithm, and told in their order."""
        drawn, vertices = Inside.draw(hull, size=size, rng=rng), vertices_of(hull)
        picks = np.full((size, k + 1), -1)
        for row, shares in zip(picks, drawn["shares"], strict=True):
            found = herding(
                Linear(), vertices, shares / shares.sum(), k + 1, step="uniform", gap=-np.inf)
            assert found.picks is not None
            row[: len(found.picks)] = found.picks
        return {**drawn, "picks": picks}


def picked_score(at: Taken, hull: str, k: int, late: int) -> Arrays:
    r"""$k\langle\omega_P-\omega_k,z\rangle$ of the last point taken, and the largest of all.

    ``late`` takes the latter after the step.
    """
    vertices, picks = vertices_of(hull).astype(at.shares.dtype), at.picks
    before, after = (
        made * at.target(hull) - vertices[picks[:, :made]].sum(axis=1) for made in (k, k + 1)
    )
    scores = (after if late else before) @ vertices.T
    return dict(
        lhs=np.sum(before * vertices[picks[:, k]], axis=1), rhs=scores.max(axis=1),
        applies=picks.min(axis=1) >= 0, points=vertices[picks], scores=scores,
    )


def atoms_left(at: Inside, hull: str, k: int, step: str, fewer: int) -> Arrays:
    """Vertices with weight after ``k`` steps of a run of our own, and ``k`` less ``fewer``."""
    vertices = vertices_of(hull)
    _, places, rates = run(vertices, at.target(hull), k, step)
    taken = places[:, :, None] == np.arange(len(vertices))
    weights = 1 * taken[:, 0]
    for t in range(1, k):
        rate = rates[:, t - 1, None]
        weights = weights * (1 - rate) + rate * taken[:, t]
    return dict(
        lhs=np.sum(weights != 0, axis=1), rhs=np.full(len(weights), k - fewer), weights=weights,
    )


@dataclass(frozen=True)
class Herded:
    """Twelve points of the plane, their weights, and those that herding again and again leaves.

    Parameters
    ----------
    points : array, shape (size, 12, 2)
    alpha, found : array, shape (size, 12)
    """

    points: Any
    alpha: Any
    found: Any

    @staticmethod
    def draw(epsilon: float, rounds: int, *, size: int, rng: np.random.Generator) -> Arrays:
        """Found by the public algorithm."""
        points = rng.integers(-9, 10, (size, 12, 2)) / 4
        alpha = (1 + rng.multinomial(52, np.full(12, 1 / 12), size=size)) / 64
        found = np.zeros((size, 12))
        for i in range(size):
            herd = recursive_herding(Linear(), points[i], alpha[i], epsilon, rounds=rounds)
            found[i, herd.indices] = herd.weights
        return {"points": points, "alpha": alpha, "found": found}


def added_error(rounds: int, fewer: int) -> tuple[float, float]:
    """Largest error, in tolerances, of the public algorithm on samples that are drawn once."""
    drawn = Herded.draw(0.25, rounds - fewer, size=100, rng=np.random.default_rng(rounds))
    squares = recursive_square(Herded(**drawn))["lhs"]
    return math.sqrt(float(squares.max())) / 0.25, 1e-9


def recursive_square(at: Herded) -> Arrays:
    """Squared error of the weights found."""
    left = np.sum((at.alpha - at.found)[:, :, None] * at.points, axis=1)
    return dict(lhs=np.sum(left**2, axis=1))


BEYOND = {
    "triangle": ([[0.0, -4.0], [1.0, -3.0], [-1.0, -3.0], [0.0, 1.0]],
                 [1 / 64, 55 / 128, 55 / 128, 1 / 8]),
    "simplex": (np.eye(17).tolist(), [1 / 32] * 16 + [1 / 2]),
}
"""Points and weights; the last is no candidate. In the triangle line search goes to and fro, the
simplex gives up its corners one by one. The nearest point of either is known: see `distances`."""


def distances(hull: str) -> tuple[Fraction, Fraction]:
    """Squared diameter of the candidates, and the target's squared distance from their hull.

    Examples
    --------
    >>> distances("triangle") == (4, Fraction(31, 64) ** 2), distances("simplex")
    (True, (Fraction(2, 1), Fraction(17, 64)))
    """
    points, target = _beyond(hull)
    # The foot is on the edge of height -3, and in the middle of the simplex.
    foot = np.array([target[0], Fraction(-3)]) if hull == "triangle" else points.mean(axis=0)
    wide = max(np.sum((x - z) ** 2) for x in points for z in points)
    return wide, np.sum((target - foot) ** 2)


def _beyond(hull: str) -> tuple[Any, Any]:
    """Candidates and target, in fractions."""
    points, shares = (np.vectorize(Fraction, otypes=[object])(x) for x in BEYOND[hull])
    return points[:-1], shares @ points


# Where the public loop stops is on trial, so that its certificates are loops of their own.


def steps_to_proof(hull: str, epsilon: float, k: int, gap: float, step: str) -> Arrays:
    """Steps of the public algorithm where no candidate's hull comes as near as it should."""
    points, shares = BEYOND[hull]
    found = herding(
        Linear(), points, shares, k, candidates=range(len(points) - 1), gap=gap,
        tolerance=epsilon, step=step,
    )
    return {"lhs": [len(found.errors)]}


def steps_certificate(hull: str, epsilon: float, k: int, gap: float, step: str) -> Certificate:
    r"""Steps in fractions, against $1+4D^2/(b^2-\epsilon^2)$; ``k`` without a stop at the gap."""
    (wide, square), tolerance = distances(hull), Fraction(epsilon) ** 2
    made = _steps_made(hull, tolerance, k, step) if gap >= 0 else k
    return Certificate(
        made, 1 + 4 * wide / (square - tolerance),
        [("steps", made), ("squared distance of the hull", square), ("squared diameter", wide)],
        square > tolerance,
    )


def _steps_made(hull: str, tolerance: Fraction, k: int, step: str) -> int:
    """Until the squared error less twice the duality gap exceeds the squared tolerance."""
    corners, target = _beyond(hull)
    point = corners[int((corners @ target).argmax())]
    for t in range(2, k + 1):
        residual = target - point
        atom = corners[int((corners @ residual).argmax())]
        if residual @ residual - 2 * (atom - point) @ residual > tolerance:
            return t - 1
        rate = next_rate((atom - point)[None], residual[None], t, step)[0]
        point = shortened(point + (atom - point) * rate)
    return k


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


def score_deviation(
    population: Finite, n: int, *, size: int, rng: np.random.Generator
) -> Doubles:
    r"""$\max_j|\langle\Phi(S)-\Phi(P),a_j\rangle|$ over the instances, by the public estimate."""
    points = np.asarray(population.points, float)[population.instances]
    alpha = population.weights * population.labels
    scores = points @ (alpha @ points)
    found = (estimated_scores(Linear(), points, alpha, n, rng=rng) for _ in range(size))
    return np.array([np.abs(one - scores).max() for one in found])


def score_square(
    population: Finite, n: int, *, size: int, rng: np.random.Generator
) -> Doubles:
    """The square of that."""
    return score_deviation(population, n, size=size, rng=rng) ** 2
