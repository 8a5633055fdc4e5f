"""Figures: second moments of features and of gradient lengths, and binomial kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from noisytheory.topics.online.degrees import Geometric
from noisytheory.topics.online.estimators import second_moment
from noisytheory.topics.online.features import bounds
from noisytheory.topics.online.maps import NoisyOracle, Scheme
from noisytheory.topics.online.planning import importance_laws, second_moments
from noisytheory.vocabulary.analytic import (
    AffineLoss,
    ExponentialLoss,
    SmoothedAbsolute,
    SmoothedHinge,
    SquaredLoss,
)
from noisytheory.vocabulary.dot_products import BinomialProduct, ExponentialProduct
from noisytheory.vocabulary.instance_noise import InstanceNoise

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["binomial_kernels", "gaussian_units", "gradient_moments", "map_moments"]

SEED = 2026


def map_moments() -> tuple[Figure, list[list[str]]]:
    r"""The mean squared norm of an estimated feature over p, of the exponential kernel with
    $\mathbb E\|\tilde x\|^2=1$: Lemma 3, attained by the estimates drawn (4,000 a degree); coupled,
    all degrees from the same copies, without its $\frac p{p-1}$; the best law of a single degree.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.8), layout="constrained")
    axes = figure.subplots()
    kernel, p = ExponentialProduct(), np.linspace(1.05, 4, 100)
    axes.plot(p, bounds.map_second_moment(p, 1.0, kernel), color="C0", label="Lemma 3")
    coupled = [second_moments(q, 1.0, 1.0, kernel, AffineLoss(), coupled=True)[0] for q in p]
    axes.plot(p, coupled, "--", color="C1", label="coupled")
    best = importance_laws(1.0, 1.0, kernel, AffineLoss()).Bpsi
    axes.axhline(best, color="C2", linestyle="-.", label="best law of one degree")
    rows = [["p", "Lemma 3", "estimates drawn", "coupled", "best law of one degree"]]
    rng, size = np.random.default_rng(SEED), 4000
    oracle = NoisyOracle(np.full((size, 1), 0.8), InstanceNoise("rademacher", 0.36))
    for q in (1.25, 1.5, 2.0, 3.0):
        scheme, drawn = Scheme(kernel, Geometric(q)), 0.0
        # Degree by degree, weighted by its probability: few draws of high ones would mislead.
        for n, share in enumerate(scheme.law.pmf(20)):
            degrees = np.full(size, n)
            maps = scheme.build(degrees, 0 * degrees, np.arange(size), oracle, rng=rng)
            norms = np.square(maps.weights * maps.vectors.reshape(size, n).prod(axis=1))
            drawn += share * norms.mean()
        rows.append([f"{q:g}", f"{float(bounds.map_second_moment(q, 1.0, kernel)):.2f}",
                     f"{drawn:.2f}",
                     f"{second_moments(q, 1.0, 1.0, kernel, AffineLoss(), coupled=True)[0]:.2f}",
                     f"{best:.2f}"])
        axes.plot(q, drawn, "o", color="C3",
                  label="estimates drawn" if q == 1.25 else "_")
    axes.set(xlabel="p", ylabel="mean squared norm [1]", ylim=(0, None),
             title="All degrees from the same copies cost nothing and gain a factor")
    axes.legend(frameon=False)
    figure.set_label(
        "Mean squared norm of three estimates of a feature over p; the one with all degrees is "
        "lowest for small p."
    )
    return figure, rows


