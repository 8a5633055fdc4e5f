"""What moves the cursor, colours, ends lines or turns text round is shown, not sent to a terminal.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import re
import signal
import sys
import threading
from io import FileIO, TextIOWrapper
from typing import Any

from noisytheory.trial.parents import at_parents_end

__all__ = [
    "Shown", "as_called", "called", "lines_visible", "named", "pass_on", "show_controls",
    "unheard_in_a_line", "visible", "words",
]

called: dict[str, str] = {}
"""Files of this command by their true paths, as the user gave them."""


def visible(text: str) -> str:
    """A text whose control characters are shown and not sent to the terminal.

    Examples
    --------
    >>> print(visible("a \x1b[31mred\x1b[0m word"))
    a \\x1b[31mred\\x1b[0m word
    """
    return _CONTROL.sub(lambda found: ascii(found[0])[1:-1], text)


_CONTROL = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
)


def lines_visible(text: str) -> str:
    """The same of a text whose lines are lines."""
    return "\n".join(map(visible, text.split("\n")))


def as_called(text: str) -> str:
    """A text in which files of the command are named as the user named them.

    Examples
    --------
    >>> called["/home/me/mine/a.py"] = "mine/a.py"
    >>> as_called("/home/me/mine/a.py, line 7")
    'mine/a.py, line 7'
    >>> called.clear()
    """
    for path, name in called.items():
        name = name.replace("\\", r"\\")
        text = re.sub(rf"(?<![\w./-]){re.escape(path)}(?!\w)", name, text)
    return text


def pass_on() -> None:
    """Show on standard output what comes on standard input, while anybody holds the other end."""
    # Stopped with the rest of a command, it would stay: it ends when nobody writes any more.
    at_parents_end(signal.SIGCONT)
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    while data := os.read(0, 2**16):
        left = lines_visible(decoder.decode(data)).encode()
        with contextlib.suppress(OSError):  # Nobody listens: who writes must not notice.
            while left:
                left = left[os.write(1, left):]


class Shown(TextIOWrapper):
    """A stream in place of another, to the same descriptor; `unshown` is that other one."""

    def __init__(self, unshown: TextIOWrapper) -> None:
        # The descriptor is not its own: the end of this object closes nothing.
        raw = FileIO(unshown.fileno(), "w", closefd=False)
        super().__init__(raw, unshown.encoding, "replace", write_through=True)
        self.unshown = unshown

    def write(self, text: str) -> int:
        """Write lines."""
        super().write(lines_visible(text))
        return len(text)


def show_controls() -> None:
    """From now on, whatever Python prints in this process is shown so."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, TextIOWrapper) and not isinstance(stream, Shown):
            stream.flush()
            setattr(sys, name, Shown(stream))


def words(error: BaseException) -> str:
    """Return its message, or that it has none that can be read.

    Examples
    --------
    >>> words(ValueError("no such n"))
    'no such n'
    """
    try:
        return str(error)
    except KeyboardInterrupt:
        raise
    except BaseException:
        return "(its message cannot be read)"


def named(error: BaseException) -> str:
    """Return its type and its message.

    Examples
    --------
    >>> named(ValueError("no such n")), named(MemoryError())
    ('ValueError: no such n', 'MemoryError')
    """
    return f"{type(error).__name__}: {words(error)}".removesuffix(": ")


def unheard_in_a_line() -> None:
    """From now on, say in one line what is raised where nobody catches it: threads, finalizers."""
    def say(found: Any) -> None:
        error, trace, place = found.exc_value, found.exc_traceback, ""
        while trace is not None:
            name = as_called(trace.tb_frame.f_code.co_filename)
            place, trace = f"{name}, line {trace.tb_lineno}, ", trace.tb_next
        what = named(error) if error is not None else found.exc_type.__name__
        line = f"{place}raised {what}, where nobody heard it\n"
        with contextlib.suppress(AttributeError, OSError, ValueError):
            sys.stderr.write(visible(" ".join(line.split())) + "\n")

    sys.unraisablehook = threading.excepthook = say
