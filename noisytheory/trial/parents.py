"""What a process hears, and does, when one of a command's processes ends before another."""

from __future__ import annotations

import contextlib
import os
import signal
import sys

__all__ = ["ASKED_TO_END", "at_parents_end", "kill_stopped_children"]


ASKED_TO_END = tuple(
    number for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if (number := getattr(signal, name, None)) is not None
    and (name != "SIGHUP" or signal.getsignal(number) is not signal.SIG_IGN)
)
"""Signals that a command ends quietly by: of its terminal's end nohup wants nothing heard."""


def at_parents_end(number: int) -> None:
    """Have the system send this process a signal then: a thread that waits may be stopped."""
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PARENT_DEATH, number)


_PARENT_DEATH = 1
"""PR_SET_PDEATHSIG of prctl(2): the signal that comes when whoever started this one has ended."""


def kill_stopped_children() -> None:
    """End children that are stopped: they would stay, and hold the pipe of whoever reads."""
    with contextlib.suppress(AttributeError, OSError):  # No such call, or no children.
        while found := os.waitid(os.P_ALL, 0, os.WSTOPPED | os.WNOHANG | os.WNOWAIT):
            os.kill(found.si_pid, signal.SIGKILL)
            os.waitid(os.P_PID, found.si_pid, os.WEXITED)
