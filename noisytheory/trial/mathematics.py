"""TeX to MathML and notes to HTML; nothing a claim says can become markup of its own."""

from __future__ import annotations

import contextlib
import functools
import html
import re
import unicodedata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline

__all__ = ["mathml", "plain_formula", "plain_markdown", "render", "render_line"]

_INLINE = re.compile(r"\$\$(?P<wide>.+?)\$\$|\$(?P<tex>[^\s$](?:[^$]*?[^\s$\\])?)\$(?!\d)", re.S)


@functools.lru_cache(4096)
def mathml(tex: str, display: bool = False) -> str:
    r"""TeX as MathML, with the TeX itself as the text for those who do not see it.

    Parameters
    ----------
    tex : str
        Without dollar signs.
    display : bool
        On a line of its own.

    Returns
    -------
    str
        Markup; the TeX as code if it cannot be converted.

    Examples
    --------
    >>> "<msqrt>" in mathml(r"\sqrt n")
    True
    """
    from xml.etree.ElementTree import tostring

    from latex2mathml.converter import convert_to_element

    tex = tex.strip()
    try:
        tree = convert_to_element(_adapted(tex), display="block" if display else "inline")
    except Exception:
        # The converter has many ways to fail on what it does not know; the reader gets the TeX.
        return f'<code class="tex">{html.escape(tex)}</code>'
    before: Element | None = None
    for element in tree.iter():
        _repair(element, before)
        before = element
    if any(re.search(r"\\[A-Za-z|{}]", element.text or "") for element in tree.iter()):
        # A command that it passed on as it was.
        return f'<code class="tex">{html.escape(tex)}</code>'
    tree.set("alttext", tex)
    return tostring(tree, encoding="unicode")


def _repair(element: Element, before: Element | None) -> None:
    """Characters for entities and alphabets, spaces as in print, no attribute that can load.

    The converter's own serialiser unescapes what it wrote, markup within ``\\text`` included, so
    its tree is taken and serialised here.
    """
    for name in set(element.attrib) - _ATTRIBUTES:
        del element.attrib[name]
    text = html.unescape(element.text or "")
    text = _DELIMITERS.get(text, text)
    alphabet = _ALPHABETS.get(element.get("mathvariant", ""))
    if alphabet is not None:
        # Browsers know no other variant than normal.
        text = "".join(_letter(alphabet, c) if c.isascii() else c for c in text)
        del element.attrib["mathvariant"]
    element.text = text or None
    if element.tail:
        element.tail = html.unescape(element.tail)
    if element.tag == "mo" and text == "/":
        # With the space of a relation it reads badly.
        element.set("lspace", "0")
        element.set("rspace", "0")
    if text == "−" and before is not None and before.tag == "mo" and before.text in _OPENING:
        element.set("form", "prefix")


def _letter(alphabet: str, character: str) -> str:
    case = "CAPITAL" if character.isupper() else "SMALL"
    name = f"{case} {character.upper()}"
    if character.isdigit():
        name = "DIGIT " + unicodedata.name(character).split()[-1]
    # The letters that Unicode knew before it had the alphabets have names of their own.
    old = {"FRAKTUR": "BLACK-LETTER"}.get(alphabet, alphabet)
    for candidate in (f"MATHEMATICAL {alphabet} {name}", f"{old} {name}"):
        with contextlib.suppress(KeyError):
            return unicodedata.lookup(candidate)
    return character


_ALPHABETS = {
    "double-struck": "DOUBLE-STRUCK", "script": "SCRIPT", "fraktur": "FRAKTUR", "bold": "BOLD",
    "bold-italic": "BOLD ITALIC", "sans-serif": "SANS-SERIF", "monospace": "MONOSPACE",
}

_DELIMITERS = {
    r"\|": "‖", r"\Vert": "‖", r"\lVert": "‖", r"\rVert": "‖", r"\vert": "|", r"\lvert": "|",
    r"\rvert": "|", r"\{": "{", r"\}": "}", r"\langle": "⟨", r"\rangle": "⟩", r"\lfloor": "⌊",
    r"\rfloor": "⌋", r"\lceil": "⌈", r"\rceil": "⌉",
}
"""After a size (``\\Big``) the converter leaves the delimiter as it stands."""

_OPENING = frozenset("=,([{≤<>≥|∈")
"""After these a minus is a sign."""

_ATTRIBUTES = frozenset({
    "xmlns", "display", "mathvariant", "width", "height", "depth", "voffset", "lspace", "rspace",
    "minsize", "maxsize", "fence", "stretchy", "separator", "form", "accent", "movablelimits",
    "linethickness", "displaystyle", "scriptlevel", "mathsize", "rowspacing", "columnspacing",
    "columnalign", "columnlines", "rowlines", "notation", "linebreak",
})
"""None of them loads or runs anything."""


