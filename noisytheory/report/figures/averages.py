"""Means and laws against what was promised of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from noisytheory.report.figures.cells import (
    ROUNDING,
    declared,
    draw_rows,
    each_of,
    interval_note,
    judged,
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
    balanced,
    canvas,
    finish,
    names_of,
    style_of,
    styled,
)
from noisytheory.report.figures.ticks import plain_small
from noisytheory.report.record import CONFIDENCE, REFUTED, UPHELD, Record
from noisytheory.report.spelling import number

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

__all__ = [
    "laws",
    "means",
]


@styled
def means(dataset: xr.Dataset | Record) -> Figure:
    """The mean of the left side against the right side, a row a cell.

    As a ratio where every right side is positive, as a difference otherwise. The 99% limits are
    those of the rule in force, from the declared range or variance; without them there are none.

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
    as_ratio = bool(np.all((rhs > 0) & np.isfinite(rhs)))
    scale = rhs if as_ratio else np.ones_like(rhs)
    shift = 0.0 if as_ratio else rhs
    centre, low, high = ((v - shift) / scale for v in (mean, *record.mean_limits))
    if record.kind == "mean" and as_ratio:
        # A tightness is never below 0, a mean may be.
        centre = np.where(mean < 0, centre, ratio_limits(record)[0][:, 0])
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
        plain_small(axes.xaxis)  # A margin may be wider than what was drawn.
    divisor = "bound" if record.kind == "mean" else "promised value"
    unit = f" [{record.unit}]" if record.unit else ""
    bare = not record.exact and np.isnan(low[rows]).all()
    what = f"/\u00a0{divisor}" if as_ratio else f"−\u00a0{divisor}{unit}"
    axes.set_xlabel(
        balanced(f"mean of the left side {what}", 40) + interval_note(centre, low, high, rows)
        + ("\n(no interval: it takes a range, or a variance)" if bare else "")
    )
    refuted = int((record.decision == REFUTED).sum())
    solid = np.where(record.vacuous[:, 0], np.nan, distance)
    if refuted:
        title = f"In {refuted} of {record.size} cells the mean is not what is promised"
    elif record.vacuous.all():
        title = judged(record, "Vacuous in every cell")
    elif not np.isfinite(solid).any():
        title = judged(record, "No cell has a mean to hold against what is promised")
    else:
        title = judged(record, _furthest(record, float(np.nanmax(solid)), as_ratio))
        ends = np.abs(np.array([low, high]) - line)[:, ~record.vacuous[:, 0]]
        if record.kind == "equal" and not record.exact and np.isfinite(ends).any():
            reach = float(ends[np.isfinite(ends)].max())
            title += f", and its limits within {number(100 * reach if as_ratio else reach, 2)}"
            title += "%" if as_ratio else ""
    alt = (
        f"A row for {each_of(record, rows)}: mean of the left side ({record.side}) against the "
        f"{divisor}{with_interval(centre, low, high, rows)}."
    )
    if np.isinf(np.r_[low[rows], high[rows]]).any():
        alt += " An arrow: no limit on that side, where the range has no end."
    if bare:
        alt += " No interval: it takes a range, or a variance, to be declared."
    return finish(figure, axes, title, alt)


def _furthest(record: Record, worst: float, as_ratio: bool) -> str:
    """How near the mean comes to its bound, or how far from its value it is."""
    if record.kind == "mean" and as_ratio and worst + 1 < 1e-9:
        return "The mean is at most 0, to rounding, and the bound above it"
    if record.kind == "mean" and as_ratio:
        return f"The mean reaches at most {share_of(worst + 1)} the bound"
    if record.kind == "mean" and abs(worst) < 1e-12:
        return "The mean comes up to the bound"
    if record.kind == "mean":
        beyond = "above" if worst > 0 else "below"
        return f"The mean stays {number(abs(worst))} {beyond} the bound"
    if abs(worst) < 1e-9 and record.is_exact.all():
        return "The mean is the promised value to rounding"
    return (
        f"The mean is within {number(100 * worst, 2)}% of the promised value" if as_ratio
        else f"The mean is within {number(worst, 2)} of the promised value"
    )


@styled
def laws(dataset: xr.Dataset | Record) -> Figure:
    """How far two laws are apart.

    Of draws the difference of the distribution functions: over the pooled one where the distance is
    Kolmogorov's, its largest height, over the value where it is Wasserstein's, its area. The band
    is what two samples of that size may differ by, whenever one stops
    (Dvoretzky-Kiefer-Wolfowitz-Massart, 99%). Of exact laws their distance, a row a cell.

    Parameters
    ----------
    dataset : xarray.Dataset or Record
        Of an equal claim between two laws.

    Returns
    -------
    matplotlib.figure.Figure
    """
    record = Record.of(dataset)
    drawn = map(int, np.flatnonzero(~record.is_exact))
    sampled = [index for index in drawn if record.all_draws("other", index).size]
    return _samples(record, sampled) if sampled else _distances(record)


