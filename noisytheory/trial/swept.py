"""How seldom all memory is swept: nearly all that lives long has been imported, and stays."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

__all__ = ["seldom_swept", "sweep_seldom"]

SELDOM = 100
"""Sweeps of the younger objects, which come as often as ever, to one of all: with Python's own ten
a twelfth of a smoke audit's time went into the latter."""


def sweep_seldom() -> None:
    """Sweep all objects as seldom as that from here on, or as seldom as before if that is less.

    Examples
    --------
    >>> with seldom_swept():
    ...     gc.get_threshold()[2] >= 100
    True
    """
    youngest, younger, every = gc.get_threshold()
    gc.set_threshold(youngest, younger, max(every, SELDOM))


@contextlib.contextmanager
def seldom_swept() -> Iterator[None]:
    """Do so for a while."""
    before = gc.get_threshold()
    sweep_seldom()
    try:
        yield
    finally:
        gc.set_threshold(*before)
