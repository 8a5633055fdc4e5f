"""Pictures that decide: each takes a claim's dataset and returns a Matplotlib figure.

Drawn on `matplotlib.figure.Figure` without pyplot, so there is no global state and nothing to
close. A figure's label (``figure.get_label()``) is the text for readers who do not see it.
Colours are Okabe and Ito's; every series also has its own marker and dash, and what is vacuous is
grey and hollow.
"""

from __future__ import annotations

import functools
import io
import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.report.record import (
    NORMAL,
    REFUTED,
    UPHELD,
    VACUOUS,
    Record,
    interval,
    number,
    spell,
    symbol,
)

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "deciding",
    "distribution",
    "excess",
    "forest",
    "laws",
    "means",
    "optimum",
    "published",
    "rate",
    "styled",
    "summary",
    "svg",
    "tightness",
    "violations",
]

INK, PAPER, GRID, MUTED = "#1b1f24", "#ffffff", "#d5d9de", "#6b7280"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
MARKERS = ("o", "s", "^", "D", "v", "P")
DASHES = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)), (0, (3, 3)), (0, (8, 2)))
LINES = len(COLOURS)
"""Series in a panel at most: more cannot be told apart."""

ROUNDING = 1e-12
"""Within this an inequality that was upheld is drawn as an equality."""

ROWS = 24
"""Rows of a forest at most."""

DARK = {
    INK: "#e7e9ec", PAPER: "#16191d", GRID: "#3a4048", MUTED: "#9aa3ae",
    "#0072b2": "#5aaee6", "#d55e00": "#ff8f4a", "#009e73": "#33c79b", "#cc79a7": "#e6a3c8",
    "#e69f00": "#f3ba3d", "#56b4e9": "#9bd7fb",
}
"""What each colour becomes in a dark scheme."""

RC: Any = {
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "Helvetica", "Liberation Sans"],
    "font.size": 9.0,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 9.0,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.facecolor": PAPER,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "axes.prop_cycle": f"cycler('color', {[c.removeprefix('#') for c in COLOURS]})",
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "figure.facecolor": PAPER,
    "figure.dpi": 96,
    "text.color": INK,
    # Names and quantities are text of others, and a dollar in them is a dollar.
    "text.parse_math": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "hatch.color": GRID,
    "hatch.linewidth": 0.8,
    "lines.linewidth": 1.6,
    "lines.markersize": 5.0,
    "errorbar.capsize": 2.0,
    "svg.fonttype": "none",
    "svg.hashsalt": "noisytheory",
    "path.simplify": True,
}

Draw = Callable[..., "Figure"]


def styled(function: Draw, *, math: bool = False) -> Draw:
    """The function, drawing in the report's style.

    Parameters
    ----------
    function : callable
        Returns a figure.
    math : bool
        As in `svg`.

    Returns
    -------
    callable
    """

    @functools.wraps(function)
    def drawn(*args: Any, **kwargs: Any) -> Figure:
        import matplotlib

        with matplotlib.rc_context(RC | {"text.parse_math": math}):
            return function(*args, **kwargs)

    return drawn


def _canvas(height: float = 2.9, width: float = 5.0) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.08)  # type: ignore[call-arg,union-attr]
    return figure, figure.add_subplot()


