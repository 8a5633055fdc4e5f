"""Regret that nothing exceeds, and the risk of the averaged predictor."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.online.adversaries import (
    after_round,
    lattice,
    moved_on,
    start,
)
from noisytheory.topics.online.degrees import Fixed
from noisytheory.topics.online.descent import Rule, descend, draw_tape
from noisytheory.topics.online.maps import NoisyOracle, fixed
from noisytheory.topics.online.regrets.simulate import (
    SILENT,
    TWO_POINTS,
    Line,
    descended,
    hardest,
)
from noisytheory.topics.online.replicates import replicate
from noisytheory.trial.claim import Law
from noisytheory.vocabulary.analytic import AffineLoss, SquaredLoss
from noisytheory.vocabulary.dot_products import LinearProduct
from noisytheory.vocabulary.sequences import Examples, alternating

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Swing:
    """Labels of this size that alternate, x = 1, and steps from one side of the ball to the other.

    Parameters
    ----------
    T : int
    Bw, By : float
    """

    T: int
    Bw: float
    By: float

    @property
    def name(self) -> str:
        """For labels."""
        return f"T={self.T}, Bw={self.Bw:g}, By={self.By:g}"


def swinging_exactly(population: Swing) -> Law:
    """Regret of squared loss. Nothing is random: one run is all there is."""
    at = population
    y = np.where(np.arange(at.T) % 2, -at.By, at.By)
    examples = Examples("by turns", np.ones((at.T, 1)), y)
    loss, rule = SquaredLoss(0.0, "regression"), Rule(at.Bw, 1e3, T=1)
    return Law([descended(examples, loss, rule, np.random.default_rng(0))], [1.0])


@dataclass(frozen=True)
class Leaning(Line):
    """The same with independent labels of this mean."""

    lean: float

    @property
    def name(self) -> str:
        """For labels."""
        return f"{super().name}, mean label {self.lean:g}"


@dataclass(frozen=True)
class Recorded:
    """Linear kernel and loss, x = 1, one copy a round that is 0 or 2, labels of this mean.

    Parameters
    ----------
    T : int
        Rounds.
    lean : float
    """

    T: int
    lean: float
    Bw, Bg, Bpsi = 1.0, 1.0, 2.0

    @property
    def name(self) -> str:
        """For labels."""
        return f"T={self.T}, one noisy copy, mean label {self.lean:g}"


def learnt_exactly(T: int, step: str) -> Law:
    """Regret of the fast form with a learner's step, on labels that are hard for it.

    Nothing is random: one run is all there is.
    """
    if step == "theory":
        y, rule = alternating(T, run=round(0.8 * T**0.5)).y, Rule(1.0, T=T)
    elif step == "adaptive":
        y, rule = hardest(T, math.sqrt(2)), Rule(1.0, adaptive=True)
    else:
        y, rule = hardest(T, 1.0, shorter=True), Rule(1.0)
    examples = Examples("hard", np.abs(y)[:, None], np.sign(y))
    return Law([descended(examples, AffineLoss(), rule, np.random.default_rng(0))], [1.0])


def batch_excess(
    population: Leaning | Recorded, *, size: int, rng: np.random.Generator
) -> Floats:
    """Excess risk of the averaged predictor."""
    at = population
    if isinstance(at, Recorded):
        return np.array([at.lean * (1 - _averaged(at, rng)) for _ in range(size)])
    examples = Examples("independent", np.ones((at.T, 1)), np.ones(at.T))

    def labels(t: int, scores: Floats, sums: Floats) -> Floats:
        return np.where(rng.random(size) < (1 + at.lean) / 2, 1.0, -1.0)

    runs = replicate(examples, LinearProduct(), AffineLoss(), SILENT, Rule(1.0, at.eta, T=at.T),
                     p=at.p, size=size, rng=rng, labels=labels)
    return np.asarray(at.lean * (1 - runs.averaged[:, 0]))


def _averaged(at: Recorded, rng: np.random.Generator) -> float:
    """Score of the averaged predictor at 1, as the learners learn and predict."""
    kernel, loss, law = LinearProduct(), AffineLoss(), Fixed(0)
    scheme, oracle = fixed(kernel), NoisyOracle(np.ones((at.T, 1)), TWO_POINTS)
    y = np.where(rng.random(at.T) < (1 + at.lean) / 2, 1.0, -1.0)
    tape = draw_tape(at.T, scheme, law, oracle, rng=rng)
    rule = Rule(at.Bw, (at.Bg * at.Bpsi) ** -0.5, T=at.T, coupled=True)
    run = descend(tape, y, scheme, loss, law, rule)
    return float(run.expansion.predict(np.ones((1, 1)), run.averaged())[0])


def batch_excess_exactly(population: Leaning | Recorded) -> Law | None:
    """Its law: the predictor keeps to a lattice, and so does the sum of all predictors."""
    if isinstance(population, Recorded):
        return None
    T, lean = population.T, population.lean
    m, v = lattice(population.p, T)
    law = start(m)
    for _ in range(T):
        law = after_round(moved_on(law, 1), v, (1 + lean) / 2)
    mass = law.sum(axis=0)
    at = np.flatnonzero(mass)
    return Law(lean * (1 - (at - m * T) / m / T), mass[at])


