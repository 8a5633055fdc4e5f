"""Bounds on one quantity over an argument, beside what is true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from noisytheory.report.figures.style import INK, LINES, MUTED, canvas, finish, style_of, styled
from noisytheory.report.figures.ticks import number_axis, parameter_label, plain_log
from noisytheory.report.spelling import number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from noisytheory.report.comparison import Comparison

__all__ = ["compared"]

FURTHER = ((INK, "X"), (MUTED, "d"), (INK, "*"), (MUTED, "p"), (INK, "h"), (MUTED, "<"))
"""Colours and markers of what comes after as many series as there are colours."""


@styled
def compared(comparison: Comparison) -> Figure:
    """How many times what is true each bound is; where that is not known, the bounds themselves.

    Parameters
    ----------
    comparison : Comparison
        The first value of each argument but the one that varies most is drawn.

    Returns
    -------
    matplotlib.figure.Figure
    """
    data, along = comparison.dataset, comparison.along
    others = [dim for dim in data["best"].dims if dim != along]
    here = data.isel(dict.fromkeys(others, 0))
    x = here[along].values
    shown = bool(comparison.how) and bool((here["truth"] > 0).all())
    least = here["bound"].min(dim=along).values
    figure, axes = canvas(height=3.6, width=5.6)
    if shown:
        axes.axhline(1.0, color=INK, linewidth=1.0)
    for index in np.argsort(least, kind="stable"):
        one = here.isel(claim=int(index))
        y = one["bound"] / here["truth"] if shown else one["bound"]
        looks = _looks(int(index))  # a bound looks alike in pictures of several populations
        axes.plot(x, np.where(np.isfinite(y), y, np.nan), label=str(one["claim"].item()), **looks)
        rises = one["bound"].values[np.argmax(x)] > one["bound"].values[np.argmin(x)]
        idle = x > one["says_from"].item() if rises else x < one["says_from"].item()
        # Hollow: there the bound says nothing.
        axes.plot(x[idle], np.asarray(y)[idle], **{**looks, "linestyle": "none"},
                  markerfacecolor="white", zorder=3)
    if (here["bound"] > 0).any():
        axes.set_yscale("log")
        plain_log(axes.yaxis)
    number_axis(axes, x.astype(float))
    axes.set_xlabel(parameter_label(along))
    axes.set_ylabel("bound over what is true" if shown else f"bound [{data.attrs['unit']}]")
    where = [f"{dim} = {here[dim].item():g}" for dim in others]
    where = [data.attrs["population"]] * bool(data.attrs["population"]) + where
    best = str(here["best"].values[-1])
    who = f"{best} {'are' if ' and ' in best else 'is'}" if best else "none is"
    title = f"At {along} = {number(x[-1].item())} {who} best"
    if shown and best:
        ratio = float((here["bound"] / here["truth"]).sel(claim=best.split(" and ")[0])[-1])
        title += f", {ratio:.2f} times what is true"
    title += f" ({'; '.join(where)})" * bool(where)
    alt = f"Bounds on the {data.attrs['quantity']} over {along}; hollow where they say nothing."
    return finish(figure, axes, title, alt)


def _looks(place: int) -> dict[str, Any]:
    looks = style_of(place)
    if place >= LINES:
        colour, marker = FURTHER[(place - LINES) % len(FURTHER)]
        looks |= {"color": colour, "marker": marker}
    return looks
