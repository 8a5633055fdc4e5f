"""Kill an audit at random instants, resume it, compare the bits.

    python validation/kills.py [--kills 500] [--seed 1]

The store must open with plain xarray after every kill, keep every finished block, and end with the
same datasets as a run that nobody disturbed.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import xarray as xr

import noisytheory as nt

TESTS = Path(__file__).parents[1] / "tests"
sys.path.insert(0, str(TESTS))

SETTINGS: dict[str, Any] = {"budget": "standard", "seed": 5}


def victims() -> list[nt.Claim]:
    """Claims whose audit takes about a third of a second, most of it storing."""
    import planted

    return [planted.at_level(), planted.hoeffding(), planted.data_dependent()]


def finished_blocks(store: Path) -> int:
    """Blocks that the store has, in journals and in finished claims."""
    from noisytheory.trial.store import Store

    attributes = {**SETTINGS, "version": nt.__version__}
    with Store.open(store, attributes) as opened:
        return sum(
            len(opened.claim(c.id, c.fingerprint(), _variables(c), cells=c.size, rows=c.rows))
            for c in victims()
        )


def _variables(claim: nt.Claim) -> dict[str, Any]:
    return {"lhs": "float64", **{name: "float64" for name in claim.drawn_names()}}


def kill_and_resume(folder: Path, kills: int, seed: int) -> dict[str, int]:
    """Kill ``kills`` runs on one store after another; raises AssertionError on any loss.

    Returns
    -------
    dict
        How many kills came in the middle of a run, and how many stores were finished and begun
        anew.
    """
    moments = random.Random(seed)
    counts = {"kills": 0, "in the middle": 0, "stores": 1}
    store, blocks = folder / "store-0", 0
    longest = _run(folder / "undisturbed", None)[1]
    with nt.audit(victims(), **SETTINGS) as quiet:
        total = sum(int(r.summary["replicates"].sum()) // r.claim.rows for r in quiet)
        while counts["kills"] < kills:
            code, _ = _run(store, moments.uniform(0.0, longest))
            counts["kills"] += code != 0
            if not (store / "zarr.json").exists():
                continue
            xr.open_datatree(store, engine="zarr").close()
            now = finished_blocks(store)
            assert now >= blocks, f"{blocks - now} finished blocks were lost"
            counts["in the middle"] += 0 < now < total
            blocks = now
            if code == 0:
                _compare(quiet, store)
                store, blocks = folder / f"store-{counts['stores']}", 0
                counts["stores"] += 1
        _compare(quiet, store)
    return counts


def _audit(store: Path, ready: Any) -> None:
    ready.set()
    nt.audit(victims(), **SETTINGS, store=store).close()


def _run(store: Path, patience: float | None) -> tuple[int, float]:
    """Run the audit in a process of its own; kill it after so many seconds."""
    # Forked from a server that has imported everything: a start takes milliseconds.
    context = get_context("forkserver")
    context.set_forkserver_preload(["kills", "noisytheory.trial.run", "xarray", "zarr", "planted"])
    ready = context.Event()
    child = context.Process(target=_audit, args=(store, ready))
    child.start()
    ready.wait()
    start = time.perf_counter()
    child.join(patience)
    if child.exitcode is None:
        child.kill()
        child.join()
    assert child.exitcode in (0, -signal.SIGKILL), f"the audit ended with {child.exitcode}"
    return child.exitcode, time.perf_counter() - start


def _compare(quiet: Any, store: Path) -> None:
    with nt.audit(victims(), **SETTINGS, store=store) as resumed:
        for result in quiet:
            xr.testing.assert_identical(
                result.dataset.load(), resumed[result.claim.id].dataset.load()
            )


def main() -> None:
    """Run and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(kill_and_resume(Path(folder), options.kills, options.seed))


if __name__ == "__main__":
    main()
