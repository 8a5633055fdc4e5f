"""Instances: how near each came to breaking the claim, and the optimum where there is one."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.report.figures.cells import (
    ROUNDING,
    draw_rows,
    each_of,
    judged,
    ring_counterexample,
    rows_shown,
    state_of,
)
from noisytheory.report.figures.style import (
    COLOURS,
    INK,
    LINES,
    MUTED,
    balanced,
    canvas,
    finish,
    names_of,
    shortened,
    styled,
)
from noisytheory.report.figures.ticks import plain_log, plain_small, ticks_apart
from noisytheory.report.figures.tries import calm, said, tries_of, why_open
from noisytheory.report.record import REFUTED, UPHELD, Record
from noisytheory.report.spelling import number

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "excess",
    "optimum",
    "sides",
    "worst",
]


def worst(record: Record) -> tuple[NDArray[np.float64], float]:
    """By how much left exceeds right at most, cell by cell, and the largest that is rounding alone.

    What rounding leaves of equality is 0 here: it would stand on the wrong side of a line that was
    kept.

    Parameters
    ----------
    record : Record
        Of an always or identity claim.

    Returns
    -------
    ndarray, float
    """
    values = record.per_cell("mean").astype(float)
    values = np.where(np.isfinite(values), values, np.nan)
    within = (record.decision[:, 0] == UPHELD) & (values > -ROUNDING)
    rounded = float(np.nanmax(np.abs(values), where=within, initial=0.0))
    return np.where(within, 0.0, values), rounded


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
    tries = record.per_cell("tries")
    values, rounded = worst(record)
    rows = rows_shown(record, np.nan_to_num(values, nan=-np.inf))
    figure, axes = draw_rows(record, rows, values, values, values, 0.0, "allowed", values=False)
    finite = values[np.isfinite(values)]
    largest = float(np.abs(finite).max()) if finite.size else 0.0
    spread = np.abs(finite[finite != 0])
    if spread.size and largest / spread.min() > 1e3:
        axes.set_xscale("symlog", linthresh=max(float(spread.min()), 1e-12))
        scale = axes.xaxis.get_transform()
        low, high = scale.transform(np.array([min(0.0, finite.min()), max(0.0, finite.max())]))
        room = 0.06 * (high - low)
        axes.set_xlim(*scale.inverted().transform(np.array([low - room, high + room])))
        axes.set_xticks(ticks_apart(axes.xaxis))
    elif largest:
        low, high = min(0.0, float(finite.min())), max(0.0, float(finite.max()))
        axes.set_xlim(low - 0.08 * (high - low), high + 0.08 * (high - low))
        axes.locator_params(axis="x", nbins=5)
    else:
        axes.set(xlim=(-1, 1), xticks=[0])
    axes.xaxis.set_major_formatter(FuncFormatter(lambda v, _: number(float(v), 2)))
    ring_counterexample(record, axes, rows, values)
    unit = f" [{record.unit}]" if record.unit else ""
    what = "left\u00a0− right\u00a0side" if record.kind == "always" else (
        "|left\u00a0−\u00a0right\u00a0side|"
    )
    note = f"\n(drawn as 0: rounding, up to {number(float(rounded), 2)})" if rounded else ""
    axes.set_xlabel(balanced(f"largest {what}{unit}", 40) + note)
    broken = int((record.decision == REFUTED).sum())
    total = number(int(tries.sum()))
    if broken:
        title = f"Certified counterexamples in {broken} of {record.size} cells"
    elif record.verdict == "undecided":
        title = judged(record, why_open(record))
    elif record.exact:
        title = (
            "No break in the one instance listed" if total == "1"
            else f"No break in any of {total} listed instances"
        )
    else:
        title = f"No break in {total} tries"
    alt = (
        f"A row for {each_of(record, rows)} with the worst instance; right of the line at 0 the "
        "statement is broken."
    )
    if rounded:
        alt += f" What is left of equality by rounding, up to {number(float(rounded), 2)}, is "
        alt += "drawn as 0."
    return finish(figure, axes, title, alt)


SHOWN = 100
"""Tries of a cell that are drawn: more are a blot."""


@styled
def sides(dataset: xr.Dataset | Record) -> Figure:
    """The tries by the size of their right side: the left side, or of an identity what is left.

    Parameters
    ----------
    dataset : xarray.Dataset or Record
        Of an always or identity claim whose right sides are stored.

    Returns
    -------
    matplotlib.figure.Figure
    """
    record = Record.of(dataset)
    tries = tries_of(record)
    if tries is None:
        raise ValueError(f"{record.id}: no instances are stored")
    left, right, cell, broken = tries.left, tries.right, tries.cell, tries.broken
    height, far = left, left - right
    identity, refuted = record.kind == "identity", record.verdict == "refuted"
    residual = identity and not refuted and bool(far.any())
    if identity:
        far = np.abs(far) / (1.0 if refuted else tries.rounding)
    if residual:
        height = (left - right) / (tries.rounding if tries.by_rounding else 1.0)
    figure, axes = canvas(height=2.7)
    told_apart = 1 < record.size <= LINES
    names = names_of(record.labels) if told_apart else []
    for k in range(record.size if told_apart else 1):
        own = np.flatnonzero((cell == k) & ~broken) if told_apart else np.flatnonzero(~broken)
        if not own.size:
            continue
        # The second colour is that of what breaks a promise.
        axes.plot(
            right[own := _some(own, right, far)], height[own], alpha=0.6,
            label=names[k] if told_apart else (
                "an instance" if record.exact else "a try"),
            **calm(k) | {"linestyle": "none", "markersize": 4.0, "markeredgewidth": 0},
        )
    if broken.any():
        own = _some(np.flatnonzero(broken), right, far)
        axes.plot(
            right[own], height[own], alpha=0.7, label="breaks the promise", color=COLOURS[1],
            marker="X", linestyle="none", markersize=4.5, markeredgewidth=0,
        )
    if not identity or broken.any():
        axes.plot(
            right[[tries.worst]], height[[tries.worst]], marker="o", markersize=11, color=INK,
            markerfacecolor="none", markeredgewidth=1.0, linestyle="none", clip_on=False,
            label="the furthest beyond" if broken.any() else "the nearest",
        )
    # A line between axes of one sort is straight.
    _spread(axes, axes.xaxis, right, None if residual else left)
    unit = f" [{record.unit}]" if record.unit else ""
    if residual:
        axes.axhline(0, color=INK, linewidth=1.0, label="equal", zorder=1)
        most = max(1.0 if tries.by_rounding else 0.0, float(np.abs(height).max()))
        told = "\n[units of rounding]" if tries.by_rounding else unit
        axes.set(ylim=(-1.1 * most, 1.1 * most), ylabel=f"left − right side{told}")
        _spread(axes, axes.yaxis, np.append(height, 0.0))  # with the line of equality
    else:
        # With points between its ends: it is bent where only one axis is logarithmic.
        bound = np.quantile(right, np.linspace(0, 1, 200))
        axes.plot(bound, bound, color=INK, linewidth=0.8, zorder=1,
                  label="equal" if identity else "the bound")
        _spread(axes, axes.yaxis, np.r_[left, right])
        named = record.side not in ("left side", f"left side{unit}")
        axes.set_ylabel(balanced(f"left side: {record.side}" if named else record.side, 38))
    axes.set_xlabel(f"right side{unit}")
    entries = min(SHOWN, len(left))
    alt = (
        f"{number(entries)} of {tries.all_of_them} in {each_of(record, range(record.size))}, by "
        f"their right side, from {number(float(right.min()))} to {number(float(right.max()))}: "
    )
    alt += "what is left of equality" if residual else (
        "the left side, and the line " + ("of equality" if identity else "it may reach")
    )
    return finish(figure, axes, said(tries), f"{alt}.")


def _some(
    own: NDArray[np.int64], right: NDArray[np.float64], far: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Evenly over the order of the right side, with both ends, and the try that is furthest."""
    own = own[np.argsort(right[own], kind="stable")]
    shown = {*np.linspace(0, len(own) - 1, SHOWN).astype(int).tolist()}
    return own[sorted(shown | {int(np.argmax(far[own]))})]


