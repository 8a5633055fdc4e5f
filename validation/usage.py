"""What a command takes, of memory, of cores and of time, and what it says of that.

Parts of ``python validation/endurance.py``, which says what is counted.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from surroundings import BENCHMARKS, PATIENCE, Count, run, told

GOAL = 20.0
"""Seconds on two cores for the report of all claims."""


def memory(quiet: Any, audits: int, moments: random.Random) -> Iterator[tuple[str, Count]]:
    """A hundred million replicates of a cheap claim under 300 MB, report included, as a tenth."""
    sys.path.insert(0, str(BENCHMARKS))
    import memory as measured

    for kind, source in measured.KINDS.items():
        file = quiet.folder / f"{kind}.py"
        file.write_text(source)
        for power in (7, 8):
            store, pages = (quiet.folder / f"{kind}-{power}-{what}" for what in ("store", "pages"))
            drawn = f"10^{power} replicates of a {kind}"
            words = [file, "--replicates", 10**power, "--store", store, "--workers", 1, "-q"]
            for what, line in (
                (drawn, quiet.command("audit", *words)),
                (f"the report of {drawn}", quiet.command("report", store, "--output", pages)),
            ):
                count = Count()
                most = _peak(count, line)
                count["over 300 MB"] += most > measured.GOAL
                yield f"{what} ({most:.0f} MB)", count
            shutil.rmtree(store)


def _peak(count: Count, words: Sequence[str]) -> float:
    """The most that a command, or one of its processes, has held, in MB."""
    import memory as measured

    most = 0.0
    with tempfile.TemporaryFile("w+") as said:
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=said) as running:
            while running.poll() is None:
                those = [running.pid, *measured.children_of(running.pid)]
                most = max(most, *map(measured.peak_of, those))
                time.sleep(0.02)
        said.seek(0)
        told(count, subprocess.CompletedProcess(words, running.returncode, "", said.read()), {0})
    return most * 2**20 / 1e6


@dataclass
class Used:
    """What a command took of the cores that it was confined to, in seconds."""

    cores: int
    clock: float
    own: float
    others: float
    """Of processors, that other processes used on its cores meanwhile."""

    @property
    def alone(self) -> float:
        """By the clock, had the others not been there: their share of each core is left out."""
        return self.clock - self.others / self.cores

    def __str__(self) -> str:
        idle = self.cores * self.clock - self.own - self.others
        return (
            f"{self.clock:.1f} s by the clock, {self.alone:.1f} s without what others used; of "
            f"processors {self.own:.1f} s, others {self.others:.1f} s, idle {idle:.1f} s"
        )


def confined(words: Sequence[str], cores: set[int]) -> tuple[int, str, Used]:
    """Run a command on a terminal and on these cores; its exit code, what it showed, its use."""
    master, terminal = os.openpty()
    own, busy, start = _own(), _busy(cores), time.perf_counter()
    with subprocess.Popen(
        words, stdin=terminal, stdout=terminal, stderr=terminal,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120", "LINES": "40"},
        preexec_fn=partial(os.sched_setaffinity, 0, cores),
    ) as running:
        os.close(terminal)
        said = b""
        with contextlib.suppress(OSError):  # As Linux says that a terminal has no more users.
            while more := os.read(master, 2**16):
                said += more
        code = running.wait(PATIENCE)
    clock, own, busy = time.perf_counter() - start, _own() - own, _busy(cores) - busy
    os.close(master)
    used = Used(len(cores), clock, own, max(0.0, busy - own))
    return code, re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said.decode(errors="replace")), used


def _own() -> float:
    """Processor seconds of all children that have ended, and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _busy(cores: set[int]) -> float:
    """Seconds that these cores have had work, or were not given by a host."""
    ticks = 0
    for line in Path("/proc/stat").read_text().splitlines():
        name, *spent = line.split()
        if name in {f"cpu{core}" for core in cores}:
            _, _, _, idle, waiting, *_ = found = list(map(int, spent[:8]))
            ticks += sum(found) - idle - waiting
    return ticks / os.sysconf("SC_CLK_TCK")


def _printed(count: Count, words: Sequence[str], seconds: re.Pattern[str]) -> None:
    """Run a command; the last seconds that it prints are those that it took."""
    start = time.perf_counter()
    done = run(words, timeout=10 * PATIENCE)
    took = time.perf_counter() - start
    told(count, done, {0})
    printed = [float(found) for found in seconds.findall(done.stdout)]
    if not printed or abs(took - printed[-1]) > max(0.5, 0.05 * took):
        count["other time printed"] += 1
        print(words[-6:], f"took {took:.2f} s and printed {printed}", file=sys.stderr)


def times(quiet: Any, audits: int, moments: random.Random) -> Iterator[tuple[str, Count]]:
    """The report of all claims on two cores, cold, and its progress; the times that are printed."""
    count, store = Count(), quiet.folder / "all"
    _printed(
        count, quiet.command("audit", "--budget", "smoke", "--store", store),
        re.compile(r"; ([\d.]+) s, seed"),
    )
    few = quiet.command("audit", quiet.folder / "victims.py", "--report", quiet.folder / "few")
    _printed(count, few, re.compile(r"; ([\d.]+) s in all"))
    yield "the time that an audit of all claims, and one with its report, prints", count
    count = Count()
    cores = set(sorted(os.sched_getaffinity(0))[:2])
    code, said, used = confined(
        quiet.command("report", store, "--output", quiet.folder / "all-pages"), cores
    )
    told(count, subprocess.CompletedProcess(["report"], code, "", said), {0})
    count["over 20 s"] += used.alone > GOAL
    shown = set(re.findall(r"(\d+)/(\d+) pictures of the report", said))
    count["silent"] += len(shown) < 3
    done, every = max(((int(a), int(b)) for a, b in shown), default=(0, 0))
    yield (
        f"the report of all claims on {len(cores)} cores: {used} (its progress was shown "
        f"{len(shown)} times, up to {done} of {every} pictures)"
    ), count