def _adapted(tex: str) -> str:
    """What the converter does not know, in what it knows."""
    tex = tex.replace(r"[\![", "⟦").replace(r"]\!]", "⟧")
    tex = re.sub(r"\\arg(?![a-zA-Z])", r"\\operatorname{arg}", tex)
    tex = re.sub(r"\{\\(rm|bf|it|cal)\s+([^{}]*)\}", _old_font, tex)
    tex = re.sub(r"\\(rm|bf|it|cal)\s*\{([^{}]*)\}", _old_font, tex)
    tex = re.sub(r"\\(rm|bf)\s+(\w+)", _old_font, tex)
    return re.sub(r"\\l?ldots|\\dots[cbmio]?(?![a-z])", r"\\ldots ", tex)


def _old_font(found: re.Match[str]) -> str:
    font = {"rm": "mathrm", "bf": "mathbf", "it": "mathit", "cal": "mathcal"}[found[1]]
    return rf"\{font}{{{found[2]}}}"


@functools.cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    parser.inline.ruler.before("escape", "math", _math_inline)
    parser.block.ruler.before(
        "fence", "math_block", _math_block, {"alt": ["paragraph", "reference", "list"]}
    )
    parser.add_render_rule("math", _render_math)
    return parser


def _math_inline(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "$":
        return False
    found = _INLINE.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        token = state.push("math", "", 0)
        token.content = found["wide"] or found["tex"]
        token.meta = {"display": found["wide"] is not None}
    state.pos = found.end()
    return True


def _math_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A display formula that starts a line, whatever its lines begin with."""
    first = state.src[state.bMarks[start] + state.tShift[start]: state.eMarks[start]]
    if not first.startswith("$$"):
        return False
    for last in range(start, end):
        text = state.getLines(start, last + 1, state.blkIndent, False).strip()
        if len(text) > 4 and text.endswith("$$"):
            break
    else:
        return False
    if "$$" in text[2:-2]:
        return False
    if not silent:
        token = state.push("math", "", 0)
        token.content, token.meta = text[2:-2], {"display": True}
        token.block, token.map = True, [start, last + 1]
        state.line = last + 1
    return True


def _render_math(self: Any, tokens: Any, index: int, options: Any, env: Any) -> str:
    token = tokens[index]
    markup = mathml(token.content, token.meta["display"])
    return f'<div class="formula">{markup}</div>\n' if token.block else markup


@functools.lru_cache(4096)
def render(text: str) -> str:
    r"""A note (Markdown with ``$TeX$``) as HTML with MathML; raw HTML in it stays text.

    Parameters
    ----------
    text : str
        Markdown.

    Returns
    -------
    str

    Examples
    --------
    >>> render("a <b> & *c*").strip()
    '<p>a &lt;b&gt; &amp; <em>c</em></p>'
    """
    return str(_parser().render(text))


@functools.lru_cache(4096)
def render_line(text: str) -> str:
    """The same without paragraphs, for a list item or a table cell."""
    return str(_parser().renderInline(text))


def plain_markdown(text: str) -> str:
    r"""A note for a Markdown file: HTML in it is escaped, formulas and code mean what they did.

    Parameters
    ----------
    text : str
        Markdown.

    Returns
    -------
    str

    Examples
    --------
    >>> plain_markdown("<b> and $a<b$ and `x<y`")
    '&lt;b> and $a<b$ and `x<y`'
    """
    pieces = re.split(rf"(`[^`]*`|{_INLINE.pattern})", text, flags=re.S)
    # Groups of the pattern come back as pieces of their own, after the whole.
    kept, step = [], 1 + 1 + _INLINE.groups
    for i in range(0, len(pieces), step):
        kept.append(pieces[i].replace("<", "&lt;"))
        if i + 1 < len(pieces):
            whole = pieces[i + 1]
            kept.append(whole if whole.startswith("`") else plain_formula(whole))
    return "".join(kept)


def plain_formula(tex: str) -> str:
    r"""A formula for a Markdown file: what would be HTML, or end its block, is TeX again.

    Parameters
    ----------
    tex : str
        LaTeX, without dollars.

    Returns
    -------
    str

    Examples
    --------
    >>> plain_formula("a<b, <i>x</i>")
    'a<b, \\lt i>x\\lt /i>'
    """
    return re.sub(r"<(?=[A-Za-z/!?][^<]*>)", r"\\lt ", tex).replace("```", "` ` `")
