"""What an audit spends on storing.

Run as ``python validation/benchmarks/audit.py`` (``--record`` to keep the numbers). The share is
CPU seconds inside the store over CPU seconds of the whole audit, its worker processes included, so
it does not depend on what else the machine does; the audit is that of every claim, in a temporary
store (as ``noisytheory audit`` keeps it) and in a directory (as with ``--store``).
"""

from __future__ import annotations

import argparse
import contextlib
import resource
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import recorded

import noisytheory as nt
from noisytheory.trial.catalogue import distinct
from noisytheory.trial.store import ClaimBlocks, Store
from noisytheory.vocabulary.kernels import Gaussian
from noisytheory.vocabulary.populations.finite import Finite

TIMED = {Store: ("open", "claim", "flush", "close"), ClaimBlocks: ("put", "get", "finish")}
"""Everything that an audit calls of the store."""


@contextlib.contextmanager
def storing() -> Iterator[dict[str, float]]:
    """Add up the CPU seconds of this thread inside the store, by name; not twice where nested."""
    spent: dict[str, float] = {}
    inside = [0]
    kept = {(owner, name): owner.__dict__[name] for owner in TIMED for name in TIMED[owner]}

    def timed(name: str, function: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            start = time.thread_time()
            inside[0] += 1
            try:
                return function(*args, **kwargs)
            finally:
                inside[0] -= 1
                if not inside[0]:
                    spent[name] = spent.get(name, 0.0) + time.thread_time() - start

        return call

    for (owner, name), function in kept.items():
        plain = isinstance(function, classmethod)
        bound = getattr(owner, name) if plain else function
        setattr(owner, name, staticmethod(timed(name, bound)) if plain else timed(name, bound))
    try:
        yield spent
    finally:
        for (owner, name), function in kept.items():
            setattr(owner, name, function)


def cpu_seconds() -> float:
    """CPU seconds of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def share(
    claims: list[nt.Claim], budget: str, directory: Path | None
) -> tuple[float, float, dict[str, float]]:
    """Audit claims; returns seconds of storing and of the whole, and the parts of storing."""
    before = cpu_seconds()
    with storing() as spent, nt.audit(claims, budget=budget, workers=2, store=directory):
        pass
    return sum(spent.values()), cpu_seconds() - before, spent


def long_blocks() -> nt.Claim:
    """A claim that is never decided early, with blocks of some 0.1 s: what DESIGN calls a block."""
    rng = np.random.default_rng(0)
    atoms = Finite(
        "1,000 atoms", rng.normal(size=(1000, 20)), np.ones(1000), kernel=Gaussian(4.0)
    )
    return nt.Paper("long", "benchmark").always(
        "blocks", statement=r"\|\Phi(P)-\Phi(S)\|\le 2", bound=lambda: 2.0,
        simulate=nt.claims["kernel-mean/theorem-5"].simulate,
        grid={"population": [atoms], "n": [10_000]},
    )


WHY = (
    "Zarr wants two files and a directory a variable: making them by bare system calls alone is "
    "about half of what a claim costs on disk (see store.py), and the trials here are short"
)


def main() -> None:
    """Measure, print, and record if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--budgets", nargs="*", default=["smoke", "standard"])
    parser.add_argument("--directory", type=Path, help="where to write; a temporary one by default")
    parser.add_argument("--json", action="store_true", help="numbers alone")
    parser.add_argument("--record", action="store_true", help="keep them under results/")
    options = parser.parse_args()
    root = Path(tempfile.mkdtemp(dir=options.directory))
    machine, rows, goals = recorded.Machine(), [], []
    try:
        every, long = distinct(nt.claims.values()), [long_blocks()]
        audits = [
            (f"an audit of all {len(every)} claims, {budget} budget", every, budget)
            for budget in options.budgets
        ]
        audits.append(("an audit of one claim, full budget, 0.1 s a block", long, "full"))
        for number, (work, claims, budget) in enumerate(audits):
            work = f"storing in {work}"
            for name, place in (("", None), (" on disk, --store", root / str(number))):
                stored, whole, parts = share(claims, budget, place)
                machine.measure()
                note = f"{stored / whole:.2%} of {whole:.0f} CPU seconds: " + ", ".join(
                    f"{part} {value:.2f}" for part, value in parts.items() if value >= 0.005
                )
                rows.append(recorded.row(work, f"noisytheory{name}", stored, note=note))
                goals.append(recorded.goal(
                    work, f"under 1% of the run{name}", f"{stored / whole:.2%}",
                    stored < 0.01 * whole, WHY,
                ))
    finally:
        shutil.rmtree(root, ignore_errors=True)
    found = recorded.result(
        __file__, "What an audit spends on storing", rows, goals, machine,
        ["numpy", "xarray", "zarr"], 1,
        "CPU seconds of the process that stores, over those of the audit with its two workers",
    )
    recorded.finish(__file__, found, record=options.record, as_json=options.json)


if __name__ == "__main__":
    main()
