"""What asks a command for its end: heard, remembered, and never lost in a callback."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import Any, NoReturn

import click

from noisytheory.trial.parents import ASKED_TO_END

__all__ = ["Interrupted", "clocks_end", "is_interrupt", "listen", "signals_wait", "stop"]


class Interrupted(KeyboardInterrupt):
    """The user stopped the run; the message says how to go on."""


_came: list[int] | None = None


def stop(number: int, frame: object) -> NoReturn:
    """Handler of a signal that asks for an end."""
    if _came is not None:
        _came.append(number)
    raise KeyboardInterrupt


def listen() -> None:
    """Hear of a key press, or of the system, that the command is to end, and remember it."""
    global _came
    _came = []
    for number in ASKED_TO_END:
        signal.signal(number, stop)
    usual = sys.unraisablehook

    def again(found: Any) -> None:
        # In a callback, of which every import has some, nothing can be raised: a moment later.
        if _came and isinstance(found.exc_value, KeyboardInterrupt):
            # To the thread that has what it interrupts: it may sleep.
            late = threading.Timer(_MOMENT, _once_more, _came[-1:])
            late.daemon = True
            late.start()
        else:
            usual(found)

    sys.unraisablehook = again


_MOMENT = 0.01
"""Seconds."""


def _once_more(number: int) -> None:
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, number)
    else:
        signal.raise_signal(number)


def is_interrupt(error: BaseException) -> bool:
    """Whether somebody asked for an end; else a file has raised it, which is a mistake there.

    Who does not listen cannot know, and takes it for the former.
    """
    return isinstance(error, click.Abort) or (
        isinstance(error, KeyboardInterrupt) and _came != []
    )


def clocks_end(code: int) -> None:
    """From now on, what a clock or a limit of processor time ends, ends with a word and this code.

    A function of somebody's file may set one; of what no process can hear nothing is said.
    """
    end, write = os._exit, os.write

    def rung(number: int, frame: object) -> NoReturn:
        name = signal.Signals(number).name
        write(2, f"noisytheory: {name} ends the command: a clock, or a limit of processor time, "
              "that a function has set, or who started it\n".encode())
        end(code)

    for name in ("SIGALRM", "SIGVTALRM", "SIGPROF", "SIGXCPU"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, rung)


def signals_wait(do: bool) -> None:
    """Have what asks for an end wait, or come."""
    if hasattr(signal, "pthread_sigmask"):
        how = signal.SIG_BLOCK if do else signal.SIG_UNBLOCK
        signal.pthread_sigmask(how, ASKED_TO_END)