def _samples(record: Record, cells: Sequence[int]) -> Figure:
    natural = record.distance == "Wasserstein"
    figure, axes = canvas()
    gaps, curves, sizes = record.per_cell("distance"), {}, []
    for index in cells:
        left, right = (np.sort(record.all_draws(name, index)) for name in ("lhs", "other"))
        points = np.sort(np.concatenate([left, right]))
        difference = (
            np.searchsorted(left, points, "right") - np.searchsorted(right, points, "right")
        ) / left.size
        # Of each stretch of the curve the point furthest from 0 is drawn, so no peak is lost.
        pieces = np.array_split(np.arange(points.size), 150)
        at = np.array([p[np.argmax(np.abs(difference[p]))] for p in pieces if p.size])
        place = points[at] if natural else (at + 1) / points.size
        curves[index] = (place, difference[at])
        sizes.append(left.size)
    chosen = sorted(cells, key=lambda i: -gaps[i])[:LINES]
    unit = f" {record.distance_unit}" if record.distance_unit else ""
    names = names_of([record.labels[index] for index in chosen])
    for k, index in enumerate(chosen):
        label = names[k]
        label += f": area {number(float(gaps[index]), 2)}{unit}" if natural else ""
        axes.plot(*curves[index], label=label, **(style_of(k) | {"marker": "", "linewidth": 1.2}))
    band = _band(min(sizes), int(record.rows))
    axes.axhspan(-band, band, color=GRID, alpha=0.6, linewidth=0, label="99% band of one law")
    axes.axhline(0, color=INK, linewidth=1.2)
    worst = float(np.nanmax(gaps))
    highest = max(float(np.abs(y).max()) for _, y in curves.values())
    limit = 1.25 * max(highest, band)
    margin = declared(record, "margin")
    if margin is not None and np.isfinite(margin).all() and not natural:
        for sign in (-1, 1):
            axes.axhline(
                sign * float(margin.max()), color=MUTED, linewidth=1, linestyle=(0, (4, 3)),
                label="declared margin" if sign > 0 else "_",
            )
        limit = max(limit, 1.15 * float(margin.max()))
    axes.set(ylim=(-limit, limit), ylabel="difference of the two laws\n[probability]")
    if natural:
        axes.set_xlabel(balanced(record.side, 40))
    else:
        axes.set(xlim=(0, 1), xlabel="pooled distribution function [probability]")
    alt = (
        f"Difference of the two empirical distribution functions in {len(chosen)} of "
        f"{record.size} cells with the 99% band, which holds whenever one stops."
    )
    if natural:
        alt += " The distance is the area between a curve and the line at 0."
    return finish(figure, axes, _laws_title(record, worst), alt)


def _band(draws: int, rows: int) -> float:
    """By how much the distribution functions of two samples of one law differ, at any doubling."""
    # Each sample leaves its law by half of it; the k-th look has 1/(k(k+1)) of the level.
    look = 1 + np.log2(max(1.0, draws / rows))
    return float(np.sqrt(2 * np.log(4 * look * (look + 1) / (1 - CONFIDENCE)) / draws))


def _distances(record: Record) -> Figure:
    """A row a cell: the distance of two laws, of which no draws are at hand."""
    gaps = record.per_cell("distance").astype(float)
    rows = rows_shown(record, np.nan_to_num(gaps, nan=-np.inf))
    # Within rounding exact laws are the same.
    shown = np.where((record.decision[:, 0] == UPHELD) & (gaps < ROUNDING), 0.0, gaps)
    figure, axes = draw_rows(record, rows, shown, shown, shown, 0.0, "one law", values=False)
    largest = float(np.nanmax(shown, initial=0.0))
    axes.set_xlim(*((-0.06 * largest, 1.1 * largest) if largest else (-1.0, 1.0)))
    plain_small(axes.xaxis)
    if not largest:
        axes.set_xticks([0])
    axes.set_xlabel("largest difference of the two\ndistribution functions [probability]")
    alt = f"A row for {each_of(record, rows)} with the distance of the two laws."
    return finish(figure, axes, _laws_title(record, largest), alt)


def _laws_title(record: Record, worst: float) -> str:
    unit = f" {record.distance_unit}" if record.distance_unit else ""
    refuted = int((record.decision == REFUTED).sum())
    margin = declared(record, "margin")
    far = f"{number(worst, 2)}{unit}" + (
        f" (margin {number(float(margin.max()), 2)}{unit})"
        if margin is not None and not record.exact else ""
    )
    what = "between their distribution functions" if record.distance == "Wasserstein" else (
        "in any probability"
    )
    if refuted:
        return f"In {refuted} of {record.size} cells the two laws differ, by up to {far} {what}"
    if record.exact:
        return judged(record, (
            "The two laws are the same, value by value" if worst < ROUNDING
            else f"The two laws differ by at most {far} {what}"
        ))
    what = "of area " + what if record.distance == "Wasserstein" else what
    return judged(record, f"The two samples differ by at most {far} {what}")
