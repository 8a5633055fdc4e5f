"""Figures: second moments of features and of gradient lengths, kernels, norms and calls."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from noisytheory.topics.online.degrees import Fixed, Geometric
from noisytheory.topics.online.descent import Rule, descend, draw_tape
from noisytheory.topics.online.estimators import second_moment
from noisytheory.topics.online.features import bounds
from noisytheory.topics.online.maps import NoisyOracle, Scheme, fixed
from noisytheory.topics.online.planning import (
    gaussian_map_moment,
    importance_laws,
    second_moments,
)
from noisytheory.topics.online.queries.bounds import inner_products, prod_calls
from noisytheory.trial.kept import drawn_from
from noisytheory.vocabulary.analytic import (
    AffineLoss,
    ExponentialLoss,
    SmoothedAbsolute,
    SmoothedHinge,
    SquaredLoss,
)
from noisytheory.vocabulary.dot_products import (
    BinomialProduct,
    ExponentialProduct,
    LinearProduct,
)
from noisytheory.vocabulary.instance_noise import InstanceNoise

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from noisytheory.trial.kept import Numbers

__all__ = [
    "binomial_kernels", "estimated_kernel", "gaussian_units", "gradient_moments", "map_moments",
    "norms_and_calls",
]

SEED = 2026


SIZE, REACHES = 4000, (1.25, 1.5, 2.0, 3.0)
POINTS = np.linspace(-1, 1.5, 11)
T, LAW, SCHEME = 80, Fixed(1), fixed(LinearProduct())
RULE = Rule(0.25, 0.5, T=T, coupled=True)
PROJECTED = {"as printed": replace(RULE, projection="printed"), "repaired": RULE}


def norms_drawn() -> dict[str, Any]:
    """Mean squared norms of estimated features over p."""
    rng = np.random.default_rng(SEED)
    oracle = NoisyOracle(np.full((SIZE, 1), 0.8), InstanceNoise("rademacher", 0.36))
    means = []
    for q in REACHES:
        scheme, drawn = Scheme(ExponentialProduct(), Geometric(q)), 0.0
        # Degree by degree, weighted by its probability: few draws of high ones would mislead.
        for n, share in enumerate(scheme.law.pmf(20)):
            degrees = np.full(SIZE, n)
            maps = scheme.build(degrees, 0 * degrees, np.arange(SIZE), oracle, rng=rng)
            norms = np.square(maps.weights * maps.vectors.reshape(SIZE, n).prod(axis=1))
            drawn += share * norms.mean()
        means.append(drawn)
    return {"means": means}


@drawn_from(norms_drawn)
def map_moments(found: Numbers) -> tuple[Figure, list[list[str]]]:
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
    for q, drawn in zip(REACHES, found["means"], strict=True):
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
    printed = float(bounds.gradient_second_moment(2.0, 1.0, 0.25, loss, 0.0))
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
    axes.set(xlabel="r", ylabel="smallest / largest eigenvalue [1]",
             title="The printed binomial kernel is none")
    axes.legend(frameon=False)
    figure.set_label(
        "Smallest eigenvalue over the largest against the reach of the points: below zero for the "
        "printed kernel, zero to rounding for the repaired one."
    )
    return figure


def gaussian_units() -> Figure:
    r"""Theorem 2 at $p=2$. Left, the exact second moment of the map of a clean instance,
    $B_x=\|x\|^2$ and $\sigma^2=1$, beside what the printed $u$ says of it, and the repaired one.
    Right, $u$ in other units, $B_x=\sigma^2=\lambda^2$: the problem stays, print's $u$ does not.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.2, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    size, unit = np.linspace(0.05, 3, 60), np.geomspace(0.1, 10, 60)
    exact = [gaussian_map_moment(2.0, Bx, Bx**2, 1.0) for Bx in size]
    left.plot(size, exact, "-.", color="C2", label="exact")
    for axes, values, printed, repaired in (
        (left, size, bounds.map_second_moment_gaussian_printed(2.0, size, 1.0),
         bounds.map_second_moment_gaussian(2.0, size, 1.0)),
        (right, unit, bounds.radius_gaussian_printed(2.0, 1.0, unit**2, unit**2),
         bounds.radius_gaussian(2.0, 1.0, unit**2, unit**2)),
    ):
        axes.plot(values, printed, color="C1", label="as printed")
        axes.plot(values, repaired, "--", color="C0", label="repaired")
        axes.set_yscale("log")
        axes.legend(frameon=False)
    left.set(xlabel="squared norm of the instance", ylabel="second moment [1]",
             title="The bound falls short")
    right.set(xlabel="unit of length", ylabel="u [RKHS norm squared]", xscale="log",
              title="A constant must not depend on the unit")
    figure.set_label(
        "Left, the exact second moment crosses the printed bound near 1 and stays below the "
        "repaired one. Right, u against the unit of length: the printed one falls from 10 to the "
        "18th power to 49, the repaired one is level."
    )
    return figure


