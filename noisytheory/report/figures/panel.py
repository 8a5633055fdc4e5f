"""Axes and legend of the report's own figures, in as few artists as they can be drawn with.

Matplotlib makes five artists a tick and boxes within boxes for a legend, and measures and draws
each: half of what a small figure takes. Here an axis draws its grid, its marks and its labels at
once, and has ticks only where somebody asks for them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any, cast

import numpy as np
from matplotlib import rcParams
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis, XAxis, YAxis
from matplotlib.backends import backend_svg
from matplotlib.container import ErrorbarContainer
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.path import Path
from matplotlib.projections import register_projection
from matplotlib.text import Text
from matplotlib.ticker import FixedFormatter, FixedLocator
from matplotlib.transforms import Bbox, IdentityTransform

from noisytheory.report.figures.texts import Measuring
from noisytheory.report.figures.writer import short

__all__ = ["MEASURING", "Key", "Panel", "in_panels", "measured_once"]


MEASURING = Measuring()
"""What measures texts of figures that have a pixel to the point."""


@contextlib.contextmanager
def measured_once() -> Iterator[None]:
    """Within it texts are laid out once for all figures, and ticks once for where their axes are.

    Matplotlib does both anew whenever it asks how large something is: eight times an axis.
    """
    ours: dict[tuple[Any, str], Any] = {
        (Text, "_get_layout"): _layout, (Text, "_cm_set"): _as_it_is,
        (backend_svg, "_short_float_fmt"): short, **_ticks_kept(),
    }
    theirs = {(owner, name): getattr(owner, name) for owner, name in ours}
    for (owner, name), function in ours.items():
        setattr(owner, name, function)
    try:
        yield
    finally:
        for (owner, name), function in theirs.items():
            setattr(owner, name, function)


def _ticks_kept() -> dict[tuple[type, str], Any]:
    """Methods of an axis that remember what they found last: until its place or range is another.

    Nothing else may change while they are used.
    """
    last: dict[Any, tuple[Any, Any]] = {}
    boxes: dict[Any, tuple[Any, Any, Any]] = {}
    places: dict[Any, tuple[Any, Any]] = {}

    def update_ticks(axis: Any) -> Any:
        if isinstance(axis, _Plain):
            return []  # A spine asks for them, to be as large as they are.
        key = (*axis.get_view_interval(), *axis.axes.bbox.extents, axis.get_figure(root=True).dpi)
        if axis not in last or last[axis][0] != key:
            ticks = _UPDATED(axis)
            # To look for ticks may itself move the ends.
            last[axis] = (*axis.get_view_interval(), *key[2:]), ticks
            boxes.pop(axis, None)
        return last[axis][1]

    def label_boxes(axis: Any, ticks: Any, renderer: Any = None) -> Any:
        known = boxes.get(axis)
        if known is None or known[0] is not ticks or known[1] is not renderer:
            known = boxes[axis] = ticks, renderer, _BOXED(axis, ticks, renderer)
        return tuple(list(of) for of in known[2])

    def shown(axis: Any, kind: str = "major") -> Any:
        key = (*axis.get_view_interval(), *axis.axes.bbox.extents)
        known = places.get((axis, kind))
        if known is None or known[0] != key:
            known = places[axis, kind] = key, _SHOWN(axis, kind)
        return known[1]

    return {
        (Axis, "_update_ticks"): update_ticks, (Axis, "_get_ticklabel_bboxes"): label_boxes,
        (_Plain, "shown"): shown,
    }


_UPDATED, _BOXED = (
    getattr(Axis, name) for name in ("_update_ticks", "_get_ticklabel_bboxes")
)


def _layout(me: Any, renderer: Any) -> Any:
    if me._wrap or me.get_transform_rotates_text():
        return _LAID_OUT(me, renderer)  # It depends on the place.
    key = (
        me._text, me._fontproperties, me._horizontalalignment, me._verticalalignment,
        me._rotation, me._rotation_mode, me._multialignment, me._linespacing, me.get_usetex(),
        me.get_parse_math(), me.get_figure(root=True).dpi,
    )
    found = _LAYOUTS.get(key)
    if found is None:
        if len(_LAYOUTS) > _MOST:
            _LAYOUTS.clear()
        key = (key[0], me._fontproperties.copy(), *key[2:])
        found = _LAYOUTS[key] = _LAID_OUT(me, renderer)
    return found


def _as_it_is(me: Any, **others: Any) -> Any:
    """What a text is drawn with instead of its own words: nothing, if it is not wrapped."""
    return _CHANGED(me, **others) if me._wrap else contextlib.nullcontext()


_CHANGED: Any = cast("Any", Text)._cm_set
_LAID_OUT: Any = cast("Any", Text)._get_layout
_LAYOUTS: dict[Any, Any] = {}
_MOST = 20_000
"""Layouts that are remembered."""


class _Unmade:
    """A list of ticks, empty until somebody asks an axis for them."""

    def __init__(self, major: bool) -> None:
        self.name = "majorTicks" if major else "minorTicks"

    def __get__(self, axis: Any, owner: Any) -> Any:
        return self if axis is None else axis.__dict__.setdefault(self.name, [])


class _Plain:
    """What both axes share: one side with labels, and no power of ten in a corner."""

    majorTicks, minorTicks = _Unmade(True), _Unmade(False)
    _looks: Mapping[str, Any] = {}
    """How the labels differ from what the style says."""
    _word: Text | None = None
    """What all labels are written with, once one is."""

    def _set_tick_locations(self: Any, ticks: Any, *, minor: bool = False) -> Any:
        """Place the ticks, without making them."""
        locator = FixedLocator(self.convert_units(ticks))
        if minor:
            self.set_minor_locator(locator)
            return []
        if len(ticks):
            self.set_view_interval(min(ticks), max(ticks))
        self.set_major_locator(locator)
        self.axes.stale = True
        return []

    def set_ticklabels(self: Any, labels: Any, *, minor: bool = False, **looks: Any) -> Any:
        """Name the ticks that are set, without making them."""
        set_formatter = self.set_minor_formatter if minor else self.set_major_formatter
        set_formatter(FixedFormatter(list(labels)))
        self._looks, self._word = looks, None
        self.stale = True
        return []

    def shown(self: Any, kind: str = "major") -> list[tuple[float, str]]:
        """Where along the axis its ticks are, in pixels, and their labels."""
        ticks = getattr(self, f"get_{kind}ticklocs")()
        labels = getattr(self, kind).formatter.format_ticks(ticks)
        scale, along = self.get_transform(), self._along()
        low, high = sorted(scale.transform(np.asarray(self.get_view_interval(), float)))
        room = 1e-10 * (high - low)
        first, last = along
        start, end = scale.transform(np.asarray(self.get_view_interval(), float))
        found = []
        for place, label in zip(scale.transform(np.asarray(ticks, float)), labels, strict=True):
            if low - room <= place <= high + room:
                found.append((first + (place - start) / (end - start) * (last - first), label))
        return found

    def _names(self: Any, shown: list[tuple[float, str]]) -> Any:
        """Each label as a text in its place: always the same text, with other words."""
        name = self._axis_name()
        points = self.axes.figure.dpi / 72
        text = self._word
        if text is None:
            text = self._word = Text(
                fontsize=rcParams[f"{name}tick.labelsize"], color=rcParams[f"{name}tick.color"],
                transform=IdentityTransform(), **(self._alignment() | self._looks),
            )
            text.set_figure(self.axes.figure)
        away = points * (rcParams[f"{name}tick.major.size"] + rcParams[f"{name}tick.major.pad"])
        for place, label in shown:
            if label:
                text.set_text(label)
                text.set_position(self._beside(place, away))
                yield text

    def _labels(self: Any) -> Iterator[Text]:
        """The labels that are seen, each in its place."""
        for kind in self.axes.KINDS:
            if self._is_on(kind, "label1On"):
                yield from self._names(self.shown(kind))

    def _is_on(self: Any, kind: str, part: str) -> bool:
        return bool(getattr(self, f"_{kind}_tick_kw").get(part, True))

    def _get_tick_boxes_siblings(self: Any, renderer: Any) -> tuple[list[Any], list[Any]]:
        return [text.get_window_extent(renderer) for text in self._labels()], []

    def _get_ticks_position(self) -> int:
        return 1  # The first side, which is below and on the left.

    def get_tightbbox(self: Any, renderer: Any = None, *, for_layout_only: bool = False) -> Any:
        """The box of the labels, and of the axis' name where it is visible.

        For a layout the name has no length: it is not to widen a narrow panel.
        """
        renderer = renderer or MEASURING
        boxes = [text.get_window_extent(renderer) for text in self._labels()]
        if self.label.get_visible() and self.label.get_text():
            self._update_label_position(renderer)
            box = self.label.get_window_extent(renderer)
            boxes.append(self._thin(box) if for_layout_only else box)
        return Bbox.union(boxes) if boxes else None

    def draw(self: Any, renderer: Any) -> None:
        """The grid as one path, the marks as another, then the labels and the name."""
        if not self.get_visible():
            return
        renderer.open_group(__name__, gid=self.get_gid())
        if self._major_tick_kw.get("gridOn"):
            ends = [self._across(place) for place, _ in self.shown()]
            self._strokes(renderer, ends, "grid.color", "grid.linewidth", self.axes.bbox)
        for kind in self.axes.KINDS:
            if self._is_on(kind, "tick1On"):
                self._marks(renderer, [place for place, _ in self.shown(kind)], kind)
        for text in self._labels():
            text.draw(renderer)
        self._update_label_position(renderer)
        self.label.draw(renderer)
        renderer.close_group(__name__)
        self.stale = False

    def _marks(self: Any, renderer: Any, places: list[float], kind: str) -> None:
        name = self._axis_name()
        size = self.axes.figure.dpi / 72 * rcParams[f"{name}tick.{kind}.size"]
        ends = [(self._beside(place, 0), self._beside(place, size)) for place in places]
        self._strokes(renderer, ends, f"{name}tick.color", f"{name}tick.{kind}.width", None)

    def _strokes(self: Any, renderer: Any, ends: Any, color: str, width: str, clip: Any) -> None:
        if not ends:
            return
        pen = renderer.new_gc()
        pen.set_foreground(rcParams[color])
        pen.set_linewidth(renderer.points_to_pixels(rcParams[width]))
        if clip is not None:
            pen.set_clip_rectangle(clip)
        codes = np.tile([Path.MOVETO, Path.LINETO], len(ends))
        path = Path(np.reshape(ends, (-1, 2)), codes)
        renderer.draw_path(pen, path, IdentityTransform())
        pen.restore()


_SHOWN: Any = _Plain.shown


class _X(_Plain, XAxis):
    """Across, labels below."""

    def _axis_name(self) -> str:
        return "x"

    def _alignment(self) -> dict[str, str]:
        return {"ha": "center", "va": "top"}

    def _along(self) -> tuple[float, float]:
        return self.axes.bbox.x0, self.axes.bbox.x1

    def _beside(self, place: float, away: float) -> tuple[float, float]:
        return place, self.axes.bbox.y0 - away

    def _across(self, place: float) -> Any:
        return (place, self.axes.bbox.y0), (place, self.axes.bbox.y1)

    def _thin(self, box: Bbox) -> Bbox:
        middle = (box.x0 + box.x1) / 2
        return Bbox.from_extents(middle - 0.5, box.y0, middle + 0.5, box.y1)


class _Y(_Plain, YAxis):
    """Upwards, labels on the left."""

    def _axis_name(self) -> str:
        return "y"

    def _alignment(self) -> dict[str, str]:
        return {"ha": "right", "va": "center_baseline"}

    def _along(self) -> tuple[float, float]:
        return self.axes.bbox.y0, self.axes.bbox.y1

    def _beside(self, place: float, away: float) -> tuple[float, float]:
        return self.axes.bbox.x0 - away, place

    def _across(self, place: float) -> Any:
        return (self.axes.bbox.x0, place), (self.axes.bbox.x1, place)

    def _thin(self, box: Bbox) -> Bbox:
        middle = (box.y0 + box.y1) / 2
        return Bbox.from_extents(box.x0, middle - 0.5, box.x1, middle + 0.5)


class Key(Artist):
    """The legend under a figure, in columns: a sample of each series, and its name."""

    LENGTH, GAP, APART, PITCH, EDGE = 2.6, 0.8, 1.2, 1.5, 0.6
    """Of a sample, from it to its name, between columns, from row to row, and from the corner; in
    sizes of the font."""

    def __init__(self, handles: Any, labels: Any, columns: int) -> None:
        super().__init__()
        self.entries, self.columns = list(zip(handles, labels, strict=True)), columns
        # Of the style in which it is made: it may be drawn in another.
        self.size = FontProperties(size=rcParams["legend.fontsize"]).get_size_in_points()

    def draw(self, renderer: Any) -> None:
        """Column by column, each as wide as its longest name."""
        figure: Any = self.get_figure()
        size = self.size
        unit = size * figure.dpi / 72
        text = Text(fontsize=size, va="center_baseline", transform=IdentityTransform())
        line = Line2D([], [])  # Looks like one series after the other.
        for artist in (text, line):
            artist.set_figure(figure)
        rows = -(-len(self.entries) // self.columns)
        parts = np.array_split(np.arange(len(self.entries)), self.columns)
        left = self.EDGE * unit
        for part in parts:
            widest = 0.0
            for row, (handle, label) in enumerate(self.entries[k] for k in part):
                y = ((rows - row - 0.5) * self.PITCH + 0.25) * unit
                for artist in _sample(handle, left, y, self.LENGTH * unit, unit, line):
                    if artist is not line:
                        artist.set_figure(figure)
                        artist.set_transform(IdentityTransform())
                    artist.draw(renderer)
                text.set_text(label)
                text.set_position((left + (self.LENGTH + self.GAP) * unit, y))
                text.draw(renderer)
                widest = max(widest, text.get_window_extent(renderer).width)
            left += widest + (self.LENGTH + self.GAP + self.APART) * unit


def _sample(
    handle: Any, left: float, y: float, width: float, unit: float, sample: Line2D
) -> Iterator[Any]:
    """What a series looks like, as artists of pixels; its lines are one line in turn."""
    x, right = left + width / 2, left + width
    if isinstance(handle, ErrorbarContainer):
        line, _, bars = handle
        reach = unit / 2
        ends = [(x - reach, y), (x + reach, y)] if handle.has_xerr else [
            (x, y - reach), (x, y + reach)
        ]
        yield Line2D(
            *np.transpose(ends), color=bars[0].get_color()[0], linewidth=bars[0].get_linewidth()[0]
        )
        if line is not None:
            yield from _sample(line, left, y, width, unit, sample)
    elif isinstance(handle, Line2D):
        looks = {"linestyle": handle.get_linestyle(), "marker": handle.get_marker()}
        for places, hidden in (([left, right], "marker"), ([x], "linestyle")):
            if all(look in _NONE for name, look in looks.items() if name != hidden):
                continue
            sample.update_from(handle)
            sample.set_transform(_PIXELS)
            sample.set_data(places, [y] * len(places))
            sample.set_drawstyle("default")
            sample.set_clip_on(False)
            (sample.set_marker if hidden == "marker" else sample.set_linestyle)("none")
            yield sample
    else:
        face, edge = (
            found[0] if len(found := np.atleast_2d(colours)) else "none"
            for colours in (handle.get_facecolor(), handle.get_edgecolor())
        )
        yield Rectangle(
            (left, y - 0.35 * unit), width, 0.7 * unit, facecolor=face, edgecolor=edge,
            hatch=handle.get_hatch(), linewidth=float(np.ravel(handle.get_linewidth())[0]),
        )


_NONE = ("None", "none", "", " ", None)
_PIXELS = IdentityTransform()


class Panel(Axes):
    """Axes whose ticks are drawn, not made."""

    KINDS: tuple[str, ...] = ("major",)
    """Of ticks that are drawn."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for spine in self.spines.values():
            spine.get_spine_transform()  # Takes its place, which the first tick would ask for.

    def tick_params(self, axis: Any = "both", **kwargs: Any) -> None:
        """Nothing: all ticks look as the style says."""

    def _init_axis(self) -> None:
        self.xaxis, self.yaxis = _X(self, clear=False), _Y(self, clear=False)
        self.spines.bottom.register_axis(self.xaxis)
        self.spines.top.register_axis(self.xaxis)
        self.spines.left.register_axis(self.yaxis)
        self.spines.right.register_axis(self.yaxis)


class _Everyones(Panel):
    """With minor ticks, and marks and labels that can be asked away."""

    KINDS = "major", "minor"

    def tick_params(self, axis: Any = "both", **kwargs: Any) -> None:
        """As Matplotlib has it."""
        Axes.tick_params(self, axis, **kwargs)


@contextlib.contextmanager
def in_panels() -> Iterator[None]:
    """Within it whoever asks a figure for axes gets panels.

    They have ticks on the left and below, and no power of ten in a corner.
    """
    register_projection(_Everyones)
    try:
        yield
    finally:
        register_projection(Axes)
