"""Both sides of the claims on one copy and two: environments that one copy cannot tell apart."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from noisytheory.topics.online.separation import least_regret
from noisytheory.trial.claim import Law
from noisytheory.vocabulary import enclosures
from noisytheory.vocabulary.analytic import SmoothedHinge

Floats = NDArray[np.float64]
OBSERVED = (3, -1)
"""In environment A the instance is one of these, without noise; in B it is 1, with noise."""
WIDE = 2
LEARNERS = ("constant .4472", "constant 1", "one-copy descent", "lock-on", "follow the mean")


@dataclass
class Copies:
    """A score's weight, an instance, two-point noise of one coordinate, a label and a slope."""

    w: Any
    x: Any
    noise: Any
    y: Any
    c: Any

    @staticmethod
    def draw(*, size: int, rng: np.random.Generator) -> dict[str, Any]:
        """Random instances."""
        w, x, noise, y, c = rng.integers(-32, 33, (5, size)) / 16
        return dict(w=w, x=x, noise=noise, y=np.where(y > 0, 1.0, -1.0), c=c)

    def copies(self, n: int) -> list[list[Any]]:
        """All outcomes of n independent copies, equally likely."""
        both = [self.x + self.noise, self.x - self.noise]
        return [list(pair) for pair in itertools.product(both, repeat=n)]


def linear_gradient(at: Copies, printed: int) -> dict[str, Any]:
    r"""$\mathbb E[y\,c\,\tilde x]$, and what print says it is."""
    outcomes = at.copies(1)
    found = sum(at.y * at.c * copy for (copy,) in outcomes) / len(outcomes)
    return dict(lhs=found, rhs=at.x if printed else at.y * at.c * at.x, scale=16 + 0 * at.x)


def squared_gradient(at: Copies, copies: int, known: Fraction | int) -> dict[str, Any]:
    r"""Mean of $2(w\tilde x-y)\tilde x'-2\kappa\,s^2w$, and $2(wx-y)x$."""
    outcomes = at.copies(copies)
    found = sum(2 * (at.w * pair[0] - at.y) * pair[-1] for pair in outcomes) / len(outcomes)
    return dict(lhs=found - 2 * known * at.noise**2 * at.w, rhs=2 * (at.w * at.x - at.y) * at.x,
                scale=64 + 0 * at.x)


@dataclass
class Paths:
    """A learner of one copy, a horizon, and a 1 that says which arithmetic is asked for."""

    learner: Any
    T: Any
    unit: Any

    @staticmethod
    def every() -> dict[str, Any]:
        """All instances."""
        learner, T = np.meshgrid(np.arange(len(LEARNERS)), [2, 4, 8])
        return dict(learner=learner.ravel(), T=T.ravel(), unit=np.ones(T.size))

    @staticmethod
    def draw(*, size: int, rng: np.random.Generator) -> dict[str, Any]:
        """Random instances."""
        every = Paths.every()
        at = rng.integers(0, len(every["T"]), size)
        return {name: values[at] for name, values in every.items()}


def _plays(learner: int, seen: tuple[int, ...]) -> Fraction:
    """What it plays after these observations; all labels are 1."""
    name = LEARNERS[learner]
    if name.startswith("constant"):
        return Fraction(4472, 10000) if "44" in name else Fraction(1)
    if not seen:
        return Fraction(0)
    if name == "lock-on":
        return Fraction(1, 5) if seen[0] == 3 else Fraction(1)
    if name == "follow the mean":
        # The least squares of what was seen.
        squares = sum(x * x for x in seen)
        return min(max(Fraction(sum(seen), squares), Fraction(-WIDE)), Fraction(WIDE))
    w = Fraction(0)
    for t, x in enumerate(seen):
        w -= Fraction(1, 4 * (t + 1)) * 2 * (w * x - 1) * x
        w = min(max(w, Fraction(-WIDE)), Fraction(WIDE))
    return w


@lru_cache(maxsize=64)
def _regrets(learner: int, T: int) -> tuple[Fraction, Fraction]:
    """Expected average regrets in both environments, over all paths of observations."""
    first, second = Fraction(0), Fraction(0)
    # What is played in a round depends on the path before it, and so does its expected loss.
    for t in range(T):
        for seen in itertools.product(OBSERVED, repeat=t):
            w = _plays(learner, seen)
            first += sum((w * x - 1) ** 2 for x in OBSERVED) / 2 ** (t + 1)
            second += (w - 1) ** 2 / 2**t
    # In hindsight the best loss is T less the squared sum of the instances over that of squares.
    for threes in range(T + 1):
        best = T - Fraction((4 * threes - T) ** 2, 8 * threes + T)
        first -= best * Fraction(math.comb(T, threes), 2**T)
    return first / T, second / T


def both_environments(at: Paths) -> dict[str, Any]:
    r"""$\delta$ for the squared loss, and the larger of the two expected average regrets."""
    exact = at.unit.dtype == object
    larger = [max(_regrets(int(a), int(T))) for a, T in zip(at.learner, at.T, strict=True)]
    root = np.empty(len(larger), dtype=object)
    root[:] = Fraction(5)
    low, high = enclosures.sqrt(root)
    # delta = (4 root 5 / (5 (1 + root 5)))^2
    ends = [(Fraction(4, 5) * r / (1 + r)) ** 2 for r in (low, high)]
    made = np.empty(len(larger), dtype=object)
    made[:] = larger
    if exact:
        return dict(lhs=(ends[0], ends[1]), rhs=made)
    return dict(lhs=ends[0].astype(float), rhs=made.astype(float))


