"""What an audit holds in memory, from a million to a hundred million replicates of one cell.

Run as ``python validation/benchmarks/memory.py`` (``--record`` to keep the numbers). Each audit is
one ``noisytheory audit`` of a claim that no number of draws decides, a tail and a mean at their
level, in a process of its own; with workers their memory is looked at, too. Peaks are those that
the system reports of each process (``VmHWM``), so it takes Linux.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import recorded

CLAIM = """
import noisytheory as nt

claim = nt.Paper("cheap", "benchmark").{kind}(
    "{kind}", statement="a uniform draw, at its level", bound={bound},
    simulate=lambda n, *, size, rng: rng.random(size), grid=dict(n=[1]{more}), expect="undecided",
    {declared}
)
"""
KINDS = {
    "tail": CLAIM.format(kind="tail", bound="lambda n, delta: 1 - delta",
                         more=", delta=[0.1, 0.01]", declared=""),
    "mean": CLAIM.format(kind="mean", bound="lambda n: 0.5", more="",
                         declared="low=0.0, high=1.0,"),
}
GOAL = 300
"""MB, of a hundred million replicates."""


def peak_of(process: int) -> float:
    """The most that a process has held, in MiB; 0 of one that is gone."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)


def children_of(process: int) -> list[int]:
    """The processes that a process has started and that still run."""
    try:
        return [int(child) for child in
                Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []


def audited(file: Path, replicates: int, *options: str) -> tuple[float, float, float]:
    """CPU seconds of an audit, and the peaks of its process and of its largest worker, in MiB."""
    command = [sys.executable, "-m", "noisytheory", "audit", str(file), "--replicates",
               str(replicates), *options]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    own = worker = 0.0
    while not (ended := os.wait4(running.pid, os.WNOHANG))[0]:
        own = max(own, peak_of(running.pid))
        worker = max([worker, *map(peak_of, children_of(running.pid))])
        time.sleep(0.02)
    _, status, used = ended
    running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {running.returncode}")
    return used.ru_utime + used.ru_stime, own, worker


def main() -> None:
    """Measure, print, and record if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replicates", nargs="*", type=lambda text: int(float(text)),
                        default=[10**6, 4 * 10**6, 16 * 10**6, 10**8])
    parser.add_argument("--json", action="store_true", help="numbers alone")
    parser.add_argument("--record", action="store_true", help="keep them under results/")
    options = parser.parse_args()
    machine, rows, goals = recorded.Machine(), [], []
    with tempfile.TemporaryDirectory() as folder:
        for kind, source in KINDS.items():
            file = Path(folder, f"{kind}.py")
            file.write_text(source)
            peaks = []
            for replicates in options.replicates:
                work = f"an audit of one cell of a {kind} claim, {replicates:,} replicates"
                ways: dict[str, list[str]] = {"": []}
                if replicates == max(options.replicates):
                    ways |= {", 2 workers": ["--workers", "2"],
                             ", --store": ["--store", f"{folder}/{kind}"]}
                for way, more in ways.items():
                    seconds, own, worker = audited(file, replicates, *more)
                    note = f"its largest worker {worker:.0f} MiB" if "workers" in way else ""
                    peaks.append(max(own, worker))
                    rows.append(
                        recorded.row(work, f"noisytheory{way}", seconds, peaks[-1], note=note)
                    )
                machine.measure()
            largest = max(peaks) * 2**20 / 1e6
            goals.append(recorded.goal(
                work, f"every process under {GOAL} MB, with fewer replicates, too",
                f"{largest:.0f} MB", largest < GOAL,
            ))
    found = recorded.result(
        __file__, "Memory over replicates", rows, goals, machine, ["numpy", "xarray", "zarr"], 1,
        "CPU seconds of all processes, and the most that the largest of them held",
    )
    recorded.finish(__file__, found, record=options.record, as_json=options.json)


if __name__ == "__main__":
    main()
