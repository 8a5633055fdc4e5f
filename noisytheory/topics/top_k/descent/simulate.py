"""The stochastic method (4), on a problem whose optimum is known and on Monk 3."""

from __future__ import annotations

import functools
from copy import deepcopy

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.individual import individual
from noisytheory.topics.top_k.minimise import fit
from noisytheory.topics.top_k.recipes import monk_3
from noisytheory.topics.top_k.stochastic import stochastic
from noisytheory.trial.claim import Law

__all__ = ["Descent"]

Floats = NDArray[np.float64]


def objective(losses: Floats, level: Floats, w: Floats, *, nu: float, C: float) -> Floats:
    """(3), for several: losses of shape (runs, n), coefficients of shape (runs, d)."""
    over = np.maximum(losses - level[:, None], 0).mean(axis=1)
    return np.asarray(over + nu * level + np.vecdot(w, w) / (2 * C))


class Descent:
    """Ten signed rows of one feature, some on the other side; hinge loss.

    The optimum of (3) in one coefficient is among the kinks of the aggregate and the stationary
    points of its pieces.

    Parameters
    ----------
    k : int
    others : int
        How many are on the other side.
    steps : int
    """

    C, n = 1000.0, 10

    def __init__(self, k: int, others: int = 1, steps: int = 100) -> None:
        self.k, self.others, self.steps = k, others, steps
        few = "" if steps == 100 else f", {steps} steps"
        self.name = f"{self.n - others} examples on one side, {others} on the other, k={k}{few}"
        self.nu = k / self.n
        # Labels of both classes on rows that are as signed.
        self.signed = np.repeat([1.0, -1.0], [10 - others, others])
        self.labels = np.resize([1.0, -1.0], self.n)
        self.rows = (self.labels * self.signed)[:, None]
        kinks = np.array([-1.0, 0.0, 1.0])
        # Slopes of the sum of the k largest are whole numbers.
        stationary = self.C * np.arange(-k, k + 1) / self.n
        tried = np.concatenate([kinks, stationary])
        losses = np.sort(np.maximum(1 - self.signed * tried[:, None], 0), axis=1)[:, ::-1]
        values = losses[:, :k].sum(axis=1) / self.n + tried**2 / (2 * self.C)
        best = int(np.argmin(values))
        self.optimum, self.value = np.array([tried[best]]), float(values[best])
        # Where all agree the steps end at the optimum, and no loss is below the threshold before.
        self.eta = 0.3 if others else float(1 / (1 / np.sqrt(np.arange(1, self.steps + 1))).sum())
        self.level = 1.0 if others else 0.0
        self.start = float(
            self.optimum[0] ** 2 + (others > 0) * (losses[best, k - 1] - self.level) ** 2)
        # No coefficient passes 6, the sum of the steps.
        self.slopes = (1 + 6 / self.C) ** 2 + max(self.nu, 1 - self.nu) ** 2 if others else 1.0


def gap(population: Descent, *, size: int, rng: np.random.Generator) -> Floats:
    """Gap of the weighted average of the iterates of (4)."""
    run = stochastic(population.rows, population.labels, "hinge", nu=population.nu, C=population.C,
                     steps=population.steps, rng=rng, runs=size, eta=population.eta,
                     level=population.level)
    losses = np.maximum(1 - population.signed * run.mean_coef, 0)
    return objective(losses, run.mean_level, run.mean_coef, nu=population.nu,
                     C=population.C) - population.value


def gap_law(population: Descent) -> Law | None:
    """Where all examples are alike nothing is random."""
    if population.others:
        return None
    return Law(gap(population, size=1, rng=np.random.default_rng(0)), [1.0])


def overflows(
    rule: str, loss: str, C: float, *, size: int, rng: np.random.Generator
) -> Floats:
    """Whether a run of (4) of 150 steps overflows, on Monk 3."""
    x, y = monk_3()
    run = stochastic(x, y, loss, nu=0.5, C=C, steps=150, rng=rng, runs=size, rule=rule)
    return (run.overflow > 0).astype(float)


@functools.cache
def _optimum(loss: str, C: float) -> float:
    """The certified optimum on Monk 3, at half of k = n."""
    return fit(*monk_3(), loss, k=0.5, C=C).objective


def ratio(
    rule: str, loss: str, C: float, *, size: int, rng: np.random.Generator
) -> Floats:
    """By how much 800 steps of (4) lower the gap that 50 leave, at most 1, on Monk 3.

    Of the average of the iterates, to the certified optimum.
    """
    x, y = monk_3()
    kind = individual(loss)

    def gaps(steps: int, rng: np.random.Generator) -> Floats:
        run = stochastic(x, y, loss, nu=0.5, C=C, steps=steps, rng=rng, runs=size, rule=rule)
        losses = kind.values(y, run.mean_coef @ x.T)
        return objective(losses, run.mean_level, run.mean_coef, nu=0.5, C=C) - _optimum(loss, C)

    first = gaps(50, deepcopy(rng))  # The same examples: the start of the same runs.
    return np.minimum(1.0, gaps(800, rng) / first)
