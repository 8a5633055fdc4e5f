"""How seldom all memory is swept: nearly all that lives long has been imported, and stays."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

__all__ = ["seldom_swept", "sweep_seldom"]

SELDOM = (0, 0, 100)
"""Sweeps of the younger objects, which come as often as ever, to one of all: with Python's own ten
a twelfth of a smoke audit's time went into the latter."""
DRAWING = (100_000, 50, 100)
"""Where figures are drawn, which are full of cycles: a third of their time went."""


def sweep_seldom(least: tuple[int, int, int] = SELDOM) -> None:
    """Sweep as seldom as that from here on, or as seldom as before if that is less often.

    Examples
    --------
    >>> with seldom_swept():
    ...     gc.get_threshold()[2] >= 100
    True
    """
    before = gc.get_threshold()
    if before[0]:  # Else it is switched off.
        gc.set_threshold(*map(max, before, least))


@contextlib.contextmanager
def seldom_swept(least: tuple[int, int, int] = SELDOM) -> Iterator[None]:
    """Do so for a while."""
    before = gc.get_threshold()
    sweep_seldom(least)
    try:
        yield
    finally:
        gc.set_threshold(*before)
