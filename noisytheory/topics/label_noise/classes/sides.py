r"""Two classes mixed into each other, and labels flipped at rates that vary with the instance."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from noisytheory.topics.label_noise.classes import balance
from noisytheory.vocabulary.exact import compositions
from noisytheory.vocabulary.joint_masses import (
    LABELS,
    confused,
    flipped,
    flips,
    labelled,
    twice_wrong,
)
from noisytheory.vocabulary.losses import LabelFreeSquare, LinearLoss, Loss, Ramp, ZeroOne

Numbers: TypeAlias = Any
Drawn: TypeAlias = dict[str, Numbers]
Sides: TypeAlias = dict[str, Any]


LOSSES: dict[str, Loss] = {
    **{loss.name: loss for loss in (LabelFreeSquare(), LinearLoss(), Ramp())},
    "linear in [-1, 1]": LinearLoss(),
}


def _losses(name: str, f: Numbers) -> Numbers:
    """Of both labels, along a new last axis."""
    over = f[..., None] * LABELS
    if name == "negative margin":
        return -over
    if name.startswith("0-1"):
        # Plus nothing, which keeps the kind of number.
        return (0 * over + twice_wrong(over, "both" if name == "0-1" else "half")) / 2
    return LOSSES[name].value(LABELS, f[..., None])


def _risk(loss: str, masses: Numbers, f: Numbers) -> Numbers:
    return np.sum(masses * _losses(loss, f), axis=(-2, -1))


def _product(**axes: Any) -> Drawn:
    """Every combination, as arrays with combinations first."""
    listed = {name: np.array(values, float) for name, values in axes.items()}
    places = np.indices([len(values) for values in listed.values()]).reshape(len(listed), -1)
    return {name: values[at] for (name, values), at in zip(listed.items(), places, strict=True)}


@dataclass(frozen=True)
class Classes:
    r"""Classes over three points, the share of the other in each, and scores.

    Parameters
    ----------
    up, down : array, shape (size, 3)
        $P_+$ and $P_-$.
    alpha, beta : array, shape (size,)
        Shares of $P_-$ in $\tilde P_+$ and of $P_+$ in $\tilde P_-$.
    f : array, shape (size, 3)
    """

    up: Numbers
    down: Numbers
    alpha: Numbers
    beta: Numbers
    f: Numbers

    @staticmethod
    def every() -> Drawn:
        """Masses and scores in halves, shares up to one half."""
        masses = compositions(2, 3) / 2
        shares = [0.0, 0.25, 0.5]
        scores = list(itertools.product((-1, -0.5, 0, 2), (-0.5, 0, 1), (0, 0.5)))
        return _product(up=masses, down=masses, alpha=shares, beta=shares, f=scores)

    @property
    def P(self) -> Numbers:
        """Masses of points and labels where either class has one half: its risk is balanced."""
        return np.stack([self.up, self.down], axis=-1) / 2

    @property
    def seen(self) -> Numbers:
        """The same of the classes as they are seen: shares of both classes are in rows."""
        return self.P @ flips(self.beta, self.alpha)


def balanced_error(at: Classes, loss: str) -> Sides:
    r"""Balanced errors of contaminated and clean classes; $C$ is the sum of losses at score 1."""
    return dict(
        lhs=_risk(loss, at.seen, at.f), error=_risk(loss, at.P, at.f), alpha=at.alpha,
        beta=at.beta, total=_losses(loss, 0 * at.alpha + 1).sum(axis=-1),
    )


def auc(at: Classes) -> Sides:
    """AUC of contaminated and of clean classes, ties one half: a balanced error with C = 1."""
    return dict(
        lhs=_area(at.seen, at.f), error=_area(at.P, at.f), alpha=at.alpha, beta=at.beta,
        total=0 * at.alpha + 1,
    )


def _area(masses: Numbers, f: Numbers) -> Numbers:
    one, other = f[..., :, None], f[..., None, :]
    pairs = masses[..., :, None, 0] * masses[..., None, :, 1]
    # Masses of a class sum to one half.
    return 2 * np.sum(pairs * (1 * (one > other) + 1 * (one >= other)), axis=(-2, -1))


EIGHTHS = 8
"""Instances of a class, of whose scores `Classes` has the masses."""
MEASURED = 7
"""One in so many cases is measured by the public function, which has one at a time."""


def balanced_error_of_scores(loss: str) -> Sides:
    """The two balanced errors; of one case in seven by the public function, of eight scores."""
    chosen = ZeroOne("half") if loss.startswith("0-1") else LOSSES[loss]
    return _of_scores(partial(balance.balanced_error, chosen), balanced_error, loss)


def auc_of_scores() -> Sides:
    """The two areas; of one case in seven by the public function, of eight scores a class."""
    return _of_scores(balance.auc, auc)


def _of_scores(
    measure: Callable[[Numbers, Numbers], float], sides: Callable[..., Sides], *given: str
) -> Sides:
    drawn = Classes.every()
    at = Classes(**drawn)
    found = sides(at, *given)
    for name, masses in (("lhs", at.seen), ("error", at.P)):
        counts = np.rint(2 * EIGHTHS * masses[::MEASURED]).astype(int)
        found[name][::MEASURED] = [
            measure(np.repeat(f, own[:, 0]), np.repeat(f, own[:, 1]))
            for f, own in zip(at.f[::MEASURED], counts, strict=True)
        ]
    return found | drawn


@dataclass(frozen=True)
class Scorers(Classes):
    """With the scores of a second scorer.

    Parameters
    ----------
    up, down, alpha, beta, f
        As in `Classes`, over two points.
    g : array, shape (size, 2)
    """

    g: Numbers

    @staticmethod
    def every() -> Drawn:
        """The first two scorers are those of the note."""
        masses, scorers = compositions(2, 2) / 2, [(0, 2), (1, 0), (0, 1), (1, -1), (-1, 1)]
        shares = [0.125, 0.375]
        return _product(up=masses, down=masses, alpha=shares, beta=shares, f=scorers, g=scorers)


def implied_constants(at: Scorers, loss: str) -> Sides:
    r"""$(\alpha+\beta)C$ as one scorer determines it, and as the other does.

    The theorem has one $C$ for all: twice
    $\mathrm{BER}(\tilde P_\pm,f)-(1-\alpha-\beta)\mathrm{BER}(P_\pm,f)$, over $\alpha+\beta$.
    """
    def implied(f: Numbers) -> Numbers:
        clean, seen = (_risk(loss, masses, f) for masses in (at.P, at.seen))
        return 2 * (seen - (1 - at.alpha - at.beta) * clean)

    return dict(lhs=implied(at.f), rhs=implied(at.g))


@dataclass(frozen=True)
class Flipped:
    r"""Class-conditional label noise, and the mass of one point in either class.

    Parameters
    ----------
    minus, plus : array, shape (size,)
        Flip probabilities of negative and of positive labels.
    positive : array, shape (size,)
        $P(y=1)$.
    up, down : array, shape (size,)
        $P_+(x)$ and $P_-(x)$.
    """

    minus: Numbers
    plus: Numbers
    positive: Numbers
    up: Numbers
    down: Numbers

    @staticmethod
    def every() -> Drawn:
        """Everything in eighths."""
        inner = np.arange(1, 8) / 8
        return _product(
            minus=inner, plus=inner, positive=[0.125, 0.5, 0.75], up=[1, 0.25], down=[0, 0.75]
        )

    @property
    def seen(self) -> Numbers:
        """Probabilities of a positive and of a negative noisy label, along the last axis."""
        return self.seen_of(self.positive, 1 - self.positive)

    def seen_of(self, positive: Numbers, negative: Numbers) -> Numbers:
        """What is seen of masses of both labels."""
        masses = np.stack([positive, negative], axis=-1)[..., None, :]
        return confused(masses, flips(self.minus, self.plus))[..., 0, :]


class Mild(Flipped):
    """Flip probabilities of sum below 1: the noisy labels still tell something."""

    @staticmethod
    def every() -> Drawn:
        """Everything in eighths."""
        drawn = Flipped.every()
        mild = drawn["minus"] + drawn["plus"] < 1
        return {name: array[mild] for name, array in drawn.items()}


def label_noise_shares(at: Flipped, label: int) -> Sides:
    """Probability of the point given its noisy label, from the joint law."""
    here = at.seen_of(at.positive * at.up, (1 - at.positive) * at.down)
    return dict(
        lhs=(here / at.seen)[..., LABELS.tolist().index(label)], minus=at.minus, plus=at.plus,
        positive=at.positive, up=at.up, down=at.down,
    )


def noise_rates(at: Mild, label: int) -> Sides:
    """A flip probability, and the shares of the other class given a noisy label."""
    kept, lost = np.moveaxis(at.seen, -1, 0)
    alpha, beta = (1 - at.positive) * at.minus / kept, at.positive * at.plus / lost
    return dict(
        lhs=at.plus if label > 0 else at.minus, alpha=alpha, beta=beta, positive=at.positive,
        applies=at.minus + at.plus < 1,
    )


def share_sums(at: Flipped, limit: int) -> Sides:
    r"""Whether $\alpha+\beta<1$, cleared of denominators, and whether the rates sum to less."""
    kept, lost = np.moveaxis(at.seen, -1, 0)
    alpha, beta = (1 - at.positive) * at.minus, at.positive * at.plus
    return dict(
        lhs=1 * (alpha * lost + beta * kept < kept * lost), rhs=1 * (at.minus + at.plus < limit)
    )


@dataclass(frozen=True)
class Chosen:
    """Three points with positive labels, a noise rate at each, two functions to choose from.

    Parameters
    ----------
    masses, rates, f, g : array, shape (size, 3)
    """

    masses: Numbers
    rates: Numbers
    f: Numbers
    g: Numbers

    @staticmethod
    def every(loss: str, most: float) -> Drawn:
        """Rates 0, 1/4 and the largest; scores in [-1, 1], of unbounded linear loss up to 3."""
        rates = sorted({0.0, 0.25, most})
        scores = list(itertools.product((-1, 1, 3) if loss == "linear" else (-1, 0, 1), repeat=3))
        return _product(
            masses=[(0.25, 0.5, 0.25)], rates=list(itertools.product(rates, repeat=3)), f=scores,
            g=scores,
        )


def promised_risk(at: Chosen, loss: str) -> Sides:
    r"""Clean risk of a minimiser under noise, of two the worse, and what its limit depends on."""
    masses = labelled(at.masses, 1)
    clean, seen = (
        [_risk(loss, law, scores) for scores in (at.f, at.g)]
        for law in (masses, flipped(masses, at.rates[..., None]))
    )
    worse = np.maximum(*clean)
    found = np.where(seen[0] < seen[1], clean[0], np.where(seen[1] < seen[0], clean[1], worse))
    return dict(
        lhs=found, optimum=np.minimum(*clean), least=np.min(at.rates, axis=-1),
        most=np.max(at.rates, axis=-1),
    )


def instance_noise(at: Chosen, loss: str, factor: str) -> Sides:
    r"""That risk against the clean optimum times $1/(1-2\max\sigma)$.

    At one half the right side is a division by 0: 0/0 where the clean optimum is 0, read as its
    limit 0 as the rate rises to one half; elsewhere it promises nothing. "halfway" has
    $1/(1-\max\sigma)$.
    """
    found = promised_risk(at, loss)
    left = 1 - (1 if factor == "halfway" else 2) * found["most"]
    none = left == 0
    return dict(
        lhs=found["lhs"], rhs=np.where(none, 0, found["optimum"] / np.where(none, 1, left)),
        applies=~none | (found["optimum"] == 0),
    )
