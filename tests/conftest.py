"""Shared by all tests: planted claims and validation scripts import, hypothesis is fixed."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import settings

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "validation"), str(HERE.parent)]

settings.register_profile("deterministic", derandomize=True, deadline=None, max_examples=50)
settings.load_profile("deterministic")
