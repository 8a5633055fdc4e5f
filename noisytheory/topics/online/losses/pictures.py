"""Figure 1: losses and their smooth approximations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from noisytheory.topics.online.losses import bounds
from noisytheory.vocabulary.analytic import SmoothedAbsolute, SmoothedHinge

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["figure_1", "majorants"]


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
        axes.annotate(f"{top:.3f}", (kink, top), xytext=(0, 10), textcoords="offset points",
                      ha="left" if kink else "center")
        axes.set(xlabel="argument", ylabel="loss [1]", ylim=(0, None), title=name)
        axes.legend(frameon=False)
    figure.set_label(
        "Absolute loss and hinge, each with its smoothed form at s = 1, as curves of loss "
        "against score: smoothing rounds off the kink."
    )
    return figure


def majorants() -> Figure:
    r"""Formulas for $\ell'_+$ over the exact series: below 1 they are false. Left, Example 3, over
    $z=sa$; right, Example 4 at $s=1$, over $a$, as printed, with its 1 outside of the exponent,
    with the formula of Example 3, and our two.
    """
    from matplotlib import rcParams
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.2, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    a = np.linspace(0.05, 3, 80)
    exact, hinge = SmoothedAbsolute(1.0).majorant(a), SmoothedHinge(1.0).majorant(a)
    curves = [
        (left, "as printed", bounds.absolute_majorant_printed(a) / exact),
        (left, "repaired", bounds.absolute_majorant(a) / exact),
        (right, "as printed", bounds.hinge_majorant_printed(1.0, a) / hinge),
        (right, "1 outside", bounds.absolute_majorant(a) / hinge),
        (right, "Example 3's", bounds.absolute_majorant_printed(a) / hinge),
        (right, "repaired", bounds.hinge_majorant_cramer(1.0, a) / hinge),
        (right, "simple", bounds.hinge_majorant_shifted(1.0, a) / hinge),
    ]
    looks = {"as printed": ("-", "C1"), "repaired": ("--", "C0"), "1 outside": (":", "C3"),
             "Example 3's": ("-.", "C4"), "simple": ((0, (6, 2)), "C2")}
    for axes, name, ratio in curves:
        style, colour = looks[name]
        axes.plot(a, ratio, linestyle=style, color=colour, label=name)
    for axes, title, along in ((left, "Example 3", "z"), (right, "Example 4, s = 1", "a")):
        axes.axhline(1, color=rcParams["axes.edgecolor"], linewidth=1)
        axes.set(xlabel=along, ylabel="formula / exact series [1]", ylim=(0, 4), title=title)
        axes.legend(frameon=False, ncols=2)
    figure.set_label(
        "Ratios of formulas to the exact series: the printed ones and two readings of them fall "
        "below 1, the repaired ones never do."
    )
    return figure
