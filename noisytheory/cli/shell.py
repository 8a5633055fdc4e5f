"""The group of commands: streams, exit codes, one line for every mistake.

Standard output carries the answer and nothing else: whatever a user's file prints goes to standard
error. Nothing heavy is imported before a command needs it, so that ``--help`` answers at once.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, TextIO, cast

import click

from noisytheory import __version__
from noisytheory.trial.shown import show_controls, visible

__all__ = [
    "AS_EXPECTED",
    "BUDGETS",
    "DEBUG",
    "DIFFERS",
    "FAULT",
    "INTERRUPTED",
    "MISTAKE",
    "OWN_PROCESS",
    "RUN_AS_CODE",
    "SURROUNDINGS",
    "Interrupted",
    "Mistake",
    "answers",
    "damage_seen",
    "diagnose",
    "error_level",
    "foreign_modules",
    "is_interrupt",
    "json_flag",
    "keyword_option",
    "listed",
    "listen",
    "main",
    "marked",
    "offer",
    "say",
    "say_json",
    "say_rows",
    "seconds_so_far",
    "seed_option",
    "stop",
    "table",
    "table_options",
]

AS_EXPECTED, DIFFERS, MISTAKE, FAULT, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit codes."""

BUDGETS = ("smoke", "standard", "full")
"""The names in `noisytheory.trial.run.BUDGETS`, without importing it."""

DEBUG = "NOISYTHEORY_DEBUG"
"""Environment variable that asks for tracebacks."""

# The surroundings' fault, not ours: no room, no right, no descriptors.
SURROUNDINGS = {
    errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EMFILE,
    errno.ENOMEM, errno.ENAMETOOLONG,
}
# Top-level modules of the claims of this run that are not this package's.
foreign_modules: set[str] = set()


class Mistake(click.ClickException):
    """Wrong usage or bad input; the message says what and how to mend it."""


class Interrupted(KeyboardInterrupt):
    """The user stopped the run; the message says how to go on."""


RUN_AS_CODE = "FILE.py is run as code, with all your rights: try no file that you would not run."
"""What the help says of each command that takes one."""

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
    for number in (signal.SIGINT, signal.SIGTERM):
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


class _CommandLine(click.Group):
    """A group whose every failure is one line on standard error and an exit code."""

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        """Run a command; always ends in ``SystemExit``."""
        if "_NOISYTHEORY_COMPLETE" in os.environ:
            super().main(args, prog_name, **extra)
        words = list(sys.argv[1:] if args is None else args)
        parent = int(os.environ.pop(_PARENT, "0"))
        file = _file_tried(words) if args is None and not parent else ""
        if file:
            code, line = _tried_apart(words, file)
        else:
            if parent:
                _signals_wait(False)
                threading.Thread(target=_follow, args=(parent,), daemon=True).start()
            code, line = self._run(words, extra, own_process=args is None)
        if line:
            command = words[:1] if words[:1] and words[0] in self.commands else []
            name = " ".join(["noisytheory", *command])
            try:
                click.echo(visible(f"{name}: {' '.join(line.split())}"), err=True)
            except OSError:
                _discard(sys.stderr)  # The code tells what it can.
        sys.exit(code + _WORKED if parent and code != INTERRUPTED else code)

    def _run(
        self, words: list[str], extra: dict[str, Any], own_process: bool
    ) -> tuple[int, str]:
        foreign_modules.clear()
        start = time.perf_counter() - (_age() if own_process else 0.0)
        sys.stdout = sys.stdout or cast(TextIO, _Closed())
        for stream in (sys.stdout, sys.stderr):
            # A terminal that knows no Greek gets question marks, not a fault.
            with contextlib.suppress(AttributeError, OSError, ValueError):
                stream.reconfigure(errors="replace")  # type: ignore[union-attr]
        try:
            with _no_end(), self.make_context("noisytheory", words, **extra) as context:
                context.meta[_START], context.meta[OWN_PROCESS] = start, own_process
                self.invoke(context)
            return AS_EXPECTED, ""
        except click.exceptions.Exit as stop:
            return stop.exit_code, ""
        except click.ClickException as error:
            return MISTAKE, error.format_message()
        except BrokenPipeError:
            _discard(sys.stdout)
            return AS_EXPECTED, ""
        except BaseException as error:
            if is_interrupt(error):
                return INTERRUPTED, str(error) or "interrupted"
            if os.environ.get(DEBUG):
                traceback.print_exc()
            return diagnose(error)


