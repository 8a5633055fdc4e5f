"""A process that is stopped is not dead: it is waited for, and who waits hears of it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.crash,
    pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes"),
]

FILE = """
import os, signal
import noisytheory as nt

def stop(where):
    if where == {where!r} and not os.path.exists("stopped"):
        open("stopped", "w").close()
        os.kill(os.getpid(), signal.SIGSTOP)

stop("file")

def simulate(n, *, size, rng):
    stop("draw")
    return rng.uniform(size=size)

def bound(n, delta):
    stop("bound")
    return 1.0 - delta / 2

mine = nt.Paper("mine", "x").tail(
    "stops", statement="x", bound=bound, simulate=simulate, grid=dict(n=[1], delta=[0.1]))
"""

AUDIT = "audit stops.py --budget=smoke --workers=1"
BOUND = "bound stops.py::mine/stops n=1 delta=0.1"


def of_session(session: int) -> set[int]:
    """Processes of a session that have not ended."""
    found = set()
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, its = place.read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(its) == session and state not in "ZX":
            found.add(int(place.parent.name))
    return found


@contextmanager
def started(where: str, words: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A command, once it has said that it waits; none of its processes is left."""
    (folder / "stops.py").write_text(FILE.format(where=where))
    said = folder / "said"
    with said.open("w") as errors:
        command = subprocess.Popen(
            [sys.executable, "-m", "noisytheory", *words.split()], cwd=folder, text=True,
            stdout=subprocess.PIPE, stderr=errors, start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
    try:
        deadline = time.monotonic() + 60
        while "is stopped" not in said.read_text():
            assert time.monotonic() < deadline and command.poll() is None, said.read_text()
            time.sleep(0.05)
        yield command
        deadline = time.monotonic() + 10
        while left := of_session(command.pid):
            assert time.monotonic() < deadline, left
            time.sleep(0.05)
    finally:
        for process in of_session(command.pid):
            os.kill(process, signal.SIGKILL)


def lines(folder: Path) -> list[str]:
    """What was said, of the process that was waited for first."""
    said = (folder / "said").read_text().splitlines()
    assert re.fullmatch(
        r".*the process \d+ is stopped \(seen at [\d:]+\) and waited for: "
        r"kill -CONT \d+ lets it go on, kill -KILL \d+ ends it", said[0],
    )
    return said


@pytest.mark.parametrize("number, target", [
    (signal.SIGINT, "group"), (signal.SIGTERM, "parent"), (signal.SIGKILL, "parent"),
])
@pytest.mark.parametrize("where, words", [("draw", AUDIT), ("bound", BOUND)])
def test_a_stopped_process_keeps_no_command_from_its_end(
    number: signal.Signals, target: str, where: str, words: str, tmp_path: Path
) -> None:
    with started(where, words, tmp_path) as command:
        send = os.killpg if target == "group" else os.kill
        send(command.pid, number)
        out, _ = command.communicate(timeout=30)
    said = lines(tmp_path)
    assert out == ""
    if number == signal.SIGKILL:
        assert command.returncode == -number and len(said) == 1
    else:
        assert command.returncode == 130 and len(said) == 2 and "interrupted" in said[1]


@pytest.mark.parametrize("number", [signal.SIGCONT, signal.SIGKILL])
def test_a_stopped_worker_goes_on_or_has_its_work_done_again(
    number: signal.Signals, tmp_path: Path
) -> None:
    with started("draw", AUDIT, tmp_path) as command:
        os.kill(int(re.findall(r"process (\d+)", lines(tmp_path)[0])[0]), number)
        out, _ = command.communicate(timeout=30)
    assert command.returncode == 0 and "upheld" in out and len(lines(tmp_path)) == 1


def test_a_file_that_stops_who_reads_it_is_said_to(tmp_path: Path) -> None:
    with started("file", BOUND, tmp_path) as command:
        os.kill(command.pid, signal.SIGINT)
        command.communicate(timeout=30)
    assert command.returncode == 130 and lines(tmp_path)
    assert "Traceback" not in (tmp_path / "said").read_text()


@pytest.mark.parametrize("words", ["audit slow.py --workers=1", "replay slow.py"])
def test_stopped_helpers_hold_no_pipe_after_the_end(words: str, tmp_path: Path) -> None:
    """The command ended at once, and whoever read from it waited for ever."""
    slow = FILE.format(where="nowhere").replace('stop("draw")', "open('drawing', 'w'); pause()")
    (tmp_path / "slow.py").write_text("from time import sleep\npause = lambda: sleep(60)\n" + slow)
    command = subprocess.Popen(
        [sys.executable, "-m", "noisytheory", *words.split()], cwd=tmp_path, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        deadline = time.monotonic() + 60
        while not (tmp_path / "drawing").exists():
            assert time.monotonic() < deadline and command.poll() is None
            time.sleep(0.05)
        for process in of_session(command.pid) - {command.pid}:
            os.kill(process, signal.SIGSTOP)
        command.send_signal(signal.SIGINT)
        out, _ = command.communicate(timeout=30)
        assert command.returncode == 130 and "interrupted" in out and "Traceback" not in out
        assert not of_session(command.pid)
    finally:
        for process in of_session(command.pid):
            os.kill(process, signal.SIGKILL)
