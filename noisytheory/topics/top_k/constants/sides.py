"""Constants of the error bounds, and one-dimensional machines, for floats and fractions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.top_k.collapse import collapse_threshold
from noisytheory.topics.top_k.vectors import by_subsets
from noisytheory.trial.claim import Certificate

__all__ = ["Line", "Scalars"]

Numbers = NDArray[Any]


@dataclass(frozen=True)
class Scalars:
    r"""$c$ with $C=2c^2$, $\|f_H\|$, $\nu$, $m$ with $\mu=m^2$, and $\kappa$, dyadic."""

    c: Numbers
    norm: Numbers
    nu: Numbers
    m: Numbers
    kappa: Numbers

    @staticmethod
    def draw(*, size: int, rng: np.random.Generator) -> dict[str, Numbers]:
        """C near 0 and a tail of 1 often, where the bounds meet."""
        c = rng.choice([1, 16, 256, 4096], size) / 256
        nu = rng.choice([4, 8, 15, 16], size) / 16
        return dict(c=c, norm=rng.integers(1, 65, size) / 16, nu=nu,
                    m=rng.choice([1, 2, 4], size) / 4, kappa=rng.integers(1, 65, size) / 16)


def radius(at: Scalars) -> dict[str, Numbers]:
    r"""Right side of Lemma 7 and $R_{C,\mu}$, without roots."""
    lemma = 2 * at.nu * np.maximum(2 * at.c / at.m, 2 * at.norm / at.m**2)
    return dict(lhs=lemma, rhs=(4 * at.c + 4 * at.norm) / at.m**2, C=2 * at.c**2, mu=at.m**2)


def grows(at: Scalars, twice: int) -> dict[str, Numbers]:
    r"""$(1+C_{\kappa H})^2\le2(1+4\kappa\|f\|)^2+16\kappa^2C$, both signs turned."""
    constant = 1 + at.kappa * (4 * at.c + 4 * at.norm)
    most = twice * (1 + 4 * at.kappa * at.norm) ** 2 + 32 * at.kappa**2 * at.c**2
    return dict(lhs=-most, rhs=-constant**2, C=2 * at.c**2)


@dataclass(frozen=True)
class Line:
    """Signed numbers, shape (size, 6): rows of a machine with one feature."""

    z: Numbers

    @staticmethod
    def draw(*, size: int, rng: np.random.Generator) -> dict[str, Numbers]:
        """Powers of two with signs, so that their reciprocals are exact; some all of one sign."""
        z = 2.0 ** rng.integers(-3, 4, size=(size, 6)) * rng.choice([-1, 1, 1], size=(size, 6))
        kind = rng.integers(4, size=size)
        z[kind == 0] = np.sign(z[kind == 0])
        z[kind == 1] = np.abs(z[kind == 1])
        return dict(z=z)


def kinks(at: Line) -> tuple[Numbers, Numbers]:
    """Where the training hinge risk may be least, and n times its values there."""
    w = np.concatenate([1 / at.z, at.z[:, :1] * 0], axis=1)
    losses = 1 - w[:, :, None] * at.z[:, None, :]
    return w, np.asarray(np.maximum(losses, losses * 0).sum(axis=2))


def collapses(at: Line, k: int, shift: int) -> dict[str, Numbers]:
    r"""Whether no direction lowers the sum of the k largest losses, against $k\le nh^*$."""
    zero = np.asarray(by_subsets(-at.z, k) >= 0) & np.asarray(by_subsets(at.z, k) >= 0)
    least = kinks(at)[1].min(axis=1)
    return dict(lhs=zero.astype(int), rhs=np.asarray(k + shift <= least).astype(int), least=least)


def balanced(at: Line) -> dict[str, Numbers]:
    r"""$nh^*$ by weights that balance the rows, of floats the public one, and by the risk."""
    if at.z.dtype == object:
        lhs = np.array([_balance(row) for row in at.z.tolist()], dtype=object)
    else:
        # Labels of both classes on rows that are as signed.
        labels = np.resize([1.0, -1.0], at.z.shape[1])
        lhs = np.array([collapse_threshold((labels * z)[:, None], labels) for z in at.z])
    return dict(lhs=lhs, rhs=kinks(at)[1].min(axis=1), scale=lhs * 0 + at.z.shape[1])


def _balance(row: list[Fraction]) -> Fraction:
    """All of the lighter side, and of the other its shortest rows up to the same moment."""
    sides = [sorted(sign * z for z in row if sign * z > 0) for sign in (1, -1)]
    light, heavy = sorted(sides, key=sum)
    left, taken = sum(light), Fraction(len(light))
    for z in heavy:
        part = min(Fraction(1), left / z)
        left, taken = left - part * z, taken + part
    return taken


def attained_at_a_kink(at: Line, which: str) -> dict[str, Numbers]:
    r"""The training hinge risk at its best kink, or at the one nearest 0, against that elsewhere.

    Elsewhere are powers of two of both signs up to $2^{20}$, and sums of two kinks.
    """
    w, values = kinks(at)
    nearest = np.argmin(np.abs(w[:, :-1]), axis=1)[:, None]
    lhs = values.min(axis=1) if which == "best" else np.take_along_axis(values, nearest, 1)[:, 0]
    far = np.array([sign * 2**j for j in range(21) for sign in (1, -1)], dtype=at.z.dtype)
    tried = np.concatenate([np.broadcast_to(far, (len(w), len(far))), w[:, :1] + w], axis=1)
    losses = 1 - tried[:, :, None] * at.z[:, None, :]
    return dict(lhs=lhs, rhs=np.maximum(losses, losses * 0).sum(axis=2).min(axis=1))


def reaches_one(at: Line, eighths: int) -> dict[str, Numbers]:
    r"""$1\le\kappa\|f_H\|$ where $f_H$ is better than 0: the least norm among the best kinks."""
    w, values = kinks(at)
    best = values.min(axis=1)
    large = np.abs(w) + np.where(values == best[:, None], 0, 2**40)
    norm = large.min(axis=1)
    kappa = np.abs(at.z).max(axis=1)
    return dict(lhs=eighths + 0 * norm, rhs=8 * kappa * norm, applies=np.asarray(best < 6))


def steep() -> Iterator[Certificate]:
    r"""Squared norm of the function that is 1 and -1 at two points at distance h, against 1000.

    By the Gram matrix of the kernel $1-|x-x'|$: $c^\top K^{-1}c$ with $c=(1,-1)$.
    """
    for exponent in range(1, 21):
        h = Fraction(1, 2**exponent)
        off = 1 - h
        # The inverse of ((1, off), (off, 1)), between (1, -1) on both sides.
        norm = (1 + off + off + 1) / (1 - off * off)
        yield Certificate(norm, 1000, [("distance", h)])
