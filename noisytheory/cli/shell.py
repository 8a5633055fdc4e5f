"""The group of commands, the options that several take, and how each command ends.

Nothing heavy is imported before a command needs it, so that ``--help`` answers at once.
"""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TextIO, cast

import click

from noisytheory import __version__
from noisytheory.cli.answers import OWN_PROCESS, START, Closed, discard, process_age
from noisytheory.cli.apart import PARENT, WORKED, file_tried, follow, no_end, tried_apart
from noisytheory.cli.interrupts import clocks_end, is_interrupt, signals_wait
from noisytheory.cli.mistakes import (
    AS_EXPECTED,
    DEBUG,
    INTERRUPTED,
    MISTAKE,
    Mistake,
    diagnose,
    earlier,
    foreign_modules,
)
from noisytheory.trial.shown import called, visible

__all__ = [
    "BUDGETS",
    "RUN_AS_CODE",
    "error_level",
    "json_flag",
    "keyword_option",
    "main",
    "seed_option",
    "table_options",
]

BUDGETS = ("smoke", "standard", "full")
"""The names in `noisytheory.trial.run.BUDGETS`, without importing it."""

RUN_AS_CODE = "FILE.py is run as code, with all your rights: try no file that you would not run."
"""What the help says of each command that takes one."""


class _CommandLine(click.Group):
    """A group whose every failure is one line on standard error and an exit code."""

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        """Run a command; always ends in ``SystemExit``."""
        if "_NOISYTHEORY_COMPLETE" in os.environ:
            super().main(args, prog_name, **extra)
        words = list(sys.argv[1:] if args is None else args)
        parent = int(os.environ.pop(PARENT, "0"))
        file = file_tried(words) if args is None and not parent else ""
        if file:
            code, line = tried_apart(words, file)
        else:
            if parent:
                from noisytheory.trial.parents import at_parents_end

                at_parents_end(signal.SIGKILL)
                signals_wait(False)
                threading.Thread(target=follow, args=(parent,), daemon=True).start()
            elif args is None:
                clocks_end(MISTAKE)
            code, line = self._run(words, extra, own_process=args is None)
        if line:
            command = words[:1] if words[:1] and words[0] in self.commands else []
            name = " ".join(["noisytheory", *command])
            try:
                click.echo(visible(f"{name}: {' '.join(line.split())}"), err=True)
            except OSError:
                discard(sys.stderr)  # The code tells what it can.
        # Somebody's file may have put another thing in the place of `sys.exit`.
        raise SystemExit(code + WORKED if parent and code != INTERRUPTED else code)

    def _run(
        self, words: list[str], extra: dict[str, Any], own_process: bool
    ) -> tuple[int, str]:
        foreign_modules.clear()
        earlier.clear()
        called.clear()
        start = time.perf_counter() - (process_age() if own_process else 0.0)
        sys.stdout = sys.stdout or cast(TextIO, Closed())
        if sys.stderr is None:  # Closed: what is said there is lost.
            sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        for stream in (sys.stdout, sys.stderr):
            # A terminal that knows no Greek gets question marks, not a fault.
            with contextlib.suppress(AttributeError, OSError, ValueError):
                stream.reconfigure(errors="replace")  # type: ignore[union-attr]
        try:
            with no_end(), self.make_context("noisytheory", words, **extra) as context:
                context.meta[START], context.meta[OWN_PROCESS] = start, own_process
                self.invoke(context)
            return AS_EXPECTED, ""
        except click.exceptions.Exit as stop:
            return stop.exit_code, ""
        except click.ClickException as error:
            return MISTAKE, error.format_message()
        except BrokenPipeError:
            discard(sys.stdout)
            return AS_EXPECTED, ""
        except BaseException as error:
            if is_interrupt(error):
                return INTERRUPTED, str(error) or "interrupted"
            if os.environ.get(DEBUG):
                traceback.print_exc()
            return diagnose(error)


def error_level(
    context: click.Context, parameter: click.Parameter, value: float | None
) -> float | None:
    """The option's value, if it is a level."""
    if value is not None and not 0 < value < 1:
        raise click.BadParameter(f"must be a number in (0, 1), got {value:g}")
    return value

json_flag = click.option(
    "--json", "as_json", is_flag=True,
    help='JSON on standard output; an infinite number is the text "inf" or "-inf".',
)


def table_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options ``--json``, ``--csv`` and ``--markdown``, as one argument ``form``."""

    @functools.wraps(command)
    def run(*args: Any, as_json: bool, as_csv: bool, as_markdown: bool, **kwargs: Any) -> None:
        chosen = {"json": as_json, "csv": as_csv, "markdown": as_markdown}
        forms = [form for form, wanted in chosen.items() if wanted]
        if len(forms) > 1:
            raise Mistake(f"choose one of {' and '.join('--' + form for form in forms)}")
        command(*args, form=forms[0] if forms else "", **kwargs)

    for form in ("markdown", "csv"):
        option = click.option(f"--{form}", f"as_{form}", is_flag=True, help=f"A table as {form}.")
        run = option(run)
    return json_flag(run)


keyword_option = click.option(
    "-k", "keyword", metavar="EXPR", help="Only ids with these words: 'kernel and not printed'."
)
seed_option = click.option(
    "--seed", type=click.IntRange(min=0), help="Root seed; without it the same for everybody."
)


@click.group(
    cls=_CommandLine, invoke_without_command=True, context_settings={
        "help_option_names": ["-h", "--help"], "max_content_width": 100,
    },
)
@click.version_option(__version__, message="%(version)s")
@click.pass_context
def main(context: click.Context) -> None:
    """Learning theory on trial.

    Compute a bound, simulate what it speaks of, reach a verdict. A claim is named by its ID,
    several by a shell pattern, your own by the Python file that declares them (FILE.py is run as
    code, with all your rights: try no file that you would not run).

    \b
    Exit codes: 0 every verdict as expected, 1 a verdict differs, 2 wrong usage or
    bad input, 3 a fault of ours, 130 interrupted.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
