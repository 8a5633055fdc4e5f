"""Instances: how near each came to breaking the claim, and the optimum where there is one."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

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
from noisytheory.report.figures.style import INK, MUTED, canvas, finish, shortened, styled
from noisytheory.report.figures.ticks import plain_small, ticks_apart
from noisytheory.report.record import REFUTED, UPHELD, Record, number

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

__all__ = [
    "excess",
    "optimum",
    "why_open",
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
    what = "left − right side" if record.kind == "always" else "|left − right side|"
    note = f"\n(drawn as 0: rounding, up to {number(float(rounded), 2)})" if rounded else ""
    axes.set_xlabel(textwrap.fill(f"largest {what}{unit}", 40) + note)
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


def why_open(record: Record) -> str:
    """What leaves a claim about instances undecided, in words.

    Parameters
    ----------
    record : Record
        Of an always or identity claim.

    Returns
    -------
    str
    """
    if record.vacuous.all():
        return "Vacuous in every cell"
    held = record.per_cell("tries")
    suspects = (record.per_level("violations")[:, 0] > 0) & (record.decision[:, 0] != UPHELD)
    if suspects.any():
        what = "the left side exceeds the right one" if record.kind == "always" else (
            "the sides differ"
        )
        return (
            f"In {int(suspects.sum())} of {record.size} cells {what} beyond rounding, "
            "which no exact arithmetic confirms"
        )
    return f"The hypotheses hold in no try of {int((held == 0).sum())} of {record.size} cells"


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
    figure, axes = canvas(height=0.8 + 0.25 * len(rows))
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
    axes.set_xlabel(textwrap.fill(record.side, 40))
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
