"""Figures of the paper on noisy copies: losses, second moments, regret, and adversaries."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from noisytheory.topics.online import bounds
from noisytheory.topics.online.adversaries import adaptive_value, expected_regret
from noisytheory.topics.online.degrees import Geometric
from noisytheory.topics.online.estimators import (
    debiased,
    importance_law,
    second_moment,
    second_moment_coupled,
)
from noisytheory.topics.online.planning import second_moments, trivial_regret
from noisytheory.topics.online.simulate_regret import Game, regret
from noisytheory.vocabulary.analytic import (
    AffineLoss,
    ExponentialLoss,
    SmoothedAbsolute,
    SmoothedHinge,
    SquaredLoss,
)
from noisytheory.vocabulary.dot_products import ExponentialProduct, LinearProduct
from noisytheory.vocabulary.instance_noise import InstanceNoise
from noisytheory.vocabulary.sequences import constant, hard_labels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "adaptive_adversary", "figure_1", "one_copy_two_copies", "regret_and_bound", "u_shape",
    "variance_against_cost",
]

SEED = 2026


def figure_1() -> Figure:
    r"""Figure 1: absolute loss and hinge, and their smooth approximations at $s=1$. They lie at
    most $1/\sqrt\pi=.564$ and half of that above, at the kinks. The range of the axes is ours.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.2, 3.4), layout="constrained")
    panels = figure.subplots(1, 2)
    a = np.linspace(-2, 2, 401)
    pairs = [("absolute loss", np.abs(a), SmoothedAbsolute(1.0), 0.0),
             ("hinge loss", np.maximum(1 - a, 0), SmoothedHinge(1.0), 1.0)]
    for axes, (name, sharp, smooth, kink) in zip(panels, pairs, strict=True):
        axes.plot(a, sharp, color="C0", label=name)
        axes.plot(a, smooth.at(a), "--", color="C1", label="smoothed, s = 1")
        top = float(smooth.at(kink))
        axes.plot([kink, kink], [0, top], color="C3", linewidth=1)
        axes.annotate(f"{top:.3f}", (kink, top), xytext=(0, 6), textcoords="offset points",
                      ha="center")
        axes.set(xlabel="argument", ylabel="loss [1]", ylim=(0, None), title=name)
        axes.legend(frameon=False)
    figure.set_label(
        "Absolute loss and hinge, each with its smoothed form at s = 1, as curves of loss "
        "against score: smoothing rounds off the kink."
    )
    return figure


