"""How large texts are, in points: what matplotlib says of them, from glyphs measured once.

FreeType lays out the whole text for each answer, which took a tenth of a report's time.
"""

from __future__ import annotations

import functools
from typing import Any

from matplotlib.backend_bases import RendererBase
from matplotlib.font_manager import FontProperties
from matplotlib.ft2font import Kerning, LoadFlags
from matplotlib.textpath import text_to_path

__all__ = ["Measuring", "measured"]

Box = tuple[float, float, float]


class Measuring(RendererBase):
    """What asks for the size of a text before anything is drawn; a pixel is a point."""

    def points_to_pixels(self, points: Any) -> Any:
        """The same."""
        return points

    def get_text_width_height_descent(self, s: str, prop: Any, ismath: Any) -> Any:
        """As what draws has it."""
        return measured(s, prop, ismath)


@functools.lru_cache(20_000)
def measured(text: str, prop: FontProperties, ismath: Any) -> Box:
    """Width, height and descent of a line.

    Parameters
    ----------
    text : str
    prop : FontProperties
    ismath : bool or "TeX"

    Returns
    -------
    tuple of float
    """
    found = None if ismath else _face(_named(prop)).box(text)
    if found is None:
        ask: Any = text_to_path.get_text_width_height_descent
        width, height, descent = ask(text, prop, ismath)
        return width, height, descent
    # In subpixels, of which a point has 64.
    scale = prop.get_size_in_points() / text_to_path.FONT_SCALE / 64.0
    return found[0] * scale, found[1] * scale, found[2] * scale


class _Face:
    """Glyphs of a font at the size that texts are measured at."""

    def __init__(self, prop: FontProperties) -> None:
        self._prop = prop
        self._glyphs: dict[str, tuple[int, int, int, int] | None] = {}
        self._kerning: dict[tuple[int, int], int] = {}

    def box(self, text: str) -> tuple[int, int, int] | None:
        """Width, height and descent in subpixels; nothing where another font must help."""
        width, rise, descent, before = 0, -_FAR, -_FAR, 0
        for character in text:
            if character not in self._glyphs:
                self._glyphs[character] = self._glyph(character)
            glyph = self._glyphs[character]
            if glyph is None:
                return None
            advance, above, below, index = glyph
            if before:
                pair = before, index
                if pair not in self._kerning:
                    self._kerning[pair] = self._font().get_kerning(*pair, Kerning.DEFAULT)
                width += self._kerning[pair]
            width += advance
            rise, descent, before = max(rise, above), max(descent, below), index
        return (width, rise + descent, descent) if text else None

    def _font(self) -> Any:
        own: Any = text_to_path
        return own._get_font(self._prop)

    def _glyph(self, character: str) -> tuple[int, int, int, int] | None:
        font = self._font()
        index = font.get_char_index(ord(character))
        if not index:
            return None
        font.set_text(character, 0.0, flags=LoadFlags.NO_HINTING)
        width, height = font.get_width_height()
        descent = font.get_descent()
        return width, height - descent, descent, index


_FAR = 1 << 30
_face = functools.lru_cache(64)(_Face)


def _named(prop: FontProperties) -> FontProperties:
    """The same font, whatever its size."""
    named = prop.copy()
    named.set_size(text_to_path.FONT_SCALE)
    return named
