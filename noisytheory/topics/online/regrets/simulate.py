"""Regret by the public algorithms, and its exact law where the predictor keeps to a lattice."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.online.adversaries import (
    expected_regret,
    hardest_labels,
    lattice,
    regret_law,
)
from noisytheory.topics.online.comparator import best_in_ball, regret_of
from noisytheory.topics.online.degrees import Fixed
from noisytheory.topics.online.descent import Rule, descend, draw_tape, scores_over_time
from noisytheory.topics.online.maps import NoisyOracle, fixed
from noisytheory.topics.online.replicates import few_copies, replicate
from noisytheory.trial.claim import Law
from noisytheory.vocabulary.analytic import AffineLoss, AnalyticLoss, SquaredLoss
from noisytheory.vocabulary.dot_products import DotProduct, LinearProduct
from noisytheory.vocabulary.instance_noise import InstanceNoise
from noisytheory.vocabulary.sequences import (
    Examples,
    alternating,
    hard_labels,
    lower_bound_pair,
)

Floats = NDArray[np.float64]
SILENT = InstanceNoise("none", 0.0)
TWO_POINTS = InstanceNoise("rademacher", 1.0)
"""Copies of 1 are 0 or 2."""
hardest = lru_cache(maxsize=16)(hardest_labels)
"""Kept, for several claims ask for the same."""


@dataclass(frozen=True)
class Game:
    """A sequence fixed in advance, what is learnt on it, and the step: a cell of a claim.

    Parameters
    ----------
    examples, kernel, loss, noise
    p, Bw, eta : float
    horizon : int or None
        What the step is divided by the root of; None divides by the root of the round.
    copies : int
        0 for Algorithm 1, else descent with so many copies.
    clip : float
        Largest norm of an estimate of the gradient.
    G : float
        Its square bounds the mean square of one.
    chosen : bool
        The law of the noise is turned round in view of the predictor.
    """

    examples: Examples
    kernel: DotProduct
    loss: AnalyticLoss
    noise: InstanceNoise
    p: float
    Bw: float
    eta: float
    horizon: int | None = None
    copies: int = 0
    projection: Literal["repaired", "printed"] = "repaired"
    gradient: Literal["repaired", "printed"] = "repaired"
    together: bool = False
    clip: float = math.inf
    G: float = math.nan
    chosen: bool = False

    @property
    def name(self) -> str:
        """For labels: a kernel or a loss that is left out is linear, noise is none, Bw is 1."""
        curved = [given.name for given, plain in (
            (self.kernel, LinearProduct()), (self.loss, AffineLoss())
        ) if given != plain]
        parts = [
            self.examples.name, *(curved or ["linear"]),
            *[self.noise.name] * (self.noise.variance > 0), *["turned by sight"] * self.chosen,
            f"{self.copies} copies" if self.copies else f"p={self.p:g}",
            *[f"Bw={self.Bw:g}"] * (self.Bw != 1),
        ]
        return "; ".join(parts)

    @property
    def T(self) -> int:
        """Rounds."""
        return self.examples.T

    @property
    def Bx(self) -> float:
        """Bound on the mean square of a copy."""
        return float(np.square(self.examples.x).sum(axis=1).max()) + self.noise.variance

    @property
    def By(self) -> float:
        """Largest label of a regression loss; a classification loss has none in its argument."""
        return float(np.abs(self.examples.y).max()) if self.loss.form == "regression" else 0.0

    @property
    def c(self) -> float:
        """Slope of an affine loss."""
        return self.loss.c if isinstance(self.loss, AffineLoss) else math.nan

    @property
    def sigma2(self) -> float:
        """Width of a Gaussian kernel."""
        return float(getattr(self.kernel, "sigma2", math.nan))

    @cached_property
    def high(self) -> float:
        """No regret is larger: rounds times the range of the loss over the ball."""
        x = self.examples.x
        square = float(np.max(np.diag(self.kernel.gram(x[:1], x[:1])) if np.ptp(x) == 0
                              else [self.kernel.gram(row[None], row[None])[0, 0] for row in x]))
        reach = math.sqrt(self.Bw * square)
        low, most = math.inf, -math.inf
        for y in np.unique(self.examples.y):
            values = self.loss.value(y, np.linspace(-reach, reach, 1001))
            low, most = min(low, float(values.min())), max(most, float(values.max()))
        return self.T * (most - low)

    @property
    def low(self) -> float:
        """No regret is smaller."""
        return -self.high

    @cached_property
    def best(self) -> float:
        """Cumulative loss of the best fixed predictor."""
        return _best(self)

    def rule(self) -> Rule:
        """How the predictor moves."""
        return Rule(self.Bw, self.eta, T=self.horizon, clip=self.clip, projection=self.projection,
                    gradient=self.gradient)


@dataclass(frozen=True)
class Line:
    """Linear kernel and loss, x = 1 without noise, $B_w=1$; the estimators and step of Theorem 1.

    Parameters
    ----------
    p : float
    T : int
        Rounds.
    """

    p: float
    T: int
    Bw = 1.0

    @property
    def name(self) -> str:
        """For labels."""
        return f"p={self.p:g}, T={self.T}"

    @property
    def Bpsi(self) -> float:
        r"""$\mathbb E\|\tilde\Psi\|^2$: one degree, of the weight $p^2/(p-1)$."""
        return self.p**2 / (self.p - 1)

    @property
    def Bg(self) -> float:
        r"""$\mathbb E\tilde g^2$: the degree 0, of the weight $p/(p-1)$."""
        return self.p / (self.p - 1)

    @property
    def eta(self) -> float:
        """The step, over root T."""
        return 1 / math.sqrt(self.Bg * self.Bpsi)


def _best_of(game: Game) -> float:
    x = game.examples.x
    affine = isinstance(game.loss, AffineLoss) and game.loss.form == "classification"
    if np.ptp(x) == 0 and not affine:
        # Of one instance one kernel value is enough: all pairs of 10,000 take 800 MB.
        return _line_search(game, math.sqrt(game.Bw * float(game.kernel.gram(x[:1], x[:1])[0, 0])))
    kernel = game.kernel.gram(x, x)
    if isinstance(game.loss, AffineLoss) and affine:
        y = game.examples.y
        return -abs(game.loss.c) * math.sqrt(game.Bw * float(y @ kernel @ y))
    found = best_in_ball(kernel, game.examples.y, game.loss, game.Bw)
    return found.value - found.gap


def _line_search(game: Game, reach: float) -> float:
    """One instance only: the score is the one unknown, and the loss convex in it."""
    labels, counts = np.unique(game.examples.y, return_counts=True)
    low, high = -reach, reach

    def total(v: float) -> float:
        return float(counts @ game.loss.value(labels, v))

    def slope(v: float) -> float:
        return float(counts @ game.loss.derivative(labels, v))

    for _ in range(200):
        middle = (low + high) / 2
        if slope(middle) > 0:
            high = middle
        else:
            low = middle
    return min(total(low), total(high), total(-reach), total(reach))


def _best(game: Game) -> float:
    key = game.name, game.examples.x.tobytes(), game.examples.y.tobytes()
    found = _CACHE.get(key)
    if found is None:
        found = _CACHE[key] = _best_of(game)
    return found


_CACHE: dict[tuple[str, bytes, bytes], float] = {}


def regret(population: Game, *, size: int, rng: np.random.Generator) -> Floats:
    """Regret of independent runs against the best fixed predictor."""
    game = population
    if game.copies:
        runs = few_copies(game.examples, game.loss, game.noise, game.rule(), copies=game.copies,
                          size=size, rng=rng, together=game.together)
    else:
        runs = replicate(game.examples, game.kernel, game.loss, game.noise, game.rule(), p=game.p,
                         size=size, rng=rng, chosen=_inwards if game.chosen else None)
    return runs.losses - game.best


def _inwards(t: int, scores: Floats) -> Floats:
    """Rare jumps of skewed noise lead from the predictor's side to the other."""
    return np.where(scores > 0, -1.0, 1.0)


