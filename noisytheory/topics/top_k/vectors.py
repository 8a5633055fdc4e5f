"""Vectors of losses for floats and fractions, and what of them is largest."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Losses", "Pairs", "Signed", "by_subsets", "by_threshold", "ordered", "summed"]

Numbers = NDArray[Any]
UNIT = 16
"""Losses are sixteenths, so that floats are exact."""


def hard(n: int, size: int, rng: np.random.Generator, low: int = 0) -> Numbers:
    """Vectors with few and with many ties, all equal, one huge value, zeros."""
    out = rng.integers(low, 65, size=(size, n)) / UNIT
    kind = rng.integers(6, size=size)
    out[kind == 0] = rng.integers(low, 3, size=(int((kind == 0).sum()), n)) / UNIT
    out[kind == 1] = out[kind == 1, :1]
    out[kind == 2, 0] *= 1024.0
    return out


@dataclass(frozen=True)
class Losses:
    """Nonnegative losses, shape (size, n); ``move`` of ``which`` is what one of them grows by."""

    losses: Numbers
    move: Numbers
    which: Numbers

    @staticmethod
    def draw(n: int, *, size: int, rng: np.random.Generator) -> dict[str, Numbers]:
        """Dyadic, ties included."""
        move = rng.integers(0, 65, size=size) / UNIT
        return dict(losses=hard(n, size, rng), move=move, which=rng.integers(n, size=size))


@dataclass(frozen=True)
class Signed:
    """Numbers of both signs, shape (size, n)."""

    losses: Numbers

    @staticmethod
    def draw(n: int, *, size: int, rng: np.random.Generator) -> dict[str, Numbers]:
        """Dyadic, ties included."""
        return dict(losses=hard(n, size, rng, -48))


@dataclass(frozen=True)
class Pairs:
    """Two vectors of losses and a scalar or three, for what is said of mid-points."""

    first: Numbers
    second: Numbers
    a: Numbers
    b: Numbers
    c: Numbers

    @staticmethod
    def draw(n: int, *, size: int, rng: np.random.Generator) -> dict[str, Numbers]:
        """Dyadic, ties included."""
        a, b, c = rng.integers(-64, 65, size=(3, size)) / UNIT
        return dict(first=hard(n, size, rng), second=hard(n, size, rng), a=a, b=b, c=c)


def ordered(losses: Numbers) -> Numbers:
    """Largest first."""
    return np.sort(losses, axis=-1)[:, ::-1]


def summed(losses: Numbers, k: int) -> Numbers:
    """Sum of the k largest, from the definition."""
    return np.asarray(ordered(losses)[:, :k].sum(axis=1)) if k else losses[:, 0] * 0


def by_subsets(losses: Numbers, k: int) -> Numbers:
    """The same as the largest sum over all subsets: the linear programme (8) at its corners."""
    picks = np.array([[i in chosen for i in range(losses.shape[1])]
                      for chosen in itertools.combinations(range(losses.shape[1]), k)], int)
    return np.asarray((losses @ picks.T).max(axis=1))


def by_threshold(losses: Numbers, k: int, signed: bool = False) -> Numbers:
    r"""$\min_\lambda k\lambda+\sum[x_i-\lambda]_+$ over the values themselves, and over 0.

    The function is piecewise linear with its kinks there; over $\lambda\ge0$ unless ``signed``.
    """
    zero = losses[:, :1] * 0
    kinks = losses if signed else np.concatenate([np.maximum(losses, zero), zero], axis=1)
    above = losses[:, None, :] - kinks[:, :, None]
    return np.asarray((k * kinks + np.maximum(above, zero[:, :, None]).sum(axis=2)).min(axis=1))
