"""Standard output carries the answer and nothing else.

Whatever a user's file prints goes to standard error.
"""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

import click

from noisytheory.cli.descriptors import descriptors_shown
from noisytheory.cli.mistakes import Mistake
from noisytheory.trial.shown import lines_visible, show_controls, visible

__all__ = [
    "OWN_PROCESS",
    "START",
    "Closed",
    "answers",
    "code_of_others_comes",
    "damage_seen",
    "discard",
    "listed",
    "marked",
    "process_age",
    "say",
    "say_json",
    "say_rows",
    "seconds_so_far",
    "table",
]


class Closed(io.TextIOBase):
    """In place of a standard output that is not there: an answer that nobody gets is a mistake."""

    def write(self, text: str) -> int:
        """Refuse."""
        raise Mistake("standard output is closed: the answer has nowhere to go")


def discard(stream: TextIO) -> None:
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
        discard(stream)
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
        with _only_answers(shown) as out, contextlib.ExitStack() as last, _damage_said(context):
            if shown:
                context.meta[_LAST] = last
            command(out, *args, **kwargs)

    return run


def code_of_others_comes(context: click.Context) -> None:
    """From now on to the command's end show what is written past Python, too."""
    if (last := context.meta.pop(_LAST, None)) is not None:
        last.enter_context(descriptors_shown())


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

    plain = warnings.formatwarning
    with warnings.catch_warnings():
        usual, warnings.showwarning = warnings.showwarning, show  # type: ignore[assignment]
        # Those of somebody's function come to a terminal by no stream of ours with --workers 0.
        warnings.formatwarning = lambda *of, **more: lines_visible(plain(*of, **more))
        warnings.simplefilter("always", Damaged)
        warnings.simplefilter("always", Remark)
        try:
            yield
        finally:
            warnings.formatwarning = plain


def damage_seen(context: click.Context) -> bool:
    """Whether anything in a store was damaged."""
    return bool(context.meta.get(_DAMAGE))


OWN_PROCESS = "noisytheory.own-process"
"""In the context, whether this process is there for the command and nothing else."""

_DAMAGE = "noisytheory.damage"
_LAST = "noisytheory.last"
START = "noisytheory.start"


def process_age() -> float:
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
    return time.perf_counter() - float(context.meta[START])


def say(out: TextIO, text: str) -> None:
    """Write a part of the answer; a reader that has gone is no error."""
    colour = None if not os.environ.get("NO_COLOR") else False
    try:
        parts = _COLOURS.split(text)
        parts[::2] = ["\n".join(map(visible, part.split("\n"))) for part in parts[::2]]
        click.echo("".join(parts), file=out, color=colour)
        out.flush()
    except BrokenPipeError:
        discard(out)


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


def listed(head: str, items: Sequence[str]) -> list[str]:
    """Lines of a section, indented under its heading; none if it is empty."""
    return ["", head, *(f"  {item}" for item in items)] if items else []
