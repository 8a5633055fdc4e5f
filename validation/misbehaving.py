"""Claims that raise, end or stop their process, take all memory, or leave something behind.

Parts of ``python validation/endurance.py``, which says what is counted.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import resource
import signal
import subprocess
import time
from collections.abc import Iterator
from typing import Any

from surroundings import PATIENCE, Count, run, told

BAD_CLAIMS = '''
import ctypes, multiprocessing, os, signal, sys
from fractions import Fraction
import numpy as np
import noisytheory as nt

def unheard():
    raise type("Unheard", (BaseException,), {})("of")

def generator_exit():
    raise GeneratorExit

def interrupt():
    raise KeyboardInterrupt

def memory():
    raise MemoryError

def deep():
    return deep()

ways = [unheard, generator_exit, interrupt, memory, deep, lambda: sys.exit(0), lambda: os._exit(0),
        os.abort, lambda: ctypes.string_at(0), lambda: os.kill(os.getpid(), signal.SIGKILL)]

def fine(n, *, size, rng):
    return rng.uniform(size=size)

def infinite(n, *, size, rng):
    return np.where(rng.uniform(size=size) < 0.5, np.inf, 0.0)

def ties(*, size, rng):
    return {"lhs": np.ones(size), "rhs": np.ones(size)}

mine = nt.Paper("mine", "One bad claim loses only itself")

def tail(name, simulate=fine, **of):
    return mine.tail(name, statement="x", simulate=simulate, rows=256, expect="undecided",
                     bound=lambda n, delta: 1 - delta, grid=dict(n=[1], delta=[0.1]), **of)

def bad(i, way):
    yield tail(f"draw-{i}", lambda n, *, size, rng: way())
    yield tail(f"late-{i}", lambda n, *, size, rng: rng.uniform(size=size) if size < 9 else way())
    yield tail(f"exact-{i}", exact=lambda n: way())
    yield tail(f"trivial-{i}", trivial=lambda n: way())
    yield tail(f"picture-{i}", picture=lambda: way())
    yield mine.mean(f"bound-{i}", statement="x", simulate=fine, low=0.0, high=1.0, rows=256,
                    bound=lambda n: 0.6 if n == 1 else way(), grid=dict(n=[1, 2]))
    yield mine.always(f"certify-{i}", statement="x", simulate=ties, certify=lambda: way(), rows=64)

def of_a_worker(way, value):
    return way() if multiprocessing.parent_process() is None else value

def spared(i, way):
    own = dict(grid=dict(n=[1, 2], delta=[0.1]), statement="x", rows=256, expect="undecided")
    yield mine.tail(f"parent-{i}", simulate=fine, **own,
                    bound=lambda n, delta: of_a_worker(way, 1 - delta))
    yield mine.tail(f"parent-drawn-{i}", **own,
                    bound=lambda u, delta: of_a_worker(way, 1 - delta * u),
                    simulate=lambda n, *, size, rng: {"lhs": rng.uniform(size=size),
                                                      "u": np.ones(size)})

def endless(*, size, rng):
    return {"lhs": np.full(size, np.inf), "rhs": np.ones(size)}

claims = [tail("fine"), tail("infinite", infinite)]
claims.append(mine.always("endless", statement="x", simulate=endless, rows=64,
                          certify=lambda lhs: nt.Certificate(Fraction(float(lhs)), 1)))
claims.append(mine.mean("endless-mean", statement="x", simulate=infinite, rows=256, low=0.0,
                        bound=lambda n: 1.0, grid=dict(n=[1]), expect="undecided"))
claims += [claim for i, way in enumerate([*ways, lambda: os.kill(os.getpid(), signal.SIGINT)])
           if i % 3 == PART for claim in spared(i, way)]
claims += [claim for i, way in enumerate(ways) if i % 3 == PART for claim in bad(i, way)]
claims.append(tail("last"))
'''


GREEDY = '''
import numpy as np
import noisytheory as nt

def takes(*given, **more):
    held = []
    while True:
        held.append(np.ones(10**6))

def fine(n, *, size, rng):
    return rng.uniform(size=size)

def bound(n, delta):
    return 1 - delta

def greedy_simulate(n, *, size, rng):
    return takes()

def greedy_bound(n, delta):
    return takes()

def greedy_exact(n):
    return takes()

mine = nt.Paper("mine", "One greedy claim loses only itself")

def tail(name, **of):
    own = dict(simulate=fine, bound=bound) | of
    return mine.tail(name, statement="x", rows=256, expect="undecided",
                     grid=dict(n=[1, 2], delta=[0.1]), **own)

claims = [tail("first"), tail("greedy", WHICH=greedy_WHICH), tail("last")]
'''


LEAVES = '''
import atexit, os, subprocess, sys, threading, time
import numpy as np
import noisytheory as nt

gone = dict(stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
pass  # at

def simulate(n, *, size, rng):
    pass  # in
    return rng.uniform(size=size)

mine = nt.Paper("mine", "x").tail(
    "left", statement="x", bound=lambda n, delta: 1 - delta / 2, simulate=simulate, rows=64,
    grid=dict(n=[1], delta=[0.1]))
'''

STOPS = """
import os, signal
import noisytheory as nt

