"""An audit whose work, or whose store, is elsewhere: a cluster, a service, and their ends.

Parts of ``python validation/endurance.py``, which says what is counted.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from surroundings import PATIENCE, Count, all_cores, ends_the_same, free_cores, run, told

import noisytheory


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
            told(count, done, codes)
            if what == "other":
                by = "noisytheory 9." if turn % 2 else "noisytheory of other code"
                count["silent"] += f"has {by}" not in said
            if what == "scheduler" and done.returncode == 2:
                count["silent"] += at.address not in said
            ends_the_same(count, quiet, store)
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
    with all_cores():
        rows, cores = benchmark.speed_up(min(192, 4 * audits)), free_cores()
    clock, normalised = (rows[0][key] / rows[-1][key] for key in ("seconds", "normalised"))
    yield (
        f"{rows[0]['work']}: {clock:.2f} times as fast with 4 workers as with 1 by the clock, "
        f"{normalised:.2f} normalised to the time that the machine gave them, on {cores}, load "
        f"{os.getloadavg()[0]:.1f}"
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
            done = run(words)
            told(killed, done, {0})
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
        told(lost, done, {0, 2})
    for name in surroundings:
        del os.environ[name]
    yield "an audit into S3 killed, what is not ours beside it", killed
    yield "the server of S3 killed", lost
