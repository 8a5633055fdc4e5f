"""Ticks, scales and names of axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.report.spelling import number, symbol

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "delta_ticks",
    "number_axis",
    "parameter_label",
    "plain_log",
    "plain_small",
    "ticks_apart",
]


def parameter_label(name: str) -> str:
    """What an axis along the parameter is called."""
    return {"n": "sample size n"}.get(name, symbol(name))


def number_axis(axes: Axes, x: NDArray[np.float64]) -> None:
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


def delta_ticks(axes: Axes, deltas: NDArray[np.float64]) -> None:
    """Ticks at the levels, as far as their labels have room."""
    from matplotlib.ticker import FixedLocator, NullLocator

    low, high = np.log(axes.get_xlim())
    ticks: list[tuple[float, str]] = []
    end = -np.inf
    for delta in sorted(map(float, deltas)):
        place, label = (np.log(delta) - low) / (high - low), number(delta)
        half = _CHARACTER * len(label) / 2
        if place - half >= end:
            ticks.append((delta, label))
            end = place + half + _CHARACTER
    axes.xaxis.set_major_locator(FixedLocator([delta for delta, _ in ticks]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticklabels([label for _, label in ticks])


_CHARACTER = 0.018
"""Width of a character of a label, as a part of the axis."""


def ticks_apart(axis: Any) -> list[float]:
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


def plain_log(axis: Any) -> None:
    """Decades, with 2 and 5 between them where there are few."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    low, high = axis.get_view_interval()
    decades = np.log10(max(high, 1e-300)) - np.log10(max(low, 1e-300))
    subs = (1.0,) if decades > 2.2 else (1.0, 2.0, 5.0) if decades > 0.8 else tuple(range(1, 10))
    axis.set_major_locator(LogLocator(subs=subs, numticks=9 if decades < 8 else 5))
    axis.set_major_formatter(FuncFormatter(lambda v, _: number(float(v), 2)))
    axis.set_minor_locator(NullLocator())


def plain_small(axis: Any) -> None:
    """Small numbers, and large ones, of a linear axis, without a power of ten in its corner."""
    from matplotlib.ticker import FuncFormatter

    if not 0.1 <= np.abs(axis.get_view_interval()).max() < 1e6:
        axis.set_major_formatter(FuncFormatter(lambda v, _: number(float(v), 2)))
        axis.get_major_locator().set_params(nbins=5)
