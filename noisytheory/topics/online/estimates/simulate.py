"""Numbers of samples by the public sampler; by linear programmes, what a fixed number leaves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from noisytheory.topics.online.degrees import Finite, Geometric
from noisytheory.topics.online.estimators import (
    coupled_estimate,
    debiased,
    estimate,
    second_moment,
    second_moment_coupled,
)
from noisytheory.vocabulary.analytic import ExponentialLoss

Floats = NDArray[np.float64]


def samples(p: float, *, size: int, rng: np.random.Generator) -> Floats:
    """Number of samples of the estimator of Lemma 1."""
    return Geometric(p).draw(size, rng=rng).astype(float)


def at_least(p: float, z: int, *, size: int, rng: np.random.Generator) -> Floats:
    """Whether it takes z samples or more."""
    return np.asarray(samples(p, size=size, rng=rng) >= z, float)


SERIES = ExponentialLoss(1).coefficients(60)
"""Of the exponential."""
LAW = Geometric(2.0)


def public(by: str, x: float, *, size: int, rng: np.random.Generator) -> Floats:
    r"""Estimates of $e^x$ as a user gets them, from Gaussian samples of mean x and variance 1."""

    def sample(count: int, rng: np.random.Generator) -> Floats:
        return x + rng.standard_normal(count)

    if by == "debiased":
        return debiased(np.exp, sample, size=size, rng=rng).values
    made = coupled_estimate if by == "coupled" else estimate
    return made(SERIES, LAW, sample, size=size, rng=rng).values


def public_variance(by: str, x: float) -> float:
    r"""Exact; of the debiased one level by level, $p_n\propto2^{-1.5n}$ for n < 40.

    With $s=2^{-n}$ the variance of either half's mean, $\mathbb E\Delta_n^2=
    e^{2x}(\tfrac32e^s-2e^{5s/4}+\tfrac12e^{2s})$ and $\mathbb E\Delta_n=e^x(e^{s/4}-e^{s/2})$.
    """
    m, square = 1 + x**2, float(np.exp(2 * x))
    if by == "single":
        return float(second_moment(SERIES, LAW, m)) - square
    if by == "coupled":
        return second_moment_coupled(SERIES, LAW, m, x) - square
    n = np.arange(40)
    s = 2.0**-n
    # Less 1, or small differences would be lost.
    squares = 1.5 * np.expm1(s) - 2 * np.expm1(1.25 * s) + 0.5 * np.expm1(2 * s)
    means = np.expm1(s / 4) - np.expm1(s / 2)
    levels = squares / Finite(tuple(2.0 ** (-1.5 * n))).pmf(40)
    return square * float(np.expm1(1.0) * np.e + levels.sum() - means.sum() ** 2)


def _worst(q: Floats, f: Floats, n: int) -> tuple[float, float]:
    """The smallest worst distance of a polynomial of degree n from f at the points q.

    Returns the optimum and its error: weights that annihilate polynomials bound it from below, up
    to what they leave of one whose coefficients are at most twice its largest value.
    """
    from scipy.optimize import linprog

    basis = np.polynomial.chebyshev.chebvander(2 * q - 1, n)
    ones = np.ones((len(q), 1))
    found = linprog(
        np.append(np.zeros(n + 1), 1.0),
        A_ub=np.block([[basis, -ones], [-basis, -ones]]),
        b_ub=np.concatenate([f, -f]),
        bounds=[(None, None)] * (n + 1) + [(0, None)],
        method="highs",
    )
    primal = float(np.max(np.abs(basis @ found.x[:-1] - f)))
    dual = np.subtract(*np.split(found.ineqlin.marginals, 2))
    held = np.abs(dual) >= 1e-6 * np.abs(dual).max()
    weights = np.linalg.svd(basis[held].T)[2][-1]
    left = float(np.abs(basis[held].T @ weights).sum() * 2 * (np.abs(f).max() + primal))
    least = (abs(float(weights @ f[held])) - left) / float(np.abs(weights).sum())
    return primal, primal - max(0.0, least) + 1e-15 * primal


@dataclass(frozen=True)
class Target:
    """A function on [0, 1] that is no polynomial.

    Parameters
    ----------
    name : str
        Of `TARGETS`.
    """

    name: str

    def at(self, q: Any) -> Any:
        """Its value."""
        return TARGETS[self.name](q)


TARGETS: dict[str, Callable[[Any], Any]] = {
    "exp(q)": np.exp, "|q - 1/2|": lambda q: abs(q - 0.5),
    "Erf(3(q - 1/2))": lambda q: special.erf(3 * (q - 0.5)),
}
ANGLES = 420
"""Points of the programme, less one: their angles include those of all extremes up to degree 7."""


def best_approximation(n: int, f: Target, known: int) -> tuple[float, float]:
    """By polynomials of degree n; with `known`, where only n + 1 parameters are possible."""
    q = np.linspace(0, 1, n + 1) if known else (
        (1 - np.cos(np.pi * np.arange(ANGLES + 1) / ANGLES)) / 2
    )
    return _worst(q, np.asarray(f.at(q)), n)


def jump(n: int, wide: float) -> tuple[float, float]:
    """Of a jump from 0 to 1 at 1/2, or of a ramp that rises over this width."""
    q = np.concatenate([np.linspace(0, 0.5, 101), np.linspace(0.5, 1, 101)])
    side = np.repeat([0.0, 1.0], 101)
    ramp = np.clip((q - 0.5 + wide / 2) / wide, 0, 1) if wide else side
    optimum, error = _worst(q, ramp, n)
    return optimum, error
