"""Rates: fitted slopes against the promised one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from noisytheory.report.figures.cells import judged
from noisytheory.report.figures.style import (
    INK,
    LINES,
    balanced,
    canvas,
    finish,
    shortened,
    style_of,
    styled,
)
from noisytheory.report.figures.ticks import number_axis, parameter_label, plain_log
from noisytheory.report.record import REFUTED, Record
from noisytheory.report.spelling import interval, number, spell, symbol

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

__all__ = [
    "rate",
    "slopes",
]


def slopes(record: Record) -> list[dict[str, Any]]:
    """Log-log fits of a rate claim as the verdict has them, one a line: slope, 99% limits, promise.

    Parameters
    ----------
    record : Record
        Of a rate claim.

    Returns
    -------
    list of dict
        Keys ``label``, ``rows`` (cells in order), ``slope``, ``low``, ``high``, ``first``,
        ``second`` (slopes of the halves), ``curved`` (1 where that is seen), ``intercept``,
        ``exponent``. Lines with a mean that is not positive have no slope and are left out.
    """
    assert record.along is not None
    x = np.log(np.asarray(record.grid[record.along], float))
    axis = record.dims.index(record.along)
    table = np.moveaxis(np.arange(record.size).reshape(record.shape), axis, -1)
    rhs, mean = record.per_level("rhs")[:, 0], record.per_cell("mean")
    names = {"slope": "slope", "low": "slope_low", "high": "slope_high", "first": "slope_first",
             "second": "slope_second", "curved": "curved"}
    out = []
    for rows in table.reshape(-1, table.shape[-1]):
        cell = record.cells[int(rows[0])]
        keys = [d for d in record.varying if d != record.along]
        found = {key: float(record.per_cell(name)[rows[0]]) for key, name in names.items()}
        if np.isnan(found["slope"]):
            continue
        out.append({
            "label": ", ".join(spell(d, cell[d]) for d in keys) or "measured",
            "rows": rows, "exponent": float(rhs[rows[0]]), **found,
            "intercept": float(np.mean(np.log(mean[rows]) - found["slope"] * x)),
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
    mean = record.per_cell("mean")
    figure, axes = canvas(3.0)
    for k, fit in enumerate(shown):
        style = style_of(k)
        rows = fit["rows"]
        label = (
            f"{shortened(fit['label'], 30)}: slope {number(fit['slope'])}, 99% "
            f"{interval(fit['low'], fit['high'])}"
        )
        axes.plot(x, mean[rows], color=style["color"], marker=style["marker"], linestyle="none")
        line = np.exp(fit["intercept"]) * x ** fit["slope"]
        axes.plot(x, line, label=label, **(style | {"marker": ""}))
        # The promise through the fit's middle: only its slope is promised.
        middle = np.exp(np.mean(np.log(x)))
        height = np.exp(fit["intercept"]) * middle ** fit["slope"]
        axes.plot(
            x, height * (x / middle) ** fit["exponent"], color=INK, linewidth=1,
            label=f"promised slope {number(fit['exponent'])}" if k == 0 else "_",
        )
    axes.set(xscale="log", yscale="log", xlabel=parameter_label(record.along))
    axes.set_ylabel(balanced(f"mean of {record.side}", 34))
    number_axis(axes, x)
    plain_log(axes.yaxis)
    refuted = any(record.decision[f["rows"], 0].max() == REFUTED for f in fits)
    steepest = max(f["slope"] - f["exponent"] for f in fits)
    title = (
        f"It {'grows faster' if shown[0]['exponent'] > 0 else 'falls more slowly'} than promised, "
        f"by {number(steepest, 2)} in the exponent"
        if refuted else _halves(record, fits)
        if record.verdict == "undecided" else
        f"The slope is {number(shown[0]['slope'])}, the promise {number(shown[0]['exponent'])}"
    )
    alt = (
        f"Mean of the left side against {symbol(record.along)} on logarithmic axes for "
        f"{len(shown)} of {len(fits)} lines, with the fitted and the promised slope. Slopes have "
        "99% limits that take means as normal; the points, the means themselves, have none."
    )
    return finish(figure, axes, title, alt)


def _halves(record: Record, fits: Sequence[Mapping[str, Any]]) -> str:
    """Title of what is not decided: the line that bends most."""
    bent = max(fits, key=lambda f: abs(f["second"] - f["first"]))
    return judged(record, (
        f"The slope is {number(bent['first'])} in the first half, {number(bent['second'])} in the "
        f"second, the promise {number(bent['exponent'])}"
    ))
