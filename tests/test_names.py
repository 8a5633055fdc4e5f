"""Dotted names in docstrings, messages and pages: what a reader copies is there."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import noisytheory

ROOT = Path(__file__).parents[1]
NAME = re.compile(r"(?<![\w./-])(?:noisytheory|nt)(?:\.[A-Za-z_]\w*)+")
PLACEHOLDERS = {
    "noisytheory.topics.concentration.differences.sides": "a file that a reader is to write",
    "noisytheory.NAME": "any name",
    **dict.fromkeys(("noisytheory.own", "noisytheory.damage", "noisytheory.last",
                     "noisytheory.start"), "notes on an error, and no import path"),
}


def is_there(name: str) -> bool:
    """Whether the name, or the class that has it, can be imported as it is written.

    ``nt`` is the package, of which topics and the vocabulary are attributes; of ``noisytheory`` all
    but the last name must be a module.
    """
    first, *rest = name.split(".")
    if first == "nt":
        at = noisytheory
        for part in rest:
            if not hasattr(at, part):
                return False
            at = getattr(at, part)
        return True
    for k in range(len(rest), -1, -1):
        try:
            at = importlib.import_module(".".join([first, *rest[:k]]))
        except ModuleNotFoundError:
            continue
        left = rest[k:]
        if len(left) == 2 and not isinstance(getattr(at, left[0], None), type):
            return False
        for part in left:
            if not hasattr(at, part):
                return False
            at = getattr(at, part)
        return len(left) <= 2
    return False


def texts() -> dict[str, str]:
    """Every string of the package and of validation, and pages that are written by hand."""
    found = {}
    for path in sorted([*ROOT.glob("noisytheory/**/*.py"), *ROOT.glob("validation/**/*.py")]):
        held = [node.value for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        found[str(path.relative_to(ROOT))] = "\n".join(held)
    for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("validation/*.md")]):
        # What was called otherwise in an earlier version stays told.
        if path.name != "CHANGELOG.md":
            found[path.name] = path.read_text(encoding="utf-8")
    return found


def test_every_dotted_name_can_be_imported_as_it_is_written():
    named = {(name, where) for where, text in texts().items() for name in NAME.findall(text)
             if name not in PLACEHOLDERS}
    assert len({name for name, _ in named}) > 50
    assert {pair for pair in named if not is_there(pair[0])} == set()


@pytest.mark.parametrize("name, there", [
    ("noisytheory.multiclass", True),
    ("noisytheory.multiclass.uma", True),
    ("noisytheory.multiclass.uma.Run", False),
    ("noisytheory.topics.multiclass.uma", True),
    ("noisytheory.confusion.estimate_confusion", True),
    ("noisytheory.vocabulary.confusion.estimate_confusion", True),
    ("noisytheory.vocabulary.confusion.ConfusionEstimate.matrix", True),
    ("noisytheory.vocabulary.confusion.estimated", False),
    ("noisytheory.trial.claim.Claim.labels.more", False),
    ("noisytheory.nothing.here", False),
    ("nt.confusion.estimate_confusion", True),
    ("nt.confusion.estimated", False),
    ("nt.UMAClassifier.fit", True),
])
def test_the_rule_by_hand(name, there):
    assert is_there(name) == there


def test_a_short_name_imports_the_very_module_of_the_long_one():
    code = """
import importlib, sys
from noisytheory.multiclass import uma
import noisytheory as nt, noisytheory.topics.multiclass as long, noisytheory.kernels
assert uma is long.uma and nt.multiclass is long is sys.modules["noisytheory.multiclass"]
for name, long in nt._SUBMODULES.items():
    module = importlib.import_module(f"noisytheory.{name}")
    assert module is sys.modules[long] is getattr(nt, name), name
    assert module.__spec__.name == module.__name__ == long
try:
    from noisytheory.multiclass.uma import Run
except ModuleNotFoundError as error:
    assert "noisytheory.multiclass.uma is noisytheory.topics.multiclass.uma" in str(error)
assert nt.multiclass.uma is uma
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
