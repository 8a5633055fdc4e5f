"""Try every claim under several kernels of the linear algebra, and show what differs.

    python validation/kernels.py [--kernels Haswell,SkylakeX,Sandybridge] [--workers N]

OpenBLAS takes its kernel from OPENBLAS_CORETYPE; one that the processor cannot run falls back to
another. Kernels add in different orders, so numbers differ in their last bits. No verdict and no
published figure may.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import campaign

HERE = Path(__file__)


def tables(kernels: list[str], workers: int) -> dict[str, list[dict[str, Any]]]:
    """The verdict table under every kernel, each in a process of its own.

    Parameters
    ----------
    kernels : list of str
        Names that OPENBLAS_CORETYPE takes.
    workers : int

    Returns
    -------
    dict of str to list
    """
    found = {}
    for kernel in kernels:
        done = subprocess.run(
            [sys.executable, str(HERE), "--table", "--workers", str(workers)], check=True,
            capture_output=True, text=True, env={**os.environ, "OPENBLAS_CORETYPE": kernel},
        )
        found[kernel] = json.loads(done.stdout)
    return found


def differences(found: dict[str, list[dict[str, Any]]]) -> list[str]:
    """A line for every entry of a row that differs from the first kernel's."""
    (first, expected), *others = found.items()
    return [
        f"{row['id']}: {name} is {row[name]} under {first}, {theirs[name]} under {kernel}"
        for kernel, table in others
        for row, theirs in zip(expected, table, strict=True)
        for name in row if row[name] != theirs[name]
    ]


def main() -> int:
    """Print what differs; 1 if anything does."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kernels", default="Haswell,SkylakeX,Sandybridge")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--table", action="store_true", help="only this process's table, as JSON")
    options = parser.parse_args()
    if options.table:
        with campaign.run(options.workers) as audit:
            print(json.dumps(campaign.verdict_table(audit)))
        return 0
    found = tables(options.kernels.split(","), options.workers)
    lines = differences(found)
    print("\n".join(lines) or f"{len(next(iter(found.values())))} claims, no difference")
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
