"""Figure 1: losses and their smooth approximations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from noisytheory.vocabulary.analytic import SmoothedAbsolute, SmoothedHinge

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["figure_1"]


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
