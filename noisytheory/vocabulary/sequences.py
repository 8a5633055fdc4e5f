"""Sequences of examples fixed in advance: what an oblivious adversary may choose."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from noisytheory.vocabulary.domains import COUNT, POSITIVE, REAL, UNIT_INTERVAL, checked_floats

__all__ = [
    "Examples", "alternating", "block_switching", "constant", "half_switch", "hard_labels",
    "lower_bound_pair", "sphere", "xor",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Examples:
    """Instances and labels, in order.

    Parameters
    ----------
    name : str
        For labels.
    x : array, shape (T, d)
    y : array, shape (T,)

    Examples
    --------
    >>> constant(3).y.tolist()
    [1.0, 1.0, 1.0]
    """

    name: str
    x: Floats = field(repr=False)
    y: Floats = field(repr=False)

    def __post_init__(self) -> None:
        x, y = checked_floats("x", self.x), checked_floats("y", self.y)
        if x.ndim != 2 or y.shape != x.shape[:1] or not len(y):
            raise ValueError(f"x and y must be (T, d) and (T,), got {x.shape} and {y.shape}")

    @property
    def T(self) -> int:
        """Number of rounds."""
        return len(self.y)


def _line(name: str, labels: Sequence[float] | Floats, x: float) -> Examples:
    REAL.number("x", x)
    at = _at(name, x)
    return Examples(at, np.full((len(labels), 1), float(x)), np.asarray(labels, float))


def _at(name: str, x: float) -> str:
    """With the instance, where it is not 1."""
    return name if x == 1 else f"{name}, x={x:g}"


def hard_labels(T: int, beta: float, run: int, x: float = 1.0) -> Examples:
    r"""Labels that lean to one side by `beta`, then a run to the same side.

    Nothing known makes gradient descent with noisy steps suffer more: the learner is kept near 0
    while the best fixed predictor gains, then the run punishes the steps that it took.

    Parameters
    ----------
    T : int
        Rounds.
    beta : float
        Mean of the labels before the run, in [0, 1].
    run : int
        Length of the run of ones at the end.
    x : float
        The instance of every round.

    Returns
    -------
    Examples

    Examples
    --------
    >>> hard_labels(8, 0.5, 2).y.tolist()
    [-1.0, 1.0, 1.0, 1.0, -1.0, 1.0, 1.0, 1.0]
    """
    COUNT.number("T", T)
    UNIT_INTERVAL.number("beta", beta)
    steps = np.floor(np.arange(T + 1) * (1 + beta) / 2)
    y = np.where(np.diff(steps) > 0, 1.0, -1.0)
    y[T - run :] = 1.0
    return _line(f"H({T}, {beta:g}, {run})", y, x)


def alternating(
    T: int, x: float = 1.0, size: float = 1.0, run: int | None = None
) -> Examples:
    """Alternating labels, then a run of equal ones.

    Parameters
    ----------
    T : int
        Rounds; a square makes the run exact.
    x, size : float
        The instance, and the size of the labels.
    run : int, optional
        Length of the run; root T if not given.

    Returns
    -------
    Examples

    Examples
    --------
    >>> alternating(4).y.tolist()
    [1.0, -1.0, 1.0, 1.0]
    """
    COUNT.number("T", T)
    y = np.where(np.arange(T) % 2 == 0, 1.0, -1.0)
    y[T - (math.isqrt(T) if run is None else run) :] = 1.0
    name = f"alternating({T})" if run is None else f"alternating({T}, {run})"
    return _line(name + ("" if size == 1 else f" by {size:g}"), size * y, x)


def constant(T: int, y: float = 1.0, x: float = 1.0) -> Examples:
    """One example, T times.

    Parameters
    ----------
    T : int
        Rounds.
    y, x : float
        Label and instance.

    Returns
    -------
    Examples
    """
    COUNT.number("T", T)
    return _line(f"constant({T}, {y:g})", np.full(T, float(y)), x)


def half_switch(T: int, x: float = 1.0) -> Examples:
    """Label 1 in the first half of the rounds, -1 in the second.

    What was learnt has to be unlearnt; no fixed predictor is better than 0.

    Parameters
    ----------
    T : int
        Rounds; of an odd number the first half is the longer.
    x : float
        The instance of every round.

    Returns
    -------
    Examples

    Examples
    --------
    >>> half_switch(4).y.tolist()
    [1.0, 1.0, -1.0, -1.0]
    """
    return replace(block_switching(T, math.ceil(T / 2), x), name=_at(f"half-switch({T})", x))


def block_switching(T: int, length: int | None = None, x: float = 1.0) -> Examples:
    """Blocks of equal labels, 1 and -1 by turns.

    Parameters
    ----------
    T : int
        Rounds.
    length : int, optional
        Of a block; the last may be cut. Root T if not given: as long as steps of 1 over root T
        take from 0 to 1.
    x : float
        The instance of every round.

    Returns
    -------
    Examples

    Examples
    --------
    >>> block_switching(7, 3).y.tolist()
    [1.0, 1.0, 1.0, -1.0, -1.0, -1.0, 1.0]
    """
    COUNT.number("T", T)
    each = math.isqrt(T) if length is None else int(COUNT.number("length", length))
    y = np.where(np.arange(T) // each % 2 == 0, 1.0, -1.0)
    return _line(f"blocks({T}, {each})", y, x)


def lower_bound_pair(T: int, x: float = 1.0, seed: int = 0) -> tuple[Examples, Examples]:
    """Theorem 3's two environments, which one noisy copy a round cannot tell apart.

    In A instances are 3x or -x by fair coins, and seen as they are. In B the instance is x
    throughout, and seen with the noise ``InstanceNoise("rademacher", 4 * x**2)``: 3x or -x by fair
    coins again. All labels are 1.

    Parameters
    ----------
    T : int
        Rounds.
    x : float
        The instance of B, the mean of A.
    seed : int
        Of the coins of A.

    Returns
    -------
    A, B : Examples

    Examples
    --------
    >>> a, b = lower_bound_pair(4)
    >>> a.x.ravel().tolist(), b.x.ravel().tolist()
    ([-1.0, -1.0, -1.0, 3.0], [1.0, 1.0, 1.0, 1.0])
    """
    b = constant(T, x=x)
    coins = np.random.default_rng(seed).choice([3.0, -1.0], (T, 1))
    return (Examples(_at(f"lower bound A({T})", x), x * coins, b.y),
            replace(b, name=_at(f"lower bound B({T})", x)))


def sphere(
    T: int, d: int = 3, radius: float = 1.0, flipped: float = 0.1, seed: int = 0
) -> Examples:
    """Independent points of a sphere, the label says on which side of a plane through its centre.

    Parameters
    ----------
    T : int
        Rounds.
    d : int
        Dimension.
    radius : float
        Of the sphere.
    flipped : float
        Probability that a label is turned round.
    seed : int
        Of points and labels.

    Returns
    -------
    Examples

    Examples
    --------
    >>> found = sphere(200, 2, 0.5)
    >>> np.linalg.norm(found.x, axis=1).round(12).max().tolist()
    0.5
    >>> int(np.sum(found.y != np.where(found.x[:, 0] > 0, 1, -1)))
    11
    """
    COUNT.number("T", T)
    COUNT.number("d", d)
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((T, d))
    x *= POSITIVE.number("radius", radius) / np.linalg.norm(x, axis=1, keepdims=True)
    return Examples(
        f"sphere({T}, {d}, {radius:g})", x, _flipped(x[:, 0], flipped, rng)
    )


def _flipped(score: Floats, flipped: float, rng: np.random.Generator) -> Floats:
    """Its signs, some turned round."""
    UNIT_INTERVAL.number("flipped", flipped)
    return np.where((score > 0) == (rng.random(len(score)) >= flipped), 1.0, -1.0)


def xor(T: int, radius: float = 0.5, seed: int = 0, flipped: float = 0.0) -> Examples:
    """Points of a circle, the label says whether their coordinates have one sign.

    Parameters
    ----------
    T : int
        Rounds.
    radius : float
        Of the circle.
    seed : int
        Of angles and labels.
    flipped : float
        Probability that a label is turned round.

    Returns
    -------
    Examples

    Examples
    --------
    >>> found = xor(100)
    >>> bool(np.all(found.y == np.sign(found.x[:, 0] * found.x[:, 1])))
    True
    """
    COUNT.number("T", T)
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, T)
    x = radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    noisy = f", {flipped:g}" * bool(flipped)
    return Examples(f"xor({T}, {radius:g}{noisy})", x, _flipped(x[:, 0] * x[:, 1], flipped, rng))
