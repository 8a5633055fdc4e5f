"""Figure 3: the three points, the classifiers that they fool, and at which noise rate."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from noisytheory.topics.surrogates.bounds import hinge_threshold
from noisytheory.topics.surrogates.long_servedio.simulate import threshold
from noisytheory.topics.surrogates.long_servedio.three_points import (
    HINGE,
    MASSES,
    margins,
    minimisers,
    points,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["hyperplanes"]

FAR, NOISE = Fraction(30), Fraction(15, 100)


def hyperplanes() -> Figure:
    r"""Figure 3 (Figure 2 of the earlier version): the three points, all positive, and the
    hyperplanes that minimisers choose. Label noise at rate 0.15 turns the hinge minimiser until it
    loses the southern point, half of the mass; the mean keeps its direction. Right: how much noise
    hinge loss bears, by the distance R of the third point.
    """
    from matplotlib import rcParams
    from matplotlib.figure import Figure

    ink = rcParams["text.color"]
    figure = Figure(figsize=(9.6, 3.7), layout="constrained")
    whole, near, rates = figure.subplots(1, 3, width_ratios=[1.35, 1.0, 1.1])
    mean = (
        sum((m * p[0] for m, p in zip(MASSES, points(FAR), strict=True)), Fraction(0)),
        sum((m * p[1] for m, p in zip(MASSES, points(FAR), strict=True)), Fraction(0)),
    )
    chosen = [
        ("hinge, no noise", (Fraction(1), Fraction(0)), ink, "-"),
        ("hinge, σ = 0.15", minimisers(FAR, NOISE, HINGE)[1][0], ink, (0, (5, 2))),
        ("mean, every σ < 1/2", mean, "C1", "-"),
    ]
    for axes in (whole, near):
        for label, omega, colour, dash in chosen:
            _hyperplane(axes, omega, color=colour, linestyle=dash, label=label)
        for mass, (x, y) in zip(MASSES, points(FAR), strict=True):
            axes.plot(
                [float(x)], [float(y)], "o", color="C0", markersize=16 * float(mass) ** 0.5,
                zorder=3, label="point, area by mass" if mass == max(MASSES) else "_",
            )
    whole.set(
        xlim=(-3, 33), ylim=(-4.6, 4.6), xlabel="first coordinate", ylabel="second coordinate",
        title="All three points, R = 30",
    )
    near.set(
        xlim=(-1.6, 2.6), ylim=(-4.6, 4.6), xlabel="first coordinate", title="Near the origin"
    )
    south = margins(FAR, chosen[1][1])[0]
    near.annotate(
        f"southern point, half\nof the mass: score\n−{-south} at σ = 0.15", (1, -1),
        xytext=(0.98, 0.03),
        textcoords="axes fraction", ha="right", va="bottom", fontsize=8,
        arrowprops={"arrowstyle": "-", "color": ink, "linewidth": 0.8, "shrinkB": 6},
    )
    _thresholds(rates)
    handles, labels = near.get_legend_handles_labels()
    more = rates.get_legend_handles_labels()
    figure.legend(handles + more[0], labels + more[1], loc="outside lower left", ncols=3)
    figure.set_label(
        "The points (1, -1), (1, 3) and (30, 0) with three lines through the origin: the hinge "
        "minimiser without noise and the mean are nearly vertical and have all points on their "
        "right; the hinge minimiser at noise rate 0.15 is nearly flat and leaves the southern "
        "point on its wrong side. A third panel has the noise rate that hinge loss bears, which "
        f"falls like 8/(3R), {threshold(int(FAR))} at R = {FAR}."
    )
    return figure


def _hyperplane(axes: Axes, omega: tuple[Fraction, Fraction], **style: object) -> None:
    axes.axline((0, 0), (-float(omega[1]), float(omega[0])), **style)  # type: ignore[arg-type]


def _thresholds(axes: Axes) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    far = np.geomspace(6, 1300, 200)
    limit = np.asarray(hinge_threshold(far), float)
    axes.fill_between(
        far, limit, 0.5, facecolor="none", hatch="///", edgecolor="C0", alpha=0.35, linewidth=0,
        label="hinge loss guesses",
    )
    axes.plot(far, limit, color="C0", label="σ*(R), what it bears")
    solved = [10, 30, 100, 1000]
    axes.plot(solved, [float(threshold(R)) for R in solved], "o", color="C0", label="_")
    axes.annotate(
        f"σ*({FAR}) = {threshold(int(FAR))}", (float(FAR), float(threshold(int(FAR)))),
        xytext=(0.04, 0.32), textcoords="axes fraction", va="top",
        arrowprops={"arrowstyle": "-", "color": "C0", "linewidth": 0.8, "shrinkB": 4},
    )
    axes.axhline(0.5, color="C1", label="_")
    axes.annotate(
        "the mean", (0.98, 0.5), xycoords=("axes fraction", "data"), xytext=(0, -3),
        textcoords="offset points", ha="right", va="top", color="C1",
    )
    axes.set(
        xscale="log", yscale="log", xlim=(6, 1300), ylim=(0.002, 0.7),
        xlabel="R, distance of the third point", ylabel="noise rate σ [probability]",
        title="How much noise",
    )
    for axis, ticks in ((axes.xaxis, solved), (axes.yaxis, [0.005, 0.02, 0.075, 0.2, 0.5])):
        axis.set_major_locator(FixedLocator(ticks))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
