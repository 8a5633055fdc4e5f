"""Games that claims about regret try: sequences, what is learnt on them, the step of a theorem."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from noisytheory.topics.online import planning
from noisytheory.topics.online.features import bounds as feature_bounds
from noisytheory.topics.online.regrets.simulate import SILENT, Game
from noisytheory.vocabulary.analytic import AffineLoss, AnalyticLoss
from noisytheory.vocabulary.dot_products import DotProduct, GaussianProduct, LinearProduct
from noisytheory.vocabulary.instance_noise import InstanceNoise
from noisytheory.vocabulary.sequences import Examples, hard_labels

__all__ = [
    "LINEAR", "few", "game", "gaussian_printed", "hard", "mirrored", "noise", "plane", "steps",
]

LINEAR = LinearProduct()


def hard(x: float = 1.0, p: float = 2.0) -> Examples:
    """As long as the predictor's three steps from 0 to the ball's edge ask for: 72 at p = 2."""
    T = round(9 * p**3 / (p - 1) ** 2)
    return hard_labels(T, 0.35, round(T * 19 / 72), x=x)


def game(
    examples: Examples, kernel: DotProduct = LINEAR, loss: AnalyticLoss = AffineLoss(),  # noqa: B008
    noise: InstanceNoise = SILENT, p: float = 2.0, Bw: float = 1.0,
) -> Game:
    """With the step of Theorem 1."""
    made = Game(examples, kernel, loss, noise, p, Bw, 1.0, examples.T)
    known = p, Bw, made.Bx, kernel, loss, made.By
    G = math.prod(planning.second_moments(*known)) ** 0.5
    return replace(made, eta=float(planning.step(*known)), G=G)


def few(made: Game, copies: int, share: float = 1.0) -> Game:
    """With so many copies a round, and this share of the step that is best for the gradients."""
    G = made.loss.majorant(math.sqrt(made.Bw * made.Bx) + made.By) * math.sqrt(made.Bx)
    return replace(made, copies=copies, eta=share * math.sqrt(made.Bw) / G, G=G)


def steps(p: float, m: int, noise: InstanceNoise = SILENT) -> Game:
    """The hardest labels known where m steps lead from 0 to the ball's edge."""
    v = p**3 / (p - 1) ** 2 * (1 + noise.variance)
    T = round(v * m * m)
    return game(hard_labels(T, 1.5 / m, round(0.79 * v * m)), noise=noise, p=p)


def noise(variance: float, law: str = "rademacher") -> InstanceNoise:
    """Noise of this variance."""
    return InstanceNoise(law, variance)


def plane(p: float) -> Examples:
    """The hardest labels known, at an instance of the plane."""
    line = hard(p=p)
    return Examples(f"{line.name}, x=(.6, .8)", np.tile([[0.6, 0.8]], (line.T, 1)), line.y)


def mirrored(examples: Examples) -> Examples:
    """With the other labels."""
    return Examples(f"-{examples.name}", examples.x, -examples.y)


def gaussian_printed(examples: Examples, sigma2: float, p: float) -> Game:
    """With the step of Theorem 2 as printed."""
    made = game(examples, GaussianProduct(sigma2), p=p)
    u = feature_bounds.radius_gaussian_printed(p, 1.0, made.Bx, sigma2)
    return replace(made, eta=float(u**-0.5))
