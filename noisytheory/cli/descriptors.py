"""What is written to the descriptors of the streams, past Python, is shown and not sent as well."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from io import FileIO, TextIOWrapper
from pathlib import Path

from noisytheory.cli.interrupts import signals_wait
from noisytheory.trial.shown import Shown

__all__ = ["descriptors_shown"]

_PASS_ON = "import sys; sys.path[:] = {!r}; from noisytheory.trial.shown import pass_on; pass_on()"

_HERE = str(Path(__file__).parents[2])
"""Where this package is, however it was installed: what finds it may need `site`."""

_PATIENCE = 0.5
"""Seconds for the last of it, where what somebody's file has left running still holds the pipe."""


@contextlib.contextmanager
def descriptors_shown() -> Iterator[None]:
    """Have another process show what this one, and its workers, write to descriptors 1 and 2.

    Another process outlives those that are killed, so that nothing is lost of them, and waits for
    no lock that compiled code holds while it writes.
    """
    receive, send = os.pipe()
    true = os.dup(2)  # Never closed: who has kept a stream to it would write to the next file.
    # It ends when nobody holds the pipe, and not with a key press.
    signals_wait(True)
    try:
        passing = subprocess.Popen(
            [sys.executable, "-ISc", _PASS_ON.format([_HERE, *sys.path])],
            stdin=receive, stdout=true, stderr=subprocess.DEVNULL,
        )
    except OSError:
        passing = None  # There is room for no more processes: those that come will say so.
    finally:
        signals_wait(False)
        os.close(receive)
    if passing is None:
        os.close(send)
        yield
        return
    before = sys.stderr
    for number in (1, 2):
        os.dup2(send, number)
    os.close(send)
    # What this package says, and its bars, go the short way.
    raw = FileIO(true, "w", closefd=False)
    sys.stderr = Shown(TextIOWrapper(raw, before.encoding, "replace", write_through=True))
    try:
        yield
    finally:
        sys.stderr = before
        for number in (1, 2):
            os.dup2(true, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            passing.wait(_PATIENCE)
