"""What a worker does besides computing: a local one ends with its run, and only then; one of a
cluster refuses to compute what another version would be asked for.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import multiprocessing
import multiprocessing.util
import os
import platform
import signal
import socket
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noisytheory.trial.parents import ASKED_TO_END, at_parents_end
from noisytheory.trial.shown import show_controls, unheard_in_a_line
from noisytheory.trial.swept import sweep_seldom

if TYPE_CHECKING:
    from noisytheory.trial.interpreter import Before

__all__ = ["BlankMainContext", "OtherVersion", "attend", "if_the_same", "if_whole", "is_stopped",
           "kill", "stopped", "told", "versions"]


class OtherVersion(ValueError):
    """A worker that would draw other numbers: of another version, or other code."""


@functools.cache
def versions() -> dict[str, str]:
    """What the bits of a block depend on besides its address, as this process has it."""
    import numpy as np
    import scipy

    import noisytheory

    package = Path(noisytheory.__file__).parent
    code = hashlib.blake2b(digest_size=4)
    for path in sorted(package.rglob("*.py")):
        code.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    return {
        "python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__,
        "noisytheory": noisytheory.__version__, "code": code.hexdigest(),
    }


def if_the_same(asked: Mapping[str, str], function: Callable[..., Any], *args: Any) -> Any:
    """Call a function, in a process that has the versions of the one that asks."""
    for name, version in versions().items():
        if version != asked.get(name):
            what = "noisytheory of other code" if name == "code" else f"{name} {version}"
            raise OtherVersion(
                f"the worker {socket.gethostname()}:{os.getpid()} has {what}, this run "
                f"{asked.get(name)}: install there what is here, or take it off the cluster"
            )
    return function(*args)


def if_whole(function: Callable[..., Any], *args: Any) -> Any:
    """Call a function in a worker, who ends where somebody's code has left it no whole interpreter.

    What it raises then is nothing that the function has to say, nor would the next one get further.
    """
    from noisytheory.trial.draws import ClaimError

    (before,) = _before
    try:
        found = function(*args)
    except BaseException as error:
        if before.taken(files=False) or (
            not isinstance(error, ClaimError) and before.replaced()
        ):
            _EXIT(_SPOILT)
        raise
    if before.limited():
        _EXIT(_SPOILT)
    return found


_before: list[Before] = []
"""What this worker had before it ran anybody's code."""

_SPOILT = 89
"""Exit code of a worker who has no whole interpreter any more."""

_OF_THE_GROUP = set(ASKED_TO_END) - {signal.SIGTERM}


class _BlankMainProcess(SpawnProcess):
    """A spawned process that does not import the parent's main script again.

    What a worker computes travels by value, so it needs nothing from there, and a script without a
    ``__main__`` guard would start its own audit in every worker.
    """

    @staticmethod
    def _Popen(process_obj: BaseProcess) -> Any:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = types.ModuleType("__main__")
        # A key press, or the end of a terminal, reaches the whole group of processes; the parent
        # says what follows. A mask is inherited, so it holds while the worker still imports.
        mask: Any = getattr(signal, "pthread_sigmask", lambda *args: set())
        blocked = mask(getattr(signal, "SIG_BLOCK", 0), _OF_THE_GROUP)
        try:
            if os.name == "posix":
                # Who starts the tracker of what workers share lifts the mask of a key again.
                resource_tracker.ensure_running()
                mask(signal.SIG_BLOCK, _OF_THE_GROUP)
            with _deferred():
                return SpawnProcess._Popen(process_obj)
        finally:
            mask(getattr(signal, "SIG_SETMASK", 0), blocked)
            sys.modules["__main__"] = main


@contextlib.contextmanager
def _deferred() -> Iterator[None]:
    """Interrupts wait until a process has been told all: a mask holds them from one thread only."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {
        number: signal.signal(number, lambda found, frame: came.append(found))
        for number in ASKED_TO_END
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        for found in came[:1]:
            signal.raise_signal(found)


class BlankMainContext(SpawnContext):
    """The spawn context with such processes."""

    Process = _BlankMainProcess


def attend() -> None:
    """Leave interrupts to the parent process, and follow it into death.

    A pool's worker waits for its next task for ever; if the parent is killed, none comes. One that
    has no room to begin ends without a word: the parent has one for it.
    """
    for number in _OF_THE_GROUP:
        signal.signal(number, signal.SIG_IGN)
    at_parents_end(signal.SIGKILL)
    show_controls()
    unheard_in_a_line()
    sweep_seldom()
    parent = multiprocessing.parent_process()
    try:
        if parent is not None:
            threading.Thread(target=_follow, args=(parent,), daemon=True).start()
        import noisytheory.trial.tasks  # noqa: F401
        from noisytheory.trial.interpreter import Before, guard_calls

        guard_calls()
        _before.append(Before())
        # A thread that somebody's function has left running would be waited for.
        multiprocessing.util.Finalize(None, _end, exitpriority=-100)
    except Exception:
        os._exit(1)


def kill(pool: ProcessPoolExecutor) -> None:
    """End its workers, who have nothing to lose; what one was just sending is not waited for."""
    with contextlib.suppress(AttributeError, OSError):
        # The pool would read on for the rest of it as long as anybody might write that.
        pool._result_queue._writer.close()  # type: ignore[attr-defined]
    for worker in list((pool._processes or {}).values()):
        worker.kill()


def is_stopped(process: int) -> bool:
    """Whether a child of this process is stopped: it is not dead, and may go on."""
    try:
        how = os.WSTOPPED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, process, how) is not None
    except (AttributeError, OSError):  # No such call, or no such child any more.
        return False


def stopped(process: int) -> str:
    """What to say of a child that is stopped, and is waited for."""
    return (
        f"the process {process} is stopped (seen at {time.strftime('%H:%M:%S')}) and waited for: "
        f"kill -CONT {process} lets it go on, kill -KILL {process} ends it"
    )


def told(code: int) -> str:
    """How a process ended, in words."""
    if code == _SPOILT:
        return "a function of it takes from Python what everybody needs"
    if code >= 0:
        return f"exit code {code}"
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    return f"{name} (out of memory?)" if -code == getattr(signal, "SIGKILL", 9) else name


_EXIT = os._exit
"""As it is now: somebody's function may put another thing in its place."""


def _end() -> None:
    multiprocessing.util._flush_std_streams()  # type: ignore[attr-defined]
    _EXIT(0)


def _follow(parent: BaseProcess) -> None:
    parent.join()
    _EXIT(1)
