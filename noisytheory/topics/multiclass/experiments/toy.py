"""The ten classes on a circle of Section 4.1."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from noisytheory.vocabulary.domains import COUNT, NONNEGATIVE, check_generator

__all__ = ["READINGS", "sectors", "toy_data"]

Floats: TypeAlias = NDArray[np.float64]

READINGS = ("distance", "functional", "definition")
"""What the margin .025 may mean: a distance to the boundary, a difference of scores under weights
of norm 1, or Definition 2 with all weights together of norm 1."""


TRIES, LEAST_TRIES = 10_000, 1000
"""Draws of weights until it is said that some class stays empty: of more than 500 points fewer."""


def sectors(
    points: Floats, weights: Floats, margin: float, reading: str
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Classes of the points, and which of them keep the margin.

    Parameters
    ----------
    points : array, shape (..., n, d)
    weights : array, shape (..., Q, d)
    margin : float
    reading : str
        One of `READINGS`.

    Returns
    -------
    labels : array of int, shape (..., n)
    kept : array of bool, shape (..., n)
    """
    if reading not in READINGS:
        raise ValueError(f"reading must be one of {', '.join(READINGS)}, got {reading!r}")
    scores = points @ np.swapaxes(weights, -1, -2)
    labels = np.argmax(scores, axis=-1)
    own = labels[..., None]
    lead = np.take_along_axis(scores, own, axis=-1) - scores
    if reading == "distance":
        apart = np.linalg.norm(weights[..., :, None, :] - weights[..., None, :, :], axis=-1)
        lead /= np.take_along_axis(np.where(apart > 0, apart, 1.0), own, axis=-2)
    elif reading == "definition":
        lead /= np.linalg.norm(weights, axis=(-2, -1))[..., None, None]
    np.put_along_axis(lead, own, np.inf, axis=-1)
    return labels, lead.min(axis=-1) >= margin


def toy_data(
    n: int, tests: int, *, rng: np.random.Generator, classes: int = 10, margin: float = 0.025,
    reading: str = "distance",
) -> tuple[Floats, NDArray[np.int64], Floats, NDArray[np.int64]]:
    """Points on the circle in classes of random unit weights, those near a boundary left out.

    Weights are drawn again while a class is empty.

    Parameters
    ----------
    n, tests : int
        Points to learn from and to test on.
    rng : Generator
    classes : int
    margin : float
    reading : str
        One of `READINGS`.

    Returns
    -------
    points, labels, test_points, test_labels : array

    Raises
    ------
    ValueError
        If there are fewer points than classes, or a margin that leaves some class empty always.

    Examples
    --------
    >>> x, t, _, _ = toy_data(500, 10, rng=np.random.default_rng(1))
    >>> x.shape, len(np.unique(t))
    ((500, 2), 10)
    """
    COUNT.check("n", n)
    COUNT.check("classes", classes)
    replace(COUNT, low=0).check("tests", tests)
    NONNEGATIVE.check("margin", margin)
    check_generator(rng)
    if n < classes:
        raise ValueError(f"n must be at least the number of classes, {classes}, got {n}")
    tries = min(TRIES, max(LEAST_TRIES, 500 * TRIES // (n + tests)))
    for _ in range(tries):
        angle = rng.uniform(0, 2 * np.pi, size=classes)
        weights = np.column_stack([np.cos(angle), np.sin(angle)])
        # Ten distances of .025 leave out a twelfth of the circle, the other readings far more.
        size = (n + tests) * 5 // 4 if reading == "distance" else 3 * (n + tests)
        angle = rng.uniform(0, 2 * np.pi, size=size)
        points = np.column_stack([np.cos(angle), np.sin(angle)])
        labels, kept = sectors(points, weights, margin, reading)
        points, labels = points[kept], labels[kept]
        if len(points) >= n + tests and len(np.unique(labels[:n])) == classes:
            break
    else:
        raise ValueError(
            f"margin must leave every class an example: of {tries} draws with {margin:g} none did"
        )
    return points[:n], labels[:n], points[n : n + tests], labels[n : n + tests]
