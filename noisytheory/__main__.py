"""``noisytheory`` and ``python -m noisytheory`` are the command line."""

from __future__ import annotations

# The module `signal` imports for milliseconds, in which a signal would end the process raw.
import _signal as signal
import _thread
import os
import sys
import time

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


def run() -> None:
    """Run the command line; asked to end at any instant, imports included, it ends quietly."""
    _on_signals(_quit)
    import atexit
    import contextlib

    # As they are now: somebody's file may put other things in their place.
    end, last, write = os._exit, atexit._run_exitfuncs, os.write

    # A stream that is closed would be the next file that is opened.
    while (nowhere := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(nowhere)
    # Who cleans up behind processes that were killed inherits this, and says nothing of it.
    sys.warnoptions.append("ignore:resource_tracker")
    from noisytheory.cli import main
    from noisytheory.cli.apart import no_end
    from noisytheory.cli.interrupts import listen
    from noisytheory.cli.mistakes import earlier
    from noisytheory.trial.parents import kill_stopped_children
    from noisytheory.trial.shown import unheard_in_a_line

    unheard_in_a_line()
    code: str | int | None = 130
    try:
        listen()
        main()
    except KeyboardInterrupt:
        print("noisytheory: interrupted", file=sys.stderr)
    except SystemExit as exit:
        code = exit.code
    except BaseException:
        if not earlier:
            raise
        # What says whose fault it is works no more.
        write(2, b"noisytheory: a file, or a function of it, has left no Python that works\n")
        end(2)
    # What is left is the interpreter's own end.
    _on_signals(signal.SIG_IGN)
    if isinstance(code, int):
        # An interrupt inside of `exec`, of which imports are full, is raised again at that end;
        # what a function of somebody's file has left running would be waited for; and to take all
        # modules apart costs as long again as to answer: the time that was printed is the whole.
        # What workers shared is released before, or their tracker complains.
        _in_time(end, code)
        with no_end():
            last()
        kill_stopped_children()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(AttributeError, OSError, ValueError):
                stream.flush()
        end(code)
    sys.exit(code)


def _in_time(end: Any, code: int) -> None:
    """End, whatever else a file has left to be done at the end: no key press is heard any more."""
    def late() -> None:
        time.sleep(_PATIENCE)
        os.write(2, b"noisytheory: what a file left to be done at the end is not waited for\n")
        end(code)

    _thread.start_new_thread(late, ())


_PATIENCE = 10.0
"""Seconds."""


def _on_signals(handler: Any) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handler)
    hangup = getattr(signal, "SIGHUP", signal.SIGTERM)
    if signal.getsignal(hangup) != signal.SIG_IGN:  # as nohup wants it
        signal.signal(hangup, handler)


def _quit(number: int, frame: object) -> None:
    """Nothing is under way yet; in the callbacks of an import an exception would be lost."""
    os.write(2, b"noisytheory: interrupted\n")
    os._exit(130)


# Worker processes import this module again, under another name.
if __name__ == "__main__":
    run()
