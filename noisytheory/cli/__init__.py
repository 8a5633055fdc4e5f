"""The command line: what can be tried, what a bound says, what a trial finds."""

from __future__ import annotations

# Each of the others adds its commands to the group.
from noisytheory.cli import audit, bound, compare, replay, select, shell
from noisytheory.cli.shell import main

__all__ = ["audit", "bound", "compare", "main", "replay", "select", "shell"]