def regret_by(
    population: Game, projection: Any, gradient: Any, *, size: int, rng: np.random.Generator
) -> Floats:
    """The same with the projection and the gradient length of the print, or repaired."""
    return regret(replace(population, projection=projection, gradient=gradient), size=size, rng=rng)


def regret_with(
    population: Game, copies: int, *, size: int, rng: np.random.Generator
) -> Floats:
    """The same with so many copies a round."""
    return regret(replace(population, copies=copies), size=size, rng=rng)


def regret_exactly(population: Game) -> Law | None:
    """The law of the regret, where the predictor stays on a lattice."""
    game = population
    if game.copies and game.noise.variance == 0:
        # Nothing is random: one run is all there is.
        return Law(regret(game, size=1, rng=np.random.default_rng(0)), [1.0])
    plain = (
        isinstance(game.kernel, LinearProduct) and isinstance(game.loss, AffineLoss)
        and game.copies < 2 and game.noise in (SILENT, TWO_POINTS)
        and game.projection == "repaired" and game.Bw == 1 and game.loss.c == -1
        and np.all(game.examples.x == 1) and game.horizon == game.T
    )
    if not plain:
        return None
    try:
        m, v = lattice(None if game.copies else game.p, game.T, game.Bx)
    except ValueError:
        return None
    if not math.isclose(game.eta, v**-0.5, rel_tol=1e-12):
        return None
    return Law(*regret_law(game.examples.y, m, v))