def u_shape() -> tuple[Figure, list[list[str]]]:
    r"""The second moment of the estimate of $e^{\mathbb EX}$ over p, and its bound: it falls before
    it rises. $\mathbb EX^2=1$. Right, the squared radius u of Theorem 1 for the exponential kernel:
    the best p falls to 1 as instances grow.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.2, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    p = np.linspace(1.05, 5, 200)
    gamma = ExponentialLoss(1).coefficients(80)
    exact = np.array([float(second_moment(gamma, Geometric(q), 1.0)) for q in p])
    left.plot(p, exact, color="C0", label="second moment")
    left.plot(p, bounds.scalar_second_moment(p, 1.0, ExponentialLoss(1)), "--", color="C1",
              label="Lemma 1")
    left.plot(p[np.argmin(exact)], exact.min(), "o", color="C3")
    left.set(xlabel="p", ylabel="second moment [1]", yscale="log",
             title="It falls before it rises")
    left.legend(frameon=False)
    rows = [["Bx", "best p", "u at best p", "u at p = 2", "queries a round at best p"]]
    for i, Bx in enumerate((0.5, 1.0, 2.0, 4.0)):
        u = bounds.squared_radius(p, 1.0, Bx, ExponentialProduct())
        right.plot(p, u, color=f"C{i}", linestyle=["-", "--", "-.", ":"][i], label=f"Bx = {Bx:g}")
        best = (1 + math.sqrt(1 + 8 / Bx)) / 2
        at = float(bounds.squared_radius(best, 1.0, Bx, ExponentialProduct()))
        right.plot(best, at, "o", color=f"C{i}")
        rows.append([f"{Bx:g}", f"{best:.3f}", f"{at:.1f}",
                     f"{float(bounds.squared_radius(2.0, 1.0, Bx, ExponentialProduct())):.1f}",
                     f"{float(bounds.expected_queries(best)):.2f}"])
    right.set(xlabel="p", ylabel="squared radius u [RKHS norm squared]", yscale="log",
              title="The best p falls to 1")
    right.legend(frameon=False)
    figure.set_label(
        "Second moments over p: the curves fall and then rise; on the right, on a "
        "logarithmic axis, a dot marks where each is smallest."
    )
    return figure, rows


def variance_against_cost() -> tuple[Figure, list[list[str]]]:
    r"""Second moment against expected samples, of $e^{\mathbb EX}$ with $\mathbb EX=\frac12$,
    $\mathbb EX^2=\frac54$: geometric degrees over p, all degrees of the same samples (coupled), and
    the best law of N for a price a sample. No unbiased estimate is below $e^{2\mathbb EX}=2.718$.
    """
    from matplotlib import rcParams
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    axes = figure.subplots()
    gamma = ExponentialLoss(1).coefficients(60)
    p = np.geomspace(1.15, 6, 60)
    cost = 1 / (p - 1)
    single = [float(second_moment(gamma, Geometric(q), 1.25)) for q in p]
    coupled = [second_moment_coupled(gamma, Geometric(q), 1.25, 0.5) for q in p]
    laws = [importance_law(gamma, 1.25, price=price) for price in np.geomspace(1e-3, 1e3, 40)]
    axes.plot(cost, single, color="C0", label="geometric, one degree (print)")
    axes.plot(cost, coupled, "--", color="C1", label="geometric, coupled")
    axes.plot([law.mean for law in laws],
              [float(second_moment(gamma, law, 1.25)) for law in laws], "-.", color="C2",
              label="best law of N")
    rng = np.random.default_rng(SEED)
    found = debiased(np.exp, lambda count, rng: 0.5 + rng.choice([-1.0, 1.0], count), size=200_000,
                     rng=rng)
    level = float(np.mean(found.values**2))
    axes.plot(found.samples.mean(), level, "s", color="C3", label="debiased, multilevel")
    axes.axhline(math.e, color=rcParams["axes.edgecolor"], linewidth=1)
    axes.annotate("no unbiased estimate is below", (0.25, math.e), xytext=(0, 3),
                  textcoords="offset points", fontsize="small")
    axes.set(xlabel="expected samples", ylabel="second moment [1]", yscale="log", xscale="log",
             title="What an unbiased estimate costs",
             ylim=(2.2, 60))
    axes.legend(frameon=False)
    figure.set_label(
        "Second moment of four unbiased estimates against their expected number of samples: "
        "lower and further left is better."
    )
    best = int(np.argmin(single))
    least = min(laws, key=lambda law: float(second_moment(gamma, law, 1.25)))
    rows = [
        ["estimate", "expected samples", "second moment"],
        ["geometric, best p", f"{cost[best]:.2f}", f"{single[best]:.3f}"],
        ["coupled, best p", f"{cost[int(np.argmin(coupled))]:.2f}", f"{min(coupled):.3f}"],
        ["best law of N", f"{least.mean:.2f}", f"{float(second_moment(gamma, least, 1.25)):.3f}"],
        ["debiased, simulated", f"{found.samples.mean():.2f}", f"{level:.2f}"],
    ]
    return figure, rows


def regret_and_bound() -> tuple[Figure, list[list[str]]]:
    r"""Regret, bound and what is true anyway over the number of rounds. Linear loss on the hardest
    labels known, exactly, $p=2$: the bound is close and soon useful. Exponential loss in the unit
    ball, $B_x=2$: it says nothing before some 3,200 rounds.
    """
    from matplotlib import rcParams
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.2, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    rounds = [8 * m * m for m in (1, 2, 3, 4, 6, 8, 12, 16)]
    exact = []
    for T in rounds:
        m = round(math.sqrt(T / 8))
        lean = 0.35 * math.sqrt(min(1.0, 128 / T))
        labels = hard_labels(T, lean, max(1, round(2.2 * math.sqrt(T)))).y
        exact.append(expected_regret(labels, m, 8.0))
    linear, unit = LinearProduct(), AffineLoss()
    bound = bounds.regret(np.array(rounds), 2.0, 1.0, 1.0, linear, unit)
    left.loglog(rounds, exact, "o-", color="C0", label="regret, exact")
    left.loglog(rounds, bound, "--", color="C1", label="Theorem 1")
    left.loglog(rounds, [trivial_regret(T, 1.0, 1.0, unit) for T in rounds], ":",
                color=rcParams["axes.edgecolor"], label="true anyway")
    left.set(xlabel="rounds", ylabel="regret [loss]", title="linear loss")
    left.legend(frameon=False)
    loss, many = ExponentialLoss(), [30, 100, 300, 1000, 3000, 10_000]
    Bpsi, Bg = second_moments(2.0, 1.0, 2.0, linear, loss)
    rng, seen = np.random.default_rng(SEED), []
    for T in many:
        game = Game(hard_labels(T, 0.35, round(2 * math.sqrt(T))), linear, loss,
                    InstanceNoise("rademacher", 1.0), 2.0, 1.0, math.sqrt(1 / (Bpsi * Bg)), T)
        seen.append(float(regret(game, size=100, rng=rng).mean()))
    wide = np.geomspace(30, 1e5, 40)
    right.loglog(many, seen, "o-", color="C0", label="regret, simulated")
    right.loglog(wide, float(bounds.general_regret(1, 1.0, Bg, Bpsi)) * np.sqrt(wide), "--",
                 color="C1", label="Theorem 1")
    each = trivial_regret(1, 1.0, 2.0, loss)
    right.loglog(wide, each * wide, ":", color=rcParams["axes.edgecolor"], label="true anyway")
    right.set(xlabel="rounds", ylabel="regret [loss]", title="exponential loss")
    right.legend(frameon=False)
    figure.set_label(
        "Regret below the bound, and the bound below what is true anyway from some T on, "
        "against the number of rounds T."
    )
    rows = [["rounds", "regret / bound", "bound / true anyway"]]
    rows += [[f"{T}", f"{r / b:.3f}", f"{b / trivial_regret(T, 1.0, 1.0, unit):.3f}"]
             for T, r, b in zip(rounds, exact, bound, strict=True)]
    return figure, rows


def one_copy_two_copies() -> tuple[Figure, list[list[str]]]:
    r"""Regret a round of descent with the squared loss at $x=y=1$, unit noise: the product of two
    copies, one copy, and the mean of two used as one. Only the first vanishes; the others approach
    $\big(\frac{s^2/m}{1+s^2/m}\big)^2$, drawn as lines.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.8), layout="constrained")
    axes = figure.subplots()
    rng = np.random.default_rng(SEED)
    rounds = [30, 100, 300, 1000, 3000]
    rows = [["rounds", "two copies", "one copy", "mean of two"]]
    series: list[list[float]] = [[], [], []]
    for T in rounds:
        base = Game(constant(T), LinearProduct(), SquaredLoss(0.0, "regression"),
                    InstanceNoise("gaussian", 1.0), 2.0, 4.0, 1 / 5.4, T, 2)
        for values, game in zip(
            series, (base, replace(base, copies=1), replace(base, together=True)), strict=True
        ):
            values.append(float(regret(game, size=300, rng=rng).mean()) / T)
        rows.append([f"{T}", *(f"{values[-1]:.4f}" for values in series)])
    names = ("product of two copies", "one copy", "mean of two copies")
    for i, (name, values) in enumerate(zip(names, series, strict=True)):
        axes.loglog(rounds, values, marker="os^"[i], color=f"C{i}", label=name)
    for m, colour in ((1, "C1"), (2, "C2")):
        axes.axhline(float(bounds.averaging_floor(m, 1.0)), color=colour, linestyle=":")
    axes.set(xlabel="rounds", ylabel="regret a round [loss]",
             title="One copy is not enough")
    axes.set_yticks([0.03, 0.1, 0.3], ["0.03", "0.1", "0.3"])
    axes.tick_params(axis="y", which="minor", left=False)
    axes.legend(frameon=False)
    figure.set_label(
        "Regret a round against the number of rounds: with two copies it falls, with one "
        "copy it stays."
    )
    return figure, rows


