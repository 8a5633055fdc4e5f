"""What the engine itself costs: an audit of many cells that cost next to nothing to draw.

Run as ``python validation/benchmarks/engine.py`` (``--json`` for numbers alone, ``--record`` to
keep them). One block of a few draws a cell, all in this process. The plain forms beside it draw the
same numbers and count the violations into a labelled dataset: no evidence, no intervals, and
nothing that outlives a crash. Where the time goes is measured stage by stage.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import recorded
import xarray as xr

import noisytheory as nt
from noisytheory.trial.draws import block_generator, one_thread
from noisytheory.trial.result import conclude, finish
from noisytheory.trial.store import Store
from noisytheory.trial.tasks import work
from noisytheory.trial.trial import Trial

CELLS, ROWS, SEED = 2000, 16, 2026
DELTAS = [0.1]
TASK = 64
"""Blocks that a serial audit draws, and weighs, at a time."""


def bound(n: int, delta: Any) -> Any:
    return np.sqrt(np.log(1 / delta) / (2 * n))


def simulate(n: int, *, size: int, rng: np.random.Generator) -> Any:
    return rng.random(size) / n


CLAIM = nt.Paper("benchmark", "An easy promise").tail(
    "trivial", statement="x", bound=bound, simulate=simulate, rows=ROWS,
    grid={"n": list(range(1, CELLS + 1)), "delta": DELTAS},
)


def audited(path: Path | None) -> None:
    """The audit, one block a cell, in a temporary store or in one that is kept."""
    nt.audit(CLAIM, seed=SEED, replicates=ROWS, store=path).store.close()


def violations(n: int) -> tuple[float, list[int]]:
    """What the plain forms make of a cell."""
    lhs = simulate(n, size=ROWS, rng=block_generator(SEED, CLAIM.id, f"n={n}", 0))
    rhs = bound(n, np.array(DELTAS))
    return float(lhs.mean()), [int(np.count_nonzero(lhs > r)) for r in rhs]


def labelled(found: list[tuple[float, list[int]]]) -> xr.Dataset:
    means, counts = zip(*found, strict=True)
    return xr.Dataset(
        {"mean": ("n", np.array(means)), "violations": (("n", "delta"), np.array(counts))},
        coords={"n": CLAIM.labels("n"), "delta": DELTAS},
    )


def looped() -> xr.Dataset:
    return labelled([violations(n) for n in CLAIM.grid["n"]])


def with_joblib() -> xr.Dataset:
    jobs = (joblib.delayed(violations)(n) for n in CLAIM.grid["n"])
    return labelled(list(joblib.Parallel(n_jobs=1)(jobs)))


def stages() -> dict[str, float]:
    """Seconds of the stages of an audit in a temporary store."""
    seconds_of: dict[str, float] = {}

    def stage(name: str, run: Callable[[], Any]) -> Any:
        found: list[Any] = []
        seconds_of[name] = recorded.seconds(lambda: found.append(run()))
        return found[0]

    with Store.open(None, {"seed": SEED, "version": "benchmark"}) as store, one_thread():
        trial = stage("opening", lambda: Trial(
            CLAIM, seed=SEED, max_blocks=1, store=store,
        ))
        items = trial.start(0.01, 1)
        tasks = [items[start : start + TASK] for start in range(0, len(items), TASK)]
        drawn = stage("drawing", lambda: [work(CLAIM, SEED, task)[:-1] for task in tasks])

        def put() -> None:
            for task, blocks in zip(tasks, drawn, strict=True):
                for where, block in zip(task, blocks, strict=True):
                    trial.blocks.put(*where, block)

        stage("storing", put)
        stage("weighing", lambda: [trial.receive(*of) for of in zip(tasks, drawn, strict=True)])
        found = conclude(trial)
        rows = trial.to_compare(refuted=found.verdict == "refuted")
        stage("comparing rows",
              lambda: trial.receive(rows, work(CLAIM, SEED, trial.task(rows))[:-1]))
        stage("building the dataset", lambda: finish(trial, found, {}))
    return seconds_of


def a_cell(seconds: float) -> str:
    return f"{1e6 * seconds / CELLS:.0f} µs a cell"


def compare(
    root: Path, rounds: int, machine: recorded.Machine
) -> tuple[list[recorded.Row], list[recorded.Row]]:
    """Rows and the goal."""
    paths = iter(root / str(number) for number in range(rounds + 1))
    kept, temporary = "noisytheory, store kept", "noisytheory, temporary store"
    times = recorded.in_turns(
        {
            kept: lambda: audited(next(paths)),
            temporary: lambda: audited(None),
            "joblib in one process, no store, no verdict": with_joblib,
            "for loop, no store, no verdict": looped,
        },
        rounds, machine,
    )
    measured = [stages() for _ in range(rounds)]
    split = {name: statistics.median(each[name] for each in measured) for name in measured[0]}
    parts = ", ".join(f"{name} {1e6 * t / CELLS:.0f}" for name, t in split.items())
    notes = {name: a_cell(seconds) for name, seconds in times.items()}
    notes[temporary] += f": {parts}"
    work_ = f"an audit of {CELLS:,} cells of {ROWS} draws, one block each"
    rows = [
        recorded.row(work_, name, seconds, None, None, notes[name])
        for name, seconds in times.items()
    ]
    reached = 1e6 * times[kept] / CELLS < 100
    aim = "under 100 µs a cell when cells are trivial, engine and store together, crash-safe"
    return rows, [recorded.goal(work_, aim, a_cell(times[kept]), reached,
                                "what a cell needs in Python is more than that here")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--directory", type=Path, help="where to write; a temporary one by default")
    parser.add_argument("--json", action="store_true", help="numbers alone")
    parser.add_argument("--record", action="store_true", help="keep them under results/")
    parser.add_argument("--core", type=int, help="core to run on; the last by default")
    options = parser.parse_args()
    recorded.pinned(options.core)
    machine = recorded.Machine()
    root = Path(tempfile.mkdtemp(dir=options.directory))
    try:
        rows, goals = compare(root, options.rounds, machine)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    found = recorded.result(
        __file__, "Engine", rows, goals, machine, ("xarray", "zarr", "joblib"), options.rounds,
    )
    recorded.finish(__file__, found, record=options.record, as_json=options.json)


if __name__ == "__main__":
    main()
