"""Figure: an adversary who adapts."""

from __future__ import annotations

import math
from itertools import count
from typing import TYPE_CHECKING

from noisytheory.topics.online.adversaries import adaptive_value, expected_regret
from noisytheory.vocabulary.sequences import hard_labels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["adaptive_adversary"]


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
        axes.annotate(name, (rounds[1], level), xytext=(0, 3), textcoords="offset points")
    first = next(T for T in count(1) if adaptive_value(2.0, T) > math.sqrt(8 * T))
    axes.axvline(first, color=rcParams["axes.edgecolor"], linestyle=":", linewidth=1)
    axes.annotate(f"first above 1\nat T = {first}", (first, 1.5), xytext=(4, 0),
                  textcoords="offset points")
    axes.set(xlabel="rounds", ylabel="regret / bound [1]", ylim=(0, 2.2),
             title="Adaptive labels break the bound")
    axes.legend(frameon=False, loc="lower right")
    figure.set_label(
        "Regret over bound against the number of rounds: adaptive labels first break the bound "
        f"at {first} rounds, and by more the more rounds there are."
    )
    return figure, rows
