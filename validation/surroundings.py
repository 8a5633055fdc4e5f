"""What surrounds an audit goes wrong: calls that fail, clocks, disks, power; what it may cost.

Parts of ``python validation/endurance.py``, which says what is counted.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from noisytheory.trial.store import StoreError

BENCHMARKS = Path(__file__).with_name("benchmarks")
PATIENCE = 120.0
QUIET = {0, 1, 2, 130}
Count = Counter[str]

HURT = '''
import errno, os, sys, threading, time
how, number = sys.argv[1], int(sys.argv[2])
del sys.argv[1:3]
calls = 0

def failing(function, error):
    def call(*given, **named):
        global calls
        calls += 1
        if calls == number:
            raise error
        return function(*given, **named)
    return call

def slowed(function, seconds):
    def call(*given, **named):
        time.sleep(seconds)
        return function(*given, **named)
    return call

from noisytheory.__main__ import run
import noisytheory.trial.run

full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
if how == "clock":
    began = time.time()
    time.time = lambda: began - 3600 * (time.monotonic() % 7)
elif how == "disk":
    for name in ("write", "open", "replace", "rename", "mkdir", "fsync"):
        setattr(os, name, slowed(getattr(os, name), number / 1000))
elif how == "processes":
    import multiprocessing.util as util
    none = OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    util.spawnv_passfds = failing(util.spawnv_passfds, none)
elif how == "threads":
    threading.Thread.start = failing(threading.Thread.start, RuntimeError("can't start new thread"))
else:
    setattr(os, how, failing(getattr(os, how), full))
sys.argv[0] = "noisytheory"
run()
'''

def run(words: Sequence[object], **settings: Any) -> subprocess.CompletedProcess[str]:
    settings = {"timeout": PATIENCE, **settings}
    return subprocess.run(
        list(map(str, words)), capture_output=True, text=True, errors="replace", check=False,
        **settings,
    )


def told(count: Count, done: subprocess.CompletedProcess[str], codes: set[int]) -> None:
    """Count a try, and what no command may do."""
    count["tries"] += 1
    count["other exit code"] += done.returncode not in codes
    count["traceback"] += "Traceback" in done.stderr
    if done.returncode not in codes or "Traceback" in done.stderr:
        print(done.args[-6:], done.returncode, done.stderr[-400:], file=sys.stderr)


def ends_the_same(count: Count, quiet: Any, store: Path) -> None:
    """Go on where the disturbed audit stopped, and compare every bit."""
    done = run(quiet.words(store, 0))
    count["bits differ"] += done.returncode != 0 or not quiet.same(store)
    shutil.rmtree(store, ignore_errors=True)


def calls(quiet: Any, audits: int, moments: random.Random) -> Iterator[tuple[str, Count]]:
    """The n-th call of a sort fails; clocks go backwards; a disk takes its time."""
    sorts = {
        "write": 400, "open": 200, "replace": 20, "mkdir": 40, "rename": 8,
        "processes": 4, "threads": 6, "clock": 1, "disk": 20, "fsync": 200,
    }
    for how, most in sorts.items():
        count = Count()
        for turn in range(max(2, audits // 12)):
            store = quiet.folder / f"calls-{how}-{turn}"
            number = int(math.exp(moments.uniform(0, math.log(most))))
            given = quiet.words(store, 2 if how in ("processes", "threads") else 1)[3:]
            given += ["--durable"] * (how == "fsync")
            codes = {0} if how in ("clock", "disk") else QUIET
            told(count, run([sys.executable, "-c", HURT, how, number, *given]), codes)
            ends_the_same(count, quiet, store)
        name = {"clock": "a clock that goes backwards", "disk": "a slow disk",
                "processes": "the n-th process cannot start",
                "threads": "the n-th thread cannot start"}
        yield name.get(how, f"the n-th os.{how} fails"), count


COMPILES = '''
import os, sys
from numba.core.caching import IndexDataCacheFile
from noisytheory.vocabulary.compiling import njit

which, mine, other = sys.argv[1], *map(int, sys.argv[2:])

def wait():
    os.read(other, 1)

def tell():
    os.write(mine, b".")

def with_it(name, before=(), after=()):
    plain = getattr(IndexDataCacheFile, name)
    def call(*given):
        for step in before:
            step()
        found = plain(*given)
        for step in after:
            step()
        return found
    setattr(IndexDataCacheFile, name, call)

# Both have read which code there is before one of them writes; who is the second to write which
# code there is now, is the first to write its own.
if which != "both":
    with_it("_load_index", after=[tell, wait])
if which == "int":
    with_it("_save_index", after=[tell])
    with_it("_save_data", before=[wait])
if which == "float":
    with_it("_save_index", before=[wait])
    with_it("_save_data", after=[tell])

@njit(cache=True)
def halved(x):
    return (x + x + x) // 2

found = [halved(x) for x in (3, 3.5) if which in (type(x).__name__, "both")]
print(found)
'''
AT_ONCE = {"int": "[4]\n", "float": "[5.0]\n", "both": "[4, 5.0]\n"}


def compiling(quiet: Any, audits: int, moments: random.Random) -> Iterator[tuple[str, Count]]:
    """Two processes compile at once, another signature each; a third finds the code of both."""
    count, file = Count(), quiet.folder / "compiles.py"
    file.write_text(COMPILES)
    for turn in range(max(2, audits // 12)):
        kept = {**os.environ, "NUMBA_CACHE_DIR": str(quiet.folder / f"compiled-{turn}")}
        (mine, hers), (its, theirs) = os.pipe(), os.pipe()
        ends = {"int": (hers, its), "float": (theirs, mine), "both": (0, 0)}

        def compiled(which: str, kept: Any = kept, ends: Any = ends) -> subprocess.Popen[str]:
            return subprocess.Popen(
                [sys.executable, file, which, *map(str, ends[which])], env=kept, text=True,
                pass_fds=ends[which], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )

        pair = {which: compiled(which) for which in ("int", "float")}
        for end in (mine, hers, its, theirs):
            os.close(end)
        for which, process in [*pair.items(), ("both", None)]:
            asked = process or compiled(which)
            try:
                out, errors = asked.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                asked.kill()
                out, errors = asked.communicate()
                count["hang"] += 1
            told(count, subprocess.CompletedProcess([which], asked.returncode, out, errors), {0})
            count["bits differ"] += out != AT_ONCE[which]
    yield "two processes that compile at once, and one that finds their code", count


def threads(quiet: Any, audits: int, moments: random.Random) -> Iterator[tuple[str, Count]]:
    """As many BLAS threads as somebody asks for: the same bits, and no time lost with them."""
    count = Count()
    for number in (1, 4, 64):
        store = quiet.folder / f"threads-{number}"
        asked = {f"{name}_NUM_THREADS": str(number) for name in ("OMP", "OPENBLAS", "MKL")}
        told(count, run(quiet.words(store, 2), env={**os.environ, **asked}), {0})
        ends_the_same(count, quiet, store)
    yield "BLAS asked for 1, 4 and 64 threads", count
    count, done = Count(), []
    for number in (1, 2, 4):
        asked = {f"{name}_NUM_THREADS": str(number) for name in ("OMP", "OPENBLAS", "MKL")}
        script = Path(__file__).parent / "benchmarks" / "threads.py"
        ran = run([sys.executable, str(script), "--bits"], env={**os.environ, **asked})
        told(count, ran, {0})
        done.append(json.loads(ran.stdout or "{}"))
    count["bits differ"] += len({str(one.get("bits", one)) for one in done}) > 1
    share = done[-1].get("processor", math.inf) / done[0].get("processor", math.inf)
    count["slower"] += not share <= 1.5
    yield (
        f"predicting, choosing and herding on 1, 2 and 4 threads, on {free_cores()} (4 take "
        f"{share:.2f} times the processor time of one)"
    ), count


@contextlib.contextmanager
def all_cores() -> Iterator[None]:
    """Within it children run wherever the system lets them, not only where this process was put."""
    before = os.sched_getaffinity(0)
    with contextlib.suppress(OSError):  # A system that lets nobody widen its cores.
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def free_cores() -> str:
    """How many cores this process may use, of how many."""
    return f"{len(os.sched_getaffinity(0))} of {os.cpu_count()} cores"


def power(quiet: Any, audits: int, moments: random.Random) -> Iterator[tuple[str, Count]]:
    """The power of a disk fails under a durable audit: what was finished is there, and goes on."""
    for name, chance in (("nothing", 0), ("by chance a part", 1)):
        count = Count()
        for turn in range(audits // 4):
            disk = quiet.folder / f"disk-{chance}-{turn}"
            disk.mkdir()
            number = int(math.exp(moments.uniform(0, math.log(300))))
            words = [sys.executable, Path(__file__).with_name("power.py"), disk, number,
                     chance * moments.randrange(1, 2**30)]
            # Of the command of an audit what comes after `python -m noisytheory`.
            done = run([*words, *quiet.words(disk / "store", 1)[3:], "--durable"])
            told(count, done, {9})
            left = Path(f"{disk}-left") / "store"
            lines = map(str.split, Path(f"{disk}-said").read_text().splitlines())
            finished = {(claim, int(cell), int(block)) for claim, cell, block in lines}
            try:
                count["blocks lost"] += len(finished - quiet.blocks(left))
            except StoreError:
                count["unreadable"] += 1
                continue
            ends_the_same(count, quiet, left)
        yield f"a loss of power, of what was not waited for {name} left", count


def words(quiet: Any, audits: int, moments: random.Random) -> Iterator[tuple[str, Count]]:
    """What a reader must be told before a file is run."""
    count = Count()
    told = "run as code"
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    takes = ((), ("audit",), ("bound",), ("claims",), ("compare",), ("replay",), ("show",))
    helps = [run(quiet.command(*of, "--help")).stdout for of in takes]
    for text in (readme, *helps):
        count["tries"] += 1
        count["silent"] += told not in " ".join(text.split())
    yield "README and --help say that files are run as code", count
