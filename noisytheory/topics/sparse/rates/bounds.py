r"""Rates of herding as formulas: in print, with their constants, and repaired.

$k$ counts iterations, the first atom included; distances are RKHS norms.
"""

from __future__ import annotations

import numpy as np

from noisytheory.vocabulary.domains import COUNT, NONNEGATIVE, POSITIVE, Domain, Numeric, requires

__all__ = [
    "away_steps_square",
    "boundary_distance",
    "classic_steps_square",
    "frank_wolfe_square",
    "herding_inverse",
    "herding_inverse_sharp",
    "herding_linear_square",
    "line_search_square",
]

TWO_OR_MORE = Domain(2, include_low=True, whole=True)
STEPS = COUNT.of("Steps, the first atom included.")
DISTANCE = POSITIVE.of("$d$ from the target to the relative boundary.")
RADIUS = NONNEGATIVE.of("$r$ from the target to the farthest atom, at least $d$.")
DIAMETER = POSITIVE.of("$D$ of the hull, at least $d$.")
FIRST = NONNEGATIVE.of("Squared error of the first atom.")
WIDTH = POSITIVE.of(
    "Pyramidal width. Up to twice the diameter there is a rate; it is at most the diameter."
)


@requires(k=STEPS, diameter=NONNEGATIVE.of("Of the hull."))
def frank_wolfe_square(k: Numeric, diameter: Numeric) -> Numeric:
    r"""Squared error of herding after ``k`` steps, $4\,\mathrm{diam}^2/(k+2)$ (Jaggi 2013).

    Holds for line search and for steps $2/(t+1)$, for every target in the hull.

    Returns
    -------
    float
        Squared RKHS norm.

    Examples
    --------
    >>> float(frank_wolfe_square(2, 1.0))
    1.0
    """
    return 4 * diameter**2 / (k + 2)


@requires(k=TWO_OR_MORE, diameter=NONNEGATIVE.of("Of the hull."))
def line_search_square(k: Numeric, diameter: Numeric) -> Numeric:
    r"""Squared error of herding with line search, $\mathrm{diam}^2/(k+2)$ from $k=2$ on.

    With $x_k=\|\mathrm{err}_k\|^2/\mathrm{diam}^2$ one has $x_{k+1}\le x_k-x_k^2$, and
    $x_1\le1$: a quarter of `frank_wolfe_square`. Equality in the limit at $k=2$.

    Returns
    -------
    float
        Squared RKHS norm.

    Examples
    --------
    >>> float(line_search_square(2, 1.0))
    0.25
    """
    return diameter**2 / (k + 2)


@requires(k=STEPS, diameter=NONNEGATIVE.of("Of the hull."))
def classic_steps_square(k: Numeric, diameter: Numeric) -> Numeric:
    r"""Squared error of herding with steps $2/(t+1)$: $\frac{2(2k+1)}{3k(k+1)}\mathrm{diam}^2$.

    $x_t\le(1-\gamma_t)^2x_{t-1}+\gamma_t^2$ with $\gamma_t=2/(t+1)$, which is
    $t^2(t+1)^2x_t\le(t-1)^2t^2x_{t-1}+4t^2$: squares add up.

    Returns
    -------
    float
        Squared RKHS norm.

    Examples
    --------
    >>> round(float(classic_steps_square(2, 1.0)), 6)
    0.555556
    """
    return 2 * (2 * k + 1) / (3 * k * (k + 1)) * diameter**2


@requires(k=STEPS, distance=DISTANCE, radius=RADIUS)
def herding_inverse(k: Numeric, distance: Numeric, radius: Numeric) -> Numeric:
    r"""Error of herding with equal weights, the $O(1/(dk))$ of print: $r^2/(dk)$.

    $d$ is the target's distance from the relative boundary of the hull, $r$ from the farthest
    atom. With $w_t=t(\pi^*-\omega_t)$ one has $\|w_{t+1}\|^2\le\|w_t\|^2-2d\|w_t\|+r^2$.

    Returns
    -------
    float
        RKHS norm.

    Raises
    ------
    ValueError
        If an argument leaves its range, or ``distance`` exceeds ``radius``.

    Examples
    --------
    >>> herding_inverse(10, 0.5, 1.0) >= herding_inverse_sharp(10, 0.5, 1.0)
    np.True_
    """
    _in_ball(distance, radius)
    return radius**2 / (distance * k)


@requires(k=STEPS, distance=DISTANCE, radius=RADIUS)
def herding_inverse_sharp(k: Numeric, distance: Numeric, radius: Numeric) -> Numeric:
    r"""The same without slack in the recursion: $\max(r,\,r^2/2d)/k$.

    Returns
    -------
    float
        RKHS norm.

    Examples
    --------
    >>> float(herding_inverse_sharp(10, 0.5, 1.0))
    0.1
    """
    _in_ball(distance, radius)
    return np.maximum(radius, radius**2 / (2 * distance)) / k


@requires(k=STEPS, distance=NONNEGATIVE.of(DISTANCE.meaning), diameter=DIAMETER, first=FIRST)
def herding_linear_square(
    k: Numeric, distance: Numeric, diameter: Numeric, first: Numeric
) -> Numeric:
    r"""Squared error of herding with line search, in place of the printed $O(e^{-dk})$.

    $$\|\mathrm{err}_k\|^2\le\|\mathrm{err}_1\|^2(1-d^2/D^2)^{k-1}$$

    Guélat and Marcotte 1986; Beck and Teboulle 2004.

    Returns
    -------
    float
        Squared RKHS norm.

    Raises
    ------
    ValueError
        If an argument leaves its range, or ``distance`` exceeds ``diameter``.

    Examples
    --------
    >>> float(herding_linear_square(3, 1.0, 2.0, 1.0))
    0.5625
    """
    if not np.all(distance <= diameter):
        raise ValueError(f"distance must be at most diameter, got {distance} and {diameter}")
    return first * (1 - (distance / diameter) ** 2) ** (k - 1)


@requires(k=STEPS, width=WIDTH, diameter=DIAMETER, first=FIRST)
def away_steps_square(k: Numeric, width: Numeric, diameter: Numeric, first: Numeric) -> Numeric:
    r"""Squared error of herding with away steps: $(1-w^2/4D^2)^{(k-1)/2}$ times the first.

    $w$ is the pyramidal width of the sample; the target's place in the hull does not matter.
    Lacoste-Julien and Jaggi 2015, Theorem 1.

    Returns
    -------
    float
        Squared RKHS norm.

    Raises
    ------
    ValueError
        If an argument leaves its range, or ``width`` exceeds twice the ``diameter``.

    Examples
    --------
    >>> float(away_steps_square(3, 1.0, 2.0, 1.0))
    0.9375
    """
    if not np.all(width <= 2 * diameter):
        raise ValueError(f"width must be at most twice diameter, got {width} and {diameter}")
    return first * (1 - width**2 / (4 * diameter**2)) ** ((k - 1) / 2)


@requires(n=TWO_OR_MORE)
def boundary_distance(n: Numeric) -> Numeric:
    r"""Distance of the mean of ``n`` orthonormal points from the boundary of their hull.

    $$d=1/\sqrt{n(n-1)}$$

    Returns
    -------
    float
        RKHS norm.

    Examples
    --------
    >>> round(float(boundary_distance(2)), 9)
    0.707106781
    """
    return 1 / np.sqrt(n * (n - 1))


def _in_ball(distance: Numeric, radius: Numeric) -> None:
    """Some atom is at least as far from the target as the boundary is."""
    if not np.all(distance <= radius):
        raise ValueError(f"distance must be at most radius, got {distance} and {radius}")
