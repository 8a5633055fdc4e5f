"""Labels of several classes, flipped alike, and which of several kernels is chosen, cut where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from noisytheory.topics.label_noise.choice.leave_one_out import choose
from noisytheory.topics.label_noise.instances import Instances, Rng
from noisytheory.vocabulary.joint_masses import error, flipped

Numbers: TypeAlias = Any

POINTS, TOTAL = 3, 64


@dataclass(frozen=True)
class Predicted:
    """Masses of points and classes, in sixty-fourths, and a class predicted at each point.

    Parameters
    ----------
    masses : array, shape (size, POINTS, classes)
    predicted : array of int, shape (size, POINTS)
    """

    masses: Numbers
    predicted: Numbers

    @staticmethod
    def draw(classes: int, *, size: int, rng: Rng) -> Instances:
        """A sparse Dirichlet law, so that empty points and noiseless ones are common."""
        rates = rng.dirichlet(np.full(POINTS * classes, 0.3), size=size)
        masses = rng.multinomial(TOTAL, rates).reshape(size, POINTS, classes) / TOTAL
        return {"masses": masses, "predicted": rng.integers(classes, size=(size, POINTS))}


def flipped_error(at: Predicted, sigma: Any) -> dict[str, Any]:
    """Mass that is not of the predicted class, with labels flipped one by one, and without."""
    seen = flipped(at.masses, sigma)
    return {"lhs": error(seen, at.predicted), "error": error(at.masses, at.predicted)}


PATH, MANY = 4, 6
"""Kernels on a path, and examples that differ."""


@dataclass(frozen=True)
class Path:
    """Classes that kernels predict of examples, how often each occurs, and the kernel chosen.

    Parameters
    ----------
    wrong : int array, shape (size, PATH, MANY)
        1 where a prediction is wrong.
    counts : int array, shape (size, MANY)
    chosen : int array, shape (size,)
        By the public choice.
    """

    wrong: Numbers
    counts: Numbers
    chosen: Numbers

    @staticmethod
    def draw(standard_errors: float, *, size: int, rng: Rng) -> Instances:
        """Up to fifty of each example; the public choice sees sums that predict the classes."""
        wrong = rng.integers(0, 2, (size, PATH, MANY))
        counts, codes = rng.integers(1, 51, (size, MANY)), rng.integers(0, 2, (size, MANY))
        predicted = codes[:, None] ^ wrong
        sums = np.stack([1 - predicted, predicted], axis=-1).astype(float)
        chosen = [
            choose(*row, standard_errors=standard_errors, frequencies=True).best[0]
            for row in zip(sums, codes, counts.astype(float), strict=True)
        ]
        return {"wrong": wrong, "counts": counts, "chosen": np.array(chosen)}


def last_within(at: Path, standard_errors: Any, share: Any) -> dict[str, Any]:
    r"""The kernel chosen, and the last whose errors exceed the fewest by so many standard errors.

    With $d_i$ the difference of two errors of an example that occurs $w_i$ times, and
    $D=\sum w_id_i$, that is $D\le c\sqrt{\sum w_id_i^2-D^2/n}$. Of ``standard_errors`` a
    ``share`` is asked for.
    """
    rows, many = np.arange(len(at.counts)), at.counts.sum(axis=1)
    errors = (at.wrong * at.counts[:, None]).sum(axis=2)
    apart = at.wrong - at.wrong[rows, errors.argmin(axis=1)][:, None]
    more = (apart * at.counts[:, None]).sum(axis=2)
    squares = (apart**2 * at.counts[:, None]).sum(axis=2) * many[:, None] - more**2
    within = more**2 * many[:, None] <= (share * standard_errors) ** 2 * squares
    last = np.where(within, np.arange(PATH), -1).max(axis=1)
    return dict(lhs=at.chosen, rhs=last, errors=errors, more=more, within=within)


@dataclass(frozen=True)
class Cut:
    """Differences of two scores, the class of each example, and the threshold chosen on all.

    Parameters
    ----------
    values : array, shape (size, MANY)
        Whole numbers, no two alike.
    codes : int array, shape (size, MANY)
    cut : array, shape (size,)
        By the public choice.
    """

    values: Numbers
    codes: Numbers
    cut: Numbers

    @staticmethod
    def draw(*, size: int, rng: Rng) -> Instances:
        """Of both classes one at least."""
        values = rng.permuted(np.tile(np.arange(-MANY, MANY + 1), (size, 1)), axis=1)[:, :MANY]
        codes = rng.integers(0, 2, (size, MANY))
        codes[:, :2] = 0, 1
        # Scores are sums over the others, divided by how many they are.
        sums = np.stack([0 * values, values * (MANY - 1.0)], axis=-1)[:, None]
        cut = [choose(*row, np.ones(MANY), thresholds=(True,)).threshold
               for row in zip(sums, codes, strict=True)]
        return {"values": 1.0 * values, "codes": codes, "cut": np.array(cut)}


def right_at_cut(at: Cut, centred: int) -> dict[str, Any]:
    """Examples right at the threshold, and at the best of those between two neighbours.

    If ``centred`` at a threshold of 0 in place of the one that was chosen.
    """
    ordered = np.sort(at.values, axis=1)
    cuts = (ordered[:, 1:] + ordered[:, :-1]) / 2
    taken = 0 * at.cut if centred else at.cut

    def right(cut: Numbers) -> Numbers:
        return ((at.values[:, None] > cut) == (at.codes[:, None] == 1)).sum(axis=-1)

    return dict(lhs=right(taken[:, None, None])[:, 0], rhs=right(cuts[..., None]).max(axis=1))
