"""Figure: the mean gradient from one copy and from two."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from noisytheory.topics.online.copies.sides import Copies, linear_gradient, squared_gradient

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["mean_gradients"]


def mean_gradients() -> Figure:
    r"""Mean gradients at $x=y=1$ with noise of unit variance, all outcomes enumerated. Squared
    loss: one copy pulls towards a $w$ too small, by twice the variance times $w$; two copies, or
    one and the variance known, do not. Linear loss: one copy is enough.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.2, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    w = np.linspace(-0.5, 2, 26)
    one = np.ones_like(w)
    at = Copies(w, x=one, noise=one, y=one, c=-one)
    target = squared_gradient(at, 2, 0)["rhs"]
    for axes, (name, found, wanted) in (
        (left, ("one copy", squared_gradient(at, 1, 0)["lhs"], target)),
        (left, ("two copies", squared_gradient(at, 2, 0)["lhs"], None)),
        (left, ("one copy, variance known", squared_gradient(at, 1, Fraction(1))["lhs"], None)),
        (right, ("one copy", linear_gradient(at, 0)["lhs"], -at.x)),
    ):
        if wanted is not None:
            axes.plot(w, wanted, color="C5", linewidth=5, alpha=0.5, label="of the clean instance")
        style = {"one copy": ("--", "C1"), "two copies": ("-", "C0")}.get(name, (":", "C2"))
        axes.plot(w, found, linestyle=style[0], color=style[1], label=name)
    for axes, title in ((left, "Squared loss"), (right, "Linear loss")):
        axes.set(xlabel="w", title=title)
        axes.legend(frameon=False)
    left.set_ylabel("mean gradient")
    figure.set_label(
        "Mean gradients against w. Squared loss: the line of one copy is steeper and has its zero "
        "at one half, the others lie on that of the clean instance. Linear loss: one line."
    )
    return figure
