"""What all figures look like: colours, canvas, title, legend, and the SVG text.

Drawn on `matplotlib.figure.Figure` without pyplot, so there is no global state and nothing to
close. A figure's label (``figure.get_label()``) is the text for readers who do not see it.
Colours are Okabe and Ito's; every series also has its own marker and dash, and what is vacuous is
grey and hollow.
"""

from __future__ import annotations

import contextlib
import functools
import re
import textwrap
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "COLOURS",
    "DARK",
    "DASHES",
    "GRID",
    "INK",
    "LINES",
    "MARKERS",
    "MUTED",
    "PAPER",
    "RC",
    "Draw",
    "balanced",
    "canvas",
    "finish",
    "in_style",
    "names_of",
    "shortened",
    "style_of",
    "styled",
    "svg",
]

INK, PAPER, GRID, MUTED = "#1b1f24", "#ffffff", "#d5d9de", "#6b7280"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
MARKERS = ("o", "s", "^", "D", "v", "P")
DASHES = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)), (0, (3, 3)), (0, (8, 2)))
LINES = len(COLOURS)
"""Series in a panel at most: the eye cannot distinguish more."""

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
        with in_style(math=math):
            return function(*args, **kwargs)

    return drawn


def in_style(*, math: bool = False) -> AbstractContextManager[None]:
    """Context of the report's style; within one nothing, for to change it takes its time."""
    import matplotlib

    now = matplotlib.rcParams
    if now["svg.hashsalt"] == RC["svg.hashsalt"] and now["text.parse_math"] is math:
        return contextlib.nullcontext()
    return matplotlib.rc_context(RC | {"text.parse_math": math})


def canvas(height: float = 2.9, width: float = 5.0) -> tuple[Figure, Axes]:
    """An empty figure, and its axes."""
    import pickle

    figure, axes = pickle.loads(_empty())
    figure.set_size_inches(width, height)
    return figure, axes


@functools.cache
def _empty() -> bytes:
    """What every canvas begins as: to make it anew takes twice as long as to copy it."""
    import pickle

    from matplotlib.figure import Figure

    from noisytheory.report.figures.panel import Panel

    with in_style():
        figure = Figure()
        return pickle.dumps((figure, figure.add_subplot(axes_class=Panel)))


