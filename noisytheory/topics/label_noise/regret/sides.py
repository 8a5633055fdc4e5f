"""Regrets of a classifier for misclassification and for linear loss."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from noisytheory.topics.label_noise.instances import Instances, Pairs, Rng, listed, scored
from noisytheory.vocabulary.joint_masses import LABELS, risk

Numbers: TypeAlias = Any
Sides: TypeAlias = dict[str, Any]
Zero: TypeAlias = Literal["both", "half"]

STEPS = 8
"""Scores are whole multiples of one over this."""


@dataclass(frozen=True)
class Scored:
    """A population and a classifier.

    Parameters
    ----------
    P : array, shape (size, J, 2)
    f : array, shape (size, J)
        Scores in eighths.
    """

    P: Numbers
    f: Numbers

    @staticmethod
    def draw(population: Pairs, scores: str, *, size: int, rng: Rng) -> Instances:
        """Scores in [-1, 1] with many zeros ("any"), "nonzero", or twice as far ("unbounded")."""
        masses = population.draw(size, rng)["P"]
        f = classifiers(masses, rng)
        if scores == "nonzero":
            f = np.where(f == 0, rng.choice(LABELS, f.shape) / STEPS, f)
        return {"P": masses, "f": 2 * f if scores == "unbounded" else f}

    @staticmethod
    def every(population: Pairs, scores: str) -> Instances | None:
        """Every population of a family on one point, with every score in [-1, 1]."""
        listed = population.every()
        if listed is None:
            return None
        grid = np.arange(-STEPS, STEPS + 1) / STEPS
        grid = grid[grid != 0] if scores == "nonzero" else grid
        return {"P": np.repeat(listed["P"], len(grid), axis=0),
                "f": np.tile(grid, len(listed["P"]))[:, None]}

    def steps(self) -> Iterator[tuple[str, object]]:
        """The instance in words."""
        yield "P", listed(self.P[0])
        yield "f", scored(self.f[0], [j for j in range(len(self.f[0])) if np.any(self.P[0, j])])


def classifiers(masses: Numbers, rng: Rng) -> Numbers:
    """Scores in [-1, 1] in steps; a quarter of them zero, as many small."""
    shape = masses.shape[:2]
    scores = rng.integers(-STEPS, STEPS, shape, endpoint=True)
    small = rng.integers(-1, 1, shape, endpoint=True)
    return np.where(rng.random(shape) < 0.5, scores, small) / STEPS


def linear_losses(masses: Numbers, scores: Numbers) -> Numbers:
    """Linear loss at each point."""
    return np.sum(masses * (1 - scores[..., None] * LABELS), axis=-1)


def errors(masses: Numbers, scores: Numbers, zero: str) -> Numbers:
    """Misclassification loss at each point."""
    return risk(masses[..., None, :], scores[..., None], zero=zero)  # type: ignore[arg-type]


def _least(loss: Any, masses: Numbers, scores: Numbers) -> Numbers:
    """Smallest loss at each point: both losses take theirs at -1, 0 or 1."""
    return np.min([loss(masses, 0 * scores + v) for v in (-1, 0, 1)], axis=0)


def regret(at: Scored, zero: Zero, scores: str) -> Sides:
    r"""Regrets for misclassification (left) and for linear loss, and $P(f=0)$."""
    def wrong(masses: Numbers, f: Numbers) -> Numbers:
        return errors(masses, f, zero)

    present = np.sum(at.P, axis=-1) > 0
    fine = at.f != 0 if scores == "nonzero" else at.f == at.f
    if scores != "unbounded":
        fine = fine & (np.abs(at.f) <= 1)
    return dict(
        lhs=np.sum(wrong(at.P, at.f) - _least(wrong, at.P, at.f), axis=-1),
        regret=np.sum(linear_losses(at.P, at.f) - _least(linear_losses, at.P, at.f), axis=-1),
        idle=np.sum(np.sum(at.P, axis=-1) * (at.f == 0), axis=-1),
        applies=np.all(fine | ~present, axis=-1),
    )


def linear_regret(at: Scored) -> Sides:
    """Regret for linear loss of one score by its definition, where all mass is on one point."""
    return dict(
        lhs=(linear_losses(at.P, at.f) - _least(linear_losses, at.P, at.f))[..., 0],
        eta=at.P[..., 0, 0], score=at.f[..., 0],
    )


def misclassification_regret(at: Scored, zero: float) -> Sides:
    """The same for misclassification loss, where a zero score costs 1 or one half."""
    found = regret(at, "both" if zero == 1 else "half", "any")
    return dict(lhs=found["lhs"], eta=at.P[..., 0, 0], score=at.f[..., 0])
