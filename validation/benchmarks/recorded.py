"""How a benchmark is measured and written: one pinned core, turns, medians, ceilings beside."""

from __future__ import annotations

import gc
import importlib.metadata
import json
import os
import resource
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
ONE_THREAD = {
    "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1", "JAX_PLATFORMS": "cpu",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
}
PROTOCOL = "CPU seconds of one pinned core with one thread, medians of rounds taken in turns"
SEVERAL = "in several runs, each piece of work whole in one, the machine's figures of the last"

Row = dict[str, Any]


def pinned(core: int | None = None) -> int:
    """Keep this process on one core with one thread; the last core unless named."""
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)
    if not hasattr(os, "sched_setaffinity"):
        return 0
    chosen = max(os.sched_getaffinity(0)) if core is None else core
    os.sched_setaffinity(0, {chosen})
    return chosen


def seconds(work: Callable[[], object]) -> float:
    """CPU seconds: on a busy machine they say more than the clock."""
    start = time.process_time()
    work()
    return time.process_time() - start


def peak(work: Callable[[], object]) -> float:
    """Most memory that NumPy and Python ask for while ``work`` runs, in MiB."""
    gc.collect()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def in_turns(
    forms: dict[str, Callable[[], object]], rounds: int, machine: Machine
) -> dict[str, float]:
    """Median seconds of every form, after one call each that is not counted."""
    for form in forms.values():
        form()
    times: dict[str, list[float]] = {name: [] for name in forms}
    for _ in range(rounds):
        for name, form in forms.items():
            times[name].append(seconds(form))
        machine.measure()
    return {name: statistics.median(values) for name, values in times.items()}


class Machine:
    """What this machine gives in the same minutes: products, exponentials, memory."""

    def __init__(self) -> None:
        import numpy as np

        rng = np.random.default_rng(0)
        double = rng.random((768, 768))
        single = double.astype(np.float32)
        product, short = np.empty_like(double), np.empty_like(single)
        block, halves = -rng.random((192, 384)), np.full((192, 384), -0.5)
        source, copy = np.ones(1 << 22), np.empty(1 << 22)

        def rate(work: Callable[[], object], amount: float, times: int) -> float:
            def several() -> None:
                for _ in range(times):
                    work()

            return amount * times / max(seconds(several), 1e-9) / 1e9

        flops = 2 * 768.0**3
        self._rates: dict[str, Callable[[], float]] = {
            "dgemm_gflops": lambda: rate(
                lambda: np.matmul(double, double, out=product), flops, 2
            ),
            "sgemm_gflops": lambda: rate(lambda: np.matmul(single, single, out=short), flops, 4),
            "exp_gps": lambda: rate(lambda: np.exp(halves, out=block), block.size, 100),
            "exp2_gps": lambda: rate(lambda: np.exp2(halves, out=block), block.size, 100),
            "copy_gbs": lambda: rate(lambda: np.copyto(copy, source), 16 * source.size, 2),
        }
        self._seen: dict[str, list[float]] = {name: [] for name in self._rates}
        self._loads: list[float] = []

    def measure(self) -> None:
        """Measure all once."""
        for name, rate in self._rates.items():
            self._seen[name].append(rate())
        self._loads.append(os.getloadavg()[0])

    def facts(self) -> dict[str, float]:
        """Medians, and the number of cores."""
        if not self._loads:
            self.measure()
        rates = {name: round(statistics.median(v), 2) for name, v in self._seen.items()}
        return {"cores": os.cpu_count() or 1, **rates,
                "load": round(statistics.median(self._loads), 2)}


class Worker:
    """A process of its own that measures one method when told to, so that methods take turns."""

    def __init__(self, script: str, arguments: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, script, *arguments], env={**os.environ, **ONE_THREAD},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        self.failure: str | None = None
        self.first = self._answer()

    def ask(self) -> Any:
        """One more measurement."""
        assert self._process.stdin is not None
        self._process.stdin.write("again\n")
        self._process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        """Let it end."""
        if self._process.poll() is None:
            self._process.communicate()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("answer "):
                return json.loads(line.removeprefix("answer "))
        _, errors = self._process.communicate()
        self.failure = (errors.strip().splitlines() or ["killed"])[-1]
        return None