def _finish(figure: Figure, axes: Axes, title: str, alt: str, legend: bool = True) -> Figure:
    """The conclusion as a title, the legend under the axes, the text for those who cannot see."""
    width, height = figure.get_size_inches()
    lines = textwrap.wrap(title, int(12.2 * width))
    # Over the figure, not the axes, whose left edge is where the labels end.
    figure.suptitle(
        "\n".join(lines), x=0.012, ha="left", fontsize=RC["axes.titlesize"], fontweight="bold"
    )
    handles, labels = axes.get_legend_handles_labels()
    height += 0.16 * (len(lines) + axes.get_xlabel().count("\n"))
    if legend and handles:
        longest = max(map(len, labels))
        columns = 3 if longest < 18 else 2 if longest < 32 else 1
        height += 0.175 * -(-len(labels) // columns) + 0.05
        figure.legend(
            handles, labels, loc="outside lower left", ncols=columns, handlelength=2.6,
            columnspacing=1.2, borderaxespad=0.2, labelspacing=0.35,
        )
    figure.set_figheight(height)
    figure.set_label(f"{title}. {alt}")
    # Laid out here, once: saving would draw everything twice to find out that nothing moves.
    engine = figure.get_layout_engine()
    assert engine is not None
    engine.execute(figure)
    figure.set_layout_engine("none")
    return figure


def _style(index: int) -> dict[str, Any]:
    return {
        "color": COLOURS[index % LINES], "marker": MARKERS[index % LINES],
        "linestyle": DASHES[index % LINES],
    }


def _short(text: str, width: int = 44) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _level(record: Record) -> str:
    if not record.deltas.size:
        return ""
    return f" at δ\u00a0=\u00a0{number(float(record.deltas[record.level]))}"


def _share(value: float) -> str:
    """A part, or a multiple, of the bound."""
    if 0.01 <= value < 0.9995:
        return f"{100 * value:.{0 if value < 0.995 else 1}f}% of"
    # Just above 1 every digit counts: the promise is broken there.
    digits = 2 if not 1 < value < 1.1 else 4
    return "all of" if abs(value - 1) < 0.0005 else f"{number(float(value), digits)} times"


# Tail: the left side's distribution, the violation rate, tightness.


@styled
def distribution(dataset: xr.Dataset | Record) -> Figure:
    r"""How often the left side exceeds a multiple of the bound, cell by cell.

    The curve of a cell is :math:`\Pr[L > t\,R(\delta)]` against t at the level that decides. The
    promise is that it passes below the corner :math:`(1, \delta)`; the region that it forbids is
    hatched.

    Parameters
    ----------
    dataset : xarray.Dataset or Record
        Of a tail claim.

    Returns
    -------
    matplotlib.figure.Figure
    """
    record = Record.of(dataset)
    level = record.level
    delta = float(record.deltas[level])
    rhs = record.per_level("rhs")[:, level]
    chosen = _most_tense(record, np.isfinite(rhs) & (rhs > 0), LINES)
    figure, axes = _canvas()
    floor = min(delta / 5, 0.002)
    ends = []
    for k, index in enumerate(chosen):
        x, survival = _survival(record, index)
        x = x / rhs[index]
        vacuous = bool(record.vacuous[index, level])
        style = _style(k) | {"marker": ""}
        if vacuous:
            style["color"] = MUTED
        keep = survival >= floor
        ends.append(float(np.max(x[keep])))
        label = _short(record.labels[index]) + (" (vacuous)" if vacuous else "")
        # Between two quantiles the probability is at most that of the left one.
        axes.plot(x[keep], survival[keep], label=label, drawstyle="steps-post", **style)
    # Curves far beyond the bound are cut, but not all of them.
    reach = max(1.25, min(1.12 * max(ends), max(6.0, 1.12 * min(ends)))) if ends else 1.25
    axes.fill_between(
        [1, 2 * reach], delta, 1, facecolor="none", hatch="///", edgecolor=GRID, linewidth=0,
        label="what the promise forbids",
    )
    axes.axvline(1, color=INK, linewidth=1.1)
    axes.plot([1, 2 * reach], [delta, delta], color=INK, linewidth=1.1)
    low = min((float(record.quantiles[i][1] / rhs[i]) for i in chosen), default=0.0)
    axes.set(
        yscale="log", xlim=(min(0.0, max(low, -1.0)), reach), ylim=(floor, 1),
        xlabel="left side / bound", ylabel="probability of exceeding it",
    )
    _plain_log(axes.yaxis)
    broken = int((record.decision[:, level] == REFUTED).sum())
    if broken:
        title = (
            f"{broken} of {record.size} cells exceed the bound more often than promised"
            f"{_level(record)}"
        )
    elif record.tightest is None:
        title = f"The bound is vacuous in every cell{_level(record)}"
    else:
        title = (
            f"No cell is shown to enter the forbidden region{_level(record)}: the left side stays "
            "inside the bound"
            if (record.decision[:, level] == UPHELD).any()
            else f"Not decided everywhere{_level(record)}"
        )
    alt = (
        f"Exceedance curves of {len(chosen)} of {record.size} cells, the nearest to the bound, "
        f"each scaled by its bound; the bound is the vertical line at 1, the promised level "
        f"{number(delta)} the horizontal one."
    )
    return _finish(figure, axes, title, alt)


def _survival(record: Record, index: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Quantiles of a cell's left side, and the probability of exceeding each."""
    x = record.quantiles[index]
    survival = 1 - np.asarray(record.dataset["quantile"].values, float)
    if not record.is_exact[index]:
        # The largest draw is exceeded about once in as many more.
        survival[-1] = 1 / record.per_cell("replicates")[index]
        return x, survival
    # Where the law is exact it is known at every level, however small.
    small = record.deltas < survival[survival > 0].min()
    tail = (record.per_level("tightness") * record.per_level("rhs"))[index]
    x, survival = np.r_[x[:-1], tail[small]], np.r_[survival[:-1], record.deltas[small]]
    order = np.argsort(-survival, kind="stable")
    return x[order], survival[order]


def _most_tense(record: Record, usable: NDArray[np.bool_], count: int) -> list[int]:
    """Cells nearest to, or furthest beyond, the bound at the deciding level; vacuous ones last."""
    level = record.level
    tight = np.nan_to_num(record.per_level("tightness")[:, level], nan=-np.inf, posinf=1e300)
    order = np.lexsort((-tight, record.vacuous[:, level]))
    return [int(i) for i in order if usable[i]][:count]


def _groups(record: Record) -> list[tuple[str, list[int]]]:
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
    order = _most_tense(record, np.ones(record.size, bool), LINES)
    return [(record.labels[i], [i]) for i in order]


@styled
def violations(dataset: xr.Dataset | Record) -> Figure:
    """How often the promise was broken, against how often it may be.

    Counts have Clopper-Pearson intervals (99%), counts of zero are drawn as upper limits, exact
    probabilities as marks without an interval.

    Parameters
    ----------
    dataset : xarray.Dataset or Record
        Of a tail claim.

    Returns
    -------
    matplotlib.figure.Figure
    """
    record = Record.of(dataset)
    deltas = record.deltas
    rate, (low, high) = record.rate, record.rate_limits
    groups = _groups(record)
    figure, axes = _canvas()
    shown = [v for v in np.r_[rate[rate > 0], high[~record.is_exact].ravel(), deltas] if v > 0]
    floor = max(min(shown) / 4, 1e-3 * deltas.min())
    ends = np.array([deltas.min() / 1.7, min(1.0, deltas.max() * 1.7)])
    step = np.linspace(-1, 1, len(groups)) * min(0.028 * len(groups), 0.14)
    worst_of_several = any(len(members) > 1 for _, members in groups)
    seen = dict.fromkeys(("interval", "arrow", "edge"), False)
    for k, (label, members) in enumerate(groups):
        drawn = _worst(record, members, rate, high)
        at = (drawn, np.arange(deltas.size))
        style = _style(k) | {"linestyle": "none", "markersize": 5.5}
        axes.plot([], [], label=_short(label), **style)
        for j, delta in enumerate(deltas):
            colour = MUTED if record.vacuous[at][j] else style["color"]
            look = style | {
                "color": colour,
                "markerfacecolor": "none" if record.vacuous[at][j] else colour,
            }
            x, y = delta * 10.0 ** step[k], rate[at][j]
            if record.is_exact[drawn[j]]:
                # Below the lower edge: a mark on it.
                seen["edge"] |= bool(y <= floor)
                axes.plot([x], [max(y, floor)], clip_on=False, **look)
            elif y > 0:
                seen["interval"] = True
                gap = [[y - low[at][j]], [high[at][j] - y]]
                axes.errorbar([x], [y], yerr=gap, elinewidth=1.1, **look)
            else:
                seen["arrow"] = True
                top = high[at][j]
                look |= {"marker": "_", "markersize": 8}
                axes.errorbar([x], [top], yerr=[0.45 * top], uplims=True, elinewidth=1.1, **look)
    axes.plot(ends, ends, color=INK, linewidth=1.2, label="promised: rate = δ")
    axes.fill_between(
        ends, ends, 1, facecolor="none", hatch="///", edgecolor=GRID, linewidth=0,
        label="promise broken",
    )
    if record.vacuous.any():
        axes.plot([], [], "o", color=MUTED, markerfacecolor="none", label="vacuous")
    axes.set(
        xscale="log", yscale="log", xlim=ends, ylim=(floor, 1),
        xlabel="promised level δ [probability]", ylabel="rate of violations [probability]",
    )
    _delta_ticks(axes, deltas)
    _plain_log(axes.yaxis)
    refuted = int((record.decision == REFUTED).sum())
    solid = ~record.vacuous
    if refuted:
        worst = float(np.nanmax((rate / deltas)[record.decision == REFUTED]))
        title = f"Broken up to {number(worst, 2)} times as often as promised"
    elif not solid.any():
        title = "Vacuous everywhere: nothing is promised that is not true anyway"
    elif np.nanmax(rate[solid]) == 0:
        title = "The promise was never broken"
    else:
        share = float(np.nanmax((rate / deltas)[solid]))
        title = f"Broken at most {number(share, 2)} times as often as allowed"
    which = "the worst cell of each group" if worst_of_several else "each cell"
    alt = (
        f"{'Exact' if record.exact else 'Observed'} rate of violations against the promised level "
        f"for {which}, on logarithmic axes"
    )
    if seen["interval"]:
        alt += ", with 99% Clopper-Pearson intervals"
        alt += " (none where exact)" if record.is_exact.any() else ""
    alt += "; above the diagonal the promise is broken."
    alt += " Arrows are upper limits where nothing was seen." if seen["arrow"] else ""
    alt += " Marks on the lower edge lie there or below." if seen["edge"] else ""
    if worst_of_several:
        axes.set_ylabel("rate of violations, worst cell\n[probability]")
    return _finish(figure, axes, title, alt)


def _worst(
    record: Record, members: Sequence[int], rate: NDArray[Any], high: NDArray[Any]
) -> NDArray[np.int64]:
    """Of a group, at each level the cell with the highest rate that is not vacuous if any is."""
    rows = np.asarray(members)
    keys = (high[rows], rate[rows], ~record.vacuous[rows])
    return rows[[int(np.lexsort([k[:, j] for k in keys])[-1]) for j in range(rate.shape[1])]]


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
    values = [v[:, record.level] for v in _tightness(record)]
    vacuous = record.vacuous[:, record.level]
    x = np.asarray(record.grid[along], float)
    series, others = _series(record, along, values[0])
    figure, axes = _canvas()
    for k, (label, rows) in enumerate(series):
        y, low, high = (v[rows] for v in values)
        style = _style(k)
        axes.plot(x, y, color=style["color"], linestyle=style["linestyle"], linewidth=1.3)
        for mask, hollow in ((~vacuous[rows], False), (vacuous[rows], True)):
            if not mask.any():
                continue
            colour = MUTED if hollow else style["color"]
            _points(
                axes, x[mask], y[mask], low[mask], high[mask], color=colour,
                marker=style["marker"], markerfacecolor="none" if hollow else colour,
            )
        axes.plot([], [], label=_short(label), **style)
    axes.axhline(1, color=INK, linewidth=1.2, label="the bound")
    if vacuous.any():
        axes.plot([], [], "o", color=MUTED, markerfacecolor="none", label="vacuous")
    finite = values[0][np.isfinite(values[0])]
    top = float(np.nanmax(np.r_[finite, 1.0]))
    if finite.size and finite.min() > 0 and (finite.min() < 0.05 or top > 6):
        axes.set_yscale("log")
        _plain_log(axes.yaxis)
    else:
        axes.set_ylim(min(0.0, 1.1 * float(np.nanmin(np.r_[finite, 0.0]))), 1.12 * top)
    _number_axis(axes, x)
    axes.set_xlabel(_parameter(along))
    axes.set_ylabel(f"left side / bound{_level(record)}")
    drawn = "one line" if len(series) == 1 else f"{len(series)} lines"
    alt = f"Tightness against {along}, {drawn}, the bound as a line at 1."
    if others:
        alt += f" Each point is the largest over {', '.join(others)}."
        over = ", ".join(map(symbol, others))
        axes.set_ylabel(f"left side / bound{_level(record)},\nlargest over {over}")
    return _finish(figure, axes, _trend(record, x, values[0], vacuous, along), alt)


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
    largest = f"the left side reaches {_share(float(np.nanmax(solid)))} the bound"
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


def _tightness(record: Record) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Tightness with limits; for an equality the mean over the value."""
    centre, low, high = (
        record.per_level(n).astype(float)
        for n in ("tightness", "tightness_low", "tightness_high")
    )
    if record.kind == "equal" and not np.isfinite(centre).all():
        rhs, mean = record.per_level("rhs"), record.per_cell("mean")[:, None]
        half = NORMAL * record.mean_error[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = np.where(rhs > 0, 1 / rhs, np.nan)
        centre, low, high = mean * scale, (mean - half) * scale, (mean + half) * scale
    return centre, low, high


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
    centre, low, high = (v[:, level] for v in _tightness(record))
    rows = _rows(record, np.nan_to_num(centre, nan=-np.inf, posinf=1e300))
    title, what = _forest_title(record, centre, rows), f"left side / bound{_level(record)}"
    if record.kind == "always":
        what = "largest left side / right side in any try"
    elif record.kind == "mean":
        what = "mean of the left side / bound"
    alt = (
        f"A row for {_each(record, rows)} with the ratio of left side and bound"
        f"{_with_interval(centre, low, high, rows)}; right of the line at 1 the promise is broken."
    )
    if np.isposinf(high[rows]).any():
        alt += " An arrow: no upper limit from so few draws."
    figure, axes = _forest(record, rows, centre, low, high, 1.0, "the bound")
    axes.set_xlabel(textwrap.fill(what, 40))
    return _finish(figure, axes, title, alt)


def _each(record: Record, rows: Sequence[int]) -> str:
    """The cells that have a row, in words."""
    if len(rows) < record.size:
        return f"each of {len(rows)} of {record.size} cells"
    return f"each of {record.size} cells" if record.size > 1 else "the only cell"


def _with_interval(
    centre: NDArray[Any], low: NDArray[Any], high: NDArray[Any], rows: Sequence[int]
) -> str:
    """What a caption says of intervals: nothing where none is drawn."""
    gap = np.stack([centre - low, high - centre])[:, rows]
    return " and its 99% interval" if np.any(np.isfinite(gap) & (gap > 0)) else ""


def _forest_title(record: Record, centre: NDArray[Any], rows: Sequence[int]) -> str:
    refuted = int((record.decision[:, record.level] == REFUTED).sum())
    solid = np.where(record.vacuous[:, record.level], np.nan, centre)
    shown = f"{len(rows)} tightest of {record.size} cells: " if len(rows) < record.size else ""
    if refuted:
        return f"{shown}{refuted} of {record.size} cells break the promise{_level(record)}"
    if not np.isfinite(solid).any():
        return f"{shown}vacuous in every cell{_level(record)}"
    value = float(np.nanmax(solid))
    text = f"{shown}the tightest cell reaches {_share(value)} the bound{_level(record)}"
    return text[0].upper() + text[1:]


def _rows(record: Record, key: NDArray[Any]) -> list[int]:
    """Cells to show, in the order of the grid; the largest ones where there are too many."""
    if record.size <= ROWS:
        return list(range(record.size))
    order = np.lexsort((-key, record.vacuous[:, record.level]))[:ROWS]
    return sorted(int(i) for i in order)


def _forest(
    record: Record, rows: Sequence[int], centre: NDArray[Any], low: NDArray[Any],
    high: NDArray[Any], line: float, name: str, values: bool = True,
) -> tuple[Figure, Axes]:
    labels = [textwrap.fill(_short(record.labels[i], 72), 36) for i in rows]
    deep = max(label.count("\n") + 1 for label in labels)
    figure, axes = _canvas(height=0.95 + (0.19 + 0.12 * (deep - 1)) * len(rows))
    states = record.decision[:, record.level]
    shown = np.asarray(rows)
    for state in sorted(set(states[shown].tolist())):
        word, style = _state(state)
        places = np.flatnonzero((states[shown] == state) & np.isfinite(centre[shown]))
        if places.size:
            at = shown[places]
            _points(
                axes, places, centre[at], low[at], high[at], across=True, label=word, **style
            )
    axes.axvline(line, color=INK, linewidth=1.2, label=name)
    axes.set_yticks(range(len(rows)), labels)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    finite = np.r_[[v for i in rows for v in (centre[i], low[i], high[i]) if np.isfinite(v)], line]
    if values and finite.min() > 0 and (finite.min() < 0.05 or finite.max() > 6):
        axes.set_xscale("log")
        _plain_log(axes.xaxis)
    elif values:
        axes.set_xlim(min(0.0, 1.1 * finite.min()), 1.08 * finite.max())
    return figure, axes


def _points(
    axes: Axes, place: NDArray[Any], centre: NDArray[Any], low: NDArray[Any], high: NDArray[Any],
    across: bool = False, label: str = "_", **style: Any,
) -> None:
    """Points with their intervals; an arrow where the draws give no upper limit."""
    below, above = (np.nan_to_num(v, posinf=0.0).clip(0) for v in (centre - low, high - centre))
    x, y = (centre, place) if across else (place, centre)
    look: dict[str, Any] = style | {"linestyle": "none", "elinewidth": 1.2}
    if below.any() or above.any():
        gap: dict[str, Any] = {"xerr" if across else "yerr": np.stack([below, above])}
        axes.errorbar(x, y, label=label, **gap, **look)
    else:
        axes.plot(x, y, label=label, **(style | {"linestyle": "none"}))
    open_ = np.isposinf(high) & np.isfinite(centre)
    if open_.any():
        reach: dict[str, Any] = {"xerr" if across else "yerr": 0.15 * np.abs(centre[open_])}
        reach["xlolims" if across else "lolims"] = True
        axes.errorbar(x[open_], y[open_], **reach, **look)


def _state(decision: int) -> tuple[str, dict[str, Any]]:
    """Word, colour and shape of what a cell says."""
    if decision == REFUTED:
        return "refuted", {"color": COLOURS[1], "marker": "X", "markersize": 7}
    if decision == UPHELD:
        return "upheld", {"color": COLOURS[0], "marker": "o"}
    if decision == VACUOUS:
        return "vacuous", {"color": MUTED, "marker": "o", "markerfacecolor": "none"}
    return "undecided", {"color": COLOURS[4], "marker": "s", "markerfacecolor": "none"}


# Mean, equal.


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
        centre, low, high = (v[:, 0] for v in _tightness(record))
    line = 1.0 if as_ratio else 0.0
    distance = centre - line if record.kind == "mean" else np.abs(centre - line)
    rows = _rows(record, distance)
    against = "promised value" if record.kind == "equal" else "the bound"
    figure, axes = _forest(record, rows, centre, low, high, line, against, record.kind == "mean")
    margin = _declared(record, "margin")
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
        share = _share(float(np.nanmax(solid) + line))
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
        f"A row for {_each(record, rows)}: mean of the left side ({record.side}) against the "
        f"{divisor}{_with_interval(centre, low, high, rows)}."
    )
    return _finish(figure, axes, title, alt)


def _declared(record: Record, name: str) -> NDArray[Any] | None:
    """A number the claim declares a cell (margin, printed error), where the store has it."""
    if name in record.dataset:
        return np.broadcast_to(record.per_cell(name), (record.size,)).astype(float)
    value = record.dataset.attrs.get(name)
    return np.full(record.size, float(value)) if isinstance(value, int | float) else None


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
    figure, axes = _canvas()
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
        label = _short(record.labels[index])
        axes.plot(*curves[index], label=label, **(_style(k) | {"marker": "", "linewidth": 1.2}))
    # Each of two samples leaves its law by this much with probability 1% / 2.
    band = 2 * np.sqrt(np.log(2 / 0.005) / (2 * min(sizes)))
    axes.axhspan(-band, band, color=GRID, alpha=0.6, linewidth=0, label="99% band")
    axes.axhline(0, color=INK, linewidth=1.2)
    worst = max(gaps)
    limit = 1.25 * max(worst, band)
    margin = _declared(record, "margin")
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
    return _finish(figure, axes, title, alt)


# Always, identity, exists.


@styled
def excess(dataset: xr.Dataset | Record) -> Figure:
    """The worst instance of every cell: by how much left exceeds (or differs from) right.

    Parameters
    ----------
    dataset : xarray.Dataset or Record
        Of an always or identity claim.

    Returns
    -------
    matplotlib.figure.Figure
    """
    from matplotlib.ticker import FuncFormatter

    record = Record.of(dataset)
    values = record.per_cell("mean").astype(float)
    tries = record.per_cell("tries")
    values = np.where(np.isfinite(values), values, np.nan)
    # What rounding leaves of equality would stand on the wrong side of a line that was kept.
    within = (record.decision[:, 0] == UPHELD) & (values > -ROUNDING)
    rounded = np.nanmax(np.abs(values), where=within, initial=0.0)
    values = np.where(within, 0.0, values)
    rows = _rows(record, np.nan_to_num(values, nan=-np.inf))
    figure, axes = _forest(record, rows, values, values, values, 0.0, "allowed", values=False)
    finite = values[np.isfinite(values)]
    largest = float(np.abs(finite).max()) if finite.size else 0.0
    spread = np.abs(finite[finite != 0])
    if spread.size and largest / spread.min() > 1e3:
        axes.set_xscale("symlog", linthresh=max(float(spread.min()), 1e-12))
        scale = axes.xaxis.get_transform()
        low, high = scale.transform(np.array([min(0.0, finite.min()), max(0.0, finite.max())]))
        room = 0.06 * (high - low)
        axes.set_xlim(*scale.inverted().transform(np.array([low - room, high + room])))
        axes.set_xticks(_apart(axes.xaxis))
    elif largest:
        low, high = min(0.0, float(finite.min())), max(0.0, float(finite.max()))
        axes.set_xlim(low - 0.08 * (high - low), high + 0.08 * (high - low))
        axes.locator_params(axis="x", nbins=5)
    else:
        axes.set(xlim=(-1, 1), xticks=[0])
    axes.xaxis.set_major_formatter(FuncFormatter(lambda v, _: number(float(v), 2)))
    at = record.counterexample_cell
    if at is not None and at in rows:
        axes.plot(
            [values[at]], [rows.index(at)], marker="o", markersize=14, markerfacecolor="none",
            color=COLOURS[1], linestyle="none", label="the counterexample", clip_on=False,
        )
    unit = f" [{record.unit}]" if record.unit else ""
    what = "left − right side" if record.kind == "always" else "|left − right side|"
    note = f"\n(drawn as 0: rounding, up to {number(float(rounded), 2)})" if rounded else ""
    axes.set_xlabel(textwrap.fill(f"largest {what}{unit}", 40) + note)
    broken = int((record.decision == REFUTED).sum())
    total = number(int(tries.sum()))
    if broken:
        title = f"Certified counterexamples in {broken} of {record.size} cells"
    elif record.exact:
        title = (
            "No break in the one instance that there is" if total == "1"
            else f"No break in any of {total} instances, which are all there are"
        )
    else:
        title = f"No break in {total} tries"
    alt = (
        f"A row for {_each(record, rows)} with the worst instance; right of the line at 0 the "
        "statement is broken."
    )
    if rounded:
        alt += f" What is left of equality by rounding, up to {number(float(rounded), 2)}, is "
        alt += "drawn as 0."
    return _finish(figure, axes, title, alt)


@styled
def optimum(dataset: xr.Dataset | Record) -> Figure:
    """The exact optimum on each instance against the value it should reach.

    Parameters
    ----------
    dataset : xarray.Dataset or Record
        Of an exists claim.

    Returns
    -------
    matplotlib.figure.Figure
    """
    record = Record.of(dataset)
    found, promised = record.per_cell("mean").astype(float), record.per_level("rhs")[:, 0]
    rows = _rows(record, promised - found)
    labels = [textwrap.fill(_short(record.labels[i], 72), 36) for i in rows]
    figure, axes = _canvas(height=0.8 + 0.25 * len(rows))
    y = np.arange(len(rows))
    axes.hlines(y, promised[rows], found[rows], color=MUTED, linewidth=1.2)
    axes.plot(
        promised[rows], y, "|", color=INK, markersize=13, markeredgewidth=2, label="promised"
    )
    seen: set[str] = set()
    for k, index in enumerate(rows):
        word, style = _state(int(record.decision[index, 0]))
        axes.plot(
            [found[index]], [k], linestyle="none", label="_" if word in seen
            else f"exact optimum ({word})", **style,
        )
        seen.add(word)
    axes.set_yticks(y, labels)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    axes.margins(x=0.1)
    axes.set_xlabel(textwrap.fill(record.side, 40))
    broken = int((record.decision == REFUTED).sum())
    title = (
        f"In {broken} of {record.size} instances the optimum is smaller than promised"
        if broken else "The exact optimum is at least what is promised"
    )
    count = f"{record.size}" if len(rows) == record.size else f"{len(rows)} of {record.size}"
    alt = f"Promised value and exact optimum for {count} instances."
    return _finish(figure, axes, title, alt)


# Rate, published.


def slopes(record: Record) -> list[dict[str, Any]]:
    """Robust log-log fits of a rate claim, one a line: slope, 99% interval (HC3), promise.

    Parameters
    ----------
    record : Record
        Of a rate claim.

    Returns
    -------
    list of dict
        Keys ``label``, ``rows`` (cells in order), ``slope``, ``low``, ``high``, ``intercept``,
        ``exponent``.
    """
    from statsmodels.regression.linear_model import OLS

    assert record.along is not None
    x = np.log(np.asarray(record.grid[record.along], float))
    axis = record.dims.index(record.along)
    table = np.moveaxis(np.arange(record.size).reshape(record.shape), axis, -1)
    rhs, mean = record.per_level("rhs")[:, 0], record.per_cell("mean")
    out = []
    for rows in table.reshape(-1, table.shape[-1]):
        design = np.column_stack([np.ones_like(x), x])
        fit = OLS(np.log(mean[rows]), design).fit(cov_type="HC3", use_t=True)
        low, high = fit.conf_int(1 - 0.99)[1]
        cell = record.cells[int(rows[0])]
        keys = [d for d in record.varying if d != record.along]
        out.append({
            "label": ", ".join(spell(d, cell[d]) for d in keys) or "measured",
            "rows": rows, "slope": float(fit.params[1]), "intercept": float(fit.params[0]),
            "low": float(low), "high": float(high), "exponent": float(rhs[rows[0]]),
        })
    return out


@styled
def rate(dataset: xr.Dataset | Record) -> Figure:
    """The mean of the left side along the fitted parameter, log-log, with fit and promise.

    Parameters
    ----------
    dataset : xarray.Dataset or Record
        Of a rate claim.

    Returns
    -------
    matplotlib.figure.Figure
    """
    record = Record.of(dataset)
    assert record.along is not None
    fits = slopes(record)
    shown = sorted(fits, key=lambda f: f["exponent"] - f["slope"])[:LINES]
    x = np.asarray(record.grid[record.along], float)
    mean, half = record.per_cell("mean"), NORMAL * np.nan_to_num(record.mean_error)
    figure, axes = _canvas(3.0)
    for k, fit in enumerate(shown):
        style = _style(k)
        rows = fit["rows"]
        label = (
            f"{_short(fit['label'], 30)}: slope {number(fit['slope'])} "
            f"{interval(fit['low'], fit['high'])}"
        )
        axes.errorbar(
            x, mean[rows], yerr=np.minimum(half[rows], 0.99 * mean[rows]),
            color=style["color"], marker=style["marker"], linestyle="none",
        )
        line = np.exp(fit["intercept"]) * x ** fit["slope"]
        axes.plot(x, line, label=label, **style)
        # The promise through the fit's middle: only its slope is promised.
        middle = np.exp(np.mean(np.log(x)))
        height = np.exp(fit["intercept"]) * middle ** fit["slope"]
        axes.plot(
            x, height * (x / middle) ** fit["exponent"], color=INK, linewidth=1,
            label=f"promised slope {number(fit['exponent'])}" if k == 0 else "_",
        )
    axes.set(xscale="log", yscale="log", xlabel=_parameter(record.along))
    axes.set_ylabel(textwrap.fill(f"mean of {record.side}", 34))
    _number_axis(axes, x)
    _plain_log(axes.yaxis)
    refuted = any(record.decision[f["rows"], 0].max() == REFUTED for f in fits)
    steepest = max(f["slope"] - f["exponent"] for f in fits)
    title = (
        f"It {'grows faster' if shown[0]['exponent'] > 0 else 'falls more slowly'} than promised, "
        f"by {number(steepest, 2)} in the exponent"
        if refuted else
        f"The slope is {number(shown[0]['slope'])}, the promise {number(shown[0]['exponent'])}"
    )
    alt = (
        f"Mean of the left side against {symbol(record.along)} on logarithmic axes for "
        f"{len(shown)} of {len(fits)} lines, with the fitted and the promised slope."
    )
    return _finish(figure, axes, title, alt)


@styled
def published(dataset: xr.Dataset | Record) -> Figure:
    """Our number beside the printed one, a row a cell, with 99% intervals where there are errors.

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
    half = NORMAL * np.nan_to_num(record.mean_error)
    error, margin = _declared(record, "printed_error"), _declared(record, "margin")
    printed_half = NORMAL * error if error is not None else np.zeros(record.size)
    rows = _rows(record, np.abs(ours - printed))
    labels = [textwrap.fill(_short(record.labels[i], 72), 36) for i in rows]
    figure, axes = _canvas(height=0.8 + 0.28 * len(rows))
    y = np.arange(len(rows))
    if margin is not None:
        axes.hlines(
            y + 0.15, (printed - margin)[rows], (printed + margin)[rows], color=GRID, linewidth=7,
            label="stated tolerance",
        )
    axes.errorbar(
        printed[rows], y + 0.15, xerr=printed_half[rows], linestyle="none", marker="s",
        color=INK, markerfacecolor="none", label="print",
    )
    seen: set[str] = set()
    for k, index in enumerate(rows):
        word, style = _state(int(record.decision[index, 0]))
        axes.errorbar(
            [ours[index]], [k - 0.15], xerr=[half[index]], linestyle="none",
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
        _plain_log(axes.xaxis)
    axes.set_xlabel(textwrap.fill(record.side, 40))
    broken = int((record.decision == REFUTED).sum())
    agree = int((record.decision == UPHELD).sum())
    numbers = "the printed number" if record.size == 1 else f"{record.size} printed numbers"
    if broken:
        title = f"{broken} of {record.size} printed numbers are not what we find"
    elif agree:
        title = f"{agree} of {record.size} printed numbers are found again"
    else:
        title = f"Errors too wide to decide {numbers}"
    drawn = bool(half[rows].any() or printed_half[rows].any())
    alt = f"Printed number and ours for {_each(record, rows)}"
    alt += ", with 99% intervals." if drawn else "."
    return _finish(figure, axes, title, alt)


# All claims at once.


@styled
def summary(datasets: Iterable[xr.Dataset | Record]) -> Figure:
    """Tightness of every claim at its tightest cell that is not vacuous.

    A row a claim with its interval, where they are few; else a dot a claim, stacked, a panel a
    paper, with the names of those furthest from the bound.

    Parameters
    ----------
    datasets : iterable of xarray.Dataset or Record
        Claims; those without a ratio are left out.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If no claim has a ratio.
    """
    records = [
        r for r in map(Record.of, datasets) if r.tightness is not None and r.tightness > 0
    ]
    if not records:
        raise ValueError("no claim has a ratio of left side and bound")
    holding = [float(r.tightness) for r in records if r.verdict == "upheld" and r.tightness]
    beyond = sum(r.verdict == "refuted" for r in records)
    title = (
        f"The median upheld claim reaches {_share(float(np.median(holding)))} its bound"
        if holding else f"{beyond} of {len(records)} claims are refuted"
    )
    alt = f"Tightness of the {len(records)} claims that have a ratio of their two sides, on a "
    alt += "logarithmic axis, marked by verdict."
    return _summary_rows(records, title, alt) if len(records) <= ROWS else (
        _summary_stacks(records, title, alt)
    )


def _summary_rows(records: Sequence[Record], title: str, alt: str) -> Figure:
    figure, axes = _canvas(height=0.7 + 0.19 * len(records), width=6.4)
    seen: set[str] = set()
    for y, record in enumerate(records):
        at = record.tightest
        assert at is not None
        value, low, high = (
            np.array([float(record.per_level(name)[at])])
            for name in ("tightness", "tightness_low", "tightness_high")
        )
        word, style = _verdict_style(record)
        _points(
            axes, np.array([y]), value, low, high, across=True,
            label="_" if word in seen else word, **style,
        )
        seen.add(word)
    axes.set_yticks(range(len(records)), [_short(r.id, 46) for r in records])
    axes.set_ylim(len(records) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    _tightness_axis(axes, records)
    return _finish(figure, axes, title, alt)


def _summary_stacks(records: Sequence[Record], title: str, alt: str) -> Figure:
    from matplotlib.figure import Figure

    papers = list(dict.fromkeys(str(r.paper) for r in records))
    reach, width = _reach(records), 8.2
    span = float(np.log10(reach[1] / reach[0]))
    # Dots this far apart, in decades, do not touch.
    step = 5.5 * span / (72 * width)
    stacks = []
    for paper in papers:
        placed = _swarm([r for r in records if r.paper == paper], step)
        stacks.append((placed, max(y for _, _, y in placed)))
    tallest = [max(top, 14) + 1.5 for _, top in stacks]
    figure = Figure(figsize=(width, 0.9 + 0.085 * sum(tallest)), layout="constrained")
    panels = figure.subplots(
        len(papers), 1, sharex=True, squeeze=False, height_ratios=tallest
    ).ravel()
    seen: set[str] = set()
    for axes, paper, (placed, _), top in zip(panels, papers, stacks, tallest, strict=True):
        for record, x, y in placed:
            word, style = _verdict_style(record)
            panels[-1].plot([], [], linestyle="none", label="_" if word in seen else word, **style)
            seen.add(word)
            axes.plot([x], [y], linestyle="none", **(style | {"markersize": 4.6}))
        axes.axvline(1, color=INK, linewidth=1.2, zorder=1)
        axes.set(ylim=(0, top), yticks=[])
        free = 2 + max((y for _, x, y in placed if abs(np.log10(x)) > step), default=0)
        for sign in (-1, 1):
            side = [p for p in placed if sign * (p[1] - 1) > 0]
            _name_extremes(axes, side, span, free)
        axes.set_title(f"{paper}, {len(placed)} claims with a ratio", fontsize=RC["font.size"])
        axes.grid(axis="y", visible=False)
        axes.spines["left"].set_visible(False)
        axes.tick_params(labelbottom=axes is panels[-1])
    panels[-1].plot([], [], color=INK, linewidth=1.2, label="the bound")
    _tightness_axis(panels[-1], records)
    alt += " A dot a claim, a panel a paper; the loosest and the most broken are named."
    return _finish(figure, panels[-1], title, alt)


def _swarm(records: Sequence[Record], step: float) -> list[tuple[Record, float, int]]:
    """Each claim at its tightness, as low as no dot within a step allows."""
    placed: list[tuple[Record, float, int]] = []
    for record in sorted(records, key=lambda r: (r.verdict, r.tightness)):
        assert record.tightness is not None
        x = float(record.tightness)
        taken = {height for _, other, height in placed if abs(np.log10(x / other)) < step}
        free = next(h for h in range(1, len(taken) + 2) if h not in taken)
        placed.append((record, x, free))
    return placed


def _name_extremes(
    axes: Axes, placed: Sequence[tuple[Record, float, int]], span: float, free: float,
    count: int = 5,
) -> None:
    """Names of the outermost dots on one side, each over its dot, from a height that is free."""
    # A name ends before the line at 1, where the tallest stack stands: 145 characters a panel.
    wide = [
        p for p in placed if len(_short(p[0].name, 40)) < 145 * abs(np.log10(p[1])) / span
    ]
    outermost = sorted(wide, key=lambda p: (-abs(np.log10(p[1])), -p[2]))[:count]
    highest = min(free + 2.0 * (len(outermost) - 1), axes.get_ylim()[1] - 1)
    for rank, (record, x, y) in enumerate(outermost):
        # The outermost highest: no name crosses another one's line.
        height, left = highest - 2.0 * rank, x < 1
        axes.plot([x, x], [y, height], color=MUTED, linewidth=0.6, zorder=1)
        axes.annotate(
            _short(record.name, 40), (x, height),
            xytext=(2 if left else -2, 0), textcoords="offset points",
            ha="left" if left else "right", va="center", fontsize=7.5, zorder=4,
        )


def _verdict_style(record: Record) -> tuple[str, dict[str, Any]]:
    return _state({"refuted": REFUTED, "upheld": UPHELD}.get(record.verdict, 0))


def _reach(records: Sequence[Record]) -> tuple[float, float]:
    values = [float(r.tightness) for r in records if r.tightness is not None] + [1.0]
    return min(values) / 1.4, max(values) * 1.4


def _tightness_axis(axes: Axes, records: Sequence[Record]) -> None:
    if not any(line.get_label() == "the bound" for line in axes.get_lines()):
        axes.axvline(1, color=INK, linewidth=1.2, label="the bound")
    axes.set_xscale("log")
    axes.set_xlim(*_reach(records))
    _plain_log(axes.xaxis)
    axes.set_xlabel("tightness: left side / right side at the tightest cell")


def deciding(dataset: xr.Dataset | Record) -> dict[str, Figure]:
    """The pictures that decide a claim, by name, the first one first.

    Parameters
    ----------
    dataset : xarray.Dataset or Record
        Of any claim; a cited one has none.

    Returns
    -------
    dict of str to matplotlib.figure.Figure
    """
    record = Record.of(dataset)
    if not record.tried:
        return {}
    drawn: dict[str, Draw] = {}
    ratios = record.per_level("tightness")
    ratio = bool(np.isfinite(ratios).any())
    if record.kind == "tail":
        drawn["violations"] = violations
        if np.any(record.per_level("rhs")[:, record.level] > 0):
            drawn["distribution"] = distribution
    elif record.kind == "mean":
        drawn["means"] = means
    elif record.kind == "equal":
        drawn |= {"laws": laws} if "other" in record.dataset else {"means": means}
    elif record.kind in ("always", "identity"):
        drawn["excess"] = excess
    else:
        drawn[record.kind] = {"exists": optimum, "rate": rate, "published": published}[record.kind]
    if record.kind in ("tail", "mean") and ratio and record.along is not None:
        drawn["tightness"] = tightness
    # Where the right side is not positive a break has no ratio: a forest would hide it.
    hidden = record.kind == "always" and not np.all(ratios[record.decision == REFUTED] > 1)
    if record.kind in ("tail", "always") and ratio and record.size > 1 and not hidden:
        drawn["forest"] = forest
    return {name: draw(record) for name, draw in drawn.items()}


# Axes.


def _parameter(name: str) -> str:
    return {"n": "sample size n"}.get(name, symbol(name))


def _number_axis(axes: Axes, x: NDArray[np.float64]) -> None:
    """Logarithmic where the values are, with ticks at the values that were tried."""
    from matplotlib.ticker import FixedLocator, NullLocator

    if x.min() > 0 and x.max() / x.min() >= 8:
        axes.set_xscale("log")
        space = np.log(x / x.min()) / np.log(x.max() / x.min())
    else:
        space = (x - x.min()) / max(float(np.ptp(x)), 1e-300)
    ticks, last = [], -1.0
    for value, place in sorted(zip(x, space, strict=True)):
        if place - last >= 0.1:
            ticks.append(value)
            last = float(place)
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticklabels([number(float(t), 4) for t in ticks])


def _delta_ticks(axes: Axes, deltas: NDArray[np.float64]) -> None:
    from matplotlib.ticker import FixedLocator, NullLocator

    ticks: list[float] = []
    for delta in sorted(deltas):
        if not ticks or delta / ticks[-1] >= 1.6:
            ticks.append(float(delta))
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticklabels([number(t) for t in ticks])


def _apart(axis: Any) -> list[float]:
    """Ticks of an axis through 0 whose labels have room, 0 and the outermost first."""
    scale = axis.get_transform()
    low, high = scale.transform(axis.get_view_interval())
    ticks = {*map(float, axis.get_majorticklocs()), 0.0}
    kept: dict[float, float] = {}
    for tick in sorted(ticks, key=lambda t: (t != 0, -abs(t))):
        place = (float(scale.transform(np.array([tick]))[0]) - low) / (high - low)
        if 0 <= place <= 1 and all(abs(place - other) > 0.2 for other in kept.values()):
            kept[tick] = place
    return sorted(kept)


def _plain_log(axis: Any) -> None:
    """Decades, with 2 and 5 between them where there are few."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    decades = np.log10(max(high, 1e-300) / max(low, 1e-300))
    subs = (1.0,) if decades > 2.2 else (1.0, 2.0, 5.0) if decades > 0.8 else tuple(range(1, 10))
    axis.set_major_locator(LogLocator(subs=subs, numticks=9 if decades < 8 else 5))
    axis.set_major_formatter(FuncFormatter(lambda v, _: number(float(v), 2)))
    axis.set_minor_formatter(NullFormatter())


# SVG.


_LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "−0123456789")


def _shorter(found: re.Match[str]) -> str:
    return f"{float(found[0]):.2f}".rstrip("0").rstrip(".")


def svg(figure: Figure, *, math: bool = False) -> str:
    """Turn a figure into SVG text: no date, stable ids, colours that follow a dark scheme.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        As the functions here return it.
    math : bool
        Whether dollars in its texts enclose formulas, for the author of the whole figure.

    Returns
    -------
    str
        The same for the same figure.
    """
    import matplotlib

    buffer = io.StringIO()
    with matplotlib.rc_context(RC | {"text.parse_math": math}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    text = re.sub(r"<\?xml.*?\?>\s*<!DOCTYPE.*?>\s*", "", text, count=1, flags=re.S)
    text = re.sub(r"\s*<metadata>.*?</metadata>", "", text, count=1, flags=re.S)
    # Short numbers: a hundredth of a point is finer than any screen.
    # Only within tags: what is written in the picture stays as it is.
    text = re.sub(r"<[^>]*>", lambda m: re.sub(r"-?\d+\.\d{3,}", _shorter, m[0]), text)
    # Fonts without raised digits are common, and a viewer may know no other.
    text = re.sub("×10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda m: "e" + m[1].translate(_LOWERED), text)
    # Presentation styles stay, for viewers that know no media queries; these rules override them.
    rules = "".join(
        f'[style*="{part}: {light}"]{{{part}:{dark}!important}}'
        for light, dark in DARK.items() if light in text
        for part in ("fill", "stroke") if f"{part}: {light}" in text
    )
    style = f"<style>@media (prefers-color-scheme: dark){{{rules}}}</style>"
    return re.sub(r"(<svg[^>]*>)", lambda m: m[1] + style, text, count=1)
