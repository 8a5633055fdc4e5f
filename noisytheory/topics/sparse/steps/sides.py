"""A step of the public algorithms beside its definition, from where they stood before it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from noisytheory.topics.sparse.approximation import Approximation
from noisytheory.topics.sparse.farthest_first import farthest_first
from noisytheory.topics.sparse.herding import away_steps, herding
from noisytheory.topics.sparse.projection import convex_projection, fully_corrective
from noisytheory.topics.sparse.rates.sides import Inside, vertices_of
from noisytheory.vocabulary.kernels import Linear

Numbers = Any
Arrays = dict[str, Any]

NEAR = 2**60
"""One over what squared distances may be by rounding, in squared diameters: a billionth each."""
APART = 2**30
"""One over what scores differ by, in squared diameters, where it is plain which is the largest."""


def _weights(found: Approximation, points: int) -> Numbers:
    weights = np.zeros(points)
    weights[found.indices] = found.weights
    return weights


def _by_rule(rule: str, hull: str, masses: Numbers, k: int) -> Approximation:
    vertices = vertices_of(hull)
    if rule == "away":
        return away_steps(Linear(), vertices, masses, k, gap=-np.inf)
    return herding(Linear(), vertices, masses, k, step=rule, gap=-np.inf)


@dataclass(frozen=True)
class Stepped(Inside):
    """Where the public algorithm stands before and after its last step.

    Parameters
    ----------
    shares, before, after : array, shape (size, vertices)
        The weights before and after, as found.
    """

    before: Numbers
    after: Numbers

    @staticmethod
    def draw(hull: str, rule: str, k: int, *, size: int, rng: np.random.Generator) -> Arrays:  # type: ignore[override]
        """Steps ``k`` and the one before of the same run."""
        drawn = Inside.draw(hull, size=size, rng=rng)
        stand = [
            np.stack([_weights(_by_rule(rule, hull, row / row.sum(), steps), len(row))
                      for row in drawn["shares"]])
            for steps in (k - 1, k)
        ]
        return {**drawn, "before": stand[0], "after": stand[1]}


def _largest(values: Numbers) -> tuple[Numbers, Numbers]:
    """Where the largest value of a row is, and by how much it exceeds the second."""
    ranked = np.sort(values, axis=1)
    return values.argmax(axis=1), ranked[:, -1] - ranked[:, -2]


def step_apart(at: Stepped, hull: str, rule: str, k: int, part: Any) -> Arrays:
    r"""1 where $\omega_k$ is not what the rule makes of $\omega_{k-1}$, to a billionth, and 0.

    Only ``part`` of the step is taken.
    """
    vertices = vertices_of(hull).astype(at.shares.dtype)
    wide = ((vertices[:, None] - vertices[None]) ** 2).sum(axis=-1).max()
    target = at.target(hull)
    point, after = at.before @ vertices, at.after @ vertices
    rest = target - point
    scores = rest @ vertices.T
    here = (rest * point).sum(axis=1)
    if rule == "greedy":
        # Half the squared error that each point would leave, times k^2.
        left = (k * target - (k - 1) * point)[:, None] - vertices
        place, clear = _largest(-(left**2).sum(axis=-1) / 2)
    else:
        place, clear = _largest(scores)
    direction = vertices[place] - point
    most, rows = 0 * here + 1, np.arange(len(here))
    if rule == "away":
        held = np.where(at.before > 0, -scores, -(abs(scores).max() + abs(here).max() + wide) * 4)
        worst, plain = _largest(held)
        gain, loss = scores[rows, place] - here, here - scores[rows, worst]
        away = loss > gain
        share = at.before[rows, worst]
        clear = np.minimum(np.minimum(clear, plain), abs(loss - gain))
        direction = np.where(away[:, None], point - vertices[worst], direction)
        most = np.where(away, share / np.where(share < 1, 1 - share, 1), most)
    if rule in ("uniform", "greedy"):
        rate = most / k
    elif rule == "classic":
        rate = 2 * most / (k + 1)
    else:
        curvature = (direction**2).sum(axis=1)
        best = (direction * rest).sum(axis=1) / np.where(curvature > 0, curvature, 1)
        rate = np.minimum(np.maximum(best, 0), most)
    made = point + part * rate[:, None] * direction
    apart = ((after - made) ** 2).sum(axis=1)
    return dict(
        lhs=1 * (apart * NEAR > wide), rhs=np.zeros(len(apart), int), squared_distance=apart,
        applies=clear * APART > wide, target=target, stands_at=point, direction=direction,
        rate=rate,
    )


def _herd(hull: str, masses: Numbers, k: int, best: int) -> tuple[Numbers, Numbers]:
    found = herding(Linear(), vertices_of(hull), masses, k, step="uniform", gap=-np.inf,
                    best_weights=bool(best))
    assert found.picks is not None
    return _weights(found, len(masses)), found.picks


def _corrected(hull: str, masses: Numbers, k: int, best: int) -> tuple[Numbers, Numbers]:
    found = fully_corrective(Linear(), vertices_of(hull), masses, k)
    return _weights(found, len(masses)), found.indices


def _on_centres(hull: str, masses: Numbers, k: int, best: int) -> tuple[Numbers, Numbers]:
    centres = farthest_first(Linear(), vertices_of(hull), k).centres
    found = convex_projection(Linear(), vertices_of(hull), masses, k)
    return _weights(found, len(masses)), centres


BEST: dict[str, Callable[..., tuple[Numbers, Numbers]]] = {
    "herding, best weights": _herd, "fully corrective": _corrected,
    "convex projection": _on_centres,
}
"""What gives its atoms their best convex weights."""


@dataclass(frozen=True)
class Mixed(Inside):
    """Weights that a public algorithm gives to its atoms, and which these are.

    Parameters
    ----------
    shares, weights : array, shape (size, vertices)
    atoms : int array, shape (size, vertices)
        1 for an atom.
    """

    weights: Numbers
    atoms: Any

    @staticmethod
    def draw(  # type: ignore[override]
        hull: str, algorithm: str, k: int, best: int, *, size: int, rng: np.random.Generator
    ) -> Arrays:
        """Found by the public algorithm."""
        drawn = Inside.draw(hull, size=size, rng=rng)
        weights, atoms = np.zeros_like(drawn["shares"]), np.zeros(drawn["shares"].shape, int)
        for i, row in enumerate(drawn["shares"]):
            weights[i], places = BEST[algorithm](hull, row / row.sum(), k, best)
            atoms[i, places] = 1
        return {**drawn, "weights": weights, "atoms": atoms}


def mixture_gap(at: Mixed, hull: str) -> Arrays:
    r"""1 where $\max_z\langle\omega^*-\omega,z-\omega\rangle>2^{-30}D^2$ over the atoms, and 0."""
    vertices = vertices_of(hull).astype(at.shares.dtype)
    wide = ((vertices[:, None] - vertices[None]) ** 2).sum(axis=-1).max()
    point, target = at.weights @ vertices, at.target(hull)
    rest = target - point
    scores = rest @ vertices.T - (rest * point).sum(axis=1)[:, None]
    gap = np.where(at.atoms == 1, scores, scores.min() - 1).max(axis=1)
    return dict(
        lhs=1 * (gap * APART > wide), rhs=np.zeros(len(gap), int), duality_gap=gap, target=target,
        mixture=point,
    )
