"""Figures: regret and its bound, one copy and two."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from noisytheory.topics.online.adversaries import expected_regret
from noisytheory.topics.online.planning import second_moments
from noisytheory.topics.online.prospects import trivial_regret
from noisytheory.topics.online.regrets import bounds
from noisytheory.topics.online.regrets.simulate import Game, regret
from noisytheory.trial.kept import drawn_from
from noisytheory.vocabulary.analytic import AffineLoss, ExponentialLoss, SquaredLoss
from noisytheory.vocabulary.dot_products import LinearProduct
from noisytheory.vocabulary.instance_noise import InstanceNoise
from noisytheory.vocabulary.sequences import constant, hard_labels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from noisytheory.trial.kept import Numbers

__all__ = ["one_copy_two_copies", "regret_and_bound"]

SEED = 2026


MANY = (30, 100, 300, 1000, 3000, 10_000)
ROUNDS = (30, 100, 300, 1000, 3000)
LINEAR, EXPONENTIAL = LinearProduct(), ExponentialLoss()


def regret_over_rounds() -> dict[str, Any]:
    """Mean regret with the exponential loss, 100 runs each."""
    Bpsi, Bg = second_moments(2.0, 1.0, 2.0, LINEAR, EXPONENTIAL)
    rng, seen = np.random.default_rng(SEED), []
    for T in MANY:
        game = Game(hard_labels(T, 0.35, round(2 * math.sqrt(T))), LINEAR, EXPONENTIAL,
                    InstanceNoise("rademacher", 1.0), 2.0, 1.0, math.sqrt(1 / (Bpsi * Bg)), T)
        seen.append(float(regret(game, size=100, rng=rng).mean()))
    return {"regret": seen}


@drawn_from(regret_over_rounds)
def regret_and_bound(found: Numbers) -> tuple[Figure, list[list[str]]]:
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
    unit = AffineLoss()
    bound = bounds.regret(np.array(rounds), 2.0, 1.0, 1.0, LINEAR, unit)
    left.loglog(rounds, exact, "o-", color="C0", label="regret, exact")
    left.loglog(rounds, bound, "--", color="C1", label="Theorem 1")
    left.loglog(rounds, [trivial_regret(T, 1.0, 1.0, unit) for T in rounds], ":",
                color=rcParams["axes.edgecolor"], label="true anyway")
    left.set(xlabel="rounds", ylabel="regret [loss]", title="linear loss")
    left.legend(frameon=False)
    Bpsi, Bg = second_moments(2.0, 1.0, 2.0, LINEAR, EXPONENTIAL)
    wide = np.geomspace(30, 1e5, 40)
    right.loglog(MANY, found["regret"], "o-", color="C0", label="regret, simulated")
    right.loglog(wide, float(bounds.general_regret(1, 1.0, Bg, Bpsi)) * np.sqrt(wide), "--",
                 color="C1", label="Theorem 1")
    each = trivial_regret(1, 1.0, 2.0, EXPONENTIAL)
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


def regret_by_copies() -> dict[str, Any]:
    """Mean regret a round by what is made of copies, 300 runs each."""
    rng = np.random.default_rng(SEED)
    series: list[list[float]] = [[], [], []]
    for T in ROUNDS:
        base = Game(constant(T), LinearProduct(), SquaredLoss(0.0, "regression"),
                    InstanceNoise("gaussian", 1.0), 2.0, 4.0, 1 / 5.4, T, 2)
        for values, game in zip(
            series, (base, replace(base, copies=1), replace(base, together=True)), strict=True
        ):
            values.append(float(regret(game, size=300, rng=rng).mean()) / T)
    return {"regret": series}


@drawn_from(regret_by_copies)
def one_copy_two_copies(found: Numbers) -> tuple[Figure, list[list[str]]]:
    r"""Regret a round of descent with the squared loss at $x=y=1$, unit noise: the product of two
    copies, one copy, and the mean of two used as one. Only the first vanishes; the others approach
    $\big(\frac{s^2/m}{1+s^2/m}\big)^2$, drawn as lines.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.8), layout="constrained")
    axes = figure.subplots()
    series = found["regret"]
    rows = [["rounds", "two copies", "one copy", "mean of two"]]
    rows += [[f"{T}", *(f"{value:.4f}" for value in values)]
             for T, values in zip(ROUNDS, series.T, strict=True)]
    names = ("product of two copies", "one copy", "mean of two copies")
    for i, (name, values) in enumerate(zip(names, series, strict=True)):
        axes.loglog(ROUNDS, values, marker="os^"[i], color=f"C{i}", label=name)
    for m, colour, limit in ((1, "C1", "limit of one"), (2, "C2", "limit of the mean")):
        axes.axhline(
            float(bounds.averaging_floor(m, 1.0)), color=colour, linestyle=":", label=limit
        )
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
