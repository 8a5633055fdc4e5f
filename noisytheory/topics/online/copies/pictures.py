"""Figures: mean gradients from one copy and from two; what one copy cannot tell apart."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from noisytheory.topics.online.copies.sides import Copies, linear_gradient, squared_gradient
from noisytheory.topics.online.separation import least_regret

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["mean_gradients", "separation"]


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
    left.set_ylabel("mean gradient [loss a unit of w]")
    figure.set_label(
        "Mean gradients against w. Squared loss: the line of one copy is steeper and has its zero "
        "at one half, the others lie on that of the clean instance. Linear loss: one line."
    )
    return figure


def separation() -> Figure:
    r"""Theorems 3 and 5: what a round costs a learner that plays w, beyond the best, in environment
    A, where instances are 3 or -1 without noise, and in B, where the instance is 1 and copies look
    the same. No w has less than $\delta$, the dot, in both.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.2, 3.4), layout="constrained")
    panels = figure.subplots(1, 2)
    w = np.linspace(-2, 2, 4001)
    losses: dict[str, Callable[[Any], Any]] = {
        "Squared loss": lambda v: (v - 1) ** 2, "Hinge loss": lambda v: np.maximum(1 - v, 0),
    }
    for axes, (name, loss) in zip(panels, losses.items(), strict=True):
        risks = [(loss(3 * w) + loss(-w)) / 2, loss(w)]
        excess = np.array([risk - risk.min() for risk in risks])
        for i, (risk, letter) in enumerate(zip(excess, "AB", strict=True)):
            axes.plot(w, risk, linestyle=["-", "--"][i], color=f"C{i}",
                      label=f"environment {letter}")
        delta = least_regret(loss, (3.0, -1.0, 0.5), -2.0, 2.0)[0]
        axes.plot(w[np.argmin(excess.max(axis=0))], delta, "o", color="C3",
                  label=rf"$\delta={delta:.4f}$")
        axes.set(xlabel="w", ylabel="excess risk [loss]", xlim=(-0.5, 1.6), ylim=(0, 1.2),
                 title=name)
        axes.legend(frameon=False)
    figure.set_label(
        "Excess risks in both environments against w, for two losses: where one is zero the other "
        "is not, and the lowest point of the larger one is marked."
    )
    return figure