def _spread(
    axes: Axes, axis: Any, values: NDArray[np.float64], beside: NDArray[np.float64] | None = None
) -> None:
    """A logarithmic axis where few values are far larger than the others, or those beside them."""
    from matplotlib.ticker import FuncFormatter, NullLocator

    if not values.any():
        return  # All are 0: there is no size to them.
    middle, low, high = (float(f(v)) for f, v in (
        (np.median, np.abs(values[values != 0])), (np.min, values), (np.max, values)
    ))
    name, all_ = axis.axis_name, values if beside is None else np.append(values, beside)
    sizes = bool(all_.min() > 0) and bool(all_.max() > 20 * all_.min())
    if max(-low, high) > 100 * middle or sizes:
        if low > 0:
            getattr(axes, f"set_{name}scale")("log")
            plain_log(axis)
            return
        getattr(axes, f"set_{name}scale")("symlog", linthresh=middle)
        scale = axis.get_transform()
        ends = scale.transform(np.array([low, high]))
        room = 0.05 * (ends[1] - ends[0])
        getattr(axes, f"set_{name}lim")(*scale.inverted().transform(ends + np.array([-room, room])))
        axis.set_ticks(ticks_apart(axis))
        axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda v, _: number(float(v))))


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
    rows = rows_shown(record, promised - found)
    labels = [textwrap.fill(shortened(record.labels[i], 72), 36) for i in rows]
    deep = max(label.count("\n") + 1 for label in labels)
    figure, axes = canvas(height=0.8 + (0.25 + 0.12 * (deep - 1)) * len(rows))
    y = np.arange(len(rows))
    axes.hlines(y, promised[rows], found[rows], color=MUTED, linewidth=1.2)
    axes.plot(
        promised[rows], y, "|", color=INK, markersize=13, markeredgewidth=2, label="promised"
    )
    seen: set[str] = set()
    for k, index in enumerate(rows):
        word, style = state_of(int(record.decision[index, 0]))
        axes.plot(
            [found[index]], [k], linestyle="none", label="_" if word in seen
            else f"exact optimum ({word})", **style,
        )
        seen.add(word)
    axes.set_yticks(y, labels)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    axes.margins(x=0.1)
    plain_small(axes.xaxis)
    axes.set_xlabel(balanced(record.side, 40))
    broken = int((record.decision == REFUTED).sum())
    title = (
        f"In {broken} of {record.size} instances the optimum is smaller than promised"
        if broken else judged(record, (
            "Vacuous in every cell" if record.vacuous.all()
            else "The exact optimum is at least what is promised" if record.verdict == "upheld"
            else "The optimum is known too coarsely to be held against what is promised"
        ))
    )
    count = f"{record.size}" if len(rows) == record.size else f"{len(rows)} of {record.size}"
    alt = f"Promised value and exact optimum for {count} instances."
    return finish(figure, axes, title, alt)
