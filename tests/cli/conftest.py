"""Files of claims, written afresh for each test."""

from __future__ import annotations

import pytest
from commands import HOEFFDING, STRICT


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "my_theorem.py"
    path.write_text(HOEFFDING)
    return path


@pytest.fixture
def strict(tmp_path):
    path = tmp_path / "strict.py"
    path.write_text(STRICT)
    return path


@pytest.fixture
def variant(tmp_path):
    """A file with the theorem, some of its text replaced."""
    def write(old, new):
        assert old in HOEFFDING
        path = tmp_path / "variant.py"
        path.write_text(HOEFFDING.replace(old, new))
        return path

    return write
