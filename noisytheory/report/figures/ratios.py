"""Tightness: left side over bound, along a parameter or cell by cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.report.figures.cells import (
    at_level,
    draw_rows,
    each_of,
    interval_note,
    judged,
    mark_points,
    ratio_limits,
    ring_counterexample,
    rows_shown,
    share_of,
    with_interval,
)
from noisytheory.report.figures.style import (
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
from noisytheory.report.figures.ticks import number_axis, parameter_label, plain_log
from noisytheory.report.record import REFUTED, Record
from noisytheory.report.spelling import number, spell, symbol

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

__all__ = [
    "all_on_lines",
    "forest",
    "tightness",
]


@styled
def tightness(dataset: xr.Dataset | Record) -> Figure:
    """Tightness along the sample size (or the widest numeric parameter), a line a population.

    Parameters
    ----------
    dataset : xarray.Dataset or Record
        Of a claim with a parameter to draw along.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If no numeric parameter varies.
    """
    record = Record.of(dataset)
    along = record.along
    if along is None:
        raise ValueError(f"{record.id}: no numeric parameter varies")
    values = [v[:, record.level] for v in ratio_limits(record)]
    vacuous = record.vacuous[:, record.level]
    x = np.asarray(record.grid[along], float)
    series, others = _series(record, along, values[0])
    figure, axes = canvas()
    names = names_of([label for label, _ in series])
    for k, (_, rows) in enumerate(series):
        y, low, high = (v[rows] for v in values)
        style = style_of(k)
        axes.plot(x, y, color=style["color"], linestyle=style["linestyle"], linewidth=1.3)
        for mask, hollow in ((~vacuous[rows], False), (vacuous[rows], True)):
            if not mask.any():
                continue
            colour = MUTED if hollow else style["color"]
            mark_points(
                axes, x[mask], y[mask], low[mask], high[mask], color=colour,
                marker=style["marker"], markerfacecolor="none" if hollow else colour,
            )
        axes.plot([], [], label=names[k], **style)
    axes.axhline(1, color=INK, linewidth=1.2, label="the bound")
    if vacuous.any():
        axes.plot([], [], "o", color=MUTED, markerfacecolor="none", label="vacuous")
    finite = values[0][np.isfinite(values[0])]
    top = float(np.nanmax(np.r_[finite, 1.0]))
    if finite.size and finite.min() > 0 and (finite.min() < 0.05 or top > 6):
        axes.set_yscale("log")
        plain_log(axes.yaxis)
    else:
        axes.set_ylim(min(0.0, 1.1 * float(np.nanmin(np.r_[finite, 0.0]))), 1.12 * top)
    number_axis(axes, x)
    axes.set_xlabel(parameter_label(along))
    drawn_rows = [int(i) for _, rows in series for i in rows]
    limits = interval_note(values[0], values[1], values[2], drawn_rows)
    axes.set_ylabel(f"left side / bound{at_level(record)}{limits}")
    drawn = "one line" if len(series) == 1 else f"{len(series)} lines"
    alt = f"Tightness against {along}, {drawn}, the bound as a line at 1."
    if others:
        alt += f" Each point is the largest over {', '.join(others)}."
        over = ", ".join(map(symbol, others))
        axes.set_ylabel(f"left side / bound{at_level(record)},\nlargest over {over}{limits}")
    title = _trend(record, x, values[0], vacuous, along)
    refuted = np.any(record.decision == REFUTED)
    return finish(figure, axes, title if refuted else judged(record, title), alt)


def all_on_lines(record: Record) -> bool:
    """Whether `tightness` shows each cell, and not the largest of several."""
    assert record.along is not None
    series, _ = _series(record, record.along, np.zeros(record.size))
    return sum(len(rows) for _, rows in series) == record.size


def _trend(
    record: Record, x: NDArray[Any], values: NDArray[Any], vacuous: NDArray[Any], along: str
) -> str:
    place = np.array([record.grid[along].index(c[along]) for c in record.cells])
    first = [
        x[j] for j in range(len(x)) if np.any(~vacuous[place == j])
    ]
    solid = np.where(vacuous | ~np.isfinite(values), np.nan, values)
    if not first or not np.isfinite(solid).any():
        return f"Vacuous for every {symbol(along)} that was tried"
    reached = share_of(float(np.nanmax(solid)))
    largest = f"the left side reaches {reached} the bound{_squares(record)}"
    if along == "n" and first[0] > x.min():
        return f"The bound says something from n = {number(float(first[0]))}; {largest}"
    return largest[0].upper() + largest[1:]


def _series(
    record: Record, along: str, values: NDArray[Any]
) -> tuple[list[tuple[str, NDArray[np.int64]]], list[str]]:
    """Lines along a parameter: all others fixed if they are few, else the largest over some."""
    axis = record.dims.index(along)
    table = np.moveaxis(np.arange(record.size).reshape(record.shape), axis, -1)
    names = [d for d in record.dims if d != along]
    keys = [d for d in names if d in record.varying]
    dropped: list[str] = []
    count = int(np.prod([len(record.grid[d]) for d in keys], dtype=int))
    while count > LINES and len(keys) > 1:
        # Keep the population: it is what a reader asks for.
        drop = next(d for d in reversed(keys) if d != "population")
        keys.remove(drop)
        dropped.append(drop)
        count = int(np.prod([len(record.grid[d]) for d in keys], dtype=int))
    filled = np.where(np.isfinite(values), values, -np.inf)
    groups: dict[tuple[Any, ...], list[NDArray[np.int64]]] = {}
    for line in table.reshape(-1, table.shape[-1]):
        cell = record.cells[int(line[0])]
        groups.setdefault(tuple(cell[d] for d in keys), []).append(line)
    series = []
    for key, lines in groups.items():
        stack = np.array(lines)
        best = stack[np.argmax(filled[stack], axis=0), np.arange(stack.shape[1])]
        label = ", ".join(spell(d, v) for d, v in zip(keys, key, strict=True))
        series.append((label or "left side", best))
    if len(series) > LINES:
        series = sorted(series, key=lambda s: -float(filled[s[1]].max()))[:LINES]
    return series, dropped


@styled
def forest(dataset: xr.Dataset | Record) -> Figure:
    """Tightness of every cell with its interval, a row a cell, the bound as a line at 1.

    Parameters
    ----------
    dataset : xarray.Dataset or Record
        Of a tail, mean or always claim.

    Returns
    -------
    matplotlib.figure.Figure
    """
    record = Record.of(dataset)
    level = record.level
    centre, low, high = (v[:, level] for v in ratio_limits(record))
    rows = rows_shown(record, np.nan_to_num(centre, nan=-np.inf, posinf=1e300))
    title, what = _forest_title(record, centre, rows), f"left side / bound{at_level(record)}"
    if record.kind == "always":
        what = "largest left side / right side"
    elif record.kind == "mean":
        what = "mean of the left side / bound"
    alt = (
        f"A row for {each_of(record, rows)} with the ratio of left side and bound"
        f"{with_interval(centre, low, high, rows)}; right of the line at 1 the promise is broken."
    )
    if np.isposinf(high[rows]).any():
        alt += " An arrow: no upper limit from so few draws."
    figure, axes = draw_rows(record, rows, centre, low, high, 1.0, "the bound")
    ring_counterexample(record, axes, rows, centre)
    axes.set_xlabel(balanced(what, 40) + interval_note(centre, low, high, rows))
    return finish(figure, axes, title, alt)


def _squares(record: Record) -> str:
    return ", in squares" if record.in_squares else ""


def _forest_title(record: Record, centre: NDArray[Any], rows: Sequence[int]) -> str:
    refuted = int((record.decision[:, record.level] == REFUTED).sum())
    solid = np.where(record.vacuous[:, record.level], np.nan, centre)
    shown = f"{len(rows)} tightest of {record.size} cells: " if len(rows) < record.size else ""
    if refuted:
        return f"{shown}{refuted} of {record.size} cells break the promise{at_level(record)}"
    if not np.isfinite(solid).any():
        return judged(record, f"{shown}vacuous in every cell{at_level(record)}")
    value = float(np.nanmax(solid))
    bound = f"the bound{_squares(record)}{at_level(record)}"
    text = f"{shown}the tightest cell reaches {share_of(value)} {bound}"
    return judged(record, text[0].upper() + text[1:])
