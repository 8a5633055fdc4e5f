"""Hinge risks of random populations on three points, and whether infima are attained."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.calibration import optimal_risk
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.joint_masses import LABELS, bayes_risk, joint, risk

__all__ = ["Points"]

Numbers = NDArray[Any]


@dataclass(frozen=True)
class Points:
    """Random populations on three points with scores: masses, posteriors, scores in sixteenths."""

    masses: Numbers
    eta: Numbers
    f: Numbers
    rho: Numbers

    @staticmethod
    def draw(*, size: int, rng: np.random.Generator) -> dict[str, Numbers]:
        """Posteriors of 0, 1/2 and 1 and scores of 0 often."""
        masses = rng.integers(1, 9, size=(size, 3))
        eta = rng.choice([0, 1, 3, 5, 7, 8, 9, 12, 15, 16], size=(size, 3)) / 16
        f = rng.choice([0, 0, 1, 3, 8, 16, 24], size=(size, 3)) * rng.choice([-1, 1], (size, 3))
        return dict(masses=masses / 16, eta=eta, f=f / 16, rho=rng.integers(1, 17, size) / 16)

    @functools.cached_property
    def joint(self) -> Numbers:
        """Masses of points and labels, shape (size, 3, 2)."""
        return np.asarray(joint(self.masses, self.eta))


def hinge(f: Numbers) -> Numbers:
    """Losses of both labels, shape (size, J, 2)."""
    return np.asarray(np.maximum(1 - f[..., None] * LABELS, f[..., None] * 0))


def zhang(at: Points, zero: Literal["both", "negative"], times: int) -> dict[str, Numbers]:
    r"""(18): excess misclassification against excess hinge risk, with a convention at score 0."""
    least = bayes_risk(at.joint)
    surrogate = (at.joint * hinge(at.f)).sum(axis=(1, 2))
    return dict(lhs=times * (risk(at.joint, at.f, zero=zero) - least), rhs=surrogate - 2 * least)


def zhang_scaled(at: Points, times: int) -> dict[str, Numbers]:
    r"""(19): the same of $f/\rho$, crossed with $\rho$."""
    scaled = Points(at.masses, at.eta, at.f / at.rho[:, None], at.rho)
    return zhang(scaled, "negative", times)


def hinge_optimum(at: Points, times: int) -> dict[str, Numbers]:
    r"""$\min_f\mathcal E_h$ against $2R^*$: the public one of floats.

    In fractions over the kinks -1, 0, 1 of each point.
    """
    total = at.masses.sum(axis=1)
    if at.masses.dtype == object:
        values = [(at.joint * hinge(0 * at.eta + t)).sum(axis=2) for t in (-1, 0, 1)]
        lhs = np.min(values, axis=0).sum(axis=1)
    else:
        lhs = total * [optimal_risk(masses / mass, eta, "hinge")
                       for masses, mass, eta in zip(at.masses, total, at.eta, strict=True)]
    return dict(lhs=lhs, rhs=times * bayes_risk(at.joint), scale=total)


def tail(at: Points, f: Numbers, nu: Numbers) -> Numbers:
    r"""$\min_{\lambda\ge0}E[\ell(yf)-\lambda]_++\nu\lambda$ with the hinge, over the kinks."""
    losses, mass = (both.reshape(len(f), -1) for both in (hinge(f), at.joint))
    kinks = np.concatenate([losses, f[:, :1] * 0], axis=1)
    over = np.maximum(losses[:, None, :] - kinks[:, :, None], losses[:, :1, None] * 0)
    return np.asarray(((mass[:, None, :] * over).sum(axis=2) + nu[:, None] * kinks).min(axis=1))


def attained(at: Points, halves: int) -> dict[str, Numbers]:
    r"""The value of $f_c$ against that of any $f$, hinge loss, $\nu$ between $2R^*$ and 1."""
    total, least = at.masses.sum(axis=1), bayes_risk(at.joint)
    nu = total - (total - 2 * least) / 4
    best = np.where(np.asarray(2 * at.eta >= 1), 1, -1) * (at.eta * 0 + 1) * halves / 2
    applies = np.asarray(2 * least < total)
    return dict(lhs=tail(at, best, nu), rhs=tail(at, at.f, nu), applies=applies)


def population_limit(at: Points, n: int, less: int) -> dict[str, Numbers]:
    """Mean over all samples of the sum in (3), f and threshold fixed, against its limit."""
    losses, mass = (both.reshape(len(at.f), -1) for both in (hinge(at.f), at.joint))
    over = np.maximum(losses - at.rho[:, None], losses * 0)
    total = mass.sum(axis=1)
    # All ordered samples of size n, weighted by their masses.
    lhs = total * 0
    for chosen in itertools.product(range(6), repeat=n):
        weight = total * 0 + 1
        value = total * 0
        for i in chosen:
            weight = weight * mass[:, i]
            value = value + over[:, i]
        lhs = lhs + weight * value
    return dict(lhs=lhs, rhs=(n - less) * (mass * over).sum(axis=1) * total ** (n - 1))


def minimum_attained() -> Iterator[Certificate]:
    r"""Noise-free labels: the value at a large score against that at twice the score.

    Of $1/(1+t)$ for $t\ge0$ and $1-t$ before: convex, positive, 1 at 0 with slope -1.
    """
    t = Fraction(2**20)
    yield Certificate(1 / (1 + t), 1 / (1 + 2 * t), [("score", t)])


def coercive() -> Iterator[Certificate]:
    r"""Hinge risk at a weight against that at twice the weight; x uniform on (0, 1], y = 1.

    $\int_0^1(1-wx)_+dx$ is a triangle of base $1/w$ and height 1.
    """
    for exponent in range(4, 21):
        w = Fraction(2**exponent)
        yield Certificate(1 / (2 * w), 1 / (4 * w), [("w", w)])
