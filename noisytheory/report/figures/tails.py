"""Tail bounds: how often the promise is broken, and how far from the bound the left side stays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.report.figures.cells import (
    at_level,
    groups_of,
    judged,
    most_tense,
    worst_cells,
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
from noisytheory.report.figures.ticks import delta_ticks, plain_log
from noisytheory.report.record import REFUTED, Record
from noisytheory.report.spelling import number

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

__all__ = [
    "distribution",
    "violations",
]


@styled
def distribution(dataset: xr.Dataset | Record) -> Figure:
    r"""How often the left side exceeds a multiple of the bound, cell by cell.

    The curve of a cell is :math:`\Pr[L > t\,R(\delta)]` against t at the level that decides. The
    promise is that it passes below the corner :math:`(1, \delta)`; the region that it forbids is
    hatched. A bound that depends on what is drawn is its median here: whether draws break it, each
    its own, is what the title says. Of a promise about a sign, whose bound is 0, the left side is
    as it is, and the corner at 0.

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
    sign = not np.any(rhs > 0)
    chosen = most_tense(record, np.isfinite(rhs) & ((rhs == 0) if sign else (rhs > 0)), LINES)
    by, corner = (np.ones_like(rhs), 0.0) if sign else (rhs, 1.0)
    median = _is_drawn(record)
    figure, axes = canvas()
    floor = min(delta / 5, 0.002)
    ends = []
    names = names_of([record.labels[index] for index in chosen])
    for k, index in enumerate(chosen):
        x, survival = _survival(record, index)
        x = x / by[index]
        vacuous = bool(record.vacuous[index, level])
        style = style_of(k) | {"marker": ""}
        if vacuous:
            style["color"] = MUTED
        # Draws may be infinite; no axis is.
        keep = (survival >= floor) & np.isfinite(x)
        ends += [float(np.max(x[keep]))] if keep.any() else []
        label = names[k] + (" (vacuous)" if vacuous else "")
        # Between two quantiles the probability is at most that of the left one.
        axes.plot(x[keep], survival[keep], label=label, drawstyle="steps-post", **style)
    # Curves far beyond the bound are cut, but not all of them.
    reach = max(1.25, min(1.12 * max(ends), max(6.0, 1.12 * min(ends)))) if ends else 1.25
    lows = [float(record.quantiles[i][1] / by[i]) for i in chosen]
    low = min(filter(np.isfinite, lows), default=0.0)
    left = min(-0.02 * reach, max(low, -1.0))
    if sign:
        left, reach = min(low, 0.0), max([0.0, *ends])
        room = 0.06 * (reach - left) or 1.0
        left, reach = left - room, reach + room
    axes.fill_between(
        [corner, 2 * reach], delta, 1, facecolor="none", hatch="///", edgecolor=GRID, linewidth=0,
        label="beyond the median bound" if median else "what the promise forbids",
    )
    axes.axvline(corner, color=INK, linewidth=1.1)
    axes.plot([corner, 2 * reach], [delta, delta], color=INK, linewidth=1.1)
    axes.set(
        yscale="log", xlim=(left, reach), ylim=(floor, 1),
        xlabel=balanced(record.side, 40) if sign else (
            "left side / median of the bounds drawn" if median else "left side / bound"
        ),
        ylabel="probability of exceeding it",
    )
    plain_log(axes.yaxis)
    broken = int((record.decision[:, level] == REFUTED).sum())
    if broken:
        title = (
            f"{broken} of {record.size} cells exceed the bound more often than promised"
            f"{at_level(record)}"
        )
    elif record.vacuous.all():
        title = judged(record, f"The bound is vacuous in every cell{at_level(record)}")
    elif record.verdict == "upheld":
        none = "In no cell is the bound exceeded too often" if median else (
            "No cell enters the forbidden region"
        )
        title = f"{none}{at_level(record)}: the left side "
        most = float(np.nanmax(record.rate[:, level]))
        title += (
            f"exceeds the bound in at most {number(100 * most, 2)}% of draws" if most > 0
            else "stays inside the bound"
        )
    else:
        above = int((record.rate[:, level] > delta).sum())
        how = "" if record.exact else "as drawn, "
        title = judged(record, (
            f"{how}{above or 'none'} of {record.size} cells "
            f"exceed{'s' if above == 1 else ''} the bound more often than promised"
            f"{at_level(record)}"
        ))
    scaled = "as they are" if sign else f"each scaled by its {'median ' * median}bound"
    alt = (
        f"Exceedance curves of {len(chosen)} of {record.size} cells, the nearest to the bound, "
        f"{scaled}; the bound is the vertical line "
        f"at {corner:g}, the promised level {number(delta)} the horizontal one."
    )
    return finish(figure, axes, title, alt)


def _is_drawn(record: Record) -> bool:
    """Whether the bound depends on what is drawn."""
    drawn = {str(name) for name, of in record.dataset.items() if "draw" in of.dims}
    return bool(drawn - _SIDES)


_SIDES = {"lhs", "other", "weight", "applies"}
"""What a draw has besides what its bound depends on."""


