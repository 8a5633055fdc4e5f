"""A command on somebody's file, run by another process: what ends that one leaves a word."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from typing import NoReturn

import click

from noisytheory.cli.interrupts import signals_wait
from noisytheory.cli.mistakes import AS_EXPECTED, FAULT, INTERRUPTED, MISTAKE, diagnose
from noisytheory.trial.parents import ASKED_TO_END
from noisytheory.trial.shown import visible

__all__ = ["PARENT", "WORKED", "file_tried", "follow", "no_end", "stops_said", "tried_apart"]

PARENT = "_NOISYTHEORY_PARENT"
"""Environment variable of a process that works on somebody's file, for the one of this number."""
WORKED = 64
"""What that process adds to its exit code, which a file that ends it does not know."""


def file_tried(words: Sequence[str]) -> str:
    """The file whose functions the command itself would call; an audit has workers for it."""
    if words[:1] and words[0] in ("bound", "claims", "compare", "replay", "show"):
        for word in words[1:]:
            name = word.partition("::")[0]
            if not name.startswith("-") and name.endswith(".py") and os.path.isfile(name):
                return name
    return ""


def tried_apart(words: Sequence[str], file: str) -> tuple[int, str]:
    """Have another process do it: what ends that one ends no command without a word."""
    from noisytheory.trial.worker import is_stopped, told

    # From where this process has its modules, which need not be installed.
    code = f"import sys; sys.path[:] = {sys.path!r}; from noisytheory.__main__ import run; run()"
    environment = {**os.environ, PARENT: str(os.getpid())}
    # It inherits that: Python itself, which starts there, has no quiet way to be interrupted.
    signals_wait(True)
    try:
        child = subprocess.Popen([sys.executable, "-c", code, *words], env=environment)
    except OSError as error:
        signals_wait(False)
        return diagnose(error)

    asked: list[int] = []

    def end() -> None:
        child.terminate()
        if is_stopped(child.pid):  # It hears of the other when it goes on, and ends its own.
            child.send_signal(signal.SIGCONT)
            time.sleep(_PATIENCE)
            if is_stopped(child.pid):
                child.kill()
            # Any thread of a stopped process may be the one that hears; its first one sleeps on.
            child.terminate()

    def pass_on(number: int, frame: object) -> None:
        # A key press has reached it, too; what was sent to this process alone has not. Nothing is
        # raised here: it could be between the end of that process and the news of how it ended.
        asked.append(number)
        late = threading.Timer(_PATIENCE, end)
        late.daemon = True
        late.start()

    for number in ASKED_TO_END:
        signal.signal(number, pass_on)
    signals_wait(False)
    with stops_said(child.pid, file):
        ended = child.wait()
    if ended == INTERRUPTED:
        return INTERRUPTED, ""
    if asked and ended == -signal.SIGKILL:
        return INTERRUPTED, "interrupted"
    if AS_EXPECTED <= ended - WORKED <= FAULT:
        return ended - WORKED, ""
    return MISTAKE, f"{file} ends the process that works on it: {told(ended)}"


@contextlib.contextmanager
def stops_said(process: int, file: str) -> Iterator[None]:
    """While a process is waited for that works on somebody's file, say when it is stopped."""
    from noisytheory.trial.worker import is_stopped, stopped

    over = threading.Event()

    def look() -> None:
        said = False
        while not over.wait(_GLANCE):
            now = is_stopped(process)
            if now and not said:
                click.echo(visible(f"{file}: {stopped(process)}"), err=True)
            said = now

    threading.Thread(target=look, daemon=True).start()
    try:
        yield
    finally:
        over.set()


_GLANCE = 5.0
"""Seconds between two looks at a process that is waited for."""

_PATIENCE = 0.5
"""Seconds that a process has to end after a key press."""


def follow(parent: int) -> None:
    """End when the parent has ended, however it did."""
    while os.getppid() == parent:
        time.sleep(_PATIENCE)
    _END(INTERRUPTED)


_END = os._exit


@contextlib.contextmanager
def no_end() -> Iterator[None]:
    """Have `os._exit` raise: to end without a word, as if all were well, is a fault of a file's."""
    end, own = os._exit, (os.getpid(), threading.get_ident())

    def ended(status: int) -> NoReturn:
        if os.getpid() != own[0]:  # Of a process that a file has forked.
            end(status)
        if threading.get_ident() != own[1]:  # There nobody hears what is raised.
            os.write(2, f"noisytheory: a thread ends the command by os._exit({status})\n".encode())
            end(MISTAKE)
        raise RuntimeError(f"os._exit({status})")

    os._exit = ended
    try:
        yield
    finally:
        os._exit = end
