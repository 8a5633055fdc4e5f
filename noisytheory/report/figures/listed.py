"""Instances that need no axis of right sides: few of them, counts of them, or one right side."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.report.figures.cells import ROWS, each_of
from noisytheory.report.figures.style import (
    COLOURS,
    GRID,
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
from noisytheory.report.figures.ticks import plain_log, plain_small
from noisytheory.report.figures.tries import Tries, calm, said, tries_of
from noisytheory.report.record import Record
from noisytheory.report.spelling import number, symbol

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["counts", "form_of", "pairs", "spread", "strips"]

_LEAST = 1e-12
"""Differences of a share below this of the largest one are off the axis."""

FEW = 14
"""Instances that have a row each, at most."""

ALIKE = 4
"""Different pairs of sides that are counted, at most."""

BROKEN: dict[str, Any] = {"color": COLOURS[1], "marker": "X", "markersize": 6}


def form_of(tries: Tries) -> str:
    """Which picture shows most of these instances.

    Parameters
    ----------
    tries : Tries

    Returns
    -------
    str
        Name of a picture; empty where there is nothing to show but zeros.
    """
    different = tries.pairs.shape[1]
    if not len(tries.left):
        return "counts" if tries.left_out.any() else ""
    one_by_one = len(tries.left) <= FEW and (
        different > ALIKE or tries.count.sum() <= 2 * len(tries.left)
        or len(tries.left) == tries.record.size  # a number a cell
    )
    if (one_by_one and different > 1) or (tries.total == 1 and tries.pairs.any()):
        return "pairs"
    if different <= ALIKE:
        if _measure(tries):
            return "strips"
        if tries.total > tries.record.size or tries.left_out.any():
            return "counts"
        # A number a cell: with the same everywhere it is at least seen where.
        return "pairs" if tries.pairs.any() and tries.record.size <= ROWS else ""
    rights = [np.unique(tries.right[tries.cell == k]).size for k in np.unique(tries.cell)]
    uneven = tries.record.kind == "always" or bool(np.any(tries.left != tries.right))
    return "spread" if max(rights) == 1 and uneven else "sides"


def _measure(tries: Tries) -> str:
    """The quantity that takes most values, of those that take more than a few."""
    sizes = {name: np.unique(of).size for name, of in tries.told.items() if not tries.words[name]}
    best = max(sizes, key=lambda name: sizes[name], default="")
    return best if best and sizes[best] > LINES else ""


def _tries(dataset: xr.Dataset | Record) -> Tries:
    found = tries_of(Record.of(dataset))
    if found is None:
        raise ValueError(f"{Record.of(dataset).id}: no instances are stored")
    return found


def _rows(axes: Axes, labels: list[str]) -> None:
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)


def _wrapped(labels: list[str]) -> tuple[list[str], int]:
    found = [textwrap.fill(shortened(label, 72), 36) for label in labels]
    return found, max(label.count("\n") + 1 for label in found)


def _axis(axes: Axes, values: NDArray[np.float64]) -> None:
    """Along these values, on a logarithmic axis where they are of different sizes."""
    low, high = float(values.min()), float(values.max())
    if low > 0 and high > 30 * low:
        axes.set(xscale="log", xlim=(low / 1.3, high * 1.3))
        plain_log(axes.xaxis)
        return
    room = 0.06 * (high - low) or 0.5 * abs(high) or 1.0
    axes.set_xlim(low - room, high + room)
    plain_small(axes.xaxis)


@styled
def pairs(dataset: xr.Dataset | Record) -> Figure:
    """Both sides of each of a few instances, a row each.

    Parameters
    ----------
    dataset : xarray.Dataset or Record
        Of an always or identity claim, or of an equality whose values are exact.

    Returns
    -------
    matplotlib.figure.Figure
    """
    record = Record.of(dataset)
    if record.kind == "equal":
        left, right = record.per_cell("mean").astype(float), record.per_level("rhs")[:, 0]
        broken = np.zeros(record.size, bool)
        names = list(record.labels)
        title = "Each value is exactly the promised one"
    else:
        tries = _tries(record)
        left, right, broken = tries.left, tries.right, tries.broken
        names, title = _names(tries), said(tries)
    labels, deep = _wrapped(names)
    figure, axes = canvas(height=0.75 + (0.22 + 0.12 * (deep - 1)) * len(labels))
    y = np.arange(len(labels))
    axes.hlines(y, left, right, color=MUTED, linewidth=1.2)
    axes.plot(right, y, "|", color=INK, markersize=13, markeredgewidth=2,
              label="promised" if record.kind == "equal" else "right side")
    looks = (("mean" if record.kind == "equal" else "left side", ~broken,
              {"color": COLOURS[0], "marker": "o"}),
             ("left side, broken", broken, BROKEN))
    for label, at, look in looks:
        if at.any():
            axes.plot(left[at], y[at], linestyle="none", label=label, **look)
    _rows(axes, labels)
    _axis(axes, np.r_[left, right])
    axes.set_xlabel(balanced(record.side, 40))
    what = f"each of {len(labels)} instances"
    if record.kind == "equal":
        what = each_of(record, range(record.size))
    return finish(figure, axes, title, f"A row for {what} with its left and its right side.")


def _names(tries: Tries) -> list[str]:
    """What an entry is called: its cell, and what tells it apart."""
    found = []
    for at, cell in enumerate(tries.cell):
        parts = [tries.record.labels[cell]] if tries.record.size > 1 else []
        parts += [
            f"{symbol(name)}\u00a0= {_value(tries, name, of[at])}"
            for name, of in tries.told.items()
        ]
        times = f" ({number(int(tries.count[at]))}\u00a0times)" if tries.count[at] > 1 else ""
        found.append((", ".join(parts) or f"instance {at + 1}") + times)
    return found


def _value(tries: Tries, name: str, value: float) -> str:
    words = tries.words[name]
    return words[int(value)] if words else number(float(value), 4)


@styled
def counts(dataset: xr.Dataset | Record) -> Figure:
    """How many instances have which sides, a bar a cell, or one for each kind of instance.

    Parameters
    ----------
    dataset : xarray.Dataset or Record
        Of an always or identity claim whose sides take few values.

    Returns
    -------
    matplotlib.figure.Figure
    """
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    tries = _tries(dataset)
    record = tries.record
    labels, row, away = _groups(tries)
    kinds = _kinds(tries)
    shown, deep = _wrapped(labels)
    figure, axes = canvas(height=0.75 + (0.24 + 0.12 * (deep - 1)) * len(shown))
    start = np.zeros(len(shown))
    for label, at, look in kinds:
        wide = np.asarray(np.bincount(row[at], tries.count[at], len(shown)), float)
        _bars(axes, start, wide, label, **look)
        start += wide
    _bars(axes, start, away, "left out: the hypotheses do not hold", facecolor="none",
          edgecolor=MUTED, linewidth=1.0)
    start += away
    for y, total in enumerate(start):
        axes.annotate(number(int(total)), (total, y), xytext=(3, 0), textcoords="offset points",
                      va="center", fontsize=8)
    _rows(axes, shown)
    axes.set_xlim(0, (1.06 + 0.022 * len(number(int(start.max())))) * start.max())
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda v, _: number(round(v))))
    axes.set_xlabel("listed instances" if record.exact else "tries")
    alt = f"A bar for {'each cell' if record.size > 1 else 'each kind of instance'} with how many "
    alt += "instances have which sides."
    return finish(figure, axes, said(tries), alt)


def _bars(
    axes: Axes, start: NDArray[np.float64], wide: NDArray[np.float64], label: str, **look: Any
) -> None:
    """Bars as one artist."""
    from matplotlib.collections import PolyCollection

    at = np.flatnonzero(wide)
    low, high, y = start[at], start[at] + wide[at], at * 1.0
    corners = [(low, y - 0.32), (high, y - 0.32), (high, y + 0.32), (low, y + 0.32)]
    if at.size:
        boxes: Any = np.moveaxis(np.array(corners), 2, 0)
        axes.add_collection(PolyCollection(boxes, label=label, **look))


def _groups(
    tries: Tries,
) -> tuple[list[str], NDArray[np.int64], NDArray[np.float64]]:
    """Bars: their names, which one an entry belongs to, and how many are left out of each.

    A bar a cell; of an only cell, one for each kind of instance.
    """
    record, away = tries.record, tries.left_out.astype(float)
    if 1 < record.size <= ROWS:
        return list(record.labels), tries.cell, away
    for name, of in tries.told.items() if record.size == 1 else ():
        values, row = np.unique(of, return_inverse=True)
        if values.size <= 12:
            called = [f"{symbol(name)}\u00a0= {_value(tries, name, v)}" for v in values]
            out = ["others"] * bool(away.any())
            return [*called, *out], row, np.append(np.zeros(len(called)), away[: len(out)])
    return [f"all {record.size} cells" if record.size > 1 else "all"], 0 * tries.cell, np.array(
        [away.sum()]
    )


def _kinds(tries: Tries) -> list[tuple[str, NDArray[np.bool_], dict[str, Any]]]:
    """Each pair of sides that there is: what it is called, its entries, its look."""
    alike: dict[str, tuple[NDArray[np.bool_], bool]] = {}
    for left, right in tries.pairs.T.tolist():
        at = np.all(tries.sides == [[left], [right]], axis=0)
        broken = bool(tries.broken[at].any())
        name = _called(tries, left, right, broken)
        # What reads alike is one kind.
        alike[name] = (at | alike[name][0] if name in alike else at), broken
    found: list[tuple[str, NDArray[np.bool_], dict[str, Any]]] = []
    for name, (at, broken) in alike.items():
        look: dict[str, Any] = {"facecolor": COLOURS[1], "hatch": "xxx", "edgecolor": "white"}
        if not broken:
            look = {"facecolor": _CALM[len(found) % len(_CALM)]}
        found.append((name, at, look))
    return found


_CALM = (COLOURS[0], COLOURS[5], COLOURS[2], COLOURS[4])
"""Colours of what breaks nothing."""


def _called(tries: Tries, left: float, right: float, broken: bool) -> str:
    one, other = (
        ("no", "yes")[int(side)] if tries.yes_or_no else number(side) for side in (left, right)
    )
    text = f"left {one}, right {other}"
    if tries.record.kind != "always" and one == other and not broken:
        text = f"both sides {'about ' if left != right else ''}{one}"
    return text + (": broken" if broken else "")


@styled
def strips(dataset: xr.Dataset | Record) -> Figure:
    """Instances whose sides take few values, along what tells them apart.

    Parameters
    ----------
    dataset : xarray.Dataset or Record
        As for `counts`, with a quantity that takes many values.

    Returns
    -------
    matplotlib.figure.Figure
    """
    tries = _tries(dataset)
    record, name = tries.record, _measure(tries)
    along, kinds = tries.told[name], _kinds(tries)
    by_cell = 1 < record.size <= ROWS
    called = [f"{label} ({number(int(tries.count[at].sum()))})" for label, at, _ in kinds]
    shown, deep = _wrapped(list(record.labels) if by_cell else called)
    figure, axes = canvas(height=0.8 + (0.3 + 0.12 * (deep - 1)) * len(shown))
    for k, (_, at, look) in enumerate(kinds):
        shift = 0.36 * ((k + 0.5) / len(kinds) - 0.5) if by_cell else 0.0
        y = (tries.cell[at] if by_cell else np.full(int(at.sum()), k)) + shift
        broken = look["facecolor"] == COLOURS[1]
        dot = BROKEN if broken else calm(k) | {"color": look["facecolor"], "markersize": 4.5}
        axes.plot(along[at], y, alpha=0.75, label=called[k] if by_cell else "_",
                  **(dot | {"linestyle": "none", "markeredgewidth": 0}))
    _rows(axes, shown)
    _axis(axes, along)
    axes.set_xlabel(balanced(symbol(name), 40))
    out = int(tries.left_out.sum())
    if out:
        axes.plot([], [], " ", label=f"and {number(out)} left out: the hypotheses do not hold")
    alt = f"Each instance along {name}, from {number(float(along.min()))} to "
    alt += f"{number(float(along.max()))}, by the values of its two sides."
    return finish(figure, axes, said(tries), alt)


@styled
def spread(dataset: xr.Dataset | Record) -> Figure:
    """Which share of the instances has a left side up to a value, against the one right side.

    Parameters
    ----------
    dataset : xarray.Dataset or Record
        Of an always claim with one right side a cell.

    Returns
    -------
    matplotlib.figure.Figure
    """
    tries = _tries(dataset)
    record = tries.record
    identity = record.kind == "identity"
    x, line, label = _held_against(tries)
    figure, axes = canvas(height=2.6)
    apart = 1 < record.size <= LINES
    names = names_of(record.labels) if apart else []
    for k in range(record.size if apart else 1):
        own = np.flatnonzero(tries.cell == k) if apart else np.arange(len(x))
        if not own.size:
            continue
        own = own[np.argsort(x[own], kind="stable")]
        share = np.cumsum(tries.count[own]) / tries.count[own].sum()
        name = names[k] if apart else "share of the instances"
        axes.plot(np.r_[x[own[0]], x[own]], np.r_[0.0, share], drawstyle="steps-post", label=name,
                  **(calm(k) | {"marker": ""}))
    ends = x[x > 0] if identity else np.append(x, line)
    low, high = float(ends.min(initial=np.inf)), float(ends.max(initial=0.0))
    low = max(low, _LEAST * high) if identity else low
    room = 0.08 * (high - low) or 1.0
    if low > 0 and high > 30 * low:
        axes.set(xscale="log", xlim=(low / 1.4, high * 1.4))
        plain_log(axes.xaxis)
    else:
        axes.set_xlim(0.0 if identity else low - room, high + room)
        plain_small(axes.xaxis)
    broken = bool(tries.broken.any())
    if not identity:
        axes.fill_between([line, axes.get_xlim()[1]], 0, 1, facecolor="none", hatch="///",
                          edgecolor=GRID, linewidth=0, label="what the promise forbids")
        axes.axvline(line, color=INK, linewidth=1.2)
    worst = int(np.argmax(x)) if identity else tries.worst
    look = BROKEN if broken else {"color": INK, "marker": "D", "markersize": 5}
    far = broken or identity
    axes.plot([x[worst]], [0.03], linestyle="none", clip_on=False,
              label="the furthest beyond" if broken else "the furthest" if far else "the nearest",
              **look)
    axes.set_ylim(0, 1.03)
    axes.set(ylabel="share of the instances", xlabel=balanced(label, 40))
    alt = f"Which share of {tries.all_of_them} has "
    alt += "sides that differ by up to each value" if identity else (
        f"a left side up to each value; the right side is the line at {number(line)}"
    )
    alt += "."
    return finish(figure, axes, said(tries), alt)


def _held_against(tries: Tries) -> tuple[NDArray[np.float64], float, str]:
    """What is spread, where its line is, and what it is called."""
    record, rights = tries.record, np.unique(tries.right)
    unit = f" [{record.unit}]" if record.unit else ""
    if record.kind == "identity":
        gap = np.abs(tries.left - tries.right)
        if tries.by_rounding:
            return gap / tries.rounding, 0.0, "|left − right side| [units of rounding]"
        return gap, 0.0, f"|left − right side|{unit}"
    if rights.size == 1:
        return tries.left, float(rights[0]), record.side
    if rights.min() > 0:
        return tries.left / tries.right, 1.0, "left side / right side"
    return tries.left - tries.right, 0.0, f"left − right side{unit}"
