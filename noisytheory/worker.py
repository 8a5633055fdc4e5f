"""What a local worker process does besides computing: it ends with its run, and only then."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from multiprocessing.process import BaseProcess

__all__ = ["attend"]


def attend() -> None:
    """Leave interrupts to the parent process, and follow it into death.

    A pool's worker waits for its next task for ever; if the parent is killed, none comes.
    """
    # A key press reaches the whole group of processes; the parent says what follows.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent,), daemon=True).start()


def _follow(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)