SHAPES: dict[str, Callable[[Floats], Floats]] = {
    "squared": lambda v: np.square(v - 1), "hinge": lambda v: np.maximum(1 - v, 0),
    "exponential": lambda v: np.exp(-v), "absolute": lambda v: np.abs(v - 1),
    "logistic": lambda v: np.logaddexp(0, -v),
    "smoothed hinge": lambda v: np.asarray(SmoothedHinge(1.0).at(v)),
}
PAPER = (3.0, -1.0, 0.5)
"""The paper's law of an instance of mean 1: two values, and the probability of the second."""


def separation(loss: str, low: float, high: float, told: int) -> tuple[float, float]:
    r"""$\min_w\max(R_A(w),R_B(w))$ over [low, high] with instances as far out as it takes.

    The paper's pair is $3\kappa$ and $-\kappa$; $\kappa$ is such that the end that lies farther on
    the positive side of the instance is past $w_A$, the largest minimiser of environment A. A
    learner who is told the environment has the best of each.
    """
    if told or low == high:
        return 0.0, 0.0
    grid = np.linspace(0, 2, 2_001)
    sums = SHAPES[loss](3 * grid) + SHAPES[loss](-grid)
    past = float(grid[np.flatnonzero(sums <= sums.min() + 1e-12)[-1]]) + 0.1
    # The sign of the instance is free: let the farther end lie on its positive side.
    ends = (low, high) if high > -low else (-high, -low)
    reach = max(past / ends[1], 1.0)
    return least_regret(SHAPES[loss], PAPER, reach * ends[0], reach * ends[1])


SEARCHED = {"squared": (1.997, -2.098, 0.392), "hinge": (2.67, -1.343, 0.5407)}


def separation_of_law(loss: str, found: int) -> tuple[float, float]:
    """On [-2, 2] with noise of variance 4: of a law that a search found, or of the paper's."""
    return least_regret(SHAPES[loss], SEARCHED[loss] if found else PAPER, -2.0, 2.0)


def block_strategy(
    K: int, coins: int, *, size: int, rng: np.random.Generator
) -> Floats:
    r"""Whether the lock-on learner's average regret is below .15 after each of K blocks.

    Blocks of $100\cdot50^k$ rounds; the environment of each by a fair coin, or one for all. What it
    plays is settled by its first observation, so counts of observations suffice.
    """
    lengths = 100 * 50 ** np.arange(K)
    first_is_3 = rng.random(size) < 0.5
    w = np.where(first_is_3, 0.2, 1.0)
    inside = np.repeat(rng.random((size, 1)) < 0.5, K, axis=1)
    if coins:
        inside = rng.random((size, K)) < 0.5
    threes = rng.binomial(lengths - (np.arange(K) == 0), 0.5, (size, K))
    threes[:, 0] += first_is_3

    # Losses of a constant in a round of A with a 3, of A with a -1, and of B.
    at_3, at_1, outside = (3 * w - 1) ** 2, (w + 1) ** 2, (w - 1) ** 2
    loss = np.where(inside, threes * at_3[:, None] + (lengths - threes) * at_1[:, None],
                    lengths * outside[:, None])
    # In the first round it plays 0, at the loss 1.
    loss[:, 0] += 1 - np.where(inside[:, 0], np.where(first_is_3, at_3, at_1), outside)
    squares = np.where(inside, 8 * threes + lengths, lengths).cumsum(axis=1)
    totals = np.where(inside, 4 * threes - lengths, lengths).cumsum(axis=1)
    rounds = lengths.cumsum()
    best = rounds - totals**2 / squares
    return np.asarray(np.all((loss.cumsum(axis=1) - best) / rounds < 0.15, axis=1), float)


def _locked_on(T: int, first_is_3: Any, threes: Any) -> NDArray[np.bool_]:
    """Whether the lock-on learner's average regret in environment A exceeds a hundredth."""
    w = np.where(first_is_3, 0.2, 1.0)
    # In the first round it plays 0, at the loss 1.
    loss = 1 + (threes - first_is_3) * (3 * w - 1) ** 2
    loss = loss + (T - threes - (1 - first_is_3)) * (w + 1) ** 2
    best = T - (4 * threes - T) ** 2 / (8 * threes + T)
    return np.asarray((loss - best) / T > 0.01)


def lock_on(T: int, *, size: int, rng: np.random.Generator) -> Floats:
    """The same of independent runs: counts of observations suffice."""
    first_is_3 = rng.integers(0, 2, size)
    return _locked_on(T, first_is_3, first_is_3 + rng.binomial(T - 1, 0.5, size)).astype(float)


def lock_on_exactly(T: int) -> Law:
    """Its law, by the first observation and the number of threes after it."""
    after = np.arange(T)
    chances = np.exp(gammaln(T) - gammaln(after + 1) - gammaln(T - after) - (T - 1) * math.log(2))
    hurt = sum(
        float(chances @ _locked_on(T, first, first + after)) / 2 for first in (0, 1)
    )
    return Law([0.0, 1.0], [1 - hurt, hurt])


@dataclass
class Insensitive:
    """The width of an insensitive zone and a small step."""

    width: Any
    h: Any

    @staticmethod
    def draw(*, size: int, rng: np.random.Generator) -> dict[str, Any]:
        """Random instances."""
        return dict(width=rng.integers(0, 33, size) / 16, h=rng.integers(1, 9, size) / 1024)


def insensitive(at: Insensitive, restricted: int) -> dict[str, Any]:
    r"""$\max(|a-1|-\epsilon,0)$ at h and at 0: condition (2) says that it falls."""
    after = abs(at.h - 1) - at.width
    before = 1 - at.width
    applies = at.width < 1 - at.h if restricted else at.width >= 0
    zero = 0 * at.width
    return dict(lhs=np.where(after > 0, after, zero) + at.h / 2,
                rhs=np.where(before > 0, before, zero), applies=applies)


