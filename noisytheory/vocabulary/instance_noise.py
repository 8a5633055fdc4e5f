"""Noise added to instances, and oracles that answer with noisy copies of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noisytheory.vocabulary.domains import NONNEGATIVE

__all__ = ["LAWS", "InstanceNoise"]

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Law = Callable[[tuple[int, ...], np.random.Generator], Floats]


def _pareto(shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """Symmetric with tail 2.1: a variance, no third moment."""
    tail = 2.1
    size = (1 - rng.random(shape)) ** (-1 / tail)
    signs: Floats = rng.choice([-1.0, 1.0], shape)
    return signs * size * math.sqrt((tail - 2) / tail)


LAWS: dict[str, Law] = {
    "none": lambda shape, rng: np.zeros(shape),
    "gaussian": lambda shape, rng: rng.standard_normal(shape),
    "rademacher": lambda shape, rng: rng.choice([-1.0, 1.0], shape),
    "student": lambda shape, rng: rng.standard_t(3, shape) / math.sqrt(3),
    "pareto": _pareto,
    "sparse": lambda shape, rng: rng.choice([-10.0, 0.0, 10.0], shape, p=[0.005, 0.99, 0.005]),
    "skewed": lambda shape, rng: np.where(rng.random(shape) < 0.1, 3.0, -1 / 3),
}
"""Laws of one coordinate, with mean 0 and variance 1."""

MIXED = ("time-varying", "per-call", "rank-one", "martingale")


@dataclass(frozen=True)
class InstanceNoise:
    r"""Zero-mean noise with $\mathbb E\|Z\|^2$ equal to `variance`.

    Parameters
    ----------
    law : str
        One of `LAWS` for independent coordinates; ``"time-varying"`` (Gaussian on even, Rademacher
        on odd rounds, none on every second block of 50), ``"per-call"`` (each call of a round has
        another law), ``"rank-one"`` (along the diagonal only), or ``"martingale"`` (the law of a
        call is chosen in view of the round's answer before: rare jumps up after noise that was
        positive in the sum, rare jumps down after other; answers are dependent, and the mean of
        each is the instance whatever came before).
    variance : float
        Of the whole vector.

    Examples
    --------
    >>> noise = InstanceNoise("rademacher", 4.0)
    >>> first = np.zeros(2, int)
    >>> np.abs(noise.draw(1, first, first, rng=np.random.default_rng(1))).tolist()
    [[2.0], [2.0]]
    """

    law: str = "gaussian"
    variance: float = 1.0

    def __post_init__(self) -> None:
        if self.law not in LAWS and self.law not in MIXED:
            raise ValueError(f"law must be one of {', '.join((*LAWS, *MIXED))}, got {self.law!r}")
        NONNEGATIVE.number("variance", self.variance)

    @property
    def name(self) -> str:
        """For labels and legends."""
        return f"{self.law} {self.variance:g}"

    def draw(
        self, d: int, rounds: Whole, calls: Whole, *, rng: np.random.Generator,
        before: Floats | None = None,
    ) -> Floats:
        """Noise of one call each.

        Parameters
        ----------
        d : int
            Dimension.
        rounds, calls : array of int
            Round, and call in the round, of each; of one shape.
        rng : numpy.random.Generator
        before : array, shape (..., d), optional
            Noise of the call before in the same round, which the law ``"martingale"`` looks at; 0
            if not given.

        Returns
        -------
        ndarray, shape (..., d)
        """
        shape = (*np.shape(rounds), d)
        if self.law == "none" or self.variance == 0:
            return np.zeros(shape)
        scale = math.sqrt(self.variance / d)
        if self.law == "rank-one":
            return scale * np.repeat(LAWS["rademacher"]((*shape[:-1], 1), rng), d, axis=-1)
        if self.law == "time-varying":
            odd = (np.asarray(rounds) % 2 == 1)[..., None]
            off = (np.asarray(rounds) // 50 % 2 == 1)[..., None]
            found = np.where(odd, LAWS["rademacher"](shape, rng), LAWS["gaussian"](shape, rng))
            return scale * np.where(off, 0.0, found)
        if self.law == "per-call":
            which = (np.asarray(calls) % 3)[..., None]
            drawn = [LAWS[law](shape, rng) for law in ("gaussian", "skewed", "student")]
            return scale * np.choose(which, drawn)
        if self.law == "martingale":
            up = (np.zeros(shape) if before is None else before).sum(axis=-1, keepdims=True) > 0
            return scale * np.where(up, 1.0, -1.0) * LAWS["skewed"](shape, rng)
        return scale * LAWS[self.law](shape, rng)

    def in_turn(
        self, d: int, rounds: Whole, count: int, *, rng: np.random.Generator
    ) -> Floats:
        """Noise of the first calls of each round named.

        Parameters
        ----------
        d : int
            Dimension.
        rounds : array of int
        count : int
            Calls of each.
        rng : numpy.random.Generator

        Returns
        -------
        ndarray, shape (..., count, d)

        Examples
        --------
        >>> noise = InstanceNoise("martingale", 1.0)
        >>> found = noise.in_turn(1, np.zeros(5000, int), 2, rng=np.random.default_rng(0))[..., 0]
        >>> after_up = found[found[:, 0] > 0, 1]
        >>> np.unique(after_up.round(3)).tolist(), bool(abs(after_up.mean()) < 0.1)
        ([-0.333, 3.0], True)
        """
        shape = (*np.shape(rounds), count)
        every, calls = np.broadcast_to(np.asarray(rounds)[..., None], shape), np.arange(count)
        if self.law != "martingale":
            return self.draw(d, every, np.broadcast_to(calls, shape), rng=rng)
        out = np.zeros((*shape, d))
        for j in calls:
            before = out[..., j - 1, :] if j else None
            out[..., j, :] = self.draw(d, every[..., j], np.full(shape[:-1], j), rng=rng,
                                       before=before)
        return out
