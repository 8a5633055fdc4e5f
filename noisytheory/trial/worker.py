"""What a local worker process does besides computing: it ends with its run, and only then."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import types
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from typing import Any

__all__ = ["BlankMainContext", "attend"]


class _BlankMainProcess(SpawnProcess):
    """A spawned process that does not import the parent's main script again.

    What a worker computes travels by value, so it needs nothing from there, and a script without a
    ``__main__`` guard would start its own audit in every worker.
    """

    @staticmethod
    def _Popen(process_obj: BaseProcess) -> Any:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = types.ModuleType("__main__")
        # A key press reaches the whole group of processes; the parent says what follows. A mask is
        # inherited, so it holds while the worker still imports.
        mask: Any = getattr(signal, "pthread_sigmask", lambda *args: set())
        blocked = mask(getattr(signal, "SIG_BLOCK", 0), {signal.SIGINT})
        try:
            return SpawnProcess._Popen(process_obj)
        finally:
            mask(getattr(signal, "SIG_SETMASK", 0), blocked)
            sys.modules["__main__"] = main


class BlankMainContext(SpawnContext):
    """The spawn context with such processes."""

    Process = _BlankMainProcess


def attend() -> None:
    """Leave interrupts to the parent process, and follow it into death.

    A pool's worker waits for its next task for ever; if the parent is killed, none comes.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent,), daemon=True).start()


def _follow(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)
