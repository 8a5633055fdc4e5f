"""``noisytheory`` and ``python -m noisytheory`` are the command line."""

from __future__ import annotations

# The module `signal` imports for milliseconds, in which a signal would end the process raw.
import _signal as signal
import os
import sys

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


def run() -> None:
    """Run the command line; asked to end at any instant, imports included, it ends quietly."""
    _on_signals(_quit)
    import atexit
    import contextlib

    # A stream that is closed would be the next file that is opened.
    while (nowhere := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(nowhere)
    # Who cleans up behind processes that were killed inherits this, and says nothing of it.
    sys.warnoptions.append("ignore:resource_tracker")
    from noisytheory.cli import main
    from noisytheory.cli.interrupts import listen

    code: str | int | None = 130
    try:
        listen()
        main()
    except KeyboardInterrupt:
        print("noisytheory: interrupted", file=sys.stderr)
    except SystemExit as end:
        code = end.code
    # What is left is the interpreter's own end.
    _on_signals(signal.SIG_IGN)
    if code == 130:
        # An interrupt inside of `exec`, of which imports are full, is raised again at that end.
        # What workers shared is released before, or their tracker complains.
        atexit._run_exitfuncs()
        sys.stderr.flush()
        os._exit(130)
    if isinstance(code, int):
        # What a function of somebody's file has left running would be waited for, and to take all
        # modules apart costs as long again as to answer: the time that was printed is the whole.
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(AttributeError, OSError, ValueError):
                stream.flush()
        os._exit(code)
    sys.exit(code)


def _on_signals(handler: Any) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handler)


def _quit(number: int, frame: object) -> None:
    """Nothing is under way yet; in the callbacks of an import an exception would be lost."""
    os.write(2, b"noisytheory: interrupted\n")
    os._exit(130)


# Worker processes import this module again, under another name.
if __name__ == "__main__":
    run()