def _survival(record: Record, index: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Quantiles of a cell's left side, and the probability of exceeding each."""
    x = record.quantiles[index]
    survival = 1 - np.asarray(record.dataset["quantile"].values, float)
    if not record.is_exact[index]:
        # The largest draw is exceeded about once in as many more.
        survival[-1] = 1 / record.held[index]
        return x, survival
    # Where the law is exact it is known at every level, however small.
    small = record.deltas < survival[survival > 0].min()
    tail = (record.per_level("tightness") * record.per_level("rhs"))[index]
    x, survival = np.r_[x[:-1], tail[small]], np.r_[survival[:-1], record.deltas[small]]
    order = np.argsort(-survival, kind="stable")
    return x[order], survival[order]


@styled
def violations(dataset: xr.Dataset | Record) -> Figure:
    """How often the promise was broken, against how often it may be.

    Counts have 99% limits that hold whenever one stops, counts of zero are drawn as upper limits,
    exact probabilities as marks without an interval.

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
    groups, possible = groups_of(record), record.rate_possible
    figure, axes = canvas()
    shown = [v for v in np.r_[rate[rate > 0], high[~record.is_exact].ravel(), deltas] if v > 0]
    floor = max(min(shown) / 4, 1e-3 * deltas.min())
    ends = np.array([deltas.min() / 1.7, min(1.0, deltas.max() * 1.7)])
    step = np.linspace(-1, 1, len(groups)) * min(0.028 * len(groups), 0.14)
    worst_of_several = any(len(members) > 1 for _, members in groups)
    seen = dict.fromkeys(("interval", "arrow", "edge", "ties"), False)
    names = names_of([label for label, _ in groups])
    for k, (_, members) in enumerate(groups):
        drawn = worst_cells(record, members, rate, high)
        at = (drawn, np.arange(deltas.size))
        style = style_of(k) | {"linestyle": "none", "markersize": 5.5}
        axes.plot([], [], label=names[k], **style)
        x, y, top, bottom, more = (
            of[at] if of.ndim == 2 else of for of in (deltas * 10.0 ** step[k], rate, high, low,
                                                      possible)
        )
        exact, vacuous = record.is_exact[drawn], record.vacuous[at]
        for dull in np.unique(vacuous):
            colour = MUTED if dull else style["color"]
            look = style | {"color": colour, "markerfacecolor": "none" if dull else colour}
            known, counted, none, open_ = (
                np.flatnonzero((vacuous == dull) & which)
                for which in (exact, ~exact & (y > 0), ~exact & ~(y > 0), more > y)
            )
            if known.size:
                # Below the lower edge: a mark on it.
                seen["edge"] |= bool(np.any(y[known] <= floor))
                axes.plot(x[known], np.maximum(y[known], floor), clip_on=False, **look)
            if counted.size:
                seen["interval"] = True
                gap = np.stack([y - bottom, top - y])[:, counted]
                axes.errorbar(x[counted], y[counted], yerr=gap, elinewidth=1.1, **look)
            if none.size:
                seen["arrow"] = True
                axes.errorbar(
                    x[none], top[none], yerr=0.45 * top[none], uplims=True, elinewidth=1.1,
                    **(look | {"marker": "_", "markersize": 8}),
                )
            if open_.size:
                axes.plot(
                    x[open_], np.maximum(more[open_], floor), marker="_", markersize=8,
                    color=colour, linestyle="none",
                    label="_" if seen["ties"] else "with what rounding leaves open",
                )
                seen["ties"] = True
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
    delta_ticks(axes, deltas)
    plain_log(axes.yaxis)
    refuted = int((record.decision == REFUTED).sum())
    solid = ~record.vacuous
    if refuted:
        worst = float(np.nanmax((rate / deltas)[record.decision == REFUTED]))
        title = f"Broken up to {number(worst, 2)} times as often as promised"
    elif not solid.any():
        title = judged(record, "Vacuous everywhere: nothing is promised that is not true anyway")
    elif not np.isfinite(rate[solid]).any():
        title = judged(record, "The hypotheses hold in no draw")
    else:
        title = judged(record, _how_often(record, solid))
    which = "the worst cell of each group" if worst_of_several else "each cell"
    alt = (
        f"{'Exact' if record.exact else 'Weighted' if record.weighted else 'Observed'} rate of "
        "violations against the promised level "
        f"for {which}, on logarithmic axes"
    )
    if seen["interval"]:
        alt += ", with 99% limits"
        alt += " (none where exact)" if record.is_exact.any() else ""
    alt += "; above the diagonal the promise is broken."
    alt += " Arrows are upper limits where nothing was seen." if seen["arrow"] else ""
    alt += " Marks on the lower edge lie there or below." if seen["edge"] else ""
    alt += " A dash: with the draws that rounding leaves open." if seen["ties"] else ""
    label = "rate of violations"
    label += ", worst\u00a0cell" if worst_of_several else ""
    label += ", 99%\u00a0limits" if seen["interval"] else ""
    axes.set_ylabel(balanced(f"{label} [probability]", 34))
    return finish(figure, axes, title, alt)


def _how_often(record: Record, solid: NDArray[np.bool_]) -> str:
    """How often the promise was broken where no cell is refuted, and what rounding leaves open."""
    broken, possible = (
        float(np.nanmax((rates / record.deltas)[solid]))
        for rates in (record.rate, record.rate_possible)
    )
    title = "The promise was never broken"
    if broken > 0:
        far = "up to" if broken > 1 else "at most"
        how = "Broken" if record.is_exact.all() else "Seen broken"
        title = f"{how} {far} {number(broken, 2)} times as often as allowed"
    if possible > broken:
        title += f"; with what rounding leaves open up to {number(possible, 2)} times"
    return title
