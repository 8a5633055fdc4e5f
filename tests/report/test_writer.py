"""Sizes of texts and SVG: what matplotlib has, found and written in fewer steps."""

from __future__ import annotations

import re
from xml.etree.ElementTree import fromstring

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from noisytheory.report import figures
from noisytheory.report.figures.panel import in_panels
from noisytheory.report.figures.texts import measured
from noisytheory.report.figures.writer import short

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("weight", ["normal", "bold"])
@pytest.mark.parametrize(
    "text", ["", " ", "lp", "AVATAR, To", "δ\u00a0=\u00a01.5×10⁻¹²", "−0.25", "a_b^2 (‖Φ(P)−Φ(S)‖)"]
)
def test_texts_are_as_large_as_matplotlib_has_them(text, weight):
    prop = FontProperties(family=["DejaVu Sans"], size=8.5, weight=weight)
    assert measured(text, prop, False) == pytest.approx(
        text_to_path.get_text_width_height_descent(text, prop, False), rel=1e-12
    )


def test_formulas_are_measured_by_matplotlib():
    prop = FontProperties(family=["DejaVu Sans"], size=8.5)
    found = text_to_path.get_text_width_height_descent(r"$x^2$", prop, True)
    assert measured(r"$x^2$", prop, True) == found


def test_numbers_are_short():
    assert [short(x) for x in (1.0, 2.5, 0.126, 1200.0)] == ["1", "2.5", "0.13", "1200"]


def drawn(**look):
    figure = Figure(figsize=(2, 1))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, 4), ylim=(0, 1))
    axes.plot([0, 1, 2, np.nan, 4e300], [0.5] * 5, linestyle="none", marker="o", **look)
    return figure, axes


def test_a_mark_is_written_once_with_its_look():
    figure, _ = drawn(color="#0072b2")
    root = fromstring(figures.svg(figure))
    uses = [(g, use) for g in root.iter(f"{SVG}g") for use in g.findall(f"{SVG}use")]
    ours = [(g, use) for g, use in uses if "fill: #0072b2" in g.get("style", "")]
    # Two inches are 144 points, and 4 units of the axis; what has no place is not drawn.
    assert [use.get("x") for _, use in ours] == ["0", "36", "72"]
    (name,) = {use.get("{http://www.w3.org/1999/xlink}href") for _, use in ours}
    assert len([path for path in root.iter(f"{SVG}path") if f"#{path.get('id')}" == name]) == 1


def test_texts_are_text_where_they_stand():
    figure, axes = drawn()
    axes.text(2, 0.5, 'a < b & "c"', ha="center", color="#d55e00")
    (text,) = [t for t in fromstring(figures.svg(figure)).iter(f"{SVG}text") if t.text[0] == "a"]
    assert text.text == 'a < b & "c"' and text.get("x") == "72"
    assert "text-anchor: middle; fill: #d55e00" in text.get("style")
    assert text.get("transform") is None


def shared():
    """What pictures ask of axes: shared and turned labels, minor ticks, marks asked away."""
    figure = Figure(figsize=(5, 3), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    left.loglog([1, 30, 400], [2, 3, 5])
    left.set(xlabel="n", ylabel="error [points]", title="Left")
    right.plot([0, 1, 2], [2, 3, 5])
    right.set_xticks([0, 1, 2], ["none", "one of them", "two"], rotation=30, ha="right")
    right.tick_params(axis="y", which="both", left=False)
    right.set_title("Right")
    return figure


def places(figure):
    """Each text, and each path's first point, where it stands."""
    root = fromstring(figures.svg(figure))
    found = []
    for text in root.iter(f"{SVG}text"):
        at = re.findall(r"-?[\d.]+", text.get("transform") or f"{text.get('x')} {text.get('y')}")
        found.append(("".join("".join(text.itertext()).split()), *map(float, at)))
    return sorted(found)


def test_panels_look_as_matplotlibs_axes_do():
    with figures.in_style():
        theirs = places(shared())
        with in_panels():
            figure = shared()
            ours = places(figure)
        assert type(shared().axes[0]) is Axes is not type(figure.axes[0])
    assert [text for text, *_ in ours] == [text for text, *_ in theirs]
    assert {"oneofthem", "error[points]", "Right"} < {text for text, *_ in ours}
    for (_, *one), (_, *other) in zip(ours, theirs, strict=True):
        # In points: a spine with ticks is as large as they are, and room is left for that.
        assert one == pytest.approx(other, abs=2)