def finish(figure: Figure, axes: Axes, title: str, alt: str, legend: bool = True) -> Figure:
    """The conclusion as a title, the legend under the axes, the text for those who cannot see."""
    width, height = figure.get_size_inches()
    lines = textwrap.wrap(title, int(12.2 * width))
    if len(lines) > 1 and len(lines[-1]) < _ALONE:
        lines = balanced(title, int(12.2 * width)).split("\n")
    # Over the figure, not the axes, whose left edge is where the labels end.
    figure.suptitle(
        "\n".join(lines), x=0.012, ha="left", fontsize=RC["axes.titlesize"], fontweight="bold"
    )
    above, below = 0.16 * len(lines), 0.0
    handles, labels = axes.get_legend_handles_labels()
    if legend and handles:
        longest = max(map(len, labels))
        columns = 3 if longest < 18 else 2 if longest < 32 else 1
        below = 0.175 * -(-len(labels) // columns) + 0.05
        if figure.get_layout_engine() is None:
            from noisytheory.report.figures.panel import Key

            figure.add_artist(Key(handles, labels, columns))
        else:
            figure.legend(
                handles, labels, loc="outside lower left", ncols=columns, handlelength=2.6,
                columnspacing=1.2, borderaxespad=0.2, labelspacing=0.35,
            )
    figure.set_figheight(height + above + below + 0.16 * axes.get_xlabel().count("\n"))
    figure.set_label(f"{title}. {alt}")
    if figure.get_layout_engine() is None:
        _lay_out(figure, axes, above + GAP, below + GAP)
    return figure


_ALONE = 12
"""Letters of a title's last line that look lost below the others."""

GAP = 0.08
"""Inches that stay free between what a figure is made of."""


def _lay_out(figure: Figure, axes: Axes, above: float, below: float) -> None:
    """Give the axes what title, legend, ticks and labels leave them, in inches.

    Matplotlib's own layouts measure everything several times, and take longer than the drawing.
    """
    from matplotlib.transforms import blended_transform_factory as blended

    from noisytheory.report.figures.panel import MEASURING, measured_once

    dots = figure.dpi
    figure.dpi = inch = 72
    width, height = figure.get_size_inches()
    apart = axes.xaxis.labelpad / inch

    def place(left: float, bottom: float, right: float) -> None:
        axes.set_position((
            left / width, bottom / height, (width - right - left) / width,
            (height - above - GAP - bottom) / height,
        ))

    def marks(axis: Any) -> Any:
        axis.label.set_visible(False)
        found = axis.get_tightbbox(MEASURING) or axes.bbox
        axis.label.set_visible(True)
        return found

    with measured_once():
        across, along = (
            axis.label.get_window_extent(MEASURING) for axis in (axes.yaxis, axes.xaxis)
        )
        aside, under = across.width / inch + GAP, below + along.height / inch + GAP
        axes.yaxis.set_label_coords(aside, 0.5, blended(figure.dpi_scale_trans, axes.transAxes))
        axes.xaxis.set_label_coords(0.5, under, blended(axes.transAxes, figure.dpi_scale_trans))
        # How many ticks there are depends on the room: guessed for the first axis, known for the
        # other.
        place(aside + 0.5, under + 0.2, GAP)
        left = aside + apart + max(0.0, axes.bbox.x0 - marks(axes.yaxis).x0) / inch
        place(left, under + 0.2, GAP)
        numbers = marks(axes.xaxis)
        bottom = under + apart + max(0.0, axes.bbox.y0 - numbers.y0) / inch
        place(left, bottom, GAP + max(0.0, numbers.x1 - axes.bbox.x1) / inch)
    figure.dpi = dots


def style_of(index: int) -> dict[str, Any]:
    """Colour, marker and dash of a series."""
    return {
        "color": COLOURS[index % LINES], "marker": MARKERS[index % LINES],
        "linestyle": DASHES[index % LINES],
    }


def balanced(text: str, width: int) -> str:
    """The text in as few lines of this width as it takes, and no line much shorter than others.

    No line ends at a no-break space, which is written as any other.
    """
    lines = {
        w: textwrap.wrap(text, w, break_long_words=False)
        for w in (width, *range(max(1, width // 2), width))
    }
    fewest = [w for w, found in lines.items() if len(found) == len(lines[width])]
    return "\n".join(lines[min(fewest)]).replace("\u00a0", " ")


def shortened(text: str, width: int = 44) -> str:
    """The text, cut to a width in its middle: names of cells differ at their ends.

    Examples
    --------
    >>> shortened("two opposed kernels, 2.1 deviations apart, n = 200", 40)
    'two opposed kernels, 2.…s apart, n = 200'
    """
    if len(text) <= width:
        return text
    tail = 2 * width // 5
    return f"{text[: width - 1 - tail].rstrip()}…{text[-tail:].lstrip()}"


def names_of(labels: Sequence[str], width: int = 44) -> list[str]:
    """Labels cut to a width, or to the least one at which those that differ still do.

    Examples
    --------
    >>> names_of(["a group, step = 0.1, size = 1000", "a group, step = 0.01, size = 1000"], 24)
    ['a group, step = 0.1, size = 1000', 'a group, step = 0.01, size = 1000']
    """
    found, different = [shortened(label, width) for label in labels], len(set(labels))
    if len(set(found)) < different:
        for wider in range(width + 1, _WIDEST + 1):
            found = [shortened(label, wider) for label in labels]
            # 0.0… would be read as a zero.
            if len(set(found)) == different and not any(re.search("[.0-9]…", f) for f in found):
                break
    return found


_WIDEST = 66
"""Letters of a legend's entry that a figure has room for."""

_LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "−0123456789")


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
    from noisytheory.report.figures.panel import measured_once
    from noisytheory.report.figures.writer import Writer

    dpi = figure.dpi
    with in_style(math=math):
        try:
            figure.dpi = 72
            # Drawn once: `savefig` would draw twice.
            renderer: Any = Writer(*72 * figure.get_size_inches())
            # What lays a figure out measures with what draws it.
            cast("Any", figure.canvas).get_renderer = lambda: renderer
            with measured_once():
                figure.draw(renderer)
                text = renderer.text()
        finally:
            figure.dpi = dpi
            vars(figure.canvas).pop("get_renderer", None)
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
