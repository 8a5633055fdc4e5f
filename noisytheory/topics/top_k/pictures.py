"""Figures 1 to 4 of the paper, drawn again."""

from __future__ import annotations

from typing import Any

import numpy as np

from noisytheory.topics.top_k.individual import individual

__all__ = ["figure_2"]


def figure_2() -> Any:
    r"""Individual losses shifted down by $\lambda$ and cut at 0: well classified points cost nothing."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    figure.set_label("Losses shifted down by a threshold and cut at zero, four thresholds each")
    t, r = np.linspace(-1.5, 2, 400), np.linspace(-1.5, 1.5, 400)
    colours = plt.get_cmap("viridis")(np.linspace(0, 0.8, 4))
    for colour, lam in zip(colours, (0.0, 0.2, 0.5, 0.7), strict=True):
        for axis, x, names in ((axes[0], t, ("logistic", "hinge")), (axes[1], r, ("square",
                                                                               "absolute"))):
            for name, style in zip(names, ("-", "--"), strict=True):
                loss = np.maximum(individual(name).psi(x) - lam, 0)
                label = rf"{name}, $\lambda={lam:g}$"
                axis.plot(x, loss, style, color=colour, label=label, linewidth=1.3)
    axes[0].step(t, t <= 0, where="mid", color="black", linewidth=1, label="0-1 loss")
    axes[0].axvspan(0, 2, color="0.9", zorder=0)
    axes[0].set(xlabel="margin", ylabel="loss", title="Classification")
    axes[1].set(xlabel="residual", title="Regression")
    for axis in axes:
        axis.legend(fontsize=6)
    return figure
