"""An audit on a Dask cluster: how it speeds up, and what a thousand workers would break first.

Run as ``python validation/benchmarks/cluster.py`` (``--record`` to keep the numbers and write
``validation/cluster.md``). Scheduler and workers are processes of this machine, one thread each.
Blocks burn a fixed amount of processor time, so that on a busy machine what others take can be told
from what the engine costs: normalised seconds are those by the clock, times the share of what the
workers asked for that the system gave them (Linux says how long they ran, and waited to run).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import recorded

import noisytheory as nt
from noisytheory.trial.store import FORMAT, Store

PAGE = Path(__file__).parents[1] / "cluster.md"
BURN = 0.5
"""Processor seconds of a long block."""
WORKERS, REPLICATES, ROWS = 1000, 10**9, 4096
"""What the model is asked for: blocks of so many rows."""


def burning(burn: float, *, size: int, rng: np.random.Generator) -> np.ndarray:
    """Uniform draws, each of which takes so many seconds of a processor."""
    import time

    end = time.thread_time() + burn * size
    while time.thread_time() < end:
        pass
    return rng.random(size)


def claim(burn: float, rows: int) -> nt.Claim:
    """A claim at its level, that no number of draws decides; so many seconds a block."""
    return nt.Paper("cluster", "benchmark").tail(
        "at-its-level", statement="a uniform draw", simulate=burning, rows=rows,
        bound=lambda delta: 1 - delta, expect="undecided",
        grid={"burn": [burn / rows], "delta": [0.1]},
    )


@contextlib.contextmanager
def cluster(workers: int) -> Iterator[tuple[str, list[int]]]:
    """A scheduler with workers; its address, and their processes."""
    with contextlib.ExitStack() as stack, tempfile.TemporaryDirectory() as folder:
        def start(what: str, *words: str) -> int:
            process = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.dask_{what}", "--dashboard-address=:0",
                 "--host=127.0.0.1", *words],
                env={**os.environ, **recorded.ONE_THREAD},
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process.pid

        file = Path(folder, "scheduler.json")
        start("scheduler", "--port=0", f"--scheduler-file={file}")
        while not file.exists():
            time.sleep(0.05)
        address = json.loads(file.read_text())["address"]
        processes = [
            start("worker", "--no-nanny", "--nthreads=1", address) for _ in range(workers)
        ]
        from distributed import Client

        with Client(address) as client:  # type: ignore[no-untyped-call]
            client.wait_for_workers(workers)
        yield address, processes


def threads_of(processes: Iterable[int]) -> dict[Path, np.ndarray]:
    """Seconds that each thread ran, and that it could have run had a processor been free."""
    found = {}
    for process in processes:
        for file in Path(f"/proc/{process}/task").glob("*/schedstat"):
            found[file] = np.array([int(word) / 1e9 for word in file.read_text().split()[:2]])
    return found


def audited(address: str, what: nt.Claim, blocks: int) -> tuple[float, float]:
    """Seconds of an audit by the clock, and processor seconds of this process."""
    own, start = time.process_time(), time.perf_counter()
    nt.audit(what, replicates=blocks * what.rows, scheduler=address)
    return time.perf_counter() - start, time.process_time() - own


def speed_up(blocks: int) -> list[recorded.Row]:
    """Seconds by the clock, and normalised by what one processor gave one worker meanwhile."""
    rows = []
    for workers in (1, 2, 4):
        with cluster(workers) as (address, processes):
            audited(address, claim(0.001, 64), 8)  # imports
            before = threads_of(processes)
            seconds, own = audited(address, claim(BURN, 64), blocks)
            # Of each worker the thread that draws.
            spent = [time_ - before.get(file, 0.0) for file, time_ in threads_of(processes).items()]
            ran, waited = sum(sorted(spent, key=lambda thread: -thread[0])[:workers])
            given = ran / (ran + waited)
            rows.append(recorded.row(
                f"{blocks} blocks of {BURN} processor seconds on a cluster",
                f"noisytheory, {workers} worker{'s' if workers > 1 else ''}", seconds,
                note=f"normalised {seconds * given:.2f} s; parent {own:.2f} s; "
                     f"load {os.getloadavg()[0]:.1f}",
            ) | {"normalised": seconds * given})
    return rows


def costs(tasks: int) -> dict[str, float]:
    """Processor seconds of scheduler and parent, a task and a block; seconds of a stored block."""
    from distributed import Client

    from noisytheory.trial import run

    found, most = {}, run._TASK_BLOCKS
    with cluster(2) as (address, _), Client(address) as client:  # type: ignore[no-untyped-call]
        def used(dask_scheduler: object = None) -> float:
            usage = resource.getrusage(resource.RUSAGE_SELF)
            return usage.ru_utime + usage.ru_stime

        audited(address, claim(0.001, 64), 8)
        before = client.run_on_scheduler(used)
        run._TASK_BLOCKS = 1
        alone = audited(address, claim(0.0, ROWS), tasks)[1] / tasks
        found[SCHEDULER] = (client.run_on_scheduler(used) - before) / tasks
        run._TASK_BLOCKS = most
        together = audited(address, claim(0.0, ROWS), tasks)[1] / tasks
    found[MESSAGES] = max(0.0, (alone - together) / (1 - 1 / most))
    found[FOLD] = max(0.0, together - found[MESSAGES] / most)
    arrays = {"lhs": np.random.default_rng(1).random(ROWS)}
    attributes = {"format": FORMAT, "seed": 1, "version": nt.__version__}
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder, "store"), attributes)
        blocks = store.claim("cluster/at-its-level", "0", {"lhs": "float64"}, 1, ROWS)
        start = time.perf_counter()
        for block in range(tasks):
            blocks.put(0, block, arrays)
        found[STORE] = (time.perf_counter() - start) / tasks
        store.close()
    return found


SCHEDULER, MESSAGES = "the scheduler, a task", "the parent's side of it, a task"
FOLD, STORE = "the parent weighs, a block", "the parent stores, a block"


def model(at: dict[str, float], burn: float) -> dict[str, float]:
    """Seconds that each part would take where a block takes so many; they overlap."""
    from noisytheory.trial.run import _TASK_BLOCKS, _TASK_SECONDS

    blocks = REPLICATES / ROWS
    tasks = blocks / max(1, min(_TASK_BLOCKS, int(_TASK_SECONDS / burn)))
    parent = tasks * at[MESSAGES] + blocks * (at[FOLD] + at[STORE])
    return {
        "workers": blocks * burn / WORKERS, "scheduler": tasks * at[SCHEDULER], "parent": parent,
        "of which messages": tasks * at[MESSAGES], "weighing": blocks * at[FOLD],
        "store": blocks * at[STORE],
    }


def breaks_first(at: dict[str, float], burn: float) -> str:
    """What takes longest where a block takes so many seconds."""
    parts = model(at, burn)
    longest = max(("workers", "scheduler", "parent"), key=parts.__getitem__)
    inside = max(("of which messages", "weighing", "store"), key=parts.__getitem__)
    return {"workers": "nothing: the workers are busy", "scheduler": "the scheduler",
            "parent": f"the parent ({inside.removeprefix('of which ')})"}[longest]


def busy_from(at: dict[str, float]) -> float:
    """Seconds of a block from which on all workers are busy."""
    return WORKERS * max(at[SCHEDULER], at[MESSAGES] + at[FOLD] + at[STORE])


def page(rows: list[recorded.Row], at: dict[str, float], reached: str) -> str:
    """What was measured, and what follows, as Markdown."""
    lines = [
        "# A cluster of a thousand workers", "",
        "Written by `python validation/benchmarks/cluster.py --record`. Scheduler and workers are "
        "processes of one machine, one thread each.", "",
        "| workers | seconds | normalised | load of the machine |", "|---:|---:|---:|---:|",
        *(f"| {row['who'].split()[1]} | {row['seconds']:.2f} | {row['normalised']:.2f} | "
          f"{row['note'].rpartition(' ')[2]} |"
          for row in rows), "",
        f"{rows[0]['work'].capitalize()}: {reached} Normalised seconds count only the time that "
        "the machine gave a process that wants one processor.", "",
        "| what | microseconds |", "|---|---:|",
        *(f"| {name} | {1e6 * seconds:.0f} |" for name, seconds in at.items()), "",
        f"From these: {REPLICATES:,} replicates in blocks of {ROWS:,} rows, {WORKERS:,} workers. "
        "The parts overlap, so the longest is what the audit takes at least. Of more than one cell "
        "the sum counts, of whatever cells.", "",
        "| a block takes | the workers | the scheduler | the parent | what breaks first |",
        "|---:|---:|---:|---:|---|",
    ]
    for burn in (0.001, 0.01, 0.1, 1.0, 10.0):
        parts = model(at, burn)
        lines.append(f"| {burn:g} s | {parts['workers']:,.0f} s | {parts['scheduler']:,.0f} s | "
                     f"{parts['parent']:,.0f} s | {breaks_first(at, burn)} |")
    least = busy_from(at)
    lines += [
        "", f"A thousand workers are kept busy by blocks of {least:.1f} s or more, "
        f"{WORKERS / least:,.0f} tasks a second. No thousand workers were at hand: the "
        "scheduler's cost a task was measured with two, and is taken not to grow with their "
        "number.",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, print, record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, default=192)
    parser.add_argument("--tasks", type=int, default=2000)
    parser.add_argument("--json", action="store_true", help="numbers alone")
    parser.add_argument("--record", action="store_true", help="keep them, and write the page")
    options = parser.parse_args()
    machine = recorded.Machine()
    rows = speed_up(options.blocks)
    at = costs(options.tasks)
    by_clock, normalised = (rows[0][key] / rows[-1][key] for key in ("seconds", "normalised"))
    measured = (
        f"{by_clock:.2f} times as fast with 4 workers by the clock, {normalised:.2f} normalised."
    )
    text = page(rows, at, measured)
    goals = [recorded.goal(
        rows[0]["work"], "3.4 times as fast with 4 workers as with 1", measured,
        max(by_clock, normalised) >= 3.4, "other work was on the machine",
    )]
    found = recorded.result(
        __file__, "A cluster", [{k: v for k, v in r.items() if k != "normalised"} for r in rows],
        goals, machine, ["distributed"], 1, "seconds by the clock",
    )
    recorded.finish(__file__, found, record=options.record, as_json=options.json)
    print(text)
    if options.record:
        PAGE.write_text(text)


if __name__ == "__main__":
    main()
