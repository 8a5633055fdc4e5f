"""SVG from matplotlib's figures, in fewer steps and fewer bytes than its own writer takes."""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from matplotlib import _path, rcParams
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.colors import rgb2hex
from matplotlib.font_manager import FontProperties, font_family_aliases, weight_dict
from matplotlib.path import Path
from matplotlib.transforms import Affine2D

from noisytheory.report.figures.texts import measured

__all__ = ["Writer", "short"]


def short(value: float) -> str:
    """A number to a hundredth of a point, which is finer than any screen."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


class Writer(RendererSVG):
    """Writes SVG; what is the same of many marks is written once."""

    def __init__(self, width: float, height: float) -> None:
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        start: Any = super().__init__
        start(width, height, io.StringIO(), metadata=nothing)
        self.writer: Any = _Elements()
        across, along = short(width), short(height)
        self._start_id = self.writer.start("svg", {
            "xmlns:xlink": "http://www.w3.org/1999/xlink", "width": f"{across}pt",
            "height": f"{along}pt", "viewBox": f"0 0 {across} {along}",
            "xmlns": "http://www.w3.org/2000/svg", "version": "1.1",
        })
        me: Any = self
        me._write_default_style()
        self._flipped = Affine2D().scale(1, -1).translate(0, height)

    def text(self) -> str:
        """All that was drawn."""
        me: Any = self
        me.finalize()
        return str(self.writer)

    def get_text_width_height_descent(self, s: str, prop: Any, ismath: Any) -> Any:
        """As matplotlib has it."""
        return measured(s, prop, ismath)

    def _make_flip_transform(self, transform: Any) -> Any:
        return transform + self._flipped

    def _convert_path(
        self, path: Any, transform: Any = None, clip: Any = None, simplify: Any = None,
        sketch: Any = None,
    ) -> str:
        clip = (0.0, 0.0, self.width, self.height) if clip else None
        own: Any = _path
        found = own.convert_to_string(
            path, transform, clip, simplify, sketch, 2, [b"M", b"L", b"Q", b"C", b"z"], False
        )
        return str(found, "ascii")

    def draw_markers(
        self, gc: Any, marker_path: Any, marker_trans: Any, path: Any, trans: Any,
        rgbFace: Any = None,
    ) -> None:
        """The mark once, with its look, and then where it stands."""
        me, base = cast("Any", self), cast("Any", super())
        if path.codes is not None and not np.isin(path.codes, _STRAIGHT).all():
            base.draw_markers(gc, marker_path, marker_trans, path, trans, rgbFace)
            return
        places = (trans + self._flipped).transform(path.vertices)
        places = places[(np.abs(places) < _FAR).all(axis=1)]  # which is false of NaN, too
        if not len(places):
            return
        look = me._get_style_dict(gc, rgbFace)
        known = me._convert_path(marker_path, marker_trans + _DOWN, simplify=False), _css(look)
        name = me._markers.get(known)
        if name is None:
            name = me._markers[known] = me._make_id("m", known)
            lines = {key: value for key, value in look.items() if key.startswith("stroke")}
            self.writer.start("defs")
            self.writer.element("path", None, {"id": name, "d": known[0], "style": _css(lines)})
            self.writer.end("defs")
        self.writer.start("g", me._get_clip_attrs(gc), style=known[1])
        for x, y in places.tolist():
            self.writer.element(
                "use", None, {"xlink:href": f"#{name}", "x": short(x), "y": short(y)}
            )
        self.writer.end("g")

    def _draw_text_as_text(
        self, gc: Any, x: float, y: float, s: str, prop: Any, angle: float, ismath: Any,
        mtext: Any = None,
    ) -> None:
        if ismath or angle:
            cast("Any", super())._draw_text_as_text(gc, x, y, s, prop, angle, ismath, mtext)
            return
        color = gc.get_rgb()
        look = {"fill": rgb2hex(color)} if color[:3] != (0, 0, 0) else {}
        alpha = gc.get_alpha() if gc.get_forced_alpha() else color[3]
        if alpha != 1:
            look["opacity"] = short(alpha)
        anchor = {}
        if mtext:
            x, _ = mtext.get_transform().transform(mtext.get_unitless_position())
            anchor = {"text-anchor": _ANCHORS[mtext.get_ha()]}
        self.writer.element("text", s, {
            "style": "; ".join(filter(None, (_font(prop), _css(anchor | look)))),
            "x": short(x), "y": short(y),
        })


_STRAIGHT = np.array([Path.MOVETO, Path.LINETO])
_DOWN = Affine2D().scale(1, -1)
_ANCHORS = {"left": "start", "right": "end", "center": "middle"}
_FAR = 1e6
"""Points from the corner beyond which nothing is seen."""


def _css(look: Mapping[str, str]) -> str:
    return "; ".join([f"{key}: {value}" for key, value in look.items()])


@functools.lru_cache(256)
def _font(prop: FontProperties) -> str:
    """A font in the words of a style sheet."""
    own: Any = prop
    weight = weight_dict.get(own.get_weight(), own.get_weight())
    look = {
        "font-style": own.get_style(), "font-variant": own.get_variant(),
        "font-weight": "normal" if weight == 400 else str(weight),
        "font-size": f"{short(own.get_size())}px", "font-stretch": own.get_stretch(),
    }
    names: list[str] = []
    for family in own.get_family():
        generic = family in font_family_aliases
        names += rcParams[f"font.{family}"] if generic else []
        names.append(family)
    quoted = [name if name in font_family_aliases else repr(name) for name in names]
    look["font-family"] = ", ".join(dict.fromkeys(quoted))
    return _css({key: value for key, value in look.items() if value != "normal"})


def _escaped(text: str) -> str:
    return text.translate(_ESCAPES) if _SPECIAL.search(text) else text


_SPECIAL, _ESCAPES = re.compile('[&<>"]'), str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
)
_NONE: Mapping[str, str] = {}


class _Elements:
    """What matplotlib's XML writer is asked for."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._open: list[str] = []
        self._begun = False

    def __str__(self) -> str:
        return "".join(self._parts)

    def _begin(self, tag: str, *attributes: Mapping[str, str]) -> None:
        if self._begun:
            self._parts.append(">\n")
            self._begun = False
        self._parts.append(" " * len(self._open) + "<" + tag)
        for some in attributes:
            for name, value in some.items():
                if value:
                    self._parts.append(f' {name}="{_escaped(value)}"')

    def start(self, tag: str, attrib: Mapping[str, str] = _NONE, **extra: str) -> int:
        """Open an element; its depth."""
        self._begin(tag, attrib, extra)
        self._open.append(tag)
        self._begun = True
        return len(self._open) - 1

    def end(self, tag: str | None = None, indent: bool = True) -> None:
        """Close what was opened last."""
        tag = self._open.pop()
        self._parts.append("/>\n" if self._begun else f"{' ' * len(self._open)}</{tag}>\n")
        self._begun = False

    def element(
        self, tag: str, text: str | None = None, attrib: Mapping[str, str] = _NONE, **extra: str
    ) -> None:
        """Write an element that holds text, or nothing."""
        self._begin(tag, attrib, extra)
        self._parts.append(f">{_escaped(text)}</{tag}>\n" if text else "/>\n")

    def comment(self, comment: str) -> None:
        """Nothing: a formula's source is no part of a picture."""

    def close(self, depth: int) -> None:
        """Close all that is as deep, or deeper."""
        while len(self._open) > depth:
            self.end()

    def flush(self) -> None:
        """Nothing is held back."""
