"""What all figures look like: colours, canvas, title, legend, and the SVG text.

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
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

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
    "canvas",
    "finish",
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
"""Series in a panel at most: more cannot be told apart."""

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


def canvas(height: float = 2.9, width: float = 5.0) -> tuple[Figure, Axes]:
    """An empty figure, and its axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.08)  # type: ignore[call-arg,union-attr]
    return figure, figure.add_subplot()


def finish(figure: Figure, axes: Axes, title: str, alt: str, legend: bool = True) -> Figure:
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


def style_of(index: int) -> dict[str, Any]:
    """Colour, marker and dash of a series."""
    return {
        "color": COLOURS[index % LINES], "marker": MARKERS[index % LINES],
        "linestyle": DASHES[index % LINES],
    }


def shortened(text: str, width: int = 44) -> str:
    """The text, cut to a width."""
    return text if len(text) <= width else text[: width - 1] + "…"

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