_PARENT = "_NOISYTHEORY_PARENT"
"""Environment variable of a process that works on somebody's file, for the one of this number."""
_WORKED = 64
"""What that process adds to its exit code, which a file that ends it does not know."""


def _file_tried(words: Sequence[str]) -> str:
    """The file whose functions the command itself would call; an audit has workers for it."""
    if words[:1] and words[0] in ("bound", "claims", "compare", "replay", "show"):
        for word in words[1:]:
            name = word.partition("::")[0]
            if not name.startswith("-") and name.endswith(".py") and Path(name).is_file():
                return Path(name).name
    return ""


def _tried_apart(words: Sequence[str], file: str) -> tuple[int, str]:
    """Have another process do it: what ends that one ends no command without a word."""
    from noisytheory.trial.worker import told

    # From where this process has its modules, which need not be installed.
    code = f"import sys; sys.path[:] = {sys.path!r}; from noisytheory.__main__ import run; run()"
    environment = {**os.environ, _PARENT: str(os.getpid())}
    # It inherits that: Python itself, which starts there, has no quiet way to be interrupted.
    _signals_wait(True)
    try:
        child = subprocess.Popen([sys.executable, "-c", code, *words], env=environment)
    except OSError as error:
        _signals_wait(False)
        return diagnose(error)

    def pass_on(number: int, frame: object) -> None:
        # A key press has reached it, too; what was sent to this process alone has not. Nothing is
        # raised here: it could be between the end of that process and the news of how it ended.
        late = threading.Timer(_PATIENCE, child.terminate)
        late.daemon = True
        late.start()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, pass_on)
    _signals_wait(False)
    ended = child.wait()
    if ended == INTERRUPTED:
        return INTERRUPTED, ""
    if AS_EXPECTED <= ended - _WORKED <= FAULT:
        return ended - _WORKED, ""
    return MISTAKE, f"{file} ends the process that works on it: {told(ended)}"


_PATIENCE = 0.5
"""Seconds that a process has to end after a key press."""


def _signals_wait(do: bool) -> None:
    """Have what asks for an end wait, or come."""
    if hasattr(signal, "pthread_sigmask"):
        how = signal.SIG_BLOCK if do else signal.SIG_UNBLOCK
        signal.pthread_sigmask(how, {signal.SIGINT, signal.SIGTERM})


def _follow(parent: int) -> None:
    """End when the parent has ended, however it did."""
    while os.getppid() == parent:
        time.sleep(_PATIENCE)
    os._exit(INTERRUPTED)


class _Closed(io.TextIOBase):
    """In place of a standard output that is not there: an answer that nobody gets is a mistake."""

    def write(self, text: str) -> int:
        """Refuse."""
        raise Mistake("standard output is closed: the answer has nowhere to go")


@contextlib.contextmanager
def _no_end() -> Iterator[None]:
    """Have `os._exit` raise: to end without a word, as if all were well, is a fault of a file's."""
    end, own = os._exit, (os.getpid(), threading.get_ident())

    def ended(status: int) -> NoReturn:
        # Not of a process that a file has forked, nor of somebody's watchdog.
        if (os.getpid(), threading.get_ident()) != own:
            end(status)
        raise RuntimeError(f"os._exit({status})")

    os._exit = ended
    try:
        yield
    finally:
        os._exit = end


def diagnose(error: BaseException) -> tuple[int, str]:
    """Whose fault it is, and the line that says so."""
    code, text = _blame(error)
    # However much a claim's own error has to say.
    text = visible(" ".join(text.split()))
    return code, text if len(text) <= 600 else f"{text[:450]} ... {text[-100:]}"


