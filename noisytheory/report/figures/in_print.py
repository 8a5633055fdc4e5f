"""Numbers in print against ours."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import numpy as np

from noisytheory.report.figures.cells import declared, each_of, judged, rows_shown, state_of
from noisytheory.report.figures.style import GRID, INK, balanced, canvas, finish, shortened, styled
from noisytheory.report.figures.ticks import plain_log, plain_small
from noisytheory.report.record import REFUTED, UPHELD, Record

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

__all__ = [
    "published",
]


@styled
def published(dataset: xr.Dataset | Record) -> Figure:
    """Our number beside the printed one, a row a cell.

    Ours has 99% limits from the declared range, if there is one, the printed number its own
    standard error, if one is declared.

    Parameters
    ----------
    dataset : xarray.Dataset or Record
        Of a published claim.

    Returns
    -------
    matplotlib.figure.Figure
    """
    record = Record.of(dataset)
    printed, ours = record.per_level("rhs")[:, 0], record.per_cell("mean")
    low, high = (np.where(np.isfinite(end), end, ours) for end in record.mean_limits)
    gap = np.stack([ours - low, high - ours]).clip(0)
    error, margin = declared(record, "printed_error"), declared(record, "margin")
    error = error if error is not None else np.zeros(record.size)
    rows = rows_shown(record, np.abs(ours - printed))
    labels = [textwrap.fill(shortened(record.labels[i], 72), 36) for i in rows]
    figure, axes = canvas(height=0.8 + 0.28 * len(rows))
    y = np.arange(len(rows))
    if margin is not None:
        axes.hlines(
            y + 0.15, (printed - margin)[rows], (printed + margin)[rows], color=GRID, linewidth=7,
            label="stated tolerance",
        )
    axes.errorbar(
        printed[rows], y + 0.15, xerr=error[rows], linestyle="none", marker="s", color=INK,
        markerfacecolor="none",
        label="print ± its standard error" if error[rows].any() else "print",
    )
    seen: set[str] = set()
    for k, index in enumerate(rows):
        word, style = state_of(int(record.decision[index, 0]))
        axes.errorbar(
            [ours[index]], [k - 0.15], xerr=gap[:, [index]], linestyle="none",
            label="_" if word in seen else f"ours ({word})", **style,
        )
        seen.add(word)
    axes.set_yticks(y, labels)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    axes.margins(x=0.08)
    values = np.r_[printed[rows], ours[rows]]
    if values.min() > 0 and values.max() / values.min() > 100:
        axes.set_xscale("log")
        plain_log(axes.xaxis)
    else:
        plain_small(axes.xaxis)
    drawn = bool(gap[:, rows].any())
    axes.set_xlabel(balanced(record.side, 40) + (
        "\n(ours with 99% limits)" if drawn else "\n(ours without limits: no range is declared)"
    ))
    broken = int((record.decision == REFUTED).sum())
    agree = int((record.decision == UPHELD).sum())
    numbers = "the printed number" if record.size == 1 else f"{record.size} printed numbers"
    if broken:
        title = f"{broken} of {record.size} printed numbers are not what we find"
    elif agree:
        title = judged(record, f"{agree} of {record.size} printed numbers are found again")
    else:
        title = f"Errors too wide to decide {numbers}"
    alt = f"Printed number and ours for {each_of(record, rows)}"
    alt += ", ours with 99% limits." if drawn else (
        ", without intervals: no range is declared from which one follows."
    )
    return finish(figure, axes, title, alt)
