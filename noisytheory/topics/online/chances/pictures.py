"""Figure: how rare large regret is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from noisytheory.topics.online.adversaries import lattice, regret_law
from noisytheory.topics.online.chances import bounds
from noisytheory.topics.online.regrets.bounds import regret
from noisytheory.vocabulary.analytic import AffineLoss
from noisytheory.vocabulary.dot_products import LinearProduct
from noisytheory.vocabulary.sequences import hard_labels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["tail_of_regret"]


def tail_of_regret() -> tuple[Figure, list[list[str]]]:
    r"""How often the regret exceeds a multiple of Theorem 1's bound, which is on its mean: linear
    loss, the hardest labels known, $p=2$, exactly. Beside it the candidate that is on trial,
    $1+\sqrt{2\ln(1/\delta)}$ times the bound with probability $\delta$ at most.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    levels = np.geomspace(0.9, 1e-4, 60)
    rows = [["rounds", *(f"regret / bound at {level:g}" for level in (0.1, 0.01, 0.001))]]
    for i, T in enumerate((32, 128, 512)):
        labels = hard_labels(T, 0.35, round(2.2 * math.sqrt(T))).y
        values, probabilities = regret_law(labels, *lattice(2.0, T))
        order = np.argsort(values)
        bound = float(regret(T, 2.0, 1.0, 1.0, LinearProduct(), AffineLoss()))
        ratio = np.asarray(values)[order] / bound
        beyond = 1 - np.cumsum(np.asarray(probabilities)[order])
        drawn = np.unique(np.linspace(0, np.argmax(beyond < 1e-5), 200).astype(int))
        axes.step(ratio[drawn], beyond[drawn], where="post", color=f"C{i}",
                  linestyle=["-", "--", "-."][i], label=f"{T} rounds")
        rows.append([f"{T}", *(f"{ratio[np.argmax(beyond <= level)]:.2f}"
                               for level in (0.1, 0.01, 0.001))])
    axes.plot(bounds.regret_tail(1, 1.0, 1.0, levels), levels, ":", color="C3",
              label="candidate")
    rows.append(["candidate", *(f"{float(bounds.regret_tail(1, 1.0, 1.0, level)):.2f}"
                                for level in (0.1, 0.01, 0.001))])
    axes.set(xlabel="regret / bound", ylabel="probability of more [1]", yscale="log",
             ylim=(1e-4, 1.5), xlim=(0, None), title="Large regret is rare")
    axes.legend(frameon=False)
    figure.set_label(
        "Probability that the regret exceeds a multiple of the bound, on a logarithmic axis, for "
        "three numbers of rounds, and the candidate above them."
    )
    return figure, rows