def stops(there):
    if there == "WHERE":
        os.kill(os.getpid(), signal.SIGSTOP)

def simulate(n, *, size, rng):
    stops("draw")
    return rng.uniform(size=size)

def bound(n, delta):
    stops("bound")
    return 1 - delta / 2

mine = nt.Paper("mine", "x").tail(
    "stops", statement="x", bound=bound, simulate=simulate, grid=dict(n=[1], delta=[0.1]))
"""

LEFT = (
    "threading.Thread(target=time.sleep, args=(600,)).start()",
    "threading.Timer(600, print).start()",
    "subprocess.Popen(['sleep', '20'], **gone)",
    "os.fork() or (time.sleep(1), os._exit(0))",
    "os.fork()",
    "atexit.register(lambda: None)",
    "sys.excepthook = sys.unraisablehook = lambda *given: None",
    "print('left')",
)
"""What a file, or a function, leaves behind that ends no command and keeps none from its end."""


def _bad(quiet: Any) -> tuple[str, Count]:
    """Claims that raise or end their process cost themselves, and no other."""
    count = Count()
    for part, workers in enumerate((1, 2, 4)):
        file, pages = quiet.folder / f"bad-{part}.py", quiet.folder / f"bad-{part}"
        file.write_text(BAD_CLAIMS.replace("PART", str(part)))
        done = run(
            quiet.command("audit", file, "--workers", workers, "--report", pages, "--json"),
            timeout=10 * PATIENCE,
        )
        told(count, done, {2})
        found = json.loads(done.stdout or "{}")
        tried = {claim["id"].removeprefix("mine/") for claim in found.get("claims", [])}
        pictures = {name for name in tried if name.startswith("picture")}
        spared = {name for name in tried if name.startswith("parent")}
        tried -= spared
        count["tries"] += len(found.get("not_tried", {})) + len(spared)
        count["silent"] += len(spared) != (8, 8, 6)[part]
        count["silent"] += done.stderr.count("picture could not be drawn") != len(pictures)
        count["silent"] += tried - pictures != {"fine", "infinite", "last"}
        count["silent"] += any("picture" in name for name in found.get("not_tried", {}))
        for name in pictures:
            text = (pages / "mine" / f"{name}.html").read_text(encoding="utf-8")
            count["silent"] += "picture could not be drawn" not in text
        for name, why in {"endless": "is infinite", "endless-mean": "is not finite"}.items():
            count["silent"] += why not in found.get("not_tried", {}).get(f"mine/{name}", "")
        count["silent"] += not pictures or not (pages / "mine" / "infinite.html").exists()
    return "claims whose draws, bound, picture, ... raise, or end their process", count


def _greedy(quiet: Any) -> tuple[str, Count]:
    """So do those that take all memory there is."""
    count = Count()
    for which in ("simulate", "bound", "exact"):
        file = quiet.folder / f"greedy-{which}.py"
        file.write_text(GREEDY.replace("WHICH", which))

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_AS, (2 * 10**9, 2 * 10**9))

        done = run(
            quiet.command("audit", file, "--workers", 2, "--budget", "smoke", "--json"),
            preexec_fn=limit, env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        told(count, done, {2})
        found = json.loads(done.stdout or "{}")
        tried = {claim["id"] for claim in found.get("claims", [])}
        count["silent"] += tried != {"mine/first", "mine/last"}
    return "claims whose draws, bound or exact evidence take all memory there is", count


def _left(quiet: Any) -> tuple[str, Count]:
    """What is left running keeps no command from its end."""
    count, file = Count(), quiet.folder / "left.py"
    for where, how in itertools.product(("", "    "), LEFT):
        file.write_text(LEAVES.replace(f"{where}pass  # {'in' if where else 'at'}", where + how))
        for words in (["audit", file, "--workers", 0], ["audit", file, "--workers", 1],
                      ["replay", file]):
            told(count, run(quiet.command(*words, "--budget", "smoke")), {0})
    return "files and functions that leave threads, processes or handlers behind", count


WRECKS = (
    'sys.modules["json"] = None', "sys.modules.clear()", "builtins.open = None",
    "builtins.isinstance = None", "sys.stdout = sys.stderr = None", "os.environ.clear()",
    "sys.setrecursionlimit(50)", "threading.Thread.start = None", "gc.set_threshold(1)",
    'warnings.simplefilter("error")', "os.close(2)", "os.closerange(3, 99)", "sys.path.clear()",
    "resource.setrlimit(resource.RLIMIT_CPU, (1, 1))", "np.asarray = None",
    "faulthandler.dump_traceback_later(1, exit=True)", "signal.alarm(1)", "sys.excepthook = None",
    "atexit.register(lambda: 1 / 0)", "atexit.register(lambda: time.sleep(600))",
    "atexit.register(lambda: os._exit(1))", "sys.addaudithook(lambda *given: 1 / 0)",
    "type('D', (), {'__del__': lambda self: sys.exit(1)})()", "os._exit = sys.exit = None",
    "threading.Thread(target=lambda: 1 / 0).start()",
)
"""What a file may do to the interpreter that reads it."""


def _wrecked(quiet: Any) -> tuple[str, Count]:
    """They are told so, or it is put back: never a traceback, a hang, or an end without a word."""
    count, file = Count(), quiet.folder / "wrecked.py"
    for how in WRECKS:
        head = "import builtins, faulthandler, gc, resource, signal, warnings\n"
        file.write_text(head + LEAVES.replace("pass  # at", how))
        for words in (["audit", file, "--workers", 0, "--budget", "smoke"],
                      ["audit", file, "--workers", 2, "--budget", "smoke"],
                      ["bound", f"{file}::mine/left", "n=1", "delta=.1"]):
            try:
                done = run(quiet.command(*words))
            except subprocess.TimeoutExpired:
                count["tries"] += 1
                count["hang"] += 1
                continue
            told(count, done, {0, 2})
            count["silent"] += not (done.stderr if done.returncode else done.stdout)
    return "files that wreck the interpreter that reads them", count


def _stopped(quiet: Any) -> tuple[str, Count]:
    """What is stopped is named, and keeps none from its end either."""
    count, file = Count(), quiet.folder / "stops.py"
    for where, number in itertools.product(("draw", "bound"), (signal.SIGINT, signal.SIGTERM)):
        file.write_text(STOPS.replace("WHERE", where))
        for words in (["audit", file, "--workers", 2], ["bound", f"{file}::mine/stops", "n=1",
                      "delta=.1"])[: 1 + (where == "bound")]:
            heard, code = quiet.folder / "heard", 124
            with heard.open("w") as errors, subprocess.Popen(
                quiet.command(*words), stdout=subprocess.DEVNULL, stderr=errors,
                start_new_session=True,
            ) as stopped:
                until = time.monotonic() + PATIENCE
                while "is stopped" not in heard.read_text() and time.monotonic() < until:
                    time.sleep(0.1)
                stopped.send_signal(number)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    code = stopped.wait(PATIENCE)
                with contextlib.suppress(ProcessLookupError):  # The group of who has ended.
                    os.killpg(stopped.pid, signal.SIGKILL)
            said = heard.read_text()
            count["hang"] += code == 124
            ended = subprocess.CompletedProcess(words, code, "", said)
            told(count, ended, {130})
            count["silent"] += "is stopped" not in said
    return "claims that stop the process that works on them", count


def draws(quiet: Any, audits: int, moments: random.Random) -> Iterator[tuple[str, Count]]:
    """Claims whose code raises, ends or stops its process, or leaves something behind."""
    for tried in (_bad, _greedy, _left, _wrecked, _stopped):
        yield tried(quiet)
