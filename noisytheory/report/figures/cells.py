"""Which of a claim's cells are drawn, how each is marked, and what is said of it."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.report.figures.style import COLOURS, INK, LINES, MUTED, canvas, shortened
from noisytheory.report.figures.ticks import plain_log, plain_small
from noisytheory.report.record import REFUTED, UPHELD, VACUOUS, Record
from noisytheory.report.spelling import number, spell

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "ROUNDING",
    "ROWS",
    "at_level",
    "declared",
    "draw_rows",
    "each_of",
    "groups_of",
    "interval_note",
    "judged",
    "mark_points",
    "most_tense",
    "ratio_limits",
    "ring_counterexample",
    "rows_shown",
    "share_of",
    "state_of",
    "with_interval",
    "worst_cells",
]

ROUNDING = 1e-12
"""Within this an inequality that was upheld is drawn as an equality."""

ROWS = 24
"""Rows of a forest at most."""

_ARROW = 0.15
"""Length of the arrow of what has no limit, as a part of its value."""


def at_level(record: Record) -> str:
    """Words for the level that decides, if there is one."""
    if not record.deltas.size:
        return ""
    return f" at δ\u00a0=\u00a0{number(float(record.deltas[record.level]))}"


def share_of(value: float) -> str:
    """A part, or a multiple, of the bound."""
    if 0.01 <= value < 0.9995:
        return f"{100 * value:.{0 if value < 0.995 else 1}f}% of"
    # Just above 1 every digit counts: the promise is broken there.
    digits = 2 if not 1 < value < 1.1 else 4
    return "all of" if abs(value - 1) < 0.0005 else f"{number(float(value), digits)} times"


def most_tense(record: Record, usable: NDArray[np.bool_], count: int) -> list[int]:
    """Cells nearest to, or furthest beyond, the bound at the deciding level; vacuous ones last."""
    level = record.level
    tight = np.nan_to_num(record.per_level("tightness")[:, level], nan=-np.inf, posinf=1e300)
    order = np.lexsort((-tight, record.vacuous[:, level]))
    return [int(i) for i in order if usable[i]][:count]


def groups_of(record: Record) -> list[tuple[str, list[int]]]:
    """Cells as at most LINES series: each alone if few, else by the first parameter that fits."""
    if record.size <= LINES:
        return [(label, [i]) for i, label in enumerate(record.labels)]
    for name in sorted(record.varying, key=lambda d: (d != "population", d == "n")):
        values = record.grid[name]
        if len(values) <= LINES:
            return [
                (spell(name, v), [i for i, c in enumerate(record.cells) if c[name] == v])
                for v in values
            ]
    order = most_tense(record, np.ones(record.size, bool), LINES)
    return [(record.labels[i], [i]) for i in order]


def worst_cells(
    record: Record, members: Sequence[int], rate: NDArray[Any], high: NDArray[Any]
) -> NDArray[np.int64]:
    """Of a group, at each level the cell with the highest rate that is not vacuous if any is."""
    rows = np.asarray(members)
    keys = (high[rows], rate[rows], ~record.vacuous[rows])
    return rows[[int(np.lexsort([k[:, j] for k in keys])[-1]) for j in range(rate.shape[1])]]


def ratio_limits(record: Record) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Tightness with limits; for an equality the mean over the value."""
    centre, low, high = (
        record.per_level(n).astype(float)
        for n in ("tightness", "tightness_low", "tightness_high")
    )
    if record.kind == "equal" and not np.isfinite(centre).all():
        rhs, mean = record.per_level("rhs"), record.per_cell("mean")
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = np.where(rhs > 0, 1 / rhs, np.nan)
        centre, low, high = (v[:, None] * scale for v in (mean, *record.mean_limits))
    return centre, low, high


def judged(record: Record, title: str) -> str:
    """The title of a picture that shows no cell refuted: with the verdict, if it is not upheld."""
    said = ""
    if record.verdict == "undecided":
        said = "Undecided"
    elif record.jointly:
        rate = "at a false discovery rate" in str(record.reason)
        said = f"Refuted {'at a false discovery rate' if rate else 'by all cells together'}, " \
            "no cell alone"
    return f"{said}: {title[0].lower()}{title[1:]}" if said else title


def each_of(record: Record, rows: Sequence[int]) -> str:
    """The cells that have a row, in words."""
    if len(rows) < record.size:
        return f"each of {len(rows)} of {record.size} cells"
    return f"each of {record.size} cells" if record.size > 1 else "the only cell"


def with_interval(
    centre: NDArray[Any], low: NDArray[Any], high: NDArray[Any], rows: Sequence[int]
) -> str:
    """What a caption says of intervals: nothing where none is drawn."""
    with np.errstate(invalid="ignore"):  # of two infinities
        gap = np.stack([centre - low, high - centre])[:, rows]
    return " and its 99% interval" if np.any(np.isfinite(gap) & (gap > 0)) else ""


def interval_note(
    centre: NDArray[Any], low: NDArray[Any], high: NDArray[Any], rows: Sequence[int]
) -> str:
    """The same under an axis."""
    return "\n(with 99% limits)" if with_interval(centre, low, high, rows) else ""