def _blame(error: BaseException) -> tuple[int, str]:
    """Whose fault it is, and what there is to say."""
    from noisytheory.trial.draws import ClaimError
    from noisytheory.trial.engine import EngineError
    from noisytheory.trial.store import StoreError

    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    look = f"(traceback: {DEBUG}=1)"
    foreign = [
        frame for frame in _frames(error)
        if _module(frame).partition(".")[0] in foreign_modules
    ]
    where = ""
    if foreign:
        where = Path(foreign[-1].tb_frame.f_code.co_filename).name
        where += f", line {foreign[-1].tb_lineno}"
    if isinstance(error, ClaimError):
        ours = not foreign_modules
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
    # What this package raises itself as ValueError speaks to the user; what comes out of a library
    # below it does not.
    frames = _frames(error)
    if isinstance(error, ValueError) and frames and _module(frames[-1]).startswith("noisytheory."):
        return MISTAKE, str(error)
    return FAULT, f"a fault of ours: {what}; run it again with {DEBUG}=1 for the traceback"


def _frames(error: BaseException) -> list[TracebackType]:
    frames, frame = [], error.__traceback__
    while frame is not None:
        frames.append(frame)
        frame = frame.tb_next
    return frames


def _module(frame: TracebackType) -> str:
    return str(frame.tb_frame.f_globals.get("__name__", ""))


