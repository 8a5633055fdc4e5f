r"""Margins of an arbitrary classifier, and classifiers that differ from it by a little."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from noisytheory.topics.label_noise.instances import Instances, Pairs, Rng, listed, picked, scored
from noisytheory.topics.label_noise.regret.sides import STEPS, Scored, classifiers, errors
from noisytheory.vocabulary.joint_masses import LABELS, margin, risk

Numbers: TypeAlias = Any
Sides: TypeAlias = dict[str, Any]
Zero: TypeAlias = Literal["both", "half"]
Inequality: TypeAlias = Literal["closed", "open", "mixed"]


@dataclass(frozen=True)
class Perturbed:
    r"""A classifier and another that differs by at most ``epsilon`` at every point.

    Parameters
    ----------
    P : array, shape (size, J, 2)
    f, moved : array, shape (size, J)
    epsilon : array, shape (size,)
    """

    P: Numbers
    f: Numbers
    moved: Numbers
    epsilon: Numbers

    @staticmethod
    def draw(population: Pairs, *, size: int, rng: Rng) -> Instances:
        """Half of the perturbations push every point as far as they can, to a random side."""
        masses = population.draw(size, rng)["P"]
        f = classifiers(masses, rng)
        epsilon = rng.integers(STEPS, size=size, endpoint=True) / STEPS
        return {"P": masses, "f": f, "moved": _moved(f, epsilon, rng), "epsilon": epsilon}

    def steps(self) -> Iterator[tuple[str, object]]:
        """The instance in words."""
        present = [j for j in range(len(self.f[0])) if np.any(self.P[0, j])]
        yield "P", listed(self.P[0])
        yield "f", scored(self.f[0], present)
        yield "f~", scored(self.moved[0], present)
        yield "epsilon", self.epsilon[0]


class Inside(Perturbed):
    """A perturbation of at most the margin for error."""

    @staticmethod
    def draw(population: Pairs, *, size: int, rng: Rng) -> Instances:
        """As `Perturbed`, with smaller perturbations."""
        masses = population.draw(size, rng)["P"]
        f = classifiers(masses, rng)
        most = (np.maximum(margin(masses, f), 1 / STEPS) * STEPS).astype(int)
        epsilon = rng.integers(most, endpoint=True) / STEPS
        return {"P": masses, "f": f, "moved": _moved(f, epsilon, rng), "epsilon": epsilon}


def _moved(f: Numbers, epsilon: Numbers, rng: Rng) -> Numbers:
    reach = np.broadcast_to((epsilon * STEPS).astype(int)[:, None], f.shape)
    anywhere = rng.integers(-reach, reach, endpoint=True)
    extreme = reach * rng.choice(LABELS, f.shape)
    pushed = (np.arange(len(f)) % 2 == 0)[:, None]
    return f + np.where(pushed, extreme, anywhere) / STEPS


def _near(at: Perturbed) -> Numbers:
    return np.all(np.abs(at.f - at.moved) <= at.epsilon[..., None], axis=-1)


def perturbed_risk(at: Perturbed, inequality: Inequality) -> Sides:
    r"""0-1 risk of $\tilde f$ and margin risk of $f$; errors are closed, open, or one of each."""
    return dict(
        lhs=risk(at.P, at.moved, zero="none" if inequality == "open" else "both"),
        rhs=risk(at.P, at.f, gamma=at.epsilon, zero="both" if inequality == "closed" else "none"),
        applies=_near(at),
    )


def mixed_risk(at: Perturbed) -> Sides:
    """A closed error on the left, an open one on the right."""
    return perturbed_risk(at, "mixed")


def worst_perturbation(at: Perturbed, zero: Zero) -> Sides:
    r"""Largest 0-1 risk of a perturbation by at most $\epsilon$, and the margin risk of $f$.

    A point's worst is where it is pushed as far as $\epsilon$ to either side, or to 0.
    """
    reach = at.epsilon[..., None]
    to = [at.f - reach, at.f + reach, np.where(np.abs(at.f) <= reach, 0 * at.f, at.f)]
    worst = np.max([errors(at.P, scores, zero) for scores in to], axis=0)
    return dict(lhs=np.sum(worst, axis=-1), rhs=risk(at.P, at.f, gamma=at.epsilon))


def half_error(at: Perturbed, reach: int) -> Sides:
    r"""0-1 risk after a perturbation of ``reach`` times $\epsilon$, half an error at a zero."""
    moved = at.f + reach * (at.moved - at.f)
    return dict(
        lhs=risk(at.P, moved, zero="half"), rhs=risk(at.P, at.f, gamma=at.epsilon),
        applies=_near(at),
    )


def risk_within_margin(at: Inside, strict: str) -> Sides:
    r"""0-1 risks of $\tilde f$ and $f$, if $\epsilon<\Gamma(P,f)$, or $\le$."""
    gamma = margin(at.P, at.f)
    inside = at.epsilon < gamma if strict == "<" else at.epsilon <= gamma
    return dict(
        lhs=risk(at.P, at.moved), rhs=risk(at.P, at.f), margin=gamma,
        applies=(gamma > 0) & inside & _near(at),
    )


def margin_for_error(at: Scored) -> Sides:
    r"""$\sup\{\gamma:\mathrm{Risk}_{\ell_\gamma}=\mathrm{Risk}_{01}\}$, and the smallest margin.

    Margins are in eighths, so the margin risk is tried half-way between every two.
    """
    reference, nothing = risk(at.P, at.f), 0 * at.f[..., 0]
    supremum = nothing
    for step in range(STEPS + 1):
        between = (nothing + 2 * step + 1) / (2 * STEPS)
        same = risk(at.P, at.f, gamma=between) == reference
        supremum = np.where(same, (nothing + step + 1) / STEPS, supremum)
    gamma = margin(at.P, at.f)
    return dict(lhs=supremum, rhs=gamma, risk=reference, applies=gamma > 0)


@dataclass(frozen=True)
class Gap:
    r"""Numbers $v,\tilde v$ and $\epsilon\ge|v-\tilde v|$.

    Parameters
    ----------
    v, moved, epsilon : int array, shape (size,)
    """

    v: Numbers
    moved: Numbers
    epsilon: Numbers

    @staticmethod
    def draw(*, size: int, rng: Rng) -> dict[str, Numbers]:
        """Some of all."""
        return picked(Gap.every(), size, rng)

    @staticmethod
    def every() -> dict[str, Numbers]:
        """All up to 8."""
        grid = np.meshgrid(np.arange(-8, 9), np.arange(-8, 9), np.arange(9), indexing="ij")
        near = np.abs(grid[0] - grid[1]) <= grid[2]
        return dict(zip(("v", "moved", "epsilon"), (axis[near] for axis in grid), strict=True))


def margin_gap(at: Gap, inequality: Inequality) -> Sides:
    r"""Whether $\tilde v<0$ and whether $v<\epsilon$; closed: $\le$; mixed: from $\le$ to $<$."""
    premise = at.moved < 0 if inequality == "open" else at.moved <= 0
    conclusion = at.v <= at.epsilon if inequality == "closed" else at.v < at.epsilon
    return dict(
        lhs=1 * premise, rhs=1 * conclusion, applies=np.abs(at.v - at.moved) <= at.epsilon,
    )


def mixed_gap(at: Gap) -> Sides:
    """From a closed premise to an open conclusion."""
    return margin_gap(at, "mixed")
