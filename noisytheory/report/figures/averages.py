"""Means and laws against what was promised of them."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import numpy as np

from noisytheory.report.figures.cells import (
    declared,
    draw_rows,
    each_of,
    ratio_limits,
    rows_shown,
    share_of,
    with_interval,
)
from noisytheory.report.figures.style import (
    GRID,
    INK,
    LINES,
    MUTED,
    canvas,
    finish,
    shortened,
    style_of,
    styled,
)
from noisytheory.report.record import NORMAL, REFUTED, Record, number

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

__all__ = [
    "laws",
    "means",
]


@styled
def means(dataset: xr.Dataset | Record) -> Figure:
    """The mean of the left side against the right side, a row a cell, with 99% intervals.

    As a ratio where every right side is positive, as a difference otherwise.

    Parameters
    ----------
    dataset : xarray.Dataset or Record
        Of a mean or equal claim.

    Returns
    -------
    matplotlib.figure.Figure
    """
    record = Record.of(dataset)
    rhs, mean = record.per_level("rhs")[:, 0], record.per_cell("mean")
    half = NORMAL * record.mean_error
    as_ratio = bool(np.all(rhs > 0))
    scale = rhs if as_ratio else np.ones_like(rhs)
    shift = 0.0 if as_ratio else rhs
    centre, low, high = ((v - shift) / scale for v in (mean, mean - half, mean + half))
    if record.kind == "mean" and as_ratio:
        centre, low, high = (v[:, 0] for v in ratio_limits(record))
    line = 1.0 if as_ratio else 0.0
    distance = centre - line if record.kind == "mean" else np.abs(centre - line)
    rows = rows_shown(record, distance)
    against = "promised value" if record.kind == "equal" else "the bound"
    figure, axes = draw_rows(record, rows, centre, low, high, line, against, record.kind == "mean")
    margin = declared(record, "margin")
    if record.kind == "equal" and margin is not None and np.isfinite(margin).all():
        for y, index in enumerate(rows):
            wide = margin[index] / scale[index]
            axes.plot(
                [line - wide, line + wide], [y, y], color=GRID, linewidth=7, zorder=0.5,
                solid_capstyle="butt", label="_" if y else "equal within this margin",
            )
    divisor = "bound" if record.kind == "mean" else "promised value"
    unit = f" [{record.unit}]" if record.unit else ""
    axes.set_xlabel(textwrap.fill(
        f"mean of the left side / {divisor}" if as_ratio
        else f"mean of the left side − {divisor}{unit}", 40,
    ))
    refuted = int((record.decision == REFUTED).sum())
    solid = np.where(record.vacuous[:, 0], np.nan, distance)
    if refuted:
        title = f"In {refuted} of {record.size} cells the mean is not what is promised"
    elif not np.isfinite(solid).any():
        title = "Vacuous in every cell"
    elif record.kind == "mean":
        share = share_of(float(np.nanmax(solid) + line))
        title = (
            f"The mean reaches at most {share} the bound" if as_ratio
            else f"The mean stays {number(-float(np.nanmax(solid)))} below the bound"
        )
    else:
        worst = float(np.nanmax(solid))
        title = (
            f"The mean is within {number(100 * worst, 2)}% of the promised value" if as_ratio
            else f"The mean is within {number(worst, 2)} of the promised value"
        )
    alt = (
        f"A row for {each_of(record, rows)}: mean of the left side ({record.side}) against the "
        f"{divisor}{with_interval(centre, low, high, rows)}."
    )
    return finish(figure, axes, title, alt)


@styled
def laws(dataset: xr.Dataset | Record) -> Figure:
    """How far two laws are apart: difference of their distribution functions, cell by cell.

    Drawn over the pooled distribution function, where both laws agreeing is the line 0 and the
    band is what two samples of that size may differ by (Dvoretzky-Kiefer-Wolfowitz-Massart, 99%).

    Parameters
    ----------
    dataset : xarray.Dataset or Record
        Of an equal claim whose simulator drew ``other``, with its draws.

    Returns
    -------
    matplotlib.figure.Figure
    """
    record = Record.of(dataset)
    figure, axes = canvas()
    gaps, curves, sizes = [], [], []
    for index in range(record.size):
        left, right = record.draws("lhs", index).ravel(), record.draws("other", index).ravel()
        points = np.sort(np.concatenate([left, right]))
        difference = (
            np.searchsorted(np.sort(left), points, "right") / left.size
            - np.searchsorted(np.sort(right), points, "right") / right.size
        )
        gaps.append(float(np.abs(difference).max()))
        # Of each stretch of the curve the point furthest from 0 is drawn, so no peak is lost.
        pieces = np.array_split(np.arange(points.size), 150)
        at = np.array([p[np.argmax(np.abs(difference[p]))] for p in pieces if p.size])
        curves.append(((at + 1) / points.size, difference[at]))
        sizes.append(left.size)
    chosen = np.argsort(gaps, kind="stable")[::-1][:LINES]
    for k, index in enumerate(chosen):
        label = shortened(record.labels[index])
        axes.plot(*curves[index], label=label, **(style_of(k) | {"marker": "", "linewidth": 1.2}))
    # Each of two samples leaves its law by this much with probability 1% / 2.
    band = 2 * np.sqrt(np.log(2 / 0.005) / (2 * min(sizes)))
    axes.axhspan(-band, band, color=GRID, alpha=0.6, linewidth=0, label="99% band")
    axes.axhline(0, color=INK, linewidth=1.2)
    worst = max(gaps)
    limit = 1.25 * max(worst, band)
    margin = declared(record, "margin")
    if margin is not None and np.isfinite(margin).all():
        for sign in (-1, 1):
            axes.axhline(
                sign * float(margin.max()), color=MUTED, linewidth=1, linestyle=(0, (4, 3)),
                label="declared margin" if sign > 0 else "_",
            )
        limit = max(limit, 1.15 * float(margin.max()))
    axes.set(
        xlim=(0, 1), ylim=(-limit, limit), xlabel="pooled distribution function [probability]",
        ylabel="difference of the two laws\n[probability]",
    )
    refuted = int((record.decision == REFUTED).sum())
    title = (
        f"In {refuted} of {record.size} cells the two laws differ, by up to {number(worst, 2)}"
        if refuted else f"The two laws differ by at most {number(worst, 2)} in any probability"
    )
    alt = (
        f"Difference of the two empirical distribution functions in {len(chosen)} of "
        f"{record.size} cells with the 99% band."
    )
    return finish(figure, axes, title, alt)
