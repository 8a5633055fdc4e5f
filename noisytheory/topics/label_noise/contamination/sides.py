r"""A share of another population in the clean one: what it does to means, scores and risks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from noisytheory.topics.label_noise.instances import Instances, Pair, Pairs, Rng
from noisytheory.vocabulary.exact import root
from noisytheory.vocabulary.joint_masses import LABELS, mass_where, risk, signed

Numbers: TypeAlias = Any
Sides: TypeAlias = dict[str, Any]


def _weakest(at: Pair) -> Numbers:
    """One-hot over points and labels: the first correct pair of smallest margin."""
    over = at.scores(at.P)[..., None] * LABELS
    right = (at.P > 0) & (over > 0)
    flat = np.where(right, over, 2.0).reshape(len(over), -1)
    return np.eye(flat.shape[1], dtype=bool)[flat.argmin(axis=1)].reshape(over.shape)


class Threatened(Pair):
    """Of every two instances one has the worst $Q$: the weakest correct point, label flipped."""

    @staticmethod
    def draw(population: Pairs, *, size: int, rng: Rng) -> Instances:
        """Instances of this family."""
        drawn = population.draw(size, rng)
        worst = _weakest(Pair(**drawn))[..., ::-1]
        chosen = (np.arange(size) % 2 == 0)[:, None, None]
        return {**drawn, "Q": np.where(chosen, worst, drawn["Q"])}


class Hit(Pair):
    """All instances have the worst $Q$: the weakest correct point, label flipped."""

    @staticmethod
    def draw(population: Pairs, *, size: int, rng: Rng) -> Instances:
        """Instances of this family."""
        drawn = population.draw(size, rng)
        return {**drawn, "Q": 1.0 * _weakest(Pair(**drawn))[..., ::-1]}

    @staticmethod
    def every(population: Pairs) -> Instances | None:
        """All instances of this family, each once."""
        listed = population.every()
        if listed is None:
            return None
        first = np.all(listed["Q"] == listed["Q"][0], axis=(1, 2))
        drawn = {name: array[first] for name, array in listed.items()}
        return {**drawn, "Q": 1.0 * _weakest(Pair(**drawn))[..., ::-1]}

    @property
    def weakest(self) -> Numbers:
        """One-hot over points and labels."""
        return np.asarray(self.Q[..., ::-1] > 0)


def contaminated_mean(at: Pair) -> Sides:
    r"""Scores of a point under $\Phi(\tilde P)$, and mixed of those under $\Phi(P),\Phi(Q)$."""
    clean, other = at.first_score(at.P), at.first_score(at.Q)
    return dict(
        lhs=at.scores(at.mixed)[..., 0], rhs=(1 - at.sigma) * clean + at.sigma * other,
        clean_score=clean, other_score=other,
    )


def added_mean(at: Pair) -> Sides:
    """False: $Q$ added to $P$, not mixed with it."""
    found = contaminated_mean(at)
    return {**found, "rhs": found["clean_score"] + at.sigma * found["other_score"]}


def contaminated_distance(at: Pair) -> Sides:
    r"""$\|\Phi(P)-\Phi(\tilde P)\|$ by kernels, and $\|\Phi(P)-\Phi(Q)\|$ by coordinates."""
    apart = np.sum(signed(at.P - at.Q)[..., None] * at.x, axis=-2)
    square = np.sum(apart**2, axis=-1)
    return dict(lhs=root(at.square(at.P, at.mixed)), distance=root(square), square=square)


def population_distance(at: Pair) -> Sides:
    r"""$\|\Phi(P)-\Phi(Q)\|^2$, and 4."""
    return dict(lhs=at.square(at.P, at.Q), rhs=4)


def contaminated_risk(at: Pair, reach: int) -> Sides:
    r"""Risks on $P$ of both means, if $\sigma\|\Phi(P)-\Phi(Q)\|$ is below so many margins."""
    moved = at.sigma**2 * at.square(at.P, at.Q)
    return dict(
        **_risks(at), margin=at.margin, moved_square=moved,
        applies=(at.margin > 0) & (moved < (reach * at.margin) ** 2),
    )


def contaminated_risk_two_sided(at: Pair, reach: int) -> Sides:
    r"""The same with the smallest $|f(x)|$ of a point of positive mass for the margin."""
    scores, present = np.abs(at.scores(at.P)), np.sum(at.P, axis=-1) > 0
    smallest = np.where(present, scores, np.max(scores, axis=-1, keepdims=True)).min(axis=-1)
    moved = at.sigma**2 * at.square(at.P, at.Q)
    return dict(
        **_risks(at), smallest_score=smallest, moved_square=moved,
        applies=moved < (reach * smallest) ** 2,
    )


def _risks(at: Pair) -> Sides:
    return dict(lhs=risk(at.P, at.scores(at.mixed)), rhs=risk(at.P, at.scores(at.P)))


def corrupted_risk(at: Pair, divisor: int) -> Sides:
    r"""Risks on $P$ of both means, if $\sigma<\Gamma/r$."""
    return dict(
        **_risks(at), margin=at.margin,
        applies=(at.margin > 0) & (divisor * at.sigma < at.margin),
    )


def lost_mass(at: Pair, threshold: str) -> Sides:
    r"""Mass right before and wrong after, if $\sigma<\Gamma/(1+\Gamma)$, or $\sigma<\Gamma$."""
    share = at.sigma * (1 + at.margin) if threshold == "sharp" else at.sigma
    return dict(
        lhs=_lost(at), rhs=0, margin=at.margin, applies=(at.margin > 0) & (share < at.margin),
    )


def weakest_mass(at: Hit, threshold: str) -> Sides:
    r"""Mass of the weakest correct point, and what is lost, if $\sigma\ge\Gamma/(1+\Gamma)$.

    The threshold is $\Gamma/2$ for "half".
    """
    share = at.sigma * (1 + at.margin) if threshold == "sharp" else 2 * at.sigma
    return dict(
        lhs=mass_where(at.P, at.weakest), rhs=_lost(at), margin=at.margin,
        applies=_weakest_is_unit(at) & (share >= at.margin),
    )


def _lost(at: Pair) -> Numbers:
    before, after = (at.scores(m)[..., None] * LABELS > 0 for m in (at.P, at.mixed))
    return mass_where(at.P, before & ~after)


def worst_score(at: Hit) -> Sides:
    r"""Lowest score that any $Q$ leaves the weakest correct point with.

    The score is linear in $Q$, so that a point and its label are enough; the search is over those
    of the instance, among them the weakest point itself.
    """
    share = at.sigma[..., None]
    scores = [_weakest_score(at, (1 - share) * clean + share * moved)
              for clean, moved in _tries(at)]
    return dict(lhs=np.min(scores, axis=0), **_where_unit(at))


def losing_share(at: Hit) -> Sides:
    r"""Smallest share of any $Q$ that leaves the weakest correct point with a score of 0."""
    shares = []
    for clean, moved in _tries(at):
        before, after = _weakest_score(at, clean), _weakest_score(at, moved)
        # Where a try helps the point it never loses it: any number above 1 says so.
        helps = after >= 0
        shares.append(np.where(helps, 2, before / np.where(helps, 1, before - after)))
    return dict(lhs=np.min(shares, axis=0), **_where_unit(at))


def losing_share_of_two(margin: float) -> tuple[float, float]:
    """The same for two orthogonal points, the weaker one of this margin, up to one half; or one."""
    drawn = {"x": np.eye(2), "P": [[margin, 0], [1 - margin, 0]], "Q": [[0, 1], [0, 0]],
             "sigma": 0.0}
    case = Hit(**{name: np.array(value, float)[None] for name, value in drawn.items()})
    return float(losing_share(case)["lhs"][0]), 1e-12


def _where_unit(at: Hit) -> Sides:
    """Hypothesis and margin; where nothing is right a number that the bound takes."""
    applies = _weakest_is_unit(at)
    return dict(margin=np.where(applies, at.margin, 1), applies=applies)


def _tries(at: Pair) -> Iterator[tuple[Numbers, Numbers]]:
    """Clean scores, and those of every population of one point and label."""
    clean, points = at.scores(at.P), at.P.shape[-2]
    for vertex in np.eye(2 * points, dtype=int).reshape(-1, points, 2):
        yield clean, at.scores(vertex + 0 * at.P)


def _weakest_score(at: Hit, scores: Numbers) -> Numbers:
    return mass_where(scores[..., None] * LABELS, at.weakest)


def _weakest_is_unit(at: Hit) -> Numbers:
    """Whether $Q$ sits on a correct point of smallest margin, label flipped, of norm 1."""
    norms = np.diagonal(at.kernel, axis1=-2, axis2=-1)
    unit = np.sum(norms * at.weakest.any(axis=-1), axis=-1) == 1
    right = _weakest_score(at, at.scores(at.P)) == at.margin
    return (at.margin > 0) & right & unit
