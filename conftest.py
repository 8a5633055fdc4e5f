"""Modules of the package are imported once, under the names that everyone imports them by."""

from __future__ import annotations

import importlib
from pathlib import Path

PACKAGE = Path(__file__).parent / "noisytheory"


def pytest_collect_file(file_path: Path) -> None:
    """Before pytest does it by path: a second copy that it made would have classes of its own."""
    if file_path.suffix == ".py" and file_path.is_relative_to(PACKAGE):
        name = file_path.relative_to(PACKAGE.parent).with_suffix("").as_posix().replace("/", ".")
        importlib.import_module(name.removesuffix(".__init__"))
