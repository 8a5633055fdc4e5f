"""Herds of digits once more, step by step on the whole Gram matrix: what certificates go by.

Nothing here is shared with the algorithms on trial but the images. Greedy choices and signs of
scores are those of floats: how near the nearest of them was stands beside the counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]


def gram(x: Any, z: Any, bandwidth: float) -> Doubles:
    """Values of the Gaussian kernel, from squared distances."""
    x, z = np.asarray(x, float), np.asarray(z, float)
    squares = x @ z.T
    # In place: of thousands of images every further array takes as long as the sums.
    squares *= -2
    squares += (x**2).sum(axis=1)[:, None]
    squares += (z**2).sum(axis=1)
    np.maximum(squares, 0, out=squares)
    squares /= -2 * bandwidth**2
    return np.asarray(np.exp(squares, out=squares))


def _herd(signed: Doubles, masses: Doubles, tolerance: float) -> tuple[Doubles, float]:
    """Line search from the best atom until the error is small, and the least lead of an atom."""
    scores = signed @ masses
    square = float(masses @ scores)
    held, shadow, lead = np.zeros(len(masses)), np.zeros(len(masses)), np.inf
    for _ in range(len(masses)):
        rest = scores - shadow
        z = int(rest.argmax())
        slope = rest[z] - rest @ held
        if held.any() and slope <= 0:
            break
        others = np.delete(rest, z)
        lead = min(lead, float(rest[z] - others.max())) if len(others) else lead
        length = signed[z, z] - 2 * shadow[z] + held @ shadow
        rate = min(1.0, max(0.0, slope / length)) if held.any() and length > 0 else 1.0
        held = (1 - rate) * held
        held[z] += rate
        shadow = (1 - rate) * shadow + rate * signed[z]
        if square - 2 * held @ scores + held @ shadow <= tolerance**2:
            break
    return held, lead


def curve(
    signed: Doubles, tolerance: float, stop: int, part: int | None = None
) -> tuple[list[Doubles], float]:
    """Masses of every herd, and the least lead; in parts of at most so many, if given one."""
    masses, found, lead = np.full(len(signed), 1 / len(signed)), [], np.inf
    while (size := np.count_nonzero(masses)) > stop:
        parts = 1 if part is None else -(-size // part)
        fewer = np.zeros(len(masses))
        for first in range(parts):
            members = np.flatnonzero(masses)[first::parts]
            total = masses[members].sum()
            # The error of a part counts by its mass.
            held, least = _herd(
                signed[np.ix_(members, members)], masses[members] / total,
                tolerance / parts / total,
            )
            fewer[members], lead = total * held, min(lead, least)
        if np.count_nonzero(fewer) >= size:
            break
        masses = fewer
        found.append(masses)
    return found, lead


def right(
    values: Doubles, labels: Doubles, answers: Doubles, masses: Doubles
) -> tuple[int, float]:
    """How many test images are called right, and the smallest score in size."""
    scores = answers * (values @ (labels * masses))
    return int(np.sum(scores > 0)), float(np.abs(scores).min())
