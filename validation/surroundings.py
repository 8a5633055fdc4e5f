"""What surrounds an audit goes wrong: calls that fail, clocks, disks, clusters, data of others.

Parts of ``python validation/endurance.py``, which says what is counted.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import os
import random
import resource
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import noisytheory
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


def _run(words: Sequence[object], **settings: Any) -> subprocess.CompletedProcess[str]:
    settings = {"timeout": PATIENCE, **settings}
    return subprocess.run(
        list(map(str, words)), capture_output=True, text=True, errors="replace", check=False,
        **settings,
    )


def _told(count: Count, done: subprocess.CompletedProcess[str], codes: set[int]) -> None:
    """Count a try, and what no command may do."""
    count["tries"] += 1
    count["other exit code"] += done.returncode not in codes
    count["traceback"] += "Traceback" in done.stderr
    if done.returncode not in codes or "Traceback" in done.stderr:
        print(done.args[-6:], done.returncode, done.stderr[-400:], file=sys.stderr)


def _ends_the_same(count: Count, quiet: Any, store: Path) -> None:
    """Go on where the disturbed audit stopped, and compare every bit."""
    done = _run(quiet.words(store, 0))
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
            _told(count, _run([sys.executable, "-c", HURT, how, number, *given]), codes)
            _ends_the_same(count, quiet, store)
        name = {"clock": "a clock that goes backwards", "disk": "a slow disk",
                "processes": "the n-th process cannot start",
                "threads": "the n-th thread cannot start"}
        yield name.get(how, f"the n-th os.{how} fails"), count


def threads(quiet: Any, audits: int, moments: random.Random) -> Iterator[tuple[str, Count]]:
    """As many BLAS threads as somebody asks for: the same bits, and no time lost with them."""
    count = Count()
    for number in (1, 4, 64):
        store = quiet.folder / f"threads-{number}"
        asked = {f"{name}_NUM_THREADS": str(number) for name in ("OMP", "OPENBLAS", "MKL")}
        _told(count, _run(quiet.words(store, 2), env={**os.environ, **asked}), {0})
        _ends_the_same(count, quiet, store)
    yield "BLAS asked for 1, 4 and 64 threads", count
    count, done = Count(), []
    for number in (1, 2, 4):
        asked = {f"{name}_NUM_THREADS": str(number) for name in ("OMP", "OPENBLAS", "MKL")}
        script = Path(__file__).parent / "benchmarks" / "threads.py"
        ran = _run([sys.executable, str(script), "--bits"], env={**os.environ, **asked})
        _told(count, ran, {0})
        done.append(json.loads(ran.stdout or "{}"))
    count["bits differ"] += len({str(one.get("bits", one)) for one in done}) > 1
    share = done[-1].get("processor", math.inf) / done[0].get("processor", math.inf)
    count["slower"] += not share <= 1.5
    yield (
        f"predicting, choosing and herding on 1, 2 and 4 threads, on {_free_cores()} (4 take "
        f"{share:.2f} times the processor time of one)"
    ), count


def _free_cores() -> str:
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
            done = _run([*words, *quiet.words(disk / "store", 1)[3:], "--durable"])
            _told(count, done, {9})
            left = Path(f"{disk}-left") / "store"
            lines = map(str.split, Path(f"{disk}-said").read_text().splitlines())
            finished = {(claim, int(cell), int(block)) for claim, cell, block in lines}
            try:
                count["blocks lost"] += len(finished - quiet.blocks(left))
            except StoreError:
                count["unreadable"] += 1
                continue
            _ends_the_same(count, quiet, left)
        yield f"a loss of power, of what was not waited for {name} left", count


def draws(quiet: Any, audits: int, moments: random.Random) -> Iterator[tuple[str, Count]]:
    """Claims whose code raises, or ends its process: they cost themselves, and no other."""
    count = Count()
    for part, workers in enumerate((1, 2, 4)):
        file, pages = quiet.folder / f"bad-{part}.py", quiet.folder / f"bad-{part}"
        file.write_text(BAD_CLAIMS.replace("PART", str(part)))
        done = _run(
            quiet.command("audit", file, "--workers", workers, "--report", pages, "--json"),
            timeout=10 * PATIENCE,
        )
        _told(count, done, {2})
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
    yield "claims whose draws, bound, picture, ... raise, or end their process", count
    count = Count()
    for which in ("simulate", "bound", "exact"):
        file = quiet.folder / f"greedy-{which}.py"
        file.write_text(GREEDY.replace("WHICH", which))

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_AS, (2 * 10**9, 2 * 10**9))

        done = _run(
            quiet.command("audit", file, "--workers", 2, "--budget", "smoke", "--json"),
            preexec_fn=limit, env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        _told(count, done, {2})
        found = json.loads(done.stdout or "{}")
        tried = {claim["id"] for claim in found.get("claims", [])}
        count["silent"] += tried != {"mine/first", "mine/last"}
    yield "claims whose draws, bound or exact evidence take all memory there is", count
    count, file = Count(), quiet.folder / "left.py"
    for where, how in itertools.product(("", "    "), LEFT):
        file.write_text(LEAVES.replace(f"{where}pass  # {'in' if where else 'at'}", where + how))
        for words in (["audit", file, "--workers", 0], ["audit", file, "--workers", 1],
                      ["replay", file]):
            _told(count, _run(quiet.command(*words, "--budget", "smoke")), {0})
    yield "files and functions that leave threads, processes or handlers behind", count


def memory(quiet: Any, audits: int, moments: random.Random) -> Iterator[tuple[str, Count]]:
    """Ten million replicates of a cheap claim under 300 MB; the benchmark has a hundred million."""
    sys.path.insert(0, str(BENCHMARKS))
    import memory as measured

    for kind, source in measured.KINDS.items():
        count, file = Count(), quiet.folder / f"{kind}.py"
        file.write_text(source)
        _, own, worker = measured.audited(file, 10**7, "--workers", "2", "--quiet")
        most = max(own, worker) * 2**20 / 1e6
        count["tries"] += 1
        count["over 300 MB"] += most > measured.GOAL
        yield f"10^7 replicates of a {kind} ({most:.0f} MB)", count
        store, count = quiet.folder / f"{kind}-store", Count()
        done = _run(quiet.command("audit", file, "--replicates", 10**7, "--store", store, "-q"))
        _told(count, done, {0})
        most = max(_peaks(quiet.command("report", store, "--output", quiet.folder / kind)))
        count["over 300 MB"] += most > measured.GOAL
        shutil.rmtree(store)
        yield f"the report of 10^7 replicates of a {kind} ({most:.0f} MB)", count


def _peaks(words: Sequence[str]) -> list[float]:
    """The most that a command and its processes have held, in MB."""
    import memory as measured

    peaks = [0.0]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as running:
        while running.poll() is None:
            those = [running.pid, *measured.children_of(running.pid)]
            peaks += [measured.peak_of(process) * 2**20 / 1e6 for process in those]
            peaks = [max(peaks)]
            time.sleep(0.02)
    return peaks


def times(quiet: Any, audits: int, moments: random.Random) -> Iterator[tuple[str, Count]]:
    """The report of all claims on two cores; of a busy machine the processors' time counts."""
    count, store = Count(), quiet.folder / "all"
    done = _run(
        quiet.command("audit", "--budget", "smoke", "--workers", 2, "--store", store, "-q"),
        timeout=10 * PATIENCE,
    )
    _told(count, done, {0})
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = _run(
        quiet.command("report", store, "--output", quiet.folder / "all-pages"),
        timeout=10 * PATIENCE,
    )
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    _told(count, done, {0})
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    count["over 20 s"] += used / 2 > 20
    yield (
        f"the report of all claims ({used:.1f} s of two processors, {wall:.1f} s by the clock)",
        count,
    )


