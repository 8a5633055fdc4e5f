"""Somebody's code may fork; of the two processes that come back from it one goes on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["one_returns"]


@contextmanager
def one_returns() -> Iterator[None]:
    """End a process that the code inside forked, should it come back from there as well.

    It would go on as this one does, and fork again at the next call, without end.
    """
    own = os.getpid()
    try:
        yield
    finally:
        if os.getpid() != own:
            os._exit(1)
