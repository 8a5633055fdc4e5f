"""The report: figures, HTML and Markdown, from a store's datasets alone.

Examples
--------
>>> import tempfile
>>> from noisytheory import Paper, audit, report
>>> claims = [Paper("mine", "Notes").cited("theorem-9", statement="x < y")]
>>> folder = tempfile.TemporaryDirectory()
>>> with audit(claims) as trial:
...     report.write(trial, folder.name).name
'index.html'
>>> folder.cleanup()
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from noisytheory.report.comparison import Comparison, compare
    from noisytheory.report.digested import compared, digest
    from noisytheory.report.pages import write
    from noisytheory.report.reading import read
    from noisytheory.report.record import Record

__all__ = ["Comparison", "Record", "compare", "compared", "digest", "figures", "read", "write"]

_LAZY = {
    "Comparison": "comparison", "Record": "record", "compare": "comparison", "compared": "digested",
    "digest": "digested", "read": "reading", "write": "pages",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(f"noisytheory.report.{_LAZY[name]}"), name)
    if name == "figures":
        return importlib.import_module("noisytheory.report.figures")
    raise AttributeError(f"module 'noisytheory.report' has no attribute {name!r}")