@contextlib.contextmanager
def process(
    words: Sequence[str], folder: Path, **surroundings: str
) -> Iterator[subprocess.Popen[bytes]]:
    """A process beside the audit, killed in the end."""
    started = subprocess.Popen(
        [sys.executable, *words], env={**os.environ, **surroundings}, cwd=folder,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    try:
        yield started
    finally:
        started.kill()
        started.wait()


class Cluster:
    """A Dask scheduler and workers of one thread, each a process; a context manager."""

    def __init__(self, folder: Path, workers: int) -> None:
        self._stack, self._folder = contextlib.ExitStack(), folder
        file = folder / f"scheduler-{time.monotonic_ns()}.json"
        self.scheduler = self._start("scheduler", "--port=0", f"--scheduler-file={file}")
        while not file.exists():
            time.sleep(0.05)
        self.address = json.loads(file.read_text())["address"]
        self.workers = [self.join() for _ in range(workers)]

    def _start(self, what: str, *words: str, **surroundings: str) -> subprocess.Popen[bytes]:
        module = f"distributed.cli.dask_{what}"
        return self._stack.enter_context(process(
            ["-m", module, "--dashboard-address=:0", "--host=127.0.0.1", *words], self._folder,
            **surroundings,
        ))

    def join(self, **surroundings: str) -> subprocess.Popen[bytes]:
        """One more worker."""
        words = ["--no-nanny", "--nthreads=1", self.address]
        return self._start("worker", *words, **surroundings)

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()


def _other_code(folder: Path, version: bool) -> str:
    """A path to a noisytheory that differs by a comment, or is of another version as well."""
    package = Path(noisytheory.__file__).parent
    copy = folder / f"other-{version}" / "noisytheory"
    if not copy.exists():
        shutil.copytree(package, copy)
        with (copy / "trial" / "draws.py").open("a", encoding="utf-8") as file:
            file.write("# of another version\n")
        if version:
            text = (copy / "__init__.py").read_text()
            (copy / "__init__.py").write_text(text.replace('version__ = "', 'version__ = "9.'))
    return str(copy.parent)


def cluster(quiet: Any, audits: int, moments: random.Random) -> Iterator[tuple[str, Count]]:
    """Workers and scheduler of a Dask cluster are killed; workers join late, or are of other code.
    """
    for what in ("worker", "scheduler", "late", "other"):
        count = Count()
        # What a scheduler's end meets is of many sorts.
        for turn in range(max(1, audits // (6 if what == "scheduler" else 24))):
            store = quiet.folder / f"cluster-{what}-{turn}"
            words = [word for word in quiet.words(store, 1) if word not in ("--workers", "1")]
            # Who refuses is one of two, so that the other could have hidden it.
            with Cluster(quiet.folder, 1 if what in ("late", "other") else 2) as at:
                if what == "other":
                    at.join(PYTHONPATH=_other_code(quiet.folder, version=turn % 2 == 1))
                    time.sleep(5.0)
                with subprocess.Popen(
                    [*words, "--scheduler", at.address], stderr=subprocess.PIPE, text=True
                ) as audit:
                    time.sleep(quiet.begins + moments.uniform(0.5, 3.0))
                    if what == "worker":
                        at.workers[0].kill()
                        at.join()
                    elif what == "scheduler":
                        at.scheduler.kill()
                    elif what == "late":
                        at.join()
                    try:
                        _, said = audit.communicate(timeout=PATIENCE)
                    except subprocess.TimeoutExpired:
                        count["hang"] += 1
                        audit.kill()
                        _, said = audit.communicate()
            codes = {"scheduler": {0, 2}, "other": {2}}.get(what, {0})
            done = subprocess.CompletedProcess(words, audit.returncode, "", said)
            _told(count, done, codes)
            if what == "other":
                by = "noisytheory 9." if turn % 2 else "noisytheory of other code"
                count["silent"] += f"has {by}" not in said
            if what == "scheduler" and done.returncode == 2:
                count["silent"] += at.address not in said
            _ends_the_same(count, quiet, store)
        yield {
            "worker": "a worker of a cluster killed, another joins",
            "scheduler": "the scheduler of a cluster killed",
            "late": "a worker joins a cluster late",
            "other": "a worker of other code, or another version, in a cluster",
        }[what], count


def speed(quiet: Any, audits: int, moments: random.Random) -> Iterator[tuple[str, Count]]:
    """One claim of long blocks on 1, 2 and 4 workers of a cluster, and what 1,000 would take."""
    sys.path.append(str(Path(__file__).parent / "benchmarks"))
    import cloudpickle
    import cluster as benchmark

    cloudpickle.register_pickle_by_value(benchmark)  # workers have no such module
    rows = benchmark.speed_up(min(192, 4 * audits))
    clock, normalised = (rows[0][key] / rows[-1][key] for key in ("seconds", "normalised"))
    yield (
        f"{rows[0]['work']}: {clock:.2f} times as fast with 4 workers as with 1 by the clock on "
        f"{_free_cores()}, load {os.getloadavg()[0]:.1f}; {normalised:.2f} times "
        "in the time that the machine gave them"
    ), Count({"tries": len(rows), "under 3.4 x": int(max(clock, normalised) < 3.4)})
    costs = benchmark.costs(20 * audits)
    least = benchmark.busy_from(costs)
    first = [f"{benchmark.breaks_first(costs, burn)} at blocks of {burn:g} s" for burn in
             (0.01, 1.0)]
    yield (
        f"the model of {benchmark.WORKERS:,} workers and {benchmark.REPLICATES:,} replicates: "
        f"busy with blocks of {least:.1f} s or more; first breaks {' and '.join(first)}"
    ), Count(tries=1)


SERVER = """
import sys, time
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
open(sys.argv[1], "w").write("http://{}:{}".format(*server.get_host_and_port()))
time.sleep(1e6)
"""


def s3(quiet: Any, audits: int, moments: random.Random) -> Iterator[tuple[str, Count]]:
    """A store on S3, of a server on this machine: audits are killed, the server goes away."""
    import s3fs

    address = quiet.folder / "s3"
    killed, lost = Count(), Count()
    with process(["-c", SERVER, str(address)], quiet.folder) as server:
        while not address.exists() or not address.read_text():
            time.sleep(0.05)
        surroundings: Mapping[str, str] = {
            "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x",
            "AWS_DEFAULT_REGION": "us-east-1", "AWS_ENDPOINT_URL": address.read_text(),
        }
        os.environ.update(surroundings)
        s3fs.S3FileSystem().mkdir("bucket")
        for turn in range(max(2, audits // 12)):
            words = quiet.words(f"s3://bucket/{turn}", 2)
            with subprocess.Popen(words, start_new_session=True) as audit:
                time.sleep(quiet.begins + moments.uniform(0.0, 2 * quiet.seconds))
                audit.kill()
            stray = f"bucket/{turn}/.journal/notes.txt"
            s3fs.S3FileSystem().pipe_file(stray, b"ten years of work")
            done = _run(words)
            _told(killed, done, {0})
            killed["silent"] += "left alone: .journal/notes.txt" not in done.stderr
            killed["bits differ"] += not quiet.same(f"s3://bucket/{turn}")
            killed["bits differ"] += s3fs.S3FileSystem().cat(stray) != b"ten years of work"
        with subprocess.Popen(
            quiet.words("s3://bucket/lost", 2), stderr=subprocess.PIPE, text=True
        ) as audit:
            time.sleep(quiet.begins + 1.0)
            server.kill()
            _, said = audit.communicate(timeout=PATIENCE)
        done = subprocess.CompletedProcess(["s3", "lost"], audit.returncode, "", said)
        _told(lost, done, {0, 2})
    for name in surroundings:
        del os.environ[name]
    yield "an audit into S3 killed, what is not ours beside it", killed
    yield "the server of S3 killed", lost


def words(quiet: Any, audits: int, moments: random.Random) -> Iterator[tuple[str, Count]]:
    """What a reader must be told before a file is run; times that are those of the command."""
    count = Count()
    told = "run as code"
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    takes = ((), ("audit",), ("bound",), ("claims",), ("compare",), ("replay",), ("show",))
    helps = [_run(quiet.command(*of, "--help")).stdout for of in takes]
    for text in (readme, *helps):
        count["tries"] += 1
        count["silent"] += told not in " ".join(text.split())
    yield "README and --help say that files are run as code", count
