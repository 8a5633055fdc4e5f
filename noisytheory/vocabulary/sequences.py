"""Sequences of examples fixed in advance: what an oblivious adversary may choose."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from noisytheory.vocabulary.domains import COUNT, REAL, UNIT_INTERVAL, checked_floats

__all__ = ["Examples", "alternating", "constant", "hard_labels", "xor"]

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
    at = "" if x == 1 else f", x={x:g}"
    return Examples(f"{name}{at}", np.full((len(labels), 1), float(x)), np.asarray(labels, float))


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


def xor(T: int, radius: float = 0.5, seed: int = 0) -> Examples:
    """Points of a circle, the label says whether their coordinates have one sign.

    Parameters
    ----------
    T : int
        Rounds.
    radius : float
        Of the circle.
    seed : int
        Of the angles.

    Returns
    -------
    Examples
    """
    COUNT.number("T", T)
    angle = np.random.default_rng(seed).uniform(0, 2 * np.pi, T)
    x = radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return Examples(f"xor({T}, {radius:g})", x, np.where(x[:, 0] * x[:, 1] > 0, 1.0, -1.0))
