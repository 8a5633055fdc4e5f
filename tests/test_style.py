"""Ruff and mypy find nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.types
@pytest.mark.parametrize(
    "command", [["ruff", "check", "."], ["mypy"]], ids=["ruff", "mypy"]
)
def test_clean(command):
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_backslash_was_eaten():
    # In a string that is not raw, \a of \alpha is a bell, \b of \beta a backspace, and so on.
    for path in (*ROOT.glob("noisytheory/**/*.py"), *ROOT.glob("validation/**/*.py")):
        eaten = set(path.read_text(encoding="utf-8")) & set("\a\b\f\v\r\t\x1b\0")
        assert not eaten, f"{path}: {eaten}"