def rows_shown(record: Record, key: NDArray[Any]) -> list[int]:
    """Cells to show, in the order of the grid; the largest ones where there are too many."""
    if record.size <= ROWS:
        return list(range(record.size))
    order = np.lexsort((-key, record.vacuous[:, record.level]))[:ROWS]
    return sorted(int(i) for i in order)


def draw_rows(
    record: Record, rows: Sequence[int], centre: NDArray[Any], low: NDArray[Any],
    high: NDArray[Any], line: float, name: str, values: bool = True,
) -> tuple[Figure, Axes]:
    """A row a cell: its value with limits, against a line that must not be crossed."""
    labels = [textwrap.fill(shortened(record.labels[i], 108), 36) for i in rows]
    deep = max(label.count("\n") + 1 for label in labels)
    figure, axes = canvas(height=0.95 + (0.19 + 0.12 * (deep - 1)) * len(rows))
    states = record.decision[:, record.level]
    shown = np.asarray(rows)
    for state in sorted(set(states[shown].tolist())):
        word, style = state_of(state)
        places = np.flatnonzero((states[shown] == state) & np.isfinite(centre[shown]))
        if places.size:
            at = shown[places]
            mark_points(
                axes, places, centre[at], low[at], high[at], across=True, label=word, **style
            )
    axes.axvline(line, color=INK, linewidth=1.2, label=name)
    axes.set_yticks(range(len(rows)), labels)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    # With room for the arrows of what has no limit.
    ends = [(centre[i], *_shown_ends(centre[i], low[i], high[i])) for i in rows]
    finite = np.r_[[v for row in ends for v in row if np.isfinite(v)], line]
    if values and finite.min() > 0 and (finite.min() < 0.05 or finite.max() > 6):
        axes.set_xscale("log")
        plain_log(axes.xaxis)
    elif values:
        left, right = min(0.0, 1.1 * finite.min()), 1.08 * finite.max()
        axes.set_xlim(left, right if right > left else 1.0)
        plain_small(axes.xaxis)
    return figure, axes


def ring_counterexample(
    record: Record, axes: Axes, rows: Sequence[int], values: NDArray[Any]
) -> None:
    """A ring about the cell that has the stored counterexample."""
    at = record.counterexample_cell
    if at is not None and at in rows:
        axes.plot(
            [values[at]], [rows.index(at)], marker="o", markersize=14, markerfacecolor="none",
            color=COLOURS[1], linestyle="none", label="the counterexample", clip_on=False,
        )


def _shown_ends(centre: float, low: float, high: float) -> tuple[float, float]:
    """Where a point's interval, or the arrow instead of it, ends."""
    reach = _ARROW * abs(centre)
    return (
        centre - reach if np.isneginf(low) else low, centre + reach if np.isposinf(high) else high
    )


def mark_points(
    axes: Axes, place: NDArray[Any], centre: NDArray[Any], low: NDArray[Any], high: NDArray[Any],
    across: bool = False, label: str = "_", **style: Any,
) -> None:
    """Points with their intervals; an arrow where the draws give no limit on a side."""
    below, above = (
        np.nan_to_num(v, posinf=0.0, neginf=0.0).clip(0) for v in (centre - low, high - centre)
    )
    x, y = (centre, place) if across else (place, centre)
    look: dict[str, Any] = style | {"linestyle": "none", "elinewidth": 1.2}
    if below.any() or above.any():
        gap: dict[str, Any] = {"xerr" if across else "yerr": np.stack([below, above])}
        axes.errorbar(x, y, label=label, **gap, **look)
    else:
        axes.plot(x, y, label=label, **(style | {"linestyle": "none"}))
    for open_, arrow in ((np.isposinf(high), "lolims"), (np.isneginf(low), "uplims")):
        at = open_ & np.isfinite(centre)
        if at.any():
            reach: dict[str, Any] = {"xerr" if across else "yerr": _ARROW * np.abs(centre[at])}
            reach[f"x{arrow}" if across else arrow] = True
            axes.errorbar(x[at], y[at], **reach, **look)


def state_of(decision: int) -> tuple[str, dict[str, Any]]:
    """Word, colour and shape of what a cell says."""
    if decision == REFUTED:
        return "refuted", {"color": COLOURS[1], "marker": "X", "markersize": 7}
    if decision == UPHELD:
        return "upheld", {"color": COLOURS[0], "marker": "o"}
    if decision == VACUOUS:
        return "vacuous", {"color": MUTED, "marker": "o", "markerfacecolor": "none"}
    return "undecided", {"color": COLOURS[4], "marker": "s", "markerfacecolor": "none"}


def declared(record: Record, name: str) -> NDArray[Any] | None:
    """A number the claim declares a cell (margin, printed error), where the store has it."""
    if name in record.dataset:
        return np.broadcast_to(record.per_cell(name), (record.size,)).astype(float)
    value = record.dataset.attrs.get(name)
    return np.full(record.size, float(value)) if isinstance(value, int | float) else None
