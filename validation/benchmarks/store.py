"""What storing costs: the journal, the compaction and the files, beside Zarr with a chunk a block.

Run as ``python validation/benchmarks/store.py``; every figure is a median over rounds in which our
way and the rival's take turns, on the same directory and the same blocks.
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
import xarray as xr
import zarr

from noisytheory.store import Store, group_of

RUN = {"format": 1, "seed": 2026, "version": "benchmark"}
CELLS = (3, 4)
DELTAS = 3
STATISTICS = 18
"""Small variables that an audit keeps of a claim, beside its blocks."""


def files_in(path: Path) -> int:
    return sum(len(names) for _, _, names in os.walk(path))


def summary() -> xr.Dataset:
    rng = np.random.default_rng(0)
    dims = ("population", "n", "delta")
    told = {"long_name": "a statistic of the claim, one a cell and level", "units": "1"}
    shape = (*CELLS, DELTAS)
    return xr.Dataset(
        {f"statistic_{i}": (dims, rng.random(shape), told) for i in range(STATISTICS)},
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


def compare_blocks(root: Path, rounds: int) -> None:
    print("blocks, one at a time           journal   chunk a block   ratio   compaction   files")
    for rows, count, few in ((16, 20000, 400), (100, 20000, 400), (1000, 4000, 400)):
        chains = 10
        ours, rivals, compactions = [], [], []
        for i in range(rounds):
            blocks = blocks_of(count, rows)
            rival = root / f"rival-{rows}-{i}"
            rivals.append(few / chunk_a_block(rival, blocks[:few], chains))
            rival_files = files_in(rival) / few * count
            putting, compacting, files = journal(root / f"ours-{rows}-{i}", blocks, chains)
            ours.append(count / putting)
            compactions.append(count * rows * 8 / compacting / 1e6)
            shutil.rmtree(rival)
            shutil.rmtree(root / f"ours-{rows}-{i}")
        mine, other = statistics.median(ours), statistics.median(rivals)
        print(
            f"{count:6d} blocks of {rows:4d} floats {mine:10,.0f}/s {other:11,.0f}/s"
            f" {mine / other:8.0f} {statistics.median(compactions):8,.0f} MB/s"
            f" {files:4d} : {rival_files:,.0f}"
        )


def compare_claims(root: Path, claims: int, rounds: int) -> None:
    """Finish many claims in one store, beside xarray writing the same datasets."""
    cells = int(np.prod(CELLS))
    chains, rows = 4, 100
    data = np.random.default_rng(2).normal(size=(*CELLS, chains, rows))
    dataset = summary()
    ours, rivals = [], []
    for i in range(rounds):
        path = root / f"claims-{i}"

        def audit(path: Path = path) -> None:
            with Store.open(path, RUN) as store:
                for number in range(claims):
                    blocks = store.claim(f"paper/{number}", "f", {"lhs": float}, cells, rows)
                    for cell, place in enumerate(np.ndindex(CELLS)):
                        for chain in range(chains):
                            blocks.put(cell, chain, {"lhs": data[(*place, chain)]})
                    blocks.finish(dataset)

        ours.append(seconds(audit) / claims)
        files = files_in(path)
        with Store.open(path, RUN) as store:
            resumed = seconds(
                lambda store=store: [
                    store.claim(f"paper/{n}", "f", {"lhs": float}, cells, rows).finish(dataset)
                    for n in range(claims)
                ]
            )
        opened = seconds(lambda path=path: xr.open_datatree(path, engine="zarr").close())
        few = max(1, claims // 30)
        whole = dataset.assign(lhs=(("population", "n", "chain", "draw"), data))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rival = root / f"xarray-{i}"
            took = seconds(
                lambda rival=rival, few=few, whole=whole: [
                    whole.to_zarr(rival, group=f"paper/{n}", consolidated=False) for n in range(few)
                ]
            )
        rivals.append(took / few)
        shutil.rmtree(path)
        shutil.rmtree(rival)
    mine, other = statistics.median(ours), statistics.median(rivals)
    print(f"\n{claims} claims of {len(dataset.variables)} variables, {cells * chains} blocks each")
    print(f"put, compact and list   {mine * 1e3:6.2f} ms a claim")
    print(f"xarray's to_zarr        {other * 1e3:6.2f} ms a claim   ratio {other / mine:.0f}")
    print(f"resume a finished one   {resumed / claims * 1e3:6.2f} ms a claim")
    print(f"files                   {files / claims:6.1f} a claim")
    print(f"xarray opens all        {opened:6.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--claims", type=int, default=300)
    parser.add_argument("--directory", type=Path, help="where to write; a temporary one by default")
    options = parser.parse_args()
    root = Path(tempfile.mkdtemp(dir=options.directory))
    try:
        compare_blocks(root, options.rounds)
        compare_claims(root, options.claims, options.rounds)
    finally:
        shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    main()
