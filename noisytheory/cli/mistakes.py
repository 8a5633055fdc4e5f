"""Exit codes, and whose fault it is: one line for every mistake."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable
from types import TracebackType
from typing import TYPE_CHECKING

import click

from noisytheory.trial.shown import as_called, named, visible

if TYPE_CHECKING:
    from noisytheory.trial.interpreter import Before

__all__ = [
    "AS_EXPECTED",
    "DEBUG",
    "DIFFERS",
    "FAULT",
    "INTERRUPTED",
    "MISTAKE",
    "SURROUNDINGS",
    "Mistake",
    "diagnose",
    "earlier",
    "foreign_modules",
    "offer",
]

AS_EXPECTED, DIFFERS, MISTAKE, FAULT, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit codes."""

DEBUG = "NOISYTHEORY_DEBUG"
"""Environment variable that asks for tracebacks."""

# The surroundings' fault, not ours: no room, no right, no descriptors.
SURROUNDINGS = {
    errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EMFILE,
    errno.ENOMEM, errno.ENAMETOOLONG,
}
# Top-level modules of the claims of this run that are not this package's.
foreign_modules: set[str] = set()
# Files of somebody's that this process has run, and what it was before it did.
earlier: dict[str, Before] = {}


class Mistake(click.ClickException):
    """Wrong usage or bad input; the message says what and how to mend it."""


def diagnose(error: BaseException) -> tuple[int, str]:
    """Whose fault it is, and the line that says so."""
    code, text = _blame(error)
    # However much a claim's own error has to say.
    text = visible(" ".join(as_called(text).split()))
    return code, text if len(text) <= 600 else f"{text[:450]} ... {text[-100:]}"


def _blame(error: BaseException) -> tuple[int, str]:
    """Whose fault it is, and what there is to say."""
    from noisytheory.trial.draws import ClaimError
    from noisytheory.trial.engine import EngineError
    from noisytheory.trial.store import StoreError

    what = named(error)
    if os.strerror(errno.EMFILE) in what:  # Whoever says it.
        return MISTAKE, (
            f"the limit of open files is too low ({_open_files()}): raise it with `ulimit -n 256`"
        )
    look = f"(traceback: {DEBUG}=1)"
    foreign = [
        frame for frame in _frames(error)
        if _module(frame).partition(".")[0] in foreign_modules
    ]
    where = ""
    if foreign:
        where = f"{foreign[-1].tb_frame.f_code.co_filename}, line {foreign[-1].tb_lineno}"
    if isinstance(error, ClaimError):
        ours = not (foreign_modules or error.outside)
        return (FAULT if ours else MISTAKE), f"{error} {look}"
    if where:
        return MISTAKE, f"{where} raised {what} {look}"
    if isinstance(error, EngineError):
        return MISTAKE, f"{error}; with --store the same command goes on where this one stopped"
    if isinstance(error, StoreError):
        return MISTAKE, str(error)
    if isinstance(error, MemoryError) or "failed to map segment" in str(error):
        return MISTAKE, f"there is not enough memory: {what}"
    if getattr(error, "errno", None) == errno.EAGAIN or "can't start new thread" in str(error):
        return MISTAKE, "the system starts no more processes or threads: ask for fewer --workers"
    if isinstance(error, OSError) and error.errno in SURROUNDINGS:
        place = f" {error.filename}" if error.filename else ""
        return MISTAKE, f"cannot read or write{place}: {error.strerror}"
    if isinstance(error, FileNotFoundError) and _nowhere():
        return MISTAKE, "the current folder is gone: go to one that is there"
    # What this package raises itself as ValueError speaks to the user; what comes out of a library
    # below it does not.
    frames = _frames(error)
    if isinstance(error, ValueError) and frames and _module(frames[-1]).startswith("noisytheory."):
        return MISTAKE, str(error)
    for name, before in earlier.items():
        closed = getattr(error, "errno", None) == errno.EBADF
        if other := before.taken(files=closed) + before.replaced():
            return MISTAKE, f"{name} has changed {', '.join(other[:3])}, and then: {what} {look}"
    return FAULT, f"a fault of ours: {what}; run it again with {DEBUG}=1 for the traceback"


def _nowhere() -> bool:
    """Whether the current folder is gone; its dot is still there."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False


def _open_files() -> str:
    """How many there may be, as the shell has it."""
    try:
        import resource
    except ImportError:
        return "too many are open"
    return f"`ulimit -n` is {resource.getrlimit(resource.RLIMIT_NOFILE)[0]}"


def _frames(error: BaseException) -> list[TracebackType]:
    frames, frame = [], error.__traceback__
    while frame is not None:
        frames.append(frame)
        frame = frame.tb_next
    return frames


def _module(frame: TracebackType) -> str:
    return str(frame.tb_frame.f_globals.get("__name__", ""))


def offer(word: str, known: Iterable[str]) -> str:
    """``"; did you mean n?"`` where something near is known, else all of it."""
    import difflib

    known = list(known)
    quoted = {name: repr(name) if re.search(r"[\s,]", name) else name for name in known}
    folded = {name.casefold(): name for name in known}
    cutoff = 0.99 if word.casefold() in folded else 0.4
    near = [folded[k] for k in difflib.get_close_matches(word.casefold(), folded, 3, cutoff)]
    if near:
        return f"; did you mean {' or '.join(quoted[name] for name in near)}?"
    shown = ", ".join(list(quoted.values())[:8]) + (", ..." if len(known) > 8 else "")
    return f"; known: {shown}" if known else ""
