"""Data of the paper's experiments: toy cases, Monk 3, Titanic and Sinc, generated."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["TOYS", "Toy", "monk_3", "sinc", "split", "titanic", "toy"]

Floats = NDArray[np.float64]
Cloud = tuple[tuple[float, float], tuple[float, float], int]


@dataclass(frozen=True)
class Toy:
    """Gaussian clouds in the plane: typical and rare positives, negatives, perhaps an outlier.

    Parameters
    ----------
    case : int
        1 to 6, as in Appendix C.
    positive, negative : sequence of (mean, standard deviation, count)
    outlier : pair of float or None
        A positive, or for ``flipped`` a negative replaced by a positive.
    C : float
        Ours: print leaves it out.
    seed : int
        Of the picture.
    """

    case: int
    positive: tuple[Cloud, ...]
    negative: tuple[Cloud, ...]
    outlier: tuple[float, float] | None
    C: float
    seed: int

    @property
    def name(self) -> str:
        """Short and human-readable."""
        return f"case {self.case}"


def _cloud(x: float, y: float, sx: float, sy: float, count: int) -> Cloud:
    return (x, y), (sx, sy), count


TOYS: dict[int, Toy] = {
    1: Toy(1, (_cloud(-2, 1.5, 0.5, 0.5, 100),), (_cloud(2, -1.5, 0.5, 0.5, 100),), None, 100.0, 1),
    2: Toy(2, (_cloud(-2, 1.5, 0.5, 0.5, 99),), (_cloud(2, -1.5, 0.5, 0.5, 100),), (2.0, -1.5),
           100.0, 7),
    3: Toy(3, (_cloud(-3.728, 2.179, 0.4, 0.4, 90), _cloud(0.872, 0.609, 0.292, 0.08, 10)),
           (_cloud(0, 0, 0.6, 0.15, 100),), None, 100.0, 956027),
    4: Toy(4, (_cloud(-1.774, 3.531, 0.4, 0.4, 92), _cloud(2.372, 0.878, 0.315, 0.08, 7)),
           (_cloud(0, 0, 0.6, 0.15, 100),), (0.721, -0.245), 2.668, 640171),
    5: Toy(5, (_cloud(0, 0, 0.908, 0.3, 183),), (_cloud(-0.247, -1.399, 0.178, 0.08, 17),), None,
           3.431, 162274),
    6: Toy(6, (_cloud(0, 0, 0.735, 0.3, 185),), (_cloud(-0.641, -1.008, 0.202, 0.08, 14),),
           (-0.71, -0.924), 14.41, 891873),
}
"""The six cases; geometry, spreads and C are ours, found to show what the figure shows."""


def toy(case: Toy, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw a case: 200 points with a constant feature, and labels.

    Parameters
    ----------
    case : Toy
    rng : numpy.random.Generator

    Returns
    -------
    points : array, shape (200, 3)
    labels : array, shape (200,)

    Examples
    --------
    >>> x, y = toy(TOYS[2], np.random.default_rng(7))
    >>> x.shape, int(y.sum())
    ((200, 3), 0)
    """
    points, labels = [], []
    for sign, clouds in ((1.0, case.positive), (-1.0, case.negative)):
        for mean, spread, count in clouds:
            points.append(np.array(mean) + np.array(spread) * rng.normal(size=(count, 2)))
            labels.append(np.full(count, sign))
    if case.outlier is not None:
        points.append(np.array([case.outlier]))
        labels.append(np.ones(1))
    x = np.vstack(points)
    return np.column_stack([x, np.ones(len(x))]), np.concatenate(labels)


@functools.cache
def monk_3() -> tuple[Floats, Floats]:
    """All 432 examples of MONK's problem 3 without noise, codes as they are, a constant feature.

    Returns
    -------
    points : array, shape (432, 7)
    labels : array, shape (432,)

    Examples
    --------
    >>> x, y = monk_3()
    >>> int((y > 0).sum()), int((y < 0).sum())
    (228, 204)
    """
    sizes = (3, 3, 2, 3, 4, 2)
    grid = np.stack(np.meshgrid(*(np.arange(1, s + 1) for s in sizes), indexing="ij"), -1)
    x = grid.reshape(-1, 6).astype(float)
    positive = ((x[:, 4] == 3) & (x[:, 3] == 1)) | ((x[:, 4] != 4) & (x[:, 1] != 3))
    return np.column_stack([x, np.ones(len(x))]), np.where(positive, 1.0, -1.0)


CENSUS = (
    (1, 1, 0, 0, 5), (2, 1, 0, 0, 11), (3, 1, 0, 35, 13), (1, 0, 0, 0, 1), (2, 0, 0, 0, 13),
    (3, 0, 0, 17, 14), (1, 1, 1, 118, 57), (2, 1, 1, 154, 14), (3, 1, 1, 387, 75),
    (4, 1, 1, 670, 192), (1, 0, 1, 4, 140), (2, 0, 1, 13, 80), (3, 0, 1, 89, 76), (4, 0, 1, 3, 20),
)
"""Class (4 is crew), male, adult, and how many died and survived."""


@functools.cache
def titanic() -> tuple[Floats, Floats]:
    """The 2201 people on the Titanic: class, sex and age standardised, a constant feature.

    Returns
    -------
    points : array, shape (2201, 4)
    labels : array, shape (2201,)
        1 for the survivors.

    Examples
    --------
    >>> x, y = titanic()
    >>> len(y), int((y > 0).sum())
    (2201, 711)
    """
    rows = np.array(CENSUS)
    times = np.concatenate([rows[:, 3], rows[:, 4]])
    x = np.repeat(np.vstack([rows[:, :3], rows[:, :3]]), times, 0)
    y = np.repeat([-1.0, 1.0], [rows[:, 3].sum(), rows[:, 4].sum()])
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    return np.column_stack([x, np.ones(len(x))]), y


def sinc(
    n: int | tuple[int, ...], rng: np.random.Generator, centres: str = "ends"
) -> tuple[Floats, Floats]:
    """The Sinc regression: ten radial features and a constant, targets scaled to [0, 1].

    Parameters
    ----------
    n : int, or tuple of int
        How many examples, after the shape of several draws.
    rng : numpy.random.Generator
    centres : {"ends", "cells"}
        Evenly spaced with both ends, or in the middle of ten cells; print does not say.

    Returns
    -------
    points : array, shape (..., n, 11)
    targets : array, shape (..., n)
    """
    x = rng.uniform(-10, 10, n)
    y = np.sinc(x / np.pi) + 0.2 * rng.normal(size=n)
    at = np.linspace(-10, 10, 10) if centres == "ends" else np.linspace(-9, 9, 10)
    points = np.ones((*x.shape, len(at) + 1))
    points[..., :-1] = np.exp(-((x[..., None] - at) ** 2))
    least = y.min(axis=-1, keepdims=True)
    return points, (y - least) / (y.max(axis=-1, keepdims=True) - least)


def split(n: int, rng: np.random.Generator) -> tuple[Any, Any, Any]:
    """Indices of a random half to train on, a quarter to validate, a quarter to test.

    Parameters
    ----------
    n : int
    rng : numpy.random.Generator

    Returns
    -------
    train, validation, test : array

    Examples
    --------
    >>> [len(part) for part in split(432, np.random.default_rng(0))]
    [216, 108, 108]
    """
    order = rng.permutation(n)
    half, three = n // 2, n // 2 + n // 4
    return order[:half], order[half:three], order[three:]
