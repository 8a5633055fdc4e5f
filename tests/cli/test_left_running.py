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


@pytest.mark.parametrize("workers", [0, 1])
def test_a_process_forked_in_a_draw_does_not_go_on_with_the_audit(
    workers: int, tmp_path: Path
) -> None:
    drawn = tmp_path / "drawn"
    forks = f"""with open({str(drawn)!r}, "a") as file:
        file.write(f"{{os.getpid()}}\\n")
    os.fork()"""
    source = FILE.replace("threading, time", "os")
    thread = "threading.Thread(target=time.sleep, args=(600,)).start()"
    (tmp_path / "forks.py").write_text(source.replace(thread, forks))
    ended = subprocess.run(
        [sys.executable, "-m", "noisytheory", "audit", f"--workers={workers}", "forks.py",
         "--budget=smoke"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "upheld" in ended.stdout
    assert len(set(drawn.read_text().split())) == 1