def adaptive_adversary() -> tuple[Figure, list[list[str]]]:
    r"""What the best adversary who sees the predictor forces, over the bound of Theorem 4, by
    dynamic programming, $p=2$. Above 1 the bound is broken; at 2 stands the repaired one. Against a
    comparator fixed in advance it holds and is nearly attained. Below, labels fixed in advance.
    """
    from matplotlib import rcParams
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.8), layout="constrained")
    axes = figure.subplots()
    sizes = (1, 2, 3, 4, 6, 8)
    rounds = [8 * m * m for m in sizes]
    rows = [["rounds", "adaptive", "adaptive, comparator fixed", "labels fixed"]]
    curves: list[list[float]] = [[], [], []]
    for m, T in zip(sizes, rounds, strict=True):
        scale = math.sqrt(8 * T)
        lean = 0.35 if T <= 128 else 0.35 * math.sqrt(128 / T)
        labels = hard_labels(T, lean, max(1, round(2.2 * math.sqrt(T)))).y
        found = (adaptive_value(2.0, T), adaptive_value(2.0, T, fixed=True),
                 expected_regret(labels, m, 8.0))
        for curve, value in zip(curves, found, strict=True):
            curve.append(value / scale)
        rows.append([f"{T}", *(f"{v / scale:.4f}" for v in found)])
    names = ("adaptive", "adaptive, comparator fixed", "labels fixed in advance")
    for i, (name, curve) in enumerate(zip(names, curves, strict=True)):
        axes.semilogx(rounds, curve, marker="os^"[i], color=f"C{i}", label=name)
    for level, name in ((1, "Theorem 4"), (2, "repaired")):
        axes.axhline(level, color=rcParams["axes.edgecolor"], linestyle="--", linewidth=1)
        axes.annotate(name, (rounds[0], level), xytext=(0, 3), textcoords="offset points")
    axes.set(xlabel="rounds", ylabel="regret / bound [1]", ylim=(0, 2.2),
             title="Adaptive labels break the bound")
    axes.legend(frameon=False, loc="lower right")
    figure.set_label(
        "Regret over bound against the number of rounds: adaptive labels break the bound "
        "from ten rounds on."
    )
    return figure, rows