def expected_regret_exactly(population: Game) -> tuple[float, float]:
    """Its mean, where the predictor stays on a lattice, and the rounding."""
    m, v = lattice(population.p, population.T)
    value = expected_regret(population.examples.y, m, v)
    return value, 1e-10 * value


def regret_with_exactly(population: Game, copies: int) -> Law | None:
    """The same with so many copies a round."""
    return regret_exactly(replace(population, copies=copies))


def hardest_regret(T: int, eta: float, *, size: int, rng: np.random.Generator) -> Floats:
    r"""Regret on the line with steps $\eta/\sqrt t$ and the examples that are hardest for them."""
    y = hardest(T, eta, shorter=True)
    examples = Examples("hardest", np.abs(y)[:, None], np.sign(y))
    runs = few_copies(examples, AffineLoss(), SILENT, Rule(1.0, eta), copies=1, size=size, rng=rng)
    return runs.losses + abs(float(y.sum()))


def hardest_regret_exactly(T: int, eta: float) -> Law:
    """Nothing is random: one run is all there is."""
    return Law(hardest_regret(T, eta, size=1, rng=np.random.default_rng(0)), [1.0])


def doubled_regret(T: int, *, size: int, rng: np.random.Generator) -> Floats:
    """Descent that starts again after 1, 2, 4, ... rounds, each time with the step for them.

    All of them have the labels that are hardest for them, but the last, which is cut.
    """
    losses, total, start, length = np.zeros(size), 0.0, 0, 1
    while start < T:
        many = min(length, T - start)
        y = alternating(many).y if many == length else np.ones(many)
        runs = few_copies(Examples("part", np.ones((many, 1)), y), AffineLoss(), SILENT,
                          Rule(1.0, 1.0, T=length), copies=1, size=size, rng=rng)
        losses, total = losses + runs.losses, total + float(y.sum())
        start, length = start + many, 2 * length
    return losses + abs(total)


def doubled_regret_exactly(T: int) -> Law:
    """Nothing is random: one run is all there is."""
    return Law(doubled_regret(T, size=1, rng=np.random.default_rng(0)), [1.0])


def descended(
    examples: Examples, loss: AnalyticLoss, rule: Rule, rng: np.random.Generator
) -> float:
    """Regret of the fast form, linear kernel, whose estimates are the instances themselves."""
    kernel, law = LinearProduct(), Fixed(loss.degree or 0)
    oracle, scheme = NoisyOracle(examples.x, SILENT), fixed(kernel)
    tape = draw_tape(examples.T, scheme, law, oracle, rng=rng)
    run = descend(tape, examples.y, scheme, loss, law, replace(rule, coupled=True))
    scores = scores_over_time(run, examples.x)
    return regret_of(scores, examples.x, examples.y, kernel, loss, rule.Bw)[0]


