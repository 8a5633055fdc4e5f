"""Bounds on one quantity over an argument, beside what is true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from noisytheory.report.figures.style import (
    DASHES,
    INK,
    LINES,
    MUTED,
    canvas,
    finish,
    style_of,
    styled,
)
from noisytheory.report.figures.ticks import number_axis, parameter_label, plain_log
from noisytheory.report.spelling import number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from noisytheory.report.comparison import Comparison

__all__ = ["compared", "drawn_choices"]

FURTHER = ((INK, "X"), (MUTED, "d"), (INK, "*"), (MUTED, "p"), (INK, "h"), (MUTED, "<"))
"""Colours and markers of what comes after as many series as there are colours."""


@styled
def compared(comparison: Comparison) -> Figure:
    """How many times what is true each bound is; where that is not known, the bounds themselves.

    Parameters
    ----------
    comparison : Comparison
        Over the argument that varies most; each choice of the others has lines of its own. Of more
        than `MOST` lines those of the first choice are drawn, and the title says so.

    Returns
    -------
    matplotlib.figure.Figure
    """
    data, along = comparison.dataset, comparison.along
    others = [dim for dim in data["best"].dims if dim != along]
    every = data.stack(choice=others) if others else data.expand_dims(choice=[0])
    choices = every.sizes["choice"]
    drawn = drawn_choices(comparison)
    here = every.isel(choice=slice(len(drawn)))
    x = here[along].values
    shown = bool(comparison.how) and bool((here["truth"] > 0).all())
    least = here["bound"].min(dim=[along, "choice"]).values
    figure, axes = canvas(height=3.6, width=5.6)
    if shown:
        axes.axhline(1.0, color=INK, linewidth=1.0)
    for index in np.argsort(least, kind="stable"):
        for level, where in enumerate(drawn):
            one = here.isel(claim=int(index), choice=level)
            y = one["bound"] / one["truth"] if shown else one["bound"]
            looks = _looks(int(index))  # a bound looks alike in pictures of several populations
            label = str(one["claim"].item())
            if len(drawn) > 1:
                looks["linestyle"] = DASHES[level % len(DASHES)]
                label = f"{label}, {where}"
            axes.plot(x, np.where(np.isfinite(y), y, np.nan), label=label, **looks)
            says_from = one["says_from"].item()
            rises = one["bound"].values[np.argmax(x)] > one["bound"].values[np.argmin(x)]
            idle = x > says_from if rises else x < says_from
            # Hollow: there the bound says nothing.
            axes.plot(x[idle], np.asarray(y)[idle], **{**looks, "linestyle": "none"},
                      markerfacecolor="white", zorder=3)
    if (here["bound"] > 0).any():
        axes.set_yscale("log")
        plain_log(axes.yaxis)
    number_axis(axes, x.astype(float))
    axes.set_xlabel(parameter_label(along))
    axes.set_ylabel("bound over what is true" if shown else f"bound [{data.attrs['unit']}]")
    best = [str(name) for name in here["best"].isel({along: -1}).values]
    title = f"At {along} = {number(x[-1].item())} "
    if len(set(best)) == 1:
        who = f"{best[0]} {'are' if ' and ' in best[0] else 'is'}" if best[0] else "none is"
        title += f"{who} best"
        if shown and best[0]:
            first = here.sel(claim=best[0].split(" and ")[0]).isel({along: -1})
            ratios = (first["bound"] / first["truth"]).values
            told = dict.fromkeys(f"{ratio:.2f}" for ratio in (ratios.min(), ratios.max()))
            title += f", {' to '.join(told)} times what is true"
    else:
        title += "the best is " + ", ".join(
            f"{name or 'none'} at {where}" for name, where in zip(best, drawn, strict=True)
        )
    about = [data.attrs["population"]] * bool(data.attrs["population"])
    about += [drawn[0]] * (len(drawn) == 1 and bool(drawn[0]))
    about += [f"one choice of {choices}"] * (len(drawn) < choices)
    title += f" ({'; '.join(about)})" * bool(about)
    alt = f"Bounds on the {data.attrs['quantity']} over {along}; hollow where they say nothing."
    return finish(figure, axes, title, alt)


MOST = 2 * LINES
"""Lines that a reader tells apart, at most."""


def drawn_choices(comparison: Comparison) -> list[str]:
    """Choices of the other arguments that the picture has room for: all, or the first."""
    choices = comparison.others
    return choices if len(choices) * len(comparison.names) <= MOST else choices[:1]


def _looks(place: int) -> dict[str, Any]:
    looks = style_of(place)
    if place >= LINES:
        colour, marker = FURTHER[(place - LINES) % len(FURTHER)]
        looks |= {"color": colour, "marker": marker}
    return looks
