"""The templates, and how they show text of others in HTML and in Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from noisytheory.report import again, prose, trials
from noisytheory.report.page import SYMBOLS
from noisytheory.report.record import ORIGINS
from noisytheory.report.spelling import number, past
from noisytheory.trial import mathematics

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["cell", "environment"]


def environment() -> Environment:
    """The templates with their filters, for pages that stand beside the report's.

    Returns
    -------
    jinja2.Environment
        Text is escaped in HTML; in Markdown the filters ``cell`` and ``plain`` do it.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    templates = Environment(
        loader=PackageLoader("noisytheory.report"),
        # Markdown files too hold text of others; what escapes there is `cell` and `plain`.
        autoescape=lambda name: not (name or "").endswith(".md"),
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )
    templates.filters |= {
        "formula": lambda tex: Markup(mathematics.mathml(tex, display=True)),
        "note": lambda text: Markup(mathematics.render(text)),
        "line": lambda text: Markup(mathematics.render_line(text)),
        "parts": lambda text: Markup("/<wbr>").join(
            Markup('<span class="part">{}</span>').format(part) for part in text.split("/")
        ),
        "plain": mathematics.plain_markdown,
        "plain_formula": mathematics.plain_formula,
        "spaced": _spaced,
        "plain_cell": lambda text: " ".join(
            mathematics.plain_markdown(text).split()
        ).replace("|", "\\|"),
        "cell": cell,
        "number": number,
        "past": past,
        "sortable": _sortable,
    }
    templates.globals |= {
        "symbols": SYMBOLS, "promises": prose.PROMISES, "prose": prose,
        "again": again,
        "falls_if": trials.falls_if, "origins": ORIGINS, "number": number,
        "address": lambda record: f"{record.id}.md",
    }
    return templates


def _spaced(text: str) -> str:
    """Addresses break at their commas only where there is room after them; six digits will do."""
    text = re.sub(r"\d+\.\d{7,}\b", lambda found: f"{float(found[0]):.6g}", text)
    return re.sub(r",(?=\S)", ", ", text)


def _sortable(value: Any) -> str:
    """A number as the script that sorts the table reads it."""
    if value is None:
        return ""
    return str(value).replace("inf", "Infinity")


def cell(value: Any) -> str:
    """Text for a cell of a Markdown table."""
    return " ".join(str(value).translate(_ESCAPED).split())

_ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;"} | {c: f"\\{c}" for c in "|*_[]`"})