def gradient_moments() -> tuple[Figure, list[list[str]]]:
    r"""Lemma 2 at $p=2$. Left, the exact second moment of the gradient length over the bound, by
    the root mean square of $\langle w,\tilde\Psi\rangle$; with noisy labels the argument, and both
    sides, carry their second moment. Right, a regression loss at $w=0$ by the size of its label:
    print's right side, at $B_wB_\Psi=\frac14$, has no label in it.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.2, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    reach = np.linspace(0.02, 3, 60)
    losses = (SquaredLoss(1.0), ExponentialLoss(), SmoothedHinge(1.0))
    for i, loss in enumerate(losses):
        exact = second_moment(loss.coefficients(150), Geometric(2.0), reach**2)
        bound = bounds.gradient_second_moment(2.0, 1.0, reach**2, loss)
        left.plot(reach, exact / bound, ["-", "--", "-."][i], color=f"C{i}", label=loss.name)
    left.set(xlabel="root mean square of the estimated score", ylabel="exact / bound", ylim=(0, 1),
             title="Classification")
    left.legend(frameon=False)
    loss, y = SmoothedAbsolute(1.0), np.linspace(0, 3, 61)
    exact = np.asarray(second_moment(loss.coefficients(200), Geometric(2.0), y**2))
    printed = float(bounds.gradient_second_moment(2.0, 1.0, 0.25, loss))
    repaired = bounds.gradient_second_moment(2.0, 1.0, 0.25, loss, y)
    right.plot(y[1:], exact[1:], color="C0", label="exact, w = 0")
    right.axhline(printed, color="C1", linestyle="--", label="Lemma 2 as printed")
    right.plot(y, repaired, "-.", color="C2", label="with the label")
    right.set(xlabel="size of the label", ylabel="second moment [1]", yscale="log",
              title="Regression")
    right.legend(frameon=False)
    figure.set_label(
        "Left, ratios below 1 that fall as the score grows, for three losses. Right, the exact "
        "second moment rises through print's constant line and stays below the repaired one."
    )
    rows = [["size of the label", "exact", "as printed", "repaired"]]
    rows += [[f"{y[k]:g}", f"{exact[k]:.4g}", f"{printed:.4g}", f"{repaired[k]:.4g}"]
             for k in (10, 20, 40, 60)]
    return figure, rows


def binomial_kernels() -> Figure:
    r"""The smallest eigenvalue of the Gram matrix of eight points evenly on $[0,r]$, over the
    largest one: of $(1+xx')^{-1}$, as printed, it is below 0; of $(1-xx')^{-1}$, repaired, it never
    is.
    """
    from matplotlib import rcParams
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.4), layout="constrained")
    axes = figure.subplots()
    reach, kernel = np.linspace(0.05, 0.98, 80), BinomialProduct(1.0)
    for i, (sign, name) in enumerate(((-1.0, "as printed"), (1.0, "repaired"))):
        smallest = []
        for r in reach:
            x = np.linspace(0, r, 8)
            values = np.linalg.eigvalsh(kernel.at(sign * np.outer(x, x)))
            smallest.append(values[0] / values[-1])
        axes.plot(reach, smallest, ["-", "--"][i], color=f"C{1 - i}", label=name)
    axes.axhline(0, color=rcParams["axes.edgecolor"], linewidth=1)
    axes.set(xlabel="r", ylabel="smallest / largest eigenvalue",
             title="The printed binomial kernel is none")
    axes.legend(frameon=False)
    figure.set_label(
        "Smallest eigenvalue over the largest against the reach of the points: below zero for the "
        "printed kernel, zero to rounding for the repaired one."
    )
    return figure


def gaussian_units() -> Figure:
    r"""Theorem 2's $u$ for instances measured in another unit, $B_x=\sigma^2=\lambda^2$, $p=2$,
    $B_w=1$: kernel and problem stay the same, and print's $u$ does not.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.4), layout="constrained")
    axes = figure.subplots()
    unit = np.geomspace(0.1, 10, 60)
    printed = bounds.radius_gaussian_printed(2.0, 1.0, unit**2, unit**2)
    axes.plot(unit, printed, color="C1", label="as printed")
    axes.plot(unit, bounds.radius_gaussian(2.0, 1.0, unit**2, unit**2), "--", color="C0",
              label="repaired")
    axes.set(xlabel="unit of length", ylabel="u [RKHS norm squared]", xscale="log", yscale="log",
             title="A constant must not depend on the unit")
    axes.legend(frameon=False)
    figure.set_label(
        "u against the unit of length on logarithmic axes: the printed one falls from 10 to the "
        "18th power to 49, the repaired one is level."
    )
    return figure