def tuning_free(T: int, by: str, *, size: int, rng: np.random.Generator) -> Floats:
    """Regret of the adaptive step on the labels that are hardest for the same steps."""
    examples = Examples("hardest", np.ones((T, 1)), hardest(T, math.sqrt(2)))
    rule = Rule(1.0, adaptive=True)
    if by == "descend":
        return np.full(size, descended(examples, AffineLoss(), rule, rng))
    runs = few_copies(examples, AffineLoss(), SILENT, rule, copies=1, size=size, rng=rng)
    return runs.losses + abs(float(examples.y.sum()))


def tuning_free_exactly(T: int, by: str) -> Law:
    """Nothing is random: one run is all there is."""
    return Law(tuning_free(T, by, size=1, rng=np.random.default_rng(0)), [1.0])


@dataclass(frozen=True)
class Environment:
    """Squared loss on [-1, 1] and one copy a round, the variance of its noise known.

    Parameters
    ----------
    kind : {"A", "B", "large labels"}
        A and B are those of `lower_bound_pair`. The third has the instance 1 and hard labels of
        size 64.
    T : int
    """

    kind: Literal["A", "B", "large labels"]
    T: int

    @property
    def name(self) -> str:
        """For labels."""
        return f"{self.kind}, T={self.T}"

    @property
    def examples(self) -> Examples:
        """Fixed in advance."""
        if self.kind == "large labels":
            hard = hard_labels(self.T, 0.35, self.T // 4)
            return Examples(self.kind, hard.x, 64 * hard.y)
        return lower_bound_pair(self.T)["AB".index(self.kind)]

    @property
    def noise(self) -> InstanceNoise:
        """Of a copy."""
        variance = {"A": 0.0, "B": 4.0, "large labels": 1.0}[self.kind]
        return InstanceNoise("rademacher", variance) if variance else SILENT

    @property
    def Bg(self) -> float:
        """Mean square of the corrected gradient at the worse end of [-1, 1], over the rounds."""
        x, y, known = self.examples.x, self.examples.y[:, None], self.noise.variance
        seen = x + math.sqrt(known) * np.array([-1.0, 1.0])
        squares = [np.square(2 * (w * seen - y) * seen - 2 * known * w).mean(axis=1)
                   for w in (-1.0, 1.0)]
        return float(np.max(squares, axis=0).mean())

    @property
    def high(self) -> float:
        """No regret is larger: the range of the loss over [-1, 1], of all rounds."""
        x, y = np.abs(self.examples.x[:, 0]), np.abs(self.examples.y)
        return float(np.sum((x + y) ** 2 - np.maximum(y - x, 0) ** 2))


def known_noise_regret(
    population: Environment, T: int, Bg: float, told: float, *, size: int, rng: np.random.Generator
) -> Floats:
    """Regret of squared loss on [-1, 1] from one copy and a share of the noise's variance."""
    examples, noise = population.examples, population.noise
    known = told * noise.variance
    runs = few_copies(examples, SquaredLoss(0.0, "regression"), noise, Rule(1.0, Bg**-0.5, T=T),
                      copies=1, size=size, rng=rng, known=known)
    x, y = examples.x[:, 0], examples.y
    best = float(np.clip(x @ y / (x @ x), -1, 1))
    return runs.losses - float(np.square(best * x - y).sum())


def regret_of_mean(
    m: int, variance: float, T: int, together: int, *, size: int, rng: np.random.Generator
) -> Floats:
    """4 minus the regret a round of descent at the mean of m copies; x = y = 1, squared loss."""
    examples = Examples("one", np.ones((T, 1)), np.ones(T))
    runs = few_copies(
        examples, SquaredLoss(0.0, "regression"), InstanceNoise("gaussian", variance),
        Rule(1.0, 1.0, T=T), copies=m if together else 2, size=size, rng=rng,
        together=bool(together),
    )
    return 4 - runs.losses / T
