"""What a claim's function leaves running keeps no command from its end, nor goes on with it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FILE = """
import threading, time
import noisytheory as nt

def simulate(n, *, size, rng):
    threading.Thread(target=time.sleep, args=(600,)).start()
    return rng.uniform(size=size)

mine = nt.Paper("mine", "x").tail(
    "left", statement="x", bound=lambda n, delta: 1.0 - delta / 2, simulate=simulate,
    grid=dict(n=[1], delta=[0.1]))
"""


@pytest.mark.parametrize("words", [["audit", "--workers=1"], ["audit", "--workers=0"], ["replay"]])
def test_a_thread_left_running_is_not_waited_for(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "left.py").write_text(FILE)
    file = "left.py" if words[0] == "audit" else "left.py::mine/left"
    ended = subprocess.run(
        [sys.executable, "-m", "noisytheory", *words, file, "--budget=smoke"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "mine/left" in ended.stdout


FORKS = """
import os, matplotlib.pyplot as plt, noisytheory as nt

def forks(where):
    if where == {where!r}:
        with open({drawn!r}, "a+") as file:
            file.write(f"{{os.getpid()}}\\n")
            file.seek(0)
            few = len(set(file.read().split())) < 9  # Never without end, whatever becomes of it.
        few and os.fork()

forks("file")

def simulate(n, *, size, rng):
    forks("draw")
    return rng.uniform(size=size)

def bound(n, delta):
    forks("bound")
    return 1.0 - delta / 2

def picture():
    forks("picture")
    return plt.figure()

mine = nt.Paper("mine", "x").tail(
    "forks", statement="x", bound=bound, simulate=simulate, picture=picture,
    grid=dict(n=[1], delta=[0.1]))
"""


AUDIT = "audit forks.py --budget=smoke --workers"


@pytest.mark.parametrize("where, words", [
    ("file", f"{AUDIT}=0"),
    ("file", "replay forks.py --budget=smoke"),
    ("draw", f"{AUDIT}=0"),
    ("draw", f"{AUDIT}=1"),
    ("bound", f"{AUDIT}=1"),
    ("bound", "bound forks.py::mine/forks n=1 delta=0.1"),
    ("picture", f"{AUDIT}=1 --report=pages"),
])
def test_of_a_process_that_forks_one_goes_on(where: str, words: str, tmp_path: Path) -> None:
    drawn = tmp_path / "drawn"
    (tmp_path / "forks.py").write_text(FORKS.format(where=where, drawn=str(drawn)))
    ended = subprocess.run(
        [sys.executable, "-m", "noisytheory", *words.split()],
        cwd=tmp_path, capture_output=True, text=True, timeout=60,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert len(ended.stdout.split("mine/forks")) <= 3  # Once in a table, and once before a page.
    # A command on somebody's file has it loaded by a process apart, then by its own.
    assert 1 <= len(set(drawn.read_text().split())) <= 3
