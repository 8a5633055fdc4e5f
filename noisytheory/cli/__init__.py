"""The command line."""

from __future__ import annotations

from noisytheory.cli.shell import main

__all__ = ["main"]
