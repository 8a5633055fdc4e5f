r"""Labels flipped at one rate: means, the risk of the mean, linear risk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from noisytheory.topics.label_noise.instances import Alone, Instances, Pairs, Rng
from noisytheory.topics.label_noise.regret.sides import Scored, linear_losses
from noisytheory.vocabulary.joint_masses import flipped, risk, signed
from noisytheory.vocabulary.populations import Finite

Numbers: TypeAlias = Any
Sides: TypeAlias = dict[str, Any]

CLASS_SIZE = 6
"""Functions in a random finite class."""


@dataclass(frozen=True)
class Scores:
    """One point to score, by its kernel values, under the mean of a population.

    Parameters
    ----------
    row : array, shape (size, J)
        Kernel values of the point with those of the population.
    P : array, shape (size, J, 2)
    """

    row: Numbers
    P: Numbers

    @staticmethod
    def draw(population: Pairs | Finite, *, size: int, rng: Rng) -> Instances:
        """The first point of each instance, or atoms of a population drawn with equal chances."""
        if isinstance(population, Finite):
            rows = rng.integers(population.atoms, size=size)
            return {name: array[rows] for name, array in _atoms(population).items()}
        return _first(population.draw(size, rng))

    @staticmethod
    def every(population: Pairs | Finite) -> Instances | None:
        """The first point of each instance, or every atom."""
        if isinstance(population, Finite):
            return _atoms(population)
        listed = population.every()
        return None if listed is None else _first(listed)


def _first(drawn: Instances) -> Instances:
    return {"row": np.einsum("njd,nd->nj", drawn["x"], drawn["x"][:, 0]), "P": drawn["P"]}


def _atoms(population: Finite) -> Instances:
    masses = population.joint.astype(float)
    shape = (population.atoms, *masses.shape)
    return {"row": np.asarray(population.instance_gram), "P": np.broadcast_to(masses, shape)}


def noisy_score(at: Scores, sigma: float) -> Sides:
    r"""Scores under $\Phi(P_\sigma)$, its flipped part apart, and under $\Phi(P)$."""
    seen = flipped(at.P, sigma)
    kept = np.sum(seen[..., 0] * at.row, axis=-1)
    return dict(
        lhs=kept - np.sum(seen[..., 1] * at.row, axis=-1),
        score=np.sum(signed(at.P) * at.row, axis=-1),
        # What was added up: a sum that cancels is known to a part of that.
        scale=np.sum(np.sum(at.P, axis=-1) * np.abs(at.row), axis=-1),
    )


def noise_immunity(at: Alone, sigma: float, zero: Literal["both", "half"]) -> Sides:
    r"""0-1 risks on $P$ of the means of $P_\sigma$ and of $P$."""
    before, after = at.scores(at.P), at.scores(flipped(at.P, sigma))
    return dict(
        lhs=risk(at.P, after, zero=zero), rhs=risk(at.P, before, zero=zero), noisy_scores=after,
    )


def noise_beyond_half(at: Alone, sigma: float, zero: Literal["both", "half"]) -> Sides:
    r"""The same at the rate $1-\sigma$."""
    return noise_immunity(at, 1 - sigma, zero)


def noisy_linear_risk(at: Scored, sigma: float) -> Sides:
    r"""Linear risks of one function on $P_\sigma$ and on $P$."""
    return dict(
        lhs=np.sum(linear_losses(flipped(at.P, sigma), at.f), axis=-1),
        risk=np.sum(linear_losses(at.P, at.f), axis=-1),
    )


@dataclass(frozen=True)
class Class:
    """A population and a finite class of functions, with ties.

    Parameters
    ----------
    P : array, shape (size, J, 2)
    functions : array, shape (size, CLASS_SIZE, J)
    """

    P: Numbers
    functions: Numbers

    @staticmethod
    def draw(population: Pairs, *, size: int, rng: Rng) -> Instances:
        """Values small enough for ties."""
        masses = population.draw(size, rng)["P"]
        shape = (size, CLASS_SIZE, masses.shape[1])
        return {"P": masses, "functions": 1.0 * rng.integers(-2, 2, shape, endpoint=True)}


def argmin_sets(at: Class, sigma: float) -> Sides:
    r"""Minimisers of linear risk on $P_\sigma$ and on $P$, as binary numbers, $f_1$ first."""
    after, before = (
        np.sum(linear_losses(masses[..., None, :, :], at.functions), axis=-1)
        for masses in (flipped(at.P, sigma), at.P)
    )
    bits = 1 << np.arange(CLASS_SIZE)
    sets = [(r == np.min(r, axis=-1, keepdims=True)) @ bits for r in (after, before)]
    return dict(lhs=sets[0], rhs=sets[1], noisy_risks=after, clean_risks=before)


def argmin_beyond_half(at: Class, sigma: float) -> Sides:
    r"""The same at the rate $1-\sigma$."""
    return argmin_sets(at, 1 - sigma)