def serve(run: Callable[[], Any], answer: Callable[[Any], dict[str, Any]]) -> None:
    """In a worker: the result and memory of a first call, then seconds whenever asked.

    Parameters
    ----------
    run : callable
        What is measured.
    answer : callable
        From its first result to what the first answer holds beside ``peak_mib``.
    """
    base = resident()
    found = run()
    grown = max(0.0, most_resident() - base)
    print("answer " + json.dumps({"peak_mib": round(grown, 1), **answer(found)}), flush=True)
    for _ in sys.stdin:
        print("answer " + json.dumps(seconds(run)), flush=True)


def resident() -> float:
    """MiB held now; the high-water mark starts again from here where the system allows it."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
        return _status("VmRSS")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def most_resident() -> float:
    """MiB held at most since then."""
    try:
        return _status("VmHWM")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _status(name: str) -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) / 1024
    raise OSError(name)


def row(
    work: str, who: str, seconds: float | None, peak_mib: float | None = None,
    error: float | None = None, note: str = "",
) -> Row:
    """A line of the results; ``who`` begins with "noisytheory" if it is ours."""
    return {
        "work": work, "who": who,
        "seconds": None if seconds is None else float(f"{seconds:.4g}"),
        "peak_mib": None if peak_mib is None else round(peak_mib, 1),
        "error": None if error is None else float(f"{error:.6g}"), "note": note,
    }


def goal(
    work: str, aim: str, measured: str, reached: bool, why: str = "", *,
    who: str | None = None, rival: str | None = None,
) -> Row:
    """What was aimed at, and how far we got; ``why`` where it was not reached.

    Of a goal that compares two rows ``who`` and ``rival`` name them.
    """
    row = {"work": work, "goal": aim, "measured": measured, "reached": bool(reached),
           "why": "" if reached else why}
    return row if who is None else row | {"who": who, "rival": rival}


def result(
    script: str, title: str, rows: Iterable[Row], goals: Iterable[Row], machine: Machine,
    packages: Sequence[str], rounds: int, protocol: str = PROTOCOL,
) -> dict[str, Any]:
    """All that is recorded of one script."""
    versions = {"python": sys.version.split()[0]}
    for package in ("noisytheory", "numpy", *packages):
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {
        "title": title,
        "command": f"python validation/benchmarks/{Path(script).name} --record",
        "protocol": f"{protocol}, {rounds} rounds",
        "machine": machine.facts(), "versions": versions,
        "rows": list(rows), "goals": list(goals),
    }


def finish(script: str, found: dict[str, Any], *, record: bool, as_json: bool) -> None:
    """Print the result; write it beside the others if it is to be recorded."""
    print(json.dumps(found, indent=1) if as_json else words(found))
    if record:
        keep(script, found)


def keep(script: str, found: dict[str, Any]) -> None:
    """Write the result beside the others."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{Path(script).stem}.json"
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


def beside(script: str, found: dict[str, Any]) -> dict[str, Any]:
    """A result of some pieces of work with what is recorded of the others, from other runs."""
    path = RESULTS / f"{Path(script).stem}.json"
    if not path.is_file():
        return found
    before = json.loads(path.read_text())
    works = {row["work"] for row in found["rows"]}
    more = {kind: [row for row in before[kind] if row["work"] not in works]
            for kind in ("rows", "goals")}
    if not more["rows"]:
        return found
    return found | {kind: rows + found[kind] for kind, rows in more.items()} | {
        "protocol": f"{found['protocol']}; {SEVERAL}"}


def words(found: dict[str, Any]) -> str:
    """The result for reading."""
    lines = [f"{found['title']}: {found['protocol']}"]
    lines.append(", ".join(f"{name} {value}" for name, value in found["machine"].items()))
    work = None
    for line in found["rows"]:
        if line["work"] != work:
            work = line["work"]
            lines.append(work)
        memory = "" if line["peak_mib"] is None else f"{line['peak_mib']:9.1f} MiB"
        error = "" if line["error"] is None else f"  error {line['error']:.6f}"
        note = f"  {line['note']}" if line["note"] else ""
        time_ = " " * 12 if line["seconds"] is None else f"{line['seconds']:10.4g} s"
        lines.append(f"  {line['who']:<42} {time_} {memory}{error}{note}")
    for line in found["goals"]:
        state = "reached" if line["reached"] else "NOT reached"
        lines.append(f"{state}: {line['work']}: {line['goal']}; measured {line['measured']}"
                     + (f" ({line['why']})" if line["why"] else ""))
    return "\n".join(lines)
