"""Two classes on a few points of the circle, exactly; Gaussian mixtures on a line by quadrature."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.surrogates.instances import (
    CIRCLE,
    Vector,
    combined,
    dot,
    show,
)
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.exact import around, simplex
from noisytheory.vocabulary.kernels import Gaussian
from noisytheory.vocabulary.populations import GaussianMixture

__all__ = [
    "discrepancy_by_nodes", "discrepancy_by_quadrature", "mean_discrepancy", "mixtures",
    "total_variation", "variation_by_crossings", "variation_by_quadrature",
]

Floats: TypeAlias = NDArray[np.float64]


HALVINGS = 24
"""Of an arc of the circle: a supremum is then known to sixteen digits."""
EVERY = 29
"""One of so many combinations of two classes is tried."""


def mean_discrepancy(balance: str) -> Iterator[Certificate]:
    r"""The square of $\sup_f\frac12(E_{P_+}f-E_{P_-}f)$ over unit vectors, against $\|\Phi(P)\|^2$.

    Classes are two weighted points against one or two of the circle.

    Parameters
    ----------
    balance : str
        $P(y=1)$, one half where the claim holds.
    """
    share, half = Fraction(balance), Fraction(1, 2)
    every = itertools.product(
        (half, Fraction(1, 3), Fraction(1, 8)),
        itertools.combinations(CIRCLE[::2], 2), itertools.combinations_with_replacement(CIRCLE, 2),
    )
    for weight, up, down in itertools.islice(every, 0, None, EVERY):
        masses = [share * weight, share * (1 - weight), -(1 - share) / 2, -(1 - share) / 2]
        mean = combined(masses, (*up, *down))
        gap = combined((weight, 1 - weight, -half, -half), (*up, *down))
        if not any(gap):
            continue
        low, high = _supremum(gap)
        yield Certificate(
            ((low / 2) ** 2, (high / 2) ** 2), dot(mean, mean),
            [("P+", f"{show(up)} with {weight}, {1 - weight}"), ("P-", show(down)),
             ("P(y = 1)", share), ("largest difference of means found", float(low))],
        )


def _supremum(gap: Vector) -> tuple[Fraction, Fraction]:
    r"""Ends of $\sup\langle f,g\rangle$ over the unit circle, from values of $f$ alone.

    Below is the best of the points tried, above the corner where tangents of two neighbours meet;
    arcs whose corner is below the best are left out, the others are halved.
    """
    one = Fraction(1)

    @cache
    def end(side: Fraction, t: Fraction) -> tuple[Vector, Fraction]:
        """A point of the circle, and the value there."""
        u = _on_circle(side, t)
        return u, dot(u, gap)

    arcs = [(side, a, b) for side in (one, -one) for a, b in ((-one, 0 * one), (0 * one, one))]
    low = high = -one
    for _ in range(HALVINGS):
        corners = []
        for side, a, b in arcs:
            (u, one_end), (v, other_end) = end(side, a), end(side, b)
            low = max(low, one_end, other_end)
            corners.append((one_end + other_end) / (1 + dot(u, v)))
        high = max(corners)
        kept = [arc for arc, corner in zip(arcs, corners, strict=True) if corner >= low]
        arcs = [half for side, a, b in kept
                for half in ((side, a, (a + b) / 2), (side, (a + b) / 2, b))]
    return low, max(low, high)


def _on_circle(side: Fraction, t: Fraction) -> Vector:
    """A point of the right half, or across."""
    return (side * (1 - t * t) / (1 + t * t), side * 2 * t / (1 + t * t))


def total_variation() -> Iterator[Certificate]:
    r"""$\mathrm{MMD}^2$ against the squared total variation, on four points."""
    places = CIRCLE[:2] + CIRCLE[-2:]
    for p, q in itertools.product(simplex(4, 3), repeat=2):
        gap = [a - b for a, b in zip(p, q, strict=True)]
        moved = combined(gap, places)
        variation = sum((abs(g) for g in gap), Fraction(0)) / 2
        yield Certificate(
            dot(moved, moved) / 4, variation**2,
            [("features", show(places)), ("P+", ", ".join(map(str, p))),
             ("P-", ", ".join(map(str, q)))],
        )


def mixtures() -> Iterator[tuple[GaussianMixture, list[tuple[str, object]]]]:
    """Balanced mixtures on a line: two weighted components against one, near to far."""
    for apart, spread, share in itertools.product(
        (Fraction(1, 4), Fraction(1), Fraction(4), Fraction(16)),
        (Fraction(1, 16), Fraction(1)), (Fraction(1, 4), Fraction(1, 1024)),
    ):
        means = [[0.0], [float(apart / 2)], [float(apart)]]
        weights = [(1 - share) / 2, share / 2, Fraction(1, 2)]
        name = f"{1 - share} at 0 and {share} at {apart / 2} against {apart}"
        yield (
            GaussianMixture(name, weights, means, float(spread**2), [1, 1, -1], Gaussian(1.0)),
            [("positions", name), ("standard deviation", spread), ("bandwidth", 1)],
        )


def _on_a_line(
    mixture: GaussianMixture, negative: float = 1.0, fine: int = 8
) -> tuple[Floats, Floats, Floats]:
    """Places, their width, and the difference of the class densities there.

    The trapezoidal rule on a line errs by less than rounding where the step is an eighth of
    the standard deviation; where the integrand has a corner, by the square of the step.
    """
    spread = math.sqrt(float(mixture.covariances[0, 0, 0]))
    places = np.arange(-10 * spread, float(mixture.means.max()) + 10 * spread, spread / fine)
    width = np.full(places.shape, spread / fine)
    gap = np.zeros(places.shape)
    for weight, mean, label in zip(mixture.weights, mixture.means, mixture.labels, strict=True):
        z = (places - mean[0]) / spread
        scale = label if label > 0 else label * negative
        gap += scale * 2 * weight * np.exp(-z * z / 2) / (spread * math.sqrt(2 * math.pi))
    return places, width, gap


def discrepancy_by_quadrature(balance: str) -> Iterator[Certificate]:
    r"""$\frac12(E_{P_+}f-E_{P_-}f)$ of the unit mean $f$ by quadrature, against $\|\Phi(P)\|$.

    Parameters
    ----------
    balance : {"classes", "examples"}
        Whether both classes count whole, or negative ones, of which there are few, one half.
    """
    for mixture, steps in mixtures():
        places, width, gap = _on_a_line(mixture, 1.0 if balance == "classes" else 0.5)
        scores = mixture.score(places[:, None]) / mixture.norm
        yield Certificate(
            around(float(scores @ (width * gap)) / 2), around(mixture.norm), steps
        )


def _by_nodes(mixture: GaussianMixture) -> tuple[Floats, Floats]:
    """Expected scores of the mean under every component, by nodes of Gauss and Hermite."""
    nodes, masses = np.polynomial.hermite_e.hermegauss(80)
    masses = masses / masses.sum()
    spread = math.sqrt(float(mixture.covariances[0, 0, 0]))
    places = mixture.means + spread * nodes
    signed = np.asarray(mixture.weights * mixture.labels, dtype=np.float64)
    apart = places[:, :, None, None] - places
    # Of bandwidth 1, between two components.
    kernel = np.einsum("i,aibj,j->ab", masses, np.exp(-apart**2 / 2), masses)
    return kernel @ signed, signed


def discrepancy_by_nodes(balance: str, case: int) -> Certificate:
    """Both sides of `discrepancy_by_quadrature` once more, each by another rule."""
    mixture, steps = list(mixtures())[int(case)]
    scores, signed = _by_nodes(mixture)
    norm = math.sqrt(float(signed @ scores))
    counted = np.where(signed > 0, 1.0, 1.0 if balance == "classes" else 0.5)
    return Certificate(
        around(float((counted * signed) @ scores) / norm), around(norm),
        [*steps, ("norm of the mean", norm)],
    )


def variation_by_crossings(case: int) -> Certificate:
    """Both sides of `variation_by_quadrature` from distribution functions between crossings."""
    mixture, steps = list(mixtures())[int(case)]
    scores, signed = _by_nodes(mixture)
    spread, means = math.sqrt(float(mixture.covariances[0, 0, 0])), mixture.means[:, 0]

    def density(x: float) -> float:
        return float(signed @ np.exp(-((x - means) ** 2) / (2 * spread**2)))

    def below(x: float) -> float:
        return float(signed @ [math.erf((x - m) / (spread * math.sqrt(2))) for m in means])

    # To the left is the class of two components, the other to the right: they cross once.
    left, right = float(means.min()), float(means.max())
    for _ in range(100):
        middle = (left + right) / 2
        left, right = (middle, right) if density(middle) > 0 else (left, middle)
    variation = below(left)
    square = float(signed @ scores)
    return Certificate(
        around(square), around(variation**2 / 2),
        [*steps, ("densities cross at", left), ("total variation", variation)],
    )


def variation_by_quadrature() -> Iterator[Certificate]:
    r"""$\mathrm{MMD}^2$ in closed form, against $\frac12\mathrm{TV}^2$ by quadrature."""
    for mixture, steps in mixtures():
        _, width, gap = _on_a_line(mixture, fine=1024)
        variation = float(np.abs(gap) @ width) / 2
        low, high = around(variation)
        slack = Fraction(1, 10**6)  # Where the densities cross the integrand has a corner.
        square = ((low - slack) ** 2, (high + slack) ** 2)
        yield Certificate(
            around(mixture.mmd**2), (square[0] / 2, square[1] / 2),
            [*steps, ("total variation", variation), ("discrepancy", mixture.mmd)],
        )