def norms_of_a_run() -> dict[str, Any]:
    """Squared norm of the predictor over the rounds of one run, by how it is projected."""
    oracle = NoisyOracle(np.ones((T, 1)), InstanceNoise("rademacher", 0.25))
    tape = draw_tape(T, SCHEME, LAW, oracle, rng=np.random.default_rng(SEED))
    return {
        name: descend(tape, np.ones(T), SCHEME, SquaredLoss(1.0), LAW, how).norms
        for name, how in PROJECTED.items()
    }


@drawn_from(norms_of_a_run)
def norms_and_calls(found: Numbers) -> Figure:
    r"""Algorithm 1. Left, the squared norm of the predictor over the rounds of one run with two
    copies a round, in a ball with $B_w=\frac14$, projected as printed and repaired. Right, expected
    inner products of estimates, $p=2$: all pairs for every norm, as printed, and incremental norms.
    """
    from matplotlib import rcParams
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.2, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    for i, name in enumerate(PROJECTED):
        left.step(np.arange(T), found[name], where="post", color=f"C{1 - i}",
                  linestyle=["-", "--"][i], label=name)
    left.axhline(0.25, color=rcParams["axes.edgecolor"], linewidth=1, linestyle=":", label="ball")
    left.set(xlabel="round", ylabel="squared norm [1]",
             title="The printed projection leaves the ball")
    left.legend(frameon=False)
    rounds = np.geomspace(10, 1e5, 40).round()
    counts = {"as printed": prod_calls, "incremental": inner_products}
    for i, (name, count) in enumerate(counts.items()):
        right.loglog(rounds, count(rounds, 2.0), ["-", "--"][i], color=f"C{1 - i}", label=name)
    right.set(xlabel="rounds", ylabel="inner products [count]", title="One power of T less")
    right.legend(frameon=False)
    figure.set_label(
        "Left, the squared norm jumps above the ball with the printed projection and stays within "
        "it with the repaired one. Right, two lines on logarithmic axes, of slopes 3 and 2."
    )
    return figure


def means_of_prod() -> dict[str, Any]:
    """Means of Prod, and of the kernel at noisy copies, at points of the line."""
    kernel, law, size = ExponentialProduct(), Geometric(2.0), SIZE
    scheme, noise = Scheme(kernel, law), InstanceNoise("rademacher", 0.25)
    rng = np.random.default_rng(SEED)
    root, means, noisy = np.sqrt(kernel.coefficients(16)), [], []
    for x in POINTS:
        oracle, mean = NoisyOracle(np.full((size, 1), x), noise), 0.0
        for n, share in enumerate(law.pmf(16)):
            degrees = np.full(size, n)
            maps = scheme.build(degrees, 0 * degrees, np.arange(size), oracle, rng=rng)
            products = maps.weights * maps.vectors.reshape(size, n).prod(axis=1)
            mean += share * root[n] * products.mean()
        means.append(mean)
        noisy.append(np.exp(oracle.take(np.arange(size), rng=rng)).mean())
    return {"Prod": means, "noisy": noisy}


@drawn_from(means_of_prod)
def estimated_kernel(found: Numbers) -> Figure:
    r"""Exponential kernel on the line, $x'=1$, noise of variance $\frac14$ on x. The mean of Prod,
    of an estimated feature of x and the known $x'$, is $k(x,x')$ (4,000 draws a degree, $p=2$);
    that of the kernel at noisy copies is larger, by $\cosh\frac12$ for noise of two values.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    axes.plot(POINTS, np.exp(POINTS), color="C0", label="kernel of clean instances")
    axes.plot(POINTS, found["Prod"], "o", color="C2", label="Prod, mean")
    axes.plot(POINTS, found["noisy"], "s", color="C1", label="kernel of noisy copies, mean")
    axes.set(xlabel="x", ylabel="kernel value with x' = 1 [1]", title="Prod has the right mean")
    axes.legend(frameon=False)
    figure.set_label(
        "Kernel values against x: means of Prod lie on the curve of the clean instances, those of "
        "noisy copies above it."
    )
    return figure