def _discard(stream: TextIO) -> None:
    """Let what is still buffered for a reader that has gone vanish."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


@contextlib.contextmanager
def _only_answers(shown: bool) -> Iterator[TextIO]:
    """The true standard output, while everything else that is printed goes to standard error.

    File descriptor 1 itself is moved, so that compiled code and worker processes follow. What
    Python prints is ``shown`` there as `visible` has it: whoever's file that is.
    """
    stream, errors = sys.stdout, sys.stderr
    try:
        number = stream.fileno()
    except (OSError, ValueError, AttributeError):
        # Captured by a test, or closed.
        with contextlib.redirect_stdout(sys.stderr):
            yield stream
        return
    stream.flush()
    kept = os.dup(number)
    try:
        os.dup2(2, number)
    except OSError:
        _discard(stream)
    try:
        if shown:
            show_controls()
        with open(kept, "w", encoding=stream.encoding, errors="replace", closefd=False) as answers:
            yield answers
    finally:
        sys.stdout, sys.stderr = stream, errors
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
        os.dup2(kept, number)
        os.close(kept)


def answers(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the stream for its answer as first argument."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        context = click.get_current_context()
        # A debugger in this process sends a terminal what it likes.
        shown = context.meta[OWN_PROCESS] and kwargs.get("workers") != 0
        with _only_answers(shown) as out, _damage_said(context):
            command(out, *args, **kwargs)

    return run


@contextlib.contextmanager
def _damage_said(context: click.Context) -> Iterator[None]:
    """Say on standard error, once and in one line, what is damaged in a store, and remarks."""
    from noisytheory.trial.store import Damaged, Remark

    said: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *args: Any) -> None:
        if not issubclass(category, Damaged | Remark):
            usual(message, category, *args)
        elif str(message) not in said:
            said.add(str(message))
            click.echo(visible(str(message)), err=True)
            context.meta[_DAMAGE] = damage_seen(context) or issubclass(category, Damaged)

    with warnings.catch_warnings():
        usual, warnings.showwarning = warnings.showwarning, show  # type: ignore[assignment]
        warnings.simplefilter("always", Damaged)
        warnings.simplefilter("always", Remark)
        yield


def damage_seen(context: click.Context) -> bool:
    """Whether anything in a store was damaged."""
    return bool(context.meta.get(_DAMAGE))


OWN_PROCESS = "noisytheory.own-process"
"""In the context, whether this process is there for the command and nothing else."""

_DAMAGE = "noisytheory.damage"
_START = "noisytheory.start"


def _age() -> float:
    """Seconds since this process began, imports and all, where the system tells them."""
    try:
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        began = int(fields[19]) / os.sysconf("SC_CLK_TCK")
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - began
    except (AttributeError, OSError, ValueError, IndexError):
        return 0.0
    # Another clock than that of the processes, as some sandboxes have it.
    return age if 0 <= age < 60 else 0.0


def seconds_so_far(context: click.Context) -> float:
    """How long the command has taken until now."""
    return time.perf_counter() - float(context.meta[_START])


def say(out: TextIO, text: str) -> None:
    """Write a part of the answer; a reader that has gone is no error."""
    colour = None if not os.environ.get("NO_COLOR") else False
    try:
        parts = _COLOURS.split(text)
        parts[::2] = ["\n".join(map(visible, part.split("\n"))) for part in parts[::2]]
        click.echo("".join(parts), file=out, color=colour)
        out.flush()
    except BrokenPipeError:
        _discard(out)


_COLOURS = re.compile(r"(\x1b\[[0-9;]*m)")


def say_json(out: TextIO, value: object) -> None:
    """Write a value as strict JSON."""
    text = json.dumps(_strict(value), indent=2, ensure_ascii=False, allow_nan=False)
    # JSON escapes the other control characters itself, and knows no backslash x.
    say(out, re.sub("[\x7f-\x9f]", lambda found: f"\\u{ord(found[0]):04x}", text))


def _strict(value: Any) -> Any:
    """As strict JSON knows it: NaN is null, infinities are texts, nothing of NumPy's."""
    if isinstance(value, Mapping):
        return {str(key): _strict(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [_strict(item) for item in value]
    if hasattr(value, "tolist"):
        return _strict(value.tolist())
    if isinstance(value, float):
        if value != value:
            return None
        return value if abs(value) < float("inf") else "inf" if value > 0 else "-inf"
    return value if value is None or isinstance(value, str | int) else str(value)


def table(rows: Sequence[Sequence[str]], right: Iterable[int] = ()) -> str:
    """Aligned columns; the first row is the head. Styled cells count what is seen of them."""
    right = set(right)
    widths = [max(len(click.unstyle(row[i])) for row in rows) for i in range(len(rows[0]))]

    def cell(i: int, text: str) -> str:
        if i == len(widths) - 1 and i not in right:
            return text
        space = " " * (widths[i] - len(click.unstyle(text)))
        return space + text if i in right else text + space

    head = [click.style(cell(i, text), bold=True) for i, text in enumerate(rows[0])]
    body = [[cell(i, text) for i, text in enumerate(row)] for row in rows[1:]]
    return "\n".join("  ".join(row) for row in [head, *body])


def say_rows(out: TextIO, rows: Sequence[Mapping[str, Any]], form: str) -> None:
    """Write a table whose rows have the same names: aligned, as ``csv`` or as ``markdown``.

    Numbers are whole in CSV and to ten digits elsewhere; what is not there is empty.
    """
    import csv

    head = list(rows[0])
    if form == "csv":
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerows([head, *(row.values() for row in rows)])
        say(out, buffer.getvalue().rstrip("\n"))
        return
    cells = [[_cell_text(value) for value in row.values()] for row in rows]
    right = [
        i for i, name in enumerate(head) if all(isinstance(row[name], int | float) for row in rows)
    ]
    if form == "markdown":
        say(out, marked([head, *cells], right=right))
    else:
        say(out, table([head, *cells], right=right))


def marked(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Rows, the first of which is the head, as a table in Markdown."""
    rule = ["---:" if i in right else "---" for i in range(len(rows[0]))]
    escaped = ([text.replace("|", "\\|") for text in line] for line in (rows[0], rule, *rows[1:]))
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)


def _cell_text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.10g}" if isinstance(value, float) else str(value)


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


def listed(head: str, items: Sequence[str]) -> list[str]:
    """Lines of a section, indented under its heading; none if it is empty."""
    return ["", head, *(f"  {item}" for item in items)] if items else []
