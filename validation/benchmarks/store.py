"""What storing costs: the journal, the compaction and the files, beside Zarr with a chunk a block.

Run as ``python validation/benchmarks/store.py`` (``--json`` for numbers alone, ``--record`` to keep
them). Seconds by the clock, because files are waited for; every figure is a median over rounds in
which our way and the rival's take turns, on the same directory and the same blocks. Nothing is
deleted before the end: for a while after a deletion ext4 is many times slower at making files.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import recorded
import xarray as xr
import zarr

from noisytheory.trial.store import Store, group_of

RUN = {"format": 2, "seed": 2026, "version": "benchmark"}
CELLS = (3, 4)
DELTAS = 3
STATISTICS = 18
"""Small variables that an audit keeps of a claim, beside its blocks."""


def files_in(path: Path) -> int:
    return sum(len(names) for _, _, names in os.walk(path))


def summary() -> xr.Dataset:
    rng = np.random.default_rng(0)
    dims = ("population", "n", "delta")
    described = {"long_name": "a statistic of the claim, one a cell and level", "units": "1"}
    shape = (*CELLS, DELTAS)
    return xr.Dataset(
        {f"statistic_{i}": (dims, rng.random(shape), described) for i in range(STATISTICS)},
        coords={
            "population": ["two atoms", "gaussian", "cauchy"],
            "n": [10, 100, 1000, 10000],
            "delta": [0.1, 0.05, 0.01],
        },
        attrs={"statement": "x" * 200, "verdict": "upheld"},
    )


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def chunk_a_block(path: Path, blocks: list[np.ndarray], chains: int) -> float:
    """Write blocks one at a time into a Zarr array with a chunk a block; returns seconds."""
    rows = len(blocks[0])
    cells = len(blocks) // chains
    array = zarr.create_array(
        path, shape=(cells, chains, rows), chunks=(1, 1, rows), dtype="f8", compressors=None
    )

    def write() -> None:
        for i, block in enumerate(blocks):
            array[i // chains, i % chains] = block

    return seconds(write)


def journal(path: Path, blocks: list[np.ndarray], chains: int) -> tuple[float, float, int]:
    """Put the same blocks, then compact them; returns seconds of both and the files left."""
    rows = len(blocks[0])
    cells = len(blocks) // chains
    with Store.open(path, RUN) as store:
        claim = store.claim("a/b", "f", {"lhs": float}, cells, rows)

        def put() -> None:
            for i, block in enumerate(blocks):
                claim.put(i // chains, i % chains, {"lhs": block})

        putting = seconds(put)
        dataset = xr.Dataset({"rhs": ("cell", np.zeros(cells))})
        compacting = seconds(lambda: claim.finish(dataset))
    return putting, compacting, files_in(path / group_of("a/b"))


def blocks_of(count: int, rows: int) -> list[np.ndarray]:
    return list(np.random.default_rng(1).normal(size=(count, rows)))


def compare_blocks(
    root: Path, rounds: int, machine: recorded.Machine
) -> tuple[list[recorded.Row], list[recorded.Row]]:
    """Blocks put one at a time: rows and goals."""
    rows, goals = [], []
    for length, count, few in ((16, 20000, 400), (100, 20000, 400), (1000, 4000, 400)):
        chains = 10
        ours, rivals, compactions = [], [], []
        for i in range(rounds):
            blocks = blocks_of(count, length)
            rival = root / f"rival-{length}-{i}"
            rivals.append(chunk_a_block(rival, blocks[:few], chains) * count / few)
            rival_files = files_in(rival) / few * count
            putting, compacting, files = journal(root / f"ours-{length}-{i}", blocks, chains)
            ours.append(putting)
            compactions.append(compacting)
            machine.measure()
        work = f"storing {count:,} blocks of {length:,} numbers, one at a time"
        put, compacted = statistics.median(ours), statistics.median(compactions)
        other = statistics.median(rivals)
        rows += [
            recorded.row(work, "noisytheory, journal and compaction", put + compacted, None, None,
                         f"{count / put:,.0f} blocks/s into the journal, then compacted at "
                         f"{count * length * 8 / compacted / 1e6:,.0f} MB/s; {files} files"),
            recorded.row(work, "Zarr, a chunk a block", other, None, None,
                         f"scaled up from {few} blocks; {rival_files:,.0f} files"),
        ]
        if length == 100:
            a_block = 1e6 * (put + compacted) / count
            goals.append(recorded.goal(
                work, "under 100 µs a cell, crash-safe", f"{a_block:.0f} µs a block",
                a_block < 100, "",
            ))
    return rows, goals


def made_bare(path: Path, target: Path) -> float:
    """Make the same directories and files again with nothing but system calls; returns seconds."""
    tree = [
        (
            os.path.relpath(folder, path),
            [(name, os.path.getsize(f"{folder}/{name}")) for name in names],
        )
        for folder, _, names in os.walk(path)
    ]
    largest = bytes(max(size for _, files in tree for _, size in files))

    def make() -> None:
        for folder, files in tree:
            os.makedirs(target / folder, exist_ok=True)
            for name, size in files:
                fd = os.open(f"{target}/{folder}/{name}", os.O_WRONLY | os.O_CREAT)
                os.write(fd, largest[:size])
                os.close(fd)

    return seconds(make)


def compare_claims(root: Path, claims: int, machine: recorded.Machine) -> list[recorded.Row]:
    """Finish claims in one store, beside the bare files and xarray writing the same dataset."""
    cells = int(np.prod(CELLS))
    chains, rows = 4, 100
    data = np.random.default_rng(2).normal(size=(*CELLS, chains, rows))
    dataset = summary()
    whole = dataset.assign(lhs=(("population", "n", "chain", "draw"), data))

    def finish(store: Store, number: int) -> None:
        blocks = store.claim(f"paper/{number}", "f", {"lhs": float}, cells, rows)
        for cell, place in enumerate(np.ndindex(CELLS)):
            for chain in range(chains):
                blocks.put(cell, chain, {"lhs": data[(*place, chain)]})
        blocks.finish(dataset)

    def rival(number: int) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            whole.to_zarr(root / "xarray", group=f"paper/{number}", consolidated=False)

    times: dict[str, list[float]] = {"ours": [], "temporary": [], "bare": [], "xarray": []}
    path = root / "claims"
    with Store.open(path, RUN) as store, Store.open(None, RUN) as aside:
        for i in range(claims):
            times["ours"].append(seconds(lambda i=i: finish(store, i)))
            times["temporary"].append(seconds(lambda i=i: finish(aside, i)))
            times["bare"].append(made_bare(path / f"paper/{i}", root / f"bare/{i}"))
            times["xarray"].append(seconds(lambda i=i: rival(i)))
            if i % 50 == 0:
                machine.measure()
    files = files_in(path)
    with Store.open(path, RUN) as store:
        times["resumed"] = [seconds(lambda i=i: finish(store, i)) for i in range(claims)]
    opened = seconds(lambda: xr.open_datatree(path, engine="zarr").close())

    middle = {name: statistics.median(values) for name, values in times.items()}
    work = f"a claim of {len(dataset.variables)} variables and {cells * chains} blocks, finished"
    return [
        recorded.row(work, "noisytheory", middle["ours"], None, None,
                     f"{files / claims:.0f} files; the same files by bare system calls "
                     f"{1e3 * middle['bare']:.1f} ms; found finished when resumed "
                     f"{1e3 * middle['resumed']:.2f} ms; xarray opens all {claims} in "
                     f"{opened:.2f} s; in a temporary store "
                     f"{1e3 * middle['temporary']:.1f} ms"),
        recorded.row(work, "xarray to_zarr", middle["xarray"]),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--claims", type=int, default=300)
    parser.add_argument("--directory", type=Path, help="where to write; a temporary one by default")
    parser.add_argument("--json", action="store_true", help="numbers alone")
    parser.add_argument("--record", action="store_true", help="keep them under results/")
    parser.add_argument("--core", type=int, help="core to run on; the last by default")
    options = parser.parse_args()
    recorded.pinned(options.core)
    machine = recorded.Machine()
    root = Path(tempfile.mkdtemp(dir=options.directory))
    try:
        rows = compare_claims(root, options.claims, machine)
        more, goals = compare_blocks(root, options.rounds, machine)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    found = recorded.result(
        __file__, "Storing", rows + more, goals, machine, ("zarr", "xarray"), options.rounds,
        "seconds by the clock of one pinned core, medians of rounds taken in turns",
    )
    recorded.finish(__file__, found, record=options.record, as_json=options.json)


if __name__ == "__main__":
    main()
