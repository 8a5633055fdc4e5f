"""Public functions that plan a run, each held against an enumeration: they are what is on trial."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.online.bounds import admissible_p
from noisytheory.topics.online.degrees import Geometric
from noisytheory.topics.online.estimators import (
    coupled_estimate,
    estimate,
    second_moment,
    second_moment_coupled,
)
from noisytheory.topics.online.features.bounds import noisy_exponential_kernel
from noisytheory.topics.online.planning import best_p, gaussian_map_moment, second_moments
from noisytheory.topics.online.prospects import (
    first_useful_round,
    query_quantile,
    trivial_regret,
)
from noisytheory.topics.online.regrets.bounds import regret
from noisytheory.topics.online.separation import least_regret
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary import enclosures
from noisytheory.vocabulary.analytic import (
    AffineLoss,
    AnalyticLoss,
    ExponentialLoss,
    SquaredLoss,
)
from noisytheory.vocabulary.dot_products import (
    BinomialProduct,
    DotProduct,
    ExponentialProduct,
    GaussianProduct,
    InhomogeneousProduct,
    LinearProduct,
)

Floats = NDArray[np.float64]
P = (1.5, 2.0, 3.0)


def _near(value: float, error: float = 0.0) -> tuple[Fraction, Fraction]:
    """What a float stands for that was computed in a few steps."""
    middle = Fraction(float(value))
    wide = Fraction(error) + abs(middle) / 10**11
    return middle - wide, middle + wide


GAMMA = (1.0, -0.5, 0.75, 0.25)
SIGNS = np.array(list(itertools.product((1.0, -1.0), repeat=3)))


@dataclass(frozen=True)
class _Every(Geometric):
    """The geometric law; its draws are all degrees up to that of f, each beside all signs."""

    def draw(self, size: int, *, rng: np.random.Generator) -> NDArray[np.int64]:
        """In order."""
        return np.repeat(np.arange(len(GAMMA)), len(SIGNS))


def coupled_moments(sign: int) -> Iterator[Certificate]:
    """Mean squares of the public estimates over all outcomes, and what is said of them."""
    degrees, signs = np.repeat(np.arange(len(GAMMA)), len(SIGNS)), np.tile(SIGNS, (len(GAMMA), 1))
    for p, (mean, spread) in itertools.product(P, [(0.5, 0.25), (0.25, 1.0), (-0.5, 0.5)]):
        m, pmf = mean**2 + spread**2, (p - 1) / p ** (degrees + 1.0)
        # Of single ones what is drawn beyond the degree of f gives 0.
        for made, chance, said in (
            (estimate, pmf, second_moment(GAMMA, Geometric(p), m)),
            (coupled_estimate, np.where(degrees < len(GAMMA) - 1, pmf, p**-degrees),
             second_moment_coupled(GAMMA, Geometric(p), m, sign * mean)),
        ):
            calls = iter(range(1, len(GAMMA)))

            def sample(
                count: int, rng: Any, calls: Iterator[int] = calls, at: float = mean,
                by: float = spread,
            ) -> Floats:
                n = next(calls)
                return np.asarray(at + by * signs[degrees >= n, n - 1])

            found = made(GAMMA, _Every(p), sample, size=len(degrees),
                         rng=np.random.default_rng(0)).values
            square = math.fsum(chance * found**2) / len(SIGNS)
            yield Certificate(_near(square), _near(said), [
                ("estimate", made.__name__), ("p", p), ("mean", mean), ("sd", spread)])


PLANNED: list[tuple[DotProduct, AnalyticLoss, float]] = [
    (LinearProduct(), SquaredLoss(0.0), 0.0), (GaussianProduct(2.0), AffineLoss(), 0.0),
    (InhomogeneousProduct(2), SquaredLoss(0.0, "regression"), 1.0),
]
AROUND = (0.25, 0.9, 0.99, 1.01, 1.1, 4.0)


def best_parameters(shift: float) -> Iterator[Certificate]:
    """The regret bound at the public best p, and at others nearby and far off; T = 1."""
    for kernel, loss, By in PLANNED:
        best = best_p(1.0, 1.0, kernel, loss, By) + shift
        for factor in AROUND:
            p = 1 + factor * (best - 1)
            least, other = (_near(regret(1, q, 1.0, 1.0, kernel, loss, By)) for q in (best, p))
            yield Certificate(least, other, [("kernel", kernel.name), ("loss", loss.name),
                                             ("best p", best), ("p", p)])


def admissible(root: int) -> Iterator[Certificate]:
    """The largest p that is said to do: of a kernel of radius 1, and of a loss that overflows.

    Of the second also the smallest: whether moments are finite a thousandth of p - 1 on one side of
    an end, and not on the other.
    """
    for tenths in (1, 4, 7):
        Bx = Fraction(tenths, 10) ** 2
        found = admissible_p(1.0, float(Bx), BinomialProduct(0.5), AffineLoss())[1]
        yield Certificate(_near(found), 1 / (Fraction(tenths, 10) if root else Bx), [("Bx", Bx)])
    known = 1.0, 1.0, LinearProduct(), ExponentialLoss()
    for name, end, inwards in zip(("smallest p", "largest p"), admissible_p(*known), (1, -1),
                                  strict=True):
        inside, outside = (all(map(math.isfinite, second_moments(1 + far * (end - 1), *known)))
                           for far in (1 + inwards / 1000, 1 - inwards / 1000))
        yield Certificate(int(inside and not outside), 1, [(name, end)])


def gaussian_moments(line: int) -> Iterator[Certificate]:
    r"""The public second moment of the Gaussian map, and its two series, enclosed.

    Pairs of copies whose product has the mean square $\\tau$; with `line` the largest there is.
    """
    for p, (Bx, share), sigma2 in itertools.product(
        P, [(1.0, 1.0), (1.0, 0.5), (2.0, 0.75)], (1.0, 4.0)
    ):
        tau = share * Bx**2
        ratio = Fraction(p) * Fraction(Bx**2 if line else tau) / Fraction(sigma2) ** 2
        term, pairs = Fraction(1), Fraction(1)
        for n in range(1, 60):
            term *= ratio / n**2
            pairs += term
        made = np.array([2 * Fraction(p) * Fraction(Bx) / Fraction(sigma2)], dtype=object)
        low, high = (Fraction(end[0]) for end in enclosures.exp(made))
        factor = (Fraction(p) / (Fraction(p) - 1)) ** 2
        # What is cut is below the last term.
        series = factor * pairs * low, factor * (pairs + term) * high
        yield Certificate(_near(gaussian_map_moment(p, Bx, tau, sigma2)), series,
                          [("p", p), ("Bx", Bx), ("tau", tau), ("sigma2", sigma2)])


def useful_rounds(share: float) -> Iterator[Certificate]:
    """The first round whose bound says something, and the first in a list of all."""
    rounds = np.arange(1, 20_001)
    for p, (Bx, k, kernel, loss, By) in itertools.product(P, [
        (1.0, 1.0, LinearProduct(), AffineLoss(), 0.0),
        (1.25, 1.0, LinearProduct(), SquaredLoss(1.0), 0.0),
        (0.5, math.exp(0.25), ExponentialProduct(), AffineLoss(), 0.0),
        (0.5, 0.5, LinearProduct(), SquaredLoss(0.0, "regression"), 1.0),
    ]):
        known = kernel, loss, By
        bound = regret(rounds, p, 1.0, Bx, *known)
        anyway = share * rounds * trivial_regret(1, 1.0, k, loss, By)
        below = bound < anyway * (1 - 1e-9)
        yield Certificate(
            first_useful_round(p, 1.0, Bx, k, *known), 1 + int(np.argmax(below)),
            [("p", p), ("kernel", kernel.name), ("loss", loss.name)], bool(below.any()),
        )


MOST = 200
"""Queries of a round whose chances are added up."""


def _chances(p: float, gaussian: bool) -> Floats:
    """Of 0, 1, ... queries of a round: maps until a geometric count ends, by their own law."""
    law = (p - 1) / p ** (np.arange(MOST) + 1.0)
    if gaussian:
        pairs = np.zeros(MOST)
        pairs[::2] = law[: MOST // 2]
        law = np.convolve(law, pairs)[:MOST]
    # Another map follows each with chance 1/p.
    found = np.zeros(MOST)
    for n in range(MOST):
        found[n] = (law[n] * (p - 1) / p + law[1 : n + 1] @ found[:n][::-1] / p) / (1 - law[0] / p)
    return found


def quantiles(alone: int) -> Iterator[Certificate]:
    """The public number of copies to record, and the least that is enough by the law itself."""
    for p, gaussian, T, level in itertools.product(P, (False, True), (1, 10), (0.5, 0.9)):
        enough = np.cumsum(_chances(p, gaussian)) ** (1 if alone else T) >= level
        said = query_quantile(T, level, p, gaussian=gaussian)
        yield Certificate(said, int(np.argmax(enough)),
                          [("p", p), ("Gaussian", gaussian), ("T", T), ("level", level)])


def separations(nearer: float) -> Iterator[Certificate]:
    """The least regret of a round on [0, 1] for instances 3 and -1, and where both risks meet.

    Of the squared loss where $5(w-\\frac15)^2=(w-1)^2$, of the hinge where $(w-\\frac13)/2=1-w$.
    """
    for name, loss, meets in (
        ("squared", lambda v: (v - 1) ** 2, _near((1 - 5**-0.5) ** 2)),
        ("hinge", lambda v: np.maximum(1 - v, 0), Fraction(2, 9)),
    ):
        found, error = least_regret(loss, (3 - nearer, nearer - 1, 0.5), 0.0, 1.0)
        yield Certificate(_near(found, error), meets, [("loss", name)])


def biased_kernels(noisy: int) -> Iterator[Certificate]:
    """The public mean of the exponential kernel at a noisy copy, and its integral."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()
    for x, z, s2 in itertools.product((0.5, 1.0), (-1.0, 0.5, 1.0), (0.25, 1.0)):
        values = ExponentialProduct().at((x + noisy * math.sqrt(s2) * nodes) * z)
        yield Certificate(_near(float(noisy_exponential_kernel(x, z, s2))),
                          _near(math.fsum(weights * values)), [("x", x), ("z", z), ("s2", s2)])
