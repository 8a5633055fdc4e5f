"""Two classes on a few points of the circle, exactly; Gaussian mixtures on a line by quadrature."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from noisytheory.topics.surrogates.instances import (
    CIRCLE,
    combined,
    dot,
    has_length,
    length,
    show,
    times,
)
from noisytheory.trial.claim import Certificate
from noisytheory.vocabulary.exact import around, simplex
from noisytheory.vocabulary.kernels import Gaussian
from noisytheory.vocabulary.populations import GaussianMixture

__all__ = [
    "discrepancy_by_quadrature", "mean_discrepancy", "mixtures", "total_variation",
    "variation_by_quadrature",
]

Floats: TypeAlias = NDArray[np.float64]


def mean_discrepancy(balance: str) -> Iterator[Certificate]:
    r"""The square of the largest $\frac12(E_{P_+}f-E_{P_-}f)$ found, against $\|\Phi(P)\|^2$.

    Classes are two weighted points against one or two whose means differ by a rational norm: then
    the best of the unit ball is among the vectors tried, a lattice and the difference's direction.

    Parameters
    ----------
    balance : str
        $P(y=1)$, one half where the claim holds.
    """
    share = Fraction(balance)
    for weight, up, down in itertools.product(
        (Fraction(1, 2), Fraction(1, 3), Fraction(1, 8)),
        itertools.combinations(CIRCLE[::2], 2), itertools.combinations_with_replacement(CIRCLE, 2),
    ):
        masses = [share * weight, share * (1 - weight), *[(1 - share) / 2] * 2]
        labels = (1, 1, -1, -1)
        mean = combined([y * m for y, m in zip(labels, masses, strict=True)], (*up, *down))
        gap = combined((weight, 1 - weight, -Fraction(1, 2), -Fraction(1, 2)), (*up, *down))
        if not any(gap) or not has_length(gap):
            continue
        best = max(dot(f, gap) for f in (*CIRCLE, times(1 / length(gap), gap)))
        yield Certificate(
            (best / 2) ** 2, dot(mean, mean),
            [("P+", f"{show(up)} with {weight}, {1 - weight}"), ("P-", show(down)),
             ("P(y = 1)", share), ("largest difference of means found", best)],
        )


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
    mixture: GaussianMixture, negative: float = 1.0
) -> tuple[Floats, Floats, Floats]:
    """Places, their width, and the difference of the class densities there.

    The trapezoidal rule on a line errs by less than rounding where the step is an eighth of
    the standard deviation.
    """
    spread = math.sqrt(float(mixture.covariances[0, 0, 0]))
    places = np.arange(-10 * spread, float(mixture.means.max()) + 10 * spread, spread / 8)
    width = np.full(places.shape, spread / 8)
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


def variation_by_quadrature() -> Iterator[Certificate]:
    r"""$\mathrm{MMD}^2$ in closed form, against $\frac12\mathrm{TV}^2$ by quadrature."""
    for mixture, steps in mixtures():
        _, width, gap = _on_a_line(mixture)
        variation = float(np.abs(gap) @ width) / 2
        low, high = around(variation)
        slack = Fraction(1, 10**6)  # Where the densities cross the integrand has a corner.
        square = ((low - slack) ** 2, (high + slack) ** 2)
        yield Certificate(
            around(mixture.mmd**2), (square[0] / 2, square[1] / 2),
            [*steps, ("total variation", variation), ("discrepancy", mixture.mmd)],
        )
