"""The compiled steps of the dual's solver: pairs of variables by second-order choice.

An extreme of an array is a chain of comparisons; one for each of many lanes is vectorised.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from noisytheory.vocabulary.compiling import njit

__all__ = ["descend", "gathered", "move", "partner"]

LANES = 64
"""Extremes that are followed side by side."""
FAR = 1e200
"""What keeps a variable out of the choice."""
LEAST = 1e-12
"""Curvature along a pair at least."""


@njit(cache=True)
def move(
    gradient: Any, signs: Any, closed: Any, row: Any, second: Any, up: float, down: float,
    lanes: Any,
) -> tuple[int, float]:
    """Update the gradient; where it is least among variables that may grow."""
    n = len(row)
    full = n // LANES * LANES
    lanes[:] = FAR
    for start in range(0, full, LANES):
        for lane in range(LANES):
            i = start + lane
            g = gradient[i] + signs[i] * (up * row[i] - down * second[i])
            gradient[i] = g
            g += closed[i]
            lanes[lane] = g if g < lanes[lane] else lanes[lane]
    for i in range(full, n):
        gradient[i] += signs[i] * (up * row[i] - down * second[i])
        lanes[i - full] = min(lanes[i - full], gradient[i] + closed[i])
    place = np.argmin(lanes)
    low = lanes[place]
    for i in range(place, n, LANES):
        if gradient[i] + closed[i] == low:
            return i, low
    return -1, FAR


@njit(cache=True)
def partner(
    gradient: Any, signs: Any, empty: Any, row: Any, diagonal: Any, low: float, own: float,
    sign: float, lanes: Any, peaks: Any,
) -> tuple[int, float, float]:
    """Which variable to shrink for the largest descent, that descent, the largest gradient."""
    n = len(row)
    full = n // LANES * LANES
    lanes[:] = 0.0
    peaks[:] = -FAR
    for start in range(0, full, LANES):
        for lane in range(LANES):
            i = start + lane
            g = gradient[i] - empty[i]
            peaks[lane] = g if g > peaks[lane] else peaks[lane]
            g = g - low if g > low else 0.0
            bend = own + diagonal[i] - sign * signs[i] * row[i]
            bend = bend if bend > LEAST else LEAST
            worth = g * g / bend
            lanes[lane] = worth if worth > lanes[lane] else lanes[lane]
    for i in range(full, n):
        g = gradient[i] - empty[i]
        peaks[i - full] = max(peaks[i - full], g)
        bend = max(own + diagonal[i] - sign * signs[i] * row[i], LEAST)
        lanes[i - full] = max(lanes[i - full], max(g - low, 0.0) ** 2 / bend)
    place = np.argmax(lanes)
    gain, high = lanes[place], peaks.max()
    if gain > 0:
        for i in range(place, n, LANES):
            bend = max(own + diagonal[i] - sign * signs[i] * row[i], LEAST)
            ahead = max(gradient[i] - empty[i] - low, 0.0)
            # The arithmetic may differ in the last digits.
            if ahead * ahead / bend >= gain * (1 - 1e-9):
                return i, gain, high
    return -2, 0.0, high


@njit(cache=True)
def descend(
    gram: Any, diagonal: Any, signs: Any, c: Any, upper: Any, alpha: Any, slack: float,
    scores: Any, tol: float, steps: int,
) -> tuple[float, int, float]:
    """Move pairs of dual weights, in place, until none violates optimality by more than ``tol``.

    Variables are one an example, or two: the second n belong to the examples again.
    """
    m, n = len(alpha), len(scores)
    copies = m // n
    gradient = np.empty(m)
    closed, empty = np.zeros(m), np.zeros(m)
    for i in range(m):
        gradient[i] = signs[i] * scores[i % n] - c[i]
        closed[i] = 0.0 if alpha[i] < upper[i] else FAR
        empty[i] = 0.0 if alpha[i] > 0 else FAR
    up, down, row, second = 0.0, 0.0, gram[0], gram[0]
    lanes, peaks = np.empty(LANES), np.empty(LANES)
    violation, step = np.inf, 0
    while True:
        # The slack is variable -1, with gradient 0 and no curvature.
        best, low = -1, 0.0
        for part in range(copies):
            own_part = slice(part * n, part * n + n)
            at, g = move(gradient[own_part], signs[own_part], closed[own_part], row, second,
                         up, down, lanes)
            if g < low:
                best, low = at + part * n, g
        row = gram[best % n] if best >= 0 else gram[0]
        own = diagonal[best % n] if best >= 0 else 0.0
        sign = signs[best] if best >= 0 else 0.0
        high, gain, other = -np.inf, -1.0, -2
        if slack > 0:
            high = 0.0
            if best >= 0:
                gain, other = low * low / max(own, LEAST), -1
        for part in range(copies):
            own_part = slice(part * n, part * n + n)
            at, worth, peak = partner(
                gradient[own_part], signs[own_part], empty[own_part], row, diagonal, low, own,
                2 * sign, lanes, peaks)
            high = max(high, peak)
            if at >= 0 and worth > gain:
                gain, other = worth, at + part * n
        violation = max(high - low, 0.0)
        if violation <= tol or other == -2 or step >= steps:
            break
        step += 1
        bend = max(own, LEAST)
        if other >= 0:
            bend = own + diagonal[other % n] - 2 * sign * signs[other] * row[other % n]
            bend = max(bend, LEAST)
        if best >= 0 and other >= 0:
            size = min((gradient[other] - low) / bend, upper[best] - alpha[best], alpha[other])
        elif best >= 0:
            size = min(-low / bend, upper[best] - alpha[best], slack)
        else:
            size = min(gradient[other] / bend, alpha[other])
        up, down, second = 0.0, 0.0, row
        if best >= 0:
            room = upper[best] - alpha[best]
            alpha[best] = upper[best] if size >= room else alpha[best] + size
            closed[best] = 0.0 if alpha[best] < upper[best] else FAR
            empty[best] = 0.0
            up = sign * size
        else:
            slack += size
        if other >= 0:
            alpha[other] = 0.0 if size >= alpha[other] else alpha[other] - size
            empty[other] = 0.0 if alpha[other] > 0 else FAR
            closed[other] = 0.0
            down, second = signs[other] * size, gram[other % n]
        else:
            slack = 0.0 if size >= slack else slack - size
    for i in range(n):
        scores[i] = signs[i] * (gradient[i] + c[i])
    return slack, step, violation


@njit(cache=True)
def gathered(gram: Any, order: Any, weights: Any, part: int, image: Any) -> Any:
    """Squared norms of the sums of the first none, one, two... weighted rows; of part the scores.

    Norms are those in the space of the kernel; ``image`` begins as zeros.
    """
    found = np.zeros(len(order) + 1)
    here = np.zeros(len(image))
    for place in range(len(order)):
        if place == part:
            image[:] = here
        i, w = order[place], weights[place]
        found[place + 1] = found[place] + w * (2 * here[i] + w * gram[i, i])
        row = gram[i]
        for j in range(len(here)):
            here[j] += w * row[j]
    if part >= len(order):
        image[:] = here
    return found
